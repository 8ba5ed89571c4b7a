"""The open items of a session: lists of what is left, things to do later, unanswered questions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation import error_cues, open_cues
from memoro.conversation.sentences import alike, sentences, shortened, words
from memoro.conversation.spoken import Said, bare
from memoro.model import remedies
from memoro.model.open_items import carried_out, closes

_LINE_CHARACTERS = 200
_CONTEXT_CHARACTERS = 110
_SUBJECT_CHARACTERS = 60  # before a colon
_MOST = 10
_AT_THE_END = 6  # turns
_LAST_TURNS = 60  # an assistant's remark before them about what comes next was about the session itself
_SAME = 0.6  # of the words of an item that a later report must hold, for the item to be done
_SEPARATOR = re.compile(
    r";\s+|,\s+(?:and|und|et|y|e|sowie|or|plus)\s+|,\s+|，|；|、(?=.{4})|(?<=\w) (?:and|und|sowie) (?=(?:the|a|an|"
    r"der|die|das|ein\w*) )"
)
# A part of a sentence that belongs to the part before it.
_BELONGS = re.compile(
    r"^(?:it|its|they|this|these|he|she|es|er|sie(?= \w+t\b)|"
    r"ones?|which|because|since|so|but|if|until|as|or|where|who|when|then|that|otherwise|not|ideally|"
    r"preferably|e\.g|i\.e|weil|"
    r"damit|da|aber|wenn|falls|bis|oder|dass|sonst|nicht|(?:die|der|das|den|dem)(?! [A-ZÄÖÜ])|wo|qui|que|parce|"
    r"mais|si|car|porque|pero|cuando|mas|quando|"
    r"perché|ma|se|including|such|like|wie|etwa|zum|for|with|without|by|on|at|in|from|to|"
    r"needs|has|is|are|was|were|waits|wants|lacks|ist|sind|hat|braucht)\b"
)
# What introduces a list and names nothing, before a colon: "two things still open".
_LABEL_WORDS = frozenset(
    word
    for line in (
        "yes well so just only still also now then for here here's there there's is are that leaves left we i you",
        "have the this these those a an all of one two three four five six few some several couple last small main",
        "open remaining missing thing things point points item items task tasks issue issues question questions step",
        "steps todo todos list following rest more to do on my your our ja nur noch es gibt wir haben hat ist sind",
        "zwei drei vier fünf sechs ein eine einen einige paar offen offene übrig ding dinge sache sachen punkt",
        "punkte aufgabe aufgaben frage fragen schritt schritte liste folgende folgendes der die das zu tun",
    )
    for word in line.split()
)
_SPEAKS_OF_LAST = re.compile(r"^(?:it|it(?:'|’)s|its|they|he|she|es|er)\b", re.IGNORECASE)  # the item before it
# Puts something off: what comes between is the thing.
_POSTPONES = re.compile(
    r"^(?:(?:please|then|ok|let(?:'|’)?s|we(?:(?:'|’)ll)?|I(?:(?:'|’)ll)?|bitte|dann|wir|ich) )*"
    r"(?:leave|postpone|defer|park|lass(?:en)?|verschieb\w*) (?:wir )?(?P<thing>.+?) "
    r"(?:for|to|until|till|für|auf|bis) $",
    re.IGNORECASE,
)
_OWN_REASON = re.compile(
    r"[,;:–—]\s+(?:because |since |as |weil )?(?:I|we|ich|wir)(?:(?:'|’)(?:m|ve|ll|re))? .*$",
    re.IGNORECASE | re.DOTALL,
)
_VERB = re.compile(
    r"\b(?:has|have|is|are|isn(?:'|’)t|aren(?:'|’)t|needs?|must|can|should|waits?|will|hasn(?:'|’)t|wants?|does|"
    r"ist|sind|hat|haben|"
    r"muss|müssen|fehlt|fehlen|wartet|soll|kann|steht|est|sont|doit|manque|falta\w*|tiene|tem|deve|è|sono|manca)\b",
    re.IGNORECASE,
)
_MAIN_CLAUSE = re.compile(
    r",\s+(?:and|und|et|y|e)\s+(?=(?:the|a|an|my|our|I|we|he|she|they|[A-ZÄÖÜ]\w+|der|die|das|den|ein\w*|ich|wir|"
    r"er|sie|le|la|les|je|on|"
    r"el|los|las|o|os|as|il|lo|gli)\s)|;\s+"
)
_OUTSIDE = re.compile(r"`[^`]*`|\([^()]*\)|\"[^\"]*\"|“[^”]*”")
_GOES_ON = re.compile(
    r"^(?:next(?! (?:time|session|week))|later|before|als nächstes|and|und)\b", re.IGNORECASE
)  # in a person's own work
# What begins with a time to come plans something, whatever else it says: "when the wifi is gone".
_FIRST_LATER = re.compile(
    r"^(?:tomorrow|next (?:time|week|month|session|sprint)|morgen|(?:das |beim )?nächste[ns]? (?:mal|woche|monat))\b",
    re.IGNORECASE,
)
_REMAIN = re.compile(
    r"^(.{3,80}?) (?:remains?|bleib(?:t|en)(?: noch)?(?: offen)?|restent?|quedan?|ficam?|faltam?|"
    r"restano?)\W*$",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:(?:ok(?:ay)?|noted|sure|yes|done|understood|fine|good|alright|right|gut|notiert|ist notiert|verstanden|"
    r"ja|klar|"
    r"d['’]accord|noté|anotado|ok)\b[,:.!]?\s*)+(?:,?\s*(?:it(?:'|’)?s )?(?:on my list|i(?:'|"
    r"’)ll remember)[:,]?\s*)?|"
    r"^(?:on (?:my|your|the) (?:to-?do )?list|still open|open|todo|tbd|note|reminder|auf meiner liste|"
    r"offen)\s*[:：]\s*",
    re.IGNORECASE,
)
_ASKS_USER = re.compile(
    r"\b(?:shall|should|do you|would you|want me|which|what|who|when|where|how|can you|could you|soll(?:en)?|"
    r"möchte\w*|welche\w*|"
    r"willst|wer|wann|wo|voulez|veux|quel\w*|quieres|cuál|quer\w*|qual|vuoi|quale)\b",
    re.IGNORECASE,
)


class LeftOpenItem(NamedTuple):
    line: str
    about: frozenset[str]
    place: int  # of the turn
    is_put_off: bool = False  # only named, to be done later: "leave the contrast for tomorrow"


def open_items(talk: Sequence[Said]) -> list[str]:
    """Return what is left at the end, each item once, without those that were done later in the session."""
    found: list[LeftOpenItem] = []
    first = next((place for place, said in enumerate(talk) if said.by_user), 0)
    for place, said in enumerate(talk):
        asked = place > 0 and talk[place - 1].by_user and _asks_what_is_left(talk[place - 1])
        listed = list(_listed(said, place, asked=asked))
        if asked and listed:
            found = []  # the newest list is complete
        remaining = [words(match[1]) for one in said.sentences if found and (match := _REMAIN.match(one.text))]
        if remaining:
            found = [item for item in found if any(item.about & about for about in remaining)]
        is_task = place == first
        is_long_ago = not said.by_user and place < len(talk) - _LAST_TURNS
        late = not said.by_user and place >= len(talk) - _AT_THE_END
        skip = (is_task and len(talk) > 2) or is_long_ago
        for item in listed or (() if skip else _mentioned(said, place, _last_words(talk, place), late=late)):
            if item.is_put_off and any(item.about <= old.about for old in found):
                continue  # it is told already, and better
            found = [old for old in found if alike(old.about, item.about) < 0.75]
            found.append(item)
    found += _unanswered(talk)
    left = [item for item in found if not _is_done(item, talk)]
    return [item.line for item in left][-_MOST:]


def _asks_what_is_left(said: Said) -> bool:
    asked = [one.text for one in said.sentences if cues.QUESTION.search(one.text) or len(one.text.split()) <= 4]
    return any(open_cues.ASKS_WHAT_IS_LEFT.search(one) for one in asked)


def _listed(said: Said, place: int, *, asked: bool) -> Iterator[LeftOpenItem]:
    """Yield the items of lists under "Open:", "Next steps:", and of an answer to "what is left?"."""
    under = is_headed = False
    for one in said.sentences:
        text = re.sub(r"[*_#]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", one.text) if "*" in one.text else one.text
        heading = open_cues.LEFT_HEADING.match(text) if ":" in text or "：" in text else None
        if heading and not (said.by_user and _GOES_ON.match(text)):
            rest = text[heading.end() :].strip()
            under, is_headed = not rest, True
            yield from (_item(part, place) for part in _split(rest) if _is_item(part))
        elif under and one.item is not None:
            yield from _bullet(one.text, place)
        else:
            under = False
    if asked and not said.by_user and not is_headed:
        yield from _of_answer(said, place)


def _of_answer(said: Said, place: int) -> Iterator[LeftOpenItem]:
    """Yield the items of an answer to "what is left?" that has no heading."""
    items = [one for one in said.sentences if one.item is not None]
    for one in items:
        yield from _bullet(one.text, place)
    if items:
        return
    found: list[LeftOpenItem] = []
    for one in said.sentences:
        text = re.sub(
            r"^(?:nothing else|not much|only|just|nur|nicht viel)[,:.]?\s*", "", one.text, flags=re.IGNORECASE
        )
        if cues.QUESTION.search(text) or re.match(
            r"^(?:nothing|nichts|rien|nada|niente|all done|everything)\b", one.text, re.I
        ):
            continue
        found = _with_items_of(found, text, place)
    yield from found


def _with_items_of(found: list[LeftOpenItem], text: str, place: int) -> list[LeftOpenItem]:
    """Add the items of a sentence: one that has a subject before a colon is one item, and "it" is the item before."""
    before, colon, rest = text.partition(": ")
    is_label = bool(colon) and all(
        word in _LABEL_WORDS for word in re.findall(r"[^\W\d]+(?:['’]\w+)?", before.lower())
    )
    if found and _SPEAKS_OF_LAST.match(text):
        return [*found[:-1], _item(f"{found[-1].line}. {text}", place)]
    parts = _split(rest) if is_label else [text] if colon and len(before) <= _SUBJECT_CHARACTERS else _split(text)
    return [*found, *(_item(part, place) for part in parts if _is_item(part))]


def _bullet(text: str, place: int) -> Iterator[LeftOpenItem]:
    if re.match(r"\[[xX]\]|~~|✅|☑", text):
        return
    text = re.sub(r"^\[ \]\s*", "", text)
    if _is_item(text):
        yield _item(text, place)


def _last_words(talk: Sequence[Said], place: int) -> str:
    """Return the last sentence before a turn."""
    spoken = talk[place - 1].sentences if place else ()
    return spoken[-1].text if spoken else ""


def _mentioned(said: Said, place: int, before: str, *, late: bool) -> Iterator[LeftOpenItem]:
    """Yield the sentences that say that something waits, or is to be done at a time to come."""
    for one in said.sentences:
        text = bare(one.text)
        is_done = said.by_user and open_cues.DONE.search(text) and not _FIRST_LATER.match(text)
        is_error = not said.by_user and bool(error_cues.ERROR_LINE.search(text))
        is_open = words(text) and not cues.QUESTION.search(text) and not is_done and not is_error
        waits = False
        for part in _clauses(text) if is_open else ():
            waits = waits or _waits(part) or (late and bool(open_cues.WAITS_FOR_OTHERS.search(part)))
            if waits and (put_off := _put_off(part, place)):
                yield put_off
            elif waits and (made := _with_context(part, before)):
                yield _item(made, place)._replace(about=words(part))
        before = text if len(words(text)) > 1 else before


def _put_off(text: str, place: int) -> LeftOpenItem | None:
    """Return the item of a clause that puts something off, without a person's reason: "I have to catch the bus"."""
    later = open_cues.LATER.search(text)
    found = _POSTPONES.match(text[: later.start()]) if later else None
    about = words(found["thing"]) if found and not cues.LEANS.search(found["thing"]) else None
    return _item(_OWN_REASON.sub("", text), place)._replace(about=about, is_put_off=True) if about else None


def _with_context(text: str, before: str) -> str:
    """Return an item with what it speaks of, where it names nothing by itself; empty where that is not known."""
    named = words(open_cues.LATER.sub("", text))
    if len(named) > 2 or not (cues.LEANS.search(text) or len(named) < 2):
        return text
    if not before or cues.QUESTION.search(before) or open_cues.LEFT_HEADING.match(before):
        return text if named and open_cues.LEFT.search(text) else ""
    return f"{text.rstrip('.')} ({shortened(before.rstrip('.'), _CONTEXT_CHARACTERS)})"


def _waits(text: str) -> bool:
    """Return whether a clause says that something waits, or is to be done at a time to come."""
    if open_cues.LEFT.search(text):
        return True
    return bool(open_cues.LATER.search(text) and (open_cues.TO_DO.match(text) or open_cues.PLANS.search(text)))


def _clauses(text: str) -> list[str]:
    """Return the main clauses of a sentence, if each says by itself that something waits; else the sentence."""
    parts = [part for part in _MAIN_CLAUSE.split(text) if part]
    found: list[str] = []
    for part in parts:
        if found and len(words(part)) < 2:
            found[-1] = f"{found[-1]}, {part}"
        else:
            found.append(part)
    return found


def _unanswered(talk: Sequence[Said]) -> list[LeftOpenItem]:
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
        parts = piece.split()
        brief = len(words(piece)) < 2 or (len(parts) < 3 and not _VERB.search(piece) and piece.isascii())
        brief = brief or (len(parts) == 3 and parts[1] in ("and", "und", "et", "y", "e"))
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


def _item(text: str, place: int) -> LeftOpenItem:
    line = _TALK.sub("", text).strip().rstrip(".;,。；").strip()
    line = re.sub(r"[*_]{2}", "", line)
    line = re.sub(r"^(?:and|und|et|y|e|sowie) (?=\w)", "", line, flags=re.IGNORECASE)
    line = line[:1].upper() + line[1:] if re.match(r"[a-zäöü]+\s", line) else line
    return LeftOpenItem(shortened(line, _LINE_CHARACTERS), words(line), place)


def _is_done(item: LeftOpenItem, talk: Sequence[Said]) -> bool:
    """Return whether a later turn reports that it was done."""
    needed = max(1.0, _SAME * len(item.about))
    is_trouble = bool(error_cues.TELLS_TROUBLE.search(item.line))
    for place, said in enumerate(talk[item.place + 1 :], item.place + 1):
        before = talk[place - 1]
        if before.by_user and not said.by_user and place - 1 > item.place and _carried_out(before, said, item.line):
            return True
        for one in said.sentences:
            if closes(one.text, item.line):
                return True
            shared = len(item.about & words(one.text))
            if shared >= needed and _reports(one.text):
                return True
            if shared and is_trouble and (remedies.works(one.text) or cues.IS_BACK.search(one.text)):
                return True
    return False


def _carried_out(order: Said, answer: Said, item: str) -> bool:
    return carried_out([one.text for one in order.sentences], [one.text for one in answer.sentences], item)


def _reports(text: str) -> bool:
    """Return whether a sentence says that something was done."""
    is_left = cues.QUESTION.search(text) or open_cues.LEFT.search(text) or open_cues.LATER.search(text)
    return bool(open_cues.DONE.search(text)) and not is_left
