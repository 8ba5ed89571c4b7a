"""The changes that an index store carries out. Only writing loads them."""

from typing import NamedTuple

from memoro.model.notes import Indexed, Stamp


class Write(NamedTuple):
    """Make the index hold exactly this about the file."""

    file: Indexed


class Extend(NamedTuple):
    """Extend a log that has grown: keep its chunks up to line `after`, and add the new ones.

    Everything else about the file is replaced; its messages are added to the known ones.
    """

    file: Indexed
    after: int


class Move(NamedTuple):
    """Record that the same bytes are at another path now."""

    old: str
    file: Indexed


class Touch(NamedTuple):
    """Record a new stamp for the same bytes."""

    path: str
    stamp: Stamp | None
    day: str  # for a note without a date of its own


class Hide(NamedTuple):
    """Hide a file that is gone: it is not found, and kept for a while in case it returns."""

    path: str
    at: str


class Emptied(NamedTuple):
    """Record that the file was found empty, which is not believed yet."""

    path: str


class Drop(NamedTuple):
    """Delete everything about the file at once."""

    path: str


class Purge(NamedTuple):
    """Delete files that were hidden before this time."""

    before: str


class Assign(NamedTuple):
    """Give a project to a file that names none, until it is written again."""

    path: str
    project: str


Change = Write | Extend | Move | Touch | Hide | Drop | Emptied | Purge | Assign
