"""Mirror the memories, experiences and narratives of the ledger in the index, so that one search finds all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING

from memoro.model.changes import Blanked, ExperienceChanged, MemoryChanged, subject_of
from memoro.model.changes import Change as JournalChange
from memoro.model.experiences import PREFERENCE, Experience, passage
from memoro.model.memories import EXTRACTION, Memory, Narrative, dated, held_until, holds_at, holds_since, moment
from memoro.model.notes import EXPERIENCE, MEMORY, NARRATIVE, Chunk, FileEntry, Indexed, Note, Validity
from memoro.model.privacy import item_is_private
from memoro.model.ratings import MUTED, STORE
from memoro.model.rule_lines import is_rule_memory
from memoro.model.vocabulary import MIRRORED_KINDS, MirroredKind
from memoro.store.changes import Change, Drop, Write
from memoro.store.ports import ENDED_FACTS, MUTES, Index

if TYPE_CHECKING:
    from memoro.ledger.ports import Ledger, Transaction

_BATCH = 500
_KEY = "ledger"  # which ledger, and up to which of its changes, made when
_AT = "ledger_at"  # as of when
UNTIL = "ledger_until"  # when the next memory begins or ceases to hold, though nobody changes anything
_BESIDE = 2000  # characters of a solution that help to find an experience

Numbers = Mapping[MirroredKind, Sequence[int]]  # numbers of items by kind
Writer = Callable[[Sequence[Change]], object]


def mirror(index: Index, ledger: Ledger, write: Writer, now: str) -> None:
    """Make the index say about the items of the ledger what the ledger says now, by what has changed."""
    with ledger.reading() as tx:
        key = _position_key(tx)
        changed = unseen(index, tx)
        if changed is not None:
            begun = tx.memories.begun_or_ended(index.get_meta(_AT) or "", now)
            changes = _changes(tx, {**changed, "memory": [*changed["memory"], *begun]}, now)
        else:
            if index.get_meta(_KEY):
                index.put_meta({_KEY: None})  # if this is broken off, the index holds items of two states
            changes = _all(tx, index, now)
        for batch in _batches(changes):
            write(batch)
        until, ended = tx.memories.next_change(now), tx.memories.has_ended_facts()
        muted = any(tx.items.below(STORE, MUTED, ""))
    state = {
        _KEY: key,
        UNTIL: until or "",
        ENDED_FACTS: "yes" if ended else None,
        MUTES: "yes" if muted else "no",
    }
    is_ahead = (index.get_meta(_AT) or "") > now  # a clock has been set back
    if is_ahead or any(index.get_meta(name) != value for name, value in state.items()):
        index.put_meta({**state, _AT: now})


def is_mirrored(index: Index, ledger: Ledger, now: str) -> bool:
    """Tell whether the index says about the items of the ledger all that the ledger says."""
    with ledger.reading() as tx:
        if not has_seen_all(index, tx):
            return False
        return not tx.memories.begun_or_ended(index.get_meta(_AT) or "", now)


def has_seen_all(index: Index, tx: Transaction) -> bool:
    """Tell whether the index has followed the journal to its end."""
    return index.get_meta(_KEY) == _position_key(tx)


def unseen(index: Index, tx: Transaction) -> Numbers | None:
    """Return the items that changed after the position to which the index has followed the journal.

    None: the index has seen nothing of this ledger, or changes that the ledger has lost since, as after a restored
    copy of the file or a damaged log.
    """
    position = seen_position(index, tx)
    return changed_after(tx, position) if position is not None else None


def seen_position(index: Index, tx: Transaction) -> int | None:
    """Return the position to which the index has followed the journal; None as in `unseen`."""
    key = index.get_meta(_KEY)
    position = int(key.rpartition(":")[2]) if key else 0
    return position if key and key == _key_at(tx, position) else None


def waiting(index: Index | None, ledger: Ledger, now: str) -> list[int]:
    """Return the memories about which the index does not yet say what the ledger says."""
    with ledger.reading() as tx:
        changed = unseen(index, tx) if index else None
        if index is None or changed is None:
            return sorted(memory.id for memory in tx.memories.all())
        return sorted({*changed["memory"], *tx.memories.begun_or_ended(index.get_meta(_AT) or "", now)})


def all_numbers(tx: Transaction) -> Numbers:
    """Return the items of the ledger that a search can find."""
    return {
        "memory": [memory.id for memory in tx.memories.all()],
        "experience": [experience.id for experience in tx.experiences.all()],
        "narrative": [narrative.id for narrative in tx.narratives.all()],
    }


def _position_key(tx: Transaction) -> str:
    return _key_at(tx, tx.journal.last())


def _key_at(tx: Transaction, position: int) -> str:
    """The time tells a change from another one that took its position after the ledger went back."""
    return f"{tx.meta.get('identity')}:{tx.journal.made_at(position) or ''}:{position}"


def changed_after(tx: Transaction, position: int) -> Numbers:
    """Return the items of which something that can be found has changed."""
    found: dict[MirroredKind, dict[int, None]] = {kind: {} for kind in MIRRORED_KINDS}
    for entry in tx.journal.after(position):
        kind, item = subject_of(entry.change)
        if isinstance(item, str) or not _can_change_results(entry.change):
            continue
        mirrored = next((one for one in MIRRORED_KINDS if one == kind), "memory" if kind == "item" else None)
        if mirrored:
            found[mirrored][item] = None
    return {kind: list(numbers) for kind, numbers in found.items()}


def _can_change_results(change: JournalChange) -> bool:
    """Tells whether a change may make a search find something else, or nothing."""
    match change:
        case MemoryChanged(operation=operation) | Blanked(kind="memory", operation=operation):
            return operation not in ("reinforce", "demote")
        case ExperienceChanged(operation=operation, after=after):
            return operation not in ("use", "offer", "trust") or "archived_at" in after
        case _:
            return True


def _changes(tx: Transaction, changed: Numbers, now: str) -> Iterator[Change]:
    for number in dict.fromkeys(changed["memory"]):
        memory = tx.memories.find(number)
        yield Write(_indexed_memory(memory, now)) if memory else Drop(f"{MEMORY}{number}")
    for number in changed["experience"]:
        experience = tx.experiences.find(number)
        yield Write(_indexed_experience(experience)) if experience else Drop(f"{EXPERIENCE}{number}")
    for number in changed["narrative"]:
        narrative = tx.narratives.find(number)
        yield Write(_indexed_narrative(narrative)) if narrative else Drop(f"{NARRATIVE}{number}")


def _all(tx: Transaction, index: Index, now: str) -> Iterator[Change]:
    return chain(
        (Drop(path) for path in index.ledger_paths()),
        (Write(_indexed_memory(memory, now)) for memory in tx.memories.all()),
        (Write(_indexed_experience(experience)) for experience in tx.experiences.all()),
        (Write(_indexed_narrative(narrative)) for narrative in tx.narratives.all()),
    )


def _indexed_memory(memory: Memory, now: str) -> Indexed:
    """A memory is one passage: it says one thing. One that does not hold now is kept, and not listed."""
    path = f"{MEMORY}{memory.id}"
    made = _one_passage(
        FileEntry(path=path, tier="memory", digest=_digest(memory.content), stamp=None), memory.content, memory
    )
    [chunk] = made.chunks
    # Nobody has approved what was extracted: it rules nothing. The conversation that it comes from may.
    is_approved = memory.source != EXTRACTION or memory.trust in ("user_said", "user_confirmed")
    is_rule = is_approved and is_rule_memory(memory.content, memory.tags)
    chunk = chunk._replace(rules=is_rule)
    return made._replace(chunks=(chunk,), listed=holds_at(memory, now), validity=validity(memory))


def validity(memory: Memory) -> Validity:
    """Return the days on which a memory holds. A day on which it ceases to hold is the last of them."""
    end = held_until(memory)
    return Validity(
        first=_day(holds_since(memory)),
        last=max(_day(holds_since(memory)), _last_day(end)) if end else None,
        superseded_by=f"{MEMORY}{memory.superseded_by}" if memory.superseded_by else None,
    )


def _last_day(end: str) -> str:
    """Return the day before an end at midnight: who says "until Friday" means all of Friday."""
    return (moment(end).astimezone() - timedelta(milliseconds=1)).date().isoformat()


def _indexed_experience(one: Experience) -> Indexed:
    """The passage, and its vector, is the intent. The words of the solution stand beside it, and count for less."""
    text = passage(one)
    beside = "" if one.type == PREFERENCE else one.solution_json[:_BESIDE]
    made = _one_passage(
        FileEntry(path=f"{EXPERIENCE}{one.id}", tier="experience", digest=_digest(text), stamp=None), text, one
    )
    [chunk] = made.chunks
    chunk = chunk._replace(context=beside, rules=one.type == PREFERENCE)
    return made._replace(chunks=(chunk,), listed=one.archived_at is None)


def _indexed_narrative(narrative: Narrative) -> Indexed:
    """A narrative is not listed: only a search for narratives returns it."""
    entry = FileEntry(
        path=f"{NARRATIVE}{narrative.id}", tier="narrative", digest=_digest(narrative.summary), stamp=None
    )
    return _one_passage(entry, narrative.summary, narrative)._replace(listed=False)


def _one_passage(entry: FileEntry, text: str, item: Memory | Experience | Narrative) -> Indexed:
    day = _day(dated(item) if isinstance(item, Memory) else item.created_at)
    tags = () if isinstance(item, Narrative) else tuple(tag.casefold() for tag in item.tags)
    note = Note(title="", tags=tags, date=day, agent=item.agent, project=item.project, session=item.session)
    if item_is_private(text, tags):
        note = note._replace(privacy="private")
    chunk = Chunk(text=text, start_line=1, end_line=text.count("\n") + 1, headings=(), digest=entry.digest)
    return Indexed(entry=entry, note=note, day=day, chunks=(chunk,))


def _day(stamp: str) -> str:
    """Return the day of a moment, as its owner's calendar has it."""
    return moment(stamp).astimezone().date().isoformat()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _batches(changes: Iterator[Change]) -> Iterator[list[Change]]:
    batch: list[Change] = []
    for change in changes:
        batch.append(change)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
