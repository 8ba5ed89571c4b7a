"""The weeks of a made-up person of `benchmarks days`, lived in this process under a clock of their own."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest import mock

from benchmarks.days.host_logs import SessionLog
from benchmarks.days.people import DATA, Group, Person, Session, Step, day_of_note, read_person

import memoro
from memoro import hooks
from memoro.hooks.answers import records_of
from memoro.model.recall import Recalled
from tests.test_kept_sessions import in_utc, without


def person(name: str) -> Person:
    return read_person(DATA / f"dev-{name}.toml")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def aged(vault: Path, now: datetime) -> Path:
    """Make the notes of a vault a month old, by that clock."""
    for file in vault.rglob("*.md"):
        os.utime(file, ((now - timedelta(days=30)).timestamp(),) * 2)
    return vault


class LivedDays:
    """A home, a vault, projects and logs below one folder."""

    def __init__(self, person: Person, folder: Path) -> None:
        self.person, self.folder = person, folder
        self.me, self.home, self.vault = folder / "me", folder / "home", folder / "vault"
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self._unwritten = dict(person.vault)
        self._began = time.time()
        for one in (self.me, self.vault, *map(self.project, person.projects)):
            one.mkdir(parents=True)
        self.home.mkdir(mode=0o700)
        (self.home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{person.host}"]\n', encoding="utf-8")

    def project(self, name: str) -> Path:
        return self.folder / "src" / name

    @contextmanager
    def opened(self) -> Iterator[memoro.Workspace]:
        with (
            in_utc(self.folder),
            mock.patch("time.time", self._time),
            memoro.open(self.home, self.vault, clock=lambda: self.now) as m,
        ):
            yield m

    def _time(self) -> float:
        return self.now.timestamp()

    def live(self, m: memoro.Workspace) -> None:
        """All sessions of the weeks: some through every hook, of the others the end alone."""
        first = self.person.sessions[0].start.date()
        self._write_notes(first - timedelta(days=1), first)
        for session in self.person.sessions:
            self._write_notes(session.start.date(), first)
            log = self.log(session)
            if session.id in self.person.live:
                self._live_session(m, log)
            else:
                self.write(log)
            self.now = log.end().replace(tzinfo=UTC) + timedelta(minutes=1)
            self.hook(m, "SessionEnd", log, reason="prompt_input_exit")
            hooks.write_captures(m)
            self._age_files()
        self._write_notes(self.person.today, first)
        self.now = self._at(self.person.today, 7)
        m.sync()

    def ask(
        self, m: memoro.Workspace, number: int, group: Group, begun: Mapping[int, str] = MappingProxyType({})
    ) -> Iterator[tuple[str, list[Recalled], str]]:
        """What a session of the last day was given, at its start and for each prompt, with the whole answer.

        Before the prompts with these numbers it begins anew, for the reason that its host gives.
        """
        start = self._at(self.person.today, 8) + timedelta(minutes=25 * number)
        session = Session(f"asked-{number}", start.replace(tzinfo=None), group.project, "", ())
        self.now = start
        known: list[Recalled] = []
        said = self.hook(m, "SessionStart", self.log(session), source="startup")
        yield "(start)", self._new(m, session.id, known), said
        for place, prompt in enumerate(group.prompts, 1):
            self.now = start + timedelta(minutes=2 * place)
            if place in begun:
                said = self.hook(m, "SessionStart", self.log(session), source=begun[place])
                yield f"({begun[place]})", self._new(m, session.id, known), said
            said = self.hook(m, "UserPromptSubmit", self.log(session), prompt=prompt.text)
            yield prompt.text, self._new(m, session.id, known), said
            session = session._replace(steps=(*session.steps, Step("U", prompt.text), Step("A", "One moment.")))
            self.write(self.log(session))
        self.path(self.log(session)).unlink()

    def _new(self, m: memoro.Workspace, session: str, known: list[Recalled]) -> list[Recalled]:
        shown = [one.recalled for each in records_of(m.sessions, session) for one in m.sessions.show(each.id).recalls]
        new = shown[len(known) :]
        known += new
        return new

    def hook(self, m: memoro.Workspace, event: str, log: SessionLog, **more: object) -> str:
        """What a hook puts before the agent."""
        about = {"session_id": log.id, "transcript_path": str(self.path(log)), "cwd": str(log.folder)}
        made = hooks.answer(self.person.host, {**about, "hook_event_name": event, **more}, m)
        output: Any = (made or {}).get("hookSpecificOutput", {})
        return str(output.get("additionalContext", ""))

    def log(self, session: Session) -> SessionLog:
        return SessionLog(self.person.host, session.id, self.project(session.project), session)

    def path(self, log: SessionLog) -> Path:
        """Where the host keeps it; the name of the folder does not depend on where this test runs."""
        if log.host == "codex":
            return log.path(self.me)
        return self.me / ".claude" / "projects" / f"-{log.session.project}" / f"{log.id}.jsonl"

    def write(self, log: SessionLog, share: float = 1.0) -> None:
        path, lines = self.path(log), log.lines()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines[: int(len(lines) * share)]) + "\n", encoding="utf-8")

    def _live_session(self, m: memoro.Workspace, log: SessionLog) -> None:
        self.now = log.session.start.replace(tzinfo=UTC)
        self.hook(m, "SessionStart", log, source="startup")
        self.write(log, 0.5)
        for moment, step in log.timed():
            self.now = moment.replace(tzinfo=UTC)
            if step.speaker == "U":
                self.hook(m, "UserPromptSubmit", log, prompt=step.text)
        self.write(log)
        self.hook(m, "Stop", log, stop_hook_active=False, last_assistant_message=log.session.steps[-1].text)

    def _write_notes(self, until: date, first: date) -> None:
        """Write the daily notes up to this day, and all other notes as some days older than the first session."""
        for path, text in list(self._unwritten.items()):
            day = day_of_note(path)
            if day is None or day <= until:
                file = self.vault / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                os.utime(file, (self._at(day or first - timedelta(days=5), 20).timestamp(),) * 2)
                del self._unwritten[path]

    def _age_files(self) -> None:
        """Files that were written in this process are as old as its clock says."""
        for file in self.vault.rglob("*.md"):
            if file.stat().st_mtime >= self._began - 60:
                os.utime(file, (self.now.timestamp(),) * 2)

    @staticmethod
    def _at(day: date, hour: int) -> datetime:
        return datetime(day.year, day.month, day.day, hour, tzinfo=UTC)


def kept_recalled(recalled: Recalled, folder: Path) -> list[Any]:
    """What was given and why, how the message was read, and what was left out."""
    out: dict[str, list[str]] = {}
    for one in recalled.left_out:
        out.setdefault(one.why, []).append(one.id)
    kept = [
        recalled.decision or recalled.form,
        recalled.tokens,
        [[one.id, one.why, one.older, one.date, round(one.score, 3), one.tokens, one.text] for one in recalled.items],
        {why: [len(ids), digest(" ".join(ids))] for why, ids in out.items()},
        digest(recalled.block.replace(recalled.boundary, "") if recalled.boundary else recalled.block),
        [[one.name, one.cap, one.tokens, one.items] for one in recalled.sections],
        list(recalled.degraded),
    ]
    found: list[Any] = without(str(folder), kept)
    return found
