"""The study's page: who wins where, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdp_audit.experiments.tables import Json, checks, figure, head, table

WHY = {
    "sharp-C / HP-C": "r_C charges ‖w−u‖₁ where the worst bias is half of that, and for frequencies t where "
    "the noise has scale 2t. HP therefore stays closer to equal weights, with more noise, than its own error warrants. "
    "Sharp's losses are mean squares of zeros and ones at κ = 1, nearly all with 300 strict users: there HP's noise is "
    "so large that the clip to [0, 1] takes off most of what the criteria charge for it.",
    "sharp-W / HP-W": "r_WC charges L‖w‖₂² where the permutation costs about ‖w−u‖₂²/4, so sharp takes a higher "
    "level. Where data are tied to demands after all (κ > 0) that is a loss: weak variants are made for κ = 0. Its "
    "losses at κ = 0 are nearly all two-point demands with half of the users almost mute: there HP takes the higher "
    "level, which suits data of small variance better than the widest data, for which sharp is built.",
    "sharp-C / A": "A saturates near 1 and has hardly any noise; on data that are not tied to demands its "
    "bias averages out. Tied data (κ → 1, zeros and ones) make it several times worse than sharp.",
    "sharp-W / A": "A's level of about 1 suits demands spread widely around 1; elsewhere the best level differs. "
    "On narrow data A wins at κ = 0: sharp is built for the largest variance that data in [0, 1] can have.",
    "centred / sharp-C": "Half of the bias at equal noise: always the better guarantee. Measured, it wins for means "
    "near ½ and loses for frequencies of many bins, where ½ is a bad guess for an entry of 1/k.",
    "anchored / sharp-C": "The second opinion costs a box of half-width h around the anchor: less error where the "
    "opinion is right, up to twice as much where the data are tied to demands.",
    "anchored / A": "Behind A where nothing ties data to demands, mostly ahead where something does, never above twice "
    "sharp's guarantee.",
}


def study_page(document: Json) -> str:
    """Overall scores, the plane, levels, and why."""
    parts = [
        *head(document),
        "## Score",
        "First / second: ratio of errors, below 1 where the first is better: the geometric mean of the medians of the "
        "five spreads (from the least tenth to the greatest ninetieth percentile of a spread); then decided families, "
        "wins to losses.",
        scores(document),
        "## Why",
        "\n".join(f"- **{name}**: {words}" for name, words in WHY.items()),
        "## The plane of spread and correlation",
        "![median error ratios over spread of demands and correlation](sharp-plane.svg)",
        "## The best level against A's",
        "A weighs 1 − e^−ε: a soft saturation near ρ = 1, whatever the demands. The best level follows them:",
        levels(document["families"]),
        "In the weak setting it hardly depends on the demands once they are spread, but falls with the number of "
        "users, like 1/√n: noise falls like 1/n, the permutation's error only like 1/√n. A's 1 suits a few hundred.",
        by_users(document["families"]),
        "![levels of all families](sharp-levels.svg)",
        "## What is guaranteed, relative to sharp",
        promises(document["families"]),
        *checks(document),
    ]
    return "\n\n".join(parts) + "\n"


def scores(document: Json) -> str:
    """One line for each duel and kind of data, one column for each κ; error quantiles."""
    plane = [entry for entry in document["plane"] if entry["metric"] == "pac"]
    kappas = document["kappas"]
    duels = list(dict.fromkeys((entry["duel"], entry["data"]) for entry in plane))
    lines = []
    for duel, kind in duels:
        mine = [entry for entry in plane if (entry["duel"], entry["data"]) == (duel, kind)]
        lines.append([f"{duel}, {kind}", *(_score([e for e in mine if e["kappa"] == kappa]) for kappa in kappas)])
    return table(["error quantile", *(f"κ = {kappa:g}" for kappa in kappas)], lines)


def _score(entries: Sequence[Json]) -> str:
    ratio = np.exp(np.mean(np.log([entry["ratio"] for entry in entries])))
    low, high = min(entry["tenth"] for entry in entries), max(entry["ninetieth"] for entry in entries)
    wins, losses = (sum(entry[key] for entry in entries) for key in ("wins", "losses"))
    return f"{ratio:.2f} ({low:.2g} to {high:.2g}); {wins} to {losses}"


def levels(families: Sequence[Json]) -> str:
    """Median level for each centre and spread."""
    lines = []
    spreads = sorted({family["spread"] for family in families})
    for centre in sorted({family["centre"] for family in families}):
        for role, words in (("c-sharp", "correlated"), ("w-sharp", "weak")):
            line = [f"centre {centre:g}, {words}"]
            for spread in spreads:
                chosen = [f for f in families if (f["centre"], f["spread"]) == (centre, spread)]
                found = [float(f["frequency pac"]["level"][role]) for f in chosen]
                line.append(
                    f"{figure(float(np.median(found)), 2)} ({figure(min(found), 2)} to {figure(max(found), 2)})"
                )
            lines.append(line)
    return table(["frequencies, error quantile", *(f"spread {spread:g}" for spread in spreads)], lines)


def by_users(families: Sequence[Json]) -> str:
    """Median level for each number of users, over the families of spread 2 and more."""
    wide = [family for family in families if family["spread"] >= 2]
    users = sorted({family["users"] for family in wide})
    lines = []
    for role, words in (("c-sharp", "sharp-C"), ("w-sharp", "sharp-W")):
        for cell in ("frequency pac", "mean pac"):
            found = [[float(f[cell]["level"][role]) for f in wide if f["users"] == n] for n in users]
            lines.append([f"{words}, {cell}", *(figure(float(np.median(one)), 2) for one in found)])
    return table(["median level, spread 2 and more", *(f"{n} users" for n in users)], lines)


def promises(families: Sequence[Json]) -> str:
    """Median and largest guarantee over sharp's, in error units."""
    roles = {"c": "HP", "a": "A", "c-sharp": "sharp", "c-centred": "centred", "c-anchored": "anchored"}
    lines = []
    for cell in ("frequency pac", "frequency mse", "mean pac", "mean mse"):
        line = [cell]
        for role in roles:
            found = [family[cell]["over_sharp"][role] for family in families]
            line.append(f"{np.median(found):.2f} (largest {figure(max(found))})")
        lines.append(line)
    return table(["correlated setting", *roles.values()], lines)
