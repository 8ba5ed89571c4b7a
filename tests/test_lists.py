"""Lists of memories and experiences: orders, filters and pages, through the operations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import QueryError
from memoro.model.listing import MEMORY_SORTS, PageStart, page_start
from memoro.operations import experiences, memories
from memoro.operations.experiences import ListExperiences
from memoro.operations.memories import ListMemories
from memoro.operations.operation import Caller
from memoro.workspace import Workspace


@pytest.fixture(scope="module")
def m() -> Workspace:
    home = memoro.open(":memory:")
    home.memories.store("The staging server is ivy", ["server"], source="user", project="acme")
    home.memories.store("Deploys run at noon", ["deploy", "rule"])
    home.memories.store("Deploys ran at nine", ["deploy"], valid_to="2020-01-01")
    home.memories.store("Deploys run at ten", ["deploy"])
    home.memories.supersede(4, 2, source="user")
    home.memories.store("An old habit")
    home.memories.archive(5)
    home.memories.reinforce(1)
    home.experiences.record("task_solution", "restart the queue", "sudo queue restart", success=0.2, tags=["ops"])
    home.experiences.record("error_recovery", "disk full", "delete old logs", success=0.9)
    home.experiences.prefer("indentation", "tabs")
    return home


def listed(m: Workspace, **chosen: object) -> list[int]:
    return [one.id for one in memories.LIST.run(m, ListMemories(**chosen), Caller()).results]  # type: ignore[arg-type]


def test_each_state_has_its_memories(m: Workspace) -> None:
    assert listed(m) == [2, 1]
    assert listed(m, state="superseded") == [4]
    assert listed(m, state="invalid") == [3]
    assert listed(m, state="archived") == [5]
    assert listed(m, state="all") == [4, 3, 2, 1]


def test_filters_narrow_the_list_together(m: Workspace) -> None:
    assert listed(m, state="all", words="DEPLOYS run") == [4, 2]
    assert listed(m, words="rule") == [2]
    assert listed(m, words="100%_") == []
    assert listed(m, state="all", tag="deploy", words="nine") == [3]
    assert listed(m, project="acme", trust="user_said", source="user") == [1]
    assert listed(m, agent="nobody") == []
    assert listed(m, tag="\ud800", limit=10**30) == []


def test_what_helped_comes_first_by_feedback_and_score(m: Workspace) -> None:
    assert listed(m, sort="feedback") == listed(m, sort="score") == [1, 2]
    assert listed(m, sort="oldest") == [1, 2]


@pytest.mark.parametrize("sort", MEMORY_SORTS)
def test_pages_lead_to_the_end(m: Workspace, sort: str) -> None:
    walked, after = [], None
    for _ in range(4):
        request = ListMemories(limit=1, state="all", sort=sort, after=after)  # type: ignore[arg-type]
        found = memories.LIST.run(m, request, Caller())
        walked += [one.id for one in found.results]
        after = found.next
    assert after is None and sorted(walked) == [1, 2, 3, 4]


def test_a_bound_caller_sees_its_own_and_pages_are_full() -> None:
    home = memoro.open(":memory:", project="acme")
    for number in range(6):
        home.memories.store(f"fact {number}", project="acme" if number % 3 == 0 else "other")
    found = memories.LIST.run(home, ListMemories(limit=2), Caller())
    assert [one.id for one in found.results] == [4, 1] and found.next is None
    assert len(memories.LIST.run(home, ListMemories(scope="all"), Caller()).results) == 6


def test_experiences_are_filtered_and_sorted(m: Workspace) -> None:
    def found(**chosen: object) -> list[int]:
        done = experiences.LIST.run(m, ListExperiences(**chosen), Caller())  # type: ignore[arg-type]
        return [one.experience.id for one in done.results]

    assert found() == [3, 2, 1]
    assert found(sort="success") == [2, 3, 1]
    assert found(outcome="failed") == [1]
    assert found(outcome="worked") == [2]
    assert found(type="user_preference") == [3]
    assert found(words="queue sudo") == [1]
    assert found(tag="ops") == [1]
    assert found(archived=True) == []
    first = experiences.LIST.run(m, ListExperiences(limit=2), Caller())
    assert found(after=first.next) == [1]


def test_archived_memories_are_not_sorted_by_what_sessions_were_given(m: Workspace) -> None:
    with pytest.raises(QueryError, match="given to nobody"):
        listed(m, state="archived", sort="uses")


@pytest.mark.parametrize("key", ["", "x", "bm9uc2Vuc2U", "W10", "é", "W1tdXQ"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    with pytest.raises(QueryError, match="first page"):
        page_start(key, "newest")


def test_a_key_of_another_order_is_refused(m: Workspace) -> None:
    first = memories.LIST.run(m, ListMemories(limit=1), Caller())
    with pytest.raises(QueryError, match="first page"):
        listed(m, sort="score", after=first.next)


@given(
    value=st.floats(-1e6, 1e6) | st.integers(-100, 100) | st.text(),
    number=st.integers(0, 2**63 - 1),
)
def test_a_key_comes_back_as_the_place_that_it_names(value: float | str, number: int) -> None:
    start = PageStart(sort="score", value=value, number=number, at="2026-03-05T12:00:00.000Z")
    assert page_start(start.key(), "score") == start
