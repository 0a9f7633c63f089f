"""Global generators, for the time of a trace: what draws from `numpy.random`, `random` or a generator of its own."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hdp_audit.tracing.generator import OTHERS, Recorder
from hdp_audit.tracing.tape import Tape

SAME = [
    "binomial",
    "choice",
    "exponential",
    "geometric",
    "gumbel",
    "laplace",
    "logistic",
    "normal",
    "permutation",
    "random",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_normal",
    "uniform",
]
GLOBAL, OWN, PYTHONS = "numpy.random", "a generator of its own", "random"


class Holder:
    """The tape of the call that is running."""

    tape: Tape | None = None

    def refuse(self, why: str) -> None:
        """What is drawn in this call cannot be followed."""
        if self.tape is not None:
            self.tape.refused = why

    def recorder(self, source: str) -> Recorder:
        """On the tape that is in use; on none that matters between calls."""
        return Recorder(self.tape if self.tape is not None else Tape([], 0), source)


@contextlib.contextmanager
def patched(holder: Holder) -> Iterator[None]:
    """While this lasts, draws from global generators stand on the holder's tape."""
    replaced = [*_numpys(holder), *_pythons(holder)]
    kept = [(where, name, getattr(where, name)) for where, name, _ in replaced]
    try:
        for where, name, function in replaced:
            setattr(where, name, function)
        yield
    finally:
        for where, name, function in kept:
            setattr(where, name, function)


def _numpys(holder: Holder) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    names = [*SAME, *(name for name in OTHERS if hasattr(np.random, name) and name != "bytes")]
    for name in names:
        yield np.random, name, _method(holder, name)
    for name in ("random_sample", "ranf", "sample"):
        yield np.random, name, _method(holder, "random")
    yield np.random, "rand", lambda *shape: holder.recorder(GLOBAL).random(shape or None)
    yield np.random, "randn", lambda *shape: holder.recorder(GLOBAL).standard_normal(shape or None)
    yield np.random, "randint", lambda *given, **named: holder.recorder(GLOBAL).integers(*given, **named)
    yield np.random, "seed", lambda *_, **__: holder.refuse("it seeds the generator of numpy.random")
    yield np.random, "default_rng", _default(holder, np.random.default_rng)


def _default(holder: Holder, real: Callable[..., Any]) -> Callable[..., Any]:
    def default_rng(seed: Any = None) -> Any:
        """A seeded generator draws nothing at random, and is left as it is."""
        if holder.tape is None or seed is not None:
            return seed if isinstance(seed, Recorder) else real(seed)
        return holder.recorder(OWN)

    return default_rng


def _method(holder: Holder, name: str) -> Callable[..., Any]:
    return lambda *given, **named: getattr(holder.recorder(GLOBAL), name)(*given, **named)


def _pythons(holder: Holder) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    def rng() -> Recorder:
        return holder.recorder(PYTHONS)

    yield random, "seed", lambda *_, **__: holder.refuse("it seeds the generator of random")
    yield random, "random", lambda: rng().random()
    yield random, "uniform", lambda a, b: float(rng().uniform(a, b))
    yield random, "gauss", lambda mu=0.0, sigma=1.0: rng().normal(mu, sigma)
    yield random, "normalvariate", lambda mu=0.0, sigma=1.0: rng().normal(mu, sigma)
    yield random, "expovariate", lambda lambd=1.0: rng().exponential(1.0 / lambd)
    yield random, "randrange", lambda start, stop=None: int(rng().integers(start, stop))
    yield random, "randint", lambda a, b: int(rng().integers(a, b, endpoint=True))
    yield random, "choice", lambda seq: seq[int(rng().integers(len(seq)))]
    yield random, "shuffle", lambda x: rng().shuffle(x)
