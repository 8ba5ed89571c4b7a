"""Whether two statements may be about one thing, as far as projects tell: those that they name, and "our"."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.curate.judging.facts import CurrentFact, EntryPlace, NewFact
from memoro.model.belonging import KnownProject, names_project
from memoro.model.name_forms import is_first_person, means_project
from memoro.model.projects import means, short_name
from memoro.model.sentences import past_words, read_sentence, topic_words

KnownProjects = Sequence[KnownProject]


def may_be_about_one_thing(new: NewFact, old: CurrentFact, known: KnownProjects) -> bool:
    """Return whether no project tells two statements apart.

    What names a project is about that one. "Our" means the project of the session that it was said in. Whose an
    entry of an always-loaded file is that says "our", nobody knows, unless this home knows one project at most, or
    the new statement says that the very value of the entry is over.
    """
    said, told = named_projects(new.fact.text, known), named_projects(old.text, known)
    if said and told:
        return not said.isdisjoint(told)
    if told:
        return _is_one_of(new.project, told, known)
    if old.project is not None:
        return not said or _is_one_of(old.project, said, known)
    if says_it_is_over(new, old):
        return True
    if new.project is not None and means_project(new.fact.text) and _is_personal(old.text):
        return False  # what a project uses says nothing of what its owner uses
    if len(known) < 2:
        return True
    is_of_one = means_project(old.text) or means_project(new.fact.text)
    return not said and (new.project is None or not is_of_one)


def project_of(old: CurrentFact, new: NewFact, known: KnownProjects) -> str | None:
    """Return the project that a current fact tells of, as far as a new fact of a project is compared with it.

    Every project loads an entry that names none, so what this project says has changed may be what that says. Of
    several projects, one that tells no change may only differ from the others.
    """
    is_shared = isinstance(old.place, EntryPlace) and not named_projects(old.text, known)
    if old.project is None and is_shared and not _is_personal(old.text):
        return new.project if len(known) < 2 or read_sentence(new.fact.text).changes else None
    return old.project


def _is_personal(text: str) -> bool:
    """Return whether a text speaks of one person, "I" or "my", and not of "us"."""
    return is_first_person(text) and not means_project(text)


def says_it_is_over(new: NewFact, old: CurrentFact) -> bool:
    """Return whether a statement names a value of another as what holds no more: "not amsel", "instead of DPD"."""
    past = past_words(new.fact.text)
    return bool(past) and past <= topic_words(old.text)


def named_projects(text: str, known: KnownProjects) -> frozenset[str]:
    """Return the projects that a text names. Within the name of another one, a name is none: fern in fern-ledger."""
    found = [one for one in known if names_project(text, one)]
    return frozenset(one.name for one in found if not any(_is_within(one, other) for other in found))


def with_project_name(new: NewFact, old: CurrentFact, known: KnownProjects) -> str:
    """Return the words of a new fact for the place of an entry: where that names a project, they name it too."""
    text = new.fact.text
    if new.project is None or not named_projects(old.text, known) or named_projects(text, known):
        return text
    return f"{short_name(new.project)}: {text}"


def _is_one_of(project: str | None, names: frozenset[str], known: KnownProjects) -> bool:
    """Return whether a project is among those of these names."""
    if project is None:
        return False
    patterns = [pattern for one in known if one.name in names for pattern in one.patterns]
    return any(means(pattern, project) for pattern in patterns)


def _is_within(one: KnownProject, other: KnownProject) -> bool:
    """Return whether the name of a project is a part of another's."""
    return any(
        len(short) < len(long) and any(long[at : at + len(short)] == short for at in range(len(long)))
        for short in one.spelled
        for long in other.spelled
    )
