"""Codex CLI: `rollout-<time>-<thread>.jsonl`; what is said stands there twice, as items and as events."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import clean, day, get, identity, parts, record
from memoro.transcripts.ports import About, Line, Record, Rewind, Turn

_INJECTED = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<user_shell_command>",
    "<turn_aborted>", "<subagent_notification>", "<skill>", "<codex_internal_context", "<goal_context>",
    "<recommended_plugins>", "<hook_prompt", "<permissions instructions>", "<collaboration_mode>",
)  # fmt: skip
_TEXTS = ("input_text", "output_text", "text", "Text")
_KINDS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
_wanted = re.compile(
    rb'"type":\s*"(?:session_meta|message|user_message|item_completed|thread_rolled_back|thread_name_updated)"'
)


class Codex:
    name = "codex"
    agent: str | None = "codex"
    titles: tuple[str, ...] = ("name", "first")
    continues = True

    def recognises(self, records: Sequence[Record]) -> bool:
        return any(found.get("type") in _KINDS and isinstance(found.get("payload"), dict) for found in records)

    def turns(self, lines: Iterable[Line], about: About) -> Iterator[Turn | Rewind]:
        """Items tell what was said. Of the user's, an event confirms which were typed; where a log has no events,
        all that do not begin like injected ones. A prompt waits for that until the answer to it.
        """
        waiting: list[Turn] = []
        last: Turn | None = None  # the user's, as long as nobody has answered
        for number, line in lines:
            found = record(line) if _wanted.search(line) else None
            payload = found.get("payload") if found else None
            if found is None or not isinstance(payload, dict):
                continue
            match found.get("type"), payload.get("type"):
                case "session_meta", _:
                    _note(payload, about)
                case "event_msg", "thread_name_updated":
                    about.note("name", payload.get("thread_name") or payload.get("name"))
                case "event_msg", "thread_rolled_back":
                    count = payload.get("num_turns")
                    waiting, last = [], None
                    yield Rewind(count if isinstance(count, int) and 0 < count < 1_000_000 else 1)
                case "event_msg", "user_message" | "item_completed":
                    text = _typed(payload)
                    if not text or "skip" in about.known:
                        continue
                    about.note("events", "yes")
                    known = next((turn for turn in waiting if turn.text == text), None)
                    if known is None and last is not None and last.text == text:
                        continue
                    waiting = []
                    last = known or _to_turn("User", text, number, found)
                    about.note("first", text, first=True)
                    yield last
                case "response_item", "message" if "skip" not in about.known:
                    text, role = parts(payload.get("content"), _TEXTS), payload.get("role")
                    if not text:
                        continue
                    if role == "user" and not text.startswith(_INJECTED):
                        waiting.append(_to_turn("User", text, number, found))
                    elif role == "assistant":
                        if "events" not in about.known:
                            for turn in waiting:
                                about.note("first", turn.text, first=True)
                                yield turn
                        waiting, last = [], None
                        yield _to_turn("Assistant", text, number, found)


def _note(payload: Record, about: About) -> None:
    about.note("session", payload.get("session_id") or payload.get("id"), first=True)
    about.folder(payload.get("cwd"))
    source = payload.get("source")
    made = source if isinstance(source, str) else next(iter(source), "") if isinstance(source, dict) else ""
    if made in ("subagent", "internal", "memory_consolidation"):
        about.note("skip", "yes")


def _typed(payload: Record) -> str:
    """What the user typed, if the event is of that."""
    if payload.get("type") == "user_message":
        said = payload.get("message")
        return clean(said) if isinstance(said, str) and not clean(said).startswith(_INJECTED) else ""
    item = payload.get("item")
    text = parts(get(item, "content"), _TEXTS) if get(item, "type") == "UserMessage" else ""
    return "" if text.startswith(_INJECTED) else text


def _to_turn(speaker: str, text: str, number: int, found: Record) -> Turn:
    """Items have no names of their own; a fork copies them with their times."""
    time = found.get("timestamp")
    said = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Turn(speaker, text, number, day(time), identity("codex", time, speaker, said))
