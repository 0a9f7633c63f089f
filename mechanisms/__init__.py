"""Reference mechanisms for means and frequencies under heterogeneous differential privacy.

Each user i is promised a loss of at most their own demand ε_i when their datum is replaced. `build` makes a mechanism
by name; it knows its weights, noise and every user's exact loss.
"""

from mechanisms.catalog import build, names, summary
from mechanisms.errors import InvalidInput
from mechanisms.mechanism import ReferenceMechanism
from mechanisms.standard import STANDARD, standard_demands

__all__ = ["STANDARD", "InvalidInput", "ReferenceMechanism", "build", "names", "standard_demands", "summary"]
