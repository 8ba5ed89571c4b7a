"""The answers in conversation logs that their owner marked as wrong, and what the owner said is right."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from memoro.errors import VaultError
from memoro.model.feedback import Correction, FeedbackEntry, parse
from memoro.model.feedback_places import ARCHIVE, FILES
from memoro.model.vocabulary import PERSON
from memoro.vault.files import VaultFiles


class DatedCorrection(NamedTuple):
    """A correction of the owner, with its day."""

    day: str
    said: Correction


class MarkedAnswers(NamedTuple):
    """What the owner marked as wrong. What an agent marked is not among it."""

    places: frozenset[str] = frozenset()  # of the questions, as PATH:LINE of a log
    corrections: tuple[DatedCorrection, ...] = ()


def marked_answers(vault: VaultFiles, is_seen: Callable[[str | None], bool] = lambda _project: True) -> MarkedAnswers:
    """Return what the owner marked as wrong; of the corrections, those of a project that is seen.

    An answer stays wrong when a rule was made of it, so the archive counts too.
    """
    archived = [f"{ARCHIVE}/{one.name}" for one in vault.entries(ARCHIVE) if one.name.endswith(".md")]
    found: list[FeedbackEntry] = []
    for path in (FILES["wrong"], *archived):
        with suppress(VaultError):
            text = vault.read(path).data.decode("utf-8", "replace")
            found += (one for one in parse(text) if one.kind == "wrong" and one.by == PERSON)
    told = (one for one in found if one.note and is_seen(one.project))
    return MarkedAnswers(
        frozenset(one.log for one in found if one.log),
        tuple(DatedCorrection(one.at[:10], Correction(one.question, one.note)) for one in told),
    )
