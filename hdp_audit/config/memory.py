"""The key `memory` of [mechanism]: how much a worker, or a program, may have."""

from __future__ import annotations

import re

from hdp_audit.config.section import Section

UNITS = {"MB": 10**6, "GB": 10**9, "MiB": 2**20, "GiB": 2**30}
LEAST, MOST = 16 << 20, 1 << 50
ALLOWED = 'a size from "16MiB", such as "512MiB" or "2GiB"'


def read_memory(section: Section) -> int | None:
    """Bytes; None where nothing is said."""
    text = section.text("memory")
    if text is None:
        return None
    found = size(text)
    if found is None:
        section.wrong("memory", f"give {ALLOWED}")
    return found


def size(text: str) -> int | None:
    """Of a text such as "2GiB"; None where it is none."""
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([MG]i?B)\s*", text, re.ASCII)
    value = int(float(match[1]) * UNITS[match[2]]) if match else 0
    return value if LEAST <= value <= MOST else None
