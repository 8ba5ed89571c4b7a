"""Compact a conversation after saving to notes what would be dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypedDict, Unpack

from memoro.config import ContextSettings
from memoro.conversation.chosen_lines import LineChooser
from memoro.conversation.compacting import CompactionPlan, plan
from memoro.conversation.messages import Raw, read
from memoro.conversation.summary import Summary
from memoro.conversation.window import WINDOW, WindowStats, stats
from memoro.errors import MemoroError, NotFlushed, ProviderError
from memoro.ledger.access import Once
from memoro.model.results import FlushResult
from memoro.notes.lazy import LazyNotes
from memoro.notes.services import NoteServices
from memoro.transcripts.clean import clean
from memoro.transcripts.ports import Turn

BY = "compaction"  # the author in the journal


class Compaction(NamedTuple):
    messages: list[Raw]
    before: int  # tokens
    after: int
    target: int
    dropped: int  # messages that the summary replaces
    cut: int  # shortened tool results
    summary: Summary  # as the messages show it; the episode may have more lines
    conversation: str
    note: str | None = None  # the episode that keeps the dropped messages
    why: str = ""  # why nothing was done, lines are missing in the summary, or the target was not reached
    degraded: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.dropped or self.cut)

    @property
    def reached(self) -> bool:
        return self.after <= self.target


class CompactionOptions(TypedDict, total=False):
    session: str | None  # names the conversation in the notes
    flush: bool  # False: drop without saving to the notes
    go_on: bool  # drop even if the notes cannot be written
    dry_run: bool


ExtractTurns = Callable[[str, Sequence[Turn]], tuple[str, ...]]  # of a conversation by its name; returns notices
_SPEAKERS = {"user": "User", "assistant": "Assistant"}


def turns_of(messages: Sequence[Raw]) -> list[Turn]:
    """Return what was said in messages, without Memoro's own blocks; a turn's line is the number of its message."""
    parsed = enumerate(read(messages).messages, 1)
    said = [(number, _SPEAKERS.get(one.role), clean(one.text())) for number, one in parsed]
    return [Turn(speaker, text, number) for number, speaker, text in said if speaker and text]


class ConversationContext:
    """`m.context`: measure and compact a conversation."""

    def __init__(
        self,
        rules: ContextSettings,
        notes: LazyNotes,
        extract: ExtractTurns | None = None,
        chooser: Callable[[], LineChooser | None] = lambda: None,
    ) -> None:
        """`chooser` returns what a language model says about lines; None where none may be asked."""
        self.rules = rules
        self._notes = notes
        self._extract = extract  # None: the owner wants no facts extracted
        self._chooser = chooser

    def stats(self, messages: Sequence[Raw], window: int = WINDOW) -> WindowStats:
        return stats(messages, window, self.rules)

    def compact(
        self,
        messages: Sequence[Raw],
        window: int = WINDOW,
        **options: Unpack[CompactionOptions],
    ) -> Compaction:
        """Return the messages compacted to the target, after saving to the notes what is dropped.

        If the notes cannot be written, nothing is dropped and `NotFlushed` is raised; with `go_on` the messages are
        dropped and `degraded` says so. A language model that the owner set chooses the lines of the summary; where it
        fails, rules do, and `degraded` says so too.
        """
        made, degraded = self._plan(messages, window, options.get("session"))
        done = Compaction(
            messages=list(made.messages),
            before=made.before,
            after=made.after,
            target=made.target,
            dropped=len(made.dropped),
            cut=made.cut,
            summary=made.summary,
            conversation=made.conversation,
            why=made.why,
            degraded=degraded,
        )
        if not made.changes or not options.get("flush", True) or options.get("dry_run", False):
            return done
        try:
            kept = done._replace(note=self._flush(made))
            if not made.dropped:
                return kept
            return kept._replace(degraded=(*degraded, *self._extracted(made.conversation, messages)))
        except MemoroError as error:
            if not options.get("go_on", False):
                raise NotFlushed(str(error)) from error
            lost = f"notes: the dropped messages could not be saved. {error}"
            return done._replace(degraded=(*degraded, lost))

    def _plan(
        self, messages: Sequence[Raw], window: int, session: str | None
    ) -> tuple[CompactionPlan, tuple[str, ...]]:
        """Return the plan, and why a model did not choose its lines although it should have."""
        try:
            return plan(messages, window, self.rules, session, self._chooser()), ()
        except ProviderError as error:
            made = plan(messages, window, self.rules, session)
            return made, (f"summary: rules chose its lines, because the language model could not. {error}",)

    def _extracted(self, conversation: str, messages: Sequence[Raw]) -> tuple[str, ...]:
        """Take facts out of the conversation, and return what went wrong: a compaction never fails because of it."""
        if self._extract is None:
            return ()
        try:
            return self._extract(conversation, turns_of(messages))
        except MemoroError as error:
            return (f"facts: {error}",)

    def _flush(self, made: CompactionPlan) -> str | None:
        """Save what a plan would lose, once for the same loss: an episode, and a line in the daily note.

        The key is recorded last: after a crash everything is done again, and finds what is there.
        """
        writing = self._notes.services
        access = writing.journaled.access
        once = Once(made.key, (), FlushResult)
        known = access.done(once)
        if known is not None:
            return self._still_there(writing, known.note)
        note = None
        if made.dropped:
            summary = made.whole

            def clean(texts: Iterable[str]) -> list[str]:
                return [access.clean_replacing(text).text for text in texts]

            note = writing.episodes.save(
                made.conversation, title=clean([made.title])[0], topics=clean(summary.topics),
                tools=clean(summary.tools), decisions=clean(summary.decisions), open=clean(summary.open), by=BY,
            ).path  # fmt: skip
        self._add_daily_line(writing, made)
        access.once(once, lambda _tx: FlushResult(note or ""))
        return note

    def _still_there(self, writing: NoteServices, note: str) -> str | None:
        """Return the note if it still exists: one that its owner undid or deleted is not written again."""
        return note if note and writing.journaled.bytes_of(note) is not None else None

    def _add_daily_line(self, writing: NoteServices, made: CompactionPlan) -> None:
        what = f"{len(made.dropped)} messages" if made.dropped else f"{made.cut} tool results cut"
        title = writing.journaled.access.clean_replacing(made.title).text
        text = f"compacted: {title} — {what}, {made.before:,} → {made.after:,} tokens"
        day = writing.journaled.access.now().astimezone().date()
        note = (writing.journaled.bytes_of(writing.daily.path(day)) or b"").decode("utf-8", "replace")
        if text not in note:
            writing.daily.add(text, by=BY, key=f"{made.key}:daily")
