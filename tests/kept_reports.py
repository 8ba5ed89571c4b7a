"""What a service of `memoro serve` reports, kept for a test."""

from __future__ import annotations


class KeptReports:
    """Keeps the lines of a service."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def done(self, line: str) -> None:
        self.lines.append(line)

    failed = notice = watching = http = hooks = done

    def request(self) -> None:
        pass
