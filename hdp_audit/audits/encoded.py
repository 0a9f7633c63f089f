"""What can be said of outputs of any kind: the words for their numbers, and what of them nobody could read."""

from __future__ import annotations

from hdp_audit.audits.power import hardly_repeat
from hdp_audit.audits.trial import Trial
from hdp_audit.distinguishers.words import Vocabulary
from hdp_audit.model.finding import Verdict
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.subject import Subject


def vocabulary(subject: Subject) -> Vocabulary:
    """What the numbers of its outputs stand for; empty where they are numbers."""
    mechanism = subject.mechanism
    if not isinstance(mechanism, Encoded):
        return Vocabulary(names=_labels(subject))
    outputs = tuple(mechanism.seen.values())
    featured = mechanism.features is not None
    return Vocabulary(mechanism.symbols, outputs, tuple(subject.failures), mechanism.layout.columns, featured=featured)


def _labels(subject: Subject) -> tuple[str, ...]:
    """Of a table by label."""
    keys = subject.task.keys or ()
    return tuple(f"the number for {key!r:.40}" for key in keys) if len(keys) == subject.width else ()


def as_read(
    subject: Subject, trial: Trial, name: str, verdict: Verdict, message: str
) -> tuple[Verdict, str, dict[str, object]]:
    """Verdict, message and facts: no pass where texts were not examined."""
    unread = unread_texts(subject, trial)
    if unread and verdict == "pass":
        verdict = "inconclusive"
        message = (
            f"{name}: not refuted, but texts at {', '.join(unread)} are nearly all different: their content was "
            "not examined beyond length and single characters; return numbers or categories"
        )
    return verdict, message, {"unread": unread} if unread else {}


def unread_texts(subject: Subject, trial: Trial) -> list[str]:
    """Places of texts that hardly ever come again, so that nothing can be learned from a text as a whole."""
    layout = subject.mechanism.layout if isinstance(subject.mechanism, Encoded) else None
    seen = trial.game.seen[0]
    found = layout.texts.items() if layout is not None else ()
    return [name for name, column in found if hardly_repeat(seen[:, column])]
