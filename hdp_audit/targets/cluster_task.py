"""What a worker of a cluster does with a bundle: looks whether it has the same as we, and has it made."""

from __future__ import annotations

import pickle
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hdp_audit.targets.deputies import deputies
from hdp_audit.targets.fingerprint import Fingerprint
from hdp_audit.targets.parcel import Elsewhere, Parcel, moved

_received: dict[str, Path] = {}  # folders with files that were sent, by what is in them


@dataclass(frozen=True)
class Lacks:
    """The answer of a worker that has not got the files yet; with them it would work."""

    worker: str


@dataclass(frozen=True)
class Task:
    """Workers may join, or be renewed, at any time: each looks where it is before it works.

    `sent`: files that a worker gets if it has none of that name.
    """

    same: Fingerprint
    sent: frozenset[str] = frozenset()
    identity: str = field(default="")

    def __call__(self, opening: bytes, bundle: bytes, parcel: Parcel | None = None) -> bytes | str | Lacks:
        """Pickled tables, or why there are none: an exception would fill the logs of the cluster.

        `opening`: without the folder of the spec, if there is one.
        """
        differing = self.differences()
        if differing:
            return refusal("a worker that took work", differing)
        sources = self.same.sources
        if sources is None:
            return deputies().made(opening, bundle)
        folder = self._folder(parcel) if self.same.lacks(self.sent) else sources.folder
        if folder is None:
            return Lacks(_address())
        if folder != sources.folder:
            differing = replace(self.same, sources=moved(sources, folder)).differences()
            if differing:
                shutil.rmtree(_received.pop(self.identity), ignore_errors=True)
                return refusal("a worker that was sent files", differing)
        return deputies().made(pickle.dumps(Elsewhere(opening, folder)), bundle)

    def differences(self) -> list[str]:
        """What no file that is sent will mend."""
        return self.same.differences(self.sent)

    def _folder(self, parcel: Parcel | None) -> Path | None:
        """Where the files lie that were sent."""
        if self.identity not in _received:
            if parcel is None:
                return None
            place = Path(tempfile.mkdtemp(prefix="hdp-audit-", dir=_scratch()))
            parcel.unpacked(place)
            _received[self.identity] = place
        return _received[self.identity]


def refusal(who: str, differing: list[str]) -> str:
    """What is said of a worker whose numbers would not be believed."""
    return (
        f"executor dask: {who} differs ({'; '.join(differing)}); "
        "give every worker the same hdp-audit, the same packages and the same files"
    )


def _here() -> Any:
    return __import__("distributed").get_worker()


def _address() -> str:
    return str(_here().address)


def _scratch() -> str:
    """A folder of the worker's own, which Dask clears up even if the worker is killed."""
    return str(_here().local_directory)
