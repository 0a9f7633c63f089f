"""In which norm the error of a table is small: its largest entry, its length, or the sum of its entries' sizes."""

from __future__ import annotations

from typing import Literal, get_args

Norm = Literal["linf", "l2", "l1"]
NORMS: tuple[Norm, ...] = get_args(Norm)
