"""From the file to a spec: read everything, collect every problem, raise once."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdp_audit.config.claims import read_accuracy, read_claim
from hdp_audit.config.data import read_data
from hdp_audit.config.demands import read_demands
from hdp_audit.config.domain import EXAMPLE, Allowed, read_domain
from hdp_audit.config.lines import key_lines, line_of
from hdp_audit.config.literals import literal
from hdp_audit.config.mechanism import read_mechanism
from hdp_audit.config.problems import InvalidSpec, Problems, did_you_mean
from hdp_audit.config.report import read_identity
from hdp_audit.config.running import read_run, read_waiver
from hdp_audit.config.section import Section
from hdp_audit.config.spec import Mechanism, Run, Spec
from hdp_audit.model import OptimalityClaim, PrivacyClaim, Waiver
from hdp_audit.model.identity import Identity
from hdp_audit.model.vocabulary import MEASURED

SECTIONS = ("mechanism", "domain", "demands", "data", "privacy", "accuracy", "optimality", "run", "waive", "report")
CLAIMS = ("privacy", "accuracy", "optimality")
LARGEST = 50_000_000  # bytes of a spec
OF_SESSIONS = (
    "what a budget detects is foreseen for a single answer; the parts of a loss that comes in several answers are "
    "harder to see, so a session may need more calls, and the run says what it would have detected"
)


@dataclass(frozen=True)
class _Document:
    """A parsed spec, its lines and the list of what is wrong."""

    path: Path
    tables: Mapping[str, Any]
    lines: Mapping[tuple[str | int, ...], int]
    problems: Problems

    def section(self, name: str) -> Section | None:
        """A section, or None where it is absent or no table."""
        if name not in self.tables:
            return None
        table = self.tables[name]
        if not isinstance(table, dict):
            self.problems.add(self.place(name), f"{name} is no section; write [{name}] and its keys below")
            return None
        return Section(table, (name,), self.path.name, self.lines, self.problems)

    def place(self, name: str) -> str:
        """`hdp-audit.toml line 3`."""
        line = line_of(self.lines, (name,))
        return f"{self.path.name} line {line}" if line else self.path.name


def read_spec(path: Path) -> Spec:
    """The spec in a file; `InvalidSpec` names everything that is wrong with it."""
    text = _text(path)
    document = _Document(path, _parsed(path, text), key_lines(text), Problems())
    _check_sections(document)
    spec = _spec(document)
    document.problems.raise_any()
    if spec is None:
        raise AssertionError("a spec that cannot be read has a problem")
    return spec


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidSpec(f"{path.name}: larger than {LARGEST // 10**6} MB; put demands into a file of their own")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as why:
        raise InvalidSpec(f"{path.name}: {why}; give a TOML file in UTF-8") from None
    except (OSError, ValueError) as why:
        reason = why.strerror if isinstance(why, OSError) else why
        raise InvalidSpec(f"{path}: cannot be read ({reason}); `hdp-audit init` writes a spec") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=literal)  # 1e400 must not become inf unnoticed
    except tomllib.TOMLDecodeError as why:
        message, line = str(why), re.search(r"\(at line (\d+), column \d+\)", str(why))
        number = line[1] if line else str(text.count("\n") + 1)
        raise InvalidSpec(
            f"{path.name} line {number}: {message.partition(' (at ')[0]}; {_hint(text, int(number))}"
        ) from None
    except (RecursionError, ValueError, OverflowError) as why:
        raise InvalidSpec(f"{path.name}: {type(why).__name__}: {str(why)[:200]}; this is no usable TOML") from None


def _hint(text: str, number: int) -> str:
    """What to do about a line that cannot be read."""
    if "\\" in "".join(text.split("\n")[number - 1 : number]):
        return r"a text with backslashes stands in single quotes, such as ignore_stdout = '^\[log\]'"
    return "this is no TOML"


def _check_sections(document: _Document) -> None:
    for name in document.tables:
        if name not in SECTIONS:
            document.problems.add(document.place(name), f"unknown section {name!r}; {did_you_mean(name, SECTIONS)}")
    for name in ("mechanism", "demands"):
        if name not in document.tables:
            document.problems.add(document.path.name, f"no section [{name}]; every spec has one")
    if not any(name in document.tables for name in CLAIMS):
        document.problems.add(
            document.path.name, "nothing is claimed; give at least one of [privacy], [accuracy], [optimality]"
        )


def _spec(document: _Document) -> Spec | None:
    folder = document.path.absolute().parent  # workers may stand elsewhere
    sections = {name: document.section(name) for name in SECTIONS if name != "waive"}
    on_mechanism, on_demands, on_data, on_run = (sections[name] for name in ("mechanism", "demands", "data", "run"))
    on_domain = sections["domain"]
    told = frozenset(on_domain.table) if on_domain else frozenset()
    mechanism = read_mechanism(on_mechanism, folder, told) if on_mechanism else None
    allowed = read_domain(on_domain, mechanism, folder) if on_domain else Allowed()
    if on_mechanism and mechanism and mechanism.task == "vector-mean" and "vector" not in told:
        on_mechanism.missing(f'has task = "vector-mean", and there is no vector in [domain]; give one with {EXAMPLE}')
    promised = read_demands(on_demands, folder) if on_demands else None
    demands, promise = promised or (None, None)
    data, notes = read_data(on_data, folder, mechanism, demands, allowed.domain) if on_data else (None, ())
    privacy, accuracy, optimality = (sections[name] for name in CLAIMS)
    claims = (
        read_claim(privacy, PrivacyClaim) if privacy else None,
        read_accuracy(accuracy, mechanism) if accuracy else None,
        read_claim(optimality, OptimalityClaim) if optimality else None,
    )
    alone = None if mechanism is None else _privacy_alone(mechanism)
    for section in (accuracy, optimality):
        if section is not None and alone is not None:
            section.missing(f"is for means, sums, frequencies and counts; {alone} has privacy alone")
    run = read_run(on_run) if on_run else Run()
    waivers = _waivers(document)
    on_report = sections["report"]
    identity = read_identity(on_report) if on_report else Identity()
    if mechanism is None or demands is None or promise is None or document.problems.lines:
        return None
    notes = (*notes, *([OF_SESSIONS] if mechanism.session is not None else []))
    claimed = _digest(document.tables), mechanism, demands, promise, data, *claims
    told_of = (allowed.domain, identity, allowed.strategy, allowed.form)
    return Spec(document.path, *claimed, run, waivers, notes, *told_of)


def _privacy_alone(mechanism: Mechanism) -> str | None:
    """What outputs come from, where no truth is known from which they could err."""
    if mechanism.session is not None:
        return "a session"
    return None if mechanism.task in MEASURED else f"a {mechanism.task} task"


def _waivers(document: _Document) -> tuple[Waiver, ...]:
    tables = document.tables.get("waive", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        document.problems.add(document.place("waive"), "waive is no list of tables; write [[waive]] for each waiver")
        return ()
    found: list[Waiver] = []
    for number, table in enumerate(tables):
        section = Section(table, ("waive", number), document.path.name, document.lines, document.problems)
        waiver = read_waiver(section)
        if waiver is None:
            continue
        if any(other.finding == waiver.finding for other in found):
            section.wrong("finding", "it is waived twice; keep one of the two")
        found.append(waiver)
    return tuple(found)


def _digest(tables: Mapping[str, Any]) -> str:
    """What is audited and claimed, whatever the layout of the file."""
    kept = {name: table for name, table in tables.items() if name not in ("run", "waive", "report")}
    text = json.dumps(kept, sort_keys=True, default=str, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
