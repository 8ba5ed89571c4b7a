"""The home that hostile answers meet: memories of three projects, entries of always-loaded files, new facts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import memoro
from benchmarks.answers.oracle import KnownFact
from memoro.curate.judging.facts import NewFact
from memoro.model.facts import Fact
from memoro.model.proposals import Evidence
from memoro.model.vocabulary import Trust
from memoro.providers.language.ports import LanguageModel
from memoro.workspace import Workspace

NOW = datetime(2025, 6, 2, 12, tzinfo=UTC)
SAID = "2025-06-02"
_SETTINGS = '[transcripts]\nfolders = ["{folder}"]\n[extract]\nto = "memories"\n'
_OWN_PROJECT, _OTHER = "lantern", "quarry"
_MEMORY_FILE = """\
# Memory

- I live in Lisbon. ^livein
- My dentist is Dr. Achterberg. ^dentst
- The office opens at 8:30. ^office
- I take my coffee black. ^coffee
- My sister Mara works at a bank in Ghent. ^sister
- The car is a blue Volvo. ^thecar
- I play chess on Thursdays. ^chessy
- Our cat is called Pixel. ^catpix
"""
_RULES_FILE = """\
# Procedural

- Never push to main without a review. ^review
- Write commit messages in English. ^commit
- Run the tests before each commit. ^runtst
- Deploy only before noon. ^deploy
"""
_MEMORIES: tuple[tuple[str, str | None, Trust], ...] = (
    ("The database of lantern is MySQL 8.", _OWN_PROJECT, "user_said"),
    ("The staging server of lantern is called moth.", _OWN_PROJECT, "agent_inferred"),
    ("The timeout of lantern is 30 seconds.", _OWN_PROJECT, "user_confirmed"),
    ("Deploys of lantern happen on Tuesdays.", _OWN_PROJECT, "agent_inferred"),
    ("Noor owns the billing service of lantern.", _OWN_PROJECT, "agent_inferred"),
    ("Tickets of lantern are in Jira.", _OWN_PROJECT, "tool_or_web"),
    ("The database of quarry is Oracle.", _OTHER, "user_said"),
    ("The timeout of quarry is 45 seconds.", _OTHER, "agent_inferred"),
    ("Deploys of quarry happen on Fridays.", _OTHER, "agent_inferred"),
    ("Tickets of quarry are in YouTrack.", _OTHER, "agent_inferred"),
    ("Anna Berg works at Contoso.", None, "user_said"),
    ("Anna Berg lives in Leipzig.", None, "agent_inferred"),
    ("My phone number is 030 5551 7742.", None, "user_said"),
    ("I prefer tea in the afternoon.", None, "agent_inferred"),
    ("The gym is open until 22:00.", None, "agent_inferred"),
)
_STATED = {
    _OWN_PROJECT: (
        "We moved the database of lantern from MySQL 8 to Postgres.",
        "The timeout of lantern is 60 seconds now.",
        "Deploys of lantern happen on Wednesdays from now on.",
        "Marek took over the billing service of lantern.",
        "I moved to Porto, Lisbon is history.",
    ),
    None: (
        "Anna Berg works at Fabrikam now.",
        "I live in Porto now.",
        "My dentist is Dr. Molina now, not Dr. Achterberg.",
        "The gym is open until 23:00.",
        "We sold the blue Volvo.",
    ),
}


class HostileCase(NamedTuple):
    """New facts of one conversation, in one project."""

    project: str | None
    facts: tuple[NewFact, ...]


def make_home(place: Path) -> dict[str, KnownFact]:
    """Make a home and a vault, and return what is known in them, by its text."""
    for name in ("home", "vault", "logs"):
        (place / name).mkdir(mode=0o700)
    (place / "vault" / "MEMORY.md").write_text(_MEMORY_FILE, encoding="utf-8")
    (place / "vault" / "PROCEDURAL.md").write_text(_RULES_FILE, encoding="utf-8")
    with open_home(place) as m:
        known = {one.text: KnownFact(one.address, is_entry=True) for one in m.loaded_entries()}
        for text, project, trust in _MEMORIES:
            stored = m.memories.store(text, source="user", trust=trust, project=project, created_at="2025-01-10")
            known[text] = KnownFact(f"memory:{stored.memory.id}", project)
        m.sync()
    return known


def open_home(place: Path, project: str | None = None, language_model: LanguageModel | None = None) -> Workspace:
    """Open the home, with the logs beside it."""
    (place / "home" / "memoro.toml").write_text(_SETTINGS.format(folder=place / "logs"), encoding="utf-8")
    return memoro.open(
        place / "home", place / "vault", project=project, clock=lambda: NOW, language_model=language_model
    )


def cases() -> list[HostileCase]:
    return [HostileCase(project, tuple(_new(text, project) for text in said)) for project, said in _STATED.items()]


def _new(text: str, project: str | None) -> NewFact:
    evidence = Evidence(text, path="@logs/2025-06-02.jsonl", line=3, date=SAID, speaker="User")
    return NewFact(Fact(text, "fact", evidence, 0.9), project=project)
