"""Searching, syncing and every other operation that only reads never write to the vault."""

from __future__ import annotations

import gc
import threading
import weakref
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro import operations
from memoro.hooks import spool
from memoro.hooks.events import Capture
from memoro.operations.operation import AnyOperation, Caller
from memoro.serve.housekeeping import HousekeepingService
from memoro.serve.services import ServiceContext
from memoro.vault.slot import TEMPORARY, process_scope
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.test_imports import MODULES, SOURCE, imports

SETTINGS = "[embedding]\nenabled = false\n[daily]\nkeep_days = 7\n"
WRITERS = {"memoro.vault.writer", "memoro.vault.slot", "memoro.vault.swap", "memoro.notes.journaled_writer"}
READERS = ("memoro.index.", "memoro.search.", "memoro.recall.", "memoro.notes.dropped_lines")
# The arguments of every operation that does not write. One that is missing here fails the test.
READS: dict[str, dict[str, object]] = {
    "entries": {}, "log show": {"change": 1}, "config get": {"key": "query.mode"},
    "search": {"query": "tea"}, "recall": {"message": "When do we drink tea?"}, "prompt": {"message": "tea"},
    "get": {"id": "MEMORY.md"}, "transcripts list": {}, "memory query": {"query": "tea"}, "memory show": {"id": 1},
    "memory history": {"id": 1}, "memory links": {"id": 1}, "memory list": {}, "memory stats": {},
    "experience find": {"query": "tea"}, "experience show": {"id": 1}, "experience history": {"id": 1},
    "experience list": {}, "experience stats": {}, "narrative search": {}, "narrative show": {"id": 1},
    "given day": {}, "given muted": {}, "session last": {},
    "session list": {}, "session show": {"id": "evening"}, "session replay": {"id": "evening"},
    "context stats": {"messages": [{"role": "user", "content": "tea"}]}, "proposals": {}, "tidy": {},
    "log": {}, "timeline": {},
    "export": {"output": "-"}, "backup create": {}, "backup list": {}, "backup verify": {}, "sync": {}, "status": {},
    "doctor": {}, "usage": {}, "numbers": {}, "provider test": {}, "provider jobs": {"all": True}, "config show": {},
    "outbox list": {}, "outbox send": {}, "space list": {}, "space drop": {"name": "voyage", "yes": True},
}  # fmt: skip


def exactly(vault: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file and folder, hidden ones too, with its bytes, the time of its last change and its inode."""
    found = [vault, *vault.rglob("*")]
    states = {str(one.relative_to(vault)): one.stat() for one in found}
    return {
        name: ((vault / name).read_bytes() if (vault / name).is_file() else b"", state.st_mtime_ns, state.st_ino)
        for name, state in states.items()
    }


def opened(home: Path, vault: Path) -> Workspace:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(SETTINGS)
    return memoro.open(home, vault)


def test_nothing_that_reads_can_reach_the_writer_of_the_vault() -> None:
    graph = {".".join(("memoro", *file.relative_to(SOURCE).with_suffix("").parts)): imports(file) for file in MODULES}
    reached = {name for name in graph if name.startswith(READERS)}
    waiting = list(reached)
    while waiting:
        new = set(graph.get(waiting.pop(), ())) - reached
        reached |= new
        waiting += new
    assert reached & WRITERS == set()
    assert graph["memoro.vault.writer"], "the names are real"


def all_reads() -> list[AnyOperation]:
    found = [one for command in operations.COMMANDS for one in operations.of_command(command)]
    # These need a database server, or something that waits for one, and have tests of their own.
    elsewhere = {one.name for one in found if one.name.startswith(("admin ", "move-ledger", "outbox drop"))}
    return [one for one in found if not one.is_write and one.name not in elsewhere]


def test_every_operation_that_reads_is_tried_here() -> None:
    assert {one.name for one in all_reads()} == set(READS)


def everything_that_could_tempt(m: Workspace, home: Path, vault: Path) -> None:
    """Lines that stale saves dropped, remains of a crash, old days, and an event of a hook that waits."""
    m.memories.store("We drink tea at five.")
    m.experiences.record("task_solution", "make tea", "slowly")
    m.narratives.update("Making tea.", [1])
    write_vault(vault, {"daily/2020-01-01.md": "an old day", "notes/tea.md": "green tea"})
    m.sync()
    m.recall("When do we drink tea?", session="evening")
    for add in (m.daily.add, m.remember):
        add("zero")
        file = vault / add("one").path
        older = file.read_bytes()
        add("two")
        file.write_bytes(older)
    abandoned = vault / f"{TEMPORARY}4194303-{process_scope()}-000000-000000000000"  # of a process that is gone
    abandoned.write_text("saved at the moment of a crash")
    (vault / "daily/archive").rename(vault / "elsewhere")
    (vault / "elsewhere/2020/2020-01-01.md").rename(vault / "daily/2020-01-01.md")
    with m.ledger.access.ledger.writing() as tx:
        tx.meta.put("days_archived", "")
        tx.pending.begin(m.journal.log(1)[0].id)  # as a crash leaves it
    spool.append(str(home), Capture("claude", "compaction", "s1"))
    m.indexing.indexes.cache().put("voyage/old/2/plain", {"ab" * 32: numpy.ones(2, "f4")})


def test_no_operation_that_reads_changes_a_byte_or_a_time_in_the_vault(
    home: Path, vault: Path, tmp_path: Path
) -> None:
    with opened(home, vault) as m:
        everything_that_could_tempt(m, home, vault)
    before = exactly(vault)
    for operation in all_reads():
        given: dict[str, Any] = READS[operation.name]
        if operation.name == "export":
            given = {"output": str(tmp_path / "exported.jsonl")}
        with opened(home, vault) as m:
            operation.call(m, operation.request(**given), Caller())
        assert exactly(vault) == before, operation.name
    assert spool.has_pending(str(home))
    with opened(home, vault) as m:
        assert m.proposals.all(), "a line that a stale save dropped waits"
        m.daily.add("and now something is written")
    assert not list(vault.glob(f"{TEMPORARY}*")), "remains of a crash are cleared before a write"


NAMES = st.sampled_from(["MEMORY.md", "notes/tea.md", "daily", "new.md"])  # `daily`: today's note
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["delete line", "double", "empty", "remove", "agent", "remember"]), NAMES, st.integers(0)
    ),
    max_size=8,
)


@settings(max_examples=12)
@given(edits=EDITS)
def test_after_any_edits_a_sync_a_search_and_a_status_leave_the_vault_alone(
    edits: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("edits")
    home, vault = folder / "home", folder / "vault"
    write_vault(vault, {"notes/tea.md": "green tea\n", "MEMORY.md": "# Memory\n"})
    with opened(home, vault) as m:
        for what, name, number in edits:
            edit(m, vault, what, name, number)
            before = exactly(vault)
            m.sync(accept_deletions=True)
            m.search("tea")
            m.status()
            m.prompt("tea")
            assert exactly(vault) == before


def edit(m: Workspace, vault: Path, what: str, name: str, number: int) -> None:
    file = vault / (m.daily.path(datetime.now().astimezone().date()) if name == "daily" else name)
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    if what == "agent":
        m.daily.add(f"line {number}", by="agent")
    elif what == "remember":
        m.remember(f"fact {number}")
    elif what == "remove":
        file.unlink(missing_ok=True)
    elif lines:
        at = number % len(lines)
        file.write_text("".join({"delete line": lines[:at] + lines[at + 1 :], "double": lines * 2}.get(what, [])))


# Old days.


def old_day(vault: Path) -> Path:
    day = (datetime.now().astimezone() - timedelta(days=30)).date()
    write_vault(vault, {f"daily/{day}.md": "an old day\n"})
    return vault / f"daily/{day}.md"


def test_old_days_move_when_anything_is_written_once_a_day(home: Path, vault: Path) -> None:
    file = old_day(vault)
    with opened(home, vault) as m:
        m.sync()
        m.memories.store("Nothing in the vault.")
        assert file.exists(), "a library call that writes no note leaves the vault alone"
        m.remember("tea is green")
        assert not file.exists()
        assert (vault / f"daily/archive/{file.stem[:4]}/{file.name}").read_text() == "an old day\n"
        (undone,) = m.journal.undo().entries
        assert undone.operation == "remember", "the last change is what was asked for"
        m.journal.undo(undone.id - 1)  # the move, by its owner
        assert file.exists()
        m.remember("tea is black")
        assert file.exists(), "what its owner took back today stays so today"


def test_a_first_archive_of_many_days_is_done_in_parts(home: Path, vault: Path) -> None:
    days = [(datetime(2020, 1, 1) + timedelta(days=number)).date() for number in range(60)]
    write_vault(vault, {f"daily/{day}.md": "old" for day in days})
    with opened(home, vault) as m:
        assert [len(m.archive_old_days()) for _ in range(3)] == [50, 10, 0]
    assert len(list((vault / "daily/archive/2020").glob("*.md"))) == 60


class Said(list[str]):
    """Reports of a service, which is stopped after the first."""

    def __init__(self, stop: threading.Event) -> None:
        super().__init__()
        self._stop = stop

    def done(self, line: str) -> None:
        self.append(line)
        if "daily" in line:
            self._stop.set()

    failed = notice = watching = http = hooks = done

    def request(self) -> None: ...


def test_housekeeping_of_serve_moves_old_days(home: Path, vault: Path) -> None:
    file, stop = old_day(vault), threading.Event()
    said, patience = Said(stop), threading.Timer(10, stop.set)
    patience.start()
    with opened(home, vault) as m:
        HousekeepingService().run(ServiceContext(m, stop, said))
    patience.cancel()
    assert not file.exists()
    assert "1 old daily note archived" in said


class OneTurn(threading.Event):
    """Ends a service when it waits for its next turn."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - as of the class that it replaces
        self.set()
        return True


class Cycle:
    """Is referred to by itself, as an error is by its frames."""

    def __init__(self) -> None:
        self.itself = self


def test_housekeeping_of_serve_frees_old_cycles(home: Path, vault: Path) -> None:
    old, stop = Cycle(), OneTurn()
    gone = weakref.ref(old)
    for generation in (0, 1):
        gc.collect(generation)
    del old  # from now on, only a full collection finds it
    with opened(home, vault) as m:
        gc.collect(1)
        assert gone() is not None
        HousekeepingService().run(ServiceContext(m, stop, Said(stop)))
    assert gone() is None
