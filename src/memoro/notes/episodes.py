"""Episodic notes: what one session was about, in a note of its own that grows while the session does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memoro.notes.daily import Daily
from memoro.notes.scribe import PERSON, Scribe

SECTIONS = ("Topics", "Tools", "Decisions", "Open")


class Episode(NamedTuple):
    path: str
    change: int
    redacted: tuple[str, ...] = ()


class Episodes:
    """`m.episodes`: at compaction and at the end of a session."""

    def __init__(self, scribe: Scribe, daily: Daily, agent: str | None, project: str | None) -> None:
        self._scribe = scribe
        self._daily = daily
        self._agent, self._project = agent, project

    def save(
        self,
        session: str,
        *,
        title: str = "Session",
        started: datetime | None = None,
        channel: str | None = None,
        topics: Sequence[str] = (),
        tools: Sequence[str] = (),
        decisions: Sequence[str] = (),
        open: Sequence[str] = (),
        by: str = "agent",
    ) -> Episode:
        """Make the note of a session, or add to it what is new under each of its four headings."""
        now = self._scribe.book.now().astimezone()
        begun = (started or now).astimezone()
        path = self._path(session) or _name(begun, channel)
        said: dict[str, list[str]] = {}
        redacted: list[str] = []
        for section, lines in zip(SECTIONS, (topics, tools, decisions, open), strict=True):
            cleaned = [self._scribe.book.clean(line) if by != PERSON else (line, ()) for line in lines]
            said[section] = [" ".join(text.split()) for text, _ in cleaned if text.strip()]
            redacted += [kind for _, kinds in cleaned for kind in kinds]
        about = {
            "session": session, "agent": self._agent, "project": self._project,
            "started": f"{begun:%Y-%m-%dT%H:%M:%S}", "ended": f"{now:%Y-%m-%dT%H:%M:%S}",
        }  # fmt: skip

        def change(before: bytes | None) -> bytes:
            if before is None:
                return _fresh(title, about, said).encode()
            return _grown(before.decode("utf-8", "surrogateescape"), about, said).encode("utf-8", "surrogateescape")

        done = self._scribe.write("episode", path, change, by=by)
        if done.written.before is None:
            self._daily.add(f"session saved — {title}", by=by)
        return Episode(path, done.entry, tuple(redacted))

    def _path(self, session: str) -> str | None:
        """The note that this session has already, by the journal."""
        with self._scribe.book.ledger.reading() as pages:
            for entry in pages.journal.all("WHERE kind = 'note' AND operation = 'episode'"):
                data = pages.notes.kept((entry.after or {}).get("digest", "")) or b""
                if f"\nsession: {_quoted(session)}\n".encode() in data:
                    path = str(entry.item)
                    return path if self._scribe.bytes_of(path) is not None else None
        return None


def _name(begun: datetime, channel: str | None) -> str:
    tail = re.sub(r"[^\w-]+", "-", channel or "").strip("-")
    return f"sessions/{begun:%Y-%m-%dT%H-%M-%S}{f'-{tail}' if tail else ''}.md"


def _fresh(title: str, about: Mapping[str, str | None], said: Mapping[str, Sequence[str]]) -> str:
    front = "".join(f"{key}: {_quoted(value)}\n" for key, value in about.items() if value)
    body = "".join(f"\n## {section}\n\n{_bullets(said[section])}" for section in SECTIONS)
    return f"---\n{front}---\n\n# {' '.join(title.split()) or 'Session'}\n{body}"


def _grown(text: str, about: Mapping[str, str | None], said: Mapping[str, Sequence[str]]) -> str:
    """The same note with what is new below each heading, and another end; all else stays as it is."""
    text = re.sub(r"(?m)^ended: .*$", f"ended: {_quoted(about['ended'] or '')}", text, count=1)
    for section in SECTIONS:
        new = [line for line in said[section] if f"- {line}\n" not in f"{text}\n"]
        if not new:
            continue
        found = re.search(rf"(?m)^## {section}[ \t]*\r?\n", text)
        if found is None:
            text = f"{text.rstrip()}\n\n## {section}\n\n{_bullets(new)}"
            continue
        following = re.search(r"(?m)^#{1,2} ", text[found.end() :])
        end = found.end() + following.start() if following else len(text)
        inside = text[found.end() : end].rstrip()
        gap = "\n" if following else ""
        text = f"{text[: found.end()]}{inside}\n{_bullets(new)}{gap}{text[end:]}"
    return text


def _bullets(lines: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def _quoted(value: str) -> str:
    """As YAML reads it back: plain where that is safe."""
    if re.fullmatch(r"\w[\w./:@ -]*", value) and ": " not in value:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
