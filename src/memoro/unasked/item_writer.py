"""Write what is given of a unit: the turns that say something, or a passage, cut to what matters for the message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoro.model.content_words import content_words
from memoro.model.error_signatures import only_shows_error
from memoro.model.feedback import is_correction, told_message, told_text
from memoro.model.message_kinds import begins_with_order, only_acknowledges
from memoro.model.notes import kind_of
from memoro.model.recall import Provenance, RecalledItem
from memoro.model.said_changes import says_change
from memoro.model.statements import knows_nothing, only_asks
from memoro.model.tokens import quarters
from memoro.search.rank import Ranked
from memoro.search.retrieve import identifier
from memoro.unasked.exchanges import USER, Exchange, TurnText
from memoro.unasked.judged import Finding
from memoro.unasked.shortening import WantedSentences, pieces, shortened, shortened_together, to_the_point
from memoro.unasked.weighing import WeighedUnit

if TYPE_CHECKING:
    from memoro.model.answers import Passage

_SUREST_TOKENS, _OTHER_TOKENS = 120, 60  # of the text of a unit
_QUESTION_TOKENS = 24  # of the question that an answer is given with
_DIGIT = re.compile(r"\d")
_LONG_SAID = 70  # tokens: who says more pastes something, and the answer matters


def tells(turn: TurnText) -> bool:
    """Return whether a turn says something: it neither only asks, nor only acknowledges, nor knows nothing.

    Who pastes an error asks about it: that says nothing either.
    """
    empty = only_asks(turn.text) or only_acknowledges(turn.text) or knows_nothing(turn.text)
    return not (empty or pastes_error(turn))


def pastes_error(turn: TurnText) -> bool:
    """Return whether a person said nothing but an error of a program."""
    return turn.speaker == USER and only_shows_error(turn.text)


def corrects(passage: Passage) -> bool:
    """Return whether a passage of a day holds what the owner said is right."""
    return passage.tier == "daily" and any(is_correction(told) for told in told_text(passage.text).split("\n"))


class ItemWriter:
    """Makes items of units: the text of each is cut to what matters."""

    def __init__(
        self, wanted: WantedSentences, provenances: Mapping[str, Provenance], clean: Callable[[str], str]
    ) -> None:
        self._clean = clean  # before a text is cut: a secret is known by its surroundings
        self._wanted = wanted
        self._provenances = provenances

    def finding(self, one: WeighedUnit, *, is_surest: bool) -> Finding:
        """What is given of a unit. Its text is empty where nothing can be shown, such as an empty block of code."""
        limit = _SUREST_TOKENS if is_surest else _OTHER_TOKENS
        exchange = one.unit.exchange
        item = self._exchange(one, exchange, limit) if exchange else self._passage(one, limit)
        return Finding(item, one.sure, _why(one))

    def _exchange(self, one: WeighedUnit, exchange: Exchange, limit: int) -> RecalledItem:
        lines = self._lines(exchange, limit, is_later=bool(one.why))
        asked = exchange.asked
        if asked and lines:
            lines.insert(0, (asked, self._cut(asked.text, _QUESTION_TOKENS)))
        passages = [passage for turn in (*exchange.turns, *([asked] if asked else [])) for passage in turn.passages]
        text = "\n".join(f"{turn.speaker}: {told_message(said)}" for turn, said in lines)
        shown = [turn for turn, _ in lines] or list(exchange.turns)
        item = _item(one.unit.found[0], text)
        return item._replace(
            id=identifier(passages[0]) if asked else item.id,
            start_line=shown[0].line,
            end_line=max(turn.passages[-1].end_line for turn in shown),
            passages=tuple(map(identifier, passages)),
            score=one.sure,
        )

    def _lines(self, exchange: Exchange, limit: int, *, is_later: bool) -> list[tuple[TurnText, str]]:
        """The turns that say something, each cut; before an answer stands the question that it answers.

        An answer about other things adds nothing to a statement that holds what is asked for, or to a change.
        """
        said = exchange.said
        telling = [turn for turn in exchange.turns if tells(turn)]
        if telling == [said]:
            return [(turn, self._cut(_without_questions(turn.text), limit)) for turn in telling]
        others = [turn for turn in telling if turn is not said]
        if said is not None and others and _is_paste(said, is_told=said in telling):
            paste = (said, self._cut(said.text, _QUESTION_TOKENS))
            return [paste, *self._cut_together(others, limit - _QUESTION_TOKENS)]
        if (
            said is not None
            and said in telling
            and (self._wanted.answers(said.text) or (is_later and _changes(said)))
        ):
            telling = [turn for turn in telling if turn is said or self._goes_on(said, turn)]
        found = self._cut_together(telling, limit)
        if said is not None and found and found[0][0] is not said and not only_acknowledges(said.text):
            found.insert(0, (said, self._cut(said.text, _QUESTION_TOKENS)))
        return found

    def _goes_on(self, said: TurnText, turn: TurnText) -> bool:
        """Return whether an answer is about the message, says a change, or shares a word with what was said."""
        if self._wanted.share(turn.text) > 0 or _changes(turn):
            return True
        return not content_words(said.text).isdisjoint(content_words(turn.text))

    def _cut_together(self, turns: Sequence[TurnText], limit: int) -> list[tuple[TurnText, str]]:
        cut = shortened_together([self._clean(turn.text) for turn in turns], limit, self._wanted)
        return [(turn, text) for turn, text in zip(turns, cut, strict=True) if text]

    def _passage(self, one: WeighedUnit, limit: int) -> RecalledItem:
        ranked = one.unit.found[0]
        passage = ranked.match.passage
        provenance = self._provenances.get(passage.path)
        text = provenance.text if provenance is not None and provenance.text is not None else passage.text
        if passage.tier == "daily":
            text = told_text(text)
            limit = _SUREST_TOKENS if corrects(passage) else limit
        elif kind_of(passage.path) == "note":
            text = to_the_point(text, (passage.title, *passage.headings), self._wanted)
        text = self._cut(text, limit)
        if provenance is not None and provenance.caution:
            text = f"{provenance.caution}\n{text.removeprefix(provenance.caution).lstrip()}"
        item = _item(ranked, text)
        return item._replace(trust=provenance.trust if provenance else None, score=one.sure)

    def _cut(self, text: str, limit: int) -> str:
        return shortened(self._clean(text), limit, self._wanted)


def _item(ranked: Ranked, text: str) -> RecalledItem:
    passage = ranked.match.passage
    own = identifier(passage)
    return RecalledItem(
        id=own,
        kind=kind_of(passage.path),
        tier=passage.tier,
        path=passage.path,
        start_line=passage.start_line,
        end_line=passage.end_line,
        heading=passage.headings,
        date=passage.date,
        trust=None,
        score=ranked.score,
        tokens=0,
        text=text,
        passages=(own,),
        since=passage.valid_from,
        until=passage.valid_to,
    )


def _why(one: WeighedUnit) -> str:
    evidence = one.evidence
    if one.why:
        return one.why
    if evidence.asked >= 0.6:
        return "answers nearly the same question"
    return "has the rarest word of the message" if evidence.held >= 0.3 else "near in meaning"


def _is_paste(said: TurnText, *, is_told: bool) -> bool:
    """Return whether a person pasted something, and the answer matters."""
    return (is_told and quarters(said.text) > 4 * _LONG_SAID) or pastes_error(said)


def _without_questions(said: str) -> str:
    """Return what nobody answered, without its questions.

    Those with an order or a number stay, such as "can you set it to 8443?".
    """
    rest = said
    for one in pieces(said):
        if not one.code and only_asks(one.text) and not (begins_with_order(one.text) or _DIGIT.search(one.text)):
            rest = rest.replace(one.text, "", 1)
    return rest if any(map(str.isalnum, rest)) else said


def _changes(said: TurnText) -> bool:
    return any(says_change(piece.text) for piece in pieces(said.text) if not piece.code)
