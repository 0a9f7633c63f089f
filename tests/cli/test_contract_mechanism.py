"""A mechanism under audit: on what data and how it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.attacks.pairs import bases
from tests.cli.specs import QUICK, document, invoke, odd


def test_default_base_datasets_are_the_contracts() -> None:
    zero, half, one, random = (base.data for base in bases(10, None))
    assert (zero.sum(), half.sum(), one.sum()) == (0, 5, 10)
    assert np.unique(random).size == 10
    found = [base.data for base in bases(40, 4)]
    assert any((data == 0).all() for data in found)
    assert any((data == 3).all() for data in found)
    assert any(np.bincount(data, minlength=4).min() > 0 for data in found)


@pytest.mark.parametrize("name", ["picky", "counts"])
def test_a_mechanism_is_called_with_data_demands_and_rng_of_the_contracts_kinds(tmp_path: Path, name: str) -> None:
    done = invoke("run", odd(tmp_path, name), "--out", tmp_path / "out", *QUICK)
    assert done.exit_code in (0, 3), done.output
    assert not [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_a_custom_task_takes_numbers_and_vectors(shape: tuple[int, ...]) -> None:
    def noisy(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return data["sum"] / 10 + rng.laplace(size=shape)

    pairs = [({"sum": 0}, {"sum": 1}, [0])]
    report = audit(noisy, epsilon=[1.0], task="custom", pairs=lambda: pairs, budget=4000, detect=5)
    assert report.verdict == "pass"
