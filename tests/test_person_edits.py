"""A person edits notes in any editor while an agent adds lines and syncs run: a campaign of random edits.

One person has one note open at a time, for less than an hour. Agents and syncs act before, after and in the middle
of every save; after a save and before its note is removed or renamed, something looks for dropped lines. The campaign
counts lines that the person deleted and that come back, bytes of the person that anybody else changed, and lines of
the agent that are gone although nobody deleted them and nobody was asked.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import memoro
from memoro.errors import NoteNotFound
from memoro.model.proposals import PutBackLines
from memoro.workspace import Workspace
from tests.conftest import times, write_vault
from tests.test_vault_reads import exactly

SETTINGS = '[embedding]\nenabled = false\n[writing]\nagent_writes = "direct"\n'
MAX_LINES = 40
Pause = Callable[[bool], None]  # True: no program has the note open


def by_truncating(file: Path, data: bytes, pause: Pause) -> None:
    with file.open("wb", buffering=0) as editor:
        pause(False)
        editor.write(data[: len(data) // 2])
        pause(False)
        editor.write(data[len(data) // 2 :])


def by_renaming(file: Path, data: bytes, pause: Pause) -> None:
    fresh = file.with_name(f"{file.name}.tmp")
    fresh.write_bytes(data)
    pause(True)
    fresh.replace(file)


def as_vim(file: Path, data: bytes, pause: Pause) -> None:
    swap, backup = file.with_name(f".{file.name}.swp"), file.with_name(f"{file.name}~")
    swap.write_bytes(data)
    if file.exists():
        file.replace(backup)
    pause(True)
    by_truncating(file, data, pause)
    backup.unlink(missing_ok=True)
    swap.unlink()


def as_a_sync_client(file: Path, data: bytes, pause: Pause) -> None:
    """It brings what the person wrote on another machine, with the time of that moment."""
    fresh = file.with_name(f".{file.name}.part")
    fresh.write_bytes(data)
    then = file.stat().st_mtime - 300 if file.exists() else 0
    os.utime(fresh, (then, then))
    pause(True)
    fresh.replace(file)


EDITORS = (by_truncating, by_renaming, as_vim, as_a_sync_client)


class Campaign:
    def __init__(self, m: Workspace, vault: Path, seed: int, clock: list[datetime]) -> None:
        self._m, self._vault, self._rng, self._clock = m, vault, random.Random(seed), clock
        self._number = 0
        self.added: dict[str, int] = {}  # a line of the agent -> the change that added it
        self.deleted: set[str] = set()  # by the person, and not restored
        self.ever_deleted: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    # The person.

    def edit(self) -> None:
        """One edit by the person: a note is changed, removed or renamed. Others act before, amid and after it."""
        if self._rng.random() < 0.02:
            self._clock[0] += timedelta(hours=self._rng.choice([1, 2, 20]))
            self.look()
        kind = self._rng.random()
        notes = self._notes()
        if kind < 0.06 and notes:
            self._m.propose_dropped_lines()  # after a save and before its note goes, somebody looked
            (self._remove if kind < 0.03 else self._rename)(self._rng.choice(notes))
        else:
            self._change(self._rng.choice([*notes, *notes, self._vault / f"own{self._rng.randrange(3)}.md"]))
        if self._rng.random() < 0.15:
            self._decide()
        for act, chance in ((self.agent_adds, 0.4), (self.look, 0.4)):
            if self._rng.random() < chance:
                act()
        self._check_deleted()

    def _notes(self) -> list[Path]:
        return sorted(one for one in self._vault.rglob("*.md") if not one.name.startswith("."))

    def _change(self, file: Path) -> None:
        loaded = file.read_text().split("\n") if file.exists() else ["# Own", ""]
        lines = self._changed(loaded)
        if self._rng.random() < 0.5:
            self.agent_adds()
            if self._rng.random() < 0.5:
                self.look()
        editor = self._rng.choice(EDITORS)
        gone, back = set(loaded) - set(lines), set(lines) - set(loaded)
        elsewhere = {line for path, others in self._texts().items() if self._vault / path != file for line in others}
        self.deleted = (self.deleted | (_tracked(gone) - elsewhere)) - back
        self.ever_deleted |= gone
        data = "\n".join(lines).encode()
        file.parent.mkdir(parents=True, exist_ok=True)
        editor(file, data, self._act_amid)
        self.counts[editor.__name__] += 1

    def _changed(self, loaded: list[str]) -> list[str]:
        lines = list(loaded)
        for _ in range(self._rng.randrange(1, 4)):
            what = self._rng.choice(["insert", "insert", "delete", "move", "edit", "restore"])
            own = [at for at, line in enumerate(lines) if line.startswith(("- ", "human"))]
            if what == "insert" or not own:
                self._number += 1
                lines.insert(self._rng.randrange(1, len(lines) + 1), f"human {self._number}.")
            elif what == "delete":
                del lines[self._rng.choice(own)]
            elif what == "move":
                moved = lines.pop(self._rng.choice(own))
                lines.insert(self._rng.randrange(1, len(lines) + 1), moved)
            elif what == "edit":
                self._number += 1
                lines[self._rng.choice(own)] = f"human {self._number}, in other words."
            elif self.deleted:
                lines.insert(self._rng.randrange(1, len(lines) + 1), self._rng.choice(sorted(self.deleted)))
        return lines if len(lines) < MAX_LINES else [*lines[:2], *lines[MAX_LINES // 2 :]]

    def _remove(self, file: Path) -> None:
        lines = _tracked(file.read_text().split("\n"))
        file.unlink()
        self.deleted |= lines - self._all_lines()
        self.ever_deleted |= lines
        self.counts["removed"] += 1

    def _rename(self, file: Path) -> None:
        self._number += 1
        new = self._vault / f"renamed{self._number % 4}.md"
        replaced = _tracked(new.read_text().split("\n")) if new.exists() and new != file else set()
        file.rename(new)
        self.deleted |= replaced - self._all_lines()
        self.ever_deleted |= replaced
        self.counts["renamed"] += 1

    def _decide(self) -> None:
        waiting = self._m.proposals.all()
        if not waiting:
            return
        chosen, before = self._rng.choice(waiting), self._texts()
        try:
            done = (self._m.proposals.accept if self._rng.random() < 0.5 else self._m.proposals.reject)(chosen.id)
        except NoteNotFound:
            self.counts["note gone"] += 1
            return
        self.counts[str(getattr(done, "state", "accepted"))] += 1
        lines = set(chosen.change.lines) if isinstance(chosen.change, PutBackLines) else set()
        if done.change if hasattr(done, "text") else False:
            self.deleted -= lines
            self._check_only_added(before, lines)

    # Others.

    def _act_amid(self, closed: bool) -> None:
        chance = self._rng.random()
        if closed and chance < 0.15:
            self.agent_adds(
                notes=False
            )  # a note is made under a name that nobody uses, and vim's is free for a moment
        elif chance < 0.3:
            self.look()

    def agent_adds(self, *, notes: bool = True) -> None:
        self._number += 1
        self._clock[0] += timedelta(seconds=20)
        before, kind = self._texts(), self._rng.choice(["daily", "daily", "remember", "rule", "note"])
        if kind == "daily":
            done = self._m.daily.add(f"agent line {self._number}.", by="agent")
            self.added[done.line] = done.change
            lines = {done.line, f"# {self._clock[0].astimezone():%Y-%m-%d}"}
        elif kind == "note" and notes and not (self._vault / f"agent/{self._number % 8}.md").exists():
            text = f"agent note {self._number}."
            self.added[text] = self._m.notes.new(f"agent/{self._number % 8}.md", text, by="agent").change
            lines = {text}
        else:
            tier = "semantic" if kind == "remember" else "procedural"
            kept = self._m.remember(f"agent fact {self._number}.", tier=tier, by="agent")  # type: ignore[arg-type]
            self.added[f"- {kept.text} ^{kept.id}"] = kept.change or 0
            fresh = ["# Memory", "# Procedural", *(f"## {one}" for one in _HEADINGS)]
            lines = {f"- {kept.text} ^{kept.id}", *fresh}
        self.counts["lines of the agent"] += 1
        self._check_only_added(before, lines)

    def look(self) -> None:
        """A sync, a search and others that read: no byte and no time of the vault changes."""
        before = exactly(self._vault)
        what = self._rng.choice(["sync", "search", "status", "proposals", "prompt"])
        if what == "sync":
            self._m.sync(accept_deletions=True)
        elif what == "search":
            self._m.search("agent line")
        elif what == "status":
            self._m.status()
        elif what == "proposals":
            self._m.propose_dropped_lines()
        else:
            self._m.prompt("agent")
        self.counts["looks"] += 1
        if exactly(self._vault) != before:
            self.wrong.append(f"{what} wrote to the vault")

    # Judging.

    def _texts(self) -> dict[str, list[str]]:
        return {str(one.relative_to(self._vault)): one.read_text().split("\n") for one in self._notes()}

    def _all_lines(self) -> set[str]:
        return {line for lines in self._texts().values() for line in lines}

    def _check_only_added(self, before: dict[str, list[str]], lines: set[str]) -> None:
        """Everything that stood in a note stands there still, in its order; only these lines came."""
        after = self._texts()
        for path, old in before.items():
            new = iter(after.get(path, []))
            extra = [*_until_all(old, new), *new]
            if missing := [line for line in old if line not in after.get(path, [])]:
                self.wrong.append(f"{path} lost {missing}")
            self.wrong += [f"{path} got {line!r}" for line in extra if line.strip() and line not in lines]

    def _check_deleted(self) -> None:
        back = self.deleted & self._all_lines()
        self.wrong += [f"{line!r} came back" for line in back]
        self.deleted -= back

    def lost(self) -> list[str]:
        """Lines of the agent that are gone although nobody deleted them, and that no proposal offers."""
        asked = proposed_lines(self._m)
        standing = self._all_lines()
        return [line for line in self.added if line not in standing | self.ever_deleted and line not in asked]


_HEADINGS = ("Preferences and style", "Project context", "Patterns and conventions", "Operational notes")


def _tracked(lines: Iterable[str]) -> set[str]:
    """Those that stand once in the vault: headings and blank lines may stand in several notes."""
    return {line for line in lines if "human" in line or "agent" in line}


def _until_all(old: list[str], new: Iterator[str]) -> Iterator[str]:
    """The lines of `new` between those of `old`."""
    for wanted in old:
        for line in new:
            if line == wanted:
                break
            yield line


def proposed_lines(m: Workspace) -> list[str]:
    found = [one.change for one in m.proposals.all(None)]
    return [line for change in found if isinstance(change, PutBackLines) for line in change.lines]


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(times(1, 4)))
def test_what_a_person_deletes_stays_deleted_and_no_line_of_an_agent_is_lost_unasked(
    home: Path, vault: Path, part: int
) -> None:
    edits, clock = times(200, 2_500), [datetime(2026, 5, 12, 8).astimezone()]
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(SETTINGS)
    write_vault(vault, {"MEMORY.md": "# Memory\n\n- by hand\n", "work.md": "# Work\n\nhuman 0.\n"})
    with memoro.open(home, vault, clock=lambda: clock[0]) as m:
        campaign = Campaign(m, vault, part, clock)
        for _ in range(edits):
            campaign.edit()
        m.sync(accept_deletions=True)
        campaign.look()
        lost, proposed = campaign.lost(), proposed_lines(m)
    counts = dict(campaign.counts)
    back = [one for one in campaign.wrong if one.endswith("came back")]
    changed = [one for one in campaign.wrong if one not in back]
    print(
        f"\n{edits} edits {counts}: {len(back)} deleted lines came back, {len(changed)} bytes of the person changed, "
        f"{len(lost)} lines of the agent lost without a proposal, {len(proposed)} proposed"
    )
    assert back == []
    assert changed == []
    assert lost == []
    assert len(proposed) == len(set(proposed)), "one proposal a line"
    assert proposed
    assert not list(vault.rglob(".memoro-*"))
