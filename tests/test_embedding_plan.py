"""What filling a space would cost, and that nothing is sent before its owner agrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.index.embedding_plan import (
    EmbeddingPlan,
    FillProgress,
    MissingTexts,
    agreement_to,
    count_missing,
    estimate_in_words,
    is_agreed,
    tokens_in_words,
    waiting_sentence,
)
from memoro.index.outgoing import Outgoing
from memoro.model.tokens import tokens
from memoro.providers.ports import FREE, EmbedderInfo, Prices
from memoro.providers.records import Agreement
from memoro.store.ports import ChunkText
from memoro.store.space_progress import is_complete
from tests.conftest import write_vault
from tests.priced import HOST, REMOTE, PricedEmbedder

SMALL = Prices(plain=0.02, batch=0.01)
NOTES = {"tea.md": "green tea", "train.md": "the train to Berlin", "again.md": "green tea"}


def plan(texts: int, tokens: int, prices: Prices | None = SMALL) -> EmbeddingPlan:
    missing = MissingTexts(passages=texts, texts=texts, tokens=tokens)
    return EmbeddingPlan(space="openai/m/8/plain", host="api.openai.com", missing=missing, prices=prices)


# --- the rules ------------------------------------------------------------------------------------------

items = st.lists(
    st.builds(
        ChunkText,
        chunk=st.integers(1, 99),
        digest=st.sampled_from([f"{n:02x}" for n in range(12)]),
        text=st.just("four words of text"),
        is_private=st.booleans(),
    ),
    max_size=20,
)
digests = st.sets(st.sampled_from([f"{n:02x}" for n in range(12)]))


@given(items, digests, digests, st.booleans())
def test_every_passage_is_counted_once_and_equal_texts_are_sent_once(
    items: list[ChunkText], known: set[str], rejected: set[str], leaves: bool
) -> None:
    outgoing = Outgoing(leaves=leaves, with_private=False)
    found = count_missing(items, outgoing, known, rejected, tokens)
    assert found.passages == len(items) == found.private + found.rejected + found.cached + found.texts
    sent = {item.digest for item in items if not outgoing.stays(item)} - known - rejected
    assert (found.texts, found.tokens) == (len(sent), len(sent) * tokens("four words of text"))


@given(items, items, digests)
def test_a_list_may_be_counted_by_parts(first: list[ChunkText], rest: list[ChunkText], known: set[str]) -> None:
    outgoing = Outgoing(leaves=True, with_private=False)
    rest = [item._replace(is_private=item.digest in known) for item in rest]
    first = [item._replace(is_private=item.digest in known) for item in first]
    whole = count_missing([*first, *rest], outgoing, known, (), tokens)
    later = known | {item.digest for item in first}
    parts = count_missing(first, outgoing, known, (), tokens), count_missing(rest, outgoing, later, (), tokens)
    assert parts[0].plus(parts[1]) == whole


@given(
    st.integers(0, 9),
    st.integers(0, 10**9),
    st.one_of(st.none(), st.builds(Prices, plain=st.floats(0.001, 50), batch=st.floats(0.001, 50))),
)
def test_what_was_agreed_to_may_be_done_and_a_little_more(texts: int, count: int, prices: Prices | None) -> None:
    asked = plan(texts, count, prices)
    agreed = agreement_to(asked, "2026-11-16T09:00:00.000Z")
    assert is_agreed(asked, agreed, 0.0)
    assert is_agreed(asked._replace(missing=asked.missing._replace(tokens=int(1.1 * count))), agreed, 0.0)


@pytest.mark.parametrize(
    ("agreement", "ask_above", "is_allowed"),
    [
        (None, 100.0, False),
        (Agreement("", 0.0), 0.0, False),
        (Agreement("", 0.0), 0.1, True),
        (Agreement("", 0.01), 0.001, False),
        (Agreement("", 0.02), 0.0, True),
        (Agreement("", None), 0.0, True),
    ],
)
def test_the_first_filling_needs_a_yes_and_later_growth_only_where_it_costs_more_than_was_agreed(
    agreement: Agreement | None, ask_above: float, is_allowed: bool
) -> None:
    assert is_agreed(plan(5, 1_000_000), agreement, ask_above) is is_allowed


def test_where_nothing_would_be_sent_nobody_is_asked() -> None:
    assert is_agreed(plan(0, 0), None, 0.0)


def test_an_unknown_price_needs_a_yes_that_was_given_without_one() -> None:
    unknown = plan(5, 1000, None)
    assert not is_agreed(unknown, None, 100.0)
    assert not is_agreed(unknown, Agreement("", 5.0), 100.0)
    assert is_agreed(unknown, agreement_to(unknown, ""), 0.0)


@pytest.mark.parametrize(
    ("info", "costs"),
    [
        (REMOTE, True),
        (REMOTE._replace(prices=None), True),
        (REMOTE._replace(prices=FREE), False),
        (EmbedderInfo(host="localhost:11434"), False),
        (EmbedderInfo(host="localhost:4000", prices=SMALL), True),
    ],
)
def test_a_server_on_this_machine_is_free_unless_it_has_a_price(info: EmbedderInfo, costs: bool) -> None:
    assert info.costs_money is costs


def test_an_estimate_says_tokens_and_dollars_in_words() -> None:
    asked = plan(5120, 1_310_000)
    assert estimate_in_words(asked) == "about 1.3 M tokens, $0.0262"
    assert estimate_in_words(asked._replace(by_batch=True)) == "about 1.3 M tokens, $0.0262 ($0.0131 by batch jobs)"
    assert estimate_in_words(asked._replace(prices=None)) == "about 1.3 M tokens; nobody knows the price"
    assert waiting_sentence(asked) == (
        "vectors: 5,120 passages wait for your yes: about 1.3 M tokens, $0.0262; `memoro sync` asks"
    )
    assert waiting_sentence(plan(1, 9)).startswith("vectors: 1 passage waits for your yes: about 9 tokens, <$0.0001")
    assert [tokens_in_words(n) for n in (1, 9_999, 12_345, 2_000_000)] == [
        "1 token", "9,999 tokens", "12 K tokens", "2.0 M tokens",
    ]  # fmt: skip


# --- a home -----------------------------------------------------------------------------------------------


class PaidHome:
    """A vault, and a home whose embedder costs money."""

    def __init__(self, folder: Path) -> None:
        self.vault = write_vault(folder / "vault", NOTES)
        self.embedder = PricedEmbedder()
        self.m = memoro.open(folder / "home", self.vault, embedder=self.embedder)
        self.embedder.records = self.m.indexing.indexes.records
        self.m.indexing.indexes.records().put_calibration(self.space, "{}")

    @property
    def space(self) -> str:
        return str(self.embedder.space)

    def take_one_text_at_once(self) -> None:
        self.embedder.info = REMOTE._replace(most_texts=1)
        self.m = memoro.open(self.m.home, self.vault, embedder=self.embedder)

    def is_complete(self) -> bool:
        return is_complete(self.m.indexing.current(), self.space)


@pytest.fixture
def home(tmp_path: Path) -> PaidHome:
    return PaidHome(tmp_path)


def test_nothing_is_sent_before_the_owner_agrees(home: PaidHome) -> None:
    done = home.m.sync()
    assert home.embedder.sent == []
    (said,) = [one for one in done.degraded if "wait for your yes" in one]
    assert said.startswith("vectors: 3 passages wait for your yes: about ")
    assert done.embedding is not None
    assert done.embedding.waits is not None
    assert done.embedding.waits.missing == MissingTexts(passages=3, cached=1, texts=2, tokens=8)
    answer = home.m.search("green tea")
    assert answer.results
    assert home.embedder.sent == [], "neither by a search"
    home.m.session_started()
    assert home.embedder.sent == []


def test_the_queries_that_calibrate_a_space_are_part_of_the_estimate(home: PaidHome) -> None:
    home.m.indexing.indexes.records().put_calibration(home.space, None)
    done = home.m.sync()
    assert done.embedding is not None
    assert done.embedding.waits is not None
    assert done.embedding.waits.tokens > done.embedding.waits.missing.tokens


def test_a_yes_fills_the_space_and_tells_what_was_sent(home: PaidHome) -> None:
    seen: list[FillProgress] = []
    done = home.m.sync(agrees=True, filling=seen.append)
    assert sorted(set(home.embedder.sent)) == ["green tea", "the train to Berlin"]
    assert home.is_complete()
    assert done.embedding is not None
    assert (done.embedding.space, done.embedding.host) == (home.space, HOST)
    assert (done.embedding.left, done.embedding.waits) == (0, None)
    assert (done.embedding.sent.texts, done.embedding.sent.tokens) == (2, 8)
    assert done.embedding.sent.dollars == pytest.approx(0.08)
    last = [one for one in seen if one.space == home.space][-1]
    assert (last.done, last.total, last.sent) == (3, 3, done.embedding.sent)
    assert done.degraded == ()


def test_small_growth_needs_no_second_yes_and_large_growth_does(home: PaidHome) -> None:
    home.m.sync(agrees=True)
    home.embedder.records = None
    home.m.indexing.indexes.records().agree(home.space, Agreement("", 0.0))
    write_vault(home.vault, {"small.md": "bike"})
    home.m.sync()
    assert home.is_complete()
    write_vault(home.vault, {"large.md": "a bicycle with a flat tyre in the rain " * 5})
    done = home.m.sync()
    assert any("1 passage waits for your yes" in one for one in done.degraded)
    assert not home.is_complete()


def test_filling_stops_where_the_provider_counts_more_than_was_agreed_to(home: PaidHome) -> None:
    home.take_one_text_at_once()
    write_vault(home.vault, {"zoo.md": "an elephant, a giraffe and a zebra live behind the house " * 3})
    home.embedder.factor = 300
    done = home.m.sync(agrees=True)
    assert len(home.embedder.sent) == 1
    assert any("has cost all that you agreed to" in one for one in done.degraded)
    again = home.m.sync()
    assert any("wait for your yes" in one for one in again.degraded)
    home.embedder.factor = 1
    home.m.sync(agrees=True)
    assert home.is_complete()


def test_a_free_space_is_filled_without_a_question(home: PaidHome) -> None:
    home.embedder.info = REMOTE._replace(prices=FREE)
    home.m = memoro.open(home.m.home, home.vault, embedder=home.embedder)
    home.m.sync()
    assert home.is_complete()


def test_a_rejected_text_is_not_counted(home: PaidHome) -> None:
    home.m.sync()
    index = home.m.indexing.current()
    (digest,) = {item.digest for item in index.texts_after(0, 9) if "train" in item.text}
    home.m.indexing.indexes.records().reject(home.space, {digest: "it is too long"})
    done = home.m.sync()
    assert done.embedding is not None
    assert done.embedding.waits is not None
    assert (done.embedding.waits.missing.rejected, done.embedding.waits.missing.texts) == (1, 1)


def test_a_search_counts_only_a_few_passages_and_leaves_many_to_a_sync(
    home: PaidHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.m.sync()
    monkeypatch.setattr("memoro.index.consent.FEW", 2)
    (said,) = home.m.search("tea").degraded
    assert "0 % filled, and `memoro sync` completes it" in said
    assert home.embedder.sent == []
    home.m.indexing.indexes.records().agree(home.space, Agreement("", 1.0))
    home.m.search("tea")
    assert home.is_complete(), "an agreement that is not spent is enough"
