"""How tight the fixed-sample game is: median lower bounds on a known loss, training included, against the
two-interval oracle.

    python benchmarks/tightness.py [--seeds 50] [--out benchmarks/tightness.json]

The oracle knows the best output event and uses two Clopper–Pearson intervals, N runs a dataset. The game flips a coin
in each of 2N runs; "known" is the game with the best event given, "ours" learns the witness from the first tenth of
the same runs. `hist` has five bins, one record moves from bin 0 to bin 1; its noise has scale 2 (loss 1) or 1 (loss
2).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from hdp_audit.attacks.witness import learn_witness
from hdp_audit.evidence.binomial import loss_lower

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Run = Callable[[Coins, np.random.Generator], Floats]
SIGNIFICANCE = 0.05


def laplace(epsilon: float) -> Run:
    return lambda coins, rng: (coins + rng.laplace(0.0, 1.0 / epsilon, coins.size))[:, None]


def histogram(scale: float) -> Run:
    def run(coins: Coins, rng: np.random.Generator) -> Floats:
        outputs = rng.laplace(0.0, scale, (coins.size, 5))
        outputs[:, 0] += ~coins
        outputs[:, 1] += coins
        return outputs

    return run


TASKS: dict[str, tuple[Run, float]] = {
    "Laplace 0.1": (laplace(0.1), 0.1),
    "Laplace 1": (laplace(1.0), 1.0),
    "Laplace 3": (laplace(3.0), 3.0),
    "hist, scale 2": (histogram(2.0), 1.0),
    "hist, scale 1": (histogram(1.0), 2.0),
}


def best_event(task: str, outputs: Floats) -> tuple[Coins, Coins]:
    """Outputs that speak for dataset 1, and for dataset 0, with the full likelihood ratio."""
    if task.startswith("Laplace"):
        return outputs[:, 0] >= 1.0, outputs[:, 0] <= 0.0
    score = np.clip(outputs[:, 1], 0.0, 1.0) - np.clip(outputs[:, 0], 0.0, 1.0)
    return score >= 1.0, score <= -1.0


def two_intervals(task: str, run: Run, size: int, rng: np.random.Generator) -> float:
    hits = [int(best_event(task, run(np.full(size, coin), rng))[0].sum()) for coin in (True, False)]
    low = betaincinv(hits[0], size - hits[0] + 1, SIGNIFICANCE / 2)
    high = betaincinv(hits[1] + 1, size - hits[1], 1 - SIGNIFICANCE / 2)
    return float(np.log(low / high))


def one_seed(task: str, size: int, seed: int) -> tuple[float, float, float, float]:
    """(ours, known, oracle, seconds beyond drawing)."""
    run, _ = TASKS[task]
    rng = np.random.default_rng([seed, size, sorted(TASKS).index(task)])
    coins = rng.random(2 * size) < 0.5
    outputs = run(coins, rng)
    start = time.perf_counter()
    trained = 2 * size // 10
    witness = learn_witness(outputs[:trained], coins[:trained], 2 * size - trained, SIGNIFICANCE)
    ours = float(loss_lower(*witness.counts(outputs[trained:], coins[trained:]), SIGNIFICANCE))
    seconds = time.perf_counter() - start
    ones, zeros = best_event(task, outputs)
    right = int((ones & coins).sum() + (zeros & ~coins).sum())
    known = float(loss_lower(right, int(ones.sum() + zeros.sum()), SIGNIFICANCE))
    return ours, known, two_intervals(task, run, size, rng), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    rows = []
    print("runs a dataset  task            truth    ours   known  oracle  gap/known  above truth")
    for size in options.sizes:
        for task, (_, truth) in TASKS.items():
            found = np.array([one_seed(task, size, seed) for seed in range(options.seeds)])
            ours, known, oracle, _ = np.median(found, axis=0)
            above = int((found[:, 0] > truth).sum())
            row = {
                "runs_per_dataset": size,
                "task": task,
                "truth": truth,
                "ours": round(ours, 5),
                "known_event": round(known, 5),
                "two_interval_oracle": round(oracle, 5),
                "gap_over_known": round((truth - ours) / (truth - known), 3),
                "above_truth": above,
                "seeds": options.seeds,
            }
            rows.append(row)
            print(
                f"{size:>14}  {task:<14} {truth:>6} {ours:>7.4f} {known:>7.4f} {oracle:>7.4f} "
                f"{row['gap_over_known']:>10} {above:>6}/{options.seeds}",
                flush=True,
            )
    options.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
