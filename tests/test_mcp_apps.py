"""Views inside a host: who is offered them, what they may do, and what a host without them gets instead."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client

import memoro
from mcp import Client, MCPError
from memoro.mcp import tools
from memoro.mcp.apps import document
from memoro.mcp.apps.extension import EXTENSION
from memoro.mcp.apps.keys import STALE
from memoro.mcp.apps.names import VIEWS, ViewName
from memoro.mcp.clients import Homes
from memoro.mcp.server import build
from memoro.model.proposals import RememberEntry, StoreMemory, Suggestion
from memoro.model.scope import Scope
from memoro.model.vocabulary import TOOL_PROFILES, ToolProfile
from memoro.operations.operation import Access
from memoro.recall.request import RecallRequest
from memoro.serve.token import token
from tests.app_host import APPS, run, server_of
from tests.browser import ServedHome
from tests.conftest import write_vault

ERAS = ("auto", "legacy")
NOTES = {
    "MEMORY.md": "# Memory\n\n- The user prefers green tea ^m3k9f2\n",
    "tea.md": "# Tea\n\nGreen tea is brewed at 80 degrees.\n",
}
FACT = "The kettle holds two litres"
KEYS, UNDO = "memoro/keys", "memoro/undo"


def propose(m: memoro.Workspace, text: str = FACT, reason: str = "") -> int:
    change = RememberEntry(text=text, tier="semantic", section=None, path="MEMORY.md")
    made = m.proposals.propose(Suggestion(change, origin="agent", reason=reason), by="agent")
    return made.proposal.id


@pytest.fixture
def homes(home: Path, vault: Path) -> Iterator[Homes]:
    write_vault(vault, NOTES)
    made = Homes(lambda client: memoro.open(home, vault, client=client))
    yield made
    made.close()


class Host:
    """A client, with or without apps, whose calls share one server, as in one conversation."""

    def __init__(self, homes: Homes, profile: ToolProfile = "default", mode: str = "auto", apps: Any = APPS) -> None:
        self._server = build(homes, profile, session="conversation")
        self._mode = mode
        self._apps = apps

    def _run(self, work: Any) -> Any:
        return run(lambda: Client(self._server, mode=self._mode, extensions=self._apps, raise_exceptions=True), work)

    def tools(self) -> dict[str, Any]:
        return {one.name: one for one in self._run(lambda client: client.list_tools()).tools}

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self._run(lambda client: client.call_tool(name, arguments))

    def said(self, name: str, /, **arguments: Any) -> str:
        made = self.call(name, **arguments)
        assert not made.is_error, made.content[0].text
        return str(made.content[0].text)

    def refused(self, name: str, /, **arguments: Any) -> str:
        made = self.call(name, **arguments)
        assert made.is_error, made.content[0].text
        return str(made.content[0].text)

    def review(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The view of proposals, and the keys that only the view gets."""
        made = self.call("app_view", view="review")
        return made.structured_content, (made.meta or {}).get(KEYS, {})

    def decide(self, proposal: int, decision: str, key: str) -> Any:
        return self.call("app_decide", proposal=proposal, decision=decision, key=key)

    def resources(self) -> list[str]:
        return [str(one.uri) for one in self._run(lambda client: client.list_resources()).resources]

    def read(self, uri: str) -> Any:
        """What is behind an address; None where nothing is."""

        async def found(client: Any) -> Any:
            try:
                return (await client.read_resource(uri)).contents[0]
            except MCPError:
                return None

        return self._run(found)


# Who is offered what.


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("profile", TOOL_PROFILES)
def test_a_host_without_the_extension_is_offered_what_it_always_was(
    homes: Homes, profile: ToolProfile, mode: str
) -> None:
    for apps in (None, (advertise(EXTENSION, {"mimeTypes": ["text/uri-list"]}),), (advertise(EXTENSION),)):
        host = Host(homes, profile, mode, apps)
        listed = host.tools()
        assert list(listed) == [one.name for one in tools.chosen(profile)]
        assert all("ui" not in (one.meta or {}) for one in listed.values())
        assert not any(uri.startswith("ui:") for uri in host.resources())
        assert "There is no tool" in host.refused("app_view", view="review")
        assert host.read("ui://memoro/review") is None


@pytest.mark.parametrize("mode", ERAS)
def test_a_host_with_the_extension_finds_both_views_by_their_tools(homes: Homes, mode: str) -> None:
    host = Host(homes, mode=mode)
    listed = host.tools()
    for tool, view in (("today", "today"), ("proposals", "review")):
        found = host.read(listed[tool].meta["ui"]["resourceUri"])
        assert found.mime_type == "text/html;profile=mcp-app"
        assert found.text == document.html(view)
        assert found.meta["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
    assert {"ui://memoro/today", "ui://memoro/review"} <= set(host.resources())


def test_a_model_sees_two_more_tools_and_never_those_of_the_view(homes: Homes) -> None:
    listed = Host(homes).tools()
    hidden = {name for name, one in listed.items() if (one.meta or {}).get("ui", {}).get("visibility") == ["app"]}
    assert hidden == {"app_view", "app_decide"}
    assert set(listed) - hidden - {one.name for one in tools.chosen("default")} == {"today", "proposals"}


def test_a_host_with_the_extension_pays_little_for_it() -> None:
    added = [one for one in tools.all_tools() if one.name in ("today", "proposals")]
    assert len(added) == 2 and tools.tokens(added) <= 90


# Plain text for everybody else.


def test_proposals_are_a_text_that_a_person_can_read(homes: Homes) -> None:
    propose(homes.of(None), reason="It came up twice.")
    said = Host(homes, "full", apps=None).said("proposals")
    assert said.split("\n") == [
        "1 proposal waits for the user, who decides with `memoro review`.",
        "1. Add a fact to MEMORY.md",
        f"   + {FACT}",
        "   Why: It came up twice.",
    ]


def test_today_is_a_text_that_a_person_can_read(homes: Homes) -> None:
    propose(homes.of(None))
    host = Host(homes, "full", apps=None)
    host.call("recall", message="How hot is green tea brewed?")
    said = host.said("today")
    assert "How hot is green tea brewed?" in said and "tea.md" in said
    assert "1 proposal waits for you. The user decides with `memoro review`." in said
    assert "Prompts 1, Kept silent 0" in said and "Health:" in said


# What the views show.


def test_today_shows_the_agents_own_prompts_with_what_was_given_and_why(homes: Homes) -> None:
    host = Host(homes)
    host.call("recall", message="How hot is green tea brewed?")
    found = host.call("app_view", view="today").structured_content
    [session] = found["sessions"]
    [prompt] = session["prompts"]
    assert prompt["message"] == "How hot is green tea brewed?"
    assert "80 degrees" in prompt["items"][0]["text"] and "sure" in prompt["items"][0]["facts"]
    assert found["nothing"] is None and found["figures"][0] == {"value": 1, "label": "Prompts"}


def test_today_shows_no_session_of_another_agent_and_none_of_the_persons_own(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    with memoro.open(home, vault) as m:
        m.sync()
        for agent in ("claude-code", "gardener", None):
            asked = RecallRequest(f"green tea for {agent}", session=f"of-{agent}")
            m.recaller_in(Scope(agent=agent)).recall(asked)
    homes = Homes(lambda client: memoro.open(home, vault, agent="claude-code", client=client))
    found = Host(homes).call("app_view", view="today").structured_content
    homes.close()
    shown = [prompt["message"] for session in found["sessions"] for prompt in session["prompts"]]
    assert shown == ["green tea for claude-code"]
    assert found["figures"][0]["value"] == 1


def test_review_shows_each_proposal_as_a_difference_and_tells_of_private_ones_only_their_number(homes: Homes) -> None:
    m = homes.of(None)
    propose(m, reason="It came up twice.")
    propose(m, "The diagnosis is confidential #private")
    found, keys = Host(homes).review()
    [card] = found["cards"]
    assert [(one["kind"], one["pieces"][0]["text"]) for one in card["difference"]][-1] == ("added", FACT)
    assert {"label": "Why", "text": "It came up twice.", "quotes": []} in card["facts"]
    assert "1 private proposal" in found["withheld"] and list(keys) == ["1"]
    assert "diagnosis" not in str(found)


# Who decides.


@pytest.mark.parametrize("mode", ERAS)
def test_a_person_accepts_in_the_view_and_takes_it_back(homes: Homes, vault: Path, mode: str) -> None:
    number = propose(homes.of(None))
    host = Host(homes, mode=mode)
    before = (vault / "MEMORY.md").read_text()
    _, keys = host.review()
    done = host.decide(number, "accept", keys["1"])
    assert done.structured_content == {"done": True, "sentence": "Accepted: add a fact to MEMORY.md."}
    assert FACT in (vault / "MEMORY.md").read_text()
    [entry] = homes.of(None).journal.of_proposal(number)
    assert entry.actor == "user"
    undone = host.decide(number, "undo", done.meta[UNDO])
    assert undone.structured_content["done"] and (vault / "MEMORY.md").read_text() == before


def test_what_is_accepted_in_a_host_is_the_same_as_what_is_accepted_elsewhere(home: Path, vault: Path) -> None:
    write_vault(vault, NOTES)
    bound = Homes(lambda client: memoro.open(home, vault, agent="gardener", project="roses", client=client))
    number = bound.of(None).proposals.propose(Suggestion(StoreMemory("Boats float"), origin="review")).proposal.id
    host = Host(bound)
    _, keys = host.review()
    assert host.decide(number, "accept", keys["1"]).structured_content["done"]
    bound.close()
    with memoro.open(home, vault) as m:
        kept = m.memories.get(1)
    assert (kept.agent, kept.project, kept.trust) == (None, None, "user_confirmed")


def test_a_rejection_is_for_ever(homes: Homes) -> None:
    number = propose(homes.of(None))
    host = Host(homes)
    _, keys = host.review()
    assert host.decide(number, "reject", keys["1"]).structured_content["done"]
    assert homes.of(None).proposals.all("rejected")[0].id == number


def test_no_text_and_no_object_that_a_model_may_read_holds_a_key(homes: Homes) -> None:
    propose(homes.of(None))
    host = Host(homes, "full")
    for name, arguments in (("app_view", {"view": "review"}), ("proposals", {}), ("today", {}), ("status", {})):
        made = host.call(name, **arguments)
        shown = made.content[0].text + str(made.structured_content)
        assert not re.search(r"[0-9a-f]{32}", shown), name
    _, keys = host.review()
    assert re.fullmatch(r"[0-9a-f]{32}", keys["1"])


def test_without_the_key_of_what_was_shown_nothing_is_decided(homes: Homes, vault: Path) -> None:
    m = homes.of(None)
    first, second = propose(m), propose(m, "The pot is brown")
    host = Host(homes)
    _, keys = host.review()
    other_server = Host(homes).review()[1]
    before = (vault / "MEMORY.md").read_text()
    for key in ("", "0" * 32, keys[str(second)], other_server[str(first)]):
        assert host.refused("app_decide", proposal=first, decision="accept", key=key) == STALE
    assert host.refused("app_decide", proposal=first, decision="undo", key=keys[str(first)]) == STALE
    assert (vault / "MEMORY.md").read_text() == before and len(m.proposals.all()) == 2


def test_a_key_is_good_once(homes: Homes) -> None:
    number = propose(homes.of(None))
    host = Host(homes)
    _, keys = host.review()
    assert not host.decide(number, "accept", keys["1"]).is_error
    assert host.refused("app_decide", proposal=number, decision="accept", key=keys["1"]) == STALE


def test_what_has_changed_since_it_was_shown_is_not_accepted(homes: Homes) -> None:
    m = homes.of(None)
    m.memories.store("The kettle holds one litre", source="user")
    change = StoreMemory("The kettle holds two litres", supersedes=1)
    number = m.proposals.propose(Suggestion(change, origin="review")).proposal.id
    host = Host(homes)
    _, keys = host.review()
    m.memories.update(1, "The kettle holds a litre and a half")
    assert host.refused("app_decide", proposal=number, decision="accept", key=keys["1"]) == STALE
    assert m.memories.get(1).content == "The kettle holds a litre and a half"


def test_a_profile_that_only_reads_shows_proposals_without_buttons(homes: Homes) -> None:
    propose(homes.of(None))
    host = Host(homes, "recall")
    found, keys = host.review()
    assert not found["can_decide"] and keys == {} and "memoro review" in found["elsewhere"]
    assert "app_decide" not in host.tools()
    assert "There is no tool" in host.refused("app_decide", proposal=1, decision="accept", key="0" * 32)


@pytest.mark.parametrize("scope", ["write", "admin"])
def test_over_http_proposals_are_shown_and_nobody_decides(served: ServedHome, scope: Access) -> None:
    async def asked(wire: Any) -> Any:
        async with Client(wire, extensions=APPS) as client:
            names = {one.name for one in (await client.list_tools()).tools}
            shown = await client.call_tool("app_view", {"view": "review"})
            asked = {"proposal": 1, "decision": "accept", "key": "0" * 32}
            return names, shown, await client.call_tool("app_decide", asked)

    async def connected() -> Any:
        headers = {"Authorization": f"Bearer {token(str(served.home), scope)}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
            return await asked(streamable_http_client(served.url("/mcp"), http_client=http))

    names, shown, refused = asyncio.run(connected())
    assert "app_view" in names and "app_decide" not in names
    assert shown.structured_content["cards"] and not shown.structured_content["can_decide"]
    assert KEYS not in (shown.meta or {})
    assert refused.is_error and "There is no tool 'app_decide'" in refused.content[0].text


# The document.


@pytest.mark.parametrize("view", VIEWS)
def test_the_document_is_small_whole_and_asks_no_server(view: ViewName) -> None:
    text = document.html(view)
    assert len(text.encode()) < 40_000
    assert not re.search(r"https?:|//[a-z]|@[A-Z]+@|\bimport\b|\burl\(", text.replace("// ", ""))
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bFunction\(", without_comments(text)
    )
    assert f'"view": "{view}"' in text


def without_comments(text: str) -> str:
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


# A real process.


@pytest.mark.process
@pytest.mark.parametrize("mode", ERAS)
def test_the_real_process_negotiates_with_the_sdks_client(home: Path, vault: Path, mode: str) -> None:
    write_vault(vault, NOTES)
    with memoro.open(home, vault) as m:
        number = propose(m)
    server = server_of(home, vault, "--agent", "claude-code")

    async def plain(client: Any) -> Any:
        return [one.name for one in (await client.list_tools()).tools]

    async def decided(client: Any) -> Any:
        names = [one.name for one in (await client.list_tools()).tools]
        shown = await client.call_tool("app_view", {"view": "review"})
        asked = {"proposal": number, "decision": "accept", "key": shown.meta[KEYS][str(number)]}
        return names, (await client.call_tool("app_decide", asked)).structured_content

    assert run(lambda: Client(server, mode=mode), plain) == [one.name for one in tools.chosen("default")]
    names, done = run(lambda: Client(server, mode=mode, extensions=APPS), decided)
    assert "app_decide" in names and done["done"]
    assert FACT in (vault / "MEMORY.md").read_text()
