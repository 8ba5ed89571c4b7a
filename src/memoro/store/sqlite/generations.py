"""Index files by number. The highest is the current one; a rebuild makes the next and switches to it.

A database in use is never renamed over: a reader would continue with old rows through the old log.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memoro.errors import StoreUnavailable
from memoro.model.system_errors import reason
from memoro.store.lock import KernelLock


class Generations:
    def __init__(self, home: str) -> None:
        self._home = home

    def current(self) -> int | None:
        numbers = [number for number, kind, tail in self._names() if kind == "db" and not tail]
        return max(numbers, default=None)

    def unused(self) -> int:
        """Return the next number, never one with leftover files: an old log must not meet a new file."""
        return max((number for number, _, _ in self._names()), default=0) + 1

    def file(self, number: int) -> str:
        return os.path.join(self._home, f"index.{number}.db")

    def building(self, number: int) -> str:
        return os.path.join(self._home, f"index.{number}.building.db")

    def in_use(self, number: int) -> KernelLock:
        """The lock that users of a generation share; a process that gets it alone may delete the files."""
        return KernelLock(os.path.join(self._home, f"index.{number}.lock"))

    def switch_to(self, number: int) -> None:
        """Make a built and closed generation the current one, in one step that survives a power cut."""
        try:
            os.rename(self.building(number), self.file(number))
            descriptor = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreUnavailable(f"{self.building(number)} cannot be renamed: {reason(error)}.") from error

    def sweep(self) -> None:
        """Delete leftovers of interrupted rebuilds, and older generations that nobody has open.

        Only for the holder of the sync lock: otherwise this would delete a build in progress.
        """
        current = self.current()
        for number in {n for n, kind, _ in self._names() if kind == "building.db"}:
            self._remove(self.building(number))
            self.remove_vectors(number)
        for number in {n for n, _, _ in self._names() if current is not None and n < current}:
            with self.in_use(number).tried() as alone:
                if alone:
                    self._remove(self.file(number))
                    self.remove_vectors(number)
                    self._unlink(self.in_use(number).file)

    def set_aside(self, number: int) -> str:
        """Take a damaged generation out of use; keep its bytes for an investigation, but no vectors."""
        aside = os.path.join(self._home, "index.damaged")
        try:
            os.replace(self.file(number), aside)
        except OSError as error:
            raise StoreUnavailable(f"{self.file(number)} cannot be set aside: {reason(error)}.") from error
        self._remove(self.file(number))
        self.remove_vectors(number)
        return aside

    def vectors(self, number: int, space: str) -> str:
        """Return the prefix of a generation's vector files in one space."""
        return os.path.join(self._home, f"index.{number}.vectors-{short_name(space)}")

    def remove_vectors(self, number: int, *, except_in: Sequence[str] = ()) -> None:
        kept = {os.path.basename(self.vectors(number, space)) for space in except_in}
        for name in os.listdir(self._home):
            if name.startswith(f"index.{number}.vectors-") and name.rpartition(".")[0] not in kept:
                self._unlink(os.path.join(self._home, name))

    def _remove(self, file: str) -> None:
        for tail in ("", "-wal", "-shm", "-journal"):
            self._unlink(file + tail)

    def _unlink(self, file: str) -> None:
        try:
            os.unlink(file)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StoreUnavailable(f"{file} cannot be removed: {reason(error)}.") from error

    def _names(self) -> list[tuple[int, str, str]]:
        try:
            names = os.listdir(self._home)
        except OSError as error:
            raise StoreUnavailable(f"The home {self._home} cannot be listed: {reason(error)}.") from error
        return [parsed for name in names if (parsed := _parse(name))]


def short_name(space: str) -> str:
    """Return the eight digits that stand for a space in the names of files."""
    import hashlib

    return hashlib.sha256(space.encode()).hexdigest()[:8]


def _parse(name: str) -> tuple[int, str, str] | None:
    """Parse `index.7.building.db-wal` as (7, "building.db", "-wal"); return None for other files."""
    first, _, rest = name.partition(".")
    number, _, kind = rest.partition(".")
    kind, dash, tail = kind.partition("-")
    if first != "index" or not number.isdecimal() or kind not in ("db", "building.db", "lock", "vectors"):
        return None
    return int(number), kind, dash + tail
