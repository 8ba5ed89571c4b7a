"""What a prompt is given, from the message to the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memoro
from memoro.sessions.rating import GivenPlace
from memoro.workspace import Workspace
from tests.conftest import write_vault

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@contextmanager
def opened(tmp_path: Path, *said: tuple[str, str], day: str = "2026-11-09") -> Iterator[Workspace]:
    """A home that searches one conversation of a day."""
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir(mode=0o700, exist_ok=True)
    lines = [{"role": who, "content": text, "timestamp": f"{day}T10:00:00Z"} for who, text in said]
    write_vault(logs, {"talk.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    with memoro.open(home, write_vault(tmp_path / "vault", {}), clock=lambda: NOW) as m:
        m.sync()
        yield m


def given_for(m: Workspace, message: str) -> str:
    return "\n".join(item.text for item in m.recall(message, proactive=True).items)


def test_an_answer_that_goes_on_with_other_things_is_left_out(tmp_path: Path) -> None:
    said = (
        ("user", "the buffer on the logger is too big"),
        ("assistant", "It holds 24 readings."),
        ("user", "keep it at 12 readings, memory is small"),
        ("assistant", "The build needs another header in store.cpp; with that it compiles."),
    )
    with opened(tmp_path, *said) as m:
        found = given_for(m, "how many readings do we keep?")
        assert "12 readings" in found and "header" not in found


def test_what_is_of_another_day_does_not_answer_a_question_about_a_day(tmp_path: Path) -> None:
    said = (("user", "the imprint is finished, we did that yesterday"), ("assistant", "Good, the imprint is done."))
    with opened(tmp_path, *said) as m:
        assert given_for(m, "what did we do yesterday?") == ""
        assert "imprint" in given_for(m, "what about the imprint?")


TRACE = """Traceback (most recent call last):
  File "loan.py", line 12, in <module>
    print(left_on_the_loan(open("loan.csv").read()))
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe4 in position 812: invalid continuation byte"""


@pytest.mark.parametrize("answer", [None, "Done.", "Which bank exported the file?"])
def test_a_pasted_error_without_its_answer_tells_nothing(tmp_path: Path, answer: str | None) -> None:
    with opened(tmp_path, ("user", TRACE), *([("assistant", answer)] if answer else [])) as m:
        assert given_for(m, "How much is left on the loan?") == ""


CARRIER = (
    ("user", "Can you change the tracking link in the mails?"),
    ("assistant", "It points to DPD. Which carrier should it use?"),
    ("user", "We switched from DPD to Post AG in November. The tracking link is post.at/sv/sendungssuche."),
    ("assistant", "Changed the link in the mail template."),
    ("user", "I moved to Linz in October. Update the imprint address please."),
    ("assistant", "Updated the imprint."),
)


@pytest.mark.parametrize("copies", [0, 6])
def test_a_question_that_was_asked_back_brings_the_reply_however_often_it_is_told(
    tmp_path: Path, copies: int
) -> None:
    with opened(tmp_path, *CARRIER) as m:
        copied = "- 09:07 Which carrier should it use? → We switched from DPD to Post AG in November."
        write_vault(tmp_path / "vault", {f"daily/2026-11-1{n}.md": copied for n in range(copies)})
        m.sync()
        found = given_for(m, "Which carrier do we use for parcels?")
        assert found.startswith("Assistant: Which carrier should it use?\nUser: We switched from DPD to Post AG")
        assert "points to" not in found


def test_the_reply_is_given_where_the_question_alone_was_marked_as_wrong(tmp_path: Path) -> None:
    with opened(tmp_path, *CARRIER[:2]) as m:
        [asked] = m.recall("Which carrier do we use for parcels?", proactive=True, session="z").items
        m.ratings.wrong(asked.id, GivenPlace(session="z"))
    with opened(tmp_path, *CARRIER) as m:
        assert "Post AG" in given_for(m, "Which carrier do we use for parcels?")


def test_an_answer_that_ends_with_an_offer_stays_itself(tmp_path: Path) -> None:
    said = (
        ("user", "Which carrier do we use for parcels?"),
        ("assistant", "Post AG. Anything else about the carrier?"),
        ("user", "Now add the page of the opening hours."),
        ("assistant", "The page shows Monday to Friday."),
    )
    with opened(tmp_path, *said) as m:
        assert "Assistant: Post AG." in given_for(m, "Which carrier do we use for parcels?")


def test_a_short_reply_is_given_with_the_question_that_it_answers(tmp_path: Path) -> None:
    said = (
        ("user", "Add the tracking link."),
        ("assistant", "Which carrier ships the parcels?"),
        ("user", "Post AG, since November."),
        ("assistant", "The link is in the template."),
    )
    with opened(tmp_path, *said) as m:
        found = given_for(m, "Which carrier do we use for parcels?")
        assert found.startswith("Assistant: Which carrier ships the parcels?\nUser: Post AG, since November.")
