"""Four ways in which a year reaches Memoro, each of which knows what every unit of text says."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.year.life import Fact, Turn, Year
from memoro.workspace import Workspace


class Origin(NamedTuple):
    """What a unit of text is about. `asks`: it is a question."""

    fact: int | None
    period: int | None = None
    asks: bool = False


class Unit(NamedTuple):
    """A text that a search can return, for the baselines: a memory, a turn, a passage of a note."""

    text: str
    day: date
    origins: tuple[Origin, ...]
    project: str | None = None


class FeedingWay(Protocol):
    name: str

    def feed(self, turns: Sequence[Turn]) -> None:
        """Add what was said since the last time."""

    def origins(self, path: str, first: int, last: int, /) -> tuple[Origin, ...]:
        """Return what the lines of a hit say."""

    def units(self) -> list[Unit]: ...


def moment(day: date, hour: int = 12) -> datetime:
    return datetime.combine(day, time(hour), UTC)


class Agent:
    """An agent that stores what it hears: `perfect` supersedes what a new fact replaces, `lazy` never does.

    `hinted` supersedes those of the memories that storing names which are older statements of the same fact.
    """

    def __init__(self, name: str, m: Workspace, clock: Clock) -> None:
        self.name, self._m, self._clock = name, m, clock
        self._rng = random.Random(f"agent {name}")
        self._origin: dict[int, Origin] = {}
        self._units: dict[int, Unit] = {}
        self._current: dict[int, int] = {}  # fact → memory
        self.named: list[bool] = []  # for each change: whether storing it named an older statement of the same fact

    def feed(self, turns: Sequence[Turn]) -> None:
        for turn in turns:
            if self._hears(turn):
                self._clock.now = moment(turn.day)
                self._store(turn)

    def _hears(self, turn: Turn) -> bool:
        if self.name == "perfect":
            return turn.way in ("said", "changed", "retracted")
        if turn.way == "talk":
            return turn.speaker == "user" and self._rng.random() < 0.3
        return turn.speaker == "user" and turn.way != "asked"

    def _store(self, turn: Turn) -> None:
        text = turn.fact_text if self.name == "perfect" else turn.text
        stored = self._m.memories.store(text, source="conversation", project=turn.project)
        number = stored.memory.id
        origin = Origin(turn.fact, turn.period)
        if turn.fact is None:
            self._keep(number, text, turn, origin)
            return
        old = self._current.get(turn.fact)
        if self.name == "perfect" and old is not None and old != number:
            self._m.memories.supersede(old, number)
            del self._units[old]
        if self.name == "hinted":
            self._follow_hint(turn, number, [one.memory.id for one in stored.nearest])
        self._current[turn.fact] = number
        self._keep(number, text, turn, origin)

    def _follow_hint(self, turn: Turn, number: int, named: list[int]) -> None:
        older = {other for other in self._units if other != number and _is_older(self._origin[other], turn)}
        if older and turn.way in ("changed", "retracted"):
            self.named.append(not older.isdisjoint(named))
        for other in older.intersection(named):
            self._m.memories.supersede(other, number)
            del self._units[other]

    def _keep(self, number: int, text: str, turn: Turn, origin: Origin) -> None:
        self._origin[number] = origin
        self._units[number] = Unit(text, turn.day, (origin,), turn.project)

    def origins(self, path: str, _first: int, _last: int) -> tuple[Origin, ...]:
        return (self._origin[int(path.rsplit(":", 1)[-1].rsplit("/", 1)[-1])],)

    def units(self) -> list[Unit]:
        return list(self._units.values())


def _is_older(origin: Origin, turn: Turn) -> bool:
    return origin.fact == turn.fact and (origin.period or 0) < (turn.period or 0)


class Clock:
    """The time that the home is told."""

    def __init__(self) -> None:
        self.now = moment(date(2025, 1, 6))

    def __call__(self) -> datetime:
        return self.now


class Logs:
    """Conversation logs alone, one a day and project, as Claude Code writes them."""

    name = "logs"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._origin: dict[tuple[str, int], Origin] = {}
        self._units: list[Unit] = []

    def feed(self, turns: Sequence[Turn]) -> None:
        sessions: dict[tuple[date, str | None], list[Turn]] = defaultdict(list)
        for turn in turns:
            sessions[turn.day, turn.project].append(turn)
        for (day, project), said in sessions.items():
            self._write(day, project, said)

    def _write(self, day: date, project: str | None, said: Iterable[Turn]) -> None:
        name = f"{day.isoformat()}-{project or 'life'}.jsonl"
        with (self._folder / name).open("a", encoding="utf-8") as file:
            for number, turn in enumerate(said, 1):
                file.write(json.dumps(_record(turn, name, number)) + "\n")
                asks = turn.way == "asked"
                origin = Origin(turn.fact, None if asks else turn.period, asks)
                self._origin[f"@logs/{name}", number] = origin
                self._units.append(Unit(turn.text, day, (origin,), project))

    def origins(self, path: str, first: int, last: int) -> tuple[Origin, ...]:
        found = [self._origin[path, line] for line in range(first, last + 1) if (path, line) in self._origin]
        return tuple(found)

    def units(self) -> list[Unit]:
        return self._units


def _record(turn: Turn, name: str, number: int) -> dict[str, object]:
    return {
        "type": turn.speaker,
        "uuid": f"{name}-{number}",
        "sessionId": name.removesuffix(".jsonl"),
        "timestamp": f"{turn.day.isoformat()}T{9 + number // 60:02}:{number % 60:02}:00.000Z",
        "cwd": f"/home/me/src/{turn.project}" if turn.project else "/home/me",
        "message": {"role": turn.speaker, "content": turn.text},
    }


class Notes:
    """Notes that a person keeps: the line of a fact is edited, or the news stand further down, or in a daily note."""

    name = "notes"

    def __init__(self, folder: Path, year: Year) -> None:
        self._folder, self._year = folder, year
        self._rng = random.Random("notes")
        self._lines: dict[str, list[tuple[str, Origin]]] = {}
        self._days: dict[str, date] = {}

    def feed(self, turns: Sequence[Turn]) -> None:
        changed = set()
        for turn in turns:
            if turn.fact is None:
                if turn.speaker == "user" and self._rng.random() < 0.15:
                    changed.add(self._add_daily(turn, Origin(None)))
            elif turn.way in ("said", "changed", "retracted"):
                changed |= self._note(turn, self._year.facts[turn.fact])
        for path in changed:
            place = self._folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(f"{line}\n" for line, _ in self._lines[path]), encoding="utf-8")

    def _note(self, turn: Turn, fact: Fact) -> set[str]:
        topic = _topic(fact)
        lines = self._lines.setdefault(topic, [(f"# {topic.rsplit('/', 1)[-1].removesuffix('.md')}", Origin(None))])
        self._days[topic] = turn.day
        origin, entry = Origin(turn.fact, turn.period), f"- {turn.explicit}"
        places = [number for number, (_, other) in enumerate(lines) if other.fact == turn.fact]
        way = self._rng.random()
        if not places:
            lines.append((entry, origin))
        elif way < 0.75:
            lines[places[-1]] = (entry, origin)
        elif way < 0.87:
            lines += [("", Origin(None)), (f"## {turn.day.isoformat()}", Origin(None)), (entry, origin)]
        else:
            return {self._add_daily(turn, origin)}
        return {topic}

    def _add_daily(self, turn: Turn, origin: Origin) -> str:
        path = f"daily/{turn.day.isoformat()}.md"
        lines = self._lines.setdefault(path, [(f"# {turn.day.isoformat()}", Origin(None))])
        self._days[path] = turn.day
        lines.append((f"- {9 + len(lines) % 9:02}:15 {turn.explicit}", origin))
        return path

    def origins(self, path: str, first: int, last: int) -> tuple[Origin, ...]:
        return tuple(origin for _, origin in self._lines[path][first - 1 : last])

    def units(self) -> list[Unit]:
        return [
            Unit(
                "\n".join(line for line, _ in lines),
                self._days[path],
                tuple(origin for _, origin in lines),
            )
            for path, lines in self._lines.items()
        ]


def _topic(fact: Fact) -> str:
    if fact.project:
        return f"projects/{fact.project}.md"
    return "me.md" if fact.subject == "I" else f"people/{fact.subject}.md"
