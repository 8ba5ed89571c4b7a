"""The pictures of the documents: all are described in words; those of hosts are shown, and small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools import host_pictures

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
ENOUGH_WORDS = 4  # of a description, for somebody who cannot see the picture


def shown() -> list[tuple[Path, str, Path]]:
    """Every picture in a document: the document, the description, and the file."""
    return [
        (document, found[1], (document.parent / found[2]).resolve())
        for document in DOCUMENTS
        for found in PICTURE.finditer(document.read_text(encoding="utf-8"))
    ]


def test_every_picture_of_a_host_is_shown_somewhere() -> None:
    assert set(host_pictures.NAMES) - {file.stem for _, _, file in shown()} == set()


def test_every_picture_is_described_in_words() -> None:
    assert [(document.name, file.name) for document, text, file in shown() if len(text.split()) < ENOUGH_WORDS] == []


@pytest.mark.parametrize("name", host_pictures.NAMES)
def test_a_picture_of_a_host_is_small(name: str) -> None:
    assert (host_pictures.IMAGES / f"{name}.webp").stat().st_size < host_pictures.MOST_BYTES
