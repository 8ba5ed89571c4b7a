"""When a sync is due, what it is about, and that one is enough for all who want it."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.config import DeltaSettings
from memoro.errors import ConfigError, Interrupted, TooManyGone
from memoro.index import indexing
from memoro.index.growth import Growth, grown, growths
from memoro.index.report import Options, Report
from memoro.index.single_flight import SyncReceipt, settings_digest
from memoro.index.sync import sync
from memoro.index.sync_run import SyncSource
from memoro.index.triggers import PATIENCE, SyncSchedule, Timing
from memoro.ledger.erasure import forgetting
from memoro.model.notes import kind_of
from memoro.model.vocabulary import BOTH, LOGS, SYNC_PARTS, VAULT, Half, SyncPart, parse_choice
from memoro.store.plain.index import PlainIndex
from memoro.vault.files import VaultFiles
from tests.conftest import Memoro, wait_for, write_vault
from tests.logs import Logs

QUIET = Timing(notes_quiet=1.5, logs_quiet=5.0, interval=300.0)


def message(text: str, name: str = "") -> str:
    return json.dumps({"role": "user", "content": text, "id": name or text}) + "\n"


def record(number: int, text: str) -> str:
    """A record of Claude Code: its name tells a message wherever a copy stands."""
    return (
        json.dumps(
            {
                "type": "user", "uuid": f"u{number}", "parentUuid": None, "sessionId": "s", "isSidechain": False,
                "timestamp": "2026-01-01T10:00:00.000Z", "cwd": "/w", "message": {"role": "user", "content": text},
            }
        )
        + "\n"
    )  # fmt: skip


class Home:
    """A home with a vault and a folder of logs, and a look at its index that syncs nothing."""

    def __init__(self, base: Path, **sync_settings: object) -> None:
        self.home, self.vault, self.logs = base / "home", base / "vault", base / "logs"
        for folder in (self.home, self.vault, self.logs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        chosen = {"on_search": False, **sync_settings}
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in chosen.items())
        folders = json.dumps([str(self.logs)])
        (self.home / "memoro.toml").write_text(f"[transcripts]\nfolders = {folders}\n[sync]\n{lines}\n")

    def open(self) -> memoro.Workspace:
        return memoro.open(self.home, self.vault)


def finds(m: memoro.Workspace, word: str) -> set[str]:
    return {hit.kind for hit in m.search(word, mode="words").results}


def files_of(m: memoro.Workspace, kind: str) -> set[str]:
    indexes = m.indexes()
    index = indexes.current() if indexes else None
    assert index is not None
    return {path for path, entry in index.files().items() if not entry.gone_at and kind_of(path) == kind}


# What each trigger syncs


@pytest.mark.parametrize("what", [VAULT, LOGS, BOTH])
def test_a_sync_of_one_half_leaves_the_other_as_it_was(what: SyncPart, tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"a.md": "apple", "gone.md": "plum"})
    write_vault(place.logs, {"a.jsonl": message("pear"), "gone.jsonl": message("fig")})
    with place.open() as m:
        m.sync()
        write_vault(place.vault, {"new.md": "grape"})
        (place.vault / "gone.md").unlink()
        write_vault(place.logs, {"new.jsonl": message("grape")})
        (place.logs / "gone.jsonl").unlink()

        report = m.sync(what=what)

        notes, logs = what in (VAULT, BOTH), what in (LOGS, BOTH)
        assert (report.added, report.hidden) == (notes + logs, notes + logs)
        assert finds(m, "grape") == ({"note"} if notes else set()) | ({"transcript"} if logs else set())
        assert bool(finds(m, "plum")) is not notes
        assert bool(finds(m, "fig")) is not logs
        assert (report.files, report.transcripts) == (4, 2)
        m.sync()
        assert files_of(m, "note") == {"a.md", "new.md"}
        assert files_of(m, "transcript") == {"@logs/a.jsonl", "@logs/new.jsonl"}


def test_the_brake_counts_the_half_that_is_synced(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {f"{n}.md": f"apple {n}" for n in range(30)})
    write_vault(place.logs, {f"{n}.jsonl": message(f"pear {n}") for n in range(30)})
    with place.open() as m:
        m.sync()
        for log in place.logs.iterdir():
            log.unlink()
        assert m.sync(what=VAULT).hidden == 0
        with pytest.raises(TooManyGone):
            m.sync(what=LOGS)
        assert len(files_of(m, "transcript")) == 30
        for note in place.vault.iterdir():
            note.unlink()
        with pytest.raises(TooManyGone):
            m.sync(what=VAULT)
        assert len(files_of(m, "note")) == 30


def test_logs_are_synced_while_the_vault_is_away(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"a.md": "apple"})
    with place.open() as m:
        m.sync()
        place.vault.rename(tmp_path / "away")
        write_vault(place.logs, {"a.jsonl": message("pear")})
        assert m.sync(what=LOGS).added == 1
        assert finds(m, "pear") == {"transcript"}
        assert finds(m, "apple") == {"note"}


def test_problems_of_the_other_half_stay_known(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"bad.md": b"# Null\n\x00\x00\xff\xfe\n", "a.md": "apple"})
    write_vault(place.logs, {"bad.jsonl": "no log\nat all\n"})
    with place.open() as m:
        both = {problem.path for problem in m.sync().problems}
        assert both == {"bad.md", "@logs/bad.jsonl"}
        for what in (VAULT, LOGS, BOTH):
            assert {problem.path for problem in m.sync(what=what).problems} == both


def test_the_first_sync_is_about_both_whoever_asks(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"a.md": "apple"})
    write_vault(place.logs, {"a.jsonl": message("apple")})
    with place.open() as m:
        m.sync(what=LOGS)
        assert finds(m, "apple") == {"note", "transcript"}


def test_nothing_else_can_be_synced(tmp_path: Path) -> None:
    with Home(tmp_path).open() as m, pytest.raises(ConfigError, match="vault, transcripts, both"):
        m.sync(what="memories")  # type: ignore[arg-type]


steps = st.lists(
    st.sampled_from(["note", "delete note", "log", "append", "delete log", VAULT, LOGS, BOTH]),
    min_size=1,
    max_size=12,
)


@given(steps=steps, seed=st.integers(0, 1000))
def test_however_halves_are_synced_the_whole_is_as_a_fresh_index(
    steps: list[str], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = Logs(tmp_path_factory.mktemp("halves"))
    rng = random.Random(seed)
    vault = made.folder.with_name("vault")
    known: dict[str, set[str]] = {"note": set(), "transcript": set()}

    def do(step: str) -> None:
        notes, logs = sorted(vault.glob("*.md")), sorted(made.folder.glob("*.jsonl"))
        if step == "note":
            (vault / f"{rng.randrange(6)}.md").write_text(f"apple {rng.random()}")
        elif step == "log":
            (made.folder / f"{rng.randrange(6)}.jsonl").write_text(record(rng.randrange(4), f"pear {rng.random()}"))
        elif step == "append" and logs:
            with rng.choice(logs).open("a") as out:
                out.write(record(rng.randrange(100), f"fig {rng.random()}"))
        elif step.startswith("delete"):
            found = notes if step == "delete note" else logs
            if found:
                rng.choice(found).unlink()

    def partly(what: SyncPart) -> None:
        options = Options("2026-01-01T00:00:00", accept_deletions=True, what=what)
        sync(made.index, SyncSource(made.vault, made.rules), options)
        there = made.vault.list().files
        for kind, halves in (("note", (VAULT, BOTH)), ("transcript", (LOGS, BOTH))):
            if what in halves:
                known[kind] = {path for path in there if kind_of(path) == kind}
            shown = {p for p, e in made.index.files().items() if not e.gone_at and kind_of(p) == kind}
            assert shown == known[kind]

    for step in steps:
        partly(parse_choice(step, SYNC_PARTS, "part")) if step in SYNC_PARTS else do(step)
    partly(BOTH)
    fresh = Logs.__new__(Logs)
    fresh.folder, fresh.vault, fresh.index, fresh.rules = made.folder, made.vault, PlainIndex(), made.rules
    fresh.sync()
    assert made.said() == fresh.said()


def test_a_session_that_starts_makes_new_notes_findable_and_leaves_logs_alone(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"a.md": "apple"})
    with place.open() as m:
        assert m.session_started() is None, "the first search makes the index"
        m.sync()
        write_vault(place.vault, {"b.md": "grape"})
        write_vault(place.logs, {"b.jsonl": message("grape")})
        assert m.session_started() is not None
        assert finds(m, "grape") == {"note"}


def test_a_session_that_starts_syncs_nothing_where_that_is_not_wanted(tmp_path: Path) -> None:
    place = Home(tmp_path, on_session_start=False)
    with place.open() as m:
        m.sync()
        write_vault(place.vault, {"b.md": "grape"})
        assert m.session_started() is None
        assert finds(m, "grape") == set()


def test_what_was_forgotten_elsewhere_is_hidden_also_after_a_sync_of_notes_alone(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.logs, {"a.jsonl": message("pear one") + message("fig two")})
    with place.open() as m:
        m.sync()
        services = m.ledger
        at = "2026-01-01T00:00:00.000Z"
        with services.access.ledger.writing() as tx:
            tx.forgotten.add(services.access.digest(tx, "User: pear one"), at)
            tx.journal.add(forgetting("transcript", "@logs/a.jsonl", at))
        m.sync(what=VAULT)
        m.sync()
        said = [hit.snippet for hit in m.search("pear", mode="words").results]
        assert "User: pear one" not in said


# How much a log has grown


@given(
    size=st.integers(0, 10**7),
    lines=st.integers(0, 10**4),
    deltas=st.tuples(st.integers(1, 10**6), st.integers(1, 10**3)),
)
def test_a_log_is_due_above_one_threshold_and_never_below_both(
    size: int, lines: int, deltas: tuple[int, int]
) -> None:
    wanted = DeltaSettings(*deltas)
    due = Growth("@logs/a.jsonl", size, lines).is_due(wanted)
    if size >= wanted.delta_bytes or lines >= wanted.delta_messages:
        assert due
    if size < wanted.delta_bytes and lines < wanted.delta_messages:
        assert not due


@given(size=st.integers(0, 10**9), read=st.one_of(st.none(), st.integers(0, 10**9)), is_database=st.booleans())
def test_growth_is_no_more_than_stands_there_and_none_where_nothing_came(
    size: int, read: int | None, is_database: bool
) -> None:
    more = grown(size, read, is_database=is_database)
    assert more >= 0
    assert grown(size, size, is_database=is_database) == 0
    if not is_database:
        assert more <= size
        if read is not None and read <= size:
            assert more == size - read


@given(
    first=st.lists(st.text("ab ", min_size=1, max_size=9), min_size=1, max_size=6),
    then=st.lists(st.text("cd ", min_size=1, max_size=9), max_size=6),
    torn=st.booleans(),
)
def test_what_was_appended_to_a_log_is_counted_to_the_byte_and_line(
    first: list[str], then: list[str], torn: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = Logs(tmp_path_factory.mktemp("growth"))
    log = made.folder / "a.jsonl"
    log.write_text("".join(map(message, first)))
    deltas = DeltaSettings(10**6, 10**6)
    assert found_growths(made, deltas) == [Growth("@logs/a.jsonl", log.stat().st_size, len(first))]
    made.sync()
    assert found_growths(made, deltas) == []
    more = "".join(map(message, then)) + ('{"role": "us' if torn else "")
    with log.open("a") as out:
        out.write(more)
    expected = [Growth("@logs/a.jsonl", len(more), len(then))] if more else []
    assert found_growths(made, deltas) == expected


def found_growths(made: Logs, deltas: DeltaSettings) -> list[Growth]:
    return list(growths(made.vault, made.vault.list(LOGS).files, made.index.files(), deltas))


def test_a_log_that_was_written_anew_counts_whole(tmp_path: Path) -> None:
    made = Logs(tmp_path)
    (made.folder / "a.jsonl").write_text(message("pear") * 9)
    made.sync()
    (made.folder / "a.jsonl").write_text(message("fig"))
    assert found_growths(made, DeltaSettings()) == [Growth("@logs/a.jsonl", len(message("fig")), 1, rewritten=True)]


def test_no_more_of_a_log_is_read_than_the_threshold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Logs(tmp_path)
    (made.folder / "a.jsonl").write_text(message("pear") * 1000)
    read: list[str] = []
    plain = VaultFiles.log

    def log(self: VaultFiles, path: str) -> Any:
        read.append(path)
        return plain(self, path)

    monkeypatch.setattr(VaultFiles, "log", log)
    assert found_growths(made, DeltaSettings(100, 50))[0].is_due(DeltaSettings(100, 50))
    assert read == []


# Which events matter


names = st.sampled_from(["a", "b.md", "c.MD", "d.jsonl", "e.db", "e.db-wal", ".git", ".f.md", "node_modules", "v1.2"])


@given(paths=st.lists(st.lists(names, min_size=1, max_size=3), max_size=8))
def test_a_change_of_anything_that_a_sync_would_read_is_heard_of_and_of_nothing_hidden(
    paths: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("events")
    vault, logs = base / "vault", base / "vault" / "logs"
    logs.mkdir(parents=True)
    files = VaultFiles(str(vault), transcripts=[str(logs)], ignore=["node_modules"])
    for number, parts in enumerate(paths):
        file = (vault if number % 2 else logs).joinpath(*parts)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {number}")
        except OSError:  # a file stands where a folder would, or the other way round
            continue
    for half, root in ((VAULT, vault), (LOGS, logs)):
        for path in files.list(half).files:
            file = root / path.removeprefix("@logs/")
            assert half in files.concerned(str(file), False), path
            assert half in files.concerned(str(file.parent), True), path
    for file in vault.rglob("*"):
        inner = file.relative_to(vault).parts
        if "node_modules" in inner or any(part.startswith(".") for part in inner):
            assert not files.concerned(str(file), file.is_dir())
    assert not files.concerned(str(base / "elsewhere.md"), False)


# When


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from([VAULT, LOGS])), max_size=30))
def test_a_sync_waits_for_quiet_and_not_for_ever(heard: list[tuple[float, Half]]) -> None:
    """Whatever is heard, and when: looked at whenever the agenda says that it is time."""
    now, agenda = 0.0, SyncSchedule(QUIET, 0.0)
    waiting: dict[str, tuple[float, float]] = {}
    quiet = {VAULT: QUIET.notes_quiet, LOGS: QUIET.logs_quiet}
    half_of = {"watch": VAULT, "delta": LOGS}

    def look() -> None:
        for trigger in agenda.due(now):
            if trigger == "interval":
                waiting.clear()
                continue
            first, last = waiting.pop(half_of[trigger])
            wait = quiet[half_of[trigger]]
            assert now - last >= wait - 1e-6 or now - first >= PATIENCE * wait - 1e-6

    for pause, half in heard:
        until = now + pause
        while now + agenda.wait(now) < until:
            now += agenda.wait(now) + 1e-9
            look()
        now = until
        agenda.note_change(half, now)
        first, _ = waiting.get(half, (now, now))
        waiting[half] = (first, now)
    for _ in range(4):
        now += agenda.wait(now) + 1e-9
        look()
    assert not waiting, "what was heard comes to a sync"


def test_the_interval_comes_by_itself_and_does_for_the_others() -> None:
    agenda = SyncSchedule(QUIET, 100.0)
    assert agenda.wait(100.0) == 300.0
    agenda.note_change(VAULT, 399.5)
    assert agenda.due(400.0) == ["interval"]
    assert agenda.due(450.0) == []
    assert agenda.wait(450.0) == 250.0


def test_where_it_is_time_to_look_nothing_is_waited_for() -> None:
    agenda = SyncSchedule(QUIET, 0.0)
    agenda.poll(VAULT, 10.0)
    agenda.poll(LOGS, 10.0)
    assert agenda.due(10.0) == ["watch", "delta"]


# One for all


flights = st.builds(
    SyncReceipt,
    st.integers(0, 30),
    st.sampled_from([VAULT, LOGS, BOTH]),
    st.integers(0, 2),
    st.sampled_from(["a", "b"]),
)


@given(done=flights, wanted=flights, now=st.integers(0, 40))
def test_only_a_sync_that_began_later_and_did_as_much_counts_for_another(
    done: SyncReceipt, wanted: SyncReceipt, now: int
) -> None:
    if done.does(wanted, now=now):
        assert wanted.began <= done.began <= now
        assert {VAULT, LOGS} if done.what == BOTH else done.what == wanted.what
        assert done.depth >= wanted.depth
        assert done.of == wanted.of
    else:
        same = done.of == wanted.of and done.depth >= wanted.depth and done.what in (BOTH, wanted.what)
        assert not (same and wanted.began <= done.began <= now)
    assert SyncReceipt.parse(str(done)) == done


@given(st.text())
def test_any_text_in_the_file_of_a_lock_is_word_of_a_sync_or_of_none(text: str) -> None:
    found = SyncReceipt.parse(text)
    assert found is None or SyncReceipt.parse(str(found)) == found


class Syncing(threading.Thread):
    def __init__(self, place: Home, what: SyncPart = BOTH) -> None:
        super().__init__()
        self._place, self._what = place, what
        self.report: Report | None = None
        self.start()

    def run(self) -> None:
        with self._place.open() as m:
            self.report = m.sync(what=self._what)

    def waits(self) -> bool:
        """Whether it stands in the kernel's queue for the lock."""
        frame = sys._current_frames().get(self.ident or 0)
        return frame is not None and frame.f_code.co_name == "_lock"

    def done(self) -> Report:
        self.join(60)
        assert self.report is not None
        return self.report


def during_a_sync(place: Home, work: Callable[[], None]) -> None:
    """Do something while a sync has looked at the vault and holds the lock."""
    write_vault(place.vault, {f"{time.time_ns()}.md": "something to read"})
    called: list[int] = []

    def progress(_done: int, _total: int) -> None:
        if not called:
            called.append(1)
            work()

    with place.open() as m:
        m.sync(progress=progress)
    assert called


def test_of_many_who_wait_one_syncs_and_the_others_have_what_it_did(tmp_path: Path) -> None:
    place = Home(tmp_path)
    waiting: list[Syncing] = []

    def ask() -> None:
        write_vault(place.vault, {"late.md": "grape"})  # after the first has listed the vault
        waiting.extend(Syncing(place) for _ in range(4))
        assert wait_for(lambda: all(thread.waits() for thread in waiting), 30)

    during_a_sync(place, ask)
    reports = [thread.done() for thread in waiting]
    assert sorted(report.joined for report in reports) == [False, True, True, True]
    assert [report.added for report in reports if not report.joined] == [1]
    assert {report.files for report in reports} == {2}
    with place.open() as m:
        assert finds(m, "grape") == {"note"}


def test_a_sync_that_began_before_one_asked_does_not_count(tmp_path: Path) -> None:
    """What was written after that one looked would stay unseen."""
    place = Home(tmp_path)
    waiting: list[Syncing] = []

    def ask() -> None:
        write_vault(place.vault, {"late.md": "grape"})
        waiting.append(Syncing(place))
        assert wait_for(waiting[0].waits, 30)

    during_a_sync(place, ask)
    report = waiting[0].done()
    assert not report.joined
    assert report.added == 1


def test_who_wants_both_does_not_make_do_with_half(tmp_path: Path) -> None:
    place = Home(tmp_path)
    waiting: list[Syncing] = []

    def ask() -> None:
        for what in (VAULT, LOGS):
            waiting.append(Syncing(place, what))
        assert wait_for(lambda: all(thread.waits() for thread in waiting), 30)

    during_a_sync(place, ask)
    assert [thread.done().joined for thread in waiting] == [False, False]


def test_one_with_other_settings_does_not_count(tmp_path: Path) -> None:
    first, second = Home(tmp_path), Home(tmp_path)
    second.vault = tmp_path / "second"
    write_vault(second.vault, {"b.md": "apple"})
    with first.open() as m, second.open() as other:
        own = settings_digest(m.home_context, m.vault())
        assert own != settings_digest(other.home_context, other.vault())
        with first.open() as again:
            assert own == settings_digest(again.home_context, again.vault())


def test_a_sync_that_is_told_to_stop_ends_between_two_files_and_the_next_does_the_rest(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {f"{n}.md": f"apple {n}" for n in range(40)})
    stop, read = threading.Event(), []

    def progress(done: int, _total: int) -> None:
        read.append(done)
        if done == 7:
            stop.set()

    with place.open() as m:
        with pytest.raises(Interrupted):
            m.sync(progress=progress, stop=stop)
        assert len(read) == 7
        assert m.sync().files == 40
        assert m.status().dirty == ()


def test_one_who_waits_for_the_lock_can_be_told_to_stop(tmp_path: Path) -> None:
    place = Home(tmp_path)
    stop, ended = threading.Event(), threading.Event()

    def wait() -> None:
        with place.open() as m, pytest.raises(Interrupted):
            m.sync(stop=stop)
        ended.set()

    def ask() -> None:
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.3)
        assert not ended.is_set()
        stop.set()
        assert ended.wait(30)
        thread.join()

    during_a_sync(place, ask)


def test_a_message_that_changes_hands_is_not_lost_where_the_sync_is_broken_off(tmp_path: Path) -> None:
    made = Logs(tmp_path)
    write_vault(
        made.folder,
        {
            "a.jsonl": record(1, "pear one") + record(2, "fig two"),
            "b.jsonl": record(1, "pear one") + record(3, "plum three"),
        },
    )
    made.sync()
    (made.folder / "a.jsonl").unlink()
    write_vault(made.folder, {"c.jsonl": record(4, "grape four")})

    class Broken(Exception):
        pass

    def check() -> None:
        raise Broken

    with pytest.raises(Broken):
        sync(made.index, SyncSource(made.vault, made.rules), Options("2026-01-01T00:00:00", check=check))
    made.sync()
    assert [text for _, text in made.said()["@logs/b.jsonl"]] == ["User: pear one", "User: plum three"]


# What `status` tells


def test_status_tells_what_is_dirty_and_why_from_what_is_on_the_disk(tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(place.vault, {"changed.md": "apple", "gone.md": "plum", "same.md": "fig"})
    write_vault(place.logs, {"little.jsonl": message("pear"), "much.jsonl": message("pear two")})
    with place.open() as m:
        m.sync()
        m.memories.store("Kiwis are green.")
        m.memories.update(1, "Kiwis are green inside.")
        write_vault(place.vault, {"changed.md": "apples", "new.md": "grape"})
        (place.vault / "gone.md").unlink()
        for name, times in (("little", 3), ("much", 60)):
            with (place.logs / f"{name}.jsonl").open("a") as out:
                out.write(message("more") * times)

        found = {one.path: one for one in m.status().dirty}

        assert {path: one.why for path, one in found.items()} == {
            "changed.md": "changed",
            "gone.md": "gone",
            "new.md": "new",
            "@logs/little.jsonl": "grown",
            "@logs/much.jsonl": "grown",
            "memory:1": "changed",
        }
        assert (found["@logs/little.jsonl"].bytes, found["@logs/little.jsonl"].due) == (
            3 * len(message("more")),
            False,
        )
        assert (found["@logs/much.jsonl"].bytes, found["@logs/much.jsonl"].due) == (60 * len(message("more")), True)
        m.sync()
        assert m.status().dirty == ()


def test_status_says_so_in_words_and_in_json(vault: Path, memoro: Memoro, tmp_path: Path) -> None:
    place = Home(tmp_path)
    write_vault(vault, {"a.md": "apple"})
    write_vault(place.logs, {"a.jsonl": message("pear")})
    assert memoro("sync").code == 0
    with (place.logs / "a.jsonl").open("a") as out:
        out.write(message("more"))
    write_vault(vault, {f"{n}.md": "new" for n in range(20)})

    shown = memoro("status").out
    document: dict[str, Any] = memoro("status", "--json").json

    size = len(message("more"))
    assert "the index differs from the disk in 20 notes and 1 log;" in shown
    assert f"grown by {size} bytes, not yet enough to be read unasked: @logs/a.jsonl" in shown
    assert "and 15 more notes (--json lists all)" in shown
    assert {"path": "@logs/a.jsonl", "why": "grown", "bytes": size, "due": False} in document["dirty"]
    assert len(document["dirty"]) == 21
    assert (document["settings_changed"], document["serving"]) == (False, None)


def test_status_tells_that_settings_have_changed(tmp_path: Path) -> None:
    place = Home(tmp_path)
    with place.open() as m:
        m.sync()
    with (place.home / "memoro.toml").open("a") as out:
        out.write("[chunking]\ntokens = 200\n")
    with place.open() as m:
        assert m.status().settings_changed
        m.sync()
        assert not m.status().settings_changed


def test_a_database_is_judged_by_its_size_alone(tmp_path: Path) -> None:
    made = Logs(tmp_path)
    import apsw

    file = made.folder / "talks.db"
    db = apsw.Connection(str(file))
    db.execute("CREATE TABLE other (x)")
    made.sync()
    os.utime(file, (1, 1))
    db.execute("INSERT INTO other VALUES (zeroblob(200000))")
    db.close()
    (found,) = found_growths(made, DeltaSettings())
    assert found.messages == 0
    assert found.is_due(DeltaSettings())


def test_whoever_waits_long_for_the_index_is_told_why_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "LONG_SECONDS", 0.001)
    vault = write_vault(tmp_path / "vault", {f"{n}.md": f"# Note {n}\n\nTea and lamps.\n" for n in range(300)})
    said: list[str] = []
    with memoro.open(tmp_path / "home", vault, notify=said.append) as m:
        assert m.search("tea", mode="words").results
        assert said == [indexing.WAITING]
        monkeypatch.setattr(indexing, "LONG_SECONDS", 60.0)
        assert m.search("tea", mode="words").results
        assert len(said) == 1
    with memoro.open(tmp_path / "other", vault, notify=said.append) as m:
        monkeypatch.setattr(indexing, "LONG_SECONDS", 0.001)
        m.sync(progress=lambda _done, _total: None)
        assert len(said) == 1, "a bar says it already"
