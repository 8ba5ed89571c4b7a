"""A person sets a language model: what the commands print, count and send, against a server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import run_memoro
from tests.conftest import Result, write_vault
from tests.standin.chat import ANSWERED_KEY, ChatOptions, ChatStandin, chat_standin, scripted

RIGHT = {"reason": "It states one.", "number": 2}


class Owner:
    """Somebody with notes, a key and a server."""

    def __init__(self, folder: Path, server: ChatStandin) -> None:
        self.server = server
        self.environment = {
            "MEMORO_HOME": str(folder / "home"),
            "MEMORO_VAULT": str(write_vault(folder / "vault", {"tea.md": "Green tea.\n"})),
            "A_KEY": ANSWERED_KEY,
        }
        self.run("sync")

    def run(self, *arguments: str) -> Result:
        return run_memoro(*arguments, env=self.environment)

    def set(self, **settings: str) -> Result:
        return [self.run("config", "set", f"llm.{key}", value) for key, value in settings.items()][-1]

    def set_all(self, **more: str) -> Result:
        return self.set(provider="compatible", url=self.server.url, model="qwen3", key="env:A_KEY", **more)


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    with chat_standin("openai", answers=scripted([RIGHT])) as server:
        yield Owner(tmp_path, server)


def test_setting_a_model_says_what_is_missing_and_then_where_text_goes(owner: Owner) -> None:
    assert "llm.url and llm.model are not set." in owner.set(provider="compatible").out
    assert "llm.model is not set." in owner.set(url=owner.server.url).out
    done = owner.set(model="qwen3")
    assert f"qwen3 at {owner.server.host} may be asked for: extract, judge, review, summary." in done.out
    assert "Nothing leaves this machine." in done.out
    assert owner.server.requests == []


def test_a_model_that_is_not_whole_stops_no_other_command(owner: Owner) -> None:
    owner.set(provider="anthropic")
    assert owner.run("search", "tea").code == 0
    assert "nothing to a language model: llm.model is not set." in owner.run("status").out
    checked = owner.run("doctor").out
    assert "✗ language model: llm.model is not set." in checked
    assert "Commands do their part by rules meanwhile." in checked


def test_status_says_where_the_questions_go(owner: Owner) -> None:
    assert "sends     nothing leaves this machine\n" in owner.run("status").out
    owner.set_all()
    assert (
        f"sends     questions with parts of conversations and notes to {owner.server.host} (compatible/qwen3), for "
        "extract, judge, review, summary; nothing leaves this machine\n"
    ) in owner.run("status").out

    owner.run("config", "unset", "llm.url")
    owner.set(provider="anthropic", model="claude-haiku-4-5", purposes="judge")
    assert (
        "sends     parts of conversations and notes to api.anthropic.com (anthropic/claude-haiku-4-5), for judge; "
        "without secrets, private notes stay here\n"
    ) in owner.run("status").out
    found = json.loads(owner.run("status", "--json").out)["language"]
    assert (found["host"], found["is_home"], found["purposes"]) == ("api.anthropic.com", False, ["judge"])


def test_provider_test_asks_the_language_model_one_question_of_its_own(owner: Owner) -> None:
    owner.set_all()
    done = owner.run("provider", "test")
    assert done.code == 0
    assert f"✓ language model: qwen3 at {owner.server.host} answers by the schema in " in done.out
    assert "with 40 tokens sent and 9 written, for nothing." in done.out
    (asked,) = owner.server.asked
    assert "Green tea steeps for two minutes." in asked.text
    used = owner.run("usage").out
    assert "compatible qwen3\n" in used
    assert "written" in used

    assert json.loads(owner.run("provider", "test", "--json").out)["language"]["is_right"] is True


def test_provider_test_names_what_is_wrong_with_the_language_model(owner: Owner) -> None:
    owner.set_all()
    owner.server.set_faults("key echoed")
    done = owner.run("provider", "test")
    assert done.code == 1
    assert "✗ language model: " in done.out
    assert "does not accept the key" in done.out
    assert ANSWERED_KEY not in done.out


def test_what_provider_test_learns_about_the_server_is_kept(tmp_path: Path) -> None:
    options = ChatOptions(unknown=frozenset({"schema", "object"}))
    with chat_standin("openai", answers=scripted([RIGHT]), options=options) as server:
        owner = Owner(tmp_path, server)
        owner.set_all()
        assert "schema: the model is told it in words, and Memoro checks." in owner.run("provider", "test").out
        assert len(server.requests) == 3
        assert "language model" not in owner.run("provider", "test", "--provider", "builtin").out
