"""The errors of a session, each with what solved it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro.conversation import digest_cues as cues
from memoro.conversation import error_cues
from memoro.conversation.failed_calls import SolvedCall
from memoro.conversation.sentences import alike, sentences, shortened, words
from memoro.conversation.spoken import Said
from memoro.model import remedies

_MOST = 5
_SAME = 0.5  # of the words of a cure: then a command met the error that a person named
_ERROR_CHARACTERS, _LINE_CHARACTERS = 110, 300
_NOISE = re.compile(r"^\s*(?:\d{4}-\d\d-\d\d[T ][\d:.,Z+-]+\s*|\[[^\]]{1,30}\]\s*|E\s{2,}|npm ERR!\s*|\$ )+")


def solved_errors(talk: Sequence[Said], calls: Sequence[SolvedCall] = ()) -> list[str]:
    """Return one line for each error that a person showed or named, or a command met, with its cause and cure."""
    met = [(_shown_error(one.output), _told_cure([part.text for part in sentences(one.answer)])) for one in calls]
    cures = [words(cure) for _, cure in met]
    told = [
        (error, cure)
        for error, cure in _of_person(talk)
        if not any(alike(words(cure), one) >= _SAME for one in cures)
    ]
    found = {_key(error): shortened(f"{error}: {cure}", _LINE_CHARACTERS) for error, cure in [*told, *met] if cure}
    return list(found.values())[-_MOST:]


def _of_person(talk: Sequence[Said]) -> list[tuple[str, str]]:
    """Return the errors that a person showed or named, with their cures."""
    found: list[tuple[str, str]] = []
    followed = 0  # the answer that the last error comes with
    for place, said in enumerate(talk[:-1]):
        if not said.by_user or talk[place + 1].by_user:
            continue
        if place < followed and remedies.orders_next(said.text):  # "try a longer timeout" names no error
            continue
        shown = _shown_error(said.text)
        error = shown or _named_error(said)
        last = _last_answer(talk, place + 1) if error else None
        if last is None or (not shown and (_offers(talk[last]) or remedies.only_looks(talk[last].text))):
            continue
        if cure := _cure(talk[last]):
            followed = last
            found.append((error, cure))
    return found


def _last_answer(talk: Sequence[Said], place: int) -> int | None:
    """Return the place of the answer to go by, past attempts that failed or were refused; None if all were."""
    for number in range(place, len(talk), 2):
        before = "\n".join(said.text for said in talk[place - 1 : number + 1])
        order, then = _next_exchange(talk, number)
        if remedies.still_fails(talk[number].text):
            if not remedies.is_next_attempt(before, order, then):
                return None
        elif not (remedies.fails_again(before, order, then) or remedies.refuses(order, talk[number].text)):
            return number
    return None


def _next_exchange(talk: Sequence[Said], number: int) -> tuple[str, str]:
    """Return what the user says to an answer, and the answer to that; empty where nobody answers."""
    following = talk[number + 1 : number + 3]
    if len(following) < 2 or following[1].by_user:
        return "", ""
    return following[0].text, following[1].text


def _offers(answer: Said) -> bool:
    """Return whether an answer leaves a choice: then nothing is solved yet."""
    return any(cues.PROPOSES.search(one.text) or cues.OPTIONS.search(one.text) for one in answer.sentences[:3])


def _shown_error(text: str) -> str:
    """Return the line of a pasted trace or message that names the error: the last of a traceback, else the first."""
    lines = [line for line in text.split("\n") if error_cues.ERROR_LINE.search(line) and "Traceback" not in line]
    if not lines:
        return ""
    line = lines[-1] if "Traceback" in text else lines[0]
    line = " ".join(_NOISE.sub("", line).split()).replace("`", "'")
    if "\n" not in text and len(line) > _ERROR_CHARACTERS:
        at = error_cues.ERROR_LINE.search(line)
        line = line[at.start() :].lstrip(" :-") if at else line
    return f"`{shortened(line, _ERROR_CHARACTERS)}`"


def _named_error(said: Said) -> str:
    """Return the sentence in which a person says that something does not work."""
    for one in said.sentences[:2]:
        if (
            error_cues.TELLS_TROUBLE.search(one.text)
            and not error_cues.IS_NO_ERROR.search(one.text)
            and not error_cues.SUPPOSES.search(one.text)
            and len(words(one.text)) >= 3
        ):
            return shortened(one.text.rstrip(".:?!"), _ERROR_CHARACTERS)
    return ""


def _cure(answer: Said) -> str:
    """Return the sentences of an answer that say why, and what helped."""
    return _told_cure([one.text for one in answer.sentences])


def _told_cure(spoken: Sequence[str]) -> str:
    told = [one for one in spoken if not cues.QUESTION.search(one) and len(words(one)) > 1]
    wanted = [n for n, one in enumerate(told) if n == 0 or error_cues.SOLVES.search(one)]
    return " ".join(told[n] for n in wanted[:3])


def _key(error: str) -> str:
    return re.sub(r"[\d\W_]+", " ", error.lower()).strip()
