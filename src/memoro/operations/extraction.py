"""Extraction: the facts that the owner stated in conversations."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.model.vocabulary import PERSON
from memoro.operations.fields import Field
from memoro.operations.operation import Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.curate.extraction.runs import ConversationFacts, ExtractionRun
    from memoro.workspace import Workspace


class ExtractFacts(NamedTuple):
    logs: Annotated[
        tuple[str, ...],
        Field(
            "A conversation: its log file, the path that a search shows, or the id of its session (the newest "
            "conversation not yet extracted).",
            "LOG",
            positional=True,
        ),
    ] = ()
    since: Annotated[str | None, Field("All conversations since this day.", "WHEN")] = None
    dry_run: Annotated[bool, Field("Only list the facts.")] = False


def extract(m: "Workspace", request: ExtractFacts, caller: Caller) -> "ExtractionRun":
    from memoro.curate.extraction.runs import ExtractionRequest
    from memoro.model.time_phrases import span

    first = span(request.since, today=m.today()).first.isoformat() if request.since else None
    return m.extraction.run(
        ExtractionRequest(logs=request.logs, since=first, dry_run=request.dry_run, by_person=caller.source == PERSON)
    )


def _document(run: "ExtractionRun") -> documents.Document:
    return {
        "dry_run": run.dry_run,
        "model": run.has_model,
        "conversations": [_conversation(one) for one in run.conversations],
        "left_out": [{"path": one.path, "day": one.day, "why": one.why} for one in run.left_out],
    }


def _conversation(one: "ConversationFacts") -> documents.Document:
    places = {kept.fact: kept for kept in one.kept}
    known = set(one.known)
    facts = []
    for fact in (*one.facts, *one.known):
        kept = places.get(fact)
        facts.append(
            {
                "text": fact.text,
                "kind": fact.kind,
                "line": fact.evidence.line,
                "date": fact.evidence.date,
                "speaker": fact.evidence.speaker,
                "score": fact.score,
                "is_new": fact not in known,
                "note": kept.note if kept else None,
                "memory": kept.memory if kept else None,
            }
        )
    return {
        "path": one.path,
        "day": one.day,
        "project": one.project,
        "by": one.by,
        "facts": facts,
        "proposals": list(one.proposals),
        "omitted": documents.plain(one.omitted),
        "notices": list(one.notices),
    }


EXTRACT = Operation(
    name="extract", request=ExtractFacts, call=extract, encode=_document, access="write", is_repeatable=True,
    completes_sessions=True,
    help="Facts are sentences of yours, at most `extract.max_facts` a conversation. Each becomes a line in the "
         'daily note of its day, marked [extracted]; with `extract.to = "memories"`, also a memory. A line that '
         "you delete stays deleted. Hooks do the same when a session ends or is compacted.",
    tool=Tool(
        title="Extract facts",
        about="Write facts the user stated in a conversation to the daily notes.",
        takes=(
            Argument("logs", "session ids; default: the newest conversation not extracted yet"),
            Argument("dry_run", "only list them"),
        ),
        profile="full",
    ),
)  # fmt: skip
OPERATIONS = (EXTRACT,)
