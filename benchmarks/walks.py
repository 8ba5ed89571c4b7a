"""`python -m benchmarks.walks NAME`: count the calls that one everyday task makes inside Memoro."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import memoro

SOURCE = os.path.dirname(memoro.__file__) + os.sep
FACADE = {SOURCE + "workspace.py", SOURCE + "keeping.py"}  # the second one belongs to 0.1.0
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<module>"}


class Counter:
    """Counts calls into Memoro's own functions; comprehensions belong to the function around them."""

    def __init__(self) -> None:
        self.calls = 0
        self.functions: set[tuple[str, str]] = set()
        self.facade: list[str] = []  # every entry from outside, by the function that was entered

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCE) or code.co_name in COMPREHENSIONS:
            return
        self.calls += 1
        self.functions.add((code.co_filename, code.co_qualname))
        if code.co_filename in FACADE and _caller(frame) not in FACADE:
            self.facade.append(code.co_qualname)

    def run(self, work: Callable[[], object]) -> None:
        sys.setprofile(self)
        try:
            work()
        finally:
            sys.setprofile(None)


def _caller(frame: FrameType) -> str | None:
    back = frame.f_back
    while back is not None and back.f_code.co_name in COMPREHENSIONS:
        back = back.f_back
    return back.f_code.co_filename if back is not None else None


def edit(m: memoro.Workspace, vault: Path, counter: Counter) -> None:
    """A note is edited on disk, then found."""
    m.search("harbour lantern")

    def work() -> None:
        (vault / "a.md").write_text("# Harbour\n\nThe lantern by the quay is green since Monday.\n")
        m.search("green lantern by the quay")

    counter.run(work)


def message(m: memoro.Workspace, vault: Path, counter: Counter) -> None:
    """A person's message reaches the hook, which answers with context."""
    from memoro.cli import hook

    m.search("lantern")
    m.memories.store("The lantern code is 4711.")
    prompt = "Which colour has the lantern by the quay?"
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": prompt, "cwd": str(vault)}
    read, write = os.pipe()
    os.write(write, json.dumps({**event, "transcript_path": ""}).encode())
    os.close(write)
    os.dup2(read, 0)
    kept = os.dup(1)
    counter.run(lambda: hook.respond(hook.HookCall("claude", str(m.home), str(vault))))
    os.dup2(kept, 1)


def memory(m: memoro.Workspace, _vault: Path, counter: Counter) -> None:
    """A memory is stored, found, reinforced and archived, and the last step is undone."""

    def work() -> None:
        number = m.memories.store("Prefers tabs over spaces.").memory.id
        m.memories.query("tabs")
        m.memories.reinforce(number)
        m.memories.archive(number)
        m.journal.undo()

    counter.run(work)


WALKS = {"edit": edit, "message": message, "memory": memory}


def main(name: str) -> None:
    counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder, "vault")
        vault.mkdir()
        for letter in "abcdefgh":
            text = f"# Note {letter}\n\nThe lantern by the quay was red. Harbour {letter}.\n"
            (vault / f"{letter}.md").write_text(text)
        with memoro.open(Path(folder, "home"), vault) as m:
            WALKS[name](m, vault, counter)
    counted = {
        "calls": counter.calls,
        "distinct functions": len(counter.functions),
        "modules": len({file for file, _ in counter.functions}),
        "facade functions entered": len(set(counter.facade)),
        "entries into the facade": len(counter.facade),
    }
    print("\n" + json.dumps(counted))


if __name__ == "__main__":
    main(sys.argv[1])
