"""Files of demands and data are read as they are meant, or refused with the row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdp_audit.config import InvalidSpec, Spec, read_spec
from hdp_audit.errors import InvalidDemands
from hdp_audit.model import PrivacyDemands

INF = float("inf")


def refused(path: Path, text: str, column: str = "epsilon") -> str:
    (path / "d.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidDemands) as caught:
        PrivacyDemands.from_csv(path / "d.csv", column)
    return str(caught.value)


@pytest.mark.parametrize("text", ["epsilon\n0,5\n1,5\n", "id,epsilon\nann,0,5\nbob,1,5\n"])
def test_decimal_commas_are_not_read_as_whole_numbers(tmp_path: Path, text: str) -> None:
    lines = refused(tmp_path, text).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["d.csv row 2", "d.csv row 3"]
    assert all("write decimals with a point (0.5, not 0,5)" in line for line in lines)


def test_semicolons_are_named_as_what_is_wrong(tmp_path: Path) -> None:
    told = refused(tmp_path, "id;epsilon\nann;0,5\n")
    assert told.startswith("d.csv row 1: columns are separated by semicolons; separate them by commas")
    assert "tabs" in refused(tmp_path, "id\tepsilon\nann\t0,5\n")


@pytest.mark.parametrize("literal", ["1e400", "1" + "0" * 400, "+1E+999", "1e-400"])
def test_a_number_that_a_double_cannot_hold_is_neither_public_nor_zero(tmp_path: Path, literal: str) -> None:
    told = refused(tmp_path, f"epsilon\n0.5\n{literal}\n")
    assert told.startswith(f"d.csv row 3: epsilon = {literal[:60]}")
    assert "; a demand is a number from 0 to inf; this one is too " in told


def test_infinity_is_a_word_and_zero_is_zero(tmp_path: Path) -> None:
    words = ["inf", "Inf", "INFINITY", "+inf", " infinity ", "0", "0.0", "-0", "0e5", "1.5e3"]
    (tmp_path / "d.csv").write_text("epsilon\n" + "\n".join(words) + "\n")
    found = PrivacyDemands.from_csv(tmp_path / "d.csv").values
    assert found.tolist() == [INF] * 5 + [0.0] * 4 + [1500.0]
    assert not np.signbit(found).any()


@pytest.mark.parametrize(
    ("header", "name"), [("epsilon,epsilon", "epsilon"), ("epsilon, epsilon ", "epsilon"), ("id,epsilon,id", "id")]
)
def test_a_column_that_is_there_twice_is_refused(tmp_path: Path, header: str, name: str) -> None:
    record = ",".join("0.5" for _ in header.split(","))
    assert (
        refused(tmp_path, f"{header}\n{record}\n") == f"d.csv row 1: 2 columns are called '{name}'; rename all but one"
    )


def test_a_column_that_nobody_asked_for_may_be_there_twice(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("note,epsilon,note\na,0.5,b\n")
    assert PrivacyDemands.from_csv(tmp_path / "d.csv").values.tolist() == [0.5]


@pytest.mark.parametrize(
    ("record", "fields"), [("ann", "1 field"), ("ann,0.5,x", "3 fields"), ("ann,0.5,", "3 fields")]
)
def test_a_record_with_more_or_fewer_fields_than_the_header_is_refused(
    tmp_path: Path, record: str, fields: str
) -> None:
    told = refused(tmp_path, f"id,epsilon\n\nbob,1\n{record}\n")
    assert told.startswith(f"d.csv row 4: {fields} where the header has 2; ")


def test_a_quote_that_never_ends_is_refused(tmp_path: Path) -> None:
    assert "d.csv row 3" in refused(tmp_path, 'id,epsilon\nann,1\nbob,"0.5\ncid,0.5\n')


def test_arrays_keep_infinity_and_lose_no_number_on_the_way(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([0.5, np.inf]))
    assert PrivacyDemands.from_file(tmp_path / "d.npy").values.tolist() == [0.5, INF]
    np.save(tmp_path / "d.npy", np.array(["0.5", "1e400", "1e-400", "inf"]).astype(np.longdouble))
    with pytest.raises(InvalidDemands) as caught:
        PrivacyDemands.from_file(tmp_path / "d.npy")
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == ["d.npy row 2", "d.npy row 3"]


def test_parquet_keeps_infinity_and_refuses_a_column_that_is_there_twice(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"epsilon": [0.5, INF]}), tmp_path / "d.parquet")
    assert PrivacyDemands.from_file(tmp_path / "d.parquet").values.tolist() == [0.5, INF]
    parquet.write_table(arrow.table({"epsilon": ["0.5", "1e400"]}), tmp_path / "d.parquet")
    with pytest.raises(InvalidDemands, match=r"d\.parquet row 2: epsilon = 1e400"):
        PrivacyDemands.from_file(tmp_path / "d.parquet")
    twice = arrow.Table.from_arrays([arrow.array([0.5]), arrow.array([5.0])], names=["epsilon", "epsilon"])
    parquet.write_table(twice, tmp_path / "d.parquet")
    with pytest.raises(InvalidDemands, match="2 columns are called 'epsilon'"):
        PrivacyDemands.from_file(tmp_path / "d.parquet")


# The spec

SPEC = """
[mechanism]
target = "a.py:f"
{task}

[demands]
{demands}

{data}

[privacy]
"""
MEAN = 'task = "mean"'


def spec(path: Path, demands: str, data: str = "", task: str = MEAN) -> Path:
    if data:
        data = f"[data]\n{data}"
    (path / "hdp-audit.toml").write_text(SPEC.format(demands=demands, data=data, task=task))
    return path / "hdp-audit.toml"


def problems(path: Path) -> str:
    with pytest.raises(InvalidSpec) as caught:
        read_spec(path)
    return str(caught.value)


@pytest.mark.parametrize("literal", ["1e400", "1e-400"])
def test_values_of_a_spec_are_neither_public_nor_zero_by_accident(tmp_path: Path, literal: str) -> None:
    told = problems(spec(tmp_path, f"values = [0.5, {literal}]"))
    assert f"hdp-audit.toml line 7: [demands]: values row 2: epsilon = {literal}; a demand is a number" in told


def test_infinity_in_a_spec_is_a_word_with_or_without_quotes(tmp_path: Path) -> None:
    found = read_spec(spec(tmp_path, 'values = [inf, +inf, "inf", 0.0, 0, 1e5]'))
    assert found.demands.values.tolist() == [INF, INF, INF, 0.0, 0.0, 1e5]


def both(path: Path, demands: str, data: str, column: str = "value") -> Path:
    (path / "demands.csv").write_text(demands)
    (path / "own.csv").write_text(data)
    return spec(path, 'file = "demands.csv"', f'file = "own.csv"\ncolumn = "{column}"')


def data_of(found: Spec) -> list[float]:
    assert found.data is not None
    return list(found.data.tolist())


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("value\n0,5\n0,7\n", "own.csv row 2: 2 fields where the header has 1; write decimals with a point"),
        ("value,value\n0.5,0.6\n0.5,0.6\n", "own.csv row 1: 2 columns are called 'value'"),
        ("id,value,id\na,0.6,b\nb,0.6,a\n", "own.csv row 1: 2 columns are called 'id'"),
        ("id,value\na,0.5\nb\n", "own.csv row 3: 1 field where the header has 2"),
        ("id;value\na;0,5\nb;0,7\n", "own.csv row 1: columns are separated by semicolons"),
        ("value\n0.5\n\n0.7\n", "own.csv row 3: the line is blank"),
        ("value\n0.5\n1e400\n", "own.csv row 3: a text that is no number is not allowed"),
        ("value\n0.5\n0_1\n", "own.csv row 3: a text that is no number is not allowed"),
    ],
)
def test_data_are_read_by_the_same_rules(tmp_path: Path, data: str, told: str) -> None:
    assert told in problems(both(tmp_path, "epsilon\n0.5\n0.7\n", data))


# Whose datum is whose

DEMANDS = "id,epsilon\nann,0.1\nbob,0.2\ncid,0.3\n"


def test_shuffled_data_are_joined_by_id(tmp_path: Path) -> None:
    found = read_spec(both(tmp_path, DEMANDS, "id,value\ncid,0.75\nann,0.25\nbob,0.5\n"))
    assert data_of(found) == [0.25, 0.5, 0.75]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("demands", "data", "told"),
    [
        (DEMANDS, "cid,0.7\nann,0.2\n", ["demands.csv row 3: its id is in no row of own.csv"]),
        (DEMANDS, "cid,0.7\nann,0.2\nbob,0.5\ndan,0.5\n", ["own.csv row 5: its id is in no row of demands.csv"]),
        (DEMANDS, "cid,0.7\nann,0.2\nbob,0.5\nann,0.3\n", ["own.csv row 5: its id is that of row 3, too"]),
        (DEMANDS + "ann,0.4\n", "cid,0.7\nann,0.2\nbob,0.5\n", ["demands.csv row 5: its id is that of row 2, too"]),
        (
            DEMANDS,
            "cid,0.7\nann,0.2\neve,0.5\n",
            ["own.csv row 4: its id is in no row of demands.csv", "demands.csv row 3: its id is in no row of own.csv"],
        ),
    ],
)
def test_ids_that_do_not_match_one_to_one_are_refused_with_their_rows(
    tmp_path: Path, demands: str, data: str, told: list[str]
) -> None:
    lines = problems(both(tmp_path, demands, f"id,value\n{data}")).splitlines()
    assert [line.partition(";")[0] for line in lines] == told


@pytest.mark.parametrize(("ids", "only"), [("demands", "demands.csv"), ("data", "own.csv")])
def test_where_one_file_has_ids_the_join_by_position_is_noted(tmp_path: Path, ids: str, only: str) -> None:
    demands = DEMANDS if ids == "demands" else "epsilon\n0.1\n0.2\n0.3\n"
    data = "id,value\nx,0.25\ny,0.5\nz,0.75\n" if ids == "data" else "value\n0.25\n0.5\n0.75\n"
    found = read_spec(both(tmp_path, demands, data))
    assert data_of(found) == [0.25, 0.5, 0.75]
    assert found.notes == (f"data and demands are joined by position: only {only} has ids",)


def test_arrays_of_data_have_no_ids(tmp_path: Path) -> None:
    (tmp_path / "demands.csv").write_text(DEMANDS)
    np.save(tmp_path / "own.npy", np.array([0.25, 0.5, 0.75]))
    found = read_spec(spec(tmp_path, 'file = "demands.csv"', 'file = "own.npy"'))
    assert data_of(found) == [0.25, 0.5, 0.75]
    assert "only demands.csv has ids" in found.notes[0]


def test_what_would_be_ignored_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", np.array([0.25, 0.5]))
    told = problems(spec(tmp_path, 'file = "own.npy"\ncolumn = "x"', 'file = "own.npy"\ncolumn = "y"'))
    assert 'column = "x"; a .npy file has no columns' in told
    assert 'column = "y"; a .npy file has no columns' in told
    custom = 'task = "custom"\npairs = "a.py:p"\nmemory_mb = 100'
    told = problems(spec(tmp_path, "values = [1, 1]", 'file = "own.npy"', custom))
    assert "a custom task has its data in its pairs" in told
    assert "memory_mb = 100; only a program (command) has it" in told
