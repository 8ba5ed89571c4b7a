"""A conversation from its error on: what was tried and did not help, and what the last answer was. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.model import remedies
from memoro.model.content_words import content_words
from memoro.model.error_agreement import SAME, best_agreement
from memoro.model.error_signatures import ErrorSignature, errors_in, errors_named
from memoro.unasked.conversations import SpokenTurn

_SAYS_ATTEMPT = 3  # content words: "busy_timeout is at 30 s" says what was tried


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
    told, failed, read = _answers(turns, 1 if by_user else 0, errors)
    lines = frozenset(part.start_line for turn in (turns[0], *read) for part in turn.passages)
    return FollowedError(shown=shown, told=told, failed=tuple(failed), lines=lines, by_user=by_user)


def last_answer(turns: Sequence[SpokenTurn], errors: Sequence[ErrorSignature]) -> SpokenTurn | None:
    """Return the last answer to an error, past what did not help or was refused; None if nothing else was told."""
    return _answers(turns, 0, errors)[0]


def _answers(
    turns: Sequence[SpokenTurn], first: int, errors: Sequence[ErrorSignature]
) -> tuple[SpokenTurn | None, list[SpokenTurn], list[SpokenTurn]]:
    """Return the last answer, what did not help, and the turns that were read, from a first one on."""
    failed: list[SpokenTurn] = []
    told: SpokenTurn | None = None
    read: list[SpokenTurn] = []
    for place, turn in enumerate(turns[first:], first):
        if turn.speaker != "User":
            if remedies.still_fails(turn.text):
                failed.append(_attempted(turn, told))
                told = None
            else:
                told = _told(told, turn)
        elif remedies.tells_cause(turn.text):
            told = turn
            break
        elif told is not None and (_says_it_failed(turn, errors) or remedies.refuses(turn.text, told.text)):
            failed.append(told)
            told = None
        elif not _goes_on(turns[: place + 2], place, told, failed):
            break
        read.append(turn)
    return told, failed, read


def _says_it_failed(turn: SpokenTurn, errors: Sequence[ErrorSignature]) -> bool:
    said = turn.text
    is_same = best_agreement(errors, errors_in(said)) >= SAME
    return is_same or remedies.rejects(said) or remedies.still_fails(said)


def _attempted(turn: SpokenTurn, told: SpokenTurn | None) -> SpokenTurn:
    """Return what did not help: what the answer says that it tried; of "Done. The same error.", what was told."""
    tried = turn._replace(text=remedies.attempt(turn.text))
    is_said = not remedies.only_looks(tried.text) or len(content_words(tried.text)) >= _SAYS_ATTEMPT
    return tried if is_said or told is None or remedies.only_looks(told.text) else told


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
    before, answer = ("\n".join(one.text for one in some) for some in (turns[:place], turns[place + 1 :]))
    said = turns[place].text
    if told is None:
        return not failed or remedies.is_next_attempt(before, said, answer)
    if remedies.only_looks(told.text) or remedies.fails_again(before, said, answer):
        return True
    return remedies.orders_next(said) and remedies.works(answer) and not remedies.confirms(said)
