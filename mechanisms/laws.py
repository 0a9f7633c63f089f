"""How an answer errs, as plain numbers: whoever knows them can bound its error without asking the mechanism again."""

from __future__ import annotations

from dataclasses import dataclass

from mechanisms.demands import Floats


@dataclass(frozen=True)
class Laplace:
    """Independent Laplace noise of this scale in each output."""

    scale: float


@dataclass(frozen=True)
class Gaussian:
    """Independent Gaussian noise of this standard deviation in each output."""

    scale: float


@dataclass(frozen=True)
class Ball:
    """The same for vectors in the unit ball, which answers are moved into; errors are lengths."""

    scale: float
    outputs: int


@dataclass(frozen=True)
class Hull:
    """Laplace noise of this scale in each of `outputs` entries, given that all of them sum to 0."""

    scale: float
    outputs: int


@dataclass(frozen=True, eq=False)
class Sampled:
    """Each user is sampled with their own chance and weighs 1/Σchances; on top Laplace noise in each output."""

    chances: Floats
    scale: float


@dataclass(frozen=True, eq=False)
class NoisyMessages:
    """Users add Laplace noise to their own numbers: weights and losses of those who do."""

    weights: Floats
    losses: Floats


@dataclass(frozen=True, eq=False)
class FlippedBits:
    """Users flip bits of their own one-hot vectors: weights and losses of those who do."""

    weights: Floats
    losses: Floats


Noise = Laplace | Gaussian | Ball | Hull | Sampled | NoisyMessages | FlippedBits


@dataclass(frozen=True, eq=False)
class ErrorLaw:
    """Σw_i·x_i + share·(1 − Σw) + noise, clipped to [0, 1] (to the unit ball where the noise says so).

    `offset` is share·(1 − Σw), exactly. With an `opinion`, that is what is released, moved to within `reach` of the
    rest of this law in each output.
    """

    weights: Floats
    noise: Noise
    share: float = 0.5
    offset: float = 0.0
    reach: float = 0.0
    opinion: ErrorLaw | None = None
