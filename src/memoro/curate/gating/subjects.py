"""The subject of a proposed change, so that two proposals can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memoro.model.notes import EXPERIENCE, MEMORY
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    MoveEntry,
    PromoteMemory,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.rewording import Cosine, is_rewording

ENTRY, NOTE = "entry:", "note:"  # before the id of an entry and the path of a note, where items are named
DROP = "drop"  # the act of a change after which an item is there no more
Words = Mapping[str, str]  # what each item says, by its name: `memory:7`, `entry:kettle`


class ProposalSubject(NamedTuple):
    """The action of a change, its items and its words."""

    act: str  # changes of different acts are never the same: to add a fact, to drop it, to move it
    key: frozenset[str] = frozenset()  # two changes of one act and one key are the same, in whatever words
    targets: frozenset[str] = frozenset()  # the items that it changes or takes away
    sources: frozenset[str] = frozenset()  # other items that it rests on
    texts: tuple[str, ...] = ()  # what it would say; of a change that says nothing, what its items say


def proposal_subject(change: ProposedChange, words: Words) -> ProposalSubject | None:
    """Return what a change is about; None for one that is compared with no other."""
    match change:
        case RememberEntry(text=text) | AddRule(text=text) | AddDailyLine(text=text):
            return ProposalSubject("say", texts=(text,))
        case EditEntry(id=own, text=text):
            return ProposalSubject("say", targets=frozenset({f"{ENTRY}{own}"}), texts=(text,))
        case StoreMemory(content=text, supersedes=old):
            return ProposalSubject("say", targets=frozenset({f"{MEMORY}{old}"} if old else ()), texts=(text,))
        case PromoteMemory(number=number, text=text):
            name = f"{MEMORY}{number}"
            return ProposalSubject("say", frozenset({f"promote {name}"}), sources=frozenset({name}), texts=(text,))
        case ChangeMemory(number=number, content=str() as text):
            return ProposalSubject("say", targets=frozenset({f"{MEMORY}{number}"}), texts=(text,))
        case ChangeMemory(number=number):
            return ProposalSubject("mark", frozenset({repr(change)}), frozenset({f"{MEMORY}{number}"}))
        case RemoveMemory(number=number) | RetireMemory(number=number):
            return _drop(f"{MEMORY}{number}", words)
        case RetireExperience(number=number):
            return _drop(f"{EXPERIENCE}{number}", words)
        case RetireNote(path=path):
            return _drop(f"{NOTE}{path}", words)
        case RemoveEntry(id=own):
            return _drop(f"{ENTRY}{own}", words)
        case RetireEntry(id=own, text=text):
            return _drop(f"{ENTRY}{own}", words, text)
        case SupersedeMemory(old=old, new=new):
            return _replace(f"{MEMORY}{old}", f"{MEMORY}{new}", words)
        case MoveEntry(id=own, tier=tier, text=text):
            target = frozenset({f"{ENTRY}{own}"})
            return ProposalSubject(f"move to {tier}", target, target, texts=(text,))
        case WriteNote(path=path, text=text):
            return ProposalSubject("write", frozenset({f"{path}\n{text}"}), frozenset({f"{NOTE}{path}"}))
        case PutBackLines() | ErasedProposal():
            return None


def _drop(name: str, words: Words, text: str = "") -> ProposalSubject:
    said = text or words.get(name, "")
    return ProposalSubject(DROP, frozenset({name}), frozenset({name}), texts=(said,) if said else ())


def _replace(old: str, new: str, words: Words) -> ProposalSubject:
    """The order of the two is no part of the question: whoever wants both keeps both."""
    said = tuple(words[name] for name in (old, new) if words.get(name))
    return ProposalSubject(
        "replace",
        key=frozenset({old, new}),
        targets=frozenset({old}),
        sources=frozenset({new}),
        texts=said if len(said) == 2 else (),
    )


def is_same(one: ProposalSubject, other: ProposalSubject, cosine: Cosine) -> bool:
    """Return whether two changes ask for the same, if in other words."""
    return has_same_key(one, other) or (one.act == other.act and _say_the_same(one.texts, other.texts, cosine))


def has_same_key(one: ProposalSubject, other: ProposalSubject) -> bool:
    return one.act == other.act and bool(one.key) and one.key == other.key


def _say_the_same(ones: tuple[str, ...], others: tuple[str, ...], cosine: Cosine) -> bool:
    if not ones or len(ones) != len(others):
        return False
    return any(
        all(is_rewording(one, other, cosine) for one, other in zip(ones, order, strict=True))
        for order in {others, others[::-1]}
    )


def meet(one: ProposalSubject, other: ProposalSubject) -> frozenset[str]:
    """Return the items that one of two changes would alter under the other."""
    return (one.targets & (other.targets | other.sources)) | (other.targets & one.sources)


def items_of(changes: Iterable[ProposedChange]) -> frozenset[str]:
    """Return the names of all items that some changes are about."""
    subjects = (proposal_subject(change, {}) for change in changes)
    return frozenset(name for one in subjects if one is not None for name in one.targets | one.sources)
