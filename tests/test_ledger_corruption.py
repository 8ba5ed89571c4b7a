"""Damage to the ledger is found, said and kept; no row is silently wrong, nothing is written, a backup mends it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro
from memoro.errors import IndexDamaged, LedgerDamaged, LedgerNotRecognised, LedgerTooNew, StoreError
from memoro.ledger.services import LedgerServices
from memoro.model.memories import Memory
from memoro.store.sqlite.ledger.schema import FORMAT
from tests.conftest import run_memoro, times, write_vault
from tests.damage import (
    PAGE,
    another_database,
    cut,
    empty,
    flip,
    garbage,
    garbage_with_a_good_header,
    overwrite,
    overwrite_table,
    text,
)
from tests.ledgers import database_of
from tests.raw_sqlite import drop_table, ids_in, opened
from tests.test_ledger_faults import services

COUNT = 160  # so that most pages of the file hold something that is asked for
WORDS = ("lamp", "door", "river", "stone")


class Told(NamedTuple):
    """What a ledger answers when it is asked everything."""

    memories: tuple[Memory, ...]
    found: tuple[tuple[int, float], ...]  # number of a memory and its score
    histories: tuple[object, ...]
    changes: tuple[object, ...]


def ask(made: LedgerServices) -> Told:
    return Told(
        tuple(made.memories.all()),
        tuple((one.memory.id, one.score) for word in WORDS for one in made.memories.query(word, 50).results),
        tuple(tuple(made.memories.history(number)) for number in (1, 5, COUNT)),
        tuple(made.journal.log(1000)),
    )


def fill(made: LedgerServices) -> None:
    for number in range(1, COUNT + 1):
        made.memories.store(f"the {WORDS[number % 4]} number {number} " + f"{WORDS[number % 3]} and more " * 20)
        if number % 5 == 0:
            made.memories.reinforce(number)


class Sound(NamedTuple):
    home: Path
    told: Told
    backup: str

    def copy_to(self, home: Path) -> Path:
        shutil.rmtree(home, ignore_errors=True)
        return Path(shutil.copytree(self.home, home))


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    home = tmp_path_factory.mktemp("closed") / "home"
    home.mkdir(mode=0o700)
    made = services(home)
    fill(made)
    backup = made.backups.create().name
    told = ask(made)
    made.close()
    return Sound(home, told, backup)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A home as a killed process leaves it: part of the ledger in the file, part in the log."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "open").mkdir(mode=0o700)
    made = services(folder / "open")
    fill(made)
    database_of(made.access.ledger).merge_log()
    backup = made.backups.create().name
    for number in range(12):
        made.memories.store(f"a late lamp {number}")
    shutil.copytree(folder / "open", folder / "home")
    told = ask(made)
    made.close()
    assert (folder / "home" / "ledger.db-wal").stat().st_size > 50_000
    return Sound(folder / "home", told, backup)


def ledger(home: Path) -> Path:
    return home / "ledger.db"


def assert_harmless(sound: Sound, home: Path, *, is_log: bool = False) -> bool:
    """Every answer is the healthy one, or the ledger is called damaged or older; whether it was."""
    before = ledger(home).read_bytes()
    made = services(home)
    try:
        told = ask(made)
    except LedgerDamaged as error:
        assert "backup restore" in str(error)
        assert_set_aside(made, home, before)
        return True
    except LedgerNotRecognised as error:
        # Of a log that is cut short the engine believes what comes before: an earlier state, whole.
        assert is_log
        assert error.state == "older"
        assert ledger(home).read_bytes() == before
        return True
    finally:
        made.close()
    assert told == sound.told, "a wrong row or a lost one, and nobody said so"
    assert not list(home.glob("*damaged*")), "it answers, and was called damaged"
    return False


def assert_set_aside(made: LedgerServices, home: Path, before: bytes) -> None:
    assert (home / "ledger.damaged.db").read_bytes() == before
    now = ledger(home).read_bytes()
    for write in (lambda: made.memories.store("no"), lambda: made.memories.reinforce(1)):
        with pytest.raises(LedgerDamaged):
            write()
    assert ledger(home).read_bytes() == now


def assert_mended_by(sound: Sound, home: Path) -> None:
    made = services(home)
    made.backups.restore(sound.backup)
    assert ask(made) == sound.told
    assert made.memories.store("and life goes on").new
    assert database_of(made.access.ledger).check() == []
    assert list(home.glob("ledger.db.damaged-1")), "the damaged bytes are gone"
    made.close()


@pytest.mark.campaign
def test_bytes_flipped_anywhere_are_never_taken_for_the_truth(closed: Sound, tmp_path: Path):
    rng, damaged, rounds = random.Random(16), 0, times(120, 1_400)
    for number in range(rounds):
        home = closed.copy_to(tmp_path / "home")
        flip(ledger(home), rng)
        if assert_harmless(closed, home):
            damaged += 1
            if number % 5 == 0:
                assert_mended_by(closed, home)
    print(f"{rounds} places, {damaged} called damaged, 0 wrong rows")
    assert damaged > rounds // 3, "hardly any damage was met"


@pytest.mark.campaign
def test_no_bit_of_the_header_can_be_wrong_unnoticed(closed: Sound, tmp_path: Path):
    rng, places = random.Random(17), 0
    for at in range(0, 100, times(5, 1)):
        for bit in rng.sample(range(8), times(1, 3)):
            home = closed.copy_to(tmp_path / "home")
            overwrite(ledger(home), at, bytes([ledger(home).read_bytes()[at] ^ (1 << bit)]))
            assert assert_harmless(closed, home), f"bit {bit} of byte {at} was not noticed"
            places += 1
    print(f"{places} places")


@pytest.mark.campaign
@pytest.mark.parametrize("tail", ["-wal", "-shm", ""])
def test_bytes_flipped_after_a_crash_never_make_a_row_wrong(tail: str, killed: Sound, tmp_path: Path):
    rng, rounds = random.Random(tail), times(25, 200)
    damaged = 0
    for _ in range(rounds):
        home = killed.copy_to(tmp_path / "home")
        flip(home / f"ledger.db{tail}", rng)
        damaged += assert_harmless(killed, home, is_log=tail == "-wal")
    print(f"{rounds} places in ledger.db{tail}, {damaged} called damaged")


def without_a_table(file: Path, _: random.Random) -> None:
    drop_table(file, "memories")


@pytest.mark.parametrize(
    "damage", [empty, cut, garbage, garbage_with_a_good_header, text, another_database, without_a_table]
)
def test_a_file_that_is_no_ledger_is_kept_and_a_backup_takes_its_place(
    damage: Callable[[Path, random.Random], None], closed: Sound, tmp_path: Path
):
    rng = random.Random(18)
    for _ in range(times(2, 20)):
        home = closed.copy_to(tmp_path / "home")
        damage(ledger(home), rng)
        assert assert_harmless(closed, home), f"{damage.__name__} was not noticed"
        assert_mended_by(closed, home)


def test_a_ledger_with_any_page_of_zeros_is_reported_and_restored(closed: Sound, tmp_path: Path):
    """A page of zeros has the checksum of a page of zeros: only a check of the whole file finds it."""
    pages = ledger(closed.home).stat().st_size // PAGE
    for page in range(1, pages, max(1, pages // times(12, pages))):
        home = closed.copy_to(tmp_path / "home")
        overwrite(ledger(home), page * PAGE, bytes(PAGE))
        damaged = ledger(home).read_bytes()
        found = run_memoro("--home", str(home), "doctor").out
        assert f"{ledger(home)} is damaged" in found, f"page {page} was not noticed"
        assert "The index is damaged" not in found
        for kept in home.glob("*damaged*"):
            assert kept.stat().st_mode & 0o077 == 0
        done = run_memoro("--home", str(home), "backup", "restore", closed.backup)
        assert done.code == 0, f"page {page}: {done.err}"
        assert (home / "ledger.db.damaged-1").read_bytes() == damaged
        made = services(home)
        assert ask(made) == closed.told
        made.close()


def test_the_bytes_of_a_damaged_ledger_survive_a_restore_after_the_file_was_moved_away(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    overwrite(ledger(home), 3 * PAGE, b"\xff" * PAGE)
    damaged = ledger(home).read_bytes()
    run_memoro("--home", str(home), "doctor", "--deep")
    ledger(home).rename(tmp_path / "away.db")
    assert run_memoro("--home", str(home), "backup", "restore", closed.backup).code == 0
    assert (home / "ledger.db.damaged-1").read_bytes() == damaged
    assert not (home / "ledger.damaged.db").exists()


def test_an_emptied_file_does_not_take_its_log_with_it(killed: Sound, tmp_path: Path):
    home = killed.copy_to(tmp_path / "home")
    log = (home / "ledger.db-wal").read_bytes()
    ledger(home).write_bytes(b"")
    assert assert_harmless(killed, home)
    assert (home / "ledger.damaged.db-wal").read_bytes() == log


def test_a_restored_ledger_is_seen_by_who_had_the_damaged_one_open(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    living = services(home)
    assert ask(living) == closed.told
    overwrite(ledger(home), 4096 * 3, b"\xff" * 4096 * 4)
    assert run_memoro("--home", str(home), "backup", "restore", closed.backup).code == 0
    assert ask(living) == closed.told
    number = living.memories.store("by the one who was there before").memory.id
    living.close()
    fresh = services(home)
    assert fresh.memories.get(number).content == "by the one who was there before"
    fresh.close()


def make_too_new(file: Path, _: random.Random) -> None:
    with opened(file) as db:
        db.pragma("user_version", FORMAT + 1)


@pytest.mark.parametrize("damage", [garbage, empty, without_a_table, make_too_new])
@pytest.mark.parametrize("synced", [True, False], ids=["indexed before", "not yet indexed"])
def test_notes_are_found_whatever_is_the_matter_with_the_ledger(
    damage: Callable[[Path, random.Random], None], synced: bool, tmp_path: Path
):
    vault, home = (
        write_vault(tmp_path / "vault", {"a.md": "# Lamps\n\nThe lamp is in the hall.\n"}),
        tmp_path / "home",
    )
    with memoro.open(home, vault) as m:
        m.memories.store("the lamp was bought in March")
        if synced:
            assert {hit.path for hit in m.search("lamp", mode="words").results} == {"a.md", "memory:1"}
    damage(ledger(home), random.Random(1))
    (vault / "b.md").write_text("# More\n\nAnother lamp, in the cellar.\n")
    with memoro.open(home, vault) as m:
        for mode in ("words", "hybrid"):
            answer = m.search("lamp", mode=mode)
            assert {hit.path for hit in answer.results} == {"a.md", "b.md"}
            (said,) = [line for line in answer.degraded if line.startswith("memories: ")]
            assert "ledger.db" in said
        if damage is not without_a_table:  # a sync that finds no change has no need of that one
            assert m.sync().degraded[0].startswith("memories: ")
        with pytest.raises((LedgerDamaged, LedgerTooNew)):
            m.memories.store("not now")
    shown = run_memoro("--home", str(home), "--vault", str(vault), "search", "cellar", "--json")
    assert shown.code == 0
    assert shown.json["degraded"]
    if damage is make_too_new:
        assert not list(home.glob("*damaged*"))


def test_a_damaged_index_is_not_blamed_on_the_ledger(tmp_path: Path):
    vault, home = (
        write_vault(tmp_path / "vault", {"a.md": "# Lamps\n\nThe lamp is in the hall.\n"}),
        tmp_path / "home",
    )
    with memoro.open(home, vault) as m:
        m.memories.store("the lamp was bought in March")
        m.sync()
        m.memories.store("the second lamp came in May")
    file = home / "index.1.db"
    overwrite_table(file, "chunks", 100, b"\xff\x00 damage" * 300)
    with memoro.open(home, vault) as m:
        answer = m.search("lamp", mode="words")
        assert {hit.path for hit in answer.results} == {"a.md", "memory:1", "memory:2"}
        assert any("rebuilt" in line for line in answer.degraded)
        assert not any("memories" in line for line in answer.degraded)
    assert not list(home.glob("ledger*damaged*"))


def test_damage_of_the_archive_does_not_stop_the_ledger(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    made = services(home)
    made.memories.archive(3)
    made.close()
    garbage(home / "archive.db", random.Random(2))
    made = services(home)
    assert made.memories.store("still possible").new
    assert made.memories.query("lamp").results
    with pytest.raises(StoreError) as raised:
        made.memories.unarchive(3)
    assert not isinstance(raised.value, IndexDamaged)
    made.close()


@pytest.mark.parametrize("doctor_first", [True, False], ids=["doctor was run", "no doctor"])
def test_unarchive_from_a_damaged_archive_changes_nothing(doctor_first: bool, split: Sound, tmp_path: Path):
    home = split.copy_to(tmp_path / "home")
    overwrite_table(home / "archive.db", "words_docsize", 0, b"\xff" * PAGE)
    if doctor_first:
        assert run_memoro("--home", str(home), "doctor").code == 1
    made = services(home)
    with pytest.raises(LedgerDamaged):
        made.memories.unarchive(2)
    assert ask_few(made) == split.told
    made.close()


def test_doctor_names_a_memory_in_both_files_and_what_keeps_one(split: Sound, tmp_path: Path):
    home = split.copy_to(tmp_path / "home")
    made = services(home)
    made.memories.unarchive(2)
    made.memories.update(2, "the river of today")
    made.backups.restore(split.backup, "archive")
    made.close()
    done = run_memoro("--home", str(home), "doctor")
    assert "! archive: in the ledger and in the archive: [id:2]" in done.out
    assert "`memoro memory unarchive 2`" in done.out
    kept = run_memoro("--home", str(home), "memory", "unarchive", "2", "--json")
    assert kept.json["content"] == "the river of today"
    assert "in the archive: [id:2]" not in run_memoro("--home", str(home), "doctor").out
    assert "No memory matches" in run_memoro("--home", str(home), "memory", "list", "--state", "archived").out


def test_a_memory_that_the_archive_cannot_take_stays_in_the_ledger(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    made = services(home)
    made.memories.archive(3)
    made.close()
    garbage(home / "archive.db", random.Random(2))
    made = services(home)
    with pytest.raises(StoreError):
        made.memories.archive(2)
    made.close()
    assert 2 in ids_in(home / "ledger.db")


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A home with a memory in its archive, and one in its ledger that is newer than the backup."""
    home = tmp_path_factory.mktemp("split") / "home"
    home.mkdir(mode=0o700)
    made = services(home)
    made.memories.store("the old lamp")
    made.memories.store("the river of old")
    made.memories.archive(2)
    backup = made.backups.create().name
    made.memories.store("the door, newer than the backup")
    told = ask_few(made)
    made.close()
    return Sound(home, told, backup)


def ask_few(made: LedgerServices) -> Told:
    return Told(tuple(made.memories.all()), (), (), tuple(made.journal.log(1000)))


def contents(home: Path) -> list[str]:
    made = services(home)
    try:
        return [memory.content for memory in made.memories.all()]
    finally:
        made.close()


def named_command(error: StoreError, backup: str) -> list[str]:
    """The command that the message names, for this backup."""
    found = re.search(r"`memoro (backup restore NAME[^`]*)`", str(error))
    assert found, error
    return found[1].replace("NAME", backup).split()


def test_the_advised_command_for_a_damaged_archive_keeps_the_ledger(split: Sound, tmp_path: Path):
    home = split.copy_to(tmp_path / "home")
    overwrite(home / "archive.db", PAGE, b"\xff" * PAGE * 4)
    made = services(home)
    with pytest.raises(LedgerDamaged) as raised:
        made.memories.unarchive(2)
    made.close()
    done = run_memoro("--home", str(home), *named_command(raised.value, split.backup))
    assert done.code == 0, done.err
    assert "archive.db.damaged-1" in done.out
    made = services(home)
    assert ask_few(made) == split.told
    assert made.memories.unarchive(2).content == "the river of old"
    made.close()


@pytest.mark.parametrize("damaged", ["ledger", "archive"])
def test_a_restore_of_both_files_keeps_the_one_that_is_healthy_as_a_backup(
    damaged: str, split: Sound, tmp_path: Path
):
    home = split.copy_to(tmp_path / "home")
    made = services(home)
    made.memories.archive(1)  # since the backup, so that the archive differs, too
    made.close()
    overwrite(home / f"{damaged}.db", PAGE, b"\xff" * PAGE * 4)
    bytes_then = (home / f"{damaged}.db").read_bytes()
    done = run_memoro("--home", str(home), "backup", "restore", split.backup)
    assert done.code == 0, done.err
    assert (home / f"{damaged}.db.damaged-1").read_bytes() == bytes_then
    assert f"{damaged}.db.damaged-1" in done.out
    assert contents(home) == ["the old lamp"]
    made = services(home)
    kept = made.backups.all()[0]
    assert (kept.why, list(kept.rows)) == ("before a restore", ["archive" if damaged == "ledger" else "ledger"])
    assert made.backups.newest() != kept, "one file stands in for no backup of both"
    assert made.backups.newest_sound() != kept.name
    made.close()
    assert f"`memoro backup restore {kept.name}`" in done.out
    done = run_memoro("--home", str(home), "backup", "restore", kept.name)
    assert done.code == 0, done.err
    made = services(home)
    if damaged == "archive":
        assert [memory.content for memory in made.memories.all()] == ["the door, newer than the backup"]
    else:
        assert made.memories.unarchive(1).content == "the old lamp"
    made.close()


def test_a_restore_of_both_files_keeps_a_healthy_ledger_beside_a_missing_archive(split: Sound, tmp_path: Path):
    home = split.copy_to(tmp_path / "home")
    (home / "archive.db").unlink()
    done = run_memoro("--home", str(home), "backup", "restore", split.backup)
    assert done.code == 0, done.err
    assert contents(home) == ["the old lamp"]
    kept = re.search(r"`memoro (backup restore [^`]*)`", done.out)
    assert kept
    assert run_memoro("--home", str(home), *kept[1].split()).code == 0
    assert contents(home) == ["the old lamp", "the door, newer than the backup"]


def test_doctor_finds_any_damaged_page_of_an_archive(split: Sound, tmp_path: Path):
    pages = (split.home / "archive.db").stat().st_size // PAGE
    for page in range(1, pages, max(1, pages // times(6, pages))):
        home = split.copy_to(tmp_path / "home")
        overwrite(home / "archive.db", page * PAGE, b"\xff" * PAGE)
        done = run_memoro("--home", str(home), "doctor")
        assert (done.code, f"✗ archive: {home / 'archive.db'} is damaged" in done.out) == (1, True), f"page {page}"
        assert "--part archive" in done.out


@pytest.mark.parametrize(("part", "table"), [("ledger", "narratives"), ("archive", "words_docsize")])
def test_status_names_damage_that_was_found_before(part: str, table: str, split: Sound, tmp_path: Path):
    home, vault = split.copy_to(tmp_path / "home"), write_vault(tmp_path / "vault", {"a.md": "a lamp"})
    places = ["--home", str(home), "--vault", str(vault)]
    overwrite_table(home / f"{part}.db", table, 0, b"\xff" * PAGE)
    assert "is damaged" not in run_memoro(*places, "status").out, "it is not known yet"
    assert f"✗ {part}" in run_memoro(*places, "doctor").out

    (said,) = [one for one in run_memoro(*places, "status", "--json").json["notices"] if "is damaged" in one]
    assert said.startswith(f"{home / f'{part}.db'} is damaged (as was found before)")
    assert "`memoro backup list`" in said
    assert f"{part}.db is damaged" in " ".join(run_memoro(*places, "status").out.split())
    with memoro.open(home, vault) as m:
        assert said in m.glance().troubles


def put_back(good: Path, file: Path, *, way: str) -> None:
    """Put a file in the place of a damaged one: copied over it with its old times, or moved there."""
    mark = file.with_name("ledger.damaged.db")
    probe = file.with_name("probe")
    while not probe.exists() or probe.stat().st_ctime_ns <= mark.stat().st_ctime_ns:  # a tick of the file system
        probe.write_bytes(b"")
    probe.unlink()
    if way == "copied":
        shutil.copy2(good, file)
    else:
        shutil.copy2(good, f"{file}.new")
        Path(f"{file}.new").rename(file)


def damaged_home(sound: Sound, tmp_path: Path) -> Path:
    """A home whose ledger is damaged, as a command has found; the good file is beside the home."""
    home = sound.copy_to(tmp_path / "home")
    shutil.copy2(ledger(home), tmp_path / "good.db")
    garbage(ledger(home), random.Random(1))
    assert run_memoro("--home", str(home), "memory", "list").code == 4
    assert (home / "ledger.damaged.db").exists()
    return home


@pytest.mark.parametrize("way", ["copied", "moved"])
def test_a_good_ledger_that_is_put_back_is_written_to_again(way: str, closed: Sound, tmp_path: Path):
    home = damaged_home(closed, tmp_path)
    wrong = ledger(home).read_bytes()
    put_back(tmp_path / "good.db", ledger(home), way=way)

    made = services(home)
    assert made.memories.store("written after it was put back").new
    made.close()
    done = run_memoro("--home", str(home), "doctor")
    assert "✓ ledger:" in done.out
    assert "damaged" not in done.out
    assert not (home / "ledger.damaged.db").exists()
    assert (home / "ledger.db.damaged-1").read_bytes() == wrong, "the damaged bytes are kept"


def test_an_open_ledger_that_is_put_back_is_written_to_again(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    shutil.copy2(ledger(home), tmp_path / "good.db")
    garbage(ledger(home), random.Random(1))
    made = services(home)
    for _ in range(2):
        with pytest.raises(LedgerDamaged):
            made.memories.store("no")
    put_back(tmp_path / "good.db", ledger(home), way="moved")
    assert made.access.ledger.known_damage() is None
    assert made.memories.store("yes").new
    made.close()


@pytest.mark.parametrize("command", [("backup", "adopt", "ledger", "--yes"), ("doctor",), ("doctor", "--deep")])
def test_a_person_can_have_a_ledger_read_again_that_does_not_look_changed(
    command: tuple[str, ...], closed: Sound, tmp_path: Path
):
    home = closed.copy_to(tmp_path / "home")
    (home / "ledger.damaged.db").write_bytes(b"as found before")  # a disk that reads right again, for example
    made = services(home)
    with pytest.raises(LedgerDamaged, match="as was found before"):
        made.memories.store("no")
    made.close()
    assert "is damaged" not in run_memoro("--home", str(home), *command).out
    made = services(home)
    assert made.memories.store("yes").new
    made.close()


def test_another_damaged_ledger_that_is_put_there_is_refused_too(closed: Sound, tmp_path: Path):
    home = damaged_home(closed, tmp_path)
    record = (home / "ledger.record.json").read_bytes()
    worse = tmp_path / "worse.db"
    shutil.copy2(tmp_path / "good.db", worse)
    overwrite_table(worse, "memories", 0, b"\xff" * PAGE)
    put_back(worse, ledger(home), way="copied")

    made = services(home)
    for _ in range(2):
        with pytest.raises(LedgerDamaged):
            made.memories.store("no")
    made.close()
    done = run_memoro("--home", str(home), "backup", "adopt", "ledger", "--yes")
    assert (done.code, "is damaged" in done.err) == (4, True)
    assert (home / "ledger.record.json").read_bytes() == record, "nothing but the recorded state is accepted"
    assert (home / "ledger.damaged.db").exists()
    assert_mended_by(closed, home)


def test_an_older_ledger_that_is_put_back_is_refused_and_can_be_adopted(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    shutil.copy2(ledger(home), tmp_path / "older.db")
    made = services(home)
    made.memories.store("newer than the copy")
    made.close()
    garbage(ledger(home), random.Random(1))
    assert run_memoro("--home", str(home), "memory", "list").code == 4
    put_back(tmp_path / "older.db", ledger(home), way="copied")

    made = services(home)
    with pytest.raises(LedgerNotRecognised, match="older copy"):
        made.memories.store("no")
    made.close()
    assert run_memoro("--home", str(home), "backup", "adopt", "ledger", "--yes").code == 0
    made = services(home)
    assert made.memories.store("yes").new
    made.close()
