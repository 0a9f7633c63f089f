"""What tiers hide and a search finds: leaks that do not add up, values inside the domain, datasets at a threshold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hdp_audit import AuditReport, PrivacyClaim, audit
from hdp_audit.audits.case import Case
from hdp_audit.audits.race import race
from hdp_audit.audits.search import SearchCheck
from hdp_audit.engine import plan, run_check
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.domain import Base
from hdp_audit.model.finding import Finding
from hdp_audit.model.task import Mean
from hdp_audit.search.exploring import Finalist
from hdp_audit.targets.streams import named
from tests.subjects import subject_of

Rng = np.random.Generator
Truth = Callable[[np.ndarray], float]

EPSILON = [0.1] * 20 + [1.0] * 5
FORMULA = PrivacyClaim(floating_point="off", trace="off")


class Answered:
    """A number of the data plus noise, or a bit of them that is turned round now and then."""

    __name__ = "answered"

    def __init__(self, truth: Truth, noise: Callable[[float, Rng, int], np.ndarray]) -> None:
        self.truth, self.noise = truth, noise

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: np.ndarray, _: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        return self.noise(float(self.truth(data)), rng, size)


def turned(loss: float) -> Callable[[float, Rng, int], np.ndarray]:
    return lambda bit, rng, size: np.where(rng.random(size) < 1 / (1 + np.exp(-loss)), bit, 1 - bit)


def laplace(scale: float) -> Callable[[float, Rng, int], np.ndarray]:
    return lambda value, rng, size: value + rng.laplace(0.0, scale, size)


def searched(mechanism: Answered, epsilon: list[float] = EPSILON, **more: object) -> tuple[AuditReport, list[Finding]]:
    given = {"task": "mean", "budget": 24_000, "privacy": FORMULA, "inert": "allow"}
    report = audit(mechanism, epsilon=epsilon, **(given | more))
    return report, [finding for finding in report.findings if finding.label == "privacy/search"]


HIDDEN = {
    "is anybody there": Answered(lambda data: float((data > 0.5).any()), turned(1.0)),
    "the largest": Answered(np.max, laplace(1.0)),
    "an odd number": Answered(lambda data: float((data > 0.5).sum() % 2), turned(1.0)),
    "exactly three": Answered(lambda data: float((data > 0.5).sum() == 3), turned(1.5)),
    "a code inside": Answered(lambda data: float(data.mean() + (data == 0.5).any()), laplace(1.0)),
    "all alike": Answered(lambda data: float(data.mean() + (data.std() < 1e-9)), laplace(1.0)),
}


def test_a_threshold_among_many_users_is_narrowed_down() -> None:
    """The bit changes between 36 and 37 of 100, where no usual threshold is."""
    quota = Answered(lambda data: float((data > 0.5).sum() >= 37), turned(1.5))
    _, (found,) = searched(quota, [0.1] * 100, budget=100_000)
    assert found.counterexample is not None
    assert found.counterexample.base == "searched: 36 others at 1, the rest at 0"


def test_a_band_of_values_of_one_user_is_found() -> None:
    band = Answered(lambda data: float(data.mean() + (0.2 < data[11] < 0.4)), laplace(0.5))
    _, (found,) = searched(band, [0.5] * 25, budget=40_000)
    assert found.users == (11,)


@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_group_hides_is_found(name: str) -> None:
    """The tiers move 20 users who may lose 2 together, and these lose 1 or 1.5."""
    report, (found,) = searched(HIDDEN[name])
    assert report.verdict == "fail"
    assert found.counterexample is not None
    assert len(found.users) == 1
    assert found.lower is not None
    assert found.claimed is not None
    assert found.lower.value > found.claimed
    assert found.counterexample.base.startswith("searched: ")


def test_what_was_searched_is_told_where_nothing_is_found() -> None:
    kept = Answered(lambda data: float(data @ np.array(EPSILON)), laplace(1.0))
    report, found = searched(kept)
    assert (report.verdict, found) == ("pass", [])
    assert "pairs of datasets in" in report.subjects[0].details["searched"]


def test_the_calls_of_a_search_come_on_top_and_are_a_quarter_of_the_budget_at_most() -> None:
    kept = Answered(lambda data: float(data @ np.array(EPSILON)), laplace(1.0))
    case = Case.of("kept", lambda: kept, PrivacyDemands.from_values(EPSILON), Mean(), privacy=FORMULA)
    (search,) = (check for check in plan([case], confidence=0.999, budget=8_000, seed=1) if type(check) is SearchCheck)
    assert run_check(search).calls <= search.share.calls == 2_000


def test_a_race_of_exactly_tight_pairs_hardly_ever_ends_with_a_refutation() -> None:
    """Each of 12 at significance 0.05 in all: more than 8 refutations have probability below 10⁻⁶."""
    demands = np.array([0.2, 0.5, 1.0, 0.0])
    tight = Answered(lambda data: float(data @ demands), laplace(1.0))
    subject, refuted = subject_of(tight, demands), 0
    bases = [Base("ones", np.ones(4), 0.0, 1.0), Base("zeros", np.zeros(4), 0.0, 1.0)]
    moved = [(bases[0], [0]), (bases[1], [1]), (bases[1], [2]), (bases[0], [3]), (bases[1], [0, 1])]
    for seed in range(12):
        finalists = []
        for base, users in moved:
            pair, coins = subject.pair(base, np.array(users)), np.repeat([False, True], 40)
            sides = (pair.first, pair.second)
            table = np.concatenate([subject.draw(side, 40, named(seed, "test", at)) for at, side in enumerate(sides)])
            finalists.append(Finalist(pair, table, coins))
        refuted += race(subject, finalists, 600, 0.05 / len(finalists), seed, "test").wealth.refutes
    assert refuted <= 8


@pytest.mark.parametrize("output", [0.5, np.nan, 1e300])
def test_what_never_varies_is_searched_without_a_finding(output: float) -> None:
    _, found = searched(Answered(lambda _data: output, lambda value, _rng, size: np.full(size, value)), budget=6_000)
    assert found == []


def test_what_raises_on_searched_data_alone_is_a_leak_and_no_crash() -> None:
    def truth(data: np.ndarray) -> float:
        if ((data > 0.5) & (data < 0.999)).sum() == 1:
            raise ValueError("one in the middle")
        return 0.0

    report, found = searched(Answered(truth, laplace(1.0)), [0.2] * 20)
    assert [finding.verdict for finding in found] == ["fail"]
    assert any(finding.kind == "behaviour" for finding in report.findings)
