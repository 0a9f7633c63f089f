"""Our exact sampler and OpenDP's draw from the same law (needs the extra `opendp`.

The test environment installs it).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from mechanisms.noise import discrete_laplace, word_source


def test_two_independent_implementations_agree() -> None:
    """Two-sample chi-square over −24..24 at scale 8.

    Equal laws fail with probability 10⁻⁶ (OpenDP cannot be seeded).
    """
    dp = pytest.importorskip("opendp.prelude", reason="the extra `opendp` is not installed")
    dp.enable_features("contrib")
    theirs_of = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=8.0)
    theirs = np.array(theirs_of([0] * 60_000))
    ours = discrete_laplace(3, 60_000, word_source(np.random.default_rng(5)), 1 << 60)
    table = [np.bincount(np.clip(draws, -24, 24) + 24, minlength=49) for draws in (ours, theirs)]
    assert chi2_contingency(table).pvalue > 1e-6
