"""A mistake or a failure of the system is told in one sentence: no traceback, and no words of the database."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import QueryError, Refused
from memoro.model.proposals import Evidence, StoreMemory, Suggestion
from memoro.workspace import Workspace
from tests import raw_sqlite
from tests.conftest import run_memoro, write_vault

BROKEN = "caf\udce9"  # the argument caf\xe9 of a terminal that is set to Latin-1


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, ...]:
    vault = write_vault(tmp_path / "vault", {"tea.md": "# Tea\n\nGreen tea at 80 degrees.\n"})
    return ("--home", str(tmp_path / "home"), "--vault", str(vault))


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", BROKEN],
        ["remember", BROKEN],
        ["edit", "x", BROKEN],
        ["search", "--tag", BROKEN, "tea"],
        ["search", "tea", BROKEN],
        ["log", "--by", BROKEN],
        ["memory", "store", BROKEN],
        ["daily", BROKEN],
        ["note", "new", f"{BROKEN}.md", "text"],
        ["recall", BROKEN],
        ["experience", "record", "task_solution", BROKEN, "do it"],
    ],
)
def test_arguments_that_are_not_utf8_are_refused_with_a_sentence(places: tuple[str, ...], arguments: list[str]):
    refused = run_memoro(*places, *arguments)
    assert refused.code == 2
    assert "The argument 'caf\\xe9" in refused.err
    assert "is not text in UTF-8" in refused.err
    assert refused.err.count("\n") == 1
    with memoro.open(*places[1::2]) as m:
        assert not m.has_ledger() or m.memories.all() == []


WRITES: dict[str, Callable[[memoro.Workspace, str], object]] = {
    "memory": lambda m, text: m.memories.store(text),
    "tag": lambda m, text: m.memories.store("tea", [text]),
    "source": lambda m, text: m.memories.store("tea", source=text),
    "project": lambda m, text: m.memories.store("tea", project=text),
    "update": lambda m, text: m.memories.update(1, text),
    "edit of a memory": lambda m, text: m.edit("memory:1", text),
    "narrative": lambda m, text: m.narratives.update(text),
    "intent": lambda m, text: m.experiences.record("task_solution", text, {"do": "it"}),
    "solution": lambda m, text: m.experiences.record("task_solution", "make tea", {"do": [text]}),
    "session": lambda m, text: m.sessions.start(text),
    "entry": lambda m, text: m.remember(text),
    "section": lambda m, text: m.remember("tea", section=text),
    "entry of an agent": lambda m, text: m.remember(text, by="agent"),
    "edit": lambda m, text: m.edit(m.remember("Tea is kept in the tin").id or "", text),
    "daily": lambda m, text: m.daily.add(text),
    "daily of an agent": lambda m, text: m.daily.add(text, by="agent"),
    "note": lambda m, text: m.notes.new("a.md", text),
    "edit of a note": lambda m, text: m.notes.edit("tea.md", text),
    "put": lambda m, text: m.notes.put("a.md", text, expected=None),
    "insert": lambda m, text: m.notes.insert("tea.md", 1, text),
    "episode": lambda m, text: m.episodes.save("s1", topics=[text]),
    "title": lambda m, text: m.episodes.save("s1", title=text, by="user"),
    "proposal": lambda m, text: m.proposals.propose(Suggestion(StoreMemory(text))),
    "evidence": lambda m, text: m.proposals.propose(Suggestion(StoreMemory("tea"), evidence=(Evidence(text),))),
}


@pytest.mark.parametrize("write", WRITES)
def test_the_library_refuses_text_that_no_file_can_hold(places: tuple[str, ...], write: str):
    with memoro.open(*places[1::2]) as m:
        m.memories.store("Tea is green")
        for broken, shown in ((BROKEN, r"caf\xe9"), ("half \ud83d", r"half \ud83d")):
            with pytest.raises(Refused, match="is not text in UTF-8") as refused:
                WRITES[write](m, broken)
            assert shown in str(refused.value)
        assert [memory.content for memory in m.memories.all()] == ["Tea is green"]
        assert "?" not in "".join(file.read_text() for file in Path(places[3]).rglob("*.md"))


def test_a_conversation_with_half_a_character_is_recalled_and_compacted(places: tuple[str, ...]):
    with memoro.open(*places[1::2]) as m:
        m.recall("green tea \ud83d", session="s1")
        said = [
            {"role": "user" if n % 2 == 0 else "assistant", "content": f"tea \ud83d {n} " * 50} for n in range(40)
        ]
        assert len(m.context.compact(said, window=4_000).messages) < 40


def test_names_of_files_may_have_any_bytes(tmp_path: Path):
    missing = run_memoro("--home", str(tmp_path / "home"), "import", str(tmp_path / f"{BROKEN}.jsonl"))
    assert "There is no file" in missing.err
    for place in ("--home", "--vault"):
        refused = run_memoro(place, str(tmp_path / BROKEN), "status")
        assert refused.code == 2
        assert "is not text in UTF-8" in refused.err


@pytest.mark.process
def test_input_that_is_not_utf8_is_refused_with_a_sentence(places: tuple[str, ...]):
    import subprocess

    command = [sys.executable, "-m", "memoro", *places, "note", "new", "a.md"]
    refused = subprocess.run(command, input=b"caf\xe9\n", capture_output=True, check=False)
    assert refused.returncode == 2
    assert b"Standard input is not text in UTF-8 (byte 4)" in refused.stderr


@pytest.fixture
def impossible_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "AAA-99:99")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("impossible_zone")
def test_a_time_zone_that_cannot_be_is_named(places: tuple[str, ...]):
    for command in (["daily", "hello"], ["search", "tea"], ["status"]):
        refused = run_memoro(*places, *command)
        assert refused.code == 2
        assert "TZ='AAA-99:99'" in refused.err


WRONG_NUMBERS: list[object] = ["2", "memory:x", "experience:2", None, 2.0, True, b"2", [2], "x"]
BY_NUMBER: dict[str, Callable[[memoro.Workspace, Any], object]] = {
    "get": lambda m, value: m.memories.get(value),
    "reinforce": lambda m, value: m.memories.reinforce(value),
    "demote": lambda m, value: m.memories.demote(value),
    "update": lambda m, value: m.memories.update(value, "new"),
    "supersede": lambda m, value: m.memories.supersede(value, 3),
    "superseded by": lambda m, value: m.memories.supersede(3, value),
    "trust": lambda m, value: m.memories.trust(value, "user_confirmed"),
    "remove": lambda m, value: m.memories.remove(value),
    "archive": lambda m, value: m.memories.archive(value),
    "unarchive": lambda m, value: m.memories.unarchive(value),
    "history": lambda m, value: m.memories.history(value),
    "chain": lambda m, value: m.narratives.chain(value),
}


@pytest.mark.parametrize("name", BY_NUMBER)
def test_a_number_of_another_type_is_named_in_a_sentence(name: str, tmp_path: Path):
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("first")
        m.memories.store("second")
        m.memories.store("third")
        for value in WRONG_NUMBERS:
            with pytest.raises(QueryError, match="must be a whole number, such as 2, not "):
                BY_NUMBER[name](m, value)
        assert [memory.content for memory in m.memories.all()] == ["first", "second", "third"]


@pytest.mark.parametrize("name", [name for name in BY_NUMBER if name not in ("unarchive", "chain")])
def test_a_memory_may_be_named_by_its_id_instead_of_its_number(name: str, tmp_path: Path):
    found = []
    for place, value in (("by number", 2), ("by id", "memory:2")):
        with memoro.open(tmp_path / place, clock=lambda: datetime(2030, 1, 1, tzinfo=UTC)) as m:
            for text in ("first", "second", "third"):
                m.memories.store(text)
            found.append(BY_NUMBER[name](m, value))
    assert found[0] == found[1]


def test_the_id_that_a_recall_returns_names_its_memory_in_every_other_call(tmp_path: Path):
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("Bread is in the oven")
        [item] = m.recall("where is the bread?").items
        assert m.memories.reinforce(item.id).feedback == 3
        assert m.memories.store("Bread is on the table", supersedes=[item.id]).superseded[0].id == 1
        m.memories.unarchive(f"memory:{m.memories.archive('memory:2').id}")
        with pytest.raises(QueryError, match="must be a whole number, such as 2, not 'experience:1'"):
            m.memories.reinforce("experience:1")
        assert m.memories.forget(["memory:1"], yes=True).memories[0].id == 1
        assert m.memories.forget("memory:2", yes=True).memories[0].id == 2


def test_texts_and_ids_of_another_type_are_named_in_a_sentence(tmp_path: Path):
    (tmp_path / "vault").mkdir()
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        m.memories.store("first")
        calls: list[Callable[[Any], object]] = [m.get, m.forget, m.remove, m.search, m.memories.store]
        calls += [m.memories.query, m.experiences.get, m.daily.add, lambda value: m.memories.store("x", tags=value)]
        calls += [m.experiences.find_similar, m.remember, m.pin, lambda value: m.notes.new("a.md", value)]
        calls += [lambda value: m.notes.new(value, "x")]
        for call in calls:
            for value in (None, 2.5, b"2", [2]):
                with pytest.raises(QueryError, match="must be a"):
                    call(value)


OPTIONS: dict[str, tuple[Callable[[Workspace, Any], object], tuple[object, ...]]] = {
    "a message": (lambda m, value: m.recall(value), (None, 5, b"x", ["x"])),
    "a message unasked": (lambda m, value: m.recall(value, proactive=True), (None, 5, b"x", ["x"])),
    "the message of a prompt": (lambda m, value: m.prompt(value), (None, 5, b"x", ["x"])),
    "a budget": (lambda m, value: m.recall("x", budget=value), ("5", 2.5, [1], True)),
    "the budget of a prompt": (lambda m, value: m.prompt("x", budget=value), ("5", 2.5, [1], True)),
    "results": (lambda m, value: m.search("x", limit=value), ("5", 2.5, [1], True)),
    "the least score": (lambda m, value: m.search("x", min_score=value), ("0.5", [1], True)),
    "a day": (lambda m, value: m.search("x", since=value), (5, b"x", ["x"])),
    "memories": (lambda m, value: m.memories.query("x", limit=value), ("5", 2.5, [1], None, True)),
    "a key": (lambda m, value: m.memories.store("x", key=value), (5, b"x", ["x"])),
    "experiences": (lambda m, value: m.experiences.find_similar("x", limit=value), ("5", 2.5, [1], None)),
    "hints": (lambda m, value: m.experiences.hints(value), (None, 5, b"x")),
    "narratives": (lambda m, value: m.narratives.search("x", limit=value), ("5", 2.5, [1], None)),
    "the words of a narrative": (lambda m, value: m.narratives.search(value), (5, b"x", ["x"])),
    "changes": (lambda m, value: m.journal.log(value), ("5", 2.5, [1], None)),
    "weeks": (lambda m, value: m.numbers(weeks=value), ("5", 2.5, [1], None)),
    "a window": (lambda m, value: m.context_policy(value), ("5", 2.5, [1])),
    "a file": (lambda m, value: m.import_(value), (None, 5)),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_an_argument_of_another_type_is_named_in_a_sentence(name: str, tmp_path: Path):
    (tmp_path / "vault").mkdir()
    call, values = OPTIONS[name]
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        m.memories.store("first")
        for value in values:
            with pytest.raises(QueryError, match=r"^The .* must be a "):
                call(m, value)


def test_a_closed_workspace_opens_its_files_again(tmp_path: Path):
    (tmp_path / "vault").mkdir()
    m = memoro.open(tmp_path / "home", tmp_path / "vault")
    m.memories.store("Bread is in the oven")
    m.close()
    assert [item.id for item in m.recall("where is the bread?").items] == ["memory:1"]
    m.close()


# Failures of the system


@pytest.mark.parametrize(
    "arguments", [[], ["--finish"], ["--to", "sqlite"], ["--to", "postgresql://u@h/d", "--merge"]]
)
def test_a_ledger_in_a_home_that_lies_below_a_file_is_not_moved_and_the_home_is_named(
    arguments: list[str], tmp_path: Path
):
    (tmp_path / "file").write_text("")
    done = run_memoro("--home", str(tmp_path / "file" / "home"), "move-ledger", *arguments)
    assert done.code == 4 and "cannot be made: not a directory" in done.err and "Traceback" not in done.err


def test_a_record_of_a_move_that_cannot_be_opened_is_named(tmp_path: Path):
    (tmp_path / "home" / "move.json").mkdir(parents=True, mode=0o700)
    (tmp_path / "home").chmod(0o700)
    done = run_memoro("--home", str(tmp_path / "home"), "move-ledger")
    assert done.code == 4 and "move.json cannot be read: is a directory." in done.err


def test_a_missing_folder_of_logs_is_called_what_it_is(places: tuple[str, ...], tmp_path: Path):
    home, logs, extra = tmp_path / "home", tmp_path / "logs", tmp_path / "more"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f"[vault]\nextra = ['{extra}']\n[transcripts]\nfolders = ['{logs}']\n")
    said = run_memoro(*places, "sync").out
    assert f"The folder of conversation logs {logs} cannot be read: no such file or directory" in said
    assert f"The extra folder {extra} cannot be read" in said
    assert "The vault" not in said


def test_every_check_of_doctor_has_a_name_of_its_own(places: tuple[str, ...], tmp_path: Path):
    assert run_memoro(*places, "sync").code == 0
    (file,) = (tmp_path / "home").glob("index.*.db")
    file.write_bytes(file.read_bytes()[:8000])
    checks = run_memoro(*places, "doctor", "--json").json["checks"]
    names = [check["name"] for check in checks]
    assert len(set(names)) == len(names)
    assert {"engine", "home", "vault", "index", "vectors", "index against disk"} <= set(names)
    assert not any("lambda" in name for name in names)


def test_what_the_engine_finds_wrong_with_an_index_is_one_line(places: tuple[str, ...], tmp_path: Path):
    assert run_memoro(*places, "sync").code == 0
    (file,) = (tmp_path / "home").glob("index.*.db")
    raw_sqlite.share_pages(file)
    (found,) = [check for check in run_memoro(*places, "doctor", "--json").json["checks"] if check["name"] == "index"]
    assert found["state"] == "failed"
    assert "\n" not in found["found"]
    assert "***" not in found["found"]


LIMITED = """
import resource, sys
from memoro.cli import main
import memoro.cli.run, memoro.cli.finding, memoro.search.spaces, memoro.index.vector_upkeep, memoro.store.matrix
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.process
@pytest.mark.parametrize("limit", [8, 9, 10, 12])
def test_too_few_descriptors_are_called_that_and_nothing_is_called_damaged(places: tuple[str, ...], limit: int):
    import subprocess

    assert run_memoro(*places, "sync").code == 0
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(limit=limit), *places, "search", "tea"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "this process may not open more files" in done.stderr
    assert "damaged" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "writable" not in done.stderr
