"""[domain]: every kind, what the mechanism gets of it, and every way to get it wrong, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.config import case_of, read_spec
from hdp_audit.config.case import sources_of
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.targets.streams import stream

SPEC = """
[mechanism]
target = "f.py:told"
task = "{task}"
{mechanism}

[domain]
{domain}

[demands]
values = [1, 2, 3, 4]

[privacy]
{more}
"""
ROWS = 'columns = { salary = { range = [0, 9] }, city = { labels = ["a", "bc"] }, smoker = { labels = [true, false] } }'
STRATEGY = "from hypothesis import strategies as st\nwords = st.sampled_from(['no', 'yes', 'perhaps'])\n"


def written(folder: Path, domain: str, task: str = "custom", mechanism: str = "", more: str = "") -> Path:
    (folder / "f.py").write_text("def told(data, epsilon, rng):\n    return data\n")
    (folder / "s.py").write_text(f"{STRATEGY}def made():\n    return words\nnumber = 3\none = st.just(1)\n")
    path = folder / "hdp-audit.toml"
    path.write_text(SPEC.format(domain=domain, task=task, mechanism=mechanism, more=more))
    return path


def gets(path: Path) -> Any:
    """What the mechanism is called with, for random data."""
    case = case_of(read_spec(path))
    return case.mechanism()(case.domain.random(4, stream(1, "test")), np.ones(4), None)


@pytest.mark.parametrize(
    ("domain", "task", "fits"),
    [
        ("range = [20_000, 200_000]", "mean", lambda got: got.dtype == float and got.min() >= 20_000),
        ("range = [-1, 1]", "sum", lambda got: np.abs(got).max() <= 1),
        ('labels = ["Köln", "Rome"]', "frequency", lambda got: set(got) <= {"Köln", "Rome"}),
        ("labels = [10, -2]", "count", lambda got: got.dtype == int and set(got.tolist()) <= {10, -2}),
        ("labels = [true, false]", "count", lambda got: got.dtype == bool),
        ("vector = { size = 3 }", "custom", lambda got: got.shape == (4, 3)),
        ('range = [0, 1]\ninput = "records"', "mean", lambda got: type(got) is list and type(got[0]) is float),
        ('labels = ["a", "b"]\ninput = "pandas"', "custom", lambda got: type(got).__name__ == "Series"),
        ('vector = { size = 3 }\ninput = "pandas"', "custom", lambda got: got.shape == (4, 3)),
        (f'{ROWS}\ninput = "numpy"', "custom", lambda got: got.dtype.names == ("salary", "city", "smoker")),
        (
            f'{ROWS}\ninput = "records"',
            "custom",
            lambda got: [*map(type, got[0].values())] == [float, str, bool],
        ),
        (ROWS, "custom", lambda got: list(got.columns) == ["salary", "city", "smoker"] and got["smoker"].dtype == bool),
        ('strategy = "s.py:words"', "custom", lambda got: set(got) <= {"no", "yes", "perhaps"}),
        ('strategy = "s.py:made"', "custom", lambda got: type(got) is list),
    ],
)
def test_a_mechanism_gets_its_own_units_labels_and_tables(domain: str, task: str, fits: Any, tmp_path: Path) -> None:
    assert fits(gets(written(tmp_path, domain, task)))


def test_a_table_of_polars_is_one(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    got = gets(written(tmp_path, f'{ROWS}\ninput = "polars"'))
    assert type(got) is polars.DataFrame
    assert got.schema["smoker"] == polars.Boolean
    assert type(gets(written(tmp_path, 'labels = ["a", "b"]\ninput = "polars"'))) is polars.Series


def test_the_file_of_a_strategy_counts_among_the_files_of_the_run(tmp_path: Path) -> None:
    assert set(sources_of(read_spec(written(tmp_path, 'strategy = "s.py:words"'))).files()) == {"f.py", "s.py"}


@pytest.mark.parametrize(
    ("domain", "task", "words"),
    [
        ("", "mean", "[domain] is empty; give range = [0, 200_000]"),
        ("range = [0, 1]\nlabels = [1, 2]", "custom", "has range and labels; give one of them"),
        ("range = [1]", "mean", "give two numbers, the smaller first"),
        ("range = [2, 2]", "mean", "give the smaller end first, and a larger one"),
        ("range = [2, -2]", "mean", "give the smaller end first"),
        ("range = [0, 1e308]", "mean", "give ends from -1e+150 to 1e+150"),
        ("range = [0, nan]", "mean", "give two numbers"),
        ("range = [0, inf]", "mean", "give two numbers"),
        ('range = ["0", 1]', "mean", "give two numbers"),
        ("range = [true, 2]", "mean", "give two numbers"),
        ("range = [0, 1]", "frequency", 'goes with task = "mean" or "sum" or "custom", and this is "frequency"'),
        ('labels = ["a"]', "frequency", "1 labels; give a list of 2 to"),
        ("labels = []", "frequency", "0 labels; give a list of 2 to"),
        ('labels = ["a", "b", "a"]', "frequency", "the label 'a' is there twice"),
        ('labels = ["1", 1]', "frequency", "labels are int, str; give texts, or whole numbers"),
        ("labels = [1, true]", "frequency", "labels are bool, int"),
        ("labels = [0.5, 1.5]", "frequency", "labels are float"),
        ('labels = "a"', "frequency", "give a list"),
        ('labels = ["a", "b"]', "mean", 'goes with task = "frequency" or "count"'),
        ("columns = {}", "custom", "give a table with a range or labels for each column"),
        ("columns = { a = 3 }", "custom", "column a: give { range = [...] } or { labels = [...] }"),
        ("columns = { a = { range = [1, 1] } }", "custom", "column a: range = [1.0, 1.0]"),
        (ROWS, "mean", 'goes with task = "custom", and this is "mean"'),
        ("vector = { size = 0 }", "custom", "give a whole number from 1"),
        ('strategy = "words"', "custom", 'give "package.module:attribute"'),
        ('range = [0, 1]\ninput = "excel"', "mean", "allowed: numpy, pandas, polars, records"),
        ("ranges = [0, 1]", "mean", "unknown key 'ranges'"),
    ],
)
def test_what_is_no_domain_is_refused_in_words(domain: str, task: str, words: str, tmp_path: Path) -> None:
    mechanism = "categories = 3" if task == "frequency" and "labels" not in domain else ""
    with pytest.raises(InvalidSpec) as why:
        read_spec(written(tmp_path, domain, task, mechanism))
    assert words in str(why.value)
    assert "hdp-audit.toml line" in str(why.value)


@pytest.mark.parametrize(
    ("domain", "mechanism", "words"),
    [
        ('labels = ["a", "b"]', "categories = 2", "the labels in [domain] are the categories; leave it out"),
        ('labels = ["a", "b"]', 'pairs = "f.py:told"', "come from the domain or from pairs"),
        ("range = [0, 1]", 'output = "x"\nfresh = "never"', "allowed"),
    ],
)
def test_a_domain_that_contradicts_the_mechanism_is_refused(
    domain: str, mechanism: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSpec) as why:
        read_spec(written(tmp_path, domain, "custom", mechanism))
    assert words in str(why.value)


@pytest.mark.parametrize(
    ("strategy", "words"), [("number", "give one of hypothesis.strategies"), ("one", "the same value again and again")]
)
def test_a_strategy_that_draws_nothing_is_refused(strategy: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=words):
        case_of(read_spec(written(tmp_path, f'strategy = "s.py:{strategy}"')))


TABLE = "id,salary,city,smoker\n{}"
GOOD = "u2,1,a,true\nu1,0,bc,false\nu4,9,a,true\nu3,2.5,bc,true\n"


def with_data(folder: Path, table: str, domain: str = ROWS, task: str = "custom", data: str = "") -> Any:
    (folder / "demands.csv").write_text("id,epsilon\nu1,1\nu2,2\nu3,3\nu4,4\n")
    (folder / "data.csv").write_text(table)
    path = written(folder, domain, task, more=f'[data]\nfile = "data.csv"\n{data}')
    path.write_text(path.read_text().replace("values = [1, 2, 3, 4]", 'file = "demands.csv"'))
    return read_spec(path).data


def test_a_table_is_joined_to_demands_by_id(tmp_path: Path) -> None:
    found = with_data(tmp_path, TABLE.format(GOOD))
    assert found["salary"].tolist() == [0.0, 1.0, 2.5, 9.0]
    assert found["city"].tolist() == ["bc", "a", "bc", "a"]
    assert found["smoker"].tolist() == [False, True, True, True]


def test_labels_and_numbers_in_units_are_read(tmp_path: Path) -> None:
    labels = with_data(tmp_path, TABLE.format(GOOD), 'labels = ["a", "bc"]', "count", 'column = "city"')
    assert labels.tolist() == ["bc", "a", "bc", "a"]
    numbers = with_data(tmp_path, TABLE.format(GOOD), "range = [-5, 9]", "sum", 'column = "salary"')
    assert numbers.tolist() == [0, 1, 2.5, 9]
    years = with_data(tmp_path, "id,v\nu1,7\nu2,7\nu3,-1\nu4,7.0\n", "labels = [7, -1]", "frequency", 'column = "v"')
    assert years.tolist() == [7, 7, -1, 7]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (GOOD.replace("2.5", "10"), "row 5, column 'salary': a value is not allowed; give a number from 0 to 9"),
        (GOOD.replace("2.5", "much"), "row 5, column 'salary': a text that is no number is not allowed"),
        (
            GOOD.replace("u1,0,bc", "u1,0,Oslo"),
            "row 3, column 'city': a text that is none of the labels is",
        ),
        (GOOD.replace("false", "False"), "row 3, column 'smoker'"),
        (GOOD.replace("u3", "u9"), "row 5: its id is in no row of demands.csv"),
        (GOOD.replace("u3", "u2"), "row 5: its id is that of row 2, too"),
        (GOOD.replace("u3,2.5,bc,true\n", ""), "demands.csv row 4: its id is in no row of data.csv"),
    ],
)
def test_data_outside_the_domain_are_errors_with_rows_and_without_values(rows: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec) as why:
        with_data(tmp_path, TABLE.format(rows))
    assert words in str(why.value)
    assert not {"much", "Oslo"} & set(str(why.value).split())


def test_a_missing_column_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec, match="no column 'salary'"):
        with_data(tmp_path, "id,city,smoker\nu1,a,true\n")
