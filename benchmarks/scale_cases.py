"""What `scale` measures, case by case; each is run in a process of its own and says what it found as JSON."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scale_subjects import FastMean, OwnNoise, Reference
from scale_watch import watched

from hdp_audit.api import audit

Row = dict[str, Any]

PROGRAM = [sys.executable, "-m", "hdp_audit"]
DEMANDS = (0.1, 0.5, 1.0, 2.0)
SPEC = """[mechanism]
{mechanism}
task = "mean"

[demands]
{demands}

[privacy]

[run]
budget = {budget}
seed = 1
"""


def own_time(mechanism: Any, epsilon: Any, task: str, budget: int, categories: int | None = None) -> Row:
    """An audit in this process: what it took, and what of it the mechanism took for itself."""
    started = time.perf_counter(), time.process_time()
    report = audit(mechanism, epsilon=epsilon, task=task, categories=categories, budget=budget)  # type: ignore[arg-type]
    seconds, used = time.perf_counter() - started[0], time.process_time() - started[1]
    own = used - mechanism.seconds
    return {
        "calls": report.calls,
        "seconds": round(seconds, 1),
        "processor": round(used, 2),
        "of the mechanism": round(mechanism.seconds, 2),
        "of the audit": round(own, 2),
        "audit over mechanism": round(own / mechanism.seconds, 2),
        "µs of the audit for a call": round(1e6 * own / report.calls, 2),
        "verdict": report.verdict,
    }


def users(mechanism: str, users: int, budget: int) -> Row:
    """Everybody's coins: datasets are made for each call of a table."""
    epsilon = demands_of(users)
    made = FastMean() if mechanism == "vectorised" else reference(mechanism, epsilon)
    return own_time(made, epsilon, "mean", budget)


def calls(budget: int, users: int = 10) -> Row:
    """A mechanism whose calls cost next to nothing."""
    return own_time(FastMean(), np.full(users, 0.5), "mean", budget)


def categories(categories: int, budget: int, users: int = 1000) -> Row:
    """A frequency table of the catalog."""
    epsilon = demands_of(users)
    return own_time(reference("hpf-we", epsilon, categories), epsilon, "frequency", budget, categories)


def distinct(demands: int, users: int, budget: int) -> Row:
    """So many different demands."""
    return own_time(OwnNoise(), np.resize(np.geomspace(0.1, 2.0, demands), users), "mean", budget)


def files(command: str, users: int, source: str) -> Row:
    """Demands read from a file, or made; and what is done with them."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        given = demands_section(folder, users, source)
        if command == "weights":
            return _timed(partial(_weights, folder, given, users))
        if command == "bounds" and source == "distribution":
            return _timed(partial(_bounds, users))
        (folder / "spec.toml").write_text(SPEC.format(mechanism='reference = "hpm-we"', demands=given, budget=5000))
        ways = {
            "bounds": ["bounds", "--epsilon", str(folder / f"demands.{source}")],
            "check": ["check", str(folder / "spec.toml")],
            "run": ["run", str(folder / "spec.toml"), "--out", str(folder / "out"), "--quiet", "--jobs", "2"],
        }
        return _command(ways[command], folder)


def suite() -> Row:
    """The built-in suite, all processes together."""
    with tempfile.TemporaryDirectory() as place:
        return _command(["run", "--suite", "--jobs", "2", "--quiet", "--out", place], Path(place))


def workers(jobs: int, executor: str, budget: int, kept: bool = True) -> Row:
    """A mechanism of a millisecond a call, one claim: the clock says who helped."""
    with tempfile.TemporaryDirectory() as place:
        folder, here = Path(place), Path(__file__).with_name("scale_subjects.py")
        mechanism = f'target = "{here}:paced"'
        text = SPEC.format(mechanism=mechanism, demands=f"values = {[0.5] * 20}", budget=budget)
        (folder / "spec.toml").write_text(text)
        command = ["run", str(folder / "spec.toml"), "--out", place, "--quiet"]
        command += ["--jobs", str(jobs), "--executor", executor]
        return _command(command, folder) if kept else _command(command, folder, [sys.executable, "-c", WITHOUT])


WITHOUT = """
from hdp_audit.cli import main
from hdp_audit.runs.saving import Saving
Saving.tables = None
main()
"""  # a run that keeps outcomes, but no draws


def _command(arguments: list[str], folder: Path, program: list[str] = PROGRAM) -> Row:
    """By the clock and of all processors; memory is looked at by whoever started this process."""
    done = watched([*program, *arguments])
    written = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    row = {"seconds": round(done.seconds, 1), "processor": round(done.processor_seconds, 1), "exit code": done.code}
    return row | {"memory, MiB": done.largest_mib, "in the folder, MiB": round(written / 2**20, 1)}


def _timed(work: Callable[[], object]) -> Row:
    started = time.perf_counter(), time.process_time()
    work()
    seconds, used = time.perf_counter() - started[0], time.process_time() - started[1]
    return {"seconds": round(seconds, 1), "processor": round(used, 1), "exit code": 0}


def _weights(folder: Path, given: str, users: int) -> None:
    """Of the mechanism that a spec names, from the spec on."""
    from hdp_audit.config.case import case_of
    from hdp_audit.config.load import read_spec

    (folder / "spec.toml").write_text(SPEC.format(mechanism='reference = "hpm-we"', demands=given, budget=5000))
    weights = case_of(read_spec(folder / "spec.toml")).opened().known.weights
    assert len(weights) == users


def _bounds(users: int) -> None:
    from hdp_audit.theory.cells import cells

    cells(spread(users), categories=10, beta=0.05)


def reference(name: str, epsilon: Any, categories: int | None = None) -> Reference:
    """By name, as a spec makes it."""
    return Reference(name, epsilon, task="mean" if categories is None else "frequency", categories=categories)


def demands_of(users: int) -> Any:
    """A few tiers, by lot."""
    return np.random.default_rng(0).choice(DEMANDS, users)


def spread(users: int) -> Any:
    """Log-uniform from e^-5 to e^5: as many different demands as users."""
    return np.exp(np.random.default_rng(1).uniform(-5.0, 5.0, users))


def demands_section(folder: Path, users: int, source: str) -> str:
    """Writes the file, if there is one; what the spec says of it."""
    if source == "distribution":
        return f'distribution = "log-uniform"\nusers = {users}'
    import pyarrow as pa
    from pyarrow import csv, parquet

    table = pa.table({"epsilon": demands_of(users)})
    path = folder / f"demands.{source}"
    (csv.write_csv if source == "csv" else parquet.write_table)(table, path)
    return f'file = "{path.name}"\ncolumn = "epsilon"'


CASES: dict[str, Callable[..., Row]] = {
    "users": users,
    "calls": calls,
    "categories": categories,
    "distinct": distinct,
    "files": files,
    "suite": suite,
    "workers": workers,
    "journal": workers,
}
