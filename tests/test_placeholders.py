"""A write that carries the placeholder of a secret puts the secret back, or is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from mcp import Client
from memoro import operations
from memoro.errors import Refused
from memoro.mcp.clients import Homes
from memoro.mcp.server import build
from memoro.model.output_filter import OutputFilter
from memoro.model.placeholders import check_restorable, placeholders_in, resolve, restore
from memoro.model.secrets import placeholder, redact
from memoro.notes.memory_tool import ToolError
from memoro.operations.operation import Caller
from memoro.workspace import Workspace
from tests.conftest import Memoro, write_vault

TOKEN = "gh" + "p_" + "a1B2" * 9
SHOWN = placeholder(TOKEN, "github-token")
OTHER = "[redacted:github-token:01234567]"
PASSWORD = "Kx7pQ2" + "mZ9v"
KEY = "\n".join(["-----BEGIN PRIVATE " + "KEY-----", *["A1b2" * 16] * 3, "-----END PRIVATE " + "KEY-----"])
REFUSED = "stands for a secret that is not in the text it replaces"


@pytest.fixture
def m(home: Path, vault: Path) -> Iterator[Workspace]:
    write_vault(
        vault,
        {
            "MEMORY.md": f"# Memory\n\n- The deploy token is {TOKEN} ^entry1\n",
            "mine.md": f"# Mine\n\ntoken {TOKEN} of May\n\n{KEY}\n\nend\n",
            "agent/own.md": f"one\nuse {TOKEN} here\nthe db password is {PASSWORD}\n",
        },
    )
    with memoro.open(home, vault) as opened:
        yield opened


def test_a_note_that_is_edited_as_it_was_shown_keeps_its_secrets_to_the_byte(m: Workspace, vault: Path) -> None:
    before = (vault / "mine.md").read_text()
    shown = OutputFilter().text(before)
    assert TOKEN not in shown and "PRIVATE" not in shown
    m.notes.edit("mine.md", shown.replace("end", "END"))
    assert (vault / "mine.md").read_text() == before.replace("end", "END")


def test_a_part_of_a_note_is_named_as_it_was_shown(m: Workspace, vault: Path) -> None:
    m.notes.edit("mine.md", f"token {SHOWN} of June", old=f"token {SHOWN} of May")
    assert f"token {TOKEN} of June" in (vault / "mine.md").read_text()


@pytest.mark.parametrize("by", ["user", "agent"])
def test_a_placeholder_of_another_secret_is_refused_and_nothing_changes(m: Workspace, vault: Path, by: str) -> None:
    before = (vault / "agent" / "own.md").read_bytes()
    with pytest.raises(Refused, match=REFUSED):
        m.notes.edit("agent/own.md", f"two {OTHER}", old="one", by=by)
    with pytest.raises(Refused, match=REFUSED):
        m.notes.edit("agent/own.md", f"two {SHOWN}", old="one", by=by)  # the secret stands elsewhere in the note
    with pytest.raises(Refused, match=REFUSED):
        m.notes.new("agent/new.md", f"see {SHOWN}", by=by)
    with pytest.raises(Refused, match=REFUSED):
        m.notes.insert("agent/own.md", 0, f"see {SHOWN}", by=by)
    assert (vault / "agent" / "own.md").read_bytes() == before
    assert not (vault / "agent" / "new.md").exists()


def test_a_secret_is_not_put_back_in_words_that_would_show_it(m: Workspace, vault: Path) -> None:
    shown = placeholder(PASSWORD, "password")
    with pytest.raises(Refused, match="no longer be recognised"):
        m.notes.edit("agent/own.md", f"a thing: {shown}", old=f"the db password is {shown}", by="agent")
    m.notes.edit("agent/own.md", f"the new db password is {shown}", old=f"the db password is {shown}", by="agent")
    assert f"the new db password is {PASSWORD}\n" in (vault / "agent" / "own.md").read_text()


def test_the_memory_tool_edits_around_a_secret(m: Workspace, vault: Path) -> None:
    tool = m.memory_tool
    assert f"use {SHOWN} here" in tool.view("/memories/own.md")
    said = tool.str_replace("/memories/own.md", f"use {SHOWN} here", f"use {SHOWN} there")
    assert SHOWN in said and TOKEN not in said
    assert f"use {TOKEN} there" in (vault / "agent" / "own.md").read_text()
    before = (vault / "agent" / "own.md").read_bytes()
    for command in (
        lambda: tool.create("/memories/new.md", f"see {SHOWN}"),
        lambda: tool.insert("/memories/own.md", 1, f"see {SHOWN}"),
        lambda: tool.str_replace("/memories/own.md", "one", f"see {OTHER}"),
    ):
        with pytest.raises(ToolError, match=REFUSED):
            command()
    assert (vault / "agent" / "own.md").read_bytes() == before


def call(home: Path, vault: Path, name: str, **arguments: Any) -> Any:
    homes = Homes(lambda agent: memoro.open(home, vault, agent=agent))

    async def connected() -> Any:
        async with Client(build(homes, "full")) as client:
            return await client.call_tool(name, arguments)

    try:
        return asyncio.run(asyncio.wait_for(connected(), 60))
    finally:
        homes.close()


def test_an_agent_updates_a_memory_that_lost_a_secret(m: Workspace, home: Path, vault: Path) -> None:
    kept = m.memories.store(f"The deploy token is {TOKEN}").memory
    assert SHOWN in kept.content
    done = call(home, vault, "memory_update", id=kept.id, content=f"The deploy token of May is {SHOWN}")
    assert not done.is_error
    assert m.memories.get(kept.id).content == f"The deploy token of May is {SHOWN}"
    refused = call(home, vault, "memory_update", id=kept.id, content=f"The deploy token is {OTHER}")
    assert refused.is_error and REFUSED in refused.content[0].text
    assert SHOWN in m.memories.get(kept.id).content


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_store", {"content": f"see {SHOWN}"}),
        ("remember", {"text": f"see {SHOWN}"}),
        ("daily", {"text": f"see {SHOWN}"}),
        ("narrative_update", {"summary": f"see {SHOWN}"}),
        ("experience_record", {"type": "error_recovery", "intent": "x", "solution": f"see {SHOWN}", "success": 1}),
    ],
)
def test_what_an_agent_stores_anew_cannot_carry_a_placeholder(
    m: Workspace, home: Path, vault: Path, tool: str, arguments: dict[str, Any]
) -> None:
    done = call(home, vault, tool, **arguments)
    assert done.is_error and REFUSED in done.content[0].text
    assert not m.entries.proposals()


def test_an_entry_keeps_its_secret_when_a_proposal_is_accepted(m: Workspace, vault: Path) -> None:
    edit = next(one for one in operations.table() if one.name == "edit")
    text = f"The deploy token of June is {SHOWN}"
    made = edit.run(m, edit.request("entry1", text), Caller(source="agent"))
    assert made.proposal is not None
    assert TOKEN not in str(m.entries.proposals())
    m.entries.accept(made.proposal)
    assert f"- The deploy token of June is {TOKEN} ^entry1\n" in (vault / "MEMORY.md").read_text()
    with pytest.raises(Refused, match=REFUSED):
        edit.run(m, edit.request("entry1", f"The token is {OTHER}"), Caller(source="agent"))


def test_an_agents_own_secret_is_taken_out_of_its_edit_and_the_owners_stays(m: Workspace, vault: Path) -> None:
    new = "gh" + "p_" + "z9Y8" * 9
    done = m.notes.edit("agent/own.md", f"use {SHOWN} and {new}", old=f"use {SHOWN} here", by="agent")
    assert done.redacted == ("github-token",)
    text = (vault / "agent" / "own.md").read_text()
    assert f"use {TOKEN} and {placeholder(new, 'github-token')}" in text


@pytest.mark.usefixtures("m")
def test_a_person_may_paste_what_an_agent_showed(memoro: Memoro, vault: Path) -> None:
    assert memoro("edit", "entry1", f"The deploy token: {SHOWN}").code == 0
    assert f"- The deploy token: {TOKEN} ^entry1" in (vault / "MEMORY.md").read_text()
    done = memoro("remember", f"see {SHOWN}")
    assert done.code != 0 and REFUSED in done.err


def test_every_operation_that_writes_refuses_placeholders_or_restores_them() -> None:
    assert {one.name: one.restores for one in operations.table() if one.restores} == {
        "edit": ("text",),
        "note edit": ("text", "old"),
        "memory update": ("content",),
    }


@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_what_was_shown_is_resolved_to_what_stands_there(before: str, after: str) -> None:
    whole = f"{before} {TOKEN} {after}"
    shown = redact(whole, keep_lines=True).text
    if SHOWN in shown:
        assert resolve(shown, whole) == whole
        check_restorable(shown, whole)
        assert restore(shown, whole, placeholders_in(shown)) == whole
