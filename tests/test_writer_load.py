"""Many processes at one note, and a disk without space: no line is lost, doubled or halved."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import memoro
from memoro.errors import MemoroError
from tests.conftest import fingerprint, times

PROCESSES = 8
SETTINGS = "[embedding]\nenabled = false\n"

WRITER = """
import json, sys, time
import memoro

home, vault, name, count = *sys.argv[1:4], int(sys.argv[4])
seconds = []
with memoro.open(home, vault) as m:
    m.search("warm", mode="words")
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        started = time.perf_counter()
        m.daily.add(f"line {number} of {name}.", by="agent")
        seconds.append(time.perf_counter() - started)
print(json.dumps(seconds))
"""


def prepared(home: Path, vault: Path) -> None:
    home.mkdir(parents=True, mode=0o700)
    vault.mkdir(parents=True)
    (home / "memoro.toml").write_text(SETTINGS)


def append_from(processes: int, count: int, home: Path, vault: Path) -> list[float]:
    """All begin at once; how long each append took."""
    command = [sys.executable, "-c", WRITER, str(home), str(vault)]
    running = [
        subprocess.Popen(
            [*command, f"process {number}", str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=600)[0] for process in running]
    assert [process.returncode for process in running] == [0] * processes
    return sorted(second for answer in answers for second in json.loads(answer))


def shown(seconds: list[float]) -> str:
    p50, p99 = (seconds[min(len(seconds) - 1, int(len(seconds) * share))] * 1000 for share in (0.5, 0.99))
    return f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, max {seconds[-1] * 1000:.1f} ms of {len(seconds)}"


@pytest.mark.campaign
def test_eight_processes_at_one_daily_note_lose_and_double_no_line(tmp_path: Path) -> None:
    count = times(15, 1_000)
    home, vault = tmp_path / "home", tmp_path / "vault"
    prepared(tmp_path / "alone/home", tmp_path / "alone/vault")
    prepared(home, vault)
    alone = append_from(1, times(15, 500), tmp_path / "alone/home", tmp_path / "alone/vault")
    together = append_from(PROCESSES, count, home, vault)
    print(f"append alone: {shown(alone)}; with {PROCESSES} processes: {shown(together)}")
    notes = list((vault / "daily").iterdir())
    lines = [re.sub(r"^- \d\d:\d\d ", "", line) for file in notes for line in file.read_text().splitlines()[2:]]
    expected = {f"line {number} of process {process}." for number in range(count) for process in range(PROCESSES)}
    assert Counter(lines) == Counter(expected)
    assert all(file.read_text().startswith(f"# {file.stem}\n\n- ") for file in notes)
    with memoro.open(home, vault) as m:
        told = Counter(entry.operation for entry in m.journal.log(10**6))
        assert told == {"daily": count * PROCESSES}
        with m.ledger.access.ledger.reading() as tx:
            assert tx.pending.all() == []
            assert len(tx.lines.all()) == count * PROCESSES
        before = fingerprint(vault)
        m.sync()
        assert fingerprint(vault) == before
    assert together[-1] < 30


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 megabytes, where the machine lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this machine lets nobody mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> None:
    descriptor = os.open(disk / "filling", os.O_WRONLY | os.O_CREAT)
    for size in (1 << 20, 4096, 1):
        with suppress(OSError):
            while True:
                os.write(descriptor, b"x" * size)
    os.close(descriptor)


@pytest.mark.parametrize("where", ["vault", "home", "both"])
def test_on_a_full_disk_nothing_is_half_written_and_forget_still_works(
    small_disk: Path, tmp_path: Path, where: str
) -> None:
    home = (tmp_path if where == "vault" else small_disk) / "home"
    vault = (tmp_path if where == "home" else small_disk) / "vault"
    prepared(home, vault)
    with memoro.open(home, vault) as m:
        m.sync()
        secret = m.remember("the word is kumquat")
        m.remember("tea is green")
        m.daily.add("zero")
        m.notes.new("long.md", "x" * 3_000)
        m.sync()
        fill(small_disk)
        before, told = fingerprint(vault), m.journal.log(100)
        acts: list[Callable[[], object]] = [
            lambda: m.daily.add("y" * 9_000),
            lambda: m.remember("word " * 2_000),
            lambda: m.notes.new("deep/new.md", "x" * 9_000),
            lambda: m.notes.edit("long.md", "y" * 90_000),
            lambda: m.memory_tool.create("/memories/x.md", "z" * 9_000),
        ]
        for act in acts:
            with pytest.raises(Exception, match=r"(?i)no space is left") as error:
                act()
            assert "Errno" not in str(error.value)
        assert fingerprint(vault) == before
        assert list(vault.rglob(".*")) == []
        assert m.journal.log(100) == told
        assert m.search("kumquat", mode="words").results
        if where == "vault":  # there is nothing of ours on that disk that could be freed
            with pytest.raises(MemoroError, match="No space is left"):
                m.forget(str(secret.id), yes=True)
            assert fingerprint(vault) == before
            (small_disk / "filling").unlink()
        m.forget(str(secret.id), yes=True)
        assert "kumquat" not in (vault / secret.path).read_text()
        assert "tea is green" in (vault / secret.path).read_text()
        assert m.search("kumquat", mode="words").results == ()
        (small_disk / "filling").unlink(missing_ok=True)
        for act in acts[:4]:
            act()
        assert (vault / "long.md").read_text() == "y" * 90_000
        assert m.sync().problems == ()
