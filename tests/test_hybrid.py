"""Words and meaning together: what is found, in which order, and that the account of it is the computation."""

from __future__ import annotations

import json
import re
import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.model.answers import Answer, Match, Passage, Term
from memoro.model.vocabulary import Mode
from memoro.model.words import STOP_WORDS
from memoro.providers.builtin.model import builtin
from memoro.providers.calibration import OF_BUILTIN
from memoro.search import phrasing, signals
from memoro.search.past import time_asked
from memoro.search.weights import weights_in
from memoro.store.ports import Neighbour
from memoro.workspace import Workspace
from tests.conftest import write_vault

NOTES = {
    "car.md": "# Car\n\nThe automobile was repaired on Monday; the mechanic replaced the brakes.\n",
    "bread.md": "# Bread\n\nKnead the dough for ten minutes and let it rise overnight.\n",
    "boat.md": "# Boat\n\nThe ferry to the island leaves at nine.\n",
    "tea.md": "# Tea\n\nGreen tea wants water of eighty degrees.\n",
}


def opened(tmp_path: Path, notes: dict[str, str], settings: str = "") -> Workspace:
    home = tmp_path / "home"
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(settings)
    return memoro.open(home, write_vault(tmp_path / "vault", notes))


def paths(answer: Answer) -> list[str]:
    return [hit.path for hit in answer.results]


def check(answer: Answer) -> None:
    """What holds for every answer by meaning."""
    scores = [hit.score for hit in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for hit in answer.results:
        total = hit.explanation.total
        assert total is not None
        assert sum(part.share for part in hit.explanation.parts) == pytest.approx(total, abs=1e-6)


def test_a_paraphrase_is_found_without_a_common_word(tmp_path: Path) -> None:
    with opened(tmp_path, NOTES) as m:
        answer = m.search("vehicle maintenance")
        assert paths(answer)[0] == "car.md"
        assert answer.results[0].explanation.terms == ()
        assert answer.mode == "hybrid"
        assert m.search("vehicle maintenance", mode="words").results == ()
        assert paths(m.search("vehicle maintenance", mode="vectors"))[0] == "car.md"
        check(answer)


def test_an_exact_word_still_wins(tmp_path: Path) -> None:
    with opened(tmp_path, NOTES) as m:
        assert paths(m.search("ferry"))[0] == "boat.md"
        assert paths(m.search("dough rise"))[0] == "bread.md"


@pytest.mark.parametrize("query", ["zzzz", "xqzvbnm", "asdfgh qwerty", "🎉", "", "   ", "?!", "\x00"])
def test_nonsense_finds_nothing(tmp_path: Path, query: str) -> None:
    with opened(tmp_path, NOTES) as m:
        assert m.search(query).results == ()
        assert m.search(query, mode="vectors").results == ()


@pytest.mark.parametrize(
    "notes",
    [
        {},
        {"a.md": "tea"},
        {f"{i}.md": "the very same words about tea" for i in range(30)},
        {"a.md": "我们决定使用东京的服务器", "b.md": "旅館の朝食は七時半から"},
        {"a.md": "🎉🎉🎉", "b.md": "!!!"},
        {"a.md": "tea " * 5000},
    ],
    ids=["none", "one", "identical", "unknown language", "no words", "one long line"],
)
@pytest.mark.parametrize("query", ["tea", "what is this", "东京", "drinks", "tea " * 25_000])
def test_odd_vaults_and_queries_have_sane_scores(tmp_path: Path, notes: dict[str, str], query: str) -> None:
    with opened(tmp_path, notes) as m:
        for mode in ("hybrid", "vectors"):
            started = time.monotonic()
            check(m.search(query, mode=mode, limit=10))
            assert time.monotonic() - started < 10


WORDS = (
    "tea",
    "green",
    "boat",
    "ferry",
    "car",
    "brakes",
    "dough",
    "May",
    "Monday",
    "茶",
    "東京",
    "the",
    "getUserName",
    "zzz",
)
words = st.sampled_from(WORDS)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


@given(notes=st.lists(texts, min_size=1, max_size=8), query=texts, mode=st.sampled_from(["hybrid", "vectors"]))
def test_every_answer_is_ordered_bounded_and_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, notes: list[str], query: str, mode: Mode
) -> None:
    folder = tmp_path_factory.mktemp("v")
    with memoro.open(":memory:", write_vault(folder, {f"{i}.md": text for i, text in enumerate(notes)})) as m:
        answer = m.search(query, mode=mode, limit=5)
    check(answer)
    assert len({hit.id for hit in answer.results}) == len(answer.results)


def test_what_repeats_an_earlier_result_stands_behind_what_does_not(tmp_path: Path) -> None:
    same = "Green tea wants water of eighty degrees, and no more than two minutes."
    notes = {"a.md": same, "b.md": same, "c.md": "Green tea is kept in a tin.", "d.md": "Nothing about it."}
    with opened(tmp_path, notes) as m:
        found = paths(m.search("green tea water degrees", limit=4))
    assert found.index("c.md") < max(found.index("a.md"), found.index("b.md"))


def test_linked_notes_help_each_other(tmp_path: Path) -> None:
    notes = {
        "plan.md": "# Voyage plan\n\nThe voyage begins in June, see [[Harbour]].\n",
        "harbour.md": "---\naliases: [Harbour]\n---\nThe voyage starts at pier four.\n",
        "other.md": "The voyage starts at pier nine.\n",
    }
    with opened(tmp_path, notes) as m:
        found = {hit.path: hit for hit in m.search("voyage", limit=3).results}
    linked = {path: [p.share for p in hit.explanation.parts if p.name == "linked"] for path, hit in found.items()}
    assert linked["plan.md"]
    assert linked["harbour.md"]
    assert linked["other.md"] == []


def test_a_time_named_in_the_query_counts(tmp_path: Path) -> None:
    notes = {f"daily/2026-{month:02}-10.md": "- 09:00 met the architect" for month in (3, 4, 5, 6)}
    with opened(tmp_path, notes) as m:
        assert paths(m.search("met the architect in May 2026"))[0] == "daily/2026-05-10.md"


def test_time_words_are_seen_from_today() -> None:
    today = date(2026, 11, 15)
    found = time_asked("what did we decide last week?", today)
    assert found is not None
    assert (found.span.first, found.span.last) == (date(2026, 11, 2), date(2026, 11, 8))
    assert time_asked("what may we decide", today) is None


def test_filters_are_applied_before_the_nearest_are_cut(tmp_path: Path) -> None:
    notes = {f"many/{i}.md": f"the automobile number {i} was repaired" for i in range(120)}
    with opened(tmp_path, {**notes, "few/x.md": "a bicycle with a flat tyre"}) as m:
        assert paths(m.search("vehicle repair", path="few", min_score=0)) == ["few/x.md"]
        assert paths(m.search("vehicle repair", path="nowhere", min_score=0)) == []


def test_the_weighted_merge_adds_cosine_and_words(tmp_path: Path) -> None:
    with opened(tmp_path, NOTES, '[query]\nfusion = "weighted"\nmin_score = 0.9\n') as m:
        answer = m.search("ferry island")
        check(answer)
        assert paths(answer) == ["boat.md"]  # below the least score, and kept because it holds the words
        assert m.search("vehicle maintenance").results == ()  # by meaning alone it must reach it


def test_without_vectors_words_answer(tmp_path: Path) -> None:
    with opened(tmp_path, NOTES, "[embedding]\nenabled = false\n") as m:
        answer = m.search("ferry")
        assert (answer.mode, paths(answer)) == ("words", ["boat.md"])
    assert not (tmp_path / "home" / "embeddings.db").exists()


def talk(tmp_path: Path, turns: list[dict[str, str]]) -> Workspace:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "chat.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return opened(tmp_path, {}, f'[transcripts]\nfolders = ["{logs}"]\n')


def test_a_question_about_me_prefers_what_i_said(tmp_path: Path) -> None:
    said = [{"role": role, "content": "the blue bicycle cost 400 euros"} for role in ("assistant", "user")]
    with talk(tmp_path, said) as m:
        assert m.search("how much did my blue bicycle cost").results[0].speaker == "User"
        assert m.search("what did you tell me the blue bicycle cost").results[0].speaker == "Assistant"


@given(texts=st.lists(st.text(alphabet="ab_ tea,É1東", max_size=12), min_size=1, max_size=8))
def test_the_nearest_words_are_the_nearest(texts: list[str]) -> None:
    """Beside the plain way to compute it: every word of the query with every word of a passage."""
    asked, weights = ["tea", "ab"], [3.0, 1.0]

    def nearest(word: str, text: str) -> float:
        held = [w for w in re.findall(r"[^\W_]+", text.lower()) if len(w) > 1 and w not in STOP_WORDS]
        return max((float(model.embed([word])[0] @ model.embed([other])[0]) for other in held), default=0.0)

    model = builtin()
    matches = [Match(Passage("a", "note", "a", None, 1, 1, (), text, "d", 1), (), 0.0) for text in texts]
    terms = [Term(word, f"{word} is never counted") for word in asked]
    found = signals.word_by_word(weights, signals.nearest_words(terms, matches, model).values)
    plain = [sum(w * nearest(word, text) for word, w in zip(asked, weights, strict=True)) / 4 for text in texts]
    assert found == pytest.approx(plain, abs=0.005)


def test_an_answer_follows_a_question_of_someone_else() -> None:
    reply = Passage("c", "transcript", "c", None, 2, 2, (), "yes", "d", 1, "Ann")
    assert signals.answers_a_question(reply, Neighbour(1, "Bob", asks=True)) == 1
    assert signals.answers_a_question(reply, Neighbour(1, "Ann", asks=True)) == 0
    assert signals.answers_a_question(reply, Neighbour(1, "Bob", asks=False)) == 0
    assert signals.answers_a_question(reply._replace(speaker="Assistant"), Neighbour(1, "User", asks=True)) == 0


@pytest.mark.parametrize(
    ("query", "text", "holds"),
    [
        ("How many cups?", "two cups", 1),
        ("How many cups?", "cups", 0),
        ("When was it?", "last Friday", 1),
        ("Where was it?", "we met in Lisbon", 1),
        ("Who was it?", "it was Maria", 1),
        ("Why was it?", "two cups in Lisbon", 0),
    ],
)
def test_a_cue_is_what_the_question_asks_for(query: str, text: str, holds: float) -> None:
    assert signals.cue(query)(text) == holds


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("Can you remind me of the name of the hostel?", "the name of the hostel?"),
        (
            "I was going through our previous chat about pumps. Could you please tell me the price?",
            "pumps. the price?",
        ),
        ("list everything about Heron", "Heron"),
        ("the price of the pump in our conversations", "the price of the pump"),
        ("the price of the pump, based on all our previous chats", "the price of the pump,"),
        ("can you list the order in which the pumps failed?", "the pumps failed?"),
        ("give me a short summary of the garden works", "the garden works"),
        ("Can you recommend some films about bees?", "films about bees?"),
        ("I bake with rye. Any tips?", "I bake with rye. ?"),
        (
            "kannst du mich bitte an den Preis der Pumpe erinnern",
            "kannst du mich bitte an den Preis der Pumpe erinnern",
        ),
        ("erinnere mich an den Preis der Pumpe", "den Preis der Pumpe"),
        ("all notes about the choir trip", "the choir trip"),
        ("I'm trying to recall the code", "the code"),
        ("the plan for all rooms on Monday", "the plan for all rooms on Monday"),
        ("remind me", "remind me"),
        ("", ""),
    ],
)
def test_how_a_question_is_put_is_not_looked_for(query: str, rest: str) -> None:
    assert " ".join(phrasing.asked(query).replace(" .", ".").split()).lstrip(". ") == rest


@pytest.mark.parametrize(
    ("query", "user"),
    [
        ("what did I say about the pump", 1),
        ("in what order did I bring up the pumps in our conversations", 1),
        ("which pumps did I mention in our chats", 1),
        ("what is my pump called, based on our previous conversations", 1),
        ("can you recommend a pump for my garden", 1),
        ("was habe ich dir über meine Pumpe erzählt", 1),
        ("remind me what you told me about my pump", -1),
        ("can you remind me what you recommend for my pump", -1),
        ("what was your advice about my pump", -1),
        ("was hast du mir zu meiner Pumpe empfohlen", -1),
        ("what did you say when I asked about pumps", 0),
        ("what did we talk about in our conversations", 0),
        ("which pump was named in our conversations", 0),
        ("remind me which pump was named", 0),
        ("how many eggs do we have in our fridge", 1),
        ("which pump did you recommend", -1),
        ("what was the pump in our previous chat", -1),
        ("what name we finally decided on", 0),
        ("I'm trying to recall the code on my suit", 0),
        ("pump price", 0),
    ],
)
def test_which_side_of_a_chat_a_question_is_about(query: str, user: float) -> None:
    said = [Passage("c", "transcript", "c", None, 1, 1, (), "x", "d", 1, who) for who in ("User", "Assistant")]
    assert signals.sides(query, said) == [user, -user]


def test_one_answer_among_notes_does_not_outweigh_what_holds_the_words(tmp_path: Path) -> None:
    """Standardised, a signal that one candidate of fifty has counts seven deviations."""
    said = [
        {"role": "user", "speaker": who, "content": text} for who, text in (("Ann", "Is it so?"), ("Bob", "Twice."))
    ]
    notes = {f"{i}.md": f"The ferry to island {i} leaves at nine." for i in range(50)}
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "chat.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in said))
    with opened(tmp_path, notes, f'[transcripts]\nfolders = ["{logs}"]\n') as m:
        found = m.search("ferry island", limit=60).results
    assert found[0].speaker is None
    assert {part.share for hit in found for part in hit.explanation.parts if part.name == "answer"} <= {
        weights_in(OF_BUILTIN)["answer"].short
    }


def test_a_word_of_the_tags_is_there_for_the_nearest_words_too(tmp_path: Path) -> None:
    notes = {
        "a.md": "---\ntags: [heron]\n---\nRepacked the gland with waxed flax.\n",
        "b.md": "Waxed the flax.\n",
    }
    with opened(tmp_path, notes) as m:
        best = m.search("heron flax").results[0]
    assert best.path == "a.md"
    assert {part.name: part.value for part in best.explanation.parts}["word by word"] == pytest.approx(1)


def test_freshness_halves_and_never_passes_one() -> None:
    today = date(2026, 11, 15)
    assert signals.freshness("2026-11-15", today, 30) == 1
    assert signals.freshness("2026-10-16", today, 30) == pytest.approx(0.5)
    assert signals.freshness("2027-01-01", today, 30) == 1  # a clock that was wrong
    assert signals.freshness(None, today, 30) == 0


def test_what_was_said_on_the_day_that_is_asked_about_is_fresh_then(tmp_path: Path) -> None:
    with opened(tmp_path, {"daily/2025-06-01.md": "Green tea, eighty degrees.\n"}) as m:
        (hit,) = m.search("green tea", as_of="2025-06-01").results
    assert {part.name: part.value for part in hit.explanation.parts}["fresh"] == 1
