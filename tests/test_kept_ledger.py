"""A long walk of operations on one ledger ends as it did when it was kept: every answer, refusal, list and change.

The steps are drawn with a fixed seed, so that operations meet each other in many orders. After a change that is
meant, look at what moved, then keep the new answers: `python -m tests.test_kept_ledger`.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.errors import MemoroError
from memoro.ledger.ended_facts import ended_facts
from memoro.ledger.forget import ForgottenMemories
from memoro.ledger.undo import Undone
from memoro.memories.results import Stored
from memoro.model.items import ItemPut
from memoro.model.journal import JournalEntry
from memoro.model.listing import EXPERIENCE_SORTS, MEMORY_SORTS, MEMORY_STATES, ExperienceFilter, MemoryFilter
from memoro.model.proposals import RememberEntry, RetireMemory, StoreMemory, Suggestion, SupersedeMemory
from memoro.model.vocabulary import EXPERIENCE_TYPES, TRUSTS
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import digest
from tests.test_kept_sessions import in_utc, without

KEPT = Path(__file__).parent / "data" / "kept_ledger.json"
FIRST = datetime(2026, 2, 2, 8, tzinfo=UTC)
SEEDS = (11, 12, 13)
STEPS = 480
SETTINGS = '[embedding]\nenabled = false\n\n[memory]\nmax_size = "41KB"\nprune_percent = 10\n'
TEXTS = (
    "The proxy listens on port 8080.", "The proxy listens on port 8443.", "Anna likes figs.", "Anna lives in Porto.",
    "Anna lives in Ghent.", "The harbor office opens at nine.", "Tea is served at four.", "Use uv instead of pip.",
    "Ines looks after the network of the harbor.", "The pier board runs on a Raspberry Pi 5.",
    "The key of the mirror is ghp_0123456789abcdefghijklmnopqrstuvwxyzA.", "Bruno's cat is called Miso.",
)  # fmt: skip
INTENTS = ("mend the crane", "dim the board", "restore the database", "brew tea")
SOURCES = ("agent", "user", "web", "extraction", "codex")
SESSIONS = ("s1", "s2", "s3", None)
PROJECTS = ("harbor", "pier", None, None)
NAMES = ("owner", "alice")  # alice is an agent who is bound to a project


class Walk:
    """Draws steps, and does each by one of two callers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._draw, self._now = folder, random.Random(seed), FIRST
        (folder / "home").mkdir(mode=0o700)
        (folder / "home" / "memoro.toml").write_text(SETTINGS, encoding="utf-8")
        write_vault(folder / "vault", {"MEMORY.md": "# Memory\n\n- Anna likes tea\n- The office is closed\n"})
        self._known: list[int] = []
        self._steps: list[Callable[[Workspace], tuple[list[Any], Callable[[], Any]]]] = [
            *[self._store] * 8, *[self._change] * 8, *[self._mark] * 4, *[self._undo] * 7, *[self._query] * 3,
            *[self._experience] * 4, *[self._use_experience] * 5, *[self._move] * 4, *[self._forget] * 2,
            *[self._narrate] * 2, *[self._propose] * 3, *[self._decide] * 5, self._item, self._session,
            self._upkeep, self._entry,
        ]  # fmt: skip

    def go(self) -> Iterator[list[Any]]:
        with (
            in_utc(self._folder),
            memoro.open(self._folder / "home", self._folder / "vault", clock=lambda: self._now) as owner,
            memoro.open(
                self._folder / "home", self._folder / "vault", clock=lambda: self._now, agent="alice", project="pier"
            ) as alice,
        ):
            for number in range(STEPS):
                self._now += timedelta(minutes=self._draw.choice((1, 7, 60, 600, 3000)))
                name = self._draw.choice((*NAMES, "owner"))
                m = alice if name == "alice" else owner
                self._known = [one.id for one in owner.memories.all()][-12:] + self._known[:3]
                asked, work = self._one(self._steps if number > 25 else (self._store, self._experience))(m)
                yield [number, name, *asked, answered(work)]
                if number % 120 == 119:
                    yield from whole_state(owner, alice)

    def _one(self, of: Any) -> Any:
        return self._draw.choice(of)

    def _number(self) -> int:
        """Mostly that of a memory that was there a moment ago."""
        return self._one(self._known) if self._known and self._draw.random() < 0.85 else self._draw.randrange(1, 40)

    def _maybe(self, share: float, value: Any) -> Any:
        return value if self._draw.random() < share else None

    def _day(self) -> str:
        return (self._now + timedelta(days=self._draw.randrange(-40, 40))).date().isoformat()

    def _store(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        room = f"Room {self._number()} of the mill is {self._one(('dry', 'wet', 'cold'))}."
        text = (
            self._one(TEXTS) if self._draw.random() < 0.6 else f"{room}{' Its walls are thick.' * self._one((0, 30))}"
        )
        options: dict[str, Any] = {"source": self._one(SOURCES)}
        drawn = {
            "trust": self._maybe(0.3, self._one(TRUSTS)), "session": self._one(SESSIONS),
            "project": self._one(PROJECTS), "agent": self._maybe(0.1, self._one(("alice", "bob"))),
            "valid_from": self._maybe(0.2, self._day()), "valid_to": self._maybe(0.2, self._day()),
            "parents": self._maybe(0.25, (self._number(), self._number())),
            "supersedes": self._maybe(0.25, (self._number(),)), "task": self._maybe(0.1, "t"),
            "key": self._maybe(0.2, f"k{self._number()}"), "origin": self._maybe(0.1, f"@x/{self._number()}"),
            "created_at": self._maybe(0.1, self._day()), "narrative": self._maybe(0.1, 1),
        }  # fmt: skip
        options |= {name: value for name, value in drawn.items() if value is not None}
        tags = self._one(((), ("a",), ("a", "b/c")))
        return ["store", text, tags, options], lambda: m.memories.store(text, tags, **options)

    def _change(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        number, source, key = self._number(), self._one(SOURCES), self._maybe(0.15, f"k{self._number()}")
        match self._draw.randrange(5):
            case 0:
                new = self._number()
                return ["supersede", number, new, source], lambda: m.memories.supersede(
                    number, new, source=source, key=key
                )
            case 1:
                text, until = self._maybe(0.7, self._one(TEXTS)), self._maybe(0.3, self._day())
                since = self._maybe(0.3, self._day())
                tags = self._maybe(0.3, ("c",))
                return ["update", number, text, tags, since, until, source], lambda: m.memories.update(
                    number, text, tags, valid_from=since, valid_to=until, source=source, key=key
                )
            case 2:
                return ["remove", number, source], lambda: m.memories.remove(number, source=source, key=key)
            case 3:
                level = self._one(TRUSTS)
                return ["trust", number, level], lambda: m.memories.trust(number, level, key=key)
            case _:
                return ["promote", number], lambda: m.memories.promote(number, f"e{number}", source=source, key=key)

    def _mark(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        number, session, name = self._number(), self._one(SESSIONS), self._one(("reinforce", "reinforce", "demote"))
        key = self._maybe(0.2, f"k{self._number()}")
        return [name, number, session], lambda: getattr(m.memories, name)(number, session=session, key=key)

    def _undo(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        newest = max((one.id for one in m.journal.log(1)), default=1)
        match self._draw.randrange(6):
            case 0:
                by, since = self._one(SOURCES), self._maybe(0.8, (self._now - timedelta(days=1)).date().isoformat())
                dry = self._draw.random() < 0.5
                return ["undo all", by, since, dry], lambda: m.journal.undo(by=by, since=since, dry_run=dry)
            case 1:
                return ["undo last"], m.journal.undo
            case 2:
                return ["show", newest], lambda: m.journal.show(newest)[:5]
            case _:
                entry, key = self._draw.randrange(max(1, newest - 12), newest + 1), self._maybe(0.2, "once")
                return ["undo", entry], lambda: m.journal.undo(entry, key=key)

    def _query(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        text, session = self._one(("port of the proxy", "Anna", "harbor office", "mill", "tea")), self._one(SESSIONS)
        options: dict[str, Any] = {"links": self._draw.random() < 0.5, "archived": self._draw.random() < 0.3}
        if self._draw.random() < 0.3:
            options["as_of"] = self._day()
        else:
            options["session"] = session
        return ["query", text, options], lambda: [
            [one.memory.id, round(one.score, 3), one.linked_to]
            for one in m.memories.query(text, 4, **options).results
        ]

    def _experience(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        intent, kind, success = self._one(INTENTS), self._one(EXPERIENCE_TYPES), self._one((0.0, 0.4, 1.0))
        solution, source = self._one(("grease it", "ask Ines", {"by": "clock"})), self._one(SOURCES)
        project, key = self._one(PROJECTS), self._maybe(0.1, f"k{self._number()}")
        if kind == "preference":
            return ["prefer", intent, solution, source, project], lambda: m.experiences.prefer(
                intent, solution, source=source, project=project, key=key
            )
        return ["record", kind, intent, solution, success, source, project], lambda: m.experiences.record(
            kind, intent, solution, success=success, source=source, project=project, tags=("t",), key=key
        )

    def _use_experience(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        number, success = self._draw.randrange(1, 18), self._one((None, 0.0, 1.0))
        match self._draw.randrange(8):
            case 0:
                return ["remove experience", number], lambda: m.experiences.remove(number)
            case 1:
                level = self._one(TRUSTS)
                return ["trust experience", number, level], lambda: m.experiences.trust(number, level)
            case 2:
                force = self._draw.random() < 0.5
                self._now += timedelta(days=self._one((1, 20, 60)))
                return ["prune experiences"], lambda: m.experiences.prune_expired(0.3, force=force)
            case 3:
                yes = self._draw.random() < 0.4
                return ["forget experience", number, yes], lambda: m.experiences.forget(
                    number, yes=yes, dry_run=not yes
                )
            case 4:
                return ["offered", number], lambda: m.experiences.offered([number, f"experience:{number + 1}"])
            case _:
                return ["use", number, success], lambda: m.experiences.mark_used(number, success)

    def _move(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        number, name = self._number(), self._one(("archive", "archive", "unarchive", "prune", "plan"))
        key = self._maybe(0.2, f"m{self._number()}")
        if name in ("prune", "plan"):
            return [name], lambda: m.memories.prune(dry_run=name == "plan")
        return [name, number], lambda: getattr(m.memories, name)(number, key=key)

    def _forget(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        number, yes = self._number(), self._draw.random() < 0.4
        only = self._draw.random() < 0.3
        match self._draw.randrange(5):
            case 0:
                return ["forget query", yes], lambda: m.memories.forget(
                    query="mill", limit=1, yes=yes, dry_run=not yes
                )
            case 1:
                day = self._day()
                return ["forget source", day], lambda: m.memories.forget(source="web", since=day, dry_run=True)
            case 2:
                return ["forget target", number, yes], lambda: m.forget(f"memory:{number}", yes=yes, dry_run=not yes)
            case _:
                return ["forget", number, yes, only], lambda: m.memories.forget(
                    number, yes=yes, dry_run=not yes, only=only
                )

    def _narrate(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        text, number, project = f"The work is at step {self._number()}.", self._number(), self._one(PROJECTS)
        match self._draw.randrange(4):
            case 0:
                return ["chain", number % 4], lambda: m.narratives.chain(number % 4, before=2, after=1)
            case 1:
                return ["narratives"], lambda: m.narratives.search(self._one((None, "step")), 3, project=project)
            case _:
                text = self._one((text, self._one(TEXTS)))
                return ["narrate", text, number], lambda: m.narratives.update(text, [number], project=project)

    def _propose(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        one, other = self._number(), self._number()
        change = self._one((
            StoreMemory(self._one(TEXTS), tags=("p",), project=self._one(PROJECTS), supersedes=self._maybe(0.4, one)),
            SupersedeMemory(old=one, new=other), RetireMemory(one),
            RememberEntry(text=self._one(TEXTS), tier="semantic", section=None, path="MEMORY.md"),
        ))  # fmt: skip
        waits = self._maybe(0.3, timedelta(days=2))
        origin = self._one(("agent", "tidy", "review"))
        return ["propose", repr(change), origin], lambda: m.proposals.propose(
            Suggestion(change, origin=origin, waits=waits), by=self._one(SOURCES)
        )

    def _decide(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        made = [one.id for one in m.proposals.all(None)][-6:]
        number, key = self._one(made or [1]), self._maybe(0.3, f"d{self._number()}")
        match self._draw.randrange(6):
            case 0:
                return ["reject", number], lambda: m.proposals.reject(number, key=key)
            case 1:
                return ["reopen", number], lambda: m.proposals.reopen(number)
            case 2:
                return ["undo proposal", number], lambda: m.journal.undo_proposal(number)
            case 3:
                return ["settled"], lambda: [[one.id, one.state] for one in m.proposals.settled(3)]
            case _:
                return ["accept", number], lambda: m.proposals.accept(number, key=key)

    def _item(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        name, value = self._one(("a", "b")), self._one(({"text": "green tea"}, {"text": "black tea"}, None))
        ttl = self._maybe(0.3, 30.0)
        return ["put", name, value], lambda: m.items.put("langgraph", [ItemPut(("shelf",), name, value, ttl=ttl)])

    def _session(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        name, what = self._one(("s1", "s2", "s3")), self._one(("archive", "unarchive", "show", "uses"))
        if what == "show":
            return ["session", name], lambda: [one.given for one in m.sessions.show(name).recalls]
        if what == "uses":
            return ["uses"], lambda: m.sessions.uses([f"memory:{number}" for number in range(1, 12)])
        return [what, name], lambda: getattr(m.sessions, what)(name)

    def _upkeep(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        self._now += timedelta(days=self._one((0, 1, 3)))
        return ["upkeep"], lambda: [one.split(" ")[0] for one in m.upkeep().done]

    def _entry(self, m: Workspace) -> tuple[list[Any], Callable[[], Any]]:
        text = self._one(TEXTS)
        by = self._one(("user", "codex"))
        return ["remember", text, by], lambda: m.remember(text, by=by)


def answered(work: Callable[[], Any]) -> Any:
    """What an operation returned, or how it was refused."""
    try:
        return plain(work())
    except MemoroError as error:
        return [type(error).__name__, str(error)]


def plain(value: Any) -> Any:
    """Values as JSON has them: named fields that say something, numbers rounded."""
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        fields = value._asdict()
        match value:
            case Stored(nearest=nearest):
                fields["nearest"] = [one.memory.id for one in nearest]
            case ForgottenMemories(memories=memories):  # twins come in any order
                fields["memories"] = sorted(one.id for one in memories)
            case Undone(entries=entries):
                fields["entries"] = [[one.id, one.operation, one.item] for one in entries]
        told = {name: plain(one) for name, one in fields.items() if one not in (None, (), [], "", False)}
        return {
            name: one for name, one in told.items() if not name.endswith(("bytes", "tables", "took_ms", "boundary"))
        }
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return value if isinstance(value, str | int | bool | None) else repr(value)


def whole_state(*callers: Workspace) -> Iterator[list[Any]]:
    """Every list, as each caller sees it, and the journal."""
    for m in callers:
        for state in MEMORY_STATES:
            for sort in MEMORY_SORTS[:3]:
                found = m.memories.page(MemoryFilter(state=state), sort, limit=100)
                yield ["page", state, sort, [getattr(one, "memory", one).id for one in found[0]]]
        for order in EXPERIENCE_SORTS[:3]:
            listed = plain(m.experiences.page(ExperienceFilter(), order, limit=100)[0])
            yield ["experiences", order, len(listed), short(listed)]
        yield ["preferences", plain(m.experiences.preferences())]
        yield ["stats", plain(m.memories.stats()), plain(m.experiences.stats())]
        yield ["proposals", [[one.id, one.state, one.expires_at] for one in m.proposals.all(None)]]
        yield ["narratives", plain(m.narratives.search(None, 20, scope="all"))]
    owner = callers[0]
    numbers = range(1, 60)
    yield ["memories", [short(answered(partial(owner.memories.show, one, scope="all"))) for one in numbers]]
    yield ["links", [found for one in numbers if (found := answered(partial(links, owner, one)))[-1]]]
    changes = owner.journal.log(120)
    yield ["journal", [[one.id, one.operation, *_shown(owner, one)] for one in changes]]
    origins = [f"@x/{number}" for number in range(1, 60)]
    yield ["ended", plain(ended_facts(owner.ledger.access, origins, TEXTS))]
    lines: list[str] = []
    owner.export(lines.append)
    yield ["export", len(lines)]


def _shown(m: Workspace, change: JournalEntry) -> list[str]:
    """How a change is shown. What is forgotten together is noted in any order."""
    if change.operation == "forget":
        return []
    shown = [plain(change), answered(lambda: m.journal.show(change.id)[1:5])]
    return [short(json.loads(json.dumps(shown).replace(os.path.dirname(m.home), "")))]


def short(value: Any) -> Any:
    """A digest: the steps before tell it in full."""
    return digest(json.dumps(value, ensure_ascii=False))


def links(m: Workspace, number: int) -> Any:
    def around(one: Any) -> Any:
        return [one.memory.id, round(one.strength, 2), [around(other) for other in one.linked]]

    return around(m.memories.links(number, 2, scope="all"))


def answers(folder: Path, seed: int) -> list[Any]:
    return [without(str(folder), one) for one in Walk(folder, seed).go()]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_walk_over_the_ledger_ends_where_it_was_kept(seed: int, tmp_path: Path) -> None:
    kept = read_kept(KEPT)[str(seed)]
    check_kept([one[:3] for one in kept], answers(tmp_path, seed), kept)


def keep() -> None:
    found: dict[str, list[Any]] = {}
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            found[str(seed)] = answers(Path(folder), seed)
    write_kept(KEPT, found)


if __name__ == "__main__":
    keep()
