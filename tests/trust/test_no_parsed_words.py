"""Sentences and names are for people: whatever decides what to do is a field of its own."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.audits.accuracy import exact_opinion
from hdp_audit.audits.claimed import estimator_of
from hdp_audit.audits.worst_data import Metered, find_worst
from hdp_audit.config import InvalidSpec, read_spec
from hdp_audit.errors import NotAllowed
from hdp_audit.experiments.command import read_all
from hdp_audit.experiments.summary import summary_page
from hdp_audit.model import AccuracyClaim
from hdp_audit.model.task import Mean
from hdp_audit.search.worst_case import Instance
from hdp_audit.targets.reference import Audited
from tests.subjects import subject_of

PAPER = Path(__file__).parents[2] / "reports" / "paper"


@pytest.fixture
def documents() -> dict[str, Any]:
    return copy.deepcopy(read_all(PAPER))


def lines_with(page: str, words: str) -> int:
    return sum(words in line for line in page.splitlines())


def test_the_summary_of_the_paper_does_not_depend_on_how_its_claims_are_worded(documents: dict[str, Any]) -> None:
    for document in documents.values():
        for check in document["checks"]:
            check["claim"] = "Another wording"
    page = summary_page(documents)
    assert lines_with(page, "Another wording: does not hold here.") == 3
    assert lines_with(page, "The paper does not give this row's data and demands") == 3
    assert "A level between sharp's and A's does less: anchored 0.0033" in page


def test_the_summary_of_the_paper_does_not_depend_on_how_choices_and_contradictions_are_worded(
    documents: dict[str, Any],
) -> None:
    for row in documents["frequency"]["variations"]:
        row["choice"] = "a reading"
    kept = documents["mean"]["contradictions"]
    documents["mean"]["contradictions"] = [f"figure {place} cannot be" for place in range(len(kept))]
    page = summary_page(documents)
    assert "10 readings are tabulated" in page
    assert len(kept) == lines_with(page, " cannot be") - lines_with(page, " cannot be met") == 2


def test_a_word_with_a_semicolon_is_refused_with_the_words_that_are_allowed(tmp_path: Path) -> None:
    """The reason was cut out of the message at its first semicolon, which was the user's own."""
    spec = tmp_path / "hdp-audit.toml"
    spec.write_text(
        '[mechanism]\nreference = "hpm-cp"\n[demands]\nvalues = [1, 1]\n[accuracy]\nsetting = "one; two"\n',
        encoding="utf-8",
    )
    with pytest.raises(InvalidSpec) as caught:
        read_spec(spec)
    assert str(caught.value).endswith('[accuracy] setting = "one; two"; allowed: correlated, weakly-correlated')


def test_a_refused_value_travels_between_processes_whole() -> None:
    why = NotAllowed("beta = 7", "give a probability")
    again = copy.copy(why)  # as pickle does
    assert (str(again), again.allowed) == ("beta = 7; give a probability", "give a probability")


def test_the_users_own_data_are_told_coarsely_whatever_they_are_called() -> None:
    epsilon = np.full(20, 0.7)
    subject = subject_of(Audited("uni", epsilon, task="mean", categories=None), epsilon)
    own = Instance.of("any name", np.linspace(0, 1, 20), Mean(), own=True)
    known, claim = estimator_of(subject), AccuracyClaim("correlated", "pac")
    assert exact_opinion(known, own, claim) is None
    assert exact_opinion(known, replace(own, name="your data", own=False), claim) is not None


def test_what_was_measured_on_the_users_own_data_leaves_the_search_rounded() -> None:
    epsilon = np.full(20, 0.7)
    subject = subject_of(Audited("uni", epsilon, task="mean", categories=None), epsilon)
    found = find_worst(subject, Metered("correlated", "mse", 0.05), 4000, 1, np.linspace(0, 1, 20))
    rows = {row["dataset"]: row["measured"] for row in found.tried}
    own = rows.pop("your data")
    assert own == float(f"{own:.2g}")
    assert any(value != float(f"{value:.2g}") for value in rows.values())
