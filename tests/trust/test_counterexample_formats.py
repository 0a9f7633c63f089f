"""Every format names the users who were moved, all and nobody else; a counterexample gives the game's own datasets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta

from hdp_audit.api import audit
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.model.counterexample import Counterexample
from hdp_audit.model.domain import Base
from hdp_audit.reporting.evidence import counterexample_lines, runs
from hdp_audit.reporting.report_json import report_json
from mechanisms.broken import FAULTS
from tests.reporting.sample_report import CONFIDENCE, counterexample, demands, every_kind, hostile, subject, tier
from tests.subjects import bases
from tests.trust.formats import FORMATS, expanded, moved, page

MOVED = tuple(np.random.default_rng(5).permutation(np.arange(100, 1000))[:40].tolist())  # nobody of 0 to 99
INTERNAL = (
    "group_claimed",
    "measurement",
    "rarest_refutable",
    "bound_source",
    "trusts_batches",
    "lower_bound",
    "confirmed:",
)


def told(users: tuple[int, ...], **words: str) -> AuditReport:
    """One refuted tier of the users 0 to 99, whose counterexample moves these users."""
    found = tier("m", 0.5, "fail", counterexample=replace(counterexample(0.5, users), **words))
    return AuditReport((subject("m", demands()),), (found,), CONFIDENCE, 1, 9)


@pytest.mark.parametrize("written", FORMATS)
def test_every_format_names_exactly_the_moved_users(written: Callable[[AuditReport], str]) -> None:
    assert moved(written(told(MOVED))) == [set(MOVED)]


@pytest.mark.parametrize("written", FORMATS)
def test_both_datasets_the_event_and_the_counts_are_in_every_format(written: Callable[[AuditReport], str]) -> None:
    text = written(told(MOVED, first="the one", second="the other", event="the output is 7"))
    for words in ("the one", "the other", "the output is 7", "12,345 of 16,000", "62.25%", "all 0"):
        assert words in text


@pytest.mark.parametrize("written", FORMATS)
def test_where_many_are_moved_their_number_is_said_and_the_report_lists_them_all(
    written: Callable[[AuditReport], str],
) -> None:
    users = tuple(range(0, 10_000, 2))
    report = told(users)
    text = written(report)
    assert "5,000 users; report.json lists them" in text
    assert moved(text) == []
    assert json.loads(report_json(report))["findings"][0]["witness"]["users"] == list(users)


def test_the_page_keeps_the_users_of_the_tier_apart() -> None:
    assert "users of this tier 100 users: 0 to 99" in page(told(MOVED))
    assert "users of this tier" not in page(told(tuple(range(100))))


def test_a_tier_longer_than_its_list_is_not_called_complete() -> None:
    found = tier("m", 0.5, "fail", users=tuple(range(200)), counterexample=counterexample(0.5, (900, 901)))
    report = AuditReport((subject("m", demands()),), (found,), CONFIDENCE, 1, 9)
    assert "users of this tier the first 200: 0 to 199" in page(report)


@pytest.mark.parametrize("make", [every_kind, hostile])
def test_no_internal_names_are_on_a_page(make: Callable[[], AuditReport]) -> None:
    text = page(make())
    assert [name for name in INTERNAL if name in text] == []


@pytest.mark.parametrize("users", [(3,), (9, 3, 4, 5), tuple(range(7)), (1, 3, 5)])
def test_runs_can_be_read_back(users: tuple[int, ...]) -> None:
    assert expanded(", ".join(runs(users))) == set(users)


# From an audit of a planted fault to its counterexample and back.


class Recorded:
    """A planted fault that remembers the datasets it was called on."""

    def __init__(self, name: str) -> None:
        self.control, self.name = FAULTS[name], name
        self.seen: set[bytes] = set()

    def __call__(self, data: NDArray[Any], epsilon: NDArray[np.float64], rng: np.random.Generator) -> Any:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: NDArray[Any], epsilon: NDArray[np.float64], rng: np.random.Generator, size: int) -> Any:
        self.seen.add(data.tobytes())
        return self.control.batch(data, epsilon, rng, size)


@cache
def audited(name: str) -> tuple[Recorded, AuditReport]:
    mechanism = Recorded(name)
    control, claim = mechanism.control, PrivacyClaim(floating_point="off")
    options: Mapping[str, Any] = {"epsilon": control.epsilon, "task": control.task, "categories": control.categories}
    return mechanism, audit(mechanism, **options, budget=20_000, seed=1, privacy=claim)


def refuted(report: AuditReport) -> list[tuple[Finding, Counterexample]]:
    return [(f, f.counterexample) for f in report.findings if f.verdict == "fail" and f.counterexample is not None]


def rebuilt(found: Counterexample, base: Base) -> list[NDArray[Any]]:
    """Both datasets from the words: everybody has the base's data, and the moved users the value that is named."""
    datasets = []
    for words in (found.first, found.second):
        before, _, value = words.rpartition(" at ")
        assert before == f"{found.base}, and {'this user' if len(found.users) == 1 else 'these users'}"
        data = base.data.copy()
        data[list(found.users)] = float(value)
        datasets.append(data)
    return datasets


def test_the_datasets_of_a_counterexample_are_those_of_the_game() -> None:
    mechanism, report = audited("half-noise")
    assert refuted(report)
    for _, found in refuted(report):
        base = next(base for base in bases(mechanism.control.epsilon.size, None) if base.name == found.base)
        first, second = rebuilt(found, base)
        assert {first.tobytes(), second.tobytes()} <= mechanism.seen
        assert set(np.flatnonzero(first != second).tolist()) == set(found.users)
        assert found.claimed == pytest.approx(mechanism.control.epsilon[list(found.users)].sum())


def test_who_follows_a_counterexample_sees_the_loss_that_it_tells() -> None:
    """P(a correct mechanism looks broken) ≤ 10⁻⁶: both ends of the ratio are Clopper-Pearson's at 5·10⁻⁷."""
    mechanism, report = audited("half-noise")
    control, draws, level = mechanism.control, 20_000, 5e-7
    for place, (finding, found) in enumerate(refuted(report)):
        base = next(base for base in bases(control.epsilon.size, None) if base.name == found.base)
        rng = np.random.default_rng([77, place])
        tables = [control.batch(data, control.epsilon, rng, draws) for data in rebuilt(found, base)]
        low, high = sorted(tables, key=lambda table: float(np.median(table)))
        often, seldom = (int(np.count_nonzero(table >= np.median(high))) for table in (high, low))
        most, least = beta.ppf(1 - level, seldom + 1, draws - seldom), beta.ppf(level, often, draws - often + 1)
        shown = float(np.log(least / most))
        assert finding.lower is not None
        exact = float(control.loss(control.epsilon)[list(found.users)].sum())
        assert found.claimed < finding.lower.value * len(found.users) <= exact
        assert found.claimed < shown <= exact


def test_the_page_of_an_audit_moves_the_users_that_the_audit_moved() -> None:
    _, report = audited("half-noise")
    assert moved(page(report)) == [set(found.users) for _, found in refuted(report)]


def test_a_line_of_a_counterexample_is_never_cut_within_the_list_of_users() -> None:
    for many in (2, 50, 100, 149, 150, 151, 400):
        words = dict(counterexample_lines(counterexample(0.5, tuple(range(10**6, 10**6 + 2 * many, 2)))))["moved users"]
        assert len(words) < 1000
        assert "lists them" in words or len(expanded(words.partition(": ")[2])) == many
