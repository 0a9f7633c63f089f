"""Lower bounds against the best mechanism there is, found by linear programming over all of them at n = 1, 2, 3."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from hdp_audit.theory import lower_mse, lower_pac, sampling, split, statistical
from hdp_audit.theory.chain_mse import chain_risk
from hdp_audit.theory.chain_pac import chain_rate
from hdp_audit.theory.chain_product import product_rate, product_risk
from hdp_audit.theory.coin_chain import coin_mse, coin_pac
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.names import problems
from hdp_audit.theory.spider_bounds import spider_rate
from hdp_audit.theory.symmetric import compress


def privacy_rows(datasets: list[tuple[int, ...]], demands: np.ndarray, outputs: int) -> np.ndarray:
    """p_x(y) − e^{ε_i}·p_{x'}(y) ≤ 0 for neighbours that differ in user i; finite demands only."""
    rows = []
    for x, z in itertools.permutations(range(len(datasets)), 2):
        differ = [i for i, (u, v) in enumerate(zip(datasets[x], datasets[z], strict=True)) if u != v]
        if len(differ) == 1 and np.isfinite(demands[differ[0]]):
            for y in range(outputs):
                row = np.zeros((len(datasets), outputs))
                row[x, y], row[z, y] = 1.0, -math.exp(demands[differ[0]])
                rows.append(row.ravel())
    return np.array(rows).reshape(-1, len(datasets) * outputs)


def game(datasets, demands: np.ndarray, loss: np.ndarray, classes: list[list[int]]) -> float:
    """The least worst average loss over classes of datasets, over all mechanisms with these outputs."""
    count, outputs = loss.shape
    privacy = privacy_rows(datasets, demands, outputs)
    worst = np.zeros((len(classes), count, outputs))
    for c, members in enumerate(classes):
        for x in members:
            worst[c, x] = loss[x] / len(members)
    above = np.concatenate([privacy, worst.reshape(len(classes), -1)])
    last = np.concatenate([np.zeros(len(privacy)), -np.ones(len(classes))])
    sums = np.kron(np.eye(count), np.ones(outputs))
    found = optimize.linprog(
        np.append(np.zeros(count * outputs), 1.0),
        A_ub=np.column_stack([above, last]),
        b_ub=np.zeros(len(above)),
        A_eq=np.column_stack([sums, np.zeros(count)]),
        b_eq=np.ones(count),
        bounds=[(0, None)] * (count * outputs) + [(None, None)],
    )
    return float(found.fun)


def classes_of(datasets, *, weak: bool) -> list[list[int]]:
    if not weak:
        return [[i] for i in range(len(datasets))]
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, x in enumerate(datasets):
        groups.setdefault(tuple(sorted(x)), []).append(i)
    return list(groups.values())


def best_pac(demands: np.ndarray, beta: float, *, weak: bool) -> float:
    """The smallest radius some mechanism achieves on 0/1 data: half-differences of means, windows as outputs."""
    n = demands.size
    datasets = list(itertools.product((0, 1), repeat=n))
    means = np.array([sum(x) / n for x in datasets])
    for gap in range(n + 1):
        radius = gap / (2 * n)
        centres = np.arange(2 * n + 1) / (2 * n)
        loss = (np.abs(centres[None, :] - means[:, None]) > radius + 1e-12).astype(float)
        if game(datasets, demands, loss, classes_of(datasets, weak=weak)) <= beta + 1e-9:
            return radius
    raise AssertionError("the constant ½ achieves ½")


def best_mse(demands: np.ndarray, *, weak: bool) -> float:
    """Slightly above the least worst mean square on 0/1 data: outputs on a grid of 41 points."""
    n = demands.size
    datasets = list(itertools.product((0, 1), repeat=n))
    means = np.array([sum(x) / n for x in datasets])
    loss = (np.linspace(0, 1, 41)[None, :] - means[:, None]) ** 2
    return game(datasets, demands, loss, classes_of(datasets, weak=weak))


CASES = [(seed, n) for n in (1, 2, 3) for seed in range(6)]


def case(seed: int, n: int) -> np.ndarray:
    rng = np.random.default_rng([seed, n])
    demands = np.sort(np.exp(rng.uniform(-3, 1.5, n)))
    if seed == 4:
        demands[0] = 0.0
    if seed == 5:
        demands[-1] = math.inf
    return demands


@pytest.mark.many(3)
@pytest.mark.parametrize(("seed", "n"), CASES)
@pytest.mark.parametrize("beta", [0.05, 0.3])
def test_no_pac_bound_exceeds_the_best_mechanism(seed: int, n: int, beta: float) -> None:
    demands = case(seed, n)
    correlated = best_pac(demands, beta, weak=False)
    packing = lower_pac.packing_correlated(demands, 1, beta)
    assert packing <= correlated + 1e-9
    assert chain_rate(demands, beta, packing) <= correlated + 1e-9
    weak = best_pac(demands, beta, weak=True)
    assert lower_pac.packing_weak(*compress(demands), 1, beta) <= weak + 1e-9
    assert split.split_pac(demands, beta) <= weak + 1e-9
    assert coin_pac(demands, beta) <= weak + 1e-9


@pytest.mark.parametrize(("seed", "n"), CASES)
def test_no_mse_bound_exceeds_the_best_mechanism(seed: int, n: int) -> None:
    demands = case(seed, n)
    correlated = best_mse(demands, weak=False)
    pair = lower_mse.packing_correlated(demands, 1)
    assert chain_risk(demands, pair) <= correlated + 1e-9
    weak = best_mse(demands, weak=True)
    stat = statistical.from_statistical(statistical.statistical_rate(demands), n)
    bounds = [lower_mse.k_datasets_weak(*compress(demands), 1), split.split_mse(demands), stat]
    assert max(*bounds, sampling.beta_prior_mse(demands), coin_mse(demands)) <= weak + 1e-9


def test_packing_is_tight_for_one_and_two_users() -> None:
    for epsilon, beta in itertools.product((0.3, 1.0, 2.5, 4.0), (0.05, 0.2)):
        for n in (1, 2):
            demands = np.full(n, epsilon)
            assert lower_pac.packing_correlated(demands, 1, beta) == pytest.approx(best_pac(demands, beta, weak=False))


def test_the_two_dataset_risk_is_tight_for_one_user() -> None:
    # Outputs (½ ± r/2)(the Bayes answers) lie between grid points, hence the small tolerance.
    for epsilon in (0.2, 1.0, 3.0):
        exact = best_mse(np.array([epsilon]), weak=False)
        assert lower_mse.packing_correlated(np.array([epsilon]), 1) == pytest.approx(exact, rel=0.01)


def frequency_game(demands: np.ndarray, k: int, metric: str, radius: float = 0.0) -> float:
    n = demands.size
    datasets = list(itertools.product(range(k), repeat=n))
    means = np.array([[x.count(j) / n for j in range(k)] for x in datasets])
    grid = np.array(list(itertools.product(np.arange(5) / 4, repeat=k)))
    error = np.abs(grid[None, :, :] - means[:, None, :]).max(axis=2)
    loss = (error > radius + 1e-12).astype(float) if metric == "pac" else error**2
    return game(datasets, demands, loss, classes_of(datasets, weak=False))


@pytest.mark.many(2)
@pytest.mark.parametrize("demands", [[0.5, 0.5], [0.2, 1.5], [1.0, 2.0]])
def test_no_frequency_bound_exceeds_the_best_mechanism(demands: list[float]) -> None:
    k, beta, array = 3, 0.1, np.array(demands)
    rate = lower_pac.packing_correlated(array, k - 1, beta)
    rate = max(rate, chain_rate(array, beta, lower_pac.packing_correlated(array, 1, beta)))
    rate = spider_rate(array, k, beta, rate, rate)
    achieved = min((r for r in (0.0, 0.25, 0.5) if frequency_game(array, k, "pac", r) <= beta + 1e-9), default=0.5)
    assert rate <= achieved + 1e-9
    assert product_rate(array, k, beta, 0.0) <= achieved + 1e-9
    risk = product_risk(array, k, lower_mse.packing_correlated(array, k - 1))
    assert risk <= frequency_game(array, k, "mse") + 1e-9


def test_the_paper_s_mean_condition_is_false_and_ours_is_tight() -> None:
    # MATH 3: n = 1, β = .3, ε = log(7/3): answering ¼ or ¾, flipped with probability .3, achieves ¼.
    epsilon, beta = math.log(7 / 3), 0.3
    assert math.exp(-epsilon) > beta
    assert math.exp(-epsilon) == pytest.approx(beta / (1 - beta))
    assert best_pac(np.array([epsilon]), beta, weak=True) < 0.5


@pytest.mark.parametrize("rivals", [1, 2, 9])
@pytest.mark.parametrize("beta", [0.01, 0.05, 0.3])
def test_the_line_of_each_moment_lies_above_psi(rivals: int, beta: float) -> None:
    q = beta / rivals
    x = np.linspace(1e-6, 1, 20001)
    psi = np.minimum(q / x, 1 - (1 - q) * x)
    for eta in lower_pac.MOMENTS:
        limit = math.exp(lower_pac.moment_condition(eta, rivals, beta))
        # The line takes the values q at X = 1 and 1−β at X = limit.
        line = q + (1 - beta - q) * (x**-eta - 1) / (limit - 1)
        assert (line >= psi - 1e-12).all()


def test_the_moment_conditions_contain_the_design_s_two() -> None:
    beta, rivals = 0.05, 9
    assert math.exp(lower_pac.moment_condition(1.0, rivals, beta)) == pytest.approx(rivals * (1 - beta) / beta)
    assert math.exp(lower_pac.moment_condition(-1.0, 1, beta)) == pytest.approx(beta / (1 - beta))
    assert math.exp(lower_pac.moment_condition(-1.0, rivals, beta)) <= beta / (1 - beta / rivals) + 0.01


def test_the_special_case_of_half_zero_half_public() -> None:
    n = 1000
    demands = np.concatenate([np.zeros(n // 2), np.full(n // 2, np.inf)])
    assert 1 / (8 * n) < sampling.beta_prior_mse(demands) < 1 / (4 * (n - 1))


def test_coins_are_exact_when_nothing_may_be_seen() -> None:
    # All demands 0: the best answer is ½, and the coins' mean has variance 1/4n.
    assert coin_mse(np.zeros(100)) == pytest.approx(1 / 400)
    # One user: the two-dataset bound.
    for epsilon in (0.3, 1.0, 2.0):
        assert coin_mse(np.array([epsilon])) == pytest.approx(1 / (4 * math.cosh(epsilon / 2) ** 2), rel=0.02)


def test_coins_with_many_users_split_into_residue_classes() -> None:
    # 10⁶ equal users: 50 classes; Laplace noise of 2/ε² is small against 10⁶/4, so the risk is nearly 2/(nε)².
    risk = coin_mse(np.full(10**6, 0.05))
    assert 0.9 <= risk / (2 / (10**6 * 0.05) ** 2) <= 1


def test_the_other_ball_is_hit_no_more_than_enumeration_says() -> None:
    # A mixture of two members with demands 0.5 and 1.5, probabilities of the ball p₁, p₂ with mean β, all tried.
    beta, demands = 0.1, np.array([0.5, 1.5])
    mean, square = np.array([demands.mean()]), np.array([(demands**2).mean()])
    worst = 0.0
    for p in np.linspace(0, 2 * beta, 201):
        before = np.array([p, 2 * beta - p])
        after = np.minimum(np.exp(demands) * before, 1 - np.exp(-demands) * (1 - before))
        worst = max(worst, float(after.mean()))
    assert worst <= float(split.private_hit(mean, square, beta)[0])


def test_random_subsets_give_the_weak_two_dataset_bound() -> None:
    demands = np.array([0.1, 0.4, 0.9, 1.2, 3.0])
    exact = 0.0
    for m in range(1, 6):
        squares = [1 / math.cosh(sum(group) / 2) ** 2 for group in itertools.combinations(demands, m)]
        exact = max(exact, (m / 10) ** 2 * float(np.mean(squares)))
    found = lower_mse.k_datasets_weak(*compress(demands), 1)
    assert 0.9 * exact <= found <= exact + 1e-12


def test_splitting_computes_the_distance_of_two_hypergeometric_laws() -> None:
    n, size, m = 9, 4, 3
    users = range(n)
    laws = []
    for ones in ((n - m) // 2, (n - m) // 2 + m):
        counts = [sum(1 for i in chosen if i < size) for chosen in itertools.combinations(users, ones)]
        laws.append(np.bincount(counts, minlength=size + 1) / len(counts))
    assert split.public_variation(n, size, m) == pytest.approx(np.abs(laws[0] - laws[1]).sum() / 2, abs=2e-7)
    triangle = sum((p - q) ** 2 / (p + q) for p, q in zip(*laws, strict=True) if p + q > 0) / 2
    assert split.public_triangle(n, size, m) == pytest.approx(triangle, abs=2e-7)


@pytest.mark.parametrize("demands", [np.zeros(4), np.full(4, np.inf), np.array([0.0, np.inf])])
def test_extreme_demands_give_the_obvious_answers(demands: np.ndarray) -> None:
    lowers = LowerBounds.of(np.sort(demands), 3, 0.05)
    for problem in problems(3, 0.05):
        value = lowers.best(problem).value
        if np.isinf(demands).all():
            assert value == 0
        elif (demands == 0).all():
            assert value == pytest.approx(problem.trivial)
        else:
            assert 0 < value <= problem.trivial
