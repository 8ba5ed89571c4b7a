"""The signals that tell whether a passage is about the subject that a query asks about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy

from memoro.model.names import (
    OWNER,
    KnownNames,
    Subject,
    Subjects,
    TextSource,
    agreement,
    described_by,
    describes_thing,
    holds_parts,
    is_known,
    is_named,
    known_names,
    shared_parts,
    speaker_agreement,
    subjects_asked,
    subjects_of,
    without_subjects,
)
from memoro.model.notes import kind_of
from memoro.model.personal_names import called_people, people_called_mine
from memoro.search.attribute import asks_of_person

if TYPE_CHECKING:
    from memoro.model.answers import Match, Passage, Where
    from memoro.model.notes import Note
    from memoro.search.signals import NearestWords
    from memoro.store.ports import Index

BEGINNING = 300  # characters of a passage that tell which others it is about; further on they are named in passing
SURE = 0.9  # a passage with this much of the signal is about the one who is asked about
COVERED = 0.75  # of what the best passage covers of a query, the least for which "I" counts
UNSURE = 0.5  # the share of a signal for a name that may be none: a capitalised word of which no text tells anything


class Placed(NamedTuple):
    """A text with where it stands."""

    text: str
    source: TextSource


class AskedSubjects(NamedTuple):
    """The subjects that a query asks about, each with its share in the signals, and all known names."""

    shares: tuple[tuple[Subject, float], ...]
    known: KnownNames
    parts: frozenset[str] = frozenset()  # of the names asked about
    shared: frozenset[str] = frozenset()  # of these, what other known names have too
    are_sure: bool = False  # whether these are names for sure, and not of people who speak themselves
    of_person: bool = False  # the query asks for what only a person has, such as a home
    mine: frozenset[str] = frozenset()  # words by which it calls people its writer's own: "my dentist"

    def rest(self, query: str) -> str:
        """Return the query without the names it asks about; empty where it names none for sure."""
        names = [one for one, _ in self.shares if one != OWNER]
        return without_subjects(query, KnownNames().with_names(names)) if names and self.are_sure else ""


class SubjectSignals(NamedTuple):
    """For each passage, from -1 to 1: whether it is about the subject, and whether that person said it."""

    subject: list[float]
    speaker: list[float]
    first_person: list[float]  # of `subject`, what a passage has only because it says "I"

    def among_relevant(self, coverage: Sequence[float]) -> list[float]:
        """Return `subject`, where "I" counts only for passages that cover about as much of the query as the best.

        People say "I" of all that they do: by itself it does not make a line the answer to "when do I …".
        """
        best = max((one for one, about in zip(coverage, self.subject, strict=True) if about >= 0), default=0.0)
        rows = zip(self.subject, self.first_person, coverage, strict=True)
        return [about if one >= COVERED * best else about - own for about, own, one in rows]


def placed(index: Index, found: Sequence[Match]) -> dict[int, Placed]:
    """Return the texts of passages with where they stand, by chunk."""
    notes = index.notes(list({one.passage.path for one in found if kind_of(one.passage.path) == "note"}))
    known = {path: entry.note for path, entry in notes.items()}
    return {one.chunk: Placed(one.passage.text, source_of(one.passage, known.get(one.passage.path))) for one in found}


def source_of(passage: Passage, note: Note | None) -> TextSource:
    """Return where a passage stands. The title of a conversation tells only how it began."""
    if kind_of(passage.path) != "note":
        return TextSource(speaker=passage.speaker, project=passage.project)
    names = (passage.title, *note.aliases) if note else (passage.title,)
    return TextSource(
        project=passage.project,
        headings=tuple(dict.fromkeys((passage.title, *passage.headings))),
        described=described_by(passage.path, names, note.tags if note else ()),
        describes_thing=describes_thing(passage.path, note.tags if note else ()),
    )


def asked_subjects(query: str, where: Where, found: Sequence[Placed]) -> AskedSubjects:
    """Return the subjects that a query asks about, as the candidates show what is a name."""
    known = known_names([(text[:BEGINNING], source) for text, source in found])
    asked = subjects_asked(query, known, project_of(where), [_beginning(one) for one in found])
    sure = [is_known(one, known, (text for text, _ in found)) for one in asked]
    return AskedSubjects(
        shares=tuple(
            (one, (1.0 if is_sure else UNSURE) / len(asked)) for one, is_sure in zip(asked, sure, strict=True)
        ),
        known=known.with_names(asked),
        parts=KnownNames().with_names(asked).parts,
        are_sure=all(sure) and not any(source.person in asked for _, source in found),
        of_person=OWNER in asked and asks_of_person(query),
        mine=people_called_mine(query) if OWNER in asked else frozenset(),
    )


def project_of(where: Where) -> str | None:
    """Return the one project that a search is bound to: its filter, or that of the session."""
    if len(where.projects) == 1:
        return where.projects[0]
    return where.bound_projects[0].removeprefix("*/") if where.bound_projects else None


def subject_signals(asked: AskedSubjects, found: Sequence[Placed]) -> SubjectSignals:
    """Return both signals for each passage. In a conversation between people, only `speaker` counts."""
    if not asked.shares:
        return SubjectSignals([0.0] * len(found), [0.0] * len(found), [0.0] * len(found))
    people = frozenset(person for one in found if (person := one.source.person))
    shared = frozenset[str]().union(*(shared_parts(one, asked.known) for one, _ in asked.shares))
    asked = asked._replace(shared=shared)
    asked = asked._replace(known=asked.known._replace(parts=asked.parts))  # of others, their whole names are enough
    rows = [_signals(asked, one, people) for one in found]
    return SubjectSignals([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def with_names(
    nearest: NearestWords, words: Sequence[str], asked: AskedSubjects, subject: Sequence[float]
) -> NearestWords:
    """The words of a name as held by each passage that is surely about its bearer: "Anna" means Anna Berg there.

    A passage about another does not hold them: "harbor" is not the harbor of harbor-admin.
    """
    names = [place for place, word in enumerate(words) if word in asked.parts]
    if not names or not any(subject):
        return nearest
    values, told, held = nearest.values.copy(), nearest.told.copy(), nearest.held.copy()
    about = numpy.ix_(names, [place for place, value in enumerate(subject) if value >= SURE])
    others = numpy.ix_(names, [place for place, value in enumerate(subject) if value <= -SURE])
    values[about] = told[about] = 1.0
    held[about] = True
    values[others] = told[others] = 0.0
    held[others] = False
    return nearest._replace(values=values, told=told, held=held)


def _signals(asked: AskedSubjects, one: Placed, people: frozenset[Subject]) -> tuple[float, float, float]:
    told, person = _told(asked, one), one.source.person
    if asked.of_person:  # what a project has is not mine then
        told = told._replace(things=frozenset())
    if person is not None:
        agreed = [(share, speaker_agreement(subject, told, person, people)) for subject, share in asked.shares]
        return 0.0, _sum(agreed), 0.0
    about = [(share, _about(subject, told, one, asked.shared)) for subject, share in asked.shares]
    own = [pair for pair, (subject, _) in zip(about, asked.shares, strict=True) if subject == OWNER]
    # `me.md` is about its owner, whatever it says.
    says_only_i = not asked.of_person and not one.source.described
    return _sum(about), 0.0, max(0.0, _sum(own)) if says_only_i else 0.0


def _beginning(one: Placed) -> str:
    """What tells which names a passage is about: its beginning, below its headings."""
    return "\n".join((*one.source.headings, one.text[:BEGINNING]))


def _told(asked: AskedSubjects, one: Placed) -> Subjects:
    """The subjects of a passage: what it is about from the beginning, and what is asked for wherever it is named."""
    beginning = one.text[:BEGINNING]
    told = subjects_of(beginning, one.source, asked.known)
    if asked.mine and called_people(beginning) & asked.mine:  # the note of my dentist says "Dentist"
        told = told._replace(told=told.told | {OWNER})
    if len(one.text) <= BEGINNING:
        return told
    named = [subject for subject, _ in asked.shares if is_named(subject, one.text)]
    return told._replace(told=told.told.union(named)) if named else told


def _sum(weighted: Iterable[tuple[float, float]]) -> float:
    return sum(share * value for share, value in weighted)


def _about(asked: Subject, told: Subjects, one: Placed, shared: frozenset[str]) -> float:
    """How far a passage is about the subject. That a user speaks of themselves, another signal tells: the side."""
    value = agreement(asked, told, shared)
    if asked == OWNER and one.source.speaker:
        return min(value, 0.0) if one.source.speaker == "User" else 0.0
    if value < 0 and len(asked.parts) > 1 and holds_parts(asked, _beginning(one)):
        return 0.0  # "Jonas Tierarzt" may well be Jonas Ried, of whom it says "Tierarzt"
    return value
