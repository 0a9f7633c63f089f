"""The files of a mechanism on their way to workers that lack them, and how what is called finds them there."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.sources import Sources
from hdp_audit.targets.subject import Subject

MOST = 16 << 20  # bytes of all files together; larger ones have to be there already
SPEC = "the folder of the spec"


@dataclass(frozen=True)
class Parcel:
    """Files below the folder of the spec: their content and their mode, by their path."""

    files: Mapping[str, tuple[bytes, int]] = field(default_factory=dict)

    def unpacked(self, folder: Path) -> None:
        """Written below another folder."""
        for name, (content, mode) in self.files.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(mode)


def parcel_of(same: Fingerprint) -> Parcel:
    """Whatever can be sent: files below the folder of the spec, if they are not too large."""
    if same.sources is None:
        return Parcel()
    folder, files = same.sources.folder, [name for name in same.files if _below(name)]
    found = {name: folder / name for name in files if (folder / name).is_file()}
    if sum(path.stat().st_size for path in found.values()) > MOST:
        return Parcel()
    return Parcel({name: (path.read_bytes(), path.stat().st_mode & 0o777) for name, path in found.items()})


def _below(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def moved(sources: Sources, folder: Path) -> Sources:
    """The same, below another folder."""
    command = None if sources.command is None else replace(sources.command, folder=folder)
    return replace(
        sources, folder=folder, command=command, targets=tuple(replace(one, folder=folder) for one in sources.targets)
    )


@lru_cache(maxsize=64)
def without_folder(opening: bytes, folder: Path) -> bytes:
    """How a subject is opened, with a word in the place of the folder of the spec."""
    whole = io.BytesIO()
    _Packer(whole, folder).dump(pickle.loads(opening))  # noqa: S301 - our own
    return whole.getvalue()


@dataclass(frozen=True)
class Elsewhere:
    """Opens a subject from files in another folder."""

    opening: bytes  # without a folder
    folder: Path

    def __call__(self) -> Subject:
        """On the worker that has the files."""
        opened: Callable[[], Subject] = _Unpacker(io.BytesIO(self.opening), self.folder).load()
        return opened()


class _Packer(pickle.Pickler):
    def __init__(self, whole: io.BytesIO, folder: Path) -> None:
        super().__init__(whole)
        self._folder = folder

    def persistent_id(self, obj: Any) -> str | None:
        return SPEC if isinstance(obj, Path) and obj == self._folder else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, whole: io.BytesIO, folder: Path) -> None:
        super().__init__(whole)
        self._folder = folder

    def persistent_load(self, _pid: Any) -> Path:
        return self._folder
