"""What the stand-in notes: requests, vectors that arrived, texts that were paid for."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import IO, NamedTuple

from tests.standin.messages import Request


class Payment(NamedTuple):
    """One text that the server embedded, and would have charged for."""

    text: str
    number: int  # of the request; of a batch job, the request that created it
    job: str | None = None


class Records:
    """Threads write here; tests read copies."""

    def __init__(self, log: str | None = None) -> None:
        self._alone = threading.Lock()
        self._requests: list[Request] = []
        self._delivered: list[str] = []
        self._repeated: list[tuple[int, str]] = []
        self._payments: list[Payment] = []
        self._strays: list[str] = []
        self._arrived: Counter[str] = Counter()
        self._count = 0
        self._faulted = 0
        self._log: IO[str] | None = open(log, "a", encoding="utf-8") if log else None  # noqa: SIM115 (closed below)

    def next_number(self) -> int:
        with self._alone:
            self._count += 1
            return self._count - 1

    def add(self, request: Request) -> None:
        with self._alone:
            self._requests.append(request)
            self._faulted += request.is_faulted
            self._repeated += [(request.number, text) for text in request.texts if self._arrived[text]]
        self._note(
            event="request",
            number=request.number,
            method=request.method,
            path=request.path,
            texts=request.texts,
            fault=request.fault,
        )

    def deliver(self, number: int, texts: Sequence[str]) -> None:
        with self._alone:
            self._delivered += texts
            self._arrived.update(texts)
        if texts:
            self._note(event="delivered", number=number, texts=texts)

    def take_back(self, number: int, texts: Sequence[str]) -> None:
        """These vectors were sent, but their reader had gone."""
        with self._alone:
            for text in texts:
                self._delivered.remove(text)
                self._arrived[text] -= 1
        if texts:
            self._note(event="lost", number=number, texts=texts)

    def pay(self, payments: Iterable[Payment]) -> None:
        new = list(payments)
        with self._alone:
            self._payments += new
        if new:
            self._note(event="paid", number=new[0].number, job=new[0].job, texts=[one.text for one in new])

    def refund(self, job: str, texts: Sequence[str]) -> None:
        """These texts of a job were not embedded after all."""
        left = Counter(texts)
        kept = []
        with self._alone:
            for payment in self._payments:
                if payment.job == job and left[payment.text]:
                    left[payment.text] -= 1
                else:
                    kept.append(payment)
            self._payments = kept
        self._note(event="refunded", job=job, texts=texts)

    def stray(self, line: str) -> None:
        """A request came to the host that redirections point to."""
        with self._alone:
            self._strays.append(line)
        self._note(event="stray", line=line)

    @property
    def requests(self) -> list[Request]:
        with self._alone:
            return list(self._requests)

    @property
    def faulted(self) -> int:
        with self._alone:
            return self._faulted

    @property
    def delivered(self) -> list[str]:
        with self._alone:
            return list(self._delivered)

    @property
    def repeated(self) -> list[tuple[int, str]]:
        with self._alone:
            return list(self._repeated)

    @property
    def payments(self) -> list[Payment]:
        with self._alone:
            return list(self._payments)

    @property
    def strays(self) -> list[str]:
        with self._alone:
            return list(self._strays)

    def clear(self) -> None:
        with self._alone:
            for noted in (self._requests, self._delivered, self._repeated, self._payments, self._strays):
                noted.clear()
            self._arrived.clear()
            self._faulted = 0

    def close(self) -> None:
        with self._alone:
            if self._log is not None:
                self._log.close()
                self._log = None

    def _note(self, **event: object) -> None:
        with self._alone:
            if self._log is not None:
                self._log.write(json.dumps(event) + "\n")
                self._log.flush()
