"""Every kind of mechanism with a Gaussian form keeps the contract in that form, demands being ρ."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from mechanisms import ReferenceMechanism, build, entries
from tests.contracts.contract import CATEGORIES, MechanismContract

# One of each rule and setting: error quantile and squared error differ in nothing that the contract looks at.
KINDS = {(task, each.rule, each.setting): each for task in ("frequency", "mean") for each in entries(task)}
CASES = [(task, each.name) for (task, *_), each in KINDS.items() if each.gaussian]
TOGETHER = [pytest.param(case, id="-".join(case), marks=pytest.mark.xdist_group("-".join(case))) for case in CASES]


@lru_cache(maxsize=64)
def built(name: str, task: str, rho: bytes, **options: object) -> ReferenceMechanism:
    categories = CATEGORIES if task == "frequency" else None
    return build(name, rho=np.frombuffer(rho), task=task, categories=categories, **options)


@pytest.fixture(params=TOGETHER, scope="class")
def mechanism_under_contract(request: pytest.FixtureRequest) -> None:
    request.cls.task, request.cls.name = request.param


@pytest.mark.usefixtures("mechanism_under_contract")
class TestEveryGaussianMechanism(MechanismContract):
    """The inherited suite, run once for each name and task."""

    def build(self, epsilon: np.ndarray, **options: object) -> ReferenceMechanism:
        return built(self.name, self.task, epsilon.tobytes(), **options)
