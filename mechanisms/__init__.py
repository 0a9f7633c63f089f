"""Reference mechanisms for means and frequencies under heterogeneous differential privacy.

Each user i is promised a loss of at most their own demand ε_i when their datum is replaced. `build` makes a mechanism
by name; it knows its weights, noise and every user's exact loss.
"""

from mechanisms.catalog import build, error_law, names, summary
from mechanisms.catalog_entry import Entry, Order
from mechanisms.errors import InvalidInput
from mechanisms.frequency import Frequency
from mechanisms.mean import Mean
from mechanisms.mechanism import ReferenceMechanism
from mechanisms.registry import entries, entry, register, withdraw
from mechanisms.standard import STANDARD, standard_demands
from mechanisms.task import Task
from mechanisms.zcdp import Concentrated

__all__ = [
    "STANDARD",
    "Concentrated",
    "Entry",
    "Frequency",
    "InvalidInput",
    "Mean",
    "Order",
    "ReferenceMechanism",
    "Task",
    "build",
    "entries",
    "entry",
    "error_law",
    "names",
    "register",
    "standard_demands",
    "summary",
    "withdraw",
]
