"""Stand-in rules: first-person statements of the owner."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoro.model.facts import CandidateSentence, Fact, SpokenTurn
from memoro.model.proposals import Evidence

_FACT = re.compile(
    r"\b(?:I (?:moved|live|prefer|work|always|never)|I'm|we (?:decided|use|always)|my)\b", re.IGNORECASE
)


def candidate_sentences(turns: Sequence[SpokenTurn]) -> list[CandidateSentence]:
    found = []
    for turn in turns:
        if turn.is_owner:
            for text in re.split(r"(?<=[.!?])\s+|\n+", turn.text):
                if text.strip() and not text.endswith("?"):
                    evidence = Evidence(text, None, turn.line, turn.date, turn.speaker)
                    found.append(CandidateSentence(text, "fact", evidence, 0.9 if _FACT.search(text) else 0.0))
    return found


def facts_of(turns: Sequence[SpokenTurn], *, most: int, longest: int) -> list[Fact]:
    found = [one for one in candidate_sentences(turns) if one.score and len(one.text) <= longest]
    return [Fact(one.text, one.kind, one.evidence, one.score) for one in found][:most]
