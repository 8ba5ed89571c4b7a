"""The tests can fail: each fault planted here turns the test that guards against it red."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent


class Fault(NamedTuple):
    file: str
    right: str
    wrong: str
    guard: str


FAULTS = {
    "a sync that began before counts for another": Fault(
        "index/single_flight.py",
        "wanted.began <= self.began <= now",
        "self.began <= now",
        "test_triggers.py::test_a_sync_that_began_before_one_asked_does_not_count",
    ),
    "every one who waited syncs": Fault(
        "index/single_flight.py",
        "wanted.began <= self.began <= now",
        "False",
        "test_triggers.py::test_of_many_who_wait_one_syncs_and_the_others_have_what_it_did",
    ),
    "a sync of notes takes logs for gone": Fault(
        "index/look.py",
        "if what != BOTH:\n        known",
        "if False:\n        known",
        "test_triggers.py::test_a_sync_of_one_half_leaves_the_other_as_it_was",
    ),
    "a message that changes hands is not kept": Fault(
        "index/sync_run.py",
        "self._index.put_meta({STALE: json.dumps(sorted(self._stale))})",
        "pass",
        "test_triggers.py::test_a_message_that_changes_hands_is_not_lost_where_the_sync_is_broken_off",
    ),
    "a serve that holds no lock": Fault(
        "store/serving.py",
        "yield lock if free else None",
        "yield lock",
        "test_serve.py::test_a_home_is_claimed_by_one_at_a_time",
    ),
    "no kernel lock": Fault(
        "store/lock.py",
        "            self._lock(descriptor, fcntl.LOCK_EX)\n            yield",
        "            yield",
        "test_lock.py::test_a_lock_held_by_one_process_is_not_had_by_another",
    ),
    "no transaction": Fault(
        "store/sqlite/index.py",
        'self._db.execute("BEGIN IMMEDIATE")',
        "pass",
        "test_lock.py::test_a_failed_write_leaves_nothing_half_done",
    ),
    "links to files are followed": Fault(
        "vault/files.py",
        "_FILE = os.O_RDONLY | os.O_NOFOLLOW",
        "_FILE = os.O_RDONLY",
        "test_vault_files.py::test_no_path_leads_outside",
    ),
    "links to folders are followed": Fault(
        "vault/files.py",
        "_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW",
        "_FOLDER = os.O_RDONLY | os.O_DIRECTORY",
        "test_vault_files.py::test_no_path_leads_outside",
    ),
    "line numbers off by one": Fault(
        "index/chunk.py",
        "start_line=run[0].line,",
        "start_line=run[0].line + 1,",
        "test_chunk.py::test_line_numbers_are_true",
    ),
    "scores upside down": Fault(
        "search/rank.py",
        "key=lambda item: (-item[0],",
        "key=lambda item: (item[0],",
        "test_rank.py::test_better_matches_score_higher_not_lower",
    ),
    "no brake": Fault(
        "index/plan.py",
        "return gone > BRAKE_FILES and",
        "return False and",
        "test_sync.py::test_many_notes_gone_at_once_stop_the_sync",
    ),
    "size and time are believed": Fault(
        "vault/files.py",
        "trusted=not young",
        "trusted=True",
        "test_vault_files.py::test_a_note_written_a_moment_ago_will_be_read_again",
    ),
    "a hidden note stays in the word index": Fault(
        "store/sqlite/index.py",
        'self._forget_chunks(db, path)\n                db.execute("UPDATE files SET gone_at',
        'db.execute("UPDATE files SET gone_at',
        "test_index_contract.py::test_a_hidden_file_is_not_found_and_not_forgotten",
    ),
    "who ties with the last is cut off": Fault(
        "store/sqlite/index.py",
        "rows[limit][1] == rows[limit - 1][1]",
        "False",
        "test_index_contract.py::test_who_ties_with_the_last_is_not_cut_off",
    ),
    "an old SQLite is trusted with a log": Fault(
        "store/sqlite/engine.py",
        "safe = parse_version(version) >= FLOOR and",
        "safe =",
        "test_engine.py",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_turns_its_guard_red(name: str, tmp_path: Path) -> None:
    fault = FAULTS[name]
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "vault/daily"))
    file = tmp_path / "src" / "memoro" / fault.file
    text = file.read_text()
    assert text.count(fault.right) == 1, "the code has changed: plant the fault anew"
    file.write_text(text.replace(fault.right, fault.wrong))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{fault.guard}"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("MEMORO_CAMPAIGN", None)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, f"the guard did not notice:\n{done.stdout[-2000:]}{done.stderr[-500:]}"
