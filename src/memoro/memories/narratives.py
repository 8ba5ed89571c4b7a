"""Narratives: a chain of sentences on what is going on, each resting on memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import QueryError
from memoro.ledger.access import LedgerAccess
from memoro.model.journal import Entry
from memoro.model.memories import Narrative, stamp
from memoro.search.item_words import ItemWords, best_fits

if TYPE_CHECKING:
    from memoro.index.item_index import ItemIndex
    from memoro.ledger.ports import Transaction


class Told(NamedTuple):
    """A narrative as a search found it."""

    narrative: Narrative
    score: float  # 0–1; 1 where it was asked for itself


class Narratives:
    """`m.narratives`. There is one chain for each project, and one for what has none."""

    def __init__(self, access: LedgerAccess, words: ItemIndex, agent: str | None, project: str | None) -> None:
        self._access = access
        self._words = words
        self._agent = agent
        self._project = project

    def update(
        self,
        summary: str,
        memories: Sequence[int] = (),
        *,
        session: str | None = None,
        project: str | None = None,
        source: str = "agent",
        key: str | None = None,
    ) -> Narrative:
        """Say in a sentence what is going on now; it goes on from the last one."""
        access = self._access
        cleaned = access.content(summary, "narrative")
        wanted = Narrative(
            id=0,
            summary=" ".join(cleaned.text.split()),
            created_at=stamp(access.now()),
            source=access.name(source, "source") or "agent",
            memories=tuple(dict.fromkeys(memories)),
            session=access.name(session, "session"),
            agent=self._agent,
            project=access.name(project or self._project, "project"),
        )

        def work(tx: Transaction) -> dict[str, Any]:
            for number in wanted.memories:
                tx.memories.get(number)
            last = tx.narratives.last_of_project(wanted.project)
            kept = tx.narratives.insert(wanted._replace(previous=last.id if last else None))
            tx.journal.add(
                Entry(
                    id=0,
                    at=kept.created_at,
                    operation="narrative",
                    actor=kept.source,
                    kind="narrative",
                    item=kept.id,
                    before=None,
                    after={},
                    agent=kept.agent,
                )
            )
            return {"id": kept.id}

        done = access.once(key, ("narrative", *wanted._replace(created_at="", session=None)), work)
        return self.get(done["id"])

    def get(self, number: int) -> Narrative:
        with self._access.ledger.reading() as tx:
            return tx.narratives.get(number)

    def search(self, query: str | None = None, limit: int = 5, *, project: str | None = None) -> list[Told]:
        """Nothing asked: the latest. Digits: that one. Words: those that hold them, best first."""
        text = (query or "").strip()
        if limit < 1:
            raise QueryError(f"The number of results must be 1 or more, not {limit}.")
        with self._access.ledger.reading() as tx:
            if not text:
                return [Told(one, 1.0) for one in tx.narratives.latest(limit, project or None)]
            if text.isascii() and text.isdigit() and len(text) < 20:
                return [Told(tx.narratives.get(int(text)), 1.0)]
        return self._words.read("narrative", lambda words: self._by_words(words, text, limit, project))

    def _by_words(self, words: ItemWords, text: str, limit: int, project: str | None) -> list[Told]:
        with self._access.ledger.reading() as tx, words.fits(words.terms(text)) as fits:

            def admits(number: int) -> bool:
                narrative = tx.narratives.find(number)
                return narrative is not None and project in (None, narrative.project)

            return [Told(tx.narratives.get(one.number), one.fit) for one in best_fits(fits, limit, admits)]

    def chain(self, number: int, *, before: int = 5, after: int = 5) -> list[Narrative]:
        """A narrative between those that led to it and those that followed, in their order."""
        with self._access.ledger.reading() as tx:
            middle = tx.narratives.get(number)
            earlier, later = [middle], [middle]
            while len(earlier) <= before and (previous := earlier[-1].previous):
                earlier.append(tx.narratives.get(previous))
            while len(later) <= after and (following := later[-1].next):
                later.append(tx.narratives.get(following))
        return [*reversed(earlier[1:]), *later]
