"""Damage to the index file is found, said and mended; it never changes an answer. What is healthy is left alone."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro
from memoro.errors import IndexDamaged, IndexTooNew, MemoroError, StoreError, StoreUnavailable
from memoro.model.answers import Answer, Hit
from memoro.store.sqlite.engine import connect, engine
from memoro.store.sqlite.generations import Generations
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.store.sqlite.schema import FORMAT
from tests.conftest import run_memoro, times
from tests.damage import (
    PAGE,
    another_database,
    cut,
    cut_at_a_page,
    empty,
    flip,
    garbage,
    garbage_with_a_good_header,
    overwrite,
    overwrite_table,
    text,
)
from tests.indexes import QUERIES, Said, answers, change_vault, complaints, leftovers, make_vault, said
from tests.raw_sqlite import drop_table, index_file

NOTES = 24
ASKED = QUERIES[1:11:3]


class Sound(NamedTuple):
    """A healthy home, and what it says."""

    vault: Path
    home: Path
    said: Said
    answers: list[tuple[Hit, ...]]

    def copy_to(self, home: Path) -> Path:
        shutil.rmtree(home, ignore_errors=True)
        return Path(shutil.copytree(self.home, home))


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    folder = tmp_path_factory.mktemp("closed")
    vault, home = make_vault(folder / "vault", NOTES), folder / "home"
    with memoro.open(home, vault) as m:
        m.sync()
    return Sound(vault, home, said(home), answers(home, vault, ASKED))


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A home as a killed process leaves it: part of the index in the file, part in the log."""
    folder = tmp_path_factory.mktemp("killed")
    vault, open_home, home = make_vault(folder / "vault", NOTES), folder / "open", folder / "home"
    with memoro.open(open_home, vault) as m:
        m.sync()
    change_vault(vault, random.Random(3), edits=14, few=3)
    with memoro.open(open_home, vault) as m:
        m.sync()
        for number in range(30):  # after what was deleted: erasing that empties the log
            (vault / f"added-{number}.md").write_text(
                f"# Added {number}\n\n" + f"A line about number {number}.\n" * 60
            )
        m.sync()
        shutil.copytree(open_home, home)
    assert (home / "index.1.db-wal").stat().st_size > 100_000
    return Sound(vault, home, said(open_home), answers(open_home, vault, ASKED))


def ask(sound: Sound, home: Path) -> list[Answer]:
    """Every answer is the healthy one, or a plain error is raised."""
    given = []
    with memoro.open(home, sound.vault) as m:
        for query, expected in zip(ASKED, sound.answers, strict=True):
            answer = m.search(query, limit=10, mode="words")
            assert answer.results == expected, f"{query!r} was answered wrongly"
            given.append(answer)
    return given


def assert_harmless(sound: Sound, home: Path) -> bool:
    """Ask a damaged home; whether it was rebuilt for that."""
    number = Generations(str(home)).current()
    given = ask(sound, home)
    rebuilt = Generations(str(home)).current() != number or (home / "index.damaged").exists()
    assert rebuilt == any("rebuilt" in sentence for answer in given for sentence in answer.degraded)
    with suppress(IndexDamaged):  # in a part that no search has read so far
        assert said(home) == sound.said
    if rebuilt:
        assert complaints(home) == []
        assert said(home) == sound.said
    return rebuilt


@pytest.mark.campaign
def test_bytes_flipped_anywhere_never_change_an_answer(closed: Sound, tmp_path: Path):
    rng = random.Random(16)
    rebuilt = 0
    for number in range(times(120, 2_000)):
        home = closed.copy_to(tmp_path / "home")
        if number % 3 == 0:  # nothing but the search itself looks at the index then
            (home / "memoro.toml").write_text("[sync]\non_search = false\n")
        flip(index_file(home), rng)
        rebuilt += assert_harmless(closed, home)
    assert rebuilt > times(40, 400), "hardly any damage was met"


@pytest.mark.campaign
def test_no_bit_of_the_header_can_be_wrong_unnoticed(closed: Sound, tmp_path: Path):
    rng = random.Random(17)
    for at in sorted({*range(16, 28), *range(0, 100, times(5, 1))}):
        for bit in rng.sample(range(8), times(1, 8)):
            home = closed.copy_to(tmp_path / "home")
            file = index_file(home)
            overwrite(file, at, bytes([file.read_bytes()[at] ^ (1 << bit)]))
            assert assert_harmless(closed, home), f"bit {bit} of byte {at} was not noticed"


@pytest.mark.campaign
@pytest.mark.parametrize("tail", ["-wal", "-shm", ""])
def test_bytes_flipped_after_a_crash_never_change_an_answer(tail: str, killed: Sound, tmp_path: Path):
    rng = random.Random(tail)
    for _ in range(times(30, 500)):
        home = killed.copy_to(tmp_path / "home")
        flip(home / f"index.1.db{tail}", rng)
        assert_harmless(killed, home)


@pytest.mark.parametrize("lost", ["index.1.db", "index.1.db-wal", "index.1.db-shm", "index.1.lock", "index.1.db*"])
def test_a_file_lost_after_a_crash_never_changes_an_answer(lost: str, killed: Sound, tmp_path: Path):
    """Above all not a log that is left without its index: it must not be read into another one."""
    home = killed.copy_to(tmp_path / "home")
    for file in home.glob(lost):
        file.unlink()

    assert ask(killed, home)
    with memoro.open(home, killed.vault) as m:
        m.sync()

    assert said(home) == killed.said
    assert complaints(home) == []
    assert leftovers(home) == set()


def damage_in_the_middle(file: Path, rng: random.Random) -> None:
    overwrite(file, file.stat().st_size // PAGE // 2 * PAGE, rng.randbytes(PAGE))


def without_a_table(file: Path, _: random.Random) -> None:
    drop_table(file, "chunks")


@pytest.mark.parametrize(
    "damage",
    [empty, cut, cut_at_a_page, garbage, garbage_with_a_good_header, text, another_database, without_a_table],
)
def test_a_file_that_is_no_index_is_replaced_by_one(
    damage: Callable[[Path, random.Random], None], closed: Sound, tmp_path: Path
):
    rng = random.Random(18)
    for _ in range(times(4, 20)):
        home = closed.copy_to(tmp_path / "home")
        damage(index_file(home), rng)
        assert assert_harmless(closed, home)
        assert leftovers(home) <= {"index.damaged"}


@pytest.mark.parametrize("table", ["meta", "files", "chunks", "words_data", "words_docsize", "problems", "tags"])
def test_damage_to_any_table_is_mended_by_a_sync(table: str, closed: Sound, tmp_path: Path):
    """Whichever part is lost, the sync that finds it must not stumble over it again while it rebuilds."""
    home = closed.copy_to(tmp_path / "home")
    overwrite_table(index_file(home), table, 2000, b"\xff\x00 damage")

    with memoro.open(home, closed.vault) as m:
        with suppress(IndexDamaged):
            m.sync()
        m.sync(force=True)

    assert said(home) == closed.said
    assert complaints(home) == []
    assert ask(closed, home)


def test_an_index_without_the_vault_says_that_it_is_damaged_and_keeps_the_file(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    garbage(index_file(home), random.Random(1))

    with memoro.open(home, tmp_path / "unmounted") as m, pytest.raises(MemoroError):
        m.search("anything")

    assert ask(closed, home)


def test_an_index_of_an_older_format_is_rebuilt(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    set_format(home, -1)

    given = ask(closed, home)

    assert "old format" in given[0].degraded[0]
    assert "rebuilt" in given[0].degraded[0]
    assert said(home) == closed.said


def test_an_index_of_a_newer_format_is_left_alone_until_its_owner_says_otherwise(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    set_format(home, FORMAT + 1)
    before = index_file(home).read_bytes()

    with memoro.open(home, closed.vault) as m:
        for operation in (lambda: m.search("a"), m.sync, m.status, lambda: m.get("note-2.md")):
            with pytest.raises(IndexTooNew) as raised:
                operation()
            assert raised.value.found == FORMAT + 1
    assert index_file(home).read_bytes() == before
    assert not (home / "index.damaged").exists()
    refused = run_memoro("--home", str(home), "--vault", str(closed.vault), "sync")
    forced = run_memoro("--home", str(home), "--vault", str(closed.vault), "sync", "--force")

    assert (refused.code, forced.code) == (4, 0)
    assert "--force" in refused.err
    assert said(home) == closed.said


def set_format(home: Path, number: int) -> None:
    db = connect(str(index_file(home)), engine(str(home)))
    db.pragma("user_version", number)
    db.close()


HOLD = """
import sys, time, fcntl, os, apsw
from memoro.store.sqlite.engine import connect, engine
home, file, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
lock = os.open(os.path.join(home, "write.lock"), os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
db = connect(file, engine(home))
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT OR REPLACE INTO meta VALUES ('held', 'yes')")
print("held", flush=True)
time.sleep(seconds)
db.execute("ROLLBACK")
"""


@pytest.mark.campaign
def test_a_healthy_index_is_never_set_aside_while_someone_writes(closed: Sound, tmp_path: Path):
    for _ in range(times(2, 50)):
        home = closed.copy_to(tmp_path / "home")
        before = index_file(home)
        with subprocess.Popen(
            [sys.executable, "-c", HOLD, str(home), str(before), "0.6"], stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            given = ask(closed, home)
            indexes = SqliteIndexHome(str(home), engine(str(home)))
            assert indexes.is_damaged() is None  # waits for the writer, and then looks
            indexes.close()
            with memoro.open(home, closed.vault) as m:
                assert {check.name: check.state for check in m.doctor()}["index"] == "ok"
        assert holder.returncode == 0
        assert not any("damaged" in sentence for answer in given for sentence in answer.degraded)
        assert index_file(home) == before
        assert not (home / "index.damaged").exists()


@pytest.mark.parametrize("names", ["index.*.db", "index.*", "*"])
def test_an_index_deleted_under_a_living_workspace_is_made_again(names: str, closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    with memoro.open(home, closed.vault) as m, memoro.open(home, closed.vault) as other:
        for _ in range(3):
            assert m.search(ASKED[0], limit=10, mode="words").results == closed.answers[0]
            m.sync(force=True)
            (closed.vault / "extra.md").write_text("# Extra\n\nOnly for the log to hold something.\n")
            m.sync()
            (closed.vault / "extra.md").unlink()
            for file in home.glob(names):
                file.unlink()
            assert other.search(ASKED[1], limit=10, mode="words").results == closed.answers[1]
            assert ask(closed, home)
            assert said(home) == closed.said
    assert complaints(home) == []
    assert leftovers(home) == set()


@pytest.mark.campaign
def test_an_index_deleted_again_and_again_costs_at_most_a_plain_error(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    until = time.monotonic() + times(3, 30)
    wrong: list[object] = []

    def search(number: int) -> None:
        with memoro.open(home, closed.vault) as m:
            while time.monotonic() < until:
                try:
                    answer = m.search(ASKED[number], limit=10, mode="words")
                    if answer.results != closed.answers[number]:
                        wrong.append(answer)
                except StoreError:
                    continue
                except BaseException as error:
                    wrong.append(error)

    threads = [threading.Thread(target=search, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    rng = random.Random(15)
    while time.monotonic() < until:
        for file in home.glob(rng.choice(["index.*.db", "index.*", "*"])):
            file.unlink(missing_ok=True)
        time.sleep(rng.uniform(0, 0.05))
    for thread in threads:
        thread.join()

    assert wrong == []
    assert ask(closed, home)
    with memoro.open(home, closed.vault) as m:
        m.sync()
    assert said(home) == closed.said
    assert complaints(home) == []


def test_a_home_deleted_under_a_living_workspace_is_made_again(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    with memoro.open(home, closed.vault) as m:
        assert m.search(ASKED[0], limit=10, mode="words").results == closed.answers[0]
        shutil.rmtree(home)
        with suppress(StoreUnavailable):
            assert m.search(ASKED[0], limit=10, mode="words").results == closed.answers[0]
    assert ask(closed, home)


def test_doctor_finds_what_no_search_has_met(closed: Sound, tmp_path: Path):
    home = closed.copy_to(tmp_path / "home")
    overwrite_table(index_file(home), "tags_by_name", 3000, b"\xff\x00 damage")

    doctor = run_memoro("--home", str(home), "--vault", str(closed.vault), "doctor")

    assert doctor.code != 0
    assert "sync --force" in doctor.out + doctor.err


# --- the vector files -----------------------------------------------------------------------------------


def by_meaning(home: Path, vault: Path) -> list[Answer]:
    with memoro.open(home, vault) as m:
        return [m.search(query, limit=10, mode=mode) for query in ASKED for mode in ("vectors", "hybrid")]


@pytest.mark.campaign
@pytest.mark.parametrize("part", ["rows", "scales", "chunks", "sums"])
def test_bytes_flipped_in_vector_files_never_change_an_answer(part: str, closed: Sound, tmp_path: Path) -> None:
    rng = random.Random(part)
    expected = [answer.results for answer in by_meaning(closed.copy_to(tmp_path / "home"), closed.vault)]
    for number in range(times(40, 1_000)):
        home = closed.copy_to(tmp_path / "home")
        if number % 2:
            (home / "memoro.toml").write_text("[sync]\non_search = false\n")
        (file,) = home.glob(f"index.1.vectors-*.{part}")
        before = file.read_bytes()
        flip(file, rng)
        damaged = file.read_bytes() != before
        given = by_meaning(home, closed.vault)
        assert [answer.results for answer in given] == expected
        said = [sentence for answer in given for sentence in answer.degraded]
        assert len(said) == damaged
        assert all("damaged" in sentence and "written anew" in sentence for sentence in said)
        assert Generations(str(home)).current() == 1


@pytest.mark.parametrize("part", ["rows", "scales", "chunks", "sums"])
def test_bytes_flipped_under_a_living_workspace_never_name_a_wrong_passage(
    part: str, closed: Sound, tmp_path: Path
) -> None:
    """It has verified every row before; from then on it verifies what it names, and a sync all."""
    home = closed.copy_to(tmp_path / "home")
    rng = random.Random(part)
    expected = [answer.results for answer in by_meaning(home, closed.vault)]
    with memoro.open(home, closed.vault) as m:
        for _ in range(times(10, 100)):
            (file,) = home.glob(f"index.1.vectors-*.{part}")
            flip(file, rng)
            for query in ASKED:
                m.search(query, limit=10)
            m.sync()
            found = [m.search(query, limit=10, mode=mode) for query in ASKED for mode in ("vectors", "hybrid")]
            assert [answer.results for answer in found] == expected
            assert not any(answer.degraded for answer in found)


@pytest.mark.parametrize("damage", [empty, cut, garbage, text])
@pytest.mark.parametrize("part", ["rows", "scales", "chunks", "sums"])
def test_a_file_of_vectors_that_is_none_is_written_anew_without_a_rebuild(
    damage: Callable[[Path, random.Random], None], part: str, closed: Sound, tmp_path: Path
) -> None:
    home = closed.copy_to(tmp_path / "home")
    expected = by_meaning(home, closed.vault)
    (file,) = home.glob(f"index.1.vectors-*.{part}")
    damage(file, random.Random(19))
    given = by_meaning(home, closed.vault)
    assert [answer.results for answer in given] == [answer.results for answer in expected]
    assert "written anew" in given[0].degraded[0]
    assert Generations(str(home)).current() == 1


@pytest.mark.parametrize("damage", [garbage, cut_at_a_page, empty, damage_in_the_middle])
def test_doctor_names_damaged_cached_vectors_until_they_are_computed_again(
    damage: Callable[[Path, random.Random], None], closed: Sound, tmp_path: Path
):
    home = closed.copy_to(tmp_path / "home")
    places = ("--home", str(home), "--vault", str(closed.vault))
    assert "cached vectors" not in run_memoro(*places, "doctor").out
    damage(home / "embeddings.db", random.Random(4))
    assert "! cached vectors: embeddings.db" in run_memoro(*places, "doctor").out
    assert run_memoro(*places, "search", QUERIES[0]).code == 0  # which may replace it by an empty one
    assert "! cached vectors: embeddings.db" in run_memoro(*places, "doctor").out
    assert run_memoro(*places, "sync", "--force").code == 0
    assert "cached vectors" not in run_memoro(*places, "doctor", "--deep").out
