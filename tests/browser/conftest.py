"""Run by `tox -e browser` alone: these need a Chromium, which the default tests must not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium

collect_ignore_glob = [] if os.environ.get("HDP_AUDIT_BROWSER") else ["test_*.py"]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Chromium:
    try:
        return Chromium.found(tmp_path_factory.mktemp("profile"))
    except FileNotFoundError as missing:
        pytest.fail(str(missing), pytrace=False)


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kept where HDP_AUDIT_SCREENSHOTS says, so that a person can look."""
    folder = Path(os.environ.get("HDP_AUDIT_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
