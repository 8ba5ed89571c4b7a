"""The benchmark of agents' days: its people, and how what was given is judged."""

from __future__ import annotations

import json
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from benchmarks.days import baselines, session_notes
from benchmarks.days.format import branches, problems
from benchmarks.days.host_logs import SessionLog
from benchmarks.days.judging import GivenItem, PromptVerdict, head, is_echo, items, judge, tokens
from benchmarks.days.life import ClockMissing, GroupAnswers, Lived, live
from benchmarks.days.people import (
    DATA,
    FormatError,
    Group,
    HostName,
    NoteLabel,
    Pattern,
    Person,
    Prompt,
    Session,
    Step,
    day_of_note,
    read_person,
    read_sessions,
    read_tool_call,
    read_vault,
)
from hypothesis import given
from hypothesis import strategies as st

from memoro.transcripts import readers
from memoro.transcripts.ports import LogFacts, Turn

SESSIONS = """
=== a1 2026-10-05T09:00 shop | Payments
U: Which provider?
With cards.
T: Bash pay --test => ! exit 1
=> no key
A: Mollie.
U: ok
"""


def record(**lines: str) -> str:
    return json.dumps({"log": "2026-10-05", **lines})


def verdict(prompt: Prompt, given: str, *earlier: str, private: str = "") -> PromptVerdict:
    return judge(prompt, given, earlier, Pattern(private))


def small_person(*prompts: Prompt, **more: Any) -> Person:
    person = Person(
        name="x",
        half="dev",
        about="",
        today=date(2026, 11, 12),
        host="claude",
        projects=("shop", "blog"),
        live=frozenset(),
        sessions=tuple(read_sessions(SESSIONS)),
        vault={"Diary.md": "Money is short.\n"},
        private=Pattern("Money is short"),
        start={},
        notes={},
        groups=(Group("shop", prompts),),
    )
    return person._replace(**more)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.stem)
def test_the_labels_of_every_person_match_what_they_mean(path: Path) -> None:
    assert problems(read_person(path)) == []


def test_a_session_keeps_the_lines_of_its_steps_together() -> None:
    (session,) = read_sessions(SESSIONS)

    assert (session.id, session.project, session.title) == ("a1", "shop", "Payments")
    assert [step.speaker for step in session.steps] == ["U", "T", "A", "U"]
    assert session.exchanges() == [("Which provider?\nWith cards.", "Mollie."), ("ok", "")]


def test_a_tool_call_has_its_result_and_says_whether_it_failed() -> None:
    assert read_tool_call("Bash a | b => 3 lines") == ("Bash", "a | b", "3 lines", False)
    assert read_tool_call("Write docs/a.md") == ("Write", "docs/a.md", "ok", False)
    assert read_tool_call("Bash make => ! Error 2").failed


def test_a_daily_note_knows_its_day() -> None:
    notes = read_vault("\n@@@ daily/2026-10-05.md\n- a\n@@@ People/Ann.md\n# Ann\nA friend.\n")

    assert notes == {"daily/2026-10-05.md": "- a\n", "People/Ann.md": "# Ann\nA friend.\n"}
    assert [day_of_note(path) for path in notes] == [date(2026, 10, 5), None]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("=== a1 yesterday shop | T\nU: a\n", "Invalid isoformat"),
        ("=== a1 2026-10-05T09:00 shop\nU: a\n", "not `id start project | title`"),
        ("=== a1 2026-10-05T09:00 shop | T\nhello\nU: a\n", "not a step"),
    ],
)
def test_a_malformed_session_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        list(read_sessions(text))


def test_a_file_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dev-noor.toml"
    text = next(DATA.glob("dev-noor.toml")).read_text(encoding="utf-8")
    path.write_text(f'nickname = "N"\n{text}', encoding="utf-8")

    with pytest.raises(FormatError, match="nickname"):
        read_person(path)


def test_labels_that_match_nothing_or_the_prompt_itself_are_reported() -> None:
    person = small_person(
        Prompt("fact", "which provider takes cards?", need=Pattern("Mollie|Stripe")),
        Prompt("fact", "is it Mollie?", need=Pattern("Mollie")),
        Prompt("trivial", "ok", need=Pattern("Mollie")),
        private=Pattern("Mollie"),
    )

    found = "\n".join(problems(person))

    assert "need: 'Stripe' matches nothing stored for shop" in found
    assert "its need matches the prompt itself" in found
    assert "needs nothing has a need" in found
    assert "private matches what was said in a session" in found


def test_a_need_that_a_bare_question_meets_is_reported() -> None:
    person = small_person(Prompt("echo", "remind me: by what are we paid?", need=Pattern("provider")))

    assert any("bare question" in one for one in problems(person))


def test_alternatives_are_split_at_the_top_level_only() -> None:
    assert branches(r"a|(b|c)d|[x|y]|\|e") == ["a", "(b|c)d", "[x|y]", r"\|e"]
    assert branches("") == []


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_the_reader_of_a_host_reads_what_was_said_in_a_log(host: HostName) -> None:
    (session,) = read_sessions(SESSIONS)
    log = SessionLog(host, "0b1c2d3e-0000-5000-8000-000000000001", Path("/w/shop"), session)
    data = [line.encode() for line in log.lines()]

    reader = readers.recognise_lines(b"\n".join(data) + b"\n")
    assert reader is not None
    about = LogFacts()
    turns = [turn for turn in reader.turns(iter(enumerate(data, 1)), about) if isinstance(turn, Turn)]

    assert [(turn.speaker[0], turn.text) for turn in turns] == [
        (step.speaker, step.text) for step in session.steps if step.speaker != "T"
    ]
    assert "Payments" in about.known.values()
    assert log.end() == datetime(2026, 10, 5, 9, 7, 20)
    assert log.path(Path("/home")).name.endswith(f"{log.id}.jsonl")


def test_a_block_is_read_by_its_records_and_not_by_its_frame() -> None:
    given_record = record(**{"3-4": "User: a?\nAssistant: b"})
    block = f"<memoro-context>\nFrom memory: data\n[relevant]\n{given_record}\n"

    assert items(block)[0].lines == ("User: a?", "Assistant: b")
    assert items("From memory: data\nMollie takes cards.") == [
        GivenItem("Mollie takes cards.", ("Mollie takes cards.",))
    ]
    assert items("") == []


def test_an_answer_counts_only_in_the_head_of_what_was_given() -> None:
    prompt = Prompt("fact", "which provider?", need=Pattern("Mollie"))
    filler = record(text="word " * 440)

    assert verdict(prompt, record(text="Mollie")).answered == (True, True)
    assert verdict(prompt, f"{filler}\n{record(text='Mollie')}").answered == (False, True)
    assert verdict(prompt, f"{filler}\n{filler}\n{record(text='Mollie')}").answered == (False, False)


def test_what_the_session_was_given_earlier_counts_as_answered() -> None:
    prompt = Prompt("fact", "which provider?", need=Pattern("Mollie"))

    assert verdict(prompt, "", record(text="Mollie")).answered == (True, True)
    assert not verdict(prompt._replace(soft=True), record(text="Mollie")).answered[0]


def test_an_old_value_is_stale_before_the_current_one_unless_it_is_marked() -> None:
    prompt = Prompt("changed", "which provider?", need=Pattern("Mollie"), stale=Pattern("Stripe"))
    old, new = record(text="We take Stripe."), record(text="We take Mollie.")

    assert verdict(prompt, old).stale
    assert verdict(prompt, f"{old}\n{new}").stale
    assert not verdict(prompt, f"{new}\n{old}").stale
    assert not verdict(prompt, record(text="Not Stripe any more: Mollie.")).stale
    assert not verdict(prompt, record(text="We take Stripe.", state="superseded")).stale
    assert not verdict(prompt, old, new).stale


def test_an_echo_counts_only_where_no_answer_was_given() -> None:
    prompt = Prompt("echo", "which payment provider do we use?", need=Pattern("Mollie"))
    question = "User: Which payment provider do we use here?"

    assert verdict(prompt, record(**{"2": question})).echo
    assert not verdict(prompt, record(**{"2": question, "3": "Assistant: Mollie."})).echo
    assert not is_echo("which payment provider do we use?", "Mollie is the provider since October.")


def test_forbidden_and_private_words_are_seen_in_any_line() -> None:
    prompt = Prompt("private", "how short is it?", forbid=Pattern("port 9400"))
    got = verdict(prompt, record(text="port 9400\nmoney is short"), private="Money is short")

    assert (got.leak, got.private, got.silent) == (True, True, False)
    assert verdict(prompt, "").silent


def test_lines_beside_a_relevant_line_are_relevant_too() -> None:
    prompt = Prompt("fact", "q", need=Pattern("needed"), gold=Pattern("useful"))
    half = verdict(prompt, f"{record(text='needed')}\n{record(text='useful')}\n{record(text='absent')}")

    assert verdict(prompt, record(text="question?\nneeded")).relevant == pytest.approx(
        tokens(record(text="question?\nneeded"))
    )
    assert half.relevant / half.total == pytest.approx(2 / 3, abs=0.05)


@given(st.text(max_size=100), st.integers(0, 50))
def test_the_head_of_a_block_is_the_beginning_of_its_lines(text: str, budget: int) -> None:
    lines = [line for item in items(text) for line in item.lines]

    assert head(text, budget) == lines[: len(head(text, budget))]
    assert head(text, 10_000) == lines


def test_bm25_gives_exchanges_of_the_own_project_and_nothing_gives_none() -> None:
    other = Session(
        "b1", datetime(2026, 10, 6, 9), "blog", "B", (Step("U", "provider of the blog"), Step("A", "Hugo"))
    )
    person = small_person(Prompt("fact", "which provider?", need=Pattern("Mollie")))
    person = person._replace(sessions=(*person.sessions, other))

    (answers,) = baselines.bm25(person)

    assert "Mollie" in answers.given[0]
    assert "Hugo" not in answers.given[0]
    assert baselines.nothing(person) == [GroupAnswers("", ("",))]


def test_a_note_is_judged_by_the_lines_below_its_headings() -> None:
    label = NoteLabel(
        decisions=(Pattern("trigger"), Pattern("no reopening")),
        open=(Pattern("runbook"),),
        files=(Pattern(r"close\.go"), Pattern(r"0021\.sql")),
        also=Pattern("periods"),
        gist=Pattern("month-end"),
    )
    note = ["---", "session: s", "---", "# Month-end close", "## Decisions", "- trigger in the database", "- thanks"]
    note += ["## Open", "- runbook", "## Files", "- internal/close.go"]
    person = small_person(notes={"a1": label})
    written = {"a1": {"sessions/a.md": note, "daily/2026-10-05.md": ["- month-end close: done"]}}

    counts = session_notes.pooled(session_notes.judge_notes(person, written))

    assert counts["decisions: recall"] == (1, 2)
    assert counts["decisions: precision"] == (1, 2)
    assert counts["open: recall"] == counts["open: precision"] == (1, 1)
    assert counts["files: recall"] == (1, 2)
    assert counts["daily line says what"] == (1, 1)


def test_kept_answers_are_read_as_they_were_written() -> None:
    lived = Lived((GroupAnswers("s", ("a", "")),), {"a1": {"n.md": ["- x"]}}, 3, 1.5)

    assert Lived.from_json(lived.to_json()) == lived


@pytest.mark.process
def test_the_weeks_are_lived_through_the_hooks(tmp_path: Path) -> None:
    prompt = Prompt("fact", "which payment provider did we choose for the cards?", need=Pattern("Mollie"))
    person = small_person(prompt, live=frozenset({"a1"}), vault={"daily/2026-10-05.md": "- payments\n"})

    try:
        lived = live(person, [sys.executable, "-P", "-m", "memoro"], tmp_path)
    except ClockMissing as error:
        pytest.skip(str(error))

    assert [len(one.given) for one in lived.answers] == [1]
    assert lived.calls == 8  # start, two prompts, two stops and the end; then start and prompt of the last day
    assert (tmp_path / "vault" / "daily" / "2026-10-05.md").exists()
    assert not list((tmp_path / "home").rglob("asked*"))
