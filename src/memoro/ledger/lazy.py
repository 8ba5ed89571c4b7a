"""The ledger of one home with the services over it: nothing is opened before it is needed."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memoro.home_context import HomeContext
from memoro.model.answers import EndedFact, Held, Text
from memoro.model.notes import Hidden
from memoro.model.vocabulary import LedgerKind, Trust
from memoro.store.opening import ledger_change_token, open_ledger

if TYPE_CHECKING:
    from memoro.experiences.lifecycle import Experiences
    from memoro.index.indexing import Indexing
    from memoro.ledger.ports import Ledger, Transaction
    from memoro.ledger.services import LedgerServices
    from memoro.model.ledger import LedgerMarks
    from memoro.model.ratings import MutedWords
    from memoro.model.recall import Provenance
    from memoro.model.sessions import RecordedRecall
    from memoro.model.targets import ExperienceId, MemoryId
    from memoro.notes.lazy import LazyNotes
    from memoro.search.finder import Finder
    from memoro.search.ledger_search import LedgerSearch
    from memoro.sessions.recording import SessionRecorder


class LazyLedger:
    """Opens the ledger when something first needs it. Threads may share it."""

    def __init__(self, home: HomeContext) -> None:
        self._home = home
        self._opening = threading.RLock()
        self._services: LedgerServices | None = None
        self._experiences: Experiences | None = None
        self._muted: tuple[tuple[str | None, int], MutedWords] | None = None  # with the state of the ledger then
        self._marks: tuple[str | None, LedgerMarks] | None = None  # with the change token that they were read at

    def connect(self, indexing: Indexing, finder: Finder, notes: LazyNotes) -> None:
        """Name the collaborators that services over the ledger call. Comes before the first use."""
        self._indexing, self._finder, self._notes = indexing, finder, notes

    def exists(self) -> bool:
        """Return whether anything was ever stored: the first memory, or write into a note, makes the ledger."""
        return self.is_shared or ledger_change_token(self._home.folder) is not None

    @property
    def is_shared(self) -> bool:
        """Return whether a server keeps the ledger, for several machines."""
        return self._home.settings.ledger.url is not None and not self._home.in_memory

    def copied_at(self) -> float | None:
        """When the local copy of a shared ledger was last up to date; None: it is not open, or there is none."""
        services = self._services
        if services is None or not self.is_shared:
            return None
        from memoro.store.opening import copied_at

        return copied_at(services.access.ledger)

    def fingerprint(self) -> str | None:
        return self.opened().change_token() if self.is_shared else ledger_change_token(self._home.folder)

    def marks(self) -> LedgerMarks:
        """Return how far the ledger has come. As long as its file stays as it is, nothing is read."""
        from memoro.model.ledger import LedgerMarks
        from memoro.model.memories import stamp

        token = self.fingerprint()
        if token is None and not self._home.in_memory:
            return LedgerMarks()
        known = self._marks
        if known is not None and token is not None and known[0] == token:
            return known[1]
        access = self.services.access
        with access.ledger.reading() as tx:
            found = tx.marks(stamp(access.now()))
        self._marks = (token, found)
        return found

    @property
    def services(self) -> LedgerServices:
        with self._opening:
            if self._services is None:
                self._services = self._open()
            return self._services

    def services_if_any(self) -> LedgerServices | None:
        return self.services if self._home.in_memory or self.exists() else None

    @property
    def experiences(self) -> Experiences:
        with self._opening:
            services = self.services
            if self._experiences is None:
                self._experiences = self._open_experiences(services)
            return self._experiences

    @property
    def sessions(self) -> SessionRecorder:
        from memoro.sessions.recording import SessionRecorder

        return SessionRecorder(self.services.access)

    def recalls_of(self, session: str) -> Sequence[RecordedRecall]:
        return self.sessions.recalls(session)

    def opened(self) -> Ledger:
        return self.services.access.ledger

    def hidden(self) -> Hidden:
        return self.services.access.hidden()

    def staleness(self) -> str | None:
        """Why what was read from a shared ledger may be old; None where it is not, or nothing was read."""
        services = self._services if self.is_shared else None
        found = services.access.ledger.staleness() if services else None
        if not found:
            return None
        from memoro.model.ledger import STALENESS

        return f"{STALENESS}{found}"

    def muted(self) -> MutedWords:
        """What its owner does not want to be given unasked."""
        from memoro.model.ratings import MutedWords
        from memoro.sessions.rating import muted_words

        services = self.services_if_any()
        if services is None:
            return MutedWords()
        with services.access.ledger.reading() as tx:
            mark = (tx.meta.get("identity"), tx.journal.last())  # what was given is in no journal, every change is
            known = self._muted
            if known is None or known[0] != mark:
                known = self._muted = mark, muted_words(tx)
        return known[1]

    def muted_if_open(self) -> MutedWords | None:
        """The same, where the ledger is open; else None: a search of notes does not open it for this."""
        return self.muted() if self._services is not None else None

    def finish_forgetting(self) -> None:
        self.services.forgetting.finish()

    def propose_dropped_lines(self) -> None:
        self._notes.propose_dropped_lines()

    def strengths(self, paths: Sequence[str], held: Held | None = None) -> Mapping[str, float]:
        """Those of these memories and experiences that hold now, each with its worth. `held`: as `Standing` says."""
        from memoro.model.targets import ExperienceId, MemoryId, parse_target  # a search without memories needs none

        targets = [parse_target(path) for path in paths]
        memories = [target.number for target in targets if isinstance(target, MemoryId)]
        learned = [target.number for target in targets if isinstance(target, ExperienceId)]
        found = {str(MemoryId(n)): worth for n, worth in self._standing(memories, held).items()}
        if learned:
            found |= {str(ExperienceId(n)): worth for n, worth in self.experiences.standing(learned).items()}
        return found

    def _standing(self, memories: Sequence[int], held: Held | None) -> Mapping[int, float]:
        return self.services.memories.standing(memories, held, self._loaded_ids)

    def _loaded_ids(self) -> Collection[str]:
        from memoro.vault.loaded_ids import loaded_ids  # only where a memory was promoted

        return loaded_ids(self._home.vault()) if self._home.settings.vault.path is not None else ()

    def provenances(self, paths: Sequence[str]) -> Mapping[str, Provenance]:
        """Return those of these paths that are memories or experiences, each with how far it is believed."""
        from memoro.model.targets import ExperienceId, MemoryId, parse_target

        targets = {path: parse_target(path) for path in paths}
        kept = {path: one for path, one in targets.items() if isinstance(one, MemoryId | ExperienceId)}
        if not kept:
            return {}
        with self.opened().reading() as tx:
            found = {path: _provenance(tx, target) for path, target in kept.items()}
        return {path: one for path, one in found.items() if one}

    def trusts(self, paths: Sequence[str]) -> Mapping[str, Trust]:
        """The trust of each of these memories."""
        return {path: one.trust for path, one in self.provenances(paths).items() if one.trust}

    def ended_facts(self, origins: Sequence[str], texts: Sequence[str]) -> Sequence[EndedFact]:
        """What was extracted from these messages, or with these texts, and holds no longer."""
        from memoro.ledger.ended_facts import ended_facts  # seldom needed

        return ended_facts(self.services.access, origins, texts)

    def cautions(self, paths: Sequence[str]) -> Mapping[str, str]:
        """Those of these paths before whose text words of caution must stand: experiences that did not work."""
        return {path: one.caution for path, one in self.provenances(paths).items() if one.caution}

    def text(self, target: MemoryId | ExperienceId) -> Text:
        from memoro.experiences.solutions import whole
        from memoro.model.memories import moment
        from memoro.model.targets import MemoryId

        links: tuple[str, ...] = ()
        kind: LedgerKind = "memory" if isinstance(target, MemoryId) else "experience"
        if isinstance(target, MemoryId):
            shown = self.services.memories.show(target.number, scope="all")  # whoever reads it checks
            memory = shown.memory
            text, created_at, tags = memory.content, memory.created_at, memory.tags
            agent, project = memory.agent, memory.project
            if not shown.archived:
                near = [one.memory for one in self.services.memories.links(target.number, 1, scope="all").linked]
                seen = self._home.runtime.scope
                links = tuple(str(MemoryId(one.id)) for one in near if seen.owns(one.agent, one.project))
        else:
            learned = self.experiences.get(target.number, scope="all")
            text, created_at, tags = whole(learned), learned.created_at, learned.tags
            agent, project = learned.agent, learned.project
        return Text(
            id=str(target),
            kind=kind,
            tier=kind,
            path=str(target),
            start_line=1,
            end_line=text.count("\n") + 1,
            title="",
            date=moment(created_at).astimezone().date().isoformat(),  # as in the index
            tags=tags,
            aliases=(),
            links=links,
            text=text,
            agent=agent,
            project=project,
        )

    def upkeep_notices(self) -> Sequence[str]:
        """Return what the upkeep after a write did to memories, and whether the ledger got a new format."""
        return tuple(self._services.housekeeping.notices) if self._services else ()

    def close(self) -> None:
        with self._opening:
            services, self._services, self._experiences = self._services, None, None
        if services is not None:
            services.close()

    def _search(self) -> LedgerSearch:
        from memoro.search.ledger_search import LedgerSearch

        return LedgerSearch(self._home, self._indexing, self._finder)

    def _open(self) -> LedgerServices:
        from memoro.ledger.archive import PruneLimits
        from memoro.ledger.services import Choices, IndexSide, LedgerServices, Who
        from memoro.memories.lifecycle import Weights

        memory, embedding, runtime = self._home.settings.memory, self._home.settings.embedding, self._home.runtime
        vectors = _vector_bytes(embedding.builtin_dimensions) if embedding.enabled else 0
        limits = PruneLimits(memory.max_bytes, memory.prune_percent, vectors)
        services = LedgerServices(
            self._home.folder,
            Choices(
                weights=Weights(memory.reinforce_weight, memory.demote_weight),
                limits=limits,
                schedule=memory.prune_schedule,
                private=self._home.settings.privacy.private,
            ),
            Who(
                agent=runtime.author,
                project=runtime.project,
                secrets=runtime.secrets(),
                clock=runtime.now,
                scope=runtime.scope,
            ),
            IndexSide(
                source=self._indexing,
                by_meaning=self._search().memories,
                nearest=self._search().nearest_memories,
                drop=self._indexing.erase,
            ),
            partial(open_ledger, shared=self._home.shared_ledger()),
        )
        services.reverter.notes = self._notes
        services.forgetting.notes = self._notes
        if self._home.is_seat:  # the server's owner backs up all tenants, and not each seat its own copy
            services.housekeeping.errands = [one for one in services.housekeeping.errands if one[0] != "backup"]
        self._prune_experiences_too(services)
        return services

    def _prune_experiences_too(self, services: LedgerServices) -> None:
        """Let housekeeping prune experiences, which are loaded only where there are some."""

        def prune() -> bool:
            with services.access.ledger.reading() as tx:
                some = tx.numbers.highest("experiences")
            due = some and self.experiences.may_prune()
            if not due:
                return False
            return bool(services.housekeeping.if_due("experiences_pruned_at", self.experiences.prune_expired))

        services.housekeeping.errands.append(("experiences archived", prune))

    def _open_experiences(self, services: LedgerServices) -> Experiences:
        from memoro.experiences.fading import Fading
        from memoro.experiences.finding import ExperienceSearch
        from memoro.experiences.forget import ExperienceForgetting
        from memoro.experiences.lifecycle import Experiences
        from memoro.ledger.access import Owner

        forgetting = ExperienceForgetting(services.access, services.backups, services.forgetting)
        runtime, fading = self._home.runtime, Fading(*self._home.settings.experience)
        owner = Owner(runtime.author, runtime.project, runtime.scope)
        search = ExperienceSearch(services.item_index, self._search().experiences)
        return Experiences(services.access, forgetting, fading, owner, search)


def _provenance(tx: Transaction, target: MemoryId | ExperienceId) -> Provenance | None:
    from memoro.experiences.solutions import bare
    from memoro.model.experiences import caution
    from memoro.model.recall import Provenance
    from memoro.model.targets import MemoryId

    if isinstance(target, MemoryId):
        memory = tx.memories.find(target.number)
        return Provenance(memory.trust, memory.source) if memory else None
    learned = tx.experiences.find(target.number)
    if learned is None:
        return None
    return Provenance(trust=learned.trust, source=learned.source, text=bare(learned), caution=caution(learned))


def _vector_bytes(dimensions: int) -> int:
    """Return the bytes of one memory's vector in the index: a byte a dimension, its scale, its sum and its number.

    The exact vector does not count: it stands in a cache, which has a limit of its own.
    """
    return dimensions + 20
