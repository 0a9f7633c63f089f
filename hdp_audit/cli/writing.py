"""Text into a file that a user named."""

from __future__ import annotations

from pathlib import Path

from hdp_audit.errors import HdpAuditError


def write_text(path: Path, content: str) -> None:
    """Write, or say why not."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as why:
        raise HdpAuditError(
            f"{path}: cannot be written ({why.strerror}); give a path in a folder that exists"
        ) from None
