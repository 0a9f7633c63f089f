"""From a report to the template's values, at one level of detail."""

from __future__ import annotations

import datetime as dt
import functools
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.decision.badges import badges
from hdp_audit.reporting.decision.checklist import STATES, checklist
from hdp_audit.reporting.decision.paragraph import decision
from hdp_audit.reporting.html.failures import failure_view
from hdp_audit.reporting.html.material import Material, escaped_size
from hdp_audit.reporting.html.overview import overview
from hdp_audit.reporting.html.subjects import about, subject_view
from hdp_audit.reporting.identity import hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.meaning import DETECTED, assumed, headline, means, means_not, not_tested, verdict_words
from hdp_audit.reporting.report_json import dumps
from hdp_audit.reporting.svg.colours import sheet_of_a_page
from hdp_audit.reporting.titles import KINDS as KIND_WORDS
from hdp_audit.reporting.titles import subject_of, title
from hdp_audit.reporting.verdicts import KINDS, SIGNS, WORDS, factor_detected, named, shown, tally, waived, worst_state

if TYPE_CHECKING:
    from jinja2 import Template

    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.html.detail import Detail

HERE = Path(__file__).parent
REASONS = 4
EQUATION = re.compile(r"\b([εδρμ]) = (?=[\d∞])")
MOST_HASHES = 200


def page(material: Material, detail: Detail) -> str:
    """The whole page."""
    from markupsafe import Markup

    report, today, bad = material.report, material.today, material.bad  # worst first: less detail drops failures last
    anchors = {finding.id: f"f{place + 1}" for place, finding in enumerate(bad[: detail.failures])}
    sections = [
        subject_view(material, name, subject, anchors, detail, f"m{place + 1}")
        for place, (name, subject) in enumerate(material.sections[: detail.sections])
    ]
    return _template().render(
        **_words(report, today),
        style=Markup(style()),  # noqa: S704 (our own files)
        report=report,
        facts=_facts(report),
        decision=decision(report, today),
        badges=badges(report),
        checklist=checklist(report),
        states=STATES,
        index=_index(material, detail),
        overview=overview(material),
        many=len(material.sections) > 1,
        index_rest=max(len(material.sections) - detail.index, 0),
        subjects=sections,
        subjects_rest=max(len(material.sections) - detail.sections, 0),
        failures=[failure_view(report, finding, anchors[finding.id], today) for finding in bad[: detail.failures]],
        failures_rest=max(len(bad) - detail.failures, 0),
        reasons=_reasons(material, anchors),
        reasons_rest=max(len(bad) - REASONS, 0),
        budget=_budget(report),
        stated=[(name, shown(words, 500)) for name, words in stated_lines(report)],
        provenance=provenance_lines(report),
        hashes=hash_lines(report)[:MOST_HASHES],
        hashes_rest=max(len(hash_lines(report)) - MOST_HASHES, 0),
        embedded=Markup(escape(embedded(material, detail.embedded), quote=False)),  # noqa: S704 (escaped here)
        marked=Markup,  # for our own pictures alone: svg/marks.py escapes what comes from outside
    )


def _words(report: AuditReport, today: dt.date | None) -> dict[str, Any]:
    one = len(report.subjects) == 1
    return {
        "title": _title(report),
        "named_title": bool(report.identity.title) and one,
        "signs": SIGNS,
        "words": WORDS,
        "kinds": [KIND_WORDS[kind] for kind in _kinds(report)],
        "verdict_words": verdict_words(report),
        "headline": headline(report, today),
        "detected": DETECTED,
        "assumed": assumed(report),
        "means": means(report),
        "means_not": means_not(report),
        "not_tested": not_tested(report),
    }


def _title(report: AuditReport) -> str:
    """The owner's, or the mechanism's name."""
    if report.identity.title:
        return shown(report.identity.title, 200)
    return named(report.subjects[0].name, 200) if len(report.subjects) == 1 else f"{len(report.subjects)} mechanisms"


@functools.cache
def style() -> str:
    """Colours, marks and layout of a page."""
    return sheet_of_a_page() + (HERE / "style.css").read_text(encoding="utf-8")


def _template() -> Template:
    return template("page.html.j2")


@functools.cache
def template(name: str) -> Template:
    """One of our templates; what it is given is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(HERE)
    rules = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    rules.finalize = unbroken
    return rules.get_template(name)


def unbroken(value: Any) -> Any:
    """No line of a text ends between a symbol and its number; marks of our own are left as they are."""
    return EQUATION.sub("\\1\u00a0=\u00a0", value) if type(value) is str else value


def _facts(report: AuditReport) -> list[tuple[str, str]]:
    users = max((subject.demands.users for subject in report.subjects), default=0)
    return [
        ("confidence", f"{report.confidence:g}"),
        ("findings", f"{len(report.findings):,}"),
        ("users" if len(report.subjects) == 1 else "users, at most", f"{users:,}"),
        ("calls", f"{report.calls:,}"),
        ("time", f"{report.seconds:,.1f} s" if report.seconds < 100 else f"{report.seconds / 60:,.0f} min"),
        ("seed", str(report.seed)),
    ]


def _reasons(material: Material, anchors: dict[str, str]) -> list[dict[str, Any]]:
    """The first few findings that did not pass, for the banner."""
    many, report = len(material.sections) > 1, material.report
    return [
        {
            "anchor": anchors.get(finding.id, "counterexamples"),
            "label": f"{named(finding.subject, 80)} · {_called(report, finding)}" if many else _called(report, finding),
            "message": shown(finding.message, 240),
            "waiver": waived(finding, material.today),
        }
        for finding in material.bad[:REASONS]
    ]


def _called(report: AuditReport, finding: Finding) -> str:
    return title(finding, subject_of(report, finding))


def _kinds(report: AuditReport) -> list[str]:
    """Kinds of findings that there are."""
    return [kind for kind in KINDS if any(finding.kind == kind for finding in report.findings)]


def _index(material: Material, detail: Detail) -> list[dict[str, Any]]:
    lines, kinds = [], _kinds(material.report)
    for place, (name, subject) in enumerate(material.sections[: detail.index]):
        own = material.groups[name]
        lines.append(
            {
                "anchor": f"m{place + 1}" if place < detail.sections else "",
                "name": named(name, 200),
                "about": about(subject),
                "detected": factor_detected(own),
                "kinds": [worst_state(finding for finding in own if finding.kind == kind) for kind in kinds],
            }
        )
    return lines


def _budget(report: AuditReport) -> list[tuple[str, str, str, str]]:
    """Kind, tally, calls and methods of every kind of finding."""
    lines = []
    for kind in KINDS:
        own = [finding for finding in report.findings if finding.kind == kind]
        if own:
            methods = sorted({shown(b.method, 60) for f in own for b in (f.lower, f.upper) if b is not None})
            lines.append(
                (
                    KIND_WORDS[kind],
                    tally(own),
                    f"{sum(finding.calls for finding in own):,}",
                    ", ".join(methods[:6]) or "–",
                )
            )
    return lines


def embedded(material: Material, most: int) -> str:
    """The report without its passes, as far as it fits into `most` bytes after escaping."""
    whole, room = material.plain, most - 10_000  # for the environment and the totals
    kept: dict[str, list[Any]] = {}
    for key in ("subjects", "findings"):
        kept[key] = []
        for entry, size in zip(whole[key], material.sizes[key], strict=False):
            room -= size
            if room < (most // 2 if key == "subjects" else 0):
                break
            kept[key].append(entry)
    left_out = {
        "findings": len(material.report.findings) - len(kept["findings"]),
        "subjects": len(whole["subjects"]) - len(kept["subjects"]),
    }
    text = dumps({**whole, **kept, "left_out": left_out})
    return text if escaped_size(text) <= most else dumps({"verdict": whole["verdict"], "left_out": "see report.json"})
