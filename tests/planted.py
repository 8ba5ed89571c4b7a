"""Faults to plant into the running code, each with the test that guards against it.

A fault names what it breaks by its dotted path and gives the wrong behaviour as Python, so that it
holds while the code around it is rewritten; a target that is gone is an error that names the fault.
`python -m tests.planted NAME…` runs the guards without and with each fault and prints a line of JSON
for each: see `tests/test_planted_faults.py`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FunctionType
from typing import Any, NamedTuple

SITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted_site")


class Fault(NamedTuple):
    """One defect.

    `wrong` stands in for the function at `target`, which it gets as its first argument, or makes a
    wrong value out of the right one. `guard` must pass without it and fail with it.
    """

    target: str
    wrong: Callable[..., Any]
    guard: str
    slow: bool = False  # found by a longer test, or by chance and repetition: in `make campaign`


FAULTS: dict[str, Fault] = {}


def fault(name: str, target: str, guard: str, *, slow: bool = False) -> Callable[[Callable[..., Any]], None]:
    def add(wrong: Callable[..., Any]) -> None:
        assert name not in FAULTS
        FAULTS[name] = Fault(target, wrong, guard, slow)

    return add


# The index.


@fault(
    "a sync that began before counts for another",
    "memoro.index.single_flight.SyncReceipt.does",
    "test_triggers.py::test_a_sync_that_began_before_one_asked_does_not_count",
)
def _(right, done, wanted, *, now):
    return right(done, wanted._replace(began=0), now=now)


@fault(
    "every one who waited syncs",
    "memoro.index.single_flight.SyncReceipt.does",
    "test_triggers.py::test_of_many_who_wait_one_syncs_and_the_others_have_what_it_did",
)
def _(_right, *_arguments, **_options):
    return False


@fault(
    "a sync of notes takes logs for gone",
    "memoro.index.sync.look",
    "test_triggers.py::test_a_sync_of_one_half_leaves_the_other_as_it_was",
)
def _(right, index, vault, rules, what="both"):
    class OneHalf:
        def list(self, _what):
            return vault.list(what)

    return right(index, OneHalf(), rules)


@fault(
    "a message that changes hands is not kept",
    "memoro.index.sync_run.SyncRun._keep_stale",
    "test_triggers.py::test_a_message_that_changes_hands_is_not_lost_where_the_sync_is_broken_off",
)
def _(_right, _work):
    return None


@fault(
    "a serve that holds no lock",
    "memoro.store.serving.claimed",
    "test_serve.py::test_a_home_is_claimed_by_one_at_a_time",
)
def _(_right, home):
    from memoro.store.serving import lock_of

    yield lock_of(home)


@fault(
    "no kernel lock",
    "memoro.store.lock.KernelLock.held",
    "test_lock.py::test_a_lock_held_by_one_process_is_not_had_by_another",
)
def _(_right, _lock):
    yield


@fault("no transaction", "apsw.Connection", "test_lock.py::test_a_failed_write_leaves_nothing_half_done")
def _(right):
    class WithoutTransactions(right):  # type: ignore[misc, valid-type]
        def execute(self, statements, *arguments, **options):
            ends = statements.startswith(("BEGIN", "COMMIT", "ROLLBACK"))
            return super().execute("" if ends else statements, *arguments, **options)

    return WithoutTransactions


@fault(
    "links to files are followed", "memoro.vault.files._FILE_FLAGS", "test_vault_files.py::test_no_path_leads_outside"
)
def _(right):
    return right & ~os.O_NOFOLLOW


@fault(
    "links to folders are followed",
    "memoro.vault.files.FOLDER_FLAGS",
    "test_vault_files.py::test_no_path_leads_outside",
)
def _(right):
    return right & ~os.O_NOFOLLOW


@fault("line numbers off by one", "memoro.index.chunk.chunk", "test_chunk.py::test_line_numbers_are_true")
def _(right, *arguments, **options):
    return [chunk._replace(start_line=chunk.start_line + 1) for chunk in right(*arguments, **options)]


@fault("scores upside down", "memoro.search.rank.rank", "test_rank.py::test_better_matches_score_higher_not_lower")
def _(right, *arguments):
    return right(*arguments)[::-1]


@fault("no brake", "memoro.index.plan.brakes", "test_sync.py::test_many_notes_gone_at_once_stop_the_sync")
def _(_right, _gone, _known):
    return False


@fault(
    "size and time are believed",
    "memoro.vault.contents.read_whole",
    "test_vault_files.py::test_a_note_written_a_moment_ago_will_be_read_again",
    slow=True,
)
def _(right, *arguments, **options):
    content = right(*arguments, **options)
    return content and content._replace(trusted=True)


@fault(
    "a hidden note stays in the word index",
    "memoro.store.sqlite.index_changes._forget_chunks",
    "test_index_contract.py::test_a_hidden_file_is_not_found_and_not_forgotten",
)
def _(_right, _db, _path):
    return []


@fault(
    "who ties with the last is cut off",
    "memoro.store.sqlite.index_queries._first",
    "test_index_contract.py::test_who_ties_with_the_last_is_not_cut_off",
)
def _(right, db, condition, values, limit):
    return right(db, condition, values, limit)[:limit]


@fault(
    "an old SQLite is trusted with a log",
    "memoro.store.sqlite.engine.engine",
    "test_engine.py::test_a_library_below_the_floor_keeps_no_log",
)
def _(right, folder):
    from memoro.store.file_systems import LOCAL_FILE_SYSTEMS

    chosen = right(folder)
    return chosen._replace(wal=chosen.file_system in LOCAL_FILE_SYSTEMS)


# The ledger.


@fault(
    "no fsync",
    "apsw.Connection",
    "test_ledger_power.py::test_a_power_cut_takes_nothing_that_was_acknowledged[log]",
)
def _(right):
    class WithoutSync(right):  # type: ignore[misc, valid-type]
        def pragma(self, name, *value, **options):
            return super().pragma(name, *(["OFF"] if name == "synchronous" else value), **options)

    return WithoutSync


@fault(
    "writers of the ledger do not queue",
    "memoro.store.lock.KernelLock.held",
    "test_ledger_faults.py::test_a_writer_queues_behind_another_and_a_reader_does_not",
)
def _(_right, _lock):
    yield


@fault(
    "archive in the ledger file",
    "memoro.store.sqlite.durable.DurableDatabase.__init__",
    "test_ledger_faults.py::test_what_is_pruned_leaves_the_file_of_the_ledger",
    slow=True,
)
def _(right, database, file, *arguments, **options):
    right(database, file.replace("archive.db", "ledger.db"), *arguments, **options)


@fault(
    "no secure delete",
    "apsw.Connection",
    "test_forget_bytes.py::test_nothing_is_left_of_what_was_forgotten[kept]",
)
def _(right):
    class WithoutSecureDelete(right):  # type: ignore[misc, valid-type]
        def pragma(self, name, *value, **options):
            return super().pragma(name, *([False] if name == "secure_delete" else value), **options)

    return WithoutSecureDelete


@fault(
    "no inode check",
    "memoro.store.sqlite.durable.DurableDatabase._is_in_place",
    "test_ledger_faults.py::test_a_ledger_that_is_swapped_under_a_living_process_is_noticed[unlinked]",
)
def _(_right, _database):
    return True


@fault(
    "forgetting is never finished",
    "memoro.ledger.housekeeping.Housekeeping.__init__",
    "test_forget_bytes.py::test_forgetting_that_was_broken_off_is_completed_by_what_comes_next[a write]",
)
def _(right, housekeeping, *arguments, **options):
    right(housekeeping, *arguments, **options)
    del housekeeping.errands[0]


@fault(
    "no page checksums",
    "memoro.store.sqlite.engine.engine",
    "test_ledger_corruption.py::test_bytes_flipped_anywhere_are_never_taken_for_the_truth",
    slow=True,
)
def _(right, folder):
    return right(folder)._replace(vfs=None)


@fault(
    "an empty file is taken for a new ledger",
    "memoro.store.sqlite.database_file.DatabaseFile.make_if_missing",
    "test_ledger_corruption.py::test_an_emptied_file_does_not_take_its_log_with_it",
    slow=True,
)
def _(right, place, fill):
    if not os.path.exists(place.name):
        right(place, fill)


@fault(
    "writing goes on after damage",
    "memoro.store.sqlite.durable.DurableDatabase.write",
    "test_ledger_corruption.py::test_bytes_flipped_anywhere_are_never_taken_for_the_truth",
    slow=True,
)
def _(right, database):
    aside = f"{database.damaged_copy}.aside"
    with suppress(FileNotFoundError):
        os.rename(database.damaged_copy, aside)
    try:
        with contextmanager(right)(database) as db:
            yield db
    finally:
        with suppress(FileNotFoundError):
            os.rename(aside, database.damaged_copy)


@fault(
    "a failed disk is trusted at once",
    "memoro.store.sqlite.durable.DurableDatabase._checked",
    "test_ledger_faults.py::test_after_a_failed_sync_nothing_is_acknowledged_before_the_file_was_looked_at",
)
def _(right, database, db):
    database._doubtful = False
    return right(database, db)


@fault(
    "out of the ledger before it is in the archive",
    "memoro.ledger.archive.Archiving._move",
    "test_ledger_corruption.py::test_a_memory_that_the_archive_cannot_take_stays_in_the_ledger",
)
def _(right, archiving, tx, memories, *arguments, **options):
    for memory in memories:
        tx.memories.delete(memory.id)
    tx._db.execute("COMMIT")
    tx._db.execute("BEGIN IMMEDIATE")
    right(archiving, tx, memories, *arguments, **options)


@fault(
    "a moment that begins late",
    "apsw.Connection",
    "test_backups.py::test_a_restored_backup_is_the_state_at_its_time_while_four_processes_write",
    slow=True,
)
def _(right):
    class LateMoment(right):  # type: ignore[misc, valid-type]
        began = False

        def execute(self, statements, *arguments, **options):
            first_look = self.began and "sqlite_schema" in statements
            self.began = statements == "BEGIN"
            return super().execute("" if first_look else statements, *arguments, **options)

    return LateMoment


@fault(
    "what was forgotten comes back with a backup",
    "memoro.ledger.backups.Backups._forget_again",
    "test_backups.py::test_what_was_forgotten_stays_forgotten_after_a_restore",
    slow=True,
)
def _(_right, *_arguments, **_options):
    return None


# Planting.


class TargetGone(Exception):
    """A fault names something that the code no longer has."""


_stand_ins: dict[str, Callable[..., Any]] = {}  # by target, with the right function as first argument


def plant(name: str) -> Callable[[], None]:
    """Put the fault into the running code; returns what takes it out again.

    A function is changed in place, so that whoever imported it by name has the fault too.
    """
    target, wrong, *_ = FAULTS[name]
    holder, attribute = _holder(name, target)
    found: Any = vars(holder)[attribute] if attribute in vars(holder) else getattr(holder, attribute)
    function: Any = found.fget if isinstance(found, property) else found
    while hasattr(function, "__wrapped__"):  # below a decorator such as contextmanager
        function = function.__wrapped__
    if isinstance(function, FunctionType) and not function.__code__.co_freevars:
        return _in_place(function, target, wrong)
    setattr(holder, attribute, wrong(found))
    return lambda: setattr(holder, attribute, found)


def _holder(name: str, target: str) -> tuple[Any, str]:
    """The module or class that has the target, and the target's name in it."""
    parts = target.split(".")
    for split in range(len(parts) - 1, 0, -1):
        try:
            holder: Any = import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:-1]:
            holder = getattr(holder, part, None)
        if hasattr(holder, parts[-1]):
            return holder, parts[-1]
        break
    raise TargetGone(
        f"the fault {name!r} is planted at {target}, which is not there: plant it anew in tests/planted.py"
    )


def _in_place(function: FunctionType, target: str, wrong: Callable[..., Any]) -> Callable[[], None]:
    before = function.__code__, function.__defaults__, function.__kwdefaults__
    right = FunctionType(before[0], function.__globals__, function.__name__, before[1])
    right.__kwdefaults__ = before[2]
    _stand_ins[target] = lambda *arguments, **options: wrong(right, *arguments, **options)
    made: dict[str, Any] = {}
    exec(
        "def stand_in(*arguments, **options):\n"
        "    from tests.planted import _stand_ins\n"
        f"    return _stand_ins[{target!r}](*arguments, **options)\n",
        made,
    )
    function.__code__, function.__defaults__, function.__kwdefaults__ = made["stand_in"].__code__, None, None

    def restore() -> None:
        function.__code__, function.__defaults__, function.__kwdefaults__ = before

    return restore


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Code in the block, and every process that it starts, has the fault."""
    restore = plant(name)
    os.environ["PLANTED_FAULT"] = name
    try:
        yield
    finally:
        del os.environ["PLANTED_FAULT"]
        restore()


# Running guards.


class Outcome(NamedTuple):
    code: int  # of pytest: 0 if all passed, 1 if one failed
    errors: list[str]  # the types of the exceptions that made tests fail
    report: str


def run_guards(guards: list[str]) -> Outcome:
    import io
    from contextlib import redirect_stdout

    import pytest

    errors: list[str] = []

    class Recorder:
        def pytest_exception_interact(self, call: pytest.CallInfo[None]) -> None:
            if call.excinfo:
                errors.append(call.excinfo.type.__name__)

    options = ["-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=planted", "--no-header"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = pytest.main([*options, *(f"tests/{guard}" for guard in guards)], plugins=[Recorder()])
    return Outcome(int(code), errors, printed.getvalue()[-3000:])


def main(names: list[str]) -> None:
    from hypothesis import Phase, settings

    # One failing example is enough: no time is spent on a smaller one, and none is kept.
    settings.register_profile("planted", deadline=None, max_examples=60, phases=[Phase.generate], database=None)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (SITE, os.environ.get("PYTHONPATH", ""))))
    guards = list(dict.fromkeys(FAULTS[name].guard for name in names))
    print(json.dumps(["", run_guards(guards)]), flush=True)
    for name in names:
        with planted(name):
            print(json.dumps([name, run_guards([FAULTS[name].guard])]), flush=True)


if __name__ == "__main__":
    import_module("tests.planted").main(sys.argv[1:])  # by the name under which stand-ins find it
