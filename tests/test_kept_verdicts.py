"""What rules of curation say of drawn material is what they said when it was kept.

Judges of facts, corrections, names of projects and the gate decide on two or three texts at a time: here on many,
drawn with fixed seeds. After a change that is meant, keep the new answers: `python -m tests.test_kept_verdicts`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.rewording import cosine

from memoro.curate.feedback.corrected_items import corrects
from memoro.curate.gating.rules import CurrentItems, GatedFile, GatedItem, GateLimits, admit
from memoro.curate.judging.facts import Candidate, CurrentFact, EntryPlace, NewFact, may_repeat, may_replace
from memoro.curate.judging.project_names import may_be_about_one_thing, named_projects, with_project_name
from memoro.curate.judging.prompt import judge_prompt
from memoro.curate.judging.rules import judge_by_rules
from memoro.curate.reviewing.amending import editable_text
from memoro.curate.reviewing.digest import kind_of_change
from memoro.curate.reviewing.losses import lost_from
from memoro.curate.reviewing.reviewed import item_of
from memoro.curate.rounds.choosing import step_of
from memoro.model.belonging import known_project
from memoro.model.fact_rules import candidate_sentences, said_in_passing
from memoro.model.facts import ConversationTurn, Fact
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    Evidence,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.targets import MemoryId
from memoro.providers.registry import builtin_model
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import digest
from tests.test_kept_curation import SAID, STATED

KEPT = Path(__file__).parent / "data" / "kept_verdicts.json"
PROJECTS = ("harbor", "harbor-admin", "pier board", None)
KNOWN = tuple(known_project(one) for one in PROJECTS if one)
FACTS = (
    "The {} API listens on port {}.", "{} uses Postgres {}.", "Lena leads the {} team of {} people.",
    "Our database is MySQL {1}.", "Releases of {} are on the {}th.", "I live at Lindenplatz {1}.",
    "{} moved from port 80 to {}.", "Noor took over {} from Lena.", "The timeout of {} is not {} seconds any more.",
)  # fmt: skip
QUESTIONS = ("Which port does the {} API listen on?", "Who leads the {} team?", "Where do I live?", "How long is it?")


def drawn_text(draw: random.Random) -> str:
    if draw.random() < 0.15:
        return draw.choice(STATED)
    return draw.choice(FACTS[:5] if draw.random() < 0.6 else FACTS).format(
        draw.choice(("harbor", "harbor", "harbor-admin", "pier board")), draw.randrange(3)
    )


def new_fact(draw: random.Random) -> NewFact:
    text = drawn_text(draw)
    said = Evidence(text, path="@logs/a.jsonl", line=7, date=draw.choice(("2026-06-02", None)), speaker="User")
    return NewFact(
        Fact(text, "fact", said, 0.9),
        memory=draw.choice((None, 90)),
        trust="tool_or_web" if draw.random() < 0.12 else "agent_inferred",
        agent=draw.choice((*[None] * 6, "alice")),
        project=draw.choice((*PROJECTS, *[None] * 6)),
        is_just_said=draw.random() < 0.7,
        in_passing=draw.random() < 0.15,
    )


def current_fact(draw: random.Random, number: int) -> CurrentFact:
    is_entry = draw.random() < 0.5
    return CurrentFact(
        place=EntryPlace(f"e{number}", "MEMORY.md", number) if is_entry else MemoryId(number),
        text=drawn_text(draw),
        trust=draw.choice(("user_confirmed", "agent_inferred", "agent_inferred", "tool_or_web")),
        day=None if is_entry else draw.choice(("2026-01-02", "2026-01-02", "2026-06-03", None)),
        agent=draw.choice((*[None] * 6, "alice", "bob")),
        project=None if is_entry else draw.choice((*PROJECTS, *[None] * 6)),
    )


def judged(seed: int) -> Any:
    """The decisions on three new facts among six current ones, the prompt for a model, and what projects say."""
    draw = random.Random(seed)
    current = {number: current_fact(draw, number) for number in range(1, 7)}
    near = [tuple(draw.sample(sorted(current), 4)) for _ in range(3)]
    candidates = [Candidate(number, new_fact(draw), each) for number, each in enumerate(near, 1)]

    def embed(texts: Any) -> Any:
        return builtin_model(256).embed(texts, "document")

    pairs = [(one.new, old) for one in candidates for old in current.values()]
    rest = [
        [may_replace(*pair), may_repeat(*pair), may_be_about_one_thing(*pair, KNOWN), with_project_name(*pair, KNOWN)]
        for pair in pairs
    ]
    named = [sorted(named_projects(old.text, KNOWN)) for old in current.values()]
    made = judge_by_rules(candidates, current, embed, KNOWN)
    plain = judge_by_rules(candidates, current, None)
    told = [[one.step, list(one.targets), round(one.score, 3)] for one in (*made, *plain)]
    return [told, digest(repr([[one.reason for one in made], rest, named, judge_prompt(candidates, current)]))]


def corrected(seed: int) -> str:
    """Whether notes on answers correct what was given."""
    draw = random.Random(seed)
    found = []
    for _ in range(60):
        question = draw.choice(QUESTIONS).format(draw.choice(("harbor", "pier board")))
        given = "\n".join(drawn_text(draw) for _ in range(draw.randrange(1, 4)))
        note = draw.choice((drawn_text(draw), f"{draw.randrange(9)}, not {draw.randrange(9)}.", "Noor does.", "no"))
        found.append(corrects(note, question, given))
    return "".join(str(int(one)) for one in found)


def drawn_change(draw: random.Random) -> ProposedChange:
    text, other, one, two = drawn_text(draw), drawn_text(draw), draw.randrange(1, 5), draw.randrange(1, 5)
    path = draw.choice(("MEMORY.md", "PROCEDURAL.md"))
    return draw.choice(
        (
            RememberEntry(text, "semantic", None, path),
            EditEntry(f"e{one}", text, path, other),
            RemoveEntry(f"e{one}", path),
            RetireEntry(f"e{one}", path, text),
            MoveEntry(f"e{one}", path, "procedural", text),
            PromoteMemory(one, text, "semantic", None, path),
            StoreMemory(text, project=draw.choice(PROJECTS), supersedes=draw.choice((None, two))),
            SupersedeMemory(one, two),
            ChangeMemory(one, text, valid_to=draw.choice((None, "2026-01-01"))),
            RetireMemory(one),
            RemoveMemory(one),
            RetireExperience(one),
            RetireNote("agent/a.md", "x"),
            WriteNote(path, f"- {text}\n", "x"),
            AddRule(text, path, None, ("f1",)),
            AddDailyLine(text, "2026-01-01T08:00:00.000Z"),
        )
    )


def gated(seed: int) -> Any:
    """What the gate lets pass of eight suggestions, beside proposals that were made before."""
    draw = random.Random(seed)
    suggestions = [
        Suggestion(
            drawn_change(draw),
            (Evidence(drawn_text(draw), path=draw.choice(("memory:1", "memory:3", "MEMORY.md"))),),
            origin=draw.choice(("tidy", "review", "extraction", "feedback")),
            score=draw.choice((0.5, 0.8, 0.9)),
        )
        for _ in range(8)
    ]
    before = [
        Proposal(
            number, f"2026-06-0{number}T08:00:00.000Z", "memoro", None, drawn_change(draw),
            draw.choice(("open", "rejected", "accepted", "expired")), origin=draw.choice(("tidy", "agent")),
        )
        for number in range(1, 7)
    ]  # fmt: skip
    items = {
        f"memory:{number}": GatedItem(
            draw.choice(("user_said", "tool_or_web", "agent_inferred")), draw.choice(PROJECTS), draw.random() < 0.8
        )
        for number in range(1, 5)
    }
    words = {name: drawn_text(draw) for name in items} | {f"entry:e{one}": drawn_text(draw) for one in range(1, 5)}
    files = {
        path: GatedFile(draw.randrange(1, 12), draw.choice((90, 280, 299)), draw.choice((None, 300)))
        for path in ("MEMORY.md", "PROCEDURAL.md")
    }
    paths = {"semantic": "MEMORY.md", "procedural": "PROCEDURAL.md"}
    current = CurrentItems(
        files=files, words=words, items=items, paths=paths, is_vault_of=lambda name: name == "pier board"
    )
    found = admit(suggestions, before, current, GateLimits(5, draw.randrange(4)), cosine)
    changes = [one.change for one in suggestions]
    told = [[item_of(one), kind_of_change(one), editable_text(one), lost_from(one), step_of(one)] for one in changes]
    kept = [suggestions.index(one) for one in found.suggestions]
    refused = [[suggestions.index(one.suggestion), one.reason] for one in found.withheld]
    sentences = [one.sentence for one in found.withheld if one.reason != "untrusted"]  # it names any of several
    return [kept, refused, digest(repr([sentences, told]))]


def said(number: int) -> str:
    turns = [
        ConversationTurn("User" if at % 3 else "Assistant", text, at, "2026-11-02", at % 3 != 0)
        for at, text in enumerate(SAID[25 * number : 25 * number + 25], 1)
    ]
    return digest(repr([said_in_passing(turns, 80), said_in_passing(turns, 200), candidate_sentences(turns)]))


WAYS: dict[str, tuple[range, Callable[[int], Any]]] = {
    "judged": (range(120), judged),
    "corrected": (range(12), corrected),
    "gated": (range(120), gated),
    "said": (range(len(SAID) // 25), said),
}


@pytest.mark.parametrize("way", WAYS)
def test_verdicts_are_those_that_were_kept(way: str) -> None:
    numbers, answer = WAYS[way]
    check_kept(numbers, [answer(number) for number in numbers], read_kept(KEPT)[way])


if __name__ == "__main__":
    write_kept(KEPT, {way: [answer(one) for one in numbers] for way, (numbers, answer) in WAYS.items()})
