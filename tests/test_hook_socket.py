"""Hooks that `memoro serve` answers get the same answers, and do without it whenever anything is wrong with it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import memoro
from memoro.hooks import spool
from memoro.model.hook_message import DECLINED, RECEIVED, encode_answer, encode_request
from memoro.serve.hook_requests import HookAnswers, HookRequest
from memoro.serve.hook_workspaces import HookWorkspaces, WorkspaceKey, relevant_variables
from memoro.store import hook_socket
from tests.conftest import Result, wait_for
from tests.test_hooks import Host, event, host

__all__ = ["host"]

PROMPT = event("UserPromptSubmit", prompt="Why did heron move to Rotterdam?")
START = event("SessionStart", source="startup")


@contextmanager
def served(host: Host, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`memoro serve` for this home, once it answers hooks."""
    host.home.mkdir(0o700, parents=True, exist_ok=True)
    child = subprocess.Popen(
        [sys.executable, "-m", "memoro", "--home", str(host.home), "serve", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=host.environment,
    )  # fmt: skip
    try:
        assert wait_for(lambda: answers(host.home), 30)
        yield child
    finally:
        child.kill()
        child.wait()


def answers(home: Path) -> bool:
    try:
        connection = hook_socket.connect(str(home), 5)
    except OSError:
        return False
    assert connection is not None
    connection.close()
    return True


def calls(host: Host, said: object, *options: str, **more: str) -> Result:
    """Call the hook for this home, wherever it is."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memoro", "--home", str(host.home), "hook", "claude", *options],
        input=said if isinstance(said, bytes) else json.dumps(said).encode(),
        capture_output=True, env={**host.environment, **more}, cwd=host.project, timeout=60, check=False,
    )  # fmt: skip
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def without_boundary(text: str) -> str:
    found = re.search(r'boundary=\\"([^"\\]+)', text)
    return text.replace(found[1], "B") if found else text


def is_served(host: Host, said: object = PROMPT) -> bool:
    """Return whether a hook leaves its event to the server: it loads no workspace then."""
    return "memoro.workspace" not in host.loads(said)


# ------ the answers

EVENTS = [
    START,
    PROMPT,
    event("UserPromptSubmit", prompt="How is green tea from Uji brewed?"),
    event("UserPromptSubmit", prompt="zzgrmpf qqxyv"),
    event("UserPromptSubmit", prompt="What is the staging database called?", session_id="s2", cwd=""),
]
BOUND = {"MEMORO_AGENT": "reviewer", "MEMORO_PROJECT": "parcels"}


def outcome(host: Host) -> tuple[list[str], list[object]]:
    """The answers to these events, and the records of their sessions."""
    said = [without_boundary(calls(host, one).out) for one in EVENTS]
    said.append(without_boundary(calls(host, event("UserPromptSubmit", **ASKED), **BOUND).out))
    with memoro.open(host.home, host.vault) as m:
        shown = [m.sessions.show(session.id) for session in m.sessions.all()]
    records: list[object] = [
        (
            one.session.id,
            one.session.scope,
            [(r.recalled.message, r.recalled.form, r.recalled.items) for r in one.recalls],
        )
        for one in sorted(shown, key=lambda one: one.session.id)
    ]
    return said, records


ASKED = {"prompt": "Where did the heron cluster move?", "session_id": "s3"}


def test_a_served_hook_answers_and_records_as_one_that_does_without(host: Host, tmp_path: Path) -> None:
    with memoro.open(host.home, host.vault) as m:
        m.sync()
    copied = tmp_path / "me" / "copied"
    subprocess.run(["cp", "-a", host.home, copied], check=True)
    alone = outcome(host)
    host.home = copied
    with served(host):
        through_server = outcome(host)

    assert through_server == alone
    assert [bool(answer) for answer in alone[0]] == [True, True, True, False, True, True]


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd"])
def test_a_served_hook_notes_down_what_ends_as_one_that_does_without(host: Host, name: str) -> None:
    said = event(name, transcript_path=str(host.log()))
    more = {"CLAUDE_CONFIG_DIR": str(host.me / ".claude"), **BOUND}
    calls(host, said, **more)
    (alone,) = [line.capture for line in spool.pending(str(host.home))]
    (host.home / spool.NAME).unlink()

    made = HookAnswers(str(host.home), host.environment)
    request = HookRequest(
        host="claude",
        home=str(host.home),
        event=json.dumps(said).encode(),
        folder=str(host.project),
        key="k1",
        environment={**host.environment, **more},
    )
    assert made.answer(request) == b""
    assert made.answer(request) == b"", "the hook may ask again, where it saw no answer"
    made.close()

    assert [line.capture for line in spool.pending(str(host.home))] == [alone]


def test_a_served_hook_loads_next_to_nothing(host: Host) -> None:
    script = "import os, sys; from memoro.cli import main; os._exit = lambda _: sys.exit(); main()"
    script = script.replace("sys.exit()", "sys.exit(chr(10).join(sys.modules))")

    def loaded(*command: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", *command], input=json.dumps(PROMPT), capture_output=True, text=True,
            env=host.environment, check=False,
        )  # fmt: skip
        return set(done.stderr.split())

    with served(host):
        extra = loaded(script, "hook", "claude") - loaded("import sys; sys.exit(chr(10).join(sys.modules))")

    ours = {"memoro", "memoro.cli", "memoro.cli.hook_client", "memoro.model", "memoro.model.hook_message"}
    ours |= {"memoro.store", "memoro.store.hook_socket"}
    assert extra - ours <= {"__future__", "_socket", "gc", "select", "time"}


def test_agents_that_share_one_server_are_given_what_each_may_see(host: Host) -> None:
    for agent, code in (("reviewer", "4711"), ("writer", "2342")):
        with memoro.open(host.home, host.vault, agent=agent) as m:
            m.memories.store(f"The code of the harbour gate is {code}.")
    said = event("UserPromptSubmit", prompt="What is the code of the harbour gate?")
    with served(host):
        found = {
            agent: calls(host, {**said, "session_id": agent}, "--agent", agent).out
            for agent in ("reviewer", "writer")
        }

    assert "4711" in found["reviewer"] and "2342" not in found["reviewer"]
    assert "2342" in found["writer"] and "4711" not in found["writer"]


def test_a_note_that_was_just_saved_is_found_through_the_server(host: Host) -> None:
    with served(host):
        for number in range(5):
            (host.vault / "gate.md").write_text(f"# Gate\n\nThe harbour gate has the code {number}{number}42 now.\n")
            said = event("UserPromptSubmit", prompt="Which code has the harbour gate?", session_id=f"s{number}")
            assert f"{number}{number}42" in calls(host, said).out


def test_the_switch_is_obeyed_at_once(host: Host) -> None:
    with served(host):
        assert "Rotterdam" in calls(host, PROMPT).out
        (host.home / "memoro.toml").write_text("enabled = false\n")
        assert calls(host, {**PROMPT, "session_id": "s2"}).out == ""
        assert calls(host, event("Stop")).out == ""
        assert not spool.has_pending(str(host.home))


def test_status_and_doctor_say_who_answers_hooks(host: Host) -> None:
    calls(host, event("Stop"))
    assert "each hook answers by itself, and sooner while" in host.types("doctor").out
    with served(host):
        assert "hooks: answered" in host.types("status").out
        assert "`memoro serve` answers them" in host.types("doctor").out


# ------ whatever is wrong, the hook answers by itself


def test_the_socket_is_for_its_owner_alone_and_goes_with_the_server(host: Host) -> None:
    with served(host) as server:
        mode = os.lstat(host.home / hook_socket.FILE).st_mode
        assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
        server.terminate()
        assert server.wait(30) == 0
    assert not os.path.lexists(host.home / hook_socket.FILE)


def test_what_a_killed_server_leaves_is_no_obstacle(host: Host) -> None:
    with served(host) as server:
        server.kill()
        server.wait()
    assert hook_socket.exists(str(host.home))
    assert "Rotterdam" in calls(host, PROMPT).out
    with served(host):
        assert is_served(host)


def test_a_server_that_is_stuck_costs_an_answer_neither_content_nor_a_second_record(host: Host) -> None:
    with served(host) as server:
        assert "Rotterdam" in calls(host, {**PROMPT, "session_id": "s0"}).out
        server.send_signal(signal.SIGSTOP)
        answered = calls(host, PROMPT, MEMORO_HOOK_SECONDS="20")
        server.send_signal(signal.SIGCONT)  # it finds the request, and a client that has left
        assert "Rotterdam" in answered.out
        assert is_served(host, {**PROMPT, "session_id": "s2"})
    with memoro.open(host.home, host.vault) as m:
        assert [recall.recalled.message for recall in m.sessions.show("s1").recalls] == [PROMPT["prompt"]]


Reply = Callable[[socket.socket], None]


@contextmanager
def listening(host: Host, reply: Reply) -> Iterator[list[bytes]]:
    """Something else at the socket of the home; yields the first bytes of what it was sent."""
    host.home.mkdir(0o700, exist_ok=True)
    listener, received = hook_socket.listen(str(host.home)), list[bytes]()

    def run() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):  # the hook may have left
                received.append(connection.recv(1 << 20))
                reply(connection)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


WRONG: dict[str, Reply] = {
    "leaves at once": lambda _connection: None,
    "dies before its answer": lambda connection: connection.sendall(RECEIVED),
    "dies within its answer": lambda connection: connection.sendall(RECEIVED + encode_answer(b"{} and more")[:-3]),
    "declines": lambda connection: connection.sendall(DECLINED),
    "says too much": lambda connection: connection.sendall(RECEIVED + encode_answer(b"{}") + b"{}"),
    "is something else": lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n{}"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_hook_does_without_a_server_that(host: Host, wrong: str) -> None:
    with listening(host, WRONG[wrong]) as received:
        done = calls(host, PROMPT)

    assert received and received[0].startswith(b"memoro-hook-1 ")
    assert (done.code, done.err) == (0, "")
    assert "Rotterdam" in done.out


def test_a_hook_for_the_server_alone_is_silent_without_one(host: Host) -> None:
    done = calls(host, PROMPT, "--only-served")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not host.home.exists()
    with served(host):
        assert "Rotterdam" in calls(host, PROMPT, "--only-served").out


def test_another_users_socket_is_sent_nothing(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(host, WRONG["declines"]):
        monkeypatch.setattr(os, "geteuid", lambda: 54321)
        assert hook_socket.connect(str(host.home), 5) is None


def asked(home: Path, message: bytes) -> bytes:
    """What the server says to these bytes, whoever sends them."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(home / hook_socket.FILE))
        connection.sendall(message)
        received = b""
        while part := connection.recv(1 << 16):
            received += part
        return received


def test_the_server_declines_what_it_would_answer_differently(host: Host, tmp_path: Path) -> None:
    fields = {"host": "claude", "home": str(host.home), "folder": str(host.project), "key": "k"}
    said = json.dumps(PROMPT).encode()

    def answer(event: bytes = said, version: str = memoro.__version__, other: Mapping[str, str] = {}) -> bytes:
        own = {name: other[name] for name in other.keys() & {*fields, "vault"}}
        environment = {**host.environment, **{name: other[name] for name in other.keys() - own.keys()}}
        return asked(host.home, encode_request(version, {**fields, **own}, environment, event))

    with served(host):
        assert b"Rotterdam" in answer()
        assert answer(version="0.0.1") == DECLINED
        for other in (
            {"home": str(tmp_path)},
            {"host": "claud"},
            {"vault": "notes"},  # as seen from a folder that the server does not know
            {"HOME": str(tmp_path)},
            {"TZ": "Asia/Tokyo"},
        ):
            assert answer(other=other) == RECEIVED + DECLINED, other
        assert answer(event=b"{") == answer(event=b"[" * 100_000) == RECEIVED + DECLINED
        assert asked(host.home, b"memoro-hook-1 %s 0 999999999\n" % memoro.__version__.encode()) == DECLINED


def test_clients_that_hang_keep_nobody_waiting(host: Host) -> None:
    with served(host):
        hanging = [socket.socket(socket.AF_UNIX) for _ in range(20)]
        try:
            for one in hanging[:10]:
                one.connect(str(host.home / hook_socket.FILE))
                one.sendall(b"memoro-hook-1 ")
            assert is_served(host)
            for one in hanging[10:]:  # more than the server has threads for
                one.connect(str(host.home / hook_socket.FILE))
            assert "Rotterdam" in calls(host, {**PROMPT, "session_id": "s2"}).out
        finally:
            for one in hanging:
                one.close()


def test_an_event_of_megabytes_is_answered(host: Host) -> None:
    long = "Why did heron move to Rotterdam?" + " " * 5_000_000 + "\n"
    with served(host):
        assert is_served(host, event("UserPromptSubmit", prompt=long))
        assert "Rotterdam" in calls(host, event("UserPromptSubmit", prompt=long, session_id="s2")).out


def test_homes_with_long_paths_are_served_each_by_its_own(host: Host, tmp_path: Path) -> None:
    long = tmp_path / ("a" * 90) / ("b" * 90) / "home"
    with served(host):
        near, host.home = host.home, long
        with served(host):
            assert "Rotterdam" in calls(host, {**PROMPT, "session_id": "far"}, "--only-served").out
        host.home = near
        assert "Rotterdam" in calls(host, {**PROMPT, "session_id": "near"}, "--only-served").out
    for home, session in ((near, "near"), (long, "far")):
        with memoro.open(home, host.vault) as m:
            assert [one.id for one in m.sessions.all()] == [session]


# ------ the workspaces of a server


def test_terminals_that_differ_in_nothing_that_matters_share_a_workspace() -> None:
    here = {"HOME": "/h", "SHLVL": "1", "MEMORO_PROJECT": "parcels", "CODEX_HOME": "/c", "MY_API_KEY": "k"}
    there = {**here, "SHLVL": "2", "WINDOWID": "7", "MEMORO_HOOK_SECONDS": "2"}

    assert relevant_variables(here) == relevant_variables(there)
    for name in ("HOME", "MEMORO_PROJECT", "CODEX_HOME", "MY_API_KEY"):
        assert relevant_variables(here) != relevant_variables({**here, name: "other"})


def test_a_workspace_is_opened_again_only_after_its_settings_have_changed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(0o700)
    found = HookWorkspaces(most=2)

    def opened(agent: str) -> memoro.Workspace:
        key = WorkspaceKey(home=str(home), vault=None, agent=agent, project=None, environment=())
        with found.opened(key) as workspace:
            return workspace

    first = opened("a")
    assert opened("a") is first
    (home / "memoro.toml").write_text("enabled = false\n")
    second = opened("a")
    assert second is not first and not second.settings.enabled
    opened("b")
    opened("a")
    opened("c")
    assert opened("a") is second, "it was used later than the one that had to go"
    found.close()
