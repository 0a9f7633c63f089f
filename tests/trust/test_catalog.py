"""A catalog entry declares what it is: a mechanism of any name is built and audited by its declarations alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.audits.claimed import claimed_bound, estimator, estimator_of
from hdp_audit.audits.fairness import free_privacy
from hdp_audit.audits.measure import largest_error
from hdp_audit.cli.catalog import list_catalog
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AccuracyClaim, vocabulary
from hdp_audit.model.task import task_of
from hdp_audit.reporting.catalog import catalog_rows
from hdp_audit.search.worst_case import extremes
from hdp_audit.suite import suite_cases
from hdp_audit.targets.reference import Audited
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import WhiteBox, white_box
from hdp_audit.theory.guarantee import Estimator, Laplace, guarantee
from hdp_audit.theory.minimise import candidates
from hdp_audit.theory.names import problems
from mechanisms import (
    Entry,
    Frequency,
    Mean,
    Order,
    build,
    builders,
    entries,
    entry,
    error_law,
    names,
    register,
    spending,
    withdraw,
)
from mechanisms import (
    InvalidInput as Refused,
)
from mechanisms.vector_mean import VectorMean
from mechanisms.weighted import WeightedMechanism, laplace_law
from tests.subjects import subject_of

ROOT = Path(__file__).parents[2]
EPSILON = np.repeat([0.2, 1.0, 3.0], 20)
HALF = builders.weighted(lambda demands, _: spending.saturated(demands, float(np.median(demands))))
# A name that every parser of names would get wrong: it looks like frequencies, weak data, hull noise.
MINE = Entry("hpf-we-hull-anchored", "half of the users saturate", "ours", "median", (Mean,), HALF, laplace_law)


@pytest.fixture
def mine() -> Iterator[str]:
    register(MINE)
    yield MINE.name
    withdraw(MINE.name)


def own_subject(mechanism: Any, epsilon: Any = EPSILON) -> Subject:
    return subject_of(mechanism, epsilon, None, "mine")


def test_a_mechanism_from_a_test_file_is_built_listed_and_in_the_suite(mine: str) -> None:
    built = build(mine, epsilon=EPSILON)
    assert isinstance(built, WeightedMechanism)
    assert built.task == Mean()
    assert mine in names("mean")
    assert mine not in names("frequency")
    assert (mine, "mean", "ours: half of the users saturate") in catalog_rows(None)
    (case,) = [case for case in suite_cases() if case.name == mine]
    assert (case.task.name, case.task.categories) == ("mean", None)
    assert case.accuracy == AccuracyClaim(setting="correlated", metric="pac", tolerance=1.05)


def test_a_mechanism_from_a_test_file_is_audited_with_its_exact_loss_and_its_own_theorem(mine: str) -> None:
    mechanism = Audited(mine, EPSILON, task="mean", categories=None)
    report = audit(mechanism, epsilon=EPSILON, task="mean", budget=2_000, accuracy=AccuracyClaim(), seed=1)
    assert not [finding.id for finding in report.findings if finding.verdict in ("fail", "error")]
    bound, _ = claimed_bound(own_subject(mechanism), AccuracyClaim())
    known = mechanism.known
    cell = next(p for p in problems() if (p.task, p.setting, p.metric) == ("mean", "correlated", "pac"))
    assert bound == guarantee(Estimator(known.weights, Laplace(known.noise_scale)), cell)


def test_a_name_is_given_once_and_an_unknown_one_is_refused_with_those_that_come_close(mine: str) -> None:
    with pytest.raises(Refused, match="already"):
        register(MINE)
    with pytest.raises(Refused, match="did you mean hpf-we-hull-anchored"):
        build("hpf-we-hull-anchord", epsilon=EPSILON)
    with pytest.raises(Refused, match="no mechanism is called"):
        withdraw("never there")


def test_every_entry_declares_what_it_is_made_for() -> None:
    for each in entries():
        assert each.tasks
        assert all(kind in (Mean, Frequency, VectorMean) for kind in each.tasks)
        assert each.setting in (None, *vocabulary.SETTINGS)
        assert each.metric in (None, *vocabulary.METRICS)
        assert (each.task is None) == (each.origin == "baseline")
    assert entry("hpf-we-sharp").setting == "weakly-correlated"
    assert entry("hpm-ct").metric == "pac"
    assert {each.rule for each in entries() if each.draws != "outputs"} == {"sm", "ldp"}


@pytest.mark.parametrize("task", [Mean(), Frequency(4)], ids=["mean", "frequency"])
def test_every_kind_of_error_law_is_one_that_the_theory_can_bound(task: Mean | Frequency) -> None:
    cell = next(problem for problem in problems(4) if problem.task == task.name)
    kinds = {each.error_law: each.name for each in reversed(entries(task.name))}
    for name in kinds.values():
        built = build(name, epsilon=EPSILON, task=task.name, categories=task.categories)
        law = error_law(built)
        np.testing.assert_array_equal(law.weights, built.weights if law.opinion is None else built.anchor.weights)
        assert law.offset == pytest.approx(law.share * (1 - law.weights.sum()), abs=1e-12)
        assert 0 < guarantee(estimator(law), cell) <= 1


def test_what_the_theory_names_is_declared_in_the_catalog_alike() -> None:
    for problem in problems(4):
        for candidate in candidates(problem, 60):
            declared = entry(candidate.mechanism)
            assert (declared.rule, declared.task) == (candidate.rule, problem.task)


def test_tasks_know_their_width_their_truth_and_their_data() -> None:
    numbers, bins = np.array([0.0, 0.5, 1.0, 0.1]), np.array([0, 2, 2, 1])
    np.testing.assert_array_equal(Mean().truth(numbers), [0.4])
    np.testing.assert_array_equal(Frequency(4).truth(bins), [0.25, 0.25, 0.5, 0.0])
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(Mean().weighted(weights, numbers), [0.44])
    np.testing.assert_allclose(Frequency(4).weighted(weights, bins), [0.1, 0.4, 0.5, 0.0])
    assert [(task.outputs, task.categories) for task in (Mean(), Frequency(4))] == [(1, None), (4, 4)]
    for task in (Mean(), Frequency(4)):
        with pytest.raises(Refused):
            task.checked([0, 7], 2)


class Knowing(WhiteBox):
    """Answers ½ and knows it: nobody loses anything."""

    name = "constant"

    def __call__(self, _data: np.ndarray, _epsilon: np.ndarray, _rng: np.random.Generator) -> float:
        return 0.5

    @property
    def privacy_loss(self) -> np.ndarray:
        return np.zeros(EPSILON.size)


class Boasting:
    """The same attributes without the base class: somebody's own words about themselves."""

    name, privacy_loss, clipped = "boasting", np.zeros(EPSILON.size), True
    error_law = laplace_law(build("uni", epsilon=EPSILON, task="mean"))

    def __call__(self, data: np.ndarray, _epsilon: np.ndarray, _rng: np.random.Generator) -> float:
        return float(data.mean())


def test_a_target_of_any_kind_can_be_a_white_box_and_none_is_by_accident() -> None:
    known, boasting = Knowing(), Boasting()
    assert white_box(known) is known
    assert white_box(boasting) is None
    assert white_box(Audited("uni", EPSILON, task="mean", categories=None)) is not None
    assert [row["loss"] for row in free_privacy(own_subject(known))] == [0.0, 0.0, 0.0]
    assert free_privacy(own_subject(boasting)) == []
    assert estimator_of(own_subject(known)) is None  # it knows its losses, and says nothing of its errors
    assert estimator_of(own_subject(boasting)) is None
    ones = next(iter(extremes(EPSILON.size, task_of(None), np.random.default_rng(1))))
    assert largest_error(own_subject(boasting), ones) == 1.0


def test_a_noise_that_nobody_can_bound_is_refused_and_one_that_bounds_itself_is_used() -> None:
    law = error_law(build("uni", epsilon=EPSILON, task="mean"))
    cell = problems()[-1]

    class Silent:
        def quantile(self, vertex: Any, _beta: float) -> float:
            return max(bias for bias, _ in vertex)

        def square(self, vertex: Any) -> float:
            return max(bias for bias, _ in vertex) ** 2

    assert guarantee(estimator(replace(law, noise=Silent())), cell) == 0.0  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no bound is known for noise of type str"):
        estimator(replace(law, noise="loud"))  # type: ignore[arg-type]


def test_words_and_members_of_the_vocabulary_are_the_same() -> None:
    assert {*vocabulary.Task} == set(vocabulary.ESTIMATED) == set(vocabulary.MEASURED) - {"sum", "count"}
    assert set(vocabulary.MEASURED) == set(get_args(vocabulary.TaskName)) - {"custom", "vector-mean"}
    assert [*vocabulary.Setting] == [*vocabulary.SETTINGS]
    assert [*vocabulary.Metric] == [*vocabulary.METRICS]
    (option,) = list_catalog.params
    assert tuple(option.type.choices) == vocabulary.ESTIMATED


def test_nobody_reads_anything_out_of_a_catalog_name() -> None:
    """Endings, beginnings and parts of names such as `hpf-cp-hull`; a rule is asked for, not read."""
    parsed = re.compile(
        r"""(startswith|endswith|removeprefix|removesuffix|partition|split)\(\(?["'](hp|-?(hull|anchored|centred|sharp)|-["'])"""
        r"""|["']-?(hpf|hpm|hull|anchored|centred|sharp)-?["'] in name"""
    )
    folders = ("mechanisms", "hdp_audit", "tests", "benchmarks")
    sources = [file for folder in folders for file in (ROOT / folder).rglob("*.py") if file != Path(__file__)]
    found = [str(file) for file in sources if parsed.search(file.read_text(encoding="utf-8"))]
    # a check's id begins with the name of its case, and a group of command-line words is told by its dash
    assert {Path(file).name for file in found} <= {"test_suite.py", "exits.py", "command.py"}


def test_an_order_says_in_numbers_what_its_task_and_metric_ask() -> None:
    order = Order("mine", Frequency(4), EPSILON, 0.1, "correlated", "mse", "exact")
    assert (order.aim.outputs, order.aim.sensitivity, order.aim.beta) == (4, 2, None)
