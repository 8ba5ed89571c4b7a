"""The turns of a session as sentences: what each side said, without code, traces and other pasted text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation.sentences import Sentence, sentences
from memoro.model.feedback import feedback_in
from memoro.model.own_lines import own_lines
from memoro.model.remembered import remembered
from memoro.model.typed_text import without_other_voices
from memoro.transcripts.ports import Turn

_ORDINAL_END = re.compile(r"\b(?:der|dem|den|des|am|zum|vom|beim|im|jeden|jedem) \d{1,2}\.$", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?:,| –| —)?\s*\b(?:yes|please|thanks|thank you|then|though|ok|right|ja|bitte|danke|dann|oui|merci|"
    r"s['’]il (?:te|vous) plaît|"
    r"sí|gracias|por favor|sim|obrigad[oa]|grazie|per favore|haha|lol)\s*([.!]*)$",
    re.IGNORECASE,
)
# "Also the broker: it moves": without its introduction, this names nothing.
_SPEAKS_OF_IT = re.compile(r"(?:it|they|he|she|er|sie|es|il|elle)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|(?<=[:;,.] ))\(?([1-9])[.)]\s+(?=\S)")  # of an item of a list within a sentence


class Said(NamedTuple):
    """What one side said until the other spoke."""

    by_user: bool
    sentences: tuple[Sentence, ...]
    line: int  # of the log
    text: str  # as it stands in the log
    number: int  # of its first turn


def spoken(turns: Sequence[Turn]) -> list[Said]:
    """Return who said what, in order; consecutive turns of the assistant count as one."""
    found: list[Said] = []
    for number, turn in enumerate(turns):
        by_user = turn.speaker == "User"
        own = _whole(sentences(_typed(turn.text))) if by_user else _with_items(_whole(sentences(turn.text)))
        if found and not by_user and not found[-1].by_user:
            last = found[-1]
            found[-1] = last._replace(sentences=last.sentences + own, text=f"{last.text}\n{turn.text}")
        else:
            found.append(Said(by_user=by_user, sentences=own, line=turn.line, text=turn.text, number=number))
    return found


def _typed(text: str) -> str:
    """Return what the user wrote themselves; nothing of feedback (`/wrong …`), which answers no question."""
    return "" if feedback_in(text) else own_lines(without_other_voices(text))


def _whole(found: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Join sentences that were parted inside of code."""
    joined: list[Sentence] = []
    for one in found:
        if joined and one.item is None and (joined[-1].text.count("`") % 2 or _is_parted(joined[-1].text, one.text)):
            joined[-1] = joined[-1]._replace(text=f"{joined[-1].text} {one.text}")
        else:
            joined.append(one)
    return tuple(joined)


def _with_items(found: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Take lists within a sentence apart: "Three choices: 1. maroto, plain; 2. typst, a binary"."""
    return tuple(part for one in found for part in (_items(one.text) if one.item is None else ()) or (one,))


def _items(text: str) -> list[Sentence]:
    """Return what introduces a list within a sentence, and its items; nothing if there is none."""
    marks = list(_NUMBER.finditer(text))
    if len(marks) < 2 or [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    parts = [text[mark.end() : end].rstrip(" ;,.") for mark, end in zip(marks, ends, strict=True)]
    begins = text[: marks[0].start()].rstrip()
    items = [Sentence(part, number) for number, part in enumerate(parts, start=1)]
    return [Sentence(begins), *items] if begins else items


def _is_parted(one: str, other: str) -> bool:
    """Return whether a sentence was parted after a number that counts: "am 10. Werktag", "seit dem 17.10. die"."""
    return bool(_ORDINAL_END.search(one)) or (bool(re.search(r"\d\.$", one)) and other[:1].islower())


@remembered(4096)
def bare(text: str) -> str:
    """Return a sentence without words of agreement, courtesy and greeting around what it says."""
    text = cues.OPENING.sub("", cues.GREETING.sub("", text.strip())).strip()
    told = cues.INTRODUCES.sub("", text)
    return _CLOSING.sub(r"\1", text if _SPEAKS_OF_IT.match(told) else told).strip()
