"""Recall: what is relevant to a message, packed into a budget, and nothing where nothing is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.config.settings import ProactiveSettings, RecallSettings
from memoro.conversation.recent import split_recent
from memoro.errors import ConfigError, NoVault
from memoro.model.answers import Passage, Where
from memoro.model.recall import RecallOptions
from memoro.model.scope import EVERYTHING
from memoro.model.sessions import HeldContext
from memoro.model.tokens import quarters
from memoro.model.vocabulary import Role
from memoro.providers import deadline
from memoro.providers.builtin.model import SPACE, builtin
from memoro.providers.calibration import OF_BUILTIN, UNMEASURED
from memoro.providers.ports import Space
from memoro.recall import fence
from memoro.recall.answer import may_answer, wanted
from memoro.recall.candidates import pool
from memoro.recall.merge import Part, item_of
from memoro.recall.pack import PackCandidate, PackLimits, Pool, pack
from memoro.recall.request import RecallRequest
from memoro.workspace import Workspace
from tests.conftest import Memoro, run_memoro, write_vault
from tests.talks import index_of, talk

NOW = datetime(2026, 5, 14, 12, tzinfo=UTC)
TEA = "# Tea\n\nGreen tea is steeped at 70 degrees for two minutes.\n"
NOTES = {
    "tea.md": TEA,
    "train.md": "# Train\n\nThe night train to Berlin leaves at 21:40 from platform 3.\n",
    "dog.md": "# Dog\n\nThe dog Max is afraid of thunder and hides below the stairs.\n",
    "daily/2026-05-05.md": "# 2026-05-05\n\n- 10:00 Repaired the bicycle.\n- 15:00 Called the plumber.\n",
    "daily/2026-05-12.md": "# 2026-05-12\n\n- 09:00 Painted the fence.\n",
}


@pytest.fixture
def notes(vault: Path) -> Path:
    return write_vault(vault, NOTES)


def opened(home: Path, vault: Path, **options: Any) -> Workspace:
    return memoro.open(home, vault, clock=lambda: NOW, **options)


# --- a home without notes -------------------------------------------------------------------------------------

EARLIER = ("where were we?", "what did we do yesterday?", "I get ValueError: bad port 8443 again", "which port?")


@pytest.mark.parametrize("proactive", [False, True])
def test_a_new_home_without_notes_recalls_nothing_and_says_why(proactive: bool, home: Path) -> None:
    for session in (None, "s"):
        with memoro.open(home, agent="helper") as m:
            for message in EARLIER:
                found = m.recall(message, proactive=proactive, session=session)
                assert (found.block, found.items) == ("", ())
                assert bool(found.degraded) == (session is None), message
                assert all("No vault is set." in one for one in found.degraded)


@pytest.mark.parametrize("place", ["a folder", ":memory:"])
def test_without_notes_memories_and_experiences_are_recalled_and_found(place: str, home: Path) -> None:
    with memoro.open(home if place == "a folder" else place, agent="helper") as m:
        m.recall("which port?")
        m.memories.store("The staging server listens on port 8443.", source="agent")
        m.experiences.record("error_recovery", "ValueError: bad port 8443", "restart it")
        for session in (None, "s"):
            for message in EARLIER:
                assert m.recall(message, proactive=True, session=session).degraded == ()
        asked, given = m.recall("the staging port?"), m.recall("ValueError: bad port 8443", proactive=True)
        assert asked.items[0].id == "memory:1" and [one.id for one in given.items] == ["experience:1"]
        found = m.search("staging port")
        assert found.results[0].id == "memory:1" and found.degraded == ()


def test_a_search_of_a_new_home_without_notes_says_that_there_are_none(home: Path) -> None:
    with memoro.open(home) as m:
        for query in ("tea", "yesterday"):
            found = m.search(query)
            assert found.results == () and len(found.degraded) == 1 and "No vault is set." in found.degraded[0]
        with pytest.raises(NoVault):
            m.get("tea.md")
        with pytest.raises(NoVault):
            m.sync()


def test_the_commands_ask_a_new_home_for_notes_and_make_no_file(home: Path) -> None:
    for command in (
        ("search", "tea"),
        ("recall", "tea"),
        ("recall", "--proactive", "tea"),
        ("get", "tea.md"),
        ("status",),
    ):
        done = run_memoro("--home", str(home), *command)
        assert (done.code, done.out) == (3, "") and "memoro init FOLDER" in done.err, command
    assert not home.exists()


# --- through the front door -----------------------------------------------------------------------------------


def test_a_message_brings_the_passage_that_answers_it(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        found = m.recall("How hot should water for green tea be?")
    assert found.items[0].path == "tea.md"
    assert "70 degrees" in found.block
    assert found.degraded == ()
    assert (found.form, found.tokens) == ("full", (quarters(found.block) + 3) // 4)


def test_the_same_state_clock_and_message_give_the_same_but_for_the_boundary(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        one, two = (m.recall("the night train and the dog") for _ in range(2))
    assert one.items == two.items and one.left_out == two.left_out
    assert one.boundary != two.boundary
    assert one.block.replace(one.boundary, two.boundary) == two.block


def test_what_shares_no_word_but_is_near_breaks_the_silence() -> None:
    unsure = PackCandidate(1, None, "a", 0.2, 0.2)  # type: ignore[arg-type]
    near, later = unsure._replace(near=0.5), [unsure] * 10
    assert not may_answer([], "hybrid", OF_BUILTIN) and not may_answer([unsure], "hybrid", OF_BUILTIN)
    assert may_answer([*later[1:], near], "hybrid", OF_BUILTIN)
    assert not may_answer([*later, near], "hybrid", OF_BUILTIN)
    sure = [unsure, unsure._replace(sure=0.3)]
    assert may_answer(sure, "hybrid", OF_BUILTIN), "the surest need not be the best"
    assert not may_answer([near], "hybrid", UNMEASURED), "the cosines of another model may all be high"
    for mode, calibration in (("words", None), ("vectors", OF_BUILTIN)):
        assert may_answer(sure, mode, calibration)  # type: ignore[arg-type]
        assert not may_answer([near._replace(sure=0.1)], mode, calibration)  # type: ignore[arg-type]


@pytest.mark.usefixtures("notes")
def test_nothing_is_said_where_nothing_is_relevant(memoro: Memoro) -> None:
    done = memoro("recall", "--json", "quantum chromodynamics of hadrons")
    assert (done.code, done.json["items"], done.json["block"]) == (1, [], "")
    assert {one["why"] for one in done.json["left_out"]} <= {"below the minimum score"}
    said = memoro("recall", "quantum chromodynamics of hadrons")
    assert (said.code, said.out) == (1, "")
    assert "Nothing relevant" in said.err


@pytest.mark.usefixtures("notes")
def test_the_command_prints_the_block_and_tells_why(memoro: Memoro) -> None:
    block = memoro("recall", "green", "tea")
    assert block.code == 0
    assert block.out.startswith("<memoro-context boundary=") and block.out.endswith("</memoro-context>\n")
    why = memoro("recall", "--why", "green", "tea").out
    assert "tea.md:1-3" in why and "left out" in why
    item = memoro("recall", "--json", "green", "tea").json["items"][0]
    assert {"id", "kind", "path", "start_line", "end_line", "score", "tokens"} <= set(item)
    assert memoro("get", item["id"]).code == 0


@pytest.mark.parametrize("budget", [0, -1, 100_001])
def test_a_budget_that_cannot_be_is_refused(home: Path, notes: Path, budget: int) -> None:
    with opened(home, notes) as m, pytest.raises(ConfigError, match="budget"):
        m.recall("tea", budget=budget)


@pytest.mark.parametrize("budget", [1, 20, 55, 60, 75, 100, 150, 300, 3000])
def test_a_block_never_takes_more_than_its_budget(home: Path, notes: Path, budget: int) -> None:
    with opened(home, notes) as m:
        for message in ("green tea", "the night train to Berlin and the dog Max", "what did I do last week"):
            for proactive in (False, True):
                assert m.recall(message, budget=budget, proactive=proactive).tokens <= budget


def test_a_long_message_is_looked_up_by_its_ends_and_that_is_said(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"tea.md": "# Tea\n\nGreen tea is steeped at 70 degrees.\n"})
    told = memoro("recall", "--json", "-", stdin="how is green tea steeped? " * 40_000).json
    assert [item["path"] for item in told["items"]] == ["tea.md"]
    assert told["degraded"] == ["message: only its first 3,000 and its last 1,000 characters were looked up"]


def test_with_a_budget_too_small_nobody_is_told_that_nothing_is_known(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"tea.md": "# Tea\n\nGreen tea is steeped at 70 degrees.\n"})
    done = memoro("recall", "green tea", "--budget", "1")
    assert (done.code, done.out) == (1, "")
    assert done.err == "memoro: recall: the budget is too small for any item\n"


def test_a_budget_too_small_for_anything_is_said(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        found = m.recall("green tea", budget=10)
    assert (found.items, found.block) == ((), "")
    assert "budget" in found.degraded[0]


def test_unasked_only_few_and_only_what_is_sure_comes(home: Path, vault: Path) -> None:
    write_vault(
        vault, {f"{n}.md": f"# Tea {n}\n\nGreen tea from garden {n} is steeped for {n} minutes." for n in range(12)}
    )
    with opened(home, vault) as m:
        found = m.recall("green tea from the garden", proactive=True)
        assert found.form == "proactive"
        assert 0 < len(found.items) <= 5 and found.tokens <= 500
        assert all(item.score >= 0.3 for item in found.items)
        assert {one.why for one in found.left_out} == {"there are enough items"}
        assert m.recall("an entirely different thing", proactive=True).items == ()


def test_what_was_given_is_not_given_again(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        first = m.recall("green tea")
        ids = [one for item in first.items for one in item.passages]
        second = m.recall("green tea", given=ids)
    assert not {one for item in second.items for one in item.passages} & set(ids)
    assert {one.id for one in second.left_out if one.why.startswith("already given")} >= {first.items[0].id}


def test_a_scope_admits_its_own_and_what_belongs_to_nobody(home: Path, vault: Path) -> None:
    def front(project: str) -> str:
        return f"---\nproject: {project}\n---\nThe deploy key of {project} is in the blue drawer.\n"

    write_vault(vault, {"a.md": front("atlas"), "b.md": front("boreas"), "c.md": "The deploy key is in a drawer.\n"})
    with opened(home, vault) as m:
        found = m.recall("where is the deploy key", project="atlas")
        assert {item.path for item in found.items} == {"a.md", "c.md"}
        assert {item.path for item in m.recall("where is the deploy key").items} == {"a.md", "b.md", "c.md"}
    with memoro.open(":memory:", vault) as m:
        assert {item.path for item in m.recall("where is the deploy key", project="boreas").items} == {"b.md", "c.md"}


@pytest.mark.parametrize(
    "message", ["What did I do last week?", "what happened last week", "Summarise 2026-05-05 please"]
)
def test_a_message_that_names_a_time_alone_gets_what_is_of_that_time(home: Path, notes: Path, message: str) -> None:
    with opened(home, notes) as m:
        found = m.recall(message)
    assert [item.path for item in found.items] == ["daily/2026-05-05.md"]


def test_a_time_of_which_nothing_is_known_gives_nothing(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        assert m.recall("what did I do in May 2019?").items == ()


def test_neighbours_come_with_their_true_lines_and_none_twice(home: Path, vault: Path) -> None:
    lines = ["# Log", ""]
    for n in range(60):
        lines += [f"Paragraph {n} about ordinary weather, roads and the harbour in the north of the country.", ""]
    lines[62] = "The zeppelin was painted violet by Ottilie, who lives at the harbour."
    write_vault(vault, {"log.md": "\n".join(lines)})
    with opened(home, vault) as m:
        found = m.recall("who painted the zeppelin", budget=2000)
    item = next(item for item in found.items if "zeppelin" in item.text)
    assert len(item.passages) > 1, "its neighbours belong to it"
    assert item.text == "\n".join(lines[item.start_line - 1 : item.end_line]).strip()
    every = [line for item in found.items for line in range(item.start_line, item.end_line + 1)]
    assert len(every) == len(set(every))


def test_what_cannot_be_seen_and_secrets_are_not_shown(
    home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(vault, {"a.md": "Green\u200b tea \U000e0049\U000e0067 costs hunter2hunter2 euros\u202e.\n"})
    monkeypatch.setenv("MY_SECRET_TOKEN", "hunter2hunter2")
    with opened(home, vault) as m:
        block = m.recall("green tea").block
    assert "hunter2" not in block and "[redacted" in block
    assert not {"\u200b", "\U000e0049", "\u202e"} & set(block)


def test_low_trust_is_marked_and_one_source_does_not_fill_the_block(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        for n in range(10):
            m.memories.store(f"The kettle model {n} boils green tea water in {n} minutes.", source="web:shop")
        m.memories.store("The owner boils green tea water in the old kettle.", source="user")
        found = m.recall("green tea water kettle")
    web = [item for item in found.items if item.trust == "tool_or_web"]
    assert 1 <= len(web) <= max(1, 0.3 * len(found.items))
    assert found.block.count('"trust":"low (tool_or_web)"') == len(web)
    assert any(one.why.startswith("too much from one source") for one in found.left_out)


def test_quarantined_memories_are_not_given_unasked(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        stored = m.memories.store(
            "The zeppelin hangar is locked with code violet.", source="user", trust="quarantined"
        )
        name = f"memory:{stored.memory.id}"
        assert m.recall("zeppelin hangar code").items[0].id == name
        unasked = m.recall("zeppelin hangar code", proactive=True)
    assert unasked.items == ()
    assert [one.why for one in unasked.left_out if one.id == name] == ["in quarantine"]


def test_our_own_block_in_a_log_is_neither_found_nor_asked_about(home: Path, notes: Path, tmp_path: Path) -> None:
    with opened(home, notes) as m:
        block = m.recall("green tea").block
    logs = tmp_path / "logs"
    said = [{"role": "user", "content": f"{block}What about supper?"}, {"role": "assistant", "content": "Soup."}]
    write_vault(logs, {"chat.jsonl": "".join(json.dumps(one) + "\n" for one in said)})
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    with opened(home, notes) as m:
        assert [hit.path for hit in m.search("supper soup").results[:1]] == ["@logs/chat.jsonl"]
        assert "@logs/chat.jsonl" not in {hit.path for hit in m.search("steeped at 70 degrees", mode="words").results}
        assert m.recall(block).items == (), "a message that is our own block asks for nothing"


# --- an embedder that hangs -------------------------------------------------------------------------------------


class Sleeper:
    """A stand-in for a provider: it computes as the built-in model does, until it hangs."""

    space: Space = SPACE._replace(provider="standin")

    def __init__(self) -> None:
        self.hangs = 0.0
        self.asked = 0

    def embed(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002
        self.asked += 1
        time.sleep(self.hangs)
        return builtin().embed(texts)


def test_an_embedder_that_hangs_is_not_waited_for(home: Path, notes: Path) -> None:
    sleeper = Sleeper()
    with opened(home, notes, embedder=sleeper) as m:
        m.sync()
        assert m.recall("green tea").degraded == ()
        sleeper.hangs = 30
        write_vault(notes, {"new.md": "A new note about green tea, which nobody has embedded."})
        started = time.monotonic()
        found = m.recall("green tea")
        again = m.recall("green tea")
        took = time.monotonic() - started
    assert {"tea.md", "new.md"} <= {item.path for item in found.items}, "words answer"
    for recalled in (found, again):
        assert "searched with the built-in model instead" in " ".join(recalled.degraded)
    assert sleeper.asked == 3, "one to sync, one to recall, one that hangs, and no more"
    assert took < 15, "the sleeper sleeps for thirty seconds"


def test_a_failure_of_an_embedder_is_told_as_its_own() -> None:
    class Broken(Sleeper):
        def embed(self, texts: Sequence[str], role: Role) -> Any:  # noqa: ARG002
            raise ValueError(f"bad weather for {texts[0]}")

    with pytest.raises(ValueError, match="bad weather"):
        deadline.WithDeadline(Broken(), 5).embed(["x"], "query")


# --- packing ----------------------------------------------------------------------------------------------------

words = st.text('abc <"\n中é', min_size=1, max_size=300)


@st.composite
def pools(draw: Callable[..., Any]) -> Pool:
    files = draw(st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=4))
    scores = draw(st.lists(st.floats(0.01, 1), min_size=20, max_size=20))
    every: dict[int, PackCandidate] = {}
    following: dict[int, int] = {}
    for f, texts in enumerate(files):
        line = 1
        trust = draw(st.sampled_from([None, "tool_or_web"]))
        for p, text in enumerate(texts):
            chunk, last = 100 * f + p + 1, line + text.count("\n")
            passage = Passage(f"{f}.md", "note", "", None, line, last, (), text, f"{chunk:08}", 1)
            every[chunk] = PackCandidate(chunk, passage, f"note:{chunk}", 0.0, 0.0, trust, trust and "web")
            if p:
                following[chunk - 1] = chunk
            line = last + draw(st.integers(1, 2))
    chosen = draw(st.lists(st.sampled_from(sorted(every)), min_size=1, unique=True))
    ranked = sorted(zip(scores, chosen, strict=False), reverse=True)
    candidates = [every[chunk]._replace(score=score, worth=score) for score, chunk in ranked]
    before = {after: chunk for chunk, after in following.items()}
    beside = {
        one.chunk: tuple(c for c in (following.get(one.chunk), before.get(one.chunk)) if c) for one in candidates
    }
    return Pool(candidates, {**every, **{one.chunk: one for one in candidates}}, beside, following)


@given(pool=pools(), room=st.integers(0, 2000), most=st.none() | st.integers(0, 4))
def test_packing_fits_accounts_for_every_candidate_and_repeats_no_line(
    pool: Pool, room: int, most: int | None
) -> None:
    packed = pack(
        pool, PackLimits(room, most), lambda text: text, lambda one, limit: one.passage.text[:limit] or None
    )
    assert quarters(fence.body(packed.items)) <= room
    assert most is None or len(packed.items) <= most
    inside = {passage for item in packed.items for passage in item.passages}
    assert {one.id for one in packed.left_out} == {one.id for one in pool.candidates} - inside
    lines = [(item.path, line) for item in packed.items for line in range(item.start_line, item.end_line + 1)]
    assert len(lines) == len(set(lines))
    untrusted = [passage for item in packed.items if item.trust for passage in item.passages]
    assert len(untrusted) <= max(1, 0.3 * len(inside)) or not any(one.trust for one in pool.candidates)
    assert (
        pack(pool, PackLimits(room, most), lambda text: text, lambda one, limit: one.passage.text[:limit] or None)
        == packed
    )


@given(pool=pools())
def test_with_room_for_all_every_candidate_that_is_trusted_goes_in(pool: Pool) -> None:
    packed = pack(pool, PackLimits(1_000_000), lambda text: text, lambda _one, _limit: None)
    out = {one.id for one in packed.left_out}
    assert all(one.trust for one in pool.candidates if one.id in out)


# --- the last messages ------------------------------------------------------------------------------------------

openai = st.lists(st.integers(0, 3), max_size=8).map(
    lambda counts: [
        message
        for n, count in enumerate(counts)
        for message in (
            {"role": "user", "content": f"question {n}"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"{n}.{c}"} for c in range(count)]},
            *({"role": "tool", "tool_call_id": f"{n}.{c}", "content": "result"} for c in range(count)),
        )
    ]
)
anthropic = st.lists(st.integers(0, 3), max_size=8).map(
    lambda counts: [
        message
        for n, count in enumerate(counts)
        for message in (
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"{n}.{c}"} for c in range(count)]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"{n}.{c}"} for c in range(count)]},
        )
    ]
)


@given(messages=openai | anthropic, keep=st.integers(-1, 30))
def test_a_call_and_its_result_are_never_parted(messages: list[dict[str, Any]], keep: int) -> None:
    older, recent = split_recent(messages, keep)
    assert older + recent == messages
    assert len(recent) >= min(max(keep, 0), len(messages))
    told = json.dumps(recent)
    for message in older:
        for call in message.get("tool_calls") or []:
            assert f'"tool_call_id": "{call["id"]}"' not in told
        for part in message["content"] if isinstance(message["content"], list) else []:
            assert part["type"] != "tool_use" or f'"tool_use_id": "{part["id"]}"' not in told


def test_without_tools_the_last_messages_are_the_recent_ones() -> None:
    messages = [{"role": "user", "content": str(n)} for n in range(25)]
    assert memoro.split_recent(messages) == (messages[:15], messages[15:])
    assert memoro.split_recent(messages[:3]) == ([], messages[:3])


# --- how much of the evidence reaches the block -------------------------------------------------------------------


def test_eval_tells_how_much_of_the_evidence_is_packed(memoro: Memoro, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, NOTES)
    turns = [
        ("user", "Where did I put the spare key?"),
        ("assistant", "Below the blue flower pot. It is by the door."),
    ]
    documents = [{"id": str(n), "session": "s", "speaker": who, "text": said} for n, (who, said) in enumerate(turns)]
    queries = [{"text": "where is the spare key below the flower pot", "relevant": ["1"]}]
    labelled = tmp_path / "set.jsonl"
    labelled.write_text(json.dumps({"documents": documents, "queries": queries}))
    rows = memoro("eval", str(labelled), "--packing", "--json", "--budget", "60", "--budget", "500").json["rows"]
    shares = {(row["method"], row["budget"]): row["text"] for row in rows}
    assert shares["recall", 500] == shares["top-k, same records", 500] == shares["top-k, bare text", 500] == 1
    assert shares["top-k, same records", 60] == 0, "there is no room for a record beside the fence"
    own = tmp_path / "own.toml"
    own.write_text('[[question]]\nquery = "green tea"\nexpect = "tea.md"\n')
    table = memoro("eval", str(own), "--packing").out.splitlines()
    assert table[2].split() == ["budget", "method", "evidence", "touched", "tokens", "silent"]
    assert len(table) == 3 + 4 * 3


def test_of_evidence_that_is_there_in_part_that_part_counts() -> None:
    from memoro.evaluate.packing import RelevantPassage, share

    passage = Passage("a.jsonl", "transcript", "", None, 3, 3, (), "", "d", 1)
    item = item_of(Part(PackCandidate(1, passage, "a", 1.0, 1.0), "User: One. Four  words here."))
    needed = [RelevantPassage("a.jsonl", 3, "One. Three.\nFour words here."), RelevantPassage("b.jsonl", 3, "One.")]
    assert share([item], needed) == pytest.approx(((4 + 16) / (4 + 6 + 16) / 2, 0.5))


def test_an_experience_is_recalled_whole_with_what_was_done(home: Path, vault: Path) -> None:
    write_vault(vault, {"tea.md": "Green tea is steeped at 70 degrees."})
    with memoro.open(home, vault) as m:
        m.experiences.record("error_recovery", "The printer jams on thick paper", "use the rear tray", source="web")
        found = m.recall("the printer jams, the paper is thick")
    (item,) = [one for one in found.items if one.kind == "experience"]
    assert item.text == "The printer jams on thick paper\n\nuse the rear tray"
    assert (item.start_line, item.end_line, item.id) == (1, 3, "experience:1")


@pytest.mark.parametrize(("window", "beside"), [(0, ()), (1, (4, 2)), (2, (4, 5, 2, 1)), (3, (4, 5, 2, 1))])
def test_passages_come_with_as_many_on_each_side_as_are_wanted(window: int, beside: tuple[int, ...]) -> None:
    index = index_of(talk([(line, "User", f"text {line}") for line in range(1, 6)]))
    chunks = [one.chunk for one in index.look_up(range(1, 6), [])]
    middle = PackCandidate(chunks[2], index.look_up([chunks[2]], [])[0].passage, "middle", 0.5, 0.5)

    found = pool(index, [middle], around=1, window=window, given=())

    assert found.beside[middle.chunk] == tuple(chunks[place - 1] for place in beside)
    assert found.following[chunks[2]] == chunks[3]


def test_the_time_of_a_recall_is_told_in_milliseconds(home: Path, notes: Path) -> None:
    with opened(home, notes) as m:
        m.sync()
        started = time.perf_counter()
        took = m.recall("tea").took_ms
        passed = 1000 * (time.perf_counter() - started)
    assert passed / 100 < took <= passed


# --- bounds ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A home with so many notes about tea that every budget is used up."""
    folder = tmp_path_factory.mktemp("many")
    sorts = ("green", "black", "white", "red", "smoked", "mint", "sage", "rose", "cold", "iced")
    notes = {
        f"{sort}.md": f"# {sort.title()} tea\n\n{sort.title()} tea is steeped for {n} minutes. {'It cools. ' * 12}\n"
        for n, sort in enumerate(sorts, 2)
    }
    (folder / "home").mkdir(mode=0o700)
    (folder / "home" / "memoro.toml").write_text("[recall]\nbudget = 400\n\n[recall.proactive]\nmax_tokens = 150\n")
    write_vault(folder / "vault", {**notes, "MEMORY.md": "# Memory\n\n" + "- We drink tea at four\n" * 40})
    with memoro.open(folder / "home", folder / "vault", clock=lambda: NOW) as m:
        m.sync()
        yield m


@pytest.mark.parametrize(
    ("budget", "at_most", "prompt", "proactive", "same_as"),
    [
        (None, None, False, False, 400),
        (None, 300, False, False, 300),
        (None, 900, False, False, 400),
        (200, 300, False, False, 200),
        (200, 150, False, False, 150),
        (None, 120, False, True, 120),
        (None, 800, False, True, 150),
        (700, 180, False, True, 180),
        (None, 300, True, False, 300),
        (500, 300, True, False, 300),
        (250, 300, True, False, 250),
    ],
)
def test_a_budget_is_never_more_than_what_is_allowed_and_else_as_the_settings_say(
    many: Workspace, budget: int | None, at_most: int | None, prompt: bool, proactive: bool, same_as: int
) -> None:
    asked = RecallRequest("how long is tea steeped?", prompt=prompt, proactive=proactive)
    recaller = many.recaller_in(EVERYTHING)
    found = recaller.recall(asked._replace(budget=budget, at_most=at_most))
    wanted = recaller.recall(asked._replace(budget=same_as))
    assert found.items == wanted.items and found.sections == wanted.sections
    assert 0 < found.tokens <= same_as and found.items
    assert recaller.recall(asked._replace(budget=same_as - 60)).tokens < found.tokens, "a budget that matters"


def test_an_option_that_there_is_not_is_refused(many: Workspace) -> None:
    for ask in (many.recall, many.prompt):
        with pytest.raises(TypeError, match="pathh"):
            ask("tea", pathh="green.md")  # type: ignore[call-arg]


def test_nothing_that_a_conversation_holds_is_given_again_but_the_rest_is(many: Workspace) -> None:
    first = many.recall("how long is tea steeped?", budget=300)
    again = many.recall("how long is tea steeped?", budget=300, given=[one.id for one in first.items])
    assert {one.id for one in first.items}.isdisjoint(one.id for one in again.items) and again.items
    path, text = first.items[0].path, first.items[0].text
    loaded = many.recall("how long is tea steeped?", budget=300, loaded={path: [text]})
    assert path not in {one.path for one in loaded.items}
    part = many.recall("how long is tea steeped?", budget=300, loaded={path: [text.split("\n")[0]]})
    assert path in {one.path for one in part.items}, "a heading alone is not the whole"


def test_of_several_projects_each_is_searched(home: Path, vault: Path) -> None:
    owners = {
        f"{one}.md": f"---\nproject: {one}\n---\nThe tea of {one} is green.\n" for one in ("alder", "birch", "cedar")
    }
    write_vault(vault, owners)
    with opened(home, vault) as m:
        for names in (["alder"], ["alder", "birch"], ["birch", "cedar"]):
            found = m.recall("which tea is green?", project=names)
            assert {one.path for one in found.items} == {f"{one}.md" for one in names}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (RecallOptions(), (3000, 8, None, None, "full")),
        (RecallOptions(budget=1), (1, 8, None, None, "full")),
        (RecallOptions(budget=100_000), (100_000, 8, None, None, "full")),
        (RecallOptions(proactive=True), (400, 0, 2, 0.4, "proactive")),
        (RecallOptions(proactive=True, budget=77), (77, 0, 2, 0.4, "proactive")),
    ],
)
def test_the_settings_fill_in_what_a_request_leaves_open(options: RecallOptions, told: tuple[object, ...]) -> None:
    unasked = ProactiveSettings()._replace(max_tokens=400, max_items=2, min_score=0.4)
    settings = RecallSettings()._replace(budget=3000, window=8, candidates=20, proactive=unasked)
    held = HeldContext(frozenset({"a"}), {"b.md": ["text"]})
    found = wanted(settings, Where(tags=("x",)), options, held)
    assert (found.budget, found.window, found.items, found.min_score, found.form) == told
    assert (found.candidates, found.given, found.where) == (20, held.passages, Where(tags=("x",)))
    assert found.loaded == held.loaded and found.abstain and not found.marks
