"""Changes to memories: to one, or to many at once. All but forgetting can be undone; forgetting shows what goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from memoro.errors import MemoroError, MemoryOutdated, QueryError
from memoro.ledger.forget import ForgottenMemories
from memoro.memories.results import Stored
from memoro.model.digests import digest_of
from memoro.model.memories import Memory
from memoro.model.vocabulary import TRUSTS, Trust
from memoro.operations.memories import (
    ARCHIVE,
    DEMOTE,
    FORGET,
    HISTORY,
    REINFORCE,
    REMOVE,
    SHOW,
    STORE,
    SUPERSEDE,
    TRUST,
    UNARCHIVE,
    UPDATE,
    ForgetMemories,
    KeepMemory,
    MemoryHistory,
    OneMemory,
    ReplaceMemory,
    ShowMemory,
    TrustMemory,
    UpdateMemory,
)
from memoro.operations.operation import AnyOperation
from memoro.page.lists import maybe_one_of, newest_change
from memoro.page.memory_form import edit_of, listed
from memoro.page.texts import texts
from memoro.page.view import Answer, Done, Fields, PageRequest, Shown, View

PATH = "/memories"
_MOST = 200  # memories that are changed at once
Action = Literal["reinforce", "demote", "archive", "unarchive", "remove", "tag", "forget"]
ACTIONS: tuple[Action, ...] = ("reinforce", "demote", "archive", "unarchive", "remove", "tag", "forget")
_OPERATIONS: dict[str, AnyOperation] = {
    "reinforce": REINFORCE,
    "demote": DEMOTE,
    "archive": ARCHIVE,
    "unarchive": UNARCHIVE,
    "remove": REMOVE,
}


class ManyDone(NamedTuple):
    """What became of a change to many memories."""

    changes: tuple[int, ...]
    refused: tuple[str, ...] = ()  # a sentence for each that could not be changed


def change(action: Action) -> Callable[[PageRequest], Done]:
    """The view of a change that needs nothing but the number of the memory."""

    def answer(request: PageRequest) -> Done:
        number = int(request.path["id"])
        request.call(_OPERATIONS[action], OneMemory(number))
        to = PATH if action == "remove" else f"{PATH}/{number}"
        return Done(texts()(f"memories.done_{action}", count=1), to, _undo(request, number, action))

    return answer


def edit(request: PageRequest) -> Done:
    number = int(request.path["id"])
    old = _memory(request, number)
    now, wanted, is_outdated = edit_of(request.form, old)
    if is_outdated:
        raise MemoryOutdated(number)
    is_reworded = wanted.content != now.content
    asked = UpdateMemory(
        id=number,
        content=wanted.content if is_reworded else None,
        tags=wanted.tags if wanted.tags != now.tags else None,
        valid_from=wanted.valid_from if wanted.valid_from and wanted.valid_from != now.valid_from else None,
        valid_to=wanted.valid_to if wanted.valid_to and wanted.valid_to != now.valid_to else None,
        expected=digest_of(old.content) if is_reworded else None,  # it may change until this is written
    )
    request.call(UPDATE, asked)
    return Done(texts()("memories.done_edit"), f"{PATH}/{number}", _undo(request, number, "update"))


def supersede(request: PageRequest) -> Done:
    """Replace a fact by one that is written now, or by one that is known."""
    number, form = int(request.path["id"]), request.form
    if existing := form.number("existing", 0):
        request.call(SUPERSEDE, ReplaceMemory(number, existing))
        return Done(texts()("memories.done_supersede"), f"{PATH}/{number}", _undo(request, number, "supersede"))
    if not form.get("content"):
        raise QueryError(texts()("memories.no_new_fact"))
    old = _memory(request, number)
    asked = KeepMemory(content=form.get("content"), tags=",".join(old.tags), supersedes=(number,))
    stored: Stored = request.call(STORE, asked)
    new = stored.memory.id
    undo = _undo(request, new, "store") if stored.new else _undo(request, number, "supersede")
    return Done(texts()("memories.done_supersede"), f"{PATH}/{new}", undo)


def trust(request: PageRequest) -> Done:
    number = int(request.path["id"])
    level: Trust | None = maybe_one_of(request.form, "trust", TRUSTS)
    if level is None:
        raise QueryError(texts()("memories.no_trust"))
    request.call(TRUST, TrustMemory(number, level))
    return Done(texts()("memories.done_trust"), f"{PATH}/{number}", _undo(request, number, "trust"))


def many(request: PageRequest) -> Answer:
    """One change to all the memories that were chosen, or to all that the page shows."""
    form = request.form
    action = maybe_one_of(form, "action", ACTIONS)
    numbers = _numbers(form, "shown" if form.has("everything") else "id")
    if action is None or not numbers:
        raise QueryError(texts()("memories.nothing_chosen"))
    if action == "forget":
        return _preview(request, numbers)
    if action == "tag" and not form.get("tags"):
        raise QueryError(texts()("memories.no_tags"))
    done = _each(request, action, numbers)
    t = texts()
    count = len(numbers) - len(done.refused)
    said = [t(f"memories.done_{action}", count=count)] if count else []
    if done.refused:
        said.append(t("memories.some_refused", count=len(done.refused), why=done.refused[0]))
    return Done(" ".join(said), undo=done.changes)


def _each(request: PageRequest, action: Action, numbers: Sequence[int]) -> ManyDone:
    changes: list[int] = []
    refused: list[str] = []
    for number in numbers:
        try:
            if action == "tag":
                old = _memory(request, number)
                tags = ",".join((*old.tags, *listed(request.form.get("tags"))))
                request.call(UPDATE, UpdateMemory(number, tags=tags), f"memory {number}")
            else:
                request.call(_OPERATIONS[action], OneMemory(number), f"memory {number}")
        except MemoroError as error:
            refused.append(str(error))
            continue
        done = _undo(request, number, "update" if action == "tag" else action)
        changes += [] if done is None else [done]
    return ManyDone(tuple(changes[::-1]), tuple(refused))


def preview_forget(request: PageRequest) -> Shown:
    return _preview(request, _numbers(request.query, "id"))


def _preview(request: PageRequest, numbers: Sequence[int]) -> Shown:
    if not numbers:
        raise QueryError(texts()("memories.nothing_chosen"))
    found: ForgottenMemories = request.call(FORGET, ForgetMemories(tuple(numbers), dry_run=True))
    return Shown("memories_forget.html", {"found": found, "numbers": numbers})


def forget(request: PageRequest) -> Done:
    form = request.form
    numbers = _numbers(form, "id")
    if not numbers or not form.has("sure"):
        raise QueryError(texts()("memories.not_sure"))
    asked = ForgetMemories(tuple(numbers), yes=True, only=not form.has("derived"))
    found: ForgottenMemories = request.call(FORGET, asked)
    return Done(texts()("memories.done_forget", count=len(found.memories)), PATH)


def _memory(request: PageRequest, number: int) -> Memory:
    found: Memory = request.call(SHOW, ShowMemory(number, scope="all")).shown.memory
    return found


def _undo(request: PageRequest, number: int, operation: str) -> int | None:
    """The number of the change that was made just now."""
    history = request.call(HISTORY, MemoryHistory(number, scope="all")).changes
    return newest_change(history, operation)


def _numbers(fields: Fields, name: str) -> list[int]:
    given = [int(text) for text in fields.all(name) if text.isascii() and text.isdigit() and len(text) < 19]
    return list(dict.fromkeys(given))[:_MOST]


CHANGES = (
    View(f"{PATH}/forget", preview_forget),
    View(f"{PATH}/forget", forget, "POST"),
    View(f"{PATH}/many", many, "POST"),
    View(f"{PATH}/{{id:int}}/supersede", supersede, "POST"),
    View(f"{PATH}/{{id:int}}/trust", trust, "POST"),
    *(
        View(f"{PATH}/{{id:int}}/{action}", change(action), "POST")
        for action in ACTIONS
        if action not in ("tag", "forget")
    ),
)
