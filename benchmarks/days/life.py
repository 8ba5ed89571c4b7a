"""A person's weeks, lived through the hooks of a Memoro executable under a false clock."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.days.host_logs import SessionLog
from benchmarks.days.people import Group, Person, Session, Step, day_of_note

_LIBRARIES = tuple(f"/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1" for machine in ("x86_64", "aarch64"))
_SPEAKING = ("SessionStart", "UserPromptSubmit")  # plain output of these events is context
_HOOK_SECONDS = "300"  # a hook never gives up: a loaded machine must not change the figures

Written = dict[str, dict[str, list[str]]]  # for each live session: the lines that were added to each note


class ClockMissing(RuntimeError):
    def __init__(self) -> None:
        super().__init__("The days need Debian's libfaketime for their false clock: apt-get install faketime")


class GroupAnswers(NamedTuple):
    """What one session of the last day was given: at its start, and for each prompt."""

    start: str
    given: tuple[str, ...]


class Lived(NamedTuple):
    answers: tuple[GroupAnswers, ...]
    written: Written
    calls: int  # of hooks
    cpu: float  # seconds, of all processes

    def to_json(self) -> str:
        answers = [one._asdict() for one in self.answers]
        return json.dumps({**self._asdict(), "answers": answers}, ensure_ascii=False, indent=1)

    @staticmethod
    def from_json(text: str) -> Lived:
        kept: dict[str, Any] = json.loads(text)
        answers = tuple(GroupAnswers(one["start"], tuple(one["given"])) for one in kept["answers"])
        return Lived(answers, kept["written"], kept["calls"], kept["cpu"])


def live(person: Person, memoro: Sequence[str], root: Path) -> Lived:
    """Live the weeks in the folder `root`, which is emptied first; then ask the prompts of the last day."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    life = _Life(person, memoro, root)
    written = life.weeks()
    answers = tuple(life.ask(number, group) for number, group in enumerate(person.groups))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Lived(answers, written, life.calls, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class _Life:
    def __init__(self, person: Person, memoro: Sequence[str], root: Path) -> None:
        self._person, self._memoro, self._root = person, list(memoro), root
        self._home, self._vault = root / "home", root / "vault"
        self._unwritten = dict(person.vault)
        self._preload = _find_library()
        self.calls = 0

    def weeks(self) -> Written:
        person, first = self._person, self._person.sessions[0].start.date()
        shutil.rmtree(self._root, ignore_errors=True)
        logs = self._home / (".codex/sessions" if person.host == "codex" else ".claude/projects")
        for folder in (logs, self._vault, *map(self._folder, person.projects)):
            folder.mkdir(parents=True)
        self._write_notes(first - timedelta(days=1), first)
        begin = _at(first - timedelta(days=1), 7)
        self._command(begin, "init", str(self._vault), "--no-memory")
        self._command(begin, "transcripts", "add", person.host)
        written = {}
        for session in person.sessions:
            self._write_notes(session.start.date(), first)
            if session.id in person.live:
                written[session.id] = self._live_session(self._log(session))
            else:
                self._quiet_session(self._log(session))
        self._write_notes(person.today, first)
        self._command(_at(person.today, 7), "sync")
        return written

    def ask(self, number: int, group: Group) -> GroupAnswers:
        """The log of this session grows by each prompt and is deleted at the end, so that no other group sees it."""
        start = _at(self._person.today, 8) + timedelta(minutes=25 * number)
        session = Session(f"asked-{number}", start, group.project, "", ())
        given = []
        begin = self._hook("SessionStart", start, self._log(session), source="startup")
        for place, prompt in enumerate(group.prompts, 1):
            moment = start + timedelta(minutes=2 * place)
            given.append(self._hook("UserPromptSubmit", moment, self._log(session), prompt=prompt.text))
            steps = (*session.steps, Step("U", prompt.text), Step("A", "One moment."))
            session = session._replace(steps=steps)
            _write_log(self._log(session), self._home)
        self._log(session).path(self._home).unlink()
        return GroupAnswers(begin, tuple(given))

    def _live_session(self, log: SessionLog) -> dict[str, list[str]]:
        """Every event of the session reaches its hook; the log grows in two halves. Returns what notes gained."""
        start, end = log.session.start, log.end()
        self._command(start, "sync")
        before = self._contents()
        self._hook("SessionStart", start, log, source="startup")
        lines = log.lines()
        _write_log(log, self._home, lines[: len(lines) // 2])
        for moment, step in log.timed():
            if step.speaker == "U":
                self._hook("UserPromptSubmit", moment, log, prompt=step.text)
        self._hook("Stop", start + (end - start) / 2, log, stop_hook_active=False)
        _write_log(log, self._home)
        last = log.session.steps[-1].text
        self._hook("Stop", end, log, stop_hook_active=False, last_assistant_message=last)
        self._hook("SessionEnd", end + timedelta(minutes=1), log, reason="prompt_input_exit")
        self._command(end + timedelta(minutes=2), "sync")
        return {
            path: gained for path, text in self._contents().items() if (gained := _gained(before.get(path), text))
        }

    def _quiet_session(self, log: SessionLog) -> None:
        _write_log(log, self._home)
        self._hook("SessionEnd", log.end() + timedelta(minutes=1), log, reason="prompt_input_exit")

    def _log(self, session: Session) -> SessionLog:
        name = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{self._person.name}-{session.id}"))
        return SessionLog(self._person.host, name, self._folder(session.project), session)

    def _folder(self, project: str) -> Path:
        return self._root / "src" / project

    def _hook(self, event: str, when: datetime, log: SessionLog, **more: object) -> str:
        """What the hook put before the agent."""
        self.calls += 1
        told = {
            "session_id": log.id,
            "transcript_path": str(log.path(self._home)),
            "cwd": str(log.folder),
            "hook_event_name": event,
            "permission_mode": "default",
            **more,
        }
        if self._person.host == "codex":
            told |= {"model": "gpt", "turn_id": f"turn-{self.calls}"}
        output = self._process(when, ["hook", self._person.host], json.dumps(told), log.folder)
        try:
            return str(json.loads(output)["hookSpecificOutput"]["additionalContext"])
        except (ValueError, KeyError, TypeError):
            return output if event in _SPEAKING else ""

    def _command(self, when: datetime, *arguments: str) -> None:
        self._process(when, arguments, "", self._root)

    def _process(self, when: datetime, arguments: Sequence[str], said: str, folder: Path) -> str:
        done = subprocess.run(
            [*self._memoro, *arguments],
            input=said.encode(),
            capture_output=True,
            env=self._environment(when),
            cwd=folder,
            check=False,
        )
        if problem := done.stderr.decode().strip():
            print(f"  memoro {' '.join(arguments)}: {problem[:300]}", file=sys.stderr)
        if done.returncode and arguments[0] != "hook":
            raise SystemExit(f"memoro {' '.join(arguments)} failed: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def _environment(self, when: datetime) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self._home),
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "LD_PRELOAD": self._preload,
            "FAKETIME": f"@{when:%Y-%m-%d %H:%M:%S}",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            "MEMORO_HOOK_SECONDS": _HOOK_SECONDS,
            "OPENBLAS_NUM_THREADS": "1",
        }

    def _write_notes(self, until: date, first: date) -> None:
        """Write the daily notes up to this day, and all other notes as some days older than the first session."""
        for path, text in list(self._unwritten.items()):
            day = day_of_note(path)
            if day is not None and day > until:
                continue
            file = self._vault / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            moment = _at(day or first - timedelta(days=5), 20).timestamp()
            os.utime(file, (moment, moment))
            del self._unwritten[path]

    def _contents(self) -> dict[str, str]:
        return {str(p.relative_to(self._vault)): p.read_text(encoding="utf-8") for p in self._vault.rglob("*.md")}


def _find_library() -> str:
    for path in _LIBRARIES:
        if os.path.exists(path):
            return path
    raise ClockMissing


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour))


def _write_log(log: SessionLog, home: Path, lines: Sequence[str] | None = None) -> None:
    path = log.path(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(log.lines() if lines is None else lines) + "\n", encoding="utf-8")


def _gained(before: str | None, after: str) -> list[str]:
    """The lines of a note that were not there before, in their order."""
    old = Counter((before or "").split("\n"))
    gained = []
    for line in after.split("\n"):
        if old[line]:
            old[line] -= 1
        elif line.strip():
            gained.append(line)
    return gained
