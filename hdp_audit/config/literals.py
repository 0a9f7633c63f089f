"""Numbers of a TOML text that a double cannot hold: 1e400 is not the word inf."""

from __future__ import annotations

from hdp_audit.model.number_texts import is_lost


class Lost(float):
    """A literal that became infinity or 0 on the way; it is shown as it was written."""

    written: str

    def __str__(self) -> str:
        return self.written

    __repr__ = __str__


def literal(text: str) -> float:
    """A number of the spec, for `tomllib`."""
    value = float(text)
    if not is_lost(text, value):
        return value
    lost = Lost(value)
    lost.written = text
    return lost
