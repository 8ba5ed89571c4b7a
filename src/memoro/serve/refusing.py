"""Answers that refuse a request, and other small answers in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memoro.page.refusal_page import refusal_page
from memoro.serve.asgi import Headers, Send


class Refusal(NamedTuple):
    status: int
    why: str
    headers: tuple[tuple[bytes, bytes], ...] = ()
    title: str | None = None  # None: that of the status


TITLES = {
    401: "No token", 403: "Not allowed", 404: "Nothing there", 405: "Another method", 408: "Too slow",
    413: "Too long", 415: "Another media type", 421: "Another server", 429: "Too many requests",
    503: "Too many requests at once", 504: "Too much work",
}  # fmt: skip


async def refuse(send: Send, refused: Refusal, *, is_problem: bool = False) -> None:
    """Answer with the reason: to callers of the API as a problem document, to all others as an `error`."""
    if not is_problem:
        await answer(send, refused.status, {"error": refused.why}, refused.headers)
        return
    title = refused.title or TITLES[refused.status]
    problem = {"type": problem_type(title), "title": title, "status": refused.status}
    headers = (*refused.headers, (b"content-type", b"application/problem+json"))
    await answer(send, refused.status, {**problem, "detail": refused.why}, headers)


def problem_type(title: str) -> str:
    """The type of a refusal in a problem document: another-media-type."""
    return title.lower().replace(" ", "-")


async def refuse_browser(send: Send, refused: Refusal) -> None:
    """Refuse with a page that says in a sentence what to do."""
    body = refusal_page(refused.status, refused.why).encode()
    described = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": [*described, *refused.headers]})
    await send({"type": "http.response.body", "body": body})


async def answer(send: Send, status: int, document: Mapping[str, object], headers: Headers = ()) -> None:
    import json

    from memoro.model.output_filter import OutputFilter

    body = json.dumps(OutputFilter().value(document), ensure_ascii=False).encode()
    kind = () if any(name == b"content-type" for name, _ in headers) else ((b"content-type", b"application/json"),)
    described = [*kind, (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": described})
    await send({"type": "http.response.body", "body": body})
