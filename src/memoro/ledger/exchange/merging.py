"""An export into a ledger that holds something: its memories come as new ones, and nothing is overwritten."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import Refused
from memoro.ledger.access import LedgerAccess
from memoro.ledger.exchange.candidates import SOURCE
from memoro.ledger.exchange.lowering import least, lowered
from memoro.ledger.exchange.records import ExportedMemory, Header
from memoro.ledger.exchange.report import Tally, slices
from memoro.ledger.exchange.target import ImportTarget
from memoro.ledger.exchange.whole import Records, clean
from memoro.model.changes import ExperienceAdded, MemoryArchived, NarrativeAdded
from memoro.model.experiences import Experience, identity
from memoro.model.journal import Authorship, entry_of
from memoro.model.local_time import local_day
from memoro.model.memories import Link, Memory, Narrative, is_current, stamp

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

NOTE = (
    "The history of the memories, the keys of past writes and what sessions were given stay with the old ledger; of "
    "what frameworks keep, what it says comes as memories; what was forgotten there is not known here."
)


class MergeOptions(NamedTuple):
    trust: bool = False  # a person says that the file is their own: it keeps its trust and feedback
    dry_run: bool = False
    resumes: bool = False  # an attempt that died may have brought memories that were to be archived


class Merging:
    """Numbers of the file become numbers of this ledger.

    Memories come first and alone, then what they point to: an import that broke off finds those that it brought by
    their origin, and goes on.
    """

    def __init__(
        self, access: LedgerAccess, records: Records, header: Header, tally: Tally, options: MergeOptions
    ) -> None:
        self._access = access
        self._records = records
        self._salt = header.salt
        self._prefix = f"memoro:{hashlib.sha256(bytes.fromhex(header.salt)).hexdigest()[:12]}:"
        self._tally = tally
        self._trusts, self._resumes = options.trust, options.resumes
        self._index_home = ImportTarget(access, dry_run=options.dry_run)
        self._memories: dict[int, int] = {}  # number in the file -> here
        self._origins: dict[int, str] = {}  # of each memory of the file, here
        self._taken: set[str] = set()
        self._narratives: dict[int, int] = {}
        self._added: set[int] = set()
        self._to_archive: list[int] = []

    def carry_out(self) -> None:
        for taken in slices(self._held()):
            with self._index_home.opened() as tx:
                same_ledger = tx.meta.get("salt") == self._salt
                for record in taken:
                    self._memory(record, same_ledger=same_ledger)
        for lived in slices(one for one in self._records() if isinstance(one, Experience)):
            with self._index_home.opened() as tx:
                for experience in lived:
                    self._experience(tx, experience)
        for narratives in slices(one for one in self._records() if isinstance(one, Narrative)):
            with self._index_home.opened() as tx:
                for narrative in narratives:
                    self._narrative(tx, clean(self._access, narrative, self._tally))
        if self._index_home.dry_run:
            return
        self._point()
        self._link()
        self._archive()

    def _held(self) -> Iterator[ExportedMemory]:
        return (record for record in self._records() if isinstance(record, ExportedMemory))

    def _memory(self, record: ExportedMemory, *, same_ledger: bool) -> None:
        tally, number = self._tally, record.memory.id
        tally.read += 1
        found = Tally("", "", done=False)
        memory: Memory = clean(self._access, record.memory, found)
        origin = self._origin_of(memory)
        try:
            memory = memory._replace(content=self._access.content(memory.content).text)
            known = self._index_home.origins.get(origin)
            if known is None:
                known = self._twin(memory, same_ledger=same_ledger)
            if known is not None:
                tally.known += 1
                self._memories[number] = known
                if self._resumes and record.archived and self._index_home.origins.get(origin) == known:
                    self._to_archive.append(known)
                if self._trusts and same_ledger:
                    tally.raised += self._index_home.trust_memory(known, memory)
                return
            self._index_home.refuse_forgotten(memory.content)
        except Refused as error:
            tally.refuse(f"[id:{number}]", str(error))
            return
        said = memory if self._trusts else lowered(memory)
        tally.lowered += said != memory
        kept = self._index_home.add(self._alone(said, origin))
        tally.new += 1
        tally.redacted += found.redacted
        self._memories[number] = kept.id
        self._added.add(kept.id)
        self._to_archive += [kept.id] if record.archived else []

    def _alone(self, memory: Memory, origin: str) -> Memory:
        """As it comes here at first, pointing to nothing."""
        return memory._replace(
            id=0,
            origin=origin,
            created_at=min(memory.created_at, stamp(self._access.now())),
            superseded_by=None,
            parents=(),
            narrative=None,
        )

    def _origin_of(self, memory: Memory) -> str:
        """Its own, if no other memory of the file has it, else its number in the ledger that it was in."""
        origin = memory.origin or ""
        if not origin or origin in self._taken:
            origin = f"{self._prefix}{memory.id}"
        self._taken.add(origin)
        self._origins[memory.id] = origin
        return origin

    def _twin(self, memory: Memory, *, same_ledger: bool) -> int | None:
        """The memory that this one is already: the same of the same ledger, or one that says the same.

        Two of one file are never taken for one, or a fact that came back would supersede itself.
        """
        own = self._index_home.find(memory.id) if same_ledger else None
        if own and own.created_at == memory.created_at:
            return own.id
        now = self._access.now()
        for same in self._index_home.same(memory.content):
            brought = same.id in self._added or same.id == 0 or (same.origin or "").startswith(self._prefix)
            if not brought and (is_current(same, now) or not is_current(memory, now)):
                return same.id
        return None

    def _experience(self, tx: Transaction, told: Experience) -> None:
        """The same solution to the same intent in the same project is there already, or comes as it is told."""
        found = Tally("", "", done=False)
        one: Experience = clean(self._access, told, found)
        digest = self._access.digest(tx, identity(one))
        here = [same for same in tx.experiences.by_digest(digest) if same.project == one.project]
        if here:
            if self._trusts and tx.meta.get("salt") == self._salt:
                self._tally.raised += self._index_home.trust_experience(here[0], one)
            return
        if at := tx.forgotten.at(digest):
            self._tally.refuse(f"experience:{one.id}", f"Exactly this was forgotten on {local_day(at)}.")
            return
        said = one if self._trusts else lowered(one)
        self._tally.lowered += said != one
        self._tally.experiences += 1
        self._tally.redacted += found.redacted
        if not self._index_home.dry_run:
            created = min(one.created_at, stamp(self._access.now()))
            kept = said._replace(id=0, created_at=created)
            self._index_home.note(ExperienceAdded("import", tx.experiences.insert(kept, digest).id))

    def _narrative(self, tx: Transaction, narrative: Narrative) -> None:
        same = tx.narratives.find_same(narrative)
        if same:
            self._narratives[narrative.id] = same.id
            return
        self._tally.narratives += 1
        if self._index_home.dry_run:
            return
        memories = [self._memories[number] for number in narrative.memories if number in self._memories]
        previous = self._narratives.get(narrative.previous or 0)
        kept = tx.narratives.insert(
            narrative._replace(id=0, memories=tuple(dict.fromkeys(memories)), previous=previous)
        )
        self._index_home.note(NarrativeAdded("import", kept.id))
        self._narratives[narrative.id] = kept.id

    def _point(self) -> None:
        """Set the references of imported memories that have none yet."""
        pointing = (one.memory for one in self._held() if _points(one.memory))
        for taken in slices(pointing):
            with self._index_home.opened() as tx:
                for memory in taken:
                    old = tx.memories.find(self._memories.get(memory.id, 0))
                    if old and old.origin == self._origins[memory.id] and not _points(old):
                        new = self._pointed(memory, old)
                        tx.memories.replace(old, new, self._access.digest(tx, new.content))

    def _pointed(self, memory: Memory, here: Memory) -> Memory:
        parents = [self._memories[number] for number in memory.parents if number in self._memories]
        trusts = [parent.trust for number in parents if (parent := self._index_home.find(number))]
        later = self._memories.get(memory.superseded_by or 0)
        return here._replace(
            superseded_by=later if here.superseded_at == memory.superseded_at else None,
            parents=tuple(dict.fromkeys(parents)),
            narrative=self._narratives.get(memory.narrative or 0),
            trust=least(here.trust, *trusts),
        )

    def _link(self) -> None:
        for taken in slices(one for one in self._records() if isinstance(one, Link)):
            with self._index_home.opened() as tx:
                for link in taken:
                    ends = sorted({self._memories.get(link.low, 0), self._memories.get(link.high, 0)} - {0})
                    if len(ends) == 2 and tx.links.between(*ends) is None:
                        tx.links.put(Link(low=ends[0], high=ends[1], strength=link.strength, at=link.at))
                        self._tally.links += 1

    def _archive(self) -> None:
        """First into the archive, durably; then out of the ledger. Before this they are simply not archived."""
        access = self._access
        for taken in slices(self._to_archive):
            with access.ledger.writing() as tx:
                memories = [memory for number in taken if (memory := tx.memories.find(number))]
                with access.archive.writing() as archive:
                    for memory in memories:
                        archive.memories.insert(memory, access.digest(tx, memory.content))
                for memory in memories:
                    tx.memories.delete(memory.id)
                    tx.journal.add(
                        entry_of(MemoryArchived("archive", memory.id), Authorship(stamp(access.now()), SOURCE))
                    )


def _points(memory: Memory) -> bool:
    return bool(memory.superseded_by or memory.parents or memory.narrative)
