"""A shared ledger answers as a home of its own does, to the digit, and two nodes of one person agree."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import MemoroError
from memoro.operations import experiences, journal, memories
from memoro.operations.operation import Caller
from memoro.workspace import Workspace
from tests.conftest import times
from tests.postgres import InstalledServer
from tests.team_homes import Team

_WORDS = ("harbour", "lantern", "copper", "winter", "meadow", "the gate", "is red", "opens at nine", "since May")
_QUERIES = ("harbour", "copper lantern", "which gate is red?", "winter", "nothing of it")
texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)
numbers = st.integers(1, 8)
writes = st.lists(
    st.one_of(
        st.tuples(st.just("store"), texts, st.sampled_from(("", "a", "a,b")), st.sampled_from(("user", "agent"))),
        st.tuples(st.just("update"), numbers, texts),
        st.tuples(st.just("reinforce"), numbers, st.sampled_from(("s1", "s2"))),
        st.tuples(st.just("demote"), numbers),
        st.tuples(st.just("supersede"), numbers, numbers),
        st.tuples(st.just("remove"), numbers),
        st.tuples(st.just("archive"), numbers),
        st.tuples(st.just("unarchive"), numbers),
        st.tuples(st.just("query"), st.sampled_from(_QUERIES), st.sampled_from(("s1", "s2"))),
        st.tuples(st.just("record"), texts, texts),
        st.tuples(st.just("narrate"), texts, numbers),
        st.tuples(st.just("undo")),
    ),
    min_size=3,
    max_size=9,
)


class Clock:
    """Steps on with each write, the same for every home."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def step(self) -> None:
        self.now += timedelta(hours=7)


def carry_out(m: Workspace, write: tuple[Any, ...]) -> str:
    """What the write says, or why it was refused."""
    name, *given_ = write
    calls: dict[str, Callable[..., object]] = {
        "store": lambda text, tags, source: m.memories.store(text, tags, source=source),
        "update": lambda number, text: m.memories.update(number, text, source="user"),
        "reinforce": lambda number, session: m.memories.reinforce(number, session=session),
        "demote": m.memories.demote,
        "supersede": lambda old, new: m.memories.supersede(old, new, source="user"),
        "remove": lambda number: m.memories.remove(number, source="user"),
        "archive": m.memories.archive,
        "unarchive": m.memories.unarchive,
        "query": lambda text, session: m.memories.query(text, session=session),
        "record": lambda intent, solution: m.experiences.record("task_solution", intent, solution),
        "narrate": lambda text, number: m.narratives.update(text, [number]),
        "undo": m.journal.undo,
    }
    try:
        done = calls[name](*given_)
    except MemoroError as error:
        return f"{type(error).__name__}: {error}"
    return _without_person(str(done))


def _without_person(text: str) -> str:
    """A home of its own has no people, and nothing is private or shared there."""
    for shared, alone in (("person='mia'", "person=None"), ("visibility='shared'", "visibility=None")):
        text = text.replace(shared, alone)
    return text.replace('"person": "mia"', '"person": null').replace(', "visibility": "shared"', "")


def recalls(m: Workspace) -> list[str]:
    """What is put before an agent. That is recorded: asked again, another answer may come."""
    return [str([one.text for one in m.recall(text).items]) for text in _QUERIES]


def answers(m: Workspace) -> dict[str, str]:
    """All that a home says of what it keeps, as documents with every digit."""

    def said(operation: Any, request: Any) -> str:
        try:
            return json.dumps(operation.document(operation.run(m, request, Caller())))
        except MemoroError as error:
            return f"{type(error).__name__}: {error}"

    found = {f"search {text}": str(m.search(text).results) for text in _QUERIES}
    for text in _QUERIES:
        found[f"query {text}"] = said(
            memories.QUERY, memories.QueryMemories(text, links=True, archived=True, explain=True)
        )
        found[f"experiences {text}"] = said(experiences.FIND, experiences.FindExperiences(text))
    for sort in ("newest", "score", "used"):
        after, page = None, 0
        while page == 0 or after:
            listed = said(memories.LIST, memories.ListMemories(limit=3, sort=sort, state="all", after=after))
            found[f"list {sort} {page}"] = listed
            after, page = json.loads(listed)["next"], page + 1
    for number in range(1, 9):
        found[f"links {number}"] = said(memories.LINKS, memories.MemoryLinks(number))
        found[f"show {number}"] = said(memories.SHOW, memories.ShowMemory(number))
        found[f"history {number}"] = said(memories.HISTORY, memories.MemoryHistory(number))
    found["log"] = said(journal.LOG, journal.ListChanges(limit=100))
    found["narratives"] = str(m.narratives.search(limit=50))
    return {name: _without_person(text) for name, text in found.items()}


@pytest.fixture
def homes(tmp_path: Path, postgres: InstalledServer) -> Iterator[Callable[[Clock], tuple[Workspace, Team]]]:
    with ExitStack() as stack:

        def make(clock: Clock) -> tuple[Workspace, Team]:
            alone = tmp_path / f"alone-{os.urandom(4).hex()}"
            alone.mkdir(mode=0o700)
            (alone / "memoro.toml").write_text("[embedding]\nenabled = false\n")
            team = Team(tmp_path, postgres)
            stack.callback(team.close)
            return stack.enter_context(memoro.open(alone, clock=clock)), team

        yield make


@settings(max_examples=times(8, 100), deadline=None, suppress_health_check=list(HealthCheck))
@given(writes=writes)
def test_the_same_writes_give_the_same_answers_to_the_digit(
    homes: Callable[[Clock], tuple[Workspace, Team]], writes: list[tuple[Any, ...]]
) -> None:
    clock = Clock()
    alone, team = homes(clock)
    with memoro.open(team.folder("mia"), clock=clock) as shared:
        for write in writes:
            clock.step()
            assert carry_out(shared, write) == carry_out(alone, write)
        clock.step()
        assert answers(shared) == answers(alone)
        assert recalls(shared) == recalls(alone)
        assert answers(shared) == answers(alone)


@settings(max_examples=times(2, 25), deadline=None, suppress_health_check=list(HealthCheck))
@given(writes=writes)
def test_two_nodes_of_one_person_agree_after_each_write(
    homes: Callable[[Clock], tuple[Workspace, Team]], writes: list[tuple[Any, ...]]
) -> None:
    clock = Clock()
    _, team = homes(clock)
    folders = team.folder("mia"), team.folder("mia")
    for turn, write in enumerate(writes):
        clock.step()
        with memoro.open(folders[turn % 2], clock=clock) as writer:
            carry_out(writer, write)
            expected = answers(writer)
        with memoro.open(folders[1 - turn % 2], clock=clock) as reader:
            assert answers(reader) == expected
