"""Certificates for spiders by linear programming; the solver proposes, `SpiderCertificate.proves` decides."""

from __future__ import annotations

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.spider import Spider, SpiderCertificate

Floats = NDArray[np.float64]
Triples = list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]]


def spider_certificate(spider: Spider, width: float, prior: Floats | None = None) -> SpiderCertificate | None:
    """The least Σν over λ as well unless `prior` is given; checked, or None.

    For each window the vector ν − λ·1_W is written as a non-negative combination of the cone's inequalities
    e^s g_a − g_b ≥ 0 and of g ≥ 0 (Farkas); the solver's answer is then raised a little and checked.
    """
    size = spider.theta.size
    rows = farkas_rows(spider, width)
    count = rows.shape[1]
    goal = np.zeros(count)
    goal[size : 2 * size] = spider.copies
    fixed, total = _prior_rows(spider, count, prior)
    zeros = np.zeros(rows.shape[0])
    answer = scipy.optimize.linprog(goal, A_ub=rows, b_ub=zeros, A_eq=fixed, b_eq=total, method="highs")
    if answer.x is None:
        return None
    found = np.maximum(answer.x[:size], 0.0) if prior is None else prior
    found = found / float(spider.copies @ found)
    return _raised(spider, width, found, np.maximum(answer.x[size : 2 * size], 0.0))


def _raised(spider: Spider, width: float, prior: Floats, nu: Floats) -> SpiderCertificate | None:
    # The solver is right to about 1e-7, and chains amplify: raise ν until the check passes, and pay for it in
    # Σν.
    for slack in (1e-9, 1e-7, 1e-6, 1e-5, 1e-4):
        certificate = SpiderCertificate(spider, width, prior, nu * (1 + slack) + slack * float(prior.max()))
        if certificate.proves():
            return certificate
    return None


def _prior_rows(spider: Spider, count: int, prior: Floats | None) -> tuple[scipy.sparse.csr_matrix, Floats]:
    size = spider.theta.size
    if prior is not None:
        return scipy.sparse.eye(size, count, format="csr"), prior
    where = (np.zeros(size, dtype=int), np.arange(size))
    return scipy.sparse.csr_matrix((spider.copies, where), shape=(1, count)), np.ones(1)


def farkas_rows(spider: Spider, width: float) -> scipy.sparse.csr_matrix:
    """Columns λ, ν, then two flows for each edge of each window's arms; rows −ν + λ·1_W + flows ≤ 0, one a
    node.
    """
    size = spider.theta.size
    triples: Triples = []
    row, column = 0, 2 * size
    for everywhere, first, last in spider.windows(width):
        inside = np.arange(first, last + 1)
        # Arms alike are one arm with a weight at node 0: the window's arm, and the others.
        kinds = [(spider.arms, inside)] if everywhere else [(1, inside), (spider.arms - 1, inside[:0])]
        triples.append((np.array([row]), np.array([size]), np.array([-1.0])))
        if everywhere:
            triples.append((np.array([row]), np.array([0]), np.array([1.0])))
        centre, row = row, row + 1
        for weight, marked in (kind for kind in kinds if kind[0] > 0):
            triples += _arm(spider, weight, marked, centre, row, column)
            row += size - 1
            column += 2 * (size - 1)
    where, columns, entries = (np.concatenate(part) for part in zip(*triples, strict=True))
    return scipy.sparse.csr_matrix((entries, (where, columns)), shape=(row, column))


def _arm(spider: Spider, weight: int, marked: NDArray[np.int64], centre: int, row: int, column: int) -> Triples:
    """One arm's nodes 1..N at rows row, row + 1, ...; node 0 is the row `centre`, shared by `weight` equal
    arms.
    """
    size = spider.theta.size
    nodes = np.arange(1, size)
    own = marked[marked > 0]
    grow = np.exp(spider.steps)
    # The edge a–b has the columns e^s·δ_a − δ_b and e^s·δ_b − δ_a.
    inner = np.where(nodes == 1, centre, row + nodes - 2)
    share = np.where(nodes == 1, float(weight), 1.0)
    outer = row + nodes - 1
    forth, back = column + 2 * (nodes - 1), column + 2 * (nodes - 1) + 1
    ones = np.ones(size - 1)
    return [
        (outer, size + nodes, -ones),
        (row + own - 1, own, np.ones(own.size)),
        (inner, forth, grow * share),
        (outer, forth, -ones),
        (outer, back, grow),
        (inner, back, -share),
    ]
