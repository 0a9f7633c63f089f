"""What is claimed of a mechanism, and how sure and how sharp its audit has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hdp_audit.errors import InvalidInput
from hdp_audit.model.vocabulary import METRICS, SETTINGS, MetricName, SettingName

Beyond = Literal["report", "inconclusive"]
FloatingPoint = Literal["fail", "warn", "off"]


@dataclass(frozen=True)
class PrivacyClaim:
    """Every user's loss is at most their demand.

    `detect`: a tier off by this factor must have been seen, or the verdict is inconclusive; `detect_single` the same
    for one user alone.
    """

    detect: float = 2.0
    detect_single: float | Literal["report"] = "report"
    beyond: Beyond = "report"
    floating_point: FloatingPoint = "fail"

    def __post_init__(self) -> None:
        _factor("detect", self.detect)
        if self.detect_single != "report":
            _factor("detect_single", self.detect_single)
        _word("beyond", self.beyond, get_args(Beyond))
        _word("floating_point", self.floating_point, get_args(FloatingPoint))


@dataclass(frozen=True)
class AccuracyClaim:
    """The error quantile (pac) or the mean squared error (mse) is at most `bound` on every dataset.

    `bound`: a number; "explicit" for the theorem of a reference mechanism's own weights; or a catalog name whose
    theorem is claimed for these demands.
    """

    setting: SettingName = "correlated"
    metric: MetricName = "pac"
    beta: float = 0.05
    bound: float | str = "explicit"
    tolerance: float = 1.05

    def __post_init__(self) -> None:
        _word("setting", self.setting, SETTINGS)
        _word("metric", self.metric, METRICS)
        _factor("tolerance", self.tolerance)
        _probability(self.beta)
        if not isinstance(self.bound, str) and not self.bound > 0:
            raise InvalidInput(f'bound = {self.bound}; give a number above 0, "explicit" or a catalog name')


@dataclass(frozen=True)
class OptimalityClaim:
    """Nobody beats the lower bound: an error below it would mean that the demands are broken.

    Audited for correlated data alone, error quantile and mean squared error.
    """

    beta: float = 0.05

    def __post_init__(self) -> None:
        _probability(self.beta)


def _probability(beta: object) -> None:
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not 0 < beta < 1:
        raise InvalidInput(f"beta = {beta!r}; give an error probability strictly between 0 and 1")


def _factor(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1.0 < value < float("inf"):
        raise InvalidInput(f"{name} = {value!r}; give a factor above 1, such as 2.0")


def _word(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidInput(f"{name} = {value!r}; allowed: {', '.join(allowed)}")
