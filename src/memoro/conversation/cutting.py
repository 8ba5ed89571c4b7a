"""Shorten long tool results: keep head and tail, and mark how much was cut."""

from __future__ import annotations

from collections.abc import Mapping

from memoro.conversation.messages import Message, Raw
from memoro.index.chunk import tokens

_HEAD = 0.6  # share of the head: a result mostly begins with its subject, and ends with its outcome


def is_long(message: Message, limit: int) -> bool:
    return any(part.kind == "result" and tokens(part.text) > limit for part in message.parts)


def shorter(message: Message, limit: int) -> Raw:
    """Return the message with no tool result longer than `limit` tokens; everything else is unchanged."""
    raw = message.raw
    for key in ("content", "output"):
        if key not in raw:
            continue
        whole = message.role == "tool"
        changed = _cut_content(raw[key], limit) if whole else _cut_blocks(raw[key], limit)
        if changed is not raw[key]:
            return {**raw, key: changed}
    return raw


def _cut_blocks(content: object, limit: int) -> object:
    """Shorten the results among the parts of a message."""
    if not isinstance(content, list | tuple):
        return content
    made = []
    for part in content:
        if isinstance(part, Mapping) and str(part.get("type", "")).endswith("tool_result"):
            inner = _cut_content(part.get("content"), limit)
            made.append(part if inner is part.get("content") else {**part, "content": inner})
        else:
            made.append(part)
    return content if all(a is b for a, b in zip(made, content, strict=True)) else made


def _cut_content(content: object, limit: int) -> object:
    if isinstance(content, str):
        return cut(content, limit)
    if not isinstance(content, list | tuple):
        return content
    texts = [_text_of(part) for part in content]
    total = sum(map(tokens, texts))
    if total <= limit:
        return content
    # Each part keeps its share; a small one stays whole.
    return [
        _with_text(part, cut(text, max(limit * tokens(text) // total, 1))) if text else part
        for part, text in zip(content, texts, strict=True)
    ]


def _text_of(part: object) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def _with_text(part: object, text: str) -> object:
    if not isinstance(part, Mapping):
        return text
    return part if part["text"] == text else {**part, "text": text}


def cut(text: str, limit: int) -> str:
    """Return at most `limit` tokens of a text: head, mark and tail; a short text is unchanged."""
    total = tokens(text)
    if total <= limit:
        return text
    # The mark's length depends on the number in it: a number of the same length will do.
    room = limit - tokens(_mark(total)) - 2
    if room < 2:
        return _mark(total).strip() if tokens(_mark(total).strip()) <= limit else ""
    head = _fitting(text, int(room * _HEAD))
    tail = _fitting(text[::-1], room - tokens(head))[::-1]
    head, tail = _at_line(head, end=True), _at_line(tail, end=False)
    return f"{head}{_mark(total - tokens(head) - tokens(tail))}{tail}"


def _mark(gone: int) -> str:
    return f"\n[… {gone:,} tokens cut by memoro …]\n"


def _fitting(text: str, limit: int) -> str:
    """Return the longest beginning that stays just below `limit` tokens."""
    size = 4 * limit
    while size and tokens(text[:size]) > limit:
        size = size * 9 // 10
    return text[:size]


def _at_line(text: str, *, end: bool) -> str:
    """Drop a torn line at the cut, if that costs at most a fifth."""
    if end:
        at = text.rfind("\n")
        return text[:at] if at > len(text) * 0.8 else text
    at = text.find("\n")
    return text[at + 1 :] if 0 <= at < len(text) * 0.2 else text
