"""The vault's files are read through one door, and nothing outside can be reached through it."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memoro.errors import ConfigError, MemoroError, NoteNotFound, NoteTooLarge, NoteUnreadable, VaultMissing
from memoro.vault.contents import MAX_BYTES
from memoro.vault.files import VaultFiles
from memoro.vault.walk import MAX_DEPTH
from tests.conftest import times, write_vault

SECRET = b"outside of the vault"


def listed(vault: Path, *, extra: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[str]:
    return list(VaultFiles(str(vault), extra=extra, ignore=ignore).list().files)


def test_markdown_files_are_listed_in_order_and_nothing_else_is(vault: Path) -> None:
    write_vault(
        vault, {"b.md": "", "a/c.MD": "", "a/x.txt": "", ".hidden/d.md": "", ".e.md": "", "node_modules/f.md": ""}
    )
    assert listed(vault, ignore=["node_modules"]) == ["a/c.MD", "b.md"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("drafts", ["a.md", "work/b.md"]),
        ("work/drafts", ["a.md", "drafts/d.md", "work/b.md"]),
        ("*.md", []),
        ("d*", ["a.md", "work/b.md"]),
        ("work/*", ["a.md", "drafts/d.md"]),
        ("work/", ["a.md", "drafts/d.md"]),
    ],
)
def test_ignored_files_are_neither_listed_nor_read(vault: Path, pattern: str, left: list[str]) -> None:
    write_vault(vault, {"a.md": "x", "drafts/d.md": "x", "work/b.md": "x", "work/drafts/c.md": "x"})
    files = VaultFiles(str(vault), ignore=[pattern])
    assert list(files.list().files) == left
    for path in {"a.md", "drafts/d.md", "work/b.md", "work/drafts/c.md"} - set(left):
        with pytest.raises(NoteNotFound):
            files.read(path)


def test_extra_folders_have_paths_of_their_own(tmp_path: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "in"})
    extra = write_vault(tmp_path / "docs", {"a.md": "extra", "deep/b.md": "b"})
    files = VaultFiles(str(vault), extra=[str(extra)])
    assert list(files.list().files) == ["a.md", "@docs/a.md", "@docs/deep/b.md"]
    assert files.read("@docs/a.md").data == b"extra"
    assert files.read("a.md").data == b"in"


def test_an_extra_folder_inside_the_vault_is_not_listed_twice(vault: Path) -> None:
    write_vault(vault, {"a.md": "", "docs/b.md": ""})
    assert listed(vault, extra=[str(vault / "docs"), str(vault)]) == ["a.md", "docs/b.md"]


def test_one_file_under_two_names_is_listed_once(vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "x"})
    os.link(vault / "MEMORY.md", vault / "memory.md")
    assert listed(vault) == ["MEMORY.md"]


def test_a_missing_extra_folder_is_a_problem_and_not_a_loss(vault: Path, tmp_path: Path) -> None:
    listing = VaultFiles(str(vault), extra=[str(tmp_path / "gone")]).list()
    assert listing.unlisted == ("@gone/",)
    assert "gone" in listing.problems[0].sentence


def test_two_extra_folders_of_one_name_are_refused(vault: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="rename one"):
        VaultFiles(str(vault), extra=[str(tmp_path / "a/docs"), str(tmp_path / "b/docs")])


@pytest.mark.parametrize("make", ["missing", "file"])
def test_a_vault_that_is_no_folder_is_missing(tmp_path: Path, make: str) -> None:
    place = tmp_path / "v"
    if make == "file":
        place.write_text("x")
    with pytest.raises(VaultMissing):
        VaultFiles(str(place)).list()


def attacks(vault: Path, outside: Path) -> list[str]:
    up = os.path.relpath(outside / "secret.md", vault)
    plain = [
        "..", "../secret.md", up, f"a/../{up}", "/etc/passwd", str(outside / "secret.md"), "a/../../x.md",
        "./a.md", "", ".", "a/.", "a/..", "link.md", "linked/secret.md", "loop/x.md", "a/link.md", "fifo.md",
        "folder.md", ".hidden.md", ".git/config.md", "a\x00.md", "..\\secret.md", "a.md/", "a.md/b.md", "a//b.md",
        "@docs/../secret.md", "@docs//etc/passwd", "~/x.md", "a" * 300 + ".md", "\udcff.md", "a/\udc80.md", "con.txt",
        "%2e%2e/secret.md", "..%2fsecret.md", "\u2025/secret.md", "．．/secret.md", "a.md:stream", "A/../../x.md",
    ]  # fmt: skip
    prefixes = ["", "a/", "a/b/", "./", "../vault/", "/", "//", "~", "linked/../"]
    return plain + [prefix + one for prefix in prefixes for one in plain]


@pytest.fixture
def trapped(vault: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A vault full of ways out."""
    outside = write_vault(tmp_path / "outside", {"secret.md": SECRET})
    write_vault(vault, {"a.md": "inside", "a/b.md": "inside"})
    (vault / "link.md").symlink_to(outside / "secret.md")
    (vault / "a" / "link.md").symlink_to("../../outside/secret.md")
    (vault / "linked").symlink_to(outside)
    (vault / "loop").symlink_to(vault)
    (vault / "folder.md").mkdir()
    os.mkfifo(vault / "fifo.md")
    return vault, outside


def test_no_path_leads_outside(trapped: tuple[Path, Path]) -> None:
    vault, outside = trapped
    files = VaultFiles(str(vault))
    for path in attacks(vault, outside):
        try:
            data = files.read(path).data
        except MemoroError:
            continue
        assert data == b"inside", path


def test_links_and_odd_files_are_reported_and_not_followed(trapped: tuple[Path, Path]) -> None:
    listing = VaultFiles(str(trapped[0])).list()
    assert set(listing.files) == {"a.md", "a/b.md"}
    skipped = {problem.path: problem.sentence for problem in listing.problems}
    assert set(skipped) == {"link.md", "a/link.md", "linked", "loop", "fifo.md"}
    assert "symbolic link" in skipped["link.md"]
    assert "not a regular file" in skipped["fifo.md"]


@pytest.mark.campaign
def test_no_swap_of_a_folder_for_a_link_leads_outside(vault: Path, tmp_path: Path) -> None:
    """Resolving a path and opening it afterwards loses this race; the walk by descriptors never does."""
    outside = write_vault(tmp_path / "outside", {"note.md": SECRET})
    write_vault(vault, {"door/note.md": "inside"})
    (tmp_path / "link").symlink_to(outside)
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not stop.is_set():
            os.rename(vault / "door", tmp_path / "real")
            os.rename(tmp_path / "link", vault / "door")
            os.rename(vault / "door", tmp_path / "link")
            os.rename(tmp_path / "real", vault / "door")
            swaps += 1

    files = VaultFiles(str(vault))
    bot = threading.Thread(target=swap)
    bot.start()
    seen = {"inside": 0, "refused": 0}
    try:
        deadline = time.monotonic() + times(3, 600)
        for _ in range(times(20_000, 1_000_000)):
            try:
                assert files.read("door/note.md").data == b"inside"
                seen["inside"] += 1
            except MemoroError:
                seen["refused"] += 1
            if time.monotonic() > deadline:
                break
    finally:
        stop.set()
        bot.join()
    assert swaps > 10
    assert seen["inside"] > 10
    assert seen["refused"] > 10


def test_a_large_file_is_not_read(vault: Path) -> None:
    with (vault / "big.md").open("wb") as file:
        file.truncate(1024**3)  # a gigabyte that takes no space
    started = time.monotonic()
    with pytest.raises(NoteTooLarge, match="bytes"):
        VaultFiles(str(vault)).read("big.md")
    assert time.monotonic() - started < 5
    write_vault(vault, {"limit.md": b"x" * MAX_BYTES})
    assert len(VaultFiles(str(vault)).read("limit.md").data) == MAX_BYTES


def test_names_of_all_kinds_are_listed(vault: Path) -> None:
    names = {
        "émoji 🎉.md",
        "line\nbreak.md",
        "tab\t.md",
        "'quote\".md",
        "cafe\u0301.md",
        "caf\u00e9.md",
        "Case.md",
        "case.md",
    }
    write_vault(vault, dict.fromkeys(names, "x"))
    assert set(listed(vault)) == names
    for name in names:
        assert VaultFiles(str(vault)).read(name).data == b"x"


def test_a_name_that_is_not_text_is_reported(vault: Path) -> None:
    (Path(os.fsdecode(os.fsencode(vault) + b"/bad\xff.md"))).write_text("x")
    listing = VaultFiles(str(vault)).list()
    assert listing.files == {}
    assert "UTF-8" in listing.problems[0].sentence
    listing.problems[0].path.encode()


def test_folders_deeper_than_the_limit_are_reported(vault: Path) -> None:
    deep = vault
    for _ in range(MAX_DEPTH + 2):
        deep = deep / "d"
    write_vault(deep, {"x.md": "x"})
    write_vault(vault, {"top.md": "x"})
    listing = VaultFiles(str(vault)).list()
    assert list(listing.files) == ["top.md"]
    assert "deep" in listing.problems[0].sentence
    assert listing.unlisted


def test_no_descriptor_is_left_open(trapped: tuple[Path, Path]) -> None:
    vault, outside = trapped
    files = VaultFiles(str(vault))
    before = len(os.listdir("/proc/self/fd"))
    for path in attacks(vault, outside):
        try:
            files.read(path)
        except MemoroError:
            continue
    files.list()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_changes_while_it_is_read_is_read_again(vault: Path) -> None:
    """Two versions, never a mixture of them."""
    file = vault / "a.md"
    versions = [letter * 300_000 for letter in (b"a", b"b")]
    file.write_bytes(versions[0])
    stop = threading.Event()

    def rewrite() -> None:
        turn = 0
        while not stop.is_set():
            with file.open("r+b") as handle:
                handle.write(versions[turn % 2])
            turn += 1
            time.sleep(0.001)

    bot = threading.Thread(target=rewrite)
    bot.start()
    try:
        for _ in range(times(50, 2000)):
            try:
                data = VaultFiles(str(vault)).read("a.md").data
            except NoteUnreadable:
                continue
            assert data in versions
    finally:
        stop.set()
        bot.join()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_half_of_a_note_is_not_read_while_a_program_is_writing_it(vault: Path) -> None:
    """The times of a file change as a write begins, so that they are the same before and after reading a half."""
    with (vault / "a.md").open("wb") as handle:
        handle.write(b"tea, and ")
        handle.flush()
        with pytest.raises(NoteUnreadable):
            VaultFiles(str(vault)).read("a.md")
        handle.write(b"milk")
    assert VaultFiles(str(vault)).read("a.md").data == b"tea, and milk"


@pytest.mark.slow
def test_a_note_written_a_moment_ago_will_be_read_again(vault: Path) -> None:
    """A second write within one tick of the clock would leave size and times as they are."""
    write_vault(vault, {"a.md": "tea"})
    assert not VaultFiles(str(vault)).read("a.md").trusted
    time.sleep(2.05)
    assert VaultFiles(str(vault)).read("a.md").trusted
