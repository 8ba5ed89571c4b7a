"""Writes what hooks have spooled: lines in the daily note, a note of the session, and the log into the index."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoro import hosts
from memoro.conversation.summary import Summary, summarise
from memoro.errors import KeyReused, MemoroError, ProviderError, StoreError, VaultError
from memoro.hooks import spool
from memoro.hooks.answers import records_of
from memoro.hooks.events import Capture, base_variable
from memoro.hooks.scope import with_owner
from memoro.hooks.spool import SpooledCapture
from memoro.model.secrets import redact
from memoro.store.lock import KernelLock
from memoro.transcripts.readers import recognise_lines
from memoro.transcripts.tool_calls import tool_calls
from memoro.vault import logs
from memoro.vault.files import VaultFiles
from memoro.vault.log_sources import agent_folder, log_path

if TYPE_CHECKING:
    from memoro.workspace import Workspace

LOCK = "hooks.lock"
MIN_PROMPTS = 3  # a shorter conversation gets no note; a search still finds it in its log
_TOPICS, _TOPIC_CHARACTERS, _TITLE_CHARACTERS = 12, 120, 80
_SHORTEST_TOPIC = 12  # shorter prompts, such as "yes" and "go on", are no topics
# Decisions and open questions are extracted from the end of a conversation only: a command waits for this.
_LAST_CHARACTERS = 120_000
_SUMMARY_TOKENS = 600
_TURN_WAITS_SECONDS = 60
_TOOL_CHARACTERS = 80
_OWN_TOOLS = ("mcp__memoro__", "memoro__")  # what they wrote is in the vault already
_TEMPORARY = (VaultError, StoreError, ProviderError)  # a later try may work
_TIMESTAMP = re.compile(rb'"(?:timestamp|startTime)":\s*"([^"]{10,40})"')


class CapturedConversation(NamedTuple):
    """A conversation as its log holds it."""

    turns: tuple[tuple[str, str], ...]  # speaker and text
    tools: tuple[str, ...]
    started: datetime | None

    @property
    def prompts(self) -> list[str]:
        return [text for speaker, text in self.turns if speaker == "User"]

    @property
    def title(self) -> str:
        return _first_line(self.prompts[0], _TITLE_CHARACTERS) if self.prompts else ""

    @property
    def topics(self) -> list[str]:
        long_enough = (_first_line(one, _TOPIC_CHARACTERS) for one in self.prompts if len(one) >= _SHORTEST_TOPIC)
        return list(dict.fromkeys(long_enough))[:_TOPICS]

    def summary(self) -> Summary:
        """Return the decisions and the open questions."""
        from memoro.conversation.messages import read as read_messages

        room, last = _LAST_CHARACTERS, []
        for speaker, text in reversed(self.turns):
            room -= len(text)
            if room < 0:
                break
            last.append({"role": "user" if speaker == "User" else "assistant", "content": text})
        return summarise(read_messages(last[::-1]).messages, _SUMMARY_TOKENS)


def write_captures(workspace: Workspace, *, turns: bool = True) -> int:
    """Write the pending events, unless another process does; returns the number of events written.

    An event that was written but not marked, because of a crash, is written again; every write is repeatable.
    Without `turns`, the index is not synced, which can take long: ended turns stay pending.
    """
    home = workspace.home
    if not spool.has_pending(home):
        return 0
    with KernelLock(os.path.join(home, LOCK)).tried() as is_locked:
        if not is_locked:
            return 0
        lines, count = spool.pending(home), 0
        for line in lines:
            if line.capture.kind != "turn" and _try_to_write(workspace, line):
                spool.finish(home, [line])
                count += 1
        if not turns:
            return count
        _sync(workspace, lines)
        ended_turns = [line for line in lines if line.capture.kind == "turn" and _try_to_write(workspace, line)]
        spool.finish(home, ended_turns)
        return count + len(ended_turns)


def is_due(home: str, *, now: float) -> bool:
    """Return whether an event should not wait longer: a session or a context has ended, or a turn a while ago."""

    def has_waited(at: float) -> bool:  # a time in the future is that of a clock that was set back since
        return not 0 <= now - at <= _TURN_WAITS_SECONDS

    return any(line.capture.kind != "turn" or has_waited(line.at) for line in spool.pending(home))


def _try_to_write(workspace: Workspace, line: SpooledCapture) -> bool:
    try:
        _write(workspace, line)
    except _TEMPORARY as error:
        spool.log(workspace.home, f"{line.capture.host} {line.capture.kind} waits: {error}")
        return False
    except Exception as error:  # one unreadable log must not keep the other events from being written
        spool.fail(workspace.home, line, f"{type(error).__name__}: {error}")
        return False
    return True


def _write(workspace: Workspace, line: SpooledCapture) -> None:
    line = line._replace(capture=with_owner(workspace, line.capture))
    capture = line.capture
    base = {base_variable(capture.host): capture.base} if capture.base else {}
    environment = {**workspace.environment, **base}
    if workspace.settings.daily.tool_calls:
        write_tool_calls(workspace, capture, environment)
    if capture.kind == "turn":
        return
    conversation = _without_forgotten(workspace, read(capture.host, capture.log, environment))
    at = datetime.fromtimestamp(line.at, UTC)
    if capture.kind == "compaction":
        title = conversation.title if conversation else ""
        about = title or os.path.basename(capture.folder) or capture.session
        workspace.daily.add(f"compaction — {about}", by=capture.host, at=at, project=capture.project or None)
    if conversation and len(conversation.prompts) >= MIN_PROMPTS:
        _save_episode(workspace, line, conversation)
    if capture.kind == "end":
        for record in records_of(workspace.sessions, capture.session):
            workspace.sessions.archive(record.id)


def _save_episode(workspace: Workspace, line: SpooledCapture, conversation: CapturedConversation) -> None:
    capture, at = line.capture, datetime.fromtimestamp(line.at, UTC)
    # Only at the end: extracted twice, the same decision may be worded differently, and the note would hold both.
    summary = conversation.summary() if capture.kind == "end" else Summary()
    workspace.episodes.save(
        capture.session,
        title=conversation.title,
        started=conversation.started or at,
        channel=capture.host,
        topics=conversation.topics,
        tools=conversation.tools,
        decisions=summary.decisions,
        open=summary.open,
        by=capture.host,
        at=at,
        agent=capture.agent or None,
        project=capture.project or None,
    )


def _sync(workspace: Workspace, lines: Sequence[SpooledCapture]) -> None:
    """Sync if the settings name the logs of one of these agents. If it fails, the next search syncs."""
    sources = {entry.source for entry in workspace.settings.transcripts.entries}
    if sources & {line.capture.host for line in lines}:
        with suppress(MemoroError):
            workspace.sync()


def open_log(agent: str, log: str, environment: Mapping[str, str]) -> tuple[VaultFiles, str] | None:
    """Return the agent's folder of logs and the name of a log in it; None for a file outside of it."""
    name = log_path(agent, log, environment)
    if name is None:
        return None
    folder = agent_folder(agent, environment)
    return VaultFiles(os.path.realpath(folder.folder), transcripts=[folder]), name


def read(agent: str, log: str, environment: Mapping[str, str]) -> CapturedConversation | None:
    """Read a conversation from its log. None for a file outside the agent's own folder of logs."""
    found = open_log(agent, log, environment)
    if found is None:
        return None
    vault, name = found
    try:
        turns = [(turn.speaker, turn.text) for turn in logs.turns(vault, name)]
        with vault.log(name) as opened:
            tools = dict.fromkeys(_tool_names(agent, logs.blocks(opened)))
            started = _TIMESTAMP.search(logs.head(opened))
    except VaultError:
        return None
    return CapturedConversation(tuple(turns), tuple(tools), _parse_time(started[1]) if started else None)


def _without_forgotten(workspace: Workspace, found: CapturedConversation | None) -> CapturedConversation | None:
    """Leave out what its owner has forgotten: the log holds it still, and a note must not bring it back."""
    if found is None or not workspace.has_ledger():
        return found
    hidden = workspace.ledger.access.hidden()
    if not hidden.total:
        return found
    turns = [turn for turn in found.turns if not hidden.holds(f"{turn[0]}: {redact(turn[1]).text}")]
    return found._replace(turns=tuple(turns))


def _tool_names(agent: str, blocks: Iterator[bytes]) -> Iterator[str]:
    """Find the names of the tools that were used. A name that is cut by the end of a block can be missed."""
    known = hosts.of_agent(agent).logs
    if known is None or known.tool_name is None:
        return
    pattern = re.compile(known.tool_name)
    for block in blocks:
        yield from (name.decode() for name in pattern.findall(block))


def write_tool_calls(workspace: Workspace, capture: Capture, environment: Mapping[str, str]) -> None:
    """Add a line to the daily note for each tool call in the log that has none yet; a deleted line stays deleted."""
    found = open_log(capture.host, capture.log, environment)
    if found is None:
        return
    vault, name = found
    try:
        with vault.log(name) as opened:
            if recognise_lines(logs.head(opened)) is not None:
                calls = list(tool_calls(logs.Lines(chain(logs.blocks(opened), [b"\n"]))))
            else:  # one document
                calls = list(tool_calls([(1, b"".join(logs.blocks(opened)))]))
    except VaultError:
        return
    for call in calls:
        if call.name.startswith(_OWN_TOOLS):
            continue
        clean = workspace.ledger.access.clean_replacing
        said = clean(call.text).text  # before it is cut: half a secret is not recognised
        name = clean(call.name).text
        text = f"tool:{name} — {_first_line(said, _TOOL_CHARACTERS)}" if said else f"tool:{name}"
        at = _parse_time((call.at or "").encode()) or datetime.now(UTC)
        with suppress(KeyReused):  # it was written already, before a setting changed what is left out
            workspace.daily.add(
                text,
                by=capture.host,
                at=at,
                key=f"memoro:tool:{capture.session}:{call.id}",
                project=capture.project or None,
            )


def _parse_time(text: bytes) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.decode())
    except ValueError:
        return None
    return found if found.tzinfo else found.astimezone()


def _first_line(text: str, longest: int) -> str:
    line = " ".join(text.strip().split("\n", 1)[0].split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
