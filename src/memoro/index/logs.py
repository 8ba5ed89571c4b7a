"""Turn a conversation log into changes of the index: in parts, and continuing where the last reading ended."""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memoro.hosts import project_of
from memoro.index.ownership import MessageOwnership
from memoro.index.read import turn_chunks
from memoro.model.notes import (
    CONTAINER,
    NOTHING_HIDDEN,
    UNKNOWN,
    WITHIN,
    Chunk,
    FileEntry,
    Hidden,
    Indexed,
    LoggedMessage,
    Note,
    Rules,
)
from memoro.model.projects import short_name
from memoro.model.secrets import redact
from memoro.store.changes import Change, Emptied, Extend, Hide, Touch, Write
from memoro.store.ports import Index
from memoro.transcripts import readers
from memoro.transcripts.ports import (
    DatabaseReader,
    DocumentReader,
    LineReader,
    LogFacts,
    LoggedConversation,
    Rewind,
    Turn,
    Unread,
)
from memoro.transcripts.private_turns import private_turns, would_answer_private
from memoro.vault import logs
from memoro.vault.contents import Log
from memoro.vault.files import VaultFiles

PART_TURNS = 400  # turns written together: keeps a transaction short and memory use small
EMPTIED = "It is empty now and was not before; if it still is, the next sync accepts that."
UNKNOWN_FORMAT = "It is not a conversation log in a format that Memoro knows; none of it is indexed."
UNREAD_LINES = "Lines left out because they are no JSON records: {count}. The others are indexed."
_UNREAD = "unread lines"  # in the facts about a log: how many before the place to read on
_HAS_PRIVATE, _ANSWERS_PRIVATE = "private turns", "answers private"  # the second: of the turn to read on from
_NO_TITLES = {"folder", "remote", "date", "session", _UNREAD, _HAS_PRIVATE, _ANSWERS_PRIVATE}
_LOOKS_LIKE_ONE = (".jsonl", ".json", ".zst", ".db", ".sqlite", ".ndjson")


class Reading(NamedTuple):
    """One file among the logs, and what the index knows about it."""

    path: str
    entry: FileEntry | None  # None: unknown to the index
    members: dict[str, FileEntry]  # the conversations inside it, by path
    written_on: str
    now: str
    stale: frozenset[str] = frozenset()  # paths to read whole, whatever the index knows


class _Cursor(NamedTuple):
    """The place to read on: the last turn but one, because the turn after it helps to find it."""

    reader: str
    offset: int  # of the line of that turn
    line: int  # the number of that line
    about: dict[str, str]


class _StartOver(Exception):
    """The part that was read before no longer holds."""


class LogSource(NamedTuple):
    """The files that hold logs, and the projects of the folders in which agents worked."""

    vault: VaultFiles
    project_of: Callable[[str], str | None]


class LogReader:
    """Reads logs for a sync."""

    def __init__(self, index: Index, source: LogSource, rules: Rules, hidden: Hidden = NOTHING_HIDDEN) -> None:
        self.hidden = hidden
        self.ownership = MessageOwnership(index)
        self._index, self._vault, self._rules = index, source.vault, rules
        self._project_of = cache(source.project_of)  # a folder holds many conversations
        self.warnings: list[str] = []

    def changes(self, reading: Reading) -> Iterator[Change]:
        """Yield the changes that bring the index up to date with the file, to be carried out in order."""
        self.warnings = []
        with self._vault.log(reading.path) as log:
            if self._is_emptied(reading, log):
                yield Emptied(reading.path)
                return
            if logs.is_database(log):
                yield from self._database(reading, log)
                return
            first = logs.head(log)
            reader = readers.recognise_lines(first)
            if reader is not None:
                yield from self._lines(reading, log, reader)
                return
            document = None if logs.is_packed(log) else readers.recognise_document(first)
            trusted = log.stamp if log.trusted else None
        if document is not None:
            data = self._vault.read(reading.path).data
            entry = FileEntry(
                path=reading.path, tier=CONTAINER, digest=hashlib.sha256(data).hexdigest(), stamp=trusted
            )
            yield from self._container(reading, entry, document, document.conversations(data))
        else:
            yield from self._unknown_format(reading, log, first)

    def _is_emptied(self, reading: Reading, log: Log) -> bool:
        """Return whether the file had content and suddenly has none, which is not believed at once."""
        entry = reading.entry
        if log.size or entry is None or entry.gone_at or entry.emptied or entry.tier == UNKNOWN:
            return False
        self.warnings.append(EMPTIED)
        return True

    def _unknown_format(self, reading: Reading, log: Log, first: bytes) -> Iterator[Change]:
        is_whole = b"\n" in first or not first or readers.is_whole(first)  # else its first line may be growing
        if log.size and reading.path.lower().endswith(_LOOKS_LIKE_ONE) and is_whole:
            self.warnings.append(UNKNOWN_FORMAT)
        entry = FileEntry(
            path=reading.path, tier=UNKNOWN, digest=f"size:{log.size}", stamp=log.stamp if log.trusted else None
        )
        yield from self._container_itself(reading, entry)
        yield from self._drop(reading, reading.members)

    def _lines(self, reading: Reading, log: Log, reader: LineReader) -> Iterator[Change]:
        yield from self._drop(reading, reading.members)
        entry, source = reading.entry, _LineLog(reading, log, reader)
        if entry and self._is_known(reading, log, entry):
            if not logs.has_more(log, _end(entry)):
                yield Touch(reading.path, log.stamp if log.trusted else None, reading.written_on)
                return
            cursor = _parse(entry.cursor)
            if cursor and cursor.reader == reader.name:
                try:
                    yield from _LineReading(self, source, cursor).changes()
                    return
                except _StartOver:
                    pass
        before = self._index.message_ids(reading.path) if entry else []
        part = _LineReading(self, source, None)
        try:
            yield from part.changes()
        except _StartOver:
            part = _LineReading(self, source, None, in_parts=False)
            yield from part.changes()
        self.ownership.release(reading.path, set(before) - part.message_ids)

    def _is_known(self, reading: Reading, log: Log, entry: FileEntry) -> bool:
        """Return whether the log still begins as it did. A long log rewritten in its old size is not trusted."""
        if entry.gone_at or reading.path in reading.stale or not entry.digest.startswith("log:"):
            return False
        end = _end(entry)
        if end > log.size or logs.fingerprint(log, end) != entry.digest:
            return False
        return end <= 2 * logs.WINDOW or entry.stamp is None or entry.stamp.size != log.size

    def _database(self, reading: Reading, log: Log) -> Iterator[Change]:
        stamp = log.stamp
        digest = f"stamp:{stamp.size}:{stamp.mtime_ns}"
        entry = FileEntry(path=reading.path, tier=CONTAINER, digest=digest, stamp=stamp if log.trusted else None)
        with logs.database(self._vault, reading.path) as found:
            if found is None:
                yield from self._unknown_format(reading, log, b"")
            else:
                yield from self._container(reading, entry, *found)

    def _container(
        self,
        reading: Reading,
        entry: FileEntry,
        reader: DocumentReader | DatabaseReader,
        found: Iterable[LoggedConversation | Unread],
    ) -> Iterator[Change]:
        """Yield the changes for a file with several conversations; each is indexed by itself."""
        there: set[str] = set()
        for name, one in logs.members(found, self.warnings.append):
            path = f"{reading.path}{WITHIN}{name}"
            there.add(path)
            change = self._conversation(reading, path, reader, one)
            if change:
                yield change
        yield from self._drop(reading, [path for path in reading.members if path not in there])
        yield from self._container_itself(reading, entry)  # last: until then the file does not count as read

    def _container_itself(self, reading: Reading, entry: FileEntry) -> Iterator[Change]:
        known = reading.entry
        if known and not known.gone_at and (known.digest, known.tier) == (entry.digest, entry.tier):
            yield Touch(reading.path, entry.stamp, reading.written_on)
        else:
            if known:
                self.ownership.release(reading.path, self._index.message_ids(reading.path))
            name = os.path.basename(reading.path)
            yield Write(Indexed(entry=entry, note=Note(title=name), day=reading.written_on, chunks=()))

    def _conversation(
        self, reading: Reading, path: str, reader: DocumentReader | DatabaseReader, one: LoggedConversation
    ) -> Change | None:
        hashed = hashlib.sha256(repr((sorted(one.about.known.items()), one.turns)).encode("utf-8", "replace"))
        known = reading.members.get(path)
        if known and not known.gone_at and known.digest == hashed.hexdigest() and path not in reading.stale:
            return None
        if known:
            kept = {message.id for message in messages_of(one.turns)}
            self.ownership.release(path, set(self._index.message_ids(path)) - kept)
        self.remove_forgotten_title(one.about, one.turns)
        private = private_turns(one.turns)
        if private:
            one.about.note(_HAS_PRIVATE, "yes")
        chunks = self.chunks(path, _TurnsOfLog(one.turns, private), 0, fresh=True)
        entry = FileEntry(path=path, tier="transcript", digest=hashed.hexdigest(), stamp=None)
        note = self.note(one.about, reader, path, one.turns)
        return Write(
            Indexed(
                entry=entry,
                note=note,
                day=note.date or reading.written_on,
                chunks=chunks,
                messages=messages_of(one.turns),
            )
        )

    def _drop(self, reading: Reading, paths: Iterable[str]) -> Iterator[Change]:
        for path in list(paths):
            if not reading.members[path].gone_at:
                self.ownership.release(path, self._index.message_ids(path))
                yield Hide(path, reading.now)

    def chunks(self, path: str, part: _TurnsOfLog, known: int, *, fresh: bool) -> tuple[Chunk, ...]:
        """Return the chunks of the turns after the first `known`, without messages that another file owns."""
        turns, private = part
        left = self.ownership.claim(path, messages_of(turns[known:]), fresh=fresh)
        if self.hidden.total:
            turns = [turn._replace(text="") if self.is_hidden(turn) else turn for turn in turns]
        mine = (i for i in range(known, len(turns)) if not left or _key(turns[i]) not in left)
        return tuple(c for number in mine for c in turn_chunks(turns, number, self._rules, private=number in private))

    def remove_forgotten_title(self, about: LogFacts, turns: Sequence[Turn]) -> None:
        """Remove forgotten text from the title too."""
        if self.hidden.total:
            hidden = [" ".join(turn.text.split()) for turn in turns if self.is_hidden(turn)]
            for key in about.known.keys() - _NO_TITLES:
                if any(text.startswith(about.known[key]) for text in hidden):
                    del about.known[key]

    def note(
        self, about: LogFacts, reader: LineReader | DocumentReader | DatabaseReader, path: str, turns: Sequence[Turn]
    ) -> Note:
        own = path.rpartition("/")[2]
        title = None if _HAS_PRIVATE in about.known else about.title(*reader.titles)  # it may tell what was private
        name = own if WITHIN in path else own.rpartition(".")[0] or own
        date = about.known.get("date") or next((turn.date for turn in turns if turn.date), None)
        return Note(
            title=redact(title).text if title else name,
            date=date,
            agent=reader.agent,
            project=self._project(about, reader.agent, path),
        )

    def _project(self, about: LogFacts, agent: str | None, path: str) -> str | None:
        """The project of the folder in which the agent worked, by its repository where the log names that."""
        folder = about.known.get("folder")
        if remote := about.known.get("remote"):
            return remote
        if folder is None:
            return project_of(agent, path)
        return self._project_of(folder) if folder.startswith("/") else short_name(folder)

    def is_hidden(self, turn: Turn) -> bool:
        return self.hidden.covers(turn.speaker, turn.text)


class _TurnsOfLog(NamedTuple):
    """Turns of a conversation in a row, and the places of those that are private."""

    turns: Sequence[Turn]
    private: frozenset[int]


class _LineLog(NamedTuple):
    """An open log of lines, and the reader of its format."""

    reading: Reading
    log: Log
    format: LineReader


class _LineReading:
    """One reading of a log of lines, from its beginning or from a cursor."""

    def __init__(self, reader: LogReader, source: _LineLog, cursor: _Cursor | None, *, in_parts: bool = True) -> None:
        self._reader, self._cursor = reader, cursor
        self._reading, self._log, self._format = source
        self._in_parts = in_parts and source.format.continues
        self._packed = logs.is_packed(source.log)
        self._about = LogFacts(cursor.about if cursor else None)
        if cursor:
            self._lines = logs.Lines(source.log.blocks(cursor.offset), cursor.offset, cursor.line - 1)
        else:
            self._lines = logs.Lines(logs.blocks(source.log))
        self._fresh = cursor is None  # nothing of this reading is written yet
        self.message_ids: set[int] = set()

    def changes(self) -> Iterator[Change]:
        turns: list[Turn] = []
        for found in self._format.turns(self._lines, self._about):
            if isinstance(found, Rewind):
                enough = logs.rewind(turns, found)
                if not self._fresh and (not enough or len(turns) < 2):
                    raise _StartOver
                continue
            if self._cursor and not turns and found.line != self._cursor.line:
                raise _StartOver
            turns.append(found)
            if self._in_parts and len(turns) >= PART_TURNS:
                yield self._change(turns, last=False)
                turns = turns[-2:]
            self._lines.forget(turns[-2].line if len(turns) > 1 else 0)
        if self._cursor and not turns:
            raise _StartOver
        yield self._change(turns, last=True)
        if count := int(self._about.known.get(_UNREAD, 0)) + len(self._lines.unread):
            self._reader.warnings.append(UNREAD_LINES.format(count=f"{count:,}"))

    def _change(self, turns: list[Turn], *, last: bool) -> Change:
        known = 0 if self._fresh else 1  # the first turn is already written; the others follow it
        self._about.note("date", next((turn.date for turn in turns if turn.date), None), first=True)
        messages = messages_of(turns)
        self.message_ids |= {one.id for one in messages}
        self._reader.remove_forgotten_title(self._about, turns)
        part = _TurnsOfLog(turns, private_turns(turns, answers_private=self._answers_private))
        chunks = self._reader.chunks(self._reading.path, part, known, fresh=self._fresh)
        self._keep_privacy(part)
        file = Indexed(
            entry=self._entry(turns, last=last),
            note=self._note(turns),
            day=self._day(),
            chunks=chunks,
            messages=messages,
        )
        change = Write(file) if self._fresh else Extend(file, turns[0].line)
        self._fresh = False
        return change

    @property
    def _answers_private(self) -> bool:
        return _ANSWERS_PRIVATE in self._about.known

    def _keep_privacy(self, part: _TurnsOfLog) -> None:
        """Note whether there are private turns, and whether the turn answers one with which the next part begins."""
        if part.private:
            self._about.note(_HAS_PRIVATE, "yes")
        if would_answer_private(part.turns[:-1], answers_private=self._answers_private):
            self._about.note(_ANSWERS_PRIVATE, "yes")
        else:
            self._about.known.pop(_ANSWERS_PRIVATE, None)

    def _entry(self, turns: list[Turn], *, last: bool) -> FileEntry:
        log, lines = self._log, self._lines
        stamp = log.stamp if last and log.trusted else None
        if self._packed:
            digest = logs.fingerprint(log, log.size) if last else "log:0:"
            return FileEntry(path=self._reading.path, tier="transcript", digest=digest, stamp=stamp)
        cursor = None
        start = turns[-2].line if len(turns) > 1 and self._format.continues else 0
        if start in lines.starts:
            about = {key: redact(value).text for key, value in self._about.known.items()}
            about[_UNREAD] = str(int(about.get(_UNREAD, 0)) + bisect_left(lines.unread, start))
            cursor = json.dumps(
                _Cursor(reader=self._format.name, offset=lines.starts[start], line=start, about=about)
            )
        return FileEntry(
            path=self._reading.path,
            tier="transcript",
            digest=logs.fingerprint(log, lines.end),
            stamp=stamp,
            cursor=cursor,
        )

    def _note(self, turns: list[Turn]) -> Note:
        return self._reader.note(self._about, self._format, self._reading.path, turns)

    def _day(self) -> str:
        return self._about.known.get("date") or self._reading.written_on


def digest_now(vault: VaultFiles, entry: FileEntry) -> str | None:
    """Return the digest that a log would have now; None if it holds more than was read."""
    with vault.log(entry.path) as log:
        if entry.digest.startswith("log:"):
            end = _end(entry)
            return None if end > log.size or logs.has_more(log, end) else logs.fingerprint(log, end)
        if entry.digest.startswith("stamp:"):
            return f"stamp:{log.stamp.size}:{log.stamp.mtime_ns}"
        if entry.digest.startswith("size:"):
            return f"size:{log.size}"
    return hashlib.sha256(vault.read(entry.path).data).hexdigest()


def messages_of(turns: Sequence[Turn]) -> tuple[LoggedMessage, ...]:
    return tuple(LoggedMessage(_number(turn.id), turn.line) for turn in turns if turn.id)


def _key(turn: Turn) -> tuple[int, int] | None:
    return (_number(turn.id), turn.line) if turn.id else None


def _number(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def _end(entry: FileEntry) -> int:
    return int(entry.digest.split(":")[1])


def _parse(text: str | None) -> _Cursor | None:
    return _Cursor(*json.loads(text)) if text else None
