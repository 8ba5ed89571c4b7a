"""Episodic notes: what one session was about, in a note of its own that grows while the session does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypedDict, Unpack

from memoro.model.changes import NoteWritten
from memoro.model.vocabulary import PERSON
from memoro.notes.daily import Daily
from memoro.notes.journaled_writer import Done, JournaledWriter, NoteWrite
from memoro.vault.entries import plain
from memoro.vault.markdown import split_lines
from memoro.vault.writer import Change

SECTIONS = ("Topics", "Tools", "Decisions", "Open")


class Episode(NamedTuple):
    path: str
    change: int
    redacted: tuple[str, ...] = ()


class EpisodeOptions(TypedDict, total=False):
    title: str
    started: datetime | None
    channel: str | None
    topics: Sequence[str]
    tools: Sequence[str]
    decisions: Sequence[str]
    open: Sequence[str]
    by: str  # "agent" by default
    at: datetime | None  # when the session ended or was compacted, if that is not now
    agent: str | None  # whose session it was, if not of those for whom the home was opened
    project: str | None


class Episodes:
    """`m.episodes`: at compaction and at the end of a session."""

    def __init__(self, journaled: JournaledWriter, daily: Daily, agent: str | None, project: str | None) -> None:
        self._journaled = journaled
        self._daily = daily
        self._agent, self._project = agent, project

    def save(self, session: str, **options: Unpack[EpisodeOptions]) -> Episode:
        """Make the note of a session, or add to it what is new under each of its four headings."""
        by, at = options.get("by", "agent"), options.get("at")
        now = (at or self._journaled.access.now()).astimezone()
        begun = (options.get("started") or now).astimezone()
        redacted: list[str] = []

        def cleaned(text: str) -> str:
            said, kinds = self._journaled.access.authored(text, by_agent=by != PERSON)
            redacted.extend(kinds)
            return plain(said)

        lists = (options.get("topics", ()), options.get("tools", ()), options.get("decisions", ()))
        given = zip(SECTIONS, (*lists, options.get("open", ())), strict=True)
        said = {section: [text for text in map(cleaned, lines) if text] for section, lines in given}
        title = cleaned(options.get("title", "Session")) or "Session"
        channel = cleaned(options.get("channel") or "")
        project = options.get("project") or self._project
        about = {
            "session": session, "agent": options.get("agent") or self._agent, "project": project,
            "started": f"{begun:%Y-%m-%dT%H:%M:%S}", "ended": f"{now:%Y-%m-%dT%H:%M:%S}",
        }  # fmt: skip

        def change(before: bytes | None) -> bytes:
            if before is None:
                return _fresh(title, about, said).encode()
            if not _is_of(session, before):
                raise _Taken
            return _grown(before.decode("utf-8", "surrogateescape"), about, said).encode("utf-8", "surrogateescape")

        done = self._written(self._path(session), _name(begun, channel), change, by)
        if done.written.before is None:
            self._daily.add(f"session saved — {title}", by=by, at=at, project=project)
        return Episode(done.written.path, done.entry, tuple(redacted))

    def _written(self, known: str | None, name: str, change: Change, by: str) -> Done:
        """Write to the note that the session has, or to one of this name; two may have begun in one second."""
        number = 0
        while True:
            path = known or f"sessions/{name}{f'-{number}' if number else ''}.md"
            try:
                return self._journaled.write(NoteWrite("episode", path, by), change)
            except _Taken:
                number = 0 if known else max(2, number + 1)
                known = None

    def _path(self, session: str) -> str | None:
        """The note that this session has already, by the journal."""
        with self._journaled.access.ledger.reading() as tx:
            for entry in tx.journal.of("note", "episode"):
                digest = entry.change.after if isinstance(entry.change, NoteWritten) else None
                if _is_of(session, (tx.contents.get(digest) if digest else None) or b""):
                    path = str(entry.item)
                    return path if self._journaled.bytes_of(path) is not None else None
        return None


class _Taken(Exception):
    """The note of that name is another session's, or says nothing about it any more."""


def _is_of(session: str, data: bytes) -> bool:
    """Return whether the frontmatter names this session."""
    return f"\nsession: {_quoted(session)}\n".encode() in data.replace(b"\r\n", b"\n")


def _name(begun: datetime, channel: str) -> str:
    tail = re.sub(r"[^\w-]+", "-", channel).strip("-")[:40]
    return f"{begun:%Y-%m-%dT%H-%M-%S}{f'-{tail}' if tail else ''}"


def _fresh(title: str, about: Mapping[str, str | None], said: Mapping[str, Sequence[str]]) -> str:
    front = "".join(f"{key}: {_quoted(value)}\n" for key, value in about.items() if value)
    body = "".join(f"\n## {section}\n\n{_bullets(said[section])}" for section in SECTIONS)
    return f"---\n{front}---\n\n# {title}\n{body}"


def _grown(text: str, about: Mapping[str, str | None], said: Mapping[str, Sequence[str]]) -> str:
    """The same note with what is new below each heading, and another end; all else stays as it is."""
    front = re.match(r"---\r?\n(?:.*\n)*?---", text)
    end = front.end() if front else 0
    text = re.sub(r"(?m)^ended: [^\r\n]*", f"ended: {about['ended']}", text[:end], count=1) + text[end:]
    for section in SECTIONS:
        text = _with(text, section, said[section])
    return text


def _with(text: str, section: str, said: Sequence[str]) -> str:
    """The note with bullets that are new below a heading, after the last line that stands there."""
    lines = split_lines(text)
    headings = [n for n, line in enumerate(lines) if re.match(r"#{1,2} ", line)]
    first = next((n + 1 for n in headings if lines[n].strip() == f"## {section}"), None)
    last = next((n for n in headings if first is not None and n >= first), len(lines))
    there = set(lines[first:last]) if first is not None else set()
    new = [f"- {one}" for one in said if f"- {one}" not in there]
    if not new:
        return text
    while first is not None and last > first and not lines[last - 1].strip():
        last -= 1
    if first is None:
        new = ["", f"## {section}", "", *new]
    elif last == first:
        new = ["", *new]
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    at = sum(len(line) + 1 for line in text.split("\n")[:last])
    head, tail = text[:at], text[at:]
    missing = end if head and not head.endswith("\n") else ""
    return f"{head}{missing}{''.join(f'{line}{end}' for line in new)}{tail}"


def _bullets(lines: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def _quoted(value: str) -> str:
    """As YAML reads it back: plain where that is safe."""
    value = plain(value)
    if re.fullmatch(r"\w[\w./@-]*(?:[ :][\w./@-]+)*", value):
        return value
    return json.dumps(value, ensure_ascii=False)
