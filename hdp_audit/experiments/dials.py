"""Choices that the paper leaves open and that decide who wins: each a dial, turned over its range.

At every stop demands are drawn anew several times. Errors of weighted sums on fixed data are exact, the others are
measured; the winner's ratio to the runner-up has a 99% t interval over the draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.experiments import checks, data, rows, synthetic
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.experiments.measure import CONFIDENCE, Effort
from hdp_audit.experiments.paper import COLUMNS
from hdp_audit.experiments.results import Progress, Row, rows_of
from hdp_audit.model.vocabulary import METRICS, MetricName, SettingName
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
EXACT = ("hp", "a", "prop", "uni")  # weighted sums: exact wherever the data are fixed
EFFORT = Effort(trials=5_000, slow=100, permuted=1_000)
QUICK_EFFORT = Effort(trials=1_000, slow=20, permuted=40)
DRAWS, QUICK_DRAWS = 5, 3


@dataclass(frozen=True)
class Dial:
    """One open choice of one row: the key and label of its dataset, what turns, the value used and why, the stops."""

    key: str
    row: str
    turns: str
    used: float
    why: str
    stops: tuple[float, ...]
    dataset: Callable[[int, float], Dataset]

    @property
    def facts(self) -> dict[str, Any]:
        """What does not turn, as plain values."""
        return {"dataset": self.key, "row": self.row, "turns": self.turns, "used": self.used, "why": self.why}


def _sloped(seed: int, slope: float) -> Dataset:
    return rows.synthetic_mean(seed, "correlated", slope=slope)


def _shaped(setting: SettingName, seed: int, shape: float) -> Dataset:
    return rows.synthetic_mean(seed, setting, shape)


def _capped(seed: int, thousands: float) -> Dataset:
    base = rows.salary_mean(seed)
    return replace(base, data=np.minimum(base.data * (data.TOP_SALARY / (1_000.0 * thousands)), 1.0))


def _fallen(count: int, seed: int, fall: float) -> Dataset:
    base = rows.synthetic_frequencies(seed, count, "correlated")
    return replace(base, epsilon=synthetic.falling(fall)(base.data, count, stream(seed, "demands", base.key)))


def _topped(made: Callable[[int], Dataset], lowest: float, seed: int, upper: float) -> Dataset:
    base = made(seed)
    rng = stream(seed, "demands", base.key)
    return replace(base, epsilon=synthetic.log_uniform(base.epsilon.size, -lowest, rng, upper))


def _weak_bins(count: int, seed: int) -> Dataset:
    return rows.synthetic_frequencies(seed, count, "weakly-correlated")


_SHAPES = (0.1, 1.0, 5.0, 20.0, 100.0)
_BETA_LAW = "shape of the data's Beta law"
_FITS_A = "its spread fits the printed A of row W"
MEAN_DIALS = (
    Dial(
        "mean-c",
        "10000, C",
        "slope of log ε over the data's rank",
        1.5,
        "chosen so that HPM wins, as printed; the printed A would fit a slope between 0.75 and 1, where A has the "
        "smaller quantile",
        (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0),
        _sloped,
    ),
    Dial("mean-c", "10000, C", _BETA_LAW, 20.0, _FITS_A, _SHAPES, partial(_shaped, "correlated")),
    Dial("mean-w", "10000, W", _BETA_LAW, 20.0, _FITS_A, _SHAPES, partial(_shaped, "weakly-correlated")),
    Dial(
        "mean-w",
        "10000, W",
        "largest log ε",
        4.5,
        "the smallest, −4.5, follows from the printed UNI, and the paper's own rules are symmetric",
        (-2.0, 0.0, 2.0, 4.5, 6.0),
        partial(_topped, partial(rows.synthetic_mean, setting="weakly-correlated"), -4.5),
    ),
    Dial(
        "uc-mean-c",
        "UC Salary, C",
        "salary that counts as 1, in thousands",
        1_000.0,
        "a bound known in advance; only ten of 50,000 salaries lie above it",
        (50.0, 100.0, 250.0, 500.0, 1_000.0, 4_000.0),
        _capped,
    ),
)


def _frequency_dials(count: int) -> tuple[Dial, Dial]:
    return (
        Dial(
            f"{count}-c",
            f"(10000, {count}), C",
            "fall of log ε from the middle bin to the ends",
            synthetic.FALL,
            'our reading of "different distributions"; the paper prints A as the winner',
            (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0),
            partial(_fallen, count),
        ),
        Dial(
            f"{count}-w",
            f"(10000, {count}), W",
            "largest log ε",
            6.0,
            "the smallest, −6, follows from the printed UNI, and the paper's own rules are symmetric",
            (-2.0, 0.0, 2.0, 4.0, 6.0),
            partial(_topped, partial(_weak_bins, count), -6.0),
        ),
    )


FREQUENCY_DIALS = (*_frequency_dials(5), *_frequency_dials(20))


def turned(dials: Sequence[Dial], seed: int, quick: bool, told: Progress | None = None) -> list[dict[str, Any]]:
    """Every dial at every stop, as plain values; the quick version takes every other stop."""
    effort, draws = (QUICK_EFFORT, QUICK_DRAWS) if quick else (EFFORT, DRAWS)
    found = []
    for place, dial in enumerate(dials):
        stops = dial.stops[:: 2 if quick else 1]
        points = [entry for stop in stops for entry in entries(dial, stop, effort, draws, seed)]
        found.append({**dial.facts, "draws": draws, "points": points})
        if told is not None:
            told(f"{dial.row}: {dial.turns}", (place + 1) / len(dials))
    return found


def entries(dial: Dial, stop: float, effort: Effort | None, draws: int, seed: int) -> list[dict[str, Any]]:
    """Both metrics at one stop; without an effort only the exact errors."""
    found = [_errors(dial.dataset(seed + draw, stop), effort, seed + draw) for draw in range(draws)]
    return [_entry(stop, metric, [one[metric] for one in found]) for metric in METRICS]


def _errors(dataset: Dataset, effort: Effort | None, seed: int) -> dict[MetricName, dict[str, float]]:
    """The errors of the paper's six, as far as the effort allows."""
    exact = () if dataset.weakly else EXACT
    both: list[Row] = rows_of(dataset, None, seed, exact)
    if effort is not None:
        both += rows_of(dataset, effort, seed, [key for key in COLUMNS if key not in exact])
    return {
        metric: {cell.algorithm: checks.value_of(cell) for row in both if row.metric == metric for cell in row.cells}
        for metric in METRICS
    }


def _entry(stop: float, metric: MetricName, draws: list[dict[str, float]]) -> dict[str, Any]:
    logs = {key: np.log([one[key] for one in draws]) for key in draws[0]}
    ordered = sorted(logs, key=lambda key: float(logs[key].mean()))
    entry: dict[str, Any] = {"stop": stop, "metric": metric}
    entry["errors"] = {key: float(np.exp(values.mean())) for key, values in logs.items()}
    if len(ordered) > 1:
        root = 1.0 if metric == "pac" else 0.5
        ratio, low, high = _interval(root * (logs[ordered[0]] - logs[ordered[1]]))
        entry |= {"best": ordered[0], "second": ordered[1], "ratio": ratio, "low": low, "high": high}
    return entry


def _interval(gaps: Floats) -> tuple[float, float, float]:
    """A ratio and its 99% t interval from log ratios."""
    from scipy.special import stdtrit

    mean, half = float(gaps.mean()), 0.0
    if gaps.size > 1:
        half = float(stdtrit(gaps.size - 1, 0.5 + 0.5 * CONFIDENCE) * gaps.std(ddof=1) / np.sqrt(gaps.size))
    return float(np.exp(mean)), float(np.exp(mean - half)), float(np.exp(mean + half))
