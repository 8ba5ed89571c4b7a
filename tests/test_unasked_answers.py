"""What a prompt is given, from the message to the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memoro
from memoro.workspace import Workspace
from tests.conftest import write_vault

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)


@contextmanager
def opened(tmp_path: Path, *said: tuple[str, str], day: str = "2026-11-09") -> Iterator[Workspace]:
    """A home that searches one conversation of a day."""
    home, logs = tmp_path / "home", tmp_path / "logs"
    home.mkdir(mode=0o700)
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
