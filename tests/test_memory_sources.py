"""The memory that agents keep themselves is searched, carries its project, and is never changed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hosts
from memoro.config import edit
from memoro.errors import NoteNotFound
from memoro.hooks.answers import context
from memoro.hooks.events import PromptSubmitted
from memoro.model.vocabulary import MEMORY_AGENTS
from memoro.vault.memory_sources import has_files, loaded_paths, memory_folder
from memoro.vault.patterns import NoteFolder
from memoro.workspace import Workspace
from tests.conftest import fingerprint, write_vault

CLAUDE = {
    "CLAUDE.md": "# Mine\n\nAnswer in British English, always.\n",
    "settings.json": "{}",
    "notes.md": "Nobody chose this file: heron.\n",
    "projects/-pier/memory/MEMORY.md": "- [deploy](deploy.md): how the pier board is deployed\n",
    "projects/-pier/memory/deploy.md": "---\nname: deploy\n---\n\nThe pier board is deployed with `just ship`.\n",
    "projects/-pier/memory/deep/er.md": "The pier board has a heron on its roof.\n",
    "projects/-shop/memory/deploy.md": "The shop is deployed with kubectl on Fridays.\n",
    "projects/-gone/memory/deploy.md": "The archive is deployed by hand on Sundays.\n",
}
CODEX = {
    "memories/MEMORY.md": "# Task groups\n\nThe heron cluster and the shop share one registry.\n",
    "memories/raw_memories.md": "heron heron heron\n",
    "memories/rollout_summaries/one.md": "thread_id: 1\ncwd: {src}/pier\n\nThe pier board logs to journald.\n",
}


class Person:
    """Somebody with two projects and two agents that remember by themselves."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.pier, self.shop = folder / "src" / "pier", folder / "src" / "shop"
        for one in (self.pier, self.shop):
            one.mkdir(parents=True)
        write_vault(folder / "vault", {"tea.md": "Green tea from Uji is brewed at seventy degrees.\n"})
        write_vault(folder / ".claude", CLAUDE)
        codex = {name: text.replace("{src}", str(folder / "src")) for name, text in CODEX.items()}
        write_vault(folder / ".codex", codex)
        for name, project in (("-pier", self.pier), ("-shop", self.shop)):
            record = {"type": "user", "uuid": name, "cwd": str(project), "message": {"role": "user", "content": "hi"}}
            (folder / ".claude" / "projects" / name / "s.jsonl").write_text(json.dumps(record) + "\n")
        self.home.mkdir()
        edit.write(str(self.home / "memoro.toml"), "vault.memories", list(MEMORY_AGENTS))

    def open(self) -> Workspace:
        return memoro.open(str(self.home), str(self.folder / "vault"))

    def asks(self, m: Workspace, text: str, project: Path, agent: str = "claude") -> str:
        log = str(self.folder / ".claude" / "projects" / f"-{project.name}" / "now.jsonl")
        event = PromptSubmitted("UserPromptSubmit", f"{agent} {text}", text, log=log, folder=str(project))
        return context(event, m, agent)


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Person(tmp_path)


@pytest.fixture
def m(person: Person) -> Iterator[Workspace]:
    with person.open() as opened:
        opened.sync()
        yield opened


def paths(m: Workspace, query: str) -> set[str]:
    return {hit.path for hit in m.search(query, mode="words", limit=20).results}


def test_the_agents_that_settings_may_name_are_those_that_keep_a_memory() -> None:
    keeping = [entry.agent for entry in hosts.TABLE if entry.agent and hosts.of_agent(entry.agent).memory]
    assert tuple(keeping) == MEMORY_AGENTS


def test_a_search_finds_the_memory_files_and_no_others(m: Workspace) -> None:
    assert paths(m, "deployed") == {
        "@claude-memory/projects/-pier/memory/MEMORY.md",
        "@claude-memory/projects/-pier/memory/deploy.md",
        "@claude-memory/projects/-shop/memory/deploy.md",
        "@claude-memory/projects/-gone/memory/deploy.md",
    }
    assert paths(m, "British English") == {"@claude-memory/CLAUDE.md"}
    assert paths(m, "heron") == {"@codex-memory/MEMORY.md"}
    assert paths(m, "journald") == {"@codex-memory/rollout_summaries/one.md"}
    assert "just ship" in m.get("@claude-memory/projects/-pier/memory/deploy.md").text


@pytest.mark.parametrize(
    "path", ["notes.md", "settings.json", "projects/-pier/s.jsonl", "../.codex/memories/MEMORY.md"]
)
def test_nothing_beside_the_memory_can_be_read(m: Workspace, path: str) -> None:
    with pytest.raises(NoteNotFound):
        m.get(f"@claude-memory/{path}")


def test_nothing_of_it_is_ever_changed(person: Person, m: Workspace) -> None:
    before = fingerprint(person.folder / ".claude"), fingerprint(person.folder / ".codex")
    paths(m, "deployed")
    with pytest.raises(NoteNotFound, match="only reads"):
        m.notes.edit("@claude-memory/CLAUDE.md", "mine now")
    assert (fingerprint(person.folder / ".claude"), fingerprint(person.folder / ".codex")) == before


def test_it_is_given_in_its_own_project_alone(person: Person, m: Workspace) -> None:
    asked = "How is the pier board deployed?"
    assert "just ship" in person.asks(m, asked, person.pier)
    assert "journald" in person.asks(m, "Where does the pier board log to?", person.pier)
    for project, wrong in ((person.shop, "just ship"), (person.pier, "kubectl"), (person.shop, "by hand")):
        assert wrong not in person.asks(m, f"How is it deployed, the board, the shop, the archive? {wrong}", project)


def test_what_is_about_several_projects_is_given_to_those_who_ask_and_not_unasked(
    person: Person, m: Workspace
) -> None:
    asked = "Which registry do the heron cluster and the shop share?"
    assert "one registry" not in person.asks(m, asked, person.pier)
    assert "@codex-memory/MEMORY.md" in paths(m, "heron cluster registry")


def test_a_host_is_not_given_what_it_loads_by_itself(person: Person, m: Workspace) -> None:
    asked = "Which English do I answer in, British?"
    assert "British English, always" not in person.asks(m, asked, person.pier)
    assert "British English, always" in person.asks(m, asked, person.pier, agent="codex")
    log = "/x/projects/-pier/s.jsonl"
    assert "@claude-memory/projects/-pier/memory/MEMORY.md" in loaded_paths("claude", log)
    assert loaded_paths("gemini", log) == ()


def test_an_agent_that_remembers_nothing_yet_is_no_problem(person: Person) -> None:
    os.rename(person.folder / ".codex", person.folder / "gone")
    with person.open() as m:
        assert m.sync().problems == ()
    assert not has_files(memory_folder("codex", {"HOME": str(person.folder)}))
    assert has_files(memory_folder("claude", {"HOME": str(person.folder)}))


def test_memories_taken_out_of_the_settings_are_found_no_more_however_many_they_are(
    person: Person, m: Workspace
) -> None:
    many = {f"projects/-pier/memory/{number}.md": f"Fact {number} is deployed.\n" for number in range(40)}
    write_vault(person.folder / ".claude", many)
    assert paths(m, "deployed")
    edit.write(str(person.home / "memoro.toml"), "vault.memories", [])
    with person.open() as again:
        again.sync()
        assert paths(again, "deployed") == set()


parts = st.lists(st.sampled_from(["projects", "a", "memory", "x.md", "CLAUDE.md"]), min_size=1, max_size=5)


@given(parts)
def test_every_folder_above_an_admitted_file_is_entered(path: list[str]) -> None:
    folder = NoteFolder("/", "m", ("CLAUDE.md", "projects/*/memory/*.md"))
    above = ["/".join(path[:end]) for end in range(1, len(path))]
    assert not folder.admits("/".join(path)) or all(map(folder.enters, above))
