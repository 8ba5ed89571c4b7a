"""The timeline and the log: days with what happened on each, and every change with its undo."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.day_reading import DaySpan
from memoro.errors import QueryError
from memoro.model.feedback import FeedbackEntry
from memoro.model.timeline import Timeline
from memoro.operations.operation import Caller
from memoro.operations.timeline import ShowTimeline, timeline
from memoro.page.change_words import title_of
from memoro.page.view import Done, Fields, PageRequest, Shown
from memoro.page.views import log as log_view
from memoro.page.views.timeline import timeline as timeline_view
from memoro.workspace import Workspace
from tests.clocks import Clock
from tests.test_page_review import html

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


@pytest.fixture
def m(tmp_path: Path, clock: Clock) -> Iterator[Workspace]:
    for path, text in {
        "daily/2026-03-04.md": "# Wednesday\n\n- 10:00 Bought a <b>kettle</b>\n- 11:00 Tea\n",
        "daily/2026-02-01.md": "- long ago\n",
        "plan.md": "---\ndate: 2026-03-03\nproject: app\n---\n# Plan\n",
        "secret.md": "---\ndate: 2026-03-03\nprivate: true\n---\n# Secret\n",
    }.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    with memoro.open(tmp_path / "home", tmp_path / "vault", clock=clock) as made:
        yield made


def asked(m: Workspace, **fields: Any) -> Timeline:
    return timeline(m, ShowTimeline(**fields), Caller())


def shown(m: Workspace, **query: str) -> Shown:
    return timeline_view(PageRequest(m, query=Fields(tuple(query.items()))))


def logged(m: Workspace, **query: object) -> Shown:
    return log_view.log(PageRequest(m, query=Fields(tuple((name, str(value)) for name, value in query.items()))))


def numbers(page: Shown) -> list[int]:
    return [one.number for one in page.values["entries"]]  # type: ignore[attr-defined]


def test_a_day_has_its_sessions_notes_and_changes(m: Workspace, clock: Clock) -> None:
    clock.now -= timedelta(days=1)
    m.sessions.start("s1", agent="codex", project="app", title="About tea")
    m.recall("When do we drink tea?", session="s1")
    m.memories.store("Tea is at four.", source="user")
    m.memories.store("Tea is green.", source="user")
    clock.now += timedelta(days=1)
    found = asked(m, since="2026-03-04", until="2026-03-04")
    [day] = found.days
    [session] = day.sessions
    assert (session.id, session.agent, session.project, session.title, session.prompts) == (
        "s1", "codex", "app", "About tea", 1,
    )  # fmt: skip
    assert [(note.path, note.why, note.lines) for note in day.notes] == [
        ("daily/2026-03-04.md", "daily", ("10:00 Bought a <b>kettle</b>", "11:00 Tea")),
    ]
    [group] = day.changes
    assert (group.actor, group.kind, group.operation, group.total) == ("user", "memory", "store", 2)
    assert [one.text for one in group.changes] == ["Tea is green.", "Tea is at four."]
    assert found.earlier == "2026-03-03"


def test_days_without_anything_are_left_out_and_the_last_earlier_day_is_named(m: Workspace) -> None:
    found = asked(m, until="2026-02-20", days=14)
    assert (found.days, found.first, found.last, found.earlier) == ((), "2026-02-07", "2026-02-20", "2026-02-01")
    assert [day.day for day in asked(m, until="2026-02-01").days] == ["2026-02-01"]
    assert asked(m, until="2026-02-01").earlier is None


def test_a_timeline_is_narrowed_to_a_project(m: Workspace) -> None:
    m.memories.store("Tea is at four.")
    found = asked(m, since="2026-03-01", project="App")
    assert [(day.day, [note.path for note in day.notes], day.changes) for day in found.days] == [
        ("2026-03-03", ["plan.md"], ()),
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"since": "2026-03-05", "until": "2026-03-01"},
        {"since": "2001"},
        {"days": 0},
        {"days": 10**9},
        {"until": "soon"},
    ],
    ids=str,
)
def test_a_span_that_makes_no_sense_is_told(m: Workspace, fields: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        asked(m, **fields)


def test_the_first_and_last_days_of_the_calendar_are_days_like_any_other(m: Workspace) -> None:
    for day in (date(1, 1, 3), date(9999, 12, 28)):
        assert m.timeline(DaySpan(day, day)).days == ()


def test_an_agent_is_not_told_of_private_notes(m: Workspace, tmp_path: Path) -> None:
    def told(workspace: Workspace) -> set[str]:
        return {
            note.path for day in asked(workspace, since="2026-03-03", until="2026-03-03").days for note in day.notes
        }

    assert "secret.md" in told(m)
    with memoro.open(tmp_path / "home", tmp_path / "vault", agent="codex", clock=lambda: NOON) as agents:
        if not agents.home_context.runtime.scope.private:
            assert "secret.md" not in told(agents)


def test_the_page_of_days_escapes_notes_and_leads_to_older_and_newer_ones(m: Workspace) -> None:
    page = html(shown(m, until="2026-03-04"))
    assert "Bought a &lt;b&gt;kettle" in page
    assert "/timeline?until=2026-02-01" in page
    assert shown(m, until="2026-02-01").values["newer"] == "/timeline?until=2026-02-08"
    assert shown(m).values["newer"] == ""
    assert "Nothing in these days" in html(shown(m, until="2026-02-20"))


def test_an_empty_home_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "v").mkdir()
    with memoro.open(tmp_path / "h", tmp_path / "v") as made:
        assert "Nothing happened yet" in html(shown(made))
        assert "No changes yet" in html(logged(made))
        assert "No change matches" in html(logged(made, by="nobody"))


# The log


def test_pages_of_the_log_follow_each_other_while_new_changes_come(m: Workspace) -> None:
    for number in range(120):
        m.memories.store(f"Fact number {number}.")
    first = logged(m)
    m.memories.store("A new one.")
    second = logged(m, before=numbers(first)[-1])
    assert [*numbers(first), *numbers(second)] == [*range(120, 20, -1)]
    assert "before=21" in str(second.values["older"]) and second.values["newest"] == "/log"
    assert logged(m, before=21).values["older"] == ""


def test_the_log_is_narrowed_by_source_kind_and_time(m: Workspace, clock: Clock) -> None:
    m.memories.store("Tea.", source="web")
    clock.now += timedelta(days=1)
    m.narratives.update("We begin", source="user")
    assert numbers(logged(m, by="web")) == [1]
    assert numbers(logged(m, kind="narrative")) == [2]
    assert numbers(logged(m, since="2026-03-06")) == [2]
    assert numbers(logged(m, kind="nonsense")) == [2, 1]
    assert "kind=narrative" in str(logged(m, kind="narrative").values["back"])


def test_every_change_is_told_in_words_and_shown_whole(m: Workspace) -> None:
    m.memories.store("Tea is at four.")
    m.memories.update(1, "Tea is at five.")
    m.notes.new("a<b>.md", "hello\n")
    m.notes.move("a<b>.md", "c.md")
    m.journal.undo()
    m.experiences.record("task_solution", "descale the kettle", "vinegar")
    m.forget("memory:1", yes=True)
    for entry in m.journal.log(99):
        assert title_of(entry) and "{" not in title_of(entry)
        page = html(log_view.change(PageRequest(m, path={"number": str(entry.id)})))
        assert f"Change {entry.id}" in page and "a<b>" not in page
    assert "Stored memory" not in {title_of(entry) for entry in m.journal.log(99)}


def test_undoing_a_source_needs_a_source_and_a_day(m: Workspace) -> None:
    with pytest.raises(memoro.errors.ConfigError, match="Name a source and a day"):
        log_view.preview(PageRequest(m, query=Fields((("by", "web"),))))
    m.memories.store("Tea.", source="web")
    preview = log_view.preview(PageRequest(m, query=Fields((("by", "web"), ("since", "2026-03-05")))))
    assert preview.values["count"] == 1 and m.memories.all()
    done = log_view.undo_source(PageRequest(m, form=Fields((("by", "web"), ("since", "2026-03-05"), ("key", "k")))))
    assert isinstance(done, Done) and done.sentence == "1 change undone." and not m.memories.all()
    assert done.undo == (m.journal.log(1)[0].id,)


def test_a_day_of_23_hours_ends_when_its_owner_says(
    m: Workspace, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        clock.now = datetime(2026, 3, 29, 21, 30, tzinfo=UTC)  # half past eleven in the evening
        m.memories.store("late")
        found = m.timeline(DaySpan(date(2026, 3, 28), date(2026, 3, 30)))
        assert [day.day for day in found.days] == ["2026-03-29"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_what_happened_at_the_end_of_a_day_belongs_to_it(m: Workspace, clock: Clock) -> None:
    midnight = datetime(2026, 3, 6).astimezone()
    clock.now = midnight - timedelta(seconds=1)
    m.memories.store("late")
    clock.now = midnight
    m.memories.store("early")
    days = {day.day: [one.text for group in day.changes for one in group.changes] for day in asked(m, days=2).days}
    assert (days["2026-03-05"], days["2026-03-06"]) == (["late"], ["early"])


def test_a_change_is_told_in_words_not_in_fields(m: Workspace) -> None:
    m.memories.store("Tea is at four.", ("tea",), source="user")
    m.memories.update(1, "Tea is at five.", ())
    m.memories.store("Tea is at six.", source="user", supersedes=(1,))

    told = {one.title: one.text for one in logged(m).values["entries"]}  # type: ignore[attr-defined]

    assert told["Let a newer memory replace memory 1"] == "Tea is at five. (replaced by memory 2)"
    assert told["Changed memory 1"].startswith("Tea is at four. → Tea is at five., tags tea → none")
    assert "_" not in "".join(told.values()) and "None" not in "".join(told.values())


def test_ids_of_entries_are_not_shown_in_the_log(m: Workspace) -> None:
    m.remember("Tea is at four.", by="user")

    texts = [one.text for one in logged(m).values["entries"]]  # type: ignore[attr-defined]
    told = [each.text for group in asked(m).days[0].changes for each in group.changes]

    assert any(text.startswith("Tea is at four.") and "^" not in text for text in texts)
    assert any(text.startswith("Tea is at four. ^") for text in told)  # programs see it
    assert "Tea is at four. ^" not in html(shown(m))


def test_feedback_is_not_said_to_be_in_files_that_every_session_starts_with(m: Workspace) -> None:
    for text in ("The kettle is blue.", "The pot is brown."):
        m.feedback.files.add(FeedbackEntry(id=text[-4:-1], kind="wrong", at="2026-03-05T12:00", note=text))

    page = html(shown(m))

    assert "The kettle is blue." in page and "Added 2 entries to notes" in page
    assert "always-loaded" not in page
