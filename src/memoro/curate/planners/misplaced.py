"""Entries in the wrong file: a rule among facts, a fact among rules, a secret, an event of one day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import path_of, quoted_entry
from memoro.curate.snapshot.state import CuratedEntry, CuratedState
from memoro.model.attributes import stated_attributes
from memoro.model.message_kinds import is_order
from memoro.model.proposals import EditEntry, Evidence, MoveEntry, RetireEntry, Suggestion
from memoro.model.rule_forms import lays_down, may_decide
from memoro.model.rule_lines import RulePlace, is_of_rules
from memoro.model.secrets import redact
from memoro.model.sentences import read_sentence
from memoro.model.standing_rules import states_rule
from memoro.model.worth_loading import why_not_loading

_SECRET, _RULE, _EVENT, _FACT = 0.95, 0.7, 0.7, 0.6
_HELD_ELSEWHERE = "(secret removed)"
_PLACEHOLDER = re.compile(r"\[redacted:[^\]\s]*\]")
# How a rule for agents begins. A preference ("I prefer tea") is a fact about somebody.
_COMMANDS = re.compile(
    r"(?i)^\W*(?:always|never|do not|don't|avoid|make sure|must|only (?:use|write|run)|use|prefer"
    r"|when(?:ever)? \w+[^,]*,"
    r"|before you|after you|if \w+[^,]*,|immer|niemals|nie|verwende|benutze|nutze|vermeide|bitte|wenn \w+[^,]*,"
    r"|必须|不要|一律|总是|务必|禁止|请|永远)"
)

# How a statement about somebody begins. "Commit messages are short" is a rule in the words of a fact.
_OF_SOMEBODY = re.compile(
    r"(?:(?i:my|our|i|we|the user(?:'s)?|mein\w*|unser\w*|ich|wir)|[A-ZÄÖÜ]\w+['’]s"
    r"|[A-ZÄÖÜ]\w+(?= (?:is|was|lives|works|likes|has|leads|ist|wohnt|lebt|arbeitet|hat|mag|leitet)\b)) |我|我们"
)


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    return [one for entry in state.entries for one in _of_entry(entry, state)]


def is_rule(text: str) -> bool:
    """Return whether a line tells an agent what to do, rather than how something is."""
    return _COMMANDS.match(text) is not None and (states_rule(text) or lays_down(text) or is_order(text))


def is_fact(text: str) -> bool:
    """Return whether a line surely tells how something is, and orders nothing."""
    if states_rule(text) or lays_down(text) or may_decide(text) or is_order(text) or _COMMANDS.match(text):
        return False
    reading = read_sentence(text)
    return reading.states and _OF_SOMEBODY.match(text) is not None and bool(stated_attributes(text))


def _of_entry(entry: CuratedEntry, state: CuratedState) -> Iterator[Suggestion]:
    if kinds := redact(entry.text).kinds:
        yield _without_secret(entry, kinds)
    elif entry.tier == "semantic" and is_rule(entry.text) and not is_of_rules(_place(entry)):
        yield _moved(entry, state, "procedural")
    elif entry.tier == "procedural" and is_fact(entry.text):
        yield _moved(entry, state, "semantic")
    elif entry.tier != "pinned" and _tells_one_day(entry.text):
        yield Suggestion(
            change=RetireEntry(id=entry.id, path=entry.path, text=entry.text),
            evidence=(quoted_entry(entry),),
            origin="tidy",
            score=_EVENT,
            reason="It tells what happened once; such lines belong in the daily note, and no prompt needs them.",
        )


def _place(entry: CuratedEntry) -> RulePlace:
    return RulePlace(path=entry.path, tier=entry.tier, headings=entry.headings)


def _moved(entry: CuratedEntry, state: CuratedState, tier: str) -> Suggestion:
    if tier == "procedural":
        change = MoveEntry(id=entry.id, path=entry.path, tier="procedural", text=entry.text)
        reason = f"It is a rule, and {path_of(state, 'procedural')} is the file of rules."
        score = _RULE
    else:
        change = MoveEntry(id=entry.id, path=entry.path, tier="semantic", text=entry.text)
        reason = f"It is a fact, and {path_of(state, 'semantic')} is the file of facts."
        score = _FACT
    return Suggestion(change=change, evidence=(quoted_entry(entry),), origin="tidy", score=score, reason=reason)


def _without_secret(entry: CuratedEntry, kinds: tuple[str, ...]) -> Suggestion:
    """Suggest the same words without the secret. The suggestion itself does not repeat it."""
    text = _PLACEHOLDER.sub(_HELD_ELSEWHERE, redact(entry.text).text)
    quote = Evidence(quote=text, path=entry.path, line=entry.line)
    what = kinds[0].replace("_", " ").replace("-", " ")
    reason = f"It holds a secret ({what}), and {entry.path} is loaded into every prompt."
    change = EditEntry(id=entry.id, text=text, path=entry.path)
    return Suggestion(change=change, evidence=(quote,), origin="tidy", score=_SECRET, reason=reason)


def _tells_one_day(text: str) -> bool:
    reading = read_sentence(text)
    is_event = reading.happened and reading.states
    return is_event and why_not_loading(text) == "passing" and not states_rule(text)
