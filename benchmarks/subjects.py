"""What is audited in a benchmark: the subjects of the tests, which are no installed package."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from tests.subjects import audited_fault, subject_of, zero_or_one

__all__ = ["audited_fault", "subject_of", "zero_or_one"]
