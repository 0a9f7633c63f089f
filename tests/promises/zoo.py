"""The list: each mechanism with what it promises, whether it keeps that, and what one user really loses.

`loses` is derived by hand, beside each case; `law` gives the outputs' law on the worst pair for the same user, from
which zoo_laws.py calculates the loss again. A correct mechanism loses exactly what it promises, where not said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Neighbours, Promise, PureDP, Remove, Replace, ZeroOut, audit
from tests.promises import zoo_mechanisms as zoo
from tests.promises.zoo_laws import Law, gaussian_curve, laplace_cells, normal_cells, shift
from tests.promises.zoo_mechanisms import Batched

MU = np.repeat([0.5, 1.0, 2.0], [4, 3, 1])  # the sum is 7, the average 7/8
LEAK = 0.01


@dataclass(frozen=True)
class Case:
    """One mechanism and one promise."""

    name: str
    mechanism: Batched
    promise: Promise
    keeps: bool
    loses: float  # of `user`: μ, ρ, δ at the promised ε, or the pure ε
    law: Callable[[], Law]
    budget: int
    user: int = 0
    task: str = "mean"
    neighbours: Neighbours = field(default_factory=Replace)
    more: dict[str, Any] = field(default_factory=dict)

    def audited(self, seed: int, budget: int | None = None) -> Any:
        """The report of an audit at confidence 0.999."""
        return audit(
            self.mechanism,
            promise=self.promise,
            neighbours=self.neighbours,
            task=self.task,  # type: ignore[arg-type]
            budget=budget or self.budget,
            seed=seed,
            **self.more,
        )


def on(*pairs: tuple[Any, Any, list[int]]) -> dict[str, Any]:
    """The pairs of a custom task."""
    return {"pairs": lambda: iter(pairs)}


def sums() -> Iterator[Case]:
    demand = GaussianDP(MU)
    # Weights μ_i/Σμ against noise 1/Σμ: the shift is μ_i.
    yield Case("Gaussian mean", Batched(zoo.gaussian_mean), demand, True, 0.5, lambda: shift(0.5), 10_000)
    # Weights 1/8 against noise 1/7: everybody's shift is 7/8, also theirs who were promised 1/2.
    equal = Batched(zoo.gaussian_mean, personal=False)
    yield Case("Gaussian mean, equal weights", equal, demand, False, 0.875, lambda: shift(7 / 8), 10_000)
    # A datum of 0 in place of 1 moves the sum by μ_i.
    zero = {"neighbours": ZeroOut()}
    yield Case("zeroed sum", Batched(zoo.gaussian_sum), demand, True, 2.0, lambda: shift(2.0), 4_000, 7, **zero)
    # Noise of scale 0.6: μ_i/0.6.
    less = Batched(zoo.gaussian_sum, noise=0.6)
    yield Case("zeroed sum, less noise", less, demand, False, 2 / 0.6, lambda: shift(2 / 0.6), 4_000, 7, **zero)


def leaks() -> Iterator[Case]:
    epsilon = np.repeat([0.5, 1.0], [4, 3])
    promise = ApproximateDP(epsilon, LEAK)
    # P(S) ≤ (1 − δ)·e^ε·Q'(S) + δ for the Laplace part Q'; the leak tells the sum, so δ(ε) is the leak's probability.
    for leak, keeps in ((LEAK, True), (10 * LEAK, False)):
        mechanism = Batched(zoo.leaky_laplace, leak=leak)
        name = f"Laplace, leak of {leak:g}"
        yield Case(name, mechanism, promise, keeps, leak, lambda leak=leak: leaky(leak), 30_000)
    # The sum itself has no chance where it is another one.
    pure = PureDP(epsilon)
    mechanism = Batched(zoo.leaky_laplace, leak=LEAK)
    yield Case("Laplace, leak, promised pure", mechanism, pure, False, math.inf, lambda: leaky(LEAK), 60_000)


def leaky(leak: float) -> Law:
    """Laplace noise around 0.5 and 0, and two cells for the sums themselves."""
    one, other = (1.0 - leak) * laplace_cells(0.5, 1.0), (1.0 - leak) * laplace_cells(0.0, 1.0)
    return np.concatenate([one, [leak, 0.0]]), np.concatenate([other, [0.0, leak]])


def calibrations() -> Iterator[Case]:
    epsilon = np.repeat([0.5, 0.9], [4, 3])
    promise = ApproximateDP(epsilon, LEAK)
    analytic, classic = (Batched(zoo.calibrated_sum, shift=rule) for rule in (zoo.analytic_shift, zoo.classic_shift))
    # σ solves δ(ε) = δ, so δ(ε) is δ.
    exact = lambda: shift(zoo.analytic_shift(0.5, LEAK))  # noqa: E731
    yield Case("analytic calibration", analytic, promise, True, LEAK, exact, 10_000)
    # σ = √(2·ln 125)/0.5 = 6.215, μ = 0.16090: Φ(−3.02706) − e^0.5·Φ(−3.18796) = 0.00123472 − 1.64872·0.00071640.
    small = lambda: shift(zoo.classic_shift(0.5, LEAK))  # noqa: E731
    yield Case("classic calibration, ε = 0.5", classic, promise, True, 5.358e-5, small, 10_000)
    # It is wrong from ε = 6.77 on at δ = 0.01, from 8.42 on at 1e-5. ε = 12: μ = 12/3.10751 = 3.86162;
    # Φ(1.93081 − 3.10751) − e^12·Φ(−1.93081 − 3.10751) = 0.119656 − 162754.8·2.34763e-7. What refutes it is that the
    # event has a chance of less than 1e-6: out of reach.
    yield at(classic, 12.0, LEAK, zoo.classic_shift, False, 0.08144, "classic", 20_000)
    # ε = 6, δ = 0.4: μ = 6/1.50959 = 3.97459; Φ(1.98730 − 1.50959) − e^6·Φ(−1.98730 − 1.50959) = 0.683568 − 0.094952.
    yield at(classic, 6.0, 0.4, zoo.classic_shift, False, 0.58862, "classic", 400_000)
    yield at(analytic, 6.0, 0.4, zoo.analytic_shift, True, 0.4, "analytic", 400_000)


def at(
    rule: Batched, epsilon: float, delta: float, law: Any, keeps: bool, loses: float, name: str, budget: int
) -> Case:
    """Two users with one large ε."""
    promise = ApproximateDP([epsilon] * 2, delta)
    name = f"{name} calibration, ε = {epsilon:g}, δ = {delta:g}"
    return Case(name, rule, promise, keeps, loses, lambda: shift(law(epsilon, delta)), budget)


def concentrated() -> Iterator[Case]:
    rho = np.repeat([1 / 32, 1 / 8, 1 / 2], [4, 3, 2])  # weights 1, 2 and 4
    # D_α between discrete Gaussians that are w apart is at most α·w²/2σ², with equality where α·w is whole.
    for variance, keeps, budget in ((16.0, True, 60_000), (4.0, False, 10_000)):  # the mistake: σ where σ² is asked for
        name = "discrete Gaussian" + ("" if keeps else ", σ for σ²")
        mechanism = Batched(zoo.discrete_gaussian_sum, variance=variance)
        law = lambda variance=variance: whole(4, variance)  # noqa: E731
        yield Case(name, mechanism, ZCDP(rho), keeps, 8.0 / variance, law, budget, 7)
    # k answers of √(2ρ/k) each: k·ρ/k = ρ. With √(2ρ) each: k·ρ. Sufficient: the sum of the answers, a shift of √(2kρ).
    few = ZCDP(np.repeat([1 / 8, 1 / 2], [3, 2]))
    one, all_zero = [1.0] * 5, [1.0] * 4 + [0.0]
    pair = on((one, all_zero, [4]))
    for answers, split in ((2, True), (2, False), (4, False)):
        loses = 0.5 * (1 if split else answers)
        mechanism = Batched(zoo.several_answers, answers=answers, split=split)
        name = f"{answers} answers" + ("" if split else ", ρ spent on each")
        law = lambda loses=loses: shift(math.sqrt(2.0 * loses))  # noqa: E731
        yield Case(name, mechanism, few, split, loses, law, 40_000, 4, "custom", more=pair)


def whole(weight: int, variance: float) -> Law:
    """Discrete normal noise around the weight and around 0."""
    span = np.arange(-200, 201)
    both = [np.exp(-0.5 * (span - centre) ** 2 / variance) for centre in (weight, 0)]
    return both[0] / both[0].sum(), both[1] / both[1].sum()


def training() -> Iterator[Case]:
    promise = GaussianDP([0.5, 0.5, 1.0, 1.0])
    batch = np.array([[0, 1.5], [1, 0.2], [2, 3.0], [3, 0.0]])  # who, and how long their gradient is
    pair = on((batch, batch[1:], [0]), (batch, np.delete(batch, 2, axis=0), [2]))
    same: dict[str, Any] = {"task": "custom", "neighbours": Remove(), "more": pair}
    cases = [
        ("clipped by user", {}, True, 0.5),  # the gradient of length 1.5 is cut to 0.5
        ("not clipped", {"clip": "none"}, False, 1.5),
        # (1.5, 0.2, 3, 0), of length 3.36006, is cut to 3 by 0.89284; without user 0 3.00666 is cut to 2.5 by 0.83149:
        # (1.33926, 0.17857 − 0.16630, 2.67852 − 2.49446) is the difference, of length 1.35191.
        ("clipped as a batch", {"clip": "batch"}, False, 1.35191),
        ("noise divided by n twice", {"noise": 0.25}, False, 2.0),  # 4 users: a quarter of the noise
    ]
    for words, settings, keeps, loses in cases:
        law = lambda settings=settings: gradients(batch, promise, settings)  # noqa: E731
        mechanism = Batched(zoo.gradient_step, **settings)
        yield Case(f"gradient step, {words}", mechanism, promise, keeps, loses, law, 4_000, **same)


def gradients(batch: Any, promise: Promise, settings: dict[str, Any]) -> Law:
    """The step itself without its noise, with and without user 0."""
    still, mu = {**settings, "noise": 0.0}, promise.columns["mu"]
    steps = [zoo.gradient_step(batch[k:], mu[k:], np.random.default_rng(1), 1, **still)[0] for k in (0, 1)]
    return shift(float(np.linalg.norm(steps[0] - steps[1])) / settings.get("noise", 1.0))


def votes() -> Iterator[Case]:
    promise = GaussianDP([0.5, 0.5, 1.0, 1.0] + [2.0] * 10)
    others = [1] + [0, 1] * 6  # users 1 to 13: users 2 to 13 are tied, user 1 votes for class 1
    pair = on(([0, *others], [1, *others], [0]), ([1, *others], [2, *others], [0]))
    # Class 2 is hardly ever chosen. Class 0 leads by 0 or by −1: against noise of scale 2 on the difference that is a
    # shift of 2·0.5/2 = 0.5, and a normal shift that is cut at one place still needs μ = 0.5.
    cases = [
        ("", {}, True, 0.5, lambda: chosen(0.0, -1.0)),
        # User 1 too: class 0 leads by 0 or by −4; a shift of 2.
        (", all with the largest weight", {"weights": "largest"}, False, 2.0, lambda: chosen(0.0, -4.0)),
        # Noise that all classes share decides nothing.
        (", one draw for all", {"draws": "one"}, False, math.inf, lambda: (np.array([1.0, 0.0]), np.array([0.0, 1.0]))),
    ]
    for words, settings, keeps, loses, law in cases:
        mechanism = Batched(zoo.noisy_votes, **settings)
        yield Case(f"noisy votes{words}", mechanism, promise, keeps, loses, law, 4_000, 0, "custom", more=pair)


def chosen(lead: float, other: float) -> Law:
    """Whether class 0 is chosen, by the sum over cells of the noise on the difference, of scale 2."""
    cells = normal_cells(0.0, 2.0)
    edges = np.linspace(-16.0, 24.0, 16_001)[1:] - 0.00125
    wins = [float(cells[1:-1][edges > -by].sum() + cells[-1]) for by in (lead, other)]
    return np.array([wins[0], 1.0 - wins[0]]), np.array([wins[1], 1.0 - wins[1]])


def leaving() -> Iterator[Case]:
    few = GaussianDP([0.5, 0.5, 1.0])
    there, gone = [1.0, 1.0, 1.0], [1.0, 1.0]
    replaced, removed = on((there, [0.0, 1.0, 1.0], [0])), on((there, gone, [0]))
    # n is everybody's when data are replaced; it tells who left for certain.
    sized = Batched(zoo.sum_and_size)
    certain = lambda: (np.array([1.0, 0.0]), np.array([0.0, 1.0]))  # noqa: E731
    half = lambda: shift(0.5)  # noqa: E731
    yield Case("sum and n", sized, few, True, 0.5, half, 4_000, 0, "custom", more=replaced)
    yield Case("sum and n, removal", sized, few, False, math.inf, certain, 4_000, 0, "custom", Remove(), removed)
    # Replaced: a shift of 0.5 in noise. Removed: (2 + z)/3 against (1.5 + z)/2, noise half as wide again: in units of
    # the first a normal law around 0.25 of scale 1.5. The tails tell: no μ is enough.
    mean = Batched(zoo.true_mean)
    yield Case("mean by the true n", mean, few, True, 0.5, half, 20_000, 0)
    wider = lambda: (normal_cells(0.25, 1.5), normal_cells())  # noqa: E731
    yield Case("mean by the true n, removal", mean, few, False, math.inf, wider, 20_000, 0, neighbours=Remove())


def selections() -> Iterator[Case]:
    promise = ApproximateDP([2.0] * 5, LEAK)
    alone, nobody, two = [0, 1, 1, 2, 2], [1, 1, 2, 2], [0, 0, 1, 2, 2]
    pair = on((alone, nobody, [0]), (two, two[1:], [0]))
    same: dict[str, Any] = {"task": "custom", "neighbours": Remove(), "more": pair}
    # One member is shown with probability P(Laplace > ln(1/2δ)/ε) = δ, nobody never. With a threshold that is lower
    # by 1: e^ε·δ = 7.389·0.01.
    for margin, loses in ((1.0, LEAK), (0.0, LEAK * math.exp(2.0))):
        mechanism = Batched(zoo.partition_selection, margin=margin)
        law = lambda margin=margin: shown(margin)  # noqa: E731
        name = "partition selection" + ("" if margin else ", threshold too low")
        yield Case(name, mechanism, promise, bool(margin), loses, law, 40_000, **same)


def shown(margin: float) -> Law:
    """Cells of the noisy count of one member above the threshold, and nothing."""
    threshold = margin + math.log(0.5 / LEAK) / 2.0
    above = laplace_cells(1.0 - threshold, 0.5)[6401:]  # what lies above 0, by the 6,401st edge
    return np.append(above, 1.0 - above.sum()), np.append(0.0 * above, 1.0)


def others() -> Iterator[Case]:
    demand = GaussianDP(MU)
    same: dict[str, Any] = {"task": "frequency", "neighbours": Remove(), "more": {"categories": 3}}
    # Who leaves takes μ_i from one count.
    yield Case("counts", Batched(zoo.counts), demand, True, 2.0, lambda: shift(2.0), 4_000, 7, **same)
    # The last of a category turns noise into a plain 0.
    bare = Batched(zoo.counts, empty=False)
    certain = lambda: (np.array([1.0, 0.0]), np.array([0.0, 1.0]))  # noqa: E731
    yield Case("counts, no noise on 0", bare, demand, False, math.inf, certain, 4_000, 0, **same)
    # e^ε : 1 for and against; with 1.5·ε the rest is e^1.5/(1 + e^1.5) − e/(1 + e^1.5) = 0.32169.
    answers = ApproximateDP([1.0], 0.0)
    pair = on(([0], [1], [0]))
    for times, loses in ((1.0, 0.0), (1.5, 0.32169)):
        name = "randomised response, δ = 0" + ("" if times == 1.0 else ", 1.5 ε")
        mechanism = Batched(zoo.randomised_response, times=times)
        law = lambda times=times: told(times)  # noqa: E731
        yield Case(name, mechanism, answers, times == 1.0, loses, law, 4_000, 0, "custom", more=pair)
    # A tenth takes part: N(0,1) + q·(N(1,1) − N(0,1)) against N(0,1) has δ'(ε') = q·δ(ε) at e^ε' − 1 = q·(e^ε − 1),
    # with ε = 1 and μ = 1: ε' = ln(1 + 0.1·1.71828) = 0.15856, δ' = 0.1·0.126937.
    amplified = math.log1p(zoo.SAMPLED * math.expm1(1.0))
    promise = ApproximateDP([amplified] * 5, zoo.SAMPLED * gaussian_curve(1.0, 1.0))
    for fresh in (True, False):
        mechanism = Batched(zoo.subsampled_sum, fresh=fresh)
        # All take part: Φ(0.5 − ε') − e^ε'·Φ(−0.5 − ε') with ε' = 0.15856: 0.63361 − 1.17182·0.25509.
        loses = 0.0126937 if fresh else 0.33469
        law = lambda fresh=fresh: sampled(zoo.SAMPLED if fresh else 1.0)  # noqa: E731
        name = "subsampled Gaussian" + ("" if fresh else ", nobody left out")
        yield Case(name, mechanism, promise, fresh, loses, law, 8_000, 0, neighbours=ZeroOut())


def told(epsilon: float) -> Law:
    right = 1.0 / (1.0 + math.exp(-epsilon))
    return np.array([right, 1.0 - right]), np.array([1.0 - right, right])


def sampled(share: float) -> Law:
    there, gone = shift(1.0)
    return share * there + (1.0 - share) * gone, gone


GROUPS = (sums, leaks, calibrations, concentrated, training, votes, leaving, selections, others)
CASES = {case.name: case for group in GROUPS for case in group()}
