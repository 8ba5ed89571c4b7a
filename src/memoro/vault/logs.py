"""Read conversation logs through the vault's door: recognise the format, and read lines or whole files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NoteUnreadable
from memoro.model.notes import WITHIN, file_of
from memoro.transcripts import readers, zstd
from memoro.transcripts.ports import (
    DatabaseReader,
    LineReader,
    LogFacts,
    LoggedConversation,
    NumberedLine,
    Rewind,
    Turn,
    Unread,
)
from memoro.transcripts.tool_effects import ToolEffect, tool_effects
from memoro.vault.contents import Log
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    import apsw

MAX_LINE = 64 * 1024 * 1024  # bytes; a longer line is skipped: no message is that long
WINDOW = 64 * 1024  # bytes at the start and at the end of what was read, which identify it later
_SQLITE = b"SQLite format 3\x00"
NO_DATABASE = "It cannot be read as a database"


class Lines:
    """The complete lines in blocks of bytes. A last line without a line end is left out."""

    def __init__(self, blocks: Iterable[bytes], offset: int = 0, number: int = 0) -> None:
        """`offset` is where the blocks begin, and `number` that of the line before."""
        self._blocks = blocks
        self._number = number
        self.end = offset  # of the lines yielded so far
        self.starts: dict[int, int] = {}  # line -> offset, of the lines that `forget` has not dropped
        self.unread: list[int] = []  # lines that hold something, and no object

    def __iter__(self) -> Iterator[NumberedLine]:
        waiting: list[bytes] = []
        size = 0  # of the waiting pieces, also of those too large to keep
        for block in self._blocks:
            *ended, rest = block.split(b"\n")
            for piece in ended:
                self._number += 1
                self.starts[self._number] = self.end
                size += len(piece)
                line = piece if not waiting else b"".join((*waiting, piece))
                self.end += size + 1
                if size > MAX_LINE or _is_no_object(line):
                    self.unread.append(self._number)
                yield self._number, line if size <= MAX_LINE else b""
                waiting, size = [], 0
            if rest:
                size += len(rest)
                waiting = [*waiting, rest] if size <= MAX_LINE else waiting[:1]

    def forget(self, before: int) -> None:
        """Drop the offsets of lines before this one."""
        if len(self.starts) > 1000:
            self.starts = {line: start for line, start in self.starts.items() if line >= before}


def _is_no_object(line: bytes) -> bool:
    """Return whether a line is neither empty nor a JSON object, as far as its ends tell: parsing all takes long."""
    bare = line.strip(b" \t\r\xef\xbb\xbf")
    return bool(bare) and not (bare.startswith(b"{") and bare.endswith(b"}"))


def fingerprint(log: Log, end: int) -> str:
    """Return a text that identifies the part of a log that was read: its length, its start and its end."""
    hashed = hashlib.sha256(log.read(0, min(WINDOW, end)))
    hashed.update(log.read(max(0, end - WINDOW), min(WINDOW, end)))
    return f"log:{end}:{hashed.hexdigest()}"


def has_more(log: Log, end: int) -> bool:
    """Return whether a complete line follows the part that was read."""
    return end < log.size if is_packed(log) else any(b"\n" in block for block in log.blocks(end))


def is_packed(log: Log) -> bool:
    return log.read(0, 4) == zstd.MAGIC


def is_database(log: Log) -> bool:
    return log.read(0, len(_SQLITE)) == _SQLITE


def blocks(log: Log) -> Iterator[bytes]:
    """Yield the content of the log, decompressed."""
    return zstd.unpack(log.blocks()) if is_packed(log) else log.blocks()


def head(log: Log) -> bytes:
    """Return the first bytes, which show the format; nothing of a binary file."""
    found = b""
    for block in blocks(log):
        found += block
        if len(found) >= readers.HEAD:
            break
    found = found[: readers.HEAD].removeprefix(b"\xef\xbb\xbf")
    return b"" if b"\x00" in found[:1024] else found


@contextmanager
def database(vault: VaultFiles, path: str) -> Iterator[tuple[DatabaseReader, Iterator[LoggedConversation]] | None]:
    """Yield the reader of a database and its conversations; None if no reader knows it. Opens only a copy."""
    with _opened_database(vault, path) as found:
        yield (found[0], found[0].conversations(found[1])) if found else None


@contextmanager
def _opened_database(vault: VaultFiles, path: str) -> Iterator[tuple[DatabaseReader, apsw.Connection] | None]:
    import apsw

    with vault.copied(path) as copy:
        try:
            # the copy may have to merge its write-ahead log
            db = apsw.Connection(copy, flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                db.pragma("trusted_schema", False)
                db.execute("PRAGMA cell_size_check = 1")
                tables = {str(name) for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
                reader = readers.recognise_database(tables)
                yield (reader, db) if reader else None
            finally:
                db.close(True)
        except apsw.Error as error:
            raise NoteUnreadable(f"{NO_DATABASE}: {error}.") from error


def turns(vault: VaultFiles, path: str) -> Iterator[Turn]:
    """Yield the turns of a conversation in order, as the disk has it now."""
    file = file_of(path)
    with vault.log(file) as log:
        if is_database(log):
            with database(vault, file) as found:
                yield from _of(path, found[1] if found else ())
            return
        first = head(log)
        reader = readers.recognise_lines(first)
        if reader is not None:
            yield from settled(reader, log)
            return
    document = readers.recognise_document(first)
    if document is not None:
        yield from _of(path, document.conversations(vault.read(file).data))


class LoggedSession(NamedTuple):
    """One conversation, with what its tool calls did."""

    turns: Sequence[Turn]
    effects: Sequence[ToolEffect]
    title: str = ""  # that the host gave it; not its first words
    folder: str = ""  # in which the agent worked


_PROMPTS = ("first", "last")  # facts of a log that are a prompt, not a title


def session(vault: VaultFiles, path: str) -> LoggedSession | None:
    """Return the conversation of a log as the disk has it now; None if the file holds none of that name."""
    file = file_of(path)
    with vault.log(file) as log:
        if is_database(log):
            return _session_of_database(vault, path)
        first = head(log)
        reader = readers.recognise_lines(first)
        if reader is not None:
            about = LogFacts()
            turns = settled(reader, log, about)
            effects = tool_effects(Lines(chain(blocks(log), [b"\n"])))
            return _session(turns, effects, about, reader.titles)
    document = readers.recognise_document(first)
    if document is None:
        return None
    data = vault.read(file).data
    found = _named(path, document.conversations(data))
    effects = tool_effects([(0, data)]) if found else []
    return _session(found.turns, effects, found.about, document.titles) if found else None


def _session_of_database(vault: VaultFiles, path: str) -> LoggedSession | None:
    with _opened_database(vault, file_of(path)) as opened:
        if opened is None:
            return None
        reader, db = opened
        found = _named(path, reader.conversations(db))
        if found is None:
            return None
        effects = [one._replace(line=0) for one in reader.effects(db, found.id)]  # calls and messages count apart
        return _session(found.turns, effects, found.about, reader.titles)


def _session(
    turns: Sequence[Turn], effects: Sequence[ToolEffect], about: LogFacts, titles: Sequence[str]
) -> LoggedSession:
    title = about.title(*(key for key in titles if key not in _PROMPTS)) or ""
    return LoggedSession(turns=turns, effects=effects, title=title, folder=about.known.get("folder", ""))


def settled(reader: LineReader, log: Log, about: LogFacts | None = None) -> list[Turn]:
    kept: list[Turn] = []
    for turn in reader.turns(Lines(blocks(log)), LogFacts() if about is None else about):
        if isinstance(turn, Rewind):
            rewind(kept, turn)
        else:
            kept.append(turn)
    return kept


def rewind(kept: list[Turn], back: Rewind) -> bool:
    """Remove turns that the log takes back; return whether all of them were there."""
    left = back.turns
    while kept and left:
        left -= kept.pop().speaker == "User"
    return not left


def members(
    found: Iterable[LoggedConversation | Unread], unread: Callable[[str], object] = str
) -> Iterator[tuple[str, LoggedConversation]]:
    """Yield the conversations of one file, each with a unique name. `unread` hears what could not be read."""
    taken: set[str] = set()
    for one in found:
        if isinstance(one, Unread):
            unread(one.why)
            continue
        name = plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in one.id)[:100] or "_"
        number = 1
        while name in taken:
            number += 1
            name = f"{plain}~{number}"
        taken.add(name)
        yield name, one


def _of(path: str, found: Iterable[LoggedConversation | Unread]) -> Iterator[Turn]:
    one = _named(path, found)
    yield from one.turns if one else ()


def _named(path: str, found: Iterable[LoggedConversation | Unread]) -> LoggedConversation | None:
    """Return the conversation that a path names; of a file with one alone, also without its name."""
    wanted = path.partition(WITHIN)[2]
    if wanted:
        return next((one for name, one in members(found) if name == wanted), None)
    every = [one for _, one in members(found)]
    return every[0] if len(every) == 1 else None
