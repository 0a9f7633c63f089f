"""The ledger: which entries there are, in which order, and what running them shows."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable
from traceback import walk_tb

from hdp_audit.errors import InvalidInput
from hdp_audit.proofs.entry import Entry, Evidence, Result, Status

CHAPTERS = (
    "privacy",
    "grid",
    "tails",
    "maxima",
    "bias",
    "vertex",
    "vertex_general",
    "permutation",
    "permutation_constant",
    "upper",
    "centred",
    "secret",
    "hull",
    "hull_bound",
    "hull_grid",
    "hull_exact",
    "two_weights",
    "norms",
    "anchored",
    "gaussian",
    "gaussian_errors",
    "gaussian_lower",
    "approximate_lower",
    "lower",
    "packing",
    "packed",
    "permuted",
    "two_points",
    "statistical",
    "statistical_bound",
    "half_public",
    "chains",
    "pooled",
    "stars",
    "lattices",
    "sharpened",
    "unseen",
    "beta_prior",
    "dice",
    "norms_lower",
    "optimality",
    "optimality_mse",
    "saturation",
    "weights",
    "certificates",
    "certificates_sharp",
    "baselines",
    "local",
    "sampling_errors",
    "local_errors",
    "weak_split",
    "game",
    "curves",
    "curves_groups",
    "crowd",
    "curves_bets",
    "counted",
    "step_down",
    "alignment",
    "moves",
    "moves_one_way",
    "moves_curves",
    "traced_events",
    "corrections",
    "corrections_lower",
    "corrections_upper",
    "corrections_regimes",
    "corrections_proofs",
)
# What a check may import, and what brings it; a check that lacks another module is broken, not "not run".
TOOLS = dict.fromkeys(("sympy", "mpmath", "numpy", "scipy", "statsmodels"), "hdp-audit")
TOOLS |= dict.fromkeys(("z3", "cvxpy"), "hdp-audit[prove]")


def all_entries(chapters: Iterable[str] = CHAPTERS) -> tuple[Entry, ...]:
    """Every entry of every chapter, in the ledger's order; two entries of one name are refused."""
    entries = [
        entry for chapter in chapters for entry in importlib.import_module(f"hdp_audit.proofs.{chapter}").ENTRIES
    ]
    names = [entry.id for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"ledger ids used twice: {', '.join(twice)}; an id names one statement")
    return tuple(entries)


def run_ledger(ids: Iterable[str] | None = None) -> list[Result]:
    """Runs the named entries (all of them when `ids` is None), in the ledger's order."""
    entries = all_entries()
    if ids is None:
        return [run_entry(entry) for entry in entries]
    wanted = list(ids)
    unknown = sorted(set(wanted) - {entry.id for entry in entries})
    if unknown or not wanted:
        given = ", ".join(unknown) or "no id at all"
        raise InvalidInput(f"ledger entries: {given}; the ids are listed in reports/ledger.md, or leave out ids")
    return [run_entry(entry) for entry in entries if entry.id in set(wanted)]


def run_entry(entry: Entry) -> Result:
    """Runs one check. A missing tool is "not run"; a check that raises or finds the claim false is "failed"."""
    start = time.perf_counter()
    try:
        evidence = entry.check()
        status = _status(entry, evidence)
    except Exception as error:  # a check must never take the ledger down with it
        stopped, why = _stopped(error)
        return Result(entry, stopped, "", time.perf_counter() - start, "", why)
    seconds = time.perf_counter() - start
    if status == "failed":
        return Result(entry, status, "", seconds, evidence.detail, evidence.detail)
    return Result(entry, status, evidence.strength, seconds, evidence.detail)


def _stopped(error: Exception) -> tuple[Status, str]:
    """A tool that is absent, or that cannot be loaded, says nothing about the statement; any other error does."""
    tool, why = _imported(error), f"{type(error).__name__}: {error}"
    if tool in TOOLS:
        return "not run", f"needs {tool} ({why}); install it with: pip install '{TOOLS[tool]}'"
    return "failed", why


def _imported(error: Exception) -> str:
    """The package whose import ended in this error; z3 without its library raises one of its own, no ImportError."""
    if isinstance(error, ImportError):
        return (error.name or "").partition(".")[0]
    loading = [frame for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_name == "<module>"]
    packages = (str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame in loading)
    return next((package for package in packages if package in TOOLS), "")


def _status(entry: Entry, evidence: Evidence) -> Status:
    """A stress test supports a citation and is never called a proof, whatever the check says of itself."""
    if not isinstance(evidence, Evidence):
        raise TypeError(f"the check of {entry.id} returned {type(evidence).__name__}; it must return Evidence")
    if entry.method == "textbook+stress" and evidence.strength != "tested":
        raise ValueError(f"{entry.id} cites a textbook, so its evidence is 'tested', not {evidence.strength!r}")
    if not evidence.holds:
        return "failed"
    return "paper's text corrected" if entry.corrects is not None else evidence.strength
