"""Narratives: a chain of sentences on what is going on, each resting on memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Unpack

from memoro.errors import OutOfScope, QueryError
from memoro.ledger.access import LedgerAccess, Once, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.memories.options import NarrateOptions
from memoro.model.journal import Authorship
from memoro.model.memories import Narrative, stamp
from memoro.model.projects import belongs, name_patterns
from memoro.model.results import ChangeResult
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.values import require_number, require_text
from memoro.model.vocabulary import REACHES, Reach, parse_choice
from memoro.search.item_words import ItemWords, best_fits

if TYPE_CHECKING:
    from memoro.ledger.item_index import ItemIndex
    from memoro.ledger.ports import Transaction


_ALL = 2**31 - 1  # more than there are


class FoundNarrative(NamedTuple):
    """A narrative as a search found it."""

    narrative: Narrative
    score: float  # 0–1; 1 where it was asked for itself


class _Wanted(NamedTuple):
    """The narratives that a search may find: those of a project, or all that are visible."""

    scope: Scope
    project: str | None

    def admits(self, one: Narrative) -> bool:
        patterns = name_patterns(self.project) if self.project else ()
        is_wanted = not patterns or (one.project is not None and belongs(one.project, patterns))
        return is_wanted and self.scope.owns(one.agent, one.project)


class Narratives:
    """`m.narratives`. There is one chain for each project, and one for what has none."""

    def __init__(self, access: LedgerAccess, owner: Owner, items: ItemIndex) -> None:
        self._access = access
        self._owner = owner
        self._items = items

    def update(self, summary: str, memories: Sequence[int] = (), **options: Unpack[NarrateOptions]) -> Narrative:
        """Add a sentence on what is going on now, after the last one."""
        access = self._access
        cleaned = access.content(summary, "narrative")
        wanted = Narrative(
            id=0,
            summary=" ".join(cleaned.text.split()),
            created_at=stamp(access.now()),
            source=access.name(options.get("source", "agent"), "source") or "agent",
            memories=tuple(dict.fromkeys(memories)),
            session=access.name(options.get("session"), "session"),
            agent=self._owner.agent,
            project=access.name(options.get("project") or self._owner.project, "project"),
        )

        def work(tx: Transaction) -> ChangeResult:
            for number in wanted.memories:
                memory = tx.memories.get(number)
                self._owner.check_read(f"[id:{number}]", memory.agent, memory.project)
            access.refuse_forgotten(tx, wanted.summary, "narrative")
            last = tx.narratives.last_of_project(wanted.project)
            following = wanted._replace(previous=last.id if last else None)
            by = Authorship(wanted.created_at, wanted.source, wanted.agent)
            return ChangeResult(ChangeWriter(access, tx, by).add_narrative(following).id)

        earlier = wanted._replace(created_at="", session=None)
        request = earlier._replace(agent=None, project=options.get("project"))
        once = Once(
            key=options.get("key"),
            request=("narrative", *request),
            result=ChangeResult,
            earlier=("narrative", *earlier),
        )
        with access.seen_as(options.get("visibility")):
            made = access.once(once, work)
        return self.get(made.id)

    def get(self, number: int) -> Narrative:
        with self._access.ledger.reading() as tx:
            return tx.narratives.get(number)

    def search(
        self, query: str | None = None, limit: int = 5, *, project: str | None = None, scope: Reach = "session"
    ) -> list[FoundNarrative]:
        """Nothing asked: the latest. Digits: that one. Words: those that hold them, best first."""
        text = "" if query is None else require_text(query, "query").strip()
        seen = _Wanted(self._owner.sees(parse_choice(scope, REACHES, "scope")), project)
        if require_number(limit, "number of results") < 1:
            raise QueryError(f"The number of results must be 1 or more, not {limit}.")
        with self._access.ledger.reading() as tx:
            if not text:
                latest = tx.narratives.latest(limit if seen == _Wanted(EVERYTHING, None) else _ALL)
                return [FoundNarrative(one, 1.0) for one in latest if seen.admits(one)][:limit]
            if text.isascii() and text.isdigit() and len(text) < 20:
                found = tx.narratives.get(int(text))
                if refusal := seen.scope.refusal(f"Narrative {found.id}", found.agent, found.project):
                    raise OutOfScope(refusal)
                return [FoundNarrative(found, 1.0)]
        return self._items.read("narrative", lambda words: self._by_words(words, text, limit, seen))

    def _by_words(self, words: ItemWords, text: str, limit: int, seen: _Wanted) -> list[FoundNarrative]:
        with self._access.ledger.reading() as tx, words.fits(words.terms(text)) as fits:

            def admits(number: int) -> bool:
                narrative = tx.narratives.find(number)
                return narrative is not None and seen.admits(narrative)

            return [FoundNarrative(tx.narratives.get(one.number), one.fit) for one in best_fits(fits, limit, admits)]

    def chain(self, number: int, *, before: int = 5, after: int = 5) -> list[Narrative]:
        """A narrative between those that led to it and those that followed, in their order."""
        with self._access.ledger.reading() as tx:
            middle = tx.narratives.get(number)
            self._owner.check_read(f"Narrative {number}", middle.agent, middle.project)
            earlier, later = [middle], [middle]
            while len(earlier) <= before and (previous := earlier[-1].previous):
                earlier.append(tx.narratives.get(previous))
            while len(later) <= after and (following := later[-1].next):
                later.append(tx.narratives.get(following))
        return [*reversed(earlier[1:]), *later]
