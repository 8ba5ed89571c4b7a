"""What version 0.1.0 left on a machine works with this version, and goes out again byte for byte.

`tests/data/person-0.1.0/make.py` made the files with the code of 0.1.0. `tests/test_homes_of_0_1_0.py` compares the
contents of a home of 0.1.0.
"""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro import hosts
from memoro.config.reading import read_file, settle
from memoro.connect.json_text import parse
from memoro.connect.plan import connection_of
from tests.command import run_memoro
from tests.conftest import write_vault
from tests.person_of_0_1_0 import KEPT, OldPerson, kept_texts
from tests.raw_sqlite import index_file, set_format

HOME = Path(__file__).parent / "data" / "home-0.1.0"
FUTURE = 99


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OldPerson:
    return OldPerson(tmp_path, monkeypatch)


def value_of(text: str) -> Any:
    node = parse(text, comments=True)
    assert node is not None
    return node.value


# ------ settings of hosts


def test_disconnecting_takes_out_what_0_1_0_put_in(person: OldPerson) -> None:
    for host in hosts.CONNECTABLE:
        done = person.types("disconnect", host, "--yes")
        assert (done.code, done.err) == (0, "")
    left = person.settings_files()
    assert json.loads(left.pop("me/.claude.json")) == {"mcpServers": {}}  # Claude Code keeps that file itself
    assert left == kept_texts("before.json")
    assert "project/.vscode" not in person.folders()  # 0.1.0 made it


def test_without_its_record_all_entries_are_found_all_the_same(person: OldPerson) -> None:
    (person.me / ".memoro" / "connections.json").unlink()
    for host in hosts.CONNECTABLE:
        assert person.types("disconnect", host, "--yes").code == 0
    assert [name for name, text in person.settings_files().items() if "memoro" in text] == []


def test_doctor_names_each_connection_and_its_remedies_renew_them_all(person: OldPerson) -> None:
    told = person.types("doctor", "--json").json["checks"]
    (check,) = [one for one in told if one["name"] == "connections"]
    assert check["state"] == "warning"
    remedies = re.findall(r"`memoro (connect [^`]+)`", check["remedy"])
    scopes = [(host, scope) for host in hosts.CONNECTABLE for scope in connection_of(hosts.load(host)).scopes]
    assert len(remedies) == len(scopes)
    for remedy in remedies:
        assert person.types(*remedy.split(), "--yes").code == 0
    assert "✓ connections" in person.types("doctor").out
    for host in hosts.CONNECTABLE:
        person.types("disconnect", host, "--yes")
    left = person.settings_files()
    del left["me/.claude.json"]
    assert left == kept_texts("before.json")


def test_hooks_alone_are_renewed_too(person: OldPerson) -> None:
    (person.me / ".claude.json").unlink()
    (person.project / ".mcp.json").unlink()
    for host in hosts.CONNECTABLE:
        if host != "claude-code":
            person.types("disconnect", host, "--yes")
    told = person.types("doctor").out
    assert "claude-code: the hooks are of an earlier version, without PreToolUse" in told
    assert "Run `memoro connect claude-code` again. Run `memoro connect claude-code --scope project` again." in told


# ------ hooks and servers as the hosts start them

EVENTS = {
    "claude": ("SessionStart", "UserPromptSubmit", ["PreCompact", "Stop", "SessionEnd"]),
    "codex": ("SessionStart", "UserPromptSubmit", ["PreCompact", "Stop", "SessionEnd"]),
    "gemini": ("SessionStart", "BeforeAgent", ["AfterAgent", "PreCompress", "SessionEnd"]),
}
HOOK_FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}


@pytest.mark.parametrize("agent", EVENTS)
def test_hooks_of_0_1_0_answer_and_take_notes(agent: str, person: OldPerson) -> None:
    groups = value_of((person.me / HOOK_FILES[agent]).read_bytes().decode())["hooks"]
    start, prompt, captures = EVENTS[agent]
    person.types("memory", "store", "The teapot of Ada costs 40 euros.")

    def tell(event: str, **more: str) -> str:
        commands = [one["command"] for group in groups[event] for one in group["hooks"]]
        (command,) = [one for one in commands if one.startswith(str(person.program))]
        about = {"hook_event_name": event, "session_id": "s1", "cwd": str(person.project), "transcript_path": ""}
        done = person.runs(shlex.split(command), json.dumps({**about, **more}))
        assert (done.code, done.err) == (0, "")
        return done.out

    assert "The kettle is blue" in tell(start, source="startup")
    assert "40 euros" in tell(prompt, prompt="How much does the teapot of Ada cost?")
    assert [tell(event) for event in captures] == [""] * len(captures)
    assert not (person.me / ".memoro" / "hooks.log").exists()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("me/.claude.json", "mcpServers"),
        ("me/.config/Code/User/mcp.json", "servers"),
        ("project/opencode.json", "mcp"),
    ],
)
def test_a_server_that_0_1_0_registered_answers(name: str, path: str, person: OldPerson) -> None:
    server = value_of((person.folder / name).read_text())[path]["memoro"]
    command = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
    client = {"clientInfo": {"name": "test", "version": "1"}, "capabilities": {}, "protocolVersion": "2025-06-18"}
    requests: list[dict[str, object]] = [
        {"method": "initialize", "id": 1, "params": client},
        {"method": "notifications/initialized"},
        {"method": "tools/list", "id": 2, "params": {}},
    ]
    with subprocess.Popen(
        command, env=person.environment, cwd=person.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        for request in requests:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
    assert answers[0]["result"]["serverInfo"]["name"] == "memoro"
    assert "search" in [tool["name"] for tool in answers[1]["result"]["tools"]]


# ------ settings of Memoro


def test_every_setting_of_0_1_0_is_understood_as_it_was() -> None:
    sources = read_file(str(KEPT / "memoro.toml"), agent="work", project="garden")
    now = {one.key: one.value for one in settle(sources)[1]}
    then = json.loads((KEPT / "settings.json").read_text())
    assert json.loads(json.dumps({key: now[key] for key in then})) == then


# ------ homes


@pytest.fixture
def old_home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("ledger.db", "archive.db"):
        (home / name).write_bytes(gzip.decompress((HOME / f"{name}.gz").read_bytes()))
    shutil.copy(HOME / "memoro.toml", home)
    shutil.copytree(HOME / "vault", tmp_path / "vault")
    return home


def in_home(home: Path, *arguments: str) -> tuple[int, str]:
    done = run_memoro("--home", str(home), "--vault", str(home.parent / "vault"), *arguments)
    return done.code, done.err


@pytest.mark.parametrize("command", [("memory", "query", "tea"), ("search", "kettle"), ("recall", "the tea")])
def test_a_home_is_migrated_once_and_its_owner_is_told_where_the_old_one_is(
    command: tuple[str, ...], old_home: Path
) -> None:
    code, told = in_home(old_home, *command)
    found = re.search(r"An earlier version wrote this ledger\. .* the backup (\S+) keeps it as it was\.", told)
    assert code == 0 and found
    assert (old_home / "backups" / found[1] / "ledger.db").exists()
    assert in_home(old_home, *command) == (0, "")


def test_an_index_of_an_earlier_version_is_not_called_damaged(old_home: Path) -> None:
    in_home(old_home, "sync")
    set_format(index_file(old_home), 3)  # as 0.1.0 wrote it
    code, told = in_home(old_home, "search", "kettle")
    assert code == 0
    assert told == "memoro: index: an earlier version wrote it (it has the old format 3) and has been rebuilt\n"


@pytest.fixture
def old_index(old_home: Path, tmp_path: Path) -> Path:
    """A home with ledger and index as 0.1.0 wrote them: this version has run no command on it."""
    synced = Path(shutil.copytree(old_home, tmp_path / "synced"))
    in_home(synced, "sync")
    file = Path(shutil.copy(index_file(synced), old_home))
    set_format(file, 3)
    return old_home


def answer_of(home: Path, *arguments: str) -> tuple[int, str]:
    done = run_memoro("--home", str(home), "--vault", str(home.parent / "vault"), *arguments)
    return done.code, " ".join(f"{done.out} {done.err}".split())


SOUND = "n earlier version wrote the index (it has the old format 3). The next search or `memoro sync` rebuilds it"


def test_doctor_as_the_first_command_of_the_guide_finds_a_sound_home(old_index: Path) -> None:
    code, told = answer_of(old_index, "doctor")
    assert code == 0 and "✗" not in told and "damaged" not in told
    assert "! index: an earlier version wrote it (it has the old format 3) The next search or" in told
    assert "An earlier version wrote this ledger. It now has the format of this version" in told
    code, told = answer_of(old_index, "search", "kettle")
    assert code == 0 and "has been rebuilt" in told
    code, told = answer_of(old_index, "doctor")
    assert code == 0 and "✓ index:" in told and "earlier version" not in told


def test_a_search_corrects_the_modes_of_an_older_home_that_doctor_warns_of(old_index: Path) -> None:
    (old_index / "backups" / "old").mkdir(parents=True)
    (old_index / "backups" / "old" / "manifest.json").write_text("{}")
    for file in (*old_index.glob("*.db"), *old_index.glob("backups/*/*")):
        file.chmod(0o644)
    assert "can be read by others" in answer_of(old_index, "doctor")[1]
    answer_of(old_index, "search", "kettle")
    assert "can be read by others" not in answer_of(old_index, "doctor")[1]


@pytest.mark.parametrize("command", [("status",), ("numbers",), ("numbers", "--part", "stored")])
def test_commands_that_only_look_say_what_rebuilds_an_older_index(command: tuple[str, ...], old_index: Path) -> None:
    before = index_file(old_index).read_bytes()
    code, told = answer_of(old_index, *command)
    assert code == 0 and SOUND in told
    assert "damaged" not in told and "no index yet" not in told
    assert index_file(old_index).read_bytes() == before


def test_nothing_else_calls_an_older_index_damaged(old_index: Path) -> None:
    assert answer_of(old_index, "space", "list")[0] == 0
    with memoro.open(old_index, old_index.parent / "vault") as m:
        health = m.glance()
        checks = {one.name: one.state for one in m.probe()}
    assert not health.troubles and SOUND in health.notices[0]
    assert checks["index"] == "warning" and "failed" not in checks.values()


@pytest.fixture
def later_home(tmp_path: Path) -> Path:
    """A home with every database, as this version writes it."""
    home = tmp_path / "home"
    write_vault(tmp_path / "vault", {"a.md": "# Lamp\n\nThe lamp is green.\n"})
    in_home(home, "memory", "store", "The lamp costs 40 euros.")
    in_home(home, "memory", "store", "An old cup.")
    in_home(home, "memory", "archive", "2")
    in_home(home, "search", "lamp")
    return home


@pytest.mark.parametrize(
    ("name", "command", "code"),
    [
        ("ledger.db", ("memory", "store", "The cup is red."), 4),
        ("ledger.db", ("memory", "query", "cup"), 4),
        ("archive.db", ("memory", "archive", "1"), 4),
        ("index.1.db", ("search", "lamp"), 4),
        ("embeddings.db", ("search", "lamp"), 0),  # a cache: the answer says what it does without
    ],
)
def test_a_file_of_a_later_version_is_refused_and_left_as_it_is(
    name: str, command: tuple[str, ...], code: int, later_home: Path
) -> None:
    set_format(later_home / name, FUTURE)
    before = (later_home / name).read_bytes()
    done, told = in_home(later_home, *command)
    assert done == code
    assert f"format {FUTURE}, this version knows" in told and "Update Memoro" in told
    assert (later_home / name).read_bytes() == before


def test_a_setting_of_a_later_version_is_named_with_what_to_do(later_home: Path) -> None:
    (later_home / "memoro.toml").write_text("[later]\nkey = 1\n")
    code, told = in_home(later_home, "search", "lamp")
    assert code == 2
    assert "there is no setting 'later.key'. Take it out of the file, or update Memoro" in told
