"""A mechanism under audit: on what data and how it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.targets.streams import named
from tests.cli.specs import ODD, QUICK, TARGET, document, invoke, odd, written
from tests.subjects import bases, subject_of, table


def test_default_base_datasets_are_the_contracts() -> None:
    zero, half, one, random = (base.data for base in bases(10, None))
    assert (zero.sum(), half.sum(), one.sum()) == (0, 5, 10)
    assert np.unique(random).size == 10
    assert 0 <= random.min() < 0.5 < random.max() <= 1
    counts = [np.bincount(base.data, minlength=3).tolist() for base in bases(30, 3)]
    for wanted in ([30, 0, 0], [0, 0, 30], [10, 10, 10]):  # one category, the last category, uniform
        assert wanted in counts


@pytest.mark.parametrize("name", ["picky", "counts"])
def test_a_mechanism_is_called_with_data_demands_and_rng_of_the_contracts_kinds(tmp_path: Path, name: str) -> None:
    done = invoke("run", odd(tmp_path, name), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 0, done.output
    assert not [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]


@pytest.mark.parametrize("how", ["single", "batch", "many"])
def test_demands_are_aligned_with_the_data_however_it_is_called(how: str) -> None:
    wanted = np.linspace(0.1, 1.0, 10)
    told: list[np.ndarray] = []

    def single(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        told.append(epsilon)
        return float(rng.laplace())

    def batch(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        told.append(epsilon)
        return rng.laplace(size=size)

    def many(datasets: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        told.append(epsilon)
        return rng.laplace(size=len(datasets))

    single.batch, single.many = batch, many  # type: ignore[attr-defined]
    subject, own = subject_of(single, wanted, None), named(1, "test")
    subject.trusts_batches = how != "single"
    outputs = (
        subject.draw_each(table(subject, np.zeros((3, 10))), own)
        if how == "many"
        else subject.draw(subject.dataset(np.zeros(10)), 3, own)
    )
    assert outputs.shape == (3, 2)
    assert len(told) == (3 if how == "single" else 1)
    assert all(np.array_equal(epsilon, wanted) for epsilon in told)


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_custom_task_takes_numbers_and_vectors(shape: tuple[int, ...]) -> None:
    def noisy(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return data["sum"] / 3 + rng.laplace(size=shape)

    pairs = [({"sum": 0}, {"sum": 1}, [0])]
    report = audit(noisy, epsilon=[1.0], task="custom", pairs=lambda: pairs, budget=4000, detect=5)
    assert report.verdict == "pass"


SPY = """
import numpy as np

def seen(what):
    with open("seen.txt", "a") as stream:
        stream.write(what + "\\n")

def spy(data, epsilon, rng):
    seen("single")
    return float(spy.batch(data, epsilon, rng, 1)[0])

def batch(data, epsilon, rng, size):
    assert data.ndim == 1 and epsilon.shape == data.shape and isinstance(rng, np.random.Generator)
    seen("batch")
    return (epsilon @ data + rng.laplace(size=size)) / epsilon.sum()

def many(datasets, epsilon, rng):
    assert datasets.ndim == 2 and epsilon.shape == datasets.shape[1:] and isinstance(rng, np.random.Generator)
    seen("many")
    return (datasets @ epsilon + rng.laplace(size=len(datasets))) / epsilon.sum()

spy.batch, spy.many = batch, many
"""


def test_batches_and_tables_of_datasets_are_used_where_they_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a budget that outweighs the single calls which behaviour makes on purpose, as tracing would, too."""
    spec = written(tmp_path, TARGET.format(name="spy").replace("detect = 5", 'detect = 5\ntrace = "off"'))
    (tmp_path / "release.py").write_text(SPY)
    monkeypatch.chdir(tmp_path)
    done = invoke("run", spec, "--out", tmp_path / "out", "--budget", 39_000, *QUICK)
    assert done.exit_code == 0, done.output
    made = (tmp_path / "seen.txt").read_text().split()
    assert {"batch", "many"} <= set(made)
    assert len(made) < 0.1 * document(tmp_path / "out")["totals"]["calls"]  # most outputs come many at a time


def test_a_module_is_a_target_and_a_file_called_mechanisms_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "mechanisms.py").write_text("raise SystemExit('the reference mechanisms are elsewhere')\n")
    (tmp_path / "acme_of_this_test").mkdir()
    (tmp_path / "acme_of_this_test" / "release.py").write_text(ODD)
    text = TARGET.format(name="picky").replace("release.py:picky", "acme_of_this_test.release:picky")
    done = invoke("run", written(tmp_path, text), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 0, done.output
    assert document(tmp_path / "out")["subjects"][0]["name"] == "acme_of_this_test.release:picky"


def test_what_was_collected_before_a_death_is_kept(tmp_path: Path) -> None:
    """The tier of 0.5 is audited; the mechanism ends its process only when asked about the users who demand 1."""
    text = TARGET.format(name="mortal").replace("0.5, 0.5, 0.5]", "1, 1, 1]")
    spec = written(tmp_path, text)
    (tmp_path / "release.py").write_text(
        "import os\n"
        "def mortal(data, epsilon, rng):\n"
        "    if data[7:].sum() == 2 and data[:7].sum() == 0:\n"
        "        os._exit(1)\n"
        "    return float((epsilon @ data + rng.laplace()) / epsilon.sum())\n"
    )
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    assert (tmp_path / "out" / "report.json").exists(), done.output
    found = {f["id"]: f["verdict"] for f in document(tmp_path / "out")["findings"]}
    assert found["mortal/privacy/tier/0.5"] == "pass"
    assert "error" in found.values()
