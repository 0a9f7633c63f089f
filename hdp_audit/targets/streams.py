"""Named random streams: results depend on the seed and on what a draw is for, never on who computed it or when."""

from __future__ import annotations

import hashlib

import numpy as np

SEPARATOR, ESCAPE = "\x1f", "\x1e"


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """The generator for one purpose; adding a check changes no other check's numbers.

    Different names never share a stream: separators inside a name are escaped.
    """
    text = SEPARATOR.join(_escaped(str(name)) for name in names)
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype=np.uint32)
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))


def _escaped(name: str) -> str:
    return name.replace(ESCAPE, ESCAPE * 2).replace(SEPARATOR, ESCAPE + "s")
