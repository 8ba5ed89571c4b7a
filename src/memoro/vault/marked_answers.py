"""The answers in conversation logs that their owner marked as wrong."""

from __future__ import annotations

from contextlib import suppress

from memoro.errors import VaultError
from memoro.model.feedback import parse
from memoro.model.feedback_places import ARCHIVE, FILES
from memoro.model.vocabulary import PERSON
from memoro.vault.files import VaultFiles


def wrong_answers(vault: VaultFiles) -> frozenset[str]:
    """Return the places of their questions, as PATH:LINE of a log. What an agent marked is not among them.

    An answer stays wrong when a rule was made of it, so the archive counts too.
    """
    archived = [f"{ARCHIVE}/{one.name}" for one in vault.entries(ARCHIVE) if one.name.endswith(".md")]
    found: set[str] = set()
    for path in (FILES["wrong"], *archived):
        with suppress(VaultError):
            text = vault.read(path).data.decode("utf-8", "replace")
            found |= {one.log for one in parse(text) if one.kind == "wrong" and one.by == PERSON and one.log}
    return frozenset(found)
