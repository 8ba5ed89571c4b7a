"""`memoro memory`, `narrative`, `log`, `undo` and `backup` as a person or a script meets them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.cli import main
from tests.conftest import Result, run_memoro, run_process
from tests.test_memories import Clock, settings

MEMORY = {
    "id", "content", "source", "trust", "created_at", "tags", "feedback", "hit_at", "agent", "project", "session",
    "task", "narrative", "valid_from", "valid_to", "superseded_by", "superseded_at", "parents", "origin",
}  # fmt: skip
ENTRY = {"id", "at", "operation", "actor", "kind", "item", "before", "after", "undoes", "undone_by", "agent"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four memories of which two are linked and one is superseded, a fifth in the archive, and a narrative."""
    home = settings(tmp_path_factory.mktemp("template") / "home")
    with memoro.open(home, clock=Clock()) as m:
        for text in ("green tea at four", "black tea at five", "cup", "mug", "old pot"):
            m.memories.store(text, "kitchen")
        m.memories.query("tea", session="s")
        m.memories.reinforce(1, session="s")
        m.memories.reinforce(2, session="s")
        m.memories.supersede(3, 4)
        m.memories.archive(5)
        m.narratives.update("We furnish a kitchen", [1, 4])
    return home


@pytest.fixture
def home(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "home"))


def run(home: Path, *arguments: str) -> Result:
    """`--home` after the subcommand; nothing of a vault anywhere."""
    done = run_memoro(*arguments, "--home", str(home))
    assert "Traceback" not in done.err
    return done


def test_the_contract_from_store_to_forget(tmp_path: Path) -> None:
    home = tmp_path / "home"
    stored = run(
        home, "memory", "store", "Tea at four", "--tags", "a,b", "--source", "user", "--session", "s",
        "--task", "t", "--key", "k", "--json",
    )  # fmt: skip
    assert stored.code == 0
    assert set(stored.json) == MEMORY | {"new", "nearest", "superseded", "waiting", "redacted", "degraded"}
    assert (stored.json["id"], stored.json["tags"], stored.json["trust"]) == (1, ["a", "b"], "user_said")
    again = run(
        home, "memory", "store", "Tea at four", "--tags", "a,b", "--source", "user", "--session", "s",
        "--task", "t", "--key", "k", "--json",
    )  # fmt: skip
    assert (again.code, again.json) == (0, stored.json)

    found = run(home, "memory", "query", "tea", "-n", "5", "--session", "s", "--json").json
    assert set(found) == {"query", "mode", "results", "degraded", "only_archived"}
    [one] = found["results"]
    times = {"since", "until", "replaced_by"}
    assert set(one) == MEMORY | times | {"score", "fit", "usefulness", "recency", "linked_to", "archived"}
    assert 0 < one["score"] <= 1
    assert (one["id"], one["content"], one["feedback"]) == (1, "Tea at four", 0)

    assert run(home, "memory", "reinforce", "1", "--json").json["feedback"] == 3
    assert run(home, "memory", "demote", "1", "--json").json["feedback"] == 2
    updated = run(home, "memory", "update", "1", "Tea at five", "--tags", "c", "--json").json
    assert (updated["content"], updated["tags"], updated["feedback"]) == ("Tea at five", ["c"], 2)

    asked = run(home, "memory", "forget", "1", "--json")
    assert (asked.code, asked.json["done"]) == (5, False)
    assert asked.err == "memoro: this cannot be undone; add --yes to do it.\n"
    assert run(home, "backup", "adopt", "ledger").err.count("Add --yes to do it") == 1
    assert run(home, "memory", "forget", "1", "--dry-run").code == 0
    gone = run(home, "memory", "forget", "1", "--yes", "--json")
    assert (gone.code, gone.json["done"], gone.json["memories"]) == (0, True, [{"id": 1}])
    refused = run(home, "memory", "store", "Tea at five")
    assert refused.code == 2
    assert "forgotten" in refused.err


# Arguments, what a person reads, and what a program finds in the JSON.
COMMANDS: list[tuple[Sequence[str], str, dict[str, Any]]] = [
    (("memory", "store", "white", "tea"), r"\[id:6\] stored", {"id": 6, "content": "white tea", "new": True}),
    (("memory", "store", "mug"), r"\[id:4\] was known already", {"id": 4, "new": False}),
    (("memory", "store", "black tea at five, say"), r"supersede 2 6", {"id": 6}),
    (("memory", "query", "tea"), r"\[id:1\] green tea at four  #kitchen\n   0\.\d\d  feedback \+3", {}),
    (("memory", "query", "tea", "--explain"), r"fit 0\.\d+ × usefulness 1\.8221 × recency", {}),
    (("memory", "query", "green", "--links"), r"linked with \[id:1\]", {}),
    (("memory", "query", "pot", "--archived"), r"\[id:5\] old pot.*\n.*archived", {}),
    (("memory", "query", "cup", "--as-of", "2026-03-05T11:00Z", "--tags", "kitchen"), "", {"results": []}),
    (("memory", "query", "pot", "--mode", "hybrid"), "", {"results": []}),
    (("memory", "reinforce", "1"), r"\[id:1\] green tea at four  #kitchen\n   feedback \+6", {"feedback": 6}),
    (("memory", "demote", "4"), r"feedback -1", {"id": 4, "feedback": -1}),
    (("memory", "update", "1", "hot", "tea"), r"\[id:1\] hot tea  #kitchen\n   updated", {"content": "hot tea"}),
    (("memory", "update", "1", "--valid-to", "2020-01-01"), "updated", {"content": "green tea at four"}),
    (("memory", "supersede", "1", "2"), r"superseded by \[id:2\]", {"id": 1, "superseded_by": 2}),
    (("memory", "trust", "1", "user_confirmed"), "user_confirmed", {"trust": "user_confirmed"}),
    (("memory", "show", "1"), r"used in narrative: 1\n   linked with \[id:2\]", {"narratives": [1]}),
    (("memory", "show", "5"), r"\[id:5\] archived\n   old pot", {"id": 5, "archived": True}),
    (("memory", "history", "1"), r"store \[id:1\] by agent: green tea at four\n.*reinforce .*feedback 0 → 3", {}),
    (("memory", "links", "1"), r"\[id:1\] .*\n└─ \d\.\d\d \[id:2\] black tea", {"id": 1}),
    (("memory", "links", "4"), "not linked", {"linked": []}),
    (("memory", "list"), r"\[id:4\] mug  #kitchen\n\[id:2\]", {}),
    (("memory", "list", "--source", "user"), "No memory matches", {"results": []}),
    (("memory", "stats"), r"4 memories \(3 true now\), 1 archived\n1 narrative, 1 link", {"links": 1}),
    (("memory", "archive", "4"), "unarchive 4", {"id": 4}),
    (("memory", "unarchive", "5"), "restored from the archive", {"id": 5}),
    (("memory", "prune", "--dry-run"), "Nothing to archive", {"archive": [], "fits": True, "done": False}),
    (("memory", "prune"), "Nothing to archive", {"archive": [], "done": True}),
    (("memory", "remove", "1"), "`memoro undo` restores it", {"id": 1}),
    (("memory", "forget", "1", "--yes"), r"Forgotten: \[id:1\]\n.*Narratives .*: 1", {"narratives": [1]}),
    (("memory", "forget", "--query", "tea", "--dry-run"), r"To be forgotten:\n\[id:", {"done": False}),
    (("memory", "forget", "--source", "agent", "--since", "2026-03-01", "--dry-run"), r"\[id:5\]", {"done": False}),
    (("narrative", "update", "We", "cook", "--memories", "1, 4"), r"2\. .*We cook  based on \[id:1\], \[id:4\]", {}),
    (("narrative", "search"), r"1\. 2026-03-0\d \d\d:\d\d  We furnish a kitchen", {}),
    (("narrative", "search", "1"), "We furnish a kitchen", {}),
    (("narrative", "search", "furnishing"), "We furnish a kitchen", {}),
    (("narrative", "show", "1"), "We furnish a kitchen", {}),
    (("log",), r"10\. 2026-03-05 \d\d:\d\d  update narrative:1 by agent: We furnish a kitchen", {}),
    (("log", "-n", "1", "--by", "user"), r"archive \[id:5\] by user", {}),
    (("undo",), r"Undone:\n10\. ", {"done": True, "refused": [], "derived": []}),
    (("undo", "6"), r"Undone:\n6\. .*reinforce \[id:1\]", {"done": True}),
    (("undo", "--by", "agent", "--since", "2026-03-01", "--dry-run"), "Would be undone:", {"done": False}),
    (("backup", "create"), r"  4 memories  [\d,]+ bytes  asked for", {}),
    (("backup", "list"), "daily", {}),
    (("backup", "verify"), "  ok", {}),
    (("get", "memory:1"), "green tea at four", {"id": "memory:1", "text": "green tea at four"}),
    (("search", "--kind", "memory", "green tea"), "green tea at four", {"query": "green tea"}),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "shown", "told"), COMMANDS, ids=[" ".join(one[0]) for one in COMMANDS])
def test_every_command_speaks_to_people_and_to_programs(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: Sequence[str], shown: str,
    told: dict[str, Any],
) -> None:  # fmt: skip
    nothing = not shown
    code = main([*arguments, "--home", str(shutil.copytree(home, tmp_path / "for eyes"))])
    seen = capsys.readouterr()
    assert code == (1 if nothing else 0), seen.err
    assert re.search(shown, seen.out, re.DOTALL if "\\n.*" in shown else 0), seen.out
    assert bool(seen.out) is not nothing
    spoken = run(home, *arguments, "--json")
    assert spoken.code in ((0, 1) if nothing else (0,))
    assert spoken.err == ""
    assert {name: spoken.json[name] for name in told} == told


UNKNOWN = [
    ("memory", "reinforce", "99"), ("memory", "demote", "99"), ("memory", "update", "99", "x"),
    ("memory", "supersede", "1", "99"), ("memory", "trust", "99", "user_said"), ("memory", "show", "99"),
    ("memory", "history", "99"), ("memory", "links", "99"), ("memory", "archive", "99"),
    ("memory", "unarchive", "1"), ("memory", "remove", "99"), ("memory", "forget", "99", "--yes"),
    ("memory", "store", "x", "--from-memory", "99"), ("narrative", "update", "x", "--memories", "99"),
    ("narrative", "show", "99"), ("narrative", "search", "99"), ("undo", "99"), ("backup", "verify", "none"),
    ("backup", "restore", "none"), ("get", "memory:99"),
]  # fmt: skip
WRONG = [
    ("memory",), ("memory", "invent"), ("memory", "store"), ("memory", "store", ""), ("memory", "reinforce", "one"),
    ("memory", "update", "1"), ("memory", "query", "tea", "-n", "0"), ("memory", "supersede", "1", "1"),
    ("memory", "query", "tea", "--as-of", "soon"), ("memory", "store", "x", "--trust", "holy"),
    ("memory", "store", "x" * 17_000), ("narrative", "update", "x", "--memories", "one"),
    ("narrative", "search", "tea", "-n", "-1"), ("undo", "--by", "agent"), ("log", "--since", "soon"),
    ("backup", "restore"), ("memory", "forget"),
]  # fmt: skip
UNDECIDED = [("memory", "forget", "1"), ("undo", "2", "--by", "x", "--since", "today")]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [*((one, 1) for one in UNKNOWN), *((one, 2) for one in WRONG), *((one, 5) for one in UNDECIDED)],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_done_is_one_sentence_and_a_code(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int
) -> None:
    assert main([*arguments, "--home", str(home)]) == code
    told = capsys.readouterr().err
    assert told.startswith("memoro: ")
    assert told.count("\n") == 1
    if code == 1 and "99" in arguments:
        assert "99" in told


def test_an_unknown_number_is_exit_code_1_and_a_sentence_also_for_programs(home: Path) -> None:
    done = run(home, "memory", "reinforce", "99", "--json")
    assert done.code == 1
    assert done.json["error"]["type"] == "MemoryNotFound"
    assert done.err == f"memoro: {done.json['error']['message']}\n"
    assert "[id:99]" in done.err


def test_nothing_found_is_exit_code_1_and_a_sentence(home: Path) -> None:
    done = run(home, "memory", "query", "nothing-holds-this")
    assert (done.code, done.out) == (1, "")
    assert "No memory contains any of these words" in done.err
    assert run(home, "memory", "query", "nothing-holds-this", "--json").json["results"] == []


def test_a_home_may_be_named_before_or_after(home: Path) -> None:
    before = run_memoro("--home", str(home), "memory", "list", "--json")
    assert before.json == run(home, "memory", "list", "--json").json
    between = run_memoro("memory", "--home", str(home), "list", "--json")
    assert between.json == before.json
    by_environment = run_memoro("memory", "list", "--json", env={"MEMORO_HOME": str(home)})
    assert by_environment.json == before.json


def test_a_key_holds_between_processes_and_another_request_with_it_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = run_process("--home", str(home), "memory", "store", "tea", "--key", "k", "--json")
    assert run_process("--home", str(home), "memory", "store", "tea", "--key", "k", "--json").json == first.json
    other = run_process("--home", str(home), "memory", "store", "coffee", "--key", "k", "--json")
    assert (other.code, other.json["error"]["type"]) == (2, "KeyReused")
    assert run_process("--home", str(home), "memory", "list", "--json").json["results"][0]["content"] == "tea"


def test_a_session_links_what_helped_together_from_one_command_to_the_next(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        m.memories.store("green tea")
        m.memories.store("black tea")
    run(home, "memory", "query", "tea", "--session", "s")
    run(home, "memory", "reinforce", "1", "--session", "s")
    run(home, "memory", "reinforce", "2", "--session", "s")
    tree = run(home, "memory", "links", "1", "--json").json
    assert [(branch["id"], branch["strength"] > 0.99) for branch in tree["linked"]] == [(2, True)]


def test_a_backup_is_restored_by_its_name(home: Path) -> None:
    [made] = run(home, "backup", "create", "--json").json["backups"]
    run(home, "memory", "remove", "1")
    restored = run(home, "backup", "restore", made["name"])
    assert restored.code == 0
    assert "restored" in restored.out
    assert run(home, "memory", "show", "1").code == 0


def test_pruning_tells_what_it_did_and_what_is_left_to_do(home: Path) -> None:
    (home / "memoro.toml").write_text('[embedding]\nenabled = false\n[memory]\nmax_size = "1KB"\n')
    would = run(home, "memory", "prune", "--dry-run")
    assert "1 memory would be archived" in would.out
    assert "still exceed it" in would.out
    assert "1 memory archived" in run(home, "memory", "prune").out
    assert run(home, "memory", "stats", "--json").json["archived"] == 2


def test_what_a_memory_says_cannot_steer_a_terminal(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        m.memories.store("tea \x1b[31m red \u202e turned", "t\x1bag", source="s\x1brc")
        m.narratives.update("told \x1b[2J")
        m.memories.reinforce(1)
    for arguments in (("memory", "query", "tea"), ("memory", "show", "1"), ("memory", "list"), ("log",),
                      ("memory", "history", "1"), ("memory", "links", "1"), ("narrative", "search")):  # fmt: skip
        out = run(home, *arguments).out
        assert out
        assert "\x1b" not in out
        assert "\u202e" not in out
    told = run(home, "memory", "show", "1", "--json").json  # JSON tells what is there, escaped where it must be
    assert told["content"] == "tea \x1b[31m red \u202e turned"


@pytest.mark.parametrize("command", ["memory", "narrative", "log", "undo", "backup"])
def test_help_tells_what_can_be_done(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"usage: memoro {command}")
    assert "--home DIR" in told


def test_help_of_memory_names_every_action_and_each_has_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    main(["memory", "--help"])
    overview = capsys.readouterr().out
    for action in (
        "store", "query", "reinforce", "demote", "update", "show", "history", "links", "supersede", "archive",
        "unarchive", "prune", "remove", "forget", "stats", "trust", "list",
    ):  # fmt: skip
        assert re.search(rf"\n    {action} +\S", overview)
        assert main(["memory", action, "--help"]) == 0
        told = capsys.readouterr().out
        assert told.startswith(f"usage: memoro memory {action}")
        assert "--json" in told
        assert "--home DIR" in told


def test_the_output_is_one_json_document(home: Path) -> None:
    assert json.loads(run(home, "memory", "stats", "--json").out)["memories"] == 4
