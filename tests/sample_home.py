"""A small home as its owner has it: notes, conversations, memories with a past, and what agents were given today."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from memoro import opening
from memoro.demo import copy_vault
from memoro.demo.sample_project import PROJECT, PROMPTS, make_project
from memoro.model.proposals import AddRule, RememberEntry, RetireMemory, StoreMemory, Suggestion, SupersedeMemory
from memoro.model.scope import Scope
from memoro.recall.request import RecallRequest
from memoro.workspace import Workspace

NOON = datetime(2026, 11, 16, 12, 0).astimezone()  # the sample's today
_SETTINGS = "[embedding]\nenabled = false\n"  # found by words alone: a test needs no model


class SampleHome(NamedTuple):
    """The folders of a sample home, which may be copied to another place."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def open(self, clock: Callable[[], datetime]) -> Workspace:
        return opening.open_with({}, self.home, self.vault, clock=clock)

    def copy(self, folder: Path) -> SampleHome:
        """The same home in another folder, with its own vault and logs."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.lock"))
        _write_settings(folder)
        return SampleHome(folder)


def ticking(now: datetime = NOON) -> Callable[[], datetime]:
    """A clock that shows this time now, and goes on from there."""
    began = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - began)


def make_sample_home(folder: Path) -> SampleHome:
    """Make the sample: all of it happened before noon of its today."""
    copy_vault(str(folder))
    _write_settings(folder)
    made = SampleHome(folder)
    now = NOON - timedelta(days=40)
    with made.open(lambda: now) as m:
        m.sync()
        _remember(m)
    now = NOON - timedelta(days=3)
    with made.open(lambda: now) as m:
        _change_minds(m)
        _record_experiences(m)
    with made.open(ticking(NOON - timedelta(hours=3))) as m:
        _ask(m)
        _propose(m)
        m.remember("The pier board is shown in German and English.", by="user")
    return made


def _write_settings(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(_SETTINGS, encoding="utf-8")
    make_project(str(folder))  # writes the logs again, and the settings that name them


def _remember(m: Workspace) -> None:
    store = m.memories.store
    store("The timetable feed is fetched every 60 seconds.", ("feed",), source="user", trust="user_confirmed")
    store("The pier board runs on a Raspberry Pi 4 behind the ticket window.", ("hardware", "pier"), source="user")
    store("Ines looks after the harbour office's network.", ("people",), source="user")
    store("Departures are kept in SQLite, one row for each.", ("storage",), source="codex")


def _change_minds(m: Workspace) -> None:
    store = m.memories.store
    store(
        "The timetable feed is fetched every 5 minutes.", ("feed",), source="user", trust="user_confirmed",
        supersedes=(1,), parents=(1,),
    )  # fmt: skip
    m.memories.reinforce(2)
    m.memories.update(3, "Ines and Tom look after the harbour office's network.")
    store("The board dims from 22:00 to 06:00.", ("display",), source="extraction", parents=(2,))
    m.memories.demote(4)


def _record_experiences(m: Workspace) -> None:
    m.experiences.record(
        "task_solution", "read hours of 24 and more in the feed", "parse_clock() counts the next day"
    )
    m.experiences.record("task_solution", "dim the board at night", "by the clock, not by a light sensor")
    m.experiences.prefer("editor", "four spaces")


def _ask(m: Workspace) -> None:
    """Two agents ask this morning."""
    for agent, session in (("claude-code", "morning-a"), ("codex", "morning-b")):
        scope = Scope(agent=agent, project=PROJECT)
        for prompt in PROMPTS:
            m.recaller_in(scope).recall(RecallRequest(prompt.text, session=session, proactive=True))


def _propose(m: Workspace) -> None:
    for change in (
        StoreMemory("The harbour office wants the board off after midnight.", tags=("display",), project=PROJECT),
        SupersedeMemory(old=4, new=2, was="Departures are kept in SQLite, one row for each."),
        RetireMemory(number=3),
        RememberEntry(
            text="Ask Ines before a change of the network", tier="semantic", section=None, path="MEMORY.md"
        ),
        AddRule("Run the tests before a commit", "PROCEDURAL.md", None, ()),
    ):
        m.proposals.propose(Suggestion(change, origin="review"))
