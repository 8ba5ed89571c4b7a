"""A message that nobody asked to be answered from memory, with what may be looked at for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from memoro.model.answers import Where
from memoro.model.ratings import MutedWords
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.sessions import HeldContext
from memoro.recall.ports import RecallSources
from memoro.unasked.admission import AdmissionRules
from memoro.vault.marked_answers import MarkedAnswers


class UnaskedRequest(NamedTuple):
    """A message, with what may be looked at for it."""

    message: str
    sources: RecallSources
    where: Where  # the filter of the session's scope
    scope: Scope = EVERYTHING
    held: HeldContext = HeldContext()  # nothing of it is given again
    min_score: float = 0.3  # how sure an item must be
    rules: AdmissionRules = AdmissionRules(EVERYTHING)  # what may be given unasked
    wrong: Callable[[], MarkedAnswers] = MarkedAnswers  # answers that their owner marked
    muted: Callable[[], MutedWords] = MutedWords  # words that their owner does not want to be given
