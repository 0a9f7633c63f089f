"""Two independent derivations: what `hdp_audit.theory` states for a mechanism is what its own weights attain."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.theory import Cell
from mechanisms import build, criteria, entry, names, standard_demands
from mechanisms.criteria import Aim, Criterion
from mechanisms.demands import budgets
from mechanisms.saturation import Centred, Family, Simplex, SortedDemands
from tests.oracles.tables import BETA, CATEGORIES, STANDARD, TOGETHER, table

DEMANDS = ["tiers", "equal-0.1", "two-point"]


def own_optimum(cell: Cell) -> tuple[type[Family], Criterion]:
    """The family and criterion of the mechanism that the theory names, as the mechanisms package has them."""
    frequency = cell.task == "frequency"
    aim = Aim(CATEGORIES if frequency else 1, 2 if frequency else 1, BETA if cell.metric == "pac" else None)
    asked = entry(cell.mechanism)
    weakly = asked.setting == "weakly-correlated"
    if weakly and asked.rule == "centred":
        return Simplex, criteria.centred_weak_square(aim)
    if asked.rule == "centred":
        return Centred, criteria.centred(aim)
    if asked.rule == "hull":
        return (Simplex, criteria.hull_weak(aim)) if weakly else (Centred, criteria.hull(aim))
    return Simplex, criteria.sharp_weak(aim) if weakly else criteria.sharp_correlated(aim)


@pytest.mark.many(2)
@TOGETHER
@pytest.mark.parametrize("demands", DEMANDS)
def test_every_guarantee_is_attained_by_the_mechanism_it_names(demands: str) -> None:
    """The theory stops searching levels sooner and rounds up by 10⁻⁸ (hull); the mechanisms search to 10⁻⁹."""
    epsilon = standard_demands(demands)
    np.testing.assert_array_equal(np.sort(epsilon), np.sort(STANDARD[demands]))
    for cell in table(demands):
        assert cell.mechanism in names()
        asked = entry(cell.mechanism)
        family, criterion = own_optimum(cell)
        categories = CATEGORIES if cell.task == "frequency" else None
        level = build(cell.mechanism, epsilon=epsilon, categories=categories, beta=BETA).level
        assert level is not None
        value = value_at(family(SortedDemands(budgets(epsilon))), criterion, level)
        if asked.rule == "hull":
            # The theory knows a sharper bound at the level that the mechanism's own bound chose.
            largest = float(epsilon.max())  # nobody spends more: from there on all levels are one
            assert min(cell.level, largest) == pytest.approx(min(level, largest), rel=1e-3), cell.mechanism
            assert cell.upper.value <= value * (1 + 1e-5), cell.mechanism
        else:
            assert cell.upper.value == pytest.approx(value, rel=1e-5), cell.mechanism


def value_at(family: Family, criterion: Criterion, level: float) -> float:
    """What the weights of a level attain, by the smallest of the criterion's branches."""
    norms = family.limit() if np.isinf(level) else family.at(np.array([level]))
    assert norms is not None
    return min(float(branch(norms)[0]) for branch in criterion)
