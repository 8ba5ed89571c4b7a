"""Keep an index up to date: turn changes on disk into syncs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal, NamedTuple

from memoro.errors import Interrupted, ProviderError, StoreError, VaultError
from memoro.index.report import Report
from memoro.index.triggers import SYNCS, SyncSchedule, Timing, Trigger
from memoro.model.vocabulary import SyncPart
from memoro.vault.watch import Watch

Result = Report | VaultError | StoreError | ProviderError
START: Literal["start"] = "start"


class FollowActions(NamedTuple):
    """The callbacks of `follow`."""

    sync: Callable[[SyncPart], Report]
    has_grown: Callable[[], bool]  # whether any log has grown enough
    report: Callable[[Trigger, Result], None]  # receives each trigger with its result
    report_polling: Callable[
        [str | None], None
    ]  # receives the reason why there are no file events, whenever it changes


def follow(watch: Watch, timing: Timing, acts: FollowActions, stop: threading.Event) -> None:
    """Sync once, and then whenever it is due, until `stop` is set. Report failures, and retry the next time."""
    schedule = SyncSchedule(timing, time.monotonic())
    _act(START, acts)
    polling: str | None = None
    for change in watch.changes(lambda: schedule.wait(time.monotonic())):
        if change.polling != polling:
            polling = change.polling
            acts.report_polling(polling)
        began = time.monotonic()
        for half in change.halves:
            (schedule.poll if change.polled else schedule.note_change)(half, began)
        for trigger in schedule.due(began):
            if stop.is_set():
                return
            if trigger == "interval" and _found_something(_act(trigger, acts)) and not polling:
                watch.renew()  # events missed it, or it was a log that had grown a little
            elif trigger != "interval":
                _act(trigger, acts)
        if change.polled:
            watch.took(time.monotonic() - began)


def _act(trigger: Trigger, acts: FollowActions) -> Report | None:
    try:
        if trigger == "delta" and not acts.has_grown():
            return None
        report = acts.sync(SYNCS[trigger])
    except Interrupted:
        return None
    except (VaultError, StoreError, ProviderError) as error:
        acts.report(trigger, error)
        return None
    acts.report(trigger, report)
    return report


def _found_something(report: Report | None) -> bool:
    return bool(report and (report.added or report.changed or report.moved or report.hidden))
