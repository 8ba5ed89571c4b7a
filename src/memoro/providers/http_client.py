"""A thin synchronous HTTP client for providers: JSON in and out, uploads, and downloads line by line.

It sends to no other address than the one that was checked, follows no redirects, reads no proxy or netrc of the
environment, keeps no cookies, and reads no more than it is allowed to. Every failure is a `ProviderError`.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple

from memoro.errors import AddressRefused, ProviderError, ProviderRejected, ProviderUnavailable
from memoro.model.guard import outside_transactions
from memoro.providers.addresses import Address, Resolver, read_address, resolve, system_resolver
from memoro.providers.http_bodies import (
    MOST_BYTES,
    MOST_DOWNLOAD_BYTES,
    Json,
    decompressor,
    json_document,
    json_object,
    split_lines,
)
from memoro.providers.http_failures import Asked, FailedResponse, error_of
from memoro.providers.keys import Key, SettingsSection

if TYPE_CHECKING:
    import httpx

Method = Literal["GET", "POST", "DELETE"]
KeyHeader = Literal["authorization", "x-goog-api-key", "x-api-key"]

_MOST_ERROR_BYTES = 64 << 10  # an error says what is wrong at its beginning
_CONNECT_SECONDS = 5.0
_REMOTE_SECONDS, _LOCAL_SECONDS = 60.0, 300.0  # a server at home may have to load its model first
_TRIED_ADDRESSES = 3
_MOST_CONNECTIONS = 16
_ADDRESS_SECONDS = 300.0  # then the host is looked up, and checked, again
_DOWNLOAD_SECONDS = 3600.0
_KEPT_SECONDS = 60.0  # an idle connection; a search should not have to open one
_PATH = re.compile(r"/[A-Za-z0-9._~:/+=,@-]*(\?[A-Za-z0-9._~:/+=,@&-]*)?")


class Endpoint(NamedTuple):
    """A server and how to talk to it."""

    address: Address
    key: Key | None = None
    key_header: KeyHeader = "authorization"
    private_hosts: tuple[str, ...] = ()
    seconds: float = 60.0  # after which a request counts as lost
    headers: tuple[tuple[str, str], ...] = ()  # of every request
    section: SettingsSection = "embedding"  # of the settings that name the server


def endpoint(url: str, secret: str | None, key_header: KeyHeader = "authorization") -> Endpoint:
    """Return the endpoint at a URL; its key, if any, is bound to that host. Raises `AddressRefused`."""
    address = read_address(url)
    key = Key(secret, address.shown_host) if secret else None
    seconds = _REMOTE_SECONDS if address.scheme == "https" else _LOCAL_SECONDS
    return Endpoint(address=address, key=key, key_header=key_header, seconds=seconds)


class Reply(NamedTuple):
    """A successful response."""

    document: Json
    headers: Mapping[str, str]  # by their names in lower case


class UploadedFile(NamedTuple):
    """A file as a form of several parts carries it."""

    name: str
    content: bytes
    content_type: str = "application/octet-stream"


class HttpRequest(NamedTuple):
    """A request that is about to be sent."""

    method: Method
    path: str  # below the address of the endpoint
    content: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    seconds: float | None = None  # None: as the endpoint says
    model: str | None = None  # which an error names
    is_repeatable: bool = False  # it may reach the server twice


class HttpClient:
    """Talks to one server. Threads share it, and its connections stay open between requests."""

    def __init__(self, endpoint: Endpoint, resolver: Resolver = system_resolver) -> None:
        require_remote_packages()
        self.endpoint = endpoint
        self._resolver = resolver
        self._alone = threading.Lock()
        self._transport: httpx.HTTPTransport | None = None
        self._resolved: tuple[float, tuple[str, ...]] | None = None

    def ask(self, path: str, body: Json, model: str, seconds: float | None = None) -> Json:
        """Send a question to a model and return its answer. The question changes nothing at the server.

        It is sent again where it went over a kept connection that the server had just closed.
        """
        outgoing = _json_request(path, body)._replace(model=model, seconds=seconds, is_repeatable=True)
        return self.send(outgoing).document

    def post(self, path: str, body: Json, model: str | None = None, seconds: float | None = None) -> Json:
        """Send a JSON object, once, and return the one that comes back."""
        return self.send(_json_request(path, body)._replace(model=model, seconds=seconds)).document

    def get(self, path: str, seconds: float | None = None) -> Json:
        return self.send(HttpRequest(method="GET", path=path, seconds=seconds, is_repeatable=True)).document

    def delete(self, path: str) -> Json:
        return self.send(HttpRequest(method="DELETE", path=path)).document

    def upload_form(self, path: str, fields: Mapping[str, str], file: UploadedFile, seconds: float = 300.0) -> Json:
        """Send fields and a file, in the part `file`, as a form of several parts."""
        boundary = secrets.token_hex(16)
        parts = [_part(boundary, f'name="{name}"', value.encode()) for name, value in fields.items()]
        described = f'name="file"; filename="{file.name}"\r\nContent-Type: {file.content_type}'
        content = b"".join([*parts, _part(boundary, described, file.content), f"--{boundary}--\r\n".encode()])
        headers = (("content-type", f"multipart/form-data; boundary={boundary}"),)
        return self.send(
            HttpRequest(method="POST", path=path, content=content, headers=headers, seconds=seconds)
        ).document

    def upload(self, url: str, content: bytes, headers: Mapping[str, str], seconds: float = 300.0) -> Reply:
        """Send raw bytes to a path, or to a URL that the server named: one on the same host, or `AddressRefused`."""
        path = url if url.startswith("/") else self._path_of(url)
        given = tuple(headers.items())
        return self.send(HttpRequest(method="POST", path=path, content=content, headers=given, seconds=seconds))

    def lines(self, path: str) -> Iterator[Json | None]:
        """Return the JSON objects of a download, a line each, while they arrive; None for a line that is none."""
        outgoing = HttpRequest(method="GET", path=path, seconds=_DOWNLOAD_SECONDS)
        with self._exchange(outgoing, MOST_DOWNLOAD_BYTES) as (_, chunks):
            for line in split_lines(chunks):
                if line.strip():
                    yield json_object(line)

    def send(self, outgoing: HttpRequest) -> Reply:
        """Send a request and read the whole response, which must be a JSON object or empty."""
        with self._exchange(outgoing, MOST_BYTES) as (headers, chunks):
            body = b"".join(chunks)
        if not body.strip() and (outgoing.method == "DELETE" or "x-goog-upload-url" in headers):
            return Reply({}, headers)
        wanted = "vectors" if self.endpoint.section == "embedding" else "an answer"
        return Reply(json_document(body, self._host, wanted), headers)

    # --- one exchange -----------------------------------------------------------------------------------

    @property
    def _host(self) -> str:
        return self.endpoint.address.shown_host

    @contextmanager
    def _exchange(self, outgoing: HttpRequest, most: int) -> Iterator[tuple[Mapping[str, str], Iterator[bytes]]]:
        """Send a request; the block reads the body. Whatever goes wrong on the way is a `ProviderError`."""
        import httpx

        outside_transactions("a request to a provider")
        seconds = outgoing.seconds or self.endpoint.seconds
        deadline = time.monotonic() + seconds
        try:
            response = self._connect(outgoing, seconds)
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                chunks = self._chunks(response, most, deadline)
                if not 200 <= response.status_code < 300:
                    failed = FailedResponse(response.status_code, headers, self._beginning(chunks))
                    raise error_of(failed, self._asked(outgoing), time.time())
                yield headers, chunks
            finally:
                response.close()
        except httpx.TimeoutException as error:
            raise ProviderUnavailable(f"{self._host} has not answered within {seconds:g} s.") from error
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise self._broken(error) from error

    def _connect(self, outgoing: HttpRequest, seconds: float) -> httpx.Response:
        """Send a request to the first of the host's addresses that takes the connection."""
        import httpx

        addresses = self._addresses()[:_TRIED_ADDRESSES]
        for number, ip in enumerate(addresses, start=1):
            try:
                return self._over_open_connection(outgoing, ip, seconds)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                if number == len(addresses):
                    with self._alone:
                        self._resolved = None  # the host may have moved
                    raise
        raise AssertionError("a host has at least one address")

    def _over_open_connection(self, outgoing: HttpRequest, ip: str, seconds: float) -> httpx.Response:
        """Send a request over a kept connection, or a new one where the server has closed all that were kept."""
        import httpx

        for _ in range(_MOST_CONNECTIONS):
            events: list[str] = []
            request = self._request(outgoing, ip, seconds)
            request.extensions["trace"] = lambda name, _info, seen=events: seen.append(name)
            try:
                return self._pool().handle_request(request)
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                if not outgoing.is_repeatable or "connection.connect_tcp.started" in events:
                    raise
        raise httpx.RemoteProtocolError("all kept connections were closed")

    def _request(self, outgoing: HttpRequest, ip: str, seconds: float) -> httpx.Request:
        import httpx

        address = self.endpoint.address
        if not _PATH.fullmatch(outgoing.path) or ".." in outgoing.path:
            raise ProviderRejected(f"{self._host} gave a name that cannot be part of a URL.")
        host = f"[{ip}]" if ":" in ip else ip
        headers = {
            "host": self._host,
            "accept": "application/json",
            "accept-encoding": "gzip",
            "user-agent": "memoro",
            **({"content-length": str(len(outgoing.content))} if outgoing.method == "POST" else {}),
            **dict(self.endpoint.headers),
            **dict(outgoing.headers),
            **self._key_headers(),
        }
        timeout = httpx.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        extensions: dict[str, object] = {"timeout": timeout.as_dict()}
        if address.host != ip:
            extensions["sni_hostname"] = address.host  # the certificate must be that of the name, not of the address
        return httpx.Request(
            outgoing.method,
            f"{address.scheme}://{host}:{address.port}{address.path}{outgoing.path}",
            headers=headers,
            content=outgoing.content,
            extensions=extensions,
        )

    def _key_headers(self) -> dict[str, str]:
        key, name = self.endpoint.key, self.endpoint.key_header
        if key is None:
            return {}
        secret = key.for_host(self._host)
        return {name: f"Bearer {secret}" if name == "authorization" else secret}

    def _addresses(self) -> tuple[str, ...]:
        with self._alone:
            known = self._resolved
        if known is not None and time.monotonic() < known[0]:
            return known[1]
        found = resolve(self.endpoint.address, self._resolver, self.endpoint.private_hosts)
        with self._alone:
            self._resolved = (time.monotonic() + _ADDRESS_SECONDS, found)
        return found

    def _pool(self) -> httpx.HTTPTransport:
        with self._alone:
            if self._transport is None:
                import ssl

                import httpx

                limits = httpx.Limits(max_connections=_MOST_CONNECTIONS, keepalive_expiry=_KEPT_SECONDS)
                # Plain HTTP needs no certificates, and reading them takes a while. This context trusts nobody.
                is_plain = self.endpoint.address.scheme == "http"
                verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True
                self._transport = httpx.HTTPTransport(verify=verify, trust_env=False, limits=limits)
            return self._transport

    def prepare(self) -> None:
        """Load what the first request needs. Sends nothing."""
        self._pool()

    def close(self) -> None:
        with self._alone:
            transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()

    # --- what comes back --------------------------------------------------------------------------------

    def _chunks(self, response: httpx.Response, most: int, deadline: float) -> Iterator[bytes]:
        """Return the body in parts, decompressed. Raises before it has more than `most` bytes in memory."""
        decompress = decompressor(response.headers.get("content-encoding", "identity"), self._host)
        count = 0
        for raw in response.iter_raw():
            if time.monotonic() > deadline:
                raise ProviderUnavailable(f"{self._host} has not sent its whole answer in time.")
            for chunk in decompress(raw):
                count += len(chunk)
                if count > most:
                    raise ProviderUnavailable(f"{self._host} answered with more than {most >> 20} MiB.")
                yield chunk

    def _beginning(self, chunks: Iterator[bytes]) -> bytes:
        """Return the first bytes of an error. Where they do not arrive, its status says enough."""
        import httpx

        body = b""
        with suppress(httpx.HTTPError, ProviderError, OSError):
            for chunk in chunks:
                body += chunk
                if len(body) >= _MOST_ERROR_BYTES:
                    break
        return body

    def _asked(self, outgoing: HttpRequest) -> Asked:
        url = f"{self.endpoint.address}{outgoing.path.partition('?')[0]}"
        at = self.endpoint
        return Asked(host=self._host, url=url, model=outgoing.model, key=at.key, section=at.section)

    def _broken(self, error: Exception) -> ProviderUnavailable:
        """The text of the error itself is not shown: it may hold headers, and with them the key."""
        import httpx

        if isinstance(error, httpx.ConnectError):
            if "certificate" in str(error).lower():
                return ProviderUnavailable(f"{self._host} has no valid certificate. Nothing was sent to it.")
            return ProviderUnavailable(f"{self._host} cannot be reached. Is the server running?")
        return ProviderUnavailable(f"{self._host} broke the connection off before its answer was complete.")

    def _path_of(self, url: str) -> str:
        """Return the path of a URL that the server named. The key goes to no other host."""
        bare, _, query = url.partition("?")
        try:
            found = read_address(bare)
        except AddressRefused:
            found = None
        own = self.endpoint.address
        if found is None or found[:3] != own[:3] or not found.path.startswith(own.path):
            raise AddressRefused(f"{self._host} wants its upload at another host. Memoro sends nothing there.")
        return found.path.removeprefix(own.path) + (f"?{query}" if query else "")


def require_remote_packages() -> None:
    """Raise a sentence where a package of the extra `remote` is missing. Another extra may have brought httpx alone.

    None is imported here: that takes a while, and a provider that is left alone needs no client.
    """
    if any(find_spec(name) is None for name in ("httpx", "stamina")):
        raise ProviderRejected(
            'Models on servers need a package that is not installed. Run `pip install "memoro[remote]"`.'
        )


def _json_request(path: str, body: Json) -> HttpRequest:
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return HttpRequest(method="POST", path=path, content=content, headers=(("content-type", "application/json"),))


def _part(boundary: str, description: str, content: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {description}\r\n\r\n".encode() + content + b"\r\n"


_clients: dict[tuple[Endpoint, Resolver, int], HttpClient] = {}
_clients_lock = threading.Lock()


def client_for(endpoint: Endpoint, resolver: Resolver = system_resolver) -> HttpClient:
    """Return the client of this process for an endpoint: there is one, so that its connections are used again."""
    with _clients_lock:
        if not _clients:
            atexit.register(_close_all)
        return _clients.setdefault((endpoint, resolver, os.getpid()), HttpClient(endpoint, resolver))


def _close_all() -> None:
    for client in _clients.values():
        client.close()
