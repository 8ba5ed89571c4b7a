"""Cut a sentence into clauses, without the words before them that say nothing, and tell which ask or order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memoro.model.message_kinds import is_order, is_question
from memoro.model.openings import GREETING, INTRODUCES, OPENING
from memoro.model.remembered import remembered

# What leads to a statement and is no part of it, beside openings and greetings.
_LEAD = re.compile(
    r"(?i)(?:(?:just (?:so you know|fyi|to (?:let you know|be clear|clarify))|so you know|for (?:context|the record"
    r"|reference|info)"
    r"|fyi|btw|by the way|before i forget|heads up"
    r"|i should (?:mention|add|say)|i forgot to (?:mention|say)|did i mention|as (?:i said"
    r"|you know|a reminder)"
    r"|to be (?:clear|honest|fair)|honestly|tbh|anyway|anyways|unfortunately|luckily|in fact|basically|personally"
    r"|also|plus"
    r"|and|but|so|because|since|as|oh|well|yeah|look|listen|note|important|reminder|update|background|context"
    r"|about me"
    r"|me|first|second|finally|nur (?:zur|als) info(?:rmation)?|zur info|ehrlich gesagt|naja|na ja|also|und|aber"
    r"|denn"
    r"|wichtig|hinweis|nebenbei|kurz zu mir|zu mir|leider|im übrigen|übrigens)(?:[:,–—-]+\s*|\s+)(?:that )?)"
    r"|(?:另外|对了|顺便说一下|顺便提一下|顺便|其实|那个|嗯|补充一下|说一下|还有|而且|因为|但是|不过|先说一下"
    r"|背景是?|哦|啊|那么|那)[，,：:、 ]*"
)
# The speaker asks to keep it in mind.
_REMEMBER = re.compile(
    r"(?i)(?:please |bitte |and |also |oh,? )*(?:remember(?: that|:|,(?= (?:i|my|our|we|the)\b))|note that"
    r"|keep in mind(?: that|:|,)"
    r"|bear in mind(?: that|:|,)"
    r"|don'?t forget(?: that|:|,)|for (?:your|future) (?:memory|reference)[:,]|make a note(?: that|:)|save this:"
    r"|merke? dir"
    r"(?:,? dass|:|,)|vergiss nicht(?:, dass|:)|denk dran(?:, dass|:)|notiere?(?: dir)?(?:,? dass|:))\s*"
    r"|(?:请|你要)?(?:记住|记一下|记得|别忘了|请注意|记下来)[，,：: ]*"
)
_CORRECTS = re.compile(
    r"(?i)\W*(?:(?:oh|ah|hm+|ok|wait|well|so)[,.! ]+)*(?:no[,.:] |nope[,.] |actually\b|correction|sorry[,:] "
    r"|i (?:meant|mean)\b|wait[,.]"
    r"|i was wrong|i misspoke|my mistake|scratch that|not [\w' -]{2,30}, (?:but|it's)|nein[,.] |korrektur"
    r"|doch nicht|quatsch"
    r"|moment[,.]|ich meinte|stimmt nicht|不对|不是|更正|说错了|应该是|我是说)"
)
_CORRECTION_LEAD = re.compile(
    r"(?i)(?:no|nope|actually|correction|sorry|i (?:meant|mean)|wait|i was wrong|i misspoke|my mistake|scratch that"
    r"|nein|korrektur"
    r"|quatsch|moment|ich meinte|stimmt nicht)(?!\w)[,.:;!，。：]*\s*"
    r"|(?:不对|更正一?下?|说错了|我是说)[,.:;!，。：]*\s*"
)
_BREAK = re.compile(
    r"(?i)[,;](?= )|\s[–—-](?= )|\s?—|[，；]|:(?= )|：|\.\.\.+|…|\((?=\w)"
    r"|(?<=\w) (?=(?:so|but|and|because|since|although|though|which|while|if|unless|in case|und|aber|weil|denn"
    r"|obwohl|falls|wenn|sondern)"
    r" (?:please|can|could|would|will|what|how|i|i'm|i'd|i'll|let|let's|do|we|you|it|that|bitte|kannst|könntest|was"
    r"|wie|ich|wir|du)\b)"
    r"|(?<=\w) (?=(?:if|unless|in case|falls) )"
)
_JOINS = re.compile(
    r"(?i)\s*(?:and|so|but|because|since|as|therefore|then|also|und|aber|denn|deshalb|also|所以|但是|但|而且"
    r"|因为)\s+"
    r"|\s*(?:所以|但是|但|而且|因为)"
)
_CONTRASTS = re.compile(r"(?i)\s*(?:but|aber|though|however|但是|但|不过)")
_ASKS_FOR = re.compile(
    r"(?:please|pls|can|could|would|will|should|shall|may) (?:you|we|i)\b|please\b|pls\b|any (?:ideas?|tips?"
    r"|suggestions?|advice)\b"
    r"|(?:what|how|which|where|when|who|why|whose|is|are|does|do|did|was|were|has|have|am)(?:'s)? (?:i|you|we|it"
    r"|that|this|there"
    r"|the|a|an|my|your|he|she|they|should|do|is|are|would|about|can|could|else|much|many|long)\b|tell me|show me"
    r"|help me|give me"
    r"|let me know|i (?:need|want) (?:you|a|an|some|help|your|the|to)\b|need (?:help|a|some)|looking for|right$|ok$"
    r"|okay$"
    r"|(?:kannst|könntest|würdest|magst|können|könnten|weißt|hast|soll|sollen|sollte) (?:du|ihr|sie|ich|wir)\b"
    r"|bitte\b|zeig mir"
    r"|sag mir|hilf mir|ich (?:brauche|benötige|suche) |(?:was|wie|welche\w*|wo|wann|wer|warum"
    r"|wieso) (?:\w+ )*?(?:ist|sind|soll\w*|kann"
    r"|muss|mache?n?|hat|gibt|wäre|könnte)\b|请|帮我|帮忙|能不能|可以帮|能帮|你能|怎么|什么|哪|吗$|呢$|多少|几点"
    r"|为什么|是不是|有没有|麻烦"
)
_PLAIN_QUESTION_END = ("?", "？")


class Clause(NamedTuple):
    """A part of a sentence, with its place there."""

    start: int
    end: int
    lower: str  # its words, in lower case with straight apostrophes, without what leads to them
    asks: bool  # asks something, or for something
    orders: bool  # begins with an order, or with "we" and a verb of one
    binds: bool  # what it says doubtfully holds for the rest of its sentence
    whole: str  # the sentence from here to its end


class CutSentence(NamedTuple):
    """A sentence in clauses."""

    clauses: tuple[Clause, ...]
    corrects: bool  # begins with words that correct what was said before
    remembers: bool  # asks to keep in mind what it states
    asks: bool  # the last clause asks, or the whole sentence


@remembered(1024)
def clauses_of(sentence: str) -> CutSentence:
    """Return the clauses of a sentence after its greeting, agreement and introduction."""
    start, corrects, remembers = _start(sentence)
    ends_with_question = sentence.rstrip(" \"')»“”").endswith(_PLAIN_QUESTION_END)
    spans = list(_spans(sentence, start))
    clauses: list[Clause] = []
    for number, (first, last) in enumerate(spans):
        shift = _JOINS.match(sentence, first, last) if number else None
        begin = shift.end() if shift else first
        begin += len(sentence[begin:last]) - len(sentence[begin:last].lstrip())
        lower = plain(sentence[begin:last].strip())
        following = sentence[spans[number + 1][0] : spans[number + 1][1]] if number + 1 < len(spans) else ""
        asks = _asks(lower, is_last=number + 1 == len(spans), question=ends_with_question)
        binds = not _CONTRASTS.match(following)
        clauses.append(
            Clause(
                start=begin,
                end=last,
                lower=lower,
                asks=asks,
                orders=is_order(lower),
                binds=binds,
                whole=sentence[begin:].strip(),
            )
        )
    asks = ends_with_question and (len(clauses) < 2 or not clauses[-1].asks)
    if asks:
        clauses = [one._replace(asks=True) for one in clauses]
    return CutSentence(clauses=tuple(clauses), corrects=corrects, remembers=remembers, asks=asks)


def _asks(lower: str, *, is_last: bool, question: bool) -> bool:
    if is_last and question:
        return True
    return _ASKS_FOR.match(lower) is not None or is_question(lower)


def _start(sentence: str) -> tuple[int, bool, bool]:
    """Where a sentence begins to say something, whether it corrects, and whether it asks to keep it in mind."""
    place, corrects, remembers = 0, False, False
    while True:
        rest = sentence[place:]
        corrects = corrects or _CORRECTS.match(rest) is not None
        found = _REMEMBER.match(rest)
        remembers = remembers or bool(found and found.end())
        for pattern in (_CORRECTION_LEAD, GREETING, OPENING, INTRODUCES, _LEAD):
            if found and found.end():
                break
            found = pattern.match(rest)
        if not found or not found.end() or found.end() >= len(rest):
            return place + len(rest) - len(rest.lstrip()), corrects, remembers
        place += found.end()


def _spans(sentence: str, start: int) -> Iterator[tuple[int, int]]:
    for found in _BREAK.finditer(sentence, start):
        if sentence[start : found.start()].strip():
            yield start, found.start()
        start = found.end()
    if sentence[start:].strip():
        yield start, len(sentence)


def plain(text: str) -> str:
    """Return a text in lower case with straight apostrophes, as all patterns for facts expect it."""
    return text.lower().replace("’", "'").replace("‘", "'")
