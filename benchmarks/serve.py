"""`memoro serve`: how soon it knows of a change, and what it costs while nothing happens.

`python -m benchmarks.serve [idle|findable|burst]` runs one of the three; the first takes ten minutes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import memoro
from benchmarks import corpus, logs, measure

NOTES = 2000
LOG_MEGABYTES = 4
APPENDS = 50
BURST = 50_000
IDLE_MINUTES = 10


def run(*chosen: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        corpus.write_notes(base / "vault", NOTES)
        logs.make(base / "logs", LOG_MEGABYTES)
        home = base / "home"
        home.mkdir(mode=0o700)
        (home / "memoro.toml").write_text(f"[transcripts]\nfolders = {json.dumps([str(base / 'logs')])}\n")
        print(f"{NOTES} notes, {logs.FILES} logs of {LOG_MEGABYTES} MB together")
        with serving(base) as process:
            parts = {"idle": _idle, "findable": _findable, "burst": _burst}
            for name in chosen or parts:
                parts[name](base, process.pid)


@contextmanager
def serving(base: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`memoro serve` on this home, once its first sync is done."""
    command = [sys.executable, "-m", "memoro", "--home", str(base / "home"), "--vault", str(base / "vault"), "serve"]
    with (base / "out").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        _wait(lambda: "start: " in (base / "out").read_text(), 600)
        yield process
        process.terminate()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


def _idle(_base: Path, pid: int) -> None:
    time.sleep(10)
    before, started = _cpu(pid), time.monotonic()
    time.sleep(IDLE_MINUTES * 60)
    used, passed = _cpu(pid) - before, time.monotonic() - started
    memory = next(line.split()[1] for line in _proc(pid, "status").splitlines() if line.startswith("VmRSS"))
    share = 100 * used / passed
    print(f"idle for {passed / 60:.1f} minutes: {used:.2f} s of CPU ({share:.3f} %), {int(memory) // 1024} MB")


def _cpu(pid: int) -> float:
    fields = _proc(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _proc(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


def without_sync(m: memoro.Workspace) -> memoro.Workspace:
    """The same home, in which a search does not sync."""
    settings = m.settings._replace(sync=m.settings.sync._replace(on_search=False))
    return memoro.Workspace(m.home_context._replace(settings=settings))


def _findable(base: Path, _pid: int) -> None:
    log = sorted((base / "logs").rglob("*.jsonl"))[3]
    with memoro.open(base / "home", base / "vault") as m:
        m.search("warm up")
        asked = [_asked(m, log, number) for number in range(APPENDS)]
    with memoro.open(base / "home", base / "vault") as usual, without_sync(usual) as m:
        grown = [_alone(m, number, lambda word, n: _append(log, word, 50, n)) for number in range(APPENDS)]
        saved = [_alone(m, number, lambda word, n: _save(base / "vault", word, n)) for number in range(APPENDS)]
    measure.table(
        ("seconds until it is found", "median", "worst", "of"),
        [
            ("one message in a log; a search in another process asks at once", *_spread(asked)),
            ("50 messages in a log, the threshold; `serve` alone", *_spread(grown)),
            ("a note; `serve` alone", *_spread(saved)),
        ],
    )


def _spread(found: list[float]) -> tuple[float, float, int]:
    return statistics.median(found), max(found), len(found)


def _asked(m: memoro.Workspace, log: Path, number: int) -> float:
    word = f"asked{number:03}x"
    _append(log, word, 1, number)
    started = time.perf_counter()
    answer = m.search(word, mode="words")
    if not answer.results:  # it says so where somebody else was syncing, and is asked again
        assert any("another process is syncing" in line for line in answer.degraded)
        _wait(lambda: bool(m.search(word, mode="words").results), 60)
    return time.perf_counter() - started


def _alone(m: memoro.Workspace, number: int, change: Callable[[str, int], None]) -> float:
    """Until `serve` has made it findable: we only look, and sync nothing."""
    time.sleep(0.37 * (number % 7))  # at every phase of whoever looks by the clock
    word = f"alone{time.time_ns()}x"
    change(word, number)
    started = time.perf_counter()
    _wait(lambda: bool(m.search(word, mode="words").results), 120)
    return time.perf_counter() - started


def _append(log: Path, word: str, messages: int, number: int) -> None:
    with log.open("a") as out:
        for i in range(messages):
            out.write(logs.record("user", f"{word}-{i}", f"What about the {word} today", number))


def _save(vault: Path, word: str, number: int) -> None:
    (vault / f"saved-{number}.md").write_text(f"# A note\n\nIt is about the {word}.\n")


def _burst(base: Path, pid: int) -> None:
    before, started = _cpu(pid), time.perf_counter()
    for number in range(BURST):
        file = base / "vault" / f"burst-{number % 50}" / f"{number}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {number}\n\nThe word of this note is burst{number}.\n")
    written = time.perf_counter() - started
    with memoro.open(base / "home", base / "vault") as m:
        _wait(lambda: sum(path.startswith("burst-") for path in _said(m)[0]) == BURST, 600)
        took = time.perf_counter() - started - written
        used = _cpu(pid) - before
        _wait(lambda: not m.status().dirty, 120)
        said = _said(m)
    fresh = base / "fresh"
    fresh.mkdir(mode=0o700)
    (fresh / "memoro.toml").write_bytes((base / "home" / "memoro.toml").read_bytes())
    with memoro.open(fresh, base / "vault") as m:
        m.sync()
        same = said == _said(m)
    print(
        f"{BURST:,} new notes, written in {written:.0f} s: all in the index {took:.0f} s after the last was, "
        f"with {used:.0f} s of CPU; equal to a fresh index: {same}"
    )


def _said(m: memoro.Workspace) -> tuple[dict[str, str], int]:
    """What the index holds: each file by its digest, and how many passages."""
    indexes = m.indexes()
    index = indexes.current() if indexes else None
    assert index is not None
    found = {path: entry.digest for path, entry in index.files().items() if not entry.gone_at}
    return found, index.counts().chunks


def _wait(done: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.05)


if __name__ == "__main__":
    run(*sys.argv[1:])
