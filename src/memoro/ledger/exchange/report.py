"""The report of an import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple, TypeVar

from memoro.ledger.exchange.records import ImportProblem

SLICE = 200  # memories in one transaction, so that nobody waits long; what is broken off goes on when run again
T = TypeVar("T")


OWN_LEDGER = "this home"  # the format of memories that were read from a ledger and not from a file


class Imported(NamedTuple):
    """Every memory that was read is new, known or refused."""

    format: str
    at: str  # when it began: `undo --by migration --since` this reverts it
    done: bool  # False: only looked at
    restored: bool  # into an empty ledger, exactly as it was
    files: int
    read: int
    new: int
    known: int  # word for word, or imported before
    refused: tuple[ImportProblem, ...]
    redacted: int  # secrets that were taken out
    problems: tuple[ImportProblem, ...]
    narratives: int = 0
    links: int = 0
    experiences: int = 0
    notes: tuple[str, ...] = ()  # what the owner should know besides
    lowered: int = 0  # items that the file calls more trusted, or better rated, than a file may say


class Tally:
    """The report while it is made."""

    def __init__(self, format: str, at: str, *, done: bool, files: int = 1) -> None:
        self.read = self.new = self.known = self.redacted = self.narratives = self.links = self.experiences = 0
        self.lowered = 0
        self.raised = 0  # items that were here already, and got what the file says
        self.restored = False
        self.refused: list[ImportProblem] = []
        self.problems: list[ImportProblem] = []
        self.notes: list[str] = []
        self._about = (format, at, done, files)

    def refuse(self, place: str, why: str) -> None:
        self.refused.append(ImportProblem(place, why))

    def report(self) -> Imported:
        format, at, done, files = self._about
        return Imported(
            format=format,
            at=at,
            done=done,
            restored=self.restored,
            files=files,
            read=self.read,
            new=self.new,
            known=self.known,
            refused=tuple(self.refused),
            redacted=self.redacted,
            problems=tuple(self.problems),
            narratives=self.narratives,
            links=self.links,
            experiences=self.experiences,
            notes=tuple(self.notes),
            lowered=self.lowered,
        )


def slices(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while taken := list(islice(left, SLICE)):
        yield taken
