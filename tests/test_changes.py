"""Every change is written and read in one place: nothing is lost, and what cannot be read is kept as it is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import documents
from memoro.errors import UndoConflict
from memoro.ledger.forget import ForgetChoice
from memoro.model.change_codec import ChangeColumns, decode, encode
from memoro.model.changes import (
    Blanked,
    Change,
    ContentForgotten,
    ExperienceAdded,
    ExperienceChanged,
    ExperienceRemoved,
    ItemExpired,
    ItemRemoved,
    ItemSnapshot,
    ItemWritten,
    MemoryAdded,
    MemoryArchived,
    MemoryChanged,
    MemoryRemoved,
    MemoryUnarchived,
    NarrativeAdded,
    NarrativeRemoved,
    NoteAppended,
    NotedFeedback,
    NoteMoved,
    NoteWritten,
    SubjectKind,
    UnknownChange,
    contents_of,
    experience_difference,
    has_content,
    memory_difference,
    operation_of,
    subject_of,
)
from memoro.model.experiences import Experience
from memoro.model.items import Item
from memoro.model.journal import experience_without, memory_without
from memoro.model.memories import Memory, Narrative
from memoro.store.sqlite.engine import connect, engine

OLD_HOME = Path(__file__).parent / "data" / "home-0.1.0"

numbers = st.integers(1, 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = texts.filter(bool)
perhaps = st.none() | words
digests = st.binary(min_size=32, max_size=32).map(bytes.hex)
memories = st.builds(
    Memory,
    id=numbers, content=words, source=words, trust=st.sampled_from(["user_said", "agent_inferred"]),
    created_at=words, tags=st.lists(words).map(tuple), feedback=st.integers(-(2**62), 2**62), hit_at=perhaps,
    agent=perhaps, project=perhaps, session=perhaps, task=perhaps, narrative=st.none() | numbers,
    valid_from=perhaps, valid_to=perhaps, superseded_by=st.none() | numbers, superseded_at=perhaps,
    parents=st.lists(numbers).map(tuple), origin=perhaps,
)  # fmt: skip
experiences = st.builds(
    Experience,
    id=numbers, type=st.sampled_from(["tool_chain", "user_preference"]), intent=words,
    solution_json=st.just('{"a":1}'), success=st.floats(0, 1), source=words,
    trust=st.sampled_from(["user_said", "agent_inferred"]), created_at=words, tags=st.lists(words).map(tuple),
    uses=st.integers(0, 9), outcomes=st.integers(0, 9), used_at=perhaps, archived_at=perhaps, agent=perhaps,
    project=perhaps, session=perhaps,
)  # fmt: skip
narratives = st.builds(
    Narrative,
    id=numbers, summary=words, created_at=words, source=words, memories=st.lists(numbers).map(tuple),
    previous=st.none() | numbers, next=st.none() | numbers, session=perhaps, agent=perhaps, project=perhaps,
)  # fmt: skip
items = st.builds(
    Item,
    id=numbers, store=words, namespace=st.lists(words).map(tuple), key=words, value=st.just("{}"),
    created_at=words, updated_at=words, version=numbers, ttl=st.none() | st.floats(0, 100), expires_at=perhaps,
    session=perhaps,
)  # fmt: skip
snapshots = st.builds(
    lambda item, memory: ItemSnapshot(item, memory and memory._replace(id=item.id)), items, st.none() | memories
)
feedback = st.none() | st.builds(NotedFeedback, numbers, st.sampled_from(["reinforced", "demoted", "corrected"]))


@st.composite
def memory_changes(draw: st.DrawFn) -> MemoryChanged:
    old, new = draw(memories), draw(memories)
    before, after = memory_difference(old, new._replace(id=old.id))
    return MemoryChanged(
        operation=draw(st.sampled_from(["reinforce", "demote", "update", "supersede", "trust", "undo"])),
        number=old.id,
        before=before,
        after=after,
        linked=draw(st.lists(numbers, max_size=3).map(tuple)),
        unlinked=draw(st.lists(numbers, max_size=3).map(tuple)),
        noted=draw(feedback),
        withdrawn=draw(feedback),
    )


@st.composite
def experience_changes(draw: st.DrawFn) -> ExperienceChanged:
    old, new = draw(experiences), draw(experiences)
    before, after = experience_difference(old, new._replace(id=old.id))
    return ExperienceChanged(draw(st.sampled_from(["record", "use", "undo"])), old.id, before, after)


@st.composite
def note_writes(draw: st.DrawFn) -> NoteWritten:
    before, after = draw(st.sampled_from([(1, 1), (0, 1), (1, 0)]))
    return NoteWritten(
        operation=draw(
            st.sampled_from(["new", "edit", "delete", "restore", "episode", "remember", "return", "undo"])
        ),
        path=draw(words),
        before=draw(digests) if before else None,
        after=draw(digests) if after else None,
        returned=draw(st.lists(numbers, max_size=3).map(tuple)),
    )


subjects: st.SearchStrategy[tuple[SubjectKind, int | str]] = st.one_of(
    st.tuples(st.sampled_from(["memory", "experience", "narrative", "item"]), numbers),
    st.tuples(st.sampled_from(["note", "transcript"]), words),
)
added: st.SearchStrategy[Change] = st.one_of(
    st.builds(MemoryAdded, st.sampled_from(["store", "import", "undo"]), numbers, st.tuples(numbers) | st.just(())),
    st.builds(ExperienceAdded, st.sampled_from(["record", "import", "undo"]), numbers),
    st.builds(NarrativeAdded, st.sampled_from(["narrative", "import", "undo"]), numbers),
)
changes: st.SearchStrategy[Change] = st.one_of(
    added,
    memory_changes(),
    experience_changes(),
    note_writes(),
    st.builds(MemoryRemoved, st.sampled_from(["remove", "undo"]), memories),
    st.builds(MemoryArchived, st.sampled_from(["archive", "undo"]), numbers),
    st.builds(MemoryUnarchived, st.sampled_from(["unarchive", "undo"]), numbers),
    st.builds(ExperienceRemoved, st.sampled_from(["remove", "undo"]), experiences),
    st.builds(NarrativeRemoved, st.just("undo"), narratives),
    st.builds(
        ItemWritten,
        operation=st.sampled_from(["put", "undo"]),
        number=numbers,
        before=st.none(),
        version=numbers,
        namespace=st.lists(words).map(tuple),
        key=words,
    ),
    st.builds(
        lambda old, version: ItemWritten("put", old.item.id, old, version, old.item.namespace, old.item.key),
        snapshots,
        numbers,
    ),
    st.builds(ItemRemoved, st.sampled_from(["delete", "remove", "undo"]), snapshots),
    st.builds(ItemExpired, numbers),
    st.builds(NoteAppended, st.just("daily"), words, st.none() | digests, texts),
    st.builds(NoteMoved, st.sampled_from(["move", "undo"]), words, words),
    st.builds(lambda subject: ContentForgotten(*subject), subjects),
    st.builds(lambda subject: Blanked("update", *subject), subjects),
)


@given(changes)
def test_every_change_is_read_as_it_was_written(change: Change) -> None:
    assert decode(encode(change)) == change


@given(changes)
def test_a_change_whose_content_was_forgotten_says_what_it_was_about_and_nothing_else(change: Change) -> None:
    columns = encode(change)._replace(before=None, after=None)
    left = decode(columns)
    assert (subject_of(left), operation_of(left)) == (subject_of(change), operation_of(change))
    assert not has_content(left)
    assert encode(left) == columns


rows_of_0_1_0 = st.sampled_from(
    [
        (entry["operation"], entry["kind"], entry["item"], entry["before"], entry["after"])
        for entry in (
            json.loads(line)
            for line in json.loads(gzip.decompress((OLD_HOME / "expected.json.gz").read_bytes()))["export"]
        )
        if entry.get("record") == "change"
        for entry in [{"before": None, "after": None, **entry}]
    ]
)


@given(rows_of_0_1_0)
def test_every_row_of_0_1_0_is_understood_and_written_as_it_was(row: tuple[Any, ...]) -> None:
    *about, before, after = row
    columns = ChangeColumns(*about, *(None if side is None else json.dumps(side) for side in (before, after)))
    change = decode(columns)
    assert not isinstance(change, UnknownChange)
    again = encode(change)
    assert again[:3] == columns[:3]
    assert [side and json.loads(side) for side in again[3:]] == [before, after]


objects = (
    st.none() | texts | st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts)).map(json.dumps)
)
kinds = st.sampled_from(["memory", "experience", "narrative", "item", "note", "transcript", "recipe"])
operations = st.sampled_from(["store", "update", "put", "daily", "move", "undo", "forget", "expire", "fly"])


@given(st.builds(ChangeColumns, operations, kinds, numbers | texts, objects, objects))
def test_no_row_is_lost_whatever_it_holds(columns: ChangeColumns) -> None:
    again = encode(decode(columns))
    assert again[:3] == columns[:3]
    for side, other in zip(again[3:], columns[3:], strict=True):
        assert side == other or json.loads(side or "") == json.loads(other or "")


@pytest.mark.parametrize(
    "columns",
    [
        ChangeColumns("simmer", "recipe", 1, None, "{}"),
        ChangeColumns("fly", "memory", 1, None, "{}"),
        ChangeColumns("update", "memory", 1, '{"content": 1}', '{"content": "x"}'),
        ChangeColumns("update", "memory", 1, '{"content": "x"}', "{}"),
        ChangeColumns("update", "memory", 1, '{"cont', '{"content": "x"}'),
        ChangeColumns("update", "memory", 1, '{"colour": "x"}', '{"colour": "y"}'),
        ChangeColumns("archive", "memory", 1, '{"archived": true}', '{"archived": true}'),
        ChangeColumns("remove", "memory", 1, '{"content": "x"}', None),
        ChangeColumns("remove", "memory", "x.md", "{}", None),
        ChangeColumns("move", "note", "a.md", '{"path": "b.md"}', '{"path": "c.md"}'),
        ChangeColumns("forget", "recipe", 1, None, None),
        ChangeColumns("update", "memory", 1, "[" * 100_000, "{}"),
    ],
)
def test_a_row_that_is_damaged_or_from_the_future_is_unknown_and_kept(columns: ChangeColumns) -> None:
    change = decode(columns)
    assert change == UnknownChange(*columns)
    assert encode(change) == columns


@given(memories, memories)
def test_a_memory_without_its_last_change_is_what_it_was(old: Memory, new: Memory) -> None:
    new = new._replace(id=old.id)
    change = MemoryChanged("update", old.id, *memory_difference(old, new))
    assert memory_without(new, change, 1) == old


@given(memories, memories, st.integers(-9, 9))
def test_a_memory_without_a_change_keeps_the_feedback_that_came_after_it(old: Memory, new: Memory, more: int) -> None:
    new = new._replace(id=old.id)
    change = MemoryChanged("update", old.id, *memory_difference(old, new))
    later = new._replace(feedback=new.feedback + more)
    assert memory_without(later, change, 1).feedback == old.feedback + more


@given(experiences, experiences)
def test_an_experience_without_its_last_change_is_what_it_was(old: Experience, new: Experience) -> None:
    new = new._replace(id=old.id)
    change = ExperienceChanged("use", old.id, *experience_difference(old, new))
    assert experience_without(new, change, 1) == old


@given(changes)
def test_the_contents_of_a_change_are_what_forgetting_looks_for(change: Change) -> None:
    columns = encode(change)
    told = [json.loads(side) for side in (columns.before, columns.after) if side is not None]
    if columns.kind in ("memory", "item"):
        assert sorted(contents_of(change)) == sorted(fields["content"] for fields in told if "content" in fields)
    else:
        assert contents_of(change) == ()


def test_a_row_from_the_future_is_shown_and_cannot_be_undone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        m.memories.store("tea")
    db = connect(str(home / "ledger.db"), engine(str(home)))
    db.execute(
        """INSERT INTO journal (at, operation, actor, kind, item, before, after)
           VALUES ('2030-01-01T00:00:00.000Z', 'simmer', 'agent', 'recipe', 7, NULL, '{"minutes": 5}')"""
    )
    db.close()
    with memoro.open(home) as m:
        newest = m.journal.log(1)[0]
        assert isinstance(newest.change, UnknownChange)
        shown = documents.entry(newest)
        assert (shown["operation"], shown["kind"], shown["item"]) == ("simmer", "recipe", 7)
        assert (shown["before"], shown["after"]) == (None, {"minutes": 5})
        with pytest.raises(UndoConflict, match="it is about a recipe"):
            m.journal.undo(newest.id)
        assert m.journal.undo(1).entries[0].operation == "store"
        refused = m.journal.undo(by="agent").refused
        assert len(refused) == 1 and "recipe" in refused[0]


def test_a_damaged_row_of_a_memory_is_found_by_forgetting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with memoro.open(home) as m:
        number = m.memories.store("The safe opens with left.").memory.id
    db = connect(str(home / "ledger.db"), engine(str(home)))
    db.execute(
        """INSERT INTO journal (at, operation, actor, kind, item, before, after)
           VALUES ('2026-01-01T00:00:00.000Z', 'fly', 'agent', 'memory', 99,
                   '{"content": "The safe opens with left."}', '{}')"""
    )
    db.close()
    with memoro.open(home) as m:
        m.memories.forget(number, yes=True)
    assert b"safe opens" not in b"".join(file.read_bytes() for file in home.glob("ledger.db*"))


@pytest.mark.parametrize(
    ("choice", "does"),
    [
        (ForgetChoice(), False),
        (ForgetChoice(yes=True), True),
        (ForgetChoice(dry_run=True), False),
        (ForgetChoice(yes=True, dry_run=True), False),
    ],
)
def test_nothing_is_forgotten_without_a_yes_or_in_a_dry_run(choice: ForgetChoice, does: bool) -> None:
    assert choice.does is does
