"""LDP: each message's loss from the integers that the code runs on, at fifty digits, against what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest

from mechanisms import build
from mechanisms.baselines.local import LocalFrequency, LocalMean
from mechanisms.standard import STANDARD, standard_demands

WIDE = np.exp(np.random.default_rng(20).uniform(-30.0, 10.0, 300))
EDGES = np.array([0.0, 2.0**-41, 2.0**-40, 1e-9, 1e-3, 0.5, 1.0, 56.0, 57.0, 1e3, 2.0**12, 2.0**13, 1e300, np.inf])
DEMANDS = {**{name: standard_demands(name)[::37] for name in STANDARD}, "wide": WIDE, "edges": EDGES}
EVERY = pytest.mark.parametrize("label", DEMANDS)
WEAK = pytest.mark.parametrize("setting", ["correlated", "weakly-correlated"])


@pytest.fixture(autouse=True)
def _fifty_digits() -> Iterator[None]:
    with mp.workdps(50):
        yield


def flip_loss(flips: int) -> mp.mpf:
    """2·log((1−f)/f): two one-hot vectors differ in two bits, each flipped with probability f = flips/2^62."""
    return 2 * mp.log(mp.mpf(2**62 - flips) / flips) if flips else mp.inf


@EVERY
@WEAK
@pytest.mark.parametrize("k", [2, 7])
def test_rappor_keeps_demands_and_reports_its_loss(label: str, setting: str, k: int) -> None:
    made = build("ldp", epsilon=DEMANDS[label], categories=k, setting=setting)  # type: ignore[arg-type]
    assert isinstance(made, LocalFrequency)
    for user, demand in enumerate(made.epsilon):
        reported = mp.mpf(float(made.privacy_loss[user]))
        true = flip_loss(int(made.flips[user])) if made.weights[user] > 0 else mp.mpf(0)
        assert true <= reported <= mp.mpf(float(demand))
        assert true == reported or reported - true <= mp.mpf("1e-9") * true


@EVERY
@WEAK
def test_local_means_lose_span_over_scale_exactly(label: str, setting: str) -> None:
    made = build("ldp", epsilon=DEMANDS[label], task="mean", setting=setting)  # type: ignore[arg-type]
    assert isinstance(made, LocalMean)
    for user, demand in enumerate(made.epsilon):
        exact = made.privacy_loss_exact(user)
        if made.weights[user] == 0 or np.isinf(demand):
            assert exact == (demand if made.weights[user] > 0 else 0)
            continue
        assert exact == Fraction(int(made.spans[user]), 2**48) == Fraction(float(made.privacy_loss[user]))
        assert exact <= Fraction(float(demand))


def test_a_flipped_one_hot_vector_loses_two_bits_by_enumeration() -> None:
    """k = 3, all eight messages: the largest log-ratio is the closed form."""
    made = build("ldp", epsilon=[0.25, 1.5], categories=3)
    assert isinstance(made, LocalFrequency)
    for flips in made.flips:
        f = mp.mpf(int(flips)) / 2**62
        masses = {
            datum: [mp.fprod(1 - f if bit == (j == datum) else f for j, bit in enumerate(message)) for message in BITS]
            for datum in range(3)
        }
        worst = max(
            a / b for one, other in product(masses, repeat=2) for a, b in zip(masses[one], masses[other], strict=True)
        )
        assert abs(mp.log(worst) - flip_loss(int(flips))) < mp.mpf("1e-40")


BITS = list(product((False, True), repeat=3))


@pytest.mark.parametrize("epsilon", [0.5, 2.0**12, 1e6])
def test_a_local_mean_message_caps_the_same_for_every_datum(epsilon: float) -> None:
    """Noise is drawn capped at ±2^61 and messages are capped at ±2^60: all of the capped noise lands in the cap."""
    made = build("ldp", epsilon=[epsilon], task="mean")
    assert isinstance(made, LocalMean)
    span = int(made.spans[0])
    assert span - 2**61 <= -(2**60)
    assert 0 + 2**61 >= 2**60
    # The message cap is reached by data 0 and span with masses q^(2^60) and q^(2^60 − span): ratio e^{span/2^48}.
    assert span <= 2**60
