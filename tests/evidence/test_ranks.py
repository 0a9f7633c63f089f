"""Ranks against scipy's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import rankdata

from hdp_audit.evidence.ranks import ranks

VALUES = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 1e-300, 1.0, 2.0, np.inf, np.nan])
SHAPES = arrays.array_shapes(min_dims=2, max_dims=3, max_side=7)


@given(arrays.arrays(np.float64, SHAPES, elements=VALUES), st.integers(0, 1))
def test_ranks_are_those_of_scipy(values: np.ndarray, axis: int) -> None:
    np.testing.assert_array_equal(ranks(values, axis), rankdata(values, axis=axis))
