"""docs/ holds together: links and anchors arrive, Python compiles, TOML parses, keys and figures are today's."""

from __future__ import annotations

import dataclasses
import doctest
import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.model.claim import AccuracyClaim, OptimalityClaim, PrivacyClaim
from hdp_audit.reporting.report_json import SCHEMA
from hdp_audit.reporting.users import HEADINGS
from mechanisms.broken import FAULTS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
WANTED = {
    "index",
    "tutorial",
    "verdicts",
    "statistics",
    "spec",
    "report",
    "threat-model",
    "ci",
    "mechanisms",
    "api",
} | {"tracing"}
NAMES = ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "benchmarks/README", "examples/README")
OTHERS = [*(ROOT / f"{name}.md" for name in NAMES), *(ROOT / "examples").glob("*/*.md"), ROOT / "tests" / "README.md"]
COMMANDS = {  # that write pages; how wide these are is theirs to say
    "docs/import-graph.md": "docs/import_graph.py",
    "benchmarks/accuracy_operating.md": "benchmarks/accuracy_operating.py",
    "benchmarks/before_after.md": "benchmarks/before_after.py",
    "benchmarks/bounds_gap.md": "benchmarks/bounds_gap.py",
    "benchmarks/curve_alarms.md": "benchmarks/curve_alarms.py",
    "benchmarks/curve_power.md": "benchmarks/curve_power.py",
    "benchmarks/few_calls.md": "benchmarks/few_calls.py",
    "benchmarks/holm.md": "benchmarks/holm.py",
    "benchmarks/ideal_calls.md": "benchmarks/ideal_calls.py",
    "benchmarks/false_alarms.md": "benchmarks/false_alarms.py",
    "benchmarks/kills.md": "benchmarks/kills.py",
    "benchmarks/minimax_slack.md": "benchmarks/minimax_slack.py",
    "benchmarks/privacy_operating.md": "benchmarks/privacy_operating.py",
    "benchmarks/promise_zoo.md": "benchmarks/promise_zoo.py",
    "benchmarks/wide.md": "benchmarks/wide/page.py",
    "benchmarks/scale.md": "benchmarks/scale.py",
    "benchmarks/stamina.md": "benchmarks/stamina.py",
    "benchmarks/threads.md": "benchmarks/threads.py",
    "benchmarks/tightness.md": "benchmarks/tightness.py",
    "benchmarks/tracing.md": "benchmarks/tracing.py",
    "benchmarks/zoo.md": "benchmarks/zoo.py",
}
WRITTEN = [page for page in [*PAGES, *OTHERS] if str(page.relative_to(ROOT)) not in COMMANDS]
WIDE_ROWS = {"tests/README.md"}  # a row there is a promise with all its tests, and Markdown has no rows of two lines
WIDEST = 119
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Headings as Markdown viewers name them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in [*PAGES, ROOT / "README.md"]:
        for kind, body in FENCE.findall(page.read_text(encoding="utf-8")):
            if kind == language:
                found.append((f"{page.name}: {body.splitlines()[0]}", body))
    return found


def test_every_page_is_there() -> None:
    assert {page.stem for page in PAGES} >= WANTED


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_anchors_arrive(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (page.parent / file).resolve() if file else page
        assert place.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(place), f"{page.name} links to {target}"


def test_every_markdown_page_is_written_by_hand_or_by_a_command() -> None:
    """Reports are written by hdp-audit, and the changelog's older versions stay as they were released."""
    folders = [ROOT, *(ROOT / name for name in ("docs", "benchmarks", "tests"))]
    found = {page for folder in folders for page in folder.glob("*.md")} | set((ROOT / "examples").rglob("*.md"))
    assert found == {*WRITTEN, *(ROOT / page for page in COMMANDS), ROOT / "CHANGELOG.md"}
    assert not [script for script in COMMANDS.values() if not (ROOT / script).exists()]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_stay_below_120_characters(page: Path) -> None:
    wide_rows = str(page.relative_to(ROOT)) in WIDE_ROWS
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
    assert not [at for at, line in lines if len(line) > WIDEST and not (wide_rows and line.startswith("|"))]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_the_words_of_statistics(page: Path) -> None:
    """No courtroom and no casino; names in code stay as they are in code."""
    text = re.sub(r"`[^`]*`", "", FENCE.sub("", page.read_text(encoding="utf-8"))).lower()
    assert not re.findall(
        r"\b(?:guilty|innocents?|acquit\w*|convict\w*|purses?|gambler\w*|courts?|calm calls?)\b", text
    )


def sentences(page: Path) -> str:
    """The text without its line breaks and the signs of quotations."""
    return " ".join(re.sub(r"^> ", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE).split())


def test_ten_files_lead_from_a_spec_to_a_page() -> None:
    """Each is there, and what it is said to call is in one of the files named so far."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("in ten files\n")[2].partition("\n## ")[0]
    steps = re.split(r"^\d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(steps) == 10
    known = ""
    for step in steps:
        files = re.findall(r"`([\w/]+\.py)`", step)
        known += "".join((ROOT / "hdp_audit" / file).read_text(encoding="utf-8") for file in files)
        called = re.findall(r"`(?:\w+\.)?(\w+)\(\)`", step)
        assert called or files == ["config/load.py"], step
        assert not [name for name in called if not re.search(rf"\b{name}\b", known)], step


def command_lines() -> list[tuple[str, str]]:
    """(page, what follows `hdp-audit`), in fences and in running text."""
    found = []
    for page in WRITTEN:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        fenced = [line for kind, body in FENCE.findall(text) if kind in ("", "yaml") for line in body.splitlines()]
        spans = re.findall(r"`([^`]+)`", FENCE.sub("", text))
        for line in [*fenced, *spans]:
            said = re.search(r"(?:^|/|\$ |run: )hdp-audit +([a-z]+\b[^#|;&]*)", line)
            if said:
                found.append((page.name, said[1].strip()))
    return found


def test_pages_show_every_command() -> None:
    assert {line.split()[0] for _, line in command_lines()} == set(main.list_commands(click.Context(main)))


@pytest.mark.parametrize(("page", "line"), sorted(set(command_lines())))
def test_commands_and_options_that_pages_show_are_real(page: str, line: str) -> None:
    name, *words = line.split()
    command = main.get_command(click.Context(main), name)
    assert command is not None, page
    options = {flag for parameter in command.params for flag in parameter.opts} | {"--help"}
    assert not [word for word in words if word.startswith("--") and word.partition("=")[0] not in options], page


def test_the_worked_example_says_what_the_audit_says() -> None:
    text = sentences(ROOT / "docs" / "statistics.md").partition("A worked example")[2].partition(" ## ")[0]
    code = next(body for name, body in blocks("python") if name == "statistics.md: from hdp_audit import audit")
    half: dict[str, Any] = {}
    exec(code, half)  # noqa: S102 (our own page)
    refuted = half["report"].findings[0]
    assert refuted.message in text
    reached = refuted.facts["wealth"][-1]
    assert f"{reached[1]:.2f} ≥ {refuted.facts['limit']:.2f}" in text
    assert f"{reached[0]:,} of the 14,000 calls" in text
    for seen in (refuted.counterexample.confirmation, refuted.counterexample.measurement):
        assert f"{seen.right} of {seen.made}" in text
    whole: dict[str, Any] = {}
    exec(code.replace("0.5 / epsilon.sum()", "1 / epsilon.sum()"), whole)  # noqa: S102
    passed = whole["report"].findings[0]
    assert (passed.verdict, passed.calls) == ("pass", 14_000)
    assert passed.message.partition(": ")[2] in text
    assert f"once in {int(1 / passed.facts['rarest_refutable'])} calls" in text


def test_the_index_leads_to_every_page() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert {page.name for page in PAGES if page.stem != "index"} <= set(re.findall(r"\]\(([\w.-]+\.md)", text))


def test_the_map_of_promises_names_tests_that_exist() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8").partition("## What users hold on to")[2]
    named = set(re.findall(r"`(\w+/\w+)(?:\.py)?`", text))
    assert len(named) > 25
    assert not [name for name in named if not (ROOT / "tests" / f"{name}.py").exists()]
    for name in (path.stem for path in (ROOT / "tests" / "cli").glob("test_contract_*.py")):
        assert f"cli/{name}" in named


def test_the_import_graph_is_that_of_the_code() -> None:
    """Draw it anew with: python docs/import_graph.py."""
    drawn = runpy.run_path(str(ROOT / "docs" / "import_graph.py"))["page"]()
    assert (ROOT / "docs" / "import-graph.md").read_text(encoding="utf-8") == drawn


def test_the_import_graph_has_every_room_of_the_suite() -> None:
    table = (ROOT / "docs" / "import-graph.md").read_text(encoding="utf-8").rpartition("|---|")[2]
    rooms = {place.stem for place in (ROOT / "hdp_audit").iterdir() if not place.name.startswith(("_", "py.typed"))}
    assert {*rooms, "mechanisms"} == set(re.findall(r"^\| `(\w+)`", table, flags=re.MULTILINE))


def test_every_room_has_a_line_in_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = [place.name for place in (ROOT / "hdp_audit").iterdir() if (place / "__init__.py").exists()]
    assert not [room for room in rooms if f"{room}/`" not in text]


def test_every_block_of_code_is_closed() -> None:
    for page in PAGES:
        fences = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")]
        assert len(fences) % 2 == 0, page.name


@pytest.mark.parametrize(("name", "body"), blocks("python"), ids=lambda value: value[:40])
def test_python_compiles(name: str, body: str) -> None:
    compile(body, name, "exec")


@pytest.mark.parametrize(("name", "body"), blocks("pycon"), ids=lambda value: value[:40])
def test_sessions_show_what_is_answered(name: str, body: str) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(doctest.DocTestParser().get_doctest(body, {}, name, None, None)).failed == 0
    assert runner.tries >= 2


@pytest.mark.parametrize(("name", "body"), blocks("toml"), ids=lambda value: value[:40])
def test_toml_parses(name: str, body: str) -> None:
    tomllib.loads(body)


@pytest.mark.parametrize("claim", [PrivacyClaim, AccuracyClaim, OptimalityClaim])
def test_the_spec_page_has_every_key_with_its_default(claim: type) -> None:
    text = (ROOT / "docs" / "spec.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(claim):
        default = f'`"{field.default}"`' if isinstance(field.default, str) else str(field.default)
        assert f"`{field.name}`" in text
        assert default in text


def test_the_report_page_has_every_key_of_the_schema_and_every_column() -> None:
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    keys = [*schema["properties"], *schema["$defs"]["finding"]["properties"], *schema["$defs"]["subject"]["properties"]]
    for key in [*keys, *HEADINGS]:
        assert f"`{key}`" in text, key


def test_the_readme_quotes_what_bounds_prints() -> None:
    text = re.sub(r"\n> (?!For )", " ", (ROOT / "README.md").read_text(encoding="utf-8"))
    quoted = re.findall(r"^> (For .*)$", text, flags=re.MULTILINE)
    printed = CliRunner().invoke(main, ["bounds", "--standard", "tiers", "--categories", "12"]).output.splitlines()
    assert quoted
    assert set(quoted) <= set(printed)


def test_the_readme_says_how_long_a_million_users_took() -> None:
    measured = json.loads((ROOT / "benchmarks" / "cost_of_mechanisms.json").read_text(encoding="utf-8"))
    ratios = {entry["what"]: entry["ratio"] for entry in measured if "n = 1000000: weights / np.sort" in entry["what"]}
    papers = [ratio for what, ratio in ratios.items() if "sharp" not in what and "centred" not in what]
    said = re.search(r"about (\d+) times as long as sorting them, up to (\d+) times", sentences(ROOT / "README.md"))
    assert said
    assert [int(figure) for figure in said.groups()] == [round(max(papers)), round(max(ratios.values()))]


def test_the_changelog_counts_the_planted_faults() -> None:
    assert f"{len(FAULTS)} planted faults" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
