"""A home recognises its ledger and its archive: one that is missing, older or foreign is refused, not used."""

from __future__ import annotations

import gzip
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import LedgerNotRecognised
from memoro.store.file_record import FileMark, FileRecord, Recorded
from memoro.store.opening import open_ledger
from tests.command import Memoro, run_memoro
from tests.conftest import wait_for
from tests.raw_sqlite import Rows, dump, ids_in
from tests.test_homes_of_0_1_0 import KEPT
from tests.test_mcp_processes import command, serving
from tests.test_serve import served, started

marks = st.builds(FileMark, st.sampled_from(["a", "b"]), st.integers(0, 5))


@given(recorded=marks, found=marks)
def test_a_later_state_of_the_recorded_file_is_recognised_and_nothing_else(recorded: FileMark, found: FileMark):
    state = Recorded(1, recorded).judge(found)
    if found.identity != recorded.identity:
        assert state == "foreign"
    else:
        assert state == ("older" if found.position < recorded.position else None)
    assert Recorded(1, recorded).judge(None) == "foreign"
    assert Recorded(1, None).judge(found) is None


@given(recorded=marks, announced=marks, found=marks)
def test_before_a_restore_both_the_old_file_and_the_new_one_are_recognised(
    recorded: FileMark, announced: FileMark, found: FileMark
):
    alone = [Recorded(1, mark).judge(found) for mark in (recorded, announced)]
    assert (Recorded(1, recorded, announced).judge(found) is None) == (None in alone)


def fill(home: Path) -> str:
    """Three memories, one of them archived, a backup of all, and one memory more; the name of the backup."""
    with memoro.open(home) as m:
        for text in ("tea at four", "coffee at five", "an old cup"):
            m.memories.store(text)
        m.memories.archive(3)
        backup = m.backups.create().name
        m.memories.store("after the backup")
    return backup


def delete(file: Path) -> None:
    for one in file.parent.glob(f"{file.name}*"):
        one.unlink()


def put_older(file: Path) -> None:
    newest = sorted(one for one in (file.parent / "backups").iterdir() if one.is_dir())[-1]
    shutil.copy(newest / file.name, file)


def put_foreign(file: Path) -> None:
    other = file.parent.with_name("other")
    with memoro.open(other) as m:
        m.memories.store("of another home")
        m.memories.archive(1)
    shutil.copy(other / file.name, file)


def put_the_one_of_0_1_0(file: Path) -> None:
    file.write_bytes(gzip.decompress((KEPT / f"{file.name}.gz").read_bytes()))


def rows_of(file: Path) -> Rows | None:
    return dump(file) if file.exists() else None


LOSSES = [
    (delete, "is missing"),
    (put_older, "older copy"),
    (put_foreign, "another file has taken its place"),
    (put_the_one_of_0_1_0, "another file has taken its place"),
]
losses = pytest.mark.parametrize(("lose", "said"), LOSSES, ids=[lose.__name__ for lose, _ in LOSSES])


@losses
def test_a_lost_ledger_is_refused_and_the_command_that_the_message_names_restores_it(
    lose: Callable[[Path], None], said: str, home: Path, memoro: Memoro
):
    backup = fill(home)
    lose(home / "ledger.db")
    before = rows_of(home / "ledger.db")
    for words in (["memory", "list"], ["memory", "store", "tea"], ["get", "memory:1"], ["log"], ["memory", "stats"]):
        done = memoro(*words)
        assert (done.code, done.out) == (5, ""), words
        assert said in done.err
        assert backup in done.err
    assert rows_of(home / "ledger.db") == before, "the file was changed"
    assert memoro("doctor").code != 0
    assert said in memoro("status").out
    command = re.search(r"`memoro (backup restore [^`]*)`", done.err)
    assert command
    assert memoro(*command[1].split()).code == 0
    assert memoro("memory", "list").out.count("[id:") == 2
    assert memoro("get", "memory:3").out == "an old cup\n"
    assert memoro("memory", "store", "tea").out == "[id:4] stored\n"
    assert memoro("doctor", "--deep").code == 0
    asides = [file.name for file in home.glob("ledger.db.*") if not file.name.endswith(("-wal", "-shm"))]
    assert asides == ([] if lose is delete else ["ledger.db.refused-1"]), "what was there is kept aside"


@losses
def test_without_a_backup_the_owner_may_adopt_what_is_there(
    lose: Callable[[Path], None], said: str, home: Path, memoro: Memoro
):
    fill(home)
    lose(home / "ledger.db")
    shutil.rmtree(home / "backups")
    done = memoro("memory", "list")
    assert done.code == 5
    assert said in done.err
    assert "no backup that verifies" in done.err
    assert memoro("backup", "adopt", "ledger").code == 5, "it needs a yes"
    assert memoro("memory", "list").code == 5
    assert memoro("backup", "adopt", "ledger", "--yes").code == 0
    assert memoro("memory", "list").code == 0
    assert memoro("memory", "store", "tea and cake").code == 0
    assert "tea and cake" in memoro("memory", "list").out


def test_the_numbers_of_a_lost_ledger_are_not_given_again(home: Path, memoro: Memoro):
    fill(home)
    delete(home / "ledger.db")
    assert memoro("backup", "adopt", "ledger", "--yes").code == 0
    assert memoro("memory", "store", "tea").out == "[id:4] stored\n"


def test_the_backup_that_is_named_is_the_newest_one_that_verifies(home: Path, memoro: Memoro):
    first = fill(home)
    with_damage = memoro("backup", "create", "--json").json["backups"][0]["name"]
    file = home / "backups" / with_damage / "ledger.db"
    data = bytearray(file.read_bytes())
    data[9000:9100] = bytes(255 - byte for byte in data[9000:9100])
    file.write_bytes(data)
    delete(home / "ledger.db")
    assert f"backup restore {first}`" in memoro("memory", "list").err


@pytest.mark.parametrize("lost", ["", "backups"])
@pytest.mark.parametrize("how", ["deleted", "torn"])
def test_either_copy_of_the_record_is_enough(lost: str, how: str, home: Path, memoro: Memoro):
    fill(home)
    place = home / lost / "ledger.record.json"
    place.unlink() if how == "deleted" else place.write_bytes(place.read_bytes()[:20])
    put_foreign(home / "ledger.db")
    assert memoro("memory", "list").code == 5


def test_a_copied_folder_of_backups_is_enough_to_know_what_is_missing(home: Path, tmp_path: Path):
    backup = fill(home)
    new = tmp_path / "new machine"
    new.mkdir(mode=0o700)
    shutil.copytree(home / "backups", new / "backups")
    for file in (new / "backups").glob("*.json"):
        file.unlink()
    done = run_memoro("--home", str(new), "memory", "list")
    assert done.code == 5
    assert run_memoro("--home", str(new), "backup", "restore", backup).code == 0
    assert "tea at four" in run_memoro("--home", str(new), "memory", "list").out


def test_a_home_that_is_copied_whole_goes_on(home: Path, tmp_path: Path):
    fill(home)
    shutil.copytree(home, tmp_path / "new machine")
    done = run_memoro("--home", str(tmp_path / "new machine"), "memory", "store", "tea")
    assert done.out == "[id:5] stored\n"


def test_a_home_of_0_1_0_is_adopted_at_its_first_use(home: Path, memoro: Memoro):
    home.mkdir(mode=0o700)
    for name in ("ledger.db", "archive.db"):
        put_the_one_of_0_1_0(home / name)
    assert memoro("memory", "stats").code == 0
    for part in ("ledger", "archive"):
        assert FileRecord(str(home), part).read()
    delete(home / "ledger.db")
    assert memoro("memory", "list").code == 5


def test_a_whole_export_and_an_undo_keep_the_ledger_recognised(home: Path, tmp_path: Path, memoro: Memoro):
    fill(home)
    assert memoro("undo").code == 0
    assert memoro("export", "-o", str(tmp_path / "all.jsonl")).code == 0
    new = str(tmp_path / "new")
    run_memoro("--home", new, "memory", "list")
    with_index = run_memoro("--home", new, "import", str(tmp_path / "all.jsonl"))
    assert with_index.code == 0, with_index.err
    assert "tea at four" in run_memoro("--home", new, "memory", "list").out
    assert run_memoro("--home", new, "memory", "store", "x").code == 0


def test_a_crash_between_the_announcement_and_the_commit_leaves_a_ledger_that_is_recognised(tmp_path: Path):
    record = FileRecord(str(tmp_path), "ledger")
    old, new = FileMark("old", 7), FileMark("new", 2)
    record.keep(old)
    record.announce(new)
    assert [judge(record, found) for found in (old, new, FileMark("new", 3))] == [None, None, None]
    assert judge(record, FileMark("old", 6)) == "older"
    record.keep(new)
    assert judge(record, old) == "foreign"


def judge(record: FileRecord, found: FileMark) -> str | None:
    recorded = record.read()
    assert recorded
    return recorded.judge(found)


def test_who_opens_the_ledger_while_others_write_recognises_it(home: Path):
    """The record may be read a moment after the file, and know of a commit that came between."""
    refused: list[str] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            ledger = open_ledger(str(home)).ledger
            try:
                with ledger.reading():
                    pass
            except LedgerNotRecognised as error:
                refused.append(str(error))
            finally:
                ledger.close()

    with memoro.open(home) as m:
        m.memories.store("the first")
        readers = [threading.Thread(target=look) for _ in range(2)]
        for reader in readers:
            reader.start()
        for number in range(60):
            m.memories.store(f"tea {number}")
        stop.set()
        for reader in readers:
            reader.join()
    assert refused == []


def test_the_record_lags_where_it_cannot_be_written_and_never_leads(home: Path, memoro: Memoro):
    fill(home)
    kept = [(place, place.read_bytes()) for place in home.rglob("ledger.record.json")]
    assert memoro("memory", "store", "tea").code == 0
    for place, data in kept:  # as if the process had died after the commit
        place.write_bytes(data)
    assert "tea" in memoro("memory", "list").out


# The archive


@losses
def test_without_its_archive_a_home_goes_on_with_its_ledger_and_says_so(
    lose: Callable[[Path], None], said: str, home: Path, memoro: Memoro
):
    backup = fill(home)
    memoro("memory", "store", "one more to archive")
    memoro("memory", "archive", "5")
    lose(home / "archive.db")
    assert memoro("get", "memory:1").out == "tea at four\n"
    assert memoro("memory", "show", "1").code == 0
    assert memoro("memory", "history", "1").code == 0
    assert memoro("memory", "store", "tea").code == 0
    assert "tea at four" in memoro("memory", "query", "tea").out
    for words in (["memory", "archive", "1"], ["memory", "unarchive", "3"], ["get", "memory:3"], ["memory", "stats"]):
        done = memoro(*words)
        assert done.code == 5, words
        assert said in done.err
    assert said in memoro("status").out
    assert said in memoro("doctor").out
    assert 1 in ids_in(home / "ledger.db"), "nothing moves into an archive that is not ours"
    restore = f"backup restore {backup} --part archive"
    assert f"`memoro {restore}`" in done.err
    assert memoro(*restore.split()).code == 0
    assert memoro("get", "memory:3").out == "an old cup\n"
    assert "after the backup" in memoro("memory", "list").out, "the ledger stays as it is"
    assert memoro("doctor", "--deep").code == 0


# Processes that run already


@pytest.mark.process
@losses
def test_a_running_mcp_server_notices_within_one_call(lose: Callable[[Path], None], said: str, home: Path):
    backup = fill(home)
    with serving(command(home)) as server:
        assert not server.call("memory_store", content="before the loss").get("isError")
        delete(home / "ledger.db")
        if lose is not delete:
            lose(home / "ledger.db")
        done = server.call("memory_store", content="tea")
        assert done["isError"]
        assert said in str(done)
        assert server.call("memory_query", query="tea")["isError"]
        assert run_memoro("--home", str(home), "backup", "restore", backup).code == 0
        assert not server.call("memory_store", content="after the restore").get("isError")
    assert "after the restore" in run_memoro("--home", str(home), "memory", "list").out


@pytest.mark.process
def test_a_running_server_notices_another_ledger_that_is_copied_over_its_own(home: Path, tmp_path: Path):
    backup = fill(home)
    with memoro.open(tmp_path / "other") as other:
        for number in range(50):
            other.memories.store(f"A foreign memory, number {number}")
    with serving(command(home)) as server:
        assert not server.call("memory_store", content="before the loss").get("isError")
        assert not server.call("memory_query", query="loss").get("isError")
        inode = (home / "ledger.db").stat().st_ino
        with open(tmp_path / "other" / "ledger.db", "rb") as source, open(home / "ledger.db", "r+b") as target:
            target.write(source.read())
            target.truncate()
        assert (home / "ledger.db").stat().st_ino == inode
        done = server.call("memory_query", query="tea")
        assert done["isError"] and "memoro backup restore" in str(done), done
        assert server.call("memory_store", content="tea")["isError"]
        assert run_memoro("--home", str(home), "backup", "restore", backup).code == 0
        assert not server.call("memory_store", content="after the restore").get("isError")
    assert "after the restore" in run_memoro("--home", str(home), "memory", "list").out


@pytest.mark.process
def test_a_running_serve_notices_with_its_next_sync(home: Path, vault: Path):
    fill(home)
    (vault / "first.md").write_text("# First\n\ntea\n")
    with served(home, vault) as found:
        started(found)
        delete(home / "ledger.db")
        (vault / "a.md").write_text("# A\n\nlamp\n")
        assert wait_for(lambda: "is missing" in found.err, 30), found.out
        assert not (home / "ledger.db").exists()
