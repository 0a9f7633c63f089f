"""What differs between two findings, in lines that end where a value ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

LONGEST = 300  # characters of a value


def differences(then: dict[str, Any], now: dict[str, Any], at: str = "") -> Iterator[str]:
    """A line for each entry that is not what it was; of tables only what differs in them."""
    for key in dict.fromkeys([*then, *now]):
        old, new = then.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, f"{at}{key}.")
        elif old != new or (key in then) != (key in now):
            yield f"{at}{key}: {_told(then, key)} then, {_told(now, key)} now"


def brief(value: Any, longest: int = LONGEST) -> str:
    """JSON; what is longer is cut between two entries or words, and says how much more there is."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= longest:
        return text
    if isinstance(value, list):
        return f"[{_cut([brief(entry, longest // 2) for entry in value], ', ', longest)}]"
    if isinstance(value, dict):
        return f"{{{_cut([f'{json.dumps(k)}: {brief(v, longest // 2)}' for k, v in value.items()], ', ', longest)}}}"
    words = text.split(" ")
    if len(words) > 1:
        return _cut(words, " ", longest, " words")
    return f"{text[:longest]}… and {len(text) - longest} more characters"


def _told(finding: dict[str, Any], key: str) -> str:
    return brief(finding[key]) if key in finding else "nothing"


def _cut(parts: Iterable[str], between: str, longest: int, what: str = "") -> str:
    """As many parts as fit, the first always."""
    whole = list(parts)
    kept, length = [whole[0]], len(whole[0])
    for part in whole[1:]:
        length += len(between) + len(part)
        if length > longest:
            break
        kept.append(part)
    rest = len(whole) - len(kept)
    return between.join([*kept, *([f"… and {rest} more{what}"] if rest else [])])
