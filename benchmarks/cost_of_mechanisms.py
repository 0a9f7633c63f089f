"""What the reference mechanisms cost, as ratios measured side by side in one run.

    python benchmarks/cost_of_mechanisms.py [--out benchmarks/cost_of_mechanisms.json]

Each row is our time over the time of something that any implementation has to do (a sort, raw noise, a shuffle) or
that others use (cvxpy). Every pair is timed alternately, and the ratio is the median of the alternations.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mechanisms import build
from mechanisms.demands import Floats

Row = dict[str, str | float]


def ratio(ours: Callable[[], object], theirs: Callable[[], object], repeats: int = 7) -> float:
    """Median of time(ours)/time(theirs), taken in turns."""
    ours(), theirs()
    return statistics.median(_seconds(ours) / _seconds(theirs) for _ in range(repeats))


def _seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def log_uniform(users: int) -> Floats:
    return np.exp(np.random.default_rng(1).uniform(-5, 5, users))


def weights_against_cvxpy(users: int = 10_000) -> list[Row]:
    """HPM-CP: the time of cvxpy over ours, and the two objectives."""
    import cvxpy as cp

    epsilon, L = log_uniform(users), float(np.log(1 / 0.05))

    def solve() -> Floats:
        w = cp.Variable(users, nonneg=True)
        bias, noise = cp.norm1(w - 1 / users), cp.norm_inf(cp.multiply(w, 1 / epsilon))
        problem = cp.Problem(cp.Minimize(bias**2 + L**2 * noise**2), [cp.sum(w) == 1])
        problem.solve(solver=cp.CLARABEL)
        return np.asarray(w.value)

    def objective(w: Floats) -> float:
        return float(np.abs(w - 1 / users).sum() ** 2 + L**2 * np.max(w / epsilon) ** 2)

    theirs, ours = objective(np.maximum(solve(), 0)), objective(build("hpm-cp", epsilon=epsilon).weights)
    speed = ratio(solve, lambda: build("hpm-cp", epsilon=epsilon).weights, repeats=3)
    return [
        {"what": f"weights, n = {users}: cvxpy (Clarabel) / ours", "ratio": speed, "target": "≥ 100"},
        {"what": f"weights, n = {users}: our objective / cvxpy's", "ratio": ours / theirs, "target": "≤ 1"},
    ]


def weights_against_sort(users: int = 1_000_000) -> list[Row]:
    """Whole construction, from demands to integer weights, over np.sort of the demands."""
    epsilon = log_uniform(users)
    rows: list[Row] = []
    for name in ("cp", "ce", "ct", "wp", "we", "wt", "cp-sharp", "ce-sharp", "wp-sharp", "we-sharp", "cp-centred"):
        limit = "≤ 10" if name in ("cp", "ce", "ct") else "≤ 25"
        for family, k in (("hpf", 12), ("hpm", None)):
            full = f"{family}-{name}"

            def job(full: str = full, k: int | None = k) -> object:
                return build(full, epsilon=epsilon, categories=k).weights

            measured = ratio(job, lambda: np.sort(epsilon))
            rows.append({"what": f"{full}, n = {users}: weights / np.sort", "ratio": measured, "target": limit})
    return rows


def correlated_releases(users: int = 50_000, k: int = 12, size: int = 100_000) -> list[Row]:
    """Releases of one dataset over the raw noise in doubles."""
    epsilon = log_uniform(users)
    rng = np.random.default_rng(2)
    data = rng.integers(0, k, users)
    rows: list[Row] = []
    for noise, limit in (("float", "≤ 3"), ("exact", "≤ 40")):
        m = build("hpf-cp", epsilon=epsilon, categories=k, noise=noise)

        def job(m: object = m) -> object:
            return m.release_many(data, size=size, rng=rng)  # type: ignore[attr-defined]

        measured = ratio(job, lambda: rng.laplace(size=(size, k)))
        rows.append({"what": f"{size} releases, {noise} noise / raw float noise", "ratio": measured, "target": limit})
    return rows


def permuted_releases(users: int = 17_000, k: int = 10, size: int = 300) -> list[Row]:
    """Releases of freshly permuted data over shuffling that many numbers."""
    epsilon = log_uniform(users)
    rng = np.random.default_rng(3)
    numbers = np.arange(users)
    categories, values = rng.integers(0, k, users), rng.random(users)

    def shuffles() -> None:
        for _ in range(size):
            rng.shuffle(numbers)

    rows: list[Row] = []
    for name, kind, data in (
        ("hpf-wp", k, categories),
        ("hpm-wp", None, values),
        ("hpf-we", k, categories),
        ("prop", k, categories),
    ):
        m = build(name, epsilon=epsilon, categories=kind)

        def job(m: object = m, data: object = data) -> object:
            return m.release_many(data, size=size, rng=rng, permuted=True)  # type: ignore[attr-defined]

        measured = ratio(job, shuffles)
        rows.append({"what": f"{name}, n = {users}: permuted releases / shuffles", "ratio": measured, "target": "≤ 3"})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    rows = [*weights_against_cvxpy(), *weights_against_sort(), *correlated_releases(), *permuted_releases()]
    width = max(len(str(row["what"])) for row in rows)
    for row in rows:
        print(f"{row['what']:<{width}}  {row['ratio']:>10.4g}  {row['target']}")
    options.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
