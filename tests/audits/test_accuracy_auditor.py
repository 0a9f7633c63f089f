"""The accuracy auditor refutes planted mistakes, passes honest mechanisms, and says what it lacks otherwise."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from hdp_audit.audits.accuracy import audit_accuracy
from hdp_audit.audits.foresight import foresee_accuracy
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.errors import InvalidInput
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.search.probing import probed_weights
from hdp_audit.targets.reference import Audited, entry
from hdp_audit.targets.subject import Subject
from mechanisms.broken import FAULTS
from tests.subjects import subject_of

SHARE = Share(calls=40_000, significance=1e-6, confidence=0.999, seed=3)
EPSILON = np.exp(np.random.default_rng(1).uniform(-2, 2, 50))
CELLS = [(s, m) for s in ("correlated", "weakly-correlated") for m in ("pac", "mse")]


def reference(name: str, epsilon: np.ndarray = EPSILON) -> Subject:
    k = 4 if entry(name).task == "frequency" else None
    task = "mean" if k is None else "frequency"
    return subject_of(Audited(name, epsilon, task=task, categories=k), epsilon, k, name)


def guilty(name: str) -> Subject:
    control = FAULTS[name]
    return subject_of(control, control.epsilon, control.categories, name)


def accused(name: str, metric: str, bound: str, setting: str = "correlated") -> Outcome:
    return audit_accuracy(guilty(name), AccuracyClaim(setting, metric, bound=bound), SHARE)


@pytest.mark.parametrize("metric", ["pac", "mse"])
@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("too-much-noise", "uni"),
        ("biased-weights", "hpm-a"),
        ("wrong-clip", "uni"),
        ("forgotten-category", "uni"),
        ("heavy-tails", "uni"),
    ],
)
def test_a_planted_mistake_of_accuracy_is_refuted(name: str, bound: str, metric: str) -> None:
    finding = accused(name, metric, bound).findings[0]
    assert finding.verdict == "fail"
    assert finding.lower.value > finding.claimed
    assert finding.id == f"{name}/accuracy/correlated/{metric}"


def test_the_worst_dataset_is_named() -> None:
    assert accused("wrong-clip", "pac", "uni").findings[0].witness["dataset"].startswith("everybody at")
    forgotten = accused("forgotten-category", "pac", "uni").findings[0]
    assert forgotten.witness["dataset"] == "everybody in the last category"
    biased = accused("biased-weights", "pac", "hpm-a").findings[0]
    assert "estimated weights" in biased.witness["dataset"]


@pytest.mark.many(3)
@pytest.mark.parametrize(("setting", "metric"), CELLS)
@pytest.mark.parametrize("name", ["hpm-cp", "hpm-we-centred", "hpf-wp-sharp", "hpf-cp-hull"])
def test_honest_mechanisms_pass_their_own_theorem_in_every_cell(name: str, setting: str, metric: str) -> None:
    """False alarm at most 1e-6 a cell by the plan; a tolerance of 1.3 is within the power of these calls."""
    finding = audit_accuracy(reference(name), AccuracyClaim(setting, metric, tolerance=1.3), SHARE).findings[0]
    assert finding.verdict == "pass"
    assert finding.witness["slack"] > 0.9
    exact = finding.witness["exact"]
    if exact is not None:
        assert finding.lower.value <= exact <= finding.upper.value


def test_inconclusive_names_the_calls_with_which_it_passes() -> None:
    claim = AccuracyClaim("correlated", "mse", tolerance=1.05)
    few = Share(2_000, 1e-4, 0.999, 5)
    finding = audit_accuracy(reference("hpm-cp-sharp"), claim, few).findings[0]
    assert finding.verdict == "inconclusive"
    needed = int(re.search(r"takes about ([\d,]+) calls", finding.message).group(1).replace(",", ""))
    enough = Share(int(1.5 * needed), 1e-4, 0.999, 5)
    assert audit_accuracy(reference("hpm-cp-sharp"), claim, enough).findings[0].verdict == "pass"


@pytest.mark.parametrize("metric", ["pac", "mse"])
def test_what_is_foreseen_from_a_few_calls_is_what_the_audit_finds(metric: str) -> None:
    """Away from the edge: with a quarter of the calls that are foreseen as enough, and with three times as many."""
    claim = AccuracyClaim("correlated", metric, tolerance=1.1)
    whole = foresee_accuracy(reference("hpm-cp-sharp"), claim, SHARE, None).calls
    for part, enough, verdict in ((0.25, False, "inconclusive"), (3.0, True, "pass")):
        share = replace(SHARE, calls=int(part * whole))
        assert foresee_accuracy(reference("hpm-cp-sharp"), claim, share, None).enough == enough
        assert audit_accuracy(reference("hpm-cp-sharp"), claim, share).findings[0].verdict == verdict


def test_a_claim_a_tenth_too_small_is_refuted() -> None:
    """hpm-cp-sharp attains its theorem up to clipping; 0.9 of the exact error must be seen as false."""
    subject = reference("hpm-cp-sharp")
    exact = audit_accuracy(subject, AccuracyClaim("correlated", "pac"), SHARE).findings[0].witness["exact"]
    claim = AccuracyClaim("correlated", "pac", bound=0.9 * exact)
    assert audit_accuracy(reference("hpm-cp-sharp"), claim, SHARE).findings[0].verdict == "fail"


def test_a_black_box_cannot_claim_the_explicit_bound() -> None:
    with pytest.raises(InvalidInput, match="give a number, or a catalog name"):
        accused("wrong-clip", "pac", "explicit")
    with pytest.raises(InvalidInput, match="no mechanism is called"):
        accused("wrong-clip", "pac", "no-such-name")
    with pytest.raises(InvalidInput, match="task"):
        accused("wrong-clip", "pac", "hpf-cp")


def test_a_bound_of_one_claims_nothing() -> None:
    finding = audit_accuracy(guilty("wrong-clip"), AccuracyClaim(bound=1.0), SHARE).findings[0]
    assert finding.verdict == "pass"
    assert "no error exceeds 1" in finding.message


def test_failures_count_as_the_largest_error() -> None:
    def crashing(data, epsilon, rng):
        if rng.random() < 0.2:
            raise ValueError("no")
        return float(np.mean(data))

    subject = subject_of(crashing, np.full(20, 1.0), None, "crashing")
    share = Share(4_000, 1e-6, 0.999, 1)
    finding = audit_accuracy(subject, AccuracyClaim(bound=0.5), share).findings[0]
    assert finding.verdict == "fail"
    assert finding.witness["measured"] == 1.0


def test_own_data_are_tried_and_only_their_name_is_told() -> None:
    """A mechanism that errs on one secret dataset alone: only the user's own data can show it."""
    secret = (np.random.default_rng(6).random(40) < 0.5).astype(np.float64)

    def fussy(data, epsilon, rng):
        return 0.0 if np.array_equal(data, secret) else float(np.mean(data))

    fussy.batch = lambda data, epsilon, rng, size: np.full(size, fussy(data, epsilon, rng))
    claim = AccuracyClaim(bound=0.1)
    blind = audit_accuracy(subject_of(fussy, np.full(40, 1.0), None, "fussy"), claim, SHARE)
    seeing = audit_accuracy(subject_of(fussy, np.full(40, 1.0), None, "fussy"), claim, SHARE, secret)
    assert blind.findings[0].verdict == "pass"
    assert seeing.findings[0].verdict == "fail"
    assert seeing.findings[0].witness["dataset"] == "your data"
    assert all(row["dataset"] != "your data" for row in seeing.details["bias"])
    with pytest.raises(InvalidInput, match="one datum for each"):
        audit_accuracy(subject_of(fussy, np.full(40, 1.0), None, "fussy"), claim, SHARE, secret[:5])


def test_a_black_box_is_permuted_row_by_row() -> None:
    control = guilty("too-much-noise")
    short = subject_of(control.mechanism, np.full(30, 1.0), None, "too-much-noise")
    claim = AccuracyClaim("weakly-correlated", "pac", bound="uni")
    finding = audit_accuracy(short, claim, Share(6_000, 1e-6, 0.999, 1)).findings[0]
    assert finding.verdict == "fail"
    assert finding.calls <= 6_200


def test_probing_finds_the_weights_of_a_black_box() -> None:
    """Group means of 20 groups over 40,000 draws, noise scale 0.004: each within 0.1/n, far beyond ten deviations."""
    known = reference("prop", np.repeat([0.5, 1.0, 2.0, 4.0], 25))
    weights = known.mechanism.known.weights
    found = probed_weights(known, 40_000, seed=2)
    assert np.abs(found - weights).max() < 0.1 / weights.size


def test_an_audit_is_replayed_by_its_seed() -> None:
    claim = AccuracyClaim("weakly-correlated", "mse", tolerance=1.5)
    first, again = (audit_accuracy(reference("hpf-cp"), claim, SHARE).findings[0] for _ in range(2))
    assert first == again


def test_details_are_small_plain_tables() -> None:
    details = audit_accuracy(reference("hpf-cp"), AccuracyClaim(tolerance=1.5), SHARE).details
    assert set(details) == {"accuracy", "bias", "influence", "free_privacy"}
    assert all(len(rows) <= 32 for rows in details.values())
    free = details["free_privacy"]
    assert sum(row["users"] for row in free) == EPSILON.size
    assert all(0 <= row["free"] <= 1 and row["loss_largest"] <= row["demand_high"] for row in free)
    assert free[-1]["free"] > 0.3  # far above the level much of the demand is free
    assert sum(row["bias"] for row in details["influence"]) > 0
    assert sum(row["unclipped"] for row in details["bias"]) == pytest.approx(0, abs=1e-9)
