"""The budget accountant of examples/session-accountant: right verdicts, and the proof of its README by enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import PrivacyClaim, Remove, audit
from hdp_audit.targets.python import Target
from tests.cli.specs import QUICK, document, invoke

EXAMPLE = Path(__file__).parents[2] / "examples" / "session-accountant"
Floats = NDArray[np.float64]
DEMANDS = np.repeat([0.5, 1.0, 2.0], [5, 5, 4])


@cache
def loaded(target: str) -> Any:
    """From the example; as modules, so that all share one class of refusals."""
    return Target(target, EXAMPLE).load()


def verdicts_of_tiers(folder: Path) -> dict[float, str]:
    """And both files of the example are known to the report."""
    report = document(folder)
    assert {"analyst.py", "service.py"} <= set(report["environment"]["files"])
    return {entry["claimed"]: entry["verdict"] for entry in report["findings"] if entry["scope"] == "tier"}


def test_the_forgetful_accountant_is_refuted_in_every_tier(tmp_path: Path) -> None:
    done = invoke("run", EXAMPLE / "hdp-audit-forgetful.toml", "--out", tmp_path, *QUICK, "--budget", 4000)
    assert done.exit_code == 1, done.output
    assert verdicts_of_tiers(tmp_path) == dict.fromkeys((0.5, 1, 2), "fail")


def test_the_accountant_is_not_refuted(tmp_path: Path) -> None:
    """So few calls may be too few for a pass; a false alarm has probability at most 10⁻⁶."""
    few = ("--budget", 4000, "--confidence", 1 - 1e-6)
    done = invoke("run", EXAMPLE / "hdp-audit.toml", "--out", tmp_path, *QUICK, *few)
    assert done.exit_code in (0, 3), done.output
    assert set(verdicts_of_tiers(tmp_path).values()) <= {"pass", "inconclusive"}


@pytest.mark.full
def test_the_accountant_passes(tmp_path: Path) -> None:
    done = invoke("run", EXAMPLE / "hdp-audit.toml", "--out", tmp_path, *QUICK)
    assert done.exit_code == 0, done.output
    assert verdicts_of_tiers(tmp_path) == dict.fromkeys((0.5, 1, 2), "pass")


def test_questions_that_are_fixed_beforehand_miss_the_fault() -> None:
    """They show no violation on these data, so that a false alarm has probability at most 10⁻⁶."""
    demands = np.repeat([0.5, 1.0, 2.0], [30, 40, 30])
    forgetful, fixed = loaded("forgetful:Forgetful"), loaded("analyst:fixed")
    report = audit(
        forgetful,
        session=fixed,
        epsilon=demands,
        task="mean",
        neighbours=Remove(),
        budget=4000,
        confidence=1 - 1e-6,
        privacy=PrivacyClaim(detect=4, floating_point="off"),
    )
    assert report.findings
    assert "fail" not in {finding.verdict for finding in report.findings}


class Impossible(Exception):
    """These outcomes have probability 0."""


@cache
def scripted(kind: Any) -> Any:
    """A service whose answers are given (None: refused; else so much above the threshold), and their probability."""
    refused, fewest = loaded("service:Refused"), loaded("service:FEWEST")

    class Scripted(kind):  # type: ignore[misc]
        chance = 1.0
        outcomes: Iterator[int | None]

        def count(self, cut: float, price: float, at_least: int) -> int:
            self.least, self.outcome = max(at_least, fewest), next(self.outcomes)
            try:
                answer = super().count(cut, price, at_least)
            except refused:
                if self.outcome is None:
                    raise
                raise Impossible from None
            if self.outcome is None:
                raise Impossible
            return int(answer)

        def _paid(self, payers: Any, price: float) -> int:
            many = super()._paid(payers, price)  # without noise
            if self.outcome is None:
                self.chance *= below(self.least - many, price)
                return self.least - 1
            self.chance *= at(self.least + self.outcome - many, price)
            return self.least + self.outcome

    return Scripted


def at(k: int, price: float) -> float:
    """The probability of k, which is proportional to exp(−price·|k|)."""
    return math.tanh(price / 2) * math.exp(-price * abs(k))


def below(k: int, price: float) -> float:
    """Of all numbers below k."""
    tail = math.exp(-price * max(k, 1 - k)) / (1 + math.exp(-price))
    return tail if k <= 0 else 1 - tail


class Silent:
    """A generator whose noise is 0."""

    def geometric(self, _stop: float) -> int:
        return 1


def chance(kind: Any, script: tuple[int | None, ...], demands: Floats) -> float:
    """Of what the adaptive analyst is told, with all users above the cut."""
    service = scripted(kind)(np.ones(demands.size), demands, Silent())
    service.outcomes = iter(script)
    try:
        loaded("analyst:adaptive")(service)
    except Impossible:
        return 0.0
    return float(service.chance)


def losses(kind: Any, user: int) -> Iterator[float]:
    """By refusals, answers at the threshold and far above: how much better the user's presence explains it, or less."""
    some, few = (None, 0, 20), (None, 0)
    for script in itertools.product(some, few, few, few, few, some, some):
        chances = chance(kind, script, DEMANDS), chance(kind, script, np.delete(DEMANDS, user))
        if max(chances) > 0:
            yield math.inf if min(chances) == 0 else abs(math.log(chances[0] / chances[1]))


def test_the_noise_of_the_enumeration_is_a_probability() -> None:
    for price in (1 / 64, 28 / 64, 1.0):
        assert math.fsum(at(k, price) for k in range(-4000, 4001)) == pytest.approx(1, abs=1e-12)
        for k in (-3, 0, 1, 5):
            assert below(k, price) == pytest.approx(math.fsum(at(j, price) for j in range(k - 4000, k)), abs=1e-12)


@pytest.mark.parametrize("user", [0, 5, 10], ids=["careful", "ordinary", "relaxed"])
def test_no_transcript_tells_more_of_a_user_than_their_demand(user: int) -> None:
    worst = max(losses(loaded("service:Service"), user))
    assert 0.8 * DEMANDS[user] < worst <= DEMANDS[user] + 1e-9  # rounding alone


def test_refusals_that_cost_nothing_tell_for_certain() -> None:
    assert math.inf in losses(loaded("forgetful:Forgetful"), 0)
