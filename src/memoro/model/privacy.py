"""Which notes and lines are private: by frontmatter, tag, folder, settings, and what the text says of itself.

English and German, and the usual forms in French, Spanish, Portuguese, Italian and Chinese. In doubt a line is
private: whoever asks for it at the terminal finds it all the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from memoro.model.answers import is_below
from memoro.model.personal_names import (
    is_family,
    is_people_folder,
    is_people_tag,
    is_personal_folder,
    is_personal_name,
    is_sensitive_title,
    words_in,
)
from memoro.model.personal_names import plain as without_accents
from memoro.model.private_phrases import Phrase, phrases_in, says_private
from memoro.model.projects import ascii_lower
from memoro.model.vocabulary import Privacy

# Without accents. A tag counts with any of its parts: `#private/health`.
_PRIVATE = words_in(
    "private privat privates prive privee privado privada privato privata confidential vertraulich confidentiel "
    "confidentielle confidencial confidenziale riservato riservata secret geheim intimate family-only familyonly "
    "only-me onlyme nur-fur-mich 私密 保密 机密 機密 内緒"
)
# Of a folder, `private` is mostly the opposite of `work`, and so personal; these words say more.
_PRIVATE_FOLDERS = _PRIVATE - words_in(
    "private privat privates prive privee privado privada privato privata intimate"
)
_FLAGS = words_in("private privat confidential vertraulich secret geheim confidentiel confidencial sensitive")
_LEVELS = words_in(
    "visibility access audience classification sensitivity sharing share privacy confidentiality sichtbarkeit "
    "vertraulichkeit visibilite visibilidad visibilidade status"
)
_HIDDEN_LEVELS = _PRIVATE | words_in("restricted hidden me myself self nobody none family familie")
_TRUE = words_in("true yes on 1 y ja wahr oui si sim x")
_FALSE = words_in("false no off 0 n nein non nao never")
_TAG = re.compile(r"(?:^|(?<=[\s(,;]))#([\w/-]{1,100})")
_ONLY_TAGS = re.compile(r"^[\s>*+-]*(?:tags?:)?\s*(?:#[\w/-]+[\s,;]*)+$", re.IGNORECASE)
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s")
_CODE = re.compile(r"`[^`\n]*`")

HeadingLine = tuple[int, int, str]  # its line, from 1; its level; its title


def fields_say_private(fields: Mapping[str, object]) -> bool:
    """Return whether the frontmatter marks a note as private: `private: true`, `visibility: private`, a tag."""
    for name, value in fields.items():
        key, said = without_accents(name), _values(value)
        if key in _FLAGS and any(one not in _FALSE for one in said):
            return True
        if key in _LEVELS and any(one in _HIDDEN_LEVELS for one in said):
            return True
        if key in ("share", "shared") and any(one in _FALSE for one in said):
            return True
        if key in ("tag", "tags") and any_private_tag(said):
            return True
    return False


def any_private_tag(tags: Iterable[str]) -> bool:
    """Return whether a tag, or a part of one, says private."""
    return any(part in _PRIVATE for tag in tags for part in without_accents(tag).strip("#").split("/"))


def note_privacy(path: str, fields: Mapping[str, object], title: str, body: Sequence[str]) -> Privacy:
    """Return how private a note is as a whole: by its frontmatter, its folders, and for a person, by who that is."""
    folders = tuple(path.split("/")[:-1])
    if fields_say_private(fields) or any(without_accents(name) in _PRIVATE_FOLDERS for name in folders):
        return "private"
    tags = [tag for name in ("tag", "tags") for tag in _values(fields.get(name))]
    if _is_true(fields.get("personal")) or is_personal_folder(folders) or is_sensitive_title(title):
        return "personal"
    if any(is_personal_name(part) for tag in tags for part in tag.strip("#").split("/")):
        return "personal"
    relation = (one for name in ("relation", "relationship", "beziehung") for one in _values(fields.get(name)))
    if is_people_folder(folders) or any(map(is_people_tag, tags)):
        said = [line for line in body if line.strip() and not line.startswith("#")]
        return "personal" if is_family(title, (*relation, *said)) else "open"  # it reads the first few
    return "open"


def line_is_private(line: str, phrases: Sequence[Phrase] | None = None) -> bool:
    """Return whether a line is marked as private: by a tag, or by its own words.

    `phrases` are those of `phrases_in` the text that holds the line; without it, all are tried.
    """
    said = _CODE.sub("", line) if "`" in line else line
    return _is_tagged(said) or says_private(said, phrases)


def message_is_private(text: str) -> bool:
    """Return whether a message says that it is private. The mere word is no mark: code has it too."""
    if not phrases_in(text, alone=False):
        return False
    prose = "\n".join(text.split("```")[::2])
    return bool(phrases_in(_CODE.sub("", prose), alone=False))


def item_is_private(text: str, tags: Iterable[str]) -> bool:
    """Return whether a memory or an experience is private: by its tags, or because it says so."""
    return any_private_tag(tag.casefold() for tag in tags) or message_is_private(text)


def _is_tagged(line: str) -> bool:
    return "#" in line and any_private_tag(_TAG.findall(line))


def private_lines(
    lines: Sequence[str], headings: Sequence[HeadingLine], skip: Iterable[int], *, whole_sections: bool
) -> frozenset[int]:
    """Return the numbers of the private lines, from 1.

    A heading covers its section, a list item what is nested below it, a line of tags or prose its section. Without
    `whole_sections`, as in a diary, a line of prose covers itself alone. `skip` are lines of code and frontmatter.
    """
    text = "\n".join(lines)
    phrases = phrases_in(text)
    if not phrases and "#" not in text:
        return frozenset()
    left_out = frozenset(skip)
    titles = {line for line, _, _ in headings}
    found: set[int] = set()
    for number, line in enumerate(lines, 1):
        if number in left_out or number in found or not line_is_private(line, phrases):
            continue
        if number in titles or (whole_sections and _speaks_for_section(line)):
            found.update(_section(number, headings, len(lines)))
        else:
            found.update(_item(number, lines))
    return frozenset(found)


def tagged_lines(lines: Sequence[str], skip: Iterable[int]) -> frozenset[int]:
    """Return the lines that a tag marks as private: of files that are written for agents, where words are rules."""
    left_out = frozenset(skip)
    marked = (n for n, line in enumerate(lines, 1) if n not in left_out and _is_tagged(_CODE.sub("", line)))
    return frozenset(number for one in marked for number in _item(one, lines))


def is_hidden(path: str, tags: Iterable[str], patterns: Sequence[str]) -> bool:
    """Return whether the owner's setting names this note: a path, a folder, a pattern, or `#tag`, in any case."""
    small = [tag.casefold() for tag in tags]
    for pattern in patterns:
        if pattern.startswith("#"):
            wanted = pattern.strip("#/").casefold()
            if any(tag == wanted or tag.startswith(f"{wanted}/") for tag in small):
                return True
        elif is_below(ascii_lower(path), ascii_lower(pattern.rstrip("/"))):
            return True
    return False


def _speaks_for_section(line: str) -> bool:
    """Return whether a private line marks what stands around it: tags alone, or a sentence outside of a list."""
    if _ONLY_TAGS.match(line):
        return True
    return not _ITEM.match(line) and not line.lstrip().startswith("|") and says_private(line)


def _section(number: int, headings: Sequence[HeadingLine], last: int) -> range:
    """Return the lines of the section that holds a line, with the sections below it."""
    above = next((one for one in reversed(headings) if one[0] <= number), None)
    if above is None:
        return range(1, last + 1)
    end = next((line for line, level, _ in headings if line > above[0] and level <= above[1]), last + 1)
    return range(above[0], end)


def _item(number: int, lines: Sequence[str]) -> Iterable[int]:
    """Yield a line and, of a list item, the deeper lines that follow it."""
    yield number
    item = _ITEM.match(lines[number - 1])
    if item is None:
        return
    indent = len(item[1].expandtabs(4))
    for following, line in enumerate(lines[number:], number + 1):
        spaced = line.expandtabs(4)
        if line.strip() and len(spaced) - len(spaced.lstrip()) <= indent:
            return
        yield following


def _values(value: object) -> list[str]:
    """Return a field's values in small letters without accents; a list may be nested."""
    if isinstance(value, str):
        return [without_accents(part).strip() for part in re.split(r"[,;]", value) if part.strip()]
    if isinstance(value, list):
        return [one for item in value for one in _values(item)]
    return []


def _is_true(value: object) -> bool:
    return any(one in _TRUE for one in _values(value))
