"""Where the agents that people use keep their conversation logs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from memoro.vault.patterns import LogFolder

Environment = Mapping[str, str]
_since = re.compile(r"(.+?) since (\d{4}-\d{2}-\d{2})", re.DOTALL)


class Entry(NamedTuple):
    """One item of the setting `transcripts.folders`: a folder or an agent, perhaps with ` since YYYY-MM-DD`."""

    source: str
    since: str | None = None

    @staticmethod
    def parse(text: str) -> Entry:
        found = _since.fullmatch(text)
        return Entry(found[1], found[2]) if found else Entry(text)

    def __str__(self) -> str:
        return f"{self.source} since {self.since}" if self.since else self.source

    def folder(self, environment: Environment, ignore: tuple[str, ...] = ()) -> LogFolder:
        found = HOSTS[self.source](environment) if self.source in HOSTS else LogFolder(self.source)
        return found._replace(since=self.since, ignore=ignore)


def log_path(host: str, log: str, environment: Environment) -> str | None:
    """The path that a log of a host has among notes; None for one that is not where this host keeps its logs."""
    folder = HOSTS[host](environment)
    real = os.path.realpath(folder.folder)
    path = os.path.relpath(os.path.realpath(os.path.expanduser(log)), real) if log else os.pardir
    if path.split(os.sep)[0] == os.pardir or not folder.admits(path):
        return None
    return f"@{host}/{path}"


def _home(environment: Environment) -> str:
    return environment.get("HOME") or os.path.expanduser("~")


def _claude(environment: Environment) -> LogFolder:
    base = environment.get("CLAUDE_CONFIG_DIR") or os.path.join(_home(environment), ".claude")
    return LogFolder(os.path.join(base, "projects"), "claude")


def _codex(environment: Environment) -> LogFolder:
    base = environment.get("CODEX_HOME") or os.path.join(_home(environment), ".codex")
    return LogFolder(base, "codex", ("sessions/*", "archived_sessions/*"))


def _gemini(environment: Environment) -> LogFolder:
    base = environment.get("GEMINI_CLI_HOME") or _home(environment)
    return LogFolder(os.path.join(base, ".gemini", "tmp"), "gemini", ("*/chats/session-*",))


def _openclaw(environment: Environment) -> LogFolder:
    base = environment.get("OPENCLAW_STATE_DIR") or os.path.join(_home(environment), ".openclaw")
    return LogFolder(os.path.join(base, "agents"), "openclaw", ("*/sessions/*", "*/agent/openclaw-agent.sqlite"))


def _opencode(environment: Environment) -> LogFolder:
    data = environment.get("XDG_DATA_HOME") or os.path.join(_home(environment), ".local", "share")
    folder = os.path.join(data, "opencode")
    named = environment.get("OPENCODE_DB")
    if named:
        folder, name = os.path.split(os.path.join(folder, os.path.expanduser(named)))
        return LogFolder(folder, "opencode", (name,))
    return LogFolder(folder, "opencode", ("opencode*.db",))


HOSTS: dict[str, Callable[[Environment], LogFolder]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "openclaw": _openclaw,
    "opencode": _opencode,
}
