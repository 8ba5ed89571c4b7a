"""The setting `vault.memories`: agents whose own memory files are searched beside the vault."""

import os
from collections.abc import Mapping

from memoro import hosts
from memoro.hosts.host import OwnMemory
from memoro.vault.patterns import NoteFolder


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


def has_files(folder: NoteFolder) -> bool:
    """Return whether there is such a memory to read."""
    for top, folders, files in os.walk(folder.folder):
        inner = os.path.relpath(top, folder.folder)
        below = "" if inner == "." else f"{inner}/"
        if any(folder.admits(below + name) for name in files):
            return True
        folders[:] = [name for name in folders if name[0] != "." and folder.enters(below + name)]
    return False
