"""The recording generator: numpy's kind, numpy's laws, every draw on the tape, and nothing left behind."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.promise import PureDP
from hdp_audit.tracing.execution import Execution, Run
from hdp_audit.tracing.generator import Recorder
from hdp_audit.tracing.tape import Tape

DATASET = Dataset(np.linspace(0.0, 1.0, 5), PureDP(np.ones(5)))
DRAWS: dict[str, Callable[[np.random.Generator], Any]] = {
    "laplace": lambda rng: rng.laplace(1.0, 2.0, 3),
    "normal": lambda rng: rng.normal(loc=[0.0, 1.0], scale=2.0),
    "standard_normal": lambda rng: rng.standard_normal((2, 2)),
    "exponential": lambda rng: rng.exponential(3.0),
    "gumbel": lambda rng: rng.gumbel(0.0, 1.0, size=4),
    "logistic": lambda rng: rng.logistic(),
    "standard_cauchy": lambda rng: rng.standard_cauchy(2),
    "uniform": lambda rng: rng.uniform(-1.0, 3.0, 2),
    "random": lambda rng: rng.random(3),
    "integers": lambda rng: rng.integers(1, 7, 3),
    "choice": lambda rng: rng.choice([10, 20, 30], p=[0.2, 0.3, 0.5]),
    "geometric": lambda rng: rng.geometric(0.3, 2),
    "binomial": lambda rng: rng.binomial(5, 0.3),
    "permutation": lambda rng: rng.permutation(4),
    "poisson": lambda rng: rng.poisson(3.0),
}


def run(function: Callable[..., Any], given: list[Any] | None = None, seed: int = 0) -> Run:
    execution = Execution(function)
    with execution.open():
        return execution.run(DATASET, given, seed)


@pytest.mark.parametrize("method", list(DRAWS))
def test_a_draw_has_the_type_and_shape_of_numpys_and_is_recorded(method: str) -> None:
    ours = DRAWS[method](Recorder(Tape([], 1)))
    theirs = DRAWS[method](np.random.default_rng(1))
    assert np.shape(ours) == np.shape(theirs)
    assert np.asarray(ours).dtype.kind == np.asarray(theirs).dtype.kind
    found = run(lambda data, _epsilon, rng: np.asarray(DRAWS[method](rng), dtype=float).ravel() + 0 * data[0])
    assert {draw.method for draw in found.draws} == {method}
    assert all(draw.place.file == __file__ for draw in found.draws)


@pytest.mark.parametrize("method", [name for name in DRAWS if name != "poisson"])
def test_a_tape_gives_the_same_again(method: str) -> None:
    def mechanism(data: Any, epsilon: Any, rng: Any) -> Any:
        return np.asarray(DRAWS[method](rng), dtype=float).ravel()

    first = run(mechanism, seed=3)
    np.testing.assert_array_equal(run(mechanism, first.tape, seed=4).numbers, first.numbers)


def test_it_is_a_generator_of_numpys_and_so_are_its_children() -> None:
    rng = Recorder(Tape([], 0))
    assert isinstance(rng, np.random.Generator)
    assert all(isinstance(child, np.random.Generator) for child in rng.spawn(2))


def test_scipys_laws_are_recorded_where_they_ask_the_generator() -> None:
    found = run(lambda data, _epsilon, rng: float(stats.laplace.rvs(data.mean(), 0.1, random_state=rng)))
    assert [draw.method for draw in found.draws] == ["laplace"]


def test_arrays_are_filled_in_place_and_types_kept() -> None:
    rng, kept = Recorder(Tape([], 0)), np.zeros(3)
    assert rng.random(out=kept) is kept
    assert kept.any()
    assert rng.standard_normal(2, dtype=np.float32).dtype == np.float32


def test_a_negative_scale_is_refused_as_by_numpy() -> None:
    with pytest.raises(ValueError, match="scale"):
        Recorder(Tape([], 0)).laplace(0.0, -1.0)


def test_global_generators_are_followed_and_told_apart() -> None:
    def mechanism(data: Any, epsilon: Any) -> float:
        own = np.random.default_rng().normal()
        return float(own + np.random.laplace() + random.random() + np.random.randint(3))  # noqa: NPY002, S311

    sources = [draw.source for draw in run(mechanism).draws]
    assert sources == ["a generator of its own", "numpy.random", "random", "numpy.random"]


def test_global_generators_are_as_before_afterwards_even_after_an_exception() -> None:
    before = (np.random.laplace, np.random.default_rng, random.random, np.random.seed)

    def mechanism(data: Any, epsilon: Any) -> float:
        raise SystemExit(3)

    assert run(mechanism).symbols == ("raised SystemExit",)
    assert (np.random.laplace, np.random.default_rng, random.random, np.random.seed) == before


@pytest.mark.parametrize(
    ("why", "mechanism"),
    [
        ("bit generator", lambda _data, _epsilon, rng: float(rng.bit_generator.random_raw() % 7)),
        ("seeds the generator", lambda _data, _epsilon: np.random.seed(1) or float(np.random.laplace())),  # noqa: NPY002
    ],
)
def test_what_cannot_be_followed_is_said(why: str, mechanism: Callable[..., Any]) -> None:
    assert why in run(mechanism).refused
