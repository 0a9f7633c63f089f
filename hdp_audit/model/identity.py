"""Which report this is: what its owner calls it, and what its owner states beside what the run shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.model.statements import QUESTIONS

LONGEST = 4000  # letters of an entry
NAMES = ("title", "owner", "system", "release", "unit_of_privacy", "contact", "notes")


@dataclass(frozen=True)
class Identity:
    """The section `[report]` of a spec. Nothing here was examined: every format marks it as the owner's words.

    Args:
        title: Of the report.
        owner: Who answers for what was audited.
        system: What the mechanism is part of.
        release: Which version of it, or which publication.
        unit_of_privacy: Who or what is protected: a person, a household, a device on one day.
        contact: Whom to ask.
        notes: Anything else.
        statements: What the owner states on topics that no run can show, by topic (`hdp_audit.model.statements`).

    Example:
        >>> from hdp_audit import Identity
        >>> Identity(title="Wages 2026", owner="Statistics office").title
        'Wages 2026'
    """

    title: str = ""
    owner: str = ""
    system: str = ""
    release: str = ""
    unit_of_privacy: str = ""
    contact: str = ""
    notes: str = ""
    statements: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in NAMES:
            _refuse_bad(name, getattr(self, name))
        for topic, words in self.statements.items():
            if topic not in QUESTIONS:
                raise InvalidInput(f"a statement on {topic!r:.80}; topics are {', '.join(QUESTIONS)}")
            _refuse_bad(f"statements.{topic}", words)
        object.__setattr__(self, "statements", MappingProxyType(dict(self.statements)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew where it arrives: a read-only mapping is not pickled."""
        return type(self), (*(getattr(self, name) for name in NAMES), dict(self.statements))

    def answer(self, topic: str) -> str:
        """What the owner states on a topic; empty where nothing."""
        own = self.unit_of_privacy if topic == "unit_of_privacy" else ""
        return self.statements.get(topic, own)

    def to_json(self) -> dict[str, Any]:
        """Plain values, without what is empty."""
        told = {name: getattr(self, name) for name in NAMES if getattr(self, name)}
        return told | ({"statements": dict(self.statements)} if self.statements else {})

    @classmethod
    def from_json(cls, value: Any) -> Identity:
        """The same again; what another version wrote and this one does not know is left out."""
        given = value if isinstance(value, Mapping) else {}
        known = {f.name for f in fields(cls)} - {"statements"}
        told = {name: words for name, words in given.items() if name in known and isinstance(words, str)}
        stated = given.get("statements")
        stated = stated if isinstance(stated, Mapping) else {}
        own = {topic: words for topic, words in stated.items() if topic in QUESTIONS and isinstance(words, str)}
        return cls(**{name: words[:LONGEST] for name, words in told.items()}, statements=own)


def _refuse_bad(name: str, words: object) -> None:
    if not isinstance(words, str):
        raise InvalidInput(f"{name} = {words!r:.80}; give a text")
    if len(words) > LONGEST:
        raise InvalidInput(f"{name} has {len(words):,} letters; give at most {LONGEST:,}")
