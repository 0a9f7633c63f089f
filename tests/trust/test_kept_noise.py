"""Noise that is kept: an error, no accusation, and not confused with outputs that seldom vary or a fixed seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.audits.case import Case
from hdp_audit.engine import plan, run_check
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.task import Mean
from mechanisms.broken import FAULTS
from tests.cli.specs import QUICK, TARGET, document, invoke
from tests.trust.released import EPSILON, FORMULA, Rng, audited, behaviour, single, verdicts

KEPT = "the same data always give the same output"


def lazily(kept: dict[bytes, float], data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    if data.tobytes() not in kept:
        kept[data.tobytes()] = single(data, epsilon, rng)
    return kept[data.tobytes()]


def eagerly(kept: dict[bytes, float], data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return kept.setdefault(data.tobytes(), single(data, epsilon, rng))


def by_itself(kept: dict[bytes, float], data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return kept.setdefault(data.tobytes(), single(data, epsilon, np.random.default_rng()))


def once_for_all(kept: dict[bytes, float], data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    if not kept:
        kept[b""] = float(rng.laplace())
    return float(epsilon @ data + kept[b""])


@pytest.mark.parametrize("how", [lazily, eagerly, by_itself, once_for_all])
def test_noise_that_is_kept_is_an_error_and_no_accusation(how: Callable[..., float]) -> None:
    kept: dict[bytes, float] = {}
    report = audited(lambda data, epsilon, rng: how(kept, data, epsilon, rng))
    assert behaviour(report)["memoised"].message.startswith(KEPT)
    assert (report.verdict, verdicts(report)) == ("error", {"inconclusive"})
    assert all(KEPT in finding.message for finding in report.findings)


def checked(mechanism: Callable[..., Any], seed: int) -> set[str]:
    """What the behaviour check alone finds."""
    case = Case.of("tried", lambda: mechanism, PrivacyDemands.from_values(EPSILON), Mean(), privacy=FORMULA)
    found = run_check(plan([case], confidence=0.999, budget=2000, seed=seed)[0]).findings
    return {finding.id.partition("/behaviour/")[2] for finding in found}


def seldom(share: float) -> Callable[..., float]:
    """With probability `share` randomised response of somebody, at their own demand; else 0."""

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        if rng.random() >= share:
            return 0.0
        user = int(rng.integers(data.size))
        kept = rng.random() < 1 / (1 + np.exp(-epsilon[user]))
        return 100.0 + 2 * user + float((data[user] >= 0.5) == kept)

    return release


@pytest.mark.parametrize(("share", "seed"), [(0.02, 3), (0.02, 5), (0.01, 5), (0.01, 19), (0.005, 26), (0.005, 44)])
def test_an_output_that_seldom_varies_is_not_called_kept_noise(share: float, seed: int) -> None:
    """False-alarm probability below 10⁻³⁰: some output other than 0 would have to come 20 times in a row."""
    assert "memoised" not in checked(seldom(share), seed)


@pytest.mark.parametrize("seed", range(4))
def test_a_generator_that_is_kept_is_not_kept_noise(seed: int) -> None:
    """It draws from its first generator for good. False-alarm probability 0.99⁴⁰⁰⁰ < 10⁻¹⁷."""
    release, first = seldom(0.01), []

    def keeps(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        first.append(rng)
        return release(data, epsilon, first[0])

    assert "memoised" not in checked(keeps, seed)


FREQUENCIES = """
import numpy as np
kept = {}
def keeps(data, epsilon, rng):
    return kept.setdefault(data.tobytes(), np.bincount(data, minlength=3) + np.random.default_rng().laplace(size=3))
"""


def test_kept_noise_is_told_from_a_fixed_seed_by_opening_the_mechanism_anew(tmp_path: Path) -> None:
    text = TARGET.format(name="keeps").replace('task = "mean"', 'task = "frequency"\ncategories = 3')
    (tmp_path / "hdp-audit.toml").write_text(text)
    (tmp_path / "release.py").write_text(FREQUENCIES)
    assert invoke("run", tmp_path / "hdp-audit.toml", "--out", tmp_path / "out", *QUICK).exit_code == 2
    errors = [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]
    assert [error["id"] for error in errors] == ["keeps/behaviour/memoised"]


@pytest.mark.parametrize("name", ["no-noise", "fixed-seed"])
def test_no_noise_and_a_fixed_seed_stay_refuted(name: str) -> None:
    control = FAULTS[name]
    report = audited(control, epsilon=control.epsilon, task=control.task)
    assert report.verdict == "fail"
    assert not behaviour(report)
