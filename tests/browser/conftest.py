"""Run by `tox -e browser` alone: these need a Chromium, which the default tests must not."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("HDP_AUDIT_BROWSER") else ["test_*.py"]
