"""Writes what hooks have spooled: lines in the daily note, a note of the session, and the log into the index."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from memoro.conversation.log_digest import digest_of_log
from memoro.errors import KeyReused, MemoroError, ProviderError, StoreError, VaultError
from memoro.hooks import spool, unended
from memoro.hooks.answers import records_of
from memoro.hooks.events import Capture, base_variable
from memoro.hooks.feedback import write_feedback
from memoro.hooks.scope import with_owner
from memoro.hooks.spool import SpooledCapture
from memoro.model.session_digest import SessionDigest
from memoro.providers.language.time_limit import within_seconds
from memoro.store.lock import KernelLock
from memoro.transcripts.readers import recognise_lines
from memoro.transcripts.tool_calls import tool_calls
from memoro.vault import logs
from memoro.vault.agent_logs import OpenedLog
from memoro.vault.agent_logs import open_log as open_log
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from memoro.conversation.chosen_lines import LineChooser
    from memoro.workspace import Workspace

LOCK = "hooks.lock"
_LATER = ("turn", "facts")  # what may take long: a sync, the answer of a language model
_TURN_WAITS_SECONDS = 60
_MODEL_SECONDS = 30.0  # of the 50 that a process in the background has: then rules have their turn
_TOOL_CHARACTERS = 80
_OWN_TOOLS = ("mcp__memoro__", "memoro__")  # what they wrote is in the vault already
_TEMPORARY = (VaultError, StoreError, ProviderError)  # a later try may work
_LONG_AFTER = timedelta(hours=1)  # the last word, at which an end counts as an end of the window alone
_TIMESTAMP = re.compile(rb'"(?:timestamp|startTime)":\s*"([^"]{10,40})"')


def write_captures(workspace: Workspace, *, turns: bool = True) -> int:
    """Write the pending events, unless another process does; returns the number of events written.

    An event that was written but not marked, because of a crash, is written again; every write is repeatable.
    Without `turns`, the index is not synced, no facts are extracted and no language model is asked, which can take
    long: turns and facts stay pending, and rules choose the lines of a session's note.
    A session without a turn for a while is noted too: its host may have been killed.
    """
    home = workspace.home
    if not has_work(home, now=time.time()):
        return 0
    with KernelLock(os.path.join(home, LOCK)).tried() as is_locked, within_seconds(_MODEL_SECONDS):
        if not is_locked:
            return 0
        lines, count = spool.pending(home), 0
        choose = workspace.parts.line_chooser() if turns else None
        for line in lines:
            if line.capture.kind not in _LATER and _try_to_write(workspace, line, choose):
                spool.finish(home, [line])
                count += 1
        unended.update(home, [line for line in lines if line.capture.kind not in ("facts", "feedback")])
        count += _note_idle_sessions(workspace, choose)
        if not turns:
            return count
        _sync(workspace, lines)
        # What ended a moment ago asks for facts only now.
        rest = [line for line in spool.pending(home) if line.capture.kind in _LATER]
        written = [line for line in rest if _try_to_write(workspace, line)]
        spool.finish(home, written)
        return count + sum(line.capture.kind == "turn" for line in written)


def has_work(home: str, *, now: float) -> bool:
    """Return whether anything may have to be written; costs two calls of the file system where nothing has."""
    return spool.has_pending(home) or unended.has_idle(home, now=now)


def _note_idle_sessions(workspace: Workspace, choose: LineChooser | None) -> int:
    """Write the notes of sessions that have not gone on for a while, as if they had ended."""
    count = 0
    for line in unended.idle(workspace.home, now=time.time()):
        try:
            _write(workspace, line._replace(capture=_as_pause(line.capture)), choose)
        except _TEMPORARY:
            continue  # it stays on the list
        except Exception as error:  # one unreadable log must not keep the others from being noted
            spool.log(workspace.home, f"{line.capture.host} session {line.capture.session}: {error}")
        unended.drop(workspace.home, [line])
        count += 1
    return count


def _as_pause(capture: Capture) -> Capture:
    """The note is that of a compaction: the session may go on, and its record stays open."""
    return capture._replace(kind="compaction")


def is_due(home: str, *, now: float) -> bool:
    """Return whether an event should not wait longer: a session or a context has ended, or a turn a while ago."""

    def has_waited(at: float) -> bool:  # a time in the future is that of a clock that was set back since
        return not 0 <= now - at <= _TURN_WAITS_SECONDS

    due = any(line.capture.kind != "turn" or has_waited(line.at) for line in spool.pending(home))
    return due or unended.has_idle(home, now=now)


def _try_to_write(workspace: Workspace, line: SpooledCapture, choose: LineChooser | None = None) -> bool:
    try:
        _write(workspace, line, choose)
    except _TEMPORARY as error:
        spool.log(workspace.home, f"{line.capture.host} {line.capture.kind} waits: {error}")
        return False
    except Exception as error:  # one unreadable log must not keep the other events from being written
        spool.fail(workspace.home, line, f"{type(error).__name__}: {error}")
        return False
    return True


def _write(workspace: Workspace, line: SpooledCapture, choose: LineChooser | None = None) -> None:
    line = line._replace(capture=with_owner(workspace, line.capture))
    capture = line.capture
    base = {base_variable(capture.host): capture.base} if capture.base else {}
    environment = {**workspace.environment, **base}
    if capture.kind == "facts":
        _extract_facts(workspace, capture, environment)
        return
    if capture.kind == "feedback":
        write_feedback(workspace, line, open_log(capture.host, capture.log, environment))
        return
    if workspace.settings.daily.tool_calls:
        write_tool_calls(workspace, capture, environment)
    if capture.kind == "turn":
        return
    found = _digest(workspace, capture, environment, choose)
    if found and found.digest:
        _save_episode(workspace, line, found)
    if found and workspace.settings.extract.enabled:  # by a later pass: no host waits for it
        spool.append(workspace.home, line.capture._replace(kind="facts"), now=line.at)
    if capture.kind == "end":
        for record in records_of(workspace.sessions, capture.session):
            workspace.sessions.archive(record.id)


def _extract_facts(workspace: Workspace, capture: Capture, environment: Mapping[str, str]) -> None:
    """Take facts out of what was said since the last time."""
    found = open_log(capture.host, capture.log, environment)
    if found is None or not workspace.settings.extract.enabled:
        return
    done = workspace.extraction.of_log(
        OpenedLog(*found), agent=capture.agent or None, project=capture.project or None, session=capture.session
    )
    for notice in done.notices:
        spool.log(workspace.home, f"{capture.host} facts of session {capture.session}: {notice}")


class _CapturedSession(NamedTuple):
    digest: SessionDigest
    started: datetime | None
    last: datetime | None = None  # when something was said last


def _digest(
    workspace: Workspace, capture: Capture, environment: Mapping[str, str], choose: LineChooser | None
) -> _CapturedSession | None:
    """Return what the session was about, by its log. None for a file outside the agent's own folder of logs.

    Where the language model fails that should choose its lines, rules do, and the log of hooks says why.
    """
    found = open_log(capture.host, capture.log, environment)
    if found is None:
        return None
    vault, name = found
    hidden = workspace.ledger.access.hidden() if workspace.has_ledger() else None
    try:
        made = digest_of_log(vault, name, hidden, choose)
    except ProviderError as error:
        spool.log(
            workspace.home, f"{capture.host} session {capture.session}: rules chose the lines of its note. {error}"
        )
        made = digest_of_log(vault, name, hidden)
    return _CapturedSession(made, _started(vault, name), _last(vault, name)) if made else None


def _started(vault: VaultFiles, name: str) -> datetime | None:
    try:
        with vault.log(name) as opened:
            found = _TIMESTAMP.search(logs.head(opened))
    except VaultError:
        return None
    return _parse_time(found[1]) if found else None


def _last(vault: VaultFiles, name: str) -> datetime | None:
    from memoro.unasked.past_sessions import last_time  # few captures need it

    found = last_time(vault, name)
    return datetime.fromisoformat(found) if found else None


def _save_episode(workspace: Workspace, line: SpooledCapture, found: _CapturedSession) -> None:
    capture, at = line.capture, datetime.fromtimestamp(line.at, UTC)
    if found.last and at - found.last > _LONG_AFTER:  # a window was closed days after the conversation
        at = found.last
    workspace.episodes.write(
        capture.session,
        found.digest,
        started=found.started or at,
        channel=capture.host,
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
