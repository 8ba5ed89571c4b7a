"""Numbers: what is indexed, how it grows, what recall gave, what models cost, and what is degraded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from memoro.home_numbers import NUMBERS_PARTS, GivenNumbers, ModelNumbers, Numbers, NumbersPart, StoredNumbers
from memoro.model.vocabulary import parse_choice
from memoro.operations.numbers import NUMBERS, ShowNumbers
from memoro.operations.operation import NoArguments
from memoro.operations.upkeep import DOCTOR, STATUS, Checks, Doctor, StatusResult
from memoro.page.moments import time_words
from memoro.page.texts import texts
from memoro.page.view import PageRequest, Shown, View
from memoro.providers.prices import in_dollars

PARTS = (*NUMBERS_PARTS, "checks")
WEEKS = (4, 12, 26, 52)
# In a home with larger files, the figures that are counted from them are loaded after the page is shown.
SMALL_LEDGER, SMALL_INDEX = 20_000_000, 40_000_000
_MOST_PROJECTS = 12
_WHYS = ("daily", "asked for", "before a restore", "before a new format")  # why a backup was made

Points = tuple[tuple[str, float], ...]


class Figure(NamedTuple):
    value: str
    label: str
    note: str = ""


class Series(NamedTuple):
    """A plot: its title, and a number for each week."""

    title: str
    points: Points
    format: str = "{:,.0f}"


def numbers(request: PageRequest) -> Shown:
    """The figures; with `part`, that one alone, as the page asks for those that take longer."""
    weeks = request.query.number("weeks", 12)
    part = request.query.get("part")
    values: dict[str, object] = {"weeks": weeks, "choices": WEEKS, "health": request.m.glance()}
    values |= dict.fromkeys((*PARTS, "status"))
    for one in (parse_choice(part, PARTS, "part"),) if part else _quick_parts(request):
        values |= _part(request, one, weeks)
    return Shown("numbers.html", values, part=part)


def _quick_parts(request: PageRequest) -> tuple[NumbersPart, ...]:
    """The parts that are counted at once."""
    found: Numbers = request.call(NUMBERS, ShowNumbers(part=("files",)))
    sizes = {one.part: one.bytes for one in found.files.parts} if found.files else {}
    is_small = sizes.get("ledger", 0) <= SMALL_LEDGER
    quick: tuple[NumbersPart, ...] = ("given", "feedback", "models", "files") if is_small else ("models", "files")
    return (*quick, "stored") if is_small and sizes.get("index", 0) <= SMALL_INDEX else quick


def _part(request: PageRequest, part: str, weeks: int) -> dict[str, object]:
    if part == "checks":
        checks: Checks = request.call(DOCTOR, Doctor())
        found: StatusResult = request.call(STATUS, NoArguments())
        return {"checks": checks.checks, "status": found.status}
    chosen: NumbersPart = parse_choice(part, NUMBERS_PARTS, "part")
    return {part: _shaped(request.call(NUMBERS, ShowNumbers(part=(chosen,), weeks=weeks)), chosen)}


class Shaped(NamedTuple):
    """One group of figures as the template shows it: in large type, as plots, and in two tables."""

    figures: tuple[Figure, ...] = ()
    plots: tuple[Series, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    more_rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    is_empty: bool = False


def _shaped(found: Numbers, part: NumbersPart) -> Shaped:
    labels = tuple(map(_week, found.weeks))
    if found.stored:
        return _stored(found.stored, labels)
    if found.given:
        return _given(found.given, labels)
    if found.models:
        return _models(found.models, labels)
    return _feedback(found, labels) if part == "feedback" else _files(found)


def _stored(found: StoredNumbers, labels: Sequence[str]) -> Shaped:
    t = texts()
    kinds: dict[str, int] = {}
    tiers: dict[str, int] = {}
    projects: dict[str, int] = {}
    for one in found.counts:
        kinds[one.kind] = kinds.get(one.kind, 0) + one.total
        tiers[one.tier] = tiers.get(one.tier, 0) + one.total
        if one.project:
            projects[one.project] = projects.get(one.project, 0) + one.total
    archived = t("numbers.archived", count=found.archived) if found.archived else ""
    figures = (
        Figure(f"{kinds.get('note', 0):,}", t("numbers.notes")),
        Figure(f"{kinds.get('transcript', 0):,}", t("numbers.conversations")),
        Figure(f"{found.passages:,}", t("numbers.passages")),
        Figure(f"{found.memories:,}", t("numbers.memories"), archived),
        Figure(f"{found.experiences:,}", t("numbers.experiences")),
    )
    plots = [Series(t(f"numbers.growth_of_{one.kind}"), _points(labels, one.totals)) for one in found.growth]
    return Shaped(
        figures=figures,
        plots=tuple(plot for plot, one in zip(plots, found.growth, strict=True) if one.totals[-1]),
        rows=tuple((t(f"numbers.tier.{tier}"), f"{total:,}") for tier, total in tiers.items()),
        more_rows=_largest(projects),
        is_empty=not any(kinds.values()) and not found.memories,
    )


def _largest(projects: dict[str, int]) -> tuple[tuple[str, ...], ...]:
    """The largest projects, and the others in one row."""
    ordered = sorted(projects.items(), key=lambda one: (-one[1], one[0]))
    rows = [(name, f"{total:,}") for name, total in ordered[:_MOST_PROJECTS]]
    rest = ordered[_MOST_PROJECTS:]
    if rest:
        rows.append((texts()("numbers.other_projects", count=len(rest)), f"{sum(total for _, total in rest):,}"))
    return tuple(rows)


def _given(found: GivenNumbers, labels: Sequence[str]) -> Shaped:
    t, weeks, speed = texts(), found.weeks, found.speed
    prompts, silent = sum(one.prompts for one in weeks), sum(one.silent for one in weeks)
    share = f"{100 * (prompts - silent) / prompts:.0f} %" if prompts else "–"
    figures = (
        Figure(f"{prompts:,}", t("numbers.prompts")),
        Figure(share, t("numbers.answered"), t("numbers.silent", count=silent)),
        Figure(f"{sum(one.tokens for one in weeks):,}", t("numbers.tokens_given")),
        Figure(f"{sum(one.again for one in weeks):,}", t("numbers.used_again"), t("numbers.used_again_note")),
        Figure(f"{speed.median:,.0f} ms", t("numbers.speed"), t("numbers.speed_note", p95=f"{speed.p95:,.0f}")),
    )
    plots = (
        Series(t("numbers.plot_answered"), _points(labels, [one.prompts - one.silent for one in weeks])),
        Series(t("numbers.plot_silent"), _points(labels, [one.silent for one in weeks])),
        Series(t("numbers.plot_tokens"), _points(labels, [one.tokens for one in weeks])),
        Series(t("numbers.plot_speed"), _points(labels, [one.median_ms for one in weeks]), "{:,.0f} ms"),
    )
    note = t("numbers.since", day=found.since) if found.since else ""
    return Shaped(figures=figures, plots=plots, note=note, is_empty=not speed.measured)


def _feedback(found: Numbers, labels: Sequence[str]) -> Shaped:
    t, weeks = texts(), found.feedback or ()
    columns = {
        "good": [one.good for one in weeks],
        "wrong": [one.wrong for one in weeks],
        "reinforced": [one.reinforced for one in weeks],
        "demoted": [one.demoted for one in weeks],
    }
    return Shaped(
        figures=tuple(Figure(f"{sum(each):,}", t(f"numbers.{name}")) for name, each in columns.items()),
        plots=tuple(
            Series(t(f"numbers.plot_{name}"), _points(labels, each)) for name, each in columns.items() if any(each)
        ),
        is_empty=not any(map(any, columns.values())),
    )


def _models(found: ModelNumbers, labels: Sequence[str]) -> Shaped:
    t = texts()
    cap = t("numbers.of_cap", cap=in_dollars(found.daily_cap)) if found.daily_cap is not None else t("numbers.no_cap")
    figures = (
        Figure(f"{found.total.tokens_in + found.total.tokens_out:,}", t("numbers.tokens")),
        Figure(in_dollars(found.total.dollars), t("numbers.cost")),
        Figure(in_dollars(found.today), t("numbers.today"), cap),
    )
    plots = (
        Series(t("numbers.plot_model_tokens"), _points(labels, found.tokens)),
        Series(t("numbers.plot_cost"), _points(labels, found.dollars), "${:,.2f}"),
    )
    rows = tuple(
        (
            f"{one.provider} {one.model}",
            one.purpose or "",
            f"{one.requests:,}",
            f"{one.tokens_in + one.tokens_out:,}",
            in_dollars(one.dollars),
        )
        for one in found.sums
    )
    return Shaped(figures=figures, plots=plots, rows=rows, is_empty=not found.sums)


def _files(found: Numbers) -> Shaped:
    t, files = texts(), found.files
    if files is None:
        return Shaped(is_empty=True)
    total = sum(one.bytes for one in files.parts)
    figures = [Figure(size_words(total), t("numbers.on_disk"), files.home)]
    if files.backups:
        newest = files.backups[0]
        figures.append(
            Figure(size_words(newest.bytes), t("numbers.last_backup"), newest.problem or _moment(newest.created_at))
        )
    if files.sync_ms is not None:
        figures.append(Figure(f"{files.sync_ms:,.0f} ms", t("numbers.last_sync"), _moment(files.synced_at)))
    rows = tuple((t(f"numbers.part.{one.part}"), f"{one.files:,}", size_words(one.bytes)) for one in files.parts)
    backups = tuple((one.created_at, _why(one.why), size_words(one.bytes)) for one in files.backups)
    return Shaped(figures=tuple(figures), rows=rows, more_rows=backups)


def _moment(instant: str | None) -> str:
    """A moment in calm words. One without a zone is of this machine's clock."""
    if instant is None:
        return ""
    now = datetime.now().astimezone()
    read = datetime.fromisoformat(instant)
    return time_words(read if read.tzinfo else read.astimezone(), now, texts()).short


def _why(why: str) -> str:
    return texts()(f"numbers.why.{why}") if why in _WHYS else why


def size_words(size: int) -> str:
    """A number of bytes as people say it: 512 bytes, 1.5 KB, 200 MB."""
    if size < 1000:
        return texts()("numbers.bytes", count=size)
    power = next((power for power in (1, 2, 3) if size < 999.5 * 1000**power), 4)
    number = size / 1000**power
    return f"{number:,.{0 if number >= 9.95 else 1}f} {('KB', 'MB', 'GB', 'TB')[power - 1]}"


def _points(labels: Iterable[str], values: Iterable[float]) -> Points:
    return tuple(zip(labels, values, strict=True))


def _week(monday: str) -> str:
    """The Monday of a week in short words: 3 Nov."""
    _, month, day = monday.split("-")
    return f"{int(day)} {texts()(f'components.month_{int(month)}')}"


VIEWS = (View("/numbers", numbers, menu="numbers"),)
