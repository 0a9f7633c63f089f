"""Numbers with all their digits, and that the search always has a pair with some among its finalists."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.model.domain import Unit
from hdp_audit.search.digits import has_digits

OTHERS = {"floating_point": "off", "trace": "off"}
ROW = np.array([(3, 0.1234567890123)], dtype=[("age", np.int64), ("share", np.float64)])[0]


@pytest.mark.parametrize("datum", [1.0 / 3.0, 12345.678901234, np.array([0.0, np.pi]), ROW])
def test_numbers_with_more_digits_than_people_write(datum):
    assert has_digits(datum)


@pytest.mark.parametrize("datum", [0.0, 1, 0.500001, -1e-6, np.array([0.5, 0.25]), "0.1234567890123", None, np.inf])
def test_usual_numbers_and_what_is_no_number(datum):
    assert not has_digits(datum)


def in_tenths(data, epsilon, rng):
    """Noise in tenths, and a sum that is not rounded: its further digits are exact."""
    return data.sum() + np.round(rng.laplace(0.0, 1.0 / epsilon.min()), 1)


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_of_fewer_digits_than_the_sum_is_found(seed):
    """A sure guess between any two numbers that have all their digits."""
    report = audit(in_tenths, epsilon=[0.3] * 12, task="custom", domain=Unit(), budget=30_000, seed=seed, **OTHERS)
    assert any(finding.id.endswith("/search") and finding.verdict == "fail" for finding in report.findings)
