"""Everybody's randomised response at their own level, by OpenDP's constructor for booleans."""

import math

import opendp.prelude as dp

dp.enable_features("contrib")
KNOWN = {}


def answers(data, epsilon):
    """One bit a user; OpenDP draws from its own generator, so a replay draws anew."""
    return [bool(response(float(level))(bool(bit))) for bit, level in zip(data, epsilon, strict=True)]


def response(level):
    """Keeps a bit with probability 1/(1 + e^-level)."""
    if level not in KNOWN:
        KNOWN[level] = dp.m.make_randomized_response_bool(prob=1.0 / (1.0 + math.exp(-level)))
    return KNOWN[level]


def pairs():
    """Each tier's user says no, or yes."""
    for user, name in enumerate(("careful", "usual", "bold")):
        yield [0, 0, 0], [int(place == user) for place in range(3)], [user], f"the {name} user says no or yes"
