"""Plans on drawn states, choices of models, links and exchanges are those that were kept.

Beside `test_kept_curation`: states with experiences, agents' notes, links, kept and promoted entries; answers of
models, good and bad; conversations with feedback in them. After a change that is meant, look at what moved, then keep
the new answers: `python -m tests.test_kept_plans`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy
import pytest

from memoro.curate.extraction.by_model import choose_facts, chosen_facts
from memoro.curate.extraction.spoken_turns import spoken_turns
from memoro.curate.feedback.last_exchange import ExchangeBounds, LoggedTurns, last_exchange
from memoro.curate.judging.facts import Candidate, CurrentFact, EntryPlace, FactDecision, NewFact
from memoro.curate.judging.restatements import normalised, restates
from memoro.curate.judging.rules import judge_by_rules
from memoro.curate.judging.suggestions import suggestions
from memoro.curate.judging.validation import InvalidAnswer, validate
from memoro.curate.planners import budget, demotion, duplicates, feedback_rules, links, promotion, stale
from memoro.curate.planners.contradictions import Contradiction, find
from memoro.curate.planners.feedback_rules import rule_in
from memoro.curate.rounds.choosing import ChoiceCandidate, choice_prompt, choose
from memoro.curate.rounds.planning import LookedAt, looked_at_in_words, one_for_each, planned
from memoro.curate.snapshot.alike import alike_pairs
from memoro.curate.snapshot.broken_links import broken_link, leads_somewhere, link_targets, links_in
from memoro.curate.snapshot.reader import without_private
from memoro.curate.snapshot.state import (
    BrokenLink,
    CuratedMemory,
    CuratedNote,
    CuratedState,
    ExtractedFact,
    FeedbackNote,
    ReplacedMemory,
)
from memoro.errors import MemoroError
from memoro.model.experiences import Experience
from memoro.model.facts import CandidateSentence, Fact
from memoro.model.feedback import GivenFeedback
from memoro.model.proposals import AddRule, Evidence, Suggestion
from memoro.model.targets import MemoryId
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.providers.registry import builtin_model
from memoro.testing import ScriptedModel, records_of
from memoro.transcripts.ports import Turn
from tests.curated import FILES, NOW, SETTINGS, entry, memory, state
from tests.kept import check_kept, in_words, read_kept, write_kept
from tests.lived import digest
from tests.test_kept_curation import LINES, PAIRS
from tests.test_kept_verdicts import current_fact, new_fact

HERE = Path(__file__).parent
KEPT = HERE / "data" / "kept_plans.json"
ENTRIES = (
    "The proxy listens on port 8080", "The proxy of harbor listens on port 8080", "Always run the tests first",
    "My sister Ida lives in Bremen", "The token is ghp_0123456789abcdefghijklmnopqrstuvwxyzA",
    "I restarted it yesterday", "See [[old map]] for the pier", "Use tabs in Go files", "notes",
    "The office is closed until 3 August 2026", "Lena leads the harbor team",
    "The harbor API listens on port 9090 at night",
)  # fmt: skip
MEMORIES = (
    "The proxy listens on port 8443", "The proxy listens on port 8080.",
    "The proxy does not listen on port 8080 any more", "Lena leads the harbor team, since March",
    "Noor leads the harbor team now, not Lena", "Anna likes figs", "The trip to Ghent is on 4 May 2026",
    "Always run the tests first", "Parcels runs on Postgres 16", "My sister Ida moved to Kiel",
    "The office is closed until 20 December 2026", "harbor: use uv, never pip",
)  # fmt: skip
NOTES = (
    "Use uv, not pip", "please use uv instead of pip", "Always name the file", "that was nonsense",
    "no, name the file", "The proxy listens on port 8443", "Port 9443.",
    "Lena does not lead the harbor team any more", "Answer in German", "answer in German!", "was it 3?",
    "You should answer shorter", "You should answer much shorter", "shorter, please", "", "以后请用中文回答", "Great",
    "yes, keep lists short",
)  # fmt: skip


def day(draw: random.Random, most: int) -> str:
    return (NOW - timedelta(days=draw.randrange(most))).date().isoformat()


def drawn_memory(draw: random.Random, number: int) -> CuratedMemory:
    helped = draw.choice((0, 0, 2, 3, 4, 9))
    found = memory(
        draw.choice(MEMORIES),
        number,
        helped=helped,
        given=draw.randrange(9),
        trust=draw.choice(("user_confirmed", "agent_inferred", "agent_inferred", "tool_or_web", "quarantined")),
        created_at=f"{day(draw, 400)}T08:00:00.000Z",
        project=draw.choice((None, None, None, "harbor")),
        agent=draw.choice((None, None, None, "codex")),
        feedback=draw.choice((0, 0, 1, -1, -2, -3)),
        hit_at=draw.choice((None, f"{day(draw, 130)}T08:00:00.000Z")),
        valid_to=draw.choice((None, None, None, "2027-01-01T00:00:00.000Z")),
        origin=draw.choice((None, None, None, f"entry:e{draw.randrange(1, 6)}")),
        is_private=draw.random() < 0.1,
    )
    days = frozenset(day(draw, 60) for _ in range(draw.randrange(3)))
    promoted = draw.choice((None, found.memory.content, "other words"))
    return found._replace(uses=found.uses._replace(days=days), promoted_as=promoted)


def drawn_experience(draw: random.Random, number: int) -> Experience:
    return Experience(
        id=number,
        type=draw.choice(("task_solution", "task_solution", "error_recovery", "user_preference")),
        intent=draw.choice(("Mend the crane", "mend the  crane", "Mend the pump")),
        solution_json=draw.choice(('"grease it"', '"grease it"', '"wait"')),
        success=draw.choice((0.0, 0.2, 0.24, 0.25, 0.26, 0.9)),
        source="agent",
        trust=draw.choice(("agent_inferred", "agent_inferred", "tool_or_web")),
        created_at=f"{day(draw, 120)}T08:00:00.000Z",
        uses=draw.randrange(4),
        outcomes=draw.randrange(1, 6),
        used_at=draw.choice((None, f"{day(draw, 120)}T08:00:00.000Z")),
        project=draw.choice((None, None, "harbor")),
    )


def drawn(seed: int) -> CuratedState:
    """A state with some of everything that planners look at."""
    draw = random.Random(seed)
    entries = [
        entry(
            text,
            number,
            tier=draw.choice(("semantic", "semantic", "procedural", "pinned")),
            written_by=draw.choice((None, "2026-07-01", day(draw, 90))),
            is_private=draw.random() < 0.1,
            headings=draw.choice(((), ("Rules",), ("People",))),
        )
        for number, text in enumerate(draw.choices(ENTRIES, k=draw.randrange(9)), 1)
    ]
    memories = [drawn_memory(draw, number) for number in range(1, draw.randrange(2, 9))]
    repeated = draw.choice((*LINES[:20], *MEMORIES))
    extracted = [
        ExtractedFact(
            text=draw.choice((repeated, repeated, f"{repeated}.", draw.choice(LINES))),
            day=f"2026-11-{number:02}",
            path=f"daily/{number}.md",
            line=draw.randrange(1, 9),
            speaker="User",
            project=draw.choice((None, None, None, "harbor")),
            is_private=draw.random() < 0.05,
        )
        for number in range(1, draw.randrange(1, 8))
    ]
    feedback = [
        FeedbackNote(
            id=f"f{number}",
            is_good=draw.random() < 0.3,
            note=draw.choice(NOTES),
            day=f"2026-11-0{draw.randrange(1, 9)}",
            project=draw.choice((None, None, "harbor")),
            path="feedback/wrong.md",
            line=number,
            question=draw.choice(("", "Which port does the proxy listen on?")),
        )
        for number in range(draw.randrange(7))
    ]
    said = [draw.choice(("Same text", "Same  text", "Other", "")) for _ in range(3)]
    notes = [
        CuratedNote(f"agent/{n}.md", f"{text}\nsee [[old map]]" if n % 2 else text, f"sha{n}", f"2026-10-0{9 - n}")
        for n, text in enumerate(said)
    ]
    broken = [
        BrokenLink(path, line, link, shown, instead)
        for path in (FILES["semantic"], "agent/1.md")
        for line in (1, 5)
        for link, shown, instead in (("[[old map]]", "old map", draw.choice((None, "[[Pier/old map]]"))),)
        if draw.random() < 0.6
    ]
    replaced = [
        ReplacedMemory(old.memory._replace(id=20 + n, origin=draw.choice((None, "entry:e2"))), new.memory)
        for n, (old, new) in enumerate(pairwise(memories))
        if draw.random() < 0.4
    ]
    return state(
        *entries,
        *memories,
        extracted=tuple(extracted),
        feedback=tuple(feedback),
        notes=tuple(notes),
        broken_links=tuple(broken),
        replaced=tuple(replaced),
        experiences=tuple(drawn_experience(draw, number) for number in range(1, draw.randrange(1, 6))),
        kept=frozenset(f"entry:e{n}" for n in range(1, 9) if draw.random() < 0.15),
        private=frozenset({"agent/1.md", "memory:20", "experience:2"} if draw.random() < 0.3 else ()),
    )


def plans(seed: int) -> list[Any]:
    """How much each planner suggests, and all of it as a digest."""
    found = drawn(seed)
    small = SETTINGS._replace(memory_tokens=40, rules_tokens=25)
    planners = (duplicates, stale, links, budget, promotion, demotion, feedback_rules)
    made = [one.plan(found, small) for one in planners]
    rest = [planned(found, small, "tidy"), find(found), find(without_private(found)), without_private(found)]
    chosen = one_for_each(planned(found, SETTINGS, "review"))
    return [[len(one) for one in made], [one.reason for one in chosen][:2], digest(in_words([made, rest, chosen]))]


# Models


def chosen(seed: int) -> Any:
    """What is left of suggestions after a model chose, or answered badly."""
    draw = random.Random(seed)
    found = drawn(seed)
    offered = planned(found, SETTINGS, "review")
    rules = [
        Suggestion(AddRule(f"Rule {n}", "PROCEDURAL.md", None, (f"f{n}",)), (Evidence(f"q{n}"),), "feedback", 0.7)
        for n in range(draw.randrange(4))
    ]
    offered = [*offered, *rules] * draw.choice((1, 1, 4))
    spoiled = draw.choice(("", "", "", "twice", "missing", "reason", "target", "step", "number", "list", "raises"))

    def answer(prompt: Prompt) -> Mapping[str, object]:
        rows: list[dict[str, Any]] = []
        records: list[Any] = list(records_of(prompt))
        for record in records:
            step = draw.choice(record["steps"])
            target = draw.choice((1, 2)) if "sides" in record and step != "keep" else 0
            if step == "merge":
                others = [one["number"] for one in records if "merge" in one["steps"] and one is not record]
                step, target = ("merge", draw.choice(others)) if others and draw.random() < 0.5 else ("add", 0)
            reason = draw.choice(("Because.", "x" * 300))
            rows.append({"reason": reason, "number": record["number"], "step": step, "target": target})
        merged = {one["target"] for one in rows if one["step"] == "merge"}
        for one in rows:
            if one["number"] in merged:
                one |= {"step": "add", "target": 0}
        return {"reason": "All.", "choices": spoil(rows)}

    def spoil(rows: list[dict[str, Any]]) -> Any:
        row = rows[-1]
        match spoiled:
            case "twice":
                return [*rows, row]
            case "missing":
                return rows[:-1]
            case "reason":
                row["reason"] = draw.choice((" ", "x" * 301, 3))
            case "target":
                row["target"] = draw.choice((3, 9, -1, "1"))
            case "step":
                row["step"] = draw.choice(("merge", "shout", None))
            case "number":
                row["number"] = draw.choice((99, "1", None))
            case "list":
                return draw.choice(("none", [1], None))
            case "raises":
                raise RuntimeError(draw.choice(("", "broken")))
        return rows

    memories = {one.memory.id: one.memory for one in found.memories}
    hidden = frozenset(one.memory.content for one in found.memories[:1]) if draw.random() < 0.3 else frozenset[str]()
    info = LanguageModelInfo(provider="x", model="far", host="api.example", is_home=False)
    made = choose(offered, find(found), memories, ScriptedModel(answer, info=info), hidden)
    everything: list[Suggestion | Contradiction] = [*find(found), *offered]
    candidates = [ChoiceCandidate(n, one) for n, one in enumerate(everything[:5], 1)]
    prompt = choice_prompt(candidates) if candidates else None
    return [
        spoiled,
        len(made.suggestions),
        list(made.notices),
        made.by_model,
        digest(in_words([made.suggestions, prompt])),
    ]


def judged(seed: int) -> Any:
    """What a model may decide about new facts, and what follows from it."""
    draw = random.Random(seed)
    current = {100 + number: current_fact(draw, number) for number in range(1, 5)}
    nearest = [tuple(draw.sample(sorted(current), 3)) for _ in range(2)]
    candidates = [Candidate(number, new_fact(draw), each) for number, each in enumerate(nearest, 1)]
    rows: list[Any] = []
    for one in candidates:
        step = draw.choice(("add", "merge", "supersede", "retire", "keep"))
        count = {"merge": 1, "supersede": draw.choice((1, 2, 3)), "retire": draw.choice((1, 2))}.get(step, 0)
        rows.append(
            {
                "reason": "Because  it\nsays so.",
                "candidate": one.number,
                "step": step,
                "targets": list(one.nearest[:count]),
            }
        )
    answer: Any = {"reason": "All.", "decisions": rows}
    wrong = draw.choice(("", "", "", "count", "targets", "shape", "row", "long", "deep", "candidate"))
    match wrong:
        case "count":
            rows.append(rows[0]) if draw.random() < 0.5 else rows.pop()
        case "targets":
            rows[0]["targets"] = draw.choice(([], [101, 101], [101, 102, 103, 104], [7], ["1"], "101", [True]))
        case "shape":
            answer = draw.choice(([], None, {"reason": "x"}, {**answer, "more": 1}, {**answer, "decisions": 3}))
        case "row":
            rows[0] = draw.choice((3, {}, {**rows[0], "more": 1}, {**rows[0], "step": "shout"}))
        case "long":
            rows[0]["reason"] = draw.choice(("x" * 400, "x" * 401, " ", 3))
            answer["reason"] = draw.choice(("x" * 4000, "x" * 4001, "All."))
        case "deep":
            rows[0]["candidate"] = draw.choice(
                ([[1, [2]], 3, 4, 5, 6, 7], {"a": 1}, 10**41, 10**39, "y" * 90, 1.5, True)
            )
        case "candidate":
            rows[0]["candidate"] = draw.choice((2, 9, 0, -1))
    found = validate(answer, candidates, current)
    if isinstance(found, InvalidAnswer):
        return [wrong, str(found)]
    new = [one.new._replace(memory=draw.choice((None, 7, 102))) for one in candidates]
    made = [list(suggestions(one, each, current)) for one, each in zip(found, new, strict=True)]
    retired = [
        list(suggestions(one._replace(step="retire"), each, current)) for one, each in zip(found, new, strict=True)
    ]
    return [
        wrong,
        [[one.step, list(one.targets), one.score, one.reason] for one in found],
        digest(repr([made, retired])),
    ]


def picked(seed: int) -> Any:
    """The sentences that a model chose, or why its answer is not used."""
    draw = random.Random(seed)
    shown = [
        CandidateSentence(line, "fact", Evidence(line, line=n, date="2026-11-02"), draw.choice((0.0, 0.5, 0.8)))
        for n, line in enumerate(draw.sample(LINES, 5), 1)
    ]
    numbers = draw.choices(range(draw.choice((0, 1, 1, 1)), draw.choice((6, 6, 7))), k=draw.randrange(4))
    listed: Any = [{"number": n, "kind": draw.choice(("fact", "rule", "person"))} for n in numbers]
    answer: dict[str, object] = {"reason": draw.choice(("Because.", "x" * 2000)), "facts": listed}
    match draw.randrange(9):
        case 0:
            answer["reason"] = draw.choice(("", " ", "x" * 2001, 3))
        case 1:
            answer["facts"] = draw.choice(("none", {}, [3], [{"number": 1}], [{"number": True, "kind": "fact"}]))
        case 2:
            answer |= {"more": 1}
        case 3:
            answer["facts"] = [{"number": 1, "kind": draw.choice(("shout", None, 3))}]
    try:
        told: Any = [[one.text, one.kind, one.score] for one in chosen_facts(answer, shown, 3)]
    except MemoroError as error:
        told = str(error)
    window = draw.choice((1600, 1650, 1700, 1800, 4000))
    asked = ScriptedModel(lambda _prompt: {"reason": "x", "facts": []})
    asked.info = asked.info._replace(window=window)
    choose_facts(asked, shown, 3)
    seen = [str(one["said"]) for prompt in asked.prompts for one in records_of(prompt)]
    return [told, window, [[one.text for one in shown].index(text) for text in seen]]


# Words


def restated(number: int) -> list[Any]:
    pair = PAIRS[number]
    turned = f"{pair.other.rstrip('.')}, {pair.one}"
    pairs = [
        (pair.one, pair.other),
        (pair.one, f"{pair.one} indeed"),
        (pair.one, pair.one.upper()),
        (pair.other, turned),
    ]
    return [
        [int(restates(*each, near)) for each in pairs for near in (None, 0.96, 0.97, 1.0)],
        digest(normalised(turned)),
    ]


def rules(number: int) -> list[Any]:
    note = NOTES[number]
    asked = ("", "Which port?", "In which language do you answer?")
    return [rule_in(f"{lead}{note}", one) for lead in ("", "no, ", "Please ", "wrong: ") for one in asked]


def alike(number: int) -> list[Any]:
    """Pairs of texts that are near by made-up vectors."""
    draw = random.Random(number)
    count = draw.choice((1, 2, 3, 12, 30))
    rows = numpy.array([[draw.choice((0.0, 0.5, 0.55, 1.0)) for _ in range(3)] for _ in range(count)])
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    found = alike_pairs({f"t{n}": f"text {n}" for n in range(count)}, lambda _texts: rows)
    return (
        [count, len(found), digest(repr([[*one[:2], round(one.cosine, 4)] for one in found]))]
        if count < 12
        else [count]
    )


LINKS = (
    "See [[map]], [[Pier/map|the map]] and [[map#Top]].", "![[picture.png]] and ![[map]] and [[photo.jpg]]",
    "`[[code]]` but [[no code]]", "```\n[[in code]]\n```\n[[after code]]", "~~~\n[[x]]\n~~~",
    "[[2026-11-02]] [[#here]]", "[the map](Pier/map.md) [other](../map.md#top) [web](https://x.io/a.md) ![i](a.md)",
    "[[ spaced ]] [[a|]] [[]]", "[[Old Map]] [[OLD MAP.md]]", "[x](Old%20Map.md) [y](./sub/../Old%20Map.md)",
    "[[a/b/../map]] [[../../out]] [[/map]]", "- [[twice]] [[twice]]", "text ](x [[broken",
    "[[Alias of it]] [[title of it]]", "\n\n[[map.md]] [[lone]] [[Deep/lone]]",
)  # fmt: skip
VAULT = ("map.md", "Pier/map.md", "Pier/Deep/lone.md", "Old Map.md", "notes/pier.md")


def linked(number: int) -> list[Any]:
    """The links of a text, where each leads, and what to say instead."""
    targets = link_targets(VAULT, ("Alias of it", "Title of it"))
    found = links_in(LINKS[number])
    return [
        [
            *one,
            [int(leads_somewhere(one, targets, folder)) for folder in ("", "Pier", "notes")],
            broken_link(one, "notes/pier.md", targets).instead,
        ]
        for one in found
    ]


def looked(number: int) -> str:
    draw = random.Random(number)
    return looked_at_in_words(LookedAt(*(draw.choice((0, 1, 2)) for _ in range(6))), draw.choice((None, "small")))


# Conversations

MESSAGES = (
    ("User", "Which port does the proxy have?"), ("Assistant", "8080."), ("Assistant", "I looked it up."),
    ("User", "/memoro:wrong it is 8443"), ("User", "wrong: it is 8443"), ("Assistant", "Noted."), ("User", "/good"),
    ("User", "[Telegram Ida] hello there, I live in Kiel"), ("User", "My knee hurts #private"),
    ("Assistant", "Rest it."), ("User", "I live in Kiel."), ("Ida", "Me too."),
)  # fmt: skip


def exchanged(seed: int) -> list[Any]:
    """The exchange that feedback is about, and what of a conversation its owner said."""
    draw = random.Random(seed)
    said = draw.choices(MESSAGES, k=draw.randrange(8))
    turns = [Turn(who, text, 2 * line, "2026-11-02") for line, (who, text) in enumerate(said, 1)]
    commands = draw.choice(((), (), (5,), (8,), (9, 13), (16,)))
    told = draw.choice((None, None, GivenFeedback("wrong", "it is 8443"), GivenFeedback("good", "")))
    found = last_exchange(
        LoggedTurns(turns, commands),
        ExchangeBounds(given=told, in_progress=draw.random() < 0.5),
        lambda turn: "knee" in turn.text,
    )
    return [found and list(found), [[one.text, one.is_owner] for one in spoken_turns(turns)]]


def decided(number: int) -> list[str]:
    """What each kind of decision would change, of a memory and of an entry."""
    draw = random.Random(number)
    current = {1: current_fact(draw, 1)}
    new: NewFact = new_fact(draw)._replace(
        memory=draw.choice((None, 1, 9)), fact=Fact("Text.", "fact", Evidence("q"), 0.6)
    )
    made = [
        suggestions(FactDecision(1, step, (1,), "why", draw.choice((0.5, 0.9))), new, current)
        for step in ("add", "merge", "supersede", "retire", "keep")
    ]
    return [f"{one.change!r} {one.score}" for each in made for one in each]


STATED_NOW = (
    "Noor leads the harbor team now, not Lena.", "We moved the database from MySQL to Postgres.",
    "The timeout of harbor is 30 seconds instead of 60 seconds.", "I live in Kiel now, not in Bremen.",
    "The staging server is called heron, not egret.", "My cat is called Miso, not Mia.", "My cat is called Miso.",
    "Our database is Postgres 16, not MySQL 5.", "The office opens at 9:00.", "I live in Kiel.", "Do I live in Kiel?",
    "I moved to Kiel yesterday.", "My cat is called Mia, my dog too.", "The office opens at 7:00.",
)  # fmt: skip
STATED_BEFORE = (
    "Lena leads the harbor team.", "Ida leads the harbor team.", "Our database is MySQL.", "The database is MySQL 5.",
    "Our database is Oracle 9.", "The timeout of harbor is 60 seconds.", "The timeout of harbor is 90 seconds.",
    "I live in Bremen.", "I live in Porto.", "The staging server is called egret.",
    "The staging server is called crane.",
    "My cat is called Mia.", "My cat is called Momo.", "The office opens at 7:00.", "The office opens at 10:00.",
    "The office opens at 6:00.", "The office opens at 5:00.",
)  # fmt: skip


def replaced(number: int) -> list[Any]:
    """What a statement replaces among those of before: memories of earlier and later days, and entries."""
    text = STATED_NOW[number]

    def embed(texts: Any) -> Any:
        return builtin_model(256).embed(texts, "document")

    found = []
    for day in ("2026-01-02", "2026-06-02", "2026-07-02", None):
        current = {
            100 + n: CurrentFact(
                place=EntryPlace(f"e{n}", "MEMORY.md", n) if day is None else MemoryId(n), text=one, day=day
            )
            for n, one in enumerate(STATED_BEFORE, 1)
        }
        for in_passing, just_said in ((False, True), (True, True), (False, False)):
            said = Fact(text, "fact", Evidence(text, path="@a", line=7, date="2026-06-02", speaker="User"), 0.9)
            new = NewFact(said, memory=draw_memory(day), is_just_said=just_said, in_passing=in_passing)
            for way in (embed, None):
                [made] = judge_by_rules([Candidate(1, new, tuple(current))], current, way)
                found.append([made.step, list(made.targets), made.score, made.reason[:20]])
    return found


def draw_memory(day: str | None) -> int | None:
    return 90 if day and day > "2026-03" else None


WAYS: dict[str, tuple[range, Callable[[int], Any]]] = {
    "replaced": (range(len(STATED_NOW)), replaced),
    "plans": (range(150), plans),
    "chosen": (range(90), chosen),
    "judged": (range(140), judged),
    "picked": (range(60), picked),
    "restated": (range(len(PAIRS)), restated),
    "rules": (range(len(NOTES)), rules),
    "alike": (range(20), alike),
    "links": (range(len(LINKS)), linked),
    "looked": (range(40), looked),
    "exchanges": (range(120), exchanged),
    "decided": (range(30), decided),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_planned_is_what_was_kept(way: str) -> None:
    numbers, answer = WAYS[way]
    check_kept(numbers, [answer(number) for number in numbers], read_kept(KEPT)[way])


if __name__ == "__main__":
    write_kept(KEPT, {way: [answer(one) for one in numbers] for way, (numbers, answer) in WAYS.items()})
