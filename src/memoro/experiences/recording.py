"""Recording and changing experiences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import NeedsConsent, Refused
from memoro.experiences.fading import Fading
from memoro.experiences.options import PreferOptions
from memoro.experiences.reading import ExperienceReading
from memoro.experiences.results import RecordedExperience, WeightedExperience
from memoro.experiences.solutions import kept_solution
from memoro.ledger.access import LedgerAccess, Once, Owner
from memoro.ledger.apply import ChangeWriter
from memoro.model import experiences as rules
from memoro.model.changes import ExperienceChanged, UseOperation, experience_difference
from memoro.model.experiences import Experience, Expiry, identity
from memoro.model.journal import Authorship
from memoro.model.memories import stamp, trust_of
from memoro.model.notes import EXPERIENCE
from memoro.model.results import AddResult, ChangeResult, NumbersResult
from memoro.model.vocabulary import ExperienceType, Feedback

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction

Rule = Callable[[Experience, datetime], Experience]  # the experience after the change


class Outcome(NamedTuple):
    """An experience to be recorded, as its caller tells it."""

    type: ExperienceType
    intent: str
    solution: object  # any JSON
    success: float | None  # None: a preference was shown


class ExperienceEdit(NamedTuple):
    """One way of changing an experience, and who asks for it."""

    operation: UseOperation
    number: int
    source: str
    key: str | None
    request: tuple[object, ...]  # all that a key stands for besides operation and number
    feedback: tuple[Feedback, str | None] | None = None  # for the session that it was given to


class ExperienceRecording:
    def __init__(self, access: LedgerAccess, fading: Fading, owner: Owner, reading: ExperienceReading) -> None:
        self._access = access
        self._fading = fading
        self._owner = owner
        self._reading = reading

    def record(self, outcome: Outcome, options: PreferOptions) -> RecordedExperience:
        access, now = self._access, self._access.now()
        intent, solution = access.content(outcome.intent, "intent"), kept_solution(access, outcome.solution)
        source = access.name(options.get("source", "agent"), "source") or "agent"
        told = None if outcome.success is None else checked_share(outcome.success)
        wanted = Experience(
            id=0,
            type=outcome.type,
            intent=intent.text,
            solution_json=solution.text,
            success=rules.first_success(outcome.type, told),
            source=source,
            trust=trust_of(source, None, ()),
            created_at=stamp(now),
            tags=access.tags(options.get("tags", ())),
            agent=access.name(options.get("agent") or self._owner.agent, "agent"),
            project=access.name(options.get("project") or self._owner.project, "project"),
            session=access.name(options.get("session"), "session"),
        )
        success = 1.0 if told is None else told
        earlier = wanted._replace(created_at="", session=None)
        request = earlier._replace(agent=None, project=options.get("project"))
        once = Once(
            key=options.get("key"),
            request=("record", success, *request),
            result=AddResult,
            earlier=("record", success, *earlier),
        )
        with access.seen_as(options.get("visibility")):
            done = access.once(once, lambda tx: self._record(tx, wanted, success, now))
        kept = self._reading.present_or_last(done.id)
        return RecordedExperience(
            experience=kept,
            weight=self._fading.weight(kept, now),
            new=done.new,
            redacted=(*intent.redacted, *solution.redacted),
        )

    def _record(self, tx: Transaction, wanted: Experience, success: float, now: datetime) -> AddResult:
        digest = self._access.refuse_forgotten(tx, identity(wanted), "experience")
        for same in tx.experiences.by_digest(digest):
            if same.project == wanted.project and self._owner.scope.owns(same.agent, same.project):
                again = self._fading.used(same, rules.reported_by(same, success, wanted.trust), now)
                new = rules.with_tags(again, wanted.tags, wanted.trust)
                self._writer(tx, wanted.source, now).change_experience(same, _changed("record", same, new))
                return AddResult(same.id, new=False)
        by = Authorship(stamp(now), wanted.source, wanted.agent)
        return AddResult(ChangeWriter(self._access, tx, by).add_experience(wanted, "record").id, new=True)

    def _writer(self, tx: Transaction, actor: str, now: datetime) -> ChangeWriter:
        return ChangeWriter(self._access, tx, Authorship(stamp(now), actor, self._owner.agent))

    def offered(self, numbers: Sequence[int], session: str | None, key: str | None) -> None:
        now = self._access.now()

        def work(tx: Transaction) -> NumbersResult:
            writer = self._writer(tx, "agent", now)
            for number in numbers:
                if old := tx.experiences.find(number):
                    writer.change_experience(old, _changed("offer", old, self._fading.used(old, None, now)))
            return NumbersResult(tuple(numbers))

        asked = ("offer", *numbers)
        once = Once(key=key, request=asked, result=NumbersResult, earlier=(*asked, session))
        self._access.once(once, work)

    def change(self, edit: ExperienceEdit, rule: Rule) -> WeightedExperience:
        """Change one experience by a rule, with an entry in the journal."""
        access, now = self._access, self._access.now()
        actor = access.name(edit.source, "source") or "agent"

        def work(tx: Transaction) -> ChangeResult:
            old = tx.experiences.get(edit.number)
            self._owner.check_change(f"experience:{old.id}", old.agent, old.project)
            self._writer(tx, actor, now).change_experience(old, _changed(edit.operation, old, rule(old, now)))
            if edit.feedback:
                tx.sessions.note(f"{EXPERIENCE}{old.id}", *edit.feedback)
            return ChangeResult(edit.number)

        request = (edit.operation, "experience", edit.number, *edit.request)
        access.once(Once(edit.key, request, ChangeResult), work)
        return self._reading.weighted(self._reading.present_or_last(edit.number))

    def remove(self, number: int, source: str, key: str | None) -> WeightedExperience:
        access, now = self._access, self._access.now()
        actor = access.name(source, "source") or "agent"

        def work(tx: Transaction) -> ChangeResult:
            old = tx.experiences.get(number)
            self._owner.check_change(f"experience:{number}", old.agent, old.project)
            self._writer(tx, actor, now).remove_experience(old, "remove")
            return ChangeResult(number)

        once = Once(key, ("remove", "experience", number), ChangeResult)
        access.with_room(lambda: access.once(once, work))
        return self._reading.weighted(self._reading.present_or_last(number))

    def plan_expiry(self, below: float | None) -> Expiry:
        limit = self._fading.prune_below if below is None else checked_share(below)
        with self._access.ledger.reading() as tx:
            return rules.plan_expiry(
                tx.experiences.all(),
                below=limit,
                half_life_days=self._fading.half_life_days,
                now=self._access.now(),
            )

    def may_prune(self) -> bool:
        now = self._access.now()
        since = self._fading.fades_since(now)
        if since is None:
            return False
        with self._access.ledger.reading() as tx:
            return tx.experiences.any_unused(since, stamp(now))

    def prune(self, plan: Expiry, source: str, *, force: bool) -> None:
        if plan.braked and not force:
            raise NeedsConsent(
                f"{len(plan.archive)} of {plan.live} experiences have faded at once. If the clock is right, "
                "`memoro experience prune --force` archives them; nothing was changed."
            )
        now = self._access.now()
        if plan.archive or plan.bring_back:
            with self._access.ledger.writing() as tx:
                writer = self._writer(tx, source, now)
                for old in filter(None, map(tx.experiences.find, plan.archive)):
                    archived = old._replace(archived_at=stamp(now))
                    writer.change_experience(old, _changed("archive", old, archived))
                for old in filter(None, map(tx.experiences.find, plan.bring_back)):
                    back = old._replace(archived_at=None)
                    writer.change_experience(old, _changed("unarchive", old, back))


def _changed(operation: UseOperation, old: Experience, new: Experience) -> ExperienceChanged:
    before, after = experience_difference(old, new)
    return ExperienceChanged(operation=operation, number=old.id, before=before, after=after)


def checked_share(value: float) -> float:
    if not (isinstance(value, (int, float)) and 0 <= value <= 1):
        raise Refused(f"{value!r} is not from 0 to 1: 1 is what went perfectly, 0 what failed.")
    return float(value)
