"""Forgetting experiences: as for memories, the bytes go, and a hash stays so that they do not come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.errors import MemoryNotFound, NeedsConsent
from memoro.experiences.undo import last_gone
from memoro.memories.backups import Backups
from memoro.memories.book import Book
from memoro.memories.forget import Forgetting, begin, sha256
from memoro.model.experiences import Experience, identity, passage
from memoro.model.memories import stamp
from memoro.store.sqlite.ledger import Pages


class Forgotten(NamedTuple):
    experiences: tuple[Experience, ...]  # what is to go, or went
    done: bool  # False: only looked at
    backups: tuple[str, ...] = ()  # those that still hold it


class Scrubbing:
    def __init__(self, book: Book, backups: Backups, forgetting: Forgetting) -> None:
        self._book = book
        self._backups = backups
        self._forgetting = forgetting

    def forget(self, number: int, *, yes: bool, dry_run: bool) -> Forgotten:
        """Scrub one from tables, journal, words, vectors, caches and logs, and with it the same of other projects."""
        with self._book.ledger.reading() as pages:
            chosen = pages.experiences.find(number) or last_gone(pages, number)
            if chosen is None:
                raise MemoryNotFound(f"There is no experience:{number}.")
            digest = self._book.digest(pages, identity(chosen))
            found = {one.id: one for one in (chosen, *pages.experiences.by_digest(digest))}
        named = self._backups.holding({digest})
        if dry_run:
            return Forgotten(tuple(found.values()), False, named)
        if not yes:
            raise NeedsConsent(
                "Forgetting an experience cannot be undone. Add --yes (yes=True) to do it; "
                "`memoro experience remove` is the way that can be undone."
            )
        self._book.with_room(lambda: self._scrub(list(found.values())))
        self._forgetting.finish()
        return Forgotten(tuple(found.values()), True, named)

    def _scrub(self, experiences: Sequence[Experience]) -> None:
        """The rows go, and with the same commit it is noted what else must."""
        at = stamp(self._book.now())
        with self._book.ledger.writing() as pages:
            digests = {self._book.digest(pages, identity(one)) for one in experiences}
            for digest in digests:
                pages.forget_digest(digest, at)
            for one in experiences:
                pages.experiences.delete(one.id)
                pages.journal.unsay("experience", one.id)
                pages.journal.add("forget", "experience", one.id, None, None, at=at, actor="user")
            self._book.unsay(pages, digests)
            begin(pages, [], _texts_gone(pages, experiences), experiences=[one.id for one in experiences])


def _texts_gone(pages: Pages, experiences: Sequence[Experience]) -> list[str]:
    """The digests of the texts whose vectors must go: not of those that another experience still has."""
    texts = {passage(one) for one in experiences}
    return [sha256(text) for text in texts - {passage(one) for one in pages.experiences.all()}]
