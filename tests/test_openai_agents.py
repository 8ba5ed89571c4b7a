"""Sessions of the OpenAI Agents SDK on the ledger, with its own session as the oracle, run by its own runner."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.adapters.openai_agents import FORGOTTEN, MemoroSession
from memoro.model.output_filter import OutputFilter
from memoro.workspace import Workspace
from tests.conftest import Memoro, times

WHY = "openai-agents is not installed (`pip install openai-agents`): its runner is not tested"


@pytest.fixture
def m(home: Path) -> Iterator[Workspace]:
    with memoro.open(home) as opened:
        yield opened


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str, number: int = 1) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"type": "message", "role": "assistant", "id": f"msg_{number}", "status": "completed", "content": content}


CALL = {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"what": "walrus"}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "narwhal"}
THOUGHT = {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "beluga"}]}


def items(session: Any, limit: int | None = None) -> list[Any]:
    found: list[Any] = asyncio.run(session.get_items(limit))
    return found


def add(session: Any, *added: Any) -> None:
    asyncio.run(session.add_items(list(added)))


def test_what_was_said_survives_and_is_found_and_what_tools_gave_is_not(home: Path, memoro: Memoro) -> None:
    conversation = [
        user("Where is the puffin colony?"),
        THOUGHT,
        CALL,
        RESULT,
        assistant("On the skerry by the light"),
    ]
    with open_(home) as m:
        add(MemoroSession("ada", m), *conversation)
    with open_(home) as m:
        assert items(MemoroSession("ada", m)) == conversation
        assert items(MemoroSession("bob", m)) == []
        for unsaid in ("walrus", "narwhal", "beluga", "look_up"):
            assert not m.search(unsaid, mode="words").results
    found = memoro("search", "puffin", "--json").json["results"]
    assert [hit["snippet"] for hit in found] == ["User: Where is the puffin colony?"]
    found = memoro("search", "which skerry", "--tag", "openai-agents", "--json").json["results"]
    assert found[0]["snippet"] == "Assistant: On the skerry by the light"


def open_(home: Path, **options: Any) -> Workspace:
    return memoro.open(home, **options)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=5,
)
ITEMS = st.one_of(
    st.text().map(user),
    st.text().map(assistant),
    st.sampled_from([CALL, RESULT, THOUGHT]),
    st.dictionaries(st.text(), JSON, max_size=3),
)
STEPS = st.one_of(
    st.tuples(st.just("add"), st.lists(ITEMS, max_size=3)),
    st.tuples(st.just("get"), st.none() | st.integers(0, 6)),
    st.tuples(st.just("pop"), st.none()),
    st.tuples(st.just("clear"), st.none()),
)


@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), STEPS), max_size=15))
@settings(max_examples=times(30, 1_000))
def test_it_answers_as_the_sdks_own_session(steps: list[Any]) -> None:
    agents = pytest.importorskip("agents", reason=WHY)

    async def run() -> None:
        theirs = {name: agents.SQLiteSession(name) for name in ("one", "two")}
        with memoro.open(":memory:") as m:
            ours = {name: MemoroSession(name, m) for name in ("one", "two")}
            for name, (step, detail) in steps:
                found = []
                for session in (ours[name], theirs[name]):
                    if step == "add":
                        await session.add_items(detail)
                    elif step == "get":
                        found.append(await session.get_items(detail))
                    elif step == "pop":
                        found.append(await session.pop_item())
                    else:
                        await session.clear_session()
                assert not found or found[0] == OutputFilter().value(found[1])
            for name in ("one", "two"):
                assert await ours[name].get_items() == OutputFilter().value(await theirs[name].get_items())
        for session in theirs.values():
            session.close()

    asyncio.run(run())


def test_it_is_a_session_as_the_sdk_defines_one(m: Workspace) -> None:
    agents = pytest.importorskip("agents", reason=WHY)
    session = MemoroSession("ada", m, session_settings=agents.SessionSettings(limit=1))
    assert isinstance(session, agents.memory.Session)
    add(session, user("one"), user("two"))
    assert items(session) == [user("two")]
    assert items(session, 5) == [user("one"), user("two")]


def test_secrets_are_taken_out_before_anything_is_kept(m: Workspace) -> None:
    token = "ghp_" + "a1B2" * 10
    session = MemoroSession("ada", m)
    call = {**CALL, "arguments": json.dumps({"token": token})}
    add(session, user(f"Use {token} for the release"), call)
    said, called = items(session)
    assert said["content"].startswith("Use [redacted:github-token:")
    assert json.loads(called["arguments"])["token"].startswith("[redacted:")
    assert token.encode() not in Path(m.home, "ledger.db").read_bytes()


def test_what_is_forgotten_leaves_the_conversation_and_is_blank_when_it_is_said_again(
    m: Workspace, memoro: Memoro
) -> None:
    session = MemoroSession("ada", m)
    add(session, user("My sister is called Wilhelmina"), assistant("Noted"))
    found = memoro("search", "wilhelmina", "--json").json["results"][0]["id"]
    assert memoro("forget", found, "--yes").code == 0
    assert items(session) == [assistant("Noted")]
    add(session, user("My sister is called Wilhelmina"))
    assert items(session) == [assistant("Noted"), user(FORGOTTEN)]


def test_a_cleared_session_comes_back_in_order(m: Workspace, memoro: Memoro) -> None:
    session = MemoroSession("ada", m)
    conversation = [user("one"), CALL, RESULT, assistant("two")]
    add(session, *conversation)
    asyncio.run(session.clear_session())
    assert items(session) == []
    for _ in conversation:
        assert memoro("undo").code == 0
    assert items(session) == conversation


def test_sessions_that_are_written_at_once_lose_nothing(m: Workspace) -> None:
    session = MemoroSession("ada", m)

    async def run() -> None:
        await asyncio.gather(*(session.add_items([user(str(i)), user(f"{i}!")]) for i in range(30)))

    asyncio.run(run())
    texts = [item["content"] for item in items(session)]
    assert sorted(texts) == sorted([str(i) for i in range(30)] + [f"{i}!" for i in range(30)])
    assert all(texts[texts.index(str(i)) + 1] == f"{i}!" for i in range(30))  # each call's items stay together


def scripted(agents: Any, answers: list[list[Any]]) -> Any:
    """A model of the SDK that says what it is told to, and notes what it was given."""
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

    class Scripted(agents.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            self.given: list[Any] = []

        async def get_response(self, *_: Any, input: Any, **__: Any) -> Any:
            self.given.append(input)
            kinds = {"message": ResponseOutputMessage, "function_call": ResponseFunctionToolCall}
            output = [kinds[item["type"]].model_validate(item) for item in answers[len(self.given) - 1]]
            return agents.ModelResponse(output=output, usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def test_the_runner_goes_on_from_a_session_that_another_process_began(home: Path) -> None:
    agents = pytest.importorskip("agents", reason=WHY)
    agents.set_tracing_disabled(True)

    def look_up(what: str) -> str:
        return f"{what}: a whale with a tusk"

    call = {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": '{"what": "narwhal"}'}
    first = scripted(agents, [[call], [assistant("A whale with a tusk")]])
    with open_(home) as m:
        agent = agents.Agent(name="a", model=first, tools=[agents.function_tool(look_up)])
        done = asyncio.run(agents.Runner.run(agent, "What is a narwhal?", session=MemoroSession("ada", m)))
        assert done.final_output == "A whale with a tusk"
    second = scripted(agents, [[assistant("In the Arctic", 2)]])
    with open_(home) as m:
        agent = agents.Agent(name="a", model=second)
        done = asyncio.run(agents.Runner.run(agent, "Where does it live?", session=MemoroSession("ada", m)))
        assert done.final_output == "In the Arctic"
        kinds = [item.get("type", "message") for item in second.given[0]]
        assert kinds == ["message", "function_call", "function_call_output", "message", "message"]
        assert second.given[0][0]["content"] == "What is a narwhal?"
        assert second.given[0][-1]["content"] == "Where does it live?"
        assert len(items(MemoroSession("ada", m))) == 6
        assert m.search("where do narwhals live", tag="openai-agents").results


def talk(count: int, start: int = 0) -> list[Any]:
    """Turns with calls of tools among them, each turn with a word of its own."""
    found: list[Any] = []
    for i in range(start, start + count):
        found.append(
            user(f"Question {i}: which shelf holds item word{i}w? We decided to use shelf {i}. " + "Well. " * 20)
        )
        if i % 3 == 0:
            found.append({**CALL, "call_id": f"c{i}"})
            found.append({**RESULT, "call_id": f"c{i}", "output": "row " * 60})
        found.append(assistant(f"Answer {i}: it stands on shelf {i}.", i))
    return found


def fill(m: Workspace, items: list[Any], window: int) -> float:
    return m.context.stats(items, window).used


def test_a_conversation_compacts_by_itself_and_what_goes_from_view_is_kept_and_found(home: Path, vault: Path) -> None:
    said = talk(40)
    with open_(home, vault=vault) as m:
        session = MemoroSession("ada", m, window=2_500)
        for at in range(0, len(said), 4):
            add(session, *said[at : at + 4])
            assert fill(m, items(session), 2_500) < 0.7
            assert session.degraded == ()
        view = items(session)
        assert view[-10:] == said[-10:]
        assert "shelf" in view[0]["content"]
        assert len(view) < len(said) / 2
        assert list((vault / "sessions").glob("*.md"))
        assert "compacted" in "".join(file.read_text() for file in (vault / "daily").glob("*.md"))
    with open_(home, vault=vault) as m:
        session = MemoroSession("ada", m, window=2_500)
        assert items(session) == view
        hits = m.search("word3w", kind="memory", mode="words").results
        assert [hit.snippet[:23] for hit in hits] == ["User: Question 3: which"]
        for popped in said[:-4:-1]:
            assert asyncio.run(session.pop_item()) == popped
        assert items(session) == view[:-3]
        asyncio.run(session.clear_session())
        assert items(session) == []
        assert not m.search("word3w", kind="memory", mode="words").results


def test_it_compacts_where_there_are_no_notes_to_keep_it_in_and_says_so(m: Workspace) -> None:
    session = MemoroSession("ada", m, window=2_500)
    add(session, *talk(40))
    assert fill(m, items(session), 2_500) < 0.7
    assert session.degraded
    assert m.search("word3w", mode="words").results  # nothing is lost: it is in the ledger


def test_what_cannot_be_understood_is_kept_and_not_compacted(m: Workspace) -> None:
    session = MemoroSession("ada", m, window=500)
    said = [*talk(10), {"role": "stranger", "content": "?"}]
    add(session, *said)
    assert items(session) == said
    assert "stranger" in session.degraded[0]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.sampled_from([600, 1_500, 4_000]))
@settings(max_examples=times(12, 300))
def test_however_it_is_filled_the_view_is_a_summary_and_the_end(sizes: list[int], window: int) -> None:
    with memoro.open(":memory:") as m:
        session = MemoroSession("ada", m, window=window)
        said: list[Any] = []
        for size in sizes:
            added = talk(size, len(said))
            said += added
            add(session, *added)
            view = items(session)
            whole = [one for one in view if one in said]
            assert whole[-min(10, len(said)) :] == said[-min(10, len(said)) :]
            cut = {one["call_id"] for one in view if one.get("type") == "function_call_output"}
            assert cut == {one["call_id"] for one in view if one.get("type") == "function_call"}
            summaries = [one for one in view if "memoro-context" in str(one.get("content"))]
            assert len(summaries) <= 1
            assert not summaries or view[0] == summaries[0]
        kept = [item for item in m.items.below("openai-agents", ("ada",)) if "s" not in item.key]
        assert len(kept) == len(said)


def test_the_runner_is_given_the_compacted_conversation(home: Path, vault: Path) -> None:
    agents = pytest.importorskip("agents", reason=WHY)
    agents.set_tracing_disabled(True)
    model = scripted(agents, [[assistant("Shelf 12", 99)]])
    with open_(home, vault=vault) as m:
        session = MemoroSession("ada", m, window=2_500)
        add(session, *talk(40))
        agent = agents.Agent(name="a", model=model)
        done = asyncio.run(agents.Runner.run(agent, "And the twelfth?", session=session))
        assert done.final_output == "Shelf 12"
        given = model.given[0]
        assert given[-1]["content"] == "And the twelfth?"
        assert "memoro-context" in given[0]["content"]
        assert fill(m, given, 2_500) < 0.7


def test_a_whole_session_is_forgotten_with_all_that_tools_gave(m: Workspace, memoro: Memoro) -> None:
    session, other = MemoroSession("ada", m), MemoroSession("bob", m)
    add(session, user("Where is the walrus?"), CALL, RESULT, assistant("By the sea"))
    add(other, user("Who?"), RESULT)
    asyncio.run(session.pop_item())
    done = memoro("memory", "forget", "--source", "openai-agents", "--session", "ada", "--yes")
    assert done.code == 0, done.err
    assert items(session) == []
    assert items(other) == [user("Who?"), RESULT]
    asyncio.run(other.clear_session())
    assert memoro("memory", "forget", "--source", "openai-agents", "--session", "bob", "--yes").code == 0
    m.close()
    files = [file for file in Path(m.home).rglob("*") if file.is_file() and "backups" not in file.parts]
    left = b"".join(file.read_bytes() for file in files)
    assert b"narwhal" not in left
    assert b"walrus" not in left


def test_long_results_of_tools_are_cut_first_and_in_place(m: Workspace) -> None:
    session = MemoroSession("ada", m, window=16_000)
    said = talk(12)
    said[2] = {**said[2], "output": "row " * 12_000}
    add(session, *said)
    view = items(session)
    assert len(view) == len(said)
    assert view[2]["call_id"] == said[2]["call_id"]
    assert len(view[2]["output"]) < 12_000
    assert view[:2] + view[3:] == said[:2] + said[3:]
    for entry in [entry.id for entry in m.journal.log(1)]:
        m.journal.undo(entry)
    assert items(session) == said
