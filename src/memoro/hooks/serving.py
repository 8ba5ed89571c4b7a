"""The part of `serve` that writes what hooks have noted down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import MemoroError

if TYPE_CHECKING:
    from memoro.serve.parts import Room

_SECONDS = 2.0  # between two looks at one file


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
