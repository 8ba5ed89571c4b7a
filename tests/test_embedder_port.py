"""The port of an embedder: what every one must do, and that a second one may be slow, wrong or down at any time."""

from __future__ import annotations

import math
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import (
    ConfigError,
    PartialResponse,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    TextRejected,
    WrongWidth,
)
from memoro.index.report import Report
from memoro.model.answers import Answer, Evidence
from memoro.model.vocabulary import Role
from memoro.providers.batched import CONTROL_TEXT, Batched
from memoro.providers.builtin.model import SPACE, shortened
from memoro.providers.cached import Cached, digest
from memoro.providers.calibration import OF_BUILTIN, SMALL, UNMEASURED, calibration
from memoro.providers.checked import Checked, check_response
from memoro.providers.circuit_breaker import CircuitBreaker
from memoro.providers.deadline import WithDeadline
from memoro.providers.local_embedder import make_local
from memoro.providers.local_models import LocalProvider
from memoro.providers.ports import Embedder, Space, info_of
from memoro.providers.rate_limited import RateLimited, TokenBucket
from memoro.providers.registry import EmbedderSettings, ProviderContext, supplied
from memoro.providers.retrying import Retrying
from memoro.providers.without_secrets import WithoutSecrets
from memoro.search.rank import confidence
from memoro.store.lock import KernelLock
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.plain.vectors import PlainCache
from memoro.store.ports import IndexHome
from memoro.testing import HashEmbedder
from tests.conftest import times, write_vault
from tests.http_embedders import REMOTE, remote_embedder
from tests.loopback import DIMENSIONS, WEATHERS, LoopbackEmbedder, LoopbackServer, Weather, loopback
from tests.tiny_models import make_onnx_model, make_static_model

BUILTIN = str(SPACE)
NOTES = {
    "tea.md": "# Tea\n\ngreen tea is steeped at seventy degrees\n",
    "train.md": "the night train to Berlin leaves from platform three\n",
    "dog.md": "the dog is afraid of thunder\n",
}


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with loopback() as running:
        yield running


@pytest.fixture
def embedder(server: LoopbackServer, request: pytest.FixtureRequest) -> LoopbackEmbedder:
    return LoopbackEmbedder(server, model=request.node.name)  # a space of its own: calls that hang are known by it


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "vault", NOTES)


# --- what every embedder must do ------------------------------------------------------------------------


LOCAL: dict[str, Callable[[Path], Path]] = {"fastembed": make_onnx_model, "model2vec": make_static_model}


@pytest.fixture(params=["builtin", "builtin 64", "hash", "loopback", *LOCAL, *REMOTE])
def any_embedder(request: pytest.FixtureRequest, server: LoopbackServer, tmp_path: Path) -> Iterator[Embedder]:
    if request.param in LOCAL:
        yield local(request.param, tmp_path)
        return
    if request.param in REMOTE:
        with remote_embedder(REMOTE[request.param]) as (_, found):
            yield found
        return
    makers: dict[str, Callable[[], Embedder]] = {
        "builtin": lambda: shortened(256),
        "builtin 64": lambda: shortened(64),
        "hash": lambda: supplied(HashEmbedder()),
        "loopback": lambda: supplied(LoopbackEmbedder(server)),
    }
    yield makers[request.param]()


def local(provider: LocalProvider, folder: Path) -> Embedder:
    pytest.importorskip(provider, reason=f'the extra is not installed: pip install "memoro[{provider}]"')
    model, records = LOCAL[provider](folder / "model"), PlainProviderRecords()
    context = ProviderContext(environment={}, records=lambda: records, folder=str(folder / "home"), may_ask=True)
    return make_local(provider, EmbedderSettings(provider=provider, model=str(model)), context)


ROLES: tuple[Role, ...] = ("query", "document")
TEXTS = ["green tea", "the train to Berlin", "green tea for the guests", "記憶", "!?", "a" * 5000]


@pytest.mark.parametrize("role", ["query", "document"])
def test_there_is_one_row_of_length_one_for_each_text(any_embedder: Embedder, role: Role) -> None:
    rows = any_embedder.embed(TEXTS, role)
    assert rows.shape == (len(TEXTS), any_embedder.space.dimensions)
    assert rows.dtype == numpy.float32
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1.0] * len(TEXTS), abs=1e-5)


def test_a_text_has_the_same_vector_whatever_stands_beside_it(any_embedder: Embedder) -> None:
    together = any_embedder.embed(TEXTS, "document")
    alone = numpy.concatenate([any_embedder.embed([text], "document") for text in reversed(TEXTS)])[::-1]
    assert together == pytest.approx(alone, abs=1e-5)


def test_texts_about_the_same_are_nearer_than_others(any_embedder: Embedder) -> None:
    tea, train, guests = any_embedder.embed(TEXTS[:3], "document")
    (asked,) = any_embedder.embed(["some green tea"], "query")
    assert asked @ tea > asked @ train
    assert tea @ guests > tea @ train


def test_no_texts_have_no_rows(any_embedder: Embedder) -> None:
    assert any_embedder.embed([], "document").shape == (0, any_embedder.space.dimensions)


def test_the_name_of_its_space_tells_all_of_it(any_embedder: Embedder) -> None:
    assert Space.parse(str(any_embedder.space)) == any_embedder.space


# --- wrappers in any order ------------------------------------------------------------------------------

Wrap = Callable[[Embedder], Embedder]


def wrappers(records: PlainProviderRecords) -> dict[str, Wrap]:
    bucket = TokenBucket(6e6, time.monotonic)
    return {
        "checked": Checked,
        "breaker": lambda inner: CircuitBreaker(inner, lambda: records),
        "rate": lambda inner: RateLimited(inner, bucket),
        "retrying": Retrying,
        "without secrets": lambda inner: WithoutSecrets(inner, ()),
        "cached": lambda inner: Cached(inner, PlainCache(), rejected=lambda: records),
        "batched": lambda inner: Batched(inner, lambda: records, "a server"),
        "deadline": lambda inner: WithDeadline(inner, 60.0, patient=True),
    }


USUAL = ("checked", "breaker", "rate", "retrying", "without secrets", "cached", "batched", "deadline")


@given(order=st.permutations(USUAL))
@example(order=USUAL)
@settings(max_examples=12)
def test_wrappers_do_what_an_embedder_must_do_in_any_order(order: Sequence[str]) -> None:
    inner = HashEmbedder(64, model=" ".join(order))
    available, wrapped = wrappers(PlainProviderRecords()), list[Embedder]([inner])
    for name in order:
        wrapped.append(available[name](wrapped[-1]))
    whole = wrapped[-1]
    assert whole.space == inner.space and info_of(whole) == info_of(inner)
    for role in ROLES:
        rows = whole.embed(TEXTS, role)
        assert rows.dtype == numpy.float32
        assert rows == pytest.approx(inner.embed(TEXTS, role), abs=1e-3)  # a cache rounds
        assert whole.embed([], role).shape == (0, 64)
        assert whole.embed(TEXTS[::-1], role)[::-1] == pytest.approx(rows, abs=1e-6)


# --- responses are checked ------------------------------------------------------------------------------

ANY_SPACE = Space("testing", "any", 3, "text")


@pytest.mark.parametrize(
    ("response", "complaint"),
    [
        ([[1, 0, 0]], "1 vectors for 2 texts"),
        ([[1, 0, 0]] * 3, "3 vectors for 2 texts"),
        ([1, 0, 0], "shape"),
        ([[1, 0]] * 2, "vectors of 2 numbers"),
        ([[1, 0, 0, 0]] * 2, "vectors of 4 numbers"),
        ([[1, 0, 0], [1, 0]], "no list of vectors"),
        ({"error": "no"}, "no list of vectors"),
        ("<html>", "no list of vectors"),
        (None, "shape"),
    ],
)
def test_a_response_that_would_poison_searches_is_refused(response: Any, complaint: str) -> None:
    with pytest.raises(ProviderRejected, match=complaint) as refused:
        check_response(response, 2, ANY_SPACE)
    assert str(ANY_SPACE) in str(refused.value)


@pytest.mark.parametrize("unusable", [[1, 0, float("nan")], [1, float("inf"), 0], [1, 0, 1e300], [0, 0, 0]])
def test_rows_that_point_nowhere_are_left_out_and_the_others_are_kept(unusable: list[float]) -> None:
    with pytest.raises(PartialResponse, match="for 2 of 4 texts") as partial:
        check_response([unusable, [3, 0, 4], unusable, [0, 2, 0]], 4, ANY_SPACE)
    assert {place: list(numpy.asarray(row)) for place, row in partial.value.rows.items()} == {
        1: pytest.approx([0.6, 0, 0.8]),
        3: [0, 1, 0],
    }
    with pytest.raises(PartialResponse) as none:
        check_response([unusable], 1, ANY_SPACE)
    assert none.value.rows == {}


def test_the_rows_of_a_partial_response_are_checked_too() -> None:
    rows = {0: [2, 0, 0], 1: [0, 0, float("nan")], 7: [1, 0, 0]}  # there is no text 7
    with pytest.raises(PartialResponse, match="short") as partial:
        Checked(Failing(PartialResponse("short", rows))).embed(["a", "b", "c"], "document")
    assert {place: list(numpy.asarray(row)) for place, row in partial.value.rows.items()} == {0: [1, 0, 0]}
    with pytest.raises(WrongWidth):
        Checked(Failing(PartialResponse("short", {0: [1, 0]}))).embed(["a", "b"], "document")
    with pytest.raises(ProviderRejected, match="no list of vectors"):
        Checked(Failing(PartialResponse("short", {0: "?"}))).embed(["a", "b"], "document")


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3).filter(lambda r: max(map(abs, r)) > 1e-3)))
def test_rows_of_any_length_are_made_one_long_and_keep_their_direction(rows: list[list[float]]) -> None:
    found = check_response(numpy.reshape(rows, (len(rows), 3)), len(rows), ANY_SPACE)
    lengths = numpy.linalg.norm(numpy.reshape(rows, (len(rows), 3)), axis=1, keepdims=True)
    assert found == pytest.approx(numpy.reshape(rows, (len(rows), 3)) / lengths, abs=1e-5)


class Failing:
    """An embedder that raises what it is told to."""

    space = ANY_SPACE

    def __init__(self, error: Exception) -> None:
        self._error = error

    def embed(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002
        raise self._error


def test_any_exception_of_an_embedder_is_an_error_of_the_provider() -> None:
    with pytest.raises(ProviderUnavailable, match="testing/any/3/text failed: KeyError: 'data'"):
        Checked(Failing(KeyError("data"))).embed(["x"], "query")
    own = ProviderRejected("The key is wrong.")
    with pytest.raises(ProviderRejected) as raised:
        Checked(Failing(own)).embed(["x"], "query")
    assert raised.value is own


@pytest.mark.parametrize(
    "space",
    [
        Space("builtin", "mine", 8, "text"),
        Space("", "mine", 8, "text"),
        Space("a/b", "mine", 8, "text"),
        Space("me", "mine", 8, "a/b"),
        Space("me", "", 8, "text"),
        Space("me", "mine", 0, "text"),
    ],
)
def test_a_space_that_cannot_be_named_or_takes_the_name_of_the_built_in_one_is_refused(space: Space) -> None:
    class Named(HashEmbedder):
        def __init__(self) -> None:
            self.space = space

    with pytest.raises(ConfigError, match="cannot be used"):
        memoro.open(":memory:", embedder=Named())


# --- wrappers -------------------------------------------------------------------------------------------


class Counting(HashEmbedder):
    """Keeps the texts that it was asked for, by role; waits while it is held."""

    def __init__(self, model: str = "counting") -> None:
        super().__init__(32, model=model)
        self.asked: list[tuple[Role, str]] = []
        self.free = threading.Event()
        self.free.set()
        self.begun = threading.Event()
        self._admitted = threading.Semaphore(0)

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        self.asked += [(role, text) for text in texts]
        self.begun.set()
        for _ in range(1500):  # 15 seconds: longer than anything here may take
            if self.free.wait(0.01) or self._admitted.acquire(blocking=False):
                break
        return super().embed(texts, role)

    def once(self) -> None:
        """Let one call through."""
        self._admitted.release()


@given(calls=st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=8))
def test_the_cache_asks_once_for_each_text_and_answers_in_order(calls: list[list[str]]) -> None:
    inner = Counting()
    cached = Cached(inner, PlainCache())
    for texts in calls:
        exact = HashEmbedder(32).embed(texts, "document")
        assert cached.embed(texts, "document") == pytest.approx(exact, abs=1e-3)
    asked = [text for _, text in inner.asked]
    assert sorted(asked) == sorted({text for texts in calls for text in texts})


def test_the_cache_keeps_no_queries() -> None:
    inner, cache = Counting(), PlainCache()
    Cached(inner, cache).embed(["green tea"], "query")
    assert cache.count() == {}
    Cached(inner, cache).embed(["green tea"], "document")
    assert inner.asked == [("query", "green tea"), ("document", "green tea")]
    assert list(cache.get(str(inner.space), [digest("green tea")])) == [digest("green tea")]


def test_what_comes_after_the_deadline_is_kept_and_not_asked_for_again() -> None:
    inner, cache = Counting("late"), PlainCache()
    inner.free.clear()
    hurried = WithDeadline(Cached(inner, cache), 0.05)
    with pytest.raises(ProviderUnavailable, match="has not answered within 50 ms"):
        hurried.embed(["green tea"], "document")
    with pytest.raises(ProviderUnavailable, match="earlier question"):
        hurried.embed(["another"], "document")
    inner.free.set()
    patient = WithDeadline(Cached(inner, cache), 10, patient=True)
    assert patient.embed(["green tea"], "document").any()
    assert inner.asked == [("document", "green tea")]


def test_a_question_is_not_held_up_by_documents_that_take_long() -> None:
    inner = Counting("two roles")
    inner.free.clear()
    with pytest.raises(ProviderUnavailable):
        WithDeadline(inner, 0.05).embed(["a document"], "document")
    inner.free.set()
    assert WithDeadline(inner, 10).embed(["a question"], "query").any()


# --- calibration ----------------------------------------------------------------------------------------


def test_the_numbers_of_the_built_in_model_are_those_that_were_fitted_to_it() -> None:
    assert calibration(SPACE) is OF_BUILTIN
    assert calibration(SPACE._replace(dimensions=64)) is OF_BUILTIN
    for words, cosine, covered in ((0.5, 0.4, 0.6), (0.0, -0.2, 1.0), (1.0, 1.0, 0.0)):
        expected = 1 / (1 + math.exp(-(5.5 * covered + 5.0 * cosine + 2.5 * words - 5.3)))
        evidence = Evidence(coverage=covered, nearness=cosine, words=words, passages=2000)
        assert confidence(evidence, OF_BUILTIN.confidence, SMALL) == pytest.approx(expected)
    assert (OF_BUILTIN.abstain_hybrid, OF_BUILTIN.abstain_vectors, OF_BUILTIN.near) == (0.3, 0.3, 0.45)


@given(covered=st.floats(0, 1), cosine=st.floats(-1, 1), passages=st.integers(0, 10**6))
def test_the_same_evidence_says_more_in_a_small_index(covered: float, cosine: float, passages: int) -> None:
    few = Evidence(coverage=covered, nearness=cosine, words=0.0, passages=passages)
    many, weights = few._replace(passages=passages + 10), OF_BUILTIN.confidence
    assert confidence(few, weights, SMALL) >= confidence(many, weights, SMALL)


@given(words=st.floats(0, 1), close=st.floats(0, 1), cosine=st.floats(-1, 1))
def test_a_cosine_that_nobody_has_measured_makes_nothing_sure(words: float, close: float, cosine: float) -> None:
    unmeasured = calibration(ANY_SPACE)
    assert unmeasured is UNMEASURED and unmeasured.near is None
    evidence = Evidence(coverage=close, nearness=unmeasured.reading.nearness(cosine), words=words, passages=50)
    sure = confidence(evidence, unmeasured.confidence, SMALL)
    assert sure == pytest.approx(confidence(evidence._replace(nearness=1 / 3), OF_BUILTIN.confidence, SMALL))


# --- a second embedder in a home ------------------------------------------------------------------------


def states(m: memoro.Workspace) -> dict[str, tuple[str, float]]:
    return {space.name: (space.use, space.filled) for space in m.status().spaces}


def best(answer: Answer) -> str:
    return answer.results[0].path


def test_both_spaces_are_complete_and_the_wanted_one_is_searched(
    tmp_path: Path, vault: Path, embedder: LoopbackEmbedder
) -> None:
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        assert m.sync().degraded == ()
        assert states(m) == {str(embedder.space): ("searched", 1.0), BUILTIN: ("kept", 1.0)}
        answer = m.search("a train to Berlin", mode="vectors")
        assert (best(answer), answer.degraded) == ("train.md", ())
        assert m.recall("When does the night train to Berlin leave?").items[0].path == "train.md"
    assert set(embedder.roles) == {"query", "document"}
    assert sorted(embedder.arrived) == sorted(text.strip() for text in NOTES.values())


def test_an_edit_is_found_by_meaning_in_the_next_search(
    tmp_path: Path, vault: Path, embedder: LoopbackEmbedder
) -> None:
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        m.sync()
        write_vault(vault, {"bike.md": "a bicycle with a flat tyre"})
        answer = m.search("bicycle tyres", mode="vectors")
        assert (best(answer), answer.degraded) == ("bike.md", ())
        assert states(m)[str(embedder.space)] == ("searched", 1.0)


def test_a_home_in_memory_takes_an_embedder_too(vault: Path, embedder: LoopbackEmbedder) -> None:
    with memoro.open(":memory:", vault, embedder=embedder) as m:
        assert best(m.search("a train to Berlin", mode="vectors")) == "train.md"
        assert states(m) == {str(embedder.space): ("searched", 1.0), BUILTIN: ("kept", 1.0)}


def test_a_space_of_another_program_stays_and_one_that_is_replaced_goes(
    tmp_path: Path, vault: Path, server: LoopbackServer
) -> None:
    one, other = (LoopbackEmbedder(server, model=name) for name in ("one", "other"))
    with memoro.open(tmp_path / "home", vault, embedder=one) as m:
        m.sync()
    with memoro.open(tmp_path / "home", vault) as m:
        write_vault(vault, {"bike.md": "a bicycle"})
        m.sync()
        assert states(m) == {BUILTIN: ("searched", 1.0), str(one.space): ("left over", 0.75)}
    with memoro.open(tmp_path / "home", vault, embedder=one) as m:
        assert m.search("bicycle").degraded == ()
        assert states(m)[str(one.space)] == ("searched", 1.0)
    with memoro.open(tmp_path / "home", vault, embedder=other) as m:
        m.sync()
        assert states(m) == {str(other.space): ("searched", 1.0), BUILTIN: ("kept", 1.0)}
    assert one.repeated == []


def test_a_rebuild_pays_for_nothing_twice(tmp_path: Path, vault: Path, embedder: LoopbackEmbedder) -> None:
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        m.sync()
        assert m.sync(force=True).degraded == ()
        assert states(m) == {str(embedder.space): ("searched", 1.0), BUILTIN: ("kept", 1.0)}
    assert embedder.repeated == []


@pytest.mark.slow
@pytest.mark.parametrize("weather", [one for one in WEATHERS if one not in ("fine", "slow")])
def test_bad_weather_costs_quality_and_not_answers_and_what_was_missed_is_made_up_for(
    weather: Weather, tmp_path: Path, vault: Path, server: LoopbackServer, embedder: LoopbackEmbedder
) -> None:
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        m.sync()
        server.set(weather)

        answer = m.search("a train to Berlin", mode="vectors")
        assert best(answer) == "train.md"
        assert "searched with the built-in model instead" in answer.degraded[-1]
        assert m.recall("When does the night train to Berlin leave?").items[0].path == "train.md"

        write_vault(vault, {"bike.md": "a bicycle with a flat tyre", "umbrella.md": "an umbrella"})
        answer = m.search("riding a bike", mode="vectors")
        assert best(answer) == "bike.md", "the built-in model has embedded it"
        assert any(
            "% filled, and `memoro sync` completes it; searched with the built-in model instead" in said
            for said in answer.degraded
        )
        report = m.sync()
        assert any(said.startswith("vectors: ") for said in report.degraded)
        assert m.session_started() is not None
        assert states(m)[BUILTIN] == ("searched", 1.0)
        assert states(m)[str(embedder.space)][0] == "wanted"

        server.hung.set()
        server.set("fine")
        assert m.sync().degraded == ()
        assert states(m)[str(embedder.space)] == ("searched", 1.0)
        assert m.search("riding a bicycle").degraded == ()
    assert embedder.repeated == []


def test_a_first_index_is_made_while_the_provider_is_down(
    tmp_path: Path, vault: Path, server: LoopbackServer, embedder: LoopbackEmbedder
) -> None:
    server.set("down")
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        answer = m.search("a train to Berlin")
        assert best(answer) == "train.md"
        assert any("cannot be reached" in said for said in answer.degraded)
        assert states(m) == {BUILTIN: ("searched", 1.0), str(embedder.space): ("wanted", 0.0)}


class Own(HashEmbedder):
    """An application's embedder that raises what nobody expects."""

    def embed(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002
        raise RuntimeError("the GPU is on fire")


def test_an_embedder_that_raises_anything_ends_neither_search_nor_sync(tmp_path: Path, vault: Path) -> None:
    with memoro.open(tmp_path / "home", vault, embedder=Own()) as m:
        report = m.sync()
        assert report.files == 3
        assert any("the GPU is on fire" in said for said in report.degraded)
        assert best(m.search("a train to Berlin")) == "train.md"


# --- locks ----------------------------------------------------------------------------------------------


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """Do the work and return what it returns. It must not take longer."""
    started = time.monotonic()
    found = work()
    took = time.monotonic() - started
    assert took < seconds, f"it took {took:.1f} s"
    return found


def test_nobody_waits_for_a_provider_that_is_slow(tmp_path: Path, vault: Path) -> None:
    home, held = tmp_path / "home", Counting("slow for all")
    with memoro.open(home, vault) as m:
        m.sync()
    held.free.clear()
    reports: list[Report] = []

    def sync() -> None:
        with memoro.open(home, vault, embedder=held) as m:
            reports.append(m.sync())

    filling = threading.Thread(target=sync)
    filling.start()
    assert held.begun.wait(20)
    assert not KernelLock(str(home / "sync.lock")).is_held()
    assert not KernelLock(str(home / "write.lock")).is_held()
    assert not KernelLock(str(home / "vectors.lock")).is_held()
    write_vault(vault, {"bike.md": "a bicycle with a flat tyre"})
    with memoro.open(home, vault) as m:
        assert within(5, m.sync).added == 1
    with memoro.open(home, vault, embedder=held) as m:
        answer = within(5, lambda: m.search("riding a bike", mode="vectors"))
        assert best(answer) == "bike.md"
        assert any("another process is filling" in said for said in within(5, m.sync).degraded)
    assert len(held.asked) == 3, "nobody else asks for the same"
    held.free.set()
    filling.join(20)
    (report,) = reports
    assert report.degraded == ()
    with memoro.open(home, vault, embedder=held) as m:
        assert states(m)[str(held.space)] == ("searched", 1.0), "what was added meanwhile was next in the queue"
    assert len(held.asked) == len(set(held.asked)) == 4


def rows_by_text(m: memoro.Workspace, space: Space) -> dict[str, list[float]]:
    """The vectors of the index in a space, by the text each is of; every chunk has exactly one."""
    home = m.indexes()
    index = home.current() if home else None
    assert home is not None and index is not None
    texts = index.texts_after(0, 10_000)
    vectors = home.vectors(index, str(space), space.dimensions)
    rows = vectors.rows([item.chunk for item in texts])
    assert numpy.count_nonzero(rows, axis=1).all(), "a passage has no vector"
    near = {chunk for row in rows[:20] for chunk, _ in vectors.nearest(row, 10_000)}
    assert near <= {item.chunk for item in texts}, "a passage that is gone has one"
    return {item.text: row.tolist() for item, row in zip(texts, rows, strict=True)}


SECRET = "the pelargonium stands by the window of the laboratory"


def forget_the_secret_while_it_is_out(m: memoro.Workspace, home: Path, held: Counting) -> None:
    """Store three memories, and forget one of them while the embedder works on it."""
    m.memories.store("the bicycle has a flat tyre")
    m.sync()
    number = m.memories.store(SECRET).memory.id
    m.memories.store("the umbrella is in the hall")
    held.free.clear()
    held.begun.clear()
    filling = threading.Thread(target=m.sync)
    filling.start()
    assert held.begun.wait(20)
    with memoro.open(home) as other:
        within(10, lambda: other.memories.forget(number, yes=True))
    held.free.set()
    filling.join(20)


def test_what_is_forgotten_while_it_is_being_embedded_leaves_no_vector(tmp_path: Path) -> None:
    home, held = tmp_path / "home", Counting("forgetful")
    with memoro.open(home, embedder=held) as m:
        forget_the_secret_while_it_is_out(m, home, held)
        vector = HashEmbedder(32).embed([SECRET], "document")[0]
        exact = vector.astype(numpy.float16).tobytes()
        for file in home.glob("*"):
            assert not file.is_file() or exact not in file.read_bytes(), file.name
        assert SECRET not in rows_by_text(m, held.space)
        assert len(rows_by_text(m, held.space)) == 2
        indexes: IndexHome | None = m.indexes()
        assert indexes is not None and indexes.cache().count()[str(held.space)] == 2


class Refusing(Counting):
    """Cannot embed the secret, and says so with its words."""

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        rows = super().embed(texts, role)
        if SECRET in texts:
            raise TextRejected(f"It says: no vector for {SECRET}")
        return rows


def test_a_text_that_is_refused_after_it_was_forgotten_leaves_no_rejection(tmp_path: Path) -> None:
    home, held = tmp_path / "home", Refusing("refuses")
    with memoro.open(home, embedder=held) as m:
        forget_the_secret_while_it_is_out(m, home, held)
        assert len(rows_by_text(m, held.space)) == 2
        assert m.indexing.indexes.records().rejected_count(str(held.space)) == 0
    for file in home.glob("providers*"):
        assert b"pelargonium" not in file.read_bytes(), file.name


def test_notes_that_go_while_they_are_being_embedded_take_no_places_and_cost_nothing_when_they_return(
    tmp_path: Path, vault: Path
) -> None:
    home, held = tmp_path / "home", Counting("goers")
    with memoro.open(home, vault) as m:
        m.sync()
    held.free.clear()
    with memoro.open(home, vault, embedder=held) as m:
        filling = threading.Thread(target=m.sync)
        filling.start()
        assert held.begun.wait(20)
        (vault / "train.md").unlink()
        with memoro.open(home, vault) as other:
            other.sync()
            other.sync(force=True)  # and the whole index is another one
        held.free.set()
        filling.join(20)
        assert states(m)[str(held.space)] == ("searched", 1.0), "the sync went on in the new index"
        write_vault(vault, {"train.md": NOTES["train.md"]})
        assert m.sync().degraded == ()
        assert sorted(rows_by_text(m, held.space)) == sorted(text.strip() for text in NOTES.values())
    assert len(held.asked) == len(set(held.asked)) == 3


def test_a_space_that_is_dropped_while_it_is_being_filled_is_filled_from_the_beginning(
    tmp_path: Path, server: LoopbackServer
) -> None:
    vault = write_vault(tmp_path / "vault", {f"{n}.md": f"note {n}" for n in range(100)})  # two requests
    home, held = tmp_path / "home", Counting("dropped")
    held.free.clear()
    with memoro.open(home, vault) as m:
        m.sync()
    with memoro.open(home, vault, embedder=held) as m:
        filling = threading.Thread(target=m.sync)
        filling.start()
        assert held.begun.wait(20)
        held.begun.clear()
        held.once()
        assert held.begun.wait(20), "the first request is answered, and the second is out"
        with memoro.open(home, vault, embedder=LoopbackEmbedder(server, model="another")) as other:
            other.sync()
            assert str(held.space) not in states(other)
        held.free.set()
        filling.join(20)
        assert states(m)[str(held.space)] == ("searched", 1.0)
        assert len(rows_by_text(m, held.space)) == 100
    assert len(held.asked) == len(set(held.asked)) == 100


def test_a_search_does_not_wait_for_the_vector_of_its_query(tmp_path: Path, vault: Path) -> None:
    held = Counting("query")
    with memoro.open(tmp_path / "home", vault, embedder=held) as m:
        m.sync()
        held.free.clear()
        answer = within(5, lambda: m.search("a train to Berlin", mode="vectors"))
        again = within(5, lambda: m.search("a train to Berlin", mode="vectors"))
        held.free.set()
    assert (best(answer), best(again)) == ("train.md", "train.md")
    assert "has not answered within 400 ms; searched with" in answer.degraded[0]
    assert "earlier question" in again.degraded[0]


def test_a_search_does_not_wait_until_what_was_written_is_embedded(tmp_path: Path, vault: Path) -> None:
    held = Counting("documents")
    with memoro.open(tmp_path / "home", vault, embedder=held) as m:
        m.sync()
        write_vault(vault, {"bike.md": "a bicycle with a flat tyre"})
        held.free.clear()
        answer = within(5, lambda: m.search("riding a bike", mode="vectors"))
        assert (best(answer), answer.mode) == ("bike.md", "vectors")
        held.free.set()
        assert m.sync().degraded == (), "it waits for the request that is still out"
    assert len(held.asked) == len(set(held.asked)) == 4


CHILD = """
import sys
import memoro
from tests.http_embedders import REMOTE, remote_embedder
from tests.loopback import LoopbackEmbedder

home, vault, port, model = sys.argv[1:]
with memoro.open(home, vault, embedder=LoopbackEmbedder(int(port), model=model, seconds=10)) as m:
    print(m.sync().degraded)
"""


def child(home: Path, vault: Path, server: LoopbackServer, model: str) -> subprocess.Popen[bytes]:
    arguments = [str(home), str(vault), str(server.port), model]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments], cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE
    )


@pytest.mark.process
def test_processes_that_are_killed_while_they_embed_lose_and_double_nothing(
    tmp_path: Path, server: LoopbackServer
) -> None:
    rng = random.Random(5)
    vault = write_vault(tmp_path / "vault", {f"{n}.md": f"note {n} is about {n * 7919}" for n in range(300)})
    home, model = tmp_path / "home", "killed"
    server.set("slow")
    for _ in range(times(4, 30)):
        children = [child(home, vault, server, model) for _ in range(2)]
        time.sleep(rng.uniform(0.5, 2.0))
        for process in children:
            process.kill()
            process.communicate()
        write_vault(vault, {f"{rng.randrange(300)}.md": f"written again {rng.random()}"})
    server.set("fine")
    embedder = LoopbackEmbedder(server, model=model)
    with memoro.open(home, vault, embedder=embedder) as m:
        assert m.sync().degraded == ()
        assert {check.name: check.state for check in m.doctor()}["vectors"] == "ok"
        found = rows_by_text(m, embedder.space)
    with memoro.open(tmp_path / "fresh", vault, embedder=LoopbackEmbedder(server, model="fresh")) as m:
        m.sync()
        assert found == rows_by_text(m, Space("loopback", "fresh", DIMENSIONS, "plain"))


# --- everything at once ---------------------------------------------------------------------------------


class Story:
    """A vault that changes, a server whose weather changes, and what the workspace answers meanwhile."""

    def __init__(self, folder: Path, server: LoopbackServer, embedder: LoopbackEmbedder, seed: int) -> None:
        self.vault = write_vault(folder / "vault", {f"{n}.md": f"note {n} about green tea" for n in range(30)})
        self.server, self.embedder, self.rng = server, embedder, random.Random(seed)
        self.home = folder / "home"
        self.weather: Weather = "fine"

    def change(self) -> None:
        for _ in range(self.rng.randrange(4)):
            path = self.vault / f"{self.rng.randrange(40)}.md"
            if path.exists() and self.rng.random() < 0.3:
                path.unlink()
            else:
                path.write_text(f"written again: {self.rng.choice(['tea', 'a train', 'a dog'])} {self.rng.random()}")

    def step(self, m: memoro.Workspace) -> None:
        self.change()
        if self.rng.random() < 0.5:
            self.weather = self.rng.choice(WEATHERS)
            self.server.hung.set() if self.weather != "hung" else self.server.hung.clear()
            self.server.set(self.weather)
        match self.rng.choice(["search", "search", "recall", "sync", "force"]):
            case "search":
                answer = within(10, lambda: m.search("green tea", mode=self.rng.choice(["hybrid", "vectors"])))
                assert answer.mode != "words", "one of the two spaces answers"
                assert answer.results
                self.check_told(m, answer.degraded)
            case "recall":
                within(10, lambda: m.recall("written again: a train"))
            case "sync":
                within(20, lambda: m.sync(accept_deletions=True))
                assert states(m)[BUILTIN][1] == 1.0
            case "force":
                within(20, lambda: m.sync(force=True, accept_deletions=True))
                assert states(m)[BUILTIN][1] == 1.0

    def check_told(self, m: memoro.Workspace, degraded: Sequence[str]) -> None:
        """An answer that is not from a complete wanted space says so."""
        told = " ".join(degraded)
        if states(m)[str(self.embedder.space)][1] < 1.0:
            assert "until it is complete" in told or "instead" in told or "have none yet" in told
        if self.weather not in ("fine", "slow"):
            assert "the built-in model" in told


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(times(5, 60)))
def test_every_search_and_sync_answers_whatever_the_weather_and_the_space_is_complete_in_the_end(
    seed: int, tmp_path: Path, server: LoopbackServer
) -> None:
    embedder = LoopbackEmbedder(server, model=f"story-{seed}")
    story = Story(tmp_path, server, embedder, seed)
    ended, failures = threading.Event(), []

    def search_meanwhile() -> None:
        with memoro.open(story.home, story.vault, embedder=embedder) as m:
            while not ended.wait(0.05):
                try:
                    within(10, lambda: m.search("a dog and a train"))
                except BaseException as error:
                    failures.append(error)

    with memoro.open(story.home, story.vault, embedder=embedder) as m:
        m.sync()
        beside = threading.Thread(target=search_meanwhile)
        beside.start()
        try:
            for _ in range(times(30, 100)):
                story.step(m)
        finally:
            ended.set()
            server.hung.set()
            server.set("fine")
            beside.join(30)
        assert failures == []
        for _ in range(2):  # the first may only wait for a request that was still out
            report = m.sync(accept_deletions=True)
        assert report.degraded == ()
        assert states(m) == {str(embedder.space): ("searched", 1.0), BUILTIN: ("kept", 1.0)}
        found = [rows_by_text(m, space) for space in (embedder.space, SPACE)]
    assert set(embedder.repeated) <= {CONTROL_TEXT}, "a text was paid for twice"
    fresh = LoopbackEmbedder(server, model=f"fresh-{seed}")
    with memoro.open(tmp_path / "fresh", story.vault, embedder=fresh) as m:
        m.sync()
        assert found == [rows_by_text(m, space) for space in (fresh.space, SPACE)]


def test_no_error_of_a_provider_leaves_the_library(tmp_path: Path, vault: Path) -> None:
    """Whatever is called, with an embedder that fails in every call."""
    with memoro.open(tmp_path / "home", vault, embedder=Own()) as m:
        calls: list[Callable[[], object]] = [
            m.sync,
            lambda: m.sync(force=True),
            m.session_started,
            lambda: m.search("tea"),
            lambda: m.recall("green tea"),
            lambda: m.prompt("green tea"),
            m.status,
            m.doctor,
            lambda: m.memories.store("the bicycle has a flat tyre"),
            lambda: m.memories.query("bicycle"),
            lambda: m.remember("tea is drunk at four"),
        ]
        for call in calls:
            try:
                call()
            except ProviderError as error:
                raise AssertionError("it left the library") from error
