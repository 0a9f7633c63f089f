"""Audits of the mechanisms, each a row of results.json that is written as soon as the audit ends."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.wide.catalog import ALL
from benchmarks.wide.subject import Subject
from hdp_audit import PrivacyClaim, audit

RESULTS = Path(__file__).with_name("results.json")
FIRST_SEED = 9001
Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One audit."""

    name: str
    seed: int
    budget: int
    confidence: float

    @property
    def key(self) -> tuple[str, int, int, float]:
        """What tells it from other audits."""
        return self.name, self.seed, self.budget, self.confidence


def jobs(names: Sequence[str], budget: int, seeds: int, correct_seeds: int, confidence: float) -> list[Job]:
    """All audits of these mechanisms: correct ones at more seeds, as an accusation is what must not happen."""
    return [
        Job(name, FIRST_SEED + turn, budget, confidence)
        for name in names
        for turn in range(correct_seeds if ALL[name].correct else seeds)
    ]


def run(todo: Sequence[Job], workers: int, results: Path = RESULTS) -> Iterator[Row]:
    """Runs what has no row yet, and yields each row after it was written."""
    done = {(row["name"], row["seed"], row["budget"], row["confidence"]) for row in read(results)}
    left = [job for job in todo if job.key not in done]
    for row in map(measured, left) if workers == 1 else _parallel(left, workers):
        write(results, [*read(results), row])
        yield row


def _parallel(left: Sequence[Job], workers: int) -> Iterator[Row]:
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(measured, job) for job in left]):
            yield future.result()


def measured(job: Job) -> Row:
    """The row of one audit. Tracing and the bits of doubles are off: it is the search that is measured."""
    each = ALL[job.name]
    started = perf_counter()
    report = audit(
        each.fn,
        epsilon=each.epsilon,
        task=each.task,
        budget=job.budget,
        seed=job.seed,
        confidence=job.confidence,
        privacy=PrivacyClaim(floating_point="off", trace="off"),
        **_given(each),
    ).to_json()
    failed = [finding for finding in report["findings"] if finding["verdict"] == "fail"]
    return {
        "name": job.name,
        "seed": job.seed,
        "budget": job.budget,
        "confidence": job.confidence,
        "verdict": report["verdict"],
        "failed": [finding["label"] for finding in failed],
        "refuted": any(finding["kind"] == "privacy" for finding in failed),
        "calls": min((_calls(finding) for finding in failed if finding["kind"] == "privacy"), default=None),
        "spent": report["totals"]["calls"],
        "seconds": round(perf_counter() - started, 1),
    }


def _given(each: Subject) -> dict[str, Any]:
    return dict(each.options) | ({"pairs": each.pairs} if each.task == "custom" else {})


def _calls(finding: Row) -> int:
    """Calls on the pair until the wealth passed its limit; all of them where no path is told."""
    witness = finding["witness"] or {}
    limit = witness.get("limit") or math.inf
    passed = [calls for calls, wealth in witness.get("wealth") or [] if wealth >= limit]
    return int(passed[0] if passed else finding["calls"])


def read(results: Path = RESULTS) -> list[Row]:
    """All rows so far."""
    return json.loads(results.read_text(encoding="utf-8")) if results.exists() else []


def write(results: Path, rows: Sequence[Row]) -> None:
    """A row a line; a file that is cut off by an interruption is never left behind."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    draft = results.with_suffix(".draft")
    draft.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    draft.replace(results)
