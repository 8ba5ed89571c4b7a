"""An error that was met before brings what solved it, or what did not help."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memoro
from memoro.model.answers import Where
from memoro.model.error_signatures import errors_in
from memoro.model.sessions import HeldContext
from memoro.model.tokens import tokens
from memoro.search.filters import where_of
from memoro.unasked.errors import same_error
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.judged import Finding
from memoro.unasked.logged_errors import logged_errors
from memoro.workspace import Workspace
from tests.conftest import write_vault

TRACE = """Traceback (most recent call last):
  File "app/jobs.py", line 40, in run
BrokenLeaseError: lease 77 was lost while job 1204 ran"""
LATER = 'File "app/jobs.py", line 61, in run\nBrokenLeaseError: lease 12 was lost while job 9001 ran'
CURE = (
    "The heartbeat ran in the job's own thread, so a long job never renewed its lease. "
    "I moved it into a thread of its own."
)
Said = list[tuple[str, str]]


@contextmanager
def opened(tmp_path: Path, *conversations: Said, notes: dict[str, str] | None = None) -> Iterator[Workspace]:
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir(mode=0o700)
    for number, said in enumerate(conversations):
        lines = [
            {
                "role": "user" if who == "U" else "assistant",
                "content": text,
                "timestamp": f"2026-0{number + 1}-05T10:00:00Z",
            }
            for who, text in said
        ]
        write_vault(logs, {f"{number}.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    logs.mkdir(exist_ok=True)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    with memoro.open(home, write_vault(tmp_path / "vault", notes or {})) as m:
        yield m


def findings(
    m: Workspace, message: str, where: Where | None = None, held: HeldContext | None = None
) -> list[Finding]:
    sources = m.parts.recaller.sources()
    return same_error(
        UnaskedRequest(
            message=message,
            sources=sources,
            where=where or where_of(m.parts.home.runtime.scope),
            held=held or HeldContext(),
        )
    )


def texts(found: list[Finding]) -> list[str]:
    return [one.item.text for one in found]


def test_the_same_error_brings_the_answer_that_followed_it(tmp_path: Path) -> None:
    with opened(tmp_path, [("U", f"this again:\n{TRACE}"), ("A", CURE), ("U", "great, thanks")]) as m:
        found = findings(m, LATER)

        assert len(found) == 1
        assert "never renewed its lease" in found[0].item.text
        assert "thread of its own" in found[0].item.text
        assert found[0].why == "the same error, 2026-01-05"
        assert found[0].sure >= 0.7
        assert m.get(found[0].item.id).text


def test_the_note_of_a_session_does_not_repeat_its_conversation(tmp_path: Path) -> None:
    told = f"`BrokenLeaseError: lease 77 was lost while job 1204 ran`: {CURE}"
    note = f"---\nsession: s0\nstarted: 2026-01-05T10:00:00\n---\n\n# Leases\n\n## Errors\n\n- {told}\n"
    notes = {"sessions/2026-01-05T10-00-00-claude.md": note}
    with opened(tmp_path, [("U", TRACE), ("A", "Fixed: the heartbeat has its own thread now.")], notes=notes) as m:
        assert [one.item.kind for one in findings(m, LATER)] == ["transcript"]


def test_an_answer_that_only_says_the_error_again_is_no_cure(tmp_path: Path) -> None:
    with opened(tmp_path, [("U", TRACE), ("A", "The lease of job 1204 was lost while it ran.")]) as m:
        assert findings(m, LATER) == []


def test_another_error_of_the_same_program_brings_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, [("U", TRACE), ("A", CURE)]) as m:
        assert findings(m, "app/jobs.py:9: ValueError: job 1204 has no owner") == []
        assert findings(m, "how do leases work in the job runner?") == []


def test_an_answer_that_did_not_help_is_passed_over_for_the_one_that_did(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", "The lease is too short. I raised it to 60 seconds."),
        ("U", "that didn't work, same error"),
        ("A", CURE),
        ("U", "works now"),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

        assert "The answer then: The heartbeat ran" in found.item.text
        assert "This did not help: The lease is too short. I raised it to 60 seconds." in found.item.text


def test_where_nothing_helped_that_is_said_as_a_warning(tmp_path: Path) -> None:
    with opened(
        tmp_path, [("U", TRACE), ("A", "I raised the lease to 60 seconds."), ("U", "no luck, still the same error")]
    ) as m:
        [found] = findings(m, LATER)

        assert "This did not help: I raised the lease to 60 seconds." in found.item.text
        assert "The answer then" not in found.item.text
        assert found.why.startswith("this did not help")


def test_an_answer_that_only_asks_back_is_passed_over(tmp_path: Path) -> None:
    said = [("U", TRACE), ("A", "Can you show me the config?"), ("U", "lease: 30s, threads: 1"), ("A", CURE)]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

        assert "thread of its own" in found.item.text


def test_the_users_own_finding_is_the_answer(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", "Let me look at the runner."),
        ("U", "found it: the laptop's clock was two hours off"),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

        assert "clock was two hours off" in found.item.text


def test_of_two_solutions_the_newest_comes_first(tmp_path: Path) -> None:
    old = [("U", TRACE), ("A", "The queue was overloaded. I added a second worker and paused the nightly import.")]
    with opened(tmp_path, old, [("U", LATER), ("A", CURE)]) as m:
        found = findings(m, "jobs.py:3: BrokenLeaseError: lease 5 was lost while job 6 ran")

        assert ["heartbeat" in text for text in texts(found)] == [True, False]


def test_a_note_that_quotes_the_message_brings_its_cure(tmp_path: Path) -> None:
    note = '# Sign in\n`vault login -method=oidc`. "permission was refused by the gatekeeper": the token has ended.\n'
    with opened(tmp_path, notes={"howto/sign-in.md": note}) as m:
        [found] = findings(m, "error: permission was refused by the gatekeeper (code 7)")

        assert "vault login" in found.item.text
        assert found.item.path == "howto/sign-in.md"


def test_a_failed_experience_is_given_as_a_warning(tmp_path: Path) -> None:
    with opened(tmp_path) as m:
        m.experiences.record(
            "error_recovery",
            "BrokenLeaseError: lease was lost while job ran",
            "raise the lease to 60 s",
            success=0.0,
        )
        [found] = findings(m, LATER)

        assert "failed" in found.item.text.lower()
        assert found.why.startswith("this did not help")


def test_what_the_conversation_holds_is_not_given_again(tmp_path: Path) -> None:
    with opened(tmp_path, [("U", TRACE), ("A", CURE)]) as m:
        [found] = findings(m, LATER)

        assert findings(m, LATER, held=HeldContext(passages=frozenset(found.item.passages))) == []


def test_what_the_filter_leaves_out_is_not_found(tmp_path: Path) -> None:
    with opened(tmp_path, [("U", TRACE), ("A", CURE)]) as m:
        assert findings(m, LATER, Where(kinds=("note",))) == []


def test_a_finding_is_short_and_holds_no_secret(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    long = f"The token {secret} was missing a scope. " + " ".join(
        f"Then I changed setting {n} because it was wrong." for n in range(200)
    )
    with opened(tmp_path, [("U", TRACE + "\n" + "at frame\n" * 300), ("A", long)]) as m:
        found = findings(m, LATER)

        assert found
        assert all(one.item.tokens <= 150 and tokens(one.item.text) <= 150 for one in found)
        assert all(secret not in one.item.text for one in found)


@pytest.mark.parametrize(
    "message", ["we get the BrokenLeaseError again", "jobs fail with BrokenLeaseError since noon"]
)
def test_an_error_that_is_only_told_of_is_recognised_too(tmp_path: Path, message: str) -> None:
    with opened(tmp_path, [("U", TRACE), ("A", CURE)]) as m:
        [found] = findings(m, message)

        assert "thread of its own" in found.item.text


# ————— errors that only the result of a tool showed


def claude_log(*steps: tuple[str, str], day: str = "2026-11-02") -> str:
    """A log of Claude Code: U says, A says, T calls `command => output`."""
    records: list[dict[str, object]] = []
    for number, (who, text) in enumerate(steps):
        about = {"sessionId": "s", "cwd": "/w/api", "timestamp": f"{day}T10:00:{number:02d}Z"}
        if who == "T":
            command, _, output = text.partition(" => ")
            call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": True}
            records.append(
                {
                    "type": "assistant",
                    "uuid": f"c{number}",
                    "message": {"role": "assistant", "content": [call]},
                    **about,
                }
            )
            records.append(
                {"type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [result]}, **about}
            )
        else:
            role = "user" if who == "U" else "assistant"
            said = {"role": role, "content": [{"type": "text", "text": text}]}
            records.append({"type": role, "uuid": f"u{number}", "message": said, **about})
    return "".join(json.dumps(one) + "\n" for one in records)


def test_an_error_that_only_a_tool_showed_brings_what_the_agent_said_then(tmp_path: Path) -> None:
    log = claude_log(
        ("U", "run the migration"),
        ("T", f"python migrate.py => Exit code 1\n{TRACE}"),
        ("A", CURE),
        ("T", "python migrate.py => done"),
        ("A", "The migration is through."),
    )
    with opened(tmp_path) as m:
        write_vault(tmp_path / "logs", {"run.jsonl": log, "other.jsonl": claude_log(("U", "hello"), ("A", "Hi."))})
        m.sync()
        [found] = findings(m, LATER)

        assert "never renewed its lease" in found.item.text
        assert found.item.path == "@logs/run.jsonl"
        assert found.why == "the same error, 2026-11-02"


def test_another_projects_tools_are_not_looked_at(tmp_path: Path) -> None:
    with opened(tmp_path) as m:
        write_vault(tmp_path / "logs", {"run.jsonl": claude_log(("U", "go"), ("T", f"x => {TRACE}"), ("A", CURE))})
        m.sync()

        assert findings(m, LATER) != []
        assert findings(m, LATER, Where(shared=True, bound_projects=("/w/shop",))) == []


def test_people_of_many_trades_get_what_solved_their_errors_and_nothing_else(tmp_path: Path) -> None:
    """38 conversations in one home, so that each error stands among others like it."""
    known = json.loads((Path(__file__).parent / "data" / "solved_errors.json").read_text(encoding="utf-8"))
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir(mode=0o700)
    roles = {"U": "user", "A": "assistant"}
    for number, said in enumerate(known["conversations"]):
        lines = [json.dumps({"role": roles[who], "content": text}) + "\n" for who, text in said]
        write_vault(logs, {f"{number}.jsonl": "".join(lines)})
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    wrong = []
    with memoro.open(home, write_vault(tmp_path / "vault", {})) as m:
        for message, solved_in in known["prompts"]:
            wanted = None if solved_in is None else f"@logs/{solved_in}.jsonl"
            found = [one.item.path for one in findings(m, message)]
            if found[:1] != ([wanted] if wanted else []):
                wrong.append((message, found))

    assert len(wrong) <= 3, wrong


def test_of_two_solutions_in_one_conversation_the_later_comes_first(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", "The queue was overloaded. I added a second worker and paused the nightly import."),
        ("U", "fine, now the report please"),
        ("A", "The report is in out/report.pdf."),
        ("U", f"the lease error is back\n{LATER}"),
        ("A", CURE),
    ]
    with opened(tmp_path, said) as m:
        assert "heartbeat" in texts(findings(m, TRACE))[0]


def test_of_many_outputs_only_some_are_compared(tmp_path: Path) -> None:
    """Each log has 26: after the second no other is opened, and of each the last one counts."""
    runs = [("T", f"make {n} => Exit code 1\n{TRACE}") for n in range(26)]
    logs = {f"{name}.jsonl": claude_log(("U", "go"), *runs, ("A", CURE)) for name in "abc"}
    with opened(tmp_path) as m:
        write_vault(tmp_path / "logs", logs)
        m.sync()
        found = logged_errors(m.vault(), [f"@logs/{name}" for name in logs], errors_in(LATER))
    assert [(one.path, one.command) for one in found] == [("@logs/a.jsonl", "make 25"), ("@logs/b.jsonl", "make 25")]


def test_what_the_agent_said_before_a_tool_failed_is_no_cure(tmp_path: Path) -> None:
    records = [json.loads(line) for line in claude_log(("U", "go"), ("T", f"x => {TRACE}"), ("A", CURE)).splitlines()]
    records[1]["message"]["content"].insert(
        0, {"type": "text", "text": "I run it, because the lease should hold now."}
    )
    with opened(tmp_path) as m:
        write_vault(tmp_path / "logs", {"run.jsonl": "".join(json.dumps(one) + "\n" for one in records)})
        m.sync()
        [found] = findings(m, LATER)
    assert "thread of its own" in found.item.text and "I run it" not in found.item.text
    assert found.item.start_line == 4


LOCKED = [
    ("U", "sqlite3.OperationalError: database is locked"),
    ("A", "Two processes write: the nightly import and Mirjam's tablet."),
    ("U", "Try a longer timeout first."),
    ("A", "I set busy_timeout to 30 s. The lock still appears."),
    ("U", "Then we move to Postgres 16."),
    ("A", "herdbook now runs on Postgres 16."),
]


@pytest.mark.parametrize(
    "asked", ["sqlite3.OperationalError: database is locked", "database is locked again, what now?"]
)
def test_an_attempt_of_which_the_answer_says_that_it_failed_is_passed_over(tmp_path: Path, asked: str) -> None:
    with opened(tmp_path, LOCKED) as m:
        [found] = findings(m, asked)

    assert "The answer then: herdbook now runs on Postgres 16." in found.item.text
    assert "This did not help: I set busy_timeout to 30 s." in found.item.text
    assert "still appears" not in found.item.text


def test_an_order_after_a_failed_attempt_goes_on_with_the_error(tmp_path: Path) -> None:
    shown = "The upload fails: requests.exceptions.SSLError: certificate verify failed"
    said = [
        ("U", shown),
        ("A", "The clock of the server is two years behind."),
        ("U", "Try it with the clock set."),
        ("A", "I set the clock. The error still appears."),
        ("U", "Install the hospital root certificate."),
        ("A", "Installed the root certificate in /etc/ssl and the upload works now."),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, shown)

    assert "The answer then: Installed the root certificate in /etc/ssl" in found.item.text
    assert "This did not help: I set the clock." in found.item.text


def test_the_cause_and_the_attempt_that_helped_are_given_together(tmp_path: Path) -> None:
    cause = "The heartbeat runs in the job's own thread, because the pool has only one."
    said = [("U", TRACE), ("A", cause), ("U", "Then move it."), ("A", "Moved into `beat.py`; the job works now.")]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

    assert "own thread" in found.item.text and "`beat.py`" in found.item.text


def test_another_task_after_a_failed_attempt_is_no_answer(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", "I raised the lease to 60 seconds. Der Fehler tritt immer noch auf."),
        ("U", "Then leave it. Write the weekly report."),
        ("A", "The report is in out/report.pdf, with the table changed."),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

    assert "report" not in found.item.text
    assert found.why.startswith("this did not help")


def test_an_order_after_a_cure_is_not_followed(tmp_path: Path) -> None:
    said = [("U", TRACE), ("A", CURE), ("U", "Then commit it."), ("A", "Committed as 4f3a, now on main.")]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

    assert "heartbeat" in found.item.text and "4f3a" not in found.item.text


def test_trouble_with_another_task_makes_no_cure_fail(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", CURE),
        ("U", "Now deploy the pages."),
        ("A", "Deployed. The old banner still appears."),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

    assert "heartbeat" in found.item.text and "did not help" not in found.item.text


def test_an_attempt_that_the_answer_does_not_repeat_is_what_was_told_before(tmp_path: Path) -> None:
    said = [
        ("U", TRACE),
        ("A", "The lease is too short. I raise it to 60 seconds."),
        ("U", "ok"),
        ("A", "Done. The same error."),
    ]
    with opened(tmp_path, said) as m:
        [found] = findings(m, LATER)

    assert "This did not help: The lease is too short. I raise it to 60 seconds." in found.item.text
