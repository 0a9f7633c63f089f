"""No refuted claim may get lost between a check and the report: everything has a name of its own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hdp_audit.api import audit
from hdp_audit.audits.game import Arm
from hdp_audit.audits.share import Outcome
from hdp_audit.engine import assemble, plan
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.model.promise import PureDP
from hdp_audit.model.task import Frequency, Mean
from hdp_audit.reporting.report_json import read_report, report_json
from hdp_audit.search.tiers import named_tiers, tiers
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject
from tests.subjects import bases

Floats = NDArray[np.float64]
NEAR = np.repeat([0.03, 0.030000001], 70)


class Favouring:
    """Σ w_i x_i + noise: users of the larger demand weigh three times what they were promised."""

    name = "favouring"

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        weights = np.where(epsilon > 0.03, 3.0 * epsilon, epsilon)
        return data @ weights + rng.laplace(0.0, 1.0, size)

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        weights = np.where(epsilon > 0.03, 3.0 * epsilon, epsilon)
        return datasets @ weights + rng.laplace(0.0, 1.0, len(datasets))

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])


def test_the_second_of_two_demands_that_look_alike_is_refuted_in_the_report() -> None:
    claim = PrivacyClaim(floating_point="off")
    report = audit(Favouring(), epsilon=NEAR, task="mean", budget=20_000, privacy=claim)
    failing = [finding for finding in report.findings if finding.verdict == "fail" and "/tier/" in finding.id]
    assert report.verdict == "fail"
    assert [finding.id for finding in failing] == ["favouring/privacy/tier/0.030000001"]
    assert "0.030000001" in failing[0].message


@given(st.lists(st.floats(0.0, 1e308) | st.sampled_from([1.0, float(np.nextafter(1.0, 2.0))]), min_size=1, max_size=80))
def test_every_tier_has_a_name_of_its_own(values: list[float]) -> None:
    found = named_tiers(PureDP(np.array(values)))
    assert len({tier.name for tier in found}) == len(found) == len(tiers(np.array(values)))


def test_two_findings_under_one_id_are_refused() -> None:
    finding = Finding("m/privacy/tier/1", "m", "privacy", "fail", "tested", "")
    with pytest.raises(AssertionError, match="m/privacy/tier/1"):
        AuditReport((), (finding, finding), 0.999, 1, 0)


def test_a_check_whose_finding_another_check_has_made_is_refused() -> None:
    case = plan([_case()], confidence=0.999, budget=2_000, seed=1)[0].case
    checks = [check for check in plan([case], confidence=0.999, budget=2_000, seed=1) if "/tier/" in check.id]
    twin = Outcome((Finding("m/privacy/tier/1", "m", "privacy", "pass", "tested", "", detectable=1.0),))
    refuted = Outcome((Finding("m/privacy/tier/1", "m", "privacy", "fail", "tested", ""),))
    with pytest.raises(AssertionError):
        assemble(checks, {checks[0].id: twin, checks[1].id: refuted}, 0.0)


def test_that_calls_fail_is_said_once_whichever_checks_met_it() -> None:
    checks = [check for check in plan([_case()], confidence=0.999, budget=2_000, seed=1) if "/tier/" in check.id]
    met = Outcome((Finding("m/behaviour/call/raised", "m", "behaviour", "error", "tested", "it raised"),))
    report = assemble(checks, {check.id: met for check in checks}, 0.0)
    assert [finding.id for finding in report.findings] == ["m/behaviour/call/raised"]


def _case() -> object:
    from hdp_audit.audits.case import Case
    from hdp_audit.model import PrivacyDemands

    return Case.of("m", Favouring, PrivacyDemands.from_values(NEAR), Mean(), privacy=PrivacyClaim())


def test_a_report_file_in_which_two_findings_share_an_id_is_refused(tmp_path: pytest.TempPathFactory) -> None:
    finding = Finding("m/privacy/tier/1", "m", "privacy", "fail", "tested", "")
    text = report_json(AuditReport((), (finding,), 0.999, 1, 0))
    line = next(line for line in text.splitlines() if "m/privacy/tier/1" in line)
    path = tmp_path / "report.json"  # type: ignore[operator]
    path.write_text(text.replace(line, f"{line},\n{line}"))
    with pytest.raises(InvalidInput, match="2 times"):
        read_report(path)


@pytest.mark.parametrize("categories", [None, *range(2, 9)])
def test_base_datasets_have_names_of_their_own(categories: int | None) -> None:
    own = np.zeros(20) if categories is None else np.zeros(20, dtype=np.int64)
    names = [base.name for base in bases(20, categories, own)]
    assert len(set(names)) == len(names)


NAMES = ["a", "b", "a\x1fb", "\x1e", "\x1es", "\x1f", ""]


def test_streams_of_different_names_differ() -> None:
    names = [each for length in (1, 2, 3) for each in itertools.product(NAMES, repeat=length)]
    drawn = {float(stream(1, *each).random()) for each in names}
    assert len(drawn) == len(names)


class Noted(Subject):
    """Remembers the states of the generators that it is given."""

    def __init__(self, categories: int) -> None:
        super().__init__(Favouring(), PureDP(np.full(20, 0.5)), Frequency(categories))
        self.states: list[str] = []

    def same(self, _data: object, size: int, rng: np.random.Generator) -> Floats:
        self.states.append(str(rng.bit_generator.state))
        rng.random(size + 1)
        return np.zeros((size, self.width + 1))


def test_no_two_arms_of_a_game_share_their_randomness() -> None:
    """Two arms were called "everybody in category 0": pooled bets were then not independent."""
    subject = Noted(5)
    pairs = [subject.pair(base, np.arange(4)) for base in bases(20, 5)]
    rounds = [Arm(subject, pair, 1, "tier/0", i, False, False).draw(50)[1] for i, pair in enumerate(pairs)]
    assert len({coins.tobytes() for coins in rounds}) == len(pairs) == 5
    assert len(set(subject.states)) == len(subject.states)
