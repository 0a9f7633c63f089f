"""Work for executors: an item that draws so slowly that others help, and says who called the mechanism."""

from __future__ import annotations

import os
import time

import numpy as np

from hdp_audit.targets.sharing import Shared
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.worker import crew_here
from tests.subjects import subject_of

CALLS = 64


def tells_who(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    time.sleep(0.02)
    return float(os.getpid())


def noisy(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    time.sleep(0.01)
    return float(data.sum() + rng.laplace())


def fatal_elsewhere(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    """Kills whoever helps."""
    time.sleep(0.01)
    if crew_here() is None:
        os._exit(1)
    return float(rng.random())


class Opened:
    def __init__(self, mechanism: str) -> None:
        self.mechanism = mechanism

    def __call__(self) -> Subject:
        return subject_of(globals()[self.mechanism], np.full(4, 0.5))


def drawn(mechanism: str) -> list[float]:
    """The outputs of two requests."""
    own = Opened(mechanism)()
    own.maker = Shared(Opened(mechanism), crew=crew_here())
    data = own.dataset(np.zeros(4))
    first = own.draw(data, CALLS // 2, named(1, "first"))
    return [*first[:, 0].tolist(), *own.draw(data, CALLS, named(1, "second"))[:, 0].tolist()]
