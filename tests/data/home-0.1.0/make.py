"""Makes the home beside this file. It was run once, with the code of version 0.1.0, and is kept for whoever reads it.

    python make.py FOLDER      (a Python in which Memoro 0.1.0 is installed, with all extras)

It writes `ledger.db.gz`, `archive.db.gz`, `memoro.toml`, `vault/` and `expected.json`: what 0.1.0 itself said of this
home, and what became of each change when 0.1.0 took it back. `tests/test_homes_of_0_1_0.py` compares.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

os.environ["TZ"] = "UTC"
time.tzset()

import memoro  # noqa: E402
from memoro import wire  # noqa: E402
from memoro.errors import MemoroError  # noqa: E402
from memoro.model.items import Put  # noqa: E402

SETTINGS = '[daily]\nfolder = "daily"\n'
MEMORY_MD = (
    "# Memory\n\n- The kettle is blue ^kettle\n- Tea is at four ^teafour\n\n## Food\n\n- Soup is on Sundays ^soup01\n"
)
JOURNAL_LIMIT = 10_000


class Clock:
    """Every look at it is a minute later than the one before."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def __call__(self) -> datetime:
        self._at += timedelta(minutes=1)
        return self._at


def memories(m: memoro.Workspace) -> None:
    kettle = m.memories.store("The kettle boils at 96 degrees.", ["kitchen"], source="user", key="kettle").memory.id
    m.memories.store("The kettle boils at 96 degrees.", ["kitchen"], source="user", key="kettle again")
    tea = m.memories.store("Tea is drunk at four.", source="agent", session="afternoon", task="tea").memory.id
    later = m.memories.store("Tea is drunk at five.", ["tea", "time"], source="conversation").memory.id
    m.memories.store("The web says tea is at six.", source="web", valid_from="2026-01-01", valid_to="2027-01-01")
    m.memories.store("So tea is late.", source="agent", parents=[tea, later])
    m.memories.query("tea", session="afternoon")
    m.memories.reinforce(tea, session="afternoon", key="reinforce tea")
    m.memories.reinforce(later, session="afternoon")  # links the two
    m.journal.undo()
    m.journal.undo(m.journal.log(1)[0].id)  # takes the undo back
    m.memories.demote(kettle, source="user")
    m.memories.update(kettle, "The kettle boils at 97 degrees.", ["kitchen", "water"], key="update kettle")
    m.memories.update(kettle, valid_to="2030-01-01", source="user")
    m.memories.trust(kettle, "user_confirmed")
    m.memories.trust(kettle, "user_confirmed")  # changes nothing
    m.memories.supersede(tea, later, source="user", key="supersede tea")
    gone = m.memories.store("The cups are white.", ["kitchen"]).memory.id
    m.memories.remove(gone, key="remove cups")
    back = m.memories.store("The saucers are blue.").memory.id
    m.memories.remove(back)
    m.journal.undo()
    away = m.memories.store("The spoons are silver.").memory.id
    m.memories.archive(away, key="archive spoons")
    returned = m.memories.store("The forks are steel.").memory.id
    m.memories.archive(returned)
    m.memories.unarchive(returned)
    undone = m.memories.store("The knives are sharp.").memory.id
    m.memories.archive(undone)
    m.journal.undo()
    stored = m.memories.store("This was stored and taken back.").memory.id
    assert stored
    m.journal.undo(key="undo the store")
    forgotten = m.memories.store("The safe opens with left, right, left.").memory.id
    m.memories.update(forgotten, "The safe opens with right, left, right.")
    m.memories.forget(forgotten, yes=True)


def narratives(m: memoro.Workspace) -> None:
    m.narratives.update("Furnishing the kitchen.", [1], session="afternoon", key="narrative")
    m.narratives.update("Drinking tea in the kitchen.", [1, 3])
    m.narratives.update("This sentence was taken back.")
    m.journal.undo()
    m.narratives.update("This one was taken back and put back.")
    m.journal.undo()
    m.journal.undo(m.journal.log(1)[0].id)


def experiences(m: memoro.Workspace) -> None:
    brew = m.experiences.record(
        "tool_chain", "brew tea", ["boil", "pour", "wait"], success=0.8, tags=["tea"], key="brew"
    ).experience.id
    m.experiences.record("tool_chain", "Brew tea.", ["boil", "pour", "wait"], success=0.4, source="user")
    m.experiences.mark_used(brew, 1.0, key="used")
    m.experiences.offered([brew], key="offered")
    m.experiences.trust(brew, "user_confirmed")
    m.experiences.prefer("milk", "oat", source="user", key="milk")
    m.experiences.prefer("milk", "oat", source="user")
    m.experiences.prefer("milk", "none")
    wrong = m.experiences.record("error_recovery", "the kettle leaks", {"do": "tighten"}).experience.id
    m.experiences.remove(wrong, key="remove leak")
    put_back = m.experiences.record("task_solution", "descale the kettle", "vinegar").experience.id
    m.experiences.remove(put_back)
    m.journal.undo()
    m.experiences.mark_used(put_back, 0.2)
    m.journal.undo()
    secret = m.experiences.record("task_solution", "open the safe", "left, right, left").experience.id
    m.experiences.forget(secret, yes=True)
    m.experiences.prune_expired(1.0, force=True)  # archives all
    m.experiences.mark_used(brew)  # and one is back


def items(m: memoro.Workspace) -> None:
    def says(value: dict[str, str]) -> str | None:
        return value.get("text")

    def put(key: str, text: str | None, **more: float) -> Put:
        return Put(("users", "ann"), key, None if text is None else {"text": text}, says, **more)

    m.items.put("langgraph", [put("colour", "Ann likes green"), put("size", "Ann wears 38")], key="put two")
    m.items.put("langgraph", [put("colour", "Ann likes red")])
    m.items.put("langgraph", [put("size", None)])
    m.items.put("langgraph", [Put(("quiet",), "n", {"n": 1})])
    m.items.put("langgraph", [Put(("quiet",), "n", {"n": 2})])
    m.items.put("langgraph", [put("gone", "Ann was here", ttl=1.0)])
    m.items.append("openai-agents", [Put(("chat",), "-", {"role": "user", "text": "hello"}, says)], key="append")
    m.items.append("openai-agents", [Put(("chat",), "-", {"role": "user", "text": "goodbye"}, says)])
    m.items.pop("openai-agents", ("chat",))
    number = m.items.get("langgraph", ("users", "ann"), "colour").id
    m.memories.reinforce(number)
    m.items.put("langgraph", [put("shape", "Ann draws circles")])
    m.memories.remove(m.items.get("langgraph", ("users", "ann"), "shape").id)
    m.items.put("langgraph", [put("food", "Ann eats rice")])
    m.items.put("langgraph", [put("food", "Ann eats bread")])
    m.journal.undo()


def notes(m: memoro.Workspace) -> None:
    m.remember("Bread is on Mondays", section="Food")
    m.remember("Never boil milk", tier="procedural")
    m.pin("The door code is with Ann")
    m.edit("kettle", "The kettle is green")
    m.remove("teafour")
    m.journal.undo()
    m.daily.add("baked bread", key="bread")
    m.daily.add("an agent's line", by="helper")
    m.daily.add("this line was taken back")
    m.journal.undo()
    m.notes.new("ideas.md", "# Ideas\n\nA larger pot.\n")
    m.notes.edit("ideas.md", "# Ideas\n\nA smaller pot.\n")
    m.notes.edit("ideas.md", "A red pot.", old="A smaller pot.")
    m.notes.move("ideas.md", "plans/pots.md")
    m.notes.new("draft.md", "to be deleted\n")
    m.notes.delete("draft.md")
    m.notes.new("moved.md", "moved and moved back\n")
    m.notes.move("moved.md", "elsewhere.md")
    m.journal.undo()
    m.notes.new("agent/log.md", "by an agent\n", by="helper")
    before = m.journal.log(1)[0].at
    m.notes.edit("agent/log.md", "by an agent, again\n", by="helper")
    m.notes.restore("agent/log.md", before)
    m.episodes.save("afternoon", title="Tea", topics=["tea"], decisions=["four, not five"])
    m.episodes.save("afternoon", title="Tea", topics=["cups"])


def proposals(m: memoro.Workspace) -> None:
    m.remember("An agent's fact", by="helper")
    m.edit("kettle", "The kettle is yellow", by="helper")
    m.remove("teafour", by="helper")
    m.remember("A rule that waits", tier="procedural", by="helper")
    m.remember("The tap drips at night", by="helper")
    m.remember("The tap drips at night")
    m.entries.accept(1)
    m.entries.reject(2)
    tap = next(one for one in m.entries.all() if one.text == "The tap drips at night")
    m.forget(tap.id, yes=True)  # takes the words out of the fifth proposal too


def sessions(m: memoro.Workspace) -> None:
    m.sync()
    m.recall("When do we drink tea?", session="evening")
    m.recall("And how hot is the kettle?", session="evening")
    m.memories.reinforce(3, session="evening")
    m.experiences.mark_used(1, 0.9, session="evening")
    m.sessions.start("empty", project="kitchen")
    m.sessions.archive("empty")


def dropped_line(m: memoro.Workspace) -> None:
    """A save of an older version drops a line, and the next sync puts it back."""
    added = m.daily.add("a line that an editor drops")
    file = Path(m.settings.vault.path or "", added.path)
    file.write_text(file.read_text().replace(f"{added.line}\n", "") + "- 23:00 by hand\n")
    m.sync()


def imported(m: memoro.Workspace) -> None:
    """Something of everything comes from another home."""
    folder = Path(m.home).parent / "scratch"
    exported: list[str] = []
    with memoro.open(folder / "other", folder) as other:
        number = other.memories.store("The neighbours drink coffee.", source="user").memory.id
        other.experiences.record("task_solution", "grind coffee", "slowly")
        other.narratives.update("Visiting the neighbours.", [number])
        other.memories.archive(other.memories.store("The neighbours had a dog.").memory.id)
        other.export(exported.append)
    (folder / "other.jsonl").write_text("".join(exported))
    m.import_(folder / "other.jsonl")


def told(m: memoro.Workspace) -> dict[str, object]:
    """What a home says of itself, as 0.1.0 writes it for `--json`."""
    exported: list[str] = []
    m.export(exported.append)
    known = sorted({e.item for e in m.journal.log(JOURNAL_LIMIT) if e.kind in ("memory", "item")})
    lived = sorted({e.item for e in m.journal.log(JOURNAL_LIMIT) if e.kind == "experience"})
    return {
        "log": [wire.entry(one) for one in m.journal.log(JOURNAL_LIMIT)],
        "histories": {str(n): [wire.entry(one) for one in m.memories.history(n)] for n in known},
        "lives": {str(n): [wire.entry(one) for one in m.experiences.history(n)] for n in lived},
        "memories": [wire.memory(one) for one in m.memories.all()],
        "narratives": [wire.narrative(one.narrative) for one in m.narratives.search(limit=100)],
        "experiences": [wire.experience(one.experience, 1.0) for one in m.experiences.list()],
        "faded": [wire.experience(one.experience, 1.0) for one in m.experiences.list(archived=True)],
        "items": [one._asdict() for store in ("langgraph", "openai-agents") for one in m.items.below(store)],
        "proposals": [one._asdict() for one in m.entries.proposals(None)],
        "sessions": [one._asdict() for one in m.sessions.all(archived=True)],
        "recalls": wire.shown_session(m.sessions.show("evening")),
        "blocks": [m.sessions.replay("evening", n + 1).then.recalled.block for n in range(2)],
        "export": "".join(exported).splitlines(),
    }


def undone(home: Path, vault: Path, scratch: Path, change: int, now: datetime) -> dict[str, object]:
    """What becomes of one change, and of what it was about, when it is taken back."""
    for old, name in ((home, "home"), (vault, "vault")):
        shutil.rmtree(scratch / name, ignore_errors=True)
        shutil.copytree(old, scratch / name)
    with memoro.open(scratch / "home", scratch / "vault", clock=lambda: now) as m:
        try:
            m.journal.undo(change)
        except MemoroError as error:
            return {"refused": str(error)}
        exported: list[str] = []
        m.export(exported.append)
        rows = [json.loads(line) for line in "".join(exported).splitlines()]
        kept = [row for row in rows if row.get("record") not in ("change", "key", "forgotten", "end", None)]
        return {"entry": wire.entry(m.journal.log(1)[0]), "kept": kept, "notes": read(scratch / "vault")}


def read(vault: Path) -> dict[str, str]:
    return {str(p.relative_to(vault)): p.read_text() for p in sorted(vault.rglob("*.md"))}


def main(folder: Path) -> None:
    home, vault, scratch = (folder / name for name in ("home", "vault", "scratch"))
    for one in (home, vault, scratch):
        shutil.rmtree(one, ignore_errors=True)
    home.mkdir(mode=0o700, parents=True)
    vault.mkdir()
    scratch.mkdir()
    (home / "memoro.toml").write_text(SETTINGS)
    (vault / "MEMORY.md").write_text(MEMORY_MD)
    clock = Clock(datetime(2026, 3, 5, 14, 0, tzinfo=UTC))
    with memoro.open(home, vault, clock=clock) as m:
        for part in (memories, narratives, experiences, items, notes, proposals, sessions, dropped_line, imported):
            part(m)
    now = clock()
    with memoro.open(home, vault, clock=lambda: now) as m:
        expected = told(m)
    expected["now"] = now.isoformat()
    expected["notes"] = read(vault)
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(mode=0o700)
    for name in ("ledger.db", "archive.db", "memoro.toml"):
        shutil.copy(home / name, kept / name)
    numbers = [entry["id"] for entry in expected["log"]]
    expected["undone"] = {str(n): undone(kept, vault, scratch, n, now) for n in numbers}
    text = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
    with gzip.GzipFile(folder / "expected.json.gz", "wb", mtime=0) as packed:
        packed.write(text.encode())
    for name in ("ledger.db", "archive.db"):
        with gzip.GzipFile(folder / f"{name}.gz", "wb", mtime=0) as packed:
            packed.write((kept / name).read_bytes())
    shutil.copy(kept / "memoro.toml", folder / "memoro.toml")
    for one in (home, kept, scratch):
        shutil.rmtree(one)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
