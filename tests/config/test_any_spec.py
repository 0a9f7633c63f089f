"""Whatever a spec or a file of demands holds: never a traceback, always exit 2 with a message that names the place."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hdp_audit.cli import main
from hdp_audit.config import InvalidSpec, read_spec
from tests.amount import rounds

KEYS = {
    "mechanism": [
        "target",
        "command",
        "reference",
        "task",
        "categories",
        "neighbours",
        "timeout",
        "pairs",
        "memory_mb",
    ],
    "demands": ["file", "values", "standard", "distribution", "column", "low", "high", "users", "seed"],
    "data": ["file", "column"],
    "privacy": ["detect", "detect_single", "beyond", "floating_point"],
    "accuracy": ["setting", "metric", "beta", "bound", "tolerance"],
    "optimality": ["setting", "beta"],
    "run": ["confidence", "budget", "seed"],
    "waive": ["finding", "reason", "until"],
}
WORDS = [
    "mean",
    "frequency",
    "custom",
    "tiers",
    "release.py:f",
    "hpm-cp",
    "inf",
    "5m",
    "demands.csv",
    "log-uniform",
    "x" * 99,
]
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(0, 20),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(max_size=12),
    st.dates(),
    st.datetimes(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    """Sections with mostly known keys and any values."""
    whole: dict[str, Any] = {}
    for name, keys in KEYS.items():
        if draw(st.integers(0, 3)):
            names = st.one_of(st.sampled_from(keys), st.text(max_size=8))
            table = draw(st.dictionaries(names, VALUES, max_size=5))
            whole[name] = draw(st.sampled_from([table, [table], table])) if draw(st.integers(0, 9)) else draw(VALUES)
    if not draw(st.integers(0, 4)):
        whole[draw(st.text(max_size=8))] = draw(VALUES)
    return whole


def lines(whole: dict[str, Any]) -> Iterator[str]:
    """TOML: tables as sections, so that keys have lines of their own."""
    for name, value in whole.items():
        if not isinstance(value, dict) and not (isinstance(value, list) and all(isinstance(v, dict) for v in value)):
            yield f"{json.dumps(name)} = {inline(value)}"
    for name, value in whole.items():
        if isinstance(value, dict):
            yield from section(f"[{json.dumps(name)}]", value)
        elif isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            for entry in value:
                yield from section(f"[[{json.dumps(name)}]]", entry)


def section(header: str, table: dict[str, Any]) -> list[str]:
    return [header, *(f"{json.dumps(key, ensure_ascii=False)} = {inline(value)}" for key, value in table.items())]


def inline(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dt.date():
            return value.isoformat()
        case list():
            return f"[{', '.join(map(inline, value))}]"
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)} = {inline(entry)}" for key, entry in value.items()) + "}"
    return repr(value)


def outcome(folder: Path, text: bytes) -> str:
    """The message of `check`; a spec that happens to be sound is set aside."""
    path = folder / "hdp-audit.toml"
    path.write_bytes(text)
    try:
        read_spec(path)
    except InvalidSpec as why:
        done = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False)
        assert done.exit_code == 2
        assert "Traceback" not in done.output
        assert done.output.startswith("hdp-audit: ")
        return str(why)
    assume(False)
    return ""


@settings(max_examples=rounds(25, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(specs())
def test_any_tables_end_in_sentences_that_name_the_place(whole: dict[str, Any]) -> None:
    text = "\n".join(lines(whole)).encode("utf-8", "surrogatepass")
    with tempfile.TemporaryDirectory() as folder:
        message = outcome(Path(folder), text)
    assert all("hdp-audit.toml" in line or " row " in line or line.startswith("...") for line in message.splitlines())


@settings(max_examples=rounds(25, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
def test_any_bytes_as_a_spec_end_in_a_sentence(text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert "hdp-audit.toml" in outcome(Path(folder), text)


SPEC = b'[mechanism]\nreference = "hpm-cp"\n[demands]\nfile = "%s"\n[privacy]\n'
NUMBERS = st.one_of(
    st.floats().map(str), st.sampled_from(["", "inf", "-1", "nan", "1e999", "0x1", "1_0", '"', "\0", "é"])
)


@settings(max_examples=rounds(30, 80), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["csv", "npy"]),
    st.one_of(
        st.binary(max_size=100),
        st.lists(NUMBERS, max_size=6).map(lambda rows: "\n".join(["epsilon", *rows]).encode()),
        st.binary(max_size=60).map(lambda tail: b"\x93NUMPY\x01\x00" + tail),
    ),
)
def test_any_file_of_demands_ends_in_a_sentence_that_names_it(suffix: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        name = f"demands.{suffix}"
        (Path(folder) / name).write_bytes(content)
        message = outcome(Path(folder), SPEC % name.encode())
    assert name in message
