"""Experiences: the list, and one with its history."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple, get_args

from memoro.errors import QueryError
from memoro.experiences.results import WeightedExperience
from memoro.model.changes import Change, ExperienceChanged
from memoro.model.experiences import Experience, outcome_of
from memoro.model.journal import JournalEntry
from memoro.model.listing import EXPERIENCE_SORTS
from memoro.model.memories import SOURCES
from memoro.model.projects import short_name
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS, ExperienceOutcome, Trust
from memoro.operations.experiences import (
    HISTORY,
    LIST,
    REMOVE,
    SHOW,
    TRUST,
    USE,
    ExperienceList,
    ListExperiences,
    OneExperience,
    ShowExperience,
    TrustExperience,
    UseExperience,
)
from memoro.operations.notes import FORGET, ForgetEntry
from memoro.page.lists import PAGE, address, cut, maybe_one_of, named, newest_change, one_of, options
from memoro.page.texts import texts
from memoro.page.view import Done, Fields, PageRequest, Shown, View
from memoro.target_forgetting import ForgetResult

PATH = "/experiences"
OUTCOMES: tuple[ExperienceOutcome, ...] = get_args(ExperienceOutcome)
State = Literal["live", "archived"]
STATES: tuple[State, ...] = ("live", "archived")
_SUCCESSES: dict[ExperienceOutcome, float] = {"worked": 1.0, "partly": 0.5, "failed": 0.0}  # how it went this time
_SOURCES = tuple(SOURCES)


class ExperienceRow(NamedTuple):
    """An experience as the page shows it."""

    number: int
    type: str
    intent: str
    solution: str
    is_text: bool  # the solution is a text, and no list or object
    outcome: ExperienceOutcome | None  # None: a preference
    success: float
    weight: float
    uses: int
    tags: tuple[str, ...]
    trust: Trust
    source: str
    agent: str | None
    project: str | None
    project_name: str
    created_at: str
    used_at: str | None
    is_archived: bool


class ExperienceEvent(NamedTuple):
    """A change to an experience."""

    at: str
    operation: str
    by: str
    detail: str
    is_undone: bool


def experiences(request: PageRequest) -> Shown:
    fields = request.query
    state = one_of(fields, "state", STATES, "live")
    sort = one_of(fields, "sort", EXPERIENCE_SORTS, "newest")
    found: ExperienceList = request.call(LIST, _asked(fields)._replace(archived=state == "archived", sort=sort))
    chosen = ("words", "type", "outcome", "tag", "agent", "project", "trust")
    return Shown(
        "experiences.html",
        {
            "rows": [experience_row(one)._replace(solution=cut(_told(one.experience))) for one in found.results],
            "state": state,
            "sort": sort,
            "states": options("experiences.state_", STATES),
            "sorts": options("experiences.sort_", EXPERIENCE_SORTS),
            "types": options("experiences.type_", EXPERIENCE_TYPES, "experiences.any"),
            "outcomes": options("experiences.outcome_", OUTCOMES, "experiences.any"),
            "trusts": options("memories.trust_", TRUSTS[::-1], "experiences.any"),
            "is_filtered": any(fields.get(name) for name in chosen) or state != "live",
            "has_more_filters": any(fields.get(name) for name in chosen[3:]) or state != "live",
            "next_url": address(PATH, fields, after=found.next) if found.next else "",
            "first_url": address(PATH, fields) if fields.get("after") else "",
        },
    )


def _asked(fields: Fields) -> ListExperiences:
    return ListExperiences(
        limit=PAGE, type=maybe_one_of(fields, "type", EXPERIENCE_TYPES), tag=fields.get("tag") or None,
        words=fields.get("words") or None, outcome=maybe_one_of(fields, "outcome", OUTCOMES),
        agent=fields.get("agent") or None, project=fields.get("project") or None,
        trust=maybe_one_of(fields, "trust", TRUSTS), after=fields.get("after") or None, scope="all",
    )  # fmt: skip


def experience(request: PageRequest) -> Shown:
    number = int(request.path["id"])
    found: WeightedExperience = request.call(SHOW, ShowExperience(number, scope="all"))
    history = request.call(HISTORY, OneExperience(number)).changes
    return Shown(
        "experience.html",
        {
            "row": experience_row(found),
            "session": found.experience.session,
            "events": [_event(entry) for entry in history],
            "trusts": options("memories.trust_", TRUSTS[::-1]),
            "successes": options("experiences.outcome_", OUTCOMES),
        },
    )


def experience_row(found: WeightedExperience) -> ExperienceRow:
    one = found.experience
    return ExperienceRow(
        number=one.id,
        type=one.type,
        intent=one.intent,
        solution=_told(one),
        is_text=isinstance(one.solution, str),
        outcome=outcome_of(one),
        success=one.success,
        weight=found.weight,
        uses=one.uses,
        tags=one.tags,
        trust=one.trust,
        source=named("memories.source_", one.source, _SOURCES),
        agent=one.agent,
        project=one.project,
        project_name=short_name(one.project or ""),
        created_at=one.created_at,
        used_at=one.used_at,
        is_archived=one.archived_at is not None,
    )


def _told(one: Experience) -> str:
    """What was done, as text; as it is kept where it is nested too deeply."""
    try:
        solution = one.solution
        return solution if isinstance(solution, str) else "\n".join(_outline(solution))
    except RecursionError:
        return one.solution_json


def _outline(value: object) -> list[str]:
    """A value of JSON as lines for people: steps are numbered, fields are named."""
    if isinstance(value, list) and value:
        return [line for place, one in enumerate(value, 1) for line in _headed(f"{place}.", one)]
    if isinstance(value, dict) and value:
        return [line for name, one in value.items() for line in _headed(f"{name}:", one)]
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


def _headed(head: str, value: object) -> list[str]:
    lines = _outline(value)
    if len(lines) == 1 and not isinstance(value, (list, dict)):
        return [f"{head} {lines[0]}"]
    return [head, *(f"  {line}" for line in lines)]


def _event(entry: JournalEntry) -> ExperienceEvent:
    return ExperienceEvent(
        at=entry.at,
        operation=named("experiences.event_", entry.operation, _EVENTS),
        by=named("memories.source_", entry.actor, _SOURCES),
        detail=_detail(entry.change),
        is_undone=entry.undone_by is not None,
    )


_EVENTS = ("record", "use", "offer", "trust", "archive", "unarchive", "remove", "undo", "import", "forget")


def _detail(change: Change) -> str:
    t = texts()
    match change:
        case ExperienceChanged(after=after) if "trust" in after:
            return t(f"memories.trust_{after['trust']}")
        case ExperienceChanged(after=after) if "success" in after:
            return t("experiences.success", success=f"{after['success']:.2f}")
        case _:
            return ""


def use(request: PageRequest) -> Done:
    number, how = int(request.path["id"]), maybe_one_of(request.form, "success", OUTCOMES)
    request.call(USE, UseExperience(number, None if how is None else _SUCCESSES[how]))
    return _done(request, number, "use")


def trust(request: PageRequest) -> Done:
    number = int(request.path["id"])
    level: Trust | None = maybe_one_of(request.form, "trust", TRUSTS)
    if level is None:
        raise QueryError(texts()("memories.no_trust"))
    request.call(TRUST, TrustExperience(number, level))
    return _done(request, number, "trust")


def remove(request: PageRequest) -> Done:
    number = int(request.path["id"])
    request.call(REMOVE, OneExperience(number))
    return _done(request, number, "remove", PATH)


def _done(request: PageRequest, number: int, operation: str, to: str = "") -> Done:
    history = request.call(HISTORY, OneExperience(number)).changes
    undo = newest_change(history, operation)
    return Done(texts()(f"experiences.done_{operation}"), to or f"{PATH}/{number}", undo)


def preview_forget(request: PageRequest) -> Shown:
    number = int(request.path["id"])
    found: ForgetResult = request.call(FORGET, ForgetEntry(f"experience:{number}", dry_run=True))
    return Shown("experience_forget.html", {"found": found, "number": number})


def forget(request: PageRequest) -> Done:
    number = int(request.path["id"])
    if not request.form.has("sure"):
        raise QueryError(texts()("memories.not_sure"))
    request.call(FORGET, ForgetEntry(f"experience:{number}", yes=True, only=not request.form.has("derived")))
    return Done(texts()("experiences.done_forget"), PATH)


VIEWS = (
    View(PATH, experiences, menu="experiences"),
    View(f"{PATH}/{{id:int}}", experience),
    View(f"{PATH}/{{id:int}}/use", use, "POST"),
    View(f"{PATH}/{{id:int}}/trust", trust, "POST"),
    View(f"{PATH}/{{id:int}}/remove", remove, "POST"),
    View(f"{PATH}/{{id:int}}/forget", preview_forget),
    View(f"{PATH}/{{id:int}}/forget", forget, "POST"),
)
