"""The picture beside privacy_operating.md: calls until a planted mistake is refuted, and what `detectable` is worth.

python benchmarks/privacy_picture.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hdp_audit.reporting.svg import Rows, Scale, bar, dot, page, text

RESULTS = Path(__file__).with_name("privacy_operating.json")
PITCH, LEFT, WIDTH = 20, 190, 420


def picture(results: dict[str, list[dict[str, Any]]]) -> str:
    found = [row for row in results["faults"] if "privacy" in row["breaks"]]
    found.sort(key=lambda row: row["median_calls_of_first_refutation"] or float("inf"))
    rows = Rows(Scale(100.0, 100_000.0, LEFT, LEFT + WIDTH), 40, PITCH, len(found))
    title = "Calls of the first refutation (median), and how often at 300,000 calls"
    parts = [rows.frame(title, [row["name"] for row in found], "calls")]
    for place, row in enumerate(found):
        y, calls, share = rows.middle(place), row["median_calls_of_first_refutation"], f"{row['refuted_at_300000']}"
        tip = f"{row['name']}: {share} of {row['seeds']} refuted, {calls} calls"
        parts.append(bar(LEFT, LEFT + WIDTH, y, "grid"))
        at = rows.x.at(calls) if calls else LEFT + WIDTH  # never refuted: no dot, and its count at the far end
        parts.append(dot(at, y, "dot c1", tip) if calls else "")
        parts.append(text(at + 8, y + 4, f"{share if calls else 0}/{row['seeds']}"))
    return page(LEFT + WIDTH + 60, rows.bottom + 40, title, parts)


def main() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    RESULTS.with_suffix(".svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
