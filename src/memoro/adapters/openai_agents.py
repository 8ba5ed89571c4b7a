"""Sessions of the OpenAI Agents SDK in the ledger: they survive, are found, and keep within a model's window."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from memoro.errors import MemoroError
from memoro.model.items import Item, ItemPut
from memoro.model.memories import MAX_NAME
from memoro.model.output_filter import OutputFilter
from memoro.workspace import Workspace

STORE = "openai-agents"
FORGOTTEN = "[forgotten]"  # stands where exactly this was forgotten before
_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_SUMMARY = "s"  # in a key: after the number of the last item that a summary stands for
_DIGITS = 12  # of that number


class MemoroSession:
    """`Runner.run(agent, "…", session=MemoroSession("ada", m))`.

    Items come back exactly as they were added, in order, but for secrets. What user and assistant said is found by
    every search; calls of tools and what they gave are not. When the conversation fills `context.compact_at` of
    `window`, in tokens, older items give place to a summary; they stay in the ledger, and are found.
    """

    def __init__(
        self, session_id: str, m: Workspace, *, window: int | None = None, session_settings: Any = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self.degraded: tuple[str, ...] = ()  # what was not as it should be when it was last compacted
        self._m = m
        # Nothing is lost where notes cannot be written: what goes from view is in the ledger.
        self._policy = m.context_policy(window, session=session_id, go_on=True)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The conversation as a model is to see it, or its last `limit` items, oldest first."""
        return await asyncio.to_thread(self._get, self._limit(limit))

    async def add_items(self, items: Sequence[Any]) -> None:
        if items:
            await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> Any | None:
        """Remove and return the newest item."""
        taken = await asyncio.to_thread(self._m.items.pop, STORE, (self.session_id,))
        return self._shown(taken) if taken else None

    async def clear_session(self) -> None:
        """Remove the whole conversation, compacted items too; `memoro undo` brings it back."""
        await asyncio.to_thread(self._m.items.clear, STORE, (self.session_id,))

    def _limit(self, limit: int | None) -> int | None:
        if limit is not None or self.session_settings is None:
            return limit
        settings = self.session_settings
        found: int | None = settings.get("limit") if isinstance(settings, dict) else settings.limit
        return found

    def _get(self, limit: int | None) -> list[Any]:
        seen = [self._shown(item) for item in self._in_view()]
        if limit is None or limit < 0:  # as the SDK's own session takes it
            return seen
        return seen[-limit:] if limit else []

    def _shown(self, item: Item) -> Any:
        """An item as a model may read it."""
        return OutputFilter(self._m.secrets()).value(json.loads(item.value))

    def _in_view(self) -> list[Item]:
        """The items from the last summary on. The items it summarises stay in the ledger, and searches find them."""
        items = self._m.items.below(STORE, (self.session_id,), by_key=True)
        summaries = [_compaction(item) for item in items if _SUMMARY in item.key]
        return [item for item in items if item.key >= summaries[-1]] if summaries else items

    def _add(self, items: Sequence[Any]) -> None:
        self._m.items.append(STORE, [self._put(item) for item in items])
        try:
            self._compact()
            self.degraded = self._policy.degraded
        except MemoroError as error:  # what was added is kept, and the run goes on
            self.degraded = (str(error),)

    def _compact(self) -> None:
        items = self._in_view()
        before = [json.loads(item.value) for item in items]
        after = self._policy.seen(before)
        if after == before:
            return
        kept = 0
        while kept < min(len(before), len(after)) and before[-1 - kept] == after[-1 - kept]:
            kept += 1
        if len(after) == len(before):  # long results of tools were cut
            changed = [(items[i].key, after[i]) for i in range(len(after)) if after[i] != before[i]]
        else:
            last = items[-1 - kept]
            times = int(_compaction(last)[_DIGITS + 1 :]) + 1 if _SUMMARY in last.key else 0
            start = f"{last.key[:_DIGITS]}{_SUMMARY}{times:03}"
            changed = [(f"{start}.{i:03}", one) for i, one in enumerate(after[: len(after) - kept])]
        session = self.session_id[:MAX_NAME]
        self._m.items.put(STORE, [ItemPut((self.session_id,), key, value, session=session) for key, value in changed])

    def _put(self, item: Any) -> ItemPut:
        if (text := said(item)) and self._m.items.was_forgotten(text):
            item = _blanked(item)
        return ItemPut(
            namespace=(self.session_id,),
            key="-",
            value=item,
            says=said,
            session=self.session_id[:MAX_NAME],
            tags=(STORE,),
        )


def _compaction(summary: Item) -> str:
    """The prefix of every key that one compaction has written."""
    return summary.key.partition(".")[0]


def said(item: Any) -> str | None:
    """The text of a user or an assistant in an item, with the speaker; None for any other item."""
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        return None
    speaker, content = _SPEAKERS.get(str(item.get("role"))), item.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and part.get("text"))
    return f"{speaker}: {content}" if speaker and isinstance(content, str) and content.strip() else None


def _blanked(item: dict[str, Any]) -> dict[str, Any]:
    content = item["content"]
    if isinstance(content, str):
        return {**item, "content": FORGOTTEN}
    return {**item, "content": [{**part, "text": FORGOTTEN} if "text" in part else part for part in content]}
