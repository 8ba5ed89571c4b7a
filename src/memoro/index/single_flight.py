"""Share one sync among all who ask: a waiting process reuses a sync that started after its request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from memoro.errors import Interrupted
from memoro.home_context import HomeContext
from memoro.index.report import Options
from memoro.model.vocabulary import BOTH, SYNC_PARTS, SyncPart
from memoro.store.ports import Lock
from memoro.vault.files import VaultFiles

_TURN_SECONDS = 0.25  # after which one who waits for the lock asks again whether he is to stop


class SyncReceipt(NamedTuple):
    """A finished sync, written into the lock file for those who waited."""

    began: (
        int  # in nanoseconds of the clock that all processes share; it only rises, until the machine is started anew
    )
    what: SyncPart
    depth: int  # 0: words; 1: and some of the vectors; 2: and all of them
    of: str  # what tells these settings from others

    @staticmethod
    def of_options(options: Options, began: int, of: str) -> "SyncReceipt":
        return SyncReceipt(
            began=began, what=options.what, depth=options.embed + (options.embed and options.whole), of=of
        )

    def __str__(self) -> str:
        return f"{self.began} {self.what} {self.depth} {self.of}"

    @staticmethod
    def parse(text: str) -> "SyncReceipt | None":
        words = text.split(" ")
        if len(words) != 4 or not (words[0].isdigit() and words[2].isdigit()):
            return None
        what = next((part for part in SYNC_PARTS if part == words[1]), None)
        return SyncReceipt(began=int(words[0]), what=what, depth=int(words[2]), of=words[3]) if what else None

    def does(self, wanted: "SyncReceipt", *, now: int) -> bool:
        """Return whether this sync covers the wanted one: it began later and did at least as much.

        A start time in the future was written before the last reboot.
        """
        return (
            wanted.began <= self.began <= now
            and self.what in (BOTH, wanted.what)
            and self.depth >= wanted.depth
            and self.of == wanted.of
        )


def settings_digest(home: HomeContext, vault: VaultFiles | None) -> str:
    """Differs between syncs with different settings, embedders or folders."""
    import zlib

    wanted = home.runtime.embedder.space if home.runtime.embedder else None
    described = repr((home.settings, wanted, vault.folders if vault else ()))
    return str(zlib.crc32(described.encode("utf-8", "replace")))


def go_on() -> None:
    """Never stop a sync."""


def until(stop: threading.Event | None) -> Callable[[], None]:
    """Return a check that raises `Interrupted` once `stop` is set."""
    if stop is None:
        return go_on

    def check() -> None:
        if stop.is_set():
            raise Interrupted

    return check


@contextmanager
def patiently(lock: Lock, check: Callable[[], None]) -> Iterator[None]:
    """Hold the lock for the block, whenever it comes free, unless `check` raises before that."""
    while True:
        with lock.tried(_TURN_SECONDS) as free:
            check()
            if free:
                yield
                return
