"""Every write takes a key: repeated with it, also after a kill at any point, it is done once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import pytest

import memoro
from memoro import operations
from memoro.errors import KeyReused, MemoroError
from memoro.notes.memory_tool import ToolError
from memoro.operations.operation import KEY
from memoro.sessions.rating import GivenPlace
from memoro.vault import swap
from memoro.workspace import Workspace
from tests.conftest import fingerprint, times, write_vault

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
NOTES = {
    "MEMORY.md": "# Memory\n\n- Tea is green ^m3k9f2\n- The sea is wide ^abc123\n",
    "plain.md": "plain words\nmore words\n",
    "agent/a/one.md": "one\n",
    "agent/a/two.md": "two\n",
}
Write = Callable[[Workspace, str], object]
# Each with the arguments that another write under the same key could have.
WRITES: dict[str, Write] = {
    "daily": lambda m, k: m.daily.add("Deployed", by="agent", key=k),
    "remember": lambda m, k: m.remember("The lamp is red.", key=k),
    "remember as an agent": lambda m, k: m.remember("The lamp is red.", by="agent", key=k),
    "pin": lambda m, k: m.pin("Nut allergy.", key=k),
    "edit": lambda m, k: m.edit("m3k9f2", "Tea is black.", key=k),
    "edit as an agent": lambda m, k: m.edit("m3k9f2", "Tea is black.", by="agent", key=k),
    "remove": lambda m, k: m.remove("m3k9f2", key=k),
    "remove as an agent": lambda m, k: m.remove("m3k9f2", by="agent", key=k),
    "note new": lambda m, k: m.notes.new("deep/new.md", "fresh\n", key=k),
    "note edit": lambda m, k: m.notes.edit("plain.md", "other words\n", key=k),
    "note edit a part": lambda m, k: m.notes.edit("plain.md", "more more", old="more", key=k),
    "note insert": lambda m, k: m.notes.insert("plain.md", 1, "between", key=k),
    "note move": lambda m, k: m.notes.move("plain.md", "else/where.md", key=k),
    "note delete": lambda m, k: m.notes.delete("plain.md", key=k),
    "note restore": lambda m, k: m.notes.restore("edited.md", "2026-03-04", key=k),
    "accept an entry": lambda m, k: m.entries.accept(1, key=k),
    "accept a removal": lambda m, k: m.entries.accept(2, key=k),
    "reject": lambda m, k: m.entries.reject(1, key=k),
    "wrong": lambda m, k: m.feedback.wrong("It is black.", session="s1", key=k),
    "given wrong": lambda m, k: m.ratings.wrong("memory:1", key=k),
    "given good": lambda m, k: m.ratings.good("memory:1", key=k),
    "undo": lambda m, k: m.journal.undo(key=k),
    "undo a source": lambda m, k: m.journal.undo(by="tool", since="2026-03-01", key=k),
    "memory tool create": lambda m, k: tool(m, k, command="create", path="/memories/x.md", file_text="x\n"),
    "memory tool str_replace": lambda m, k: tool(
        m, k, command="str_replace", path="/memories/a/one.md", old_str="one", new_str="one one"
    ),
    "memory tool insert": lambda m, k: tool(
        m, k, command="insert", path="/memories/a/one.md", insert_line=1, insert_text="more"
    ),
    "memory tool delete": lambda m, k: tool(m, k, command="delete", path="/memories/a"),
    "memory tool rename": lambda m, k: tool(m, k, command="rename", old_path="/memories/a", new_path="/memories/b"),
}
OTHERS: dict[str, Write] = {
    "daily": lambda m, k: m.daily.add("Other", by="agent", key=k),
    "remember": lambda m, k: m.remember("Something else.", key=k),
    "remember as an agent": lambda m, k: m.remember("Something else.", by="agent", key=k),
    "pin": lambda m, k: m.pin("Something else.", key=k),
    "edit": lambda m, k: m.edit("m3k9f2", "Something else.", key=k),
    "edit as an agent": lambda m, k: m.edit("m3k9f2", "Something else.", by="agent", key=k),
    "remove": lambda m, k: m.remove("abc123", key=k),
    "remove as an agent": lambda m, k: m.remove("abc123", by="agent", key=k),
    "note new": lambda m, k: m.notes.new("deep/other.md", "fresh\n", key=k),
    "note edit": lambda m, k: m.notes.edit("plain.md", "Something else.\n", key=k),
    "note edit a part": lambda m, k: m.notes.edit("plain.md", "x", old="plain", key=k),
    "note insert": lambda m, k: m.notes.insert("plain.md", 0, "between", key=k),
    "note move": lambda m, k: m.notes.move("agent/a/one.md", "else/other.md", key=k),
    "note delete": lambda m, k: m.notes.delete("agent/a/one.md", key=k),
    "note restore": lambda m, k: m.notes.restore("edited.md", "2026-03-03", key=k),
    "accept an entry": lambda m, k: m.entries.accept(2, key=k),
    "accept a removal": lambda m, k: m.entries.accept(1, key=k),
    "reject": lambda m, k: m.entries.reject(2, key=k),
    "wrong": lambda m, k: m.feedback.wrong("It is white.", session="s1", key=k),
    "given wrong": lambda m, k: m.ratings.wrong("memory:1", GivenPlace("s1"), key=k),
    "given good": lambda m, k: m.memories.demote(1, key=k),
    "undo": lambda m, k: m.journal.undo(1, key=k),
    "undo a source": lambda m, k: m.journal.undo(by="other", since="2026-03-01", key=k),
    "memory tool create": lambda m, k: tool(m, k, command="create", path="/memories/y.md", file_text="y\n"),
    "memory tool str_replace": lambda m, k: tool(
        m, k, command="str_replace", path="/memories/a/two.md", old_str="two", new_str="x"
    ),
    "memory tool insert": lambda m, k: tool(
        m, k, command="insert", path="/memories/a/two.md", insert_line=1, insert_text="more"
    ),
    "memory tool delete": lambda m, k: tool(m, k, command="delete", path="/memories/a/one.md"),
    "memory tool rename": lambda m, k: tool(m, k, command="rename", old_path="/memories/a", new_path="/memories/c"),
}


def tool(m: Workspace, key: str, **command: Any) -> str:
    return m.memory_tool.run(command, key=key)


class Place:
    """A home and a vault that can be had as they were."""

    def __init__(self, template: Path, folder: Path) -> None:
        self._template, self._now = template, folder / "now"
        self.vault = self._now / "vault"
        self.reset()

    def make(self) -> None:
        home = self._template / "home"
        home.mkdir(parents=True, mode=0o700)
        (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
        write_vault(self._template / "vault", NOTES)
        with self._opened(self._template, NOON.replace(day=2)) as m:
            m.notes.new("edited.md", "old\n")
        with self._opened(self._template, NOON.replace(day=3)) as m:
            m.daily.add("a line of a tool", by="tool")
            m.notes.new("agent/tool.md", "by a tool\n", by="tool")
            m.remember("The door is blue.", by="agent")
            m.remove("abc123", by="agent")
            m.memories.store("The lamp of the hall is green.", source="user")
        with self._opened(self._template, NOON) as m:
            m.notes.edit("edited.md", "new\n")
            m.sync()
            assert any(one.kind == "memory" for one in m.recall("Is the lamp of the hall green?", session="s1").items)

    def reset(self) -> None:
        shutil.rmtree(self._now, ignore_errors=True)
        if self._template.exists():
            shutil.copytree(self._template, self._now)

    def open(self) -> Workspace:
        return self._opened(self._now, NOON)

    def _opened(self, folder: Path, now: datetime) -> Workspace:
        return memoro.open(folder / "home", folder / "vault", clock=lambda: now)

    def state(self) -> tuple[object, ...]:
        """The notes, the proposals, and what the journal tells."""
        notes = {name: data for name, data in fingerprint(self._now / "vault").items() if "/." not in f"/{name}"}
        with self.open() as m:
            told = [(entry.operation, entry.item, entry.undone_by is None) for entry in m.journal.log(1000)]
            return notes, [(one.change, one.state) for one in m.entries.proposals(None)], told


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys") / "template"
    Place(folder, folder.parent).make()
    return folder


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Place:
    return Place(template, tmp_path)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_is_repeated_with_its_key_is_done_once(name: str, place: Place) -> None:
    with place.open() as m:
        first = WRITES[name](m, "k")
        done = place.state()
        again = WRITES[name](m, "k")
        # Some results tell how things are now: that a change was undone, what a file holds, and what is new.
        assert again == first or name.startswith(("undo", "wrong", "memory tool str_replace"))
    with place.open() as m:
        WRITES[name](m, "k")
        assert place.state() == done
        if name not in ("undo", "undo a source"):
            m.journal.undo()
            undone = place.state()
            WRITES[name](m, "k")  # what its owner took back stays so
            assert place.state() == undone


@pytest.mark.parametrize("name", WRITES)
def test_a_key_stands_for_one_write_only(name: str, place: Place) -> None:
    with place.open() as m:
        WRITES[name](m, "k")
        done = place.state()
        with pytest.raises((KeyReused, ToolError), match="was used for another write"):
            OTHERS[name](m, "k")
        assert place.state() == done


def test_every_operation_that_writes_takes_a_key() -> None:
    # These change nothing a second time, or settings and copies alone.
    repeatable = {"context compact", "transcripts add", "transcripts remove", "session start", "session archive",
                  "session unarchive", "sync", "backup create", "import", "extract", "tidy"}  # fmt: skip
    without = {
        one.name
        for one in operations.table()
        if (one.access == "write" or one.name in ("accept", "reject", "undo")) and KEY not in one.options
    }
    assert without <= repeatable


# Who repeats a write may have another name, another connection or another session by then


@pytest.mark.parametrize(
    "write",
    [
        lambda m: m.memories.store("A fact", key="k").memory.id,
        lambda m: m.experiences.record("tool_chain", "deploy", "make", key="k").experience.id,
        lambda m: m.experiences.prefer("tea", "green", key="k").recorded.experience.id,
        lambda m: m.narratives.update("It goes on.", key="k").id,
        lambda m: m.memories.reinforce(m.memories.store("B fact").memory.id, key="k").feedback,
        lambda m: m.daily.add("Deployed", by="agent", key="k").change,
        lambda m: m.remember("The lamp is red.", by="agent", key="k").proposal,
    ],
)
def test_another_name_gets_the_first_result(write: Callable[[Workspace], Any], tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", NOTES)
    found = []
    for agent, project in ((None, None), ("alice", "x"), ("bob", "y")):
        with memoro.open(tmp_path / "home", tmp_path / "vault", agent=agent, project=project) as m:
            found.append(write(m))
            stored = m.memories.all(), m.experiences.list(), m.narratives.search(limit=9)
    assert len(set(map(str, found))) == 1
    assert max(map(len, stored)) <= 1


def test_a_recall_with_its_key_in_a_new_session_gives_the_first_answer(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", NOTES)
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        first = m.recall("tea is green", session="first", key="k")
        assert first.items
        assert m.recall("tea is green", session="second", key="k").block == first.block
        assert m.sessions.get("first").recalls == 1
        with pytest.raises(KeyReused):
            m.recall("the sea", session="second", key="k")
        with pytest.raises(KeyReused):
            m.prompt("tea is green", session="second", key="k")
        m.recall("tea is green", session="third", key="b", budget=500)
        with pytest.raises(KeyReused):
            m.recall("tea is green", session="third", key="b", budget=900)


def test_a_recall_with_its_key_never_crosses_what_binds_a_session(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", NOTES)
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        m.recall("tea is green", session="first", key="k", project="x")
        with pytest.raises(KeyReused):
            m.recall("tea is green", session="second", key="k", project="y")


# A process may die at any point


class Killer:
    """Kills this process at the n-th point at which something is written."""

    def __init__(self, number: int) -> None:
        self._left = number

    def point(self) -> None:
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            self.point()
            done = real(*given, **options)
            self.point()
            return done

        return call

    def watch(self, m: Workspace) -> None:
        """Count the system calls that change a file, and both sides of every commit."""
        for name in ("write", "fsync", "rename", "link", "unlink", "mkdir", "ftruncate"):
            setattr(os, name, self.around(getattr(os, name)))
        for name in ("move", "exchange"):
            if hasattr(swap, name):
                setattr(swap, name, self.around(getattr(swap, name)))
        ledger: Any = m.ledger.access.ledger
        writing = ledger.writing

        @contextmanager
        def counted() -> Iterator[Any]:
            with writing() as tx:
                yield tx
                self.point()
            self.point()

        ledger.writing = counted


def killed(place: Place, write: Write, at: int) -> bool:
    """Write in a process that is killed at that point; False: it had done all before."""
    child = os.fork()
    if child == 0:
        _write_and_end(place, write, at)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGTERM), "the write failed"
    return os.WTERMSIG(status) == signal.SIGKILL


def _write_and_end(place: Place, write: Write, at: int) -> NoReturn:
    try:
        m = place.open()
        Killer(at).watch(m)
        write(m, "k")
        end = signal.SIGTERM
    except BaseException:
        end = signal.SIGABRT
    signal.signal(end, signal.SIG_DFL)
    os.kill(os.getpid(), end)
    raise AssertionError("a signal that nobody handles ends the process")


@pytest.mark.campaign
@pytest.mark.parametrize("name", WRITES)
def test_a_write_killed_at_any_point_is_done_once_after_a_retry(name: str, place: Place) -> None:
    write = WRITES[name]
    with place.open() as m:
        write(m, "k")
    done = place.state()
    points = 0
    for at in range(times(3, 1), 400, times(11, 1)):  # in the short version a few points of each
        place.reset()
        if not killed(place, write, at):
            break
        points += 1
        with place.open() as m:
            write(m, "k")
            write(m, "k")
        assert place.state() == done, f"killed at point {at}"
    print(f"{name}: {points} points")
    assert points


@pytest.mark.process
def test_a_server_that_was_open_all_the_time_sees_what_a_killed_process_left(place: Place) -> None:
    with place.open() as m:
        WRITES["daily"](m, "k")
    done = place.state()
    for at in range(3, 60, times(9, 1)):
        place.reset()
        with place.open() as server:
            server.daily.path(NOON.date())
            if not killed(place, WRITES["daily"], at):
                break
            try:
                WRITES["daily"](server, "k")
            except MemoroError as error:  # pragma: no cover
                pytest.fail(f"point {at}: {error}")
            assert place.state() == done, f"killed at point {at}"


@pytest.mark.process
def test_a_write_that_never_happened_is_not_taken_for_done_because_its_owner_saved(place: Place) -> None:
    """The journal names a write, the process died before it, and an editor saved the note: a retry must write."""
    note, met = place.vault / "plain.md", 0
    for at in range(1, 60, times(4, 1)):
        place.reset()
        if not killed(place, WRITES["note insert"], at):
            break
        if "between" not in note.read_text():
            note.write_text("plain words\nmore words\nand words of its owner\n")
            with place.open() as m:
                WRITES["note insert"](m, "k")
            assert note.read_text() == "plain words\nbetween\nmore words\nand words of its owner\n", at
            met += 1
    assert met
