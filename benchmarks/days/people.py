"""The made-up people: their sessions, notes and labelled prompts, read from `data/days/HALF-NAME.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

DATA = Path(__file__).parent.parent / "data" / "days"

Half = Literal["dev", "check"]
HostName = Literal["claude", "codex"]
Speaker = Literal["U", "A", "T"]
Kind = Literal[
    "fact",
    "changed",
    "echo",
    "decision",
    "error",
    "preference",
    "continuity",
    "time",
    "cross",
    "private",
    "trivial",
    "new",
]
HALVES: tuple[Half, ...] = get_args(Half)
KINDS: tuple[Kind, ...] = get_args(Kind)
SILENT: frozenset[Kind] = frozenset({"trivial", "new"})  # prompts that need nothing

_session_head = re.compile(r"(?P<id>\S+) (?P<start>\S+) (?P<project>\S+) \| (?P<title>.+)")
_step_head = re.compile(r"(?P<speaker>[UAT]): ?(?P<text>.*)", re.S)


class FormatError(ValueError):
    """A file of a person cannot be read. The message says where and why."""


class Pattern(NamedTuple):
    """A regular expression of a label, without case. An empty one matches nothing."""

    source: str = ""

    def hits(self, text: str) -> bool:
        return bool(self.source) and re.search(self.source, text, re.I) is not None

    def __bool__(self) -> bool:
        return bool(self.source)


class Step(NamedTuple):
    """A message of the person (U), an answer (A), or a tool call with its result (T)."""

    speaker: Speaker
    text: str


class ToolCall(NamedTuple):
    """A step of the speaker T: `Tool argument => result`; `=> ! result` is the result of a failed call."""

    tool: str
    argument: str
    result: str
    failed: bool


class Session(NamedTuple):
    id: str
    start: datetime
    project: str
    title: str
    steps: tuple[Step, ...]

    def exchanges(self) -> list[tuple[str, str]]:
        """Each message of the person with all that was answered before the next one; tool calls are left out."""
        found: list[tuple[str, str]] = []
        for speaker, text in self.steps:
            if speaker == "U":
                found.append((text, ""))
            elif speaker == "A" and found:
                said, answer = found[-1]
                found[-1] = (said, f"{answer}\n{text}".strip())
        return found


class Prompt(NamedTuple):
    """What the person asks on the last day, and the labels of what must, may and must not be given."""

    kind: Kind
    text: str
    need: Pattern = Pattern()  # is in the answer
    stale: Pattern = Pattern()  # an old value
    forbid: Pattern = Pattern()  # another project's fact, or a line of the diary
    gold: Pattern = Pattern()  # other lines that are relevant
    soft: bool = False  # an answer would be nice to have: not counted as asked

    @property
    def asks(self) -> bool:
        return bool(self.need) and not self.soft


class Group(NamedTuple):
    """One session of the last day."""

    project: str
    prompts: tuple[Prompt, ...]


class NoteLabel(NamedTuple):
    """What the note of a session must hold; `also` are further useful lines, `gist` is what a daily line says."""

    decisions: tuple[Pattern, ...]
    open: tuple[Pattern, ...]
    files: tuple[Pattern, ...]
    also: Pattern
    gist: Pattern


class Person(NamedTuple):
    name: str
    half: Half
    about: str
    today: date
    host: HostName
    projects: tuple[str, ...]
    live: frozenset[str]
    sessions: tuple[Session, ...]
    vault: Mapping[str, str]
    private: Pattern
    start: Mapping[str, Pattern]
    notes: Mapping[str, NoteLabel]
    groups: tuple[Group, ...]

    def prompts(self) -> Iterator[tuple[Group, Prompt]]:
        return ((group, prompt) for group in self.groups for prompt in group.prompts)


def read_people(half: Half, names: frozenset[str] = frozenset()) -> list[Person]:
    """The people of one half, or those of them with these names."""
    people = [read_person(path) for path in sorted(DATA.glob(f"{half}-*.toml"))]
    return [person for person in people if not names or person.name in names]


def read_person(path: Path) -> Person:
    """Raises FormatError where the file lacks something or has a key that is not known."""
    half, _, name = path.stem.partition("-")
    if half not in HALVES:
        raise FormatError(f"{path.name}: a file is called dev-NAME.toml or check-NAME.toml")
    try:
        person = _person(tomllib.loads(path.read_text(encoding="utf-8")), half)
    except (KeyError, TypeError, ValueError, re.error) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise FormatError(f"{path.name}: {reason}") from error
    if person.name != name:
        raise FormatError(f"{path.name}: its name is {person.name!r}")
    return person


def _person(table: dict[str, Any], half: Half) -> Person:
    person = Person(
        name=table.pop("name"),
        half=half,
        about=table.pop("about"),
        today=date.fromisoformat(str(table.pop("today"))),
        host=_one_of(table.pop("host", "claude"), get_args(HostName)),
        projects=tuple(table.pop("projects")),
        live=frozenset(table.pop("live")),
        sessions=tuple(read_sessions(table.pop("sessions"))),
        vault=read_vault(table.pop("vault")),
        private=_pattern(table.pop("private")),
        start={project: _pattern(source) for project, source in table.pop("start").items()},
        notes={session: _note_label(label) for session, label in table.pop("notes").items()},
        groups=tuple(_group(one) for one in table.pop("group")),
    )
    _refuse_rest(table)
    return person


def read_sessions(text: str) -> Iterator[Session]:
    """Sessions: `=== id start project | title`, then steps `U: `, `A: `, `T: `. Other lines continue a step."""
    for part in re.split(r"^=== ", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        found = _session_head.fullmatch(head.strip())
        if found is None:
            raise FormatError(f"not `id start project | title`: {head!r}")
        yield Session(
            id=found["id"],
            start=datetime.fromisoformat(found["start"]),
            project=found["project"],
            title=found["title"],
            steps=tuple(_steps(body)),
        )


def _steps(body: str) -> Iterator[Step]:
    for part in re.split(r"^(?=[UAT]:)", body, flags=re.M):
        found = _step_head.fullmatch(part.strip())
        if found is not None:
            speaker: Speaker = found["speaker"]  # type: ignore[assignment]  # the expression allows these three only
            yield Step(speaker, found["text"].strip())
        elif part.strip():
            raise FormatError(f"not a step of U, A or T: {part.strip()[:60]!r}")


def read_tool_call(text: str) -> ToolCall:
    call, _, result = text.partition("=>")
    tool, _, argument = call.strip().partition(" ")
    result = result.strip()
    return ToolCall(tool, argument.strip(), result.removeprefix("!").strip() or "ok", result.startswith("!"))


def read_vault(text: str) -> dict[str, str]:
    """Notes of the shape `@@@ path`, then their text."""
    notes: dict[str, str] = {}
    for part in re.split(r"^@@@ ", text, flags=re.M)[1:]:
        path, _, body = part.partition("\n")
        if path.strip() in notes:
            raise FormatError(f"two notes {path.strip()!r}")
        notes[path.strip()] = body.strip() + "\n"
    return notes


def day_of_note(path: str) -> date | None:
    """The day of a daily note: the vault keeps them as `daily/YYYY-MM-DD.md`."""
    found = re.fullmatch(r"daily/(\d{4}-\d\d-\d\d)\.md", path)
    return date.fromisoformat(found[1]) if found else None


def _group(table: dict[str, Any]) -> Group:
    group = Group(table.pop("project"), tuple(_prompt(one) for one in table.pop("prompt")))
    _refuse_rest(table)
    return group


def _prompt(table: dict[str, Any]) -> Prompt:
    prompt = Prompt(
        kind=_one_of(table.pop("kind"), KINDS),
        text=table.pop("text"),
        need=_pattern(table.pop("need", "")),
        stale=_pattern(table.pop("stale", "")),
        forbid=_pattern(table.pop("forbid", "")),
        gold=_pattern(table.pop("gold", "")),
        soft=bool(table.pop("soft", False)),
    )
    _refuse_rest(table)
    return prompt


def _note_label(table: dict[str, Any]) -> NoteLabel:
    label = NoteLabel(
        decisions=tuple(map(_pattern, table.pop("decisions"))),
        open=tuple(map(_pattern, table.pop("open"))),
        files=tuple(map(_pattern, table.pop("files"))),
        also=_pattern(table.pop("also", "")),
        gist=_pattern(table.pop("gist", "")),
    )
    _refuse_rest(table)
    return label


def _pattern(source: str) -> Pattern:
    try:
        re.compile(source)
    except re.error as error:
        raise FormatError(f"not a regular expression: {source!r} ({error})") from error
    return Pattern(source)


def _one_of(value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise FormatError(f"{value!r} is none of {', '.join(allowed)}")
    return value


def _refuse_rest(table: dict[str, Any]) -> None:
    if table:
        raise FormatError(f"unknown: {', '.join(table)}")
