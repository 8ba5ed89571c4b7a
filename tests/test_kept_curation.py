"""Facts, verdicts and suggestions on fixed material are those that were kept.

Curation is many small rules about words, ages and uses. After a change that is meant, look at what moved, then keep
the new answers: `python -m tests.test_kept_curation`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from benchmarks.days.people import read_person
from benchmarks.extraction import read
from benchmarks.rewording import cosine, pairs

from memoro.curate.planners import misplaced
from memoro.curate.planners.contradictions import find, is_over_by, why_excluded
from memoro.curate.rounds.planning import one_for_each, planned
from memoro.curate.snapshot.state import CuratedState, ExtractedFact, FeedbackNote
from memoro.model.fact_rules import facts_of
from memoro.model.fact_statements import plain_statement
from memoro.model.facts import ConversationTurn
from memoro.model.rewording import is_rewording
from memoro.model.same_fact import is_contained, is_same_text, repeats
from memoro.model.worth_loading import why_not_loading
from tests.curated import NOW, SETTINGS, entry, memory, state
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import digest

HERE = Path(__file__).parent
KEPT = HERE / "data" / "kept_curation.json"
DATA = HERE.parent / "benchmarks" / "data"
CONVERSATIONS = [one for half in ("dev", "check") for one in read(DATA / f"extraction-{half}.txt")]
PAIRS = [one for half in ("dev", "check") for one in pairs(half)]
LINES = [
    line[2:]
    for half in ("dev", "check")
    for line in (DATA / f"worth-loading-{half}.txt").read_text(encoding="utf-8").split("\n")
    if line[:2] in ("+ ", "- ")
]
SEEDS = range(30)
PEOPLE = [read_person(file) for file in sorted((DATA / "days").glob("dev-*.toml"))]
SAID = list(
    dict.fromkeys(
        line
        for one in PEOPLE
        for text in (*one.vault.values(), *(step.text for session in one.sessions for step in session.steps))
        for line in text.split("\n")
        if line.strip()
    )
)
STATED = [one for pair in PAIRS for one in (pair.one, pair.other)]


def facts(number: int) -> list[Any]:
    """Few facts of a conversation, and all."""
    turns = CONVERSATIONS[number].turns
    return [
        [
            [one.text, one.kind, round(one.score, 3), one.evidence.line]
            for one in facts_of(turns, most=most, longest=at)
        ]
        for most, at in ((2, 200), (100, 60), (100, 200))
    ]


def verdicts(number: int) -> list[bool]:
    """Whether two statements say the same, by each rule that is asked."""
    pair = PAIRS[number]
    near = cosine(pair.one, pair.other)
    return [
        is_rewording(pair.one, pair.other, cosine),
        is_same_text(pair.one, pair.other),
        repeats(pair.one, pair.other, near),
        is_contained(pair.one, pair.other, near),
        why_excluded(pair.one, pair.other, near) is None,
    ]


def worth(number: int) -> list[str | None]:
    return [why_not_loading(LINES[number]), why_not_loading(LINES[number], as_rule=True)]


def drawn_state(seed: int) -> CuratedState:
    """A state with entries and memories that repeat and contradict each other, are used, or old, or not."""
    draw = random.Random(seed)
    texts = [text for pair in draw.sample(PAIRS, 5) for text in (pair.one, pair.other)]
    texts += [*draw.sample(LINES, 4), "The proxy listens on port 8080", "The proxy listens on port 8443"]
    draw.shuffle(texts)
    entries = [
        entry(
            text,
            number,
            tier=draw.choice(("semantic", "semantic", "procedural", "pinned")),
            written_by=draw.choice((None, "2024-11-01", "2026-10-30")),
            is_private=draw.random() < 0.1,
        )
        for number, text in enumerate(texts[:7], 1)
    ]
    memories = [
        memory(
            text,
            number,
            helped=draw.randrange(5),
            given=draw.randrange(8),
            trust=draw.choice(("user_confirmed", "agent_inferred", "tool_or_web")),
            created_at=f"202{draw.choice((4, 5, 6))}-0{draw.randrange(1, 10)}-01T08:00:00.000Z",
            project=draw.choice((None, None, "harbor")),
            is_private=draw.random() < 0.1,
        )
        for number, text in enumerate(texts[7:], 1)
    ]
    extracted = tuple(
        ExtractedFact(text=text, day=f"2026-11-0{day}", path=f"daily/{day}.md", line=day)
        for day, text in enumerate([draw.choice(texts)] * 2 + draw.sample(LINES, 2), 1)
    )
    said = [draw.choice(LINES)] * 2 + draw.sample(LINES, 1)
    feedback = tuple(
        FeedbackNote(id=f"f{number}", is_good=draw.random() < 0.3, note=text, day=f"2026-11-0{number}")
        for number, text in enumerate(said, 1)
    )
    return state(*entries, *memories, extracted=extracted, feedback=feedback)


def suggestions(seed: int) -> list[Any]:
    found = drawn_state(seed)
    made = planned(found, SETTINGS, "review")
    chosen = one_for_each(made)
    return [
        [[repr(one.change), one.reason, round(one.score or 0, 3), one in chosen] for one in made],
        [repr(one) for one in find(found)],
    ]


def many_suggestions(number: int) -> str:
    """The suggestions for four states more, whose files are too large."""
    small = SETTINGS._replace(memory_tokens=100, rules_tokens=100)
    states = [drawn_state(100 + 4 * number + one) for one in range(4)]
    return digest(repr([planned(one, small, of) for one in states for of in ("review", "tidy")]))


def dated(days: int) -> Any:
    """What is suggested so many days after the last day that statements name."""
    last = NOW.date() - timedelta(days=days)
    texts = (f"The office is closed until {last:%d %B %Y}", f"The fair in Ghent is on {last:%d %B %Y}")
    entries = [entry(one, number, written_by="2026-09-01") for number, one in enumerate(texts, 1)]
    memories = [memory(one, number, created_at="2026-09-01T08:00:00.000Z") for number, one in enumerate(texts, 1)]
    made = [*planned(state(*entries), SETTINGS, "tidy"), *planned(state(*memories), SETTINGS, "tidy")]
    return [[repr(one.change), one.reason] for one in made]


def lines_of(number: int) -> str:
    """What every rule of one line says of twenty lines that people wrote; a digest, for there are thousands."""
    some = SAID[20 * number : 20 * number + 20]
    return digest(
        repr(
            [
                [
                    why_not_loading(one), why_not_loading(one, as_rule=True), misplaced.is_rule(one),
                    misplaced.is_fact(one),
                    facts_of([ConversationTurn("User", one, 1, None, True)], most=9, longest=200),
                    facts_of([ConversationTurn("User", one, 1, "2026-11-02", True)], most=1, longest=80),
                    plain_statement(one),
                ]
                for one in some
            ]
        )
    )  # fmt: skip


def pairs_of(number: int) -> str:
    """What the rules of two statements say of statements beside each other, and of the same one changed."""
    some = STATED[12 * number : 12 * number + 12]
    changed = [one.replace(" is ", " is not ").replace("1", "2") for one in some]
    return digest(
        repr(
            [
                [
                    is_same_text(one, other), repeats(one, other, near), is_contained(one, other, near),
                    why_excluded(one, other, near), is_over_by(one, other), is_rewording(one, other, cosine),
                ]
                for one in some
                for other in (*some, *changed)
                for near in [cosine(one, other)]
            ]
        )
    )  # fmt: skip


WAYS: dict[str, tuple[range, Callable[[int], Any]]] = {
    "facts": (range(len(CONVERSATIONS)), facts),
    "verdicts": (range(len(PAIRS)), verdicts),
    "worth": (range(len(LINES)), worth),
    "suggestions": (SEEDS, suggestions),
    "dated": (range(14), dated),
    "many states": (range(100), many_suggestions),
    "many lines": (range(len(SAID) // 20), lines_of),
    "many pairs": (range(len(STATED) // 12), pairs_of),
}


@pytest.mark.parametrize("way", WAYS)
def test_answers_are_those_that_were_kept(way: str) -> None:
    numbers, answer = WAYS[way]
    check_kept(numbers, [answer(number) for number in numbers], read_kept(KEPT)[way])


if __name__ == "__main__":
    write_kept(KEPT, {way: [answer(one) for one in numbers] for way, (numbers, answer) in WAYS.items()})
