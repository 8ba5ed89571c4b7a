"""An error is recognised by its type, code and message, whatever else stands around it."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model import remedies
from memoro.model.error_agreement import SAME, agreement, best_agreement, quoted_in
from memoro.model.error_signatures import ErrorSignature, errors_in, errors_named, only_shows_error
from memoro.model.tokens import tokens
from tests.error_texts import BUILT_BY, CHECKED_BY, NO_ERRORS

EVERY_TEXT = [text for group in (*BUILT_BY, *CHECKED_BY) for text in group]
LONG = 100_000
HOSTILE = [
    *(piece * (LONG // len(piece)) for piece in ("a", "A", "error ", '"', "'a", "0x", "./", "a.b:")),
    *(piece * (LONG // len(piece)) for piece in ("error[ ", "e: ", "` '", "not found: ", "because ")),
    "Error: " + "a/" * (LONG // 2),
    "x" * LONG + "Error",
    "\n".join(["Error: " + "a/b\\" * 130] * 190),
    "\n".join(["ERROR " + "a-" * 190] * 250),
    "\n".join(["Error '" * 60] * 250),
    "ErrorException" * (LONG // 14),
    "level=error " + "msg" * (LONG // 3),
    "Error in " + " : " * (LONG // 3),
]  # fmt: skip


def is_same(one: str, other: str) -> bool:
    first, second = errors_in(one), errors_in(other)
    quoted = [*(quoted_in(error, other) for error in first), *(quoted_in(error, one) for error in second)]
    return max([best_agreement(first, second), *quoted]) >= SAME


def precision_and_recall(groups: tuple[tuple[str, ...], ...]) -> tuple[float, float]:
    """Every pair of texts is judged: those of one group are the same error, all others are not."""
    placed = [(number, text) for number, group in enumerate(groups) for text in group]
    found = [(one[0] == other[0], is_same(one[1], other[1])) for one, other in combinations(placed, 2)]
    right = sum(truly and judged for truly, judged in found)
    return right / sum(judged for _, judged in found), right / sum(truly for truly, _ in found)


def test_the_same_error_is_recognised_and_others_are_not() -> None:
    precision, recall = precision_and_recall(BUILT_BY)

    assert precision >= 0.97
    assert recall >= 0.97


def test_errors_that_no_rule_was_made_by_are_recognised_too() -> None:
    precision, recall = precision_and_recall(CHECKED_BY)

    assert precision >= 0.8
    assert recall >= 0.9


@pytest.mark.parametrize("text", NO_ERRORS)
def test_a_text_that_only_speaks_of_errors_shows_none(text: str) -> None:
    assert errors_in(text) == ()


@pytest.mark.parametrize("text", ["ValueError", "Error: ", "it exited with exit code 1", "an error occurred"])
def test_what_a_thousand_errors_share_recognises_none(text: str) -> None:
    assert best_agreement(errors_in(text), errors_in(text.replace("it", "that"))) < SAME


def test_codes_of_one_family_are_different_errors() -> None:
    one, other = (
        "error[E0382]: borrow of moved value: `x`",
        "error[E0505]: cannot move out of `x` because it is borrowed",
    )

    assert best_agreement(errors_in(one), errors_in(other)) < SAME


def test_a_generic_class_needs_the_same_message() -> None:
    one, other = "ValueError: too many values to unpack (expected 2)", "ValueError: unknown time zone 'Mars/Olympus'"

    assert best_agreement(errors_in(one), errors_in(other)) < SAME


def test_a_note_that_quotes_the_message_is_about_the_error() -> None:
    error = errors_in("error: You must be logged in to the server (Unauthorized)")[0]

    assert quoted_in(error, '"You must be logged in to the server": the session has ended, log in again.') >= SAME
    assert quoted_in(error, "Log in to the server room with your badge.") < SAME


def test_errors_are_named_in_notes_that_do_not_say_they_happened() -> None:
    assert errors_in("ENOSPC: prune the images") == errors_named("ENOSPC: prune the images") != ()
    assert errors_named("Deadlocks: sort the ids before locking") != ()


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    for error in (*errors_in(text), *errors_named(text)):
        assert error.is_telling


@given(st.sampled_from(EVERY_TEXT), st.sampled_from(EVERY_TEXT))
def test_agreement_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    for first in errors_in(one):
        for second in errors_in(other):
            assert 0 <= agreement(first, second) <= 1
            assert agreement(first, second) == pytest.approx(agreement(second, first))


@given(
    st.integers(0, 10**7),
    st.integers(1, 99_999),
    st.sampled_from(["/srv/x", "C:\\work\\x", "~/x/y", "/home/änne/x.d"]),
    st.text("0123456789abcdef", min_size=8, max_size=8),
)
def test_paths_numbers_and_addresses_do_not_matter(number: int, line: int, folder: str, address: str) -> None:
    def met(number: int, line: int, folder: str, address: str) -> tuple[ErrorSignature, ...]:
        return errors_in(
            f"{folder}/reader.py:{line}: BadFrameError: frame {number} at 0x{address} overlaps its neighbour "
            f"in {folder}/a.bin"
        )

    assert best_agreement(met(7, 1, "/tmp", "00000000"), met(number, line, folder, address)) >= 0.8


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long(text: str) -> None:
    """A pattern that backtracks without end would never return."""
    errors_in(text)
    errors_named(text)
    quoted_in(errors_in("Error: the frame overlaps its neighbour")[0], text)
    remedies.remedy(text, frozenset(["frame"]), 100)
    assert not remedies.confirms(text)


@pytest.mark.parametrize(
    "answer",
    [
        "I set busy_timeout to 30 s. The lock still appears.",
        "I set the clock, but the upload still fails.",
        "Done. The same error.",
        "I restarted it; that did not help. Shall I look at the log?",
        "Ich habe die Uhr gestellt. Der Fehler tritt weiterhin auf.",
        "Neu gestartet, immer noch derselbe Fehler.",
        "Die Meldung kommt immer noch.",
        "Neu installiert, aber das hat nicht geholfen.",
    ],
)
def test_an_answer_reports_that_an_attempt_did_not_help(answer: str) -> None:
    assert remedies.still_fails(answer)
    assert not remedies.works(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "I set the clock. The error still appeared, so I installed the root certificate.",
        "If the error still appears, restart the worker.",
        "The old worker was still there and held the lock, I removed it.",
        "Der Dienst läuft weiterhin auf Port 80.",
        "Installed the root certificate, and the upload works now.",
        "Does the upload still fail?",
        "I replaced the fork by a spawn. Both give the same result.",
        "I moved it into a thread of its own. No change to the API, and the endpoint still returns 200.",
        "Die Uhr war falsch, ich habe sie gestellt. Der Fehler bleibt aus.",
    ],
)
def test_an_answer_with_a_cure_reports_no_failure(answer: str) -> None:
    assert not remedies.still_fails(answer)


# ————— what an answer says of cause and cure


def test_an_answer_is_cut_to_cause_and_cure() -> None:
    answer = (
        "Sure, let me look. The pool is created before the fork, so every worker shares one socket. "
        "I moved `create_pool()` into the worker's start hook. The docs have a nice chapter on workers."
        " Anything else?"
    )

    kept = remedies.remedy(answer, frozenset(["pool"]), 60)

    assert "shares one socket" in kept
    assert "`create_pool()`" in kept
    assert "let me look" not in kept
    assert "Anything else" not in kept


def test_short_code_is_kept_and_long_code_is_not() -> None:
    short = "The index was missing, I added it:\n```sql\nCREATE INDEX ON orders (day);\n```"
    long = "The index was missing, I added it:\n```sql\n" + "CREATE INDEX ON orders (day);\n" * 40 + "```"

    assert "CREATE INDEX" in remedies.remedy(short, frozenset(), 100)
    assert "CREATE INDEX" not in remedies.remedy(long, frozenset(), 100)


@given(st.text(), st.integers(5, 200))
def test_a_remedy_never_exceeds_its_limit(answer: str, limit: int) -> None:
    assert tokens(remedies.remedy(answer, frozenset(), limit)) <= limit + 1
    assert tokens(remedies.shortened(answer, limit)) <= limit + 1


@pytest.mark.parametrize(
    "said",
    [
        "that didn't work",
        "still the same error",
        "no luck",
        "immer noch derselbe Fehler",
        "hilft leider nicht",
        "nope",
        "it does not help",
    ],
)
def test_a_user_says_that_it_did_not_help(said: str) -> None:
    assert remedies.rejects(said)
    assert not remedies.confirms(said)


@pytest.mark.parametrize("said", ["works now, thanks", "perfect", "läuft wieder, danke", "that did it"])
def test_a_user_says_that_it_works(said: str) -> None:
    assert remedies.confirms(said)
    assert not remedies.rejects(said)


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("Traceback (most recent call last):\n  File \"a.py\", line 2, in run\n    go()\nKeyError: 'pid'", True),
        ("TypeError: cart.items is not iterable\n    at total (cart.js:4:9)\n    at main (cart.js:9:1)", True),
        ("```\nerror: failed to push some refs to 'origin'\n```", True),
        ("The loan is 4,200 euro.\nKeyError: 'pid'", False),
        ("The loan is 4,200 euro.", False),
        ("the build fails with ENOSPC again", False),
    ],
)
def test_a_text_that_only_shows_an_error_holds_no_word_of_a_person(text: str, *, only: bool) -> None:
    assert only_shows_error(text) is only
