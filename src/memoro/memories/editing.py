"""Changing and removing memories."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ChangeProposed, MemoryOutdated, MemoryRefused, ProposalOutdated
from memoro.ledger import times
from memoro.ledger.access import LedgerAccess, Once, Owner, Tags
from memoro.ledger.apply import ChangeWriter
from memoro.memories.links import reinforced_together
from memoro.memories.options import UpdateOptions
from memoro.memories.reading import MemoryReading
from memoro.memories.superseding import check_chain
from memoro.model.changes import (
    EditOperation,
    ItemSnapshot,
    MemoryChanged,
    MemoryFields,
    NotedFeedback,
    memory_difference,
)
from memoro.model.digests import digest_of
from memoro.model.journal import Authorship
from memoro.model.memories import CONFIRMED, Memory, is_current, may_supersede, stamp, superseded, trust_of
from memoro.model.notes import MEMORY
from memoro.model.placeholders import check_restorable, placeholders_in, restore
from memoro.model.results import ChangeResult
from memoro.model.vocabulary import PERSON, Feedback

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction
    from memoro.model.proposals import ProposedChange

# The feedback that a change of a memory gives to the recall that gave it last.
_FEEDBACK: dict[EditOperation, Feedback] = {
    "reinforce": "reinforced",
    "demote": "demoted",
    "update": "corrected",
    "supersede": "corrected",
}
_MOST_FEEDBACK = 2**62  # databases count to 2**63 - 1


class MemoryEdit(NamedTuple):
    """One way of changing a memory, and who asks for it."""

    operation: EditOperation
    number: int
    source: str
    key: str | None
    session: str | None = None
    request: tuple[object, ...] = ()  # all that a key stands for besides operation and number
    was: str | None = None  # what it must say, as a proposal has it; None: whatever it says


Rule = Callable[[Memory, datetime], Memory]  # the memory after the change
# Raises where the change is refused; returns it as a proposal where only a person may make it.
Check = Callable[["Transaction", Memory], "ProposedChange | None"]

# Why a change must be proposed.
_CONFIRMED = "The user has confirmed this memory, and an agent neither changes nor removes it."
_REASONS: dict[EditOperation, str] = {
    "update": _CONFIRMED,
    "supersede": "A memory that is trusted less does not replace one that is trusted more.",
}


class MemoryEditing:
    def __init__(self, access: LedgerAccess, owner: Owner, reading: MemoryReading) -> None:
        self._access = access
        self._owner = owner
        self._reading = reading

    def reinforce(self, edit: MemoryEdit, weight: int) -> Memory:
        def rule(memory: Memory, now: datetime) -> Memory:
            return memory._replace(feedback=_added(memory.feedback, weight), hit_at=stamp(now))

        return self._change(edit, rule)

    def demote(self, edit: MemoryEdit, weight: int) -> Memory:
        return self._change(edit, lambda memory, _now: memory._replace(feedback=_added(memory.feedback, -weight)))

    def update(self, number: int, content: str | None, tags: Tags | None, options: UpdateOptions) -> Memory:
        fields = self._fields(content, tags, options)
        if not fields:
            raise MemoryRefused(f"Nothing to change in [id:{number}]. Give a new text, tags or validity.")
        source, carried = options.get("source", "agent"), placeholders_in(content or "")
        expected = options.get("expected")

        def rule(memory: Memory, now: datetime) -> Memory:
            # What an untrusted hand rewrites is worth no more than it. Only a person rewrites what is confirmed.
            is_rewritten = "content" in fields and memory.trust != CONFIRMED
            trust = trust_of(source, None, [memory]) if is_rewritten else memory.trust
            changed = memory._replace(**fields)
            said = restore(changed.content, memory.content, carried, self._access.known)
            since = _since(memory, said, now) if "valid_from" not in fields else changed.valid_from
            return changed._replace(content=said, hit_at=stamp(now), trust=trust, valid_from=since)

        def check(tx: Transaction, memory: Memory) -> ProposedChange | None:
            self._check_expected(memory, expected)
            check_restorable(content or "", memory.content, self._access.known)
            if "content" in fields and (item := tx.items.find(memory.id)):
                raise MemoryRefused(
                    f"[id:{memory.id}] is what an item of {item.store} says, and changes with it. Remove it, or "
                    "store what you know better as a memory of its own."
                )
            if source == PERSON or memory.trust != CONFIRMED:
                return None
            from memoro.model.proposals import ChangeMemory  # only where there are proposals

            return ChangeMemory(
                number,
                content=fields.get("content"),
                tags=fields.get("tags"),
                valid_from=fields.get("valid_from"),
                valid_to=fields.get("valid_to"),
            )

        edit = MemoryEdit(
            operation="update",
            number=number,
            source=source,
            key=options.get("key"),
            session=options.get("session"),
            request=(*fields.items(), *(() if expected is None else (expected,))),
            was=options.get("was"),
        )
        return self._change(edit, rule, check)

    def _check_expected(self, memory: Memory, expected: str | None) -> None:
        """Raise MemoryOutdated where a memory does not say what was read. Agents read it without its secrets."""
        if expected is None:
            return
        if expected not in map(digest_of, (memory.content, self._access.clean_replacing(memory.content).text)):
            raise MemoryOutdated(memory.id)

    def _fields(self, content: str | None, tags: Tags | None, options: UpdateOptions) -> MemoryFields:
        access, now = self._access, self._access.now()
        valid_from, valid_to = times.span_of(options.get("valid_from"), options.get("valid_to"), now)
        fields: MemoryFields = {}
        if content is not None:
            fields["content"] = access.content(content).text
        if tags is not None:
            fields["tags"] = access.tags(tags)
        if valid_from is not None:
            fields["valid_from"] = valid_from
        if valid_to is not None:
            fields["valid_to"] = valid_to
        return fields

    def supersede(self, edit: MemoryEdit, new: int) -> Memory:
        if edit.number == new:
            raise MemoryRefused("A memory cannot supersede itself.")
        newer: list[Memory] = []

        def rule(memory: Memory, now: datetime) -> Memory:
            return superseded(memory, newer[0], now)

        def check(tx: Transaction, memory: Memory) -> ProposedChange | None:
            newer.append(tx.memories.get(new))
            check_chain(tx, memory, newer[0])
            if edit.source == PERSON or may_supersede(newer[0].trust, memory.trust):
                return None
            from memoro.model.proposals import SupersedeMemory

            return SupersedeMemory(edit.number, new)

        return self._change(edit, rule, check)

    def promote(self, edit: MemoryEdit, entry: str) -> Memory:
        def check(_tx: Transaction, memory: Memory) -> None:
            if not is_current(memory, self._access.now()):
                raise MemoryRefused(f"[id:{memory.id}] does not hold any more.")

        return self._change(edit, lambda memory, _now: memory._replace(origin=entry), check)

    def trust(self, edit: MemoryEdit, rule: Rule) -> Memory:
        return self._change(edit, rule)

    def remove(self, number: int, source: str, key: str | None) -> Memory:
        access = self._access
        gone: list[Memory] = []

        def work(tx: Transaction) -> ChangeResult:
            memory = tx.memories.get(number)
            self._owner.check_change(f"[id:{number}]", memory.agent, memory.project)
            item = tx.items.find(number)
            if memory.trust == CONFIRMED and source != PERSON:
                from memoro.model.proposals import RemoveMemory  # only where there are proposals

                return ChangeResult(number, proposal=self._propose(tx, RemoveMemory(number), source))
            by = Authorship(stamp(access.now()), access.name(source, "source") or "", self._owner.agent)
            writer = ChangeWriter(access, tx, by)
            if item:
                tx.memories.delete(number)
                writer.remove_item(ItemSnapshot(item, memory), "remove")
            else:
                writer.remove_memory(memory, "remove")
            gone.append(memory)
            return ChangeResult(number)

        once = Once(key, ("remove", number), ChangeResult)
        done = access.with_room(lambda: access.once(once, work))
        if done.proposal is not None:
            raise ChangeProposed(number, _CONFIRMED, done.proposal)
        return gone[0] if gone else self._reading.last_removed(number)

    def _change(self, edit: MemoryEdit, rule: Rule, check: Check | None = None) -> Memory:
        """Change one memory by a rule, with an entry in the journal, all in one transaction."""
        access, now = self._access, self._access.now()
        by = Authorship(stamp(now), access.name(edit.source, "source") or "", self._owner.agent)
        session = access.name(edit.session, "session")
        made: list[Memory] = []

        def work(tx: Transaction) -> ChangeResult:
            if edit.was is not None:
                check_as_proposed(tx.memories.find(edit.number), edit.number, edit.was, now)
            old = tx.memories.get(edit.number)
            self._owner.check_change(f"[id:{old.id}]", old.agent, old.project)
            if check and (waiting := check(tx, old)):
                return ChangeResult(edit.number, proposal=self._propose(tx, waiting, edit.source))
            before, after = memory_difference(old, rule(old, now))
            change = MemoryChanged(
                operation=edit.operation,
                number=edit.number,
                before=before,
                after=after,
                linked=reinforced_together(tx, edit.number, session) if edit.operation == "reinforce" else (),
                noted=_note_feedback(tx, edit, session),
            )
            made.append(ChangeWriter(access, tx, by).change_memory(old, change))
            return ChangeResult(edit.number)

        # Without the session: whoever repeats a write may do so over another connection.
        done = access.once(Once(edit.key, (edit.operation, edit.number, *edit.request), ChangeResult), work)
        if done.proposal is not None:
            raise ChangeProposed(edit.number, _REASONS[edit.operation], done.proposal)
        return made[0] if made else self._reading.present_or_last(edit.number)

    def _propose(self, tx: Transaction, change: ProposedChange, by: str) -> int:
        from memoro.ledger.proposals import ProposalQueue
        from memoro.model.proposals import Suggestion

        queue = ProposalQueue(self._access, self._owner)
        return queue.add(tx, Suggestion(change), by=by).proposal.id


def check_as_proposed(memory: Memory | None, number: int, was: str, now: datetime) -> None:
    """Raise ProposalOutdated where a memory does not hold any more, or says something else than was proposed upon."""
    if memory is None:
        raise ProposalOutdated(f"[id:{number}] was removed or archived since.")
    if memory.superseded_by is not None:
        raise ProposalOutdated(f"[id:{number}] was superseded by [id:{memory.superseded_by}] since.")
    if not is_current(memory, now):
        raise ProposalOutdated(f"[id:{number}] does not hold any more.")
    if memory.content != was:
        raise ProposalOutdated(f"[id:{number}] says something else now than when this was proposed.")


def _note_feedback(tx: Transaction, edit: MemoryEdit, session: str | None) -> NotedFeedback | None:
    """Add the feedback to the recall that gave the memory last."""
    word = _FEEDBACK.get(edit.operation)
    recall = tx.sessions.note(f"{MEMORY}{edit.number}", word, session) if word else None
    return NotedFeedback(recall, word) if recall and word else None


def _since(memory: Memory, content: str, now: datetime) -> str | None:
    """Return from when an updated memory holds: another text from now on, unless its time is yet to come."""
    is_same = content == memory.content
    return memory.valid_from if is_same or (memory.valid_from or "") > stamp(now) else stamp(now)


def _added(feedback: int, weight: int) -> int:
    return max(-_MOST_FEEDBACK, min(_MOST_FEEDBACK, feedback + weight))
