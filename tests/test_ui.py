"""`memoro ui`: finds the server of the home or serves by itself, and hands the browser a code that works once."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoro.cli.page_link import PageServer, find_server, find_starting_server
from memoro.cli.ui import why_no_browser
from memoro.errors import StoreUnavailable
from memoro.serve.token import token
from memoro.store.opening import make_home
from memoro.store.serving import PAGE_FILE, Serving, lock_of, serving, written
from tests.command import clean_environment, run_memoro
from tests.conftest import wait_for

HANG = 20.0


@pytest.fixture
def options(home: Path, vault: Path) -> tuple[str, ...]:
    make_home(str(home))
    (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    return ("--home", str(home), "--vault", str(vault))


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of the command, which must end within seconds of Ctrl-C, and with it all that it started."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )
    try:
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def get(link: str, cookie: str = "") -> tuple[int, str, str]:
    """The status of an answer, the cookie that it sets, and its text."""
    address, _, path = link.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(address, timeout=HANG)
    connection.request("GET", f"/{path}", headers={"Cookie": cookie, "Accept": "text/html"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, (answer.headers["set-cookie"] or "").partition(";")[0], text


def test_the_help_says_that_print_may_go_on_serving() -> None:
    assert "this command serves the page until Ctrl-C" in " ".join(run_memoro("ui", "--help").out.split())


def test_without_a_server_it_serves_until_ctrl_c_and_a_second_call_finds_it(
    options: tuple[str, ...], home: Path, tmp_path: Path
) -> None:
    with started(*options, "ui", "--print", "--port", "0") as process:
        link = line_of(process)
        status, cookie, _ = get(link)
        assert status == 303 and cookie.startswith("memoro-")
        assert get(link)[0] == 401
        page = f"{link.partition('/open')[0]}/settings"
        assert get(page, cookie)[0] == 200
        assert get(page)[0] == 401
        running = serving(str(home))
        assert running is not None and running.pid == process.pid
        assert token(str(home), "admin") not in link

        again = run_memoro(*options, "ui", "--print")
        assert again.code == 0 and again.out.startswith(link.partition("=")[0]) and again.out.strip() != link
        other = run_memoro(*options, "ui", "--port", "1")
        assert other.code == 2 and "Leave out --port" in other.err
        bystander = run_memoro(*options, "ui", env={"BROWSER": "", "http_proxy": "http://127.0.0.1:9"})
        assert bystander.code == 0 and "works once" in bystander.out

        seen = tmp_path / "seen"
        browser = tmp_path / "browser"
        browser.write_text(f'#!/bin/sh\necho "$@" > {seen}\n')
        browser.chmod(0o755)
        opened = run_memoro(*options, "ui", env={"BROWSER": str(browser)})
        assert opened.out.startswith("The page is open in your browser: http://127.0.0.1:")
        assert wait_for(lambda: seen.exists() and seen.read_text().endswith("\n"))
        assert get(seen.read_text().strip())[0] == 303
    assert serving(str(home)) is None
    with pytest.raises(ConnectionRefusedError):
        get(link)


def test_beside_a_server_without_http_it_serves_the_page_alone(options: tuple[str, ...], home: Path) -> None:
    with started(*options, "serve") as server:
        assert wait_for(lambda: serving(str(home)) is not None, HANG)
        with started(*options, "ui", "--print", "--port", "0") as process:
            link = line_of(process)
            assert get(link)[0] == 303
            first, page = serving(str(home)), serving(str(home), PAGE_FILE)
            assert first is not None and first.pid == server.pid and first.http is None
            assert page is not None and page.pid == process.pid
            assert run_memoro(*options, "ui", "--print").out.startswith(link.partition("=")[0])
        assert serving(str(home)) is not None
        assert find_server(str(home)) is None


def test_a_server_that_has_just_started_is_waited_for(home: Path) -> None:
    make_home(str(home))
    with lock_of(str(home)).held() as _:
        started_now = Serving(os.getpid(), time.strftime("%Y-%m-%dT%H:%M:%S"))
        lock_of(str(home)).leave(written(started_now))
        answers = written(started_now._replace(http="http://127.0.0.1:7391/mcp"))
        thread = threading.Timer(0.3, lambda: lock_of(str(home)).leave(answers))
        thread.start()
        assert find_starting_server(str(home)) == PageServer(7391, os.getpid())
        thread.join()
        lock_of(str(home)).leave(written(started_now._replace(since="2026-01-01T00:00:00")))
        before = time.monotonic()
        assert find_starting_server(str(home)) is None
        assert time.monotonic() - before < 0.2
    assert find_starting_server(str(home)) is None


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that gives this answer to everyone, on a port of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            connection, _ = listener.accept()
            with connection:
                asked = b""
                while not asked.endswith(b"{}"):
                    asked += connection.recv(10_000)
                connection.sendall(answer)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(HANG)


JSON = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (JSON % b"404 Not Found" + b'{"error": "There is nothing at this path."}', "another version of Memoro"),
        (JSON % b"401 Unauthorized" + b"{}", "another version of Memoro"),
        (JSON % b"200 OK" + b'["path"]', "another version of Memoro"),
        (JSON % b"200 OK" + b'{"path": "//page.example"}', "another version of Memoro"),
        (JSON % b"404 Not Found" + b'{"error": "The page needs packages that are not installed."}', "not installed"),
        (b"SSH-2.0-x\r\n", "does not answer"),
        (b"", "does not answer"),
    ],
    ids=["old", "other token", "no object", "no path of ours", "no packages", "no HTTP", "silent"],
)
def test_a_server_that_gives_no_link_is_explained(home: Path, answer: bytes, sentence: str) -> None:
    make_home(str(home))
    with answering(answer) as port:
        server = PageServer(port, 4711)
        with pytest.raises(StoreUnavailable, match=sentence) as raised:
            server.link(str(home))
    assert "not installed" in sentence or "process 4711" in str(raised.value)


def test_a_server_is_looked_for_on_this_machine_alone(home: Path) -> None:
    make_home(str(home))
    lock = lock_of(str(home))
    with lock.tried(1.0) as free:
        assert free
        for said in ("http://page.example:80/mcp", "http://127.0.0.1.page.example:80/", "the listener failed", ""):
            lock.leave(written(Serving(pid=1, http=said)))
            assert find_server(str(home)) is None
        lock.leave(written(Serving(pid=1, http="http://127.0.0.1:7391/mcp (IPv4 alone)")))
        assert find_server(str(home)) == PageServer(7391, 1)
    assert find_server(str(home)) is None


def test_without_the_packages_of_the_page_it_says_what_to_install(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nh3", None)
    done = run_memoro(*options, "ui")
    assert done.code == 2 and "pip install 'memoro[ui]'" in done.err


@pytest.mark.parametrize(
    ("environment", "platform", "sentence"),
    [
        ({"DISPLAY": ":0"}, "linux", ""),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", ""),
        ({}, "darwin", ""),
        ({}, "linux", "no display"),
        ({"SSH_CONNECTION": "x", "DISPLAY": ":0"}, "linux", "ssh -L 7391:127.0.0.1:7391"),
        ({"SSH_CONNECTION": "x", "BROWSER": "w3m"}, "linux", ""),
    ],
)
def test_it_says_why_no_browser_can_be_opened(environment: dict[str, str], platform: str, sentence: str) -> None:
    said = why_no_browser(environment, platform, "7391")
    assert sentence in said and bool(said) == bool(sentence)
