"""What a person's message brings unasked: an answer with its question, true now, little, or nothing."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.model.recall import Recalled
from memoro.model.tokens import tokens
from memoro.recall.request import RecallRequest
from memoro.serve.services import ServiceContext
from memoro.serve.warm_up import warm_up
from memoro.unasked.judging import ECHOES, OTHER_PERSON
from tests.conftest import Memoro, times, write_vault
from tests.kept_reports import KeptReports

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
SECRET = "ghp_" + "a1B2" * 9
Said = tuple[str, str]  # a person's message, and the answer

PORT: list[Said] = [
    ("which port does the tide gauge report to?", "The tide gauge reports to port 7621, because 7620 is the buoy's."),
    ("ok", "Anything else?"),
]
MOVED: list[Said] = [
    ("move the tide gauge from port 7621 to port 7733 please", "Done, the tide gauge uses 7733 now.")
]
TALK: list[Said] = [
    (
        "how do we calibrate the salinity probe?",
        "Rinse the probe, then dip it into the 35 PSU standard for a minute.",
    ),
    ("what colour is the mast of the survey boat?", "I do not know. What colour is it?"),
    ("thanks", "You're welcome."),
]


class Person:
    """A person with a vault, a project, and conversations about it in the format of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.me, self.home, self.vault = folder / "me", folder / "home", folder / "vault"
        self.home.mkdir(mode=0o700, parents=True)
        self.set('[transcripts]\nfolders = ["claude"]\n')
        write_vault(self.vault, {"Garden.md": "# Garden\n\nTomatoes want sun.\n"})
        self.recalls = 0

    def set(self, settings: str) -> None:
        (self.home / "memoro.toml").write_text(settings)

    def folder(self, project: str) -> Path:
        found = self.me / "src" / project
        found.mkdir(parents=True, exist_ok=True)
        return found

    def log(self, session: str, said: Sequence[Said], *, days_ago: int = 5, project: str = "gauge") -> Path:
        file = self.me / ".claude" / "projects" / f"-{project}" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, text in enumerate(text for pair in said for text in pair):
            at = (NOW - timedelta(days=days_ago) + timedelta(minutes=number)).isoformat().replace("+00:00", ".000Z")
            side = "assistant" if number % 2 else "user"
            content: object = [{"type": "text", "text": text}] if number % 2 else text
            about = {"uuid": f"{session}-{number}", "sessionId": session, "timestamp": at}
            message = {"role": side, "id": f"{session}m{number}", "content": content}
            lines.append({"type": side, **about, "cwd": str(self.folder(project)), "message": message})
        file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        return file

    def opened(self) -> memoro.Workspace:
        return memoro.open(self.home, self.vault, agent="claude-code", clock=lambda: NOW)

    def hook(self, name: str, session: str = "now", project: str = "gauge", **more: object) -> str:
        """What the hook gives for an event; empty: nothing."""
        about = {"session_id": session, "transcript_path": "", "cwd": str(self.folder(project))}
        with self.opened() as m:
            made = hooks.answer("claude", {**about, "hook_event_name": name, **more}, m)
        if made is None:
            return ""
        told = made["hookSpecificOutput"]
        assert isinstance(told, dict)
        return str(told["additionalContext"])

    def says(self, message: str, session: str = "now", project: str = "gauge") -> str:
        return self.hook("UserPromptSubmit", session, project, prompt=message)

    def recorded(self, session: str = "now") -> list[Recalled]:
        with self.opened() as m:
            return [one.recalled for one in m.sessions.show(session).recalls]


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    made = Person(tmp_path)
    monkeypatch.setenv("HOME", str(made.me))
    for name in ("CLAUDE_CONFIG_DIR", "MEMORO_HOME", "MEMORO_VAULT", "MEMORO_AGENT", "MEMORO_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    return made


def test_an_answer_is_given_with_the_question_it_answers(person: Person) -> None:
    person.log("s1", PORT)
    person.log("s2", TALK)
    block = person.says("what port is the tide gauge on?")
    assert "User: which port does the tide gauge report to?" in block
    assert "Assistant: The tide gauge reports to port 7621" in block
    assert "salinity" not in block and "Tomatoes" not in block
    [recalled] = person.recorded()
    assert recalled.decision.startswith("a question")
    assert all(item.why for item in recalled.items)
    with person.opened() as m:
        assert "7621" in m.get(recalled.items[0].id, around=2, scope="all").text, "an id is what `get` accepts"


def test_a_question_that_was_never_answered_is_not_given(person: Person) -> None:
    person.log("s1", TALK)
    assert "mast" not in person.says("what colour is the mast of the survey boat?")
    [recalled] = person.recorded()
    assert "only asks" in {one.why for one in recalled.left_out}


BUCKET: Said = ("the survey uploads a file of 70 MB. Does that work?", "I see.")


def test_the_message_itself_is_not_given_where_nobody_answered_it(person: Person) -> None:
    person.log("big", [BUCKET, ("thanks", "You are welcome.")])
    assert person.says(BUCKET[0]) == ""
    assert any(one.why == ECHOES for one in person.recorded()[0].left_out)


def test_of_what_nobody_answered_only_the_statement_is_given(person: Person) -> None:
    person.log("big", [BUCKET, ("thanks", "You are welcome.")])
    given = person.says("how big is the file that the survey uploads?")
    assert "70 MB" in given and "Does that work" not in given


def test_a_statement_answers_a_question_of_the_same_words(person: Person) -> None:
    person.log("big", [("the gateway of the survey reports to port 7621", "I see."), ("thanks", "You are welcome.")])
    assert "7621" in person.says("does the gateway of the survey report to port 7621?")


PETRA = """# Petra Holm

Product owner of the tide station. Prefers a short summary over a call. Allergic to nuts. Her dog is called Bosse.
"""


@pytest.mark.parametrize("message", ["is Nora allergic to something?", "What is the dog of Nora called?"])
def test_a_note_about_another_person_is_no_answer_to_a_question_about_a_named_one(
    person: Person, message: str
) -> None:
    write_vault(person.vault, {"People/petra-holm.md": PETRA})
    assert person.says(message) == ""
    assert any(one.why == OTHER_PERSON for one in person.recorded()[0].left_out)


@pytest.mark.parametrize(
    "message",
    [
        "is Petra allergic to something?",
        "what is the dog of Petra Holm called?",
        "who is the product owner of the Gauge?",  # the project itself, which nobody needs to name in its notes
        "who is allergic to nuts?",
        "is Nora allergic to nuts as well as Petra?",
    ],
)
def test_a_note_about_a_person_answers_a_question_about_them_and_one_that_names_nobody(
    person: Person, message: str
) -> None:
    write_vault(person.vault, {"People/petra-holm.md": PETRA})
    person.log("talk", PORT)
    assert "Product owner" in person.says(message)


def test_a_note_about_a_person_answers_a_question_about_another_one_that_it_names(person: Person) -> None:
    write_vault(person.vault, {"People/petra-holm.md": f"{PETRA}Shares the nuts-free desk with Nora, on floor 3.\n"})
    assert "floor 3" in person.says("on which floor is the desk of Nora?")


FACTS = """# Gauge

## Facts

- The API listens on port 8080 in staging.
- Invoices are stored in the bucket gauge-invoices.
- The OCR worker has a timeout of 45 seconds.
"""


def test_a_point_of_a_list_that_has_nothing_to_do_with_the_message_does_not_come_with_its_answer(
    person: Person,
) -> None:
    write_vault(person.vault, {"Projects/gauge.md": FACTS})
    given = person.says("which bucket holds the invoices?")
    assert "gauge-invoices" in given and "8080" not in given and "45 seconds" not in given
    assert "8080" in person.says("on which port does the API listen in staging?")


def test_what_changed_later_comes_first_and_what_it_replaced_does_not_stand_alone(person: Person) -> None:
    person.log("s1", PORT, days_ago=9)
    person.log("s2", MOVED, days_ago=3)
    block = person.says("which port does the tide gauge report to?")
    assert "7733" in block
    assert "reports to port 7621" not in block or block.index("7733") < block.index("reports to port 7621")


def test_an_old_statement_is_not_given_once_the_conversation_holds_its_change(person: Person) -> None:
    person.log("s1", PORT, days_ago=9)
    person.log("s2", MOVED, days_ago=3)
    asked = ("which port does the tide gauge report to?", "what port is the tide gauge on?", "tide gauge port?")
    blocks = [person.says(message) for message in asked]
    assert "7733" in blocks[0]
    assert not any("reports to port 7621" in block for block in blocks[1:])


def test_what_was_given_is_not_also_left_out(person: Person) -> None:
    person.log("s1", [("how often is the winch greased?", "The winch is greased every 40 hours.")], days_ago=9)
    person.log(
        "s2", [("from now on 30 hours for the winch, whatever the manual of the maker says", "Ok.")], days_ago=3
    )
    person.says("how often is the winch greased?")
    [recalled] = person.recorded()
    assert recalled.items[0].why == "says what became of it"
    given = {passage for item in recalled.items for passage in (item.id, *item.passages)}
    assert not given & {one.id for one in recalled.left_out}


def test_items_are_given_newest_first(person: Person) -> None:
    person.log("s1", [("how often do we grease the winch?", "The winch is greased every 40 hours.")], days_ago=9)
    person.log("s2", [("which grease goes on the winch?", "Lithium grease goes on the winch.")], days_ago=2)
    person.says("how do we grease the winch, with which grease?")
    [recalled] = person.recorded()
    dates = [item.date for item in recalled.items]
    assert dates and dates == sorted(dates, key=str, reverse=True)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("ok", "silent: an acknowledgement"),
        ("hi!", "silent: a greeting"),
        ("commit", "silent: a command for the conversation itself"),
        ("/compact", "silent: a command of the host"),
        ("👍", "silent: no words"),
    ],
)
def test_an_acknowledgement_brings_nothing_and_the_record_says_why(person: Person, message: str, why: str) -> None:
    person.log("s1", [("ok", "tide gauge"), ("hi", "hello"), ("commit", "committed")])
    assert person.says(message) == ""
    [recalled] = person.recorded()
    assert (recalled.decision, recalled.items, recalled.tokens) == (why, (), 0)


def test_a_topic_of_which_nothing_is_known_brings_nothing(person: Person) -> None:
    person.log("s1", PORT)
    person.log("s2", TALK)
    assert person.says("which typeface suits a wedding invitation?") == ""
    assert person.recorded()[0].decision.startswith("silent: a question, and nothing stored")


def test_the_first_message_and_a_later_one_are_judged_alike(person: Person) -> None:
    person.log("s1", PORT)
    person.log("s2", TALK)
    asked = "how is the salinity probe calibrated?"
    person.says(asked, "first")
    person.says("what port is the tide gauge on?", "later")
    person.says(asked, "later")
    first, later = person.recorded("first")[0], person.recorded("later")[1]
    assert first.items and [one.text for one in first.items] == [one.text for one in later.items]
    assert first.form == later.form == "proactive"


def test_nothing_is_given_twice_but_again_after_a_compaction(person: Person) -> None:
    person.log("s1", PORT)
    asked = "what port is the tide gauge on?"
    assert "7621" in person.says(asked)
    assert "7621" not in person.says(asked)
    assert "already given in this conversation" in {one.why for one in person.recorded()[1].left_out}
    person.hook("SessionStart", source="compact")
    assert "7621" in person.says(asked)


FERN = """# Fern

Dashboard for the telemetry of delivery vans. TypeScript, React, Vite. Repository `~/src/gauge`.

- The dev server runs on port 5173, the telemetry gateway on port 7070.
- Maps come from MapLibre; tiles from our own server tiles.brightwater.example.
- Vans report every 15 seconds; a van is "silent" after 90 seconds.
- State is in Zustand. We dropped Redux in August because of the boilerplate.
- Designer: Linnea Sund. She wants all colours from the token file `src/tokens.css`.
- Customer: Norrfrakt, 340 vans. Contract ends 2027-03-31.
"""
GATEWAY, DESIGNER = "on which port is the gateway?", "Who is the designer and what does she want?"


def test_a_line_that_was_left_out_of_a_note_is_given_when_it_is_asked_for(person: Person) -> None:
    write_vault(person.vault, {"Projects/gauge.md": FERN})
    assert "Linnea" not in person.says(GATEWAY)
    assert "Linnea Sund" in person.says(DESIGNER)
    [item] = person.recorded()[1].items
    assert "7070" not in item.text and item.start_line <= 9 <= item.end_line
    assert item.start_line > 5 and item.id == person.recorded()[0].items[0].id
    assert person.says(GATEWAY) == "" == person.says(DESIGNER)
    assert "already given in this conversation" in person.recorded()[-1].decision


def test_what_was_left_out_of_a_long_answer_is_given_when_it_is_asked_for(person: Person) -> None:
    mast = "The survey boat carries a carbon mast of eleven metres, which Hedda painted in yellow."
    winch = "Its winch lifts at most 250 kilograms and takes oil of the grade ISO 46."
    others = " ".join(f"Remark {n} is about sails, ropes and the harbour of town {n}." for n in range(12))
    person.log("boat", [("tell me about the boat", f"{mast} {others} {winch}"), ("thanks", "You are welcome.")])
    first = person.says("who painted the mast of the survey boat?")
    assert "Hedda" in first and "ISO 46" not in first
    assert "ISO 46" in person.says("which oil does the winch take?")
    assert person.says("who painted the mast of the survey boat?") == ""


def test_a_note_that_was_given_in_part_is_given_whole_to_who_asks_for_it(person: Person) -> None:
    write_vault(person.vault, {"Projects/gauge.md": FERN})
    with person.opened() as m:
        m.recall(GATEWAY, session="asked", proactive=True)
        asked = m.recall(DESIGNER, session="asked", proactive=False)
        assert "Linnea Sund" in asked.block
        again = m.recall(DESIGNER, session="asked", proactive=False)
        assert "Linnea Sund" not in again.block


def test_the_line_of_a_day_does_not_bring_again_what_its_conversation_brought(person: Person) -> None:
    person.log("s1", PORT[:1])
    told = "- 09:31 The tide gauge reports to port 7621, because 7620 is the buoy's. #project/gauge\n"
    write_vault(person.vault, {"daily/2026-11-12.md": f"# 2026-11-12\n\n{told}"})
    asked = "what port is the tide gauge on?"
    assert "7621" in person.says(asked)
    assert "7621" not in person.says("and the port of the tide gauge again, which is it?")


DARK_MODE = [
    (
        "Dark mode for the dispatchers: follow the system with prefers-color-scheme, or a toggle?",
        "A toggle works for shared tablets, the system setting does not, because all dispatchers share one account.",
    ),
    ("A toggle then, in the header, stored in localStorage.", "I added the toggle in src/Header.tsx."),
]


@pytest.mark.parametrize("days_ago", [0, 1, 3])
def test_a_line_of_a_diary_is_given_beside_a_conversation_that_does_not_say_it(person: Person, days_ago: int) -> None:
    person.log("s1", DARK_MODE, days_ago=1)
    day = NOW.date() - timedelta(days=days_ago)
    asks = "- Gauge: Norrfrakt asks for a dark mode for the night dispatchers, by 15 January.\n"
    write_vault(
        person.vault, {f"Journal/{day}.md": f"# {day}\n\n- Long retro. I regret it.\n{asks}- Ordered fondant.\n"}
    )
    assert "15 January" in person.says("by when does Norrfrakt want the dark mode?")


def test_a_line_of_a_diary_that_a_conversation_says_too_is_not_given_beside_it(person: Person) -> None:
    person.log("s1", PORT[:1], days_ago=1)
    told = "- Gauge: the tide gauge reports to port 7621, 7620 is the buoy's.\n"
    write_vault(person.vault, {"Journal/2026-11-11.md": f"# 2026-11-11\n\n{told}"})
    person.says("what port is the tide gauge on?")
    assert [one.path for one in person.recorded()[0].items if one.tier == "daily"] == []


def test_a_conversation_is_not_given_its_own_words(person: Person) -> None:
    file = person.log("now", PORT)
    asked = {"prompt": "what port is the tide gauge on?", "transcript_path": str(file)}
    assert "7621" not in person.hook("UserPromptSubmit", **asked)


def test_nothing_of_another_project_is_given_even_as_what_was_said_later(person: Person) -> None:
    person.log("s1", PORT, days_ago=9)
    person.log("s2", MOVED, days_ago=3, project="other")
    block = person.says("which port does the tide gauge report to?")
    assert "7621" in block and "7733" not in block


def test_a_long_answer_is_cut_to_the_sentences_that_matter(person: Person) -> None:
    filler = " ".join(f"The cable on drum {n} is neither old nor new." for n in range(60))
    person.log("s1", [("tell me about the sonde", f"{filler} The sonde is lowered at 0.5 metres a second. {filler}")])
    block = person.says("how fast is the sonde lowered?")
    assert "0.5 metres a second" in block and "…" in block
    [recalled] = person.recorded()
    assert recalled.tokens < 350 and tokens(block) == recalled.tokens


def test_an_answer_of_code_alone_is_given(person: Person) -> None:
    code = "```sh\n" + "\n".join(f"pg_dump tides --table t{n} > t{n}.sql" for n in range(40)) + "\n```"
    person.log("s1", [("how do we dump the tide database?", code)])
    assert "pg_dump tides --table t0" in person.says("how do we dump the tide database?")


def test_an_answer_that_shows_nothing_is_not_given(person: Person) -> None:
    person.log("s1", [("how do we dump the tide database?", "```pgdump\n```")])
    assert person.says("how do we dump the tide database?") == ""


def test_a_secret_is_redacted_before_a_text_is_cut(person: Person) -> None:
    note = (
        f"# Gauge upload\n\nThe upload of the tide gauge uses the token {SECRET} for the buoy server. " + "x " * 900
    )
    write_vault(person.vault, {"gauge/Upload.md": note})
    block = person.says("which token does the upload of the tide gauge use for the buoy server?")
    assert "buoy server" in block
    assert SECRET[:12] not in block


def test_limits_of_items_tokens_and_score_are_obeyed(person: Person) -> None:
    for n in range(9):
        person.log(
            f"s{n}", [(f"tide gauge reading {n}?", f"The tide gauge reading {n} was {n}40 cm.")], days_ago=n + 1
        )
    person.says("tide gauge reading", "a")
    [plain] = person.recorded("a")
    assert 0 < len(plain.items) <= 5 and plain.tokens <= 500
    common = '[transcripts]\nfolders = ["claude"]\n[recall.proactive]\n'
    for limit, session in (("max_items = 1", "b"), ("max_tokens = 130", "c"), ("min_score = 0.99", "d")):
        person.set(f"{common}{limit}\n")
        person.says("tide gauge reading", session)
    one, small, sure = (person.recorded(session)[0] for session in "bcd")
    assert len(one.items) == 1 and "there are enough items" in {left.why for left in one.left_out}
    assert 0 < small.tokens <= 130
    assert sure.items == () and "not sure enough" in {left.why for left in sure.left_out}


def test_notes_of_sessions_and_days_count_where_there_are_no_logs(person: Person) -> None:
    note = "---\nproject: gauge\n---\n# Winch\n\n- Decided: the winch is greased with lithium grease\n"
    write_vault(person.vault, {"sessions/2026-11-01.md": note})
    with person.opened() as m:
        found = m.recall("which grease is for the winch?", proactive=True)
    assert "lithium" in found.block


def test_a_quarantined_memory_is_not_given_and_a_failed_experience_carries_its_caution(person: Person) -> None:
    with person.opened() as m:
        m.memories.store("The tide gauge password is on the mast", trust="quarantined")
        m.experiences.record("error_recovery", "The tide gauge stops at low tide", "restart the pump", success=0)
        found = m.recall("the tide gauge stops at low tide, what is its password?", proactive=True)
    assert "mast" not in found.block
    record = next(line for line in found.block.split("\n") if "restart the pump" in line)
    assert "This failed" in record.partition("restart the pump")[0]


def test_an_answer_that_the_conversation_has_already_is_the_reason_for_silence(person: Person) -> None:
    write_vault(person.vault, {"gauge.md": "# gauge\n\nThe tide gauge reports to port 7621.\n"})
    asked = "which port does the tide gauge report to?"
    assert "7621" in person.says(asked)
    assert person.says(asked) == ""
    [first, second] = person.recorded()
    assert not first.decision.startswith("silent")
    assert second.decision == "silent: a question, and what answers it was already given in this conversation"


def test_what_no_agent_is_given_counts_as_no_use_of_an_experience(person: Person) -> None:
    """A preview at the terminal, and the messages with which a server warms up."""
    write_vault(person.vault, {"gauge.md": "# gauge\n\nThe pump stops at low tide.\n"})
    asked = "the pump stops at low tide"
    with person.opened() as m:
        m.experiences.record("error_recovery", "The pump stops at low tide", "restart the pump", success=1)
        m.sync()
        assert "restart the pump" in m.recaller.recall(RecallRequest(asked, proactive=True, is_preview=True)).block
        warm_up(ServiceContext(m, threading.Event(), KeptReports()))
        gc.unfreeze()
        assert m.experiences.get(1).uses == 0
        assert "restart the pump" in m.recall(asked, proactive=True).block
        assert m.experiences.get(1).uses == 1


def test_without_vectors_words_decide(person: Person) -> None:
    person.log("s1", PORT)
    person.log("s2", TALK)
    person.set('[transcripts]\nfolders = ["claude"]\n[embedding]\nenabled = false\n')
    block = person.says("what port does the tide gauge report to?")
    assert "port 7621" in block and "salinity" not in block
    assert person.says("which typeface suits a wedding invitation?") == ""
    assert person.says("write me a poem about the tide", "other") == "", "anybody can do that"
    assert person.recorded()[0].items[0].why


def test_a_weighted_sum_of_words_and_meaning_decides_where_it_is_set(person: Person) -> None:
    person.log("s1", PORT)
    person.set('[transcripts]\nfolders = ["claude"]\n[query]\nfusion = "weighted"\n')
    assert "7621" in person.says("which port does the tide gauge report to?")


def test_what_is_not_asked_for_is_the_same_by_every_way(person: Person) -> None:
    write_vault(person.vault, {"gauge.md": "# gauge\n\nThe tide gauge reports to port 7621.\n"})
    asked = "which port does the tide gauge report to?"
    with person.opened() as m:
        by_library = m.recall(asked, proactive=True)
        silent = m.recall("ok thanks", proactive=True)
    assert by_library.decision.startswith("a question") and by_library.form == "proactive"
    assert (silent.items, silent.decision) == ((), "silent: an acknowledgement")
    assert [one.text for one in by_library.items] and "7621" in person.says(asked)


def test_a_command_tells_what_an_agent_would_be_given_and_why(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"gauge.md": "# gauge\n\nThe tide gauge reports to port 7621.\n"})
    asked = memoro("recall", "--proactive", "--json", "which port does the tide gauge report to?")
    assert asked.json["decision"].startswith("a question") and asked.json["items"][0]["why"]
    silent = memoro("recall", "--proactive", "--json", "ok thanks")
    assert (silent.code, silent.json["decision"]) == (1, "silent: an acknowledgement")
    session = memoro("recall", "--proactive", "--session", "s1", "ok thanks")
    assert session.out == ""
    assert "silent: an acknowledgement" in memoro("session", "show", "s1").out


ODD: list[Said] = [
    ("show me the winch macro", "```py\n" + "\n".join(f"winch.turn({n})" for n in range(30)) + "\n```"),
    ("wind limit?", "- 12 knots for the winch\n- 18 knots for the crane\n\n1. wait\n2. look again"),
    ("Wie oft wird der Kran geprüft?", "Der Kran wird alle 14 Tage geprüft. Davor alle 30 Tage."),
    ("起重机的风速限制是多少？", "起重机的风速限制是18节。绞车是12节。"),
    ("actually make the crane limit 15 knots", "Ok. Should the winch stay at 12 knots?"),
    ("?", "…"),
    ("which rope for the buoy and the crane, and since when? " * 12, "The buoy rope is 16 mm. " * 40),
]
SPOKEN = """
    winch crane knots limit wind buoy rope tide gauge port which what how often why when who the is for Kran geprüft
    oft 起重机 风速 actually move 12 18 7621 show me add a page explain salinity mast ? . , error:
"""


def test_whatever_is_said_little_or_nothing_is_given_and_never_a_bare_question(person: Person) -> None:
    for number, talk in enumerate((ODD, PORT, TALK, MOVED)):
        person.log(f"s{number}", talk, days_ago=9 - number)
    write_vault(
        person.vault, {"gauge/Crane.md": "# Crane\n\n## Limits\n\n## Rope\n\nIs it 16 mm? Ask.\n", "x.md": "?"}
    )
    asked = {turn for talk in (ODD, PORT, TALK, MOVED) for turn, _ in talk if turn.endswith("?")}
    with person.opened() as m:

        @given(st.lists(st.sampled_from(SPOKEN.split()), max_size=9).map(" ".join) | st.text(max_size=40))
        @example("X")  # the name of a note that only asks
        @settings(max_examples=times(25, 600))
        def holds(message: str) -> None:
            found = m.recall(message, proactive=True)
            assert len(found.items) <= 5 and found.tokens <= 500
            assert found.decision and bool(found.items) != found.decision.startswith("silent")
            for item in found.items:
                assert item.text.strip() and item.why and 0 < item.score <= 1
                assert item.text.removeprefix("User: ").strip() not in asked
                assert item.text.strip() != message.strip()

        holds()
