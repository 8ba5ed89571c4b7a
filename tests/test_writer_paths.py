"""No path, name or swap leads a write out of the vault: every operation, against a corpus and an attacker."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoroError
from memoro.notes.memory_tool import ToolError
from memoro.vault.files import VaultFiles
from memoro.vault.walk import MAX_DEPTH
from memoro.vault.writer import VaultWriter
from memoro.workspace import Workspace
from tests.conftest import fingerprint, times, write_vault

SECRET = b"outside of the vault"
Act = Callable[[Workspace, str], object]


def tool(command: str, **arguments: Any) -> Act:
    def act(m: Workspace, path: str) -> object:
        chosen = {
            key: value.format(path=path) if isinstance(value, str) else value for key, value in arguments.items()
        }
        return m.memory_tool.run({"command": command, **chosen})

    return act


# Every operation that takes a path, by a person, by an agent, and by the memory tool.
OPERATIONS: Mapping[str, Act] = {
    "new": lambda m, path: m.notes.new(path, "ours"),
    "new by agent": lambda m, path: m.notes.new(path, "ours", by="agent"),
    "edit": lambda m, path: m.notes.edit(path, "ours"),
    "delete": lambda m, path: m.notes.delete(path),
    "move from": lambda m, path: m.notes.move(path, "moved.md"),
    "move to": lambda m, path: m.notes.move("plain.md", path),
    "restore": lambda m, path: m.notes.restore(path, "2020-01-01"),
    "view": tool("view", path="/memories/{path}"),
    "create": tool("create", path="/memories/{path}", file_text="ours"),
    "str_replace": tool("str_replace", path="/memories/{path}", old_str="o", new_str="ours"),
    "insert": tool("insert", path="/memories/{path}", insert_line=0, insert_text="ours"),
    "tool delete": tool("delete", path="/memories/{path}"),
    "rename from": tool("rename", old_path="/memories/{path}", new_path="/memories/moved.md"),
    "rename to": tool("rename", old_path="/memories/plain.md", new_path="/memories/{path}"),
    "bare view": tool("view", path="{path}"),
    "bare create": tool("create", path="{path}", file_text="ours"),
}


def hostile(vault: Path, outside: Path) -> list[str]:
    """Names that lead elsewhere, on some system or other."""
    up = os.path.relpath(outside / "secret.md", vault)
    plain = [
        "..", "../secret.md", up, f"a/../{up}", "/etc/passwd", str(outside / "secret.md"), "a/../../x.md",
        "./a.md", "",
        ".", "a/.", "a/..", "link.md", "linked/secret.md", "linked/new.md", "loop/x.md", "loop/loop/a.md",
        "a/link.md",
        "fifo.md", "folder.md", "folder.md/x.md", ".hidden.md", ".git/config.md", ".obsidian/app.md", "a\x00.md",
        "..\\secret.md", "a.md/", "a.md/b.md", "a//b.md", "@docs/../secret.md", "@docs//etc/passwd", "~/x.md",
        "~root/x.md",
        "a" * 300 + ".md", "\udcff.md", "a/\udc80.md", "con.txt", "%2e%2e/secret.md", "..%2fsecret.md",
        "%2e%2e%2fsecret.md",
        "\u2025/secret.md", "．．/secret.md", "a.md:stream", "A/../../x.md", "a\n.md", "a\u202egnp.md", "a\u200b.md",
        "a\ufeff.md", " a.md", "a.md ", "a .md/ x.md", "\u00a0a.md", "a\u2028b.md", "a\u2044..\u2044x.md", "...",
        ".../x.md",
        "a\t.md", "a\r.md", "\x1b[2J.md", "hard.md", "..;/secret.md", "..\u2216secret.md", "file:///etc/passwd.md",
        "\\\\server\\share.md", "C:\\x.md", "c:x.md", "NUL.md", "/dev/null", "/proc/self/environ",
        "a/b/c/../../../../x.md",
        "/".join(["d"] * (MAX_DEPTH + 5)) + "/x.md", "memories/../../x.md", "/memories/../../x.md", "/memories/x.md",
        "$HOME/x.md", "`id`.md", "$(id).md", "a;b.md", "a|b.md", "-rf.md", "*.md", "?.md", "[a].md",
        ".memoro-1-2-3.md",
    ]  # fmt: skip
    prefixes = [
        "", "a/", "a/b/", "./", "../vault/", "/", "//", "~", "linked/", "linked/../", "loop/", "agent/", "../agent/",
        "agent/linked/", "\u2024\u2024/", "..//", "a/./", "%2e/", " ", "@", "MEMORY.md/", "x/" * 20,
    ]  # fmt: skip
    return [prefix + one for prefix in prefixes for one in plain]


def trap(vault: Path, outside: Path) -> None:
    """A vault full of ways out."""
    write_vault(outside, {"secret.md": SECRET, "deep/other.md": SECRET, "twin.md": "o twin"})
    write_vault(vault, {"a.md": "o inside", "a/b.md": "o inside", "plain.md": "o plain", "agent/plain.md": "o plain"})
    for folder in (vault, vault / "agent", vault / "a"):
        (folder / "link.md").symlink_to(outside / "secret.md")
        (folder / "gone.md").symlink_to(outside / "nothing-yet.md")
        (folder / "linked").symlink_to(outside)
        (folder / "loop").symlink_to(vault)
        (folder / "folder.md").mkdir()
        os.mkfifo(folder / "fifo.md")
        os.link(outside / "twin.md", folder / "hard.md")  # a note like any other to read, and none to write


@contextmanager
def workspace(home: Path, vault: Path) -> Iterator[Workspace]:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text('[embedding]\nenabled = false\n\n[writing]\nagent_writes = "direct"\n')
    with memoro.open(home, vault) as m:
        yield m


def outside_of(top: Path) -> dict[str, bytes]:
    """Every file beside the vault and the home."""
    return {
        name: data for name, data in fingerprint(top).items() if not name.startswith(("vault/", "home/", "real/"))
    }


@pytest.mark.campaign
def test_no_hostile_name_leads_any_operation_outside(tmp_path: Path) -> None:
    vault, outside, rng = tmp_path / "vault", tmp_path / "outside", random.Random(41)
    trap(vault, outside)
    before = outside_of(tmp_path)
    names = hostile(vault, outside)
    cases = list(itertools.product(names, OPERATIONS))
    rng.shuffle(cases)
    done: Counter[str] = Counter()
    with workspace(tmp_path / "home", vault) as m:
        for number, (path, operation) in enumerate(cases[: times(1_500, 10**9)]):
            try:
                answer = OPERATIONS[operation](m, path)
                assert SECRET.decode() not in str(answer), (operation, path)
                done["done"] += 1
            except (MemoroError, ToolError) as error:
                done["refused"] += 1
                assert SECRET.decode() not in str(error), (operation, path)
            if number % 50 == 0:
                assert outside_of(tmp_path) == before, (operation, path)
                write_vault(vault, {"plain.md": "o plain", "agent/plain.md": "o plain", "a.md": "o inside"})
        assert outside_of(tmp_path) == before
        assert SECRET.decode() not in str(m.journal.log(10**6))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "outside", "vault"]
    assert sorted(str(file.relative_to(outside)) for file in outside.rglob("*")) == [
        "deep", "deep/other.md", "secret.md", "twin.md",
    ]  # fmt: skip
    print(f"{sum(done.values())} calls, {len(names)} names × {len(OPERATIONS)} operations: {dict(done)}, 0 escapes")
    assert done["refused"] > done["done"] > 0


ATTACKER = """
import ctypes, os, sys
vault, real, link, hard, kinds = sys.argv[1:]
swap = ctypes.CDLL(None, use_errno=True).renameat2
door, note = os.fsencode(vault + "/door"), os.fsencode(vault + "/door/note.md")
print("ready", flush=True)
swaps = 0
try:
    while True:
        # The folder for a link to outside, and back; and within it the note for a link, a pipe or a hard link.
        swaps += swap(-100, door, -100, os.fsencode(link), 2) == 0
        swap(-100, door, -100, os.fsencode(link), 2)
        for kind in kinds.split(","):
            other = os.fsencode(real + "/" + kind)
            if swap(-100, note, -100, other, 2) == 0:
                swaps += 1
                swap(-100, note, -100, other, 2)
        if swaps % 64 == 0 and os.getppid() == 1:
            break
        if swaps % 256 < 6:
            print(swaps, flush=True)
except (KeyboardInterrupt, BrokenPipeError):
    pass
"""


class Raced:
    """A vault whose folder is a link to outside every other moment, by an attacker in a process of its own."""

    def __init__(self, top: Path) -> None:
        self.top, self.vault, self.outside = top, top / "vault", top / "outside"
        write_vault(self.outside, {"note.md": SECRET, "target.md": SECRET})
        write_vault(self.vault, {"door/note.md": "inside\n", "plain.md": "plain\n"})
        write_vault(top / "real", {"x.txt": "x"})
        (top / "link").symlink_to(self.outside)
        (top / "real/symlink").symlink_to(self.outside / "note.md")
        os.mkfifo(top / "real/pipe")
        os.link(self.outside / "target.md", top / "real/hard")
        self.before = fingerprint(self.outside)

    @contextmanager
    def under_attack(self) -> Iterator[None]:
        command = [sys.executable, "-c", ATTACKER, str(self.vault), str(self.top / "real"), str(self.top / "link"),
                   "-", "symlink,pipe,hard"]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()
                reader = os.dup(process.stdout.fileno())
                os.set_blocking(reader, False)
                self._drain = reader
                yield
            finally:
                process.kill()
                process.wait()
                os.close(self._drain)

    def drain(self) -> int:
        try:
            return len(os.read(self._drain, 1 << 20))
        except BlockingIOError:
            return 0

    def check(self) -> None:
        assert fingerprint(self.outside) == self.before, "a write got out"


def raced_acts(writer: VaultWriter) -> dict[str, Callable[[], object]]:
    counter = itertools.count()
    return {
        "change": lambda: writer.change(
            "door/note.md", lambda old: b"%d\n" % next(counter) if old is not None else old
        ),
        "create": lambda: writer.change("door/note.md", lambda old: old if old is not None else b"inside\n"),
        "append": lambda: writer.append("door/note.md", lambda _: b"+"),
        "remove": lambda: writer.change("door/note.md", lambda _: None),
        "move out of": lambda: writer.move("door/note.md", "moved.md"),
        "move into": lambda: writer.move("moved.md", "door/note.md"),
        "deep": lambda: writer.change("door/new/note.md", lambda _: b"%d\n" % next(counter)),
        "read": lambda: writer.read("door/note.md"),
        "sweep": writer.sweep,
    }


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform != "linux", reason="the attacker swaps by renameat2")
def test_no_swap_of_folders_and_notes_leads_a_write_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contextlib import nullcontext

    from memoro.vault import slot as places
    from memoro.vault import writer as writers

    # In this race nobody waits for the disk, or for editors: it is about where, and not about when.
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(places, "EMPTY_SECONDS", 0.0)
    monkeypatch.setattr(places, "PATIENCE_SECONDS", 0.001)
    monkeypatch.setattr(writers, "TRIES", 3)
    raced = Raced(tmp_path)
    writer = VaultWriter(VaultFiles(str(raced.vault)), lambda *_paths: nullcontext())
    acts = raced_acts(writer)
    names, rng = [*acts, "change", "append", "create"], random.Random(7)
    outcomes: Counter[str] = Counter()
    met = 0
    calls = times(4_000, 1_000_000)
    with raced.under_attack():
        until = time.monotonic() + times(15, 3_000)
        for number in range(calls):
            name = rng.choice(names)
            try:
                found = acts[name]()
                outcomes["done"] += 1
                assert found != SECRET, "read from outside"
            except MemoroError as error:
                outcomes[type(error).__name__] += 1
            if number % 500 == 0:
                met += raced.drain()
                raced.check()
                (raced.vault / "moved.md").unlink(missing_ok=True)
                if time.monotonic() > until:
                    break
    raced.check()
    assert sorted(os.listdir(raced.outside)) == ["note.md", "target.md"]
    print(f"{sum(outcomes.values())} raced calls: {dict(outcomes)}; 0 escapes")
    assert met > 0, "the attacker did nothing"
    assert outcomes["done"] > 0
    assert sum(outcomes.values()) >= times(1_000, 1_000_000)
    assert outcomes["NoteNotFound"] > 0, "no race was met"


@pytest.mark.parametrize("path", ["a/link.md", "a/linked/x.md", "gone.md", "agent/gone.md", "linked/new.md"])
def test_a_link_is_neither_written_through_nor_replaced(tmp_path: Path, path: str) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    trap(vault, outside)
    before = fingerprint(tmp_path)
    with workspace(tmp_path / "home", vault) as m:
        for operation in ("new", "edit", "delete", "move from", "move to"):
            with pytest.raises(MemoroError):
                OPERATIONS[operation](m, path)
    assert {k: v for k, v in fingerprint(tmp_path).items() if not k.startswith("home/")} == before
    assert not (outside / "nothing-yet.md").exists()
