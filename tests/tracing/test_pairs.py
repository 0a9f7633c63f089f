"""The collection of mechanisms with known losses: what a trace says of a pair is never on the wrong side."""

from __future__ import annotations

import pytest

from tests.tracing.known import found
from tests.tracing.zoo import ENTRIES
from tests.tracing.zoo.entry import Entry, Pair
from tests.tracing.zoo.generated import correct_mechanisms

GENERATED = 30


def shown(entry: Entry) -> Pair:
    """The pair that breaks it, else its first."""
    return entry.breaks if entry.breaks is not None else next(iter(entry.losses))


@pytest.mark.many(5)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_true_loss_lies_between_what_is_said(entry: Entry) -> None:
    truth, said = entry.losses[shown(entry)], found(entry, shown(entry))
    assert said.traced or said.why
    if truth is None:
        return
    assert not said.lower > truth * (1 + 1e-9) + 1e-12
    assert entry.upper or not said.upper < truth * (1 - 1e-9) - 1e-12


@pytest.mark.many(6)
@pytest.mark.parametrize("seed", range(GENERATED))
def test_a_correct_mechanism_made_at_random_is_never_accused(seed: int) -> None:
    entry = correct_mechanisms(seed)
    for pair in entry.losses:
        assert not found(entry, pair).lower > entry.demands[pair[0]] * (1 + 1e-9)
