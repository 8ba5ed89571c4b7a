"""The questions of `memoro connect` about what else to search: a host's logs, and its own memory."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.cli.options import opened

if TYPE_CHECKING:
    from memoro.config import Settings
    from memoro.hosts.host import Host

SourceKey = Literal["transcripts.folders", "vault.memories"]
LOGS: SourceKey = "transcripts.folders"
MEMORIES: SourceKey = "vault.memories"


class OfferedSource(NamedTuple):
    """Files of a host that can be searched too."""

    key: SourceKey  # the setting that names the agent
    agent: str
    question: str
    next_step: str  # the command that adds it later, with what that does
    added: str  # what is said when it is added
    is_there: bool


def offered(host: Host, settings: Settings) -> list[OfferedSource]:
    """Return what of a host could be searched and is not yet."""
    found: list[OfferedSource] = []
    if host.agent is None:
        return found
    if not any(one.source == host.agent for one in settings.transcripts.entries):
        found.append(_logs(host, host.agent))
    if host.memory and host.agent not in settings.vault.memories:
        found.append(_memory(host, host.agent))
    return found


def _logs(host: Host, agent: str) -> OfferedSource:
    from memoro.vault.log_sources import agent_folder

    location = agent_folder(agent, os.environ)
    folder = location.folder
    files = " and ".join(os.path.join(folder, one) for one in location.only) or folder
    return OfferedSource(
        key=LOGS,
        agent=agent,
        question=f"Search your conversations with {host.title} too? Memoro reads {files} and changes nothing.",
        next_step=f"memoro transcripts add {agent}   # searches your conversations with it too",
        added=f"Your conversations with {host.title} are searched too.",
        is_there=os.path.isdir(folder),
    )


def _memory(host: Host, agent: str) -> OfferedSource:
    from memoro.vault.memory_sources import has_files, memory_folder, own_memory

    folder = memory_folder(agent, os.environ)
    about = f"{own_memory(agent).about} in {folder.folder}"
    return OfferedSource(
        key=MEMORIES,
        agent=agent,
        question=f"Search the memory that {host.title} keeps itself too? Memoro reads {about} and changes nothing.",
        next_step=f"memoro connect {host.name} --add-memories   # searches the memory that it keeps itself too",
        added=f"The memory that {host.title} keeps itself is searched too; its paths begin with @{folder.name}/.",
        is_there=has_files(folder),
    )


def offer(chosen: argparse.Namespace, host: Host, settings: Settings, home: str) -> int:
    """Add what the person wants; without one at a terminal, only what an option names."""
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not chosen.json and not chosen.yes
    for one in offered(host, settings):
        adds, refuses = _options(chosen, one.key)
        if refuses:
            continue
        if adds or (asks and one.is_there and agrees(f"{one.question} [y/N] ")):
            _add(chosen, one)
            _record(home, host.name, one.key)
            if not chosen.json:
                print(one.added)
        elif not chosen.json and (one.key == LOGS or one.is_there):
            print(f"Next: {one.next_step}")
    return 0


def _options(chosen: argparse.Namespace, key: SourceKey) -> tuple[bool, bool]:
    """Return whether an option adds these files, and whether one refuses them."""
    return (chosen.add_logs, chosen.no_logs) if key == LOGS else (chosen.add_memories, chosen.no_memories)


def agrees(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _add(chosen: argparse.Namespace, source: OfferedSource) -> None:
    from memoro.cli import show
    from memoro.operations.operation import Caller
    from memoro.operations.transcripts import ADD, AddTranscripts

    if source.key == LOGS:
        with opened(chosen) as m, show.progress("Indexing") as progress:
            report = ADD.call(m, AddTranscripts(source.agent), Caller(progress=progress)).report
    else:
        with opened(chosen) as m:
            _set_memories(m.home, [*m.settings.vault.memories, source.agent])
        with opened(chosen) as m, show.progress("Indexing") as progress:
            report = m.sync(progress=progress) if m.settings.vault.path else None
    if not chosen.json and report:
        show.report(report)


def _set_memories(home: str, agents: list[str]) -> None:
    from memoro import config
    from memoro.config.changing import set_value, unset_value

    file = os.path.join(home, config.FILE_NAME)
    if agents:
        set_value(file, MEMORIES, tuple(agents))
    else:
        unset_value(file, MEMORIES)


def _record(home: str, host: str, key: SourceKey) -> None:
    from memoro.connect.file_edits import added_sources, record_sources

    known = added_sources(home).get(host, [])
    record_sources(home, host, [*(one for one in known if one != key), key])


def added_by_connect(home: str, host: Host, settings: Settings) -> list[SourceKey]:
    """Return which sources `connect` added for a host, as far as the settings still name them."""
    from memoro.connect.file_edits import added_sources

    known = added_sources(home).get(host.name, [])
    is_named = {
        LOGS: any(one.source == host.agent for one in settings.transcripts.entries),
        MEMORIES: host.agent in settings.vault.memories,
    }
    return [key for key in (LOGS, MEMORIES) if key in known and is_named[key]]


def remove(chosen: argparse.Namespace, host: Host, keys: list[SourceKey]) -> None:
    """Take out of the settings what `connect` added for a host."""
    from memoro.connect.file_edits import record_sources
    from memoro.operations.operation import Caller
    from memoro.operations.transcripts import REMOVE, RemoveTranscripts

    with opened(chosen) as m:
        home = m.home
        if MEMORIES in keys:
            _set_memories(home, [one for one in m.settings.vault.memories if one != host.agent])
    if LOGS in keys and host.agent:
        with opened(chosen) as m:
            REMOVE.call(m, RemoveTranscripts(host.agent), Caller())
    record_sources(home, host.name, ())
