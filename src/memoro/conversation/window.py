"""How full the window of a conversation is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.config import ContextSettings
from memoro.conversation.messages import Conversation, Raw, read
from memoro.errors import ConfigError

# What the large models of today take at least. An adapter that knows its model says so.
WINDOW = 200_000
DEFAULTS = ContextSettings()


class Stats(NamedTuple):
    shape: str  # chat, responses or anthropic
    messages: int
    tokens: int  # by estimate: four Latin characters are one
    window: int
    used: float  # the share of the window
    needs_compaction: bool
    by_role: dict[str, int]  # tokens of system, user, assistant and tool
    by_kind: dict[str, int]  # tokens of text, call, result, thought and media


def stats(messages: Sequence[Raw], window: int = WINDOW, rules: ContextSettings = DEFAULTS) -> Stats:
    return measured(read(messages), checked(window), rules)


def checked(window: int) -> int:
    if window < 1:
        raise ConfigError(
            f"A window of {window} tokens holds nothing. Give the number of tokens that the model takes."
        )
    return window


def measured(talk: Conversation, window: int, rules: ContextSettings) -> Stats:
    by_role: dict[str, int] = {}
    by_kind: dict[str, int] = {}
    for message in talk.messages:
        for part in message.parts:
            role = "tool" if part.kind == "result" else message.role
            by_role[role] = by_role.get(role, 0) + part.tokens
            by_kind[part.kind] = by_kind.get(part.kind, 0) + part.tokens
    total = talk.tokens
    full = total >= rules.compact_at * window and len(talk.messages) >= rules.min_messages
    return Stats(talk.shape, len(talk.messages), total, window, total / window, full, by_role, by_kind)
