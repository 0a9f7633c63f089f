"""What a worker elsewhere must have in common with this process before its numbers are believed."""

from __future__ import annotations

import hashlib
import importlib
import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from hdp_audit.targets.sources import OWN, Sources, changed


@cache
def code_sha256() -> str:
    """SHA-256 of our own source files: a version says little of a checkout that somebody works on."""
    whole = hashlib.sha256()
    for package in (OWN, OWN.with_name("mechanisms")):
        for path in sorted(package.rglob("*.py")):
            whole.update(path.relative_to(package.parent).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def versions() -> dict[str, Any]:
    """Of what computes the numbers."""
    import scipy

    return {
        "hdp_audit": importlib.import_module(OWN.name).__version__,
        "hdp_audit_sha256": code_sha256(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


@dataclass(frozen=True)
class Fingerprint:
    """Versions, and the files of the mechanism."""

    versions: Mapping[str, Any] = field(default_factory=versions)
    sources: Sources | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def differences(self, sent: Collection[str] = ()) -> list[str]:
        """A sentence for each thing in which the process that calls this differs; it is called on the worker.

        `sent`: names of files that it gets if it has none of that name.
        """
        own = versions()
        differing = [key for key, value in self.versions.items() if own.get(key) != value]
        lines = [f"{key}: {own.get(key)} there, {self.versions[key]} here" for key in differing]
        here = self._here()
        wanted = {name: sha for name, sha in self.files.items() if name in here or name not in sent}
        return lines + changed(wanted, {name: here[name] for name in wanted if name in here})

    def lacks(self, sent: Collection[str]) -> bool:
        """Whether the process that calls this has to be sent files."""
        here = self._here() if sent else {}
        return any(name not in here for name in sent)

    def _here(self) -> dict[str, str]:
        found = {} if self.sources is None else self.sources.files(self.files)
        return {name: file.sha256 for name, file in found.items()}
