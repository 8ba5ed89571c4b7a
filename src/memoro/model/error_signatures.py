"""Recognise an error in a text: its type or code, and its message without what differs from run to run.

Two errors are compared by these alone. Every pattern works on one line of bounded length, so that no text is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoro.model import error_codes, error_phrases
from memoro.model.error_phrases import weight
from memoro.model.phrases import compiled
from memoro.model.remembered import remembered

_LINE = 400  # characters of a line that are looked at
_TEXT = 10_000  # characters of the beginning and of the end of a text
_MOST = 6  # signatures of one text

_QUOTED = (
    r"`([^`'\n]{2,160})['`]|\"([^\"\n]{2,160})\"|(?<!\w)'([^'\n]{2,160})'|[“„»]([^”“«\n]{2,160})[”“«]"
    r"|‘([^’\n]{2,160})’"
)
_NAMED = (  # names without quotation marks
    r"([\w.+-]{2,60}): (?:command )?not found$|(?:not found|undefined|reference|symbol|module"
    r"|introuvable): ([\w.$@-]{2,80})"
)

_ANSI = r"\x1b\[[\d;]{0,12}[A-Za-z]"
_ASIDE = (  # what differs from run to run, with what of it may tell two errors apart
    r"\b[a-z][a-z0-9+.-]{1,12}://[^\s\"'<>)]{1,300}"  # an address
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?)?z?\b"
    r"|\b0x[0-9a-f]{1,16}\b"
    r"|(?<![\w/\\.~@-])(?:[a-z]:)?[\w.~@$+-]{0,80}(?:[/\\][\w.~@$+-]{0,80}){1,30}(?::\d{1,7}){0,2}"  # a path
    r"|\b[\w-]{1,60}\.[a-z][a-z0-9]{0,5}:\d{1,7}(?::\d{1,7})?"  # a file with its line
)
_WORD = r"[^\W\d_]+(?:['’][a-z]+)?"
_CODE_WORD = r"\b[a-z]*\d[\w]*\b"


class ErrorSignature(NamedTuple):
    """One error, as far as it can be recognised again."""

    line: str  # as it stands in the text, shortened
    message: tuple[str, ...]  # its words in order; paths, numbers, ids, dates and quoted names are left out
    names: frozenset[str] = frozenset()  # what it quotes
    files: frozenset[str] = frozenset()  # the names of files, without their folders
    codes: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()
    tool: str = ""
    place: str = ""  # the class or function in which it was raised, where the next line tells it
    pasted: bool = True  # False: a sentence tells of it

    @property
    def is_telling(self) -> bool:
        """Return whether there is anything by which it could be recognised."""
        specific = error_codes.specific_codes(self.codes) or error_codes.specific_types(self.types)
        return bool(specific or self.conditions or self.names or self.files or weight(self.message) >= 1)


@remembered(512)
def errors_in(text: str) -> tuple[ErrorSignature, ...]:
    """Return the errors that a text shows or, if it shows none, that it says have happened."""
    if len(text) > 2 * _TEXT:
        text = f"{text[:_TEXT]}\n{text[-_TEXT:]}"
    if not _may_hold_error(text):
        return ()
    lines = [plain for line in text.split("\n") if (plain := _plain(line))]
    shown = [found for line, after in zip(lines, [*lines[1:], ""], strict=True) if (found := _shown(line, after))]
    if shown:
        return _distinct(_with_tool(shown, _tool_of(lines)))
    return _distinct(found for line in lines for found in _told(line, needs_cue=True))


def errors_named(text: str) -> tuple[ErrorSignature, ...]:
    """Return the errors that a text shows or names, also where it does not say that they happened: a how-to."""
    shown = errors_in(text)
    if any(one.pasted for one in shown):
        return shown
    return _distinct(
        [*shown, *(found for line in text.split("\n") for found in _told(_plain(line), needs_cue=False))]
    )


@remembered(512)
def only_shows_error(text: str) -> bool:
    """Return whether a text is nothing but a pasted error: its trace and its messages, no word of a person."""
    if not any(one.pasted for one in errors_in(text)):
        return False
    lines = [plain for line in text.split("\n") if (plain := _plain(line)) and not plain.startswith("```")]
    return all(
        compiled(_OF_TRACE, 0).match(line)
        or compiled(_BEGINS_ERROR, 0).match(line)
        or compiled(_SOURCE_FOLLOWS, 0).match(before)
        or any(words in line.lower() for words in error_phrases.BOILERPLATE)
        for before, line in zip(["", *lines], lines, strict=False)
    )


def _may_hold_error(text: str) -> bool:
    lower = text.lower()
    return (
        any(hint in lower for hint in error_phrases.HINTS)
        or lower.startswith("! ")
        or "\n! " in lower
        or "\ne: " in lower
    )


def _plain(line: str) -> str:
    line = line[:_LINE]
    if "\x1b" in line:
        line = compiled(_ANSI).sub("", line)
    return line.strip(" \t\r│╷╵┃|>•")


def _shown(line: str, after: str) -> ErrorSignature | None:
    """Return the error of a line that shows one. Its message may follow in the next line, or the place."""
    lower = line.lower()
    if any(words in lower for words in error_phrases.BOILERPLATE) or compiled(error_phrases.RECIPE).match(line):
        return None
    named, found_codes = error_codes.types(line), error_codes.codes(line)
    message = _marked(line, lower)
    if message is None and named and (found := compiled(_CLASS_LINE, 0).search(line)):
        message = found[2] or found[3] or ""
    if message is None and (error_codes.specific_codes(found_codes) or error_codes.reasons(line)):
        message = line if not _is_sentence(line) else None
    if message is None and any(words in lower for words in error_phrases.SHOWING):
        message = _unmarked(line)
    if message is None:
        return None
    if not message.strip() and line.endswith(":"):
        message = after
    place = compiled(_FRAME, 0).match(after)
    made = _signature(line, message, found_codes, named)._replace(place=_class_of(place[1]) if place else "")
    return made if made.is_telling else None


def _unmarked(line: str) -> str | None:
    """Return the message of a line without a word such as "error"; None where somebody tells it in a sentence."""
    if not _is_sentence(line):
        return line
    told, _, rest = line.partition(": ")
    is_shown = any(words in rest.lower() for words in error_phrases.SHOWING)
    return rest if told and is_shown and not _is_sentence(rest) else None


def _class_of(frame: str) -> str:
    """Return the class of a frame, else its function: lines move, and methods call each other."""
    parts = re.split(r"\.|::", frame.lower())
    return parts[-2] if len(parts) > 1 else parts[0]


# The lines of a trace beside its messages, and how a line begins that is nothing but a message.
_OF_TRACE = (
    r"(?:File \"[^\"]*\", line \d|at [\w$.<]|Caused by: |\.{3} \d+ more|goroutine \d|\d+: |-+> |#\d+ |[~^ ]+$"
    r"|Traceback \(most recent)"
)
_SOURCE_FOLLOWS = r"File \"[^\"]*\", line \d"
_BEGINS_ERROR = (
    r"(?:[\w.:]*(?:Error|Exception|Failure|Fault|Interrupt|Timeout)\b|(?i:error|fatal|panic|npm err!|abort)\b.*?:)"
)

# The first line of a stack below the message: JavaScript, Java, C#.
_FRAME = r"^(?:at )?(?!Object\b|new |async )([A-Za-z_$][\w$]{0,60}(?:(?:\.|::)[\w$<>]{1,60}){0,8}) ?\("
_CLASS_LINE = (
    r"(?:^|[\s.:\\>(\"'`])([A-Z]\w{0,60}(?:Error|Exception|Failure|Fault|Interrupt|Iteration|Timeout|Exit))\b"
    r"(?:: ?(.*)|$|\)$|(?= at |\n))|^(?:panic|goroutine panic): (.*)"
)


def _marked(line: str, lower: str) -> str | None:
    """Return the message after the first word that marks one."""
    found = [
        match
        for words, pattern in error_phrases.MARKED
        if any(word in lower for word in words.split("|")) and (match := compiled(pattern).search(line))
    ]
    found += [
        match
        for words, pattern in error_phrases.MARKED_BY_CASE
        if any(word in line for word in words.split("|")) and (match := compiled(pattern, 0).search(line))
    ]
    return min(found, key=lambda match: match.start(1))[1] if found else None


def _is_sentence(line: str) -> bool:
    """Return whether somebody tells, asks or orders this: it has a person, or begins like a sentence."""
    return line.endswith("?") or compiled(error_phrases.SENTENCE).search(line) is not None


def _told(line: str, *, needs_cue: bool) -> Iterator[ErrorSignature]:
    """Yield what the sentences of a line tell of an error: by code, class, condition, kind or quoted message."""
    if not line:
        return
    for sentence in re.split(r"(?<=[.!?]) ", line):
        if needs_cue and not compiled(error_phrases.CUE).search(sentence):
            continue
        quoted = quotes(sentence) if compiled(error_phrases.SAYS).search(sentence) else []
        message = next((quote for quote in quoted if len(words_of(quote)) >= 2), "")
        named = error_codes.types(sentence) - {"error", "exception", "failure", "timeout", "fault"}
        happens = not needs_cue or compiled(error_phrases.HAPPENS).search(sentence) is not None
        kind = compiled(error_phrases.KIND).search(sentence) if happens and not message else None
        made = _signature(sentence, kind[1] if kind else message, error_codes.codes(sentence), named)
        conditions = error_codes.conditions(sentence) if happens else frozenset[str]()
        made = made._replace(pasted=False, conditions=conditions)
        if made.is_telling and (made.codes or made.types or made.conditions or made.message):
            yield made


def _signature(line: str, message: str, codes: frozenset[str], types: frozenset[str]) -> ErrorSignature:
    message = message.strip()
    bare = compiled(_ASIDE).sub(" ", message)
    return ErrorSignature(
        line=line[:160],
        message=tuple(words_of(_without_quotes(bare))),
        names=_names(message),
        files=_files(message),
        codes=codes,
        types=types,
        conditions=error_codes.conditions(line),
        tool=_tool_of([line]),
    )


def _without_quotes(text: str) -> str:
    """Leave quoted names aside; a quotation of several words belongs to the message."""
    return compiled(_QUOTED).sub(lambda found: found[0] if len(_inner(found).split()) > 3 else " ", text)


def _inner(found: re.Match[str]) -> str:
    return next((group for group in found.groups() if group), "")


def quotes(text: str) -> list[str]:
    return [_inner(found) for found in compiled(_QUOTED).finditer(text)]


def _names(message: str) -> frozenset[str]:
    quoted = [quote.strip().lower() for quote in quotes(message) if len(quote.split()) <= 3]
    bare = [one for groups in compiled(_NAMED).findall(message.lower()) for one in groups if one]
    return frozenset(name for name in (*quoted, *bare) if _is_name(name) and not _is_place(name))


def _files(message: str) -> frozenset[str]:
    quoted = [quote.strip().lower() for quote in quotes(message) if _is_place(quote)]
    places = [found for found in compiled(_ASIDE).findall(message.lower()) if _is_place(found)]
    found = (
        re.split(r"[/\\]", re.sub(r"(?::\d+){1,2}$", "", place).rstrip("/\\"))[-1] for place in (*quoted, *places)
    )
    return frozenset(name for name in found if _is_name(name))


def _is_place(name: str) -> bool:
    """Return whether a name is a path or an address, or that of a file."""
    return "/" in name or "\\" in name or "@" in name or compiled(r"\.[a-z][a-z0-9]{0,5}$").search(name) is not None


def _is_name(name: str) -> bool:
    return len(name) > 1 and compiled(r"[\d.:x-]+").fullmatch(name) is None


def words_of(text: str) -> list[str]:
    bare = compiled(_CODE_WORD).sub(" ", compiled(_ASIDE).sub(" ", text.lower()))
    return [word for word in compiled(_WORD).findall(bare) if len(word) > 1]


def _tool_of(lines: Sequence[str]) -> str:
    """Return the program that the first of these lines names."""
    for line in lines[:8]:
        for word in compiled(r"[a-z]+").findall(line[:120].lower()):
            if word in error_phrases.TOOLS and len(word) > 1 and word not in ("go", "make", "node", "pod", "az"):
                return str(word)
    return ""


def _with_tool(found: Sequence[ErrorSignature], tool: str) -> list[ErrorSignature]:
    return [one if one.tool else one._replace(tool=tool) for one in found]


def _distinct(found: Iterable[ErrorSignature]) -> tuple[ErrorSignature, ...]:
    """Return the different ones: the first few and the last, where a trace says what was the matter."""
    kept: dict[tuple[object, ...], ErrorSignature] = {}
    for one in found:
        kept.setdefault((one.message, one.names, one.codes, one.types), one)
    all_ = list(kept.values())
    return tuple(all_ if len(all_) <= _MOST else [*all_[: _MOST - 2], *all_[-2:]])
