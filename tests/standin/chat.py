"""A stand-in for language models: a loopback server that speaks their formats exactly and misbehaves on a seed.

    with chat_standin("anthropic", faults=ChatFaults(kinds=("cut json", "529"), probability=0.3)) as server:
        ...  # llm.url = server.url

Without `answers` it answers every question by its schema.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.standin.chat_faults import ChatFault, ChatFaults, draw_chat_fault, said_with
from tests.standin.chat_formats import ChatAsked, ChatSaid, Speech, chat_error, read_chat, write_chat
from tests.standin.listening import ListeningServer
from tests.standin.messages import Answer, Refused, Request
from tests.standin.sending import is_gone, reset, send, send_bomb, send_half_and_reset, send_huge, send_most

ANSWERED_KEY = "sk-right-0123456789abcdef"
Answers = Callable[[ChatAsked], Mapping[str, Any] | str]


class ChatOptions(NamedTuple):
    """How a stand-in differs from the server whose format it speaks."""

    key: str | None = ANSWERED_KEY  # the only one it takes; None: any, and none
    unknown: frozenset[str] = frozenset()  # parts of requests that it refuses (`chat_formats.Part`)
    models: tuple[str, ...] = ()  # the only ones it has; empty: every one
    cached: int = 0  # tokens of a question that its cache has


class ChatStandin:
    """A provider of a language model on loopback."""

    def __init__(self, speech: Speech, seed: int, options: ChatOptions, answers: Answers | None) -> None:
        self.speech, self.seed, self.options = speech, seed, options
        self.requests: list[Request] = []
        self.faulted = 0  # calls that met a fault
        self.asked: list[ChatAsked] = []  # those that were read and understood
        self.strays: list[str] = []
        self.faults = ChatFaults()
        self.stopping = threading.Event()
        self._answers = answers or by_schema
        self._alone = threading.Lock()
        self._place = 0
        self._server = _Server(self)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}" + ("/v1" if self.speech == "openai" else "")

    def set_faults(self, faults: ChatFaults | ChatFault | None) -> None:
        with self._alone:
            self._place = 0
            self.faults = faults if isinstance(faults, ChatFaults) else ChatFaults(kinds=(faults,) if faults else ())

    def next_fault(self, request: Request) -> ChatFault | None:
        with self._alone:
            self.requests.append(request)
            place, self._place = self._place, self._place + 1
            found = draw_chat_fault(self.faults, self.seed, place)
            self.faulted += found is not None
        return found

    def answer(self, request: Request, fault: ChatFault | None) -> Answer:
        instead = self._refuse_key(request) or self._instead(request, fault)
        if instead is not None:
            return instead
        try:
            asked = read_chat(self.speech, request, self.options.unknown)
            if self.options.models and asked.model not in self.options.models:
                raise Refused(self._no_model(asked.model))
        except Refused as refused:
            return refused.answer
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:  # a body of another shape
            return chat_error(self.speech, 400, f"Invalid request: {error!r}")
        self.asked.append(asked)
        value = self._answers(asked)
        if isinstance(value, str):
            return write_chat(self.speech, asked, ChatSaid(value))
        said = said_with(value, fault, asked.way == "tool")
        return write_chat(self.speech, asked, said._replace(cached=self.options.cached))

    def _refuse_key(self, request: Request) -> Answer | None:
        header = {"openai": "", "anthropic": "x-api-key", "gemini": "x-goog-api-key"}[self.speech]
        found = request.headers.get(header) or request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.options.key in (None, found):
            return None
        return self._key_refused("invalid x-api-key")

    def _key_refused(self, message: str) -> Answer:
        status = 400 if self.speech == "gemini" else 401
        found = chat_error(self.speech, status, message, "invalid_api_key")
        if self.speech == "gemini":
            document: Any = found.document
            document["error"]["details"] = [
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
            ]
        return found

    def _no_model(self, model: str) -> Answer:
        said = {
            "openai": f"The model `{model}` does not exist or you do not have access to it.",
            "anthropic": f"model: {model}",
            "gemini": f"models/{model} is not found for API version v1beta, or is not supported for generateContent.",
        }
        return chat_error(self.speech, 404, said[self.speech], "model_not_found")

    def _instead(self, request: Request, fault: ChatFault | None) -> Answer | None:
        key = "".join(request.headers.get(name, "") for name in ("authorization", "x-api-key", "x-goog-api-key"))
        match fault:
            case "429 seconds" | "429" | "429 tomorrow":
                return self._rate_limited(fault)
            case "quota":
                code = "insufficient_quota"
                message = (
                    "Your credit balance is too low to access the API." if self.speech == "anthropic" else "Quota."
                )
                return chat_error(self.speech, 400 if self.speech == "anthropic" else 429, message, code)
            case "key refused":
                return self._key_refused("The key is not valid.")
            case "key echoed":
                return self._key_refused(f"Incorrect API key provided: {key}. Find yours at the console.")
            case "no model":
                return self._no_model("some-model")
            case "bad request":
                return chat_error(self.speech, 400, f"messages: too wild. Headers were {key}.")
            case "500" | "502" | "503" | "529":
                return chat_error(self.speech, int(fault), f"Overloaded. ({key})")
            case "html":
                return Answer(200, b"<!DOCTYPE html><html><body>Log in</body></html>", {"Content-Type": "text/html"})
            case "redirect 307":
                return Answer(307, b"", {"Location": f"http://{self.host}/elsewhere?key={key}"})
            case "error in 200":
                return chat_error(self.speech, 400, f"upstream failed for {key}")._replace(status=200)
            case "no json":
                return Answer(200, b"data: {}\n\ndata: [DONE]\n\n", {"Content-Type": "text/event-stream"})
            case "json list":
                return Answer(200, [1, 2, 3])
            case _:
                return None

    def _rate_limited(self, fault: str) -> Answer:
        found = chat_error(self.speech, 429, "Rate limit reached. Please try again later.", "rate_limit_exceeded")
        wait = 7200 if fault == "429 tomorrow" else self.faults.retry_after
        if fault == "429":
            return found
        if self.speech == "gemini":
            document: Any = found.document
            info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait:g}s"}
            document["error"]["details"] = [info]
            return found
        return found._replace(headers={"Retry-After": f"{wait:g}"})

    def close(self) -> None:
        self.stopping.set()
        self._server.finish()


def by_schema(asked: ChatAsked) -> Mapping[str, Any]:
    """Answer any question by its schema."""
    assert asked.schema is not None, "the question has no schema"
    found = instance(asked.schema)
    assert isinstance(found, dict)
    return found


def instance(schema: Mapping[str, Any]) -> object:
    """Return a value that obeys a schema."""
    names = schema["type"]
    name = names if isinstance(names, str) else names[0]
    if "enum" in schema:
        return schema["enum"][0]
    match name:
        case "object":
            return {key: instance(one) for key, one in schema["properties"].items()}
        case "array":
            return [instance(schema["items"])]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return "because"


def scripted(answers: Sequence[Mapping[str, Any] | str]) -> Answers:
    """Return what answers one after the other; the last answer is repeated."""
    rest = list(answers)
    return lambda _asked: rest.pop(0) if len(rest) > 1 else rest[0]


class _Server(ListeningServer):
    def __init__(self, standin: ChatStandin) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.standin = standin
        self.begin()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """The stand-in keeps its requests."""

    def do_GET(self) -> None:
        self.server.standin.strays.append(self.path)
        self.send_error(404)

    def do_POST(self) -> None:
        standin, request = self.server.standin, self._read()
        if request.path == "/elsewhere":
            standin.strays.append(request.path)
        fault = standin.next_fault(request)
        if fault == "dropped":
            reset(self)
        elif fault == "hang":
            self._hang()
        elif fault == "huge":
            send_huge(self, standin.stopping)
        elif fault == "gzip bomb":
            send_bomb(self)
        else:
            self._send(standin.answer(request, fault), fault)

    def _send(self, answer: Answer, fault: ChatFault | None) -> None:
        standin = self.server.standin
        match fault if answer.status == 200 else None:
            case "reset":
                send_half_and_reset(self, answer)
            case "cut off":
                send(self, answer, answer.body[: len(answer.body) * 2 // 3])
            case "content type":
                send(self, answer._replace(headers={"Content-Type": "text/plain"}))
            case "slow":
                if send_most(self, answer, standin.faults.slow_seconds, standin.stopping):
                    self.wfile.write(answer.body[-1:])
            case _:
                send(self, answer)

    def _hang(self) -> None:
        standin = self.server.standin
        for _ in range(int(standin.faults.hang_seconds / 0.02)):
            if standin.stopping.wait(0.02) or is_gone(self.connection):
                break
        self.close_connection = True

    def _read(self) -> Request:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        path = urlsplit(self.path).path
        return Request(number=-1, method=self.command, path=path, query={}, headers=headers, body=body)


@contextmanager
def chat_standin(
    speech: Speech,
    *,
    seed: int = 0,
    faults: ChatFaults | ChatFault | None = None,
    options: ChatOptions = ChatOptions(),  # noqa: B008
    answers: Answers | None = None,
) -> Iterator[ChatStandin]:
    """Run a stand-in for as long as the block lasts."""
    server = ChatStandin(speech, seed, options, answers)
    server.set_faults(faults)
    try:
        yield server
    finally:
        server.close()
