"""Counts of requests, and the text in which Prometheus reads them.

Labels are names of operations, statuses and names of errors, so there are a few hundred series at most. No label
names a tenant or a person.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class Gauge(NamedTuple):
    """A value that is read when somebody asks for it; None: there is none now."""

    name: str
    about: str
    read: Callable[[], float | None]


class _Durations:
    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds


class RequestMetrics:
    """The requests of one process since its start. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._errors: Counter[str] = Counter()
        self._durations: dict[str, _Durations] = {}
        self.in_flight = 0
        self.gauges: list[Gauge] = []  # set by whoever runs the server

    def begin(self) -> None:
        with self._lock:
            self.in_flight += 1

    def end(self, operation: str, status: int, error: str | None, seconds: float) -> None:
        with self._lock:
            self.in_flight -= 1
            self._requests[operation, status] += 1
            if error is not None:
                self._errors[error] += 1
            self._durations.setdefault(operation, _Durations()).add(seconds)

    def text(self) -> str:
        """The text format of Prometheus, version 0.0.4."""
        with self._lock:
            lines = [*self._counted(), *self._timed()]
            lines += _series("memoro_requests_in_flight", "gauge", "Requests that run now.", [("", self.in_flight)])
        for gauge in self.gauges:
            value = gauge.read()
            kind = "counter" if gauge.name.endswith("_total") else "gauge"
            lines += _series(gauge.name, kind, gauge.about, [] if value is None else [("", value)])
        return "\n".join(lines) + "\n"

    def _counted(self) -> Iterator[str]:
        requests = [
            (f'{{operation="{operation}",status="{status}"}}', count)
            for (operation, status), count in sorted(self._requests.items())
        ]
        yield from _series("memoro_requests_total", "counter", "Requests by operation and status.", requests)
        errors = [(f'{{error="{name}"}}', count) for name, count in sorted(self._errors.items())]
        yield from _series("memoro_errors_total", "counter", "Errors that were answered, by name.", errors)

    def _timed(self) -> Iterator[str]:
        name, about = "memoro_request_seconds", "How long requests took, by operation."
        yield f"# HELP {name} {about}"
        yield f"# TYPE {name} histogram"
        for operation, durations in sorted(self._durations.items()):
            total = 0
            for limit, count in zip((*map(str, BUCKETS), "+Inf"), durations.counts, strict=True):
                total += count
                yield f'{name}_bucket{{operation="{operation}",le="{limit}"}} {total}'
            yield f'{name}_sum{{operation="{operation}"}} {durations.seconds:.6f}'
            yield f'{name}_count{{operation="{operation}"}} {total}'


def _series(name: str, kind: str, about: str, values: Sequence[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{labels} {value:g}" if isinstance(value, float) else f"{name}{labels} {value}"
