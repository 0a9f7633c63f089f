"""No violation of WCAG at level A or AA, by axe-core: every kind of page, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.model import AuditReport
from hdp_audit.reporting.dossier.entry import Entry
from hdp_audit.reporting.dossier.page import dossier_page
from hdp_audit.reporting.history.page import history_page
from hdp_audit.reporting.history.series import history
from hdp_audit.reporting.html import report_html
from tests.browser.axe import source, violations
from tests.browser.chromium import DARK, LIGHT, Chromium
from tests.reporting.sample_report import CONFIDENCE, TODAY, every_kind, hostile, passing, spread, subject, suite, tier


def users(count: int) -> AuditReport:
    """Of so many users, all of them with promises that were kept."""
    epsilon = np.array([0.1, 0.5, 1.0, 2.0]) if count == 4 else spread(count)
    found = tuple(tier("m", demand) for demand in np.unique(epsilon)[:32].tolist())
    return AuditReport((subject("m", epsilon),), found, CONFIDENCE, 1, 10**6)


def dossier() -> str:
    made = (every_kind(), passing())
    return dossier_page([Entry(report, b"", f"report-{at}.json") for at, report in enumerate(made, start=1)], TODAY)


PAGES: dict[str, Callable[[], str]] = {
    "refuted": lambda: report_html(every_kind(), today=TODAY),
    "passed": lambda: report_html(passing(), today=TODAY),
    "hostile": lambda: report_html(hostile(), today=TODAY),
    "forty-mechanisms": lambda: report_html(suite(), today=TODAY),
    "four-users": lambda: report_html(users(4), today=TODAY),
    "many-users": lambda: report_html(users(100_000), today=TODAY),
    "dossier": dossier,
    "history": lambda: history_page(history([(f"2026-01-0{day}", every_kind()) for day in range(1, 5)])),
}


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return source(tmp_path_factory.mktemp("axe"))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_no_violation(
    chromium: Chromium, axe: str, screenshots: Path, tmp_path: Path, name: str, scheme: str
) -> None:
    page = tmp_path / f"{name}.html"
    page.write_text(PAGES[name](), encoding="utf-8")
    look = "dark" if scheme == DARK else "light"
    chromium.shot(page, screenshots / f"{name}-{look}.png", 1200, 3000, scheme)
    chromium.shot(page, screenshots / f"{name}-{look}-phone.png", 500, 3000, scheme)
    assert violations(chromium, page, axe, scheme) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_overflows_a_small_phone_and_it_prints(
    chromium: Chromium, screenshots: Path, tmp_path: Path, name: str
) -> None:
    page = tmp_path / f"{name}.html"
    page.write_text(PAGES[name](), encoding="utf-8")
    assert chromium.measured(page, 360, LIGHT)["width"] <= 360
    target = screenshots / f"{name}.pdf"
    chromium.printed(page, target)
    assert target.read_bytes().startswith(b"%PDF")


def test_axe_would_have_found_a_violation(chromium: Chromium, axe: str, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text('<!DOCTYPE html><html><body><img src="data:,"><p style="color:#ccc">faint</p></body></html>')
    found = {name for name, _ in violations(chromium, page, axe, LIGHT)}
    assert {"image-alt", "html-has-lang", "document-title", "color-contrast"} <= found
