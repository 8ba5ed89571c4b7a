"""Today: what each agent was given and why, what waits, and where we left off."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from memoro.curate.reviewing.digest import kind_of_change
from memoro.errors import MemoroError, QueryError
from memoro.model.projects import short_name
from memoro.model.proposals import texts_of
from memoro.operations import given
from memoro.operations.sessions import LAST, REPLAY, LastSessions, ReplayRecall
from memoro.page.given_items import Allowed, ShownRecall, read_link, shown_muted, shown_recall
from memoro.page.proposal_words import wish_in_words
from memoro.page.texts import texts
from memoro.page.view import Done, PageRequest, Shown, View, Views

if TYPE_CHECKING:
    from memoro.model.proposals import Proposal
    from memoro.sessions.history import DayPage, Replay, SessionOfDay
    from memoro.sessions.rating import RatedItem
    from memoro.unasked.project_ends import ProjectEnd
    from memoro.workspace import Workspace

_PROMPTS = 20  # on a page
_PROJECTS = 6
_PROPOSALS = 3
_MUTED = 100
_ABOUT = 140  # characters of what a proposal would write


class ShownSession(NamedTuple):
    """A session as the page shows it, with the prompts that are on this page."""

    id: str
    agent: str
    project: str
    about: str
    tokens: int  # of the whole day
    recalls: tuple[ShownRecall, ...]


class DayLinks(NamedTuple):
    """Where the day chooser leads."""

    day: str
    today: str
    before: str
    after: str  # empty: this is today
    last_with_something: str  # empty: none before this day


class WaitingProposal(NamedTuple):
    number: int
    kind: str
    text: str


class ShownProject(NamedTuple):
    """Where a project was left."""

    name: str
    at: str
    title: str
    href: str
    open: tuple[str, ...]
    decisions: tuple[str, ...]
    files: tuple[str, ...]


def today(request: PageRequest) -> Shown:
    """The front page: one day of what agents were given, and what waits."""
    m, now = request.m, request.m.home_context.runtime.now().astimezone().date()
    day, page = _asked_day(request, now), max(1, request.query.number("page", 1))
    wanted = given.ShowDay(day=day.isoformat(), limit=_PROMPTS, skip=(page - 1) * _PROMPTS)
    found: DayPage = request.call(given.DAY, wanted)
    muted = m.muted()
    sessions = tuple(_session(one, muted.item_without) for one in found.sessions)
    waiting = _waiting(m)
    values = {
        "day": day,
        "is_today": day == now,
        "links": _links(day, now, found),
        "totals": found.totals,
        "sessions": sessions,
        "older": _page_link(day, page + 1, now) if page * _PROMPTS < found.recalls else "",
        "newer": _page_link(day, page - 1, now) if page > 1 else "",
        "waiting": len(waiting),
        "proposals": [_proposal(one) for one in waiting[:_PROPOSALS]],
        "muted": m.ratings.count(),
        "health": m.glance(),
        "has_sessions": bool(found.recalls or found.day_before or found.day_after),
    }
    return Shown("today.html", values, part="given")


def left_off(request: PageRequest) -> Shown:
    """Where each project was left. The front page loads it after the rest: it reads notes and logs."""
    found = request.call(LAST, LastSessions(_PROJECTS)).results
    return Shown("left_off.html", {"projects": [_project(one) for one in found]}, part="projects")


def one_prompt(request: PageRequest) -> Shown:
    """All about one prompt: the block word for word, every item, and everything that was left out."""
    wanted = ReplayRecall(id=request.query.get("session"), recall=int(request.path["recall"]))
    found: Replay = request.call(REPLAY, wanted)
    recall = shown_recall(found.then, request.m.muted().item_without)
    left_out = [(one, read_link(one.id)) for one in found.then.recalled.left_out]
    values = {
        "recall": recall,
        "block": found.then.recalled.block,
        "left_out": left_out,
        "altered": found.then.altered,
    }
    return Shown("prompt.html", values)


def muted_list(request: PageRequest) -> Shown:
    """List the muted items, each with a button that unmutes it."""
    found: given.MutedItems = request.call(given.MUTED, given.ListMuted(_MUTED))
    return Shown("muted.html", {"items": [shown_muted(one) for one in found.results]})


def rate_wrong(request: PageRequest) -> Done:
    wanted = given.RateWrong(request.form.get("item"), *_place(request))
    return _done(request.call(given.WRONG, wanted))


def rate_good(request: PageRequest) -> Done:
    wanted = given.RateGood(request.form.get("item"), *_place(request))
    return _done(request.call(given.GOOD, wanted))


def allow(request: PageRequest) -> Done:
    return _done(request.call(given.ALLOW, given.AllowItem(request.form.get("item"), *_place(request))))


def _done(rated: RatedItem) -> Done:
    sentence = texts()(f"today.done_{rated.word}" if rated.new else "today.done_before")
    return Done(sentence, undo=rated.change or None)


def _place(request: PageRequest) -> tuple[str | None, int | None]:
    return request.form.get("session") or None, request.form.number("recall", 0) or None


def _asked_day(request: PageRequest, now: date) -> date:
    text = request.query.get("day")
    try:
        return date.fromisoformat(text) if text else now
    except ValueError:
        raise QueryError(texts()("today.no_day", text=text[:40])) from None


def _links(day: date, now: date, found: DayPage) -> DayLinks:
    after = day + timedelta(days=1) if day < now else None
    return DayLinks(
        day=day.isoformat(),
        today=now.isoformat(),
        before=_day_link(day - timedelta(days=1), now) if day > date.min else "",
        after=_day_link(after, now) if after else "",
        last_with_something=f"/?day={found.day_before}" if found.day_before else "",
    )


def _day_link(day: date, now: date) -> str:
    return "/" if day == now else f"/?day={day.isoformat()}"


def _page_link(day: date, page: int, now: date) -> str:
    fields = {"day": day.isoformat()} if day != now else {}
    return f"/?{urlencode({**fields, 'page': page})}" if page > 1 else _day_link(day, now)


def _session(one: SessionOfDay, allowed: Allowed) -> ShownSession:
    scope = one.listed.session.scope
    return ShownSession(
        id=one.listed.session.id,
        agent=scope.agent or "",
        project=short_name(scope.project) if scope.project else "",
        about=one.listed.about,
        tokens=one.listed.tokens,
        recalls=tuple(shown_recall(recall, allowed) for recall in one.recalls),
    )


def _waiting(m: Workspace) -> list[Proposal]:
    with suppress(MemoroError):  # the line about health says what is wrong with the ledger
        return m.proposals.all() if m.has_ledger() else []
    return []


def _proposal(one: Proposal) -> WaitingProposal:
    told = " ".join(next(iter(texts_of(one)), "").split()) or wish_in_words(one.change)
    return WaitingProposal(one.id, kind_of_change(one.change), told if len(told) < _ABOUT else f"{told[:_ABOUT]}…")


def _project(one: ProjectEnd) -> ShownProject:
    return ShownProject(
        name=short_name(one.project) if one.project else "",
        at=one.at,
        title=one.title,
        href=read_link(one.path) if one.path else "",
        open=one.open,
        decisions=one.decisions,
        files=one.files,
    )


VIEWS: Views = (
    View("/", today, menu="today"),
    View("/left-off", left_off),
    View("/given/{recall:int}", one_prompt),
    View("/muted", muted_list),
    View("/given/wrong", rate_wrong, "POST"),
    View("/given/good", rate_good, "POST"),
    View("/given/allow", allow, "POST"),
)
