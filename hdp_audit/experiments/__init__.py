"""The paper's experiments run again, with intervals, guarantees and the paper's figures beside ours.

`frequency` and `mean` are the paper's tables, `figure-1` and `turbo` its figures, `sharp` our study of when explicit
constants pay.
"""

from hdp_audit.experiments.command import NAMES, experiments

__all__ = ["NAMES", "experiments"]
