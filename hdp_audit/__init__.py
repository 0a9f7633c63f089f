"""hdp-audit: does an implementation keep each user's own privacy promise?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hdp_audit.engine import audit
    from hdp_audit.model.report import AuditReport

__version__ = "0.2.0.dev0"
__all__ = ["AuditReport", "__version__", "audit"]


def __getattr__(name: str) -> Any:
    """`audit` and `AuditReport` load numpy and scipy, which `hdp-audit --help` must not."""
    if name == "audit":
        from hdp_audit.engine import audit

        return audit
    if name == "AuditReport":
        from hdp_audit.model.report import AuditReport

        return AuditReport
    raise AttributeError(f"module 'hdp_audit' has no attribute {name!r}")
