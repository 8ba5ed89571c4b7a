"""Telling when the vault may have changed. Events only hint; a sync looks for itself."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence

POLL_SECONDS = 5.0
# With someone writing all the time, sync after this many debounce times rather than never.
PATIENCE = 4


def hints(
    folders: Sequence[str], *, events: bool, debounce_ms: int, interval_seconds: float, stop: threading.Event
) -> Iterator[str]:
    """Yield a reason whenever a sync may be due: "events", "interval" or, where events fail, "polling: …".

    Watches again after a folder was replaced or came back. Ends when `stop` is set.
    """
    why_polling = None if events else "file events are off (sync.watch = false)"
    while not stop.is_set():
        if why_polling or not all(map(os.path.isdir, folders)):
            yield f"polling: {why_polling or 'a folder is missing'}"
            stop.wait(POLL_SECONDS)
            continue
        try:
            yield from _events(folders, debounce_ms, interval_seconds, stop)
        except (OSError, RuntimeError) as error:  # too many watches or open files, or a file system without events
            why_polling = (getattr(error, "strerror", None) or str(error)).lower()


def _events(folders: Sequence[str], debounce_ms: int, interval: float, stop: threading.Event) -> Iterator[str]:
    import watchfiles

    before = _identities(folders)
    last = -interval  # look once when the watch stands: what changed while it was set up raised no event
    found = watchfiles.watch(
        *folders,
        watch_filter=_is_of_interest,
        debounce=PATIENCE * debounce_ms,
        step=debounce_ms,
        stop_event=stop,
        rust_timeout=1000,
        yield_on_timeout=True,
        raise_interrupt=False,
    )
    for changes in found:
        if _identities(folders) != before:
            yield "events"  # a folder was replaced: what we watch is no longer what is there
            return
        if changes or time.monotonic() - last >= interval:
            last = time.monotonic()
            yield "events" if changes else "interval"


def _is_of_interest(_change: object, path: str) -> bool:
    name = os.path.basename(path)
    return not name.startswith(".") and (name.lower().endswith(".md") or "." not in name)


def _identities(folders: Sequence[str]) -> list[tuple[int, int] | None]:
    return [_identity(folder) for folder in folders]


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino
