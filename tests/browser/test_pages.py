"""The HTML report in a real browser: light, dark and phone; nothing refused, nothing overflows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hdp_audit.model import AuditReport
from hdp_audit.reporting.html import report_html
from tests.browser.chromium import DARK, LIGHT, Chromium, size_of
from tests.reporting.sample_report import TODAY, every_kind, hostile, many_mechanisms, passing, suite

PHONE, DESK = 360, 1200


def many() -> AuditReport:
    return many_mechanisms(100, users=2_000)


REPORTS: dict[str, Callable[[], AuditReport]] = {
    "every-kind": every_kind,
    "passing": passing,
    "hostile": hostile,
    "many": many,
    "suite": suite,
}


@pytest.fixture(scope="session", params=REPORTS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / f"{request.param}.html"
    file.write_text(report_html(REPORTS[request.param](), today=TODAY), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("look", "width", "scheme"), [("light", DESK, LIGHT), ("dark", DESK, DARK), ("phone", 500, LIGHT)]
)
def test_the_page_is_drawn_and_nothing_is_refused(
    chromium: Chromium, screenshots: Path, page: Path, look: str, width: int, scheme: str
) -> None:
    target = screenshots / f"{page.stem}-{look}.png"
    target.unlink(missing_ok=True)
    log = chromium.shot(page, target, width, 2400, scheme)
    assert size_of(target) == (width, 2400)
    assert target.stat().st_size > 30_000, "an empty page compresses to almost nothing"
    assert "CONSOLE" not in log, log  # a violated policy, a missing file or a script would be told here


@pytest.mark.parametrize("width", [PHONE, 768, DESK])
def test_nothing_overflows_the_window(chromium: Chromium, page: Path, width: int) -> None:
    found = chromium.measured(page, width, LIGHT)
    assert found["width"] <= width
    assert found["height"] > 1000
    assert found["text"] > 1000


def test_pictures_have_a_size(chromium: Chromium, page: Path) -> None:
    found = chromium.measured(page, PHONE, LIGHT)
    assert found["pictures"] >= 1
    assert page.stem in ("many", "suite") or found["tall"] > 60  # folded away with many mechanisms


def test_dark_is_dark_and_light_is_light(chromium: Chromium, page: Path) -> None:
    light, dark = (chromium.measured(page, DESK, scheme) for scheme in (LIGHT, DARK))
    assert brightness(light["background"]) > 0.9 > 0.3 > brightness(light["ink"])
    assert brightness(dark["background"]) < 0.2 < 0.7 < brightness(dark["ink"])


def brightness(color: str) -> float:
    """Of `rgb(r, g, b)`, from 0 to 1."""
    parts = [float(part) for part in color[color.index("(") + 1 : -1].split(",")]
    return sum(parts[:3]) / 3 / 255
