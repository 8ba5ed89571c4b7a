"""Go on from a question that an assistant asked back to the person's reply: the question is no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoro.model.statements import only_asks
from memoro.unasked.exchanges import Exchange, TurnText, exchanges_of, following
from memoro.unasked.item_writer import tells
from memoro.unasked.shortening import pieces
from memoro.unasked.weighing import Unit

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.store.ports import Index
    from memoro.unasked.admission import Admission


class Replies:
    """Finds the replies to questions that hold more of a message than what was told beside them."""

    def __init__(
        self,
        index: Index,
        information: Mapping[str, float],
        admission: Admission,
        is_held: Callable[[Passage], bool],
    ) -> None:
        self._index, self._admission = index, admission
        self._information = information  # of each stem of the message
        self.is_held = is_held

    def gone_on(self, units: Sequence[Unit]) -> tuple[list[Unit], list[Unit]]:
        """Return the units with each such question replaced by its reply, and those whose reply is held already."""
        found: dict[tuple[int, ...], Unit] = {}
        held: list[Unit] = []
        for unit in units:
            asked = self._asked_back(unit.exchange) if unit.exchange else None
            said = self._next_said(unit.exchange) if unit.exchange and asked else None
            if said and all(map(self.is_held, said.passages)):
                held.append(unit)
                continue
            reply = self._reply(said) if said else None
            new = unit._replace(exchange=reply._replace(asked=asked)) if reply else unit
            known = found.get(new.key)
            found[new.key] = _joined(known, new) if known else new
        return list(found.values()), held

    def _asked_back(self, exchange: Exchange) -> TurnText | None:
        """The question at the end of the last answer, if that is what holds the message's words."""
        last = exchange.answers[-1] if exchange.answers else None
        asked = _last_questions(last.text) if last else []
        if last is None or not asked:
            return None
        answered = [one for turn in exchange.answers for one in _sentences(turn) if not only_asks(one)]
        said = _sentences(exchange.said) if exchange.said else []
        # What was asked before and got no answer says nothing of where the answer is.
        others = [*answered, *(said if answered else [one for one in said if not only_asks(one)])]
        if self._most(asked) <= self._most(others):
            return None
        passage = last.passages[-1]._replace(text=" ".join(asked))
        return last._replace(passages=(passage,), chunks=last.chunks[-1:])

    def _most(self, texts: Iterable[str]) -> float:
        """Return how much of the message the text says that holds most of it."""
        own = map(self._index.stems, texts)
        return max((sum(self._information.get(stem, 0.0) for stem in set(stems)) for stems in own), default=0.0)

    def _next_said(self, exchange: Exchange) -> TurnText | None:
        return next((one.said for one in following(self._index, exchange, 1)), None)

    def _fresh(self, passage: Passage) -> Passage | None:
        return None if self.is_held(passage) else passage

    def _reply(self, said: TurnText) -> Exchange | None:
        """The exchange that begins with this, where it tells something that the session may see."""
        chunk, passage = said.chunks[0], said.passages[0]
        reply = exchanges_of(self._index, {chunk: passage}, self._fresh).get(chunk)
        if reply is None or not any(map(tells, reply.turns)):
            return None
        passages = [passage for turn in reply.turns for passage in turn.passages]
        return reply if None not in self._admission(self._index, passages) else None


def _joined(known: Unit, new: Unit) -> Unit:
    """One unit of a reply that was found itself and by the question before it."""
    is_asked = new.exchange is not None and new.exchange.asked is not None
    return Unit((*known.found, *new.found), new.exchange if is_asked else known.exchange)


def _last_questions(text: str) -> list[str]:
    found: list[str] = []
    for one in reversed(pieces(text)):
        if one.code or not only_asks(one.text):
            break
        found.insert(0, one.text)
    return found


def _sentences(turn: TurnText) -> list[str]:
    return [one.text for one in pieces(turn.text)]
