"""Finds the conversation that feedback is about: the one that is named, that of the host, or the newest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro import hosts
from memoro.errors import SessionNotFound, VaultError
from memoro.ledger.access import LedgerAccess
from memoro.model.memories import stamp
from memoro.model.notes import WITHIN, file_of
from memoro.model.projects import Project, short_name
from memoro.model.scope import Scope
from memoro.model.vocabulary import LOGS
from memoro.sessions.records import records_of
from memoro.vault.files import VaultFiles
from memoro.vault.log_sources import agent_folder

if TYPE_CHECKING:
    pass

_MOST_LOGS = 30  # that are opened to find the newest of a project
_MOST_RECORDS = 50
_SHORT_ID = 8  # characters of a session's id that the name of a log has at least

# What said which conversation is meant; "none": no recent one speaks of what the owner said.
ConversationChoice = Literal["named", "host", "newest", "about", "none"]


class ConversationLog(NamedTuple):
    vault: VaultFiles
    path: str  # as a search names it


class CurrentConversation(NamedTuple):
    session: str
    log: ConversationLog | None = None
    project: str | None = None
    host: str | None = None  # as `connect` calls it
    choice: ConversationChoice = "named"


class ConversationSources(NamedTuple):
    """Where conversations are known from."""

    access: LedgerAccess
    vault: Callable[[], VaultFiles]  # with the logs that the settings name; raises without a vault
    environment: Mapping[str, str]
    scope: Scope  # what the caller sees
    project_of: Callable[[str], Project | None]  # of a working folder


class _KnownLog(NamedTuple):
    log: ConversationLog
    written: str  # a stamp


def find_conversation(
    sources: ConversationSources, session: str | None, folder: str | None
) -> Iterator[CurrentConversation]:
    """Yield the conversations that may be meant, the likeliest first: some turn out to have no exchange.

    A named one is the only one. Raises SessionNotFound where none is known.
    """
    if session is not None:
        yield _named(sources, session)
        return
    running = hosts.session_of(sources.environment)
    if running is not None:
        with suppress(SessionNotFound):
            yield _named(sources, running)._replace(choice="host")
            return
    yield from _newest(sources, _scope_of(sources, folder))


def project_meant(sources: ConversationSources, folder: str | None) -> str | None:
    """Return the project of the caller; where it is bound to none, that of the folder."""
    return _scope_of(sources, folder).project


def _scope_of(sources: ConversationSources, folder: str | None) -> Scope:
    """Return the scope of the caller; where it is bound to no project, that of the folder."""
    scope = sources.scope
    project = sources.project_of(folder) if folder and scope.project is None else None
    return scope._replace(project=project.name, known_as=project.known_as) if project else scope


def _named(sources: ConversationSources, session: str) -> CurrentConversation:
    with sources.access.ledger.reading() as tx:
        records = records_of(tx, session)
    log = _log_of(sources, session)
    if not records and log is None:
        raise SessionNotFound(
            f"There is no conversation {session!r}, neither on record nor among the logs that Memoro reads. "
            "`memoro session list` lists those on record."
        )
    project = records[0].scope.project if records else _project(sources, log)
    agent = records[0].scope.agent if records else None
    if refusal := sources.scope.refusal(f"The conversation {session!r}", agent, project, change=True):
        raise SessionNotFound(refusal)
    return CurrentConversation(session=session, log=log, project=project, host=_host(log, agent))


def _newest(sources: ConversationSources, scope: Scope) -> Iterator[CurrentConversation]:
    """Yield the conversations that the scope sees, the last that was written to first."""
    with sources.access.ledger.reading() as tx:
        known = tx.sessions.all(archived=True, limit=_MOST_RECORDS)
    records = [one for one in known if _is_within(scope, one.scope.agent, one.scope.project)]
    listed = sorted(_logs(sources), key=lambda one: one.written, reverse=True)[:_MOST_LOGS]
    rows: list[tuple[str, CurrentConversation]] = []
    for one in listed:
        record = next((record for record in known if _is_log_of(one.log.path, record.id)), None)
        project = record.scope.project if record else _project(sources, one.log)
        agent = record.scope.agent if record else None
        if _is_within(scope, agent, project):
            session = _base_id(record.id) if record else _session_of(one.log.path)
            rows.append((one.written, _found(session, one.log, project)))
    taken = {one.session for _, one in rows}
    for record in records:
        if _base_id(record.id) not in taken:
            session = _base_id(record.id)
            log = _log_of(sources, session, record.scope.agent)
            found = _found(session, log, record.scope.project)
            host = _host(log, record.scope.agent)
            rows.append((record.last_at or record.started_at, found._replace(host=host)))
    if not rows:
        where = f" of project {short_name(scope.project)}" if scope.project else ""
        raise SessionNotFound(
            f"Memoro knows no conversation{where}. Name one with --session (`memoro session list`), or let it read "
            "the logs of your agents: `memoro transcripts --help`."
        )
    yield from (one for _, one in sorted(rows, key=lambda row: row[0], reverse=True))


def _found(session: str, log: ConversationLog | None, project: str | None) -> CurrentConversation:
    return CurrentConversation(session=session, log=log, project=project, host=_host(log, None), choice="newest")


def _is_within(scope: Scope, agent: str | None, project: str | None) -> bool:
    """Return whether a conversation is visible. One of no project is not one of this project."""
    return scope.owns(agent, project) and not (scope.project and project is None)


def _host(log: ConversationLog | None, agent: str | None) -> str | None:
    """Return the name of the host, as `connect` has it; None for a log in a folder of no known host."""
    named = log.path[1:].partition("/")[0] if log else ""
    return hosts.name_of(named) if named in hosts.LOG_AGENTS else agent


def _base_id(record: str) -> str:
    """Return the id that a host gave to the conversation of a record."""
    session, opened, number = record.rpartition(" (")
    return session if opened and number[:-1].isdigit() and number.endswith(")") else record


def _logs(sources: ConversationSources) -> Iterator[_KnownLog]:
    """Yield the logs that the settings name."""
    with suppress(VaultError):
        vault = sources.vault()
        for path, known in vault.list(LOGS).files.items():
            written = datetime.fromtimestamp(known.mtime_ns / 1e9, UTC)
            yield _KnownLog(ConversationLog(vault, path), stamp(written))


def _log_of(sources: ConversationSources, session: str, agent: str | None = None) -> ConversationLog | None:
    """Return the log of a conversation: among those that the settings name, else where its host keeps them."""
    named = file_of(session)
    for one in _logs(sources):
        if one.log.path == named or _is_log_of(one.log.path, session):
            return one.log._replace(path=session if one.log.path == named else one.log.path)
    for host in hosts.LOG_AGENTS:
        if agent is None or hosts.name_of(host) == agent or host == agent:
            folder = agent_folder(host, sources.environment)
            if os.path.isdir(folder.folder):
                vault = VaultFiles(os.path.realpath(folder.folder), transcripts=[folder])
                with suppress(VaultError):
                    for path in vault.list(LOGS).files:
                        if _is_log_of(path, session):
                            return ConversationLog(vault, path)
    return None


def _is_log_of(path: str, session: str) -> bool:
    """Return whether the name of a log says that it is of this session; some hosts shorten the id."""
    name = _session_of(path)
    base = _base_id(session)
    if len(base) < _SHORT_ID:
        return name == base
    return base in name or name.endswith(f"-{base[:_SHORT_ID]}")


def _session_of(path: str) -> str:
    """Return the id of a conversation whose log alone is known."""
    if WITHIN in path:
        return path.partition(WITHIN)[2]
    return path.rpartition("/")[2].partition(".json")[0]


def _project(sources: ConversationSources, log: ConversationLog | None) -> str | None:
    """Return the project in whose folder a conversation was held."""
    if log is None:
        return None
    folder = _folder_of(log)
    project = sources.project_of(folder) if folder else None
    agent = log.path[1:].partition("/")[0]
    return project.name if project else hosts.project_of(agent, log.path)


def _folder_of(log: ConversationLog) -> str:
    """Return the folder that the beginning of a log names."""
    from memoro.transcripts import readers
    from memoro.transcripts.ports import LogFacts
    from memoro.vault import logs

    about = LogFacts()
    with suppress(VaultError), log.vault.log(file_of(log.path)) as opened:
        first = b"" if logs.is_database(opened) else logs.head(opened)
        reader = readers.recognise_lines(first)
        if reader is not None:
            for _ in reader.turns(logs.Lines([first]), about):
                if "folder" in about.known:
                    break
    return about.known.get("folder", "")
