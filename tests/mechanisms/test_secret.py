"""A public level: what an output has of one user, data and demand together, in exact rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mechanisms import InvalidInput, build
from mechanisms.secret import SecretMechanism

USERS = 6
LEVEL = 0.75
OTHERS = np.array([0.1, 0.3, 0.75, 2.0, np.inf])


def built(demand: float) -> SecretMechanism:
    made = build("hpm-secret", epsilon=[*OTHERS, demand], level=LEVEL)
    assert isinstance(made, SecretMechanism)
    return made


def centre(mechanism: SecretMechanism, datum: float) -> int:
    """The total, in units, to which the noise is added, the others at fixed data."""
    data = np.array([[0.2, 0.9, 1.0, 0.0, 0.5, datum]])
    moved = (mechanism.grid.whole - int(mechanism.grid.units.sum())) // 2
    return int(mechanism.task.totals(mechanism.grid.units, data)[0, 0]) + moved


def test_noise_and_grid_are_the_same_whatever_anybody_demands() -> None:
    grids = {(built(demand).grid.whole, built(demand).grid.bits) for demand in (0.0, 1e-9, 0.2, 0.75, 5.0, np.inf)}
    assert len(grids) == 1


def test_datum_and_demand_change_together_for_the_larger_demand() -> None:
    rng = np.random.default_rng(1)
    demands = [0.0, 1e-6, 0.1, 0.749, 0.75, 3.0, *rng.random(6)]
    data = [0.0, 1.0, 0.5, *rng.random(3)]
    for one, other in ((a, b) for a in demands for b in demands):
        before, after = built(one), built(other)
        scale = 1 << (before.grid.bits or 0)
        allowed = max(min(Fraction(demand), Fraction(LEVEL)) for demand in (one, other))
        for x, y in ((x, y) for x in data for y in data):
            moved = Fraction(abs(centre(before, x) - centre(after, y)), scale)
            assert moved <= allowed
            if x == y:  # the demand alone, but for a datum rounded to a unit
                assert moved <= abs(allowed - min(Fraction(min(one, other)), Fraction(LEVEL))) / 2 + Fraction(3, scale)


def test_outputs_lie_on_one_grid_whatever_the_demands() -> None:
    """Added after the noise, in doubles, the ½ of the missing weight would tell the sum of all demands."""
    made = built(0.2)
    outputs = made.release_many(np.full(USERS, 0.5), size=2_000, rng=np.random.default_rng(2))
    inside = outputs[(outputs > 0) & (outputs < 1)]
    cells = inside * float(made.grid.whole)
    assert inside.size > 100
    np.testing.assert_array_equal(np.rint(cells) / made.grid.whole, inside)


@pytest.mark.parametrize("level", [0, -1.0, np.nan, np.inf, "high", 1e10])
def test_a_level_that_is_none_is_refused(level: object) -> None:
    with pytest.raises(InvalidInput, match="a level of saturation is a number"):
        build("hpm-secret", epsilon=[1.0], level=level)  # type: ignore[arg-type]


def test_a_level_belongs_to_mechanisms_that_take_one() -> None:
    with pytest.raises(InvalidInput, match="hpm-cp chooses its own; leave it out, or take hpm-secret"):
        build("hpm-cp", epsilon=[1.0], level=1.0)
