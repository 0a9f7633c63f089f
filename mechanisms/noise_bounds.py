"""Which explicit bounds belong to which noise: one table for everything that minimises them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mechanisms import sharp, sharp_ball, sharp_gaussian
from mechanisms.demands import Floats

Law = Literal["laplace", "gaussian", "ball"]  # ball: Gaussian noise, errors in ℓ2


@dataclass(frozen=True)
class Bounds:
    """Errors as functions of bias or spread and of the noise's scale; see the modules that state them."""

    variance: float  # of the noise at scale 1
    typical_maximum: Callable[[int, float | None], float]
    worst_quantile: Callable[[Floats, Floats, float, int, int], Floats]
    worst_square: Callable[[Floats, Floats, int, int], Floats]
    weak_quantiles: tuple[Callable[[Floats, Floats, int, int, float], Floats], ...]
    weak_square: Callable[[Floats, Floats, int, int], Floats]


BOUNDS: dict[Law, Bounds] = {
    "laplace": Bounds(
        2.0,
        sharp.typical_maximum,
        sharp.worst_quantile,
        sharp.worst_square,
        (sharp.tilted_quantile, sharp.split_quantile),
        sharp.permuted_square,
    ),
    "gaussian": Bounds(
        1.0,
        sharp_gaussian.typical_maximum,
        sharp_gaussian.worst_quantile,
        sharp_gaussian.worst_square,
        (sharp_gaussian.tilted_quantile, sharp_gaussian.split_quantile),
        sharp_gaussian.permuted_square,
    ),
    "ball": Bounds(
        1.0,
        sharp_ball.typical_maximum,
        sharp_ball.worst_quantile,
        sharp_ball.worst_square,
        (sharp_ball.tilted_quantile,),
        sharp_ball.permuted_square,
    ),
}
