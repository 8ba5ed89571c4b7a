"""The question to a language model about new facts: numbered records, and the schema of its answer."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.curate.judging.facts import MOST_TARGETS, Candidate, CurrentFact, CurrentFacts
from memoro.curate.judging.validation import MOST_REASON
from memoro.model.prompt_material import record_lines
from memoro.model.visible import visible
from memoro.model.vocabulary import CURATION_STEPS
from memoro.providers.language.ports import Prompt, Schema
from memoro.providers.language.structured import closed

_MOST_CHARACTERS = 400  # of one fact; the statement comes first
_TOKENS_EACH = 150  # of the answer, for one candidate
_TOKENS_AROUND = 500

INSTRUCTIONS = f"""\
You compare new facts with facts that are known.

Each line is one record. A record with "candidate" is a new fact, with the day on which it was said; its "nearest" are
the numbers of known facts that may be about the same thing. A record with "fact" is a known fact.

Choose exactly one step for each candidate:
- add: it says something that no known fact says, and contradicts none. No targets.
- merge: the one target says the same already. Never where numbers, dates, names, conditions or a denial differ.
- supersede: the targets (1 to {MOST_TARGETS}) were true before and are not any more, because the candidate holds now.
  It must be the same attribute of the same subject. A detail more, another subject or another attribute is no reason.
- retire: the candidate says that the targets (1 to {MOST_TARGETS}) have ended, and names nothing in their place.
- keep: you cannot tell. No targets.

Targets must be among the "nearest" of their candidate. If in doubt, choose keep or add: a fact that is wrongly
replaced is worse than one too many. Write each reason first, in one short sentence of at most {MOST_REASON}
characters, and compute nothing. Answer with JSON alone."""


def judge_prompt(candidates: Sequence[Candidate], current: CurrentFacts) -> Prompt:
    """Return the question. Each record is one line of JSON; whoever sends it takes secrets out and fences it."""
    shown = dict.fromkeys(number for one in candidates for number in one.nearest)
    records = [*map(_candidate, candidates), *(_current(number, current[number]) for number in shown)]
    return Prompt(
        purpose="judge",
        instructions=INSTRUCTIONS,
        material=record_lines(records),
        schema=schema(candidates),
        most_tokens=_TOKENS_AROUND + _TOKENS_EACH * len(candidates),
    )


def schema(candidates: Sequence[Candidate]) -> Schema:
    """Return the form of an answer: the reasons come before what is chosen, which makes small models judge better."""
    numbers = [one.number for one in candidates]
    targets = sorted({number for one in candidates for number in one.nearest})
    decision = closed(
        {
            "reason": {"type": "string"},
            "candidate": {"type": "integer", "enum": numbers},
            "step": {"type": "string", "enum": list(CURATION_STEPS)},
            "targets": {"type": "array", "items": {"type": "integer", "enum": targets}},
        }
    )
    return closed({"reason": {"type": "string"}, "decisions": {"type": "array", "items": decision}})


def _candidate(one: Candidate) -> dict[str, object]:
    said = {"said": one.new.day} if one.new.day else {}
    return {"candidate": one.number, **said, "nearest": list(one.nearest), "text": _cut(one.new.fact.text)}


def _current(number: int, one: CurrentFact) -> dict[str, object]:
    return {"fact": number, **({"said": one.day} if one.day else {}), "text": _cut(one.text)}


def _cut(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _MOST_CHARACTERS else f"{shown[:_MOST_CHARACTERS]}…"
