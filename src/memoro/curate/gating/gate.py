"""The gate that every automatic suggestion passes before it waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.gating.rules import (
    WEEK_DAYS,
    AdmittedSuggestions,
    CurrentItems,
    GatedFile,
    GatedItem,
    GateLimits,
    Withheld,
    admit,
    is_automatic,
)
from memoro.curate.gating.subjects import ENTRY, items_of
from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess, Owner
from memoro.ledger.proposals import ProposalQueue, Queued
from memoro.model.memories import moment, stamp
from memoro.model.notes import MEMORY, kept_at
from memoro.model.proposals import Proposal, Suggestion, at_moment

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.memories import Memory

_TRIES = 3  # a round that another one overtakes decides anew; so many in a row never happen
_TEXT = 1000  # characters of a text that are compared


class LoadedFiles(NamedTuple):
    """The always-loaded files of a vault, as they are now."""

    files: Mapping[str, GatedFile]
    paths: Mapping[str, str]  # by tier
    words: Mapping[str, str]  # of their entries, by id


NO_FILES = LoadedFiles({}, {}, {})


class GateSources(NamedTuple):
    """The sources that the gate reads besides the ledger."""

    per_round: int
    files: Callable[[], LoadedFiles]
    is_vault_of: Callable[[str], bool]  # whether the whole vault belongs to a project


class Offered(NamedTuple):
    """The outcome of some suggestions."""

    queued: tuple[Queued, ...] = ()
    withheld: tuple[Withheld, ...] = ()


class ProposalGate:
    def __init__(self, queue: ProposalQueue, access: LedgerAccess, owner: Owner, sources: GateSources) -> None:
        self._queue = queue
        self._access = access
        self._owner = owner
        self._sources = sources

    def offer(self, suggestions: Sequence[Suggestion], *, by: str) -> Offered:
        """Let those suggestions wait for a person that may; return the others with a reason for each.

        `by` names who made them, for the list of proposals.
        """
        if not suggestions:
            return Offered()
        loaded, compare = self._sources.files(), Cosines()
        for _ in range(_TRIES):
            with self._access.ledger.reading() as tx:
                seen = self._proposals(tx)
                current = self._current(tx, loaded, suggestions, seen)
            chosen = admit(suggestions, seen, current, self._limits(seen), compare)
            if (offered := self._add(chosen, seen, by)) is not None:
                return offered
        raise Refused("Another process is deciding proposals at this moment. Try again.")

    def preview(self, suggestions: Sequence[Suggestion]) -> AdmittedSuggestions:
        """Return what `offer` would do, and do nothing."""
        loaded = self._sources.files()
        with self._access.ledger.reading() as tx:
            seen = self._proposals(tx)
            current = self._current(tx, loaded, suggestions, seen)
        return admit(suggestions, seen, current, self._limits(seen), Cosines())

    def _add(self, chosen: AdmittedSuggestions, seen: Sequence[Proposal], by: str) -> Offered | None:
        """Queue what was admitted; None where proposals have changed since they were read."""
        if not chosen.suggestions:
            return Offered((), chosen.withheld)
        queued: list[Queued] = []
        withheld = list(chosen.withheld)
        with self._access.ledger.writing() as tx:
            if self._proposals(tx) != seen:
                return None
            for one in chosen.suggestions:
                try:
                    queued.append(self._queue.add(tx, one, by=by))
                except Refused as error:  # it was forgotten, or cannot be kept
                    withheld.append(Withheld(one, "forgotten", str(error)))
        return Offered(tuple(queued), tuple(withheld))

    def _proposals(self, tx: Transaction) -> list[Proposal]:
        now = stamp(self._access.now())
        return [at_moment(one, now) for one in tx.proposals.all()]

    def _limits(self, proposals: Iterable[Proposal]) -> GateLimits:
        since = self._access.now() - timedelta(days=WEEK_DAYS)
        made = sum(is_automatic(one) and moment(one.at) > since for one in proposals)
        return GateLimits(self._sources.per_round, made)

    def _current(
        self, tx: Transaction, loaded: LoadedFiles, suggestions: Sequence[Suggestion], proposals: Sequence[Proposal]
    ) -> CurrentItems:
        quoted = {one.path for suggestion in suggestions for one in suggestion.evidence if one.path}
        named = items_of([*(one.change for one in suggestions), *(one.change for one in proposals)]) | quoted
        memories = {name: found for name in named if (found := _memory(tx, name)) is not None}
        words = {f"{ENTRY}{own}": text[:_TEXT] for own, text in loaded.words.items()}
        return CurrentItems(
            files=loaded.files,
            words=words | {name: one.content[:_TEXT] for name, one in memories.items()},
            items={name: self._item(one) for name, one in memories.items()},
            paths=loaded.paths,
            is_vault_of=self._sources.is_vault_of,
        )

    def _item(self, memory: Memory) -> GatedItem:
        return GatedItem(memory.trust, memory.project, self._owner.scope.owns(memory.agent, memory.project))


def _memory(tx: Transaction, name: str) -> Memory | None:
    target = kept_at(name) if name.startswith(MEMORY) else None
    return tx.memories.find(target[1]) if target else None


class Cosines:
    """Compares texts by the vectors of the built-in model, each computed once."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def __call__(self, one: str, other: str) -> float:
        return sum(a * b for a, b in zip(self._vector(one), self._vector(other), strict=True))

    def _vector(self, text: str) -> list[float]:
        if text not in self._known:
            from memoro.providers.builtin.model import builtin

            self._known[text] = builtin().embed([text[:_TEXT]])[0].tolist()
        return self._known[text]
