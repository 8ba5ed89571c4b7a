"""What a home keeps of its own, and what it writes for its owner: the ledger's and the vault's operations."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.config import Settings
from memoro.errors import NeedsConsent, Refused, StoreUnavailable
from memoro.model.answers import Answer, Text
from memoro.model.home import IN_MEMORY
from memoro.model.notes import EXPERIENCE, MEMORY, kept_at, number_of
from memoro.model.vocabulary import Kind, LedgerKind, LoadedTier, Mode
from memoro.search.filters import Names
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from datetime import datetime

    from memoro.conversation.context import ConversationContext
    from memoro.conversation.policy import ContextPolicy
    from memoro.experiences.lifecycle import Experiences, Hint
    from memoro.ledger.backups import Backups
    from memoro.ledger.exchange.export import Exported
    from memoro.ledger.exchange.report import Imported
    from memoro.ledger.housekeeping import Tidied
    from memoro.ledger.items import Items
    from memoro.ledger.services import LedgerServices
    from memoro.ledger.undo import Journal
    from memoro.memories.lifecycle import Memories
    from memoro.memories.narratives import Narratives
    from memoro.model.journal import Entry
    from memoro.model.recall import Recalled
    from memoro.notes.daily import Daily
    from memoro.notes.entries import Entries, Remembered
    from memoro.notes.episodes import Episodes
    from memoro.notes.files import Files
    from memoro.notes.memory_tool import MemoryTool
    from memoro.notes.services import Writing
    from memoro.providers.ports import Embedder
    from memoro.recall.ports import Standing
    from memoro.sessions.given import Held
    from memoro.sessions.recording import Asked, Sessions


class Opened(NamedTuple):
    """For whom and where a home was opened."""

    agent: str | None = None
    project: str | None = None
    environment: Mapping[str, str] = MappingProxyType({})
    clock: Callable[[], datetime] | None = None
    embedder: Embedder | None = None  # instead of what the settings name


class Keeping(ABC):
    """The half of a workspace that keeps and writes. The other half finds."""

    home: str
    settings: Settings

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._opening = threading.RLock()  # threads may share a workspace
        self._ledger: LedgerServices | None = None
        self._learned: Experiences | None = None
        self._pens: Writing | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that it was opened with."""
        return self._opened.environment

    @abstractmethod
    def search(
        self, query: str, *, limit: int | None = None, mode: Mode | None = None, kind: Kind = ...
    ) -> Answer: ...

    @abstractmethod
    def recall(
        self,
        message: str,
        *,
        budget: int | None = None,
        proactive: bool | None = None,
        project: Names = ...,
        agent: Names = ...,
        path: Names = ...,
        tier: Names = ...,
        tag: Names = ...,
        given: Collection[str] = ...,
        loaded: Mapping[str, Sequence[str]] = ...,
    ) -> Recalled: ...

    @abstractmethod
    def prompt(
        self,
        message: str,
        *,
        budget: int | None = None,
        proactive: bool | None = None,
        project: Names = ...,
        agent: Names = ...,
        path: Names = ...,
        tier: Names = ...,
        tag: Names = ...,
        given: Collection[str] = ...,
        loaded: Mapping[str, Sequence[str]] = ...,
    ) -> Recalled: ...

    @abstractmethod
    def vault(self) -> VaultFiles: ...

    @abstractmethod
    def _drop_from_index(self, paths: Sequence[str], digests: Sequence[str]) -> None: ...

    @abstractmethod
    def _index_now(self, paths: Sequence[str]) -> None: ...

    @abstractmethod
    def _spoken(self, target: str) -> tuple[Text, Sequence[str]]: ...

    @abstractmethod
    def _read_again(self, path: str) -> None: ...

    @abstractmethod
    def _notes_holding(self, word: str) -> Sequence[str]: ...

    @abstractmethod
    def _digests_of(self, path: str) -> Sequence[str]: ...

    @abstractmethod
    def _experiences_meant(
        self, query: str, limit: int
    ) -> tuple[list[tuple[int, float]] | None, tuple[str, ...]]: ...

    @property
    def memories(self) -> Memories:
        """Single facts that use makes stronger or weaker: store, query, reinforce, demote, update, …"""
        return self._services().memories

    @property
    def narratives(self) -> Narratives:
        """What is going on, sentence by sentence: update, search, chain."""
        return self._services().narratives

    @property
    def experiences(self) -> Experiences:
        """What was done about what, and how well it went: record, find_similar, mark_used, prefer, hints, …"""
        with self._opening:
            services = self._services()
            if self._learned is None:
                self._learned = self._open_experiences(services)
            return self._learned

    @property
    def items(self) -> Items:
        """What frameworks keep by namespace and key: put, append, get, below, pop, clear. Adapters use it."""
        return self._services().items

    @property
    def backups(self) -> Backups:
        """Copies of ledger and archive: create, all, verify, restore."""
        return self._services().backups

    @property
    def sessions(self) -> Sessions:
        """What was given to whom: start, record, show, replay, archive; used, uses."""
        from memoro.sessions.recording import Sessions

        return Sessions(self._services().access, self._recalled_anew)

    @property
    def journal(self) -> Journal:
        """Every change to the ledger: log, undo."""
        return self._services().journal

    def tidy(self) -> Tidied:
        """Do what a ledger needs now and then and is due: a backup, pruning, what forgetting has left undone."""
        return self._services().housekeeping.tidy()

    def export(self, write: Callable[[str], object], format: str = "jsonl") -> Exported:
        """Write all memories, experiences and narratives with their history, to be imported into an empty home.

        What was written into notes, and what agents propose to write, stays with the vault and this home.
        """
        from memoro.ledger.exchange.export import export

        return export(self._services().access, write, format)

    def import_(self, place: str | os.PathLike[str], format: str | None = None, *, dry_run: bool = False) -> Imported:
        """Take over memories from an export or another store; nothing comes twice."""
        from memoro.ledger.exchange.importing import import_

        return import_(self._services().access, place, format, dry_run=dry_run)

    @property
    def entries(self) -> Entries:
        """The bullets of always-loaded files: remember, edit, remove, all; proposals, accept, reject."""
        return self._writing().entries

    @property
    def daily(self) -> Daily:
        """Lines in the note of the day: add."""
        return self._writing().daily

    @property
    def notes(self) -> Files:
        """Whole notes: new, edit, move, delete, restore."""
        return self._writing().files

    @property
    def episodes(self) -> Episodes:
        """A note for each session: save."""
        return self._writing().episodes

    @property
    def context(self) -> ConversationContext:
        """A conversation's own window: stats, compact."""
        from memoro.conversation.context import ConversationContext

        return ConversationContext(self.settings.context, self._writing)

    def context_policy(
        self, window: int | None = None, *, session: str | None = None, go_on: bool = False
    ) -> ContextPolicy:
        """Compacts one conversation by itself: `seen(messages)` gives what to send to the model."""
        from memoro.conversation.policy import ContextPolicy
        from memoro.conversation.window import WINDOW

        return ContextPolicy(self.context, WINDOW if window is None else window, session, go_on)

    @property
    def memory_tool(self) -> MemoryTool:
        """Anthropic's memory tool on the folder `agent/` of the vault."""
        from memoro.notes.memory_tool import MemoryTool

        return MemoryTool(self._writing().files, self.vault())

    def remember(
        self, text: str, *, tier: LoadedTier = "semantic", section: str | None = None, by: str = "user"
    ) -> Remembered:
        """Keep a fact or a rule as an entry of an always-loaded file; by an agent, as a proposal."""
        return self.entries.remember(text, tier=tier, section=section, by=by)

    def pin(self, text: str, *, by: str = "user") -> Remembered:
        """Keep what must not be missed."""
        return self.entries.remember(text, tier="pinned", by=by)

    def edit(self, target: str, text: str, *, by: str = "user") -> Remembered:
        """Say an entry, or a memory (`memory:N`), in other words."""
        kept = kept_at(target)
        if kept and kept[0] == "experience":
            raise Refused("An experience says what happened, and is not edited. Record a better one instead.")
        if kept:
            memory = self.memories.update(kept[1], text, source=by)
            return _as_remembered(target, memory.content)
        return self.entries.edit(target, text, by=by)

    def remove(self, target: str, *, by: str = "user", key: str | None = None) -> Remembered:
        """Take out an entry, a memory (`memory:N`) or an experience (`experience:N`); `undo` brings it back.

        With a `key`, a memory or an experience is taken out once, and asking again is no error.
        """
        kept = kept_at(target)
        if kept and kept[0] == "experience":
            return _as_remembered(target, self.experiences.remove(kept[1], source=by, key=key).experience.intent)
        if kept:
            return _as_remembered(target, self.memories.remove(kept[1], source=by, key=key).content)
        return self.entries.remove(target, by=by)

    def forget(self, target: str, *, yes: bool = False, dry_run: bool = False) -> dict[str, Any]:
        """Scrub an entry, a memory (`memory:N`) or an experience (`experience:N`) for good.

        This cannot be undone, and so needs `yes`.

        Of a conversation (`transcript:…`, from a search) the message is hidden for good; its log is not changed.
        """
        if target.startswith("transcript:"):
            return self._forget_said(target, yes=yes, dry_run=dry_run)
        if kept := kept_at(target):
            return self._forget_kept(target, *kept, yes=yes, dry_run=dry_run)
        found = self._writing().forgetting.forget(target, yes=yes, dry_run=dry_run)
        text = "" if found.done else found.entry.text
        return {
            "id": target,
            "path": found.entry.path,
            "done": found.done,
            "text": text,
            "backups": list(found.backups),
        }

    def _forget_kept(self, target: str, kind: LedgerKind, number: int, *, yes: bool, dry_run: bool) -> dict[str, Any]:
        if kind == "experience":
            lived = self.experiences.forget(number, yes=yes, dry_run=dry_run)
            done, text, backups = lived.done, lived.experiences[0].intent, lived.backups
        else:
            gone = self.memories.forget(number, yes=yes, dry_run=dry_run)
            done, text, backups = gone.done, gone.memories[0].content, gone.backups
        return {"id": target, "done": done, "text": "" if done else text, "backups": list(backups)}

    def _recalled_anew(self, message: str, asked: Asked, held: Held) -> Recalled:
        """For a session that sees what it says, and holds this already."""
        recall, bound = self.prompt if asked.prompt else self.recall, asked.bound
        return recall(
            message, budget=asked.budget, proactive=asked.proactive, given=held.passages, loaded=held.loaded,
            project=bound.project or (), agent=bound.agent or (), path=bound.paths, tier=bound.tiers, tag=bound.tags,
        )  # fmt: skip

    def _forget_said(self, target: str, *, yes: bool, dry_run: bool) -> dict[str, Any]:
        found, digests = self._spoken(target)
        named = self._services().backups.holding_bytes(found.text.encode())
        done = not dry_run
        if done and not yes:
            raise NeedsConsent("Hiding a message for good cannot be undone. Add --yes (yes=True) to do it.")
        if done:
            from memoro.ledger.erasure import erase_from_recalls, forgetting, items_at
            from memoro.ledger.forget import begin
            from memoro.model.memories import stamp
            from memoro.model.sessions import repeating

            services = self._services()
            at = stamp(services.access.now())
            with services.access.ledger.writing() as tx:
                tx.forgotten.add(services.access.digest(tx, found.text), at)
                tx.journal.add(forgetting("transcript", found.path, at))
                items = items_at(tx, found.path, found.start_line, found.end_line)
                erase_from_recalls(tx, repeating([found.text]), items)
                begin(tx, [], list(digests))
            self._read_again(found.path)
            services.forgetting.finish()
        return {
            "id": target,
            "path": found.path,
            "done": done,
            "text": "" if done else found.text,
            "backups": list(named),
        }

    def _services(self) -> LedgerServices:
        with self._opening:
            if self._ledger is None:
                self._ledger = self._open_services()
                self._ledger.journal.notes_back = self._take_back_note
                self._learned = None
                self._admit_experiences(self._ledger)
            return self._ledger

    def _admit_experiences(self, services: LedgerServices) -> None:
        """Let what knows memories know experiences, which are loaded only where there are some."""
        from memoro.ledger.undo import Kind

        def undoing() -> Kind:
            from memoro.experiences.undo import undoing

            return undoing(services.access)

        def prune() -> bool:
            with services.access.ledger.reading() as tx:
                some = tx.numbers.highest("experiences")
            due = some and self.experiences.may_prune()
            return bool(due) and services.housekeeping.if_due("experiences_pruned_at", self.experiences.prune_expired)

        services.journal.kinds["experience"] = Kind(
            lambda tx, entry, now: undoing().back(tx, entry, now),
            lambda tx, entry: undoing().told(tx, entry),
        )
        services.housekeeping.errands.append(("experiences archived", prune))

    def _open_experiences(self, services: LedgerServices) -> Experiences:
        from memoro.experiences.forget import Scrubbing
        from memoro.experiences.lifecycle import Experiences, Manner

        manner, opened = Manner(*self.settings.experience), self._opened
        scrubbing = Scrubbing(services.access, services.backups, services.forgetting)
        whose = (opened.agent, opened.project)
        return Experiences(services.access, scrubbing, manner, whose, self._experiences_meant)

    def _open_services(self) -> LedgerServices:
        from memoro.ledger.archive import Limits
        from memoro.ledger.services import Choices, IndexSide, LedgerServices, Who
        from memoro.memories.lifecycle import Weights
        from memoro.model.secrets import known_values

        memory, opened, embedding = self.settings.memory, self._opened, self.settings.embedding
        limits = Limits(
            memory.max_bytes, memory.prune_percent, _vector_bytes(embedding.dimensions) if embedding.enabled else 0
        )
        return LedgerServices(
            self.home,
            Choices(Weights(memory.reinforce_weight, memory.demote_weight), limits, memory.prune_schedule),
            Who(opened.agent, opened.project, known_values(opened.environment), opened.clock or now),
            IndexSide(self._memories_meant, self._drop_from_index),
        )

    def _writing(self) -> Writing:
        with self._opening:
            if self._pens is None:
                self._pens = self._open_writing()
            return self._pens

    def _open_writing(self) -> Writing:
        from memoro.notes.services import IndexHooks, Manner, Writing

        if self.home == IN_MEMORY:
            raise StoreUnavailable("A home in memory keeps no journal, so notes are not written from it.")
        services, vault, opened = self._services(), self.vault(), self._opened
        manner = Manner(
            self.settings.writing.agent_writes == "direct",
            self.settings.daily.folder,
            self.settings.daily.pattern,
            self.settings.daily.keep_days,
        )
        shadow = IndexHooks(self._index_now, self._notes_holding, self._digests_of)
        made = Writing(self.home, services, vault, manner, (opened.agent, opened.project), shadow)
        made.journaled.settle()
        return made

    def _take_back_note(self, entry: Entry) -> None:
        self._writing().journaled.undo(entry)

    def _put_back(self) -> list[str]:
        """Before a sync: what saves of older versions have dropped from notes comes back, once."""
        from memoro.notes.dropped_lines import put_back

        writing = self._writing()
        returned = put_back(writing.journaled)
        writing.forget_hint_if_done()
        return returned

    def _memories_meant(self, query: str, limit: int) -> tuple[list[tuple[int, float]], tuple[str, ...]]:
        answer = self.search(query, limit=limit, kind="memory", mode="hybrid")
        return [(number_of(hit.path), hit.score) for hit in answer.results], answer.degraded

    def _believed(self, paths: Sequence[str]) -> Mapping[str, Standing]:
        """Of the memories and experiences among these paths, how far each is believed, and whose word it is."""
        from memoro.experiences.solutions import whole
        from memoro.recall.ports import Standing

        kept = {path: place for path in paths if (place := kept_at(path))}
        if not kept:
            return {}
        with self._services().access.ledger.reading() as tx:
            memories = {path: tx.memories.find(n) for path, (kind, n) in kept.items() if kind == "memory"}
            lived = {path: tx.experiences.find(n) for path, (kind, n) in kept.items() if kind == "experience"}
        return {
            **{path: Standing(one.trust, one.source) for path, one in memories.items() if one},
            **{path: Standing(one.trust, one.source, whole(one)) for path, one in lived.items() if one},
        }

    def _hints(self, message: str, agent: Names, project: Names) -> tuple[Hint, ...]:
        """Experiences that may help with a message, where there are any."""
        with self._services().access.ledger.reading() as tx:
            if not tx.experiences.count():
                return ()
        return self.experiences.hints(message, agent=_one_of(agent), project=_one_of(project))

    def _secrets(self) -> Sequence[str]:
        from memoro.model.secrets import known_values

        return known_values(self._opened.environment)

    def _worths(self, paths: Sequence[str]) -> dict[str, float]:
        """Of these memories and experiences, those that hold now, each with its worth."""
        services = self._services()
        memories = [number_of(path) for path in paths if path.startswith(MEMORY)]
        lived = [number_of(path) for path in paths if path.startswith(EXPERIENCE)]
        return {
            **{f"{MEMORY}{number}": worth for number, worth in services.memories.standing(memories).items()},
            **({f"{EXPERIENCE}{n}": worth for n, worth in self.experiences.standing(lived).items()} if lived else {}),
        }

    def _kept_text(self, target: str) -> Text:
        from memoro.experiences.solutions import whole
        from memoro.model.memories import Memory, moment

        kind, number = kept_at(target) or ("memory", 0)
        kept = self.experiences.get(number) if kind == "experience" else self.memories.get(number)
        text = kept.content if isinstance(kept, Memory) else whole(kept)
        day = moment(kept.created_at).astimezone().date().isoformat()  # as in the index
        return Text(target, kind, kind, target, 1, text.count("\n") + 1, "", day, kept.tags, (), (), text)


def _one_of(names: Names) -> str | None:
    return names if isinstance(names, str) else next(iter(names), None)


def _as_remembered(target: str, content: str) -> Remembered:
    from memoro.notes.entries import Remembered

    return Remembered(target, target, None, content)


def now() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _vector_bytes(dimensions: int) -> int:
    """What the vectors of one memory take, exact and rounded, with what tells them apart."""
    return dimensions * 3 + 100
