"""The words of a world: what can be true of whom, how people say it and how they ask for it.

`data/NAME.toml` holds them. `year` is the world for building; `year-b` is only for checking.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

_DATA = Path(__file__).parent.parent / "data"

Owner = Literal["project", "person", "me"]


class Phrases(NamedTuple):
    """Templates in one language: {S} the subject, {V} the value, {O} the one before, {N} the one after."""

    say: tuple[str, ...]
    change: tuple[str, ...]
    ask: tuple[str, ...]


class Attribute(NamedTuple):
    name: str
    of: Owner
    values: tuple[str, ...]
    english: Phrases
    german: Phrases | None
    here: tuple[str, ...]  # statements within the project, without its name
    ask_here: tuple[str, ...]
    past: tuple[str, ...]  # questions about {T}, a time with its preposition
    when: tuple[str, ...]  # questions for the end of a value
    before: str  # the time before {N}


class Talk(NamedTuple):
    """Messages that state nothing that is asked for."""

    about: dict[Owner, tuple[str, ...]]
    tasks: tuple[tuple[str, str], ...]  # with their replies
    replies: tuple[str, ...]
    rules: tuple[str, ...]
    experiences: tuple[tuple[str, str], ...]  # intents with their solutions


class Words(NamedTuple):
    projects: tuple[str, ...]
    people: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    retract: dict[Owner, tuple[str, ...]]
    delete: tuple[str, ...]
    hearsay: tuple[str, ...]
    past: tuple[str, ...]  # {Q}, a question about the present, put into a time {T}
    leads: tuple[str, ...]  # what people say before a statement
    tails: tuple[str, ...]  # and after it
    talk: Talk

    def subjects(self, of: Owner) -> tuple[str, ...]:
        return {"project": self.projects, "person": self.people, "me": ("I",)}[of]

    def short_name(self, person: str) -> str | None:
        """The first name, where no other person has it."""
        first = person.split()[0]
        return first if sum(other.split()[0] == first for other in self.people) == 1 else None


@cache
def read_words(name: str) -> Words:
    table = tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))
    talk = table["talk"]
    return Words(
        projects=tuple(table["subjects"]["project"]),
        people=tuple(table["subjects"]["person"]),
        attributes=tuple(map(_attribute, table["attribute"])),
        retract=_tuples(table["retract"]),
        delete=tuple(table["delete"]["say"]),
        hearsay=tuple(table["hearsay"]["say"]),
        past=tuple(table["past"]["ask"]),
        leads=tuple(table["around"]["lead"]),
        tails=tuple(table["around"]["tail"]),
        talk=Talk(
            about={of: tuple(talk[of]) for of in ("project", "person", "me")},
            tasks=_pairs(talk["task"]),
            replies=tuple(talk["reply"]),
            rules=tuple(talk["rule"]),
            experiences=_pairs(talk["experience"]),
        ),
    )


def _attribute(table: dict[str, Any]) -> Attribute:
    return Attribute(
        name=table["name"],
        of=table["of"],
        values=tuple(table["values"]),
        english=_phrases(table),
        german=_phrases(table["de"]) if "de" in table else None,
        here=tuple(table.get("here", ())),
        ask_here=tuple(table.get("ask_here", ())),
        past=tuple(table["past"]),
        when=tuple(table["when"]),
        before=table["before"],
    )


def _phrases(table: dict[str, Any]) -> Phrases:
    return Phrases(say=tuple(table["say"]), change=tuple(table["change"]), ask=tuple(table["ask"]))


def _tuples(table: dict[Any, list[str]]) -> dict[Any, tuple[str, ...]]:
    return {key: tuple(texts) for key, texts in table.items()}


def _pairs(rows: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in rows)
