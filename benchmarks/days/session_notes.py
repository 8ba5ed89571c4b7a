"""Judges the notes that were written of labelled sessions: decisions, open items and files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from benchmarks.days.people import NoteLabel, Pattern, Person

Part = Literal["decisions", "open"]
_HEADINGS: dict[Part, str] = {"decisions": r"(decision|decided)", "open": r"(open|next|todo|left)"}
_daily = re.compile(r"(^|/)\d{4}-\d\d-\d\d\.md$")


class Count(NamedTuple):
    some: int
    of: int

    def plus(self, other: Count) -> Count:
        return Count(self.some + other.some, self.of + other.of)

    def percent(self) -> float | None:
        return 100 * self.some / self.of if self.of else None


class NoteVerdict(NamedTuple):
    session: str
    counts: Mapping[str, Count]
    lines: Sequence[str]  # of the note
    daily: Sequence[str]


def judge_notes(person: Person, written: Mapping[str, Mapping[str, Sequence[str]]]) -> list[NoteVerdict]:
    verdicts = []
    for name, label in person.notes.items():
        got = written.get(name, {})
        daily = [line for path, lines in got.items() if _daily.search(path) for line in lines]
        note = [line for path, lines in got.items() if not _daily.search(path) for line in lines]
        verdicts.append(NoteVerdict(f"{person.name} {name}", _counts(label, note, daily), note, daily))
    return verdicts


def pooled(verdicts: Iterable[NoteVerdict]) -> dict[str, Count]:
    """The counts of all sessions together."""
    sums: dict[str, Count] = {}
    for verdict in verdicts:
        for name, count in verdict.counts.items():
            sums[name] = sums.get(name, Count(0, 0)).plus(count)
    return sums


def _counts(label: NoteLabel, note: Sequence[str], daily: Sequence[str]) -> dict[str, Count]:
    counts: dict[str, Count] = {}
    parts: tuple[tuple[Part, tuple[Pattern, ...]], ...] = (("decisions", label.decisions), ("open", label.open))
    for part, wanted in parts:
        lines = section(note, _HEADINGS[part])
        counts[f"{part}: recall"] = _found(wanted, lines)
        counts[f"{part}: precision"] = Count(sum(_any(wanted, line) for line in lines), len(lines))
    content = content_lines(note)
    every = (*label.decisions, *label.open, *label.files, label.also)
    counts["open: anywhere in the note"] = _found(label.open, note)
    counts["files: recall"] = _found(label.files, note)
    counts["useful lines"] = Count(sum(_any(every, line) for line in content), len(content))
    counts["daily line says what"] = Count(int(any(label.gist.hits(line) for line in content_lines(daily))), 1)
    return counts


def _found(wanted: Sequence[Pattern], lines: Sequence[str]) -> Count:
    text = "\n".join(lines)
    return Count(sum(pattern.hits(text) for pattern in wanted), len(wanted))


def _any(wanted: Sequence[Pattern], line: str) -> bool:
    return any(pattern.hits(line) for pattern in wanted)


def content_lines(lines: Sequence[str]) -> list[str]:
    """Lines that say something: no frontmatter, headings or comments."""
    content, fences = [], 0
    for line in lines:
        if line.strip() == "---":
            fences += 1
        elif fences != 1 and line.strip() and not line.startswith(("#", "<!--")):
            content.append(line)
    return content


def section(lines: Sequence[str], word: str) -> list[str]:
    """The lines below a heading that begins with the word; without such a heading, lines like `Decision: …`."""
    heading = re.compile(rf"#+\s*{word}", re.I)
    if not any(heading.match(line) for line in lines):
        return [line for line in lines if not line.startswith("#") and re.match(rf"\W*{word}\w*\W*:", line, re.I)]
    found, inside = [], False
    for line in lines:
        if line.startswith("#"):
            inside = heading.match(line) is not None
        elif inside and line.strip():
            found.append(line)
    return found
