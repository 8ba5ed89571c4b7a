"""Every surface that agents read passes the output filter; a surface that is not listed here fails.

To add a surface, add its row, and let its answers pass `OutputFilter` where they leave.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import pkgutil
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from inspect import isfunction
from pathlib import Path
from typing import Any, get_args

import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from mcp import Client, MCPError
from memoro import adapters, hooks, operations
from memoro.cli.output import EscapedTerminal
from memoro.hooks.events import hooks_of
from memoro.hosts import HOOK_AGENTS
from memoro.mcp import instructions, tools
from memoro.mcp.clients import Homes
from memoro.mcp.server import MEMORY, NOTE, build
from memoro.model.output_filter import OutputFilter
from memoro.model.secrets import redact
from memoro.model.visible import visible
from memoro.notes.memory_tool import COMMANDS, MemoryTool, ToolError
from memoro.serve import access_rules, refusing
from memoro.serve.asgi import AsgiMessage
from memoro.workspace import Workspace
from tests.command import clean_environment, run_memoro
from tests.conftest import Memoro, write_vault
from tests.hostile_home import (
    ENVIRONMENT,
    HIDDEN,
    HOSTILE,
    KNOWN,
    NAME,
    SAID,
    TAGS,
    TOKEN,
    HostileHome,
    assert_clean,
    make,
)

# What a model sends to each tool: once so that it reads or writes hostile text, once so that it fails.
TOOLS: dict[str, dict[str, Any]] = {
    "search": {"query": "okapi", "limit": 20},
    "get": {"id": f"{NAME}.md"},
    "recall": {"message": SAID},
    "memory_store": {"content": f"{HOSTILE} again", "tags": f"a{TAGS}"},
    "memory_query": {"query": "okapi"},
    "memory_reinforce": {"id": 1},
    "memory_demote": {"id": 1},
    "memory_update": {"id": 1, "content": f"{HOSTILE} updated"},
    "remove": {"id": "okapi1"},
    "remember": {"text": f"{HOSTILE} remembered"},
    "experience_record": {"type": "error_recovery", "intent": f"{HOSTILE} i", "solution": HOSTILE, "success": 1},
    "experience_prefer": {"category": f"{HOSTILE} c", "value": HOSTILE},
    "experience_find": {"query": "okapi"},
    "daily": {"text": f"{HOSTILE} happened"},
    "narrative_update": {"summary": f"{HOSTILE} now"},
    "narrative_search": {"query": "okapi"},
    "status": {},
    "proposals": {},
    "today": {},
    "wrong": {"note": f"{HOSTILE} said"},
    "good": {"note": f"{HOSTILE} praised"},
    "extract": {},
}
REQUESTS = {
    "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "prompts/list",
    "prompts/get",
}  # fmt: skip
SDK_REQUESTS = {"ping", "server/discover"}  # answered by the SDK, with nothing of ours in them
ADAPTERS = {"langgraph", "openai_agents", "pydantic_ai", "pydantic_messages"}
MEMORY_TOOL: dict[str, list[dict[str, Any]]] = {
    "view": [
        {"path": "/memories"},
        {"path": "/memories/own.md"},
        {"path": f"/memories/{NAME}.md"},
        {"path": "/memories/MEMORY.md"},
        {"path": f"/memories/{HOSTILE}"},
    ],
    "create": [{"path": "/memories/new.md", "file_text": HOSTILE}, {"path": f"/{HOSTILE}", "file_text": "x"}],
    "str_replace": [
        {"path": "/memories/own.md", "old_str": "end", "new_str": "close"},
        {"path": "/memories/own.md", "old_str": f"not {HOSTILE}", "new_str": "close"},
    ],
    "insert": [
        {"path": "/memories/own.md", "insert_line": 0, "insert_text": HOSTILE},
        {"path": f"/memories/{HOSTILE}", "insert_line": 0, "insert_text": HOSTILE},
    ],
    "rename": [{"old_path": f"/memories/{NAME}.md", "new_path": "/memories/x.md"}],
    "delete": [{"path": "/memories/x.md"}, {"path": f"/memories/{HOSTILE}"}],
}
# The arguments of every command that reads, as an agent types them into a shell.
COMMAND_LINE: dict[str, list[str]] = {
    "search": ["okapi", "--explain"],
    "recall": [SAID, "--why"],
    "prompt": [SAID, "--why"],
    "get": [f"{NAME}.md"],
    "entries": [],
    "outbox list": [],
    "log show": ["1"],
    "config get": ["vault.path"],
    "transcripts list": [],
    "memory query": ["okapi", "--explain"],
    "memory show": ["1"],
    "memory history": ["1"],
    "memory links": ["1"],
    "memory list": [],
    "memory stats": [],
    "experience find": ["okapi"],
    "experience show": ["1"],
    "experience history": ["1"],
    "experience list": [],
    "experience stats": [],
    "narrative search": ["okapi"],
    "narrative show": ["1"],
    "given day": [],
    "given muted": [],
    "session last": [],
    "session list": [],
    "session show": ["okapi"],
    "session replay": ["okapi"],
    "context stats": [],
    "proposals": [],
    "log": [],
    "timeline": [],
    "backup list": [],
    "backup verify": [],
    "status": [],
    "doctor": [],
    "usage": [],
    "numbers": [],
    "provider jobs": ["--all"],
    "config show": [],
    "space list": [],
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> HostileHome:
    return make(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hostile(shared: HostileHome, monkeypatch: pytest.MonkeyPatch) -> HostileHome:
    """The home, opened from now on by a process whose environment holds a secret."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return shared


@pytest.fixture
def m(hostile: HostileHome) -> Iterator[Workspace]:
    with memoro.open(hostile.home, hostile.vault) as opened:
        yield opened


def asked(hostile: HostileHome, work: Callable[[Any], Any]) -> Any:
    """What a client of the MCP server is answered."""
    homes = Homes(lambda client: memoro.open(hostile.home, hostile.vault, client=client))

    async def connected() -> Any:
        async with Client(build(homes, "full")) as client:
            return await work(client)

    try:
        return asyncio.run(asyncio.wait_for(connected(), 60))
    finally:
        homes.close()


def refused(hostile: HostileHome, work: Callable[[Any], Any]) -> list[Any]:
    """The error that the client is answered with."""

    async def tried(client: Any) -> list[Any]:
        with pytest.raises(MCPError) as failed:
            await work(client)
        return [failed.value.error.message, failed.value.error.data]

    found: list[Any] = asked(hostile, tried)
    return found


def test_the_home_is_hostile(m: Workspace) -> None:
    """The owner sees what is there: without the filter, everything would reach agents."""
    assert TOKEN in m.get(f"{NAME}.md").text
    found = m.search("okapi", limit=20).results
    assert {hit.kind for hit in found} >= {"note", "transcript", "memory", "experience"}
    assert any(TOKEN in hit.path and TAGS in hit.path for hit in found)
    assert any(TOKEN in " ".join(hit.heading) for hit in found)
    assert any(KNOWN in hit.snippet and TAGS in hit.snippet for hit in found if hit.kind == "memory")
    assert TAGS in (m.sessions.get("okapi").title or "")


# The Model Context Protocol


def test_every_tool_is_listed_here() -> None:
    assert set(TOOLS) == {tool.name for tool in tools.all_tools()}


@pytest.mark.parametrize("name", TOOLS)
def test_the_answer_of_every_tool_is_filtered(hostile: HostileHome, name: str) -> None:
    result = asked(hostile, lambda client: client.call_tool(name, TOOLS[name]))
    assert not result.is_error, result.content
    assert_clean(result.model_dump(), name)
    failed = asked(hostile, lambda client: client.call_tool(name, {**TOOLS[name], HOSTILE: HOSTILE, "id": HOSTILE}))
    assert failed.is_error
    assert_clean(failed.model_dump(), name)


def test_every_kind_of_request_is_listed_here(hostile: HostileHome) -> None:
    server = build(Homes(lambda client: memoro.open(hostile.home, hostile.vault, client=client)), "full")
    names = (getattr(mcp_types, name) for name in dir(mcp_types) if name.endswith("Request"))
    fields = [
        kind.model_fields["method"].annotation for kind in names if "method" in getattr(kind, "model_fields", {})
    ]
    methods = {method for field in fields for method in get_args(field)}
    assert methods >= REQUESTS
    assert {method for method in methods if server.get_request_handler(method)} - SDK_REQUESTS == REQUESTS


def test_resources_are_filtered(hostile: HostileHome) -> None:
    listed = asked(hostile, lambda client: client.list_resources())
    assert_clean(listed.model_dump(mode="json"), "resources")
    assert_clean(asked(hostile, lambda client: client.list_resource_templates()).model_dump(), "templates")
    from urllib.parse import quote

    for uri in [*(NOTE + quote(path) for path in hostile.notes), *(one.uri for one in listed.resources)]:
        found = asked(hostile, lambda client: client.read_resource(str(uri)))  # noqa: B023
        assert_clean([one.text for one in found.contents], str(uri))
    assert_clean(refused(hostile, lambda client: client.read_resource(f"{MEMORY}{HOSTILE}")), "an error")


def test_prompts_are_filtered(hostile: HostileHome) -> None:
    assert_clean(asked(hostile, lambda client: client.list_prompts()).model_dump(), "prompts")
    for prompt in instructions.PROMPTS:
        topic = {"topic": HOSTILE} if prompt.topic else {}
        found = asked(hostile, lambda client: client.get_prompt(prompt.name, topic))  # noqa: B023
        assert_clean(found.model_dump(), prompt.name)
    assert_clean(refused(hostile, lambda client: client.get_prompt(HOSTILE)), "an error")


# Hooks and HTTP


@pytest.mark.parametrize("agent", HOOK_AGENTS)
def test_the_answer_of_every_hook_is_filtered(m: Workspace, agent: str) -> None:
    answered = set()
    for event in hooks_of(agent).events:
        document = {"hook_event_name": event.name, "session_id": f"{agent}-{event.name}", "prompt": SAID}
        made = hooks.answer(agent, document, m)
        assert_clean(made, f"{agent} {event.name}")
        answered |= {event.moment} if made else set()
    assert answered == {"start", "prompt"}


def test_every_answer_over_http_is_filtered() -> None:
    assert set(access_rules.ROUTES) == {
        "/mcp",
        "/health",
        "/metrics",
        "/page/code",
        *(f"/hooks/{agent}" for agent in HOOK_AGENTS),
    }
    sent: list[AsgiMessage] = []

    async def send(message: AsgiMessage) -> None:
        sent.append(message)

    asyncio.run(refusing.answer(send, 200, {"error": f"{TOKEN} {HIDDEN}", "checks": [{"path": f"{TOKEN}{HIDDEN}"}]}))
    body = json.loads(sent[1]["body"])
    assert TOKEN not in str(body)
    assert visible(body["error"]) == body["error"]


# Frameworks


def test_every_adapter_is_listed_here() -> None:
    assert {one.name for one in pkgutil.iter_modules(adapters.__path__)} == ADAPTERS


def public(kind: type) -> set[str]:
    return {name for name, one in vars(kind).items() if isfunction(one) and not name.startswith("_")}


def test_what_langgraph_reads_is_filtered(m: Workspace) -> None:
    pytest.importorskip("langgraph.store.base")
    from memoro.adapters.langgraph import MemoroStore

    assert public(MemoroStore) == {"batch", "abatch"}
    store = MemoroStore(m)
    m.items.put("langgraph", [])
    store.put(("a",), "k", {"text": f"okapi {HIDDEN}", "deep": [{f"x{TAGS}": f"okapi {HIDDEN}"}]})
    assert_clean(store.get(("a",), "k").value, "get")
    assert_clean([item.value for item in store.search((), query="okapi")], "search")


def test_what_a_session_of_openai_agents_reads_is_filtered(m: Workspace) -> None:
    from memoro.adapters.openai_agents import MemoroSession

    assert public(MemoroSession) == {"get_items", "add_items", "pop_item", "clear_session"}
    session = MemoroSession("okapi", m)
    asyncio.run(session.add_items([{"role": "user", "content": HOSTILE}, {"role": "user", "content": HOSTILE}]))
    assert_clean(asyncio.run(session.get_items()), "get_items")
    assert_clean(asyncio.run(session.pop_item()), "pop_item")


@pytest.mark.usefixtures("own_loop")
def test_what_pydantic_ai_reads_is_filtered(m: Workspace) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import ModelRetry

    from memoro.adapters.pydantic_ai import TOOLS as OFFERED
    from memoro.adapters.pydantic_ai import MemoryCapability, toolset

    assert public(MemoryCapability) == {"get_instructions", "get_toolset", "before_model_request"}
    made = toolset(m)
    assert set(made.tools) == set(OFFERED) <= set(TOOLS)
    for name, tool in made.tools.items():
        assert_clean(tool.function(**TOOLS[name]), name)
        with pytest.raises(ModelRetry) as failed:
            tool.function(**{HOSTILE: HOSTILE})
        assert_clean(str(failed.value), name)
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel

    seen: list[Any] = []

    def model(messages: Any, _info: Any) -> Any:
        from pydantic_ai.messages import ModelResponse, TextPart

        seen.extend(part.content for message in messages for part in message.parts if hasattr(part, "content"))
        return ModelResponse(parts=[TextPart("done")])

    Agent(FunctionModel(model), capabilities=[MemoryCapability(m)]).run_sync(SAID)
    assert any("okapi" in one and "boundary" in one for one in seen)
    assert_clean(seen, "the block")


def test_every_command_of_the_memory_tool_is_filtered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(MEMORY_TOOL) == set(COMMANDS) == public(MemoryTool) - {"run"}
    hostile = make(tmp_path)
    monkeypatch.setenv("SOME_SERVICE_TOKEN", KNOWN)
    with memoro.open(hostile.home, hostile.vault) as m:
        for name, calls in MEMORY_TOOL.items():
            for call in calls:
                assert_clean(said(m.memory_tool.run, {"command": name, **call}), f"{name} {call!r}")
                assert_clean(said(getattr(m.memory_tool, name), **call), f"{name} {call!r}")


def said(command: Callable[..., str], *arguments: Any, **named: Any) -> str:
    try:
        return command(*arguments, **named)
    except ToolError as error:
        return str(error)


# The command line


def test_every_reading_command_is_listed_here() -> None:
    assert set(COMMAND_LINE) == {one.name for one in operations.table() if one.access == "read"}


@pytest.mark.parametrize("name", COMMAND_LINE)
@pytest.mark.parametrize("as_json", [False, True])
def test_an_agent_that_runs_a_command_reads_filtered_text(hostile: HostileHome, name: str, as_json: bool) -> None:
    arguments = [*name.split(), *COMMAND_LINE[name], *(["--json"] if as_json else [])]
    env = {**ENVIRONMENT, "MEMORO_AGENT": "claude"}
    done = run_memoro("--home", str(hostile.home), "--vault", str(hostile.vault), *arguments, env=env, stdin="[]")
    assert done.code in (0, 1), done.err
    assert_clean([done.out, done.err], name)
    if as_json:
        assert_clean(done.json, name)


def test_an_error_of_a_command_is_filtered_for_an_agent(hostile: HostileHome) -> None:
    places = ("--home", str(hostile.home), "--vault", str(hostile.vault))
    for arguments in (("get", HOSTILE), ("get", HOSTILE, "--json"), ("memory", "show", "99", "--json")):
        done = run_memoro(*places, *arguments, env={**ENVIRONMENT, "MEMORO_AGENT": "claude"})
        assert done.code == 1
        assert_clean([done.out, done.err], str(arguments))


def test_the_owner_reads_their_own_notes_whole(hostile: HostileHome) -> None:
    places = ("--home", str(hostile.home), "--vault", str(hostile.vault))
    assert TOKEN in run_memoro(*places, "get", f"{NAME}.md").out
    assert TOKEN in run_memoro(*places, "get", f"{NAME}.md", "--json").json["text"]


def test_doctor_names_the_places_of_secrets_and_never_the_secrets(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "# A\n\nclean\n", "b.md": f"# B\n\nx\n{TOKEN}\nthe db password is Kx7pQ2mZ9v\n"})
    done = memoro("doctor")
    assert "! secrets: 1 note holds 2 secrets" in done.out
    assert "b.md:4  github-token\n" in done.out and "b.md:5  password\n" in done.out
    assert TOKEN not in done.out and "Kx7pQ2mZ9v" not in done.out
    found = memoro("doctor", "--json")
    (check,) = [one for one in found.json["checks"] if one["name"] == "secrets"]
    assert [(one["path"], one["line"], one["kind"]) for one in check["places"]] == [
        ("b.md", 4, "github-token"), ("b.md", 5, "password"),
    ]  # fmt: skip
    assert TOKEN not in found.out


@pytest.mark.parametrize("name", ["a\u200b.md", f"a{TAGS}.md", "a\u202e.md", "a\x1b.md"])
def test_no_note_is_written_under_a_name_that_nobody_sees(memoro: Memoro, vault: Path, name: str) -> None:
    assert memoro("note", "new", name, "x").code != 0
    assert not list(vault.rglob("*.md"))


# Names come back


def test_a_path_and_an_id_that_were_shown_lead_to_the_note_again(hostile: HostileHome) -> None:
    found = asked(hostile, lambda client: client.call_tool("search", {"query": "okapi", "limit": 20}))
    shown = [one for one in found.structured_content["results"] if one["kind"] in ("note", "transcript")]
    assert any("[redacted:github-token" in one["path"] for one in shown)
    assert any("\\U000e" in one["path"] for one in shown)
    for one in shown:
        for name in (one["id"], one["path"]):
            text = asked(hostile, lambda client: client.call_tool("get", {"id": name}))  # noqa: B023
            assert not text.is_error, name
        if one["kind"] == "note":
            lines = f"{one['path']}:{one['start_line']}-{one['end_line']}"
            assert not asked(hostile, lambda client: client.call_tool("get", {"id": lines})).is_error  # noqa: B023


def test_a_path_that_was_shown_filters_a_search(hostile: HostileHome) -> None:
    path = OutputFilter([KNOWN]).name(f"{NAME}.md")
    found = asked(hostile, lambda client: client.call_tool("search", {"query": "okapi", "path": path}))
    assert {one["path"] for one in found.structured_content["results"]} == {path}


def test_a_file_is_viewed_by_the_name_that_the_memory_tool_lists(m: Workspace) -> None:
    listed = m.memory_tool.view("/memories")
    (shown,) = [line.split("\t")[1] for line in listed.split("\n") if "[redacted:github-token" in line]
    assert "okapi" in m.memory_tool.view(shown)


@given(name=st.text(st.sampled_from([*"ab/.\\u{}", "\u200b", "\U000e0041", "\n", "\x1b", "\u202e"]), max_size=12))
def test_names_stay_different_and_are_found_again(name: str) -> None:
    shown = OutputFilter().name(name)
    assert visible(shown) == shown and OutputFilter().name(shown) == shown
    if shown != name:
        assert OutputFilter().find(shown, [name, "other.md"]) == name


@given(text=st.text(max_size=80), secret=st.booleans())
def test_filtering_twice_is_filtering_once_and_lines_stay(text: str, secret: bool) -> None:
    once = OutputFilter([KNOWN]).text(f"{text} {TOKEN if secret else KNOWN} {text}")
    assert OutputFilter([KNOWN]).text(once) == once
    assert TOKEN not in once and KNOWN not in once
    assert once.count("\n") == 2 * text.count("\n")


def test_lines_cut_out_of_a_private_key_are_not_shown(tmp_path: Path) -> None:
    lines = ["aB1/" * 16] * 60
    key = "\n".join(["-----BEGIN RSA PRIVATE " + "KEY-----", *lines, "-----END RSA PRIVATE " + "KEY-----"])
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "deploy.md").write_text(f"# Deploy\n\nThe deploy host is rhino.\n\n{key}\n\nThe last line.\n")
    hostile = HostileHome(tmp_path / "h", tmp_path / "v")
    for lines_ in ("10-12", "20", "1-80"):
        found = asked(hostile, lambda client: client.call_tool("get", {"id": f"deploy.md:{lines_}"}))  # noqa: B023
        assert "aB1/aB1/" not in str(found.model_dump())
    assert "The last line." in asked(hostile, lambda c: c.call_tool("get", {"id": "deploy.md:68"})).content[0].text
    hits = asked(hostile, lambda client: client.call_tool("search", {"query": "deploy host rhino", "limit": 50}))
    assert hits.structured_content["results"]
    assert "aB1/aB1/" not in str(hits.model_dump())
    assert "aB1/aB1/" not in str(asked(hostile, lambda c: c.call_tool("recall", {"message": "deploy host?"})))


def test_a_secret_of_several_lines_leaves_their_number() -> None:
    key = "-----BEGIN PRIVATE " + "KEY-----\n" + "A1b2" * 16 + "\n-----END PRIVATE " + "KEY-----"
    shown = redact(f"a\n{key}\nb", keep_lines=True).text
    assert shown.split("\n")[4] == "b"


# The owner's terminal


@pytest.mark.process
@pytest.mark.parametrize("name", ["search", "get", "memory list", "session list", "proposals", "log", "status"])
def test_no_text_commands_the_terminal_of_the_owner(hostile: HostileHome, name: str) -> None:
    """Secrets stay, for the notes are theirs; control characters are spelled out."""
    places = ["--home", str(hostile.home), "--vault", str(hostile.vault)]
    mine, theirs = pty.openpty()
    command = [sys.executable, "-m", "memoro", *places, *name.split(), *COMMAND_LINE[name]]
    environment = {**clean_environment(), "TERM": "dumb", "NO_COLOR": "1"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is closed when the process ends
            while read := os.read(mine, 65536):
                shown += read
    os.close(mine)
    assert process.returncode == 0, shown
    text = shown.decode("utf-8", "replace")
    assert "]0;x" in text or name in ("status", "log")
    assert not set(text) & set("\x07\x9b\u202e\u200b\ufeff") | set(TAGS) & set(text)
    assert "\x1b]0;x" not in text


def test_a_terminal_is_written_nothing_that_commands_it() -> None:
    stream = io.StringIO()
    EscapedTerminal(stream).write(f"a\tb\n{HIDDEN}\nnaïve 🙂\n")
    assert stream.getvalue().startswith("a\tb\n\\U000e006f") and stream.getvalue().endswith("\\x9b\nnaïve 🙂\n")
