"""Names that users hold on to: commands, options, the Python interface, exit codes of a spec."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.cli import main
from hdp_audit.errors import HdpAuditError
from hdp_audit.model import PrivacyClaim
from mechanisms import build
from mechanisms.noise import float_laplace, word_source
from tests.cli.specs import QUICK, REFERENCE, TARGET, document, invoke, written

ROOT = Path(__file__).parents[2]


def test_the_python_interface_has_the_contracts_names() -> None:
    built = build("hpf-cp", epsilon=[0.5, 1.0, 2.0], categories=12, beta=0.05)
    assert built.weights.sum() == pytest.approx(1)
    assert built.noise_scale > 0
    assert all(built.privacy_loss <= [0.5, 1.0, 2.0])
    assert all(built.privacy_loss[i] >= built.privacy_loss_exact(i) for i in range(3))
    assert all(isinstance(built.privacy_loss_exact(i), Fraction) for i in range(3))
    assert np.shape(built.release(np.array([0, 5, 11]))) == (12,)
    rng = np.random.default_rng(1)
    fast = build("sm", task="mean", epsilon=[0.5, 1.0], noise="float")
    assert len(fast.release_many(np.array([0.0, 1.0]), size=7, rng=rng)) == 7


@pytest.mark.parametrize(("name", "saturated"), [("hpf-cp", True), ("hpf-we", True), ("uni", True), ("hpf-a", False)])
def test_the_level_is_where_weights_saturate_or_none(name: str, saturated: bool) -> None:
    epsilon = np.array([0.5, 1.0, 2.0, 20.0])
    built = build(name, epsilon=epsilon, categories=3)
    assert (built.level is not None) == saturated
    if built.level is not None:
        spent = np.minimum(epsilon, built.level)
        np.testing.assert_allclose(built.weights, spent / spent.sum(), rtol=1e-12)


@pytest.mark.parametrize("name", ["hpm-cp", "sm", "ldp"])
@pytest.mark.parametrize(("noise", "source"), [("exact", "integers"), ("float", "doubles")])
def test_noise_is_exact_and_the_operating_systems_unless_a_generator_or_doubles_are_asked_for(
    name: str, noise: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which source each release draws its Laplace noise from, and with which generator."""
    drawn: list[tuple[str, object]] = []

    def integers(rng: object) -> Any:
        drawn.append(("integers", rng))
        return word_source(rng)  # type: ignore[arg-type]

    def doubles(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        drawn.append(("doubles", rng))
        return float_laplace(scale, shape, rng)

    for module in ("weighted", "baselines.sampling", "baselines.local"):
        monkeypatch.setattr(f"mechanisms.{module}.word_source", integers)
        monkeypatch.setattr(f"mechanisms.{module}.float_laplace", doubles)
    built, data, rng = build(name, task="mean", epsilon=[0.5, 1.0], noise=noise), [0.0, 1.0], np.random.default_rng(1)
    built.release(data)
    assert drawn[-1][0] == source
    assert source == "doubles" or drawn[-1][1] is None
    built.release_many(data, size=7, rng=rng)
    assert drawn[-1] == (source, rng)


def test_a_report_in_python_has_a_verdict_findings_json_and_raises_unless_it_passes() -> None:
    def leaky(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(data.mean() + noise * rng.laplace())

    for scale, verdict in ((0.2, "pass"), (0.0, "fail")):
        noise = scale
        claim = PrivacyClaim(detect=5, floating_point="off")
        report = audit(leaky, epsilon=[0.5] * 10, task="mean", budget=4000, privacy=claim)
        assert report.verdict == verdict == report.to_json()["verdict"]
        assert len(report.findings) == len(report.to_json()["findings"])
        if verdict == "pass":
            report.raise_for_verdict()
        else:
            with pytest.raises(HdpAuditError, match=r"leaky/privacy/tier/0\.5"):
                report.raise_for_verdict()


COMMANDS = "run check bounds prove compare replay experiments init list dossier verify history"
RUN = "--seed --confidence --budget --jobs --executor --out --baseline --quiet --resume --allow-inconclusive"


def test_every_command_and_option_of_the_contract_is_there() -> None:
    assert set(main.commands) == set(COMMANDS.split())
    options = {
        "run": RUN.split(),
        "bounds": ["--epsilon", "--categories", "--beta", "--json"],
        "prove": ["--json"],
        "replay": ["--finding", "--spec", "--export"],
        "dossier": ["--out", "--pdf"],
        "verify": ["--seal"],
        "history": ["--out"],
    }
    for name, wanted in options.items():
        known = {option for parameter in main.commands[name].params for option in parameter.opts}
        assert set(wanted) <= known, name


def test_help_and_the_help_of_every_command_load_no_heavy_library_and_need_no_spec() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from hdp_audit.cli import main\n"
        "for words in ([], *([name] for name in main.commands)):\n"
        "    assert CliRunner().invoke(main, [*words, '--help']).exit_code == 0, words\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'cvxpy', 'z3', 'mpmath', 'rich', 'dask', 'pytest'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr


def test_the_module_is_the_same_program_and_the_plugin_an_entry_point() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"hdp-audit": "hdp_audit.cli:main"}
    assert project["entry-points"]["pytest11"] == {"hdp_audit": "hdp_audit.pytest_plugin"}
    assert project["requires-python"] == ">=3.11"
    done = subprocess.run([sys.executable, "-m", "hdp_audit", "list"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, invoke("list").output)


def test_the_gate_of_the_project_runs_both_commands_of_the_readme() -> None:
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for job in (
        ".venv/bin/pip install tox && .venv/bin/tox",
        '.venv/bin/pip install ".[prove]" && .venv/bin/hdp-audit run',
    ):
        command = f"python3 -m venv .venv && {job}"
        assert command in gate
        assert command in readme


def test_experiments_are_all_or_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def experiments(name: str | None, out: Path, quick: bool, **_: object) -> list[Path]:
        asked.append(name)
        return [out / "README.md"]

    monkeypatch.setattr("hdp_audit.experiments.command.experiments", experiments)
    for arguments in ((), ("mean",)):
        done = invoke("experiments", *arguments, "--out", tmp_path)
        assert (done.exit_code, done.output) == (0, f"{tmp_path / 'README.md'}\n")
    assert asked == [None, "mean"]
    monkeypatch.undo()
    assert invoke("experiments", "no-such-table", "--out", tmp_path).exit_code == 2


def test_reports_go_to_reports_latest_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = written(tmp_path, REFERENCE)
    monkeypatch.chdir(tmp_path)
    assert invoke("run", spec, *QUICK).exit_code == 0
    written_there = {file.name for file in (tmp_path / "reports" / "latest").glob("report.*")}
    assert written_there == {f"report.{kind}" for kind in ("html", "json", "junit.xml", "sarif", "md")}


def test_the_replay_line_of_every_failure_works_where_it_is_shown(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="no_noise")), tmp_path / "out"
    lines = invoke("run", spec, "--out", out, "--jobs", 1).output.splitlines()
    shown = [line.split() for line in lines if line.startswith("  replay: ")]
    assert shown
    assert all(words[1:5] == ["hdp-audit", "replay", f"{out}/report.json", "--finding"] for words in shown)
    assert all(words[-2:] == ["--spec", str(spec)] for words in shown)


@pytest.mark.parametrize("claim", ["privacy", "accuracy", "optimality"])
def test_a_section_that_is_absent_is_not_audited(tmp_path: Path, claim: str) -> None:
    text = REFERENCE.replace("[privacy]\ndetect = 5", f"[{claim}]")
    invoke("run", written(tmp_path, text), "--out", tmp_path / "out", *QUICK)
    kinds = {f["kind"] for f in document(tmp_path / "out")["findings"]} - {"float"}
    assert kinds == {claim}


@pytest.mark.parametrize(("detect", "code"), [("5", 0), ("1.001", 3)])
def test_check_and_run_agree_on_a_budget_that_lacks_power(tmp_path: Path, detect: str, code: int) -> None:
    spec = written(tmp_path, REFERENCE.replace("detect = 5", f"detect = {detect}"))
    assert invoke("check", spec).exit_code == code
    assert invoke("run", spec, "--out", tmp_path / "out", *QUICK).exit_code == code


@pytest.mark.parametrize(("beyond", "code"), [("report", 0), ("inconclusive", 3)])
def test_demands_beyond_the_budget_bind_only_where_the_spec_says_so(tmp_path: Path, beyond: str, code: int) -> None:
    text = TARGET.format(name="private_mean").replace("values = [0.5,", "values = [40,")
    spec = written(tmp_path, text.replace("detect = 5", f'detect = 5\nbeyond = "{beyond}"'))
    assert invoke("check", spec).exit_code == code
    assert invoke("run", spec, "--out", tmp_path / "out", *QUICK).exit_code == code


BAD = """
[mechanism]
target = "release.py:private_mean"
task = "mean"
neighbours = "add-remove"
flavour = "sweet"

[demands]
values = [0.5, -1, nan]

[data]
file = "absent.csv"

[run]
budget = "soon"
"""


@pytest.mark.parametrize("command", ["check", "run"])
def test_everything_wrong_is_told_at_once_with_its_line_and_exit_two(tmp_path: Path, command: str) -> None:
    done = invoke(command, written(tmp_path, BAD))
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    for words in ("line 5", "line 6", "values row 2", "values row 3", "absent.csv", "line 15", "nothing is claimed"):
        assert words in done.output, words
