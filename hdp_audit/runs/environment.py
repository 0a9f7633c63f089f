"""Where and on what an audit ran: versions, hashes and the commit, no host and no user names."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hdp_audit.targets import fingerprint
from hdp_audit.targets.called import machine

VERSIONS = ("hdp_audit", "hdp_audit_sha256", "python", "numpy", "scipy", "packages")
HASHES = ("spec_sha256", "demands_sha256", "mechanism_sha256", "data_sha256")
PATIENCE = 20.0  # seconds for git


def versions() -> dict[str, Any]:
    """Of what computed the numbers; `packages` are those that a mechanism loads."""
    return {**fingerprint.versions(), "platform": machine(), "packages": {}}


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


def below_root(folder: Path) -> str | None:
    """Where a folder lies in its repository, `""` at the top; None outside of one."""
    return _git(folder, "rev-parse", "--show-prefix")
