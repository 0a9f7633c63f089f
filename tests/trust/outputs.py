"""Mechanisms that return anything, and audits of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hdp_audit import audit
from hdp_audit.model import AuditReport, PrivacyClaim
from hdp_audit.targets.streams import named
from tests.subjects import subject_of

FORMULA = PrivacyClaim(floating_point="off")
OWN = named(0, "test")
EPSILON = np.ones(4)


class Money(float):
    """A number with a note on it."""

    note: int


class Convertible:
    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([self.value])


def money(note: int) -> Money:
    made = Money(0.5)
    made.note = note
    return made


def always(output: Any) -> Callable[..., Any]:
    def mechanism(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return output

    return mechanism


def outcome(output: Any, categories: int | None = None) -> tuple[float, str]:
    """(the outcome symbol of one call, what is said of it)."""
    subject = subject_of(always(output), EPSILON, categories)
    table = subject.draw(subject.dataset(np.zeros(4)), 1, OWN)
    kind = float(table[0, -1])
    return kind, subject.failures[kind].sentence if kind else ""


def audited(release: Callable[[bool, np.random.Generator], Any], budget: int = 3_000) -> AuditReport:
    """Of a mechanism that knows whether anybody has 1."""

    def mechanism(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return release(bool(data.any()), rng)

    return audit(mechanism, epsilon=[0.5] * 4, task="mean", budget=budget, privacy=FORMULA)


def custom(release: Callable[[bool, np.random.Generator], Any], budget: int = 4_000, **more: Any) -> AuditReport:
    def mechanism(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return release(bool(data[0]), rng)

    pairs = [([0], [1], [0])]
    return audit(mechanism, epsilon=[0.5], task="custom", pairs=lambda: pairs, budget=budget, **more)
