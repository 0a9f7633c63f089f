"""Columns by name: a mechanism that names columns of a table gets each by itself, and as its data all others.

So `fit(X, y)` is audited as it is on rows of which one column is called y.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.named import COLUMNS, KNOWN, is_seed, signature_of

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def parted(mechanism: Callable[..., Any], columns: Collection[str]) -> Callable[..., Any]:
    """The mechanism itself, unless it names columns."""
    listed = [each for each in signature_of(mechanism).parameters.values() if each.kind in NAMED]
    parts = [each.name for each in listed if each.name in columns and _is_column(each)]
    others = [
        each.name for each in listed if each.default is each.empty and not _known(each) and each.name not in parts
    ]
    if getattr(mechanism, "unnamed", ()) and len(others) > ("data" not in [each.name for each in listed]):
        raise InvalidInput(
            f"{getattr(mechanism, '__name__', 'the method')} wants {', '.join(others)}; a class and its method get by "
            f"name what they name of data, {', '.join(COLUMNS)}, ids, rng, and of the columns of a table in [domain]; "
            "give others a default"
        )
    if not parts or len(others) > 1:
        return mechanism
    return Parted(mechanism, parts, others[0] if others else "data")


def _is_column(parameter: inspect.Parameter) -> bool:
    """Whether nothing else has this name; what has a default of its own keeps it."""
    return not _known(parameter) and (parameter.default is parameter.empty or parameter.default is None)


def _known(parameter: inspect.Parameter) -> bool:
    return parameter.name in KNOWN or is_seed(parameter)


class Parted:
    """The same mechanism for whole tables; it has no batches, as those take whole tables."""

    def __init__(self, mechanism: Callable[..., Any], parts: list[str], rest: str) -> None:
        self._mechanism, self._parts, self._rest = mechanism, parts, rest
        self.__name__ = getattr(mechanism, "__name__", type(mechanism).__name__)
        listed = [each for each in signature_of(mechanism).parameters.values() if each.kind in NAMED]
        self._wants_rest = any(each.name == rest for each in listed)
        whole = inspect.Parameter("data", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        taken = (*parts, rest)
        self.__signature__ = inspect.Signature([whole, *(_by_name(each) for each in listed if each.name not in taken)])

    def __call__(self, data: Any, *given: Any, **named: Any) -> Any:
        """Data and what else it names."""
        others = self.__signature__.bind(data, *given, **named).arguments
        del others["data"]
        rest = {self._rest: without(data, self._parts)} if self._wants_rest else {}
        return self._mechanism(**rest, **{name: column(data, name) for name in self._parts}, **others)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("batch", "many"):
            raise AttributeError(name)
        return getattr(self._mechanism, name)


def _by_name(parameter: inspect.Parameter) -> inspect.Parameter:
    """Without an order, so that none can be wrong."""
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)


def column(data: Any, name: str) -> Any:
    """One, of a table in any of its forms."""
    return [row[name] for row in data] if isinstance(data, list) else data[name]


def without(data: Any, parts: Collection[str]) -> Any:
    """All others; as rows of an array where that is the form and all are numbers."""
    if isinstance(data, list):
        return [{name: value for name, value in row.items() if name not in parts} for row in data]
    if not isinstance(data, np.ndarray):
        return data[[name for name in data.columns if name not in parts]]
    names = [name for name in data.dtype.names or () if name not in parts]
    if all(data.dtype[name].kind in "iuf" for name in names) and names:
        return np.column_stack([data[name] for name in names])
    return data[names]
