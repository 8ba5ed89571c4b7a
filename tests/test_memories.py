"""Memories as a caller meets them: stored once, ranked by the formula over every match, and none of them lost."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.errors import (
    ConfigError,
    KeyReused,
    LedgerError,
    MemoryNotFound,
    MemoryRefused,
    NeedsConsent,
    NotFound,
    QueryError,
    Refused,
    UndoConflict,
)
from memoro.model.changes import MemoryChanged
from memoro.model.journal import Authorship, StoredWords
from memoro.model.memories import (
    MAX_BYTES,
    SOURCES,
    UNTRUSTED,
    Memory,
    Weighed,
    plan_pruning,
    stamp,
    trust_of,
    usefulness,
)  # fmt: skip
from memoro.model.vocabulary import TRUSTS, LedgerMode, Mode, Trust
from memoro.workspace import Workspace
from tests.ledgers import database_of
from tests.raw_sqlite import table_bytes

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


class Clock:
    """A clock that is set."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def go(self, **ahead: float) -> None:
        self.now += timedelta(**ahead)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(clock: Clock) -> Iterator[Workspace]:
    with memoro.open(":memory:", clock=clock) as opened:
        yield opened


def settings(home: Path, **memory: object) -> Path:
    """A home with these settings, and no vectors to wait for."""
    home.mkdir()
    lines = [f"{name} = {json.dumps(value)}" for name, value in memory.items()]
    (home / "memoro.toml").write_text("\n".join(["[embedding]", "enabled = false", "[memory]", *lines, ""]))
    return home


def a_memory(content: str, **fields: Any) -> Memory:
    known: dict[str, Any] = {"source": "agent", "trust": "agent_inferred", "created_at": stamp(NOON), **fields}
    return Memory(id=0, content=content, **known)


def put(m: Workspace, *memories: Memory) -> list[int]:
    """Many at once, as they would stand after years of use: what they went through is not the matter here.

    The journal does not tell of them, so the ledger becomes another one, which the index mirrors from the beginning.
    """
    access = m.ledger.access
    with access.ledger.writing() as tx:
        tx.meta.put("identity", uuid4().hex)
        return [tx.memories.insert(one, access.digest(tx, one.content)).id for one in memories]


def dump(m: Workspace) -> dict[str, list[Any]]:
    """Every row of every table of the ledger."""
    with database_of(m.ledger.access.ledger).read() as db:
        names = [str(row[0]) for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def ids(m: Workspace, query: str, limit: int = 20, **how: Any) -> list[int]:
    return [one.memory.id for one in m.memories.query(query, limit, **how).results]


def operations(m: Workspace) -> list[str]:
    return [entry.operation for entry in reversed(m.journal.log(1000))]


def test_what_is_stored_is_found_with_all_that_was_said_about_it(m: Workspace) -> None:
    told = m.narratives.update("We choose a drink")
    done = m.memories.store(
        "Green tea is steeped at eighty degrees", "tea, #drinks,,tea", source="user", session="s", task="t",
        narrative=told.id, valid_from="2026-03-01T00:00Z", valid_to="2026-04-01T00:00Z",
    )  # fmt: skip

    [found] = m.memories.query("steeping tea").results
    assert done.new
    assert found.memory == done.memory == m.memories.get(1)
    assert done.memory == Memory(
        id=1, content="Green tea is steeped at eighty degrees", source="user", trust="user_said",
        created_at="2026-03-05T12:00:00.000Z", tags=("tea", "drinks"), session="s", task="t", narrative=told.id,
        valid_from="2026-03-01T00:00:00.000Z", valid_to="2026-04-01T00:00:00.000Z",
    )  # fmt: skip


def test_the_same_words_are_kept_once_and_the_caller_is_told(m: Workspace) -> None:
    first = m.memories.store("Tea at four", "tea")
    again = m.memories.store("  Tea at four\r\n", "other", source="user")

    assert (again.new, again.memory) == (False, first.memory)
    assert m.memories.stats().memories == 1
    assert operations(m) == ["store"]


def test_the_same_words_are_kept_anew_where_the_old_ones_hold_no_more(m: Workspace, clock: Clock) -> None:
    m.memories.store("Tea at four", valid_to="2026-03-06T00:00Z")
    m.memories.store("Tea at five")
    m.memories.store("Tea at six")
    m.memories.supersede(2, 3)
    clock.go(days=2)

    assert m.memories.store("Tea at four").new
    assert m.memories.store("Tea at five").new
    assert not m.memories.store("Tea at six").new


def test_what_is_much_alike_is_stored_and_offered_as_a_merge(m: Workspace) -> None:
    m.memories.store("The payment API signs requests with HMAC")
    m.memories.store("Lunch is at noon")
    done = m.memories.store("The payment API signs all requests with HMAC")

    assert done.new
    assert [one.memory.id for one in done.nearest if one.says_the_same] == [1]


_TEA = ("tea", "pot", "kettle", "cup", "tray", "spoon", "sugar", "milk", "lemon", "honey")
_WORDS = st.lists(st.sampled_from(_TEA), min_size=1)


@given(kept=st.lists(_WORDS, min_size=1, max_size=12), new=_WORDS, share=st.sampled_from([0.5, 0.7, 0.9]))
def test_whatever_shares_so_many_words_holds_one_of_those_that_are_looked_up(
    kept: list[list[str]], new: list[str], share: float
) -> None:
    with memoro.open(":memory:") as m:
        for words in kept:
            m.memories.store(" ".join(words))
        looked_up = m.ledger.item_index.read(
            "memory", lambda words: {term.word for term in words.telling(words.terms(" ".join(new)), share)}
        )
    for words in kept:
        if len({*words} & {*new}) / len({*words, *new}) >= share:
            assert {*words} & looked_up


def test_of_many_memories_that_share_their_frequent_words_the_one_that_is_alike_is_offered(
    m: Workspace, tmp_path: Path
) -> None:
    many = range(520)  # more than those of which a word is still looked up to rank by it
    brought = [{"content": f"The courier brings parcel {number} to house {number % 40}"} for number in many]
    file = tmp_path / "many.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in brought))
    m.import_(file)
    done = m.memories.store("The courier brings parcel 77 to the house 37")
    assert done.nearest[0].memory.content == "The courier brings parcel 77 to house 37"


def test_a_secret_is_taken_out_before_anything_is_kept(tmp_path: Path) -> None:
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        done = m.memories.store(f"The key is {key}", f"tag-{key}", session=key, task=key, source=key)
        m.memories.update(1, f"The key was {key}")
        m.narratives.update(f"We rotate {key}")
        assert done.redacted
        files = [file for file in home.rglob("*") if file.is_file()]
        assert not [file for file in files if key.encode() in file.read_bytes()]


@pytest.mark.parametrize("nothing", ["", "  ", "\n\t\r\n", "\u3000"])
def test_nothing_cannot_be_stored(m: Workspace, nothing: str) -> None:
    with pytest.raises(MemoryRefused, match="says nothing"):
        m.memories.store(nothing)
    with pytest.raises(Refused, match="says nothing"):
        m.narratives.update(nothing)


def test_a_memory_has_at_most_16_kib(m: Workspace) -> None:
    assert m.memories.store("é" * (MAX_BYTES // 2)).new
    with pytest.raises(MemoryRefused, match="16,386 bytes; up to 16,384"):
        m.memories.store("é" * (MAX_BYTES // 2 + 1))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("tea\x00cup", "tea\ufffdcup"),
        ("cafe\u0301", "caf\u00e9"),
        ("first\r\nsecond", "first\nsecond"),
        ("🫖", "🫖"),
        ("\u202etea\u200b", "\u202etea\u200b"),
    ],
)
def test_any_text_can_be_kept_and_comes_back(m: Workspace, text: str, kept: str) -> None:
    assert m.memories.store(text, [text]).memory.content == kept
    assert m.memories.get(1).content == kept
    assert not m.memories.store(text).new


@given(text=st.text(), tags=st.lists(st.text(max_size=20), max_size=3))
def test_whatever_is_stored_is_kept_whole_or_refused_in_our_words(text: str, tags: list[str]) -> None:
    with memoro.open(":memory:") as m:
        try:
            done = m.memories.store(text, tags)
        except Refused:
            return
        assert m.memories.get(done.memory.id) == done.memory
        assert not m.memories.store(text).new
        m.memories.query(text)


@pytest.mark.parametrize("field", ["source", "session", "task", "agent", "project", "origin", "tags"])
def test_names_are_short_single_lines_and_not_empty(m: Workspace, field: str) -> None:
    kept = m.memories.store("tea", **{field: " one \n line "}).memory  # type: ignore[arg-type]
    assert getattr(kept, field) in ("one line", ("one line",))
    with pytest.raises(Refused, match="201 characters; up to 200"):
        m.memories.store("cup", **{field: "x" * 201})  # type: ignore[arg-type]
    if field != "tags":
        with pytest.raises(Refused, match="is empty"):
            m.memories.store("cup", **{field: " "})  # type: ignore[arg-type]


def brute_force(memories: dict[int, Memory], words: set[str], limit: int, now: datetime) -> list[tuple[int, float]]:
    """The formula over every match: BM25 with a weight above 0 for every word, nothing skipped, no database."""
    texts = {n: [*one.content.split(), *one.tags] for n, one in memories.items()}
    average = sum(map(len, texts.values())) / len(texts)
    held = {word: sum(word in text for text in texts.values()) for word in words}
    weight = {w: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for w, n in held.items() if n}
    ranked = []
    for number, text in texts.items():
        one = memories[number]
        if not words & set(text) or one.superseded_by:
            continue
        longer = 1.2 * (1 - 0.75 + 0.75 * len(text) / average)
        fit = sum(w * text.count(word) * 2.2 / (text.count(word) + longer) for word, w in weight.items())
        fit /= 2.2 * sum(weight.values())
        days = max(0.0, (now - datetime.fromisoformat(one.hit_at or one.created_at)).total_seconds() / 86400)
        use = math.exp(0.2 * max(-10, min(10, one.feedback)))
        use = min(2.0, use) if one.trust in ("tool_or_web", "quarantined") else use
        ranked.append((fit * use / (1 + 0.01 * days), number))
    ranked.sort(reverse=True)
    return _few_of_one_untrusted(ranked, memories, limit)


def _few_of_one_untrusted(
    ranked: list[tuple[float, int]], memories: dict[int, Memory], limit: int
) -> list[tuple[int, float]]:
    seen: Counter[str] = Counter()
    first: list[tuple[int, float]] = []
    later: list[tuple[int, float]] = []
    for worth, number in ranked:
        one = memories[number]
        seen[one.source] += one.trust in UNTRUSTED
        few = one.trust not in UNTRUSTED or seen[one.source] <= max(1, int(0.3 * limit))
        (first if few else later).append((number, worth))
    return (first + later)[:limit]


a_stamp = st.integers(-400 * 24, 400 * 24).map(lambda hours: stamp(NOON + timedelta(hours=hours)))
vocabulary = st.sampled_from(["tea", "cup", "pot", "jug", "mug", "urn"])
some_memories = st.lists(
    st.builds(
        a_memory,
        st.lists(vocabulary, min_size=1, max_size=7).map(" ".join),
        source=st.sampled_from(["agent", "web", "tool"]),
        trust=st.sampled_from(TRUSTS),
        created_at=a_stamp,
        hit_at=st.none() | a_stamp,
        feedback=st.integers(-14, 14) | st.sampled_from([-(10**9), 10**9]),
        tags=st.lists(vocabulary, max_size=2, unique=True).map(tuple),
        superseded_by=st.sampled_from([None, None, None, 10**6]),
        superseded_at=st.just(stamp(NOON)),
    ),
    min_size=1,
    max_size=25,
)


@given(
    memories=some_memories,
    words=st.sets(vocabulary, min_size=1, max_size=3),
    limit=st.integers(1, 12),
    gone=st.sets(st.integers(1, 25), max_size=5),
)
def test_an_answer_is_the_formula_over_every_match(
    memories: list[Memory], words: set[str], limit: int, gone: set[int]
) -> None:
    with memoro.open(":memory:", clock=lambda: NOON) as m:
        known = dict(zip(put(m, *memories), memories, strict=True))
        for number in gone & known.keys():
            m.memories.remove(number, source="user")
            del known[number]
        expected = brute_force(known, words, limit, NOON) if known else []
        found = m.memories.query(" ".join(sorted(words)), limit, mode="words").results

        worths = {one.memory.id: one.worth for one in found}
        assert len(found) == len(expected)
        for (number, worth), one in zip(expected, found, strict=True):
            assert one.worth == pytest.approx(worth, rel=1e-9)
            assert worths.get(number, worth) == pytest.approx(worth, rel=1e-9)
            assert one.worth == pytest.approx(one.fit * one.usefulness * one.recency)
            assert 0 <= one.fit <= 1
            assert 0 < one.recency <= 1
            assert 0 <= one.score < 1


def test_a_better_worth_is_a_better_score(m: Workspace) -> None:
    put(m, *(a_memory("tea " * (1 + n % 4) + "cup " * (n % 3), feedback=n % 7 - 3) for n in range(40)))
    found = m.memories.query("tea", 40, mode="words").results
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
    assert len({round(one.score, 9) for one in found}) > 5


def test_the_worst_fit_of_a_thousand_matches_wins_where_it_was_most_useful(m: Workspace) -> None:
    """A cut before the ranking, however generous, would lose it."""
    put(m, *(a_memory(f"tea tea tea cup{n}") for n in range(1000)))
    put(m, *(a_memory(f"filler{n}") for n in range(1200)))
    [worst] = put(m, a_memory("tea beside a good many other words that nobody asked for at all", feedback=10))

    found = m.memories.query("tea", 200, mode="words").results
    assert found[0].memory.id == worst
    assert found[0].fit < min(one.fit for one in found[1:])
    assert ids(m, "tea", 1, mode="words") == [worst]


def test_feedback_beyond_ten_changes_nothing_and_is_kept_exactly(tmp_path: Path) -> None:
    """A million reinforcements: 10,000 with the greatest weight."""
    with memoro.open(settings(tmp_path / "home", reinforce_weight=100, demote_weight=100)) as m:
        put(m, a_memory("tea one", feedback=10**6 - 100), a_memory("tea two", feedback=10), a_memory("tea three"))
        assert m.memories.reinforce(1).feedback == 10**6
        answers = (m.memories.query(word, 1).results for word in ("one", "two", "three"))
        one, two, three = (answer[0] for answer in answers)
    assert one.usefulness == two.usefulness == pytest.approx(math.exp(2))
    assert one.usefulness <= 7.4
    assert three.usefulness == 1


@given(feedback=st.integers(-(2**70), 2**70), trust=st.sampled_from(TRUSTS))
def test_no_feedback_makes_a_memory_count_more_than_its_bounds(feedback: int, trust: Trust) -> None:
    factor = usefulness(feedback, trust)
    assert math.exp(-2) <= factor <= (2 if trust in UNTRUSTED else math.exp(2))


def test_feedback_ends_where_a_database_cannot_count_further(m: Workspace) -> None:
    put(m, a_memory("tea", feedback=2**62), a_memory("cup", feedback=-(2**62)))
    assert m.memories.reinforce(1).feedback == 2**62
    assert m.memories.demote(2).feedback == -(2**62)


def test_one_untrusted_source_fills_no_more_than_its_share_while_others_have_something_to_say(m: Workspace) -> None:
    put(m, *(a_memory(f"tea tea {n}", source="web", trust="tool_or_web", feedback=9) for n in range(30)))
    put(m, *(a_memory(f"tea and much beside it {n}", feedback=-5) for n in range(8)))

    assert Counter(one.memory.source for one in m.memories.query("tea", 10).results) == {"web": 3, "agent": 7}
    assert Counter(one.memory.source for one in m.memories.query("tea", 20).results) == {"web": 12, "agent": 8}


@pytest.mark.parametrize("mode", ["words", "hybrid"])
def test_the_share_of_one_untrusted_source_holds_however_it_is_found(m: Workspace, mode: LedgerMode) -> None:
    for number in range(8):
        m.memories.store(f"green tea number {number}", source="web")
    for text in ("green leaves", "tea pot", "tea cup", "green tree"):
        m.memories.store(text)
    sources = [one.memory.source for one in m.memories.query("green tea", 5, mode=mode).results]
    assert Counter(sources) == {"web": 1, "agent": 4}


def test_a_query_leaves_no_trace(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea one", "a")
    m.memories.store("tea two")
    before = dump(m)
    clock.go(days=1)
    for how in ({}, {"links": True}, {"archived": True}, {"as_of": "2026-03-05"}, {"tags": "a"}, {"mode": "hybrid"}):
        assert ids(m, "tea", **how)
    assert dump(m) == before


def test_with_a_session_only_what_it_was_given_is_noted(m: Workspace) -> None:
    m.memories.store("tea one")
    m.memories.store("tea two")
    before = dump(m)
    m.memories.query("tea", session="s")
    m.memories.query("nothing holds this", session="s")
    after = dump(m)
    assert after.pop("given") == [("s", 1, 1, stamp(NOON), 0), ("s", 1, 2, stamp(NOON), 0)]
    assert after == {name: rows for name, rows in before.items() if name != "given"}


def test_filters_narrow_a_query(m: Workspace) -> None:
    m.memories.store("tea one", "a,b", agent="codex", project="apollo")
    m.memories.store("tea two", "a")
    assert ids(m, "tea", tags="a,b") == [1]
    assert set(ids(m, "tea", tags="a")) == {1, 2}
    assert ids(m, "tea", agent="claude") == ids(m, "tea", project="hermes") == [2]
    assert set(ids(m, "tea", agent="codex", project="apollo")) == {1, 2}


def test_a_filter_is_applied_before_the_results_are_cut(m: Workspace) -> None:
    for number in range(20):
        m.memories.store(f"green tea number {number}")
    m.memories.store("green tea with lemon and a good many other words", "rare")
    assert ids(m, "green tea", 5, tags="rare") == [21]
    assert ids(m, "green tea", 5, tags="rare", mode="hybrid") == [21]


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_the_number_of_results_is_bounded(m: Workspace, limit: int) -> None:
    with pytest.raises(QueryError, match="from 1 to 200"):
        m.memories.query("tea", limit)
    with pytest.raises(QueryError, match="no mode"):
        m.memories.query("tea", mode="magic")  # type: ignore[arg-type]


def test_reinforce_adds_three_and_renews_demote_takes_one_and_does_not(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea")
    clock.go(days=1)
    up = m.memories.reinforce(1)
    clock.go(days=1)
    down = m.memories.demote(1)
    assert (up.feedback, up.hit_at) == (3, "2026-03-06T12:00:00.000Z")
    assert (down.feedback, down.hit_at) == (2, "2026-03-06T12:00:00.000Z")
    assert m.memories.query("tea").results[0].recency == pytest.approx(1 / 1.01)


def test_an_update_keeps_the_feedback_and_renews(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea at four", "time")
    m.memories.reinforce(1)
    clock.go(days=1)
    done = m.memories.update(1, "tea at five")
    assert (done.feedback, done.tags, done.hit_at) == (3, ("time",), "2026-03-06T12:00:00.000Z")
    assert done == m.memories.get(1)
    assert ids(m, "four", mode="words") == []
    assert ids(m, "five") == [1]
    assert m.memories.update(1, tags="hour").content == "tea at five"
    assert ids(m, "hour") == [1]
    assert ids(m, "time", mode="words") == []
    with pytest.raises(MemoryRefused, match="Nothing to change"):
        m.memories.update(1)


def test_the_weights_are_settings(tmp_path: Path) -> None:
    with memoro.open(settings(tmp_path / "home", reinforce_weight=7, demote_weight=5)) as m:
        m.memories.store("tea")
        assert m.memories.reinforce(1).feedback == 7
        assert m.memories.demote(1).feedback == 2


UNKNOWN: dict[str, Callable[[Workspace, int], object]] = {
    "reinforce": lambda m, n: m.memories.reinforce(n),
    "demote": lambda m, n: m.memories.demote(n),
    "update": lambda m, n: m.memories.update(n, "words"),
    "show": lambda m, n: m.memories.show(n),
    "get": lambda m, n: m.memories.get(n),
    "history": lambda m, n: m.memories.history(n),
    "links": lambda m, n: m.memories.links(n),
    "supersede it": lambda m, n: m.memories.supersede(n, 1),
    "supersede by it": lambda m, n: m.memories.supersede(1, n),
    "trust": lambda m, n: m.memories.trust(n, "user_said"),
    "archive": lambda m, n: m.memories.archive(n),
    "unarchive": lambda m, n: m.memories.unarchive(n),
    "remove": lambda m, n: m.memories.remove(n),
    "forget": lambda m, n: m.memories.forget(n, yes=True),
    "parent": lambda m, n: m.memories.store("child", parents=[n]),
    "narrative": lambda m, n: m.memories.store("told", narrative=n),
    "narrative on it": lambda m, n: m.narratives.update("told", [n]),
    "chain": lambda m, n: m.narratives.chain(n),
    "undo": lambda m, n: m.journal.undo(n),
    "search of narratives": lambda m, n: m.narratives.search(str(abs(n))),
}


@pytest.mark.parametrize("operation", UNKNOWN)
@pytest.mark.parametrize("number", [0, 99, -1, 2**63, 10**18])
def test_an_unknown_number_is_an_error_and_changes_nothing(m: Workspace, operation: str, number: int) -> None:
    m.memories.store("tea")
    before = dump(m)
    with pytest.raises(NotFound, match=str(abs(number))):
        UNKNOWN[operation](m, number)
    assert dump(m) == before


@pytest.mark.parametrize(
    "target", ["memory:2", "memory:²", "memory:", "memory:-1", "memory:1x", f"memory:{'9' * 5000}"]
)
def test_what_names_no_memory_is_not_found_in_our_words(tmp_path: Path, target: str) -> None:
    with memoro.open(settings(tmp_path / "home")) as m:
        m.memories.store("tea")
        with pytest.raises(memoro.MemoroError):
            m.get(target)


def test_an_unknown_source_is_taken_for_the_web(m: Workspace) -> None:
    trusts = {
        source: m.memories.store(f"by {source}", source=source).memory.trust for source in ("user", "agent", "x")
    }
    assert trusts == {"user": "user_said", "agent": "agent_inferred", "x": "tool_or_web"}
    with pytest.raises(QueryError, match="no trust"):
        m.memories.store("tea", trust="holy")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="no trust"):
        m.memories.trust(1, "holy")  # type: ignore[arg-type]


@given(
    source=st.sampled_from(["user", "agent", "web"]),
    wanted=st.sampled_from([None, *TRUSTS]),
    parents=st.lists(st.sampled_from(TRUSTS), max_size=3),
)
def test_what_is_made_from_others_is_trusted_as_the_least_of_them(
    source: str, wanted: Trust | None, parents: list[Trust]
) -> None:
    found = trust_of(source, wanted, [a_memory("x", trust=level) for level in parents])
    assert all(TRUSTS.index(found) <= TRUSTS.index(level) for level in parents)


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["store", "update", "supersede", "reinforce", "remove", "undo", "undo", "archive", "unarchive", "child"]
        ),
        st.integers(1, 4),
        st.integers(1, 12),
        st.sampled_from(["user", "agent", "web"]),
    ),
    max_size=16,
)


@given(steps=steps)
def test_trust_never_rises_unless_a_person_says_so(steps: list[tuple[str, int, int, str]]) -> None:
    """What a memory says is never trusted more than when it was first made to say it."""
    with memoro.open(":memory:") as m:
        allowed: dict[tuple[int, str], int] = {}
        do = m.memories
        for number, source in enumerate(("user", "agent", "web"), 1):
            made = do.store(f"text {number}", source=source).memory
            allowed[made.id, made.content] = TRUSTS.index(made.trust)
        for operation, number, other, source in steps:
            try:
                match operation:
                    case "store":
                        do.store(f"text {other}", source=source)
                    case "child":
                        parent = do.get(number)
                        child = do.store(f"made {other}", source=source, parents=[number])
                        assert not child.new or TRUSTS.index(child.memory.trust) <= TRUSTS.index(parent.trust)
                    case "update":
                        hands = (do.get(number).trust, SOURCES.get(source, "tool_or_web"))
                        new = do.update(number, f"text {other}", source=source)
                        assert TRUSTS.index(new.trust) <= min(map(TRUSTS.index, hands))
                    case "supersede":
                        do.supersede(number, other, source=source)
                    case "reinforce":
                        do.reinforce(number, source=source)
                    case "remove":
                        do.remove(number, source=source)
                    case "undo":
                        m.journal.undo(other)
                    case "archive":
                        do.archive(number)
                    case "unarchive":
                        do.unarchive(number)
            except (LedgerError, Refused):
                continue
            with m.ledger.access.ledger.reading() as tx:
                for one in tx.memories.all():
                    level = TRUSTS.index(one.trust)
                    assert level <= allowed.setdefault((one.id, one.content), level), (operation, one)


def test_an_untrusted_hand_that_rewrites_a_memory_lowers_its_trust_and_undo_gives_it_back(m: Workspace) -> None:
    m.memories.store("tea at four", source="user")
    assert m.memories.update(1, "tea at five", source="web").trust == "tool_or_web"
    assert m.memories.update(1, "tea at six", source="user").trust == "tool_or_web"
    assert m.memories.trust(1, "user_confirmed").trust == "user_confirmed"
    m.memories.store("cup", source="user")
    m.memories.update(2, "mug", source="web")
    m.journal.undo()
    assert (m.memories.get(2).content, m.memories.get(2).trust) == ("cup", "user_said")


def together(m: Workspace, session: str, *numbers: int) -> None:
    m.memories.query("tea", session=session)
    for number in numbers:
        m.memories.reinforce(number, session=session)


def strengths(m: Workspace, number: int) -> dict[int, float]:
    return {link.other(number): link.strength for link in m.memories.show(number).links}


def three(m: Workspace) -> None:
    for text in ("tea one", "tea two", "tea three"):
        m.memories.store(text)


def test_memories_given_together_and_both_reinforced_are_linked(m: Workspace) -> None:
    three(m)
    together(m, "s", 1, 2)
    assert strengths(m, 1) == {2: 1.0}
    assert strengths(m, 2) == {1: 1.0}
    assert strengths(m, 3) == {}


def test_without_a_common_answer_or_a_common_session_nothing_is_linked(m: Workspace) -> None:
    three(m)
    m.memories.reinforce(1, session="s")
    m.memories.reinforce(2, session="s")
    m.memories.query("one", session="t", mode="words")
    m.memories.query("two", session="t", mode="words")
    m.memories.reinforce(1, session="t")
    m.memories.reinforce(2, session="t")
    m.memories.query("tea", session="u")
    m.memories.query("tea", session="v")
    m.memories.reinforce(1, session="u")
    m.memories.reinforce(2, session="v")
    assert m.memories.stats().links == 0


def test_a_pair_counts_once_in_a_session_however_often_it_is_used(m: Workspace) -> None:
    three(m)
    for _ in range(3):
        together(m, "s", 1, 2, 1, 2)
    assert strengths(m, 1) == {2: 1.0}
    together(m, "s", 3)
    assert strengths(m, 3) == {1: 1.0, 2: 1.0}


def test_the_order_in_which_two_are_reinforced_does_not_matter(m: Workspace) -> None:
    three(m)
    m.memories.query("one", session="s")
    m.memories.reinforce(1, session="s")
    together(m, "s", 2, 1)
    assert strengths(m, 1) == {2: 1.0}


def test_without_a_session_the_last_one_that_was_given_it_is_meant(m: Workspace) -> None:
    three(m)
    m.memories.query("tea", session="s")
    m.memories.reinforce(1)
    m.memories.reinforce(2)
    assert strengths(m, 1) == {2: 1.0}


def test_a_link_grows_with_use_and_fades_with_time(m: Workspace, clock: Clock) -> None:
    three(m)
    together(m, "s", 1, 2)
    clock.go(days=90)
    assert strengths(m, 1) == {2: pytest.approx(0.5)}
    together(m, "t", 1, 2)
    assert strengths(m, 1) == {2: pytest.approx(1.5)}
    clock.go(days=-200)
    assert strengths(m, 1) == {2: pytest.approx(1.5)}
    clock.go(days=200 + 400)
    assert m.memories.links(1).linked == ()


def test_links_are_walked_and_shown_as_a_tree_of_which_each_is_part_once(m: Workspace) -> None:
    three(m)
    together(m, "s", 1, 2)
    m.memories.query("two three", session="t", mode="words")
    m.memories.reinforce(2, session="t")
    m.memories.reinforce(3, session="t")
    tree = m.memories.links(1)
    assert [branch.memory.id for branch in tree.linked] == [2]
    assert [branch.memory.id for branch in tree.linked[0].linked] == [3]
    assert m.memories.links(1, depth=1).linked[0].linked == ()


def test_linked_memories_come_on_request_after_the_found_ones_and_are_marked(m: Workspace) -> None:
    three(m)
    m.memories.store("a coffee without it")
    together(m, "s", 1)
    m.memories.query("tea coffee", session="t")
    m.memories.reinforce(1, session="t")
    m.memories.reinforce(4, session="t")

    assert ids(m, "one", mode="words") == [1]
    found = m.memories.query("one", links=True, mode="words").results
    assert [(one.memory.id, one.linked_to) for one in found] == [(1, None), (4, 1)]
    [strength] = strengths(m, 4).values()
    assert found[1].score == pytest.approx(found[0].score * strength / (1 + strength), abs=0.01)
    m.memories.remove(4)
    assert ids(m, "one", links=True, mode="words") == [1]


def test_undo_takes_a_link_back_and_undoing_that_brings_it_again(m: Workspace) -> None:
    three(m)
    together(m, "s", 1, 2)
    m.journal.undo()
    assert strengths(m, 1) == {}
    m.journal.undo(m.journal.log(1)[0].id)
    assert strengths(m, 1) == {2: 1.0}
    assert m.memories.get(2).feedback == 3


def test_a_superseded_memory_leaves_the_view_but_not_the_ledger(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea at four")
    clock.go(hours=1)
    m.memories.store("tea at five")
    m.memories.supersede(1, 2)
    clock.go(hours=1)
    assert ids(m, "tea") == [2]
    assert [one.id for one in m.memories.all()] == [2]
    assert m.memories.get(1).superseded_by == 2
    assert m.memories.show(2).supersedes == (1,)
    assert ids(m, "tea", as_of="2026-03-05T12:30Z") == [1]
    assert m.memories.stats()[:2] == (2, 1)


def test_supersession_goes_on_in_a_chain_and_never_in_a_circle(m: Workspace) -> None:
    for text in ("tea one", "tea two", "tea three", "tea four"):
        m.memories.store(text)
    m.memories.supersede(1, 2)
    m.memories.supersede(2, 3)
    assert set(ids(m, "tea")) == {4, 3}
    before = dump(m)
    for old, new in ((3, 1), (3, 2), (2, 1), (1, 1)):
        with pytest.raises(MemoryRefused, match="supersede"):
            m.memories.supersede(old, new)
    assert dump(m) == before
    m.memories.remove(3)
    assert m.memories.supersede(4, 1).superseded_by == 1  # a gap in the chain is no hindrance


def test_as_of_shows_what_was_said_then_also_of_what_was_updated_since(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea at four", "afternoon")
    clock.go(hours=1)
    m.memories.update(1, "coffee at nine", "morning")
    clock.go(hours=1)
    m.memories.update(1, "water at noon")

    def said(query: str, when: str) -> list[str]:
        return [one.memory.content for one in m.memories.query(query, as_of=when).results]

    assert said("tea", "2026-03-05T12:30Z") == ["tea at four"]
    assert said("coffee", "2026-03-05T13:30Z") == ["coffee at nine"]
    assert said("tea coffee water", "2026-03-05T14:30Z") == ["water at noon"]
    assert said("water", "2026-03-05T12:30Z") == said("tea", "2026-03-05T11:59Z") == []
    assert ids(m, "tea", as_of="2026-03-05T12:30Z", tags="afternoon") == [1]
    assert ids(m, "tea", as_of="2026-03-05T12:30Z", tags="morning") == []


def test_as_of_ranks_by_the_feedback_of_that_time(m: Workspace, clock: Clock) -> None:
    m.memories.store("green tea")
    m.memories.store("tea beside many other words")
    put(m, *(a_memory(f"filler{n}") for n in range(20)))
    for _ in range(4):
        m.memories.reinforce(2)
    clock.go(days=1)
    for _ in range(12):
        m.memories.demote(2)
    assert ids(m, "green tea", 1, mode="words") == [1]
    assert ids(m, "green tea", 1, as_of="2026-03-05T13:00Z", mode="words") == [2]


def test_as_of_sees_through_a_move_to_the_archive_and_back(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea at four")
    clock.go(days=1)
    m.memories.archive(1)
    m.memories.unarchive(1)
    m.memories.update(1, "tea at five")
    [found] = m.memories.query("tea", as_of="2026-03-05T13:00Z").results
    assert found.memory.content == "tea at four"


def test_the_history_tells_all_that_a_memory_went_through(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea at four", source="user")
    m.memories.store("tea at six")
    m.memories.reinforce(1)
    m.memories.demote(1, source="conversation")
    m.memories.update(1, "tea at five")
    m.memories.trust(1, "user_confirmed")
    m.memories.supersede(1, 2, source="user")
    m.memories.archive(1)
    m.memories.unarchive(1)
    clock.go(days=1)
    m.memories.remove(1, source="user")
    m.journal.undo()

    told = m.memories.history(1)
    assert [(entry.operation, entry.actor) for entry in told] == [
        ("store", "user"), ("reinforce", "agent"), ("demote", "conversation"), ("update", "agent"),
        ("trust", "user"), ("supersede", "user"), ("archive", "user"), ("unarchive", "user"),
        ("remove", "user"), ("undo", "user"),
    ]  # fmt: skip
    assert told[0].words == StoredWords("tea at four", ())
    updated = told[3].change
    assert isinstance(updated, MemoryChanged)
    assert (updated.before["content"], updated.after["content"]) == ("tea at four", "tea at five")
    assert told[1].change == MemoryChanged(
        operation="reinforce",
        number=1,
        before={"feedback": 0, "hit_at": None},
        after={"feedback": 3, "hit_at": "2026-03-05T12:00:00.000Z"},
    )
    assert [entry.at[:10] for entry in told[-2:]] == ["2026-03-06", "2026-03-06"]


def test_a_memory_holds_from_its_first_day_to_the_end_of_its_last(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea", valid_from="2026-03-06T00:00Z", valid_to="2026-03-08T00:00Z")
    seen = []
    for _ in range(4):
        seen.append((ids(m, "tea"), m.memories.stats().current, len(m.search("tea", mode="words").results)))
        clock.go(days=1)
    assert seen == [([], 0, 0), ([1], 1, 1), ([1], 1, 1), ([], 0, 0)]
    assert ids(m, "tea", as_of="2026-03-07T00:00Z") == [1]
    m.memories.update(1, valid_to="9999-12-31")
    assert ids(m, "tea") == [1]


@pytest.mark.parametrize("when", ["9999-12-31", "0001-01-01", "9999-12-31T23:59Z", "0001-01-01T00:00+14:00", "Today"])
def test_every_day_of_the_calendar_can_be_named(m: Workspace, when: str) -> None:
    m.memories.store("tea one", valid_from=when)
    m.memories.store("tea two", valid_to=when)
    m.memories.query("tea", as_of=when)
    assert set(ids(m, "tea")) == ({2} if when.startswith("9999") else {1} if when != "Today" else {2, 1})


@pytest.mark.parametrize("when", ["12:99", "2026-02-30T10:00", "soon", "", "2026-13-01"])
def test_what_is_no_time_is_said_to_be_none(m: Workspace, when: str) -> None:
    with pytest.raises(QueryError, match="is not a"):
        m.memories.query("tea", as_of=when or " ")


def test_narratives_are_a_chain_that_can_be_walked_both_ways(m: Workspace) -> None:
    m.memories.store("tea")
    for text in ("We begin", "We go on", "We end"):
        m.narratives.update(text, [1] if text == "We go on" else [])
    first, second, third = (m.narratives.get(n) for n in (1, 2, 3))
    assert (first.previous, first.next, second.previous, second.next, third.previous, third.next) == (
        None, 2, 1, 3, 2, None,
    )  # fmt: skip
    assert [one.id for one in m.narratives.chain(2)] == [1, 2, 3]
    assert [one.id for one in m.narratives.chain(3, before=1)] == [2, 3]
    assert [one.id for one in m.narratives.chain(1, after=0)] == [1]
    assert second.memories == (1,)
    assert m.memories.show(1).narratives == (2,)


def test_each_project_has_a_chain_of_its_own(m: Workspace) -> None:
    for project in (None, "apollo", None, "apollo"):
        m.narratives.update(f"on {project}", project=project)
    assert [one.id for one in m.narratives.chain(4)] == [2, 4]
    assert [one.id for one in m.narratives.chain(3)] == [1, 3]
    assert [told.narrative.id for told in m.narratives.search(project="apollo")] == [4, 2]


def test_narratives_are_found_by_nothing_by_digits_and_by_words(m: Workspace) -> None:
    for text in ("We brew green tea", "We rest", "Tea again"):
        m.narratives.update(text)
    assert [told.narrative.id for told in m.narratives.search()] == [3, 2, 1]
    assert [told.narrative.id for told in m.narratives.search(limit=1)] == [3]
    assert [told.narrative.id for told in m.narratives.search(" 2 ")] == [2]
    assert {told.narrative.id for told in m.narratives.search("tea")} == {1, 3}
    assert m.narratives.search("coffee") == m.narratives.search("9" * 5000) == []
    with pytest.raises(QueryError, match="1 or more"):
        m.narratives.search("tea", 0)


def test_a_memory_belongs_to_the_narrative_of_its_session(m: Workspace) -> None:
    m.narratives.update("Earlier", session="s")
    m.narratives.update("Now", session="s")
    m.narratives.update("Elsewhere", session="t")
    assert m.memories.store("tea", session="s").memory.narrative == 2
    assert m.memories.store("cup", session="t").memory.narrative == 3
    assert m.memories.store("pot", session="u").memory.narrative is None


@pytest.mark.parametrize("order", [(4, 5, 6), (6, 5, 4), (5, 4, 6), (4, 6, 5)])
def test_narratives_that_are_undone_and_brought_back_form_the_same_chain(
    m: Workspace, order: tuple[int, ...]
) -> None:
    for text in ("one", "two", "three"):
        m.narratives.update(text)
    for entry in (2, 1, 3):
        m.journal.undo(entry)
    assert m.narratives.search() == []
    for entry in order:
        m.journal.undo(entry)
    assert [one.summary for one in m.narratives.chain(2)] == ["one", "two", "three"]
    assert [one.summary for one in m.narratives.chain(3)] == ["one", "two", "three"]


KEYED: dict[str, Callable[[Workspace, str], object]] = {
    "store": lambda m, key: m.memories.store("a new one", key=key),
    "reinforce": lambda m, key: m.memories.reinforce(1, key=key),
    "demote": lambda m, key: m.memories.demote(1, key=key),
    "update": lambda m, key: m.memories.update(1, "said better", key=key),
    "supersede": lambda m, key: m.memories.supersede(1, 2, key=key),
    "trust": lambda m, key: m.memories.trust(1, "user_said", key=key),
    "remove": lambda m, key: m.memories.remove(1, key=key),
    "narrative": lambda m, key: m.narratives.update("We begin", key=key),
}


@pytest.mark.parametrize("operation", KEYED)
def test_a_write_repeated_with_its_key_is_done_once(m: Workspace, clock: Clock, operation: str) -> None:
    m.memories.store("tea one")
    m.memories.store("tea two")
    first = KEYED[operation](m, "k")
    after = dump(m)
    clock.go(days=1)
    assert KEYED[operation](m, "k") == first
    assert dump(m) == after
    KEYED[operation](m, "other") if operation != "remove" else m.memories.remove(2, key="other")
    assert len(operations(m)) >= 3


def test_a_key_of_another_write_is_refused(m: Workspace) -> None:
    m.memories.store("tea", key="k")
    before = dump(m)
    for again in (
        lambda: m.memories.store("other tea", key="k"),
        lambda: m.memories.store("tea", "tag", key="k"),
        lambda: m.memories.reinforce(1, key="k"),
        lambda: m.narratives.update("tea", key="k"),
    ):
        with pytest.raises(KeyReused, match="'k' was used for another write"):
            again()
    assert dump(m) == before


def test_a_write_that_failed_does_not_use_up_its_key(m: Workspace) -> None:
    with pytest.raises(MemoryNotFound):
        m.memories.reinforce(1, key="k")
    assert m.memories.store("tea", key="k").new


def test_a_removed_memory_is_gone_and_undo_brings_it_back_whole(m: Workspace) -> None:
    three(m)
    together(m, "s", 1, 2)
    m.narratives.update("We drink", [1])
    before, links = m.memories.show(1), strengths(m, 1)
    assert m.memories.remove(1).content == "tea one"
    assert 1 not in ids(m, "tea")
    with pytest.raises(MemoryNotFound):
        m.memories.get(1)
    m.journal.undo()
    assert m.memories.show(1) == before
    assert strengths(m, 1) == links
    assert 1 in ids(m, "tea")


def test_a_number_is_never_used_twice(m: Workspace) -> None:
    m.memories.store("tea one")
    m.memories.remove(1)
    assert m.memories.store("tea two").memory.id == 2
    m.journal.undo(1 + 1)
    assert m.memories.get(1).content == "tea one"


UNDOABLE: dict[str, Callable[[Workspace], object]] = {
    "store": lambda m: m.memories.store("a new one"),
    "reinforce": lambda m: m.memories.reinforce(1),
    "demote": lambda m: m.memories.demote(1),
    "update": lambda m: m.memories.update(1, "coffee", "cup", valid_to="2030-01-01", source="web"),
    "supersede": lambda m: m.memories.supersede(1, 2),
    "trust": lambda m: m.memories.trust(1, "quarantined"),
    "remove": lambda m: m.memories.remove(1),
    "archive": lambda m: m.memories.archive(1),
    "narrative": lambda m: m.narratives.update("We begin", [1]),
}


def state(m: Workspace) -> dict[str, list[Any]]:
    """All that is kept but the journal and the making of the word index."""
    rows = dump(m)
    kept = {name: rows[name] for name in ("memories", "links", "narratives", "rests_on", "forgotten")}
    kept["words"] = [ids(m, word) for word in ("tea", "coffee", "cup", "new", "begin")]
    return kept


@pytest.mark.parametrize("operation", UNDOABLE)
def test_every_change_can_be_undone_and_the_undo_too_and_so_on(m: Workspace, operation: str) -> None:
    three(m)
    before = state(m)
    UNDOABLE[operation](m)
    after = state(m)
    assert after != before
    for _ in range(2):
        m.journal.undo()  # the change
        assert state(m) == before
        m.journal.undo(m.journal.log(1)[0].id)  # the undo
        assert state(m) == after
    assert m.memories.stats().archived == (operation == "archive")


def test_undo_takes_the_last_change_that_is_in_force_and_then_the_one_before(m: Workspace) -> None:
    three(m)
    m.memories.reinforce(1)
    m.journal.undo()
    m.journal.undo()
    assert set(ids(m, "tea")) == {2, 1}
    assert [(entry.operation, entry.undone_by) for entry in m.journal.log(4)] == [
        ("undo", None), ("undo", None), ("reinforce", 5), ("store", 6),
    ]  # fmt: skip
    m.journal.undo()
    m.journal.undo()
    with pytest.raises(NotFound, match="nothing to undo"):
        m.journal.undo()


def test_a_change_is_undone_once(m: Workspace) -> None:
    m.memories.store("tea")
    m.memories.reinforce(1)
    m.journal.undo(2)
    with pytest.raises(UndoConflict, match=r"Change 2 cannot be undone: it was undone already, by change 3\."):
        m.journal.undo(2)
    assert m.memories.get(1).feedback == 0


def test_undoing_a_reinforcement_is_exact_whatever_came_after(m: Workspace) -> None:
    m.memories.store("tea")
    m.memories.reinforce(1)
    m.memories.reinforce(1)
    m.memories.demote(1)
    m.journal.undo(2)
    assert m.memories.get(1).feedback == 2
    m.journal.undo(4)
    assert m.memories.get(1).feedback == 3


def test_what_was_changed_again_since_is_not_undone_but_said(m: Workspace) -> None:
    m.memories.store("tea at four")
    m.memories.update(1, "tea at five")
    m.memories.update(1, "tea at six")
    before = dump(m)
    with pytest.raises(UndoConflict, match=r"content of \[id:1\] has been changed again since"):
        m.journal.undo(2)
    assert dump(m) == before
    m.memories.remove(1)
    with pytest.raises(UndoConflict, match=r"\[id:1\] is not in the ledger any more"):
        m.journal.undo(1)


def test_undo_does_not_bring_back_what_was_forgotten(m: Workspace) -> None:
    m.memories.store("a secret tea")
    m.memories.remove(1)
    m.memories.store("a secret tea")
    m.memories.forget(2, yes=True)
    with pytest.raises(UndoConflict, match="was forgotten"):
        m.journal.undo(2)
    with pytest.raises(UndoConflict, match="forgotten"):
        m.journal.undo(3)
    with pytest.raises(MemoryRefused, match="forgotten on 2026-03-05"):
        m.memories.store("a secret tea")


def test_undo_right_after_forgetting_changes_nothing_and_names_the_change_before(m: Workspace) -> None:
    three(m)
    m.memories.forget(3, yes=True)
    with pytest.raises(UndoConflict, match=r"forgot for good.*`memoro undo 2`"):
        m.journal.undo()
    assert ids(m, "tea") == [1, 2]
    m.journal.undo(2)
    assert ids(m, "tea") == [1]
    m.memories.store("the cup is blue")
    m.journal.undo()  # the last change again
    with pytest.raises(UndoConflict, match="forgot for good"):
        m.journal.undo()


def test_where_all_was_forgotten_there_is_nothing_to_name(m: Workspace) -> None:
    m.memories.store("the cup is blue")
    m.memories.forget(1, yes=True)
    with pytest.raises(UndoConflict, match=r"brings that back\."):
        m.journal.undo()


def test_all_that_a_source_did_is_taken_back_with_what_was_made_from_it(m: Workspace, clock: Clock) -> None:
    m.memories.store("an old page says tea", source="web")
    clock.go(days=1)
    m.memories.store("the user likes tea", source="user")
    m.memories.store("a page says tea", source="web")
    m.memories.store("so tea it is", parents=[3])
    m.memories.store("and so tea again", parents=[4, 2])
    m.memories.update(2, "the user hates tea", source="web")
    m.memories.reinforce(1, source="web")
    since = "2026-03-06T00:00Z"

    planned = m.journal.undo(by="web", since=since, dry_run=True)
    assert [entry.operation for entry in planned.entries] == ["reinforce", "update", "store"]
    assert m.memories.stats().memories == 5
    done = m.journal.undo(by="web", since=since)
    assert (done.entries, done.refused, done.derived) == (planned.entries, (), (4, 5))
    assert {one.id: (one.content, one.feedback) for one in m.memories.all()} == {
        1: ("an old page says tea", 0),
        2: ("the user likes tea", 0),
    }
    assert m.journal.undo(by="web", since=since).entries == ()


def test_taking_back_a_source_tells_what_it_had_to_leave(m: Workspace) -> None:
    m.memories.store("tea at four")
    m.memories.update(1, "tea at five", source="web")
    m.memories.update(1, "tea at six")
    done = m.journal.undo(by="web", since="2026-03-01")
    assert done.entries == ()
    assert len(done.refused) == 1
    assert "content of [id:1] has been changed again since" in done.refused[0]


def test_what_was_undone_and_brought_back_is_still_the_sources_doing(m: Workspace) -> None:
    m.memories.store("a page says tea", source="web")
    m.journal.undo()
    m.journal.undo(2)
    assert len(m.journal.undo(by="web", since="2026-03-01").entries) == 1
    assert m.memories.all() == []


def test_the_log_tells_the_newest_first_by_source_and_time(m: Workspace, clock: Clock) -> None:
    m.memories.store("tea", source="web")
    clock.go(days=1)
    m.memories.reinforce(1, source="user")
    m.narratives.update("We begin", source="web")
    assert [(e.id, e.operation, e.actor, e.kind, e.item) for e in m.journal.log()] == [
        (3, "narrative", "web", "narrative", 1),
        (2, "reinforce", "user", "memory", 1),
        (1, "store", "web", "memory", 1),
    ]  # fmt: skip
    assert [entry.id for entry in m.journal.log(by="web")] == [3, 1]
    assert [entry.id for entry in m.journal.log(since="2026-03-06T00:00Z")] == [3, 2]
    assert [entry.id for entry in m.journal.log(1)] == [3]
    assert [entry.id for entry in m.journal.log(1, before=3)] == [2]
    assert [entry.id for entry in m.journal.log(kind="memory")] == [2, 1]
    assert m.journal.log()[-1].words == StoredWords("tea", ())


def test_forgetting_needs_a_yes(m: Workspace) -> None:
    m.memories.store("tea", source="web")
    before = dump(m)
    with pytest.raises(NeedsConsent, match="cannot be undone"):
        m.memories.forget(1)
    with pytest.raises(ConfigError, match="Name what"):
        m.memories.forget(yes=True)
    assert not m.memories.forget(1, dry_run=True).done
    assert not m.memories.forget(query="coffee", yes=True).done
    assert dump(m) == before
    assert m.memories.forget(source="web", since="2026-03-01", yes=True).done
    assert m.memories.stats().memories == 0


@pytest.mark.parametrize("days", [-200, 200, -1 / 24, 1 / 24])
def test_a_clock_that_is_set_back_or_ahead_breaks_nothing(tmp_path: Path, clock: Clock, days: float) -> None:
    with memoro.open(settings(tmp_path / "home"), clock=clock) as m:
        three(m)
        together(m, "s", 1, 2)
        m.memories.store("tea four")
        m.memories.supersede(4, 3)
        clock.go(days=days)

        found = m.memories.query("tea", links=True, session="t").results
        assert {one.memory.id for one in found} == {1, 2, 3}
        assert all(0 < one.recency <= 1 and 0 <= one.score < 1 for one in found)
        assert not m.memories.store("tea one").new
        assert {one.path for one in m.search("tea", mode="words").results} == {"memory:1", "memory:2", "memory:3"}
        m.memories.reinforce(1)
        m.memories.update(2, "tea and more")
        m.memories.remove(3)
        m.journal.undo()
        assert [entry.id for entry in m.journal.log(100)] == [*range(len(m.journal.log(100)), 0, -1)]
        assert m.memories.prune().archive == ()
        assert not m.ledger.housekeeping.prune_if_due()
        assert m.memories.stats()[:3] == (4, 3, 0)


def test_a_clock_far_ahead_does_not_prune_past_the_brake(tmp_path: Path, clock: Clock) -> None:
    with memoro.open(settings(tmp_path / "home", max_size="1KB"), clock=clock) as m:
        put(m, *(a_memory(f"tea {n} " + "word " * 50) for n in range(100)))
        for days in (200, -400):
            clock.go(days=days)
            kept = m.memories.stats().memories
            assert not m.ledger.housekeeping.prune_if_due()
            clock.go(days=1)
            assert m.ledger.housekeeping.prune_if_due()
            assert kept - m.memories.stats().memories == int(kept * 0.2)
        assert m.memories.stats().archived == 20 + 16


IN_ZONE = """
import json, sys, memoro
from datetime import UTC, datetime
from memoro.model.memories import moment
home, now = sys.argv[1], datetime(2026, 3, 6, 23, 30, tzinfo=UTC)
with memoro.open(home, clock=lambda: now) as m:
    [found] = m.memories.query("tea").results
    spring = m.memories.store("spring", valid_from="2026-03-08", valid_to="2026-03-08").memory
    print(json.dumps({
        "recency": found.recency,
        "then": m.memories.query("tea", as_of="2026-03-05T23:29:59Z").results == (),
        "bare": moment("2026-03-05T12:00:00").isoformat(),
        "stored": spring.created_at,
        "day": [spring.valid_from, spring.valid_to],
        "dates": [m.get("memory:1").date, *(hit.date for hit in m.search("tea", mode="words").results)],
    }))
"""


@pytest.mark.parametrize(
    ("zone", "day", "date"),
    [
        ("UTC", ["2026-03-08T00:00:00.000Z", "2026-03-09T00:00:00.000Z"], "2026-03-05"),
        ("Asia/Tokyo", ["2026-03-07T15:00:00.000Z", "2026-03-08T15:00:00.000Z"], "2026-03-06"),
        # The night on which clocks go ahead: the day has 23 hours.
        ("America/New_York", ["2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"], "2026-03-05"),
    ],
)
@pytest.mark.process
def test_times_are_kept_in_utc_and_read_as_such_wherever_the_owner_is(
    tmp_path: Path, zone: str, day: list[str], date: str
) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home, clock=lambda: datetime(2026, 3, 5, 23, 30, tzinfo=UTC)) as m:
        m.memories.store("tea")
    done = subprocess.run(
        [sys.executable, "-c", IN_ZONE, str(home)], capture_output=True, text=True, check=False,
        env={**os.environ, "TZ": zone},
    )  # fmt: skip
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["recency"] == 1 / (1 + 0.01 * 1)
    assert told["then"]
    assert told["bare"] == "2026-03-05T12:00:00+00:00"
    assert told["stored"] == "2026-03-06T23:30:00.000Z"
    assert told["day"] == day
    assert told["dates"] == [date, date]


def test_an_archived_memory_is_out_of_the_way_searchable_and_comes_back_whole(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        m.memories.store("tea at four", "time")
        m.memories.reinforce(1)
        m.memories.store("tea at five")
        before = m.memories.get(1)
        m.memories.archive(1)
        assert ids(m, "tea") == [2]
        assert [(one.memory, one.archived) for one in m.memories.query("four", archived=True).results] == [
            (before, True)
        ]
        assert [hit.path for hit in m.search("tea", kind="memory").results] == ["memory:2"]
        assert m.memories.show(1).archived
        with pytest.raises(MemoryNotFound):
            m.memories.reinforce(1)
        assert m.memories.unarchive(1) == m.memories.get(1) == before
        assert set(ids(m, "tea")) == {1, 2}
        assert len(m.search("tea", kind="memory").results) == 2
        with pytest.raises(MemoryNotFound, match="in the archive"):
            m.memories.unarchive(1)
        assert [entry.operation for entry in m.memories.history(1)] == ["store", "reinforce", "archive", "unarchive"]


def test_a_move_that_a_crash_breaks_off_leaves_it_in_both_and_the_next_one_mends_that(tmp_path: Path) -> None:
    with memoro.open(settings(tmp_path / "home")) as m:
        three(m)
        services = m.ledger
        for _ in range(2):
            with pytest.raises(InterruptedError), services.access.ledger.writing() as tx:
                services.archiving._move(tx, [tx.memories.get(1)], Authorship("2026-03-05T12:00:00.000Z", "user"))
                raise InterruptedError
            assert (m.memories.stats().memories, m.memories.stats().archived) == (3, 1)
        assert not m.memories.show(1).archived
        assert sorted(ids(m, "tea", archived=True)) == [1, 2, 3]
        m.memories.archive(1)
        assert (m.memories.stats().memories, m.memories.stats().archived) == (2, 1)


def full(home: Path, clock: Clock, size: str, count: int = 300) -> Workspace:
    """A home whose memories take about 1 KB each, the later ones the more useful."""
    m = memoro.open(settings(home, max_size=size), clock=clock)
    put(m, *(a_memory(f"tea {n} " + f"w{n} " * 200, feedback=n // 40 - 4) for n in range(count)))
    database_of(m.ledger.access.ledger).merge_log()
    return m


def test_nothing_is_pruned_from_what_fits_however_weak_it_is(tmp_path: Path, clock: Clock) -> None:
    with full(tmp_path / "home", clock, "100MB") as m:
        clock.go(days=10_000)
        assert m.memories.prune().archive == ()
        assert m.memories.stats()[:3] == (300, 300, 0)


def test_pruning_takes_the_weakest_until_the_rest_fits_and_the_file_shrinks(tmp_path: Path, clock: Clock) -> None:
    home = tmp_path / "home"
    with full(home, clock, "550KB") as m:
        before, size = m.memories.stats(), (home / "ledger.db").stat().st_size
        rows = table_bytes(home / "ledger.db")["memories"]
        assert before.live_bytes > 550_000
        planned = m.memories.prune(dry_run=True)
        assert m.memories.stats() == before
        done = m.memories.prune()

        after = m.memories.stats()
        moved = len(done.archive)
        assert done.fits
        assert after.live_bytes <= 550_000
        assert sorted(done.archive) == [*range(1, moved + 1)]  # those of the lowest feedback
        assert 0 < moved <= 60
        assert abs(moved - len(planned.archive)) <= 6
        assert (after.memories, after.archived) == (300 - moved, moved)
        # One step of 1 % less, and it would not have fitted.
        assert after.live_bytes + 4 * before.live_bytes / 300 + 1.5 * 8192 > 550_000
        # The journal grows by a page or two: what went from the rows is given back, less that.
        assert table_bytes(home / "ledger.db")["memories"] < rows - moved * 800
        assert (home / "ledger.db").stat().st_size <= size - moved * 800 + 8192
        assert (home / "archive.db").stat().st_size > moved * 800
        assert m.memories.prune().archive == ()  # not 1 % every night for ever

        assert ids(m, "w0", archived=True) == [1]
        assert [entry.operation for entry in m.memories.history(1)] == ["archive"]
        m.memories.unarchive(1)
        assert ids(m, "w0") == [1]


def test_one_run_of_pruning_takes_no_more_than_a_fifth(tmp_path: Path, clock: Clock) -> None:
    with full(tmp_path / "home", clock, "1KB", count=100) as m:
        planned = m.memories.prune(dry_run=True)
        assert (len(planned.archive), planned.fits) == (20, False)
        done = m.memories.prune()
        assert (len(done.archive), done.fits) == (20, False)
        assert m.memories.stats()[:3] == (80, 80, 20)


@given(
    sizes=st.lists(st.tuples(st.integers(1, 5000), st.floats(0, 8)), max_size=60),
    size=st.integers(0, 10**6),
    limit=st.integers(0, 10**6),
    percent=st.floats(0.1, 20),
)
def test_a_plan_takes_the_weakest_within_the_brake_and_no_step_more_than_is_needed(
    sizes: list[tuple[int, float]], size: int, limit: int, percent: float
) -> None:
    memories = [Weighed(n, one, strength) for n, (one, strength) in enumerate(sizes, 1)]
    plan = plan_pruning(memories, size=size, limit=limit, percent=percent, brake=0.2)
    by_strength = sorted(memories, key=lambda one: (one.strength, one.id))
    assert list(plan.archive) == [one.id for one in by_strength[: len(plan.archive)]]
    assert len(plan.archive) <= max(1, int(0.2 * len(memories)))
    if size <= limit:
        assert plan.archive == ()
        assert plan.fits
    per_byte = size / max(1, sum(one.size for one in memories))
    step = max(1, int(len(memories) * percent / 100))
    kept_back = plan.archive[: len(plan.archive) - step]
    left = size - sum(one.size for one in memories if one.id in kept_back) * per_byte
    assert not plan.archive or len(plan.archive) < step or left > limit - 1e-6


def test_pruning_comes_when_the_schedule_says_so(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 3, 5, 12).astimezone())
    with full(tmp_path / "home", clock, "1KB", count=50) as m:
        keeping = m.ledger.housekeeping

        def at(day: int, hour: int, minute: int = 0) -> bool:
            clock.now = datetime(2026, 3, day, hour, minute).astimezone()
            return bool(keeping.prune_if_due())

        assert not at(5, 12), "it was never found too large before"
        assert not at(5, 12, 1)
        assert not at(6, 3, 59)
        assert at(6, 4, 1)
        assert not at(6, 23)
        assert at(9, 1)  # the computer was off at four
        assert not at(8, 1), "a clock was set back"
        assert not at(8, 2)
        assert at(8, 5), "which must not keep it from being pruned"


def test_pruning_by_schedule_counts_the_vectors_as_pruning_by_hand_does(tmp_path: Path, clock: Clock) -> None:
    """They are in the index file: the ledger file alone would fit."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "memoro.toml").write_text('[memory]\nmax_size = "200KB"\n')
    with memoro.open(home, clock=clock) as m:
        put(m, *(a_memory(f"tea {n}") for n in range(500)))
        vectors = 500 * (256 + 20)
        assert m.memories.stats().live_bytes - vectors < 200_000 < m.memories.stats().live_bytes
        m.ledger.housekeeping.prune_if_due()
        clock.go(days=1)
        assert m.ledger.housekeeping.prune_if_due()
        assert m.memories.stats().archived > 0


def test_the_statistics_are_true(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as m:
        three(m)
        m.memories.store("tea four", valid_to="2020-01-01")
        m.memories.store("tea five")
        together(m, "s", 1, 2)
        m.memories.supersede(3, 2)
        m.memories.archive(5)
        m.narratives.update("We drink")
        stats = m.memories.stats()
        database_of(m.ledger.access.ledger).merge_log()
        assert (stats.memories, stats.current, stats.archived, stats.narratives, stats.links) == (4, 2, 1, 1, 1)
        assert stats.changes == len(m.journal.log(100)) == 10
        assert stats.max_bytes == 100_000_000
        assert sum(stats.tables.values()) == (home / "ledger.db").stat().st_size
        assert 0 < stats.live_bytes < sum(stats.tables.values())
        assert stats.archive_bytes > 0


def test_memories_are_found_by_meaning_without_a_vault(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("The cat sleeps on the warm windowsill")
        m.memories.store("Invoices are paid on the first of the month")
        m.memories.store("The server restarts at midnight")
        answer = m.search("money that we owe is settled monthly", kind="memory")
        assert (answer.mode, answer.degraded) == ("hybrid", ())
        assert (answer.results[0].id, answer.results[0].kind) == ("memory:2", "memory")
        assert m.get(answer.results[0].id).text == "Invoices are paid on the first of the month"
        assert ids(m, "money that we owe is settled monthly", 1) == [2]
        assert ids(m, "money that we owe is settled monthly", 1, mode="words") == []


@pytest.mark.parametrize("mode", ["words", "hybrid"])
def test_what_holds_no_more_is_never_in_an_answer(tmp_path: Path, clock: Clock, mode: Mode) -> None:
    with memoro.open(tmp_path / "home", clock=clock) as m:
        for text in ("removed", "superseded", "expired", "archived", "updated", "forgotten", "kept"):
            valid = "2026-03-06T00:00Z" if text == "expired" else None
            m.memories.store(f"green tea {text}", valid_to=valid)
        assert len(m.search("green tea", kind="memory", mode=mode, limit=20).results) == 7
        m.memories.remove(1)
        m.memories.supersede(2, 7)
        m.memories.archive(4)
        m.memories.update(5, "black coffee")
        m.memories.forget(6, yes=True)
        clock.go(days=1)
        found = m.search("green tea", kind="memory", mode=mode, limit=20).results
        assert [hit.path for hit in found if "green tea" in hit.snippet] == ["memory:7"]
        assert {hit.path for hit in found} <= {"memory:5", "memory:7"}
        m.journal.undo(8)
        assert "memory:1" in {hit.path for hit in m.search("green tea", kind="memory", mode=mode).results}


def test_notes_and_memories_are_in_one_search(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "tea.md").write_text("Green tea in a note\n")
    with memoro.open(tmp_path / "home", tmp_path / "vault") as m:
        m.memories.store("Green tea in a memory")
        assert {hit.kind for hit in m.search("green tea").results} == {"note", "memory"}
        assert {hit.kind for hit in m.search("green tea", kind="note").results} == {"note"}
        assert m.search("green tea", kind="memory", tag="x").results == ()


def test_without_a_vault_and_without_memories_a_search_says_what_to_do(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        found = m.search("tea")
    assert found.results == () and "memoro init" in " ".join(found.degraded)


def test_a_search_ranks_a_reinforced_memory_above_its_like(m: Workspace) -> None:
    m.memories.store("green tea in the morning")
    m.memories.store("green tea in the evening")
    for _ in range(4):
        m.memories.reinforce(1)
        m.memories.demote(2)
    assert [hit.path for hit in m.search("green tea", kind="memory").results] == ["memory:1", "memory:2"]


def test_two_workspaces_on_one_home_see_each_other(tmp_path: Path) -> None:
    home = settings(tmp_path / "home")
    with memoro.open(home) as one, memoro.open(home) as other:
        one.memories.store("tea", key="k")
        assert not other.memories.store("tea").new
        assert other.memories.store("tea", key="k").memory.id == 1
        other.memories.reinforce(1)
        assert one.memories.reinforce(1).feedback == 6
        with pytest.raises(KeyReused):
            other.memories.store("other", key="k")


@pytest.mark.parametrize(
    ("name", "value"),
    [("reinforce_weight", 0), ("demote_weight", 101), ("max_size", "huge"), ("prune_schedule", "at four"),
     ("prune_percent", 50)],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=f"memory.{name}"):
        memoro.open(settings(tmp_path / "home", **{name: value}))


def test_memories_that_hold_no_more_do_not_crowd_out_one_that_does(tmp_path: Path, clock: Clock) -> None:
    with memoro.open(tmp_path / "home", clock=clock) as m:
        clock.now = datetime(2026, 1, 5, 12, tzinfo=UTC)
        put(m, *(a_memory(f"green tea {n}", created_at=stamp(clock.now), valid_to="2026-02-01") for n in range(300)))
        m.memories.store("green tea is what the owner drinks in the morning, mostly from the small pot")
        assert len(m.search("green tea", kind="memory", mode="words").results) == 6
        clock.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        for mode in ("words", "hybrid"):
            found = m.search("green tea", kind="memory", mode=mode).results
            assert [hit.id for hit in found] == ["memory:301"], mode


def test_a_memory_is_found_from_the_moment_on_that_it_holds(tmp_path: Path, clock: Clock) -> None:
    with memoro.open(tmp_path / "home", clock=clock) as m:
        m.memories.store("the office moves to Harbour Street", valid_from="2026-06-01")
        assert m.search("office", kind="memory").results == ()
        clock.now = datetime(2026, 6, 2, 12, tzinfo=UTC)
        assert [hit.id for hit in m.search("office", kind="memory").results] == ["memory:1"]


def test_what_a_twin_of_a_forgotten_memory_once_said_is_forgotten_everywhere(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.memories.store("the code is ash")
        m.memories.store("the code is birch")
        m.memories.update(2, "the code is ash")
        m.memories.store("the code is birch")
        m.memories.forget(1, yes=True)
        assert m.memories.all() == []


def test_an_undo_that_is_asked_for_again_with_its_key_takes_back_nothing_more(m: Workspace) -> None:
    for number in range(3):
        m.memories.store(f"fact {number}")
    first = m.journal.undo(key="retry")
    again = m.journal.undo(key="retry")
    assert [entry.id for entry in again.entries] == [entry.id for entry in first.entries] == [3]
    assert len(m.memories.all()) == 2


def test_a_move_that_is_asked_for_again_with_its_key_is_no_error(m: Workspace) -> None:
    m.memories.store("to be archived")
    m.memories.archive(1, key="a")
    assert m.memories.archive(1, key="a").content == "to be archived"
    m.memories.unarchive(1, key="b")
    assert m.memories.unarchive(1, key="b").content == "to be archived"
    with pytest.raises(MemoryNotFound):
        m.memories.unarchive(1)
