"""The built-in suite: every reference mechanism on standard demands and embedded data, and the ledger of proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.model import AccuracyClaim, Finding, OptimalityClaim, PrivacyClaim
from hdp_audit.targets.reference import Audited, names, standard_demands

DEMANDS = "tiers"
CATEGORIES = 12
# Calls a mechanism: the whole suite ends within two minutes on two cores. Accuracy may spend many; it stops when it
# has seen enough. A call of a privacy game, which learns, costs far more.
CALLS = {"privacy": 14_000, "accuracy": 110_000, "optimality": 2_000}
BUDGET = sum(CALLS.values())
LEDGER = "theory"
DETECT = 2.0
TOLERANCE = 1.05

Task = Literal["mean", "frequency"]


@dataclass(frozen=True)
class Proofs:
    """One room of the ledger as a piece of work."""

    room: str

    @property
    def id(self) -> str:
        """Unique in a report."""
        return f"{LEDGER}/{self.room}"

    @property
    def subject(self) -> str:
        """Whom the findings are about."""
        return LEDGER

    def run(self) -> Outcome:
        """Check every statement of the room; one finding each."""
        import importlib

        from hdp_audit.proofs.ledger import run_entry

        entries = importlib.import_module(f"hdp_audit.proofs.{self.room}").ENTRIES
        return Outcome(tuple(_proof(run_entry(entry)) for entry in entries))


def proofs() -> Iterator[Proofs]:
    """The whole ledger."""
    from hdp_audit.proofs.ledger import ROOMS

    return map(Proofs, ROOMS)


def suite_cases() -> list[Case]:
    """Every reference mechanism for every task that it does."""
    tasks: tuple[Task, ...] = ("mean", "frequency")
    return [_case(name, task) for task in tasks for name in names(task)]


def _case(name: str, task: Task) -> Case:
    demands = standard_demands(DEMANDS)
    categories = CATEGORIES if task == "frequency" else None
    variant = name.split("-")[1] if "-" in name else ""
    return Case(
        name=name if name.startswith("hp") else f"{name}-{task}",
        opened=partial(Audited, name, demands.values, task=task, categories=categories),
        demands=demands,
        task=task,
        categories=categories,
        source="reference",
        privacy=PrivacyClaim(detect=DETECT),
        accuracy=AccuracyClaim(
            setting="weakly-correlated" if variant.startswith("w") else "correlated",
            metric="mse" if variant.endswith("e") else "pac",
            tolerance=TOLERANCE,
        ),
        optimality=OptimalityClaim(),
        data=_data(demands.values, task),
        parts=CALLS,
    )


def _data(epsilon: NDArray[np.float64], task: Task) -> NDArray[np.float64] | NDArray[np.int64]:
    """Incomes, or categories of a Zipf law, where those who have most ask for most privacy."""
    ranks = np.argsort(np.argsort(-epsilon, kind="stable"), kind="stable")
    share = (ranks + 0.5) / epsilon.size
    if task == "mean":
        return np.minimum(1.0, 0.08 * (1.0 - share) ** -0.7)
    cumulated = np.cumsum(1.0 / np.arange(1, CATEGORIES + 1))
    return np.searchsorted(cumulated / cumulated[-1], share).astype(np.int64)


def _proof(result: object) -> Finding:
    from hdp_audit.proofs.entry import Result

    if not isinstance(result, Result):
        raise TypeError(f"{result!r} is no result of the ledger")
    proved = result.strength in ("proved", "proved for stated sizes")
    return Finding(
        id=f"{LEDGER}/{result.id}",
        subject=LEDGER,
        kind="proof",
        verdict="pass" if result.passed else "fail" if result.status == "failed" else "error",
        evidence="proved" if proved else "tested",
        message=f"{result.entry.title}: {result.status}" + (f" ({result.error})" if result.error else ""),
        facts={"source": result.entry.source, "method": result.entry.method, "constant": result.entry.constant},
    )
