"""A generator of numpy's kind that writes down every draw, and returns real noise or values of our choosing."""

from __future__ import annotations

import linecache
import math
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.tracing import laws
from hdp_audit.tracing.draws import Draw, Floats, Place
from hdp_audit.tracing.laws import Law
from hdp_audit.tracing.tape import Tape

OURS = ("numpy", "scipy", "hdp_audit.tracing", "random")  # modules whose lines are nobody's mechanism
MOST_OPTIONS = 4096
OTHERS = [
    "beta",
    "bytes",
    "chisquare",
    "dirichlet",
    "f",
    "gamma",
    "hypergeometric",
    "logseries",
    "lognormal",
    "multinomial",
    "multivariate_hypergeometric",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "pareto",
    "poisson",
    "power",
    "rayleigh",
    "standard_gamma",
    "standard_t",
    "triangular",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]


_UNUSED = np.random.PCG64(0)  # numpy wants one; nothing is drawn from it


class Recorder(np.random.Generator):
    """A `numpy.random.Generator` whose draws stand on a tape."""

    def __init__(self, tape: Tape, source: str = "rng") -> None:
        super().__init__(_UNUSED)
        self._tape, self._source = tape, source

    @property
    def bit_generator(self) -> Any:
        """The bits themselves, which nobody can follow."""
        self._tape.refused = "it takes bits from the bit generator itself"
        return np.random.PCG64(int(self._tape.rng.integers(2**62)))

    def spawn(self, n_children: int) -> list[Recorder]:  # type: ignore[override]
        """Children on the same tape."""
        return [Recorder(self._tape, self._source) for _ in range(n_children)]

    def __deepcopy__(self, _memo: Any) -> np.random.Generator:
        """A copy draws what nobody can follow."""
        return self._copied()

    def __copy__(self) -> np.random.Generator:
        """A copy draws what nobody can follow."""
        return self._copied()

    def __reduce__(self) -> Any:
        """A pickle draws what nobody can follow."""
        self._copied()
        return np.random.default_rng, (int(self._tape.rng.integers(2**62)),)

    def _copied(self) -> np.random.Generator:
        self._tape.refused = "it copies its generator"
        return np.random.Generator(np.random.PCG64(int(self._tape.rng.integers(2**62))))

    # laws that are a location and a scale
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("laplace", laws.LAPLACE, loc, scale, size)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("logistic", laws.LOGISTIC, loc, scale, size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("gumbel", laws.GUMBEL, loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("normal", laws.NORMAL, loc, scale, size)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As numpy's."""
        return self._typed(self._moved("standard_normal", laws.NORMAL, 0.0, 1.0, _sized(size, out)), dtype, out)

    def standard_cauchy(self, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("standard_cauchy", laws.CAUCHY, 0.0, 1.0, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        return self._moved("exponential", laws.EXPONENTIAL, 0.0, scale, size)

    def standard_exponential(
        self,
        size: Any = None,
        dtype: Any = np.float64,
        method: str = "zig",  # noqa: ARG002 (numpy has it)
        out: Any = None,
    ) -> Any:
        """As numpy's."""
        drawn = self._moved("standard_exponential", laws.EXPONENTIAL, 0.0, 1.0, _sized(size, out))
        return self._typed(drawn, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """As numpy's."""
        low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
        return self._moved("uniform", laws.UNIFORM, (low + high) / 2, high - low, size)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As numpy's."""
        return self._typed(self._moved("random", laws.UNIFORM, 0.5, 1.0, _sized(size, out)), dtype, out)

    # laws whose outcomes can be counted
    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """As numpy's."""
        low, high = (0, low) if high is None else (low, high)
        if np.ndim(low) or np.ndim(high):
            return self._unknown("integers", (low, high, size, dtype, endpoint))
        first, count = int(low), int(high) - int(low) + bool(endpoint)
        if not 0 < count <= MOST_OPTIONS:
            return self._unknown("integers", (low, high, size, dtype, endpoint))
        taken = self._option("integers", np.full(count, 1.0 / count), size, lambda rng: rng.integers(count, size=size))
        found = first + taken.astype(np.int64)
        return found.astype(dtype) if size is not None else np.dtype(dtype).type(found)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """As numpy's."""
        listed = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        count = listed.shape[axis]
        if not 0 < count <= MOST_OPTIONS or axis or not (replace or size is None):
            return self._unknown("choice", (a, size, replace, p, axis, shuffle))
        weights = np.full(count, 1.0 / count) if p is None else np.asarray(p, dtype=np.float64)
        np.random.default_rng(0).choice(count, p=weights)  # refuses what numpy refuses
        drawn = None if p is not None else (lambda rng: rng.integers(count, size=size))
        taken = self._option("choice", weights, size, drawn)
        return listed[taken.astype(np.int64)] if size is not None else listed[int(taken)]

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """As numpy's."""
        if np.ndim(n) or np.ndim(p) or not 0 <= int(n) < MOST_OPTIONS:
            return self._unknown("binomial", (n, p, size))
        weights = [math.comb(int(n), k) * float(p) ** k * (1.0 - float(p)) ** (int(n) - k) for k in range(int(n) + 1)]
        drawn = self._option("binomial", np.array(weights), size, lambda rng: rng.binomial(int(n), float(p), size))
        taken = drawn.astype(np.int64)
        return taken if size is not None else int(taken)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """As numpy's."""
        if np.ndim(p):
            return self._unknown("geometric", (p, size))
        law = laws.geometric(float(p))
        found = self._moved("geometric", law, 0.0, 1.0, size)
        return np.asarray(found).astype(np.int64) if size is not None else int(found)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """As numpy's."""
        listed = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        order = self._order("permutation", listed.shape[axis])
        return np.take(listed, order, axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """As numpy's."""
        order = self._order("shuffle", len(x) if axis == 0 else x.shape[axis])
        if isinstance(x, np.ndarray):
            x[...] = np.take(x, order, axis=axis)
        else:
            x[:] = [x[place] for place in order]

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        """As numpy's; not followed."""
        return self._unknown("permuted", (x,), axis=axis, out=out)

    def _moved(self, method: str, law: Law, location: Any, scale: Any, size: Any) -> Any:
        wide = np.ndim(location) > 0 or np.ndim(scale) > 0
        if (not np.all(np.asarray(scale) >= 0)) if wide else not scale >= 0:
            raise ValueError("scale < 0")
        single = size is None and not wide
        shape = () if single else _shape(size, location, scale)
        u = self._tape.next(shape, lambda rng: law.standard(rng, shape))
        self._note(Draw(method, _place(), shape, u, law, location, scale, source=self._source))
        value = location + scale * u
        return float(value) if single else np.asarray(value)

    def _option(
        self, method: str, weights: Floats, size: Any, drawn: Callable[[np.random.Generator], Any] | None = None
    ) -> Floats:
        """One of several, by number; `drawn` as numpy draws it, so that the same bits make the same output."""
        shape = () if size is None else _shape(size)
        chances = weights / weights.sum()
        fresh = drawn or (lambda rng: rng.choice(chances.size, p=chances, size=size))
        u = self._tape.next(shape, fresh, chances.size)
        u = np.clip(np.floor(u), 0, chances.size - 1)
        options = tuple(chances.tolist())
        self._note(Draw(method, _place(), shape, u, options=options, source=self._source))
        return u

    def _order(self, method: str, count: int) -> NDArray[np.int64]:
        """A permutation, as so many choices: which of those that are left comes next."""
        left, order = list(range(count)), []
        for _ in range(count):
            if len(left) > MOST_OPTIONS:
                self._note(Draw(method, _place(), (count,), np.zeros(count), source=self._source))
                return self._tape.rng.permutation(count)
            taken = self._option(method, np.full(len(left), 1.0 / len(left)), None) if len(left) > 1 else 0
            order.append(left.pop(int(taken)))
        return np.array(order, dtype=np.int64)

    def _unknown(self, method: str, given: tuple[Any, ...], **named: Any) -> Any:
        """A law that is recorded and not followed."""
        self._note(Draw(method, _place(), (), np.zeros(()), source=self._source))
        return getattr(self._tape.rng, method)(*given, **named)

    def _note(self, draw: Draw) -> None:
        self._tape.draws.append(draw)

    @staticmethod
    def _typed(drawn: Any, dtype: Any, out: Any) -> Any:
        if out is not None:
            out[...] = drawn
            return out
        return drawn if dtype is float or np.dtype(dtype) == np.float64 else np.asarray(drawn, dtype=dtype)[()]


def _other(method: str) -> Callable[..., Any]:
    def drawn(self: Recorder, *given: Any, **named: Any) -> Any:
        return self._unknown(method, given, **named)

    drawn.__doc__ = "As numpy's; not followed."
    return drawn


for _method in OTHERS:
    setattr(Recorder, _method, _other(_method))


def _shape(size: Any, *given: Any) -> tuple[int, ...]:
    if size is None:
        return np.broadcast_shapes(*(np.shape(each) for each in given))
    return (int(size),) if np.ndim(size) == 0 else tuple(int(each) for each in size)


def _sized(size: Any, out: Any) -> Any:
    return size if out is None else out.shape


def _place() -> Place:
    """The nearest line that belongs to a mechanism."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(OURS):
        frame = frame.f_back
    return _known(frame.f_code.co_filename, frame.f_lineno)


@cache
def _known(file: str, line: int) -> Place:
    return Place(file, line, linecache.getline(file, line).strip())
