"""What a witness looks at: outputs rounded far below their noise and their differences, or the bits of doubles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARE = 0.1  # of the values there are: the shortest width that holds so many is the scale on which outputs live
ROUNDING = 2.0**-28  # of that width: the bits of doubles are the float finding's business, not this one's
FAR = 2.0**10  # widths away: there an output is rounded by its own distance, as its noise may be as wide
FAR_ROUNDING = 2.0**-36  # of that distance, far above the bits of doubles
ONE_VALUE = 2.0**-44  # values that differ by less of their size differ by arithmetic
EXACT = 2.0**16  # times the spacing of doubles: a grid as coarse as that is no accident of arithmetic
WHOLE_DOUBLES = 2.0**53  # up to here doubles hold every whole number
ORDINARY = 300  # exponents of two beyond which squares would overflow or vanish
FARTHEST = 1e100  # what is larger than anything seen before by so much is only called large
FINEST = 600  # as an exponent of two: the farthest value has finitely many of the finest steps
NO_BITS = 2000.0  # 0 is a multiple of every power of two; -0 is one more
TINY = 2.0**-40  # of a rounding step: what is smaller, but not 0, is no rounding error of such outputs
SMALLEST = float(np.nextafter(0.0, 1.0))
AT_ONCE = 1 << 18  # numbers: what is made on the way stays small, and near the processor


@dataclass(frozen=True)
class Features:
    """Columns: each output rounded, the outcome symbol, the differences of neighbouring outputs, and WHOLE rows.

    Outputs on a grid that is no accident of arithmetic, whole numbers above all, are not rounded past that grid.

    With `bits`: the place of the lowest set bit of each output, and the outcome. 0, -0 and what is next to nothing are
    different outputs, so rounding does not make one of them.
    """

    steps: Floats  # rounding step of each output
    bits: bool = False
    shifts: NDArray[np.int64] | None = None  # powers of two that bring outputs of any size near 1, exactly
    names: tuple[str, ...] = ()  # of the outputs, where they have any
    grids: Floats | None = None  # of each output; inf where it lies on none
    middles: Floats | None = None  # of the shortest interval that holds a SHARE of an output's values,
    reach: Floats | None = None  # and how far from there an output is far away

    @classmethod
    def fitted(cls, table: Floats, *, bits: bool = False) -> Features:
        """Steps from the scale of some first outputs; 0 (no rounding) where they do not vary at all."""
        fine = table[table[:, -1] == 0, :-1]
        if fine.shape[0] < 2:
            return cls(np.zeros(table.shape[1] - 1), bits)
        sizes = np.frexp([_usual_size(column) for column in fine.T])[1].astype(np.int64)
        shifts = np.where(np.abs(sizes) > ORDINARY, -sizes, 0)
        fine = _shifted(fine, shifts)
        middles, widths = np.array([_densest(column) for column in fine.T]).T
        grids = np.array([exact_grid(column) for column in fine.T])
        exponent = np.maximum(np.ceil(np.log2(np.maximum(widths, 1e-300) * ROUNDING)), -FINEST)
        steps = np.where(widths > 0, np.minimum(2.0**exponent, grids), 0.0)
        return cls(steps, bits, shifts, grids=grids, middles=middles, reach=np.where(widths > 0, FAR * widths, np.inf))

    def __call__(self, table: Floats) -> Floats:
        """The columns of each row."""
        if self.steps.size == 1 or len(table) * self.width <= AT_ONCE:
            return self._made(table)
        found, rows = np.empty((len(table), self.width)), max(AT_ONCE // self.width, 1)
        for start in range(0, len(table), rows):
            found[start : start + rows] = self._made(table[start : start + rows])
        return found

    def _made(self, table: Floats) -> Floats:
        if self.bits:
            return np.column_stack([lowest_bit(table[:, :-1]), table[:, -1]])
        rounded = self._rounded(table[:, :-1])
        if rounded.shape[1] == 1:
            return np.column_stack([rounded, table[:, -1]])
        differences = np.diff(rounded, axis=1, append=rounded[:, :1])
        return np.column_stack([rounded, table[:, -1], differences, *whole_rows(rounded)])

    def only(self, table: Floats, columns: Iterable[int]) -> Floats:
        """The same, but only these columns are filled in; the others hold 0, and take neither time nor memory."""
        found, outputs = np.zeros((self.width, len(table))).T, self.steps.size
        wanted = np.unique(np.fromiter(columns, dtype=np.int64))
        places = wanted[(outputs < wanted) & (wanted <= 2 * outputs)] - outputs - 1
        whole = wanted.size and wanted[-1] > 2 * outputs
        some = np.arange(outputs) if whole else np.unique([*wanted[wanted < outputs], *places, *(places + 1) % outputs])
        if some.size:
            found[:, some] = lowest_bit(table[:, some]) if self.bits else self._some(some)._rounded(table[:, some])
        found[:, outputs] = table[:, -1]
        if places.size:
            found[:, places + outputs + 1] = found[:, (places + 1) % outputs] - found[:, places]
        if whole:
            found[:, 2 * outputs + 1 :] = np.column_stack(whole_rows(np.ascontiguousarray(found[:, :outputs])))
        return found

    @property
    def width(self) -> int:
        """How many columns there are."""
        outputs = self.steps.size
        return outputs + 1 if self.bits or outputs == 1 else 2 * outputs + 1 + len(WHOLE)

    def _some(self, outputs: NDArray[np.int64]) -> Features:
        held = (self.shifts, self.grids, self.middles, self.reach)
        shifts, grids, middles, reach = (None if each is None else each[outputs] for each in held)
        return Features(self.steps[outputs], self.bits, shifts, grids=grids, middles=middles, reach=reach)  # type: ignore[arg-type]

    def _rounded(self, given: Floats) -> Floats:
        outputs = given if self.shifts is None else _shifted(given, self.shifts)
        units = self._units(outputs)
        safe = np.where(self.steps > 0, units, 1.0)
        rounded = np.where(self.steps > 0, np.rint(outputs / safe) * safe, outputs)
        return self._about_zero(given, outputs, rounded)

    def _units(self, outputs: Floats) -> Floats:
        """What outputs are rounded to: the steps; far away a share of the distance, where that is no coarser grid."""
        if self.grids is None or self.middles is None or self.reach is None:
            return self.steps
        distance = np.abs(outputs - self.middles)
        far = distance > self.reach
        if not far.any():
            return self.steps
        own = np.ldexp(FAR_ROUNDING, np.frexp(distance)[1])
        return np.where(far, np.clip(own, self.steps, self.grids), self.steps)

    def _about_zero(self, given: Floats, shifted: Floats, rounded: Floats) -> Floats:
        """Values that no rounded output has: an eighth of a step below 0 for -0, a quarter off 0 for next to nothing.

        Where there is no step, -0 counts as the double below 0.
        """
        zero = rounded == 0
        if not zero.any():
            return rounded
        steps = np.where(self.steps > 0, self.steps, 8.0 * SMALLEST)
        minus = zero & (given == 0) & np.signbit(given)
        tiny = zero & (given != 0) & (np.abs(shifted) < TINY * steps)
        return np.where(minus, -steps / 8.0, np.where(tiny, np.copysign(steps / 4.0, given), rounded))

    def odd_zeros(self, seen: Floats) -> tuple[bool, float]:
        """Whether some of these rows stand for outputs of -0; and what next to nothing counts as, 0 where none came."""
        outputs = seen[:, : self.steps.size]
        if self.bits:
            return bool((outputs == NO_BITS + 1.0).any()), 0.0
        steps = np.where(self.steps > 0, self.steps, 8.0 * SMALLEST)
        tiny = np.flatnonzero(((np.abs(outputs) == steps / 4.0) & (self.steps > 0)).any(axis=0))
        return bool((outputs == -steps / 8.0).any()), float(steps[tiny[0]] / 4.0) if tiny.size else 0.0

    @property
    def independent(self) -> int:
        """How many leading columns may be summed as if independent: the outputs and the outcome."""
        return self.steps.size + 1


def _usual_size(outputs: Floats) -> float:
    """The middle one of the sizes there are, but 0: one far value must not push all others towards 0."""
    sizes = np.unique(np.abs(outputs[outputs != 0]))
    return float(sizes[sizes.size // 2]) if sizes.size else 0.0


def _shifted(outputs: Floats, shifts: NDArray[np.int64]) -> Floats:
    if not shifts.any():
        return np.clip(outputs, -FARTHEST, FARTHEST)
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(outputs, shifts), -FARTHEST, FARTHEST)


def _densest(outputs: Floats) -> tuple[float, float]:
    """(middle, width) of the shortest interval that holds a SHARE of the values there are, two at least.

    So neither one value far away nor many blur the others. (An output, 0.0) where they do not vary.
    """
    values = np.unique(outputs)
    values = values[np.diff(values, prepend=-np.inf) > ONE_VALUE * np.abs(values)]
    held = max(int(SHARE * values.size), 1)
    if values.size < 2:
        return float(values[0]), 0.0
    widths = values[held:] - values[:-held]
    first = int(widths.argmin())
    return float(0.5 * values[first] + 0.5 * values[first + held]), float(widths[first])


def exact_grid(outputs: Floats) -> float:
    """The power of two of which all are multiples, where arithmetic in doubles does not explain it; else inf.

    It does not where the largest could have been finer by far; nor for whole numbers that doubles hold, or where a
    SHARE of the outputs, all whole, could have been finer by far.
    """
    sizes = np.abs(outputs[outputs != 0])
    if not sizes.size:
        return np.inf
    grid, largest = float(2.0 ** lowest_bit(sizes).min()), float(sizes.max())
    if grid >= 1.0 and largest <= WHOLE_DOUBLES:
        return grid
    telling = np.quantile(sizes, SHARE, method="lower") if grid >= 1.0 else largest
    return grid if EXACT * np.spacing(telling) <= grid else np.inf


WHOLE = (
    "the sum of the outputs",
    "the largest output",
    "the smallest output",
    "the place of the largest output",
    "the number of distinct outputs",
    "the place of the smallest output",
    "the number of neighbours that are equal",
    "the number of neighbours that rise",
)


def whole_rows(outputs: Floats) -> tuple[Floats, ...]:
    """What only all outputs together tell, where their noise is shared or the answer is a place: WHOLE, in order."""
    ordered, steps = np.sort(outputs, axis=1), np.diff(outputs, axis=1)
    return (
        outputs.sum(axis=1),
        ordered[:, -1],
        ordered[:, 0],
        outputs.argmax(axis=1).astype(np.float64),
        1.0 + (np.diff(ordered, axis=1) > 0).sum(axis=1),
        outputs.argmin(axis=1).astype(np.float64),
        (steps == 0).sum(axis=1).astype(np.float64),
        (steps > 0).sum(axis=1).astype(np.float64),
    )


def lowest_bit(outputs: Floats) -> Floats:
    """The exponent of the lowest set bit: the largest e such that an output is a whole multiple of 2^e."""
    fraction, exponent = np.frexp(outputs)
    whole = np.abs(fraction * 2.0**53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64), where=whole > 0, out=np.zeros(outputs.shape))
    return np.where(whole > 0, exponent - 53 + lowest, NO_BITS + np.signbit(outputs))
