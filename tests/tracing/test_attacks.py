"""What an attack on tracing tried: correct mechanisms that looked broken, and leaks that looked like none."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from hdp_audit import trace

FIVE = [0.5, 1.0, 2.0, 1.0, 0.5]


def noise(data: Any, epsilon: Any, rng: Any, part: float = 1.0) -> float:
    return float(rng.laplace(0.0, part / (len(data) * np.min(epsilon))))


def plain(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.mean(data)) + noise(data, epsilon, rng)


def answers(data: Any, epsilon: Any, rng: Any) -> list[int]:
    kept = [rng.random() < 1.0 / (1.0 + np.exp(-each)) for each in epsilon]
    return [int(x) if keep else 1 - int(x) for x, keep in zip(np.rint(data), kept, strict=True)]


def copied(data: Any, epsilon: Any, rng: Any) -> float:
    own = copy.deepcopy(rng)
    rng.random()
    return plain(data, epsilon, own)


def pickled(data: Any, epsilon: Any, rng: Any) -> float:
    own = pickle.loads(pickle.dumps(rng))  # noqa: S301 (our own)
    rng.random()
    return plain(data, epsilon, own)


def far_away(data: Any, epsilon: Any, rng: Any) -> float:
    return 1e9 + plain(data, epsilon, rng)


def wrapped(data: Any, epsilon: Any, rng: Any) -> float:
    """Uniform whatever the data are; on data at 0 it only looks like a straight line in its noise."""
    return float((np.mean(data) + rng.random()) % 1.0)


def turned(data: Any, epsilon: Any, rng: Any) -> float:
    """Noise of either sign has the same law."""
    return float(np.mean(data)) + (1 if data[0] > 0.5 else -1) * noise(data, epsilon, rng)


def chosen_noise(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.mean(data) + rng.laplace(0.0, 1.0 / (len(data) * np.min(epsilon)), 2)[int(data[0] > 0.5)])


def folded(data: Any, epsilon: Any, rng: Any) -> float:
    sign = 1 if (rng.random() < 0.5) ^ bool(data[0] > 0.5) else -1
    return float(np.mean(data) + sign * rng.exponential(1.0 / (len(data) * np.min(epsilon))))


def written_otherwise(data: Any, epsilon: Any, rng: Any) -> float:
    scale = 1.0 / (len(data) * np.min(epsilon))
    return float(np.mean(data) + (rng.laplace(0, scale) if data[0] > 0.5 else scale * rng.laplace(0, 1)))


CORRECT = [
    (wrapped, [1.0] * 9),
    (turned, [1.0] * 9),
    (chosen_noise, [1.0] * 9),
    (folded, [1.0] * 9),
    (written_otherwise, [1.0] * 9),
    (plain, FIVE),
    (plain, [1e-6] * 4),
    (plain, [1e-7] * 4),
    (answers, [7.0, 7.0]),
    (answers, [12.0, 0.5]),
    (copied, [1.0, 1.0]),
    (pickled, [1.0, 1.0]),
    (far_away, FIVE),
]


@pytest.mark.parametrize(("mechanism", "demands"), CORRECT)
def test_a_correct_mechanism_is_not_accused(mechanism: Any, demands: list[float]) -> None:
    found = trace(mechanism, epsilon=demands, task="mean", calls=30_000)
    assert not found.breaks


def test_the_same_noise_drawn_by_another_line_is_the_same_noise() -> None:
    assert trace(written_otherwise, epsilon=[1.0] * 9, task="mean").within


def test_an_exception_before_any_draw_tells_all() -> None:
    def failing(data: Any, epsilon: Any, rng: Any) -> float:
        if 2.9 < data.sum() < 3.1:
            raise ValueError
        return plain(data, epsilon, rng)

    found = trace(failing, epsilon=[1.0] * 9, task="mean")
    assert found.worst is not None
    assert found.worst.found.lower == np.inf


LEAKS: dict[str, Any] = {
    "the scale follows a datum": lambda d, e, rng: float(np.mean(d)) + noise(d, e, rng, 2 if d[1] < 0.5 else 1),
    "a scale a little larger": lambda d, e, rng: float(np.mean(d[1:])) + noise(d, e, rng, 2 * (1 + 0.001 * d[0])),
    "not a number": lambda d, e, rng: [plain(d, e, rng), float("nan") if d[0] > 0.5 else 0.0],
    "a large offset": lambda d, e, rng: 1e9 + np.mean(d) + noise(d, e, rng, 0.01),
    "a tiny output": lambda d, e, rng: 1e-300 * (np.mean(d) + noise(d, e, rng, 0.01)),
    "one call of ten thousand": lambda d, e, rng: float(d[0]) if rng.random() < 1e-4 else plain(d, e, rng),
    "two rare coins": lambda d, e, rng: (
        float(d[0]) if (rng.random() < 1e-4) & (rng.random() < 1e-4) else plain(d, e, rng)
    ),
    "a rare bit beside": lambda d, e, rng: [plain(d, e, rng), int(rng.random() < 1e-4 * np.rint(d[0]))],
    "minus zero": lambda d, e, rng: [plain(d, e, rng), -0.0 if d[0] > 0.5 else 0.0],
    "a look at the generator": lambda d, e, rng: (
        float(np.mean(d)) if type(rng) is np.random.Generator else plain(d, e, rng)
    ),
    "clipped noise": lambda d, e, rng: float(np.mean(d)) + float(np.clip(noise(d, e, rng), -3, 3)),
    "bare where noise is large": lambda d, e, rng: (
        float(np.mean(d)) if abs(z := rng.laplace()) > 7 else float(np.mean(d)) + z / (len(d) * np.min(e))
    ),
}


@pytest.mark.parametrize("leak", list(LEAKS))
def test_a_leak_is_not_called_within_the_promise(leak: str) -> None:
    assert not trace(LEAKS[leak], epsilon=FIVE, task="mean", calls=30_000).within


def test_truncated_counts_are_not_called_within_the_promise() -> None:
    def mechanism(data: Any, epsilon: Any, rng: Any) -> Any:
        return np.bincount(data, minlength=3) + np.trunc(rng.laplace(0, 2 / np.min(epsilon), 3)).astype(int)

    assert not trace(mechanism, epsilon=[0.5] * 3, task="frequency", categories=3, calls=30_000).within


def test_noise_that_might_make_an_output_jump_is_no_loss_of_nothing() -> None:
    def winner(data: Any, epsilon: Any, rng: Any) -> int:
        return int(np.argmax(np.array([100.0, 0.0]) + data.sum() * np.array([1.0, -1.0]) + rng.laplace(0, 20.0, 2)))

    assert not trace(winner, epsilon=FIVE, task="mean", calls=30_000).within
