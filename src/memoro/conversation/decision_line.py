"""A decision as one line that can be read alone: with its question and its reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation import open_cues
from memoro.conversation.cues import ORDINAL, ORDINALS
from memoro.conversation.sentences import Sentence, shortened, words
from memoro.conversation.spoken import Said, bare
from memoro.model.remembered import remembered
from memoro.model.words import UNSPACED

COVERS = 0.6  # of a person's words that a proposal holds: it says the same, and more
CONTEXT_CHARACTERS = 140
_COVERS_MORE = 0.75  # of more than three words
_LINE_CHARACTERS = 260
_UNSPACED = re.compile(f"[{UNSPACED}]")
# The words of a proposal that say who would do it.
OFFER = re.compile(
    r"^(?:(?:so|then|ok|yes|no|also|and|dann|also|ja),? )?(?:I(?:'|’)d(?: (?:rather|probably|then|also|therefore|"
    r"still))?|"
    r"I (?:would|can|could)(?: (?:rather|probably|then|also))?|I (?:suggest|propose|recommend)(?: (?:to|"
    r"that we))?|we (?:could|should|can|might)|"
    r"you (?:could|should|can|might)|my (?:suggestion|proposal|recommendation)(?: is|:)(?: to)?|(?:shall|should|"
    r"can) (?:I|we)|"
    r"do you want me to|want me to|would you like me to|how about|what about|"
    r"ich würde|ich schlage vor,?(?: dass wir)?|mein vorschlag:|vorschlag:|ich empfehle,?|wir könnten|"
    r"soll(?:en)? (?:ich|wir)|"
    r"je propose(?: de| d['’])?|on pourrait|propongo(?: que| de| di)?|podemos|podríamos|proponho|sugiro|"
    r"poderíamos|potremmo|"
    r"建议)\s*",
    re.IGNORECASE,
)


class PersonTurn(NamedTuple):
    """A person's turn with what stands around it."""

    said: Said
    before: Said | None  # the assistant's turn that it answers
    asked: Said | None  # the person's turn before that
    first: bool


def self_contained(text: str, turn: PersonTurn) -> tuple[str, frozenset[str]]:
    """Return a line that can be read without the conversation, and what it is about."""
    text = capital(text)
    about = words(text)
    if turn.before is None:
        return shortened(text, _LINE_CHARACTERS), about
    spoken = turn.before.sentences
    chosen = picked(text, turn.before)
    if chosen:
        return shortened(f"{without_end(chosen)} — {text}", _LINE_CHARACTERS), about | words(chosen)
    asked = _question(spoken)
    if asked and len(about & words(asked)) < 0.7 * len(words(asked)):
        return _answer(asked, text), about
    own = "" if asked or not _leaves_a_choice(spoken) else _own_question(turn)
    if own and leans(text):
        return _answer(own, text), about
    at, covered = proposal_for(about, spoken)
    if at is not None and covered >= (COVERS if len(about) <= 3 else _COVERS_MORE) and _agrees_with(text, spoken[at]):
        offered = spoken[at].text
        is_one = not cues.OPTIONS.search(offered) and (proposes(offered) or len(about) > 1 or not own)
        if is_one or len(about) > 3:
            core = with_what_it_means(OFFER.sub("", offered), spoken, at)
            return with_reason(core, spoken, at), about
    if len(about) >= 4 and not leans(text):
        return shortened(text, _LINE_CHARACTERS), about
    if own:
        return _answer(own, text), about
    if at is None and leans(text) and spoken and not cues.QUESTION.search(spoken[-1].text):
        at = len(spoken) - 1
    if at is not None:
        context = without_end(capital(with_what_it_means(OFFER.sub("", spoken[at].text), spoken, at)))
        return shortened(f"{without_end(text)} ({shortened(context, CONTEXT_CHARACTERS)})", _LINE_CHARACTERS), about
    return shortened(text, _LINE_CHARACTERS), about


def _agrees_with(text: str, offered: Sentence) -> bool:
    """Return whether a brief sentence takes over what was offered, and neither refuses nor bounds it."""
    if len(words(text)) > 6 or cues.REFUSES.search(text) or cues.BINDS.search(text):
        return False
    return not cues.NEGATES.search(text) or bool(cues.NEGATES.search(offered.text))


def _answer(question: str, text: str) -> str:
    return shortened(f"{shortened(question, CONTEXT_CHARACTERS)} → {text}", _LINE_CHARACTERS)


def _question(spoken: Sequence[Sentence]) -> str:
    """Return the question with which the assistant's turn ends."""
    for n in range(len(spoken) - 1, max(len(spoken) - 3, -1), -1):
        text = spoken[n].text
        if cues.QUESTION.search(text):
            before = spoken[n - 1].text if n else ""
            if len(words(text)) < 3 <= len(words(before)) and len(before) <= CONTEXT_CHARACTERS:
                return f"{before} {text}"
            return text
    return ""


def _leaves_a_choice(spoken: Sequence[Sentence]) -> bool:
    return any(offers(one.text) for one in spoken)


def _own_question(turn: PersonTurn) -> str:
    """Return the person's own question that the assistant left to them."""
    asked = [bare(one.text) for one in turn.asked.sentences] if turn.asked else []
    for n in range(len(asked) - 1, -1, -1):
        if cues.QUESTION.search(asked[n]) and words(asked[n]) and not cues.REQUEST.match(asked[n]):
            if len(words(asked[n])) < 3 and n and is_statement(asked[n - 1]):
                return f"{asked[n - 1]} {asked[n]}"
            return asked[n]
    return ""


def proposal_for(about: frozenset[str], spoken: Sequence[Sentence]) -> tuple[int | None, float]:
    """Return the sentence that holds most of these words, and which share of them; of equals, one that proposes."""
    best, most, held = None, 0.0, 0.0
    for n, one in enumerate(spoken):
        if cues.QUESTION.search(one.text) or open_cues.LEFT_HEADING.match(one.text):
            continue
        share = len(_all_words(one.text) & about) / len(about) if about else 0.0
        worth = share + (0.1 if share and proposes(one.text) else 0.0)
        if worth > most:
            best, most, held = n, worth, share
    return best, held


@remembered(1024)
def _all_words(text: str) -> frozenset[str]:
    """Return the topic words of a text, those of identifiers too."""
    return words(text) | words(re.sub(r"[_./-]", " ", text))


def with_what_it_means(core: str, spoken: Sequence[Sentence], at: int) -> str:
    """Return a proposal with the sentence before it, where it names nothing by itself."""
    if at and leans(core) and spoken[at].item is None and len(core) + len(spoken[at - 1].text) < _LINE_CHARACTERS:
        return f"{spoken[at - 1].text} {core}"
    return core


def with_reason(text: str, spoken: Sequence[Sentence], at: int) -> str:
    """Return a proposal as a statement, with the reason that follows it."""
    line = without_end(capital(text))
    if len(line) > _LINE_CHARACTERS:
        return shortened(line, _LINE_CHARACTERS)
    after = spoken[at + 1].text if at + 1 < len(spoken) else ""
    has_reason = bool(cues.REASON.search(line))
    if after and not has_reason and cues.GIVES_REASON.search(after) and not cues.QUESTION.search(after):
        joined = f"{line} ({_small(without_end(after))})"
        if len(joined) <= _LINE_CHARACTERS and not proposes(after):
            return joined
    return line


def picked(text: str, before: Said) -> str:
    """Return the alternative that an answer chooses by its number or place."""
    found = ORDINAL.search(text)
    if not found or count_words(text) > 24:
        return ""
    named = (found[1] or found[2] or found[3]).lower()
    place = ORDINALS.get(named) or (int(named) if named.isdigit() else ord(named) - ord("a") + 1)
    items = [one.text for one in before.sentences if one.item is not None]
    if len(items) < 2:
        return ""
    if place == -1:
        return items[-1]
    return items[place - 1] if 0 < place <= len(items) else ""


def capital(text: str) -> str:
    return text[:1].upper() + text[1:] if re.match(r"[a-zäöüéèáíóúñç]+(?:\s|,|$)", text) else text


def _small(text: str) -> str:
    """Return a sentence as it stands inside another."""
    return (
        text[:1].lower() + text[1:] if re.match(r"(?:[A-Z][a-z]* |A )", text) and not text.startswith("I ") else text
    )


def without_end(text: str) -> str:
    return text.rstrip().rstrip(".!。！").rstrip()


def count_words(text: str) -> int:
    """Estimate the number of words; two characters of a script without spaces count as one."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


@remembered(1024)
def proposes(text: str) -> bool:
    return bool(cues.PROPOSES.search(text))


@remembered(1024)
def offers(text: str) -> bool:
    return bool(cues.OPTIONS.search(text)) or proposes(text)


def leans(text: str) -> bool:
    return len(words(text)) <= 4 and bool(cues.LEANS.search(text))


def is_statement(text: str) -> bool:
    return explains(text) and len(words(text)) > 1


def explains(text: str) -> bool:
    """Return whether a sentence may belong to the decision before it: its condition, its reason, its limit."""
    is_other = cues.QUESTION.search(text) or cues.STEP.match(text) or cues.CHATTER.search(text)
    later = open_cues.LEFT.search(text) or open_cues.LATER.search(text)
    return bool(words(text)) and not is_other and not later
