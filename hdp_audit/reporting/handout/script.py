"""The event as a short script: it needs numpy and the program that was examined, and nothing of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pprint import pformat

from hdp_audit.distinguishers.plain import Part, Rule

WIDTH = 110


@dataclass(frozen=True)
class Called:
    """How the examined program is called, from the folder of the script.

    `target` is "file.py:function" or "module:function"; `command` the words of a program; `session` an analyst;
    `pairs` what yields the datasets, and the number of the pair, where they are not written down; `reference` how one
    of the reference mechanisms is built for the demands.
    """

    folder: str
    target: str = ""
    command: tuple[str, ...] = ()
    session: str = ""
    pairs: str = ""
    number: int = 0
    reference: Mapping[str, object] | None = None
    labels: tuple[object, ...] = ()  # a dict with these keys is read in their order


def script(rule: Rule, called: Called) -> str:
    """The whole file."""
    helper = [TAKEN_APART] if rule.event else [ROUNDED] if rule.steps else []
    said = " ".join(part.of for part in (*rule.parts, *rule.only))
    helper += [text for name, text in HELPERS.items() if name in said]
    call = REFERENCE if called.reference else PROGRAM if called.command else FUNCTION
    needed = "the package `mechanisms` that comes with hdp-audit" if called.reference else "the program"
    settings = [
        f"FOLDER = {called.folder!r}  # from here to the spec",
        f"TARGET = {called.target!r}",
        f"SESSION = {called.session!r}  # an analyst who asks what TARGET makes",
        f"COMMAND = {list(called.command)!r}",
        f"PAIRS, NUMBER = {called.pairs!r}, {called.number}  # where the datasets come from, unless they lie here",
    ]
    settings += [f"LABELS = {list(called.labels)!r}  # the order in which an answer by label is read"]
    settings += [f"REFERENCE = {dict(called.reference)!r}"] if called.reference else []
    return (
        "\n\n\n".join([HEAD.replace("NEEDED", needed) + "\n".join(settings), *helper, event(rule), LOAD, call, COUNT])
        + "\n"
    )


def event(rule: Rule) -> str:
    """The function that looks at one output."""
    lines = ["def event(output):", '    """1: guess the second dataset. 0: guess the first. None: no guess."""']
    if rule.event:
        lines += ["    numbers, symbols = taken_apart(output)", f"    came = {rule.event}"]
        return "\n".join([*lines, f"    return {rule.guess} if came else None"])
    if rule.second or rule.first:
        lines += [f"    second = {_wrapped(rule.second)}", f"    first = {_wrapped(rule.first)}"]
        lines += ["    text = repr(output.tolist() if isinstance(output, np.ndarray) else output)"]
        return "\n".join([*lines, "    return 1 if text in second else 0 if text in first else None"])
    lines += ["    x = [float(number) for number in np.ravel(output)]"]
    lines += [f"    r = rounded(x, {_wrapped(rule.steps)})"] if rule.steps else []
    if rule.only:
        lines += [*_summed("noise", rule.only), f"    if noise > {rule.most!r}:", "        return None"]
    lines += _summed("score", rule.parts)
    high, low = (f"float({str(end)!r})" if end in (float("inf"), -float("inf")) else repr(end) for end in _ends(rule))
    return "\n".join([*lines, f"    return 1 if score >= {high} else 0 if score <= {low} else None"])


def _ends(rule: Rule) -> tuple[float, float]:
    return float(rule.high), float(rule.low)


def _summed(name: str, parts: tuple[Part, ...]) -> list[str]:
    added = [f"    {name} += {_score(part)}" for part in parts]
    return [f"    {name} = 0.0", *added, f"    {name} = round(float({name}), 9)"]


def _score(part: Part) -> str:
    points, values = _wrapped(part.points), _wrapped(part.values)
    if part.steps:
        return f"np.array({values})[np.searchsorted({points}, {part.of}, side='right')]"
    return f"np.interp({part.of}, {points}, {values})"


def _wrapped(numbers: tuple[object, ...]) -> str:
    return pformat(list(numbers), width=WIDTH, compact=True).replace("\n", "\n        ")


HEAD = '''"""How often does this event tell which of two datasets it was? Usage: python count.py [CALLS] [SEED]

It calls the examined program on one of the two datasets, by a fair coin each time, and guesses from the output alone.
It needs numpy and NEEDED; hdp_audit itself is not used.
"""

import functools
import importlib
import importlib.util
import inspect
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
'''
LOWEST_BIT = '''def lowest_bit(number):
    """The largest e such that the number is a whole multiple of 2^e."""
    fraction, exponent = math.frexp(number)
    whole = abs(int(fraction * 2.0**53))
    return exponent - 53 + (whole & -whole).bit_length() - 1 if whole else 2000.0 + (math.copysign(1.0, number) < 0)'''
ROUNDED = '''def rounded(numbers, steps):
    """To whole multiples of the steps, far below the noise, as the event was learned."""
    return [float(np.rint(each / step) * step) if step > 0 else each for each, step in zip(numbers, steps)]'''
REMAINDER = '''def remainder(number, step):
    """The fractional part of number / step, to the nearest 1/1024, 1 being 0."""
    share = number / step
    if abs(share) > 2.0**40:
        share = math.fmod(number, step) / step
    return round((share - math.floor(share)) * 1024) % 1024 / 1024'''
HELPERS = {"lowest_bit": LOWEST_BIT, "remainder": REMAINDER}
TAKEN_APART = '''def visited(output, parts):
    """How lists lie in lists; numbers, and what is none, go to the parts."""
    if isinstance(output, (np.generic, np.ndarray)):
        output = output.tolist()
    if isinstance(output, (list, tuple)):
        forms = [visited(each, parts) for each in output]
        return f"[{len(forms)}:{','.join(forms)}]" if any(forms) else f"[{len(forms)}]"
    number = type(output) is float or type(output) is int and abs(output) <= 2**53
    if not number and not isinstance(output, (bool, str, bytes, type(None))):
        raise TypeError(f"this script cannot read an output of type {type(output).__name__}")
    parts.append(float(output) if number else f"{type(output).__name__}:{output!r}")
    return ""


def taken_apart(output):
    """(numbers, symbols): what is no finite number is a symbol, and -0 lies just below 0."""
    parts = []
    form = visited(output, parts)
    numbers = [part for part in parts if isinstance(part, float)]
    symbols = () if not form and len(parts) == len(numbers) == 1 else (
        form, *("" if isinstance(part, float) else part for part in parts))
    if isinstance(output, np.ndarray) and output.dtype == np.float64 and output.ndim == 1:
        symbols = (form,)
    symbols += tuple(f"{number} at {place}" for place, number in enumerate(numbers) if not math.isfinite(number))
    numbers = [number if math.isfinite(number) else 0.0 for number in numbers]
    return [-5e-324 if number == 0 and math.copysign(1, number) < 0 else number for number in numbers], symbols


def same(numbers, symbols, listed, places):
    """Whether it is one of those listed, but for the last digits of doubles; some places of it, or the whole."""
    if places and max(places) < len(numbers):
        numbers, symbols = [numbers[place] for place in places], ()
    for others, names in listed:
        alike = len(others) in (0, len(numbers)) and symbols == names
        close = (abs(one - two) <= 64 * 2.0**-52 * max(abs(one), abs(two)) for one, two in zip(numbers, others))
        if alike and all(close):
            return True
    return False'''
LOAD = '''def found(address):
    """The function behind "file.py:name" or "module:name"."""
    where, _, name = address.rpartition(":")
    folder = (HERE / FOLDER).resolve()
    sys.path.append(str(folder))
    if where.endswith(".py"):
        sys.path.append(str((folder / where).resolve().parent))
        spec = importlib.util.spec_from_file_location("examined_" + pathlib.Path(where).stem, folder / where)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(where)
    return functools.reduce(getattr, name.split("."), module)


def datasets():
    """Both, each with what its users demand."""
    sides = [json.loads((HERE / name).read_text()) for name in ("first.json", "second.json")]
    given = [side.pop("data", None) for side in sides]
    if PAIRS:
        pairs = found(PAIRS)
        given = list(list(pairs() if callable(pairs) else pairs)[NUMBER])[:2]
    else:
        given = [np.array(data) for data in given]
    demands = [{name: np.array([float(each) for each in column]) for name, column in side.items()} for side in sides]
    return [{"data": data, **columns} for data, columns in zip(given, demands)]'''
FUNCTION = '''def outputs(sides, coins, seed):
    """One output for each coin."""
    function, analyst, rng = found(TARGET), found(SESSION) if SESSION else None, np.random.default_rng(seed)
    names = list(inspect.signature(function).parameters)
    for coin in coins:
        side = sides[coin]
        given = {"data": side["data"].copy() if hasattr(side["data"], "copy") else side["data"]}
        given.update({name: column.copy() for name, column in side.items() if name != "data"}, rng=rng)
        if set(names) <= set(given):
            output = function(**{name: given[name] for name in names})
        else:
            output = function(*list(given.values())[: len(names)])
        if LABELS and (isinstance(output, dict) or hasattr(output, "to_dict")):  # a series of pandas
            given = output if isinstance(output, dict) else output.to_dict()
            output = [given[label] for label in LABELS]
        yield analyst(output) if analyst else output'''
REFERENCE = '''def outputs(sides, coins, seed):
    """One output for each coin."""
    from mechanisms import build

    rng = np.random.default_rng(seed)
    demands = [{name: column for name, column in side.items() if name != "data"} for side in sides]
    built = [build(**REFERENCE, **each) for each in demands]
    for coin in coins:
        yield built[coin].release(sides[coin]["data"].copy(), rng=rng)'''
PROGRAM = '''def outputs(sides, coins, seed):
    """One output for each coin, by the line protocol: one JSON object a line."""
    folder = (HERE / FOLDER).resolve()
    command = [str(folder / COMMAND[0]) if "/" in COMMAND[0] else COMMAND[0], *COMMAND[1:]]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True) as program:
        answers = []
        for number, side in enumerate(sides):
            size = int(sum(coin == number for coin in coins))
            told = {name: [v if v < math.inf else "inf" for v in column.tolist()] for name, column in side.items()
                    if name != "data"}
            data = side["data"].tolist() if hasattr(side["data"], "tolist") else side["data"]
            asked = {"id": number, "data": data, **told, "size": size, "seed": seed + number}
            program.stdin.write(json.dumps(asked) + "\\n")
            program.stdin.flush()
            answer = json.loads(program.stdout.readline())
            while "hello" in answer:
                answer = json.loads(program.stdout.readline())
            answers.append(iter(answer["outputs"]))
        program.stdin.close()
        program.terminate()
        yield from (next(answers[coin]) for coin in coins)'''
COUNT = """def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(np.random.default_rng().integers(2**31))
    coins = (np.random.default_rng([seed, 1]).random(calls) < 0.5).astype(int).tolist()
    guesses = [event(output) for output in outputs(datasets(), coins, seed)]
    made = sum(guess is not None for guess in guesses)
    right = sum(guess == coin for guess, coin in zip(guesses, coins))
    print(json.dumps({"calls": calls, "guesses": made, "right": right}))


main()"""
