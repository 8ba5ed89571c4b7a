"""Facts of a conversation by rules: what its owner stated about their life and work, and is worth keeping.

Precise rather than complete: a statement is kept only if it has one of the known forms, and nothing in it says that
it is a question, a plan, a guess, a quotation, a joke, a task, or holds only for the moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memoro.model import fact_words_chinese, fact_words_english, fact_words_german
from memoro.model.corrections import is_correction
from memoro.model.fact_clauses import Clause, clauses_of
from memoro.model.fact_exclusions import (
    is_passing_state,
    is_unsure,
    jokes,
    names_moment,
    quotes,
    retracts,
    tells_trouble,
)
from memoro.model.fact_forms import FactForm
from memoro.model.facts import CandidateSentence, Fact, SpokenTurn
from memoro.model.message_kinds import is_question, only_acknowledges
from memoro.model.own_words import QUOTED, own_sentences
from memoro.model.proposals import Evidence
from memoro.model.sentences import past_words, topic_words
from memoro.model.standing_orders import is_standing_order
from memoro.model.vocabulary import FactKind

LEAST_SCORE = 0.6  # of a fact
_REMEMBERED = 0.95  # the score of what the speaker asks to remember
_FOR_A_MOMENT, _OF_TROUBLE, _LONG = 0.35, 0.4, 0.1  # taken off
_LONG_TEXT = 160  # characters
_LONGEST_SENTENCE = 600  # characters: a longer one is no sentence that somebody typed
_CANDIDATE = 300  # characters of a sentence from which a model chooses
_LOOKED_BACK = 40  # statements among which a correction looks for what it corrects
_SAME = 0.5  # of the content words: a correction is about the same
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_LEANS = re.compile(
    r"\b(?:it|its|them|those|these)\b|\bthis (?!year|summer|winter|spring|autumn|fall|month|week|\w+day|project"
    r"|repo)\b|"
    r"\b(?:it|them|this|those|these|that|him|one|ones|so)\W*$|\b(?:in|of|from|for) that\b|\bto\W*$|\b(?:here"
    r"|there)(?: too| as well)?\W*$"
    r"|^\w+(?:'\w+)? \w+ (?:it|them|this|those|these|that|him|her)\b|\b(?:das|es|ihn|dort|hier|dies)\W*$|(?:这个"
    r"|那个|它"
    r"|这样|那里|这里)\W*$"
)
# A clause that adds an opinion or a wish to the fact before it.
_ADDS_NOTHING = re.compile(
    r"(?:it|that|this|which|they)(?:'s| is| was| were| are|'re| has| have|'ve|'ll)?\b"
    r"|i'm (?:\w+ )?(?:looking|trying|hoping|excited)|(?:i|we) (?:want|need)\b|(?:ich|wir) (?:will|brauche)\b"
    r"|das (?:ist|war)|es (?:ist|war)"
)
_WANTED = re.compile(
    r"[,;]? ?(?:but (?:i|we) (?:want|need|would|wanted)\b|aber (?:ich|wir) (?:will|wollen|brauche|möchte))"
    r"|[，,]?但是?我(?:们)?(?:想|要)"
)
_SUBJECT = re.compile(
    r"(?:my|our|the|i|we|i'm|we're|i've|meine?|unsere?|der|die|das|ich|wir)\b|[\u3400-\u9fff]|\w+ (?:is|are|has|ist"
    r"|hat|keine?n?|nicht|immer|nie)\b"
)
_ADVICE = re.compile(r"\b(?:you|your|yourself|important|du|dein\w*|dir|dich)\b|你")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LEAST_SIGNS = 4


class _Statement(NamedTuple):
    """A statement that has the form of a fact, before corrections."""

    text: str
    kind: FactKind
    score: float
    form: FactForm | None
    corrects: bool
    turn: int
    quote: str


_STANDING = FactForm("rule", 0.9, "")
_KEPT_IN_MIND = FactForm("fact", _REMEMBERED, "")


def facts_of(turns: Sequence[SpokenTurn], *, most: int, longest: int) -> list[Fact]:
    """Return the facts that the owner stated, at most `most` of at most `longest` characters, the surest first.

    The text of a fact is a sentence or a clause as it was said. A later correction replaces what it corrects.
    """
    kept = [one for one in _without_corrected(turns) if len(one.text) <= longest]
    best = sorted(_distinct(kept), key=lambda one: (-one.score, one.turn))[: max(most, 0)]
    return [Fact(one.text, one.kind, _evidence(turns[one.turn], one.quote), one.score) for one in best]


def candidate_sentences(turns: Sequence[SpokenTurn]) -> list[CandidateSentence]:
    """Return every statement of the owner in order, with the kind that the rules guess, for a model to choose"
    " from."""
    found: list[CandidateSentence] = []
    for turn in turns:
        if not turn.is_owner or only_acknowledges(turn.text):
            continue
        for sentence in own_sentences(turn.text):
            found += _candidates(sentence, turn)
    return found


def _candidates(sentence: str, turn: SpokenTurn) -> Iterator[CandidateSentence]:
    if len(sentence) > _CANDIDATE or QUOTED in sentence:
        return
    stated = list(_statements(sentence, 0))
    for one in stated:
        yield CandidateSentence(one.text, one.kind, _evidence(turn, sentence), one.score)
    if not stated and not is_question(sentence) and not only_acknowledges(sentence) and _says_something(sentence):
        yield CandidateSentence(sentence, "fact", _evidence(turn, sentence), 0.0)


def _evidence(turn: SpokenTurn, quote: str) -> Evidence:
    return Evidence(quote, line=turn.line, date=turn.date, speaker=turn.speaker)


def _without_corrected(turns: Sequence[SpokenTurn]) -> list[_Statement]:
    """The owner's statements in order, without those that they took back or corrected later."""
    found: list[_Statement] = []
    for number, turn in enumerate(turns):
        if not turn.is_owner or only_acknowledges(turn.text):
            continue
        for sentence in own_sentences(turn.text):
            lower = _plain(sentence)
            if retracts(lower) and found and found[-1].turn >= number - 2:
                found.pop()
            stated = list(_statements(sentence, number))
            for one in stated:
                found = _corrected(found, one)
            if not stated and clauses_of(sentence).corrects and found and number - 2 <= found[-1].turn < number:
                _drop_last_about(found, sentence)
    return found


def _drop_last_about(found: list[_Statement], sentence: str) -> None:
    """Drop the last statement where a short correction names another value for it: "no, Leipzig"."""
    if len(_WORD.findall(sentence)) <= 6:  # a longer one says what it corrects
        found.pop()


def _corrected(found: list[_Statement], new: _Statement) -> list[_Statement]:
    """The statements with the new one, without those before it that it corrects."""
    words, past = topic_words(new.text), past_words(new.text)
    recent = found[-_LOOKED_BACK:]
    kept = [one for one in recent if not _replaces(new, one, words, past)]
    if len(kept) < len(recent):
        new = new._replace(kind="correction" if new.kind in ("fact", "person", "date") else new.kind)
    return [*found[:-_LOOKED_BACK], *kept, new]


def _replaces(new: _Statement, old: _Statement, words: frozenset[str], past: frozenset[str]) -> bool:
    before = topic_words(old.text)
    if past & before and len(words & before) > 1:
        return True
    if not new.corrects:
        return False
    shared = len(words & before) / max(1, min(len(words), len(before)))
    is_same_slot = new.form is not None and new.form is old.form and old.kind != "preference"
    return is_same_slot or shared >= _SAME


def _distinct(statements: Sequence[_Statement]) -> list[_Statement]:
    """The statements, each text once: the last time that it was said."""
    found: dict[str, _Statement] = {}
    for one in statements:
        found.pop(key := _plain(one.text).rstrip(".! "), None)
        found[key] = one
    return list(found.values())


def _statements(sentence: str, turn: int) -> Iterator[_Statement]:
    """The facts that one sentence states: each run of clauses of which the first has a form, and none a doubt."""
    if len(sentence) > _LONGEST_SENTENCE or QUOTED in sentence:
        return
    lower = _plain(sentence)
    if jokes(lower) or retracts(lower):
        return
    cut = clauses_of(sentence)
    order = "" if cut.asks or sentence.rstrip().endswith(("?", "？")) else _standing(cut.clauses)
    if order:
        yield _Statement(order, "rule", 0.9, _STANDING, cut.corrects, turn, sentence)
        return
    run: list[Clause] = []
    form: FactForm | None = None
    for clause in [*cut.clauses, None]:
        is_clean = clause is not None and not clause.asks and not _is_doubtful(clause.lower)
        is_clean = is_clean and not (run and clause is not None and _adds_nothing(clause))
        if run and (clause is None or not is_clean):
            if clause is not None and _WANTED.match(sentence[run[-1].end :].lower()):
                return  # "the server runs on 3000 but I want 4000"
            yield from _statement(run, form, cut.corrects, turn, sentence)
            run, form = [], None
        if clause is None:
            return
        if not is_clean:
            if clause.binds:
                return
            continue
        if not run:
            is_kept = cut.remembers and clause is cut.clauses[0] and _names_subject(clause.lower)
            form = _KEPT_IN_MIND if is_kept else _form_of(clause.lower)
        if run or form is not None:
            run.append(clause)


def _adds_nothing(clause: Clause) -> bool:
    """Return whether a clause after a fact is an opinion, a wish, an order, or tells of the moment."""
    is_no_fact = clause.orders and _form_of(clause.lower) is None
    return is_no_fact or names_moment(clause.lower) or _ADDS_NOTHING.match(clause.lower) is not None


def _names_subject(lower: str) -> bool:
    """Return whether what is to be kept in mind is about something: no advice to somebody."""
    return _SUBJECT.match(lower) is not None and not _ADVICE.search(lower)


def _standing(clauses: Sequence[Clause]) -> str:
    """The rule that a sentence lays down for ever; empty if it does not."""
    if not clauses or not is_standing_order(clauses[0].whole_lower):
        return ""
    return clauses[0].whole


def _statement(
    run: Sequence[Clause], form: FactForm | None, corrects: bool, turn: int, sentence: str
) -> Iterator[_Statement]:
    if form is None:
        return
    text = sentence[run[0].start : run[-1].end].strip(" ,;:–—-，；、")
    first = run[0].lower
    if not _says_something(text) or _LEANS.search(first) or is_passing_state(first):
        return
    score = _score(text, form)
    if score < LEAST_SCORE:
        return
    inner = _form_of(first) if form is _KEPT_IN_MIND else form
    kind = inner.kind if inner is not None else form.kind
    yield _Statement(text, kind, score, form, corrects or is_correction(text), turn, sentence)


def _score(text: str, form: FactForm) -> float:
    lower = _plain(text)
    score = form.score
    if form is not _KEPT_IN_MIND:
        score -= _FOR_A_MOMENT if names_moment(lower) else 0.0
        score -= _OF_TROUBLE if form.kind in ("fact", "decision") and tells_trouble(lower) else 0.0
    score -= _LONG if len(text) > _LONG_TEXT else 0.0
    return round(max(score, 0.0), 2)


def _is_doubtful(lower: str) -> bool:
    return is_unsure(lower) or quotes(lower)


def _says_something(text: str) -> bool:
    signs = len(_SIGNS.findall(text))
    return signs >= _LEAST_SIGNS or (len(_WORD.findall(text)) >= 2 and bool(topic_words(text)))


def _form_of(lower: str) -> FactForm | None:
    """The first form that a clause has."""
    first = _WORD.match(lower)
    if first is None:
        return None
    for form, pattern in _forms().get(first[0], ()) or _forms()[""]:
        if pattern.match(lower):
            return form
    return None


@cache
def _forms() -> dict[str, list[tuple[FactForm, re.Pattern[str]]]]:
    """The forms by the first word of a statement, in order of their tables; those for any other word below ""."""
    every = (*fact_words_english.FORMS, *fact_words_german.FORMS, *fact_words_chinese.FORMS)
    pairs = [(form, re.compile(form.pattern)) for form in every]
    words = {word for form in every for word in form.first}
    found = {word: [pair for pair in pairs if not pair[0].first or word in pair[0].first] for word in words}
    found[""] = [pair for pair in pairs if not pair[0].first]
    return found


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").replace("‘", "'")
