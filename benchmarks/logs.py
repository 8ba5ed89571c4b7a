"""Conversation logs: what it costs to index them, to see that nothing has changed, and to read on.

`python -m benchmarks.logs [MEGABYTES]` makes logs in the format of Claude Code, nine tenths of them what tools gave,
with 100 messages for each megabyte.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import memoro

MESSAGES_PER_MB = 100
FILES = 40
_WORDS = [
    "parser", "lexer", "token", "cache", "index", "query", "score", "vector", "note", "memory", "session", "agent",
    "deploy", "server", "port", "test", "failure", "branch", "commit", "merge", "review", "budget", "retry",
    "queue", "worker", "schema", "table", "column", "migration", "backup", "release", "password", "summer", "garden",
]  # fmt: skip


def make(folder: Path, megabytes: int, *, seed: int = 1) -> int:
    """Logs of about that size; how many messages there are."""
    chance = random.Random(seed)
    messages = megabytes * MESSAGES_PER_MB
    each = messages // FILES
    payload = max(1, int(megabytes * 1_000_000 * 0.9 / messages))
    for number in range(FILES):
        place = folder / f"-w-project{number % 8}"
        place.mkdir(parents=True, exist_ok=True)
        with (place / f"session-{number:03}.jsonl").open("w") as out:
            for i in range(each):
                side = "assistant" if i % 2 else "user"
                out.write(record(side, f"{number}-{i}", [{"type": "text", "text": _prose(chance, 150)}], number))
                result = {"type": "tool_result", "tool_use_id": "t", "content": _payload(chance, payload)}
                out.write(record("user", f"{number}-{i}-r", [result], number, toolUseResult={"stdout": ""}))
    return each * FILES


def record(side: str, name: str, content: object, number: int, **more: object) -> str:
    record = {
        "type": side, "uuid": name, "parentUuid": None, "sessionId": f"s{number}", "isSidechain": False,
        "timestamp": f"2026-{1 + number % 12:02}-01T10:00:00.000Z", "cwd": f"/w/project{number % 8}",
        "message": {"role": side, "content": content}, **more,
    }  # fmt: skip
    return json.dumps(record, separators=(",", ":")) + "\n"


def _prose(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(_WORDS) + (str(chance.randrange(1000)) if i % 9 == 0 else "") for i in range(words))


def _payload(chance: random.Random, size: int) -> str:
    line = f'{chance.random()} "quoted" \\path\\n def function(argument): return argument\n'
    return (line * (size // len(line) + 1))[:size]


def run(megabytes: int = 40) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        (base / "vault").mkdir()
        messages = make(base / "logs", megabytes)
        size = sum(file.stat().st_size for file in (base / "logs").rglob("*.jsonl"))
        print(f"{size / 1e6:.0f} MB of logs, {messages} messages in {FILES} files")
        setting = json.dumps([str(base / "logs")])
        for embed in (False, True):
            home = base / f"home-{embed}"
            home.mkdir(mode=0o700)
            enabled = str(embed).lower()
            (home / "memoro.toml").write_text(
                f"[transcripts]\nfolders = {setting}\n[embedding]\nenabled = {enabled}\n"
            )
            _measure(home, base, messages, "words and meaning" if embed else "words alone")


def _measure(home: Path, base: Path, messages: int, what: str) -> None:
    with memoro.open(home, base / "vault") as m:
        cpu, started = time.process_time(), time.perf_counter()
        report = m.sync()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{what}: first index {messages / cpu:,.0f} messages per CPU-second ({cpu:.1f} s CPU, {wall:.1f} s), "
            f"{report.chunks} passages, at most {peak:.0f} MB"
        )
        assert report.chunks >= messages
        time.sleep(2.1)
        m.sync()
        idle = _timed(m)
        log = next(iter(sorted((base / "logs").rglob("*.jsonl"))))
        before = os.stat(log).st_size
        with log.open("a") as out:
            out.write(record("user", f"new-{what}", "A new message about the aardvark", 0))
        grown = _timed(m)
        assert m.search("aardvark", mode="words").results
        print(f"  nothing changed: {idle:.1f} ms; one message more in a log of {before / 1e6:.1f} MB: {grown:.1f} ms")


def _timed(m: memoro.Workspace) -> float:
    started = time.perf_counter()
    m.sync()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    run(*map(int, sys.argv[1:2]))
