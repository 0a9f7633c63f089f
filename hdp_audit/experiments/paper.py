"""The figures that the paper prints (tab:exp and tab:exp-mean), digit by digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

COLUMNS = ("hp", "a", "prop", "uni", "sm", "ldp")


@dataclass(frozen=True)
class Printed:
    """A number with the digits it was printed with."""

    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    @property
    def rounding(self) -> tuple[float, float]:
        """All numbers that would be printed like this one."""
        mantissa, _, exponent = self.text.partition("e")
        digits = len(mantissa.partition(".")[2])
        half = 0.5 * 10.0 ** (int(exponent or 0) - digits)
        return self.value - half, self.value + half


def _row(*figures: str) -> Mapping[str, Printed]:
    return MappingProxyType({column: Printed(text) for column, text in zip(COLUMNS, figures, strict=True)})


Figures = Mapping[tuple[str, str], Mapping[str, Printed]]

FREQUENCY: Figures = MappingProxyType(
    {
        ("uc-c", "pac"): _row("0.118", "0.174", "0.273", "1.000", "0.459", "0.420"),
        ("uc-c", "mse"): _row("0.011", "0.030", "0.074", "0.396", "0.180", "0.087"),
        ("5-c", "pac"): _row("0.105", "0.083", "0.202", "1.000", "0.924", "0.253"),
        ("5-c", "mse"): _row("0.012", "0.007", "0.041", "0.834", "0.779", "0.027"),
        ("20-c", "pac"): _row("0.020", "0.003", "0.090", "0.233", "1.000", "0.125"),
        ("20-c", "mse"): _row("3e-4", "7e-6", "0.008", "0.022", "0.779", "0.008"),
        ("cancer-w", "pac"): _row("0.009", "0.005", "0.014", "0.091", "0.382", "0.012"),
        ("cancer-w", "mse"): _row("5e-5", "1e-5", "8e-5", "0.003", "0.036", "7e-5"),
        ("5-w", "pac"): _row("0.012", "0.008", "0.023", "0.370", "0.798", "0.0152"),
        ("5-w", "mse"): _row("1e-4", "3e-5", "2e-4", "0.043", "0.198", "1e-4"),
        ("20-w", "pac"): _row("0.013", "0.007", "0.020", "0.482", "0.348", "0.015"),
        ("20-w", "mse"): _row("1e-4", "2e-5", "2e-4", "0.095", "0.028", "1e-4"),
    }
)
MEAN: Figures = MappingProxyType(
    {
        ("uc-mean-c", "pac"): _row("0.064", "0.005", "0.005", "0.066", "0.005", "1.000"),
        ("uc-mean-c", "mse"): _row("2e-5", "2e-5", "2e-5", "0.001", "2e-5", "0.832"),
        ("mean-c", "pac"): _row("0.008", "0.009", "0.009", "0.027", "0.052", "0.085"),
        ("mean-c", "mse"): _row("4e-5", "7e-5", "8e-4", "2e-4", "2e-5", "0.002"),
        ("mean-w", "pac"): _row("0.008", "0.001", "0.004", "0.027", "0.110", "0.086"),
        ("mean-w", "mse"): _row("4e-5", "3e-7", "5e-6", "1e-4", "0.003", "0.002"),
    }
)


def printed(dataset: str, metric: str, column: str) -> Printed | None:
    """The paper's figure for a cell, where it has one."""
    return {**FREQUENCY, **MEAN}.get((dataset, metric), {}).get(column)
