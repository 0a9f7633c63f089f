"""PAC lower bounds for frequencies from products of spiders."""

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.chain import falls_short
from hdp_audit.theory.spider import Spider
from hdp_audit.theory.spider_lp import spider_certificate

Floats = NDArray[np.float64]
_LONGEST = 14.0
_PACE = 2.0
_MOST = 40


def lay_spider(ascending: Floats, groups: int, arms: int, moved: int, parts: int = 12) -> Spider | None:
    """Every `groups`-th user, smallest demands first, cut into blocks of moved/parts users, and also at every second
    unit of log-distance.

    Made for the width moved/n: the windows of that width then hold `parts` whole blocks, and nothing is lost to
    rounding. More cuts never hurt. Group g holds the users of rank g, g + groups, ...; all are given the demands of
    the last group, the largest.
    """
    sums = np.cumsum(ascending[groups - 1 :: groups])
    users = min(int(np.searchsorted(sums, _LONGEST, side="left")) + 1, sums.size)
    users = min(users, int(np.searchsorted(sums, np.inf)))
    if users == 0:
        return None
    place = np.concatenate([[0.0], sums[:users]])
    # The linear programme grows with the square of the number of blocks.
    parts = max(min(parts, _MOST * moved // users), 1)
    even = np.round(np.arange(0, users * parts / moved) * moved / parts).astype(int)
    paced = np.searchsorted(place, np.arange(0.0, _LONGEST, _PACE))
    marks = np.unique(np.concatenate([even, paced, [users]]).clip(0, users))
    return Spider(marks / ascending.size, np.maximum(np.diff(place[marks]), 1e-9), arms)


def spider_rate(ascending: Floats, categories: int, beta: float, start: float, reach: float) -> float:
    """The largest m/2n for which some product of spiders has (Σν)^c < 1−β at the width m/n; `start` is a bound already
    known, `reach` the error scale one expects.

    Proof. A mechanism with rate α < m/2n would have success ≥ 1−β on every dataset, hence on their average under Πλ.
    Products of c spiders with ⌊(k−1)/c⌋ ≥ 2 arms each are tried, for a few c; one arm is a chain's business.
    """
    n = ascending.size
    if start >= 0.5 or beta >= 0.5:
        return start
    low, high = int(2 * n * start * (1 + 1e-12)), min(n, int(5 * n * reach) + 2)
    most = max((categories - 1) // 2, 1)
    for groups in np.unique(np.round(np.geomspace(1, most, 5)).astype(int)):
        low = _most_moved(ascending, int(groups), (categories - 1) // int(groups), beta, (low, high))
    return max(start, low / (2 * n))


def _most_moved(ascending: Floats, groups: int, arms: int, beta: float, bracket: tuple[int, int]) -> int:
    """Bisection for the largest m that is refuted, to about a thousandth; the lower end when none above it is."""
    low, high = bracket
    # One step beyond what is known, large enough to be worth the search.
    first = low + 1 + low // 1000
    if first > high or not _refutes(ascending, groups, arms, first, beta):
        return low
    low = first
    while high - low > 1 + low // 1000:
        middle = (low + high) // 2
        low, high = (middle, high) if _refutes(ascending, groups, arms, middle, beta) else (low, middle)
    return low


def _refutes(ascending: Floats, groups: int, arms: int, moved: int, beta: float) -> bool:
    spider = lay_spider(ascending, groups, arms, moved)
    found = None if spider is None else spider_certificate(spider, moved / ascending.size)
    return found is not None and falls_short(found.success**groups, beta)
