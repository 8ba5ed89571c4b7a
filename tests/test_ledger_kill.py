"""A process that writes to the ledger may die at any moment: what it acknowledged is there, once, and whole."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro
from tests.conftest import run_memoro, times
from tests.raw_sqlite import Rows, assert_sound_file, dump, ids_in

MANY = 150


def assert_sound(home: Path) -> Rows:
    """The ledger passes every check, its word index has a row for each memory, and its journal tells of each."""
    for name in ("ledger.db", "archive.db"):
        if (home / name).exists():
            assert_sound_file(home / name)
    assert not list(home.glob("*damaged*"))
    rows = dump(home / "ledger.db")
    stored = Counter(row[6] for row in rows["journal"] if row[2] == "store")
    assert set(stored.values()) <= {1}, "stored twice"
    helped = Counter(row[6] for row in rows["journal"] if row[2] == "reinforce")
    for memory in rows["memories"]:
        assert memory[0] in stored, f"the journal does not know of {memory[0]}"
        assert memory[1] == 3 * helped[memory[0]], "feedback is not what the journal tells"
    return rows


def holds(home: Path) -> set[int]:
    """The numbers of all memories, here or in the archive."""
    return {row[0] for name in ("ledger.db", "archive.db") for row in dump(home / name)["memories"]}


class Write(NamedTuple):
    """One write with its key, as an agent sends it, and sends it again when it has heard nothing."""

    arguments: tuple[str, ...]

    def start(self, home: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "memoro", "--home", str(home), *self.arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )


def finished(process: subprocess.Popen[str]) -> tuple[bool, int | None]:
    """Whether it was killed at its work, and the number it acknowledged, if it did."""
    out, error = process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), error
    try:
        acknowledged = json.loads(out)["id"]
    except ValueError:
        acknowledged = None
    assert acknowledged is not None or process.returncode
    return process.returncode != 0, acknowledged


def writes(rng: random.Random) -> Iterator[Write]:
    number = 0
    while True:
        number += 1
        if number % 4 == 0:
            yield Write(("memory", "reinforce", str(rng.randrange(1, 3)), "--key", f"k{number}", "--json"))
        else:
            text = f"fact {number} about {rng.choice(['lamps', 'doors', 'rivers'])}"
            yield Write(("memory", "store", text, "--key", f"k{number}", "--json"))


def duration(home: Path, write: Write) -> float:
    started = time.monotonic()
    finished(write.start(home))
    return time.monotonic() - started


@pytest.mark.campaign
def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice_after_kills(tmp_path: Path):
    rng, home = random.Random(1), tmp_path / "home"
    todo = writes(rng)
    stored: dict[int, str] = {}
    helped: Counter[int] = Counter()
    seconds = max(duration(home, Write(("memory", "store", f"first {n}", "--json"))) for n in range(3))
    kills = inside = unheard = 0
    while kills < times(40, 1_000) or (inside < kills // 2 and kills < times(200, 2_000)):
        batch = [next(todo) for _ in range(2)]  # two at once, so that one dies while the other waits for it
        running = [write.start(home) for write in batch]
        for process in running:
            time.sleep(rng.uniform(0.2, 0.7) * seconds)
            process.kill()
        heard = [finished(process) for process in running]
        kills += 2
        inside += sum(died for died, _ in heard)
        again = [write.start(home) for write in batch]
        for write, (_, acknowledged), process in zip(batch, heard, again, strict=True):
            _, number = finished(process)
            assert number is not None
            assert acknowledged in (None, number), "a retry made another one"
            if write.arguments[1] == "store":
                stored[number] = write.arguments[2]
            else:
                helped[number] += 3
            unheard += acknowledged is None
    rows = assert_sound(home)
    there = {row[0]: row[-1] for row in rows["memories"]}
    assert {n: there.get(n) for n in stored} == stored
    assert sorted(set(there) - set(stored)) == [1, 2, 3]
    assert {row[0]: row[1] for row in rows["memories"] if row[1]} == {n: f for n, f in helped.items() if f}
    print(f"{kills} kills, {inside} at work; {len(stored)} stored, {sum(helped.values()) // 3} reinforced: 0 lost")
    assert inside >= times(20, 500), "most kills came too late to show anything"


def can_trace() -> bool:
    return (
        bool(shutil.which("strace"))
        and not subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode
    )


CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "rename", "mkdir")


def killed_at(home: Path, call: str, at: int, arguments: Iterable[str]) -> bool:
    """Run the command and kill it at its `at`-th call of that kind; False: there is no such call."""
    inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    inject += ["-e", f"inject={call}:signal=SIGKILL:when={at}"]
    command = [*inject, sys.executable, "-m", "memoro", "--home", str(home), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 5, -signal.SIGKILL, 128 + signal.SIGKILL), done.stderr
    return done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def points(template: Path, home: Path, arguments: Iterable[str], some: int) -> Iterator[str]:
    """A fresh copy of the template, killed at one call after another; in the short version at `some` of them."""
    if not can_trace():
        pytest.skip("needs strace, which is not on this machine")
    arguments, rng = list(arguments), random.Random(7)
    chosen = [(c, n) for c in CALLS for n in range(1, 40)]
    if times(0, 1):
        chosen = [(c, n) for c in CALLS for n in range(1, 150)]
    else:
        rng.shuffle(chosen)
    met, beyond = 0, dict.fromkeys(CALLS, 10**9)
    for call, at in chosen:
        if at >= beyond[call]:
            continue
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(template, home)
        if not killed_at(home, call, at, arguments):
            beyond[call] = at
            continue
        yield f"{call} {at}"
        met += 1
        if met >= times(some, 10**9):
            return


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has outgrown its size."""
    home = tmp_path_factory.mktemp("full") / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(
        '[memory]\nmax_size = "150KB"\nprune_percent = 5\n\n[embedding]\nenabled = false\n'
    )
    with memoro.open(home) as m:
        m.ledger.access.after_write = lambda: None  # its own pruning comes later
        for number in range(MANY):
            m.memories.store(f"memory {number} " + " ".join(f"word{number}x{n}" for n in range(40)))
        m.backups.create("daily")
    return home


@pytest.mark.campaign
def test_a_store_killed_at_any_system_call_is_there_once_after_a_retry(full: Path, tmp_path: Path):
    arguments = ["memory", "store", "the one fact that matters", "--key", "the key", "--json"]
    home = tmp_path / "home"
    count = 0
    for point in points(full, home, arguments, some=6):
        count += 1
        first = run_memoro("--home", str(home), *arguments)
        assert first.code == 0, (point, first.err)
        rows = assert_sound(home)
        assert [row[0] for row in rows["memories"] if row[-1] == "the one fact that matters"] == [first.json["id"]]
    print(f"{count} points")
    assert count >= times(5, 60)


@pytest.mark.campaign
def test_a_prune_killed_at_any_system_call_loses_no_memory(full: Path, tmp_path: Path):
    home = tmp_path / "home"
    moved = count = 0
    for point in points(full, home, ["memory", "prune"], some=7):
        count += 1
        assert holds(home) == set(range(1, MANY + 1)), point
        assert_sound(home)
        moved += (home / "archive.db").exists() and bool(ids_in(home / "archive.db"))
        done = run_memoro("--home", str(home), "memory", "prune", "--json")
        assert done.code == 0, done.err
        assert holds(home) == set(range(1, MANY + 1)), point
        with memoro.open(home) as m:  # in both files it is still one memory
            found = m.memories.query("memory", 200, archived=True).results
            assert len({one.memory.id for one in found}) == len(found)
    print(f"{count} points, in {moved} of them memories had been moved")
    assert moved
    assert count >= times(5, 100)


@pytest.mark.campaign
def test_a_backup_killed_at_any_system_call_is_whole_or_not_there(full: Path, tmp_path: Path):
    home = tmp_path / "home"
    count = 0
    for point in points(full, home, ["backup", "create"], some=5):
        count += 1
        listed = run_memoro("--home", str(home), "backup", "verify", "--json")
        assert listed.code == 0, (point, listed.out)
        assert len(listed.json["backups"]) in (1, 2), point
        assert run_memoro("--home", str(home), "backup", "create").code == 0
        assert not list((home / "backups").glob(".*")), "half a backup was left lying about"
        assert_sound(home)
    print(f"{count} points")
    assert count >= times(4, 30)


@pytest.mark.campaign
def test_a_forget_killed_at_any_system_call_is_completed_by_the_next_write(full: Path, tmp_path: Path):
    home, template = tmp_path / "home", tmp_path / "template"
    shutil.copytree(full, template)
    shutil.rmtree(template / "backups")
    with memoro.open(template) as m:
        m.ledger.access.after_write = lambda: None
        m.memories.archive(8)
        m.sync()
        m.backups.create("daily")  # so that the write below makes none of its own
    secret = b"word7x"
    count = 0
    for point in points(template, home, ["memory", "forget", "8", "--yes"], some=5):
        count += 1
        shutil.rmtree(home / "backups")
        done = run_memoro("--home", str(home), "memory", "store", f"something else, at {point}")
        assert done.code == 0, done.err
        rows = dump(home / "ledger.db")
        if 8 not in ids_in(home / "archive.db") or any(row[2] == "forget" for row in rows["journal"]):
            assert raw(home, secret) == [], f"killed at {point}, then finished, and still there"
        assert not [row for row in rows["meta"] if row[0] == "scrubbing"]
        again = run_memoro("--home", str(home), "memory", "forget", "8", "--yes")
        assert again.code in (0, 1), again.err
        assert raw(home, secret) == []
    print(f"{count} points")
    assert count >= times(4, 60)


def raw(home: Path, word: bytes) -> list[str]:
    """The files in which the word is, as bytes; a backup is named elsewhere and does not count."""
    files = [file for file in home.rglob("*") if file.is_file() and "backups" not in file.parts]
    return [file.name for file in files if word in file.read_bytes()]
