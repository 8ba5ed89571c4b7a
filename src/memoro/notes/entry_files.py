"""Entries in the always-loaded files: adding, editing and removing them, each with an entry in the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeGuard

from memoro.errors import NoteNotFound, NoteUnwritable, ProposalOutdated, Refused
from memoro.ledger.access import Once
from memoro.model.changes import NoteWritten, WriteOperation
from memoro.model.digests import digest_of
from memoro.model.local_time import local_day
from memoro.model.placeholders import placeholders_in, restore
from memoro.model.proposals import EditEntry, ProposedChange, RememberEntry, RemoveEntry
from memoro.model.results import EntryResult
from memoro.model.sessions import CORRECTED, repeating
from memoro.model.vocabulary import LOADED_TIERS, PERSON, LoadedTier
from memoro.notes.journaled_writer import JournaledWriter, NoteWrite
from memoro.notes.keyed import KeyedWrite
from memoro.vault import entries as bullets
from memoro.vault.conflict_marks import refuse_conflicted
from memoro.vault.layout import FRESH_MEMORY, ROLES

_FRESH = {"semantic": FRESH_MEMORY, "procedural": "# Procedural\n", "pinned": "# Pinned\n"}
_SHOWN = 60  # characters of an unknown id in a message
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


NO_KEY = Once(None, (), EntryResult)


class PlacedEntry(NamedTuple):
    """An entry that comes into a note from another one."""

    own: str  # its id
    text: str
    path: str
    fresh: str  # the text of the note where there is none yet
    operation: WriteOperation = "remember"


class EntryFiles:
    """Writes entries directly, without asking."""

    def __init__(
        self,
        journaled: JournaledWriter,
        paths: Callable[[], Iterable[str]],
        holding: Callable[[str], Sequence[str]],
    ) -> None:
        self._journaled = journaled
        self._paths = paths  # of all notes
        self._holding = holding  # the paths of notes that hold a word

    def add(
        self,
        text: str,
        tier: LoadedTier,
        *,
        section: str | None = None,
        by: str = PERSON,
        once: Once[EntryResult] = NO_KEY,
    ) -> Remembered:
        """Adds an entry to the file of a tier, which is made where it is missing."""
        if first := self.first(once):
            return first
        self.check_not_forgotten(text)

        def change(old: str) -> bullets.EditedNote:
            return bullets.add(old, text, section=section)

        return self._write(NoteWrite("remember", self.path_of(tier), by), change, once, fresh=_FRESH[tier])

    def place(self, wanted: PlacedEntry, once: Once[EntryResult] = NO_KEY) -> Remembered:
        """Adds an entry that comes from another note, by a person's word; it keeps its id where that is free."""
        if first := self.first(once):
            return first

        def change(old: str) -> bullets.EditedNote:
            taken = any(one.id == wanted.own and one.text != wanted.text for one in bullets.entries(old))
            return bullets.add(old, wanted.text, own=None if taken else wanted.own)

        return self._write(NoteWrite(wanted.operation, wanted.path, PERSON), change, once, fresh=wanted.fresh)

    def edit(
        self,
        own: str,
        text: str,
        *,
        by: str = PERSON,
        once: Once[EntryResult] = NO_KEY,
        was: str | None = None,
        expected: str | None = None,
    ) -> Remembered:
        """Says an entry in other words; it keeps its id, and the secrets whose placeholders the words carry.

        `was` is what the entry must say, as a proposal has it; ProposalOutdated where it says something else.
        `expected` is the SHA-256 of what was read; NoteUnwritable where the entry says something else.
        """
        if first := self.first(once):
            return first
        self.check_not_forgotten(text)
        path = self.where(own) if was is None else self._where_proposed(own)
        replaced: list[str] = []

        def change(old: str) -> bullets.EditedNote:
            replaced[:] = [self._found(old, own, was).text]
            self._check_digest(own, replaced[0], expected)
            said = restore(text, replaced[0], placeholders_in(text), self._journaled.access.known)
            return bullets.edit(old, own, said)

        done = self._write(NoteWrite("edit", path, by), change, once)
        for said in replaced:
            self._note_correction(path, said)
        return done

    def remove(
        self, own: str, *, by: str = PERSON, once: Once[EntryResult] = NO_KEY, was: str | None = None
    ) -> Remembered:
        """Takes an entry out of its file; `undo` puts it back. `was` is what it must say, as for `edit`."""
        if first := self.first(once):
            return first

        def change(old: str) -> bullets.EditedNote:
            self._found(old, own, was)
            return bullets.remove(old, own)

        path = self.where(own) if was is None else self._where_proposed(own)
        return self._write(NoteWrite("remove", path, by), change, once)

    def proposed(self, own: str, was: str) -> bullets.Bullet:
        """Returns an entry as its file has it; ProposalOutdated where it does not say what a proposal says."""
        path = self._where_proposed(own)
        return self._found(decoded(self._journaled.bytes_of(path) or b"", path)[0], own, was)

    def _where_proposed(self, own: str) -> str:
        try:
            return self.where(own)
        except NoteNotFound:
            raise ProposalOutdated(f"There is no entry {_shown(own)} any more.") from None

    def _found(self, text: str, own: str, was: str | None) -> bullets.Bullet:
        if was is None:
            return bullets.find(text, own)
        try:
            found = bullets.find(text, own)
        except NoteNotFound:
            raise ProposalOutdated(f"There is no entry {_shown(own)} any more.") from None
        if was not in (found.text, self._journaled.access.clean_replacing(found.text).text):
            raise ProposalOutdated(f"The entry {_shown(own)} says something else now than when this was proposed.")
        return found

    def check_expected(self, own: str, expected: str | None) -> None:
        """Raises NoteUnwritable where an entry is not what was read, by the SHA-256 of its text."""
        if expected is not None:
            self._check_digest(own, self.text_of(own), expected)

    def _check_digest(self, own: str, text: str, expected: str | None) -> None:
        if expected is None:
            return
        read = (text, self._journaled.access.clean_replacing(text).text)  # agents read it without its secrets
        if expected not in map(digest_of, read):
            raise NoteUnwritable(f"The entry {_shown(own)} has changed since it was read. Read it again.")

    def section_if_there(self, tier: LoadedTier, section: str | None) -> str | None:
        """Returns the heading if the file of a tier has it; else None. Its owner may have renamed it."""
        data = self._journaled.bytes_of(self.path_of(tier))
        text = decoded(data, self.path_of(tier))[0] if data is not None else _FRESH[tier]
        return section if section is not None and bullets.has_heading(text, section) else None

    def fresh(self, tier: LoadedTier) -> str:
        """Returns the text of a new file of a tier."""
        return _FRESH[tier]

    def first(self, once: Once[EntryResult]) -> Remembered | None:
        """Returns the first result for a key; None where the write is still to be done."""
        kept = KeyedWrite(self._journaled, once).first()
        return self._remembered(kept) if kept is not None else None

    def _remembered(self, kept: EntryResult) -> Remembered:
        return Remembered(
            id=kept.id,
            path=kept.path,
            line=kept.line,
            text=self._text_of(kept),
            new=kept.new,
            change=kept.change or None,
            proposal=kept.proposal,
        )

    def _text_of(self, kept: EntryResult) -> str:
        """Returns the words of an entry as a write left them, or found them; nothing where they were forgotten."""
        with self._journaled.access.ledger.reading() as tx:
            if kept.proposal is not None:
                proposed = tx.proposals.get(kept.proposal).change
                if isinstance(proposed, RemoveEntry):
                    return self.text_in(proposed.id, proposed.path) or ""
                return proposed_text(proposed)
            change = tx.journal.get(kept.change).change if kept.change else None
            digest = (change.after if change.operation != "remove" else change.before) if _is_write(change) else None
            data = tx.contents.get(digest) if digest else None
        if data is None and not kept.change:
            data = self._journaled.bytes_of(kept.path)
        try:
            return bullets.find(decoded(data, kept.path)[0], kept.id or "").text if data is not None else ""
        except (NoteNotFound, NoteUnwritable):
            return ""

    def all(self, tier: LoadedTier) -> list[bullets.Bullet]:
        data = self._journaled.bytes_of(self.path_of(tier))
        return bullets.entries(decoded(data, self.path_of(tier))[0]) if data is not None else []

    def path_of(self, tier: LoadedTier) -> str:
        """Returns the file that has this role, or will have it."""
        top = set(self._paths())
        return next((name for name in ROLES[tier] if name in top), ROLES[tier][0])

    def where(self, own: str) -> str:
        """Returns the note in which an entry of this id stands: the always-loaded files first."""
        address = bullets.parse_address(own)
        loaded = [self.path_of(tier) for tier in LOADED_TIERS]
        # Looking for the words of a long text would take long, and none can be an id.
        held = self._holding(address.id) if bullets.is_id(address.id) else ()
        for path in [address.path] if address.path else dict.fromkeys([*loaded, *held]):
            data = self._journaled.bytes_of(path)
            if data is not None and any(bullets.is_at(e, address) for e in bullets.entries(decoded(data, path)[0])):
                return path
        if address.path and self._has_line(address.path, address.line or 0):
            raise NoteNotFound(
                f"Line {address.line} of {address.path} is not a list item. Edit or delete the text in your "
                "editor, then run `memoro sync`."
            )
        if own.casefold().endswith(".md") and self._journaled.bytes_of(own) is not None:
            raise NoteNotFound(
                f"{own} is a whole note. Name one list item, as {own}:LINE, or delete the note in your editor "
                "and run `memoro sync`."
            )
        raise NoteNotFound(
            f"There is no entry {_shown(own)}. `memoro entries` lists those of the always-loaded files; else name "
            "PATH:LINE, memory:N or an id of a search."
        )

    def _has_line(self, path: str, line: int) -> bool:
        data = self._journaled.bytes_of(path)
        return data is not None and 1 <= line <= decoded(data, path)[0].count("\n") + 1

    def id_of(self, own: str) -> str:
        """Returns the id of an entry that was named in any way; it raises where two entries have that id."""
        path = self.where(own)
        text, _ = decoded(self._journaled.bytes_of(path) or b"", path)
        return bullets.find(text, bullets.find(text, own).id).id

    def text_of(self, own: str) -> str:
        """Returns the text of an entry as it stands in its note."""
        path = self.where(own)
        return bullets.find(decoded(self._journaled.bytes_of(path) or b"", path)[0], own).text

    def text_in(self, own: str, path: str) -> str | None:
        """Returns what the entry with this id in a note says now; None where it is gone."""
        data = self._journaled.bytes_of(path)
        address = bullets.parse_address(own)
        entries = bullets.entries(decoded(data, path)[0]) if data else []
        found = [one.text for one in entries if bullets.is_at(one, address)]
        return found[0] if found else None

    def is_loaded(self, path: str) -> bool:
        return path in {self.path_of(tier) for tier in LOADED_TIERS}

    def check_not_forgotten(self, said: str) -> None:
        access = self._journaled.access
        with access.ledger.reading() as tx:
            at = tx.forgotten.at(access.digest(tx, " ".join(said.split())))
        if at:
            raise Refused(f"Exactly this was forgotten on {local_day(at)}, and is kept from coming back.")

    def _note_correction(self, path: str, was: str) -> None:
        """Notes, where the entry was given to a session, that it needed a correction."""
        repeats, ledger = repeating([was]), self._journaled.access.ledger
        with ledger.reading() as tx:
            given = [item for item, text in tx.sessions.of_note(path) if repeats(text)]
        if given:
            with ledger.writing() as tx:
                for item in given:
                    tx.sessions.note(item, CORRECTED)

    def _write(
        self,
        wanted: NoteWrite,
        change: Callable[[str], bullets.EditedNote],
        once: Once[EntryResult],
        fresh: str | None = None,
    ) -> Remembered:
        made: list[tuple[bullets.EditedNote, bool]] = []
        path, write = wanted.path, KeyedWrite(self._journaled, once)

        def on_bytes(before: bytes | None) -> bytes | None:
            if before is None and fresh is None:
                raise NoteNotFound(f"There is no note {path!r} any more.")
            refuse_conflicted(path, before)
            text, mark = decoded(before, path) if before is not None else (fresh or "", b"")
            edited = change(text)
            made[:] = [(edited, edited.text != text)]
            if edited.text == text:
                return before
            return mark + edited.text.encode("utf-8", "surrogateescape")

        def line() -> str | None:
            return bullets.line_of(made[0][0].entry) if wanted.operation == "remember" else None

        def result(entry: int) -> EntryResult:
            edited, new = made[0]
            return EntryResult(id=edited.entry.id, path=path, line=edited.entry.line, new=new, change=entry)

        kept = write.run(lambda: self._journaled.write(wanted._replace(line=line, keep=write.keep), on_bytes), result)
        if made and made[0][0].entry.id == kept.id:
            return Remembered(
                id=kept.id, path=path, line=kept.line, text=made[0][0].entry.text, new=kept.new,
                change=kept.change or None,
            )  # fmt: skip
        return self._remembered(kept)


def _shown(own: str) -> str:
    return repr(own if len(own) <= _SHOWN else f"{own[:_SHOWN]}…")


def _is_write(change: object) -> TypeGuard[NoteWritten]:
    return isinstance(change, NoteWritten)


def proposed_text(change: ProposedChange) -> str:
    """Returns the words of a proposed entry; nothing where it is to be removed."""
    return change.text if isinstance(change, (RememberEntry, EditEntry)) else ""


def decoded(data: bytes, path: str) -> tuple[str, bytes]:
    """Returns the text of a note and the mark before it. Memoro does not write to notes that are not UTF-8."""
    mark = _BOM if data.startswith(_BOM) else b""
    try:
        return data[len(mark) :].decode("utf-8"), mark
    except UnicodeDecodeError:
        raise NoteUnwritable(f"{path} is not UTF-8, and Memoro does not write to it. Save it as UTF-8.") from None
