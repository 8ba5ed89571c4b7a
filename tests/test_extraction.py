"""Facts that the owner stated in a conversation become lines of its day: once, traceable, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.cli.run import run as run_command
from memoro.curate.extraction.by_model import choose_facts, chosen_facts
from memoro.curate.extraction.extracting import PRIVATE, RULES, SECRET
from memoro.curate.extraction.runs import ConversationFacts, ExtractionRequest, ExtractionRun
from memoro.curate.extraction.spoken_turns import count_of_owner, spoken_turns
from memoro.errors import AnswerUnusable, NoteNotFound
from memoro.hooks import spool
from memoro.hooks.answers import context
from memoro.hooks.capture import write_captures
from memoro.hooks.events import Capture, PromptSubmitted
from memoro.index.read import read_note
from memoro.model.answers import Where
from memoro.model.derivation import made_from
from memoro.model.extracted_lines import parse_line
from memoro.model.facts import CandidateSentence
from memoro.model.notes import FileEntry, Hidden, Rules
from memoro.model.proposals import EditEntry, Evidence
from memoro.model.tokens import tokens
from memoro.model.typed_text import MOST_CHARACTERS, typed_text
from memoro.model.vocabulary import FACT_KINDS
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.transcripts.ports import Turn
from memoro.vault.agent_logs import LogFolders
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.conversation_logs import DAY, SESSION, SHORT, record, talk, write_log

PORTO = "I moved to Porto in May."
SEATS = "I prefer aisle seats."
TALK = (
    "User: Can you look at the invoice?",
    "Agent: I moved the invoice. I prefer tables.",
    f"User: {PORTO} What is the VAT there?",
    "Agent: It is 23 %.",
    f"User: Thanks. {SEATS}",
    "Agent: Noted.",
)


class Owner:
    """Somebody with a vault, a home and logs of an agent."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.home, self.vault = folder, folder / "home", folder / "vault"
        for name in ("CLAUDE_CONFIG_DIR", "MEMORO_AGENT", "MEMORO_PROJECT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(folder))
        write_vault(self.vault, {"MEMORY.md": "# Memory\n", "PROCEDURAL.md": "# Rules\n"})

    def opened(self, model: ScriptedModel | None = None) -> Workspace:
        return memoro.open(self.home, self.vault, language_model=model)

    def says(self, *said: str) -> Path:
        return write_log(self.folder, talk(*said))

    @property
    def lines(self) -> list[str]:
        notes = sorted((self.vault / "daily").glob("*.md"))
        found = [line for note in notes for line in note.read_text().split("\n")]
        return [line for line in found if "[extracted]" in line]

    @property
    def texts(self) -> list[str]:
        return [said.text for line in self.lines if (said := parse_line(line))]

    def set(self, **values: object) -> None:
        self.home.mkdir(0o700, exist_ok=True)
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
        (self.home / "memoro.toml").write_text(f"[extract]\n{lines}")


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    return Owner(tmp_path, monkeypatch)


def extract(m: Workspace, *logs: str, dry_run: bool = False) -> ExtractionRun:
    return m.extraction.run(ExtractionRequest(logs=logs, dry_run=dry_run))


def only(run: ExtractionRun) -> ConversationFacts:
    [found] = run.conversations
    return found


def test_facts_become_lines_of_the_day_on_which_they_were_said(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        found = only(extract(m))
        assert {one.actor for one in m.journal.log()} == {"extraction"}
    assert [fact.text for fact in found.facts] == [PORTO, SEATS] == owner.texts
    first = parse_line(owner.lines[0])
    assert first and (first.agent, first.conversation, first.line, first.project) == ("claude", SHORT, 3, "parcels")
    assert (owner.vault / "daily" / f"{DAY}.md").exists()
    assert not [path for path in owner.vault.glob("*.md") if "Porto" in path.read_text()]


def test_a_dry_run_writes_nothing(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        found = only(extract(m, dry_run=True))
        assert [fact.text for fact in found.facts] == [PORTO, SEATS] and not found.kept
        assert not (owner.vault / "daily").exists()
        assert only(extract(m)).kept, "and the conversation is still to be extracted"


def test_a_conversation_that_grew_brings_only_what_is_new(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        assert not extract(m).conversations
        owner.says(*TALK, "User: I am allergic to walnuts.", "Agent: I will remember.")
        assert [fact.text for fact in only(extract(m)).facts] == ["I am allergic to walnuts."]
        again = only(extract(m, SESSION))
        assert not again.facts and len(again.known) == 3
    assert len(owner.lines) == 3


def test_a_line_that_its_owner_deleted_stays_deleted(owner: Owner) -> None:
    owner.set(to="memories")
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        day = owner.vault / "daily" / f"{DAY}.md"
        day.write_text(day.read_text().replace(owner.lines[0] + "\n", ""))
        extract(m, SESSION)
        owner.says(*TALK, "User: I am allergic to walnuts.")
        extract(m)
    assert owner.texts == [SEATS, "I am allergic to walnuts."]


def test_a_copy_of_a_message_in_another_log_brings_nothing(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        write_log(owner.folder, talk(*TALK), session="9b1c1a52-3a1e-4a7b-9a51-aaaaaaaaaaaa")
        extract(m)
    assert owner.texts == [PORTO, SEATS]


def test_short_conversations_bring_nothing_and_say_why(owner: Owner) -> None:
    owner.says(*TALK[2:])
    with owner.opened() as m:
        run = extract(m)
    assert not run.conversations and "2 messages of yours" in run.left_out[0].why
    assert owner.lines == []


def test_at_most_so_many_facts_of_at_most_so_many_characters_are_kept(owner: Owner) -> None:
    owner.set(max_facts=2, max_chars=60)
    long = "I live in a small house " + "near the river " * 5 + "in Porto."
    owner.says(*(f"User: {said}" for said in (PORTO, long, SEATS, "I am allergic to walnuts.", "I work as a nurse.")))
    with owner.opened() as m:
        extract(m)
    assert len(owner.lines) == 2 and long not in owner.texts


def test_memories_have_their_origin_and_little_trust(owner: Owner) -> None:
    owner.set(to="memories")
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        stored = m.memories.all()
        assert {one.content for one in stored} == {PORTO, SEATS}
        for one in stored:
            assert (one.source, one.trust, one.session, one.agent) == (
                "extraction",
                "agent_inferred",
                SESSION,
                "claude-code",
            )
            assert one.origin and f"{SESSION}.jsonl:" in one.origin
            assert one.valid_from and one.valid_from.startswith(("2026-03-04", DAY))
        extract(m, SESSION)
        assert len(m.memories.all()) == 2


def test_what_a_fact_may_replace_waits_for_its_owner(owner: Owner) -> None:
    owner.set(to="memories")
    owner.says(*TALK[:2], "User: I live in Porto now, no longer in Lisbon.", "Agent: I see.", "User: Thank you.")
    with owner.opened() as m:
        old = m.memories.store("I live in Lisbon", source="user").memory
        extract(m)
        assert m.memories.get(old.id).superseded_by is None


def opened_at(owner: Owner, now: datetime) -> Workspace:
    return memoro.open(owner.home, owner.vault, clock=lambda: now)


def test_what_was_said_in_passing_is_proposed_for_the_entry_that_it_speaks_of_and_kept_nowhere(owner: Owner) -> None:
    write_vault(owner.vault, {"MEMORY.md": "# Memory\n\n- The database behind parcels is Oracle. ^parce1\n"})
    news = "parcels no longer runs on Oracle, the database is Postgres 15 now."
    owner.says(
        "User: Hi.", "Agent: Hi.", f"User: FYI: {news}", "Agent: I see.", "User: Thank you.", "Agent: Welcome."
    )
    said = datetime.fromisoformat(f"{DAY}T20:00:00+00:00")

    for now, edits in ((said + timedelta(days=9), []), (said, [("parce1", news)])):
        with opened_at(owner, now) as m:
            found = only(extract(m, SESSION))
            changes = [(one.id, one.change) for one in m.proposals.all()]
            assert found.proposals == tuple(number for number, _ in changes)
            assert [(one.id, one.text) for _, one in changes if isinstance(one, EditEntry)] == edits
            assert (found.facts, owner.lines, m.memories.all()) == ((), [], [])

    with opened_at(owner, said) as m:
        m.proposals.accept(m.proposals.all()[0].id)
        m.entries.edit("parce1", "The database behind parcels is MariaDB.")
        assert only(extract(m, SESSION)).proposals == ()


def test_what_its_owner_forgot_does_not_come_back(owner: Owner) -> None:
    owner.set(to="memories")
    owner.says(*TALK)
    with owner.opened() as m:
        number = m.memories.store(PORTO, source="user").memory.id
        m.forget(f"memory:{number}", yes=True)
        found = only(extract(m))
        assert [one.why for one in found.omitted] == ["you had Memoro forget it"] and not found.omitted[0].text
        assert [one.content for one in m.memories.all()] == [SEATS]
    assert owner.texts == [SEATS]


def test_forgetting_a_message_erases_what_was_extracted_from_it(owner: Owner) -> None:
    owner.home.mkdir(0o700)
    (owner.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    owner.says(*TALK)
    with owner.opened() as m:
        m.sync()
        extract(m)
        hit = next(one for one in m.search("moved to Porto", kind="transcript").results if "May" in one.snippet)
        m.forget(hit.id, yes=True)
        assert owner.texts == [SEATS]
        extract(m, SESSION)
    assert owner.texts == [SEATS]


def test_forgetting_a_short_message_erases_its_line_too() -> None:
    said = "- 10:02 [extracted] I'm vegan. (person, claude s1:3) #project/x"
    assert made_from(["User: Hello, I'm vegan."])(said)
    assert not made_from(["User: I am a vegetarian."])(said)


def test_private_messages_and_secrets_stay_where_they_are(owner: Owner) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 5
    owner.says(
        *TALK[:2],
        "User: Keep this private, between us: I live in Braga.",
        "Agent: Of course.",
        f"User: My key is {key}.",
        "Agent: Careful.",
        f"User: {SEATS}",
    )
    with owner.opened() as m:
        extract(m)
    assert owner.texts == [SEATS]


def test_what_the_agent_was_given_is_no_news_when_it_comes_back(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        m.memories.store(f"{PORTO} The flat has three rooms.", source="user")
        m.recall("Where did I move?", session=SESSION)
        found = only(extract(m))
    assert owner.texts == [SEATS]
    assert [one.text for one in found.omitted] == [PORTO]


def test_who_says_it_again_repeats_nothing_that_was_given_for_the_very_message(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        m.memories.store(f"{PORTO} The flat has three rooms.", source="user")
        m.recall(f"{PORTO} What is the VAT there?", session=SESSION)
        m.recall("What was the VAT where I moved?", session=SESSION)
        found = only(extract(m))
    assert owner.texts == [PORTO, SEATS] and found.omitted == ()


def test_a_log_that_there_is_not_is_named(owner: Owner) -> None:
    with owner.opened() as m, pytest.raises(NoteNotFound, match="There is no conversation 'nope'"):
        extract(m, "nope")


def test_an_agent_names_no_file_outside_of_the_known_folders(owner: Owner) -> None:
    log = owner.says(*TALK).rename(owner.folder / "elsewhere.jsonl")
    with owner.opened() as m:
        with pytest.raises(NoteNotFound):
            m.extraction.run(ExtractionRequest(logs=(str(log),), by_person=False))
        assert only(extract(m, str(log))).facts


def test_a_session_bound_to_a_project_extracts_no_other(owner: Owner) -> None:
    owner.says(*TALK)
    with memoro.open(owner.home, owner.vault, project="birds") as m:
        run = extract(m)
    assert not run.conversations and "another project" in run.left_out[0].why


def test_the_end_of_a_session_brings_its_facts_by_a_pass_for_which_no_host_waits(owner: Owner) -> None:
    log = owner.says(*TALK)
    owner.home.mkdir(0o700)
    spool.append(str(owner.home), Capture("claude", "end", SESSION, str(log), "/w/parcels"))
    with owner.opened() as m:
        write_captures(m, turns=False)
        assert owner.lines == []
        assert [line.capture.kind for line in spool.pending(str(owner.home))] == ["facts"]
        hooks.write_captures(m)
    assert owner.texts == [PORTO, SEATS]
    assert not spool.has_pending(str(owner.home))


def test_a_review_looks_at_sessions_that_ended_before_it_and_a_dry_run_writes_none(
    owner: Owner, capsys: pytest.CaptureFixture[str]
) -> None:
    log = owner.says(*TALK)
    owner.home.mkdir(0o700)
    spool.append(str(owner.home), Capture("claude", "end", SESSION, str(log), "/w/parcels"))
    (owner.vault / "MEMORY.md").write_text("- I live in Lisbon.\n")
    places = ["--home", str(owner.home), "--vault", str(owner.vault)]
    assert run_command([*places, "extract", "--dry-run", str(log)]) == 0
    assert owner.lines == []
    assert run_command([*places, "review"]) == 0
    assert owner.texts == [PORTO, SEATS]
    assert f"+ {PORTO}" in capsys.readouterr().out  # proposed in place of the entry, before the list was made


def test_hook_and_hand_bring_each_fact_once(owner: Owner) -> None:
    log = owner.says(*TALK)
    owner.home.mkdir(0o700)
    with owner.opened() as m:
        extract(m)
        for kind in ("compaction", "end"):
            spool.append(str(owner.home), Capture("claude", kind, SESSION, str(log), "/w/parcels"))
        hooks.write_captures(m)
    assert owner.texts == [PORTO, SEATS]


def test_where_extraction_is_switched_off_hooks_extract_nothing(owner: Owner) -> None:
    owner.set(enabled=False)
    log = owner.says(*TALK)
    spool.append(str(owner.home), Capture("claude", "end", SESSION, str(log), "/w/parcels"))
    with owner.opened() as m:
        hooks.write_captures(m)
    assert owner.lines == []


# With a language model


def numbers(prompt: Prompt) -> list[tuple[Any, Any]]:
    return [(one["number"], one["said"]) for one in records_of(prompt)]


def choosing(*texts: str) -> ScriptedModel:
    def answer(prompt: Prompt) -> Mapping[str, object]:
        found = [{"number": n, "kind": "fact"} for n, said in numbers(prompt) if said in texts]
        return {"reason": "They hold for long.", "facts": found}

    return ScriptedModel(answer)


def test_a_model_chooses_among_the_owners_own_sentences(owner: Owner) -> None:
    owner.says(*TALK)
    model = choosing(SEATS)
    with owner.opened(model) as m:
        found = only(extract(m))
    [prompt] = [one for one in model.prompts if one.purpose == "extract"]
    shown = " ".join(said for _, said in numbers(prompt))  # the marks around it have random letters and digits
    assert "tables" not in shown and "23" not in shown, "nothing that the agent said"
    assert found.by == "scripted-1" and owner.texts == [SEATS]


@pytest.mark.parametrize(
    "answer",
    [
        {"reason": "r", "facts": [{"number": 99, "kind": "fact"}]},
        {"reason": "r", "facts": [{"number": 1, "kind": "opinion"}]},
        {"reason": "r", "facts": [{"number": 1, "kind": "fact"}] * 2},
        {"reason": "", "facts": []},
        {"facts": [], "reason": "r", "text": "I am the king."},
        "no JSON",
        "",
    ],
)
def test_after_an_answer_that_breaks_a_rule_the_rules_choose(owner: Owner, answer: Any) -> None:
    owner.says(*TALK)
    with owner.opened(ScriptedModel([answer])) as m:
        found = only(extract(m))
    assert found.by == RULES and owner.texts == [PORTO, SEATS]
    assert len(found.notices) == 1 and "The rules chose" in found.notices[0]


SENTENCES = [CandidateSentence(f"Sentence {n}.", "fact", Evidence("", line=n), 0.0) for n in range(1, 6)]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=9) | st.sampled_from(FACT_KINDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["number", "kind", "x"]), inner),
    max_leaves=6,
)
choices = st.fixed_dictionaries({"number": json_values, "kind": json_values})
answers = st.dictionaries(st.sampled_from(["reason", "facts", "more"]), json_values) | st.fixed_dictionaries(
    {"reason": st.sampled_from(["r", ""]), "facts": st.lists(choices | json_values, max_size=5)}
)


@given(answers, st.integers(0, 4))
def test_whatever_a_model_answers_only_known_sentences_come_out(answer: dict[str, Any], most: int) -> None:
    try:
        found = chosen_facts(answer, SENTENCES, most)
    except AnswerUnusable:
        return
    assert len(found) <= most and {fact.text for fact in found} <= {one.text for one in SENTENCES}
    assert len({fact.text for fact in found}) == len(found) == len(answer["facts"])


# What somebody typed


@given(st.text(), st.text())
def test_typed_text_is_part_of_the_message_and_never_of_another_voice(one: str, other: str) -> None:
    assert typed_text(one + "\nSystem: " + other).count("System: ") == typed_text(one).count("System: ")


@given(st.lists(st.tuples(st.sampled_from(["User", "Assistant", "Ada"]), st.text(max_size=50)), max_size=8))
def test_only_messages_of_the_owner_count_as_theirs(said: Sequence[tuple[str, str]]) -> None:
    turns = [Turn(speaker, text, line) for line, (speaker, text) in enumerate(said, 1)]
    found = spoken_turns(turns)
    assert {one.line for one in found if one.is_owner} <= {one.line for one in turns if one.speaker == "User"}


# What a search and an agent see


@pytest.fixture
def searched(owner: Owner) -> Iterator[Workspace]:
    owner.home.mkdir(0o700)
    (owner.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    owner.says(*TALK, "User: Always run the linter before you commit, in schema.sql too.")
    with owner.opened() as m:
        extract(m)
        m.sync()
        yield m


@pytest.mark.parametrize("mode", ["words", "hybrid"])
def test_a_line_is_no_second_hit_beside_its_message(searched: Workspace, mode: Any) -> None:
    found = searched.search("moved to Porto in May", mode=mode).results
    assert [one.kind for one in found if "Porto" in one.snippet] == ["transcript"]
    notes = searched.search("moved to Porto in May", kind="note", mode=mode).results
    assert ["[extracted]" in one.snippet for one in notes if "Porto" in one.snippet] == [True]


def test_a_line_is_not_loaded_into_a_prompt(searched: Workspace) -> None:
    searched.daily.add("went for a walk")
    searched.daily.add("[extracted] I own a boat. (fact, claude s1:3)", by="extraction")
    block = searched.prompt("Hello").block
    assert "went for a walk" in block and "boat" not in block


def test_a_line_is_no_rule(searched: Workspace, owner: Owner) -> None:
    assert any("linter" in text for text in owner.texts)

    def ruling(index: Any) -> list[str]:
        chunks = index.admitted(Where(rules=True)) or []
        return [match.passage.tier for match in index.look_up(chunks, [])]

    assert set(searched.indexing.read(ruling)) == {"transcript"}


def test_the_record_of_a_subagent_brings_nothing(owner: Owner) -> None:
    records = [record(n, "user", f"I live in Porto {n}.", isSidechain=True) for n in range(1, 6)]
    log = write_log(owner.folder, records)
    with owner.opened() as m:
        run = extract(m, str(log))
    assert not run.conversations and owner.lines == []


# Compaction by an application


def messages(*said: str) -> list[dict[str, str]]:
    sides = {"User": "user", "Agent": "assistant"}
    return [{"role": sides[one.partition(": ")[0]], "content": one.partition(": ")[2]} for one in said]


def test_a_compaction_keeps_the_facts_of_what_it_drops(owner: Owner) -> None:
    long = [f"{side}: {'word ' * 60}{n}" for n in range(20) for side in ("User", "Agent")]
    with owner.opened() as m:
        done = m.context.compact(messages(*TALK, *long), 3_000, session="talk-1")
        assert done.dropped and not done.degraded
        again = m.context.compact([*done.messages, *messages(*long)], 3_000, session="talk-1")
        assert again.dropped
    assert owner.texts == [PORTO, SEATS]
    first = parse_line(owner.lines[0])
    assert first and (first.agent, first.conversation, first.line) == ("app", "talk-1", 3)


def test_a_dry_compaction_extracts_nothing(owner: Owner) -> None:
    long = [f"{side}: {'word ' * 60}{n}" for n in range(20) for side in ("User", "Agent")]
    with owner.opened() as m:
        assert m.context.compact(messages(*TALK, *long), 3_000, dry_run=True).dropped
    assert owner.lines == []


def test_an_agent_that_looks_up_its_own_conversation_keeps_no_fact_out(owner: Owner) -> None:
    owner.home.mkdir(0o700)
    (owner.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')
    owner.says(*TALK)
    with owner.opened() as m:
        given = m.recall("When did I move to Porto?", session=SESSION)
        assert any("Porto" in one.text for one in given.items)
        extract(m)
    assert owner.texts == [PORTO, SEATS]


def test_facts_wait_where_the_day_cannot_be_written_and_come_once(owner: Owner) -> None:
    log = owner.says(*TALK)
    owner.home.mkdir(0o700)
    spool.append(str(owner.home), Capture("claude", "facts", SESSION, str(log), "/w/parcels"))
    (owner.vault / "daily").write_text("a file in the place of the folder")
    with owner.opened() as m:
        hooks.write_captures(m)
        assert [line.capture.kind for line in spool.pending(str(owner.home))] == ["facts"]
        (owner.vault / "daily").unlink()
        hooks.write_captures(m)
        hooks.write_captures(m)
    assert owner.texts == [PORTO, SEATS]
    assert not spool.has_pending(str(owner.home))


def test_all_that_was_extracted_can_be_taken_back_and_does_not_return(owner: Owner) -> None:
    owner.set(to="memories")
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        m.journal.undo(by="extraction")
        assert owner.lines == [] and m.memories.all() == []
        extract(m, SESSION)
        assert owner.lines == [] and m.memories.all() == []


# What an agent is given unasked


def given_to(m: Workspace, log: Path, session: str) -> str:
    asked = PromptSubmitted("UserPromptSubmit", session, "When did I move to Porto?", str(log), "/w/parcels")
    return context(asked, m, "claude")


def test_a_line_is_given_to_other_conversations_and_never_to_its_own(owner: Owner) -> None:
    log = owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        m.sync()
        assert "Porto" not in given_to(m, log, SESSION), "the agent has heard it"
        other = log.with_name("9b1c1a52-3a1e-4a7b-9a51-aaaaaaaaaaaa.jsonl")
        assert "[extracted] I moved to Porto in May." in given_to(m, other, other.stem)


def test_a_memory_that_was_extracted_rules_once_a_person_has_confirmed_it(owner: Owner) -> None:
    owner.set(to="memories")
    rule = "Always run the linter before you commit."
    owner.says(*TALK[:4], f"User: {rule}")

    def ruling(index: Any) -> list[str]:
        chunks = index.admitted(Where(rules=True, kinds=("memory",))) or []
        return [match.passage.text for match in index.look_up(chunks, [])]

    with owner.opened() as m:
        extract(m)
        [number] = [one.id for one in m.memories.all() if one.content == rule]
        m.sync()
        assert m.indexing.read(ruling) == []
        m.memories.trust(number, "user_confirmed")
        m.sync()
        assert m.indexing.read(ruling) == [rule]


day_lines = st.lists(
    st.sampled_from(
        [
            "",
            "# 2026-03-05",
            "- 09:00 ran",
            "- 10:02 [extracted] I moved. (fact, claude s1:3)",
            "- 10:04 [extracted] mine",
        ]
    ),
    min_size=1,
    max_size=9,
)


@given(day_lines)
def test_each_extracted_line_is_a_passage_of_its_own(lines: list[str]) -> None:
    entry = FileEntry(path=f"daily/{DAY}.md", tier="daily", digest="", stamp=None)
    rules = Rules(tokens=400, overlap=20, daily_folder="daily")
    indexed, _ = read_note(entry, "\n".join(lines).encode(), written_on=DAY, rules=rules)
    texts = [chunk.text for chunk in indexed.chunks]
    assert all(lines[one.start_line - 1 : one.end_line] == one.text.split("\n") for one in indexed.chunks)
    assert [line for text in texts for line in text.split("\n") if line] == [line for line in lines if line]
    assert all(len(text.split("\n")) == 1 for text in texts if "[extracted]" in text)


def test_all_conversations_since_a_day_are_extracted_and_no_earlier_one(owner: Owner) -> None:
    days = {"older": "2026-03-01", "first": "2026-03-02", "later": "2026-03-04"}
    for number, (name, day) in enumerate(days.items(), 1):
        log = write_log(
            owner.folder, talk(*TALK[:4], f"User: The bike {name} has the number {number}.", "Agent: Yes.")
        )
        at = datetime.fromisoformat(f"{day}T00:00:00").astimezone().timestamp()
        os.utime(log.rename(log.with_name(f"{name}.jsonl")), (at, at))
    with owner.opened() as m:
        run = m.extraction.run(ExtractionRequest(since="2026-03-02", dry_run=True))
    assert sorted(Path(one.path).stem for one in run.conversations) == ["first", "later"]


@pytest.mark.parametrize(("spare", "count"), [(0, 2), (-1, 1)])
def test_a_model_is_shown_as_many_sentences_as_fit_into_its_window(spare: int, count: int) -> None:
    said = [CandidateSentence(text, "fact", Evidence(text, line=n), 0.5) for n, text in enumerate((PORTO, SEATS), 1)]
    size = sum(tokens(one.text) + 30 for one in said) + 1600
    info = LanguageModelInfo(provider="testing", model="small", window=size + spare)
    model = ScriptedModel([{"reason": "None.", "facts": []}], info)
    choose_facts(model, said, 9)
    assert len(numbers(model.prompts[0])) == count
    assert numbers(model.prompts[0])[-1][1] == SEATS  # the last that was said comes first


# Limits and edges


def texts_in(found: ConversationFacts) -> list[str]:
    return [fact.text for fact in found.facts]


def test_messages_of_an_application_without_a_day_are_of_today(owner: Owner) -> None:
    owner.set(min_user_messages=1)
    now = datetime.fromisoformat("2026-03-09T12:00:00+00:00")
    with opened_at(owner, now) as m:
        undated = m.extraction.of_turns("talk-1", [Turn("User", PORTO, 1)])
        dated = m.extraction.of_turns("talk-2", [Turn("User", SEATS, 1, "2026-03-07")])
    assert (undated.day, dated.day) == (now.astimezone().date().isoformat(), "2026-03-07")
    assert (undated.path, texts_in(undated), texts_in(dated)) == ("@app/talk-1", [PORTO], [SEATS])


def test_the_day_of_a_conversation_is_that_of_its_last_dated_message(owner: Owner) -> None:
    owner.set(min_user_messages=1)
    turns = [Turn("User", PORTO, 1, "2026-03-04"), Turn("Assistant", "I see.", 2, DAY)]
    with owner.opened() as m:
        assert m.extraction.of_turns("talk-1", turns).day == DAY
        nothing = m.extraction.of_turns("talk-2", [])
    assert (nothing.day, nothing.why, nothing.facts) == (None, "it holds no message that can be read", ())


def test_the_newest_conversation_that_brings_something_is_the_last_that_is_looked_at(owner: Owner) -> None:
    said = {"oldest": TALK, "older": (*TALK[:4], f"User: {SEATS}"), "newest": ("User: Hi.", "Agent: Hi.")}
    for place, (name, lines) in enumerate(said.items()):
        log = write_log(owner.folder, talk(*lines), session=name)
        os.utime(log, (1_790_000_000 + place, 1_790_000_000 + place))
    with owner.opened() as m:
        run = m.extraction.run()
    assert [Path(one.path).stem for one in run.left_out] == ["newest"]
    assert [Path(one.path).stem for one in run.conversations] == ["older"]
    assert not run.has_model and not run.dry_run


@pytest.mark.parametrize(
    ("count", "why"),
    [
        (1, "it has 1 message of yours; `extract.min_user_messages` is 3"),
        (2, "it has 2 messages of yours; `extract.min_user_messages` is 3"),
        (3, ""),
    ],
)
def test_a_conversation_needs_so_many_messages_of_its_owner(owner: Owner, count: int, why: str) -> None:
    owner.set(min_user_messages=3)
    turns = [Turn("User", f"I have {number} bikes in Porto.", number) for number in range(1, count + 1)]
    with owner.opened() as m:
        found = m.extraction.of_turns("talk", [*turns, Turn("Assistant", "Noted.", 9)])
    assert (found.why, bool(found.facts)) == (why, not why)


def test_a_conversation_that_was_read_to_its_end_brings_nothing_and_says_so(owner: Owner) -> None:
    owner.says(*TALK)
    with owner.opened() as m:
        extract(m)
        [again] = extract(m).left_out
        assert (again.why, again.facts, again.known) == ("extracted before", (), ())
        log = owner.says(*TALK[:4], f"User: {SEATS}")  # it was taken back to an earlier message
        [shorter] = extract(m).conversations
        assert [fact.text for fact in shorter.known] == [PORTO, SEATS]
        assert not extract(m, str(log), dry_run=True).conversations[0].facts


def test_what_holds_no_fact_is_read_no_second_time(owner: Owner) -> None:
    owner.says("User: Hi.", "Agent: Hi.", "User: Well?", "Agent: Yes.", "User: Thanks.", "Agent: Welcome.")
    with owner.opened() as m:
        assert only(extract(m)).facts == ()
        assert [one.why for one in extract(m).left_out] == ["extracted before"]


def test_the_session_and_project_that_a_hook_names_are_those_of_the_facts(owner: Owner) -> None:
    owner.set(to="memories")
    log = owner.says(*TALK)
    with owner.opened() as m:
        folders = LogFolders([], {"HOME": str(owner.folder)})
        opened = folders.named(str(log), is_file=True)
        assert opened is not None
        found = m.extraction.of_log(opened, agent="codex", project="birds", session="s-1")
        assert (found.project, texts_in(found)) == ("birds", [PORTO, SEATS])
        stored = m.memories.all()
    assert {(one.agent, one.project, one.session) for one in stored} == {("codex", "birds", "s-1")}


@pytest.mark.parametrize(
    ("text", "why", "shown"),
    [
        ("I live in Braga, just between us.", PRIVATE, ""),
        ("My password is Tr0ub4dor&3.", SECRET, ""),
        ("I own a boat called Heron.", None, "I own a boat called Heron."),
    ],
)
def test_what_may_not_be_kept_is_left_out_without_its_words(
    owner: Owner, text: str, why: str | None, shown: str
) -> None:
    owner.set(min_user_messages=1)
    model = choosing(text)
    with owner.opened(model) as m:
        found = m.extraction.of_turns("talk", [Turn("User", text, 1)])
    assert texts_in(found) == ([shown] if shown else [])
    assert text in owner.texts or why is not None
    assert not any(text in prompt.material for prompt in model.prompts) or why is None
    assert all(one.text == "" for one in found.omitted)


def test_a_fact_that_was_said_twice_is_kept_once(owner: Owner) -> None:
    owner.set(min_user_messages=1)
    with owner.opened(choosing(SEATS, SEATS.upper())) as m:
        found = m.extraction.of_turns("talk", [Turn("User", f"{SEATS} {SEATS.upper()}", 1)])
    assert len(found.facts) <= 1


def test_the_surest_facts_are_kept_in_the_order_in_which_they_were_said(owner: Owner) -> None:
    owner.set(min_user_messages=1, max_facts=2)
    said = ("Our API crashes on port 80 sometimes.", SEATS, "Please always use uv instead of pip.", PORTO)
    turns = [Turn("User", text, line) for line, text in enumerate(said, 1)]
    with owner.opened() as m:
        found = m.extraction.of_turns("talk", turns)
    lines = [fact.evidence.line or 0 for fact in found.facts]
    assert len(lines) == 2 and lines == sorted(lines)
    assert min(fact.score for fact in found.facts) >= 0.8


def test_a_fact_of_a_model_is_at_least_half_sure() -> None:
    said = [CandidateSentence(PORTO, "fact", Evidence(PORTO, line=1), score) for score in (0.0, 0.5, 0.8)]
    listed = [{"number": number, "kind": "person"} for number in (3, 1, 2)]
    found = chosen_facts({"reason": "Yes.", "facts": listed}, said, 3)
    assert [(one.score, one.kind) for one in found] == [(0.5, "person"), (0.5, "person"), (0.8, "person")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"reason": "x" * 2000, "facts": []}, ""),
        ({"reason": "x" * 2001, "facts": []}, "no reason"),
        ({"reason": " ", "facts": []}, "no reason"),
        ({"reason": 3, "facts": []}, "no reason"),
        ({"reason": "x"}, "other fields"),
        ({"reason": "x", "facts": "1"}, "no list"),
        ({"reason": "x", "facts": [{"number": 1, "kind": "fact"}, {"number": 2, "kind": "fact"}]}, ""),
        ({"reason": "x", "facts": [{"number": 1, "kind": "fact"}] * 3}, "chooses 3 sentences; 2 were allowed"),
        ({"reason": "x", "facts": [{"number": 1, "kind": "fact"}] * 2}, "sentence 1 twice"),
        ({"reason": "x", "facts": [{"number": 0, "kind": "fact"}]}, "numbered 1 to 2"),
        ({"reason": "x", "facts": [{"number": 3, "kind": "fact"}]}, "numbered 1 to 2"),
        ({"reason": "x", "facts": [{"number": True, "kind": "fact"}]}, "numbered 1 to 2"),
        ({"reason": "x", "facts": [{"number": 1, "kind": "shout"}]}, "an unknown kind"),
        ({"reason": "x", "facts": [{"number": 1}]}, "other fields than `number` and `kind`"),
        ({"reason": "x", "facts": [1]}, "other fields than `number` and `kind`"),
    ],
)
def test_an_answer_of_a_model_is_used_whole_or_not_at_all(answer: dict[str, object], said: str) -> None:
    shown = [CandidateSentence(text, "fact", Evidence(text, line=n), 0.5) for n, text in enumerate((PORTO, SEATS), 1)]
    if not said:
        assert len(chosen_facts(answer, shown, 2)) == len(answer["facts"])  # type: ignore[arg-type]
    else:
        with pytest.raises(AnswerUnusable, match=said):
            chosen_facts(answer, shown, 2)


def test_a_window_that_is_too_small_for_any_sentence_asks_nothing() -> None:
    info = LanguageModelInfo(provider="testing", model="small", window=1600)
    model = ScriptedModel([{"reason": "None.", "facts": []}], info)
    assert choose_facts(model, [CandidateSentence(PORTO, "fact", Evidence(PORTO, line=1), 0.5)], 9) == []
    assert model.prompts == []


def test_sentences_that_a_rule_takes_for_facts_are_shown_before_others() -> None:
    texts = (PORTO, SEATS, "The stairs creak.")
    said = [
        CandidateSentence(text, "fact", Evidence(text, line=n), score)
        for n, (text, score) in enumerate(zip(texts, (0.9, 0.0, 0.0), strict=True), 1)
    ]
    size = sum(tokens(one.text) + 30 for one in (said[0], said[2])) + 1600
    model = ScriptedModel([{"reason": "x", "facts": []}], LanguageModelInfo("testing", "small", window=size))
    choose_facts(model, said, 2)
    assert [shown for _, shown in numbers(model.prompts[0])] == [PORTO, "The stairs creak."]
    assert "Choose at most 2." in model.prompts[0].instructions


# What its owner said


def forgetting(*texts: str) -> Hidden:
    return Hidden(len(texts), lambda said: said in texts)


def test_a_message_that_its_owner_forgot_is_left_out_with_its_answer() -> None:
    turns = [
        Turn("User", PORTO, 1),
        Turn("Assistant", "Porto is nice.", 2),
        Turn("User", SEATS, 3),
        Turn("Assistant", "Noted.", 4),
    ]
    assert [one.line for one in spoken_turns(turns)] == [1, 2, 3, 4]
    assert [one.line for one in spoken_turns(turns, forgetting(f"User: {PORTO}"))] == [3, 4]
    assert [one.line for one in spoken_turns(turns, forgetting("Assistant: Noted."))] == [1, 2, 3]
    assert [one.line for one in spoken_turns(turns, forgetting(PORTO))] == [1, 2, 3, 4]  # nobody said it so


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (PORTO, [1, 2]),
        ("I live in Braga, just between us.", []),
        ("/wrong it is 8443", []),
        ("", [2]),
    ],
)
def test_what_is_private_or_feedback_is_left_out_with_its_answer(text: str, lines: list[int]) -> None:
    assert [one.line for one in spoken_turns([Turn("User", text, 1), Turn("Assistant", "Yes.", 2)])] == lines


def test_an_answer_that_is_private_goes_alone_and_feedback_is_only_the_owners() -> None:
    turns = [
        Turn("User", PORTO, 1),
        Turn("Assistant", "This stays just between us: Porto.", 2),
        Turn("Assistant", "/wrong no", 3),
    ]
    assert [one.line for one in spoken_turns(turns)] == [1, 3]


@pytest.mark.parametrize(
    ("text", "is_owner"),
    [(PORTO, True), (f"[Telegram Ida] {PORTO}", False), (f"  [slack #home] {PORTO}", False), (f"[x] {PORTO}", True)],
)
def test_a_message_of_a_channel_may_be_somebody_elses(text: str, is_owner: bool) -> None:
    [one] = spoken_turns([Turn("User", text, 1)])
    assert one.is_owner is is_owner


def test_a_long_answer_is_heard_up_to_a_limit() -> None:
    [one] = spoken_turns([Turn("Assistant", "x" * (MOST_CHARACTERS + 1), 1)])
    assert len(one.text) == MOST_CHARACTERS and not one.is_owner


def test_the_messages_of_the_owner_are_counted() -> None:
    turns = [Turn("User", "a", 1), Turn("Assistant", "b", 2), Turn("User", "", 3), Turn("Ida", "c", 4)]
    assert (count_of_owner(turns), count_of_owner([])) == (2, 0)
