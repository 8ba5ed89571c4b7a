"""ChatGPT export: `conversations.json`, a list of trees of messages."""

from __future__ import annotations

from collections.abc import Iterator

from memoro.transcripts.clean import clean, day, elements, get, identity
from memoro.transcripts.ports import LogFacts, LoggedConversation, Turn, Unread

_SIDES = {"user": "User", "assistant": "Assistant"}
_CONTENT = ("text", "multimodal_text")


class ChatGptReader:
    name = "chatgpt"
    agent: str | None = "chatgpt"
    titles: tuple[str, ...] = ("title", "first")

    def recognises(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{")) and b'"mapping"' in head

    def conversations(self, data: bytes) -> Iterator[LoggedConversation | Unread]:
        for number, found in enumerate(elements(data.decode("utf-8-sig", "replace")), 1):
            if isinstance(found, Unread):
                yield found
                continue
            about = LogFacts()
            about.note("title", get(found, "title"))
            name = get(found, "conversation_id") or get(found, "id")
            turns = tuple(_turns(found, about))
            if turns:
                yield LoggedConversation(name if isinstance(name, str) and name else f"{number}", about, turns)


def _turns(found: object, about: LogFacts) -> Iterator[Turn]:
    """Yield the turns from the first message to the current one; the user abandoned the other branches."""
    started = day(get(found, "create_time"))
    for number, node in enumerate(_path(found), 1):
        message = get(node, "message")
        side = _SIDES.get(str(get(message, "author", "role")))
        recipient = get(message, "recipient")
        if (
            side is None
            or recipient not in (None, "all")
            or get(message, "metadata", "is_visually_hidden_from_conversation")
            or get(message, "content", "content_type") not in _CONTENT
        ):
            continue
        listed = get(message, "content", "parts")
        text = clean("\n".join(part for part in listed if isinstance(part, str))) if isinstance(listed, list) else ""
        if text:
            if side == "User":
                about.note("first", text, first=True)
            date = day(get(message, "create_time")) or started
            name = identity("chatgpt", get(message, "id"))
            yield Turn(speaker=side, text=text, line=number, date=date, id=name)


def _path(found: object) -> list[object]:
    mapping, current = get(found, "mapping"), get(found, "current_node")
    if not isinstance(mapping, dict):
        return []
    if not isinstance(current, str) or current not in mapping:
        leaves = [name for name, node in mapping.items() if not get(node, "children")]
        current = leaves[-1] if leaves else None
    path: list[object] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        path.append(mapping[current])
        current = get(mapping[current], "parent")
    return [node for node in reversed(path) if get(node, "message")]
