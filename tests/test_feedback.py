"""`wrong` and `good`: the last exchange is found, kept and marked, once, and all of it can be taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.curate.extraction.spoken_turns import spoken_turns
from memoro.curate.feedback.current_conversation import ConversationSources, find_conversation
from memoro.curate.feedback.last_exchange import ExchangeBounds, LoggedTurns, last_exchange, read_turns
from memoro.curate.feedback.marking import NO_LOG, NOTHING_GIVEN, OF_ITS_OWN
from memoro.errors import MemoroError, NotFound, ProposalOutdated, SessionNotFound
from memoro.hooks import spool
from memoro.hooks.capture import write_captures
from memoro.model.feedback import feedback_in
from memoro.model.fence import without_fenced
from memoro.model.memories import stamp
from memoro.transcripts.ports import Turn
from tests.conftest import Result, run_memoro
from tests.test_sessions import recalled

SESSION = "0af31c2e-1111-4222-8333-444455556666"
BIG, SENDS = "How big may an upload be?", "SEB wants to send a file of 70 MB. Does that work?"
QUESTION, ANSWER = "Which port does the staging server of heron use?", "Staging listens on port 8080."


class Person:
    """Somebody with a vault, a home, a project, and the logs of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.me, self.vault, self.home = folder, folder / "vault", folder / "home"
        self.project, self.logs = folder / "src" / "heron", folder / ".claude" / "projects" / "-w"
        for one in (self.vault, self.home, self.project, self.logs):
            one.mkdir(parents=True)
        (self.vault / "notes.md").write_text("# Ports\n\nThe staging server of heron listens on port 8080.\n")
        (self.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
        self.moment = datetime(2026, 11, 16, 14, 30, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def opened(self, **options: Any) -> memoro.Workspace:
        return memoro.open(self.home, self.vault, clock=self.now, **options)

    def logged(self, *said: str, session: str = SESSION, folder: Path | None = None) -> Path:
        """A conversation: what the person and the agent said by turns."""
        records = []
        for number, text in enumerate(said):
            side = "assistant" if number % 2 else "user"
            records.append(
                {
                    "type": side, "uuid": f"{session}-{number}", "sessionId": session,
                    "timestamp": stamp(datetime.now(UTC)), "cwd": str(folder or self.project),
                    "message": {"role": side, "content": [{"type": "text", "text": text}] if number % 2 else text},
                }
            )  # fmt: skip
        file = self.logs / f"{session}.jsonl"
        file.write_text("".join(f"{json.dumps(one)}\n" for one in records))
        return file

    def asks(self, m: memoro.Workspace, prompt: str, session: str = SESSION) -> str:
        """What the model is told when the person types a prompt in Claude Code."""
        event = {
            "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt, "cwd": str(self.project),
            "transcript_path": str(self.logs / f"{session}.jsonl"),
        }  # fmt: skip
        made = hooks.answer("claude", event, m)
        return made["hookSpecificOutput"]["additionalContext"] if made else ""  # type: ignore[index]

    @property
    def corrections(self) -> str:
        file = self.vault / "feedback" / "corrections.md"
        return file.read_text() if file.exists() else ""

    @property
    def day(self) -> str:
        return "".join(file.read_text() for file in sorted(self.vault.glob("daily/*.md")))


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDECODE",
        "CLAUDE_CONFIG_DIR",
        "MEMORO_HOME",
        "MEMORO_VAULT",
        "MEMORO_AGENT",
    ):
        monkeypatch.delenv(name, raising=False)
    return Person(tmp_path)


@pytest.fixture
def m(person: Person) -> Iterator[memoro.Workspace]:
    with person.opened() as opened:
        yield opened


def given_memory(m: memoro.Workspace, person: Person) -> int:
    """A memory that was given for the question."""
    number = m.memories.store("The staging server of heron listens on port 8080.", source="user").memory.id
    assert f"memory:{number}" in person.asks(m, QUESTION)
    return number


def feedback_of(m: memoro.Workspace, number: int) -> int:
    return m.memories.show(number).memory.feedback


def test_what_was_said_about_an_answer_is_kept_with_the_exchange(person: Person, m: memoro.Workspace) -> None:
    person.logged("Hello", "Hi.", QUESTION, ANSWER)

    made = m.feedback.wrong("The port is 8443.", folder=str(person.project))
    entry = made.entry
    assert (made.new, made.items, made.notices) == (True, (), (NOTHING_GIVEN,))
    assert (entry.kind, entry.note, entry.question, entry.answer) == ("wrong", "The port is 8443.", QUESTION, ANSWER)
    assert (entry.session, entry.host, entry.log) == (SESSION, "claude-code", f"@claude/-w/{SESSION}.jsonl:3")
    assert entry.project == "~/src/heron"
    assert made.choice == "newest"
    assert m.feedback.files.all() == [entry]
    assert f"Correction by the user to “{QUESTION}”: The port is 8443." in person.day
    assert "#project/heron" in person.day


def test_a_correction_demotes_what_was_given_once_and_a_reward_reinforces_it(
    person: Person, m: memoro.Workspace
) -> None:
    number = given_memory(m, person)
    person.logged(QUESTION, ANSWER)

    first = m.feedback.wrong("No.", session=SESSION)
    assert (f"memory:{number}", "demoted", f"memory:{number}") in first.items
    assert feedback_of(m, number) == -1
    again = m.feedback.wrong("Really not.", session=SESSION)
    assert again.new and feedback_of(m, number) == -1  # another note, and no second demotion
    same = m.feedback.wrong("No.", session=SESSION)
    bare = m.feedback.wrong(session=SESSION)
    assert not same.new and not bare.new
    assert (
        person.corrections.count("[wrong]") == len([line for line in person.day.split("\n") if QUESTION in line]) == 2
    )

    m.feedback.good(session=SESSION)
    assert feedback_of(m, number) == 2
    assert m.memories.show(number).memory.trust == "user_said"


def test_a_prompt_is_told_what_is_right_and_not_that_an_answer_was_good(person: Person, m: memoro.Workspace) -> None:
    person.logged("Hello", "Hi.", QUESTION, ANSWER)
    m.feedback.wrong("The port is 8443.", folder=str(person.project))
    m.feedback.good(folder=str(person.project))
    assert "[good] answer to: Which port" in person.day
    block = m.prompt("").block
    assert f"Correction by the user to “{QUESTION}”: The port is 8443." in block
    assert "[good]" not in block and "[wrong]" not in block


EARLIER = f"- 14:30 [wrong] The port is 8443. — answer to: {QUESTION} #project/heron\n"
MARKS = (
    f"- 14:31 [good] Well told: 8443. — answer to: {QUESTION} #project/heron\n- 14:32 [wrong] answer to: {QUESTION}\n"
)


def test_a_correction_is_given_instead_of_the_memory_that_it_corrects(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    person.logged(QUESTION, ANSWER)

    made = m.feedback.wrong("The port is 8443.", session=SESSION)
    assert (f"memory:{number}", "muted and demoted", f"memory:{number}") in made.items
    told = person.asks(m, QUESTION, "s2")
    assert f"Correction by the user to “{QUESTION}”: The port is 8443." in told
    assert "8080" not in told and "[wrong]" not in told


def test_a_correction_leads_what_it_does_not_mute(person: Person, m: memoro.Workspace) -> None:
    given_memory(m, person)
    m.feedback.wrong("8443 it is, with the staging server of heron.", by="user", session=SESSION)
    for one in m.ratings.muted():
        m.ratings.allow(one.item)
    told = person.asks(m, QUESTION, "s2")
    assert 0 < told.index("8443") < told.index("8080")


def test_undone_with_its_feedback_a_mute_is_lifted(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    made = m.feedback.wrong("The port is 8443.", session=SESSION)
    assert f"memory:{number}" in [one.item for one in m.ratings.muted()]

    assert not m.journal.undo(by="feedback", since=made.since).refused
    assert m.ratings.muted() == [] and feedback_of(m, number) == 0
    told = person.asks(m, QUESTION, "s2")
    assert f"memory:{number}" in told and "Correction" not in told


def test_a_bare_undo_takes_back_all_that_one_feedback_did(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    m.feedback.good(session=SESSION)
    kept = (person.corrections, person.day, feedback_of(m, number))
    m.feedback.wrong("The port is 8443.", session=SESSION)
    assert m.ratings.muted() and feedback_of(m, number) < kept[2]

    told = m.journal.undo(dry_run=True)
    undone = m.journal.undo()
    assert [one.id for one in undone.entries] == [one.id for one in told.entries]
    assert (person.corrections, person.day, feedback_of(m, number)) == kept and m.ratings.muted() == []

    m.journal.undo()
    assert (person.day, feedback_of(m, number)) == ("", 0)
    m.journal.undo()
    with pytest.raises(NotFound):  # the feedback is gone, and then the memory
        m.memories.show(number)


def test_a_bare_undo_takes_back_one_command_and_none_of_the_ratings_before_it(
    person: Person, m: memoro.Workspace
) -> None:
    number = given_memory(m, person)
    m.ratings.wrong(f"memory:{number}")
    m.ratings.allow(f"memory:{number}")
    praised = m.ratings.good(f"memory:{number}")
    m.feedback.wrong("No.", session=SESSION)
    assert feedback_of(m, number) == 2

    assert praised.change not in [one.id for one in m.journal.undo(dry_run=True).entries]
    m.journal.undo()
    assert (person.corrections.count("- question"), person.day, feedback_of(m, number)) == (0, "", 3)
    assert [one.id for one in m.journal.undo().entries] == [praised.change]
    m.journal.undo()
    assert [one.item for one in m.ratings.muted()] == [f"memory:{number}"]


def test_a_bare_undo_of_a_repeated_correction_takes_back_what_it_did_the_second_time(
    person: Person, m: memoro.Workspace
) -> None:
    number = given_memory(m, person)
    m.feedback.wrong("The port is 8443.", session=SESSION)
    kept = (person.corrections, person.day, feedback_of(m, number))
    m.ratings.allow(f"memory:{number}")
    others = m.ratings.muted()
    m.feedback.wrong("The port is 8443.", session=SESSION)
    assert m.ratings.muted() != others

    m.journal.undo()
    assert m.ratings.muted() == others and (person.corrections, person.day, feedback_of(m, number)) == kept


def test_a_change_of_feedback_that_is_named_is_undone_alone(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    m.feedback.wrong("The port is 8443.", session=SESSION)
    last, *_ = m.journal.log(1)
    assert [one.id for one in m.journal.undo(last.id).entries] == [last.id]
    assert m.ratings.muted() and feedback_of(m, number) == -1


def test_a_correction_leaves_out_older_statements_that_were_not_given(person: Person, m: memoro.Workspace) -> None:
    file = person.logged("The staging server of heron listens on port 9090 now.", "Noted.", session="s1")
    file.write_text(file.read_text().replace(f"{datetime.now(UTC):%Y-%m-%d}", "2026-09-05"))
    assert "9090" in person.asks(m, QUESTION, "s0")
    person.logged(QUESTION, ANSWER)
    person.asks(m, QUESTION, "s2")

    assert not m.feedback.wrong("The port is 8443.", session=SESSION).items
    told = person.asks(m, QUESTION, "s3")
    assert "8443" in told and "9090" not in told and "8080" not in told


def test_a_correction_silences_an_older_exchange_that_tells_otherwise_in_other_words_than_the_question(
    person: Person, m: memoro.Workspace
) -> None:
    days = {
        "s1": ("Raise it to 60 MB, SEB sends bigger files.", "The upload limit is now 60 MB."),
        "s2": (BIG, "60 MB."),
    }
    for number, (session, said) in enumerate(days.items(), 5):
        file = person.logged(*said, "thanks", "Fine.", session=session)
        file.write_text(file.read_text().replace(f"{datetime.now(UTC):%Y-%m-%d}", f"2026-09-0{number}"))
    assert "60 MB" in person.asks(m, BIG)
    person.logged(BIG, "60 MB.")

    assert "60 MB" not in person.asks(m, "wrong: the upload limit is 80 MB")
    write_captures(m)
    told = [person.asks(m, asked, f"n{n}") for n, asked in enumerate((BIG, "What is the upload limit?", SENDS))]
    assert not any("60 MB" in one for one in told) and "80 MB" in told[0] and "80 MB" in told[1]


def test_a_prompt_that_corrects_gets_no_bare_value_that_an_older_question_names(
    person: Person, m: memoro.Workspace
) -> None:
    asked = "How long may inkwell take?"
    file = person.logged(asked, "60 seconds.", "thanks", "Fine.", session="s1")
    file.write_text(file.read_text().replace(f"{datetime.now(UTC):%Y-%m-%d}", "2026-09-05"))
    assert "60 seconds" in person.asks(m, "How long may inkwell take now?", "s2")
    assert "60 seconds" not in person.asks(m, "wrong: inkwell may take 90 seconds", "s3")


def test_a_passage_of_a_note_that_a_note_corrects_is_muted_until_its_words_change(
    person: Person, m: memoro.Workspace
) -> None:
    assert "8080" in person.asks(m, QUESTION)
    [item] = m.feedback.wrong("The port is 8443.", session=SESSION).items
    assert (item.change, item.place) == ("muted", "notes.md:1-3, the whole passage")
    assert "8080" not in person.asks(m, QUESTION, "s2")

    (person.vault / "notes.md").write_text("# Ports\n\nThe staging server of heron listens on port 8443 by now.\n")
    assert "8443 by now" in person.asks(m, QUESTION, "s3")


def test_of_several_items_the_one_that_a_note_corrects_is_muted(m: memoro.Workspace) -> None:
    wrong = m.memories.store("The staging server of heron listens on port 8080.", source="user").memory.id
    other = m.memories.store("The staging server of heron has 64 GB of memory.", source="user").memory.id
    m.recall(QUESTION, session=SESSION)

    items = {one.id: one.change for one in m.feedback.wrong("The port is 8443.", session=SESSION).items}
    assert items[f"memory:{wrong}"] == "muted and demoted"
    assert items[f"memory:{other}"] == "demoted"


def test_a_note_on_an_earlier_answer_marks_that_one_and_leaves_the_last_alone(m: memoro.Workspace) -> None:
    backup = m.memories.store("The nightly backup of heron runs at 02:30.", source="user").memory.id
    port = m.memories.store("The staging server of heron listens on port 8080.", source="user").memory.id
    m.recall("When does the nightly backup of heron run?", session=SESSION)
    m.recall(QUESTION, session=SESSION)

    made = m.feedback.wrong("The nightly backup runs at 04:00.", session=SESSION)
    assert made.entry.question == "When does the nightly backup of heron run?"
    items = {one.id: one.change for one in made.items}
    assert items[f"memory:{backup}"] == "muted and demoted"
    assert "muted" not in items.get(f"memory:{port}", "")


def test_a_note_that_follows_a_bare_mark_mutes_what_it_corrects(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    assert (f"memory:{number}", "demoted", f"memory:{number}") in m.feedback.wrong(session=SESSION).items
    made = m.feedback.wrong("Port 8443.", session=SESSION)
    assert (f"memory:{number}", "muted", f"memory:{number}") in made.items
    assert feedback_of(m, number) == -1


def test_what_an_agent_says_of_an_answer_mutes_nothing_and_is_not_given(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    made = m.feedback.wrong("The port is 8443.", by="claude-code", session=SESSION)
    assert (f"memory:{number}", "demoted", f"memory:{number}") in made.items
    assert "claude-code says: The port is 8443." in person.day
    assert "8443" not in person.asks(m, QUESTION, "s2") + m.prompt("").block


def test_a_line_that_an_earlier_version_wrote_is_given_as_a_correction(person: Person, m: memoro.Workspace) -> None:
    daily = person.vault / "daily"
    daily.mkdir()
    (daily / "2026-11-16.md").write_text(f"# 2026-11-16\n\n{EARLIER}{MARKS}")
    correction = f"- 14:30 Correction by the user to “{QUESTION}”: The port is 8443. #project/heron"
    for told in (person.asks(m, QUESTION, "s2"), m.prompt("").block):
        assert correction in told
        assert "[wrong]" not in told and "[good]" not in told


def test_lines_that_only_mark_answers_are_never_given(person: Person, m: memoro.Workspace) -> None:
    daily = person.vault / "daily"
    daily.mkdir()
    (daily / "2026-11-16.md").write_text(f"# 2026-11-16\n\n{MARKS}")
    (person.vault / "notes.md").unlink()
    assert person.asks(m, QUESTION, "s2") == ""
    assert person.asks(m, "What did we do today?", "s3") == ""
    assert "daily/" not in m.prompt("").block


def test_a_correction_is_given_though_the_log_holds_the_exchange(person: Person, m: memoro.Workspace) -> None:
    (person.vault / "notes.md").unlink()
    person.logged(QUESTION, ANSWER)
    m.feedback.wrong("The port is 8443.", session=SESSION)
    told = person.asks(m, QUESTION, "s2")
    assert "Correction by the user" in told and "8080" not in told


def test_a_message_that_corrects_is_given_once_and_as_a_correction(person: Person, m: memoro.Workspace) -> None:
    (person.vault / "notes.md").unlink()
    said = "the staging server of heron uses port 8443"
    person.logged(QUESTION, ANSWER, f"wrong: {said}", "I see: port 8443.")
    told = person.asks(m, QUESTION, "s2")
    assert f"User: Correction: {said}" in told and "wrong:" not in told

    m.feedback.wrong(said, session=SESSION)
    told = person.asks(m, QUESTION, "s3")
    assert "Correction by the user" in told and told.count(said) == 1


def test_two_answers_of_one_conversation_demote_the_same_memory_once(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    person.logged(QUESTION, ANSWER)
    m.feedback.wrong(session=SESSION)
    with m.ledger.access.ledger.writing() as tx:  # it was given again, after a compaction
        row = tx.sessions.recalls(SESSION)[0]
        session = tx.sessions.find(SESSION)
        assert session is not None
        tx.sessions.insert(session._replace(id=f"{SESSION} (2)"))
        tx.sessions.add(row._replace(session=f"{SESSION} (2)"), tx.sessions.items(row.number), None)
    person.logged(QUESTION, ANSWER, "Go on", "Done.", QUESTION, "Still 8080.")

    made = m.feedback.wrong(session=SESSION)
    assert made.new and made.entry.answer == "Still 8080."
    assert feedback_of(m, number) == -1


def test_an_experience_that_was_given_is_told_its_outcome(person: Person, m: memoro.Workspace) -> None:
    recorded = m.experiences.record("error_recovery", "the replica of heron is behind", "restart the sender")
    name = f"experience:{recorded.experience.id}"
    question = "the replica of heron is behind, what did we do"
    assert name in [item.id for item in m.recall(question, session=SESSION).items]
    person.logged(question, "Restart the sender.")

    assert (name, "demoted", name) in m.feedback.wrong(session=SESSION).items
    assert m.experiences.get(name).success < 1
    assert (name, "marked before in this conversation", name) in m.feedback.wrong("No.", session=SESSION).items
    m.journal.undo(by="feedback", since="2026-11-16")
    assert m.experiences.get(name).success == 1
    assert (name, "demoted", name) in m.feedback.wrong(session=SESSION).items


def test_undo_by_source_takes_back_file_day_and_scores(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    person.logged(QUESTION, ANSWER)
    made = m.feedback.wrong("No.", session=SESSION)

    done = m.journal.undo(by="feedback", since=made.since)
    assert not done.refused and len(done.entries) == 3
    assert person.corrections == person.day == ""
    assert feedback_of(m, number) == 0
    assert m.sessions.show(SESSION).recalls[0].given[0].feedback == ()
    assert m.feedback.wrong("No.", session=SESSION).new  # it can be said again
    assert feedback_of(m, number) == -1


def test_a_passage_of_a_note_that_was_given_is_noted_in_the_record(m: memoro.Workspace) -> None:
    given_ids = [item.id for item in m.recall(QUESTION, session=SESSION).items]
    assert given_ids and given_ids[0].startswith("note:")

    made = m.feedback.wrong("No.", session=SESSION)  # no log: only what was given is known
    assert made.items == ((given_ids[0], "noted", "notes.md:1"),)
    assert NO_LOG in made.notices and made.entry.question == QUESTION and made.entry.log is None
    assert m.sessions.used(given_ids[0])[0].feedback == ("demoted",)


def test_finding_and_giving_never_change_a_score(person: Person, m: memoro.Workspace) -> None:
    memory = m.memories.store("The staging server of heron listens on port 8080.").memory.id
    learned = m.experiences.record("task_solution", "find the staging port of heron", "look at 8080").experience
    before = m.memories.show(memory).memory
    for _ in range(3):
        m.search("staging port heron")
        m.memories.query("staging port heron", session="s1")
        m.experiences.find_similar("staging port heron")
        m.recall(QUESTION, session="s1")
        m.prompt(QUESTION, session="s2")
        person.asks(m, QUESTION, "s3")

    assert m.memories.show(memory).memory == before
    assert m.experiences.get(learned.id).success == learned.success
    assert not [one for one in m.journal.log(100) if one.operation in ("reinforce", "update")]


def test_an_answer_that_was_marked_as_wrong_is_not_given_unasked_any_more(
    person: Person, m: memoro.Workspace
) -> None:
    person.logged(QUESTION, "It listens on port 8099, behind the proxy.")
    m.sync()
    asked = "On which port does the staging server of heron listen?"
    assert "8099" in person.asks(m, asked, "s2")
    made = m.feedback.wrong("The port is 8443.", session=SESSION)
    assert "8099" not in person.asks(m, asked, "s3")
    assert any("marked this answer as wrong" in one.why for one in m.sessions.show("s3").recalls[0].recalled.left_out)

    m.feedback.files.archive([made.entry.id])  # a rule was made of it
    assert "8099" not in person.asks(m, asked, "s4")
    m.journal.undo(by="user", since=made.since)
    m.journal.undo(by="feedback", since=made.since)
    assert "8099" in person.asks(m, asked, "s5")


def test_the_newest_conversation_of_the_folder_is_meant(person: Person, m: memoro.Workspace) -> None:
    other = person.me / "src" / "egret"
    other.mkdir()
    person.logged("An older one", "Yes.", session="older-session")
    person.logged(QUESTION, ANSWER)
    person.logged("Elsewhere", "Yes.", session="other-project", folder=other)
    for age, name in enumerate(("other-project", SESSION, "older-session")):
        os.utime(person.logs / f"{name}.jsonl", (1_790_000_000 - age, 1_790_000_000 - age))

    assert m.feedback.wrong(folder=str(person.project)).session == SESSION
    assert m.feedback.good(folder=str(other)).session == "other-project"
    assert m.feedback.good(folder=str(person.me)).session == "other-project"  # no project: the newest of all
    empty = person.me / "src" / "empty"
    empty.mkdir()
    with pytest.raises(SessionNotFound, match="no conversation of project empty"):
        m.feedback.wrong(folder=str(empty))
    with pytest.raises(SessionNotFound, match="no conversation 'nobody'"):
        m.feedback.wrong(session="nobody")


LIMIT = "The alert limit is 170,000 somatic cells per ml since 18 November."


def logged_in_order(person: Person, *newest_first: tuple[str, str]) -> None:
    for age, said in enumerate(newest_first):
        file = person.logged(*said, session=f"session-{age}")
        os.utime(file, (1_790_000_000 - age, 1_790_000_000 - age))


def test_a_note_on_an_answer_of_an_older_conversation_marks_that_one(person: Person, m: memoro.Workspace) -> None:
    asked = ("What is the alert limit for somatic cells?", "It is 150,000 per ml.")
    logged_in_order(person, (QUESTION, ANSWER), ("Hello", "Hi."), asked)
    made = m.feedback.wrong(LIMIT, folder=str(person.project))

    assert (made.entry.question, made.session, made.choice) == (asked[0], "session-2", "about")
    assert m.feedback.wrong("No.", folder=str(person.project)).entry.question == QUESTION
    given = person.asks(m, "What is the alert limit for somatic cells now?", session="later")
    assert "170,000" in given and "150,000" not in given


def test_a_note_that_shares_a_word_with_an_answer_by_chance_marks_none(person: Person, m: memoro.Workspace) -> None:
    logged_in_order(person, ("Remind me to ask Stina about the prod database.", "Open: ask Stina."))
    made = m.feedback.wrong("Deploys to prod only before 14:00.", folder=str(person.project))
    assert (made.entry.question, made.session, made.notices) == ("", None, (OF_ITS_OWN,))


def test_an_answer_that_says_what_a_note_says_is_not_marked(person: Person, m: memoro.Workspace) -> None:
    bucket, right = "Which bucket holds the invoices?", "The bucket is heron-docs-eu."
    person.logged(bucket, "heron-invoices-eu", "Actually, it was renamed.", f"Noted. {right}")
    assert m.feedback.wrong(right, folder=str(person.project)).entry.question == bucket
    person.logged("Which bucket is it?", right, session="s1")
    assert m.feedback.wrong(right, session="s1").entry.question == ""


def test_a_note_of_which_no_answer_speaks_is_a_correction_of_its_own(person: Person, m: memoro.Workspace) -> None:
    logged_in_order(person, (QUESTION, ANSWER), ("Hello", "Hi."))
    made = m.feedback.wrong(LIMIT, folder=str(person.project))

    assert (made.entry.question, made.entry.log, made.session, made.choice) == ("", None, None, "none")
    assert made.entry.project == "~/src/heron" and made.notices == (OF_ITS_OWN,) and made.items == ()
    assert f"Correction by the user: {LIMIT} #project/heron" in person.day
    assert not m.feedback.wrong(LIMIT, folder=str(person.project)).new
    assert "170,000" in person.asks(m, "What is the alert limit for somatic cells now?", session="later")
    assert m.feedback.wrong(LIMIT, session="session-0").entry.question == QUESTION  # named, it is meant


def test_the_command_says_that_a_correction_is_of_its_own(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(person.project)
    logged_in_order(person, (QUESTION, ANSWER))
    made = run(person, "wrong", LIMIT)
    assert made.code == 0, made.err
    told = made.out
    assert told.startswith("Correction: “The alert limit is 170,000") and "Marked" not in told
    assert OF_ITS_OWN in told and "in conversation" not in told
    assert json.loads(run(person, "wrong", LIMIT, "--json").out)["session"] is None


def test_the_conversation_that_runs_the_command_is_meant(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.logged(QUESTION, ANSWER, "That is wrong, tell Memoro so", "I shall run it.")
    person.logged("Another", "Yes.", session="another-session")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    with person.opened() as m:
        made = m.feedback.wrong(folder=str(person.project))
        named = m.feedback.wrong(session="another-session")
    assert (made.session, made.choice) == (SESSION, "host")
    assert (made.entry.question, made.entry.answer) == (QUESTION, ANSWER)  # not the message that asks for it
    assert named.entry.question == "Another"


def test_an_agent_of_one_project_marks_no_conversation_of_another(person: Person) -> None:
    person.logged(QUESTION, ANSWER)
    with person.opened(agent="claude-code", project="egret") as m:
        with pytest.raises(SessionNotFound):
            m.feedback.wrong(by="claude-code")
        with pytest.raises(SessionNotFound, match="belongs to project heron"):
            m.feedback.wrong(by="claude-code", session=SESSION)
    with person.opened(agent="claude-code", project="heron") as m:
        assert m.feedback.wrong("No.", by="claude-code").entry.by == "claude-code"


def test_secrets_and_blocks_of_memoro_are_not_kept(person: Person, m: memoro.Workspace) -> None:
    secret = "ghp_" + "a1B2" * 9
    person.logged(f"Use {secret} <memoro-context b>recalled</memoro-context>", f"I used {secret}.\n" + "word " * 300)

    entry = m.feedback.wrong(f"Never print {secret}", session=SESSION).entry
    assert secret not in person.corrections + person.day
    assert "recalled" not in person.corrections
    assert len(entry.answer) <= 600 and entry.answer.endswith("…")


def test_what_was_forgotten_is_not_kept(person: Person, m: memoro.Workspace) -> None:
    person.logged(QUESTION, "The quokka sleeps in Rotterdam.")
    m.sync()
    hit = next(hit for hit in m.search("quokka").results if hit.kind == "transcript")
    m.forget(hit.id, yes=True)

    assert m.feedback.wrong("No.", session=SESSION).entry.answer == ""


def test_forgetting_a_message_erases_it_from_the_feedback(person: Person, m: memoro.Workspace) -> None:
    person.logged(QUESTION, "The quokka sleeps in the harbour of Rotterdam.")
    m.feedback.wrong("No.", session=SESSION)
    m.sync()
    hit = next(hit for hit in m.search("quokka").results if hit.kind == "transcript")
    m.forget(hit.id, yes=True)

    assert "quokka" not in person.corrections
    assert [one.note for one in m.feedback.files.all()] == ["No."]


def test_with_a_key_it_is_done_once(person: Person, m: memoro.Workspace) -> None:
    person.logged(QUESTION, ANSWER)
    first = m.feedback.wrong("No.", session=SESSION, key="k")
    again = m.feedback.wrong("No.", session=SESSION, key="k")

    assert first.new and not again.new and first.entry == again.entry
    assert person.day.count("[wrong]") == 1


# ------ the last exchange

turns = st.lists(
    st.tuples(st.sampled_from(["User", "Assistant"]), st.sampled_from(["/wrong no", "wrong: x", "a", "b", "/good"])),
    max_size=12,
).map(lambda said: [Turn(speaker, text, number) for number, (speaker, text) in enumerate(said, 1)])


@given(turns, st.booleans(), st.lists(st.integers(1, 12), max_size=2), st.sampled_from([None, "/wrong no", "/good"]))
def test_feedback_is_never_taken_for_the_exchange(
    said: list[Turn], in_progress: bool, commands: list[int], prompt: str | None
) -> None:
    bounds = ExchangeBounds(given=feedback_in(prompt) if prompt else None, in_progress=in_progress)
    found = last_exchange(LoggedTurns(said, sorted(commands)), bounds)

    messages = [turn for turn in said if turn.speaker == "User" and feedback_in(turn.text) is None]
    assert found is None or (found.question, found.line) in [(one.text, one.line) for one in messages]
    if found and found.answer:
        assert set(found.answer.split("\n")) <= {turn.text for turn in said if turn.speaker == "Assistant"}
    if messages and not in_progress and prompt is None and not commands:
        assert found and found.line == messages[-1].line


def test_what_answers_a_slash_command_is_not_the_answer(person: Person, m: memoro.Workspace) -> None:
    log = person.logged(QUESTION, ANSWER)
    command = {
        "type": "user", "uuid": "c", "sessionId": SESSION,
        "message": {"role": "user", "content": "<command-name>/wrong</command-name><command-args>No.</command-args>"},
    }  # fmt: skip
    reply = {
        "type": "assistant", "uuid": "d", "sessionId": SESSION,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "I mark it."}]},
    }  # fmt: skip
    log.write_text(log.read_text() + json.dumps(command) + "\n" + json.dumps(reply) + "\n")

    entry = m.feedback.wrong("No.", session=SESSION).entry
    assert (entry.question, entry.answer) == (QUESTION, ANSWER)


def test_a_correction_is_not_extracted_as_a_fact_too() -> None:
    said = [
        Turn("User", "I live in Ghent.", 1),
        Turn("User", "wrong: I live in Bruges.", 2),
        Turn("Assistant", "Ah.", 3),
    ]

    assert [turn.text for turn in spoken_turns(said)] == ["I live in Ghent."]


# ------ hooks


def test_a_prompt_marks_the_answer_before_it_and_the_model_is_told(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    log = person.logged(QUESTION, ANSWER)

    told = person.asks(m, "/wrong The port is 8443.")
    assert "marked your last answer as wrong" in told and '{"note":"The port is 8443."}' in told
    assert without_fenced(told).strip() == ""
    # The conversation goes on before anybody writes it down.
    log.write_text(log.read_text() + person.logged("Later", "Yes.", session="more").read_text())
    assert write_captures(m) == 1
    [entry] = m.feedback.files.all()
    assert (entry.question, entry.answer, entry.note) == (QUESTION, ANSWER, "The port is 8443.")
    assert (entry.project, entry.log) == ("~/src/heron", f"@claude/-w/{SESSION}.jsonl:1")
    assert feedback_of(m, number) == -1
    assert write_captures(m) == 0


def test_the_same_event_is_written_once(person: Person, m: memoro.Workspace) -> None:
    given_memory(m, person)
    person.logged(QUESTION, ANSWER)
    for _ in range(2):
        person.asks(m, "/wrong No.")
    write_captures(m)

    assert person.corrections.count("[wrong]") == person.day.count("[wrong]") == 1


def test_a_correction_in_words_is_also_answered(person: Person, m: memoro.Workspace) -> None:
    assert "marked" not in person.asks(m, "wrong: the staging server of heron is gone")  # nothing was said before
    assert not spool.has_pending(str(person.home))
    m.memories.store("The staging server of heron listens on port 8080.", source="user")
    person.asks(m, "Thanks", "s2")

    told = person.asks(m, f"wrong: {QUESTION}", "s2")
    assert "marked your last answer as wrong" in told and "listens on port 8080" in told
    write_captures(m)
    [entry] = m.feedback.files.all()
    assert entry.question == "Thanks"  # and not the correction, which is on record too


def test_a_command_in_an_empty_conversation_marks_nothing(person: Person, m: memoro.Workspace) -> None:
    assert person.asks(m, "/wrong No.", "unknown") == ""
    assert not spool.has_pending(str(person.home))


def test_ordinary_prompts_give_no_feedback(person: Person, m: memoro.Workspace) -> None:
    person.asks(m, QUESTION)
    for prompt in ("wrong file, open x", "good: now add tests", "Good, go on", "/wrongly"):
        assert "marked your last answer" not in person.asks(m, prompt)
    assert not spool.has_pending(str(person.home))


def test_a_secret_in_a_prompt_does_not_reach_the_spool(person: Person, m: memoro.Workspace) -> None:
    person.logged(QUESTION, ANSWER)
    secret = "ghp_" + "a1B2" * 9
    person.asks(m, f"/wrong never print {secret}")

    assert secret not in (person.home / spool.NAME).read_text()


def test_feedback_waits_while_the_vault_is_away(person: Person, m: memoro.Workspace) -> None:
    person.logged(QUESTION, ANSWER)
    person.asks(m, "/good")
    away = person.vault.with_name("away")
    person.vault.rename(away)
    write_captures(m)
    away.rename(person.vault)
    assert write_captures(m) == 1
    assert [one.kind for one in m.feedback.files.all()] == ["good"]


@pytest.mark.parametrize("note", ["\ud800", 5])
def test_a_note_that_no_file_can_hold_is_refused(person: Person, m: memoro.Workspace, note: Any) -> None:
    person.logged(QUESTION, ANSWER)
    with pytest.raises(MemoroError):
        m.feedback.wrong(note, session=SESSION)
    assert person.corrections == ""


# ------ other hosts

CODEX_ID = "019a1b2c-3d4e-7f60-8a9b-0c1d2e3f4a5b"
TIME = "2026-11-16T10:00:00.000Z"


def codex_log(person: Person) -> Path:
    def said(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        return {
            "timestamp": TIME, "type": "response_item",
            "payload": {"type": "message", "role": role, "content": content},
        }  # fmt: skip

    meta = {"id": CODEX_ID, "session_id": CODEX_ID, "cwd": str(person.project), "source": "cli"}
    typed = {"type": "user_message", "message": QUESTION, "images": []}
    records = [
        {"timestamp": TIME, "type": "session_meta", "payload": {**meta, "history_mode": "legacy"}},
        {"timestamp": TIME, "type": "event_msg", "payload": typed},
        said("assistant", ANSWER),
    ]
    file = person.me / ".codex" / "sessions" / "2026" / "11" / "16" / f"rollout-2026-11-16T10-00-00-{CODEX_ID}.jsonl"
    return written(file, records)


def gemini_log(person: Person) -> Path:
    about = {"sessionId": CODEX_ID, "projectHash": "h", "startTime": TIME, "lastUpdated": TIME, "kind": "main"}
    records = [
        about,
        {"id": "1", "timestamp": TIME, "type": "user", "content": QUESTION},
        {"id": "2", "timestamp": TIME, "type": "gemini", "content": ANSWER},
        {"id": "3", "timestamp": TIME, "type": "user", "content": "wrong: The port is 8443."},
    ]
    file = person.me / ".gemini" / "tmp" / "heron" / "chats" / f"session-2026-11-16T10-00-{CODEX_ID[:8]}.jsonl"
    return written(file, records)


def written(file: Path, records: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return file


@pytest.mark.parametrize(("agent", "event"), [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")])
def test_every_host_with_hooks_gives_feedback(person: Person, agent: str, event: str) -> None:
    log = codex_log(person) if agent == "codex" else gemini_log(person)
    with person.opened() as m:
        document = {
            "hook_event_name": event, "session_id": CODEX_ID, "transcript_path": str(log), "cwd": str(person.project),
        }  # fmt: skip
        hooks.answer(agent, {**document, "prompt": QUESTION}, m)
        assert hooks.answer(agent, {**document, "prompt": "wrong: The port is 8443."}, m)
        write_captures(m)
        [entry] = m.feedback.files.all()
        again = m.feedback.wrong("No.", folder=str(person.project))  # by its log alone, from a terminal
    assert (entry.question, entry.answer, entry.host) == (QUESTION, ANSWER, agent)
    assert (entry.session, entry.project) == (CODEX_ID, "~/src/heron")
    assert (again.session, again.entry.answer) == (CODEX_ID, ANSWER)


# ------ proposals


def test_a_rule_whose_feedback_was_undone_is_withdrawn_instead_of_accepted(
    person: Person, m: memoro.Workspace
) -> None:
    person.logged(QUESTION, ANSWER)
    made = m.feedback.wrong("Always answer in German.", session=SESSION)
    m.curation.run()
    [proposal] = [one for one in m.proposals.all() if one.origin == "feedback"]
    m.journal.undo(by="feedback", since=made.since)

    assert "undone" in m.proposals.preview(proposal.id).outdated
    with pytest.raises(ProposalOutdated, match="feedback that this was proposed for"):
        m.proposals.accept(proposal.id)
    assert m.proposals.all() == []
    assert not (person.vault / "PROCEDURAL.md").exists()


def test_a_rule_whose_feedback_stands_is_accepted_and_its_feedback_archived(
    person: Person, m: memoro.Workspace
) -> None:
    person.logged(QUESTION, ANSWER)
    m.feedback.wrong("Always answer in German.", session=SESSION)
    m.curation.run()
    [proposal] = [one for one in m.proposals.all() if one.origin == "feedback"]

    assert "Always answer in German." in m.proposals.accept(proposal.id, key="k").text
    assert "Always answer in German." in m.proposals.accept(proposal.id, key="k").text  # again, and done once
    assert m.feedback.files.all() == []


def test_an_experience_that_is_given_again_is_told_its_outcome_once_in_a_conversation(
    person: Person, m: memoro.Workspace
) -> None:
    recorded = m.experiences.record("error_recovery", "the replica of heron is behind", "restart the sender")
    name = f"experience:{recorded.experience.id}"
    question = "the replica of heron is behind, what did we do"
    m.recall(question, session=SESSION)
    person.logged(question, "Restart the sender.")
    m.feedback.wrong(session=SESSION)
    with m.ledger.access.ledger.writing() as tx:  # it was given again, after a compaction
        row = tx.sessions.recalls(SESSION)[0]
        session = tx.sessions.find(SESSION)
        assert session is not None
        tx.sessions.insert(session._replace(id=f"{SESSION} (2)"))
        again = row._replace(session=f"{SESSION} (2)", at=stamp(person.now()))
        tx.sessions.add(again, tx.sessions.items(row.number), None)
    person.logged(question, "Restart the sender.", "Go on", "Done.", question, "Restart it again.")

    made = m.feedback.wrong("No, stop it.", session=SESSION)
    assert made.entry.answer == "Restart it again."
    assert (name, "marked before in this conversation", name) in made.items
    assert m.experiences.get(name).outcomes == 2


def test_what_is_gone_since_it_was_given_is_named_as_gone(person: Person, m: memoro.Workspace) -> None:
    number = given_memory(m, person)
    person.logged(QUESTION, ANSWER)
    m.memories.remove(number)
    [item] = [one for one in m.feedback.wrong(session=SESSION).items if one.id == f"memory:{number}"]
    assert item.change == "gone since"


@pytest.mark.parametrize(("count", "is_found"), [(29, True), (30, False)])
def test_the_thirty_newest_logs_are_opened_to_find_the_newest_of_a_project(
    person: Person, m: memoro.Workspace, count: int, is_found: bool
) -> None:
    other = person.me / "src" / "egret"
    other.mkdir()
    person.logged(QUESTION, ANSWER)
    os.utime(person.logs / f"{SESSION}.jsonl", (1_790_000_000, 1_790_000_000))
    for number in range(count):
        person.logged("Elsewhere", "Yes.", session=f"elsewhere-{number:02}", folder=other)
    if is_found:
        assert m.feedback.wrong(folder=str(person.project)).session == SESSION
    else:
        with pytest.raises(SessionNotFound, match="no conversation of project heron"):
            m.feedback.wrong(folder=str(person.project))


@pytest.mark.parametrize(
    ("session", "name", "is_its_log"),
    [
        ("abcdefg", "abcdefg", True),
        ("abcdefg", "x-abcdefg", False),  # so short an id may be a part of another
        ("abcdefgh", "x-abcdefgh", True),
        ("abcdefgh-1234", "session-2026-abcdefgh", True),  # some hosts shorten the id
        ("abcdefgh-1234", "session-2026-abcdefg", False),
        ("abcdefgh-1234", "abcdefgh-2026", False),
    ],
)
def test_a_log_is_known_by_the_id_in_its_name(
    person: Person, m: memoro.Workspace, session: str, name: str, is_its_log: bool
) -> None:
    person.logged(QUESTION, ANSWER, session=name)
    if is_its_log:
        made = m.feedback.wrong(session=session)
        assert (made.session, made.entry.answer) == (session, ANSWER)
    else:
        with pytest.raises(SessionNotFound, match="no conversation"):
            m.feedback.wrong(session=session)


def test_a_conversation_on_record_is_found_by_its_id_whatever_a_compaction_added(
    person: Person, m: memoro.Workspace
) -> None:
    given_memory(m, person)
    with m.ledger.access.ledger.writing() as tx:
        session = tx.sessions.find(SESSION)
        assert session is not None
        tx.sessions.insert(session._replace(id=f"{SESSION} (2)"))
        tx.sessions.insert(
            session._replace(id="talk (about tea)", started_at="2026-11-01T08:00:00.000Z", last_at=None)
        )
    sources = ConversationSources(
        access=m.ledger.access, vault=m.vault, environment={}, scope=m.ledger.owner.scope, project_of=lambda _: None
    )
    found = [(one.session, one.choice) for one in find_conversation(sources, None, None)]
    assert {*found} == {(SESSION, "newest"), ("talk (about tea)", "newest")}
    assert found[-1][0] == "talk (about tea)"  # the last that was written to comes first


def sources_of(m: memoro.Workspace, **fields: Any) -> ConversationSources:
    """Where conversations are known from, without the environment of these tests."""
    return ConversationSources(
        access=m.ledger.access,
        vault=m.vault,
        environment={},
        scope=m.ledger.owner.scope,
        project_of=m.home_context.project_of,
    )._replace(**fields)


def test_all_that_was_given_for_a_message_is_marked_however_often_it_was_said(m: memoro.Workspace) -> None:
    first = m.memories.store("The staging server of heron listens on port 8080.", source="user").memory.id
    m.recall(QUESTION, session=SESSION)
    second = m.memories.store("The staging server of heron uses port 8080 at night too.", source="user").memory.id
    m.memories.archive(first)
    m.recall(QUESTION, session=SESSION)
    marked = {one.id: one.change for one in m.feedback.wrong(session=SESSION).items}
    assert {f"memory:{first}", f"memory:{second}"} <= {*marked}


def test_the_recalls_of_an_earlier_time_are_left_alone(m: memoro.Workspace) -> None:
    first = m.memories.store("The staging server of heron listens on port 8080.", source="user").memory.id
    m.recall(QUESTION, session=SESSION)
    m.memories.archive(first)
    m.recall("How many berths has the pier?", session=SESSION)
    second = m.memories.store("The staging server of heron uses port 8080 at night too.", source="user").memory.id
    m.recall(QUESTION, session=SESSION)
    marked = {one.id for one in m.feedback.wrong(session=SESSION).items}
    assert f"memory:{second}" in marked and f"memory:{first}" not in marked


def test_an_exchange_that_is_only_on_record_has_no_line_in_the_log(person: Person, m: memoro.Workspace) -> None:
    given_memory(m, person)
    person.logged("/wrong", "Noted.")
    made = m.feedback.wrong("no", session=SESSION)
    assert (made.entry.question, made.entry.answer, made.entry.log) == (QUESTION, "", None)
    assert NO_LOG in made.notices
    person.logged("Hello", "Hi.", QUESTION, ANSWER)
    made = m.feedback.wrong("not that", session=SESSION)
    assert str(made.entry.log).endswith(f"{SESSION}.jsonl:3") and made.notices == ()


COMMAND = "<command-name>/memoro:wrong</command-name>"


@pytest.mark.parametrize(
    ("records", "commands"),
    [
        ([], ()),
        ([{"type": "user", "isMeta": True, "message": {"role": "user", "content": COMMAND}}], (3,)),
        ([{"type": "assistant", "message": {"role": "assistant", "content": COMMAND}}], ()),
        ([{"type": "user", "isMeta": True, "message": {"role": "user", "content": "<command-name>/clear"}}], ()),
        (
            [{"type": "user", "isMeta": True, "message": {"role": "user", "content": "<bash-input>memoro good"}}] * 2,
            (3, 4),
        ),
    ],
)
def test_commands_of_the_user_that_give_feedback_are_seen_in_a_log(
    person: Person, m: memoro.Workspace, records: list[dict[str, Any]], commands: tuple[int, ...]
) -> None:
    log = person.logged(QUESTION, ANSWER)
    with log.open("a") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in records)
    [found] = [one.log for one in find_conversation(sources_of(m), SESSION, None)]
    assert found is not None
    logged = read_turns(*found)
    assert [turn.text for turn in logged.turns][:2] == [QUESTION, ANSWER]
    assert (tuple(logged.commands), logged.folder) == (commands, str(person.project))


def test_of_a_log_no_more_is_read_than_there_was_at_the_time(person: Person, m: memoro.Workspace) -> None:
    log = person.logged(QUESTION, ANSWER, "And at night?", "The same.")
    [found] = [one.log for one in find_conversation(sources_of(m), SESSION, None)]
    assert found is not None
    ends = [0]
    for line in log.read_bytes().splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    for count, size in enumerate(ends):
        assert len(read_turns(*found, size).turns) == count
    assert len(read_turns(*found, ends[-1] + 100).turns) == len(read_turns(*found).turns) == 4


def exchange(*said: str, commands: tuple[int, ...] = (), **bounds: Any) -> tuple[str, str, int] | None:
    """The exchange that feedback is about: messages of the owner begin with "U: "."""
    turns = [
        Turn("User" if text.startswith("U: ") else "Assistant", text.removeprefix("U: "), 2 * n)
        for n, text in enumerate(said, 1)
    ]
    found = last_exchange(LoggedTurns(turns, commands), ExchangeBounds(**bounds))
    return None if found is None else (found.question, found.answer, found.line)


WRONG = feedback_in("/wrong no")


@pytest.mark.parametrize(
    ("said", "fields", "found"),
    [
        ((), {}, None),
        (("Hello.",), {}, None),
        (("U: /wrong no",), {}, None),
        (("U: one",), {}, ("one", "", 2)),
        (("U: one", "a", "b", "U: two", "c"), {}, ("two", "c", 8)),
        (("U: one", "a", "U: two"), {}, ("two", "", 6)),
        (("U: one", "a", "U: two"), {"in_progress": True}, ("one", "a", 2)),
        (("U: one", "a"), {"in_progress": True}, ("one", "a", 2)),
        (("U: one", "a", "U: /wrong no"), {"in_progress": True}, ("one", "a", 2)),
        (("U: one", "a", "U: /wrong no", "b"), {}, ("one", "a", 2)),
        (("U: one", "a", "U: /wrong no", "b", "U: two", "c"), {"given": WRONG}, ("one", "a", 2)),
        (("U: one", "a", "U: two", "c"), {"given": WRONG}, ("two", "c", 6)),
        (("U: one", "a", "U: /wrong no", "U: two", "c", "U: /wrong no"), {"given": WRONG}, ("two", "c", 8)),
        (("U: one", "a", "b"), {"commands": (5,)}, ("one", "a", 2)),
        (("U: one", "a", "b"), {"commands": (1,)}, ("one", "a\nb", 2)),
        (("U: one", "a", "b"), {"commands": (6,)}, ("one", "a", 2)),
        (("U: one", "a", "U: two", "b", "c"), {"commands": (3, 9)}, ("two", "b", 6)),
    ],
)
def test_the_exchange_before_the_feedback_is_meant(
    said: tuple[str, ...], fields: dict[str, Any], found: tuple[str, str, int] | None
) -> None:
    assert exchange(*said, **fields) == found


@pytest.mark.parametrize(("count", "is_meant"), [(10, True), (11, False)])
def test_a_note_may_speak_of_one_of_the_last_ten_messages(count: int, is_meant: bool) -> None:
    first = Turn("User", "When does the nightly backup run?", 1)
    rest = [Turn("User", f"Is berth {number} free?", number) for number in range(2, count + 1)]
    found = last_exchange(LoggedTurns([first, *rest]), note="The nightly backup runs at 04:00.")
    assert found is not None
    assert (found.question == first.text) is is_meant


def test_words_that_were_forgotten_are_no_part_of_the_exchange() -> None:
    turns = [Turn("User", "one", 1), Turn("Assistant", "a", 2), Turn("Assistant", "b", 3), Turn("Ida", "c", 4)]
    for hidden, wanted in (("one", ("", "a\nb\nc")), ("a", ("one", "b\nc")), ("", ("one", "a\nb\nc"))):
        found = last_exchange(LoggedTurns(turns), hides=lambda turn, hidden=hidden: turn.text == hidden)  # type: ignore[misc]
        assert found is not None and (found.question, found.answer, found.line) == (*wanted, 1)


def run(person: Person, *arguments: str) -> Result:
    return run_memoro("--home", str(person.home), "--vault", str(person.vault), *arguments)


def test_the_command_names_the_lines_that_a_mute_covers_and_not_only_those_that_were_given(person: Person) -> None:
    crane = "The crane of the dock turns once an hour."
    (person.vault / "dock.md").write_text(f"# Dock\n\n{crane}\n\nThe staging server of heron listens on port 8080.\n")
    (person.vault / "notes.md").unlink()
    with person.opened() as m:
        m.sync()
        [item] = [one for one in m.recall(QUESTION).items if one.path == "dock.md"]
        cut = item._replace(text=item.text.splitlines()[-1], start_line=5)
        m.sessions.start(SESSION)
        m.sessions.record(recalled(QUESTION, cut), SESSION)
    shown = run(person, "wrong", "The port is 8443.", "--session", SESSION).out
    assert "muted: dock.md:1-5, the whole passage. Your note says otherwise" in shown
    assert "Correct it there, too." in shown


def test_nobody_is_asked_to_correct_the_log_of_an_agent(person: Person) -> None:
    (person.vault / "notes.md").unlink()
    person.logged(QUESTION, "The staging server of heron listens on port 8080.", session="s0")
    with person.opened() as m:
        m.sync()
        assert "8080" in person.asks(m, QUESTION) and "8080" in person.asks(m, QUESTION, "s2")
    shown = run(person, "wrong", "The port is 8443.", "--session", SESSION).out
    assert "muted: @claude/-w/s0.jsonl:1" in shown
    assert "orrect it" not in shown
    unsaid = run(person, "wrong", "No.", "--session", "s2").out
    assert "given from @claude/-w/s0.jsonl:1. To mute it, run `memoro given wrong " in unsaid


def test_the_command_says_what_each_undo_reverts(person: Person) -> None:
    with person.opened() as m:
        given_memory(m, person)
    first = run(person, "wrong", "The port is 8443.", "--session", SESSION).out
    since = first.partition("--since ")[2].partition("`")[0]
    assert f"`memoro undo --by feedback --since {since}` reverts it and all feedback after it." in first
    before = (person.corrections, person.day)
    run(person, "wrong", "The port is 9443.", "--session", SESSION)
    assert run(person, "undo").code == 0
    assert (person.corrections, person.day) == before
    run(person, "wrong", "The port is 9443.", "--session", SESSION)
    run(person, "undo", "--by", "feedback", "--since", since)
    assert person.day == ""


@pytest.mark.parametrize("name", ["wrong", "good"])
def test_an_empty_note_is_refused_and_none_marks_the_answer(name: str, person: Person) -> None:
    with person.opened() as m:
        given_memory(m, person)
    for empty in ("", "  "):
        refused = run(person, name, empty, "--session", SESSION)
        assert (refused.code, refused.out) == (2, "")
        assert "The note is empty, so nothing was marked. Write one, or leave it out." in refused.err
    assert not (person.vault / "feedback").exists()
    assert run(person, name, "--session", SESSION).code == 0
