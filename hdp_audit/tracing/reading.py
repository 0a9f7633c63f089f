"""How an output follows the noise: where it is alive, how it responds, and how far noise must move to undo a datum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.coordinates import Coordinates, inside
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import Execution, Given, Run, rounding
from hdp_audit.tracing.laws import Geometric

SIZES = tuple(0.7 * 10.0**-power for power in range(13))  # of noise around which a response is looked for
PART = 0.25  # of that noise, by which it is moved
STRAIGHT = 1e-7  # two halves of a move whose responses differ by more are no straight line
GOLDEN = 0.6180339887498949
MOST = 64  # coordinates that are moved one by one


@dataclass(frozen=True, eq=False)
class Straight:
    """Around `noise` the output is `output + response·(u − noise)`; rows are outputs, columns coordinates."""

    noise: Floats
    rest: Given
    output: Floats
    response: Floats
    symbols: tuple[str, ...]

    @property
    def size(self) -> float:
        """Of the noise."""
        return float(np.abs(self.noise).max())

    @property
    def alive(self) -> tuple[int, int]:
        """How many outputs follow noise, and how many coordinates move something."""
        return int((self.response != 0).any(axis=1).sum()), int(self.active.sum())

    @property
    def active(self) -> NDArray[np.bool_]:
        """Coordinates that move an output."""
        return np.asarray((self.response != 0).any(axis=0))


def straight(execution: Execution, dataset: Dataset, where: Coordinates, rest: Given) -> Straight | None:
    """The response, at the noise where most outputs are alive; None where no output follows any noise in a line."""
    best: Straight | None = None
    known = execution.alive.get(len(where))
    for noise in [known] if known is not None else []:
        best = measured(execution, dataset, where, rest, noise)
    for size in SIZES:
        if best is not None and (best.active.all() or best.size > size * 1e4):
            break
        for sign in (1.0, -1.0):
            found = _turned(execution, dataset, where, rest, _at(execution, dataset, where, rest, sign * size))
            best = found if found is not None and (best is None or found.alive > best.alive) else best
    if best is not None:
        execution.alive[len(where)] = best.noise
    return best


def _at(execution: Execution, dataset: Dataset, where: Coordinates, rest: Given, size: float) -> Straight | None:
    """Measured around noise of one size, the same for all coordinates."""
    noise = np.array([inside(law, size * (1.0 + 0.01 * (number % 7))) for number, law in enumerate(where.laws)])
    return measured(execution, dataset, where, rest, noise)


def measured(execution: Execution, dataset: Dataset, where: Coordinates, rest: Given, noise: Floats) -> Straight | None:
    """Measured around this noise, coordinate by coordinate; or all at once where there are many."""
    here = execution.run(dataset, where.tape(noise, rest))
    if not here.numbers.size or not np.isfinite(here.numbers).all():
        return None
    steps = np.array(
        [1.0 if isinstance(law, Geometric) else PART * abs(each) for law, each in zip(where.laws, noise, strict=True)]
    )
    response = np.zeros((here.numbers.size, noise.size))
    for group in _groups(where):
        one, two = noise.copy(), noise.copy()
        one[group] += steps[group]
        two[group] += 2 * steps[group]
        first, second = (execution.run(dataset, where.tape(each, rest)) for each in (one, two))
        if any(run.symbols != here.symbols or run.numbers.size != here.numbers.size for run in (first, second)):
            return None
        if np.array_equal(first.numbers, here.numbers) and np.array_equal(second.numbers, here.numbers):
            continue  # this draw moves nothing here
        found = _singly(execution, dataset, where, rest, here, noise, steps, group)
        if found is None:
            return None
        response[:, group] = found
    line = Straight(noise, rest, here.numbers, response, here.symbols)
    alive = response.any() and np.isfinite(response).all()
    return line if alive and _foretells(execution, dataset, where, line) else None


def _foretells(execution: Execution, dataset: Dataset, where: Coordinates, line: Straight) -> bool:
    """Whether the line holds at a place that no grid has: an output that is rounded only looks like one."""
    if any(isinstance(law, Geometric) for law in where.laws):
        return True
    noise = line.noise * (1.0 + 0.4 * (GOLDEN * np.arange(1, line.noise.size + 1) % 1.0))
    seen = execution.run(dataset, where.tape(noise, line.rest))
    if seen.symbols != line.symbols or seen.numbers.shape != line.output.shape:
        return False
    change = line.response @ (noise - line.noise)
    alive = (line.response != 0).any(axis=1)
    off = np.abs(seen.numbers - line.output - change)
    return bool((off <= STRAIGHT * np.abs(change) + 64 * rounding(seen.numbers, line.output))[alive].all())


def _groups(where: Coordinates) -> list[list[int]]:
    """Coordinates of one draw."""
    found, start = [], 0
    for draw in where.draws:
        if draw.law is not None and draw.size:
            found.append(list(range(start, start + draw.size)))
            start += draw.size
    return found


def _singly(
    execution: Execution,
    dataset: Dataset,
    where: Coordinates,
    rest: Given,
    here: Run,
    noise: Floats,
    steps: Floats,
    group: list[int],
) -> Floats | None:
    """The response to each coordinate of a draw; to all at once where there are as many outputs, each with its own."""
    if len(group) > MOST:
        if here.numbers.size != len(group):
            return None
        return np.diag(_slope(execution, dataset, where, rest, here, noise, steps, group))
    columns = [_slope(execution, dataset, where, rest, here, noise, steps, [number]) for number in group]
    return np.stack(columns, axis=1)


def _slope(
    execution: Execution,
    dataset: Dataset,
    where: Coordinates,
    rest: Given,
    here: Run,
    noise: Floats,
    steps: Floats,
    moved: list[int],
) -> Floats:
    """Change of each output for a step of one; 0 where the output is no straight line."""
    one, two = noise.copy(), noise.copy()
    one[moved] += steps[moved]
    two[moved] += 2 * steps[moved]
    half, whole = (execution.run(dataset, where.tape(each, rest)).numbers - here.numbers for each in (one, two))
    bent = np.abs(whole - 2 * half) > STRAIGHT * np.abs(whole) + 1e-14 * np.abs(here.numbers)
    return np.asarray(np.where(bent, 0.0, whole / (2 * steps[moved] if len(moved) > 1 else 2 * steps[moved[0]])))


def _turned(
    execution: Execution, dataset: Dataset, where: Coordinates, rest: Given, found: Straight | None
) -> Straight | None:
    """Outputs at an edge are alive for noise of one sign alone: turn the coordinates that move nothing."""
    if found is None or found.active.all():
        return found
    turned = measured(execution, dataset, where, rest, np.where(found.active, found.noise, -found.noise))
    return turned if turned is not None and turned.alive > found.alive else found
