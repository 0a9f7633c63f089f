"""Where an exception of a mechanism came from: files and lines, and never a value."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from hdp_audit.targets.spelling import spelled

OURS = str(Path(__file__).parents[1])
INSTALLED = tuple(str(Path(sysconfig.get_path(name))) for name in ("stdlib", "purelib", "platlib"))
MOST, LAST = 50, 3  # frames that are kept, and that are told with a message


def frames_of(why: BaseException) -> tuple[str, ...]:
    """`release.py line 12 in private_mean` for each frame outside of this package, the innermost last."""
    try:
        walked = traceback.walk_tb(why.__traceback__)
        found = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in walked]
    except Exception:  # an exception may be anything
        return ()
    outside = [(file, line, name) for file, line, name in found if not file.startswith(OURS)]
    return tuple(_told(*frame) for frame in outside[-MOST:])


def last_of(frames: tuple[str, ...]) -> str:
    """The last ones in one line, the innermost first."""
    return ", called from ".join(reversed(frames[-LAST:]))


def _told(file: str, line: int, name: str) -> str:
    """A user's file by its name; of an installed one the package says more."""
    path = Path(file)
    installed = any(file.startswith(place) for place in INSTALLED)
    where = f"{path.parent.name}/{path.name}" if installed else path.name
    return spelled(f"{where} line {line} in {name}")
