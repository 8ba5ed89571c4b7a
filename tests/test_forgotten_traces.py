"""What is forgotten leaves no trace in narratives, recalls, proposals, items and the journal; the rest stays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoryNotFound, NeedsConsent, NotFound, Refused, UndoConflict
from memoro.experiences.forget import ExperienceForgetting
from memoro.ledger.erasure import items_at
from memoro.ledger.forget import begin, sha256
from memoro.ledger.proposals import ProposalQueue
from memoro.ledger.services import LedgerServices
from memoro.model.changes import UnknownChange
from memoro.model.derivation import DerivedLine
from memoro.model.experiences import Experience, identity
from memoro.model.items import ItemPut
from memoro.model.journal import Authorship, entry_of
from memoro.model.proposals import ErasedProposal, Evidence, StoreMemory, Suggestion
from memoro.model.ratings import MUTED, STORE
from memoro.workspace import Workspace
from tests.test_forget_bytes import files_with
from tests.test_ledger_edges import without_vault
from tests.test_memories import Clock
from tests.test_sessions import item, recalled

SAID = "the red pelargonium stands by the northern window"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(clock: Clock) -> Iterator[Workspace]:
    with memoro.open(":memory:", clock=clock) as opened:
        yield opened


def summaries(m: Workspace) -> list[str]:
    return [one.narrative.summary for one in m.narratives.search(None, 20)]


def forgettings(m: Workspace) -> list[tuple[str, object]]:
    return sorted((one.kind, one.item) for one in m.journal.log(100) if one.operation == "forget")


def blocks(m: Workspace, session: str) -> list[str]:
    return [one.recalled.block for one in m.sessions.show(session).recalls]


# Narratives


def test_a_narrative_made_from_a_forgotten_memory_goes_and_the_chain_closes_over_it(m: Workspace) -> None:
    m.memories.store(SAID)
    m.narratives.update("we water the garden")
    told = m.narratives.update(f"Today {SAID}")
    m.narratives.update("we paint the fence")

    done = m.memories.forget(1, yes=True)

    assert [(one.id, one.text) for one in done.derived] == [(f"narrative:{told.id}", "")]
    assert summaries(m) == ["we paint the fence", "we water the garden"]
    assert [one.summary for one in m.narratives.chain(3)] == ["we water the garden", "we paint the fence"]
    assert forgettings(m) == [("memory", 1), ("narrative", 2)]


def test_a_forgotten_narrative_does_not_come_back_by_its_words_or_by_undo(m: Workspace) -> None:
    m.memories.store(SAID)
    m.narratives.update(f"Today {SAID}")
    [added] = [one.id for one in m.journal.log(10) if one.operation == "narrative"]
    m.memories.forget(1, yes=True)

    with pytest.raises(Refused, match="Exactly this was forgotten on"):
        m.narratives.update(f"Today {SAID}")
    with pytest.raises(UndoConflict, match="forgotten"):
        m.journal.undo(added)
    assert summaries(m) == []


def test_a_narrative_that_was_undone_is_forgotten_too(m: Workspace) -> None:
    m.memories.store(SAID)
    m.narratives.update(f"Today {SAID}")
    undo = m.journal.undo().entries[0].id + 1

    m.memories.forget(1, yes=True)

    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(undo)
    assert forgettings(m) == [("memory", 1), ("narrative", 1)]


def test_a_forgotten_narrative_is_gone_from_recalls_that_gave_or_repeated_it(m: Workspace) -> None:
    m.memories.store(SAID)
    told = m.narratives.update(f"At noon {SAID}, as Ines says")
    m.sessions.start("s")
    m.sessions.record(recalled("what is going on?", item("memory:9", told.summary)), "s")
    m.sessions.record(recalled("and else?", item("memory:8", "a lamp")), "s")

    m.memories.forget(1, yes=True)

    first, second = blocks(m, "s")
    assert "as Ines says" not in first
    assert "a lamp" in second


def test_with_only_a_narrative_stays_and_is_named_where_it_rests_on_the_memory(m: Workspace) -> None:
    m.memories.store(SAID)
    m.memories.store("the lamp is green")
    m.narratives.update(f"Today {SAID}", [1])
    m.narratives.update("we buy lamps", [2])

    done = m.memories.forget(1, yes=True, only=True)

    assert (done.narratives, done.derived) == ((1,), ())
    assert len(summaries(m)) == 2
    assert m.narratives.get(1).memories == ()
    assert m.narratives.get(2).memories == (2,)


def test_a_narrative_that_goes_along_is_not_named_as_one_that_may_repeat_it(m: Workspace) -> None:
    m.memories.store(SAID)
    m.narratives.update(f"Today {SAID}", [1])
    m.narratives.update("we tend the garden", [1])

    seen = m.memories.forget(1, dry_run=True)

    assert seen.narratives == (2,)
    assert [(one.id, one.text) for one in seen.derived] == [("narrative:1", f"Today {SAID}")]
    assert not seen.done


def test_the_entry_of_an_undone_narrative_with_the_very_words_is_blanked_though_only_the_memory_goes(
    m: Workspace,
) -> None:
    m.memories.store(SAID)
    m.narratives.update(SAID)
    m.narratives.update("we paint the fence")
    undo = m.journal.undo(2).entries[0].undone_by or m.journal.log(1)[0].id
    other = m.journal.undo(3).entries[0].undone_by or m.journal.log(1)[0].id

    m.memories.forget(1, yes=True, only=True)

    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(undo)
    m.journal.undo(other)
    assert summaries(m) == ["we paint the fence"]


# Experiences


def test_the_same_experience_of_another_project_goes_too_also_where_it_was_removed(m: Workspace) -> None:
    m.experiences.record("task_solution", "Mend the crane", "grease it", project="harbor")
    m.experiences.record("task_solution", "mend the crane.", "grease it", project="pier")
    m.experiences.record("task_solution", "mend the crane", "grease it")
    m.experiences.record("task_solution", "mend the crane", "call Ines")
    m.experiences.remove(2)
    removal = m.journal.log(1)[0].id

    seen = m.experiences.forget(1, dry_run=True)
    assert ([one.id for one in seen.experiences], seen.done) == ([1, 3], False)
    with pytest.raises(NeedsConsent):
        m.experiences.forget(1)
    assert len(m.experiences.list()) == 3

    done = m.experiences.forget(1, yes=True)

    assert ([one.id for one in done.experiences], done.done) == ([1, 3], True)
    assert [one.experience.id for one in m.experiences.list()] == [4]
    assert forgettings(m) == [("experience", 1), ("experience", 3)]
    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(removal)
    with pytest.raises(Refused, match="Exactly this was forgotten"):
        m.experiences.record("task_solution", "Mend the crane!", "grease it")


def test_a_removed_experience_can_be_forgotten_and_one_that_never_was_cannot(m: Workspace) -> None:
    m.experiences.record("task_solution", "mend the crane", "grease it")
    m.experiences.remove(1)

    assert [one.id for one in m.experiences.forget(1, yes=True).experiences] == [1]
    with pytest.raises(UndoConflict):
        m.journal.undo(2)
    with pytest.raises(NotFound, match="There is no experience:7"):
        m.experiences.forget(7, yes=True)


def test_a_forgotten_experience_is_gone_from_recalls_and_another_stays(m: Workspace) -> None:
    m.experiences.record("task_solution", "mend the old northern crane", "grease it with tallow")
    m.experiences.record("task_solution", "dim the board", "turn the knob")
    m.sessions.start("s")
    m.sessions.record(recalled("crane?", item("experience:1", "as it was worded for the prompt")), "s")
    m.sessions.record(recalled("board?", item("experience:2", "dim the board: turn the knob")), "s")
    m.sessions.record(recalled("please mend the old northern crane"), "s")

    m.experiences.forget(1, yes=True)

    first, second, _ = blocks(m, "s")
    assert "as it was worded" not in first
    assert "turn the knob" in second
    assert [one.recalled.message for one in m.sessions.show("s").recalls] == ["crane?", "board?", ""]


# Recalls and proposals


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [(1, 2, False), (1, 3, True), (4, 4, True), (5, 9, True), (6, 9, False), (1, 9, True)],
)
def test_the_lines_of_a_conversation_name_the_items_that_overlap_them(
    first: int, last: int, found: bool, m: Workspace
) -> None:
    m.sessions.start("s")
    m.sessions.record(
        recalled(
            "?",
            item("transcript:a.jsonl#00000000.1", "three\nfour\nfive", path="a.jsonl", line=3),
            item("transcript:b.jsonl#00000000.1", "of another log", path="b.jsonl", line=4),
        ),
        "s",
    )
    with m.ledger.access.ledger.reading() as tx:
        assert items_at(tx, "a.jsonl", first, last) == (["transcript:a.jsonl#00000000.1"] if found else [])


def test_proposals_that_would_write_or_quote_what_was_forgotten_are_blanked_and_others_wait(m: Workspace) -> None:
    m.memories.store(SAID)
    quoted = Evidence(quote=f"Ben wrote that {SAID}.")
    changes = (
        Suggestion(StoreMemory(SAID.replace(" ", "  "), tags=("x",))),
        Suggestion(StoreMemory("the flowers are red"), evidence=(quoted,)),
        Suggestion(StoreMemory("the lamp is green"), reason="it was asked for"),
        Suggestion(StoreMemory("the fence is new"), reason=f"for {SAID}"),
    )
    for one in changes:
        m.proposals.propose(one)

    m.memories.forget(1, yes=True)

    gone = {one.id: isinstance(one.change, ErasedProposal) for one in m.proposals.all(None)}
    assert gone == {1: True, 2: True, 3: False, 4: True}
    with pytest.raises(Refused, match="was forgotten, so it cannot wait again"):
        m.proposals.reopen(1)


# Items


def put(m: Workspace, store: str, key: str, text: str | None, namespace: tuple[str, ...] = ("shelf",)) -> int:
    wanted = ItemPut(namespace, key, {"text": text}, says=lambda value: value["text"], session="s1")
    m.items.put(store, [wanted])
    with m.ledger.access.ledger.reading() as tx:
        found = tx.items.named(store, namespace, key)
    assert found
    return found.id


def test_an_item_without_text_is_forgotten_by_its_number_and_a_mark_of_memoro_is_no_memory(m: Workspace) -> None:
    silent = put(m, "langgraph", "a", None)
    mark = put(m, STORE, "b", None, MUTED)

    [seen] = m.memories.forget(silent, dry_run=True).memories
    assert (seen.id, seen.content, seen.source) == (silent, "langgraph: shelf / a", "langgraph")
    with pytest.raises(MemoryNotFound, match=rf"\[id:{mark}\]"):
        m.memories.forget(mark, yes=True)
    m.memories.forget(silent, yes=True)
    with m.ledger.access.ledger.reading() as tx:
        assert [one.id for one in tx.items.all()] == [mark]


def test_forgetting_a_session_takes_its_items_and_its_removed_and_archived_memories(m: Workspace) -> None:
    silent = put(m, "langgraph", "a", None)
    put(m, STORE, "b", None, MUTED)
    kept, removed, archived = (m.memories.store(f"fact {n}", session="s1").memory.id for n in range(3))
    m.memories.store("of another session", session="s2")
    m.memories.store("of none")
    m.memories.remove(removed)
    m.memories.archive(archived)

    seen = m.memories.forget(session="s1", dry_run=True).memories
    assert [one.id for one in seen] == [silent, kept, removed, archived]
    assert [one.id for one in m.memories.forget(session="s1", source="langgraph", dry_run=True).memories] == [silent]

    m.memories.forget(session="s1", yes=True)

    assert [one.content for one in m.memories.all()] == ["of another session", "of none"]
    with pytest.raises(MemoryNotFound):
        m.memories.unarchive(archived)


def test_forgetting_from_a_time_to_a_time_takes_the_first_moment_and_not_the_last(m: Workspace, clock: Clock) -> None:
    for minute in range(4):
        m.memories.store(f"fact {minute}", source="web")
        clock.go(minutes=1)

    def chosen(**span: Any) -> list[int]:
        return [one.id for one in m.memories.forget(source="web", dry_run=True, **span).memories]

    assert chosen(since="2026-03-05T12:01Z") == [2, 3, 4]
    assert chosen(since="2026-03-05T12:01:00.001Z") == [3, 4]
    assert chosen(until="2026-03-05T12:02:00.000Z") == [1, 2]
    assert chosen(until="2026-03-05T12:02:00.001Z") == [1, 2, 3]
    assert chosen() == [1, 2, 3, 4]


# Whole


def test_a_forgetting_that_was_begun_is_pending_until_it_is_finished(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.memories.store(SAID)
        forgetting = m.ledger.forgetting
        assert not forgetting.is_pending()
        m.memories.forget(1, yes=True)
        assert not forgetting.is_pending()
        with m.ledger.access.ledger.writing() as tx:
            begin(tx, [1], [], experiences=[3])
            begin(tx, [2], [sha256(SAID)], narratives=[4])
        assert forgetting.is_pending()
        forgetting.finish()
        assert not forgetting.is_pending()


def test_what_other_rows_tell_of_a_forgotten_memory_goes_with_it(m: Workspace) -> None:
    for text in ("tea is green", "tea is served at four", "tea is hot"):
        m.memories.store(text)
    m.memories.query("tea", session="s")
    for number in (1, 2, 3):
        m.memories.reinforce(number, session="s")
    assert len(m.memories.links(1, 1).linked) == 2

    m.memories.forget(2, yes=True)

    assert [one.memory.id for one in m.memories.links(1, 1).linked] == [3]
    with m.ledger.access.ledger.reading() as tx:
        assert tx.links.count() == 1
        assert tx.given.last_session(2) is None
        assert tx.given.last_session(1) == "s"
        assert all(one.operation == "forget" or one.text == "" for one in tx.journal.history("memory", 2))


def test_a_reinforcement_can_be_undone_after_the_memory_it_was_linked_with_is_forgotten(m: Workspace) -> None:
    m.memories.store("tea is green")
    m.memories.store("tea is served at four")
    m.memories.query("tea", session="s")
    m.memories.reinforce(1, session="s")
    m.memories.reinforce(2, session="s")
    entry = m.journal.log(1)[0].id
    m.memories.forget(1, yes=True)

    m.journal.undo(entry)

    assert m.memories.get(2).feedback == 0


# What is left to be erased


def erasing(home: Path) -> tuple[LedgerServices, list[tuple[list[str], list[str]]]]:
    """The services on a home, and what they dropped from the index."""
    dropped: list[tuple[list[str], list[str]]] = []
    made = without_vault(home, drop=lambda paths, digests: dropped.append((list(paths), list(digests))))
    return made, dropped


def test_a_forgetting_that_was_broken_off_is_finished_with_all_that_was_begun(home: Path) -> None:
    made, dropped = erasing(home)
    with closing(made):
        made.memories.store(SAID)
        made.memories.archive(1)
        made.memories.store("the lamp is green")
        made.memories.archive(2)
        with made.access.ledger.writing() as tx:
            begin(tx, [1], ["ab"], experiences=[3])
            begin(tx, [], ["cd"], narratives=[4])
        made.forgetting.finish()
        assert dropped == [(["memory:1", "experience:3", "narrative:4"], ["ab", "cd"])]
        assert [made.memories.stats().archived, made.memories.show(2).archived] == [1, True]
        made.forgetting.finish()
        assert len(dropped) == 1


def test_whoever_forgets_finishes_what_was_broken_off_first_and_a_dry_run_does_not(m: Workspace) -> None:
    m.memories.store(SAID)
    with m.ledger.access.ledger.writing() as tx:
        begin(tx, [7], [])
    m.memories.forget(1, dry_run=True)
    m.memories.forget(1, dry_run=True, yes=True)
    with pytest.raises(NeedsConsent):
        m.memories.forget(1)
    assert m.ledger.forgetting.is_pending()
    with pytest.raises(MemoryNotFound):
        m.memories.forget(9, yes=True)
    assert not m.ledger.forgetting.is_pending()


def test_the_index_drops_a_forgotten_memory_all_that_it_said_and_the_narratives_made_from_it(home: Path) -> None:
    made, dropped = erasing(home)
    with closing(made):
        made.memories.store("the lamp is green")
        made.memories.update(1, SAID)
        made.narratives.update(f"Today {SAID}")
        made.memories.forget(1, yes=True)
        [(paths, digests)] = dropped
        assert paths == ["memory:1", "narrative:1"]
        assert sorted(digests) == sorted(
            hashlib.sha256(text.encode()).hexdigest() for text in ("the lamp is green", SAID, f"Today {SAID}")
        )
        assert not made.forgetting.is_pending()


def test_narratives_are_forgotten_by_themselves_and_their_erasure_waits_to_be_finished(m: Workspace) -> None:
    for text in (f"Today {SAID}", "we paint the fence"):
        m.narratives.update(text)
    forgetting = m.ledger.forgetting
    forgetting.forget_narratives([m.narratives.get(1)])
    assert summaries(m) == ["we paint the fence"]
    assert forgetting.is_pending()
    forgetting.finish()
    assert not forgetting.is_pending()
    assert forgettings(m) == [("narrative", 1)]


def test_forgetting_says_how_many_and_changes_nothing_without_a_yes(m: Workspace) -> None:
    m.memories.store(SAID)
    m.memories.store("the lamp is green")
    for numbers, said in ((1, "Forgetting 1 memory cannot"), ([1, 2], "Forgetting 2 memories cannot")):
        with pytest.raises(NeedsConsent, match=said):
            m.memories.forget(numbers)
    assert len(m.memories.all()) == 2
    assert not m.memories.forget(1, dry_run=True).done
    assert m.memories.forget(1, yes=True).done


def test_no_file_holds_a_forgotten_word_nor_what_is_left_of_a_backup_that_broke_off(home: Path) -> None:
    made, _ = erasing(home)
    with closing(made):
        made.memories.store(SAID)
        made.memories.store("the quintessenz of lamps")
        made.memories.archive(2)
        backup = made.backups.create()
        left = home / "backups" / ".77"
        left.mkdir()
        (left / "ledger.db").write_text(SAID)
        assert made.memories.forget([1, 2], dry_run=True).backups == (backup.name,)
        assert left.exists()
        assert made.memories.forget([1, 2], yes=True).backups == (backup.name,)
        assert files_with(home, "pelargonium", "quintessenz") == []
        digest = hashlib.sha256(SAID.encode()).hexdigest().encode()
        assert [one.name for one in home.glob("*.db*") if digest in one.read_bytes()] == []
    assert not left.exists()
    assert (home / "backups" / backup.name).exists()


def test_a_backup_that_holds_only_a_copy_is_named_unless_the_copy_stays(home: Path) -> None:
    made, _ = erasing(home)
    with closing(made):
        made.narratives.update(f"Today {SAID}, says Ines")
        backup = made.backups.create()
        made.memories.store(SAID)
        assert made.memories.forget(1, dry_run=True).backups == (backup.name,)
        assert made.memories.forget(1, dry_run=True, only=True).backups == ()


def test_a_memory_that_says_what_another_once_said_is_forgotten_with_it_and_with_its_own_twins(m: Workspace) -> None:
    m.memories.store("the lamp is green")
    m.memories.update(1, SAID)
    m.memories.store("the lamp is green", project="pier")
    m.memories.update(2, "the fence is new")
    m.memories.store("the fence is new", project="harbor")
    m.memories.store("the fence is old")
    m.memories.archive(3)
    assert [one.id for one in m.memories.forget(1, dry_run=True).memories] == [1]
    assert sorted(one.id for one in m.memories.forget(3, dry_run=True).memories) == [2, 3]


def test_what_this_version_cannot_read_does_not_keep_anything_from_being_forgotten(m: Workspace) -> None:
    m.memories.store(SAID)
    with m.ledger.access.ledger.writing() as tx:
        for kind in ("memory", "experience", "narrative"):
            change = UnknownChange("twist", kind, 9, '{"twisted": 1}', None)
            tx.journal.add(entry_of(change, Authorship("2026-03-05T12:00:00.000Z", "user")))
    m.memories.forget(1, yes=True)
    assert m.memories.all() == []
    assert forgettings(m) == [("memory", 1)]


def test_the_item_of_a_forgotten_memory_goes_with_it(m: Workspace) -> None:
    wanted = ItemPut(("shelf",), "a", {"text": SAID}, says=lambda value: value["text"])
    m.items.put("langgraph", [wanted, wanted._replace(key="b", value={"text": "the lamp is green"})])
    m.memories.forget(1, yes=True)
    assert [one.key for one in m.items.below("langgraph")] == ["b"]
    with m.ledger.access.ledger.reading() as tx:
        assert tx.items.find(1) is None


def test_a_forgotten_memory_is_gone_from_the_block_also_where_other_words_surround_it(m: Workspace) -> None:
    m.memories.store(SAID)
    m.sessions.start("s")
    around = recalled("?", item("memory:5", f"Ines: {SAID}!"), item("memory:6", "a lamp"))
    m.sessions.record(around._replace(block=f"Remember that {SAID}.\n{around.block}\nThe end of it.\n"), "s")
    [digest] = [key for key, given in texts_given(m).items() if "memory:5" in given]

    m.memories.forget(1, yes=True)

    [block] = blocks(m, "s")
    assert "pelargonium" not in block
    assert "a lamp" in block and "The end of it." in block
    assert digest not in texts_given(m)
    with m.ledger.access.ledger.reading() as tx:
        assert tx.sessions.kept(digest) is None


def texts_given(m: Workspace) -> dict[str, set[str]]:
    with m.ledger.access.ledger.reading() as tx:
        return dict(tx.sessions.given_texts())


def test_only_the_vectors_that_no_other_experience_needs_are_dropped(home: Path) -> None:
    made, dropped = erasing(home)
    with closing(made):
        access = made.access
        with access.ledger.writing() as tx:
            for number, solution in enumerate(("grease it", "call Ines"), 1):
                one = Experience(
                    number, "task_solution", "mend the crane", f'"{solution}"', 1.0, "agent", "agent_inferred",
                    "2026-03-05T12:00:00.000Z",
                )  # fmt: skip
                tx.experiences.insert(one, access.digest(tx, identity(one)))
        forgetting = ExperienceForgetting(access, made.backups, made.forgetting)
        for number in (1, 2):
            forgetting.forget(number, yes=True, dry_run=False)
        assert dropped == [(["experience:1"], []), (["experience:2"], [sha256("mend the crane")])]


def test_a_forgotten_experience_is_gone_from_proposals_that_quote_it_and_backups_with_it_are_named(
    tmp_path: Path,
) -> None:
    with memoro.open(tmp_path / "home") as m:
        m.experiences.record("task_solution", "dim the board", "turn the knob")  # and the backup of the day
        m.experiences.record("task_solution", "mend the old northern crane", "grease it with tallow and oil")
        backup = m.backups.create()
        for quoted in ("mend the old northern crane", "grease it with tallow and oil", "dim the board"):
            m.proposals.propose(Suggestion(StoreMemory(f"about {quoted[:9]}"), evidence=(Evidence(quote=quoted),)))
        assert m.experiences.forget(2, dry_run=True).backups == (backup.name,)
        assert m.experiences.forget(2, yes=True).backups == (backup.name,)
        gone = [isinstance(one.change, ErasedProposal) for one in m.proposals.all(None)]
        assert gone == [True, True, False]
        assert not m.ledger.forgetting.is_pending()


def test_what_another_memory_once_said_is_blanked_in_its_history(m: Workspace) -> None:
    m.memories.store(SAID, project="pier")
    m.memories.store(SAID)
    m.memories.update(1, "the fence is new")
    m.memories.forget(2, yes=True)
    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(3)
    assert [one.content for one in m.memories.all()] == ["the fence is new"]


def test_the_history_of_a_forgotten_experience_is_blanked(m: Workspace) -> None:
    m.experiences.record("task_solution", "mend the crane", "grease it")
    m.experiences.mark_used(1)
    m.experiences.forget(1, yes=True)
    with pytest.raises(UndoConflict, match="its text was forgotten"):
        m.journal.undo(2)


def test_a_narrative_in_other_words_than_the_memory_is_gone_from_recalls_with_it(m: Workspace) -> None:
    m.memories.store(SAID)
    told = m.narratives.update("Today the red pelargonium stands by the northern door")
    m.sessions.start("s")
    m.sessions.record(recalled("what is going on?", item("memory:9", told.summary)), "s")
    done = m.memories.forget(1, yes=True)
    assert [one.id for one in done.derived] == ["narrative:1"]
    [recall] = m.sessions.show("s").recalls
    assert "northern door" not in recall.recalled.block
    assert [one.forgotten for one in recall.given] == [True]


def test_a_backup_that_is_restored_brings_no_proposal_back_that_says_what_was_forgotten(home: Path) -> None:
    made, _ = erasing(home)
    with closing(made):
        made.memories.store(SAID)
        proposals = ProposalQueue(made.access, made.owner)
        for text in (SAID.replace(" ", "  "), "the lamp is green"):
            proposals.propose(Suggestion(StoreMemory(text)))
        backup = made.backups.create()
        made.memories.forget(1, yes=True)
        made.backups.restore(backup.name)
        assert [isinstance(one.change, ErasedProposal) for one in proposals.all(None)] == [True, False]
        assert made.memories.all() == []


class KnownCopies:
    """Lines of notes that were made from texts, and what was asked of them."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []
        self.forgotten: list[Sequence[DerivedLine]] = []

    def copies_of(self, texts: Sequence[str]) -> Sequence[DerivedLine]:
        self.asked.append(texts)
        return [DerivedLine("day.md", 4, "- Today it stands there")] if SAID in texts else []

    def forget_copies(self, lines: Sequence[DerivedLine]) -> None:
        self.forgotten.append(lines)


def test_lines_of_notes_that_were_made_from_a_memory_are_erased_with_it_unless_they_are_to_stay(m: Workspace) -> None:
    notes = m.ledger.forgetting.notes = KnownCopies()
    for text in ("the lamp is green", SAID):
        m.memories.store(text)
    m.memories.forget(source="nobody", yes=True)
    assert (m.memories.forget(2, dry_run=True, only=True).derived, notes.asked) == ((), [])
    seen = m.memories.forget(2, dry_run=True)
    assert [(one.id, one.text) for one in seen.derived] == [("day.md:4", "- Today it stands there")]
    m.memories.forget(1, yes=True)
    assert notes.forgotten == []
    done = m.memories.forget(2, yes=True)
    assert [(one.id, one.text) for one in done.derived] == [("day.md:4", "")]
    assert notes.forgotten == [(DerivedLine("day.md", 4, "- Today it stands there"),)]
    assert notes.asked == [[SAID], ["the lamp is green"], [SAID]]
