"""Put a line back into a note where it was. Works on text and not on files; no other byte changes."""

from __future__ import annotations

import re

from memoro.vault import entries as bullets

_TIME = re.compile(r"- (\d\d:\d\d) ")


def put_back(text: str, line: str, previous: str | None = None) -> str:
    """Return the note with the line: after its `previous` one, by its time, among the entries, or at the end.

    `previous` is the line before it when it was added; None: unknown.
    """
    lines = text.split("\n")
    bare = [one.rstrip("\r") for one in lines]
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    at = bare.index(previous) + 1 if previous and previous in bare else _place_by_time(bare, line)
    if at is not None and at < len(lines):
        return "\n".join([*lines[:at], line + end[:-1], *lines[at:]])
    entry = next(iter(bullets.entries(line)), None)
    if entry and entry.marked:
        return bullets.add(text, entry.text, own=entry.id).text
    return f"{text}{'' if not text or text.endswith(chr(10)) else end}{line}{end}"


def line_before(text: str, line: str) -> str | None:
    """Return the line above this one, without its line end; None if it is blank, or the line is not there."""
    lines = [one.rstrip("\r") for one in text.split("\n")]
    at = lines.index(line) if line in lines else 0
    return (lines[at - 1] if at and lines[at - 1].strip() else None) or None


def _place_by_time(lines: list[str], line: str) -> int | None:
    """Return the position of a line `- HH:MM …` among others of that kind; None if it is none, or there are none."""
    own = _TIME.match(line)
    times = [(number, found[1]) for number, one in enumerate(lines) if (found := _TIME.match(one))]
    if own is None or not times:
        return None
    earlier = [number for number, time in times if time <= own[1]]
    return earlier[-1] + 1 if earlier else times[0][0]
