"""Projects and agents as hosts set them up: real servers and real hooks, two at a time, on one home."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import memoro
from tests.conftest import write_vault
from tests.test_mcp import environment
from tests.test_mcp_processes import Server, command, serving
from tests.test_projects import repository, worktree

NOTES = {
    "MEMORY.md": "# Memory\n\n- The owner drinks tea\n",
    "api.md": "---\nproject: api\n---\nThe heron cluster of the api moved to Rotterdam.",
    "web.md": "---\nproject: web\n---\nThe heron page of the web moved to Antwerp.",
}


@pytest.fixture
def notes(vault: Path) -> Path:
    write_vault(vault, NOTES)
    return vault


def texts(answer: Any) -> str:
    return "\n".join(one["text"] for one in answer["content"])


def everything(server: Server, words: str) -> str:
    """All that a model gets to read about some words, by every tool that reads."""
    told = [server.call("search", query=words), server.call("recall", message=words)]
    told += [server.call(name, query=words) for name in ("memory_query", "experience_find", "narrative_search")]
    return "\n".join(map(texts, told))


def keep(server: Server, words: str) -> None:
    server.call("memory_store", content=f"memory {words}")
    server.call("experience_record", intent=f"experience {words}", solution="steps")
    server.call("narrative_update", summary=f"narrative {words}")


def test_servers_of_two_projects_see_nothing_of_each_other(home: Path, notes: Path) -> None:
    line = command(home, notes, "--profile", "full")
    env = environment()
    with (
        serving(line, env={**env, "MEMORO_PROJECT": "api"}) as api,
        serving([*line, "--project", "web"]) as web,
    ):
        keep(api, "of the heron in api")
        keep(web, "of the heron in web")
        for server, own, other in ((api, "api", "web"), (web, "web", "api")):
            seen = everything(server, "heron")
            assert f"memory of the heron in {own}" in seen and f"heron in {other}" not in seen
            assert NOTES[f"{own}.md"][-30:] in seen and NOTES[f"{other}.md"][-30:] not in seen
        refused = web.call("get", id="api.md")
        assert refused["isError"] and 'scope="all"' in texts(refused)
        assert web.call("get", id="memory:1")["isError"] and web.call("memory_update", id=1, content="x")["isError"]
        assert "Rotterdam" in texts(web.call("get", id="api.md", scope="all"))
        wide = texts(web.call("search", query="heron", limit=20, scope="all"))
        assert "Rotterdam" in wide and "project api" in wide
        assert "project api" in texts(web.call("memory_query", query="heron", scope="all"))
        assert '"project":"api"' in texts(web.call("recall", message="heron in api", scope="all"))


def test_servers_of_two_agents_see_nothing_of_each_other(home: Path, notes: Path) -> None:
    line = command(home, notes, "--profile", "full")
    with (
        serving([*line, "--agent", "alice"]) as alice,
        serving(line, env={**environment(), "MEMORO_AGENT": "bob"}) as bob,
    ):
        keep(alice, "of the heron by alice")
        assert "by alice" in everything(alice, "heron") and "by alice" not in everything(bob, "heron")
        widened = texts(bob.call("memory_query", query="heron", scope="all"))
        assert "by alice" in widened and "agent alice" in widened


def test_a_server_is_bound_to_the_repository_in_which_its_host_runs(home: Path, notes: Path, tmp_path: Path) -> None:
    first = repository(tmp_path / "src" / "api", "git@github.com:acme/api.git")
    copy = worktree(first, tmp_path / "src" / "api-fix")
    other = repository(tmp_path / "src" / "zeta" / "api", "git@github.com:zeta/api.git")
    line = command(home, notes)
    with serving(line, cwd=first) as a, serving(line, cwd=copy) as b, serving(line, cwd=other) as c:
        a.call("memory_store", content="The heron nests in acme")
        assert "nests in acme" in texts(b.call("memory_query", query="heron"))
        assert "nests in acme" not in texts(c.call("memory_query", query="heron"))
    with memoro.open(home, notes) as m:
        assert [one.project for one in m.memories.all()] == ["github.com/acme/api"]


def test_a_client_that_calls_itself_by_an_agents_name_gets_none_of_its_rights(home: Path, notes: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text('[agents.gardener]\nagent_writes = "direct"\n')
    before = (notes / "MEMORY.md").read_text()
    with serving(command(home, notes), client="Gardener") as server:
        assert "accept" in texts(server.call("remember", text="Water the ferns"))
    assert (notes / "MEMORY.md").read_text() == before
    with serving(command(home, notes, "--agent", "gardener"), client="somebody") as server:
        assert "Written" in texts(server.call("remember", text="Water the ferns twice"))
    assert "ferns twice" in (notes / "MEMORY.md").read_text()
    per_agent = [sys.executable, "-m", "memoro", "--home", f"{home}-{{agent}}", "mcp"]
    with serving(per_agent, client="gardener") as server:  # nor does it choose a home
        assert "say which in MEMORO_AGENT" in texts(server.call("memory_query", query="x"))


class Repository:
    """A repository in which a host runs, with its hooks and its logs."""

    def __init__(self, me: Path, notes: Path, name: str) -> None:
        self.folder = repository(me / "src" / name, f"git@github.com:acme/{name}.git")
        self._me, self._name = me, name
        (me / ".claude" / "projects").mkdir(parents=True, exist_ok=True)
        self._environment = {
            **{key: value for key, value in environment().items() if not key.startswith(("CODEX", "GEMINI"))},
            **{"HOME": str(me), "MEMORO_VAULT": str(notes), "MEMORO_HOOK_SECONDS": "40"},
        }

    def hook(self, event: str, session: str, *options: str, **more: Any) -> str:
        told = {"session_id": session, "cwd": str(self.folder), "hook_event_name": event, **more}
        told.setdefault("transcript_path", str(self.log(session)))
        done = subprocess.run(
            [sys.executable, "-m", "memoro", "hook", "claude", *options],
            input=json.dumps(told).encode(), capture_output=True, env=self._environment, cwd=self.folder, check=True,
        )  # fmt: skip
        assert not done.stderr, done.stderr
        out = done.stdout.decode().strip()
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    def log(self, session: str) -> Path:
        return self._me / ".claude" / "projects" / f"-{self._name}" / f"{session}.jsonl"

    def talk(self, session: str, said: str) -> None:
        """A conversation of three prompts, and its end."""
        file = self.log(session)
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, (who, text) in enumerate([("user", said), ("assistant", f"Done: {said}")] * 3):
            message = {"role": who, "content": f"{text} ({number})"}
            record = {"type": who, "uuid": f"{session}{number}", "sessionId": session, "cwd": str(self.folder)}
            lines.append(json.dumps({**record, "timestamp": "2026-11-01T10:00:00.000Z", "message": message}))
        file.write_text("\n".join(lines) + "\n")
        self.hook("SessionEnd", session)

    def types(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "memoro", *arguments],
            capture_output=True, text=True, env=self._environment, cwd=self.folder, check=True,
        )  # fmt: skip
        return done.stdout


def test_a_hook_is_given_nothing_of_another_project(tmp_path: Path, notes: Path) -> None:
    me = tmp_path / "me"
    me.mkdir()
    api, web = Repository(me, notes, "api"), Repository(me, notes, "web")
    api.types("transcripts", "add", "claude")
    api.talk("a1", "The heron cluster of the api gets larger disks in Rotterdam")
    web.talk("w1", "The heron page of the web gets larger fonts in Antwerp")
    web.types("sync")
    started = api.hook("SessionStart", "a2", source="startup")
    assert "owner drinks tea" in started
    given = api.hook("UserPromptSubmit", "a2", prompt="what is larger about the heron in Rotterdam and Antwerp?")
    assert "larger disks" in given and "Rotterdam" in given
    assert "larger fonts" not in started + given and "moved to Antwerp" not in started + given
    shown = api.types("session", "show", "a2")
    assert "github.com/acme/api" in shown
    assert "project   api  (github.com/acme/api, by its git remote)" in api.types("status")
    episodes = "".join(file.read_text() for file in (notes / "sessions").iterdir())
    assert "\nagent: claude-code\nproject: github.com/acme/api\n" in episodes
    daily = "".join(file.read_text() for file in (notes / "daily").iterdir())
    assert "#project/acme/api" in daily and "#project/acme/web" in daily


def test_a_session_stays_with_the_project_in_which_it_began(tmp_path: Path, notes: Path) -> None:
    me = tmp_path / "me"
    me.mkdir()
    api, web = Repository(me, notes, "api"), Repository(me, notes, "web")
    api.hook("SessionStart", "s", source="startup")
    elsewhere = api.hook("UserPromptSubmit", "s", prompt="the heron moved where?", cwd=str(web.folder))
    assert "Rotterdam" in elsewhere and "Antwerp" not in elsewhere
    named = web.hook("UserPromptSubmit", "t", "--project", "api", prompt="the heron moved where?")
    assert "Rotterdam" in named and "Antwerp" not in named
