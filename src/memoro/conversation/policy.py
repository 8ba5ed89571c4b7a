"""Compact a conversation automatically: an adapter passes every state of it, and sends on what it gets back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memoro.conversation.context import Compaction, ConversationContext
from memoro.conversation.messages import Raw
from memoro.conversation.window import checked
from memoro.errors import NotFlushed

# After a compaction the window must fill by this much before the next one. If the messages that must stay are too
# long already, every message would else trigger another attempt.
_STEP = 0.1
_REMEDY = (
    "Open a home with notes (`memoro.open(home, notes)`), or pass `go_on=True` to `context_policy` to compact "
    "without saving."
)


class ContextPolicy:
    """`m.context_policy(window=…)`: for one conversation."""

    def __init__(self, context: ConversationContext, window: int, session: str | None, go_on: bool) -> None:
        self._context = context
        self._window = checked(window)
        self._session = session
        self._go_on = go_on
        self._given: list[str] = []  # the messages that were replaced,
        self._instead: list[Raw] = []  # and their replacement
        self._not_below = 0.0
        self.done: list[Compaction] = []
        self.degraded: tuple[str, ...] = ()  # why the last call did not compact although it should have

    def seen(self, messages: Sequence[Raw]) -> list[Raw]:
        """Return the messages to send to the model, compacted once they fill `compact_at` of the window.

        Accepts either its last result with new messages appended, or the whole conversation every time: messages
        that were compacted once are replaced by the same ones again.
        """
        self.degraded = ()
        shown = self._with_replaced(messages)
        now = self._context.stats(shown, self._window)
        if not now.needs_compaction or now.tokens < self._not_below:
            return shown
        try:
            done = self._context.compact(shown, self._window, session=self._session, go_on=self._go_on)
        except NotFlushed as error:
            self.degraded = (str(NotFlushed(error.why, _REMEDY)),)
            return shown
        self.degraded = done.degraded
        self._not_below = done.after + _STEP * self._window
        if done.changed:
            self.done.append(done)
            self._given, self._instead = [_as_text(one) for one in messages], done.messages
        return list(done.messages)

    def _with_replaced(self, messages: Sequence[Raw]) -> list[Raw]:
        count = len(self._given)
        if count and len(messages) >= count and [_as_text(one) for one in messages[:count]] == self._given:
            return [*self._instead, *messages[count:]]
        return list(messages)


def _as_text(message: Raw) -> str:
    return json.dumps(message, sort_keys=True, default=str)
