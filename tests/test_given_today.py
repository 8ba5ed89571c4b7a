"""The record tells every decision: what was given and why, what was left out, and why nothing was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.documents import given_on, recalled, shown_session
from memoro.errors import QueryError
from memoro.model.recall import LeftOut, Recalled, RecalledItem
from memoro.model.scope import Scope
from memoro.model.sessions import GivenItem, RecordedRecall, Session
from memoro.operations.operation import Caller
from memoro.operations.sessions import SHOW, ShowSession
from memoro.recall.request import RecallRequest
from memoro.sessions.history import GivenOnDay, GivenTotals, ShownSession, first_message
from memoro.workspace import Workspace
from tests.clocks import Clock
from tests.conftest import Memoro, write_vault

NOON = datetime(2026, 11, 2, 12, 0).astimezone()
NOTES = {"heron.md": "# Heron\n\nThe heron cluster moved to Rotterdam because the power is cheaper there.\n"}


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


@pytest.fixture
def m(home: Path, vault: Path, clock: Clock) -> Iterator[Workspace]:
    write_vault(vault, NOTES)
    with memoro.open(home, vault, clock=clock) as opened:
        yield opened


def prompt(m: Workspace, session: str, text: str, agent: str = "codex") -> Recalled:
    scope = Scope(agent=agent, project="~/src/heron")
    return m.recaller_in(scope).recall(RecallRequest(text, session=session, proactive=True))


def test_silence_is_recorded_with_its_reason(m: Workspace) -> None:
    prompt(m, "s", "thanks!")
    (only,) = m.sessions.show("s").recalls
    assert (only.given, only.recalled.tokens, only.recalled.block) == ((), 0, "")
    assert only.recalled.decision == "silent: an acknowledgement"
    assert shown_session(m.sessions.show("s"))["recalls"][0]["decision"] == "silent: an acknowledgement"


def test_what_is_given_says_why_in_the_record_and_in_json(m: Workspace) -> None:
    answer = prompt(m, "s", "Why did the heron cluster move to Rotterdam?")
    assert recalled(answer)["decision"] == "a question: it asks"
    (given_item,) = m.sessions.show("s").recalls[0].given
    assert given_item.item.why and given_item.item.score > 0.3
    document = shown_session(m.sessions.show("s"))["recalls"][0]
    assert document["items"][0]["why"] == given_item.item.why
    assert (document["decision"], document["tokens"]) == ("a question: it asks", answer.tokens)


def test_an_answer_that_somebody_asked_for_has_no_decision(m: Workspace) -> None:
    document = recalled(m.recall("Why did the heron cluster move?"))
    assert "decision" not in document and all("why" not in item for item in document["items"])


def test_a_day_has_what_was_given_on_it_and_nothing_else(m: Workspace, clock: Clock) -> None:
    prompt(m, "early", "Why did the heron cluster move to Rotterdam?")
    clock.now = NOON + timedelta(days=1)
    prompt(m, "late", "thanks!", agent="claude-code")
    prompt(m, "early", "Where did the heron cluster move to?")
    m.sessions.start("never used")
    clock.now = NOON + timedelta(days=2)
    prompt(m, "late", "ok", agent="claude-code")
    m.sessions.archive("late")
    first, second, none = (m.sessions.given_on((NOON + timedelta(days=n)).date()) for n in (0, 1, 3))
    assert [one.session.id for one in first.sessions] == ["early"]
    assert [one.session.id for one in second.sessions] == ["late", "early"]
    assert [len(one.recalls) for one in second.sessions] == [1, 1]
    assert second.totals.prompts == 2 and second.totals.silent >= 1
    assert list(second.by_agent) == ["claude-code", "codex"]
    assert none.sessions == () and none.totals == GivenTotals()


def test_the_day_is_that_of_the_clock_on_the_wall(m: Workspace, clock: Clock) -> None:
    midnight = datetime(2026, 11, 3).astimezone()
    for number, second in enumerate((-1, 0)):
        clock.now = midnight + timedelta(seconds=second)
        prompt(m, f"s{number}", "thanks")
    ids = [[one.session.id for one in m.sessions.given_on(date(2026, 11, day)).sessions] for day in (2, 3)]
    assert ids == [["s0"], ["s1"]]


def test_show_wants_a_session_or_today(m: Workspace) -> None:
    for request in (ShowSession(), ShowSession(id="s", today=True)):
        with pytest.raises(QueryError):
            SHOW.call(m, request, Caller())
    shown = SHOW.call(m, ShowSession(today=True), Caller())
    assert shown.today is not None and shown.today.day == NOON.date().isoformat()


def test_everything_is_told_at_the_shell(memoro: Memoro, vault: Path) -> None:
    write_vault(
        vault, {**NOTES, "tea.md": "# Tea\n\nGreen tea from Uji.\n", "rotterdam.md": "# Rotterdam\n\nA port.\n"}
    )
    assert "Nothing was asked today" in memoro("session", "show", "--today").out
    asked = "Why did the heron cluster move to Rotterdam?"
    memoro("session", "start", "s", "--project", "heron", "--agent", "codex")
    memoro("recall", "--proactive", "--session", "s", asked)
    memoro("recall", "--proactive", "--session", "s", "thanks!")
    shown = memoro("session", "show", "s").out
    assert "taken for this project because of its set-up" in shown
    assert "   a question: it asks\n" in shown and "heron.md:1-3  0." in shown
    assert "   silent: an acknowledgement\n   nothing was given\n" in shown
    assert "   left out: rotterdam.md  not sure enough\n" in shown
    assert "left out: note:rotterdam.md#" in memoro("session", "show", "s", "--all").out
    today = memoro("session", "show", "--today").out
    assert "1 session, 2 prompts (1 silent), 1 item, " in today
    assert "codex · project heron (by its set-up) · id s" in today
    assert today.rstrip().endswith("silent                thanks!")
    document = memoro("session", "show", "--today", "--json").json
    assert document["totals"]["silent"] == 1 and document["by_agent"]["codex"]["prompts"] == 2
    assert [one["decision"] for one in document["sessions"][0]["recalls"]][1] == "silent: an acknowledgement"
    assert memoro("session", "show").code == 2


def test_a_session_is_listed_by_what_it_was_given_something_for(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, NOTES)
    for text in ("good morning!", "Why did the heron cluster move to Rotterdam?"):
        memoro("recall", "--proactive", "--session", "s", text)
    first = memoro("session", "list").out.splitlines()[0]
    assert first.endswith("Why did the heron cluster move to Rotterdam?")


texts = st.text(max_size=8)


@given(st.lists(st.tuples(texts, st.booleans()), max_size=5))
def test_a_session_is_about_one_of_its_messages(messages: list[tuple[str, bool]]) -> None:
    about = first_message(messages)
    assert about in [text for text, _ in messages] or not any(text for text, _ in messages)
    assert not (about and any(given and text for text, given in messages)) or (about, True) in messages


recalls = st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 500))
sessions = st.lists(st.tuples(st.sampled_from([None, "codex", "gemini"]), st.lists(recalls, max_size=4)), max_size=4)


@given(sessions)
def test_the_agents_add_up_to_the_whole_day(drawn: list[tuple[str | None, list[tuple[bool, int, int]]]]) -> None:
    made = [_shown(f"s{n}", agent, told) for n, (agent, told) in enumerate(drawn)]
    day = GivenOnDay("2026-11-02", tuple(made))
    columns = zip(*day.by_agent.values(), strict=True) if made else ([0],) * len(GivenTotals._fields)
    assert tuple(map(sum, columns)) == day.totals
    assert json.dumps(given_on(day))


def _shown(id: str, agent: str | None, told: list[tuple[bool, int, int]]) -> ShownSession:
    at = datetime(2026, 11, 2, tzinfo=UTC).isoformat()
    session = Session(id=id, started_at=at, archived_at=None, title=None, scope=Scope(agent=agent))
    made = []
    for number, (unasked, items, tokens) in enumerate(told):
        each = tuple(_item(n) for n in range(items))
        answer = Recalled("m", "proactive", "", "", tokens, each, (LeftOut("x", "weak"),), (), 0.0)
        recall = RecordedRecall(number, id, at, answer, tuple(map(GivenItem, each)), unasked=unasked)
        made.append(recall)
    return ShownSession(session, tuple(made))


def _item(number: int) -> RecalledItem:
    return RecalledItem(f"memory:{number}", "memory", "memory", "", 1, 1, (), None, None, 0.5, 1, "text")
