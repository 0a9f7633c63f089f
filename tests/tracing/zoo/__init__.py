"""Mechanisms with known losses, correct and broken ones: `ENTRIES`, `BY_NAME`; `entry.Entry` says what each holds."""

from tests.tracing.zoo import (
    composition,
    control_flow,
    data_dependent,
    faults,
    histograms,
    local,
    means,
    noises,
    outputs,
    sampling,
    selection,
    sources,
    sparse_vector,
)

MODULES = (
    means,
    faults,
    noises,
    data_dependent,
    outputs,
    composition,
    control_flow,
    sampling,
    local,
    selection,
    sparse_vector,
    histograms,
    sources,
)
ENTRIES = tuple(entry for module in MODULES for entry in module.ENTRIES)
BY_NAME = {entry.name: entry for entry in ENTRIES}
