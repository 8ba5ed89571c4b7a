"""Tars vaults: the bullets of `Memory.md`, `Procedural.md` and `Pinned.md`, and what was corrected or praised."""

from __future__ import annotations

import re

from memoro.ledger.exchange.candidates import File, Files, Found, ImportCandidate, Reader, when
from memoro.ledger.exchange.readers.blocks import blocks
from memoro.vault.markdown import split_lines

_BULLETS = {"memory.md": (), "procedural.md": ("procedural",), "pinned.md": ("pinned",)}
_FEEDBACK = {"corrections.md": "correction", "rewards.md": "reward"}
_entry = re.compile(r"##[ \t]+(\d{4}-\d{2}-\d{2}[T ]\S.*)")
_part = re.compile(r"[-*][ \t]+(input|got|note):[ \t]*(.*)")
_block_id = re.compile(r"[-*+][ \t].*[ \t]\^[a-z0-9]{6}[ \t]*")
_dated = re.compile(r"\d{4}-\d{2}-\d{2}\b.*")


def _has_feedback(file: File) -> bool:
    lines = split_lines(file.text)
    return any(_entry.fullmatch(line) for line in lines) and any(_part.fullmatch(line) for line in lines)


def _looks_right(files: Files) -> bool:
    names = {file.name.casefold() for file in files}
    return (
        bool(names & {"procedural.md", "pinned.md"})
        or any(_has_feedback(file) for file in files)
        or any(_block_id.fullmatch(line) for file in files for line in split_lines(file.text))
    )


def _read(files: Files) -> Found:
    """Where there are files of the known names, only those: days and sessions are notes and stay notes."""
    known = [file for file in files if file.name.casefold() in {**_BULLETS, **_FEEDBACK}]
    for file in known or [file for file in files if not _is_log(file)]:
        if _has_feedback(file):
            yield from _feedback(file)
        else:
            yield from _bullets(file)


def _is_log(file: File) -> bool:
    return bool(_dated.fullmatch(file.name)) or "sessions" in file.path.casefold().split("/")[:-1]


def _bullets(file: File) -> Found:
    own: tuple[str, ...] = _BULLETS.get(file.name.casefold(), ())
    for block in blocks(file.text):
        if block.is_bullet:
            yield ImportCandidate(file.at(block.line), block.text, (*own, *block.headings))


def _feedback(file: File) -> Found:
    tag = _FEEDBACK.get(file.name.casefold(), "feedback")
    line, at, parts = 0, "", dict[str, list[str]]()
    said: list[str] = []
    for number, text in enumerate([*split_lines(file.text), "## 0000-00-00 end"], 1):
        if entry := _entry.fullmatch(text):
            if parts:
                yield ImportCandidate(
                    place=file.at(line), content=_told(tag, parts), tags=(tag,), created_at=when(at)
                )
            line, at, parts = number, entry[1].rstrip(), {}
        elif part := _part.fullmatch(text):
            said = parts.setdefault(part[1], [])
            said.append(part[2])
        elif parts:
            said.append(text.strip())


def _told(tag: str, parts: dict[str, list[str]]) -> str:
    names = {"note": tag.capitalize(), "input": "Asked", "got": "Answered"}
    return "\n".join(f"{names[name]}: {said}" for name in names if (said := "\n".join(parts.get(name, [])).strip()))


READER = Reader("tars", _looks_right, _read)
