"""Sessions that ended without an event: their host was killed. They are noticed and noted."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memoro import hooks
from memoro.hooks import spool, unended
from memoro.hooks.capture import is_due
from memoro.hooks.events import Capture
from memoro.hooks.spool import SpooledCapture
from tests.test_hooks import Host, day_of
from tests.test_hooks import host as host

HOUR = 3600.0


def turn(log: Path | str, session: str = "s1", *, at: float, kind: str = "turn") -> SpooledCapture:
    capture = Capture("claude", kind, session, str(log), "/w/parcels")  # type: ignore[arg-type]
    return SpooledCapture(offset=0, tries=0, at=at, capture=capture)


def notes_of(host: Host) -> list[Path]:
    return sorted((host.vault / "sessions").glob("*.md"))


def spoke(host: Host, session: str, ago: float, *, log_ago: float | None = None) -> Path:
    """A session whose last turn ended then, and whose log was last written then."""
    log = host.log(session, text=f"Mend the parser for {session}")
    moment = time.time() - (ago if log_ago is None else log_ago)
    os.utime(log, (moment, moment))
    capture = Capture("claude", "turn", session, str(log), "/w/parcels")
    host.home.mkdir(0o700, exist_ok=True)
    spool.append(str(host.home), capture, now=time.time() - ago)
    return log


def test_a_session_that_did_not_go_on_is_noted_by_whoever_writes_next(host: Host) -> None:
    spoke(host, "s1", HOUR)
    with host.opened() as m:
        hooks.write_captures(m)
    (note,) = notes_of(host)
    assert "session: s1" in note.read_text() and "# Mend the parser for s1 (0)" in note.read_text()
    assert day_of(host).count("Mend the parser for s1 (0)") == 1
    assert not (host.home / unended.NAME).exists()


def test_a_session_that_may_go_on_waits(host: Host) -> None:
    spoke(host, "fresh", 60)
    spoke(host, "at-work", HOUR, log_ago=60)  # a long turn: its log still grows
    with host.opened() as m:
        hooks.write_captures(m)
    assert notes_of(host) == []
    assert len((host.home / unended.NAME).read_text().splitlines()) == 2
    assert (host.home / unended.NAME).stat().st_mode & 0o077 == 0


def test_one_that_goes_on_after_all_is_written_again_and_archived_at_its_end(host: Host) -> None:
    spoke(host, "s1", HOUR)
    with host.opened() as m:
        hooks.write_captures(m)
        log = host.log("s1", prompts=5, text="Mend the parser for s1")
        spool.append(str(host.home), Capture("claude", "end", "s1", str(log), "/w/parcels"))
        hooks.write_captures(m)
    (note,) = notes_of(host)
    assert "dates4.py" in note.read_text()
    assert day_of(host).count("Mend the parser for s1 (0)") == 1


def test_a_search_notes_nothing_and_a_command_that_writes_does(host: Host) -> None:
    log = spoke(host, "s1", HOUR)
    home = str(host.home)
    unended.update(home, [turn(log, at=time.time() - HOUR)])
    spool.finish(home, spool.pending(home))
    host.types("search", "parser")
    host.types("status")
    assert notes_of(host) == []
    host.types("sync")
    assert len(notes_of(host)) == 1


def test_the_next_session_notes_the_one_that_was_killed(host: Host) -> None:
    spoke(host, "s1", HOUR)
    host.calls("claude", {"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup", "cwd": "/w"})
    assert len(notes_of(host)) == 1


def test_logs_without_hooks_are_never_noted(host: Host) -> None:
    for number in range(20):
        host.log(f"old{number}")
    spoke(host, "s1", HOUR)
    with host.opened() as m:
        hooks.write_captures(m)
    assert len(notes_of(host)) == 1


def test_an_end_takes_a_session_off_the_list(tmp_path: Path) -> None:
    home = str(tmp_path)
    unended.update(home, [turn("a", at=10.0), turn("b", "s2", at=20.0)])
    unended.update(home, [turn("a", at=30.0, kind="end")])
    assert [line.capture.session for line in unended.idle(home, now=20.0 + HOUR)] == ["s2"]
    unended.drop(home, [turn("b", "s2", at=19.0)])
    assert unended.has_idle(home, now=20.0 + HOUR), "it has spoken since"
    unended.drop(home, [turn("b", "s2", at=20.0)])
    assert not (tmp_path / unended.NAME).exists()


@pytest.mark.parametrize("now", [20.0, 20.0 + 60, 20.0 - HOUR, 20.0 + 40 * 24 * HOUR])
def test_only_a_session_of_these_weeks_counts(tmp_path: Path, now: float) -> None:
    unended.update(str(tmp_path), [turn("a", at=20.0)])
    assert not unended.has_idle(str(tmp_path), now=now)
    assert not is_due(str(tmp_path), now=now)


def test_a_damaged_list_is_no_error_and_the_list_stays_short(tmp_path: Path) -> None:
    (tmp_path / unended.NAME).write_bytes(b"{\n\xff\n[]\n")
    home = str(tmp_path)
    assert not unended.has_idle(home, now=HOUR)
    unended.update(home, [turn("a", f"s{number}", at=float(number)) for number in range(300)])
    assert len((tmp_path / unended.NAME).read_text().splitlines()) == 200


def test_what_a_command_wrote_for_a_hook_is_by_the_agent_under_both_its_names(host: Host) -> None:
    spoke(host, "s1", HOUR)
    host.types("sync")
    (note,) = notes_of(host)
    assert "agent: claude-code" in note.read_text()
    assert "by      claude-code\n" in host.types("log", "show", "1").out
    with host.opened() as m:
        for name in ("claude", "claude-code"):
            assert len(m.journal.log(by=name)) == len(m.journal.log()) > 0
            assert len(m.journal.undo(by=name, since="2020-01-01", dry_run=True).entries) > 0
        assert m.journal.log(by="codex") == []
