"""The power may go at any moment, and take or tear whatever was not yet synced. Nothing acknowledged goes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from memoro.ledger.archive import PruneLimits
from memoro.ledger.services import Choices, LedgerServices, Who
from memoro.memories.lifecycle import Weights
from memoro.store.sqlite import durable
from memoro.store.sqlite.engine import Engine, connect, engine
from tests.conftest import times
from tests.ledgers import OpenedWith, database_of, index_in_memory
from tests.raw_sqlite import memories_in

SECTOR = 512
NAME = "power"


class Platter:
    """What of one file is on the disk for sure, and what was done to it since, in order."""

    def __init__(self, file: Path) -> None:
        self.durable = bytearray(file.read_bytes() if file.exists() else b"")
        self.since: list[tuple[int, bytes | None]] = []  # offset and bytes; or a new length, and None

    def sync(self) -> None:
        for where, data in self.since:
            _apply(self.durable, where, data)
        self.since = []

    def after_a_cut(self, rng: random.Random) -> bytes:
        """Of the unsynced writes any may be there, in any order, and any may be torn at a sector."""
        left = bytearray(self.durable)
        pending = list(self.since)
        if rng.random() < 0.5:
            rng.shuffle(pending)
        share = rng.choice([0.0, 0.3, 0.7, 0.95, 1.0])
        for where, data in pending:
            if rng.random() >= share:
                continue
            if data and rng.random() < 0.2:
                data = data[: rng.randrange(0, len(data) + SECTOR, SECTOR)]
            _apply(left, where, data)
        return bytes(left)


def _apply(image: bytearray, where: int, data: bytes | None) -> None:
    if data is None:
        del image[where:]
        return
    if len(image) < where:
        image.extend(bytes(where - len(image)))
    image[where : where + len(data)] = data


class Disk(apsw.VFS):
    """A disk that writes through, remembers what is not synced, and calls `before_each` operation."""

    def __init__(self, name: str) -> None:
        self.platters: dict[Path, Platter] = {}
        self.before_each: Callable[[], None] = lambda: None
        super().__init__(name, "unix")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return DiskFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.before_each()
        super().xDelete(filename, syncdir)
        self.platters.pop(Path(filename), None)


class DiskFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        file = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        platter = disk.platters.get(file)
        if platter is None or not file.exists():
            platter = disk.platters[file] = Platter(file)
        self._disk, self._platter = disk, platter
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.before_each()
        super().xWrite(data, offset)
        self._platter.since.append((offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        self._disk.before_each()
        super().xTruncate(newsize)
        self._platter.since.append((newsize, None))

    def xSync(self, flags: int) -> None:  # noqa: ARG002
        self._disk.before_each()
        self._platter.sync()  # the real disk need not be waited for


@pytest.fixture(scope="module")
def disk() -> Iterator[Disk]:
    made = Disk(NAME)
    yield made
    made.unregister()


State = dict[int, tuple[str, int, bool]]  # number: content, feedback, archived


def state(home: Path) -> State:
    """What the databases say after the cut; they open, and pass every check."""
    found: State = {}
    for name, archived in (("archive.db", True), ("ledger.db", False)):
        if not (home / name).exists():
            continue
        for number, (content, feedback) in memories_in(home / name, checksums=False).items():
            found[number] = (content, feedback, archived)
    return found


class Cut(NamedTuple):
    acknowledged: int  # how many changes had been, when the power went
    left: State | str  # what was found afterwards, or why nothing could be


def services(home: Path, chosen: Engine) -> LedgerServices:
    made = LedgerServices(
        str(home),
        Choices(Weights(), PruneLimits(10**9, 1.0, 0), "0 4 * * *"),
        Who(None, None, (), lambda: datetime(2026, 3, 5, tzinfo=UTC)),
        index_in_memory(),
        OpenedWith(chosen),
    )
    made.access.after_write = lambda: None
    return made


class Run:
    """Changes to a ledger, one after the other, with the power going at chosen operations of the disk."""

    def __init__(self, folder: Path, disk: Disk, *, wal: bool, rng: random.Random) -> None:
        self._home, self._corpse = folder / "home", folder / "corpse"
        self._disk, self._rng, self._wal = disk, rng, wal
        self.home.mkdir(mode=0o700)
        disk.platters.clear()
        self.states: list[State] = [{}]
        self.cuts: list[Cut] = []

    @property
    def home(self) -> Path:
        return self._home

    def cut(self) -> None:
        """Another folder gets what the disk would hold if the power went now."""
        shutil.rmtree(self._corpse, ignore_errors=True)
        self._corpse.mkdir(mode=0o700)
        for file in self._home.iterdir():
            if file.name.endswith("-shm") or not file.is_file():
                continue  # shared memory is gone, of course
            platter = self._disk.platters.get(file)
            data = platter.after_a_cut(self._rng) if platter else file.read_bytes()
            (self._corpse / file.name).write_bytes(data)
        found: State | str
        try:
            found = state(self._corpse)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        self.cuts.append(Cut(len(self.states) - 1, found))

    def go(self, changes: int, *, every: int) -> None:
        def chance() -> None:
            if self._rng.randrange(every) == 0:
                self.cut()

        self._disk.before_each = chance
        opened = services(self._home, engine(str(self._home))._replace(vfs=NAME, wal=self._wal))
        try:
            for number in range(changes):
                after = dict(self.states[-1])
                self._change(opened, number, after)
                self.states.append(after)
                if self._rng.random() < 0.15:
                    database_of(opened.access.ledger).merge_log()
                if self._rng.random() < 0.05:
                    opened.close()  # the next change opens it anew
        finally:
            self._disk.before_each = lambda: None
            opened.close()

    def _change(self, opened: LedgerServices, number: int, after: State) -> None:
        kept = [n for n, (_, _, archived) in after.items() if not archived]
        away = [n for n, (_, _, archived) in after.items() if archived]
        match self._rng.randrange(6):
            case 0 if kept:
                one = opened.memories.reinforce(self._rng.choice(kept))
                after[one.id] = (one.content, one.feedback, False)
            case 1 if kept:
                one = opened.memories.archive(self._rng.choice(kept))
                after[one.id] = (one.content, one.feedback, True)
            case 2 if away:
                one = opened.memories.unarchive(self._rng.choice(away))
                after[one.id] = (one.content, one.feedback, False)
            case _:
                content = f"memory {number} " + "of many words " * self._rng.choice([1, 30, 300])
                one = opened.memories.store(content, key=f"k{number}").memory
                after[one.id] = (one.content, one.feedback, False)


def lost(run: Run) -> list[str]:
    """What is wrong after the cuts: neither the last acknowledged state, nor that of the change under way."""
    wrong = []
    for cut in run.cuts:
        before = run.states[cut.acknowledged]
        after = run.states[min(cut.acknowledged + 1, len(run.states) - 1)]
        if isinstance(cut.left, str):
            wrong.append(cut.left)
        elif not (cut.left in (before, after) or _between(cut.left, before, after)):
            wrong.append(f"after {cut.acknowledged} changes: {_difference(before, cut.left)}")
    return wrong


def _between(left: State, before: State, after: State) -> bool:
    """A memory that moves is in both files for a moment, and counts as being in the ledger."""
    moving = [n for n in after if n in before and before[n][2] != after[n][2]]
    return len(moving) == 1 and all(left.get(n) in (before[n], after[n]) for n in before)


def _difference(before: State, left: State) -> str:
    return f"lost {sorted(set(before) - set(left))}, changed {[n for n in before if left.get(n) != before[n]][:3]}"


def runs(folder: Path, disk: Disk, *, wal: bool, cuts: int, seed: int) -> Iterator[Run]:
    rng, done = random.Random(seed), 0
    while done < cuts:
        place = folder / f"run-{done}"
        place.mkdir()
        run = Run(place, disk, wal=wal, rng=rng)
        run.go(25, every=5 if wal else 15)
        yield run
        done += len(run.cuts)
        shutil.rmtree(place)


@pytest.mark.campaign
@pytest.mark.parametrize("wal", [True, False], ids=["log", "journal"])
def test_a_power_cut_takes_nothing_that_was_acknowledged(wal: bool, disk: Disk, tmp_path: Path):
    wrong: list[str] = []
    cuts = 0
    for run in runs(tmp_path, disk, wal=wal, cuts=times(240 if wal else 60, 8_000 if wal else 2_000), seed=wal):
        wrong += lost(run)
        cuts += len(run.cuts)
    print(f"{cuts} cuts, {len(wrong)} with a loss")
    assert wrong == []


@pytest.mark.parametrize("carelessness", ["NORMAL", "OFF"])
def test_the_simulated_disk_does_lose_what_is_not_synced(
    carelessness: str, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Else the test above would show nothing."""

    def careless(*arguments: Any, **options: Any) -> apsw.Connection:
        return connect(*arguments, **{**options, "synchronous": carelessness})

    monkeypatch.setattr(durable, "connect", careless)
    found: Sequence[str] = [line for run in runs(tmp_path, disk, wal=True, cuts=60, seed=3) for line in lost(run)]
    assert len(found) > 5
