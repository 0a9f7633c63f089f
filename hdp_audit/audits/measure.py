"""Errors of a mechanism on a dataset, correlated or permuted anew for every draw, in bounded memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import DatasetTable
from hdp_audit.model.vocabulary import NormName
from hdp_audit.search.worst_case import Instance
from hdp_audit.targets.streams import Named
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import white_box

Floats = NDArray[np.float64]

WORST = 1.0  # of a failed call, in ℓ∞; and larger errors count as this
CELLS = 1 << 21  # numbers held at once
SHORT = 512  # users


def tables(subject: Subject, dataset: Instance, setting: str, size: int, stream: Named) -> Floats:
    """`size` outputs, the last column the outcome; small blocks where rows of data are needed."""
    if setting == "correlated":
        return subject.draw(subject.dataset(dataset.data), size, stream)
    known, rng = white_box(subject.mechanism), stream.generator()
    outputs = known.permuted(dataset.data, rng, size) if known is not None and subject.trusts_batches else None
    if outputs is not None:
        subject.calls += size
        return np.column_stack([outputs.reshape(size, -1), np.zeros(size)])
    step = max(1, CELLS // dataset.data.size)
    blocks = [min(step, size - start) for start in range(0, size, step)]
    parts = zip(blocks, stream.then("calls").turns(), strict=False)
    return np.concatenate(
        [subject.draw_each(DatasetTable.of(_permuted(dataset, rows, rng), subject.promise), own) for rows, own in parts]
    )


def _permuted(dataset: Instance, rows: int, rng: np.random.Generator) -> NDArray[np.generic]:
    """All at once for short rows; long ones one by one, where a whole shuffle is faster."""
    if dataset.data.size <= SHORT:
        return rng.permuted(np.broadcast_to(dataset.data, (rows, dataset.data.size)), axis=1)
    table = np.empty((rows, dataset.data.size), dtype=dataset.data.dtype)
    for row in table:
        row[:] = rng.permutation(dataset.data)
    return table


def errors_of(table: Floats, truth: Floats, norm: NormName = "linf") -> Floats:
    """‖output − truth‖ of each row; failures, and larger errors, count as the worst answer from 0 to 1."""
    worst = worst_error(truth, norm)
    errors = np.minimum(_length(table[:, :-1] - truth, norm), worst)
    return np.where(table[:, -1] == 0, errors, worst)


def worst_error(truth: Floats, norm: NormName) -> float | Floats:
    """What counts as the largest error: 1 in ℓ∞."""
    return WORST if norm == "linf" else _length(np.maximum(truth, 1.0 - truth), norm)


def _length(rows: Floats, norm: NormName) -> Floats:
    if norm == "linf":
        return np.asarray(np.abs(rows).max(axis=-1))
    return np.asarray(np.linalg.norm(rows, ord=1 if norm == "l1" else 2, axis=-1))


def largest_error(subject: Subject, dataset: Instance, norm: NormName = "linf") -> float:
    """Where it is known to answer within [0, 1]; what a black box may answer is unknown."""
    known = white_box(subject.mechanism)
    if norm != "linf" or known is None or not known.clipped:
        return float(worst_error(dataset.truth, norm))
    return float(max(dataset.truth.max(), 1.0 - dataset.truth.min()))


def draw_errors(
    subject: Subject, dataset: Instance, setting: str, size: int, stream: Named, norm: NormName = "linf"
) -> Floats:
    """`size` errors."""
    step = max(1, CELLS // (subject.width + 1))
    parts = [
        errors_of(tables(subject, dataset, setting, min(step, size - start), own), dataset.truth, norm)
        for start, own in zip(range(0, size, step), stream.turns("block"), strict=False)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)
