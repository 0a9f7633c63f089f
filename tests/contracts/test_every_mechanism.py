"""Every name of the catalog keeps the contract."""

from __future__ import annotations

import pytest

from mechanisms import names
from tests.contracts.contract import MechanismContract

CASES = [(task, name) for task in ("frequency", "mean") for name in names(task)]
TOGETHER = [  # one worker has what was built for a mechanism
    pytest.param(case, id="-".join(case), marks=pytest.mark.xdist_group("-".join(case))) for case in CASES
]


@pytest.fixture(params=TOGETHER, scope="class")
def mechanism_under_contract(request: pytest.FixtureRequest) -> None:
    request.cls.task, request.cls.name = request.param


@pytest.mark.usefixtures("mechanism_under_contract")
class TestEveryMechanism(MechanismContract):
    """One inherited suite, run once for each name and task."""


def test_the_catalog_has_every_name_of_the_public_contract() -> None:
    variants = [
        "cp",
        "ce",
        "wp",
        "we",
        "a",
        "ct",
        "wt",
        "cet",
        "wet",
        "cp-sharp",
        "ce-sharp",
        "wp-sharp",
        "we-sharp",
        "cp-centred",
        "ce-centred",
        "cp-anchored",
        "ce-anchored",
    ]
    baselines = ["uni", "prop", "sm", "ldp", "stretch", "threshold"]
    assert set(names("frequency")) == {
        f"hpf-{v}" for v in [*variants, "cp-hull", "ce-hull", "wp-hull", "we-hull"]
    } | set(baselines)
    assert set(names("mean")) == {f"hpm-{v}" for v in [*variants, "we-centred", "secret"]} | set(baselines)
    vectors = [v for v in variants if v not in ("a", "ct", "wt", "cet", "wet", "cp-anchored", "ce-anchored")]
    assert set(names("vector-mean")) == {f"hvm-{v}" for v in vectors}
