"""What every promise, domain and neighbour relation keeps; a new one is a line in one of the lists."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base, Categories, Domain, Range, Unit
from hdp_audit.model.drawn import Drawn
from hdp_audit.model.gaussian import GaussianDP, GaussianLimit
from hdp_audit.model.labels import Labels
from hdp_audit.model.leaving import NEIGHBOURS, Remove, ZeroOut
from hdp_audit.model.neighbours import Neighbours, Replace
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.table import Table
from hdp_audit.model.vector import Vector
from hdp_audit.model.zcdp import ZCDP

DEMANDS = [0.0, 0.1, 0.5, 0.5, 2.0, 7.0, np.inf, 1.0]
LEAKS = [0.2, 0.0, 1e-6, 0.01, 1e-3, 0.05, 0.3, 1.0]  # of other users the largest than of DEMANDS
PROMISES = [PureDP(DEMANDS), ApproximateDP(DEMANDS, LEAKS), ZCDP(DEMANDS), GaussianDP(DEMANDS)]
DOMAINS = [Unit(), Categories(1), Categories(2), Categories(3), Categories(40)]
SIZES = [Range(0, 200_000), Range(-7.3, 0.1), Range(-1e150, 1e150), Range(1e15, 1e15 + 1)]
NAMED = [
    Labels(["Berlin", "Paris"]),
    Labels(["a", "", "köln, ⌀", "a longer one"]),
    Labels([7, -3, 2]),
    Labels([False, True]),
]
ROWS = [Table({"salary": SIZES[0], "city": NAMED[1], "smoker": NAMED[3]}), Table({"age": Range(18, 99)})]
DRAWN = [Drawn((0, 1)), Drawn(("", [1, 2], {"a": [3]}, "long"))]
VECTORS = [Vector(1), Vector(3), Vector(4, "l1", 2.5), Vector(5, "linf", 0.1)]
RELATIONS = [Replace(), Remove()]
GROUPS = [[1], [2, 3], [1, 4, 7], [0, 5], [0]]
EPSILONS = np.concatenate([np.linspace(0.0, 12.0, 60), [20.0, 30.0]])
TABLE = 1e-7  # of δ: what zCDP's table of orders leaves open, at most (tests/model/test_curves.py)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.kind)
class TestEveryPromise:
    """Curves, groups, and nothing that anybody could change."""

    @pytest.mark.parametrize("users", [*GROUPS, [6], [2, 6]])
    def test_the_curve_falls_and_lies_between_0_and_1(self, promise: Promise, users: list[int]) -> None:
        limit = promise.group(np.array(users))
        curve = limit.delta(EPSILONS)
        assert curve.shape == EPSILONS.shape
        assert np.all((curve >= 0) & (curve <= 1))
        assert np.all(np.diff(curve) <= 0)
        assert 0.5 <= limit.largest_right_share() == 0.5 * (1.0 + curve[0]) <= 1.0

    @pytest.mark.parametrize("users", GROUPS)
    def test_the_curve_is_convex_in_the_ratio(self, promise: Promise, users: list[int]) -> None:
        """δ is the largest of P(S) − e^ε·Q(S) over events, which are straight in e^ε."""
        limit = promise.group(np.array(users))
        ratios = np.geomspace(1.0, 1e6, 25)
        curve = limit.delta(np.log(ratios))
        middle = limit.delta(np.log(0.5 * (ratios[:, None] + ratios[None, :])))
        chords = 0.5 * (curve[:, None] + curve[None, :])
        assert np.all(middle <= chords * (1.0 + TABLE) + 1e-15)

    @given(st.sets(st.integers(0, 7), min_size=1), st.sets(st.integers(0, 7)), st.floats(0.0, 20.0))
    @settings(max_examples=40, deadline=None)
    def test_more_users_may_lose_more(self, promise: Promise, some: set[int], more: set[int], epsilon: float) -> None:
        few, many = (promise.group(np.array(sorted(users))) for users in (some, some | more))
        assert few.strength <= many.strength * (1.0 + 1e-15)
        assert few.delta(epsilon) <= many.delta(epsilon) * (1.0 + TABLE) + 1e-15

    @given(st.permutations(range(8)), st.integers(1, 8))
    @settings(max_examples=40, deadline=None)
    def test_a_group_has_no_order(self, promise: Promise, order: list[int], size: int) -> None:
        one, other = (promise.group(np.array(users)) for users in (sorted(order[:size]), order[:size]))
        assert other.strength == pytest.approx(one.strength, rel=1e-14)
        np.testing.assert_allclose(other.delta(EPSILONS), one.delta(EPSILONS), rtol=1e-9, atol=1e-14)

    @given(st.sets(st.integers(0, 7), min_size=1), st.sets(st.integers(0, 7), min_size=1))
    @settings(max_examples=20, deadline=None)
    def test_strengths_add_up(self, promise: Promise, some: set[int], others: set[int]) -> None:
        union = promise.group(np.array(sorted(some | others))).strength
        apart = [promise.group(np.array(sorted(users))).strength for users in (some, others - some) if users]
        assert union == pytest.approx(sum(apart), rel=1e-14)
        assert union == pytest.approx(sum(promise.strengths[sorted(some | others)]), rel=1e-14)

    @pytest.mark.parametrize("users", GROUPS)
    def test_a_limit_is_told_by_its_strength(self, promise: Promise, users: list[int]) -> None:
        limit = promise.group(np.array(users))
        assert limit.at(limit.strength) == limit
        for strength in (0.0, 0.3, 5.0):
            other = limit.at(strength)
            assert other.strength == strength
            assert other.at(limit.strength) == limit
        weaker, stronger = limit.at(limit.strength + 0.5).delta(EPSILONS), limit.delta(EPSILONS)
        assert np.all(weaker >= stronger * (1.0 - TABLE))

    @pytest.mark.parametrize("users", [[2], [2, 3], [1, 4], [5]])
    def test_the_tangent_touches_the_curve(self, promise: Promise, users: list[int]) -> None:
        """Of all lines the one at `tangent(wrong)` leaves an event so rare the least: min over ε of δ + e^ε·wrong."""
        limit = promise.group(np.array(users))
        ratios = np.concatenate([np.geomspace(1.0, 1e4, 400), np.exp(limit.tangent(np.geomspace(1e-6, 0.5, 9)))])
        steepest = (limit.delta(0.0) - limit.delta(np.log1p(1e-6))) / 1e-6
        for wrong in steepest * np.array([0.9, 0.3, 0.03, 1e-3]):
            touching = limit.tangent(wrong)
            allowed = limit.delta(np.log(ratios)) + ratios * wrong
            assert touching >= 0
            assert limit.delta(touching) + np.exp(touching) * wrong <= allowed.min() * (1.0 + 1e-6)

    def test_the_largest_shift_that_keeps_a_limit_loses_it(self, promise: Promise) -> None:
        limit = promise.group(np.array([3, 4]))
        mu = limit.gaussian()
        assert np.all(GaussianLimit(mu).delta(EPSILONS) <= limit.delta(EPSILONS) + 1e-15)
        if mu > 0:
            assert limit.lost_by(mu) == pytest.approx(limit.strength, rel=1e-9)
            assert limit.lost_by(1.01 * mu) > limit.strength

    @pytest.mark.parametrize("users", [[4, 1], [7, 6, 0], [3]])
    def test_who_stays_keeps_all_columns(self, promise: Promise, users: list[int]) -> None:
        rest = promise.keeping(np.array(users))
        assert type(rest) is type(promise)
        assert len(rest) == len(users)
        assert list(rest.columns) == list(promise.columns)
        for name, column in promise.columns.items():
            np.testing.assert_array_equal(rest.columns[name], column[users])
        np.testing.assert_array_equal(rest.strengths, promise.strengths[users])
        assert rest.group(np.arange(len(users))) == promise.group(np.array(users))

    def test_what_is_printed_is_the_first_column(self, promise: Promise) -> None:
        """Of whom nothing is promised (a δ of 1) it is infinite, whatever the ε beside it."""
        first = next(iter(promise.columns.values()))
        first = np.where(promise.columns.get("delta", 0.0) < np.ones(len(promise)), first, np.inf)
        np.testing.assert_allclose(promise.parameters(promise.strengths), first, rtol=1e-15)

    def test_nobody_can_write_into_it_wherever_it_went(self, promise: Promise) -> None:
        moved = pickle.loads(pickle.dumps(promise))  # noqa: S301 - our own
        assert type(moved) is type(promise)
        for name, column in promise.columns.items():
            np.testing.assert_array_equal(moved.columns[name], column)
        for each in (promise, moved, moved.keeping(np.array([0, 2]))):
            for column in (*each.columns.values(), each.strengths):
                with pytest.raises(ValueError, match="read-only"):
                    column[0] = 5.0


def test_no_likelihood_ratio_is_beyond_a_pure_limit() -> None:
    for users in GROUPS:
        limit = PROMISES[0].group(np.array(users))
        assert limit.delta(limit.strength) == 0.0


@given(st.floats(0.0, 30.0), st.floats(0.0, 30.0))
@settings(deadline=None)
def test_the_pure_curve_is_that_of_randomised_response(strength: float, epsilon: float) -> None:
    """Of two answers with odds e^ε₀ the best event has P − e^ε·Q as its δ; in 40 digits."""
    from mpmath import exp, mp, mpf

    with mp.workdps(40):
        sure = exp(mpf(strength)) / (1 + exp(mpf(strength)))
        exact = max(sure - exp(mpf(epsilon)) * (1 - sure), mpf(0))
        found = PureDP([strength]).group(np.array([0])).delta(epsilon)
        assert abs(found - exact) <= mpf(1e-15) * 4


@pytest.mark.parametrize("epsilon", [[-1.0], [np.nan], [[1.0]], 3.0])
def test_demands_that_are_none_are_refused(epsilon: object) -> None:
    with pytest.raises(InvalidDemands, match="give one number from 0 to inf for each user"):
        PureDP(epsilon)  # type: ignore[arg-type]


def outside(domain: Domain) -> list[Any]:
    """Data of three users that no such domain allows."""
    wrong: list[Any] = [np.full(3, value) for value in (np.nan, np.inf, -np.inf)]
    match domain:
        case Vector():
            wrong += [np.full((3, domain.size), 1.01 * domain.radius), np.zeros((3, domain.size + 1))]
            wrong.append(np.full((3, domain.size), np.nan))
        case Range():
            wrong += [np.full(3, end) for end in (np.nextafter(domain.low, -np.inf), np.nextafter(domain.high, np.inf))]
        case Labels():
            wrong += [np.array(["b", "berlin ", "a"]), np.array([4, 5, 6]), np.array([None, None, None])]
        case Table():
            within = domain.random(3, np.random.default_rng(1))
            for name, column in domain.columns.items():
                for bad in outside(column)[:2]:
                    fields = {each: bad if each == name else within[each] for each in domain.columns}
                    wrong.append(np.rec.fromarrays(list(fields.values()), names=list(fields)))
        case Drawn():
            wrong += [np.full(3, -1), np.full(3, len(domain.draws))]
        case _:
            wrong += [np.full(3, value) for value in (-1.0, 1e9, 0.5 + 1e3)]
    return [*wrong, np.array(["x", "y", "z"])]


@pytest.mark.parametrize("domain", [*DOMAINS, *VECTORS, *SIZES, *NAMED, *ROWS, *DRAWN])
class TestEveryDomain:
    """All that it makes lies inside, under names of their own."""

    def test_what_it_makes_is_allowed(self, domain: Domain) -> None:
        rng = np.random.default_rng(1)
        made = [domain.random(9, rng), domain.unseen(9, rng), *domain.nearby(9)]
        made += [domain.everybody(9, end) for end in domain.ends()]
        shape = (9, domain.size) if isinstance(domain, Vector) else (9,)
        assert all(domain.allows(data) and data.shape == shape for data in made)

    def test_what_lies_outside_is_not(self, domain: Domain) -> None:
        assert not any(domain.allows(data) for data in outside(domain))
        assert domain.words

    def test_it_is_the_same_in_every_process(self, domain: Domain) -> None:
        moved = pickle.loads(pickle.dumps(domain))  # noqa: S301 - our own
        assert moved == domain
        assert all(
            np.array_equal(one.data, other.data) for one, other in zip(domain.bases(5), moved.bases(5), strict=True)
        )

    @pytest.mark.parametrize("own", [False, True])
    def test_base_datasets_are_inside_and_have_names_of_their_own(self, domain: Domain, own: bool) -> None:
        given_data = domain.random(9, np.random.default_rng(2)) if own else None
        listed = domain.bases(9, given_data)
        assert len({base.name for base in listed}) == len(listed) >= 4
        assert all(domain.allows(base.data) for base in listed)
        assert [base.private for base in listed] == [False] * (len(listed) - own) + [True] * own
        again = domain.bases(9, given_data)
        assert all(np.array_equal(one.data, other.data) for one, other in zip(listed, again, strict=True))


@dataclass(frozen=True)
class Told:
    """A dataset by user: who is there, and with what datum and which demands."""

    rows: dict[tuple[float, ...], Any]


def told(dataset: Dataset) -> Told:
    """Rows by demands, which differ between users in the promises below."""
    columns = [column.tolist() for column in dataset.promise.columns.values()]
    assert len(dataset.data) == len(dataset.promise)
    return Told(dict(zip(zip(*columns, strict=True), dataset.data.tolist(), strict=True)))


def moved(first: Dataset, second: Dataset, promise: Promise) -> set[int]:
    """The users whose row is not the same in both."""
    keys = zip(*(column.tolist() for column in promise.columns.values()), strict=True)
    one, other = told(first).rows, told(second).rows
    return {user for user, key in enumerate(keys) if one.get(key) != other.get(key)}


EACH_OTHER = [0.0, 0.1, 0.5, 0.6, 2.0, 7.0, np.inf, 1.0]  # no two users demand the same
DIFFERENT = [PureDP(EACH_OTHER), ApproximateDP(EACH_OTHER, LEAKS), ZCDP(EACH_OTHER), GaussianDP(EACH_OTHER)]
PLACES = [(relation, domain) for relation in RELATIONS for domain in (*DOMAINS[2:], DOMAINS[0])] + [
    (ZeroOut(), DOMAINS[0])
]
PLACES += [(relation, VECTORS[1]) for relation in (*RELATIONS, ZeroOut())]
PLACES += [(relation, domain) for relation in RELATIONS for domain in (SIZES[1], *NAMED, ROWS[0], DRAWN[1])]
PLACES += [(ZeroOut(), SIZES[1])]


def test_every_relation_is_listed_here() -> None:
    assert {type(relation) for relation, _ in PLACES} == set(NEIGHBOURS.values())


@pytest.mark.parametrize(("relation", "domain"), PLACES, ids=[f"{r.name}-{d.words:.30}" for r, d in PLACES])
class TestEveryRelation:
    """Two datasets that differ in the named users, and nowhere else; demands go with their users."""

    @pytest.mark.parametrize("promise", DIFFERENT, ids=lambda promise: promise.kind)
    @pytest.mark.parametrize("users", GROUPS)
    def test_a_pair_differs_in_its_users_alone(
        self, relation: Neighbours, domain: Domain, promise: Promise, users: list[int]
    ) -> None:
        for base in domain.bases(len(promise)):
            pair = relation.pair(domain, base, np.array(users), promise)
            assert moved(pair.first, pair.second, promise) == set(users) == set(pair.users.tolist())
            assert pair.limit == promise.group(np.array(users))
            assert pair.claimed == pair.limit.strength
            for dataset in (pair.first, pair.second):
                assert domain.allows(dataset.data)
                assert len(dataset.data) == len(dataset.promise)

    def test_everybody_else_has_the_datum_of_the_base(self, relation: Neighbours, domain: Domain) -> None:
        promise = DIFFERENT[1]
        for base in domain.bases(len(promise)):
            pair = relation.pair(domain, base, np.array([2, 5]), promise)
            everybody = told(Dataset(base.data, promise)).rows
            for dataset in (pair.first, pair.second):
                rows = told(dataset).rows
                kept = {key for user, key in enumerate(everybody) if user not in (2, 5)}
                assert kept <= set(rows)
                assert all(rows[key] == everybody[key] for key in kept)

    def test_somebody_is_in_either_dataset_when_all_are_moved(self, relation: Neighbours, domain: Domain) -> None:
        promise = DIFFERENT[0]
        pair = relation.pair(domain, domain.bases(len(promise))[0], np.arange(len(promise)), promise)
        assert pair.second.data.size >= 1
        assert moved(pair.first, pair.second, promise) == set(pair.users.tolist())
        assert pair.limit == promise.group(pair.users)

    @pytest.mark.parametrize("promise", DIFFERENT, ids=lambda promise: promise.kind)
    def test_a_coin_moves_its_user_and_nobody_else(
        self, relation: Neighbours, domain: Domain, promise: Promise
    ) -> None:
        coins = relation.coins(domain, _base(domain), promise)
        half = np.arange(len(coins)) % 2 == 0  # somebody else is there, whoever leaves
        for user in range(len(coins)):
            tossed = half ^ (np.arange(len(coins)) == user)
            assert moved(coins.dataset(half), coins.dataset(tossed), promise) == {user}
        rows = half ^ np.eye(len(coins), dtype=bool)
        several = list(coins.datasets(rows))
        assert [told(one) for one in several] == [told(coins.dataset(row)) for row in rows]

    def test_coins_for_some_leave_the_others_where_they_are(self, relation: Neighbours, domain: Domain) -> None:
        promise = DIFFERENT[2]
        coins = relation.coins(domain, _base(domain), promise).only(np.array([2, 5]))
        none, everybody = (coins.dataset(np.full(len(coins), side)) for side in (False, True))
        assert moved(none, everybody, promise) == {2, 5}
        assert domain.allows(none.data)


def _base(domain: Domain) -> Base:
    return domain.bases(len(EACH_OTHER))[0]


def test_removal_takes_rows_away_and_the_others_do_not() -> None:
    promise, domain = DIFFERENT[1], Unit()
    sizes = {
        name: relation().pair(domain, _base(domain), np.array([0, 3]), promise).second.data.size
        for name, relation in NEIGHBOURS.items()
    }
    assert sizes == {"replace": 8, "remove": 6, "zero-out": 8}


def test_zeroing_out_leaves_null_behind() -> None:
    promise, domain = DIFFERENT[0], Unit()
    for base in domain.bases(len(promise)):
        pair = ZeroOut().pair(domain, base, np.array([1, 4]), promise)
        assert pair.second.data[[1, 4]].tolist() == [domain.null] * 2
        assert domain.null not in pair.first.data[[1, 4]]
