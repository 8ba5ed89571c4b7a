"""Requests within the limits of a server; a bad text is isolated, and a bad server is not mistaken for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import (
    AddressRefused,
    Interrupted,
    KeyRefused,
    LeftAlone,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
    RequestTooLarge,
    ServerFailed,
    TextRejected,
    WrongWidth,
)
from memoro.model.vocabulary import Role
from memoro.providers.batched import CONTROL_TEXT, Batched
from memoro.providers.cached import Cached, digest
from memoro.providers.checked import Checked
from memoro.providers.ports import EmbedderInfo
from memoro.providers.records import ServerFacts
from memoro.providers.request_plan import NO_EVIDENCE, NOTHING, Evidence, Limits, RequestSize, concluded, plan
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.plain.vectors import PlainCache
from tests.scripted_embedders import Scripted, Server, breaks, exact

TEXTS = [f"text number {n}" for n in range(64)]
MORE_TEXTS = [f"another text {n}" for n in range(64)]


@pytest.fixture
def records() -> PlainProviderRecords:
    return PlainProviderRecords()


@pytest.fixture
def server_name(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)  # what a process learns about a server, it keeps


def batched(inner: Scripted, records: PlainProviderRecords, server: str) -> Batched:
    return Batched(Cached(Checked(inner), PlainCache(), rejected=lambda: records), lambda: records, server)


def sizes(inner: Scripted) -> list[int]:
    return [len(texts) for _, texts in inner.asked]


# --- the plan -------------------------------------------------------------------------------------------


@given(
    costs=st.lists(st.integers(0, 50), max_size=60),
    limits=st.builds(Limits, st.integers(1, 20), st.integers(1, 100)),
)
def test_every_text_is_in_one_request_in_order_and_none_is_above_a_limit(costs: list[int], limits: Limits) -> None:
    requests = plan(costs, limits)
    assert [place for request in requests for place in request] == list(range(len(costs)))
    for request in requests:
        assert 1 <= len(request) <= limits.texts
        assert len(request) == 1 or sum(costs[place] for place in request) <= limits.tokens


@given(
    costs=st.lists(st.integers(1, 9), max_size=30), limits=st.builds(Limits, st.integers(1, 9), st.integers(9, 40))
)
def test_no_two_neighbouring_requests_would_fit_into_one(costs: list[int], limits: Limits) -> None:
    requests = plan(costs, limits)
    for one, other in pairwise(requests):
        first = costs[other.start]
        assert len(one) == limits.texts or sum(costs[p] for p in one) + first > limits.tokens


# --- limits are learnt ----------------------------------------------------------------------------------


def replayed(events: list[tuple[bool, RequestSize]]) -> Evidence:
    evidence = NO_EVIDENCE
    for passed, size in events:
        evidence = evidence.after_pass(size) if passed else evidence.after_refusal(size)
    return evidence


@given(cap=st.integers(1, 63), sent=st.lists(st.integers(1, 64), min_size=1, max_size=40))
def test_a_limit_that_is_learnt_is_never_above_the_true_one_nor_below_what_passed(cap: int, sent: list[int]) -> None:
    evidence = replayed([(n <= cap, RequestSize(n, 10 * n)) for n in sent])
    found = concluded(Limits(64, 100_000), evidence)
    if found.texts != 64:
        assert evidence.passed.texts == found.texts <= cap
    if found.tokens != 100_000:
        assert found.tokens >= evidence.passed.tokens > 0


@given(sent=st.lists(st.tuples(st.booleans(), st.integers(1, 64)), max_size=30))
def test_a_refusal_that_a_later_pass_contradicts_teaches_nothing(sent: list[tuple[bool, int]]) -> None:
    events = [(passed, RequestSize(n, n)) for passed, n in sent]
    assert concluded(Limits(64, 64), replayed([*events, (True, RequestSize(64, 64))])) == Limits(64, 64)


def test_where_as_many_texts_have_passed_tokens_were_too_many() -> None:
    short, long = RequestSize(32, 320), RequestSize(16, 6400)
    evidence = replayed([(False, RequestSize(64, 25_600)), (False, long), (False, long), (True, short)])
    assert concluded(Limits(64, 100_000), evidence) == Limits(64, 3200)
    assert concluded(Limits(64, 100_000), Evidence((long, long), short)) == Limits(64, 100_000), "two may be chance"
    assert concluded(Limits(64, 100_000), Evidence((long,) * 3, NOTHING)) == Limits(64, 100_000)


@pytest.mark.parametrize("cap", [1, 7, 10, 16, 20, 64])
def test_a_cap_that_the_server_names_costs_one_call(
    cap: int, records: PlainProviderRecords, server_name: str
) -> None:
    server = Server(most_texts=cap, says_cap=True)
    assert batched(server, records, server_name).embed(TEXTS, "document") == pytest.approx(exact(TEXTS), abs=1e-3)
    assert len(server.asked) == -(-64 // cap) + (cap < 64)
    assert records.facts(server_name).most_texts == (cap if cap < 64 else None)
    assert sorted(server.delivered) == sorted(TEXTS), "each vector was computed once"

    again = Server(most_texts=cap)
    batched(again, records, server_name).embed(TEXTS, "document")
    assert max(sizes(again)) == min(cap, 64) and len(again.asked) == -(-64 // cap)


@pytest.mark.parametrize("cap", [1, 2, 5, 10, 16])
def test_a_silent_cap_costs_one_call_for_each_split_and_is_learnt(
    cap: int, records: PlainProviderRecords, server_name: str
) -> None:
    server = Server(most_texts=cap)
    assert batched(server, records, server_name).embed(TEXTS, "document") == pytest.approx(exact(TEXTS), abs=1e-3)
    refused = [size for size in sizes(server) if size > cap]
    assert refused == [64, 32, 16, 8, 4, 2][: len(refused)], "while these texts are sent, no larger request is"
    assert sorted(server.delivered) == sorted(TEXTS)

    batched(server, records, server_name).embed(MORE_TEXTS, "document")
    learnt = records.facts(server_name).most_texts
    assert learnt is not None and cap / 2 < learnt <= cap
    assert sorted(server.delivered) == sorted([*TEXTS, *MORE_TEXTS])


def test_one_refusal_by_chance_narrows_nothing_for_another_time(
    records: PlainProviderRecords, server_name: str
) -> None:
    server = Scripted([RequestTooLarge("?"), None, None, ProviderRejected("?"), None])
    batched(server, records, server_name).embed(TEXTS, "document")
    assert sizes(server)[:3] == [64, 32, 32]
    assert records.facts(server_name) == ServerFacts()


def test_requests_keep_to_the_tokens_that_the_server_takes(records: PlainProviderRecords, server_name: str) -> None:
    server = Server(info=EmbedderInfo(most_texts=50, most_tokens=200))
    long = [f"{n} " + "word " * 40 for n in range(20)]
    assert batched(server, records, server_name).embed(long, "document") == pytest.approx(exact(long), abs=1e-3)
    assert 1 < len(server.asked) <= 20 and sum(sizes(server)) == 20
    records.learn(server_name, ServerFacts(dimensions=16, most_texts=3))
    narrow = Server()
    batched(narrow, records, server_name).embed(TEXTS, "document")
    assert max(sizes(narrow)) == 3
    assert records.facts(server_name).dimensions == 16


# --- one bad text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("refusal", [ProviderRejected, TextRejected, RequestTooLarge, breaks])
@pytest.mark.parametrize("bad", [0, 31, 63])
def test_one_bad_text_is_isolated_and_the_others_go_through(
    refusal: Callable[[str], ProviderError], bad: int, records: PlainProviderRecords, server_name: str
) -> None:
    server = Server(is_bad=lambda text: text == TEXTS[bad], refusal=refusal)
    embedder = batched(server, records, server_name)
    rows = embedder.embed(TEXTS, "document")
    assert numpy.flatnonzero(~rows.any(axis=1)).tolist() == [bad]
    kept = [n for n in range(64) if n != bad]
    assert rows[kept] == pytest.approx(exact(TEXTS)[kept], abs=1e-3)
    assert records.rejected(str(embedder.space), [digest(text) for text in TEXTS]) == {
        digest(TEXTS[bad]): "I cannot read this."
    }
    delivered = [text for text in server.delivered if text != CONTROL_TEXT]
    assert sorted(delivered) == sorted(TEXTS[n] for n in kept), "no vector was computed twice"
    assert len(server.asked) <= 2 * 6 + 1 + 4, "two calls a split, then the text alone and a plain text beside it"
    assert records.facts(server_name) == ServerFacts(), "that was no limit"

    server.asked.clear()
    assert not batched(server, records, server_name).embed([TEXTS[bad]], "document").any()
    assert server.asked == [], "nobody sends it again"


@given(bad=st.sets(st.integers(0, 20)), cap=st.integers(1, 21), says_cap=st.booleans())
def test_whatever_texts_are_bad_the_others_have_their_vectors(bad: set[int], cap: int, says_cap: bool) -> None:
    records, texts = PlainProviderRecords(), TEXTS[:21]
    rejects = {texts[n] for n in bad}
    server = Server(most_texts=cap, says_cap=says_cap, is_bad=rejects.__contains__, refusal=TextRejected)
    rows = batched(server, records, f"{sorted(bad)} {cap} {says_cap}").embed(texts, "document")
    assert set(numpy.flatnonzero(~rows.any(axis=1)).tolist()) == bad
    kept = sorted(set(range(21)) - bad)
    assert rows[kept] == pytest.approx(exact(texts)[kept], abs=1e-3)
    assert records.rejected_count(str(server.space)) == len(bad)
    assert len(server.delivered) - server.delivered.count(CONTROL_TEXT) == len(kept)


def test_a_text_whose_vector_is_never_a_number_is_isolated(records: PlainProviderRecords, server_name: str) -> None:
    class Poisoned(Scripted):
        def embed(self, texts: Sequence[str], role: Role) -> Any:
            rows = super().embed(texts, role)
            rows[[n for n, text in enumerate(texts) if text == TEXTS[5]]] = numpy.nan
            return rows

    server = Poisoned()
    rows = batched(server, records, server_name).embed(TEXTS, "document")
    assert numpy.flatnonzero(~rows.any(axis=1)).tolist() == [5]
    assert sizes(server)[:2] == [64, 1], "only the text that is missing is asked for again"
    assert set(sizes(server)[1:]) == {1}
    assert records.rejected_count(str(server.space)) == 1


def test_a_text_that_failed_by_chance_is_not_given_up(records: PlainProviderRecords, server_name: str) -> None:
    for script in (
        [TextRejected("?"), None, None],
        [ProviderRejected("?"), None, ProviderRejected("?"), None],
        [ServerFailed("?"), None, None],
    ):
        server = Scripted(script)
        assert batched(server, records, server_name).embed(["one"], "document").any()
        assert server.script == [] and records.rejected_count(str(server.space)) == 0


# --- a server that fails --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        KeyRefused("k"),
        QuotaExhausted("q"),
        AddressRefused("a"),
        WrongWidth("w"),
        LeftAlone("l"),
        ProviderUnavailable("u"),
    ],
)
def test_what_concerns_every_text_is_asked_once(
    error: ProviderError, records: PlainProviderRecords, server_name: str
) -> None:
    server = Scripted([error] * 100)
    with pytest.raises(type(error)):
        batched(server, records, server_name).embed(TEXTS, "document")
    assert sizes(server) == [64]
    assert records.rejected_count(str(server.space)) == 0


@pytest.mark.parametrize(
    ("error", "most_calls"), [(ProviderRejected("No such model."), 8), (TextRejected("?"), 8), (ServerFailed("?"), 3)]
)
def test_a_server_that_embeds_nothing_is_not_mistaken_for_bad_texts(
    error: ProviderError, most_calls: int, records: PlainProviderRecords, server_name: str
) -> None:
    server = Scripted([error] * 100)
    with pytest.raises(type(error)):
        batched(server, records, server_name).embed(TEXTS, "document")
    assert len(server.asked) <= most_calls
    assert server.asked[-1] == ("document", (CONTROL_TEXT,))
    assert records.rejected_count(str(server.space)) == 0


def test_the_work_is_ended_between_two_requests(records: PlainProviderRecords, server_name: str) -> None:
    records.learn(server_name, ServerFacts(most_texts=10))
    server, cache = Scripted(), PlainCache()

    def check() -> None:
        if len(server.asked) == 3:
            raise Interrupted

    embedder = Batched(Cached(server, cache), lambda: records, server_name, check=check)
    with pytest.raises(Interrupted):
        embedder.embed(TEXTS, "document")
    assert cache.count() == {str(server.space): 30}, "what came before is kept"


def test_a_query_is_one_request(records: PlainProviderRecords, server_name: str) -> None:
    server = Scripted([ProviderRejected("no")])
    with pytest.raises(ProviderRejected):
        batched(server, records, server_name).embed(["a question"], "query")
    assert server.asked == [("query", ("a question",))]


# --- the cache and what came back in part ---------------------------------------------------------------


def test_what_came_back_is_kept_and_only_the_rest_is_asked_for_once_more(records: PlainProviderRecords) -> None:
    texts, hits = ["a", "b", "c", "d"], list[int]()
    rows = exact(texts)
    server, cache = Scripted([PartialResponse("short", {0: rows[0], 3: rows[3]})]), PlainCache()
    cached = Cached(server, cache, rejected=lambda: records, count_hits=hits.append)
    assert cached.embed(texts, "document") == pytest.approx(rows, abs=1e-3)
    assert [asked for _, asked in server.asked] == [("a", "b", "c", "d"), ("b", "c")]
    assert hits == []
    cached.embed(["a", "e", "a"], "document")
    assert server.asked[-1] == ("document", ("e",))
    assert hits == [2]


def test_the_error_goes_on_with_all_rows_that_are_known() -> None:
    texts = ["a", "b", "c", "d"]
    rows, cache = exact(texts), PlainCache()
    Cached(Scripted(), cache).embed(["b"], "document")
    server = Scripted([PartialResponse("short", {0: rows[0]}), PartialResponse("short again", {})])
    with pytest.raises(PartialResponse, match="short again") as partial:
        Cached(server, cache).embed(texts, "document")
    assert sorted(partial.value.rows) == [0, 1]
    assert [asked for _, asked in server.asked] == [("a", "c", "d"), ("c", "d")]
    assert cache.count() == {str(server.space): 2}


def test_a_rejected_text_is_not_sent(records: PlainProviderRecords) -> None:
    server = Scripted()
    records.reject(str(server.space), {digest("b"): "no"})
    found = Cached(server, PlainCache(), rejected=lambda: records).embed(["a", "b"], "document")
    assert found.any(axis=1).tolist() == [True, False]
    assert server.asked == [("document", ("a",))]
