"""What an embedder on another machine is sent: nothing private, and no secret."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.index.outgoing import Outgoing
from memoro.model.scope import EVERYTHING
from memoro.providers.ports import EmbedderInfo
from memoro.search.ledger_search import LedgerSearch, NearQuestion
from memoro.serve.services import ServiceContext
from memoro.serve.warm_up import warm_up
from memoro.store.ports import ChunkText
from memoro.store.space_progress import is_complete
from tests.conftest import write_vault
from tests.kept_reports import KeptReports
from tests.priced import PRICES, PricedEmbedder

KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5q" + "T3BlbkFJ" + "Rs8tUv1wXy4zAb7cDe0f"
NOTES = {
    "Offer.md": "---\nvisibility: private\n---\n# Offer\nA boat for seventy.\n",
    "Work/Plan.md": "# Plan\n- the boat sails in May\n- (confidential) the price is seventy\n- paint the boat\n",
    "Health/Doctor.md": "# Doctor\nThe knee hurts.\n",
    "Tagged.md": "---\ntags: [salary]\n---\n# Pay\nA raise in March.\n",
    "Server.md": f"# Server\nThe key of the server is {KEY}\n",
    "Open.md": "# Open\nGreen tea.\n",
}

chunks = st.builds(
    ChunkText,
    chunk=st.integers(1, 99),
    digest=st.text("0123456789abcdef", min_size=4, max_size=4),
    text=st.text(max_size=40),
    path=st.sampled_from(["a.md", "Health/b.md", "c/d.md"]),
    tags=st.sampled_from([(), ("salary",), ("salary/2026", "x")]),
    is_private=st.booleans(),
)
rules = st.builds(
    Outgoing,
    leaves=st.booleans(),
    with_private=st.booleans(),
    patterns=st.sampled_from([(), ("Health",), ("#salary", "c/*")]),
)


@pytest.fixture(autouse=True)
def vault(tmp_path: Path) -> Path:
    return write_vault(tmp_path / "vault", NOTES)


def opened(tmp_path: Path, embedder: PricedEmbedder, settings: str = "") -> memoro.Workspace:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "memoro.toml").write_text(settings)
    return memoro.open(tmp_path / "home", tmp_path / "vault", embedder=embedder)


@given(rules, chunks)
def test_a_private_passage_is_sent_only_where_it_does_not_leave_or_its_owner_allows_it(
    outgoing: Outgoing, item: ChunkText
) -> None:
    sent = outgoing.text_for(item)
    if item.is_private and outgoing.leaves and not outgoing.with_private:
        assert sent is None
    if not outgoing.leaves:
        assert sent == item.text
    if not item.is_private and not outgoing.patterns:
        assert sent is not None


@given(rules, rules, st.lists(chunks, max_size=5))
def test_rules_of_one_name_keep_the_same_passages_at_home(
    one: Outgoing, other: Outgoing, items: list[ChunkText]
) -> None:
    if one.rules == other.rules:
        assert [one.stays(item) for item in items] == [other.stays(item) for item in items]


@given(rules, st.lists(chunks, max_size=6))
def test_a_passage_that_stays_has_a_row_of_zeros_and_every_other_its_vector(
    outgoing: Outgoing, items: list[ChunkText]
) -> None:
    embedder = PricedEmbedder()
    rows = outgoing.embed(items, embedder)
    assert [bool(row.any()) for row in rows] == [not outgoing.stays(item) for item in items]
    assert embedder.sent == [item.text for item in items if not outgoing.stays(item)]


def test_a_secret_and_a_value_that_must_never_be_sent_are_taken_out_of_a_text() -> None:
    outgoing = Outgoing(leaves=True, known=("Hunter2Hunter2",))
    sent = outgoing.sent(f"the key {KEY} and Hunter2Hunter2, and tea")
    assert KEY not in sent
    assert "Hunter2Hunter2" not in sent
    assert sent.endswith("and tea")


def test_a_question_that_says_it_is_private_is_not_sent(tmp_path: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        embedder.sent.clear()
        found = m.search("this is confidential, between you and me: is there green tea?")
        assert found.results
        assert any("the question is private, and is not sent to" in said for said in found.degraded)
        assert embedder.sent == []
        m.search("is there green tea?")
        assert embedder.sent == ["is there green tea?"]


def test_private_notes_lines_folders_and_tags_are_not_sent(tmp_path: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder, '[privacy]\nprivate = ["Health", "#salary"]\n') as m:
        m.sync(agrees=True)
        index = m.indexing.current()
        assert is_complete(index, str(embedder.space)), "what stays at home is settled"
        said = "\n".join(embedder.sent)
        for private in ("seventy", "knee", "raise"):
            assert private not in said
        for public in ("sails in May", "paint", "Green tea"):
            assert public in said
        states = {state.name: state for state in m.status().spaces}
        assert states[str(embedder.space)].filled == 1.0
        assert m.search("how much for the boat: seventy", mode="hybrid").results, "it is found by its words"


def test_an_embedder_on_this_machine_gets_everything(tmp_path: Path) -> None:
    embedder = PricedEmbedder(EmbedderInfo(host="localhost:11434", is_home=True, prices=PRICES))
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
    assert "seventy" in "\n".join(embedder.sent)
    assert KEY in "\n".join(embedder.sent)


def test_a_changed_setting_fills_the_space_anew_and_pays_only_for_what_was_not_sent_yet(
    tmp_path: Path,
) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        first = list(embedder.sent)
        before = rows(m, embedder)
    with opened(tmp_path, embedder, "[privacy]\nproviders = true\n") as m:
        m.sync(agrees=True)
        more = embedder.sent[len(first) :]
        assert not set(more) & set(first)
        assert "seventy" in "\n".join(more)
        assert rows(m, embedder) == before + 2
    embedder.sent.clear()
    with opened(tmp_path, embedder) as m:
        m.sync()
        assert rows(m, embedder) == before
    assert embedder.sent == [], "the way back costs nothing"


def test_a_search_of_an_agent_with_its_own_settings_drops_nothing(tmp_path: Path, vault: Path) -> None:
    embedder = PricedEmbedder()
    settings = '[agents.codex.privacy]\nprivate = ["Work"]\n'
    with opened(tmp_path, embedder, settings) as m:
        m.sync(agrees=True)
        before = rows(m, embedder)
    with memoro.open(tmp_path / "home", vault, embedder=embedder, agent="codex") as m:
        m.search("tea")
        assert rows(m, embedder) == before


def test_a_note_that_becomes_private_loses_its_vector(tmp_path: Path, vault: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        before = rows(m, embedder)
        write_vault(vault, {"Open.md": "---\nprivate: true\n---\n# Open\nGreen tea.\n"})
        m.sync(agrees=True)
        assert rows(m, embedder) == before - 1


def test_a_rebuilt_index_takes_over_what_is_known_and_leaves_out_what_is_private(tmp_path: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        before = rows(m, embedder)
        embedder.sent.clear()
        m.sync(force=True)
        assert (rows(m, embedder), embedder.sent) == (before, [])


def test_serve_sends_nothing_while_it_warms_up(tmp_path: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        embedder.sent.clear()
        said = KeptReports()
        try:
            warm_up(ServiceContext(m, threading.Event(), said))
        finally:
            gc.unfreeze()
    assert (embedder.sent, said.lines) == ([], [])


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("The knee of Ada hurts", ["private"]),
        ("The knee of Ada hurts", ["salary/2026"]),
        ("Between you and me: the knee of Ada no longer hurts", []),
    ],
)
def test_a_private_memory_is_not_sent_to_find_those_that_are_near_it(
    tmp_path: Path, text: str, tags: list[str]
) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder, '[privacy]\nprivate = ["#salary"]\n') as m:
        public = m.memories.store("The boat of Ada is green").memory
        private = m.memories.store(text, tags).memory
        m.sync(agrees=True)
        embedder.sent.clear()
        search = LedgerSearch(m.home_context, m.indexing, m.parts.finder)
        for stored in (public, private):
            found, _ = search.nearest_memories(
                NearQuestion(stored=stored, text=f"about {stored.content}", limit=3, scope=EVERYTHING)
            )
            assert found
    assert embedder.sent == ["about The boat of Ada is green"]


def test_no_part_of_a_private_message_is_sent(tmp_path: Path) -> None:
    embedder = PricedEmbedder()
    with opened(tmp_path, embedder) as m:
        m.sync(agrees=True)
        embedder.sent.clear()
        line = "Ada likes the boat and the green tea.\n"
        for message in (
            "Between you and me: what did I do before the surgery of Ada?",
            f"What does Ada like?\n{400 * line}Between you and me, she is ill.\n{400 * line}When does she sail?",
        ):
            m.recall(message, proactive=True)
            m.recall(message)
    assert embedder.sent == []


def rows(m: memoro.Workspace, embedder: PricedEmbedder) -> int:
    """How many passages have a vector in the embedder's space."""
    index = m.indexing.current()
    vectors = m.indexing.indexes.vectors(index, str(embedder.space), embedder.space.dimensions)
    found = vectors.rows([item.chunk for item in index.texts_after(0, 1000)])
    return int(numpy.any(found, axis=1).sum())
