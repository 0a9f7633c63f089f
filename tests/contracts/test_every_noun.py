"""What every promise, domain and neighbour relation keeps; a new one is a line in one of the lists."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.domain import Categories, Domain, Unit
from hdp_audit.model.neighbours import Neighbours, Replace
from hdp_audit.model.promise import Promise, PureDP

DEMANDS = [0.0, 0.1, 0.5, 0.5, 2.0, 7.0, np.inf, 1.0]
PROMISES = [PureDP(DEMANDS)]
DOMAINS = [Unit(), Categories(1), Categories(2), Categories(3), Categories(40)]
RELATIONS = [Replace()]
GROUPS = [[1], [2, 3], [1, 4, 7], [0, 5], [0]]


@pytest.mark.parametrize("promise", PROMISES)
class TestEveryPromise:
    """Curves, groups, and nothing that anybody could change."""

    @pytest.mark.parametrize("users", GROUPS)
    def test_the_curve_falls_to_its_end_and_lies_between_0_and_1(self, promise: Promise, users: list[int]) -> None:
        limit = promise.group(np.array(users))
        curve = np.array([limit.delta(epsilon) for epsilon in np.linspace(0.0, limit.strength + 1.0, 50)])
        assert np.all((curve >= 0) & (curve <= 1))
        assert np.all(np.diff(curve) <= 0)
        assert limit.delta(limit.strength) == 0.0
        assert 0.5 <= limit.largest_right_share() <= 1.0

    def test_more_users_may_lose_more(self, promise: Promise) -> None:
        one, two = (promise.group(np.array(users)) for users in ([1], [1, 4]))
        assert one.strength < two.strength
        assert all(one.delta(epsilon) <= two.delta(epsilon) for epsilon in np.linspace(0.0, 3.0, 20))

    def test_who_stays_keeps_their_promise(self, promise: Promise) -> None:
        rest = promise.keeping(np.array([4, 1]))
        assert rest.strengths.tolist() == promise.strengths[[4, 1]].tolist()
        assert len(rest) == 2

    def test_nobody_can_write_into_it_wherever_it_went(self, promise: Promise) -> None:
        for each in (promise, pickle.loads(pickle.dumps(promise))):  # noqa: S301 - our own
            for column in (*each.columns.values(), each.strengths):
                with pytest.raises(ValueError, match="read-only"):
                    column[0] = 5.0


@given(st.floats(0.0, 30.0), st.floats(0.0, 30.0))
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


@pytest.mark.parametrize("domain", DOMAINS)
class TestEveryDomain:
    """All that it makes lies inside, under names of their own."""

    def test_what_it_makes_is_allowed(self, domain: Domain) -> None:
        rng = np.random.default_rng(1)
        made = [domain.random(9, rng), domain.unseen(9, rng), *domain.nearby(9)]
        made += [domain.everybody(9, end) for end in domain.ends()]
        assert all(domain.allows(data) and data.shape == (9,) for data in made)

    def test_what_lies_outside_is_not(self, domain: Domain) -> None:
        wrong = [np.full(3, value) for value in (-1.0, 1e9, np.nan, np.inf, 0.5 + 1e3)]
        assert not any(domain.allows(data) for data in [*wrong, np.array(["a", "b", "c"])])
        assert domain.words

    @pytest.mark.parametrize("own", [False, True])
    def test_base_datasets_are_inside_and_have_names_of_their_own(self, domain: Domain, own: bool) -> None:
        given_data = domain.random(9, np.random.default_rng(2)) if own else None
        listed = domain.bases(9, given_data)
        assert len({base.name for base in listed}) == len(listed) >= 4
        assert all(domain.allows(base.data) for base in listed)
        assert [base.private for base in listed] == [False] * (len(listed) - own) + [True] * own
        again = domain.bases(9, given_data)
        assert all(np.array_equal(one.data, other.data) for one, other in zip(listed, again, strict=True))


@pytest.mark.parametrize("domain", DOMAINS[2:] + DOMAINS[:1])
@pytest.mark.parametrize("relation", RELATIONS)
class TestEveryRelation:
    """Two datasets that differ in the named users, and nowhere else."""

    @pytest.mark.parametrize("users", GROUPS)
    def test_a_pair_differs_in_its_users_alone(self, relation: Neighbours, domain: Domain, users: list[int]) -> None:
        promise = PureDP(DEMANDS)
        for base in domain.bases(len(promise)):
            pair = relation.pair(domain, base, np.array(users), promise)
            differing = np.flatnonzero(pair.first.data != pair.second.data)
            assert set(differing.tolist()) == set(users)
            assert domain.allows(pair.first.data)
            assert domain.allows(pair.second.data)
            assert pair.claimed == promise.group(np.array(users)).strength

    def test_a_coin_moves_its_user_and_nobody_else(self, relation: Neighbours, domain: Domain) -> None:
        promise = PureDP(DEMANDS)
        coins = relation.coins(domain, domain.bases(len(promise))[0], promise)
        still = coins.dataset(np.zeros(len(coins), dtype=bool))
        for user in range(len(coins)):
            tossed = np.arange(len(coins)) == user
            assert np.flatnonzero(coins.dataset(tossed).data != still.data).tolist() == [user]
        both = list(coins.datasets(np.eye(len(coins), dtype=bool)))
        assert np.array_equal(both[3].data, coins.dataset(np.arange(len(coins)) == 3).data)

    def test_coins_for_some_leave_the_others_where_they_are(self, relation: Neighbours, domain: Domain) -> None:
        promise = PureDP(DEMANDS)
        coins = relation.coins(domain, domain.bases(len(promise))[0], promise).only(np.array([2, 5]))
        none, everybody = (coins.dataset(np.full(len(coins), side)) for side in (False, True))
        assert np.flatnonzero(none.data != everybody.data).tolist() == [2, 5]
