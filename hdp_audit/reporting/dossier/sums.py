"""The checksum file of a folder: the one text that its files have, so that any other text is an edit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

NAME = "SHA256SUMS"
LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)\n")


def sums(files: Mapping[str, bytes]) -> str:
    """A line for each file in the order of names, as `sha256sum --check` reads it."""
    return "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))


def seal(text: str | bytes) -> str:
    """One number for all files: whoever has written it down elsewhere notices when even the checksums were replaced."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def edits(written: bytes, files: Mapping[str, bytes]) -> Iterator[str]:
    """A sentence for each difference between the checksum file and the files; nothing where there is none."""
    now = sums(files)
    if written == now.encode():
        return
    told = {name: sha for sha, name in LINE.findall(written.decode("utf-8", errors="replace"))}
    known = {name: sha for sha, name in LINE.findall(now)}
    found = [f"{name} is missing" for name in told if name not in known]
    found += [f"{name} was added" for name in known if name not in told]
    found += [f"{name} was changed" for name in known if name in told and told[name] != known[name]]
    yield from found or [f"{NAME} itself was changed"]
