"""Measure how full the window of a conversation is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memoro.config import ContextSettings
from memoro.conversation.messages import MessageList, MessageRole, PartKind, Raw, Shape, read
from memoro.errors import ConfigError
from memoro.model.values import require_number

# The least that today's large models accept. An adapter that knows its model passes its window.
WINDOW = 200_000
DEFAULTS = ContextSettings()


class WindowStats(NamedTuple):
    shape: Shape
    messages: int
    tokens: int  # estimated: four Latin characters are one
    window: int
    used: float  # share of the window
    needs_compaction: bool
    by_role: dict[MessageRole, int]  # tokens by role
    by_kind: dict[PartKind, int]  # tokens by kind of part


def stats(messages: Sequence[Raw], window: int = WINDOW, rules: ContextSettings = DEFAULTS) -> WindowStats:
    return measured(read(messages), checked(window), rules)


def checked(window: int) -> int:
    if require_number(window, "window") < 1:
        raise ConfigError(
            f"A window of {window} tokens holds nothing. Pass the number of tokens that the model accepts."
        )
    return window


def measured(parsed: MessageList, window: int, rules: ContextSettings) -> WindowStats:
    by_role: dict[MessageRole, int] = {}
    by_kind: dict[PartKind, int] = {}
    for message in parsed.messages:
        for part in message.parts:
            role: MessageRole = "tool" if part.kind == "result" else message.role
            by_role[role] = by_role.get(role, 0) + part.tokens
            by_kind[part.kind] = by_kind.get(part.kind, 0) + part.tokens
    total = parsed.tokens
    full = total >= rules.compact_at * window and len(parsed.messages) >= rules.min_messages
    return WindowStats(
        shape=parsed.shape,
        messages=len(parsed.messages),
        tokens=total,
        window=window,
        used=total / window,
        needs_compaction=full,
        by_role=by_role,
        by_kind=by_kind,
    )
