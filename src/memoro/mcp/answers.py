"""The answers of tools: a text for the model, and the same as a small JSON object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro import documents
from memoro.documents import Document
from memoro.mcp import render
from memoro.model.ledger import tells_staleness
from memoro.model.output_filter import OutputFilter

if TYPE_CHECKING:
    from memoro.curate.extraction.runs import ExtractionRun
    from memoro.curate.feedback.marking import MarkedAnswer
    from memoro.experiences.results import RecordedExperience, SimilarExperiences
    from memoro.mcp.apps.decisions import Decided
    from memoro.mcp.apps.operations import ShownView
    from memoro.mcp.apps.values import TodayView
    from memoro.mcp.tools import AgentTool
    from memoro.memories.results import ChangedMemory, Recollection, Stored
    from memoro.model.answers import Text
    from memoro.model.memories import Memory
    from memoro.notes.daily import DailyLine
    from memoro.notes.entry_files import Remembered
    from memoro.operations.experiences import Preferences
    from memoro.operations.finding import SearchResult
    from memoro.operations.narratives import NarrativeList
    from memoro.operations.operation import Caller
    from memoro.operations.proposals import ProposalList
    from memoro.operations.recalling import RecallResult
    from memoro.operations.upkeep import StatusResult
    from memoro.workspace import Workspace

KEYS, UNDO_KEY = "memoro/keys", "memoro/undo"  # in the `_meta` of an answer to a view


class ToolAnswer(NamedTuple):
    text: str
    structured: Document
    hidden: Document | None = None  # for the view of a host: sent in `_meta`, which no model reads


def call(tool: AgentTool, m: Workspace, request: Any, caller: Caller) -> ToolAnswer:
    """Call a tool's operation and return its answer, filtered.

    The result is filtered first, so that paths and ids are spelled in one way everywhere. The answer is filtered
    again, because joining harmless parts can make a secret.
    """
    filter = OutputFilter(m.secrets())
    result = filter.value(tool.operation.run(m, request, caller._replace(filter=filter)))
    document = tool.operation.document(result)
    return filter.value(_with_staleness(answer(tool, result, document), m.staleness(), document))


def _with_staleness(made: ToolAnswer, stale: str | None, document: Document) -> ToolAnswer:
    """The answer, with why it may be old where it does not say so itself."""
    told = document.get("degraded", ())
    if stale is None or tells_staleness(told):
        return made
    structured = {**made.structured, "degraded": [*told, stale]}
    return made._replace(text=f"{made.text}\n{stale}", structured=structured)


def answer(tool: AgentTool, result: Any, document: Document) -> ToolAnswer:
    """The answer of a tool. A tool that is not in the table below answers with its whole document."""
    make = _ANSWERS.get(tool.name)
    if make is None:
        return ToolAnswer(documents.dumps(compact(document)), compact(document))
    return make(result, document)


def _search(found: SearchResult, document: Document) -> ToolAnswer:
    return ToolAnswer(render.answer(found.answer), compact(_chosen(document, ("results", "mode", "degraded"))))


def _get(found: Text, _document: Document) -> ToolAnswer:
    text, rest = render.cut(found)
    document = documents.plain(found._replace(text=text, around=()))
    return ToolAnswer(render.text(found, text, rest), compact({**document, "more": rest}))


def _recall(found: RecallResult, document: Document) -> ToolAnswer:
    fields = ("id", "kind", "path", "start_line", "end_line", "date", "trust", "score", "project")
    results = [{name: one[name] for name in fields if name in one} for one in document["items"]]
    chosen = {"block": document["block"], "tokens": document["tokens"], "results": results}
    return ToolAnswer(render.recalled(found.recalled), compact({**chosen, "degraded": document["degraded"]}))


def _stored(done: Stored, document: Document) -> ToolAnswer:
    fields = ("id", "content", "tags", "new", "nearest", "superseded", "waiting", "redacted", "degraded")
    return ToolAnswer(render.stored(done), compact(_chosen(document, fields)))


def _queried(found: Recollection, document: Document) -> ToolAnswer:
    fields = (
        *("id", "content", "tags", "score", "feedback", "trust", "source", "created_at", "superseded_by"),
        *("linked_to", "agent", "project", "until", "replaced_by"),
    )
    return ToolAnswer(render.recollection(found), compact(_results(document, fields)))


def _reinforced(memory: Memory, document: Document) -> ToolAnswer:
    return ToolAnswer(render.rated(memory, "Reinforced"), _chosen(document, ("id", "feedback")))


def _demoted(memory: Memory, document: Document) -> ToolAnswer:
    return ToolAnswer(render.rated(memory, "Demoted"), _chosen(document, ("id", "feedback")))


def _updated(done: ChangedMemory, document: Document) -> ToolAnswer:
    fields = _chosen(document, ("id", "content", "tags"))
    if done.proposal is not None:
        fields["proposal"] = done.proposal
    return ToolAnswer(render.updated(done), fields)


def _marked(made: MarkedAnswer, document: Document) -> ToolAnswer:
    fields = ("id", "kind", "new", "question", "session", "items", "notices")
    return ToolAnswer(render.marked(made), compact(_chosen(document, fields)))


def _removed(made: Remembered, document: Document) -> ToolAnswer:
    return ToolAnswer(render.removed(made), compact(document))


def _remembered(made: Remembered, document: Document) -> ToolAnswer:
    return ToolAnswer(render.remembered(made), compact(document))


def _daily(made: DailyLine, document: Document) -> ToolAnswer:
    return ToolAnswer(f"{made.path}: {made.line}", compact(document))


def _recorded(done: RecordedExperience, document: Document) -> ToolAnswer:
    fields = ("id", "type", "intent", "success", "uses", "new", "redacted")
    return ToolAnswer(render.recorded(done), compact(_chosen(document, fields)))


def _preferred(found: Preferences, document: Document) -> ToolAnswer:
    return ToolAnswer(render.preferences(found), compact(document))


def _similar(found: SimilarExperiences, document: Document) -> ToolAnswer:
    fields = (
        *("id", "type", "intent", "outcome", "solution", "success", "weight", "uses", "tags", "trust", "score"),
        *("agent", "project"),
    )
    chosen = _results(document, fields)
    results = [_warning(one) if one["outcome"] == "failed" else one for one in chosen["results"]]
    return ToolAnswer(render.similar(found), compact({**chosen, "results": results}))


def _warning(found: Document) -> Document:
    """Call the solution of a failed experience what it is."""
    return {("failed" if name == "solution" else name): value for name, value in found.items()}


def _narrative(found: NarrativeList, document: Document) -> ToolAnswer:
    return ToolAnswer(render.narrative(found.results[0]), compact(document["results"][0]))


def _narratives(found: NarrativeList, document: Document) -> ToolAnswer:
    return ToolAnswer(render.narratives(found.results), compact(document))


def _status(found: StatusResult, document: Document) -> ToolAnswer:
    fields = ("files", "transcripts", "chunks", "memories", "archived", "synced_at", "mode", "model", "notices")
    counts = {"dirty": len(found.status.dirty), "problems": document["problems"][:20]}
    text = render.status(found.status, found.proposals.waiting)
    return ToolAnswer(text, compact({**_chosen(document, fields), **counts, "proposals": found.proposals.waiting}))


def _extracted(run: ExtractionRun, document: Document) -> ToolAnswer:
    return ToolAnswer(render.extracted(run), compact(document))


def _proposals(found: ProposalList, document: Document) -> ToolAnswer:
    return ToolAnswer(render.proposals(found.proposals), compact(document))


def _today(found: TodayView, _document: Document) -> ToolAnswer:
    figures = {one.label: one.value for one in found.figures}
    return ToolAnswer(render.today(found), {"day": found.day, **figures, "waiting": found.waiting})


def _view(found: ShownView, document: Document) -> ToolAnswer:
    return ToolAnswer("Shown to the user.", document, {KEYS: found.keys} if found.keys else None)


def _decided(made: Decided, _document: Document) -> ToolAnswer:
    hidden = {UNDO_KEY: made.undo_key} if made.undo_key else None
    return ToolAnswer(made.sentence, {"done": made.is_done, "sentence": made.sentence}, hidden)


_ANSWERS: dict[str, Callable[[Any, Document], ToolAnswer]] = {
    "search": _search,
    "get": _get,
    "recall": _recall,
    "memory_store": _stored,
    "memory_query": _queried,
    "memory_reinforce": _reinforced,
    "memory_demote": _demoted,
    "memory_update": _updated,
    "remove": _removed,
    "remember": _remembered,
    "daily": _daily,
    "experience_record": _recorded,
    "experience_prefer": _preferred,
    "experience_find": _similar,
    "narrative_update": _narrative,
    "narrative_search": _narratives,
    "status": _status,
    "wrong": _marked,
    "good": _marked,
    "extract": _extracted,
    "proposals": _proposals,
    "today": _today,
    "app_view": _view,
    "app_decide": _decided,
}


def _chosen(document: Document, names: Sequence[str]) -> Document:
    return {name: document[name] for name in names}


def _results(document: Document, names: Sequence[str]) -> Document:
    return {"results": [_chosen(one, names) for one in document["results"]], "degraded": document["degraded"]}


def compact(document: Document) -> Document:
    """Drop empty values, here and in the results: a host may put the object before a model as it is."""
    return {
        name: [compact(one) for one in value] if name == "results" else value
        for name, value in document.items()
        if name == "results" or value not in (None, "", [])
    }
