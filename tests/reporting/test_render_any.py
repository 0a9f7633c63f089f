"""Any report at all can be rendered: odd numbers, odd names, odd witnesses, nothing missing and nothing broken."""

from __future__ import annotations

import io
import json
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from rich.console import Console

from hdp_audit.model import AuditReport, DemandSummary, Finding, SubjectSummary
from hdp_audit.model.bound import Bound
from hdp_audit.model.subject import UserFigures
from hdp_audit.regressions import compare
from hdp_audit.reporting.html import report_html
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.markdown import report_markdown
from hdp_audit.reporting.report_json import SCHEMA, report_json
from hdp_audit.reporting.sarif import sarif
from hdp_audit.reporting.text import report_text
from hdp_audit.reporting.users import write_users
from tests.amount import rounds
from tests.reporting.sample_report import TODAY
from tests.reporting.test_render_html import Page

RULES = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

words = st.text(max_size=30)
losses = st.floats(min_value=0, allow_nan=False) | st.sampled_from([0.0, 5e-324, 1e-300, 1.0, 1e300, float("inf")])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
bounds = st.none() | st.builds(
    lambda value, sure: Bound.lower(value, "method", sure), losses, st.none() | st.floats(0.1, 0.9)
)
told = st.fixed_dictionaries(
    {},
    optional={
        "wealth": st.lists(st.lists(st.floats() | st.integers() | words, max_size=3), max_size=5) | values,
        "limit": values,
        "right": values,
        "guesses": values,
        "allowed": values,
        "measured": losses | values,
        "exact": losses | values,
        "lower_bound": values,
        "first": values,
        "second": values,
        "event": values,
        "base": values,
        "dataset": values,
    },
)


@st.composite
def findings(draw: st.DrawFn, name: str, place: int) -> Finding:
    kind = draw(st.sampled_from(["privacy", "accuracy", "optimality", "float", "proof", "behaviour"]))
    middle = draw(st.sampled_from(["tier", "user", "correlated/mse"]))
    return Finding(
        id=f"{name}/{kind}/{middle}/{place}",
        subject=name,
        kind=kind,
        verdict=draw(st.sampled_from(["pass", "fail", "error", "inconclusive"])),
        evidence=draw(st.sampled_from(["tested", "proved"])),
        message=draw(words),
        users=tuple(draw(st.lists(st.integers(0, 10**6), max_size=5))),
        claimed=draw(st.none() | losses),
        lower=draw(bounds),
        upper=draw(bounds),
        detectable=draw(losses),
        calls=draw(st.integers(0, 10**9)),
        facts={**draw(told), **draw(st.dictionaries(words, values, max_size=2))},
    )


@st.composite
def figures(draw: st.DrawFn, users: int) -> UserFigures:
    odd = st.lists(st.floats(), min_size=users, max_size=users).map(np.array)
    demand = np.array(draw(st.lists(losses, min_size=users, max_size=users)))
    return UserFigures(demand, *[draw(odd) for _ in range(5)])


@st.composite
def reports(draw: st.DrawFn) -> AuditReport:
    names = draw(st.lists(words, max_size=3, unique=True))
    subjects, found = [], []
    for name in names:
        own = draw(st.none() | st.integers(1, 6).flatmap(figures))
        demand = np.array([1.0]) if own is None else own.demand
        details = draw(st.dictionaries(words, values, max_size=2))
        subjects.append(SubjectSummary(name, "mean", "python", DemandSummary.of(demand), None, own, details))
        found += [draw(findings(name, place)) for place in range(draw(st.integers(0, 4)))]
    if draw(st.booleans()):
        found.append(draw(findings("theory", 0)))
    environment = draw(st.dictionaries(words, values, max_size=3))
    return AuditReport(tuple(subjects), tuple(found), 0.999, 1, 10, 0.5, environment)


@settings(max_examples=rounds(15, 40), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(reports())
def test_every_renderer_takes_any_report(report: AuditReport) -> None:
    page = Page(report_html(report, today=TODAY))
    assert page.open == []
    assert "script" not in page.tags
    ET.fromstring(junit_xml(report, today=TODAY).encode())  # noqa: S314 (our own text)
    json.loads(sarif(report, today=TODAY))
    assert report_markdown(report, today=TODAY)
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=80)
        report_text(report, console, today=TODAY)
    write_users(report, io.BytesIO())


@settings(max_examples=rounds(10, 25), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(reports())
def test_any_report_is_valid_json_and_equal_to_itself(report: AuditReport) -> None:
    document: dict[str, Any] = json.loads(report_json(report))
    RULES.validate(document)
    compared = compare(document, document, today=TODAY)
    assert compared.regressions == compared.improvements == ()
