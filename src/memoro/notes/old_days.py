"""Old daily notes move to `archive/YYYY` in their folder, where they stay findable: `daily.keep_days`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date, timedelta

from memoro.errors import VaultError
from memoro.notes.journaled_writer import JournaledWriter
from memoro.vault.daily_place import DailyPlace
from memoro.vault.days import day_of

MAX_MOVES = 50  # at a time: a command that writes waits for them; the next one moves the rest
_MARK = "days_archived"  # in the ledger: the last day on which all old days were moved, and by which settings


class OldDays:
    """Moves days that are older than `keep_days`, once a day; None: never."""

    def __init__(
        self,
        journaled: JournaledWriter,
        place: Callable[[], DailyPlace],
        paths: Callable[[], Iterable[str]],
        keep_days: int | None,
    ) -> None:
        self._journaled = journaled
        self._place = place
        self._paths = paths  # of all notes
        self._keep_days = keep_days
        self._done = ""
        self._is_moving = False

    def archive_if_due(self) -> list[str]:
        """Move the days that are old enough, if that was not done today; returns their new paths."""
        if self._keep_days is None or self._is_moving:
            return []
        today, place = self._journaled.access.now().astimezone().date(), self._place()
        mark = f"{today} {self._keep_days} {place.pattern} {place.folder}"
        if mark == self._done or self._is_marked(mark):
            self._done = mark
            return []
        self._is_moving = True
        try:
            moved = self._move(place, today - timedelta(days=self._keep_days))
        finally:
            self._is_moving = False
        if len(moved) < MAX_MOVES:
            with self._journaled.access.ledger.writing() as tx:
                tx.meta.put(_MARK, mark)
            self._done = mark
        return moved

    def _is_marked(self, mark: str) -> bool:
        with self._journaled.access.ledger.reading() as tx:
            return tx.meta.get(_MARK) == mark

    def _move(self, place: DailyPlace, oldest: date) -> list[str]:
        inside, moved = place.below(""), list[str]()
        for path in sorted(self._paths()):
            name = path.removeprefix(inside)
            day = day_of(place.pattern, name[:-3]) if path.startswith(inside) else None
            if day and day < oldest and path == place.path(day) and len(moved) < MAX_MOVES:
                kept = place.below(f"archive/{day:%Y}/{name.removeprefix(f'{day:%Y}/')}")
                with suppress(VaultError):  # one that stands there already, or cannot be moved, stays
                    moved.append(self._journaled.move(path, kept, by="schedule").written.path)
        return moved
