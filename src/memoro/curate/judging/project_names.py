"""Whether two statements may be about one thing, as far as projects tell: those that they name, and "our"."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.curate.judging.facts import CurrentFact, NewFact
from memoro.model.belonging import KnownProject, names_project
from memoro.model.name_forms import means_project
from memoro.model.projects import means, short_name

KnownProjects = Sequence[KnownProject]


def may_be_about_one_thing(new: NewFact, old: CurrentFact, known: KnownProjects) -> bool:
    """Return whether no project tells two statements apart.

    What names a project is about that one. "Our" means the project of the session that it was said in. Whose an
    entry of an always-loaded file is that says "our", nobody knows, unless this home knows one project at most.
    """
    said, told = named_projects(new.fact.text, known), named_projects(old.text, known)
    if said and told:
        return not said.isdisjoint(told)
    if told:
        return _is_one_of(new.project, told, known)
    if old.project is not None:
        return not said or _is_one_of(old.project, said, known)
    if said or (new.project is not None and means_project(old.text)):
        return len(known) < 2
    return new.project is None or not means_project(new.fact.text)


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
