"""The operations on experiences: record, find, use, prefer, prune, remove, and hints for a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Unpack

from memoro.experiences.fading import Fading
from memoro.experiences.finding import ExperienceFinding, ExperienceSearch, preference_of
from memoro.experiences.forget import ExperienceForgetting, ForgottenExperiences
from memoro.experiences.options import FindOptions, PreferOptions, RecordOptions
from memoro.experiences.reading import ExperienceListing, ExperienceReading, number_of_experience
from memoro.experiences.recording import ExperienceEdit, ExperienceRecording, Outcome, checked_share
from memoro.experiences.results import (
    ExperienceHint,
    ExperiencePage,
    ExperienceStats,
    Preference,
    Preferred,
    RecordedExperience,
    SimilarExperiences,
    WeightedExperience,
)
from memoro.ledger.access import LedgerAccess, Owner, Tags
from memoro.ledger.listing import list_order
from memoro.ledger.visibility import RowVisibility, ShownVisibility
from memoro.model.experiences import PREFERENCE, Experience, Expiry
from memoro.model.journal import JournalEntry
from memoro.model.listing import EXPERIENCE_SORTS, ExperienceFilter, ExperienceSort
from memoro.model.scope import Scope
from memoro.model.vocabulary import (
    EXPERIENCE_TYPES,
    REACHES,
    TRUSTS,
    VISIBILITIES,
    ExperienceType,
    Feedback,
    Reach,
    Trust,
    Visibility,
    parse_choice,
)

HINTS = 2
_HELPED = 0.5  # a use that went at least so well speaks for an experience


class Experiences:
    """`m.experiences`. Every write takes a `key`: repeated with the same key it is done once."""

    def __init__(
        self,
        access: LedgerAccess,
        forgetting: ExperienceForgetting,
        fading: Fading,
        owner: Owner,
        search: ExperienceSearch,
    ) -> None:
        self._access = access
        self._forgetting = forgetting
        self._fading = fading
        self._owner = owner
        self._reading = ExperienceReading(access, fading)
        self._recording = ExperienceRecording(access, fading, owner, self._reading)
        self._finding = ExperienceFinding(access, fading, owner, search)

    def record(
        self, type: ExperienceType, intent: str, solution: object, **options: Unpack[RecordOptions]
    ) -> RecordedExperience:
        """Record an intent and its solution, any JSON, with its success; without secrets.

        The same solution to the same intent in the same project is one experience, used once more. A preference
        starts as `prefer` lets it start, whatever success is told.
        """
        type = parse_choice(type, EXPERIENCE_TYPES, "type")
        outcome = Outcome(type=type, intent=intent, solution=solution, success=options.get("success", 1.0))
        return self._recording.record(outcome, options)

    def prefer(self, category: str, value: object, **options: Unpack[PreferOptions]) -> Preferred:
        """Record a preference for this value: confidence 0.4 at first, then a fifth of the way to 1 each time.

        Another value for the same category is kept beside it. The one with the most evidence, which fades, holds.
        """
        outcome = Outcome(type=PREFERENCE, intent=category, solution=value, success=None)
        recorded = self._recording.record(outcome, options)
        one = recorded.experience
        held = self.preferences(category, project=one.project) or (preference_of([one]),)
        return Preferred(recorded, held[0])

    def find_similar(
        self, query: str, tags: Tags = (), limit: int = 5, **options: Unpack[FindOptions]
    ) -> SimilarExperiences:
        """Find experiences with similar intents, by words and meaning, success and recency.

        `tags` are looked for like words of the query, and leave nothing out. Finding an experience does not use it.
        """
        return self._finding.find_similar(query, tags, limit, options)

    def hints(self, message: str, limit: int = HINTS, *, scope: Scope | None = None) -> tuple[ExperienceHint, ...]:
        """Lines for a prompt that may help with a message; none where none is near enough.

        Only experiences that went well, are not stale, and do not come from a tool or the web. Nothing is
        recorded: call `offered` for those that were put before a model. `scope` is what a session sees; by default
        what the home was opened for.
        """
        return self._finding.hints(message, limit, scope)

    def offered(self, ids: Sequence[str | int], *, session: str | None = None, key: str | None = None) -> None:
        """Record that these hints were given, which counts as a use of each. Removed ones are skipped."""
        numbers = list(dict.fromkeys(map(number_of_experience, ids)))
        if numbers:
            self._recording.offered(numbers, session, key)

    def mark_used(
        self,
        number: int | str,
        success: float | None = None,
        *,
        session: str | None = None,
        source: str = "agent",
        key: str | None = None,
    ) -> WeightedExperience:
        """Record a use: the weight is 1 again, and an archived one is restored. `success` rates this use.

        The recall that gave it to the session gets the feedback.
        """
        outcome = None if success is None else checked_share(success)
        helped: Feedback = "reinforced" if outcome is None or outcome >= _HELPED else "demoted"

        def rule(old: Experience, now: datetime) -> Experience:
            return self._fading.used(old, outcome, now)

        edit = ExperienceEdit(
            operation="use",
            number=number_of_experience(number),
            source=source,
            key=key,
            request=(outcome,),
            feedback=(helped, session),
        )
        return self._recording.change(edit, rule)

    def trust(self, number: int | str, level: Trust, *, key: str | None = None) -> WeightedExperience:
        """Set the trust level of an experience, as a person. Nothing else changes its trust."""
        level = parse_choice(level, TRUSTS[::-1], "trust")
        edit = ExperienceEdit(
            operation="trust", number=number_of_experience(number), source="user", key=key, request=(level,)
        )
        return self._recording.change(edit, lambda one, _now: one._replace(trust=level))

    def remove(self, number: int | str, *, source: str = "agent", key: str | None = None) -> WeightedExperience:
        """Remove an experience; `undo` restores all of it."""
        return self._recording.remove(number_of_experience(number), source, key)

    def forget(self, number: int | str, *, yes: bool = False, dry_run: bool = False) -> ForgottenExperiences:
        """Erase an experience for good, which needs `yes`. `dry_run` returns what would be erased."""
        return self._forgetting.forget(number_of_experience(number), yes=yes, dry_run=dry_run)

    def plan_expiry(self, below: float | None = None) -> Expiry:
        """Plan what `prune_expired` does."""
        return self._recording.plan_expiry(below)

    def may_prune(self) -> bool:
        """True if a plan may find something to prune: quick to know, and seldom so."""
        return self._recording.may_prune()

    def prune_expired(self, below: float | None = None, *, force: bool = False, source: str = "prune") -> Expiry:
        """Archive experiences whose weight is less than `below`. Using one restores it.

        Many at once, more than 20 and more than a fifth, need `force`: the clock may be wrong. Those that a
        clock that ran ahead has archived come back.
        """
        plan = self.plan_expiry(below)
        self._recording.prune(plan, source, force=force)
        return plan

    def preferences(self, category: str | None = None, *, project: str | None = None) -> tuple[Preference, ...]:
        """The preference of each category, in a project or, without one, in all.

        Of several values one that a person confirmed holds, else the one with the most confidence × weight; of two
        alike, the one shown last.
        """
        return self._finding.preferences(category, project)

    def get(self, number: int | str, *, scope: Reach = "session") -> Experience:
        found = self._reading.get(number_of_experience(number))
        if parse_choice(scope, REACHES, "scope") == "session":
            self._owner.check_read(f"experience:{found.id}", found.agent, found.project)
        return found

    def show(self, number: int | str, *, scope: Reach = "session") -> WeightedExperience:
        return self._reading.weighted(self.get(number, scope=scope))

    def visibility(
        self, number: int | str, visibility: Visibility | None = None, *, source: str = "user"
    ) -> ShownVisibility:
        """Return who sees an experience of a shared ledger; given a visibility, set it first, as for a memory."""
        rows, found = RowVisibility(self._access, self._owner), number_of_experience(number)
        if visibility is None:
            return rows.show("experience", found)
        return rows.change("experience", found, parse_choice(visibility, VISIBILITIES, "visibility"), source)

    def history(self, number: int | str) -> tuple[JournalEntry, ...]:
        """Every change of one, oldest first, also after it was removed."""
        return self._reading.history(number_of_experience(number))

    def standing(self, numbers: Sequence[int]) -> dict[int, float]:
        """The worths of those of these experiences that answer now."""
        return self._reading.standing(numbers)

    def stats(self) -> ExperienceStats:
        return self._reading.stats()

    def page(
        self,
        wanted: ExperienceFilter,
        sort: ExperienceSort = "newest",
        *,
        after: str | None = None,
        limit: int = 20,
        scope: Reach = "session",
    ) -> ExperiencePage:
        """A page of the list of experiences. `after` is the `next` of the page before."""
        sees = self._owner.sees(parse_choice(scope, REACHES, "scope"))
        order = list_order(parse_choice(sort, EXPERIENCE_SORTS, "sort"), after, self._access.now())
        return self._reading.page(wanted, order, limit, lambda one: sees.owns(one.agent, one.project))

    def list(
        self,
        *,
        type: ExperienceType | None = None,
        tag: str | None = None,
        project: str | None = None,
        archived: bool = False,
        limit: int | None = None,
    ) -> tuple[WeightedExperience, ...]:
        """Experiences, newest first: those that are not archived, or those that are."""
        listing = ExperienceListing(
            type=type, tag=tag, project=project, archived=archived, limit=limit, scope=self._owner.scope
        )
        return self._reading.list(listing)
