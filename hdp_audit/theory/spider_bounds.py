"""PAC lower bounds for frequencies from products of spiders."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.chain import block_marks
from hdp_audit.theory.spider import Spider
from hdp_audit.theory.spider_lp import spider_certificate

Floats = NDArray[np.float64]
_LONGEST = 14.0


def lay_spider(ascending: Floats, groups: int, arms: int, reach: float, nodes: int = 28) -> Spider | None:
    """Every `groups`-th user, smallest demands first, cut into about `nodes` blocks.

    Group g holds the users of rank g, g + groups, ...; all are given the demands of the last group, the
    largest.
    """
    demands = ascending[groups - 1 :: groups]
    sums = np.cumsum(demands)
    users = min(int(np.searchsorted(sums, _LONGEST, side="left")) + 1, demands.size)
    users = min(users, int(np.searchsorted(sums, np.inf)))
    if users == 0:
        return None
    place = np.concatenate([[0.0], sums[:users]])
    theta = np.arange(users + 1) / ascending.size
    marks = block_marks(place, theta, reach, nodes)
    return Spider(theta[marks], np.maximum(np.diff(place[marks]), 1e-9), arms)


def layouts(ascending: Floats, categories: int, reach: float) -> Iterator[tuple[int, Spider]]:
    """Products of c spiders with ⌊(k−1)/c⌋ ≥ 2 arms each, for a few c; one arm is a chain's business."""
    most = max((categories - 1) // 2, 1)
    for groups in np.unique(np.round(np.geomspace(1, most, 5)).astype(int)):
        spider = lay_spider(ascending, int(groups), (categories - 1) // int(groups), reach)
        if spider is not None:
            yield int(groups), spider


def spider_rate(ascending: Floats, categories: int, beta: float, start: float, reach: float) -> float:
    """The largest width/2 for which some product of spiders has (Σν)^c < 1−β; `start` is a bound already
    known, `reach` the error scale the spiders are laid out for.

    Proof. A mechanism with rate α < width/2 would have success ≥ 1−β on every dataset, hence on their average
    under Πλ.
    """
    if start >= 0.5 or beta >= 0.5:
        return start
    reach = max(reach, 1 / (2 * ascending.size))
    best = start
    for groups, spider in _promising(ascending, categories, reach):
        low, high = 2 * best, min(1.0, max(5 * reach, 2.2 * best))
        if not _refutes(spider, groups, low * 1.001 + 1e-12, beta):
            continue
        for _ in range(7):
            middle = (low + high) / 2
            low, high = (middle, high) if _refutes(spider, groups, middle, beta) else (low, middle)
        best = max(best, low / 2)
    return best


def _promising(ascending: Floats, categories: int, reach: float) -> list[tuple[int, Spider]]:
    """The two layouts that allow least success at 1.3 times the error scale: a search among valid bounds
    only.
    """
    scored = []
    for groups, spider in layouts(ascending, categories, reach):
        found = spider_certificate(spider, 2.6 * reach)
        scored.append((1.0 if found is None else found.success**groups, groups, spider))
    scored.sort(key=lambda entry: entry[:2])
    return [(groups, spider) for _, groups, spider in scored[:2]]


def _refutes(spider: Spider, groups: int, width: float, beta: float) -> bool:
    found = spider_certificate(spider, width)
    return found is not None and found.success**groups < 1 - beta
