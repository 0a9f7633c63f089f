"""The ledger: which entries there are, in which order, and what running them shows."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable

from hdp_audit.errors import InvalidInput
from hdp_audit.proofs.entry import Entry, Evidence, Result, Status

ROOMS = (
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
    "hull",
    "hull_bound",
    "hull_grid",
    "anchored",
    "lower",
    "packing",
    "packed",
    "two_points",
    "statistical",
    "statistical_bound",
    "half_public",
    "chains",
    "sharpened",
    "unseen",
    "optimality",
    "optimality_mse",
    "saturation",
    "weights",
    "baselines",
    "local",
    "sampling_errors",
    "local_errors",
    "weak_split",
    "game",
    "corrections",
    "corrections_lower",
    "corrections_upper",
    "corrections_regimes",
    "corrections_proofs",
)
TOOLS = frozenset({"sympy", "z3", "mpmath", "numpy", "scipy"})


def all_entries() -> tuple[Entry, ...]:
    """Every entry of every room, in the ledger's order; two entries of one name are refused."""
    entries = [entry for room in ROOMS for entry in importlib.import_module(f"hdp_audit.proofs.{room}").ENTRIES]
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
    except ModuleNotFoundError as missing:
        tool = (missing.name or "").split(".")[0]
        status = "not run" if tool in TOOLS else "failed"
        return Result(entry, status, "", time.perf_counter() - start, "", f"module {missing.name} is missing")
    except Exception as error:  # a check must never take the ledger down with it
        seconds = time.perf_counter() - start
        return Result(entry, "failed", "", seconds, "", f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    if status == "failed":
        return Result(entry, status, "", seconds, evidence.detail, evidence.detail)
    return Result(entry, status, evidence.strength, seconds, evidence.detail)


def _status(entry: Entry, evidence: Evidence) -> Status:
    """A stress test supports a citation and is never called a proof, whatever the check says of itself."""
    if not isinstance(evidence, Evidence):
        raise TypeError(f"the check of {entry.id} returned {type(evidence).__name__}; it must return Evidence")
    if entry.method == "textbook+stress" and evidence.strength != "tested":
        raise ValueError(f"{entry.id} cites a textbook, so its evidence is 'tested', not {evidence.strength!r}")
    if not evidence.holds:
        return "failed"
    return "paper's text corrected" if entry.corrects is not None else evidence.strength
