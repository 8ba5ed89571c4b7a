"""Homes for the benchmark of the page: notes on disk of a wanted number of chunks, synced once and kept."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import memoro
from benchmarks import corpus

SECTIONS = 20  # of a note; each is one chunk


def build(folder: Path, chunks: int) -> None:
    """Write the notes and sync them. A home that is there already is left as it is."""
    if (folder / "built").exists():
        return
    started = time.monotonic()
    write_notes(folder / "vault", chunks // SECTIONS)
    with memoro.open(folder / "home", folder / "vault") as m:
        m.sync()
        found = m.status().chunks
    (folder / "built").write_text(f"{found} chunks in {time.monotonic() - started:.0f} s\n", encoding="utf-8")


def write_notes(vault: Path, count: int) -> None:
    language = corpus.Language(7)
    for number in range(count):
        folder = vault / f"area{number % 400:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note{number:06}.md").write_text(_note(language, number), encoding="utf-8")


def _note(language: corpus.Language, number: int) -> str:
    """A note with a day of its own and a heading before each paragraph."""
    day = f"202{number % 6}-{number % 12 + 1:02}-{number % 28 + 1:02}"
    parts = [f"---\ndate: {day}\ntags: [area{number % 40}]\n---", f"# {' '.join(language.words(4)).title()}", ""]
    for _ in range(SECTIONS):
        parts += [f"## {' '.join(language.words(3)).title()}", "", language.paragraph(6), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    build(Path(sys.argv[1]), int(sys.argv[2]))
