"""The part that keeps house: the backup of the day, pruning when it is time, what forgetting has left undone."""

from __future__ import annotations

from datetime import UTC, datetime

from memoro.errors import StoreError
from memoro.ledger.housekeeping import LOOK_EVERY_SECONDS, seconds_until
from memoro.serve.parts import Room


class Housekeeping:
    name = "housekeeping"

    def run(self, room: Room) -> None:
        schedule, said = room.workspace.settings.memory.prune_schedule, ""
        while not room.stop.is_set():
            if room.workspace.has_ledger():
                failed = self._tidy(room)
                if failed and failed != said:
                    room.complain(f"housekeeping: {failed}")
                said = failed
            # A second more, so that the time has come when we look.
            pause = min(LOOK_EVERY_SECONDS, seconds_until(schedule, datetime.now(UTC)) + 1)
            room.stop.wait(pause)

    def _tidy(self, room: Room) -> str:
        """What failed, if anything did."""
        try:
            tidied = room.workspace.tidy()
        except StoreError as error:
            return str(error)
        for done in tidied.done:
            room.tell(done)
        return " ".join(tidied.failed)
