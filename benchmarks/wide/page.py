"""The page of results: what was found beside what an ideal test needs, and whether a correct mechanism was accused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from benchmarks.tables import page
from benchmarks.wide.catalog import CLASSICS, CORRECT, FAULTY
from benchmarks.wide.runner import Row
from benchmarks.wide.subject import KINDS, Subject

PAGE = Path(__file__).parent.with_suffix(".md")
INTRODUCTION = [
    "Mechanisms that were written without knowledge of how the auditor searches. `python -m benchmarks.wide run` makes"
    " the figures, `python -m benchmarks.wide page` this page.",
    "*Loss* is that of one user between two known datasets, *ideal* the calls that a bet of 10 nats needs which knows"
    " these datasets and one event from the start (the event's probabilities are exact; both directions of a bet"
    " would save up to half). *Calls* are those on the pair where the promise was refuted first, the mean over"
    " seeds; *found* says at how many seeds. Tracing and the search in the bits of doubles are off.",
]


def written(rows: Sequence[Row]) -> str:
    """The whole page."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row["name"], []).append(row)
    faulty = [each for each in FAULTY if each.name in by_name]
    correct = [each for each in CORRECT if each.name in by_name]
    classic = [each for each in CLASSICS if each.name in by_name]
    sections = {
        "Summary": _summary(faulty + correct + classic, by_name),
        "Faulty mechanisms": [_faulty(each, by_name[each.name]) for each in faulty],
        "Correct mechanisms": [_correct(each, by_name[each.name]) for each in correct],
        "Classics: faulty": [_faulty(each, by_name[each.name]) for each in classic if not each.correct],
        "Classics: correct": [_correct(each, by_name[each.name]) for each in classic if each.correct],
    }
    asked = sorted({f"{row['budget']:,} calls at confidence {row['confidence']}" for row in rows})
    introduction = [*INTRODUCTION, f"Each audit has {' or '.join(asked)}."]
    return page("Mechanisms the search was not made for", introduction, {k: v for k, v in sections.items() if v})


def _summary(each: Sequence[Subject], by_name: dict[str, list[Row]]) -> list[Row]:
    made = []
    for kind, right in ((kind, right) for kind in KINDS for right in (False, True)):
        rows = [by_name[s.name] for s in each if s.kind == kind and s.correct is right]
        if rows:
            refuted = [sum(row["refuted"] if not right else bool(row["failed"]) for row in some) for some in rows]
            made.append(
                {
                    "kind": kind if kind != "classic" else "correct classic" if right else "faulty classic",
                    "which is": KINDS[kind],
                    "mechanisms": len(rows),
                    "audits": sum(map(len, rows)),
                    "refuted": sum(refuted),
                    "mechanisms refuted at every seed": sum(
                        count == len(some) for count, some in zip(refuted, rows, strict=True)
                    ),
                }
            )
    return made


def _faulty(each: Subject, rows: Sequence[Row]) -> Row:
    calls = [row["calls"] for row in rows if row["refuted"]]
    return {
        "name": each.name,
        "kind": each.kind,
        "the mistake": each.says,
        "demand": f"{each.demand:.3g}",
        "loss": "∞" if math.isinf(each.loss) else f"{each.loss:.3g}",
        "ideal": f"{each.ideal:,.0f}",
        "verdicts": _verdicts(rows),
        "calls": f"{sum(calls) / len(calls):,.0f}" if calls else "",
        "found": f"{len(calls)} of {len(rows)}" if calls else "missed",
    }


def _correct(each: Subject, rows: Sequence[Row]) -> Row:
    return {
        "name": each.name,
        "what it does": each.says,
        "tight": "yes" if each.tight else "",
        "verdicts": _verdicts(rows),
        "accusations": f"{sum(bool(row['failed']) for row in rows)} of {len(rows)}",
    }


def _verdicts(rows: Sequence[Row]) -> str:
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in sorted(r["verdict"] for r in rows)}
    return ", ".join(verdict if len(rows) == 1 else f"{verdict} {count}" for verdict, count in counts.items())
