"""What was proved, traced, tested, stated by the owner, and not covered: each line filled from the run, or a question.

The topics follow what reviewers ask: the hazards that NIST SP 800-226 lists around a guarantee, and context, data,
recipients and governance after ISO/IEC 27559, in words of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.model.statements import QUESTIONS
from hdp_audit.reporting.decision.examined import examined_lines
from hdp_audit.reporting.meaning import not_tested
from hdp_audit.reporting.verdicts import shown

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport

STATES = {
    "proved": "proved",
    "traced": "traced",
    "tested": "tested",
    "broken": "broken",
    "open": "undecided",
    "fact": "from the run",
    "stated": "the owner states",
    "asked": "nobody has stated",
    "uncovered": "not covered",
}


@dataclass(frozen=True)
class Line:
    """A topic, its state (a key of STATES) and what is to be said."""

    topic: str
    state: str
    words: str


@dataclass(frozen=True)
class Part:
    """Lines of one kind, under a title."""

    title: str
    lines: tuple[Line, ...]


def checklist(report: AuditReport) -> tuple[Part, ...]:
    """Three parts: what the run shows, what only the owner can say, and what neither covers."""
    run = [Line(topic, state, words) for topic, state, words in examined_lines(report)]
    return (
        Part("Examined in this run", tuple(run)),
        Part("For the owner to state", tuple(_stated(report))),
        Part("What was not tested", tuple(Line(topic, "uncovered", words) for topic, words in not_tested(report))),
    )


def _stated(report: AuditReport) -> Iterator[Line]:
    for topic, question in QUESTIONS.items():
        words = report.identity.answer(topic)
        if words:
            yield Line(question.title, "stated", f"“{shown(words, 1000)}”")
        else:
            yield Line(question.title, "asked", f"The owner is asked to state: {question.asked}")
