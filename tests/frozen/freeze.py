"""Keep the figures of many audits, or compare those of today with the ones kept.

    python -m tests.frozen.freeze keep [PART ...]
    python -m tests.frozen.freeze compare [PART ...]

Parts: suite (the built-in suite), examples, faults (every planted fault), tasks (twenty custom tasks). For every
finding: verdict, evidence, claim, bounds, what would have been detected, calls, users, and the witness with its counts
and event. Words of messages are not kept. `compare` prints every difference and ends with 1 where there is one.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.frozen.tasks import TASKS

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).parent
FIELDS = ("kind", "verdict", "evidence", "users", "claimed", "lower", "upper", "detectable", "calls", "witness")
EXAMPLES = ("buggy-mean/hdp-audit", "buggy-mean/hdp-audit-fixed", "perl-program/hdp-audit", "python-function/hdp-audit")

LONG = 8
UNREPEATABLE = "ignores-rng"  # takes its randomness elsewhere, so that no two audits are the same

Figures = dict[str, Any]


def _figures(document: dict[str, Any]) -> Figures:
    findings = {found["id"]: _short({field: found[field] for field in FIELDS}) for found in document["findings"]}
    return {"verdict": document["verdict"], "calls": document["totals"]["calls"], "findings": findings}


def _short(value: Any) -> Any:
    """The value with a length and a hash in the place of every long list."""
    if isinstance(value, dict):
        return {key: _short(held) for key, held in value.items()}
    if isinstance(value, list | tuple) and len(value) > LONG:
        content = json.dumps(value).encode()
        return f"{len(value)} entries, sha256 {hashlib.sha256(content).hexdigest()[:16]}"
    return value


def _run(*arguments: object) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hdp_audit", "run", *map(str, arguments), "--out", folder, "--quiet"]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)  # noqa: S603 - ours
        report = Path(folder) / "report.json"
        if not report.exists():
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode} and no report: {done.stderr}")
        return _figures(json.loads(report.read_text(encoding="utf-8")))


def suite() -> Iterator[tuple[str, Figures]]:
    yield "suite", _run("--seed", 1, "--jobs", 2)


def examples() -> Iterator[tuple[str, Figures]]:
    for name in EXAMPLES:
        yield name, _run(ROOT / "examples" / f"{name}.toml", "--budget", 20_000, "--jobs", 1)


def faults() -> Iterator[tuple[str, Figures]]:
    from hdp_audit import audit
    from mechanisms.broken import FAINT, FAULTS

    for name, fault in {**FAULTS, **FAINT}.items():
        if name == UNREPEATABLE:
            continue
        given = {"task": fault.task, "categories": fault.categories, "budget": 20_000}
        yield name, _figures(audit(fault, epsilon=fault.epsilon, **given).to_json())


def tasks() -> Iterator[tuple[str, Figures]]:
    from hdp_audit import audit

    for task in TASKS:
        given = {"task": "custom", "pairs": lambda task=task: iter(task.pairs), "budget": 20_000, "inert": "allow"}
        yield task.name, _figures(audit(task.release, epsilon=task.epsilon, **given).to_json())


PARTS: dict[str, Callable[[], Iterator[tuple[str, Figures]]]] = {
    "suite": suite,
    "examples": examples,
    "faults": faults,
    "tasks": tasks,
}


def differences(old: Any, new: Any, where: str = "") -> Iterator[str]:
    """Every place where two figures differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key not in old or key not in new:
                yield f"{where}/{key}: {'is new' if key not in old else 'is gone'}"
            else:
                yield from differences(old[key], new[key], f"{where}/{key}")
    elif old != new:
        yield f"{where}: {old!r} became {new!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["keep", "compare"])
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    options = parser.parse_args()
    differing = 0
    for part in options.parts:
        file = KEPT / f"{part}.json"
        found = json.loads(json.dumps(dict(PARTS[part]())))
        if options.action == "keep":
            file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            continue
        told = list(differences(json.loads(file.read_text(encoding="utf-8")), found, part))
        sys.stdout.write(("\n".join(told) or f"{part}: all figures equal") + "\n")
        differing += bool(told)
    raise SystemExit(1 if differing else 0)


if __name__ == "__main__":
    main()
