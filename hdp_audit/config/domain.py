"""The section [domain]: what one user's datum may be, where the task alone does not say it."""

from __future__ import annotations

from typing import cast, get_args

from hdp_audit.config.section import Section, real
from hdp_audit.errors import InvalidInput
from hdp_audit.model.vector import Norm, Vector

EXAMPLE = 'vector = { size = 5, norm = "l2", radius = 1 }'
KEYS = ("size", "norm", "radius")


def read_domain(section: Section, task: str | None) -> Vector | None:
    """The domain, or None where it cannot be told; the section's problems say why."""
    if not section.has("vector"):
        section.missing(f"is empty; give {EXAMPLE}")
        section.finish()
        return None
    section.finish()
    if task not in ("vector-mean", None):
        section.wrong("vector", f'only task = "vector-mean" has vectors, and this is "{task}"')
        return None
    given = section.table["vector"]
    if not isinstance(given, dict) or "size" not in given or set(given) - set(KEYS):
        section.wrong("vector", f"give a table with size, and norm and radius if they are not l2 and 1: {EXAMPLE}")
        return None
    size, norm, radius = given["size"], given.get("norm", "l2"), real(given.get("radius", 1.0))
    try:
        if norm not in get_args(Norm) or radius is None:
            raise InvalidInput(f"norm is one of {', '.join(get_args(Norm))}, and radius a number above 0")
        return Vector(size, cast("Norm", norm), radius)
    except InvalidInput as why:
        section.wrong("vector", str(why))
        return None
