"""The people and things that a text is about: by the names in it, first-person words, and where it was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.model import name_forms as forms
from memoro.model.projects import short_name
from memoro.model.remembered import remembered
from memoro.model.unknown_names import likely_names


class Subject(NamedTuple):
    """Someone or something that a text can be about. The parts of a personal name are separated by spaces."""

    name: str  # in lower case; other names have "-" between their parts

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split(" "))


OWNER = Subject("I")  # the person whose home this is


class TextSource(NamedTuple):
    """Where a text stands: who said it, in which project, below which headings, in a note about whom or what."""

    speaker: str | None = None  # "User" is the owner
    project: str | None = None
    headings: tuple[str, ...] = ()  # with the title of its note
    described: tuple[str, ...] = ()  # the names of what the note describes, such as a person; see `described_by`
    describes_thing: bool = False  # a project or a company, and no person

    @property
    def person(self) -> Subject | None:
        """The named person who speaks."""
        return subject_named(self.speaker) if self.speaker and self.speaker not in ("User", "Assistant") else None


NO_SOURCE = TextSource()


class KnownNames(NamedTuple):
    """The names that some texts are about, each with the ways to write it; the longest first."""

    spellings: tuple[tuple[str, Subject], ...] = ()
    parts: frozenset[str] = frozenset()  # the words of personal names
    things: frozenset[Subject] = frozenset()  # of these, projects and the like: they are nobody

    def with_names(self, names: Iterable[Subject]) -> KnownNames:
        """Return these and other names."""
        found = dict(self.spellings)
        for one in names:
            if one != OWNER:
                for spelling in _spellings(one.name):
                    found.setdefault(spelling, one)
        parts = (part for one in found.values() if " " in one.name for part in one.parts)
        spellings = tuple(sorted(found.items(), key=lambda pair: (-len(pair[0]), pair)))
        return KnownNames(spellings, frozenset(parts), self.things)


class Subjects(NamedTuple):
    """The subjects of a text: those that it tells, and those to assume where it tells none."""

    told: frozenset[Subject] = frozenset()
    assumed: frozenset[Subject] = frozenset()
    things: frozenset[Subject] = frozenset()  # of those that it tells, what is no person


_OWN_TITLES = frozenset({"me", "about me", "myself", "ich", "über mich"})
_PEOPLE = re.compile(r"people|persons?|contacts?|teams?|personen|kontakte?")
_THINGS = re.compile(r"projects?|repos?|clients?|customers?|compan(?:y|ies)|projekte?|kunden|firmen")


@remembered(256)
def subject_named(name: str) -> Subject | None:
    """Return the subject that a name such as a title, a speaker or an alias stands for; None for no name."""
    words = name.lower().replace("_", "-").split()
    return Subject(" ".join(words)) if 0 < len(words) <= 4 else None


@remembered(256)
def project_subject(project: str) -> Subject:
    """Return the subject of a project, by its short name."""
    return Subject("-".join(short_name(project).lower().replace("_", "-").split()))


def described_by(path: str, names: Iterable[str], tags: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the title and aliases of a note that describes what they name, as its folder or a tag says."""
    describes = any(_PEOPLE.fullmatch(one) or _THINGS.fullmatch(one) for one in _kinds(path, tags))
    return tuple(one for one in names if describes or one.lower() in _OWN_TITLES)


def describes_thing(path: str, tags: Iterable[str] = ()) -> bool:
    """Return whether a note that describes something does not describe a person, as its folder or a tag says."""
    kinds = _kinds(path, tags)
    return any(map(_THINGS.fullmatch, kinds)) and not any(map(_PEOPLE.fullmatch, kinds))


def _kinds(path: str, tags: Iterable[str]) -> tuple[str, ...]:
    return (*path.lower().split("/")[:-1], *tags)


def names_of_sources(sources: Iterable[TextSource]) -> KnownNames:
    """Return the names of the projects and people that texts belong to, and of what their notes describe."""
    names: dict[Subject, None] = {}
    aliases: dict[str, Subject] = {}
    people, things = set[Subject](), set[Subject]()
    for source in set(sources):
        if source.project:
            names[project_subject(source.project)] = None
            things.add(project_subject(source.project))
        if person := source.person:
            names[person] = None
            people.add(person)
        described = [one for one in map(_described, source.described) if one]
        aliases.update((one.name, described[0]) for one in described)
        (things if source.describes_thing else people).update(described)
    spellings = tuple((spelling, one) for name, one in aliases.items() for spelling in _spellings(name))
    return KnownNames(spellings, things=frozenset(things - people)).with_names(names)


def known_names(texts: Sequence[tuple[str, TextSource]]) -> KnownNames:
    """Return the names that these texts are about: of their sources, and full names that sentences begin with."""
    full = {name for text, source in texts for name in forms.full_names(_said(text, source))}
    # In a chat any sentence may begin with a small letter.
    small = {name for text, source in texts if not source.speaker and (name := forms.small_name(text))}
    known = names_of_sources(source for _, source in texts)
    things = known.things.union(one for one in map(Subject, small - full) if one not in _subjects(known))
    return known._replace(things=things).with_names(map(Subject, sorted(full | small)))


def subjects_asked(
    query: str, known: KnownNames, project: str | None = None, texts: Sequence[str] = ()
) -> tuple[Subject, ...]:
    """Return whom and what a query asks about; nothing where it names none. `texts` show what else may be a name.

    Names come before "I": "what did I tell Anna Berg" is about her. What is mine is about me too, and so is a query
    with a capitalised word that may be no name. In a project, "we" and "here" mean the project.
    """
    found, rest = _known_in(query, known)
    found |= dict.fromkeys(Subject(one) for one in forms.compounds(query) if one in rest.replace("_", "-"))
    found |= dict.fromkeys(_capitalised(query, rest, known, texts))
    named = tuple(_longest(found))
    if any(one in _subjects(known) or forms.is_surely_name(one.name) for one in named):
        return (*named, OWNER) if forms.names_what_is_mine(query) else named
    if project and forms.means_project(query):
        return (*named, project_subject(project))
    return (*named, OWNER) if forms.is_first_person(query) else named


def _capitalised(query: str, rest: str, known: KnownNames, texts: Sequence[str]) -> Iterator[Subject]:
    """The names in a query that only capital letters tell."""
    is_german, by_spelling = forms.capitalises_nouns(query), dict(known.spellings)
    single = frozenset(one.name for one in _subjects(known) if " " not in one.name)
    for run in forms.runs(query):
        words = forms.name_words(run[0])
        if not words:
            continue
        first = forms.without_s(words[0].lower(), known.parts)
        is_genitive = first is not None and first != words[0].lower()  # "Annas Hund"
        if first and (is_genitive or len(words) == 1):
            names = [first]
        elif len(words) > 1:
            names = list(likely_names(query, words, known.parts | single, texts))
        else:
            names = [] if is_german or forms.is_initial(query, run, words) else [words[0].lower()]
        yield from (by_spelling.get(name, Subject(name)) for name in names if name in rest)


def is_known(asked: Subject, known: KnownNames, texts: Iterable[str]) -> bool:
    """Return whether a name that a query asks about is known as one: by its form, or as what texts tell about."""
    if asked == OWNER or asked in _subjects(known) or asked.name in known.parts or forms.is_surely_name(asked.name):
        return True
    return any(asked.name in text.lower() and forms.is_told_of(asked.name, text) for text in texts)


def subjects_of(text: str, source: TextSource, known: KnownNames) -> Subjects:
    """Return whom and what a text is about, as far as it names what is known."""
    said = _said(text, source)
    whole = "\n".join((*source.headings, said)) if source.headings else said
    told, rest = _known_in(whole, known)
    if any(part in rest for part in known.parts):
        told.update(dict.fromkeys(map(Subject, forms.names_with(known.parts, whole))))
    if described := [one for name in source.described if (one := _described(name))]:
        told.update(dict.fromkeys(described))
    elif person := _first_person(said, source):  # "our database" in the note of a project is that of the project
        told[person] = None
    project = project_subject(source.project) if source.project else None
    assumed = frozenset(filter(None, [project, source.person]))
    return Subjects(frozenset(told), assumed, known.things.intersection(told))


def is_named(asked: Subject, text: str) -> bool:
    """Return whether a text holds the whole name of a subject."""
    lower = text.lower()
    return any(one in lower and forms.place_of(one, lower) is not None for one in _spellings(asked.name))


def holds_parts(asked: Subject, text: str) -> bool:
    """Return whether a text holds each word of a name, wherever they stand."""
    lower = text.lower()
    return all(forms.place_of(part, lower) is not None for part in asked.parts)


def shared_parts(asked: Subject, known: KnownNames) -> frozenset[str]:
    """Return the parts of a name that others bear as well: "Anna" alone may mean Anna Berg or Anna Keller."""
    others = (one for one in _subjects(known) if one != asked and " " in one.name)
    return frozenset(part for one in others for part in one.parts).intersection(asked.parts)


def agreement(asked: Subject, subjects: Subjects, shared: frozenset[str]) -> float:
    """Return 1 for a text about the subject, -1 for one about others and not about it, 0 where it does not tell.

    A part of the name counts half if it is `shared` with others.
    """
    told, assumed, things = subjects
    others = told - {OWNER}
    if asked == OWNER:
        people = others - things  # what is said of a project may well be mine
        return (0.5 if others else 1.0) if OWNER in told else (-1.0 if people else 0.0)
    best = max((_likeness(asked, one) for one in others), default=0.0)
    if best:
        is_sure = best == 1.0 or any(shared.isdisjoint(one.parts) for one in others if _likeness(asked, one))
        return 1.0 if is_sure else best
    by_source = max((_likeness(asked, one) for one in assumed), default=0.0)
    if others:
        is_open = by_source or OWNER in told  # "I told her so" may be about anyone
        return 0.0 if is_open and not any(_is_related(asked, one) for one in others) else -1.0
    return by_source


def speaker_agreement(asked: Subject, subjects: Subjects, person: Subject, people: frozenset[Subject]) -> float:
    """Return how likely a person's turn of a conversation between these people tells about the subject: 1 to -1.

    People tell most about themselves, and name the one they speak to.
    """
    if _likeness(asked, person):
        return 1.0 if person in subjects.told else 0.5
    is_named = any(_likeness(asked, one) for one in subjects.told if one != person)
    if any(_likeness(asked, one) for one in people):
        return -0.5 if is_named else -1.0
    return 1.0 if is_named else 0.0


def same_subject(one: Subjects, other: Subjects) -> bool:
    """Return whether two texts speak of the same subject: of one that both name, or where neither names any."""
    first, second = one.told or one.assumed, other.told or other.assumed
    if not first or not second:
        return first == second
    named, others = first - {OWNER}, second - {OWNER}
    if not named or not others:
        assumed = one.assumed | other.assumed
        return (OWNER in first and OWNER in second) or any(_likeness(a, b) for a in named | others for b in assumed)
    return any(_likeness(a, b) or _likeness(b, a) for a in named for b in others)


def without_subjects(text: str, known: KnownNames, source: TextSource = NO_SOURCE) -> str:
    """Return the text in lower case without the known names and first-person words: what it says of whomever."""
    _, rest = _known_in(_said(text, source), known)
    kept = []
    for word in rest.split():
        bare = word.strip(".,;:!?()\"'’")
        if bare != "s" and not forms.is_own_word(bare) and forms.without_s(bare, known.parts) is None:
            kept.append(word)
    return " ".join(kept)


def _said(text: str, source: TextSource) -> str:
    return text.removeprefix(f"{source.speaker}: ") if source.speaker else text


def _described(title: str) -> Subject | None:
    return OWNER if title.lower() in _OWN_TITLES else subject_named(title)


def _spellings(name: str) -> Iterator[str]:
    """The ways to write a name: harbor-admin, harbor_admin, harbor admin and HarborAdmin are the same.

    A name of signs alone, such as a project "--", has none: without its hyphens it would stand everywhere.
    """
    if name in forms.NO_NAMES or len(name) < 2 or not any(map(str.isalnum, name)):
        return
    yield name
    if "-" in name:
        yield from (name.replace("-", one) for one in ("_", " ", ""))


def _subjects(known: KnownNames) -> set[Subject]:
    return {one for _, one in known.spellings}


def _known_in(text: str, known: KnownNames) -> tuple[dict[Subject, None], str]:
    """The known names that stand in a text by themselves, and the text in lower case without these."""
    rest = text.lower()
    found: dict[Subject, None] = {}
    for spelling, subject in known.spellings:
        if spelling not in rest:
            continue
        place = forms.place_of(spelling, rest)
        while place is not None:
            found[subject] = None
            rest = f"{rest[:place]}\n{rest[place + len(spelling) :]}"
            place = forms.place_of(spelling, rest)
    return found, rest


def _longest(found: Iterable[Subject]) -> Iterator[Subject]:
    """Leave out names that a longer one among them includes."""
    names = list(found)
    for one in names:
        if not any(one != other and set(one.parts) < set(other.parts) for other in names):
            yield one


def _first_person(said: str, source: TextSource) -> Subject | None:
    """The person that "I" means, and in the words of an assistant "you"."""
    if source.speaker == "Assistant":
        return OWNER if forms.is_second_person(said) else None
    return (source.person or OWNER) if forms.is_first_person(said) else None


@remembered(4096)
def _likeness(asked: Subject, told: Subject) -> float:
    """1 where a name means the subject asked for, 0.5 where it may mean it, 0 where it means another."""
    if asked == told:
        return 1.0
    wanted, found = asked.parts, told.parts
    if len(wanted) == len(found) == 1:
        return 1.0 if _is_tail(wanted[0], found[0]) or _is_tail(found[0], wanted[0]) else 0.0
    if _is_within(wanted, found):
        return 1.0
    return 0.5 if _is_within(found, wanted) else 0.0


def _is_within(fewer: tuple[str, ...], more: tuple[str, ...]) -> bool:
    """Return whether each part of a name occurs in a longer one, in order; a letter stands for what it begins."""
    rest = iter(more)
    return all(any(_is_part(part, other) for other in rest) for part in fewer)


def _is_part(part: str, other: str) -> bool:
    if part == other or part == other + "s":
        return True
    return (len(part) == 1 and other.startswith(part)) or (len(other) == 1 and part.startswith(other))


def _is_tail(short: str, long: str) -> bool:
    """Return whether a short name means the same as a long one: web and acme/web."""
    return "/" in long and long.endswith(f"/{short}")


def _is_related(asked: Subject, other: Subject) -> bool:
    """Return whether the names share a part: harbor and harbor-admin, two people called Anna."""
    return not set(re.split(r"[ ./@-]", asked.name)).isdisjoint(re.split(r"[ ./@-]", other.name))
