"""A person edits the same notes at the same time, in any editor: nothing of theirs is lost, and what we add stays."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoroError, NoteNotFound, NoteUnwritable
from memoro.model.changes import NoteWritten
from memoro.model.journal import JournalEntry
from memoro.model.vocabulary import LOADED_TIERS
from memoro.notes.dropped_lines import put_back
from memoro.vault import writer as writers
from memoro.workspace import Workspace
from tests.conftest import times, write_vault

SETTINGS = "[embedding]\nenabled = false\n"


def opened(home: Path, vault: Path, **options: Any) -> Workspace:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(SETTINGS)
    return memoro.open(home, vault, **options)


@pytest.fixture
def m(home: Path, vault: Path) -> Any:
    with opened(home, vault) as workspace:
        yield workspace


def today(m: Workspace) -> str:
    return m.daily.path(datetime.now().astimezone().date())


def journal(m: Workspace) -> list[str]:
    return [entry.operation for entry in m.journal.log(1_000)]


def drop(file: Path, line: str) -> None:
    """A save without a line."""
    lines = [one for one in file.read_text().split("\n") if one != line]
    assert len(lines) < file.read_text().count("\n") + 1, f"{line} is not there to be dropped"
    file.write_text("\n".join(lines))


# What each save does to a line that we appended, and what becomes of it.


def test_a_line_that_a_save_of_an_older_version_dropped_comes_back_once(m: Workspace, vault: Path) -> None:
    m.daily.add("zero")
    file = vault / today(m)
    older = file.read_bytes()
    line = m.daily.add("first", by="agent").line
    file.write_bytes(older + b"their own line\n")
    m.sync()
    assert file.read_text() == f"{older.decode()}their own line\n{line}\n"
    drop(file, line)
    for _ in range(2):
        m.sync()
        assert line not in file.read_text()


def test_a_line_that_survived_a_save_and_is_deleted_then_stays_deleted(m: Workspace, vault: Path) -> None:
    line = m.daily.add("first").line
    file = vault / today(m)
    file.write_text(file.read_text() + "their own line\n")
    m.sync()
    drop(file, line)
    m.sync()
    m.sync()
    assert line not in file.read_text()


def test_a_line_that_was_dropped_before_the_next_was_added_comes_back_too(m: Workspace, vault: Path) -> None:
    m.daily.add("zero")
    file = vault / today(m)
    older = file.read_bytes()
    first = m.daily.add("first").line
    file.write_bytes(older)
    second = m.daily.add("second").line
    m.sync()
    assert sorted(file.read_text().splitlines()[-2:]) == sorted([first, second])


def test_a_line_that_others_may_not_have_seen_is_looked_after_while_another_waits_to_come_back(
    m: Workspace, vault: Path
) -> None:
    m.daily.add("zero")
    file = vault / today(m)
    older = file.read_bytes()
    first = m.daily.add("first").line
    file.write_bytes(older)
    opened_then = file.read_bytes()
    second = m.daily.add("second").line
    m.sync()  # the first comes back; the second has not been in any save yet
    file.write_bytes(opened_then)
    m.sync()
    assert first not in file.read_text()  # dropped twice
    assert file.read_text().endswith(f"{second}\n")


def test_a_line_survives_the_save_of_an_editor_that_had_the_note_open_across_our_edits(
    m: Workspace, vault: Path
) -> None:
    kept = m.remember("tea is green")
    file = vault / kept.path
    m.remember("the sea is blue")
    older = file.read_text().replace("- the sea", "- the old sea")
    older = "\n".join(line for line in older.split("\n") if "^" not in line)
    m.edit(str(kept.id), "tea is black")
    file.write_text(older)
    m.sync()
    text = file.read_text()
    assert f"^{kept.id}" in text
    assert "the sea is blue" in text


def test_it_comes_back_in_another_process_too(home: Path, vault: Path) -> None:
    with opened(home, vault) as m:
        m.daily.add("zero")
        file = vault / today(m)
        older = file.read_bytes()
        line = m.daily.add("first").line
    file.write_bytes(older)
    with opened(home, vault) as m:
        m.sync()
        assert file.read_text().endswith(f"{line}\n")
        assert journal(m) == ["return", "daily", "daily"]
        m.journal.undo()
        assert file.read_bytes() == older
        m.sync()
        assert file.read_bytes() == older


def test_an_entry_that_was_dropped_comes_back_under_its_id(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "# Memory\r\n\r\n- by hand\r\n"})
    older = (vault / "MEMORY.md").read_bytes()
    kept = m.remember("tea is green")
    (vault / "MEMORY.md").write_bytes(older + b"\r\ntheirs\r\n")
    m.sync()
    assert (vault / "MEMORY.md").read_bytes() == (
        f"# Memory\r\n\r\n- by hand\r\n- tea is green ^{kept.id}\r\n\r\ntheirs\r\n".encode()
    )


def test_what_we_took_out_ourselves_does_not_come_back(m: Workspace, vault: Path) -> None:
    removed, forgotten, undone = (m.remember(text) for text in ("tea is green", "the sea is blue", "rain is wet"))
    m.journal.undo()
    m.remove(str(removed.id))
    m.forget(str(forgotten.id), yes=True)
    for _ in range(2):
        m.sync()
    text = (vault / removed.path).read_text()
    assert not [one.text for one in (removed, forgotten, undone) if one.text in text]
    m.daily.add("zero")
    line = m.daily.add("first").line
    m.journal.undo()
    m.sync()
    assert line not in (vault / today(m)).read_text()


def test_an_entry_in_other_words_is_not_put_back_in_the_old_ones(m: Workspace, vault: Path) -> None:
    kept, other = m.remember("tea is green"), m.remember("the sea is blue")
    m.edit(str(kept.id), "tea is black")
    file = vault / kept.path
    file.write_text(file.read_text().replace("- the sea is blue", "* [ ] the sea is grey"))
    m.sync()
    text = file.read_text()
    assert "green" not in text
    assert "blue" not in text
    assert f"^{other.id}" in text


def test_lines_that_begin_alike_are_told_apart(m: Workspace, vault: Path) -> None:
    m.daily.add("zero")
    file = vault / today(m)
    one, ten = m.daily.add("step 1").line, m.daily.add("step 10").line
    drop(file, one)
    m.sync()
    assert file.read_text().splitlines().count(one) == file.read_text().splitlines().count(ten) == 1


def test_a_line_that_its_owner_has_written_on_is_not_doubled(m: Workspace, vault: Path) -> None:
    line = m.daily.add("first").line
    file = vault / today(m)
    file.write_text(file.read_text().replace(line, f"{line}, and more of it"))
    m.sync()
    assert file.read_text().count(line) == 1


@pytest.mark.parametrize("empty", [False, True])
def test_a_note_that_is_gone_or_empty_for_a_moment_is_looked_at_again(m: Workspace, vault: Path, empty: bool) -> None:
    m.daily.add("zero")
    file = vault / today(m)
    older = file.read_bytes()
    line = m.daily.add("first").line
    if empty:
        file.write_bytes(b"")
    else:
        file.unlink()
    m.sync(accept_deletions=True)
    assert (file.read_bytes() if file.exists() else b"") == b""
    file.write_bytes(older)
    m.sync()
    assert file.read_text().endswith(f"zero\n{line}\n")


def test_a_note_that_cannot_be_written_keeps_no_other_from_being_mended(m: Workspace, vault: Path) -> None:
    kept = m.remember("tea is green")
    m.daily.add("zero")
    file = vault / today(m)
    older = file.read_bytes()
    line = m.daily.add("first").line
    file.write_bytes(older)
    (vault / kept.path).write_bytes(b"# Caf\xe9\n")
    m.sync()
    assert file.read_text().endswith(f"{line}\n")
    assert (vault / kept.path).read_bytes() == b"# Caf\xe9\n"


def test_line_ends_of_a_note_are_kept_when_a_line_comes_back(m: Workspace, vault: Path) -> None:
    file = vault / today(m)
    write_vault(vault, {today(m): "# Day\r\n\r\n- one\r\n"})
    older = file.read_bytes()
    line = m.daily.add("first").line
    file.write_bytes(older)
    m.sync()
    assert file.read_bytes() == older + f"{line}\r\n".encode()


def test_a_note_that_is_moved_takes_its_lines_along(m: Workspace, vault: Path) -> None:
    m.daily.add("zero")
    path = today(m)
    older = (vault / path).read_bytes()
    line = m.daily.add("first").line
    m.notes.move(path, "kept.md")
    (vault / "kept.md").write_bytes(older)
    m.sync()
    assert (vault / "kept.md").read_text().endswith(f"{line}\n")
    assert not (vault / path).exists()


class Crash(BaseException):
    pass


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_while_a_line_is_put_back_neither_loses_nor_doubles_it(
    home: Path, vault: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(home, vault) as m:
        m.daily.add("zero")
        file = vault / today(m)
        older = file.read_bytes()
        line = m.daily.add("first").line
        file.write_bytes(older)
        real = writers.put

        def crash(*arguments: Any) -> None:
            if when == "after":
                real(*arguments)
            raise Crash

        with monkeypatch.context() as patch:
            patch.setattr(writers, "put", crash)
            patch.setattr(
                m.note_services.journaled, "_settle_after_failure", lambda _entry: None
            )  # nobody is left to do so
            with pytest.raises(Crash):
                put_back(m.note_services.journaled)
    with opened(home, vault) as m:
        m.sync()
        assert file.read_text().count(line) == 1
        assert journal(m) == ["return", "daily", "daily"]
        drop(file, line)
        m.sync()
        assert line not in file.read_text()


def test_a_write_that_failed_is_not_in_the_journal(
    m: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    m.remember("tea is green")
    before = journal(m)

    def fail(*_: Any) -> None:
        raise NoteUnwritable("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(writers, "put", fail)
        with pytest.raises(NoteUnwritable):
            m.remember("the sea is blue")
        with pytest.raises(NoteUnwritable):
            m.notes.delete("MEMORY.md")
    assert journal(m) == before
    assert "blue" not in (vault / "MEMORY.md").read_text()


def test_a_pending_write_of_a_note_that_became_odd_blocks_nothing(home: Path, vault: Path) -> None:
    with opened(home, vault) as m:
        kept = m.remember("tea is green")
        with m.ledger.access.ledger.writing() as tx:
            tx.pending.begin(m.journal.log(1)[0].id)  # as a crash leaves it
    (vault / kept.path).unlink()
    (vault / kept.path).mkdir()
    with opened(home, vault) as m:
        m.daily.add("first")
        assert journal(m) == ["daily", "remember"]


# The editors, as processes.

EDITOR = r"""
import json, os, random, sys, time

file, saves, seed, log = sys.argv[1], int(sys.argv[2]), sys.argv[3], open(sys.argv[4], "w", buffering=1)
rng, who = random.Random(seed), seed
KINDS = ("truncate", "rename", "vim", "sync client")


def load():
    for _ in range(1000):
        try:
            data = open(file, "rb").read()
        except FileNotFoundError:
            data = b""
        if data:
            return data
        time.sleep(0.001)
    raise SystemExit(f"{file} is gone")


def pause(most=0.004):
    time.sleep(rng.uniform(0, most))


def truncate(data):
    with open(file, "wb", buffering=0) as handle:
        pause()
        half = rng.randrange(len(data))
        handle.write(data[:half])
        pause(0.002)
        handle.write(data[half:])


def rename(data):
    fresh = f"{file}.{who}.tmp"
    with open(fresh, "wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    os.rename(fresh, file)


def vim(data):
    folder, name = os.path.split(file)
    swap = os.path.join(folder, f".{name}.swp")
    open(swap, "wb").write(data)
    os.rename(file, f"{file}~")
    pause(0.002)
    with open(file, "wb", buffering=0) as handle:
        handle.write(data)
        os.fsync(handle.fileno())
    os.unlink(f"{file}~")
    os.unlink(swap)


own, versions, deleted = [], [], set()
print("ready", flush=True)
for number in range(saves):
    data, loaded = load(), time.monotonic()
    seen = data.decode().split("\n")
    missing = [line for line in own if line not in seen]
    pause(0.03)
    kind = rng.choice(KINDS)
    lines, gone, older = list(seen), [], False
    if kind == "sync client" and versions and rng.random() < 0.3:
        lines, older = rng.choice(versions[-5:]), True  # an older version: it has seen what is there, and goes back
    else:
        ours = [line for line in lines if line.startswith("- ") and "agent" in line]
        again = [line for line in ours if line in deleted]
        if again or (ours and rng.random() < 0.15):
            gone = again[:1] or [rng.choice(ours)]
        mine = [line for line in lines if line.startswith(("human", "- human"))]
        tidied = set(mine[:10]) if len(mine) > 30 else set()
        tidied |= set(ours[:10]) if len(ours) > 40 else set()
        lines = [line for line in lines if line not in gone and line not in tidied]
    lines = list(lines)
    lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(["", "- "]) + f"human {who} {number}")
    text = "\n".join(lines)
    text += "" if text.endswith("\n") else "\n"
    {"truncate": truncate, "rename": rename, "vim": vim, "sync client": rename}[kind](text.encode())
    deleted |= set(gone)
    own = [line for line in lines if "human" in line]
    versions.append(lines)
    dropped = [line for line in seen if line not in lines and "agent" in line]
    print(json.dumps({"kind": kind, "older": older, "loaded": loaded, "saved": time.monotonic(), "missing": missing,
                      "dropped": dropped, "kept": [l for l in lines if "agent" in l], "own": own}), file=log)
    pause(0.02)
"""


class Editing:
    """A person with one note, who saves it again and again, now with one editor and now with another."""

    def __init__(self, file: Path, saves: int, seed: str, log: Path) -> None:
        self.file, self._log = file, log
        self._process = subprocess.Popen(
            [sys.executable, "-c", EDITOR, str(file), str(saves), seed, str(log)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def is_on(self) -> bool:
        return self._process.poll() is None

    def saves(self) -> list[dict[str, Any]]:
        _, error = self._process.communicate()
        assert self._process.returncode == 0, error
        return [json.loads(line) for line in self._log.read_text().splitlines()]


class Agent:
    """Writes to the same notes all the time, and remembers what it was told had been done."""

    def __init__(self, m: Workspace, paths: dict[str, str], rng: random.Random) -> None:
        self._m, self._paths, self._rng = m, paths, rng
        self.lines: dict[str, dict[str, int]] = {path: {} for path in paths.values()}  # with their changes
        self.syncs: list[tuple[float, float]] = []
        self.refused: Counter[str] = Counter()
        self.writes = self._count = 0
        self._entries: list[str] = []

    def act(self) -> None:
        often: list[Callable[[], None]] = [self._daily, self._remember]
        try:
            self._rng.choice([*often, *often, self._edit, self._note])()
            self.writes += 1
        except (NoteUnwritable, NoteNotFound) as error:
            self.refused[re.sub(r"\S*\d\S*|\S+\.md", "…", str(error))] += 1

    def sync(self) -> None:
        started = time.monotonic()
        self._m.sync()
        self.syncs.append((started, time.monotonic()))

    def _daily(self) -> None:
        self._count += 1
        done = self._m.daily.add(f"agent line {self._count}.", by="agent")
        self.lines[done.path][done.line] = done.change

    def _remember(self) -> None:
        self._count += 1
        tier = self._rng.choice(LOADED_TIERS[:2])
        done = self._m.remember(f"agent fact {self._count}.", tier=tier, by="user")
        self.lines[done.path][f"^{done.id}"] = done.change or 0
        self._entries.append(str(done.id))

    def _edit(self) -> None:
        if self._entries:
            self._count += 1
            self._m.edit(self._rng.choice(self._entries[-8:]), f"agent fact {self._count}, in other words.")

    def _note(self) -> None:
        note = self._paths["note"]
        count = re.search(r"counter \d+", (self._m.vault().read(note).data).decode())
        if count:
            self._m.notes.edit(note, f"counter {int(count[0][8:]) + 1}", old=count[0])


def returned_in(m: Workspace) -> Counter[int]:
    """How often each line was put back, by the journal."""
    with m.ledger.access.ledger.reading() as tx:
        back = tx.journal.of("note", "return")
    return Counter(one for entry in back for one in written_by(entry).returned)


def written_by(entry: JournalEntry) -> NoteWritten:
    assert isinstance(entry.change, NoteWritten)
    return entry.change


def has(line: str, text: str | list[str]) -> bool:
    lines = text.split("\n") if isinstance(text, str) else text
    return any(one.endswith(line) for one in lines) if line.startswith("^") else line in lines


@pytest.mark.campaign
def test_editors_of_every_kind_against_an_agent_lose_nothing(tmp_path: Path) -> None:
    vault, home, rng = tmp_path / "vault", tmp_path / "home", random.Random(22)
    vault.mkdir()
    with opened(home, vault) as m:
        m.sync()
        m.daily.add("the day begins.")
        paths = {"daily": today(m), "semantic": m.remember("agent fact 0.").path,
                 "procedural": m.remember("agent rule 0.", tier="procedural").path, "note": "work.md"}  # fmt: skip
        write_vault(vault, {"work.md": "# Work\n\ncounter 1\n"})
        each = times(50, 2_500)
        agent = Agent(m, paths, rng)
        editors = [Editing(vault / path, each, f"{name}", tmp_path / f"{name}.log") for name, path in paths.items()]
        while any(editor.is_on() for editor in editors):
            agent.act()
            if rng.random() < 0.1:
                agent.sync()
            time.sleep(rng.uniform(0, 0.01))
        for _ in range(2):
            agent.sync()
        texts = {path: (vault / path).read_text() for path in paths.values()}
        back = returned_in(m)
        told = {entry.id for entry in m.journal.log(10**6)}
        with m.ledger.access.ledger.reading() as tx:
            assert not tx.pending.all()
    copies = {file: file.read_text().split("\n") for file in vault.rglob("* (conflict *")}
    saves = {editor.file: editor.saves() for editor in editors}

    lost: list[str] = []
    for editor in editors:
        beside = {line for file, lines in copies.items() if file.name.startswith(editor.file.stem) for line in lines}
        final = editor.file.read_text().split("\n")
        mine = saves[editor.file]
        lost += [line for save in mine for line in save["missing"] if line not in beside]
        lost += [line for line in mine[-1]["own"] if line not in final and line not in beside]
    agent_lost, undead, doubled = [], [], []
    for path, lines in agent.lines.items():
        mine = saves[vault / path]
        final = texts[path].split("\n")
        for line, change in lines.items():
            deletions = [n for n, save in enumerate(mine) if has(line, save["dropped"])]
            if not has(line, final) and not deletions and change not in back:
                agent_lost.append((path, line))
            if sum(one.endswith(line) if line.startswith("^") else one == line for one in final) > 1:
                doubled.append((path, line))
            # Dropped twice by saves that had seen it: then it stays so, unless an older version is fetched.
            if len(deletions) > 1 and has(line, final):
                later = mine[deletions[-1] + 1 :]
                if not any(save["older"] and has(line, save["kept"]) for save in later):
                    undead.append((path, line))
    kinds = Counter(save["kind"] for one in saves.values() for save in one)
    print(
        f"\n{sum(kinds.values())} saves ({dict(kinds)}) against {agent.writes} writes and {len(agent.syncs)} syncs: "
        f"{len(lost)} human lines lost, {len(agent_lost)} agent lines lost, {len(copies)} conflict copies, "
        f"{sum(back.values())} put back, {sum(agent.refused.values())} refused"
    )
    assert lost == []
    assert agent_lost == []
    assert doubled == []
    assert undead == []
    assert set(back.values()) <= {1}, "put back twice"
    assert set(back) <= told
    assert sum(back.values()) > 0
    assert not list(vault.rglob(".memoro-*"))
    assert sum(kinds.values()) == 4 * each


def test_an_error_of_the_agent_is_a_sentence(m: Workspace) -> None:
    with pytest.raises(MemoroError, match="There is no entry"):
        m.edit("abcdef", "x")
