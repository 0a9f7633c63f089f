"""Runs killed at random moments: do they go on to the same report, and how many calls are made again?

    python benchmarks/kills.py                        # every kind as often as it says; goes on where it stopped
    python benchmarks/kills.py --only worker --again  # one kind anew
    python benchmarks/kills.py --first 100            # other seeds, and so other moments

Each case begins a run, waits for a moment chosen by its seed (a share of the calls that the undisturbed run makes, or
the time before or after them), does something to it, resumes it where it ended, and compares report.json with that of
the undisturbed run. Everything but seconds and date must be the same. Writes kills.json and kills.md. For Linux.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stamina_runs import Run, adopt, family, killed, programs, seconds_until_gone, server, workers
from stamina_specs import CALLS, written
from tables import page

PLACE = Path(__file__).with_suffix(".json")
AROUND = 0.08  # of the cases are killed before the first call, and as many after the last one
RESUMES = 3  # at most
BUDGETS = {"asleep": 3000, "paced": 3000, "program": 30_000, "program, once": 300}

Does = Callable[[Run, random.Random], bool]  # what is done to a run; False where it came too late


@dataclass(frozen=True)
class Kind:
    """What is done, to which target, how often; and whether the run is expected to go on by itself."""

    does: Does
    times: int
    targets: tuple[str, ...] = ("asleep",)
    goes_on: bool = False
    dask: bool = False
    at: str = "any"  # moment: any, or "report" while it is written
    disk: str = ""  # "limit": files may not grow; "full": a file system without room


def to_parent(number: int) -> Does:
    """A signal to the process that the user started."""
    return lambda run, _: killed([run.pid], number)


def everybody(run: Run, _rng: random.Random) -> bool:
    """A power cut, or somebody who kills all at once."""
    return killed([run.pid, *family(run.pid)])


def power_cut(run: Run, rng: random.Random) -> bool:
    """The same, and of draws what was written last did not reach the disk; lines of the journal are there for sure."""
    done = everybody(run, rng)
    run.end(30.0)
    for file in run.out.glob("*.tables/*.tables"):
        size = file.stat().st_size
        lost = min(rng.randrange(300), size)
        os.truncate(file, size - lost)
        if rng.random() < 0.5:
            with file.open("ab") as stream:
                stream.write(bytes(lost))  # a file system that had made room already
    return done


def worker(run: Run, rng: random.Random) -> bool:
    """One of them, or both."""
    known = workers(run)
    return killed(rng.sample(known, min(rng.choice((1, 1, 2)), len(known))))


def fork_server(run: Run, _rng: random.Random) -> bool:
    """Whoever makes workers."""
    return killed(server(run))


def tracker(run: Run, _rng: random.Random) -> bool:
    """A helper of Python's own."""
    return killed([pid for pid, line in family(run.pid).items() if "resource_tracker" in line])


def program(run: Run, rng: random.Random) -> bool:
    """An external program under audit; some live for a few milliseconds."""
    until, known = time.monotonic() + 10.0, list[int]()
    while not known and not run.over and time.monotonic() < until:
        known = programs(run, "program.py") or programs(run, "once.pl")
    return killed(rng.sample(known, min(1, len(known))), rng.choice((signal.SIGKILL, signal.SIGTERM)))


def nothing(_run: Run, _rng: random.Random) -> bool:
    """The disk does it."""
    return True


def in_cluster(word: str) -> Does:
    """A process of the cluster that a case started."""

    def does(_run: Run, rng: random.Random) -> bool:
        known = [pid for pid, line in family(os.getpid()).items() if word in line]
        return killed(rng.sample(known, min(1, len(known))))

    return does


SLEEPS, PROGRAMS = ("asleep", "paced"), ("program", "program, once")

KINDS = {
    "parent SIGKILL": Kind(to_parent(signal.SIGKILL), 9, ("asleep", "paced", "program")),
    "parent SIGTERM": Kind(to_parent(signal.SIGTERM), 5, ("asleep", "program")),
    "Ctrl-C": Kind(to_parent(signal.SIGINT), 5, ("asleep", "program, once")),
    "everything at once": Kind(everybody, 5, ("asleep", "program")),
    "power cut": Kind(power_cut, 5),
    "worker": Kind(worker, 8, SLEEPS, goes_on=True),
    "fork server": Kind(fork_server, 5, goes_on=True),
    "resource tracker": Kind(tracker, 2, goes_on=True),
    "program": Kind(program, 8, PROGRAMS, goes_on=True),
    "while the report is written": Kind(everybody, 6, at="report"),
    "files may not grow": Kind(nothing, 3, disk="limit"),
    "full disk": Kind(nothing, 3, disk="full"),
    "Dask worker": Kind(in_cluster("multiprocessing.spawn"), 5, goes_on=True, dask=True),
    "Dask worker, for good": Kind(in_cluster("dask_worker"), 3, goes_on=True, dask=True),
    "Dask scheduler": Kind(in_cluster("dask_scheduler"), 3, dask=True),
}


def main(arguments: Sequence[str]) -> int:
    """What is asked for; 1 where a case failed."""
    asked = _asked(arguments)
    adopt()
    with tempfile.TemporaryDirectory() as place:
        undisturbed: dict[str, tuple[dict[str, Any], int]] = {}
        for name, kind in KINDS.items():
            for number in range(kind.times if not asked.only or name in asked.only else 0):
                case = f"{name} {asked.first + number}"
                if case in _kept() and not asked.again:
                    continue
                target = kind.targets[number % len(kind.targets)]
                if target not in undisturbed:
                    undisturbed[target] = _whole(Path(place), target)
                row = _case(kind, Path(place), target, asked.first + number, *undisturbed[target])
                print(case, row, flush=True)
                write(_kept() | {case: {"kind": name, "target": target, **row}})
    write(_kept())
    return int(any(not row["the same report"] or row["left behind"] for row in _kept().values()))


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kills.py", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", choices=list(KINDS), help="these kinds")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--again", action="store_true", help="also what was done before")
    return parser.parse_args(arguments)


def _kept() -> dict[str, Any]:
    return dict(json.loads(PLACE.read_text(encoding="utf-8"))) if PLACE.exists() else {}


def _run(place: Path, target: str) -> Run:
    """A new one on the target's spec, without anything of runs before."""
    folder = place / target.replace(", ", "-")
    if not folder.exists():
        written(folder, target, BUDGETS[target])
    (folder / CALLS).unlink(missing_ok=True)
    shutil.rmtree(folder / "out", ignore_errors=True)
    return Run(folder / "hdp-audit.toml", folder / "out")


def _whole(place: Path, target: str) -> tuple[dict[str, Any], int]:
    """The report of an undisturbed run, and its calls."""
    run = _run(place, target)
    run.start()
    code = run.end()
    assert code in (0, 3), run.said
    seconds_until_gone(set())
    return run.report, run.calls


def _case(kind: Kind, place: Path, target: str, seed: int, report: dict[str, Any], calls: int) -> dict[str, Any]:
    """One run, what was done to it, and what came of it."""
    rng = random.Random(f"{target} {seed} {sorted(KINDS).index(_name(kind))}")  # noqa: S311 - no secret
    run = _run(place, target)
    with _cluster(run) if kind.dask else contextlib.nullcontext() as keep, _disk(kind, run, rng) as relieve:
        run.start()
        _wait(kind, run, rng, calls)
        hit, before = not run.over and kind.does(run, rng), run.calls
        code = run.end()
        gone = seconds_until_gone(keep() if kind.dask else set())
        partial = _readable(run)
        relieve()
        resumed = _resumed(run, code)
        equal = (run.out / "report.json").exists() and run.report == report
        gone_again = seconds_until_gone(keep() if kind.dask else set())
    return {
        "hit": hit,
        "after so many of the calls": round(before / calls, 3),
        "exit code": code,
        "resumed": resumed,
        "a report is whole or absent": partial,
        "the same report": equal,
        "calls again": round(run.calls / calls - 1, 4),
        "left behind": gone is None or gone_again is None,
        "seconds until gone": round(max(gone or 0.0, gone_again or 0.0), 1),
        **({} if equal else {"said": run.said[-500:]}),
    }


def _name(kind: Kind) -> str:
    return next(name for name, known in KINDS.items() if known is kind)


def _wait(kind: Kind, run: Run, rng: random.Random, calls: int) -> None:
    """Until the moment of this case."""
    moment = rng.uniform(-AROUND, 1.0 + AROUND) if kind.at == "any" else 1.0
    if moment < 0.0:
        time.sleep(rng.uniform(0.0, 1.5))
        return
    while not run.over and run.calls < min(moment, 0.97) * calls:
        time.sleep(0.005)
    if kind.at == "report":
        _wait_for_writing(run)
        time.sleep(rng.uniform(0.0, 0.1))
    elif moment > 0.97:
        time.sleep(rng.uniform(0.0, 1.0))


def _wait_for_writing(run: Run) -> None:
    """Until there is a file beside the journal, whole or not."""
    while not run.over and not any("report" in file.name for file in _listed(run.out)):
        time.sleep(0.001)


def _listed(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


def _readable(run: Run) -> bool:
    """A report that is there can be read to its end."""
    place = run.out / "report.json"
    with contextlib.suppress(ValueError):
        return not place.exists() or bool(json.loads(place.read_text(encoding="utf-8")))
    return False


def _resumed(run: Run, code: int | None) -> int:
    """How often it had to be told to go on, on this machine, until it was done."""
    for number in range(RESUMES):
        if code in (0, 3):
            return number
        run.prepare, run.executor = None, "local" if run.executor != "local" else run.executor
        journal = run.out / "journal.jsonl"
        run.start(resume=journal.exists())  # killed before there was anything to go on from: begun anew
        code = run.end()
    return RESUMES


@contextlib.contextmanager
def _disk(kind: Kind, run: Run, rng: random.Random) -> Iterator[Callable[[], object]]:
    """Room for some of what the run writes; what is yielded makes more."""
    size = rng.randrange(2_000, 120_000)
    if kind.disk == "limit":
        run.prepare = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    if kind.disk != "full":
        yield lambda: None
        return
    run.out.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={-(-size // 4096) * 4}k", "none", str(run.out))
    try:
        yield lambda: _mount("-o", "remount,size=64m", str(run.out))
    finally:
        subprocess.run(["umount", str(run.out)], check=True)  # noqa: S603, S607


def _mount(*arguments: str) -> None:
    """Root may."""
    subprocess.run(["mount", *arguments], check=True)  # noqa: S603, S607


@contextlib.contextmanager
def _cluster(run: Run) -> Iterator[Callable[[], set[int]]]:
    """A scheduler and two workers on this machine; what is yielded lists their processes."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as place:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        address = f"tcp://127.0.0.1:{port}"
        command = ["dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
        some = ["dask_worker", address, "--nthreads", "1", "--no-dashboard", "--local-directory", place]
        own = [_dask(*one) for one in (command, some, some)]
        time.sleep(3.0)
        run.executor, run.jobs = f"dask={address}", 1
        try:
            yield lambda: {pid for one in own for pid in (one.pid, *family(one.pid))}
        finally:
            for one in own:
                one.terminate()
            for one in own:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    one.wait(10.0)
                one.kill()
            seconds_until_gone(set())


def _dask(name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """One of its programs."""
    command = [sys.executable, "-m", f"distributed.cli.{name}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def write(kept: dict[str, Any]) -> None:
    """The figures, and the page made of them."""
    PLACE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PLACE.with_suffix(".md").write_text(_page(kept), encoding="utf-8")


def _page(kept: dict[str, Any]) -> str:
    rows = list(kept.values())
    kinds = {name: [row for row in rows if row["kind"] == name] for name in KINDS}
    table = [_row(name, some) for name, some in kinds.items() if some]
    table.append(_row("all", rows)) if rows else None
    introduction = [
        "Runs that were killed, or robbed of a process, at a moment chosen by a seed: `python benchmarks/kills.py`. "
        "Everything in report.json but seconds and date is compared with an undisturbed run.",
        "`hit`: the run was still there at that moment. `calls again`: calls made in addition to those of the "
        "undisturbed run, as a share of them: the median and the largest. `resumed`: how often `--resume` was needed, "
        "at most. `left behind`: processes of the run that were there 15 s later.",
    ]
    return page("Runs killed at random moments", introduction, {"by kind": table})


def _row(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    again = sorted(row["calls again"] for row in rows)
    return {
        "what": name,
        "runs": len(rows),
        "hit": sum(row["hit"] for row in rows),
        "the same report": sum(row["the same report"] for row in rows),
        "half a report": sum(not row["a report is whole or absent"] for row in rows),
        "resumed": max(row["resumed"] for row in rows),
        "calls again": f"{again[len(again) // 2]:.1%}, {again[-1]:.1%}",
        "left behind": sum(row["left behind"] for row in rows),
        "seconds until gone": max(row["seconds until gone"] for row in rows),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
