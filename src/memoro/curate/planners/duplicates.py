"""Entries and memories that say the same: one of them can go. The one that more agents see, and trust, stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import quoted_entry, quoted_memory
from memoro.curate.snapshot.state import CuratedEntry, CuratedMemory, CuratedState, entry_name, memory_name
from memoro.model.experiences import Experience, normalised, weight
from memoro.model.memories import UNTRUSTED, Memory, dated, entry_of_memory
from memoro.model.proposals import (
    Evidence,
    ProposedChange,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    Suggestion,
    SupersedeMemory,
)
from memoro.model.same_fact import bare, is_contained, repeats
from memoro.model.vocabulary import TRUSTS

_EXACT, _REPEATED, _CONTAINED = 0.95, 0.85, 0.7  # how sure: the same words, the same content, a detail less
_TIERS = ("pinned", "procedural", "semantic")  # of the same words in two files, those of the first stay
_HALF_LIFE = 30.0  # days, to compare the weights of two experiences


class _Statement(NamedTuple):
    """An entry or a memory, as it is compared."""

    name: str
    text: str
    of: CuratedEntry | CuratedMemory
    place: int  # in the order of files and numbers


class _Repetition(NamedTuple):
    kept: _Statement
    dropped: _Statement
    score: float


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    """Suggest to retire what another says whole. Nothing is dropped for what is itself dropped."""
    statements = _statements(state)
    suggestions: list[Suggestion] = []
    kept: set[str] = set()
    dropped: set[str] = set()
    for one in _repetitions(state, statements):
        if one.dropped.name in kept | dropped or one.kept.name in dropped:
            continue
        kept.add(one.kept.name)
        dropped.add(one.dropped.name)
        suggestions.append(_suggestion(one))
    return [*suggestions, *_experiences(state), *_notes(state)]


def _statements(state: CuratedState) -> dict[str, _Statement]:
    entries = [
        _Statement(name=entry_name(one), text=one.text, of=one, place=place)
        for place, one in enumerate(state.entries)
    ]
    memories = [
        _Statement(name=memory_name(one), text=one.memory.content, of=one, place=one.memory.id)
        for one in state.memories
        if entry_of_memory(one.memory) is None  # it stands for its entry
    ]
    return {one.name: one for one in (*entries, *memories)}


def _repetitions(state: CuratedState, statements: dict[str, _Statement]) -> Iterator[_Repetition]:
    """Pairs of which one can go, the surest first."""
    same: dict[str, list[_Statement]] = {}
    for one in statements.values():
        same.setdefault(bare(one.text).casefold(), []).append(one)
    for group in same.values():
        yield from _of_group(group)
    found: list[_Repetition] = []
    for pair in state.alike:
        first, second = statements.get(pair.one), statements.get(pair.other)
        if first is None or second is None:
            continue
        if repeats(first.text, second.text, pair.cosine):
            found += _decided(first, second, _REPEATED)
        elif is_contained(first.text, second.text, pair.cosine):
            found += [_Repetition(second, first, _CONTAINED)] if _may_go(second, first) else []
        elif is_contained(second.text, first.text, pair.cosine):
            found += [_Repetition(first, second, _CONTAINED)] if _may_go(first, second) else []
    yield from sorted(found, key=lambda one: -one.score)


def _of_group(group: list[_Statement]) -> Iterator[_Repetition]:
    """Repetitions among statements with the same words: each that can go, with the best that may stand for it."""
    ordered = sorted(group, key=_rank)
    for place, one in enumerate(ordered):
        better = next((other for other in ordered[:place] if _may_go(other, one)), None)
        if better is not None:
            yield _Repetition(better, one, _EXACT)


def _decided(first: _Statement, second: _Statement, score: float) -> list[_Repetition]:
    better, other = sorted((first, second), key=_rank)
    return [_Repetition(better, other, score)] if _may_go(better, other) else []


def _rank(one: _Statement) -> tuple[int, int, int, str, int]:
    """Order statements of which one is to stay, the best first."""
    match one.of:
        case CuratedEntry(tier=tier):
            return (0, _TIERS.index(tier), 0, "", one.place)
        case CuratedMemory(memory=memory):
            return (1, -TRUSTS.index(memory.trust), -memory.feedback, _newest_first(memory), one.place)


def _newest_first(memory: Memory) -> str:
    """A text that sorts the later of two times first."""
    return "".join(chr(0x7F - ord(character)) for character in dated(memory) if ord(character) < 0x7F)


def _may_go(kept: _Statement, dropped: _Statement) -> bool:
    """Return whether everybody who is told the one is told the other: no project and no agent loses a fact."""
    match kept.of, dropped.of:
        case CuratedEntry() as stays, (CuratedEntry() | CuratedMemory()) as goes:
            return goes.is_private or not stays.is_private
        case CuratedMemory(memory=stays_, is_private=one), CuratedMemory(memory=goes_, is_private=other):
            same_audience = (stays_.project, stays_.agent, one) == (goes_.project, goes_.agent, other)
            return same_audience and TRUSTS.index(stays_.trust) >= TRUSTS.index(goes_.trust)
    return False


def _suggestion(one: _Repetition) -> Suggestion:
    how = {_EXACT: "in the same words", _REPEATED: "in other words", _CONTAINED: "with more detail"}[one.score]
    change, reason = _change(one, how)
    return Suggestion(
        change=change,
        evidence=(_quoted(one.kept), _quoted(one.dropped)),
        origin="tidy",
        score=one.score,
        reason=reason,
    )


def _change(one: _Repetition, how: str) -> tuple[ProposedChange, str]:
    match one.dropped.of, one.kept.of:
        case CuratedEntry() as entry, CuratedEntry(path=path, line=line):
            retired = RetireEntry(id=entry.id, path=entry.path, text=entry.text)
            return retired, f"{path}:{line} says the same {how}."
        case CuratedMemory(memory=memory), CuratedEntry(path=path, line=line):
            reason = f"{path}:{line} says the same {how}, and every prompt loads it."
            return RetireMemory(memory.id), reason
        case CuratedMemory(memory=old), CuratedMemory(memory=new):
            return SupersedeMemory(old=old.id, new=new.id, was=old.content), f"memory:{new.id} says the same {how}."
    raise AssertionError("no entry goes for a memory")


def _quoted(one: _Statement) -> Evidence:
    return quoted_entry(one.of) if isinstance(one.of, CuratedEntry) else quoted_memory(one.of.memory)


def _experiences(state: CuratedState) -> Iterable[Suggestion]:
    """Experiences with the same solution to the same task: the one that was used last stays."""
    groups: dict[tuple[object, ...], list[Experience]] = {}
    for one in state.experiences:
        if one.trust not in UNTRUSTED:
            key = (one.type, bare(normalised(one.intent)), one.solution_json, one.project, one.agent)
            groups.setdefault(key, []).append(one)
    for group in groups.values():
        best, *others = sorted(group, key=lambda one: (-weight(one, state.now, _HALF_LIFE), -one.success, one.id))
        for one in others:
            yield Suggestion(
                change=RetireExperience(one.id),
                evidence=(
                    Evidence(quote=best.intent, path=f"experience:{best.id}"),
                    Evidence(quote=one.intent, path=f"experience:{one.id}"),
                ),
                origin="tidy",
                score=_EXACT,
                reason=f"experience:{best.id} has the same solution to the same task.",
            )


def _notes(state: CuratedState) -> Iterable[Suggestion]:
    """Agents' notes with the same text: the one that was written last stays."""
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for note in state.notes:
        if said := " ".join(note.text.split()):
            groups.setdefault(said, []).append((note.written, note.path, note.sha256))
    for said, group in groups.items():
        _, kept, _ = max(group)
        for _, path, sha256 in group:
            if path != kept:
                yield Suggestion(
                    change=RetireNote(path=path, expected=sha256),
                    evidence=(Evidence(quote=said[:200], path=kept),),
                    origin="tidy",
                    score=_EXACT,
                    reason=f"{kept} has the same text.",
                )
