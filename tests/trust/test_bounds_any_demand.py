"""Whatever the demands, from 5e-324 to 1e308 with 0 and inf: bounds end, stay in order, and mechanisms answer."""

from __future__ import annotations

import math
import resource
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from hdp_audit.errors import InvalidInput
from hdp_audit.theory import chain_mse, lower_mse, lower_pac
from hdp_audit.theory.cells import Cell, cells
from hdp_audit.theory.chain import Chain, falls_short
from hdp_audit.theory.chain_mse import SquareCertificate, chain_risk
from hdp_audit.theory.chain_pac import chain_rate
from hdp_audit.theory.coin_chain import coin_mse, coin_pac
from hdp_audit.theory.hull import hull_pac
from hdp_audit.theory.hull_tail import hull_tail, mixture
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from hdp_audit.theory.symmetric import log_mean_exp
from mechanisms import build
from mechanisms.demands import SMALLEST
from mechanisms.frequency import Frequency
from mechanisms.hull import HullMechanism
from mechanisms.hull_noise import hull_noise, narrowest_bits
from mechanisms.noise import word_source
from mechanisms.weighted import Spending
from tests.amount import rounds

EXTREMES = [0.0, 5e-324, 1e-300, 1e-100, 1e-12, 1e-3, 1.0, 31.0, 50.0, 300.0, 710.0, 1e13, 1e100, 1e308, math.inf]
demand = st.one_of(st.sampled_from(EXTREMES), st.floats(5e-324, 1e308), st.floats(1e-3, 1e3))
demand_vectors = st.lists(demand, min_size=1, max_size=6)
category_counts = st.sampled_from([*range(2, 13), 60])
drawn = settings(deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])


def in_order(found: list[Cell]) -> bool:
    return len(found) == 8 and all(0 <= cell.lower.value <= cell.upper.value < math.inf for cell in found)


@settings(drawn, max_examples=rounds(3, 6))
@given(epsilon=demand_vectors, categories=category_counts)
def test_all_eight_cells_are_in_order_for_any_demands(epsilon: list[float], categories: int) -> None:
    found = cells(epsilon, categories)
    assert in_order(found), (epsilon, categories, found)
    assert all(cell.level > 0 and 0 <= cell.paper_order <= 1 for cell in found)


@settings(drawn, max_examples=rounds(30, 60))
@given(
    epsilon=demand_vectors.filter(lambda values: max(values) >= SMALLEST),
    categories=category_counts,
    name=st.sampled_from(["hpf-cp", "hpf-a", "hpf-we-sharp", "hpf-ce-centred", "uni", "prop", "sm", "threshold"]),
    permuted=st.booleans(),
)
def test_mechanisms_answer_within_the_unit_interval_for_any_demands(
    epsilon: list[float], categories: int, name: str, permuted: bool
) -> None:
    mechanism = build(name, task="frequency", epsilon=epsilon, categories=categories)
    data = np.arange(len(epsilon)) % categories
    outputs = mechanism.release_many(data, size=3, rng=np.random.default_rng(1), permuted=permuted)
    assert outputs.shape == (3, categories)
    assert np.all((outputs >= 0) & (outputs <= 1))
    assert np.all(mechanism.privacy_loss <= epsilon)


@settings(drawn, max_examples=rounds(40, 100))
@given(
    epsilon=st.lists(st.floats(1.0, 1e308), min_size=1, max_size=6),
    categories=category_counts,
    noise=st.sampled_from(["exact", "float"]),
)
def test_hull_noise_ends_at_every_level_and_spends_no_more_than_asked(
    epsilon: list[float], categories: int, noise: str
) -> None:
    """The search for the level is left out, which takes a second; any level is a mechanism."""
    spent = np.minimum(epsilon, 2.0**200)
    level = float(spent.max())
    plan = Spending(spent, level, divisor=level * spent.size)
    mechanism = HullMechanism("hull", Frequency(categories), np.array(epsilon), plan, noise)
    data = np.arange(spent.size) % categories
    outputs = mechanism.release_many(data, size=3, rng=np.random.default_rng(2))
    assert np.all((outputs >= 0) & (outputs <= 1))
    for user, own in enumerate(epsilon):
        assert mechanism.privacy_loss_exact(user) <= Fraction(own)


@pytest.mark.many(2)
@pytest.mark.parametrize(("users", "demand"), [(1, 31.0), (10, 50.0), (10, 100.0), (3, 200.0), (100_000, 300.0)])
def test_mean_squared_errors_of_large_demands_need_little_memory(users: int, demand: float) -> None:
    """The check of a chain of datasets once took e^{ε/2} outputs at a time."""
    ascending = np.full(users, demand)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pair = lower_mse.packing_correlated(ascending, 1)
    assert chain_risk(ascending, pair) == pair > 0
    assert coin_mse(ascending) == 0
    assert coin_pac(ascending, 0.05) >= 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500 * 1024


def test_bounds_of_demands_of_fifty_and_more_end_within_three_gigabytes_of_address_space() -> None:
    """In a process of its own, whose libraries take most of what it may have."""
    script = (
        "import os, resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "os.environ.update(OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')\n"
        "from hdp_audit.theory.cells import cells\n"
        "print(all(0 <= c.lower.value <= c.upper.value for c in cells([50.0, 120.0, 300.0], 3)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.stdout.strip() == "True", done.stderr[-500:]


def test_the_check_of_a_chain_does_not_depend_on_how_it_is_cut() -> None:
    chain = Chain(np.arange(6) / 5, np.full(5, 0.7))
    found = chain_mse.square_certificate(chain, 0.004)
    assert found is not None
    beyond = SquareCertificate(chain, found.prior, found.nu * 1.01, found.spacing)
    assert not beyond.proves()
    assert found.proves(cells=40)
    assert not beyond.proves(cells=40)
    assert not found.proves(most=100)


def test_a_step_too_long_for_doubles_proves_nothing() -> None:
    chain = Chain(np.array([0.0, 0.5, 1.0]), np.array([900.0, 1.0]))
    low = chain.least(np.array([[1.0, -1e-9, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
    assert low[0] == -math.inf
    assert list(low[1:]) == [1.0, 1.0]


def test_nobody_to_use_leaves_the_constant_answer_on_both_sides() -> None:
    """The lower bound was 0.25000000000000006, above the constant's 0.25."""
    found = cells([0.0], 7)
    assert in_order(found)
    assert {(cell.lower.value, cell.upper.value) for cell in found} == {(0.5, 0.5), (0.25, 0.25)}


@pytest.mark.parametrize("epsilon", [20.0, 50.0, 300.0])
def test_a_single_user_s_bounds_agree_with_high_precision(epsilon: float) -> None:
    """n = 1: two datasets give ¼sech²(ε/2); Laplace noise around ½ gives at most log(1/β)/ε and 2/ε²."""
    found = {(c.problem.task, c.problem.setting, c.problem.metric): c for c in cells([epsilon], 2)}
    square = found[Task.MEAN, Setting.CORRELATED, Metric.MSE]
    with mpmath.workdps(60):
        least = mpmath.sech(mpmath.mpf(epsilon) / 2) ** 2 / 4
        assert abs(square.lower.value / least - 1) < 1e-12
        assert square.lower.value <= square.upper.value <= 2 / epsilon**2 * (1 + 1e-9)
        quantile = found[Task.MEAN, Setting.CORRELATED, Metric.PAC]
        assert quantile.upper.value <= mpmath.log(20) / epsilon * (1 + 1e-9)


@pytest.mark.parametrize("beta", [1e-17, 1e-50, 1e-100])
def test_small_error_probabilities_refute_nothing_by_rounding(beta: float) -> None:
    """1 − 10⁻¹⁷ is 1 in doubles: whatever was certified to succeed a little less than always looked refuted."""
    assert not falls_short(1 - 2.0**-53, beta)
    ascending = np.array([50.0, 300.0, np.inf])
    assert coin_pac(ascending, beta) == 0
    # The plain mean with Laplace noise of scale 1/(3·50) errs by log(1/β)/150 at most: no lower bound is larger.
    known = lower_pac.packing_correlated(ascending, 1, beta)
    assert chain_rate(ascending, beta, known, reach=known) <= math.log(1 / beta) / 150


@pytest.mark.parametrize("rivals", [1, 11])
@pytest.mark.parametrize("beta", [0.3, 1e-3, 1e-17, 1e-100])
def test_the_moment_condition_agrees_with_high_precision(beta: float, rivals: int) -> None:
    with mpmath.workdps(250):
        b = mpmath.mpf(beta)
        q = b / rivals
        c, x = (1 - b - q) / (1 - 2 * q), q / (1 - q)
        for eta in lower_pac.MOMENTS:
            exact = mpmath.log(1 + c * (x**-eta - 1))
            assert abs(lower_pac.moment_condition(eta, rivals, beta) - exact) <= 1e-12 * max(1, abs(exact))


@pytest.mark.parametrize("far", [62.0, 124.0, 600.0])
def test_two_demands_alike_and_one_far_away_are_a_fair_coin_and_no_warning(far: float) -> None:
    """One of three drawn: E e^{−Z} = (2 + e^{−far})/3, whose coins are fair to the last bit."""
    assert log_mean_exp([0.0, 0.0, far], -1.0, 1) == pytest.approx(math.log((2 + math.exp(-far)) / 3), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 10, 60])
@pytest.mark.parametrize("beta", [0.05, 1e-40, 1e-100])
def test_the_hull_quantile_is_an_upper_bound_beyond_the_table(k: int, beta: float) -> None:
    """In units of the noise scale, no bias: 2k tails (k = 2: two) at the quantile sum to at most β, and nearly to β."""
    at = float(hull_pac([0.0], [0.5], k, beta)[0])
    with mpmath.workdps(150):
        weights = [mpmath.mpf(float(w)) for w in mixture(k)]
        tail = sum(w * mpmath.gammainc(i + 1, 2 * mpmath.mpf(at), regularized=True) for i, w in enumerate(weights))
        reached = (2 if k == 2 else 2 * k) * tail / mpmath.mpf(beta)
    assert 0.1 < reached <= 1


def test_the_tail_s_tangent_lies_above_the_tail() -> None:
    with mpmath.workdps(150):
        for y in (121.0, 150.0, 250.0):
            weights = enumerate(mixture(12))
            exact = sum(mpmath.mpf(float(w)) * mpmath.gammainc(i + 1, 2 * y, regularized=True) for i, w in weights)
            assert exact <= hull_tail(12).beyond(np.array([y]))[0] <= exact * 30


def test_an_error_probability_that_doubles_cannot_bear_is_refused() -> None:
    with pytest.raises(InvalidInput, match="beta = 1e-200"):
        Problem(Task.MEAN, Setting.CORRELATED, Metric.PAC, beta=1e-200)


def test_hull_frequencies_of_sixty_categories_end_for_a_demand_of_ten_trillion() -> None:
    mechanism = build("hpf-cp-hull", epsilon=np.full(1000, 1e13), categories=60)
    outputs = mechanism.release_many(np.arange(1000) % 60, size=3, rng=np.random.default_rng(1))
    assert np.all((outputs >= 0) & (outputs <= 1))
    # The noise is what the demands ask for: 2/(nρ), not more.
    assert mechanism.noise_scale == pytest.approx(2 / (1000 * 1e13), rel=1e-6)
    assert mechanism.privacy_loss_exact(0) <= Fraction(1e13)


@pytest.mark.parametrize("k", [4, 12, 60])
def test_the_narrowest_hull_noise_that_is_used_follows_the_exact_law(k: int) -> None:
    """One entry's law is ρ^|v| times that of the sum of k − 1 others, by convolution; chi-square, false alarm 10⁻⁶."""
    bits, size = narrowest_bits(k), 6_000
    entries = hull_noise(bits, k, size, word_source(np.random.default_rng(k)), 1 << 40)[:, 0]
    reach = 60 << bits
    one = np.exp(-np.abs(np.arange(-reach, reach + 1)) / 2.0 ** (bits + 1))
    one /= one.sum()
    # The characteristic function on a circle longer than any sum that matters.
    circle = 1 << (int(reach) * 2).bit_length()
    wrapped = np.zeros(circle)
    wrapped[np.arange(-reach, reach + 1)] = one
    others = np.fft.ifft(np.fft.fft(wrapped) ** (k - 1)).real
    law = np.maximum(one * others[np.arange(-reach, reach + 1)], 0.0)
    expected = size * law / law.sum()
    often = np.flatnonzero(expected >= 20)
    counts = np.array([np.count_nonzero(entries == value) for value in often - reach])
    seen = np.array([*counts, size - counts.sum()])
    due = np.array([*expected[often], size - expected[often].sum()])
    assert stats.chi2.sf(((seen - due) ** 2 / due).sum(), seen.size - 1) > 1e-6
