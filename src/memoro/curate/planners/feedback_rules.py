"""Rules from the owner's feedback, in the owner's own words. What an agent answered never becomes a rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import path_of
from memoro.curate.snapshot.state import CuratedState, FeedbackNote
from memoro.model.belonging import known_project, names_project
from memoro.model.message_kinds import is_order, is_question
from memoro.model.projects import short_name
from memoro.model.proposals import AddRule, Evidence, Suggestion
from memoro.model.rule_forms import lays_down
from memoro.model.same_fact import fact_words, is_contained, repeats
from memoro.model.sentences import topic_words
from memoro.model.standing_rules import states_rule
from memoro.model.worth_loading import why_not_loading

_ALIKE = 0.5  # the share of content words that two notes about one thing have in common
_SEVERAL = 2  # feedbacks that count together
_RULE, _REPEATED, _UNCLEAR = 0.75, 0.9, 0.5
_LONGEST = 300  # characters of a rule
# What people write before the rule itself.
_LEAD = re.compile(
    r"(?i)^\s*(?:(?:no|nope|wrong|sorry|again|please|bitte|nein|falsch|schon wieder|i (?:told"
    r"|said to) you(?: before)?"
    r"|ich habe dir gesagt|good|great|yes|ja|gut|错了?|不对|好)\s*[,.:;!，。：！–-]+\s*|(?:please|bitte) )+"
)
# "use X, not Y", "X instead of Y", "nimm X statt Y", "用 X 不要 Y": corrections that hold the next time, too.
_RATHER = re.compile(
    r"(?i)\b(?:use|write|say|call|take|give|run|put|answer|reply|nimm|nutze|verwende|benutze|schreib\w*"
    r"|sag\w*)\b.{1,80}?"
    r"(?:,? (?:not|never|and not|instead of|rather than|nicht|statt|anstatt|anstelle von) .{1,80})"
    r"|(?:用|写|说).{1,20}(?:不要|别|而不是|不用).{1,20}|(?:以后|今后|下次|每次|请).{2,40}"
)
_SHOULD = re.compile(
    r"(?i)\b(?:should|must|has to|have to|needs? to|ought to|next time|in future|from now on|soll(?:te|ten|en)?"
    r"|muss|müssen"
    r"|nächstes mal|künftig|in zukunft|ab jetzt)\b"
)


class _FeedbackGroup(NamedTuple):
    """Feedback notes about one thing, in the order of days."""

    notes: tuple[FeedbackNote, ...]

    @property
    def last(self) -> FeedbackNote:
        return self.notes[-1]


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    found: list[Suggestion] = []
    for group in _groups(state.feedback):
        text = _rule_of(group)
        if text is None or _is_known(text, state):
            continue
        found.append(_suggestion(group, text, state))
    return found


def rule_in(note: str, question: str = "") -> str | None:
    """Return the standing rule that a note states, in its own words; None where it speaks of one answer alone.

    So does one that adds no word but a value to the question: "Port 9443." is no order.
    """
    text = " ".join(_LEAD.sub("", note, count=1).split())
    if not text or len(text) > _LONGEST or is_question(text) or why_not_loading(text, as_rule=True) is not None:
        return None
    is_standing = states_rule(text) or lays_down(text) or _RATHER.search(text) or _SHOULD.search(text)
    return text if is_standing or (is_order(text) and not _only_answers(text, question)) else None


def _only_answers(text: str, question: str) -> bool:
    asked = topic_words(question)
    return all(word in asked or word[:1].isdigit() for word in topic_words(text))


def _rule_of(group: _FeedbackGroup) -> str | None:
    """The newest rule of a group; of several notes that state none, the newest note, for its owner to reword."""
    rules = [rule for one in group.notes if (rule := rule_in(one.note, one.question)) is not None]
    if rules:
        return rules[-1]
    text = " ".join(group.last.note.split())
    is_clear = why_not_loading(text, as_rule=True) in (None, "chat")
    return text if len(group.notes) >= _SEVERAL and is_clear and len(text) <= _LONGEST else None


def _groups(feedback: Iterable[FeedbackNote]) -> list[_FeedbackGroup]:
    """The notes in groups of which each speaks of one thing; good and wrong answers are kept apart."""
    groups: list[list[FeedbackNote]] = []
    for one in sorted((one for one in feedback if one.note.strip()), key=lambda one: (one.day, one.id)):
        near = (group for group in groups if group[0].is_good == one.is_good and _is_alike(group[-1], one))
        known = next(near, None)
        groups.append([one]) if known is None else known.append(one)
    return [_FeedbackGroup(tuple(group)) for group in groups]


def _is_alike(first: FeedbackNote, second: FeedbackNote) -> bool:
    """Return whether two notes speak of one thing: most content words, and no number or denial that differs."""
    one, other = fact_words(_LEAD.sub("", first.note)), fact_words(_LEAD.sub("", second.note))
    words, others = frozenset(one.topics), frozenset(other.topics)
    if one.numbers != other.numbers or one.denials % 2 != other.denials % 2 or not words or not others:
        return False
    return len(words & others) >= _ALIKE * min(len(words), len(others)) and bool(words & others)


def _is_known(text: str, state: CuratedState) -> bool:
    rules = [one.text for one in state.entries if one.tier in ("procedural", "pinned")]
    return any(repeats(text, rule, 1.0) or is_contained(text, rule, 1.0) for rule in rules)


def _suggestion(group: _FeedbackGroup, text: str, state: CuratedState) -> Suggestion:
    is_rule = rule_in(text) is not None
    several = len(group.notes) >= _SEVERAL
    return Suggestion(
        change=AddRule(
            text=_with_project(text, group.notes),
            path=path_of(state, "procedural"),
            section=None,
            feedback=tuple(one.id for one in group.notes),
        ),
        evidence=tuple(
            Evidence(quote=one.note, path=one.path, line=one.line, date=one.day, speaker="User")
            for one in group.notes
        ),
        origin="feedback",
        score=_UNCLEAR if not is_rule else _REPEATED if several else _RULE,
        reason=_reason(group, is_rule=is_rule),
    )


def _with_project(text: str, notes: Sequence[FeedbackNote]) -> str:
    """Return the rule with the name of its project before it, where all feedback came from one and it names none."""
    projects = {one.project for one in notes}
    project = next(iter(projects)) if len(projects) == 1 else None
    if project is None or names_project(text, known_project(project)):
        return text
    return f"{short_name(project)}: {text}"


def _reason(group: _FeedbackGroup, *, is_rule: bool) -> str:
    marked = "good" if group.last.is_good else "wrong"
    if len(group.notes) == 1:
        return f"You said so on {group.last.day} when you marked an answer as {marked}."
    said = f"You said so {len(group.notes)} times when you marked answers as {marked}, last on {group.last.day}"
    return f"{said}." if is_rule else f"{said}; word it as a rule before you accept it."
