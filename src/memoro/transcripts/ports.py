"""What a reader of conversation logs must do: one for each format, of lines, of one document, or of a database.

Whatever the bytes were, a reader never fails: what it cannot make sense of, it passes over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import apsw

Record = dict[str, object]
Line = tuple[int, bytes]  # its number from 1, and what stands in it, without its end
TITLE_CHARACTERS = 200


class Turn(NamedTuple):
    """One message of a conversation."""

    speaker: str  # "User", "Assistant", or a name
    text: str
    line: int  # of the log, from 1; where there are no lines, which of the messages it is
    date: str | None = None  # the day it was said, as YYYY-MM-DD
    id: str | None = None  # the same in every log that holds a copy of the message


class Rewind(NamedTuple):
    """What was said last is taken back: so many of the user's turns, with all that came after each."""

    turns: int


class About:
    """What a log has said about its conversation so far, in texts that can be kept until it goes on."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        self.known = dict(known or {})

    def note(self, key: str, value: object, *, first: bool = False) -> None:
        """Keep a value: the last one that was told, or the `first`."""
        if isinstance(value, str) and not (first and key in self.known):
            text = " ".join(value.encode("utf-8", "replace").decode().replace("\x00", "").split())
            if text:
                self.known[key] = text[:TITLE_CHARACTERS]

    def folder(self, path: object) -> None:
        """A project goes by the last name of the folder that was worked in."""
        if isinstance(path, str):
            self.note("project", path.replace("\\", "/").rstrip("/").rpartition("/")[2], first=True)

    def title(self, *keys: str) -> str | None:
        return next((self.known[key] for key in keys if key in self.known), None)


class Conversation(NamedTuple):
    """One of the conversations of a document or a database."""

    id: str
    about: About
    turns: tuple[Turn, ...]


class LineReader(Protocol):
    """Of logs with one JSON record a line, which grow at their end."""

    name: str
    agent: str | None
    titles: tuple[str, ...]  # what in `About` is a title, best first
    continues: bool  # whether what was read stays true when more is written

    def recognises(self, records: Sequence[Record]) -> bool:
        """Whether the first records of a log are of this format."""

    def turns(self, lines: Iterable[Line], about: About) -> Iterator[Turn | Rewind]:
        """Every message with words in it, in the log's order, by what the lines up to it say and no others.

        With `continues`, reading may begin again at the line of any turn, with what `about` knows by then.
        """


class DocumentReader(Protocol):
    """Of files that are one JSON document."""

    name: str
    agent: str | None
    titles: tuple[str, ...]

    def recognises(self, head: bytes) -> bool: ...

    def conversations(self, data: bytes) -> Iterator[Conversation]: ...


class DatabaseReader(Protocol):
    """Of SQLite files, of which we have a copy of our own."""

    name: str
    agent: str | None
    titles: tuple[str, ...]

    def recognises(self, tables: Collection[str]) -> bool: ...

    def conversations(self, db: apsw.Connection) -> Iterator[Conversation]: ...


Reader = LineReader | DocumentReader | DatabaseReader
