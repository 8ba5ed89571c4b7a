"""The writer: whole or not at all, and never over what someone else has written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoro.errors import MemoroError, NoteExists, NoteNotFound, NoteUnreadable, NoteUnwritable
from memoro.vault import slot as places
from memoro.vault import swap
from memoro.vault.contents import MAX_BYTES
from memoro.vault.files import VaultFiles
from memoro.vault.slot import TEMPORARY, UNFINISHED, process_scope
from memoro.vault.writer import VaultWriter, WriteObserver, Written
from tests.conftest import fingerprint, times, write_vault


def writer_of(vault: Path) -> VaultWriter:
    return VaultWriter(VaultFiles(str(vault)), lambda *_paths: nullcontext())


@pytest.fixture
def writer(vault: Path) -> VaultWriter:
    return writer_of(vault)


def with_line(line: bytes) -> Callable[[bytes | None], bytes]:
    """A change that depends on the bytes alone, and adds a line once."""
    return lambda before: (before or b"") + line if line not in (before or b"") else (before or b"")


def leftovers(vault: Path) -> list[str]:
    return [str(file.relative_to(vault)) for file in vault.rglob(".*")]


def save(file: Path, data: bytes, how: str = "truncate") -> None:
    """As editors do it."""
    if how == "truncate":
        file.write_bytes(data)
        return
    fresh = file.with_name(f"{file.name}.tmp")
    fresh.write_bytes(data)
    fresh.replace(file)


HOWS = ("truncate", "rename")


@contextmanager
def before_call(monkeypatch: pytest.MonkeyPatch, name: str, *acts: Callable[[], object]) -> Iterator[None]:
    """Someone else does these, one before each call of a function of `swap`, at the worst of moments."""
    real, waiting = getattr(swap, name), list(acts)

    def called(*arguments: object) -> object:
        if waiting:
            waiting.pop(0)()
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(swap, name, called)
        yield
    assert not waiting, "the moment never came"


@pytest.fixture(params=["exchange", "links"])
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the system's own exchange, and on a system without one."""
    if request.param == "links":
        monkeypatch.setattr(swap, "system_call", lambda: None)
    return str(request.param)


def test_a_note_is_made_changed_appended_to_moved_and_taken_away(
    writer: VaultWriter, vault: Path, means: str
) -> None:
    assert writer.change("a/b.md", lambda _: b"one\n") == Written("a/b.md", None, b"one\n")
    assert writer.change("a/b.md", with_line(b"two\n")) == Written("a/b.md", b"one\n", b"one\ntwo\n")
    assert writer.append("a/b.md", lambda _: b"three\n") == Written("a/b.md", b"one\ntwo\n", b"one\ntwo\nthree\n")
    assert writer.append("c.md", lambda before: b"new\n" if before is None else b"old\n").after == b"new\n"
    assert writer.move("a/b.md", "d/e.md").after == b"one\ntwo\nthree\n"
    assert writer.change("c.md", lambda _: None) == Written("c.md", b"new\n", None)
    assert fingerprint(vault) == {"d/e.md": b"one\ntwo\nthree\n"}
    assert stat.S_IMODE((vault / "d/e.md").stat().st_mode) == 0o600
    assert stat.S_IMODE((vault / "d").stat().st_mode) == 0o700
    assert means


def test_a_change_to_nothing_new_writes_nothing(writer: VaultWriter, vault: Path) -> None:
    write_vault(vault, {"a.md": "same"})
    before = (vault / "a.md").stat()
    assert writer.change("a.md", lambda data: data).after == b"same"
    assert writer.change("gone.md", lambda _: None) == Written("gone.md", None, None)
    after = (vault / "a.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def refuse(_before: bytes | None) -> bytes:
    raise NoteNotFound("There is no such note.")


def test_what_writes_nothing_makes_no_folders(writer: VaultWriter, vault: Path) -> None:
    assert writer.read("a/b/c.md") is None
    assert writer.change("a/b/c.md", lambda _: None).after is None
    with pytest.raises(NoteNotFound):
        writer.change("a/b/c.md", refuse)
    with pytest.raises(NoteNotFound):
        writer.move("gone.md", "a/b/c.md")
    assert list(vault.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o664, 0o400, 0o755])
def test_a_file_keeps_its_mode(writer: VaultWriter, vault: Path, mode: int, means: str) -> None:
    write_vault(vault, {"a.md": "x"})
    (vault / "a.md").chmod(mode)
    old = os.umask(0o077)
    try:
        writer.change("a.md", with_line(b"y"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((vault / "a.md").stat().st_mode) == mode
    assert means


@pytest.mark.parametrize("how", HOWS)
def test_a_save_while_the_change_is_worked_out_is_kept(
    writer: VaultWriter, vault: Path, how: str, means: str
) -> None:
    write_vault(vault, {"a.md": "old\n"})
    seen: list[bytes | None] = []

    def change(before: bytes | None) -> bytes:
        if not seen:
            save(vault / "a.md", b"theirs\n", how)
        seen.append(before)
        return (before or b"") + b"ours\n"

    written = writer.change("a.md", change)
    assert seen == [b"old\n", b"theirs\n"]
    assert written == Written("a.md", b"theirs\n", b"theirs\nours\n")
    assert fingerprint(vault) == {"a.md": b"theirs\nours\n"}
    assert means


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("act", ["replace", "take_away", "append", "create"])
def test_a_save_after_the_intention_is_kept(writer: VaultWriter, vault: Path, how: str, act: str, means: str) -> None:
    file = vault / "a.md"
    if act != "create":
        file.write_bytes(b"old\n")
    intended: list[tuple[bytes | None, bytes | None]] = []

    def intend(before: bytes | None, after: bytes | None) -> None:
        if not intended:
            save(file, b"theirs\n", how)
        intended.append((before, after))

    heard = WriteObserver(intend)
    if act == "append":
        assert writer.append("a.md", lambda _: b"ours\n", heard).before == b"theirs\n"
    elif act == "take_away":
        writer.change("a.md", lambda before: None if before == b"old\n" else before, heard)
    else:
        writer.change("a.md", with_line(b"ours\n"), heard)
    kept = {"take_away": b"theirs\n"}.get(act, b"theirs\nours\n")
    assert fingerprint(vault) == {"a.md": kept}
    assert intended[0][0] == (None if act == "create" else b"old\n")
    assert means


def test_what_was_intended_last_is_what_was_done(writer: VaultWriter, vault: Path) -> None:
    write_vault(vault, {"a.md": "0\n"})
    intended: list[tuple[bytes | None, bytes | None]] = []

    def intend(before: bytes | None, after: bytes | None) -> None:
        intended.append((before, after))
        if len(intended) < 4:
            save(vault / "a.md", b"%d\n" % len(intended))

    written = writer.change("a.md", with_line(b"ours\n"), WriteObserver(intend))
    assert intended[-1] == (written.before, written.after) == (b"3\n", b"3\nours\n")


@pytest.mark.parametrize("how", HOWS)
def test_a_save_at_the_very_moment_of_the_swap_is_kept(
    writer: VaultWriter, vault: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "old\n"})
    with before_call(monkeypatch, "exchange", lambda: save(vault / "a.md", b"theirs\n", how)):
        written = writer.change("a.md", with_line(b"ours\n"))
    assert written == Written("a.md", b"theirs\n", b"theirs\nours\n")
    assert fingerprint(vault) == {"a.md": b"theirs\nours\n"}


@pytest.mark.parametrize("how", HOWS)
def test_a_save_into_the_old_file_is_kept_where_there_is_no_exchange(
    writer: VaultWriter, vault: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap, "system_call", lambda: None)
    write_vault(vault, {"a.md": "old\n"})
    with before_call(monkeypatch, "exchange", lambda: save(vault / "a.md", b"theirs\n", how)):
        writer.change("a.md", with_line(b"ours\n"))
    assert fingerprint(vault) == {"a.md": b"theirs\nours\n"}


@pytest.mark.parametrize("how", HOWS)
def test_two_saves_of_which_the_second_had_not_seen_the_first_are_both_kept(
    writer: VaultWriter, vault: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    acts = (lambda: save(file, b"old\nfirst\n", how), lambda: save(file, b"old\nsecond\n", how))
    with before_call(monkeypatch, "exchange", *acts):
        written = writer.change("a.md", with_line(b"ours\n"))
    assert written.conflict
    assert "(conflict " in written.conflict
    assert fingerprint(vault) == {"a.md": b"old\nsecond\nours\n", written.conflict: b"old\nfirst\n"}


def test_two_saves_of_which_the_second_has_all_of_the_first_need_no_copy(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    acts = (lambda: save(file, b"old\nfirst\n", "rename"), lambda: save(file, b"old\nfirst\nsecond\n", "rename"))
    with before_call(monkeypatch, "exchange", *acts):
        writer.change("a.md", with_line(b"ours\n"))
    assert fingerprint(vault) == {"a.md": b"old\nfirst\nsecond\nours\n"}


@pytest.mark.parametrize("how", HOWS)
def test_a_change_that_cannot_be_made_to_what_was_saved_leaves_that_in_place(
    writer: VaultWriter, vault: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "old\n"})

    def change(before: bytes | None) -> bytes:
        if before != b"old\n":
            raise NoteUnwritable("It has changed since it was read.")
        return b"ours\n"

    with (
        before_call(monkeypatch, "exchange", lambda: save(vault / "a.md", b"theirs\n", how)),
        pytest.raises(NoteUnwritable),
    ):
        writer.change("a.md", change)
    assert fingerprint(vault) == {"a.md": b"theirs\n"}


def test_a_note_that_is_deleted_at_the_moment_of_the_swap_is_made_anew(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "old\n"})
    with before_call(monkeypatch, "exchange", (vault / "a.md").unlink):
        assert writer.change("a.md", with_line(b"ours\n")).before is None
    assert fingerprint(vault) == {"a.md": b"ours\n"}


def test_what_someone_saves_while_a_note_is_moved_is_not_deleted(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch, means: str
) -> None:
    write_vault(vault, {"a.md": "old\n"})
    with before_call(monkeypatch, "move", lambda: save(vault / "a.md", b"theirs\n", "rename")):
        assert writer.move("a.md", "b.md").after == b"theirs\n"
    assert b"theirs\n" in fingerprint(vault).values()
    write_vault(vault, {"c.md": "old\n"})
    with (
        before_call(monkeypatch, "move", lambda: save(vault / "d.md", b"theirs\n", "rename")),
        pytest.raises(NoteExists),
    ):
        writer.move("c.md", "d.md")
    assert (vault / "c.md").read_bytes() == b"old\n"
    assert (vault / "d.md").read_bytes() == b"theirs\n"
    assert leftovers(vault) == []
    assert means


WRITER = """
import os, sys, time
descriptor = os.open(sys.argv[1], os.O_WRONLY | (os.O_TRUNC if sys.argv[3] == "empty" else 0))
print("open", flush=True)
time.sleep(float(sys.argv[2]))
os.ftruncate(descriptor, 0)
os.write(descriptor, b"theirs\\n")
"""


@pytest.mark.parametrize("state", ["empty", "full"])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
@pytest.mark.process
def test_what_a_program_writes_into_a_file_that_it_opened_before_our_swap_is_kept(
    writer: VaultWriter, vault: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(file), "0.4", state], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        started.append(process)

    with before_call(monkeypatch, "exchange", start):
        writer.change("a.md", with_line(b"ours\n"))
    with started[0] as process:
        assert process.wait() == 0
    assert fingerprint(vault) == {"a.md": b"theirs\nours\n"}


def test_without_word_of_who_has_it_open_an_emptied_file_gets_a_moment(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    file = vault / "a.md"
    file.write_bytes(b"old\n")
    monkeypatch.setattr(places, "is_open_for_writing", lambda _descriptor: None)
    threads: list[threading.Timer] = []

    def empty() -> None:
        handle = file.open("wb", buffering=0)

        def fill() -> None:
            handle.write(b"theirs\n")
            handle.close()

        threads.append(threading.Timer(0.03, fill))
        threads[0].start()

    with before_call(monkeypatch, "exchange", empty):
        writer.change("a.md", with_line(b"ours\n"))
    threads[0].join()
    assert fingerprint(vault) == {"a.md": b"theirs\nours\n"}


@pytest.mark.slow
def test_a_note_that_is_saved_all_the_time_is_not_written_and_not_spoiled(writer: VaultWriter, vault: Path) -> None:
    file = vault / "a.md"
    file.write_bytes(b"0\n")
    count = 0

    def intend(_before: bytes | None, _after: bytes | None) -> None:
        nonlocal count
        count += 1
        save(file, b"%d\n" % count, HOWS[count % 2])

    with pytest.raises(NoteUnwritable, match="all the time"):
        writer.change("a.md", with_line(b"ours\n"), WriteObserver(intend))
    assert fingerprint(vault) == {"a.md": b"%d\n" % count}


def test_an_append_is_not_glued_to_a_line_that_was_saved_without_its_end(writer: VaultWriter, vault: Path) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    saves = iter([b"no end"])

    def intend(_before: bytes | None, _added: bytes | None) -> None:
        for data in saves:
            save(file, data)

    writer.append(
        "a.md", lambda now: (b"" if (now or b"").endswith(b"\n") else b"\n") + b"ours\n", WriteObserver(intend)
    )
    assert file.read_bytes() == b"no end\nours\n"


def test_a_line_that_the_replacing_save_has_seen_is_not_doubled(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    real = places.write_all

    def write(descriptor: int, data: bytes) -> None:
        real(descriptor, data)
        save(file, file.read_bytes() + b"theirs\n", "rename")

    monkeypatch.setattr(places, "write_all", write)
    writer.append("a.md", lambda _: b"ours\n")
    assert file.read_bytes() == b"old\nours\ntheirs\n"


def test_a_line_that_was_seen_and_deleted_while_it_was_made_durable_is_not_appended_again(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        save(file, b"old\ntheirs\n", "rename")

    monkeypatch.setattr(os, "fsync", fsync)
    written = writer.append("a.md", lambda _: b"ours\n")
    assert file.read_bytes() == b"old\ntheirs\n"
    assert written.after == b"old\ntheirs\n", "whoever asks sees that it is gone, and proposes it"


def test_an_append_waits_for_a_program_that_is_writing_the_note(writer: VaultWriter, vault: Path) -> None:
    import threading

    file = vault / "a.md"
    file.write_bytes(b"old\n")
    editor = file.open("wb", buffering=0)
    editor.write(b"half of what is be")

    def finish() -> None:
        editor.write(b"ing saved\n")
        editor.close()

    timer = threading.Timer(0.1, finish)
    timer.start()
    writer.append("a.md", lambda _: b"ours\n")
    timer.join()
    assert file.read_bytes() == b"half of what is being saved\nours\n"


def test_a_save_that_meets_a_swap_is_in_place_again_before_it_ends(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    file = vault / "a.md"
    file.write_bytes(b"old\n")
    seen: list[bool] = []

    def save_slowly(editor: BinaryIO) -> None:
        while not seen or not (seen[-1] or len(seen) == 150):  # 1.5 s: our patience is longer
            seen.append(os.fstat(editor.fileno()).st_ino == file.stat().st_ino)
            time.sleep(0.01)
        editor.write(b"theirs\n")
        editor.close()

    slow: list[threading.Thread] = []
    real = swap.exchange

    def exchange(*arguments: Any) -> None:
        editor = None if slow else file.open("wb", buffering=0)
        real(*arguments)
        if editor:
            slow.append(threading.Thread(target=save_slowly, args=(editor,)))
            slow[0].start()

    monkeypatch.setattr(swap, "exchange", exchange)
    writer.change("a.md", with_line(b"ours\n"))
    slow[0].join()
    assert seen[-1], "whoever loaded the note meanwhile missed what was being saved"
    assert file.read_bytes() == b"theirs\nours\n"


def test_a_program_that_opens_a_file_which_it_looked_up_before_a_swap_loses_nothing(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "a.md"
    file.write_bytes(b"old\n")
    real, late = time.sleep, [True]

    def sleep(seconds: float) -> None:
        if late and seconds:  # after the first look at the file that was swapped out
            late.pop()
            (aside,) = vault.glob(".memoro-*")
            aside.write_bytes(b"theirs\n")
        real(seconds)

    monkeypatch.setattr(time, "sleep", sleep)
    writer.change("a.md", with_line(b"ours\n"))
    assert not late
    assert file.read_bytes() == b"theirs\nours\n"
    assert leftovers(vault) == []


def test_an_append_waits_for_an_editor_that_has_emptied_the_file(writer: VaultWriter, vault: Path) -> None:
    import threading

    file = vault / "a.md"
    file.write_bytes(b"")
    timer = threading.Timer(0.05, lambda: file.write_bytes(b"x\n"))
    timer.start()
    writer.append("a.md", lambda _: b"a line that is longer than the note\n")
    timer.join()
    assert file.read_bytes() == b"x\na line that is longer than the note\n"


OPERATIONS: dict[str, Callable[[VaultWriter, str], object]] = {
    "change": lambda writer, path: writer.change(path, with_line(b"ours")),
    "append": lambda writer, path: writer.append(path, lambda _: b"ours"),
    "remove": lambda writer, path: writer.change(path, lambda _: None),
    "move": lambda writer, path: writer.move(path, "elsewhere.md"),
    "move onto": lambda writer, path: writer.move("plain.md", path),
}


def odd(kind: str, file: Path) -> None:
    outside = file.parent.parent / "outside.md"
    outside.write_bytes(b"outside")
    match kind:
        case "hard link":
            os.link(outside, file)
        case "too large":
            file.write_bytes(b"x" * (MAX_BYTES + 1))
        case "link":
            file.symlink_to(outside)
        case "dangling link":
            file.symlink_to(outside.with_name("nothing.md"))
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "socket":
            import socket

            with socket.socket(socket.AF_UNIX) as made:
                made.bind(str(file))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("kind", ["hard link", "too large", "link", "dangling link", "pipe", "folder", "socket"])
def test_what_is_no_plain_note_is_refused_in_a_sentence_and_not_touched(
    writer: VaultWriter, vault: Path, kind: str, operation: str
) -> None:
    write_vault(vault, {"plain.md": "plain"})
    odd(kind, vault / "odd.md")
    before, looks = fingerprint(vault.parent), (vault / "odd.md").lstat()[:3]
    with pytest.raises(MemoroError) as error:
        OPERATIONS[operation](writer, "odd.md")
    assert str(error.value).endswith(".")
    assert "odd.md" in str(error.value)
    assert "Errno" not in str(error.value)
    assert fingerprint(vault.parent) == before
    assert (vault / "odd.md").lstat()[:3] == looks
    assert leftovers(vault) == []


@pytest.mark.parametrize("kind", ["hard link", "link", "pipe", "folder"])
@pytest.mark.parametrize("operation", ["change", "append", "remove"])
def test_what_takes_the_place_of_a_note_at_the_last_moment_is_not_touched_either(
    vault: Path, kind: str, operation: str, writer: VaultWriter
) -> None:
    file = vault / "odd.md"
    file.write_bytes(b"plain")
    outside = vault.parent / "outside.md"

    def intend(_before: bytes | None, _after: bytes | None) -> None:
        file.unlink()
        odd(kind, file)

    with pytest.raises(MemoroError):
        if operation == "append":
            writer.append("odd.md", lambda _: b"ours", WriteObserver(intend))
        else:
            writer.change(
                "odd.md", (lambda _: None) if operation == "remove" else with_line(b"ours"), WriteObserver(intend)
            )
    assert outside.read_bytes() == b"outside"
    assert file.is_symlink() or file.exists()
    assert leftovers(vault) == []


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_takes_the_place_of_a_note_at_the_very_moment_of_the_swap_is_put_back(
    writer: VaultWriter, vault: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = vault / "odd.md"
    file.write_bytes(b"plain")

    def turn() -> None:
        file.unlink()
        odd(kind, file)

    with before_call(monkeypatch, "exchange", turn), pytest.raises(MemoroError):
        writer.change("odd.md", with_line(b"ours"))
    assert not file.is_file() or file.is_symlink()
    assert (vault.parent / "outside.md").read_bytes() == b"outside"
    assert leftovers(vault) == []


def test_a_note_that_would_be_too_large_is_refused(writer: VaultWriter, vault: Path) -> None:
    write_vault(vault, {"a.md": b"x" * MAX_BYTES})
    with pytest.raises(NoteUnwritable, match="at most"):
        writer.change("a.md", with_line(b"y"))
    with pytest.raises(NoteUnwritable, match="at most"):
        writer.append("a.md", lambda _: b"y")
    assert (vault / "a.md").stat().st_size == MAX_BYTES


def test_there_is_nothing_to_move_and_no_moving_over_something(writer: VaultWriter, vault: Path) -> None:
    write_vault(vault, {"a.md": "a", "b.md": "b"})
    with pytest.raises(NoteNotFound):
        writer.move("gone.md", "c.md")
    with pytest.raises(NoteNotFound):
        writer.move("no/folder.md", "c.md")
    with pytest.raises(NoteExists):
        writer.move("a.md", "b.md")
    assert fingerprint(vault) == {"a.md": b"a", "b.md": b"b"}


UNPRIVILEGED = """
import hashlib, os, sys
from contextlib import nullcontext
from memoro.errors import MemoroError
from memoro.vault.files import VaultFiles
from memoro.vault.writer import VaultWriter
os.setgid(65534); os.setuid(65534)
writer = VaultWriter(VaultFiles(sys.argv[1]), lambda *_: nullcontext())
for act in (lambda: writer.change("locked/a.md", lambda _: b"ours"),
            lambda: writer.change("locked/new.md", lambda _: b"x"),
            lambda: writer.change("locked/a.md", lambda _: None), lambda: writer.move("locked/a.md", "locked/b.md"),
            lambda: writer.append("locked/a.md", lambda _: b"x")):
    try:
        act()
        print("done")
    except MemoroError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="shows it as another user")
@pytest.mark.process
def test_a_folder_or_note_that_we_may_not_write_is_left_as_it_is(tmp_path: Path) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as top:  # the test's own folder is closed to others
        vault = write_vault(Path(top) / "vault", {"locked/a.md": "theirs"})
        for folder, mode in ((Path(top), 0o755), (vault, 0o777), (vault / "locked", 0o755)):
            folder.chmod(mode)
        (vault / "locked/a.md").chmod(0o644)
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, str(vault)], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        said = done.stdout.splitlines()
        assert len(said) == 5
        for sentence in said:
            assert sentence.startswith("NoteUnwritable locked/")
            assert sentence.endswith("permission denied. Nothing was changed.")
        assert fingerprint(vault) == {"locked/a.md": b"theirs"}
        assert os.listdir(vault / "locked") == ["a.md"]


def dead_pid() -> int:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        return process.pid


def left(vault: Path, data: bytes, *, pid: int, where: str = "", tail: str = "", process: str = "aa") -> Path:
    file = vault / f"{TEMPORARY}{pid}-{where or process_scope()}-{process}-0011{tail}"
    file.write_bytes(data)
    return file


@pytest.mark.process
def test_what_a_dead_process_left_is_swept_and_what_a_living_one_uses_is_not(
    writer: VaultWriter, vault: Path
) -> None:
    write_vault(vault, {"a.md": "kept\n", "b/c.md": "other\n"})
    dead = dead_pid()
    gone = [
        left(vault / "b", b"half", pid=dead, tail=UNFINISHED),
        left(vault, b"kept\n", pid=dead),
        left(vault, b"in the journal\n", pid=dead, tail="1"),
        left(vault, b"", pid=dead, tail="2"),
        left(vault, b"half", pid=os.getpid(), tail=UNFINISHED),  # of an earlier process that had our number
    ]
    stay = [
        left(vault, b"kept\n", pid=os.getppid()),
        left(vault, b"kept\n", pid=os.getpid(), process=places.PROCESS),
        left(vault, b"kept\n", pid=dead, where="ffffff"),  # of another machine, or another container
    ]
    assert writer.sweep(lambda data: data == b"in the journal\n") == len(gone)
    assert [file for file in gone if file.exists()] == []
    assert [file for file in stay if not file.exists()] == []


def test_a_temporary_file_of_elsewhere_is_swept_when_it_is_old(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = left(vault, b"", pid=1, where="ffffff")
    os.utime(file, (0, 0))  # an old note that was swapped out a moment ago
    assert writer.sweep() == 0
    monkeypatch.setattr("memoro.vault.writer.STALE_SECONDS", -1.0)
    assert writer.sweep() == 1
    assert leftovers(vault) == []


@pytest.mark.process
def test_what_nobody_else_has_is_not_swept_but_becomes_a_note(writer: VaultWriter, vault: Path) -> None:
    write_vault(vault, {"a.md": "kept\n"})
    left(vault, b"saved at the very moment\n", pid=dead_pid())
    writer.sweep()
    found = fingerprint(vault)
    assert found.pop("a.md") == b"kept\n"
    assert list(found.values()) == [b"saved at the very moment\n"]
    assert next(iter(found)).startswith("Saved (found after a crash ")
    assert leftovers(vault) == []


@pytest.mark.process
def test_a_second_name_that_a_crash_left_is_swept_and_the_note_can_be_written_again(
    writer: VaultWriter, vault: Path
) -> None:
    write_vault(vault, {"a.md": "kept\n"})
    os.link(vault / "a.md", vault / f"{TEMPORARY}{dead_pid()}-{process_scope()}-aa-0011.old")
    with pytest.raises(NoteUnwritable, match="hard link"):
        writer.change("a.md", with_line(b"ours\n"))
    assert writer.sweep() == 1
    writer.change("a.md", with_line(b"ours\n"))
    assert fingerprint(vault) == {"a.md": b"kept\nours\n"}


@pytest.mark.process
def test_sweeping_follows_no_links(writer: VaultWriter, vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    file = left(outside, b"", pid=dead_pid())
    (vault / "link").symlink_to(outside)
    (vault / file.name).symlink_to(file)
    assert writer.sweep() == 1
    assert file.exists()


def test_a_failed_write_of_a_line_leaves_no_half_of_it(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "old\n"})

    def full(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(places, "write_all", full)
    with pytest.raises(NoteUnwritable, match="no space is left"):
        writer.append("a.md", lambda _: b"a long line\n")
    with pytest.raises(NoteUnwritable, match="no space is left"):
        writer.change("a.md", with_line(b"x"))
    with pytest.raises(NoteUnwritable, match="no space is left"):
        writer.change("new.md", with_line(b"x"))
    assert fingerprint(vault) == {"a.md": b"old\n"}
    assert leftovers(vault) == []


def test_an_interrupt_while_the_swapped_file_is_looked_at_loses_nothing(
    writer: VaultWriter, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "old\n"})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(places.Slot, "stays_untouched", interrupted)
    with (
        before_call(monkeypatch, "exchange", lambda: save(vault / "a.md", b"theirs\n", "rename")),
        pytest.raises(KeyboardInterrupt),
    ):
        writer.change("a.md", with_line(b"ours\n"))
    assert fingerprint(vault) == {"a.md": b"theirs\n"}


def test_the_name_of_a_copy_fits_any_disk(vault: Path, writer: VaultWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "é" * 126 + ".md"
    file = vault / name
    file.write_bytes(b"old\n")

    def put(data: bytes) -> Callable[[], None]:
        def act() -> None:
            (vault / "x").write_bytes(data)
            (vault / "x").replace(file)

        return act

    with before_call(monkeypatch, "exchange", put(b"first\n"), put(b"second\n")):
        written = writer.change(name, with_line(b"ours\n"))
    assert written.conflict
    assert (vault / written.conflict).read_bytes() == b"first\n"


LINES = st.lists(st.sampled_from([b"a\n", b"b\r\n", "ü\n".encode(), b"\n", b"\xff\n", b"no end"]), max_size=4)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["change", "append", "remove", "theirs", "theirs rename", "delete", "in between", "at swap"]),
        LINES.map(b"".join),
    ),
    max_size=8,
)


@given(steps=STEPS)
@settings(max_examples=times(60, 2_000))
def test_any_sequence_of_edits_by_us_and_by_others_loses_nothing_of_theirs(
    steps: list[tuple[str, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    vault = tmp_path_factory.mktemp("v")
    writer, file = writer_of(vault), vault / "n.md"
    model: bytes | None = None
    real = swap.exchange
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "EMPTY_SECONDS", 0.0)
        for number, (act, data) in enumerate(steps):
            mark = b"ours %d\n" % number
            if act == "change":
                model = (model or b"") + mark
                assert writer.change("n.md", with_line(mark)).after == model
            elif act == "append":
                assert writer.append("n.md", lambda _, mark=mark: mark).before == model  # type: ignore[misc]
                model = (model or b"") + mark
            elif act == "remove":
                writer.change("n.md", lambda _: None)
                model = None
            elif act == "delete":
                file.unlink(missing_ok=True)
                model = None
            elif act.startswith("theirs"):
                save(file, data, "rename" if "rename" in act else "truncate")
                model = data
            else:
                intended: list[int] = []

                def intend(_a: bytes | None, _b: bytes | None, data: bytes = data, n: list[int] = intended) -> None:
                    if not n:
                        save(file, data, "rename")
                    n.append(1)

                def exchange(*names: object, data: bytes = data, n: list[int] = intended) -> None:
                    if not n:
                        save(file, data, "rename")
                    n.append(1)
                    real(*names)  # type: ignore[arg-type]

                if act == "at swap" and model is not None:
                    patch.setattr(swap, "exchange", exchange)
                    writer.change("n.md", with_line(mark))
                    patch.setattr(swap, "exchange", real)
                else:
                    writer.change("n.md", with_line(mark), WriteObserver(intend))
                model = data + mark
            assert (file.read_bytes() if file.exists() else None) == model
    assert os.listdir(vault) == (["n.md"] if model is not None else [])


def test_a_swept_vault_of_many_notes_costs_little(vault: Path, writer: VaultWriter) -> None:
    for number in range(20):
        write_vault(vault / str(number), {f"{n}.md": "" for n in range(100)})
    started = time.perf_counter()
    assert writer.sweep() == 0
    assert time.perf_counter() - started < 1.0


def test_every_refusal_is_a_note_error(writer: VaultWriter) -> None:
    for path in ("", "/etc/passwd", "../x.md", ".hidden.md", "a.txt", "a\x00.md", " a.md", "a\u202e.md", "@x/a.md"):
        for operation in OPERATIONS.values():
            with pytest.raises((NoteNotFound, NoteUnreadable)):
                operation(writer, path)
