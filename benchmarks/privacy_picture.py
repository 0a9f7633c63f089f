"""The picture beside privacy_operating.md: calls until a planted mistake is refuted, and what `detectable` is worth.

python benchmarks/privacy_picture.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hdp_audit.reporting.svg import LogPanel, page

RESULTS = Path(__file__).with_name("privacy_operating.json")
ROW, LEFT, WIDTH = 20, 190, 420


def picture(results: dict[str, list[dict[str, Any]]]) -> str:
    rows = [row for row in results["guilty"] if "privacy" in row["breaks"]]
    rows.sort(key=lambda row: row["median_calls_of_first_refutation"] or float("inf"))
    panel = LogPanel(LEFT, 40, WIDTH, ROW * len(rows), (100.0, 100_000.0), (1.0, 10.0))
    parts = []
    for place, row in enumerate(rows):
        middle = panel.top + ROW * (place + 0.5)
        calls = row["median_calls_of_first_refutation"]
        label = f"{row['name']}: {row['refuted_at_300000']} of {row['seeds']} refuted, {calls} calls"
        parts.append(f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{row["name"]}</text>')
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{middle}" y2="{middle}"/>')
        if not calls:  # never refuted: no dot, and its count at the far end
            parts.append(f'<text x="{LEFT + WIDTH + 8}" y="{middle + 4}">0/{row["seeds"]}</text>')
            continue
        parts.append(
            f'<circle class="dot-one" cx="{panel.x(calls):.1f}" cy="{middle}" r="4"><title>{label}</title></circle>'
        )
        parts.append(
            f'<text x="{panel.x(calls) + 8:.1f}" y="{middle + 4}">{row["refuted_at_300000"]}/{row["seeds"]}</text>'
        )
    for tick in (100, 1_000, 10_000, 100_000):
        at = panel.x(tick)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="40" y2="{40 + panel.height}"/>')
        parts.append(f'<text x="{at:.1f}" y="{56 + panel.height}" text-anchor="middle">{tick:,}</text>')
    title = "Calls of the first refutation (median), and how often at 300,000 calls"
    parts.append(f'<text class="title" x="{LEFT}" y="24">{title}</text>')
    return page(LEFT + WIDTH + 60, int(80 + panel.height), title, parts)


def main() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    RESULTS.with_suffix(".svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
