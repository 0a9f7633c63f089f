"""Certificates checked again in exact rational arithmetic, and against every extreme density on small chains."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from hdp_audit.theory.chain import Chain, lay_chain
from hdp_audit.theory.chain_mse import SquareCertificate, square_certificate
from hdp_audit.theory.chain_pac import Certificate, certificate, chain_rate, prior_certificate, windows
from hdp_audit.theory.chain_product import smooth_priors
from hdp_audit.theory.spider import SpiderCertificate
from hdp_audit.theory.spider_bounds import lay_spider
from hdp_audit.theory.spider_lp import spider_certificate

EQUAL = lay_chain(np.full(300, 0.1), 0.05, nodes=40)
MIXED = lay_chain(np.sort(np.exp(np.random.default_rng(3).uniform(-4, 1, 200))), 0.05, nodes=40)


def bracket(step: float) -> tuple[Fraction, Fraction]:
    """Rationals just above e^{−s} and e^{s}: T shrinks too little when positive only if we take the smaller one."""
    with mpmath.workdps(40):
        small, large = mpmath.exp(-mpmath.mpf(step)), mpmath.exp(mpmath.mpf(step))
        scale = 10**30
        return Fraction(int(mpmath.floor(small * scale)), scale), Fraction(int(mpmath.ceil(large * scale)), scale)


def exact_least(coefficients: list[Fraction], brackets: list[tuple[Fraction, Fraction]]) -> Fraction:
    """A rational lower bound on min Σ c_j g_j over the cone with g_0 = 1."""
    total = coefficients[-1]
    for c, (small, large) in zip(coefficients[-2::-1], brackets[::-1], strict=True):
        total = c + (total * small if total >= 0 else total * large)
    return total


def exact_pac(found: Certificate) -> bool:
    prior = [Fraction(float(x)) for x in found.prior]
    nu = [Fraction(float(x)) for x in found.nu]
    brackets = [bracket(float(s)) for s in found.chain.steps]
    for left, right in zip(*windows(found.chain, found.width), strict=True):
        row = [v - (p if left <= j <= right else 0) for j, (v, p) in enumerate(zip(nu, prior, strict=True))]
        if exact_least(row, brackets) < 0:
            return False
    return True


@pytest.mark.parametrize("chain", [EQUAL, MIXED], ids=["equal", "mixed"])
@pytest.mark.parametrize("width", [0.06, 0.12])
def test_a_pac_certificate_holds_in_rationals(chain: Chain, width: float) -> None:
    found = certificate(chain, width)
    assert found is not None
    assert exact_pac(found)
    assert sum(Fraction(float(x)) for x in found.nu) < 1
    assert abs(sum(Fraction(float(x)) for x in found.prior) - 1) < Fraction(1, 10**12)


@pytest.mark.parametrize("chain", [EQUAL, MIXED], ids=["equal", "mixed"])
def test_certificates_for_products_hold_in_rationals_with_nu_at_least_zero(chain: Chain) -> None:
    hardest = certificate(chain, 0.12, positive=True)
    assert hardest is not None
    for found in (hardest, *(prior_certificate(chain, 0.12, prior) for prior in smooth_priors(chain))):
        assert found is not None
        assert exact_pac(found)
        assert (found.nu >= 0).all()


def test_a_product_of_two_chains_obeys_the_product_bound() -> None:
    # Brute force over extreme densities on a 3 × 3 grid: random points of the two-dimensional cone.
    chain = Chain(np.array([0.0, 0.1, 0.2]), np.array([0.4, 0.7]))
    found = certificate(chain, 0.15, positive=True)
    assert found is not None
    rng = np.random.default_rng(14)
    left, right = windows(chain, 0.15)
    for _ in range(300):
        g = two_dimensional_density(chain, rng)
        total = found.nu @ g @ found.nu
        for (a, b), (c, d) in itertools.product(zip(left, right, strict=True), repeat=2):
            inside = found.prior[a : b + 1] @ g[a : b + 1, c : d + 1] @ found.prior[c : d + 1]
            assert inside <= total + 1e-12


def two_dimensional_density(chain: Chain, rng: np.random.Generator) -> np.ndarray:
    """The largest log-density below random heights that is Lipschitz in the sum of both chains' distances."""
    place = np.concatenate([[0.0], np.cumsum(chain.steps)])
    distance = np.abs(place[:, None] - place[None, :])
    heights = rng.normal(scale=2.0, size=(3, 3))
    spread = heights[None, None] + distance[:, None, :, None] + distance[None, :, None, :]
    return np.exp(spread.min(axis=(2, 3)))


def test_a_lowered_certificate_is_refuted_by_both_checks() -> None:
    found = certificate(EQUAL, 0.12)
    assert found is not None
    false = replace(found, nu=found.nu * 0.999)
    assert not false.proves()
    assert not exact_pac(false)


@pytest.mark.parametrize("chain", [EQUAL, MIXED], ids=["equal", "mixed"])
def test_a_square_certificate_holds_in_rationals(chain: Chain) -> None:
    found = square_certificate(chain, 0.004)
    assert found is not None
    theta = [Fraction(float(x)) for x in chain.theta]
    prior = [Fraction(float(x)) for x in found.prior]
    nu = [Fraction(float(x)) for x in found.nu]
    brackets = [bracket(float(s)) for s in chain.steps]
    count = math.ceil((chain.theta[-1] - chain.theta[0]) / found.spacing) + 1
    for y in np.linspace(chain.theta[0], chain.theta[-1], count):
        output = Fraction(float(y))
        row = [p * (output - t) ** 2 - v for p, t, v in zip(prior, theta, nu, strict=True)]
        assert exact_least(row, brackets) >= 0


def test_a_raised_square_certificate_is_refuted() -> None:
    found = square_certificate(EQUAL, 0.004)
    assert found is not None
    assert not SquareCertificate(found.chain, found.prior, found.nu * 1.01, found.spacing).proves()


def test_the_recursion_finds_the_least_extreme_density() -> None:
    rng = np.random.default_rng(11)
    steps = rng.uniform(0.05, 1.5, 6)
    chain = Chain(np.arange(7.0), steps)
    for _ in range(50):
        c = rng.normal(size=7)
        extremes = []
        for signs in itertools.product((-1, 1), repeat=6):
            g = np.exp(np.concatenate([[0.0], np.cumsum(np.array(signs) * steps)]))
            extremes.append(c @ g)
        assert chain.least(c[None, :])[0] == pytest.approx(min(extremes), rel=1e-9)


def test_the_potential_is_inverted_exactly() -> None:
    rng = np.random.default_rng(12)
    chain = Chain(np.arange(9.0), rng.uniform(0.01, 2, 8))
    h = rng.random(9)
    np.testing.assert_allclose(chain.decay @ chain.potential_inverse(h), h, rtol=1e-9)
    np.testing.assert_allclose(chain.potential_inverse(np.ones(9)), chain.peaks, rtol=1e-9)
    # ω_p·K_pj is a mechanism: its outputs' probabilities sum to one under every dataset.
    np.testing.assert_allclose(chain.peaks @ chain.decay, np.ones(9), rtol=1e-9)


def exact_spider(found: SpiderCertificate) -> bool:
    spider = found.spider
    prior = [Fraction(float(x)) for x in found.prior]
    nu = [Fraction(float(x)) for x in found.nu]
    brackets = [bracket(float(s)) for s in spider.steps]

    def arm(row: list[Fraction]) -> Fraction:
        return exact_least([Fraction(0), *row[1:]], brackets)

    for everywhere, first, last in spider.windows(found.width):
        row = [v - (p if first <= j <= last else 0) for j, (v, p) in enumerate(zip(nu, prior, strict=True))]
        others = arm(row) if everywhere else arm(nu)
        if row[0] + arm(row) + (spider.arms - 1) * others < 0:
            return False
    return all(v >= 0 for v in nu)


@pytest.mark.parametrize(("groups", "arms"), [(1, 9), (3, 3), (9, 1)])
def test_a_spider_certificate_holds_in_rationals(groups: int, arms: int) -> None:
    demands = np.sort(np.exp(np.random.default_rng(4).uniform(-4, 0, 400)))
    spider = lay_spider(demands, groups, arms, 24)
    assert spider is not None
    found = spider_certificate(spider, 0.06)
    assert found is not None
    assert exact_spider(found)
    assert not exact_spider(replace(found, nu=found.nu * 0.999))


def ball_members(spider, radius: float, output: np.ndarray) -> np.ndarray:
    """Which nodes (0, then arm by arm) lie within the radius of an output, by the definition of the ℓ∞ distance."""
    places = [np.zeros(spider.arms)]
    for arm in range(spider.arms):
        for theta in spider.theta[1:]:
            place = np.zeros(spider.arms)
            place[arm] = theta
            places.append(place)
    return np.abs(np.array(places) - output).max(axis=1) <= radius


def test_every_ball_is_part_of_a_window() -> None:
    spider = lay_spider(np.full(20, 0.5), 1, 3, 6, parts=2)
    assert spider is not None
    width, size = 0.3, spider.theta.size
    allowed = []
    for everywhere, first, last in spider.windows(width):
        for chosen in range(spider.arms):
            node = np.zeros(1 + spider.arms * (size - 1), dtype=bool)
            node[0] = first == 0
            for arm in range(spider.arms):
                if everywhere or arm == chosen:
                    node[1 + arm * (size - 1) + np.arange(max(first, 1), last + 1) - 1] = True
            allowed.append(node)
    for output in itertools.product(np.linspace(-0.1, 0.9, 21), repeat=3):
        members = ball_members(spider, width / 2 * 0.999, np.array(output))
        assert any((~members | window).all() for window in allowed)


def test_the_chain_reaches_the_laplace_quantile_when_demands_are_equal_and_small() -> None:
    n, epsilon, beta = 1000, 0.1, 0.05
    rate = chain_rate(np.full(n, epsilon), beta, 0.0145)
    laplace = math.log(1 / beta) / (n * epsilon)
    assert 0.93 * laplace <= rate <= laplace
