"""The space of another model is read by what is near by chance in the owner's own index."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import ProviderUnavailable, RequestTooLarge
from memoro.index.begun_calibration import begun_calibration
from memoro.index.calibrating import QUERIES, calibration_cost, is_due, sample
from memoro.index.space_vectors import forget_texts
from memoro.kept_spaces import kept_spaces
from memoro.model.vocabulary import Role
from memoro.providers.builtin.model import builtin
from memoro.providers.calibrating import SpaceCosines, chance_of, meaning_factor, measured
from memoro.providers.calibration import (
    OF_BUILTIN,
    UNMEASURED,
    CosineReading,
    MeasuredSpace,
    calibration,
    decode,
    encode,
)
from memoro.providers.ports import FREE, Embedder, EmbedderInfo, Space
from memoro.store.ports import Index
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

TOPICS = {
    "Garden": ("Watering", "The tomatoes in the bed need two cans each evening, and the beans one in the morning."),
    "Database": ("Backups", "Postgres is dumped to the second disk every night, and a copy goes to the cellar."),
    "Bicycle": ("Repairs", "The chain was stretched and jumped on hills, so a new one was fitted with a cassette."),
    "Holiday": ("Journey", "The ferry leaves Hirtshals at noon; the cabin for four is paid and has a window."),
    "Kitchen": ("Bread", "Rye flour and a sour starter rest for twelve hours before the loaf goes into the oven."),
    "Taxes": ("Receipts", "Invoices for the office chair and the train tickets are kept in the blue folder."),
    "Piano": ("Lessons", "Scales in thirds, then the slow movement; the left hand plays too loud in the coda."),
    "Doctor": ("Allergies", "Birch pollen from April on; the tablets make her sleepy and the spray does not."),
}
PLACES = ("Lime Walk", "Saltmere", "the mill", "Ivelow", "the harbour", "Northgate")


class Distorted:
    """The built-in model with its cosines in another range: `share` of them is left, the rest is always there."""

    def __init__(self, share: float, info: EmbedderInfo | None = None) -> None:
        self.space = Space(provider="test", model=f"distorted-{share}", dimensions=257, preparation="text")
        self.info = info or EmbedderInfo()
        self.asked: list[tuple[Role, str]] = []
        self._share = share

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        self.asked += [(role, text) for text in texts]
        rows = builtin().embed(texts, role)
        rows = rows * math.sqrt(self._share)
        rest = numpy.sqrt(1 - (rows * rows).sum(axis=1, keepdims=True))
        return numpy.hstack([rows, rest]).astype(numpy.float32)


class Silent(Distorted):
    """Embeds documents, and no queries."""

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query":
            raise ProviderUnavailable("no queries today")
        return super().embed(texts, role)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write(tmp_path / "vault", 2)


def write(vault: Path, places: int) -> Path:
    vault.mkdir(exist_ok=True)
    for topic, (heading, text) in TOPICS.items():
        for place in PLACES[:places]:
            sections = [
                f"# {topic} at {place}",
                f"It began at {place}.",
                f"## {heading}",
                text,
                "## Next",
                f"Ask in {place} about the {topic.lower()}.",
            ]
            (vault / f"{topic}-{place.replace(' ', '-')}.md").write_text("\n\n".join(sections) + "\n")
    return vault


def synced(home: Path, vault: Path, embedder: Embedder) -> memoro.Workspace:
    m = memoro.open(home, vault, embedder=embedder)
    m.sync()
    return m


def stored(home: Path, space: Space) -> str | None:
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        return indexes.records().calibration(str(space))
    finally:
        indexes.close()


def index_of(home: Path) -> tuple[SqliteIndexHome, Index]:
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    index = indexes.current()
    assert index is not None
    return indexes, index


# --- rules --------------------------------------------------------------------------------------------------


def cosines(seed: int, middle: float, spread: float, related: float) -> SpaceCosines:
    rng = numpy.random.default_rng(seed)

    def around(value: float, count: int) -> Vectors:
        return numpy.clip(rng.normal(value, spread, count), -1, 1).astype(numpy.float32)

    return SpaceCosines(
        chance=around(middle, 4000),
        around=around(middle, 4000),
        headings=around(related, 60),
        replies=around(related, 60),
        passages=around(middle, 4000),
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), scale=st.floats(0.1, 1.5), shift=st.floats(-0.2, 0.8))
def test_a_space_that_is_only_stretched_and_moved_is_read_as_the_built_in_one(
    seed: int, scale: float, shift: float
) -> None:
    known = cosines(seed, 0.1, 0.08, 0.4)
    own = SpaceCosines(*(scale * column + shift for column in known))
    found = measured(own, known, 60, 1000)
    assert found is not None
    reading = found.calibration.reading
    for cosine in (0.0, 0.1, 0.3, 0.5):
        # The default, 1/3 for all, has the say of five queries of sixty-five.
        expected = cosine + (1 / 3 - cosine) * 5 / 65
        assert reading.nearness(scale * cosine + shift) == pytest.approx(expected, abs=0.02)
    assert found.meaning == pytest.approx(1.0, abs=0.05)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), queries=st.integers(1, 100))
def test_the_fewer_queries_the_nearer_to_the_default(seed: int, queries: int) -> None:
    known = cosines(seed, 0.1, 0.08, 0.4)
    few, many = (measured(known, known, count, 1000) for count in (queries, queries + 10))
    assert few is not None and many is not None
    assert 0 < few.reading.scale < many.reading.scale < 1
    assert (few.calibration.near is None) == (queries < 20)


def test_a_model_that_tells_nothing_apart_weighs_less() -> None:
    known = cosines(1, 0.1, 0.08, 0.4)
    blind = known._replace(headings=known.chance[:60])
    assert meaning_factor(blind, known) < 0.5
    found = measured(blind, known, 60, 1000)
    assert found is not None and found.calibration.near is None
    assert found.calibration.weights.meaning.long == pytest.approx(0.3 * found.meaning)
    assert found.calibration.weights.words == OF_BUILTIN.weights.words


def test_replies_never_make_meaning_weigh_more() -> None:
    weak, strong = cosines(1, 0.1, 0.08, 0.25), cosines(2, 0.1, 0.08, 0.6)
    none = numpy.zeros(0, numpy.float32)
    assert meaning_factor(strong, weak) > 1.1
    assert meaning_factor(strong._replace(headings=none), weak._replace(headings=none)) == 1.0


def test_pairs_that_the_built_in_model_takes_for_chance_are_no_measure() -> None:
    chance, strong = cosines(1, 0.1, 0.08, 0.1), cosines(2, 0.1, 0.08, 0.6)
    assert meaning_factor(strong, chance) == meaning_factor(chance, chance) == 1.0


def test_a_space_with_one_vector_for_all_texts_is_not_measured() -> None:
    known = cosines(1, 0.1, 0.08, 0.4)
    assert measured(SpaceCosines(*(0 * column + 1 for column in known)), known, 60, 1000) is None
    empty = SpaceCosines(*(column[:0] for column in known))
    assert measured(empty, empty, 60, 1000) is None


def test_what_repeats_a_passage_depends_on_the_range_of_cosines() -> None:
    known = cosines(1, 0.1, 0.08, 0.4)
    found = measured(SpaceCosines(*(0.85 + 0.15 * column for column in known)), known, 60, 1000)
    assert found is not None and found.same == pytest.approx(0.997, abs=0.0005)


@settings(max_examples=20)
@given(st.lists(st.floats(-1, 1, width=32), min_size=1))
def test_high_chance_cosines_are_never_below_the_middle(values: list[float]) -> None:
    assert chance_of(numpy.asarray(values, numpy.float32)).spread >= 0


# --- what is kept -------------------------------------------------------------------------------------------

SPACE = Space(provider="test", model="m", dimensions=8, preparation="text")
READING = CosineReading(1.2, -0.1)
FOUND = MeasuredSpace(queries=60, labelled=40, passages=900, reading=READING, around=READING, same=0.97, meaning=1.1)


def changed(field: str, value: object) -> str:
    return json.dumps({**json.loads(encode(FOUND)), field: value})


def test_what_was_measured_is_read_back() -> None:
    assert decode(encode(FOUND)) == FOUND
    assert calibration(SPACE, encode(FOUND)) == FOUND.calibration
    assert FOUND.calibration.near == pytest.approx((0.45 + 0.1) / 1.2)


@pytest.mark.parametrize(
    "document",
    [
        None,
        "",
        "{",
        "[]",
        "3",
        '{"format": 1}',
        changed("format", 2),
        changed("reading", {"scale": 0, "shift": 0.1}),
        changed("around", {"scale": "1", "shift": 0.1}),
        changed("reading", {"scale": 1, "shift": math.nan}),
        changed("meaning", 50),
        changed("same", 1.5),
        changed("more", 1),
        "[" * 100_000,
    ],
)
def test_a_document_that_cannot_be_used_counts_as_unmeasured(document: str | None) -> None:
    assert calibration(SPACE, document) is UNMEASURED


def test_the_built_in_model_keeps_its_own_numbers() -> None:
    assert calibration(builtin().space, encode(FOUND)) is OF_BUILTIN


# --- the sample ---------------------------------------------------------------------------------------------


def test_headings_are_queries_for_what_follows_in_their_note(tmp_path: Path, vault: Path) -> None:
    with synced(tmp_path / "home", vault, Distorted(0.3)):
        pass
    indexes, index = index_of(tmp_path / "home")
    found = [one for one in sample(index).queries if one.kind == "heading"]
    assert found and "Garden at Lime Walk: Watering" in {one.text for one in found}
    for one in found:
        (following,) = index.look_up([one.next], [])
        assert following.passage.path == one.path and one.text.rpartition(": ")[2] not in following.passage.text
    assert sample(index) == sample(index)
    texts, tokens = calibration_cost(index)
    assert texts == len(sample(index).queries) and tokens > texts
    indexes.close()


def test_questions_of_conversations_are_queries_for_the_reply(tmp_path: Path) -> None:
    logs, vault = tmp_path / "logs", tmp_path / "vault"
    for folder in (logs, vault):
        folder.mkdir()
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f'[vault]\npath = "{vault}"\n\n[transcripts]\nfolders = ["{logs}"]\n')
    for number, (topic, (_, text)) in enumerate(TOPICS.items()):
        said = [("user", f"Hello. What do we know about the {topic.lower()} now?"), ("assistant", text)]
        lines = [
            json.dumps({"role": role, "content": content, "timestamp": f"2026-03-{number + 1:02}T10:00:00Z"})
            for role, content in said
        ]
        (logs / f"{topic}.jsonl").write_text("\n".join(lines) + "\n")
    with memoro.open(home) as m:
        m.sync()
    indexes, index = index_of(home)
    found = [one for one in sample(index).queries if one.kind == "question"]
    assert {one.text for one in found} >= {"What do we know about the garden now?"}
    for one in found:
        (reply,) = index.look_up([one.next], [])
        assert reply.passage.speaker == "Assistant" and reply.passage.path == one.path
    indexes.close()


def test_a_file_gives_few_queries_and_a_sample_has_an_end(tmp_path: Path) -> None:
    vault = write(tmp_path / "vault", len(PLACES))
    with synced(tmp_path / "home", vault, Distorted(0.3)):
        pass
    indexes, index = index_of(tmp_path / "home")
    queries = sample(index).queries
    assert len(queries) == QUERIES
    assert max(sum(one.path == other.path for other in queries) for one in queries) <= 2
    indexes.close()


# --- through the front door ---------------------------------------------------------------------------------


def test_a_sync_that_completes_a_space_measures_it(tmp_path: Path, vault: Path) -> None:
    embedder = Distorted(0.3)
    with synced(tmp_path / "home", vault, embedder) as m:
        answer = m.search("how often are the tomatoes watered?")
    found = decode(stored(tmp_path / "home", embedder.space))
    assert found is not None and found.queries >= 20 and found.labelled >= 10
    assert found.reading.scale == pytest.approx(1 / 0.3, rel=0.15)
    assert found.meaning == pytest.approx(1.0, abs=0.1)
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        kept = {one.state.name: one.calibrated for one in kept_spaces(m.parts)}
    assert kept == {str(embedder.space): found.queries, str(builtin().space): 0}
    evidence = answer.results[0].explanation.evidence if answer.results else None
    assert answer.results[0].path.startswith("Garden") and evidence is not None
    with memoro.open(tmp_path / "home", vault) as m:
        usual = m.search("how often are the tomatoes watered?").results[0].explanation.evidence
    assert usual is not None and evidence.nearness == pytest.approx(usual.nearness, abs=0.06)


def test_a_measured_space_is_measured_again_only_once_the_index_has_grown_fourfold(
    tmp_path: Path, vault: Path
) -> None:
    embedder, home = Distorted(0.3), tmp_path / "home"
    with synced(home, vault, embedder) as m:
        asked = len(embedder.asked)
        m.sync()
        assert len(embedder.asked) == asked
    indexes, index = index_of(home)
    kept = stored(home, embedder.space)
    found = decode(kept)
    assert found is not None and not is_due(index, embedder.space, kept)
    smaller = encode(found._replace(passages=index.counts().chunks // 4))
    assert is_due(index, embedder.space, smaller) and is_due(index, embedder.space, "{")
    assert not is_due(index, SPACE, None), "the space is not complete"
    indexes.close()


def test_a_provider_that_answers_no_queries_leaves_a_space_unmeasured_and_says_so(
    tmp_path: Path, vault: Path
) -> None:
    embedder = Silent(0.3)
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        report = m.sync()
        assert any("could not be calibrated" in notice for notice in report.degraded)
        assert m.search("how often are the tomatoes watered?").results
    assert stored(tmp_path / "home", embedder.space) is None


class Failing(Distorted):
    """Takes two texts in a request, and fails once when it has answered `before` of them."""

    def __init__(self, before: int) -> None:
        super().__init__(0.3)
        self._before: int | None = before

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if role == "query" and len(texts) > 2:
            raise RequestTooLarge("two at most")
        if role == "query" and self._before is not None and len(self.queries()) >= self._before:
            raise ProviderUnavailable("no more queries today")
        return super().embed(texts, role)

    def queries(self) -> list[str]:
        return [text for role, text in self.asked if role == "query"]

    def recover(self) -> None:
        self._before = None


def let_it_go_on(home: Path, space: Space) -> None:
    """Let the last failure of a calibration be long ago."""
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    kept = begun_calibration(indexes.records().begun_calibration(str(space)), space.dimensions)
    indexes.records().put_begun_calibration(str(space), kept._replace(failed_at=1.0).document())
    indexes.close()


def test_a_calibration_that_breaks_off_waits_then_goes_on_and_sends_no_query_again(
    tmp_path: Path, vault: Path
) -> None:
    embedder, home = Failing(before=9), tmp_path / "home"
    with memoro.open(home, vault, embedder=embedder) as m:
        assert any("could not be calibrated" in notice for notice in m.sync().degraded)
        embedder.recover()
        assert m.sync().degraded == (), "it is spoken of once"
        assert len(embedder.queries()) == 9
    let_it_go_on(home, embedder.space)
    with memoro.open(home, vault, embedder=embedder) as m:
        m.sync()
    found = decode(stored(home, embedder.space))
    assert found is not None and len(embedder.queries()) == len(set(embedder.queries())) == found.queries
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    assert indexes.records().begun_calibration(str(embedder.space)) is None
    indexes.close()


def test_what_a_broken_off_calibration_has_is_forgotten_with_any_text(tmp_path: Path, vault: Path) -> None:
    embedder, home = Failing(before=9), tmp_path / "home"
    with memoro.open(home, vault, embedder=embedder) as m:
        m.sync()
        records = m.indexing.indexes.records()
        assert records.begun_calibration(str(embedder.space)) is not None
        forget_texts(m.indexing.indexes, ["00" * 32])
        assert records.begun_calibration(str(embedder.space)) is None


@given(st.text())
def test_a_begun_calibration_that_cannot_be_read_has_not_begun(document: str) -> None:
    assert begun_calibration(document, 3) == (0.0, {})


def test_the_first_search_of_a_home_does_not_wait_for_a_calibration(tmp_path: Path, vault: Path) -> None:
    embedder = Distorted(0.3)
    with memoro.open(tmp_path / "home", vault, embedder=embedder) as m:
        m.search("how often are the tomatoes watered?")
        assert sum(role == "query" for role, _ in embedder.asked) <= 1
        m.sync()
    assert decode(stored(tmp_path / "home", embedder.space)) is not None


def test_nothing_of_a_private_passage_is_sent_as_a_query(tmp_path: Path, vault: Path) -> None:
    for n, place in enumerate(PLACES):
        (vault / f"secret-{n}.md").write_text(
            f"---\nprivate: true\n---\n\n# Xylophone at {place}\n\nNobody may know where the xylophone is hidden.\n"
        )
    embedder = Distorted(0.3, EmbedderInfo(host="models.example", is_home=False, prices=FREE))
    with synced(tmp_path / "home", vault, embedder):
        pass
    assert decode(stored(tmp_path / "home", embedder.space)) is not None
    assert not [text for _, text in embedder.asked if "xylophone" in text.lower()]


def test_a_handful_of_passages_is_not_measured(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("# Tea\n\nGreen tea is in the tin on the upper shelf.\n")
    embedder = Distorted(0.3)
    with synced(tmp_path / "home", vault, embedder):
        pass
    assert [role for role, _ in embedder.asked] == ["document"]
    assert stored(tmp_path / "home", embedder.space) is None
