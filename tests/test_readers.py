"""Each format of conversation log: what is kept of it, what is left out, and that no bytes make reading fail."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.fence import FENCE_CLOSE, FENCE_OPEN
from memoro.transcripts import readers
from memoro.transcripts.ports import LogFacts, NumberedLine, Rewind, Turn, Unread
from memoro.vault.logs import rewind
from tests.conftest import times
from tests.logs import Logs, indexed

TIME = "2026-11-01T10:00:00.000Z"
DAY = "2026-11-01"
FENCED = f"{FENCE_OPEN} source='recall'>\nThe user likes oolong.\n{FENCE_CLOSE}"


def line(record: object) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def read(*records: object, reader: str) -> tuple[list[tuple[str, str, int]], LogFacts]:
    """Speaker, text and line of every turn, and what the log says about itself."""
    data = "".join(map(line, records)).encode()
    found = readers.recognise_lines(data)
    assert found is not None
    assert found.name == reader
    about = LogFacts()
    said: list[Turn] = []
    for turn in found.turns(numbered(data), about):
        if isinstance(turn, Rewind):
            rewind(said, turn)
        else:
            said.append(turn)
    return [(turn.speaker, turn.text, turn.line) for turn in said], about


def numbered(data: bytes) -> Iterator[NumberedLine]:
    return iter(list(enumerate(data.split(b"\n")[:-1], 1)))


# --- Claude Code ----------------------------------------------------------------------------------------


def claude(kind: str, uuid: str, content: object, **more: object) -> dict[str, Any]:
    return {
        "type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "S", "timestamp": TIME, "cwd": "/w/my.app",
        "gitBranch": "main", "version": "2.1.300", "isSidechain": False, "userType": "external",
        "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip


def text(said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": said}]


CLAUDE = [
    {"type": "summary", "summary": "Parser work", "leafUuid": "x"},
    claude("user", "u1", "Fix the parser"),
    claude("assistant", "a1", text("Looking.")),
    claude("assistant", "a2", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls secret"}}]),
    claude("user", "r1", [{"type": "tool_result", "tool_use_id": "t", "content": "a.py"}], toolUseResult={}),
    claude("assistant", "a3", [{"type": "thinking", "thinking": "hmm"}]),
    {"type": "system", "subtype": "compact_boundary", "uuid": "b1", "content": "Conversation compacted"},
    claude("user", "c1", "This session is being continued", isCompactSummary=True),
    claude("user", "m1", "Caveat: injected", isMeta=True),
    claude("user", "s1", "a subagent's task", isSidechain=True),
    claude("user", "u2", f"And the lexer?\n{FENCED}\n<system-reminder>be kind</system-reminder>"),
    claude("assistant", "a4", [*text("It is fine."), {"type": "tool_use", "id": "t2", "name": "Bash", "input": {}}]),
    {"type": "ai-title", "aiTitle": "Fixing the parser", "sessionId": "S"},
]


def test_claude_gives_the_words_of_both_sides_and_nothing_else() -> None:
    found, about = read(*CLAUDE, reader="claude")
    assert found == [
        ("User", "Fix the parser", 2),
        ("Assistant", "Looking.", 3),
        ("User", "And the lexer?", 11),
        ("Assistant", "It is fine.", 12),
    ]
    assert about.known["folder"] == "/w/my.app"
    assert about.title("custom", "ai") == "Fixing the parser"


@pytest.mark.parametrize(
    "said",
    [
        "<local-command-stdout>x</local-command-stdout>", "<command-name>/clear</command-name>", "<tick>1</tick>",
        "<session-start-hook>x", "<goal>x</goal>", "[Request interrupted by user]", "<ide_opened_file>x",
        "<ide_selection>x", "<system-reminder>x</system-reminder>", "<system-reminder>never closed", FENCED,
    ],
)  # fmt: skip
def test_claude_leaves_out_what_the_user_did_not_type(said: str) -> None:
    for content in (said, text(said)):
        assert read(claude("user", "u", content), claude("user", "v", "real"), reader="claude")[0] == [
            ("User", "real", 2)
        ]


def test_claude_finds_text_beside_what_a_tool_gave() -> None:
    parts = [{"type": "tool_result", "tool_use_id": "t", "content": "payload"}, *text("and my own words")]
    assert read(claude("user", "u", parts), reader="claude")[0] == [("User", "and my own words", 1)]
    nested = [{"type": "tool_result", "tool_use_id": "t", "content": text("payload")}]
    assert read(claude("user", "u", nested), reader="claude")[0] == []


@pytest.mark.parametrize("spaces", [(",", ":"), (", ", ": ")])
def test_claude_is_read_however_the_json_is_spaced(spaces: tuple[str, str]) -> None:
    data = "".join(json.dumps(record, separators=spaces) + "\n" for record in CLAUDE).encode()
    found = readers.recognise_lines(data)
    assert found is not None
    assert len(list(found.turns(numbered(data), LogFacts()))) == 4


# --- Codex ----------------------------------------------------------------------------------------------


def codex(kind: str, **payload: object) -> dict[str, Any]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


def item(role: str, said: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex("response_item", type="message", role=role, content=[{"type": kind, "text": said}])


def typed(said: str) -> dict[str, Any]:
    return codex("event_msg", type="user_message", message=said, images=[], local_images=[])


def completed(said: str) -> dict[str, Any]:
    kept = {"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": said}]}
    return codex("event_msg", type="item_completed", item=kept)


META = codex("session_meta", id="T", session_id="T", cwd="/w/parser", source="cli", history_mode="legacy")
TOOLS = [
    codex("response_item", type="function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="c1"),
    codex("response_item", type="function_call_output", call_id="c1", output="a.py"),
    codex("response_item", type="reasoning", encrypted_content="xxxx"),
    codex("turn_context", turn_id="1", cwd="/w", model="gpt"),
]
EXPECTED = [("User", "Fix the parser"), ("Assistant", "Done."), ("User", "Thanks"), ("Assistant", "Welcome.")]


def said_by(*records: object, reader: str) -> list[tuple[str, str]]:
    return [(speaker, words) for speaker, words, _ in read(*records, reader=reader)[0]]


@pytest.mark.parametrize("confirmed", [typed, completed])
def test_codex_counts_what_was_said_once_in_both_modes(confirmed: Callable[[str], dict[str, Any]]) -> None:
    agent = codex("event_msg", type="agent_message", message="Done.")
    log = [
        META, item("developer", "rules"), item("user", "<environment_context>x</environment_context>"),
        item("user", "# AGENTS.md instructions for /w"), item("user", "an injected text nobody knows"),
        item("user", "Fix the parser"), confirmed("Fix the parser"), *TOOLS, item("assistant", "Done."), agent,
        item("user", "injected again"), item("user", "Thanks"), confirmed("Thanks"), item("assistant", "Welcome."),
    ]  # fmt: skip
    assert said_by(*log, reader="codex") == EXPECTED
    found, about = read(*log, reader="codex")
    assert [number for _, _, number in found] == [6, 12, 15, 17]
    assert (about.known["folder"], about.known["first"]) == ("/w/parser", "Fix the parser")


def test_codex_without_events_goes_by_how_texts_begin() -> None:
    log = [META, item("user", "<user_instructions>x"), item("user", "Fix the parser"), item("assistant", "Done.")]
    assert said_by(*log, reader="codex") == EXPECTED[:2]


def test_codex_takes_back_turns_that_were_rolled_back() -> None:
    back = codex("event_msg", type="thread_rolled_back", num_turns=1)
    first = [item("user", "Fix the parser"), typed("Fix the parser"), item("assistant", "Done.")]
    wrong = [item("user", "no"), typed("no"), item("assistant", "Hm.")]
    assert said_by(META, *first, *wrong, back, reader="codex") == EXPECTED[:2]
    assert said_by(META, *first, back, back, back, reader="codex") == []


def test_codex_leaves_out_what_subagents_did() -> None:
    meta = codex("session_meta", id="T", source={"subagent": "review"})
    assert said_by(meta, item("user", "x"), typed("x"), item("assistant", "y"), reader="codex") == []


# --- Gemini ---------------------------------------------------------------------------------------------


def gemini(name: str, kind: str, content: object, **more: object) -> dict[str, Any]:
    return {"id": name, "timestamp": TIME, "type": kind, "content": content, **more}


GEMINI_META = {"sessionId": "G", "projectHash": "h", "startTime": TIME, "lastUpdated": TIME, "kind": "main"}


def test_gemini_applies_its_records_in_order() -> None:
    log = [
        GEMINI_META,
        gemini("1", "user", [{"text": "Fix the"}, {"text": "parser"}]),
        gemini("2", "gemini", "Loo", toolCalls=[{"id": "c", "name": "ls", "result": "a.py"}]),
        gemini("2", "gemini", "Looking.", thoughts=[{"subject": "s", "description": "d"}]),
        gemini("3", "info", "update available"),
        gemini("4", "user", "a mistake"),
        gemini("5", "gemini", "about the mistake"),
        {"$rewindTo": "4"},
        gemini("6", "user", "/clear"),
        gemini("7", "user", "Thanks"),
        gemini("8", "gemini", [{"text": "thinking", "thought": True}, {"functionCall": {}}, {"text": "Welcome."}]),
        {"$set": {"summary": "Parser fixed", "lastUpdated": TIME, "directories": ["/w/parser"]}},
    ]
    found, about = read(*log, reader="gemini")
    assert found == [
        ("User", "Fix the\nparser", 2), ("Assistant", "Looking.", 4), ("User", "Thanks", 10),
        ("Assistant", "Welcome.", 11),
    ]  # fmt: skip
    assert (about.title("summary"), about.known["folder"]) == ("Parser fixed", "/w/parser")


def test_gemini_messages_can_be_replaced_whole_and_taken_back_whole() -> None:
    fresh = {"$set": {"messages": [gemini("9", "user", "only this")]}}
    log = [GEMINI_META, gemini("1", "user", "one"), gemini("2", "gemini", "two"), fresh]
    assert said_by(*log, reader="gemini") == [("User", "only this")]
    assert said_by(*log, {"$rewindTo": "unknown"}, reader="gemini") == []


def test_a_gemini_document_is_counted_by_messages() -> None:
    messages = [gemini("1", "user", "Fix the parser"), gemini("2", "info", "x"), gemini("3", "gemini", "Done.")]
    for indent in (None, 2):
        data = json.dumps({**GEMINI_META, "messages": messages}, indent=indent)
        files, problems = indexed({"p/chats/session-1.json": data})
        assert problems == []
        chunks = files["@logs/p/chats/session-1.json//G"]
        assert [(c.start_line, c.text, c.date) for c in chunks] == [
            (1, "User: Fix the parser", DAY), (3, "Assistant: Done.", DAY),
        ]  # fmt: skip


# --- OpenClaw -------------------------------------------------------------------------------------------


def openclaw(name: str, role: str, content: object) -> dict[str, Any]:
    message = {"role": role, "content": content, "timestamp": 1793527200000}
    return {"type": "message", "id": name, "parentId": None, "timestamp": TIME, "message": message}


OPENCLAW = [
    {"type": "session", "version": 3, "id": "S1", "timestamp": TIME, "cwd": "/home/me/garden"},
    openclaw("e1", "user", text("hi")),
    openclaw("e2", "assistant", [*text("hello"), {"type": "toolCall", "id": "t1", "name": "exec", "arguments": {}}]),
    openclaw("e3", "toolResult", text("payload")),
    {"type": "compaction", "id": "e4", "summary": "summed up", "firstKeptEntryId": "e2"},
    {"type": "custom_message", "id": "e5", "message": {"role": "user", "content": "context"}},
    openclaw("e6", "assistant", "NO_REPLY"),
    openclaw("e7", "assistant", "HEARTBEAT_OK"),
    openclaw("e8", "user", "plain text"),
]
OPENCLAW_SAID = [("User", "hi"), ("Assistant", "hello"), ("User", "plain text")]


def test_openclaw_gives_the_words_of_both_sides_and_nothing_else() -> None:
    found, about = read(*OPENCLAW, reader="openclaw")
    assert found == [("User", "hi", 2), ("Assistant", "hello", 3), ("User", "plain text", 9)]
    assert about.known["folder"] == "/home/me/garden"


def openclaw_database(file: Path, *, columns: str = "session_id TEXT, seq INTEGER, event_json TEXT") -> None:
    db = apsw.Connection(str(file))
    db.execute(f"CREATE TABLE transcript_events ({columns})")
    for number, record in enumerate(OPENCLAW):
        db.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json) VALUES (?, ?, ?)",
            ("S1", number, json.dumps(record)),
        )
    db.close()


def test_openclaw_in_a_database_says_the_same(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    openclaw_database(logs.folder / "openclaw-agent.sqlite")
    assert logs.sync() == []
    found = logs.said()["@logs/openclaw-agent.sqlite//S1"]
    assert [words for _, words in found] == [f"{speaker}: {words}" for speaker, words in OPENCLAW_SAID]


def test_a_log_its_archive_and_the_database_count_once(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    data = "".join(map(line, OPENCLAW))
    (logs.folder / "S1.jsonl").write_text(data)
    (logs.folder / "S1.jsonl.reset.2026-11-02").write_text(data)
    openclaw_database(logs.folder / "openclaw-agent.sqlite")
    logs.sync()
    assert sum(map(len, logs.said().values())) == 3
    (logs.folder / "S1.jsonl").unlink()
    logs.sync()
    assert sum(map(len, logs.said().values())) == 3, "what one file loses, the next one has"


# --- OpenCode -------------------------------------------------------------------------------------------


def opencode_database(file: Path) -> apsw.Connection:
    db = apsw.Connection(str(file))
    db.pragma("journal_mode", "wal")
    db.execute(
        """
        CREATE TABLE session (id, project_id, parent_id, directory, title, version, time_created, time_updated);
        CREATE TABLE message (id, session_id, time_created, time_updated, data);
        CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)"""
    )
    for name, parent in (("ses_1", None), ("ses_2", "ses_1")):
        db.execute("INSERT INTO session VALUES (?, 'p', ?, '/w/parser', 'Parser work', '1', 1, 1)", (name, parent))
    return db


def add_message(db: apsw.Connection, name: str, role: str, *parts: dict[str, Any], **more: object) -> None:
    number = db.execute("SELECT count(*) FROM message").get
    data = json.dumps({"role": role, "time": {"created": 1793527200000 + number}, **more})
    db.execute("INSERT INTO message VALUES (?, 'ses_1', ?, 1, ?)", (name, number, data))
    for i, part in enumerate(parts):
        db.execute(
            "INSERT INTO part VALUES (?, ?, 'ses_1', ?, 1, ?)",
            (f"prt_{name}_{i}", name, i, json.dumps(part, separators=(",", ":"))),
        )


def test_opencode_is_read_with_what_is_not_in_its_file_yet(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    db = opencode_database(logs.folder / "opencode.db")
    add_message(db, "msg_1", "user", *text("Fix the parser"), {"type": "text", "text": "file", "synthetic": True})
    tool = {"type": "tool", "tool": "bash", "state": {"status": "completed", "output": "payload"}}
    add_message(db, "msg_2", "assistant", {"type": "reasoning", "text": "hm"}, tool, *text("Done."), *text("Really."))
    add_message(db, "msg_3", "assistant", *text("summed up"), summary=True)
    before = {f.name: f.read_bytes() for f in logs.folder.iterdir()}
    assert logs.sync() == []
    path = "@logs/opencode.db//ses_1"
    assert logs.said() == {path: [(1, "User: Fix the parser"), (2, "Assistant: Done.\nReally.")]}
    note = logs.index.notes([path])[path].note
    assert (note.title, note.project, note.agent, note.date) == ("Parser work", "parser", "opencode", DAY)
    add_message(db, "msg_4", "user", *text("Thanks"))
    assert logs.sync() == []
    assert [number for number, _ in logs.said()[path]] == [1, 2, 4]
    assert before.keys() == {f.name for f in logs.folder.iterdir()}
    db.close()


# --- ChatGPT --------------------------------------------------------------------------------------------


def node(name: str, parent: str | None, role: str, *parts: object, **more: object) -> dict[str, Any]:
    message = {
        "id": f"m-{name}", "author": {"role": role}, "create_time": 1793527200.5, "recipient": "all", "metadata": {},
        "content": {"content_type": "text", "parts": list(parts)}, **more,
    }  # fmt: skip
    return {"id": name, "parent": parent, "children": [], "message": message}


def export(*nodes: dict[str, Any], current: str, title: str = "Parser work") -> dict[str, Any]:
    root: dict[str, Any] = {"id": "root", "parent": None, "children": [], "message": None}
    mapping = {one["id"]: one for one in (root, *nodes)}
    return {
        "title": title, "create_time": 1793527200.0, "conversation_id": f"c-{title}", "current_node": current,
        "mapping": mapping,
    }  # fmt: skip


CHATGPT = [
    export(
        node("s", "root", "system", "be kind"),
        node("a", "s", "user", "Fix the parser", {"asset_pointer": "file"}),
        node("b", "a", "assistant", "an answer given up"),
        node("c", "a", "assistant", "search()", recipient="browser"),
        node("d", "c", "tool", "payload"),
        node("h", "d", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
        node("e", "h", "assistant", "Done."),
        current="e",
    ),
    export(node("x", "root", "user", "Another"), current="x", title="Second"),
]


@pytest.mark.parametrize("indent", [None, 1])
def test_an_export_of_chatgpt_gives_each_conversation_as_it_was_shown(indent: int | None) -> None:
    files, problems = indexed({"conversations.json": json.dumps(CHATGPT, indent=indent)})
    assert problems == []
    said = {path: [(c.start_line, c.text) for c in found] for path, found in files.items() if found}
    assert said == {
        "@logs/conversations.json//c-Parser_work": [(2, "User: Fix the parser"), (6, "Assistant: Done.")],
        "@logs/conversations.json//c-Second": [(1, "User: Another")],
    }


def test_a_newer_export_beside_an_older_one_counts_only_what_is_new(tmp_path: Path) -> None:
    logs = Logs(tmp_path)
    (logs.folder / "2026-01.json").write_text(json.dumps(CHATGPT[:1]))
    (logs.folder / "2026-02.json").write_text(json.dumps(CHATGPT))
    logs.sync()
    assert sum(map(len, logs.said().values())) == 3


# --- packed logs ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which("zstd"), reason="needs the command zstd")
@pytest.mark.process
def test_a_packed_log_is_read_and_not_counted_beside_the_plain_one(tmp_path: Path) -> None:
    pytest.importorskip("backports.zstd")
    logs = Logs(tmp_path)
    data = "".join(map(line, [META, item("user", "Fix the parser"), typed("Fix the parser")])).encode()
    plain = logs.folder / "rollout-1.jsonl"
    plain.write_bytes(data)
    subprocess.run(["zstd", "-q", "-k", str(plain)], check=True)
    assert logs.sync() == []
    assert logs.said() == {"@logs/rollout-1.jsonl": [(2, "User: Fix the parser")]}
    plain.unlink()
    assert logs.sync() == []
    assert logs.said() == {"@logs/rollout-1.jsonl.zst": [(2, "User: Fix the parser")]}


def test_a_packed_log_without_the_extra_is_reported_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoro.transcripts import zstd

    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    logs = Logs(tmp_path)
    (logs.folder / "a.jsonl.zst").write_bytes(zstd.MAGIC + b"\x00" * 20)
    (logs.folder / "b.jsonl").write_text("".join(map(line, CLAUDE)))
    (problem,) = logs.sync()
    assert "memoro[zstd]" in problem
    assert len(logs.said()["@logs/b.jsonl"]) == 4


# --- any bytes, and any growth --------------------------------------------------------------------------

SAMPLES: dict[str, list[Any]] = {
    "claude": CLAUDE,
    "codex": [META, item("user", "a"), typed("a"), *TOOLS, item("assistant", "b"), completed("c"), item("user", "d")],
    "gemini": [GEMINI_META, gemini("1", "user", "a"), {"$rewindTo": "1"}, {"$set": {"messages": []}}],
    "openclaw": OPENCLAW,
    "plain": [{"role": "user", "content": "a", "timestamp": TIME}],
}
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def broken(draw: st.DrawFn, sample: list[Any]) -> bytes:
    """Records with values put in at random places, cut and mixed with bytes."""

    def spoil(value: Any) -> Any:
        if draw(st.integers(0, 12)) == 0:
            return draw(junk)
        if isinstance(value, dict):
            return {key: spoil(inner) for key, inner in value.items()}
        return [spoil(inner) for inner in value] if isinstance(value, list) else value

    lines = [json.dumps(spoil(record)).encode() for record in draw(st.lists(st.sampled_from(sample), max_size=6))]
    lines = [one[: draw(st.integers(0, len(one)))] if draw(st.integers(0, 5)) == 0 else one for one in lines]
    return b"\n".join((*lines, draw(st.binary(max_size=20)), b""))


@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
def test_no_bytes_make_a_reader_of_lines_fail(name: str, data: st.DataObject) -> None:
    reader = next(one for one in readers.LINES if one.name == name)
    assert reader is not None
    log = data.draw(broken(SAMPLES[name]))
    readers.recognise_lines(log)
    for turn in reader.turns(numbered(log), LogFacts()):
        if isinstance(turn, Turn):
            assert turn.text.strip() == turn.text != ""
            turn.text.encode()
            (turn.id or "").encode()


@given(data=st.data())
def test_no_bytes_make_a_reader_of_documents_fail(data: st.DataObject) -> None:
    document = {**GEMINI_META, "messages": [gemini("1", "user", "a"), gemini("2", "gemini", [{"text": "b"}])]}
    sample = data.draw(st.sampled_from([CHATGPT, [document]]))
    log = data.draw(broken([sample, sample[0]])) if data.draw(st.booleans()) else data.draw(st.binary(max_size=80))
    for reader in readers.DOCUMENTS:
        reader.recognises(log)
        for one in reader.conversations(log):
            if isinstance(one, Unread):
                assert one.why.endswith(".")
                continue
            one.id.encode("utf-8", "replace")
            assert all(turn.text for turn in one.turns)


@given(data=st.data())
def test_no_values_make_a_reader_of_databases_fail(data: st.DataObject) -> None:
    db = apsw.Connection(":memory:")
    db.execute(
        """CREATE TABLE session (id, parent_id, directory, title, time_created);
           CREATE TABLE message (id, session_id, time_created, data);
           CREATE TABLE part (id, message_id, session_id, time_created, data);
           CREATE TABLE transcript_events (session_id, seq, event_json, event_zstd)"""
    )
    good = st.sampled_from([json.dumps(one) for one in OPENCLAW] + ['{"role":"user"}', '{"type":"text","text":"x"}'])
    value = st.none() | st.integers(-5, 5) | st.text(max_size=5) | st.binary(max_size=5) | good
    for table, width in (("session", 5), ("message", 4), ("part", 5), ("transcript_events", 4)):
        for row in data.draw(st.lists(st.tuples(*[value] * width), max_size=3)):
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", row)
    for reader in readers.DATABASES:
        assert all(turn.text for one in reader.conversations(db) for turn in one.turns)


@given(st.binary(max_size=200).map(lambda tail: b"SQLite format 3\x00" + tail) | st.binary(max_size=60))
def test_no_file_stops_a_sync(data: bytes) -> None:
    good = "".join(map(line, CLAUDE))
    files, _ = indexed({"a.db": data, "b.jsonl": data, "c.jsonl.zst": b"\x28\xb5\x2f\xfd" + data, "z.jsonl": good})
    assert len(files["@logs/z.jsonl"]) == 4


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_that_grows_byte_by_byte_is_as_if_read_at_once(name: str, tmp_path: Path) -> None:
    """At every length, what was read bit by bit is what a fresh reading of the same bytes gives."""
    data = "".join(map(line, SAMPLES[name] * 2)).encode()
    logs, fresh = Logs(tmp_path), tmp_path / "fresh"
    fresh.mkdir()
    file = logs.folder / "log"
    step = max(1, len(data) // times(60, len(data)))
    for size in range(0, len(data) + step, step):
        file.write_bytes(data[:size]) if not file.exists() else _append(file, data[:size])
        logs.sync()
        if size % (step * 8) == 0 or size >= len(data):
            other = Logs(fresh)
            (other.folder / "log").write_bytes(data[:size])
            other.sync()
            assert logs.chunks() == other.chunks(), size


def _append(file: Path, data: bytes) -> None:
    with file.open("ab") as handle:
        handle.write(data[handle.tell() :])


def test_every_record_of_a_long_log_is_there_once_however_it_was_cut(tmp_path: Path) -> None:
    count, step = times(3000, 100_000), times(977, 9973)
    data = "".join(line(claude("user" if i % 2 else "assistant", f"u{i}", text(f"n{i}"))) for i in range(count))
    logs, file = Logs(tmp_path), tmp_path / "logs" / "long.jsonl"
    file.write_bytes(b"")
    raw = data.encode()
    for size in range(0, len(raw) + step * 40, step * 40):
        _append(file, raw[:size])
        logs.sync()
    lines = [number for number, _ in logs.said()["@logs/long.jsonl"]]
    assert lines == list(range(1, count + 1))
