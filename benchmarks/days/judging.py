"""Judges what was given for a prompt and at a session's start, by the labels."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.days.baselines import words
from benchmarks.days.life import GroupAnswers
from benchmarks.days.people import Pattern, Person, Prompt

HEADS = (500, 600)  # an answer must be in the first tokens of what was given: dumping everything is no answer

_marked = re.compile(
    r"outdated|superseded|obsolete|no longer (true|current|valid)|replaced by|\bstale\b|veraltet", re.I
)
_frame = re.compile(r"<memoro-context|From memory|\[\w+\]$|[\w+/=-]+</memoro-context>")
_text_key = re.compile(r"\d+(-\d+)?|text|content|answer|said")


class GivenItem(NamedTuple):
    """One record of a block, as it was written, and the lines of text in it."""

    whole: str
    lines: tuple[str, ...]


class PromptVerdict(NamedTuple):
    person: str
    project: str
    first: bool  # of its session
    prompt: Prompt
    given: str
    tokens: int
    answered: tuple[bool, ...]  # within each of HEADS, now or earlier in this session
    anywhere: bool
    silent: bool
    stale: bool
    echo: bool
    leak: bool
    private: bool
    relevant: float  # tokens
    total: float


class StartVerdict(NamedTuple):
    person: str
    project: str
    tokens: int
    left_off: bool
    private: bool
    block: str


def judge_person(person: Person, answers: Sequence[GroupAnswers]) -> tuple[list[PromptVerdict], list[StartVerdict]]:
    """The first session of each project is judged for its start; every prompt for what it brought."""
    verdicts: list[PromptVerdict] = []
    starts: dict[str, StartVerdict] = {}
    for group, got in zip(person.groups, answers, strict=True):
        project, held = group.project, [got.start]
        if project in person.start and project not in starts:
            starts[project] = StartVerdict(
                person=person.name,
                project=project,
                tokens=tokens(got.start),
                left_off=person.start[project].hits(got.start),
                private=person.private.hits(got.start),
                block=got.start,
            )
        for place, (prompt, given) in enumerate(zip(group.prompts, got.given, strict=True)):
            verdict = judge(prompt, given, held, person.private)
            verdicts.append(verdict._replace(person=person.name, project=project, first=place == 0))
            held.append(given)
    return verdicts, list(starts.values())


def judge(prompt: Prompt, given: str, earlier: Sequence[str], private: Pattern) -> PromptVerdict:
    """`given` is what the prompt brought, `earlier` what this session held before it."""
    found = items(given)
    lines = [line for item in found for line in item.lines]
    met = tuple(_in_heads(prompt.need, [*earlier, given], budget) for budget in HEADS)
    held = _in_heads(prompt.need, earlier, HEADS[-1])
    everything = [line for block in (*earlier, given) for item in items(block) for line in item.lines]
    relevant, total = _relevant_tokens(found, prompt)
    return PromptVerdict(
        person="",
        project="",
        first=False,
        prompt=prompt,
        given=given,
        tokens=tokens(given),
        answered=tuple(prompt.asks and one for one in met),
        anywhere=prompt.asks and any(prompt.need.hits(line) for line in everything),
        silent=not found,
        stale=not held and _old_value_first(found, prompt),
        echo=prompt.asks and not met[-1] and any(is_echo(prompt.text, line) for line in lines),
        leak=prompt.forbid.hits("\n".join(lines)),
        private=private.hits("\n".join(lines)),
        relevant=relevant,
        total=total,
    )


def tokens(text: str) -> int:
    """Four characters a token; Chinese, Japanese and Korean signs are one each."""
    return round(sum(1 if ord(sign) > 0x2E7F else 0.25 for sign in text))


def items(block: str) -> list[GivenItem]:
    """The JSON records of a block; in a block without any, each line that is not part of its frame."""
    records, plain = [], []
    for line in block.split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            if line.strip() and not _frame.match(line):
                plain.append(GivenItem(line, (line,)))
            continue
        if isinstance(record, dict):
            records.append(GivenItem(line, _texts(record)))
    return records or plain


def _texts(record: dict[str, Any]) -> tuple[str, ...]:
    texts = [value for key, value in record.items() if isinstance(value, str) and _text_key.fullmatch(key)]
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    return tuple(lines) or (json.dumps(list(record.values()), ensure_ascii=False),)


def head(block: str, budget: int) -> list[str]:
    """The lines that begin within the first tokens of a block. Paths and marks of an item cost tokens too."""
    lines: list[str] = []
    for item in items(block):
        budget -= tokens(item.whole) - sum(map(tokens, item.lines))
        for line in item.lines:
            if budget <= 0:
                return lines
            lines.append(line)
            budget -= tokens(line)
    return lines


def _in_heads(pattern: Pattern, blocks: Sequence[str], budget: int) -> bool:
    return any(pattern.hits(line) for block in blocks for line in head(block, budget))


def _old_value_first(found: Sequence[GivenItem], prompt: Prompt) -> bool:
    """An old value stands before the first current one, in an item that neither has the current one nor is marked."""
    for item in found:
        current = any(prompt.need.hits(line) for line in item.lines)
        if current:
            return False
        if any(prompt.stale.hits(line) for line in item.lines) and not _marked.search(item.whole):
            return True
    return False


def _relevant_tokens(found: Sequence[GivenItem], prompt: Prompt) -> tuple[float, float]:
    """A line is relevant if it, or the line before or after it in its item, matches `need` or `gold`."""
    relevant = total = 0.0
    for item in found:
        marks = [prompt.need.hits(line) or prompt.gold.hits(line) for line in item.lines]
        good = sum(len(line) for place, line in enumerate(item.lines) if any(marks[max(0, place - 1) : place + 2]))
        cost = tokens(item.whole)
        total += cost
        relevant += cost * good / max(1, sum(map(len, item.lines)))
    return relevant, total


def is_echo(prompt: str, line: str) -> bool:
    """Does the line say the prompt again, with at most half of all words different?"""
    said = re.sub(r"^(User|Human|U):\s*", "", line)
    asked, spoken = set(words(prompt)) or {prompt.lower()}, set(words(said)) or {said.lower()}
    shared = len(asked & spoken)
    return shared >= min(3, len(asked)) and 2 * shared >= len(asked | spoken)
