"""The experiments' data: tables as given, categories in proportion, salaries in their bins, a user's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.experiments import data, rows, synthetic
from hdp_audit.experiments.paper import FREQUENCY, MEAN, Printed


def test_tables_hold_the_numbers_of_records_their_sources_state() -> None:
    assert data.UC_LOG.records == data.UC_25K.records == 50_000
    assert data.CANCER.counts[:4] == (4147, 3502, 2411, 1815)
    assert [len(table.counts) for table in data.TABLES] == [12, 12, 10, 10]
    assert all(table.source and table.differs for table in data.TABLES)


def test_scaling_a_table_keeps_proportions_to_within_one_record() -> None:
    counts = np.bincount(data.records(data.UC_2022, 50_000))
    exact = np.array(data.UC_2022.counts) * 50_000 / data.UC_2022.records
    assert counts.sum() == 50_000
    assert np.all(np.abs(counts - exact) < 1)


def test_salaries_lie_in_the_bins_they_were_made_from() -> None:
    bins = data.records(data.UC_LOG)
    values = data.salaries(bins)
    assert np.all((values >= 0) & (values <= 1))
    np.testing.assert_array_equal(data.salary_bins(values * data.TOP_SALARY), bins)


def test_the_paper_has_twelve_rows_of_frequencies_and_six_of_means() -> None:
    assert (len(FREQUENCY), len(MEAN)) == (12, 6)
    keys = {d.key for d in (*rows.frequency_datasets(1), *rows.mean_datasets(1))}
    assert keys == {dataset for dataset, _ in (*FREQUENCY, *MEAN)}


@pytest.mark.parametrize(("text", "low", "high"), [("0.118", 0.1175, 0.1185), ("3e-4", 2.5e-4, 3.5e-4)])
def test_printed_digits_give_the_range_of_numbers_behind_them(text: str, low: float, high: float) -> None:
    assert Printed(text).rounding == pytest.approx((low, high))


def test_demands_follow_the_papers_rule() -> None:
    dataset = rows.salary_frequencies(1)
    noise = np.log(dataset.epsilon) + np.abs(dataset.data + 1 - 6.5)
    assert np.all(np.abs(noise) <= 3)
    assert np.ptp(noise) > 5.9
    assert np.all(np.abs(np.log(rows.cancer(1).epsilon)) <= 5)


@pytest.mark.parametrize("rule", synthetic.RULES)
def test_every_synthetic_rule_ties_demands_to_bins(rule: str) -> None:
    dataset = rows.synthetic_frequencies(1, 5, "correlated", rule)
    means = [np.log(dataset.epsilon[dataset.data == j]).mean() for j in range(5)]
    assert np.ptp(means) > 1


def test_own_salaries_come_from_npy_and_from_text(tmp_path: Path) -> None:
    pay = np.linspace(500, 2e6, 200)
    np.save(tmp_path / "pay.npy", pay)
    (tmp_path / "pay.csv").write_text("salary\n" + "\n".join(map(str, pay)), encoding="utf-8")
    for file in ("pay.npy", "pay.csv"):
        table, mean = rows.own_salaries(tmp_path / file, 1)
        assert table.data.max() == 11
        assert mean.data.max() == 1.0
        assert mean.data.size == 200


@pytest.mark.parametrize("content", ["name\nAnna\nBert\n", "1\n2\n3\n", "", "-5\n" * 200, "nan\n" * 200])
def test_a_file_that_holds_no_salaries_is_refused_with_a_sentence(tmp_path: Path, content: str) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"bad\.csv"):
        rows.own_salaries(file, 1)
    with pytest.raises(InvalidInput, match="missing"):
        rows.own_salaries(tmp_path / "missing.npy", 1)
