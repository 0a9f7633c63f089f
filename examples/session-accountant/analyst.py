"""Two analysts who count users above one half: seven questions at the same prices, and all that they heard."""

from service import Refused

CUT = 0.5
FIRST, CHEAP, LAST = 28 / 64, 1 / 64, (0.5, 1.0)  # prices; with four cheap ones they sum to 0.5, 1 and 2


def adaptive(service):
    """Bisects around its first answer: what it asks depends on what it was told."""
    first = asked(service, FIRST, 10)
    if first == "refused":
        return [first]
    told, at_least = [first], first
    for step in (4, 2, 1, 0):
        told.append(asked(service, CHEAP, at_least))
        at_least += -step if told[-1] == "refused" else step
    return [at_least, *told, *(asked(service, price, 10) for price in LAST)]


def fixed(service):
    """Asks the same questions with thresholds that are fixed beforehand."""
    first, *last = ((price, 10) for price in (FIRST, *LAST))
    return [asked(service, *question) for question in (first, *((CHEAP, 2**k) for k in (7, 6, 5, 4)), *last)]


def asked(service, price, at_least):
    """An answer, or that there was none."""
    try:
        return service.count(CUT, price, at_least)
    except Refused:
        return "refused"
