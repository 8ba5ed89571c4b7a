"""What every ledger must do, whatever keeps it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from memoro.errors import MemoryNotFound, MemoryRefused, NotFound, StoreError
from memoro.ledger.archive import PruneLimits
from memoro.ledger.checkup import checkup
from memoro.ledger.exchange.export import export
from memoro.ledger.exchange.importing import import_
from memoro.ledger.ports import Ledger
from memoro.ledger.services import Choices, LedgerServices, Who
from memoro.memories.lifecycle import Weights
from memoro.model.changes import MemoryAdded
from memoro.model.experiences import Experience
from memoro.model.items import ItemPut
from memoro.model.journal import JournalEntry
from memoro.model.ledger import LedgerMarks
from memoro.model.listing import (
    EXPERIENCE_SORTS,
    MEMORY_SORTS,
    ExperienceFilter,
    ListOrder,
    MemoryFilter,
    PageStart,
    page_start,
)
from memoro.model.memories import Memory, moment
from memoro.model.recalls import StoredItem, StoredRecall
from memoro.model.scope import Scope
from memoro.model.sessions import Session
from memoro.store.opening import LedgerStores
from memoro.store.plain.ledger import PlainLedger
from tests.conftest import times
from tests.ledger_machine import AgainstThePlainLedger, observed
from tests.ledger_stores import STORES, LedgerStore
from tests.ledgers import index_in_memory

NOW = "2026-03-05T12:00:00.000Z"


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerStore:
    return STORES[request.param](tmp_path / "home")


@pytest.fixture
def ledger(store: LedgerStore) -> Iterator[Ledger]:
    with closing(store.open()) as opened:
        yield opened


def a_memory(content: str, number: int = 0, **fields: object) -> Memory:
    made = Memory(id=number, content=content, source="agent", trust="agent_inferred", created_at=NOW)
    return made._replace(**fields)  # type: ignore[arg-type]


def an_entry(item: int, actor: str = "agent", operation: Literal["store", "undo"] = "store") -> JournalEntry:
    return JournalEntry(id=0, at=NOW, actor=actor, change=MemoryAdded(operation, item))


def write(ledger: Ledger, content: str, actor: str = "agent") -> int:
    """One memory, with its entry in the journal."""
    with ledger.writing() as tx:
        number = tx.memories.insert(a_memory(content), content.encode()).id
        tx.journal.add(an_entry(number, actor))
    return number


def contents(ledger: Ledger) -> list[str]:
    with ledger.reading() as tx:
        return [memory.content for memory in tx.memories.all()]


@pytest.mark.parametrize("name", STORES)
def test_it_says_what_the_plain_ledger_says_after_any_changes(name: str) -> None:
    class Machine(AgainstThePlainLedger):
        def __init__(self) -> None:
            super().__init__(STORES[name])

    examples = hypothesis_settings(max_examples=times(15, 1000, quick=4), stateful_step_count=40)
    run_state_machine_as_test(Machine, settings=examples)


# Transactions


class Broken(Exception):
    pass


def test_a_transaction_that_raises_leaves_nothing(ledger: Ledger) -> None:
    write(ledger, "kept")
    with ledger.reading() as tx:
        before = observed(tx)
    with pytest.raises(Broken), ledger.writing() as tx:
        tx.memories.insert(a_memory("broken off"), b"x")
        tx.memories.delete(1)
        tx.journal.add(an_entry(2))
        tx.meta.put("value", "broken off")
        raise Broken
    with ledger.reading() as tx:
        assert observed(tx) == before
    assert write(ledger, "goes on") == 2


def test_a_number_that_is_taken_is_refused_and_its_transaction_leaves_nothing(ledger: Ledger) -> None:
    write(ledger, "first")
    with pytest.raises(StoreError), ledger.writing() as tx:
        tx.memories.insert(a_memory("before it"), b"x")
        tx.memories.insert(a_memory("the same number", 1), b"y")
    assert contents(ledger) == ["first"]


def test_a_block_inside_a_write_sees_the_write(ledger: Ledger) -> None:
    with ledger.writing() as tx:
        tx.memories.insert(a_memory("written"), b"x")
        with ledger.reading() as nested:
            assert [memory.content for memory in nested.memories.all()] == ["written"]


def test_a_reader_keeps_to_its_moment_while_another_handle_writes(store: LedgerStore) -> None:
    if not store.has_handles:
        pytest.skip("one handle at a time")
    with closing(store.open()) as reader, closing(store.open()) as writer:
        write(writer, "before")
        with reader.reading() as tx:
            assert tx.memories.count() == 1
            thread = threading.Thread(target=write, args=(writer, "during"))
            thread.start()
            thread.join()
            assert tx.memories.count() == 1
            assert tx.journal.last() == 1
            with reader.reading() as nested:
                assert nested.memories.count() == 1
        assert contents(reader) == ["before", "during"]


def test_what_was_committed_is_there_after_it_is_opened_again(store: LedgerStore) -> None:
    if not store.is_durable:
        pytest.skip("kept nowhere")
    with closing(store.open()) as ledger:
        write(ledger, "kept")
        with ledger.reading() as tx:
            before = observed(tx)
    with closing(store.open()) as ledger, ledger.reading() as tx:
        assert observed(tx) == before


# Concurrent writers, and consumers that follow the journal

EACH = times(12, 120)
WRITERS = 3


def follow(ledger: Ledger, until: Callable[[], bool], seen: list[int]) -> None:
    """Read the journal by position until all writers are done, as the index does."""
    position, last_look = 0, False
    while True:
        last_look = until()
        with ledger.reading() as tx:
            new = [entry.id for entry in tx.journal.after(position)]
            assert tx.journal.last() == (new[-1] if new else position)
        seen += new
        position = seen[-1] if seen else 0
        if last_look:
            return


def check_all_written(ledger: Ledger, seen: list[int], writers: int) -> None:
    with ledger.reading() as tx:
        entries = list(tx.journal.all())
        memories = {memory.id: memory.content for memory in tx.memories.all()}
    assert Counter(entry.actor for entry in entries) == {f"writer {n}": EACH for n in range(writers)}
    assert sorted(memories.values()) == sorted(f"{n}/{k}" for n in range(writers) for k in range(EACH))
    assert all(memories[int(entry.item)].startswith(entry.actor.removeprefix("writer ")) for entry in entries)
    assert seen == [entry.id for entry in entries] == sorted(set(seen))


def work(ledger: Ledger, writer: int) -> None:
    for number in range(EACH):
        write(ledger, f"{writer}/{number}", f"writer {writer}")


@pytest.mark.parametrize("shared", [True, False], ids=["one handle", "a handle each"])
def test_threads_that_write_at_once_lose_nothing_and_a_follower_sees_all_in_order(
    store: LedgerStore, shared: bool
) -> None:
    if not shared and not store.has_handles:
        pytest.skip("one handle at a time")
    first = store.open()
    handles = [first if shared else store.open() for _ in range(WRITERS + 1)]
    threads = [threading.Thread(target=work, args=(handles[n], n)) for n in range(WRITERS)]
    seen: list[int] = []
    for thread in threads:
        thread.start()
    follow(handles[WRITERS], lambda: not any(thread.is_alive() for thread in threads), seen)
    for thread in threads:
        thread.join()
    check_all_written(first, seen, WRITERS)
    for handle in {id(one): one for one in handles}.values():
        handle.close()


WRITER = """
import sys
from tests.test_ledger_contract import work
work(ledger, int(sys.argv[1]))
"""


def started(store: LedgerStore, program: str, *arguments: str) -> subprocess.Popen[str]:
    assert store.program
    command = [sys.executable, "-c", store.program + program, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent)


@pytest.mark.process
def test_processes_that_write_at_once_lose_nothing_and_a_follower_sees_all_in_order(store: LedgerStore) -> None:
    if not store.program:
        pytest.skip("of one process")
    processes = [started(store, WRITER, str(number)) for number in range(2)]
    seen: list[int] = []
    with closing(store.open()) as ledger:
        follow(ledger, lambda: all(process.poll() is not None for process in processes), seen)
        assert [process.wait() for process in processes] == [0, 0]
        check_all_written(ledger, seen, 2)
    for process in processes:
        assert process.stdout
        process.stdout.close()


DIES = """
from tests.test_ledger_contract import a_memory, an_entry, write
write(ledger, "acknowledged")
with ledger.writing() as tx:
    tx.memories.insert(a_memory("in vain"), b"x")
    tx.journal.add(an_entry(2))
    tx.contents.keep(b"in vain")
    print("written", flush=True)
    import time
    time.sleep(60)
"""


@pytest.mark.process
def test_a_process_that_is_killed_inside_a_transaction_leaves_nothing_of_it(store: LedgerStore) -> None:
    if not store.program:
        pytest.skip("of one process")
    with started(store, DIES) as process:
        assert process.stdout and process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    with closing(store.open()) as ledger:
        assert contents(ledger) == ["acknowledged"]
        with ledger.reading() as tx:
            assert (tx.journal.last(), list(tx.contents.all())) == (1, [])
        assert ledger.check() == []
        assert write(ledger, "goes on") == 2


# Numbers


def test_a_number_is_not_given_again_after_its_row_is_gone(ledger: Ledger) -> None:
    assert [write(ledger, "one"), write(ledger, "two")] == [1, 2]
    with ledger.writing() as tx:
        tx.memories.delete(2)
    assert write(ledger, "three") == 3
    with ledger.writing() as tx:
        tx.numbers.reserve("memories", 10)
        assert tx.numbers.highest("memories") == 10
        tx.numbers.reserve("memories", 4)
    assert write(ledger, "eleven") == 11


@pytest.mark.parametrize("number", [0, -1, 99, 2**63, 10**20])
def test_what_is_not_there_is_not_found(ledger: Ledger, number: int) -> None:
    with ledger.reading() as tx:
        assert [tx.memories.find(number), tx.experiences.find(number), tx.items.find(number)] == [None] * 3
        with pytest.raises(MemoryNotFound, match=str(abs(number))):
            tx.memories.get(number)
        for get in (tx.experiences.get, tx.narratives.get, tx.journal.get, tx.proposals.get):
            with pytest.raises(NotFound, match=str(abs(number))):
                get(number)
        assert not tx.journal.history("memory", number) and not tx.links.of(number)
        assert not tx.narratives.resting_on(number) and not tx.memories.superseded_by(number)


def test_an_entry_is_restored_before_the_one_that_it_points_to(ledger: Ledger) -> None:
    undone = an_entry(1)._replace(id=4, undone_by=7)
    undo = an_entry(1, operation="undo")._replace(id=7, undoes=4)
    with ledger.writing() as tx:
        tx.journal.restore(undone)
        tx.journal.restore(undo)
    with ledger.reading() as tx:
        assert list(tx.journal.all()) == [undone, undo]
        assert tx.journal.last() == 7
        assert [tx.journal.made_at(position) for position in (4, 5, 7, 2**70)] == [undone.at, None, undo.at, None]
    with ledger.writing() as tx:
        assert tx.journal.add(an_entry(2)) == 8


# Upkeep and copies


def test_the_change_token_tells_that_something_was_written(ledger: Ledger) -> None:
    write(ledger, "one")
    before = ledger.change_token()
    assert before is not None
    write(ledger, "two")
    assert ledger.change_token() not in (None, before)


def test_a_ledger_is_sound_has_a_size_and_loses_nothing_by_being_cleaned(ledger: Ledger) -> None:
    for number in range(20):
        write(ledger, f"number {number}")
    with ledger.writing() as tx:
        for number in range(1, 11):
            tx.memories.delete(number)
    with ledger.reading() as tx:
        before, sizes = observed(tx), tx.sizes()
    assert 0 < sizes.live <= sum(sizes.tables.values())
    ledger.scrub()
    ledger.compact()
    assert ledger.check() == []
    with ledger.reading() as tx:
        assert observed(tx) == before


def test_a_copy_is_as_of_the_block_it_is_made_in_and_can_be_taken_over(store: LedgerStore, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(store.open()) as ledger:
        write(ledger, "copied")
        with ledger.reading() as tx:
            before = observed(tx)
            rows = ledger.copy_to(str(copy))
        write(ledger, "later")
        assert ledger.check_copy(str(copy), rows) == []
        assert ledger.check_copy(str(copy), {**rows, "memories": 2}) != []
        with ledger.reading_copy(str(copy)) as old:
            assert observed(old) == before
        ledger.become_copy(str(copy))
        with ledger.reading() as tx:
            kept = {"numbers": [2, 2, 0, 0]} if store.is_shared else {}
            assert observed(tx) == before | kept
        assert write(ledger, "goes on") == (3 if store.is_shared else 2)


def test_a_copy_is_changed_by_itself(store: LedgerStore, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(store.open()) as ledger:
        write(ledger, "copied")
        ledger.copy_to(str(copy))
        with closing(ledger.open_copy(str(copy))) as other:
            write(other, "in the copy")
            other.compact()
        assert contents(ledger) == ["copied"]
        ledger.become_copy(str(copy))
        assert contents(ledger) == ["copied", "in the copy"]


def test_a_copy_that_is_not_there_or_not_whole_is_noticed(ledger: Ledger, tmp_path: Path) -> None:
    write(ledger, "copied")
    copy = tmp_path / "copy"
    copy.mkdir()
    assert ledger.check_copy(str(copy), {}) != []
    rows = ledger.copy_to(str(copy))
    (file,) = copy.iterdir()
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert ledger.check_copy(str(copy), rows) != []


# The archive, and words


def test_the_archive_keeps_memories_under_their_numbers(store: LedgerStore) -> None:
    with closing(store.archive()) as archive:
        with archive.writing() as tx:
            tx.memories.insert(a_memory("green tea", 7, tags=("drink",)), b"d")
        with pytest.raises(Broken), archive.writing() as tx:
            tx.memories.delete(7)
            raise Broken
        with archive.reading() as tx:
            assert [memory.id for memory in tx.memories.all()] == [7]
            assert tx.memories.by_digest(b"d")[0].tags == ("drink",)
            words = tx.words.terms("teas")
            assert [one.number for one in tx.words.fits(words)] == [7]
        assert archive.check() == []


TEXTS = st.lists(st.sampled_from(["tea", "cup", "pot", "green", "jug"]), min_size=1, max_size=5).map(" ".join)


@pytest.mark.parametrize("name", STORES)
@hypothesis_settings(max_examples=times(10, 500))
@given(kept=st.lists(TEXTS, max_size=6), asked=TEXTS)
def test_an_archived_memory_is_found_by_its_words_best_first(
    name: str, tmp_path_factory: pytest.TempPathFactory, kept: list[str], asked: str
) -> None:
    with closing(STORES[name](tmp_path_factory.mktemp("home") / "home").archive()) as archive:
        with archive.writing() as tx:
            numbers = {tx.memories.insert(a_memory(text), text.encode()).id: text for text in kept}
        with archive.reading() as tx:
            words = list({word.stem: word for word in tx.words.terms(asked)}.values())
            found = list(tx.words.fits(words))
            held = [text for text in kept if set(text.split()) & set(asked.split())]
            assert sorted(numbers[one.number] for one in found) == sorted(held)
            assert [one.fit for one in found] == sorted((one.fit for one in found), reverse=True)
            assert all(0 < one.fit <= 1 for one in found)


def test_the_plain_archive_ranks_by_words_as_the_database_does(tmp_path: Path) -> None:
    texts = ["green tea", "tea tea tea", "a pot of green tea in a cup", "jug", "cup"]
    found = []
    for archive in (STORES["sqlite file"](tmp_path / "home").archive(), PlainLedger()):
        with closing(archive):
            with archive.writing() as tx:
                for text in texts:
                    tx.memories.insert(a_memory(text), text.encode())
            with archive.reading() as tx:
                found.append({one.number: round(one.fit, 6) for one in tx.words.fits(tx.words.terms("green cup"))})
    assert found[0] == found[1]


# The services, which know nothing but the port


def services(store: LedgerStore, home: Path) -> LedgerServices:
    home.mkdir(exist_ok=True)
    made = LedgerServices(
        str(home),
        Choices(Weights(), PruneLimits(10**9, 1.0, 0), "0 4 * * *"),
        Who(None, None, (), lambda: moment(NOW)),
        index_in_memory(),
        lambda _home, _hook, _newest: LedgerStores(store.open(), store.archive()),
    )
    made.access.after_write = lambda: None
    return made


def test_the_services_keep_archive_undo_back_up_and_forget_on_every_store(store: LedgerStore, tmp_path: Path) -> None:
    with closing(services(store, tmp_path / "backups of")) as made:
        for text in ("green tea", "black tea", "a cup", "the secret pot"):
            made.memories.store(text, key=text)
        assert made.memories.store("green tea", key="green tea").memory.id == 1
        made.memories.supersede(1, 2)
        made.memories.archive(3)
        made.narratives.update("We drink tea", [2])
        made.items.put(
            "langgraph", [ItemPut(namespace=("a",), key="k", value={"text": "jug"}, says=lambda _v: "jug")]
        )
        backup = made.backups.create()
        assert made.backups.verify(backup.name).problems == ()
        assert [one.memory.id for one in made.memories.query("tea cup", archived=True).results] == [2, 3]

        made.memories.forget(4, yes=True)
        made.memories.remove(2)
        made.journal.undo()
        assert [entry.operation for entry in made.journal.log(2)] == ["undo", "remove"]
        made.backups.restore(backup.name)
        assert [memory.content for memory in made.memories.all()] == ["black tea", "jug"]
        with pytest.raises(MemoryRefused, match="forgotten"):
            made.memories.store("the secret pot")
        assert made.memories.store("new").memory.id == 6
        assert [finding.state for finding in checkup(made, deep=True) if finding.state != "ok"] == []


@pytest.mark.parametrize("into", STORES)
def test_an_export_of_any_store_is_restored_into_any_other(store: LedgerStore, into: str, tmp_path: Path) -> None:
    with closing(services(store, tmp_path / "from")) as made:
        made.memories.store("green tea")
        made.memories.update(1, "black tea")
        made.memories.store("a cup")
        made.memories.archive(2)
        lines: list[str] = []
        export(made.access, lines.append)
    file = tmp_path / "export.jsonl"
    file.write_text("".join(lines))
    with closing(services(STORES[into](tmp_path / "into"), tmp_path / "to")) as other:
        assert import_(other.access, file).restored
        again: list[str] = []
        export(other.access, again.append)
    assert again == lines


# Lists


@pytest.mark.parametrize("sort", MEMORY_SORTS)
def test_pages_of_memories_follow_one_another_whatever_is_written_between_them(ledger: Ledger, sort: str) -> None:
    with ledger.writing() as tx:
        for number in range(1, 12):
            hit = f"2026-03-0{number % 3 + 1}T12:00:00.000Z"
            tx.memories.insert(a_memory(f"tea {number}", feedback=number % 4 - 1, hit_at=hit), b"%d" % number)
        tx.sessions.insert(Session("s", NOW, None, None, Scope()))
        for items in (("memory:3", "memory:5"), ("memory:5", "memory:10", "note:x.md#1")):
            tx.sessions.add(a_recall(), [StoredItem(item, "text") for item in items], None)
    with ledger.reading() as tx:
        whole = [one.id for one, _ in tx.memories.page(MemoryFilter(), ListOrder(sort, NOW), 100)]
    assert sorted(whole) == list(range(1, 12))
    walked: list[int] = []
    order = ListOrder(sort, NOW)
    while True:
        with ledger.writing() as tx:
            page = tx.memories.page(MemoryFilter(), order, 3)
            walked += [one.id for one, _ in page]
            tx.memories.insert(a_memory("written meanwhile", superseded_by=1), b"later")
            if walked and (gone := tx.memories.find(walked[0])):
                tx.memories.delete(gone.id)
        if len(page) < 3:
            break
        last, value = page[-1]
        key = PageStart(sort=sort, value=value, number=last.id, at=NOW).key()
        order = ListOrder(sort, NOW, page_start(key, sort))
    assert walked == whole


@pytest.mark.parametrize("sort", EXPERIENCE_SORTS)
def test_pages_of_experiences_follow_one_another(ledger: Ledger, sort: str) -> None:
    with ledger.writing() as tx:
        for number in range(1, 8):
            one = Experience(
                id=0, type="task_solution", intent=f"tea {number}", solution_json='"x"', success=number % 3 / 2,
                source="agent", trust="agent_inferred", created_at=NOW, uses=number % 2,
                used_at=None if number % 2 else "2026-03-04T12:00:00.000Z",
            )  # fmt: skip
            tx.experiences.insert(one, b"%d" % number)
    with ledger.reading() as tx:
        whole = [one.id for one, _ in tx.experiences.page(ExperienceFilter(), ListOrder(sort, NOW), 100)]
        walked: list[int] = []
        order = ListOrder(sort, NOW)
        while page := tx.experiences.page(ExperienceFilter(), order, 2):
            walked += [one.id for one, _ in page]
            last, value = page[-1]
            order = ListOrder(sort, NOW, PageStart(sort=sort, value=value, number=last.id, at=NOW))
    assert walked == whole and sorted(whole) == list(range(1, 8))


def test_all_recalls_are_read_in_their_order_while_each_is_written_anew(ledger: Ledger) -> None:
    """There are more than any store reads at once."""
    with ledger.writing() as tx:
        tx.sessions.insert(Session("s", NOW, None, None, Scope()))
        numbers = [tx.sessions.add(a_recall(), [], None) for _ in range(450)]
        read = []
        for recall in tx.sessions.all_recalls():
            read.append(recall.number)
            tx.sessions.replace_recall(recall._replace(message=f"message {recall.number}"))
    assert read == numbers
    with ledger.reading() as tx:
        assert [one.message for one in tx.sessions.all_recalls()] == [f"message {number}" for number in numbers]


def a_recall() -> StoredRecall:
    return StoredRecall(number=0, session="s", at=NOW, form="full", message="m", boundary="b", detail={})


def test_the_marks_of_any_store_move_with_its_journal_and_its_proposals(store: LedgerStore, tmp_path: Path) -> None:
    with closing(services(store, tmp_path)) as made:

        def marks() -> LedgerMarks:
            with made.access.ledger.reading() as tx:
                return tx.marks("2026-03-05T14:02:11.123Z")

        before = marks()
        made.memories.store("green tea")
        stored = marks()

    assert before == LedgerMarks(changes=0, recalls=0, proposals=0)
    assert stored == LedgerMarks(changes=1, recalls=0, proposals=0)
