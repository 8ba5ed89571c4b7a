"""The interface of a service of `memoro serve`, and the context that it runs in."""

from __future__ import annotations

import threading
from typing import NamedTuple, Protocol

from memoro.workspace import Workspace


class Reports(Protocol):
    """Takes what a service reports: for the terminal, for `memoro status`, and for the idle exit."""

    def done(self, line: str) -> None:
        """Report work that was done."""

    def failed(self, line: str) -> None:
        """Report a failure."""

    def notice(self, line: str) -> None:
        """Report a fact that the owner should know."""

    def request(self) -> None:
        """Report a request from a client, so that the process does not count as idle."""

    def watching(self, how: str) -> None:
        """Report how changes are noticed."""

    def http(self, how: str) -> None:
        """Report where HTTP requests are answered, or why they are not."""

    def hooks(self, how: str) -> None:
        """Report whether hooks are answered at the socket of the home: "answered", or "no" with the reason."""


class ServiceContext(NamedTuple):
    """The context that all services share. Several threads may use the workspace at once."""

    workspace: Workspace
    stop: threading.Event  # when set, `run` must finish the current write and return within about a second
    reports: Reports
    goes_on: threading.Event = threading.Event()  # set before `stop` if the service will run again, with new settings


class Service(Protocol):
    """One task of `memoro serve`, such as watching folders, or answering on a port.

    `run` returns when `stop` is set, or earlier if nothing is left to do. A `MemoroError` that it raises while the
    process starts ends the process with that error; after any other exception it is started again.
    """

    @property
    def name(self) -> str: ...

    def run(self, context: ServiceContext) -> None: ...
