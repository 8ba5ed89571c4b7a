"""`memoro remember`, `pin`, `edit`, `remove`, `forget`, `daily`, `note` and proposals, at the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memoro as library
from memoro.cli import main
from memoro.cli.command_table import COMMANDS
from memoro.cli.completion import SHELLS
from memoro.model.proposals import (
    AddDailyLine,
    ProposedChange,
    RemoveMemory,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from tests.conftest import Memoro, Result, fingerprint, run_memoro, write_vault

TOKEN = "ghp_" + "a1B2" * 9
REMEMBERED = {"id", "path", "line", "text", "new", "change", "proposal", "redacted"}


@pytest.fixture
def memoro(home: Path, vault: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Memoro:
    """The command in this process, which starts faster."""
    for name in [name for name in os.environ if name.startswith("MEMORO_")]:
        monkeypatch.delenv(name)

    def run(*arguments: str) -> Result:
        code = main(["--home", str(home), "--vault", str(vault), *arguments])
        return Result(code, *capsys.readouterr())

    return run


def test_the_contract_from_remember_to_forget(home: Path, vault: Path) -> None:
    def memoro(*arguments: str) -> Result:
        return run_memoro("--home", str(home), "--vault", str(vault), *arguments)

    made = memoro("remember", "Tea", "at", "70 degrees.", "--json")
    assert (made.code, made.err) == (0, "")
    assert set(made.json) == REMEMBERED
    own = made.json["id"]
    assert re.fullmatch(r"[a-z][a-z0-9]{5}", own)
    assert (made.json["path"], made.json["line"], made.json["new"]) == ("MEMORY.md", 5, True)
    assert (vault / "MEMORY.md").read_text().splitlines()[4] == f"- Tea at 70 degrees. ^{own}"
    again = memoro("remember", "Tea at 70 degrees.", "--json")
    assert (again.json["id"], again.json["new"], again.json["change"]) == (own, False, None)

    assert memoro("edit", own, "Tea at 80 degrees.", "--json").json["text"] == "Tea at 80 degrees."
    assert memoro("get", "MEMORY.md:5").out == f"- Tea at 80 degrees. ^{own}\n"
    removed = memoro("remove", own, "--json")
    assert (removed.code, removed.json["id"], "80" in (vault / "MEMORY.md").read_text()) == (0, own, False)
    undone = memoro("undo", "--json")
    assert (undone.code, undone.json["done"], undone.json["changes"][0]["operation"]) == (0, True, "remove")
    assert f"- Tea at 80 degrees. ^{own}" in (vault / "MEMORY.md").read_text()

    asked = memoro("forget", own, "--json")
    assert (asked.code, asked.json["done"]) == (5, False)
    assert asked.err == "memoro: this cannot be undone; add --yes to do it.\n"
    gone = memoro("forget", own, "--yes", "--json")
    assert (gone.code, gone.json["done"], gone.json["text"], gone.json["id"]) == (0, True, "", own)
    assert "degrees" not in (vault / "MEMORY.md").read_text()
    refused = memoro("remember", "Tea at 80 degrees.", "--json")
    assert refused.code == 2 and refused.json["error"]["type"] == "Refused"


def test_what_is_shown_to_eyes(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- first ^one\n"})
    shown = memoro("remember", "second").out
    own = shown.split("^")[1].split()[0]
    assert shown == f"MEMORY.md:2  second  ^{own}\n   remembered\n"
    assert memoro("remember", "second").out == f"MEMORY.md:2  second  ^{own}\n   was there already\n"
    assert memoro("edit", "one", "1st").out == "MEMORY.md:1  1st  ^one\n   edited\n"
    assert memoro("remove", "one").out == "MEMORY.md:1  1st  ^one\n   removed; `memoro undo` restores it\n"
    assert memoro("pin", "Nut allergy").out.startswith("PINNED.md:3  Nut allergy  ^")
    assert memoro("remember", "--tier", "procedural", "Ask first").out.startswith("PROCEDURAL.md:3  Ask first  ^")
    dry = memoro("forget", own, "--dry-run")
    assert (dry.code, dry.err) == (0, "") and dry.out.startswith(f"To be forgotten: {own}\n   second\n")
    assert memoro("forget", own, "--yes").out.startswith(f"Forgotten: {own}\n")


def test_memories_by_the_same_commands(memoro: Memoro) -> None:
    assert memoro("memory", "store", "Tea at 70 degrees.").code == 0
    edited = memoro("edit", "memory:1", "Tea at 80 degrees.")
    assert (edited.code, edited.out) == (0, "memory:1  Tea at 80 degrees.\n   edited\n")
    removed = memoro("remove", "memory:1", "--json").json
    assert (removed["id"], removed["path"], removed["line"]) == ("memory:1", "memory:1", None)
    assert memoro("remove", "memory:1").code == 1
    assert memoro("undo").out.startswith("Undone:\n")
    assert memoro("forget", "memory:1", "--json").code == 5
    gone = memoro("forget", "memory:1", "--yes").out
    told = r"Forgotten: memory:1\nStill in these backups, until you delete them: \w+\n"
    assert re.fullmatch(rf"{told}Paraphrases are not looked for\. .+\n", gone)
    for own in ("memory:1", "memory:99999999999999999999", "memory:x"):
        assert memoro("edit", own, "x").code == 1


def test_a_daily_line(memoro: Memoro, vault: Path) -> None:
    shown = memoro("daily", "bought", "tea")
    assert re.fullmatch(r"daily/\d{4}-\d\d-\d\d\.md  - \d\d:\d\d bought tea\n", shown.out)
    made = memoro("daily", f"the key is {TOKEN}", "--by", "helper", "--json").json
    assert set(made) == {"path", "line", "change", "redacted"}
    assert made["redacted"] == ["github-token"] and TOKEN not in (vault / made["path"]).read_text()
    shown = memoro("daily", f"the key is {TOKEN}", "--by", "helper")
    assert shown.out.endswith("   removed before it was written: github-token\n")
    empty = memoro("daily", " ")
    assert (empty.code, empty.err) == (2, "memoro: An empty line says nothing. Give it a sentence.\n")


def test_a_sync_after_a_line_that_was_indexed_at_once_does_not_say_that_nothing_changed(memoro: Memoro) -> None:
    memoro("sync")
    memoro("daily", "The kettle is mended.")
    done = memoro("sync").out
    assert done.startswith("up to date; 1 note") and "nothing" not in done


def test_whole_notes(memoro: Memoro, vault: Path, home: Path) -> None:
    assert memoro("note", "new", "a/b.md", "one two").out == "a/b.md  created, change 1\n"
    assert (vault / "a/b.md").read_text() == "one two\n"
    exists = memoro("note", "new", "a/b.md", "x", "--json")
    assert (exists.code, exists.json["error"]["type"]) == (5, "NoteExists")
    edited = memoro("note", "edit", "a/b.md", "2", "--old", "two", "--json").json
    assert set(edited) == {"path", "change", "redacted"}
    assert (vault / "a/b.md").read_text() == "one 2\n"
    assert memoro("note", "edit", "a/b.md", "one 2").out == "a/b.md  unchanged\n"
    twice = memoro("note", "edit", "a/b.md", "x", "--old", "missing")
    assert (twice.code, twice.err) == (
        3, "memoro: 'missing' occurs 0 times in a/b.md; it must occur exactly once.\n",
    )  # fmt: skip
    assert memoro("note", "edit", "a/b.md", "x", "--expected", "00").code == 3
    assert memoro("note", "move", "a/b.md", "c.md").out == "c.md  moved, change 3\n"
    assert memoro("note", "move", "a/b.md", "d.md").code == 1
    assert memoro("note", "delete", "c.md").out == "c.md  deleted, change 4\n"
    assert fingerprint(vault) == {}
    assert memoro("note", "restore", "c.md", "--at", "2020-01-01").out == "c.md  restored, change 5\n"
    assert fingerprint(vault) == {"c.md": b"one 2\n"}
    assert memoro("note", "new", "../out.md", "x").code == 1
    assert memoro("note", "new", "MEMORY.md", "x", "--by", "helper").code == 3
    assert memoro("note", "new").code == 2
    from_pipe = subprocess.run(
        [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "note", "new", "p.md", "-"],
        input="from a pipe, as it is", capture_output=True, text=True, check=True, env=os.environ,
    )  # fmt: skip
    assert from_pipe.stdout.startswith("p.md  created")
    assert (vault / "p.md").read_text() == "from a pipe, as it is"


def test_proposals_wait_for_a_word(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- first ^one\n"})
    assert memoro("proposals").out == "No proposals wait. `memoro review` looks for new ones.\n"
    proposed = memoro("remember", f"key {TOKEN}", "--by", "helper")
    mark = re.search(r"\[redacted:\S+\]", proposed.out)
    assert mark and proposed.out == (
        f"proposal 1: key {mark[0]}\n   `memoro accept 1` writes it to MEMORY.md\n"
        "   removed before it was written: github-token\n"
    )
    made = memoro("edit", "one", "1st", "--by", "helper", "--json").json
    assert (made["proposal"], made["change"], made["id"]) == (2, None, "one")
    memoro("remove", "one", "--by", "helper")
    assert (vault / "MEMORY.md").read_text() == "- first ^one\n"
    shown = re.sub(r"on \d{4}-\d\d-\d\d \d\d:\d\d", "on DAY", memoro("proposals").out)
    assert shown == (
        f"1. add a fact to MEMORY.md, by helper on DAY\n   + key {mark[0]}\n"
        "2. reword the entry ^one of MEMORY.md, by helper on DAY\n   - first\n   + 1st\n"
        "3. remove the entry ^one from MEMORY.md, by helper on DAY\n   - first\n"
        "`memoro accept N` carries out a proposal, `memoro reject N` drops it, `memoro review` asks about each.\n"
    )
    listed = memoro("proposals", "--json").json["proposals"]
    assert set(listed[0]) == {
        "id", "at", "actor", "agent", "operation", "detail", "state", "settled_at",
        "evidence", "origin", "score", "expires_at", "project", "reason", "text_before", "text_after",
        "outdated", "undone", "reworded",
    }  # fmt: skip
    assert memoro("accept", "2").out == "MEMORY.md:1  1st  ^one\n   accepted; `memoro undo` reverts it\n"
    rejected = r"3\. remove the entry \^one from MEMORY.md, by helper on .*  rejected\n"
    assert re.fullmatch(rejected, memoro("reject", "3").out)
    assert memoro("reject", "1", "--json").json["state"] == "rejected"
    again = memoro("accept", "3")
    assert again.code == 2 and re.fullmatch(r"memoro: Proposal 3 was rejected on \d{4}-\d\d-\d\d\.\n", again.err)
    assert memoro("accept", "9").code == 1
    settled = [line for line in memoro("proposals", "--all").out.splitlines() if line[0].isdigit()]
    assert [line.split()[-1] for line in settled] == [
        "rejected", "accepted", "rejected",
    ]  # fmt: skip


def test_proposals_of_every_kind_are_listed_and_accepted(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- first ^one\n"})
    wanted: list[ProposedChange] = [
        StoreMemory("Tea is drunk at four."),
        StoreMemory("Tea is drunk at five.", supersedes=1),
        SupersedeMemory(old=2, new=1),
        RemoveMemory(1),
        AddDailyLine("tea at four", "2026-03-04T12:00:00.000Z"),
        WriteNote("ideas.md", "one\ntwo\n"),
    ]
    with library.open(home, vault) as m:
        for change in wanted:
            m.proposals.propose(Suggestion(change), by="helper")
    assert re.sub(r", by helper on \S+ \S+", "", memoro("proposals").out).splitlines()[:-1] == [
        "1. store this as a memory", "   + Tea is drunk at four.",
        "2. store this as a memory, in place of memory:1", "   + Tea is drunk at five.",
        "3. supersede memory:2 by memory:1",
        "4. remove memory:1", "   outdated: There is no memory [id:1] any more.",
        "5. add a line to the daily note of 2026-03-04", "   + tea at four",
        "6. write the note ideas.md", "   + one", "   + two",
    ]  # fmt: skip
    undoable = "   accepted; `memoro undo` reverts it\n"
    assert memoro("accept", "1").out == f"memory:1  Tea is drunk at four.\n{undoable}"
    shown = memoro("proposals").out
    assert "   - Tea is drunk at four.\n   + Tea is drunk at five.\n" in shown
    assert "4. remove memory:1" in shown and shown.count("   - Tea is drunk at four.\n") == 2
    assert memoro("accept", "6").out == f"ideas.md  \n{undoable}"
    assert (vault / "ideas.md").read_text() == "one\ntwo\n"
    assert memoro("undo").code == 0 and not (vault / "ideas.md").exists()
    made = memoro("accept", "4", "--json").json
    assert (made["id"], made["text"], made["proposal"]) == ("memory:1", "Tea is drunk at four.", 4)


def test_the_log_and_taking_back_a_sources_writes(memoro: Memoro, vault: Path) -> None:
    memoro("note", "new", "agent/a.md", "a", "--by", "helper")
    memoro("daily", "its line", "--by", "helper")
    memoro("memory", "store", "its memory", "--source", "helper")
    memoro("daily", "my line")
    lines = memoro("log").out.splitlines()
    assert re.fullmatch(r"4\. \S+ \S+  add a line to daily/\S+\.md by user: \d\d:\d\d my line", lines[0])
    assert re.fullmatch(r"1\. \S+ \S+  create agent/a\.md by helper: a", lines[3])
    entries = memoro("log", "--by", "helper", "--json").json["changes"]
    assert [(one["kind"], one["operation"]) for one in entries] == [
        ("memory", "store"), ("note", "daily"), ("note", "new"),
    ]  # fmt: skip
    assert memoro("undo", "--by", "helper").code == 2
    dry = memoro("undo", "--by", "helper", "--since", "today", "--dry-run")
    assert dry.out.startswith("Would be undone:\n") and (vault / "agent/a.md").exists()
    done = memoro("undo", "--by", "helper", "--since", "today")
    assert done.code == 0 and len(done.out.splitlines()) == 4
    assert [name for name in fingerprint(vault) if name.startswith("agent")] == []
    assert "its line" not in "".join(file.decode() for file in fingerprint(vault).values())
    conflict = memoro("undo", "1")
    assert conflict.code == 5 and "undone already" in conflict.err


def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(memoro: Memoro, home: Path) -> None:
    for arguments, code, said in (
        (("edit", "nosuch", "x"), 1, "There is no entry 'nosuch'"),
        (("remove", "nosuch"), 1, "There is no entry"),
        (("forget", "nosuch", "--yes"), 1, "There is no entry"),
        (("remember", " "), 2, "An empty entry says nothing"),
        (("remember", "x", "--tier", "daily"), 2, "--tier is semantic or procedural, not 'daily'"),
        (("remember", "x", "--section", "None such"), 1, "There is no heading 'None such'"),
        (("remember",), 2, "`memoro remember` needs TEXT"),
        (("note", "restore", "a.md", "--at", "someday"), 2, "someday"),
        (("note", "restore", "a.md", "--at", "today"), 1, "has no change of"),
    ):
        done = memoro(*arguments)
        assert (done.code, done.out) == (code, "") and said in done.err, arguments
        assert done.err.count("\n") == 1 and "Traceback" not in done.err
    alone = run_memoro("--home", str(home), "remember", "x")
    assert alone.code == 3 and alone.err.startswith("memoro: No vault is set.")


def test_a_secret_in_what_a_person_says_is_theirs(memoro: Memoro, vault: Path) -> None:
    made = memoro("remember", f"my key is {TOKEN}", "--json").json
    assert made["redacted"] == [] and TOKEN in (vault / "MEMORY.md").read_text()


def test_what_is_shown_cannot_steer_the_terminal(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- red \x1b[31m ^one\n"})
    assert "\x1b" not in memoro("remove", "one").out


def test_direct_writing_is_a_setting(memoro: Memoro, home: Path, vault: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text('agent_writes = "direct"\n')
    made = memoro("remember", "x", "--by", "helper", "--json").json
    assert (made["proposal"], made["path"]) == (None, "MEMORY.md") and (vault / "MEMORY.md").exists()
    (shown,) = [
        one for one in memoro("config", "show", "--json").json["settings"] if one["key"] == "writing.agent_writes"
    ]
    assert (shown["value"], shown["origin"]) == ("direct", str(home / "memoro.toml"))
    (home / "memoro.toml").write_text('agent_writes = "sometimes"\n')
    wrong = memoro("remember", "x")
    assert wrong.code == 2 and "must be one of propose, direct" in wrong.err


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_completed(memoro: Memoro, shell: str) -> None:
    script = memoro("completion", shell).out
    for name in ("remember", "pin", "edit", "remove", "forget", "daily", "note", "proposals", "accept", "reject"):
        assert name in COMMANDS and re.search(rf"\b{name}\b", script)
    assert "section" in script and "restore" in script


def test_json_is_one_document(memoro: Memoro) -> None:
    for arguments in (["remember", "x"], ["pin", "y"], ["daily", "z"], ["note", "new", "n.md", "t"], ["proposals"]):
        assert json.loads(memoro(*arguments, "--json").out)


def test_a_line_that_a_stale_save_dropped_is_shown_accepted_and_rejected(memoro: Memoro, vault: Path) -> None:
    path = memoro("daily", "zero", "--json").json["path"]
    file = vault / path
    older = file.read_bytes()
    lines = [memoro("daily", text, "--json").json["line"] for text in ("one.", "two.")]
    file.write_bytes(older)
    assert memoro("search", "zero").code == 0
    assert file.read_bytes() == older
    shown = memoro("proposals").out.splitlines()
    begins = f"put back in {path}? (a save of an older version may have dropped it; waits until "
    assert shown[0].startswith(f"1. {begins}") and shown[2].startswith(f"2. {begins}")
    assert [shown[1], shown[3]] == [f"   + {line}" for line in lines]
    assert memoro("accept", "1").out == f"{path}  {lines[0]}\n   accepted; `memoro undo` reverts it\n"
    assert file.read_text() == f"{older.decode()}{lines[0]}\n"
    assert memoro("undo").code == 0
    assert file.read_bytes() == older
    assert memoro("reject", "2").out.endswith("  rejected\n")
    assert memoro("proposals").out == "No proposals wait. `memoro review` looks for new ones.\n"


def test_a_save_that_dropped_many_lines_is_one_proposal_that_lists_them(memoro: Memoro, vault: Path) -> None:
    path = memoro("daily", "zero", "--json").json["path"]
    older = (vault / path).read_bytes()
    lines = [memoro("daily", f"line {number}.", "--json").json["line"] for number in range(6)]
    (vault / path).write_bytes(older)
    first, *rest = memoro("proposals").out.splitlines()
    assert first.startswith("1. put back")
    assert rest[:-1] == [f"   + {line}" for line in lines]
    accepted = memoro("accept", "1").out.splitlines()
    assert accepted[1:] == [*(f"   {line}" for line in lines[1:]), "   accepted; `memoro undo` reverts it"]


def test_old_days_move_with_any_command_that_writes_and_none_that_reads(
    memoro: Memoro, home: Path, vault: Path
) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text("[embedding]\nenabled = false\n[daily]\nkeep_days = 7\n")
    write_vault(vault, {"daily/2020-01-01.md": "an old day"})
    before = fingerprint(vault)
    for command in (
        ["sync"],
        ["search", "old"],
        ["prompt", "old"],
        ["status"],
        ["log"],
        ["undo"],
        ["backup", "create"],
    ):
        memoro(*command)
        assert fingerprint(vault) == before, command
    assert memoro("memory", "store", "Tea is green.").code == 0
    assert set(fingerprint(vault)) == {"daily/archive/2020/2020-01-01.md"}
    assert "store" in memoro("undo").out, "undo means the command, not the move"


def test_a_line_that_is_no_list_item_is_refused_with_the_way_to_delete_it(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"runbook.md": "# Runbook\n\nRestart the poller.\n"})

    for line in (1, 2, 3):
        done = memoro("forget", f"runbook.md:{line}", "--yes")
        assert done.code == 1 and f"Line {line} of runbook.md is not a list item." in done.err
        assert "in your editor, then run `memoro sync`" in done.err
    assert "There is no entry 'runbook.md:40'" in memoro("forget", "runbook.md:40", "--yes").err
    missing = memoro("forget", "none.md:1", "--yes")
    assert missing.code == 1 and "There is no entry 'none.md:1'" in missing.err
    assert "else name PATH:LINE, memory:N or an id of a search" in missing.err


@pytest.mark.parametrize("command", [("forget", "--yes"), ("remove",), ("edit", "x")])
def test_a_whole_note_is_no_entry_and_is_deleted_in_the_editor(
    command: tuple[str, ...], memoro: Memoro, vault: Path
) -> None:
    write_vault(vault, {"people/pia.md": "# Pia\n\n- A nut allergy\n"})
    before = fingerprint(vault)
    done = memoro(command[0], "people/pia.md", *command[1:])
    assert done.code == 1 and done.err.count("\n") == 1
    assert "people/pia.md is a whole note. Name one list item, as people/pia.md:LINE, or delete the note" in done.err
    assert fingerprint(vault) == before
