"""`memoro watch`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time

from memoro.cli.options import opened
from memoro.errors import MemoroError
from memoro.index.report import Report


def configure_watch(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_watch)


def _watch(chosen: argparse.Namespace) -> int:
    stop = threading.Event()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, lambda *_: stop.set())

    with opened(chosen) as m:
        print(f"Watching {m.vault().root}; Ctrl-C ends it.", flush=True)
        m.watch(stop, _tell, _notice)
    print("Stopped.", flush=True)
    return 0


def _notice(why: str | None) -> None:
    said = f"polling: {why}; looking every few seconds instead" if why else "file events work again"
    print(f"memoro: {said}", file=sys.stderr, flush=True)


def _tell(reason: str, result: Report | MemoroError) -> None:
    from memoro.cli import show

    if isinstance(result, MemoroError):
        print(f"memoro: {result}", file=sys.stderr, flush=True)
    elif reason == "start" or result.added or result.changed or result.moved or result.hidden or result.rebuilt:
        print(time.strftime("%H:%M:%S"), end=" ")
        show.report(result)
        sys.stdout.flush()
