"""Extract lines worth keeping from messages: decisions with their context, open points, problems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from memoro.conversation import cues
from memoro.conversation.messages import Message, MessageRole
from memoro.conversation.sentences import Sentence, alike, sentences, shortened, words
from memoro.model.words import UNSPACED

LineKind = Literal["decision", "open", "topic"]
DECISION: Literal["decision"] = "decision"
OPEN: Literal["open"] = "open"
TOPIC: Literal["topic"] = "topic"

_NAMES = re.compile(r"(?<![.!?] )(?<!^)\b[A-ZÄÖÜÉ][\w&-]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NUMBER = re.compile(r"\d")
_TYPED = re.compile(
    r"\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th)\b|\d[\d.,]*\s?(?:%|percent|minutes?|hours?|days?|weeks?|euros?|km|kg|"
    r"kilos?|degrees|pages|words|nights?|tokens|"
    r"attempts|avril|nächte|días|requests|levels)",
    re.IGNORECASE,
)
_TIGHT = 80  # characters
_REASON = re.compile(
    r",? (?:because|since|so that|as I|as we|which|weil|damit|parce que|porque|para que)\b[^.!?]*(?=[.!?]|$)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:hm+|oh|ah|ach|ugh|wow|phew|well|ok|okay|yes|yeah|great|good|nice|perfect|fine|sensible|right|"
    r"of course|sure|sorry|"
    r"done|noted|understood|good choice|lovely|clear|fun|gut|sounds good|all right|i know|will do|nice one|"
    r"interesting|"
    r"makes sense|honestly)(?: and)?[,.!:]+ )+",
    re.IGNORECASE,
)
_PASTED = 40  # sentences
_BACK = 500  # lines that a correction may refer to: further back, a few common words mean little
_LONG, _BRIEF = 12, 9  # words: of an answer at most, and of one that needs its context


class CandidateLine(NamedTuple):
    """One line that may become part of the summary."""

    kind: LineKind
    score: float
    order: int  # position in the conversation
    text: str
    about: frozenset[str]
    context: str = ""  # the text that it answers
    replaces: str = ""  # the text that it replaces
    needs_context: bool = False  # it names nothing by itself

    def line(self, limit: int) -> str:
        """Return the line, with at most `limit` characters of its context and of the text it replaces.

        A line that names nothing by itself keeps some context, whatever the limit.
        """
        tight = limit < _TIGHT
        spoken = shortened(_core(self.text) if tight else self.text, max(limit * 2, 140))
        room = max(limit, _TIGHT) if self.needs_context else limit
        if self.context and room >= 20:
            spoken = f"{shortened(_core(self.context) if tight else self.context, room)} → {spoken}"
        if self.replaces and limit >= 20:
            spoken = f"{spoken} (instead of: {shortened(self.replaces, limit)})"
        return spoken


class SideMessages(NamedTuple):
    """The messages of one side until the other spoke."""

    role: MessageRole
    sentences: tuple[Sentence, ...]
    first: int  # number of its first message


def by_side(messages: Sequence[Message]) -> list[SideMessages]:
    found: list[SideMessages] = []
    for number, message in enumerate(messages):
        spoken = tuple(sentences(message.text())) if message.role in ("user", "assistant") else ()
        if not spoken:
            continue
        if found and found[-1].role == message.role == "assistant":
            found[-1] = found[-1]._replace(sentences=found[-1].sentences + spoken)
        else:
            found.append(SideMessages(message.role, spoken, number))
    return found


def candidates(messages: Sequence[Message], earlier: Sequence[CandidateLine] = ()) -> list[CandidateLine]:
    """Return all lines that may be kept, in order, without those that were corrected later.

    Lines of an earlier summary come first, and can be corrected like the rest.
    """
    talk = by_side(messages)
    common = _word_counts(talk)
    found = list(earlier)
    for number, one in enumerate(talk):
        order = number * 1000
        if one.role == "assistant":
            found += _assistant_lines(one, order, common)
        else:
            before = talk[number - 1] if number and talk[number - 1].role == "assistant" else None
            last = number >= len(talk) - 1
            fresh = _user_lines(one, before, order, first=not any(t.role == "user" for t in talk[:number]), last=last)
            found = _with_corrections(found, fresh, one)
    return found


def _user_lines(
    one: SideMessages, before: SideMessages | None, order: int, *, first: bool, last: bool
) -> list[CandidateLine]:
    found: list[CandidateLine] = []
    for place, sentence in enumerate(_own_words(_join_short(one.sentences))):
        text = sentence.text
        at = order + min(place, 990)
        about = words(text)
        if cues.OPEN.search(text):
            found.append(CandidateLine(kind=OPEN, score=2.6, order=at, text=text, about=about))
        elif text.rstrip("\"”')").endswith(("?", "？")):
            found.append(
                CandidateLine(
                    kind=OPEN if last else TOPIC, score=2.0 if last else 0.6, order=at, text=text, about=about
                )
            )
        elif first and place < 2:
            weight = 3.2 if cues.BINDING.search(text) and place else 2.4
            found.append(
                CandidateLine(
                    kind=TOPIC, score=weight if place == 0 else weight - 0.4, order=at, text=text, about=about
                )
            )
        else:
            context = _context_of(text, before, place, found)
            found.append(_statement(text, about, context, at))
    return found


def _own_words(spoken: list[Sentence]) -> list[Sentence]:
    """Return the user's own sentences: a very long text was pasted; only its start and end may be statements."""
    return spoken if len(spoken) <= _PASTED else [*spoken[: _PASTED // 4], *spoken[-_PASTED // 4 :]]


def _join_short(spoken: Sequence[Sentence]) -> list[Sentence]:
    """Join a sentence of one or two words with its neighbour: neither says much alone."""
    found: list[Sentence] = []
    for one in spoken:
        last = found[-1].text if found else ""
        open_ended = bool(last) and not last.endswith(("?", "？")) and len(last) <= 2 * _TIGHT
        if open_ended and one.item is None and (_count(last) <= 4 or _count(one.text) <= 4):
            found[-1] = Sentence(f"{found[-1].text} {one.text}", found[-1].item)
        else:
            found.append(one)
    return found


def _statement(text: str, about: frozenset[str], context: str, at: int) -> CandidateLine:
    """Score a user's statement by the cues in it."""
    decides = bool(cues.DECISION.search(text) or cues.CORRECTION.search(text))
    score = 1.2
    score += 1.6 if decides else 0.0
    score += 1.4 if cues.BINDING.search(text) else 0.0
    score += 1.8 if context else 0.0
    score += 0.6 if context and cues.ACCEPT.search(text) else 0.0
    score -= 0.8 if cues.PAST.search(text) and not decides else 0.0
    score += 0.4 if _NUMBER.search(text) else 0.0
    score += 0.3 if _NAMES.search(text) else 0.0
    kind = DECISION if score >= 2.4 else TOPIC
    brief = _count(text) <= 5 and bool(cues.ACCEPT.search(text))
    needs_context = bool(context) and (
        len(about) <= 1 or brief or bool(cues.LEANING.search(text) and len(about) <= 3)
    )
    return CandidateLine(
        kind=kind,
        score=score,
        order=at,
        text=text,
        about=about | words(context) if context else about,
        context=context,
        needs_context=needs_context,
    )


def _context_of(text: str, before: SideMessages | None, place: int, found: Sequence[CandidateLine]) -> str:
    """Return the part of the assistant's turn that a sentence answers, if it needs that context."""
    if before is None or place > 1 or any(one.context for one in found):
        return ""
    asked = _question(before)
    accepts = bool(cues.ACCEPT.search(text))
    picked = _chosen_alternative(text, before)
    if picked:
        return picked
    short = _count(text) <= _BRIEF
    if accepts and _count(text) <= _LONG:
        return _proposal(text, before)
    if asked and place == 0 and _count(text) <= 2 * _LONG:
        return asked
    if short and place == 0:
        return _proposal(text, before)
    if place == 0 and cues.LEANING.search(text) and _count(text) <= _LONG:
        return _proposal(text, before)
    return ""


def _question(before: SideMessages) -> str:
    """Return the question at the end of a turn, with the sentence before it if it is too short."""
    spoken = before.sentences
    for place in range(len(spoken) - 1, max(len(spoken) - 4, -1), -1):
        text = spoken[place].text
        if text.endswith(("?", "？")):
            if (
                _count(text) <= 3
                and place
                and spoken[place - 1].item is None
                and _count(spoken[place - 1].text) <= 30
            ):
                return f"{spoken[place - 1].text} {text}"
            return text
    return ""


def _proposal(text: str, before: SideMessages) -> str:
    """Return the proposal that an agreement refers to: the one that shares words with it, else the last."""
    about = words(text)
    best, weight = "", -1.0
    for place, sentence in enumerate(before.sentences):
        shared = len(about & words(sentence.text))
        asks = sentence.text.endswith(("?", "？"))
        worth = 2.0 * shared + (1.0 if asks or cues.PROPOSAL.search(sentence.text) else 0.0)
        worth += 0.5 * place / len(before.sentences) + (0.5 if _NUMBER.search(sentence.text) else 0.0)
        if worth >= weight:
            best, weight = sentence.text, worth
    if best.endswith(("?", "？")) and _count(best) <= 3:
        return _question(before) or best
    return best


def _chosen_alternative(text: str, before: SideMessages) -> str:
    """Return the alternative that a user names by its position: the second one, option B, the latter."""
    found = cues.ORDINAL.search(text)
    if not found or _count(text) > 2 * _LONG:
        return ""
    named = (found[1] or found[2] or found[3]).lower()
    place = cues.ORDINALS.get(named) or (int(named) if named.isdigit() else ord(named) - ord("a") + 1)
    items = [one.text for one in before.sentences if one.item is not None]
    if len(items) < 2:
        items = _alternatives(before)
    if place == -1 and items:
        return items[-1]
    return items[place - 1] if 0 < place <= len(items) else ""


def _alternatives(before: SideMessages) -> list[str]:
    """Return the alternatives of the last sentence that lists some."""
    for sentence in reversed(before.sentences):
        text = sentence.text.rstrip("?.!")
        text = text.rpartition(": ")[2]
        items = [
            one.strip()
            for one in re.split(r",\s*(?:or|and|oder|ou|und|et|o|y)?\s+|;\s+|\s+or\s+|\s+oder\s+|\s+ou\s+", text)
        ]
        if len(items) == 1:
            items = [one.strip() for one in re.split(r"\s+and\s+|\s+und\s+|\s+et\s+", text)]
        if len(items) > 1:
            return [one for one in items if one]
    return []


def _assistant_lines(one: SideMessages, order: int, common: Counter[str]) -> list[CandidateLine]:
    found = []
    for place, sentence in enumerate(one.sentences):
        text = sentence.text
        about = words(text)
        if text.endswith(("?", "？")) or len(about) < (2 if _NUMBER.search(text) else 3):
            continue
        at = order + min(place, 990)
        central = sum(common[word] for word in about) / len(about)
        score = 0.3 * min(central, 3.0) / 3 + (0.2 if _NUMBER.search(text) else 0.0)
        if cues.FOLLOWED.search(text):
            found.append(CandidateLine(kind=DECISION, score=1.9 + score, order=at, text=text, about=about))
        elif cues.TROUBLE.search(text):
            found.append(CandidateLine(kind=TOPIC, score=1.4 + score, order=at, text=text, about=about))
        elif sentence.item is None:  # one of several alternatives says nothing, or the wrong thing, alone
            found.append(CandidateLine(kind=TOPIC, score=0.2 + score, order=at, text=text, about=about))
    return found


def _word_counts(talk: Sequence[SideMessages]) -> Counter[str]:
    """Count the turns in which each word occurs."""
    found: Counter[str] = Counter()
    for one in talk:
        found.update(set().union(*(words(sentence.text) for sentence in one.sentences)))
    return found


def _with_corrections(
    earlier: list[CandidateLine], fresh: list[CandidateLine], one: SideMessages
) -> list[CandidateLine]:
    """Return all lines, with those replaced that the new ones correct."""
    whole = " ".join(sentence.text for sentence in one.sentences)
    result = list(earlier)
    for new in fresh:
        if new.kind == DECISION and cues.CORRECTION.search(new.text):
            old = _corrected_line(new, whole, result)
            if old:
                kept = f"{old.context} → {old.text}" if old.context and len(words(old.text)) < 2 else old.text
                new = new._replace(replaces=kept, score=new.score + 1.0, about=new.about | old.about)
                result = [c for c in result if c is not old and not _repeats(c, old)]
        result.append(new)
    return result


def _repeats(one: CandidateLine, old: CandidateLine) -> bool:
    """Return whether an assistant's line only confirms what is corrected now."""
    return 0 < one.order - old.order < 2000 and one.score < 2.4 and alike(one.about, words(old.text)) >= 0.5


def _corrected_line(new: CandidateLine, whole: str, earlier: Sequence[CandidateLine]) -> CandidateLine | None:
    """Return the line that a correction refers to: the one it names, else the one that shares most with it."""
    named = frozenset[str]().union(*(words(found) for found in cues.REPLACED.findall(whole)))
    about = words(whole)
    kinds = _kinds(new.text)
    best: CandidateLine | None = None
    weight = 0.0
    decided = [old for old in earlier if old.kind == DECISION]
    if decided and cues.SCRATCH.search(new.text):
        return decided[-1]
    for old in earlier[-_BACK:]:
        last = bool(decided) and old is decided[-1]
        own = words(old.text)
        shared = 2.0 * len(named & (own | old.about)) + len(about & own) + 0.5 * len(about & (old.about - own))
        if old.kind == OPEN or not (shared or last) or (old.kind == TOPIC and cues.PROPOSAL.search(old.text)):
            continue
        same = len(kinds & _kinds(old.text))
        if shared:
            worth = (shared + 1.2 * same) / (1 + 0.03 * len(old.about)) + (0.5 if last else 0.0)
            worth = worth if old.kind == DECISION else 0.7 * worth
        else:
            worth = 1.0 if same else 0.0
        if worth >= max(weight, 1.0):
            best, weight = old, worth
    return best


def _kinds(text: str) -> set[str]:
    """Return the kinds of numbers in a text: times of the day, and numbers with a unit."""
    return {re.sub(r"[\d.,\s]+", "#", found.lower()) for found in _TYPED.findall(text)}


def _core(text: str) -> str:
    """Return a sentence without its opening and its reasons, if words remain."""
    bare = _REASON.sub("", _OPENING.sub("", text)).strip()
    if len(bare) > _TIGHT:
        spoken = [one.text for one in sentences(bare)]
        telling = [one for one in spoken if _count(one) <= 4 or _NUMBER.search(one) or _binds(one)]
        bare = " ".join(telling or spoken)
    return bare if words(bare) else text


def _binds(text: str) -> bool:
    return any(cue.search(text) for cue in (cues.DECISION, cues.BINDING, cues.CORRECTION))


def _count(text: str) -> int:
    """Estimate the number of words; two characters of a script without spaces count as one."""
    return len(text.split()) if text.isascii() else len(text.split()) + len(_UNSPACED.findall(text)) // 2
