"""The operations on experiences: record, find, use, prefer, prune, remove, and hints for a prompt."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro.errors import NeedsConsent, NotFound, QueryError, Refused
from memoro.experiences.forget import Forgotten, Scrubbing
from memoro.experiences.solutions import hint, kept_solution
from memoro.experiences.undo import last_gone, told
from memoro.ledger.access import LedgerAccess, Tags
from memoro.memories.rank import fair
from memoro.model import experiences as rules
from memoro.model.experiences import FIRST_CONFIDENCE, PREFERENCE, Experience, Expiry, identity, normalised
from memoro.model.journal import Entry, difference
from memoro.model.memories import UNTRUSTED, score, stamp, trust_of
from memoro.model.notes import EXPERIENCE, kept_at
from memoro.model.sessions import DEMOTED, REINFORCED
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS, ExperienceType, LedgerMode, Trust, parse_choice
from memoro.search.item_words import ItemWords

if TYPE_CHECKING:
    from memoro.index.item_index import ItemIndex
    from memoro.ledger.ports import Transaction

MAX_RESULTS = 200
_FIRST = datetime(1, 1, 2, tzinfo=UTC)
MODES: tuple[LedgerMode, ...] = ("hybrid", "words")
_MORE = 20  # candidates beyond the results wanted: the view leaves some of them out
HINTS = 2
_HELPED = 0.5  # a use that went at least so well speaks for an experience
# An experience is offered unasked only if it went well, is not stale, and fits: the search is this sure of it, or the
# message, which may be long and about much else, holds this share of its intent, two words at least.
_HINT_SUCCESS, _HINT_WEIGHT, _HINT_SCORE, _HINT_SHARE = 0.7, 0.1, 0.3, 0.6


class Manner(NamedTuple):
    """What the settings say about experiences."""

    half_life_days: float = 30
    prune_below: float = 0.05


class Shown(NamedTuple):
    experience: Experience
    weight: float  # what is left of it now: derived when it is read, and kept nowhere


class Recorded(NamedTuple):
    experience: Experience
    weight: float
    new: bool  # False: the same solution to the same intent was known, and this was one more use of it
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out


class Found(NamedTuple):
    experience: Experience
    weight: float
    score: float  # 0–1
    fit: float  # how well the intent matches, 0–1, before success and weight

    @property
    def id(self) -> str:
        return f"{EXPERIENCE}{self.experience.id}"


class Similar(NamedTuple):
    query: str
    mode: LedgerMode  # "words" where words alone have found some of them
    results: tuple[Found, ...]
    degraded: tuple[str, ...] = ()


class Preference(NamedTuple):
    """What is preferred in one category: the value with the most evidence, and what else there is evidence for."""

    category: str
    value: Any
    confidence: float
    experience: Experience
    others: tuple[Experience, ...] = ()  # the next best first


class Preferred(NamedTuple):
    recorded: Recorded
    preference: Preference  # the one that holds now, which may be another


class Hint(NamedTuple):
    id: str
    text: str
    tokens: int


class Stats(NamedTuple):
    experiences: int
    live: int  # these answer
    faded: int  # these will be archived by the next pruning
    archived: int
    uses: int
    success: float | None  # the mean of those that answer
    types: dict[str, int]  # of those that answer


# By words and meaning: numbers with their scores, or None where there is no meaning to be had; and what was amiss.
Meant = Callable[[str, int], tuple[Sequence[tuple[int, float]] | None, tuple[str, ...]]]


class ExperienceSearch(NamedTuple):
    """The ways to find experiences: by their own words, or as `search` does by words and meaning."""

    words: ItemIndex
    by_meaning: Meant


class Experiences:
    """`m.experiences`. Every write takes a `key`: repeated with the same key it is done once."""

    def __init__(
        self,
        access: LedgerAccess,
        scrubbing: Scrubbing,
        manner: Manner,
        whose: tuple[str | None, str | None],
        search: ExperienceSearch,
    ) -> None:
        self._access = access
        self._scrubbing = scrubbing
        self._manner = manner
        self._agent, self._project = whose
        self._search = search

    def record(
        self,
        type: ExperienceType,
        intent: str,
        solution: object,
        *,
        success: float = 1.0,
        tags: Tags = (),
        source: str = "agent",
        session: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        key: str | None = None,
    ) -> Recorded:
        """Keep what was to be done and what was done about it, any JSON, with how well that went.

        The same solution to the same intent in the same project is one experience, used once more. Secrets are
        taken out first.
        """
        type = parse_choice(type, EXPERIENCE_TYPES, "type")
        return self._record(type, intent, solution, success, tags, source, session, agent, project, key)

    def prefer(
        self,
        category: str,
        value: object,
        *,
        tags: Tags = (),
        source: str = "agent",
        session: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        key: str | None = None,
    ) -> Preferred:
        """Note that this value was preferred: confidence 0.4 at first, then a fifth of the way to 1 each time.

        Another value for the same category is kept beside it. The one with the most evidence, which fades, holds.
        """
        recorded = self._record(PREFERENCE, category, value, None, tags, source, session, agent, project, key)
        one = recorded.experience
        held = self.preferences(category, project=one.project) or (_preference([one]),)
        return Preferred(recorded, held[0])

    def _record(
        self,
        type: ExperienceType,
        intent: str,
        solution: object,
        success: float | None,
        tags: Tags,
        source: str,
        session: str | None,
        agent: str | None,
        project: str | None,
        key: str | None,
    ) -> Recorded:
        access, now = self._access, self._access.now()
        cleaned, how = access.content(intent, "intent"), kept_solution(access, solution)
        actor = access.name(source, "source") or "agent"
        wanted = Experience(
            id=0,
            type=type,
            intent=cleaned.text,
            solution_json=how.text,
            success=FIRST_CONFIDENCE if success is None else _share(success),
            source=actor,
            trust=trust_of(actor, None, ()),
            created_at=stamp(now),
            tags=access.tags(tags),
            agent=access.name(agent or self._agent, "agent"),
            project=access.name(project or self._project, "project"),
            session=access.name(session, "session"),
        )
        outcome = 1.0 if success is None else wanted.success

        def work(tx: Transaction) -> dict[str, Any]:
            return self._record_once(tx, wanted, outcome, now)

        done = access.once(key, ("record", outcome, *wanted._replace(created_at="", session=None)), work)
        kept = self._present_or_last(done["id"])
        return Recorded(kept, self._weight(kept, now), done["new"], (*cleaned.redacted, *how.redacted))

    def _record_once(self, tx: Transaction, wanted: Experience, outcome: float, now: datetime) -> dict[str, Any]:
        digest = self._access.refuse_forgotten(tx, identity(wanted), "experience")
        for same in tx.experiences.by_digest(digest):
            if same.project == wanted.project:
                again = rules.used(same, outcome, now, self._manner.half_life_days)
                new = rules.with_tags(again, wanted.tags, wanted.trust)
                self._replace(tx, "record", same, new, wanted.source, now)
                return {"id": same.id, "new": False}
        kept = tx.experiences.insert(wanted, digest)
        tx.journal.add(
            Entry(
                id=0,
                at=stamp(now),
                operation="record",
                actor=kept.source,
                kind="experience",
                item=kept.id,
                before=None,
                after={},
                agent=kept.agent,
            )
        )
        return {"id": kept.id, "new": True}

    def find_similar(
        self,
        query: str,
        tags: Tags = (),
        limit: int = 5,
        *,
        type: ExperienceType | None = None,
        mode: LedgerMode = "hybrid",
        agent: str | None = None,
        project: str | None = None,
        archived: bool = False,
    ) -> Similar:
        """The experiences whose intents are most like this: by words and meaning, by success, and by how lately.

        `tags` are looked for like words of the query, and leave nothing out. Neither archived nor faded ones
        answer, unless `archived` asks for them, by words. Finding is no use.
        """
        if not 1 <= limit <= MAX_RESULTS:
            raise QueryError(f"The number of results must be from 1 to {MAX_RESULTS}, not {limit}.")
        mode = parse_choice(mode, MODES, "mode")
        if type is not None:
            type = parse_choice(type, EXPERIENCE_TYPES, "type")
        now = self._access.now()
        asked = " ".join((query, *self._access.tags(tags)))

        def seen(one: Experience) -> bool:
            return (
                type in (None, one.type)
                and (agent is None or one.agent in (None, agent))
                and (project is None or one.project in (None, project))
                and (archived or self._answers(one, now))
            )

        degraded: tuple[str, ...] = ()
        hits: Sequence[tuple[int, float]] | None = None
        if mode == "hybrid":
            hits, degraded = self._search.by_meaning(asked, min(MAX_RESULTS, limit + _MORE))
        found = self._seen(hits or (), seen, now)
        by_words = hits is None or archived or bool(degraded)
        if by_words:
            known = {one.experience.id for one in found}
            found = [
                *found,
                *(one for one in self._by_words(asked, limit, seen, now) if one.experience.id not in known),
            ]
        ordered = sorted(found, key=lambda one: (-one.score, -one.experience.id))
        chosen = fair(ordered, limit, lambda one: one.experience)
        return Similar(query, "words" if by_words else "hybrid", tuple(chosen), degraded)

    def _seen(
        self, hits: Sequence[tuple[int, float]], seen: Callable[[Experience], bool], now: datetime
    ) -> Sequence[Found]:
        """What the search has found by words and meaning; success and weight are in its scores already."""
        with self._access.ledger.reading() as tx:
            known = [(tx.experiences.find(number), score) for number, score in hits]
        return [Found(one, self._weight(one, now), fit, fit) for one, fit in known if one and seen(one)]

    def _by_words(self, asked: str, limit: int, seen: Callable[[Experience], bool], now: datetime) -> list[Found]:
        """The best of all matches by fit × success × weight. At some point no other can enter."""
        best: list[Found] = []

        def search(words: ItemWords) -> list[Found]:
            best.clear()
            with self._access.ledger.reading() as tx, words.fits(words.terms(asked)) as fits:
                for number, fit, most in fits:
                    if len(best) >= limit + _MORE and score(most, 1.0) < best[-1].score:
                        break
                    one = tx.experiences.find(number)
                    if one and seen(one):
                        worth = rules.worth(one, now, self._manner.half_life_days)
                        best.append(Found(one, self._weight(one, now), score(fit, worth), fit))
                        best.sort(key=lambda found: (-found.score, -found.experience.id))
                        del best[limit + _MORE :]
            return best

        return self._search.words.read("experience", search)

    def hints(
        self, message: str, limit: int = HINTS, *, agent: str | None = None, project: str | None = None
    ) -> tuple[Hint, ...]:
        """What may help with a message, for a prompt; nothing where nothing is near enough.

        Only what went well, is not stale, and does not come from a tool or the web. Nothing is recorded by
        asking: tell `offered` which of them were put before a model.
        """
        from memoro.index.chunk import tokens  # only here

        found = self.find_similar(message, limit=limit + _MORE, agent=agent, project=project)
        sure = _HINT_SCORE if found.mode == "hybrid" else math.inf  # words that fit say nothing of those that do not
        held = {one.experience.id for one in self.preferences(project=project)}
        good = [
            Hint(one.id, text, tokens(text))
            for one in found.results
            if one.experience.success >= _HINT_SUCCESS
            and one.weight > _HINT_WEIGHT
            and one.experience.trust not in UNTRUSTED
            and (one.experience.type != PREFERENCE or one.experience.id in held)
            and (one.score >= sure or self._is_in(one.experience.intent, message))
            and (text := hint(one.experience))
        ]
        return tuple(good[: max(0, limit)])

    def _is_in(self, intent: str, message: str) -> bool:
        """Whether a message says, in passing, what an intent says."""
        wanted, given = self._search.words.read(
            "experience", lambda words: (words.stems(intent), words.stems(message))
        )
        shared = len(wanted & given)
        return shared >= 2 and shared >= _HINT_SHARE * len(wanted)

    def offered(self, ids: Sequence[str | int], *, session: str | None = None, key: str | None = None) -> None:
        """These hints were put before a model: that is a use of each. One that is gone meanwhile is passed over."""
        access, now = self._access, self._access.now()
        numbers = list(dict.fromkeys(map(_number, ids)))
        if not numbers:
            return

        def work(tx: Transaction) -> dict[str, Any]:
            for number in numbers:
                if old := tx.experiences.find(number):
                    new = rules.used(old, None, now, self._manner.half_life_days)
                    self._replace(tx, "offer", old, new, "agent", now)
            return {"ids": numbers}

        access.once(key, ("offer", *numbers, session), work)

    def mark_used(
        self,
        number: int | str,
        success: float | None = None,
        *,
        session: str | None = None,
        source: str = "agent",
        key: str | None = None,
    ) -> Shown:
        """It was used: its weight is 1 again, and one that was archived is back. `success` says how well it went.

        The session that it was given to hears of it.
        """
        outcome = None if success is None else _share(success)

        def change(old: Experience, now: datetime) -> Experience:
            return rules.used(old, outcome, now, self._manner.half_life_days)

        helped = REINFORCED if outcome is None or outcome >= _HELPED else DEMOTED

        def tell(tx: Transaction, one: Experience) -> None:
            tx.sessions.note(f"{EXPERIENCE}{one.id}", helped, session)

        return self._change("use", _number(number), change, source, key, (outcome,), tell)

    def trust(self, number: int | str, level: Trust, *, key: str | None = None) -> Shown:
        """A person says how far an experience is to be believed. Nothing else changes it."""
        level = parse_choice(level, TRUSTS[::-1], "trust")
        return self._change(
            "trust", _number(number), lambda one, _now: one._replace(trust=level), "user", key, (level,)
        )

    def _change(
        self,
        operation: str,
        number: int,
        change: Callable[[Experience, datetime], Experience],
        source: str,
        key: str | None,
        request: tuple[Any, ...],
        tell: Callable[[Transaction, Experience], None] = lambda _pages, _one: None,
    ) -> Shown:
        access, now = self._access, self._access.now()
        actor = access.name(source, "source") or "agent"

        def work(tx: Transaction) -> dict[str, Any]:
            old = tx.experiences.get(number)
            self._replace(tx, operation, old, change(old, now), actor, now)
            tell(tx, old)
            return {"id": number}

        access.once(key, (operation, "experience", number, *request), work)
        return self._shown(self._present_or_last(number), now)

    def _replace(
        self, tx: Transaction, operation: str, old: Experience, new: Experience, actor: str, now: datetime
    ) -> None:
        tx.experiences.replace(old, new)
        before, after = difference(old, new)
        tx.journal.add(
            Entry(
                id=0,
                at=stamp(now),
                operation=operation,
                actor=actor,
                kind="experience",
                item=old.id,
                before=before,
                after=after,
                agent=self._agent,
            )
        )

    def remove(self, number: int | str, *, source: str = "agent", key: str | None = None) -> Shown:
        """Take one out. `undo` brings it back with all it had."""
        access, now, wanted = self._access, self._access.now(), _number(number)
        actor = access.name(source, "source") or "agent"

        def work(tx: Transaction) -> dict[str, Any]:
            old = tx.experiences.get(wanted)
            tx.experiences.delete(wanted)
            tx.journal.add(
                Entry(
                    id=0,
                    at=stamp(now),
                    operation="remove",
                    actor=actor,
                    kind="experience",
                    item=wanted,
                    before=old._asdict(),
                    after=None,
                    agent=self._agent,
                )
            )
            return {"id": wanted}

        access.with_room(lambda: access.once(key, ("remove", "experience", wanted), work))
        return self._shown(self._present_or_last(wanted), now)

    def forget(self, number: int | str, *, yes: bool = False, dry_run: bool = False) -> Forgotten:
        """Scrub one for good. This cannot be undone, and so needs `yes`. `dry_run` tells what would go."""
        return self._scrubbing.forget(_number(number), yes=yes, dry_run=dry_run)

    def plan_expiry(self, below: float | None = None) -> Expiry:
        """What `prune_expired` would do."""
        limit = self._manner.prune_below if below is None else _share(below)
        with self._access.ledger.reading() as tx:
            return rules.plan_expiry(
                tx.experiences.all(), below=limit, half_life_days=self._manner.half_life_days, now=self._access.now()
            )

    def may_prune(self) -> bool:
        """Whether it is worth a plan: quick to know, and seldom so."""
        now, left = self._access.now(), self._manner.prune_below
        if not left:
            return False
        unused = timedelta(days=min(self._manner.half_life_days * math.log2(1 / left), 700_000))
        with self._access.ledger.reading() as tx:
            return tx.experiences.any_unused(stamp(max(now - unused, _FIRST)), stamp(now))

    def prune_expired(self, below: float | None = None, *, force: bool = False, source: str = "prune") -> Expiry:
        """Archive those of which less than `below` is left. They are listed still, and come back when used.

        Many at once, more than 20 and more than a fifth, need `force`: the clock may be wrong. Those that a
        clock that ran ahead has archived come back.
        """
        plan = self.plan_expiry(below)
        if plan.braked and not force:
            raise NeedsConsent(
                f"{len(plan.archive)} of {plan.live} experiences have faded at once. If the clock is right, "
                "`memoro experience prune --force` archives them; nothing was changed."
            )
        now = self._access.now()
        if plan.archive or plan.bring_back:
            with self._access.ledger.writing() as tx:
                self._mark(tx, "archive", plan.archive, stamp(now), source, now)
                self._mark(tx, "unarchive", plan.bring_back, None, source, now)
        return plan

    def _mark(
        self, tx: Transaction, operation: str, numbers: Sequence[int], at: str | None, source: str, now: datetime
    ) -> None:
        for number in numbers:
            if old := tx.experiences.find(number):
                self._replace(tx, operation, old, old._replace(archived_at=at), source, now)

    def preferences(self, category: str | None = None, *, project: str | None = None) -> tuple[Preference, ...]:
        """What is preferred, category by category, in a project or, without one, in all.

        Of several values the one with the most confidence × weight holds; of two alike, the one shown last.
        """
        now, wanted = self._access.now(), normalised(category) if category else None
        where = project or self._project
        by_category: dict[str, list[Experience]] = {}
        with self._access.ledger.reading() as tx:
            for one in tx.experiences.live(PREFERENCE):
                name = normalised(one.intent)
                if wanted in (None, name) and one.project in (None, where) and self._answers(one, now):
                    by_category.setdefault(name, []).append(one)

        def evidence(one: Experience) -> tuple[float, str, int]:
            return round(one.success * self._weight(one, now), 6), one.used_at or one.created_at, one.id

        return tuple(
            _preference(sorted(values, key=evidence, reverse=True)) for _, values in sorted(by_category.items())
        )

    def get(self, number: int | str) -> Experience:
        with self._access.ledger.reading() as tx:
            return tx.experiences.get(_number(number))

    def show(self, number: int | str) -> Shown:
        return self._shown(self.get(number), self._access.now())

    def history(self, number: int | str) -> tuple[Entry, ...]:
        """All that one went through, oldest first, whether it is still there or not."""
        wanted = _number(number)
        with self._access.ledger.reading() as tx:
            entries = tx.journal.history("experience", wanted)
            if not entries:
                raise NotFound(f"There never was an experience:{wanted}.")
            came = (entry.before is None and entry.after is not None for entry in entries)
            return tuple(told(tx, one) if first else one for one, first in zip(entries, came, strict=True))

    def standing(self, numbers: Sequence[int]) -> dict[int, float]:
        """Of these, the experiences that answer now, each with what it is worth."""
        now = self._access.now()
        with self._access.ledger.reading() as tx:
            found = [tx.experiences.find(number) for number in numbers]
        half = self._manner.half_life_days
        return {one.id: rules.worth(one, now, half) for one in found if one and self._answers(one, now)}

    def stats(self) -> Stats:
        now = self._access.now()
        count, archived, faded, uses = 0, 0, 0, 0
        live: list[Experience] = []
        with self._access.ledger.reading() as tx:
            for one in tx.experiences.all():
                count, uses = count + 1, uses + one.uses
                archived += one.archived_at is not None
                if self._answers(one, now):
                    live.append(one)
                else:
                    faded += one.archived_at is None
        types = Counter(one.type for one in live)
        mean = math.fsum(one.success for one in live) / len(live) if live else None
        return Stats(count, len(live), faded, archived, uses, mean, {name: types[name] for name in EXPERIENCE_TYPES})

    def list(
        self,
        *,
        type: ExperienceType | None = None,
        tag: str | None = None,
        project: str | None = None,
        archived: bool = False,
        limit: int | None = None,
    ) -> tuple[Shown, ...]:
        """Experiences, newest first: those that are not archived, or those that are."""
        now = self._access.now()

        def chosen(tx: Transaction) -> Iterator[Experience]:
            for one in tx.experiences.archived() if archived else tx.experiences.live():
                wanted = type in (None, one.type) and (project is None or one.project in (None, project))
                if wanted and (tag is None or tag in one.tags):
                    yield one

        with self._access.ledger.reading() as tx:
            found = [self._shown(one, now) for one in chosen(tx)]
        return tuple(found[::-1][:limit])

    def _present_or_last(self, number: int) -> Experience:
        """An experience after a write that may have been made before: it may be gone by now."""
        with self._access.ledger.reading() as tx:
            found = tx.experiences.find(number) or last_gone(tx, number)
            return found or tx.experiences.get(number)  # says what is wrong

    def _shown(self, experience: Experience, now: datetime) -> Shown:
        return Shown(experience, self._weight(experience, now))

    def _weight(self, experience: Experience, now: datetime) -> float:
        return rules.weight(experience, now, self._manner.half_life_days)

    def _answers(self, experience: Experience, now: datetime) -> bool:
        return rules.answers(experience, now, self._manner.half_life_days, self._manner.prune_below)


def _preference(values: Sequence[Experience]) -> Preference:
    first, *others = values
    return Preference(first.intent, first.solution, first.success, first, tuple(others))


def _share(value: float) -> float:
    if not (isinstance(value, (int, float)) and 0 <= value <= 1):
        raise Refused(f"{value!r} is not from 0 to 1: 1 is what went perfectly, 0 what failed.")
    return float(value)


def _number(named: int | str) -> int:
    """The number of an experience, given itself or as `experience:N`."""
    if isinstance(named, int):
        return named
    found = kept_at(named)
    if found is None or found[0] != "experience":
        raise NotFound(f"{named!r} is not the name of an experience, such as experience:3.")
    return found[1]
