"""Which messages ask about the work itself, and what they ask."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.continuity_phrases import (
    asks_what_happened,
    asks_what_is_open,
    asks_where_we_were,
    continuity_question,
    happened_when,
    without_opening,
)

WHERE = [
    "where were we?",
    "bom dia, where were we",
    "Hi, where were we yesterday?",
    "where did we leave off",
    "Good morning! Where did we stop?",
    "what was the last thing we did on the ledger?",
    "wo waren wir stehen geblieben?",
    "wo sind wir stehengeblieben",
    "Guten Morgen, wo waren wir?",
    "what were we working on?",
    "what was I doing here",
    "let's continue where we left off",
    "pick up where we left off yesterday",
    "catch me up",
    "remind me where we were",
    "can you remind me what we were doing?",
    "hey claude, where are we",
    "où en étions-nous ?",
    "on en était où",
    "dónde lo dejamos?",
    "onde paramos?",
    "onde ficámos?",
    "dove eravamo rimasti?",
    "a che punto siamo?",
    "waar waren we gebleven?",
    "我们上次做到哪里了？",
    "what did we do last time?",
    "what did we do in the last session",
    "what happened in our last session?",
    "where do we stand with the migration?",
    "what's the status of this project?",
    "how far did we get?",
    "was haben wir zuletzt gemacht?",
    "woran haben wir gearbeitet?",
    "what did we last work on here?",
    "recap",
    "Continue from where we stopped",
    "Morning. Where were we on the parser?",
    "where did we get to with the invoices",
]
OPEN = [
    "what's still open here?",
    "what is left to do before Tuesday?",
    "what's left?",
    "what's left to do before Tuesday",
    "anything left to do?",
    "any open items?",
    "open todos?",
    "what do we still need to do",
    "what should we do next?",
    "what's next?",
    "next steps?",
    "was ist noch offen?",
    "was fehlt noch?",
    "was steht noch an?",
    "offene Punkte?",
    "was müssen wir noch machen?",
    "qu'est-ce qui reste à faire ?",
    "que reste-t-il à faire",
    "qué queda por hacer?",
    "¿qué queda pendiente?",
    "o que falta fazer?",
    "o que ficou em aberto?",
    "cosa resta da fare?",
    "wat staat er nog open?",
    "还有什么没做？",
    "下一步做什么",
    "what is still pending for the release",
    "are there any loose ends",
    "what remains to be done",
    "which tasks are open",
    "what have we not finished yet",
    "todos?",
    "what else is open?",
    "what was still open",
    "what do I have to do today",
    "what's on the agenda",
    "Was ist bis Freitag noch zu tun?",
    "is there anything still open",
    "what's outstanding on the invoice import",
]
HAPPENED = [
    "what did we do yesterday here?",
    "what happened last week?",
    "what did we decide on Monday",
    "what did we do since the release",
    "what changed since the release?",
    "what happened in October",
    "was haben wir gestern gemacht?",
    "was haben wir letzte Woche hier entschieden?",
    "was ist seit dem Release passiert?",
    "qu'avons-nous fait hier ?",
    "qué hicimos ayer?",
    "o que fizemos ontem?",
    "o que fizemos na semana passada?",
    "cosa abbiamo fatto ieri?",
    "wat hebben we gisteren gedaan?",
    "昨天我们做了什么",
    "summarise last week",
    "recap of yesterday",
    "what did I work on last month?",
    "anything new since Friday?",
    "what did we get done this week",
    "what have we done recently?",
    "what did we do the day before yesterday",
    "what happened over the weekend?",
    "give me a summary of last week",
    "what did we do before the upgrade?",
    "what did we decide last week",
    "what did we change in March",
    "was haben wir am Montag beschlossen",
    "what did we do two days ago",
    "What have we decided since the move to GitLab?",
]
OPEN += [
    "what's blocking the rollout?",
    "which open questions are there?",
    "hey, what's still left to do on this branch?",
]
# They hold the same words, and ask for something else or for nothing.
OTHERS = [
    "what is blocking the main thread in this function",
    "where were we going to store the images?",
    "where do we store the images",
    "what is open on port 8080",
    "what did we decide about Redis last week",
    "ok",
    "thanks",
    "do it today",
    "what's the status of the build",
    "where did we leave the keys of the vault in the config",
    "run the tests",
    "deploy what we did yesterday",
    "fix the bug from yesterday",
    "what is the next prime after 7",
    "list open issues in github",
    "what is missing in this function",
    "what should I do?",
    "what is today's date",
    "what time is it now",
    "was it yesterday",
    "what did Ana say yesterday",
    "what is our retention since the release",
    "what was the port before the move",
    "open the file",
    "next",
    "show me the next page",
    "what happened to the old parser?",
    "why did the build fail yesterday",
    "what broke since yesterday",
    "continue",
    "what does left join do?",
    "what is left-pad",
    "what's left of the budget after the trip?",
    "write a summary of the last chapter",
    "where are we calling this function?",
    "which port do we use now",
    "what do we do in the retry handler when it fails",
    "what's the last step of the release checklist",
    "wann haben wir gestern deployed",
    "who worked yesterday",
    "what did we do about the leak in March",
    "remember what we decided on Monday about ports",
    "hi",
    "today",
]
GREETINGS = ["", "hi, ", "Good morning! ", "hey claude, ", "Guten Morgen, ", "bom dia, ", "ok so ", "Hola, "]
FRIDAY = date(2026, 11, 13)


@pytest.mark.parametrize("message", WHERE)
def test_a_message_asks_where_the_work_was_left(message: str) -> None:
    assert asks_where_we_were(message)
    assert not asks_what_is_open(message) and not asks_what_happened(message)


@pytest.mark.parametrize("message", OPEN)
def test_a_message_asks_what_is_left_to_do(message: str) -> None:
    assert asks_what_is_open(message)
    assert not asks_where_we_were(message) and not asks_what_happened(message)


@pytest.mark.parametrize("message", HAPPENED)
def test_a_message_asks_what_happened_at_a_time(message: str) -> None:
    assert asks_what_happened(message)
    assert not asks_where_we_were(message) and not asks_what_is_open(message)


@pytest.mark.parametrize("message", OTHERS)
def test_a_message_with_the_same_words_asks_for_something_else(message: str) -> None:
    assert not asks_where_we_were(message) and not asks_what_is_open(message) and not asks_what_happened(message)


@given(
    st.sampled_from(GREETINGS), st.sampled_from(["where were we", "what is still open here"]), st.sampled_from("?!. ")
)
def test_greetings_and_marks_change_nothing(greeting: str, question: str, mark: str) -> None:
    assert continuity_question(greeting + question + mark) == continuity_question(question)


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert len(without_opening(text)) <= len(text)
    if continuity_question(text) is not None:
        assert happened_when(text, FRIDAY) is None


@given(st.sampled_from(WHERE + OPEN), st.sampled_from(["fix the parser. ", "the build fails since noon, "]))
def test_a_message_that_says_something_else_too_is_no_such_question(question: str, more: str) -> None:
    assert continuity_question(more + question) is None


def test_a_question_is_limited_to_its_topic() -> None:
    asked = continuity_question("what was the last thing we did on the ledger?")

    assert asked is not None and (asked.asks, asked.topic) == ("where", "ledger")


def test_a_question_names_the_time_before_which_something_is_to_be_done() -> None:
    asked = continuity_question("what's left to do before Tuesday?")

    assert asked is not None and (asked.asks, asked.until) == ("open", "Tuesday")


@pytest.mark.parametrize(
    "message, first, last",
    [
        ("what did we do yesterday here?", "2026-11-12", "2026-11-12"),
        ("what did we decide on Monday", "2026-11-09", "2026-11-09"),
        ("anything new since Tuesday?", "2026-11-10", "2026-11-13"),
        ("o que fizemos na semana passada?", "2026-11-02", "2026-11-08"),
        ("昨天我们做了什么", "2026-11-12", "2026-11-12"),
        ("was haben wir im Oktober gemacht?", "2026-10-01", "2026-10-31"),
    ],
)
def test_the_days_of_a_question_are_counted_from_today(message: str, first: str, last: str) -> None:
    when = happened_when(message, FRIDAY)

    assert when is not None
    assert (when.span.first.isoformat(), when.span.last.isoformat()) == (first, last)


@given(st.integers(0, 4000))
def test_yesterday_is_the_day_before_today(days: int) -> None:
    today = FRIDAY - timedelta(days=days)
    when = happened_when("what did we do yesterday?", today)

    assert when is not None and when.span.first == when.span.last == today - timedelta(days=1)


def test_an_event_is_named_and_not_dated_yet() -> None:
    when = happened_when("what have we decided since the move to GitLab?", FRIDAY)

    assert when is not None and (when.relation, when.event) == ("after", "the move to GitLab")
