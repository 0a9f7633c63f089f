"""Whatever the demands, a correct mechanism keeps its own theorem: by its exact error law, no draw involved."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hdp_audit.audits.accuracy import exact_opinion
from hdp_audit.audits.claimed import estimator
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.task import task_of
from hdp_audit.search.packing import Packing, packings
from hdp_audit.search.worst_case import biased, extremes
from hdp_audit.targets.reference import build, entries, entry, error_law
from hdp_audit.theory.guarantee import guarantee
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from tests.amount import rounds

demand = st.one_of(st.sampled_from([0.0, np.inf, 1.0]), st.floats(min_value=1e-4, max_value=50.0))
demand_vectors = st.lists(demand, min_size=2, max_size=30).map(np.array)
plain = [each.name for each in entries() if each.laplace and each.rule not in ("sm", "ldp", "hull", "anchored")]


@settings(max_examples=rounds(25, 60), deadline=None)
@given(epsilon=demand_vectors, name=st.sampled_from(plain), metric=st.sampled_from(["pac", "mse"]), own=st.randoms())
def test_the_exact_error_never_exceeds_the_mechanism_s_own_theorem(epsilon, name, metric, own) -> None:
    assume(np.any(epsilon > 0))
    k = 3 if entry(name).task == "frequency" else None
    task = Task.MEAN if k is None else Task.FREQUENCY
    known = estimator(error_law(build(name, epsilon=epsilon, task=task.value, categories=k)))
    bound = guarantee(known, Problem(task, Setting.CORRELATED, Metric(metric), k or 10))
    claim = AccuracyClaim("correlated", metric)
    rng = np.random.default_rng(own.getrandbits(32))
    for dataset in [*biased(known.weights, task_of(k)), *extremes(epsilon.size, task_of(k), rng)]:
        exact = exact_opinion(known, dataset, claim)
        assert exact is not None
        assert exact <= bound * (1 + 1e-7) + 1e-9, dataset.name


@settings(max_examples=rounds(60, 200), deadline=None)
@given(epsilon=demand_vectors, categories=st.sampled_from([None, 2, 5, 40]))
def test_packings_hold_the_smallest_demands_and_their_limits_make_sense(epsilon, categories) -> None:
    ascending = np.sort(epsilon)
    for packing in packings(epsilon, task_of(categories), largest=10.0):
        assert packing.total <= 10.0
        assert np.array_equal(np.sort(epsilon[packing.members]), ascending[: packing.moved])
        assert 1 / (packing.rivals + 1) <= packing.allowed < 1
        assert 0 < packing.least_risk <= 0.25
        truths = np.array([one.truth for one in packing.datasets])
        gaps = np.abs(truths[:, None] - truths[None, :]).max(axis=2)[~np.eye(len(truths), dtype=bool)]
        assert np.allclose(gaps, packing.distance)


@settings(max_examples=rounds(60, 200), deadline=None)
@given(total=st.floats(min_value=0.0, max_value=20.0), rivals=st.integers(1, 31))
def test_the_least_risk_is_the_theory_s(total, rivals) -> None:
    """¼·sech²((S − log K)₊/2), written otherwise."""
    packing = Packing(np.array([total, 100.0]), task_of(None if rivals == 1 else rivals + 1), 1)
    expected = 0.25 / np.cosh(max(total - np.log(rivals), 0.0) / 2) ** 2
    assert np.isclose(packing.least_risk, expected, rtol=1e-9)
