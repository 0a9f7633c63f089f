"""A counterexample written down: both datasets, the demands, the event as a script, and the counts to expect."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hdp_audit import engine
from hdp_audit.audits.check import Check
from hdp_audit.audits.exhibits import Exhibit, keeping
from hdp_audit.config import Spec, read_spec
from hdp_audit.config.case import built_of
from hdp_audit.config.spec import Catalogued
from hdp_audit.distinguishers.plain import Rule
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model.counterexample import Counterexample
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.labels import Labels
from hdp_audit.model.promise import PureLimit
from hdp_audit.model.traced import TracedLoss
from hdp_audit.reporting.evidence import counterexample_lines, traced_lines
from hdp_audit.reporting.handout.expected import Counts, calculated, chance_words, page, words
from hdp_audit.reporting.handout.script import Called, script
from hdp_audit.runs.replay import checks_of
from hdp_audit.targets.command import Command
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.python import Target

FEWEST, MOST, PATIENCE = 500, 20_000, 10.0  # calls, and seconds that all of them may take
TRIED = 100  # calls that show the pace
TIMEOUT = 600.0
NO_COUNTEREXAMPLE = (
    "has no counterexample of counted outputs on two datasets; the report says in words and numbers what it rests on"
)
TOO_INVOLVED = (
    "The event looks at several parts of an output at once, at calls that fail, at features of it, or at outputs that "
    "are more than numbers, texts and lists of them, in a way that a short script cannot say; `hdp-audit replay` "
    "counts it."
)
NOT_CALLED = (
    "No script can call this without hdp-audit: its data are tables or objects that no file holds, or it is itself an "
    "object; `hdp-audit replay` counts the event."
)
PRIVATE = (
    "Both datasets are made of your own data, which are never written. To rebuild them: take your file, put its values "
    "into the order of the demands (by `id` where both files have ids), and replace the values of the moved users, and "
    "of nobody else, as the lines above say. The event was learned from outputs on your data, so it is not told "
    "either; `hdp-audit replay` counts it again."
)


@dataclass(frozen=True)
class Plain:
    """What travels from the worker: texts and numbers alone."""

    found: Counterexample | TracedLoss
    rule: Rule | None
    allowed: float | None  # share of right guesses; of a curve no single one
    sides: tuple[dict[str, Any], dict[str, Any]]
    written: bool  # whether the data are among them
    number: int | None  # of a pair that was given
    private: bool


def export(old: dict[str, Any], name: str, spec: Path, folder: Path) -> list[Path]:
    """The files of a finding that was repeated; nothing of the user's own data is among them."""
    known = read_spec(spec)
    found = _plain(old, name, spec)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _written(found, known, name, folder)
    except OSError as why:
        raise InvalidInput(f"{folder}: {why.strerror or why}; give a folder that can be written") from None


def _plain(old: dict[str, Any], name: str, spec: Path) -> Plain:
    """Of the check that made the finding, run once more in a process of its own."""
    chosen = checks_of(old, name, spec)
    with executor("local", 1, _died, apart=True) as each:
        (found,) = each(_exhibited, [(chosen, name)])
    if found is None:
        raise InvalidInput(f"{name} {NO_COUNTEREXAMPLE}")
    plain: Plain = found
    return plain


def _died(_work: object, _fate: Fate) -> None:
    raise HdpAuditError("the process died while the finding was repeated; nothing was written")


def _exhibited(work: tuple[list[Check], str]) -> Plain | None:
    checks, name = work
    with keeping() as kept:
        outcomes = engine.run_checks(checks)
    findings = [finding for outcome in outcomes.values() for finding in outcome.findings if finding.id == name]
    wanted = [finding.counterexample or finding.traced for finding in findings]
    shown = next((one for one in kept if one.found in wanted), None)
    return None if shown is None else _made_plain(shown, checks)


def _made_plain(shown: Exhibit, checks: list[Check]) -> Plain:
    pair, case = shown.pair, checks[0].case
    number = next((at for at, one in enumerate(case.given) if one.base == pair.base), None) if pair.given else None
    plain = not pair.private and all(_is_plain(side.data) for side in (pair.first, pair.second))
    sides = (_side(pair.first, plain), _side(pair.second, plain))
    return Plain(shown.found, shown.rule, _allowed(shown), sides, plain, number, pair.private)


def _allowed(shown: Exhibit) -> float | None:
    found, limit = shown.found, shown.pair.limit
    if isinstance(found, Counterexample):
        return found.allowed if found.allowed_right is None else None
    return 1.0 / (1.0 + math.exp(-limit.shown)) if isinstance(limit, PureLimit) else None


def _is_plain(data: Any) -> bool:
    return type(data) is np.ndarray and data.dtype.kind in "fiubU"


def _side(side: Dataset, with_data: bool) -> dict[str, Any]:
    columns = {
        name: ["inf" if each == np.inf else each for each in column.tolist()]
        for name, column in side.promise.columns.items()
    }
    return {"data": side.data.tolist(), **columns} if with_data else columns


def _written(found: Plain, spec: Spec, name: str, folder: Path) -> list[Path]:
    """Datasets first, as the script that is run to know what to expect reads them."""
    files = []
    for file, side in zip(("first.json", "second.json"), found.sides, strict=True):
        files.append(folder / file)
        files[-1].write_text(json.dumps(side) + "\n", encoding="utf-8")
    shown = found.found
    lines = counterexample_lines(shown) if isinstance(shown, Counterexample) else traced_lines(shown)
    told = [(title, said) for title, said in lines if said]
    called = _called(found, spec, folder)
    reason = PRIVATE if found.private else NOT_CALLED if called is None else TOO_INVOLVED
    if found.private or called is None or found.rule is None:
        return [*files, _page(folder, name, told, [_demands(found), reason])]
    path = folder / "count.py"
    path.write_text(script(found.rule, called), encoding="utf-8")
    try:
        counts = _counted(path)
    except HdpAuditError:
        if not found.rule.event:
            raise
        path.unlink()
        return [*files, _page(folder, name, told, [_demands(found), TOO_INVOLVED])]
    expected = folder / "expected.json"
    expected.write_text(json.dumps({**_numbers(found.rule, counts), "allowed": found.allowed}) + "\n", encoding="utf-8")
    return [
        *files,
        path,
        expected,
        _page(folder, name, told, _paragraphs(found, counts, reference=called.reference is not None)),
    ]


def _numbers(rule: Rule, counts: Counts) -> dict[str, Any]:
    """The counts to expect: of a traced event those that its probabilities make, beside those that came."""
    came = {"calls": counts.calls, "guesses": counts.guesses, "right": counts.right}
    made = None if rule.chances is None else calculated(rule.chances, rule.guess, counts.calls)
    if made is None:
        return came
    told = {"guesses": made.guesses, "right": made.right, "probabilities": rule.chances, "guess": rule.guess}
    return {"calls": counts.calls, **told, "counted": came}


def _page(folder: Path, name: str, told: list[tuple[str, str]], paragraphs: list[str]) -> Path:
    path = folder / "README.md"
    path.write_text(page(name, told, paragraphs), encoding="utf-8")
    return path


def _demands(found: Plain) -> str:
    own = "data and demands" if found.written else "demands"
    return (
        f"`first.json` and `second.json` have the {own} of the two datasets, one entry per user in the order of both."
    )


def _paragraphs(found: Plain, counts: Counts, *, reference: bool) -> list[str]:
    program = "the package `mechanisms` that comes with hdp-audit" if reference else "the program"
    run = f"`python count.py` counts the event; it needs numpy and {program}, and nothing of hdp_audit itself."
    rule = found.rule
    known = rule is not None and rule.chances is not None and not np.isnan(rule.chances).any()
    said = chance_words(counts, rule.chances, rule.guess) if known and rule and rule.chances else words(counts)
    return [_demands(found), f"{run} {said}", _against(found.allowed, counts)]


def _against(allowed: float | None, counts: Counts) -> str:
    """These counts beside the promise, whatever they show."""
    if not counts.guesses:
        return "In these calls the event never guessed, so these counts alone show nothing."
    share = counts.right / counts.guesses
    if allowed is None:
        return "What the promise allows is a curve: for each ε, right ≤ e^ε · wrong + δ(ε) · calls on average."
    above = "above" if share > allowed else "not above"
    return f"{share:.2%} of the guesses were right, which is {above} the {allowed:.2%} that the promise allows."


def _called(found: Plain, spec: Spec, folder: Path) -> Called | None:
    """From the folder of the script, whose place relative to the spec is all that is written."""
    mechanism = spec.mechanism
    here = os.path.relpath(spec.path.absolute().parent, folder.resolve())
    pairs = mechanism.pairs.text if mechanism.pairs is not None and not found.written else ""
    if (not found.written and not pairs) or _shaped(spec):
        return None
    number = found.number or 0
    session = "" if mechanism.session is None else mechanism.session.text
    match mechanism.how:
        case Target(text=text):
            return Called(here, text, session=session, pairs=pairs, number=number, labels=_labels(spec))
        case Command(arguments=arguments):
            return Called(here, command=tuple(arguments), pairs=pairs, number=number)
        case Catalogued(name=name):
            return Called(here, pairs=pairs, number=number, reference=built_of(spec, name))


def _labels(spec: Spec) -> tuple[Any, ...]:
    """By which a function may answer."""
    return spec.domain.labels if isinstance(spec.domain, Labels) and spec.mechanism.task != "custom" else ()


def _shaped(spec: Spec) -> bool:
    """Whether a Python mechanism is more than a function of arrays that answers in numbers."""
    mechanism = spec.mechanism
    if not isinstance(mechanism.how, Target):
        return False
    made = (
        mechanism.fresh is not None
        or mechanism.output is not None
        or mechanism.one_demand
        or "." in mechanism.how.attribute
    )
    return made or spec.strategy is not None or spec.form not in (None, "numpy")


def _counted(path: Path) -> Counts:
    """By the script itself, as whoever gets it will: first a few calls for the pace, then as many as time allows."""
    started = time.monotonic()
    _run(path, TRIED)
    pace = (time.monotonic() - started) / TRIED
    return _run(path, int(np.clip(PATIENCE / pace, FEWEST, MOST)))


def _run(path: Path, calls: int) -> Counts:
    command = [sys.executable, str(path), str(calls), "1"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)  # noqa: S603
        told = json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else {}
        return Counts(told["calls"], told["guesses"], told["right"])
    except (OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired):
        raise HdpAuditError(
            f"{path.name} was written, but it does not run beside this program; the other files are there"
        ) from None
