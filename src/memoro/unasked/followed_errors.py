"""A conversation from its error on: what was tried and did not help, and what the last answer was. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.model import remedies
from memoro.model.content_words import content_words
from memoro.model.error_agreement import SAME, best_agreement
from memoro.model.error_signatures import ErrorSignature, errors_in, errors_named
from memoro.unasked.conversations import SpokenTurn


class FollowedError(NamedTuple):
    shown: ErrorSignature
    told: SpokenTurn | None  # the last answer
    failed: tuple[SpokenTurn, ...]
    lines: frozenset[int]  # of the turns that were read
    by_user: bool  # the user's turn shows the error


def follow(turns: Sequence[SpokenTurn], errors: Sequence[ErrorSignature]) -> FollowedError:
    """Follow a conversation from its error to what solved it, past what the user or an answer says did not help."""
    by_user = turns[0].speaker == "User"
    shown = max(errors_named(turns[0].text) or errors[:1], key=lambda one: best_agreement([one], errors))
    failed: list[SpokenTurn] = []
    told: SpokenTurn | None = None
    read = [turns[0]]
    for place, turn in enumerate(turns[1:] if by_user else turns, 1 if by_user else 0):
        if turn.speaker != "User":
            if remedies.still_fails(turn.text):
                failed.append(_attempted(turn, told))
                told = None
            else:
                told = _told(told, turn)
        elif remedies.tells_cause(turn.text):
            told = turn
            break
        elif told is not None and _says_it_failed(turn, errors):
            failed.append(told)
            told = None
        elif not _goes_on(turns[: place + 2], place, told, failed):
            break
        read.append(turn)
    lines = frozenset(part.start_line for turn in read for part in turn.passages)
    return FollowedError(shown=shown, told=told, failed=tuple(failed), lines=lines, by_user=by_user)


def _says_it_failed(turn: SpokenTurn, errors: Sequence[ErrorSignature]) -> bool:
    said = turn.text
    is_same = best_agreement(errors, errors_in(said)) >= SAME
    return is_same or remedies.rejects(said) or remedies.still_fails(said)


def _attempted(turn: SpokenTurn, told: SpokenTurn | None) -> SpokenTurn:
    """Return what did not help: what the answer says that it tried, else what was told before."""
    tried = turn._replace(text=remedies.attempt(turn.text))
    return told if told is not None and remedies.only_looks(tried.text) else tried


def _told(told: SpokenTurn | None, turn: SpokenTurn) -> SpokenTurn:
    """Return what the last answer tells: one that only looks tells nothing; the cause that it carries out stays."""
    if told is None:
        return turn
    if remedies.only_looks(turn.text):
        return told
    if remedies.only_looks(told.text):
        return turn
    return told._replace(text=f"{told.text}\n{turn.text}", passages=(*told.passages, *turn.passages))


def _goes_on(turns: Sequence[SpokenTurn], place: int, told: SpokenTurn | None, failed: Sequence[SpokenTurn]) -> bool:
    """Return whether a user's turn goes on with the error. The last of the turns is the answer to it, if any."""
    said, answer = turns[place].text, "".join(one.text for one in turns[place + 1 :])
    if told is None:
        return not failed or remedies.orders_next(said) or _is_about_it(turns, place, answer)
    if remedies.only_looks(told.text):
        return True
    tells_end = remedies.still_fails(answer) or (remedies.orders_next(said) and remedies.works(answer))
    return tells_end and not remedies.confirms(said)


def _is_about_it(turns: Sequence[SpokenTurn], place: int, answer: str) -> bool:
    """Return whether an order after a failed attempt shares a word with what was said of the error, or ends it."""
    before = content_words("\n".join(one.text for one in turns[:place]))
    said = {word for word in content_words(turns[place].text) if len(word) > 3}
    return bool(said & before) or remedies.still_fails(answer) or remedies.works(answer)
