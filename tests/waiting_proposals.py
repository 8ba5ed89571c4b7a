"""A home in which proposals of every kind wait, for tests that accept and undo them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import memoro
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.workspace import Workspace

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
POTS = "Teapots that leak: the brown one.\n"
PLAN = "# Plan\n\nBuy a kettle.\n"
FEEDBACK = """# Corrections

- 2026-03-01 10:00 [wrong] Warm the pot first. ^w1
  - question: How do I make tea?
- 2026-03-02 10:00 [wrong] Again: warm the pot. ^w2
  - question: Tea, please.
"""
NOTES = {
    "MEMORY.md": "# Memory\n\n" + "".join(f"- Fact number {n} ^f{n}\n" for n in range(24)),
    "PROCEDURAL.md": "# Procedural\n\n- Rinse the cups ^rinse\n",
    "agent/pots.md": POTS,
    "plan.md": PLAN,
    "feedback/corrections.md": FEEDBACK,
}
CHANGES: dict[str, ProposedChange] = {
    "remember": RememberEntry(text="Tea is at four", tier="semantic", section=None, path="MEMORY.md"),
    "edit": EditEntry(id="f1", text="Fact one", path="MEMORY.md", was="Fact number 1"),
    "remove": RemoveEntry(id="f2", path="MEMORY.md", was="Fact number 2"),
    "retire an entry": RetireEntry(id="f3", path="MEMORY.md", text="Fact number 3"),
    "retire its neighbour": RetireEntry(id="f4", path="MEMORY.md", text="Fact number 4"),
    "move an entry": MoveEntry(id="f5", path="MEMORY.md", tier="pinned", text="Fact number 5"),
    "daily": AddDailyLine(text="tea at four", at="2026-03-04T16:00:00.000Z"),
    "put back": PutBackLines(path="plan.md", lines=("- and a cup ^cup",), changes=()),
    "write a note": WriteNote("ideas.md", "A larger pot.\n"),
    "retire a note": RetireNote("agent/pots.md", hashlib.sha256(POTS.encode()).hexdigest()),
    "add a rule": AddRule("Always warm the pot", "PROCEDURAL.md", None, ("w1", "w2")),
    "store a memory": StoreMemory("The samovar is Ana's.", tags=("tea",)),
    "store in place of another": StoreMemory("Tea is at four.", supersedes=1, was="Tea is at five."),
    "supersede": SupersedeMemory(old=2, new=3, was="The kettle boils at 96 degrees."),
    "change a memory": ChangeMemory(number=3, tags=("kettle",), was="The kettle boils at 97 degrees."),
    "remove a memory": RemoveMemory(number=4),
    "retire a memory": RetireMemory(number=5),
    "promote a memory": PromoteMemory(
        number=6, text="Cups are from Delft", tier="semantic", section="Project context", path="MEMORY.md"
    ),
    "retire an experience": RetireExperience(number=1),
}


def fill(m: Workspace) -> None:
    """Store what the proposals are about."""
    for content in (
        "Tea is at five.",
        "The kettle boils at 96 degrees.",
        "The kettle boils at 97 degrees.",
        "Milk goes in first.",
        "The scones are from Tuesday.",
        "Cups are from Delft",
    ):
        m.memories.store(content, source="user", trust="user_confirmed")
    m.experiences.record("task_solution", "descale the kettle", "vinegar")


def propose_all(m: Workspace) -> list[int]:
    return [m.proposals.propose(Suggestion(change, origin="review")).proposal.id for change in CHANGES.values()]


def write_notes(vault: Path) -> None:
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)


def make_home(home: Path, vault: Path) -> None:
    write_notes(vault)
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
    with opened(home, vault) as m:
        fill(m)
        propose_all(m)


def opened(home: Path, vault: Path) -> Workspace:
    return memoro.open(home, vault, clock=lambda: NOON)


def notes_in(vault: Path) -> dict[str, bytes]:
    return {str(path.relative_to(vault)): path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file()}


def rows(m: Workspace) -> dict[str, object]:
    """What the ledger holds beside its journal; the times of uses are left out."""
    with m.ledger.access.ledger.reading() as tx, m.ledger.access.archive.reading() as archive:
        return {
            "memories": [one._replace(hit_at=None) for one in tx.memories.all()],
            "archived": [one._replace(hit_at=None) for one in archive.memories.all()],
            "experiences": list(tx.experiences.all()),
        }
