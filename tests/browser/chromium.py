"""A Chromium found on the machine, driven by its command line: no further library."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MISSING = f"no Chromium: install one of {', '.join(NAMES)}, or give its path in the variable CHROMIUM"
DARK = "--blink-settings=preferredColorScheme=0"
LIGHT = "--blink-settings=preferredColorScheme=1"
# A frame of a given width around the page, whose own policy stays in force; the script is the frame's, not the page's.
FRAME = """<!DOCTYPE html><meta charset="utf-8">
<style>body {{ margin: 0 }} iframe {{ border: 0; height: 6000px }}</style>
<iframe id="page" style="width: {width}px" srcdoc="{source}"></iframe><pre id="told"></pre>
<script>
document.getElementById("page").onload = () => {{
  const inner = document.getElementById("page").contentDocument, root = inner.documentElement;
  const style = inner.defaultView.getComputedStyle(inner.body);
  document.getElementById("told").textContent = JSON.stringify({{
    width: root.scrollWidth, height: root.scrollHeight, background: style.backgroundColor, ink: style.color,
    pictures: inner.querySelectorAll("figure svg").length, text: inner.body.innerText.length,
    tall: Math.min(...[...inner.querySelectorAll("figure > svg")].map(s => s.getBoundingClientRect().height), 9999),
  }});
}};
</script>"""


@dataclass(frozen=True)
class Chromium:
    """Where it is, and a profile of its own."""

    path: str
    profile: Path

    @classmethod
    def found(cls, profile: Path) -> Chromium:
        asked = os.environ.get("CHROMIUM")
        path = next(filter(None, map(shutil.which, [asked] if asked else NAMES)), None)
        if path is None:
            raise FileNotFoundError(MISSING)
        return cls(path, profile)

    def shot(self, page: Path, target: Path, width: int, height: int, scheme: str) -> str:
        """A picture of the page; returns what was logged."""
        return self._run(scheme, f"--screenshot={target}", f"--window-size={width},{height}", page.as_uri()).stderr

    def measured(self, page: Path, width: int, scheme: str) -> dict[str, Any]:
        """Size, colours and pictures of the page in a frame of this width."""
        frame = page.with_name(f"frame-{width}.html")
        frame.write_text(FRAME.format(width=width, source=html.escape(page.read_text(encoding="utf-8"))), "utf-8")
        told = re.search(r'<pre id="told">(.*?)</pre>', self._run(scheme, "--dump-dom", frame.as_uri()).stdout)
        assert told, "the page did not load"
        found: dict[str, Any] = json.loads(html.unescape(told[1]))
        return found

    def dom(self, page: Path, scheme: str) -> str:
        """The page as it is once its scripts have run."""
        return self._run(scheme, "--virtual-time-budget=30000", "--dump-dom", page.as_uri()).stdout

    def printed(self, page: Path, target: Path) -> None:
        """The page as a PDF."""
        self._run(LIGHT, f"--print-to-pdf={target}", page.as_uri())

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        quiet = ["--no-first-run", "--disable-background-networking", "--disable-gpu", "--hide-scrollbars"]
        where = [f"--user-data-dir={self.profile}", "--no-sandbox", "--enable-logging=stderr", "--v=0"]
        command = [self.path, "--headless", *quiet, *where, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)  # noqa: S603


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height that a PNG declares."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return int(width), int(height)
