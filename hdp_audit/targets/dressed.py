"""Data as a mechanism takes them, and answers as it gives them: tables, lists and series in, dicts by label out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.model.domain import Domain
from hdp_audit.model.drawn import Drawn
from hdp_audit.model.promise import Promise
from hdp_audit.model.table import Table
from hdp_audit.targets.calls import surroundings_of, wants_users
from hdp_audit.targets.failures import WrongShape
from hdp_audit.targets.forms import Form, default, shaped
from hdp_audit.targets.subject import name_of, replayable, takes_rng

ORDER = (
    "its keys in another order than in the first output; that order may tell data, so return them in one that is fixed"
)


@dataclass(frozen=True)
class Dress:
    """What a mechanism gets, and which keys an output may have."""

    domain: Domain
    form: Form | None = None
    keys: tuple[Any, ...] | None = None

    @property
    def chosen(self) -> Form:
        """The form that was asked for, or what suits the domain."""
        if self.form is None and isinstance(self.domain, Drawn):
            return "records"
        return self.form or default(columns=isinstance(self.domain, Table))

    @property
    def needed(self) -> bool:
        """Whether anything is to be done."""
        return self.keys is not None or self.chosen != "numpy" or isinstance(self.domain, Drawn)


def dressed(mechanism: Callable[..., Any], dress: Dress, promise: Promise) -> Callable[..., Any]:
    """The mechanism itself where arrays go in and numbers come out."""
    return Dressed(mechanism, dress, promise) if dress.needed else mechanism


class Dressed:
    """The same mechanism for arrays; `batch` is there only where it has that, `many` only where it takes arrays."""

    def __init__(self, mechanism: Callable[..., Any], dress: Dress, promise: Promise) -> None:
        self._mechanism, self._dress, self._form = mechanism, dress, dress.chosen
        self._gives_rng, self.takes_rng = takes_rng(mechanism, promise), replayable(mechanism, promise)
        self.__name__ = name_of(mechanism)
        self.around = surroundings_of(mechanism)
        self._order: list[Any] | None = None

    def __call__(self, data: Any, *given: Any) -> Any:
        """Data, columns of the promise and a generator."""
        try:
            output = self._mechanism(self._put(data), *(given if self._gives_rng else given[:-1]))
        except (LookupError, AttributeError) as why:
            if isinstance(self._dress.domain, Table):
                why.add_note(f"the data have the columns {', '.join(self._dress.domain.columns)}")
            raise
        return self._read(output)

    @property
    def wants_users(self) -> bool:
        """Whether it is told who is there."""
        return wants_users(self._mechanism)

    @property
    def given_up(self) -> bool:
        """Whether it is not called any more."""
        return bool(getattr(self._mechanism, "given_up", False))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._mechanism, name)
        if name == "batch":
            return lambda data, *given: self._several(found(self._put(data), *given))
        if name == "many":
            if self._form != "numpy" or isinstance(self._dress.domain, Drawn):
                raise AttributeError(name)
            return lambda *given: self._several(found(*given))
        return found

    def _put(self, data: Any) -> Any:
        return shaped(self._dress.domain.given(data), self._form)

    def _several(self, outputs: Any) -> Any:
        return [self._read(output) for output in outputs] if type(outputs) in (list, tuple) else outputs

    def _read(self, output: Any) -> Any:
        """A dict, or a series of pandas, by label as numbers in the order of the labels; all else as it is."""
        keys = self._dress.keys
        if keys is None:
            return output
        found = dict(zip(output.index.tolist(), output.tolist(), strict=True)) if _is_series(output) else output
        if type(found) is not dict:
            return output
        order = [key.item() if isinstance(key, np.generic) else key for key in found]
        if set(order) != set(keys) or len(order) != len(keys):
            raise WrongShape(f"a dict of {len(found)} keys that are not the {len(keys)} labels", None)
        if self._order is None:
            self._order = order
        if order != self._order:
            raise WrongShape(f"a dict with {ORDER}", None)
        by_label = dict(zip(order, found.values(), strict=True))
        return [by_label[key] for key in keys]


def _is_series(output: Any) -> bool:
    """Of pandas, which is loaded if there is one."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(output) is pandas.Series
