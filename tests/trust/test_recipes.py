"""Every recipe of docs/recipes.md, copied from the page: as it stands it passes, with a tenth of the noise it fails.

Budgets are smaller than on the page. Seeded; a report calls a correct recipe wrong with probability at most 10⁻⁶.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from hdp_audit import engine
from hdp_audit.config import read_spec
from hdp_audit.config.case import case_of
from hdp_audit.reporting.report_json import SCHEMA

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
RECIPES = {section.partition("\n")[0]: section for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]}
CONFIDENCE = 1 - 1e-6
FEW = {"A mean beside a histogram": 1_000}


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", section, flags=re.DOTALL)


@pytest.mark.many(3)
@pytest.mark.parametrize("faulty", [False, True], ids=["as it stands", "a tenth of the noise"])
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_has_the_right_verdict(name: str, faulty: bool, tmp_path: Path) -> None:
    judged(name, faulty, tmp_path)


@pytest.mark.parametrize("faulty", [False, True], ids=["as it stands", "a tenth of the noise"])
def test_the_recipe_of_a_table_has_it_with_frames_of_polars(faulty: bool, tmp_path: Path) -> None:
    pytest.importorskip("polars")
    judged("A mean beside a histogram", faulty, tmp_path, ('input = "pandas"', 'input = "polars"'))


def judged(name: str, faulty: bool, tmp_path: Path, other: tuple[str, str] = ("", "")) -> None:
    """The audit of a recipe, with something else in its spec."""
    (code,), (spec,) = blocks(RECIPES[name], "python"), blocks(RECIPES[name], "toml")
    for table in blocks(RECIPES[name], "csv"):
        (tmp_path / "demands.csv").write_text(table)
    file, _, rest = code.partition("\n")
    written = rest.replace("rng.laplace(", "0.1 * rng.laplace(") if faulty else rest
    assert faulty == (written != rest)
    (tmp_path / file.removeprefix("# ")).write_text(written)
    assert other[0] in spec
    (tmp_path / "hdp-audit.toml").write_text(spec.replace(*other))
    case = case_of(read_spec(tmp_path / "hdp-audit.toml"))
    checks = engine.plan([case], confidence=CONFIDENCE, budget=FEW.get(name, 3_000), seed=1)
    report = engine.assemble(checks, engine.step_down(checks, engine.run_checks(checks)), 0.0)
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(report.to_json())
    told = [(found.id, found.verdict, found.message) for found in report.findings if found.verdict != "pass"]
    assert report.verdict == ("fail" if faulty else "pass"), told
    assert {found.kind for found in report.findings if found.verdict == "fail"} == ({"privacy"} if faulty else set())
