"""The HTTP client of providers: what it sends where, and that every way to fail is an error of the provider."""

from __future__ import annotations

import gzip
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from memoro.errors import AddressRefused, KeyRefused, ProviderError, ProviderRejected, ProviderUnavailable
from memoro.providers import http_bodies
from memoro.providers.addresses import Resolver, system_resolver
from memoro.providers.http_client import (
    Endpoint,
    HttpClient,
    HttpRequest,
    KeyHeader,
    UploadedFile,
    client_for,
    endpoint,
)
from memoro.providers.keys import Key
from tests.provider_urls import REFUSED_URLS
from tests.scripted_server import Answer, Received, ScriptedServer, document, scripted_server

SECRET = "sk-proj-9f8e7d6c5b4a39281706"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


Connect = Callable[..., HttpClient]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes clients, and closes them in the end."""
    with ExitStack() as made:

        def make(where: Endpoint, resolver: Resolver = system_resolver) -> HttpClient:
            return made.enter_context(closing(HttpClient(where, resolver)))

        yield make


@pytest.fixture
def client(server: ScriptedServer, connect: Connect) -> HttpClient:
    return connect(endpoint(f"{server.url}/v1", SECRET)._replace(seconds=5.0))


def test_json_goes_out_with_the_key_and_comes_back(server: ScriptedServer, client: HttpClient) -> None:
    server.answer = lambda _: document({"data": [1, 2]})
    assert client.post("/embeddings", {"input": ["grün", "記憶"]}) == {"data": [1, 2]}
    (asked,) = server.received
    assert (asked.method, asked.path) == ("POST", "/v1/embeddings")
    assert asked.document == {"input": ["grün", "記憶"]}
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"
    assert asked.headers["user-agent"] == "memoro"


@pytest.mark.parametrize("header", ["x-goog-api-key", "x-api-key"])
def test_a_key_goes_into_the_header_that_the_provider_wants(
    server: ScriptedServer, connect: Connect, header: KeyHeader
) -> None:
    connect(endpoint(server.url, SECRET, header)).get("/models")
    assert server.received[0].headers[header] == SECRET
    assert "authorization" not in server.received[0].headers


def test_without_a_key_none_is_sent(server: ScriptedServer, connect: Connect) -> None:
    connect(endpoint(server.url, None)).get("/models?limit=2")
    assert not {"authorization", "x-goog-api-key", "x-api-key"} & set(server.received[0].headers)
    assert (server.received[0].method, server.received[0].path) == ("GET", "/models?limit=2")


def test_a_key_is_never_sent_to_another_host_than_its_own(server: ScriptedServer) -> None:
    stolen = endpoint(server.url, None)._replace(key=Key(SECRET, "api.openai.com"))
    with pytest.raises(KeyRefused):
        HttpClient(stolen).get("/models")
    assert server.connections == 0


def test_proxies_netrc_and_cookies_of_the_environment_are_left_alone(
    server: ScriptedServer, client: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.answer = lambda _: document({}, Set_Cookie="follow=me; Path=/")
    client.get("/models")
    client.get("/models")
    assert "cookie" not in server.received[1].headers


def test_a_connection_is_used_again_and_shared_by_threads(server: ScriptedServer) -> None:
    where = endpoint(server.url, SECRET)
    assert client_for(where) is client_for(endpoint(server.url, SECRET))
    assert client_for(where) is not client_for(endpoint(server.url, None))
    for _ in range(3):
        client_for(where).get("/models")
    assert server.connections == 1
    threads = [threading.Thread(target=client_for(where).get, args=("/models",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(server.received) == 11
    client_for(where).close()


def test_a_form_carries_fields_and_a_file(server: ScriptedServer, client: HttpClient) -> None:
    client.upload_form("/files", {"purpose": "batch"}, UploadedFile("in.jsonl", b'{"a": 1}\n'))
    asked = server.received[0]
    assert asked.headers["content-type"].startswith("multipart/form-data; boundary=")
    boundary = asked.headers["content-type"].partition("boundary=")[2].encode()
    parts = asked.body.split(b"--" + boundary)
    assert b'name="purpose"\r\n\r\nbatch\r\n' in parts[1]
    assert b'name="file"; filename="in.jsonl"' in parts[2]
    assert parts[2].endswith(b'\r\n\r\n{"a": 1}\n\r\n')
    assert parts[3] == b"--\r\n"


def test_raw_bytes_go_to_the_url_that_the_server_named_if_it_is_its_own(
    server: ScriptedServer, connect: Connect
) -> None:
    client = connect(endpoint(server.url, SECRET, "x-goog-api-key"))
    target = f"{server.url}/upload/v1beta/files?upload_id=a-1"
    server.answer = lambda _: Answer(b"", headers=(("X-Goog-Upload-URL", target),))
    begun = client.upload("/upload/v1beta/files", b"{}", {"X-Goog-Upload-Command": "start"})
    assert begun.headers["x-goog-upload-url"] == target
    server.answer = lambda _: document({"file": {"name": "files/1"}})
    done = client.upload(begun.headers["x-goog-upload-url"], b"line\n", {"X-Goog-Upload-Command": "upload, finalize"})
    assert done.document == {"file": {"name": "files/1"}}
    assert server.received[1].path == "/upload/v1beta/files?upload_id=a-1"
    assert server.received[1].body == b"line\n"
    for elsewhere in ("https://evil.example/upload", f"http://127.0.0.1:{server.port + 1}/a", "http://2130706433/a"):
        with pytest.raises(AddressRefused, match="another host"):
            client.upload(elsewhere, b"line\n", {})


def test_a_download_is_read_line_by_line(server: ScriptedServer, client: HttpClient) -> None:
    def parts() -> Iterator[bytes]:
        yield b'{"n": 1}\n{"n"'
        yield b': 2}\n\nnot json\n[3]\n{"text": "a\xe2\x80\xa8b"}'

    server.answer = lambda _: Answer(parts())
    assert list(client.lines("/files/f-1/content")) == [{"n": 1}, {"n": 2}, None, None, {"text": "a\u2028b"}]


def test_a_line_or_a_download_without_end_is_left(
    server: ScriptedServer, client: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda _: Answer(iter([b'{"a": "'] + [b"x" * 1000] * 100))
    monkeypatch.setattr(http_bodies, "MOST_LINE_BYTES", 10_000)
    with pytest.raises(ProviderUnavailable, match="A line of the download"):
        list(client.lines("/files/f-1/content"))


def test_what_is_deleted_needs_no_answer(server: ScriptedServer, client: HttpClient) -> None:
    server.answer = lambda _: Answer(b"")
    assert client.delete("/files/f-1") == {}
    assert server.received[0].method == "DELETE"


@pytest.mark.parametrize("name", ["../secrets", "a b", "a\r\nX: y", "a#b", "ä", 'a"b'])
def test_a_name_from_a_server_makes_no_other_path(server: ScriptedServer, client: HttpClient, name: str) -> None:
    with pytest.raises(ProviderRejected):
        client.get(f"/files/{name}")
    assert server.received == []


# --- addresses ------------------------------------------------------------------------------------------

_connects: list[object] = []
_watching: list[bool] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching and event == "socket.connect":
        _connects.append(arguments[1])


sys.addaudithook(_watch)


def connects(work: Callable[[], object]) -> list[object]:
    """Do the work and return the addresses that this process connected to meanwhile."""
    _connects.clear()
    _watching.append(True)
    try:
        work()
    finally:
        _watching.clear()
    return list(_connects)


class Fixed:
    """A resolver that gives every host the same addresses."""

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses

    def __call__(self, host: str, port: int) -> list[str]:  # noqa: ARG002
        return self._addresses


def test_no_spelling_of_a_forbidden_address_is_ever_connected_to() -> None:
    def ask() -> None:
        for url, addresses in REFUSED_URLS.items():
            with pytest.raises(AddressRefused):
                HttpClient(endpoint(url, SECRET), Fixed(addresses)).post("/embeddings", {})

    assert connects(ask) == []


class Rebinding:
    """A resolver whose first answer is harmless, and each later one an address of a private network."""

    def __init__(self, first: str) -> None:
        self._first = first
        self.asked = 0

    def __call__(self, host: str, port: int) -> list[str]:  # noqa: ARG002
        self.asked += 1
        return [self._first if self.asked == 1 else "169.254.169.254"]


def test_a_name_that_is_rebound_after_its_check_is_not_looked_up_again(
    server: ScriptedServer, connect: Connect
) -> None:
    resolver = Rebinding("127.0.0.1")
    where = endpoint(f"http://gpu.lan:{server.port}/v1", SECRET)._replace(private_hosts=("gpu.lan",))
    client = connect(where, resolver)
    seen = connects(lambda: [client.get("/models") for _ in range(5)])
    assert seen == [("127.0.0.1", server.port)]
    assert resolver.asked == 1
    assert server.received[0].headers["host"] == f"gpu.lan:{server.port}"


def test_a_name_that_is_rebound_between_two_connections_is_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = HttpClient(
        endpoint(f"http://gpu.lan:{port}", SECRET)._replace(private_hosts=("gpu.lan",)), Rebinding("127.0.0.1")
    )

    def work() -> None:
        with pytest.raises(ProviderUnavailable, match="cannot be reached"):
            client.get("/models")
        with pytest.raises(AddressRefused, match="never sends text"):
            client.get("/models")

    assert connects(work) == [("127.0.0.1", port)]


def test_the_next_address_is_tried_where_the_first_is_closed(server: ScriptedServer, connect: Connect) -> None:
    client = connect(endpoint(f"http://localhost:{server.port}", None), lambda _host, _port: ["::1", "127.0.0.1"])
    assert client.get("/models") == {}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: ScriptedServer, client: HttpClient, status: int) -> None:
    other = f"{server.url}/elsewhere"
    server.answer = lambda _: Answer(b"", status, (("Location", f"{other}?token=abc"),))
    with pytest.raises(AddressRefused, match=f"redirects to {other}") as refused:
        client.post("/embeddings", {"input": "x"})
    assert len(server.received) == 1
    assert "token" not in str(refused.value)


# --- everything that can go wrong -----------------------------------------------------------------------


def raised(client: HttpClient) -> ProviderError:
    with pytest.raises(ProviderError) as found:
        client.send(HttpRequest(method="POST", path="/embeddings", content=b"{}", model="some-model"))
    assert SECRET not in str(found.value)
    return found.value


def broken(_: Received) -> Answer:
    raise ConnectionResetError


def bomb() -> bytes:
    return gzip.compress(b" " * (40 << 20))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(b"<html>Please log in</html>"), "answered with a web page"),
        (Answer(b"not json"), "no JSON object"),
        (Answer(b"[1, 2]"), "no JSON object"),
        (Answer(b""), "no JSON object"),
        (Answer(b"[" * 100_000), "no JSON object"),
        (Answer(b'{"data": ' + b"9" * 5000 + b"}"), "no JSON object"),
        (Answer(b'{"data": [', promised=500), "broke the connection off"),
        (Answer(b'{"data": 1}'[:-1]), "no JSON object"),
        (Answer(b"not gzip", headers=(("Content-Encoding", "gzip"),)), "damaged"),
        (
            Answer(gzip.compress(bytes(range(33, 99)) * 9)[:-30], headers=(("Content-Encoding", "gzip"),)),
            "no JSON object",
        ),
        (Answer(b"{}", headers=(("Content-Encoding", "br"),)), "nobody asked for"),
        (Answer(bomb(), headers=(("Content-Encoding", "gzip"),)), "more than 32 MiB"),
        (Answer(iter([b" " * (1 << 20)] * 40)), "more than 32 MiB"),
        (Answer(b"oops", 500), r"failed \(HTTP 500\)\. It says: \"oops\""),
        (Answer(b"<html>", 502), r"failed \(HTTP 502\)\.$"),
        (Answer(bomb(), 503, (("Content-Encoding", "gzip"),)), "overloaded"),
    ],
)
def test_an_answer_that_cannot_be_used_may_be_better_next_time(
    server: ScriptedServer, client: HttpClient, answer: Answer, sentence: str
) -> None:
    server.answer = lambda _: answer
    error = raised(client)
    assert isinstance(error, ProviderUnavailable)
    assert re.search(sentence, str(error)), str(error)
    server.answer = lambda _: document({"data": []})
    assert client.post("/embeddings", {}) == {"data": []}, "the next request is answered"


def test_a_compressed_answer_is_read(server: ScriptedServer, client: HttpClient) -> None:
    server.answer = lambda _: Answer(gzip.compress(b'{"data": [1]}'), headers=(("Content-Encoding", "gzip"),))
    assert client.get("/models") == {"data": [1]}


def test_a_connection_that_breaks_is_an_error_of_the_provider(server: ScriptedServer, client: HttpClient) -> None:
    server.answer = broken
    assert "broke the connection off" in str(raised(client))


def test_a_question_over_a_connection_that_was_just_closed_is_sent_again_and_a_command_is_not(
    server: ScriptedServer, client: HttpClient
) -> None:
    def close_kept(received: Received) -> Answer:
        if server.connections == 1 and len(server.received) > 1:
            raise ConnectionResetError
        return document({"n": received.document["n"]})

    server.answer = close_kept
    client.post("/batches", {"n": 1})
    assert client.ask("/embeddings", {"n": 2}, "m") == {"n": 2}
    assert [one.document["n"] for one in server.received] == [1, 2, 2]
    server.connections = 1
    with pytest.raises(ProviderUnavailable, match="broke the connection off"):
        client.post("/batches", {"n": 3})
    assert [one.document["n"] for one in server.received] == [1, 2, 2, 3]
    server.answer = broken
    with pytest.raises(ProviderUnavailable):
        client.ask("/embeddings", {"n": 4}, "m")
    assert [one.document["n"] for one in server.received] == [1, 2, 2, 3, 4], "a new connection: not sent again"


def test_a_server_that_is_not_there_cannot_be_reached(server: ScriptedServer, client: HttpClient) -> None:
    server.close()
    error = raised(client)
    assert isinstance(error, ProviderUnavailable)
    assert str(error) == f"127.0.0.1:{server.port} cannot be reached. Is the server running?"


def test_a_request_ends_with_its_time_even_while_bytes_arrive(server: ScriptedServer, client: HttpClient) -> None:
    ended = threading.Event()

    def drip() -> Iterator[bytes]:
        while not ended.wait(0.02):
            yield b" "

    server.answer = lambda _: Answer(drip())
    started = time.monotonic()
    with pytest.raises(ProviderUnavailable, match="in time"):
        client.post("/embeddings", {}, seconds=0.3)
    silent = threading.Event()
    server.answer = lambda _: Answer(str(silent.wait(5)).encode())
    with pytest.raises(ProviderUnavailable, match=r"within 0\.2 s"):
        client.post("/embeddings", {}, seconds=0.2)
    assert time.monotonic() - started < 4
    ended.set()
    silent.set()


@pytest.mark.parametrize("missing", ["httpx", "stamina"])
def test_a_missing_library_is_named_with_the_extra_to_install(
    missing: str, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ProviderRejected, match=r'pip install "memoro\[remote\]"'):
        HttpClient(endpoint(server.url, None))
