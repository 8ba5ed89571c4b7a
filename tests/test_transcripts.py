"""Conversation logs: what is read from them, how turns are found, and that nobody changes them."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro as library
from memoro.errors import ConfigError
from memoro.index.read import NEIGHBOUR_WORDS, SHORT_TURN
from memoro.model.notes import Chunk
from memoro.transcripts.plain import PlainReader
from memoro.transcripts.ports import LogFacts, Turn
from memoro.transcripts.readers import recognise_lines
from tests.conftest import Memoro, fingerprint, times, write_vault
from tests.logs import indexed

NOON = datetime(2026, 3, 3, 12).timestamp()


def said(role: str, content: object, **more: object) -> str:
    return json.dumps({"role": role, "content": content, **more}) + "\n"


def turns(*lines: str) -> list[Turn]:
    return list(PlainReader().turns(enumerate((line.rstrip("\n").encode() for line in lines), 1), LogFacts()))


def chunks(data: str | bytes, *, tokens: int = 400) -> tuple[Chunk, ...]:
    return indexed({"chat.jsonl": data}, tokens=tokens)[0].get("@logs/chat.jsonl", ())


def add_logs(memoro: Memoro, folder: Path, logs: dict[str, str]) -> Any:
    write_vault(folder, logs)
    done = memoro("transcripts", "add", str(folder), "--json")
    assert done.code == 0, done.err
    return done.json


def hits(memoro: Memoro, *arguments: str) -> Any:
    return memoro("search", "--json", *arguments).json["results"]


# --- one line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "speaker"),
    [
        ("user", "User"), ("human", "User"), ("USER", "User"),
        ("assistant", "Assistant"), ("ai", "Assistant"), ("model", "Assistant"),
    ],
)  # fmt: skip
def test_each_role_is_one_side_of_the_conversation(role: str, speaker: str) -> None:
    assert turns(said(role, "hello")) == [Turn(speaker, "hello", 1)]


@pytest.mark.parametrize("role", ["system", "tool", "function", "developer", "", None, 7, ["user"], {"user": 1}])
def test_what_neither_side_said_is_passed_over(role: Any) -> None:
    assert turns(said(role, "secret instructions"), said("user", "hello")) == [Turn("User", "hello", 2)]


def test_a_name_goes_before_the_role_and_a_bad_one_does_not() -> None:
    names = ["Ada  Lovelace\n", "", "  ", None, 7, ["Ada"]]
    found = [turn.speaker for turn in turns(*(said("user", "hello", speaker=name) for name in names))]
    assert found == ["Ada Lovelace", "User", "User", "User", "User", "User"]


def test_of_a_list_only_the_text_parts_are_kept() -> None:
    parts = [
        {"type": "text", "text": "first"},
        {"type": "tool_use", "text": "rm -rf", "input": {"text": "rm -rf"}},
        {"type": "image", "text": "pixels"},
        "bare",
        {"type": "text"},
        {"type": "text", "text": 7},
        {"type": "text", "text": "second"},
    ]
    assert turns(said("user", parts)) == [Turn("User", "first\nsecond", 1)]


@pytest.mark.parametrize(
    "content", ["", "  \n\t ", [], [{"type": "tool_result", "text": "x"}], None, 7, {"text": "x"}]
)
def test_a_message_without_words_is_no_turn(content: object) -> None:
    assert turns(said("user", content)) == []


def test_spaces_are_made_single_and_line_ends_stay() -> None:
    assert turns(said("user", "  a \t b\r\n\n c\u00a0d ")) == [Turn("User", "a b\n\nc d", 1)]


@pytest.mark.parametrize(
    ("timestamp", "day"),
    [
        ("2026-03-03", "2026-03-03"),
        ("2026-03-03T23:59:59", "2026-03-03"),
        ("2026-03-03T12:00:00.123456", "2026-03-03"),
        (NOON, "2026-03-03"),
        (int(NOON), "2026-03-03"),
        (int(NOON * 1000), "2026-03-03"),
        (datetime.fromtimestamp(NOON).astimezone().isoformat(), "2026-03-03"),
        ("yesterday", None), ("", None), ("2026-13-45", None), (None, None), (True, None), ([], None), ({}, None),
        (10**400, None), (-(10**18), None), (1e300, None), (float("nan"), None), (float("inf"), None),
        ("0001-01-01T00:00:00+23:59", None), ("9999-12-31T23:59:59-23:59", None),
    ],
)  # fmt: skip
def test_the_day_comes_from_the_time_however_it_is_written(timestamp: object, day: str | None) -> None:
    assert turns(said("user", "hello", timestamp=timestamp)) == [Turn("User", "hello", 1, day)]


def test_a_time_with_a_zone_is_the_day_it_was_here(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert turns(said("user", "x", timestamp="2026-03-03T20:00:00Z"))[0].date == "2026-03-04"
        assert turns(said("user", "x", timestamp="2026-03-03T20:00:00"))[0].date == "2026-03-03"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "line",
    [
        '{"role": "user", "content": "to',  # torn
        '{"role": "user", "content": "a"} {"role": "user", "content": "b"}',
        '{"role": "user"}',
        '{"content": "no role"}',
        '["role", "content"]',
        '"role"',
        "role: user",
        "",
        '{"type": "summary", "text": "the \\"role\\" of tea"}',
        '{"role":' * 100_000,
        '{"role": "user", "content": ' + "[" * 100_000,
        '{"role": ' + "[" * 900 + "]" * 900 + ', "content": "deep"}',
        '{"role": "user", "content": {"a": 1}, "n": ' + "1" * 5000 + "}",
        "\x00\x1b\ufffd",
    ],
)
def test_a_torn_foreign_or_hostile_line_is_passed_over_and_the_next_is_read(line: str) -> None:
    assert turns(line, said("user", "hello")) == [Turn("User", "hello", 2)]


def test_halves_of_characters_and_nul_do_not_get_into_the_index() -> None:
    (chunk,) = chunks('{"role": "user", "content": "a \\ud83d b \\u0000 c \\ud83e\\uded6", "speaker": "\\udc00x"}\n')
    assert chunk.text == "\ufffdx: a \ufffd b \ufffd c \U0001fad6"


def test_a_log_may_begin_with_records_that_are_no_messages() -> None:
    other = b'{"type": "other"}\n'
    assert recognise_lines(other * 49 + said("user", "hello").encode()) is not None
    assert recognise_lines(other * 50 + said("user", "hello").encode()) is None
    assert recognise_lines(b"") is None


# --- a whole file ---------------------------------------------------------------------------------------

messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "ai"]), "content": st.text(max_size=30)},
    optional={"timestamp": st.floats() | st.text(max_size=12), "speaker": st.text(max_size=8)},
)
values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
odd = st.fixed_dictionaries(
    {"role": values | st.just("user"), "content": values}, optional={"timestamp": values, "speaker": values}
)
lines = st.one_of(
    st.binary(max_size=30),
    st.builds(lambda message: json.dumps(message).encode(), messages | odd),
    st.builds(lambda message, cut: json.dumps(message).encode()[:cut], messages, st.integers(0, 60)),
    st.builds(lambda message: json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass"), messages),
)


@given(st.binary(max_size=300) | st.lists(lines, max_size=6).map(b"\n".join))
def test_no_bytes_make_reading_fail(data: bytes) -> None:
    found = chunks(data)
    count = data.count(b"\n")
    for chunk in found:
        chunk.text.encode()
        chunk.context.encode()
        assert chunk.text.strip() == chunk.text != ""
        assert chunk.speaker
        assert 1 <= chunk.start_line == chunk.end_line <= count


@settings(max_examples=times(10, 2_000))  # each is read as often as it has bytes
@given(st.lists(messages, min_size=1, max_size=4))
@pytest.mark.slow
def test_a_log_that_grows_byte_by_byte_gives_every_complete_record_once(log: list[dict[str, Any]]) -> None:
    data = b"".join(json.dumps(message).encode() + b"\n" for message in log)
    whole = [(chunk.start_line, chunk.text) for chunk in chunks(data)]
    for size in range(len(data) + 1):
        ended = data[:size].count(b"\n")
        assert [(c.start_line, c.text) for c in chunks(data[:size])] == [one for one in whole if one[0] <= ended]


def test_a_log_that_grows_is_found_from_the_first_full_line_on_and_nothing_twice(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"a.md": "bread"})
    log = write_vault(tmp_path / "logs", {"chat.jsonl": ""}) / "chat.jsonl"
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "memoro.toml").write_text(f"[transcripts]\nfolders = [{json.dumps(str(log.parent))}]\n")
    first, second = said("user", "I like oolong tea"), said("assistant", "Then try oolong from Fujian")
    with library.open(tmp_path / "home", tmp_path / "vault") as m:
        for data, count in ((first[:20], 0), (first, 1), (first + second[:-1], 1), (first + second, 2)):
            log.write_text(data)
            found = m.search("oolong", mode="words").results
            assert sorted(hit.start_line for hit in found) == list(range(1, count + 1))


def test_a_long_turn_is_cut_and_every_part_says_who_when_and_where() -> None:
    words = [f"word{number}" for number in range(400)]
    found = chunks(said("user", "hello") + said("user", " ".join(words), speaker="Ada", timestamp=NOON), tokens=100)
    long = found[1:]
    assert len(long) > 3
    assert " ".join(chunk.text for chunk in long).split() == ["Ada:", *words]
    for chunk in long:
        assert (chunk.speaker, chunk.date, chunk.start_line, chunk.partial) == ("Ada", "2026-03-03", 2, True)
    assert not found[0].partial


def test_a_turn_of_many_empty_lines_gives_no_empty_passages() -> None:
    found = chunks(said("user", "begin" + "\n" * 5000 + "end"), tokens=100)
    assert [chunk.text for chunk in found] == ["User: begin", "end"]


def test_short_turns_have_their_neighbours_beside_them_and_long_ones_have_none() -> None:
    long = "tea " * SHORT_TURN
    before, middle, after = chunks(
        said("user", "which one?") + said("ai", "the second") + said("user", long), tokens=4000
    )
    assert before.context == "Assistant: the second"
    assert middle.context == "User: which one?\nUser: " + " ".join(["tea"] * NEIGHBOUR_WORDS)
    assert after.context == ""


def test_a_log_of_an_unknown_format_is_reported_and_holds_nothing() -> None:
    files, warnings = indexed({"x.jsonl": b'{"type": "event"}\n{"n": 1}\n'})
    assert files["@logs/x.jsonl"] == ()
    assert "not a conversation log in a format that Memoro knows" in warnings[0]
    assert indexed({"x.jsonl": b""})[1] == []


# --- through the command --------------------------------------------------------------------------------

CHAT = (
    said("user", "Which tea should I buy for the party in spring?", timestamp="2026-03-03T10:00:00")
    + said("assistant", "Sencha, from the shop in Kyoto.", timestamp="2026-03-03T10:00:05")
    + said("user", "My sister prefers oolong.", speaker="Ada", timestamp="2026-03-09T09:00:00")
)


def test_folders_of_logs_are_added_listed_and_removed(memoro: Memoro, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"a.md": "bread"})
    logs = write_vault(tmp_path / "logs", {"chat.jsonl": CHAT})
    assert memoro("transcripts", "list", "--json").json == {"folders": [], "sources": [], "report": None}
    assert "No logs are searched yet" in memoro("transcripts", "list").out
    added = memoro("transcripts", "add", str(logs), "--json").json
    assert added["folders"] == [str(logs)]
    assert (added["report"]["files"], added["report"]["chunks"]) == (2, 4)
    assert memoro("transcripts", "add", str(logs), "--json").json["folders"] == [str(logs)]
    listed = memoro("transcripts", "list", "--json").json
    assert (listed["folders"], listed["report"]) == ([str(logs)], None)
    (source,) = listed["sources"]
    assert (source["source"], source["conversations"], source["messages"]) == (str(logs), 1, 3)
    expected = f"{logs}: 1 conversation, 3 messages, 2026-03-03 to 2026-03-09\n"
    assert memoro("transcripts", "list").out == expected
    assert {hit["kind"] for hit in hits(memoro, "--mode", "words", "sencha")} == {"transcript"}
    assert memoro("transcripts", "remove", str(logs), "--json").json["folders"] == []
    assert hits(memoro, "--mode", "words", "sencha") == []
    assert hits(memoro, "--mode", "words", "bread")


def test_a_folder_written_with_a_tilde_or_a_link_is_removed_too(memoro: Memoro, home: Path, tmp_path: Path) -> None:
    logs = write_vault(tmp_path / "logs", {})
    (tmp_path / "link").symlink_to(logs)
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{tmp_path}/link"]\n')
    assert memoro("transcripts", "remove", str(logs), "--json").json["folders"] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("add",), "`memoro transcripts add` needs FOLDER-OR-HOST"),
        (("remove",), "`memoro transcripts remove` needs FOLDER-OR-HOST"),
        (("add", "/nowhere/at/all"), "is not a folder"),
        (("add", "/nowhere/at/all"), "Name a folder of logs, or a host: claude, codex"),
        (("remove", "/nowhere/at/all"), "is no folder or host whose logs are searched"),
        (("remove", "claude-code"), "claude is no folder or host whose logs"),  # the name that `connect` uses
    ],
)
def test_what_cannot_be_added_or_removed_is_said(memoro: Memoro, arguments: tuple[str, ...], sentence: str) -> None:
    done = memoro("transcripts", *arguments)
    assert done.code != 0
    assert sentence in done.err


def test_a_hit_in_a_log_says_who_said_it_when_and_on_which_line(memoro: Memoro, tmp_path: Path) -> None:
    add_logs(memoro, tmp_path / "logs", {"2026/chat.jsonl": CHAT})
    hit = hits(memoro, "--mode", "words", "sister oolong")[0]
    assert (hit["kind"], hit["tier"], hit["path"], hit["conversation"]) == (
        "transcript", "transcript", "@logs/2026/chat.jsonl", "@logs/2026/chat.jsonl",
    )  # fmt: skip
    assert (hit["speaker"], hit["date"], hit["start_line"], hit["end_line"]) == ("Ada", "2026-03-09", 3, 3)
    assert "My sister prefers oolong." in hit["snippet"]
    assert hit["id"].startswith("transcript:@logs/2026/chat.jsonl#")


def test_the_words_of_its_neighbours_find_a_short_turn(memoro: Memoro, tmp_path: Path) -> None:
    other = said("user", "bread") * 3
    add_logs(memoro, tmp_path / "logs", {"chat.jsonl": CHAT, "other.jsonl": other})
    found = hits(memoro, "--mode", "words", "party spring")
    assert [hit["start_line"] for hit in found] == [1, 2], "the question first, then its answer by its context"


def test_notes_and_transcripts_are_told_apart_by_kind(memoro: Memoro, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"tea.md": "oolong from Fujian"})
    add_logs(memoro, tmp_path / "logs", {"chat.jsonl": CHAT})
    for mode in ("words", "hybrid", "vectors"):
        ask = ("--mode", mode, "oolong")
        assert {hit["kind"] for hit in hits(memoro, *ask)} == {"note", "transcript"}
        assert {hit["kind"] for hit in hits(memoro, "--kind", "note", *ask)} == {"note"}
        assert {hit["kind"] for hit in hits(memoro, "--kind", "transcript", *ask)} == {"transcript"}


def test_since_and_until_go_by_the_day_a_turn_was_said(memoro: Memoro, tmp_path: Path) -> None:
    add_logs(memoro, tmp_path / "logs", {"chat.jsonl": CHAT})
    ask = ("--mode", "words", "sencha oolong tea")
    assert {hit["start_line"] for hit in hits(memoro, *ask, "--since", "2026-03-05")} == {3}
    assert {hit["start_line"] for hit in hits(memoro, *ask, "--until", "2026-03-05")} == {1, 2}
    assert hits(memoro, *ask, "--since", "2026-03-10") == []


def test_get_shows_what_was_said_by_id_by_line_and_by_path(memoro: Memoro, tmp_path: Path) -> None:
    add_logs(memoro, tmp_path / "logs", {"chat.jsonl": CHAT})
    identifier = hits(memoro, "--mode", "words", "sister oolong")[0]["id"]
    by_id = memoro("get", identifier, "--json").json
    assert (by_id["text"], by_id["kind"], by_id["start_line"]) == ("Ada: My sister prefers oolong.", "transcript", 3)
    by_line = memoro("get", "@logs/chat.jsonl:2", "--json").json
    assert by_line["text"] == "Assistant: Sencha, from the shop in Kyoto."
    assert memoro("get", "@logs/chat.jsonl:2-3", "--json").json["text"].count("\n") == 1
    assert memoro("get", "@logs/chat.jsonl", "--json").json["text"].startswith("User: Which tea")


def test_two_folders_with_one_name_are_refused_and_nothing_is_changed(memoro: Memoro, tmp_path: Path) -> None:
    add_logs(memoro, tmp_path / "a" / "logs", {"chat.jsonl": said("user", "green tea")})
    other = write_vault(tmp_path / "b" / "logs", {"chat.jsonl": said("user", "black tea")})
    done = memoro("transcripts", "add", str(other))
    assert done.code != 0
    assert "Two folders are called logs" in done.err
    assert "rename one folder" in done.err
    assert memoro("transcripts", "list", "--json").json["folders"] == [str(tmp_path / "a" / "logs")]
    assert [hit["snippet"] for hit in hits(memoro, "--mode", "words", "tea")] == ["User: green tea"]


def test_logs_with_one_name_in_two_folders_are_two_logs(memoro: Memoro, tmp_path: Path) -> None:
    add_logs(memoro, tmp_path / "a", {"chat.jsonl": said("user", "green tea")})
    add_logs(memoro, tmp_path / "b", {"chat.jsonl": said("user", "black tea")})
    assert {hit["path"] for hit in hits(memoro, "--mode", "words", "tea")} == {"@a/chat.jsonl", "@b/chat.jsonl"}


def test_logs_inside_the_vault_are_found_where_their_folder_is_named(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "bread", "logs/note.md": "oolong as a note"})
    add_logs(memoro, vault / "logs", {"chat.jsonl": CHAT})
    found = {hit["path"] for hit in hits(memoro, "--mode", "words", "oolong")}
    assert found == {"@logs/chat.jsonl", "logs/note.md"}


def test_a_log_of_an_unknown_format_is_in_the_report_and_stops_nothing(memoro: Memoro, tmp_path: Path) -> None:
    added = add_logs(memoro, tmp_path / "logs", {"chat.jsonl": CHAT, "events.jsonl": '{"event": "oolong"}\n'})
    (problem,) = added["report"]["problems"]
    assert problem["path"] == "@logs/events.jsonl"
    assert "format that Memoro knows" in problem["sentence"]
    assert {hit["path"] for hit in hits(memoro, "--mode", "words", "oolong")} == {"@logs/chat.jsonl"}


def test_a_log_outside_is_not_reached_through_a_link(memoro: Memoro, tmp_path: Path) -> None:
    outside = write_vault(tmp_path / "outside", {"secret.jsonl": said("user", "the secret oolong")})
    logs = write_vault(tmp_path / "logs", {"chat.jsonl": said("user", "green tea")})
    (logs / "link.jsonl").symlink_to(outside / "secret.jsonl")
    (logs / "folder").symlink_to(outside)
    added = memoro("transcripts", "add", str(logs), "--json").json
    assert {problem["severity"] for problem in added["report"]["problems"]} == {"skipped"}
    assert hits(memoro, "--mode", "words", "oolong") == []
    assert memoro("get", "@logs/link.jsonl:1").code != 0
    assert memoro("get", "@logs/folder/secret.jsonl:1").code != 0


def test_logs_are_never_changed(memoro: Memoro, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    add_logs(memoro, logs, {"chat.jsonl": CHAT, "torn.jsonl": CHAT[:-20], "odd.jsonl": "{}\n"})
    before = fingerprint(logs), os.stat(logs / "chat.jsonl").st_mtime_ns
    for arguments in (("search", "oolong"), ("get", "@logs/chat.jsonl:1"), ("sync", "--force"), ("doctor",)):
        memoro(*arguments)
    memoro("transcripts", "remove", str(logs))
    assert (fingerprint(logs), os.stat(logs / "chat.jsonl").st_mtime_ns) == before


def test_a_vault_without_transcripts_takes_no_notice_of_logs(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "green tea", "chat.jsonl": said("user", "oolong tea")})
    assert [hit["path"] for hit in hits(memoro, "--mode", "words", "tea")] == ["a.md"]
    assert memoro("get", "chat.jsonl").code != 0


def test_folders_of_one_name_in_the_settings_are_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    from memoro.vault.files import VaultFiles

    with pytest.raises(ConfigError, match="rename one folder"):
        VaultFiles(str(tmp_path), extra=["/a/logs", "/b/logs"])
    with pytest.raises(ConfigError, match="rename one folder"):
        VaultFiles(str(tmp_path), transcripts=["/a/logs", "/b/logs"])
    with pytest.raises(ConfigError, match="rename one folder"):
        VaultFiles(str(tmp_path), extra=["/a/logs"], transcripts=["/b/logs"])
