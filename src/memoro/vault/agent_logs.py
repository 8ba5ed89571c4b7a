"""Conversation logs by the names that people and hosts give them: a file, a path of a search, a session."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoro.errors import VaultError
from memoro.hosts import LOG_AGENTS
from memoro.model.extracted_lines import conversation_name
from memoro.model.notes import WITHIN, file_of
from memoro.transcripts.readers import recognise_document, recognise_lines
from memoro.vault import logs
from memoro.vault.files import VaultFiles
from memoro.vault.log_sources import agent_folder, log_path
from memoro.vault.patterns import LogFolder


class OpenedLog(NamedTuple):
    """A conversation on the disk, and the folders through which it is read."""

    vault: VaultFiles
    path: str  # by which a search names it
    changed: float = 0.0  # when the file was written last, in seconds since 1970


def open_log(agent: str, log: str, environment: Mapping[str, str]) -> tuple[VaultFiles, str] | None:
    """Return the agent's folder of logs and the name of a log in it; None for a file outside of it."""
    name = log_path(agent, log, environment)
    if name is None:
        return None
    folder = agent_folder(agent, environment)
    return VaultFiles(os.path.realpath(folder.folder), transcripts=[folder]), name


class LogFolders:
    """The folders of logs that the settings name; where they name none, those of every agent that has one here."""

    def __init__(self, folders: Sequence[LogFolder], environment: Mapping[str, str]) -> None:
        self._environment = environment
        known = list(folders) or [_unignored(agent, environment) for agent in LOG_AGENTS]
        self._folders = [one for one in known if os.path.isdir(os.path.expanduser(one.folder))]

    def newest_first(self) -> Iterator[OpenedLog]:
        """Yield every conversation, those whose files changed last first."""
        vault = self._vault()
        if vault is None:
            return
        files = vault.list("transcripts").files
        for path in sorted(files, key=lambda one: -files[one].mtime_ns):
            for name in conversations_in(vault, path):
                yield OpenedLog(vault, name, files[path].mtime_ns / 1e9)

    def named(self, name: str, *, is_file: bool = False) -> OpenedLog | None:
        """Return the log of this path, session or short name, with `is_file` also of a file anywhere; else None."""
        if is_file and os.path.isfile(os.path.expanduser(name)):
            return self._of_file(os.path.abspath(os.path.expanduser(name)))
        for one in self.newest_first():
            stem = file_of(one.path).rpartition("/")[2]
            if name in (one.path, one.path.partition(WITHIN)[2], conversation_name(one.path)) or (
                len(name) >= 8 and name in stem
            ):
                return one
        return None

    def _of_file(self, file: str) -> OpenedLog | None:
        changed = os.stat(file).st_mtime
        for agent in LOG_AGENTS:
            if found := open_log(agent, file, self._environment):
                return OpenedLog(*found, changed)
        folder, name = os.path.split(file)
        return OpenedLog(VaultFiles(folder, transcripts=[LogFolder(folder, name="log")]), f"@log/{name}", changed)

    def _vault(self) -> VaultFiles | None:
        if not self._folders:
            return None
        return VaultFiles(self._folders[0].folder, transcripts=self._folders)


def _unignored(agent: str, environment: Mapping[str, str]) -> LogFolder:
    return agent_folder(agent, environment)._replace(ignore=("subagents", "tool-results"))


def conversations_in(vault: VaultFiles, path: str) -> list[str]:
    """Return the paths of the conversations that a file holds: its own, or one for each that is in it."""
    try:
        with vault.log(path) as log:
            if logs.is_database(log):
                with logs.database(vault, path) as found:
                    return [f"{path}{WITHIN}{name}" for name, _ in logs.members(found[1])] if found else []
            first = logs.head(log)
            if recognise_lines(first) is not None:
                return [path]
        document = recognise_document(first)
        data = vault.read(path).data if document else b""
        return [f"{path}{WITHIN}{name}" for name, _ in logs.members(document.conversations(data))] if document else []
    except VaultError:
        return []
