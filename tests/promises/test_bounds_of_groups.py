"""(ε, δ) of groups and of changed demands: bounds stay below the truth, and tight mechanisms are left alone."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit import ApproximateDP
from hdp_audit.model.approximate import ApproximateLimit


def test_the_delta_of_a_group_grows_with_the_loss_that_is_tested() -> None:
    """Two users with (ε, δ): δ(1 + e^ε) for both, at any ε; so a bound on ε is not read at the promised one's δ."""
    limit = ApproximateDP([0.1, 0.1], 0.1).group(np.array([0, 1]))
    for epsilon in (0.1, 0.7, 1.5):
        assert limit.at(2.0 * epsilon).leaked == pytest.approx(0.1 * (1.0 + np.exp(epsilon)), rel=1e-12)
    assert limit.at(limit.strength) == limit


def test_a_group_of_unlike_users_keeps_its_proportions() -> None:
    promise = ApproximateDP([0.2, 0.6, 0.6], [1e-3, 1e-2, 2e-2])
    doubled = ApproximateDP([0.4, 1.2, 1.2], [1e-3, 1e-2, 2e-2])
    users = np.arange(3)
    assert promise.group(users).at(2.8).leaked == pytest.approx(doubled.group(users).leaked, rel=1e-12)


def test_one_user_keeps_their_delta() -> None:
    limit = ApproximateDP([0.3], 0.01).group(np.array([0]))
    assert limit.at(5.0) == ApproximateLimit(5.0, 0.01)


def test_a_changed_promise_is_leaving_and_coming_back_in_either_direction() -> None:
    """From (2, 0) to (0, 0.1): δ + e^ε·δ′ = 0.1·e² one way and 0.1 the other; the game tests both at once."""
    promise = ApproximateDP([2.0, 0.0], [0.0, 0.1])
    changed = promise.exchanged(0, 1)
    assert changed == promise.exchanged(1, 0)
    assert (changed.epsilon, changed.leaked) == (2.0, pytest.approx(0.1 * np.exp(2.0)))
    assert promise.group(np.array([0, 1])).leaked == pytest.approx(0.1)  # of a group any order may be chosen
