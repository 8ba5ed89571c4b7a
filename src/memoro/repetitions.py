"""The places that repeat a forgotten text, with the id by which each can be forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import VaultError
from memoro.search.repeating_passages import is_repeating, passages_repeating
from memoro.search.retrieve import identifier
from memoro.vault import entries
from memoro.vault.encoding import decode

if TYPE_CHECKING:
    from memoro.model.answers import Passage
    from memoro.store.ports import Index
    from memoro.vault.files import VaultFiles


class Repetition(NamedTuple):
    """A place that says what was forgotten, in the same words or nearly, and stays."""

    id: str  # what `forget` takes; empty where only an editor removes the text
    path: str  # of a memory or an experience: its id
    line: int  # of a memory or an experience: 0
    text: str  # empty once the other text is forgotten


def repetitions(index: Index, vault: VaultFiles, texts: Sequence[str]) -> list[Repetition]:
    """Return the places of all passages that repeat one of these texts, each once."""
    found = [place for one in passages_repeating(index, texts) for place in _places(vault, one, texts)]
    return list(dict.fromkeys(found))


def _places(vault: VaultFiles, passage: Passage, texts: Sequence[str]) -> list[Repetition]:
    """Return the lines of a passage of a note that repeat a text, list items whole; a message is one place."""
    whole = Repetition(id=identifier(passage), path=passage.path, line=passage.start_line, text=passage.text)
    if passage.tier == "transcript":
        return [whole]
    repeats, bullets = is_repeating(texts), _bullets(vault, passage.path)
    items = [one for one in bullets if passage.start_line <= one.line <= passage.end_line and repeats(one.text)]
    in_items = {number for one in items for number in range(one.line, one.last + 1)}
    lines = [
        whole._replace(id="", line=number, text=line)
        for number, line in enumerate(passage.text.split("\n"), passage.start_line)
        if number not in in_items and repeats(line)
    ]
    named = [whole._replace(id=f"{passage.path}:{one.line}", line=one.line, text=one.text) for one in items]
    return named + lines or [whole._replace(id="")]


def _bullets(vault: VaultFiles, path: str) -> list[entries.Bullet]:
    """Return the list items that Memoro can remove: none of a folder beside the vault."""
    if path.startswith("@"):
        return []
    try:
        return entries.entries(decode(vault.read(path).data)[0])
    except VaultError:
        return []
