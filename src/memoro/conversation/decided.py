"""The decisions and agreements of a person in a session. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation import digest_cues as cues
from memoro.conversation import error_cues, open_cues
from memoro.conversation.changed_decision import takes_back
from memoro.conversation.cues import CORRECTION
from memoro.conversation.decision_line import (
    CONTEXT_CHARACTERS,
    COVERS,
    OFFER,
    PersonTurn,
    capital,
    count_words,
    explains,
    is_statement,
    leans,
    offers,
    picked,
    proposal_for,
    proposes,
    self_contained,
    with_reason,
    with_what_it_means,
    without_end,
)
from memoro.conversation.sentences import Sentence, alike, shortened, words
from memoro.conversation.spoken import Said, bare

_SURE = 2.0  # of a sentence that decides
_SAME, _SAME_IF_CORRECTED = 0.75, 0.5  # of its words that a decision shares with an earlier one, which it replaces
_NUMBER_OR_NAME = re.compile(r"\d|`|(?<![.!?] )(?<!^)\b[A-ZÄÖÜÉ][\w-]+")
_JOINED_CHARACTERS = 220  # of sentences of one turn that make one decision
_BUT = re.compile(r"[,;]\s+(?:but|so|then|aber|also|dann|mais|donc|pero|mas|ma)\s+", re.IGNORECASE)
_INSTEAD = " (instead of: "
_NAMES_ITS_TOPIC = re.compile(r"\w[\w .-]{0,24}: \S")  # "Money: whole cents"


class Decision(NamedTuple):
    line: str
    about: frozenset[str]  # its words, for comparison
    place: int  # of the turn
    sure: float
    corrects: bool = False  # it says that something is no longer so
    said: str = ""  # by the person, without what makes the line readable alone


def decisions(talk: Sequence[Said]) -> list[Decision]:
    """Return what a person decided or agreed to, in order, without what they changed later."""
    found: list[Decision] = []
    first = True
    for place, said in enumerate(talk):
        if not said.by_user:
            continue
        before = talk[place - 1] if place and not talk[place - 1].by_user else None
        asked = talk[place - 2] if before is not None and place > 1 and talk[place - 2].by_user else None
        for decision in _of_turn(PersonTurn(said=said, before=before, asked=asked, first=first), place):
            found = _with_decision(*_without_taken_back(found, decision, before))
        first = first and not said.sentences
    return found


def _without_taken_back(
    earlier: list[Decision], new: Decision, answer: Said | None
) -> tuple[list[Decision], Decision]:
    """Leave out the decision that this one changes, and tell in its line what it changes."""
    last = [one for one in earlier if answer is not None and one.place == new.place - 2]
    old = next((one for one in last if answer and takes_back(new.said, one.said, answer.sentences)), None)
    if old is None:
        return earlier, new
    first = old.line.partition(_INSTEAD)[2].removesuffix(")") or old.said
    line = f"{without_end(capital(new.said))}{_INSTEAD}{shortened(without_end(first), CONTEXT_CHARACTERS)})"
    return [one for one in earlier if one is not old], new._replace(line=line, about=new.about | old.about)


def _with_decision(earlier: list[Decision], new: Decision) -> list[Decision]:
    """Add a decision; an earlier one about the same thing gives way, unless it says more."""
    kept = []
    for old in earlier:
        shared = alike(old.about, new.about) if old.place != new.place else 0.0
        same = _SAME_IF_CORRECTED if new.corrects else _SAME
        if shared >= same and len(old.about) <= 2 * len(new.about) and len(new.about) > 1:
            continue
        if shared >= 0.8 and len(new.about) < len(old.about) and not cues.REFUSES.search(new.line):
            return earlier
        kept.append(old)
    return [*kept, new]


def _of_turn(turn: PersonTurn, place: int) -> list[Decision]:
    found: list[Decision] = []
    agrees = turn.said.sentences[:1] and _only_agrees(turn.said.sentences[0].text)
    if agrees and (agreed := _agreed(turn, place)):
        found.append(agreed)
    corrects = any(CORRECTION.search(one.text) for one in turn.said.sentences)
    for text, sure in _statements(turn):
        line, about = self_contained(text, turn)
        if not any(alike(old.about, about) >= COVERS for old in found):
            found.append(Decision(line=line, about=about, place=place, sure=sure, corrects=corrects, said=text))
        elif agrees:  # the person says in their own words what they agree to
            found = [Decision(line=line, about=about, place=place, sure=sure, corrects=corrects, said=text)]
    return found


def _only_agrees(text: str) -> bool:
    rest = bare(text)
    return not words(rest) or bool(cues.AGREES.fullmatch(rest.rstrip(" .!")))


def _agreed(turn: PersonTurn, place: int) -> Decision | None:
    """Return the proposal that a person agrees to."""
    if turn.before is None:
        return None
    opening = turn.said.sentences[0].text
    weak = not cues.AGREES.search(opening)
    spoken = turn.before.sentences
    places = [n for n, one in enumerate(spoken) if proposes(one.text)] or _plan(opening, spoken)
    if not places or (weak and places[-1] != len(spoken) - 1) or (weak and not cues.WEAKLY_AGREES.search(opening)):
        return None
    at = places[-1]
    text = spoken[at].text
    core = OFFER.sub("", text)
    if cues.QUESTION.search(text):
        if cues.OPTIONS.search(core) or not words(core) or cues.STEP.match(core) or cues.STEP_AT_END.search(core):
            return None  # "this or that?" and "yes" decides nothing
        core = core.rstrip("?？ ")
    elif cues.STEP.match(core) and len(words(core)) < 4:
        return None
    if open_cues.LATER.search(core):
        return None  # what is left to do
    line = with_reason(with_what_it_means(core, spoken, at), spoken, at)
    about = words(line)
    return Decision(line=line, about=about, place=place, sure=_SURE, said=line) if len(about) >= 2 else None


def _plan(opening: str, spoken: Sequence[Sentence]) -> list[int]:
    """Return the sentence that an explicit consent refers to where none proposes: the first that says something."""
    if not cues.CONSENTS.search(opening):
        return []
    told = [n for n, one in enumerate(spoken) if len(words(one.text)) > 4 and not open_cues.DONE.search(one.text)]
    return told[:1]


def _statements(turn: PersonTurn) -> list[tuple[str, float]]:
    """Return what a person's sentences decide. One that only explains is joined with the decision before it."""
    spoken = [bare(one.text) for one in turn.said.sentences]
    found: list[tuple[str, float]] = []
    last = -2  # the sentence that the last decision ends with
    for n, text in enumerate(spoken):
        if _only_agrees(turn.said.sentences[n].text):
            continue
        sure = _sure(turn.said.sentences[n].text, text, turn, n)
        sure += 0.5 if found and last == n - 1 and sure else 0.0
        follows = bool(found) and last == n - 1 and len(found[-1][0]) + len(text) < _JOINED_CHARACTERS
        is_error = bool(error_cues.ERROR_LINE.search(text))
        if (
            follows
            and explains(text)
            and not is_error
            and (leans(text) or not (cues.DECIDES.search(text) or _is_named(text, turn)))
        ):
            found[-1] = (f"{found[-1][0]} {text}", found[-1][1])
            last = n
        elif sure >= _SURE:
            if n and last != n - 1 and _is_context(spoken[n - 1]) and len(spoken[n - 1]) < CONTEXT_CHARACTERS:
                text = f"{spoken[n - 1]} {text}"  # its reason, or what it is about
            found.append((text, sure))
            last = n
    return found


def _is_context(text: str) -> bool:
    """Return whether a sentence may be the reason of the next one, or what that is about."""
    return is_statement(text) and not cues.IS_BACK.search(text) and not cues.SOMEBODY_MOVED.match(text)


def _is_named(text: str, turn: PersonTurn) -> bool:
    """Return whether the assistant spoke of the same thing: then a sentence decides about it by itself."""
    about = words(text)
    if turn.before is None or (len(about) < 3 and not cues.ADDS.search(text)):
        return False
    return proposal_for(about, turn.before.sentences)[1] >= COVERS


def _sure(text: str, said: str, turn: PersonTurn, place: int) -> float:
    """Return how sure it is that a sentence decides something."""
    about = words(said)
    if not about or cues.QUESTION.search(said) or count_words(said) > 60 or cues.CHATTER.search(said):
        return 0.0
    if _only_considers(said):
        return 0.0
    if error_cues.ERROR_LINE.search(said) or (cues.ORDERS.match(said) and cues.NAMES_NO_CHOICE.search(said)):
        return 0.0
    binds = bool(cues.BINDS.search(said))
    decides = bool(cues.DECIDES.search(said)) and not cues.SOMEBODY_MOVED.match(said)
    if _reports_on_command(said):
        return 0.0
    if cues.STEP.match(said) and not ((binds or cues.REASON.search(said)) and len(about) > 2):
        return 0.0
    if open_cues.LEFT.search(said) or (
        open_cues.LATER.search(said) and (open_cues.TO_DO.match(said) or open_cues.PLANS.search(said))
    ):
        return 0.0  # what is left to do
    if not decides and (error_cues.TELLS_TROUBLE.search(said) or cues.REPORTS.search(said)):
        return 0.0
    if not decides and (cues.IS_BACK.search(said) or (cues.IS_FINE.search(said) and _is_about_trouble(turn))):
        return 0.0
    if (turn.first and cues.PAST.search(said)) or (
        open_cues.LATER.search(said) and len(words(open_cues.LATER.sub("", said))) < 2
    ):
        return 0.0
    task = turn.first and _is_task(turn.said)
    score = 0.4 if task else 0.8 if turn.first else 1.2
    score += 2.0 if decides else 0.0
    score += 1.4 if binds else 0.0
    score += 0.4 if _NUMBER_OR_NAME.search(said) else 0.0
    score += 0.4 if cues.REASON.search(said) else 0.0
    score += 0.8 if _NAMES_ITS_TOPIC.match(said) else 0.0
    score += _answering(text, said, turn, place)
    score += 0.4 if cues.PLEASE.search(text, 1) else 0.0
    if task:
        score -= 1.9 if cues.TASK.search(said) or not decides else 0.7
    elif (
        turn.first
        and cues.ORDERS.match(said)
        and not (binds or _NUMBER_OR_NAME.search(said) or cues.REASON.search(said))
    ):
        score -= 1.0  # "set up the newsletter" is what the session is for
    return score


def _reports_on_command(said: str) -> bool:
    """Return whether a sentence only tells what a command does, whose name reads like an order: "make test fails"."""
    report = cues.REPORTS_ON_COMMAND.match(said) if cues.ORDERS.match(said) else None
    rest = re.split(r"[,;:–—] ", said[report.end() :], maxsplit=1)[1:] if report else []
    return bool(report) and not any(cues.DECIDES.search(bare(one)) or cues.BINDS.search(one) for one in rest)


def _is_about_trouble(turn: PersonTurn) -> bool:
    """Return whether something went wrong just before, so that a person looks for its cause."""
    before = [said for said in (turn.asked, turn.before) if said is not None]
    told = [one.text for said in before for one in said.sentences]
    return any(error_cues.TELLS_TROUBLE.search(one) or error_cues.ERROR_LINE.search(one) for one in told)


def _only_considers(said: str) -> bool:
    """Return whether a sentence leaves it open: "maybe we should"; not "I'm not sure, but use Postgres for now"."""
    *_, last = _BUT.split(said)
    decides = cues.DECIDES.search(last) or cues.BINDS.search(last)
    return bool(cues.CONSIDERS.search(said)) and (last == said or not decides or bool(cues.CONSIDERS.search(last)))


def _answering(text: str, said: str, turn: PersonTurn, place: int) -> float:
    """Return how much a sentence answers what the assistant asked or proposed."""
    if turn.before is None:
        return 0.0
    about = words(said)
    spoken = turn.before.sentences
    if place == 0 and (picked(said, turn.before) or (spoken and cues.QUESTION.search(spoken[-1].text))):
        return 2.0
    shares = any(words(one.text) & about for one in spoken)
    if cues.AGREES.search(text) or cues.REFUSES.search(text):
        return 2.0 if shares else 1.0
    if shares and any(offers(one.text) for one in spoken) and count_words(said) <= 14:
        return 2.0
    return 0.8 if shares else 0.0


def _is_task(said: Said) -> bool:
    """Return whether a turn asks for work, so that its statements describe that work."""
    return any(
        cues.TASK.search(one.text) or cues.QUESTION.search(one.text) or cues.STEP.match(bare(one.text))
        for one in said.sentences
    )
