"""A finding: one claim, what was found, how sure that is, and what would have been caught."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from hdp_audit.errors import InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.model.counterexample import Counterexample
from hdp_audit.model.waiver import Waiver

Verdict = Literal["pass", "fail", "error", "inconclusive"]
Kind = Literal["privacy", "accuracy", "optimality", "float", "proof", "behaviour"]
Evidence = Literal["tested", "proved"]


@dataclass(frozen=True)
class Finding:
    """Verdicts are words. A privacy pass that rests on tests always says what it would have caught."""

    id: str
    subject: str
    kind: Kind
    verdict: Verdict
    evidence: Evidence
    message: str
    users: tuple[int, ...] = ()
    claimed: float | None = None
    lower: Bound | None = None
    upper: Bound | None = None
    detectable: float | None = None
    calls: int = 0
    counterexample: Counterexample | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # what else is worth showing, as plain values
    waiver: Waiver | None = None

    @classmethod
    def about(
        cls, subject: str, where: str, verdict: Verdict, message: str, evidence: Evidence = "tested", **more: Any
    ) -> Finding:
        """`where` is the id behind the subject's name, and begins with the kind."""
        kind: Any = where.split("/")[0]
        return cls(f"{subject}/{where}", subject, kind, verdict, evidence, message, **more)

    @property
    def witness(self) -> dict[str, Any]:
        """The counterexample and everything else that was noted, as report.json has it."""
        return {**(self.counterexample.to_json() if self.counterexample is not None else {}), **self.facts}

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("verdict", self.verdict, get_args(Verdict)),
            ("kind", self.kind, get_args(Kind)),
            ("evidence", self.evidence, get_args(Evidence)),
        ):
            if value not in allowed:
                raise InvalidInput(f"finding {self.id}: {name} = {value!r}; allowed: {', '.join(allowed)}")
        tested_pass = self.kind == "privacy" and self.verdict == "pass" and self.evidence == "tested"
        if tested_pass and self.detectable is None:
            raise InvalidInput(f"finding {self.id}: a pass that was tested must say what it would have caught")
