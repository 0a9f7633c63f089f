"""Audits mechanisms that the search was not made for.

python -m benchmarks.wide list
python -m benchmarks.wide run [--calls 100000] [--seeds 1] [--correct-seeds 6] [--only NAME ...] [--jobs 1]
python -m benchmarks.wide page
python -m benchmarks.wide check [--draws 20000] [--only NAME ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.wide.catalog import ALL
from benchmarks.wide.counts import compared
from benchmarks.wide.page import PAGE, written
from benchmarks.wide.runner import RESULTS, jobs, read, run


def arguments() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wide", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["list", "run", "page", "check"])
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=1, help="of each faulty mechanism")
    parser.add_argument("--correct-seeds", type=int, default=6, help="of each correct one")
    parser.add_argument("--only", nargs="+", choices=[*ALL], metavar="NAME")
    parser.add_argument("--draws", type=int, default=20_000, help="of `check`: of each dataset")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--confidence", type=float, default=0.999)
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser


def listed() -> None:
    """A line a mechanism."""
    for each in ALL.values():
        print(f"{each.name:26} {'correct' if each.correct else f'{each.ideal:,.0f} calls':>16}  {each.says}")


def checked(names: Sequence[str], draws: int) -> None:
    """Counts of all events beside their probabilities."""
    for each in (ALL[name] for name in names if ALL[name].shown):
        for count, chance, likely in compared(each, draws, seed=1):
            print(f"{each.name:26} {count / draws:8.5f} {chance:8.5f} {likely:8.1g}", flush=True)


def audited(names: Sequence[str], given: argparse.Namespace) -> None:
    """A line an audit."""
    for row in run(
        jobs(names, given.calls, given.seeds, given.correct_seeds, given.confidence), given.jobs, given.results
    ):
        told = f"{row['name']:26} {row['seed']} {row['verdict']:12} {row['calls'] or '':>8} {row['seconds']:6} s"
        print(told, flush=True)


def main() -> None:
    """Lists, checks, runs, or writes the page; a run writes it at its end."""
    given = arguments().parse_args()
    names = given.only or [*ALL]
    if given.command == "list":
        listed()
    if given.command == "check":
        checked(names, given.draws)
    if given.command == "run":
        audited(names, given)
    if given.command in ("run", "page") and (rows := read(given.results)):
        target = PAGE if given.results == RESULTS else given.results.with_suffix(".md")
        target.write_text(written(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
