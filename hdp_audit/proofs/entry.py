"""The ledger's vocabulary: an entry states a claim, evidence is what its check found, a result is one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal["sympy", "smt", "enumeration", "interval", "textbook+stress"]
Strength = Literal["proved", "proved for stated sizes", "tested"]
Status = Literal["proved", "proved for stated sizes", "tested", "paper's text corrected", "failed", "not run"]

OURS: tuple[str, ...] = ()  # the labels of a statement of our own


@dataclass(frozen=True)
class Evidence:
    """What a check found: whether the claim holds, how strong the argument is, and in which steps."""

    holds: bool
    strength: Strength
    detail: str

    def __post_init__(self) -> None:
        if self.strength not in get_args(Strength):
            raise ValueError(f"evidence strength {self.strength!r}: give one of {get_args(Strength)}")
        if not self.detail:
            raise ValueError("evidence without detail: say which steps were checked")


Check = Callable[[], Evidence]


def conclude(strength: Strength, steps: Mapping[str, bool]) -> Evidence:
    """Evidence from named steps: holds when every step does; a failing step is named in the detail."""
    if not steps:
        raise ValueError("no step was checked: an empty argument proves nothing")
    broken = [name for name, passed in steps.items() if not passed]
    if broken:
        return Evidence(False, strength, "does not hold: " + "; ".join(broken))
    return Evidence(True, strength, "; ".join(steps))


@dataclass(frozen=True)
class Entry:
    """One statement of the ledger, with the code that checks it.

    `labels` are the paper's that it covers, or OURS. `corrects` says what the paper's text has instead, where it is
    wrong.
    """

    id: str
    title: str
    labels: tuple[str, ...]
    statement: str
    method: Method
    check: Check
    constant: str = ""
    corrects: str | None = None

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise ValueError(f"entry {self.id!r}: method {self.method!r}; give one of {get_args(Method)}")
        for name in ("id", "title", "statement"):
            if not getattr(self, name):
                raise ValueError(f"entry {self.id!r}: {name} is empty; every entry states it")
        if "assume" in self.statement.lower() and self.corrects is None:
            raise ValueError(f"entry {self.id!r} states an assumption; state a condition and check the claim")

    @property
    def source(self) -> str:
        """The labels as a table shows them."""
        return ", ".join(self.labels) or "ours"


def correction(
    name: str,
    title: str,
    labels: tuple[str, ...],
    statement: str,
    method: Method,
    check: Check,
    wrong: str,
    constant: str = "",
) -> Entry:
    """An entry that states what holds, and what the paper's text has instead."""
    return Entry(name, title, labels, statement, method, check, constant, wrong)


@dataclass(frozen=True)
class Result:
    """One run of one entry. `strength` is empty unless the check passed; `error` is empty unless it did not."""

    entry: Entry
    status: Status
    strength: Strength | Literal[""]
    seconds: float
    detail: str
    error: str = ""

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise ValueError(f"result of {self.entry.id!r}: status {self.status!r}; give one of {get_args(Status)}")
        if self.passed != bool(self.strength) or self.passed == bool(self.error):
            raise ValueError(f"result of {self.entry.id!r}: a passed check has a strength, any other one an error")

    @property
    def id(self) -> str:
        """The entry's name, as `hdp-audit prove` prints it."""
        return self.entry.id

    @property
    def passed(self) -> bool:
        """True when the check ran and the claim holds: "failed" and "not run" never count as passed."""
        return self.status not in ("failed", "not run")
