"""The tests of the ledger can fail: each fault planted here turns the test that guards against it red."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CAMPAIGN
from tests.test_planted_faults import ROOT, Fault

FAULTS = {
    "no fsync": Fault(
        "store/sqlite/durable.py",
        'return connect(self.file, self.engine, synchronous="FULL", create=self.file == IN_MEMORY)',
        'return connect(self.file, self.engine, synchronous="OFF", create=self.file == IN_MEMORY)',
        "test_ledger_power.py::test_a_power_cut_takes_nothing_that_was_acknowledged[log]",
    ),
    "no kernel lock": Fault(
        "store/sqlite/durable.py",
        "return self._queue.held() if self._queue else nullcontext()",
        "return nullcontext()",
        "test_ledger_faults.py::test_a_writer_queues_behind_another_and_a_reader_does_not",
    ),
    "archive in the ledger file": Fault(
        "store/sqlite/ledger/files.py",
        'ARCHIVE_FILE = "archive.db"',
        'ARCHIVE_FILE = "ledger.db"',
        "test_ledger_faults.py::test_what_is_pruned_leaves_the_file_of_the_ledger",
    ),
    "no secure delete": Fault(
        "store/sqlite/durable.py",
        'db.pragma("secure_delete", True)',
        'db.pragma("secure_delete", False)',
        "test_forget_bytes.py::test_nothing_is_left_of_what_was_forgotten[kept]",
    ),
    "no inode check": Fault(
        "store/sqlite/durable.py",
        "return (status.st_dev, status.st_ino) == self._inode",
        "return True",
        "test_ledger_faults.py::test_a_ledger_that_is_swapped_under_a_living_process_is_noticed[replaced]",
    ),
    "forgetting is never finished": Fault(
        "ledger/housekeeping.py",
        """            ("", finish),\n""",
        "",
        "test_forget_bytes.py::test_forgetting_that_was_broken_off_is_completed_by_what_comes_next[a write]",
    ),
}
# Found by longer tests, or by chance and repetition.
MORE_FAULTS = {
    "no page checksums": Fault(
        "store/sqlite/engine.py",
        "return Engine(version, kind, safe, _checksum_vfs())",
        "return Engine(version, kind, safe, None)",
        "test_ledger_corruption.py::test_bytes_flipped_anywhere_are_never_taken_for_the_truth",
    ),
    "an empty file is taken for a new ledger": Fault(
        "store/sqlite/durable.py",
        "if not os.path.getsize(self.file):  # opened",
        "if False:  # opened",
        "test_ledger_corruption.py::test_an_emptied_file_does_not_take_its_log_with_it",
    ),
    "writing goes on after damage": Fault(
        "store/sqlite/durable.py",
        "if os.path.exists(self.damaged_copy):\n                raise",
        "if False:\n                raise",
        "test_ledger_corruption.py::test_bytes_flipped_anywhere_are_never_taken_for_the_truth",
    ),
    "a failed disk is trusted at once": Fault(
        "store/sqlite/durable.py",
        "                self._doubtful = True\n",
        "                self._doubtful = False\n",
        "test_ledger_faults.py::test_after_a_failed_sync_nothing_is_acknowledged_before_the_file_was_looked_at",
    ),
    "out of the ledger before it is in the archive": Fault(
        "ledger/archive.py",
        "        digests = [self._access.digest(tx, memory.content) for memory in memories]\n",
        "        digests = [self._access.digest(tx, memory.content) for memory in memories]\n"
        "        for memory in memories: tx.memories.delete(memory.id)\n"
        "        tx._db.execute('COMMIT')\n"
        "        tx._db.execute('BEGIN IMMEDIATE')\n",
        "test_ledger_faults.py::test_a_failing_disk_gives_a_plain_error_and_costs_nothing[prune]",
    ),
    "a moment that begins late": Fault(
        "store/sqlite/durable.py",
        'db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # the moment',
        "pass  # the moment",
        "test_backups.py::test_a_restored_backup_is_the_state_at_its_time_while_four_processes_write",
    ),
    "what was forgotten comes back with a backup": Fault(
        "ledger/backups.py",
        "            self._forget_again(folder, tuple(found.rows), known)\n",
        "",
        "test_backups.py::test_what_was_forgotten_stays_forgotten_after_a_restore",
    ),
}


def goes_red(fault: Fault, folder: Path) -> None:
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "vault/daily"))
    file = folder / "src" / "memoro" / fault.file
    text = file.read_text()
    assert text.count(fault.right) == 1, "the code has changed: plant the fault anew"
    file.write_text(text.replace(fault.right, fault.wrong))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{fault.guard}"]
    env = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("MEMORO_CAMPAIGN", None)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, f"the guard did not notice:\n{done.stdout[-2000:]}{done.stderr[-500:]}"


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_turns_its_guard_red(name: str, tmp_path: Path) -> None:
    goes_red(FAULTS[name], tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("name", MORE_FAULTS)
def test_a_fault_that_takes_longer_to_find_turns_its_guard_red(name: str, tmp_path: Path) -> None:
    if not CAMPAIGN:
        pytest.skip("in `make campaign`")
    goes_red(MORE_FAULTS[name], tmp_path)
