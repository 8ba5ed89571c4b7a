"""Facts of a conversation by rules: what its owner stated about their life and work, and is worth keeping.

Precise rather than complete. `fact_statements` says which sentences state a fact; what the speaker takes back or
corrects later in the conversation is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.model.corrections import is_correction
from memoro.model.fact_clauses import clauses_of, plain
from memoro.model.fact_exclusions import retracts
from memoro.model.fact_statements import (
    LONGEST_SENTENCE,
    StatedFact,
    plain_statement,
    says_something,
    statements_of,
)
from memoro.model.facts import CandidateSentence, ConversationTurn, Fact
from memoro.model.message_kinds import is_question, only_acknowledges
from memoro.model.own_words import QUOTED, own_sentences
from memoro.model.proposals import Evidence
from memoro.model.sentences import past_words, topic_words

_CANDIDATE = 300  # characters of a sentence from which a model chooses
_IN_PASSING = 0.5  # how sure it is that what has no form of a fact is meant to last
_LOOKED_BACK = 40  # statements among which a correction looks for what it corrects
_SAME = 0.5  # of the content words: a correction is about the same
_BRIEF = 6  # words of a correction that names only the new value: "no, Leipzig"
_NEAR = 2  # turns between a statement and what takes it back
_HEAD = re.compile(r"[\u3400-\u9fff]{3}|\S+ \S+")  # the first words of a statement


class _Said(NamedTuple):
    """A statement with its place in the conversation."""

    statement: StatedFact
    turn: int
    sentence: str


def facts_of(turns: Sequence[ConversationTurn], *, most: int, longest: int) -> list[Fact]:
    """Return the facts that the owner stated, at most `most` of at most `longest` characters, the surest first.

    The text of a fact is a sentence or a clause as it was said. A later correction replaces what it corrects.
    """
    kept = [one for one in _uncorrected(turns) if len(one.statement.text) <= longest]
    best = sorted(_distinct(kept), key=lambda one: (-one.statement.score, one.turn))[: max(most, 0)]
    return [_fact(one, turns[one.turn]) for one in best]


def _fact(said: _Said, turn: ConversationTurn) -> Fact:
    stated = said.statement
    return Fact(text=stated.text, kind=stated.kind, evidence=_evidence(turn, said.sentence), score=stated.score)


def candidate_sentences(turns: Sequence[ConversationTurn]) -> list[CandidateSentence]:
    """Return every statement of the owner in order, with the kind that the rules guess, for a model to choose."""
    return [one for number, sentence in _sentences(turns) for one in _candidates(sentence, turns[number])]


def said_in_passing(turns: Sequence[ConversationTurn], longest: int) -> list[Fact]:
    """Return what the owner stated in sentences that have no form of a fact, in order, without what leads to it.

    Nothing of it is kept: it may be of the moment. But where it speaks of something that is known, it may be news.
    """
    found: list[Fact] = []
    for number, sentence in _sentences(turns):
        if len(sentence) <= longest and QUOTED not in sentence and not statements_of(sentence):
            text = plain_statement(sentence)
            if text and says_something(text):
                evidence = _evidence(turns[number], sentence)
                found.append(Fact(text=text, kind="fact", evidence=evidence, score=_IN_PASSING))
    return found


def _candidates(sentence: str, turn: ConversationTurn) -> Iterator[CandidateSentence]:
    if len(sentence) > _CANDIDATE or QUOTED in sentence:
        return
    evidence = _evidence(turn, sentence)
    stated = statements_of(sentence)
    for one in stated:
        yield CandidateSentence(text=one.text, kind=one.kind, evidence=evidence, score=one.score)
    if not stated and not is_question(sentence) and not only_acknowledges(sentence) and says_something(sentence):
        yield CandidateSentence(text=sentence, kind="fact", evidence=evidence, score=0.0)


def _sentences(turns: Sequence[ConversationTurn]) -> Iterator[tuple[int, str]]:
    """The owner's own sentences, each with the number of its turn."""
    for number, turn in enumerate(turns):
        if turn.is_owner and not only_acknowledges(turn.text):
            yield from ((number, sentence) for sentence in own_sentences(turn.text))


def _evidence(turn: ConversationTurn, quote: str) -> Evidence:
    return Evidence(quote, line=turn.line, date=turn.date, speaker=turn.speaker)


def _uncorrected(turns: Sequence[ConversationTurn]) -> list[_Said]:
    """The owner's statements in order, without those that they took back or corrected later."""
    found: list[_Said] = []
    for number, sentence in _sentences(turns):
        stated = statements_of(sentence)
        is_near = bool(found) and found[-1].turn >= number - _NEAR
        if is_near and not stated and _takes_back(sentence, is_same_turn=found[-1].turn == number):
            found.pop()
        for one in stated:
            _add(found, _Said(one, number, sentence))
    return found


def _takes_back(sentence: str, *, is_same_turn: bool) -> bool:
    """Return whether a sentence takes back the statement before it: "just kidding", in a later turn "no, Bonn"."""
    if len(sentence) > LONGEST_SENTENCE:
        return False
    if retracts(plain(sentence)):
        return True
    return not is_same_turn and len(sentence.split()) <= _BRIEF and clauses_of(sentence).corrects


def _add(found: list[_Said], new: _Said) -> None:
    """Add a statement, and drop those before it that it corrects."""
    past = past_words(new.statement.text)
    if not (past or new.statement.corrects or is_correction(new.statement.text)):
        found.append(new)
        return
    recent = found[-_LOOKED_BACK:]
    kept = [one for one in recent if not _replaces(new.statement, one.statement, past)]
    if len(kept) < len(recent) and new.statement.kind in ("fact", "person", "date"):
        new = new._replace(statement=new.statement._replace(kind="correction"))
    found[-_LOOKED_BACK:] = [*kept, new]


def _replaces(new: StatedFact, old: StatedFact, past: frozenset[str]) -> bool:
    """Return whether a statement that corrects something corrects this one."""
    words, before = topic_words(new.text), topic_words(old.text)
    shared = len(words & before)
    if shared > 1 and past & before:  # "not X but Y", "no longer X"
        return True
    is_same_slot = new.corrects and new.form is old.form and _head(new.text) == _head(old.text)
    is_about_same = shared >= _SAME * max(1, min(len(words), len(before)))
    return is_same_slot or (is_about_same and (new.corrects or is_correction(new.text)))


def _head(text: str) -> str:
    found = _HEAD.match(plain(text))
    return found[0] if found else ""


def _distinct(said: Sequence[_Said]) -> list[_Said]:
    """The statements, each text once: the last time that it was said."""
    found: dict[str, _Said] = {}
    for one in said:
        found.pop(key := plain(one.statement.text).rstrip(".!。！ "), None)
        found[key] = one
    return list(found.values())
