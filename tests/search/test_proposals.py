"""What a search tries: pairs inside the domain that differ in the users who are moved and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.model.domain import Categories, Domain, Range, Unit
from hdp_audit.model.drawn import Drawn
from hdp_audit.model.labels import Labels
from hdp_audit.model.leaving import NEIGHBOURS
from hdp_audit.model.promise import PureDP
from hdp_audit.model.table import Table
from hdp_audit.model.task import Mean
from hdp_audit.model.vector import Vector
from hdp_audit.search.exploring import explore
from hdp_audit.search.proposals import Proposal, proposals
from hdp_audit.targets.subject import Subject

DEMANDS = [0.0, 0.1, 0.1, 0.5, 0.5, 2.0, np.inf]
DOMAINS = {"unit": Unit(), "categories": Categories(6), "one category": Categories(1), "vectors": Vector(3)}
DOMAINS |= {
    "numbers": Range(-5.0, 200_000.0),
    "labels": Labels(["Berlin", "Paris", "Rome"]),
    "rows": Table({"age": Range(0, 99), "city": Labels(["Berlin", "Paris"])}),
    "draws": Drawn((1, "a", (2, 3), None)),
}


def tried(domain: Domain, demands: list[float], own: np.ndarray | None = None) -> list[Proposal]:
    return list(proposals(domain, PureDP(demands), 1, own))


NO_NULL = ("categories", "one category", "labels", "rows", "draws")
KINDS = [(name, kind) for name in DOMAINS for kind in NEIGHBOURS if kind != "zero-out" or name not in NO_NULL]


@pytest.mark.parametrize(("name", "relation"), KINDS)
def test_pairs_lie_in_the_domain_and_differ_in_the_moved_users_alone(name: str, relation: str) -> None:
    domain, promise = DOMAINS[name], PureDP(DEMANDS)
    for proposal in tried(domain, DEMANDS):
        pair = NEIGHBOURS[relation]().pair(domain, proposal.base, proposal.users, promise)
        assert domain.allows(pair.first.data)
        assert domain.allows(pair.second.data)
        assert pair.claimed == pytest.approx(promise.strengths[pair.users].sum())
        if relation != "remove":
            rows = (pair.first.data != pair.second.data).reshape(len(DEMANDS), -1).any(axis=1)
            assert set(np.flatnonzero(rows)) <= set(proposal.users.tolist())


def test_nobody_is_moved_to_whom_nothing_was_promised() -> None:
    assert not [each for each in tried(Unit(), DEMANDS) if 6 in each.users]
    assert tried(Unit(), [np.inf, np.inf]) == []


def test_single_users_and_groups_are_moved_and_those_who_demand_most_first() -> None:
    moved = [tuple(each.users.tolist()) for each in tried(Unit(), DEMANDS)]
    assert len(moved[0]) == 1
    assert DEMANDS[moved[0][0]] == 0.1
    assert (0,) in moved
    assert any(len(users) > 1 for users in moved)


def test_every_category_is_tried_and_numbers_from_all_parts_of_the_range() -> None:
    values = {each.base.second for each in tried(Categories(30), [0.5] * 9)}
    assert values >= set(range(1, 30))
    numbers = sorted({float(each.base.second) for each in tried(Unit(), [0.5] * 9)} | {0.0})
    assert max(np.diff(numbers)) < 0.12
    assert min(np.diff(numbers)) < 1e-5  # two that hardly differ


def test_every_count_of_others_is_tried_where_there_are_few_and_usual_thresholds_where_there_are_many() -> None:
    for users, expected in ((12, set(range(12))), (500, {0, 1, 4, 5, 9, 10, 249, 250, 498, 499})):
        counted = {
            int((each.base.data == 1.0).sum())
            for each in tried(Unit(), [0.5] * users)
            if "others at 1" in each.base.name
        }
        assert expected <= counted


def test_own_data_are_searched_and_stay_private() -> None:
    own = np.full(5, 0.123)
    found = [each for each in tried(Unit(), [0.5] * 5, own) if (each.base.data == 0.123).any()]
    assert found
    assert all(each.base.private for each in found)


@pytest.mark.parametrize("name", DOMAINS)
def test_every_kind_of_data_is_searched(name: str) -> None:
    """Random data for effects, ladders, and all that is made of them."""
    if name == "one category":
        return
    domain = DOMAINS[name]

    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(len(data) + rng.laplace())

    subject = Subject(release, PureDP([0.5] * 50), Mean(), "search", domain=domain)
    finalists, found = explore(subject, 6_000, 1)
    assert finalists
    assert found.calls <= 6_000
