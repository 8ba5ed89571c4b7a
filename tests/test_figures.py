"""Figures by week: sums, running totals and percentiles; and the counts that every ledger returns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.ledger.ports import Ledger
from memoro.model.changes import MemoryAdded, MemoryChanged
from memoro.model.experiences import Experience
from memoro.model.figures import (
    ChangeCount,
    HourCount,
    RecallFigures,
    durations,
    running_totals,
    sums_by_week,
    week_of,
    weeks_until,
)
from memoro.model.journal import JournalEntry
from memoro.model.memories import Memory
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.scope import EVERYTHING
from memoro.model.sessions import Session
from tests.ledger_stores import STORES

DAYS = st.dates(date(2020, 1, 1), date(2030, 1, 1))


@given(DAYS, st.integers(1, 60))
def test_weeks_are_consecutive_mondays_up_to_today(today: date, count: int) -> None:
    weeks = [date.fromisoformat(week) for week in weeks_until(today, count)]
    assert len(weeks) == count
    assert weeks[-1] <= today < weeks[-1] + timedelta(days=7)
    assert all(later - earlier == timedelta(days=7) for earlier, later in pairwise(weeks))


@given(DAYS, st.lists(st.tuples(DAYS, st.integers(0, 9))))
def test_running_totals_end_with_all_up_to_the_last_week(today: date, counts: list[tuple[date, int]]) -> None:
    weeks = weeks_until(today, 5)
    told = [(day.isoformat(), count) for day, count in counts]
    totals = running_totals(weeks, told)
    assert list(totals) == sorted(totals)
    assert totals[-1] == sum(count for day, count in told if week_of(day) <= weeks[-1])
    assert totals[-1] - totals[0] == sum(sums_by_week(weeks, told)[1:])


@given(st.lists(st.floats(0, 1e6)))
def test_percentiles_are_values_that_were_measured_and_in_order(measured: list[float]) -> None:
    found = durations(measured)
    assert found.measured == len(measured)
    assert found.median <= found.p95 <= found.most
    assert not measured or {found.median, found.p95, found.most} <= set(measured)


def test_a_text_that_is_no_day_is_in_no_week() -> None:
    assert week_of("soon") == week_of("") == ""


@pytest.fixture(params=STORES)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with closing(STORES[request.param](tmp_path / "home").open()) as opened:
        yield opened


def test_every_ledger_counts_what_came_by_hour(ledger: Ledger) -> None:
    with ledger.writing() as tx:
        for number, at in enumerate(("2026-03-05T12:00", "2026-03-05T12:40", "2026-03-06T01:00")):
            memory = Memory(
                id=0, content=f"fact {number}", source="user", trust="user_said", created_at=f"{at}:00.000Z"
            )
            tx.memories.insert(memory, bytes([number]))
        tx.experiences.insert(
            Experience(
                id=0, type="task_solution", intent="deploy", solution_json="{}", success=1.0, source="user",
                trust="user_said", created_at="2026-03-05T09:00:00.000Z",
            ),
            b"x",
        )  # fmt: skip
    with ledger.reading() as tx:
        assert tx.figures.memories() == [HourCount("2026-03-05T12", 2), HourCount("2026-03-06T01", 1)]
        assert tx.figures.experiences() == [HourCount("2026-03-05T09", 1)]


def test_every_ledger_counts_changes_that_are_in_force(ledger: Ledger) -> None:
    def entry(at: str, change: MemoryAdded | MemoryChanged, undoes: int | None = None) -> JournalEntry:
        return JournalEntry(id=0, at=at, actor="user", change=change, undoes=undoes)

    raised = MemoryChanged(operation="reinforce", number=1, before={"feedback": 0}, after={"feedback": 3})
    with ledger.writing() as tx:
        tx.journal.add(entry("2026-03-04T10:00:00.000Z", MemoryAdded("store", 1)))
        for _ in range(2):
            number = tx.journal.add(entry("2026-03-05T10:00:00.000Z", raised))
        lowered = raised._replace(operation="reinforce", before={"feedback": 3}, after={"feedback": 0})
        tx.journal.add(entry("2026-03-05T11:00:00.000Z", lowered, undoes=number))
    with ledger.reading() as tx:
        found = tx.figures.changes("2026-03-05")
        assert found[0] == ChangeCount(hour="2026-03-05T10", kind="memory", operation="reinforce", total=1)
        assert [one.hour for one in tx.figures.changes("")] == ["2026-03-04T10", "2026-03-05T10", "2026-03-05T11"]


def test_every_ledger_tells_what_recalls_gave_and_how_long_they_took(ledger: Ledger) -> None:
    def recall(at: str, **detail: object) -> StoredRecall:
        return StoredRecall(
            number=0, session="s", at=at, form="full", message="m", boundary="b", detail={"items": [], **detail}
        )

    with ledger.writing() as tx:
        tx.sessions.insert(
            Session(id="s", started_at="2026-03-05T09:00:00.000Z", archived_at=None, title=None, scope=EVERYTHING)
        )
        tx.sessions.add(recall("2026-03-05T09:00:00.000Z", unasked=True, tokens=9, took_ms=4.5), [], None)
        items = [StoredItem("memory:1", "green tea"), StoredItem("memory:2", "black tea")]
        tx.sessions.add(recall("2026-03-06T09:00:00.000Z", tokens=40, took_ms=12.0), items, None)
        tx.sessions.note("memory:1", "reinforced")
    with ledger.reading() as tx:
        newest = RecallFigures(
            at="2026-03-06T09:00:00.000Z", form="full", is_prompt=True, items=2, tokens=40, took_ms=12.0,
            feedback=("reinforced",),
        )  # fmt: skip
        assert tx.figures.recalls("", 1) == tx.figures.recalls("2026-03-06", 9) == [newest]
        first = tx.figures.recalls("", 9)[1]
        assert (first.is_prompt, first.items, first.tokens, first.feedback) == (False, 0, 9, ())
