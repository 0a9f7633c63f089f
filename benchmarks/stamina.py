"""The same report whoever computes, how much workers speed up, and what a long life leaves behind.

    python benchmarks/stamina.py                  # what stamina.json does not have yet
    python benchmarks/stamina.py pace --again     # sections same, pace, soak; one anew

Writes stamina.json and stamina.md. For Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stamina_runs import Run, adopt, family, seconds_until_gone
from stamina_specs import CALLS, TARGETS, written
from tables import page

PLACE = Path(__file__).with_suffix(".json")
WAYS = {"jobs 1": ("local", 1), "jobs 2": ("local", 2), "Dask, 1 worker": ("dask", 1), "Dask, 2 workers": ("dask", 2)}
PACES = {"asleep": 30_000, "paced": 30_000, "slow": 10, "fast": 500_000, "built-in suite": 0}
ROUNDS, WARM = 200, 40  # audits in one process; those after which nothing may grow any more
REQUESTS = 120_000

Row = dict[str, Any]


def same(target: str) -> Row:
    """report.json of every way, but for seconds and date."""
    with tempfile.TemporaryDirectory() as place:
        spec, found, row = written(Path(place), target), [], {}
        for name, (executor, jobs) in WAYS.items():
            spec.with_name(CALLS).unlink(missing_ok=True)
            run = Run(spec, Path(place) / f"{executor}-{jobs}", jobs, executor)
            row[name] = _seconds(run)
            found.append(run.report)
        other = sorted({name for one in found for name in _differing(found[0], one)})
        return {"the same report": not other, **row, **({"differ in": other} if other else {})}


def _differing(one: Row, other: Row) -> list[str]:
    """Findings and parts of a report."""
    parts = [name for name in {*one, *other} if name != "findings" and one.get(name) != other.get(name)]
    both = [{each["id"]: each for each in report["findings"]} for report in (one, other)]
    return parts + [name for name in {*both[0], *both[1]} if both[0].get(name) != both[1].get(name)]


def pace(target: str) -> Row:
    """One claim on one worker and on two, by turns; seconds of the quicker run of each."""
    with tempfile.TemporaryDirectory() as place:
        times: dict[int, list[float]] = {1: [], 2: []}
        reports = []
        for number, jobs in enumerate((1, 2, 2, 1) if target == "fast" else (1, 2)):
            out = Path(place) / str(number)
            run = Run(_paced(Path(place), target), out, jobs, suite=target == "built-in suite")
            times[jobs].append(_seconds(run))
            reports.append(run.report)
        one, two = min(times[1]), min(times[2])
        equal = all(one == reports[0] for one in reports)
        return {"jobs 1, seconds": one, "jobs 2, seconds": two, "ratio": round(one / two, 2), "the same report": equal}


def _paced(place: Path, target: str) -> Path:
    return place if target == "built-in suite" else written(place, target, PACES[target], users=1, trace=False)


def _seconds(run: Run) -> float:
    started = time.perf_counter()
    run.start()
    code = run.end()
    seconds = time.perf_counter() - started
    assert code in (0, 1, 3), run.said
    return round(seconds, 2)


def soak_audits() -> Row:
    """Many audits one after the other in this process."""
    import numpy as np

    from hdp_audit.api import audit

    def mean(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min())))

    def step(number: int) -> None:
        audit(mean, epsilon=np.full(5, 0.5), task="mean", budget=400, seed=number)

    return _flat(step)


def soak_runs() -> Row:
    """Many runs of the program's own machinery in this process, with workers, a journal and a report each."""
    from click.testing import CliRunner

    from hdp_audit.cli import main as program

    with tempfile.TemporaryDirectory() as place:
        spec = written(Path(place), "fast", 400, users=3)

        def step(number: int) -> None:
            arguments = ["run", str(spec), "--out", str(Path(place) / "out"), "--quiet", "--jobs", "2"]
            done = CliRunner().invoke(program, [*arguments, "--seed", str(number)])
            assert done.exit_code in (0, 3), done.output

        return _flat(step, 24, 8)


def soak_requests() -> Row:
    """A hundred thousand requests to one external program: single calls, each a line there and a line back."""
    import numpy as np

    from hdp_audit.model.promise import PureDP
    from hdp_audit.targets.command import Command
    from hdp_audit.targets.program import OpenedProgram

    with tempfile.TemporaryDirectory() as place:
        written(Path(place), "program")
        command = Command((sys.executable, "-I", "program.py"), Path(place))
        epsilon, rng = np.full(5, 0.5), np.random.default_rng(1)
        program = OpenedProgram(command, PureDP(epsilon))()

        def step(_number: int) -> None:
            for _ in range(REQUESTS // ROUNDS):
                program(np.zeros(5), epsilon, rng)

        row = _flat(step)
        program.close()  # type: ignore[union-attr]
        return {"requests": REQUESTS, **row}


def _flat(step: Callable[[int], None], rounds: int = ROUNDS, warm: int = WARM) -> Row:
    """What this process has after the warming up, and at the end."""
    for number in range(warm):
        step(number)
    before, started = _now(), time.perf_counter()
    for number in range(warm, rounds):
        step(number)
    after, seconds = _now(), time.perf_counter() - started
    seconds_until_gone({pid for pid in family(os.getpid()) if pid in before["pids"]})
    return {
        "rounds": rounds,
        "after the first": warm,
        "seconds a round": round(seconds / (rounds - warm), 3),
        **{
            f"{name}, before and after": [before[name], after[name]] for name in ("MiB", "files", "threads", "children")
        },
    }


def _now() -> Row:
    import gc

    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    known = family(os.getpid())
    return {
        "MiB": round(resident / 2**20, 1),
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
        "children": len(known),
        "pids": set(known),
    }


SOAKS = {"audits": soak_audits, "runs": soak_runs, "requests": soak_requests}
SECTIONS: dict[str, tuple[Callable[[str], Row], list[str]]] = {
    "same": (same, list(TARGETS)),
    "pace": (pace, list(PACES)),
    "soak": (lambda name: SOAKS[name](), list(SOAKS)),
}


def main(arguments: Sequence[str]) -> int:
    """What is asked for."""
    parser = argparse.ArgumentParser(prog="stamina.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--only", nargs="*", help="cases of a section, by name")
    parser.add_argument("--again", action="store_true", help="also what was measured before")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.section if name not in SECTIONS]:
        parser.error(f"no section is called {', '.join(unknown)}; give some of {', '.join(SECTIONS)}")
    adopt()
    for section in asked.section or SECTIONS:
        measure, cases = SECTIONS[section]
        for case in cases:
            name = f"{section} {case}"
            if (asked.again or name not in _kept()) and (not asked.only or case in asked.only):
                row = measure(case)
                print(name, row, flush=True)
                write(_kept() | {name: {"section": section, "of": case, **row}})
    write(_kept())
    return 0


def _kept() -> dict[str, Any]:
    return dict(json.loads(PLACE.read_text(encoding="utf-8"))) if PLACE.exists() else {}


def write(kept: dict[str, Any]) -> None:
    """The figures, and the page made of them."""
    PLACE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PLACE.with_suffix(".md").write_text(_page(kept), encoding="utf-8")


def _page(kept: dict[str, Any]) -> str:
    introduction = [
        "`python benchmarks/stamina.py` measured it. `same`: seconds of a small run by each way; everything in "
        "report.json but seconds and date is compared. They are of a busy machine, and only the reports count.",
        "`pace`: one claim on one worker and on two. `asleep` waits a millisecond in each call, `paced` works for one, "
        "`slow` waits ten seconds, `fast` answers in batches.",
        "`soak`: one process that goes on for long: what it has after the first rounds, and after the last.",
    ]
    return page("Stamina", introduction, {name: rows for name in SECTIONS if (rows := _rows(name, kept))})


def _rows(section: str, kept: dict[str, Any]) -> list[Row]:
    rows = [
        {name: value for name, value in row.items() if name != "section"}
        for row in kept.values()
        if row["section"] == section
    ]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return [{column: row.get(column, "") for column in columns} for row in rows]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
