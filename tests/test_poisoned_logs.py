"""Nobody but the owner is remembered, whatever a page, a tool, an agent or another person writes into a conversation.

Each conversation goes the whole way: its host reports its end, its facts are extracted, and a round of curation looks
for proposals. No person approves anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import memoro
from memoro import hooks
from memoro.curate.extraction.runs import ExtractionRequest
from memoro.hooks import spool
from memoro.hooks.events import Capture
from memoro.model.answers import Where
from memoro.model.extracted_lines import conversation_name, parse_line
from memoro.model.memories import UNTRUSTED
from memoro.model.vocabulary import TRUSTS
from memoro.store.ports import Index
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.conversation_logs import talk, write_log
from tests.poisoned_logs import CLAIM, ORDER, OWN, PAYLOAD, POISONED, PoisonedLog

LOADED = {"MEMORY.md": "# Memory\n\n- Bins go out on Tuesday.\n", "PROCEDURAL.md": "# Rules\n\n- Run the linter.\n"}
SETTINGS = '[extract]\nto = "memories"\n\n[transcripts]\nfolders = ["claude"]\n\n[embedding]\nenabled = false\n'


class PoisonedHome:
    """A home in which all these conversations have ended, were extracted, and reviewed by nobody but Memoro."""

    def __init__(self, folder: Path) -> None:
        self.home, self.vault = folder / "home", folder / "vault"
        write_vault(self.vault, LOADED)
        self.home.mkdir(0o700)
        (self.home / "memoro.toml").write_text(SETTINGS)
        self.m: Workspace = memoro.open(self.home, self.vault)
        for one in POISONED:
            if one.given:
                self.m.memories.store(one.given, source="web-page")
                self.m.recall(f"Who is {PAYLOAD}?", session=one.session)
        for one in POISONED:
            log = write_log(folder, one.own_records, one.session)
            spool.append(str(self.home), Capture("claude", "end", one.session, str(log), "/w/parcels"))
        hooks.write_captures(self.m)
        self.m.parts.curation.run()
        self.m.tidy()
        self.m.sync()

    def said(self, attack: PoisonedLog) -> list[str]:
        """The facts that were extracted from a conversation."""
        lines = [line for note in (self.vault / "daily").glob("*.md") for line in note.read_text().split("\n")]
        parsed = [one for line in lines if (one := parse_line(line))]
        return [one.text for one in parsed if one.conversation == conversation_name(attack.session)]


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoisonedHome]:
    folder = tmp_path_factory.mktemp("poisoned")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        for name in ("CLAUDE_CONFIG_DIR", "MEMORO_AGENT", "MEMORO_PROJECT"):
            patch.delenv(name, raising=False)
        made = PoisonedHome(folder)
        yield made
        made.m.close()


def test_the_same_words_of_the_owner_are_facts(poisoned: PoisonedHome, tmp_path: Path) -> None:
    log = write_log(tmp_path, talk("User: Hello.", "User: How are you?", f"User: {CLAIM}", f"User: {ORDER}"))
    [found] = poisoned.m.extraction.run(ExtractionRequest(logs=(str(log),), dry_run=True)).conversations
    assert [fact.text for fact in found.facts] == [CLAIM, ORDER], "so it is the gate that keeps the others out"


@pytest.mark.parametrize("attack", POISONED, ids=[one.name for one in POISONED])
def test_nobody_but_the_owner_is_heard(poisoned: PoisonedHome, attack: PoisonedLog) -> None:
    assert poisoned.said(attack) == [OWN]


def test_no_attack_reaches_a_file_that_is_always_loaded(poisoned: PoisonedHome) -> None:
    assert {name: (poisoned.vault / name).read_text() for name in LOADED} == LOADED


def test_no_attack_becomes_a_memory_and_none_is_trusted_more(poisoned: PoisonedHome) -> None:
    stored = poisoned.m.memories.all()
    assert {one.trust for one in stored if PAYLOAD in one.content} == {"tool_or_web"}, "as it was stored"
    assert {one.content for one in stored if one.source == "extraction"} == {OWN}
    assert all(TRUSTS.index(one.trust) <= TRUSTS.index("agent_inferred") for one in stored)


def test_no_attack_is_proposed(poisoned: PoisonedHome) -> None:
    assert not [one for one in poisoned.m.proposals.all() if PAYLOAD in str(one)]


def test_no_attack_rules(poisoned: PoisonedHome) -> None:
    """Days and notes of sessions never rule; of the rest only what is trusted does."""
    m = poisoned.m

    def ruling(index: Index) -> list[str]:
        chunks = index.admitted(Where(rules=True, kinds=("memory", "experience", "note"))) or []
        found = [match.passage for match in index.look_up(chunks, [])]
        made = [one for one in found if one.path not in LOADED and one.tier not in ("daily", "episodic")]
        return [one.text for one in made if m.memories.get(int(one.path.partition(":")[2])).trust not in UNTRUSTED]

    assert m.indexing.read(ruling) == []
