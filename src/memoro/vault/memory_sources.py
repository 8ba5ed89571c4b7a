"""The setting `vault.memories`: agents whose own memory files are searched beside the vault."""

import json
import os
import re
from collections.abc import Mapping

from memoro import hosts
from memoro.errors import VaultError
from memoro.hosts.host import MemoryOwner, OwnMemory
from memoro.model.vocabulary import LOGS
from memoro.vault.files import VaultFiles
from memoro.vault.patterns import LogFolder, NoteFolder

_CWD = re.compile(rb'"cwd":\s*"((?:[^"\\]|\\.){1,4096})"')
_HEAD = 64 * 1024  # bytes of a log that are looked at
_FEW = 5  # logs


def memory_folder(agent: str, environment: Mapping[str, str]) -> NoteFolder:
    """Return the folder in which an agent keeps its own memory. Raises KeyError for an agent without one."""
    location = own_memory(agent).locate(environment)
    return NoteFolder(location.folder, name=memory_name(agent), only=location.patterns, agent=agent)


def own_memory(agent: str) -> OwnMemory:
    found = hosts.of_agent(agent).memory
    if found is None:
        raise KeyError(agent)
    return found


def memory_name(agent: str) -> str:
    """Return the name by which paths of an agent's memory begin, after the @."""
    return f"{agent}-memory"


def loaded_paths(agent: str, log: str) -> tuple[str, ...]:
    """Return the paths of memory files that the agent's host puts before its model by itself."""
    memory = hosts.of_agent(agent).memory
    return tuple(f"@{memory_name(agent)}/{path}" for path in memory.loaded(log)) if memory else ()


def owner_of(folder: NoteFolder, path: str, data: bytes) -> MemoryOwner:
    """Return whom a memory file is about."""
    owner = own_memory(folder.agent).owner(path, data)
    return owner._replace(folder=_worked_in(os.path.join(folder.folder, owner.logs))) if owner.logs else owner


def _worked_in(logs: str) -> str | None:
    """Return the folder that the newest logs name."""
    vault = VaultFiles(logs, transcripts=[LogFolder(logs, name="logs", only=("*.jsonl",))])
    stamps = vault.list(LOGS).files
    for path in sorted(stamps, key=lambda one: stamps[one].mtime_ns, reverse=True)[:_FEW]:
        try:
            with vault.log(path) as log:
                if found := _CWD.search(log.read(0, _HEAD)):
                    return str(json.loads(b'"' + found[1] + b'"'))
        except (VaultError, ValueError):
            continue
    return None


def has_files(folder: NoteFolder) -> bool:
    """Return whether there is such a memory to read."""
    for top, folders, files in os.walk(folder.folder):
        inner = os.path.relpath(top, folder.folder)
        below = "" if inner == "." else f"{inner}/"
        if any(folder.admits(below + name) for name in files):
            return True
        folders[:] = [name for name in folders if name[0] != "." and folder.enters(below + name)]
    return False
