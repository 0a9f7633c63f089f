"""Time and memory against users, calls, categories, demands and workers; ours over the mechanism's own time.

    python benchmarks/run.py scale                      # what is not in scale.json yet, from the quickest section on
    python benchmarks/run.py scale users workers        # these sections; --again measures them anew
    python benchmarks/run.py scale --below 60           # leaves out cases that take longer than so many seconds

Every case is a process of its own, and its figures are kept as soon as it ends: an interrupted run goes on where it
stopped. Writes scale.json and scale.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scale_cases import CASES
from scale_simulation import SIMULATED, extrapolated
from scale_watch import watched
from tables import page

PLACE = Path(__file__).with_suffix(".json")
RUN = CASES | SIMULATED

Case = tuple[float, dict[str, Any]]  # about so many seconds on a quiet machine, and what is measured

MEANS = [(1_000, 8), (10_000, 8), (100_000, 30)]
SOURCES = ("parquet", "csv", "distribution")

SECTIONS: dict[str, list[Case]] = {
    "calls": [(4 if n < 10**7 else n * 3e-6, {"budget": n}) for n in (10**4, 10**5, 10**6, 10**7, 10**8)],
    "users": [
        *((seconds, {"mechanism": "vectorised", "users": n, "budget": 10**6}) for n, seconds in MEANS),
        *((2 * seconds, {"mechanism": "hpm-we", "users": n, "budget": 10**6}) for n, seconds in MEANS),
        (30, {"mechanism": "vectorised", "users": 10**6, "budget": 50_000}),
        (60, {"mechanism": "vectorised", "users": 10**7, "budget": 5_000}),
    ],
    "categories": [
        (15, {"categories": 10, "budget": 10**6}),
        (70, {"categories": 100, "budget": 10**6}),
        (80, {"categories": 1_000, "budget": 300_000}),
        (200, {"categories": 1_000, "budget": 10**6}),
        (100, {"categories": 10_000, "budget": 50_000}),
    ],
    "distinct": [(15, {"demands": m, "users": 10_000, "budget": 10**5}) for m in (1, 100, 10_000)],
    "files": [
        *((20, {"command": c, "users": 10**7, "source": s}) for c in ("check", "bounds", "weights") for s in SOURCES),
        *((8, {"command": c, "users": 10**6, "source": "parquet"}) for c in ("check", "bounds", "weights")),
        (120, {"command": "run", "users": 10**7, "source": "parquet"}),
    ],
    "workers": [
        (35, {"jobs": 1, "executor": "local", "budget": 30_000}),
        (20, {"jobs": 2, "executor": "local", "budget": 30_000}),
        (40, {"jobs": 1, "executor": "dask", "budget": 30_000}),
        (25, {"jobs": 2, "executor": "dask", "budget": 30_000}),
    ],
    "journal": [
        (20, {"jobs": 1, "executor": "local", "budget": 15_000, "kept": kept}) for kept in (True, False, True, False)
    ],
    "suite": [(90, {})],
    "simulated": [(20, {"seconds_a_call": seconds}) for seconds in (0.001, 0.1, 10.0)],
}


def main(arguments: Sequence[str]) -> int:
    """What is asked for; 130 where it was interrupted."""
    asked = _asked(arguments)
    if asked.case:
        section, given = json.loads(asked.case)
        print(json.dumps(RUN[section](**given)))
        return 0
    for section in asked.section or SECTIONS:
        for number, (seconds, given) in enumerate(SECTIONS[section]):
            name = f"{section} {number}"
            if seconds <= asked.below and (asked.again or _kept().get(name, {}).get("given") != given):
                row = {"given": given, "found": measured(section, given)}
                print(name, row, flush=True)
                write(_kept() | {name: row})  # of another run meanwhile, too
    write(_kept())
    return 0


def _kept() -> dict[str, Any]:
    """What was measured so far."""
    return dict(json.loads(PLACE.read_text(encoding="utf-8"))) if PLACE.exists() else {}


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scale.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--again", action="store_true", help="also what was measured before")
    parser.add_argument("--below", type=float, default=float("inf"), metavar="SECONDS", help="shorter cases alone")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.section if name not in SECTIONS]:
        parser.error(f"no section is called {', '.join(unknown)}; give some of {', '.join(SECTIONS)}")
    return asked


def measured(section: str, given: dict[str, Any]) -> dict[str, Any]:
    """One case, in a process of its own."""
    done = watched([sys.executable, __file__, "--case", json.dumps([section, given])])
    if done.code:
        return {"failed": f"exit code {done.code}"}
    found = dict(json.loads(done.told.splitlines()[-1]))
    return {**found, "memory, MiB": found.get("memory, MiB", done.largest_mib)}


def write(kept: dict[str, Any]) -> None:
    """The figures, and the page made of them; both whole or not at all."""
    for path, text in ((PLACE, json.dumps(kept, indent=1)), (PLACE.with_suffix(".md"), _page(kept))):
        part = path.with_suffix(".part")
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(path)


def _page(kept: dict[str, Any]) -> str:
    introduction = [
        "Each row was measured in a process of its own; `python benchmarks/run.py scale SECTION --again` measures a "
        "section anew. [What it shows](../docs/scale.md) is explained on a page of its own.",
        "`processor`: seconds of all processors. `of the mechanism`: what its own draws took of these; `of the audit`: "
        "the rest. Memory: of all processes together, what they share counted once, looked at three times a second; "
        "and no less than that of the largest.",
    ]
    tables = {section: _rows(section, kept) for section in SECTIONS}
    read = [case for name, case in kept.items() if name.startswith("files")]
    tables["a billion users, carried on from the last two rows of each command"] = extrapolated(
        [{**case["given"], **case["found"]} for case in read]
    )
    return page("Scale", introduction, {name: rows for name, rows in tables.items() if rows})


def _rows(section: str, kept: dict[str, Any]) -> list[dict[str, Any]]:
    cases = [kept[name] for number in range(len(SECTIONS[section])) if (name := f"{section} {number}") in kept]
    rows = [{**_readable(case["given"]), **row} for case in cases for row in _found(case["found"])]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return [{column: row.get(column, "") for column in columns} for row in rows]


def _found(found: dict[str, Any]) -> list[dict[str, Any]]:
    """A simulation gives several rows."""
    return list(found.get("rows", [found]))


def _readable(given: dict[str, Any]) -> dict[str, Any]:
    whole = {name: f"{value:,}" if type(value) is int else value for name, value in given.items()}
    return {name.replace("_", " "): value for name, value in whole.items()}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
