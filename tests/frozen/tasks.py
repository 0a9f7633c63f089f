"""Twenty custom tasks of many kinds: symbols, tuples, vectors, texts, failures; correct ones and broken ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Generator = np.random.Generator
Pair = tuple[Any, Any, Iterable[int]]


@dataclass(frozen=True)
class Task:
    """A mechanism, its demands, and the pairs of datasets that it is judged on."""

    release: Callable[..., Any]
    epsilon: tuple[float, ...]
    pairs: tuple[Pair, ...]

    @property
    def name(self) -> str:
        return self.release.__name__


def _keeps(epsilon: float, rng: Generator) -> bool:
    return bool(rng.random() < 1.0 / (1.0 + np.exp(-epsilon)))


def answer(data: list[str], epsilon: np.ndarray, rng: Generator) -> tuple[str, ...]:
    other = {"yes": "no", "no": "yes"}
    return tuple(said if _keeps(mine, rng) else other[said] for said, mine in zip(data, epsilon, strict=True))


def loud_answer(data: list[str], epsilon: np.ndarray, rng: Generator) -> tuple[str, ...]:
    return answer(data, 3.0 * epsilon, rng)


def rappor(data: list[int], epsilon: np.ndarray, rng: Generator) -> np.ndarray:
    """Everybody's category as bits, each flipped: a change of category changes two of them."""
    bits = np.arange(4)[None, :] == np.asarray(data)[:, None]
    kept = rng.random(bits.shape) < 1.0 / (1.0 + np.exp(-epsilon / 2.0))[:, None]
    return np.where(kept, bits, ~bits).sum(axis=0)


def rappor_unsplit(data: list[int], epsilon: np.ndarray, rng: Generator) -> np.ndarray:
    return rappor(data, 2.0 * epsilon, rng)


def category(data: list[int], epsilon: np.ndarray, rng: Generator) -> int:
    """One user's category, or any other, by k-ary randomised response."""
    odds = np.where(np.arange(4) == data[0], np.exp(epsilon[0]), 1.0)
    return int(rng.choice(4, p=odds / odds.sum()))


def category_truthful(data: list[int], epsilon: np.ndarray, rng: Generator) -> int:
    return int(data[0]) if rng.random() < 0.5 else category(data, epsilon, rng)


def noisy_total(data: list[float], epsilon: np.ndarray, rng: Generator) -> float:
    return float(np.sum(data) + rng.laplace(0.0, 1.0 / epsilon.min()))


def noisy_total_gaussian(data: list[float], epsilon: np.ndarray, rng: Generator) -> float:
    return float(np.sum(data) + rng.normal(0.0, 0.5 / epsilon.min()))


def noisy_largest(data: list[float], epsilon: np.ndarray, rng: Generator) -> int:
    return int(np.argmax(np.asarray(data) + rng.exponential(2.0 / epsilon.min(), len(data))))


def noisy_largest_value(data: list[float], epsilon: np.ndarray, rng: Generator) -> float:
    return float(np.max(np.asarray(data) + rng.laplace(0.0, 0.3 / epsilon.min(), len(data))))


def above(data: list[float], epsilon: np.ndarray, rng: Generator) -> tuple[bool, ...]:
    """The first answer above a threshold, and nothing after it."""
    line, answers = 1.0 + rng.laplace(0.0, 2.0 / epsilon.min()), []
    for query in data:
        answers.append(bool(query + rng.laplace(0.0, 4.0 / epsilon.min()) > line))
        if answers[-1]:
            break
    return tuple(answers)


def above_without_noise(data: list[float], epsilon: np.ndarray, rng: Generator) -> tuple[bool, ...]:
    line = 1.0 + rng.laplace(0.0, 2.0 / epsilon.min())
    return tuple(bool(query > line) for query in data)


def rounded_count(data: list[int], epsilon: np.ndarray, rng: Generator) -> int:
    rate = 1.0 - np.exp(-epsilon.min())
    return int(np.sum(data) + rng.geometric(rate) - rng.geometric(rate))


def rounded_count_sharp(data: list[int], epsilon: np.ndarray, rng: Generator) -> int:
    return rounded_count(data, 2.5 * epsilon, rng)


def words(data: list[str], epsilon: np.ndarray, rng: Generator) -> str:
    """The most frequent word, by the exponential mechanism."""
    kinds = sorted({"bread", "milk", "salt"})
    scores = np.array([data.count(kind) for kind in kinds]) * epsilon.min() / 2.0
    odds = np.exp(scores - scores.max())
    return kinds[int(rng.choice(len(kinds), p=odds / odds.sum()))]


def words_in_order(data: list[str], epsilon: np.ndarray, rng: Generator) -> str:
    """The words in order of their counts, with hardly any noise."""
    kinds = ["bread", "milk", "salt"]
    scores = np.array([data.count(kind) for kind in kinds]) + rng.laplace(0.0, 0.1, 3)
    return " ".join(kinds[place] for place in np.argsort(-scores))


def table(data: list[float], epsilon: np.ndarray, rng: Generator) -> dict[str, float]:
    total = float(np.sum(data) + rng.laplace(0.0, 2.0 / epsilon.min()))
    return {"users": len(data) + float(rng.laplace(0.0, 2.0 / epsilon.min())), "total": total}


def fails_at_the_top(data: list[float], epsilon: np.ndarray, rng: Generator) -> float:
    if max(data) >= 1.0:
        raise ValueError("too large")
    return noisy_total(data, epsilon, rng)


def nothing(data: list[float], epsilon: np.ndarray, rng: Generator) -> float:
    return float(rng.normal())


def sampled(data: list[float], epsilon: np.ndarray, rng: Generator) -> np.ndarray:
    """Each user's datum is in the sum with a probability that their demand allows."""
    taken = rng.random(len(data)) < np.expm1(epsilon) / np.expm1(2.0)
    return np.array([np.asarray(data)[taken].sum() + rng.laplace(0.0, 0.5)])


NUMBERS = (([0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0]), ([0.0, 0.0, 0.5], [0.0, 1.0, 0.5], [1]))
COUNTS = (([0, 1, 1], [1, 1, 1], [0]), ([0, 0, 0], [1, 1, 0], [0, 1]))
ANSWERS = ((["yes", "no"], ["no", "no"], [0]), (["yes", "no"], ["no", "yes"], [0, 1]))
CATEGORIES = (([0, 1, 2], [3, 1, 2], [0]), ([0, 1, 2], [0, 2, 2], [1]))
WORDS = ((["bread", "milk", "milk"], ["salt", "milk", "milk"], [0]), (["bread"] * 3, ["bread", "bread", "milk"], [2]))
ONE = (([0], [3], [0]), ([1], [2], [0]))
THREE = (0.5, 1.0, 1.5)

TASKS = (
    Task(answer, (0.5, 1.0), ANSWERS),
    Task(loud_answer, (0.5, 1.0), ANSWERS),
    Task(rappor, THREE, CATEGORIES),
    Task(rappor_unsplit, THREE, CATEGORIES),
    Task(category, (1.0,), ONE),
    Task(category_truthful, (1.0,), ONE),
    Task(noisy_total, THREE, NUMBERS),
    Task(noisy_total_gaussian, THREE, NUMBERS),
    Task(noisy_largest, THREE, NUMBERS),
    Task(noisy_largest_value, THREE, NUMBERS),
    Task(above, THREE, NUMBERS),
    Task(above_without_noise, THREE, NUMBERS),
    Task(rounded_count, THREE, COUNTS),
    Task(rounded_count_sharp, THREE, COUNTS),
    Task(words, THREE, WORDS),
    Task(words_in_order, THREE, WORDS),
    Task(table, THREE, NUMBERS),
    Task(fails_at_the_top, THREE, NUMBERS),
    Task(nothing, THREE, NUMBERS),
    Task(sampled, THREE, NUMBERS),
)
