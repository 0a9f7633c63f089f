"""docs/ holds together: links and anchors arrive, Python compiles, TOML parses, keys and figures are today's."""

from __future__ import annotations

import dataclasses
import json
import re
import runpy
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.model.claim import AccuracyClaim, OptimalityClaim, PrivacyClaim
from hdp_audit.reporting.report_json import SCHEMA
from hdp_audit.reporting.users import HEADINGS
from mechanisms.broken import CONTROLS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
WANTED = {"index", "tutorial", "verdicts", "statistics", "spec", "report", "threat-model", "ci", "mechanisms", "api"}
OTHERS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md")]
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
    quoted = re.findall(r"^> (For .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    printed = CliRunner().invoke(main, ["bounds", "--standard", "tiers", "--categories", "12"]).output.splitlines()
    assert quoted
    assert set(quoted) <= set(printed)


def test_the_readme_says_how_long_a_million_users_took() -> None:
    measured = json.loads((ROOT / "benchmarks" / "cost_of_mechanisms.json").read_text(encoding="utf-8"))
    ratios = {entry["what"]: entry["ratio"] for entry in measured if "n = 1000000: weights / np.sort" in entry["what"]}
    papers = [ratio for what, ratio in ratios.items() if "sharp" not in what and "centred" not in what]
    said = re.search(r"about (\d+) times as long as sorting them, up to (\d+) times", (ROOT / "README.md").read_text())
    assert said
    assert [int(figure) for figure in said.groups()] == [round(max(papers)), round(max(ratios.values()))]


def test_the_changelog_counts_the_guilty_controls() -> None:
    assert f"{len(CONTROLS)} guilty controls" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
