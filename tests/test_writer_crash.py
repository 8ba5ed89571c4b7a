"""A write to the vault may end at any system call: the note is old or new, and the journal tells the truth.

With strace the real command is killed at each call that changes something, those of the databases included.
Where it is not installed, a shim on `os` does the same for the calls of the writer alone, and the test says so.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro
from tests.conftest import fingerprint, run_process, times, write_vault

KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)
CALLS = (
    "renameat2", "unlinkat", "renameat", "fsync", "mkdirat", "write", "fdatasync", "pwrite64", "ftruncate",
    "unlink", "rename", "mkdir", "linkat", "fchmod",
)  # fmt: skip

SHIM = """
import errno, os, signal, sys
number, what, *arguments = int(sys.argv[1]), *sys.argv[2:]
from memoro.cli import main
from memoro.vault import swap
met = 0

def counted(real, counts=lambda *_, **options: True):
    def call(*given, **options):
        global met
        met += bool(counts(*given, **options))
        if met == number and counts(*given, **options):
            met += 1
            if what == "SIGKILL":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(getattr(errno, what), os.strerror(getattr(errno, what)))
        return real(*given, **options)
    return call

def in_folder(*_, **options):
    return "dir_fd" in options or "src_dir_fd" in options

os.open = counted(os.open, lambda *given, **options: in_folder(**options) and given[1] & os.O_CREAT)
for name in ("rename", "link", "unlink", "mkdir"):
    setattr(os, name, counted(getattr(os, name), in_folder))
for name in ("write", "fsync", "ftruncate", "fchmod"):
    setattr(os, name, counted(getattr(os, name)))
swap._renamed = counted(swap._renamed)
sys.argv = ["memoro", *arguments]
code = main()
raise SystemExit(code if met >= number else 77)
"""


def can_trace() -> bool:
    found = bool(shutil.which("strace"))
    return found and not subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode


class Story(NamedTuple):
    """A command, what it writes in the journal, and how the vault is before it."""

    arguments: tuple[str, ...]
    operation: str
    daily: bool = True  # whether there is a note of the day


STORIES = {
    "remember": Story(("remember", "the sea is blue"), "remember"),
    "daily": Story(("daily", "something else"), "daily"),
    "first of the day": Story(("daily", "something else"), "daily", daily=False),
    "new": Story(("note", "new", "deep/down/new.md", "fresh"), "new"),
    "edit": Story(("note", "edit", "plain.md", "other words"), "edit"),
    "move": Story(("note", "move", "plain.md", "else/where.md"), "move"),
    "delete": Story(("note", "delete", "plain.md"), "delete"),
    "undo": Story(("undo",), "undo"),
    "accept": Story(("accept", "1"), "return"),
}


class Scene:
    """A home and a vault, as they are before the command and after it."""

    def __init__(self, folder: Path, story: Story) -> None:
        self.story = story
        self._template = folder / "template"
        self.home, self.vault = folder / "now" / "home", folder / "now" / "vault"
        home, vault = self._template / "home", self._template / "vault"
        home.mkdir(parents=True, mode=0o700)
        (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
        write_vault(vault, {"plain.md": "plain words\n"})
        with memoro.open(home, vault) as m:
            m.remember("tea is green")
            if story.daily:
                done = m.daily.add("zero")
                file = vault / done.path
                older = file.read_bytes()
                m.daily.add("first")
                if story.operation == "return":
                    file.write_bytes(older + b"saved by an editor that had it open\n")
            if story.operation == "undo":
                m.notes.edit("plain.md", "edited words\n")
            m.sync()
        self.before = self._seen(vault)
        self.reset()
        done_ = run_process(*self.command())
        assert done_.code == 0, done_.err
        self.after = self._seen(self.vault)
        assert self.after != self.before
        self.told = self._told()

    def reset(self) -> None:
        shutil.rmtree(self.home.parent, ignore_errors=True)
        shutil.copytree(self._template, self.home.parent)

    def command(self) -> list[str]:
        return ["--home", str(self.home), "--vault", str(self.vault), *self.story.arguments]

    def _seen(self, vault: Path) -> dict[str, bytes]:
        """Every note with its bytes, whatever the time."""
        found = {
            name: data for name, data in fingerprint(vault).items() if not name.rpartition("/")[2].startswith(".")
        }
        return {name: re.sub(rb"- \d\d:\d\d ", b"- HH:MM ", data) for name, data in found.items()}

    def _told(self) -> list[str]:
        with memoro.open(self.home, self.vault) as m:
            return [entry.operation for entry in m.journal.log(100)]

    def check(self, point: str, code: int) -> bool:
        """What holds at this moment and after the next start; whether the write had got to the disk."""
        seen = self._seen(self.vault)
        assert seen in (self.before, self.after), f"{point}: neither old nor new: {seen}"
        done = seen == self.after
        assert done or code, f"{point}: it was acknowledged, and is not there"
        with memoro.open(self.home, self.vault) as m:
            m.sync()
            assert seen == self._seen(self.vault), f"{point}: a sync wrote to the vault"
            m.note_services.journaled.settle()  # as the next write does
            seen = self._seen(self.vault)
            assert seen == (self.after if done else self.before), point
            left = [str(file) for file in self.vault.rglob(".memoro-*")]
            assert left == [], f"{point}: {left}"
            told = [entry.operation for entry in m.journal.log(100)]
            assert told == (self.told if done else self.told[1:]), f"{point}: {done}, but the journal says {told}"
            with m.ledger.access.ledger.reading() as tx:
                assert tx.pending.all() == [], point
            if done and self.story.operation != "undo":
                m.journal.undo()
                assert self._seen(self.vault) == self.before, f"{point}: undone, and not as it was"
        return done


@pytest.fixture(scope="module")
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("scene"), STORIES[request.param])


def under_strace(scene: Scene, call: str, number: int) -> int:
    inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    inject += ["-e", f"inject={call}:signal=SIGKILL:when={number}"]
    return _code([*inject, sys.executable, "-m", "memoro", *scene.command()])


def under_shim(scene: Scene, number: int, what: str = "SIGKILL") -> int:
    return _code([sys.executable, "-c", SHIM, str(number), what, *scene.command()])


def _code(command: list[str]) -> int:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MEMORO_")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=clean)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in KILLED or done.returncode < 80, done.stderr
    return done.returncode


def kills(scene: Scene, some: int) -> Iterator[tuple[str, int]]:
    """Kill the command at one call after another, each time on a fresh copy; in the short version at `some`."""
    if not can_trace():
        warnings.warn("strace is not here: killed by a shim on `os`, at the calls of the writer alone", stacklevel=1)
        for number in range(1, 1_000):
            scene.reset()
            if under_shim(scene, number) not in KILLED:
                return
            yield f"shim {number}", number
        return
    rng, met = random.Random(str(scene.story)), 0
    chosen = [(call, number) for number in range(1, 200) for call in CALLS]
    if times(1, 0):  # the first of the calls that change the vault, and some of the databases
        chosen = [(call, 1) for call in CALLS[:4]] + [("pwrite64", rng.randrange(10, 40)) for _ in range(3)]
        rng.shuffle(chosen)
    beyond = dict.fromkeys(CALLS, 10**9)
    for call, number in chosen:
        if number >= beyond[call]:
            continue
        scene.reset()
        if under_strace(scene, call, number) not in KILLED:
            beyond[call] = number
            continue
        yield f"{call} {number}", number
        met += 1
        if met >= times(some, 10**9):
            return


@pytest.mark.campaign
@pytest.mark.parametrize("scene", STORIES, indirect=True)
def test_a_command_killed_at_any_system_call_has_done_all_or_nothing(
    scene: Scene, request: pytest.FixtureRequest
) -> None:
    points = done = 0
    for point, _ in kills(scene, some=2):
        points += 1
        done += scene.check(point, KILLED[0])
    print(f"{request.node.callspec.id}: {points} points, done at {done}", "by strace" if can_trace() else "BY A SHIM")
    assert points >= times(2, 8)


@pytest.mark.campaign
@pytest.mark.parametrize("scene", STORIES, indirect=True)
def test_a_command_killed_at_any_call_of_the_writer_has_done_all_or_nothing(scene: Scene) -> None:
    points = 0
    numbers = list(range(1, 200)) if times(0, 1) else random.Random(str(scene.story)).sample(range(1, 8), 2)
    for number in numbers:
        scene.reset()
        code = under_shim(scene, number)
        scene.check(f"call {number}", 0 if code == 77 else code)
        points += code in KILLED
        if code == 77 and times(0, 1):
            break
    print(f"{points} points")
    assert points >= times(0, 1)


@pytest.mark.campaign
@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EROFS"])
@pytest.mark.parametrize("scene", STORIES, indirect=True)
def test_a_call_of_the_writer_that_fails_is_told_and_spoils_nothing(scene: Scene, error: str) -> None:
    failed = 0
    numbers = list(range(1, 200)) if times(0, 1) else [random.Random(f"{scene.story} {error}").randrange(1, 7)]
    for number in numbers:
        scene.reset()
        code = under_shim(scene, number, error)
        scene.check(f"{error} at call {number}", 0 if code == 77 else code)
        failed += code not in (0, 77)
        if code == 77 and times(0, 1):
            break
    print(f"{failed} failures told")
