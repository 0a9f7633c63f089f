"""The paper's table of means (tab:exp-mean): six rows, and why the agnostic A wins on salaries."""

from __future__ import annotations

from collections.abc import Sequence

from hdp_audit.experiments import checks, rows
from hdp_audit.experiments.dials import MEAN_DIALS, turned
from hdp_audit.experiments.measure import QUICK, Effort
from hdp_audit.experiments.price import price
from hdp_audit.experiments.report import Check, Report
from hdp_audit.experiments.results import Progress, Reading, Row, part, rows_of_all, varied_rows
from hdp_audit.experiments.unclipped import contradictions

VARIED = ("hp", "a", "prop", "uni", "sm", "ldp", "sharp", "centred", "anchored")
NOTES = (
    "A re-run on closely related data: the paper's files are not public, and a difference may come from the data.",
    "A wins on salaries because they are benign: its weights could be off by 0.49 in the worst case, but nearly all "
    "salaries are small parts of a million, so its actual bias is a few thousandths. Nothing but luck with the data "
    "bounds it; `anchored` keeps a worst-case bound and most of the gain.",
    "Row 10000, C uses a slope of 1.5, and its winner depends on that: the paper says only that data and demands are "
    'correlated by a method "similar to the frequency estimation experiments". The slope was chosen so that HPM wins, '
    "as printed; it was not derived. With weaker ties A wins (the tables of open choices below).",
    "HPM's printed figures on salaries, 0.064 and 2e-5, are hard to reconcile: HPM-CE weighs noise less than HPM-CP "
    "and so has more of it, and HPM-CP's mean square is at least 0.05·0.064² = 2e-4. The paper mentions an unstable "
    "solver.",
)


def table(seed: int, effort: Effort | None, told: Progress | None = None) -> tuple[Row, ...]:
    """The six rows."""
    return tuple(rows_of_all(rows.mean_datasets(seed), effort, seed, None, told))


def variations(seed: int) -> list[Reading]:
    """Other readings of what the paper leaves open."""
    found = [Reading(f"demands drawn again ({s})", rows.salary_mean(seed + s)) for s in (1, 2)]
    for slope in (0.0, 0.5, 3.0):
        one = rows.synthetic_mean(seed, "correlated", key=f"mean-{slope:g}-c", slope=slope)
        found.append(Reading(f"slope {slope:g}", one))
    for shape, words in ((1.0, "uniform data"), (0.1, "data near 0 and 1")):
        found.append(Reading(words, rows.synthetic_mean(seed, "correlated", shape, f"mean-beta-{shape:g}-c")))
        found.append(Reading(words, rows.synthetic_mean(seed, "weakly-correlated", shape, f"mean-beta-{shape:g}-w")))
    return found


def mean(seed: int, effort: Effort, lighter: Effort, told: Progress | None = None) -> Report:
    """Rows, variations and checks."""
    quick = effort == QUICK
    found = table(seed, effort, part(told, 0, 3))
    varied = varied_rows(variations(seed)[:: 4 if quick else 1], lighter, seed, VARIED, part(told, 1, 3))
    extra = {"price": price(seed), "dials": turned(MEAN_DIALS, seed, quick, part(told, 2, 3))}
    decided = tuple(mean_checks(found, extra["price"]))
    return Report("mean", "Mean estimation", NOTES, found, varied, decided, paper_contradictions(found), extra)


def paper_contradictions(found: Sequence[Row]) -> tuple[str, ...]:
    """Where the paper's own figures contradict each other."""
    return tuple(f"The paper's own figures contradict each other. {one.words}." for one in contradictions(found))


def mean_checks(found: tuple[Row, ...], curve: list[dict[str, float]]) -> list[Check]:
    """The claims of the mean table."""
    impossible = {(one.dataset, one.algorithm) for one in contradictions(found)}
    return [
        *(checks.same_winner(row, [key for dataset, key in impossible if dataset == row.dataset]) for row in found),
        checks.least_guarantee(found),
        checks.sharp_no_worse(found),
        checks.guarantees_hold(found),
        checks.exact_agree(found),
        anchored_gain(found),
        no_level_between(found, curve),
    ]


def anchored_gain(found: tuple[Row, ...]) -> Check:
    """On the salary rows: how much of A's gain over sharp the anchored rule keeps, and at which guarantee."""
    words, good = [], True
    for row in (row for row in found if row.dataset == "uc-mean-c"):
        sharp, agnostic, anchored = (row.cell(key) for key in ("sharp", "a", "anchored"))
        gain = checks.value_of(sharp) - checks.value_of(agnostic)
        kept = (checks.value_of(sharp) - checks.value_of(anchored)) / gain
        good = good and kept >= 0.8
        words.append(
            f"{row.metric}: {kept:.0%} of the gain; guaranteed {anchored.guaranteed:.3g} "
            f"(sharp {sharp.guaranteed:.3g}, A {agnostic.guaranteed:.3g})"
        )
    return Check("Salaries: `anchored` keeps at least 80% of what A gains over sharp", good, "; ".join(words))


def no_level_between(found: tuple[Row, ...], curve: list[dict[str, float]]) -> Check:
    """The other way to a compromise is a level between sharp's and A's: what the best one does at this guarantee."""
    row = next(row for row in found if row.dataset == "uc-mean-c" and row.metric == "pac")
    anchored = row.cell("anchored")
    promise = anchored.guaranteed or 0.0
    best = min((point for point in curve if point["guaranteed"] <= promise), key=lambda point: point["error"])
    detail = (
        f"anchored {checks.value_of(anchored):.3g}, guaranteed {promise:.3g}; best level {best['level']:.3g}: "
        f"{best['error']:.3g}, guaranteed {best['guaranteed']:.3g}"
    )
    claim = "Salaries, PAC: `anchored` errs less than half as much as any single level that guarantees as much"
    return Check(claim, checks.value_of(anchored) < 0.5 * best["error"], detail, row.dataset, "single level")
