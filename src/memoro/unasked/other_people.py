"""Tell which notes are about another person than the one that a question names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.names import (
    OWNER,
    KnownNames,
    Subject,
    TextSource,
    agreement,
    describes_thing,
    is_named,
    names_of_sources,
    project_subject,
    subjects_asked,
    subjects_of,
)
from memoro.model.notes import kind_of
from memoro.model.projects import short_name
from memoro.search.subjects import BEGINNING, source_of

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.model.message_kinds import MessageReading
    from memoro.store.ports import Index


class OtherPeople(NamedTuple):
    """The people that a message names, and the notes that are about somebody else."""

    asked: tuple[Subject, ...]
    known: KnownNames
    sources: dict[str, TextSource]  # of the notes about people, by path

    def has(self, passage: Passage) -> bool:
        """Return whether a passage is of a note about another person, and does not name the one asked about.

        The note itself may call its own person "she" throughout.
        """
        source = self.sources.get(passage.path)
        if source is None or not self.asked:
            return False
        told = subjects_of(passage.text[:BEGINNING], source, self.known)
        whole = "\n".join((passage.path, *source.headings, *passage.headings, passage.text))
        return not any(agreement(one, told, frozenset()) >= 0 or is_named(one, whole) for one in self.asked)


def other_people(
    index: Index, reading: MessageReading, passages: Iterable[Passage], project: str | None
) -> OtherPeople:
    """Return whom a question asks about, with the notes of these passages that are about people."""
    if reading.kind != "question":
        return OtherPeople((), KnownNames(), {})
    passages = [one for one in passages if kind_of(one.path) == "note"]
    notes = index.notes(list({one.path for one in passages}))
    first = {one.path: one for one in passages}
    told = {path: source_of(first[path], entry.note) for path, entry in notes.items()}
    about = {path: one for path, one in told.items() if one.described and not one.describes_thing}
    if not about:
        return OtherPeople((), KnownNames(), {})
    known = names_of_sources(told.values())
    asked = _people(index, subjects_asked(reading.about, known), known, project)
    return OtherPeople(asked, known.with_names(asked), about)


def _people(index: Index, named: Sequence[Subject], known: KnownNames, project: str | None) -> tuple[Subject, ...]:
    """Return those of the names that may be of a person: not of a project, or of a thing with a note of its own."""
    names = [one for one in named if one != OWNER and all(part.isalpha() for part in one.parts)]
    things = {project_subject(one) for one in (*index.projects(), *([short_name(project)] if project else ()))}
    titled = index.titled([one.name for one in names]) if names else {}
    things |= {
        Subject(entry.note.title.lower()) for path, entry in titled.items() if describes_thing(path, entry.note.tags)
    }
    return tuple(one for one in names if one not in things | known.things)
