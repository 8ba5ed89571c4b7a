"""The tools: their names, what is said about them, what they take; and the profiles that choose among them.

Every word here is read by a model at the start of each conversation, so each earns its place. The SDK is not
needed for any of this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memoro.errors import QueryError
from memoro.model.vocabulary import EXPERIENCE_TYPES

NOTHING: Any = object()
_KINDS = {"integer": "a whole number", "string": "a string", "number": "a number", "array": "a list of numbers"}
_NUMBER = re.compile(r"(?:memory:|experience:|\[?id:)?(\d{1,18})\]?")


class Parameter(NamedTuple):
    """One argument of a tool. `of` is a JSON type, or "any"."""

    name: str
    of: str = "string"
    about: str = ""
    needed: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    default: Any = NOTHING

    def schema(self) -> dict[str, Any]:
        made: dict[str, Any] = {} if self.of == "any" else {"type": self.of}
        if self.of == "array":
            made["items"] = {"type": "integer"}
        if self.choices:
            made["enum"] = list(self.choices)
        made |= {"minimum": self.least} if self.least is not None else {}
        made |= {"maximum": self.most} if self.most is not None else {}
        made |= {"default": self.default} if self.default is not NOTHING else {}
        return {**made, "description": self.about} if self.about else made


class Tool(NamedTuple):
    name: str
    title: str
    about: str
    takes: tuple[Parameter, ...] = ()
    reads: bool = False  # changes nothing that anybody would notice
    repeatable: bool = False  # done twice with the same arguments, it is as if done once
    destroys: bool = False  # takes something out of its place

    def schema(self) -> dict[str, Any]:
        needed = [one.name for one in self.takes if one.needed]
        made: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema() for one in self.takes}}
        return {**made, **({"required": needed} if needed else {}), "additionalProperties": False}

    def hints(self) -> dict[str, bool]:
        """The annotations of the protocol. Nothing here reaches beyond the home and the vault."""
        if self.reads:
            return {"readOnlyHint": True, "openWorldHint": False}
        return {
            "readOnlyHint": False,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeatable,
            "openWorldHint": False,
        }


def _limit(default: int) -> Parameter:
    return Parameter("limit", "integer", least=1, most=50, default=default)


_MEMORY = Parameter("id", "integer", "N of [id:N]", needed=True)
_TAGS = Parameter("tags", about="comma-separated")

TOOLS = (
    Tool(
        "search",
        "Search notes, conversations and memories",
        "Search the user's notes, past conversations, memories and experiences by words and meaning. Use it when the "
        "answer may lie in what the user wrote, decided or said before. Returns passages with ids for `get`.",
        (
            Parameter("query", about="keywords with synonyms, or a question", needed=True),
            _limit(6),
            Parameter("kind", choices=("note", "transcript", "memory", "experience")),
            Parameter("since", about="2026-03-05, 2026-03 or 'last week'"),
            Parameter("until", about="up to and with"),
            Parameter("path", about="a note, a folder or a pattern with *"),
            Parameter("tag"),
        ),
        reads=True,
    ),
    Tool(
        "get",
        "Read exact text",
        "Read the exact text behind an id from search or recall, of a note (PATH), of its lines (PATH:FROM-TO), or "
        "of memory:N.",
        (
            Parameter("id", about="id or path", needed=True),
            Parameter("around", "integer", "conversation turns before and after", least=0, most=20, default=2),
        ),
        reads=True,
    ),
    Tool(
        "recall",
        "Recall what is relevant",
        "Get the notes, conversations and memories that bear on a message as one block within a token budget. Call "
        "it once when a task begins, with the user's message; an empty block means that nothing is relevant.",
        (
            Parameter("message", needed=True),
            Parameter("budget", "integer", "tokens", least=100, most=20_000, default=3000),
        ),
        reads=True,
    ),
    Tool(
        "memory_store",
        "Store a memory",
        "Keep one fact, decision, preference or correction for later sessions, as a self-contained sentence in clean "
        "spelling. Store what was hard to find out or what the user would not want to say twice. If it answers that "
        "a similar memory exists, prefer memory_update on that one.",
        (Parameter("content", needed=True), _TAGS),
        repeatable=True,
    ),
    Tool(
        "memory_query",
        "Query memories",
        "Find memories by keywords and natural synonyms, not by a question: 'api auth authentication signature hmac'."
        " If that is not enough, query again with other words, 3 rounds at most; then proceed without. Afterwards "
        "reinforce those that helped.",
        (Parameter("query", about="keywords and synonyms", needed=True), _limit(5)),
        reads=True,
    ),
    Tool(
        "memory_reinforce",
        "A memory helped",
        "A memory helped you: it ranks higher from now on (+3).",
        (_MEMORY,),
    ),
    Tool(
        "memory_demote",
        "A memory did not help",
        "A memory was wrong, stale or beside the point: it ranks lower (-1). Use memory_update if you know better.",
        (_MEMORY,),
    ),
    Tool(
        "memory_update",
        "Correct a memory",
        "Correct a memory in place; its rank stays, its history is kept. Give new content, tags or both.",
        (_MEMORY, Parameter("content"), _TAGS),
        repeatable=True,
    ),
    Tool(
        "remove",
        "Remove a memory or an entry",
        "Take out a memory (memory:N), an experience (experience:N) or an entry of a note (^id). The user can undo "
        "it.",
        (Parameter("id", needed=True),),
        repeatable=True,
        destroys=True,
    ),
    Tool(
        "remember",
        "Propose what to know always",
        "Propose a line for the files that every session begins with: semantic (what is true), procedural (how to "
        "work) or pinned. Only for what matters nearly always; the user accepts or rejects it.",
        (
            Parameter("text", about="one sentence", needed=True),
            Parameter("tier", choices=("semantic", "procedural", "pinned"), default="semantic"),
        ),
        repeatable=True,
    ),
    Tool(
        "experience_record",
        "Record how something was done",
        "After a task that took trial and error: keep what was to be done and what worked, or failed, so that you do "
        "not start from nothing next time. Recorded again, it counts as one more use.",
        (
            Parameter("intent", about="what was to be done", needed=True),
            Parameter("solution", "any", "what was done: text, commands or steps", needed=True),
            Parameter("type", choices=EXPERIENCE_TYPES, default="task_solution"),
            Parameter("success", "number", "how well it went", least=0, most=1, default=1),
            _TAGS,
        ),
    ),
    Tool(
        "experience_find",
        "Find how it was done before",
        "Before a task: how similar ones were solved, what failed, and what the user prefers.",
        (Parameter("query", about="what is to be done", needed=True), _TAGS, _limit(5)),
        reads=True,
    ),
    Tool(
        "daily",
        "Add to today's note",
        "Add a line to the user's note of today: what was done, decided or happened. The time is put before it.",
        (Parameter("text", about="one sentence", needed=True),),
    ),
    Tool(
        "narrative_update",
        "Say what is going on",
        "Say in one sentence where the work stands now; it goes on from the last one. Use it when the direction "
        "changes and before you end.",
        (Parameter("summary", needed=True), Parameter("memories", "array", "numbers of the memories it rests on")),
    ),
    Tool(
        "narrative_search",
        "See what was going on",
        "Where the work stood: the latest without a query, one by its number, or those that hold the words.",
        (Parameter("query", about="words, a number, or nothing"), _limit(5)),
        reads=True,
    ),
    Tool(
        "status",
        "State of the memory",
        "What is indexed and stored, what waits for the user's word, and what is not as it should be.",
        reads=True,
    ),
)

PROFILES: dict[str, tuple[str, ...]] = {
    "recall": tuple(tool.name for tool in TOOLS if tool.reads),
    "default": tuple(
        tool.name for tool in TOOLS if tool.name not in ("daily", "narrative_update", "narrative_search", "status")
    ),
    "full": tuple(tool.name for tool in TOOLS),
}


def chosen(profile: str) -> list[Tool]:
    """The tools of a profile, always in the same order: hosts keep what they have read."""
    return [tool for tool in TOOLS if tool.name in PROFILES[profile]]


def tokens(tools: Sequence[Tool]) -> int:
    """About what they cost a model: a quarter of the characters of name, description and schema."""
    written = (tool.name + tool.about + json.dumps(tool.schema(), separators=(",", ":")) for tool in tools)
    return sum(map(len, written)) // 4


def arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a model has given, checked, with the defaults filled in; or a sentence that it can act on."""
    known = {one.name: one for one in tool.takes}
    for name in given:
        if name not in known:
            takes = f"It takes {', '.join(known)}." if known else "It takes none."
            raise QueryError(f"{tool.name} has no argument {name!r}. {takes}")
    checked = {}
    for one in tool.takes:
        value = given.get(one.name)
        if value is None:  # some hosts send null for what the model left out
            if one.needed:
                raise QueryError(f"{tool.name} needs {one.name!r}{f': {one.about}' if one.about else ''}.")
            checked[one.name] = None if one.default is NOTHING else one.default
        else:
            checked[one.name] = _value(tool, one, value)
    return checked


def _value(tool: Tool, one: Parameter, value: Any) -> Any:
    what = f"{one.name!r} of {tool.name}"
    if one.of == "integer":
        value = _whole(value)
    if one.of == "number" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if one.of != "any" and not _fits(one.of, value):
        raise QueryError(f"{what} must be {_KINDS[one.of]}, not {_shown(value)}.")
    if one.choices and value not in one.choices:
        raise QueryError(f"{what} must be one of {', '.join(one.choices)}, not {_shown(value)}.")
    if (one.least is not None and value < one.least) or (one.most is not None and value > one.most):
        raise QueryError(f"{what} must be from {one.least:g} to {one.most:g}, not {_shown(value)}.")
    return value


def _fits(of: str, value: Any) -> bool:
    match of:
        case "string":
            return isinstance(value, str)
        case "number":
            return isinstance(value, float) and value == value
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62
        case _:
            return isinstance(value, list) and all(_fits("integer", _whole(one)) for one in value)


def _whole(value: Any) -> Any:
    """A number as models write it: 5, 5.0, "5", "[id:5]" and "memory:5" mean the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and (digits := _NUMBER.fullmatch(value.strip())):
        return int(digits[1])
    return value


def _shown(value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
