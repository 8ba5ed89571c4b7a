"""Messages about the work itself: "where were we?", "what's still open here?", "what did we do yesterday?".

Each of these questions is the whole message: "where were we going to store the images" is none of them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.model import continuity_words as words
from memoro.model import happened_words as happened
from memoro.model.phrases import compiled
from memoro.model.time_hints import may_name_time, may_speak_of_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoro.model.asked_time import AskedTime

_LONGEST = 160  # characters; a longer message says more than that
_MOST_LIMIT = 60  # characters of a topic

_OPENING = (
    rf"(?:(?:{words.GREETINGS}){words.ADDRESSED}|{words.INTRODUCTIONS})(?:[\s,.!:;–—-]+|(?=[\u3040-\u9fff]))"
    r"|\w+[,!] (?=(?:where|what|wo|was) )"
)
_END = rf"[\s,]+(?:{words.HERE})\Z"
_LIMIT = rf"\s+(?:(?P<until>{words.UNTIL})|(?P<about>{words.ABOUT}))\s+"
_OWN = (
    r"(?:this|our|my|dies\w*|unser\w*|mein\w*|ce|cette|notre|este|esta|nuestr\w+|noss\w+|quest\w+|nostr\w+|dit|deze"
    r"|onze)\s"
)
_ARTICLE = r"(?:the|der|dem|den|die|das|le|la|el|o|a|il|de|het)\s+"
_MARKS = " ?!.,;:…¿¡？。！、~"
_WORD = r"[^\W_]+"
_TABLES: tuple[tuple[Literal["where", "open"], tuple[tuple[str, str], ...]], ...] = (
    ("open", words.WHAT_IS_OPEN),
    ("where", words.WHERE_WE_WERE),
)
_ANY_DAY = date(2026, 6, 17)  # whether a message names a time does not depend on the day on which it is said


class ContinuityQuestion(NamedTuple):
    """What a message asks about the work itself."""

    asks: Literal["where", "open"]  # where the work was left, or what is left to do
    topic: str = ""  # what it is limited to, such as "the ledger"
    until: str = ""  # the time or event before which something is to be done


def continuity_question(text: str) -> ContinuityQuestion | None:
    """Return what the message asks about the work itself; None if it says anything else."""
    said = without_opening(text)
    if not said or len(said) > _LONGEST:
        return None
    lowered = said.lower()
    for asks, table in _TABLES:
        likely = [pattern for hints, pattern in table if any(hint in lowered for hint in hints.split("|"))]
        for limited in _limited(said) if likely else ():
            if asks == "open" and any(map(str.isdigit, limited.topic)):
                continue  # "what is open on port 8080" asks about something else
            if any(compiled(pattern).fullmatch(limited.question) for pattern in likely):
                return ContinuityQuestion(asks, limited.topic, limited.until)
    return None


def asks_where_we_were(text: str) -> bool:
    """Return whether the message asks for nothing but where the work was left."""
    found = continuity_question(text)
    return found is not None and found.asks == "where"


def asks_what_is_open(text: str) -> bool:
    """Return whether the message asks for nothing but what is left to do."""
    found = continuity_question(text)
    return found is not None and found.asks == "open"


def asks_what_happened(text: str) -> bool:
    """Return whether the message asks for nothing but what happened in the project at a time."""
    return happened_when(text, _ANY_DAY) is not None


def happened_when(text: str, today: date) -> AskedTime | None:
    """Return the time of which the message asks what happened, and nothing else; an event is not dated yet."""
    said = without_opening(text)
    if len(said) > _LONGEST or not _may_ask_what_happened(said):
        return None
    said = _with_english_times(said)
    if not (may_name_time(said) or may_speak_of_before(said)) or continuity_question(text) is not None:
        return None
    from memoro.model.asked_time import asked_time  # patterns and all: seldom needed

    when = asked_time(said, today)
    if when is None or when.relation not in ("in", "before", "after") or when.span.first > today:
        return None
    return when if _asks_for_whatever(when.rest) else None


def _with_english_times(said: str) -> str:
    lowered = said.lower()
    for hints, pattern, english in happened.TIMES:
        if any(hint in lowered for hint in hints.split("|")):
            said = compiled(pattern).sub(f" {english} ", said)
    return compiled(happened.WEEKDAY).sub(r"\g<0>last ", said) if "day" in lowered or "tag" in lowered else said


def _may_ask_what_happened(said: str) -> bool:
    """Return whether it is worth looking for a time: this compiles no pattern of times."""
    if any(character in said for character in "什啥些"):
        return True
    found = compiled(_WORD).findall(said.lower())
    return not happened.ASKS.isdisjoint(found[:3]) and not happened.HAPPENED.isdisjoint(found)


def _asks_for_whatever(rest: str) -> bool:
    """Return whether the words beside a time ask for whatever happened, and name nothing to look for."""
    found = compiled(_WORD).findall(rest.lower())
    if len(found) == 1 and compiled(happened.CHINESE).fullmatch(found[0]):
        return True
    return (
        not happened.ASKS.isdisjoint(found[:3])
        and not happened.HAPPENED.isdisjoint(found)
        and set(found) <= happened.ASKS | happened.HAPPENED | happened.BESIDE
    )


class _Limited(NamedTuple):
    question: str
    topic: str = ""
    until: str = ""


def _limited(said: str) -> Iterator[_Limited]:
    """Yield the question as it is, and with each way to take its end for a limit; the longest question first."""
    yield from map(_Limited, _without_places(said))
    for found in reversed(list(compiled(_LIMIT).finditer(said))):
        limit = compiled(_ARTICLE).sub("", said[found.end() :], count=1).strip()
        if not limit or len(limit) > _MOST_LIMIT:
            continue
        if compiled(_OWN).match(said, found.end()):
            limit = ""  # "on this branch": the project is meant
        for question in _without_places(said[: found.start()]):
            yield _Limited(question, until=limit) if found["until"] else _Limited(question, topic=limit)


def _without_places(said: str) -> Iterator[str]:
    """Yield the question as it is, and without each of the words such as "here" at its end."""
    yield said
    while found := compiled(_END).search(said):
        said = said[: found.start()]
        yield said


def without_opening(text: str) -> str:
    """Return the message without greetings, introductions and the marks around it."""
    said = " ".join(text.replace("’", "'").split()).strip(_MARKS)
    if len(said) > 2 * _LONGEST:
        return said
    while _may_open(said) and (found := compiled(_OPENING).match(said)) and found.end() < len(said):
        said = said[found.end() :].lstrip(" ,.!:;–—-¿¡")
    return said


def _may_open(said: str) -> bool:
    """Return whether the first word may open a message: this is faster than to compile the pattern."""
    first = said.split(" ", 1)[0]
    return first[-1:] in ",!" or not first.isascii() or first.rstrip(".:;–—-").lower() in words.OPENING_WORDS
