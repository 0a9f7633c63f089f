"""The script that started this process is none of the workers' business."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def unseen_by_workers() -> Iterator[None]:
    """Processes that are started in the body do not import the script again.

    One without `if __name__ == "__main__"` would run its command line once more in each of them. All that is sent to
    workers has a module of its own.
    """
    main = sys.modules["__main__"]
    kept: dict[str, Any] = {name: vars(main)[name] for name in ("__file__", "__spec__") if name in vars(main)}
    vars(main).pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        vars(main).update(kept)
