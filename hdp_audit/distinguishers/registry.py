"""The distinguishers that are tried where single columns of the outputs tell little, in this order."""

from __future__ import annotations

from hdp_audit.distinguishers.differences import differences
from hdp_audit.distinguishers.distinguisher import Distinguisher
from hdp_audit.distinguishers.low_noise import low_noise
from hdp_audit.distinguishers.projections import projections
from hdp_audit.distinguishers.quadratics import quadratics
from hdp_audit.distinguishers.rare import rare
from hdp_audit.distinguishers.residues import residues
from hdp_audit.distinguishers.trees import trees

DISTINGUISHERS: dict[str, Distinguisher] = {}


def register(name: str, distinguisher: Distinguisher) -> None:
    """Try this one, too, from now on."""
    if name in DISTINGUISHERS:
        raise ValueError(f"two distinguishers are called {name!r}")
    DISTINGUISHERS[name] = distinguisher


register("rare", rare)
register("trees", trees)
register("projections", projections)
register("quadratics", quadratics)
register("differences", differences)
register("residues", residues)
register("low noise", low_noise)
