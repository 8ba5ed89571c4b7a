"""A request as it arrived, an answer before it is sent, and what both hold."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.standin.faults import Fault, is_felt


class Request(NamedTuple):
    """One request, as the server read it."""

    number: int  # in the order of arrival, from 0
    method: str
    path: str  # without the query
    query: dict[str, str]
    headers: dict[str, str]  # names in lower case
    body: bytes
    texts: tuple[str, ...] = ()  # the texts to embed; of a batch file: none
    fault: Fault | None = None

    @property
    def is_faulted(self) -> bool:
        """Whether the answer is another one than it should be."""
        return is_felt(self.fault, len(self.texts))

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Answer(NamedTuple):
    """What is sent back. A document that is not bytes is sent as JSON."""

    status: int
    document: object
    headers: dict[str, str] = {}  # noqa: RUF012 (nobody changes it)
    arriving: tuple[str, ...] = ()  # texts whose right vectors are in it
    paid: tuple[str, ...] = ()  # texts that were embedded for it, whether their vectors arrive or not

    @property
    def body(self) -> bytes:
        document = self.document
        return document if isinstance(document, bytes) else json.dumps(document).encode()


class Refused(Exception):
    """A route answers with this error instead."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer
