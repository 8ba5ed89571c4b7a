"""The kind of thing that a question asks for, such as a time or a person, and whether a text holds one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from memoro.model.attributes import is_cue, split
from memoro.model.phrases import Phrases, compiled
from memoro.model.words import STOP_WORDS

AnswerKind = Literal["number", "money", "time", "place", "person"]

_WHICH = r"(?:what|which|welche[nmrs]?)"
# The first of these words decides: after "what", a "when" or "who" joins sentences and asks for nothing.
_QUESTION = Phrases(
    (
        "how much|how exp|what price|wie|was kostet",
        r"\b(?P<money>how much|how expensive|what price|wie ?viel (?:kost|geld|zahl|verdien)\w*|wie teuer"
        r"|was kostet)\b",
    ),
    (
        "how |what number|wie",
        r"\b(?P<number>how (?:many|long|old|often|far|big|large|tall|high)|what number|wie ?viele?"
        r"|wie (?:alt|oft|lange|groß|weit))\b",
    ),
    ("when|wann", r"\b(?P<time>when|wann|(?:until|since) when|(?:bis|seit) wann)\b"),
    (
        "wh|welche",
        rf"\b(?P<time>{_WHICH} (?:day|date|month|year|time|week|tag|datum|monat|jahr|uhrzeit))\b",
    ),
    ("where|wo", r"\b(?P<place>where|whereabouts|wohin|woher|wo)\b"),
    (
        "wh|welche",
        rf"\b(?P<place>{_WHICH} "
        r"(?:city|town|country|place|street|region|room|floor|village|stadt|land|ort|straße|raum))\b",
    ),
    (
        "who|wer|wen|wem|wessen",
        r"\b(?P<person>who|whom|whose|wer|wen|wem|wessen)\b",
    ),
    ("wh|welche", rf"\b(?P<person>{_WHICH} (?:person|colleague|people|kollege|kollegin))\b"),
    ("wh|how|was|welche|warum|wie", r"\b(?P<other>what|which|why|how|was|welche[nmrs]?|warum|wieso|wie)\b"),
)
# A question for a way to do something, or for what was learned: experiences answer it.
_PROCEDURE = Phrases(
    ("how ", r"\bhow (?:do|did|can|could|should|would|to|have|was|were)\b"),
    (
        "what ",
        r"\b(?:what (?:did|do|should|can|could) (?:i|we|you) (?:do|try)|what to do|what is the (?:best )?way"
        r"|what (?:works|worked|helps|helped|fixe[sd]|solve[sd]|cause[sd]|went wrong|happens|happened))\b",
    ),
    (
        "steps|lesson|experience|recipe|procedure|workaround",
        r"\b(?:(?:which|what) steps|lessons?|experiences?|recipe|procedure|workaround)\b",
    ),
    ("wie |was ", r"\b(?:wie (?:hab|mach|kann|soll|geh)\w*|was tun|was hilft|was half)\b"),
)
# Words are looked up in sets and forms in patterns: a pattern of many words takes ten times as long.
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTHS += "|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DAYS += "|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag"
_WEEKDAYS = frozenset(_DAYS.lower().split("|"))
_CALENDAR = _WEEKDAYS | frozenset(_MONTHS.lower().split("|"))
_NUMBER_NAMES = """
    one two three four five six seven eight nine ten eleven twelve dozen once twice several couple half
    hundred thousand zwei drei vier fünf sechs sieben acht neun zehn elf zwölf einmal zweimal hundert tausend
"""
_NUMBERS = frozenset(_NUMBER_NAMES.split())
_TIME_NAMES = """
    yesterday today tomorrow tonight noon midnight weekend week weeks month months year years ago since last
    next quarter daily weekly monthly yearly fortnight morning evening afternoon gestern heute morgen woche
    wochen monat monate jahr jahre jahren seit täglich wöchentlich monatlich
"""
_TIMES = frozenset(_TIME_NAMES.split()) | _WEEKDAYS | {f"{day}s" for day in _WEEKDAYS}
# Nouns that are a place after "in the", "on the", "at the", "near the".
_PLACE_NOUNS = """
    floor street road shelf desk table wall roof corner coast river island drive server top left right ground
    balcony drawer cupboard fridge garage cellar basement attic kitchen office house building hall room park
    station shop store school hospital library harbor harbour beach lake forest mountain mountains village
    town city centre center campus church neighborhood neighbourhood market bridge airport folder directory
    wiki repo repository channel vault cloud country countryside
"""
_PLACES = frozenset(_PLACE_NOUNS.split())
_RELATIVE_NOUNS = """
    mother father mum mom dad parent parents sister brother son daughter wife husband partner boyfriend
    girlfriend fiancé fiancée boss manager colleague friend aunt uncle cousin grandmother grandfather grandma
    grandpa neighbor neighbour teacher doctor roommate flatmate mutter vater schwester bruder frau mann chef
    chefin kollege kollegin freund freundin
"""
_RELATIVES = frozenset(_RELATIVE_NOUNS.split())
_MONTH = rf"\b(?:{_MONTHS})\b"
_SEASON_OR_HOUR = (
    rf"\bin (?:spring|summer|autumn|winter)\b|\bat (?:lunch|{'|'.join(sorted(_NUMBERS))})\b"
    r"|\bevery (?:other )?(?:day|night|hour|second)\b"
)
_TIME_IN_DIGITS = (
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2} ?(?:[ap]m|uhr|o'clock)|\d{1,2}(?:st|nd|rd|th)|q[1-4]|at \d{1,2})\b"
    r"|\b\d{1,2}\. ?\d{1,2}\."
)
_DIGIT = re.compile(r"\b\d")
_CAPITAL = re.compile(r"(?<= )[A-ZÄÖÜ]\w+")
_BEFORE_NAME = {"in", "at", "from", "to", "near", "into", "around", "on", "nach", "aus", "bei", "under"}
_BEFORE_NOUN = {*_BEFORE_NAME, "by", "behind", "above", "below", "beside", "inside", "outside", "opposite", "next"}
_BETWEEN = 3  # words between a preposition and the noun: "on the second floor"
_PLAIN_PLACE = (
    " at home",
    " at work",
    " at school",
    "abroad",
    "upstairs",
    "downstairs",
    " im ",
    " in der ",
    " auf der ",
)
_PLACE_IN_SIGNS = (
    r"\b(?:eu|us|ap|sa|ca|me|af|europe|asia)-[a-z]{2,12}-?\d\b|://|\blocalhost:|\w@\w|(?<![\w&])#[a-z]"
    r"|(?<![\w:/.])~?/\w[\w.-]{0,40}/|(?<![\w.-])[a-z][\w.-]{0,40}/[a-z][\w.-]{0,40}/"
)
_CAPITALISED = re.compile(r"(?<![\w#@/.-])[A-ZÄÖÜ][a-zäöüßé]+(?=\W|$)")
_RELATIVE = (
    r"\b(?:my|our|her|his|their|mein|meine|seine?|ihre?) (?:older |younger |little |best |new |old )?"
    rf"(?:{'|'.join(sorted(_RELATIVES))})\b"
)
_BEFORE = 12  # characters before a word that tell where it stands
_SENTENCE_END = re.compile(r"[.!?:;\n\"“(*-]\s*$")
_INSIDE = re.compile(r"(?i)\b(?:in|at|on)\s(?:the\s)?$")
# What a capitalised word at the beginning of a sentence must be followed by to be taken for somebody's name.
_ACTS = (
    r"(?:'s|’s|')?,? ?(?:(?:and|und|or|oder|&) [A-ZÄÖÜ]|(?:is|was|has|had|will|would|can|could|does|did|said|took"
    r"|left|went|got|made|gave|goes|hat|ist|wird|kann|nimmt)\b|[a-zäöü]{1,20}(?:s|ed|t|te)\b|[A-ZÄÖÜ][a-zäöüß]+\b)"
)
_WAYS = ("how", "why", "wie", "warum", "wieso")
_BEGINNINGS = """
    everything something anything nothing everyone someone anyone nobody everybody somebody yesterday today
    tomorrow maybe perhaps please thanks thank sorry hello hey yes yeah okay well also always never sometimes
    usually still already however although since every another many people things one two three first last
    next wow oh sure great nice good glad love cool awesome absolutely definitely totally everywhere meanwhile
    until unless wait look sounds dear hi yep ok god lol haha aww der die das ein eine wir ich sie er es und
    aber
"""
_NO_NAMES = STOP_WORDS | _CALENDAR | frozenset(_BEGINNINGS.split())


def kind_asked(query: str) -> AnswerKind | None:
    """Return the kind of thing that a question asks for, if its first question word tells."""
    found = _QUESTION.search(query)
    kind = found.lastgroup if found else None
    return next((one for one in ("number", "money", "time", "place", "person") if one == kind), None)


def asks_for_fact(query: str) -> bool:
    """Return whether a query asks who, where, when, which or what, and not how something is done."""
    found = _QUESTION.search(query)
    return found is not None and found[0].lower() not in _WAYS and not _PROCEDURE.are_in(query)


def holds(kind: AnswerKind, text: str, query: str) -> bool:
    """Return whether a text holds a thing of that kind. A name that the query itself gives is no answer."""
    words = split(text)
    match kind:
        case "number":
            return bool(_DIGIT.search(text)) or not _NUMBERS.isdisjoint(words)
        case "money":
            return bool(_DIGIT.search(text)) or not (_NUMBERS | {"free", "gratis", "kostenlos"}).isdisjoint(words)
        case "time":
            return _holds_time(text, words)
        case "place":
            return _holds_place(text, words)
        case "person":
            return _names_somebody(text, words, query)


def _holds_time(text: str, words: Sequence[str]) -> bool:
    if not _TIMES.isdisjoint(words) or (not _CALENDAR.isdisjoint(words) and compiled(_MONTH, 0).search(text)):
        return True
    return bool(
        (_DIGIT.search(text) and compiled(_TIME_IN_DIGITS).search(text)) or compiled(_SEASON_OR_HOUR).search(text)
    )


def _holds_place(text: str, words: Sequence[str]) -> bool:
    for found in _CAPITAL.finditer(text):
        before = _before(text, found.start()).lower().split()
        if before and before[-1] in ("the", "our", "my"):
            before.pop()
        if before and before[-1] in _BEFORE_NAME and found[0].lower().removesuffix("s") not in _CALENDAR:
            return True
    for noun in _PLACES.intersection(words):
        place = words.index(noun)
        if not _BEFORE_NOUN.isdisjoint(words[max(0, place - 1 - _BETWEEN) : place]):
            return True
    lower = f" {text.lower()} "
    if any(place in lower for place in _PLAIN_PLACE):
        return True
    return any(sign in text for sign in "@#/-") and bool(compiled(_PLACE_IN_SIGNS).search(text))


def _names_somebody(text: str, words: Sequence[str], query: str) -> bool:
    """Return whether a text names a person: a capitalised word that is no month, place or known product."""
    if not _RELATIVES.isdisjoint(words) and compiled(_RELATIVE).search(text):
        return True
    asked = set(split(query))
    for found in _CAPITALISED.finditer(text):
        word = found[0].lower()
        if word in asked or word in _NO_NAMES or is_cue(word):
            continue
        before = _before(text, found.start())
        if not before.strip() or _SENTENCE_END.search(before):
            if compiled(_ACTS, 0).match(text, found.end()):
                return True
        elif not _INSIDE.search(before):
            return True
    return False


def _before(text: str, place: int) -> str:
    return text[max(0, place - _BEFORE) : place]


def holds_what_is_asked(text: str, question: str) -> bool:
    """Return whether a text holds the kind of thing that a question asks for; False where it asks for none."""
    wanted = kind_asked(question)
    return bool(wanted and holds(wanted, text, question))
