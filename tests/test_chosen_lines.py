"""A language model chooses the lines of summaries and session notes; it adds none, and rules stand in for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro as library
from memoro import hooks
from memoro.conversation.chosen_lines import ChoosableLine, ChosenLines, line_chooser, read_choice
from memoro.conversation.digest import digest
from memoro.conversation.messages import read
from memoro.conversation.summary import summarise
from memoro.errors import AnswerUnusable, ProviderUnavailable
from memoro.hooks import spool
from memoro.hooks.events import Capture
from memoro.providers.language.checked_model import CheckedModel
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.providers.language.time_limit import within_seconds
from memoro.testing import ScriptedModel, records_of
from memoro.transcripts.ports import Turn

FAR = LanguageModelInfo(provider="testing", model="far", host="models.example", is_home=False)
WINDOW = 2_500


ROOMS = (
    "hall",
    "kitchen",
    "garage",
    "attic",
    "cellar",
    "porch",
    "stairs",
    "study",
    "pantry",
    "nursery",
    "loft",
    "shed",
)
COLOURS = ("green", "blue", "white", "yellow", "grey", "red", "pink", "ochre", "black", "violet", "brown", "cream")


def long_talk() -> list[dict[str, Any]]:
    talk: list[dict[str, Any]] = []
    for room, colour in zip(ROOMS, COLOURS, strict=True):
        talk.append({"role": "user", "content": f"We decided to paint the {room} in {colour}."})
        talk.append({"role": "assistant", "content": f"The {room} it is. " + "Paint dries slowly. " * 30})
    return talk


def choosing(*parts: str) -> Any:
    """Choose the lines that hold one of these."""

    def answer(prompt: Prompt) -> dict[str, object]:
        found = [one["n"] for part in parts for one in records_of(prompt) if part in str(one["text"])]
        return {"reason": "These hold.", "numbers": found}

    return answer


# --- the choice ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-3, 12)), st.sets(st.integers(0, 20), max_size=9))
def test_a_choice_is_of_known_lines_without_repetition_or_refused(numbers: list[int], places: set[int]) -> None:
    shown = sorted(places)
    try:
        found = read_choice({"reason": "", "numbers": numbers}, shown, 21)
    except AnswerUnusable:
        assert not numbers or len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(1, len(shown) + 1))
    else:
        assert list(found.best) == [shown[number - 1] for number in numbers]
        assert found.unseen == frozenset(range(21)) - places


LINES = [ChoosableLine("topic", f"line {number} about walls") for number in range(6)]


def test_few_lines_leave_nothing_to_choose() -> None:
    model = ScriptedModel([])
    assert line_chooser(model)(LINES[:3]) is None
    assert model.prompts == []


@pytest.mark.parametrize(("with_private", "unseen"), [(False, {1, 2}), (True, set())])
def test_private_lines_stay_on_this_machine_unless_the_owner_lets_them_go(
    with_private: bool, unseen: set[int]
) -> None:
    lines = list(LINES)
    lines[1] = ChoosableLine("topic", "my salary", is_private=True)
    lines[2] = ChoosableLine("topic", "This is confidential, please keep it private: the offer is low.")
    far, near = ScriptedModel([{"reason": "", "numbers": [2]}], FAR), ScriptedModel([{"reason": "", "numbers": [2]}])

    assert line_chooser(far, with_private=with_private)(lines) == ChosenLines(
        best=(1,) if with_private else (3,), unseen=frozenset(unseen)
    )
    assert line_chooser(near)(lines) == ChosenLines(best=(1,))
    assert ("salary" in far.prompts[0].material) is with_private


def test_a_small_window_gets_the_last_lines() -> None:
    lines = [ChoosableLine("topic", f"line {number} " + "wall " * 40) for number in range(200)]
    small = FAR._replace(window=4000)
    model = ScriptedModel([{"reason": "", "numbers": [1]}], small)
    found = line_chooser(model)(lines)
    assert found is not None
    shown = len(records_of(model.prompts[0]))
    assert 4 < shown < 40
    assert found.best == (200 - shown,)


def test_the_time_of_all_questions_of_a_block_is_limited() -> None:
    inner = ScriptedModel(lambda _prompt: {"reason": "", "numbers": [1]})
    choose = line_chooser(CheckedModel(inner))
    with within_seconds(10.0):
        choose(LINES)
        with within_seconds(1.0), pytest.raises(ProviderUnavailable, match="No time is left"):
            choose(LINES)
        choose(LINES)
    choose(LINES)
    first, second, third = [prompt.most_seconds for prompt in inner.prompts]
    assert 5.0 < second <= first <= 10.0
    assert third == 20.0


@pytest.fixture
def summaries_only(home: Path) -> None:
    """A home whose language model is asked for nothing else."""
    home.mkdir(0o700)
    (home / "memoro.toml").write_text('[llm]\npurposes = ["summary"]\n')


# --- summaries -----------------------------------------------------------------------------------------------


@given(st.permutations(range(24)), st.integers(20, 400))
def test_whatever_is_chosen_a_summary_has_only_lines_of_the_rules_within_its_budget(
    order: Sequence[int], budget: int
) -> None:
    messages = read(long_talk()).messages
    everything = summarise(messages, 100_000)

    def choose(lines: Sequence[ChoosableLine]) -> ChosenLines:
        best = [place for place in order if place < len(lines)]
        return ChosenLines(tuple(best[: len(best) // 2]), frozenset(best[len(best) // 2 : -3]))

    found = summarise(messages, budget, None, choose)
    said = " ".join(str(message.raw["content"]) for message in messages)
    assert len(found.text()) <= 4 * budget + 8
    assert all(line.rstrip(".") in said for line in (*found.topics, *found.decisions, *found.open) if "→" not in line)
    assert everything.decisions


@pytest.mark.usefixtures("summaries_only")
def test_a_compaction_keeps_the_lines_that_the_model_chose(home: Path, vault: Path) -> None:
    model = ScriptedModel(choosing("the attic in", "the garage in"))
    with library.open(home, vault, language_model=model) as m:
        done = m.context.compact(long_talk(), 1_900)
        assert done.degraded == ()
        assert done.note
        assert len(model.prompts) == 1
        decided = " ".join(done.summary.decisions)
        assert [room for room in ROOMS if f"the {room} in" in decided][:2] == ["garage", "attic"]
        assert (vault / done.note).read_text().count("the attic in yellow") == 1
        assert (vault / done.note).read_text().count("the garage in white") == 1


@pytest.mark.usefixtures("summaries_only")
@pytest.mark.parametrize(
    "answer",
    [
        {"reason": "", "numbers": [1, 1]},
        {"reason": "", "numbers": [999]},
        {"reason": "", "numbers": []},
        {"reason": "", "numbers": [1], "summary": "The user wants all files deleted."},
        "The conversation was about walls.",
        ProviderUnavailable("It is down."),
        RuntimeError("boom"),
    ],
)
def test_where_the_model_fails_rules_summarise_and_the_answer_says_so(answer: Any, home: Path, vault: Path) -> None:
    with library.open(home, vault) as m:
        by_rules = m.context.compact(long_talk(), WINDOW, dry_run=True)
    with library.open(home, vault, language_model=ScriptedModel([answer])) as m:
        done = m.context.compact(long_talk(), WINDOW)
    assert done.summary == by_rules.summary
    (said,) = done.degraded
    assert said.startswith("summary: rules chose its lines, because the language model could not. ")
    assert "deleted" not in json.dumps(done.messages)


def test_no_model_is_asked_where_nothing_is_summarised(home: Path, vault: Path) -> None:
    model = ScriptedModel([])
    with library.open(home, vault, language_model=model) as m:
        assert not m.context.compact(long_talk()[:4], WINDOW).changed
    assert model.prompts == []


# --- session notes -------------------------------------------------------------------------------------------

DECIDED = [f"We decided to paint the {room} in {colour}." for room, colour in zip(ROOMS[:6], COLOURS, strict=False)]


def turns(texts: Sequence[str]) -> list[Turn]:
    said = [(speaker, text) for text in texts for speaker, text in (("User", text), ("Assistant", "Noted."))]
    return [Turn(id=f"t{n}", line=n + 1, speaker=speaker, text=text) for n, (speaker, text) in enumerate(said)]


def test_a_note_of_a_session_has_the_lines_that_the_model_chose_in_their_order() -> None:
    by_rules = digest(turns(DECIDED))
    chosen = digest(turns(DECIDED), choose=line_chooser(ScriptedModel(choosing("cellar", "kitchen"))))
    assert len(by_rules.decisions) == 6
    assert chosen.decisions == ("We decided to paint the kitchen in blue.", "We decided to paint the cellar in grey.")


def test_what_a_private_message_says_is_kept_by_rules_and_not_sent() -> None:
    secret = "This is confidential, please keep it private. We decided to dig a bunker below."
    model = ScriptedModel(choosing("cellar"), FAR)
    found = digest(turns([*DECIDED, secret]), choose=line_chooser(model))
    assert "bunker" not in model.prompts[0].material
    assert any("bunker" in line for line in found.decisions)
    assert len(found.decisions) == 2


def claude_log(folder: Path) -> Path:
    file = folder / "projects" / "-w" / "s1.jsonl"
    file.parent.mkdir(parents=True)
    about = {"sessionId": "s1", "cwd": "/w", "timestamp": "2026-11-01T10:00:00Z"}
    said = [("user", text) if n == 0 else ("assistant", "Noted.") for text in DECIDED for n in (0, 1)]
    records = [
        {"type": role, "uuid": f"u{n}", **about, "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate(said)
    ]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return file


@pytest.mark.usefixtures("summaries_only")
@pytest.mark.parametrize("fails", [False, True])
def test_the_note_of_an_ended_session_is_written_whether_the_model_answers_or_not(
    fails: bool, home: Path, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MEMORO_HOME", str(home))
    log = claude_log(tmp_path / "claude")
    spool.append(str(home), Capture("claude", "end", "s1", str(log), "/w"), now=1_793_527_200.0)
    model = ScriptedModel([ProviderUnavailable("It is down.")] if fails else choosing("cellar"))
    with library.open(home, vault, language_model=model) as m:
        assert hooks.write_captures(m) == 1

    assert len(model.prompts) == 1
    (note,) = (vault / "sessions").glob("*.md")
    assert note.read_text().count("- We decided to paint") == (6 if fails else 1)
    told = (home / "hooks.log").read_text() if (home / "hooks.log").exists() else ""
    assert ("rules chose the lines of its note. It is down." in told) is fails
