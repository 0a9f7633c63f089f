"""What was promised comes from the demands: nothing that a mechanism does to its arguments moves it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.streams import named
from tests.cli.specs import QUICK, TARGET, document, invoke, written
from tests.subjects import subject_of, table

FORMULA = PrivacyClaim(floating_point="off")
DEMAND = 1.0
RNG = np.random.default_rng(0)


def greedy(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    """Makes the demands three times as large, and adds noise for these."""
    return float(batch(data, epsilon, rng, 1)[0])


def batch(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    epsilon.setflags(write=True)
    epsilon[:] = 3.0
    return (epsilon @ data + rng.laplace(size=size)) / epsilon.sum()


class Batched:
    """The same, many outputs at a time, and many datasets."""

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return greedy(data, epsilon, rng)

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        return batch(data, epsilon, rng, size)

    def many(self, datasets: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.array([greedy(row, epsilon, rng) for row in datasets])


@pytest.mark.parametrize("mechanism", [greedy, Batched()], ids=["single", "batch"])
def test_a_mechanism_that_writes_larger_demands_is_judged_by_those_that_were_given(mechanism: Any) -> None:
    report = audit(mechanism, epsilon=[DEMAND] * 6, task="mean", budget=4_000, privacy=FORMULA)
    assert report.verdict == "fail"
    assert {f.claimed for f in report.findings if f.kind == "privacy"} == {DEMAND}


def test_a_custom_mechanism_that_writes_larger_demands_is_judged_by_those_that_were_given() -> None:
    def answer(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> str:
        epsilon.setflags(write=True)
        epsilon[:] = 3.0
        return "yes" if (rng.random() < 1 / (1 + np.exp(-epsilon[0]))) == bool(data[0]) else "no"

    pairs = [(np.zeros(1), np.ones(1), [0])]
    report = audit(answer, epsilon=[DEMAND], task="custom", pairs=lambda: pairs, budget=4_000)
    assert report.verdict == "fail"
    assert [f.claimed for f in report.findings if f.kind == "privacy"] == [DEMAND]


def test_a_run_judges_by_the_demands_of_the_spec(tmp_path: Path) -> None:
    """Arrays that were pickled on their way to a worker can be written into."""
    spec = written(tmp_path, TARGET.format(name="greedy"))
    (tmp_path / "release.py").write_text(
        "def greedy(data, epsilon, rng):\n"
        "    epsilon *= 6\n"
        "    return float((epsilon @ data + rng.laplace()) / epsilon.sum())\n"
    )
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 1, done.output
    assert {f["claimed"] for f in document(tmp_path / "out")["findings"] if "tier" in f["id"]} == {0.5}


@pytest.mark.parametrize("how", ["single", "batch", "many", "custom", "first custom calls"])
def test_every_call_gets_data_and_demands_of_its_own(how: str) -> None:
    """Each call sees what was given, though every other call spoiled its arguments."""
    seen: list[tuple[float, float]] = []

    def spoil(data: Any, epsilon: np.ndarray, *_: object) -> None:
        seen.append((float(np.max(data)), float(epsilon[0])))
        data[:] = 7.0
        epsilon.setflags(write=True)
        epsilon[:] = 7.0

    class Spoiling:
        def __call__(self, data: Any, epsilon: np.ndarray, _rng: np.random.Generator) -> float:
            spoil(data, epsilon)
            return 0.5

        def batch(self, data: Any, epsilon: np.ndarray, _rng: np.random.Generator, size: int) -> np.ndarray:
            spoil(data, epsilon)
            return np.zeros(size)

        def many(self, datasets: Any, epsilon: np.ndarray, _rng: np.random.Generator) -> np.ndarray:
            spoil(datasets, epsilon)
            return np.zeros(len(datasets))

    demands, data = np.ones(3), np.zeros(3)
    mechanism: Any = Spoiling()
    if "custom" in how:
        mechanism = Encoded(mechanism, [Dataset(data, PureDP(demands))], RNG)
    subject = subject_of(mechanism, demands, None)
    subject.trusts_batches = how in ("batch", "many")
    for _ in range(3):
        if how == "many":
            subject.draw_each(table(subject, np.zeros((2, 3))), named(0, "test"))
        elif how != "first custom calls":
            subject.draw(subject.dataset(data), 2, named(0, "test"))
    assert len(seen) > 2
    assert set(seen) == {(0.0, 1.0)}
    assert subject.epsilon.tolist() == demands.tolist() == [1.0] * 3
    assert not data.any()


def test_what_a_subject_claims_cannot_be_written_into_by_anybody() -> None:
    given = np.ones(3)
    subject = subject_of(greedy, given, None)
    given[:] = 9.0
    assert subject.epsilon.tolist() == [1.0] * 3
    with pytest.raises(ValueError, match="WRITEABLE"):
        subject.epsilon.setflags(write=True)


def test_demands_that_were_pickled_stay_read_only() -> None:
    demands = PrivacyDemands.from_values([0.1, 1.0, float("inf")], ids=["a", "b", "c"])
    again = pickle.loads(pickle.dumps(demands))  # noqa: S301 - our own
    for values in (demands.values, demands.rows, again.values, again.rows):
        assert not values.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            values.setflags(write=True)
    assert again.values.tolist() == demands.values.tolist()
    assert (again.ids, again.rows.tolist(), again.source) == (demands.ids, demands.rows.tolist(), demands.source)


def test_objects_inside_of_arrays_are_copied_too() -> None:
    seen = []

    def spoil(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        seen.append(list(data[0]))
        data[0].append(7)
        return 0.5

    data = np.empty(1, dtype=object)
    data[0] = [1]
    subject_of(spoil, np.ones(1), None).draw(Dataset(data, PureDP([1.0])), 3, named(0, "test"))
    assert seen == [[1]] * 3


def test_data_that_cannot_be_copied_are_refused_in_words() -> None:
    def release(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return 0.5

    with pytest.raises(InvalidInput, match="a dataset of type generator cannot be copied"):
        subject_of(release, np.ones(1), None).draw(Dataset((i for i in range(3)), PureDP([1.0])), 1, named(0, "test"))
