"""Hooks answer in the host's format, note down what ends, lose none of it, and never get in the host's way."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.conversation.log_digest import digest_of_log
from memoro.hooks import capture, spool
from memoro.hooks.answers import message_of
from memoro.hooks.checkup import checkup
from memoro.hooks.events import Capture, PromptSubmitted, SessionStarted, read_event
from memoro.hooks.service import CaptureService
from memoro.hosts import HOOK_AGENTS
from memoro.hosts.host import CAPTURE_KINDS
from memoro.serve.services import ServiceContext
from tests.conftest import Result, fingerprint, times, wait_for, write_vault
from tests.damage import overwrite_table
from tests.kept_reports import KeptReports
from tests.ledgers import database_of

NOTES = {
    "MEMORY.md": "# Memory\n\n- The staging database is called heron.\n",
    "PROCEDURAL.md": "# Rules\n\n- Run the linter before every commit.\n",
    "projects/heron.md": "# Heron\n\nThe heron cluster moved to Rotterdam because of the cheaper power there.\n",
    "projects/tea.md": "# Tea\n\nGreen tea from Uji is brewed at seventy degrees.\n",
}


class Host:
    """A host with a vault, a home, and logs of its own."""

    def __init__(self, folder: Path) -> None:
        self.me, self.home, self.vault = folder / "me", folder / "me" / ".memoro", folder / "vault"
        self.project = folder / "project"
        for one in (self.me, self.project):
            one.mkdir()
        write_vault(self.vault, NOTES)
        clean = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("MEMORO_", "CLAUDE", "CODEX", "GEMINI"))
        }
        self.environment = {
            **clean,
            "HOME": str(self.me),
            "MEMORO_VAULT": str(self.vault),
            "MEMORO_HOOK_SECONDS": "40",  # a machine on which tests run may be slow
            "PYTHONWARNINGS": "error",
        }

    def calls(self, host: str, event: object, **more: str) -> Result:
        said = event if isinstance(event, bytes) else json.dumps(event).encode()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memoro", "hook", *([host] if host else [])],
            input=said, capture_output=True, env={**self.environment, **more}, cwd=self.project, timeout=60,
            check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def loads(self, event: object) -> set[str]:
        """The modules that are loaded when an event has been answered."""
        script = (
            "import json, os, sys\n"
            "from memoro.cli import main\n"
            "def told(code):\n"
            "    print(json.dumps(list(sys.modules)), file=sys.stderr)\n"
            "    sys.exit(code)\n"
            "os._exit = told\n"
            "main(['hook', 'claude'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], input=json.dumps(event), capture_output=True, text=True,
            env=self.environment, check=True,
        )  # fmt: skip
        return set(json.loads(done.stderr.strip().rpartition("\n")[2]))

    def types(self, *arguments: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "memoro", *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env=self.environment, timeout=60, check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    def log(self, session: str = "s1", prompts: int = 3, text: str = "Please mend the parser of dates") -> Path:
        """A conversation as Claude Code writes it."""
        file = self.me / ".claude" / "projects" / "-w" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        records: list[dict[str, Any]] = []
        for number in range(prompts):
            about = {"sessionId": session, "timestamp": f"2026-11-01T10:0{number}:00.000Z", "cwd": "/w/parcels"}
            said = f"{text} ({number})"
            records.append(
                {"type": "user", "uuid": f"{session}u{number}", **about, "message": {"role": "user", "content": said}}
            )
            path = f"/w/parcels/dates{number}.py"
            use = {"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": {"file_path": path}}
            records.append(
                {
                    "type": "assistant", "uuid": f"{session}a{number}", **about,
                    "message": {"id": f"m{number}", "role": "assistant", "content": [use]},
                }
            )  # fmt: skip
        file.write_text("".join(f"{json.dumps(one)}\n" for one in records))
        return file

    def opened(self) -> memoro.Workspace:
        return memoro.open(self.home, self.vault)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    found = Host(tmp_path)
    monkeypatch.setenv("HOME", str(found.me))  # for what is opened in this process
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "MEMORO_HOME", "MEMORO_VAULT"):
        monkeypatch.delenv(name, raising=False)
    return found


def event(name: str, **more: object) -> dict[str, object]:
    return {"session_id": "s1", "transcript_path": "", "cwd": "/w/parcels", "hook_event_name": name, **more}


def given_context(result: Result, name: str) -> str:
    """What is put before the model, after looking that the answer is of the host's form and no more."""
    assert result.code == 0, result.err
    answer = json.loads(result.out)
    assert list(answer) == ["hookSpecificOutput"]
    assert list(answer["hookSpecificOutput"]) == ["hookEventName", "additionalContext"]
    assert answer["hookSpecificOutput"]["hookEventName"] == name
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert isinstance(context, str)
    return context


# ------ nothing that a host can say gets in its way

QUIET: list[tuple[str, Any]] = [
    ("claude", b""),
    ("claude", b"\n"),
    ("claude", b"{"),
    ("claude", b"\xff\xfe"),
    ("claude", b"[" * 100_000),
    ("claude", []),
    ("claude", {}),
    ("claude", {"hook_event_name": 7}),
    ("claude", event("Whatever")),
    ("claude", event("PreToolUse", tool_name="Bash", tool_input={})),
    ("claude", event("UserPromptSubmit", prompt="where is heron", source="system")),
    ("claude", event("UserPromptSubmit", prompt="where is heron", source="loop_wakeup")),
    ("claude", event("UserPromptSubmit", prompt="where is heron", agent_id="a1")),
    ("claude", event("SessionStart", source="startup", agent_id="a1")),
    ("claude", event("UserPromptSubmit", prompt=["no", "text"])),
    ("claude", event("UserPromptSubmit")),
    ("claude", event("UserPromptSubmit", prompt="")),
    ("claude", event("UserPromptSubmit", prompt="zzgrmpf qqxyv")),
    ("codex", event("BeforeAgent", prompt="where is heron")),
    ("gemini", event("UserPromptSubmit", prompt="where is heron")),
    ("claud", event("UserPromptSubmit", prompt="where is heron")),
    ("", event("UserPromptSubmit", prompt="where is heron")),
    ("--bogus", event("UserPromptSubmit", prompt="where is heron")),
]


def test_what_asks_for_no_answer_gets_none(host: Host) -> None:
    for name, said in QUIET:
        done = host.calls(name, said)
        assert (done.code, done.out) == (0, ""), (name, said)
        assert "Traceback" not in done.err


@pytest.mark.parametrize("broken", ["no vault", "no such vault", "home is a file", "damaged ledger"])
def test_what_is_broken_is_noted_and_the_host_goes_on(host: Host, broken: str) -> None:
    more: dict[str, str] = {}
    if broken == "no vault":
        more = {"MEMORO_VAULT": ""}
    elif broken == "no such vault":
        host.home.mkdir(0o700)
        more = {"MEMORO_VAULT": "/no/such/folder"}
    elif broken == "home is a file":
        host.home.write_text("")
    else:
        host.home.mkdir(0o700)
        (host.home / "ledger.db").write_bytes(b"no database" * 1000)
    for name, said in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "where is heron"}),
        ("SessionEnd", {"reason": "other"}),
    ):
        done = host.calls("claude", event(name, **said), **more)
        assert done.code == 0
        assert "Traceback" not in done.err + done.out
        if done.out:
            given_context(done, name)
    if broken == "no such vault":
        assert any("/no/such/folder" in line for line in spool.read_log(str(host.home)))
        assert [check.state for check in checkup(str(host.home), now=datetime.now())] == ["warning"]


HERON = "Why did the heron cluster move to Rotterdam?"
DAMAGED = "Memoro's ledger is damaged"


def damage_ledger(host: Host) -> None:
    """As when a disk cuts the file off."""
    for log in host.home.glob("ledger.db-*"):
        log.unlink()
    with (host.home / "ledger.db").open("r+b") as file:
        file.truncate(5000)


def test_a_damaged_ledger_keeps_no_note_from_a_session_which_is_told_of_it(host: Host) -> None:
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    damage_ledger(host)
    began = given_context(
        host.calls("claude", event("SessionStart", source="startup", session_id="s2")), "SessionStart"
    )
    assert "The staging database is called heron" in began
    asked = given_context(host.calls("claude", event("UserPromptSubmit", prompt=HERON)), "UserPromptSubmit")
    assert "cheaper power" in asked
    for said in (began, asked):
        assert DAMAGED in said and "`memoro doctor`" in said
    assert any("LedgerDamaged" in line for line in spool.read_log(str(host.home)))
    unrelated = host.calls("claude", event("UserPromptSubmit", prompt="zzgrmpf qqxyv"))
    assert (unrelated.code, unrelated.out) == (0, "")


def test_the_start_of_a_session_tells_of_damage_where_the_mutes_are_read(host: Host) -> None:
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    overwrite_table(host.home / "ledger.db", "journal", 0, b"\xff" * 4096)
    began = given_context(
        host.calls("claude", event("SessionStart", source="startup", session_id="s2")), "SessionStart"
    )
    assert DAMAGED in began and "`memoro doctor`" in began


def test_a_missing_ledger_keeps_no_note_from_a_session(host: Host) -> None:
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    for file in host.home.glob("ledger.db*"):
        file.unlink()
    told = given_context(host.calls("claude", event("UserPromptSubmit", prompt=HERON)), "UserPromptSubmit")
    assert "cheaper power" in told and "Memoro's ledger cannot be used" in told


def test_with_a_damaged_ledger_no_conversation_and_no_memory_is_given(host: Host) -> None:
    host.log(text="The walrus is painted blue because green had run out")
    assert host.types("transcripts", "add", "claude").code == 0
    with host.opened() as m:
        m.memories.store("The walrus is painted blue on Tuesdays.")
    assert host.types("sync").code == 0
    walrus = event("UserPromptSubmit", prompt="Why is the walrus painted blue?", session_id="s2")
    assert "walrus" in host.calls("claude", walrus).out
    damage_ledger(host)
    for prompt in ("Why is the walrus painted blue?", "Where did we leave off?", "Paint the walrus blue."):
        assert "walrus" not in host.calls("claude", {**walrus, "prompt": prompt}).out
    assert "walrus" not in host.calls("claude", event("SessionStart", source="startup", session_id="s3")).out


def test_a_damaged_ledger_gives_no_note_where_something_was_muted(host: Host) -> None:
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    with host.opened() as m:
        [given] = m.sessions.show("s1").recalls[-1].recalled.items
        m.ratings.wrong(given.id)
    damage_ledger(host)
    asked = host.calls("claude", event("UserPromptSubmit", prompt=HERON, session_id="s2"))
    assert (asked.code, asked.out) == (0, "")
    began = host.calls("claude", event("SessionStart", source="startup", session_id="s2"))
    told = given_context(began, "SessionStart")
    assert f"{DAMAGED}, so it gives nothing unasked" in told and "heron" not in told


def test_a_session_without_loaded_notes_is_not_told_that_a_damaged_ledger_gives_nothing(host: Host) -> None:
    write_vault(host.vault, {"MEMORY.md": "# Memory\n\n## Facts\n", "PROCEDURAL.md": "# Rules\n"})
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    damage_ledger(host)
    began = host.calls("claude", event("SessionStart", source="startup", session_id="s2"))
    assert f"{DAMAGED}, so it gives only notes unasked" in given_context(began, "SessionStart")
    asked = host.calls("claude", event("UserPromptSubmit", prompt=HERON, session_id="s2"))
    assert "cheaper power" in given_context(asked, "UserPromptSubmit")


def test_a_damaged_ledger_gives_no_private_note_and_none_of_another_project(host: Host) -> None:
    write_vault(
        host.vault,
        {
            "notes/a.md": "---\nprivate: true\n---\n# Heron\n\nThe heron cluster moved to Rotterdam for a quarrel.\n",
            "notes/b.md": "---\nproject: egret\n---\n# Heron\n\nThe heron cluster moved to Rotterdam for egret.\n",
        },
    )
    (host.project / ".git").mkdir()
    host.calls("claude", event("UserPromptSubmit", prompt=HERON))
    damage_ledger(host)
    told = host.calls("claude", event("UserPromptSubmit", prompt=HERON, session_id="s2", cwd=str(host.project))).out
    assert "cheaper power" in told and "quarrel" not in told and "for egret" not in told


def test_a_host_that_never_ends_its_input_is_not_waited_for(host: Host) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", "hook", "claude"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**host.environment, "MEMORO_HOOK_SECONDS": "0.2"},
    )  # fmt: skip
    try:
        assert process.wait(60) == 0
        assert process.stdout is not None and process.stdout.read() == b""
    finally:
        process.kill()
        process.communicate()


def test_a_host_may_be_named_as_connect_names_it(host: Host) -> None:
    said = event("UserPromptSubmit", prompt="Why did the heron cluster move to Rotterdam?")
    done = host.calls("claude-code", said)
    assert "cheaper power" in given_context(done, "UserPromptSubmit") and done.err == ""


def test_a_prompt_that_takes_too_long_is_sent_without_an_answer(host: Host) -> None:
    host.home.mkdir(0o700)
    said = event("UserPromptSubmit", prompt="Why did heron move to Rotterdam?")
    done = host.calls("claude", said, MEMORO_HOOK_SECONDS="0.01")
    assert (done.code, done.out) == (0, "")
    assert "no answer within 0.0" in spool.read_log(str(host.home))[-1]
    assert "cheaper power" in host.calls("claude", said).out


def test_no_module_of_a_folder_that_is_worked_in_is_loaded(host: Host) -> None:
    for name in ("json", "memoro", "signal", "fcntl"):
        (host.project / f"{name}.py").write_text(f"open({str(host.project / 'ran')!r}, 'w')\n")
    host.calls("claude", event("SessionEnd", reason="other"))
    assert spool.has_pending(str(host.home))
    assert not (host.project / "ran").exists()


def test_noting_down_loads_no_index_and_no_database(host: Host) -> None:
    heavy = {"apsw", "numpy", "argparse", "memoro.workspace", "memoro.config", "memoro.vault.files"}
    heavy |= {"subprocess", "dataclasses", "inspect", "pathlib", "tempfile"}
    for name in ("SessionEnd", "PreCompact"):
        assert not host.loads(event(name)) & heavy


def test_an_event_loads_what_is_known_of_its_own_host_and_of_no_other(host: Host) -> None:
    for said in (event("SessionEnd"), event("UserPromptSubmit", prompt="Why did heron move to Rotterdam?")):
        loaded = {name for name in host.loads(said) if name.startswith("memoro.hosts.")}
        assert loaded == {"memoro.hosts.host", "memoro.hosts.claude_code"}


def test_a_session_that_begins_loads_no_model_and_no_search(host: Host) -> None:
    time.sleep(2.1)  # a note younger than this is read again, and reading loads the parsers
    host.calls("claude", event("SessionStart", session_id="s0", source="startup"))  # makes index and ledger
    heavy = {"numpy", "simsimd", "yaml", "argparse", "inspect", "dataclasses", "subprocess"}
    heavy |= {"memoro.search.hybrid", "memoro.providers.builtin.model", "memoro.hooks.capture"}
    assert not host.loads(event("SessionStart", source="startup")) & heavy
    assert host.loads(event("UserPromptSubmit", prompt="Why did heron move to Rotterdam?")) & heavy


def test_what_was_written_before_a_session_begins_is_in_the_index_when_it_has_begun(host: Host) -> None:
    host.calls("claude", event("SessionStart", source="startup"))
    with host.opened() as m:
        assert m.has_index(), "the first one makes it"
    (host.vault / "new.md").write_text("The lighthouse keeper is called Anselm.\n")
    host.calls("claude", event("SessionStart", session_id="s2", source="startup"))
    with host.opened() as m:
        assert m.status().dirty == ()


# ------ what events mean


@given(
    st.sampled_from([*HOOK_AGENTS, "other"]),
    st.dictionaries(
        st.sampled_from(["hook_event_name", "session_id", "prompt", "source", "agent_id", "transcript_path", "cwd"]),
        st.none()
        | st.integers()
        | st.text()
        | st.sampled_from(["SessionStart", "Stop", "SessionEnd", "BeforeAgent"]),
    ),
)
def test_any_event_is_understood_or_passed_over(name: str, said: dict[str, object]) -> None:
    told = read_event(name, said, {})
    if isinstance(told, Capture):
        assert told.session and said["session_id"]
    assert told is None or not said.get("agent_id")


def test_each_host_has_its_own_names() -> None:
    folder = "/w/parcels"
    assert read_event("gemini", event("BeforeAgent", prompt="x"), {}) == PromptSubmitted(
        event="BeforeAgent", session="s1", text="x", folder=folder
    )
    assert read_event("codex", event("SessionStart", source="compact"), {}) == SessionStarted(
        event="SessionStart", session="s1", emptied=True, folder=folder, source="compact"
    )
    assert read_event("codex", event("Stop"), {"CODEX_HOME": "/c"}) == Capture(
        "codex", "turn", "s1", "", "/w/parcels", "/c"
    )
    assert read_event("gemini", event("PreCompress"), {}) == Capture("gemini", "compaction", "s1", "", "/w/parcels")


@given(st.text(), st.text())
def test_what_we_have_put_in_before_is_not_asked_about(before: str, after: str) -> None:
    said = message_of(f"{before}<memoro-context id=1>heron</memoro-context>{after}")
    if "heron" not in before + after:
        assert "heron" not in said


@given(st.text(max_size=50), st.integers(0, 3))
def test_a_long_prompt_is_asked_about_by_its_ends(text: str, many: int) -> None:
    said = message_of(f"begin {text * many}{'x' * 100_000} end")
    assert len(said) <= 4001 and said.startswith("begin") and said.endswith("end")


# ------ the spool

CAPTURES = [Capture("claude", kind, f"s{number}") for number, kind in enumerate(CAPTURE_KINDS * 3)]


@given(
    st.lists(
        st.tuples(st.just("append"), st.sampled_from(CAPTURES))
        | st.tuples(st.just("torn"), st.integers(1, 100))
        | st.tuples(st.just("finish"), st.integers(0, 5)),
        max_size=25,
    )
)
def test_what_was_noted_down_waits_until_it_is_done_whatever_was_left_half_written(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, Any]]
) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    expected: list[Capture] = []
    for step, what in steps:
        if step == "append":
            spool.append(home, what)
            expected.append(what)
        elif step == "torn":  # a writer was killed in the midst of it
            whole = b'\n0{"at": 1.0, "host": "claude", "kind": "end", "session": "torn", "log": "", "folder": ""}'
            with open(os.path.join(home, spool.NAME), "ab") as file:
                file.write(whole[: min(what, len(whole) - 2)])
        elif spool.has_pending(home):
            lines = spool.pending(home)
            spool.finish(home, lines[:what])
            expected = expected[what:] if what else expected
        assert [line.capture for line in spool.pending(home)] == expected
    spool.append(home, CAPTURES[0])
    spool.finish(home, spool.pending(home))
    assert not spool.has_pending(home)


APPENDER = """
import sys
from memoro.hooks import spool
from memoro.hooks.events import Capture
number = 0
while number < int(sys.argv[3]):
    spool.append(sys.argv[1], Capture("claude", "turn", f"{sys.argv[2]}-{number}"))
    print(number, flush=True)
    number += 1
"""


def appender(home: Path, name: str, many: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", APPENDER, str(home), name, str(many)], stdout=subprocess.PIPE, text=True
    )


def test_many_append_while_one_works_off_and_each_line_is_seen_once(tmp_path: Path) -> None:
    each = times(60, 2000)
    writers = [appender(tmp_path, str(number), each) for number in range(3)]
    seen: list[str] = []
    deadline = time.monotonic() + 120
    while len(seen) < 3 * each and time.monotonic() < deadline:
        lines = spool.pending(str(tmp_path))
        seen += [line.capture.session for line in lines]
        if lines:
            spool.finish(str(tmp_path), lines)
    for writer in writers:
        writer.communicate()
    assert sorted(seen) == sorted(f"{name}-{number}" for name in range(3) for number in range(each))
    assert not spool.has_pending(str(tmp_path))


def test_the_spool_is_not_emptied_while_somebody_appends(tmp_path: Path) -> None:
    home = str(tmp_path)
    spool.append(home, CAPTURES[0])
    with open(tmp_path / spool.NAME, "rb") as appending:
        fcntl.flock(appending, fcntl.LOCK_EX)
        spool.finish(home, spool.pending(home))
        assert spool.pending(home) == []
        assert spool.has_pending(home), "done, and still there"
        fcntl.flock(appending, fcntl.LOCK_UN)
    spool.finish(home, [])
    assert not spool.has_pending(home)


@pytest.mark.campaign
def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path) -> None:
    acknowledged = set()
    for number in range(times(8, 300)):
        writer = appender(tmp_path, str(number), 10_000)
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(number % 5 + 1)]
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.read().splitlines(keepends=True)
        writer.wait()
        writer.stdout.close()
        acknowledged |= {f"{number}-{line.strip()}" for line in said if line.endswith("\n")}
    there = [line.capture.session for line in spool.pending(str(tmp_path))]
    assert acknowledged <= set(there)
    assert len(there) == len(set(there))


def test_a_line_that_cannot_be_written_is_given_up_after_some_tries_and_told(tmp_path: Path) -> None:
    home = str(tmp_path)
    spool.append(home, CAPTURES[1])
    spool.append(home, CAPTURES[2])
    for _ in range(3):
        spool.fail(home, spool.pending(home)[0], "no reason")
    assert [line.capture for line in spool.pending(home)] == [CAPTURES[2]]
    assert any("given up" in line and CAPTURES[1].session in line for line in spool.read_log(home))


def test_the_log_of_failures_does_not_grow_for_ever(tmp_path: Path) -> None:
    for number in range(400):
        spool.log(str(tmp_path), f"{number} {'x' * 400}")
    assert (tmp_path / spool.LOG).stat().st_size < 100_000
    assert spool.read_log(str(tmp_path))[-1].split()[1] == "399"


# ------ writing it down


def ended(host: Host, name: str = "SessionEnd", session: str = "s1", **more: str) -> Result:
    log = host.me / ".claude" / "projects" / "-w" / f"{session}.jsonl"
    return host.calls("claude", event(name, session_id=session, transcript_path=str(log), reason="other"), **more)


WRITE = ("memory", "store", "The kettle stands on the stove.")  # commands that write also write what hooks noted


def day_of(host: Host) -> str:
    return "".join(file.read_text() for file in sorted((host.vault / "daily").glob("*.md")))


def test_a_session_that_ends_becomes_a_note_by_the_next_command_that_writes(host: Host) -> None:
    host.log()
    before = fingerprint(host.vault)
    assert ended(host).out == ""
    for command in (["status"], ["search", "parser"], ["recall", "parser"], ["proposals"], ["doctor"]):
        host.types(*command)
        assert fingerprint(host.vault) == before, f"a hook at the end, and {command[0]}, write nothing"
    assert host.types(*WRITE).code == 0
    (note,) = (host.vault / "sessions").glob("*.md")
    text = note.read_text()
    assert "\n# Mend the parser of dates (0)\n" in text
    assert "\n## Files\n\n- `dates0.py`\n- `dates1.py`\n- `dates2.py`\n" in text
    assert "session: s1" in text and "2026-11-01T" in note.name
    assert day_of(host).count("Mend the parser of dates (0) — changed dates0.py, dates1.py, dates2.py") == 1
    assert not spool.has_pending(str(host.home))


def test_tool_calls_become_daily_lines_where_their_owner_wants_that(host: Host) -> None:
    file = host.log(prompts=1)
    ended(host, "Stop")
    host.types(*WRITE)
    assert "tool:" not in day_of(host), "off by default"
    with (host.home / "memoro.toml").open("a") as settings:
        settings.write("\n[daily]\ntool_calls = true\n")
    secret = "ghp_" + "a1B2" * 9
    uses = [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a.md", "limit": 5}},
        {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "x" * 60 + f" --token={secret}\nls"}},
        {"type": "tool_use", "id": "t3", "name": "mcp__memoro__search", "input": {"query": "tea"}},
    ]
    said = {"type": "assistant", "uuid": "a9", "timestamp": "2026-11-01T10:09:00.000Z"}
    with file.open("a") as log:
        log.write(json.dumps({**said, "message": {"id": "m9", "role": "assistant", "content": uses}}) + "\n")
    ended(host, "Stop")
    host.types(*WRITE)
    local = datetime(2026, 11, 1, 10, 9, tzinfo=UTC).astimezone()
    day = host.vault / f"daily/{local:%Y-%m-%d}.md"
    lines = [line for line in day.read_text().splitlines() if "tool:" in line]
    of_project = "#project/parcels"
    assert lines[:2] == [
        f"- {local - timedelta(minutes=9):%H:%M} tool:Edit — /w/parcels/dates0.py {of_project}",
        f"- {local:%H:%M} tool:Read — /w/a.md 5 {of_project}",
    ]
    assert len(lines) == 3
    assert lines[2].startswith(f"- {local:%H:%M} tool:Bash — xxx")
    assert len(lines[2].partition(" — ")[2].removesuffix(f" {of_project}")) == 80
    assert secret[:12] not in day_of(host)
    day.write_text("\n".join(line for line in day.read_text().splitlines() if "Read" not in line) + "\n")
    ended(host)
    host.types(*WRITE)
    assert "tool:Read" not in day_of(host), "a deleted line stays deleted"
    assert day_of(host).count("tool:") == 2


def test_the_next_session_writes_the_note_of_the_last(host: Host) -> None:
    host.log()
    ended(host, "Stop")
    ended(host)
    host.calls("claude", event("SessionStart", session_id="s2", source="startup"))
    assert list((host.vault / "sessions").glob("*.md"))
    assert [line.capture.kind for line in spool.pending(str(host.home))] == ["turn", "facts"], (
        "what takes longer waits"
    )


def test_a_compaction_makes_the_note_and_the_end_rewrites_it(host: Host) -> None:
    host.log(prompts=3)
    ended(host, "PreCompact")
    host.types(*WRITE)
    host.log(prompts=5)
    ended(host)
    host.types(*WRITE)
    (note,) = (host.vault / "sessions").glob("*.md")
    assert re.findall("`(.*)`", note.read_text()) == [f"dates{number}.py" for number in range(5)]
    assert note.read_text().count("## Files") == 1
    assert len(re.findall(r"- \d\d:\d\d Mend the parser", day_of(host))) == 1


def test_what_was_decided_is_in_the_note_of_the_session(host: Host) -> None:
    host.log(prompts=3, text="We decided to keep the dates in UTC. What about the hours of summer? They wait.")
    ended(host)
    host.types(*WRITE)
    (note,) = (host.vault / "sessions").glob("*.md")
    decisions = note.read_text().partition("## Decisions")[2].partition("\n## ")[0]
    assert decisions.count("We decided to keep the dates in UTC") == 1


def test_a_session_that_is_written_down_later_has_ended_when_it_ended(host: Host) -> None:
    host.home.mkdir(0o700)
    ended_at = datetime(2026, 3, 5, 17, 30).astimezone()
    said = Capture("claude", "end", "s1", str(host.log()), "/w/parcels")
    spool.append(str(host.home), said, now=ended_at.timestamp())
    with host.opened() as m:
        assert hooks.write_captures(m) == 1
    [note] = (host.vault / "sessions").iterdir()
    assert "\nended: 2026-03-05T17:30:00\n" in note.read_text()
    assert "- 17:30 Mend the parser" in (host.vault / "daily" / "2026-03-05.md").read_text()


def test_a_session_in_which_nothing_was_done_gets_no_note(host: Host) -> None:
    log = host.log(text="Thanks a lot!")
    log.write_text("".join(line for line in log.read_text().splitlines(keepends=True) if "tool_use" not in line))
    ended(host)
    host.types(*WRITE)
    assert not (host.vault / "sessions").exists()
    assert not spool.has_pending(str(host.home))


def test_what_is_written_twice_stands_there_once(host: Host) -> None:
    host.log()
    ended(host, "PreCompact")
    ended(host)
    waiting = (host.home / spool.NAME).read_bytes()
    with host.opened() as m:
        assert hooks.write_captures(m) == 2
        once = fingerprint(host.vault)
        assert len(once) == len(NOTES) + 2
        (host.home / spool.NAME).write_bytes(waiting)  # the power went before it was marked
        assert hooks.write_captures(m) == 2
    again = fingerprint(host.vault)
    ended_at = re.compile(rb"ended: .*")
    assert {path: ended_at.sub(b"", data) for path, data in again.items()} == {
        path: ended_at.sub(b"", data) for path, data in once.items()
    }


WORKER = """
import sys, memoro
from memoro import hooks
with memoro.open(sys.argv[1], sys.argv[2]) as m:
    print("ready", flush=True)
    hooks.write_captures(m)
    print("done", flush=True)
"""


@pytest.mark.campaign
def test_whoever_is_killed_at_work_loses_nothing_and_writes_nothing_twice(host: Host) -> None:
    sessions = [f"s{number}" for number in range(times(4, 20))]
    with host.opened() as m:
        m.sync()
    home = str(host.home)
    for number, session in enumerate(sessions):
        log = host.log(session, text=f"Work on the task of {session}")
        spool.append(home, Capture("claude", "compaction", session, str(log)), now=1_762_000_000.0 + 60 * number)
        spool.append(home, Capture("claude", "end", session, str(log)), now=1_762_000_030.0 + 60 * number)
    for round in range(times(6, 200)):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, home, str(host.vault)],
            stdout=subprocess.PIPE, text=True, env=host.environment,
        )  # fmt: skip
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        time.sleep(0.02 * (round % 12))
        worker.kill()
        finished = "done" in worker.stdout.read()
        worker.wait()
        worker.stdout.close()
        if finished:
            break
    with host.opened() as m:
        hooks.write_captures(m)
    assert not spool.has_pending(home)
    notes = [file.read_text() for file in (host.vault / "sessions").glob("*.md")]
    assert sorted(re.findall(r"^session: (\S+)$", "\n".join(notes), re.MULTILINE)) == sorted(sessions)
    day = day_of(host)
    for session in sessions:
        assert day.count(f"Work on the task of {session} (0)") == 1


def test_what_cannot_be_written_now_waits(host: Host) -> None:
    host.log()
    ended(host)
    os.rename(host.vault, host.vault.with_name("away"))
    host.types(*WRITE)
    assert spool.has_pending(str(host.home))
    os.rename(host.vault.with_name("away"), host.vault)
    host.types(*WRITE)
    assert not spool.has_pending(str(host.home))
    assert list((host.vault / "sessions").glob("*.md"))


def test_secrets_in_what_was_said_are_not_written_down(host: Host) -> None:
    host.log(text="Use the key sk-ant-api03-" + "Ab3" * 31 + " for that")
    ended(host)
    assert b"Ab3Ab3" not in (host.home / spool.NAME).read_bytes()
    host.types(*WRITE)
    written = b"".join(fingerprint(host.vault).values())
    assert b"Ab3Ab3" not in written and b"redacted" in written


def test_only_a_log_of_the_host_is_read(host: Host, tmp_path: Path) -> None:
    real = host.log()
    outside = tmp_path / "secret.jsonl"
    outside.write_bytes(real.read_bytes())
    link = real.with_name("linked.jsonl")
    link.symlink_to(outside)
    environment = {"HOME": str(host.me)}
    assert capture.open_log("claude", str(real), environment) is not None
    for path in (
        outside,
        link,
        real / ".." / ".." / ".." / ".." / ".." / "secret.jsonl",
        real.with_name("none.jsonl"),
    ):
        found = capture.open_log("claude", str(path), environment)
        assert found is None or digest_of_log(*found) is None


def test_a_log_is_found_where_the_hook_said_that_the_host_keeps_them(host: Host, tmp_path: Path) -> None:
    log = host.log()
    moved = tmp_path / "elsewhere"
    os.rename(host.me / ".claude", moved)
    log = moved / log.relative_to(host.me / ".claude")
    host.calls("claude", event("SessionEnd", transcript_path=str(log)), CLAUDE_CONFIG_DIR=str(moved))
    host.types(*WRITE)
    assert list((host.vault / "sessions").glob("*.md"))


def test_conversations_become_findable_where_their_owner_wants_that(host: Host) -> None:
    host.log()
    assert host.types("transcripts", "add", "claude").code == 0
    host.log(prompts=4)
    ended(host, "Stop")
    assert host.types(*WRITE).code == 0  # a command that does not sync by itself
    assert not spool.has_pending(str(host.home))
    with host.opened() as m:
        assert [known.messages for known in m.transcripts()] == [4]


def test_a_turn_that_ended_a_while_ago_is_worked_off_in_the_background(host: Host) -> None:
    host.log()
    ended(host, "Stop")
    assert spool.has_pending(str(host.home)), "a turn by itself can wait"
    spool.append(str(host.home), Capture("claude", "turn", "s0"), now=time.time() - 3600)
    ended(host, "Stop")
    assert not spool.has_pending(str(host.home))


def test_serve_writes_what_was_noted_down(host: Host) -> None:
    log = host.log()
    stop, reports = threading.Event(), KeptReports()
    with host.opened() as m:
        part = threading.Thread(target=CaptureService().run, args=(ServiceContext(m, stop, reports),))
        part.start()
        try:
            spool.append(str(host.home), Capture("claude", "end", "s1", str(log)))
            assert wait_for(lambda: bool(reports.lines), 30)
        finally:
            stop.set()
            part.join(30)
    assert reports.lines == ["hooks: 1 event written down"]
    assert list((host.vault / "sessions").glob("*.md"))


def test_doctor_tells_of_hooks(host: Host) -> None:
    assert "✓ hooks" not in host.types("doctor").out
    ended(host)
    host.types(*WRITE)
    assert "hooks: nothing is pending" in host.types("doctor").out
    spool.append(str(host.home), Capture("claude", "end", "s1"), now=time.time() - 3 * 86_400)
    (found,) = checkup(str(host.home), now=datetime.now())
    assert found.state == "warning" and "more than a day" in found.found


# ------ answering


ANSWERED = [
    ("claude", "SessionStart", "UserPromptSubmit"),
    ("codex", "SessionStart", "UserPromptSubmit"),
    ("gemini", "SessionStart", "BeforeAgent"),
]


@pytest.mark.parametrize(("name", "start", "prompt"), ANSWERED, ids=[name for name, _, _ in ANSWERED])
def test_a_session_begins_with_what_is_always_known_and_a_prompt_brings_up_what_is_about_it(
    host: Host, name: str, start: str, prompt: str
) -> None:
    begun = given_context(host.calls(name, event(start, source="startup")), start)
    assert "heron" in begun and "linter" in begun and "Rotterdam" not in begun
    first = given_context(host.calls(name, event(prompt, prompt="Why did heron move to Rotterdam?")), prompt)
    assert "cheaper power" in first and "linter" not in first
    for block in (begun, first):
        assert block.count("<memoro-context") == block.count("</memoro-context>") == 1


def test_nothing_is_given_twice_to_one_session_but_after_a_compaction(host: Host) -> None:
    def ask(session: str = "s1") -> Result:
        return host.calls(
            "claude", event("UserPromptSubmit", session_id=session, prompt="Why did heron move to Rotterdam?")
        )

    assert "cheaper power" in given_context(ask(), "UserPromptSubmit")
    assert "cheaper power" not in ask().out
    assert "cheaper power" in ask("s2").out
    host.calls("claude", event("SessionStart", source="compact"))
    assert "cheaper power" in ask().out
    ended(host)
    host.types(*WRITE)

    def current() -> set[str]:
        with host.opened() as m:
            assert {session.id for session in m.sessions.all(archived=True)} == {"s1", "s1 (2)", "s2"}
            return {session.id for session in m.sessions.all()}

    assert current() == {"s2"}, "what has ended is archived"
    host.calls("claude", event("SessionStart", source="resume"))
    assert current() == {"s1 (2)", "s2"}, "and what goes on is not"


def test_a_session_that_goes_on_is_told_again_only_what_has_changed(host: Host) -> None:
    def begin(source: str) -> Result:
        return host.calls("claude", event("SessionStart", source=source))

    assert "linter" in begin("startup").out
    assert begin("resume").out == ""
    assert "linter" in begin("compact").out
    (host.vault / "PROCEDURAL.md").write_text("# Rules\n\n- Run the formatter before every commit.\n")
    assert "formatter" in begin("resume").out


def test_what_a_session_began_with_was_for_no_message_and_is_asked_again(host: Host) -> None:
    host.calls("claude", event("SessionStart", source="startup"))
    shown = host.types("session", "show", "s1").out
    assert "what the session began with" in shown
    assert "forgotten" not in shown
    (host.vault / "PROCEDURAL.md").write_text("# Rules\n\n- Run the formatter before every commit.\n")
    again = host.types("session", "replay", "s1", "1", "--now")
    assert "PROCEDURAL.md" in again.out, again.err


def test_a_ledger_that_cannot_be_written_keeps_no_session_from_its_context(host: Host) -> None:
    with host.opened() as m:
        m.sessions.start("another")
        Path(database_of(m.ledger.access.ledger).damaged_copy).write_bytes(b"")  # as if it had been found damaged
        for said in (event("SessionStart", source="startup"), event("UserPromptSubmit", prompt="Why Rotterdam?")):
            assert hooks.answer("claude", said, m)


def test_what_a_session_began_with_is_not_given_again_unless_it_was_edited_since(host: Host) -> None:
    def ask(name: str, **more: object) -> str:
        with host.opened() as m:
            answer = hooks.answer("claude", event(name, **more), m)
        return json.dumps(answer)

    assert "heron" in ask("SessionStart", source="startup")
    assert "heron" not in ask("UserPromptSubmit", prompt="What is the staging database called?")
    (host.vault / "MEMORY.md").write_text("# Memory\n\n- The staging database is called egret.\n")
    assert "egret" in ask("UserPromptSubmit", prompt="What is the staging database called now?")
    assert "egret" not in ask("UserPromptSubmit", prompt="What is the staging database called, again?")


def test_the_first_prompt_is_answered_as_briefly_as_later_ones(host: Host) -> None:
    host.calls("claude", event("SessionStart", source="startup"))
    for prompt in ("Why did heron move to Rotterdam?", "How is green tea brewed?", "And from where is the tea?"):
        host.calls("claude", event("UserPromptSubmit", prompt=prompt))
    with host.opened() as m:
        forms = [one.recalled.form for one in m.sessions.show("s1").recalls]
    assert forms == ["prompt", "proactive", "proactive", "proactive"]


def test_a_conversation_is_not_told_what_was_said_in_it(host: Host) -> None:
    heard = "Why is the walrus painted blue on Tuesdays?"
    file, other = host.log(text=heard), host.log("s2", text="The walrus is painted blue because green had run out")
    assert host.types("transcripts", "add", "claude").code == 0
    for source in ("startup", "compact"):
        host.calls("claude", event("SessionStart", source=source, transcript_path=str(file)))
        done = host.calls("claude", event("UserPromptSubmit", prompt=heard, transcript_path=str(file)))
        context = given_context(done, "UserPromptSubmit")
        assert other.name in context
        assert file.name not in context


def test_a_prompt_of_a_megabyte_is_answered(host: Host) -> None:
    done = host.calls("claude", event("UserPromptSubmit", prompt="Where is heron? " + "lorem ipsum " * 90_000))
    assert done.code == 0
    if done.out:
        given_context(done, "UserPromptSubmit")


@pytest.mark.parametrize(("name", "start", "prompt"), ANSWERED, ids=[name for name, _, _ in ANSWERED])
def test_no_answer_is_longer_than_the_host_takes_whole(host: Host, name: str, start: str, prompt: str) -> None:
    limits = {"claude": 10_000, "codex": 2_500 * 4, "gemini": 10_000}
    rules = "".join(f"- Rule {number} on herons: {'always do it so. ' * 10}\n" for number in range(300))
    write_vault(
        host.vault,
        {
            "PROCEDURAL.md": f"# Rules\n\n{rules}",
            **{f"herons/{n}.md": f"# Heron {n}\n\n{'The heron stands still. ' * 60}\n" for n in range(40)},
        },
    )
    asked_for = (event(start, source="startup"), event(prompt, prompt="Where does the heron stand still?"))
    for said in asked_for:
        context = given_context(host.calls(name, said), str(said["hook_event_name"]))
        assert 0 < len(context) <= limits[name]
        assert context.count("<memoro-context") == context.count("</memoro-context>")


def test_feedback_that_is_typed_as_a_prompt_is_written_when_the_host_has_its_answer(host: Host) -> None:
    log = str(host.log(text="Why did heron move to Rotterdam?"))
    result = host.calls("claude", event("UserPromptSubmit", prompt="/wrong It never moved.", transcript_path=log))

    told = given_context(result, "UserPromptSubmit")
    assert "The user marked your last answer as wrong." in told and "It never moved." in told
    assert not spool.has_pending(str(host.home))
    assert "[wrong] It never moved. ^" in (host.vault / "feedback" / "corrections.md").read_text()
    assert "Correction by the user to “Why did heron move to Rotterdam? (2)”: It never moved." in day_of(host)


def test_the_library_answers_as_the_command_does(host: Host) -> None:
    with host.opened() as m:
        answer = hooks.answer("claude", event("UserPromptSubmit", prompt="Why did heron move to Rotterdam?"), m)
        assert answer is not None
        output = answer["hookSpecificOutput"]
        assert isinstance(output, Mapping) and "cheaper power" in output["additionalContext"]
        assert hooks.answer("claude", event("UserPromptSubmit", prompt="zzgrmpf qqxyv"), m) is None
        assert hooks.answer("claude", event("SessionEnd"), m) is None
        assert spool.has_pending(str(host.home))
        assert wait_for(lambda: hooks.write_captures(m) == 1)
