"""report.json: written so that any reader can take it, read so that a wrong file is named in words."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.finding import Kind, Scope, Verdict
from hdp_audit.reporting.version_1 import from_version_1

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.format import Options

SCHEMA_VERSION = 2
# Control characters, marks that turn or hide text, and halves of pairs: allowed in JSON, but not harmless.
STEERING = re.compile("[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
SCHEMA = Path(__file__).with_name("report.schema.json")
_TOP: dict[str, type | tuple[type, ...]] = {
    "verdict": str,
    "confidence": (int, float),
    "seed": int,
    "subjects": list,
    "findings": list,
    "totals": dict,
}


class Json:
    """For programs: everything."""

    def file(self, name: str) -> str:
        """`report.json`."""
        return f"{name}.json"

    def render(self, report: AuditReport, options: Options) -> str:  # noqa: ARG002 (it has none)
        """The whole file."""
        return report_json(report)


def report_json(report: AuditReport) -> str:
    """The whole report, one line per finding; what is not a number is null, infinities are "inf"."""
    return dumps(plain(report.to_json())) + "\n"


def dumps(document: dict[str, Any]) -> str:
    """One line for each key and each entry of a list: good for grep and diff, and fast."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            entries = ",\n".join(f"  {line(entry)}" for entry in value)
            lines.append(f" {line(key)}: [\n{entries}\n ]")
        else:
            lines.append(f" {line(key)}: {line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def line(value: Any) -> str:
    """JSON that neither steers a terminal nor refuses to be encoded."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain(value: Any) -> Any:
    """Plain values: numpy and dates too; anything else by its name, never by running it."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, (dt.date, Path)):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else f"<{type(value).__name__}>"


def read_report(path: str | Path) -> dict[str, Any]:
    """A report.json as plain values of the newest version, or `InvalidInput` that says what is wrong with it.

    Args:
        path: The file, of schema version 1 or 2.

    Example:
        >>> from hdp_audit import read_report
        >>> read_report("nothing.json")
        Traceback (most recent call last):
        ...
        hdp_audit.errors.InvalidInput: nothing.json: No such file or directory; give a report.json that `run` wrote
    """
    source = Path(path)
    try:
        document = json.loads(source.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as problem:
        raise InvalidInput(f"{source}: {problem.strerror or problem}; give a report.json that `run` wrote") from None
    except (ValueError, RecursionError) as problem:
        raise InvalidInput(f"{source}: no JSON ({problem}); give a report.json that `run` wrote") from None
    wrong = _problems(document)
    if wrong:
        raise InvalidInput("\n".join(f"{source}: {words}" for words in wrong[:10]))
    return from_version_1(document) if document["schema_version"] == 1 else dict(document)


def _no_constant(name: str) -> None:
    raise ValueError(f'{name} is no JSON; infinity is the string "inf"')


def _problems(document: Any) -> list[str]:
    if not isinstance(document, dict):
        return [f"the top is {type(document).__name__}; a report is an object"]
    version = document.get("schema_version")
    if isinstance(version, bool) or version not in (1, SCHEMA_VERSION):
        return [f"schema_version = {version!r}; this hdp-audit reads versions 1 and {SCHEMA_VERSION}"]
    wrong = [f"{key}: missing or of the wrong type" for key, kind in _TOP.items() if not _is(document.get(key), kind)]
    if wrong:
        return wrong
    for place, subject in enumerate(document["subjects"]):
        if not isinstance(subject, dict) or not _is(subject.get("name"), str) or not _is(subject.get("demands"), dict):
            wrong.append(f"subjects[{place}]: no object with a name and demands")
    for place, finding in enumerate(document["findings"]):
        wrong.extend(f"findings[{place}]: {words}" for words in _finding_problems(finding, version))
    return wrong or [*_twins("subjects", "name", document), *_twins("findings", "id", document)]


def _twins(key: str, name: str, document: dict[str, Any]) -> list[str]:
    """Entries that share a name: of two findings under one id, one would be compared and the other lost."""
    counts = Counter(entry[name] for entry in document[key])
    return [f"{key}: {twin!r} is there {count} times" for twin, count in counts.items() if count > 1]


def _finding_problems(finding: Any, version: int) -> list[str]:
    if not isinstance(finding, dict) or not all(_is(finding.get(key), str) for key in ("id", "subject")):
        return ["no object with an id and a subject"]
    wrong = []
    words = [("verdict", get_args(Verdict)), ("kind", get_args(Kind))]
    words += [("scope", get_args(Scope))] if version > 1 else []
    for key, allowed in words:
        if finding.get(key) not in allowed:
            wrong.append(f"{key} = {finding.get(key)!r}; allowed: {', '.join(allowed)}")
    for key in ("lower", "upper"):
        bound = finding.get(key)
        if bound is not None and not (isinstance(bound, dict) and _is(bound.get("value"), (int, float, str))):
            wrong.append(f"{key} is neither null nor an object with a value")
    return wrong


def _is(value: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
