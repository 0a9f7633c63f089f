"""A mechanism that no user's datum moves is not passed; one that uses its data, however little, is not held up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.audits.behaviour.moving import Contrast, least_loss_seen, modest_loss, moves
from hdp_audit.audits.case import Case
from hdp_audit.engine import plan, run_check
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, Finding, PrivacyClaim, PrivacyDemands
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.reference import Audited, standard_demands
from tests.cli.specs import QUICK, TARGET, document, invoke
from tests.subjects import subject_of

FORMULA = PrivacyClaim(floating_point="off", detect=5.0)
Rng = np.random.Generator


def audited(mechanism: Callable[..., Any], **options: Any) -> AuditReport:
    return audit(mechanism, **{"epsilon": [0.5] * 10, "task": "mean", "budget": 4000, "privacy": FORMULA, **options})


def inert(report: AuditReport) -> list[Finding]:
    return [finding for finding in report.findings if finding.id.endswith("/behaviour/inert")]


def dollars(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    """For salaries up to 100,000, with a tenth of the noise that they need."""
    return float(np.clip(data, 0, 1e5).mean() + rng.laplace(scale=1e5 / epsilon.sum() / 10))


def blind(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return float(rng.laplace())


def constant(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return 0.5


@pytest.mark.parametrize("mechanism", [dollars, blind, constant])
def test_a_mechanism_that_no_datum_moves_is_inconclusive_and_says_what_was_tried(mechanism: Callable[..., Any]) -> None:
    report = audited(mechanism)
    (finding,) = inert(report)
    assert (finding.verdict, report.verdict) == ("inconclusive", "inconclusive")
    for words in (
        "everybody at 0",
        "everybody at 1",
        f"{finding.calls} calls",
        'inert = "allow"',
        "scale the data",
        "[domain] range",
    ):
        assert words in finding.message
    assert 1000 <= finding.calls <= 2000
    allowed = audited(mechanism, inert="allow")
    assert allowed.verdict == "pass"


def test_a_blind_histogram_and_a_blind_custom_task_are_inert() -> None:
    def histogram(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> np.ndarray:
        return rng.laplace(size=4)

    report = audited(histogram, task="frequency", categories=4, epsilon=[0.5] * 40)
    assert "everybody in the last category" in inert(report)[0].message
    pairs = [([0], [1], [0]), ([0], [2], [0])]
    (finding,) = inert(audited(blind, task="custom", epsilon=[1.0], pairs=pairs))
    assert "both datasets of pair 0, both datasets of pair 1" in finding.message


def test_the_spec_accepts_an_inert_mechanism_by_a_key(tmp_path: Path) -> None:
    (tmp_path / "release.py").write_text("def blind(data, epsilon, rng):\n    return float(rng.laplace())\n")
    spec = tmp_path / "hdp-audit.toml"
    for key, code in (("", 3), ('inert = "report"', 3), ('inert = "allow"', 0), ('inert = "deny"', 2)):
        spec.write_text(TARGET.format(name="blind").replace('task = "mean"', f'task = "mean"\n{key}'))
        done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
        assert done.exit_code == code, done.output
    assert not [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]
    with pytest.raises(InvalidInput, match="report, allow"):
        audited(blind, inert="deny")


@pytest.mark.parametrize("epsilon", [[0.0] * 10, [np.inf] * 10, [0.01] * 3, [0.0, 0.0, np.inf]])
def test_where_nothing_could_be_seen_to_move_nothing_is_said(epsilon: list[float]) -> None:
    assert not inert(audited(blind, epsilon=epsilon))


@pytest.mark.parametrize(("task", "categories", "demands"), [("mean", None, "tiers"), ("frequency", 5, "two-point")])
def test_reference_mechanisms_have_no_finding_of_behaviour(task: Any, categories: int | None, demands: str) -> None:
    """Significance 5·10⁻⁵ each by the plan, far less as measured; the seed is fixed."""
    for name in ("uni", "prop", "sm", "ldp", "threshold"):
        assert not of_behaviour(name, standard_demands(demands).values, 8_000, task, categories)


def of_behaviour(
    name: str, epsilon: np.ndarray, budget: int, task: Any = "mean", categories: int | None = None
) -> tuple[Finding, ...]:
    """What the first check of an audit of a reference mechanism finds; the others say nothing of behaviour."""
    opened = partial(Audited, name, epsilon, task=task, categories=categories)
    claims = {"demands": PrivacyDemands.from_values(epsilon), "task": named_task(task, categories)}
    case = Case.of(name=name, opened=opened, privacy=FORMULA, **claims)
    return run_check(plan([case], confidence=0.999, budget=budget, seed=1)[0]).findings


@pytest.mark.many(3)
@pytest.mark.parametrize("epsilon", [[0.1], [1.0], [0.1, 1.0], [0.3] * 3])
@pytest.mark.parametrize("name", ["uni", "prop", "ldp"])
def test_a_private_mechanism_for_few_users_is_not_inert(name: str, epsilon: list[float]) -> None:
    """One in ten may be held up where a modest loss is just least_loss_seen; the seed is fixed."""
    assert not of_behaviour(name, np.array(epsilon), 2000)


def ends() -> Contrast:
    datasets = tuple(Dataset(data, PureDP([1.0])) for data in (np.zeros(1), np.ones(1)))
    return Contrast(("first", "second"), datasets, np.arange(1))


def test_a_noticeable_loss_is_noticed() -> None:
    """24 runs that each notice it with probability 0.9 at least: fewer than 14 do with probability below 10⁻⁶."""
    contrast = ends()
    for width, shared in ((None, 1.0), (4, 0.5)):
        subject = subject_of(blind, np.ones(1), width, "laplace")
        loss = least_loss_seen(subject, contrast, 500) * shared
        subject = subject_of(_laplace(loss, subject.width), np.ones(1), width, "laplace")
        assert sum(moves(subject, contrast, 500, seed) for seed in range(24)) >= 14


def _laplace(loss: float, width: int) -> Callable[..., Any]:
    """Two outputs are moved by `loss` times the scale of their noise, or the only one."""
    shift = np.where(np.arange(width) < 2, loss, 0.0)

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> np.ndarray:
        return data[0] * shift + rng.laplace(size=width)

    def batch(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        return data[0] * shift + rng.laplace(size=(size, width))

    release.batch = batch  # type: ignore[attr-defined]
    return release


def test_an_output_that_does_not_move_is_not_called_moved() -> None:
    """40 runs at error 10⁻³: more than 4 have probability below 10⁻⁶."""
    contrast = ends()
    subject = subject_of(_laplace(0.0, 1), np.ones(1), None, "still")
    assert sum(moves(subject, contrast, 400, seed) for seed in range(40)) <= 4


def test_a_modest_loss_is_that_of_little_spending() -> None:
    assert modest_loss(np.array([0.0, np.inf])) == 0.0
    assert modest_loss(np.array([0.1, 1.0])) == pytest.approx(0.2)
    assert modest_loss(np.full(100, 0.1)) == pytest.approx(1.0)
