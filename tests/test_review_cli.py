"""`memoro review` as a person uses it: at a real terminal, in a pipe, and by number."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import memoro as library
from memoro.cli.proposal_words import origin_line
from memoro.model.proposals import EditEntry, Evidence, RememberEntry, RetireEntry, Suggestion
from tests.conftest import Memoro

TEA = RememberEntry(text="Tea is served at four", tier="semantic", section=None, path="MEMORY.md")
SAID = Evidence(quote="I always drink tea at four", path="@logs/a.jsonl", line=7, date="2026-03-05", speaker="User")
KEYS, YES = b"[q]uit  [?] ", b"[y/N] "


class Seen(NamedTuple):
    text: str
    code: int
    is_restored: bool  # the terminal is as it was


@pytest.fixture
def proposals(home: Path, vault: Path) -> Path:
    """Three proposals wait: two facts, and a new wording."""
    (vault / "MEMORY.md").write_text("# Memory\n\n- The kettle is blue ^kettle\n- Anna likes figs ^figs\n")
    changes = (TEA, EditEntry("kettle", "The kettle is green", "MEMORY.md"), TEA._replace(text="Bread is rye"))
    with library.open(home, vault) as m:
        for change in changes:
            m.proposals.propose(Suggestion(change, (SAID,), "review", reason="It came up on 3 days."), by="memoro")
    return vault


def at_a_terminal(home: Path, vault: Path, answers: Sequence[tuple[bytes, bytes]], **environment: str) -> Seen:
    """Run `memoro review --no-round` at a terminal; each answer is sent once what it answers is shown."""
    arguments = ["--home", str(home), "--vault", str(vault), "review", "--no-round"]
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a suite that runs in the background ignores Ctrl-C
        os.environ.pop("EDITOR", None)
        os.environ.pop("VISUAL", None)
        os.environ.pop("NO_COLOR", None)
        os.environ.update({"TERM": "xterm-256color", **environment})
        os.execv(sys.executable, [sys.executable, "-m", "memoro", *arguments])
    before, seen, answered, left = termios.tcgetattr(terminal), b"", 0, list(answers)
    after = before
    while select.select([terminal], [], [], 30)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux tells the end so
            break
        if not part:
            break
        seen += part
        if left and left[0][0] in seen[answered:]:
            answered = len(seen)
            os.write(terminal, left.pop(0)[1])
        after = termios.tcgetattr(terminal) if b" wait" in seen[answered:] else after
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return Seen(seen.decode(), os.waitstatus_to_exitcode(status), after == before)


def memory(vault: Path) -> str:
    return (vault / "MEMORY.md").read_text()


@pytest.mark.process
def test_one_key_decides_without_enter_and_the_terminal_is_restored(home: Path, proposals: Path) -> None:
    seen = at_a_terminal(home, proposals, [(KEYS, b"a"), (KEYS, b"\x1b[A"), (KEYS, b"r"), (KEYS, b"s")])
    assert seen.code == 0 and seen.is_restored
    assert TEA.text in memory(proposals) and "green" not in memory(proposals)
    assert "1 accepted, 1 rejected, 1 skipped; 1 waits." in seen.text
    assert "\x1b[32m   + Tea is served at four" in seen.text
    assert "\x1b[31m   - The kettle is blue" in seen.text


@pytest.mark.process
def test_the_editor_gets_the_text_and_its_words_are_accepted(home: Path, proposals: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys\nfile = sys.argv[1]\ntext = open(file).read()\n"
        "assert text.startswith('Tea is served at four\\n') and '# ' in text\n"
        "open(file, 'w').write(text.replace('four', 'five'))\n"
    )
    answers = [(KEYS, b"e"), (YES, b"y"), (KEYS, b"q")]
    seen = at_a_terminal(home, proposals, answers, EDITOR=f"{sys.executable} {editor}")
    assert "accepted in your words" in seen.text and seen.is_restored
    assert "- Tea is served at five ^" in memory(proposals)


@pytest.mark.process
def test_an_editor_that_fails_changes_nothing(home: Path, proposals: Path) -> None:
    seen = at_a_terminal(home, proposals, [(KEYS, b"e"), (KEYS, b"q")], EDITOR="false")
    assert "The editor 'false' ended with code 1; nothing was changed." in seen.text
    assert "Tea" not in memory(proposals)


@pytest.mark.process
@pytest.mark.parametrize("leave", [b"\x03", b"\x04"])
def test_leaving_at_any_time_leaves_nothing_half_done(home: Path, proposals: Path, leave: bytes) -> None:
    seen = at_a_terminal(home, proposals, [(KEYS, b"a"), (KEYS, leave)])
    assert seen.code == 0 and seen.is_restored
    assert "1 accepted, 0 rejected, 0 skipped; 2 wait." in seen.text
    assert "Traceback" not in seen.text


@pytest.mark.process
def test_a_terminal_without_single_keys_takes_lines(home: Path, proposals: Path) -> None:
    seen = at_a_terminal(home, proposals, [(KEYS, b"a\n"), (KEYS, b"q\n")], TERM="dumb")
    assert TEA.text in memory(proposals)
    assert "2 wait." in seen.text


def test_the_agent_that_asks_is_named(memoro: Memoro, home: Path, vault: Path) -> None:
    with library.open(home, vault, agent="codex") as m:
        m.remember("Tea is served at four", by="agent")
        (proposal,) = m.proposals.all()
    assert "1. add a fact to MEMORY.md, by codex on " in memoro("proposals").out
    assert origin_line(proposal).startswith("an agent asked for it, by codex, on ")


def test_a_pipe_gets_the_list_and_how_to_decide(memoro: Memoro, proposals: Path) -> None:
    done = memoro("review", "--no-round")
    assert done.code == 0
    assert "1. add a fact to MEMORY.md" in done.out and "+ Tea is served at four" in done.out
    assert "memoro review --accept N" in done.out
    assert "Tea" not in memory(proposals)
    looked = memoro("review")
    assert looked.out.startswith("Looked at 2 entries, by rules, without a language model: ")


def test_json_has_the_round_and_the_proposals_with_their_texts(memoro: Memoro, proposals: Path) -> None:
    found = memoro("review", "--json").json
    assert set(found) == {"round", "proposals", "decided"}
    assert set(found["round"]) == {
        "looked_at", "model", "proposed", "withheld", "contradictions", "notices", "sentence",
    }  # fmt: skip
    assert found["round"]["looked_at"]["entries"] == 2
    first = found["proposals"][0]
    assert (first["text_before"], first["text_after"]) == (None, TEA.text)
    assert first["evidence"] == [SAID._asdict()]
    assert {"id", "operation", "origin", "reason", "uses", "state"} <= set(first)
    assert memoro("review", "--json", "--no-round").json["round"] is None
    assert "Tea" not in memory(proposals)


def test_several_are_decided_by_number(memoro: Memoro, proposals: Path) -> None:
    done = memoro("review", "--accept", "1", "3", "--reject", "2")
    assert done.code == 0
    assert "1. Accepted; `memoro undo" in done.out and "2. Rejected for ever" in done.out
    assert TEA.text in memory(proposals) and "Bread is rye" in memory(proposals) and "green" not in memory(proposals)
    again = memoro("review", "--accept", "1", "--json")
    assert again.code == 5
    assert [(one["proposal"], one["done"]) for one in again.json["decided"]] == [(1, False)]


@pytest.mark.usefixtures("proposals")
def test_one_that_fails_does_not_stop_the_others(memoro: Memoro) -> None:
    memoro("reject", "2")
    done = memoro("review", "--accept", "2", "1")
    assert done.code == 5
    assert "2. Proposal 2 was rejected on" in done.out and "1. Accepted" in done.out
    assert memoro("review", "--accept", "99").code == 5


def test_an_edit_by_number_is_accepted_in_a_persons_words(memoro: Memoro, proposals: Path) -> None:
    done = memoro("review", "--edit", "1", "--text", "Tea is served at five")
    assert "Accepted in your words" in done.out
    assert "- Tea is served at five ^" in memory(proposals)
    assert memoro("log", "--json").json["changes"][0]["actor"] == "user"
    assert memoro("review", "--edit", "2", "--text", " ").code == 5
    assert memoro("review", "--edit", "2").code == 2
    assert memoro("review", "--accept", "2", "--reject", "2").code == 2


@pytest.mark.usefixtures("proposals")
def test_the_list_of_all_says_what_became_of_each(memoro: Memoro) -> None:
    memoro("review", "--edit", "1", "--text", "Tea is served at five")
    memoro("review", "--accept", "2", "--reject", "3")
    memoro("undo", "--proposal", "2")

    listed = memoro("proposals", "--all").out.splitlines()
    states = {line[:2]: line.rpartition("  ")[2] for line in listed if line[:1].isdigit()}
    assert states == {"1.": "accepted in your own words", "2.": "accepted, then undone", "3.": "rejected"}
    assert any("Tea is served at five" in line for line in listed) and not any(TEA.text in line for line in listed)

    memoro("undo", "--proposal", "1")
    found = {one["id"]: one for one in memoro("proposals", "--all", "--json").json["proposals"]}
    assert [(found[n]["undone"], found[n]["reworded"]) for n in (1, 2)] == [(True, True), (True, False)]
    assert (found[1]["text_after"], found[2]["text_after"]) == ("Tea is served at five", "The kettle is green")


def test_an_agents_shell_can_list_and_never_decide(memoro: Memoro, proposals: Path) -> None:
    agents = {"MEMORO_AGENT": "claude"}
    refused = memoro("review", "--accept", "1", env=agents)
    assert refused.code != 0 and "is for a person" in refused.err
    assert "Tea is served at four" in memoro("proposals", env=agents).out
    assert "Tea" not in memory(proposals)


@pytest.mark.usefixtures("proposals")
def test_status_says_what_waits(memoro: Memoro) -> None:
    shown = memoro("status").out
    assert "proposals 3 wait, 2 to add, 1 to reword; the oldest since " in shown and ": `memoro review`" in shown
    found = memoro("status", "--json").json
    assert (found["proposals"], found["proposal_kinds"]) == (3, {"add": 2, "reword": 1})
    assert json.dumps(found["oldest_proposal"])


def test_nothing_to_decide_is_said(memoro: Memoro, vault: Path) -> None:
    assert "No proposals wait." in memoro("review").out
    assert not (vault / "MEMORY.md").exists()


def test_two_proposals_of_one_retired_entry_are_told_apart(memoro: Memoro, home: Path, proposals: Path) -> None:
    with library.open(home, proposals) as m:
        m.proposals.propose(Suggestion(RetireEntry("MEMORY.md:4", "MEMORY.md", "Anna likes figs"), origin="tidy"))
    assert "- Anna likes figs" in memoro("proposals").out
