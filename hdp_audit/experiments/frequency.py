"""The paper's table of frequencies (tab:exp): twelve rows, and what changes with the choices it leaves open."""

from __future__ import annotations

from hdp_audit.experiments import checks, data, rows
from hdp_audit.experiments.algorithms import BY_KEY
from hdp_audit.experiments.dials import FREQUENCY_DIALS, turned
from hdp_audit.experiments.measure import QUICK, Effort
from hdp_audit.experiments.report import Check, Report
from hdp_audit.experiments.results import Progress, Reading, Row, part, rows_of_all, varied_rows
from hdp_audit.experiments.synthetic import RULES
from hdp_audit.experiments.unclipped import uni_check

VARIED = ("hp", "a", "prop", "uni", "sm", "ldp", "sharp", "anchored")
NEAR = ("hp", "a", "prop", "uni")
NOTES = (
    "A re-run on closely related data: the paper's files are not public, and a difference may come from the data.",
    "Errors are ‖estimate − truth‖∞; PAC is the 95% quantile, MSE the mean square. Data and demands are drawn once and "
    "kept; in the weak setting (W) every trial permutes the data.",
    "Rows (10000, 5), C and (10000, 20), C tie demands to bins by a rule of ours, because the paper says only that "
    'users of different bins have "different distributions". The winner depends on it (the tables of open choices '
    "below): with 5 bins HPF wins under all five rules, where the paper prints A.",
    "SM here divides by the expected sample size; the form with the realised size leaks under replacement and is shown "
    "apart. LDP is measured with fewer trials.",
    "SM's figures hang on the few largest demands: on Cancer Types, W it samples 14 of 17,000 users on average, and "
    "9 to 17 with other draws of the demands (seeds 1 to 12). That is where its distance from the printed figures "
    "comes from.",
)


_MEASURED: dict[tuple[int, Effort | None], tuple[Row, ...]] = {}


def table(seed: int, effort: Effort | None, told: Progress | None = None) -> tuple[Row, ...]:
    """The twelve rows, measured once for the table and the figure; quick runs leave out hull, whose noise is slow."""
    if (seed, effort) not in _MEASURED:
        wanted = None if effort != QUICK else [key for key in BY_KEY if key != "hull"]
        _MEASURED[seed, effort] = tuple(rows_of_all(rows.frequency_datasets(seed), effort, seed, wanted, told))
    return _MEASURED[seed, effort]


def variations(seed: int) -> list[Reading]:
    """Other readings of what the paper leaves open."""
    found = [Reading(f"demands drawn again ({s})", rows.salary_frequencies(seed + s)) for s in (1, 2)]
    found.append(Reading("bins of 25k", rows.salary_frequencies(seed, data.UC_25K, "uc-25k-c")))
    found.append(Reading("2022, ten brackets", rows.salary_frequencies(seed, data.UC_2022, "uc-2022-c")))
    for count in (5, 20):
        for rule in RULES:
            one = rows.synthetic_frequencies(seed, count, "correlated", rule, f"{count}-{rule}")
            found.append(Reading(f"rule {rule}", one, rule))
    found.append(Reading("demands drawn again (1)", rows.cancer(seed + 1)))
    found.append(Reading("as many as counted", rows.cancer(seed, data.CANCER.records, "cancer-all-w")))
    for count in (5, 20):
        one = rows.synthetic_frequencies(seed, count, "weakly-correlated", key=f"{count}-skewed-w", skewed=True)
        found.append(Reading("shares ∝ 1/j", one))
    return found


def frequency(seed: int, effort: Effort, lighter: Effort, told: Progress | None = None) -> Report:
    """Rows, variations and checks."""
    quick = effort == QUICK
    found = table(seed, effort, part(told, 0, 3))
    varied = varied_rows(variations(seed)[:: 5 if quick else 1], lighter, seed, VARIED, part(told, 1, 3))
    decided = tuple(frequency_checks(found, seed))
    extra = {"dials": turned(FREQUENCY_DIALS, seed, quick, part(told, 2, 3))}
    return Report("frequency", "Frequency estimation", NOTES, found, varied, decided, extra=extra)


def frequency_checks(found: tuple[Row, ...], seed: int) -> list[Check]:
    """The claims of the frequency table."""
    cancer = [row for row in found if row.dataset == "cancer-w"]
    salary = [row for row in found if row.dataset == "uc-c"]
    words = "Cancer Types, W: HPF, A, Prop, UNI within 15% or the printed rounding; SM and LDP within a factor 1.5"
    # 5-c and 20-c are left out: their smallest demand is not known.
    known = [row for row in found if row.dataset in ("uc-c", "cancer-w", "5-w", "20-w")]
    scales = {d.key: 2.0 / float(d.epsilon.size * d.epsilon.min()) for d in rows.frequency_datasets(seed)}
    return [
        checks.agreement(cancer, NEAR, words),
        *(checks.same_order(row) for row in salary),
        *(checks.same_winner(row) for row in found if row not in salary),
        checks.least_guarantee(found),
        checks.sharp_no_worse(found),
        checks.guarantees_hold(found),
        checks.exact_agree(found),
        uni_check(known, scales),
    ]
