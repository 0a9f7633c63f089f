"""Privacy of HPF and HPM (lem:eps-dp): the log-density-ratio inequality, proved over the reals."""

from __future__ import annotations

from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import absolute, possible, proves, real_list, reals


def _ratio_bounded(k: int) -> bool:
    """Σ_j |θ'_j − a_j| − |θ_j − a_j| ≤ 2w for one user who moves weight w from category x to x'.

    The other users enter only through r_j, which is any real: so the proof covers every n and every data.
    """
    import z3

    rest, output = real_list("r", k), real_list("a", k)
    weight = z3.Real("w")
    old, new = z3.Ints("x y")
    moved = [
        absolute(rest[j] + z3.If(new == j, weight, 0) - output[j])
        - absolute(rest[j] + z3.If(old == j, weight, 0) - output[j])
        for j in range(k)
    ]
    valid = z3.And(weight >= 0, old >= 0, old < k, new >= 0, new < k)
    return proves(z3.Sum(moved) <= 2 * weight, valid)


def _scale_suffices(sensitivity: int, factor: int) -> bool:
    """sensitivity·w/(factor·t) ≤ ε whenever t ≥ w/ε, that is w ≤ tε."""
    w, t, eps = reals("w t eps")
    return proves(sensitivity * w <= factor * t * eps, w >= 0, t > 0, eps >= 0, w <= t * eps)


def frequency_sizes(factor: int = 2) -> Evidence:
    """lem:eps-dp for HPF: noise scale factor·‖w/ε‖∞ with factor = 2, for k = 2..6 categories, any n."""
    steps = {
        f"k={k}: L1 distance at most 2w_i for symbolic weights, data and output": _ratio_bounded(k) for k in range(2, 7)
    }
    steps["2w_i over the noise scale is at most eps_i"] = _scale_suffices(2, factor)
    return conclude("proved for stated sizes", steps)


def frequency_all(factor: int = 2) -> Evidence:
    """lem:eps-dp for HPF, every k: a per-coordinate inequality whose right side sums to 2w."""
    import z3

    rest, output, w = reals("r a w")
    old, new = reals("b c")
    binary = [z3.Or(v == 0, v == 1) for v in (old, new)]
    here, there = z3.If(old == 1, w, 0), z3.If(new == 1, w, 0)
    coordinate = proves(
        absolute(rest + there - output) - absolute(rest + here - output) <= here + there, w >= 0, *binary
    )
    return conclude(
        "proved",
        {
            "each coordinate's term is at most w(b_j + b'_j), whose sum over j is 2w as one-hot "
            "vectors sum to 1": coordinate,
            "2w_i over the noise scale is at most eps_i": _scale_suffices(2, factor),
        },
    )


def mean_all(factor: int = 1) -> Evidence:
    """lem:eps-dp for HPM: noise scale factor·‖w/ε‖∞ with factor = 1, any n, any data in [0, 1]."""
    rest, output, w, x, y = reals("r a w x y")
    data = [w >= 0, x >= 0, x <= 1, y >= 0, y <= 1]
    ratio = proves(absolute(rest + w * y - output) - absolute(rest + w * x - output) <= w, *data)
    return conclude(
        "proved",
        {"|θ' − a| − |θ − a| ≤ w_i": ratio, "w_i over the noise scale is at most eps_i": _scale_suffices(1, factor)},
    )


def free_privacy(times: int = 1) -> Evidence:
    """The loss is exactly w_i/t, already at the clipped atoms, and equals ε_i for all users only if w ∝ ε."""
    theta, w, output = reals("theta w a")
    attained_mean = proves(
        absolute(theta + w - output) - absolute(theta - output) == times * w, w >= 0, output <= theta, theta >= 0
    )
    first, second = reals("p q")
    low, high = reals("a1 a2")
    before = absolute(first + w - low) + absolute(second - high)
    after = absolute(first - low) + absolute(second + w - high)
    attained_frequency = proves(before - after == 2 * w, w >= 0, low <= first, high >= second + w)
    w1, w2, e1, e2, t = reals("w1 w2 e1 e2 t")
    proportional = proves(w1 * e2 == w2 * e1, w1 == t * e1, w2 == t * e2, t > 0)
    strict = possible(w1 + w2 == 1, w1 >= 0, w2 >= 0, e1 > 0, e2 > e1, w1 == t * e1, w2 < t * e2, t > 0)
    return conclude(
        "proved",
        {
            "mean: the ratio w_i/t is attained at every output below both values": attained_mean,
            "frequency: the ratio 2w_i/2t is attained below one bin and above the other": attained_frequency,
            "loss = demand for two users forces w1/e1 = w2/e2": proportional,
            "some weights leave a user strictly below the demand": strict,
        },
    )


def post_processing(times: int = 1) -> Evidence:
    """Clipping, rounding or any other function of the output keeps p ≤ E·q: masses that merge are summed."""
    p1, p2, q1, q2, ratio = reals("p1 p2 q1 q2 E")
    merged = proves(
        times * (p1 + p2) <= ratio * (q1 + q2),
        ratio >= 1,
        p1 >= 0,
        p2 >= 0,
        q1 >= 0,
        q2 >= 0,
        p1 <= ratio * q1,
        p2 <= ratio * q2,
    )
    share = reals("s")[0]
    mixed = proves(
        share * p1 + (1 - share) * p2 <= ratio * (share * q1 + (1 - share) * q2),
        ratio >= 1,
        share >= 0,
        share <= 1,
        p1 <= ratio * q1,
        p2 <= ratio * q2,
        q1 >= 0,
        q2 >= 0,
    )
    return conclude("proved", {"merging two outputs keeps the bound": merged, "mixing two laws keeps the bound": mixed})


def group_privacy(times: int = 1) -> Evidence:
    """Losses of several users add: p ≤ e^{S}q, and 1 − p ≥ e^{−S}(1 − q) for the complement."""
    p, q, r, e1, e2 = reals("p q r e1 e2")
    chain = proves(times * p <= e1 * e2 * r, e1 >= 1, e2 >= 1, p <= e1 * q, q <= e2 * r, r >= 0)
    bound = proves(e1 * p <= e1 - 1 + q, e1 >= 1, 1 - q <= e1 * (1 - p))
    return conclude(
        "proved",
        {
            "two steps multiply the factors, so m users give exp(sum of m demands)": chain,
            "the demand on the complement of the event gives p ≤ 1 − e^{−S} + e^{−S}q": bound,
        },
    )


def balanced_noise(factor: int = 2) -> Evidence:
    """Noise of density ∝ exp(−‖v‖₁/2t) on Σv = 0: θ and θ' lie on one hyperplane, so the same ratio bounds it."""
    import z3

    k, weight = 6, z3.Real("w")
    rest, old, new = real_list("r", k), real_list("b", k), real_list("c", k)
    tables = [z3.Sum([rest[j] + weight * part[j] for j in range(k)]) for part in (old, new)]
    same_plane = proves(tables[0] == tables[1], z3.Sum(old) == 1, z3.Sum(new) == 1)
    return conclude(
        "proved for stated sizes",
        {
            "a user who changes category keeps the table's sum, so both lie on one plane": same_plane,
            **{f"k={k}: exponent differs by at most 2w_i": _ratio_bounded(k) for k in range(2, 7)},
            "2w_i/2t is at most eps_i": _scale_suffices(2, factor),
        },
    )


ENTRIES = (
    Entry(
        "privacy-hpf-k2-6",
        "HPF keeps every demand, k = 2..6",
        ("lem:eps-dp",),
        "HPF with Laplace scale 2·max(w/eps) is eps-DP: the log density ratio is at most w_i/max(w/eps) <= eps_i.",
        "smt",
        frequency_sizes,
        constant="scale 2t",
    ),
    Entry(
        "privacy-hpf",
        "HPF keeps every demand, every k",
        ("lem:eps-dp",),
        "The same for every number of categories and users; weights need not sum to one.",
        "smt",
        frequency_all,
        constant="scale 2t",
    ),
    Entry(
        "privacy-hpm",
        "HPM keeps every demand",
        ("lem:eps-dp",),
        "HPM with Laplace scale max(w/eps) is eps-DP for data in [0, 1]; weights need not sum to one.",
        "smt",
        mean_all,
        constant="scale t",
    ),
    Entry(
        "privacy-free",
        "Free privacy",
        ("sec:disc",),
        "User i's exact loss is w_i/max(w/eps); it equals eps_i for all users only when w is proportional to eps.",
        "smt",
        free_privacy,
        constant="1",
    ),
    Entry(
        "privacy-clipping",
        "Clipping is post-processing",
        ("lem:eps-dp",),
        "A function of the output and a mixture of mechanisms keep each user's bound.",
        "smt",
        post_processing,
        constant="1",
    ),
    Entry(
        "privacy-group",
        "Group privacy and its complement form",
        ("eq:dplb", "eq:dplb1"),
        "Changing m users: P(M(x) in S) <= e^S P(M(x') in S) and P(M(x) in S) <= 1 - e^-S + e^-S P(M(x') in S), S the "
        "sum of their demands.",
        "smt",
        group_privacy,
        constant="1",
    ),
    Entry(
        "privacy-balanced-noise",
        "Noise on the plane of sum zero keeps the demands",
        OURS,
        "Noise with density proportional to exp(-|v|_1/(2t)) on sum v = 0 keeps every demand, k = 2..6.",
        "smt",
        balanced_noise,
        constant="scale 2t",
    ),
)
