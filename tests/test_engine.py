"""The engine below the index: which one is loaded, where it may keep a log, and how long that may grow."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

import memoro
from memoro.errors import IndexDamaged, StorageFull, StoreError, StoreUnavailable
from memoro.index.chunk import chunk
from memoro.model.guard import write_transaction
from memoro.store.file_systems import LOCAL_FILE_SYSTEMS, file_system, from_mount, from_mountinfo
from memoro.store.sqlite.engine import (
    FLOOR,
    Engine,
    connect,
    engine,
    limit_caches,
    parse_version,
    translated,
)
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.vault.files import VaultFiles
from memoro.vault.markdown import parse
from tests.conftest import Memoro, times, write_vault
from tests.indexes import answers, change_vault, complaints, fresh, make_vault, said, write_note

NETWORK = ("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.rclone", "fuseblk", "virtiofs", "9p", "afs", "ceph")


def test_the_loaded_library_is_newer_than_the_bug_that_corrupts_logs():
    """A lock file can bring an older one back without a word; this looks at what is really loaded."""
    assert parse_version(apsw.sqlite_lib_version()) >= FLOOR == (3, 51, 3)
    assert engine("/").version == apsw.sqlite_lib_version()


@pytest.mark.parametrize(
    ("older", "newer"),
    [("3.7.0", "3.51.3"), ("3.9.2", "3.10.0"), ("3.51.2", "3.51.3"), ("3.51.3", "3.52.0"), ("3", "4")],
)
def test_versions_are_compared_as_numbers(older: str, newer: str):
    assert parse_version(older) < parse_version(newer)


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.44.6", "3.50.7", "3.51.2"])
def test_a_library_below_the_floor_keeps_no_log(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: version)
    chosen = engine(str(tmp_path))

    assert not chosen.wal
    assert version in chosen.warnings[0]
    assert "apsw" in chosen.warnings[0]


def test_a_home_without_a_log_works_the_same_and_says_why_it_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    vault, home = make_vault(tmp_path / "vault", 20), tmp_path / "home"
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    with memoro.open(home, vault) as m:
        m.sync()
        change_vault(vault, random.Random(1), edits=5, few=2)
        m.sync()
        status = m.status()
        assert {check.name: check.state for check in m.doctor()}["engine"] == "warning"
        assert not list(home.glob("*-wal"))

    assert status.journal == "delete"
    assert any("3.40.1" in notice for notice in status.notices)
    monkeypatch.undo()
    assert said(home) == fresh(vault, tmp_path / "fresh")
    with memoro.open(home, vault) as m:  # the better library takes over what the older one wrote
        assert m.sync().rebuilt is None
        assert m.status().journal == "wal"
    assert answers(home, vault) == answers(tmp_path / "fresh", vault)


def mountinfo(*mounts: tuple[str, str]) -> str:
    return "".join(
        f"{number} 1 0:{number} / {point} rw,relatime shared:{number} - {kind} source rw,size=10k\n"
        for number, (point, kind) in enumerate(mounts, 20)
    )


def mount(*mounts: tuple[str, str]) -> str:
    return "".join(f"/dev/disk3s5 on {point} ({kind}, local, journaled)\n" for point, kind in mounts)


@pytest.mark.parametrize("kind", NETWORK)
def test_a_network_file_system_gets_no_log(kind: str, tmp_path: Path):
    told = mountinfo(("/", "ext4"), ("/home/ann/share", kind))
    assert from_mountinfo(told, "/home/ann/share/memoro") == kind
    assert kind not in LOCAL_FILE_SYSTEMS

    warnings = Engine("3.51.3", kind, False, None).warnings
    assert len(warnings) == 1
    assert kind in warnings[0]
    assert "MEMORO_HOME" in warnings[0]
    indexes = SqliteIndexHome(str(tmp_path), engine(str(tmp_path))._replace(file_system=kind, wal=False))
    assert indexes.first().journal_mode() == "delete"
    indexes.close()


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "overlay", "tmpfs", "f2fs", "apfs"])
def test_a_local_file_system_is_known_as_one(kind: str):
    assert from_mountinfo(mountinfo(("/", "nfs"), ("/home", kind)), "/home/ann/.memoro") == kind
    assert kind in LOCAL_FILE_SYSTEMS
    assert Engine("3.51.3", kind, True, None).warnings == ()


@pytest.mark.parametrize(
    ("mounts", "folder", "kind"),
    [
        ([("/", "ext4"), ("/mnt", "nfs4"), ("/mnt/local", "xfs")], "/mnt/local/home", "xfs"),
        ([("/", "ext4"), ("/mnt", "nfs4"), ("/mnt/local", "xfs")], "/mnt/locally/home", "nfs4"),
        ([("/mnt/local", "xfs"), ("/mnt", "nfs4"), ("/", "ext4")], "/mnt/local", "xfs"),
        ([("/", "ext4"), ("/mnt", "xfs"), ("/mnt", "cifs")], "/mnt/home", "cifs"),  # mounted over the other
        ([("/", "overlay"), ("/work", "9p")], "/work", "9p"),
        ([("/", "ext4"), (r"/mnt/My\040Share", "cifs")], "/mnt/My Share/home", "cifs"),
        ([("/", "ext4"), (r"/mnt/a\011b\134c\012d", "cifs")], "/mnt/a\tb\\c\nd/home", "cifs"),
        ([("/", "ext4"), (r"/mnt/Käse\040und\040Brot", "nfs")], "/mnt/Käse und Brot/home", "nfs"),
        ([("/", "ext4"), ("/mnt/記憶", "virtiofs")], "/mnt/記憶/home", "virtiofs"),
        ([("/proc", "proc")], "/home/ann", "unknown"),
        ([], "/home/ann", "unknown"),
    ],
)
def test_the_innermost_mount_decides(mounts: list[tuple[str, str]], folder: str, kind: str):
    assert from_mountinfo(mountinfo(*mounts), folder) == kind


@pytest.mark.parametrize(
    ("mounts", "folder", "kind"),
    [
        ([("/", "apfs"), ("/System/Volumes/Data", "apfs")], "/System/Volumes/Data/Users/ann", "apfs"),
        ([("/", "apfs"), ("/Volumes/My Share", "smbfs")], "/Volumes/My Share/home", "smbfs"),
        ([("/", "apfs"), ("/Volumes/work (old)", "nfs")], "/Volumes/work (old)/home", "nfs"),
        ([("/", "apfs"), ("/Volumes/x", "macfuse")], "/Volumes/xy/home", "apfs"),
        ([], "/Users/ann", "unknown"),
    ],
)
def test_mounts_are_read_on_a_mac_too(mounts: list[tuple[str, str]], folder: str, kind: str):
    assert from_mount(mount(*mounts), folder) == kind


def test_lines_that_make_no_sense_are_passed_over():
    told = "\n".join(["", "nonsense", "1 2 3 4", "1 2 0:1 / - ext4", mountinfo(("/", "ext4")), "on (", "x on y"])
    assert from_mountinfo(told, "/home") == "ext4"
    assert from_mount(told, "/home") == "unknown"


def test_the_file_system_of_this_machine_is_told(tmp_path: Path):
    assert file_system(str(tmp_path)) != "unknown"


def test_what_may_pass_is_never_called_damage():
    passing = [apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED, apsw.SQLITE_IOERR_READ, apsw.SQLITE_FULL, apsw.SQLITE_CANTOPEN]
    passing += [apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_READONLY, apsw.SQLITE_NOMEM, apsw.SQLITE_PROTOCOL]
    for code in passing:
        with pytest.raises(StoreError) as raised, translated("index.1.db"):
            raise apsw.exception_for(code)
        assert not isinstance(raised.value, IndexDamaged)
    for code in (apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB, apsw.SQLITE_CORRUPT_VTAB, apsw.SQLITE_IOERR_DATA):
        with pytest.raises(IndexDamaged), translated("index.1.db"):
            raise apsw.exception_for(code)
    with pytest.raises(StorageFull), translated("index.1.db"):
        raise apsw.exception_for(apsw.SQLITE_FULL)
    with pytest.raises(StoreUnavailable) as raised, translated("index.1.db"):
        raise apsw.exception_for(apsw.SQLITE_BUSY)
    assert "locked" not in str(raised.value)


@pytest.mark.campaign
def test_the_log_is_short_again_after_a_long_reader(tmp_path: Path):
    vault, home = make_vault(tmp_path / "vault", 30), tmp_path / "home"
    rng = random.Random(11)
    with memoro.open(home, vault) as m:
        m.sync()
        indexes = m.indexes()
        assert isinstance(indexes, SqliteIndexHome)
        index = indexes.current()
        assert index is not None
        log = Path(index.file + "-wal")
        reader = connect(index.file, indexes.engine)
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM chunks").get
        for number in range(times(3_000, 50_000)):
            index.put_meta({f"key {rng.randrange(2_000)}": "x" * 200})
            if number % 1_000 == 0:
                write_note(vault / f"while-reading-{number}.md", rng)
                m.sync()
        grown = log.stat().st_size
        assert grown > 16 * 1024 * 1024, "the reader held up nothing"
        assert reader.execute("SELECT count(*) FROM chunks").get == before
        reader.execute("COMMIT")
        reader.close()

        write_note(vault / "after.md", rng)
        m.sync()
        assert log.stat().st_size <= min(grown, 64 * 1024 * 1024)
    assert not log.exists()
    assert complaints(home) == []


def test_nothing_reads_or_parses_inside_a_write_transaction(tmp_path: Path):
    vault = VaultFiles(str(write_vault(tmp_path / "vault", {"a.md": "# A\n\nText.\n"})))
    parsed = parse("# A\n\nText.\n", "a.md")

    def cut() -> object:
        return chunk(parsed.lines, parsed.outline, body=parsed.body, limit=400, overlap=80)

    for work in (vault.list, lambda: vault.read("a.md"), cut):
        work()
        with pytest.raises(AssertionError, match="write transaction"), write_transaction():
            work()
        work()


def test_the_guard_is_up_while_the_index_is_written_and_only_for_the_writer(tmp_path: Path):
    files = VaultFiles(str(write_vault(tmp_path / "vault", {"a.md": "# A\n\nText.\n"})))
    home = tmp_path / "home"
    home.mkdir()
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    index = indexes.first()
    read_elsewhere: list[bytes] = []

    class ReadingValues(dict[str, str | None]):
        """Values that read the vault while the index writes them."""

        def items(self) -> Any:
            yield "half", "done"
            reader = threading.Thread(target=lambda: read_elsewhere.append(files.read("a.md").data))
            reader.start()
            reader.join()
            files.read("a.md")

    with pytest.raises(AssertionError, match="write transaction"):
        index.put_meta(ReadingValues())

    assert read_elsewhere == [b"# A\n\nText.\n"]
    assert index.get_meta("half") is None  # nothing of the broken transaction is kept
    assert files.read("a.md").data
    index.put_meta({"whole": "done"})
    indexes.close()


def test_status_and_doctor_name_the_engine(memoro: Memoro, vault: Path):
    write_vault(vault, {"a.md": "# A\n"})
    memoro("sync")

    assert apsw.sqlite_lib_version() in memoro("status").out
    assert apsw.sqlite_lib_version() in memoro("doctor").out


def test_the_caches_of_all_databases_stay_within_a_limit_together(tmp_path: Path) -> None:
    file, limit = str(tmp_path / "a.db"), 4_000_000
    with connect(file, engine(str(tmp_path)), create=True) as db:
        db.execute("CREATE TABLE t (words)")
        db.executemany("INSERT INTO t VALUES (zeroblob(1500))", [()] * 2000)
    before = limit_caches(apsw.memory_used() + limit)
    readers = []
    try:
        used = apsw.memory_used()
        for _ in range(4):
            readers.append(connect(file, engine(str(tmp_path))))
            readers[-1].pragma("cache_size", -16_000)
            assert readers[-1].execute("SELECT sum(length(words)) FROM t").get == 3_000_000
        assert apsw.memory_used() - used < 1.5 * limit
    finally:
        limit_caches(before)
        for reader in readers:
            reader.close()
