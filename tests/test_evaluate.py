"""`memoro eval`: its figures against slow and obvious ones, its stories, and the questions that ship with it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import os
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw
import pytest
from benchmarks import chats
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import ConfigError
from memoro.evaluate import metrics, questions
from memoro.evaluate.questions import LabelledCollection, Question
from memoro.evaluate.run import EvaluationOptions
from memoro.model.words import STOP_WORDS, searchable, searchable_query
from memoro.store.terms import terms, tokenizer
from tests.conftest import Memoro, run_memoro, write_vault

ROOT = Path(__file__).parent.parent
DATA = ROOT / "benchmarks" / "data"
SAMPLE = ROOT / "src" / "memoro" / "demo" / "vault"

names = st.text("abcdef", min_size=1, max_size=1)
rankings = st.lists(names, unique=True, max_size=6)
relevants = st.sets(names, min_size=1)


@given(rankings, relevants, st.integers(1, 12))
def test_recall_is_the_share_found_when_counted_one_by_one(
    ranking: list[str], relevant: set[str], depth: int
) -> None:
    found = 0
    for place in range(len(ranking)):
        if place < depth and ranking[place] in relevant:
            found += 1
    assert metrics.recall(ranking, relevant, depth) == found / len(relevant)


@given(rankings, relevants)
def test_ndcg_is_the_gain_over_that_of_the_best_order(ranking: list[str], relevant: set[str]) -> None:
    def gain(order: list[str]) -> float:
        return sum(1 / math.log2(place + 2) for place in range(len(order)) if order[place] in relevant)

    best = [*sorted(relevant), *sorted(set(ranking) - relevant)]
    assert metrics.ndcg(ranking, relevant) == pytest.approx(gain(ranking) / gain(best))


@given(rankings, relevants)
def test_the_reciprocal_rank_is_that_of_the_first_right_one(ranking: list[str], relevant: set[str]) -> None:
    right = [place + 1 for place in range(len(ranking)) if ranking[place] in relevant]
    assert metrics.reciprocal_rank(ranking, relevant) == (1 / min(right) if right else 0)


@given(st.lists(names, max_size=12), relevants)
def test_a_thing_found_twice_counts_once_and_every_figure_is_a_share(ranking: list[str], relevant: set[str]) -> None:
    found = metrics.figures(ranking, relevant, (1, 5, 10))
    assert found == metrics.figures([*ranking, *ranking], relevant, (1, 5, 10))
    assert all(0 <= value <= 1 + 1e-9 for value in (*found.recall.values(), found.ndcg, found.mrr))


@given(st.lists(rankings, min_size=1), relevants)
def test_a_mean_is_the_sum_over_the_count(several: list[list[str]], relevant: set[str]) -> None:
    found = [metrics.figures(ranking, relevant, (1, 10)) for ranking in several]
    mean = metrics.mean(found)
    assert mean.recall[10] == pytest.approx(sum(f.recall[10] for f in found) / len(found))
    assert mean.mrr == pytest.approx(sum(f.mrr for f in found) / len(found))


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_the_least_value_that_enough_do_not_exceed(values: list[float], share: float) -> None:
    enough = [v for v in values if sum(other <= v for other in values) / len(values) >= share - 1e-12]
    assert metrics.percentile(values, share) == min(enough)


scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


@given(scores, scores)
def test_the_area_under_the_curve_is_what_walking_along_it_gives(right: list[float], wrong: list[float]) -> None:
    points = [(0.0, 0.0)]
    for threshold in sorted({*right, *wrong}, reverse=True):
        points.append(
            (sum(s >= threshold for s in wrong) / len(wrong), sum(s >= threshold for s in right) / len(right))
        )
    walked = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    assert metrics.area_under_curve(right, wrong) == pytest.approx(walked)


def test_a_question_without_an_answer_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="right answer"):
        metrics.figures(["a"], [], (1,))


SCORER = Path(os.environ.get("MEMORO_DATA") or ROOT.parent / "shared" / "data") / "score.py"


@pytest.mark.skipif(not SCORER.exists(), reason="the shared scorer is not on this machine")
@given(rankings, relevants)
def test_the_figures_are_those_of_the_shared_scorer(ranking: list[str], relevant: set[str]) -> None:
    spec = importlib.util.spec_from_file_location("score", SCORER)
    assert spec and spec.loader
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    theirs = score.metrics({"relevant": sorted(relevant), "sessions": []}, ranking, {})
    ours = metrics.figures(ranking, relevant, (1, 5, 10, 50))
    assert [ours.ndcg, ours.mrr] == pytest.approx([theirs["nDCG@10"], theirs["MRR"]])
    assert {f"R@{depth}": value for depth, value in ours.recall.items()} == {
        key: value for key, value in theirs.items() if key.startswith("R@")
    }


def test_recall_is_taken_no_deeper_than_the_results_go() -> None:
    assert [EvaluationOptions(("words",), k).depths for k in (1, 3, 10, 50)] == [
        (1,),
        (1, 3),
        (1, 5, 10),
        (1, 5, 10, 50),
    ]


NOTES = {
    "kitchen.md": "# Kitchen\n\nThe oven door sticks; lift it a little while closing.",
    "garden.md": "# Garden\n\nTomatoes want water every evening in July.",
    "work/release.md": "# Release\n\nThe canary runs for twenty minutes before the rollout.",
}
TOML = """
[[question]]
query = "oven door"
expect = "kitchen.md"
category = "home"

[[question]]
query = "when to water tomatoes"
expect = ["garden.md"]
category = "home"

[[question]]
query = "how long is the canary"
expect = ["work/release.md", "garden.md"]
"""


@pytest.fixture
def asked(vault: Path, tmp_path: Path) -> Path:
    write_vault(vault, NOTES)
    file = tmp_path / "questions.toml"
    file.write_text(TOML)
    return file


def test_eval_compares_the_modes_in_a_table(memoro: Memoro, asked: Path) -> None:
    done = memoro("eval", str(asked))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("3 questions")
    assert lines[2].split() == ["mode", "recall@1", "recall@5", "recall@10", "nDCG@10", "MRR", "median", "p95"]
    assert [line.split()[0] for line in lines[3:]] == ["hybrid", "words", "vectors"]


def test_eval_as_json_has_the_figures_of_the_questions(memoro: Memoro, asked: Path) -> None:
    document = memoro("eval", str(asked), "--mode", "words", "--by-category", "--json").json
    assert (document["questions"], document["k"]) == (3, 10)
    rows = {row["category"]: row for row in document["rows"]}
    assert set(rows) == {None, "home", ""}
    assert rows["home"]["recall"]["1"] == 1.0
    assert rows[""]["recall"]["1"] == 0.5  # one of its two notes can stand first
    assert rows[None]["mrr"] == 1.0
    assert rows[None]["questions"] == 3


def test_eval_reads_json_lines_and_asks_for_as_many_results_as_told(memoro: Memoro, asked: Path) -> None:
    lines = asked.with_suffix(".jsonl")
    lines.write_text(
        '{"query": "oven door", "expect": "kitchen.md"}\n\n{"query": "canary", "expect": ["garden.md"]}\n'
    )
    document = memoro("eval", str(lines), "--mode", "words", "-k", "3", "--json").json
    assert document["rows"][0]["recall"] == {"1": 0.5, "3": 0.5}


def test_eval_says_which_expected_notes_are_not_there(memoro: Memoro, asked: Path) -> None:
    asked.write_text('[[question]]\nquery = "oven"\nexpect = "kitchn.md"\n')
    done = memoro("eval", str(asked), "--mode", "words")
    assert done.code == 0
    assert done.err == "memoro: expected, but not in the vault: kitchn.md\n"


def test_compare_shows_both_settings_and_the_difference_and_leaves_the_home_alone(
    memoro: Memoro, asked: Path, home: Path
) -> None:
    memoro("sync")
    before = sorted(file.name for file in home.iterdir())
    other = asked.with_name("small.toml")
    other.write_text("[chunking]\ntokens = 100\noverlap = 10\n")
    arguments = ("eval", str(asked), "--mode", "words", "--compare", str(other))
    document = memoro(*arguments, "--json").json
    assert [row["settings"] for row in document["rows"]] == ["yours", "small.toml"]
    assert document["differences"][0]["recall"] == {"1": 0.0, "5": 0.0, "10": 0.0}
    assert [line.split()[0] for line in memoro(*arguments).out.splitlines()[2:]] == [
        "settings",
        "yours",
        "small.toml",
        "difference",
    ]
    assert sorted(file.name for file in home.iterdir()) == before


def labelled() -> dict[str, Any]:
    said = ["I adopted a cat called Miso", "She sleeps on the piano", "The train to Porto was late"]
    return {
        "collection": "c",
        "documents": [
            {"id": f"d{i}", "session": f"s{i // 2}", "date": "2026-01-02", "speaker": "user", "text": text}
            for i, text in enumerate(said)
        ],
        "queries": [
            {
                "id": "q0",
                "text": "what is the cat called",
                "relevant": ["d0"],
                "sessions": ["s0"],
                "category": "pets",
            },
            {
                "id": "q1",
                "text": "cat or train",
                "relevant": ["d2"],
                "sessions": ["s1"],
                "category": "travel",
                "haystack": ["s1"],
            },
        ],
    }


@pytest.mark.parametrize("packed", [True, False])
def test_a_labelled_set_is_searched_as_transcripts_each_question_in_its_haystack(
    packed: bool, tmp_path: Path
) -> None:
    data = json.dumps(labelled()).encode() + b"\n"
    file = tmp_path / ("set.jsonl.gz" if packed else "set.jsonl")
    file.write_bytes(gzip.compress(data) if packed else data)
    done = run_memoro("--home", str(tmp_path / "home"), "eval", str(file), "--by-category", "--json")
    assert done.code == 0, done.err
    assert {(row["category"], row["questions"]) for row in done.json["rows"]} == {
        (None, 2),
        ("pets", 1),
        ("travel", 1),
    }
    assert all(row["recall"]["1"] == 1.0 for row in done.json["rows"])
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("q.toml", "[[question]\n", "is not valid TOML"),
        ("q.toml", "", "holds no questions"),
        ("q.toml", "title = 'x'\n", "nothing else"),
        ("q.toml", "question = ['x']\n", "question 1 is not a table"),
        ("q.toml", "[[question]]\nexpect = 'a.md'\n", "question 1 has no query"),
        ("q.toml", "[[question]]\nquery = 'a'\nexpect = []\n", "does not say which note"),
        ("q.toml", "[[question]]\nquery = 'a'\nexpect = 'a.md'\nmode = 'words'\n", "has 'mode'"),
        ("q.toml", "[[question]]\nquery = 'a'\nexpect = 'a.md'\ncategory = 3\n", "category must be a text"),
        ("q.jsonl", "query: a\n", "line 1 is not JSON"),
        ("q.jsonl", "\n[1]\n", "line 2 is not an object"),
        ("q.jsonl", '{"query": "", "expect": "a.md"}', "has no query"),
        ("q.jsonl", "[" * 100_000, "is not JSON"),
        ("q.jsonl.gz", "not packed", "is not JSON"),
        ("q.jsonl.gz", b"\x1f\x8b\x08broken", "cannot be decompressed"),
        ("q.jsonl", b"\xff\xfe\x00", "is not UTF-8"),
        ("q.jsonl", '{"documents": [], "queries": [{}]}', "is not a labelled collection"),
        ("q.jsonl", '{"documents": 3, "queries": []}', "is not a labelled collection"),
        ("q.jsonl", '{"documents": [], "queries": [{"text": "a", "relevant": ["d"]}]}', "names no document"),
        ("q.jsonl", '{"documents": [], "queries": []}', "holds no questions"),
    ],
)
def test_a_file_that_cannot_be_understood_is_said_so(name: str, content: str | bytes, sentence: str) -> None:
    data = content.encode() if isinstance(content, str) else content
    with pytest.raises(ConfigError, match=sentence):
        questions.parse(data, name)


@given(st.binary(max_size=200), st.sampled_from(["q.toml", "q.jsonl", "q.jsonl.gz"]))
def test_any_bytes_are_questions_or_a_sentence(data: bytes, name: str) -> None:
    try:
        assert all(isinstance(one, Question | LabelledCollection) for one in questions.parse(data, name))
    except ConfigError as error:
        assert str(error).startswith(name)


@pytest.mark.parametrize(
    "arguments",
    [["nowhere.toml"], ["."], ["q.toml", "-k", "0"], ["q.toml", "--compare", "nowhere"], ["q.toml", "--mode", "x"]],
)
def test_wrong_arguments_are_exit_code_2_and_a_sentence(
    memoro: Memoro, asked: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(asked.parent)
    asked.rename(asked.parent / "q.toml")
    done = memoro("eval", *arguments)
    assert done.code == 2
    assert done.err.startswith("memoro: ") and done.err.count("\n") == 1


def test_settings_to_compare_with_are_checked_before_the_first_question(memoro: Memoro, asked: Path) -> None:
    other = asked.with_name("other.toml")
    other.write_text("[query]\nmod = 'words'\n")
    done = memoro("eval", str(asked), "--compare", str(other))
    assert done.code == 2
    assert "query.mod" in done.err


def stems(text: str) -> set[str]:
    """What a text is about: its words without those that only build sentences, as the index keeps them."""
    tokenize = tokenizer(apsw.Connection(":memory:"))
    return {t.stem for t in terms(text, tokenize) if t.word.lower() not in STOP_WORDS}


def test_the_paraphrases_share_no_content_word_with_their_notes() -> None:
    pairs = tomllib.loads((DATA / "paraphrase.toml").read_text())["pair"]
    assert len(pairs) >= 120
    assert len({pair["query"] for pair in pairs}) == len({pair["note"] for pair in pairs}) == len(pairs)
    assert {pair["domain"] for pair in pairs} == {"software", "home", "health", "travel", "money", "people"}
    shared = {
        pair["query"]: both
        for pair in pairs
        if (both := stems(searchable_query(pair["query"])) & stems(searchable(pair["note"])))
    }
    assert shared == {}
    assert all(stems(searchable_query(pair["query"])) for pair in pairs)


def test_questions_for_attributes_share_only_the_name_of_their_subject_with_the_answers() -> None:
    halves = tomllib.loads((DATA / "attributes.toml").read_text())
    found = [
        (subject, question, statement)
        for subjects in halves.values()
        for subject, pairs in subjects.items()
        for question, statement in pairs.values()
    ]
    sentence_building = stems("ist wird hat der die das den ein eine bei mit für und wir sich")
    shared = {
        question: both
        for subject, question, statement in found
        if (both := (stems(question) & stems(statement)) - stems(subject) - sentence_building)
    }
    assert shared == {}
    assert len({question for _, question, _ in found}) == len(found) >= 150
    assert len({name for subjects in halves.values() for pairs in subjects.values() for name in pairs}) >= 60


def test_the_questions_about_the_sample_vault_are_as_many_with_an_answer_as_without() -> None:
    table = tomllib.loads((DATA / "abstention.toml").read_text())
    assert len(table["present"]) == 100
    assert len(set(table["absent"])) == len(set(table["elsewhere"])) == 100
    assert len({one["query"] for one in table["present"]}) == 100
    assert {one["expect"] for one in table["present"] if not (SAMPLE / one["expect"]).is_file()} == set()


def test_the_questions_of_other_kinds_expect_what_is_there() -> None:
    table = tomllib.loads((DATA / "kinds.toml").read_text())
    there = {*table["notes"], *(name for turns in table["talk"].values() for name in turns)}
    assert len(table["question"]) >= 40
    assert {one["kind"] for one in table["question"]} == {"steps", "list", "order"}
    assert {name for one in table["question"] for name in one["expect"]} <= there
    assert all(len(one["expect"]) > 1 for one in table["question"])


def test_the_chats_are_the_same_each_time_and_every_question_has_its_turns() -> None:
    made = chats.collections()
    assert made == chats.collections() != chats.collections(seed=2)
    for collection in made:
        ids = [turn.id for turn in collection.turns]
        assert len(ids) == len(set(ids))
        assert {name for question in collection.questions for name in question.relevant} <= set(ids)
