"""Reading what is curated: the ledger by its port, then the files of the vault. It writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.gating.subjects import DROP, proposal_subject
from memoro.curate.snapshot.alike import alike_pairs
from memoro.curate.snapshot.sources import CurationSources
from memoro.curate.snapshot.state import (
    CuratedEntry,
    CuratedMemory,
    CuratedNote,
    CuratedState,
    ReplacedMemory,
    SessionUses,
    texts_of_state,
)
from memoro.curate.snapshot.vault_reading import VaultReading
from memoro.errors import ProviderError, VaultError
from memoro.model.changes import NoteAppended, NoteWritten
from memoro.model.experiences import passage
from memoro.model.journal import ChangeFilter
from memoro.model.local_time import local_day
from memoro.model.memories import EXTRACTION, Memory, is_current
from memoro.model.notes import EXPERIENCE, MEMORY
from memoro.model.privacy import is_hidden, item_is_private, line_is_private
from memoro.model.proposals import PromoteMemory
from memoro.model.said_ends import said_end

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


class ReadState(NamedTuple):
    """The state that was read, and the files that could not be read."""

    state: CuratedState
    notices: tuple[str, ...] = ()


class SnapshotReader(NamedTuple):
    """Reads a `CuratedState`, as far as the scope of the caller shows it: to an agent, nothing private."""

    sources: CurationSources

    def read(self) -> ReadState:
        notices: list[str] = []
        state = self._from_ledger()
        if self.sources.vault is not None:
            try:
                state = VaultReading(self.sources, self.sources.vault(), notices).add_to(state)
            except VaultError as error:
                notices.append(f"notes: {error}")
        state = self._as_the_journal_tells(state)
        state = state._replace(private=state.private | {one.path for one in state.notes if self._hides(one)})
        if not self.sources.owner.scope.private:
            state = without_private(state)
        if self.sources.embed is not None:
            try:
                state = state._replace(alike=alike_pairs(texts_of_state(state), self.sources.embed))
            except ProviderError as error:
                notices.append(f"vectors: {error}")
        return ReadState(state, tuple(notices))

    def _from_ledger(self) -> CuratedState:
        now, owns = self.sources.access.now(), self.sources.owner.scope.owns
        with self.sources.access.ledger.reading() as tx:
            memories = [one for one in tx.memories.all() if owns(one.agent, one.project)]
            of_frameworks = {item.id for item in tx.items.all()}  # their values are the framework's, not facts
            current = [one for one in memories if is_current(one, now) and one.id not in of_frameworks]
            uses = _uses(tx, current)
            experiences = tuple(one for one in tx.experiences.live() if owns(one.agent, one.project))
            kept, promoted = _kept(tx), _promoted(tx)
        private = {
            f"{MEMORY}{one.id}" for one in memories if self._is_private(f"{MEMORY}{one.id}", one.content, one.tags)
        }
        private |= {
            f"{EXPERIENCE}{one.id}"
            for one in experiences
            if self._is_private(f"{EXPERIENCE}{one.id}", passage(one), one.tags)
        }
        return CuratedState(
            now=now,
            memories=tuple(
                CuratedMemory(
                    memory=one,
                    uses=uses.get(one.id, SessionUses()),
                    is_private=f"{MEMORY}{one.id}" in private,
                    promoted_as=promoted.get(one.id),
                )
                for one in current
            ),
            private=frozenset(private),
            replaced=_replaced(memories),
            experiences=experiences,
            kept=kept,
        )

    def _as_the_journal_tells(self, state: CuratedState) -> CuratedState:
        """Return the state without extracted lines that extraction did not write, and with the ages of entries.

        Whoever can write a daily line could write one that looks extracted.
        """
        passing = [one for one in state.entries if one.written_by and said_end(one.text, _date(one.written_by))]
        if not state.extracted and not passing:
            return state
        with self.sources.access.ledger.reading() as tx:
            known = _lines_of_extraction(tx) if state.extracted else frozenset()
            written = {one.id: _first_day(tx, one) for one in passing}
        return state._replace(
            extracted=tuple(one for one in state.extracted if one.whole_line in known),
            entries=tuple(one._replace(written_by=written.get(one.id, one.written_by)) for one in state.entries),
        )

    def _is_private(self, name: str, text: str, tags: Collection[str]) -> bool:
        return is_hidden(name, tags, self.sources.private) or item_is_private(text, tags)

    def _hides(self, note: CuratedNote) -> bool:
        return is_hidden(note.path, (), self.sources.private) or any(map(line_is_private, note.text.split("\n")))


def without_private(state: CuratedState) -> CuratedState:
    """Return a state without all that is private."""
    memories = tuple(one for one in state.memories if not one.is_private)
    shown = {one.memory.id for one in memories}
    return state._replace(
        entries=tuple(one for one in state.entries if not one.is_private),
        memories=memories,
        replaced=tuple(
            one for one in state.replaced if one.new.id in shown and f"{MEMORY}{one.old.id}" not in state.private
        ),
        extracted=tuple(one for one in state.extracted if not one.is_private),
        feedback=tuple(one for one in state.feedback if not line_is_private(one.note)),
        experiences=tuple(one for one in state.experiences if f"{EXPERIENCE}{one.id}" not in state.private),
        notes=tuple(one for one in state.notes if one.path not in state.private),
    )


def _lines_of_extraction(tx: Transaction) -> frozenset[str]:
    """The lines that extraction has added to daily notes, as the journal tells."""
    entries = tx.journal.latest(wanted=ChangeFilter(actor=EXTRACTION))
    added = (one.change.added for one in entries if isinstance(one.change, NoteAppended))
    return frozenset(line.strip() for text in added for line in text.splitlines())


def _first_day(tx: Transaction, entry: CuratedEntry) -> str | None:
    """The first day on which the journal knows the words of an entry; else the day that its file was last changed."""
    words = entry.text.encode()
    days = [entry.written_by] if entry.written_by else []
    for one in tx.journal.history("note", entry.path):
        if isinstance(one.change, NoteWritten):
            digests = (one.change.before, one.change.after)
            if any(words in (tx.contents.get(digest) or b"") for digest in digests if digest):
                days.append(local_day(one.at))
    return min(days, default=None)


def _date(day: str) -> date:
    return date.fromisoformat(day)


def _replaced(memories: Sequence[Memory]) -> tuple[ReplacedMemory, ...]:
    by_number = {one.id: one for one in memories}
    pairs = ((one, by_number.get(one.superseded_by or 0)) for one in memories)
    return tuple(ReplacedMemory(old, new) for old, new in pairs if new is not None)


def _kept(tx: Transaction) -> frozenset[str]:
    """The items whose retirement the owner has decided about: what is still there was not to go, or came back."""
    settled = (*tx.proposals.all("rejected"), *tx.proposals.all("accepted"))
    subjects = (proposal_subject(one.change, {}) for one in settled)
    return frozenset(name for one in subjects if one is not None and one.act == DROP for name in one.targets)


def _promoted(tx: Transaction) -> dict[int, str]:
    """The words that memories had when they became entries, by their numbers."""
    accepted = (one.change for one in tx.proposals.all("accepted"))
    return {one.number: one.text for one in accepted if isinstance(one, PromoteMemory)}


def _uses(tx: Transaction, memories: Sequence[Memory]) -> dict[int, SessionUses]:
    """The sessions that were given each memory, and what became of it there."""
    wanted = {one.id for one in memories}
    given: dict[int, dict[str, set[str]]] = {}

    def note(number: int, kind: str, value: str) -> None:
        given.setdefault(number, {}).setdefault(kind, set()).add(value)

    for one in tx.given.all():
        if one.memory in wanted:
            note(one.memory, "given", one.session)
            if one.reinforced:
                note(one.memory, "reinforced", one.session)
                note(one.memory, "days", one.at[:10])
    recalled = {item for item, words in tx.sessions.feedback() if words and item.startswith(MEMORY)}
    for item in recalled:
        number = int(item.removeprefix(MEMORY)) if item.removeprefix(MEMORY).isdecimal() else 0
        for use in tx.sessions.uses(item) if number in wanted else ():
            note(number, "given", use.session)
            for word in use.feedback:
                note(number, word, use.session)
            if "reinforced" in use.feedback:
                note(number, "days", use.at[:10])
    return {
        number: SessionUses(**{kind: frozenset(values) for kind, values in kinds.items()})
        for number, kinds in given.items()
    }
