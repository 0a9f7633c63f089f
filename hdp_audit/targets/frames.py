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
    return tuple(_told(*frame) for frame in _outside(why)[-MOST:])


def place_of(why: BaseException) -> str:
    """The last frames in one line, the innermost first; the last one of a file of the user's own is among them."""
    found = _outside(why)
    own = [frame for frame in found[:-LAST] if _is_own(frame[0])]
    last = found[-LAST:]
    if own and not any(_is_own(file) for file, _, _ in last):
        last = [own[-1], *last[1:]]
    return ", called from ".join(_told(*frame) for frame in reversed(last))


def _outside(why: BaseException) -> list[tuple[str, int, str]]:
    """File, line and name of each frame outside of this package."""
    try:
        walked = traceback.walk_tb(why.__traceback__)
        found = [(frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in walked]
    except Exception:  # an exception may be anything
        return []
    return [(file, line, name) for file, line, name in found if not file.startswith(OURS)]


def _is_installed(file: str) -> bool:
    return any(file.startswith(place) for place in INSTALLED)


def _is_own(file: str) -> bool:
    """Of no installed package; compiled ones name files that are not there."""
    return not _is_installed(file) and Path(file).is_file()


def _told(file: str, line: int, name: str) -> str:
    """A user's file by its name; of an installed one the package says more."""
    path = Path(file)
    where = f"{path.parent.name}/{path.name}" if _is_installed(file) else path.name
    return spelled(f"{where} line {line} in {name}")
