"""Facts that somebody stated in a conversation, each with the words that it was taken from."""

from __future__ import annotations

from typing import NamedTuple

from memoro.model.proposals import Evidence
from memoro.model.vocabulary import FactKind


class Fact(NamedTuple):
    """One statement that is worth keeping beyond its conversation, as its speaker said it."""

    text: str  # one sentence that can be understood alone
    kind: FactKind
    evidence: Evidence  # the words, with the log, the line, the day and the speaker
    score: float = 1.0  # 0–1: how sure its extractor is


class ConversationTurn(NamedTuple):
    """One message of a conversation, from which facts may be taken."""

    speaker: str
    text: str
    line: int  # of its log
    date: str | None  # the day on which it was said
    is_owner: bool  # the person whose facts are kept said it


class CandidateSentence(NamedTuple):
    """A statement of the owner, from which a model may choose. Its text is as it was said."""

    text: str
    kind: FactKind  # a guess
    evidence: Evidence
    score: float  # 0 where no rule takes it for a fact
