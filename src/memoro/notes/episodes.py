"""Episodic notes: what one session was about, in a note of its own that changes while the session goes on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypedDict, Unpack

from memoro.model.changes import NoteWritten
from memoro.model.session_digest import SessionDigest, session_line
from memoro.model.vocabulary import PERSON
from memoro.notes.daily import Daily, DailyOptions
from memoro.notes.journaled_writer import Done, JournaledWriter, NoteWrite
from memoro.notes.session_note import (
    UNTITLED,
    NoteSection,
    OwnChanges,
    SaidLines,
    changed_by_owner,
    extended_note,
    lines_of,
    new_note,
    quoted,
    rewritten_note,
)
from memoro.notes.session_note import read_digest as read_digest
from memoro.vault.daily_lines import tagged
from memoro.vault.entries import plain
from memoro.vault.writer import Change


class Episode(NamedTuple):
    path: str
    change: int
    redacted: tuple[str, ...] = ()


class EpisodeAbout(TypedDict, total=False):
    started: datetime | None
    channel: str | None
    by: str  # "agent" by default
    at: datetime | None  # when the session ended or was compacted, if that is not now
    agent: str | None  # whose session it was, if not of those for whom the home was opened
    project: str | None


class EpisodeOptions(EpisodeAbout, total=False):
    title: str
    topics: Sequence[str]
    tools: Sequence[str]
    decisions: Sequence[str]
    errors: Sequence[str]
    files: Sequence[str]
    commands: Sequence[str]
    open: Sequence[str]


class _Wanted(NamedTuple):
    """What a note of a session shall say, without secrets."""

    session: str
    title: str
    said: SaidLines
    name: str  # of its file, if there is none yet
    about: dict[str, str | None]
    redacted: tuple[str, ...]

    def digest(self) -> SessionDigest:
        return SessionDigest(
            title="" if self.title == UNTITLED else self.title,
            decisions=tuple(self.said.get("Decisions", ())),
            files=tuple(file.strip("`") for file in self.said.get("Files", ())),
            commands=tuple(self.said.get("Commands", ())),
            errors=tuple(self.said.get("Errors", ())),
            open=tuple(self.said.get("Open", ())),
        )


class Episodes:
    """`m.episodes`: at compaction and at the end of a session."""

    def __init__(self, journaled: JournaledWriter, daily: Daily, agent: str | None, project: str | None) -> None:
        self._journaled = journaled
        self._daily = daily
        self._agent, self._project = agent, project

    def save(self, session: str, **options: Unpack[EpisodeOptions]) -> Episode:
        """Make the note of a session, or add to it what is new under each of its headings."""
        said: SaidLines = {
            "Topics": options.get("topics", ()),
            "Tools": options.get("tools", ()),
            "Decisions": options.get("decisions", ()),
            "Errors": options.get("errors", ()),
            "Files": options.get("files", ()),
            "Commands": options.get("commands", ()),
            "Open": options.get("open", ()),
        }
        wanted = self._wanted(session, options.get("title", ""), said, options)

        def change(before: bytes | None) -> bytes:
            if before is None:
                return new_note(wanted.title, wanted.about, wanted.said).encode()
            if not _is_of(session, before):
                raise _Taken
            text = before.decode("utf-8", "surrogateescape")
            grown = extended_note(text, str(wanted.about["ended"]), wanted.said)
            return grown.encode("utf-8", "surrogateescape")

        done = self._written(self._path(session), wanted.name, change, options.get("by", "agent"))
        if done.written.before is None:
            self._tell_the_day(wanted, options, None)
        return Episode(done.written.path, done.entry, wanted.redacted)

    def write(self, session: str, digest: SessionDigest, **about: Unpack[EpisodeAbout]) -> Episode:
        """Make the note of a session say what the digest says. What its owner wrote or took out stays so.

        The day gets a line that says what was done; another one later only where there is more to say.
        """
        wanted = self._wanted(session, digest.title, lines_of(digest), about)
        fresh = new_note(wanted.title, wanted.about, wanted.said)
        known = self._path(session)

        def change(before: bytes | None) -> bytes:
            if before is None:
                return fresh.encode()
            if not _is_of(session, before):
                raise _Taken
            own = self._own_changes(known, before) if known else OwnChanges()
            text = before.decode("utf-8", "surrogateescape")
            made = rewritten_note(text, fresh, str(wanted.about["ended"]), own)
            return made.encode("utf-8", "surrogateescape")

        done = self._written(known, wanted.name, change, about.get("by", "agent"))
        self._tell_the_day(wanted, about, done.written.before)
        return Episode(done.written.path, done.entry, wanted.redacted)

    def _tell_the_day(self, wanted: _Wanted, about: EpisodeAbout, before: bytes | None) -> None:
        """Let the day's line say what the note says now; one of an earlier day, or that its owner changed, stays."""
        text = (before or b"").decode("utf-8", "replace")
        ended = re.search(r"(?m)^ended: (\d{4}-\d\d-\d\d)T(\d\d:\d\d)", text)
        told, new = session_line(read_digest(text)), session_line(wanted.digest())
        options = self._line_options(wanted, about, new)
        if ended and told != new and str(wanted.about["ended"]).startswith(ended[1]):
            old = f"- {ended[2]} {tagged(told, wanted.about['project'])}"
            if self._daily.replace(old, new, **options):
                return
        self._daily.add(new, **options)

    def _line_options(self, wanted: _Wanted, about: EpisodeAbout, line: str) -> DailyOptions:
        """Return a key for these words: a line that its owner deleted stays deleted."""
        by = about.get("by", "agent")
        key = f"memoro:session:{wanted.session}:{hashlib.sha256(f'{by}: {line}'.encode()).hexdigest()[:16]}"
        return {"by": by, "at": about.get("at"), "key": key, "project": wanted.about["project"]}

    def _wanted(self, session: str, title: str, said: SaidLines, about: EpisodeAbout) -> _Wanted:
        by = about.get("by", "agent")
        now = (about.get("at") or self._journaled.access.now()).astimezone()
        begun = (about.get("started") or now).astimezone()
        redacted: list[str] = []

        def cleaned(text: str) -> str:
            clean, kinds = self._journaled.access.authored(text, by_agent=by != PERSON)
            redacted.extend(kinds)
            return plain(clean)

        lines: dict[NoteSection, Sequence[str]] = {
            section: [text for text in map(cleaned, texts) if text] for section, texts in said.items()
        }
        front = {
            "session": session, "agent": about.get("agent") or self._agent,
            "project": about.get("project") or self._project,
            "started": f"{begun:%Y-%m-%dT%H:%M:%S}", "ended": f"{now:%Y-%m-%dT%H:%M:%S}",
        }  # fmt: skip
        channel = cleaned(about.get("channel") or "")
        return _Wanted(
            session=session, title=cleaned(title) or UNTITLED, said=lines, name=_name(begun, channel),
            about=front, redacted=tuple(redacted),
        )  # fmt: skip

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

    def _own_changes(self, path: str, now: bytes) -> OwnChanges:
        """Return what Memoro wrote in a note, and what of that its owner took out, by the journal."""
        with self._journaled.access.ledger.reading() as tx:
            entries = [one for one in tx.journal.of("note", "episode") if str(one.item) == path]
            sides = [
                tuple((tx.contents.get(side) if side else None) or b"" for side in (change.before, change.after))
                for change in (entry.change for entry in sorted(entries, key=lambda one: one.id))
                if isinstance(change, NoteWritten)
            ]
        return changed_by_owner([(before, after) for before, after in sides], now)


class _Taken(Exception):
    """The note of that name is another session's, or says nothing about it any more."""


def _is_of(session: str, data: bytes) -> bool:
    """Return whether the frontmatter names this session."""
    return f"\nsession: {quoted(session)}\n".encode() in data.replace(b"\r\n", b"\n")


def _name(begun: datetime, channel: str) -> str:
    tail = re.sub(r"[^\w-]+", "-", channel).strip("-")[:40]
    return f"{begun:%Y-%m-%dT%H-%M-%S}{f'-{tail}' if tail else ''}"
