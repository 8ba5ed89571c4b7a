"""Watches the folders of a home, syncs what changes, and keeps account of what no sync has dealt with yet."""

from __future__ import annotations

import threading

from memoro.home_context import HomeContext
from memoro.index import freshness
from memoro.index.follow import FollowActions, follow
from memoro.index.freshness import Freshness
from memoro.index.report import Report
from memoro.index.triggers import Timing
from memoro.model.vocabulary import SyncPart
from memoro.store.file_systems import folders_without_events
from memoro.vault.watch import Watch, WatchedFolders


def watch(home: HomeContext, actions: FollowActions, stop: threading.Event) -> None:
    """Keep the index fresh until `stop` is set: by file events, by the growth of logs, and by the clock."""
    settings, vault = home.settings.sync, home.vault()
    places = WatchedFolders(vault.folders, vault.concerned, folders_without_events(vault.folders))
    timing = Timing(
        settings.watch_debounce_ms / 1000, settings.transcripts.debounce_ms / 1000, settings.interval_minutes * 60
    )
    watched = Watch(places, events=settings.watch, stop=stop)
    known = Freshness(watched, freshness.key_of(home, vault))

    def sync(what: SyncPart) -> Report:
        changed = known.look()
        report = actions.sync(what)
        if changed is not None:
            known.note_sync(changed, what, report)
        return report

    freshness.watched(home, known)
    try:
        follow(watched, timing, actions._replace(sync=sync), stop)
    finally:
        freshness.forget(home, known)
