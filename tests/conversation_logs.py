"""Conversation logs of Claude Code for tests, written from lines such as `User: I moved to Porto.`"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

SESSION = "7d3c1a52-3a1e-4a7b-9a51-1e2f3a4b5c6d"
SHORT = "1e2f3a4b5c6d"  # as a daily line names it
DAY = "2026-03-05"


def record(number: int, side: str, content: object, **more: object) -> dict[str, object]:
    """Return one record of a log."""
    return {
        "type": side,
        "uuid": f"u{number}",
        "sessionId": SESSION,
        "timestamp": f"{DAY}T10:{number % 60:02d}:00+00:00",
        "cwd": "/w/parcels",
        "message": {"role": side, "content": content},
        **more,
    }


def talk(*said: str) -> list[dict[str, object]]:
    """Return the records of messages: those of the user, with the agent's answer after each that has none."""
    records: list[dict[str, object]] = []
    for one in said:
        side, _, text = one.partition(": ")
        records.append(record(len(records) + 1, {"User": "user", "Agent": "assistant"}[side], text))
    return records


def write_log(folder: Path, records: Sequence[dict[str, object]], session: str = SESSION) -> Path:
    """Write a log where Claude Code keeps it below this home folder."""
    log = folder / ".claude" / "projects" / "-w-parcels" / f"{session}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return log
