"""At a million users, and at ten million, built weights reach the optimum to 1e-9, against exact sums.

Tolerance: 1e-9 relative. The weights are integers over about 2^60, so their ℓ1 error is at most 10⁷·2^-60 ≈ 1e-11; the
biases here are above 1e-2. The oracle's own error is a few 1e-16, multiplied by at most 10 where 1/n is subtracted.
"""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms import build, entry
from tests.oracles.many_users import pair

CATEGORIES, BETA = 12, 0.05


def check(name: str, users: int, low: float) -> None:
    epsilon = np.exp(np.random.default_rng(60).uniform(low, 3, users))
    value, least = pair(name, users, CATEGORIES, BETA)
    frequency = entry(name).task == "frequency"
    built = build(name, epsilon=epsilon, categories=CATEGORIES if frequency else None, beta=BETA)
    reached = value(built.weights, built.noise_scale / (2 if frequency else 1))
    goal = least(epsilon)
    assert goal * (1 - 1e-9) <= reached <= goal * (1 + 1e-9)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", ["hpf-cp", "hpm-ce", "hpf-ct", "hpm-we-sharp"])
def test_a_million_users_reach_the_optimum_to_1e_9(name: str) -> None:
    check(name, 1_000_000, -12)


@pytest.mark.full
def test_ten_million_users_reach_the_optimum_to_1e_9() -> None:
    check("hpm-ce", 10_000_000, -15)
