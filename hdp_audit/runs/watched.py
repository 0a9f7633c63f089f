"""Checks run by an executor: one that breaks takes no other with it, and what files each loaded is noted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.errors import HdpAuditError
from hdp_audit.runs.accidents import BROKE_OFF, error
from hdp_audit.targets.executors import Each
from hdp_audit.targets.failures import KEPT_BACK, words_of
from hdp_audit.targets.sources import Sources


@dataclass(frozen=True)
class Done:
    """An outcome, the files of the mechanism in the process that made it, and the names of those that it wrote."""

    outcome: Outcome
    files: dict[str, str]
    written: frozenset[str] = frozenset()


class Watched:
    """An executor for checks. `known`: files and hashes so far, to which it adds; `loaded`: the files of each check.

    `written`: what the mechanism wrote; such files are none of its inputs.
    """

    def __init__(self, each: Each, known: dict[str, str] | None = None, sources: Sources | None = None) -> None:
        self.plainly = each
        self._known = {} if known is None else known
        self._sources = sources
        self.loaded: dict[str, dict[str, str]] = {}
        self.written: set[str] = set()

    def __call__(self, function: Callable[[Check], Outcome], checks: list[Check]) -> Iterator[Outcome]:
        """Outcomes in order."""
        results = self.plainly(partial(_guarded, function, self._sources), checks)
        for check, done in zip(checks, results, strict=True):
            if isinstance(done, Outcome):  # of a process that died, which can say nothing of files
                yield done
                continue
            self.written |= done.written - done.files.keys()  # a module that it overwrites is still its code
            self._learn({name: sha for name, sha in done.files.items() if name not in self.written})
            self.loaded[check.id] = done.files
            yield done.outcome

    def _learn(self, files: dict[str, str]) -> None:
        other = [name for name, sha in files.items() if self._known.get(name, sha) != sha]
        if other:
            raise HdpAuditError(f"{', '.join(other)}: changed while the audit ran; run it again")
        self._known.update(files)
        for name in self.written:
            self._known.pop(name, None)


def _guarded(function: Callable[[Check], Outcome], sources: Sources | None, check: Check) -> Any:
    if sources is not None:
        sources.watch()
    try:
        outcome = function(check)
    except (HdpAuditError, KeyboardInterrupt):
        raise
    except BaseException as why:
        said = KEPT_BACK if check.case.private else words_of(why)
        outcome = error(check, BROKE_OFF, f"the check {check.name} broke off: {said}")
    if sources is None:
        return Done(outcome, {})
    try:
        return Done(outcome, {name: file.sha256 for name, file in sources.loaded().items()}, sources.written())
    except Exception as why:  # a mechanism has replaced what this process works with
        said = f"its files cannot be told afterwards: {type(why).__name__}"
        return Done(error(check, BROKE_OFF, f"the check {check.name} broke off: {said}"), {})
