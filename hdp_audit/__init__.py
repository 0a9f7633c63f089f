"""hdp-audit: does an implementation keep each user's own privacy promise?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hdp_audit import presentation
from hdp_audit.reporting.presenter import ReportPresenter

if TYPE_CHECKING:
    from hdp_audit.api import audit
    from hdp_audit.model.approximate import ApproximateDP
    from hdp_audit.model.claim import AccuracyClaim, OptimalityClaim, PrivacyClaim
    from hdp_audit.model.demands import PrivacyDemands
    from hdp_audit.model.domain import Categories, Domain, Range, Unit
    from hdp_audit.model.drawn import Drawn
    from hdp_audit.model.gaussian import GaussianDP
    from hdp_audit.model.identity import Identity
    from hdp_audit.model.labels import Labels
    from hdp_audit.model.leaving import Remove, ZeroOut
    from hdp_audit.model.neighbours import Neighbours, Replace
    from hdp_audit.model.promise import Promise, PureDP
    from hdp_audit.model.report import AuditReport
    from hdp_audit.model.table import Table
    from hdp_audit.model.vector import Vector
    from hdp_audit.model.zcdp import ZCDP
    from hdp_audit.regressions import compare
    from hdp_audit.reporting.report_json import read_report
    from hdp_audit.targets.fresh import Fresh

__version__ = "0.2.0.dev0"
__all__ = [
    "ZCDP",
    "AccuracyClaim",
    "ApproximateDP",
    "AuditReport",
    "Categories",
    "Domain",
    "Drawn",
    "Fresh",
    "GaussianDP",
    "Identity",
    "Labels",
    "Neighbours",
    "OptimalityClaim",
    "PrivacyClaim",
    "PrivacyDemands",
    "Promise",
    "PureDP",
    "Range",
    "Remove",
    "Replace",
    "Table",
    "Unit",
    "Vector",
    "ZeroOut",
    "__version__",
    "audit",
    "compare",
    "read_report",
    "trace",
]

# Where each name lives. They are loaded when asked for: `hdp-audit --help` needs neither numpy nor scipy.
_HOMES = {
    "ApproximateDP": "model.approximate",
    "GaussianDP": "model.gaussian",
    "Remove": "model.leaving",
    "ZCDP": "model.zcdp",
    "ZeroOut": "model.leaving",
    "AccuracyClaim": "model.claim",
    "AuditReport": "model.report",
    "Categories": "model.domain",
    "Domain": "model.domain",
    "Drawn": "model.drawn",
    "Fresh": "targets.fresh",
    "Labels": "model.labels",
    "Range": "model.domain",
    "Table": "model.table",
    "Identity": "model.identity",
    "Neighbours": "model.neighbours",
    "OptimalityClaim": "model.claim",
    "PrivacyClaim": "model.claim",
    "PrivacyDemands": "model.demands",
    "Promise": "model.promise",
    "PureDP": "model.promise",
    "Replace": "model.neighbours",
    "Unit": "model.domain",
    "Vector": "model.vector",
    "audit": "api",
    "compare": "regressions",
    "read_report": "reporting.report_json",
    "trace": "api",
}

presentation.use(ReportPresenter())


def __getattr__(name: str) -> Any:
    """The public names, each from where it lives."""
    if name in _HOMES:
        return getattr(import_module(f"hdp_audit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'hdp_audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
