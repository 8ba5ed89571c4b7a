"""Names in a text: whom and what it is about, by the names themselves, first-person words and where it was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from memoro.model.projects import short_name
from memoro.model.words import STOP_WORDS


class Subject(NamedTuple):
    """Someone or something that a text can be about: the parts of a personal name, or one other name."""

    parts: tuple[str, ...]


OWNER = Subject(("I",))  # the person whose home this is; other names are in lower case


class TextSource(NamedTuple):
    """Where a text stands: who said it, in which project, and the names of its note."""

    speaker: str | None = None  # "User" is the owner
    project: str | None = None
    titles: tuple[str, ...] = ()  # title, aliases and headings of its note
    is_about_titles: bool = False  # the note describes what its title names, such as a person or a project


NO_SOURCE = TextSource()


class KnownNames(NamedTuple):
    """The names that texts are about, as the texts and where they stand show."""

    words: frozenset[str] = frozenset()  # names of one word
    runs: frozenset[tuple[str, ...]] = frozenset()  # names of several words
    parts: frozenset[str] = frozenset()  # the words of these
    spelled: frozenset[tuple[str, str]] = frozenset()  # compound names with spaces, and their usual spelling
    aliases: tuple[tuple[Subject, Subject], ...] = ()  # another name of a subject, and the subject

    def with_names(self, names: Iterable[Subject]) -> KnownNames:
        """Return these and other names."""
        found = [one.parts for one in names if one != OWNER]
        runs = self.runs.union(parts for parts in found if len(parts) > 1)
        return self._replace(
            words=self.words.union(parts[0] for parts in found if len(parts) == 1),
            runs=runs,
            parts=self.parts.union(part for parts in found if len(parts) > 1 for part in parts),
        )


class Subjects(NamedTuple):
    """The subjects of a text: those that it tells, and those to assume where it tells none."""

    told: frozenset[Subject] = frozenset()
    assumed: frozenset[Subject] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UPPER = "".join(chr(code) for code in range(0x41, 0x530) if chr(code).isupper())
_WORD = re.compile(r"\w+(?:[-./@]\w+)*")  # compounds whole
_CAPITAL = rf"[{_UPPER}][^\W\d_]+(?:-[{_UPPER}][^\W\d_]+)*(?![\w@]|[-./]\w)"
_PARTICLES = r"(?:(?:von|van|de|der|den|du|da|di|la|le|al|bin|zu) ){0,2}"
_RUN = re.compile(rf"(?<![\w@./-]){_CAPITAL}(?: (?:{_PARTICLES}{_CAPITAL}|[{_UPPER}]\.?(?!\w)))*")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?\n])[\s\-*•#>|]*(?:\d{1,2}:\d\d )?$")
_IS_TOLD_OF = re.compile(r"['’]s?\b|,? [^\W\d_A-Z]| [&+]")  # what follows a name that a sentence begins with
_I = re.compile(
    r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]urs?|us|[Oo]urselves|i(?='m|'ve|'d|'ll|’m|’ve|’d|’ll)"
    r"|[Ii]ch|[Mm]ich|[Mm]ir|[Mm]ein(?:e[nmrs]?)?|[Ww]ir|[Uu]ns(?:er\w{0,2})?)\b"
)
_SMALL_I = re.compile(r"\bi\b")  # elsewhere than in English, "i" is another word
_ENGLISH = re.compile(r"(?i)\b(?:the|is|are|do|did|does|have|had|am|was|to|of|what|where|when|how|which|who)\b")
_YOU = re.compile(r"(?i)\b(?:you|your|yours|yourself|du|dich|dir|dein(?:e[nmrs]?)?|sie|ihnen|ihr(?:e[nmrs]?)?)\b")
_HERE = re.compile(
    r"(?i)\b(?:th(?:is|e current) (?:project|repo|repository|codebase|code base|app|package|library|service)"
    r"|here|we|our|ours|us|dies(?:es|em|er) (?:projekts?|repo|repository|codebasis|app)|hier|wir|uns(?:er\w{0,2})?)\b"
)
_ME_TITLES = frozenset({"me", "about me", "myself", "ich", "über mich"})
_GERMAN = _words(
    "der die das den dem des ein eine einen einem einer und ist sind war wer wo wie was wann welche welcher welches "
    "hat haben nicht für mit von im am zum zur auf ich wir mein unser wird läuft"
)
# Capitalised, and no name of anything that a text is about; or a word that begins a sentence before a name.
_NO_NAMES = (
    STOP_WORDS
    | _GERMAN
    | _words(
        "january february march april may june july august september october november december monday tuesday "
        "wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober dezember montag "
        "dienstag mittwoch donnerstag freitag samstag sonntag hey hi hello thanks yes ok okay please dear well wow "
        "great remember user assistant today yesterday tomorrow herr frau mr mrs ms dr prof"
    )
)
_ABOUT_FOLDERS = _words(
    "people person persons contacts team teams projects project repos clients customers companies company "
    "personen kontakte projekte kunden firmen"
)


class _Run(NamedTuple):
    parts: tuple[str, ...]
    is_initial: bool  # begins a sentence
    is_leading: bool  # the sentence tells something of it


class _Scan(NamedTuple):
    """What a text shows about names by its form."""

    words: frozenset[str]  # in lower case, compounds whole and in one spelling
    runs: tuple[_Run, ...]  # names of several capitalised words
    singles: frozenset[str]  # single capitalised words
    within: frozenset[str]  # of these, those that do not begin a sentence
    is_first_person: bool
    lower: str


def subject_of_name(name: str) -> Subject | None:
    """Return the subject that a name such as a title, a speaker or an alias stands for; None for no name."""
    words = [_spelled(word) for word in _WORD.findall(name.lower())]
    return Subject(tuple(words)) if 0 < len(words) <= 4 else None


def project_subject(project: str) -> Subject:
    """Return the subject of a project, by its short name: one word, however it is written."""
    return Subject((_spelled("-".join(short_name(project).lower().split())),))


def describes_its_title(path: str, tags: Iterable[str] = ()) -> bool:
    """Return whether a note describes what its title names: its folder or a tag says that it is a person or a project."""
    folders = path.lower().split("/")[:-1]
    return not _ABOUT_FOLDERS.isdisjoint(folders) or not _ABOUT_FOLDERS.isdisjoint(tags)


def known_names(texts: Iterable[tuple[str, TextSource]]) -> KnownNames:
    """Return the names that these texts are about: by metadata, and full names that sentences begin with."""
    names: set[Subject] = set()
    compounds: set[tuple[str, str]] = set()
    aliases: dict[Subject, Subject] = {}
    for text, source in texts:
        names.update(Subject(run.parts) for run in _scan(text).runs if run.is_leading)
        for name in (source.project and short_name(source.project), *_title_names(source)):
            compounds.update(_with_spaces(name or ""))
        if source.project:
            names.add(project_subject(source.project))
        if source.speaker and source.speaker not in ("User", "Assistant"):
            names.update(filter(None, [subject_of_name(source.speaker)]))
        titles = [one for one in map(subject_of_name, _title_names(source)) if one]
        names.update(titles)
        aliases.update((one, titles[0]) for one in titles[1:] if one != titles[0])
    known = KnownNames(spelled=frozenset(compounds), aliases=tuple(sorted(aliases.items())))
    return known.with_names(names)


def subjects_asked(query: str, known: KnownNames, project: str | None = None) -> tuple[Subject, ...]:
    """Return whom and what a query asks about; nothing where it names none.

    Names come before first-person words: "what did I tell Anna" is about Anna. In a project, "we" and "here" mean it.
    """
    scan = _scan(query)
    found = dict.fromkeys(Subject(run.parts) for run in scan.runs)
    inside = {part for one in found for part in one.parts}
    found |= dict.fromkeys(Subject(run) for run in known.runs if _holds_run(scan.lower, run))
    inside.update(part for one in found for part in one.parts)
    words, taken = _with_spelled(scan, known)
    found |= dict.fromkeys(Subject((word,)) for word in sorted((words & known.words) - inside - taken))
    found |= dict.fromkeys(Subject((word,)) for word in _compounds(query))
    if _GERMAN.isdisjoint(scan.words):  # which capitalises every noun
        found |= dict.fromkeys(Subject((word,)) for word in sorted(scan.within - inside - taken))
    found |= dict.fromkeys(Subject((word,)) for word in sorted(_in_parts(scan.singles, known) - inside - taken))
    named = tuple(_without_parts(dict.fromkeys(_canonical(one, known) for one in found)))
    if named:
        return named
    if project and _HERE.search(query):
        return (project_subject(project),)
    return (OWNER,) if scan.is_first_person else ()


def subjects_of(text: str, source: TextSource, known: KnownNames) -> Subjects:
    """Return whom and what a text is about, as far as it names what is known."""
    if source.speaker:
        text = text.removeprefix(f"{source.speaker}: ")
    scan = _scan(text)
    words, taken = _with_spelled(scan, known)
    runs = [run.parts for run in scan.runs if run.parts in known.runs or not known.parts.isdisjoint(run.parts)]
    inside = {part for run in runs for part in run} - scan.singles
    told = {Subject(parts) for parts in runs}
    told.update(Subject((word,)) for word in (words & known.words) - inside - taken)
    told.update(Subject((word,)) for word in _in_parts(scan.singles, known))
    told.update(filter(None, map(_title_subject, _title_names(source))))
    told = {_canonical(one, known) for one in told}
    if person := _first_person(text, source, scan):
        told.add(person)
    return Subjects(frozenset(told), frozenset(_assumed(source)))


def agreement(asked: Subject, subjects: Subjects) -> float:
    """Return 1 for a text about the subject, -1 for one about others and not about it, 0 where it does not tell."""
    told, assumed = subjects
    others = told - {OWNER}
    if asked == OWNER:
        return (0.5 if others else 1.0) if OWNER in told else (-1.0 if others else 0.0)
    best = max((_likeness(asked, one) for one in others), default=0.0)
    if best or others:
        return best or (
            0.0 if any(_likeness(asked, one) for one in assumed) and not _is_related(asked, others) else -1.0
        )
    if assumed:
        return max(_likeness(asked, one) for one in assumed) or -0.5
    return 0.0


def same_subject(one: Subjects, other: Subjects) -> bool:
    """Return whether two texts speak of the same subject: of one that both name, or where neither names any."""
    first, second = one.told or one.assumed, other.told or other.assumed
    if not first or not second:
        return first == second
    named, others = first - {OWNER}, second - {OWNER}
    if not named or not others:
        pool = one.assumed | other.assumed
        return (OWNER in first and OWNER in second) or any(_likeness(a, b) for a in named | others for b in pool)
    return any(_likeness(a, b) or _likeness(b, a) for a in named for b in others)


def without_subjects(text: str, known: KnownNames, source: TextSource = NO_SOURCE) -> str:
    """Return the text without the known names and first-person words: what it says, whoever it is about."""
    if source.speaker:
        text = text.removeprefix(f"{source.speaker}: ")
    kept = _RUN.sub(lambda found: _kept(found[0], known), text)
    kept = _WORD.sub(lambda found: "" if _spelled(found[0].lower()) in known.words else found[0], kept)
    return " ".join(re.sub(r"(?<!\w)['’]s\b", "", _I.sub("", kept)).split())


def _kept(run: str, known: KnownNames) -> str:
    return " ".join(word for word in run.split(" ") if _without_s(word.lower(), known.parts) is None)


@lru_cache(maxsize=2048)
def _scan(text: str) -> _Scan:
    lower = text.lower()
    runs, singles, within = [], set(), set()
    for found in _RUN.finditer(text):
        words = [word for word in found[0].split(" ") if not (len(word) > 1 and word.isupper())]
        while words and words[0].lower() in _NO_NAMES:
            words = words[1:]
        while words and words[-1].lower() in _NO_NAMES:
            words = words[:-1]
        if not words:
            continue
        begins = _STARTS_SENTENCE.search(text, max(0, found.start() - 24), found.start())
        is_initial = found[0].startswith(words[0]) and (found.start() == 0 or begins is not None)
        if len(words) == 1:
            singles.add(words[0].lower())
            if not is_initial:
                within.add(words[0].lower())
        else:
            leads = is_initial and _IS_TOLD_OF.match(text, found.end()) is not None
            runs.append(_Run(tuple(word.lower().rstrip(".") for word in words), is_initial, leads))
    is_first = _I.search(text) is not None or (
        _SMALL_I.search(text) is not None and _ENGLISH.search(text) is not None
    )
    return _Scan(
        words=frozenset(map(_spelled, _WORD.findall(lower))),
        runs=tuple(runs),
        singles=frozenset(singles),
        within=frozenset(within),
        is_first_person=is_first,
        lower=lower,
    )


def _spelled(word: str) -> str:
    """Return a word in the one spelling by which names are compared: harbor-admin and harbor_admin are the same."""
    return word if word.isalnum() else word.replace("-", "").replace("_", "")


def _compounds(text: str) -> Iterator[str]:
    """The compound names of a text: hyphenated, dotted, underscored and slashed ones with a letter in each part."""
    for word in _WORD.findall(text):
        parts = re.split(r"[-./@_]", word)
        if len(parts) > 1 and all(part and not part.isdigit() for part in parts[:1]) and len(word) > 4:
            yield _spelled(word.lower())


def _with_spaces(name: str) -> Iterator[tuple[str, str]]:
    parts = re.split(r"[-_]", name.lower())
    if len(parts) > 1 and all(parts):
        yield " ".join(parts), _spelled(name.lower())


def _with_spelled(scan: _Scan, known: KnownNames) -> tuple[frozenset[str], set[str]]:
    """The words with the compound names that the text writes with spaces, and the words which these consist of."""
    found = [(spaced, name) for spaced, name in known.spelled if spaced in scan.lower]
    taken = {part for spaced, _ in found for part in spaced.split() if scan.lower.count(part) == 1}
    return scan.words.union(name for _, name in found), taken


def _title_names(source: TextSource) -> tuple[str, ...]:
    """The titles that name what a note is about."""
    if source.is_about_titles:
        return source.titles
    return tuple(title for title in source.titles if title.lower() in _ME_TITLES or next(_compounds(title), None))


def _title_subject(title: str) -> Subject | None:
    return OWNER if title.lower() in _ME_TITLES else subject_of_name(title)


def _first_person(text: str, source: TextSource, scan: _Scan) -> Subject | None:
    """The person that "I" means, and in the words of an assistant "you"."""
    if source.speaker == "Assistant":
        return OWNER if _YOU.search(text) else None
    if not scan.is_first_person:
        return None
    return OWNER if source.speaker in (None, "User") else subject_of_name(source.speaker)


def _assumed(source: TextSource) -> Iterator[Subject]:
    if source.project:
        yield project_subject(source.project)
    if source.speaker and source.speaker not in ("User", "Assistant") and (one := subject_of_name(source.speaker)):
        yield one


def _in_parts(singles: frozenset[str], known: KnownNames) -> set[str]:
    return {part for one in singles if (part := _without_s(one, known.parts))}


def _without_s(word: str, among: frozenset[str]) -> str | None:
    """The word, or without a genitive's s, if it is one of these."""
    if word in among:
        return word
    return word[:-1] if word.endswith("s") and word[:-1] in among else None


def _holds_run(lower: str, run: tuple[str, ...]) -> bool:
    name = " ".join(run)
    return name in lower and re.search(rf"\b{re.escape(name)}s?\b", lower) is not None


def _canonical(one: Subject, known: KnownNames) -> Subject:
    return next((subject for alias, subject in known.aliases if alias == one), one)


def _without_parts(found: Iterable[Subject]) -> Iterator[Subject]:
    """Leave out names that a longer one among them includes."""
    names = list(found)
    for one in names:
        if not any(one != other and set(one.parts) < set(other.parts) for other in names):
            yield one


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
    """Return whether a short name means the same as a long one: web and acme/web, anna and annas."""
    return long == short + "s" or ("/" in long and long.endswith(f"/{short}"))


def _is_related(asked: Subject, others: Iterable[Subject]) -> bool:
    """Return whether one of the others shares letters of its name with the subject: another of the same family."""
    return any(part in name for part in asked.parts for one in others for name in one.parts)
