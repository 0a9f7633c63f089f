"""Work in another process: what would end a process there must not end this one when it comes back as an exception."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hdp_audit.targets.beats import pulse
from hdp_audit.targets.failures import words_of
from hdp_audit.targets.fate import Call, Fate


class Escaped(Exception):
    """The work raised what ends a process: SystemExit, KeyboardInterrupt, GeneratorExit or a cancellation."""


def shielded(function: Callable[[Any], Any], item: Any, fatal: Mapping[Call, Fate] | None = None) -> Any:
    """The result. A worker ignores Ctrl-C, so an interrupt there is the mechanism's own, not the user's.

    `fatal`: calls of this work that ended a process before.
    """
    pulse.begin(fatal or {})
    try:
        return function(item)
    except Exception:
        raise
    except BaseException as why:
        raise Escaped(words_of(why)) from None
