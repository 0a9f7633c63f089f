"""Which input takes the mechanism's process down: one call on each dataset, each survived or not."""

from __future__ import annotations

from hdp_audit.audits.behaviour.check import displayed
from hdp_audit.audits.case import Case
from hdp_audit.targets.executors import executor
from hdp_audit.targets.fate import Fate
from hdp_audit.targets.streams import named


def fatal_input(case: Case) -> dict[str, object]:
    """The witness of a death: the first dataset whose single call ends its process; empty where none does."""
    tries = [(case, number) for number in range(len(case.datasets))]
    with executor("local", 1, _no, apart=True) as each:
        survived = list(each(_survives, tries))
    if all(survived):
        return {}
    return {"input": displayed(case.datasets[survived.index(False)].data), "output": "none: the process ended"}


def _survives(tried: tuple[Case, int]) -> bool:
    case, number = tried
    subject = case.subject()
    subject.trusts_batches = False
    subject.draw(case.datasets[number], 1, named(1, "fatal", number))
    return True


def _no(_tried: object, _fate: Fate) -> bool:
    return False
