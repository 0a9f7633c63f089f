"""A dossier on disk: written once into a folder of its own, and checked against its checksums."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.reporting.dossier.entry import Entry, together
from hdp_audit.reporting.dossier.page import dossier_page
from hdp_audit.reporting.dossier.registry import registry_entries
from hdp_audit.reporting.dossier.sums import NAME, edits, seal, sums
from hdp_audit.reporting.rebuilt import rebuilt
from hdp_audit.reporting.report_json import dumps, plain, read_report

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 120.0  # seconds for a PDF


def entries_of(reports: Sequence[Path]) -> list[Entry]:
    """The reports that were named, each once."""
    found: list[Entry] = []
    for number, path in enumerate(reports, start=1):
        report = rebuilt(read_report(path), str(path))
        content = path.read_bytes()
        if any(entry.content == content for entry in found):
            raise InvalidInput(f"{path}: this report is there twice; name each once")
        found.append(Entry(report, content, f"report-{number}.json"))
    return found


def write_dossier(reports: Sequence[Path], folder: Path, today: dt.date, *, pdf: bool = False) -> str:
    """Every file into a folder that holds nothing else; the seal of all of them."""
    entries = entries_of(reports)
    files = {entry.file: entry.content for entry in entries}
    files["dossier.html"] = dossier_page(entries, today).encode("utf-8", errors="replace")
    told = {"confidence_together": together(entries), "entries": [e for one in entries for e in registry_entries(one)]}
    files["registry.json"] = (dumps(plain(told)) + "\n").encode("utf-8", errors="replace")
    if pdf:
        files["dossier.pdf"] = _printed(files["dossier.html"])
    text = sums(files)
    _write(folder, {**files, NAME: text.encode()})
    return seal(text)


def _write(folder: Path, files: dict[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InvalidInput(f"{folder}: holds files already; give a folder that is new or empty")
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as why:
        raise InvalidInput(f"{folder}: {why.strerror or why}; give a folder that can be written") from None


def _printed(page: bytes) -> bytes:
    """The page as a PDF, by a Chromium that is found on this machine."""
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        raise InvalidInput(f"--pdf needs one of {', '.join(CHROMIUM)}; print dossier.html from a browser instead")
    with tempfile.TemporaryDirectory() as place:
        source, target = Path(place, "dossier.html"), Path(place, "dossier.pdf")
        source.write_bytes(page)
        quiet = ["--headless", "--disable-gpu", "--no-first-run", "--no-sandbox", f"--user-data-dir={place}/profile"]
        command = [program, *quiet, "--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri()]
        try:
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)  # noqa: S603 - our own words
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise HdpAuditError("the browser wrote no PDF; print dossier.html from a browser instead") from None


def checked(folder: Path, expected: str | None = None) -> list[str]:
    """A sentence for each edit: none where every byte is as it was written.

    `expected` is the seal that was noted elsewhere, which also shows that the checksums are the first ones.
    """
    try:
        names = sorted(folder.iterdir())
        odd = [path.name for path in names if path.is_symlink() or not path.is_file()]
        content = {path.name: path.read_bytes() for path in names if path.name not in odd}
    except OSError as why:
        raise InvalidInput(f"{folder}: {why.strerror or why}; give the folder of a dossier") from None
    written = content.pop(NAME, None)
    if written is None:
        return [f"{NAME} is missing: nothing can be checked"]
    found = [*edits(written, content), *(f"{name} was added: it is no plain file" for name in odd)]
    if expected is not None and seal(written) != expected.strip().lower():
        found.append(f"the seal is {seal(written)}, not the one that was given: all files may have been replaced")
    return found
