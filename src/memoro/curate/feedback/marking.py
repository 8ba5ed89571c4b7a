"""Feedback on an answer: kept in the vault, with its effect on what was given for the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from memoro.curate.feedback.contradicted_answers import newest_contradicted, place_contradicted, says_already
from memoro.curate.feedback.corrected_items import place_meant
from memoro.curate.feedback.current_conversation import (
    ConversationChoice,
    ConversationSources,
    CurrentConversation,
    find_conversation,
    project_meant,
)
from memoro.curate.feedback.item_marking import ItemMarking, ItemMarks, MarkedItem
from memoro.curate.feedback.last_exchange import ExchangeBounds, LoggedExchange, last_exchanges, read_turns
from memoro.errors import SessionNotFound, VaultError
from memoro.hosts import is_started_by_agent, session_of
from memoro.ledger.access import LedgerAccess, Once
from memoro.model import feedback as rules
from memoro.model.entry_ids import free_id
from memoro.model.feedback import SOURCE, FeedbackEntry, daily_text, feedback_in, shortened
from memoro.model.fence import without_fenced
from memoro.model.memories import stamp
from memoro.model.options import reject_unknown
from memoro.model.results import EntryResult
from memoro.model.sessions import RecordedRecall
from memoro.model.values import require_storable
from memoro.model.vocabulary import PERSON, FeedbackKind
from memoro.notes.daily import Daily
from memoro.notes.feedback_files import FeedbackFiles
from memoro.sessions.recording import SessionRecorder
from memoro.sessions.records import records_of
from memoro.vault.entries import plain

if TYPE_CHECKING:
    from typing import Unpack

    from memoro.transcripts.ports import Turn

_COMPARED = 500  # characters by which a message of the log is recognised in the record

NO_LOG = "No log of this conversation was found, so the answer is not kept: only what was given is known."
NOTHING_GIVEN = "Nothing was given for this question, so no score changes."
OF_ITS_OWN = (
    "No answer of the last conversations says otherwise; kept as a correction of its own. `--session ID` names one."
)
_MOST_CONVERSATIONS = 10  # that are read for the answer that a note is about


class FeedbackOptions(TypedDict, total=False):
    """Which answer is meant, and who says so."""

    session: str | None  # the conversation; by default that of the host, else the newest
    folder: str | None  # in which the caller works: the newest conversation of its project
    by: str  # the person by default; else an agent, whose user said so
    connection: str | None  # the session of an agent's tools: what they recalled was given too
    key: str | None


class MarkedAnswer(NamedTuple):
    """An answer that was marked."""

    entry: FeedbackEntry
    new: bool  # False: the same was said about this answer before
    session: str | None  # the conversation; None: of a correction of its own
    choice: ConversationChoice  # what said that it is meant
    items: tuple[MarkedItem, ...]
    daily: str | None  # the line in the daily note
    notices: tuple[str, ...]
    since: str  # from when on `undo --by feedback` reverts it


class Marking(NamedTuple):
    """What is to be said about which conversation, by whom and when."""

    kind: FeedbackKind
    note: str
    at: datetime
    bounds: ExchangeBounds = ExchangeBounds()
    by: str = PERSON
    connection: str | None = None
    key: str | None = None


class _Said(NamedTuple):
    """The last exchanges of a conversation, and all that it was given."""

    exchanges: Sequence[LoggedExchange]
    recalls: Sequence[RecordedRecall] = ()
    notices: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.exchanges]


_NOTHING_SAID = _Said([LoggedExchange("", "", 0)], (), (OF_ITS_OWN,))


class FeedbackParts(NamedTuple):
    access: LedgerAccess
    items: ItemMarking
    daily: Daily
    files: FeedbackFiles


class AnswerFeedback:
    """`m.feedback`."""

    def __init__(self, parts: FeedbackParts, sources: ConversationSources) -> None:
        self._parts = parts
        self._sources = sources
        self._recorder = SessionRecorder(parts.access)

    @property
    def files(self) -> FeedbackFiles:
        """The files that keep it: all, archive."""
        return self._parts.files

    def wrong(self, note: str = "", **options: Unpack[FeedbackOptions]) -> MarkedAnswer:
        """The last answer was wrong: keep it as a correction, and demote what was given for its question.

        Each memory and experience is demoted once in a conversation. `FeedbackOptions` explains the options.
        """
        return self._give("wrong", note, options)

    def good(self, note: str = "", **options: Unpack[FeedbackOptions]) -> MarkedAnswer:
        """The last answer was good: keep it as a reward, and reinforce what was given for its question."""
        return self._give("good", note, options)

    def _give(self, kind: FeedbackKind, note: str, options: FeedbackOptions) -> MarkedAnswer:
        reject_unknown(kind, options, FeedbackOptions.__optional_keys__)
        by = options.get("by", PERSON)
        marking = Marking(
            kind=kind,
            note=require_storable(note, "note"),
            at=self._parts.access.now(),
            by=by,
            connection=options.get("connection"),
            key=options.get("key"),
        )
        environment = self._sources.environment
        is_running = by != PERSON or is_started_by_agent(environment)
        is_other = options.get("session") not in (None, session_of(environment))
        bounds = ExchangeBounds(in_progress=is_running and not is_other)
        marking = marking._replace(bounds=bounds)
        found = find_conversation(self._sources, options.get("session"), options.get("folder"))
        for conversation in found:
            if said := self._said(conversation, marking):
                if conversation.choice == "newest" and _is_of_another(marking, said):
                    older = islice(found, _MOST_CONVERSATIONS)
                    return self._mark_older(older, marking, options.get("folder"))
                return self._mark_meant(conversation, marking, said)
        raise SessionNotFound("No question and answer were found to mark. Name a conversation with --session.")

    def _mark_older(self, older: Iterable[CurrentConversation], marking: Marking, folder: str | None) -> MarkedAnswer:
        """Mark the newest answer of older conversations that the note contradicts; else keep the note by itself."""
        ended = marking._replace(bounds=ExchangeBounds())
        for conversation in older:
            said = self._said(conversation, ended)
            place = newest_contradicted(marking.note, said.texts) if said else None
            if said and place is not None:
                return self._mark(conversation._replace(choice="about"), ended, said, place)
        return self._keep_alone(marking, project_meant(self._sources, folder))

    def _keep_alone(self, marking: Marking, project: str | None) -> MarkedAnswer:
        """Keep a note that is about none of the last answers as a correction of its own."""
        return self._mark(CurrentConversation("", project=project, choice="none"), marking, _NOTHING_SAID, 0)

    def mark(self, conversation: CurrentConversation, marking: Marking) -> MarkedAnswer | None:
        """Mark the last answer of a conversation; None where nothing was asked in it. Done twice, it is done once."""
        said = self._said(conversation, marking)
        return self._mark_meant(conversation, marking, said) if said else None

    def _said(self, conversation: CurrentConversation, marking: Marking) -> _Said | None:
        """Return what was said last in a conversation by its log, else by its record; None where nothing was."""
        recalls = self._recalls(conversation.session, marking.connection)
        if logged := self._logged(conversation, marking):
            return _Said(logged, recalls)
        asked = [LoggedExchange(one.recalled.message, "", 0) for one in recalls if _is_message(one)]
        return _Said(asked, recalls, (NO_LOG,)) if asked else None

    def _mark_meant(self, conversation: CurrentConversation, marking: Marking, said: _Said) -> MarkedAnswer:
        if marking.kind == "good":
            return self._mark(conversation, marking, said, place_meant(marking.note, said.texts))
        place = place_contradicted(marking.note, said.texts)
        if place is None and says_already(marking.note, said.texts[-1]):
            return self._keep_alone(marking, conversation.project)
        return self._mark(conversation, marking, said, len(said.texts) - 1 if place is None else place)

    def _mark(self, conversation: CurrentConversation, marking: Marking, told: _Said, place: int) -> MarkedAnswer:
        access, files = self._parts.access, self._parts.files
        since = stamp(access.now())
        said, recalls, notices = told.exchanges[place], told.recalls, told.notices
        entry = self._entry(conversation, marking, said)
        once = Once(marking.key, ("feedback", marking.kind, marking.note), EntryResult)
        marked = MarkedAnswer(
            entry=entry, new=False, session=entry.session, choice=conversation.choice, items=(), daily=None,
            notices=notices, since=since,
        )  # fmt: skip
        if kept := files.first(once):
            return marked._replace(entry=_standing(files.all(), kept) or entry._replace(id=kept.id or ""))
        marks = ItemMarks(entry, recalls, _given_for(said.question, recalls, access))
        with access.one_command():
            return self._carried_out(marked, marks, marking, once)

    def _carried_out(
        self, marked: MarkedAnswer, marks: ItemMarks, marking: Marking, once: Once[EntryResult]
    ) -> MarkedAnswer:
        entry, files = marked.entry, self._parts.files
        items = tuple(self._parts.items.mark(marks))
        if not items and marked.choice != "none":
            marked = marked._replace(notices=(*marked.notices, NOTHING_GIVEN))
        if standing := _said_before(files.all(), entry):
            return marked._replace(entry=standing, items=items)
        key = f"{marking.key or f'memoro:feedback:{entry.id}'}:daily"
        text = daily_text(entry)
        line = self._parts.daily.add(text, by=SOURCE, at=marking.at, key=key, project=entry.project).line
        return marked._replace(entry=files.add(entry, once=once).entry, new=True, items=items, daily=line)

    def _logged(self, conversation: CurrentConversation, marking: Marking) -> list[LoggedExchange]:
        if conversation.log is None:
            return []
        try:
            logged = read_turns(*conversation.log, marking.bounds.size)
        except VaultError:
            return []
        hidden = self._parts.access.hidden()

        def hides(turn: Turn) -> bool:
            return hidden.covers(turn.speaker, turn.text)

        return last_exchanges(logged, marking.bounds, hides)

    def _recalls(self, *sessions: str | None) -> list[RecordedRecall]:
        """Return all that a conversation was given, in order."""
        with self._parts.access.ledger.reading() as tx:
            records = [one for session in dict.fromkeys(sessions) if session for one in records_of(tx, session)]
        found = [recall for record in records for recall in self._recorder.recalls(record.id)]
        return sorted(found, key=lambda one: one.number)

    def _entry(self, conversation: CurrentConversation, marking: Marking, said: LoggedExchange) -> FeedbackEntry:
        def clean(text: str, most: int) -> str:
            return shortened(plain(self._parts.access.clean_replacing(without_fenced(text)).text), most)

        log = conversation.log
        local = marking.at.astimezone()
        entry = FeedbackEntry(
            id="",
            kind=marking.kind,
            at=f"{local:%Y-%m-%dT%H:%M}",
            note=clean(marking.note, rules.NOTE_CHARACTERS),
            question=clean(said.question, rules.QUESTION_CHARACTERS),
            answer=clean(said.answer, rules.ANSWER_CHARACTERS),
            project=conversation.project,
            session=conversation.session or None,
            host=conversation.host,
            log=f"{log.path}:{said.line}" if log and said.line else None,
            by=marking.by,
        )
        words = "\n".join((marking.kind, entry.session or "", stamp(marking.at), entry.note, entry.question))
        return entry._replace(id=free_id(words))


def _standing(entries: Sequence[FeedbackEntry], kept: EntryResult) -> FeedbackEntry | None:
    """Return the entry that was added with a key, unless its owner has taken it out since."""
    return next((one for one in entries if one.id == kept.id), None)


def _said_before(entries: Sequence[FeedbackEntry], wanted: FeedbackEntry) -> FeedbackEntry | None:
    """Return the entry that says the same about the same exchange. One without a note says no more than another."""
    same = rules.same_exchange(entries, wanted)
    return next((one for one in same if wanted.note in ("", one.note)), None)


def _is_of_another(marking: Marking, said: _Said) -> bool:
    """Return whether a note says that something is wrong which no answer of a conversation said."""
    return marking.kind == "wrong" and place_contradicted(marking.note, said.texts) is None


def _is_message(recall: RecordedRecall) -> bool:
    message = recall.recalled.message.strip()
    return not recall.unasked and bool(message) and feedback_in(message) is None


def _given_for(question: str, recalls: Sequence[RecordedRecall], access: LedgerAccess) -> list[RecordedRecall]:
    """Return the recalls that answered a message: the last time that it was said."""
    wanted = _compared(access.clean_replacing(question).text)
    asked = [one for one in recalls if _is_message(one)]
    found: list[RecordedRecall] = []
    for one in reversed(asked):
        if _compared(one.recalled.message) == wanted:
            found.append(one)
        elif found:
            break
    return found[::-1] if wanted else []


def _compared(text: str) -> str:
    return " ".join(text.split())[:_COMPARED]
