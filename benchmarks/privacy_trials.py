"""One row of the operating characteristics at a time: what is audited, how often, and what is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from best_test import best_power
from numpy.typing import NDArray
from subjects import audited_fault

from hdp_audit.api import audit
from hdp_audit.audits.case import Case
from hdp_audit.audits.fixed import measure
from hdp_audit.audits.tier import TierCheck
from hdp_audit.audits.users import UsersCheck
from hdp_audit.engine import plan, run_check
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from hdp_audit.targets.reference import Audited
from mechanisms import names
from mechanisms.broken import FAINT, FAULTS

Floats = NDArray[np.float64]
SMALL = np.repeat([0.0, 0.05, 0.5, 2.0, np.inf], [3, 40, 100, 40, 2])
CATEGORIES = 3
CONFIDENCES = (0.95, 0.99)
ALL_FAULTS = {**FAULTS, **FAINT}


class Honest:
    """A reference mechanism, with an honest change of its outputs."""

    def __init__(self, mechanism: Audited, change: Callable[[Floats], Floats], name: str) -> None:
        self.mechanism, self.change, self.name = mechanism, change, name

    def __call__(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: Any, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        return self.change(self.mechanism.batch(data, epsilon, rng, size))

    def many(self, datasets: Any, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return self.change(self.mechanism.many(datasets, epsilon, rng))


class Scaled:
    """Σ ε_i x_i/Σε plus Laplace noise of `factor` times the honest scale; one user may weigh more."""

    name = "scaled"

    def __init__(self, factor: float = 1.0, user: int = -1, weight: float = 1.0) -> None:
        self.factor, self.user, self.weight = factor, user, weight

    def _weights(self, epsilon: Floats) -> Floats:
        weights = epsilon / epsilon.sum()
        if self.user >= 0:
            weights[self.user] *= self.weight
        return weights

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        return np.clip(data @ self._weights(epsilon) + rng.laplace(0.0, self.factor / epsilon.sum(), size), 0.0, 1.0)

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        noise = rng.laplace(0.0, self.factor / epsilon.sum(), len(datasets))
        return np.clip(datasets @ self._weights(epsilon) + noise, 0.0, 1.0)


@dataclass(frozen=True)
class Correct:
    """A reference mechanism, or an honest variant of one."""

    name: str
    categories: int | None
    change: Callable[[Floats], Floats] | None = None
    spent: float = 1.0  # of the demands; the rest is noise that nobody asked for

    def mechanism(self, label: str) -> Any:
        task = "mean" if self.categories is None else "frequency"
        known = Audited(self.name, self.spent * SMALL, task=task, categories=self.categories)
        return known if self.change is None else Honest(known, self.change, label)


def correct_mechanisms() -> dict[str, Correct]:
    found = {
        f"{name} ({task})": Correct(name, categories)
        for task, categories in (("mean", None), ("frequency", CATEGORIES))
        for name in names(task)
    }
    found["hpm-cp, squared"] = Correct("hpm-cp", None, np.square)
    found["hpm-cp, rounded to a tenth"] = Correct("hpm-cp", None, partial(np.round, decimals=1))
    found["hpm-cp, a quarter more noise"] = Correct("hpm-cp", None, np.asarray, 0.8)
    found["hpf-cp, divided by the sum"] = Correct("hpf-cp", CATEGORIES, _normalised)
    found["hpf-cp, a quarter more noise"] = Correct("hpf-cp", CATEGORIES, np.asarray, 0.8)
    return found


def _normalised(table: Floats) -> Floats:
    return table / np.maximum(table.sum(axis=1, keepdims=True), 1e-9)


def one_correct(label: str, seeds: range) -> dict[str, Any]:
    """Audited at 0.95 and at 0.99, each seed at both.

    Every mechanism has seeds of its own, so that the counts of several may be added up.
    """
    correct = correct_mechanisms()[label]
    task, categories = "mean" if correct.categories is None else "frequency", correct.categories
    mechanism = correct.mechanism(label)
    claim = PrivacyClaim(floating_point="off" if correct.change is not None else "fail")
    own = 10_000 * list(correct_mechanisms()).index(label)

    def flagged(confidence: float, seed: int) -> bool:
        given = {"task": task, "categories": categories, "confidence": confidence, "seed": own + seed, "privacy": claim}
        return audit(mechanism, epsilon=SMALL, budget=20_000, **given).verdict in ("fail", "error")

    alarms = dict.fromkeys(CONFIDENCES, 0)
    for seed in seeds:
        for confidence in CONFIDENCES:
            alarms[confidence] += flagged(confidence, seed)
    return {"name": label, "seeds": len(seeds)} | {f"alarms_at_{level}": count for level, count in alarms.items()}


def one_fault(name: str, seeds: range, budgets: tuple[int, ...] = (30_000, 300_000)) -> dict[str, Any]:
    """Tried at the first budget, and at the next where that was not enough."""
    fault = ALL_FAULTS[name]
    exact = fault.loss(fault.epsilon)
    refuted, first, wrongly = dict.fromkeys(budgets, 0), [], 0
    for seed in seeds:
        for budget in budgets:
            report = audited_fault(fault, budget, seed)
            failing = [f for f in report.findings if f.verdict == "fail"]
            wrongly += any(f.scope == "user" and exact[f.users[0]] <= fault.epsilon[f.users[0]] for f in failing)
            if report.verdict in ("fail", "error"):
                refuted[budget] += 1
                first.append(min((until_refuted(f) for f in failing), default=0))
                break
    row = {"name": name, "breaks": sorted(fault.breaks), "seeds": len(seeds)}
    row |= {f"refuted_at_{budget}": sum(refuted[b] for b in budgets if b <= budget) for budget in budgets}
    return row | {"median_calls_of_first_refutation": int(np.median(first or [0])), "users_named_wrongly": wrongly}


def one_tier(demand: float, seeds: range, budget: int = 300_000) -> dict[str, Any]:
    """A fifth less noise on the standard `tiers`: a demand's group, and when one of them alone would be named."""
    reports = [audited_fault(ALL_FAULTS["fifth-less-noise"], budget, seed) for seed in seeds]
    found = [f for report in reports for f in report.findings if f.scope == "tier" and f.claimed == demand]
    figures = [report.subjects[0].figures for report in reports]
    alone = [float(f.detectable_loss_alone[f.demand == demand].min()) / demand for f in figures if f is not None]
    return {
        "epsilon": demand,
        "budget": budget,
        "seeds": len(seeds),
        "refuted_by_groups": sum(finding.verdict == "fail" for finding in found),
        "alone_named_from_times": round(float(np.median(alone)), 1),
    }


def one_other_fault(name: str, seeds: range, budget: int = 300_000) -> dict[str, Any]:
    """A mistake that breaks no privacy."""
    findings = [finding for seed in seeds for finding in audited_fault(ALL_FAULTS[name], budget, seed).findings]
    flagged = sum(finding.kind == "privacy" and finding.verdict == "fail" for finding in findings)
    return {"name": name, "breaks": sorted(FAULTS[name].breaks), "seeds": len(seeds), "flagged": flagged}


def one_faint(name: str, seeds: range, budgets: tuple[int, ...] = (300_000, 3_000_000)) -> dict[str, Any]:
    """Beside what the best test there is would do with all calls on the worst pair and both laws known."""
    best = {f"best_test_at_{calls}": round(best_power(calls), 3) for calls in budgets}
    return one_fault(name, seeds, budgets) | best


def until_refuted(finding: Any) -> int:
    """Calls of the game that refuted the claim; its confirmation and measurement come on top."""
    return int(finding.witness["wealth"][-1][0]) if "wealth" in finding.witness else finding.calls


def one_half(epsilon: float, seeds: range, budget: int = 20_000) -> dict[str, Any]:
    """Half of the noise that one demand for all asks for."""
    demands = np.full(200, epsilon)
    claim = PrivacyClaim(floating_point="off")
    reports = [
        audit(Scaled(0.5), epsilon=demands, task="mean", budget=budget, seed=seed, privacy=claim) for seed in seeds
    ]
    return {
        "epsilon": epsilon,
        "budget": budget,
        "seeds": len(seeds),
        "refuted": sum(report.verdict == "fail" for report in reports),
    }


def one_single(setting: tuple[float, float, int], seeds: range) -> dict[str, Any]:
    epsilon, weight, budget = setting
    demands, faulty = np.full(10_000, epsilon), 4321
    hits = wrong = 0
    for seed in seeds:
        case = Case.of(
            "scaled",
            partial(Scaled, 1.0, faulty, weight),
            PrivacyDemands.from_values(demands),
            Mean(),
            privacy=PrivacyClaim(floating_point="off"),
        )
        checks = plan([case], confidence=0.999, budget=budget, seed=seed)
        findings = run_check(next(check for check in checks if isinstance(check, UsersCheck))).findings
        named = [finding.users for finding in findings if finding.verdict == "fail"]
        hits += (faulty,) in named
        wrong += any(users != (faulty,) for users in named)
    return {"epsilon": epsilon, "weight": weight, "budget": budget, "seeds": len(seeds), "named": hits, "wrong": wrong}


def one_detectable(epsilon: float, seeds: range, budget: int = 40_000) -> dict[str, Any]:
    demands = PrivacyDemands.from_values(np.full(200, epsilon))

    def tier(factor: float, seed: int) -> Any:
        case = Case.of("scaled", partial(Scaled, factor), demands, Mean(), privacy=PrivacyClaim(floating_point="off"))
        checks = plan([case], confidence=0.999, budget=budget, seed=seed)
        return run_check(next(check for check in checks if isinstance(check, TierCheck))).findings[0]

    stated = tier(1.0, 10_000).detectable
    refuted = sum(tier(epsilon / stated, seed).verdict == "fail" for seed in seeds)
    return {
        "epsilon": epsilon,
        "detectable": round(stated, 5),
        "budget": budget,
        "seeds": len(seeds),
        "refuted": refuted,
    }


def one_coverage(epsilon: float, seeds: range, calls: int = 4_000) -> dict[str, Any]:
    """The fixed-sample bound at 0.95 and the tier's own wealth bound at 0.999, against the exact loss."""
    above = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, int(1000 * epsilon)])

        def draw(size: int, rng: np.random.Generator = rng) -> tuple[Floats, Any]:
            coins = rng.random(size) < 0.5
            return (coins + rng.laplace(0.0, 1.0 / epsilon, size))[:, None], coins

        above += measure(draw, calls, 0.05).lower > epsilon
    return {"epsilon": epsilon, "calls": calls, "audits": len(seeds), "above_the_truth": above, "stated": 0.05}
