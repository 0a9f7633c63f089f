"""Mechanisms with known losses, correct and broken ones: `ENTRIES`, `BY_NAME`; `entry.Entry` says what each holds."""

from tests.tracing.zoo import (
    categories,
    composition,
    control_flow,
    data_dependent,
    exponential,
    faults,
    histograms,
    local,
    means,
    medians,
    noises,
    outputs,
    per_user,
    sampling,
    selection,
    sources,
    sparse_vector,
    suppression,
    words,
)

MODULES = (
    means,
    faults,
    noises,
    data_dependent,
    suppression,
    outputs,
    words,
    composition,
    per_user,
    control_flow,
    sampling,
    local,
    categories,
    selection,
    exponential,
    medians,
    sparse_vector,
    histograms,
    sources,
)
ENTRIES = tuple(entry for module in MODULES for entry in module.ENTRIES)
BY_NAME = {entry.name: entry for entry in ENTRIES}
