"""The workflow and the template that people copy: well formed, and their commands are real."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from hdp_audit.cli import main

yaml = pytest.importorskip("yaml")

EXAMPLES = Path(__file__).parents[2] / "examples" / "ci"
STEP = {
    "type": "object",
    "properties": {
        "if": {"type": "string"},
        "name": {"type": "string"},
        "run": {"type": "string"},
        "uses": {"type": "string", "pattern": r"^[\w.-]+/[\w./-]+@[\w.-]+$"},
        "with": {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number"]}},
        "continue-on-error": {"type": "boolean"},
    },
    "additionalProperties": False,
    "oneOf": [{"required": ["run"]}, {"required": ["uses"]}],
}
RIGHTS = {"type": "object", "additionalProperties": {"enum": ["read", "write", "none"]}}
WORKFLOW = {
    "type": "object",
    "required": ["name", "on", "permissions", "jobs"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "on": {"type": "array", "items": {"enum": ["push", "pull_request"]}},
        "permissions": RIGHTS,
        "jobs": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["runs-on", "timeout-minutes", "steps"],
                "additionalProperties": False,
                "properties": {
                    "runs-on": {"type": "string"},
                    "timeout-minutes": {"type": "integer"},
                    "permissions": RIGHTS,
                    "steps": {"type": "array", "items": STEP, "minItems": 1},
                },
            },
        },
    },
}
LIST = {"type": "array", "items": {"type": "string"}, "minItems": 1}
JOB = {
    "type": "object",
    "required": ["script", "artifacts"],
    "additionalProperties": False,
    "properties": {
        "stage": {"const": "test"},
        "image": {"type": "string"},
        "timeout": {"type": "string"},
        "script": LIST,
        "artifacts": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "when": {"const": "always"},
                "expire_in": {"type": "string"},
                "paths": LIST,
                "reports": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
    },
}


def loaded(name: str) -> dict[str, Any]:
    """YAML 1.1 reads `on` as a truth value, which GitHub does not."""
    found = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    return {("on" if key is True else key): value for key, value in found.items()}


def test_the_workflow_is_well_formed_and_keeps_every_report() -> None:
    workflow = loaded("hdp-audit.yml")
    jsonschema.validate(workflow, WORKFLOW)
    steps = workflow["jobs"]["audit"]["steps"]
    assert "GITHUB_STEP_SUMMARY" in "".join(step.get("run", "") for step in steps)
    paths = [value for step in steps for value in step.get("with", {}).values()]
    assert {"reports/latest", "reports/latest/report.sarif"} <= set(paths)


def test_the_template_is_well_formed_and_keeps_every_report() -> None:
    template = loaded("hdp-audit.gitlab-ci.yml")
    jsonschema.validate(template["privacy-audit"], JOB)
    assert template["privacy-audit"]["artifacts"]["reports"] == {"junit": "reports/latest/report.junit.xml"}


@pytest.mark.parametrize("name", ["hdp-audit.yml", "hdp-audit.gitlab-ci.yml"])
def test_their_commands_have_these_options(name: str) -> None:
    lines = re.findall(r"hdp-audit (run|check) (.*)", (EXAMPLES / name).read_text(encoding="utf-8"))
    assert len(lines) == 3
    for command, rest in lines:
        found = main.get_command(click.Context(main), command)
        assert found is not None
        options = {flag for parameter in found.params for flag in parameter.opts}
        assert not [word for word in rest.split() if word.startswith("--") and word not in options]
