"""Scores tell relevance from noise in vaults of any size, and results end where relevance ends."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import noise
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.demo import copy_vault, questions
from memoro.model.answers import Explanation, Match, Passage, Term, TermScore
from memoro.model.extracted_lines import agent_name, conversation_name
from memoro.model.time_phrases import named_in
from memoro.model.vocabulary import MODES, Mode
from memoro.providers.builtin.model import builtin
from memoro.search import signals
from memoro.search.coverage import coverage
from memoro.search.rank import Ranked
from memoro.search.relevance import ENOUGH, ENOUGH_TURN, FLOOR, SHARE, Cut, cut, isotonic
from memoro.search.times import only_time
from tests.command import run_memoro
from tests.conftest import write_vault

FIRST_PERSON = (
    "when do I water the seedlings",
    "which database do we use",
    "where do I buy seeds",
    "how do I release parcelwise",
    "what do I prefer",
    "volcano",
    "wann gieße ich die Tomaten",
)
scores = st.lists(st.floats(0, 1), max_size=30)


def result(score: float, *, path: str = "a.md", held: float = 0.0, number: int = 0) -> Ranked:
    passage = Passage(
        path=path,
        tier="note",
        title="",
        date=None,
        start_line=1,
        end_line=1,
        headings=(),
        text="",
        digest="d",
        number=number,
    )
    terms = (TermScore(word="tea", columns={"text": 1}, weight=held, fullness=0.5),) if held else ()
    told = Explanation(terms=terms, ignored=(), word_rank=1, total=0.0, confidence=score)
    return Ranked(Match(passage, (), 1.0), score, told)


def kept(found: Sequence[Ranked], mode: Mode = "hybrid", least: float | None = None) -> list[float]:
    return [one.score for one in cut(found, mode, least).kept]


@given(values=scores)
def test_levelled_scores_never_rise_and_keep_their_mean(values: list[float]) -> None:
    found = isotonic(values)
    assert len(found) == len(values)
    assert all(before >= after - 1e-12 for before, after in pairwise(found))
    assert sum(found) == pytest.approx(sum(values))
    assert isotonic(sorted(values, reverse=True)) == pytest.approx(sorted(values, reverse=True))


@given(values=scores, least=st.floats(0, 1))
def test_a_least_score_is_all_that_counts_where_one_is_given(values: list[float], least: float) -> None:
    found = [result(score) for score in sorted(values, reverse=True)]
    done = cut(found, "hybrid", least)
    assert [one.score for one in done.kept] == [one.score for one in found if one.score >= least]
    assert done.left_out == len(found) - len(done.kept) and done.least == least


@given(values=scores)
def test_results_end_where_relevance_ends(values: list[float]) -> None:
    ordered = sorted(values, reverse=True)
    found = kept([result(score) for score in ordered])
    best = max(values, default=0.0)
    assert found == ([s for s in ordered if s >= max(FLOOR, SHARE * best)] if best >= ENOUGH else [])


@given(values=scores, mode=st.sampled_from(MODES))
def test_what_holds_every_word_of_the_query_is_never_left_out(values: list[float], mode: Mode) -> None:
    found = [result(score) for score in values] + [result(0.01, held=1.0)]
    assert 0.01 in kept(found, mode)


def test_the_score_that_is_told_is_that_which_those_left_out_lacked() -> None:
    memories = [result(score, path=f"memory:{n}") for n, score in enumerate((0.2, 0.04, 0.03), 1)]
    found = cut(memories, "hybrid", None)
    assert found.left_out == 2 and found.least == pytest.approx(SHARE * 0.2)
    assert cut([result(0.1, path="memory:1"), result(0.01, path="memory:2")], "hybrid", None)[1:] == (1, 0.05)
    assert cut([result(0.01, path="chat.jsonl")], "hybrid", None)[1:] == (1, ENOUGH_TURN)
    assert cut([*memories, result(0.1)], "hybrid", None)[1:] == (3, ENOUGH)


def test_turns_of_a_conversation_are_left_out_together_or_not_at_all() -> None:
    turns = [result(score, path="chat.jsonl") for score in (2 * ENOUGH_TURN, 0.001)]
    assert kept(turns) == [2 * ENOUGH_TURN, 0.001]
    assert kept(turns[1:]) == []
    assert kept([result(0.2), *turns]) == [2 * ENOUGH_TURN, 0.001], "a weak note beside them is no answer"


@given(texts=st.lists(st.text("tea cup volcano xq,é", max_size=30), min_size=1, max_size=5))
def test_coverage_is_a_share_and_a_word_that_is_there_counts_in_full(texts: list[str]) -> None:
    model = builtin()
    passage = result(0.0).match.passage
    matches = [Match(passage._replace(text=text), (("tea", "text", 1),), 1.0) for text in texts]
    nearest = signals.nearest_words([Term("tea", "tea"), Term("xyzzy", "xyzzi")], matches, model)
    found = coverage(["tea", "xyzzy"], [3.0, 1.0], nearest, model)
    assert all(0.75 - 1e-6 <= share <= 1 + 1e-6 for share in found)


def test_frequent_words_have_low_ranks() -> None:
    ranks = [builtin().rank(word) for word in ("the", "house", "nutrition", "stopcock")]
    assert ranks == sorted(ranks) and ranks[0] == 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("others", [0, 2, 7, 49])
def test_one_rare_word_of_a_long_note_is_found_with_a_high_score(mode: Mode, others: int, tmp_path: Path) -> None:
    long = " ".join(
        f"The {word} was put away after the meeting on Monday." for word in ("ladder", "kettle", "lamp") * 8
    )
    notes = {"shed.md": f"{long} The stopcock is under the stairs. {long}"}
    notes |= {f"{n}.md": f"Note {n} tells what {n} people ate on a Monday." for n in range(others)}
    with memoro.open(tmp_path / "home", write_vault(tmp_path / "vault", notes)) as m:
        found = m.search("stopcock", mode=mode).results
        assert found[0].path == "shed.md"
        assert found[0].score >= (0.5 if mode == "vectors" else 0.6)


@pytest.mark.parametrize("mode", ["hybrid", "vectors"])
def test_a_right_answer_in_a_small_vault_stands_above_noise(mode: Mode, tmp_path: Path) -> None:
    vault = noise.eight(tmp_path / "vault")
    questions = vault.halves["dev"]
    with memoro.open(tmp_path / "home", vault.folder) as m:
        assert m.search("feline nutrition", mode=mode).results[0].path == "cat.md"
        found = noise.shown(m, questions, mode)
    assert found.lost <= 0.16 and found.found >= 0.84 and found.silent >= 0.75
    assert found.score >= 0.6 and found.results <= 2


def test_nothing_relevant_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    places = ("--home", str(tmp_path / "home"), "--vault", str(copy_vault(str(tmp_path))))
    silent = run_memoro(*places, "search", "volcano")
    assert (silent.code, silent.out) == (1, "")
    assert silent.err == (
        "Nothing relevant found: 6 weak matches score below 0.33. Try other words, or --min-score 0 to see all.\n"
    )
    everything = run_memoro(*places, "search", "volcano", "--min-score", "0", "--json")
    assert everything.code == 0 and len(everything.json["results"]) == 6 and everything.json["left_out"] == 0
    sure = run_memoro(*places, "search", "stopcock", "--min-score", "0.9", "--json")
    assert [hit["path"] for hit in sure.json["results"]] == ["PINNED.md"]
    told = run_memoro(*places, "search", "stopcock", "--explain")
    assert "5 more below 0.28 were left out; --min-score 0 shows them." in told.out
    assert run_memoro(*places, "search", "x", "--min-score", "1.5").code == 2


DAYS = {
    "daily/2026-03-02.md": "- 09:00 met the architect about the attic",
    "daily/2026-02-24.md": "- 10:00 painted the fence",
    "daily/2025-06-11.md": "- 11:00 bought a boat",
    "plan.md": "What did I do wrong with the week plan? The last week of a plan is the hardest.",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "path", "first", "last"),
    [
        ("what did I do last week", "daily/2026-02-24.md", "2026-02-23", "2026-03-01"),
        ("was habe ich letzte Woche gemacht", "daily/2026-02-24.md", "2026-02-23", "2026-03-01"),
        ("what happened in June", "daily/2025-06-11.md", "2025-06-01", "2025-06-30"),
        ("notes of 24 Feb 2026", "daily/2026-02-24.md", "2026-02-24", "2026-02-24"),
    ],
)
def test_search_reads_a_time_as_recall_does(
    mode: Mode, query: str, path: str, first: str, last: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    vault = write_vault(tmp_path / "vault", DAYS)
    with memoro.open(home, vault, clock=lambda: datetime(2026, 3, 5, 12, tzinfo=UTC)) as m:
        answer = m.search(query, mode=mode)
        assert [hit.path for hit in answer.results] == [path]
        assert answer.time is not None and (answer.time.first, answer.time.last) == (first, last)
        assert [item.path for item in m.recall(query).items] == [path]
        assert m.search(query, mode=mode, kind="memory").results == ()
        both = m.search("architect in March 2026", mode="hybrid")
        assert both.results[0].path == "daily/2026-03-02.md" and both.time is not None
        assert m.search("architect", mode=mode).time is None


def test_the_command_says_which_days_it_understood(tmp_path: Path) -> None:
    places = ("--home", str(tmp_path / "home"), "--vault", str(write_vault(tmp_path / "vault", DAYS)))
    found = run_memoro(*places, "search", "what", "happened", "on", "2", "March", "2026")
    assert found.code == 0 and "found by its date" in found.out
    assert found.err == "memoro: 'on 2 March 2026' was understood as 2026-03-02.\n"
    nothing = run_memoro(*places, "search", "what happened on 5 January 2024")
    assert nothing.code == 1 and "was understood as 2024-01-05" in nothing.err


def test_the_command_says_which_days_it_understood_where_more_than_a_time_is_asked(tmp_path: Path) -> None:
    places = ("--home", str(tmp_path / "home"), "--vault", str(write_vault(tmp_path / "vault", DAYS)))
    found = run_memoro(*places, "search", "architect in March 2026")
    assert found.code == 0
    assert found.err == "memoro: 'in March 2026' was understood as 2026-03-01 to 2026-03-31.\n"


@pytest.mark.parametrize(
    "query",
    [
        "what changed this month",
        "what happened this week",
        "was hat sich diesen Monat geändert",
        "was ist diese Woche neu",
    ],
)
def test_what_changed_in_a_time_asks_for_whatever_is_of_it(query: str) -> None:
    assert only_time(query, date(2026, 3, 5)) is not None
    assert only_time(f"{query} schema", date(2026, 3, 5)) is None


KESTREL = {
    "Journal/2026-11-18.md": "- Kestrel: we agreed with Norrfrakt on a dark mode.\n- Ordered fondant for the bees.\n",
    "Journal/2026-11-17.md": "- Tea with Ada.\n",
    "Journal/2026-11-14.md": "- I decided to paint the fence green.\n- Kestrel: release planning with Ada.\n",
    "Journal/2026-11-11.md": "- Kestrel: decided on Postgres. What did I decide? Many things for Kestrel.\n",
    "Journal/2026-10-11.md": "- Kestrel kickoff. Kestrel is the dashboard.\n",
    "kestrel.md": "# Kestrel\n\nKestrel is the dashboard of delivery vans. Kestrel uses React.\n",
}


@pytest.mark.parametrize(
    ("query", "phrase", "first"),
    [
        ("what did I decide yesterday", "yesterday", ["Journal/2026-11-18.md"]),
        ("what did I decide on Wednesday", "on Wednesday", ["Journal/2026-11-18.md"]),
        ("what did I decide on Tuesday", "on Tuesday", ["Journal/2026-11-17.md"]),
        ("was habe ich am Mittwoch entschieden", "am Mittwoch", ["Journal/2026-11-18.md"]),
    ],
)
def test_what_was_decided_on_a_day_that_a_query_names_comes_first(
    query: str, phrase: str, first: list[str], tmp_path: Path
) -> None:
    vault = write_vault(tmp_path / "vault", KESTREL)
    with memoro.open(tmp_path / "home", vault, clock=lambda: datetime(2026, 11, 19, 12, tzinfo=UTC)) as m:
        found = m.search(query)
    assert sorted(hit.path for hit in found.results[: len(first)]) == first
    assert found.time is not None and found.time.phrase == phrase
    assert found.degraded == ()
    scores = [hit.score for hit in found.results]
    assert scores == sorted(scores, reverse=True)


def test_what_was_decided_on_a_day_comes_before_what_else_is_of_it(tmp_path: Path) -> None:
    notes = {
        "Journal/2026-11-18.md": "- Long retro.\n",
        "Fern.md": "---\ndate: 2026-11-18\n---\n# Fern\n\n## Decisions\n\n- Postgres over DynamoDB.\n",
    }
    vault = write_vault(tmp_path / "vault", notes)
    with memoro.open(tmp_path / "home", vault, clock=lambda: datetime(2026, 11, 19, 12, tzinfo=UTC)) as m:
        decided, done = m.search("what did I decide yesterday"), m.search("what did I do yesterday")
    assert [hit.path for hit in decided.results] == ["Fern.md", "Journal/2026-11-18.md"]
    assert done.results[0].path == "Journal/2026-11-18.md"


@pytest.mark.parametrize(
    "text", ["the release is on Friday", "remind me on Wednesday", "what do we do on Fridays", "wer hilft am Montag"]
)
def test_a_weekday_is_the_last_one_only_in_a_question_about_the_past(text: str) -> None:
    assert named_in(text, today=date(2026, 11, 19)) is None


def test_an_undated_note_in_a_search_by_days_shows_when_its_file_was_changed(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"tea.md": "# Tea\n\ngreen tea\n"})
    noon = datetime(2026, 3, 3, 12).timestamp()
    os.utime(vault / "tea.md", (noon, noon))
    places = ("--home", str(tmp_path / "home"), "--vault", str(vault))

    assert (
        "[note]  1.00  changed 2026-03-03\n" in run_memoro(*places, "search", "green tea", "--since", "2026-03").out
    )
    assert '"changed": "2026-03-03"' in run_memoro(*places, "search", "green tea", "--until", "2026-03", "--json").out
    assert "changed 2026-03-03" in run_memoro(*places, "search", "what happened on 3 March 2026").out
    assert "changed" not in run_memoro(*places, "search", "green tea").out


def test_days_that_end_before_they_begin_are_an_error(tmp_path: Path) -> None:
    places = ("--home", str(tmp_path / "home"), "--vault", str(write_vault(tmp_path / "vault", DAYS)))
    refused = run_memoro(*places, "search", "boat", "--since", "2026-05-01", "--until", "5 Jan 2024")
    assert refused.code == 2
    assert (
        refused.err
        == "memoro: No day is both since 2026-05-01 and until 2024-01-05. Swap the two, or leave one out.\n"
    )
    assert run_memoro(*places, "search", "boat", "--since", "2025-06-11", "--until", "2025-06-11").code == 0


def test_a_memory_that_shares_no_word_with_a_question_within_its_project_is_shown(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Bread\n\nFlour, water and salt.\n"})
    with memoro.open(home, vault) as m:
        m.memories.store("We're on CockroachDB now, the old connection strings are dead.", project="api")
        m.memories.store("The lunch menu hangs in the kitchen.", project="web")
        found = m.search("how should I link to the data?", project="api").results
        assert [hit.kind for hit in found] == ["memory"]
        assert found[0].score < ENOUGH  # as a passage of a note it would be left out


@pytest.mark.parametrize("mode", MODES)
def test_one_result_is_the_first_of_ten(tmp_path: Path, mode: Mode) -> None:
    """Scores, copies and the place where results end do not depend on how many results are wanted."""
    vault = tmp_path / "vault"
    copy_vault(str(vault))
    with memoro.open(tmp_path / "home", vault) as m:
        for query in (*FIRST_PERSON, *(one.ask for one in questions())):
            ten = m.search(query, mode=mode, limit=10)
            few = [m.search(query, mode=mode, limit=limit).results for limit in (1, 3)]
            for results in few:
                shown = [(hit.id, hit.score) for hit in results]
                assert shown == [(hit.id, hit.score) for hit in ten.results[: len(shown)]]
            assert [len(results) > 0 for results in few] == [len(ten.results) > 0] * 2


def test_one_result_is_the_first_of_ten_where_a_line_repeats_a_message(tmp_path: Path) -> None:
    """The line is left out beside its message, which a single result would not show."""
    said, logs = "I prefer tables to long paragraphs when you explain something.", tmp_path / "logs"
    logs.mkdir()
    (logs / "chat.jsonl").write_text(json.dumps({"role": "user", "content": said}) + "\n")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    path = "@logs/chat.jsonl"
    place = f"{agent_name(path)} {conversation_name(path)}:1"
    vault = write_vault(
        tmp_path / "vault", {"daily/2026-11-17.md": f"- 14:30 [extracted] {said} (preference, {place})\n"}
    )
    with memoro.open(home, vault) as m:
        firsts = [m.search("do I prefer tables or paragraphs", limit=limit).results[0].path for limit in (1, 2, 10)]
    assert firsts == [path] * 3


def test_where_the_first_are_all_left_out_the_first_that_is_kept_is_shown() -> None:
    found = [
        one._replace(match=one.match._replace(chunk=place)) for place, one in enumerate(map(result, (0.5, 0.4, 0.3)))
    ]
    kept = Cut(tuple(found[1:]), 1)

    assert kept.first(found, 1) == Cut((found[1],), 1)
    assert kept.first(found, 2) == Cut((found[1],), 1)
    assert kept.first(found, 3) == Cut(tuple(found[1:]), 1)
