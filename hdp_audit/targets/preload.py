"""The server from which workers come: it loads the libraries once, for all of them."""

from __future__ import annotations

import multiprocessing

from hdp_audit.targets.interrupts import deaf_children
from hdp_audit.targets.silence import silenced
from hdp_audit.targets.threads import one_thread_for_children

LOADED = ("hdp_audit.engine", "scipy.optimize")


def prepared(*more: str) -> bool:
    """Start the server now, so that it loads the libraries (and `more`) while this process does; False without one."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return False
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([*LOADED, *more])
    with one_thread_for_children(), deaf_children(), silenced():  # a mechanism can write into what they read
        forkserver.ensure_running()
    return True
