"""Finding experiences: similar ones, preferences, and hints for a prompt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import QueryError
from memoro.experiences.fading import Fading
from memoro.experiences.options import FindOptions
from memoro.experiences.results import ExperienceHint, FoundExperience, Preference, SimilarExperiences
from memoro.experiences.solutions import hint
from memoro.ledger.access import LedgerAccess, Owner, Tags
from memoro.memories.rank import limit_sources
from memoro.model.experiences import PREFERENCE, WORKED_FROM, Experience, is_confirmed, normalised
from memoro.model.ledger import STALENESS
from memoro.model.memories import UNTRUSTED, score
from memoro.model.projects import belongs, name_patterns
from memoro.model.scope import Scope
from memoro.model.values import require_number, require_text
from memoro.model.vocabulary import EXPERIENCE_TYPES, REACHES, ExperienceType, LedgerMode, parse_choice
from memoro.search.item_words import ItemWords

if TYPE_CHECKING:
    from memoro.ledger.item_index import ItemIndex

MAX_RESULTS = 200
MODES: tuple[LedgerMode, ...] = ("hybrid", "words")
_MORE = 20  # candidates beyond the results wanted: the filter leaves some of them out
# An experience is offered unasked only if it went well, is not stale, and fits: the search is this sure of it, or the
# message, which may be long and about much else, holds this share of its intent, two words at least.
_HINT_WEIGHT, _HINT_SCORE, _HINT_SHARE = 0.1, 0.3, 0.6

# By words and meaning: numbers with their scores, or None where there are no vectors; and what was degraded.
SearchExperiences = Callable[[str, int, Scope], tuple[Sequence[tuple[int, float]] | None, tuple[str, ...]]]


class ExperienceSearch(NamedTuple):
    """The ways to find experiences: by their own words, or as `search` does by words and meaning."""

    items: ItemIndex
    by_meaning: SearchExperiences


class _Filter(NamedTuple):
    """The experiences that may answer."""

    fading: Fading
    now: datetime
    type: ExperienceType | None
    agent: str | None
    project: str | None
    archived: bool
    scope: Scope

    def admits(self, one: Experience) -> bool:
        return (
            self.type in (None, one.type)
            and (self.agent is None or one.agent in (None, self.agent))
            and (self.project is None or belongs(one.project, name_patterns(self.project)))
            and self.scope.owns(one.agent, one.project)
            and (self.archived or self.fading.answers(one, self.now))
        )


class ExperienceFinding:
    def __init__(self, access: LedgerAccess, fading: Fading, owner: Owner, search: ExperienceSearch) -> None:
        self._access = access
        self._fading = fading
        self._owner = owner
        self._search = search

    def find_similar(self, query: str, tags: Tags, limit: int, options: FindOptions) -> SimilarExperiences:
        if not 1 <= require_number(limit, "number of results") <= MAX_RESULTS:
            raise QueryError(f"The number of results must be from 1 to {MAX_RESULTS}, not {limit}.")
        mode = parse_choice(options.get("mode", "hybrid"), MODES, "mode")
        wanted = self._filter(options)
        asked = " ".join((require_text(query, "query"), *self._access.tags(tags)))
        hits: Sequence[tuple[int, float]] | None = None
        degraded: tuple[str, ...] = ()
        if mode == "hybrid":
            hits, degraded = self._search.by_meaning(asked, min(MAX_RESULTS, limit + _MORE), wanted.scope)
        found = self._admitted(hits or (), wanted)
        by_words = hits is None or wanted.archived or bool(degraded)
        if by_words:
            known = {one.experience.id for one in found}
            notices: list[str] = []
            more = self._search.items.read(
                "experience", lambda words: self._by_words(words, asked, limit, wanted), notices
            )
            degraded += tuple(notices)
            found += [one for one in more if one.experience.id not in known]
        if stale := self._access.ledger.staleness():
            degraded += (f"{STALENESS}{stale}",)
        chosen = limit_sources(confirmed_first(found), limit, lambda one: one.experience)
        return SimilarExperiences(
            query=query, mode="words" if by_words else "hybrid", results=tuple(chosen), degraded=degraded
        )

    def _filter(self, options: FindOptions) -> _Filter:
        type = options.get("type")
        reach = parse_choice(options.get("scope", "session"), REACHES, "scope")
        return _Filter(
            fading=self._fading,
            now=self._access.now(),
            type=parse_choice(type, EXPERIENCE_TYPES, "type") if type is not None else None,
            agent=options.get("agent"),
            project=options.get("project"),
            archived=options.get("archived", False),
            scope=options.get("bound", self._owner.sees(reach)),
        )

    def _admitted(self, hits: Sequence[tuple[int, float]], wanted: _Filter) -> list[FoundExperience]:
        """The search hits that the filter admits. Success and weight are in their scores already."""
        with self._access.ledger.reading() as tx:
            known = [(tx.experiences.find(number), score) for number, score in hits]
        return [self._found(one, wanted.now, fit, fit) for one, fit in known if one and wanted.admits(one)]

    def _by_words(self, words: ItemWords, asked: str, limit: int, wanted: _Filter) -> list[FoundExperience]:
        """The best of all matches by fit × success × weight. At some point no other can enter."""
        best: list[FoundExperience] = []
        with self._access.ledger.reading() as tx, words.fits(words.terms(asked)) as fits:
            for number, fit, most in fits:
                if len(best) >= limit + _MORE and score(most, 1.0) < best[-1].score:
                    break
                one = tx.experiences.find(number)
                if one and wanted.admits(one):
                    worth = self._fading.worth(one, wanted.now)
                    best.append(self._found(one, wanted.now, score(fit, worth), fit))
                    best.sort(key=lambda found: (-found.score, -found.experience.id))
                    del best[limit + _MORE :]
        return best

    def _found(self, one: Experience, now: datetime, score: float, fit: float) -> FoundExperience:
        return FoundExperience(experience=one, weight=self._fading.weight(one, now), score=score, fit=fit)

    def hints(self, message: str, limit: int, scope: Scope | None) -> tuple[ExperienceHint, ...]:
        from memoro.model.tokens import tokens  # only here

        scope = self._owner.scope if scope is None else scope
        found = self.find_similar(message, (), limit + _MORE, {"bound": scope})
        sure = _HINT_SCORE if found.mode == "hybrid" else math.inf  # words that fit say nothing of those that do not
        held = {one.experience.id for one in self.preferences(None, scope.project)}
        good = [
            ExperienceHint(one.id, text, tokens(text))
            for one in found.results
            if _is_good(one)
            and (one.experience.type != PREFERENCE or one.experience.id in held)
            and (one.score >= sure or self._mentions(message, one.experience.intent))
            and (text := hint(one.experience))
        ]
        return tuple(good[: max(0, limit)])

    def _mentions(self, message: str, intent: str) -> bool:
        """True if a message says, in passing, what an intent says."""
        wanted, given = self._search.items.read(
            "experience", lambda words: (words.stems(intent), words.stems(message))
        )
        shared = len(wanted & given)
        return shared >= 2 and shared >= _HINT_SHARE * len(wanted)

    def preferences(self, category: str | None, project: str | None) -> tuple[Preference, ...]:
        """The preference of each category, by category."""
        now, wanted = self._access.now(), normalised(category) if category else None
        where = project or self._owner.project
        patterns = name_patterns(where) if where else ()
        by_category: dict[str, list[Experience]] = {}
        with self._access.ledger.reading() as tx:
            for one in tx.experiences.live(PREFERENCE):
                name = normalised(one.intent)
                is_here = one.project is None or (bool(patterns) and belongs(one.project, patterns))
                is_seen = is_here and self._owner.scope.owns(one.agent, one.project)
                if wanted in (None, name) and is_seen and self._fading.answers(one, now):
                    by_category.setdefault(name, []).append(one)

        def evidence(one: Experience) -> tuple[bool, float, str, int]:
            return self._fading.evidence(one, now)

        return tuple(
            preference_of(sorted(values, key=evidence, reverse=True)) for _, values in sorted(by_category.items())
        )


def confirmed_first(found: Sequence[FoundExperience]) -> list[FoundExperience]:
    """Order by score; a preference that a person confirmed stands before the other values of its category."""
    best: dict[str, float] = {}
    for one in found:
        if one.experience.type == PREFERENCE:
            category = normalised(one.experience.intent)
            best[category] = max(one.score, best.get(category, 0.0))

    def place(one: FoundExperience) -> tuple[float, bool, int]:
        confirmed = is_confirmed(one.experience)
        reached = best[normalised(one.experience.intent)] if confirmed else one.score
        return -reached, not confirmed, -one.experience.id

    return sorted(found, key=place)


def preference_of(values: Sequence[Experience]) -> Preference:
    """The preference that these values of one category make, the one with the most evidence first."""
    first, *others = values
    return Preference(
        category=first.intent,
        value=first.solution,
        confidence=first.success,
        experience=first,
        others=tuple(others),
    )


def _is_good(one: FoundExperience) -> bool:
    experience = one.experience
    works = experience.success >= WORKED_FROM or is_confirmed(experience)
    return works and one.weight > _HINT_WEIGHT and experience.trust not in UNTRUSTED
