"""On whatever is curated, every planner suggests changes of what is there, each once, with a reason and evidence."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memoro.curate.planners.contradictions import find
from memoro.curate.rounds.planning import changed_item, one_for_each, planned
from memoro.curate.snapshot.state import CuratedState, ExtractedFact, FeedbackNote, entry_name, memory_name
from memoro.model.memories import UNTRUSTED
from memoro.model.proposals import (
    AddRule,
    PromoteMemory,
    RememberEntry,
    SupersedeMemory,
)
from memoro.model.vocabulary import LOADED_TIERS, TRUSTS
from memoro.model.worth_loading import why_not_loading
from tests.curated import SETTINGS, entry, memory, state

WORDS = (
    "The staging server is heron", "Our staging server is heron", "The staging server is egret, not heron",
    "Always use tabs", "Never use tabs", "Pia lives in Porto", "Pia lives in Ghent", "ok thanks", "What now?",
    "Mira is away until 3 May 2024", "We went home yesterday", "The port is 8080", "The port is 8443",
    "Nutze immer uv", "Das Büro ist in Porto", "代码注释一律用英文", "我的猫叫团团", "it works",
    "the key is sk-live-4f9a8b7c6d5e4f3a2b1c0d9e",
)  # fmt: skip
texts = st.sampled_from(WORDS) | st.text(min_size=1, max_size=60)
projects = st.sampled_from([None, "atlas"])


@st.composite
def states(draw: st.DrawFn) -> CuratedState:
    entries = [
        entry(text, number, tier, is_private=private, written_by="2026-05-01")
        for number, (text, tier, private) in enumerate(
            draw(st.lists(st.tuples(texts, st.sampled_from(LOADED_TIERS), st.booleans()), max_size=5)),
            1,
        )
    ]
    fields: list[dict[str, Any]] = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "trust": st.sampled_from(TRUSTS),
                    "helped": st.integers(0, 4),
                    "feedback": st.integers(-4, 4),
                    "project": projects,
                }
            ),
            max_size=5,
        )
    )
    memories = [memory(draw(texts), number, given=5, **one) for number, one in enumerate(fields, 1)]
    days = draw(st.lists(st.tuples(texts, st.integers(1, 9), projects), max_size=6))
    extracted = tuple(
        ExtractedFact(text=text, day=f"2026-11-0{day}", path=f"daily/{day}.md", line=number, project=project)
        for number, (text, day, project) in enumerate(days, 1)
    )
    notes = draw(st.lists(st.tuples(texts, st.booleans()), max_size=4))
    feedback = tuple(
        FeedbackNote(id=f"f{number}", is_good=good, note=note, day=f"2026-11-0{number}")
        for number, (note, good) in enumerate(notes, 1)
    )
    return state(*entries, *memories, extracted=extracted, feedback=feedback)


@given(states())
@settings(max_examples=40)
def test_every_suggestion_is_about_what_is_there_and_says_why(found: CuratedState):
    known = {entry_name(one) for one in found.entries} | {memory_name(one) for one in found.memories}
    suggestions = one_for_each(planned(found, SETTINGS, "review"))
    items = [item for one in suggestions if (item := changed_item(one.change)) is not None]

    assert set(items) <= known
    assert len(items) == len(set(items))
    assert all(one.reason.endswith(".") and one.evidence for one in suggestions)
    assert all(0 < (one.score or 0) <= 1 for one in suggestions)
    assert {name for one in find(found) for name in one.names} <= known


@given(states())
@settings(max_examples=40)
def test_nothing_untrusted_private_or_worthless_is_added_to_a_loaded_file(found: CuratedState):
    memories = {one.memory.id: one for one in found.memories}
    for one in planned(found, SETTINGS, "review"):
        match one.change:
            case PromoteMemory(number=number, text=text):
                assert memories[number].memory.trust not in UNTRUSTED
                assert not memories[number].is_private
                assert why_not_loading(text) is None
            case RememberEntry(text=text):
                assert why_not_loading(text) is None
            case AddRule(text=text):
                assert why_not_loading(text, as_rule=True) in (None, "chat")
            case SupersedeMemory(old=old, new=new):
                assert memories[old].memory.project == memories[new].memory.project
                ranks = [TRUSTS.index(memories[number].memory.trust) for number in (old, new)]
                assert ranks[1] >= ranks[0]
