"""The forms of names in a text: capitalised words, compounds, and the words by which a speaker names themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from memoro.model.remembered import remembered
from memoro.model.words import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SEPARATORS = "-./@_"
_WORD = re.compile(r"\w+(?:[-./@]\w+)*")  # compounds whole
_MAY_BE_UPPER = re.compile("[\xc0-\u052f]")  # outside ASCII
_PARTICLES = r"(?:(?:von|van|de|der|den|du|da|di|la|le|al|bin|zu) ){0,2}"
# A sentence seldom begins with a small letter, unless with the name of a thing that is written so.
_SMALL_NAME = re.compile(
    r"([a-z][^\W_]+(?:[-_.][^\W_]+)*)(?:['’]s)? "
    r"(?:is|was|has|had|uses|used|runs|keeps|needs|listens|moved|switched|will|can|does|left|now|no longer"
    r"|belongs|ships|depends|talks|stores|supports|got|gets|goes|ist|hat|nutzt|läuft|wird|liegt|braucht)\b"
)
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?\n])[\s\-*•#>|]*(?:\d{1,2}:\d\d )?$")
_IS_TOLD_OF = re.compile(r"['’]s?\b|,? [^\W\d_A-Z]| [&+]")  # what follows a name that a sentence begins with
_LOOKED_BACK = 24  # characters before a name that show whether a sentence begins with it
# A compound with one of these ends is an adjective or a common noun: "art-related", "long-term", "sister-in-law".
_ORDINARY = re.compile(
    r"-(?:\w+ed|\w+ing|\w+ly|free|friendly|like|style|level|time|term|wide|specific|ish|up|down|in|out|off|on|to|of|law"
    r"|end|old|year|day|long|size|made|profit|mail|worker)(?:-|$)|^(?:non|pre|post|self|co|ex|re|semi|anti|multi)-"
)
# Each begins with a letter that few words begin with, so that a search takes a quarter of the time.
_OWN = re.compile(
    r"[imouw](?<!\w.)(?<!\w['’-].)(?:(?<=i)(?:['’](?:m|ve|d|ll)|ch)?|(?<=m)(?:e|y|ine|yself|ich|ir|ein(?:e[nmrs]?)?)"
    r"|(?<=o)ur(?:s|selves)?|(?<=u)(?:s|ns(?:er\w{0,2})?)|(?<=w)(?:e(?:['’](?:re|ve|d|ll))?|ir))(?![\w-]|['’]\w)"
)
_YOURS = re.compile(r"[dy](?<!\w.)(?:(?<=d)(?:u|ich|ir|ein(?:e[nmrs]?)?)|(?<=y)ou(?:r|rs|rself|['’]\w+)?)(?![\w-])")
_MINE = re.compile(r"(?i)\b(?:my|mine|mein(?:e[nmrs]?)?)\b")
_ENGLISH = re.compile(
    r"\b(?:the|is|are|do|did|does|have|had|am|was|to|of|what|where|when|how|which|who|can|for|it)\b"
)
_HERE = re.compile(
    r"(?i)(?<![\w-])(?:th(?:is|e current) (?:project|repo|repository|codebase|code base|app|package|library|service)"
    r"|here|we|our|ours|us|dies(?:es|em|er) (?:projekts?|repo|repository|codebasis|app)"
    r"|hier|wir|uns(?:er\w{0,2})?)(?![\w-])"
)
_GERMAN = _words(
    "der die das den dem des ein eine einen einem einer und ist sind war wer wo wie was wann welche welcher welches "
    "hat haben nicht für mit von im am zum zur auf ich wir mein unser wird läuft "
    "diese dieses diesem dieser unsere nutzt"
)
# Capitalised, and no name of anything that a text is about; or a word that begins a sentence before a name.
NO_NAMES = (
    STOP_WORDS
    | _GERMAN
    | _words(
        "january february march april may june july august september october november december monday tuesday "
        "wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober dezember montag "
        "dienstag mittwoch donnerstag freitag samstag sonntag hey hi hello thanks yes ok okay please dear well wow "
        "great remember user assistant today yesterday tomorrow herr frau mr mrs ms dr prof"
    )
)


def runs(text: str) -> Iterator[re.Match[str]]:
    """Yield the capitalised words in a row, such as "Anna van der Berg"."""
    return _run(is_ascii=text.isascii() or not _MAY_BE_UPPER.search(text)).finditer(text)


@cache
def _run(*, is_ascii: bool) -> re.Pattern[str]:
    """The pattern of capitalised words in a row. That for all letters takes several times as long to compile."""
    upper = "A-Z" if is_ascii else "".join(chr(code) for code in range(0x41, 0x530) if chr(code).isupper())
    capital = rf"[{upper}](?<![\w@./'’-].)[^\W\d_]+(?:-[{upper}][^\W\d_]+)*(?![\w@]|[-./]\w)"
    return re.compile(rf"{capital}(?: (?:{_PARTICLES}{capital}|[{upper}]\.?(?!\w)))*")


def place_of(name: str, text: str) -> int | None:
    """Return where a name stands by itself or with a genitive's s, and not within a longer word or compound."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        end += text.startswith("s", end)
        if _is_edge(text[max(0, start - 2) : start][::-1]) and _is_edge(text[end : end + 2]):
            return start
        start = text.find(name, start + 1)
    return None


def _is_edge(beyond: str) -> bool:
    """Return whether a name ends before these two characters."""
    if not beyond:
        return True
    if beyond[0] in _SEPARATORS:
        return beyond[0] != "_" and not beyond[1:].isalnum()
    return not beyond[0].isalnum()


@remembered(2048)  # one search after another meets the same passages
def full_names(text: str) -> tuple[str, ...]:
    """Return the names of several words that a sentence begins with, and tells something of."""
    return tuple(
        " ".join(words).lower()
        for run in runs(text)
        if len(words := name_words(run[0]) if " " in run[0] else []) > 1
        and is_initial(text, run, words)
        and _IS_TOLD_OF.match(text, run.end())
    )


def small_name(text: str) -> str | None:
    """Return the name in small letters that a text begins with, if it tells something of it: "harbor uses MySQL"."""
    found = _SMALL_NAME.match(text)
    return None if found is None or found[1] in NO_NAMES else found[1].replace("_", "-")


def name_words(run: str) -> list[str]:
    """Return the words of a run that make a name: without abbreviations, titles and the beginning of a sentence."""
    words = [word for part in run.split(" ") if len(word := part.rstrip(".")) == 1 or not word.isupper()]
    while words and words[0].lower() in NO_NAMES:
        words = words[1:]
    while words and words[-1].lower() in NO_NAMES:
        words = words[:-1]
    return words


def is_initial(text: str, run: re.Match[str], words: list[str]) -> bool:
    """Return whether a name begins a sentence, where any word is capitalised."""
    return bool(words) and run[0].startswith(words[0]) and _begins_at(text, run.start())


def _begins_at(text: str, place: int) -> bool:
    begins = _STARTS_SENTENCE.search(text[max(0, place - _LOOKED_BACK) : place])
    return begins is not None and (begins.start() > 0 or begins[0] != "" or place == 0 or place > _LOOKED_BACK)


def is_told_of(name: str, text: str) -> bool:
    """Return whether a sentence begins with this name, and tells something of it."""
    place = place_of(name, text.lower())
    if place is None or not _begins_at(text, place) or not _IS_TOLD_OF.match(text, place + len(name)):
        return False
    return text[place].isupper() or not name.isalnum()


def names_with(parts: frozenset[str], text: str) -> Iterator[str]:
    """Yield the names in a text that hold a word which is known as a part of one."""
    for run in runs(text):
        words = [word.lower() for word in name_words(run[0])]
        if len(words) == 1:
            if part := without_s(words[0], parts):
                yield part
        elif not parts.isdisjoint(words):
            yield " ".join(words)


def compounds(text: str) -> Iterator[str]:
    """Yield the names in a text that are joined by hyphens, dots, underscores or slashes."""
    for word in _WORD.findall(text):
        if word.isalnum() or not word[0].isalpha() or not re.search(r"[-./@_]\w*[^\W\d_]{2}", word):
            continue
        if not (word.islower() and _ORDINARY.search(word)):
            yield word.lower().replace("_", "-")


def is_surely_name(name: str) -> bool:
    """Return whether the form alone tells a name: of several words, or no ordinary word."""
    return " " in name or not name.replace("-", "").isalpha()


def capitalises_nouns(text: str) -> bool:
    """Return whether a text is German, where a capitalised word need not be a name."""
    return not _GERMAN.isdisjoint(text.lower().split())


def is_english(text: str) -> bool:
    """Return whether a text is an English sentence, where a capitalised word is no noun but a name."""
    return not capitalises_nouns(text) and _ENGLISH.search(text.lower()) is not None


def means_project(query: str) -> bool:
    """Return whether a query says "this project", "here" or "we"."""
    return _HERE.search(query) is not None


def names_what_is_mine(text: str) -> bool:
    return _MINE.search(text) is not None


def is_first_person(text: str) -> bool:
    lower = text.lower()
    found = _OWN.search(lower)
    if found is None:
        return False
    if found[0] == "i":  # elsewhere than in English another word
        return text[found.start()] == "I" or _ENGLISH.search(lower) is not None
    return found[0] != "us" or text[found.start()] == "u" or _OWN.search(lower, found.end()) is not None


def is_second_person(text: str) -> bool:
    return _YOURS.search(text.lower()) is not None


def is_own_word(word: str) -> bool:
    """Return whether a word is one by which a speaker names themselves: "my", "we"."""
    return _OWN.fullmatch(word) is not None


def without_s(word: str, among: Iterable[str]) -> str | None:
    """Return the word, or the word without a genitive's s, if it is one of these."""
    if word in among:
        return word
    return word[:-1] if word.endswith("s") and word[:-1] in among else None
