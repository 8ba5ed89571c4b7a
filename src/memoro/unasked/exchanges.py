"""The units that are given: a passage of a note, a memory, or what a person said together with the answer to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import Passage

if TYPE_CHECKING:
    from memoro.model.answers import Match
    from memoro.store.ports import Index

USER = "User"
# Chunks before and after a turn among which its exchange is looked for: a long answer is several chunks.
_BEFORE, _AFTER = 8, 10


class TurnText(NamedTuple):
    """One turn of a conversation, put together from its chunks."""

    speaker: str
    line: int
    passages: tuple[Passage, ...]
    chunks: tuple[int, ...]

    @property
    def text(self) -> str:
        """What was said, without the name of who said it."""
        texts = [one.text.removeprefix(f"{self.speaker}: ") for one in self.passages]
        return "\n".join(texts)


class Exchange(NamedTuple):
    """What a person said and the answers to it, until the person spoke again."""

    said: TurnText | None  # None: the conversation begins with an answer
    answers: tuple[TurnText, ...] = ()
    asked: TurnText | None = None  # what the assistant had asked, where this is found as the reply to that

    @property
    def turns(self) -> tuple[TurnText, ...]:
        return ((self.said,) if self.said else ()) + self.answers

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(chunk for turn in self.turns for chunk in turn.chunks)


def exchanges_of(
    index: Index, chunks: Mapping[int, Passage], fresh: Callable[[Passage], Passage | None] = lambda one: one
) -> dict[int, Exchange]:
    """Return the exchange of each of these chunks of conversations, without what is private.

    `fresh` returns the part of a passage that the conversation does not hold already; only that is in the exchange.

    Where a question is private, so are the answers to it: of such an exchange nothing is returned.
    """
    by_path: dict[str, list[int]] = {}
    for chunk, passage in chunks.items():
        by_path.setdefault(passage.path, []).append(chunk)
    wanted: dict[str, list[int]] = {path: _window(index.chunks_of([path]), own) for path, own in by_path.items()}
    known = {one.chunk: one for one in index.look_up([n for some in wanted.values() for n in some], [])}
    found: dict[int, Exchange] = {}
    for path, own in by_path.items():
        for exchange in _exchanges(turns_of(known[n] for n in wanted[path] if n in known)):
            shown = _without(exchange, fresh)
            found.update({n: shown for n in shown.chunks if n in own})
    return found


def following(index: Index, exchange: Exchange, count: int) -> list[Exchange]:
    """Return the next exchanges of the same conversation."""
    path, last = exchange.turns[-1].passages[-1].path, exchange.chunks[-1]
    chunks = index.chunks_of([path])
    place = chunks.index(last) + 1 if last in chunks else len(chunks)
    near = index.look_up(chunks[place : place + _AFTER * count // 2], [])
    after = [_without(one, lambda passage: passage) for one in _exchanges(turns_of(near))]
    return [one for one in after if one.said][:count]


def _window(all_chunks: Sequence[int], chosen: Iterable[int]) -> list[int]:
    """The chunks near the chosen ones, in the order of the file."""
    place = {chunk: n for n, chunk in enumerate(all_chunks)}
    near: set[int] = set()
    for chunk in chosen:
        if chunk in place:
            near.update(range(max(0, place[chunk] - _BEFORE), min(len(all_chunks), place[chunk] + _AFTER + 1)))
    return [all_chunks[n] for n in sorted(near)]


def turns_of(matches: Iterable[Match]) -> list[TurnText]:
    """Put the chunks of each turn together."""
    found: list[TurnText] = []
    for one in sorted(matches, key=lambda match: (match.passage.start_line, match.chunk)):
        passage = one.passage
        if passage.speaker is None:
            continue
        last = found[-1] if found else None
        if last and last.line == passage.start_line and last.speaker == passage.speaker:
            joined = last._replace(passages=(*last.passages, passage), chunks=(*last.chunks, one.chunk))
            found[-1] = joined
        else:
            turn = TurnText(
                speaker=passage.speaker, line=passage.start_line, passages=(passage,), chunks=(one.chunk,)
            )
            found.append(turn)
    return found


def _exchanges(turns: Sequence[TurnText]) -> list[Exchange]:
    """Between a person and an assistant, an exchange ends where the person speaks again."""
    found: list[Exchange] = []
    is_chat = any(turn.speaker == USER for turn in turns)
    for turn in turns:
        last = found[-1] if found else None
        if turn.speaker == USER or not is_chat:
            found.append(Exchange(turn))
        elif last is None:
            found.append(Exchange(None, (turn,)))
        else:
            found[-1] = last._replace(answers=(*last.answers, turn))
    return found


def _without(exchange: Exchange, fresh: Callable[[Passage], Passage | None]) -> Exchange:
    """The exchange without passages that are private, and without what of the others is not fresh."""
    if exchange.said and any(map(_is_private, exchange.said.passages)):
        return Exchange(None)

    def rest(turn: TurnText) -> TurnText:
        shown = [
            (passage, chunk)
            for one, chunk in zip(turn.passages, turn.chunks, strict=True)
            if not _is_private(one) and (passage := fresh(one)) is not None
        ]
        return turn._replace(
            passages=tuple(passage for passage, _ in shown), chunks=tuple(chunk for _, chunk in shown)
        )

    answers = [rest(turn) for turn in exchange.answers]
    is_cut = any(
        one not in turn.passages for new, turn in zip(answers, exchange.answers, strict=True) for one in new.passages
    )
    # The rest of an answer is not told without its question.
    said = exchange.said if is_cut or not exchange.said else rest(exchange.said)
    return Exchange(said if said and said.chunks else None, tuple(turn for turn in answers if turn.chunks))


def _is_private(passage: Passage) -> bool:
    return passage.privacy == "private"
