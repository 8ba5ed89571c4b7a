"""Feedback: the owner says that the last answer was wrong, or good."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro import documents
from memoro.errors import ConfigError
from memoro.model.vocabulary import PERSON
from memoro.operations.fields import Field
from memoro.operations.operation import KEY, Argument, Caller, Operation, Tool

if TYPE_CHECKING:
    from memoro.curate.feedback.marking import FeedbackOptions, MarkedAnswer
    from memoro.workspace import Workspace

_SESSION = Field("The id of the session (the current one of the host, else the newest of this project).", "ID")


class MarkWrong(NamedTuple):
    note: Annotated[str | None, Field("The right answer, in one sentence.", "NOTE", words=True)] = None
    session: Annotated[str | None, _SESSION] = None


class MarkGood(NamedTuple):
    note: Annotated[str | None, Field("The reason, in one sentence.", "NOTE", words=True)] = None
    session: Annotated[str | None, _SESSION] = None


def wrong(m: "Workspace", request: MarkWrong, caller: Caller) -> "MarkedAnswer":
    return m.feedback.wrong(_note_of(request), **_options(request.session, caller))


def good(m: "Workspace", request: MarkGood, caller: Caller) -> "MarkedAnswer":
    return m.feedback.good(_note_of(request), **_options(request.session, caller))


def _note_of(request: MarkWrong | MarkGood) -> str:
    """Return the note, which may be left out. An empty one was meant to say something, as of an unset variable."""
    if request.note is not None and not request.note.strip():
        raise ConfigError("The note is empty, so nothing was marked. Write one, or leave it out.")
    return request.note or ""


def _options(session: str | None, caller: Caller) -> "FeedbackOptions":
    by = caller.source if caller.source == PERSON else caller.agent or caller.source
    return {
        "session": session, "folder": caller.folder, "by": by, "connection": caller.session, "key": caller.once,
    }  # fmt: skip


def _document(found: "MarkedAnswer") -> documents.Document:
    entry = found.entry
    return {
        "id": entry.id,
        "kind": entry.kind,
        "new": found.new,
        "at": entry.at,
        "note": entry.note,
        "question": entry.question,
        "answer": entry.answer,
        "project": entry.project,
        "path": entry.path,
        "line": entry.line,
        "session": found.session,
        "host": entry.host,
        "log": entry.log,
        "chosen": found.choice,
        "items": [{"id": item.id, "change": item.change} for item in found.items],
        "daily": found.daily,
        "notices": list(found.notices),
        "undo": {"by": "feedback", "since": found.since},
    }


_ABOUT = "Call it only when the user says so, with their own words as the note."
WRONG = Operation(
    name="wrong", request=MarkWrong, call=wrong, encode=_document, access="write", options=(KEY,),
    help="Memoro saves question and answer in feedback/corrections.md, which searches skip, tells agents your note "
         "as a correction, demotes what was given for the question, and mutes what says otherwise than your note.",
    tool=Tool(
        title="Mark the last answer as wrong",
        about=f"Mark your last answer as wrong. {_ABOUT}",
        takes=(Argument("note", "the right answer"),),
        profile="full",
    ),
)  # fmt: skip
GOOD = Operation(
    name="good", request=MarkGood, call=good, encode=_document, access="write", options=(KEY,),
    help="Memoro saves question and answer in feedback/rewards.md, which searches skip, and reinforces the items "
         "that were given for the question.",
    tool=Tool(
        title="Mark the last answer as good",
        about=f"Mark your last answer as good. {_ABOUT}",
        takes=(Argument("note", "the reason"),),
        profile="full",
    ),
)  # fmt: skip
OPERATIONS = (WRONG, GOOD)
