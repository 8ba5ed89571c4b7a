"""A sync makes the index say what the vault says: all of it, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import memoro
from memoro.errors import NoVault, TooManyGone, VaultChanged, VaultMissing
from memoro.index.plan import BRAKE_FILES
from memoro.workspace import Workspace
from tests.conftest import fingerprint, run_memoro, write_vault


@pytest.fixture(params=["sqlite", "memory"])
def m(request: pytest.FixtureRequest, home: Path, vault: Path) -> Iterator[Workspace]:
    with memoro.open(home if request.param == "sqlite" else ":memory:", vault) as opened:
        yield opened


def found(m: Workspace, query: str) -> list[str]:
    return [hit.path for hit in m.search(query, mode="words").results]


def test_a_first_sync_indexes_every_note(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "sub/b.md": "coffee"})
    report = m.sync()
    assert (report.added, report.files, report.chunks, report.problems) == (2, 2, 2, ())
    assert found(m, "coffee") == ["sub/b.md"]


@pytest.mark.slow
def test_a_second_sync_finds_nothing_to_do(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    time.sleep(2.05)  # a note younger than two seconds is read again
    m.sync()
    report = m.sync()
    assert (report.added, report.changed, report.unchanged) == (0, 0, 1)
    assert m.status().dirty == ()


def test_a_change_that_keeps_size_and_time_is_seen_at_once(m: Workspace, vault: Path) -> None:
    """Size and mtime are hints; a file written a moment ago is never trusted to be the same."""
    file = vault / "a.md"
    file.write_text("tea")
    stamp = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    m.sync()
    file.write_text("rum")
    os.utime(file, ns=stamp)
    m.sync()
    assert found(m, "rum") == ["a.md"]
    assert found(m, "tea") == []


def test_a_touched_file_is_not_called_changed(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    m.sync()
    os.utime(vault / "a.md", (1, 1))
    assert m.sync().changed == 0


def test_a_renamed_note_is_moved(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": "coffee"})
    m.sync()
    (vault / "sub").mkdir()
    (vault / "a.md").rename(vault / "sub" / "c.md")
    report = m.sync()
    assert (report.moved, report.added, report.hidden) == (1, 0, 0)
    assert found(m, "tea") == ["sub/c.md"]


def test_a_note_renamed_to_a_date_becomes_daily(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    m.sync()
    (vault / "a.md").rename(vault / "2026-03-03.md")
    m.sync()
    (hit,) = m.search("tea").results
    assert (hit.tier, hit.date) == ("daily", "2026-03-03")


def test_a_deleted_note_is_hidden_by_the_next_sync(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": "coffee"})
    m.sync()
    (vault / "a.md").unlink()
    assert m.sync().hidden == 1
    assert found(m, "tea") == []
    assert m.status().hidden == 1


def test_many_notes_gone_at_once_stop_the_sync(m: Workspace, vault: Path) -> None:
    write_vault(vault, {f"{i}.md": f"tea {i}" for i in range(60)})
    m.sync()
    for i in range(BRAKE_FILES + 1):
        (vault / f"{i}.md").unlink()
    with pytest.raises(TooManyGone, match="accept-deletions"):
        m.sync()
    answer = m.search("tea 3")
    assert answer.results
    assert not answer.synced
    assert any("disappeared from the vault" in notice for notice in answer.degraded)
    with pytest.raises(TooManyGone):
        m.sync(force=True)
    assert m.sync(accept_deletions=True).hidden == BRAKE_FILES + 1


def test_a_few_gone_are_no_accident(m: Workspace, vault: Path) -> None:
    write_vault(vault, {f"{i}.md": f"tea {i}" for i in range(60)})
    m.sync()
    for i in range(BRAKE_FILES):
        (vault / f"{i}.md").unlink()
    assert m.sync().hidden == BRAKE_FILES


def test_a_folder_renamed_with_many_notes_is_a_move(m: Workspace, vault: Path) -> None:
    write_vault(vault, {f"old/{i}.md": f"tea {i}" for i in range(60)})
    m.sync()
    (vault / "old").rename(vault / "new")
    report = m.sync()
    assert (report.moved, report.hidden, report.added) == (60, 0, 0)


def test_a_missing_vault_loses_nothing(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    m.sync()
    vault.rename(vault.with_name("away"))
    with pytest.raises(VaultMissing):
        m.sync()
    answer = m.search("tea")
    assert [hit.path for hit in answer.results] == ["a.md"]
    assert answer.degraded
    assert not answer.synced
    vault.with_name("away").rename(vault)
    assert m.search("tea").synced


def test_a_home_without_notes_syncs_once_it_holds_something(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "without") as m:
        assert m.search("tea").degraded
        with pytest.raises(NoVault):
            m.sync()
        m.memories.store("Tea is at four.")
        assert m.sync().chunks == 1
        assert m.search("tea").degraded == ()


@pytest.fixture
def left(home: Path, vault: Path) -> Iterator[Workspace]:
    """A home with an index of a vault that no setting names any more, and with one memory."""
    write_vault(vault, {"a.md": "tea"})
    with memoro.open(home, vault) as m:
        m.sync()
        m.memories.store("Coffee is at ten.", source="user")
    (vault / "a.md").unlink()
    write_vault(vault, {"b.md": "plum"})
    with memoro.open(home) as m:
        yield m


def test_every_answer_says_that_no_vault_is_set_for_the_notes_of_the_index(left: Workspace, vault: Path) -> None:
    said = f"notes: No vault is set, but the index holds 1 note of {vault}"
    for query in ("plum", "tea", "coffee"):
        for answer in (left.search(query), left.recall(query), left.recall(query, proactive=True)):
            assert answer.degraded[0].startswith(said), answer
        assert not left.search(query).synced
    with pytest.raises(NoVault, match=f"`memoro init {re.escape(str(vault))}`"):
        left.get("a.md")


@pytest.mark.usefixtures("left")
def test_no_sync_drops_notes_because_no_vault_is_set(home: Path, vault: Path) -> None:
    (home / "memoro.toml").write_text("[chunking]\ntokens = 200\n")  # it shapes the index
    with memoro.open(home) as m:
        for force in (False, True):
            with pytest.raises(NoVault, match="1 note"):
                m.sync(force=force)
        m.memories.store("Cocoa is at noon.", source="user")
        assert found(m, "tea") == ["a.md"] and found(m, "cocoa") == ["memory:2"]
        assert not any("rebuilds it" in notice for notice in m.status().notices)
    with memoro.open(home, vault) as m:
        assert found(m, "plum") == ["b.md"] and found(m, "tea") == []
        assert m.search("plum").degraded == () and m.search("plum").synced


def test_status_and_doctor_tell_of_notes_without_a_vault(left: Workspace, home: Path, vault: Path) -> None:
    status = run_memoro("--home", str(home), "status")
    assert "up to date" not in status.out and "only memories" not in status.out
    assert "cannot be compared with the disk" in status.out and f"`memoro init {vault}`" in status.out
    check = next(one for one in left.doctor() if one.name == "vault")
    assert check.state == "failed" and f"`memoro init {vault}`" in check.found
    assert run_memoro("--home", str(home), "sync").code == 3


def test_notes_without_a_vault_can_be_given_up(left: Workspace) -> None:
    assert left.sync(accept_deletions=True).rebuilt
    assert found(left, "tea") == [] and found(left, "coffee") == ["memory:1"]
    assert left.search("tea").degraded == () and left.search("tea").synced
    assert left.sync().chunks == 1 and left.status().files == 0


def test_notes_without_a_vault_are_told_of_in_a_home_without_memories(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    with memoro.open(home, vault) as m:
        m.sync()
    with memoro.open(home) as m:
        assert [str(vault) in one for one in m.search("tea").degraded] == [True]
        assert any(str(vault) in one for one in m.status().notices)
        with pytest.raises(NoVault, match="1 note"):
            m.sync()


def test_another_vault_in_its_place_is_noticed(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": "tea"})
    m.sync()
    vault.rename(vault.with_name("away"))
    write_vault(vault, {"x.md": "other", "y.md": "other"})
    with pytest.raises(
        VaultChanged, match=f"^{re.escape(str(vault))} is not the vault that was indexed: .* other notes"
    ):
        m.sync()
    assert m.sync(accept_deletions=True).files == 2


def test_an_empty_folder_in_its_place_is_told_as_empty(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": "tea"})
    m.sync()
    vault.rename(vault.with_name("away"))
    vault.mkdir()
    with pytest.raises(VaultChanged) as refused:
        m.sync()
    assert "there are no notes in it. Is a drive not mounted?" in str(refused.value)
    assert str(refused.value).count(str(vault)) == 1


def test_a_restored_copy_of_the_vault_is_the_vault(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": "coffee"})
    m.sync()
    shutil.copytree(vault, vault.with_name("copy"))
    shutil.rmtree(vault)
    vault.with_name("copy").rename(vault)
    assert m.sync().hidden == 0


def test_an_empty_read_is_not_believed_at_once(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    m.sync()
    (vault / "a.md").write_bytes(b"")
    assert m.sync().chunks == 1
    (vault / "a.md").write_text("tea again")
    assert found(m, "tea") == ["a.md"]


def test_an_empty_note_is_believed_by_the_second_sync(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    m.sync()
    (vault / "a.md").write_bytes(b"")
    first = m.sync()
    assert any("empty" in problem.sentence for problem in first.problems)
    assert first.chunks == 1
    second = m.sync()
    assert second.chunks == 0
    assert second.problems == ()


def test_a_new_memory_file_takes_the_role_from_the_old_one(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"memory.md": "tea"})
    m.sync()
    assert m.search("tea").results[0].tier == "semantic"
    write_vault(vault, {"MEMORY.md": "coffee"})
    report = m.sync()
    assert m.search("tea").results[0].tier == "note"
    assert m.search("coffee").results[0].tier == "semantic"
    assert "memory.md" in report.doubles[0]
    assert report.doubles[0] in m.status().notices


def test_forcing_builds_the_same_index_anew(m: Workspace, vault: Path) -> None:
    write_vault(vault, {f"{i}.md": f"# Note {i}\n\ntea and {i}" for i in range(10)})
    m.sync()
    before = m.search("tea 3", limit=10).results
    report = m.sync(force=True)
    assert report.rebuilt
    assert m.status().generation == 2
    assert m.search("tea 3", limit=10).results == before


def test_changed_settings_rebuild_the_index(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "\n\n".join(f"paragraph {i} " + "word " * 40 for i in range(20))})
    with memoro.open(home, vault) as m:
        few = m.sync().chunks
    (home / "memoro.toml").write_text("[chunking]\ntokens = 60\noverlap = 10\n")
    with memoro.open(home, vault) as m:
        assert any("changed" in notice for notice in m.status().notices)
        report = m.sync()
        assert report.chunks > few
        assert report.rebuilt == "settings that shape the index have changed"
        assert m.sync().rebuilt is None


@pytest.mark.slow
def test_one_poison_file_among_a_thousand_stops_nothing(home: Path, vault: Path) -> None:
    write_vault(vault, {f"{i:03}.md": f"tea {i}" for i in range(999)})
    write_vault(vault, {"poison.md": b"\x00\x01\x02" * 50})
    with memoro.open(home, vault) as m:
        report = m.sync()
        assert report.files == 999
        assert [(p.path, p.severity) for p in report.problems] == [("poison.md", "failed")]
        assert m.status().problems == report.problems
        assert m.sync().problems == report.problems  # said until it is mended


def test_a_problem_is_said_until_it_is_gone(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "---\ndate: 2026-02-31\n---\ntea"})
    assert "2026-02-31" in m.sync().problems[0].sentence
    assert len(m.sync().problems) == 1
    write_vault(vault, {"a.md": "---\ndate: 2026-02-28\n---\ntea"})
    assert m.sync().problems == ()


def test_nothing_in_the_vault_is_ever_written(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea\r\n", "b.md": b"\xff\xfe\x00broken", "MEMORY.md": "- x"})
    before = fingerprint(vault)
    m.sync()
    m.search("tea")
    m.get("a.md")
    m.status()
    m.doctor()
    m.sync(force=True)
    assert fingerprint(vault) == before


def test_a_file_hidden_for_thirty_days_is_purged(home: Path, vault: Path) -> None:
    from memoro.index.report import Options
    from memoro.index.sync import sync
    from memoro.index.sync_run import SyncSource

    write_vault(vault, {"a.md": "tea", "b.md": "tea"})
    with memoro.open(home, vault) as m:
        m.sync()
        (vault / "a.md").unlink()
        index = m.indexing.current()
        for now, hidden in [("2026-01-01T10:00:00", 1), ("2026-01-31T09:00:00", 1), ("2026-01-31T11:00:00", 0)]:
            sync(index, SyncSource(m.vault(), m.settings.rules), Options(now))
            assert index.counts().hidden == hidden, now
