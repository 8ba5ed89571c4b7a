"""The interfaces of log readers: for logs of lines, for one document, and for a database.

A reader never fails, whatever the bytes are: it skips what it cannot understand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memoro.model.projects import remote_name

if TYPE_CHECKING:
    import apsw

    from memoro.transcripts.tool_effects import ToolEffect

Record = dict[str, object]
NumberedLine = tuple[int, bytes]  # its number from 1, and its bytes without the line end
TITLE_CHARACTERS = 200
PATH_CHARACTERS = 1024  # a longer path is no folder that anybody works in


class Turn(NamedTuple):
    """One message of a conversation."""

    speaker: str  # "User", "Assistant", or a name
    text: str
    line: int  # of the log, from 1; in a log without lines, the number of the message
    date: str | None = None  # the local day, as YYYY-MM-DD
    id: str | None = None  # the same in every log that holds a copy of the message


class Rewind(NamedTuple):
    """The user took back the last turns: so many of the user's own, with everything after each."""

    turns: int


class LogFacts:
    """Facts about a conversation from its log so far, as texts that can be stored until more is read."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self.known = dict(known or {})

    def note(self, key: str, value: object, *, first: bool = False) -> None:
        """Keep a value: the last one found, or with `first` the first."""
        if isinstance(value, str) and not (first and key in self.known):
            text = " ".join(value.encode("utf-8", "replace").decode().replace("\x00", "").split())
            if text:
                self.known[key] = text[:TITLE_CHARACTERS]

    def folder(self, path: object) -> None:
        """Keep the folder in which the agent worked first: the conversation belongs to its project."""
        if isinstance(path, str) and len(path) <= PATH_CHARACTERS and path.isprintable():
            self.known.setdefault("folder", path.replace("\\", "/").rstrip("/") or "/")

    def remote(self, url: object) -> None:
        """Keep the repository that the log names, without user and password."""
        name = remote_name(url) if isinstance(url, str) else None
        if name:
            self.note("remote", name, first=True)

    def title(self, *keys: str) -> str | None:
        return next((self.known[key] for key in keys if key in self.known), None)


class LoggedConversation(NamedTuple):
    """One of the conversations in a document or a database."""

    id: str
    about: LogFacts
    turns: tuple[Turn, ...]


class Unread(NamedTuple):
    """A part of a document that could not be read."""

    why: str  # a sentence


class LineReader(Protocol):
    """Reads logs with one JSON record a line, which grow at their end."""

    name: str
    agent: str | None
    titles: tuple[str, ...]  # the keys in `LogFacts` that are titles, best first
    continues: bool  # whether the turns so far stay true when the log grows

    def recognises(self, records: Sequence[Record]) -> bool:
        """Return whether the first records of a log have this format."""

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn | Rewind]:
        """Yield every message that has words, in the order of the log.

        A turn depends only on the lines up to it. With `continues`, reading can resume at the line of any turn,
        with the `about` of that moment.
        """


class DocumentReader(Protocol):
    """Reads files that are one JSON document."""

    name: str
    agent: str | None
    titles: tuple[str, ...]

    def recognises(self, head: bytes) -> bool: ...

    def conversations(self, data: bytes) -> Iterator[LoggedConversation | Unread]: ...


class DatabaseReader(Protocol):
    """Reads a copy of a SQLite file."""

    name: str
    agent: str | None
    titles: tuple[str, ...]

    def recognises(self, tables: Collection[str]) -> bool: ...

    def conversations(self, db: apsw.Connection) -> Iterator[LoggedConversation]: ...

    def effects(self, db: apsw.Connection, conversation: str) -> list[ToolEffect]:
        """Return what the tool calls of a conversation did."""


Reader = LineReader | DocumentReader | DatabaseReader
