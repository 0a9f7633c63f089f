"""What a machine checked of each statement: all of it, its algebra, or instances of it; and which step is prose.

An entry whose evidence is for stated sizes, or a test, is about instances. Of every other one the step that no machine
checked is named here; where none is named, the whole claim was checked. An entry that is missing here is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hdp_audit.proofs.entry import Strength

WHOLE = "whole claim"
INSTANCES = "instances"

_EVENTS = "from densities to events by integration"
_USERS = "the sum over users"
_INDUCTION = "the induction over users"
_CALCULUS = "from value and slope at one place to the inequality"
_MARKOV = "Markov's inequality for the exponential moment"
_MIXTURE = "the mixture over orders of the users, and the integral over outputs"
_OUTPUTS = "the integral over outputs"
_EARLIER = "the chain of earlier entries that it names"
_EXTREME = "that a convex function is largest at an extreme point, a log-concave one least"
_STATIONARY = "that a convex function is least where its slope vanishes"
_VILLE = "Ville's inequality, and induction over rounds"
_TEXTBOOK_H = "log k ≤ H_k ≤ 1 + log k, a textbook's"
_WORDING = "a matter of wording: what the text should say"
_DENSITY = "from densities at points to suprema over events"

# step → the entries that rest on it
_PROSE: Mapping[str, tuple[str, ...]] = {
    _EVENTS: (
        "privacy-hpf", "privacy-hpm", "privacy-free", "local-laplace", "sm-removal", "sm-replacement",
        "sm-scale", "secret-demands",
    ),
    "from two outputs, and two laws, to all": ("privacy-clipping",),
    _INDUCTION: (
        "privacy-group", "bias-norms", "group-pure", "group-approximate", "gaussian-group", "group-zcdp",
        "approximate-packing",
    ),
    "the sum of the recursion": ("grid-tails", "max-exp"),
    "independence of the coordinates, and induction over them": ("tail-laplace",),
    _CALCULUS: (
        "tail-quantile", "vertex-general-monotone", "perm-hoeffding-lemma", "opt-logs", "weights-soft",
        "sm-moment", "gaussian-quantile", "gaussian-permuted", "saturation-l2", "level-convex",
        "trace-exceptions", "opt-weak-jensen",
    ),
    "from densities that fall no faster than e^{−x} to T′ ≥ −T, and to T ≥ e^{−α}": ("tail-laplace-best",),
    _TEXTBOOK_H: ("max-exp-order", "max-exp-unit", "mse-upper-noise"),
    "the union bound under the integral": ("max-exp-2", "max-exp-2-sharper"),
    _USERS: (
        "bias-worst", "vertex-general-mean", "vertex-general", "centred-mean", "centred-frequency",
        "saturation-l1", "saturation-majorised", "weights-prop", "local-error-mean", "gaussian-ball-distance",
    ),
    _EXTREME: (
        "bias-vertices", "bias-spread", "vertex-log-concave", "vertex-convex", "centred-weak-mean", "hull-clipped",
        "norm-centre",
    ),
    "the second moments of a random order": ("bias-permuted", "bias-vector"),
    "that coefficients compare term by term for every n": ("perm-negative-association",),
    "Markov's inequality": ("two-markov",),
    "from two coordinates to all": ("stat-coordinate", "simplex-rounding"),
    "that a minimum over weights keeps the order": ("rates-ordered",),
    _MARKOV: (
        "perm-hoeffding", "sharp-tilted", "local-laplace-sum", "sm-tail", "local-error-frequency", "weak-split",
    ),
    "the induction over revealed coordinates": ("perm-constant",),
    _EARLIER: (
        "bias-square", "pac-upper-correlated", "pac-upper-split", "pac-upper-weak", "pac-upper-two-conditions",
        "mse-upper-correlated", "mse-upper-weak", "opt-correlated", "opt-weak-upper", "opt-weak-lower",
        "opt-stat-upper", "opt-stat-lower", "opt-stat-value", "opt-stat-public", "opt-mse", "stat-bound",
        "anchored-twice", "stat-special", "opt-weak-equal", "hull-quantile", "vertex-quantile",
        "opt-mse-regime", "saturation-loss", "pool-inside",
    ),
    "that the spendings of two releases add up (composition)": ("anchored-budget",),
    "E a ≤ √(E a²), Jensen": ("anchored-square", "minkowski"),
    "that a law with these masses is the one drawn": ("gaussian-sampler",),
    "that a sum over all integers does not change when it is moved": ("gaussian-whole-orders",),
    "from the largest ratio to events, by the moment of the likelihood ratio": ("gaussian-conversion", "curve-zcdp"),
    "the mixture over a Gaussian λ, and Markov's inequality": ("gaussian-ball-tail",),
    "data processing for the divergence": ("gaussian-packing",),
    _OUTPUTS: (
        "gaussian-two-points", "approximate-two-points", "two-bayes", "two-correlated", "packed-right", "packed-risk",
        "sharp-rivals", "sharp-unseen", "stat-prior", "chain-mse", "chain-pac", "chain-leak", "stat-metric",
    ),
    "that m disjoint balls and group privacy give these inequalities": (
        "lower-ceiling", "lower-correlated", "lower-paper-pair",
    ),
    _MIXTURE: (
        "norm-by-lot",
        "lower-weak-plus", "lower-weak-minus", "lower-weak-joint", "two-weak", "weak-rivals", "stat-private",
        "sharp-moments",
    ),
    "that drawing one user more multiplies by one factor": ("pack-monotone",),
    "that averaging pairs of entries leads to the constant vector": ("pack-maclaurin",),
    "that i.i.d. data do not notice a permutation": ("stat-average", "stat-quadratic"),
    "that squares of norms are convex": ("slip-not-convex",),
    "affinities of independent users multiply": ("stat-public",),
    "that variances of independent terms add up": ("stat-shrunk",),
    "induction over the nodes of the chain": ("chain-cone",),
    "induction over the groups": ("spider-product",),
    "the sum over radii": ("spider-risk",),
    "that four categories hold every pair of arms": ("star-errors",),
    "that the sum bends only at θ and θ/2": ("star-grid",),
    "from two densities and two nodes to all": ("simplex-names",),
    "the two steps and their mixture: that fewer users move where A lacks room, and that distances add up": (
        "sharp-split",
    ),
    "that fewer promises hold for more mechanisms": ("sharp-rounding",),
    "that a minimum over answers keeps the order": ("beta-blocks",),
    "that every bound below 1 is integrated up to α₀ as 1": ("weak-tilted",),
    "that the sequence saturates once and stays": ("saturation-sequence",),
    _STATIONARY: ("gaussian-shrinkage", "sharp-shrinking", "local-weights", "saturation-turbo"),
    "from four users to n": ("weights-uniform",),
    "that the clipped answer's mean square is the antiderivative between the clips, and two atoms": (
        "gaussian-square",
    ),
    "which densities the two mixtures have at that output": ("sm-realised-leaks", "sm-half-noise-leaks"),
    "that an error grows with bias and noise, and by the factor of both": ("secret-level",),
    "from ‖w − 1/n‖₁ to the two errors (bias-worst)": ("weights-silent",),
    "Bayes' rule given the output": ("game-right",),
    _VILLE: ("game-wealth", "curve-bet", "mean-wealth", "permuted-bets"),
    "that each law with a little more mass at 0 is missed": ("mean-silence",),
    "from single events to all": (
        "curve-pure", "curve-approximate", "curve-gaussian", "group-gaussian", "curve-line",
    ),
    "implicit differentiation at the best order": ("curve-zcdp-order",),
    "that the payoff is a function of three results": ("curve-bet-all",),
    "induction over the users of a call": ("crowd-bets",),
    "the coupling of draws, and that fewer of D lower the count": ("counted-curve",),
    "differentiation under the expectation": ("curve-projection",),
    "the sum over true claims, and Ville's inequality": ("holm-step",),
    "from two draws to any number": ("trace-sum",),
    _DENSITY: (
        "trace-laplace", "trace-laplace-scales", "trace-logistic", "trace-cauchy", "trace-exponential",
        "trace-gumbel", "trace-geometric", "trace-normal", "trace-uniform",
        "trace-curve-normal", "trace-curve-laplace-shift", "trace-curve-laplace-rho", "trace-curve-bounded",
        "trace-curve-delta", "trace-curve-event",
    ),
    "that such an r exists": ("trace-levels",),
    "from one more outcome to all": ("trace-branches",),
    _WORDING: (
        "slip-table-arguments", "slip-family-name", "slip-ones", "slip-norm-wording", "slip-special-notation",
        "slip-local-mean-k", "slip-beta-in-mse", "slip-support", "slip-optimal-mse", "proof-ratio-sign",
        "proof-weak-symbol",
    ),
    "the entries that it names for what holds instead": (
        "false-mean-condition", "false-mean-vacuous", "false-k", "false-mse-split", "false-note",
        "false-local-tail", "false-weak-regime", "false-two-users", "false-beta-half", "proof-panch",
        "proof-integral", "proof-cross-term", "proof-similar-steps", "proof-beta-one", "slip-silent-user",
        "removal-replacement",
    ),
}  # fmt: skip

_ALL: tuple[str, ...] = (
    "norm-ends", "norm-pair", "norm-wrong",
    "tail-exact-mean", "tail-exact-gain", "clipping-helps", "trivial-half", "vertex-mse",
    "vertex-general-sizes", "hull-fourier", "two-categories", "anchored-box", "permuted-quotients",
    "gaussian-units", "packed-attained", "two-tight", "two-tangent",
    "spider-windows", "opt-counts",
    "local-unbiased",
)  # fmt: skip

STEPS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(_ALL, "") | {name: step for step, names in _PROSE.items() for name in names}
)


def checked(name: str, strength: Strength | str) -> str:
    """`whole claim`, `algebra; prose: ...` or `instances`; what was not established has none of them."""
    if not strength:
        return ""
    if strength != "proved":
        return INSTANCES
    step = STEPS.get(name)
    if step is None:
        return "algebra; prose: from the steps checked to the statement"
    return f"algebra; prose: {step}" if step else WHOLE
