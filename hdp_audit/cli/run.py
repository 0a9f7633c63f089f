"""hdp-audit run: the audit."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hdp_audit.cli.exits import INTERRUPTED, NOT_DONE, REFUTED, exit_code
from hdp_audit.cli.here import DEFAULT, HOW, OUT, spec_here
from hdp_audit.cli.messages import complain
from hdp_audit.cli.writing import stdout_console
from hdp_audit.errors import HdpAuditError
from hdp_audit.targets.interrupts import deaf

if TYPE_CHECKING:
    from hdp_audit.runs.job import Job
    from hdp_audit.runs.perform import Performed, RunOptions
    from hdp_audit.runs.together import Work


def budget_option(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    """(calls, None) or (None, seconds); (None, None) where the option is absent."""
    if value is None:
        return None, None
    from hdp_audit.config import durations
    from hdp_audit.config.running import LEAST_CALLS, budget_of

    found = budget_of(value)
    if found == (None, None):
        raise click.BadParameter(f"{value!r}; give a number of calls from {LEAST_CALLS}, or {durations.ALLOWED}")
    return found


@click.command(short_help="The audit: of specs, or of the built-in suite.")
@click.argument("spec", type=click.Path(path_type=Path), nargs=-1)
@click.option("--suite", is_flag=True, help="The built-in suite, also beside an hdp-audit.toml.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Instead of the spec's.")
@click.option("--confidence", type=click.FloatRange(0.5, 1, max_open=True), help="Family-wise, over the whole report.")
@click.option("--budget", callback=budget_option, help="Mechanism calls, or a duration such as 5m.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Processes; as many as processors by default.")
@click.option("--executor", "executor_name", default="local", show_default=True, help="local, dask or dask=ADDRESS.")
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="Folder of the reports.")
@click.option("--baseline", type=click.Path(path_type=Path), help="An earlier report.json; a regression is exit 1.")
@click.option("--quiet", is_flag=True, help="Only the verdict.")
@click.option("--resume", is_flag=True, help="Go on where an interrupted run stopped.")
@click.option("--allow-inconclusive", is_flag=True, help="An inconclusive finding does not fail the job.")
@click.option("--traceback", is_flag=True, help="Every frame of an exception of the mechanism.")
@click.option(
    "--format", "told", type=click.Choice(["text", "github"]), default="text", help="github: annotations too."
)
def run(
    spec: tuple[Path, ...],
    suite: bool,
    seed: int | None,
    confidence: float | None,
    budget: tuple[int | None, float | None],
    jobs: int | None,
    executor_name: str,
    out: Path,
    baseline: Path | None,
    quiet: bool,
    resume: bool,
    allow_inconclusive: bool,
    traceback: bool,
    told: str,
) -> None:
    """Audit the mechanism of a SPEC; without one that of hdp-audit.toml here, else the built-in suite.

    Several specs, or a folder of them, make one report with one confidence.

    Exit code 0: every finding passed; 1: a claim was refuted, or a regression; 2: the job could not be done; 3: the
    budget lacked the power that was asked for; 130: interrupted, and what was done is saved.
    """
    from hdp_audit.targets.executors import cores, prepared

    spec = _chosen(spec, suite)
    if executor_name == "local" and (spec or jobs != 1):
        prepared(*(["hdp_audit.audits.claimed"] if not spec else []))  # before this process loads libraries

    from hdp_audit.reporting.report_json import read_report
    from hdp_audit.runs.lock import alone_in
    from hdp_audit.runs.perform import RunOptions
    from hdp_audit.targets.kept import Folder

    console = stdout_console()
    old = None if baseline is None else read_report(baseline)
    specs, work = _planned(spec, seed, confidence, budget)
    how = RunOptions(console, out, complain, jobs or cores(), executor_name, quiet, resume)
    with alone_in(out, resume=resume, warn=complain):
        try:
            performed = work.perform(how)
        except KeyboardInterrupt:
            deaf()
            complain(_interrupted(out))
            sys.exit(INTERRUPTED)
        code = _hand_over(performed, work.jobs, how, specs, allow_inconclusive)
        if not performed.interrupted:
            Folder.clear_all(out)
    _tell_more(performed, console, traceback, told, allow_inconclusive)
    if performed.interrupted:
        sys.exit(INTERRUPTED)
    sys.exit(_after(code, performed, work.jobs, old))


def _chosen(given: tuple[Path, ...], suite: bool) -> tuple[Path, ...]:
    """The specs and folders that are audited; none for the built-in suite."""
    if suite and given:
        raise HdpAuditError(f"--suite and {given[0]}: give one of them")
    if given or suite:
        return given
    found = spec_here()
    if found is None:
        complain(f"no {DEFAULT} in this folder, so the built-in suite is audited; {HOW}")
        return ()
    complain(f"auditing {found}; --suite audits the built-in suite")
    return (found,)


def _planned(
    given: tuple[Path, ...], seed: int | None, confidence: float | None, budget: tuple[int | None, float | None]
) -> tuple[list[Path], Work]:
    """The files of the specs, and what is to be done with them."""
    from hdp_audit.config.several import specs_in
    from hdp_audit.runs.together import work_of

    specs = specs_in(given, complain)
    return specs, work_of(specs, seed, confidence, budget)


def _tell_more(performed: Performed, console: Any, traceback: bool, told: str, allow_inconclusive: bool) -> None:
    """What was asked for beside the report: frames of exceptions, annotations of a workflow."""
    from hdp_audit.cli.show import show_annotations, show_traceback

    if traceback:
        show_traceback(performed.report, console)
    if told == "github":
        show_annotations(performed.report, allow_inconclusive=allow_inconclusive)


def _interrupted(out: Path) -> str:
    """Without a report: too early, or in the last moment, when all checks may be in the journal."""
    from hdp_audit.runs.journal import NAME, removed_if_empty

    path = out / NAME
    if path.is_file() and not removed_if_empty(path) and path.read_bytes().count(b"\n") > 1:
        return "interrupted; what was done is saved, --resume goes on"
    return "interrupted before the first check was done; nothing was saved"


def _after(code: int, performed: Performed, jobs: Sequence[Job], old: dict[str, Any] | None) -> int:
    """What waivers and a baseline make of it; a mistake in these is told, but hides no refuted claim."""
    from hdp_audit.runs.finish import refuse_idle_waivers

    try:
        for job in jobs:
            refuse_idle_waivers(performed.report, job, alone=len(jobs) == 1)
        return REFUTED if old is not None and _regressed(old, performed) else code
    except HdpAuditError as mistake:
        complain(str(mistake))
        return REFUTED if code == REFUTED else NOT_DONE


def _hand_over(
    performed: Performed, jobs: Sequence[Job], how: RunOptions, specs: Sequence[Path], allow_inconclusive: bool
) -> int:
    """Write, show, and judge; where nothing can be written the verdict is shown all the same."""
    from hdp_audit.cli.show import run_command, show
    from hdp_audit.runs.whose import whose_in

    report = performed.report
    before = "" if how.resume else whose_in(how.out)
    files = _written(performed, jobs, how, allow_inconclusive)
    show(report, how.console, files or [], specs, quiet=how.quiet)
    if files and before not in ("", whose_in(how.out)):
        complain(f"{how.out}: this replaced the report of {before}; --out DIR keeps the reports of several specs apart")
    if performed.interrupted:
        again = f"{run_command(report, specs)} --resume --out {shlex.quote(str(how.out))}"
        how.console.print(f"interrupted; go on with: {again}", markup=False, soft_wrap=True)
        return INTERRUPTED
    code = exit_code(report, allow_inconclusive=allow_inconclusive)
    return code if files is not None or code == REFUTED else NOT_DONE


def _written(performed: Performed, jobs: Sequence[Job], how: RunOptions, allow_inconclusive: bool) -> list[Path] | None:
    """The report files; None, and the reason on stderr, where they cannot be written."""
    from hdp_audit.reporting.files import write_reports

    demands = {job.titles.get(case.name, case.name): case.demands for job in jobs for case in job.cases}
    try:
        return write_reports(performed.report, how.out, allow_inconclusive=allow_inconclusive, demands=demands)
    except Exception as why:  # whatever it is, it must not hide the verdict
        told = why if isinstance(why, (OSError, HdpAuditError)) else f"{type(why).__name__}: {why}"
        complain(f"the reports could not be written: {told}")
        return None


def _regressed(old: dict[str, Any], performed: Performed) -> bool:
    from hdp_audit.regressions import compare
    from hdp_audit.reporting.report_json import report_json

    compared = compare(old, json.loads(report_json(performed.report)))
    click.echo(compared.text)
    return bool(compared.regressions)
