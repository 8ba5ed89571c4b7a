"""Conversation logs as a whole: copies count once, secrets stay out, hosts are found, results are grouped."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.index import logs as reading
from memoro.ledger.erasure import forgetting
from memoro.vault import logs as opened
from memoro.vault.log_sources import LogSource, agent_folder
from tests.conftest import Memoro, fingerprint, times, write_vault
from tests.logs import Logs, indexed
from tests.test_readers import (
    CHATGPT,
    CLAUDE,
    META,
    OPENCLAW,
    add_message,
    claude,
    codex,
    gemini,
    item,
    line,
    opencode_database,
    text,
    typed,
)

SECRET = (
    "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA9bC1dE3fG5hJ7kL9-AA"
)


def session(*names: str) -> str:
    """A log with one message for each name."""
    return "".join(line(claude("user", name, f"message {name}")) for name in names)


def names(logs: Logs) -> dict[str, list[str]]:
    return {path: [words.split()[-1] for _, words in found] for path, found in logs.said().items()}


# --- copies ---------------------------------------------------------------------------------------------


def test_a_resumed_session_does_not_count_twice(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    write_vault(logs.folder, {"a.jsonl": session("u1", "u2"), "b.jsonl": session("u1", "u2", "u3")})
    logs.sync()
    assert names(logs) == {"@logs/a.jsonl": ["u1", "u2"], "@logs/b.jsonl": ["u3"]}


def test_whose_a_message_is_does_not_depend_on_which_log_was_read_first(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    write_vault(logs.folder, {"b.jsonl": session("u1", "u2", "u3")})
    logs.sync()
    write_vault(logs.folder, {"a.jsonl": session("u1", "u2")})
    logs.sync()
    assert names(logs) == {"@logs/a.jsonl": ["u1", "u2"], "@logs/b.jsonl": ["u3"]}
    (logs.folder / "a.jsonl").unlink()
    logs.sync()
    assert names(logs) == {"@logs/b.jsonl": ["u1", "u2", "u3"]}


def test_a_record_that_a_log_repeats_is_there_once(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "a.jsonl"
    file.write_text(session("u1", "u2", "u1"))
    logs.sync()
    with file.open("a") as handle:
        handle.write(session("u2", "u3", "u1"))
    logs.sync()
    assert names(logs) == {"@logs/a.jsonl": ["u1", "u2", "u3"]}


steps = st.lists(
    st.tuples(
        st.sampled_from(["a.jsonl", "b.jsonl", "c.jsonl"]),
        st.sampled_from(["append", "write", "remove", "sync"]),
        st.lists(st.sampled_from([f"u{i}" for i in range(6)]), max_size=4),
    ),
    max_size=10,
)


@given(steps)
def test_however_logs_came_to_be_the_index_is_as_a_fresh_one(done: list[tuple[str, str, list[str]]]) -> None:
    """Grown, rewritten, removed and copied between syncs: at the end it is as if all were read at once."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "fresh").mkdir()
        logs, fresh = Logs(Path(place)), Logs(Path(place) / "fresh")
        for name, step, said in done:
            file = logs.folder / name
            if step == "append":
                with file.open("a") as handle:
                    handle.write(session(*said))
            elif step == "write":
                file.write_text(session(*said))
            elif step == "remove":
                file.unlink(missing_ok=True)
            else:
                logs.sync()
        for _ in range(3):  # a log that was emptied is believed only the second time
            logs.sync()
        shutil.copytree(logs.folder, fresh.folder, dirs_exist_ok=True)
        fresh.sync()
        assert logs.chunks() == {**dict.fromkeys(logs.chunks(), ()), **fresh.chunks()}
        every = [one for found in names(logs).values() for one in found]
        assert len(every) == len(set(every))


def test_a_fork_of_codex_and_its_archive_count_once(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    first = [META, item("user", "Fix the parser"), typed("Fix the parser"), item("assistant", "Done.")]
    more = [item("user", "Thanks"), typed("Thanks")]
    data = "".join(map(line, first))
    write_vault(
        logs.folder,
        {
            "sessions/1.jsonl": data,
            "archived_sessions/1.jsonl": data,
            "sessions/2.jsonl": data + "".join(map(line, more)),
        },
    )
    logs.sync()
    assert sorted(words for found in logs.said().values() for _, words in found) == [
        "Assistant: Done.", "User: Fix the parser", "User: Thanks",
    ]  # fmt: skip


def test_turns_that_are_taken_back_later_are_taken_out_of_the_index(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "1.jsonl"
    turns = [r for i in range(6) for r in (item("user", f"q{i}"), typed(f"q{i}"), item("assistant", f"a{i}"))]
    file.write_text("".join(map(line, [META, *turns])))
    logs.sync()
    with file.open("a") as handle:
        handle.write(line(codex("event_msg", type="thread_rolled_back", num_turns=4)))
        handle.write(line(item("assistant", "again")))
    logs.sync()
    found = [words for _, words in logs.said()["@logs/1.jsonl"]]
    assert found == ["User: q0", "Assistant: a0", "User: q1", "Assistant: a1", "Assistant: again"]


# --- long logs ------------------------------------------------------------------------------------------


def test_a_log_that_grows_is_read_from_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "a.jsonl"
    file.write_text(session(*(f"u{i}" for i in range(2000))))
    logs.sync()
    read: list[int] = []
    original = opened.Lines.__init__

    def watched(self: opened.Lines, blocks: Any, offset: int = 0, number: int = 0) -> None:
        read.append(offset)
        original(self, blocks, offset, number)

    monkeypatch.setattr(opened.Lines, "__init__", watched)
    with file.open("a") as handle:
        handle.write(session("new"))
    logs.sync()
    assert read and read[0] > 0.99 * file.stat().st_size - 1000
    assert names(logs)["@logs/a.jsonl"] == [*(f"u{i}" for i in range(2000)), "new"]
    logs.sync()
    assert len(read) == 1, "what has not grown is not read"


@pytest.mark.parametrize("part", [2, 3, 7])
def test_reading_in_parts_gives_what_reading_at_once_gives(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "".join(map(line, CLAUDE)) + session(*(f"n{i}" for i in range(20)))
    whole = indexed({"a.jsonl": data})[0]
    monkeypatch.setattr(reading, "PART_TURNS", part)
    assert indexed({"a.jsonl": data})[0] == whole


@pytest.mark.parametrize("change", ["rewritten", "cut", "same size", "replaced"])
def test_a_log_that_was_rewritten_is_read_anew(change: str, tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "a.jsonl"
    file.write_text(session("u1", "u2", "u3"))
    logs.sync()
    new = {
        "rewritten": session("v1", "v2", "v3", "v4"), "cut": session("u1"), "same size": session("u1", "v2", "u3"),
        "replaced": session("u1", "u2", "u3", "u4"),
    }[change]  # fmt: skip
    if change == "replaced":
        (logs.folder / "tmp").write_text(new)
        (logs.folder / "tmp").replace(file)
    else:
        file.write_text(new)
    logs.sync()
    fresh = indexed({"a.jsonl": new})[0]
    assert logs.chunks() == fresh


@pytest.mark.slow
def test_a_middle_that_changed_in_a_long_log_of_the_same_size_is_noticed(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    file = logs.folder / "a.jsonl"
    data = session(*(f"u{i:05}" for i in range(2000)))
    assert len(data) > 4 * opened.WINDOW
    file.write_text(data)
    old = time.time() - 100
    os.utime(file, (old, old))
    time.sleep(2.1)
    logs.sync()
    file.write_text(data.replace("message u01000", "message x01000"))
    logs.sync()
    assert "x01000" in names(logs)["@logs/a.jsonl"]


def test_a_very_long_line_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "MAX_LINE", 1000)
    data = session("u1") + line(claude("user", "long", "x" * 3_000_000)) + session("u2")
    (found,) = indexed({"a.jsonl": data})[0].values()
    assert [(c.start_line, c.text) for c in found] == [(1, "User: message u1"), (3, "User: message u2")]


# --- what stands in a folder ----------------------------------------------------------------------------


def test_a_log_is_known_by_its_content_whatever_its_name() -> None:
    logs: dict[str, str | bytes] = {
        "chat": session("u1"),
        "chat.txt": session("u2"),
        "x.log.1": session("u3"),
        "notes.md": session("u4"),
    }
    binary: dict[str, str | bytes] = {
        "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00" + os.urandom(5000),
        "empty": b"",
        "prose.txt": "hello\nyou\n",
    }
    files, problems = indexed({**logs, **binary})
    assert problems == []
    assert {path for path, found in files.items() if found} == {"@logs/chat", "@logs/chat.txt", "@logs/x.log.1"}


def test_a_chat_of_gemini_belongs_to_the_project_of_its_folder(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    chat = line(gemini("1", "user", "hello"))
    write_vault(logs.folder, {"my-app/chats/session-1.jsonl": chat, f"{'a' * 64}/chats/session-2.jsonl": chat})
    logs.sync()
    projects = {talk.path.split("/")[1]: talk.note.project for talk in logs.index.conversations("@logs/")}
    assert projects == {"my-app": "my-app", "a" * 64: None}


def test_one_poison_log_among_many_stops_nothing(tmp_path: Path) -> None:
    count = times(60, 999)
    logs = Logs(tmp_path)
    write_vault(logs.folder, {f"{i:04}.jsonl": session(f"u{i}") for i in range(count)})
    (logs.folder / "0010x.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    (logs.folder / "0011x.jsonl").write_bytes(b'{"type":"user","uuid":"' + b"[" * 100_000 + b"\n" + os.urandom(9000))
    unreadable = logs.folder / "0012x.jsonl"
    unreadable.write_text(session("never"))
    unreadable.chmod(0)
    problems = logs.sync()
    assert len(logs.said()) == count + (os.geteuid() == 0)
    assert any("database" in sentence for sentence in problems)


def test_secrets_are_not_in_the_index_and_not_shown(memoro: Memoro, home: Path, tmp_path: Path) -> None:
    data = line(claude("user", "u1", f"my key is {SECRET} for the parser")) + session("u2", "u3")
    write_vault(tmp_path / "logs", {"a.jsonl": data})
    memoro("transcripts", "add", str(tmp_path / "logs"))
    hit = memoro("search", "--mode", "words", "--json", "key parser").json["results"][0]
    assert "[redacted:" in hit["snippet"]
    shown = memoro("get", hit["id"]).out + memoro("get", hit["id"], "--json").out + memoro("search", "key").out
    assert SECRET not in shown
    for file in filter(Path.is_file, home.rglob("*")):
        assert SECRET.encode() not in file.read_bytes(), file.name


def test_logs_of_every_format_are_never_changed(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    db = opencode_database(logs.folder / "opencode.db")
    add_message(db, "m1", "user", *text("hello"))
    write_vault(
        logs.folder,
        {
            "c.jsonl": "".join(map(line, CLAUDE)), "o.jsonl": "".join(map(line, OPENCLAW)),
            "x.json": json.dumps(CHATGPT), "g.jsonl": line(gemini("1", "user", "hello")),
        },
    )  # fmt: skip
    before = fingerprint(logs.folder), {f.name: f.stat().st_mtime_ns for f in logs.folder.iterdir()}
    logs.sync()
    logs.sync()
    assert (fingerprint(logs.folder), {f.name: f.stat().st_mtime_ns for f in logs.folder.iterdir()}) == before
    db.close()


# --- through the command --------------------------------------------------------------------------------


@pytest.fixture
def claude_home(tmp_path: Path) -> Path:
    """What Claude Code keeps, with two projects."""
    projects = tmp_path / "claude" / "projects"
    talk = [claude("user", "u1", "Which oolong is best?"), claude("assistant", "a1", text("Oolong from Fujian."))]
    other = [claude("user", "p1", "Is oolong a tea?", cwd="/w/shop")]
    more = [claude("user", f"m{i}", f"step {i}") for i in range(6)]
    write_vault(
        projects,
        {
            "-w-my-app/s1.jsonl": "".join(map(line, [*talk, *more])),
            "-w-shop/s2.jsonl": "".join(map(line, other)),
            "-w-my-app/s1/subagents/agent-1.jsonl": session("oolong"),
        },
    )
    return tmp_path / "claude"


def found(memoro: Memoro, *arguments: str) -> Any:
    return memoro("search", "--json", "--mode", "words", *arguments).json["results"]


def test_the_logs_of_an_agent_are_found_where_it_keeps_them(memoro: Memoro, claude_home: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": str(claude_home)}
    added = memoro("transcripts", "add", "claude", "--json", env=env).json
    assert added["folders"] == [str(claude_home / "projects")]
    (source,) = added["sources"]
    assert (source["source"], source["conversations"], source["messages"]) == ("claude", 2, 9)

    def search(*arguments: str) -> Any:
        return memoro("search", "--json", "--mode", "words", "oolong", *arguments, env=env).json["results"]

    assert {hit["path"] for hit in search()} == {"@claude/-w-my-app/s1.jsonl", "@claude/-w-shop/s2.jsonl"}
    assert {hit["path"] for hit in search("--project", "shop")} == {"@claude/-w-shop/s2.jsonl"}
    assert search("--agent", "codex") == []
    hit = search("--agent", "claude", "--project", "my.app")[0]
    assert (hit["agent"], hit["project"], hit["title"]) == ("claude", "/w/my.app", "Which oolong is best?")
    assert (hit["kind"], hit["locator"], hit["date"]) == ("transcript", "line", "2026-11-01")
    assert memoro("transcripts", "remove", "claude", "--json", env=env).json["folders"] == []


@pytest.mark.parametrize(
    ("host", "environment", "folder"),
    [
        ("claude", {"HOME": "/h"}, "/h/.claude/projects"),
        ("claude", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "/c/projects"),
        ("codex", {"HOME": "/h"}, "/h/.codex"),
        ("codex", {"HOME": "/h", "CODEX_HOME": "/c"}, "/c"),
        ("gemini", {"HOME": "/h"}, "/h/.gemini/tmp"),
        ("openclaw", {"HOME": "/h"}, "/h/.openclaw/agents"),
        ("opencode", {"HOME": "/h"}, "/h/.local/share/opencode"),
        ("opencode", {"HOME": "/h", "XDG_DATA_HOME": "/x"}, "/x/opencode"),
        ("opencode", {"HOME": "/h", "OPENCODE_DB": "/d/mine.db"}, "/d"),
    ],
)
def test_agents_variables_say_where_their_logs_are(host: str, environment: dict[str, str], folder: str) -> None:
    assert agent_folder(host, environment).folder == folder


@pytest.mark.parametrize(
    ("host", "path", "meant"),
    [
        ("codex", "sessions/2026/11/01/rollout-1.jsonl", True),
        ("codex", "archived_sessions/rollout-1.jsonl.zst", True),
        ("codex", "history.jsonl", False), ("codex", "auth.json", False), ("codex", "log/codex-tui.log", False),
        ("gemini", "app/chats/session-1.jsonl", True), ("gemini", "app/logs.json", False),
        ("openclaw", "main/sessions/s.jsonl.reset.1", True), ("openclaw", "main/agent/auth-profiles.json", False),
        ("openclaw", "main/agent/openclaw-agent.sqlite", True), ("opencode", "opencode.db", True),
        ("opencode", "auth.json", False), ("opencode", "opencode.db-wal", False),
    ],
)  # fmt: skip
def test_of_what_an_agent_keeps_only_logs_are_looked_at(host: str, path: str, meant: bool) -> None:
    assert agent_folder(host, {"HOME": "/h"}).admits(path) is meant


def test_older_logs_can_be_left_out(memoro: Memoro, home: Path, tmp_path: Path) -> None:
    logs = write_vault(tmp_path / "logs", {"old.jsonl": session("old"), "new.jsonl": session("new")})
    os.utime(logs / "old.jsonl", (1_700_000_000, 1_700_000_000))
    (source,) = memoro("transcripts", "add", str(logs), "--since", "2024-01", "--json").json["sources"]
    assert (source["since"], source["conversations"]) == ("2024-01-01", 1)
    assert f'folders = ["{logs} since 2024-01-01"]' in (home / "memoro.toml").read_text()
    assert [hit["path"] for hit in found(memoro, "message")] == ["@logs/new.jsonl"]
    assert "since 2024-01-01" in memoro("transcripts", "list").out
    assert memoro("transcripts", "add", str(logs), "--since", "no day").code != 0


def test_an_entry_of_the_setting_is_written_as_it_is_read() -> None:
    for entry in (LogSource("claude"), LogSource("claude", "2026-01-01"), LogSource("/a b/since x", "2026-01-01")):
        assert LogSource.parse(str(entry)) == entry
    assert LogSource.parse("/logs since yesterday") == LogSource("/logs since yesterday")


def test_results_can_be_grouped_by_conversation(memoro: Memoro, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"tea.md": "oolong tea\n"})
    long = "".join(line(claude("user", f"u{i}", f"oolong {i}")) for i in range(8))
    write_vault(tmp_path / "logs", {"a.jsonl": long, "b.jsonl": line(claude("user", "v", "oolong tea"))})
    memoro("transcripts", "add", str(tmp_path / "logs"))
    grouped = found(memoro, "oolong", "--group", "conversation")
    assert sorted((hit["path"], hit["count"]) for hit in grouped) == [
        ("@logs/a.jsonl", 8), ("@logs/b.jsonl", 1), ("tea.md", 1),
    ]  # fmt: skip
    assert len(found(memoro, "oolong", "--group", "conversation", "-n", "2")) == 2
    assert "(8 passages)" in memoro("search", "--mode", "words", "oolong", "--group", "conversation").out
    assert memoro("search", "oolong", "--group", "speaker").code != 0


def test_get_shows_the_conversation_around_a_hit(memoro: Memoro, claude_home: Path) -> None:
    memoro("transcripts", "add", str(claude_home / "projects"))
    hit = found(memoro, "Fujian")[0]
    shown = memoro("get", hit["id"], "--json").json
    assert shown["text"] == "Assistant: Oolong from Fujian."
    assert [(turn["line"], turn["text"]) for turn in shown["around"]] == [
        (1, "Which oolong is best?"), (2, "Oolong from Fujian."), (3, "step 0"), (4, "step 1"),
    ]  # fmt: skip
    assert len(memoro("get", hit["id"], "--around", "1", "--json").json["around"]) == 3
    assert memoro("get", hit["id"], "--around", "0").out == "Assistant: Oolong from Fujian.\n"
    out = memoro("get", hit["id"]).out
    assert ">    2  Assistant: Oolong from Fujian." in out
    assert "     1  User: Which oolong is best?" in out


def test_a_message_without_a_line_is_named_by_its_number(memoro: Memoro, tmp_path: Path) -> None:
    write_vault(tmp_path / "logs", {"conversations.json": json.dumps(CHATGPT)})
    memoro("transcripts", "add", str(tmp_path / "logs"))
    hit = found(memoro, "done")[0]
    assert (hit["locator"], hit["start_line"], hit["agent"], hit["title"]) == ("message", 6, "chatgpt", "Parser work")
    assert hit["conversation"] == hit["path"] == "@logs/conversations.json//c-Parser_work"
    assert memoro("get", hit["id"], "--json").json["text"] == "Assistant: Done."
    assert memoro("get", f"{hit['path']}:2", "--json").json["text"] == "User: Fix the parser"
    assert "message 6" in memoro("search", "--mode", "words", "done").out
    assert memoro("status", "--json").json["dirty"] == []


def test_status_and_doctor_see_what_a_sync_would(memoro: Memoro, tmp_path: Path) -> None:
    logs = write_vault(
        tmp_path / "logs", {"a.jsonl": session("u1", "u2"), "b.json": json.dumps(CHATGPT), "c": b"\x00"}
    )
    memoro("transcripts", "add", str(logs))
    assert memoro("status", "--json").json["dirty"] == []
    with (logs / "a.jsonl").open("a") as handle:
        handle.write(session("u3")[:-1])
    assert memoro("status", "--json").json["dirty"] == [], "a line without an end is not said yet"
    with (logs / "a.jsonl").open("a") as handle:
        handle.write("\n")
    assert memoro("status", "--json").json["dirty"] == [
        {"path": "@logs/a.jsonl", "why": "grown", "bytes": len(session("u3")), "due": False}
    ]
    memoro("sync")
    report = memoro("sync", "--json").json
    assert (report["added"], report["changed"], report["transcripts"]) == (0, 0, 3)
    assert memoro("doctor").code == 0


def test_a_message_that_was_forgotten_is_hidden_for_good(memoro: Memoro, home: Path, claude_home: Path) -> None:
    logs = claude_home / "projects"
    before = fingerprint(logs)
    memoro("transcripts", "add", str(logs))
    hit = found(memoro, "Which oolong is best")[0]
    assert hit["title"] == "Which oolong is best?"
    assert memoro("forget", hit["id"]).code != 0, "it needs consent"
    assert found(memoro, "Which oolong is best")[0]["id"] == hit["id"]
    done = memoro("forget", hit["id"], "--yes", "--json")
    assert done.json["done"] is True, done.err
    for again in (("sync",), ("sync", "--force")):
        memoro(*again)
        results = found(memoro, "oolong")
        assert hit["id"] not in {one["id"] for one in results}
        assert {one["path"] for one in results} == {"@projects/-w-my-app/s1.jsonl", "@projects/-w-shop/s2.jsonl"}
        assert all("best" not in json.dumps(one) for one in results)
    with (logs / "-w-my-app" / "s1.jsonl").open("a") as handle:
        handle.write(
            line(claude("user", "u9", "And oolong in winter?")) + line(claude("user", "c", "Which oolong is best?"))
        )
    assert found(memoro, "oolong winter")[0]["snippet"] == "User: And oolong in winter?"
    assert all("best" not in json.dumps(one) for one in found(memoro, "oolong", "-n", "50"))
    for target in ("@projects/-w-my-app/s1.jsonl", hit["path"] + f":{hit['start_line']}"):
        read = memoro("get", target, "--around", "5", "--json")
        assert "(a forgotten message)" in read.out and "Which oolong is best" not in read.out
    for file in filter(Path.is_file, home.rglob("*")):
        assert b"Which oolong is best" not in file.read_bytes(), file.name
    assert {name: data for name, data in fingerprint(logs).items() if "s1" not in name or "sub" in name} == {
        name: data for name, data in before.items() if "s1" not in name or "sub" in name
    }


def test_what_was_forgotten_before_a_crash_is_hidden_by_the_next_sync(
    memoro: Memoro, home: Path, tmp_path: Path
) -> None:
    import memoro as library
    from memoro.model.memories import stamp

    write_vault(tmp_path / "logs", {"a.jsonl": session("u1", "u2")})
    memoro("transcripts", "add", str(tmp_path / "logs"))
    with library.open(home, tmp_path / "vault") as m:
        access = m.ledger.access
        with access.ledger.writing() as tx:  # all that a forget has done when it dies at once
            at = stamp(access.now())
            tx.forgotten.add(access.digest(tx, "User: message u1"), at)
            tx.journal.add(forgetting("transcript", "@logs/a.jsonl", at))
    assert [hit["start_line"] for hit in found(memoro, "message")] == [2]


def test_a_log_that_is_misspelled_is_suggested_as_it_is_called(memoro: Memoro, claude_home: Path) -> None:
    memoro("transcripts", "add", str(claude_home / "projects"))
    memoro("sync")
    missed = memoro("get", "@projects/-w-my-ap/s1.jsonl:1")
    assert missed.code != 0 and "Did you mean '@projects/-w-my-app/s1.jsonl'?" in missed.err
