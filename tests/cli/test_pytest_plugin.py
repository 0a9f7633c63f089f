"""The plugin as a third party uses it."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

import hdp_audit
import hdp_audit.api  # pytester forgets modules that its tests load, and numpy cannot be loaded twice

pytest_plugins = ["pytester"]

MECHANISMS = """
import numpy as np
import pytest

eps = [0.5] * 10

def private_mean(data, epsilon, rng):
    return float(batch(data, epsilon, rng, 1)[0])

def batch(data, epsilon, rng, size):
    return (epsilon @ data + rng.laplace(scale=1.0, size=size)) / epsilon.sum()

private_mean.batch = batch

def no_noise(data, epsilon, rng):
    return float(data.mean())
"""
# An installed entry point registers the plugin by itself; a second time would be refused.
INSTALLED = any(point.value == "hdp_audit.pytest_plugin" for point in entry_points(group="pytest11"))
PLUGIN = () if INSTALLED else ("-p", "hdp_audit.pytest_plugin")


def outcome(pytester: pytest.Pytester, code: str, *more: str) -> pytest.RunResult:
    pytester.makepyfile(MECHANISMS + code)
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", "--strict-markers", *more)


def test_a_failing_test_shows_the_witness(pytester: pytest.Pytester) -> None:
    code = """
@pytest.mark.hdp_audit(budget=4000)
def test_release(hdp_audit):
    hdp_audit(no_noise, epsilon=eps, task="mean")
"""
    result = outcome(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["no_noise: fail at confidence 0.999", "fail: no_noise/privacy/*", "*base: *", "seed 1, *"]
    )


def test_a_sound_mechanism_passes_and_the_report_is_returned(pytester: pytest.Pytester) -> None:
    code = """
def test_release(hdp_audit):
    report = hdp_audit(private_mean, epsilon=eps, task="mean", budget=4000, detect=5.0)
    assert report.verdict == "pass"

def test_too_few_calls_fail_unless_that_is_allowed(hdp_audit):
    settings = {"epsilon": eps, "task": "mean", "budget": 4000, "detect": 1.001}
    assert hdp_audit(private_mean, **settings, allow_inconclusive=True).verdict == "inconclusive"
    with pytest.raises(pytest.fail.Exception, match="inconclusive"):
        hdp_audit(private_mean, **settings)
"""
    outcome(pytester, code).assert_outcomes(passed=2)


def test_a_marker_gives_defaults_that_the_call_may_change(pytester: pytest.Pytester) -> None:
    code = """
@pytest.mark.hdp_audit(budget=4000, detect=5.0, seed=7, confidence=0.99)
def test_release(hdp_audit):
    report = hdp_audit(private_mean, epsilon=eps, task="mean", confidence=0.9)
    assert (report.seed, report.confidence) == (7, 0.9)
"""
    outcome(pytester, code).assert_outcomes(passed=1)


def test_bad_input_is_a_sentence(pytester: pytest.Pytester) -> None:
    code = """
def test_release(hdp_audit):
    hdp_audit(private_mean, epsilon=[-1.0], task="mean")
"""
    result = outcome(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["hdp_audit: *a demand is a number from 0 to inf*"])


def test_the_plugin_loads_nothing_heavy_until_it_is_used(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(hdp_audit.__file__).parents[1]))
    pytester.makepyfile("import sys\ndef test_light():\n    assert 'scipy' not in sys.modules\n")
    result = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)


def test_the_marker_is_known(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*PLUGIN, "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.hdp_audit(?*options)*"])


def test_a_session_is_an_option_like_others(pytester: pytest.Pytester) -> None:
    code = '''
class Service:
    def __init__(self, data, epsilon, rng):
        self.given = data, epsilon, rng

def analyst(service):
    """Forgets to return what it was told."""

def test_service(hdp_audit):
    hdp_audit(Service, session=analyst, epsilon=[0.5] * 4, task="mean", budget=1000)
'''
    result = outcome(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*error: Service/behaviour/call/wrong-type: *nothing from the analyst*"])


SUMMARY = """
@pytest.mark.parametrize("demand", [0.5, 1.0])
def test_release(hdp_audit, demand):
    hdp_audit(private_mean, epsilon=[demand] * 10, task="mean", detect=9, floating_point="warn")
"""


@pytest.mark.parametrize("more", [(), pytest.param(("-n", "2"), marks=pytest.mark.full)])
def test_options_give_a_budget_a_folder_of_reports_and_a_summary(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    if more:
        monkeypatch.setenv("PYTHONPATH", str(Path(hdp_audit.__file__).parents[1]))
        monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(MECHANISMS + SUMMARY)
    options = (*PLUGIN, "-p", "no:cacheprovider", "--hdp-audit-budget=1_500", "--hdp-audit-report=audits", *more)
    result = pytester.runpytest_subprocess(*options) if more else pytester.runpytest_inprocess(*options)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["*= hdp-audit =*", "*test_release[[]0.5]: private_mean: pass, *promised (detectable): *"]
    )
    assert len(list((pytester.path / "audits").glob("*/report.html"))) == 2


def test_options_are_in_the_help_and_checked(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*PLUGIN, "--help")
    result.stdout.fnmatch_lines(["*--hdp-audit-report=DIR*", "*--hdp-audit-budget=N*", "*--hdp-audit-traceback*"])
    assert pytester.runpytest_inprocess(*PLUGIN, "--hdp-audit-budget=some").ret == pytest.ExitCode.USAGE_ERROR


DEEP = """
def outer(data, epsilon, rng):
    return middle(data)

def middle(data):
    return inner(data)

def inner(data):
    return innermost(data)

def innermost(data):
    raise ValueError("no table")

def test_release(hdp_audit):
    hdp_audit(outer, epsilon=eps, task="mean", budget=50)
"""
LINES = ["    *.py line * in outer", "    *.py line * in middle"]


def test_every_frame_of_an_exception_is_shown_where_it_is_asked_for(pytester: pytest.Pytester) -> None:
    few = outcome(pytester, DEEP)
    few.stdout.fnmatch_lines(["*no table*innermost*", "*--hdp-audit-traceback shows all 4 frames"])
    few.stdout.no_fnmatch_line(LINES[0])
    every = outcome(pytester, DEEP, "--hdp-audit-traceback")
    every.stdout.fnmatch_lines(["*the calls, the last one last:", *LINES, "* in inner", "* in innermost"])


def test_a_setting_that_contradicts_the_claim_is_a_sentence(pytester: pytest.Pytester) -> None:
    code = """
def test_release(hdp_audit):
    from hdp_audit import PrivacyClaim
    hdp_audit(private_mean, epsilon=eps, task="mean", privacy=PrivacyClaim(), floating_point="warn")
"""
    result = outcome(pytester, code)
    result.stdout.fnmatch_lines(
        ["hdp_audit: floating_point = 'warn', but privacy = PrivacyClaim(floating_point='fail')*"]
    )


def test_a_marker_makes_a_gate_without_chance(pytester: pytest.Pytester) -> None:
    code = """
@pytest.mark.hdp_audit(trace="only", budget=20_000)
def test_traced(hdp_audit):
    assert hdp_audit(private_mean, epsilon=[0.5] * 3, task="mean").findings[0].evidence == "traced"
"""
    outcome(pytester, code).assert_outcomes(passed=1)
