"""Topics on which no run can say anything: what the owner of a system is asked to state about each.

They follow what reviewers ask of a release: NIST SP 800-226 (the hazards around a differential privacy guarantee) and
ISO/IEC 27559 (context, data, recipients and governance of de-identified data), in words of our own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A topic as people read it, and what its owner is asked to state."""

    title: str
    asked: str


QUESTIONS: dict[str, Question] = {
    "unit_of_privacy": Question(
        "Unit of privacy", "who or what is one user here: a person, a household, a device, one event?"
    ),
    "contribution_bounding": Question(
        "Contributions of one user", "how is it enforced that each user has one datum, and what becomes of others?"
    ),
    "composition": Question(
        "Other releases from the same data",
        "which other outputs are published from these data, and what do all of them promise together?",
    ),
    "trust_model": Question(
        "Who sees raw data", "who holds the data before noise is added, and who could see them or the noise?"
    ),
    "justification": Question("Choice of the promise", "why are these parameters small enough for these data?"),
    "tuning": Question(
        "Choices made on the data", "were bounds, bins or parameters chosen by looking at the same data?"
    ),
    "unprotected": Question(
        "What is published without noise", "which facts are released exactly, such as the number of users?"
    ),
    "randomness": Question(
        "Source of randomness", "which generator makes the noise in production, and who could predict it?"
    ),
    "side_channels": Question(
        "Time, memory, logs and errors", "what prevents that run time, memory, logs or error messages tell data?"
    ),
    "deployment": Question(
        "What runs in production", "is the audited code what runs, with the same versions, settings and clipping?"
    ),
    "recipients": Question(
        "Recipients of the outputs", "who receives the outputs, what else do they know, and what may they do?"
    ),
    "security": Question("Security of the data", "how are data, keys and access to the system protected and logged?"),
    "governance": Question(
        "Governance and review", "who decided on this release, who answers for it, and when is it reviewed again?"
    ),
}
