"""Later statements about the best answer: it may have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memoro.model.answers import Explanation, Match
from memoro.model.said_changes import says_change
from memoro.model.sentences import past_words, topic_words
from memoro.search.answer_kind import holds_what_is_asked, kind_asked
from memoro.search.past import time_asked
from memoro.search.rank import Ranked
from memoro.unasked.admission import admit
from memoro.unasked.exchanges import Exchange
from memoro.unasked.follow_ups import AnswerValues, FollowUp, corrections, follow_ups, names, values_of
from memoro.unasked.held import is_held
from memoro.unasked.item_writer import tells
from memoro.unasked.other_values import Statements, ValueComparison
from memoro.unasked.shortening import pieces
from memoro.unasked.weighing import Unit, WeighedUnit

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.store.ports import Index
    from memoro.unasked.finding import UnaskedRequest

# A newer unit is given with less, before the older one: it may be a change. It needs least if it says so.
NEWER_SHARE, NEWER_PLAIN = 0.35, 0.5
# Of the floor: for one that says a change, and holds a word that says nearly as much as the rarest of the best does.
LEAST_SURE, RARE = 0.25, 0.9
LIKELY = 0.6  # of the surest of several newer ones: among those the newest is given
BECAME = "says what became of it"
NOT_EXPLAINED = Explanation((), (), 0)  # of what no search ranked
_SHORTEST_STEM, _ENDING = 4, 2  # letters: "atlas" and "atlases" have other stems


class LaterStatements:
    """Adds to what was chosen for a message what was said later about it."""

    def __init__(
        self,
        index: Index,
        request: UnaskedRequest,
        information: Mapping[str, float],
        today: date,
        is_refused: Callable[[Unit], bool] = lambda _: False,
    ) -> None:
        self._index, self._information, self._today, self._is_refused = index, information, today, is_refused
        self._request, self._floor = request, request.min_score
        self._values = ValueComparison(request.message, information, index.stems)

    def added(self, chosen: Sequence[WeighedUnit], able: Sequence[WeighedUnit]) -> list[WeighedUnit]:
        """The chosen ones, with later ones before them. One whose values a later one calls past is dropped."""
        if not chosen:
            return []
        known = {one.unit.key for one in chosen}
        newer = self._newer(chosen[0], [one for one in able if one.unit.key not in known])[:1]
        found = self._without_replaced([*newer, *chosen], [one.unit for one in chosen])
        # What became of the best matters most; of a newer one beside it, the change may be about another matter.
        for one in sorted(found, key=lambda one: one is not chosen[0]):
            if (fate := self._fate(one, is_best=one is chosen[0] and not newer)) is not None:
                with_fate = self._with_fate(found, one, fate, able)
                return self._without_replaced(with_fate, [one.unit for one in chosen])
        return found

    def _without_replaced(self, found: Sequence[WeighedUnit], sure: Sequence[Unit]) -> list[WeighedUnit]:
        """Leave out what holds no longer by the words of a newer one among them, or of a newer sure one.

        "From now on we remind 36 hours before, not 48" calls the 48 hours past. "The launch moves to 7 December" does
        not name the old day: it takes a sure one to be about the same launch.
        """
        if self._asks_about_past():
            return list(found)
        units = [one.unit for one in found]
        return [
            one
            for one in found
            if not any(self._replaces(newer, one.unit) for newer in units if newer.is_after(one.unit))
            and not any(self._changes_answer(newer, one.unit) for newer in sure if newer.is_after(one.unit))
        ]

    def _asks_about_past(self) -> bool:
        when = time_asked(self._request.message, self._today)
        return when is not None and when.span.first < self._today

    def _replaces(self, newer: Unit, older: Unit) -> bool:
        return self._calls_past(newer, older) or self._has_other_value(newer, older)

    def _has_other_value(self, newer: Unit, older: Unit) -> bool:
        """Return whether the newer one gives another value. A note without a day may only have been touched since."""
        passage = newer.found[0].match.passage
        is_dated = bool(passage.date or passage.valid_from)
        return is_dated and self._values.is_replaced(_statements(older), _statements(newer))

    def _calls_past(self, newer: Unit, older: Unit) -> bool:
        # What the message names itself is no value: "three, and not in the middle of a jump".
        said = topic_words(" ".join(_texts(older))) - topic_words(self._request.message)
        return any(past_words(text) & said for text in _sentences(newer) if self._is_about(text))

    def _changes_answer(self, newer: Unit, older: Unit) -> bool:
        """Return whether both hold the kind of thing that is asked for, and the newer one says a change."""
        message = self._request.message
        if not kind_asked(message):
            return False
        answers = [text for text in _sentences(newer) if holds_what_is_asked(text, message) and self._is_about(text)]
        older_answers = (holds_what_is_asked(text, message) and self._is_about(text) for text in _sentences(older))
        return any(map(says_change, answers)) and any(older_answers)

    def _is_about(self, text: str) -> bool:
        return any(stem in self._information for stem in self._index.stems(text))

    def of_given(self, given: Sequence[WeighedUnit], able: Sequence[WeighedUnit]) -> list[WeighedUnit]:
        """What was said later about the surest of what the conversation was given before: it holds that already.

        It may have been given for another message, and what this one asks for may have changed since.
        """
        best = max(given, key=lambda one: one.sure, default=None)
        later = self._fate(best, is_best=True) if best and best.sure >= self._floor else None
        if best is None or later is None or self._is_given(later.exchange):
            return []
        return [self._as_sure(later.exchange, best, able)]

    def _with_fate(
        self, found: list[WeighedUnit], one: WeighedUnit, later: FollowUp, able: Sequence[WeighedUnit]
    ) -> list[WeighedUnit]:
        kept = [other for other in found if other is not one or not later.replaces]
        if self._is_given(later.exchange) or later.exchange.chunks in {other.unit.key for other in found}:
            return kept
        return [self._as_sure(later.exchange, one, able), *kept]

    def _is_given(self, exchange: Exchange) -> bool:
        return any(is_held(passage, self._request) for passage in _passages(exchange))

    def is_outdated(self, one: WeighedUnit, given: Sequence[WeighedUnit]) -> bool:
        """Return whether the conversation was given a newer unit before that is about as sure and changes it."""
        least = max(self._floor, NEWER_PLAIN * one.sure)
        rare = RARE * one.evidence.rarest
        return any(
            newer.unit.is_after(one.unit)
            and newer.sure >= least
            and (self._changes_what_says(newer.unit, rare) or self._has_other_value(newer.unit, one.unit))
            for newer in given
        )

    def _changes_what_says(self, unit: Unit, least: float) -> bool:
        """Return whether a sentence says a change and holds a word of the message that says at least so much."""
        return any(
            says_change(text) and any(self._information.get(stem, -1.0) >= least for stem in self._index.stems(text))
            for text in _sentences(unit)
        )

    def _newer(self, best: WeighedUnit, others: Sequence[WeighedUnit]) -> list[WeighedUnit]:
        """Newer units that are less sure than the best, the newest first; one that says a change may be less sure."""
        answer = best.unit.exchange
        values = values_of(self._index, answer, self._information) if answer else AnswerValues([], [])
        found = [
            one._replace(why=BECAME)
            for one in others
            if one.unit.is_after(best.unit) and self._may_change(one, best, [*values.asked, *values.others])
        ]
        surest = max((one.sure for one in found), default=0.0)
        # One below the floor stands for nothing beside one that reaches it.
        least = max(LIKELY * surest, self._floor if surest >= self._floor else 0.0)
        likely = [one for one in found if one.sure >= least]
        return sorted(likely, key=lambda one: one.unit.moment, reverse=True)

    def _may_change(self, one: WeighedUnit, best: WeighedUnit, values: Sequence[str]) -> bool:
        """Return whether a newer unit is sure enough.

        One with a word as rare needs least, if it says a change or takes up a value of the best. A note of no project
        is about something else, unless it fits so well that it was chosen: "shoe size 31 since September".
        """
        if one.evidence.shared:
            return False
        share = one.sure / best.sure
        is_aside = self._is_aside(one.unit, best.unit)
        if one.sure >= self._floor and share >= NEWER_PLAIN and not is_aside:
            return True
        if one.sure < LEAST_SURE * self._floor:
            return False
        changes = self._changes_what_says(one.unit, 0.0) if is_aside else self._says_change(one.unit)
        is_about = any(names(text, values) for text in _sentences(one.unit))
        is_rare = self._rarest(one.unit) >= RARE * best.evidence.rarest
        is_sure = one.sure >= self._floor and share >= NEWER_SHARE
        return (changes and is_sure) or ((changes or is_about) and is_rare)

    def _is_aside(self, unit: Unit, best: Unit) -> bool:
        """Return whether it follows in the conversation of the best, without the kind of thing that is asked for.

        A person who thanks for an answer and turns to something else may name the thing again.
        """
        message = self._request.message
        is_of_one = unit.found[0].match.passage.path == best.found[0].match.passage.path
        asks_for_kind = bool(kind_asked(message))  # a number, a time, a person
        return is_of_one and asks_for_kind and not any(holds_what_is_asked(text, message) for text in _texts(unit))

    def _fate(self, one: WeighedUnit, *, is_best: bool) -> FollowUp | None:
        """What was said later about what an answer says: right after it, or wherever its names occur again."""
        exchange = one.unit.exchange
        if exchange is None:
            return None
        message, information = self._request.message, self._information
        found = corrections(self._index, exchange, message, information)[:1]
        if is_best and not found:
            found = follow_ups(self._index, exchange, message, self._request.where, information)[:1]
        return next((later for later in found if self._may_be_given(later.exchange)), None)

    def _may_be_given(self, exchange: Exchange) -> bool:
        """Return whether it tells something that may be given: it was looked up past the search."""
        admitted = admit(_passages(exchange), self._request.rules, self._index)
        is_seen = all(one.passage for one in admitted) and any(map(tells, exchange.turns))
        return is_seen and not self._is_refused(_unit(exchange, 0.0))

    def _says_change(self, unit: Unit) -> bool:
        return any(map(says_change, _sentences(unit)))

    def _rarest(self, unit: Unit) -> float:
        """Return how much the rarest word of the message says that the unit holds, in whatever form."""
        own = {stem for text in _texts(unit) for stem in self._index.stems(text)}
        return max((said for stem, said in self._information.items() if _is_among(stem, own)), default=-1.0)

    def _as_sure(self, exchange: Exchange, best: WeighedUnit, weighed: Sequence[WeighedUnit]) -> WeighedUnit:
        known = next((one for one in weighed if one.unit.key == exchange.chunks), None)
        if known is None:
            known = WeighedUnit(_unit(exchange, best.sure), best.evidence, best.sure)
        return known._replace(sure=max(known.sure, best.sure), why=BECAME)


def _unit(exchange: Exchange, score: float) -> Unit:
    """Return an exchange that no search found as if its first turn had been."""
    turn = exchange.said or exchange.answers[0]
    match = Match(passage=turn.passages[0], counts=(), length=0.0, chunk=turn.chunks[0])
    return Unit((Ranked(match, score, NOT_EXPLAINED),), exchange)


def _texts(unit: Unit) -> list[str]:
    return [turn.text for turn in unit.exchange.turns] if unit.exchange else [unit.found[0].match.passage.text]


def _statements(unit: Unit) -> Statements:
    if unit.exchange is None:
        return Statements("", _texts(unit))
    return Statements(
        unit.exchange.said.text if unit.exchange.said else "", [turn.text for turn in unit.exchange.answers]
    )


def _sentences(unit: Unit) -> list[str]:
    return [piece.text for text in _texts(unit) for piece in pieces(text) if not piece.code]


def _passages(exchange: Exchange) -> list[Passage]:
    return [passage for turn in exchange.turns for passage in turn.passages]


def _is_among(stem: str, stems: Iterable[str]) -> bool:
    """Return whether a stem, or a form of it that differs by a short ending, is among others."""
    return stem in stems or any(
        len(shorter) >= _SHORTEST_STEM and longer.startswith(shorter) and len(longer) - len(shorter) <= _ENDING
        for other in stems
        for shorter, longer in ((stem, other) if len(stem) < len(other) else (other, stem),)
    )
