"""A median as diffprivlib's tools give it, with one epsilon a call."""

import warnings

import numpy as np
from diffprivlib.accountant import BudgetAccountant
from diffprivlib.tools import median

FREE = BudgetAccountant()  # no limit: each call is a release of its own


def private_median(data, epsilon, rng):
    """The least demand is what a call may spend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about budgets
        own = int(rng.integers(2**31))
        return float(
            median(np.asarray(data), epsilon=float(epsilon.min()), bounds=(0, 1), random_state=own, accountant=FREE)
        )
