"""A process that accepts proposals may die at any moment: files are old or new, and accepting again completes it."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memoro.model.changes import NoteAppended, NoteWritten
from memoro.model.journal import JournalEntry
from memoro.workspace import Workspace
from tests.conftest import times
from tests.raw_sqlite import assert_sound_file
from tests.test_ledger_kill import can_trace
from tests.waiting_proposals import CHANGES, make_home, notes_in, opened, rows

ACCEPT_ALL = """
import sys
from pathlib import Path
from tests.waiting_proposals import opened
with opened(Path(sys.argv[1]), Path(sys.argv[2])) as m:
    for proposal in m.proposals.all():
        m.proposals.accept(proposal.id)
"""
# The calls by which bytes get to a disk, or names to other places; each is made about so often.
CALLS = {
    "pwrite64": 1250,
    "write": 67,
    "fdatasync": 98,
    "fsync": 37,
    "ftruncate": 27,
    "rename": 53,
    "renameat2": 16,
    "renameat": 10,
    "unlink": 9,
    "unlinkat": 15,
    "openat": 1600,
}


class Reference(NamedTuple):
    """What accepting all proposals leads to, undisturbed."""

    final: dict[str, bytes]
    rows: dict[str, object]
    legal: dict[str, set[bytes]]  # the bytes that each note may have on the way
    changes: Counter[tuple[int, str]]  # by proposal and operation


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reviews")
    make_home(folder / "home", folder / "vault")
    return folder


@pytest.fixture(scope="module")
def reference(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    place = tmp_path_factory.mktemp("reference") / "copy"
    shutil.copytree(template, place)
    first = notes_in(place / "vault")
    legal = {path: {data} for path, data in first.items()}
    with opened(place / "home", place / "vault") as m:
        for proposal in m.proposals.all():
            m.proposals.accept(proposal.id)
            for path, data in notes_in(place / "vault").items():
                legal.setdefault(path, set()).add(data)
        for path, data in kept_versions(m):
            legal.setdefault(path, set()).add(data)
        return Reference(notes_in(place / "vault"), rows(m), legal, carried_out(m))


def kept_versions(m: Workspace) -> Iterator[tuple[str, bytes]]:
    with m.ledger.access.ledger.reading() as tx:
        for entry in tx.journal.all():
            if isinstance(entry.change, NoteWritten):
                for digest in (entry.change.before, entry.change.after):
                    if digest and (data := tx.contents.get(digest)) is not None:
                        yield entry.change.path, data
            elif isinstance(entry.change, NoteAppended):
                yield entry.change.path, entry.change.added.encode()


def carried_out(m: Workspace) -> Counter[tuple[int, str]]:
    return Counter((entry.proposal or 0, entry.operation) for entry in entries(m) if entry.proposal)


def entries(m: Workspace) -> list[JournalEntry]:
    with m.ledger.access.ledger.reading() as tx:
        return list(tx.journal.all())


def killed_at(place: Path, call: str, at: int) -> bool:
    """Accept all proposals and die at the `at`-th call of a kind; False: there is no such call."""
    inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    inject += ["-e", f"inject={call}:signal=SIGKILL:when={at}"]
    command = [*inject, sys.executable, "-c", ACCEPT_ALL, str(place / "home"), str(place / "vault")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL), done.stderr
    return done.returncode != 0


def moments(kills: int) -> Iterator[tuple[str, int]]:
    """Calls to die at, the same ones every time; a call that is made less often is passed over by the caller."""
    rng = random.Random(18)
    for _ in range(20 * kills):
        call = rng.choice(list(CALLS))
        yield call, rng.randint(1, CALLS[call])


def assert_old_or_new(place: Path, reference: Reference, moment: str) -> None:
    for path, data in notes_in(place / "vault").items():
        if path.endswith(".md"):
            assert data in reference.legal[path], (moment, path, data)
    for name in ("ledger.db", "archive.db"):
        assert_sound_file(place / "home" / name)


def without_remains(notes: dict[str, bytes]) -> dict[str, bytes]:
    """The notes without the hidden files that a process which died in a write leaves, until the next write."""
    return {path: data for path, data in notes.items() if not path.rpartition("/")[2].startswith(".memoro-")}


@pytest.mark.campaign
def test_a_review_killed_at_any_system_call_is_completed_and_undone(
    template: Path, reference: Reference, tmp_path: Path
) -> None:
    if not can_trace():
        pytest.skip("needs strace, which is not on this machine")
    wanted, met, place = times(2, 200), Counter[str](), tmp_path / "copy"
    waiting: Counter[int] = Counter()
    beyond = dict.fromkeys(CALLS, 10**9)
    for call, at in moments(wanted):
        if at >= beyond[call]:
            continue
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(template, place)
        if not killed_at(place, call, at):
            beyond[call] = at
            continue
        met[call] += 1
        moment = f"{call} {at}"
        assert_old_or_new(place, reference, moment)
        with opened(place / "home", place / "vault") as m:
            left = m.proposals.all()
            waiting[len(left)] += 1
            for proposal in left:
                m.proposals.accept(proposal.id)
            assert without_remains(notes_in(place / "vault")) == reference.final, moment
            assert rows(m) == reference.rows, moment
            assert carried_out(m) == reference.changes, moment
            assert [one.state for one in m.proposals.all(None)] == ["accepted"] * len(CHANGES), moment
            assert [check for check in m.doctor() if check.state == "failed"] == [], moment
            assert m.journal.undo(by="review").refused == (), moment
            assert notes_in(place / "vault") == notes_in(template / "vault"), f"{moment}: the next write sweeps"
        if met.total() >= wanted:
            break
    inside = met.total() - waiting[len(CHANGES)] - waiting[0]
    print(f"{met.total()} kills ({dict(met)}), {inside} with some proposals accepted and some not: 0 wrong")
    assert met.total() >= wanted
