"""The server: real sockets on loopback, one thread a connection, every request noted before it is answered."""

from __future__ import annotations

import email.utils
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from tests.standin import refusals
from tests.standin.control import CONTROL, control
from tests.standin.embeddings import Models, Spoiling
from tests.standin.faults import FINE, Fault, Faults, draw, meets
from tests.standin.jobs import Job, JobScript
from tests.standin.listening import ListeningServer
from tests.standin.messages import Answer, Refused, Request
from tests.standin.options import AS_INSTALLED, FLAVOURS, NEEDING_KEYS, Flavour, Options
from tests.standin.records import Payment, Records
from tests.standin.routes import Routes
from tests.standin.sending import (
    is_gone,
    reset,
    send,
    send_bomb,
    send_half_and_reset,
    send_huge,
    send_most,
    unpack,
)

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors


class Standin:
    """A provider on loopback. `url` is what `embedding.url` is set to."""

    def __init__(self, flavour: Flavour, seed: int = 0, options: Options = AS_INSTALLED, port: int = 0) -> None:
        assert flavour in FLAVOURS, flavour
        self.flavour: Flavour = flavour
        self.seed = seed
        self.options = options
        self.records = Records(options.log)
        self.models = Models(flavour, options)
        self.faults = FINE
        # Called with a request that has had its effect, before the answer is sent.
        self.watcher: Callable[[Request], None] | None = None
        self.started = time.monotonic()
        self.stopping = threading.Event()  # set: whatever hangs ends now
        self._routes = Routes(self.models, self.records)
        self._alone = threading.Lock()
        self._place = 0  # of the next call in the draw of faults
        self._loaded: set[str] = set()
        self._server: _Server | None = None
        self._elsewhere: _Server | None = None
        self.port = port
        self.start()

    # What tests read

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return self.root if self.flavour == "gemini" else f"{self.root}/v1"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[Request]:
        return self.records.requests

    @property
    def faulted(self) -> int:
        """How many requests met a fault that changed their answer."""
        return self.records.faulted

    @property
    def delivered(self) -> list[str]:
        """The texts whose right vectors arrived complete, in the order of arrival."""
        return self.records.delivered

    @property
    def repeated(self) -> list[str]:
        """The texts that were sent again after their vectors had arrived. Repeated queries are among them."""
        return [text for _, text in self.records.repeated]

    @property
    def payments(self) -> list[Payment]:
        return self.records.payments

    @property
    def strays(self) -> list[str]:
        """The requests that followed a redirection."""
        return self.records.strays

    def vector(self, text: str, model: str, dimensions: int | None = None) -> Vectors:
        """Return the vector that a call without faults has for a document."""
        return self.models.model(model).embed(text, dimensions=dimensions)

    # What tests change

    def set_faults(self, faults: Faults | Fault | None = None) -> None:
        """From now on calls fail so: by a plan, all of them by one fault, or none."""
        with self._alone:
            self._place = 0
            if faults is None:
                self.faults = FINE
            else:
                self.faults = faults if isinstance(faults, Faults) else Faults(kinds=(faults,))

    def set_jobs(self, script: JobScript) -> None:
        """Batch jobs that are created from now on go so."""
        self._routes.jobs.script = script

    @property
    def jobs(self) -> list[Job]:
        """The batch jobs, the newest first."""
        return self._routes.jobs.all()

    def change_model(self) -> None:
        """Let another model answer to the same name."""
        self.models.change()

    def start(self) -> None:
        """Open the port, on the number that it had before."""
        if self._server is not None:
            return
        self.stopping.clear()
        self._server = _Server(("127.0.0.1", self.port), self, _Handler)
        self.port = self._server.server_address[1]
        self._elsewhere = _Server(("127.0.0.1", 0), self, _StrayHandler)

    def stop(self) -> None:
        """Close the port: connections are refused until `start`."""
        self.stopping.set()
        servers, self._server, self._elsewhere = (self._server, self._elsewhere), None, None
        for server in servers:
            if server is not None:
                server.finish()

    def close(self) -> None:
        self.stop()
        self.records.close()

    # What the handler asks

    def next_fault(self, path: str) -> tuple[Fault | None, random.Random]:
        with self._alone:
            if not meets(self.faults, path):
                return None, random.Random(0)
            place, self._place = self._place, self._place + 1
            faults = self.faults
        return draw(faults, self.seed, place), random.Random(f"{self.seed} {place} within")

    def texts(self, request: Request) -> tuple[str, ...]:
        return self._routes.texts(request)

    def answer(self, request: Request, spoiling: Spoiling) -> Answer:
        """Return the answer to a request, as its fault changes it; faults of the line come later."""
        refused = self._refuse_key(request) or self._loading(request) or self._instead(request, spoiling.fault)
        if refused is not None:
            return refused
        try:
            return self._routes.answer(request, spoiling)
        except Refused as refusal:
            return refusal.answer
        except (KeyError, TypeError, AttributeError, ValueError) as error:  # a body of another shape
            return refusals.error(self.flavour, 400, f"Invalid request: {error!r}")

    def _refuse_key(self, request: Request) -> Answer | None:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        key = bearer or request.headers.get("x-goog-api-key") or request.query.get("key", "")
        is_right = key == self.options.key if self.options.key is not None else bool(key)
        if is_right or (self.options.key is None and self.flavour not in NEEDING_KEYS):
            return None
        return refusals.key_refused(self.flavour)

    def _loading(self, request: Request) -> Answer | None:
        if self.flavour == "llamacpp" and time.monotonic() - self.started < self.options.load_seconds:
            return refusals.error(self.flavour, 503, "Loading model")
        if self.flavour == "lmstudio" and request.method == "POST" and request.path not in self._loaded:
            self._loaded.add(request.path)
            self.stopping.wait(self.options.load_seconds)
        return None

    def _instead(self, request: Request, fault: Fault | None) -> Answer | None:
        flavour, wait = self.flavour, self.faults.retry_after
        match fault:
            case "429 seconds":
                is_gemini = flavour == "gemini"
                return refusals.gemini_rate_limited(wait) if is_gemini else refusals.rate_limited(flavour, str(wait))
            case "429 date":
                return refusals.rate_limited(flavour, email.utils.formatdate(time.time() + wait, usegmt=True))
            case "429":
                return refusals.rate_limited(flavour, None)
            case "quota":
                return refusals.out_of_quota(flavour)
            case "key refused":
                return refusals.key_refused(flavour)
            case "500" | "502" | "503":
                return refusals.error(flavour, int(fault), "The server had an error while processing your request.")
            case "html":
                page = b"<!DOCTYPE html><html><body><h1>Please log in</h1></body></html>"
                return Answer(200, page, {"Content-Type": "text/html; charset=utf-8"})
            case "redirect 301" | "redirect 302" | "redirect 307":
                assert self._elsewhere is not None
                place = f"http://127.0.0.1:{self._elsewhere.server_address[1]}{request.path}"
                return Answer(int(fault[-3:]), b"", {"Location": place})
            case _:
                return None


class _Server(ListeningServer):
    def __init__(self, address: tuple[str, int], standin: Standin, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.standin = standin
        self.begin()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_DELETE(self) -> None:
        self._handle()

    def log_message(self, *_: object) -> None:
        """Requests are noted by the records."""

    def _handle(self) -> None:
        standin, request = self.server.standin, self._read()
        if request.path.startswith(CONTROL):
            send(self, control(standin, request))
            return
        fault, chance = standin.next_fault(request.path)
        request = request._replace(number=standin.records.next_number(), texts=standin.texts(request), fault=fault)
        standin.records.add(request)
        if fault == "dropped":
            reset(self)
        elif fault == "hang":
            self._hang()
        elif fault == "huge":
            send_huge(self, standin.stopping)
        elif fault == "gzip bomb":
            send_bomb(self)
        else:
            self._answer(request, standin.answer(request, Spoiling(fault, chance)))

    def _hang(self) -> None:
        end = time.monotonic() + self.server.standin.faults.hang_seconds
        while time.monotonic() < end and not is_gone(self.connection):
            if self.server.standin.stopping.wait(0.02):
                break
        self.close_connection = True

    def _answer(self, request: Request, answer: Answer) -> None:
        standin = self.server.standin
        number, answer = request.number, answer._replace(document=answer.body)
        if standin.watcher is not None:
            standin.watcher(request)
        standin.records.pay(Payment(text=text, number=number) for text in answer.paid)
        match request.fault if answer.status == 200 else None:
            case "reset":
                send_half_and_reset(self, answer)
            case "cut off":
                send(self, answer, answer.body[: len(answer.body) * 2 // 3])
            case "content type":  # a client may refuse it: what is in it does not count as delivered
                send(self, answer._replace(headers={**answer.headers, "Content-Type": "text/plain"}))
            case "slow":
                self._deliver(request, answer, standin.faults.slow_seconds)
            case _:
                self._deliver(request, answer)

    def _deliver(self, request: Request, answer: Answer, seconds: float = 0.0) -> None:
        """The vectors are noted before the last byte is sent: a client that asks again at once is caught."""
        records, arriving = self.server.standin.records, answer.arriving
        if not send_most(self, answer, seconds, self.server.standin.stopping) or is_gone(self.connection):
            self.close_connection = True
            return
        records.deliver(request.number, arriving)
        try:
            self.wfile.write(answer.body[-1:])
        except OSError:
            records.take_back(request.number, arriving)
            raise

    def _read(self) -> Request:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._read_chunks()
        else:
            body = self.rfile.read(int(headers.get("content-length", 0)))
        return Request(
            number=-1,
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            headers=headers,
            body=unpack(body, headers.get("content-encoding")),
        )

    def _read_chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body


class _StrayHandler(BaseHTTPRequestHandler):
    """Where redirections lead: nobody should come here."""

    server: _Server

    def do_GET(self) -> None:
        self.server.standin.records.stray(f"{self.command} {self.path}")
        self.send_error(404)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """It is among the strays."""


@contextmanager
def standin(
    flavour: Flavour = "openai",
    *,
    seed: int = 0,
    faults: Faults | Fault | None = None,
    options: Options = AS_INSTALLED,
) -> Iterator[Standin]:
    """Run a stand-in for as long as the block lasts."""
    server = Standin(flavour, seed, options)
    server.set_faults(faults)
    try:
        yield server
    finally:
        server.close()
