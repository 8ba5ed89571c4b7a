"""The time that a question asks about: "in March", "before June", "before the move", "what did we use to …"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache
from typing import Literal, NamedTuple

from memoro.model.calendar_words import WEEKDAY_NUMBERS, Span, any_of
from memoro.model.time_hints import may_name_time, may_speak_of_before
from memoro.model.time_phrases import NUMBERS, UNIT_DAYS, NamedTime, count, named_in

# "in": on these days. "before", "after": up to or from a day. "earlier": what held once, and no longer does.
# "first": the first of what held. "ended": when something ceased to hold.
TimeRelation = Literal["in", "before", "after", "earlier", "first", "ended"]

_OPEN = date.min


class AskedTime(NamedTuple):
    """The days that a question asks about, and how it names them."""

    phrase: str  # as it was written
    rest: str  # the question without the time
    span: Span
    relation: TimeRelation
    about: int = 0  # days by which it may be off
    event: str = ""  # what has to be found and dated before the days are known, such as "the move to Porto"

    def as_of(self, today: date) -> date:
        """Return the day of which it is asked what held: the last of the days, never one that is still to come."""
        if self.relation in ("earlier", "first", "ended"):
            return today
        return min(self.span.last, today)

    @property
    def is_past(self) -> bool:
        """Return whether it asks for what may no longer hold."""
        return self.relation != "after"


_BEFORE = r"before|prior to|until|till|up to|bevor|vor|bis(?: zu[mr]?)?"
_AFTER = r"after|since|following|nach|seit"
# Who speaks of a previous conversation asks for what was said in it.
_NO_TALK = r"(?= \w)(?! (?:chat|conversation|discussion|session|message|talk|thread|question|answer|exchange)s?\b)"
_WORD = r"[\w.'-]+"
_GERMAN = ("bevor", "vor", "bis", "bis zum", "bis zur", "nach", "seit")


class _Patterns(NamedTuple):
    relation: re.Pattern[str]  # at the end of what stands before a time
    distance: re.Pattern[str]  # "two weeks before" a time
    frame: re.Pattern[str]  # words that only lead to a time
    event: re.Pattern[str]
    counts: re.Pattern[str]  # asks how many, or how long: what happened before is not what held then
    told: re.Pattern[str]  # a clause about what happened
    past: re.Pattern[str]  # a question about what was
    ended: re.Pattern[str]
    first: re.Pattern[str]
    earlier: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    return _Patterns(
        relation=re.compile(rf"(?i)\b(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER}))(?: (?:the|de[mnr]))? ?$"),
        distance=re.compile(
            rf"(?i)\b(?:(?:on |in |during )?(?:the |a |in der |die |den |am )?"
            rf"(?:(?P<weekday>{any_of(WEEKDAY_NUMBERS)})|(?:(?P<number>\d{{1,3}}|{any_of(NUMBERS)}) )?"
            rf"(?P<unit>{any_of(UNIT_DAYS)})) (?P<sign>before|after|vor|nach))(?: (?:the|de[mnr]))? ?$"
        ),
        frame=re.compile(r"(?i)\(?\b(?:as it was|as of|as at|back|i mean|that is|wie es war|und zwar|stand) *$"),
        event=re.compile(rf"(?i)\b(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER})) (?P<event>[^,;:?!()]*\w)"),
        counts=re.compile(r"(?i)\b(?:how (?:many|much|often)|in (?:what|which) order|wie (?:viele?|oft))\b"),
        told=re.compile(
            r"(?i)\b(?:was|were|had|got|took|came|went|left|became|began|started|\w{2,}ed|wurden?|kam|ging|zogen?|war)\b"
        ),
        past=re.compile(
            r"(?i)\b(?:did|was|were|had|\w{2,}ed|war(?:en|st)?|hatten?|hattest|gab|habe?n?|hast|hat"
            r"|wohnten?|nutzten?|verwendeten?|benutzten?|arbeiteten?)\b"
        ),
        ended=re.compile(
            rf"(?i)\b(?:when did (?:{_WORD} ){{1,4}}"
            r"(?:stop|quit|drop|leave|give up|cease|cancel|end|abandon|retire)\w*"
            rf"|until when|how long did (?:{_WORD} ){{1,4}}?(?:use|keep|have|own|live|stay|work|run|rent|drive)\b"
            rf"|since when (?:{_WORD} ){{0,4}}(?:no longer|not)|when was (?:{_WORD} ){{1,5}}(?:replaced"
            r"|dropped|retired|cancelled|canceled|removed|abandoned|stopped)"
            rf"|bis wann|seit wann (?:{_WORD} ){{0,5}}(?:nicht mehr|kein)"
            rf"|wann (?:{_WORD} ){{1,7}}(?:aufgehört|abgeschafft|ersetzt|abgelöst|beendet|gekündigt))"
        ),
        first=re.compile(
            r"(?i)\b(?:at first|originally|initially|in the beginning|to begin with|at the (?:very )?start|anfangs"
            r"|ursprünglich|zuerst|am anfang|zu beginn)\b"
        ),
        earlier=re.compile(
            r"(?i)\b(?:used to|(?<=i )use to|(?<=we )use to|previously|formerly|back then"
            r"|before(?= ?[?.!]*$)|in the past(?! \w+ (?:day|week|month|year))|before that"
            rf"|(?:(?<=my )|(?<=our )|(?<=his )|(?<=her )|(?<=their ))(?:old|former|previous){_NO_TALK}"
            rf"|(?<=the )(?:former|previous){_NO_TALK}|früher|vorher|zuvor|damals|ehemals"
            r"|(?:(?<=mein )|(?<=meine )|(?<=unser )|(?<=unsere ))(?:alte|frühere|ehemalige|vorige)[nrsm]?)\b"
        ),
    )


def asked_time(question: str, today: date) -> AskedTime | None:
    """Return the time that a question asks about; None if it asks about none. An event is not dated yet."""
    if may_name_time(question):
        named = named_in(question, today=today)
        if named is not None:
            return _related(question, named, today)
    return _without_date(question, today) if may_speak_of_before(question) else None


def dated(asked: AskedTime, day: date, today: date) -> AskedTime:
    """Return the time of a question once its event has a date."""
    return asked._replace(span=_beside(Span(day, day), asked.relation, today))


def _distance(question: str, start: int, named: NamedTime) -> tuple[int, Span] | None:
    """Return the days that "the week before" or "two weeks after" a time means, and where that begins."""
    found = _patterns().distance.search(question[:start])
    if found is None:
        return None
    try:
        return found.start(), _away(found, named)
    except OverflowError:  # beyond the calendar
        return None


def _away(found: re.Match[str], named: NamedTime) -> Span:
    is_before = found["sign"].lower() in ("before", "vor")
    at = named.span.first if is_before else named.span.last
    sign = timedelta(days=-1 if is_before else 1)
    if found["weekday"]:
        wanted = WEEKDAY_NUMBERS[found["weekday"].lower()]
        days = (at.weekday() - wanted if is_before else wanted - at.weekday()) % 7 or 7
        return Span(at + days * sign, at + days * sign)
    unit, number = UNIT_DAYS[found["unit"].lower()], found["number"]
    if number is None:
        other = at + unit * sign
        return Span(min(other, at + sign), max(other, at + sign))
    middle, slack = at + count(number.lower()) * unit * sign, timedelta(days=unit // 2 if unit > 1 else 0)
    return Span(middle - slack, middle + slack)


def _related(question: str, named: NamedTime, today: date) -> AskedTime:
    patterns, start = _patterns(), question.index(named.phrase)
    end = start + len(named.phrase)
    if away := _distance(question, start, named):
        rest = question[: away[0]] + question[end:]
        return AskedTime(phrase=question[away[0] : end], rest=rest, span=away[1], relation="in")
    found = patterns.relation.search(question[:start])
    rest = patterns.frame.sub("", question[: found.start() if found else start]) + question[end:]
    if found is None:
        return AskedTime(phrase=named.phrase, rest=rest, span=named.span, relation="in", about=named.about)
    relation: TimeRelation = "before" if found["before"] else "after"
    return AskedTime(
        phrase=question[found.start() : end],
        rest=rest,
        span=_beside(named.span, relation, today, including=_includes(found[0])),
        relation=relation,
        about=named.about,
    )


def _includes(word: str) -> bool:
    """Return whether the days themselves are meant: since March begins with March."""
    return word.strip().lower().startswith(("since", "seit"))


def _beside(span: Span, relation: TimeRelation, today: date, *, including: bool = False) -> Span:
    day = timedelta(days=1)
    if relation == "before":
        return Span(_OPEN, max(span.first, _OPEN + day) - day)
    begin = span.first if including else min(span.last, date.max - day) + day
    return Span(begin, max(begin, today))


def _without_date(question: str, today: date) -> AskedTime | None:
    patterns = _patterns()
    ever = Span(_OPEN, today)
    if found := patterns.ended.search(question):
        return AskedTime(phrase=found[0], rest=question, span=ever, relation="ended")
    event = patterns.event.search(question)
    if event and not patterns.counts.search(question) and _is_about_the_past(question, event):
        return _before_or_after_an_event(question, event, ever)
    if found := patterns.first.search(question):
        return AskedTime(phrase=found[0], rest=question, span=ever, relation="first")
    if found := patterns.earlier.search(question):
        return AskedTime(phrase=found[0].strip(), rest=question, span=ever, relation="earlier")
    return None


def _is_about_the_past(question: str, event: re.Match[str]) -> bool:
    """Return whether something that happened is meant, and not a rule such as "what to do before a release"."""
    patterns = _patterns()
    before = question[: event.start()].rstrip().lower()
    is_added = before in ("and", "und") or before.endswith(("(", "i mean", "and", "und zwar"))
    return is_added or bool(patterns.told.search(event["event"]) or patterns.past.search(_without(question, event)))


def _before_or_after_an_event(question: str, found: re.Match[str], ever: Span) -> AskedTime:
    relation: TimeRelation = "before" if found["before"] else "after"
    event, end = found["event"].rstrip(" ."), found.end()
    word = (found["before"] or found["after"]).lower()
    head, _, verb = event.rpartition(" ")
    if word in _GERMAN and verb.islower() and " " in head:  # the verb of the question stands at its end
        event, end = head, found.start("event") + len(head)
    phrase = question[found.start() : found.start("event") + len(event)]
    rest = f"{question[: found.start()]}{question[end:]}".strip()
    return AskedTime(phrase=phrase, rest=rest, span=ever, relation=relation, event=event)


def _without(question: str, found: re.Match[str]) -> str:
    return question[: found.start()] + question[found.end() :]
