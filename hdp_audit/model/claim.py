"""What is claimed of a mechanism, and how sure and how sharp its audit has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hdp_audit.errors import NotAllowed
from hdp_audit.model.vocabulary import METRICS, NORMS, SETTINGS, MetricName, NormName, SettingName

Beyond = Literal["report", "inconclusive"]
FloatingPoint = Literal["fail", "warn", "off"]
TraceMode = Literal["auto", "off", "only"]
Secrecy = Literal["public", "secret"]


@dataclass(frozen=True)
class PrivacyClaim:
    """Every user's loss is at most their demand.

    Args:
        detect: A demand tier that loses this many times its demand must be detected with 80% power, or the verdict is
            inconclusive.
        detect_single: The same for one user alone, or "report": then it is stated and decides nothing.
        beyond: What becomes of demands that are too large for the calls: "report" passes them and says so,
            "inconclusive" does not pass them.
        floating_point: Whether a leak through the lowest bits of doubles is a "fail", a "warn"ing, or not looked for
            ("off").
        trace: Whether losses are also calculated from the draws of a Python function: "auto" where that works,
            "off", or "only": then nothing is tested by calls, and the verdict has no randomness.
        demands: "public", or "secret": then it is also tested whether outputs tell what a user demands.

    Example:
        >>> from hdp_audit import PrivacyClaim
        >>> PrivacyClaim(detect=1.5, floating_point="warn").detect
        1.5
    """

    detect: float = 2.0
    detect_single: float | Literal["report"] = "report"
    beyond: Beyond = "report"
    floating_point: FloatingPoint = "fail"
    trace: TraceMode = "auto"
    demands: Secrecy = "public"

    def __post_init__(self) -> None:
        _factor("detect", self.detect)
        if self.detect_single != "report":
            _factor("detect_single", self.detect_single)
        _word("beyond", self.beyond, get_args(Beyond))
        _word("floating_point", self.floating_point, get_args(FloatingPoint))
        _word("trace", self.trace, get_args(TraceMode))
        _word("demands", self.demands, get_args(Secrecy))


@dataclass(frozen=True)
class AccuracyClaim:
    """The error is at most `bound` on every dataset.

    Args:
        setting: "correlated": whoever has what is chosen to make the error large; "weakly-correlated": the data are
            permuted by lot.
        metric: "pac" for the (1 − β) quantile of the largest error of all outputs, "mse" for its mean square.
        beta: How often the error may exceed the bound, of "pac".
        bound: A number; "explicit" for the theorem of a reference mechanism's own weights; or a catalog name whose
            theorem is claimed for these demands.
        tolerance: An error of this many times the bound must be detected with 80% power, or the verdict is
            inconclusive.
        norm: What the error of a table of frequencies is: "linf" for its largest entry, "l2" for its length, "l1" for
            the sum of all; of a single number they are the same.

    Example:
        >>> from hdp_audit import AccuracyClaim
        >>> AccuracyClaim(metric="mse", bound=0.01).norm
        'linf'
    """

    setting: SettingName = "correlated"
    metric: MetricName = "pac"
    beta: float = 0.05
    bound: float | str = "explicit"
    tolerance: float = 1.05
    norm: NormName = "linf"

    def __post_init__(self) -> None:
        _word("setting", self.setting, SETTINGS)
        _word("metric", self.metric, METRICS)
        _word("norm", self.norm, NORMS)
        _factor("tolerance", self.tolerance)
        _probability(self.beta)
        if not isinstance(self.bound, str) and not self.bound > 0:
            raise NotAllowed(f"bound = {self.bound}", 'give a number above 0, "explicit" or a catalog name')


@dataclass(frozen=True)
class OptimalityClaim:
    """Nobody beats the lower bound: an error below it would mean that the demands are broken.

    Audited are error quantile and mean squared error, of correlated data or of permuted ones.

    Args:
        beta: Of the error quantile: how often the error may exceed it.
        setting: "correlated": whoever has what is chosen to make the error large; "weakly-correlated": the data are
            permuted by lot.

    Example:
        >>> from hdp_audit import OptimalityClaim
        >>> OptimalityClaim(setting="weakly-correlated")
        OptimalityClaim(beta=0.05, setting='weakly-correlated')
    """

    beta: float = 0.05
    setting: SettingName = "correlated"

    def __post_init__(self) -> None:
        _word("setting", self.setting, SETTINGS)
        _probability(self.beta)


def _probability(beta: object) -> None:
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not 0 < beta < 1:
        raise NotAllowed(f"beta = {beta!r}", "give an error probability strictly between 0 and 1")


def _factor(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1.0 < value < float("inf"):
        raise NotAllowed(f"{name} = {value!r}", "give a factor above 1, such as 2.0")


def _word(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise NotAllowed(f"{name} = {value!r}", f"allowed: {', '.join(allowed)}")
