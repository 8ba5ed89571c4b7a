"""The setting `transcripts.folders`: folders of conversation logs, and agents whose logs Memoro finds itself."""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from memoro import hosts
from memoro.vault.patterns import LogFolder

_SINCE = re.compile(r"(.+?) since (\d{4}-\d{2}-\d{2})", re.DOTALL)


class LogSource(NamedTuple):
    """One item of the setting `transcripts.folders`: a folder or an agent, optionally with ` since YYYY-MM-DD`."""

    source: str
    since: str | None = None

    @staticmethod
    def parse(text: str) -> "LogSource":
        found = _SINCE.fullmatch(text)
        return LogSource(found[1], found[2]) if found else LogSource(text)

    def __str__(self) -> str:
        return f"{self.source} since {self.since}" if self.since else self.source

    @property
    def is_agent(self) -> bool:
        return self.source in hosts.LOG_AGENTS

    def folder(self, environment: Mapping[str, str], ignore: tuple[str, ...] = ()) -> LogFolder:
        found = agent_folder(self.source, environment) if self.is_agent else LogFolder(self.source)
        return found._replace(since=self.since, ignore=ignore)


def agent_folder(agent: str, environment: Mapping[str, str]) -> LogFolder:
    """Return the folder in which an agent keeps its logs. Raises KeyError for an agent without logs."""
    logs = hosts.of_agent(agent).logs
    if logs is None:
        raise KeyError(agent)
    location = logs.locate(environment)
    return LogFolder(location.folder, name=agent, only=location.patterns)


def log_path(agent: str, log: str, environment: Mapping[str, str]) -> str | None:
    """Return the path by which a search names this log; None where the file is not among the agent's logs."""
    folder = agent_folder(agent, environment)
    real = os.path.realpath(folder.folder)
    path = os.path.relpath(os.path.realpath(os.path.expanduser(log)), real) if log else os.pardir
    if path.split(os.sep)[0] == os.pardir or not folder.admits(path):
        return None
    return f"@{agent}/{path}"
