"""A pair of the collection, traced."""

from __future__ import annotations

import warnings

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.promise import PureDP
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.pair import pair_loss
from tests.tracing.zoo.entry import Entry, Pair


def found(entry: Entry, pair: Pair) -> PairLoss:
    promise = PureDP(entry.epsilon)
    first, second = entry.datasets(pair)
    execution = Execution(entry.mechanism)
    with execution.open(), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pair_loss(execution, Dataset(first, promise), Dataset(second, promise))
