"""A table's rows as plain values: what was measured, what is exact, what is guaranteed, what the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hdp_audit.experiments.algorithms import ALGORITHMS, Algorithm, built, catalog_name, exact_law, guaranteed
from hdp_audit.experiments.dataset import BETA, Dataset
from hdp_audit.experiments.measure import Effort, Measured, errors, measured
from hdp_audit.experiments.paper import printed
from hdp_audit.model.vocabulary import METRICS, MetricName

Progress = Callable[[str, float], None]
# Same mechanism for both metrics: measured once, read twice.
SHARED = frozenset({"a", "prop", "uni", "sm", "sm-realised", "turbo"})


def part(told: Progress | None, place: int, whole: int) -> Progress | None:
    """The progress of one of `whole` equal parts."""
    if told is None:
        return None
    return lambda what, share: told(what, (place + share) / whole)


@dataclass(frozen=True)
class Cell:
    """One algorithm in one row."""

    algorithm: str
    label: str
    catalog: str
    leaks: bool
    ours: bool
    paper: str | None
    guaranteed: float | None
    exact: float | None
    level: float | None
    measured: Measured | None


@dataclass(frozen=True)
class Row:
    """One dataset under one metric."""

    dataset: str
    label: str
    task: str
    setting: str
    metric: MetricName
    users: int
    categories: int | None
    source: str
    differs: str
    cells: tuple[Cell, ...]

    @property
    def outputs(self) -> int:
        """k, or 1 for a mean."""
        return self.categories or 1

    def cell(self, algorithm: str) -> Cell:
        """The cell of an algorithm."""
        return next(cell for cell in self.cells if cell.algorithm == algorithm)


@dataclass(frozen=True)
class Reading:
    """Another reading of what the paper leaves open: the choice in words, its data, and the rule where it is one."""

    choice: str
    dataset: Dataset
    rule: str | None = None


@dataclass(frozen=True)
class Varied:
    """The row of another reading."""

    reading: Reading
    row: Row

    def as_json(self) -> dict[str, Any]:
        """The row, and before it what was chosen."""
        return {"choice": self.reading.choice, "rule": self.reading.rule, **asdict(self.row)}


def rows_of(
    dataset: Dataset,
    effort: Effort | None,
    seed: int,
    wanted: Iterable[str] | None = None,
    told: Progress | None = None,
) -> list[Row]:
    """Both metrics of a dataset; without an effort only what needs no trials."""
    chosen = [a for a in ALGORITHMS if wanted is None or a.key in set(wanted)]
    cells: dict[MetricName, list[Cell]] = {metric: [] for metric in METRICS}
    shared: dict[str, Any] = {}
    for place, algorithm in enumerate(chosen):
        for metric in METRICS:
            cell = _cell(algorithm, dataset, metric, effort, seed, shared)
            if cell is not None:
                cells[metric].append(cell)
        if told is not None:
            told(f"{dataset.label}: {algorithm.label}", (place + 1) / len(chosen))
    return [_row(dataset, metric, tuple(cells[metric])) for metric in METRICS]


def rows_of_all(
    datasets: Sequence[Dataset], effort: Effort | None, seed: int, wanted: Iterable[str] | None, told: Progress | None
) -> list[Row]:
    """The rows of several datasets."""
    found = []
    for place, dataset in enumerate(datasets):
        found += rows_of(dataset, effort, seed, wanted, part(told, place, len(datasets)))
    return found


def varied_rows(
    readings: Sequence[Reading], effort: Effort, seed: int, wanted: Iterable[str], told: Progress | None
) -> tuple[Varied, ...]:
    """The error quantiles of other readings of the paper."""
    found = rows_of_all([one.dataset for one in readings], effort, seed, tuple(wanted), told)
    quantiles = [row for row in found if row.metric == "pac"]
    return tuple(Varied(one, row) for one, row in zip(readings, quantiles, strict=True))


def _row(dataset: Dataset, metric: MetricName, cells: tuple[Cell, ...]) -> Row:
    facts = (dataset.task.name, dataset.setting, metric, dataset.epsilon.size, dataset.task.categories)
    return Row(dataset.key, dataset.label, *facts, dataset.source, dataset.differs, cells)


def _cell(
    algorithm: Algorithm, dataset: Dataset, metric: MetricName, effort: Effort | None, seed: int, shared: dict[str, Any]
) -> Cell | None:
    name = catalog_name(algorithm.key, dataset, metric)
    if name is None:
        return None
    mechanism = None if algorithm.leaks else built(name, dataset, metric)
    promise = exact = level = None
    if mechanism is not None:
        promise = guaranteed(mechanism, dataset, metric)
        level = mechanism.level
        law = exact_law(mechanism, dataset)
        if law is not None:
            exact = law.quantile(1.0 - BETA) if metric == "pac" else law.mean_square()
    found = None if effort is None else _errors(algorithm, name, dataset, metric, effort, seed, shared, mechanism)
    figure = printed(dataset.key, metric, algorithm.key)
    return Cell(
        algorithm.key,
        algorithm.label,
        name,
        algorithm.leaks,
        algorithm.ours,
        figure.text if figure else None,
        promise,
        exact,
        level,
        None if found is None else measured(found, metric),
    )


def _errors(
    algorithm: Algorithm,
    name: str,
    dataset: Dataset,
    metric: MetricName,
    effort: Effort,
    seed: int,
    shared: dict[str, Any],
    mechanism: Any,
) -> Any:
    if algorithm.key not in SHARED:
        return errors(name, dataset, metric, effort, seed, mechanism)
    if algorithm.key not in shared:
        shared[algorithm.key] = errors(name, dataset, "pac", effort, seed, mechanism)
    return shared[algorithm.key]
