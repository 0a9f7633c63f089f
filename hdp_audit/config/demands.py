"""The section [demands]: a file, values, a standard name, or a distribution."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hdp_audit.config.literals import Lost
from hdp_audit.config.problems import did_you_mean
from hdp_audit.config.promise import KINDS as KINDS_OF_PROMISE
from hdp_audit.config.promise import promise_kind, promise_of
from hdp_audit.config.section import Section, real, shown
from hdp_audit.errors import HdpAuditError
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.number_texts import DEMAND, no_demand
from hdp_audit.model.promise import Promise

WAYS = ("file", "values", "standard", "distribution")
KINDS = ("log-uniform", "uniform")
MOST_USERS = 50_000_000
SUFFIXES = (".csv", ".npy", ".parquet")
_REPORTED = 10


def read_demands(section: Section, folder: Path) -> tuple[PrivacyDemands, Promise] | None:
    """The demands and what they promise, or None where the section's problems say why not."""
    kind = promise_kind(section)
    given = [key for key in WAYS if section.has(key)]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        section.missing(f"has {found}; give exactly one of {', '.join(WAYS)}")
        section.asked += ["column", "low", "high", "users", "seed", "delta"]
        section.finish()
        return None
    readers = {"file": _file, "values": _values, "standard": _standard, "distribution": _distribution}
    read = None
    try:
        demands = readers[given[0]](section, folder, KINDS_OF_PROMISE[kind])
        if demands is not None:
            file = folder / str(section.table["file"]) if given[0] == "file" else None
            promise = promise_of(section, kind, demands, file)
            read = None if promise is None else (demands, promise)
    except HdpAuditError as why:
        section.problems.lines.extend(str(why).splitlines())
    section.finish()
    return read


def existing_file(section: Section, folder: Path, suffixes: tuple[str, ...]) -> Path | None:
    """The file named by the key `file`, relative to the spec."""
    name = section.text("file")
    if name is None:
        return None
    path = folder / name
    if path.suffix.lower() not in suffixes:
        section.wrong("file", f"give a file that ends in {', '.join(suffixes)}")
        return None
    try:
        there = path.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        section.wrong("file", "there is no such file (looked for it beside the spec)")
        return None
    return path


def refuse_column(section: Section, path: Path | None) -> None:
    """An array has no columns: a name of one would be ignored."""
    if path is not None and path.suffix.lower() == ".npy" and "column" in section.table:
        section.wrong("column", "a .npy file has no columns; leave it out")


def _file(section: Section, folder: Path, usual: str) -> PrivacyDemands | None:
    column = section.text("column") if section.has("column") else usual
    path = existing_file(section, folder, SUFFIXES)
    refuse_column(section, path)
    return None if path is None or column is None else PrivacyDemands.from_file(path, column)


def _values(section: Section, _folder: Path, label: str) -> PrivacyDemands | None:
    given = section.table["values"]
    if not isinstance(given, list) or not given:
        section.wrong("values", 'give a list of numbers from 0 to "inf"')
        return None
    numbers = [float("inf") if _is_infinite(entry) else real(entry) for entry in given]
    bad = [i for i, number in enumerate(numbers) if number is None or number < 0]
    place = section.place("values")
    for i in bad[:_REPORTED]:
        told = no_demand(str(given[i])) if isinstance(given[i], Lost) else f'{shown(given[i])}; {DEMAND} ("inf")'
        section.problems.add(place, f"values row {i + 1}: {label} = {told}")
    if len(bad) > _REPORTED:
        section.problems.add(place, f"... and {len(bad) - _REPORTED} more rows of values")
    return None if bad else PrivacyDemands.from_values([number for number in numbers if number is not None])


def _is_infinite(entry: object) -> bool:
    return entry in ("inf", float("inf")) and not isinstance(entry, Lost)


def _standard(section: Section, _folder: Path, _label: str) -> PrivacyDemands | None:
    from hdp_audit.targets.reference import STANDARD, standard_demands

    name = section.text("standard")
    if name is None:
        return None
    if name not in STANDARD:
        section.wrong("standard", did_you_mean(name, STANDARD))
        return None
    return standard_demands(name)


def _distribution(section: Section, _folder: Path, _label: str) -> PrivacyDemands | None:
    kind = section.word("distribution", KINDS)
    if kind == "uniform":
        low = section.number("low", 0.0, 0.0, 1e6, "a smallest demand from 0 to a million")
        high = section.number("high", 1.0, 0.0, 1e6, "a largest demand from 0 to a million")
    else:
        low = section.number("low", -5.0, -100.0, 100.0, "a natural logarithm from -100 to 100")
        high = section.number("high", 5.0, -100.0, 100.0, "a natural logarithm from -100 to 100")
    users = section.integer("users", 10_000, 1, MOST_USERS)
    seed = section.integer("seed", 1, 0, 2**63 - 1)
    if low > high:
        section.wrong("high" if "high" in section.table else "low", f"low = {low:g} lies above high = {high:g}")
        return None
    if kind is None or users is None or seed is None:
        return None
    drawn = np.random.default_rng(seed).uniform(low, high, users)
    return PrivacyDemands.from_values(np.exp(drawn) if kind == "log-uniform" else drawn)
