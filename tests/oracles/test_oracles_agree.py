"""The oracles against each other and against definitions: an oracle that is wrong alone is found out here."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.oracles.closed_forms import closed_optimum
from tests.oracles.criteria import criterion, split_tail
from tests.oracles.demands import hard_cases
from tests.oracles.features import Profile, mp, of_weights
from tests.oracles.grid import mean_square as mean_square_by_quadrature
from tests.oracles.grid import quantile as quantile_by_bisection
from tests.oracles.grid import split as split_by_grid
from tests.oracles.many_users import pair
from tests.oracles.optimum import curve, log_levels, optimum
from tests.oracles.worst_case import cdf, mean_square, quantile

CASES = hard_cases()
WORST = [
    (0.3, 0.05, 2, 2),
    (0.3, 0.05, 10, 2),
    (0.1, 0.4, 5, 5),
    (0.2, 0.2, 1, 1),
    (1e-9, 0.3, 4, 2),
    (0.4, 1e-4, 6, 6),
]


@pytest.mark.many(2)
@pytest.mark.parametrize(
    "case", ["equal", "two-point", "forty-orders", "forty-orders-edges", "mixed", "one", "near-equal"]
)
@pytest.mark.parametrize(
    "name", ["hpf-cp", "hpm-ce", "hpf-wp", "hpm-we", "hpf-ct", "hpm-wt", "hpf-cet", "hpm-wet", "hpm-we-sharp"]
)
def test_closed_forms_and_the_level_scan_find_the_same_optimum(name: str, case: str) -> None:
    """To 1e-10: golden section stops 1e-10 from the level, and a kink's value is off by its slope times that."""
    scanned = optimum(criterion(name, 5, 0.05), CASES[case], 40).value
    closed = closed_optimum(name, CASES[case], 5, 0.05).value
    assert abs(scanned - closed) <= mp.mpf("1e-10") * closed


@pytest.mark.parametrize("case", ["mixed", "ties", "infinities", "odd", "zeros"])
def test_prefix_sums_and_the_weights_written_out_have_the_same_features(case: str) -> None:
    """To 1e-14: the weights written out are doubles."""
    epsilon = CASES[case]
    for level in (0.05, 0.4, 2.0):
        spent = np.minimum(epsilon, level)
        direct = of_weights(spent / spent.sum(), 1 / spent.sum())
        summed = Profile(epsilon).simplex(mp.mpf(level))
        if level > epsilon[epsilon > 0].min():
            for field in ("t", "shortfall", "spread", "norm"):
                assert abs(getattr(direct, field) - getattr(summed, field)) <= 1e-14 * max(1, summed.t)


@pytest.mark.parametrize(("a", "b", "k", "biased"), WORST)
def test_the_worst_case_agrees_with_its_distribution_function(a: float, b: float, k: int, biased: int) -> None:
    """Quantile: F at it is 1−β. Mean square: Gauss–Legendre to 1e-9."""
    for beta in (1e-6, 0.05, 0.6, 0.95):
        exact = quantile(mp.mpf(a), mp.mpf(b), beta, k, biased)
        assert abs(cdf(exact, mp.mpf(a), mp.mpf(b), k, biased) - (1 - mp.mpf(beta))) < mp.mpf(10) ** -40
        plain = quantile_by_bisection(np.array([a]), np.array([b]), beta, k, biased)[0]
        assert float(exact) == pytest.approx(plain, rel=1e-9)
    exact_square = float(mean_square(mp.mpf(a), mp.mpf(b), k, biased))
    assert exact_square == pytest.approx(
        mean_square_by_quadrature(np.array([a]), np.array([b]), k, biased)[0], rel=1e-9
    )


@pytest.mark.parametrize(("V", "b"), [(0.1, 0.01), (1e-3, 0.2), (0.3, 1e-6), (1.0, 1.0)])
@pytest.mark.parametrize(("k", "beta"), [(1, 0.05), (10, 0.3), (3, 0.95)])
def test_the_best_split_is_no_worse_than_a_grid_of_splits(V: float, b: float, k: int, beta: float) -> None:
    exact = float(split_tail(mp.mpf(V), mp.mpf(b), beta, k))
    grid = split_by_grid(np.array([V]), np.array([b]), beta, k)[0]
    assert exact <= grid * (1 + 1e-12)
    assert grid <= exact * (1 + 3e-5)


@pytest.mark.parametrize("name", ["hpf-cp", "hpm-ce", "hpf-ct", "hpm-we-sharp"])
def test_the_oracle_for_many_users_is_the_same_oracle(name: str) -> None:
    epsilon = CASES["log-uniform"]
    _, least = pair(name, epsilon.size, 5, 0.05)
    assert least(epsilon) == pytest.approx(float(closed_optimum(name, epsilon, 5, 0.05).value), rel=1e-12)


UNIMODAL = ["hpf-wp", "hpf-wt", "hpf-cp-sharp", "hpf-we-sharp", "hpm-cp-sharp", "hpm-we-sharp"]


@pytest.mark.many(5)
@pytest.mark.parametrize("case", ["ties", "mixed", "zeros", "infinities", "forty-orders-edges", "two"])
@pytest.mark.parametrize("name", [*UNIMODAL, "hpf-cp-centred", "hpm-ce-centred", "hpm-we-centred"])
def test_every_branch_but_the_split_falls_and_then_rises_along_the_level(name: str, case: str) -> None:
    """Convex in t, so unimodal in the level; to 1e-40, far above the last digit of 60."""
    rule, profile = criterion(name, 5, 0.05), Profile(CASES[case])
    for branch in rule.branches:
        at = curve(profile, rule.family, branch)
        values = [at(x)[0] for x in sorted({*log_levels(profile, rule.family, 30), *map(mp.log, profile.sorted[::3])})]
        best = values.index(min(values))
        falling, rising = values[: best + 1], values[best:]
        assert all(y <= x * (1 + mp.mpf("1e-40")) for x, y in pairwise(falling))
        assert all(x <= y * (1 + mp.mpf("1e-40")) for x, y in pairwise(rising))
