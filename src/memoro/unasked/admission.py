"""Which passages may be given unasked in a session: by its project, and by what is private.

In doubt a passage is left out; whoever asks for it finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Passage
from memoro.model.belonging import (
    SHARED,
    KnownProject,
    NoteBelonging,
    ProjectsOfHome,
    belonging_of,
    is_log_of,
    link_names,
    link_target,
    names_project,
    projects_of_home,
)
from memoro.model.notes import Note, indexed_kind
from memoro.model.personal_names import is_people_folder, is_people_tag, is_personal_name, names_of_family
from memoro.model.privacy import is_hidden
from memoro.model.projects import belongs, short_name
from memoro.model.recall import LeftOut
from memoro.model.scope import Scope
from memoro.model.vocabulary import LOADED_TIERS, Belonging
from memoro.model.withheld import DIARY, NO_PROJECT, OTHER, PERSONAL, PRIVATE
from memoro.search.retrieve import identifier
from memoro.store.ports import Index
from memoro.vault.daily_lines import lines_that, of_project_test, project_of_line
from memoro.vault.layout import ROLES

if TYPE_CHECKING:
    from memoro.home_context import HomeContext

LinksOf = Callable[[str, Note], Iterable[str]]


class AdmissionRules(NamedTuple):
    """The rules of the session's scope and the owner's settings for what may be given."""

    scope: Scope
    hidden: tuple[str, ...] = ()  # `privacy.private`: paths, folders, patterns and #tags
    projects: tuple[str, ...] = ()  # that the settings name
    is_vault: bool = False  # the vault lies in the project's folder: all its notes are the project's own


def rules_of(home: HomeContext, scope: Scope) -> AdmissionRules:
    """Return the rules for a session of this home."""
    if scope.project is None:
        return AdmissionRules(scope, home.settings.privacy.private)
    return AdmissionRules(
        scope=scope,
        hidden=home.settings.privacy.private,
        projects=home.named_projects(),
        is_vault=home.is_project_of_vault(scope.project),
    )


class Admitted(NamedTuple):
    """The relation of a passage to the session, and the part of it that may be given.

    `own` is of this project or for every project (memories without one, skills, always-loaded files); `shared` is of
    none and must fit very well. Of the other three nothing is given.
    """

    belonging: Belonging
    passage: Passage | None  # with the lines that may be shown; None: nothing may be given
    why: str = ""  # why not, for `left_out`


def admit(passages: Sequence[Passage], rules: AdmissionRules, index: Index) -> list[Admitted]:
    """Return for each passage, in their order, whether and as what it may be given unasked."""
    scope = rules.scope
    paths = list(dict.fromkeys(one.path for one in passages if indexed_kind(one.path) == "note" or rules.hidden))
    notes = {path: entry.note for path, entry in index.notes(paths).items()}
    if scope.project is None or rules.is_vault:
        return [_unbound(one, notes.get(one.path), rules) for one in passages]
    names = (*rules.projects, *index.projects())
    projects = projects_of_home(scope.project, scope.known_as, names)
    linked = _linked_by(projects, index)
    whose = {path: belonging_of(path, note, projects, linked(path, note)) for path, note in notes.items()}
    judge = _Judge(rules=rules, projects=projects, notes=notes, whose=whose, family=_family_of(notes, index))
    return [judge.judged(one) for one in passages]


class Admission:
    """Admits the candidates of a search for one message, and keeps how each was judged."""

    def __init__(self, rules: AdmissionRules) -> None:
        self._rules = rules
        self.judged: dict[str, Admitted] = {}  # by the id of a passage

    def __call__(self, index: Index, passages: Sequence[Passage]) -> list[Passage | None]:
        """Return what of each passage may be given."""
        found = admit(passages, self._rules, index)
        self.judged.update(zip(map(identifier, passages), found, strict=True))
        return [one.passage for one in found]

    @property
    def refused(self) -> list[LeftOut]:
        return [LeftOut(id, one.why) for id, one in self.judged.items() if one.passage is None]

    def is_shared(self, passage: Passage) -> bool:
        """Return whether it is of no project, and must fit very well."""
        judged = self.judged.get(identifier(passage))
        return judged is not None and judged.belonging == "shared"


def _unbound(passage: Passage, note: Note | None, rules: AdmissionRules) -> Admitted:
    if _is_private(passage, note, rules):
        return Admitted("private", None, PRIVATE)
    return Admitted("own", passage)


def _is_private(passage: Passage, note: Note | None, rules: AdmissionRules) -> bool:
    return passage.privacy == "private" or is_hidden(passage.path, note.tags if note else (), rules.hidden)


class _Judge(NamedTuple):
    rules: AdmissionRules
    projects: ProjectsOfHome
    notes: Mapping[str, Note]
    whose: Mapping[str, NoteBelonging]
    family: frozenset[str]  # their names

    def judged(self, passage: Passage) -> Admitted:
        if _is_private(passage, self.notes.get(passage.path), self.rules):
            return Admitted("private", None, PRIVATE)
        if not belongs(passage.project, self.rules.scope.projects):
            return _other(passage.project)
        match indexed_kind(passage.path):
            case "transcript":
                return self._of_project_alone(passage, f"a conversation {NO_PROJECT}")
            case "note" if passage.tier == "daily":
                return self._day(passage)
            case "note" if passage.tier == "episodic":
                return self._of_project_alone(passage, f"a session {NO_PROJECT}")
            case "note" if passage.tier not in (*LOADED_TIERS, "skill"):
                return self._note(passage)
        return self._without_foreign_lines(passage, "own")

    def _of_project_alone(self, passage: Passage, why: str) -> Admitted:
        return Admitted("own", passage) if passage.project is not None else Admitted("other", None, why)

    def _note(self, passage: Passage) -> Admitted:
        whose = self.whose.get(passage.path, SHARED)
        if whose.kind == "other":
            return _other(whose.project)
        if whose.kind == "own":
            return self._without_foreign_lines(passage, "own")
        is_personal = passage.privacy == "personal" or any(map(is_personal_name, passage.headings))
        if is_personal or self._is_of_family(passage.path):
            return Admitted("personal", None, PERSONAL)
        return self._without_foreign_lines(passage, "shared")

    def _is_of_family(self, path: str) -> bool:
        note = self.notes.get(path)
        named = _names_of_person(path, note) if note else frozenset()
        return any(name in self.family or name.split()[0] in self.family for name in named)

    def _without_foreign_lines(self, passage: Passage, belonging: Belonging) -> Admitted:
        patterns = self.rules.scope.projects
        if "#project/" not in passage.text.lower():
            return Admitted(belonging, passage)
        own = lines_that(passage.text.split("\n"), lambda line, _: belongs(project_of_line(line), patterns))
        kept = with_lines(passage, own)
        return Admitted(belonging, kept) if kept else _other(None)

    def _day(self, passage: Passage) -> Admitted:
        """Of a day, the lines that carry the project's tag or name it; what a person wrote besides is a diary."""
        own = self.projects.own
        if own and is_log_of(passage.path, own):
            return self._without_foreign_lines(passage, "own")
        kept = of_project(passage, own) if own else None
        return Admitted("own", kept) if kept else Admitted("personal", None, DIARY)


def of_project(passage: Passage, own: KnownProject) -> Passage | None:
    """Return the lines of a day that belong to the project; None where there are none."""
    is_under = any(names_project(heading, own) for heading in passage.headings)
    return with_lines(passage, lines_that(passage.text.split("\n"), of_project_test(own, is_under=is_under)))


def with_lines(passage: Passage, kept: Sequence[int]) -> Passage | None:
    """Return the passage with these of its lines, counted from 0; None where there are none."""
    lines = passage.text.split("\n")
    if not kept:
        return None
    if len(kept) == sum(1 for line in lines if line.strip()):
        return passage
    return passage._replace(
        text="\n".join(lines[number] for number in kept),
        start_line=passage.start_line + kept[0],
        end_line=passage.start_line + kept[-1],
    )


def _other(project: str | None) -> Admitted:
    return Admitted("other", None, f"{OTHER}: {short_name(project)}" if project else OTHER)


def _family_of(notes: Mapping[str, Note], index: Index) -> frozenset[str]:
    """The names of the owner's family that the always-loaded files tell; asked for notes about people alone."""
    if not any(_names_of_person(path, note) for path, note in notes.items()):
        return frozenset()
    loaded = index.chunks_of([name for names in ROLES.values() for name in names])
    return frozenset().union(*(names_of_family(one.passage.text) for one in index.look_up(loaded, ())))


def _names_of_person(path: str, note: Note) -> frozenset[str]:
    """The names of the person that a note is about; empty where it is about something else."""
    is_of_person = is_people_folder(tuple(path.split("/")[:-1])) or any(map(is_people_tag, note.tags))
    return frozenset(filter(None, link_names(path, note))) if is_of_person else frozenset()


def _linked_by(projects: ProjectsOfHome, index: Index) -> LinksOf:
    """Return a function that names the projects whose own notes link to a note."""
    known = [one for one in (projects.own, *projects.others) if one]
    titles = {one.shown: one for one in known}
    spelled = {" ".join(words): one for one in known for words in one.spelled}
    found = index.titled(list({**spelled, **titles}))
    links: dict[str, set[str]] = {}
    by_title = {name.lower(): one for name, one in {**spelled, **titles}.items()}
    for entry in found.values():
        if project := by_title.get(entry.note.title.lower()):
            for link in entry.note.links:
                links.setdefault(link_target(link), set()).add(project.name)

    def linked_by(path: str, note: Note) -> Iterable[str]:
        return {name for target in link_names(path, note) for name in links.get(target, ())} if links else ()

    return linked_by
