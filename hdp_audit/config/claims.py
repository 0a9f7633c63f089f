"""The sections [privacy], [accuracy] and [optimality]: the model's own rules, key by key, with the key's line."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, TypeVar

from hdp_audit.config.problems import did_you_mean
from hdp_audit.config.section import Section, real
from hdp_audit.config.spec import Catalogued, Mechanism
from hdp_audit.errors import HdpAuditError, NotAllowed
from hdp_audit.model import AccuracyClaim

Claim = TypeVar("Claim")
ONE_NUMBER = ("mean", "sum")  # tasks of which all norms are the same


def read_claim(section: Section, kind: type[Claim]) -> Claim | None:
    """A claim from its section; every bad key is noted."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    given = {name: section.table[name] for name in names if section.has(name)}
    before = len(section.problems.lines)
    for name, value in given.items():
        if (why := _refused(kind, name, value)) is not None:
            section.wrong(name, why)
    section.finish()
    return kind(**given) if len(section.problems.lines) == before else None


def read_accuracy(section: Section, mechanism: Mechanism | None) -> AccuracyClaim | None:
    """An accuracy claim; whether its bound can be had depends on the mechanism."""
    claim = read_claim(section, AccuracyClaim)
    if claim is not None and mechanism is not None and claim.norm != "linf" and mechanism.task in ONE_NUMBER:
        section.wrong("norm", f"leave it out: a {mechanism.task} has one number, of which all norms are the same")
    if claim is None or mechanism is None or not isinstance(claim.bound, str):
        return claim
    if claim.bound == "explicit":
        if not isinstance(mechanism.how, Catalogued):
            section.missing(
                'needs a bound: "explicit" is for reference mechanisms; '
                "give a number, or the catalog name whose theorem is claimed"
            )
        return claim
    from hdp_audit.targets.reference import names

    if mechanism.task in ("mean", "frequency"):
        allowed = names(mechanism.task)
        if claim.bound not in allowed:
            section.wrong("bound", f'give a number, "explicit" or a catalog name; {did_you_mean(claim.bound, allowed)}')
    return claim


def _refused(kind: type[Any], name: str, value: object) -> str | None:
    """Why the model does not take this value, or None."""
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return "give a finite number or a word in quotes, as docs/spec.md says"
    try:
        kind(**{name: value})
    except NotAllowed as why:
        return why.allowed
    except HdpAuditError as why:
        return str(why)
    except (TypeError, ValueError, OverflowError):
        return f"a {type(value).__name__} is not allowed here; its default is {_default(kind, name)!r}"
    if name == "beta" and not 0 < (real(value) or 0.0) < 1:
        return "give an error probability strictly between 0 and 1"
    return None


def _default(kind: type[Any], name: str) -> object:
    return next(field.default for field in dataclasses.fields(kind) if field.name == name)
