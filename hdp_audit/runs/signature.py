"""What a function of a user asks for and returns, as lines of a spec: its arguments by name, and one call of it."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hdp_audit.audits.case import Case
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.zcdp import ZCDP
from hdp_audit.targets.calls import Surroundings, arguments
from hdp_audit.targets.executors import executor
from hdp_audit.targets.failures import WrongShape, words_of
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.frames import place_of
from hdp_audit.targets.numbers import exact
from hdp_audit.targets.prepared import prepared
from hdp_audit.targets.python import Target
from hdp_audit.targets.subject import takes_rng

USERS = 20
STRENGTHS = np.array([0.05] * (USERS // 2) + [1.0] * (USERS - USERS // 2))
DELTA = 1e-6
VALUES = "values = [{}, {}]".format(*(", ".join([word] * (USERS // 2)) for word in ("0.05", "1")))
LEAST, MOST = 2, 100_000  # categories
OF_PROGRAMS = "for a program in another language write command = [...] instead of a target (docs/programs.md)"
OF_DATA = (
    "if it wants a table, labels or other units, begin with `hdp-audit init`, name it as target, and say in [domain] "
    "what a datum is (docs/recipes.md)"
)
OF_OBJECTS = (
    "if the release stands in an attribute of an object afterwards, begin with `hdp-audit init`, and name it there: "
    'output = "coef_" (docs/recipes.md, a class with fit)'
)


@dataclass(frozen=True)
class Signature:
    """Lines of a spec for a function, and in words what was found."""

    target: str
    task: str
    demands: str
    words: str


@dataclass(frozen=True)
class _Seen:
    """What one call showed; `problem` where it failed."""

    names: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    problem: str = ""


def read_signature(text: str, folder: Path) -> Signature:
    """Of a function at `path/file.py:attribute` from here; the spec will lie in `folder`."""
    where, colon, attribute = text.rpartition(":")
    if not colon or not where or not attribute:
        raise InvalidInput(f'--from {text}: give "path/file.py:function" or "package.module:function"; {OF_PROGRAMS}')
    with executor("local", 1, _died, apart=True) as each:
        seen: _Seen = next(iter(each(_seen, [Target(text, Path.cwd())])))
    if seen.problem:
        raise InvalidInput(f"{text}: {seen.problem.removeprefix(f'{text}: ')}")
    written = f"{os.path.relpath(where, folder.resolve())}:{attribute}" if where.endswith(".py") else text
    names, shape = ", ".join(seen.names), seen.shape
    if shape in ((), (1,)):
        task, returns = 'task = "mean"', "a number"
    elif len(shape) == 1 and LEAST <= shape[0] <= MOST:
        task, returns = f'task = "frequency"\ncategories = {shape[0]}', f"{shape[0]} numbers"
    else:
        raise InvalidInput(f"{text}: returns an array of shape {shape}; a custom task takes any output (docs/spec.md)")
    return Signature(written, task, _demands(seen.names), f"{attribute}({names}), which returns {returns}")


def _demands(names: tuple[str, ...]) -> str:
    """Twenty users of two kinds, under the promise that the arguments name."""
    for column, line in (("rho", 'promise = "zcdp"'), ("mu", 'promise = "gaussian"')):
        if column in names:
            return f"{line}\n{VALUES}"
    return f'promise = "approximate"\ndelta = {DELTA}\n{VALUES}' if "delta" in names else VALUES


def _promise(names: tuple[str, ...]) -> Promise:
    if "rho" in names:
        return ZCDP(STRENGTHS)
    if "mu" in names:
        return GaussianDP(STRENGTHS)
    return ApproximateDP(STRENGTHS, DELTA) if "delta" in names else PureDP(STRENGTHS)


def _seen(target: Target) -> _Seen:
    """In a worker: what it says may not be ours, and it may end its process."""
    method: str | None = None
    try:
        function, method = target.load_release(Surroundings())
        release = prepared(function, method=method)
        names = tuple(inspect.signature(release).parameters)
        case = Case.of(
            "read",
            partial(_itself, release),
            PrivacyDemands.from_values(STRENGTHS),
            named_task("mean", None, None),
            promise=_promise(names),
            privacy=PrivacyClaim(),
        )
        mechanism, rng = case.mechanism(), np.random.default_rng(1)
        given = arguments(case.dataset(np.zeros(USERS, dtype=np.int64)), mechanism)
        output = mechanism(*given, *([rng] if takes_rng(mechanism, case.promise) else []))
        return _Seen(names, exact(output).shape)
    except WrongShape as why:
        return _Seen(problem=f"called on {USERS} zeros it returned {why}; {OF_OBJECTS if method else OF_DATA}")
    except HdpAuditError as why:
        return _Seen(problem=str(why))
    except BaseException as why:
        place = place_of(why)
        where = f" ({place})" if place else ""
        return _Seen(problem=f"called on {USERS} zeros it raised {words_of(why)}{where}; {OF_DATA}")


def _itself(function: Any) -> Any:
    return function


def _died(_target: object, _fate: Fate) -> _Seen:
    return _Seen(problem="it ended its process; a mechanism must not exit")
