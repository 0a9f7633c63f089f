"""The forms in which mechanisms take data: numpy, pandas, polars, or plain lists and dicts. Each loads its library."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from hdp_audit.errors import InvalidInput

Form = Literal["numpy", "pandas", "polars", "records"]
FORMS: tuple[Form, ...] = get_args(Form)


def checked(form: str | None) -> Form | None:
    """One of the forms; an error in words where its library is missing."""
    if form is None:
        return None
    if form not in FORMS:
        raise InvalidInput(f"input = {form!r:.60}; allowed: {', '.join(FORMS)}")
    if form in ("pandas", "polars") and not _there(form):
        raise InvalidInput(f'input = "{form}", but {form} is not installed; pip install "hdp-audit[{form}]"')
    return form


def default(*, columns: bool) -> Form:
    """Arrays; of columns a DataFrame if pandas is there."""
    return "pandas" if columns and _there("pandas") else "numpy"


def _there(library: str) -> bool:
    return importlib.util.find_spec(library) is not None


def shaped(data: Any, form: Form) -> Any:
    """An array, or one with named fields, in a form of its own."""
    return SHAPES[form](data)


def _numpy(data: Any) -> Any:
    return np.array(data, dtype=object) if isinstance(data, list) else data


def _records(data: Any) -> Any:
    if isinstance(data, list) or data.dtype.names is None:
        return data if isinstance(data, list) else data.tolist()
    return [dict(zip(data.dtype.names, row, strict=True)) for row in data.tolist()]


def _columns(data: Any) -> dict[str, Any] | None:
    """Of an array with named fields; None of any other."""
    names = None if isinstance(data, list) else data.dtype.names
    return None if names is None else {name: np.ascontiguousarray(data[name]) for name in names}


def _pandas(data: Any) -> Any:
    import pandas as pd

    columns = _columns(data)
    if columns is None:
        return pd.DataFrame(data) if np.ndim(data) == 2 else pd.Series(data)
    return pd.DataFrame(columns)


def _polars(data: Any) -> Any:
    import polars as pl

    columns = _columns(data)
    if columns is None:
        return pl.DataFrame(data) if np.ndim(data) == 2 else pl.Series(data)
    return pl.DataFrame(columns)


SHAPES: dict[str, Callable[[Any], Any]] = {"numpy": _numpy, "pandas": _pandas, "polars": _polars, "records": _records}
