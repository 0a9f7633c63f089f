"""PrivacyDemands and Bound: what is accepted, what is refused, and how the refusal reads."""

import numpy as np
import pytest

from hdp_audit.errors import InvalidDemands, InvalidInput
from hdp_audit.model import Bound, PrivacyDemands, Side


def test_a_bound_knows_its_side_and_whether_it_is_a_theorem() -> None:
    bound = Bound.lower(0.81, "game/clopper-pearson", confidence=0.95)
    assert (bound.side, bound.is_theorem) == (Side.LOWER, False)
    assert Bound.upper(1.0, "formula").is_theorem


@pytest.mark.parametrize(
    ("value", "confidence", "method"), [(float("nan"), None, "x"), (1.0, 1.5, "x"), (1.0, None, "")]
)
def test_a_meaningless_bound_is_refused(value: float, confidence: float | None, method: str) -> None:
    with pytest.raises(InvalidInput):
        Bound(Side.UPPER, value, confidence, method)


def test_values_are_read_only_and_keep_their_order() -> None:
    demands = PrivacyDemands.from_values([0.5, 0.0, np.inf])
    assert demands.values.tolist() == [0.5, 0.0, np.inf]
    assert demands.rows.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        demands.values[0] = 1.0


def test_the_caller_s_array_is_copied() -> None:
    array = np.ones(3)
    demands = PrivacyDemands.from_values(array)
    array[0] = -1.0
    assert demands.values[0] == 1.0


@pytest.mark.parametrize("bad", [[-0.1], [float("nan")], [], [[1.0, 2.0]], ["x"]])
def test_bad_values_are_refused(bad: list[object]) -> None:
    with pytest.raises(InvalidDemands):
        PrivacyDemands.from_values(bad)  # type: ignore[arg-type]


def test_ids_must_match_the_demands() -> None:
    with pytest.raises(InvalidDemands):
        PrivacyDemands.from_values([1.0, 2.0], ids=["a"])


def test_csv_carries_ids_rows_and_infinity(tmp_path) -> None:
    path = tmp_path / "demands.csv"
    path.write_text("id,epsilon\nann,0.5\n\nbob,inf\n")
    demands = PrivacyDemands.from_csv(path)
    assert demands.ids == ("ann", "bob")
    assert demands.rows.tolist() == [2, 4]
    assert demands.values.tolist() == [0.5, np.inf]


@pytest.mark.parametrize("header", ["id,epsilon", "name,epsilon"])
def test_a_row_is_the_line_of_the_file_after_an_entry_of_two_lines_too(tmp_path, header: str) -> None:
    path = tmp_path / "demands.csv"
    path.write_text(f'{header}\n"ann\nof two lines",0.5\nbob,1\n')
    assert PrivacyDemands.from_csv(path).rows.tolist() == [2, 4]


def test_a_bad_csv_row_is_named_by_file_and_line(tmp_path) -> None:
    path = tmp_path / "demands.csv"
    path.write_text("epsilon\n" + "0.5\n" * 15 + "-0.3\n" + "0.5\n")
    with pytest.raises(InvalidDemands) as caught:
        PrivacyDemands.from_csv(path)
    assert str(caught.value) == "demands.csv row 17: epsilon = -0.3; a demand is a number from 0 to inf"


def test_all_bad_rows_are_reported_at_once_up_to_ten(tmp_path) -> None:
    path = tmp_path / "demands.csv"
    path.write_text("epsilon\n" + "nan\nx\n1_0\n\n-1\n" * 4 + "1\n")
    with pytest.raises(InvalidDemands) as caught:
        PrivacyDemands.from_csv(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[0].startswith("demands.csv row 2: epsilon = nan")
    assert lines[3].startswith("demands.csv row 6: epsilon = -1")
    assert lines[-1] == "... and 6 more rows of demands.csv"


def test_short_rows_and_missing_columns_are_named(tmp_path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,eps\na,1\nb\n")
    with pytest.raises(InvalidDemands, match="no column 'epsilon'; its columns are 'id', 'eps'"):
        PrivacyDemands.from_csv(path)
    with pytest.raises(InvalidDemands, match=r"d\.csv row 3: 1 field where the header has 2"):
        PrivacyDemands.from_csv(path, column="eps")


@pytest.mark.parametrize("content", [b"", b"epsilon\n", b"\xff\xfe\x00"])
def test_an_empty_or_unreadable_csv_is_refused(tmp_path, content: bytes) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidDemands, match=r"d\.csv"):
        PrivacyDemands.from_file(path)


def test_npy_is_read_without_pickle(tmp_path) -> None:
    np.save(tmp_path / "good.npy", np.array([0.1, 2.0]))
    np.save(tmp_path / "evil.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "negative.npy", np.array([0.1, -2.0]))
    assert PrivacyDemands.from_file(tmp_path / "good.npy").values.tolist() == [0.1, 2.0]
    with pytest.raises(InvalidDemands, match=r"evil\.npy"):
        PrivacyDemands.from_file(tmp_path / "evil.npy")
    with pytest.raises(InvalidDemands, match=r"negative\.npy row 2: epsilon = -2"):
        PrivacyDemands.from_file(tmp_path / "negative.npy")


def test_a_missing_file_and_an_unknown_suffix_are_refused(tmp_path) -> None:
    with pytest.raises(InvalidDemands, match=r"gone\.csv"):
        PrivacyDemands.from_file(tmp_path / "gone.csv")
    with pytest.raises(InvalidDemands, match="suffix"):
        PrivacyDemands.from_file(tmp_path / "demands.xlsx")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InvalidDemands, match=r"hdp-audit\[parquet\]"):
        PrivacyDemands.from_file(tmp_path / "d.parquet")


def test_a_million_rows_load(tmp_path) -> None:
    path = tmp_path / "big.csv"
    values = np.round(np.random.default_rng(1).uniform(0, 1, 10**6), 6)
    path.write_text("epsilon\n" + "\n".join(map(str, values.tolist())) + "\n")
    assert PrivacyDemands.from_csv(path).values.tolist() == values.tolist()
