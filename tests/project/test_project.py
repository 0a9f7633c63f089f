"""What holds the project together beside its code: versions, extras, tox, hooks, the workflow, the fast selection."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tomllib
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace

import pytest

import hdp_audit
from tests import slow
from tests.conftest import thinned
from tests.processors import spent

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]


def tox() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "tox.ini", encoding="utf-8")
    return parser


def lower_ends(requirements: list[str]) -> dict[str, str]:
    found = (re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in requirements)
    return {match[1]: match[2] for match in found if match}


def test_the_version_is_written_once() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "hdp_audit/__init__.py"
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert heading
    assert hdp_audit.__version__.partition(".dev")[0] == heading[1]


def test_every_dependency_has_a_lower_end_that_the_lowest_environment_uses() -> None:
    wanted = lower_ends([*PROJECT["project"]["dependencies"], *EXTRAS["prove"]])
    assert len(wanted) == len(PROJECT["project"]["dependencies"]) + len(EXTRAS["prove"])
    lines = (ROOT / ".ci" / "lowest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pinned.keys() == wanted.keys()
    for name, version in pinned.items():  # 8.1 may be pinned as 8.1.0: the first release of that name
        assert re.fullmatch(re.escape(wanted[name]) + r"(\.0|\.1)*", version), name


def test_z3_is_an_extra_and_statsmodels_is_not() -> None:
    names = {re.split(r"[<>=\[]", line)[0] for line in PROJECT["project"]["dependencies"]}
    assert {"numpy", "scipy", "sympy", "statsmodels", "click", "rich", "jinja2"} <= names
    assert not {"z3-solver", "cvxpy", "pandas"} & names
    assert lower_ends(EXTRAS["prove"]).keys() == {"z3-solver"}


def test_the_fast_selection_runs_first_and_every_environment_takes_its_tools_from_the_project() -> None:
    config = tox()
    assert config["tox"]["env_list"] == "gate"
    assert config["testenv:gate"]["commands"].split() == ["{[testenv:lint]commands}", "{[testenv:tests]commands}"]
    assert not {"--fast", "--rest"} & set(config["testenv:tests"]["commands"].split())  # all, in conftest's order
    asked = {name for section in config.sections() for name in config[section].get("extras", "").split(", ") if name}
    assert asked <= EXTRAS.keys()
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    environments = [section.partition(":")[2] for section in config.sections() if ":" in section]
    assert not [name for name in environments if f"`tox -e {name}`" not in contributing]


def test_hooks_and_workflow_run_what_tox_runs() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    for line in tox()["testenv:lint"]["commands"].split("\n"):
        assert line.removesuffix(" .") in hooks
    assert set(re.findall(r"repo: (.*)", hooks)) == {"local"}  # nothing is fetched
    assert set(re.findall(r"language: (.*)", hooks)) == {"system"}
    flow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    versions = [name.rpartition(" ")[2] for name in PROJECT["project"]["classifiers"] if "Python :: 3." in name]
    assert all(f'"{version}"' in flow for version in versions)
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", action) for action in re.findall(r"uses: (.*)", flow))
    assert all(word in flow for word in ("fast", "lint", "tests", "browser", "lowest", "docs"))


@pytest.mark.parametrize(("seconds", "number"), [(0.0, 100), (0.01, 10), (0.09, 1), (0.3, 1), (0.31, 0)])
def test_a_test_keeps_the_cases_that_fit_into_its_allowance(seconds: float, number: int) -> None:
    cases = list(range(100))
    chosen = slow.kept(cases, seconds)
    assert len(chosen) == len(set(chosen)) == number
    gaps = {later - earlier for earlier, later in pairwise(chosen)}
    assert len(gaps) <= 1  # spread evenly


def test_only_tests_that_take_more_than_their_allowance_are_listed() -> None:
    listing = slow.written({"test_a": [0.05, 0.04], "test_b": [0.3, 0.1], "fixture": [7.0]})
    assert listing == "7.000 fixture\n0.200 test_b\n"
    assert all(seconds > 0 for seconds in slow.listed().values())


def test_what_other_processes_spent_is_counted() -> None:
    before = spent()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    assert spent() - before > 0.2


def test_the_list_of_slow_tests_names_tests_and_fixtures_that_exist() -> None:
    sources = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*.py"))
    defined = set(re.findall(r"^\s*def (\w+)\(", sources, flags=re.MULTILINE))
    assert not slow.listed().keys() - defined


def test_benchmarks_are_listed_with_what_they_measure_and_run_by_name() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "run.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    names = {file.stem for file in (ROOT / "benchmarks").glob("*.py")}
    listed = [line.split()[0] for line in done.stdout.rpartition("\n\n")[2].splitlines()]
    assert {"false_alarms", "tightness", "privacy_operating"} <= set(listed) < names
    page = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert not [name for name in listed if f"`{name}`" not in page]
    assert not [name for name in names if f"`{name}`" not in page and f"`{name}.py`" not in page]
    passed = subprocess.run([*command, "tightness", "--help"], capture_output=True, text=True, check=False)  # noqa: S603
    assert passed.returncode == 0
    assert passed.stdout.startswith("usage: tightness.py")
    wrong = subprocess.run([*command, "nonsense"], capture_output=True, text=True, check=False)  # noqa: S603
    assert wrong.returncode == 2
    assert "give one of: " in wrong.stderr


def test_xdist_sends_a_group_to_one_worker(tmp_path: Path) -> None:
    """Else what many tests read is made by each worker, and nobody notices but the clock."""
    (tmp_path / "test_group.py").write_text(
        "import os, pathlib, pytest\n"
        "@pytest.mark.xdist_group('one')\n"
        "@pytest.mark.parametrize('number', range(4))\n"
        "def test_it(number):\n"
        "    pathlib.Path(os.environ['PYTEST_XDIST_WORKER'] + '.seen').touch()\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert done.returncode == 0, done.stdout
    assert len(list(tmp_path.glob("*.seen"))) == 1


class Case(SimpleNamespace):
    """A case of a test marked `many(3)`; two are never the same."""

    __hash__, __eq__ = object.__hash__, object.__eq__

    def get_closest_marker(self, _: str) -> SimpleNamespace:
        return SimpleNamespace(args=(3,))

    def iter_markers(self, _: str) -> list[SimpleNamespace]:
        return [SimpleNamespace(args=("name, size",)), SimpleNamespace(args=(["kind"],))]


def test_each_nth_case_still_meets_every_entry_of_every_list() -> None:
    pairs = [("a", 1), ("b", 1), ("c", 1)]
    cases = [
        Case(
            name="test", callspec=SimpleNamespace(params={"name": name, "size": size, "kind": kind, "fixture": fixture})
        )
        for (name, size), kind, fixture in product(pairs, "xyz", (False, True))
    ]
    left = [item.callspec.params for item in cases if item not in thinned(cases)]
    assert len(left) == len(cases) // 3
    for part, entries in {"name": 3, "kind": 3, "fixture": 2}.items():
        assert len({found[part] for found in left}) == entries
