"""Checks of a person's file: do the labels match what they mean, and is there enough of everything?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from benchmarks.days.people import (
    SILENT,
    Group,
    NoteLabel,
    Pattern,
    Person,
    Prompt,
    Session,
    day_of_note,
    read_tool_call,
)

MINIMUM = {"projects": 2, "sessions": 12, "notes": 50, "daily notes": 10, "prompts": 42, "labelled sessions": 2}


class StoredTexts(NamedTuple):
    """What a memory could give: titles and lines of the sessions by project, and lines of the notes."""

    said: dict[str, list[str]]
    noted: list[str]

    def of(self, project: str) -> list[str]:
        return self.said.get(project, []) + self.noted

    def everywhere(self) -> list[str]:
        return [line for lines in self.said.values() for line in lines] + self.noted


def problems(person: Person) -> list[str]:
    """What is wrong with the file, one sentence each. None: the file is ready to use."""
    stored = _stored(person)
    found = [*_too_few(person), *_sessions(person), *_labels_of_days(person, stored)]
    for group, prompt in person.prompts():
        found += [f"[{prompt.kind}] {prompt.text[:70]!r}: {one}" for one in _prompt(group, prompt, stored)]
        if prompt.need and not _can_be_answered(group, prompt, stored, person.private):
            found.append(f"[{prompt.kind}] {prompt.text[:70]!r}: every line with its need is forbidden or private")
    return found


def sizes(person: Person) -> dict[str, int]:
    return {
        "projects": len(person.projects),
        "sessions": len(person.sessions),
        "notes": len(person.vault),
        "daily notes": sum(day_of_note(path) is not None for path in person.vault),
        "prompts": sum(1 for _ in person.prompts()),
        "labelled sessions": len(person.notes),
    }


def kinds(person: Person) -> Counter[str]:
    return Counter(prompt.kind for _, prompt in person.prompts())


def _stored(person: Person) -> StoredTexts:
    said: dict[str, list[str]] = {}
    for session in person.sessions:
        lines = said.setdefault(session.project, [])
        lines.append(session.title)
        for step in session.steps:
            if step.speaker != "T":
                lines.extend(step.text.split("\n"))
    return StoredTexts(said, [line for text in person.vault.values() for line in text.split("\n")])


def _too_few(person: Person) -> Iterator[str]:
    for name, count in sizes(person).items():
        if count < MINIMUM[name]:
            yield f"{count} {name}, fewer than {MINIMUM[name]}"


def _sessions(person: Person) -> Iterator[str]:
    ids = [session.id for session in person.sessions]
    if len(set(ids)) < len(ids):
        yield "two sessions have one id"
    if [one.start for one in person.sessions] != sorted(one.start for one in person.sessions):
        yield "the sessions are not in the order of time"
    if any(one.start.date() >= person.today for one in person.sessions):
        yield "a session is not before `today`"
    if person.sessions and person.today - person.sessions[0].start.date() < timedelta(weeks=4):
        yield "the sessions cover less than four weeks"
    for name in sorted(person.live - set(ids)):
        yield f"live: there is no session {name!r}"
    for name in sorted(set(person.notes) - person.live):
        yield f"notes: session {name!r} is not live, so nothing is known of what was written of it"
    used = {one.project for one in person.sessions} | {one.project for one in person.groups} | set(person.start)
    for project in sorted(used - set(person.projects)):
        yield f"{project!r} is not among the projects"


def _labels_of_days(person: Person, stored: StoredTexts) -> Iterator[str]:
    for branch in _dead_branches(person.private, stored.noted):
        yield f"private: {branch!r} matches no note"
    for line in [line for lines in stored.said.values() for line in lines if person.private.hits(line)]:
        yield f"private matches what was said in a session: {line[:70]!r}"
    for project, pattern in person.start.items():
        last = [one for one in person.sessions if one.project == project][-2:]
        for branch in _dead_branches(pattern, [line for one in last for line in _lines(one)]):
            yield f"start of {project}: {branch!r} is not in its last two sessions"
    for session in person.sessions:
        if session.id in person.notes:
            yield from (f"notes of {session.id}: {one}" for one in _note(session, person.notes[session.id]))


def _note(session: Session, label: NoteLabel) -> Iterator[str]:
    said = _lines(session)
    changed = [read_tool_call(step.text).argument for step in session.steps if step.speaker == "T"]
    for name, patterns, lines in (
        ("decisions", label.decisions, said),
        ("open", label.open, said),
        ("files", label.files, changed),
        ("gist", (label.gist,), said),
    ):
        for pattern in patterns:
            if not any(pattern.hits(line) for line in lines):
                yield f"{name}: {pattern.source!r} is not in the session"


def _prompt(group: Group, prompt: Prompt, stored: StoredTexts) -> Iterator[str]:
    if prompt.kind in SILENT and prompt.need:
        yield "a prompt that needs nothing has a need"
    if not (prompt.need or prompt.forbid or prompt.kind in SILENT):
        yield "neither a need nor a forbid: nothing would be judged"
    if prompt.need.hits(prompt.text):
        yield "its need matches the prompt itself: an echo would count as an answer"
    own = stored.everywhere() if prompt.kind == "cross" else stored.of(group.project)
    for name, pattern, lines in (
        ("need", prompt.need, own),
        ("stale", prompt.stale, own),
        ("forbid", prompt.forbid, stored.everywhere()),
        ("gold", prompt.gold, own),
    ):
        for branch in _dead_branches(pattern, lines):
            yield f"{name}: {branch!r} matches nothing stored for {group.project}"
    if prompt.stale and not any(prompt.stale.hits(line) and not prompt.need.hits(line) for line in own):
        yield "stale matches only lines that have the current value too"
    for line in own:
        if prompt.need.hits(line) and re.fullmatch(r"[^.!?…]*\?", line.strip()):
            yield f"its need matches a bare question: {line[:70]!r}"


def _can_be_answered(group: Group, prompt: Prompt, stored: StoredTexts, private: Pattern) -> bool:
    lines = stored.everywhere() if prompt.kind == "cross" else stored.of(group.project)
    return any(prompt.need.hits(line) and not prompt.forbid.hits(line) and not private.hits(line) for line in lines)


def _lines(session: Session) -> list[str]:
    return [line for step in session.steps for line in step.text.split("\n")]


def _dead_branches(pattern: Pattern, lines: list[str]) -> list[str]:
    """The alternatives of a pattern that match none of the lines: a label that means nothing, or a slip."""
    return [branch for branch in branches(pattern.source) if not any(Pattern(branch).hits(line) for line in lines)]


def branches(source: str) -> list[str]:
    """The alternatives at the top level of a regular expression."""
    found, depth, in_set, since = [], 0, False, 0
    for place, sign in enumerate(source):
        if place and source[place - 1] == "\\" and not source[: place - 1].endswith("\\"):
            continue
        if in_set:
            in_set = sign != "]"
        elif sign == "[":
            in_set = True
        elif sign in "()":
            depth += 1 if sign == "(" else -1
        elif sign == "|" and not depth:
            found.append(source[since:place])
            since = place + 1
    return [*found, source[since:]] if source else []
