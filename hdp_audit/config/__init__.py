"""The spec: from `hdp-audit.toml` to cases that the engine can run."""

from hdp_audit.config.case import case_of
from hdp_audit.config.load import read_spec
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.config.spec import Spec

__all__ = ["InvalidSpec", "Spec", "case_of", "read_spec"]
