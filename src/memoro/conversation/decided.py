"""What a session decided, each as one line that can be read alone: the choice, what it answers, and its reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation.cues import ORDINAL, ORDINALS
from memoro.conversation.sentences import Sentence, alike, shortened, words
from memoro.conversation.spoken import Said
from memoro.model.words import UNSPACED

_LINE_CHARACTERS = 260
_CONTEXT_CHARACTERS = 140
_SURE = 2.0  # of a sentence that decides
_SAME = 0.6  # of its words that a later decision shares with an earlier one, which it replaces
_COVERS = 0.6  # of a person's words that a proposal holds: it says the same, and more
_NUMBER_OR_NAME = re.compile(r"\d|`|(?<![.!?] )(?<!^)\b[A-ZÄÖÜÉ][\w-]+")
_OFFER = re.compile(
    r"^(?:(?:so|then|ok|yes|no|also|and|dann|also|ja),? )?(?:I(?:'|’)d(?: (?:rather|probably|then|also|therefore|still))?|"
    r"I would(?: (?:rather|probably|then|also))?|I (?:suggest|propose|recommend)(?: (?:to|that we))?|we (?:could|should|can|might)|"
    r"you (?:could|should|can|might)|my (?:suggestion|proposal|recommendation)(?: is|:)(?: to)?|(?:shall|should|can) (?:I|we)|"
    r"do you want me to|want me to|would you like me to|how about|what about|"
    r"ich würde|ich schlage vor,?(?: dass wir)?|mein vorschlag:|vorschlag:|ich empfehle,?|wir könnten|soll(?:en)? (?:ich|wir)|"
    r"je propose(?: de| d['’])?|on pourrait|propongo(?: que| de| di)?|podemos|podríamos|proponho|sugiro|poderíamos|potremmo|"
    r"建议)\s*",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"^(?:if|then|so|because|otherwise|that way|and|but|or|they|it|that|this|which|since|else|wenn|dann|weil|sonst|und|aber|"
    r"das|sie|es|falls|si|sinon|et|mais|y|pero|e|mas|se|ma|如果|否则|因为)\b|^(?:如果|否则|因为)",
    re.IGNORECASE,
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_DESCRIBES = re.compile(
    r"\b(?:was|were|had|used to|currently|at the moment|is being|keeps? \w+ing|clashes|failed|fails|"
    r"war|waren|hatte|derzeit|momentan|gerade|était|actuellement|era|estaba|estava|atualmente)\b",
    re.IGNORECASE,
)


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
    """Add a decision; one about the same thing gives way, unless it says more."""
    kept = []
    for old in earlier:
        shared = alike(old.about, new.about)
        if shared >= _SAME and len(old.about) <= 2 * len(new.about) and len(new.about) > 1:
            continue
        if shared >= 0.8 and len(new.about) < len(old.about) and not cues.REFUSES.search(new.line):
            return earlier
        kept.append(old)
    return [*kept, new]


def _of_turn(turn: _Turn, place: int) -> list[Decision]:
    if _is_agreement(turn.said):
        return [one for one in [_agreed(turn, place)] if one]
    found: list[Decision] = []
    for text, sure in _merged(turn):
        line = _self_contained(text, turn)
        if line:
            found.append(Decision(line=line, about=words(line), place=place, sure=sure))
    return found


def _is_agreement(said: Said) -> bool:
    """Return whether a turn only agrees: no sentence of it names anything."""
    return bool(said.sentences) and all(
        not _bare(one.text) or (cues.AGREES.search(one.text) and not words(_bare(one.text))) for one in said.sentences
    )


def _bare(text: str) -> str:
    """Return a sentence without words of agreement, courtesy and greeting around what it says."""
    text = cues.GREETING.sub("", text.strip())
    text = cues.OPENING.sub("", text).strip()
    text = re.sub(
        r"(?:,| –| —)?\s*(?:yes|please|thanks|thank you|then|ok|right|ja|bitte|danke|oui|merci|s['’]il (?:te|vous) plaît|"
        r"sí|gracias|por favor|sim|obrigad[oa]|grazie|per favore|haha|lol|:\)|;\))\s*([.!]*)$",
        r"\1",
        text,
        flags=re.IGNORECASE,
    )
    return text.strip()


def _agreed(turn: _Turn, place: int) -> Decision | None:
    """Return the proposal that a person agrees to."""
    if turn.before is None or not turn.said.sentences:
        return None
    opening = turn.said.sentences[0].text
    weak = not cues.AGREES.search(opening)
    offers = [n for n, one in enumerate(turn.before.sentences) if cues.PROPOSES.search(one.text)]
    last = len(turn.before.sentences) - 1
    if not offers or (weak and offers[-1] != last) or (weak and not cues.WEAKLY_AGREES.search(opening)):
        return None
    at = offers[-1]
    text = turn.before.sentences[at].text
    core = _OFFER.sub("", text)
    if cues.QUESTION.search(text):
        if cues.OPTIONS.search(core) or not words(core) or cues.STEP.match(core):
            return None  # "this or that?" and "yes" decides nothing
        core = core.rstrip("?？ ")
    elif cues.STEP.match(core) and len(words(core)) < 4:
        return None
    line = _with_reason(core, turn.before.sentences, at)
    return Decision(line=line, about=words(line), place=place, sure=_SURE) if len(words(line)) >= 2 else None


def _merged(turn: _Turn) -> list[tuple[str, float]]:
    """Return what a person's sentences decide; one that depends on its neighbour is joined with it."""
    spoken = [(one.text, _bare(one.text)) for one in turn.said.sentences]
    sures = [_sure(text, bare, turn, n) for n, (text, bare) in enumerate(spoken)]
    found: list[tuple[str, float]] = []
    used: set[int] = set()
    for n, (_, bare) in enumerate(spoken):
        if sures[n] < _SURE or n in used:
            continue
        parts = [bare]
        if n and n - 1 not in used and sures[n - 1] < _SURE and _leans(bare) and _is_statement(spoken[n - 1][1]):
            parts.insert(0, spoken[n - 1][1])
        after = n + 1
        while after < len(spoken) and _continues(spoken[after][1], sures[after]):
            parts.append(spoken[after][1])
            used.add(after)
            after += 1
        found.append((" ".join(parts), sures[n]))
    return found


def _continues(text: str, sure: float) -> bool:
    """Return whether a sentence belongs to the decision before it: its condition, its reason, its limit."""
    if not text or cues.QUESTION.search(text) or cues.STEP.match(text):
        return False
    return bool(_DEPENDS.match(text)) or (sure < _SURE and bool(cues.REASON.search(text)))


def _is_statement(text: str) -> bool:
    return bool(text) and not cues.QUESTION.search(text) and not cues.STEP.match(text) and len(words(text)) > 1


def _leans(text: str) -> bool:
    return len(words(text)) <= 4 and bool(cues.LEANS.search(text))


def _sure(text: str, bare: str, turn: _Turn, place: int) -> float:
    """Return how sure it is that a sentence decides something."""
    about = words(bare)
    if not about or cues.QUESTION.search(bare) or _count(bare) > 60:
        return 0.0
    binds = bool(cues.BINDS.search(bare))
    if cues.STEP.match(bare) and not (binds and len(about) > 2):
        return 0.0
    if cues.LATER.search(bare) and cues.TO_DO.match(bare):
        return 0.0  # what is left to do
    if cues.LEFT.search(bare) or (cues.TELLS_TROUBLE.search(bare) and not cues.DECIDES.search(bare)):
        return 0.0
    score = 0.0
    score += 2.0 if cues.DECIDES.search(bare) else 0.0
    score += 1.4 if binds else 0.0
    score += 0.4 if _NUMBER_OR_NAME.search(bare) else 0.0
    score += 0.4 if cues.REASON.search(bare) else 0.0
    score += _answering(text, bare, turn, place)
    if _DESCRIBES.search(bare) and not cues.DECIDES.search(bare):
        score -= 1.0
    if turn.first and _is_task(turn.said):
        score -= 1.5 if cues.TASK.search(bare) or not cues.DECIDES.search(bare) else 0.5
    return score


def _answering(text: str, bare: str, turn: _Turn, place: int) -> float:
    """Return how much a sentence answers what the assistant asked or proposed."""
    if turn.before is None:
        return 0.0
    about = words(bare)
    spoken = turn.before.sentences
    asks = bool(spoken) and bool(cues.QUESTION.search(spoken[-1].text))
    shares = any(len(words(one.text) & about) and cues.PROPOSES.search(one.text) for one in spoken)
    proposes = any(cues.PROPOSES.search(one.text) or cues.OPTIONS.search(one.text) for one in spoken)
    said = any(words(one.text) & about for one in spoken)
    if asks and place == 0:
        return 2.0
    if (cues.AGREES.search(text) or cues.REFUSES.search(text)) and (proposes or said):
        return 2.0 if shares or said else 1.0
    if proposes and said and _count(bare) <= 14:
        return 2.0
    return 0.8 if said else 0.0


def _is_task(said: Said) -> bool:
    """Return whether a turn asks for work, so that its statements describe that work."""
    return any(
        cues.TASK.search(one.text) or cues.QUESTION.search(one.text) or cues.STEP.match(_bare(one.text))
        for one in said.sentences
    )


def _self_contained(text: str, turn: _Turn) -> str:
    """Return a line that can be read without the conversation."""
    text = _capital(text)
    if turn.before is None:
        return shortened(text, _LINE_CHARACTERS)
    picked = _picked(text, turn.before)
    if picked:
        return shortened(f"{_without_end(picked)} — {text}", _LINE_CHARACTERS)
    about = words(text)
    at, covered = _proposal_for(about, turn.before.sentences)
    if at is not None and covered >= _COVERS and len(about) <= 6 and not cues.REFUSES.search(text):
        return _with_reason(_OFFER.sub("", turn.before.sentences[at].text), turn.before.sentences, at)
    if len(about) >= 5 and not _leans(text):
        return shortened(text, _LINE_CHARACTERS)
    question = _question_answered(turn)
    if question:
        return shortened(f"{shortened(question, _CONTEXT_CHARACTERS)} → {text}", _LINE_CHARACTERS)
    if at is not None and len(about) < 4:
        context = shortened(
            _without_end(_capital(_OFFER.sub("", turn.before.sentences[at].text))), _CONTEXT_CHARACTERS
        )
        return shortened(f"{_without_end(text)} ({context})", _LINE_CHARACTERS)
    return shortened(text, _LINE_CHARACTERS)


def _question_answered(turn: _Turn) -> str:
    """Return the question that a brief answer belongs to: the assistant's, or the person's own that it left to them."""
    spoken = turn.before.sentences if turn.before else ()
    for one in reversed(spoken[-2:]):
        if cues.QUESTION.search(one.text) and len(words(one.text)) >= 2:
            return one.text
    asked = turn.asked.sentences if turn.asked else ()
    for n, one in reversed(list(enumerate(asked))):
        bare = _bare(one.text)
        if cues.QUESTION.search(bare) and words(bare):
            if len(words(bare)) < 3 and n and _is_statement(_bare(asked[n - 1].text)):
                return f"{_bare(asked[n - 1].text)} {bare}"
            return bare
    return ""


def _proposal_for(about: frozenset[str], spoken: Sequence[Sentence]) -> tuple[int | None, float]:
    """Return the sentence that holds most of these words, and which share of them."""
    best, most = None, 0.0
    for n, one in enumerate(spoken):
        if cues.QUESTION.search(one.text):
            continue
        share = len(_all_words(one.text) & about) / len(about) if about else 0.0
        if share > most:
            best, most = n, share
    return best, most


def _all_words(text: str) -> frozenset[str]:
    """Return the topic words of a text, those of identifiers too."""
    return words(text) | words(re.sub(r"[_./-]", " ", text))


def _with_reason(text: str, spoken: Sequence[Sentence], at: int) -> str:
    """Return a proposal as a statement, with the reason that follows it."""
    line = _without_end(_capital(text))
    if len(line) > _LINE_CHARACTERS:
        return shortened(line, _LINE_CHARACTERS)
    after = spoken[at + 1].text if at + 1 < len(spoken) else ""
    has_reason = bool(cues.REASON.search(line))
    if after and not has_reason and cues.GIVES_REASON.search(after) and not cues.QUESTION.search(after):
        joined = f"{line} ({_small(_without_end(after))})"
        if len(joined) <= _LINE_CHARACTERS and not cues.PROPOSES.search(after):
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
