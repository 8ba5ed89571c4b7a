"""Clients that call over MCP or HTTP: how each names itself, and the home that is opened for it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

from memoro.workspace import Workspace

AGENT = "agent"  # the source of every write by a client: trusted as agents are, and proposing where they must
AGENT_HEADER, SESSION_HEADER = "memoro-agent", "memoro-session"  # of a request over HTTP
SWITCHED_OFF = (
    "Memoro is switched off: its owner has set enabled = false in memoro.toml. Continue without it, and do not try "
    "again in this session."
)
_MANY = 16  # workspaces at once; clients beyond that share one, without a name
_MOST_LETTERS = 200  # of the name of a session or of a key


class Homes:
    """Opens one home for each client, when the client first calls: a handshake loads nothing.

    A client's name for itself marks what it writes. It decides nothing: rights and scope come from the set-up.
    """

    def __init__(self, opened: Callable[[str | None], Workspace]) -> None:
        self._open = opened
        self._opened: dict[str | None, Workspace] = {}
        self._opening = threading.Lock()

    def of(self, client: str | None) -> Workspace:
        with self._opening:
            if client not in self._opened and len(self._opened) >= _MANY:
                client = None
            if client not in self._opened:
                self._opened[client] = self._open(client)
            return self._opened[client]

    def close(self) -> None:
        with self._opening:
            for workspace in self._opened.values():
                workspace.close()
            self._opened.clear()


def client_name(name: str) -> str | None:
    """The name of a client as what it writes carries it: `Claude Code` is claude-code."""
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.")[:64] or None


def given_name(given: object) -> str | None:
    """The name of a session or a key as a client gives it; None for anything that is no name."""
    return given[:_MOST_LETTERS] if isinstance(given, str) and given.strip() else None
