"""Two analysts who want to know how many users are above one half. Both ask twelve questions, and tell all they heard."""

from service import Refused

CUT, SCALE = 0.5, 8
QUESTIONS = 12


def curious(service):
    """Adaptive: each question depends on whether the one before was refused, so that it bisects 0 to 4096."""
    told, low, high = [], 0, 2**QUESTIONS
    for _ in range(QUESTIONS):
        middle = (low + high) // 2
        told.append(asked(service, middle))
        low, high = (low, middle) if told[-1] == "refused" else (middle, high)
    return told


def patient(service):
    """Not adaptive: the same number of questions, fixed beforehand: 32768, 16384, and so on to 16."""
    return [asked(service, 16 * 2**number) for number in reversed(range(QUESTIONS))]


def asked(service, at_least):
    """An answer, or that there was none."""
    try:
        return service.count(CUT, SCALE, at_least)
    except Refused:
        return "refused"
