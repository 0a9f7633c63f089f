"""Products of two outputs tell what no output and no weighted sum does."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.projections import Projection, sum_of_signs
from hdp_audit.distinguishers.quadratics import Quadratic, best_quadratic
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.distinguishers.words import guess_words
from hdp_audit.model.promise import PureLimit

CELLS = 50


def correlated(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two standard normal numbers whose correlation is 0.4 or −0.4, and a third one."""
    rng = np.random.default_rng(seed)
    coins = rng.random(size) < 0.5
    one, other, third = rng.standard_normal((3, size))
    own = np.where(coins, 0.4, -0.4)
    return np.column_stack([one, own * one + np.sqrt(1.0 - own**2) * other, third]), coins


def test_a_correlation_is_heard_in_a_thousand_draws() -> None:
    """The odds are 0.95·x·y: 63 % are right, where 50 % are allowed; 59 % of 20,000 is twelve standard errors off."""
    witness = learn_witness(*correlated(1_000, 1), 20_000, 0.01, limit=PureLimit(0.05))
    assert isinstance(witness.joint, Quadratic)
    right, made = witness.counts(*correlated(20_000, 2))
    assert right > 0.59 * made
    words = guess_words(witness, Features(np.ones(3)))
    assert words["second"].startswith("the sum of ")
    assert "output 0 - " in words["second"]
    assert "output 1 - " in words["second"]


def test_its_line_of_python_says_the_same() -> None:
    outputs, coins = correlated(2_000, 3)
    rule = best_quadratic(outputs, coins, 3, CELLS)
    assert rule is not None
    line, score = rule.plain(lambda column: f"row[{column}]")
    told = np.array([eval(line, {"row": row}) for row in outputs[:200]])  # noqa: S307 - a sum of products
    np.testing.assert_allclose(score(told), rule(outputs[:200]), atol=1e-9)
    assert set(rule.reads()) <= {0, 1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_noise_has_no_product_that_pays(seed: int) -> None:
    """9 terms and 3 tables: a rule may be there, but gains no more than its price on what it was learned from."""
    rng = np.random.default_rng([5, seed])
    outputs, coins = rng.laplace(size=(1_000, 3)), rng.random(1_000) < 0.5
    witness = learn_witness(outputs, coins, 20_000, 0.01, limit=PureLimit(0.05))
    assert not isinstance(witness.joint, Quadratic)


def test_a_sum_of_signs_knows_many_outputs_that_tell_little_from_few_draws() -> None:
    """Ten outputs moved by ±0.3 in noise of scale 1, 400 draws: the sum is right 63 % of the time, 7 errors from 56."""
    rng = np.random.default_rng(6)
    coins = rng.random(4_400) < 0.5
    outputs = np.where(coins[:, None], [0.3, -0.3] * 5, 0.0) + rng.laplace(size=(4_400, 10))
    signs = sum_of_signs(outputs[:400], coins[:400], 10, CELLS)
    assert isinstance(signs, Projection)
    assert np.mean((signs(outputs[400:]) > 0) == coins[400:]) > 0.56
    assert sum_of_signs(outputs[:100], coins[:100], 10, CELLS) is None


def test_columns_of_symbols_and_of_numbers_too_large_to_multiply_are_left_out() -> None:
    outputs, coins = correlated(2_000, 4)
    far = np.column_stack([np.where(coins, 2.0**299, 2.0**299.5), np.full(coins.size, 1e150), outputs])
    far[::7, 1] = -1e150
    found = best_quadratic(far, coins, far.shape[1], 40)
    assert found is not None
    assert min(found.reads()) == 2
