"""A person plugs in another model: what the commands print, ask and send, against a server on loopback."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from memoro.cli import main
from memoro.providers.telling_apart import are_all_the_same, tells_texts_apart
from memoro.testing import HashEmbedder
from tests.command import run_memoro
from tests.conftest import Result, write_vault
from tests.standin import Options, Standin, standin

KEY = "sk-of-nobody-0123456789"
NOTES = {f"{n}.md": f"# Note {n}\nTea, trains and bicycles in town {n}.\n" for n in range(12)}


class Person:
    """Somebody with notes, a key, and a server that costs money."""

    def __init__(self, folder: Path, server: Standin) -> None:
        self.server = server
        self.environment = {
            "MEMORO_HOME": str(folder / "home"),
            "MEMORO_VAULT": str(write_vault(folder / "vault", NOTES)),
            "OPENAI_API_KEY": KEY,
        }
        self.run("sync")
        for key, value in (("url", server.url), ("key", "env:OPENAI_API_KEY"), ("price", "1000")):
            self.run("config", "set", f"embedding.{key}", value)

    def run(self, *arguments: str, **more: str) -> Result:
        return run_memoro(*arguments, env={**self.environment, **more})

    def sent(self) -> list[str]:
        return self.server.delivered


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    with standin("openai") as server:
        yield Person(tmp_path, server)


def test_naming_a_provider_sends_nothing_and_says_what_comes_next(person: Person) -> None:
    done = person.run("config", "set", "embedding.provider", "openai")
    assert "Next: `memoro sync`" in done.out
    assert "Until its space is complete, searches use the built-in model." in done.out
    assert person.run("search", "tea").code == 0
    assert person.sent() == []


def test_a_missing_key_is_said_at_once(person: Person) -> None:
    person.run("config", "set", "embedding.key", "env:NOT_SET_ANYWHERE")
    done = person.run("config", "set", "embedding.provider", "openai")
    assert "The variable NOT_SET_ANYWHERE that `embedding.key` names is not set." in done.out
    assert "nothing leaves this machine" in done.out


def test_without_a_terminal_the_estimate_is_shown_and_nothing_is_sent(person: Person) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    done = person.run("sync")
    assert done.code == 0
    assert "needs vectors of 12 passages." in done.out
    assert f"   sends    12 texts to {person.server.host}\n" in done.out
    assert "`memoro sync --yes` agrees without being asked." in done.out
    assert person.sent() == []
    found = person.run("sync", "--json").json["embedding"]
    assert (found["waits"]["texts"], found["left"], found["sent"]["texts"]) == (12, 12, 0)
    assert person.run("status", "--json").json["embedding"]["is_agreed"] is False


def test_yes_fills_the_space_and_the_last_lines_say_what_it_cost(person: Person) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    done = person.run("sync", "--yes")
    assert f"  sent to {person.server.host}: 12 texts, " in done.out
    assert "$" in done.out
    assert len(person.sent()) == 12
    assert "searched  openai/text-embedding-3-small/1536/" in person.run("space", "list").out
    assert person.run("sync").out.startswith("up to date")
    assert KEY not in done.out


@pytest.mark.parametrize(("answer", "texts"), [("y\n", 12), ("n\n", 0), ("\n", 0)])
def test_at_a_terminal_the_question_is_asked_and_no_is_the_usual_answer(
    person: Person, answer: str, texts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    for name, value in person.environment.items():
        monkeypatch.setenv(name, value)
    typed, shown = io.StringIO(answer), io.StringIO()
    for stream in (typed, shown):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", typed)
    monkeypatch.setattr(sys, "stdout", shown)
    assert main(["sync"]) == 0
    assert "Send them? [y/N]" in shown.getvalue()
    assert len(person.sent()) == texts
    assert ("Nothing was sent." in shown.getvalue()) is (texts == 0)


def test_no_agent_can_agree_to_a_price(person: Person) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    done = person.run("sync", "--yes", MEMORO_AGENT="codex")
    assert done.code == 2
    assert "Only a person can agree to what a model costs" in done.err
    assert person.sent() == []
    assert person.run("space", "drop", "openai", "--yes", MEMORO_AGENT="codex").code == 2


def test_a_dropped_space_is_filled_again_only_after_another_yes(person: Person) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    person.run("sync", "--yes")
    refused = person.run("space", "drop", "openai")
    assert refused.code == 5
    assert "deletes 12 vectors" in refused.err
    done = person.run("space", "drop", "openai", "--yes")
    assert done.out.startswith("Dropped openai/text-embedding-3-small/1536/")
    assert "`memoro sync` asks before." in done.out
    person.run("sync")
    assert len(person.sent()) == 12


def test_dropping_a_space_of_a_free_server_says_that_it_costs_nothing(person: Person) -> None:
    person.run("config", "unset", "embedding.price")
    person.run("config", "set", "embedding.model", "mine")
    said = {}
    for unset in ("provider", "url"):
        person.run("config", "set", "embedding.provider", "compatible")
        assert person.run("sync").code == 0 and "compatible/mine" in person.run("space", "list").out
        person.run("config", "unset", "embedding.provider")
        person.run("config", "unset", f"embedding.{unset}")
        refused = person.run("space", "drop", "compatible").err
        said[unset] = refused + person.run("space", "drop", "compatible", "--yes").out
    assert said["provider"].count("at no cost") == 2 and "asks before" not in said["provider"]
    assert "nobody knows the price; `memoro sync` asks before, unless the server is on this machine." in said["url"]


def test_another_model_behind_the_same_name_is_found_by_doctor(person: Person) -> None:
    person.run("config", "set", "embedding.provider", "openai")
    person.run("sync", "--yes")
    assert "answers as it did for 3 samples" in person.run("doctor").out
    person.server.change_model()
    done = person.run("doctor")
    assert done.code == 1
    assert "✗ provider: the model behind openai/" in done.out
    assert "Run `memoro space drop openai/" in done.out
    found = person.run("search", "tea")
    assert "has changed, as `memoro doctor` found; searched with the built-in model" in found.err
    assert "not searched: the model behind openai/" in person.run("status").out
    rows = person.run("usage", "--json").out
    assert '"doctor"' in rows


class FreeServer(Person):
    """Somebody whose server on this machine was free when its space was filled."""

    def __init__(self, folder: Path, server: Standin) -> None:
        super().__init__(folder, server)
        self.run("config", "unset", "embedding.price")
        self.run("config", "set", "embedding.provider", "openai")
        done = self.run("sync")
        assert "Nothing was sent" not in done.out and len(self.sent()) == 12
        assert self.run("search", "tea").err == "" and len(self.queries()) == 1

    def queries(self) -> list[str]:
        return [text for request in self.server.requests for text in request.texts if text == "tea"]


@pytest.fixture
def free(tmp_path: Path) -> Iterator[FreeServer]:
    with standin("openai") as server:
        yield FreeServer(tmp_path, server)


def test_after_a_price_was_set_nothing_more_is_sent_without_a_yes(free: FreeServer) -> None:
    free.run("config", "set", "embedding.price", "20")
    sent = len(free.server.requests)
    found = free.run("search", "tea")
    assert found.code == 0 and "cost money and wait for your yes: `memoro sync` asks; searched with" in found.err
    status = free.run("status").out
    assert "nothing more: 127.0.0.1" in status and "once you agree to the price (`memoro sync`)" in status
    assert "nothing is sent before you agree to its price" in free.run("doctor").out
    done = free.run("sync")
    assert f"   sends    queries and new passages to {free.server.host}\n" in done.out
    assert "   costs    $20.00 for a million tokens\n" in done.out
    assert "`memoro sync --yes` agrees without being asked." in done.out
    assert any(
        "wait for your yes: $20.00 for a million" in one for one in free.run("sync", "--json").json["degraded"]
    )
    assert len(free.server.requests) == sent


def test_a_yes_to_a_price_that_was_set_afterwards_is_asked_for_once_and_then_queries_are_sent(
    free: FreeServer,
) -> None:
    free.run("config", "set", "embedding.price", "20")
    assert "waits" not in free.run("sync", "--yes").out
    assert "sends" not in free.run("sync").out
    assert free.run("search", "tea").err == "" and len(free.queries()) == 2
    assert "passages and queries to 127.0.0.1" in free.run("status").out
    assert free.run("usage", "--json").json["total"]["dollars"] > 0


def test_a_price_that_is_taken_back_needs_no_yes(free: FreeServer) -> None:
    free.run("config", "set", "embedding.price", "20")
    free.run("config", "set", "embedding.price", "0")
    assert free.run("search", "tea").err == "" and len(free.queries()) == 2


class LocalServer(Person):
    """Somebody with a free server on this machine, which can be started again with another model."""

    def __init__(self, folder: Path, options: Options) -> None:
        super().__init__(folder, Standin("llamacpp", options=options))
        for key in ("key", "price"):
            self.run("config", "unset", f"embedding.{key}")
        self.run("config", "set", "embedding.model", "mine")
        self.run("config", "set", "embedding.provider", "compatible")

    def restart(self, options: Options) -> None:
        port = self.server.port
        self.server.close()
        self.server = Standin("llamacpp", options=options, port=port)

    @property
    def wanted(self) -> str:
        found = self.run("status", "--json").json["embedding"]
        return str(found["space"])


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalServer]:
    made = LocalServer(tmp_path, Options(dimensions=384))
    try:
        yield made
    finally:
        made.server.close()


def test_a_server_that_changes_its_width_is_measured_anew_once_its_space_is_dropped(local: LocalServer) -> None:
    assert "sent to 127.0.0.1" in local.run("sync").out
    assert local.run("search", "tea").err == ""
    space = local.wanted
    assert "/384/" in space
    local.restart(Options(dimensions=512))
    advice = f"run `memoro space drop {space}`, then `memoro sync`"

    found = local.run("search", "tea")
    assert "answered with vectors of 512 numbers, where the model had 384" in found.err
    assert "Another model answers under this name now" in found.err and advice in found.err
    assert advice in local.run("sync").out, "nothing was to be embedded, yet the model cannot be searched with"
    done = local.run("doctor")
    assert done.code == 1 and "✗ provider: 127.0.0.1" in done.out
    assert advice in " ".join(done.out.split()) and "by itself" not in done.out
    for command in (("status",), ("space", "list"), ("sync",)):
        assert advice in " ".join(local.run(*command).out.split()), command

    assert local.run("space", "drop", space, "--yes").code == 0
    done = local.run("sync")
    assert "sent to 127.0.0.1" in done.out and "vectors:" not in done.out
    assert "/512/" in local.wanted
    assert local.run("search", "tea").err == ""
    assert "✓ provider: compatible/mine/512/" in local.run("doctor").out


def test_a_space_that_a_changed_server_keeps_incomplete_is_no_tick(local: LocalServer, tmp_path: Path) -> None:
    local.run("sync")
    space = local.wanted
    local.restart(Options(dimensions=512))
    write_vault(tmp_path / "vault", {"new.md": "# New\nA kayak.\n"})
    assert "where the model had 384" in local.run("sync").out
    for command in (("doctor",), ("status",)):
        said = " ".join(local.run(*command).out.split())
        assert f"run `memoro space drop {space}`" in said, command
        assert "`memoro sync` completes it" not in said, command
    assert f"memoro space drop {space}" in local.run("search", "kayak").err
    local.run("space", "drop", space, "--yes")
    assert "vectors:" not in local.run("sync").out
    assert local.run("search", "kayak").err == ""


def test_the_former_model_is_searched_again_once_doctor_has_compared_it(local: LocalServer) -> None:
    local.run("sync")
    local.restart(Options(dimensions=512))
    assert local.run("doctor").code == 1
    local.restart(Options(dimensions=384))
    assert "it is searched again" in local.run("doctor").out
    assert local.run("search", "tea").err == ""


def test_a_model_with_one_vector_for_all_texts_is_never_searched(local: LocalServer) -> None:
    local.restart(Options(is_constant=True))
    why = "gives different texts the same vector, so that it finds nothing"
    assert why in local.run("sync").out
    space = local.wanted
    for command in (("sync",), ("status",), ("space", "list"), ("doctor",)):
        assert why in " ".join(local.run(*command).out.split()), command
    assert local.run("doctor").code == 1
    found = local.run("search", "bicycles in town")
    assert found.code == 0 and why in found.err and "searched with the built-in model" in found.err
    assert "searched  builtin/" in local.run("space", "list").out
    assert "`memoro sync` completes it" not in " ".join(local.run("status").out.split())

    local.restart(Options(dimensions=int(space.split("/")[2])))
    advice = f"run `memoro space drop {space}` and `memoro sync`"
    assert advice in " ".join(local.run("sync").out.split()), "filled by a sound server, it is not searched either"
    assert advice in " ".join(local.run("status").out.split())
    local.restart(Options(dimensions=384))
    local.run("space", "drop", space, "--yes")
    assert "vectors:" not in local.run("sync").out
    assert local.run("search", "bicycles in town").err == ""
    assert "✓ provider: compatible/mine/384/" in local.run("doctor").out


def test_doctor_finds_a_model_with_one_vector_for_all_texts_that_was_filled_note_by_note(
    local: LocalServer, tmp_path: Path
) -> None:
    local.restart(Options(is_constant=True))
    for note in NOTES:
        (tmp_path / "vault" / note).unlink()
    write_vault(tmp_path / "vault", {"a.md": "green tea"})
    assert "vectors:" not in local.run("sync", "--accept-deletions").out
    for name, text in {"b.md": "a bicycle", "c.md": "the train to Berlin"}.items():
        write_vault(tmp_path / "vault", {name: text})
        assert "vectors:" not in local.run("sync").out
    done = local.run("doctor")
    assert done.code == 1 and "gives different texts the same vector" in " ".join(done.out.split())
    assert "searched  builtin/" in local.run("space", "list").out


def test_notes_that_are_alike_are_no_fault_of_a_model() -> None:
    row = HashEmbedder(16).embed(["tea"], "document")
    assert are_all_the_same(numpy.concatenate([row, row, 0 * row]))
    assert not are_all_the_same(numpy.concatenate([row, 0 * row]))
    assert tells_texts_apart(HashEmbedder(16))
