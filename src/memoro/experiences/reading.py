"""Reading experiences: one, lists, histories and figures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from memoro.errors import NotFound
from memoro.experiences.fading import Fading
from memoro.experiences.results import ExperiencePage, ExperienceStats, WeightedExperience
from memoro.ledger.access import LedgerAccess
from memoro.ledger.change_texts import fill_text
from memoro.ledger.history import fill_first_words, last_removed_experience
from memoro.ledger.listing import read_page
from memoro.model.experiences import Experience
from memoro.model.journal import JournalEntry
from memoro.model.listing import ExperienceFilter, ListOrder
from memoro.model.notes import kept_at
from memoro.model.projects import belongs, name_patterns
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.values import require_number, require_text
from memoro.model.vocabulary import EXPERIENCE_TYPES, ExperienceType


class ExperienceListing(NamedTuple):
    """The experiences that a list shows."""

    type: ExperienceType | None = None
    tag: str | None = None
    project: str | None = None
    archived: bool = False
    limit: int | None = None
    scope: Scope = EVERYTHING

    def includes(self, one: Experience) -> bool:
        return (
            self.type in (None, one.type)
            and (self.project is None or belongs(one.project, name_patterns(self.project)))
            and self.scope.owns(one.agent, one.project)
            and (self.tag is None or self.tag in one.tags)
        )


class ExperienceReading:
    def __init__(self, access: LedgerAccess, fading: Fading) -> None:
        self._access = access
        self._fading = fading

    def get(self, number: int) -> Experience:
        with self._access.ledger.reading() as tx:
            return tx.experiences.get(number)

    def weighted(self, experience: Experience) -> WeightedExperience:
        return WeightedExperience(experience, self._fading.weight(experience, self._access.now()))

    def present_or_last(self, number: int) -> Experience:
        """An experience after a write that may have been made before: it may be gone by now."""
        with self._access.ledger.reading() as tx:
            found = tx.experiences.find(number) or last_removed_experience(tx, number)
            return found or tx.experiences.get(number)  # `get` raises

    def history(self, number: int) -> tuple[JournalEntry, ...]:
        with self._access.ledger.reading() as tx:
            entries = tx.journal.history("experience", number)
            if not entries:
                raise NotFound(f"There never was an experience:{number}. `memoro experience list` lists all.")
            return tuple(fill_text(tx, fill_first_words(tx, entry)) for entry in entries)

    def standing(self, numbers: Sequence[int]) -> dict[int, float]:
        """The worths of those of these experiences that answer now."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            found = [tx.experiences.find(number) for number in numbers]
        return {one.id: self._fading.worth(one, now) for one in found if one and self._fading.answers(one, now)}

    def stats(self) -> ExperienceStats:
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            everything = list(tx.experiences.all())
        live = [one for one in everything if self._fading.answers(one, now)]
        archived = sum(one.archived_at is not None for one in everything)
        types = Counter(one.type for one in live)
        return ExperienceStats(
            experiences=len(everything),
            live=len(live),
            faded=len(everything) - len(live) - archived,
            archived=archived,
            uses=sum(one.uses for one in everything),
            success=math.fsum(one.success for one in live) / len(live) if live else None,
            types={name: types[name] for name in EXPERIENCE_TYPES},
        )

    def page(
        self, wanted: ExperienceFilter, order: ListOrder, limit: int, admits: Callable[[Experience], bool]
    ) -> ExperiencePage:
        with self._access.ledger.reading() as tx:
            found, more = read_page(partial(tx.experiences.page, wanted), order, limit, admits)
        return ExperiencePage(tuple(map(self.weighted, found)), more)

    def list(self, listing: ExperienceListing) -> tuple[WeightedExperience, ...]:
        """The newest first."""
        with self._access.ledger.reading() as tx:
            rows = tx.experiences.archived() if listing.archived else tx.experiences.live()
            found = [self.weighted(one) for one in rows if listing.includes(one)]
        return tuple(found[::-1][: listing.limit])


def number_of_experience(named: int | str) -> int:
    """The number of an experience, given itself or as `experience:N`."""
    if isinstance(named, int):
        return require_number(named, "number of an experience")
    found = kept_at(require_text(named, "name of an experience"))
    if found is None or found[0] != "experience":
        raise NotFound(f"{named!r} is not the name of an experience, such as experience:3.")
    return found[1]
