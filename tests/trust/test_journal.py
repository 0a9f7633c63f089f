"""A journal believes only what its own run wrote: no edit, no mixture, no accident becomes a finding."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hdp_audit
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import Finding
from hdp_audit.runs.journal import NAME, Journal, read
from tests.cli.specs import REFERENCE, TARGET, invoke, written

SHARE = Share(1000, 1e-4, 0.999, 1)
NAMES = ("m/behaviour", "m/privacy/tier/0", "m/privacy/screen", "m/accuracy", "theory/upper")
PLAN: dict[str, Share | None] = {**dict.fromkeys(NAMES[:-1], SHARE), NAMES[-1]: None}
HEADER = {"seed": 1, "confidence": 0.999, "budget": 4000, "numpy": "2.0"}
FILES = {"release.py": "ab" * 32}
Lines = list[bytes]


def outcome(name: str, seed: int = 1) -> Outcome:
    verdict = "fail" if name.endswith("0") else "pass"
    finding = Finding(name, "m", "accuracy", verdict, "tested", f"seed {seed}", calls=1234, claimed=0.5)
    return Outcome((finding,), 1234, None, {"number": 0.25, "seed": seed})


def journal(path: Path, header: dict[str, Any] = HEADER, seed: int = 1) -> Journal:
    found = Journal(path, header, PLAN, FILES)
    found.start()
    for name in NAMES:
        found.add(name, outcome(name, seed))
    return found


def shown(found: dict[str, Outcome]) -> dict[str, str]:
    return {name: repr((entry.findings, entry.calls, entry.details)) for name, entry in found.items()}


GENUINE = {name: repr((outcome(name).findings, 1234, outcome(name).details)) for name in NAMES}


def edits(lines: Lines, other: Lines) -> Iterator[tuple[str, bytes]]:
    """Every kind of edit at every place: what was done to it, and the file."""

    def whole(*parts: Lines) -> bytes:
        return b"".join(line + b"\n" for part in parts for line in part)

    changes: list[tuple[str, Callable[[bytes], bytes]]] = [
        ("a verdict is flipped", lambda line: line.replace(b'"fail"', b'"pass"').replace(b'"m"', b'"n"')),
        ("calls are changed", lambda line: line.replace(b"1234", b"4321")),
        ("a number is changed", lambda line: line.replace(b"0.25", b"0.26")),
        ("the name is changed", lambda line: re.sub(rb'"check": "[^"]*"', b'"check": "m/other"', line)),
        ("another check's name", lambda line: re.sub(rb'"check": "[^"]*"', b'"check": "m/accuracy"', line)),
        ("the share is changed", lambda line: line.replace(b"0.0001", b"0.001")),
        ("the seed is changed", lambda line: line.replace(b'"seed": 1', b'"seed": 2')),
        ("the budget is changed", lambda line: line.replace(b"4000", b"5000")),
        ("the version is changed", lambda line: line.replace(b'"2.0"', b'"2.1"')),
        ("a file's hash is changed", lambda line: line.replace(b"abab", b"cdcd", 1)),
        ("the run is changed", lambda line: re.sub(rb'"run": "\w', b'"run": "z', line)),
        ("the format is changed", lambda line: line.replace(b'"journal": 2', b'"journal": 1')),
        ("the sum is changed", lambda line: re.sub(rb'"sum": "(\w)', lambda m: b'"sum": "' + _other(m[1]), line)),
        ("the sum is removed", lambda line: re.sub(rb'"sum": "\w+", ', b"", line)),
        ("a space is added", lambda line: line + b" "),
        ("the end is cut off", lambda line: line[:-5]),
        ("it is emptied", lambda _: b""),
        ("it becomes another run's", lambda line: other[lines.index(line)]),
        ("its bytes are noise", lambda _: b"\x00\xff\x80"),
        ("a return is added", lambda line: line + b"\r"),
    ]
    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        for what, change in changes:
            if change(line) != line:
                yield f"line {number + 1}: {what}", whole(before, [change(line)], after)
        yield f"line {number + 1}: doubled", whole(before, [line, line], after)
        yield f"line {number + 1}: a blank line before", whole(before, [b""], [line], after)
        yield f"line {number + 1}: another run's line before", whole(before, [other[number]], [line], after)
        if after:
            yield f"line {number + 1}: removed", whole(before, after)
            yield f"line {number + 1}: swapped with the next", whole(before, [after[0], line], after[1:])
            yield f"line {number + 1}: moved to the end", whole(before, after, [line])
            yield f"line {number + 1}: the rest is another run's", whole(before, [line], other[number + 1 :])
            yield f"line {number + 1}: two lines joined", whole(before, [line + after[0]], after[1:])
    yield "interleaved", whole(*([one, two] for one, two in zip(lines, other, strict=True)))
    yield "two journals", whole(lines, other)


def _other(digit: bytes) -> bytes:
    return b"0" if digit != b"0" else b"1"


def test_no_edited_journal_is_believed(tmp_path: Path) -> None:
    """Refused; or, where bytes are missing at the very end, what is left is genuine."""
    path = tmp_path / NAME
    journal(path)
    lines = path.read_bytes().splitlines()
    journal(tmp_path / "other", {**HEADER, "seed": 2}, seed=2)
    other = (tmp_path / "other").read_bytes().splitlines()
    assert shown(Journal(path, HEADER, PLAN, FILES).resume()) == GENUINE
    believed, refusals, count = [], [], 0
    for what, content in edits(lines, other):
        count += 1
        path.write_bytes(content)
        try:
            Journal(path, HEADER, PLAN, FILES).resume()
        except InvalidInput as why:
            refusals.append(str(why))
        else:
            believed.append(what)
    assert not believed
    assert all("start anew without --resume" in words for words in refusals)
    assert count > 100


def test_a_journal_cut_anywhere_gives_back_genuine_checks_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / NAME
    journal(path)
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    for size in range(0, len(content), 37):
        path.write_bytes(content[:size])
        resumed = Journal(path, HEADER, PLAN, FILES)
        if size < header:
            with pytest.raises(InvalidInput, match="start anew"):
                resumed.resume()
            continue
        found = shown(resumed.resume())
        assert len(found) == content[:size].count(b"\n") - 1
        assert found == {name: GENUINE[name] for name in NAMES[: len(found)]}
        assert content.startswith(path.read_bytes())  # cut, never written anew
        for name in NAMES[len(found) :]:
            resumed.add(name, outcome(name))
        assert path.read_bytes() == content


def test_lines_of_another_run_with_the_same_numbers_are_not_believed(tmp_path: Path) -> None:
    """Same spec, same seed: only the run's own key tells them apart."""
    journal(tmp_path / "one")
    journal(tmp_path / "two")
    one, two = ((tmp_path / name).read_bytes().splitlines(keepends=True) for name in ("one", "two"))
    (tmp_path / "one").write_bytes(b"".join([*one[:2], two[2], *one[3:]]))
    with pytest.raises(InvalidInput, match="line 3: is damaged"):
        read(tmp_path / "one")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({name: PLAN[name] for name in NAMES[1:]}, "holds the check 'm/behaviour', which this run does not have"),
        ({**PLAN, "m/accuracy": Share(1000, 1e-3, 0.999, 1)}, "m/accuracy was done with another share"),
        ({**PLAN, "m/accuracy": Share(1001, 1e-4, 0.999, 1)}, "m/accuracy was done with another share"),
    ],
)
def test_what_is_not_planned_is_not_believed(tmp_path: Path, plan: dict[str, Share | None], words: str) -> None:
    journal(tmp_path / NAME)
    with pytest.raises(InvalidInput, match=words):
        Journal(tmp_path / NAME, HEADER, plan, FILES).resume()


def test_resuming_never_writes_the_journal_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill at any moment of a resume loses nothing: the bytes before stay, whatever fails."""
    path = tmp_path / NAME
    journal(path)
    content, inode = path.read_bytes(), path.stat().st_ino

    def killed(*_: object) -> None:
        raise OSError(errno.EIO, "killed here")

    for name in ("ftruncate", "fsync", "fdopen"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, killed)
            with pytest.raises((OSError, HdpAuditError)):
                Journal(path, HEADER, PLAN, FILES).resume()
        assert path.read_bytes() == content
    Journal(path, HEADER, PLAN, FILES).resume()
    assert (path.read_bytes(), path.stat().st_ino) == (content, inode)


def test_each_line_is_on_the_disk_before_the_next_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    really = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(os.fstat(handle).st_size), really(handle)))
    journal(tmp_path / NAME)
    lines = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
    assert synced == [sum(map(len, lines[: number + 1])) for number in range(len(lines))]


def test_the_journal_follows_no_link_and_opens_no_pipe(tmp_path: Path) -> None:
    spec, out, precious = written(tmp_path, REFERENCE), tmp_path / "out", tmp_path / "precious"
    out.mkdir()
    precious.write_text("precious")
    (out / NAME).symlink_to(precious)
    for more in ([], ["--resume"]):
        done = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", *more)
        assert done.exit_code == 2, done.output
        assert "it is a link" in done.output
    assert precious.read_text() == "precious"
    (out / NAME).unlink()
    os.mkfifo(out / NAME)
    done = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    assert done.exit_code == 2
    assert "is no plain file" in done.output


def test_the_folder_may_be_a_link_and_the_journal_is_as_private_as_the_umask_says(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    before = os.umask(0o077)
    try:
        done = invoke("run", written(tmp_path, REFERENCE), "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    finally:
        os.umask(before)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "real" / NAME).stat().st_mode & 0o777 == 0o600


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    spec, out = written(tmp_path, REFERENCE), tmp_path / "out"
    assert invoke("run", spec, "--out", out, "--jobs", 1, "--quiet").exit_code == 0
    content = (out / NAME).read_bytes()
    with (out / NAME).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for more in (["--seed", 2], ["--resume"]):
            done = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", *more)
            assert done.exit_code == 2, done.output
            assert "another run is writing there" in done.output
    assert (out / NAME).read_bytes() == content


def test_the_lock_of_a_killed_run_blocks_nobody(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="stuck")), tmp_path / "out"
    body = "import time\ndef stuck(data, epsilon, rng):\n    time.sleep(20)\n"
    (tmp_path / "release.py").write_text(body)
    command = [sys.executable, "-m", "hdp_audit", "run", str(spec), "--out", str(out), "--jobs", "1"]
    paths = {**os.environ, "PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=paths)  # noqa: S603
    try:
        while not (out / NAME).exists() or not (out / NAME).read_bytes().count(b"\n"):
            assert process.poll() is None
            time.sleep(0.05)
        done = invoke("run", spec, "--out", out, "--quiet")
        assert done.exit_code == 2
        assert "another run is writing there" in done.output
    finally:
        process.kill()
        process.wait()
    written(tmp_path, REFERENCE)
    assert invoke("run", spec, "--out", out, "--jobs", 1, "--quiet").exit_code == 0
