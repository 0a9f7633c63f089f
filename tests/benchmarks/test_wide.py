"""The mechanisms of benchmarks/wide: what is said of their losses is true."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from benchmarks.wide import runner
from benchmarks.wide.catalog import ALL, CLASSICS, CORRECT, FAULTY
from benchmarks.wide.counts import as_derived
from benchmarks.wide.page import written
from benchmarks.wide.subject import KINDS, growth

SHOWN = [each for each in ALL.values() if each.shown]
UNSEEN = [each for each in ALL.values() if not each.shown]
TIGHT = [each for each in ALL.values() if each.tight]
REFUTABLE = 20_000


def inside(dataset, each):
    if each.task == "frequency":
        return dataset.dtype == np.int64 and dataset.min() >= 0 and dataset.max() < each.options["categories"]
    if each.task == "vector-mean":
        return dataset.shape[1] == each.options["domain"].size and np.abs(dataset).sum(axis=1).max() <= 1
    return each.task == "custom" or (dataset.dtype == float and dataset.min() >= 0 and dataset.max() <= 1)


@pytest.mark.parametrize("each", SHOWN, ids=lambda each: each.name)
def test_events_happen_as_often_as_was_derived(each):
    # All cases together raise a false alarm with probability at most 1e-6.
    assert as_derived(each, draws=400, seed=5, comparisons=2 * len(SHOWN))


def wrong(subjects, holds):
    return [each.name for each in subjects if not holds(each)]


def test_the_two_datasets_are_possible():
    assert wrong(SHOWN, lambda each: inside(each.shown.first, each) and inside(each.shown.second, each)) == []


def test_the_two_datasets_differ_in_the_named_user_alone():
    def holds(each):
        differs = (each.shown.first != each.shown.second).reshape(len(each.epsilon), -1).any(axis=1)
        return np.flatnonzero(differs).tolist() == [each.shown.user]

    assert wrong(SHOWN, holds) == []


def test_mechanisms_without_an_event_can_be_called():
    def holds(each):
        size = (len(each.epsilon), each.options["domain"].size) if each.task == "vector-mean" else len(each.epsilon)
        data = np.zeros(size, dtype=np.int64 if each.task == "frequency" else float)
        out = each.fn(data, np.array(each.epsilon), np.random.default_rng(1))
        width = {"mean": 1, "frequency": each.options.get("categories"), "vector-mean": np.shape(data)[-1]}[each.task]
        return np.size(out) == width and np.isfinite(out).all()

    assert wrong(UNSEEN, holds) == []


def test_a_faulty_mechanism_loses_more_than_the_demand_and_no_less_than_its_event_shows():
    faulty = [each for each in ALL.values() if not each.correct]
    assert wrong(faulty, lambda each: each.demand < each.shown.event_loss <= each.loss + 1e-9) == []


def test_a_faulty_mechanism_is_within_reach_of_an_ideal_test():
    assert wrong(FAULTY, lambda each: each.ideal <= REFUTABLE) == []


def test_a_correct_mechanism_shows_no_more_than_the_demand():
    correct = [each for each in SHOWN if each.correct]
    assert wrong(correct, lambda each: each.shown.event_loss <= each.demand + 1e-12) == []


def test_a_tight_mechanism_loses_exactly_the_demand():
    assert wrong(TIGHT, lambda each: abs(each.shown.event_loss - each.demand) < 1e-9) == []


def test_there_are_enough_of_every_kind():
    assert len(FAULTY) >= 60
    assert len(CORRECT) >= 25
    assert len(CLASSICS) == 16
    assert len(TIGHT) >= 20
    assert all(sum(each.kind == kind for each in FAULTY) >= 12 for kind in list(KINDS)[:5])


@pytest.mark.parametrize(("p", "q", "epsilon"), [(0.5, 0.1, 0.7), (0.02, 0.001, 0.1), (0.9, 0.05, 2.0)])
def test_the_growth_is_that_of_the_best_stake(p, q, epsilon):
    def loss(stake):
        return -(p * math.log1p(stake) + q * math.log1p(-stake * math.exp(epsilon))) / 2

    found = minimize_scalar(loss, bounds=(0, math.exp(-epsilon) * (1 - 1e-9)), method="bounded")
    assert growth(p, q, epsilon) == pytest.approx(-found.fun, rel=1e-4)


def test_a_sure_event_grows_by_the_whole_stake_and_a_kept_promise_by_nothing():
    assert growth(1.0, 0.0, 0.5) == pytest.approx(math.log1p(math.exp(-0.5)) / 2)
    assert growth(0.5, 0.5 * math.exp(-0.5), 0.5) == pytest.approx(0, abs=1e-12)
    assert growth(0.5, 0.5, 0.5) == 0


def row_of(job):
    faulty = not ALL[job.name].correct
    row = {"name": job.name, "seed": job.seed, "budget": job.budget, "confidence": job.confidence}
    seen = {"verdict": "fail" if faulty else "pass", "failed": ["privacy/tier/0.1"] if faulty else []}
    return row | seen | {"refuted": faulty, "calls": 70 if faulty else None, "spent": 100, "seconds": 0.1}


def test_a_run_that_was_interrupted_goes_on_where_it_stopped(tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(runner, "measured", lambda job: called.append(job) or row_of(job))
    results = tmp_path / "results.json"
    todo = runner.jobs(["any_alert", "weighted_sum", "svt_5"], 1000, 1, 2, 0.999)
    next(runner.run(todo, 1, results))
    list(runner.run(todo, 1, results))
    assert called == todo
    assert [row["name"] for row in runner.read(results)] == ["any_alert", "weighted_sum", "weighted_sum", "svt_5"]


def test_the_page_says_what_was_found_and_who_was_accused():
    rows = [row_of(job) for job in runner.jobs(["any_alert", "weighted_sum", "svt_5"], 1000, 1, 6, 0.999)]
    text = written(rows)
    assert (
        "| any_alert | one user | The alert is randomised for the largest demand. | 0.1 | 1 | 224 | fail | 70 |" in text
    )
    assert "| pass 6 | 0 of 6 |" in text
    assert "| svt_5 | classic |" in text
    assert "Each audit has 1,000 calls at confidence 0.999." in text
    missed = written([row_of(runner.Job("any_alert", 1, 9, 0.9)) | {"refuted": False, "failed": [], "verdict": "pass"}])
    assert "| missed |" in missed
