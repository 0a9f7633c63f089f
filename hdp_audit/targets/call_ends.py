"""Ends of calls that are no answer, as exceptions of ours."""

from __future__ import annotations


class CallTimeout(Exception):
    """A call that took longer than its limit."""


class CallEndedLate(CallTimeout):
    """One that could be ended only with its process."""


class CallDied(Exception):
    """A call that ended its process."""
