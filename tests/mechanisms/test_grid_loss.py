"""The integer mechanisms' losses, by enumerating every output of every neighbouring pair on a small grid.

Equality of rationals.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from mechanisms import build
from mechanisms import weighted as weighted_module
from mechanisms.weighted import WeightedMechanism

DEMANDS = np.array([2.0, 4.0, 8.0, 0.0])
NAMES = ["prop", "uni", "hpm-cp", "hpm-we-sharp", "hpm-cp-centred", "hpm-we-centred"]


@pytest.fixture
def small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """M below 2^5 units instead of 2^60."""
    monkeypatch.setattr(weighted_module, "FINEST", 5)
    monkeypatch.setattr(weighted_module, "COARSEST", 2)


def clipped_bounds(mechanism: WeightedMechanism) -> tuple[int, int]:
    """The totals at which the estimate reaches 0 and 1; in between every total is an output of its own."""
    offset = Fraction(mechanism.grid.whole - int(mechanism.grid.units.sum()), 2)
    low, high = -offset, mechanism.grid.whole - offset
    return -int(-low // 1), int(high // 1)


def exponents(total: int, low: int, high: int) -> dict[str, int]:
    """Output → power of q = e^{−1/s} in its probability.

    The constants (1−q)/(1+q) and 1/(1+q) depend on the output alone.
    """
    inner = {f"={k}": abs(k - total) for k in range(low + 1, high)}
    return inner | {"low": max(total - low, 0), "high": max(high - total, 0)}


def tail_is_geometric(total: int, low: int, high: int) -> bool:
    """P(total + Z ≤ low) = q^(total−low)/(1+q) needs low ≤ total, and the same above."""
    return low <= total <= high


@pytest.mark.many(2)
@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("name", NAMES)
def test_a_mean_loses_exactly_its_units_over_the_scale(name: str) -> None:
    mechanism = build(name, task="mean", epsilon=DEMANDS)
    assert isinstance(mechanism, WeightedMechanism)
    values = [0.0, 0.3, 0.5, 1.0]
    worst = [Fraction(0)] * DEMANDS.size
    low, high = clipped_bounds(mechanism)
    for data in product(values, repeat=DEMANDS.size):
        base = int(mechanism.task.totals(mechanism.grid.units, np.array([data]))[0, 0])
        assert tail_is_geometric(base, low, high)
        for user, other in product(range(DEMANDS.size), values):
            moved = list(data)
            moved[user] = other
            total = int(mechanism.task.totals(mechanism.grid.units, np.array([moved]))[0, 0])
            pair = exponents(base, low, high), exponents(total, low, high)
            gap = max(abs(pair[0][key] - pair[1][key]) for key in pair[0])
            worst[user] = max(worst[user], Fraction(gap, 1 << mechanism.grid.bits))
    assert worst == [mechanism.privacy_loss_exact(user) for user in range(DEMANDS.size)]
    assert all(loss <= Fraction(demand) for loss, demand in zip(worst, DEMANDS, strict=True))


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("name", ["prop", "uni", "hpf-cp", "hpf-we-sharp", "hpf-cp-centred"])
def test_frequencies_lose_exactly_twice_their_units_over_the_scale(name: str) -> None:
    mechanism = build(name, task="frequency", categories=3, epsilon=DEMANDS)
    assert isinstance(mechanism, WeightedMechanism)
    worst = [Fraction(0)] * DEMANDS.size
    low, high = clipped_bounds(mechanism)
    for data in product(range(3), repeat=DEMANDS.size):
        base = mechanism.task.totals(mechanism.grid.units, np.array([data]))[0]
        for user, other in product(range(DEMANDS.size), range(3)):
            moved = list(data)
            moved[user] = other
            totals = mechanism.task.totals(mechanism.grid.units, np.array([moved]))[0]
            # Bins carry independent noise: the worst output of the table is the worst of each bin, and exponents add.
            largest = smallest = 0
            for before, after in zip(base, totals, strict=True):
                one, two = exponents(int(before), low, high), exponents(int(after), low, high)
                gaps = [two[key] - one[key] for key in one]
                largest, smallest = largest + max(gaps), smallest + min(gaps)
            worst[user] = max(worst[user], Fraction(max(largest, -smallest), 1 << mechanism.grid.bits))
    assert worst == [mechanism.privacy_loss_exact(user) for user in range(DEMANDS.size)]


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("name", ["prop", "hpm-cp-centred"])
def test_released_outputs_follow_the_enumerated_law(name: str) -> None:
    """Chi-square of real releases against the exact law; an honest mechanism fails with probability 10⁻⁶."""
    mechanism = build(name, task="mean", epsilon=DEMANDS)
    assert isinstance(mechanism, WeightedMechanism)
    data = np.array([1.0, 0.0, 1.0, 1.0])
    total = int(mechanism.task.totals(mechanism.grid.units, data[None, :])[0, 0])
    low, high = clipped_bounds(mechanism)
    q = np.exp(-1.0 / (1 << mechanism.grid.bits))
    law = {
        key: q**power * (1.0 if key in ("low", "high") else 1.0 - q) / (1.0 + q)
        for key, power in exponents(total, low, high).items()
    }
    assert sum(law.values()) == pytest.approx(1.0, abs=1e-12)
    outputs = mechanism.release_many(data, size=200_000, rng=np.random.default_rng(7))
    cells = np.rint((outputs - mechanism.offset) * mechanism.grid.whole).astype(int)
    counts = np.array(
        [*(np.sum(cells == k) for k in range(low + 1, high)), np.sum(cells <= low), np.sum(cells >= high)]
    )
    expected = 200_000 * np.array(list(law.values()))
    assert chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1) > 1e-6
