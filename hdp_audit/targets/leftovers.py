"""What calls leave different in their process: put back after every request, and told where it is code.

Loading may change what it likes, as what is loaded may need it; from then on each call finds what the first one found.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import locale
import math
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

MODULES: tuple[ModuleType, ...] = (builtins, np, np.random, np.linalg, random, time, os, math)
HOOKS = (
    (sys, ("stdin", "stdout", "stderr", "excepthook", "unraisablehook", "displayhook")),
    (threading, ("excepthook",)),
    (warnings, ("showwarning", "formatwarning")),
)
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGALRM")
STANDARD = (0, 1, 2)  # descriptors
SEEDS = (random.seed, np.random.seed)  # as they are before anything was loaded that might replace them
UMASK = 0o077  # for the moment in which the system tells the one that is set


def fresh_generators() -> None:
    """The generators of which a process has one, by the system's randomness.

    Processes that were forked from one server have numpy's in the same state, so that a mechanism which draws from it
    would give the same noise in each; and another mechanism may have seeded it.
    """
    for seed in SEEDS:
        seed()


@dataclass(frozen=True)
class Setting:
    """Something of which a process has one."""

    read: Callable[[], Any]
    write: Callable[[Any], object]


def _umask() -> int:
    found = os.umask(UMASK)
    os.umask(found)
    return found


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # it is gone
        return None


def _go_to(folder: str | None) -> None:
    if folder is not None:
        os.chdir(folder)


def _environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)


def _signals() -> list[Any]:
    return [signal.getsignal(getattr(signal, name)) for name in SIGNALS if hasattr(signal, name)]


def _handle(handlers: list[Any]) -> None:
    """Only the main thread may, and only what Python knows of."""
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        for number, handler in zip(numbers, handlers, strict=True):
            if handler is not None:
                signal.signal(number, handler)


def _blocked() -> Any:
    return signal.pthread_sigmask(signal.SIG_BLOCK, []) if hasattr(signal, "pthread_sigmask") else None


def _block(before: Any) -> None:
    if before is not None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _path(before: list[str]) -> None:
    sys.path[:] = before


def _called_back(before: list[Any]) -> None:
    gc.callbacks[:] = before


def _modules(before: dict[str, ModuleType]) -> None:
    """Those that were imported since stay."""
    sys.modules.update(before)


def _collecting(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()


SETTINGS = (
    Setting(_folder, _go_to),
    Setting(lambda: dict(os.environ), _environment),
    Setting(_umask, os.umask),
    Setting(_signals, _handle),
    Setting(_blocked, _block),
    Setting(lambda: list(sys.path), _path),
    Setting(lambda: dict(sys.modules), _modules),
    Setting(lambda: locale.setlocale(locale.LC_ALL), lambda before: locale.setlocale(locale.LC_ALL, before)),
    Setting(gc.isenabled, _collecting),
    Setting(gc.get_debug, gc.set_debug),
    Setting(gc.get_threshold, lambda before: gc.set_threshold(*before)),
    Setting(lambda: list(gc.callbacks), _called_back),
    Setting(sys.gettrace, sys.settrace),
    Setting(sys.getprofile, sys.setprofile),
    Setting(sys.getswitchinterval, sys.setswitchinterval),
    Setting(sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    Setting(np.get_printoptions, lambda before: np.set_printoptions(**before)),
)


class Leftovers:
    """Everything as it is now; `put_back` makes it so again."""

    def __init__(self) -> None:
        self._settings = [setting.read() for setting in SETTINGS]
        self._hooks = [(owner, name, getattr(owner, name)) for owner, names in HOOKS for name in names]
        self._modules = [dict(vars(module)) for module in MODULES]
        self._values = [[*map(id, held.values())] for held in self._modules]

    def put_back(self) -> list[str]:
        """What was changed is as it was; the names of code that had been replaced."""
        replaced = [name for number, module in enumerate(MODULES) for name in self._restored(number, module)]
        for owner, name, before in self._hooks:
            if getattr(owner, name, None) is not before:
                setattr(owner, name, before)
        for setting, before in zip(SETTINGS, self._settings, strict=True):
            _put_back(setting, before)
        for descriptor in STANDARD:
            _reopen(descriptor)
        return replaced

    def _restored(self, number: int, module: ModuleType) -> list[str]:
        """What a module got in addition stays: parts of it that were imported, for one."""
        now, before = vars(module), self._modules[number]
        if [*map(id, now.values())] == self._values[number]:
            return []
        names = [name for name, value in before.items() if now.get(name) is not value]
        now.update({name: before[name] for name in names})
        self._modules[number] = dict(now)
        self._values[number] = [*map(id, now.values())]
        return [f"{module.__name__}.{name}" for name in names if callable(before[name])]


def _put_back(setting: Setting, before: Any) -> None:
    with contextlib.suppress(OSError, ValueError, TypeError, locale.Error):
        if setting.read() != before:
            setting.write(before)


def _reopen(descriptor: int) -> None:
    """One that was closed leads nowhere: else the next file that is opened takes its place."""
    try:
        os.fstat(descriptor)
    except OSError:
        with contextlib.suppress(OSError):
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != descriptor:
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
