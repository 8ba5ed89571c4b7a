"""Codex CLI: `rollout-<time>-<thread>.jsonl`, which holds each message twice, as an item and as an event."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from memoro.transcripts.clean import clean, day, get, identity, parts, record
from memoro.transcripts.ports import LogFacts, NumberedLine, Record, Rewind, Turn

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


class CodexReader:
    name = "codex"
    agent: str | None = "codex"
    titles: tuple[str, ...] = ("name", "first")
    continues = True

    def recognises(self, records: Sequence[Record]) -> bool:
        return any(found.get("type") in _KINDS and isinstance(found.get("payload"), dict) for found in records)

    def turns(self, lines: Iterable[NumberedLine], about: LogFacts) -> Iterator[Turn | Rewind]:
        rollout = _Rollout(about)
        for number, line in lines:
            found = record(line) if _wanted.search(line) else None
            payload = found.get("payload") if found else None
            if found is not None and isinstance(payload, dict):
                yield from rollout.turns(found, payload, number)


class _Rollout:
    """The state of reading a rollout.

    Turns come from items. An event confirms that the user typed a prompt; in a log without events, every prompt
    counts that does not begin like injected text. So a prompt waits until its answer is read.
    """

    def __init__(self, about: LogFacts) -> None:
        self._about = about
        self._waiting: list[Turn] = []  # prompts that no event has confirmed yet
        self._last: Turn | None = None  # the last confirmed prompt, until it is answered

    def turns(self, found: Record, payload: Record, number: int) -> Iterator[Turn | Rewind]:
        match found.get("type"), payload.get("type"):
            case "session_meta", _:
                _note(payload, self._about)
            case "event_msg", "thread_name_updated":
                self._about.note("name", payload.get("thread_name") or payload.get("name"))
            case "event_msg", "thread_rolled_back":
                count = payload.get("num_turns")
                self._waiting, self._last = [], None
                yield Rewind(count if isinstance(count, int) and 0 < count < 1_000_000 else 1)
            case "event_msg", "user_message" | "item_completed" if "skip" not in self._about.known:
                yield from self._confirmed(found, _typed_text(payload), number)
            case "response_item", "message" if "skip" not in self._about.known:
                yield from self._message(found, payload, number)

    def _confirmed(self, found: Record, text: str, number: int) -> Iterator[Turn]:
        """An event says that the user typed this text."""
        if not text:
            return
        self._about.note("events", "yes")
        known = next((turn for turn in self._waiting if turn.text == text), None)
        if known is None and self._last is not None and self._last.text == text:
            return
        self._waiting = []
        self._last = known or _to_turn("User", text, number, found)
        self._about.note("first", text, first=True)
        yield self._last

    def _message(self, found: Record, payload: Record, number: int) -> Iterator[Turn]:
        text, role = parts(payload.get("content"), _TEXTS), payload.get("role")
        if text and role == "user" and not text.startswith(_INJECTED):
            self._waiting.append(_to_turn("User", text, number, found))
        elif text and role == "assistant":
            if "events" not in self._about.known:
                for turn in self._waiting:
                    self._about.note("first", turn.text, first=True)
                    yield turn
            self._waiting, self._last = [], None
            yield _to_turn("Assistant", text, number, found)


def _note(payload: Record, about: LogFacts) -> None:
    about.note("session", payload.get("session_id") or payload.get("id"), first=True)
    about.folder(payload.get("cwd"))
    about.remote(get(payload.get("git"), "repository_url"))
    source = payload.get("source")
    made = source if isinstance(source, str) else next(iter(source), "") if isinstance(source, dict) else ""
    if made in ("subagent", "internal", "memory_consolidation"):
        about.note("skip", "yes")


def _typed_text(payload: Record) -> str:
    """Return the text that the user typed; empty if the event is about something else."""
    if payload.get("type") == "user_message":
        message = payload.get("message")
        return clean(message) if isinstance(message, str) and not clean(message).startswith(_INJECTED) else ""
    item = payload.get("item")
    text = parts(get(item, "content"), _TEXTS) if get(item, "type") == "UserMessage" else ""
    return "" if text.startswith(_INJECTED) else text


def _to_turn(speaker: str, text: str, number: int, found: Record) -> Turn:
    """Make a turn with an id from its time and text: items have no ids, and a fork copies their times."""
    time = found.get("timestamp")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    name = identity("codex", time, speaker, digest)
    return Turn(speaker=speaker, text=text, line=number, date=day(time), id=name)
