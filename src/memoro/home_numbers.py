"""The figures of a home: what is stored, given, marked and paid for, by week; and the files that hold it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, time
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from memoro.errors import MemoroError, QueryError, StoreError
from memoro.index.homes import of_this_version, why_outdated
from memoro.model.feedback import FeedbackEntry, parse
from memoro.model.feedback_places import ARCHIVE, FILES
from memoro.model.figures import (
    Durations,
    IndexedCount,
    RecallFigures,
    by_day,
    durations,
    grouped_by_week,
    local_day_of_hour,
    running_totals,
    sums_by_week,
    weeks_until,
)
from memoro.model.local_time import local_day
from memoro.model.memories import stamp
from memoro.model.projects import resolved_names
from memoro.model.values import require_number
from memoro.model.vocabulary import IndexedKind, Tier
from memoro.providers.usage import UsageSum
from memoro.store.disk_use import DiskUse, disk_use

if TYPE_CHECKING:
    from memoro.ledger.backups import Backup
    from memoro.wiring import Collaborators

NumbersPart = Literal["stored", "given", "feedback", "models", "files"]
NUMBERS_PARTS: tuple[NumbersPart, ...] = get_args(NumbersPart)
WEEKS, MOST_WEEKS = 12, 520
MOST_RECALLS = 5000  # that are read: each has to be unpacked


class StoredCount(NamedTuple):
    kind: IndexedKind
    tier: Tier
    project: str | None
    total: int


class Growth(NamedTuple):
    """The total at the end of each week."""

    kind: IndexedKind
    totals: tuple[int, ...]


class StoredNumbers(NamedTuple):
    """The figures of what is indexed and stored. Notes and conversations count in the week of their date."""

    counts: tuple[StoredCount, ...]
    passages: int
    memories: int
    archived: int
    experiences: int
    sessions: int
    recalls: int
    growth: tuple[Growth, ...]


class GivenWeek(NamedTuple):
    """The figures of what agents were given in a week. `again` counts items that were reinforced afterwards."""

    week: str  # its Monday, as YYYY-MM-DD
    prompts: int
    silent: int
    items: int
    tokens: int
    again: int
    median_ms: float


class GivenNumbers(NamedTuple):
    weeks: tuple[GivenWeek, ...]
    speed: Durations  # of the recalls of these weeks, as they were recorded
    since: str | None = None  # there were too many to read them all: the day of the first that counts


class FeedbackWeek(NamedTuple):
    week: str
    good: int
    wrong: int
    reinforced: int
    demoted: int


class ModelNumbers(NamedTuple):
    """The usage of models. Weeks have tokens and US dollars; the sums are by model and purpose."""

    tokens: tuple[int, ...]
    dollars: tuple[float, ...]
    sums: tuple[UsageSum, ...]
    total: UsageSum
    today: float
    daily_cap: float | None


class BackupFigures(NamedTuple):
    name: str
    created_at: str  # it was verified then
    why: str
    bytes: int
    problem: str = ""


class FileNumbers(NamedTuple):
    home: str
    vault: str | None
    parts: tuple[DiskUse, ...]
    backups: tuple[BackupFigures, ...]
    synced_at: str | None  # local time of the last sync that changed the index
    sync_ms: float | None  # how long it read and wrote


class Numbers(NamedTuple):
    """The figures of a home. Parts that were not asked for are None."""

    weeks: tuple[str, ...]  # the Mondays that the series are about
    stored: StoredNumbers | None = None
    given: GivenNumbers | None = None
    feedback: tuple[FeedbackWeek, ...] | None = None
    models: ModelNumbers | None = None
    files: FileNumbers | None = None
    notices: tuple[str, ...] = ()  # why figures of the index are missing


def numbers(parts: Collaborators, wanted: Sequence[NumbersPart] = (), weeks: int = WEEKS) -> Numbers:
    """Return the wanted figures, by default all, over so many weeks up to today."""
    if not 1 <= require_number(weeks, "number of weeks") <= MOST_WEEKS:
        raise QueryError(f"weeks takes a number from 1 to {MOST_WEEKS}, not {weeks}.")
    mondays = weeks_until(parts.home.runtime.today(), weeks)
    chosen = tuple(wanted) or NUMBERS_PARTS
    return Numbers(
        weeks=mondays,
        stored=_stored(parts, mondays) if "stored" in chosen else None,
        given=_given(parts, mondays) if "given" in chosen else None,
        feedback=_feedback(parts, mondays) if "feedback" in chosen else None,
        models=_models(parts, mondays) if "models" in chosen else None,
        files=_files(parts) if "files" in chosen else None,
        notices=_notices(parts) if {"stored", "files"} & {*chosen} else (),
    )


def _notices(parts: Collaborators) -> tuple[str, ...]:
    outdated = why_outdated(parts.indexing.indexes_if_any())
    return (outdated,) if outdated else ()


def _stored(parts: Collaborators, weeks: tuple[str, ...]) -> StoredNumbers:
    index, services = of_this_version(parts.indexing.indexes_if_any()), parts.ledger.services_if_any()
    found = index.inventory() if index else []
    days: dict[IndexedKind, list[tuple[str, int]]] = {"note": [], "transcript": [], "memory": [], "experience": []}
    for one in found:
        if one.kind in ("note", "transcript"):
            days[one.kind].append((one.day, one.total))
    counts = (0, 0, 0, 0, 0)
    if services:
        with services.access.archive.reading() as archive:
            archived = archive.memories.count()
        with services.access.ledger.reading() as tx:
            days["memory"], days["experience"] = by_day(tx.figures.memories()), by_day(tx.figures.experiences())
            totals = tx.sessions.totals()
            counts = (tx.memories.count(), archived, tx.experiences.count(), totals.sessions, totals.recalls)
    memories, archived, experiences, sessions, recalls = counts
    return StoredNumbers(
        counts=_by_kind(found),
        passages=index.counts().chunks if index else 0,
        memories=memories,
        archived=archived,
        experiences=experiences,
        sessions=sessions,
        recalls=recalls,
        growth=tuple(Growth(kind, running_totals(weeks, each)) for kind, each in days.items()),
    )


def _by_kind(found: Iterable[IndexedCount]) -> tuple[StoredCount, ...]:
    """Add up each kind by project; what was kept under the short name of a project counts with its full name."""
    each = list(found)
    names = resolved_names(one.project for one in each if one.project)
    sums: dict[tuple[IndexedKind, Tier, str | None], int] = {}
    for one in each:
        key = (one.kind, one.tier, names.get(one.project or "", one.project))
        sums[key] = sums.get(key, 0) + one.total
    return tuple(
        StoredCount(kind=kind, tier=tier, project=project, total=total)
        for (kind, tier, project), total in sums.items()
    )


def _given(parts: Collaborators, weeks: tuple[str, ...]) -> GivenNumbers:
    services = parts.ledger.services_if_any()
    recalls: list[RecallFigures] = []
    if services:
        with services.access.ledger.reading() as tx:
            recalls = tx.figures.recalls(_begin(weeks), MOST_RECALLS)
    grouped = grouped_by_week(weeks, recalls, local_day)
    return GivenNumbers(
        weeks=tuple(_given_week(week, each) for week, each in grouped.items()),
        speed=durations(one.took_ms for one in recalls),
        since=local_day(recalls[-1].at) if len(recalls) == MOST_RECALLS else None,
    )


def _given_week(week: str, recalls: Sequence[RecallFigures]) -> GivenWeek:
    prompts = [one for one in recalls if one.is_prompt]
    return GivenWeek(
        week=week,
        prompts=len(prompts),
        silent=sum(not one.items for one in prompts),
        items=sum(one.items for one in recalls),
        tokens=sum(one.tokens for one in recalls),
        again=sum(one.feedback.count("reinforced") for one in recalls),
        median_ms=durations(one.took_ms for one in recalls).median,
    )


def _begin(weeks: tuple[str, ...]) -> str:
    """The stamp of the moment at which the first week begins on this machine."""
    return stamp(datetime.combine(datetime.fromisoformat(weeks[0]).date(), time()).astimezone())


def _feedback(parts: Collaborators, weeks: tuple[str, ...]) -> tuple[FeedbackWeek, ...]:
    services = parts.ledger.services_if_any()
    days: dict[str, list[tuple[str, int]]] = {"reinforce": [], "demote": []}
    if services:
        with services.access.ledger.reading() as tx:
            for one in tx.figures.changes(_begin(weeks)):
                if one.operation in days:
                    days[one.operation].append((local_day_of_hour(one.hour), one.total))
    marked = list(_marked(parts, weeks))
    series = [
        *(
            sums_by_week(weeks, [(one.at[:10], 1) for one in marked if one.kind == kind])
            for kind in ("good", "wrong")
        ),
        *(sums_by_week(weeks, each) for each in days.values()),
    ]
    return tuple(FeedbackWeek(*row) for row in zip(weeks, *series, strict=True))


def _marked(parts: Collaborators, weeks: tuple[str, ...]) -> Iterator[FeedbackEntry]:
    """The answers that the owner marked, archived ones too."""
    years = dict.fromkeys((weeks[0][:4], weeks[-1][:4]))
    for path in (*FILES.values(), *(f"{ARCHIVE}/{year}.md" for year in years)):
        with suppress(MemoroError):
            yield from parse(parts.home.vault().read(path).data.decode("utf-8", "replace"))


def _models(parts: Collaborators, weeks: tuple[str, ...]) -> ModelNumbers:
    daily, usage = parts.usage(since=weeks[0], group="day"), parts.usage(since=weeks[0])
    tokens = [(one.day or "", one.tokens_in + one.tokens_out) for one in daily.sums]
    cents = [(one.day or "", round(one.dollars * 1_000_000)) for one in daily.sums]  # sums of whole numbers are exact
    return ModelNumbers(
        tokens=sums_by_week(weeks, tokens),
        dollars=tuple(total / 1_000_000 for total in sums_by_week(weeks, cents)),
        sums=usage.sums,
        total=usage.total,
        today=usage.today,
        daily_cap=usage.daily_cap,
    )


def _files(parts: Collaborators) -> FileNumbers:
    home, services = parts.home.folder, parts.ledger.services_if_any()
    index = of_this_version(parts.indexing.indexes_if_any())
    backups: list[Backup] = []
    with suppress(StoreError):
        backups = services.backups.all() if services else []
    took = index.get_meta("sync_ms") if index else None
    return FileNumbers(
        home=home,
        vault=parts.home.settings.vault.path,
        parts=tuple(disk_use(home)),
        backups=tuple(_backup(one) for one in backups),
        synced_at=index.get_meta("synced_at") if index else None,
        sync_ms=float(took) if took else None,
    )


def _backup(one: Backup) -> BackupFigures:
    problem = one.problems[0] if one.problems else ""
    return BackupFigures(name=one.name, created_at=one.created_at, why=one.why, bytes=one.bytes, problem=problem)
