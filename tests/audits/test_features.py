"""Opaque outputs: what a function of the output alone says of them is looked at beside their own parts."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import numpy as np
import pytest

from hdp_audit import AuditReport, audit
from hdp_audit.audits.case import Case
from hdp_audit.config import Spec, read_spec
from hdp_audit.config.case import case_of, sources_of
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.named_tasks import named_task
from hdp_audit.targets.parts import taken_apart
from hdp_audit.targets.places import Layout

WORDS = range(4)


def hashed(seed: int, word: int) -> int:
    """One bit."""
    return hashlib.blake2b(b"%d of %d" % (word, seed), digest_size=1).digest()[0] & 1


def client(loss: float):
    """A user's seed and one noisy bit; it loses so much."""

    def report(data, epsilon, rng):
        seed = int(rng.integers(2**32))
        bit = hashed(seed, int(data[0]))
        return seed, int(bit if rng.random() < 1.0 / (1.0 + math.exp(-loss)) else 1 - bit)

    return report


def shown(output) -> list[bool]:
    """Which words an honest client would have answered so."""
    return [output[1] == hashed(output[0], word) for word in WORDS]


def pairs():
    yield [0], [1], [0]


def audited(mechanism, **more) -> AuditReport:
    return audit(mechanism, epsilon=[1.0], task="custom", pairs=pairs, budget=2_000, **more)


def verdicts(report: AuditReport) -> set[str]:
    return {finding.verdict for finding in report.findings if finding.kind == "privacy"}


def test_a_leak_behind_a_hash_is_seen_through_features_alone() -> None:
    """The seed and the bit are each uniform on either dataset; the loss of 3 is all in what the seed means."""
    opaque, clear = client(3.0), client(3.0)
    clear.features = shown
    assert "fail" not in verdicts(audited(opaque))
    report = audited(clear)
    assert verdicts(report) == {"fail"}
    assert "feature" in next(f for f in report.findings if f.kind == "privacy").witness["event"]


def test_a_client_that_keeps_its_promise_is_not_accused_for_its_features() -> None:
    """Exactly tight, at confidence 1 - 1e-6."""
    honest = client(1.0)
    honest.features = shown
    assert audited(honest, confidence=1.0 - 1e-6).verdict != "fail"


def test_nothing_of_the_output_is_hidden_by_features() -> None:
    def tells(data, epsilon, rng):
        return [int(data[0])] * int(rng.integers(1, 4))  # of varying length

    tells.features = len
    assert verdicts(audited(tells)) == {"fail"}


def test_columns_of_features_have_names_of_their_own() -> None:
    outputs, features = [taken_apart((7, 1))] * 2, [taken_apart([True, False])] * 2
    both = Layout.of(outputs).beside(Layout.of(features, "feature"))
    assert both.columns[:2] == ("output 0", "output 1")
    assert both.columns[4:] == ("feature 0", "feature 1", "the number of features", "the form of features")


@pytest.mark.parametrize(
    ("features", "told"),
    [(lambda _output: None, "nothing from features"), (lambda output: output["word"], "TypeError")],
)
def test_features_that_fail_are_failed_calls(features, told: str) -> None:
    faulty = client(1.0)
    faulty.features = features
    report = audited(faulty)
    assert report.verdict == "error"
    assert any(told in finding.message for finding in report.findings)


def test_a_number_called_features_is_something_else() -> None:
    class Model:
        features = 12

        def __call__(self, data, epsilon, rng) -> int:
            return int(rng.integers(2))

    assert audited(Model(), inert="allow").verdict != "error"


def test_a_session_takes_features_from_its_analyst() -> None:
    class Service:
        def __init__(self, data, epsilon, rng) -> None:
            self.ask = lambda: client(3.0)(data, epsilon, rng)

    def analyst(service) -> object:
        return service.ask()

    analyst.features = shown
    assert verdicts(audited(Service, session=analyst)) == {"fail"}


SPEC = """
[mechanism]
target = "tests.audits.test_features:shown"
task = "{task}"
features = "tests.audits.test_features:{features}"
{more}

[demands]
values = [1]

[privacy]
"""
PAIRS = 'pairs = "tests.audits.test_features:pairs"'


def spec_of(folder: Path, **given: str) -> Spec:
    file = folder / "hdp-audit.toml"
    file.write_text(SPEC.format(**given))
    return read_spec(file)


def test_a_spec_names_features(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, task="custom", features="shown", more=PAIRS)
    opened = case_of(spec).features
    assert opened is not None
    assert opened()((7, 1)) == shown((7, 1))
    assert spec.mechanism.features in sources_of(spec).targets  # a run that is resumed notices that it changed


def test_a_spec_refuses_features_that_cannot_be_called_and_those_of_numbers(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, task="custom", features="WORDS", more=PAIRS)
    with pytest.raises(InvalidInput, match="cannot be called"):
        case_of(spec).subject()
    with pytest.raises(HdpAuditError, match='only outputs of task = "custom"'):
        spec_of(tmp_path, task="mean", features="shown", more="")


def test_features_of_numbers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="features of a mean task"):
        Case.of(
            "mean",
            lambda: np.mean,
            PrivacyDemands.from_values([1.0]),
            named_task("mean", None, None),
            privacy=PrivacyClaim(),
            features=lambda: shown,
        )
