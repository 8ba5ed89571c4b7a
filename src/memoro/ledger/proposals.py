"""The queue of proposals: changes wait in it for a person's word."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import Refused
from memoro.ledger.access import Clean, LedgerAccess, Once, Owner
from memoro.ledger.change_texts import sides_of
from memoro.ledger.history import fill_first_words
from memoro.model.local_time import local_day
from memoro.model.memories import stamp
from memoro.model.projects import belongs
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    RememberEntry,
    RemoveEntry,
    RetireEntry,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
    at_moment,
)
from memoro.model.results import ChangeResult
from memoro.model.vocabulary import PERSON, ProposalState

if TYPE_CHECKING:
    from memoro.ledger.ports import Transaction


KeepProposal = Callable[["Transaction", int, bool], None]  # keeps a key with the proposal's number; was it new?


class Queued(NamedTuple):
    """A suggestion that waits now."""

    proposal: Proposal
    new: bool  # False: the same change waited already
    redacted: tuple[str, ...] = ()  # kinds of secrets that were taken out


class WaitingCount(NamedTuple):
    here: int  # of this project or of none, from any agent
    everywhere: int


class Outcome(NamedTuple):
    undone: bool  # all that it changed was undone
    before: str  # the whole text of what it changed first; both are empty where they were forgotten
    after: str


class ProposalQueue:
    def __init__(self, access: LedgerAccess, owner: Owner) -> None:
        self._access = access
        self._owner = owner

    def propose(self, suggestion: Suggestion, *, by: str = "agent", keep: KeepProposal | None = None) -> Queued:
        """Lets a change wait for a person's word, without its secrets. One that waits already is not added again.

        `keep` keeps the key of the request in the same transaction.
        """
        with self._access.ledger.writing() as tx:
            queued = self.add(tx, suggestion, by=by)
            if keep is not None:
                keep(tx, queued.proposal.id, queued.new)
            return queued

    def add(self, tx: Transaction, suggestion: Suggestion, *, by: str) -> Queued:
        """Do the same in a transaction of the caller. Refused where an agent asks for what a person rejected."""
        access, made = self._access, self._access.now()
        now = stamp(made)
        cleaned, redacted = self._cleaned(suggestion)
        wanted = Proposal(
            id=0,
            at=now,
            actor=access.name(by, "source") or "agent",
            agent=self._owner.agent,
            change=cleaned.change,
            state="open",
            evidence=cleaned.evidence,
            origin=cleaned.origin,
            score=cleaned.score,
            expires_at=None if cleaned.waits is None else stamp(made + cleaned.waits),
            project=self._owner.project,
            reason=cleaned.reason,
        )
        self._refuse_forgotten(tx, wanted.change)
        for waiting in _all(tx, "open", now):
            if _is_equal(waiting.change, wanted.change) and waiting.project == wanted.project:
                return Queued(waiting, False, redacted)
        if is_request(suggestion, by):
            for earlier in tx.proposals.all("rejected"):
                if _is_equal(earlier.change, wanted.change):
                    raise rejection(earlier)
        return Queued(wanted._replace(id=tx.proposals.add(wanted)), True, redacted)

    def all(self, state: ProposalState | None = "open") -> list[Proposal]:
        """Returns the proposals that its owner sees, by their numbers. One that waited too long is expired."""
        with self._access.ledger.reading() as tx:
            found = _all(tx, state, stamp(self._access.now()))
        return [one for one in found if self._owner.scope.owns(one.agent, one.project)]

    def waiting(self) -> WaitingCount:
        """Returns how many proposals wait, those too that their owner may not read: numbers tell no content."""
        with self._access.ledger.reading() as tx:
            found = _all(tx, "open", stamp(self._access.now()))
        projects = self._owner.scope.projects
        return WaitingCount(here=sum(belongs(one.project, projects) for one in found), everywhere=len(found))

    def rejected(self) -> list[Proposal]:
        """Returns all rejected proposals, of every project and agent."""
        with self._access.ledger.reading() as tx:
            return tx.proposals.all("rejected")

    def get(self, number: int) -> Proposal:
        with self._access.ledger.reading() as tx:
            return tx.proposals.get(number)

    def is_settled(self, once: Once[ChangeResult]) -> bool:
        """Returns whether a decision with this key was made."""
        return self._access.done(once) is not None

    def get_open(self, number: int) -> Proposal:
        """Returns a proposal that waits; Refused where it was settled, or has expired."""
        with self._access.ledger.reading() as tx:
            proposal = at_moment(tx.proposals.get(number), stamp(self._access.now()))
        if proposal.state == "expired":
            raise Refused(f"Proposal {number} expired on {local_day(proposal.expires_at or '')}.")
        if proposal.state != "open":
            raise Refused(f"Proposal {number} was {proposal.state} on {local_day(proposal.settled_at or '')}.")
        return proposal

    def settle(self, number: int, state: ProposalState, once: Once[ChangeResult]) -> None:
        with self._access.ledger.writing() as tx:
            tx.proposals.settle(number, state, stamp(self._access.now()))
            self._access.keep(tx, once, ChangeResult(number))

    def settled(self, limit: int) -> list[Proposal]:
        """Returns the proposals that were decided last, the newest decision first."""
        with self._access.ledger.reading() as tx:
            found = tx.proposals.settled(limit)
        return [one for one in found if self._owner.scope.owns(one.agent, one.project)]

    def reopen(self, number: int) -> Proposal:
        """Lets a proposal wait again that was rejected, or accepted and then undone; one that waits already stays so.

        What was undone waits under a new number, because nothing is done twice for one number. Refused for a proposal
        whose changes hold.
        """
        with self._access.ledger.writing() as tx:
            proposal = tx.proposals.get(number)
            if isinstance(proposal.change, ErasedProposal):
                raise Refused(f"What proposal {number} said was forgotten, so it cannot wait again.")
            if proposal.state == "accepted" and not _is_undone(tx, number):
                raise Refused(f"Proposal {number} was accepted. `memoro undo --proposal {number}` reverts it.")
            if proposal.state == "accepted":
                again = proposal._replace(id=0, at=stamp(self._access.now()), state="open", settled_at=None)
                return again._replace(id=tx.proposals.add(again))
            tx.proposals.settle(number, "open", None)
            return tx.proposals.get(number)

    def outcome(self, number: int) -> Outcome:
        """Returns what became of an accepted proposal."""
        with self._access.ledger.reading() as tx:
            made = [one for one in tx.journal.of_proposals((number,)) if one.undoes is None]
            before, after = next((sides_of(tx, fill_first_words(tx, one)) for one in reversed(made)), (None, None))
            return Outcome(_is_undone(tx, number), before or "", after or "")

    def withdraw(self, number: int) -> None:
        """Let a proposal that fits no longer expire now: it was not rejected, and may be made anew."""
        with self._access.ledger.writing() as tx:
            tx.proposals.expire(number, stamp(self._access.now()))

    def _cleaned(self, suggestion: Suggestion) -> tuple[Suggestion, tuple[str, ...]]:
        change, redacted = self._cleaned_change(self._cleaned_before(suggestion.change))
        quotes = [self._access.clean(one.quote) for one in suggestion.evidence]
        evidence = tuple(
            one._replace(quote=quote.text) for one, quote in zip(suggestion.evidence, quotes, strict=True)
        )
        reason = " ".join(self._access.clean(suggestion.reason).text.split())
        return suggestion._replace(change=change, evidence=evidence, reason=reason), redacted

    def _cleaned_before(self, change: ProposedChange) -> ProposedChange:
        match change:
            case EditEntry(was=str() as was) | RemoveEntry(was=str() as was):
                return change._replace(was=self._access.clean(was).text)
            case StoreMemory(was=str() as was) | SupersedeMemory(was=str() as was) | ChangeMemory(was=str() as was):
                return change._replace(was=self._access.clean(was).text)
            case _:
                return change

    def _cleaned_change(self, change: ProposedChange) -> tuple[ProposedChange, tuple[str, ...]]:
        match change:
            case RememberEntry() | EditEntry() | AddDailyLine() | WriteNote() | RetireEntry() | MoveEntry():
                cleaned = self._access.clean(change.text)
                return change._replace(text=cleaned.text), cleaned.redacted
            case PromoteMemory() | AddRule():
                cleaned = self._access.clean(change.text)
                return change._replace(text=cleaned.text), cleaned.redacted
            case StoreMemory():
                content: Clean = self._access.content(change.content)
                return change._replace(content=content.text, tags=self._access.tags(change.tags)), content.redacted
            case ChangeMemory(content=str() as said):
                content = self._access.content(said)
                return change._replace(content=content.text), content.redacted
            case _:
                return change, ()

    def _refuse_forgotten(self, tx: Transaction, change: ProposedChange) -> None:
        match change:
            case RememberEntry(text=text) | EditEntry(text=text) | AddDailyLine(text=text) | AddRule(text=text):
                self._access.refuse_forgotten(tx, " ".join(text.split()), "entry")
            case PromoteMemory(text=text):
                self._access.refuse_forgotten(tx, " ".join(text.split()), "entry")
            case StoreMemory(content=str() as content) | ChangeMemory(content=str() as content):
                self._access.refuse_forgotten(tx, content)
            case _:
                pass


def is_request(suggestion: Suggestion, by: str) -> bool:
    """Return whether an agent asks for it by itself. The gate has looked at all other suggestions before."""
    return suggestion.origin == "agent" and by != PERSON


def rejection(earlier: Proposal) -> Refused:
    """Return the error for an agent that asks for what a person rejected."""
    return Refused(
        f"The user rejected this on {local_day(earlier.settled_at or earlier.at)} (proposal {earlier.id}), so it is "
        f"not proposed again. Tell them; `memoro review --reopen {earlier.id}` lets it wait once more."
    )


def _is_equal(one: ProposedChange, other: ProposedChange) -> bool:
    """Compare with the types: to remove memory 5, and to retire experience 5, are equal named tuples."""
    return type(one) is type(other) and one == other


def _is_undone(tx: Transaction, number: int) -> bool:
    """Return whether an accepted proposal changed something, and all of it was undone."""
    changes = tx.journal.of_proposals((number,))
    return bool(changes) and all(entry.undone_by is not None for entry in changes)


def _all(tx: Transaction, state: ProposalState | None, now: str) -> list[Proposal]:
    kept: ProposalState | None = "open" if state == "expired" else state  # no row says that it has expired
    proposals = [at_moment(one, now) for one in tx.proposals.all(kept)]
    return [one for one in proposals if state in (None, one.state)]
