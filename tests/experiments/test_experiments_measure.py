"""Exact laws, trials and guarantees, each against another way to the same number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, ks_2samp

from hdp_audit.experiments import algorithms, measure, rows
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.experiments.law import AnchoredLaw, ErrorLaw
from hdp_audit.experiments.leaking import realised_outputs, sampling_chances
from hdp_audit.experiments.unclipped import capped_noise
from hdp_audit.model.vocabulary import METRICS, SETTINGS
from mechanisms import Entry, Frequency, Mean, criteria, entries, entry
from mechanisms.broken import FAINT, FAULTS
from mechanisms.criteria import Aim
from mechanisms.demands import budgets
from mechanisms.saturation import Simplex, SortedDemands, best_level
from tests.oracles import guarantee as oracle

MU = np.array([0.02, 0.18, 0.3, 0.5])
OFF = MU + np.array([0.01, -0.03, 0.02, 0.0])


def small(task: str = "frequency", users: int = 300) -> Dataset:
    rng = np.random.default_rng(4)
    epsilon = np.exp(rng.uniform(-3, 3, users))
    values = rng.integers(0, 4, users) if task == "frequency" else rng.random(users)
    kind = Frequency(4) if task == "frequency" else Mean()
    return Dataset("small", "small", kind, "correlated", values, epsilon, "", "")


@pytest.mark.parametrize(("scale", "steps"), [(1e-4, 1_000_000), (0.02, 100_000), (0.3, 100_000)])
def test_the_exact_mean_square_is_that_of_a_fine_sum(scale: float, steps: int) -> None:
    """A midpoint sum of a hundred steps or more to a scale: right to (1/100)²/24, about 4·10⁻⁶, of what has kinks."""
    law = ErrorLaw(OFF, MU, scale)
    alpha = (np.arange(steps) + 0.5) / steps
    assert law.mean_square() == pytest.approx(float((2 * alpha * (1 - law.within(alpha))).mean()), rel=1e-5)


@pytest.mark.parametrize("scale", [0.0, 1e-4, 0.02, 0.3])
def test_the_exact_quantile_is_the_first_point_that_reaches_the_probability(scale: float) -> None:
    law = ErrorLaw(OFF, MU, scale)
    quantile = law.quantile(0.95)
    assert float(law.within(np.array(quantile * (1 + 1e-12)))) >= 0.95
    assert float(law.within(np.array(quantile * (1 - 1e-9)))) < 0.95 + 1e-6


@pytest.mark.parametrize("task", ["frequency", "mean"])
@pytest.mark.parametrize("kind", ["sharp", "anchored"])
def test_trials_follow_the_exact_law(task: str, kind: str) -> None:
    """Of 20,000 errors 95% lie below the exact quantile; 5.5 deviations fail with probability below 10⁻⁷."""
    dataset = small(task, 3_000)
    name = f"{'hpf' if task == 'frequency' else 'hpm'}-cp-{kind}"
    mechanism = algorithms.built(name, dataset, "pac")
    assert kind == "sharp" or mechanism.opinion is not None
    law = algorithms.exact_law(mechanism, dataset)
    assert law is not None
    found = measure.errors(name, dataset, "pac", measure.Effort(20_000, 10, 10), 1, mechanism)
    below = np.count_nonzero(found <= law.quantile(0.95))
    assert abs(below - 19_000) <= 5.5 * np.sqrt(20_000 * 0.05 * 0.95)
    squares = found**2
    assert abs(squares.mean() - law.mean_square()) <= 5.5 * squares.std() / np.sqrt(20_000)


@pytest.mark.parametrize(("first", "second", "reach"), [(0.2, 0.05, 0.3), (0.02, 0.3, 0.01), (0.5, 0.5, 0.6)])
def test_the_law_of_a_boxed_opinion_is_that_of_its_releases_clips_included(
    first: float, second: float, reach: float
) -> None:
    """200,000 errors; by Dvoretzky, Kiefer, Wolfowitz, Massart a gap above 0.0066 has a probability below 10⁻⁷."""
    law = AnchoredLaw(ErrorLaw(OFF, MU, first), ErrorLaw(MU[::-1] * 0.4, MU, second), reach)
    rng = np.random.default_rng(6)
    safe = np.clip(OFF + first * rng.laplace(size=(200_000, 4)), 0, 1)
    opinion = np.clip(MU[::-1] * 0.4 + second * rng.laplace(size=(200_000, 4)), 0, 1)
    answers = np.clip(np.clip(opinion, safe - reach, safe + reach), 0, 1)
    errors = np.sort(np.abs(answers - MU).max(axis=1))
    for probability in (0.05, 0.3, 0.5, 0.8, 0.95, 0.99):
        at = law.quantile(probability)
        share = np.searchsorted(errors, at * (1 + 1e-9), side="right") / errors.size
        assert abs(share - float(law.within(np.array(at)))) <= 0.0066
    alpha = (np.arange(500_000) + 0.5) / 500_000
    assert law.mean_square() == pytest.approx(float((2 * alpha * (1 - law.within(alpha))).mean()), rel=1e-4)


@pytest.mark.parametrize("size", [40, 300, 5_000])
def test_order_statistics_cover_the_quantile_as_often_as_they_say(size: int) -> None:
    """With errors i/size the ends name their ranks, and the ranks' binomial probability is the coverage."""
    found = measure.quantile(np.arange(1, size + 1) / (size + 1), 0.95)
    low = round(found.low * (size + 1))
    high = size + 1 if found.high == 1.0 else round(found.high * (size + 1))
    assert binom.cdf(low - 1, size, 0.95) <= 0.005
    assert 1 - binom.cdf(high - 1, size, 0.95) <= 0.005
    assert low <= round(found.value * (size + 1)) <= high


def test_the_realised_sampling_is_the_guilty_control() -> None:
    """Two samples of 4000 from one law differ with a p-value below 10⁻⁶ once in a million."""
    rng = np.random.default_rng(3)
    epsilon = np.exp(rng.uniform(-2, 1, 60))
    dataset = Dataset("s", "s", Mean(), "correlated", rng.random(60), epsilon, "", "")
    ours = realised_outputs(dataset, 4_000, np.random.default_rng(1))[:, 0]
    theirs = FAINT["sm-realised-mean"].draw(dataset.data, epsilon, np.random.default_rng(2), 4_000).ravel()
    assert ks_2samp(ours, theirs).pvalue > 1e-6
    assert sampling_chances(epsilon).max() == pytest.approx(1.0)


def test_the_realised_sampling_of_frequencies_is_the_guilty_control_clipped() -> None:
    """In each of ten categories two samples of 4000 from one law; together a false alarm of 10⁻⁶."""
    rng = np.random.default_rng(4)
    epsilon, data = np.exp(rng.uniform(-2, 1, 60)), rng.integers(0, 10, 60)
    dataset = Dataset("s", "s", Frequency(10), "correlated", data, epsilon, "", "")
    ours = realised_outputs(dataset, 4_000, np.random.default_rng(1))
    theirs = np.clip(FAULTS["sm-realised"].draw(data, epsilon, np.random.default_rng(2), 4_000), 0.0, 1.0)
    assert min(ks_2samp(ours[:, j], theirs[:, j]).pvalue for j in range(10)) > 1e-7


def test_sm_samples_a_handful_of_seventeen_thousand_users() -> None:
    """The note of the frequency table; how many depends on the draw of the demands."""
    sizes = [sampling_chances(rows.cancer(seed).epsilon).sum() for seed in range(1, 13)]
    assert round(sizes[0]) == 14
    assert (round(min(sizes)), round(max(sizes))) == (9, 17)


@pytest.mark.parametrize("task", ["frequency", "mean"])
@pytest.mark.parametrize("metric", ["pac", "mse"])
@pytest.mark.parametrize("kind", ["sharp", "anchored"])
def test_the_theorys_guarantee_is_the_value_that_the_mechanism_minimised(task: str, metric: str, kind: str) -> None:
    dataset = small(task)
    name = f"{'hpf' if task == 'frequency' else 'hpm'}-c{'p' if metric == 'pac' else 'e'}-{kind}"
    promise = algorithms.guaranteed(algorithms.built(name, dataset, metric), dataset, metric)  # type: ignore[arg-type]
    aim = Aim(dataset.outputs, 2 if task == "frequency" else 1, 0.05 if metric == "pac" else None)
    criterion = criteria.sharp_correlated(aim) if kind == "sharp" else criteria.anchored(aim)
    _, value = best_level(Simplex(SortedDemands(budgets(dataset.epsilon))), criterion)
    assert promise == pytest.approx(value, rel=1e-6)


def promises_both_ways() -> list[tuple[str, str, str]]:
    """Every weighted sum of the catalog in every setting it is made for, under both metrics."""
    return [
        (task, each.name, setting)
        for task in ("frequency", "mean")
        for each in entries(task)
        for setting in SETTINGS
        if each.draws == "outputs" and derived(each, setting)
    ]


def derived(known: Entry[Any], setting: str) -> bool:
    """Whether there is a bound case by case: around ½ and on the hull only for what the weights are for."""
    match known.rule:
        case "centred":
            return known.setting == setting
        case "hull" | "secret":
            return setting == "correlated" and known.setting != "weakly-correlated"
        case "stretch":  # around 0
            return False
        case _:
            return True


@pytest.mark.many(5)
@pytest.mark.parametrize(("task", "name", "setting"), promises_both_ways())
def test_the_theorys_guarantee_is_the_one_derived_case_by_case(task: str, name: str, setting: str) -> None:
    """Two derivations from the weights; the quadratures behind mean squares agree to 10⁻⁶."""
    dataset = replace(small(task), setting=setting)  # type: ignore[arg-type]
    for metric in METRICS:
        if entry(name).rule in ("centred", "hull") and metric != entry(name).metric:
            continue  # case by case there is the bound of the metric alone for which their centre is chosen
        mechanism = algorithms.built(name, dataset, metric)
        expected = oracle.guaranteed(mechanism, dataset, metric)
        assert algorithms.guaranteed(mechanism, dataset, metric) == pytest.approx(expected, rel=1e-6)


def test_the_agnostic_rule_is_no_saturation_yet_guarantees_no_less_than_sharp() -> None:
    dataset = rows.synthetic_mean(1, "correlated")
    names = ("hpm-cp-sharp", "hpm-a", "hpm-cp", "prop", "uni", "threshold", "hpm-ct")
    promises = [algorithms.guaranteed(algorithms.built(name, dataset, "pac"), dataset, "pac") or 0.0 for name in names]
    assert promises[0] == min(promises)


def test_capped_noise_is_the_printed_uni() -> None:
    """(10000, 5), W of the paper: 0.370 and 0.043 at the smallest demand e^−6."""
    quantile, square = capped_noise(2.0 / (10_000 * np.exp(-6.0)), 5)
    assert quantile == pytest.approx(0.370, abs=0.0015)
    assert square == pytest.approx(0.043, abs=0.0005)
