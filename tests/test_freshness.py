"""A process that watches its folders looks at the disk only after a change, and misses none."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import memoro
from memoro.index import freshness
from memoro.index.freshness import ChangedParts, Freshness
from memoro.index.note_changes import EMPTIED
from memoro.index.report import Report
from memoro.model.notes import Problem
from memoro.model.vocabulary import BOTH, LOGS, VAULT, SyncPart
from memoro.vault.watch import SeenChanges, Watch, WatchedFolders
from tests.conftest import wait_for, write_vault


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[memoro.Workspace]:
    """A workspace that is being watched, and whose index is known to be fresh."""
    vault, logs = tmp_path / "vault", tmp_path / "logs"
    logs.mkdir()
    write_vault(vault, {"tea.md": "# Tea\n\nGreen tea from Uji.\n"})
    home = tmp_path / "home"
    home.mkdir(0o700)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n[sync]\nwatch_debounce_ms = 100\n')
    stop = threading.Event()
    with memoro.open(home, vault) as m:
        m.sync()
        thread = threading.Thread(target=lambda: m.watch(stop, lambda *_: None))
        thread.start()
        try:
            assert wait_for(lambda: refreshed(m) is None, 30)
            yield m
        finally:
            stop.set()
            thread.join(30)
        assert freshness.of(m.home_context, m.vault()) is None, "nobody watches any longer"


def refreshed(m: memoro.Workspace) -> SyncPart | None:
    """What has changed since the last sync, after a search."""
    m.search("tea")
    return changed(m)


def changed(m: memoro.Workspace) -> SyncPart | None:
    known = freshness.of(m.home_context, m.vault())
    found = known.look() if known else None
    return found.what if found else BOTH


def test_a_change_is_seen_at_once_in_its_half_and_found_by_the_next_search(watched: memoro.Workspace) -> None:
    vault, logs = Path(watched.vault().root), Path(watched.home).parent / "logs"
    for number in range(5):
        (vault / f"gate{number}.md").write_text(f"# Gate\n\nThe harbour gate number{number} is green.\n")
        time.sleep(0.2)  # a hook takes longer to start than an event to arrive; on a busy machine this does
        found = watched.search(f"harbour gate number{number}", mode="words").results
        assert [hit.path for hit in found][:1] == [f"gate{number}.md"]
        assert wait_for(lambda: refreshed(watched) is None)
    turn = '{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Uji"}}\n'
    (logs / "s.jsonl").write_text(turn)
    assert wait_for(lambda: changed(watched) == LOGS)


def test_what_changed_in_the_ledger_is_found_though_no_file_of_the_vault_did(watched: memoro.Workspace) -> None:
    assert wait_for(lambda: refreshed(watched) is None)
    with memoro.open(watched.home, watched.vault().root) as other:
        other.memories.store("The lantern code is 4711.")

    assert any("4711" in hit.snippet for hit in watched.search("lantern code").results)


def test_a_home_that_is_opened_for_other_folders_is_looked_at_itself(
    watched: memoro.Workspace, tmp_path: Path
) -> None:
    write_vault(tmp_path / "other", {"a.md": "another vault"})
    with memoro.open(watched.home, tmp_path / "other") as other:
        assert freshness.of(other.home_context, other.vault()) is None


def test_only_a_sync_that_left_nothing_undone_counts() -> None:
    places = WatchedFolders((), lambda _file, _is_folder: ())
    known = Freshness(Watch(places, events=True, stop=threading.Event()), "key")
    assert known.look() is None, "there are no events yet"
    change = ChangedParts(BOTH, SeenChanges(2, 3))

    for left in (
        Report(degraded=("memories: …",)),
        Report(joined=True),
        Report(problems=(Problem("a.md", "failed", "cannot be read"),)),
        Report(problems=(Problem("a.md", "partly", EMPTIED),)),
    ):
        known.note_sync(change, BOTH, left)
        assert known.compared(change.seen) == change
    known.note_sync(change, VAULT, Report(problems=(Problem("a.md", "partly", "odd frontmatter"),)))
    assert known.compared(change.seen).what == LOGS
    known.note_sync(change, LOGS, Report())
    assert known.compared(change.seen).what is None
    assert known.compared(SeenChanges(3, 3)).what == VAULT
    known.note_sync(ChangedParts(BOTH, SeenChanges(1, 1)), BOTH, Report())
    assert known.compared(change.seen).what is None, "a sync that began earlier ended later"
