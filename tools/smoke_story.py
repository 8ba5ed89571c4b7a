"""What an installed Memoro must be able to do, through its command alone, outside of the checkout."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SECONDS = 120
NOTES = {
    "MEMORY.md": "# Memory\n\n- The kettle is blue.\n",
    "garden.md": "# Garden\n\nThe tomatoes need water every evening in July.\n",
    "bicycle.md": "# Bicycle\n\nThe chain was replaced in March; the brakes squeal in rain.\n",
}


class SmokeFailed(Exception):
    """A step did not do what it must."""


class Installed(NamedTuple):
    """A command `memoro`, and a person's home folder in which it is tried."""

    program: tuple[str, ...]
    folder: Path
    more: Mapping[str, str] = {}  # variables of the environment

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **self.more}

    def run(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        """Run the command; returns both of its outputs. Raises SmokeFailed for another exit code, or a traceback."""
        done = subprocess.run(
            [*self.program, *arguments], env=self.environment, cwd=self.folder, input=stdin, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode != code or "Traceback" in done.stdout:
            raise SmokeFailed(f"`memoro {' '.join(arguments)}` ended with {done.returncode}:\n{done.stdout}")
        return done.stdout


def expect(said: str, *wanted: str) -> None:
    for text in wanted:
        if text not in said:
            raise SmokeFailed(f"{text!r} is missing in:\n{said}")


def base_story(memoro: Installed, version: str) -> list[str]:
    """Do what a person does first, from `--help` to `uninstall`; returns the names of the steps."""
    notes = memoro.folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text)
    steps: list[tuple[str, Callable[[Installed], None]]] = [
        ("help", lambda m: expect(m.run("--help") + m.run("--version"), "a memory for AI agents", version)),
        ("init", lambda m: expect(m.run("init", str(notes)), "3 added")),
        ("search by words", lambda m: expect(m.run("search", "tomatoes", "--mode", "words"), "1. Garden")),
        ("search by meaning", lambda m: expect(_first(m.run("search", "vegetables", "--mode", "vectors")), "Garden")),
        ("memory", _memory),
        ("recall", lambda m: expect(m.run("recall", "What colour is the kettle?"), "blue")),
        ("hook", _hook),
        ("connect", _connect),
        ("doctor", lambda m: expect(m.run("doctor"), "✓ index", "✓ ledger", "✓ model")),
        ("demo", lambda m: expect(m.run("demo", str(m.folder / "demo")), "sample notes")),
        ("completion", lambda m: expect(m.run("completion", "bash"), "complete ")),
        ("uninstall", _uninstall),
    ]
    for name, step in steps:
        try:
            step(memoro)
        except SmokeFailed as error:
            raise SmokeFailed(f"{name}: {error}") from error
    return [name for name, _ in steps]


def _first(found: str) -> str:
    return found.partition("\n")[0]


def _memory(memoro: Installed) -> None:
    expect(memoro.run("memory", "store", "The spare key is at Ada's."), "stored")
    expect(memoro.run("memory", "query", "spare key"), "at Ada's")


def _hook(memoro: Installed) -> None:
    event = {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup", "cwd": str(memoro.folder)}
    answer = json.loads(memoro.run("hook", "claude", stdin=json.dumps(event)))
    expect(answer["hookSpecificOutput"]["additionalContext"], "The kettle is blue")


def _connect(memoro: Installed) -> None:
    expect(memoro.run("connect", "codex", "--print"), "[mcp_servers.memoro]", "SessionStart")
    memoro.run("connect", "codex", "--yes")
    expect((memoro.folder / ".codex" / "hooks.json").read_text(), "hook codex")


def _uninstall(memoro: Installed) -> None:
    memoro.run("uninstall", "--yes")
    left = sorted(name for name in os.listdir(memoro.folder) if name not in ("demo", ".cache"))
    if left != ["notes"]:
        raise SmokeFailed(f"This is left beside the notes: {left}.")


def median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
