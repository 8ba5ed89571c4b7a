"""Every operation on the index file may fail. The caller gets a plain error, the index its old state or the new."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

import apsw
import pytest

import memoro
from memoro.config import Settings
from memoro.errors import MemoroError
from memoro.index.report import Options
from memoro.index.sync import check_against, sync
from memoro.index.sync_run import SyncSource
from memoro.model.answers import Where
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.vault.files import VaultFiles
from tests.conftest import times
from tests.indexes import WORDS, Said, change_vault, complaints, fresh, make_vault, said

RULES = Settings().rules
NOTES = 24
SECONDS = 20  # a run takes a twentieth of one; the engine would wait 30 for a lock that never comes free
FAILURES = {
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "open": apsw.SQLITE_CANTOPEN,
}
FILLS = ("write", "truncate", "sync")  # what a full disk refuses


class Faults:
    """Counts the operations of a run, and fails the chosen one, or that one and all after it."""

    def __init__(self) -> None:
        self.lift()

    def lift(self) -> None:
        self.aim(None)

    def aim(self, at: int | None, *, lasting: bool = False, full: bool = False) -> None:
        self._at, self._lasting, self._full = at, lasting, full
        self._then: Callable[[], object] | None = None
        self.kinds: list[str] = []
        self.pages: set[int] = set()  # where whole pages were read, in any file

    def before(self, at: int, then: Callable[[], object]) -> None:
        """Do something right before that operation, rather than fail it."""
        self.aim(at)
        self._then = then

    def step(self, operation: str) -> None:
        self.kinds.append(operation)
        count = len(self.kinds)
        if self._at is None or not (count == self._at or (self._lasting and count > self._at)):
            return
        if self._then:
            self._then()
        else:
            raise apsw.exception_for(apsw.SQLITE_FULL if self._full and operation in FILLS else FAILURES[operation])


class FaultyFile(apsw.VFSFile):
    def __init__(self, base: str, name: Any, flags: list[int], faults: Faults) -> None:
        faults.step("open")
        super().__init__(base, name, flags)
        self._faults = faults

    def xRead(self, amount: int, offset: int) -> bytes:
        self._faults.step("read")
        if amount == 4096:
            self._faults.pages.add(offset)
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:
        self._faults.step("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._faults.step("sync")
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:
        self._faults.step("truncate")
        super().xTruncate(newsize)

    def excepthook(self, *_: object) -> bool:
        return True  # what the engine lives with, as a log that cannot be deleted, is not printed


class FaultyDisk(apsw.VFS):
    def __init__(self, name: str, base: str) -> None:
        self.faults = Faults()
        self._base = base
        super().__init__(name, base)

    def xOpen(self, name: Any, flags: list[int]) -> FaultyFile:
        return FaultyFile(self._base, name, flags, self.faults)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.faults.step("delete")
        super().xDelete(filename, syncdir)

    def excepthook(self, *_: object) -> bool:
        return True


class Disk(NamedTuple):
    """A way to open homes whose every operation can be made to fail."""

    name: str
    wal: bool
    faults: Faults

    def home(self, folder: Path) -> SqliteIndexHome:
        return SqliteIndexHome(str(folder), engine(str(folder))._replace(vfs=self.name, wal=self.wal))


@pytest.fixture(scope="module")
def disks() -> Iterator[dict[str, Disk]]:
    base = engine("/").vfs
    assert base == "cksmvfs", "the checksum layer is part of what is tested"
    faulty = FaultyDisk("faulty", base)
    yield {
        "wal": Disk("faulty", True, faulty.faults),
        "journal": Disk("faulty", False, faulty.faults),
    }
    faulty.unregister()


class Scene(NamedTuple):
    """A home as it is before, what is done in it, and what it may say afterwards."""

    template: Path | None
    work: Callable[[SqliteIndexHome], object]
    old: Said | None
    new: Said
    whole: bool  # all of it changes at once, and not file by file


class Stage(NamedTuple):
    vault: Path
    files: VaultFiles
    before: Path  # a home from before the vault changed
    crashed: Path  # the same as a process left it that died with an unmerged log
    old: Said
    new: Said

    def frequency(self, stem: str) -> int:
        return next((cast(int, doc) for term, doc, _ in self.old.words if term == stem), 0)


def options() -> Options:
    return Options(time.strftime("%Y-%m-%dT%H:%M:%S"))


def make_stage(folder: Path, disk: Disk) -> Stage:
    vault = make_vault(folder / "vault", NOTES)
    files = VaultFiles(str(vault))
    before, crashed = folder / "before", folder / "crashed"
    for home in (before, crashed):
        home.mkdir()
    indexes = disk.home(before)
    sync(indexes.first(), SyncSource(files, RULES), options())
    indexes.close()
    old = said(before)
    shutil.copytree(before, crashed, dirs_exist_ok=True)
    leave_a_log(crashed, disk)
    change_vault(vault, random.Random(2), edits=8, few=3)
    return Stage(vault, files, before, crashed, old, fresh(vault, folder / "fresh"))


def leave_a_log(home: Path, disk: Disk) -> None:
    """Make the home look as after a kill: changes in a log that nobody has merged or rolled back."""
    indexes = disk.home(home)
    index = indexes.first()
    index.put_meta({"before": "a crash"})
    delete_journal = len(operations_of(disk, lambda: index.put_meta({"before": "a crash too"})))
    corpse = home.with_name("corpse")
    disk.faults.before(delete_journal, lambda: shutil.copytree(home, corpse))
    index.put_meta({"before": "a crash"})
    indexes.close()
    assert [file for file in corpse.iterdir() if file.name.endswith(("-wal", "-journal")) and file.stat().st_size]
    shutil.rmtree(home)
    corpse.rename(home)


def scenes(stage: Stage) -> dict[str, Scene]:
    def first(home: SqliteIndexHome) -> None:
        sync(home.first(), SyncSource(stage.files, RULES), options())

    def build(home: SqliteIndexHome) -> None:
        with home.next() as index:
            check_against(home.current(), SyncSource(stage.files, RULES), options())
            sync(index, SyncSource(stage.files, RULES), options())

    def read(home: SqliteIndexHome) -> None:
        index = home.current()
        assert index is not None
        assert index.files().keys() == {path for path, *_ in stage.old.files}
        assert index.counts().chunks == len(stage.old.chunks)
        assert index.check() == []
        for word in WORDS[:40:4]:
            terms = index.terms(word)
            assert index.statistics(terms).frequencies == {t.stem: stage.frequency(t.stem) for t in terms}
            assert len(index.match(terms, Where(), 200)) == sum(stage.frequency(t.stem) for t in terms)

    return {
        "first sync": Scene(None, first, None, stage.new, whole=False),
        "sync": Scene(stage.before, first, stage.old, stage.new, whole=False),
        "rebuild": Scene(stage.before, build, stage.old, stage.new, whole=True),
        "search": Scene(stage.before, read, stage.old, stage.old, whole=True),
        "sync after a crash": Scene(stage.crashed, first, stage.old, stage.new, whole=False),
        "search after a crash": Scene(stage.crashed, read, stage.old, stage.old, whole=True),
    }


@contextmanager
def no_hang(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError("the run hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def set_up(scene: Scene, home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    if scene.template:
        shutil.copytree(scene.template, home)
    else:
        home.mkdir()


def operations(scene: Scene, disk: Disk, home: Path) -> list[str]:
    """What is done to the disk in a run in which nothing fails."""
    set_up(scene, home)
    indexes = disk.home(home)

    def run() -> None:
        scene.work(indexes)
        indexes.close()

    return operations_of(disk, run)


def operations_of(disk: Disk, work: Callable[[], object]) -> list[str]:
    disk.faults.lift()
    work()
    return disk.faults.kinds


def whole_files(there: Said) -> dict[object, tuple[object, ...]]:
    """For every visible file all that is said about it."""
    return {
        file[0]: (
            file,
            tuple(chunk for chunk in there.chunks if chunk[0] == file[0]),
            tuple(tag for tag in there.tags if tag[0] == file[0]),
        )
        for file in there.files
    }


def assert_old_or_new(scene: Scene, home: Path) -> None:
    if not list(home.glob("index.*[0-9].db")):
        assert scene.old is None
        return
    there = said(home)
    if scene.whole:
        assert there in (scene.old, scene.new)
        return
    olds, news = whole_files(scene.old) if scene.old else {}, whole_files(scene.new)
    for path, whole in whole_files(there).items():
        assert whole in (olds.get(path), news.get(path)), f"half of {path}"


def run_with_fault(scene: Scene, disk: Disk, home: Path, at: int, *, lasting: bool, full: bool) -> bool:
    """Whether the work failed for it. Anything but success or an error of ours ends the test here."""
    set_up(scene, home)
    indexes = disk.home(home)
    disk.faults.aim(at, lasting=lasting, full=full)
    try:
        failed = True
        with no_hang(SECONDS), suppress(MemoroError):
            scene.work(indexes)
            failed = False
        with no_hang(SECONDS), suppress(MemoroError):
            if at % 2:
                indexes.close()
    finally:
        disk.faults.lift()
    assert_old_or_new(scene, home)
    assert failed or said(home) == scene.new
    assert complaints(home) == []
    scene.work(indexes)  # it works again, through the very object that met the fault where that is still open
    indexes.close()
    assert said(home) == scene.new
    return failed


def assert_mended(stage: Stage, home: Path) -> None:
    with memoro.open(home, stage.vault) as m:
        assert m.sync().rebuilt is None
    assert said(home) == stage.new


def fail_everywhere(scene: Scene, disk: Disk, home: Path, *, every: int) -> list[bool]:
    """Fail each `every`-th operation: once or for good, as an error or as a full disk. What failed for it."""
    kinds = operations(scene, disk, home)
    points: list[bool] = []
    for lasting, full in ((False, False), (True, False), (False, True), (True, True)):
        chosen = [at for at, kind in enumerate(kinds, 1) if not full or kind in FILLS]
        for at in chosen[len(points) % every :: every]:
            points.append(run_with_fault(scene, disk, home, at, lasting=lasting, full=full))
    return points


# A connection that is let go of while the disk fails is closed all the same; a disk written in Python complains.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.campaign
@pytest.mark.parametrize("kind", ["wal", "journal"])
def test_a_failing_disk_gives_a_plain_error_and_costs_nothing(kind: str, disks: dict[str, Disk], tmp_path: Path):
    disk = disks[kind]
    stage = make_stage(tmp_path, disk)
    points: list[bool] = []

    for scene in scenes(stage).values():
        points += fail_everywhere(scene, disk, tmp_path / "home", every=times(29, 1))

    print(len(points), "points,", sum(points), "errors")
    assert len(points) >= times(50, 1_700)
    assert sum(points) > len(points) // 2, "most faults went unnoticed"


@pytest.mark.campaign
@pytest.mark.parametrize("kind", ["wal", "journal"])
def test_a_process_may_die_between_any_two_operations(kind: str, disks: dict[str, Disk], tmp_path: Path):
    disk = disks[kind]
    stage = make_stage(tmp_path, disk)
    home, corpse = tmp_path / "home", tmp_path / "corpse"
    for name, scene in scenes(stage).items():
        if name.startswith("search"):
            continue
        total, deaths = len(operations(scene, disk, home)), 0
        for at in range(1 + len(name) % times(17, 1), total + 1, times(17, 1)):
            set_up(scene, home)
            shutil.rmtree(corpse, ignore_errors=True)
            indexes = disk.home(home)
            disk.faults.before(at, lambda: shutil.copytree(home, corpse))
            scene.work(indexes)
            indexes.close()
            if not corpse.exists():  # on a busy machine it may take fewer operations than when they were counted
                break
            deaths += 1
            assert_old_or_new(scene, corpse)
            assert complaints(corpse) == []
            assert_mended(stage, corpse)
        assert deaths


# Of what the command asks the system itself, beside what SQLite does; with how the answer may turn out.
CALLS = {"flock": "ENOLCK", "rename": "ENOSPC", "fsync": "EIO", "unlink": "EPERM", "mkdir": "EROFS"}


def can_trace() -> bool:
    return (
        bool(shutil.which("strace"))
        and not subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode
    )


@pytest.mark.campaign
@pytest.mark.parametrize("call", CALLS)
def test_a_system_call_that_fails_gives_a_plain_error(call: str, tmp_path: Path):
    if not can_trace():
        pytest.skip("needs strace")
    vault, home, log = make_vault(tmp_path / "vault", 5), tmp_path / "home", tmp_path / "log"
    expected = fresh(vault, tmp_path / "fresh")
    memoro_command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault)]
    for arguments in (["sync"], ["sync", "--force"], ["search", WORDS[0]]):
        for at in range(1, times(4, 40)):
            inject = f"inject={call}:error={CALLS[call]}:when={at}"
            trace = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", "-e", inject]
            done = subprocess.run([*trace, *memoro_command, *arguments], capture_output=True, text=True, check=False)
            if "(INJECTED)" not in log.read_text():
                break
            assert done.returncode in (0, 1, 3, 4), done.stderr
            assert "Traceback" not in done.stderr
            with memoro.open(home, vault) as m:
                m.sync()
            assert said(home) == expected
            if arguments == ["sync"]:
                shutil.rmtree(home)  # the first sync is the one with most to do
