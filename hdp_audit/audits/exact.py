"""What is known of the losses of a mechanism that shows its inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits import decide
from hdp_audit.model.bound import Bound
from hdp_audit.model.neighbours import Replace, Users
from hdp_audit.model.zcdp import ZCDP
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import white_box


def known_losses(subject: Subject) -> NDArray[np.float64] | None:
    """Every user's exact loss as a strength, where the mechanism knows it: pure or concentrated, under replacement."""
    known = white_box(subject.mechanism)
    if known is None or not isinstance(subject.neighbours, Replace):
        return None
    losses = np.asarray(known.privacy_loss)
    if isinstance(subject.promise, ZCDP):
        return np.sqrt(2.0 * losses)
    return losses if subject.promise.pure else None


def exact_loss(subject: Subject, users: Users) -> Bound | None:
    """The average exact loss of these users, where the mechanism is the suite's own and so can be believed.

    None where one of them loses more than they demand: then an average would hide it.
    """
    known = known_losses(subject)
    if known is None:
        return None
    losses = known[users]
    if (losses > subject.epsilon[users]).any():
        return None
    told = subject.promise.parameter
    return Bound.upper(told(decide.average(losses)), "exact loss of the reference mechanism")
