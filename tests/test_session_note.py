"""The note of a session: read back, extended and rewritten, with what its owner did to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.model.session_digest import SessionDigest
from memoro.notes.episodes import read_digest
from memoro.notes.session_note import lines_of, new_note
from memoro.workspace import Workspace
from tests.test_notes import clock as clock
from tests.test_notes import m as m

CLOSE = SessionDigest(
    title="Month-end close",
    decisions=("A trigger refuses closed periods (a check in Go could be raced)", "No reopening"),
    files=("migrations/21.sql", "close.go"),
    commands=("`task test` → ok",),
    errors=("`deadlock detected`: locks are taken in one order",),
    open=("Filipa confirms the types", "The runbook isn't written"),
)
LINES = st.lists(st.text("abc xyz.", min_size=1, max_size=12).map(str.strip).filter(bool), max_size=4, unique=True)


def written(m: Workspace, vault: Path, digest: SessionDigest, session: str = "s1") -> Path:
    return vault / m.episodes.write(session, digest, by="claude").path


def test_a_note_has_a_title_and_only_sections_with_lines(m: Workspace, vault: Path) -> None:
    note = written(m, vault, CLOSE._replace(errors=()))
    body = note.read_text().split("---\n", 2)[2]
    assert body == (
        "\n# Month-end close\n\n## Decisions\n\n"
        "- A trigger refuses closed periods (a check in Go could be raced)\n- No reopening\n\n"
        "## Files\n\n- `migrations/21.sql`\n- `close.go`\n\n## Commands\n\n- `task test` → ok\n\n"
        "## Open\n\n- Filipa confirms the types\n- The runbook isn't written\n"
    )
    (day,) = (vault / "daily").glob("*.md")
    assert "Month-end close — A trigger refuses closed periods (a check in Go could be raced) (2 open items)" in (
        day.read_text()
    )


@given(decisions=LINES, files=LINES, commands=LINES, errors=LINES, left=LINES)
def test_a_note_is_read_back_as_it_was_written(
    decisions: list[str], files: list[str], commands: list[str], errors: list[str], left: list[str]
) -> None:
    made = SessionDigest(
        title="T", decisions=tuple(decisions), files=tuple(files), commands=tuple(commands), errors=tuple(errors),
        open=tuple(left),
    )  # fmt: skip
    assert read_digest(new_note("T", {"session": "s"}, lines_of(made))) == made


@pytest.mark.parametrize("line", ["- [x] Call Ida", "- ~~Call Ida~~", "1. [X] Call Ida"])
def test_what_its_owner_ticked_off_is_no_longer_open(line: str) -> None:
    text = f"# Shelf\r\n\r\n### OPEN:\r\n\r\n{line}\r\n* Order screws\r\n  of brass ^k3x9\r\n+ [ ] Measure\r\n"
    assert read_digest(text) == SessionDigest(title="Shelf", open=("Order screws of brass", "Measure"))


def test_notes_of_earlier_versions_are_read() -> None:
    text = (
        "---\nsession: a\n---\n\n# Tea\n\n## Topics\n\n- cups\n\n## Tools\n\n\n## Decisions\n\n- four\n\n## Open\n\n"
    )
    assert read_digest(text) == SessionDigest(title="Tea", decisions=("four",))


def test_a_session_that_goes_on_has_its_note_rewritten(m: Workspace, vault: Path) -> None:
    note = written(m, vault, CLOSE)
    later = CLOSE._replace(title="Close", decisions=("No reopening", "Snapshots stay"), errors=(), open=("Rollout",))
    assert written(m, vault, later) == note
    assert read_digest(note.read_text()) == later
    assert note.read_text().count("## ") == 4 and "\n\n\n" not in note.read_text()


def test_what_its_owner_wrote_and_took_out_stays_so(m: Workspace, vault: Path) -> None:
    note = written(m, vault, CLOSE)
    text = note.read_text().replace("# Month-end close\n", "# My close\n\nCall the bank first.\n")
    text = text.replace("- No reopening\n", "- No reopening, says Ana\n- and one of mine\n").replace(
        "- `close.go`\n", ""
    )
    note.write_text(text)
    written(m, vault, CLOSE._replace(open=("Rollout",)))
    written(m, vault, CLOSE._replace(open=("Rollout", "Runbook")))
    again = note.read_text()
    assert "# My close\n\nCall the bank first.\n" in again
    assert read_digest(again).decisions == (CLOSE.decisions[0], "No reopening, says Ana", "and one of mine")
    assert read_digest(again).files == ("migrations/21.sql",)
    assert read_digest(again).open == ("Rollout", "Runbook")


def test_a_rewritten_note_can_be_undone_to_the_byte(m: Workspace, vault: Path) -> None:
    note = written(m, vault, CLOSE)
    before = note.read_bytes()
    change = m.episodes.write("s1", CLOSE._replace(decisions=("Other",)), by="claude").change
    assert note.read_bytes() != before
    m.journal.undo(change)
    assert note.read_bytes() == before


def test_a_session_has_one_line_in_its_day(m: Workspace, vault: Path) -> None:
    written(m, vault, CLOSE)
    written(m, vault, CLOSE)
    written(m, vault, CLOSE._replace(open=()))
    (day,) = (vault / "daily").glob("*.md")
    lines = [line for line in day.read_text().splitlines() if "Month-end close" in line]
    assert len(lines) == 1 and "open items" not in lines[0]
    day.write_text(day.read_text().replace(f"{lines[0]}\n", ""))
    written(m, vault, CLOSE._replace(open=()))
    assert "Month-end close" not in day.read_text(), "a line that its owner deleted stays deleted"


def test_two_writers_of_one_session_may_say_the_same(m: Workspace, vault: Path) -> None:
    written(m, vault, CLOSE).unlink()
    m.episodes.write("s1", CLOSE, by="codex")
    m.episodes.save("s1", title="Month-end close", by="user", decisions=CLOSE.decisions)
    assert len(list((vault / "sessions").iterdir())) == 1


def test_windows_line_ends_stay(m: Workspace, vault: Path) -> None:
    note = written(m, vault, CLOSE)
    note.write_bytes(note.read_bytes().replace(b"\n", b"\r\n"))
    written(m, vault, CLOSE._replace(decisions=("Other",), title="New"))
    data = note.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") and b"# New\r\n" in data and b"- Other\r\n" in data
