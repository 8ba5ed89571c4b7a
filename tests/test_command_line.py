"""The command line explains itself: help by purpose, what was meant, titles, local times, whole changes."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro as library
from memoro.cli.command_table import COMMANDS
from memoro.cli.explain import SIGNALS
from memoro.cli.groups import GROUPS, SYNONYMS
from memoro.config import edit
from memoro.config.changing import SettingScope, set_value, unset_value
from memoro.errors import ConfigError, MemoroError
from memoro.ledger.change_texts import summary
from memoro.model.local_time import local, with_offset
from memoro.model.suggestion import closest
from memoro.providers.calibration import OF_BUILTIN
from memoro.search.weights import weights_in
from tests.conftest import Memoro, fingerprint, run_memoro, write_vault
from tests.test_docs import SIGNALS as DOCUMENTED_SIGNALS


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# Help


def test_the_help_lists_everyday_commands_by_purpose_on_one_screen() -> None:
    shown = run_memoro("--help")
    titles = [line for line in shown.out.splitlines() if line in {group.title for group in GROUPS}]
    assert titles == ["Find", "Keep", "Correct", "Look back", "Connect", "Look after"]
    assert len(shown.out.splitlines()) <= 48
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "\n  given " in shown.out, "the README recommends it"
    assert run_memoro("help").out == shown.out
    assert run_memoro().code == 2


def test_every_command_is_in_one_group_and_in_the_whole_help() -> None:
    assert sorted(name for group in GROUPS for name in group.commands) == sorted(COMMANDS)
    everything = run_memoro("help", "all").out
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about)}$", everything, re.MULTILINE)
    assert set(SYNONYMS.values()) <= set(COMMANDS) and not set(SYNONYMS) & set(COMMANDS)


def test_the_kinds_of_keeping_are_told_apart() -> None:
    kept = [COMMANDS[name] for name in ("remember", "pin", "daily", "note", "memory", "experience", "narrative")]
    assert len(set(kept)) == len(kept) and all(not about.startswith("Keep") for about in kept)
    assert "For what matters now and then, use `memory store`" in " ".join(
        run_memoro("remember", "--help").out.split()
    )
    assert "and not in your notes" in " ".join(run_memoro("memory", "--help").out.split())


# What was meant


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("search x --limt 3", "there is no option --limt. Did you mean --limit?"),
        ("memory store x --tag y", "there is no option --tag. Did you mean --tags?"),
        ("search x --mode word", "--mode is hybrid, words or vectors, not 'word'. Did you mean words?"),
        ("serach x", "there is no command 'serach'. Did you mean `memoro search`?"),
        ("show x", "there is no command 'show'. Did you mean `memoro get`?"),
        ("help serach", "there is no command 'serach'. Did you mean `memoro search`?"),
        ("memory stor x", "`memoro memory` has no action 'stor'. Did you mean `memoro memory store`?"),
        ("connect claud-code", "Did you mean claude-code?"),
        ("config", "`memoro config` needs an action: show, get, set or unset."),
        ("get a b", "'b' is one word too many; quote words that belong together."),
        ("accept 10 11 12", "'11' is one word too many; `memoro review --accept 10 11 12` decides on several."),
        ("reject 10 11", "'11' is one word too many; `memoro review --reject 10 11` decides on several."),
        ("accept 10 them all", "'them' is one word too many; quote words that belong together."),
        ("search", "`memoro search` needs QUERY."),
        ("search x -n", "-n/--limit needs a value."),
        ("export", "`memoro export` needs -o/--output."),
        ("connect", "`memoro connect` needs HOST: claude-code,"),
        ("log --until 2026-01-01", "there is no option --until."),
        ("memory query x --sinse y", "`memoro memory query --help` shows how to use it."),
    ],
)
def test_a_wrong_word_is_answered_with_the_right_one(typed: str, said: str) -> None:
    done = run_memoro(*typed.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_query_is_refused_at_the_command_line_and_finds_nothing_elsewhere(
    empty: str, memoro: Memoro, home: Path, vault: Path
) -> None:
    refused = memoro("search", empty)
    assert (refused.code, refused.out) == (2, "")
    assert "memoro: The query is empty. Name what you look for" in refused.err
    with library.open(home, vault) as m:
        assert m.search(empty).results == ()


def test_a_path_or_heading_that_is_nearly_right_is_named(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"people/pia.md": "# Pia\n", "MEMORY.md": "# Memory\n\n## Operational notes\n"})
    assert "Did you mean 'people/pia.md'?" in memoro("get", "people/pai.md").err
    assert "Did you mean 'people/pia.md'?" in memoro("get", "pia").err
    assert "Did you mean" not in memoro("get", "zebra.md").err
    assert "Did you mean 'Operational notes'?" in memoro("remember", "x", "--section", "operational note").err


@given(name=st.text(max_size=20), known=st.lists(st.text(max_size=20), max_size=8))
def test_a_suggestion_is_a_known_name(name: str, known: list[str]) -> None:
    assert closest(name, known) in [None, *known]


# By the id of the target


def test_get_prints_whatever_an_id_names(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- green tea ^one\n- black tea\n", "a.md": "- white tea ^two\n"})
    memoro("memory", "store", "oolong")
    assert memoro("get", "memory:1").out == memoro("get", "[id:1]").out == "oolong\n"
    assert memoro("get", "one").out == memoro("get", "^one").out == "- green tea ^one\n"
    assert memoro("get", "two").out == memoro("get", "a.md#^two").out == "- white tea ^two\n"
    assert memoro("get", "three").code == 1


# Entries


def test_every_bullet_of_the_always_loaded_files_is_listed_and_can_be_edited_and_removed(
    memoro: Memoro, home: Path, vault: Path
) -> None:
    write_vault(
        vault,
        {
            "MEMORY.md": "# M\n\n- marked ^one\n- bare\n- [ ] a task\n  with more\n- twice ^same\n- again ^same\n",
            "PROCEDURAL.md": "- bare\n",
            "PINNED.md": "```\n- code\n```\n",
        },
    )
    before = fingerprint(vault)
    listed = memoro("entries", "--json").json["entries"]
    assert fingerprint(vault) == before and not (home / "ledger.db").exists()
    assert [(one["path"], one["line"], one["text"], one["has_id"]) for one in listed] == [
        ("MEMORY.md", 3, "marked", True), ("MEMORY.md", 4, "bare", False),
        ("MEMORY.md", 5, "a task with more", False), ("MEMORY.md", 7, "twice", True),
        ("MEMORY.md", 8, "again", True), ("PROCEDURAL.md", 1, "bare", False),
    ]  # fmt: skip
    assert len({one["address"] for one in listed}) == len(listed)
    with library.open(home, vault) as m:
        assert [one.address for one in m.loaded_entries()] == [one["address"] for one in listed]
        assert [one.text for one in m.loaded_entries("procedural")] == ["bare"]
    for one in listed:
        assert one["text"].split()[0] in memoro("get", one["address"]).out
        removed = memoro("remove", one["address"], "--json").json
        assert (removed["path"], removed["text"]) == (one["path"], one["text"])
        assert memoro("undo").code == 0
        assert fingerprint(vault) == before
        edited = memoro("edit", one["address"], "other words", "--json").json
        assert (edited["path"], edited["line"]) == (one["path"], one["line"])
        assert memoro("undo").code == 0
        assert fingerprint(vault) == before


def test_an_agent_proposes_for_any_entry_by_its_address(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- bare\n"})
    assert memoro("remove", "MEMORY.md:1", "--by", "helper").out.startswith("proposal 1: bare\n")
    assert memoro("accept", "1").code == 0
    assert (vault / "MEMORY.md").read_text() == ""


def test_no_entries_is_a_sentence(memoro: Memoro) -> None:
    done = memoro("entries", "--tier", "procedural")
    assert (done.code, done.out) == (
        0, "No entries yet. `memoro remember --tier procedural TEXT` adds one.\n",
    )  # fmt: skip


# Changes


def test_a_change_is_shown_whole_with_how_to_undo_it(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- green tea ^one\n"})
    memoro("edit", "one", "black tea")
    shown = memoro("log", "show", "1").out
    assert re.fullmatch(
        r"Change 1: edit MEMORY\.md\nwhen    \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nby      user\n"
        r"   - - green tea \^one\n   \+ - black tea \^one\nundo    `memoro undo 1`\n",
        shown,
    )
    assert memoro("log").out.rstrip().endswith("edit MEMORY.md by user: green tea ^one → black tea ^one")
    found = memoro("log", "show", "1", "--json").json
    assert (found["text_before"], found["text_after"]) == ("- green tea ^one\n", "- black tea ^one\n")
    assert (found["undo"], found["operation"], found["kind"]) == ("memoro undo 1", "edit", "note")
    memoro("undo", "1")
    assert memoro("log", "show", "1").out.endswith("undo    It was undone by change 2.\n")
    assert memoro("log", "show", "9").code == 1


def test_changes_of_every_kind_say_what_they_are_about(memoro: Memoro) -> None:
    memoro("memory", "store", "the heron server")
    memoro("memory", "update", "1", "the egret server")
    memoro("memory", "archive", "1")
    memoro("experience", "record", "error_recovery", "replica lags", "restart it")
    memoro("narrative", "update", "we move house")
    memoro("note", "new", "a.md", "green tea\n")
    memoro("note", "move", "a.md", "b.md")
    memoro("note", "delete", "b.md")
    memoro("daily", "bought tea")
    texts = [one["text"] for one in reversed(memoro("log", "--json").json["changes"])]
    assert texts == [
        "the heron server", "the heron server → the egret server", "", "replica lags", "we move house",
        "green tea", "→ b.md", "green tea", texts[-1],
    ]  # fmt: skip
    assert re.fullmatch(r"\d\d:\d\d bought tea", texts[-1])
    for number in range(1, 10):
        assert memoro("log", "show", str(number)).code == 0
    update = memoro("log", "show", "2").out
    assert "   - content: the heron server\n" in update and "   + content: the egret server\n" in update


def test_forgotten_content_is_in_no_log(memoro: Memoro) -> None:
    memoro("memory", "store", "the heron server")
    memoro("memory", "forget", "1", "--yes")
    assert "heron" not in memoro("log").out + memoro("log", "--json").out + memoro("log", "show", "1").out


sides = st.none() | st.lists(st.sampled_from(["# tea", "- a", "- b", "", "c d"]), max_size=6).map("\n".join)


@given(before=sides, after=sides)
def test_a_summary_is_one_line(before: str | None, after: str | None) -> None:
    assert "\n" not in summary(before, after)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (None, "# Rewards\n\nKept.\n\n- tea ^abc123\n  - host: x", "tea ^abc123 (and 3 more lines)"),
        ("- tea ^a1\n  - host: x", "- tea ^a1\n  - host: x\n- rye ^b2\n  - host: x", "rye ^b2 (and 1 more line)"),
        (None, "---\nsession: 7\n---\n# Kettles\n\n- boil", "Kettles (and 1 more line)"),
        ("---\ntag: a\n---\n# Tea", "---\ntag: b\n---\n# Tea", "tag: a → tag: b"),
    ],
)
def test_a_summary_names_the_entry_and_no_detail_of_its_file(before: str | None, after: str, told: str) -> None:
    assert summary(before, after) == told


# Sessions


def test_sessions_are_listed_by_what_they_were_about(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\ngreen tea at five\n"})
    assert memoro("session", "list").out.startswith("No sessions yet.")
    with library.open(home, vault) as m:
        m.sessions.start("5d1c-uuid", project="apollo", agent="claude")
        given = m.recall("when is\ngreen tea?", session="5d1c-uuid")
    shown = memoro("session", "list").out
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d  when is green tea\?\n"
        rf"   project apollo · claude · 1 recall, 1 item, {given.tokens} tokens · id 5d1c-uuid\n",
        shown,
    )
    (listed,) = memoro("session", "list", "--json").json["results"]
    assert (listed["about"], listed["tokens"], listed["id"]) == ("when is green tea?", given.tokens, "5d1c-uuid")
    assert "no message yet" not in memoro("session", "archive", "5d1c-uuid").out
    all_archived = memoro("session", "list")
    assert all_archived.out == ("1 session is archived; `memoro session list --archived` lists it.\n")
    assert "when is green tea?" in memoro("session", "list", "--archived").out


# Results


def test_a_conversation_is_shown_by_its_title_and_a_note_by_its_headings(memoro: Memoro, vault: Path) -> None:
    logs = vault.parent / "chats"
    write_vault(vault, {"a.md": "# Tea\n\n## Green\n\ngreen tea at five\n"})
    write_vault(logs, {"lunch.jsonl": json.dumps({"role": "user", "content": "zebra noodles"}) + "\n"})
    assert memoro("transcripts", "add", str(logs)).code == 0
    assert memoro("search", "green tea", "--kind", "note").out.startswith("1. Tea > Green  a.md:1-5  [note]  ")
    found = memoro("search", "zebra noodles", "--kind", "transcript").out
    assert found.startswith("1. lunch  line 1  [transcript]  ")
    around = re.search(r"around it: memoro get (\S+)", found)
    assert around and memoro("get", around[1]).code == 0


def test_explain_says_what_its_words_mean(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\ngreen tea at five\n", "b.md": "# Coffee\n\nblack coffee\n"})
    shown = memoro("search", "green tea", "--explain").out
    used = [name for name in SIGNALS if re.search(rf"^     [+-]\d\.\d+  {name} ", shown, re.MULTILINE)]
    assert "around" in used and "word by word" in used
    for name in used:
        assert f"   {name}: {SIGNALS[name]}\n" in shown
    assert set(SIGNALS) == {*DOCUMENTED_SIGNALS, "newer"} == {*weights_in(OF_BUILTIN), "newer"}


def test_explain_says_what_a_negative_attribute_means(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "Anna Berg works for Harbor.\n", "b.md": "Anna Berg moved to Porto.\n"})
    shown = memoro("search", "where does Anna Berg live", "--explain", "--min-score", "0").out
    assert re.search(r"^     -\d\.\d+  attribute -", shown, re.MULTILINE)
    assert re.search(r"attribute: .*less than 0: only something else", shown)


# Times


@pytest.mark.usefixtures("tokyo")
def test_times_are_local_for_people_and_have_an_offset_for_programs(home: Path, vault: Path) -> None:
    def clock() -> datetime:
        return datetime(2026, 3, 5, 20, 0, tzinfo=UTC)

    with library.open(home, vault, clock=clock) as m:
        m.memories.store("green tea")
        m.narratives.update("we move")
        m.sessions.start("s")
        m.backups.create()
        m.sync()
    run = ["--home", str(home), "--vault", str(vault)]
    env = {"TZ": "Asia/Tokyo"}
    for command in (
        ["log"],
        ["log", "show", "1"],
        ["narrative", "search"],
        ["memory", "show", "1"],
        ["memory", "history", "1"],
    ):
        assert "2026-03-06 05:00" in run_memoro(*run, *command, env=env).out, command
    assert "2026-03-06 05:00" in run_memoro(*run, "session", "list", env=env).out
    assert "2026-03-06 05:00" in run_memoro(*run, "backup", "list", env=env).out
    assert "last backup 2026-03-06 05:00" in run_memoro(*run, "status", env=env).out
    status = run_memoro(*run, "status", "--json", env=env).json
    assert status["synced_at"].endswith("+09:00")
    assert run_memoro(*run, "log", "--json", env=env).json["changes"][0]["at"].endswith("Z")


@given(text=st.text(max_size=30))
def test_a_text_that_is_no_time_stays_as_it_is(text: str) -> None:
    for shown in (local(text), with_offset(text)):
        assert shown == text or datetime.fromisoformat(text)


# Settings


def test_a_setting_is_set_read_and_unset(memoro: Memoro) -> None:
    assert memoro("config", "get", "query.max_results").out.startswith("query.max_results = 6  (default)\n")
    done = memoro("config", "set", "query.max_results", "9")
    assert done.out == (
        "query.max_results = 9\n   It was not set before; `memoro config unset query.max_results` reverts this.\n"
    )
    again = memoro("config", "set", "query.max_results", "8")
    assert "It was 9 before; `memoro config set query.max_results 9` reverts this." in again.out
    assert memoro("config", "get", "query.max_results", "--json").json["value"] == 8
    found = memoro("config", "unset", "query.max_results", "--json").json
    assert (found["before"], found["after"], found["key"]) == (8, None, "query.max_results")
    assert memoro("config", "get", "query.max_results", "--json").json["value"] == 6
    assert memoro("config", "unset", "query.max_results").code == 0


def test_a_setting_of_no_table_is_set_and_unset_before_the_tables(memoro: Memoro, home: Path) -> None:
    file = home / "memoro.toml"
    home.mkdir(mode=0o700, exist_ok=True)
    file.write_text("# mine\n\n# where\n[vault]\nignore = []\n")
    assert memoro("config", "set", "enabled", "false").code == 0
    assert file.read_text() == "# mine\n\nenabled = false\n\n# where\n[vault]\nignore = []\n"
    assert memoro("config", "get", "enabled", "--json").json["value"] is False
    assert memoro("config", "set", "enabled", "true").code == 0
    assert memoro("config", "unset", "enabled").code == 0
    assert memoro("config", "set", "enabled", "false", "--agent", "codex").code == 0
    assert memoro("config", "get", "enabled", "--json").json["value"] is True
    file.unlink()
    assert memoro("config", "set", "enabled", "false").code == 0
    assert memoro("config", "get", "enabled", "--json").json["value"] is False


def test_a_setting_for_one_agent_or_project_holds_for_it_alone(memoro: Memoro) -> None:
    memoro("config", "set", "query.max_results", "9", "--agent", "Claude Code")
    memoro("config", "set", "recall.proactive.max_items", "2", "--project", "apollo")

    def value(key: str, *more: str) -> object:
        return memoro("config", "get", key, *more, "--json").json["value"]

    assert value("query.max_results") == 6
    assert value("query.max_results", "--agent", "Claude Code") == 9
    assert value("recall.proactive.max_items", "--project", "apollo") == 2
    memoro("config", "unset", "query.max_results", "--agent", "Claude Code")
    assert value("query.max_results", "--agent", "Claude Code") == 6
    assert memoro("config", "set", "query.mode", "words", "--agent", "a", "--project", "b").code == 2


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("query.max_result", "5", "There is no setting 'query.max_result'. Did you mean 'query.max_results'?"),
        ("max_results", "5", "Did you mean 'query.max_results'?"),
        ("query.mode", "hybird", "Did you mean 'hybrid'?"),
        ("query.max_results", "ten", "query.max_results must be a whole number from 1 to 200, not 'ten'."),
        ("query.max_results", "900", "from 1 to 200"),
        ("query.sources", "notes,memoris", "Did you mean 'memories'?"),
        ("embedding.enabled", "perhaps", "true or false"),
        ("chunking.overlap", "399", "at most half"),
        ("memory.max_size", "big", "a size such as"),
    ],
)
def test_a_wrong_setting_is_refused_and_nothing_is_written(
    memoro: Memoro, home: Path, key: str, value: str, said: str
) -> None:
    memoro("config", "set", "query.half_life_days", "40")
    before = fingerprint(home)
    done = memoro("config", "set", key, value)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    assert fingerprint(home) == before


def test_comments_order_and_spelling_of_the_settings_file_stay(tmp_path: Path) -> None:
    file = tmp_path / "memoro.toml"
    text = (
        "# mine\nagent_writes = 'propose' # for now\n\n[vault]\n# where\npath = '/notes'   # here\nignore = [\n"
        "  'a', # one\n"
        '  \'b\',\n]\n\n[query]\nmode = "words"\n\n[agents."Claude Code".query]\nmax_results = 3\n'
    )
    file.write_text(text)
    set_value(str(file), "vault.path", "/other")
    set_value(str(file), "vault.ignore", "c,d")
    set_value(str(file), "writing.agent_writes", "direct")
    set_value(str(file), "query.max_results", "9", SettingScope(agent="Claude Code"))
    set_value(str(file), "query.half_life_days", 50)
    assert file.read_text() == (
        '# mine\nagent_writes = "direct" # for now\n\n[vault]\n# where\npath = "/other"   # here\n'
        'ignore = ["c", "d"]\n\n[query]\nmode = "words"\nhalf_life_days = 50\n\n'
        '[agents."Claude Code".query]\nmax_results = 9\n'
    )
    unset_value(str(file), "query.mode")
    assert 'mode = "words"' not in file.read_text() and "# here" in file.read_text()
    assert os.listdir(tmp_path) == ["memoro.toml"]


def test_a_settings_file_that_is_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "memoro.toml"
    real.write_text("[query]\n")
    link.symlink_to(real)
    set_value(str(link), "query.max_results", "9")
    assert link.is_symlink() and real.read_text() == "[query]\nmax_results = 9\n"


values = st.sampled_from(
    [
        ("query.max_results", 9),
        ("query.mode", "words"),
        ("vault.ignore", ("a", "b")),
        ("embedding.enabled", False),
        ("enabled", False),
    ]
)
names = st.none() | st.sampled_from(["a", "Claude Code", "a.b", 'quo"te', "é"])


@settings(max_examples=15)  # each writes several files durably
@given(changes=st.lists(st.tuples(values, names), max_size=6))
def test_what_is_set_is_read_back_and_unsetting_restores_the_rest(
    changes: list[tuple[tuple[str, object], str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = str(tmp_path_factory.mktemp("settings") / "memoro.toml")
    kept = {}
    for (key, value), agent in changes:
        set_value(file, key, value, SettingScope(agent=agent))
        kept[key, agent] = value
    for (key, agent), value in kept.items():
        path = (*SettingScope(agent=agent).table, *key.split("."))
        found = edit.value_at(edit.read(file), path, file)
        assert found == (list(value) if isinstance(value, tuple) else value)
    for key, agent in kept:
        unset_value(file, key, SettingScope(agent=agent))
        assert edit.value_at(edit.read(file), (*SettingScope(agent=agent).table, *key.split(".")), file) is None


def test_an_unknown_key_is_no_error_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        set_value(str(tmp_path / "memoro.toml"), "no.such", 1)
    assert issubclass(ConfigError, MemoroError) and not (tmp_path / "memoro.toml").exists()
