"""Sentences and names are for people: whatever decides what to do is a field of its own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from hdp_audit.experiments.command import read_all
from hdp_audit.experiments.summary import summary_page

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
