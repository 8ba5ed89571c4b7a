"""What is forgotten is gone as bytes, from every file of the home; and what is a secret never was in one."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import memoro
from memoro.errors import MemoroError, MemoryNotFound, MemoryRefused, NeedsConsent, UndoConflict
from memoro.model.changes import contents_of, has_content
from memoro.providers.records import BatchJob
from tests.conftest import run_memoro, write_vault
from tests.damage import overwrite
from tests.test_secrets import SAMPLES

# Words that nothing else holds; each stands where another way of keeping things keeps it.
CONTENT, VERSION, TAG, OLD_TAG = "pelargonium", "zeppelinfahrt", "quintessenz", "marzipanrinde"
WORDS = (CONTENT, VERSION, TAG, OLD_TAG)


def files_with(home: Path, *words: str) -> list[str]:
    """The files of the home in which any of the words is, in whatever case; backups are named, and not searched."""
    found = []
    for file in sorted(home.rglob("*")):
        if file.is_file() and "backups" not in file.relative_to(home).parts:
            data = file.read_bytes().lower()
            found += [f"{file.name}: {word}" for word in words if word.encode() in data or stem(word) in data]
    return found


def stem(word: str) -> bytes:
    """Enough of a word to tell it in a word index, which cuts its end, and what it shares with the one before."""
    return word[2:8].encode()


def live(home: Path, vault: Path) -> int:
    """A memory with a life: stored, indexed, searched, reinforced, said better, given to a session, told of."""
    with memoro.open(home, vault) as m:
        for number in range(30):
            m.memories.store(f"other memory {number} about lamps", tags=["lamp"])
        told = m.memories.store(f"the {VERSION} was on Sunday", [OLD_TAG], session="s1", key="a key")
        number = told.memory.id
        m.sync()
        assert m.search(VERSION, mode="hybrid").results
        m.memories.query(VERSION, session="s1")
        m.memories.reinforce(number, session="s1")
        m.memories.update(number, f"the {CONTENT} stands by the window", [TAG], key="another key")
        m.search(CONTENT, mode="hybrid")
        m.sync(force=True)
        m.narratives.update("something else happens", [number])
        assert {line.partition(": ")[0] for line in files_with(home, *WORDS)} >= {"ledger.db-wal", "index.2.db"}
    return number


PATHS: dict[str, Callable[[memoro.Workspace, int], object]] = {
    "kept": lambda _m, _number: None,
    "removed": lambda m, number: m.memories.remove(number),
    "removed and brought back": lambda m, number: (m.memories.remove(number), m.journal.undo()),
    "archived": lambda m, number: m.memories.archive(number),
    "archived and back": lambda m, number: (m.memories.archive(number), m.memories.unarchive(number)),
    "update taken back": lambda m, _number: m.journal.undo(
        next(entry.id for entry in m.journal.log(50) if entry.operation == "update")
    ),
    "superseded": lambda m, number: m.memories.supersede(number, 1),
}


@pytest.mark.parametrize("way", PATHS)
def test_nothing_is_left_of_what_was_forgotten(way: str, tmp_path: Path):
    vault, home = write_vault(tmp_path / "vault", {"a.md": "# A note\n\nAbout lamps.\n"}), tmp_path / "home"
    number = live(home, vault)
    with memoro.open(home, vault) as m:
        PATHS[way](m, number)
        m.sync()
        with pytest.raises(NeedsConsent):
            m.memories.forget(number)
        assert m.memories.forget(number, dry_run=True).memories[0].id == number
        assert files_with(home, *WORDS)
        done = m.memories.forget(number, yes=True)
        assert done.done
        assert files_with(home, *WORDS) == [], "while it is open"
        assert done.narratives == (1,)
        assert all(name in done.backups for name in holding(home, CONTENT, VERSION))
        m.sync()
        assert m.search(CONTENT, kind="memory", mode="words").results == ()
        assert not any(has_content(entry.change) for entry in m.memories.history(number))
        for text in (f"the {CONTENT} stands by the window", f"the {VERSION} was on Sunday"):
            with pytest.raises(MemoryRefused, match="forgotten"):
                m.memories.store(text)
            with pytest.raises(MemoryRefused, match="forgotten"):
                m.memories.update(1, text)
        for entry in m.journal.log(200):
            if entry.item == number and entry.kind == "memory":
                with pytest.raises(MemoroError):
                    m.journal.undo(entry.id)
        assert len(m.memories.all()) == 30
    assert files_with(home, *WORDS) == [], "after it was closed"


@pytest.mark.parametrize("kind", ["memory", "entry"])
def test_nothing_is_left_of_it_in_what_is_kept_about_providers(kind: str, tmp_path: Path):
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"a.md": "# A note\n\nAbout lamps.\n"})
    with memoro.open(home, vault) as m:
        if kind == "memory":
            target = path = f"memory:{m.memories.store(f'the {CONTENT} stands by the window').memory.id}"
        else:
            target, path = m.remember(f"the {CONTENT} stands by the window").id or "", "MEMORY.md"
        m.sync()
        gone, kept = m.indexing.digests_of(path), m.indexing.digests_of("a.md")
        records = m.indexing.records()
        job = BatchJob(id="j", space="a/b/2/c", state="open", created_at=0.0, texts=2, tokens=2)
        records.put_job(job, [*gone, *kept])
        records.reject(job.space, dict.fromkeys(gone, f"It holds {CONTENT}."))
        m.forget(target, yes=True)

        assert records.job_digests("j") == kept
        assert records.rejected_count(job.space) == 0
        assert files_with(home, CONTENT) == []
        held = [file.name for file in home.glob("providers*") if bytes.fromhex(gone[0]) in file.read_bytes()]
        assert held == []


def holding(home: Path, *words: str) -> list[str]:
    return [
        folder.name
        for folder in (home / "backups").iterdir()
        if folder.is_dir() and any(word.encode() in file.read_bytes() for file in folder.iterdir() for word in words)
    ]


def test_backups_that_hold_it_are_named_wherever_in_them_it_is(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("a lamp")
        without = m.backups.create().name
        number = m.memories.store(f"the {VERSION} was on Sunday").memory.id
        present = m.backups.create().name
        m.memories.update(number, f"the {CONTENT} stands by the window")
        m.memories.archive(number)
        archived = m.backups.create().name
        m.memories.unarchive(number)
        m.memories.remove(number)
        in_journal = m.backups.create().name
        named = m.memories.forget(number, yes=True).backups
    assert set(named) >= {present, archived, in_journal}
    assert without not in named
    assert set(holding(home, CONTENT, VERSION)) == set(named)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["memory", "experience", "entry"])
def test_backups_that_are_made_while_it_is_forgotten_do_not_hold_it_unnamed(kind: str, tmp_path: Path):
    home, vault = tmp_path / "home", write_vault(tmp_path / "vault", {"MEMORY.md": "# Memory\n"})
    stop, words, named = threading.Event(), [f"pelargonium{number:02}" for number in range(10)], set[str]()

    def back_up() -> None:
        with memoro.open(home, vault) as other:
            while not stop.is_set():
                other.backups.create()

    with memoro.open(home, vault) as m:
        for number in range(300):
            m.memories.store(f"other memory {number} about lamps")
        maker = threading.Thread(target=back_up)
        maker.start()
        try:
            for word in words:
                named |= {f"{name} {word}" for name in m.forget(_kept(m, kind, word), yes=True).backups}
        finally:
            stop.set()
            maker.join()
    assert {f"{name} {word}" for word in words for name in holding(home, word)} <= named


def _kept(m: memoro.Workspace, kind: str, word: str) -> str:
    """Keep something that has the word, and return its id."""
    match kind:
        case "memory":
            return f"memory:{m.memories.store(f'the {word} stands by the window').memory.id}"
        case "experience":
            made = m.experiences.record("task_solution", f"water the {word}", "in the evening")
            return f"experience:{made.experience.id}"
        case _:
            return str(m.remember(f"The {word} stands by the window.").id)


@pytest.mark.parametrize("then", ["a write", "a sync", "another forget", "the same again"])
def test_forgetting_that_was_broken_off_is_completed_by_what_comes_next(then: str, tmp_path: Path):
    vault, home = write_vault(tmp_path / "vault", {"a.md": "# A note\n\nAbout lamps.\n"}), tmp_path / "home"
    number = live(home, vault)
    shutil.rmtree(home / "backups")
    with memoro.open(home, vault) as m:
        m.memories.archive(number)
        m.sync()
        m.ledger.forgetting._scrub_ledger(m.ledger.forgetting.chosen([number]))  # and then it dies
    assert files_with(home, *WORDS)
    with memoro.open(home, vault) as m:
        if then == "a write":
            m.memories.store("something else")
        elif then == "a sync":
            m.sync()
        elif then == "another forget":
            m.memories.forget(1, yes=True)
        else:
            with suppress(MemoryNotFound):  # it is gone, after all
                m.memories.forget(number, yes=True)
    assert files_with(home, *WORDS) == []


def test_others_that_say_the_same_go_too(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        first = m.memories.store(f"the {CONTENT} is red").memory.id
        other = m.memories.store("a lamp").memory.id
        m.memories.supersede(first, other)
        second = m.memories.store(f"the {CONTENT} is red").memory.id
        assert second != first
        m.memories.update(other, f"the {CONTENT} is red, too")
        m.memories.update(other, "a lamp again")
        third = m.memories.store("for a moment").memory.id
        m.memories.update(third, f"the {CONTENT} is red")
        m.memories.remove(third)
        done = m.memories.forget(second, yes=True)
        assert {memory.id for memory in done.memories} == {first, second}
        assert m.memories.get(other).content == "a lamp again"
        removal = next(entry for entry in m.journal.log(50) if entry.operation == "remove")
        with pytest.raises(UndoConflict):
            m.journal.undo(removal.id)
        assert all(f"the {CONTENT} is red" not in contents_of(e.change) for e in m.journal.log(50))


def test_a_damaged_file_that_was_set_aside_is_named_and_that_of_the_index_goes(tmp_path: Path):
    vault, home = write_vault(tmp_path / "vault", {"a.md": "# A note\n\nAbout lamps.\n"}), tmp_path / "home"
    with memoro.open(home, vault) as m:
        number = m.memories.store(f"the {CONTENT} is red").memory.id
        m.sync()
        name = m.backups.create().name
    overwrite(home / "ledger.db", 30_000, b"\xff" * 5000)
    shutil.copy(home / "index.1.db", home / "index.damaged")
    with memoro.open(home, vault) as m:
        m.backups.restore(name)
        named = m.memories.forget(number, yes=True).backups
    kept = [file for file in os.listdir(home) if ".damaged-" in file]
    assert set(kept) <= set(named)
    assert not (home / "index.damaged").exists()
    assert {line.partition(":")[0] for line in files_with(home, CONTENT)} <= set(kept)


def test_forgetting_goes_by_source_session_and_time_and_needs_a_yes(tmp_path: Path):
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store(f"the {CONTENT} is red", source="web")
        m.memories.store(f"the {VERSION} was on Sunday", source="web")
        m.memories.store("a lamp")
    shutil.rmtree(home / "backups")
    listed = run_memoro("--home", str(home), "memory", "forget", "--source", "web")
    assert listed.code == 5
    assert CONTENT in listed.out
    assert files_with(home, CONTENT)
    done = run_memoro("--home", str(home), "memory", "forget", "--source", "web", "--yes")
    assert done.code == 0
    assert files_with(home, CONTENT, VERSION) == []
    assert run_memoro("--home", str(home), "memory", "query", "lamp").code == 0


def test_what_was_forgotten_does_not_come_back_by_an_import(tmp_path: Path):
    home, exported = tmp_path / "home", tmp_path / "export.jsonl"
    with memoro.open(home) as m:
        m.memories.store(f"the {CONTENT} is red")
        m.memories.store("a lamp")
    assert run_memoro("--home", str(home), "export", "--output", str(exported)).code == 0
    assert CONTENT in exported.read_text()
    assert run_memoro("--home", str(home), "memory", "forget", "1", "--yes").code == 0
    run_memoro("--home", str(home), "import", str(exported))
    assert files_with(home, CONTENT) == []
    assert run_memoro("--home", str(home), "memory", "query", CONTENT).code == 1


def tail(secret: str) -> bytes:
    """The part of a secret that tells it from all others."""
    line = max(secret.split("\n"), key=len)
    return line[-16:].encode()


def test_no_secret_of_any_kind_gets_to_the_disk_by_any_way(tmp_path: Path):
    """Built at run time, so that no scanner finds one here."""
    home, rng = tmp_path / "home", random.Random(46)
    with memoro.open(home) as m:
        m.ledger.access.after_write = lambda: None
        m.memories.store("a lamp")
        for number, sample in enumerate(SAMPLES):
            text = f"{sample.before}{sample.secret}{sample.after}"
            one_line = text.replace("\n", " ")
            name = (
                sample.secret if len(sample.secret) <= 150 and "\n" not in sample.secret and not sample.before else ""
            )
            memory = m.memories.store(f"number {number}: {text}", key=f"m {text}").memory
            m.memories.update(memory.id, f"better {number}: {text} again")
            m.narratives.update(f"now {number}: {one_line}", [memory.id], key=f"n {one_line}")
            for way in (
                lambda name=name, number=number: m.memories.store(f"t {number}", [name]),
                lambda name=name, number=number: m.memories.store(f"o {number}", source=name),
                lambda name=name, number=number: m.memories.store(f"s {number}", session=name, task=name),
                lambda name=name, number=number: m.memories.store(
                    f"p {number}", agent=name, project=name, origin=name
                ),
                lambda name=name: m.memories.query("lamp", session=name),
                lambda name=name, memory=memory: m.memories.reinforce(memory.id, session=name, source=name),
                lambda name=name, memory=memory: m.memories.archive(memory.id, source=name),
                lambda name=name, memory=memory: m.memories.unarchive(memory.id, source=name),
                lambda name=name, memory=memory: m.memories.remove(memory.id, source=name),
                lambda name=name: m.narratives.update("goes on", session=name, project=name, source=name),
            ):
                if name and rng.random() < 0.6:
                    with suppress(MemoryNotFound):  # it may be in the archive just now
                        way()
        m.sync()
        m.backups.create()
        files = [file for file in home.rglob("*") if file.is_file()]
        held = {file: file.read_bytes() for file in files}
        found = [(s.kind, file.name) for s in SAMPLES for file, data in held.items() if tail(s.secret) in data]
    assert found == []
    held = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    assert [(s.kind, file.name) for s in SAMPLES for file, data in held.items() if tail(s.secret) in data] == []
