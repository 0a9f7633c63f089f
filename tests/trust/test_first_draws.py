"""How often draws in first calls, and none later, happen by accident: counted over every pattern."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hdp_audit.audits.behaviour.state import undrawn_calls


@pytest.mark.parametrize("significance", [1e-6, 1.25e-5, 1e-3])
@pytest.mark.parametrize("firsts", [1, 2, 8])
def test_a_mechanism_that_draws_at_random_is_seldom_said_to_keep_its_noise(firsts: int, significance: float) -> None:
    """Summed over all patterns of first draws, whatever the probability of a draw."""
    chance = np.concatenate([np.logspace(-12, -0.01, 3000), 1 - np.logspace(-9, -2, 200)])
    patterns = [pattern for pattern in product([True, False], repeat=firsts) if any(pattern)]
    accident = np.zeros_like(chance)
    for pattern in patterns:
        later = undrawn_calls(list(pattern), significance)
        accident += chance ** sum(pattern) * (1 - chance) ** (firsts - sum(pattern) + later)
    assert accident.max() <= significance
