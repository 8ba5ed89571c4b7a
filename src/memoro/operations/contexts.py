"""A conversation's own window: how full it is, and making it shorter."""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from memoro import documents
from memoro.conversation.window import WINDOW
from memoro.errors import ConversationUnreadable
from memoro.operations.fields import Field
from memoro.operations.operation import SESSION, Caller, Operation

if TYPE_CHECKING:
    from memoro.conversation.context import Compaction
    from memoro.conversation.window import WindowStats
    from memoro.workspace import Workspace

_MESSAGES = Field("The conversation: a JSON list of messages.", stdin=True)
_WINDOW = Field(f"How many tokens the model takes ({WINDOW}).", "N")


class MeasureContext(NamedTuple):
    messages: Annotated[object, _MESSAGES]
    window: Annotated[int, _WINDOW] = WINDOW


class ContextUse(NamedTuple):
    stats: "WindowStats"
    compact_at: float  # the share of the window at which compaction is due


def stats(m: "Workspace", request: MeasureContext, _caller: Caller) -> ContextUse:
    found = m.context.stats(_checked(request.messages), request.window)
    return ContextUse(found, m.settings.context.compact_at)


def _used(found: ContextUse) -> documents.Document:
    document: documents.Document = documents.plain(found.stats)
    return document


class CompactContext(NamedTuple):
    messages: Annotated[object, _MESSAGES]
    window: Annotated[int, _WINDOW] = WINDOW
    dry_run: Annotated[bool, Field("Only show what would be shortened.")] = False
    flush: Annotated[bool, Field("Do not save dropped messages to the notes first.")] = True
    go_on: Annotated[
        bool, Field("Drop messages even if the notes cannot be written.", flags=("--force", "--go-on"))
    ] = False


def compact(m: "Workspace", request: CompactContext, caller: Caller) -> "Compaction":
    return m.context.compact(
        _checked(request.messages), request.window, session=caller.session, flush=request.flush, go_on=request.go_on,
        dry_run=request.dry_run,
    )  # fmt: skip


def _checked(messages: object) -> list[dict[str, Any]]:
    if not isinstance(messages, list):
        raise ConversationUnreadable(
            "The conversation is not a list of messages. Give the list itself, as `jq .messages` takes it out of a "
            "request."
        )
    return messages


STATS = Operation(
    name="context stats", request=MeasureContext, call=stats, encode=_used, access="read",
    summary="Count the tokens of the messages on standard input.",
)  # fmt: skip
COMPACT = Operation(
    name="context compact", request=CompactContext, call=compact, encode=documents.compaction, access="write",
    summary="Shorten the messages on standard input, and print them as JSON.",
    options=(SESSION._replace(help="The id of the session, for its episode."),),
)  # fmt: skip
OPERATIONS = (STATS, COMPACT)
