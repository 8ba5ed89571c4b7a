"""LangGraph's store on the ledger, with LangGraph's own store in memory as the oracle."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import NotFound, Refused, UndoConflict
from memoro.model.output_filter import OutputFilter
from memoro.workspace import Workspace
from tests.conftest import Memoro, times

WHY = "langgraph-checkpoint is not installed (`pip install langgraph-checkpoint`): its store is not tested"
base = pytest.importorskip("langgraph.store.base", reason=WHY)
in_memory = pytest.importorskip("langgraph.store.memory", reason=WHY)

from memoro.adapters.langgraph import MemoroStore, matches  # noqa: E402  (needs the package)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def m(home: Path) -> Iterator[Workspace]:
    with memoro.open(home) as opened:
        yield opened


@pytest.fixture
def store(m: Workspace) -> Any:
    return MemoroStore(m)


# Few names, most of them the same two: what is asked for must often be there. The odd ones try how names are kept.
LABELS = st.sampled_from(["a", "b", "a", "b", "ab", "A", "ä b", "x/y", "a,", '"', "]", "-"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
PREFIXES = st.just(()) | st.just(("a",)) | NAMESPACES
KEYS = st.sampled_from(["k", "l", "ключ"])
NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, -1.5])
LEAVES = st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "tea", "2", "Ünï"])
VALUES = st.dictionaries(
    st.sampled_from(["n", "s", "o"]),
    LEAVES | st.lists(LEAVES, max_size=2) | st.dictionaries(st.sampled_from(["n", "s"]), LEAVES, max_size=2),
    max_size=3,
)
OPERATORS = st.dictionaries(
    st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), NUMBERS, min_size=1, max_size=2
)
NUMBERED = st.builds(lambda n, rest: {**rest, "n": n}, NUMBERS, VALUES)  # so that all of them can be compared
FILTERS = st.none() | st.dictionaries(
    st.sampled_from(["n", "s", "o"]),
    LEAVES
    | OPERATORS
    | st.lists(LEAVES, max_size=2)
    | st.dictionaries(st.sampled_from(["n", "s"]), LEAVES, max_size=1),
    max_size=2,
)
PATHS = st.lists(LABELS | st.just("*"), min_size=1, max_size=2).map(tuple)
CONDITIONS = st.none() | st.lists(
    st.builds(base.MatchCondition, match_type=st.sampled_from(["prefix", "suffix"]), path=PATHS), max_size=2
).map(tuple)

PUTS = st.tuples(NAMESPACES, KEYS, NUMBERED, st.sampled_from([None, False, ["s"]])).map(lambda f: base.PutOp(*f))
COMPARED = st.fixed_dictionaries({"n": NUMBERS | OPERATORS})
OPS = st.one_of(
    PUTS,
    st.tuples(NAMESPACES, KEYS, st.none() | NUMBERED).map(lambda fields: base.PutOp(*fields)),
    st.tuples(NAMESPACES, KEYS).map(lambda fields: base.GetOp(*fields)),
    st.tuples(PREFIXES, FILTERS | COMPARED, st.integers(0, 9), st.integers(0, 3)).map(lambda f: base.SearchOp(*f)),
    st.builds(base.ListNamespacesOp, CONDITIONS, st.none() | st.integers(1, 3), st.integers(0, 9), st.integers(0, 2)),
)


def seen(item: Any) -> Any:
    """An item as an agent may read it: ours filters what it gives, LangGraph's own store does not."""
    return None if item is None else (item.namespace, item.key, OutputFilter().value(item.value))


def everything(op: Any) -> Any:
    return op._replace(limit=10_000, offset=0)


def answers(oracle: Any, op: Any) -> Any:
    """What the oracle says, without namespaces that it remembers though nothing is in them.

    It fails where something cannot be compared with a number; ours says that it does not match.
    """
    for empty in [namespace for namespace, items in oracle._data.items() if not items]:
        del oracle._data[empty]
    try:
        return oracle.batch([op])[0]
    except (TypeError, ValueError):
        return None


@given(st.lists(PUTS, min_size=4, max_size=12), st.lists(st.lists(OPS, min_size=1, max_size=6), max_size=5))
@settings(max_examples=times(60, 5_000))
def test_it_answers_as_langgraphs_own_store(first: list[Any], batches: list[list[Any]]) -> None:
    oracle = in_memory.InMemoryStore()
    with memoro.open(":memory:") as m:
        ours = MemoroStore(m)
        for ops in [first, *batches]:
            reads = [op for op in ops if not isinstance(op, base.PutOp)]
            expected = [answers(oracle, op) for op in reads]
            found = [result for op, result in zip(ops, ours.batch(ops), strict=True) if op in reads]
            whole = {repr(op): answers(oracle, everything(op)) for op in reads if isinstance(op, base.SearchOp)}
            for op, theirs, mine in zip(reads, expected, found, strict=True):
                if isinstance(op, base.GetOp):
                    assert seen(mine) == seen(theirs)
                elif isinstance(op, base.ListNamespacesOp):
                    assert mine == theirs
                elif (eligible := whole[repr(op)]) is not None:
                    check_page(op, mine, eligible)
            oracle.batch([op for op in ops if isinstance(op, base.PutOp)])


SMALL = st.sampled_from(["a", "b", "c"])
PLACES = st.lists(SMALL, min_size=1, max_size=3).map(tuple)
WANTED = st.builds(
    base.MatchCondition,
    match_type=st.sampled_from(["prefix", "suffix"]),
    path=st.lists(SMALL | st.just("*"), min_size=1, max_size=2).map(tuple),
)


@given(st.lists(NUMBERED, min_size=1, max_size=6), st.lists(COMPARED, min_size=1, max_size=4))
@settings(max_examples=times(80, 5_000))
def test_filters_pass_what_they_pass_in_langgraphs_own_store(values: list[Any], filters: list[Any]) -> None:
    ours = [[matches(value, wanted) for value in values] for wanted in filters]
    oracle = in_memory.InMemoryStore()
    for number, value in enumerate(values):
        oracle.put(("a",), str(number), value)
    for wanted, passed in zip(filters, ours, strict=True):
        theirs = {item.key for item in oracle.search(("a",), filter=wanted, limit=100)}
        assert {str(number) for number, one in enumerate(passed) if one} == theirs


@given(
    st.lists(PLACES, min_size=1, max_size=6), st.lists(WANTED, min_size=1, max_size=2), st.none() | st.integers(1, 2)
)
@settings(max_examples=times(80, 5_000))
def test_namespaces_are_listed_as_by_langgraphs_own_store(places: list[Any], wanted: list[Any], depth: Any) -> None:
    oracle = in_memory.InMemoryStore()
    with memoro.open(":memory:") as m:
        ours = MemoroStore(m)
        for store in (ours, oracle):
            store.batch([base.PutOp(place, "k", {}) for place in places])
        op = base.ListNamespacesOp(tuple(wanted), depth, 100)
        assert ours.batch([op]) == oracle.batch([op])


def check_page(op: Any, found: list[Any], eligible: list[Any]) -> None:
    """Which of them come first is left to a store; how many, and that each is eligible, is not."""
    wanted = {(item.namespace, item.key): item.value for item in eligible}
    assert len(found) == max(0, min(op.limit, len(wanted) - op.offset))
    assert all(wanted[item.namespace, item.key] == item.value for item in found)
    assert len({(item.namespace, item.key) for item in found}) == len(found)
    assert all(item.score is None for item in found)


@given(
    st.lists(st.tuples(NAMESPACES, KEYS, VALUES), max_size=8), NAMESPACES | st.just(()), st.sampled_from(["tea", "ü"])
)
@settings(max_examples=times(15, 300))
def test_a_query_puts_in_order_exactly_those_that_are_eligible(puts: Any, prefix: Any, query: str) -> None:
    oracle = in_memory.InMemoryStore()
    with memoro.open(":memory:") as m:
        ours = MemoroStore(m)
        for namespace, key, value in puts:
            ours.put(namespace, key, value)
            oracle.put(namespace, key, value)
        found = ours.search(prefix, query=query, limit=100)
        theirs = oracle.search(prefix, query=query, limit=100)
        assert {(i.namespace, i.key) for i in found} == {(i.namespace, i.key) for i in theirs}
        scores = [item.score for item in found]
        assert scores == sorted((s for s in scores if s is not None), reverse=True) + [s for s in scores if s is None]
        tx = [ours.search(prefix, query=query, limit=2, offset=at) for at in range(0, 10, 2)]
        assert [seen(item) for page in tx for item in page] == [seen(item) for item in found]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
@settings(max_examples=times(60, 5_000))
def test_a_value_is_kept_exactly_and_comes_back_as_an_agent_may_read_it(value: dict[str, Any]) -> None:
    with memoro.open(":memory:") as m:
        store = MemoroStore(m)
        store.put(("a",), "k", value)
        kept = m.items.get("langgraph", ("a",), "k")
        assert kept is not None and json.loads(kept.value) == value
        assert store.get(("a",), "k").value == OutputFilter().value(value)


def test_what_no_database_holds_as_text_is_kept_too(m: Workspace, store: Any) -> None:
    value = {"nul": "a\x00b", "half": "\ud800", "line": "a\r\nb", "inf": math.inf, "accent": "e\u0301"}
    store.put(("a",), "k", value)
    kept = m.items.get("langgraph", ("a",), "k")
    assert kept is not None and json.loads(kept.value) == value
    assert store.get(("a",), "k").value == {
        "nul": "ab", "half": "", "line": "a\nb", "inf": math.inf, "accent": "e\u0301"
    }  # fmt: skip


def test_what_is_put_survives_and_every_search_finds_it(home: Path, memoro: Memoro) -> None:
    with open_(home) as m:
        MemoroStore(m).put(("users", "ada"), "food", {"likes": "gooseberry crumble", "since": 2019})
    with open_(home) as m:
        item = MemoroStore(m).get(("users", "ada"), "food")
        assert item.value == {"likes": "gooseberry crumble", "since": 2019}
        assert item.namespace == ("users", "ada")
    found = memoro("search", "what dessert with gooseberries", "--json").json
    assert [hit["kind"] for hit in found["results"]] == ["memory"]
    assert "likes: gooseberry crumble" in found["results"][0]["snippet"]
    assert memoro("search", "gooseberry", "--tag", "langgraph/users", "--json").json["results"]
    assert not memoro("search", "gooseberry", "--tag", "langgraph/other", "--json").json["results"]


def open_(home: Path, **options: Any) -> Workspace:
    return memoro.open(home, **options)


def test_a_query_finds_by_meaning_and_only_below_the_prefix(store: Any) -> None:
    store.put(("users", "ada"), "1", {"text": "Her favourite food is pizza"})
    store.put(("users", "ada"), "2", {"text": "The car is parked in the north garage"})
    store.put(("users", "bob"), "1", {"text": "His favourite food is pizza"})
    found = store.search(("users", "ada"), query="what does she like to eat", limit=5)
    assert [(item.namespace[1], item.key) for item in found] == [("ada", "1"), ("ada", "2")]
    assert found[0].score > 0.1
    assert found[1].score is None or found[1].score < found[0].score
    assert [item.key for item in store.search(("users",), query="pizza", filter={"text": {"$ne": ""}}, limit=2)] == [
        "1",
        "1",
    ]


def test_what_is_not_indexed_is_kept_and_not_found(m: Workspace, store: Any) -> None:
    store.put(("a",), "hidden", {"text": "zebra"}, index=False)
    store.put(("a",), "half", {"text": "quagga", "secretly": "zebra"}, index=["text"])
    assert [hit.snippet for hit in m.search("zebra", mode="words").results] == []
    assert [hit.snippet for hit in m.search("quagga", mode="words").results] == ["quagga"]
    found = store.search(("a",), query="quagga")
    assert [(item.key, item.score is None) for item in found] == [("half", False), ("hidden", True)]
    store.put(("a",), "half", {"text": "quagga"}, index=False)
    assert not m.search("quagga", mode="words").results
    store.put(("a",), "hidden", {"text": "zebra"})
    assert m.search("zebra", mode="words").results


def test_a_store_may_name_the_fields_that_are_found(m: Workspace) -> None:
    store = MemoroStore(m, fields=["notes[*].text"])
    store.put(("a",), "k", {"notes": [{"text": "okapi", "by": "zebra"}], "raw": "zebra"})
    assert m.search("okapi", mode="words").results
    assert not m.search("zebra", mode="words").results


def test_an_item_is_born_once_and_changed_often(home: Path) -> None:
    clock = Clock()
    with open_(home, clock=clock) as m:
        store = MemoroStore(m)
        store.put(("a",), "k", {"n": 1})
        first = clock.now
        clock.now += timedelta(hours=1)
        store.put(("a",), "other", {"n": 1})
        clock.now += timedelta(hours=1)
        store.put(("a",), "k", {"n": 2})
        item = store.get(("a",), "k")
        assert (item.created_at, item.updated_at) == (first, clock.now)
        assert [one.key for one in store.search(("a",))] == ["k", "other"]  # the last changed first


STEPS = st.one_of(
    st.tuples(st.just("put"), KEYS, st.none() | st.sampled_from([1, 2])),
    st.tuples(st.just("get"), KEYS, st.booleans()),
    st.tuples(st.just("search"), st.none(), st.booleans()),
    st.tuples(st.just("wait"), st.none(), st.sampled_from([0.6, 0.9, 1])),
)


@given(st.lists(STEPS, min_size=8, max_size=25))
@settings(max_examples=times(60, 3_000))
def test_what_has_expired_is_gone_and_what_is_read_lives_on(steps: list[Any]) -> None:
    """The oracle: LangGraph's store, from which what expires is deleted by hand."""
    clock, oracle = Clock(), in_memory.InMemoryStore()
    ends: dict[str, tuple[datetime, float]] = {}
    with memoro.open(":memory:", clock=clock) as m:
        ours = MemoroStore(m)
        for step, key, detail in steps:
            if step == "wait":
                clock.now += timedelta(minutes=detail)
                for gone in [key for key, (end, _) in ends.items() if end <= clock.now]:
                    oracle.delete(("a",), gone)
                    del ends[gone]
            elif step == "put":
                ours.put(("a",), key, {"n": 1}, ttl=detail)
                oracle.put(("a",), key, {"n": 1})
                ends.pop(key, None)
                if detail is not None:
                    ends[key] = (clock.now + timedelta(minutes=detail), detail)
            else:
                if step == "get":
                    found = ours.get(("a",), key, refresh_ttl=detail)
                    assert seen(found) == seen(oracle.get(("a",), key))
                    read = [key] if found else []
                else:
                    read = [item.key for item in ours.search(("a",), refresh_ttl=detail, limit=100)]
                    assert sorted(read) == sorted(item.key for item in oracle.search(("a",), limit=100))
                if detail:
                    ends |= {k: (clock.now + timedelta(minutes=ends[k][1]), ends[k][1]) for k in read if k in ends}
            listed = [("a",)] if oracle.search(("a",)) else []
            assert ours.list_namespaces() == listed


def test_what_has_expired_is_not_found_and_leaves_the_disk(home: Path) -> None:
    clock = Clock()
    with open_(home, clock=clock) as m:
        store = MemoroStore(m, ttl={"default_ttl": 5, "refresh_on_read": False})
        store.put(("a",), "k", {"text": "the gate code is marigold"})
        clock.now += timedelta(minutes=4)
        assert store.get(("a",), "k") is not None
        assert m.search("marigold").results
        clock.now += timedelta(minutes=2)
        assert store.get(("a",), "k") is None
        assert not m.search("marigold").results
        store.put(("a",), "other", {"text": "something else"})
        with m.ledger.access.ledger.reading() as tx:
            assert [item.key for item in tx.items.all()] == ["other"]
            assert [memory.content for memory in tx.memories.all()] == ["something else"]


def test_secrets_are_taken_out_by_shape_and_by_name_and_the_rest_is_as_it_was(m: Workspace, store: Any) -> None:
    token = "ghp_" + "a1B2" * 10
    value = {"password": "hunter2xyz!A9", "list": [f"use {token} here"], "plain": "nothing  odd ", token: 1}
    store.put(("a",), "k", value)
    kept = store.get(("a",), "k").value
    assert "hunter2" not in repr(kept)
    assert token not in repr(kept)
    assert kept["password"].startswith("[redacted:password:")
    assert kept["plain"] == "nothing  odd "
    assert kept["list"][0].startswith("use [redacted:github-token:")
    assert token.encode() not in Path(m.home, "ledger.db").read_bytes()
    with pytest.raises(Refused, match="secret"):
        store.put(("a",), token, {"n": 1})


def test_a_value_that_is_no_json_is_refused_and_the_batch_with_it(store: Any) -> None:
    with pytest.raises(Refused, match="must be JSON"):
        store.batch([base.PutOp(("a",), "good", {"n": 1}), base.PutOp(("a",), "bad", {"n": object()})])
    assert store.get(("a",), "good") is None


def test_every_change_is_taken_back_and_done_again(m: Workspace, store: Any) -> None:
    def text() -> str | None:
        item = store.get(("a",), "k")
        found = m.search("okapi zebra", mode="words").results
        assert [hit.snippet for hit in found] == ([item.value["text"]] if item else [])
        return item.value["text"] if item else None

    store.put(("a",), "k", {"text": "okapi"})
    store.put(("a",), "k", {"text": "zebra"})
    store.delete(("a",), "k")
    assert text() is None
    m.journal.undo()
    assert text() == "zebra"
    m.journal.undo()
    assert text() == "okapi"
    last = m.journal.log(1)[0]
    m.journal.undo(last.id)  # the undo itself
    assert text() == "zebra"
    undone = m.journal.undo(by="langgraph", since="today")
    assert not undone.refused
    assert text() is None


def test_a_person_may_remove_what_they_find_and_take_that_back(store: Any, memoro: Memoro) -> None:
    store.put(("a",), "k", {"text": "okapi"})
    found = memoro("search", "okapi", "--json").json["results"][0]["id"]
    assert memoro("remove", found).code == 0
    assert store.get(("a",), "k") is None
    assert memoro("undo").code == 0
    assert store.get(("a",), "k").value == {"text": "okapi"}
    refused = memoro("edit", found, "zebra")
    assert refused.code != 0
    assert "langgraph" in refused.err


def test_what_is_forgotten_is_in_no_file_and_does_not_come_back(m: Workspace, store: Any, memoro: Memoro) -> None:
    store.put(("a",), "k", {"text": "okapi paddock", "more": "wildebeest enclosure"}, index=["text"])
    store.put(("a",), "k", {"text": "okapi meadow", "more": "wildebeest enclosure"}, index=["text"])
    found = memoro("search", "okapi", "--json").json["results"][0]["id"]
    assert memoro("forget", found, "--yes").code == 0
    assert store.get(("a",), "k") is None
    m.close()
    files = [file for file in Path(m.home).rglob("*") if file.is_file() and "backups" not in file.parts]
    left = b"".join(file.read_bytes() for file in files)
    assert b"wildebeest" not in left
    assert b"paddock" not in left
    with open_(Path(m.home)) as again, pytest.raises(Refused, match="forgotten"):
        MemoroStore(again).put(("a",), "k", {"text": "okapi meadow"}, index=["text"])


def test_an_item_and_a_memory_that_say_the_same_are_two(m: Workspace, store: Any) -> None:
    store.put(("a",), "k", {"text": "Ada likes tea"})
    own = m.memories.store("Ada likes tea").memory
    store.put(("b",), "k", {"text": "Ada likes tea"})
    store.delete(("a",), "k")
    store.delete(("b",), "k")
    assert m.memories.get(own.id).content == "Ada likes tea"


def test_use_strengthens_what_an_item_says_and_a_put_leaves_that(m: Workspace, store: Any) -> None:
    store.put(("a",), "k", {"text": "okapi"})
    number = int(m.search("okapi").results[0].path.removeprefix("memory:"))
    m.memories.reinforce(number)
    store.put(("a",), "k", {"text": "okapi twins"})
    assert (m.memories.get(number).feedback, m.memories.get(number).content) == (3, "okapi twins")
    assert [entry.operation for entry in m.memories.history(number)] == ["put", "reinforce", "put"]


def test_an_item_whose_memory_was_archived_is_still_kept_changed_and_deleted(m: Workspace, store: Any) -> None:
    store.put(("a",), "k", {"text": "okapi"})
    number = int(m.search("okapi").results[0].path.removeprefix("memory:"))
    m.memories.archive(number)
    assert store.get(("a",), "k").value == {"text": "okapi"}
    store.put(("a",), "k", {"text": "okapi twins"})
    assert m.memories.show(number).archived is False
    m.memories.archive(number)
    store.delete(("a",), "k")
    with pytest.raises(NotFound):
        m.memories.get(number)
    m.journal.undo()
    assert store.get(("a",), "k").value == {"text": "okapi twins"}
    assert m.search("okapi").results


def test_an_export_carries_items_into_an_empty_home(m: Workspace, store: Any, tmp_path: Path) -> None:
    store.put(("a", "b"), "k", {"text": "okapi", "odd": "e\u0301\x00"}, ttl=10_000_000)
    store.put(("a", "b"), "k", {"text": "zebra", "odd": "e\u0301\x00"}, ttl=10_000_000)
    store.put(("a",), "silent", {"n": 1}, index=False)
    lines: list[str] = []
    m.export(lines.append)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines))
    with open_(tmp_path / "other") as other:
        report = other.import_(file)
        assert not report.problems
        theirs = MemoroStore(other)
        assert [seen(item) for item in theirs.search((), refresh_ttl=False)] == [
            seen(item) for item in store.search((), refresh_ttl=False)
        ]
        again: list[str] = []
        other.export(again.append)
        assert again == lines
        other.journal.undo(2)
        assert theirs.get(("a", "b"), "k").value["text"] == "okapi"


def test_in_an_event_loop_many_writers_lose_nothing(store: Any) -> None:
    async def work() -> None:
        await asyncio.gather(*(store.aput(("n", str(i % 4)), str(i), {"i": i}) for i in range(40)))
        found = await store.asearch(("n",), limit=100)
        assert sorted(item.value["i"] for item in found) == list(range(40))
        assert (await store.aget(("n", "3"), "7")).value == {"i": 7}
        assert await store.alist_namespaces(prefix=("n",)) == [("n", str(i)) for i in range(4)]
        await store.adelete(("n", "3"), "7")
        assert await store.aget(("n", "3"), "7") is None

    asyncio.run(work())


WRITER = """
import sys, memoro
from memoro.adapters.langgraph import MemoroStore
home, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with memoro.open(home) as m:
    store = MemoroStore(m)
    for i in range(count):
        store.put(("shared", who), str(i), {"i": i})
        store.put(("shared",), "last", {"who": who})
"""


def test_eight_processes_and_threads_at_once_lose_nothing(home: Path, store: Any) -> None:
    count = times(10, 250)
    arguments = [sys.executable, "-c", WRITER, str(home)]
    others = [subprocess.Popen([*arguments, f"p{i}", str(count)], stderr=subprocess.PIPE) for i in range(4)]

    def write(who: str) -> None:
        for i in range(count):
            store.put(("shared", who), str(i), {"i": i})

    threads = [threading.Thread(target=write, args=(f"t{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        _, err = other.communicate(timeout=300)
        assert other.returncode == 0, err.decode()
    assert len(store.search(("shared",), limit=100_000)) == 8 * count + 1
    for who in [f"{kind}{i}" for kind in "pt" for i in range(4)]:
        assert sorted(item.value["i"] for item in store.search(("shared", who), limit=1000)) == list(range(count))


def test_names_that_no_database_holds_name_nothing_and_are_refused(store: Any) -> None:
    store.put(("a",), "k", {"n": 1})
    assert store.get(("a",), "\ud800") is None
    assert store.search(("\ud800",)) == []
    store.delete(("a",), "k")
    for key in ("\ud800", "a\x00b", "k" * 2_000):
        with pytest.raises(Refused, match="cannot be the name"):
            store.put(("a",), key, {"n": 1})


def test_namespaces_that_langgraph_refuses_are_refused(store: Any) -> None:
    for op in (base.PutOp(("a.b",), "k", {}), base.GetOp(("",), "k"), base.SearchOp(("a", "b.c"))):
        with pytest.raises(base.InvalidNamespaceError):
            store.batch([op])
    with pytest.raises(base.InvalidNamespaceError):
        store.put(("langgraph",), "k", {})


def test_what_was_changed_again_is_not_taken_back(m: Workspace, store: Any) -> None:
    store.put(("a",), "k", {"text": "okapi"})
    first = m.journal.log(1)[0].id
    store.put(("a",), "k", {"text": "zebra"})
    with pytest.raises(UndoConflict, match="changed again since"):
        m.journal.undo(first)
    store.delete(("a",), "k")
    deleted = m.journal.log(1)[0].id
    store.put(("a",), "k", {"text": "quagga"})
    with pytest.raises(UndoConflict, match="is there again"):
        m.journal.undo(deleted)
    assert store.get(("a",), "k").value == {"text": "quagga"}


CHANGES = st.lists(
    st.tuples(KEYS, st.none() | VALUES, st.sampled_from([None, False, ["s"]])), min_size=1, max_size=10
)


@given(CHANGES, st.data())
@settings(max_examples=times(40, 2_000))
def test_changes_are_taken_back_one_by_one_and_done_again(changes: list[Any], data: st.DataObject) -> None:
    with memoro.open(":memory:") as m:
        store = MemoroStore(m)

        def state() -> Any:
            items = {item.key: (item.value, item.created_at, item.updated_at) for item in store.search((), limit=99)}
            return items, sorted((one.id, one.content) for one in m.memories.all())

        states = [state()]
        for key, value, index in changes:
            store.batch([base.PutOp(("a",), key, value, index)])
            if len(m.journal.log(99)) == len(states):
                states.append(state())  # a delete of what is not there changes nothing
        back = data.draw(st.integers(0, len(states) - 1))
        for before in states[::-1][1 : back + 1]:
            m.journal.undo()
            assert state() == before
        for after, entry in zip(states[len(states) - back :], m.journal.log(back), strict=True):
            m.journal.undo(entry.id)  # the undo itself, the last one first
            assert state() == after
