"""The facts that one sentence states, each as a clause or several of it, with how sure it is that it is one.

A sentence is kept only if it has one of the known forms, and nothing in it says that it is a question, a plan, a
guess, a quotation, a joke, a task, or holds only for the moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from memoro.model import fact_forms_chinese, fact_forms_english, fact_forms_german
from memoro.model.fact_clauses import Clause, CutSentence, clauses_of, plain
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
from memoro.model.message_kinds import is_question
from memoro.model.own_words import QUOTED
from memoro.model.sentences import topic_words
from memoro.model.standing_orders import is_for_all, is_standing_order
from memoro.model.vocabulary import FactKind

LEAST_SCORE = 0.6  # of a fact
LONGEST_SENTENCE = 600  # characters: a longer one is no sentence that somebody typed
_STANDING = FactForm("rule", 0.9, "")
_KEPT_IN_MIND = FactForm("fact", 0.95, "")  # the speaker asks to remember it
_FOR_A_MOMENT, _OF_TROUBLE, _LONG = 0.35, 0.4, 0.1  # taken off the score
_LONG_TEXT = 160  # characters
_LEAST_SIGNS = 4  # of a statement in a script in which each sign is a word
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# What cannot be understood alone: its subject or its object was named before.
_LEANS = re.compile(
    r"\b(?:it|its|them|those|these)\b|\bthis (?!year|summer|winter|spring|autumn|fall|month|week|\w+day|project"
    r"|repo)\b"
    r"|\b(?:in|of|from|for) that\b|\b(?:this|that|him|one|ones|so|to)\W*$|\b(?:here|there)(?: too| as well)?\W*$"
    r"|^\w+(?:'\w+)? \w+ (?:this|that|him|her)\b|\b(?:das|es|ihn|dort|hier|dies)\W*$|(?:这个|那个|它|这样|那里"
    r"|这里)\W*$"
)
# A clause that adds an opinion or a wish to the fact before it.
_ADDS_NOTHING = re.compile(
    r"(?:it|that|this|which|they)(?:'s| is| was| were| are|'re| has| have|'ve|'ll)?\b"
    r"|i'm (?:\w+ )?(?:looking|trying|hoping|excited)|(?:i|we) (?:want|need)\b|(?:ich|wir) (?:will|brauche)\b"
    r"|das (?:ist|war)|es (?:ist|war)"
)
# How a fact goes on that shall not stay one: "the server runs on 3000 but I want 4000".
_WANTED = re.compile(
    r"[,;]? ?(?:but (?:i|we) (?:want|need|would|wanted)\b|aber (?:ich|wir) (?:will|wollen|brauche|möchte))"
    r"|[，,]?但是?我(?:们)?(?:想|要)"
)
_SUBJECT = re.compile(
    r"(?:my|our|the|i|we|i'm|we're|i've|meine?|unsere?|der|die|das|ich|wir)\b|[\u3400-\u9fff]"
    r"|\w+ (?:is|are|has|ist|hat|keine?n?|nicht|immer|nie)\b"
)
_ADVICE = re.compile(r"\b(?:you|your|yourself|important|du|dein\w*|dir|dich)\b|你")


class StatedFact(NamedTuple):
    """A statement that has the form of a fact."""

    text: str  # as it was said
    kind: FactKind
    score: float
    form: FactForm
    corrects: bool  # it begins with words that correct what was said before


def statements_of(sentence: str) -> list[StatedFact]:
    """Return the facts of a sentence: each run of clauses of which the first has a form, and none a doubt."""
    if len(sentence) > LONGEST_SENTENCE or QUOTED in sentence:
        return []
    lower = plain(sentence)
    if jokes(lower) or retracts(lower):
        return []
    cut = clauses_of(sentence)
    rule = _rule(sentence, cut)
    if rule:
        return [StatedFact(text=rule, kind="rule", score=_STANDING.score, form=_STANDING, corrects=cut.corrects)]
    return [one for run in _runs(sentence, cut) if (one := _statement(sentence, run, cut))]


def plain_statement(sentence: str) -> str:
    """Return a sentence without what leads to it; empty if any part of it asks, orders or doubts."""
    lower = plain(sentence)
    if jokes(lower) or retracts(lower) or lower.rstrip().endswith(("?", "？")):
        return ""
    cut = clauses_of(sentence)
    is_plain = bool(cut.clauses) and not cut.asks
    for one in cut.clauses:
        is_order = one.orders and not one.lower.startswith(("we ", "wir "))
        is_plain = is_plain and not (one.asks or is_order or is_unsure(one.lower) or quotes(one.lower))
    return cut.clauses[0].whole if is_plain else ""


def says_something(text: str) -> bool:
    """Return whether a text has enough words to say something."""
    signs = len(_SIGNS.findall(text))
    return signs >= _LEAST_SIGNS or (len(_WORD.findall(text)) >= 2 and bool(topic_words(text)))


def _rule(sentence: str, cut: CutSentence) -> str:
    """The rule that a sentence lays down for ever; empty if it does not."""
    lower = plain(sentence)
    if not cut.clauses or cut.asks or lower.rstrip().endswith(("?", "？")):
        return ""
    first = cut.clauses[0]
    if is_question(first.lower) or quotes(lower):
        return ""
    if is_standing_order(plain(first.whole)):
        return first.whole
    return sentence if is_for_all(lower) and not is_unsure(lower) and not tells_trouble(lower) else ""


def _runs(sentence: str, cut: CutSentence) -> Iterator[list[Clause]]:
    """The clauses that state a fact, each with those after it that add something, without doubt or question."""
    run: list[Clause] = []
    for clause in cut.clauses:
        is_clean = not clause.asks and not is_unsure(clause.lower) and not quotes(clause.lower)
        if is_clean and not run:
            run = [clause] if _form_of(clause, cut) else []
        elif is_clean and not _adds_nothing(clause):
            run.append(clause)
        else:
            if run and not _WANTED.match(plain(sentence[run[-1].end :])):
                yield run
            run = []
            if not is_clean and clause.binds:
                return
    if run:
        yield run


def _adds_nothing(clause: Clause) -> bool:
    """Return whether a clause after a fact is an opinion, a wish, an order, or tells of the moment."""
    is_order = clause.orders and _listed_form(clause.lower) is None
    return is_order or names_moment(clause.lower) or _ADDS_NOTHING.match(clause.lower) is not None


def _statement(sentence: str, run: Sequence[Clause], cut: CutSentence) -> StatedFact | None:
    text = sentence[run[0].start : run[-1].end].strip(" ,;:–—-，；、")
    first = run[0].lower
    form = _form_of(run[0], cut)
    if form is None or not says_something(text) or _LEANS.search(first) or is_passing_state(first):
        return None
    score = _score(plain(text), form)
    listed = _listed_form(first)
    kind = listed.kind if listed else form.kind
    if score < LEAST_SCORE:
        return None
    return StatedFact(text=text, kind=kind, score=score, form=form, corrects=cut.corrects)


def _score(lower: str, form: FactForm) -> float:
    score = form.score
    if form is not _KEPT_IN_MIND:
        score -= _FOR_A_MOMENT if names_moment(lower) else 0.0
        score -= _OF_TROUBLE if form.kind in ("fact", "decision") and tells_trouble(lower) else 0.0
    score -= _LONG if len(lower) > _LONG_TEXT else 0.0
    return round(max(score, 0.0), 2)


def _form_of(clause: Clause, cut: CutSentence) -> FactForm | None:
    """The form of a clause. What the speaker asks to remember needs none, if it names what it is about."""
    if (
        cut.remembers
        and clause is cut.clauses[0]
        and _SUBJECT.match(clause.lower)
        and not _ADVICE.search(clause.lower)
    ):
        return _KEPT_IN_MIND
    return _listed_form(clause.lower)


def _listed_form(lower: str) -> FactForm | None:
    """The first form of the tables that a clause has."""
    first = _WORD.match(lower)
    if first is None:
        return None
    possible = _forms().get(first[0]) or _forms()[""]
    return next((form for form, pattern in possible if pattern.match(lower)), None)


@cache
def _forms() -> dict[str, list[tuple[FactForm, re.Pattern[str]]]]:
    """The forms by the first word of a statement, in order of their tables; those for any other word below ""."""
    every = (*fact_forms_english.FORMS, *fact_forms_german.FORMS, *fact_forms_chinese.FORMS)
    pairs = [(form, re.compile(form.pattern)) for form in every]
    words = {word for form in every for word in form.first}
    found = {word: [pair for pair in pairs if not pair[0].first or word in pair[0].first] for word in words}
    found[""] = [pair for pair in pairs if not pair[0].first]
    return found
