"""Reading what is to be imported: a file, or a folder of them, that the owner has named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from memoro.errors import ConfigError, NoteUnreadable
from memoro.ledger.exchange.candidates import File
from memoro.ledger.exchange.records import ImportProblem
from memoro.vault.encoding import decode

MAX_FILES = 10_000
MAX_BYTES = 50 * 1024 * 1024  # of another store, for it is read whole; an export of our own is read line by line
_TEXT = {"", ".md", ".markdown", ".txt", ".json", ".jsonl", ".ndjson"}
_SNIFF = 4096


class Loaded(NamedTuple):
    files: tuple[File, ...]
    problems: tuple[ImportProblem, ...]


def beginning(file: str) -> str:
    """The first lines of a file, to see what it is; nothing of a folder."""
    if os.path.isdir(file):
        return ""
    with _reading(file) as opened:
        return opened.read(_SNIFF).decode("utf-8", "replace").removeprefix("\ufeff")


def lines(file: str) -> Iterator[str]:
    """The lines of a file, each without its end. Bytes that are not UTF-8 become what no database takes."""
    with _reading(file) as opened:
        for number, line in enumerate(opened):
            text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
            yield text.removeprefix("\ufeff") if number == 0 else text


def load(place: str) -> Loaded:
    """The texts of a file, or of a folder's files whose names are those of texts. Links in it are not followed."""
    if not os.path.exists(place):
        raise ConfigError(f"There is no file or folder {place}.")
    if not os.path.isdir(place):
        return _loaded([(os.path.basename(place), place)])
    found = []
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = os.path.join(folder, name)
            if not name.startswith(".") and os.path.splitext(name)[1].casefold() in _TEXT and _is_plain(file):
                found.append((os.path.relpath(file, place).replace(os.sep, "/"), file))
        if len(found) > MAX_FILES:
            raise ConfigError(
                f"{place} holds more than {MAX_FILES:,} files; name the folder that holds the memories themselves."
            )
    return _loaded(found)


def _is_plain(file: str) -> bool:
    return os.path.isfile(file) and not os.path.islink(file)


def _loaded(found: list[tuple[str, str]]) -> Loaded:
    texts, problems = [], []
    left = MAX_BYTES
    for path, file in found:
        shown = path.encode("utf-8", "replace").decode()  # a name of any bytes
        try:
            with _reading(file) as opened:
                data = opened.read(left + 1)
        except ConfigError as error:
            if len(found) == 1:
                raise
            problems.append(ImportProblem(shown, str(error)))
            continue
        left -= len(data)
        if left < 0:
            raise ConfigError(
                f"{shown} is too much: up to {MAX_BYTES // 1024**2} MB are imported at a time. Split it, or name a "
                "smaller folder."
            )
        text, notice = _decoded(data)
        texts.append(File(shown, text))
        problems += [ImportProblem(shown, notice)] if notice else []
    return Loaded(tuple(texts), tuple(problems))


def _decoded(data: bytes) -> tuple[str, str | None]:
    try:
        return decode(data)
    except NoteUnreadable:
        return data.decode("utf-8", "replace").replace("\x00", "\ufffd"), "It is not text; what could be read was."


@contextmanager
def _reading(file: str) -> Iterator[BinaryIO]:
    """A file open for reading, with errors in our words. What is no file, such as a pipe, is not waited for."""
    try:
        if not os.path.isfile(file):
            raise ConfigError(f"{file} is not a file.")
        with open(file, "rb") as opened:
            yield opened
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}.") from error
