"""The port to the store that keeps a ledger. Every store passes the same suite (tests/test_ledger_contract.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memoro.errors import LedgerDamaged
    from memoro.ledger.repositories.figures import FigureRepository
    from memoro.ledger.repositories.journal import JournalRepository, ProposalRepository
    from memoro.ledger.repositories.memories import (
        ExperienceRepository,
        GivenRepository,
        ItemRepository,
        LinkRepository,
        MemoryRepository,
        NarrativeRepository,
    )
    from memoro.ledger.repositories.notes import ContentRepository, LineRepository, PendingRepository
    from memoro.ledger.repositories.registers import (
        ForgottenRepository,
        KeyRepository,
        MetaRepository,
        NumberRepository,
    )
    from memoro.ledger.repositories.sessions import SessionRepository
    from memoro.ledger.repositories.visibility import VisibilityRepository
    from memoro.ledger.repositories.words import MemoryWords
    from memoro.model.ledger import LedgerMarks, LedgerSizes, SharedLineage


class MemoryTransaction(Protocol):
    """The part that transactions of ledger and archive share."""

    @property
    def memories(self) -> MemoryRepository: ...

    @property
    def meta(self) -> MetaRepository: ...

    def sizes(self) -> LedgerSizes: ...


class ArchiveTransaction(MemoryTransaction, Protocol):
    """One transaction of the archive, as the repositories that it reads and writes."""

    @property
    def words(self) -> MemoryWords: ...


class Transaction(MemoryTransaction, Protocol):
    """One transaction of the ledger, as the repositories that it reads and writes."""

    @property
    def experiences(self) -> ExperienceRepository: ...

    @property
    def narratives(self) -> NarrativeRepository: ...

    @property
    def journal(self) -> JournalRepository: ...

    @property
    def links(self) -> LinkRepository: ...

    @property
    def given(self) -> GivenRepository: ...

    @property
    def contents(self) -> ContentRepository: ...

    @property
    def pending(self) -> PendingRepository: ...

    @property
    def lines(self) -> LineRepository: ...

    @property
    def proposals(self) -> ProposalRepository: ...

    @property
    def items(self) -> ItemRepository: ...

    @property
    def sessions(self) -> SessionRepository: ...

    @property
    def keys(self) -> KeyRepository: ...

    @property
    def forgotten(self) -> ForgottenRepository: ...

    @property
    def numbers(self) -> NumberRepository: ...

    @property
    def visibility(self) -> VisibilityRepository: ...

    def marks(self, now: str) -> LedgerMarks:
        """Return how far the ledger has come; proposals that have expired by `now` wait no longer."""

    @property
    def figures(self) -> FigureRepository: ...

    def is_empty(self) -> bool:
        """True as long as nothing was written that an export would hold."""


# The rows of each table when a copy was made. Only the store that made the copy compares them.
RowCounts = Mapping[str, int]


class Copyable(Protocol):
    def copy_to(self, folder: str) -> RowCounts:
        """Write a copy into a folder, as of the transaction that this thread is reading in, or of now."""


class StoreUpkeep(Copyable, Protocol):
    """Checks, cleaning and copies, which ledger and archive both need."""

    def exclusively(self) -> AbstractContextManager[None]:
        """Nobody else writes during the block."""

    def size(self) -> int:
        """The bytes that it takes on its disk, or an upper bound of them: quick to have."""

    def written_at(self) -> float:
        """When it was last written, in seconds since 1970; 0 where nobody can tell."""

    def check(self) -> list[str]:
        """Read everything; return what is wrong with it."""

    def refuse_damaged(self) -> None:
        """Raise LedgerDamaged where it is damaged. From then on nothing is written to it, until it is whole again."""

    def known_damage(self) -> LedgerDamaged | None:
        """Return why each write is refused: damage that was found before. None where there is none.

        Quick to have, unless the store changed since the damage was found: then it is read once more.
        """

    def scrub(self) -> None:
        """Leave no trace of deleted rows, neither in the word index nor in any log."""

    def compact(self) -> None:
        """Give back the space of deleted rows, and leave no trace of them."""

    def trim(self) -> None:
        """Delete what is kept only for machines that were away, once it is old. For upkeep: most calls do nothing."""

    def out_of_reach(self) -> list[str]:
        """Name, in sentences, what may still hold bytes that `scrub` deleted here and that others have copied."""

    def check_copy(self, folder: str, rows: RowCounts) -> list[str]:
        """Read the copy in a folder; return what is wrong with it. `rows` are those that `copy_to` returned."""

    def become_copy(self, folder: str) -> None:
        """Take over what the copy in a folder holds. Readers see the old state or the new one.

        A damaged store is replaced, and its bytes are kept aside.
        """

    def adopt(self) -> None:
        """Go on with the store as it is, or with an empty one, though it is not the one that the home records."""

    def damaged_remains(self) -> list[str]:
        """Names of what was kept aside of damaged stores, and of those that the home did not recognise."""

    def staleness(self) -> str | None:
        """Why what was read last may be old, and from when it is; None where it is what the store holds."""

    def close(self) -> None: ...


class Archive(StoreUpkeep, Protocol):
    """Memories that the ledger had no room for."""

    def reading(self) -> AbstractContextManager[ArchiveTransaction]: ...

    def writing(self) -> AbstractContextManager[ArchiveTransaction]: ...

    def reading_copy(self, folder: str) -> AbstractContextManager[ArchiveTransaction]: ...

    def open_copy(self, folder: str) -> Archive: ...


class Ledger(StoreUpkeep, Protocol):
    """Everything that exists nowhere else."""

    def reading(self) -> AbstractContextManager[Transaction]:
        """One moment of the ledger for all the reading in the block. Blocks may be nested."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """One writer at a time. All that the block does is durable when it ends, and undone if it raises."""

    @property
    def person(self) -> str | None:
        """Return who writes to it from here, where people share it; None where nobody does."""

    def lineage(self) -> SharedLineage | None:
        """By what its backups are told from those of another ledger; None where nobody shares it.

        While the server does not answer, it is that of `present_lineage`.
        """

    def present_lineage(self) -> SharedLineage | None:
        """The same with the present identity alone, as the local copy knows it: nobody waits for a server."""

    def change_token(self) -> str | None:
        """Differs from an earlier token if the ledger may have changed; None before the ledger is made."""

    def reading_copy(self, folder: str) -> AbstractContextManager[Transaction]:
        """Read the copy in a folder. It stays as it is, also where it has an older format."""

    def open_copy(self, folder: str) -> Ledger:
        """A ledger of its own on the copy in a folder, brought to the present format. The caller closes it."""

    def forgotten_elsewhere(self) -> list[tuple[str, str]]:
        """What other machines forgot and the index here may still hold: paths, each with the SHA-256 of its text."""

    def note_erased(self) -> None:
        """The index holds nothing of `forgotten_elsewhere` any more."""

    def keep_spare_room(self) -> None:
        """Set space aside that can be freed where a disk is so full that even deleting needs some."""

    def free_spare_room(self) -> bool:
        """Free the space that was set aside; False where there is none."""


BeforeMigration = Callable[[Copyable], object]  # called with the ledger as it is before its format changes
# Names the newest backup that verifies: of a shared ledger, if one is given, and else of this home.
NewestBackup = Callable[["SharedLineage | None"], str | None]
