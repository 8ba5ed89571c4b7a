"""Each tool: call one operation of the workspace, and say what came of it, to a model and to a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from memoro import documents
from memoro.mcp import render
from memoro.recall.request import RecallRequest
from memoro.workspace import Workspace

AGENT = "agent"  # the source of all that comes through here: believed as an agent is, and asks where agents ask
_BRACKETED = re.compile(r"\[?id:(\d{1,18})\]?")

Arguments = Mapping[str, Any]


class Caller(NamedTuple):
    """Who calls, as far as it is known."""

    agent: str | None = None
    session: str | None = None  # notes which memories were given together; None: leave no trace
    key: str | None = None  # names one write, so that asking for it again does nothing
    request: str | None = None  # names this request on its connection: sent again, it is the same write

    @property
    def once(self) -> str | None:
        """The key of a write that would count twice. What repeats itself without harm needs none."""
        return self.key or self.request


class Said(NamedTuple):
    text: str
    structured: dict[str, Any]


Call = Callable[[Workspace, Caller, Arguments], Said]


def _search(m: Workspace, _caller: Caller, given: Arguments) -> Said:
    kind, path, tag = (given[name] or () for name in ("kind", "path", "tag"))
    answer = m.search(
        given["query"],
        limit=given["limit"],
        kind=kind,
        path=path,
        tag=tag,
        since=given["since"],
        until=given["until"],
    )
    document = documents.answer(answer)
    found = {"results": document["results"], "mode": answer.mode, "degraded": document["degraded"]}
    return Said(render.answer(answer), compact(found))


def _get(m: Workspace, _caller: Caller, given: Arguments) -> Said:
    by_id = given["id"].startswith("transcript:") and "#" in given["id"]
    found = m.get(target(given["id"]), around=given["around"] if by_id else 0)
    text, rest = render.cut(found)
    document = compact(documents.text(found._replace(text=text, around=())))
    return Said(render.text(found, text, rest), {**document, **({"more": rest} if rest else {})})


def _recall(m: Workspace, caller: Caller, given: Arguments) -> Said:
    found = m.recaller.recall(
        RecallRequest(
            given["message"],
            budget=given["budget"],
            proactive=False,
            session=caller.session,
            key=caller.once if caller.session else None,
            repeat=True,  # the agent asks in so many words: it may be given again what it was given before
        )
    )
    document = documents.recalled(found)
    fields = ("id", "kind", "path", "start_line", "end_line", "date", "trust", "score")
    results = [compact({name: one[name] for name in fields}) for one in document["items"]]
    told = {"block": found.block, "tokens": found.tokens, "results": results, "degraded": document["degraded"]}
    return Said(render.recalled(found), compact(told))


def _memory_store(m: Workspace, caller: Caller, given: Arguments) -> Said:
    done = m.memories.store(
        given["content"], given["tags"] or (), source=AGENT, session=caller.session, key=caller.key
    )
    kept = documents.stored(done)
    chosen = {name: kept[name] for name in ("id", "content", "tags", "new", "similar", "redacted")}
    return Said(render.stored(done), compact(chosen))


def _memory_query(m: Workspace, caller: Caller, given: Arguments) -> Said:
    found = m.memories.query(given["query"], given["limit"], session=caller.session)
    document = documents.recollection(found)
    fields = ("id", "content", "tags", "score", "feedback", "trust", "source", "created_at", "superseded_by")
    results = [{name: one[name] for name in fields} for one in document["results"]]
    return Said(render.recollection(found), compact({"results": results, "degraded": document["degraded"]}))


def _memory_reinforce(m: Workspace, caller: Caller, given: Arguments) -> Said:
    memory = m.memories.reinforce(given["id"], session=caller.session, source=AGENT, key=caller.once)
    return Said(render.weighed(memory, "Reinforced"), {"id": memory.id, "feedback": memory.feedback})


def _memory_demote(m: Workspace, caller: Caller, given: Arguments) -> Said:
    memory = m.memories.demote(given["id"], session=caller.session, source=AGENT, key=caller.once)
    return Said(render.weighed(memory, "Demoted"), {"id": memory.id, "feedback": memory.feedback})


def _memory_update(m: Workspace, caller: Caller, given: Arguments) -> Said:
    memory = m.memories.update(given["id"], given["content"], given["tags"], source=AGENT, key=caller.key)
    kept = {"id": memory.id, "content": memory.content, "tags": list(memory.tags)}
    return Said(f"Updated {render.memory(memory)}", kept)


def _remove(m: Workspace, caller: Caller, given: Arguments) -> Said:
    made = m.remove(target(given["id"]).removeprefix("^"), by=AGENT, key=caller.once)
    return Said(render.removed(made), compact(documents.remembered(made)))


def _remember(m: Workspace, _caller: Caller, given: Arguments) -> Said:
    made = m.remember(given["text"], tier=given["tier"], by=AGENT)
    return Said(render.remembered(made), compact(documents.remembered(made)))


def _daily(m: Workspace, caller: Caller, given: Arguments) -> Said:
    made = m.daily.add(given["text"], by=AGENT, key=caller.once)
    return Said(f"{made.path}: {made.line}", compact({**made._asdict(), "redacted": list(made.redacted)}))


def _experience_record(m: Workspace, caller: Caller, given: Arguments) -> Said:
    done = m.experiences.record(
        given["type"], given["intent"], given["solution"], success=given["success"], tags=given["tags"] or (),
        source=AGENT, session=caller.session, key=caller.once,
    )  # fmt: skip
    kept = documents.recorded(done)
    chosen = {name: kept[name] for name in ("id", "type", "intent", "success", "uses", "new", "redacted")}
    return Said(render.recorded(done), compact(chosen))


def _experience_find(m: Workspace, _caller: Caller, given: Arguments) -> Said:
    found = m.experiences.find_similar(given["query"], given["tags"] or (), given["limit"])
    document = documents.similar(found)
    fields = ("id", "type", "intent", "solution", "success", "weight", "uses", "tags", "trust", "score")
    results = [{name: one[name] for name in fields} for one in document["results"]]
    return Said(render.similar(found), compact({"results": results, "degraded": document["degraded"]}))


def _narrative_update(m: Workspace, caller: Caller, given: Arguments) -> Said:
    told = m.narratives.update(
        given["summary"], given["memories"] or (), session=caller.session, source=AGENT, key=caller.once
    )
    return Said(render.narrative(told), compact(documents.narrative(told)))


def _narrative_search(m: Workspace, _caller: Caller, given: Arguments) -> Said:
    found = m.narratives.search(given["query"], given["limit"])
    told = [compact({**documents.narrative(one.narrative), "score": round(one.score, 6)}) for one in found]
    return Said(render.narratives([one.narrative for one in found], given["query"]), {"results": told})


def _status(m: Workspace, _caller: Caller, _given: Arguments) -> Said:
    found, waiting = m.status(), render.waiting(m)
    document = documents.status(found)
    fields = ("files", "transcripts", "chunks", "memories", "archived", "synced_at", "mode", "model", "notices")
    chosen = {name: document[name] for name in fields}
    told = {**chosen, "dirty": len(found.dirty), "problems": document["problems"][:20], "proposals": waiting}
    return Said(render.status(found, waiting), compact(told))


CALLS: dict[str, Call] = {
    "search": _search,
    "get": _get,
    "recall": _recall,
    "memory_store": _memory_store,
    "memory_query": _memory_query,
    "memory_reinforce": _memory_reinforce,
    "memory_demote": _memory_demote,
    "memory_update": _memory_update,
    "remove": _remove,
    "remember": _remember,
    "daily": _daily,
    "experience_record": _experience_record,
    "experience_find": _experience_find,
    "narrative_update": _narrative_update,
    "narrative_search": _narrative_search,
    "status": _status,
}


def target(given: str) -> str:
    """What is meant by an id as models repeat it: [id:5] is memory:5."""
    found = _BRACKETED.fullmatch(given.strip())
    return f"memory:{found[1]}" if found else given.strip()


def compact(document: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing, in itself and in its results: a host may put this before a model as it is."""
    return {
        name: [compact(one) for one in value] if name == "results" else value
        for name, value in document.items()
        if name == "results" or value not in (None, "", [])
    }
