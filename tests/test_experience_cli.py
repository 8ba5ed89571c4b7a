"""`memoro experience` as a person or a script meets it."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import memoro
from tests.conftest import Memoro, Result, run_memoro
from tests.test_memories import NOON, Clock, settings

EXPERIENCE = {
    "id", "type", "intent", "solution", "success", "source", "trust", "created_at", "tags", "uses", "outcomes",
    "used_at", "archived_at", "agent", "project", "session", "weight", "outcome",
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return settings(tmp_path / "home")


def run(home: Path, *arguments: str) -> Result:
    done = run_memoro(*arguments, "--home", str(home))
    assert "Traceback" not in done.err
    return done


def test_the_contract_from_record_to_forget(home: Path) -> None:
    arguments = ("experience", "record", "tool_chain", "deploy the site", '{"steps": ["build", "copy"]}',
                 "--success", "0.9", "--tags", "web,ci", "--session", "s", "--key", "k", "--json")  # fmt: skip
    recorded = run(home, *arguments)
    assert recorded.code == 0
    assert set(recorded.json) == EXPERIENCE | {"new", "redacted"}
    assert (recorded.json["solution"], recorded.json["new"]) == ({"steps": ["build", "copy"]}, True)
    again = run(home, *arguments).json
    assert again | {"weight": 0} == recorded.json | {"weight": 0}  # which is a little less by now

    found = run(home, "experience", "find", "deploy", "site", "--tags", "ci", "--json")
    assert set(found.json) == {"query", "mode", "results", "degraded"}
    assert set(found.json["results"][0]) == EXPERIENCE | {"score", "fit"}
    assert run(home, "experience", "find", "zebra").code == 1

    used = run(home, "experience", "use", "experience:1", "--success", "0.7", "--json").json
    assert (used["uses"], round(used["success"], 3)) == (1, 0.8)
    assert run(home, "search", "deploy", "--kind", "experience", "--json").json["results"][0]["id"] == "experience:1"
    assert run(home, "get", "experience:1", "--json").json["kind"] == "experience"
    assert run(home, "experience", "show", "1", "--json").json["trust"] == "agent_inferred"
    assert run(home, "experience", "trust", "1", "user_confirmed", "--json").json["trust"] == "user_confirmed"
    assert [c["operation"] for c in run(home, "experience", "history", "1", "--json").json["changes"]] == [
        "record", "use", "trust",
    ]  # fmt: skip
    assert run(home, "experience", "remove", "1").code == 0
    assert run(home, "experience", "show", "1").code == 1
    assert run(home, "undo").code == 0
    assert run(home, "forget", "experience:1").code == 5
    gone = run(home, "forget", "experience:1", "--yes", "--json")
    assert (gone.code, gone.json["done"]) == (0, True)
    assert run(home, "experience", "list", "--json").json == {"results": [], "next": None}
    refused = run(home, "experience", "record", "tool_chain", "Deploy the site", '{"steps": ["build", "copy"]}')
    assert refused.code == 2 and "forgotten" in refused.err


def test_a_solution_is_json_or_a_text_from_an_argument_or_from_stdin(home: Path) -> None:
    for number, (given, kept) in enumerate(
        [('"quoted"', "quoted"), ("7", 7), ("just do it", "just do it"), ("{", "{")]
    ):
        done = run(home, "experience", "record", "task_solution", f"intent {number}", given, "--json")
        assert done.json["solution"] == kept
    command = [sys.executable, "-m", "memoro", "--home", str(home), "experience", "record", "error_recovery", "piped"]
    piped = subprocess.run(command, input='["a", "b"]\n', text=True, capture_output=True, check=True, timeout=60)
    assert "experience:5 recorded" in piped.stdout
    assert run(home, "experience", "show", "5", "--json").json["solution"] == ["a", "b"]
    empty = run(home, "experience", "record", "error_recovery", "nothing", "-")  # stdin is empty
    assert empty.code == 2 and "Give the solution" in empty.err


def test_preferences_are_noted_and_told(home: Path) -> None:
    assert run(home, "experience", "prefer").code == 1
    assert run(home, "experience", "prefer", "tea", "green").out == "tea: green  confidence 0.40\n"
    assert run(home, "experience", "prefer", "Tea", "green").out == "tea: green  confidence 0.52\n"
    told = run(home, "experience", "prefer", "tea", "black", "--json").json
    assert (told["solution"], told["preference"]["value"]) == ("black", "green")
    assert run(home, "experience", "prefer", "tea").out == (
        "tea: green  confidence 0.52\n   less sure: black  confidence 0.40\n"
    )
    (known,) = run(home, "experience", "prefer", "--json").json["preferences"]
    assert known == {
        "category": "tea", "value": "green", "confidence": known["confidence"], "id": 1,
        "others": [{"id": 2, "value": "black", "confidence": 0.4}],
    }  # fmt: skip


def test_pruning_tells_first_asks_where_it_is_much_and_archives(home: Path) -> None:
    with memoro.open(home, clock=Clock(NOON - timedelta(days=365))) as m:
        m.ledger.access.after_write = lambda: None
        for number in range(25):
            m.experiences.record("tool_chain", f"intent {number}", number)
    assert run(home, "experience", "stats", "--json").json["faded"] == 25
    would = run(home, "experience", "prune", "--dry-run")
    assert would.out.startswith("25 of 25 experiences would be archived.\nSo many at once need --force")
    assert run(home, "experience", "prune").code == 5
    done = run(home, "experience", "prune", "--force", "--json").json
    assert (len(done["archive"]), done["done"], done["braked"]) == (25, True, True)
    assert len(run(home, "experience", "list", "--archived", "--json", "-n", "50").json["results"]) == 25
    assert run(home, "experience", "find", "intent", "3").code == 1
    assert run(home, "experience", "find", "intent", "3", "--archived", "-n", "30").code == 0
    assert "25 archived" in run(home, "experience", "stats").out
    back = run(home, "experience", "use", "4")
    assert "weight 1.00, used 1 time" in back.out


@pytest.mark.parametrize(
    "wrong",
    [
        ("record", "rumour", "x", "y"), ("record", "tool_chain", " ", "y"), ("record", "tool_chain", "x", " "),
        ("record", "tool_chain", "x", "y", "--success", "2"), ("use", "one"), ("use",), ("find",),
        ("prune", "--below", "x"),
        ("find", "x", "-n", "0"), ("find", "x", "--type", "rumour"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_code_2(home: Path, wrong: tuple[str, ...]) -> None:
    done = run(home, "experience", *wrong)
    assert done.code == 2 and done.err.startswith("memoro: ")


def test_what_there_is_not_is_exit_code_1(home: Path) -> None:
    for action in ("use", "show", "remove", "history"):
        done = run(home, "experience", action, "99", "--json")
        assert done.code == 1 and done.json["error"]["type"] == "NotFound"
    assert run(home, "get", "experience:99").code == 1
    assert run(home, "forget", "experience:99", "--yes").code == 1


def test_control_characters_never_reach_the_terminal(home: Path) -> None:
    run(home, "experience", "record", "tool_chain", "red \x1b[31m tea", "blue \x1b[34m", "--tags", "a\x1b[1m")
    run(home, "experience", "prefer", "bell \x07", "rings \x07")
    for arguments in (("find", "tea"), ("show", "1"), ("list",), ("history", "1"), ("prefer",), ("use", "1")):
        shown = run(home, "experience", *arguments)
        assert shown.code == 0
        assert not {"\x1b", "\x07"} & set(shown.out), arguments


def test_status_counts_experiences(memoro: Memoro) -> None:
    assert memoro("experience", "record", "task_solution", "brew tea", "boil").code == 0
    assert "learned   1 experience\n" in memoro("status").out
    assert memoro("status", "--json").json["experiences"] == 1
