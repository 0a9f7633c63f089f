"""Reference mechanisms with noise in doubles, whose losses are proved: what their draws say is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit import ZCDP, Promise, PureDP, trace
from mechanisms import build, names
from mechanisms.errors import InvalidInput

DEMANDS = np.array([0.05, 0.05, 0.5, 0.5, 2.0, 0.0, 5.0])
OUT_OF_REACH = {"sm", "ldp", "hpf-cp-hull", "hpf-ce-hull"}  # by their own bits, or only a part of what users report


def built(name: str, **promised: Any) -> Any:
    for task, categories in (("mean", None), ("frequency", 3)):
        try:
            return build(name, task=task, categories=categories, noise="float", **promised), task, categories
        except InvalidInput:
            continue
    return None


def known(**promised: Any) -> list[str]:
    return [name for name in names() if name not in OUT_OF_REACH and built(name, **promised) is not None]


def losses(name: str, promise: Promise, **promised: Any) -> tuple[Any, Any]:
    mechanism, task, categories = built(name, **promised)

    def release(data: Any, _promised: Any, rng: np.random.Generator) -> Any:
        return mechanism.release(data, rng=rng)

    found = trace(release, promise=promise, task=task, categories=categories, calls=40_000)
    assert found.within
    return found.losses, np.asarray(mechanism.privacy_loss)


@pytest.mark.many(17)
@pytest.mark.parametrize("name", known(epsilon=DEMANDS))
def test_the_draws_say_the_proved_loss(name: str) -> None:
    np.testing.assert_allclose(*losses(name, PureDP(DEMANDS), epsilon=DEMANDS), rtol=1e-9, atol=1e-15)


@pytest.mark.many(17)
@pytest.mark.parametrize("name", known(rho=DEMANDS**2))
def test_the_draws_say_the_proved_rho(name: str) -> None:
    np.testing.assert_allclose(*losses(name, ZCDP(DEMANDS**2), rho=DEMANDS**2), rtol=1e-9, atol=1e-15)
