"""What a person is shown of proposals of every kind, and what accepting each does, is what was kept.

In homes where what they are about is as it was, was changed, or is gone. After a change that is meant, look at what
moved, then keep the new answers: `python -m tests.test_kept_reviews`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoroError
from memoro.model.proposals import (
    AddRule,
    ChangeMemory,
    EditEntry,
    Evidence,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
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
from memoro.model.vocabulary import ProposalOrigin
from memoro.workspace import Workspace
from tests.kept import check_kept, read_kept, write_kept
from tests.test_kept_sessions import in_utc, without
from tests.waiting_proposals import CHANGES, NOON, fill, write_notes

KEPT = Path(__file__).parent / "data" / "kept_reviews.json"
MORE: dict[str, ProposedChange] = {
    "edit by no words": EditEntry(id="f6", text="Fact six", path="MEMORY.md"),
    "edit what was said otherwise": EditEntry(id="f7", text="Fact seven", path="MEMORY.md", was="Fact number 8"),
    "remove by no words": RemoveEntry(id="f8", path="MEMORY.md"),
    "write over a note": WriteNote("plan.md", "# Plan\n\nBuy two kettles.\n", expected="0" * 64),
    "write a note that is there": WriteNote("plan.md", "# Plan\n"),
    "write a note that is gone": WriteNote("gone.md", "# Gone\n", expected="0" * 64),
    "retire a note that is gone": RetireNote("agent/gone.md", "0" * 64),
    "change the words of a memory": ChangeMemory(number=4, content="Milk goes in last.", was="Milk goes in first."),
    "end a memory": ChangeMemory(number=4, valid_to="2026-03-04", valid_from="2026-01-01"),
    "change another memory": ChangeMemory(number=99, content="x"),
    "store for another": StoreMemory("The scones are from Monday.", supersedes=5, was="The scones are from Friday."),
    "supersede by none": SupersedeMemory(old=4, new=99, was="Milk goes in first."),
    "supersede what is gone": SupersedeMemory(old=99, new=4, was="x"),
    "promote what is gone": PromoteMemory(99, "x", "semantic", None, "MEMORY.md"),
    "remove what is gone": RemoveMemory(99),
    "retire a memory that is gone": RetireMemory(98),
    "retire an experience that is gone": RetireExperience(97),
    "a rule of other feedback": AddRule("Never warm the pot", "PROCEDURAL.md", "Tea", ("w9",)),
    "a rule of no feedback": AddRule("Use cups", "PROCEDURAL.md", "Tea", ()),
    "retire the last one": RetireEntry(id="rinse", path="PROCEDURAL.md", text="Rinse the cups"),
    "move the last one": MoveEntry(id="f9", path="MEMORY.md", tier="procedural", text="Fact number 9"),
    "move what says more": MoveEntry(id="f10", path="MEMORY.md", tier="pinned", text="Fact number 11"),
}


class Reviewed:
    """A home in which these proposals wait, and whose owner has changed something since."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, NOON

    def opened(self) -> Workspace:
        home = self.folder / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        (home / "memoro.toml").write_text("[embedding]\nenabled = false\n")
        return memoro.open(home, self.folder / "vault", clock=self._clock)

    def _clock(self) -> datetime:
        return self.now

    def write(self, name: str, old: str, new: str) -> None:
        file = self.folder / "vault" / name
        file.write_text(file.read_text().replace(old, new))

    def untouched(self, _m: Workspace) -> None:
        pass

    def reworded(self, m: Workspace) -> None:
        self.write("MEMORY.md", "Fact number", "The fact")
        self.write("plan.md", "kettle", "pot")
        self.write("agent/pots.md", "brown", "red")
        self.write("feedback/corrections.md", "Warm the pot first", "Warm the cups first")
        for number in (1, 2, 3, 4):
            m.memories.update(number, f"Something else {number}.", source="user")

    def gone(self, m: Workspace) -> None:
        for name in ("MEMORY.md", "PROCEDURAL.md", "plan.md", "agent/pots.md", "feedback/corrections.md"):
            (self.folder / "vault" / name).unlink()
        for number in (1, 2, 3, 4, 6):
            m.memories.remove(number, source="user")
        m.experiences.remove(1)

    def overtaken(self, m: Workspace) -> None:
        m.memories.supersede(1, 2, source="user")
        m.memories.supersede(6, 5, source="user")
        m.memories.update(3, valid_to="2026-03-10", source="user")
        self.write("feedback/corrections.md", "^w1", "^w7")

    def later(self, _m: Workspace) -> None:
        self.now = NOON + timedelta(days=20)


STATES: dict[str, Callable[[Reviewed, Workspace], None]] = {
    "untouched": Reviewed.untouched,
    "reworded": Reviewed.reworded,
    "gone": Reviewed.gone,
    "overtaken": Reviewed.overtaken,
    "later": Reviewed.later,
}


def reviewed(state: str, folder: Path) -> Iterator[list[Any]]:
    home = Reviewed(folder)
    write_notes(folder / "vault")
    with in_utc(folder), home.opened() as m:
        fill(m)
        names: dict[int, str] = {}
        for place, (name, change) in enumerate({**CHANGES, **MORE}.items()):
            origin: ProposalOrigin = "agent" if place % 3 == 2 else "review"
            quoted = Evidence("Again: warm the pot.", path="feedback/corrections.md", line=5)
            said = (quoted,) if isinstance(change, AddRule) else (Evidence("said", path="@a", line=3),)
            queued = m.proposals.propose(Suggestion(change, evidence=said, origin=origin))
            names[queued.proposal.id] = name
        STATES[state](home, m)
        for shown in m.proposals.previews():
            yield [names[shown.proposal.id], shown.before, shown.after, shown.outdated]
        for place, proposal in enumerate(m.proposals.all()):
            text = (None, None, "In other words ", "\n ", "x" * 3000)[place % 5] if state == "untouched" else None
            try:
                done = m.proposals.accept(proposal.id, text=text)
                yield [names[proposal.id], "accepted", done.id, done.path, done.line, done.text, done.new]
            except MemoroError as error:
                yield [names[proposal.id], type(error).__name__, str(error)]
        for shown in m.proposals.previews(None):
            yield [names[shown.proposal.id], shown.proposal.state, shown.before, shown.after, shown.outdated]
        for one in m.memories.all() if state == "untouched" else ():
            yield [one.id, one.content, one.source, one.trust, one.superseded_by, one.valid_to]


def answers_of(state: str, folder: Path) -> list[Any]:
    return [without(str(folder), one) for one in reviewed(state, folder)]


@pytest.mark.parametrize("state", STATES)
def test_proposals_are_shown_and_carried_out_as_kept(state: str, tmp_path: Path) -> None:
    now, kept = answers_of(state, tmp_path), read_kept(KEPT)[state]
    check_kept([one[:2] for one in kept], now, kept)


def keep() -> None:
    kept: dict[str, list[Any]] = {}
    for state in STATES:
        with tempfile.TemporaryDirectory() as folder:
            kept[state] = answers_of(state, Path(folder))
    write_kept(KEPT, kept)


if __name__ == "__main__":
    keep()
