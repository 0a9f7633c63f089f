"""Whatever the demands: hypothesis draws them, the properties are deterministic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mechanisms import build, entries, entry
from mechanisms.weighted import WeightedMechanism
from tests.amount import rounds

demand = st.one_of(
    st.sampled_from([0.0, np.inf, 1.0, 0.5]),
    st.floats(min_value=1e-12, max_value=1e12),
    st.floats(min_value=0.01, max_value=10.0),
)
demand_vectors = st.lists(demand, min_size=1, max_size=40).map(np.array)
weighted_means = st.sampled_from([each.name for each in entries("mean") if each.rule not in ("sm", "ldp", "anchored")])


@settings(max_examples=rounds(50, 150), deadline=None)
@given(epsilon=demand_vectors, name=weighted_means, seed=st.integers(0, 2**32))
def test_losses_are_dyadic_rationals_within_the_demands(epsilon: np.ndarray, name: str, seed: int) -> None:
    assume(np.any(epsilon > 0))
    mechanism = build(name, task="mean", epsilon=epsilon)
    assert isinstance(mechanism, WeightedMechanism)
    for user, own in enumerate(epsilon):
        loss = mechanism.privacy_loss_exact(user)
        if np.isinf(own):
            continue
        assert isinstance(loss, Fraction)
        assert loss <= Fraction(float(own))
        assert Fraction(float(mechanism.privacy_loss[user])) == loss
    order = np.argsort(epsilon, kind="stable")
    assert np.all(np.diff(mechanism.grid.units[order]) >= 0)
    output = mechanism.release(np.random.default_rng(seed).random(epsilon.size), rng=np.random.default_rng(seed))
    assert 0 <= output <= 1


@settings(max_examples=rounds(60, 200), deadline=None)
@given(epsilon=demand_vectors, name=st.sampled_from(["hpm-cp", "hpf-we", "hpm-wt", "hpf-cp-sharp", "uni", "prop"]))
def test_the_loss_is_the_demand_saturated_at_the_level(epsilon: np.ndarray, name: str) -> None:
    """min(ε, ρ) rounded down to the grid: a user's unit is lost at most, and one unit is 2^−bits."""
    assume(np.any(np.isfinite(epsilon) & (epsilon > 0)))
    task = entry(name).task or "mean"
    mechanism = build(name, task=task, epsilon=epsilon, categories=3 if task == "frequency" else None)
    assert isinstance(mechanism, WeightedMechanism)
    assume(mechanism.grid.bits is not None)
    saturated = np.minimum(epsilon, mechanism.level)
    unit = mechanism.task.sensitivity / 2.0**mechanism.grid.bits
    assert np.all(mechanism.privacy_loss <= saturated)
    assert np.all(mechanism.privacy_loss >= saturated - unit * np.maximum(1.0, saturated / 2**50))


@settings(max_examples=rounds(60, 200), deadline=None)
@given(
    epsilon=demand_vectors,
    factor=st.sampled_from([0.5, 2.0, 8.0]),
    name=st.sampled_from(["uni", "prop"]),
)
def test_scaling_all_demands_scales_the_noise_of_the_plain_baselines(
    epsilon: np.ndarray, factor: float, name: str
) -> None:
    assume(np.any(np.isfinite(epsilon) & (epsilon > 0)))
    first, second = (build(name, task="mean", epsilon=e) for e in (epsilon, epsilon * factor))
    assert isinstance(first, WeightedMechanism)
    assert isinstance(second, WeightedMechanism)
    # each user loses less than one unit of the whole to the grid; the last bits are those of the quotients
    lost = epsilon.size / min(first.grid.whole, second.grid.whole)
    np.testing.assert_allclose(second.noise_scale * factor, first.noise_scale, rtol=lost + 1e-15)
