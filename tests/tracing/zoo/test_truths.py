"""The losses of the collection, derived a second time from laws of outputs, and those laws tried on the code.

Statistical tests: false-alarm probability at most 10⁻⁷ a part and dataset, 10⁻⁶ a test (Dvoretzky-Kiefer-Wolfowitz
for numbers, Bernstein for atoms).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.tracing.zoo import ENTRIES, MODULES
from tests.tracing.zoo.entry import Entry, Pair
from tests.tracing.zoo.laws import Density, Law, Part, loss

CALLS = 1000
ALARM = 1e-7
UNBOUNDED = 100.0  # no demand here is above 3; grids end at 10⁷ widths, so a ratio without bound passes this
KNOWN = [(e, p) for e in ENTRIES for p, v in e.losses.items() if v is not None and e.reference and not e.upper]
WITH_LAW = [e for e in ENTRIES if e.reference is not None]
BROKEN = [e for e in ENTRIES if not e.correct]


def named(value: Any) -> str | None:
    return value.name if isinstance(value, Entry) else None


def second(entry: Entry, pair: Pair) -> float:
    assert entry.reference is not None
    one, other = entry.datasets(pair)
    return loss(entry.reference(one), entry.reference(other))


@pytest.mark.parametrize(("entry", "pair"), KNOWN, ids=named)
def test_two_derivations_of_a_loss_agree(entry: Entry, pair: Pair) -> None:
    truth, again = entry.losses[pair], second(entry, pair)
    assert truth is not None
    if math.isinf(truth):
        assert again > UNBOUNDED
    else:
        assert again == pytest.approx(truth, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("entry", ENTRIES, ids=named)
def test_what_an_entry_says_fits_together(entry: Entry) -> None:
    assert len(entry.demands) == entry.n
    assert 1 <= len(entry.losses) <= 6
    for pair, value in entry.losses.items():
        one, other = entry.datasets(pair)
        assert len(one) == entry.n and (one != other).sum() == 1
        top = 1 if entry.categories is None else entry.categories - 1
        assert min(one.min(), other.min()) >= 0 and max(one.max(), other.max()) <= top
        if value is not None and entry.bound is not None:
            assert value / entry.demands[pair[0]] <= entry.bound * (1 + 1e-9)
    if entry.correct:
        assert entry.breaks is None and entry.bound is not None and entry.bound <= 1 + 1e-9
    else:
        assert entry.factor is not None and entry.factor > 1 and entry.note


@pytest.mark.parametrize("entry", WITH_LAW, ids=named)
def test_no_other_pair_passes_the_bound(entry: Entry) -> None:
    """Random pairs, mostly at the ends of the domain, by the laws of outputs."""
    if entry.bound is None or math.isinf(entry.bound):
        pytest.skip("no bound to pass")
    rng = np.random.default_rng(3)
    for _ in range(5 if entry.n < 20 else 2):
        pair = random_pair(entry, rng)
        assert second(entry, pair) <= entry.bound * entry.demands[pair[0]] * (1 + 1e-5) + 1e-6


def random_pair(entry: Entry, rng: np.random.Generator) -> Pair:
    user = int(rng.integers(entry.n))
    if entry.categories is not None:
        base = rng.integers(entry.categories, size=entry.n)
        moved = (base[user] + rng.integers(1, entry.categories)) % entry.categories
        return user, tuple(int(v) for v in base), int(moved)
    values = np.where(rng.random(entry.n + 1) < 0.6, rng.integers(2, size=entry.n + 1), rng.random(entry.n + 1))
    values[-1] = 1 - values[user] if rng.random() < 0.5 else values[-1]
    if values[-1] == values[user]:
        values[-1] = 1 - values[user]
    return user, tuple(float(v) for v in values[:-1]), float(values[-1])


@pytest.mark.parametrize("entry", WITH_LAW, ids=named)
def test_outputs_follow_their_law(entry: Entry) -> None:
    assert entry.reference is not None
    pair = entry.breaks or next(iter(entry.losses))
    for seed, x in enumerate(entry.datasets(pair)):
        law, rng = entry.reference(x), np.random.default_rng(seed)
        np.random.seed(seed)  # noqa: NPY002  (some mechanisms draw from the global stream)
        seen = [law.view(entry.mechanism(x.copy(), entry.epsilon, rng)) for _ in range(CALLS)]
        for part, values in zip(law.parts, zip(*seen, strict=True), strict=True):
            follows(part, values)


def follows(part: Part, values: tuple[Any, ...]) -> None:
    """Each atom's frequency and each piece's distribution function are near the law's, and nothing else is seen."""
    numbers: dict[Any, list[float]] = {label: [] for label in part.pieces}
    counts = dict.fromkeys(part.atoms, 0)
    for value in values:
        if value in counts:
            counts[value] += 1
        elif isinstance(value, tuple) and value[0] in numbers:
            numbers[value[0]].append(float(value[1]))
        else:
            numbers[None].append(float(value))
    level = math.log(2 * max(1, len(counts)) / ALARM)
    for value, count in counts.items():
        p = part.atoms[value]
        slack = math.sqrt(2 * p * (1 - p) * level * len(values)) + level  # Bernstein
        assert abs(count - p * len(values)) <= slack, (value, count, p)
    for label, density in part.pieces.items():
        assert distance(density, np.sort(numbers[label]), len(values)) <= math.sqrt(level / (2 * len(values))) + 1e-3


def distance(density: Density, seen: Any, calls: int) -> float:
    """Largest difference of the two distribution functions, by trapezoids on the grid."""
    y = density.grid()
    values = np.exp(density.at(y))
    values[np.isinf(values)] = 0.0
    mass = np.concatenate([[0.0], np.cumsum(np.diff(y) * (values[1:] + values[:-1]) / 2)])
    return float(np.max(np.abs(np.searchsorted(seen, y, side="right") / calls - mass)))


@pytest.mark.parametrize("entry", WITH_LAW, ids=named)
def test_additive_noise_keeps_its_seed(entry: Entry) -> None:
    """With one seed, outputs on neighbours differ by exactly the difference of the laws' locations."""
    assert entry.reference is not None
    for pair in entry.losses:
        laws = [entry.reference(x) for x in entry.datasets(pair)]
        outputs = [called(entry, law, x) for law, x in zip(laws, entry.datasets(pair), strict=True)]
        for one, other, u, v in zip(*(law.parts for law in laws), *outputs, strict=True):
            if (
                one.location is not None
                and other.location is not None
                and one.pieces[None].width == other.pieces[None].width
            ):
                assert v - u == pytest.approx(other.location - one.location, abs=1e-9)


def called(entry: Entry, law: Law, x: Any) -> Any:
    return law.view(entry.mechanism(x, entry.epsilon, np.random.default_rng(5)))


def test_the_collection_is_large_and_even() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names) >= 80
    assert 0.4 <= len(BROKEN) / len(ENTRIES) <= 0.6
    assert all(module.__doc__ for module in MODULES)
