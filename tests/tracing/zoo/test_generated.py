"""Mechanisms that are generated: correct by construction, and tried as those written by hand are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.tracing.zoo import test_truths as truths
from tests.tracing.zoo.generated import correct_mechanisms


@pytest.mark.parametrize("seed", range(24))
def test_generated_mechanisms_are_correct(seed: int) -> None:
    entry = correct_mechanisms(seed)
    assert entry.name == correct_mechanisms(seed).name
    for pair, value in entry.losses.items():
        assert value is not None
        assert value <= entry.demands[pair[0]]
        if entry.reference is not None:
            assert truths.second(entry, pair) == pytest.approx(value, rel=1e-5, abs=1e-6)
    if entry.reference is not None:
        truths.test_no_other_pair_passes_the_bound(entry)
        truths.test_outputs_follow_their_law(entry)


def test_generated_outputs_do_not_tell_more_than_demands_where_no_law_is_written() -> None:
    """Half-spaces and words of 300 calls on each of two neighbours: a ratio of frequencies beyond e^ε is chance.

    Hoeffding: P(p̂ - e^ε·q̂ > t) ≤ exp(-2mt²/(1 + e^2ε)), at 10⁻⁹ for each of at most ten events of 24 seeds.
    """
    for seed in range(24, 48):
        entry = correct_mechanisms(seed)
        pair = max(entry.losses, key=lambda p: entry.losses[p] or 0.0)
        rng, e = np.random.default_rng(seed), entry.epsilon
        one, other = ([entry.mechanism(x, e, rng) for _ in range(300)] for x in entry.datasets(pair))
        for event in events(one):
            p, q = (np.mean([event(y) for y in outputs]) for outputs in (one, other))
            limit = math.exp(entry.demands[pair[0]])
            slack = math.sqrt(math.log(10 / truths.ALARM) * (1 + limit**2) / 600)
            assert max(p - limit * q, q - limit * p) <= slack


def events(outputs: list[Any]) -> list[Any]:
    """Chosen by the kind of output, and by fixed numbers: not by what was seen."""
    if isinstance(outputs[0], tuple | float | int):
        return [lambda y, t=t: (y[-1] if isinstance(y, tuple) else y) > t for t in (-2.0, 0.0, 0.25, 1.0, 3.0)]
    return [lambda y, w=w: w in y for w in ("low", "high", "0", "1")]


def test_generated_mechanisms_have_many_kinds() -> None:
    kinds = {correct_mechanisms(seed).name.split("_", 2)[2] for seed in range(200)}
    assert len(kinds) > 50
