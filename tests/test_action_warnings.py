"""Before a command that failed, or an edit of a file with a rule, an agent gets one line of warning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import opening
from memoro.hooks import answer as answer_without_serve
from memoro.hooks.action import ActionWarnings
from memoro.hooks.events import ActionAnnounced, read_event
from memoro.model.answers import Passage
from memoro.transcripts.tool_runs import ToolRun, ToolTarget
from memoro.unasked.actions import (
    ActionTables,
    CommandOutcome,
    KnownActions,
    command_key,
    error_line,
    failures,
    file_rules,
)
from memoro.workspace import Workspace
from tests.conftest import Result, wait_for, write_vault
from tests.test_hook_socket import calls, served
from tests.test_hooks import Host, event, host
from tests.test_unasked_errors import claude_log

__all__ = ["host"]

DEPLOY = 'make deploy => Exit code 2\nError: context "staging" does not exist\nmake: *** [deploy] Error 1'
CURE = "The context `staging` is missing. You have to run `corp login staging` first."


def outcome(key: str, at: str, error: str = "") -> CommandOutcome:
    return CommandOutcome(key=key, at=at, path="@logs/a.jsonl", line=1, error=error)


def ran(output: str, *, failed: bool | None) -> ToolRun:
    return ToolRun(ToolTarget("command", command="make"), output, failed, line=1)


def stated(text: str, speaker: str | None = "User", date: str = "2026-11-02") -> Passage:
    path = "@logs/a.jsonl" if speaker else "rules.md"
    said = f"{speaker}: {text}" if speaker else text
    return Passage(path, "transcript" if speaker else "note", "", date, 1, 1, (), said, "d" * 64, 1, speaker)


# ————— the rules


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("make deploy", "cd /w/api && make deploy 2>&1 | tail -5"),
        ("make deploy", "  make   deploy "),
        ("make deploy", "CI=1 make deploy"),
        ("npm test", "npm test || true"),
    ],
)
def test_a_command_is_the_same_whatever_stands_around_it(one: str, other: str) -> None:
    assert command_key(one) == command_key(other) != ""


@pytest.mark.parametrize("command", ["grep -rn x .", "cd /w && ls nothing", "git status", "cat << E\nlong\nE", ""])
def test_a_command_that_only_looks_is_never_warned_of(command: str) -> None:
    assert command_key(command) == ""


@given(st.text(max_size=400))
def test_the_key_of_a_key_is_itself(command: str) -> None:
    key = command_key(command)

    assert command_key(key) in (key, command_key(command_key(key)))


def test_a_command_that_succeeded_since_is_no_failure() -> None:
    found = [
        outcome("make", "2026-11-02T10", "boom"),
        outcome("make", "2026-11-02T11"),
        outcome("lint", "2026-11-01", "x"),
    ]

    assert [one.key for one in failures(found)] == ["lint"]
    assert [one.key for one in failures([*found, outcome("make", "2026-11-03", "boom again")])] == ["make", "lint"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.booleans()), max_size=20))
def test_the_last_run_decides(ran: list[tuple[str, int, bool]]) -> None:
    found = [
        CommandOutcome(key, f"{at}", "p", line, "boom" if bad else "") for line, (key, at, bad) in enumerate(ran)
    ]
    last = {key: bad for key, _, bad in sorted(ran, key=lambda one: one[1])}

    assert {one.key for one in failures(found)} == {key for key, bad in last.items() if bad}


def test_the_line_that_tells_why_is_taken() -> None:
    output = DEPLOY.partition(" => ")[2]

    assert error_line(ran(output, failed=True)) == 'Error: context "staging" does not exist'
    assert error_line(ran("all fine", failed=False)) == ""
    assert error_line(ran("3 of 9 wrong", failed=True)) == "3 of 9 wrong"
    assert error_line(ran("", failed=True)) == "it failed"


@pytest.mark.parametrize(
    ("rule", "file", "is_about"),
    [
        ("Never edit db/schema.sql by hand.", "/w/api/db/schema.sql", True),
        ("Never edit db/schema.sql by hand.", "/w/api/old/schema.sql", False),
        ("Always run the formatter on *.proto files.", "/w/api/idl/a.proto", True),
        ("Don't touch anything in vendor/ please.", "/w/api/vendor/x/y.go", True),
        ("Don't touch anything in vendor/ please.", "/w/api/src/vendor.go", False),
        ("schema.sql wird generiert, nicht von Hand ändern.", "db/schema.sql", True),
        ("I read db/schema.sql yesterday.", "/w/api/db/schema.sql", False),
        ("Should we never edit db/schema.sql?", "/w/api/db/schema.sql", False),
    ],
)
def test_a_rule_is_for_the_files_that_it_names(rule: str, file: str, is_about: bool) -> None:
    known = KnownActions(rules=file_rules([stated(rule)]))

    assert (known.warning(ToolTarget("edit", files=(file,)), "/w/api") is not None) == is_about


def test_of_two_rules_the_newest_is_given() -> None:
    rules = file_rules(
        [stated("Never edit a.sql.", date="2026-01-01"), stated("Always sort a.sql.", date="2026-02-01")]
    )
    found = KnownActions(rules=rules).warning(ToolTarget("edit", files=("a.sql",)), "")

    assert found is not None and "Always sort" in found.text


def test_what_an_assistant_says_is_no_rule() -> None:
    assert file_rules([stated("Never edit a.sql by hand.", speaker="Assistant")]) == ()


# ————— through the home


@contextmanager
def opened(tmp_path: Path, logs: dict[str, str]) -> Iterator[Workspace]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    folder = write_vault(tmp_path / "logs", logs)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{folder}"]\n')
    with memoro.open(home, write_vault(tmp_path / "vault", {})) as m:
        m.sync()
        yield m


def announced(command: str = "", file: str = "", session: str = "n1", folder: str = "/w/api") -> ActionAnnounced:
    tool, given = ("Bash", {"command": command}) if command else ("Edit", {"file_path": file})
    document = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "cwd": folder,
        "tool_name": tool,
        "tool_input": given,
    }
    event = read_event("claude", document, {})
    assert isinstance(event, ActionAnnounced)
    return event


def warned(m: Workspace, warnings: ActionWarnings, event: ActionAnnounced) -> str:
    """What the host is told, once the table is made."""
    found = warnings.answer(event, m, "claude")
    if found is None:
        warnings.make_wanted(ActionTables(m.parts.indexing, m.home_context.vault()), 0.0)
        found = warnings.answer(event, m, "claude")
    if found is None:
        return ""
    assert list(found) == ["hookSpecificOutput"]
    output = found["hookSpecificOutput"]
    assert isinstance(output, dict) and set(output) == {"hookEventName", "additionalContext"}  # no decision
    return str(output["additionalContext"])


def test_a_command_that_failed_here_is_warned_of_once_with_its_source(tmp_path: Path) -> None:
    log = claude_log(("U", "deploy it"), ("T", DEPLOY), ("A", CURE))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        warnings = ActionWarnings()
        told = warned(m, warnings, announced("cd /w/api && make deploy"))

        assert "does not exist" in told
        assert "corp login staging" in told
        assert "@logs/s1.jsonl" in told
        assert "2026-11-02" in told
        assert warned(m, warnings, announced("make deploy")) == ""
        assert [one.recalled.message for one in m.sessions.show("n1").recalls] == ["before: cd /w/api && make deploy"]
        assert "corp login" in warned(m, warnings, announced("make deploy", session="n2"))


REFUSED = "The broker refuses B03. The client certificate is missing its chain, so I'd renew it on the buoy."


@pytest.mark.parametrize("refusal", ["no, the certs are fine. look at its clock", "That's not it, same error"])
@pytest.mark.parametrize(
    "after", ["The clock of B03 says 1970. Setting it with `buoyctl timesync` first fixed it.", "I'll look at it."]
)
def test_a_diagnosis_that_was_refused_is_not_told(tmp_path: Path, refusal: str, after: str) -> None:
    ran = "make status => Exit code 1\nError: x509: certificate has expired or is not yet valid: B03"
    log = claude_log(("U", "B03 is away"), ("T", ran), ("A", REFUSED), ("U", refusal), ("A", after), ("U", "great"))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        told = warned(m, ActionWarnings(), announced("make status"))

    assert "x509" in told and "renew" not in told
    assert ("buoyctl timesync" in told) is ("fixed" in after)


def test_a_no_to_a_question_refuses_no_cure(tmp_path: Path) -> None:
    log = claude_log(
        ("U", "deploy it"), ("T", DEPLOY), ("A", f"{CURE} Shall I add it to the Makefile?"), ("U", "no, leave it")
    )
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        assert "corp login staging" in warned(m, ActionWarnings(), announced("make deploy"))


def test_another_command_and_another_project_are_not_warned_of(tmp_path: Path) -> None:
    log = claude_log(("U", "deploy it"), ("T", DEPLOY), ("A", CURE))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        assert warned(m, ActionWarnings(), announced("make test")) == ""
        assert warned(m, ActionWarnings(), announced("make deploy", folder="/w/shop")) == ""


def test_a_file_with_a_rule_is_warned_of(tmp_path: Path) -> None:
    log = claude_log(("U", "Never edit db/schema.sql by hand, atlas makes it."), ("A", "Understood."))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        assert "Never edit db/schema.sql by hand" in warned(
            m, ActionWarnings(), announced(file="/w/api/db/schema.sql")
        )
        assert warned(m, ActionWarnings(), announced(file="/w/api/main.go")) == ""


def test_a_log_that_grew_by_a_success_ends_the_warning(tmp_path: Path) -> None:
    steps = (("U", "deploy it"), ("T", DEPLOY), ("A", CURE))
    with opened(tmp_path, {"s1.jsonl": claude_log(*steps)}) as m:
        tables = ActionTables(m.parts.indexing, m.home_context.vault())
        now = 0.0
        warnings = ActionWarnings(clock=lambda: now)
        event = announced("make deploy")
        warnings.answer(event, m, "claude")
        warnings.make_wanted(tables, 0.0)
        grown = claude_log(*steps, ("T", "make deploy => deployed"), ("A", "Deployed."))
        records = [json.loads(line) for line in grown.splitlines()]
        records[-2]["message"]["content"][0]["is_error"] = False
        (tmp_path / "logs" / "s1.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        m.sync()
        now = 60.0
        assert warnings.answer(event, m, "claude") is not None  # the old table, until the new one is made
        warnings.make_wanted(tables, 0.0)

        assert warnings.answer(announced("make deploy", session="n2"), m, "claude") is None


def test_the_setting_switches_it_off(tmp_path: Path) -> None:
    log = claude_log(("U", "deploy it"), ("T", DEPLOY), ("A", CURE))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        assert warned(m, ActionWarnings(), announced("make deploy")) != ""
    settings = tmp_path / "home" / "memoro.toml"
    settings.write_text(settings.read_text() + "[recall]\nwarnings = false\n")
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        assert warned(m, ActionWarnings(), announced("make deploy", session="n2")) == ""


def test_without_serve_nothing_is_said(tmp_path: Path) -> None:
    log = claude_log(("U", "deploy it"), ("T", DEPLOY), ("A", CURE))
    with opened(tmp_path, {"s1.jsonl": log}) as m:
        event = {"hook_event_name": "PreToolUse", "session_id": "n", "cwd": "/w/api"}
        call = {"tool_name": "Bash", "tool_input": {"command": "make deploy"}}

        assert answer_without_serve("claude", {**event, **call}, m) is None


@pytest.mark.process
def test_serve_warns_through_the_hook_and_a_hook_without_it_ends_at_once(host: Host) -> None:
    log = claude_log(("U", "deploy it"), ("T", DEPLOY), ("A", CURE)).replace("/w/api", str(host.project))
    write_vault(host.me / ".claude" / "projects" / "p", {"s1.jsonl": log})
    host.home.mkdir(0o700, parents=True, exist_ok=True)
    (host.home / "memoro.toml").write_text(f'[vault]\npath = "{host.vault}"\n[transcripts]\nfolders = ["claude"]\n')
    with opening.open_with(host.environment, host.home, host.vault) as m:
        m.sync()
    call = {"tool_name": "Bash", "tool_input": {"command": "make deploy"}}
    said = event("PreToolUse", cwd=str(host.project), session_id="new", **call)
    assert calls(host, said, "--only-served") == Result(0, "", "")
    with served(host):
        given: list[str] = []

        def is_warned() -> bool:
            given.append(calls(host, said, "--only-served").out)
            return bool(given[-1])

        assert wait_for(is_warned, 20)
        assert "corp login staging" in json.loads(given[-1])["hookSpecificOutput"]["additionalContext"]
