"""Mechanisms with known losses, correct and broken ones: `ENTRIES`, `BY_NAME`."""

from tests.tracing.zoo import (
    composition,
    control_flow,
    data_dependent,
    faults,
    means,
    noises,
    outputs,
)

MODULES = (means, faults, noises, data_dependent, outputs, composition, control_flow)
ENTRIES = tuple(entry for module in MODULES for entry in module.ENTRIES)
BY_NAME = {entry.name: entry for entry in ENTRIES}
