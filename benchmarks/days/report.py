"""The tables of a run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from benchmarks import measure
from benchmarks.days.judging import HEADS, PromptVerdict, StartVerdict, items
from benchmarks.days.people import KINDS, SILENT, Kind
from benchmarks.days.session_notes import NoteVerdict, pooled

Figures = dict[str, float | None]
Verdict = TypeVar("Verdict", PromptVerdict, StartVerdict)

_GOALS = {
    "answered, within 500 tokens": "≥ 85",
    "stale as current": "≤ 3",
    "only an echo, kind echo": "0",
    "silent: acknowledgements": "≥ 97",
    "silent: new topics": "≥ 92",
    "leak: forbidden content": "0",
    "private words, any prompt": "0",
    "tokens, first prompt: median": "≤ 350",
    "tokens, later prompts: median": "≤ 200",
    "relevant tokens, all prompts": "≥ 55",
    "start says where we left off": "≥ 90",
    "past error recognised": "≥ 90",
    "preference applied to a task": "≥ 70",
}
_NOTE_GOALS = {
    "decisions: recall": "≥ 85",
    "decisions: precision": "≥ 85",
    "open: recall": "≥ 85",
    "open: precision": "≥ 85",
    "files: recall": "≥ 95",
}


class Scored(NamedTuple):
    prompts: Sequence[PromptVerdict]
    starts: Sequence[StartVerdict]


def figures(scored: Scored) -> Figures:
    """Shares in per cent; None where there is nothing to count."""
    every = scored.prompts
    asked = [one for one in every if one.prompt.asks]
    of_kind: dict[Kind, list[PromptVerdict]] = {k: [one for one in asked if one.prompt.kind == k] for k in KINDS}
    row: Figures = {}
    for place, budget in enumerate(HEADS):
        row[f"answered, within {budget} tokens"] = _share(asked, partial(_is_answered, place=place))
    for kind in KINDS:
        if kind not in SILENT:
            row[f"· {kind}"] = _share(of_kind[kind], _is_answered)
    row["answer anywhere in the context"] = _share(asked, lambda one: one.anywhere)
    row["asked, and nothing given"] = _share(asked, lambda one: one.silent and not one.answered[-1])
    row["stale as current"] = _share([one for one in every if one.prompt.stale], lambda one: one.stale)
    row["only an echo, kind echo"] = _share(of_kind["echo"], lambda one: one.echo)
    row["only an echo, all asked"] = _share(asked, lambda one: one.echo)
    for title, kind in (("acknowledgements", "trivial"), ("new topics", "new")):
        row[f"silent: {title}"] = _share([one for one in every if one.prompt.kind == kind], lambda one: one.silent)
    row["leak: forbidden content"] = _share([one for one in every if one.prompt.forbid], lambda one: one.leak)
    row["private words, any prompt"] = _share(every, lambda one: one.private)
    row |= _token_figures(every)
    row["relevant tokens, asked prompts"] = _relevant(asked)
    row["relevant tokens, all prompts"] = _relevant(every)
    row["past error recognised"] = _share(of_kind["error"], _is_answered)
    row["preference applied to a task"] = _share(of_kind["preference"], _is_answered)
    row["start says where we left off"] = _share(scored.starts, lambda one: one.left_off)
    row["start with private lines"] = _share(scored.starts, lambda one: one.private)
    row["start, tokens: median"] = _median([one.tokens for one in scored.starts])
    return row


def _token_figures(every: Sequence[PromptVerdict]) -> Figures:
    row: Figures = {}
    for title, first in (("first prompt", True), ("later prompts", False)):
        counts = sorted(one.tokens for one in every if one.first == first)
        row[f"tokens, {title}: median"] = _median(counts)
        row[f"tokens, {title}: p95"] = counts[min(len(counts) - 1, int(0.95 * len(counts)))] if counts else None
    return row


def print_figures(columns: Mapping[str, Figures], *, goals: bool) -> None:
    header = ["%, tokens of 4 characters", *columns, *(["goal"] if goals else [])]
    rows = []
    for name in next(iter(columns.values())):
        cells = [_cell(column[name]) for column in columns.values()]
        rows.append([name, *cells, *([_GOALS.get(name, "")] if goals else [])])
    measure.table(header, rows)


def print_notes(verdicts: Mapping[str, Sequence[NoteVerdict]]) -> None:
    """Session notes, pooled over all labelled sessions, for each executable."""
    columns = {name: pooled(own) for name, own in verdicts.items()}
    names = dict.fromkeys(name for counts in columns.values() for name in counts)
    rows = [
        [name, *(_cell(counts[name].percent()) for counts in columns.values()), _NOTE_GOALS.get(name, "")]
        for name in names
    ]
    sessions = len(next(iter(verdicts.values()), ()))
    measure.table([f"notes of {sessions} sessions, %", *columns, "goal"], rows)


def print_failures(scored: Scored, notes: Sequence[NoteVerdict], kinds: Sequence[str]) -> None:
    """Prompts of these kinds (none: all) that failed, with what was given; `start` and `notes` are kinds here too."""
    for one in scored.prompts:
        wrong = list(_wrong(one))
        if wrong and (not kinds or one.prompt.kind in kinds):
            first = " first" if one.first else ""
            print(f"\n[{one.person}/{one.project} {one.prompt.kind}{first}] {one.prompt.text}")
            print(f"   {', '.join(wrong)}; {one.tokens} tokens; need {one.prompt.need.source!r}")
            print(*(f"      {item.whole[:400]}" for item in items(one.given)), sep="\n")
    for start in scored.starts:
        if (not start.left_off or start.private) and (not kinds or "start" in kinds):
            print(f"\n[{start.person}/{start.project} start] {start.tokens} tokens\n{start.block}")
    for note in notes:
        if not kinds or "notes" in kinds:
            print(f"\n[{note.session} note]", *note.lines, "-- daily:", *note.daily, sep="\n")


def _wrong(one: PromptVerdict) -> Iterator[str]:
    if one.prompt.asks and not one.answered[0]:
        yield "not answered"
    for name in ("stale", "echo", "leak", "private"):
        if getattr(one, name):
            yield name
    if one.prompt.kind in SILENT and not one.silent:
        yield "not silent"


def _is_answered(one: PromptVerdict, place: int = 0) -> bool:
    return one.answered[place]


def _share(some: Sequence[Verdict], test: Callable[[Verdict], bool]) -> float | None:
    return 100 * sum(map(test, some)) / len(some) if some else None


def _relevant(some: Iterable[PromptVerdict]) -> float | None:
    some = list(some)
    total = sum(one.total for one in some)
    return 100 * sum(one.relevant for one in some) / total if total else None


def _median(counts: Sequence[int]) -> float | None:
    return statistics.median(counts) if counts else None


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
