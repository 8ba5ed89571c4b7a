"""Among the candidates of a search, the newest statement about a thing before the older ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Passage, Replacement
from memoro.model.attributes import asked_attributes, stated_attributes, told_attributes
from memoro.model.continuity_words import ADDRESSED, GREETINGS
from memoro.model.dates import date_in_headings
from memoro.model.names import subjects_of, without_subjects
from memoro.model.notes import MEMORY, kind_of
from memoro.model.phrases import compiled
from memoro.model.remembered import remembered
from memoro.model.sentence_ends import join_abbreviated
from memoro.model.sentences import count_topics, topic_words
from memoro.search.compared_statements import Moment, Statement
from memoro.search.pairs import near_pairs
from memoro.search.same_thing import UNCHANGED, Arrangement, AskedFor, Older, WhichStatement, arrange
from memoro.search.sources import has_ended
from memoro.vault.superseded import is_marked_heading

if TYPE_CHECKING:
    from memoro.model.names import KnownNames, TextSource
    from memoro.model.vocabulary import Trust
    from memoro.providers.ports import Vectors

LOOKED_AT = 30  # of the candidates, how many are compared
# Characters of a line that is compared. Longer prose says several things, and nothing replaces it as a whole; to read
# it by the patterns of sentences would take several times as long as the search itself.
LONGEST = 300
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])?\s*(?:\[[ xX]\]\s*)?(?:\d{1,2}:\d\d\s+)?")
_VERSION = re.compile(r"(?<!\d)v?(\d{1,4}(?:\.\d{1,4}){1,3})(?![\d-])")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
SHORT = 160  # characters of a passage that is compared whole; of a longer one, the sentence that answers best
LONG_TURN = 240  # characters
# How a question about an event is put. What was done or said once, nothing newer replaces.
_ASKS_FOR_EVENT = re.compile(
    r"\bwhen (?:did|was|were|has|have|had)\b|\bwhy\b|\bdid\b|\b(?:wann (?:hat|war|ist)|warum|wieso)\b", re.IGNORECASE
)
_SPOKEN = re.compile(r"[!?]['\"”]?\s*$|^(?:hey|hi|hello|thanks|thank you|wow|yeah|hallo|danke)\b", re.IGNORECASE)
_GREETING = rf"\s*(?:{GREETINGS}){ADDRESSED}\s*[,.!–—，。！-]+\s*"
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_STRUCK = re.compile(r"~~[^~]*~~")
_FORMER = re.compile(
    r"\W*(?:old|former(?:ly)?|previous(?:ly)?|archived?|deprecated|superseded|obsolete|history|outdated|früher\w*"
    r"|bisher\w*|archiv|veraltet\w*|historie|verlauf)\b",
    re.IGNORECASE,
)

Trusts = Callable[[Sequence[str]], Mapping[str, "Trust"]]


class OrderedPassages(NamedTuple):
    """The passages in the order of their totals."""

    passages: Sequence[Passage]
    sources: Sequence[TextSource]
    totals: Sequence[float]

    def at(self, places: Sequence[int]) -> OrderedPassages:
        return OrderedPassages(
            [self.passages[place] for place in places],
            [self.sources[place] for place in places],
            [self.totals[place] for place in places],
        )


class Comparison(NamedTuple):
    """What comparing statements needs: names, vectors of short texts, the trust of memories, the day asked about."""

    known: KnownNames
    embed: Callable[[Sequence[str]], Vectors]
    trusts: Trusts | None
    as_of: str
    is_past: bool = False  # that day has passed
    which: WhichStatement = "newest"

    def is_over(self, passage: Passage) -> bool:
        """Return whether what a message states had ceased to hold on that day."""
        return has_ended(passage) and (not self.is_past or (passage.valid_to or "") < self.as_of)


class AnsweringLine(NamedTuple):
    """The part of a passage that is compared: one line of a list, or all of it."""

    text: str
    number: int  # in the passage, from 0
    is_all: bool = True  # the passage says nothing else
    fits: bool = True  # it has to do with the query; of a passage that says nothing else, that is assumed
    is_only: bool = True  # no other part has a word of the query that it lacks


def newest_first(query: str, candidates: OrderedPassages, comparison: Comparison) -> Arrangement:
    """Arrange the first candidates by what replaces what; the others keep their places, and so does long prose."""
    asks_for_event = comparison.which == "newest" and not comparison.is_past and _ASKS_FOR_EVENT.search(query)
    if comparison.which == "best" or asks_for_event:
        return UNCHANGED._replace(order=tuple(range(len(candidates.passages))))
    attributes = asked_attributes(without_subjects(query, comparison.known))
    asked = topic_words(without_subjects(query, comparison.known))
    wanted = AskedFor(
        attributes=attributes,
        as_of=comparison.as_of,
        which=comparison.which,
        words=asked,
        names=topic_words(query) - asked,
    )
    looked_at = _looked_at(candidates.passages)
    lines = {n: _answering_line(_said(candidates.passages[n]), asked, wanted.attributes) for n in looked_at}
    short = [
        place
        for place, line in lines.items()
        if line.fits and len(line.text) <= LONGEST and _tells_states(candidates.passages[place])
    ]
    found = _arranged([lines[place] for place in short], candidates.at(short), wanted, comparison)
    order = list(range(len(candidates.passages)))
    for place, one in zip(short, found.order, strict=True):
        order[place] = short[one]
    return Arrangement(
        order=tuple(order),
        raised={short[one]: short[over] for one, over in found.raised.items()},
        older={short[one]: older._replace(by=short[older.by]) for one, older in found.older.items()},
        older_in_part=frozenset(short[one] for one in found.older_in_part),
    )


def _looked_at(passages: Sequence[Passage]) -> list[int]:
    """The places of the first, and of the memories that took the place of what some of them state."""
    newer = {one.superseded_by for one in passages[:LOOKED_AT] if has_ended(one)}
    return [place for place, one in enumerate(passages) if place < LOOKED_AT or one.path in newer]


def _arranged(
    lines: Sequence[AnsweringLine], candidates: OrderedPassages, wanted: AskedFor, comparison: Comparison
) -> Arrangement:
    passages, sources, totals = candidates
    names = comparison.known
    stripped = [without_subjects(line.text, names, source) for line, source in zip(lines, sources, strict=True)]
    subjects = [subjects_of(line.text, source, names) for line, source in zip(lines, sources, strict=True)]
    statements = [
        Statement(
            text=line.text,
            words=topic_words(text),
            attributes=_stated(text),
            said=moment(passage, line.number),
            total=total,
            outdated=is_over or is_outdated(passage, line.text),
            ended=is_over,
        )
        for passage, line, text, total in zip(passages, lines, stripped, totals, strict=True)
        for is_over in [comparison.is_over(passage)]
    ]
    tell = [not wanted.attributes.isdisjoint(told_attributes(text)) for text in stripped]
    pairs = near_pairs(subjects, [one.words for one in statements], comparison.embed(stripped), tell)
    known = _known_older(passages, statements)
    found = arrange(statements, pairs, wanted, known)
    if comparison.trusts is not None and (found.raised or found.older):
        memories = [p.path for p in passages if kind_of(p.path) == "memory"]
        trusts = comparison.trusts(memories) if memories else {}
        if trusts:
            known_trust = [one._replace(trust=trusts.get(one.said.path)) for one in statements]
            found = arrange(known_trust, pairs, wanted, known)
    # Of a passage of several lines, one may be older and the others hold.
    older = {place: by for place, by in found.older.items() if lines[place].is_all or statements[place].outdated}
    in_part = frozenset(place for place in found.older if place not in older and lines[place].is_only)
    return found._replace(older=older, older_in_part=in_part)


def _known_older(passages: Sequence[Passage], statements: Sequence[Statement]) -> dict[int, Older]:
    """Return those that have ended, where the memory that took their place is among these."""
    places = {passage.path: place for place, passage in enumerate(passages) if kind_of(passage.path) == "memory"}
    replaced = [(place, one.superseded_by or "") for place, one in enumerate(passages) if statements[place].ended]
    return {place: Older(places[by], "ledger", passages[places[by]].text) for place, by in replaced if by in places}


def _tells_states(passage: Passage) -> bool:
    """Return whether a passage may tell a state, of which the newest holds.

    People tell each other what they did and felt, in messages and in notes that keep them, and long turns tell much
    at once. The greeting before a memory was for the agent that stored it.
    """
    if passage.speaker is None:
        is_talk = _is_talk(passage.text)
        if is_talk and kind_of(passage.path) == "memory":
            is_talk = _is_talk(compiled(_GREETING).sub("", passage.text, count=1))
        return not is_talk
    return passage.speaker in ("User", "Assistant") and len(passage.text) <= LONG_TURN


def _is_talk(text: str) -> bool:
    """Return whether prose speaks to somebody: among its sentences are greetings, exclamations or questions.

    A list speaks to nobody: each line of it is a note of its own.
    """
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if any(map(_LISTED.match, lines)):
        return False
    sentences = [part for line in lines for part in _sentences(line)]
    return len(sentences) > 1 and any(map(_SPOKEN.search, sentences))


@remembered(2048)
def _stated(text: str) -> frozenset[str]:
    return stated_attributes(text)


def moment(passage: Passage, line: int = 0) -> Moment:
    """When a line of a passage was said: by the date of the passage, which filters use too, else by its file."""
    version = next((found for one in reversed(passage.headings) if (found := _VERSION.search(one))), None)
    return Moment(
        day=passage.date,
        path=passage.path,
        # A later turn of one conversation mostly adds to an earlier one.
        line=passage.start_line + line if passage.speaker is None else 0,
        version=tuple(map(int, version[1].split("."))) if version and not date_in_headings(passage.headings) else (),
        written=passage.written,
        stored=int(passage.path.removeprefix(MEMORY)) if kind_of(passage.path) == "memory" else 0,
        section=passage.headings,
    )


def is_outdated(passage: Passage, line: str) -> bool:
    """Return whether a note itself says that this does not hold any more."""
    if is_marked(passage) or any(_FORMER.match(heading) for heading in passage.headings[1:]):
        return True
    return _is_struck(line)


def _is_struck(line: str) -> bool:
    """Return whether all of a line is struck through."""
    return "~~" in line and not _STRUCK.sub("", line).strip(" .")


def is_marked(passage: Passage) -> bool:
    """Return whether the note or one of its headings says in so many words that it is superseded."""
    if kind_of(passage.path) != "note" or has_ended(passage):
        return False
    return passage.superseded_by is not None or any(map(is_marked_heading, passage.headings))


def marked_replacement(passage: Passage) -> Replacement | None:
    """What replaced a passage, where only its note or the ledger says so."""
    if has_ended(passage) and passage.superseded_by is not None:
        return Replacement(id=passage.superseded_by, date=None, text="", why="ledger")
    if kind_of(passage.path) == "memory" and passage.superseded_by is not None:
        return Replacement(id=passage.superseded_by, date=passage.valid_to, text="", why="ledger")
    if not is_marked(passage):
        return None
    return Replacement(id=None, date=None, text=passage.superseded_by or "", why="marked")


def _said(passage: Passage) -> str:
    return passage.text.removeprefix(f"{passage.speaker}: ") if passage.speaker else passage.text


def _sentences(text: str) -> list[str]:
    return join_abbreviated(_SENTENCE_END.split(text))


def _without_asides(text: str, asked: frozenset[str], attributes: frozenset[str]) -> str:
    """The sentences that have to do with the query; all of them where none or each does."""
    parts = _sentences(text)
    if len(parts) == 1:
        return text
    kept = [part for part in parts if count_topics(asked, part) or not attributes.isdisjoint(stated_attributes(part))]
    return " ".join(kept) if kept else text


def _answering_line(text: str, asked: frozenset[str], attributes: frozenset[str]) -> AnsweringLine:
    """The line of a list that answers best, by the attributes that it tells and by the words of the query."""
    if "\n" not in text and len(text) <= SHORT:
        return AnsweringLine(_without_asides(_BULLET.sub("", text, count=1), asked, attributes), 0)
    if "\n" not in text:
        lines = [AnsweringLine(part, 0) for part in _sentences(text)]
    else:
        lines = [
            AnsweringLine(_BULLET.sub("", line, count=1), number)
            for number, line in enumerate(text.split("\n"))
            if line.strip() and not line.lstrip().startswith("#")
        ]
    if "~~" in text:
        lines = [line for line in lines if not _is_struck(line.text)] or lines
    if not lines:
        return AnsweringLine(text, 0)
    lower = text.lower()
    asked = frozenset(word for word in asked if word in lower)  # of many lines, each is looked at for these alone

    def fit(line: AnsweringLine) -> tuple[int, int, int]:
        tells = bool(attributes) and not attributes.isdisjoint(_stated(line.text))
        return int(tells), count_topics(asked, line.text), line.number

    best = max(lines, key=fit)
    said = _without_asides(best.text, asked, attributes)
    return best._replace(
        text=said,
        is_all=len(lines) == 1 and said == best.text,
        fits=len(lines) == 1 or any(fit(best)[:2]),
        is_only=count_topics(asked, best.text) == count_topics(asked, text),
    )
