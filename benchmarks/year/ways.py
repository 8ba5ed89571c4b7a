"""Four ways in which a year reaches Memoro, each of which knows what every unit of text says."""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.year.life import FIRST, Fact, Turn
from benchmarks.year.probes import Year
from benchmarks.year.words import Words
from memoro.workspace import Workspace

_TOLD = ("said", "changed", "retracted")


class Origin(NamedTuple):
    """What a unit of text is about. Without a `period` it asks for the fact, or contradicts it with less trust."""

    fact: int | None = None
    period: int | None = None
    asks: bool = False
    hearsay: bool = False


class Unit(NamedTuple):
    """A text that a search can return, for the baselines: a memory, a turn, a passage of a note."""

    text: str
    day: date
    origins: tuple[Origin, ...]
    project: str | None = None


class FeedingWay(Protocol):
    def feed(self, turns: Sequence[Turn]) -> int:
        """Add what was said since the last time, and return how many texts that made."""

    def delete(self, fact: int) -> None:
        """Take out everything that states the fact, as a person would."""

    def origins(self, path: str, first: int, last: int, /) -> tuple[Origin, ...]:
        """Return what the lines of a hit say."""

    def units(self) -> list[Unit]: ...


def moment(day: date, hour: int = 12) -> datetime:
    return datetime.combine(day, time(hour), UTC)


class Clock:
    """The time that the home is told."""

    def __init__(self) -> None:
        self.now = moment(FIRST)

    def __call__(self) -> datetime:
        return self.now


class Agent:
    """An agent that stores what it hears: `perfect` supersedes what a new fact replaces, `lazy` never does.

    `hinted` supersedes those of the memories that storing names which are older statements of the same fact.
    """

    def __init__(self, name: str, m: Workspace, clock: Clock, words: Words) -> None:
        self.name, self._m, self._clock, self._words = name, m, clock, words
        self._rng = random.Random(f"agent {name}")
        self._origin: dict[int, Origin] = {}
        self._units: dict[int, Unit] = {}
        self._current: dict[int, int] = {}  # fact → memory
        self.named: list[bool] = []  # for each change: whether storing it named an older statement of the same fact

    def feed(self, turns: Sequence[Turn]) -> int:
        heard = [turn for turn in turns if self._hears(turn)]
        for turn in heard:
            self._clock.now = moment(turn.day)
            self._store(turn)
        self._record_experiences()
        return len(heard)

    def _hears(self, turn: Turn) -> bool:
        if turn.way in ("hearsay", "rule", *_TOLD):
            return True
        if self.name == "perfect" or turn.speaker == "assistant":
            return False
        return turn.way == "repeated" or (turn.way == "talk" and self._rng.random() < 0.3)

    def _store(self, turn: Turn) -> None:
        text = turn.fact_text if self.name == "perfect" and turn.fact_text else turn.text
        if turn.way == "hearsay":
            stored = self._m.memories.store(text, source="agent", trust="tool_or_web", project=turn.project)
        else:
            stored = self._m.memories.store(text, source="conversation", project=turn.project)
        number = stored.memory.id
        if turn.fact is not None and turn.period is not None:
            old = self._current.get(turn.fact)
            if self.name == "perfect" and old is not None and old != number:
                self._supersede(old, number)
            if self.name == "hinted":
                self._follow_hint(turn, number, [one.memory.id for one in stored.nearest])
            self._current[turn.fact] = number
        origin = Origin(turn.fact, turn.period, hearsay=turn.way == "hearsay")
        self._origin[number] = origin
        self._units[number] = Unit(text, turn.day, (origin,), turn.project)

    def _follow_hint(self, turn: Turn, number: int, named: list[int]) -> None:
        older = {other for other in self._units if other != number and _is_older(self._origin[other], turn)}
        if older and turn.way in ("changed", "retracted"):
            self.named.append(not older.isdisjoint(named))
        for other in older.intersection(named):
            self._supersede(other, number)

    def _supersede(self, old: int, new: int) -> None:
        self._m.memories.supersede(old, new)
        del self._units[old]

    def delete(self, fact: int) -> None:
        """Remove every memory of the fact, those that are superseded too."""
        for number in [number for number, origin in self._origin.items() if origin.fact == fact]:
            self._m.memories.remove(number, source="user")
            del self._origin[number]
            self._units.pop(number, None)

    def _record_experiences(self) -> None:
        for intent, solution in self._rng.sample(self._words.talk.experiences, 3):
            project = self._rng.choice(self._words.projects)
            self._m.experiences.record("task_solution", intent.format(S=project), solution, project=project)

    def origins(self, path: str, _first: int, _last: int) -> tuple[Origin, ...]:
        kind, _, number = path.rpartition("/")
        kind, _, number = path.partition(":") if not kind else (kind, "", number)
        return (self._origin[int(number)],) if "experience" not in kind else (Origin(),)

    def units(self) -> list[Unit]:
        return list(self._units.values())


def _is_older(origin: Origin, turn: Turn) -> bool:
    return origin.fact == turn.fact and origin.period is not None and origin.period < (turn.period or 0)


class Logs:
    """Conversation logs alone, one a day and project, as Claude Code writes them."""

    def __init__(self, folder: Path, m: Workspace) -> None:
        self._folder, self._m = folder, m
        self._units: dict[tuple[str, int], Unit] = {}

    def feed(self, turns: Sequence[Turn]) -> int:
        sessions: dict[tuple[date, str | None], list[Turn]] = defaultdict(list)
        for turn in turns:
            if turn.way != "hearsay":
                sessions[turn.day, turn.project].append(turn)
        for (day, project), said in sessions.items():
            self._write(day, project, said)
        return sum(map(len, sessions.values()))

    def _write(self, day: date, project: str | None, said: Iterable[Turn]) -> None:
        name = f"{day.isoformat()}-{project or 'life'}.jsonl"
        with (self._folder / name).open("a", encoding="utf-8") as file:
            for number, turn in enumerate(said, 1):
                file.write(json.dumps(_record(turn, name, number)) + "\n")
                asks = turn.way == "asked"
                origin = Origin(turn.fact, None if asks else turn.period, asks)
                self._units[f"@logs/{name}", number] = Unit(turn.text, day, (origin,), project)

    def delete(self, fact: int) -> None:
        """Forget each message that states the fact: search for it, and forget the hit."""
        stated = [(place, unit) for place, unit in self._units.items() if _states(unit, fact)]
        for (path, line), unit in stated:
            for hit in self._m.search(unit.text, path=path, limit=20, mode="words").results:
                if hit.start_line <= line <= hit.end_line:
                    self._m.forget(hit.id, yes=True)
            del self._units[path, line]

    def origins(self, path: str, first: int, last: int) -> tuple[Origin, ...]:
        found = [self._units.get((path, line)) for line in range(first, last + 1)]
        return tuple(origin for unit in found if unit for origin in unit.origins)

    def units(self) -> list[Unit]:
        return list(self._units.values())


def _states(unit: Unit, fact: int) -> bool:
    return any(origin.fact == fact and origin.period is not None for origin in unit.origins)


def _record(turn: Turn, name: str, number: int) -> dict[str, object]:
    return {
        "type": turn.speaker,
        "uuid": f"{name}-{number}",
        "sessionId": name.removesuffix(".jsonl"),
        "timestamp": f"{turn.day.isoformat()}T{9 + number // 60:02}:{number % 60:02}:00.000Z",
        "cwd": f"/home/me/src/{turn.project}" if turn.project else "/home/me",
        "message": {"role": turn.speaker, "content": turn.text},
    }


Line = tuple[str, Origin]


class Notes:
    """Notes that a person keeps, one for each subject and one for each day.

    A changed fact is edited in its line, or stands below the struck one, under a later heading or in a daily note.
    """

    def __init__(self, folder: Path, year: Year) -> None:
        self._folder, self._year = folder, year
        self._rng = random.Random("notes")
        self._lines: dict[str, list[Line]] = {}
        self._days: dict[str, date] = {}

    def feed(self, turns: Sequence[Turn]) -> int:
        changed: set[str] = set()
        for turn in turns:
            if turn.fact is None:
                if turn.way == "rule" or (turn.speaker == "user" and self._rng.random() < 0.15):
                    changed.add(self._add_daily(turn, Origin()))
            elif turn.way in _TOLD:
                changed.add(self._note(turn, self._year.facts[turn.fact]))
        self._write(changed)
        return len(changed)

    def _write(self, paths: Iterable[str]) -> None:
        for path in paths:
            place = self._folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(f"{line}\n" for line, _ in self._lines[path]), encoding="utf-8")
            changed = moment(self._days[path]).timestamp()
            os.utime(place, (changed, changed))

    def _note(self, turn: Turn, fact: Fact) -> str:
        topic = _topic(fact)
        title = topic.rsplit("/", 1)[-1].removesuffix(".md")
        lines = self._lines.setdefault(topic, [(f"# {title}", Origin())])
        entry: Line = (f"- {turn.explicit}", Origin(turn.fact, turn.period))
        places = [number for number, (_, other) in enumerate(lines) if other.fact == turn.fact]
        way = self._rng.random()
        if places and way >= 0.87:
            return self._add_daily(turn, entry[1])
        self._days[topic] = turn.day
        if not places:
            lines.append(entry)
        elif way < 0.65:
            lines[places[-1]] = entry
        elif way < 0.72:
            text, origin = lines[places[-1]]
            lines[places[-1] : places[-1] + 1] = [(f"- ~~{text[2:].strip('~')}~~", origin), entry]
        else:
            lines += [("", Origin()), (f"## {turn.day.isoformat()}", Origin()), entry]
        return topic

    def tells(self, fact: int, period: int) -> bool:
        """Tell whether a line still states the value of that period."""
        return any(origin == Origin(fact, period) for lines in self._lines.values() for _, origin in lines)

    def _add_daily(self, turn: Turn, origin: Origin) -> str:
        path = f"daily/{turn.day.isoformat()}.md"
        lines = self._lines.setdefault(path, [(f"# {turn.day.isoformat()}", Origin())])
        self._days[path] = turn.day
        lines.append((f"- {9 + len(lines) % 9:02}:15 {turn.explicit}", origin))
        return path

    def delete(self, fact: int) -> None:
        changed = {path for path, lines in self._lines.items() if any(origin.fact == fact for _, origin in lines)}
        for path in changed:
            self._lines[path] = [line for line in self._lines[path] if line[1].fact != fact]
        self._write(changed)

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
