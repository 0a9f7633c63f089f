"""The claims of a table, decided from its rows: agreement with the paper, guarantees, and sharp against HPF or HPM."""

from __future__ import annotations

from collections.abc import Sequence

from hdp_audit.experiments.paper import COLUMNS, Printed
from hdp_audit.experiments.report import Check
from hdp_audit.experiments.results import Cell, Row

CLOSE, FACTOR = 0.15, 1.5
SIMPLEX = ("hp", "a", "prop", "uni", "turbo", "threshold", "sharp")
ROUNDING = 1e-9  # the mechanisms' search over levels stops at this relative difference


def value_of(cell: Cell) -> float:
    """The exact error where it is known, else the measured one."""
    if cell.exact is not None:
        return cell.exact
    if cell.measured is None:
        raise ValueError(f"{cell.algorithm}: neither exact nor measured")
    return cell.measured.value


def agrees(cell: Cell, near: Sequence[str]) -> bool:
    """Within 15% or the printed rounding (those in `near`), within a factor 1.5 (the others)."""
    if cell.paper is None or cell.measured is None:
        return True
    ours, figure = cell.measured.value, Printed(cell.paper)
    if cell.algorithm not in near:
        return 1 / FACTOR <= ours / figure.value <= FACTOR
    low, high = figure.rounding
    return abs(ours / figure.value - 1) <= CLOSE or low <= ours <= high


def agreement(rows: Sequence[Row], near: Sequence[str], words: str) -> Check:
    """Every printed figure of these rows is met."""
    pairs = [(row, cell) for row in rows for cell in row.cells if cell.paper is not None and cell.measured]
    far = [f"{row.metric} {cell.algorithm}" for row, cell in pairs if not agrees(cell, near)]
    figures = [f"{c.algorithm} {c.measured.value:.3g} ({c.paper})" for _, c in pairs if c.measured]
    return Check(words, not far, "; ".join(figures) + (f". Outside: {', '.join(far)}" if far else ""))


def same_order(row: Row) -> Check:
    """The paper's six algorithms come in the paper's order."""
    cells = [row.cell(column) for column in COLUMNS]
    theirs = [c.algorithm for c in sorted(cells, key=lambda c: Printed(c.paper or "nan").value)]
    ours = [c.algorithm for c in sorted(cells, key=value_of)]
    claim = f"{row.label}, {row.metric}: the six algorithms come in the paper's order"
    return Check(claim, theirs == ours, f"ours {' < '.join(ours)}; paper {' < '.join(theirs)}", row.dataset)


def same_winner(row: Row, impossible: Sequence[str] = ()) -> Check:
    """The best of the paper's six is one that the paper prints as best; figures that cannot be are named."""
    cells = [row.cell(column) for column in COLUMNS]
    best = _printed_best(cells)
    ours = min(cells, key=value_of)
    claim = f"{row.label}, {row.metric}: the winner among the paper's six is the paper's"
    detail = f"ours {ours.algorithm}; paper {', '.join(best)}"
    if set(best) & set(impossible):
        rest = _printed_best([c for c in cells if c.algorithm not in impossible])
        detail += f", by a figure that contradicts another of its own; without it the paper's winner is {rest[0]}"
    return Check(claim, ours.algorithm in best, detail, row.dataset)


def _printed_best(cells: Sequence[Cell]) -> list[str]:
    least = min(Printed(c.paper or "nan").value for c in cells)
    return [c.algorithm for c in cells if Printed(c.paper or "nan").value == least]


def least_guarantee(rows: Sequence[Row]) -> Check:
    """Of all weights on the simplex, the sharp ones have the smallest guarantee."""
    worse = []
    for row in rows:
        sharp = row.cell("sharp").guaranteed or 0.0
        others = [row.cell(key).guaranteed for key in SIMPLEX]
        worse += [row.dataset for other in others if other is not None and other < sharp * (1 - ROUNDING)]
    claim = "On every row no other weights on the simplex guarantee less than the sharp ones (a theorem, recomputed)"
    return Check(claim, not worse, f"{len(rows)} rows, {len(SIMPLEX)} weightings each; exceptions: {len(worse)}")


def guarantees_hold(rows: Sequence[Row]) -> Check:
    """No measured error exceeds its guarantee."""
    cells = [(row, c) for row in rows for c in row.cells if c.measured and c.guaranteed is not None]
    broken = [f"{row.dataset} {c.algorithm}" for row, c in cells if c.measured and c.measured.low > (c.guaranteed or 0)]
    return Check("No measured error exceeds its guarantee", not broken, f"{len(cells)} cells; {len(broken)} above")


def exact_agree(rows: Sequence[Row]) -> Check:
    """Trials and the exact law agree: of 99% intervals, a few in a hundred may miss."""
    cells = [c for row in rows for c in row.cells if c.measured and c.exact is not None]
    missed = [c for c in cells if c.measured and not _near(c)]
    claim = "Trials agree with the exact error law wherever there is one (99% intervals; at most 5 in 100 miss)"
    return Check(claim, len(missed) <= max(2, 0.05 * len(cells)), f"{len(missed)} of {len(cells)} intervals miss")


def _near(cell: Cell) -> bool:
    found, exact = cell.measured, cell.exact
    if found is None or exact is None:
        return True
    slack = 1e-9 + 1e-6 * exact
    return found.low - slack <= exact <= found.high + slack


def sharp_no_worse(rows: Sequence[Row]) -> Check:
    """Sharp against the paper's variant for the same setting and metric."""
    better, worse = 0, []
    for row in rows:
        sharp, paper = row.cell("sharp"), row.cell("hp")
        if sharp.exact is not None and paper.exact is not None:
            better += sharp.exact < paper.exact
            worse += [row.dataset] if sharp.exact > paper.exact * (1 + 1e-9) else []
        elif sharp.measured and paper.measured:
            better += sharp.measured.high < paper.measured.low
            worse += [row.dataset] if sharp.measured.low > paper.measured.high else []
    claim = "The sharp variant's error is nowhere above the paper's variant for that row, and smaller on two thirds"
    detail = f"smaller on {better} of {len(rows)} rows (exact law, or disjoint 99% intervals); larger on {len(worse)}"
    return Check(claim, not worse and 3 * better >= 2 * len(rows), detail)
