"""What held when: superseded memories stay in the index, and a search in the past returns them, marked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import memoro
from memoro.errors import QueryError
from memoro.model.answers import Hit, Where
from memoro.store.ports import Index
from memoro.workspace import Workspace
from tests.command import run_memoro


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2025, 1, 5, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def on(self, month: int, day: int) -> None:
        self.now = datetime(2025, month, day, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    (tmp_path / "vault").mkdir()
    with memoro.open(tmp_path / "home", tmp_path / "vault", clock=clock) as opened:
        yield opened


def store(m: Workspace, text: str, *, replacing: int | None = None) -> int:
    number = m.memories.store(text).memory.id
    if replacing is not None:
        m.memories.supersede(replacing, number)
    return number


@pytest.fixture
def moved(m: Workspace, clock: Clock) -> Workspace:
    """A year in which the database and the home have changed."""
    first = store(m, "harbor keeps its data in MySQL 8")
    home = store(m, "I live in Lisbon, near the river")
    clock.on(2, 3)
    store(m, "Anna leads the harbor team")
    clock.on(4, 10)
    store(m, "harbor keeps its data in Postgres 17", replacing=first)
    clock.on(6, 9)
    store(m, "We moved to Porto, I live in Rua das Flores now", replacing=home)
    clock.on(11, 16)
    return m


def first(m: Workspace, query: str, **options: str) -> Hit:
    return m.search(query, **options).results[0]  # type: ignore[arg-type]


def passage(m: Workspace, number: int) -> tuple[str | None, str | None, str | None]:
    """What the index says about the days of a memory."""
    m.sync()

    def read(index: Index) -> tuple[str | None, str | None, str | None]:
        every = index.admitted(Where(kinds=("memory",), unlisted=True)) or []
        [found] = [one.passage for one in index.look_up(every, []) if one.passage.path == f"memory:{number}"]
        return found.valid_from, found.valid_to, found.superseded_by

    return m.indexing.read(read)


def test_the_index_follows_what_the_ledger_says_about_validity(m: Workspace, clock: Clock) -> None:
    old = store(m, "tea is at four")
    assert passage(m, old) == ("2025-01-05", None, None)
    clock.on(3, 1)
    new = store(m, "tea is at five", replacing=old)
    assert passage(m, old) == ("2025-01-05", "2025-03-01", f"memory:{new}")
    m.journal.undo()
    assert passage(m, old) == ("2025-01-05", None, None)
    m.memories.update(old, valid_to="2025-05-31")
    assert passage(m, old) == ("2025-01-05", "2025-05-31", None)
    clock.on(4, 1)
    m.memories.update(new, "tea is at six")
    assert passage(m, new) == ("2025-04-01", None, None)
    m.memories.update(new, valid_from="2025-02-01")
    assert passage(m, new) == ("2025-02-01", None, None)


def test_the_default_view_shows_only_what_holds_now(moved: Workspace) -> None:
    for query in ("where does harbor keep its data", "MySQL", "I live in Lisbon"):
        assert not any("MySQL" in hit.snippet or "Lisbon" in hit.snippet for hit in moved.search(query).results)


@pytest.mark.parametrize("mode", ["hybrid", "words", "vectors"])
def test_as_of_shows_what_held_then_and_nothing_said_later(moved: Workspace, mode: str) -> None:
    found = moved.search("harbor keeps its data in", as_of="2025-03-31", mode=mode).results  # type: ignore[arg-type]
    assert found[0].snippet == "harbor keeps its data in MySQL 8"
    assert (found[0].since, found[0].until) == ("2025-01-05", "2025-04-10")
    assert all((hit.date or "") <= "2025-03-31" for hit in found)
    assert first(moved, "harbor keeps its data in", as_of="2025-04-10", mode=mode).snippet.endswith("Postgres 17")


def test_as_of_takes_words_and_refuses_what_is_no_date(moved: Workspace) -> None:
    for when in ("March", "last spring", "in February 2025", "2025-03", "Q1 2025"):
        assert ("MySQL" in first(moved, "harbor keeps its data in", as_of=when).snippet) == (when != "last spring")
    with pytest.raises(QueryError, match="is not a date"):
        moved.search("harbor", as_of="soon")


def test_as_of_leaves_out_notes_and_turns_of_later_days_and_keeps_undated_ones(
    m: Workspace, clock: Clock, tmp_path: Path
) -> None:
    for day in ("2025-02-01", "2025-05-01"):
        (tmp_path / "vault" / f"{day}.md").write_text("green tea\n")
    (tmp_path / "vault" / "tea.md").write_text("green tea, always\n")
    clock.on(6, 1)
    found = {hit.path for hit in m.search("green tea", as_of="2025-03-31").results}
    assert found == {"2025-02-01.md", "tea.md"}


def test_as_of_and_since_go_by_the_date_of_a_heading_as_older_statements_do(
    m: Workspace, clock: Clock, tmp_path: Path
) -> None:
    note = "# Gauges\n\n## 2025-05-04 Database\n\nWe keep the readings in SQLite.\n"
    note += "\n## 2025-09-21 Database again\n\nThe readings moved from SQLite to Postgres.\n"
    (tmp_path / "vault" / "gauges.md").write_text(note)
    clock.on(11, 16)
    query = "which database for the readings"

    now, before = m.search(query).results
    assert (now.date, before.date) == ("2025-09-21", "2025-05-04")
    assert before.replaced_by is not None and before.replaced_by.date == now.date
    assert [hit.date for hit in m.search(query, as_of="2025-06-01").results] == ["2025-05-04"]
    assert [hit.date for hit in m.search(query, since="2025-09").results] == ["2025-09-21"]
    assert m.search(query, since="2025-11").results == ()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what does harbor keep its data in? I mean in March", "MySQL 8"),
        ("In March 2025: what does harbor keep its data in?", "MySQL 8"),
        ("what did harbor keep its data in before April?", "MySQL 8"),
        ("what did harbor keep its data in last winter?", "MySQL 8"),
        ("in September: what does harbor keep its data in?", "Postgres 17"),
        ("where did I live before the move to Porto?", "Lisbon"),
        ("where did I use to live?", "Lisbon"),
        ("when did we stop keeping data in MySQL?", "MySQL 8"),
    ],
)
def test_a_question_about_the_past_gets_what_held_then(moved: Workspace, question: str, answer: str) -> None:
    assert answer in first(moved, question).snippet


def test_what_no_longer_holds_is_marked_wherever_it_is_shown(moved: Workspace, tmp_path: Path) -> None:
    from memoro.mcp import render

    question = "In March 2025: what does harbor keep its data in?"
    answer = moved.search(question)
    assert "since 2025-01-05 until 2025-04-10" in render.answer(answer)
    block = moved.recall(question).block
    assert '{"memory:1":"since 2025-01-05 until 2025-04-10","text":"harbor keeps its data in MySQL 8"}' in block
    assert '"since 2025-02-03"' in block
    moved.close()
    places = ["--home", str(tmp_path / "home"), "--vault", str(tmp_path / "vault")]
    assert "since 5 Jan 2025 until 10 Apr 2025" in run_memoro("search", question, *places).out
    found = run_memoro("search", "harbor keeps its data in", "--as-of", "2025-03-31", "--json", *places)
    [shown, *_] = found.json["results"]
    assert (shown["since"], shown["until"]) == ("2025-01-05", "2025-04-10")


def test_what_was_removed_or_forgotten_is_in_no_past(moved: Workspace) -> None:
    moved.memories.remove(1)
    moved.memories.forget(2, yes=True)
    for query in ("harbor keeps its data in", "I live in Lisbon"):
        found = [hit.snippet for hit in moved.search(query, as_of="2025-03-31").results]
        assert not any("MySQL" in text or "Lisbon" in text for text in found)


def test_a_passage_that_says_the_date_counts_as_one_dated_so(m: Workspace, clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "vault" / "a.md").write_text("The dentist said to come back.\n")
    (tmp_path / "vault" / "b.md").write_text("Dentist on 3 May 2024: a crown, and come back.\n")
    clock.on(11, 16)
    hit = first(m, "what did the dentist do on 3.5.2024")
    assert hit.path == "b.md"
    assert [part.value for part in hit.explanation.parts if part.name == "time"] == [1.0]


def test_storing_a_fact_that_names_a_month_offers_no_superseded_memory(moved: Workspace) -> None:
    stored = moved.memories.store("In March harbor kept its data in MySQL 8, now in CockroachDB")
    assert 1 not in [one.memory.id for one in stored.nearest]


def test_the_days_are_those_of_the_owners_calendar(m: Workspace, clock: Clock) -> None:
    number = m.memories.store("the shop is closed", valid_from="2025-02-01", valid_to="2025-02-14").memory.id
    assert passage(m, number)[:2] == ("2025-02-01", "2025-02-14")
    clock.on(3, 1)
    assert first(m, "the shop is closed", as_of="2025-02-14").until == "2025-02-14"
    assert m.search("the shop is closed", as_of="2025-02-15").results == ()
    assert date.fromisoformat("2025-02-14") < clock.now.date()


def test_what_would_end_before_it_begins_is_refused_and_nothing_is_stored(m: Workspace) -> None:
    with pytest.raises(QueryError, match="before it begins"):
        m.memories.store("The office is in Ghent", valid_from="2026-05-01", valid_to="2026-01-01")
    kept = m.memories.store("The office is in Ghent", valid_from="2026-05-01", valid_to="2026-05-01").memory
    with pytest.raises(QueryError, match="Exchange the two"):
        m.memories.update(kept.id, valid_from="2026-05-02", valid_to="2026-05-01")
    assert m.memories.show(kept.id).memory.valid_from == kept.valid_from
