"""Proofs over the reals with z3: a claim is proved when its negation has no model."""

from __future__ import annotations

from typing import Any

# A bound on z3's own work, not on time: the verdict must not depend on how busy the machine is.
WORK_LIMIT = 60_000_000


class UndecidedError(Exception):
    """z3 answered neither yes nor no within the work limit."""


def _solver() -> Any:
    import z3

    solver = z3.Solver()
    solver.set("random_seed", 0)
    solver.set("rlimit", WORK_LIMIT)
    return solver


def _satisfiable(*formulas: Any) -> bool:
    import z3

    solver = _solver()
    solver.add(*formulas)
    answer = solver.check()
    if answer == z3.unknown:
        raise UndecidedError(f"z3 gave up: {solver.reason_unknown()}; split the claim into smaller steps")
    return bool(answer == z3.sat)


def proves(claim: Any, *given: Any) -> bool:
    """True when `claim` follows from `given` for all values of the variables.

    Contradictory premises prove everything, so premises without a model are an error.
    """
    import z3

    if given and not _satisfiable(*given):
        raise ValueError("the premises contradict each other: the proof would be empty")
    return not _satisfiable(*given, z3.Not(claim))


def possible(*formulas: Any) -> bool:
    """True when some values satisfy all formulas: an example (or a counterexample) exists."""
    return _satisfiable(*formulas)


def absolute(x: Any) -> Any:
    """|x| as a z3 term."""
    import z3

    return z3.If(x >= 0, x, -x)


def positive_part(x: Any) -> Any:
    """(x)₊ = max(x, 0) as a z3 term."""
    import z3

    return z3.If(x >= 0, x, z3.RealVal(0))


def smaller(x: Any, y: Any) -> Any:
    """min(x, y) as a z3 term."""
    import z3

    return z3.If(x <= y, x, y)


def reals(names: str) -> list[Any]:
    """z3 real variables, from names separated by blanks."""
    import z3

    return list(z3.Reals(names))


def real_list(name: str, size: int) -> list[Any]:
    """`size` z3 real variables name_0, name_1, …"""
    import z3

    return [z3.Real(f"{name}_{index}") for index in range(size)]
