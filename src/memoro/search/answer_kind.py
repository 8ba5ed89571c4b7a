"""The kind of thing that a question asks for, such as a time or a person, and whether a text holds one."""

from __future__ import annotations

import re
from typing import Literal

from memoro.model.attributes import is_cue
from memoro.model.words import STOP_WORDS

AnswerKind = Literal["number", "money", "time", "place", "person"]

_WHICH = r"(?:what|which|welche[nmrs]?)"
# The first of these words decides: after "what", a "when" or "who" joins sentences and asks for nothing.
_QUESTION = re.compile(
    rf"""(?ix)\b(?:
      (?P<money>how\ much|how\ expensive|what\ price|wie\ ?viel\ (?:kost|geld|zahl|verdien)\w*|wie\ teuer|was\ kostet)
    | (?P<number>how\ (?:many|long|old|often|far|big|large|tall|high)|what\ number|wie\ ?viele?
        |wie\ (?:alt|oft|lange|groß|weit))
    | (?P<time>when|wann|(?:until|since)\ when|(?:bis|seit)\ wann
        |{_WHICH}\ (?:day|date|month|year|time|week|tag|datum|monat|jahr|uhrzeit))
    | (?P<place>where|whereabouts|wohin|woher|wo
        |{_WHICH}\ (?:city|town|country|place|street|region|room|floor|village|stadt|land|ort|straße|raum))
    | (?P<person>who|whom|whose|wer|wen|wem|wessen|{_WHICH}\ (?:person|colleague|people|kollege|kollegin))
    | (?P<other>what|which|why|how|was|welche[nmrs]?|warum|wieso|wie)
    )\b"""
)
# A question for a way to do something, or for what was learned: experiences answer it.
_PROCEDURE = re.compile(
    r"""(?ix)\b(?:how\ (?:do|did|can|could|should|would|to|have|was|were)
    | what\ (?:did|do|should|can|could)\ (?:i|we|you)\ (?:do|try)|what\ to\ do|what\ is\ the\ (?:best\ )?way
    | what\ (?:works|worked|helps|helped|fixe[sd]|solve[sd]|cause[sd]|went\ wrong|happens|happened)
    | (?:which|what)\ steps|lessons?|experiences?|recipe|procedure|workaround
    | wie\ (?:hab|mach|kann|soll|geh)\w*|was\ tun|was\ hilft|was\ half)\b"""
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTHS += "|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DAYS += "|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag"
_CALENDAR = frozenset(f"{_MONTHS}|{_DAYS}".lower().split("|"))
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|several|couple|half|hundred"
    "|thousand|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|einmal|zweimal|hundert|tausend"
)
# Nouns that are a place after "in the", "on the", "at the", "near the".
_PLACE_NOUNS = (
    "floor|street|road|shelf|desk|table|wall|roof|corner|coast|river|island|drive|server|top|left|right|ground|balcony"
    "|drawer|cupboard|fridge|garage|cellar|basement|attic|kitchen|office|house|building|hall|room|park|station|shop"
    "|store|school|hospital|library|harbou?r|beach|lake|forest|mountains?|village|town|city|centre|center|campus|church"
    "|neighbou?rhood|market|bridge|airport|folder|directory|wiki|repo(?:sitory)?|channel|vault|cloud|country(?:side)?"
)
_TIMES = rf"""(?x)
      \b(?:{_MONTHS})\b
    | (?i:\b(?:{_DAYS})s?\b
    | \b(?:yesterday|today|tomorrow|tonight|noon|midnight|weekend|weeks?|months?|years?|ago|since|last|next|quarter
        |daily|weekly|monthly|yearly|fortnight|morning|evening|afternoon|gestern|heute|morgen|wochen?|monate?|jahre?n?
        |seit|täglich|wöchentlich|monatlich)\b
    | \b(?:19|20)\d\d\b | \b\d{{1,2}}:\d\d\b | \b\d{{1,2}}\ ?(?:[ap]m|uhr|o'clock)\b | \b\d{{1,2}}(?:st|nd|rd|th)\b
    | \b\d{{1,2}}\.\ ?\d{{1,2}}\. | \bin\ (?:spring|summer|autumn|winter)\b
    | \bat\ (?:{_NUMBER_WORDS}|lunch|\d{{1,2}})\b | \bevery\ (?:other\ )?(?:day|night|hour|second)\b | \bq[1-4]\b)"""
_PLACES = rf"""(?x)
      \b(?:[Ii]n|[Aa]t|[Ff]rom|[Tt]o|[Nn]ear|[Ii]nto|[Aa]round|[Oo]n|[Nn]ach|[Aa]us|[Bb]ei|[Uu]nder)
        \ (?:the\ |our\ |my\ )?(?!(?:{_MONTHS}|{_DAYS})s?\b)[A-ZÄÖÜ]\w
    | (?i:\b(?:in|at|on|near|by|behind|under|above|below|beside|inside|outside|opposite|next\ to|into|to|from)\s
        (?:(?:the|a|an|my|our|his|her|their|your|this)\ )?(?:\w{{1,20}}\ ){{0,2}}?(?:{_PLACE_NOUNS})\b
    | \bat\ (?:home|work|school)\b | \babroad\b | \bdownstairs\b | \bupstairs\b
    | \bim\ \w | \b(?:in|an|auf)\ der\ \w | \bzu\ hause\b
    | \b(?:eu|us|ap|sa|ca|me|af|europe|asia)-[a-z]{{2,12}}-?\d\b | https?:// | \blocalhost\b
    | \w@\w | (?<![\w&])\#[a-z] | (?<![\w:/.])~?/\w[\w.-]{{0,40}}/
    | (?<![\w.-])[a-z][\w.-]{{0,40}}/[a-z][\w.-]{{0,40}}/)"""
_MONEY = (
    r"(?i)[$€£¥]\s?\d|\d\s?(?:[$€£¥k%]|eur|usd|dollars?|bucks|pounds|gbp|chf|francs?|cents?|percent)"
    rf"|\b(?:free|gratis|kostenlos|\d[\d.,]*|{_NUMBER_WORDS})\b"
)
_HOLDS: dict[AnswerKind, str] = {
    "number": rf"(?i)\b(?:\d+(?:[.,]\d+)*(?:[a-z%]{{1,2}})?|{_NUMBER_WORDS})\b",
    "money": _MONEY,
    "time": _TIMES,
    "place": _PLACES,
}
_CAPITALISED = re.compile(r"(?<![\w#@/.-])[A-ZÄÖÜ][a-zäöüßé]+(?=\W|$)")
_RELATIVES = re.compile(
    r"(?i)\b(?:(?:my|our|her|his|their|mein|meine|seine?|ihre?) (?:older |younger |little |best |new |old )?"
    r"(?:mother|father|mum|mom|dad|parents?|sister|brother|son|daughter|wife|husband|partner|boyfriend|girlfriend|fiancée?"
    r"|boss|manager|colleague|friend|aunt|uncle|cousin|grand\w+|neighbou?r|teacher|doctor|roommate|flatmate|mutter|vater"
    r"|schwester|bruder|frau|mann|chef|chefin|kollegin?|freundin?))\b"
)
_BEFORE = 10  # characters before a word that tell where it stands
_SENTENCE_END = re.compile(r"[.!?:;\n\"“(*-]\s*$")
_INSIDE = re.compile(r"(?i)\b(?:in|at|on)\s(?:the\s)?$")
# What a capitalised word at the beginning of a sentence must be followed by to be taken for somebody's name.
_ACTS = re.compile(
    r"(?:'s|’s|')?,? ?(?:(?:and|und|or|oder|&) [A-ZÄÖÜ]|(?:is|was|has|had|will|would|can|could|does|did|said|took"
    r"|left|went|got|made|gave|goes|hat|ist|wird|kann|nimmt)\b|[a-zäöü]{1,20}(?:s|ed|t|te)\b|[A-ZÄÖÜ][a-zäöüß]+\b)"
)
_WAYS = ("how", "why", "wie", "warum", "wieso")
_BEGINNINGS = """
    everything something anything nothing everyone someone anyone nobody everybody somebody yesterday today tomorrow
    maybe perhaps please thanks thank sorry hello hey yes yeah okay well also always never sometimes usually still
    already however although since every another many people things one two three first last next wow oh sure great
    nice good glad love cool awesome absolutely definitely totally everywhere meanwhile until unless wait look sounds
    dear hi yep ok god lol haha aww der die das ein eine wir ich sie er es und aber
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
    return found is not None and found[0].lower() not in _WAYS and not _PROCEDURE.search(query)


def holds(kind: AnswerKind, text: str, query: str) -> bool:
    """Return whether a text holds a thing of that kind. A name that the query itself gives is no answer."""
    if kind == "person":
        return _names_somebody(text, query)
    return bool(re.search(_HOLDS[kind], text))


def _names_somebody(text: str, query: str) -> bool:
    """Return whether a text names a person: a capitalised word that is no month, place or known product."""
    if _RELATIVES.search(text):
        return True
    asked = {word.lower() for word in re.findall(r"\w+", query)}
    for found in _CAPITALISED.finditer(text):
        word = found[0].lower()
        if word in asked or word in _NO_NAMES or is_cue(word):
            continue
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        if not before.strip() or _SENTENCE_END.search(before):
            if _ACTS.match(text, found.end()):
                return True
        elif not _INSIDE.search(before):
            return True
    return False
