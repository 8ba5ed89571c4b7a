"""Recognise an error in a text: its type or code, and its message without what differs from run to run.

Two errors are compared by these alone. Every pattern works on one line of bounded length, so that no text is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memoro.model import error_codes, error_phrases
from memoro.model.phrases import compiled
from memoro.model.words import STOP_WORDS

_LINE = 400  # characters of a line that are looked at
_TEXT = 20_000  # characters of the beginning and of the end of a text
_MOST = 6  # signatures of one text
SAME = 0.5  # two errors that agree as much are the same

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
    pasted: bool = True  # False: a sentence tells of it

    @property
    def is_telling(self) -> bool:
        """Return whether there is anything by which it could be recognised."""
        specific = error_codes.specific_codes(self.codes) or error_codes.specific_types(self.types)
        return bool(specific or self.conditions or self.names or self.files or _weight(self.message) >= 1)


@lru_cache(maxsize=512)
def errors_in(text: str) -> tuple[ErrorSignature, ...]:
    """Return the errors that a text shows or, if it shows none, that it says have happened."""
    if len(text) > 2 * _TEXT:
        text = f"{text[:_TEXT]}\n{text[-_TEXT:]}"
    if not _may_hold_error(text):
        return ()
    lines = [plain for line in text.split("\n") if (plain := _plain(line))]
    shown = [found for line in lines if (found := _shown(line)) is not None]
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


def agreement(one: ErrorSignature, other: ErrorSignature) -> float:
    """Return how sure it is that two signatures are of the same error, 0–1.

    Of a code or class that many errors share, the message must agree.
    """
    alike = _alike(one.message, other.message)
    names = _names_overlap(one, other)
    shared = one.codes & other.codes
    if one.codes and other.codes and not shared and error_codes.are_of_one_family(one.codes, other.codes):
        return min(0.3, alike)
    if error_codes.specific_codes(shared):
        return _bounded(_by_code(one, other, alike) - (0.05 if names == 0 else 0))
    kinds = error_codes.specific_types(one.types), error_codes.specific_types(other.types)
    if kinds[0] & kinds[1]:
        return _bounded(_by_type(one, other, alike) - (0.1 if names == 0 else 0))
    score = _by_message(one, other, alike, names)
    if all(kinds):  # two different classes
        score *= 0.6
    if one.tool and other.tool and one.tool != other.tool:
        score *= 0.8
    return _bounded(max(score, _by_condition(one, other, alike, names)))


def best_agreement(some: Iterable[ErrorSignature], others: Iterable[ErrorSignature]) -> float:
    """Return the highest agreement of one of these with one of those."""
    others = list(others)
    return max((agreement(one, other) for one in some for other in others), default=0.0)


def quoted_in(signature: ErrorSignature, text: str) -> float:
    """Return how sure it is that a text quotes the message of an error, as a how-to does, and shows none itself."""
    if any(one.pasted for one in errors_in(text)):
        return 0.0
    best = max((_quoted_in_line(signature, line[: 4 * _LINE]) for line in text.split("\n")), default=0.0)
    lower = text.lower()
    return 0.9 * best * (0.7 if signature.names and not any(name in lower for name in signature.names) else 1.0)


def _quoted_in_line(signature: ErrorSignature, line: str) -> float:
    message, wanted = " ".join(signature.message), frozenset(signature.message)
    weight, best = _weight(wanted), 0.0
    for quote in _quotes(line):
        inner = _words(quote)
        if len(inner) >= 3 and _weight(inner) >= 1 and " ".join(inner) in message:
            best = 0.9
    if weight >= 2:
        for sentence in re.split(r"(?<=[.!?]) ", line):
            share = _weight(wanted.intersection(_words(sentence))) / weight
            best = max(best, share if share >= 0.75 else 0.0)
    return best


# ————— reading


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


def _shown(line: str) -> ErrorSignature | None:
    """Return the error of a line that shows one."""
    lower = line.lower()
    if any(words in lower for words in error_phrases.BOILERPLATE) or compiled(error_phrases.RECIPE).match(line):
        return None
    message = _marked(line, lower)
    named = error_codes.types(line)
    if message is None and named and (found := compiled(_CLASS_LINE, 0).search(line)):
        message = found[2] or found[3] or ""
    found_codes = error_codes.codes(line)
    is_showing = any(words in lower for words in error_phrases.SHOWING)
    if message is None and (is_showing or error_codes.specific_codes(found_codes) or error_codes.reasons(line)):
        # In a sentence it is told, not shown.
        message = line if len(line) < 200 and not _is_sentence(line) else None
    if message is None:
        return None
    made = _signature(line, message, found_codes, named)
    return made if made.is_telling else None


_CLASS_LINE = (
    r"(?:^|[\s.:\\>(\"'`])([A-Z]\w{0,60}(?:Error|Exception|Failure|Fault|Interrupt|Iteration|Timeout|Exit))\b"
    r"(?:: ?(.*)|$|\)$|(?= at |\n))|^(?:panic|goroutine panic): (.*)"
)


def _marked(line: str, lower: str) -> str | None:
    for words, pattern in error_phrases.MARKED:
        if any(word in lower for word in words.split("|")) and (found := compiled(pattern).search(line)):
            return found[1]
    for words, pattern in error_phrases.MARKED_BY_CASE:
        if any(word in line for word in words.split("|")) and (found := compiled(pattern, 0).search(line)):
            return found[1]
    return None


def _is_sentence(line: str) -> bool:
    """Return whether somebody tells this: it has a person, or begins like a sentence."""
    return bool(
        compiled(r"\b(?:i|we|you|my|our|it's|ich|wir|du|mein\w*|unser\w*|je|nous|mon|again|wieder)\b").search(line)
    )


def _told(line: str, *, needs_cue: bool) -> Iterator[ErrorSignature]:
    """Yield what the sentences of a line tell of an error: by code, class, condition or quoted message."""
    if not line:
        return
    for sentence in re.split(r"(?<=[.!?]) ", line):
        if needs_cue and not compiled(error_phrases.CUE).search(sentence):
            continue
        quotes = _quotes(sentence) if compiled(error_phrases.SAYS).search(sentence) else []
        message = next((quote for quote in quotes if len(_words(quote)) >= 2), "")
        named = error_codes.types(sentence) - {"error", "exception", "failure", "timeout", "fault"}
        made = _signature(sentence, message, error_codes.codes(sentence), named)
        made = made._replace(pasted=False, conditions=error_codes.conditions(sentence))
        if made.is_telling and (made.codes or made.types or made.conditions or message):
            yield made


def _signature(line: str, message: str, codes: frozenset[str], types: frozenset[str]) -> ErrorSignature:
    message = message.strip()
    bare = compiled(_ASIDE).sub(" ", message)
    return ErrorSignature(
        line=line[:160],
        message=tuple(_words(_without_quotes(bare))),
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


def _quotes(text: str) -> list[str]:
    return [_inner(found) for found in compiled(_QUOTED).finditer(text)]


def _names(message: str) -> frozenset[str]:
    quoted = [quote.strip().lower() for quote in _quotes(message) if len(quote.split()) <= 3]
    bare = [one for groups in compiled(_NAMED).findall(message.lower()) for one in groups if one]
    return frozenset(name for name in (*quoted, *bare) if _is_name(name) and not _is_place(name))


def _files(message: str) -> frozenset[str]:
    quoted = [quote.strip().lower() for quote in _quotes(message) if _is_place(quote)]
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


def _words(text: str) -> list[str]:
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


# ————— comparing


def _weigh(word: str) -> float:
    return (
        0.0
        if word in STOP_WORDS and word not in ("not", "no")
        else 0.4
        if word in error_phrases.COMMON or len(word) < 3
        else 1.0
    )


def _weight(words: Iterable[str]) -> float:
    return sum(map(_weigh, words))


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how alike two messages are: the weight of the words that both have."""
    first, second = frozenset(one), frozenset(other)
    both, sizes = _weight(first & second), (_weight(first), _weight(second))
    if not both or not min(sizes):
        return 0.0
    dice, contained = 2 * both / sum(sizes), both / min(sizes)
    if min(sizes) < 2:  # a word or two are contained in much
        return dice * min(1.0, 0.5 + min(sizes) / 4)
    return 0.5 * dice + 0.5 * contained


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other))


def _by_code(one: ErrorSignature, other: ErrorSignature, alike: float) -> float:
    both_have_messages = _weight(one.message) >= 2 and _weight(other.message) >= 2
    return 0.65 + 0.35 * alike if both_have_messages else 0.75 + 0.25 * alike


def _by_type(one: ErrorSignature, other: ErrorSignature, alike: float) -> float:
    both_have_messages = _weight(one.message) >= 2 and _weight(other.message) >= 2
    return 0.35 + 0.6 * alike if both_have_messages else 0.6 + 0.35 * alike


def _by_message(one: ErrorSignature, other: ErrorSignature, alike: float, names: float | None) -> float:
    """Score two errors that no specific code or class tells apart: by message, and by what it names."""
    same_kind = bool(one.types & other.types or one.codes & other.codes)
    shared = _weight(frozenset(one.message) & frozenset(other.message))
    if same_kind and names and (not one.message or not other.message or shared >= 1):
        return 0.6 + 0.3 * alike
    if shared < 1:
        return 0.0
    score = 0.85 * alike * min(1.0, 0.6 + 0.15 * shared)
    if names is None:
        return score
    return score + 0.2 if names else 0.55 * score


def _by_condition(one: ErrorSignature, other: ErrorSignature, alike: float, names: float | None) -> float:
    shared = one.conditions & other.conditions
    if not shared:
        return 0.0
    base = 0.5 if shared & error_codes.DISTINCTIVE else 0.3
    return base + 0.25 * alike + (0.15 if names else -0.15 if names == 0 else 0.0)


def _names_overlap(one: ErrorSignature, other: ErrorSignature) -> float | None:
    """Return how far two errors name the same; None if one names nothing. Files lie elsewhere each time, and may."""
    if one.names and other.names:
        return _overlap(one.names, other.names)
    if one.files & other.files:
        return 1.0
    needs_file = "no such file" in one.conditions and "no such file" in other.conditions
    return 0.0 if needs_file and one.files and other.files else None


def _bounded(score: float) -> float:
    return max(0.0, min(1.0, score))
