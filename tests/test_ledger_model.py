"""The ledger against a dictionary: whatever is done in whatever order, crashes included, they say the same."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import memoro
from memoro import errors
from memoro.errors import LedgerError, MemoryNotFound, MemoryRefused, NotFound, UndoConflict
from memoro.model.memories import Memory, stamp
from memoro.workspace import Workspace
from tests.conftest import times
from tests.test_memories import Clock, brute_force, settings

T = TypeVar("T")
Refused = type[errors.Refused] | type[LedgerError]


class Refusal(Exception):
    """The model's way of saying that the ledger must refuse, and with what."""

    def __init__(self, kind: Refused) -> None:
        self.kind = kind


class Change(NamedTuple):
    """An entry of the model's journal. `before` is None where there was nothing, `after` where nothing is left."""

    operation: str
    item: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    undoes: int | None = None
    undone_by: int | None = None

    def contents(self) -> set[str]:
        return {fields["content"] for fields in (self.before, self.after) if fields and "content" in fields}

    def blank(self) -> Change:
        return self._replace(before=None, after=None)


@dataclass
class Model:
    """What a ledger is, in dictionaries."""

    rows: dict[int, Memory] = field(default_factory=dict)
    archive: dict[int, Memory] = field(default_factory=dict)
    narratives: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    stored: int = 0
    journal: list[Change] = field(default_factory=list)
    told: int = 0

    def get(self, number: int) -> Memory:
        if number not in self.rows:
            raise Refusal(MemoryNotFound)
        return self.rows[number]

    def note(self, change: Change) -> None:
        self.journal.append(change)
        if change.undoes:
            undone = self.journal[change.undoes - 1]
            self.journal[change.undoes - 1] = undone._replace(undone_by=len(self.journal))
            if undone.undoes:
                self.journal[undone.undoes - 1] = self.journal[undone.undoes - 1]._replace(undone_by=None)

    def store(self, text: str, now: str) -> tuple[int, bool]:
        if text in self.forgotten:
            raise Refusal(MemoryRefused)
        for number, one in sorted(self.rows.items()):
            if one.content == text and one.superseded_by is None:
                return number, False
        self.stored = number = self.stored + 1
        self.rows[number] = Memory(number, text, "agent", "agent_inferred", now)
        self.note(Change("store", number, None, {}))
        return number, True

    def change(self, operation: str, number: int, undoes: int | None = None, **fields: Any) -> None:
        old = self.get(number)
        new = old._replace(**fields)
        if new.content != old.content and new.content in self.forgotten:
            raise Refusal(UndoConflict if undoes else MemoryRefused)
        names = [name for name in Memory._fields if getattr(old, name) != getattr(new, name)]
        self.rows[number] = new
        self.note(
            Change(
                operation, number, {n: getattr(old, n) for n in names}, {n: getattr(new, n) for n in names}, undoes
            )
        )

    def supersede(self, old: int, new: int, now: str) -> None:
        if old == new:
            raise Refusal(MemoryRefused)
        self.get(old)
        later: int | None = self.get(new).id
        while later in self.rows:
            if later == old:
                raise Refusal(MemoryRefused)
            later = self.rows[later].superseded_by
        held, begun = self.rows[old], self.rows[new].valid_from
        is_later = begun is not None and (held.valid_from or held.created_at) < begun < now
        end = held.valid_to or (begun if is_later else now)
        self.change("supersede", old, superseded_by=new, superseded_at=now, valid_to=end)

    def update(self, number: int, text: str, now: str) -> None:
        old = self.get(number)
        since = old.valid_from if text == old.content else now
        self.change("update", number, content=text, hit_at=now, valid_from=since)

    def remove(self, number: int) -> None:
        self.note(Change("remove", number, self.get(number)._asdict(), None))
        del self.rows[number]

    def move_out(self, number: int, undoes: int | None = None) -> None:
        self.archive[number] = self.get(number)
        del self.rows[number]
        self.note(Change("undo" if undoes else "archive", number, {"archived": False}, {"archived": True}, undoes))

    def move_back(self, number: int, undoes: int | None = None) -> None:
        if number not in self.archive:
            raise Refusal(MemoryNotFound)
        if self.archive[number].content in self.forgotten:
            raise Refusal(MemoryRefused)
        self.rows[number] = self.archive.pop(number)
        self.note(Change("undo" if undoes else "unarchive", number, {"archived": True}, {"archived": False}, undoes))

    def forget(self, number: int) -> None:
        """It goes with all that it ever said, and with it others that say the same."""
        removed = [c.before for c in self.journal if c.item == number and c.before is not None and c.after is None]
        if number in self.rows or number in self.archive:
            said = self.versions(self.rows.get(number) or self.archive[number])
        elif removed:
            said = self.versions(Memory(**removed[-1]))
        else:
            raise Refusal(MemoryNotFound)
        present = self.archive | self.rows
        gone = {number}
        while twins := {n for n, one in present.items() if one.content in said} - gone:
            gone |= twins  # and what these said once, others may say still
            said |= set().union(*(self.versions(present[n]) for n in twins))
        self.forgotten |= said
        self.rows = {n: one for n, one in self.rows.items() if n not in gone}
        self.archive = {n: one for n, one in self.archive.items() if n not in gone}
        self.journal = [c.blank() if c.item in gone or c.contents() & said else c for c in self.journal]
        for one in sorted(gone):
            self.note(Change("forget", one, None, None))
        self.narratives = {
            n: (text, tuple(one for one in on if one not in gone)) for n, (text, on) in self.narratives.items()
        }

    def versions(self, memory: Memory) -> set[str]:
        told = [change.contents() for change in self.journal if change.item == memory.id]
        return set().union({memory.content}, *told)

    def narrate(self, text: str, on: tuple[int, ...]) -> None:
        for number in on:
            self.get(number)
        if text in self.forgotten:
            raise Refusal(errors.Refused)
        self.told += 1
        self.narratives[self.told] = (text, on)
        self.note(Change("narrative", -self.told, None, {}))

    def last_in_force(self) -> int:
        for number in range(len(self.journal), 0, -1):
            change = self.journal[number - 1]
            if change.operation == "forget":
                raise Refusal(UndoConflict)
            silent = change.before is None and change.after is None
            if change.undone_by is None and change.operation != "undo" and not silent:
                return number
        raise Refusal(NotFound)

    def undo(self, number: int | None) -> None:
        number = number or self.last_in_force()
        if not 0 < number <= len(self.journal):
            raise Refusal(NotFound)
        change = self.journal[number - 1]
        if change.undone_by is not None or (change.before is None and change.after is None):
            raise Refusal(UndoConflict)
        if change.item < 0:
            self.undo_narrative(change, number)
        elif "archived" in (change.before or {}):
            (self.move_back if (change.after or {})["archived"] else self.move_out)(change.item, number)
        elif change.before is None:
            if change.item not in self.rows:
                raise Refusal(UndoConflict)
            self.note(Change("undo", change.item, self.rows.pop(change.item)._asdict(), None, number))
        elif change.after is None:
            if change.item in self.rows or change.before["content"] in self.forgotten:
                raise Refusal(UndoConflict)
            self.rows[change.item] = Memory(**change.before)
            self.note(Change("undo", change.item, None, {}, number))
        else:
            self.change("undo", change.item, undoes=number, **self.fields_before(change))

    def fields_before(self, change: Change) -> dict[str, Any]:
        now, fields = self.get(change.item), {}
        for name, old in (change.before or {}).items():
            new = (change.after or {})[name]
            if name == "feedback":
                fields[name] = now.feedback + old - new
            elif getattr(now, name) == new:
                fields[name] = old
            elif name != "hit_at":
                raise Refusal(UndoConflict)
        return fields

    def undo_narrative(self, change: Change, number: int) -> None:
        if change.before is None:
            text, on = self.narratives.pop(-change.item)
            self.note(Change("undo", change.item, {"text": text, "on": on}, None, number))
        else:
            self.narratives[-change.item] = (change.before["text"], change.before["on"])
            self.note(Change("undo", change.item, None, {}, number))


choices = st.integers(0, 9)  # 0: one that there is not
texts = st.lists(st.sampled_from(["tea", "cup", "pot", "jug"]), min_size=1, max_size=2).map(" ".join)


class LedgerAndModel(RuleBasedStateMachine):
    folder: Path
    m: Workspace

    @initialize()
    def begin(self) -> None:
        self.model = Model()
        self.clock = Clock()
        self.folder = Path(tempfile.mkdtemp())
        self.copies = 0
        self.left: list[Workspace] = []
        self.home = settings(self.folder / "home")
        self.m = memoro.open(self.home, clock=self.clock)
        for text in ("tea", "cup", "pot", "tea pot"):
            self.store(text)

    def teardown(self) -> None:
        if hasattr(self, "m"):
            for one in (self.m, *self.left):
                one.close()
            shutil.rmtree(self.folder)

    @property
    def now(self) -> str:
        return stamp(self.clock.now)

    def both(self, real: Callable[[], T], modelled: Callable[[], object]) -> T | None:
        """Do it in both; where the model refuses, the ledger must too, in the same way."""
        self.clock.now += timedelta(hours=1)
        try:
            modelled()
        except Refusal as refusal:
            with pytest.raises(refusal.kind) as refused:
                real()
            assert type(refused.value) is refusal.kind
            return None
        return real()

    def pick(self, choice: int, among: Iterable[int] = ()) -> int:
        known = sorted(among) or sorted(self.model.rows) or [1]
        return known[choice % len(known)] if choice else 99

    @rule(text=texts)
    def store(self, text: str) -> None:
        expected: list[tuple[int, bool]] = []
        done = self.both(
            lambda: self.m.memories.store(text), lambda: expected.append(self.model.store(text, self.now))
        )
        assert done is None or (done.memory.id, done.new) == expected[0]

    @rule(choice=choices, text=texts)
    def update(self, choice: int, text: str) -> None:
        number = self.pick(choice)
        self.both(
            lambda: self.m.memories.update(number, text),
            lambda: self.model.update(number, text, self.now),
        )

    @rule(choice=choices)
    def reinforce(self, choice: int) -> None:
        number = self.pick(choice)

        def modelled() -> None:
            feedback = self.model.get(number).feedback + 3
            self.model.change("reinforce", number, feedback=feedback, hit_at=self.now)

        self.both(lambda: self.m.memories.reinforce(number), modelled)

    @rule(choice=choices)
    def demote(self, choice: int) -> None:
        number = self.pick(choice)

        def modelled() -> None:
            self.model.change("demote", number, feedback=self.model.get(number).feedback - 1)

        self.both(lambda: self.m.memories.demote(number), modelled)

    @rule(old=choices, new=choices)
    def supersede(self, old: int, new: int) -> None:
        old, new = self.pick(old), self.pick(new)
        self.both(lambda: self.m.memories.supersede(old, new), lambda: self.model.supersede(old, new, self.now))

    @rule(choice=choices)
    def remove(self, choice: int) -> None:
        number = self.pick(choice)
        self.both(lambda: self.m.memories.remove(number), lambda: self.model.remove(number))

    @rule(choice=choices)
    def archive(self, choice: int) -> None:
        number = self.pick(choice)
        self.both(lambda: self.m.memories.archive(number), lambda: self.model.move_out(number))

    @rule(choice=choices)
    def unarchive(self, choice: int) -> None:
        number = self.pick(choice, self.model.archive)
        self.both(lambda: self.m.memories.unarchive(number), lambda: self.model.move_back(number))

    @rule(choice=choices)
    def forget(self, choice: int) -> None:
        number = self.pick(choice, range(1, self.model.stored + 1))
        self.both(lambda: self.m.memories.forget(number, yes=True), lambda: self.model.forget(number))

    @rule(text=texts, on=st.lists(choices, max_size=2))
    def narrate(self, text: str, on: list[int]) -> None:
        memories = tuple(dict.fromkeys(self.pick(choice) for choice in on))
        self.both(lambda: self.m.narratives.update(text, memories), lambda: self.model.narrate(text, memories))

    @rule()
    def undo_the_last(self) -> None:
        self.both(self.m.journal.undo, lambda: self.model.undo(None))

    @rule(ago=st.integers(0, 12))
    def undo_one(self, ago: int) -> None:
        number = max(1, len(self.model.journal) - ago)
        self.both(lambda: self.m.journal.undo(number), lambda: self.model.undo(number))

    @rule()
    def reopen(self) -> None:
        self.m.close()
        self.m = memoro.open(self.home, clock=self.clock)

    @rule()
    def abandon(self) -> None:
        """As a process that hangs: it never closes, and another goes on."""
        self.left.append(self.m)
        self.m = memoro.open(self.home, clock=self.clock)

    @rule()
    def crash(self) -> None:
        """Go on from the bytes as they are on the disk, with the log not merged."""
        self.left.append(self.m)
        self.home = self.copied()
        self.m = memoro.open(self.home, clock=self.clock)

    @rule(text=texts)
    def crash_in_a_write(self, text: str) -> None:
        """What was not acknowledged is not there."""
        access = self.m.ledger.access
        with pytest.raises(InterruptedError), access.ledger.writing() as tx:
            tx.memories.insert(Memory(0, text, "agent", "agent_inferred", self.now), b"digest")
            for memory in list(tx.memories.all()):
                tx.memories.delete(memory.id)
            self.home = self.copied()
            raise InterruptedError
        self.left.append(self.m)
        self.m = memoro.open(self.home, clock=self.clock)

    def copied(self) -> Path:
        self.copies += 1
        return Path(shutil.copytree(self.home, self.folder / f"copy-{self.copies}"))

    @rule(words=st.sets(st.sampled_from(["tea", "cup", "pot", "jug"]), min_size=1), limit=st.integers(1, 9))
    def query(self, words: set[str], limit: int) -> None:
        rows = self.model.rows
        expected = brute_force(rows, words, limit, self.clock.now) if rows else []
        found = self.m.memories.query(" ".join(sorted(words)), limit).results
        assert [one.worth for one in found] == pytest.approx([worth for _, worth in expected])
        assert {one.memory for one in found} <= set(rows.values())

    @rule()
    def search(self) -> None:
        if not self.model.stored:
            return
        found = self.m.search("tea cup pot jug", kind="memory", mode="words", limit=50).results
        current = {number for number, one in self.model.rows.items() if one.superseded_by is None}
        assert {hit.path for hit in found} == {f"memory:{number}" for number in current}

    @invariant()
    def they_say_the_same(self) -> None:
        if not hasattr(self, "model"):
            return
        access = self.m.ledger.access
        with access.ledger.reading() as tx:
            assert {one.id: one for one in tx.memories.all()} == self.model.rows
            assert len(tx.forgotten.digests()) == len(self.model.forgotten)
            chain = [(one.id, one.summary, one.memories, one.previous) for one in tx.narratives.all()]
            entries = list(tx.journal.all())
        with access.archive.reading() as archive:
            assert {one.id: one for one in archive.memories.all()} == self.model.archive
        told = sorted(self.model.narratives.items())
        before = [None, *(number for number, _ in told)]
        assert chain == [(number, text, on, before[at]) for at, (number, (text, on)) in enumerate(told)]
        signs = {"memory": 1, "narrative": -1}
        written = [(e.operation, signs[e.kind] * e.item, e.undoes, e.undone_by) for e in entries]
        modelled = [(c.operation, c.item, c.undoes, c.undone_by) for c in self.model.journal]
        # What is forgotten together is so in any order.
        assert [one for one in written if one[0] != "forget"] == [one for one in modelled if one[0] != "forget"]
        assert sorted(one for one in written if one[0] == "forget") == sorted(
            one for one in modelled if one[0] == "forget"
        )


@pytest.mark.campaign
def test_the_ledger_says_what_a_dictionary_says_through_any_changes_and_crashes() -> None:
    run_state_machine_as_test(
        LedgerAndModel,
        settings=hypothesis_settings(
            max_examples=times(15, 1000, quick=5), stateful_step_count=times(25, 50), deadline=None
        ),
    )
