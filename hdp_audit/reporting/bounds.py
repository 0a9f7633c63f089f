"""The eight cells for a terminal, a pipe or a program."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table

from hdp_audit.reporting.numbers import for_json, printable, short
from hdp_audit.reporting.printed import printed, tabbed

if TYPE_CHECKING:
    from rich.console import Console

    from hdp_audit.model import PrivacyDemands
    from hdp_audit.theory.cells import Cell
    from hdp_audit.theory.population import Population

FIGURES = ("guaranteed", "lower bound", "ratio", "paper's order", "level")
HEADINGS = ("estimate", "data", "error", *FIGURES, "by")


def summary_of(demands: PrivacyDemands) -> dict[str, Any]:
    """How many users, from which to which demand, and who is public or never used."""
    values = demands.values
    return {
        "users": values.size,
        "min": float(values.min()),
        "max": float(values.max()),
        "public": int(np.isinf(values).sum()),
        "zero": int((values == 0).sum()),
    }


def as_json(
    demands: PrivacyDemands,
    found: list[Cell],
    categories: int,
    beta: float,
    population: Population | None = None,
) -> dict[str, Any]:
    """Everything that the table and the sentences say."""
    norm = found[0].problem.norm.value
    document = {
        "schema_version": 1,
        "demands": summary_of(demands),
        **_size(found, categories),
        "beta": beta,
        **({} if norm == "linf" else {"norm": norm}),
        "cells": [_cell_json(cell) for cell in found],
        **({} if population is None else {"population": _cell_json(population)}),
    }
    plain: dict[str, Any] = for_json(document)
    return plain


def _cell_json(cell: Cell | Population) -> dict[str, Any]:
    return {
        "task": cell.task,
        "setting": cell.setting,
        "metric": cell.metric,
        "upper": {"value": cell.upper.value, "method": cell.upper.method},
        "lower": {"value": cell.lower.value, "method": cell.lower.method},
        "ratio": cell.ratio,
        "paper_order": cell.paper_order,
        "level": cell.level,
        "mechanism": cell.mechanism,
        "sentence": cell.sentence,
    }


def _size(found: list[Cell], categories: int) -> dict[str, int]:
    """Of vectors their dimensions, else the categories of frequencies."""
    from hdp_audit.theory.ball_cells import BallCell

    sizes = [cell.dimensions for cell in found if isinstance(cell, BallCell)]
    return {"dimensions": sizes[0]} if sizes else {"categories": categories}


def row_of(cell: Cell | Population) -> tuple[str, ...]:
    """One line of the table, in the order of HEADINGS."""
    figures = (cell.upper.value, cell.lower.value, cell.ratio, cell.paper_order, cell.level)
    shown = ("–" if figure is None else short(figure) for figure in figures)
    return (cell.task, cell.setting, cell.metric, *shown, cell.mechanism)


def bounds_text(
    demands: PrivacyDemands,
    found: list[Cell],
    categories: int,
    beta: float,
    console: Console,
    population: Population | None = None,
) -> str:
    """A table and a sentence for each cell; tab-separated lines where the output is no terminal."""
    facts = summary_of(demands)
    ((word, many),) = _size(found, categories).items()
    norm = "" if found[0].problem.one_number else f", errors of frequencies in ℓ{found[0].problem.norm.value[1:]}"
    title = (
        f"{facts['users']} users, demands {short(facts['min'])} to {short(facts['max'])} "
        f"({facts['public']} public, {facts['zero']} never used), {many} {word}, β = {beta:g}{norm}"
    )
    rows: list[Cell | Population] = [*found, *([] if population is None else [population])]
    if not console.is_terminal:
        return "\n".join([title, tabbed([HEADINGS, *map(row_of, rows)]), *(row.sentence for row in rows), ""])
    wrapped = [line for row in rows for line in textwrap.wrap(printable(row.sentence), console.width)]
    return "\n".join([printed(console, _table(title, rows)), *wrapped, ""])


def _table(title: str, rows: list[Cell | Population]) -> Table:
    table = Table(title=title, title_justify="left", header_style="bold")
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in FIGURES else "left")
    for row in rows:
        table.add_row(*row_of(row))
    return table
