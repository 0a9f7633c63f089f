"""What the numbers in [demands] promise: pure ε, (ε, δ), zCDP or Gaussian differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hdp_audit.config.section import Section
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.zcdp import ZCDP

# the main column of each; `approximate` has `delta` beside it
KINDS = {"pure": "epsilon", "approximate": "epsilon", "zcdp": "rho", "gaussian": "mu"}


def promise_kind(section: Section) -> str:
    """The word in `promise`, "pure" by default."""
    return section.word("promise", tuple(KINDS), "pure") or "pure"


def promise_of(section: Section, kind: str, demands: PrivacyDemands, file: Path | None) -> Promise | None:
    """The promise that the demands make; None where the section's problems say why not."""
    if kind == "approximate":
        delta = _delta(section, demands, file)
        return None if delta is None else ApproximateDP(demands.values, delta)
    if section.has("delta"):
        section.wrong("delta", 'only promise = "approximate" has a delta; leave it out, or say so')
        return None
    if kind == "zcdp":
        return ZCDP(demands.values)
    return GaussianDP(demands.values) if kind == "gaussian" else PureDP(demands.values)


def _delta(section: Section, demands: PrivacyDemands, file: Path | None) -> Any:
    """One number for all, or the column `delta` of the file."""
    if section.has("delta"):
        return section.number("delta", 0.0, 0.0, 1.0, "a probability from 0 to 1")
    if file is None or file.suffix.lower() == ".npy":
        section.missing('has promise = "approximate" and no delta; give delta = 1e-6, or a file with a column delta')
        return None
    delta = PrivacyDemands.from_file(file, "delta").values
    for place in np.flatnonzero(delta > 1.0)[:10].tolist():
        section.problems.add(
            f"{file.name} row {demands.rows[place]}", f"delta = {delta[place]:g}; give a probability from 0 to 1"
        )
    return None if (delta > 1.0).any() else delta
