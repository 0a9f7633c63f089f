"""Where and on what an audit ran: versions, hashes and the commit, no host and no user names."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets import fingerprint

VERSIONS = ("hdp_audit", "hdp_audit_sha256", "python", "numpy", "scipy", "packages")
HASHES = ("spec_sha256", "demands_sha256", "mechanism_sha256", "data_sha256")
PATIENCE = 20.0  # seconds for git


def versions() -> dict[str, Any]:
    """Of what computed the numbers; `packages` are those that a mechanism loads."""
    return {**fingerprint.versions(), "platform": f"{sys.platform} {platform.machine()}", "packages": {}}


def git(folder: Path) -> dict[str, Any] | None:
    """The commit that a folder stands at, and whether tracked files differ from it; None outside of a repository."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return None if not commit or changes is None else {"commit": commit, "dirty": bool(changes)}


def _git(folder: Path, *words: str) -> str | None:
    """What git says; None where there is no git or it says no. Nothing that a repository configures is run."""
    program = shutil.which("git")
    if program is None:
        return None
    command = [program, "-c", "core.fsmonitor=false", "-C", str(folder), *words]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(  # noqa: S603 - no shell, our own words
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def digest(values: NDArray[Any] | None) -> str | None:
    """SHA-256 of an array's numbers; None for none."""
    if values is None:
        return None
    return hashlib.sha256(np.ascontiguousarray(values, dtype=np.float64).tobytes()).hexdigest()
