"""What every reference mechanism promises, whatever its weights.

Concrete suites inherit this class and name themselves.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from mechanisms import ReferenceMechanism, build, standard_demands

CATEGORIES = 4
MANY = np.concatenate([np.linspace(0.5, 2.0, 1500), [0.0] * 20])  # enough that outputs are far from both clips

EDGE_DEMANDS = {
    "one user": [1.0],
    "one public user": [np.inf],
    "zero and public": [0.0, np.inf],
    "zero, one, public": [0.0, 1.0, np.inf],
    "equal": [0.3] * 7,
    "two-point": [0.01] * 5 + [3.0] * 5,
    "tiny": [1e-9, 2e-9],
    "huge": [1e12, 1e15, 3.0],
    "forty orders of magnitude": [*list(np.exp(np.linspace(-46, 46, 60))), 0.0, 0.0, np.inf],
    "overflowing": [1e300, 1e-300, 1.0],
}


@lru_cache(maxsize=64)  # several tests ask for one mechanism in a row
def built(name: str, task: str, epsilon: bytes, **options: object) -> ReferenceMechanism:
    categories = CATEGORIES if task == "frequency" else None
    return build(name, epsilon=np.frombuffer(epsilon), task=task, categories=categories, **options)


class MechanismContract:
    """Inherit, and set `name` and `task`."""

    name: str
    task: str

    def build(self, epsilon: np.ndarray, **options: object) -> ReferenceMechanism:
        return built(self.name, self.task, epsilon.tobytes(), **options)

    def data(self, users: int, seed: int = 5) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return rng.integers(0, CATEGORIES, users) if self.task == "frequency" else rng.random(users)

    @pytest.fixture(params=EDGE_DEMANDS)
    def edge(self, request: pytest.FixtureRequest) -> np.ndarray:
        return np.array(EDGE_DEMANDS[request.param])

    @pytest.mark.many(4)
    def test_no_user_loses_more_than_they_demand_as_exact_rationals(self, edge: np.ndarray) -> None:
        self.check_losses(self.build(edge), edge)

    def test_standard_demands_are_kept_exactly(self) -> None:
        epsilon = standard_demands("tiers")
        self.check_losses(self.build(epsilon), epsilon)

    @staticmethod
    def check_losses(mechanism: ReferenceMechanism, epsilon: np.ndarray) -> None:
        """exact ≤ demand, and privacy_loss is the smallest double that is no smaller than exact."""
        for user, demand in enumerate(epsilon):
            exact, rounded = mechanism.privacy_loss_exact(user), float(mechanism.privacy_loss[user])
            if np.isinf(rounded):
                assert np.isinf(demand)
                assert np.isinf(float(exact))
                continue
            assert np.isinf(demand) or exact <= Fraction(demand)
            assert Fraction(rounded) >= exact
            assert rounded == 0 or Fraction(float(np.nextafter(rounded, 0))) < exact

    @pytest.mark.many(4)
    def test_weights_lie_on_the_simplex(self, edge: np.ndarray) -> None:
        weights = self.build(edge).weights
        assert np.all(weights >= 0)
        # A sum of n doubles is off by at most n units in the last place.
        slack = edge.size * np.finfo(float).eps
        if any(kind in self.name for kind in ("centred", "hull", "secret", "stretch")):
            assert weights.sum() <= 1 + slack
        else:
            assert abs(weights.sum() - 1) <= slack

    @pytest.mark.many(4)
    def test_users_who_must_not_be_used_weigh_nothing_and_lose_nothing(self, edge: np.ndarray) -> None:
        mechanism = self.build(edge)
        assert np.all(mechanism.weights[edge == 0] == 0)
        assert np.all(mechanism.privacy_loss[edge == 0] == 0)

    @pytest.mark.many(4)
    def test_a_larger_demand_never_gets_a_smaller_weight(self, edge: np.ndarray) -> None:
        weights = self.build(edge).weights[np.argsort(edge)]
        assert np.all(np.diff(weights) >= 0)

    def test_permuting_users_permutes_weights(self) -> None:
        epsilon = np.concatenate([np.exp(np.linspace(-3, 3, 40)), [0.0, np.inf, 0.5, 0.5]])
        order = np.random.default_rng(8).permutation(epsilon.size)
        plain, moved = self.build(epsilon), self.build(epsilon[order])
        np.testing.assert_allclose(moved.weights, plain.weights[order], rtol=1e-12, atol=0)
        np.testing.assert_allclose(moved.privacy_loss, plain.privacy_loss[order], rtol=1e-12, atol=0)
        assert moved.noise_scale == pytest.approx(plain.noise_scale, rel=1e-12)

    @pytest.mark.many(4)
    def test_outputs_lie_in_the_unit_interval(self, edge: np.ndarray) -> None:
        mechanism = self.build(edge)
        data, rng = self.data(edge.size), np.random.default_rng(3)
        shape = (6, CATEGORIES) if self.task == "frequency" else (6,)
        for outputs in (
            mechanism.release_many(data, size=6, rng=rng),
            mechanism.release_many(data, size=6, rng=rng, permuted=True),
            mechanism.release_each(np.tile(data, (6, 1)), rng=rng),
            np.stack([mechanism.release(data, rng=rng) for _ in range(6)]),
        ):
            assert outputs.shape == shape
            assert np.all((outputs >= 0) & (outputs <= 1))

    def test_a_seed_replays_and_another_does_not(self) -> None:
        mechanism, data = self.build(MANY), self.data(MANY.size)
        runs = [mechanism.release_many(data, size=20, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)]
        np.testing.assert_array_equal(runs[0], runs[1])
        assert not np.array_equal(runs[0], runs[2])

    def test_real_releases_take_fresh_randomness_from_the_operating_system(self) -> None:
        mechanism, data = self.build(MANY), self.data(MANY.size)
        outputs = [np.atleast_1d(mechanism.release(data)) for _ in range(20)]
        # Twenty outputs that agree although noise is due would need noise beyond both clips each time: below 2^-19.
        assert len(np.unique(np.stack(outputs), axis=0)) > 1

    @pytest.mark.many(4)
    @pytest.mark.parametrize("noise", ["exact", "float"])
    @pytest.mark.parametrize("permuted", [False, True])
    def test_many_releases_average_to_the_weighted_statistic(self, noise: str, permuted: bool) -> None:
        """Far from both clips the estimate is unbiased for Σw_i·x_i.

        False-alarm probability below 10⁻⁶ a case (z = 5.5, 4 outputs).
        """
        mechanism, data = self.build(MANY, noise=noise), self.data(MANY.size)
        size = 400
        outputs = mechanism.release_many(data, size=size, rng=np.random.default_rng(11), permuted=permuted)
        weights = mechanism.weights
        missing = getattr(mechanism, "offset", 0.0)
        if self.task == "frequency":
            contributions = (data[:, None] == np.arange(CATEGORIES)).astype(float)
        else:
            contributions = data[:, None]
        by = np.full(MANY.size, weights.mean()) if permuted else weights
        expected = by @ contributions + missing
        error = outputs.reshape(size, -1).std(axis=0, ddof=1) / np.sqrt(size)
        assert np.all(np.abs(outputs.reshape(size, -1).mean(axis=0) - expected) <= 5.5 * error)
