"""The report as Markdown that fits a CI step summary: aggregated by demand, bounded by construction."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from hdp_audit.reporting import evidence
from hdp_audit.reporting.decision.badges import badges
from hdp_audit.reporting.decision.paragraph import decision
from hdp_audit.reporting.decision.tiers import COUNTED, names_by_number
from hdp_audit.reporting.identity import STATED, hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.meaning import DETECTED, assumed, headline, means, means_not, not_tested, verdict_words
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.titles import subject_of, tier_of, title
from hdp_audit.reporting.untraced import untraced
from hdp_audit.reporting.verdicts import (
    KINDS,
    OTHER_NUMBERS,
    SIGNS,
    WORDS,
    by_subject,
    factor_detected,
    figures,
    is_named,
    named,
    replay_line,
    shown,
    state,
    tally,
    unrepeated,
    waiver_state,
    worst_first,
    worst_state,
)

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.format import Options

MOST_HASHES, LONGEST_PARAGRAPH = 40, 3000
MOST_SUBJECTS, MOST_FINDINGS, MOST_DEMANDS, LONGEST = 300, 60, 300, 500


class Markdown:
    """For a CI step summary."""

    def file(self, name: str) -> str:
        """`report.md`."""
        return f"{name}.md"

    def render(self, report: AuditReport, options: Options) -> str:
        """The whole file."""
        return report_markdown(report, today=options.today)


def report_markdown(report: AuditReport, *, today: dt.date | None = None) -> str:
    """Verdict, mechanisms, what was refuted, what a pass is worth, what was not tested."""
    bad = [finding for finding in worst_first(report.findings) if finding.verdict != "pass"]
    parts = [
        f"# {SIGNS[report.verdict]} hdp-audit: {verdict_words(report)}",
        _decision(report, today),
        headline(report, today),
        _facts(report),
        _identity(report),
        _subjects(report),
        *(_open_finding(report, finding, today) for finding in bad[:MOST_FINDINGS]),
        _left("further findings that did not pass", len(bad) - MOST_FINDINGS),
        COUNTED if names_by_number(report.findings) else "",
        _by_demand(report),
        _untraced(report),
        f"**What this means.** {means(report)}",
        f"**What it does not mean.** {means_not(report)}",
        "## What was not tested",
        "\n".join(f"- **{title}.** {sentence}" for title, sentence in not_tested(report)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str, longest: int = LONGEST) -> str:
    """Text from outside as plain words of Markdown: no markup, no tags, no table cells."""
    return _plain(shown(text, longest))


def _name(text: str) -> str:
    """A name from outside that no other name shares."""
    return _plain(named(text, 200))


def _plain(line: str) -> str:
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|~#@])", r"\\\1", line)


def _facts(report: AuditReport) -> str:
    return (
        f"Confidence {report.confidence:g} over everything in this report · seed {report.seed} · "
        f"{report.calls:,} calls · {report.seconds:,.0f} s"
    )


def _decision(report: AuditReport, today: dt.date | None) -> str:
    """Go or no-go, what that rests on, and both badges."""
    told = decision(report, today)
    marks = " · ".join(f"**{badge.name}** {badge.words}" for badge in badges(report))
    return f"**{escaped(told.word)}.** {escaped(told.paragraph, LONGEST_PARAGRAPH)}\n\n{marks}"


def _identity(report: AuditReport) -> str:
    """The owner's words as such, and where the numbers come from, folded."""
    stated = [f"- {name}: {escaped(words)}" for name, words in stated_lines(report)]
    said = [f"{STATED.capitalize()}:\n\n" + "\n".join(stated)] if stated else []
    lines = [f"- {_plain(name)}: {escaped(words)}" for name, words in provenance_lines(report)]
    lines += [f"- {_plain(name)}: `{words}`" for name, words in _hashes(report)]
    origin = "<details><summary>Where these numbers come from</summary>\n\n" + "\n".join(lines) + "\n\n</details>"
    return "\n\n".join([*said, origin])


def _hashes(report: AuditReport) -> list[tuple[str, str]]:
    """Of which a page shows the first; only what is hexadecimal needs no escaping."""
    told = [(name, words) for name, words in hash_lines(report) if words.isalnum()]
    return told[:MOST_HASHES]


def _subjects(report: AuditReport) -> str:
    groups, known = by_subject(report), {subject.name: subject.demands for subject in report.subjects}
    head = ["mechanism", "users", "demands", *KINDS, "detected from"]
    rows = []
    for name, own in list(groups.items())[:MOST_SUBJECTS]:
        demands = known.get(name)  # the ledger of proofs has none
        cells = (
            [f"{demands.users:,}", f"{short(demands.smallest)} to {short(demands.largest)}"] if demands else ["", ""]
        )
        verdicts = [worst_state(finding for finding in own if finding.kind == kind) for kind in KINDS]
        words = [f"{SIGNS[verdict]} {WORDS[verdict]}" if verdict else "" for verdict in verdicts]
        rows.append([_name(name), *cells, *words, factor_detected(own)])
    return _table(head, rows) + _left("\n\nfurther mechanisms", len(groups) - MOST_SUBJECTS)


def _open_finding(report: AuditReport, finding: Finding, today: dt.date | None) -> str:
    about = _plain(title(finding, subject_of(report, finding)))
    heading = f"### {SIGNS[finding.verdict]} {_name(finding.subject)}: {about}"
    lines = [heading, escaped(finding.message), beside(report, finding)]
    found = evidence.refutation_lines(finding)
    lines.append("\n".join(f"- {name}: {escaped(words, evidence.LONGEST)}" for name, words in found))
    if finding.waiver is not None:
        state = waiver_state(finding, today)
        lines.append(f"{state[:1].upper()}{state[1:]}: {escaped(finding.waiver.reason)}")
    if finding.verdict == "fail":
        replay = replay_line(report, finding)
        fence = "`" * max(3, *(1 + len(run) for run in re.findall("`+", replay)), 0)
        lines += [OTHER_NUMBERS] if unrepeated(report, finding.subject) else []
        lines.append(f"{fence}\n{replay}\n{fence}")
    return "\n\n".join(line for line in lines if line)


def _by_demand(report: AuditReport) -> str:
    rows = []
    found = [f for f in report.findings if f.kind == "privacy" and f.claimed is not None and not is_named(f)]
    for finding in sorted(found, key=lambda f: (f.subject, f.claimed or 0.0))[:MOST_DEMANDS]:
        claimed, lower, _, least = figures(finding)
        word = f"{SIGNS[state(finding)]} {WORDS[state(finding)]}"
        rows.append([_name(finding.subject), _tier(report, finding, claimed), lower, least, f"{finding.calls:,}", word])
    if not rows:
        return f"{tally(report.findings)}" if report.findings else ""
    head = ["mechanism", "demand", "loss is at least", DETECTED, "calls", "verdict"]
    table = _table(head, rows) + _left("\n\nfurther demands", len(found) - MOST_DEMANDS)
    caption = "" if report.verdict == "pass" else f"\n\n{assumed(report)}"  # what a pass means says it anyway
    return f"## Privacy by demand\n\n{table}{caption}"


def _untraced(report: AuditReport) -> str:
    """What would otherwise be missing without a word."""
    told = untraced(report)
    lines = [f"- {_name(name)}: {escaped(words)}" for name, words in told[:MOST_SUBJECTS]]
    return "Not examined:\n\n" + "\n".join(lines) if told else ""


def _tier(report: AuditReport, finding: Finding, claimed: str) -> str:
    """The owner's name of the tier beside its demand."""
    tier = tier_of(subject_of(report, finding), finding)
    return claimed if tier is None or not tier.names else f"{claimed} ({escaped(', '.join(tier.names), 100)})"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _left(what: str, number: int) -> str:
    return f"{what}: {number:,}; see report.json" if number > 0 else ""
