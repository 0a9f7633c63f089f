"""Reports made by hand: every kind and verdict, hostile names, many users, many mechanisms."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np

from hdp_audit.model import AuditReport, DemandSummary, Finding, SubjectSummary
from hdp_audit.model.bound import Bound
from hdp_audit.model.counterexample import Counterexample, Guesses
from hdp_audit.model.identity import Identity
from hdp_audit.model.promise import PureLimit
from hdp_audit.model.subject import UserFigures
from hdp_audit.model.telling import TierSummary, guessed_right, true_positives
from hdp_audit.model.waiver import Waiver

TODAY = dt.date(2026, 6, 1)
HOSTILE = "<script>alert(1)</script>"
CONTROLS = "told \x1b[31mred\x1b[0m \x00 \x07 \x9b1m \u202e and \ud800"
CONFIDENCE = 0.999
SCOPES = {"tier": "tier", "user": "user", "pair": "pair", "state": "calls"}


def finding(name: str, what: str, verdict: str, message: str, evidence: str = "tested", **more: Any) -> Finding:
    kind, _, about = what.partition("/")
    scope = SCOPES.get(about.partition("/")[0], "mechanism") if kind == "privacy" else "mechanism"
    given: dict[str, Any] = {"evidence": evidence, "scope": scope, **more}
    return Finding.about(name, kind, about, verdict, message, **given)  # type: ignore[arg-type]


def tier(subject: str, demand: float, verdict: str = "pass", **more: Any) -> Finding:
    lost = {"fail": 2.1}.get(verdict, 0.4) * demand
    values: dict[str, Any] = {
        "users": tuple(range(100)),
        "claimed": demand,
        "lower": Bound.lower(lost, "game/wealth", CONFIDENCE),
        "detectable": 1.4 * demand,
        "calls": 20_000,
        "message": f"ε = {demand:g}: {verdict}",
        "counterexample": counterexample(demand) if verdict == "fail" else None,
        "facts": grown() if verdict == "fail" else {"rarest_refutable": 1 / 431.5},
    }
    return Finding(
        id=f"{subject}/privacy/tier/{demand:g}",
        label=f"privacy/tier/{demand:g}",
        scope="tier",
        subject=subject,
        kind="privacy",
        verdict=verdict,  # type: ignore[arg-type]
        evidence="tested",
        **{**values, **more},
    )


def counterexample(demand: float, users: tuple[int, ...] = tuple(range(100))) -> Counterexample:
    """The moved users are the tier's own unless others are given."""
    return Counterexample(
        base="all 0",
        users=users,
        claimed=demand * len(users),
        first="everybody has 0",
        second="users 0 to 99 have 1, everybody else has 0",
        event="the output is at least 0.1312",
        guesses=Guesses(12_345, 16_000),
        allowed=0.6225,
        confirmation=Guesses(2_345, 3_000),
        confirmed=True,
        measurement=Guesses(4_321, 6_000),
    )


def grown() -> dict[str, Any]:
    """How the evidence grew over the calls."""
    points = [[500 * step, 0.012 * step * (1 + 0.1 * np.sin(step))] for step in range(1, 41)]
    return {"wealth": points, "limit": 0.4, "rarest_refutable": 1.0}


def accuracy(subject: str, verdict: str = "pass", cell: str = "correlated/pac") -> Finding:
    shift = 1.6 if verdict == "fail" else 0.9
    return Finding(
        id=f"{subject}/accuracy/{cell}",
        label=f"accuracy/{cell}",
        metric=cell.rpartition("/")[2],  # type: ignore[arg-type]
        subject=subject,
        kind="accuracy",
        verdict=verdict,  # type: ignore[arg-type]
        evidence="tested",
        message=f"the 95% quantile of the error is {0.05 * shift:.3g} where 0.05 is claimed",
        claimed=0.05,
        lower=Bound.lower(0.047 * shift, "order statistics", CONFIDENCE),
        upper=Bound.upper(0.053 * shift, "order statistics", CONFIDENCE),
        detectable=0.0525,
        calls=40_000,
        facts={
            "dataset": "users with small demands have 1",
            "measured": 0.05 * shift,
            "bound": 0.05,
            "slack": 1 / shift,
            "exact": 0.05 * shift,
            "lower_bound": 0.021,
            "trials": 40_000,
        },
    )


def figures(demand: np.ndarray[Any, np.dtype[np.float64]], known: bool = True) -> UserFigures:
    finite = np.where(np.isfinite(demand), demand, np.nan)
    exact = np.minimum(finite, np.nanmedian(finite)) if known else np.full(demand.size, np.nan)
    rng = np.random.default_rng(7)
    error = 0.3 * finite + 0.01
    return UserFigures(
        demand,
        exact,
        np.minimum(finite, np.nanmedian(finite)) + error * rng.normal(size=demand.size),
        error,
        2.5 * finite + 0.05,
        np.where(np.isnan(finite), np.nan, 1.0),
    )


def demands(users: int = 1000) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A tenth careful, most of them relaxed; five each are never used and public."""
    tenth = users // 10
    return np.array([0.02] * tenth + [0.5] * (users - 2 * tenth - 10) + [2.0] * tenth + [0.0] * 5 + [np.inf] * 5)


def spread(users: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.exp(np.random.default_rng(1).uniform(-5, 5, users))


def subject(
    name: str, epsilon: np.ndarray[Any, np.dtype[np.float64]], details: dict[str, Any] | None = None
) -> SubjectSummary:
    known = (name, "mean", "python", DemandSummary.of(epsilon), None, figures(epsilon), details or {})
    looked_at = ("behaviour", "tiers", "users", "bits", "accuracy", "optimality")
    return SubjectSummary(*known, tiers=tiers_of(epsilon), looked_at=looked_at)  # type: ignore[arg-type]


def tiers_of(epsilon: np.ndarray[Any, np.dtype[np.float64]], most: int = 32) -> tuple[TierSummary, ...]:
    """One for each of the first demands."""
    found = []
    for demand in np.unique(epsilon)[:most].tolist():
        limit, users = PureLimit(demand), int((epsilon == demand).sum())
        what = "public" if np.isinf(demand) else f"tier/{demand:g}"
        names = {0.02: ("careful",), 2.0: ("relaxed",)}.get(demand, ())
        shares = (1.0, 1.0) if np.isinf(demand) else (guessed_right(limit), true_positives(limit))
        found.append(TierSummary(f"privacy/{what}", users, demand, demand, *shares, names=names))
    return tuple(found)


def every_kind(name: str = "acme/release.py:private_mean") -> AuditReport:
    """One mechanism with a finding of every kind and verdict, waived ones too."""
    return AuditReport(
        (replace(subject(name, demands(), DETAILS), file="acme/release.py"),),
        (
            tier(name, 0.02),
            tier(name, 0.5, "fail", message="100 users who demand ε = 0.5 each lose at least 1.05 on average"),
            tier(name, 2.0, "inconclusive", detectable=5.3, message="ε = 2: needs more calls"),
            _user(name, 17),
            finding(name, "privacy/public", "pass", "5 users are public", evidence="proved", claimed=float("inf")),
            _float(name),
            accuracy(name),
            accuracy(name, "fail", "weakly-correlated/pac"),
            _optimality(name),
            finding(name, "behaviour/call/2", "error", "the mechanism raised: ValueError: negative scale"),
            finding(name, "proof/weights", "pass", "the loss is min(ε, ρ)", "proved", upper=Bound.upper(0.5, "sympy")),
        ),
        CONFIDENCE,
        1,
        1_234_567,
        42.5,
        ENVIRONMENT,
        OWNER,
    )


def passing(name: str = "hpm-cp") -> AuditReport:
    found = (tier(name, 0.02), tier(name, 0.5), tier(name, 2.0), accuracy(name))
    return AuditReport((subject(name, demands()),), found, CONFIDENCE, 1, 80_000, 3.2, ENVIRONMENT)


def hostile() -> AuditReport:
    """Names, messages and witnesses that try to be markup, code or terminal commands."""
    bad = tier(HOSTILE, 0.5, "fail", message=f"{CONTROLS} {HOSTILE} | `x` ]]> &amp; [red]\nsecond line")
    words = {"event": HOSTILE, "first": CONTROLS, "base": '"><img src=x onerror=alert(1)>'}
    bad = replace(bad, counterexample=replace(counterexample(0.5), **words), facts={HOSTILE: HOSTILE})
    odd = Finding.about(HOSTILE, "behaviour", CONTROLS, "error", CONTROLS)
    details = {HOSTILE: HOSTILE, "free_privacy": [{HOSTILE: CONTROLS, "users": 3}], "deep": {"a": {"b": HOSTILE}}}
    environment = {"spec": "</pre><script>", HOSTILE: [HOSTILE, float("nan")]}
    return AuditReport((subject(HOSTILE, demands(), details),), (bad, odd), CONFIDENCE, 1, 9, 0.1, environment)


def many_mechanisms(count: int = 100, users: int = 100_000, named: int = 50) -> AuditReport:
    """A hundred mechanisms, each with 32 tiers and many named users, over the same hundred thousand demands."""
    epsilon = spread(users)
    shared = figures(epsilon)
    summary = DemandSummary.of(epsilon)
    found: list[Finding] = []
    subjects = []
    for number in range(count):
        name = f"mechanism-{number:03}"
        subjects.append(SubjectSummary(name, "mean", "python", summary, None, shared, DETAILS))
        for place, demand in enumerate(np.exp(np.linspace(-5, 5, 32))):
            found.append(tier(name, float(demand), "fail" if number % 3 == 0 and place % 5 == 0 else "pass"))
        found += [_user(name, user) for user in range(named if number % 3 == 0 else 0)]
    return AuditReport(tuple(subjects), tuple(found), CONFIDENCE, 1, 10**8, 7200.0, ENVIRONMENT)


def suite() -> AuditReport:
    """Three dozen mechanisms that pass, and one that does not."""
    rng = np.random.default_rng(3)
    found: list[Finding] = []
    variants = ("cp", "ce", "wp", "we", "a", "ct", "wt", "cp-sharp", "sm", "ldp")
    names = [f"{task}-{variant}" for task in ("hpm", "hpf") for variant in variants]
    for name in names:
        found += [
            tier(name, demand, detectable=demand * rng.uniform(1.2, 2), lower=_shown(demand, rng))
            for demand in (0.02, 0.5, 2.0)
        ]
        found.append(accuracy(name))
    found += [tier("half-noise", 0.5, "fail"), accuracy("half-noise", "fail")]
    subjects = tuple(subject(name, demands(), DETAILS) for name in [*names, "half-noise"])
    return AuditReport(subjects, tuple(found), CONFIDENCE, 1, 10**6, 100.0, {**ENVIRONMENT, "built_in": True})


def _shown(demand: float, rng: np.random.Generator) -> Bound:
    return Bound.lower(demand * rng.uniform(0.3, 0.95), "game/wealth", CONFIDENCE)


def _user(name: str, user: int) -> Finding:
    return finding(
        name,
        f"privacy/user/{user}",
        "fail",
        f"user {user} demands ε = 0.5 and loses at least 0.93",
        users=(user,),
        claimed=0.5,
        lower=Bound.lower(0.93, "game/wealth", CONFIDENCE),
        detectable=0.62,
        calls=200_000,
        counterexample=counterexample(0.5, (user,)),
        facts=grown(),
    )


def _float(name: str) -> Finding:
    return finding(
        name,
        "float/bits",
        "fail",
        "the low bits tell the datasets apart",
        waiver=Waiver(f"{name}/float/bits", "numpy noise until the rewrite", dt.date(2027, 3, 31)),
        lower=Bound.lower(3.0, "bits", CONFIDENCE),
        claimed=0.5,
        calls=5_000,
        counterexample=counterexample(0.5, (3, 5)),
        facts=grown(),
    )


def _optimality(name: str) -> Finding:
    return finding(
        name,
        "optimality/packing",
        "pass",
        "1.9 times the lower bound",
        claimed=0.02,
        lower=Bound.lower(0.036, "order statistics", CONFIDENCE),
        upper=Bound.upper(0.041, "order statistics", CONFIDENCE),
        calls=10_000,
        facts={"measured": 0.038},
    )


OWNER = Identity(
    title="Mean wages 2026",
    owner="Statistics office",
    unit_of_privacy="one person, however many jobs",
    statements={"composition": "The only release from these data."},
)
ENVIRONMENT: dict[str, Any] = {
    "hdp_audit": "0.1.0",
    "python": "3.11.2",
    "platform": "Linux",
    "spec": "hdp-audit.toml",
    "spec_sha256": "0a" * 32,
    "demands_sha256": "b1" * 32,
    "files": {"acme/release.py": "f3" * 32},
    "git": {"commit": "c4" * 20, "dirty": True},
    "date": "2026-05-31T12:00:00+00:00",
    "command": "hdp-audit run hdp-audit.toml --seed 1 --confidence 0.999 --budget 1000000",
}
DETAILS: dict[str, Any] = {
    "free_privacy": [
        {"demand": 0.02, "users": 100, "loss": 0.02, "free": 0.0},
        {"demand": 0.5, "users": 790, "loss": 0.31, "free": 0.19},
        {"demand": 2.0, "users": 100, "loss": 0.31, "free": 1.69},
    ],
    "bias": [{"category": 0, "bias": 0.031}, {"category": 1, "bias": float("nan")}],
    "trusts_batches": True,
    "hash": "sha256:" + "c2" * 32,
}
