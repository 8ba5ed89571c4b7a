"""A note, a conversation or a memory, opened at the place that was found, with its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from memoro.api.problems import problem_of
from memoro.errors import MemoroError, NoteNotFound
from memoro.model.answers import Answer, ShownTurn, Text, exactly
from memoro.model.notes import kind_of
from memoro.model.projects import short_name
from memoro.model.targets import ExperienceId, MemoryId, PassageId, parse_given_target
from memoro.model.vocabulary import LOADED_TIERS
from memoro.operations.finding import GET, SEARCH, FindPassages, GetRequest
from memoro.operations.notes import (
    DELETE_NOTE,
    EDIT,
    ENTRIES,
    FORGET,
    REMOVE,
    DeleteNote,
    EditTarget,
    EntryList,
    ForgetEntry,
    ListEntries,
    RemoveTarget,
)
from memoro.page.note_parts import Block, Heading, LineSpan, blocks, headings, note_parts
from memoro.page.texts import texts
from memoro.page.view import Answer as ViewAnswer
from memoro.page.view import Done, Fields, PageRequest, Shown, View
from memoro.store.ports import Index

PATH = "/read"
TURNS = 8  # of a conversation, before and after the one that was opened
_OTHERS = 5  # passages of the same note about the same query
_MOST_HEADINGS = 200
_LONG_TURN = 6_000  # characters of a turn that are shown among others


class HeadingLink(NamedTuple):
    heading: Heading
    address: str
    is_opened: bool


class OtherPassage(NamedTuple):
    title: str
    address: str


class TurnShown(NamedTuple):
    """One turn of a conversation. A long one is cut where others stand around it."""

    speaker: str
    text: str
    date: str | None
    is_opened: bool
    is_first: bool  # of those that were opened
    whole: str  # the address of the whole turn; empty: it is whole
    forget: str  # the address of the preview


class RefusedEdit(NamedTuple):
    """An edit of an entry that was not made: what was typed, and why."""

    address: str  # of the entry; empty: the note has it no more
    text: str
    sentence: str


def read_address(target: str, query: str = "") -> str:
    """Where the page shows what an id or a path names; `query` is what somebody looked for."""
    match parse_given_target(target):
        case MemoryId(number):
            return f"/memories/{number}"
        case ExperienceId(number):
            return f"/experiences/{number}"
    fields = {"id": target, "q": query} if query else {"id": target}
    return f"{PATH}?{urlencode(fields)}#opened"


def read(request: PageRequest) -> ViewAnswer:
    target = request.query.get("id")
    if not target:
        return Done("", "/search")
    if isinstance(parse_given_target(target), MemoryId | ExperienceId):
        return Done("", read_address(target))
    try:
        found, has_changed = _get(request, target)
    except NoteNotFound as error:
        return Shown("read_gone.html", {"name": _name(target), "sentence": str(error), "refused": None}, status=404)
    shared: dict[str, object] = {
        "found": found,
        "has_changed": has_changed,
        "sought": request.query.get("q"),
        "project": short_name(found.project) if found.project else "",
        "refused": None,
    }
    if found.kind == "transcript":
        return Shown("read_conversation.html", {**shared, **_conversation(request, found)})
    return Shown("read_note.html", {**shared, **_note(request, found)})


def _get(request: PageRequest, target: str) -> tuple[Text, bool]:
    """The lines that a target names, and whether its note has changed since the target was found."""
    around = 1 if request.query.has("alone") else TURNS
    try:
        return request.call(GET, GetRequest(_placed(request, target), around=around, scope="all")), False
    except NoteNotFound:
        named = parse_given_target(target)
        if not isinstance(named, PassageId):
            raise
        return request.call(GET, GetRequest(_placed(request, named.path), around=around, scope="all")), True


def _placed(request: PageRequest, target: str) -> str:
    """The target; of a whole conversation, which may be very long, its first message."""
    path = target.removeprefix("transcript:")
    if kind_of(path) != "transcript":
        return target

    def first(index: Index) -> int | None:
        chunks = index.chunks_of([path])
        found = index.look_up(chunks[:1], [])
        return found[0].passage.start_line if found else None

    line = request.m.indexing.read(first)
    return target if line is None else f"{path}:{line}"


def _note(request: PageRequest, found: Text) -> dict[str, object]:
    whole: Text = request.call(GET, GetRequest(f"note:{found.path}", scope="all"))
    lines = whole.text.split("\n")
    is_part = (found.start_line, found.end_line) != (whole.start_line, whole.end_line)
    passage = LineSpan(found.start_line, found.end_line) if is_part else None
    query = request.query.get("q")
    links = [_heading_link(found.path, one, passage, query) for one in headings(lines)[:_MOST_HEADINGS]]
    if links and links[0].heading.text == found.title and links[0].heading.level == 1:
        lines[links[0].heading.span.first - 1] = ""  # it stands above the note already
    return {
        "parts": note_parts(lines, passage),
        "lines": len(lines),
        "blocks": _blocks(request, found, lines, passage),
        "headings": links if len(links) > 1 else [],
        "others": _others(request, found, query),
        "whole": f"{PATH}?{urlencode({'id': found.path, 'q': query} if query else {'id': found.path})}",
    }


def _heading_link(path: str, heading: Heading, passage: LineSpan | None, query: str) -> HeadingLink:
    first, last = heading.span
    is_opened = passage is not None and first <= passage.first <= last
    return HeadingLink(heading, read_address(f"{path}:{first}-{last}", query), is_opened)


def _blocks(request: PageRequest, found: Text, lines: Sequence[str], passage: LineSpan | None) -> list[Block]:
    """The entries of an always-loaded note with what stands between them; nothing of another note."""
    tier = next((one for one in LOADED_TIERS if one == found.tier), None)
    if tier is None:
        return []
    listed: EntryList = request.call(ENTRIES, ListEntries(tier))
    own = [one for one in listed.entries if one.path == found.path]
    return blocks(lines, own, passage) if own else []


def _others(request: PageRequest, found: Text, query: str) -> list[OtherPassage]:
    """Other passages of the same note about what was looked for."""
    if not query:
        return []
    asked = FindPassages(query, limit=_OTHERS + 1, path=(exactly(found.path),), scope="all", unfinished=True)
    answer: Answer = request.call(SEARCH, asked).answer
    return [
        OtherPassage(" › ".join(hit.heading) or hit.path, read_address(hit.id, query))
        for hit in answer.results
        if hit.start_line != found.start_line
    ][:_OTHERS]


def _conversation(request: PageRequest, found: Text) -> dict[str, object]:
    turns, query = found.around, request.query.get("q")
    if request.query.has("alone"):
        turns = tuple(one for one in turns if found.start_line <= one.line <= found.end_line)
    opened = [place for place, one in enumerate(turns) if found.start_line <= one.line <= found.end_line]
    is_long = len(turns) > 1
    before, after = (opened[0], len(turns) - 1 - opened[-1]) if opened else (0, 0)
    return {
        "turns": [
            _turn(found, one, is_long=is_long)._replace(is_first=place in opened[:1])
            for place, one in enumerate(turns)
        ],
        "earlier": _at(found, turns[0], query) if before >= TURNS else "",
        "later": _at(found, turns[-1], query) if after >= TURNS else "",
    }


def _at(found: Text, turn: ShownTurn, query: str) -> str:
    return read_address(f"transcript:{found.path}:{turn.line}", query)


def _turn(found: Text, turn: ShownTurn, *, is_long: bool) -> TurnShown:
    target = f"transcript:{found.path}:{turn.line}"
    is_cut = is_long and len(turn.text) > _LONG_TURN
    return TurnShown(
        speaker=turn.speaker,
        text=f"{turn.text[:_LONG_TURN]}…" if is_cut else turn.text,
        date=turn.date,
        is_opened=found.start_line <= turn.line <= found.end_line,
        is_first=False,
        whole=f"{PATH}?{urlencode({'id': target, 'alone': '1'})}#opened" if is_cut else "",
        forget=f"{PATH}/forget?{urlencode({'id': target})}",
    )


def edit(request: PageRequest) -> ViewAnswer:
    """Reword an entry; where that is refused, show its note with the sentence and what was typed."""
    form = request.form
    try:
        done = request.call(EDIT, EditTarget(form.get("id"), form.get("text"), form.get("expected") or None))
    except MemoroError as error:
        if not form.get("path"):
            raise
        return _refused_edit(request, error)
    return Done(texts()("read.edited"), _back(done.path, done.line), done.change)


def _refused_edit(request: PageRequest, error: MemoroError) -> Shown:
    form = request.form
    note = read(request._replace(query=Fields((("id", form.get("path")),))))
    if not isinstance(note, Shown):  # the form names something else than a note
        raise error
    problem, own = problem_of(error), form.get("id")
    is_there = _has_entry(note, own)
    sentence = problem.detail if is_there else texts()("read.entry_gone")
    kept = RefusedEdit(own if is_there else "", form.get("text"), sentence)
    return note._replace(values={**note.values, "refused": kept}, status=problem.status)


def _has_entry(note: Shown, address: str) -> bool:
    parts = note.values.get("blocks")
    return isinstance(parts, list) and any(one.entry and one.entry.address == address for one in parts)


def remove(request: PageRequest) -> Done:
    done = request.call(REMOVE, RemoveTarget(request.form.get("id")))
    return Done(texts()("read.removed"), _back(done.path, None), done.change)


def preview_forget(request: PageRequest) -> Shown:
    """Show what would be erased, and what was made from it."""
    target = request.query.get("id")
    looked_at = request.call(FORGET, ForgetEntry(target, dry_run=True))
    back = read_address(target if _is_message(target) else looked_at.path or target)
    return Shown(
        "read_forget.html",
        {"forget": looked_at, "target": target, "is_message": _is_message(target), "back": back},
    )


def forget(request: PageRequest) -> Done:
    target = request.form.get("id")
    done = request.call(FORGET, ForgetEntry(target, yes=True, only=request.form.has("only")))
    name = "read.message_forgotten" if _is_message(target) else "read.forgotten"
    return Done(texts()(name), _back(done.path, None) if done.path and not _is_message(target) else "/search")


def delete(request: PageRequest) -> Done:
    done = request.call(DELETE_NOTE, DeleteNote(request.form.get("path")))
    return Done(texts()("read.deleted", path=done.path), "/search", done.change)


def _name(target: str) -> str:
    """The name of a note as words to search for."""
    name = target.rpartition("#")[0] or target
    return name.rpartition("/")[2].removesuffix(".md").replace("-", " ").replace("_", " ")


def _back(path: str, line: int | None) -> str:
    return read_address(path if line is None else f"{path}:{line}")


def _is_message(target: str) -> bool:
    return target.startswith("transcript:")


VIEWS = (
    View(PATH, read),
    View(f"{PATH}/edit", edit, "POST"),
    View(f"{PATH}/remove", remove, "POST"),
    View(f"{PATH}/forget", preview_forget),
    View(f"{PATH}/forget", forget, "POST"),
    View(f"{PATH}/delete", delete, "POST"),
)
