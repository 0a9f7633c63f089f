"""The one door to the reference mechanisms: nothing else in the suite imports them."""

from __future__ import annotations

from mechanisms import InvalidInput, build, names, standard_demands, summary

__all__ = ["InvalidInput", "build", "names", "standard_demands", "summary"]
