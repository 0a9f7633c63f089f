"""axe-core, the checker of accessibility, from the npm registry that this machine uses; run inside a page."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium

PACKAGE = "axe-core@4"
MISSING = "axe-core is needed: install npm, or give the path of axe.min.js in the variable HDP_AUDIT_AXE"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')  # forbids the checker, too
RUN = """<script>{axe}</script><script>
addEventListener("load", () => axe.run(document, {{runOnly: {rules}}}).then(found => {{
  const told = document.createElement("pre");
  told.id = "axe-told";
  told.textContent = JSON.stringify({{
    passes: found.passes.length,
    violations: found.violations.map(each => [each.id, each.nodes.map(node => node.html.slice(0, 200))]),
  }});
  document.body.append(told);
}}));
</script>"""


def source(folder: Path) -> str:
    """The checker's script; a test fails where there is no way to get it."""
    given = os.environ.get("HDP_AUDIT_AXE")
    if given:
        return Path(given).read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.fail(MISSING, pytrace=False)
    subprocess.run([npm, "pack", PACKAGE, "--silent"], cwd=folder, check=True, capture_output=True)  # noqa: S603
    (packed,) = folder.glob("axe-core-*.tgz")
    with tarfile.open(packed) as archive:
        file = archive.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode("utf-8")


def violations(chromium: Chromium, page: Path, axe: str, scheme: str) -> list[tuple[str, list[str]]]:
    """Rules that a page breaks, with what breaks them; the page's own policy is left out for the checker alone."""
    text = POLICY.sub("", page.read_text(encoding="utf-8"))
    checked = page.with_name(f"{page.stem}-axe.html")
    run = RUN.format(axe=axe, rules=json.dumps(RULES))
    checked.write_text(text.replace("</body>", f"{run}</body>"), encoding="utf-8")
    told = re.search(r'<pre id="axe-told">(.*?)</pre>', chromium.dom(checked, scheme), flags=re.DOTALL)
    assert told, "axe did not run"
    found = json.loads(html.unescape(told[1]))
    assert found["passes"] > 0
    return [(name, nodes) for name, nodes in found["violations"]]
