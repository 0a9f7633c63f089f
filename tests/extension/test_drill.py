"""The extension drill: a promise, a neighbour relation, a domain, a distinguisher, a check, a report format and a
reference mechanism, each from this file alone, and audits with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import audit
from hdp_audit.audits import plan
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.distinguishers import registry
from hdp_audit.distinguishers.distinguisher import Candidate, Joint, Naming, Sample
from hdp_audit.model import AccuracyClaim, AuditReport, Finding, PrivacyClaim
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.finding import Kind
from hdp_audit.model.neighbours import Coins, NeighbourPair, Neighbours
from hdp_audit.model.promise import Limit, Promise, PureLimit
from hdp_audit.reporting import formats
from hdp_audit.reporting.files import write_reports
from hdp_audit.reporting.format import Options
from hdp_audit.targets.reference import Audited
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from mechanisms import Entry, Mean, builders, register, spending, withdraw
from mechanisms.weighted import laplace_law

Floats = NDArray[np.float64]
Users = NDArray[np.int64]
FORMULA = PrivacyClaim(floating_point="off")


def refuted(report: AuditReport) -> list[Finding]:
    return [finding for finding in report.findings if finding.verdict == "fail"]


# A promise -----------------------------------------------------------------------------------------------------------


class Odds(Promise):
    """Nobody's odds change by more than a factor; groups multiply their factors."""

    def __init__(self, factors: Any) -> None:
        self.factors: Floats = np.asarray(factors, dtype=np.float64)

    @property
    def columns(self) -> Mapping[str, Floats]:
        return {"factor": self.factors}

    @property
    def strengths(self) -> Floats:
        return np.log(self.factors)

    def group(self, users: Users) -> Limit:
        return PureLimit(float(np.log(self.factors[users]).sum()))

    def keeping(self, users: Users) -> Odds:
        return Odds(self.factors[users])


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "pass"), (0.4, "fail")])
def test_a_promise(scale: float, verdict: str) -> None:
    def release(data: Floats, factor: Floats, rng: np.random.Generator) -> float:
        return float(data @ np.log(factor) + rng.laplace(0.0, scale))

    promise = Odds([1.5] * 6 + [2.0] * 6)
    report = audit(release, promise=promise, task="mean", budget=12_000, privacy=FORMULA)
    assert report.verdict == verdict
    assert {f.claimed for f in report.findings if f.kind == "privacy"} >= {np.log(1.5), np.log(2.0)}


# A neighbour relation ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Presence(Coins):
    """A user whose coin shows 1 is not there."""

    data: Any
    promise: Promise
    free: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.promise)

    def dataset(self, coins: NDArray[np.bool_]) -> Dataset:
        there = np.flatnonzero(~(coins & self.free))
        return Dataset(self.data[there], self.promise.keeping(there))

    def datasets(self, coins: NDArray[np.bool_]) -> Collection[Dataset]:
        return [self.dataset(row) for row in coins]

    def only(self, users: Users) -> Presence:
        free = np.zeros(len(self), dtype=np.bool_)
        free[users] = True
        return Presence(self.data, self.promise, free)


class Leave(Neighbours):
    """A user leaves, and takes their demand along."""

    name = "leave"

    def pair(self, domain: Domain, base: Base, users: Users, promise: Promise) -> NeighbourPair:
        everybody = np.arange(len(promise))
        rest = np.setdiff1d(everybody, users)
        data = base.data.copy()
        data[users] = base.second
        there, gone = Dataset(data, promise), Dataset(data[rest], promise.keeping(rest))
        return NeighbourPair(base.name, users, there, gone, promise.group(users), "there", "gone")

    def coins(self, _domain: Domain, base: Base, promise: Promise) -> Presence:
        everybody = np.full_like(base.data, base.second)
        return Presence(everybody, promise, np.ones(len(promise), dtype=np.bool_))


def noisy_sum(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """Σ ε_i x_i + Laplace(1): whoever leaves moves it by at most their demand."""
    return float(data @ epsilon + rng.laplace(0.0, 1.0))


def counts_people(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """The number of users in the clear: replacing a datum never shows it."""
    return noisy_sum(data, epsilon, rng) + 1000.0 * len(data)


def test_a_neighbour_relation() -> None:
    given: dict[str, Any] = {"epsilon": [0.5] * 10, "task": "mean", "budget": 8_000, "privacy": FORMULA}
    assert audit(noisy_sum, neighbours=Leave(), **given).verdict == "pass"
    assert audit(counts_people, **given).verdict == "pass"  # nobody leaves where data are replaced
    found = refuted(audit(counts_people, neighbours=Leave(), **given))
    assert found
    assert found[0].witness["second"].endswith("these users gone")


# A domain ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words(Domain):
    """Words by which people say how they are."""

    listed: tuple[str, ...]

    def ends(self) -> tuple[str, str]:
        return self.listed[0], self.listed[-1]

    def random(self, users: int, rng: np.random.Generator) -> Any:
        return rng.choice(self.listed, users)

    def allows(self, data: Any) -> bool:
        return bool(np.isin(data, self.listed).all())

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.listed)}"


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "pass"), (0.3, "fail")])
def test_a_domain(scale: float, verdict: str) -> None:
    def happy(data: Any, epsilon: Floats, rng: np.random.Generator) -> float:
        return float((data == "good") @ epsilon + rng.laplace(0.0, scale))

    domain = Words(("bad", "so-so", "good"))
    report = audit(happy, epsilon=[0.4] * 12, task="mean", domain=domain, budget=12_000, privacy=FORMULA)
    assert report.verdict == verdict
    for finding in refuted(report):
        moved = finding.witness["first"].rpartition(", and ")[2]
        assert moved in {f"{who} at {word}" for who in ("these users", "this user") for word in domain.listed}


# A distinguisher -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parity(Joint):
    """Whether the output, a whole number, has an odd number of ones in binary."""

    odd: float  # the score of an odd number

    def __call__(self, outputs: Floats) -> Floats:
        return np.where(_is_odd(outputs[:, 0]), self.odd, -self.odd)

    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        kinds = ("odd", "even") if self.odd > 0 else ("even", "odd")
        second, first = (f"the number of ones in {name(0)}, in binary, is {kind}" for kind in kinds)
        return second if high <= abs(self.odd) else "never", first if low >= -abs(self.odd) else "never"


def _is_odd(outputs: Floats) -> NDArray[np.bool_]:
    return (np.bitwise_count(np.abs(outputs).astype(np.int64)) & 1).astype(np.bool_)


def parity(sample: Sample) -> Iterator[Candidate]:
    odd = _is_odd(sample.outputs[:, 0])
    ones, zeros = np.count_nonzero(odd & sample.coins) + 0.5, np.count_nonzero(odd & ~sample.coins) + 0.5
    yield Candidate(Parity(float(np.log(ones / zeros))), price=3.0)


def hidden_in_ones(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """Noise that tells nothing, but for its number of binary ones: that is odd where the first datum is large."""
    noise = int(rng.integers(1 << 40))
    return float(2 * noise + ((noise.bit_count() + (data[0] > 0.5)) & 1))


def test_a_distinguisher(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"epsilon": [0.1], "task": "mean", "budget": 8_000, "privacy": FORMULA, "inert": "allow"}
    assert not refuted(audit(hidden_in_ones, **given))
    monkeypatch.setitem(registry.DISTINGUISHERS, "parity of ones", parity)
    found = refuted(audit(hidden_in_ones, **given))
    assert found
    assert "the number of ones in the output, in binary, is odd" in found[0].witness["event"]


# A check -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RangeCheck(Check):
    """Outputs lie between 0 and 1."""

    @property
    def name(self) -> str:
        return "range"

    def run(self, subject: Subject) -> Outcome:
        own = named(self.share.seed, self.name)
        outputs = subject.draw(subject.dataset(np.ones(len(subject.promise))), self.share.calls, own)[:, 0]
        outside = int(np.count_nonzero((outputs < 0) | (outputs > 1)))
        told = f"{outside} of {outputs.size} outputs lie outside of 0 to 1"
        return Outcome((Finding.about(subject.name, "accuracy", "range", "fail" if outside else "pass", told),))

    def possible(self) -> Iterator[tuple[Kind, str]]:
        yield "accuracy", "range"


def test_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def checks(case: Case, share: Share) -> list[Check]:
        return [RangeCheck(case, share)]

    monkeypatch.setitem(plan.PLANNERS, "range", plan.Planner("range", 0.1, lambda _case: True, checks))
    given: dict[str, Any] = {"epsilon": [0.5] * 10, "task": "mean", "budget": 6_000, "privacy": FORMULA}
    (found,) = (f for f in audit(noisy_sum, **given).findings if f.id == "noisy_sum/accuracy/range")
    assert found.verdict == "fail"
    assert "outputs lie outside of 0 to 1" in found.message


# A report format -----------------------------------------------------------------------------------------------------


class Lines:
    """One line a finding."""

    def file(self, name: str) -> str:
        return f"{name}.lines"

    def render(self, report: AuditReport, options: Options) -> str:
        return "".join(f"{finding.verdict} {finding.id}\n" for finding in report.findings)


def test_a_report_format(tmp_path: Path) -> None:
    lines = Lines()
    formats.register(lines)
    try:
        report = audit(noisy_sum, epsilon=[0.5] * 10, task="mean", budget=4_000, privacy=FORMULA)
        written = {path.name: path for path in write_reports(report, tmp_path)}
    finally:
        formats.unregister(lines)
    told = written["report.lines"].read_text(encoding="utf-8").splitlines()
    assert told == [f"{finding.verdict} {finding.id}" for finding in report.findings]


# A reference mechanism -----------------------------------------------------------------------------------------------


def test_a_reference_mechanism() -> None:
    half = builders.weighted(lambda demands, _: spending.saturated(demands, float(np.median(demands))))
    register(Entry("median", "half of the users saturate", "ours", "median", (Mean,), half, laplace_law))
    epsilon = np.repeat([0.2, 1.0, 3.0], 8)
    try:
        mechanism = Audited("median", epsilon, task="mean", categories=None)
        report = audit(mechanism, epsilon=epsilon, task="mean", budget=4_000, accuracy=AccuracyClaim())
    finally:
        withdraw("median")
    assert not [finding.id for finding in report.findings if finding.verdict in ("fail", "error")]
    losses = [finding.upper.value for finding in report.findings if finding.kind == "privacy" and finding.upper]
    assert losses  # the exact loss stands beside what was measured
    assert max(losses) <= 3.0
