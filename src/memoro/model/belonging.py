"""Decide whether a note of the vault belongs to a project: by frontmatter, tag, folder, title, alias or link.

Marks that say it outright come before names, and names before links. A note that names this project is its own,
one that names only another known project is that one's, and any other note is shared.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from memoro.model.daily_folders import is_name_of_diary
from memoro.model.notes import Note
from memoro.model.personal_names import is_people_folder, plain, words_in
from memoro.model.projects import means, name_patterns, short_name

Words = tuple[str, ...]

# Names of folders that hold anything: that a note's folder is called so says nothing.
_CONTAINERS = words_in(
    "work works notes note docs doc documents desktop downloads projects project src source code dev git repos "
    "repo home tmp temp vault obsidian workspace workspaces misc archive inbox personal private main master test "
    "tests new old arbeit notizen dokumente projekte projekt privat archiv travail projets documentos proyectos "
    "projetos progetti"
)
# Words that are names of projects and of things alike: they name a project only where they stand alone.
_COMMON = words_in(
    "api app apps web website site blog shop store server client backend frontend core infra infrastructure "
    "platform data database tools tooling scripts config configs dotfiles demo example examples book thesis paper "
    "papers article articles game games bot cli lib library sdk ui design docs service services admin mobile ios "
    "android desktop plugin plugins theme themes monitoring deploy deployment pipeline analytics reports report "
    "dashboard portal wiki home garden kitchen house budget finance music photos travel school course courses "
    "class lessons teaching research translation translations novel story stories podcast video videos newsletter "
    "landing"
)
_SEPARATOR = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"^[\W\d_]+(?=\w*[^\W\d_])")
_TAG_OR_LINK = re.compile(r"#([\w/-]{1,100})|\[\[([^\[\]|#\n]{1,200})")


class KnownProject(NamedTuple):
    """A project with the words of its names."""

    name: str
    patterns: tuple[str, ...]  # of `model.projects.means`
    spelled: tuple[Words, ...]  # its short name as words, and its tag

    @property
    def shown(self) -> str:
        return short_name(self.name)


class ProjectsOfHome(NamedTuple):
    """The project of a session, and the other projects that this home knows."""

    own: KnownProject | None
    others: tuple[KnownProject, ...] = ()


class NoteBelonging(NamedTuple):
    kind: Literal["own", "shared", "other"]
    project: str | None = None  # for people: whose it is


SHARED = NoteBelonging("shared")


def known_project(name: str, known_as: Iterable[str] = ()) -> KnownProject:
    others = tuple(known_as)
    spelled = dict.fromkeys(words_of(short_name(one)) for one in (name, *others))
    return KnownProject(
        name, name_patterns(name, others), tuple(one for one in spelled if one and not _says_nothing(one))
    )


def projects_of_home(project: str | None, known_as: Sequence[str], names: Iterable[str]) -> ProjectsOfHome:
    """Return the session's project beside the others. One that a name of its own means is no other."""
    if project is None:
        return ProjectsOfHome(None)
    own = known_project(project, known_as)
    others = (known_project(name) for name in dict.fromkeys(names) if not any(means(p, name) for p in own.patterns))
    return ProjectsOfHome(own, tuple(one for one in others if not set(one.spelled) & set(own.spelled)))


def words_of(name: str) -> Words:
    """Return a name as words, so that `Big_Thing`, `big-thing` and `01 Big thing` are one."""
    without = _NUMBERED.sub("", plain(name))
    return tuple(word for word in _SEPARATOR.split(without) if word)


def belonging_of(path: str, note: Note, projects: ProjectsOfHome, linked_by: Iterable[str] = ()) -> NoteBelonging:
    """Return whose a note is. `linked_by` are the full names of projects whose own note links to it."""
    if projects.own is None:
        return SHARED
    if note.project is not None:
        return _of_name(note.project, projects.own)
    own, others = projects.own, projects.others
    tagged = [tag.removeprefix("project/") for tag in note.tags if tag.startswith("project/")]
    if tagged and any(means(pattern, tag) for pattern in own.patterns for tag in tagged):
        return NoteBelonging("own", own.shown)
    folders = [words_of(name) for name in path.split("/")[:-1]]
    names = [words_of(name) for name in (note.title, stem_of(path), *note.aliases)]
    parts = [words_of(part) for tag in note.tags for part in tag.split("/")]
    for found in (
        _named(own, others, lambda one: _stands_among(one, parts, alone=one is own)),
        _named(own, others, lambda one: _stands_among(one, folders, alone=True)),
        _named(own, others, lambda one: _is_in_title(one, names)),
    ):
        if found is not None:
            return found
    if is_people_folder(tuple(path.split("/")[:-1])):  # a colleague works in many projects
        return SHARED
    return _by_links(note, projects, frozenset(linked_by))


def is_log_of(path: str, project: KnownProject) -> bool:
    """Return whether a daily note is in a folder of the project's name. A diary may be called as a project is."""
    return any(words_of(name) in project.spelled and not is_name_of_diary(name) for name in path.split("/")[:-1])


def names_project(line: str, project: KnownProject) -> bool:
    """Return whether a line, or a heading, names the project: a tag, a link, `name:` first, or its name as words.

    A name that is a common word counts only as a mark: `blog: new theme`, `#blog`, `[[blog]]`, never `her blog`.
    """
    for tag, link in _TAG_OR_LINK.findall(line):
        if any(words_of(part) in project.spelled for part in (tag or link).split("/")):
            return True
        if tag.startswith("project/") and any(means(p, tag.removeprefix("project/")) for p in project.patterns):
            return True
    words = words_of(line)
    first = words_of(line.partition(":")[0]) if ":" in line else ()
    return any(
        first == name or words == name or (not _is_common(name) and _contains(words, name))
        for name in project.spelled
    )


def stem_of(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


def link_target(link: str) -> str:
    """Return the name that a link points to, for comparing it with names of notes."""
    return plain(stem_of(link)).strip()


def link_names(path: str, note: Note) -> frozenset[str]:
    """Return the names by which links may point to a note."""
    return frozenset(plain(name).strip() for name in (stem_of(path), note.title, *note.aliases))


def _of_name(name: str, own: KnownProject) -> NoteBelonging:
    is_own = any(means(pattern, name) for pattern in own.patterns) or words_of(short_name(name)) in own.spelled
    return NoteBelonging("own" if is_own else "other", short_name(name))


def _named(
    own: KnownProject, others: Iterable[KnownProject], is_named: Callable[[KnownProject], bool]
) -> NoteBelonging | None:
    if is_named(own):
        return NoteBelonging("own", own.shown)
    other = next((one for one in others if is_named(one)), None)
    return NoteBelonging("other", other.shown) if other else None


def _stands_among(project: KnownProject, names: Iterable[Words], *, alone: bool) -> bool:
    """Return whether one of the names is the project's. Unless `alone` is enough, a common word is none."""
    return any(name in project.spelled and (alone or not _is_common(name)) for name in names)


def _is_in_title(project: KnownProject, titles: Iterable[Words]) -> bool:
    return any(
        title == name or (not _is_common(name) and _contains(title, name))
        for title in titles
        for name in project.spelled
    )


def _by_links(note: Note, projects: ProjectsOfHome, linked_by: frozenset[str]) -> NoteBelonging:
    """By its links, and by links of a project's own note to it. A note that several projects share is nobody's."""
    own = projects.own
    targets = {words_of(stem_of(link)) for link in note.links}

    def is_linked(one: KnownProject) -> bool:
        return one.name in linked_by or any(name in targets for name in one.spelled)

    linked = [one for one in projects.others if is_linked(one)]
    if own is not None and is_linked(own):
        return NoteBelonging("own", own.shown) if not linked else SHARED
    return NoteBelonging("other", linked[0].shown) if linked else SHARED


def _contains(words: Words, name: Words) -> bool:
    return any(words[at : at + len(name)] == name for at in range(len(words)))


def _is_common(name: Words) -> bool:
    if len(name) != 1:
        return False
    (word,) = name
    return word in _COMMON or (len(word) < 4 and word.isascii())


def _says_nothing(name: Words) -> bool:
    return len(name) == 1 and not _CONTAINERS.isdisjoint(name)
