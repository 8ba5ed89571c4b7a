"""Compacting a conversation, after what goes has been kept in notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memoro.config import Context
from memoro.conversation.compacting import Plan, plan
from memoro.conversation.messages import Raw
from memoro.conversation.summary import Summary
from memoro.conversation.window import WINDOW, Stats, stats
from memoro.errors import MemoroError, NotFlushed
from memoro.ledger.access import Once
from memoro.model.results import FlushResult
from memoro.notes.services import Writing

BY = "compaction"  # who writes, in the journal


class Compaction(NamedTuple):
    messages: list[Raw]
    before: int  # tokens
    after: int
    target: int
    dropped: int  # messages for which the summary stands
    cut: int  # tool results made shorter
    summary: Summary
    conversation: str
    note: str | None = None  # the episode that keeps what was dropped
    why: str = ""  # nothing was done, or the target was not reached
    degraded: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.dropped or self.cut)

    @property
    def reached(self) -> bool:
        return self.after <= self.target


class ConversationContext:
    """`m.context`: how full a conversation is, and making it shorter."""

    def __init__(self, rules: Context, writing: Callable[[], Writing]) -> None:
        self.rules = rules
        self._writing = writing

    def stats(self, messages: Sequence[Raw], window: int = WINDOW) -> Stats:
        return stats(messages, window, self.rules)

    def compact(
        self,
        messages: Sequence[Raw],
        window: int = WINDOW,
        *,
        session: str | None = None,
        flush: bool = True,
        go_on: bool = False,
        dry_run: bool = False,
    ) -> Compaction:
        """The messages made to fit the target, once what is dropped is in the notes.

        Where that cannot be written, nothing is dropped and `NotFlushed` is raised; with `go_on` it is dropped
        and `degraded` says so.
        """
        made = plan(messages, window, self.rules, session)
        done = Compaction(
            list(made.messages), made.before, made.after, made.target, len(made.dropped), made.cut, made.summary,
            made.conversation, why=made.why,
        )  # fmt: skip
        if not made.changes or not flush or dry_run:
            return done
        try:
            return done._replace(note=self._flush(made))
        except MemoroError as error:
            if not go_on:
                raise NotFlushed(str(error)) from error
            return done._replace(degraded=(f"notes: what was dropped could not be written to them. {error}",))

    def _flush(self, made: Plan) -> str | None:
        """Keep what a plan would lose, once for the same loss: an episode, and a line in the note of the day.

        The key is noted last: after a crash all is done again, and finds what is there.
        """
        writing = self._writing()
        access = writing.journaled.access
        once = Once(made.key, (), FlushResult)
        known = access.done(once)
        if known is not None:
            return self._still_there(writing, known.note)
        note = None
        if made.dropped:
            said = made.summary
            note = writing.episodes.save(
                made.conversation, title=made.title, topics=said.topics, tools=said.tools,
                decisions=said.decisions, open=said.open, by=BY,
            ).path  # fmt: skip
        self._tell(writing, made)
        access.once(once, lambda _tx: FlushResult(note or ""))
        return note

    def _still_there(self, writing: Writing, note: str) -> str | None:
        """A note that its owner has taken back or deleted is not written again."""
        return note if note and writing.journaled.bytes_of(note) is not None else None

    def _tell(self, writing: Writing, made: Plan) -> None:
        what = f"{len(made.dropped)} messages" if made.dropped else f"{made.cut} tool results cut"
        text = f"compacted: {made.title} — {what}, {made.before:,} → {made.after:,} tokens"
        day = writing.journaled.access.now().astimezone().date()
        said = (writing.journaled.bytes_of(writing.daily.path(day)) or b"").decode("utf-8", "replace")
        if text not in said:
            writing.daily.add(text, by=BY)
