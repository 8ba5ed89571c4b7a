"""What a session decided, each as one line that can be read alone: the choice, what it answers, and its reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation.cues import ORDINAL, ORDINALS
from memoro.conversation.sentences import Sentence, alike, shortened, words
from memoro.conversation.spoken import Said, bare
from memoro.model.words import UNSPACED

_LINE_CHARACTERS = 260
_CONTEXT_CHARACTERS = 140
_SURE = 2.0  # of a sentence that decides
_SAME = 0.6  # of its words that a later decision shares with an earlier one, which it replaces
_COVERS_MORE = 0.75
_COVERS = 0.6  # of a person's words that a proposal holds: it says the same, and more
_NUMBER_OR_NAME = re.compile(r"\d|`|(?<![.!?] )(?<!^)\b[A-ZÄÖÜÉ][\w-]+")
_OFFER = re.compile(
    r"^(?:(?:so|then|ok|yes|no|also|and|dann|also|ja),? )?(?:I(?:'|’)d(?: (?:rather|probably|then|also|therefore|still))?|"
    r"I (?:would|can|could)(?: (?:rather|probably|then|also))?|I (?:suggest|propose|recommend)(?: (?:to|that we))?|we (?:could|should|can|might)|"
    r"you (?:could|should|can|might)|my (?:suggestion|proposal|recommendation)(?: is|:)(?: to)?|(?:shall|should|can) (?:I|we)|"
    r"do you want me to|want me to|would you like me to|how about|what about|"
    r"ich würde|ich schlage vor,?(?: dass wir)?|mein vorschlag:|vorschlag:|ich empfehle,?|wir könnten|soll(?:en)? (?:ich|wir)|"
    r"je propose(?: de| d['’])?|on pourrait|propongo(?: que| de| di)?|podemos|podríamos|proponho|sugiro|poderíamos|potremmo|"
    r"建议)\s*",
    re.IGNORECASE,
)
_JOINED_CHARACTERS = 220  # of sentences of one turn that make one decision
_NAMES_ITS_TOPIC = re.compile(r"\w[\w .-]{0,24}: \S")  # "Money: whole cents"
_UNSPACED = re.compile(f"[{UNSPACED}]")


class Decision(NamedTuple):
    line: str
    about: frozenset[str]  # its words, for comparison
    place: int  # of the turn
    sure: float


class _Turn(NamedTuple):
    """A person's turn with what stands around it."""

    said: Said
    before: Said | None  # the assistant's turn that it answers
    asked: Said | None  # the person's turn before that
    first: bool


def decisions(talk: Sequence[Said]) -> list[Decision]:
    """Return what a person decided or agreed to, in order, without what they changed later."""
    found: list[Decision] = []
    first = True
    for place, said in enumerate(talk):
        if not said.by_user:
            continue
        before = talk[place - 1] if place and not talk[place - 1].by_user else None
        asked = talk[place - 2] if before is not None and place > 1 and talk[place - 2].by_user else None
        for decision in _of_turn(_Turn(said=said, before=before, asked=asked, first=first), place):
            found = _with_decision(found, decision)
        first = first and not said.sentences
    return found


def _with_decision(earlier: list[Decision], new: Decision) -> list[Decision]:
    """Add a decision; an earlier one about the same thing gives way, unless it says more."""
    kept = []
    for old in earlier:
        shared = alike(old.about, new.about) if old.place != new.place else 0.0
        if shared >= _SAME and len(old.about) <= 2 * len(new.about) and len(new.about) > 1:
            continue
        if shared >= 0.8 and len(new.about) < len(old.about) and not cues.REFUSES.search(new.line):
            return earlier
        kept.append(old)
    return [*kept, new]


def _of_turn(turn: _Turn, place: int) -> list[Decision]:
    found: list[Decision] = []
    agrees = turn.said.sentences[:1] and _only_agrees(turn.said.sentences[0].text)
    if agrees and (agreed := _agreed(turn, place)):
        found.append(agreed)
    for text, sure in _statements(turn):
        line, about = _self_contained(text, turn)
        if not any(alike(old.about, about) >= _COVERS for old in found):
            found.append(Decision(line=line, about=about, place=place, sure=sure))
        elif agrees:  # the person says in their own words what they agree to
            found = [Decision(line=line, about=about, place=place, sure=sure)]
    return found


def _only_agrees(text: str) -> bool:
    rest = bare(text)
    return not words(rest) or bool(cues.AGREES.fullmatch(rest.rstrip(" .!")))


def _agreed(turn: _Turn, place: int) -> Decision | None:
    """Return the proposal that a person agrees to."""
    if turn.before is None:
        return None
    opening = turn.said.sentences[0].text
    weak = not cues.AGREES.search(opening)
    spoken = turn.before.sentences
    offers = [n for n, one in enumerate(spoken) if _proposes(one.text)]
    if not offers or (weak and offers[-1] != len(spoken) - 1) or (weak and not cues.WEAKLY_AGREES.search(opening)):
        return None
    at = offers[-1]
    text = spoken[at].text
    core = _OFFER.sub("", text)
    if cues.QUESTION.search(text):
        if cues.OPTIONS.search(core) or not words(core) or cues.STEP.match(core):
            return None  # "this or that?" and "yes" decides nothing
        core = core.rstrip("?？ ")
    elif cues.STEP.match(core) and len(words(core)) < 4:
        return None
    if cues.LATER.search(core):
        return None  # what is left to do
    line = _with_reason(_with_what_it_means(core, spoken, at), spoken, at)
    about = words(line)
    return Decision(line=line, about=about, place=place, sure=_SURE) if len(about) >= 2 else None


def _statements(turn: _Turn) -> list[tuple[str, float]]:
    """Return what a person's sentences decide. One that only explains is joined with the decision before it."""
    spoken = [bare(one.text) for one in turn.said.sentences]
    found: list[tuple[str, float]] = []
    last = -2  # the sentence that the last decision ends with
    for n, text in enumerate(spoken):
        sure = _sure(turn.said.sentences[n].text, text, turn, n)
        sure += 0.5 if found and last == n - 1 and sure else 0.0
        follows = bool(found) and last == n - 1 and len(found[-1][0]) + len(text) < _JOINED_CHARACTERS
        if follows and _explains(text) and (_leans(text) or not (cues.DECIDES.search(text) or _is_named(text, turn))):
            found[-1] = (f"{found[-1][0]} {text}", found[-1][1])
            last = n
        elif sure >= _SURE:
            if n and last != n - 1 and _leans(text) and _is_statement(spoken[n - 1]):
                text = f"{spoken[n - 1]} {text}"
            found.append((text, sure))
            last = n
    return found


def _explains(text: str) -> bool:
    """Return whether a sentence may belong to the decision before it: its condition, its reason, its limit."""
    is_other = cues.QUESTION.search(text) or cues.STEP.match(text) or cues.CHATTER.search(text)
    later = cues.LEFT.search(text) or cues.LATER.search(text)
    return bool(words(text)) and not is_other and not later


def _is_named(text: str, turn: _Turn) -> bool:
    """Return whether the assistant spoke of the same thing: then a sentence decides about it by itself."""
    return turn.before is not None and _proposal_for(words(text), turn.before.sentences)[1] >= _COVERS


def _is_statement(text: str) -> bool:
    return _explains(text) and len(words(text)) > 1


def _leans(text: str) -> bool:
    return len(words(text)) <= 4 and bool(cues.LEANS.search(text))


def _sure(text: str, said: str, turn: _Turn, place: int) -> float:
    """Return how sure it is that a sentence decides something."""
    about = words(said)
    if not about or cues.QUESTION.search(said) or _count(said) > 60 or cues.CHATTER.search(said):
        return 0.0
    binds = bool(cues.BINDS.search(said))
    decides = bool(cues.DECIDES.search(said))
    if cues.STEP.match(said) and not (binds and len(about) > 2):
        return 0.0
    if cues.LEFT.search(said) or (cues.LATER.search(said) and (cues.TO_DO.match(said) or cues.PLANS.search(said))):
        return 0.0  # what is left to do
    if not decides and (cues.TELLS_TROUBLE.search(said) or cues.REPORTS.search(said)):
        return 0.0
    score = 0.4 if turn.first or turn.before is None else 1.2
    score += 2.0 if decides else 0.0
    score += 1.4 if binds else 0.0
    score += 0.4 if _NUMBER_OR_NAME.search(said) else 0.0
    score += 0.4 if cues.REASON.search(said) else 0.0
    score += 0.8 if _NAMES_ITS_TOPIC.match(said) else 0.0
    score += _answering(text, said, turn, place)
    if turn.first and _is_task(turn.said):
        score -= 1.9 if cues.TASK.search(said) or not decides else 0.7
    return score


def _answering(text: str, said: str, turn: _Turn, place: int) -> float:
    """Return how much a sentence answers what the assistant asked or proposed."""
    if turn.before is None:
        return 0.0
    about = words(said)
    spoken = turn.before.sentences
    if place == 0 and spoken and cues.QUESTION.search(spoken[-1].text):
        return 2.0
    shares = any(words(one.text) & about for one in spoken)
    if cues.AGREES.search(text) or cues.REFUSES.search(text):
        return 2.0 if shares else 1.0
    proposes = any(_offers(one.text) for one in spoken)
    if proposes and shares and _count(said) <= 14:
        return 2.0
    return 0.8 if shares else 0.0


def _is_task(said: Said) -> bool:
    """Return whether a turn asks for work, so that its statements describe that work."""
    return any(
        cues.TASK.search(one.text) or cues.QUESTION.search(one.text) or cues.STEP.match(bare(one.text))
        for one in said.sentences
    )


def _self_contained(text: str, turn: _Turn) -> tuple[str, frozenset[str]]:
    """Return a line that can be read without the conversation, and what it is about."""
    text = _capital(text)
    about = words(text)
    if turn.before is None:
        return shortened(text, _LINE_CHARACTERS), about
    spoken = turn.before.sentences
    picked = _picked(text, turn.before)
    if picked:
        return shortened(f"{_without_end(picked)} — {text}", _LINE_CHARACTERS), about | words(picked)
    asked = _question(spoken)
    if asked and alike(about, words(asked)) < 0.5:
        return _answer(asked, text), about
    own = "" if asked or not _leaves_a_choice(spoken) else _own_question(turn)
    if own and _leans(text):
        return _answer(own, text), about
    at, covered = _proposal_for(about, spoken)
    if (
        at is not None
        and covered >= (_COVERS if len(about) <= 3 else _COVERS_MORE)
        and len(about) <= 6
        and not cues.REFUSES.search(text)
    ):
        offered = spoken[at].text
        is_one = not cues.OPTIONS.search(offered) and (_proposes(offered) or len(about) > 1 or not own)
        if is_one or len(about) > 3:
            core = _with_what_it_means(_OFFER.sub("", spoken[at].text), spoken, at)
            return _with_reason(core, spoken, at), about
    if len(about) >= 4 and not _leans(text):
        return shortened(text, _LINE_CHARACTERS), about
    if own:
        return _answer(own, text), about
    if at is not None:
        context = _without_end(_capital(_with_what_it_means(_OFFER.sub("", spoken[at].text), spoken, at)))
        return shortened(f"{_without_end(text)} ({shortened(context, _CONTEXT_CHARACTERS)})", _LINE_CHARACTERS), about
    return shortened(text, _LINE_CHARACTERS), about


def _answer(question: str, text: str) -> str:
    return shortened(f"{shortened(question, _CONTEXT_CHARACTERS)} → {text}", _LINE_CHARACTERS)


def _question(spoken: Sequence[Sentence]) -> str:
    """Return the question with which the assistant's turn ends."""
    for n in range(len(spoken) - 1, max(len(spoken) - 3, -1), -1):
        text = spoken[n].text
        if cues.QUESTION.search(text):
            before = spoken[n - 1].text if n else ""
            if len(words(text)) < 3 <= len(words(before)) and len(before) <= _CONTEXT_CHARACTERS:
                return f"{before} {text}"
            return text
    return ""


@lru_cache(maxsize=1024)
def _proposes(text: str) -> bool:
    return bool(cues.PROPOSES.search(text))


@lru_cache(maxsize=1024)
def _offers(text: str) -> bool:
    return bool(cues.OPTIONS.search(text)) or _proposes(text)


def _leaves_a_choice(spoken: Sequence[Sentence]) -> bool:
    return any(_offers(one.text) for one in spoken)


def _own_question(turn: _Turn) -> str:
    """Return the person's own question that the assistant left to them."""
    asked = [bare(one.text) for one in turn.asked.sentences] if turn.asked else []
    for n in range(len(asked) - 1, -1, -1):
        if cues.QUESTION.search(asked[n]) and words(asked[n]) and not cues.REQUEST.match(asked[n]):
            if len(words(asked[n])) < 3 and n and _is_statement(asked[n - 1]):
                return f"{asked[n - 1]} {asked[n]}"
            return asked[n]
    return ""


def _proposal_for(about: frozenset[str], spoken: Sequence[Sentence]) -> tuple[int | None, float]:
    """Return the sentence that holds most of these words, and which share of them; of equals, one that proposes."""
    best, most, held = None, 0.0, 0.0
    for n, one in enumerate(spoken):
        if cues.QUESTION.search(one.text):
            continue
        share = len(_all_words(one.text) & about) / len(about) if about else 0.0
        worth = share + (0.1 if share and _proposes(one.text) else 0.0)
        if worth > most:
            best, most, held = n, worth, share
    return best, held


@lru_cache(maxsize=1024)
def _all_words(text: str) -> frozenset[str]:
    """Return the topic words of a text, those of identifiers too."""
    return words(text) | words(re.sub(r"[_./-]", " ", text))


def _with_what_it_means(core: str, spoken: Sequence[Sentence], at: int) -> str:
    """Return a proposal with the sentence before it, where it names nothing by itself."""
    if at and _leans(core) and spoken[at].item is None and len(core) + len(spoken[at - 1].text) < _LINE_CHARACTERS:
        return f"{spoken[at - 1].text} {core}"
    return core


def _with_reason(text: str, spoken: Sequence[Sentence], at: int) -> str:
    """Return a proposal as a statement, with the reason that follows it."""
    line = _without_end(_capital(text))
    if len(line) > _LINE_CHARACTERS:
        return shortened(line, _LINE_CHARACTERS)
    after = spoken[at + 1].text if at + 1 < len(spoken) else ""
    has_reason = bool(cues.REASON.search(line))
    if after and not has_reason and cues.GIVES_REASON.search(after) and not cues.QUESTION.search(after):
        joined = f"{line} ({_small(_without_end(after))})"
        if len(joined) <= _LINE_CHARACTERS and not _proposes(after):
            return joined
    return line


def _picked(text: str, before: Said) -> str:
    """Return the alternative that an answer chooses by its number or place."""
    found = ORDINAL.search(text)
    if not found or _count(text) > 24:
        return ""
    named = (found[1] or found[2] or found[3]).lower()
    place = ORDINALS.get(named) or (int(named) if named.isdigit() else ord(named) - ord("a") + 1)
    items = [one.text for one in before.sentences if one.item is not None]
    if len(items) < 2:
        return ""
    if place == -1:
        return items[-1]
    return items[place - 1] if 0 < place <= len(items) else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if re.match(r"[a-zäöüéèáíóúñç]+(?:\s|,|$)", text) else text


def _small(text: str) -> str:
    """Return a sentence as it stands inside another."""
    return (
        text[:1].lower() + text[1:] if re.match(r"(?:[A-Z][a-z]* |A )", text) and not text.startswith("I ") else text
    )


def _without_end(text: str) -> str:
    return text.rstrip().rstrip(".!。！").rstrip()


def _count(text: str) -> int:
    """Estimate the number of words; two characters of a script without spaces count as one."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2
