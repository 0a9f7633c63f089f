"""The sampling mechanism (SM) when a record is replaced: which form leaks, which is sound, and why."""

from __future__ import annotations

from typing import Any

from hdp_audit.proofs.algebra import interval, iv, surely_less
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, proves, reals


def removal(more: int = 0) -> Evidence:
    """Adding or removing a record: (1−p)c + p·a ≤ e^ε·c when a ≤ e^t·c and p = (e^ε−1)/(e^t−1)."""
    a, c, big, small, p = reals("a c T E p")
    rate = [big > 1, small >= 1, small <= big, p * (big - 1) == small - 1 + more]
    return conclude(
        "proved", {"sampled or absent": proves((1 - p) * c + p * a <= small * c, *rate, a >= 0, c >= 0, a <= big * c)}
    )


def replacement(slack: int = 1) -> Evidence:
    """Replacing a record: (1−p)c + p·a ≤ e^ε((1−p)c + p·d) when a ≤ e^t·min(c, d).

    c: density without the user; a, d: with the old and the new record. The middle step is
    (e^t−1)[(1−p)c + p·d] + d − a ≥ e^t·min(c, d) − a ≥ 0.
    """
    a, c, d, big, small, p = reals("a c d T E p")
    rate = [big > 1, small >= 1, small <= big, p * (big - 1) == slack * (small - 1), p >= 0, p <= 1]
    close = [a >= 0, c >= 0, d >= 0, a <= big * c, a <= big * d]
    middle = proves((big - 1) * ((1 - p) * c + p * d) + d - a >= 0, *rate, *close)
    whole = proves((1 - p) * c + p * a <= small * ((1 - p) * c + p * d), *rate, *close)
    return conclude("proved", {"the middle step": middle, "the mixture bound": whole})


def sound_scale(frequency: int = 2) -> Evidence:
    """Sum over the sample divided by P: absent, old and new record are 1/P apart (mean), 2/P in L1 (frequency).

    So Laplace scale 1/(tP) and 2/(tP) give a ≤ e^t·min(c, d).
    """
    x, y, rest, out, total, t = reals("x y r o P t")
    data = [x >= 0, x <= 1, y >= 0, y <= 1, total > 0, t > 0]
    replaced = proves(absolute(rest + x / total - out) - absolute(rest + y / total - out) <= 1 / total, *data)
    added = proves(absolute(rest + x / total - out) - absolute(rest - out) <= 1 / total, *data)
    distance, noise = reals("d s")
    kept = proves(
        distance <= t * noise, noise * t * total == frequency, distance * total <= 2, t > 0, total > 0, noise > 0
    )
    return conclude(
        "proved",
        {"mean, replaced": replaced, "mean, absent": added, "frequency: L1 distance 2/P over scale 2/(tP) is t": kept},
    )


def _probability(context: Any) -> Any:
    """p = (e^{1/4} − 1)/(e^{1/2} − 1), the sampling rate of ε = 0.25 at t = 0.5."""
    return (context.exp(interval("0.25")) - 1) / (context.exp(interval("0.5")) - 1)


def realised_size_leaks(claimed: str = "0.25") -> Evidence:
    """n = 2, ε = (0.25, 0.5), x₂ = 0, noise scaled by the realised sample size: log-ratio at ½ in (0.303, 0.305)."""
    context = iv()
    t, p = interval("0.5"), _probability(iv())
    alone = t / 2 * context.exp(-t / 2)  # sample {2}: mean 0, scale 1/t, density at ½
    together = t  # sample {1, 2} with x₁ = 1: mean ½, scale 1/(2t)
    apart = t * context.exp(-t)  # with x₁ = 0: mean 0, scale 1/(2t)
    ratio = context.log(((1 - p) * alone + p * together) / ((1 - p) * alone + p * apart))
    return conclude(
        "proved",
        {
            "log-ratio above 0.303": surely_less(interval("0.303"), ratio) and surely_less(ratio, interval("0.305")),
            "so above the demand": surely_less(interval(claimed), ratio),
        },
    )


def half_noise_leaks(claimed: str = "0.25") -> Evidence:
    """Frequencies with scale 1/(tP): log((1−p+pe^t)/(1−p+pe^{−t})) in (0.438, 0.440) at ε = 0.25, t = 0.5."""
    context = iv()
    t, p = interval("0.5"), _probability(iv())
    ratio = context.log((1 - p + p * context.exp(t)) / (1 - p + p * context.exp(-t)))
    return conclude(
        "proved",
        {
            "log-ratio in (0.438, 0.440)": surely_less(interval("0.438"), ratio)
            and surely_less(ratio, interval("0.440")),
            "so above the demand": surely_less(interval(claimed), ratio),
        },
    )


ENTRIES = (
    Entry(
        "sm-removal",
        "SM for adding and removing",
        ("adx:exp-details",),
        "Sampling with p = (e^eps - 1)/(e^t - 1) before a t-DP mechanism is eps-DP when records are added or removed.",
        "smt",
        removal,
        constant="1",
    ),
    Entry(
        "sm-replacement",
        "SM for replacing, sound form",
        OURS,
        "If old, new and absent record give densities a, d, c with a <= e^t·min(c, d), the mixture keeps e^eps.",
        "smt",
        replacement,
        constant="1",
    ),
    Entry(
        "sm-scale",
        "Noise of the sound form",
        OURS,
        "Sum over the sample divided by the fixed P = sum p_i with Laplace scale 1/(tP) for the mean, 2/(tP) for "
        "frequencies.",
        "smt",
        sound_scale,
        constant="1/(tP), 2/(tP)",
    ),
    Entry(
        "sm-realised-leaks",
        "SM with the realised sample size leaks",
        ("adx:exp-details",),
        "n = 2, eps = (0.25, 0.5), x_2 = 0: the log density ratio at 1/2 is 0.304 > 0.25 when x_1 is replaced.",
        "interval",
        realised_size_leaks,
        constant="0.304",
        corrects="The paper says that any t-DP algorithm on the sample is eps-DP; when a record is replaced, as "
        "in its own definition, the usual one is not.",
    ),
    Entry(
        "sm-half-noise-leaks",
        "SM for frequencies needs scale 2/(tP)",
        OURS,
        "With Laplace scale 1/(tP) the frequencies leak 0.439 > 0.25 at eps = 0.25, t = 0.5.",
        "interval",
        half_noise_leaks,
        constant="0.439",
    ),
)
