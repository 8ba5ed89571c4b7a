"""Pictures for the documentation: `python -m benchmarks.plot` draws docs/quality.svg and docs/growth.svg.

They are drawn from the tables in RESULTS.md and, for growth, EARLIER.md, so that picture and table cannot differ.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDTH, ROW, LEFT, BAR = 640, 26, 190, 380
COLOURS = {"hybrid": "#2f6fab", "words": "#7fa8c9", "vectors": "#b9cfdf", "plain FTS5, all words": "#c9c9c9"}


def rows(text: str) -> list[tuple[str, str, float]]:
    """Set, method and recall@10 of the quality table: lines such as `| set | method | R@1 | R@5 | R@10 | …`."""
    found = re.findall(r"^\| ([\w-]+-dev) +\| ([^|]+?) +\| [\d.]+ +\| [\d.]+ +\| ([\d.]+) ", text, re.MULTILINE)
    return [(name, method, float(value)) for name, method, value in found if method in COLOURS]


def bars(data: list[tuple[str, str, float]]) -> str:
    height = ROW * len(data) + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"',
        'font-family="sans-serif" font-size="13">',
        '<text x="8" y="22" font-size="15">Recall@10 on the labelled sets, in per cent</text>',
    ]
    for number, (name, method, value) in enumerate(data):
        y = 40 + ROW * number
        length = BAR * value / 100
        parts.append(f'<text x="8" y="{y + 15}">{name.removesuffix("-dev")}: {method.split(",")[0]}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{ROW - 7}" fill="{COLOURS[method]}"/>')
        parts.append(f'<text x="{LEFT + length + 6:.1f}" y="{y + 15}">{value:.1f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def growth(text: str) -> list[tuple[int, float]]:
    """Chunks and median milliseconds of the growth table: lines such as `| 10,000 | 17 | …`."""
    found = re.findall(r"^\| ([\d,]+) +\| ([\d.,]+) +\| [\d.,]+ +\| [\d.,]+ +\| [\d.,]+ +\| ", text, re.MULTILINE)
    return [(int(chunks.replace(",", "")), float(value.replace(",", ""))) for chunks, value in found]


def line(data: list[tuple[int, float]]) -> str:
    """Both axes by powers of ten: a straight line of slope 1 would be growth in proportion."""
    places = [
        (LEFT + 150 * (math.log10(chunks) - 4), 250 - 90 * (math.log10(milliseconds) - 0.5))
        for chunks, milliseconds in data
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 300"',
        'font-family="sans-serif" font-size="13">',
        '<text x="8" y="22" font-size="15">A warm hybrid query, in milliseconds, by the number of passages</text>',
        f'<polyline points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in places)}" fill="none" stroke="#2f6fab"/>',
    ]
    for (chunks, milliseconds), (x, y) in zip(data, places, strict=True):
        parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="#2f6fab"/>')
        parts.append(f'<text x="{x - 12:.0f}" y="{y - 12:.0f}">{milliseconds:.0f} ms</text>')
        parts.append(f'<text x="{x - 25:.0f}" y="285">{chunks:,}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    results, earlier = (
        (ROOT / "benchmarks" / name).read_text(encoding="utf-8") for name in ("RESULTS.md", "EARLIER.md")
    )
    (ROOT / "docs" / "quality.svg").write_text(bars(rows(results)), encoding="utf-8")
    (ROOT / "docs" / "growth.svg").write_text(line(growth(earlier)), encoding="utf-8")
