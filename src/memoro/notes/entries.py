"""Remembering in the always-loaded files: entries that a person writes, and that an agent proposes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memoro.errors import NoteNotFound, NoteUnwritable, Refused
from memoro.model.memories import stamp
from memoro.model.proposals import Proposal
from memoro.model.sessions import CORRECTED, repeating
from memoro.model.vocabulary import LOADED_TIERS, LoadedTier, ProposalState, parse_choice
from memoro.notes.journaled_writer import PERSON, JournaledWriter
from memoro.vault import entries as bullets
from memoro.vault.layout import FRESH_MEMORY, ROLES

_FRESH = {"semantic": FRESH_MEMORY, "procedural": "# Procedural\n", "pinned": "# Pinned\n"}
_BOM = b"\xef\xbb\xbf"


class Remembered(NamedTuple):
    """An entry as it stands in a file, or the proposal that waits for a person's word."""

    id: str | None
    path: str
    line: int | None
    text: str
    new: bool = True  # False: it was there already
    change: int | None = None  # of the journal
    proposal: int | None = None
    redacted: tuple[str, ...] = ()


class Entries:
    """`m.entries`: add, edit and remove, by a person directly, by an agent as proposals."""

    def __init__(
        self,
        journaled: JournaledWriter,
        *,
        agent: str | None,
        direct: bool,
        paths: Callable[[], Iterable[str]],
        holding: Callable[[str], Sequence[str]],
    ) -> None:
        self._journaled = journaled
        self._agent = agent
        self._direct = direct  # whether agents may write as persons do
        self._paths = paths  # of all notes
        self._holding = holding  # the paths of notes that hold a word

    def remember(
        self, text: str, *, tier: LoadedTier = "semantic", section: str | None = None, by: str = PERSON
    ) -> Remembered:
        """Keep a fact (semantic), a rule (procedural) or what must not be missed (pinned) in its file."""
        tier = parse_choice(tier, LOADED_TIERS, "tier")
        said, redacted = self._clean(text, by)
        self._check_not_forgotten(said)
        path = self.path_of(tier)
        if self._must_ask(by):
            bullets.one_line(said)  # what cannot be an entry is not proposed
            detail = {"text": said, "tier": tier, "section": section, "path": path}
            return self._proposed("remember", detail, by)._replace(redacted=redacted)
        return self._edit("remember", path, lambda old: bullets.add(old, said, section=section), by,
                          fresh=_FRESH[tier])._replace(redacted=redacted)  # fmt: skip

    def edit(self, own: str, text: str, *, by: str = PERSON) -> Remembered:
        """Say an entry in other words; it keeps its id."""
        said, redacted = self._clean(text, by)
        self._check_not_forgotten(said)
        path = self.where(own)
        if self._must_ask(by) and self._is_loaded(path):
            bullets.one_line(said)
            return self._proposed("edit", {"id": own, "text": said, "path": path}, by)._replace(redacted=redacted)
        was: list[str] = []

        def change(old: str) -> bullets.EditedNote:
            was[:] = [bullets.find(old, own).text]
            return bullets.edit(old, own, said)

        done = self._edit("edit", path, change, by)._replace(redacted=redacted)
        self._say_corrected(path, was[0])
        return done

    def _say_corrected(self, path: str, was: str) -> None:
        """Note it where the entry was given to a session: what was given turned out to be in need of it."""
        repeats, ledger = repeating([was]), self._journaled.access.ledger
        with ledger.reading() as tx:
            given = [item for item, text in tx.sessions.of_note(path) if repeats(text)]
        if given:
            with ledger.writing() as tx:
                for item in given:
                    tx.sessions.note(item, CORRECTED)

    def remove(self, own: str, *, by: str = PERSON) -> Remembered:
        """Take an entry out of its file; `undo` puts it back."""
        path = self.where(own)
        if self._must_ask(by) and self._is_loaded(path):
            return self._proposed("remove", {"id": own, "path": path}, by)
        return self._edit("remove", path, lambda old: bullets.remove(old, own), by)

    def all(self, tier: LoadedTier = "semantic") -> list[bullets.Bullet]:
        data = self._journaled.bytes_of(self.path_of(tier))
        return bullets.entries(decoded(data, self.path_of(tier))[0]) if data is not None else []

    def path_of(self, tier: LoadedTier) -> str:
        """The file that has this role, or will have it."""
        top = set(self._paths())
        return next((name for name in ROLES[tier] if name in top), ROLES[tier][0])

    def where(self, own: str) -> str:
        """The note in which an entry of this id stands: the always-loaded files first."""
        own = own.removeprefix("^")
        loaded = [self.path_of(tier) for tier in LOADED_TIERS]
        for path in dict.fromkeys([*loaded, *self._holding(own)]):
            data = self._journaled.bytes_of(path)
            if data is not None and any(e.id == own for e in bullets.entries(decoded(data, path)[0])):
                return path
        raise NoteNotFound(f"There is no entry {own!r}. `memoro search` shows entries with their ids (^…).")

    def proposals(self, state: ProposalState | None = "open") -> list[Proposal]:
        with self._journaled.access.ledger.reading() as tx:
            return tx.proposals.all(state)

    def accept(self, number: int) -> Remembered:
        """Do what was proposed, by a person's word."""
        proposal = self._open(number)
        detail: Mapping[str, Any] = proposal.detail
        if proposal.operation == "remember":
            done = self.remember(detail["text"], tier=detail["tier"], section=detail["section"])
        elif proposal.operation == "edit":
            done = self.edit(detail["id"], detail["text"])
        else:
            done = self.remove(detail["id"])
        self._settle(number, "accepted")
        return done._replace(proposal=number)

    def reject(self, number: int) -> Proposal:
        proposal = self._open(number)
        self._settle(number, "rejected")
        return proposal._replace(state="rejected")

    def _open(self, number: int) -> Proposal:
        with self._journaled.access.ledger.reading() as tx:
            proposal = tx.proposals.get(number)
        if proposal.state != "open":
            raise Refused(f"Proposal {number} was {proposal.state} on {(proposal.settled_at or '')[:10]}.")
        return proposal

    def _check_not_forgotten(self, said: str) -> None:
        access = self._journaled.access
        with access.ledger.reading() as tx:
            at = tx.forgotten.at(access.digest(tx, " ".join(said.split())))
        if at:
            raise Refused(f"Exactly this was forgotten on {at[:10]}, and is kept from coming back.")

    def _settle(self, number: int, state: ProposalState) -> None:
        with self._journaled.access.ledger.writing() as tx:
            tx.proposals.settle(number, state, stamp(self._journaled.access.now()))

    def _must_ask(self, by: str) -> bool:
        return by != PERSON and not self._direct

    def _is_loaded(self, path: str) -> bool:
        return path in {self.path_of(tier) for tier in LOADED_TIERS}

    def _proposed(self, operation: str, detail: dict[str, Any], by: str) -> Remembered:
        """Waiting for a person's word; what waits already is not proposed twice."""
        access = self._journaled.access
        with access.ledger.writing() as tx:
            same = [p.id for p in tx.proposals.all("open") if (p.operation, p.detail) == (operation, detail)]
            proposal = Proposal(
                id=0,
                at=stamp(access.now()),
                actor=by,
                agent=self._agent,
                operation=operation,
                detail=detail,
                state="open",
            )
            number = same[0] if same else tx.proposals.add(proposal)
        return Remembered(detail.get("id"), detail["path"], None, detail.get("text", ""), not same, proposal=number)

    def _clean(self, text: str, by: str) -> tuple[str, tuple[str, ...]]:
        """What an agent writes is kept without secrets; a person's own words are theirs."""
        if by == PERSON:
            return text, ()
        cleaned = self._journaled.access.clean(text)
        return cleaned.text, cleaned.redacted

    def _edit(
        self,
        operation: str,
        path: str,
        change: Callable[[str], bullets.EditedNote],
        by: str,
        fresh: str | None = None,
    ) -> Remembered:
        made: list[tuple[bullets.EditedNote, bool]] = []

        def on_bytes(before: bytes | None) -> bytes | None:
            if before is None and fresh is None:
                raise NoteNotFound(f"There is no note {path!r} any more.")
            text, mark = decoded(before, path) if before is not None else (fresh or "", b"")
            edited = change(text)
            made[:] = [(edited, edited.text != text)]
            if edited.text == text:
                return before
            return mark + edited.text.encode("utf-8", "surrogateescape")

        def line() -> str | None:
            return bullets.line_of(made[0][0].entry) if operation == "remember" else None

        done = self._journaled.write(operation, path, on_bytes, by=by, line=line)
        edited, new = made[0]
        entry = edited.entry
        return Remembered(entry.id, path, entry.line, entry.text, new, done.entry or None)


def decoded(data: bytes, path: str) -> tuple[str, bytes]:
    """The text of a note and the mark before it. What is not UTF-8 is not ours to write."""
    mark = _BOM if data.startswith(_BOM) else b""
    try:
        return data[len(mark) :].decode("utf-8"), mark
    except UnicodeDecodeError:
        raise NoteUnwritable(f"{path} is not UTF-8, and Memoro does not write to it. Save it as UTF-8.") from None
