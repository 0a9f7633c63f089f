"""Count tables that the experiments run on: public facts, each with its source and how it differs from the paper's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOP_SALARY = 1_000_000.0  # salaries are divided by this and capped: a bound known in advance, not the largest datum
BRACKETS = np.geomspace(1_000.0, TOP_SALARY, 11)  # ten geometric brackets from 1k to 1M, one below, one above


@dataclass(frozen=True)
class CountTable:
    """How many records fall into each category."""

    name: str
    categories: tuple[str, ...]
    counts: tuple[int, ...]
    source: str
    differs: str

    def __post_init__(self) -> None:
        if len(self.categories) != len(self.counts) or min(self.counts) < 0:
            raise InvalidInput(f"table {self.name}: {len(self.categories)} categories for {len(self.counts)} counts")

    @property
    def records(self) -> int:
        """All records together."""
        return sum(self.counts)


def _salary_labels() -> tuple[str, ...]:
    inner = [f"{low / 1000:.3g}k to {high / 1000:.3g}k" for low, high in pairwise(BRACKETS)]
    return ("below 1k", *inner, "1M or more")


_UC_2019 = (
    "Gross pay of University of California employees, 2019, public pay records: 50,000 drawn without replacement from "
    "229,106 records (Los Angeles and Santa Barbara missing)."
)
_NOT_2022 = "The paper sub-samples 50,000 salaries of 2022 and does not give its 12 bins."

UC_LOG = CountTable(
    "UC salaries 2019, 12 geometric bins",
    _salary_labels(),
    (3524, 3000, 4264, 4806, 4094, 5485, 9517, 9380, 4821, 981, 118, 10),
    _UC_2019,
    f"{_NOT_2022} Ours: below 1k, ten geometric bins from 1k to 1M, 1M or more.",
)
UC_25K = CountTable(
    "UC salaries 2019, 12 bins of 25k",
    (*(f"{25 * i}k to {25 * (i + 1)}k" for i in range(11)), "275k or more"),
    (22825, 7421, 7270, 3884, 2591, 1907, 1293, 823, 531, 337, 244, 874),
    _UC_2019,
    f"{_NOT_2022} Ours: eleven bins of 25k, the last open.",
)
UC_2022 = CountTable(
    "UC salaries 2022, 10 brackets",
    (
        *("0 to 25k", "25k to 50k", "50k to 75k", "75k to 100k", "100k to 150k"),
        *("150k to 200k", "200k to 300k", "300k to 500k", "500k to 1M", "1M or more"),
    ),
    (136584, 43851, 48270, 31420, 31467, 16966, 11577, 5265, 1482, 132),
    "University of California, gross pay 2022, all campuses, published by bracket.",
    "The paper's year, but ten brackets instead of 12 bins, scaled down to 50,000 records in proportion.",
)
CANCER = CountTable(
    "Colorado 2020, new cancers of ten sites",
    (
        *("breast", "prostate", "lung", "colorectal", "melanoma"),
        *("bladder", "non-Hodgkin lymphoma", "kidney", "thyroid", "leukemia"),
    ),
    (4147, 3502, 2411, 1815, 1322, 1085, 1029, 923, 823, 773),
    "US Cancer Statistics, Colorado, 2020: breast, prostate, lung and colorectal as counted; melanoma the average of "
    "2016 to 2020; the other five estimated from published rates, about ±10%.",
    "The paper has about 17,000 cases of ten types without naming them. Ours are scaled to 17,000 in proportion.",
)
TABLES = (UC_LOG, UC_25K, UC_2022, CANCER)


def records(table: CountTable, users: int | None = None) -> Integers:
    """One category for each record; scaled in proportion to `users` (largest remainders) where that is given."""
    counts = np.asarray(table.counts, dtype=np.int64)
    if users is not None and users != table.records:
        shares = counts * (users / table.records)
        counts = np.floor(shares).astype(np.int64)
        missing = users - int(counts.sum())
        counts[np.argsort(counts - shares, kind="stable")[:missing]] += 1
    return np.repeat(np.arange(counts.size), counts)


def salaries(categories: Integers) -> Floats:
    """Salaries in [0, 1] from the geometric bins: spread evenly over the logarithm of their bracket.

    Below 1k evenly from 0; 1M or more counts as 1.
    """
    values = np.ones(categories.size)
    for category in range(BRACKETS.size):
        members = np.flatnonzero(categories == category)
        places = (np.arange(members.size) + 0.5) / max(members.size, 1)
        if category == 0:
            values[members] = places * BRACKETS[0] / TOP_SALARY
        else:
            low, high = BRACKETS[category - 1], BRACKETS[category]
            values[members] = low * (high / low) ** places / TOP_SALARY
    return values


def salary_bins(pay: Floats) -> Integers:
    """The geometric bin of each salary."""
    return np.digitize(pay, BRACKETS).astype(np.int64)
