"""What is called where an address or an argument names a function, a class, a method, a factory, or an async one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.awaited import Awaited, is_async
from hdp_audit.targets.fresh import Fresh, Per


def prepared(
    found: Callable[..., Any], fresh: Per | None = None, method: str | None = None, output: str | None = None
) -> Callable[..., Any]:
    """The function itself, unless an object has to be made first or a coroutine awaited."""
    if fresh is not None or method is not None or _makes_callables(found):
        return Fresh(found, fresh or "call", method, output)
    if isinstance(found, type) and not any("__new__" in vars(kind) for kind in found.__mro__[:-1]):
        raise InvalidInput(
            f"{found.__name__} is a class whose objects cannot be called; name the method that releases: "
            f'target = "file.py:{found.__name__}.method", or Fresh({found.__name__}, method="...") in Python'
        )
    if output is not None:
        name = getattr(found, "__name__", type(found).__name__)
        raise InvalidInput(f'output = "{output}" is an attribute of an object, and {name} makes none; leave it out')
    return Awaited(found) if is_async(found) else found


def _makes_callables(found: Callable[..., Any]) -> bool:
    """A class whose objects can be called."""
    return isinstance(found, type) and any("__call__" in vars(kind) for kind in found.__mro__)
