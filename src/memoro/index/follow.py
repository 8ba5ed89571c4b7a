"""Keeping an index fresh for as long as it is wanted: what is heard of the disk becomes syncs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.errors import Interrupted, ProviderError, StoreError, VaultError
from memoro.index.sync import Report
from memoro.index.triggers import SYNCS, Agenda, Timing, Trigger
from memoro.model.vocabulary import SyncPart
from memoro.vault.watch import Watch

Result = Report | VaultError | StoreError | ProviderError
START: Literal["start"] = "start"


class Acts(NamedTuple):
    """What following calls."""

    sync: Callable[[SyncPart], Report]
    has_grown: Callable[[], bool]  # whether any log has, by enough
    heard: Callable[[Trigger, Result], None]  # each trigger, with what came of it
    noticed: Callable[[str | None], None]  # why there are no file events, whenever that changes


def follow(watch: Watch, timing: Timing, acts: Acts, stop: threading.Event) -> None:
    """Sync once, and then whenever it is due, until `stop` is set. What fails is told, and tried the next time."""
    agenda = Agenda(timing, time.monotonic())
    _act(START, acts)
    polling: str | None = None
    for heard in watch.changes(lambda: agenda.wait(time.monotonic())):
        if heard.polling != polling:
            polling = heard.polling
            acts.noticed(polling)
        began = time.monotonic()
        for half in heard.halves:
            (agenda.poll if heard.polled else agenda.hear)(half, began)
        for trigger in agenda.due(began):
            if stop.is_set():
                return
            if trigger == "interval" and _found_something(_act(trigger, acts)) and not polling:
                watch.renew()  # nobody told of it, or it was a log that had grown a little
            elif trigger != "interval":
                _act(trigger, acts)
        if heard.polled:
            watch.took(time.monotonic() - began)


def _act(trigger: Trigger, acts: Acts) -> Report | None:
    try:
        if trigger == "delta" and not acts.has_grown():
            return None
        report = acts.sync(SYNCS[trigger])
    except Interrupted:
        return None
    except (VaultError, StoreError, ProviderError) as error:
        acts.heard(trigger, error)
        return None
    acts.heard(trigger, report)
    return report


def _found_something(report: Report | None) -> bool:
    return bool(report and (report.added or report.changed or report.moved or report.hidden))
