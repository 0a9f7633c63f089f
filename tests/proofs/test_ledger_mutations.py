"""Each check is sensitive: a wrong constant in its claim is caught. The true constant is the function's default."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from hdp_audit.proofs import (
    baselines,
    bias,
    centred,
    chains,
    corrections,
    corrections_bounds,
    corrections_proofs,
    grid,
    hull,
    hull_grid,
    local,
    lower,
    maxima,
    optimality,
    optimality_mse,
    packing,
    permutation,
    privacy,
    saturation,
    sharpened,
    statistical,
    tails,
    two_points,
    unseen,
    upper,
    vertex,
    weights,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hdp_audit.proofs import Evidence

MUTATIONS: list[tuple[str, Callable[..., Evidence], dict[str, Any]]] = [
    ("frequency noise 2t → t, k = 2..6", privacy.frequency_sizes, {"factor": 1}),
    ("frequency noise 2t → t, every k", privacy.frequency_all, {"factor": 1}),
    ("no noise for the mean", privacy.mean_all, {"factor": 0}),
    ("balanced noise 2t → t", privacy.balanced_noise, {"factor": 1}),
    ("grid mean loss doubled", grid.mean_loss, {"sensitivity": 2}),
    ("grid frequency loss halved", grid.frequency_loss, {"sensitivity": 1}),
    ("tail ⌊a⌋ + 1 → ⌊a⌋", grid.tails, {"extra": 0}),
    ("grid scale halved", grid.scale_choice, {"sensitivity": 1}),
    ("Laplace tail twice as fast", tails.laplace_tail, {"scale_factor": 2}),
    ("1 − β → 2 − β in the quantile", tails.quantile, {"beta_term": 2}),
    ("cosh doubled", tails.exact_mean_tail, {"cosh_weight": 2}),
    ("constant ½ → ⅓", tails.trivial_half, {"half": "1/3"}),
    ("H² + H₂ → H²", maxima.second_moment, {"square_weight": 0}),
    ("7.2852 → 7.28", maxima.order_constants, {"upper": "7.28"}),
    ("2.37 → 2.36", maxima.unit_constants, {"upper": "2.36"}),
    ("log 2k → log k", maxima.dependent_maximum, {"log_factor": 1}),
    ("bias ½ → ⅓ of the norm", bias.worst_bias, {"share": "1/3"}),
    ("bias square ¼ → ⅛", bias.bias_moment, {"share": "1/8"}),
    ("‖x‖₁² ≤ (n−1)‖x‖₂²", bias.one_norm_by_two, {"slack": 1}),
    ("n/(n−1) → 1 in the variance", bias.permuted_variance, {"correction": 0}),
    ("n/(n−1) → 1 in the spread", bias.largest_spread, {"correction": 0}),
    ("(1−1/k)² → (1−1/k)³", bias.vector_second_moment, {"power": 3}),
    ("convex → concave", vertex.log_concave, {"sign": -1}),
    ("2b² → b²", vertex.worst_mean_square, {"noise_weight": 1}),
    ("Hoeffding 1/8 → 1/9", permutation.hoeffding_lemma, {"divisor": 9}),
    ("association reversed", permutation.negative_association, {"direction": -1}),
    ("exponent 2 → 4", permutation.hoeffding_tail, {"exponent": 4}),
    ("H_{n−1}/(n−1) → H_n/n", permutation.permutation_constant, {"shift": 0}),
    ("17/4 → 4", upper.pac_correlated, {"frequency": "4"}),
    ("mean 5/4 → 1", upper.pac_correlated, {"mean": "1"}),
    ("35/2 → 17", upper.pac_weak, {"frequency": "17"}),
    ("2k → k in the bias term", upper.two_conditions, {"bias_share": 1}),
    ("29.4 → 29", upper.mse_correlated, {"frequency": "29"}),
    ("mean 2 → 1", upper.mse_correlated, {"mean": "1"}),
    ("0.406 → 0.4", upper.mse_weak, {"kappa": "0.4"}),
    ("29.1408 → 29.13", upper.noise_moment, {"frequency": "29.13"}),
    ("centre ½ → 0.4, mean", centred.mean_bias, {"centre": "2/5"}),
    ("centre ½ → 0.6, frequency", centred.frequency_bias, {"centre": "3/5"}),
    ("¼ → ⅕ in the weak centred mean", centred.weak_mean, {"quarter": "1/5"}),
    ("Σω = ½ → 1", hull.marginal, {"halves": 1}),
    ("8.9093 → 8.9", hull.quantile, {"scales": "8.9"}),
    ("deficit D → 2D", hull.vertices, {"total": 2}),
    ("k−1 → k−2 bins", hull.union, {"first": 2}),
    ("C(r+k−j−1, ·) → C(r+k−j−2, ·)", hull_grid.counting, {"spare": 2}),
    ("acceptance r+k−j−1+i → r+k−j−2+i", hull_grid.sampling, {"offset": 2}),
    ("rounded contributions doubled", hull_grid.rounded_mean, {"sensitivity": 2}),
    ("hull loss doubled", hull_grid.hull_loss, {"sensitivity": 2}),
    ("plain ceiling", lower.modified_ceiling, {"strict": False}),
    ("K → 2K, correlated", lower.correlated, {"floor": 2}),
    ("K → 2K, weak", lower.weak_plus, {"floor": 2}),
    ("β/(1−β) → β", lower.weak_minus, {"excess": "0"}),
    ("¼ → ⅓ for half silent users", lower.half_silent, {"quarter": Fraction(1, 3)}),
    ("binomial coefficient dropped", packing.symmetric_mean, {"divide": False}),
    ("z^{−m} → z^{−2m}", packing.tilting, {"power": 2}),
    ("mean^m → mean^{2m}", packing.maclaurin, {"exponent": 2}),
    ("Bayes risk doubled", two_points.bayes_risk, {"weight": "1"}),
    ("(E−1)/(E+1) → (E−2)/(E+1)", two_points.hyperbolic, {"shift": 2}),
    ("curvature halved", two_points.weak_mixture, {"curvature": 4}),
    ("A too large", two_points.tangent_bound, {"first": 5}),
    ("variance ¼ → ⅕", statistical.quadratic_step, {"cap": "1/5"}),
    ("4δ² → 2δ²", statistical.public_users, {"factor": 2}),
    ("¼E X² → ⅛E X²", statistical.private_users, {"moment": "1/8"}),
    ("1/(8n) → 1/(4n)", statistical.special_case, {"denominator": 4}),
    ("recursion with the wrong factor", chains.cone_minimum, {"flip": 2}),
    ("ν too small", chains.pac_duality, {"total": "9/10"}),
    ("τ²/4 → τ²/8", chains.mse_duality, {"quarter": "1/8"}),
    ("ν < 0", chains.product_step, {"sign": -1}),
    ("2α → α", chains.spider_windows, {"reach": 1}),
    ("E/(E+K) too small", sharpened.rivals, {"share": "9/10"}),
    ("½ → ⅓ in the tilted tail", sharpened.tilted, {"half": 3}),
    ("1/(|B|+2a) doubled", unseen.unseen_users, {"weight": 2}),
    ("curvature of tanh halved", unseen.split_users, {"scale": 4}),
    ("n ≥ 3 → n ≥ 2", optimality.counts, {"smallest": 2}),
    ("1.893 → 1.892", optimality.log_ratio, {"frequency": "1.892"}),
    ("31.4 → 31.3", optimality.correlated, {"frequency": "31.3"}),
    ("6.62 → 6.61", optimality.weak_upper, {"frequency": "6.61"}),
    ("13.02 → 13.01", optimality.weak_lower, {"constant": "13.01"}),
    ("6 + 4√2 → 5 + 4√2", optimality_mse.regime, {"base": 5}),
    ("Laplace variance 2 → 1", optimality_mse.upper_on_statistical, {"noise": 1}),
    ("δ² doubled", optimality_mse.lower_on_statistical, {"divisor": 32}),
    ("8.48 → 8.4", optimality_mse.upper_on_value, {"constant": "8.4"}),
    ("1448 → 1447", optimality_mse.theorem, {"mean": "1447"}),
    ("3/256 → 1/3", optimality_mse.all_public, {"share": "1/3"}),
    ("2Σ(u−w)₊ → Σ(u−w)₊", saturation.least_bias, {"factor": 1}),
    ("sign of the derivative", saturation.closed_form, {"sign": -1}),
    ("r-sequence shifted", saturation.r_sequence, {"offset": 1}),
    ("1/Σε → 2/Σε", weights.proportional, {"floor": 2}),
    ("2/n → 1/n", weights.one_silent_user, {"scale": 1}),
    ("sampling rate doubled", baselines.replacement, {"slack": 2}),
    ("SM noise 2/(tP) → 1/(tP)", baselines.sound_scale, {"frequency": 1}),
    ("leak above 0.31", baselines.realised_size_leaks, {"claimed": "0.31"}),
    ("leak above 0.45", baselines.half_noise_leaks, {"claimed": "0.45"}),
    ("RAPPOR loss halved", local.rappor_loss, {"half": 1}),
    ("coth(ε/4) → coth(ε/2)", local.rappor_unbiased, {"quarter": 2}),
    ("n dropped from the local weights", local.local_weights, {"bias": 0}),
    ("support of width 2w", corrections.scaled_support, {"width": 2}),
    ("a bound that is not exceeded", corrections_bounds.mean_condition, {"claimed": Fraction(3, 7)}),
    ("n/16 → n/8", corrections_bounds.shrinking_coefficient, {"multiple": 8}),
    ("k = 1 demands nothing", corrections_bounds.categories_minus_one, {"categories": 1}),
    ("ratio above 10⁵", corrections_bounds.beta_near_half, {"limit": "100000"}),
    ("factor 3 is enough", corrections_proofs.panch_constant, {"factor": "3"}),
    ("printed sign of the ratio", corrections_proofs.ratio_sign, {"sign": -1}),
    ("right sign of the cross term", corrections_proofs.cross_term, {"sign": 1}),
    ("ratio above 10⁵", corrections_proofs.beta_near_one, {"limit": "100000"}),
]


@pytest.mark.parametrize(("name", "check", "wrong"), MUTATIONS, ids=[f"{c.__module__}:{n}" for n, c, _ in MUTATIONS])
def test_a_wrong_constant_is_caught(name: str, check: Callable[..., Evidence], wrong: dict[str, Any]) -> None:
    try:
        evidence = check(**wrong)
    except (ArithmeticError, ValueError) as refused:
        pytest.fail(f"{name}: the check broke ({refused!r}) instead of finding the claim false")
    assert not evidence.holds, f"{name}: the wrong constant was not noticed"


def test_at_least_twelve_checks_are_mutated() -> None:
    assert len({check for _, check, _ in MUTATIONS}) >= 12
