"""`hdp-audit check` says what holds: at the end, in plain words, with what its exit code means."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from hdp_audit.config import case_of, read_spec
from hdp_audit.runs.waivers import can_name, possible_findings
from tests.cli.specs import GOOD, REFERENCE, TARGET, document, invoke, odd, written

LAST = dt.date.today() + dt.timedelta(days=30)
PAST = dt.date.today() - dt.timedelta(days=1)


def waiving(text: str, finding: str, until: dt.date = LAST) -> str:
    return f'{text}\n[[waive]]\nfinding = "{finding}"\nreason = "known"\nuntil = {until}\n'


def closing(output: str) -> str:
    return output.splitlines()[-1]


def test_a_spec_is_called_ready_only_where_everything_holds(tmp_path: Path) -> None:
    done = invoke("check", written(tmp_path, REFERENCE))
    assert done.exit_code == 0
    assert closing(done.output).startswith("ready: ")
    assert closing(done.output).endswith("(exit code 0)")


@pytest.mark.parametrize(("name", "code"), [("raises", 2), ("nan", 2), ("no_noise", 1)])
def test_nothing_is_called_sound_before_it_failed(tmp_path: Path, name: str, code: int) -> None:
    spec = odd(tmp_path, name) if name != "no_noise" else written(tmp_path, TARGET.format(name=name))
    done = invoke("check", spec)
    assert done.exit_code == code
    assert "the spec is sound" not in done.output
    assert "\nready: " not in done.output
    assert closing(done.output).startswith("not ready: ")
    assert closing(done.output).endswith(f"(exit code {code})")


AGES = """
def mean_age(ages, epsilon, rng):
    return ages.clip(18, 99).mean() + rng.laplace(0, 81 / len(ages) / epsilon.min())
"""


@pytest.mark.parametrize(
    ("inert", "domain", "noted"), [("report", "", True), ("report", "range = [18, 99]", False), ("allow", "", False)]
)
def test_a_function_that_no_datum_moves_is_noted_before_a_run(
    tmp_path: Path, inert: str, domain: str, noted: bool
) -> None:
    """Data in other units than the function's are the usual reason."""
    (tmp_path / "ages.py").write_text(AGES)
    (tmp_path / "ages.toml").write_text(
        f'[mechanism]\ntarget = "ages.py:mean_age"\ntask = "mean"\ninert = "{inert}"\n'
        f"[demands]\nvalues = [1, 1, 1]\n[privacy]\n" + (f"[domain]\n{domain}\n" if domain else "")
    )
    done = invoke("check", tmp_path / "ages.toml")
    assert ("nobody's datum moves it" in done.output) is noted


def test_a_budget_without_power_is_told_in_the_words_of_statistics(tmp_path: Path) -> None:
    done = invoke("check", written(tmp_path, REFERENCE.replace("detect = 5", "detect = 1.01")))
    assert done.exit_code == 3
    assert "smallest violation detected with 80% power" in done.output
    assert closing(done.output) == (
        "not ready: a run would be inconclusive; increase the budget, or ask for less (exit code 3)"
    )


def test_a_waiver_that_has_expired_is_noted(tmp_path: Path) -> None:
    done = invoke("check", written(tmp_path, waiving(REFERENCE, "hpm-cp/privacy/tier/0.5", PAST)))
    assert f"note: the waiver of hpm-cp/privacy/tier/0.5 expired on {PAST}: a failure of it counts again" in done.output
    assert done.exit_code == 0
    done = invoke("check", written(tmp_path, waiving(REFERENCE, "hpm-cp/privacy/tier/0.5")))
    assert "expired on" not in done.output
    assert done.exit_code == 0


@pytest.mark.parametrize(
    "finding",
    [
        "hpm-cp/privacy/tier/0.6",
        "hpm-cp/privacy/teir/0.5",
        "hpm-ce/privacy/tier/0.5",
        "hpm-cp/privacy/user/10",
        "hpm-cp/privacy/user/01",
        "hpm-cp/privacy/public",
        "hpm-cp/privacy/single",
        "hpm-cp/privacy/pair/0",
        "hpm-cp/accuracy/correlated/pac",
        "hpm-cp/optimality/correlated/pac",
    ],
)
def test_a_waiver_that_can_name_nothing_is_refused_before_the_run(tmp_path: Path, finding: str) -> None:
    done = invoke("check", written(tmp_path, waiving(REFERENCE, finding)))
    assert done.exit_code == 2
    assert f"finding = '{finding}' names nothing that an audit of this spec can find" in done.output


def test_the_nearest_finding_is_offered(tmp_path: Path) -> None:
    done = invoke("check", written(tmp_path, waiving(REFERENCE, "hpm-cp/flaot/bits")))
    assert "did you mean 'hpm-cp/float/bits'?" in done.output


FULL = """
[mechanism]
reference = "hpm-cp"

[demands]
values = [0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 2, 2, 2, "inf"]

[privacy]
detect_single = 2

[accuracy]

[optimality]

[run]
budget = 2000
"""
CUSTOM = """
[mechanism]
target = "release.py:answer"
task = "custom"
pairs = "release.py:pairs"

[demands]
values = [1, 1]

[privacy]

[run]
budget = 2000
"""
ANSWER = """
import math

def answer(data, epsilon, rng):
    return "yes" if (rng.random() < 1 / (1 + math.exp(-1))) == bool(data[0]) else "no"

def pairs():
    yield [0, 0], [1, 0], [0]
    yield [0, 0], [0, 1], [1]
"""


@pytest.mark.parametrize("text", [FULL, CUSTOM, FULL.replace('"inf"', "0"), TARGET.format(name="no_noise")])
def test_every_finding_of_a_run_can_be_waived(tmp_path: Path, text: str) -> None:
    spec = written(tmp_path, text)
    (tmp_path / "release.py").write_text(GOOD + ANSWER)
    invoke("run", spec, "--jobs", 1, "--quiet", "--out", tmp_path / "out")
    case = case_of(read_spec(spec))
    found = {finding["id"] for finding in document(tmp_path / "out")["findings"]}
    assert found
    assert not [name for name in found if not can_name(case, name)]
    only_where_wrong = (
        "/behaviour/",
        "/interrupted",
        "privacy/state",
        "privacy/single-calls",
        "privacy/trace",
        "privacy/search",
    )  # or undecided
    assert {name for name in possible_findings(case) if not any(part in name for part in only_where_wrong)} <= found


def test_a_join_by_position_is_noted(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE + '\n[data]\nfile = "own.csv"\ncolumn = "pay"\n')
    (tmp_path / "own.csv").write_text("id,pay\n" + "".join(f"{place},0.5\n" for place in range(10)))
    assert "note: data and demands are joined by position: only own.csv has ids" in invoke("check", spec).output
