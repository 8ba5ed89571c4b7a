"""`enabled = false` switches Memoro off for agents; a person's commands go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memoro as library
from mcp import Client, MCPError
from memoro.mcp.clients import SWITCHED_OFF, Homes
from memoro.mcp.server import build
from tests.conftest import Memoro, run_process, write_vault
from tests.test_mcp import NOTES, Agent


def off(home: Path, text: str = "enabled = false\n") -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(text)


def test_tools_and_resources_say_that_it_is_off_and_nothing_is_stored(home: Path, vault: Path) -> None:
    off(home)
    write_vault(vault, NOTES)
    homes = Homes(lambda agent: library.open(home, vault, agent=agent))
    agent = Agent(lambda: Client(build(homes, "full")))
    for name, given in (
        ("search", {"query": "tea"}),
        ("recall", {"message": "tea"}),
        ("memory_store", {"content": "x"}),
    ):
        answer = agent.call(name, **given)
        assert answer.content[0].text == SWITCHED_OFF and answer.structured_content == {"enabled": False}
    assert agent.run(lambda client: client.list_resources()).resources == []
    with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match="switched off"), flatten_subgroups=True):
        agent.run(lambda client: client.read_resource("memoro://note/tea.md"))
    homes.close()
    assert not (home / "ledger.db").exists()


@pytest.mark.parametrize("scope", ["agents", "projects"])
def test_it_is_overridden_for_one_agent_or_project(scope: str, home: Path, vault: Path) -> None:
    off(home, f"enabled = false\n\n[{scope}.coder]\nenabled = true\n")
    for name in ("coder", "other"):
        named = {"agent": name} if scope == "agents" else {"project": name}
        with library.open(home, vault, **named) as m:  # type: ignore[arg-type]
            assert m.settings.enabled is (name == "coder")


@pytest.mark.process
def test_hooks_answer_nothing_and_keep_nothing(home: Path, vault: Path) -> None:
    off(home)
    write_vault(vault, NOTES)
    start = {"hook_event_name": "SessionStart", "session_id": "s", "source": "startup", "cwd": str(vault)}
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "how is green tea brewed?"}
    end = {"hook_event_name": "SessionEnd", "session_id": "s", "reason": "other", "transcript_path": "x"}
    for event in (start, prompt, end):
        done = run_process("--home", str(home), "--vault", str(vault), "hook", "claude", stdin=json.dumps(event))
        assert (done.code, done.out) == (0, ""), done.err
    assert sorted(one.name for one in home.iterdir()) == ["memoro.toml"]


def test_commands_of_a_person_work_and_status_says_that_it_is_off(memoro: Memoro, home: Path, vault: Path) -> None:
    off(home)
    write_vault(vault, NOTES)
    assert memoro("remember", "The lamp is red.").code == 0
    assert "80 degrees" in memoro("search", "green tea brewed", "--mode", "words").out
    assert "switched off for agents" in memoro("status").out


def test_without_a_cache_no_vector_is_kept_for_later(home: Path, vault: Path) -> None:
    off(home, "[cache]\nenabled = false\n")
    write_vault(vault, NOTES)
    with library.open(home, vault) as m:
        m.sync()
        assert not any(m.indexing.indexes.cache().count().values())
        assert m.search("how hot is green tea").results[0].path in ("tea.md", "MEMORY.md")
        assert m.status().vectors == m.status().chunks
