"""Async functions: a call waits until its coroutine is done, on a loop of its own."""

from __future__ import annotations

import asyncio
import inspect
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_own = threading.local()


def is_async(mechanism: Callable[..., Any]) -> bool:
    """Whether a call makes a coroutine."""
    return inspect.iscoroutinefunction(mechanism) or inspect.iscoroutinefunction(getattr(mechanism, "__call__", None))  # noqa: B004


class Awaited:
    """An async mechanism as a plain one."""

    def __init__(self, mechanism: Callable[..., Any]) -> None:
        self._mechanism = mechanism
        self.__name__ = getattr(mechanism, "__name__", type(mechanism).__name__)
        self.__signature__ = inspect.signature(mechanism)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """One call, until it is done."""
        return result_of(self._mechanism(*given, **named))


def result_of(found: Any) -> Any:
    """What a coroutine gives; anything else is itself."""
    if not inspect.iscoroutine(found):
        return found
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _loop().run_until_complete(found)
    with ThreadPoolExecutor(1) as elsewhere:  # inside a notebook a loop is running in this thread
        return elsewhere.submit(_anew, found).result()


def _anew(found: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(found)


class _Loop:
    """A loop that is closed with its thread, or when the process ends."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        weakref.finalize(self, self.loop.close)


def _loop() -> asyncio.AbstractEventLoop:
    if getattr(_own, "kept", None) is None:
        _own.kept = _Loop()
    return _own.kept.loop
