"""Memories: the list, one with its history and its links, and every change to them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from memoro.api.problems import problem_of
from memoro.errors import ConfigError, MemoryOutdated, NotFound
from memoro.memories.links import Neighbourhood
from memoro.memories.results import MemoryDetails
from memoro.model.listing import MEMORY_SORTS, MEMORY_STATES, MemorySort
from memoro.model.memories import (
    EXTRACTION,
    SOURCES,
    Memory,
    Narrative,
    is_current,
    recency,
    strength,
    usefulness,
)
from memoro.model.projects import short_name
from memoro.model.sessions import Use
from memoro.model.targets import MemoryId
from memoro.model.vocabulary import TRUSTS
from memoro.operations.journal import Changes
from memoro.operations.memories import (
    HISTORY,
    LINKS,
    LIST,
    SHOW,
    ListMemories,
    MemoryHistory,
    MemoryLinks,
    MemoryList,
    ShowMemory,
    ShownMemory,
)
from memoro.operations.narratives import SEARCH as SEARCH_NARRATIVES
from memoro.operations.narratives import SearchNarratives
from memoro.page.fact_history import fact_events, folded, seconds, span_bars, span_of
from memoro.page.link_picture import LinkedMemory, link_picture
from memoro.page.lists import PAGE, address, cut, maybe_one_of, named, one_of, options
from memoro.page.memory_form import edit_of, fields_of, opened_on
from memoro.page.view import Answer, PageRequest, Shown, View
from memoro.page.views import memory_changes

PATH = "/memories"
_CHAIN = 10  # facts before and after one that are shown with it
_USES = 10  # sessions that were given a memory, of which the page tells
_KNOWN = 8  # memories that may replace another
_NARRATIVES = 3
_WITHOUT_GIVEN: tuple[MemorySort, ...] = (
    "newest",
    "oldest",
    "score",
    "feedback",
)  # archived ones are given to nobody


class MemoryRow(NamedTuple):
    """A memory as lists show it."""

    number: int
    text: str
    tags: tuple[str, ...]
    trust: str
    source: str
    source_name: str
    agent: str | None
    project: str | None
    project_name: str
    created_at: str
    feedback: int
    score: float
    superseded_by: int | None = None
    holds: bool = True
    strength: float | None = None  # of a link to it
    is_muted: bool = False  # its owner called it wrong: no agent is given it unasked


class ChainedFact(NamedTuple):
    """A fact of a chain in which each took the place of the one before."""

    row: MemoryRow
    since: str
    until: str | None
    x: float
    width: float
    ticks: tuple[float, ...]
    is_this: bool


def memories(request: PageRequest) -> Shown:
    fields, now = request.query, _now(request)
    state = one_of(fields, "state", MEMORY_STATES, "current")
    sorts = _WITHOUT_GIVEN if state == "archived" else MEMORY_SORTS
    sort = one_of(fields, "sort", sorts, "newest")
    found: MemoryList = request.call(
        LIST,
        ListMemories(
            limit=PAGE, source=fields.get("source") or None, tag=fields.get("tag") or None,
            words=fields.get("words") or None, agent=fields.get("agent") or None,
            project=fields.get("project") or None, trust=maybe_one_of(fields, "trust", TRUSTS), state=state,
            sort=sort, after=fields.get("after") or None, scope="all",
        ),
    )  # fmt: skip
    chosen = ("words", "tag", "agent", "project", "source", "trust")
    return Shown(
        "memories.html",
        {
            "rows": _rows(request, found.results, now),
            "state": state,
            "sort": sort,
            "states": options("memories.state_", MEMORY_STATES),
            "sorts": options("memories.sort_", sorts),
            "trusts": options("memories.trust_", TRUSTS[::-1], "memories.any"),
            "is_filtered": any(fields.get(name) for name in chosen) or state != "current",
            "has_more_filters": any(fields.get(name) for name in chosen[1:]),
            "next_url": address(PATH, fields, after=found.next) if found.next else "",
            "first_url": address(PATH, fields) if fields.get("after") else "",
            "narratives": request.call(SEARCH_NARRATIVES, SearchNarratives(limit=_NARRATIVES, scope="all")).results,
        },
    )


def memory(request: PageRequest) -> Shown:
    return _memory_page(request)


def edit(request: PageRequest) -> Answer:
    """Change a memory; where the change is refused, its page with the sentence above the form, as it was typed."""
    try:
        return memory_changes.edit(request)
    except ConfigError as error:
        return _memory_page(request, error)._replace(status=problem_of(error).status)


def _memory_page(request: PageRequest, refused: ConfigError | None = None) -> Shown:
    """The page of a memory. Where an edit was `refused`, its form holds what was typed."""
    number, now = int(request.path["id"]), _now(request)
    found: ShownMemory = request.call(SHOW, ShowMemory(number, used=True, scope="all"))
    one, changes = found.shown.memory, _history(request, number)
    fields = fields_of(one)
    events = fact_events(one, changes.changes)
    return Shown(
        "memory.html",
        {
            "memory": one,
            "row": _rows(request, [one], now)[0],
            "archived": found.shown.archived,
            "read_id": one.origin if one.source == EXTRACTION else None,
            "trusts": options("memories.trust_", TRUSTS[::-1]),
            "usefulness": usefulness(one.feedback, one.trust),
            "recency": recency(one, now),
            "valid_from": fields.valid_from,
            "valid_to": fields.valid_to,
            "refused": "" if refused is None else str(refused),
            "is_outdated": isinstance(refused, MemoryOutdated),
            "opened": opened_on(fields),
            "typed": fields if refused is None else edit_of(request.form, one).wanted,
            "events": folded(one._replace(by=source_name(one.by)) for one in events),
            "chain": _chain(request, found.shown, [seconds(event.at) for event in events], now),
            "known": _known(request, one, now),
            "narratives": _narratives(request, found.shown.narratives),
            **_given(found.used or ()),
            **_links(request, found.shown, now),
        },
    )


def memory_row(memory: Memory, now: datetime) -> MemoryRow:
    return MemoryRow(
        number=memory.id,
        text=cut(memory.content),
        tags=memory.tags,
        trust=memory.trust,
        source=memory.source,
        source_name=source_name(memory.source),
        agent=memory.agent,
        project=memory.project,
        project_name=short_name(memory.project or ""),
        created_at=memory.created_at,
        feedback=memory.feedback,
        score=strength(memory, now),
        superseded_by=memory.superseded_by,
        holds=is_current(memory, now),
    )


def _rows(request: PageRequest, found: Iterable[Memory], now: datetime) -> list[MemoryRow]:
    """Rows that also say what is muted."""
    muted = request.m.muted()
    return [
        memory_row(one, now)._replace(
            is_muted=muted.covers((str(MemoryId(one.id)),)) or muted.text_without(one.content) == ""
        )
        for one in found
    ]


def source_name(source: str) -> str:
    return named("memories.source_", source, tuple(SOURCES))


def _now(request: PageRequest) -> datetime:
    return request.m.home_context.runtime.now()


def _history(request: PageRequest, number: int) -> Changes:
    """Its changes; none where the journal does not have them any more."""
    try:
        found: Changes = request.call(HISTORY, MemoryHistory(number, scope="all"))
    except NotFound:
        return Changes(())
    return found


def _given(uses: Iterable[Use]) -> dict[str, object]:
    listed = list(uses)
    return {"uses": listed[:_USES], "uses_count": len(listed)}


def _links(request: PageRequest, shown: MemoryDetails, now: datetime) -> dict[str, object]:
    """The picture of links and the list beside it. Archived memories have no links."""
    if shown.archived or not shown.links:
        return {"picture": None, "linked": []}
    tree: Neighbourhood = request.call(LINKS, MemoryLinks(shown.memory.id, depth=2, scope="all"))
    linked = [memory_row(one.memory, now)._replace(strength=one.strength) for one in tree.linked]
    return {"picture": link_picture(_linked(tree)) if linked else None, "linked": linked}


def _linked(tree: Neighbourhood) -> LinkedMemory:
    return LinkedMemory(
        number=tree.memory.id,
        text=tree.memory.content,
        strength=tree.strength,
        linked=tuple(map(_linked, tree.linked)),
    )


def _chain(request: PageRequest, shown: MemoryDetails, events: list[float], now: datetime) -> list[ChainedFact]:
    """The facts that this one replaced and those that replaced it, oldest first, with this one among them."""
    before = _reached(request, shown.supersedes, forward=False)
    later = (shown.memory.superseded_by,) if shown.memory.superseded_by else ()
    after = _reached(request, later, forward=True)
    facts = [*sorted(before, key=lambda one: span_of(one).first), shown.memory, *after]
    bars = span_bars([span_of(one) for one in facts], [], now.timestamp())
    ticks = span_bars([span_of(one) for one in [*before, *after, shown.memory]], events, now.timestamp())[-1].ticks
    return [
        ChainedFact(
            row=memory_row(one, now),
            since=one.valid_from or one.created_at,
            until=one.valid_to or one.superseded_at,
            x=bar.x,
            width=bar.width,
            ticks=ticks if one.id == shown.memory.id else (),
            is_this=one.id == shown.memory.id,
        )
        for one, bar in zip(facts, bars, strict=True)
    ]


def _reached(request: PageRequest, numbers: Iterable[int], *, forward: bool) -> list[Memory]:
    """The memories that replaced one, or that it replaced, near ones first. Removed ones are passed over."""
    found: dict[int, Memory] = {}
    left = list(numbers)
    while left and len(found) < _CHAIN:
        number = left.pop(0)
        try:
            shown: ShownMemory = request.call(SHOW, ShowMemory(number, scope="all"))
        except NotFound:
            continue
        one = shown.shown.memory
        found[number] = one
        more = ([one.superseded_by] if one.superseded_by else []) if forward else shown.shown.supersedes
        left += [other for other in more if other not in found]
    return list(found.values())


def _known(request: PageRequest, one: Memory, now: datetime) -> list[MemoryRow]:
    """Memories that the owner looks for, one of which may have taken its place."""
    if not (words := request.query.get("known")):
        return []
    found: MemoryList = request.call(LIST, ListMemories(limit=_KNOWN + 1, words=words, scope="all"))
    return [memory_row(other, now) for other in found.results if other.id != one.id][:_KNOWN]


def _narratives(request: PageRequest, numbers: Iterable[int]) -> list[Narrative]:
    asked = [SearchNarratives(str(number), limit=1, scope="all") for number in numbers]
    return [one for search in asked for one in request.call(SEARCH_NARRATIVES, search).results]


VIEWS = (
    View(PATH, memories, menu="memories"),
    *memory_changes.CHANGES,
    View(f"{PATH}/{{id:int}}/edit", edit, "POST"),
    View(f"{PATH}/{{id:int}}", memory),
)
