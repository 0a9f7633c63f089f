"""The journal of a run in which a full disk costs the journal, not the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.events import Event, Finished
from hdp_audit.runs.journal import Journal
from hdp_audit.targets.kept import Folder


class Saving:
    """Writes what is final; after the first line that cannot be written it says so, and writes no more."""

    def __init__(self, journal: Journal, files: Mapping[str, Mapping[str, str]], warn: Callable[[str], None]) -> None:
        """`files`: by check, the files that it loaded; filled while the run goes on. `warn` tells a person."""
        self._journal: Journal | None = journal
        self._files, self._warn = files, warn
        self._open: set[str] = set()  # cases whose behaviour check met an accident: how they are called may change

    def begin(self, *, resume: bool) -> dict[str, Outcome]:
        """The outcomes of the run that is continued; none of a new one."""
        if resume and self._journal is not None:
            return self._journal.resume()
        self._write(Journal.start)
        return {}

    @property
    def tables(self) -> Folder | None:
        """Where draws are kept; nowhere without a journal that says what they belong to."""
        return None if self._journal is None else self._journal.tables

    def __call__(self, event: Event) -> None:
        """Keep one finished check or proof; accidents, and what depends on one, are left to be tried again.

        What the step-down changes is not kept: it follows from what is, and is done again when a run is resumed.
        """
        if not isinstance(event, Finished):
            return
        work, outcome = event.work, event.outcome
        case = work.case.name if isinstance(work, Check) else None
        if isinstance(work, Check) and work.comes_first and not outcome.final:
            self._open.add(work.case.name)
        if outcome.final and case not in self._open:
            self._write(lambda journal: journal.add(work.id, outcome, self._files.get(work.id, {})))
            if self.tables is not None:
                self.tables.drop(work.id)

    def _write(self, line: Any) -> None:
        if self._journal is None:
            return
        try:
            line(self._journal)
        except OSError as why:
            self._journal = None
            self._warn(f"the journal cannot be written ({why.strerror or why}); the run goes on without it")
