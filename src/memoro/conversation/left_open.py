"""What a session leaves open: lists of what is left, things to do later, questions without an answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation.sentences import alike, sentences, shortened, words
from memoro.conversation.spoken import Said

_LINE_CHARACTERS = 200
_MOST = 10
_SAME = 0.6  # of the words of an item that a later report must hold, for the item to be done
_SEPARATOR = re.compile(
    r";\s+|,\s+(?:and|und|et|y|e|sowie|or|plus)\s+|,\s+|，|；|、(?=.{4})|(?<=\w) (?:and|und|sowie) (?=(?:the|a|an|der|die|das|ein\w*) )"
)
# A part of a sentence that belongs to the part before it.
_BELONGS = re.compile(
    r"^(?:which|because|since|so|but|if|until|as|or|where|who|when|then|that|otherwise|not|ideally|preferably|e\.g|i\.e|weil|"
    r"damit|da|aber|wenn|falls|bis|oder|dass|sonst|nicht|die|der|das|wo|qui|que|parce|mais|si|car|porque|pero|cuando|mas|quando|"
    r"perché|ma|se|including|such|like|wie|etwa|zum|for|with|without|by|on|at|in|from|to)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:has|have|is|are|isn(?:'|’)t|aren(?:'|’)t|needs?|must|can|should|waits?|will|hasn(?:'|’)t|wants?|does|ist|sind|hat|haben|"
    r"muss|müssen|fehlt|fehlen|wartet|soll|kann|steht|est|sont|doit|manque|falta\w*|tiene|tem|deve|è|sono|manca)\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(r"`[^`]*`|\([^()]*\)|\"[^\"]*\"|“[^”]*”")
_TALK = re.compile(
    r"^(?:(?:ok(?:ay)?|noted|sure|yes|done|understood|fine|good|alright|right|gut|notiert|ist notiert|verstanden|ja|klar|"
    r"d['’]accord|noté|anotado|ok)\b[,:.!]?\s*)+(?:,?\s*(?:it(?:'|’)?s )?(?:on my list|i(?:'|’)ll remember)[:,]?\s*)?|"
    r"^(?:on (?:my|your|the) (?:to-?do )?list|still open|open|todo|tbd|note|reminder|auf meiner liste|offen)\s*[:：]\s*",
    re.IGNORECASE,
)
_ASKS_USER = re.compile(
    r"\b(?:shall|should|do you|would you|want me|which|what|who|when|where|how|can you|could you|soll(?:en)?|möchte\w*|welche\w*|"
    r"willst|wer|wann|wo|voulez|veux|quel\w*|quieres|cuál|quer\w*|qual|vuoi|quale)\b",
    re.IGNORECASE,
)


class OpenItem(NamedTuple):
    line: str
    about: frozenset[str]
    place: int  # of the turn


def open_items(talk: Sequence[Said]) -> list[str]:
    """Return what is left at the end, each item once, without those that were done later in the session."""
    found: list[OpenItem] = []
    for place, said in enumerate(talk):
        asked = place > 0 and talk[place - 1].by_user and _asks_what_is_left(talk[place - 1])
        listed = list(_listed(said, place, asked=asked))
        if asked and listed:
            found = []  # the newest list is complete
        for item in listed or _mentioned(said, place):
            found = [old for old in found if alike(old.about, item.about) < 0.75]
            found.append(item)
    found += _unanswered(talk)
    left = [item for item in found if not _is_done(item, talk)]
    return [item.line for item in left][-_MOST:]


def _asks_what_is_left(said: Said) -> bool:
    return any(cues.ASKS_WHAT_IS_LEFT.search(one.text) for one in said.sentences)


def _listed(said: Said, place: int, *, asked: bool) -> Iterator[OpenItem]:
    """Yield the items of lists under "Open:", "Next steps:", and of an answer to "what is left?"."""
    under = False
    for line in said.text.split("\n"):
        bare = re.sub(r"[*_#]+", "", line).strip()
        heading = cues.LEFT_HEADING.match(bare)
        is_item = bool(re.match(r"\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+", line))
        if heading:
            rest = bare[heading.end() :].strip()
            under = not rest
            yield from (_item(one, place) for one in _split(rest) if _is_item(one))
        elif under and is_item:
            yield from _bullet(line, place)
        elif under and bare:
            under = False
    if (
        asked
        and not said.by_user
        and not any(cues.LEFT_HEADING.match(re.sub(r"[*_#]+", "", line).strip()) for line in said.text.split("\n"))
    ):
        yield from _of_answer(said, place)


def _of_answer(said: Said, place: int) -> Iterator[OpenItem]:
    """Yield the items of an answer to "what is left?" that has no heading."""
    items = [one for one in said.sentences if one.item is not None]
    for one in items:
        yield from _bullet(f"- {one.text}", place)
    if items:
        return
    for one in said.sentences:
        text = re.sub(
            r"^(?:nothing else|not much|only|just|nur|nicht viel)[,:.]?\s*", "", one.text, flags=re.IGNORECASE
        )
        text = (
            text.split(": ", 1)[1] if re.match(r"^[^:]{1,40}: ", text) and "`" not in text.split(": ", 1)[0] else text
        )
        if cues.QUESTION.search(text) or re.match(
            r"^(?:nothing|nichts|rien|nada|niente|all done|everything)\b", one.text, re.I
        ):
            continue
        yield from (_item(part, place) for part in _split(text) if _is_item(part))


def _bullet(line: str, place: int) -> Iterator[OpenItem]:
    text = re.sub(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+", "", line)
    if re.match(r"\[[xX]\]|~~|✅|☑", text):
        return
    text = re.sub(r"^\[ \]\s*", "", text)
    if _is_item(text):
        yield _item(text, place)


def _mentioned(said: Said, place: int) -> Iterator[OpenItem]:
    """Yield the sentences that say that something waits, or is to be done at a time to come."""
    for one in said.sentences:
        text = _TALK.sub("", one.text).strip()
        if cues.QUESTION.search(text) or not words(text):
            continue
        waits = cues.LEFT.search(one.text) or (cues.LATER.search(text) and cues.TO_DO.match(text))
        if waits and len(words(text)) >= 1 and not (said.by_user and cues.DONE.search(text)):
            yield _item(text, place)


def _unanswered(talk: Sequence[Said]) -> list[OpenItem]:
    """Return the questions at the end that nobody answered."""
    if not talk:
        return []
    last = talk[-1]
    asked = [one.text for one in last.sentences[-2:] if cues.QUESTION.search(one.text) and len(words(one.text)) > 1]
    if not last.by_user:
        asked = [one for one in asked if _ASKS_USER.search(one)]
    return [_item(one, len(talk) - 1) for one in asked]


def _split(text: str) -> list[str]:
    """Return the items of a sentence that lists several."""
    held: list[str] = []
    masked = _OUTSIDE.sub(lambda found: "\x00" * len(found[0]), text)
    for sentence in sentences(text) if len(text) > _LINE_CHARACTERS and "\x00" not in masked else [None]:
        part = text if sentence is None else sentence.text
        inner = masked if sentence is None else part
        ends = [0]
        starts = []
        for found in _SEPARATOR.finditer(inner):
            starts.append(found.start())
            ends.append(found.end())
        pieces = [part[a:b].strip() for a, b in zip(ends, [*starts, len(part)], strict=True)]
        held += _joined([one for one in pieces if one])
    return held


def _joined(pieces: Sequence[str]) -> list[str]:
    """Join a part that says nothing by itself with the part before it."""
    found: list[str] = []
    for piece in pieces:
        brief = len(words(piece)) < 2 or (len(piece.split()) < 3 and not _VERB.search(piece) and piece.isascii())
        if found and (_BELONGS.match(piece) or brief):
            found[-1] = f"{found[-1]}, {piece}"
        else:
            found.append(piece)
    return found


def _is_item(text: str) -> bool:
    bare = text.strip(" .!…")
    return bool(words(bare)) and not re.fullmatch(
        r"(?:nothing|none|nichts|keine?s?|rien|nada|niente|无|没有)\b.*", bare, re.IGNORECASE
    )


def _item(text: str, place: int) -> OpenItem:
    line = _TALK.sub("", text).strip().rstrip(".;,。；").strip()
    line = re.sub(r"[*_]{2}", "", line)
    line = line[:1].upper() + line[1:] if re.match(r"[a-zäöü]+\s", line) else line
    return OpenItem(shortened(line, _LINE_CHARACTERS), words(line), place)


def _is_done(item: OpenItem, talk: Sequence[Said]) -> bool:
    """Return whether a later turn reports that it was done."""
    for said in talk[item.place + 1 :]:
        for one in said.sentences:
            if cues.QUESTION.search(one.text) or cues.LEFT.search(one.text) or cues.LATER.search(one.text):
                continue
            about = words(one.text)
            if (
                cues.DONE.search(one.text)
                and item.about
                and len(item.about & about) >= max(1, _SAME * len(item.about))
            ):
                return True
    return False
