"""The signals that tell whether a passage is about the subject that a query asks about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.names import (
    OWNER,
    KnownNames,
    Subject,
    Subjects,
    TextSource,
    agreement,
    described_by,
    is_known,
    known_names,
    speaker_agreement,
    subjects_asked,
    subjects_of,
)
from memoro.model.notes import kind_of

if TYPE_CHECKING:
    from memoro.model.answers import Passage, Where
    from memoro.model.notes import Note

UNSURE = 0.5  # the share of a signal for a name that may be none: a capitalised word of which no text tells anything


class SubjectSignals(NamedTuple):
    """For each passage, from -1 to 1: whether it is about the subject, and whether that person said it."""

    subject: list[float]
    speaker: list[float]


class AskedSubjects(NamedTuple):
    """The subjects that a query asks about, each with its share in the signal, and the names among the candidates."""

    subjects: tuple[tuple[Subject, float], ...]
    known: KnownNames


def asked_subjects(
    query: str, where: Where, passages: Sequence[Passage], sources: Sequence[TextSource]
) -> AskedSubjects:
    """Return the subjects that a query asks about, as the candidates show what is a name."""
    texts = [passage.text for passage in passages]
    known = known_names(zip(texts, sources, strict=True))
    asked = subjects_asked(query, known, project_of(where))
    shares = ((one, 1.0 if is_known(one, known, texts) else UNSURE) for one in asked)
    return AskedSubjects(tuple((one, share / len(asked)) for one, share in shares), known.with_names(asked))


def subject_signals(
    asked: AskedSubjects, passages: Sequence[Passage], sources: Sequence[TextSource]
) -> SubjectSignals:
    """Return both signals for each passage. In a conversation between people, the speaker alone tells."""
    if not asked.subjects:
        return SubjectSignals([0.0] * len(passages), [0.0] * len(passages))
    subject, speaker = [], []
    people = frozenset(one for source in sources if (one := source.person))
    for passage, source in zip(passages, sources, strict=True):
        told = subjects_of(passage.text, source, asked.known)
        person = source.person
        if person is None:
            subject.append(sum(share * _about(one, told, source) for one, share in asked.subjects))
            speaker.append(0.0)
        else:
            subject.append(0.0)
            speaker.append(sum(share * speaker_agreement(one, told, person, people) for one, share in asked.subjects))
    return SubjectSignals(subject, speaker)


def source_of(passage: Passage, notes: Mapping[str, Note]) -> TextSource:
    """Return where a passage stands. The title of a conversation tells only how it began."""
    if kind_of(passage.path) != "note":
        return TextSource(speaker=passage.speaker, project=passage.project)
    note = notes.get(passage.path)
    names = (passage.title, *note.aliases) if note else (passage.title,)
    return TextSource(
        project=passage.project,
        headings=tuple(dict.fromkeys((passage.title, *passage.headings))),
        described=described_by(passage.path, names, note.tags if note else ()),
    )


def project_of(where: Where) -> str | None:
    """Return the one project that a search is bound to: its filter, or that of the session."""
    if len(where.projects) == 1:
        return where.projects[0]
    return where.bound_projects[0].removeprefix("*/") if where.bound_projects else None


def _about(asked: Subject, told: Subjects, source: TextSource) -> float:
    """How far a passage is about the subject. That a user speaks of themselves, another signal tells: the side."""
    value = agreement(asked, told)
    if asked == OWNER and source.speaker:
        return min(value, 0.0) if source.speaker == "User" else 0.0
    return value
