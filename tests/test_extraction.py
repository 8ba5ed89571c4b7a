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
from memoro.curate.extraction.extracting import RULES
from memoro.curate.extraction.runs import ConversationFacts, ExtractionRequest, ExtractionRun
from memoro.curate.extraction.spoken_turns import spoken_turns
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
from memoro.model.notes import FileEntry, Rules
from memoro.model.proposals import EditEntry, Evidence
from memoro.model.tokens import tokens
from memoro.model.typed_text import typed_text
from memoro.model.vocabulary import FACT_KINDS
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.transcripts.ports import Turn
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
