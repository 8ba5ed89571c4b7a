"""What a part of `serve` is, and what it is given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from memoro.workspace import Workspace


class Room(NamedTuple):
    """Where a part works. All parts share one workspace, which threads may do."""

    workspace: Workspace
    stop: threading.Event  # set: return within a second or so, with the write in hand done
    tell: Callable[[str], None]  # one line for people about something that was done
    complain: Callable[[str], None]  # one line about something that is not as it should be
    stir: Callable[[], None]  # somebody asked for something: whoever is idle for long may be ended
    watching: Callable[[str], None]  # how changes are noticed, for `memoro status`


class Part(Protocol):
    """One thing that `serve` does, such as watching, or answering on a port.

    `run` returns when `stop` is set, or earlier if there is nothing for it to do. A `MemoroError` that leaves
    it ends the whole process with that error; anything else is told, and the part begins again.
    """

    @property
    def name(self) -> str: ...

    def run(self, room: Room) -> None: ...
