"""Propose entries to retire from an always-loaded file that exceeds its budget: the weakest, at most a quarter."""

from __future__ import annotations

from collections.abc import Sequence

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import quoted_entry
from memoro.curate.snapshot.state import CuratedEntry, CuratedState, LoadedFile, entry_name
from memoro.model.memories import entry_of_memory
from memoro.model.proposals import RetireEntry, Suggestion
from memoro.model.rewording import is_rewording
from memoro.model.tokens import tokens
from memoro.model.worth_loading import is_worth_loading
from memoro.vault.entries import is_id

MOST_LOST = 4  # one of so many entries of a file may go
_SURE, _UNSURE = 0.6, 0.4  # an entry that tells nothing, and one that is merely weaker than the others


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:
    """Suggest to retire entries until each file fits its budget, or a quarter of its entries would be gone.

    What its owner did not want to be retired stays, and the next weakest is suggested.
    """
    limits = {"semantic": settings.memory_tokens, "procedural": settings.rules_tokens}
    return [
        one
        for file in state.files
        if file.tier in limits and file.tokens > limits[file.tier]
        for one in _of_file(file, state, limits[file.tier])
    ]


def _of_file(file: LoadedFile, state: CuratedState, limit: int) -> list[Suggestion]:
    used = _reinforced(state)
    entries = [one for one in state.entries if one.path == file.path]
    weakest = sorted(_not_kept(entries, state), key=lambda one: _strength(one, used))
    found: list[Suggestion] = []
    left = file.tokens
    for entry in weakest[: file.entries // MOST_LOST]:
        if left <= limit:
            break
        left -= tokens(_line_of(entry))
        found.append(_suggestion(entry, file, limit))
    return found


def _not_kept(entries: Sequence[CuratedEntry], state: CuratedState) -> list[CuratedEntry]:
    """The entries that may be suggested: none that its owner keeps, nor one that says the same as such a one."""
    kept = [one for one in state.entries if entry_name(one) in state.kept]
    if not kept:
        return list(entries)
    near = {frozenset((one.one, one.other)): one.cosine for one in state.alike}

    def say_the_same(one: CuratedEntry, other: CuratedEntry) -> bool:
        cosine = near.get(frozenset((entry_name(one), entry_name(other))), 0.0)
        return is_rewording(one.text, other.text, lambda _one, _other: cosine)

    return [one for one in entries if not any(say_the_same(one, other) for other in kept)]


def _strength(entry: CuratedEntry, used: dict[str, int]) -> tuple[bool, int, int, int]:
    """Order entries, the weakest first: what tells nothing, what helped in fewer sessions, what takes more room."""
    return (is_worth_loading(entry.text, as_rule=True), used.get(entry.id, 0), -tokens(entry.text), entry.line)


def _line_of(entry: CuratedEntry) -> str:
    return f"- {entry.text} ^{entry.id}\n" if is_id(entry.id) else f"- {entry.text}\n"


def _reinforced(state: CuratedState) -> dict[str, int]:
    """In how many sessions each entry helped, as far as the memory that it was promoted from tells."""
    found: dict[str, int] = {}
    for one in state.memories:
        if (entry := entry_of_memory(one.memory)) is not None:
            found[entry] = len(one.uses.reinforced)
    return found


def _suggestion(entry: CuratedEntry, file: LoadedFile, limit: int) -> Suggestion:
    worth = is_worth_loading(entry.text, as_rule=True)
    why = "this is among its weakest entries" if worth else "this entry tells an agent nothing"
    return Suggestion(
        change=RetireEntry(id=entry.id, path=entry.path, text=entry.text),
        evidence=(quoted_entry(entry),),
        origin="tidy",
        score=_UNSURE if worth else _SURE,
        reason=f"{file.path} has {file.tokens:,} tokens, {limit:,} are meant for it, and {why}.",
    )
