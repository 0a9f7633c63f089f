"""Classes and factories: an object is made for each call, or once, and a method of it releases.

Whatever the class and the method name among data, columns of the promise, ids and a generator, they get by name.
"""

from __future__ import annotations

import contextlib
import inspect
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.awaited import result_of
from hdp_audit.targets.named import COLUMNS, KNOWN, SEEDS, is_seed, seed_of, signature_of

Per = Literal["call", "run"]
FORMS = 'fresh = "call" makes an object for each call, fresh = "run" one for all'


class Fresh:
    """A class, or a function that makes an object: what the object releases is audited.

    An object that is a context manager is entered before the release, and left after it.

    Args:
        make: The class or function; what it names among `data`, `epsilon` (or what else is promised), `ids` and `rng`
            it gets by name.
        per: "call" for a new object in each call, "run" for one that stays.
        method: Which method releases; the object itself unless given. It gets by name what it names.
        output: The attribute in which the release stands after the method, such as "coef_" or "mean_"; without it
            what the method returns.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Fresh, audit
        >>> class Mean:
        ...     def __init__(self, epsilon):
        ...         self.epsilon = epsilon
        ...     def fit(self, data, rng):
        ...         self.mean_ = data.mean() + rng.laplace(0.0, 1.0 / (len(data) * self.epsilon.min()))
        ...         return self
        >>> model = Fresh(Mean, method="fit", output="mean_")
        >>> audit(model, epsilon=[0.5] * 20, task="mean", budget=2_000).verdict != "fail"
        True
    """

    def __init__(
        self, make: Callable[..., Any], per: Per = "call", method: str | None = None, output: str | None = None
    ) -> None:
        if per not in get_args(Per):
            raise InvalidInput(f"fresh = {per!r:.60}; {FORMS}")
        self.__name__ = getattr(make, "__name__", type(make).__name__)
        self._make, self._per, self._method, self._output = make, per, method, output
        self._kept: Any = None
        self._stack = contextlib.ExitStack()
        weakref.finalize(self, self._stack.close)
        seeded = isinstance(make, type) and per == "call"  # what is made once keeps its own randomness
        self._wanted = {own: name for own, name in _names(make).items() if seeded or own not in SEEDS}
        self._given: dict[str, str] | None = None
        self.unnamed: tuple[
            str, ...
        ] = ()  # what its method wants beside the data: columns of a table, if they are there
        self.__signature__ = self._signature()

    def __call__(self, **given: Any) -> Any:
        """What is wanted, by name."""
        if self._per == "run":
            return self._released(self._once(), given)
        with _made(self._make, _values(self._wanted, given)) as found:
            return self._released(found, given)

    def _signature(self) -> inspect.Signature:
        """All names by keyword; those of a method are read where it stands, else from an object."""
        release = self._function()
        named = _names(release, several=True)
        taken = named.values()
        self.unnamed = tuple(name for name in taken if name not in KNOWN)
        names = dict.fromkeys([*self._wanted.values(), *taken])
        other = next((own for own, name in self._wanted.items() if name == "data" != own), None)
        if other is not None and "data" in taken:
            raise InvalidInput(
                f"{self.__name__}{signature_of(self._make)} wants {other}, while its method takes the data; give "
                f"{other} a default, or name a factory, a function that makes and returns what takes the data; demands "
                "are given to an argument called epsilon (or rho, mu, as promised)"
            )
        if self._per == "run" and self._wanted:
            raise InvalidInput(
                f'{self.__name__}{signature_of(self._make)} wants {", ".join(self._wanted)}, but fresh = "run" makes '
                'it once, for all data and demands; let its method take them, or use fresh = "call"'
            )
        kind = inspect.Parameter.KEYWORD_ONLY
        spare = [name for name in _spare(release) if name not in names]
        return inspect.Signature(
            [
                *(inspect.Parameter(name, kind) for name in names),
                *(inspect.Parameter(n, kind, default=None) for n in spare),
            ]
        )

    def _function(self) -> Callable[..., Any]:
        """What releases: of a class as it stands there, of another factory as its first object has it."""
        if isinstance(self._make, type):
            name = self._method or "__call__"
            found = next((vars(kind)[name] for kind in self._make.__mro__ if name in vars(kind)), None)
            if found is None:
                raise InvalidInput(self._nothing(self._make.__name__))
            bound = getattr(self._make, name)
            return bound if isinstance(found, (classmethod, staticmethod)) else _without_self(bound)
        if self._wanted:
            raise InvalidInput(
                f"{self.__name__}{signature_of(self._make)} makes an object, so it takes nothing; name a class whose "
                "objects take what they need, or let what it returns take them"
            )
        if self._per == "run":
            return self._releasing(self._once())
        with _made(self._make, {}) as found:
            return self._releasing(found)

    def _once(self) -> Any:
        """The one object; it is left when nobody needs it any more."""
        if self._kept is None:
            self._kept = self._stack.enter_context(_made(self._make, {}))
        return self._kept

    def _releasing(self, found: Any) -> Callable[..., Any]:
        release = found if self._method is None else getattr(found, self._method, None)
        if not callable(release):
            raise InvalidInput(self._nothing(type(found).__name__))
        return release

    def _nothing(self, kind: str) -> str:
        if self._method is not None:
            return f"{kind} has no method {self._method!r}; name one that releases"
        return f'objects of {kind} cannot be called; name the method that releases, such as "file.py:{kind}.release"'

    def _released(self, found: Any, given: dict[str, Any]) -> Any:
        release = self._releasing(found)
        if self._given is None:
            self._given = {**_names(release, several=True), **{own: own for own in _spare(release)}}
        answer = result_of(release(**_values(self._given, given)))
        if self._output is None:
            return answer
        held = _held(found, self._output)
        return held() if callable(held) else held


def _held(found: Any, output: str) -> Any:
    try:
        return getattr(found, output)
    except AttributeError as why:
        there = [name for name in getattr(found, "__dict__", {}) if not name.startswith("_")]
        why.add_note(f"output names the attribute in which the release stands; it has {', '.join(there) or 'none'}")
        raise


@contextlib.contextmanager
def _made(make: Callable[..., Any], named: dict[str, Any]) -> Iterator[Any]:
    """An object; entered and left where it is a context manager. Holds nothing of who asks, or that would stay."""
    found = result_of(make(**named))
    if hasattr(type(found), "__aenter__"):
        entered = result_of(type(found).__aenter__(found))
        try:
            yield entered
        finally:
            result_of(type(found).__aexit__(found, None, None, None))
    elif hasattr(type(found), "__enter__"):
        with found as entered:
            yield entered
    else:
        yield found


def _without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    listed = list(inspect.signature(function).parameters.values())[1:]
    return _Signed(inspect.Signature(listed), getattr(function, "__qualname__", "method"))


class _Signed:
    """A signature alone."""

    def __init__(self, signature: inspect.Signature, name: str) -> None:
        self.__signature__, self.__name__ = signature, name

    def __call__(self) -> None:
        """Never called."""


def _values(wanted: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    """By the parameters' own names; a seed is a whole number that the generator makes."""
    there = {own: name for own, name in wanted.items() if name in given}
    return {own: seed_of(given[name]) if own in SEEDS else given[name] for own, name in there.items()}


def _spare(function: Callable[..., Any]) -> list[str]:
    """Parameters that nobody has to give, and that may be columns of a table: `fit(X, y=None)`."""
    listed = signature_of(function).parameters.values()
    return [
        each.name
        for each in listed
        if each.default is None
        and each.name not in KNOWN
        and not is_seed(each)
        and each.kind is not each.POSITIONAL_ONLY
    ]


def _names(function: Callable[..., Any], *, several: bool = False) -> dict[str, str]:
    """Which parameter gets what: known names as they are, and one unknown that has no default is the data.

    `several` unknown ones may be columns of a table, and keep their names.
    """
    found: dict[str, str] = {}
    unknown: list[str] = []
    if isinstance(function, type) and not any("__init__" in vars(kind) for kind in function.__mro__[:-1]):
        return found
    for parameter in signature_of(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in KNOWN and parameter.kind is not parameter.POSITIONAL_ONLY:
            found[parameter.name] = parameter.name
        elif is_seed(parameter):
            found[parameter.name] = "rng"
        elif parameter.default is parameter.empty:
            unknown.append(parameter.name)
    if len(unknown) == 1 and "data" not in found:
        return {unknown[0]: "data", **found}
    if several:
        return {**{name: name for name in unknown}, **found}
    if unknown:
        raise InvalidInput(
            f"{getattr(function, '__name__', 'the method')}{signature_of(function)} wants {', '.join(unknown)}; a "
            f"class and its method get by name what they name of data, {', '.join(COLUMNS)}, ids and rng; give others "
            "a default"
        )
    return found
