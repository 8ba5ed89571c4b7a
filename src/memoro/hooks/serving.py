"""The part of `serve` that writes what hooks have noted down."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from memoro.errors import MemoroError

if TYPE_CHECKING:
    from memoro.workspace import Workspace

_SECONDS = 2.0  # between two looks at one file


class Room(Protocol):
    """What `serve` gives to a part, as far as it is used here."""

    @property
    def workspace(self) -> Workspace: ...

    @property
    def stop(self) -> threading.Event: ...

    @property
    def tell(self) -> Callable[[str], None]: ...

    @property
    def complain(self) -> Callable[[str], None]: ...


class Writing:
    name = "hooks"

    def run(self, room: Room) -> None:
        from memoro.hooks.capture import work_off

        told = ""
        while not room.stop.wait(_SECONDS):
            try:
                done = work_off(room.workspace)
            except MemoroError as error:
                if str(error) != told:
                    room.complain(f"hooks: {error}")
                    told = str(error)
            else:
                if done:
                    room.tell(f"hooks: {done} event{'s' if done != 1 else ''} written down")
