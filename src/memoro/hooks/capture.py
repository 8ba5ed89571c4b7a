"""Writing what hooks have noted down: a line in the day, a note of the session, its conversation made findable."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.conversation.summary import Summary, summarise
from memoro.errors import MemoroError, ProviderError, StoreError, VaultError
from memoro.hooks import spool
from memoro.hooks.answers import parts
from memoro.hooks.events import COMPACTION, END, HOSTS, TURN
from memoro.hooks.spool import Line
from memoro.store.lock import KernelLock
from memoro.vault import hosts, logs
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from memoro.workspace import Workspace

LOCK = "hooks.lock"
MIN_PROMPTS = 3  # a shorter conversation is worth no note; it is found in its log all the same
_TOPICS, _TOPIC_CHARACTERS, _TITLE_CHARACTERS = 12, 120, 80
_SHORTEST_TOPIC = 12  # "yes" and "go on" are none
# What was decided and what is open is looked for in the last of what was said: a command waits for it at its end.
_LAST_CHARACTERS = 120_000
_SUMMARY_TOKENS = 600
_WAIT = (VaultError, StoreError, ProviderError)  # another time it may work
_TOOL = {
    "claude": re.compile(rb'"type":\s*"tool_use"[^{}]*?"name":\s*"([\w.:-]{1,60})"'),
    "codex": re.compile(rb'"type":\s*"(?:custom_tool_call|function_call)"[^{}]*?"name":\s*"([\w.:-]{1,60})"'),
    "gemini": re.compile(rb'"toolCalls":\s*\[[^\]]*?"name":\s*"([\w.:-]{1,60})"'),
}
_timestamp = re.compile(rb'"(?:timestamp|startTime)":\s*"([^"]{10,40})"')


class Said(NamedTuple):
    """What a conversation was about, as far as that can be told without understanding it."""

    turns: tuple[tuple[str, str], ...]  # who spoke, and what was said
    tools: tuple[str, ...]
    started: datetime | None

    @property
    def prompts(self) -> list[str]:
        return [text for speaker, text in self.turns if speaker == "User"]

    @property
    def title(self) -> str:
        return _short(self.prompts[0], _TITLE_CHARACTERS) if self.prompts else ""

    @property
    def topics(self) -> list[str]:
        long_enough = (_short(one, _TOPIC_CHARACTERS) for one in self.prompts if len(one) >= _SHORTEST_TOPIC)
        return list(dict.fromkeys(long_enough))[:_TOPICS]

    def summary(self) -> Summary:
        """What was decided, and what is left open."""
        from memoro.conversation.messages import read as as_messages

        room, last = _LAST_CHARACTERS, []
        for speaker, text in reversed(self.turns):
            room -= len(text)
            if room < 0:
                break
            last.append({"role": "user" if speaker == "User" else "assistant", "content": text})
        return summarise(as_messages(last[::-1]).messages, _SUMMARY_TOKENS)


def work_off(workspace: Workspace, *, turns: bool = True) -> int:
    """Write what was noted down, unless somebody else is at it; how many lines are done with.

    A line that was written and not marked, because the power went, is written again: all of it can be. Without
    `turns`, conversations are not made findable, which can take a while: they wait for the next one to come.
    """
    home = workspace.home
    if not spool.is_waiting(home):
        return 0
    with KernelLock(os.path.join(home, LOCK)).tried() as mine:
        if not mine:
            return 0
        lines, done = spool.waiting(home), 0
        for line in lines:
            if line.capture.kind != TURN and _written(workspace, line):
                spool.finish(home, [line])
                done += 1
        if not turns:
            return done
        _sync(workspace, lines)
        ended = [line for line in lines if line.capture.kind == TURN]
        spool.finish(home, ended)
        return done + len(ended)


def is_due(home: str, *, now: float) -> bool:
    """Whether there is something that should not wait: a session has ended, or turns for a while ago."""
    return any(line.capture.kind != TURN or now - line.at > 60 for line in spool.waiting(home))


def _written(workspace: Workspace, line: Line) -> bool:
    try:
        _write(workspace, line)
    except _WAIT as error:
        spool.log(workspace.home, f"{line.capture.host} {line.capture.kind} waits: {error}")
        return False
    except Exception as error:  # nothing that a log holds may keep the others from being written
        spool.fail(workspace.home, line, f"{type(error).__name__}: {error}")
        return False
    return True


def _write(workspace: Workspace, line: Line) -> None:
    capture = line.capture
    base = {HOSTS[capture.host].variable: capture.base} if capture.base else {}
    said = read(capture.host, capture.log, {**workspace.environment, **base})
    at = datetime.fromtimestamp(line.at, UTC)
    about = (said.title if said else "") or os.path.basename(capture.folder) or capture.session
    if capture.kind == COMPACTION:
        workspace.daily.add(f"compaction — {about}", by=capture.host, at=at)
    if said and len(said.prompts) >= MIN_PROMPTS:
        # At the end alone: later on the same decision may be told in other words, and would stand there twice.
        found = said.summary() if capture.kind == END else Summary()
        workspace.episodes.save(
            capture.session,
            title=said.title,
            started=said.started or at,
            channel=capture.host,
            topics=said.topics,
            tools=said.tools,
            decisions=found.decisions,
            open=found.open,
            by=capture.host,
            at=at,
        )
    if capture.kind == END:
        _archive(workspace, capture.session)


def _archive(workspace: Workspace, session: str) -> None:
    """The record of what was given to it is put out of the way; all of it stays."""
    for part in parts(workspace.sessions, session):
        workspace.sessions.archive(part.id)


def _sync(workspace: Workspace, lines: Sequence[Line]) -> None:
    """Make what was said findable, if its owner wants that. Where it fails, the next search does it."""
    kept = {entry.source for entry in workspace.settings.transcripts.entries}
    if kept & {line.capture.host for line in lines}:
        with suppress(MemoroError):
            workspace.sync()


def read(host: str, log: str, environment: Mapping[str, str]) -> Said | None:
    """What was said in a log; None for one that is not where this host keeps its logs, whatever it says."""
    name = hosts.log_path(host, log, environment)
    if name is None:
        return None
    folder = hosts.HOSTS[host](environment)
    vault = VaultFiles(os.path.realpath(folder.folder), transcripts=[folder])
    try:
        turns = [(turn.speaker, turn.text) for turn in logs.turns(vault, name)]
        with vault.log(name) as opened:
            tools = dict.fromkeys(_tools(logs.blocks(opened), _TOOL[host]))
            started = _timestamp.search(logs.head(opened))
    except VaultError:
        return None
    return Said(tuple(turns), tuple(tools), _moment(started[1]) if started else None)


def _tools(blocks: Iterator[bytes], pattern: re.Pattern[bytes]) -> Iterator[str]:
    """The names of tools that were used; one that is cut by the end of a block may be missed."""
    for block in blocks:
        yield from (name.decode() for name in pattern.findall(block))


def _moment(said: bytes) -> datetime | None:
    try:
        found = datetime.fromisoformat(said.decode())
    except ValueError:
        return None
    return found if found.tzinfo else found.astimezone()


def _short(text: str, longest: int) -> str:
    line = " ".join(text.strip().split("\n", 1)[0].split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
