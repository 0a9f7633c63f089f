"""The datasets behind the rows of the paper's tables, and their variations where the paper leaves a choice open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.experiments import data, synthetic
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.model.vocabulary import SettingName
from hdp_audit.targets.reference import Frequency, Mean
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
SYNTHETIC_USERS = 10_000
CANCER_USERS = 17_000
SALARY_USERS = 50_000
_WEAK = (
    "log ε ~ Uniform[−6, 6]: not stated, but it gives the printed UNI figures to three digits. Bins of equal size; "
    "unequal ones fit the printed A and Prop of 20 bins better."
)
_STRONG = "The paper does not give the distributions; ours: rule `{rule}` of synthetic.py, bins of equal size."
_MEAN = (
    "Data and demands are not stated. Ours: 10,000 data of a Beta(20, 20) law (its spread fits the printed A of row W)"
)


def frequency_datasets(seed: int) -> list[Dataset]:
    """Six datasets, two rows each, in the paper's order."""
    return [
        salary_frequencies(seed),
        synthetic_frequencies(seed, 5, "correlated"),
        synthetic_frequencies(seed, 20, "correlated"),
        cancer(seed),
        synthetic_frequencies(seed, 5, "weakly-correlated"),
        synthetic_frequencies(seed, 20, "weakly-correlated"),
    ]


def mean_datasets(seed: int) -> list[Dataset]:
    """Three datasets, two rows each, in the paper's order."""
    return [salary_mean(seed), synthetic_mean(seed, "correlated"), synthetic_mean(seed, "weakly-correlated")]


def salary_frequencies(seed: int, table: data.CountTable = data.UC_LOG, key: str = "uc-c") -> Dataset:
    """UC Salary, C: bins and the paper's rule for demands."""
    bins = data.records(table, SALARY_USERS)
    count = len(table.counts)
    epsilon = synthetic.salary_rule(bins, count, stream(seed, "demands", key))
    return Dataset(
        key,
        "UC Salary, C",
        Frequency(count),
        "correlated",
        bins,
        epsilon,
        table.source,
        f"{table.name}. {table.differs}",
    )


def cancer(seed: int, users: int = CANCER_USERS, key: str = "cancer-w") -> Dataset:
    """Cancer Types, W: log ε ~ Uniform[−5, 5]."""
    sites = data.records(data.CANCER, users)
    epsilon = synthetic.log_uniform(users, 5.0, stream(seed, "demands", key))
    table = data.CANCER
    return Dataset(
        key, "Cancer Types, W", Frequency(10), "weakly-correlated", sites, epsilon, table.source, table.differs
    )


def synthetic_frequencies(
    seed: int, count: int, setting: SettingName, rule: str = "centre", key: str | None = None, skewed: bool = False
) -> Dataset:
    """(10000, k), C or W."""
    letter = "C" if setting == "correlated" else "W"
    name = key or f"{count}-{letter.lower()}"
    make = synthetic.skewed_bins if skewed else synthetic.equal_bins
    bins = make(SYNTHETIC_USERS, count)
    rng = stream(seed, "demands", name)
    if setting == "correlated":
        epsilon, differs = synthetic.RULES[rule](bins, count, rng), _STRONG.format(rule=rule)
    else:
        epsilon, differs = synthetic.log_uniform(SYNTHETIC_USERS, 6.0, rng), _WEAK
    label = f"({SYNTHETIC_USERS}, {count}), {letter}"
    return Dataset(name, label, Frequency(count), setting, bins, epsilon, "Synthetic.", differs)


def salary_mean(seed: int, key: str = "uc-mean-c") -> Dataset:
    """UC Salary, C, as a mean: the demands of the frequency row, salaries over one million."""
    bins = data.records(data.UC_LOG)
    epsilon = synthetic.salary_rule(bins, 12, stream(seed, "demands", key))
    differs = (
        f"{data.UC_LOG.name}, spread evenly within each bin (in logarithms), divided by 1M and capped at 1. "
        "The paper's scaling is not stated, and its UNI figure does not fit its rule for demands with 12 bins."
    )
    return Dataset(key, "UC Salary, C", Mean(), "correlated", data.salaries(bins), epsilon, data.UC_LOG.source, differs)


def synthetic_mean(
    seed: int, setting: SettingName, shape: float = 20.0, key: str | None = None, slope: float = 1.5
) -> Dataset:
    """10000, C or W: data of a Beta(shape, shape) law; demands between e^−4.5 and e^4.5, as the printed UNI says."""
    from scipy.special import betaincinv

    users = SYNTHETIC_USERS
    letter = "C" if setting == "correlated" else "W"
    name = key or f"mean-{letter.lower()}"
    ranks = (np.arange(users) + 0.5) / users
    values = betaincinv(shape, shape, ranks)
    rng = stream(seed, "demands", name)
    if setting == "correlated":
        epsilon = np.exp(slope * (2.0 * ranks - 1.0) + rng.uniform(slope - 4.5, 4.5 - slope, users))
        differs = f"{_MEAN}, log ε = {slope:g}·(2·rank − 1) + Uniform[−{4.5 - slope:g}, {4.5 - slope:g}]."
    else:
        epsilon, differs = synthetic.log_uniform(users, 4.5, rng), f"{_MEAN}, log ε ~ Uniform[−4.5, 4.5]."
    return Dataset(name, f"{users}, {letter}", Mean(), setting, values, epsilon, "Synthetic.", differs)


def own_salaries(file: Path, seed: int) -> tuple[Dataset, Dataset]:
    """A user's own salaries as both UC rows: the frequencies of the 12 geometric bins, and the mean over 1M."""
    pay = _read(file)
    bins = data.salary_bins(pay)
    epsilon = synthetic.salary_rule(bins, 12, stream(seed, "demands", "own"))
    words = (
        f"Own file, {pay.size} salaries.",
        "Own salaries in 12 geometric bins; divided by 1M and capped for the mean.",
    )
    table = Dataset("own-c", "Own salaries (bins), C", Frequency(12), "correlated", bins, epsilon, *words)
    shares = np.minimum(pay / data.TOP_SALARY, 1.0)
    return table, Dataset("own-mean-c", "Own salaries (mean), C", Mean(), "correlated", shares, epsilon, *words)


def _read(file: Path) -> Floats:
    """Salaries from .npy, or one a line from any text file (a heading is skipped)."""
    try:
        if file.suffix == ".npy":
            raw = np.load(file, allow_pickle=False)
        else:
            lines = file.read_text(encoding="utf-8").replace(",", "\n").splitlines()
            raw = [line for line in lines if line.strip()]
            raw = raw[1:] if raw and not _is_number(raw[0]) else raw
        pay = np.asarray(raw, dtype=np.float64)
    except (OSError, ValueError) as why:
        raise InvalidInput(
            f"{file}: cannot be read as salaries ({why}); give a .npy array or one number per line"
        ) from None
    if pay.ndim != 1 or pay.size < 100 or not bool(np.all(np.isfinite(pay) & (pay >= 0))):
        raise InvalidInput(f"{file}: shape {pay.shape}; give at least 100 salaries, each a number from 0 on")
    return pay


def _is_number(words: str) -> bool:
    try:
        float(words)
    except ValueError:
        return False
    return True
