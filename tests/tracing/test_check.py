"""Tracing as a check of an audit: its verdicts, its evidence, and a gate without randomness."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from hdp_audit import PrivacyClaim, PrivacyDemands, audit, engine
from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.trace import TraceCheck
from hdp_audit.cli import main
from hdp_audit.model.finding import Finding
from hdp_audit.model.task import Mean
from hdp_audit.reporting.format import Options
from hdp_audit.reporting.html import Html
from hdp_audit.reporting.meaning import means
from hdp_audit.runs.outcomes import outcome_from_json, outcome_to_json
from hdp_audit.tracing.trace import _unfinished

ONLY = PrivacyClaim(trace="only")
UNRECORDED = np.random.laplace
DEMANDS = [0.5] * 10 + [2.0] * 10


def kept(data: Any, epsilon: Any, rng: Any) -> float:
    return round(float(data.mean() + rng.laplace(0.0, 1.0 / (len(data) * epsilon.min()))), 3)


def halved(data: Any, epsilon: Any, rng: Any) -> float:
    return round(float(data.mean() + rng.laplace(0.0, 0.5 / (len(data) * epsilon.min()))), 3)


def changing(data: Any, epsilon: Any, rng: Any) -> float:
    """Half of the noise while generators are recorded, and all of it in every other call."""
    less = 0.5 if np.random.laplace is not UNRECORDED else 1.0
    return float(data.mean() + rng.laplace(0.0, less / (len(data) * epsilon.min())))


def alone(mechanism: Any, **more: Any) -> Finding:
    report = audit(mechanism, epsilon=DEMANDS, task="mean", privacy=ONLY, **more)
    (finding,) = report.findings
    return finding


def beside(mechanism: Any) -> Outcome:
    """The check as an audit runs it, without all the others."""
    claim = PrivacyClaim(floating_point="off")
    case = Case.of("m", lambda: mechanism, PrivacyDemands.from_values(DEMANDS), Mean(), privacy=claim)
    checks = engine.plan([case], confidence=0.999, budget=600_000, seed=1)
    return engine.run_check(next(check for check in checks if isinstance(check, TraceCheck)))


def test_a_gate_without_randomness_passes_what_is_right_and_says_the_loss() -> None:
    finding = alone(kept)
    assert (finding.verdict, finding.evidence) == ("pass", "traced")
    assert finding.upper is not None
    assert finding.upper.value == pytest.approx(0.5)
    assert finding.upper.is_theorem


def test_it_names_who_loses_what_and_the_line_of_the_draw() -> None:
    finding = alone(halved)
    assert finding.verdict == "fail"
    assert finding.users == tuple(range(10))
    assert finding.traced is not None
    assert (finding.traced.lower, finding.traced.upper) == (pytest.approx(1.0), pytest.approx(1.0))
    draw = finding.traced.draws[0]
    assert draw.law == "laplace"
    assert "0.5 / (len(data)" in Path(__file__).read_text().splitlines()[draw.line - 1]
    assert f"{draw.file}:{draw.line}" in finding.message
    first, second = finding.traced.probabilities or (0.0, 0.0)
    assert abs(np.log(first / second)) == pytest.approx(1.0)


@pytest.mark.parametrize("mechanism", [kept, halved])
def test_the_same_verdict_with_every_seed(mechanism: Any) -> None:
    assert len({alone(mechanism, seed=seed).message for seed in (1, 2)}) == 1


def test_an_accusation_is_counted_with_real_noise() -> None:
    (finding,) = beside(halved).findings
    assert finding.verdict == "fail"
    assert finding.traced is not None
    assert finding.traced.counted is not None
    assert finding.traced.counted.agrees


def test_a_mechanism_that_behaves_otherwise_while_it_is_traced_is_not_accused() -> None:
    """Real noise does not agree: the false alarm has a chance of 2e-6."""
    outcome = beside(changing)
    (finding,) = outcome.findings
    assert finding.verdict == "inconclusive"
    assert "real noise" in finding.message
    assert outcome.traced is None


def test_turned_off_there_is_no_finding() -> None:
    claim = PrivacyClaim(trace="off", floating_point="off")
    report = audit(halved, epsilon=DEMANDS, task="mean", privacy=claim, budget=5_000)
    assert not any(finding.evidence == "traced" for finding in report.findings)


def test_what_cannot_be_traced_is_left_open_by_a_gate_and_said_beside_tests() -> None:
    def raw(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean() + (rng.bit_generator.random_raw() % 1000) / 1000)

    finding = alone(raw)
    assert finding.verdict == "inconclusive"
    assert "bit generator" in finding.message
    outcome = beside(raw)
    assert not outcome.findings
    assert "bit generator" in outcome.details["not_traced"]


def test_a_sum_of_two_noises_is_left_open_with_what_an_alignment_allows() -> None:
    """Its outputs follow two draws each, so no event of one draw is known; more calls would not change that."""

    def doubled(data: Any, epsilon: Any, rng: Any) -> float:
        return float(epsilon @ data + rng.laplace(0.0, 0.5) + rng.laplace(0.0, 0.1))

    finding = alone(doubled)
    assert finding.verdict == "inconclusive"
    assert "by an alignment, where" in finding.message
    assert "calls were not enough" not in finding.message
    assert 'trace = "auto"' in finding.message


def test_too_few_calls_say_how_many_should_do() -> None:
    assert _unfinished(20_000, 4, 5).endswith("those of 4 of 5 base datasets; about 30,000 should do")


def test_given_pairs_are_traced() -> None:
    def counts(data: list[int], epsilon: Any, rng: Any) -> dict[str, float]:
        return {"count": sum(data) + rng.laplace(0.0, 1.0)}

    def pairs() -> Iterator[Any]:
        yield [0, 1, 1], [1, 1, 1], [0]

    report = audit(counts, epsilon=[0.5, 1.0, 1.0], task="custom", pairs=pairs, privacy=ONLY)
    (finding,) = report.findings
    assert finding.verdict == "fail"
    assert finding.lower is not None
    assert finding.lower.value == pytest.approx(1.0)


def test_users_losses_are_in_the_report() -> None:
    report = audit(halved, epsilon=DEMANDS, task="mean", privacy=ONLY)
    figures = report.subjects[0].figures
    assert figures is not None
    assert figures.traced is not None
    np.testing.assert_allclose(figures.traced, 1.0)


def test_a_traced_finding_comes_back_from_a_journal_as_it_was() -> None:
    before = Outcome((alone(halved),), traced=np.array([1.0, np.inf, np.nan]))
    after = outcome_from_json(json.loads(json.dumps(outcome_to_json(before), allow_nan=False)))
    assert after.findings == before.findings
    np.testing.assert_array_equal(after.traced, before.traced)


SPEC = """
[mechanism]
target = "mean.py:release"
task = "mean"
[demands]
values = [0.5, 0.5, 2.0, 2.0]
[privacy]
trace = "only"
"""


def test_a_gate_in_a_spec(tmp_path: Path) -> None:
    code = (
        "def release(data, epsilon, rng):\n    return data.mean() + rng.laplace(0, {} / (len(data) * epsilon.min()))\n"
    )
    (tmp_path / "hdp-audit.toml").write_text(SPEC)
    for less, exit_code in (("1.0", 0), ("0.9", 1)):
        (tmp_path / "mean.py").write_text(code.format(less))
        done = CliRunner().invoke(
            main, ["run", str(tmp_path / "hdp-audit.toml"), "--out", str(tmp_path / f"out{less}")]
        )
        assert done.exit_code == exit_code, done.output
    assert "mean.py:2" in done.output


def test_a_report_of_traces_alone_speaks_of_no_chance() -> None:
    report = audit(halved, epsilon=DEMANDS, task="mean", privacy=ONLY)
    assert "chance has no part" in means(report)
    assert "probability at most" not in means(report)


def test_the_page_draws_what_the_draws_allow_beside_the_demands() -> None:
    page = Html().render(audit(kept, epsilon=DEMANDS, task="mean", privacy=ONLY), Options())
    assert 'class="traced"' in page
    assert "10 users, demand 0.5: the draws allow 0.5 at most" in page
    assert "10 users, demand 2: the draws allow 0.5 at most" in page
    assert "calculated from the draws" in page


def test_a_mechanism_of_which_every_call_fails_passes_no_gate() -> None:
    def failing(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean() + rng.laplace(0.0, 1.0, how="well"))

    finding = alone(failing)
    assert finding.verdict == "inconclusive"
    assert "every call failed: raised TypeError" in finding.message


def test_two_exceptions_tell_the_data() -> None:
    def telling(data: Any, epsilon: Any, rng: Any) -> float:
        raise ValueError if data.sum() > 0 else KeyError

    assert alone(telling).verdict == "fail"


def test_a_budget_of_twenty_thousand_calls_is_enough_to_trace_and_a_smaller_one_says_that_it_is_not() -> None:
    claim = PrivacyClaim(floating_point="off")
    case = Case.of("m", lambda: halved, PrivacyDemands.from_values(DEMANDS), Mean(), privacy=claim)
    found = []
    for budget in (19_999, 20_000):
        checks = engine.plan([case], confidence=0.999, budget=budget, seed=1)
        found.append(engine.run_check(next(check for check in checks if isinstance(check, TraceCheck))))
    assert not found[0].findings
    assert "19,999 calls leaves too few for it; from 20,000 on" in found[0].details["not_traced"]
    (finding,) = found[1].findings
    assert finding.verdict == "fail"
    assert found[1].calls <= 3_600
