"""Which messages need no memory, which ask, and which give an order, in several languages."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.message_kinds import (
    SILENT_KINDS,
    MessageKind,
    asks_to_be_told,
    is_general,
    is_order,
    is_question,
    needs_no_memory,
    only_acknowledges,
    points_here,
    without_greeting,
)
from memoro.model.reasons import asks_for_reason, gives_reason
from memoro.model.said_changes import says_change
from memoro.unasked.follow_ups import marks_of
from memoro.unasked.reading import read_message
from memoro.unasked.shortening import pieces

TODAY = date(2026, 11, 16)
CONTENT = ["heron invoice", "Rotterdam", "Mehrwertsteuer", "la facture du client", "пароль базы", "発票", "8443"]
COURTEOUS = ["ok", "thanks", "please", "hi", "go", "ahead", "the", "it", "danke", "merci", "sí", "commit", "now"]


def kind(message: str) -> MessageKind:
    return read_message(message, TODAY).kind


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ok", "acknowledgement"),
        ("OK!", "acknowledgement"),
        ("Thanks a lot 🙏", "acknowledgement"),
        ("yes please, go ahead", "acknowledgement"),
        ("continue", "acknowledgement"),
        ("looks good to me", "acknowledgement"),
        ("👍", "acknowledgement"),
        ("", "acknowledgement"),
        ("...", "acknowledgement"),
        ("ja, passt, danke", "acknowledgement"),
        ("mach weiter", "acknowledgement"),
        ("merci beaucoup", "acknowledgement"),
        ("vale, gracias", "acknowledgement"),
        ("obrigado!", "acknowledgement"),
        ("grazie mille", "acknowledgement"),
        ("спасибо", "acknowledgement"),
        ("谢谢", "acknowledgement"),
        ("好的，继续吧", "acknowledgement"),
        ("ありがとうございます", "acknowledgement"),
        ("hi", "greeting"),
        ("Good morning!", "greeting"),
        ("Guten Morgen zusammen", "greeting"),
        ("bonjour", "greeting"),
        ("buenos días", "greeting"),
        ("/clear", "command"),
        ("/model opus", "command"),
        ("commit it", "command"),
        ("push and merge please", "command"),
        ("try again", "command"),
    ],
)
def test_who_only_acknowledges_greets_or_commands_is_told_nothing(message: str, expected: str) -> None:
    read = read_message(message, TODAY)
    assert read.kind == expected in SILENT_KINDS
    assert read.why


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("which port does the gateway use?", "question"),
        ("what's the VAT rate for books", "question"),
        ("Quel est le port de la passerelle", "question"),
        ("dónde guardamos las facturas", "question"),
        ("数据库用哪个端口", "question"),
        ("give me the command to restore a backup", "question"),
        ("zeig mir die Portnummer", "question"),
        ("add a settings page to the app", "task"),
        ("please rotate the keys of staging", "task"),
        ("bitte ergänze die Rechnung um die Steuernummer", "task"),
        ("ajoute une page de réglages", "task"),
        ("Traceback (most recent call last):\nValueError: bad date", "error"),
        ("where were we?", "continuity"),
        ("what did we decide yesterday?", "time"),
        ("the gateway listens on 8443 since Monday", "statement"),
    ],
)
def test_other_messages_ask_order_or_tell(message: str, expected: str) -> None:
    assert kind(message) == expected


def test_a_greeting_before_something_else_is_left_out_of_what_the_message_is_about() -> None:
    assert without_greeting("Good morning! Which port does heron use?") == "Which port does heron use?"
    assert without_greeting("Hallo zusammen, welcher Port?") == "welcher Port?"
    assert without_greeting("hello") == "hello"
    assert read_message("hi, where is heron?", TODAY).about == "where is heron?"


def test_a_brief_reply_may_add_one_short_word_but_no_name_and_no_number() -> None:
    assert kind("good, let them") == "acknowledgement"
    assert kind("ok, use Redis") not in SILENT_KINDS
    assert kind("ok, 8443") not in SILENT_KINDS
    assert kind("heron ok") not in SILENT_KINDS


def test_a_question_mark_makes_of_courteous_words_a_question() -> None:
    assert needs_no_memory("ok") and needs_no_memory("done") is not None
    assert needs_no_memory("done?") is None


@pytest.mark.parametrize(
    "message",
    [
        "explain how TCP handshakes work",
        "translate 'good evening' to Danish",
        "what is the capital of Peru?",
        "how many ounces in a pound?",
        "write me a haiku about autumn",
        "who invented the telescope?",
        "erklär mir, wie Hefe funktioniert",
        "schreib mir ein Gedicht",
        "traduis cette phrase",
    ],
)
def test_a_request_that_anybody_could_answer_is_general(message: str) -> None:
    assert is_general(message)
    assert not is_general(f"{message} for our team")


@pytest.mark.parametrize("message", ["which port do we use?", "what is our VAT rate?", "add a page", ""])
def test_what_the_work_alone_can_answer_is_not_general(message: str) -> None:
    assert not is_general(message)


def test_an_order_may_stand_behind_courtesy_or_another_sentence() -> None:
    assert is_order("could you rename the field")
    assert is_order("The tests pass now. Please write a changelog entry.")
    assert is_order("kannst du die Rechnung prüfen") is False, "the verb stands at the end"
    assert not is_order("the add-on is broken")
    assert not is_order("which add-on is it?")


def test_who_orders_an_answer_asks() -> None:
    assert asks_to_be_told("show me the address of the printer")
    assert asks_to_be_told("remind me what the password policy is")
    assert not asks_to_be_told("show a banner on the start page")


def test_a_message_can_speak_of_the_project_without_its_name() -> None:
    assert points_here("how is this deployed?") and points_here("was ist hier der Stand?")
    assert not points_here("how is heron deployed?")


@pytest.mark.parametrize(
    ("asks", "gives"),
    [
        ("why did we drop Redis?", "Redis hides lost writes."),
        ("what's the reason for the move?", "It is cheaper."),
        ("Warum Postgres?", "Weil die Migration sonst zu teuer wird."),
        ("pourquoi ce port ?", "Parce qu'il est libre."),
        ("为什么用这个端口", "因为旧的被占用了"),
    ],
)
def test_a_reason_is_asked_for_and_given(asks: str, gives: str) -> None:
    assert asks_for_reason(asks) and gives_reason(gives)
    assert not asks_for_reason(gives)


@pytest.mark.parametrize(
    "sentence",
    [
        "The launch moves to the 24th.",
        "We went back to Postgres.",
        "Actually, take the smaller one.",
        "We changed our mind about the logo.",
        "Friday it is",
        "Wir verschieben den Termin.",
        "Stellen wir die Kasse auf bar um.",
        "On passe à la version 3.",
        "Pasamos a la nube.",
        "换成蓝色的",
    ],
)
def test_a_sentence_says_a_change_but_a_question_does_not(sentence: str) -> None:
    assert says_change(sentence)
    assert not says_change(f"{sentence.rstrip('.')}?")


def test_a_plain_statement_says_no_change() -> None:
    assert not says_change("The gateway listens on port 8443.")
    assert not gives_reason("The gateway listens on port 8443.")


@given(st.lists(st.sampled_from(COURTEOUS), max_size=6), st.sampled_from(CONTENT), st.integers(0, 6))
def test_no_message_with_a_word_of_content_is_taken_for_silence(words: list[str], content: str, place: int) -> None:
    message = " ".join([*words[:place], content, *words[place:]])
    assert needs_no_memory(message) is None
    assert kind(message) not in SILENT_KINDS


@given(st.text(max_size=200))
def test_any_text_is_read_and_what_it_is_about_is_a_part_of_it(message: str) -> None:
    read = read_message(message, TODAY)
    assert read.about in message
    assert read.why
    assert isinstance(is_question(message), bool)
    assert needs_no_memory(message + " heron rotterdam invoice" * 6) is None


# Texts that make a pattern with two ways to match go back and forth.
_REPEATED = ["a", "?", "hi, ", "1.", "a_", "aB", "`a", "x. A", "stell ", "how many ", "give me ", "改", "```\n", "A "]


@pytest.mark.parametrize("repeated", _REPEATED)
def test_a_long_text_is_read_without_going_back_and_forth(repeated: str) -> None:
    """A quadratic pattern would take minutes here."""
    text = repeated * (100_000 // len(repeated)) + "x"
    read_message(text, TODAY)
    for rule in (is_general, points_here, asks_for_reason, gives_reason, says_change, marks_of, pieces):
        rule(text)


def test_a_brief_reply_needs_no_memory_but_may_decide_something() -> None:
    assert needs_no_memory("ok JSON") is None  # a name begins with a capital
    for reply in ("good, task test it is", "ok giscus"):
        assert needs_no_memory(reply) is not None
        assert not only_acknowledges(reply)
    assert only_acknowledges("ok, thanks")
