"""All mechanisms of this benchmark by name."""

from __future__ import annotations

from benchmarks.wide import (
    classic_sparse,
    classics,
    configurations,
    configurations_noise,
    correct_choices,
    correct_numbers,
    correct_shapes,
    correct_tables,
    interior,
    joint,
    joint_custom,
    one_user,
    shapes,
)
from benchmarks.wide.subject import Subject

_FAULTY = (one_user, interior, configurations, configurations_noise, joint, joint_custom, shapes)
_CORRECT = (correct_numbers, correct_choices, correct_tables, correct_shapes)
FAULTY = [each for module in _FAULTY for each in module.SUBJECTS]
CORRECT = [each for module in _CORRECT for each in module.SUBJECTS]
CLASSICS = [*classics.SUBJECTS, *classic_sparse.SUBJECTS]
ALL: dict[str, Subject] = {each.name: each for each in (*FAULTY, *CORRECT, *CLASSICS)}
assert len(ALL) == len(FAULTY) + len(CORRECT) + len(CLASSICS)
