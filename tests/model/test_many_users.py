"""Demands of many users are read piece by piece: the same from every kind of file, errors by row, little memory."""

from __future__ import annotations

import csv
import io
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp_audit.errors import InvalidDemands
from hdp_audit.model import PrivacyDemands, csv_blocks, csv_columns, names
from hdp_audit.model.csv_columns import BadColumns, Reader
from hdp_audit.model.names import Names

TEXTS = st.text(st.sampled_from("aß1😀\ud800,\"'\n\r \x00"), max_size=4)
LINES = st.text(st.sampled_from('a1.ß,"\n\r '), max_size=40)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes at a time, so that small files have many blocks."""
    monkeypatch.setattr(csv_blocks, "SIZE", 7)
    monkeypatch.setattr(csv_columns, "_PIECE", 3)
    monkeypatch.setattr(names, "PIECE", 3)


def read_whole(path: Path, column: str) -> tuple[list[int], list[str]] | str:
    """Rows and texts by Python's own reader, or a word for a file that has no one reading."""
    rows, texts, row = [], [], 1
    reader = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True)
    try:
        for record in reader:
            if row == 1:
                place, width = [name.strip() for name in record].index(column), len(record)
            elif len(record) == width:
                rows.append(row)
                texts.append(record[place])
            elif record:
                return "ragged"
            row = reader.line_num + 1
    except csv.Error:
        return "ragged"
    return rows, texts


def read_in_pieces(path: Path, column: str) -> tuple[list[int], list[str]] | str:
    rows, texts = [], []
    try:
        for piece in Reader(path, [column]):
            rows.extend(piece.rows.tolist())
            texts.extend(piece.texts[column])
    except BadColumns:
        return "ragged"
    return rows, texts


@pytest.mark.usefixtures("small_blocks")
@settings(deadline=None, max_examples=150)
@given(
    header=st.sampled_from(["e\n", "e,f\n", "e,f\r\n", '"e",f\n', "\ufeffe\n", "e,f,g\r"]),
    body=st.one_of(LINES, st.lists(st.sampled_from(["1", "1,2", "1,2,3", "", '"1",2', "ß,2"])).map("\n".join)),
)
def test_a_file_in_blocks_reads_as_pythons_own_reader_reads_it(
    tmp_path_factory: pytest.TempPathFactory, header: str, body: str
) -> None:
    path = tmp_path_factory.mktemp("csv") / "d.csv"
    path.write_text(header + body, encoding="utf-8", newline="")
    assert read_in_pieces(path, "e") == read_whole(path, "e")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_in_the_middle_of_a_long_file_are_named_whatever_ends_its_lines(tmp_path: Path, end: str) -> None:
    lines = ["epsilon", *(["1"] * 50), "-2", *(["1"] * 50), "1_0", *(["1"] * 50)]
    path = tmp_path / "d.csv"
    path.write_text(end.join(lines), newline="")
    with pytest.raises(InvalidDemands) as told:
        PrivacyDemands.from_csv(path)
    assert [line.partition(":")[0] for line in str(told.value).splitlines()] == ["d.csv row 52", "d.csv row 103"]


@pytest.mark.usefixtures("small_blocks")
def test_a_record_of_another_width_after_many_good_ones_is_named(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,epsilon\n" + "".join(f'"u{row}",1\n' for row in range(2, 40)) + "u40,0,5\n" + "u41,1\n" * 20)
    with pytest.raises(InvalidDemands, match=r"^d\.csv row 40: 3 fields where the header has 2"):
        PrivacyDemands.from_csv(path)


@pytest.mark.usefixtures("small_blocks")
def test_a_long_list_of_bad_rows_is_counted_and_ten_are_named(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("epsilon\n" + "x\n" * 1000)
    with pytest.raises(InvalidDemands) as told:
        PrivacyDemands.from_csv(path)
    assert len(str(told.value).splitlines()) == 11
    assert str(told.value).endswith("... and 990 more rows of d.csv")


def test_demands_are_the_same_from_every_kind_of_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    values = np.exp(np.random.default_rng(1).uniform(-700, 700, 3000))
    values[:5] = 0.0, np.inf, 5e-324, 1.7976931348623157e308, 0.1
    (tmp_path / "d.csv").write_text(
        "id,epsilon\n" + "".join(f"u{at},{value!r}\n" for at, value in enumerate(values.tolist()))
    )
    np.save(tmp_path / "d.npy", values)
    parquet.write_table(
        arrow.table({"epsilon": values, "id": [f"u{at}" for at in range(3000)]}), tmp_path / "d.parquet"
    )
    found = [PrivacyDemands.from_file(tmp_path / f"d.{kind}") for kind in ("csv", "npy", "parquet")]
    assert all(one.values.tobytes() == values.tobytes() for one in found)
    assert found[0].ids == found[2].ids == tuple(f"u{at}" for at in range(3000))


@pytest.mark.usefixtures("small_blocks")
@settings(deadline=None, max_examples=50)
@given(st.lists(TEXTS, max_size=30))
def test_names_are_a_tuple_in_less_memory(given: list[str]) -> None:
    kept = Names.of(given)
    assert kept == tuple(given)
    assert list(kept) == given
    assert [kept[at] for at in range(-len(given), len(given))] == given * 2
    assert kept[1::2] == tuple(given[1::2])
    assert pickle.loads(pickle.dumps(kept)) == given  # noqa: S301 (our own)
    assert Names.joined([Names.of(given[:3]), Names.of(given[3:])]) == given


@pytest.mark.parametrize("alike", [False, True])
@settings(deadline=None, max_examples=50)
@given(one=st.lists(TEXTS, max_size=12), other=st.lists(TEXTS, max_size=12))
def test_codes_are_equal_for_equal_names_alone_even_where_sums_are_shared(
    one: list[str], other: list[str], alike: bool
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        if alike:  # every sum the same: bytes have to decide
            patched.setattr(Names, "_sums", lambda self: np.zeros(len(self), dtype=np.int64))
        found = Names.of(one).codes(Names.of(other)).tolist()
    both = one + other
    assert found == [both.index(name) for name in both]


def test_reading_many_users_keeps_less_than_a_hundred_bytes_of_each(tmp_path: Path) -> None:
    """A Python object per user takes more: the text of an id 60 bytes, a number 24, their places in lists 16."""
    users = 30_000
    path = tmp_path / "d.csv"
    path.write_text("id,epsilon\n" + "".join(f"u{at:08},0.1\n" for at in range(users)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_blocks, "SIZE", 1 << 14)
        tracemalloc.start()
        PrivacyDemands.from_csv(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 100 * users + 500_000
