"""A pass is about the code that was run: no `--resume` and no `replay` where any of it has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hdp_audit.targets.command import Command
from hdp_audit.targets.python import Target
from hdp_audit.targets.sources import Sources, changed, combined
from tests.cli.specs import REFERENCE, TARGET, document, invoke, written

QUICK = ("--jobs", 1, "--quiet")
SMALL = TARGET.replace("detect = 5", "detect = 20").replace("budget = 4000", "budget = 1000")
NOISE = "SCALE = 1.0\n"
RELEASE = """
import numpy as np
{imports}
def private_mean(data, epsilon, rng):
    {inside}
    spent = np.minimum(epsilon, 0.5)
    return float((spent @ data + rng.laplace(scale=SCALE)) / spent.sum())
"""
# How the scale of the noise gets into the mechanism: what stands at the top, what stands in the function.
WAYS = {
    "at the top": ("from noise_of_test import SCALE", ""),
    "in the function": ("", "from noise_of_test import SCALE"),
    "by its name": ("", "import importlib; SCALE = importlib.import_module('noise_' + 'of_test').SCALE"),
    "through another": ("from middle_of_test import SCALE", ""),
    "from a package": ("from package_of_test.deep.noise import SCALE", ""),
}


def mechanism(folder: Path, way: str) -> tuple[Path, Path]:
    """A spec, and the file that holds the scale of its noise."""
    spec = written(folder, SMALL.format(name="private_mean"))
    imports, inside = WAYS[way]
    (folder / "release.py").write_text(RELEASE.format(imports=imports, inside=inside or "pass"))
    noise = folder / "noise_of_test.py"
    if way == "from a package":
        noise = folder / "package_of_test" / "deep" / "noise.py"
        noise.parent.mkdir(parents=True)
        (folder / "package_of_test" / "__init__.py").write_text("")
    (folder / "middle_of_test.py").write_text("from noise_of_test import SCALE\n")
    noise.write_text(NOISE)
    return spec, noise


@pytest.mark.parametrize("way", [way for way in WAYS if way != "by its name"])
def test_imports_are_found_without_running_anything(tmp_path: Path, way: str) -> None:
    _, noise = mechanism(tmp_path, way)
    sources = Sources(tmp_path, (Target("release.py:private_mean", tmp_path),))
    then = sources.files()
    noise.write_text("SCALE = 0.0\n")
    now = {name: file.sha256 for name, file in sources.files().items()}
    name = noise.relative_to(tmp_path).as_posix()
    assert changed({key: file.sha256 for key, file in then.items()}, now) == [f"{name} has changed"]


@pytest.mark.parametrize("way", ["at the top", "by its name"])
def test_a_run_is_not_resumed_nor_replayed_when_an_imported_file_changed(tmp_path: Path, way: str) -> None:
    """Yesterday's pass is not today's: the noise is gone."""
    (spec, noise), out = mechanism(tmp_path, way), tmp_path / "out"
    replay = ("replay", out / "report.json", "--finding", "private_mean/privacy/tier/0.5", "--spec", spec)
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    name = noise.relative_to(tmp_path).as_posix()
    assert name in document(out)["environment"]["files"]
    assert invoke("run", spec, "--out", out, *QUICK, "--resume").exit_code == 0
    assert invoke(*replay).exit_code == 0
    noise.write_text("SCALE = 0.0\n")
    for again in (("run", spec, "--out", out, *QUICK, "--resume"), replay):
        done = invoke(*again)
        assert done.exit_code == 2, done.output
        assert f"{name} has changed" in done.output


def test_reports_hold_hashes_by_relative_names_and_no_paths(tmp_path: Path) -> None:
    """A file outside of the spec's folder goes by its module's name."""
    folder, elsewhere = tmp_path / "spec", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    spec = written(folder, SMALL.format(name="private_mean"))
    (elsewhere / "outside_of_test.py").write_text(NOISE)
    imports = f"import sys; sys.path.append({str(elsewhere)!r})\nfrom outside_of_test import SCALE"
    (folder / "release.py").write_text(RELEASE.format(imports=imports, inside="pass"))
    out = tmp_path / "out"
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    environment = document(out)["environment"]
    assert set(environment["files"]) == {"release.py", "outside_of_test"}
    assert environment["mechanism_sha256"] == combined(environment["files"])
    assert str(tmp_path) not in json.dumps(document(out))
    assert str(tmp_path) not in (out / "journal.jsonl").read_text()
    (elsewhere / "outside_of_test.py").write_text("SCALE = 0.0\n")
    done = invoke("run", spec, "--out", out, *QUICK, "--resume")
    assert done.exit_code == 2
    assert "outside_of_test has changed" in done.output


@pytest.fixture(scope="module")
def done_before(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A spec, the folder of its run and the first finding there."""
    folder = tmp_path_factory.mktemp("versions")
    spec, out = written(folder, REFERENCE), folder / "out"
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    return spec, out, document(out)["findings"][0]["id"]


@pytest.mark.xdist_group("versions")  # one worker has the run
@pytest.mark.parametrize("key", ["hdp_audit", "hdp_audit_sha256", "python", "numpy", "scipy"])
def test_other_versions_are_refused_by_resume_and_by_replay(
    done_before: tuple[Path, Path, str], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    from hdp_audit.targets import fingerprint

    spec, out, finding = done_before
    monkeypatch.setattr(fingerprint, "versions", lambda own=fingerprint.versions: {**own(), key: "0.0.other"})
    replay = ("replay", out / "report.json", "--finding", finding, "--spec", spec)
    for again in (("run", spec, "--out", out, *QUICK, "--resume"), replay):
        done = invoke(*again)
        assert done.exit_code == 2, done.output
        assert f"{key}: " in done.output
        assert "0.0.other" in done.output


CHANGING = """
import pathlib
import numpy as np
def private_mean(data, epsilon, rng):
    if data.sum() > 0:
        pathlib.Path(__file__).with_name("helper_of_test.py").write_text("SCALE = 2\\n")
    return float((0.5 * data.sum() + rng.laplace()) / (0.5 * data.size))
import helper_of_test
"""


def test_a_file_that_changes_while_the_audit_runs_ends_it(tmp_path: Path) -> None:
    """The report would be about two mechanisms."""
    spec = written(tmp_path, SMALL.format(name="private_mean"))
    (tmp_path / "release.py").write_text(CHANGING)
    (tmp_path / "helper_of_test.py").write_text("SCALE = 1\n")
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    assert "helper_of_test.py" in done.output
    assert not (tmp_path / "out" / "report.json").exists()


def test_a_program_is_its_executable_its_interpreter_its_script_and_every_file_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("#!/bin/sh\nexec cat\n")
    (tmp_path / "release").chmod(0o755)
    (tmp_path / "x.py").write_text("import sibling\ndef f():\n    from package import late\n")
    (tmp_path / "sibling.py").write_text("")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "late.py").write_text("")
    (tmp_path / "model.txt").write_text("1")

    def files(*arguments: str) -> set[str]:
        return set(Sources(tmp_path, command=Command(arguments, tmp_path)).files())

    assert files("./release", "--model=model.txt") == {"release", "sh", "model.txt"}
    python = sys.executable
    assert files(python, "x.py", "model.txt") == {
        Path(python).name,
        "x.py",
        "sibling.py",
        "package/late.py",
        "model.txt",
    }
    assert files(python, "-m", "package.late") == {Path(python).name, "package/late.py"}
    assert files("cat", "x" * 5000) == {"cat"}


@pytest.mark.skipif(shutil.which("perl") is None, reason="needs perl")
def test_a_script_that_changed_is_not_resumed(tmp_path: Path) -> None:
    root = Path(__file__).parents[2] / "examples"
    scripts = sorted(root.rglob("*.pl"))
    assert scripts
    spec = tmp_path / "spec.toml"
    shutil.copy(scripts[0], tmp_path / "release.pl")
    command = 'command = ["perl", "release.pl"]'
    written(tmp_path, SMALL.replace('target = "release.py:{name}"', command), "spec.toml")
    out = tmp_path / "out"
    assert invoke("run", spec, "--out", out, *QUICK).exit_code in (0, 1, 2, 3)
    assert set(document(out)["environment"]["files"]) == {"perl", "release.pl"}
    (tmp_path / "release.pl").write_text((tmp_path / "release.pl").read_text() + "\n# another\n")
    done = invoke("run", spec, "--out", out, *QUICK, "--resume")
    assert done.exit_code == 2
    assert "release.pl has changed" in done.output


def test_the_commit_is_recorded_where_there_is_one(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    spec, out = written(tmp_path, REFERENCE), tmp_path / "out"
    invoke("run", spec, "--out", out, *QUICK)
    assert document(out)["environment"]["git"] is None

    def git(*words: str) -> str:
        options = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(tmp_path), *options, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603

    git("init", "-q")
    git("add", "hdp-audit.toml", "release.py")
    git("commit", "-qm", "all")
    for dirty in (False, True):
        invoke("run", spec, "--out", out, *QUICK)
        assert document(out)["environment"]["git"] == {"commit": git("rev-parse", "HEAD"), "dirty": dirty}
        spec.write_text(spec.read_text() + "\n")


def test_a_report_names_files_but_imports_nothing(tmp_path: Path) -> None:
    """Looking for a file that a report names must not run the package around it."""
    (tmp_path / "trap_of_test").mkdir()
    (tmp_path / "trap_of_test" / "__init__.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "trap_of_test" / "inner.py").write_text("")
    (tmp_path / "m.py").write_text("def f(): pass\n")
    folder = tmp_path / "spec"
    folder.mkdir()
    sources = Sources(folder, (Target("../m.py:f", folder),))
    sys.path.append(str(tmp_path))
    try:
        found = sources.files(["trap_of_test.inner", "no.such", "", "..", "/etc", "a\0b"])
    finally:
        sys.path.remove(str(tmp_path))
    assert set(found) == {"../m.py", "trap_of_test.inner"}
    assert "trap_of_test" not in sys.modules


def test_what_changed_is_named() -> None:
    then, now = {"a": "1", "b": "1", "c": "1"}, {"a": "1", "b": "2", "d": "1"}
    assert changed(then, now) == ["b has changed", "c is missing", "d is new"]
    assert changed(then, dict(then)) == []
    assert combined({"a": "1", "b": "2"}) == combined({"b": "2", "a": "1"}) != combined({"a": "2", "b": "1"})


def test_every_check_says_which_files_it_loaded(tmp_path: Path) -> None:
    """Not only the first one in a process: that one may have been an accident, which no journal keeps."""
    from hdp_audit.runs.journal import NAME, read

    (spec, _), out = mechanism(tmp_path, "by its name"), tmp_path / "out"
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    found = read(out / NAME)
    assert "noise_of_test.py" not in found.header["files"]
    assert len(found.entries) > 1
    assert all(set(entry.files) == {"noise_of_test.py"} for entry in found.entries.values())


@pytest.mark.parametrize("file", ["release_of_test.py", "noise_of_test.py"])
def test_a_number_mended_within_the_second_is_run_as_it_is_now(tmp_path: Path, file: str) -> None:
    both = "import noise_of_test\nOWN = 1.0\nfound = lambda: (OWN, noise_of_test.SCALE)"
    (tmp_path / "release_of_test.py").write_text(both)
    (tmp_path / "noise_of_test.py").write_text("SCALE = 1.0")
    code = (
        "import sys; from pathlib import Path; from hdp_audit.targets.python import Target\n"
        "print(*Target('release_of_test.py:found', Path(sys.argv[1])).load()())"
    )
    said = []
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for number in ("1.0", "2.0"):
        text = (tmp_path / file).read_text()
        (tmp_path / file).write_text(text.replace("1.0", number))
        os.utime(tmp_path / file, (1e9, 1e9))  # the cache goes by size and second
        run = [sys.executable, "-c", code, str(tmp_path)]
        done = subprocess.run(run, capture_output=True, text=True, check=True, env=env)  # noqa: S603 - Python itself
        said.append(done.stdout.split())
    assert said[0] == ["1.0", "1.0"]
    assert said[1].count("2.0") == 1
