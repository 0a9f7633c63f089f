"""The built-in suite: every reference mechanism on standard demands and embedded data, and the ledger of proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.model import AccuracyClaim, Finding, OptimalityClaim, PrivacyClaim
from hdp_audit.model.finding import id_of
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.vocabulary import SETTINGS
from hdp_audit.targets.reference import Audited, Entry, Frequency, Mean, Task, entries, standard_demands

DEMANDS = "tiers"
CATEGORIES = 12
# Calls a mechanism: the whole suite ends within two minutes on two cores. Accuracy may spend many; it stops when it
# has seen enough. A call of a privacy game, which learns, costs far more.
CALLS = {"privacy": 14_000, "accuracy": 110_000, "optimality": 4_000}
BUDGET = sum(CALLS.values())
LEDGER = "theory"
DETECT = 2.0
TOLERANCE = 1.05


@dataclass(frozen=True)
class Proofs:
    """One chapter of the ledger as a piece of work."""

    chapter: str

    @property
    def id(self) -> str:
        """Unique in a report."""
        return f"{LEDGER}/{self.chapter}"

    @property
    def subject(self) -> str:
        """Whom the findings are about."""
        return LEDGER

    def run(self) -> Outcome:
        """Check every statement of the chapter; one finding each."""
        import importlib

        from hdp_audit.proofs.ledger import run_entry

        entries = importlib.import_module(f"hdp_audit.proofs.{self.chapter}").ENTRIES
        return Outcome(tuple(_proof(run_entry(entry)) for entry in entries))


def proofs() -> Iterator[Proofs]:
    """The whole ledger."""
    from hdp_audit.proofs.ledger import CHAPTERS

    return map(Proofs, CHAPTERS)


def suite_cases() -> list[Case]:
    """Every reference mechanism for every task that it does."""
    tasks: tuple[Task, ...] = (Mean(), Frequency(CATEGORIES))
    return [_case(entry, task) for task in tasks for entry in entries(task.name)]


def _case(entry: Entry[Any], task: Task) -> Case:
    demands = standard_demands(DEMANDS)
    return Case.of(
        name=entry.name if entry.task else f"{entry.name}-{task.name}",
        opened=partial(Audited, entry.name, demands.values, task=task.name, categories=task.categories),
        demands=demands,
        task=named_task(task.name, task.categories),
        source="reference",
        privacy=PrivacyClaim(detect=DETECT),
        accuracy=AccuracyClaim(
            setting=entry.setting or "correlated", metric=entry.metric or "pac", tolerance=TOLERANCE
        ),
        optimality=tuple(OptimalityClaim(setting=setting) for setting in SETTINGS),
        data=DATA[task.name](_shares(demands.values)),
        parts=CALLS,
    )


def _shares(epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each user's rank in (0, 1), where those who have most ask for most privacy."""
    ranks = np.argsort(np.argsort(-epsilon, kind="stable"), kind="stable")
    return (ranks + 0.5) / epsilon.size


def _incomes(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.minimum(1.0, 0.08 * (1.0 - share) ** -0.7)


def _zipf(share: NDArray[np.float64]) -> NDArray[np.int64]:
    cumulated = np.cumsum(1.0 / np.arange(1, CATEGORIES + 1))
    return np.searchsorted(cumulated / cumulated[-1], share).astype(np.int64)


DATA: Mapping[str, Callable[[NDArray[np.float64]], NDArray[Any]]] = {Mean.name: _incomes, Frequency.name: _zipf}


def _proof(result: object) -> Finding:
    from hdp_audit.proofs.entry import Result

    if not isinstance(result, Result):
        raise TypeError(f"{result!r} is no result of the ledger")
    proved = result.strength in ("proved", "proved for stated sizes")
    return Finding(
        id=id_of(LEDGER, result.id),
        subject=LEDGER,
        kind="proof",
        verdict="pass" if result.passed else "fail" if result.status == "failed" else "error",
        evidence="proved" if proved else "tested",
        message=f"{result.entry.title}: {result.status}" + (f" ({result.error})" if result.error else ""),
        label=result.id,
        facts={"source": result.entry.source, "method": result.entry.method, "constant": result.entry.constant},
    )
