"""Sessions of the OpenAI Agents SDK in the ledger: they survive, and what was said in them is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from memoro.model.items import Item, Put
from memoro.model.memories import MAX_NAME
from memoro.workspace import Workspace

STORE = "openai-agents"
FORGOTTEN = "[forgotten]"  # stands where exactly this was forgotten before
_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_SUMMARY = "s"  # after the number of the last item that a summary stands for


class MemoroSession:
    """`Runner.run(agent, "…", session=MemoroSession("ada", m))`.

    Items come back exactly as they were added, in order, but for secrets. What user and assistant said is found by
    every search; calls of tools and what they gave are not.
    """

    def __init__(self, session_id: str, m: Workspace, *, session_settings: Any = None) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._m = m

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The conversation as a model is to see it, or its last `limit` items, oldest first."""
        return await asyncio.to_thread(self._get, self._limit(limit))

    async def add_items(self, items: Sequence[Any]) -> None:
        if items:
            await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> Any | None:
        """Take out the newest item."""
        taken = await asyncio.to_thread(self._m.items.pop, STORE, (self.session_id,))
        return json.loads(taken.value) if taken else None

    async def clear_session(self) -> None:
        """Take out the whole conversation, also what was compacted; `memoro undo` brings it back."""
        await asyncio.to_thread(self._m.items.clear, STORE, (self.session_id,))

    def _limit(self, limit: int | None) -> int | None:
        if limit is not None or self.session_settings is None:
            return limit
        settings = self.session_settings
        found: int | None = settings.get("limit") if isinstance(settings, dict) else settings.limit
        return found

    def _get(self, limit: int | None) -> list[Any]:
        seen = [json.loads(item.value) for item in self._in_view()]
        if limit is None or limit < 0:  # as the SDK's own session takes it
            return seen
        return seen[-limit:] if limit else []

    def _in_view(self) -> list[Item]:
        """From the last summary on: what it stands for stays in the ledger, and is found."""
        items = self._m.items.below(STORE, (self.session_id,), by_key=True)
        summaries = [place for place, item in enumerate(items) if _SUMMARY in item.key]
        return items[summaries[-1] :] if summaries else items

    def _add(self, items: Sequence[Any]) -> None:
        self._m.items.append(STORE, [self._put(item) for item in items])

    def _put(self, item: Any) -> Put:
        if (text := said(item)) and self._m.items.was_forgotten(text):
            item = _blanked(item)
        return Put((self.session_id,), "-", item, said, session=self.session_id[:MAX_NAME], tags=(STORE,))


def said(item: Any) -> str | None:
    """What a user or an assistant says in an item, with who says it; None for all else."""
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
