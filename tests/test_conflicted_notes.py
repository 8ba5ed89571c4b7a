"""Notes that two machines share by git: conflicts are named, and `merge=union` avoids those of daily notes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import memoro
from memoro.errors import NoteUnwritable
from memoro.health import Check
from tests.conftest import fingerprint, write_vault

DAY = "daily/2026-11-18.md"
CONFLICT = "<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> other\n"


def conflicts(home: Path, vault: Path) -> list[Check]:
    with memoro.open(home, vault) as m:
        return [one for one in m.doctor() if one.name == "conflicts"]


def test_doctor_names_notes_with_conflict_marks(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": f"# A\n\n{CONFLICT}", "b.md": CONFLICT.replace("\n", "\r\n")})
    [found] = conflicts(tmp_path / "home", vault)
    assert (found.state, found.found) == ("warning", "conflict marks of git stand in a.md, b.md")
    assert "merge=union" in found.remedy


def test_lines_that_only_resemble_conflict_marks_are_none(tmp_path: Path) -> None:
    heading = "Heading\n=======\n\ntext\n"
    unended = "<<<<<<< HEAD\n- mine\n"
    within = "see <<<<<<< HEAD and ======= and >>>>>>> other\n"
    vault = write_vault(tmp_path / "vault", {"a.md": heading, "b.md": unended, "c.md": within})
    assert conflicts(tmp_path / "home", vault) == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_entry_is_written_into_a_note_with_a_conflict(tmp_path: Path, end: str) -> None:
    text = f"# Memory\n\n- The lamp is green ^lamp\n{CONFLICT}".replace("\n", end)
    vault = write_vault(tmp_path / "vault", {"MEMORY.md": text, "daily/a.md": "# A\n"})
    with memoro.open(tmp_path / "home", vault) as m:
        m.sync()
        day = m.daily.add("Tea at five").path
        (vault / day).write_bytes(text.encode())
        before = fingerprint(vault)
        writes: dict[str, list[Callable[[], object]]] = {
            "MEMORY.md": [
                lambda: m.entries.remember("The kettle is red"),
                lambda: m.entries.edit("lamp", "The lamp is blue"),
                lambda: m.entries.remove("lamp"),
            ],
            day: [lambda: m.daily.add("Tea at six")],
        }
        for path, calls in writes.items():
            for write in calls:
                with pytest.raises(NoteUnwritable) as refused:
                    write()
                said = f"{path} was not written: its lines 4 to 8 are an unresolved conflict of git. Open it"
                assert str(refused.value).startswith(said)
        assert fingerprint(vault) == before
        (vault / "MEMORY.md").write_text("# Memory\n\n- mine\n")
        assert m.entries.remember("The kettle is red").new


@pytest.mark.process
def test_a_union_merge_keeps_the_daily_lines_of_both_machines(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {DAY: "# 2026-11-18\n\n- 09:00 Both\n", "a.md": "# A\n"})

    def git(*words: str) -> int:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", "-C", vault, *who, *words], capture_output=True, check=False).returncode

    def append_on(branch: str, line: str) -> None:
        assert git("checkout", "-q", branch) == 0
        with (vault / DAY).open("a") as note:
            note.write(f"- {line}\n")
        assert git("commit", "-qam", line) == 0

    assert git("init", "-q", "-b", "laptop") == git("add", "-A") == git("commit", "-qm", "notes") == 0
    assert git("branch", "tablet") == 0
    append_on("laptop", "10:00 On the laptop")
    append_on("tablet", "11:00 On the tablet")
    assert git("merge", "laptop") != 0
    assert [one.found for one in conflicts(tmp_path / "home", vault)] == [f"conflict marks of git stand in {DAY}"]

    assert git("merge", "--abort") == 0
    (vault / ".gitattributes").write_text("daily/*.md merge=union\n")
    assert git("merge", "laptop") == 0
    merged = (vault / DAY).read_text()
    assert "On the laptop" in merged and "On the tablet" in merged and "<<<" not in merged
    assert conflicts(tmp_path / "home", vault) == []
