"""Reading what is curated: the ledger by its port, and the files of the vault. It writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from memoro.curate.gating.subjects import DROP, proposal_subject
from memoro.curate.snapshot.alike import alike_pairs
from memoro.curate.snapshot.broken_links import NoteLink, broken_link, leads_somewhere, link_targets, links_in
from memoro.curate.snapshot.state import (
    BrokenLink,
    CuratedEntry,
    CuratedMemory,
    CuratedNote,
    CuratedState,
    ExtractedFact,
    FeedbackNote,
    LoadedFile,
    ReplacedMemory,
    SessionUses,
    texts_of_state,
)
from memoro.errors import MemoroError, NoteNotFound, NoteUnreadable, ProviderError, VaultError
from memoro.ledger.access import LedgerAccess, Owner
from memoro.model.changes import NoteAppended, NoteWritten
from memoro.model.extracted_lines import MARK, parse_line
from memoro.model.feedback import parse as parse_feedback
from memoro.model.feedback_places import FILES
from memoro.model.local_time import local_day
from memoro.model.memories import EXTRACTION, Memory, is_current
from memoro.model.notes import MEMORY
from memoro.model.personal_names import plain
from memoro.model.privacy import is_hidden, item_is_private, line_is_private, tagged_lines
from memoro.model.said_ends import said_end
from memoro.model.tokens import tokens
from memoro.model.vocabulary import PERSON, VAULT, LoadedTier
from memoro.notes.loaded_entries import loaded_entries
from memoro.vault.encoding import decode
from memoro.vault.layout import AGENTS_ARCHIVE, AGENTS_FOLDER
from memoro.vault.markdown import Parsed, parse, split_lines

if TYPE_CHECKING:
    from memoro.curate.snapshot.alike import Embed
    from memoro.ledger.ports import Transaction
    from memoro.model.notes import Note, Stamp
    from memoro.vault.daily_place import DailyPlace
    from memoro.vault.files import VaultFiles

EXTRACTED_DAYS = 90  # how far back extracted lines count: what came up once a year ago is no habit
_LONGEST_NOTE = 64 * 1024  # characters of an agent's note; a longer one is no note that a person would tidy


class CurationSources(NamedTuple):
    """Where curated things are read from."""

    access: LedgerAccess
    owner: Owner
    vault: Callable[[], VaultFiles] | None  # None: the home has no vault
    daily_place: Callable[[], DailyPlace] | None = None  # where extracted lines stand
    embed: Embed | None = None  # by the built-in model; None: words alone tell what is alike
    private: tuple[str, ...] = ()  # what the owner calls private besides


class ReadState(NamedTuple):
    """What was read, and what could not be."""

    state: CuratedState
    notices: tuple[str, ...] = ()


class SnapshotReader(NamedTuple):
    """Reads a `CuratedState`, as far as the scope of the caller shows it: to an agent, nothing private."""

    sources: CurationSources

    def read(self) -> ReadState:
        notices: list[str] = []
        state = self._from_ledger()
        if self.sources.vault is not None:
            try:
                state = _VaultReading(self.sources, self.sources.vault(), notices).add_to(state)
            except VaultError as error:
                notices.append(f"notes: {error}")
        state = self._as_the_journal_tells(state)
        if not self.sources.owner.scope.private:
            state = without_private(state)
        if self.sources.embed is not None:
            try:
                state = state._replace(alike=alike_pairs(texts_of_state(state), self.sources.embed))
            except ProviderError as error:
                notices.append(f"vectors: {error}")
        return ReadState(state, tuple(notices))

    def _from_ledger(self) -> CuratedState:
        now, owns = self.sources.access.now(), self.sources.owner.scope.owns
        with self.sources.access.ledger.reading() as tx:
            memories = [one for one in tx.memories.all() if owns(one.agent, one.project)]
            of_frameworks = {item.id for item in tx.items.all()}  # their values are the framework's, not facts
            current = [one for one in memories if is_current(one, now) and one.id not in of_frameworks]
            uses = _uses(tx, current)
            experiences = tuple(one for one in tx.experiences.live() if owns(one.agent, one.project))
            kept = _kept(tx)
        return CuratedState(
            now=now,
            memories=tuple(
                CuratedMemory(one, uses.get(one.id, SessionUses()), self._is_private(one)) for one in current
            ),
            replaced=_replaced(memories),
            experiences=experiences,
            kept=kept,
        )

    def _as_the_journal_tells(self, state: CuratedState) -> CuratedState:
        """Return the state without extracted lines that extraction did not write, and with the ages of entries.

        Whoever can write a daily line could write one that looks extracted.
        """
        passing = [one for one in state.entries if one.written_by and said_end(one.text, _date(one.written_by))]
        if not state.extracted and not passing:
            return state
        with self.sources.access.ledger.reading() as tx:
            known = _lines_of_extraction(tx) if state.extracted else frozenset()
            written = {one.id: _first_day(tx, one) for one in passing}
        return state._replace(
            extracted=tuple(one for one in state.extracted if one.whole_line in known),
            entries=tuple(one._replace(written_by=written.get(one.id, one.written_by)) for one in state.entries),
        )

    def _is_private(self, memory: Memory) -> bool:
        hidden = is_hidden(f"{MEMORY}{memory.id}", memory.tags, self.sources.private)
        return hidden or item_is_private(memory.content, memory.tags)


def without_private(state: CuratedState) -> CuratedState:
    """Return a state without all that is private. Experiences and agents' notes are none of the owner's secrets."""
    memories = tuple(one for one in state.memories if not one.is_private)
    shown = {one.memory.id for one in memories}
    return state._replace(
        entries=tuple(one for one in state.entries if not one.is_private),
        memories=memories,
        replaced=tuple(one for one in state.replaced if one.new.id in shown and not _says_private(one.old)),
        extracted=tuple(one for one in state.extracted if not one.is_private),
        feedback=tuple(one for one in state.feedback if not line_is_private(one.note)),
        experiences=tuple(one for one in state.experiences if not item_is_private(one.intent, one.tags)),
        notes=tuple(one for one in state.notes if not any(map(line_is_private, one.text.split("\n")))),
    )


def _says_private(memory: Memory) -> bool:
    return item_is_private(memory.content, memory.tags)


def _lines_of_extraction(tx: Transaction) -> frozenset[str]:
    """The lines that extraction has added to daily notes, as the journal tells."""
    entries = tx.journal.latest(actor=EXTRACTION)
    added = (one.change.added for one in entries if isinstance(one.change, NoteAppended))
    return frozenset(line.strip() for text in added for line in text.splitlines())


def _first_day(tx: Transaction, entry: CuratedEntry) -> str | None:
    """The first day on which the journal knows the words of an entry; else the day that its file was last changed."""
    words = entry.text.encode()
    days = [entry.written_by] if entry.written_by else []
    for one in tx.journal.history("note", entry.path):
        if isinstance(one.change, NoteWritten):
            digests = (one.change.before, one.change.after)
            if any(words in (tx.contents.get(digest) or b"") for digest in digests if digest):
                days.append(local_day(one.at))
    return min(days, default=None)


def _date(day: str) -> date:
    return date.fromisoformat(day)


def _replaced(memories: Sequence[Memory]) -> tuple[ReplacedMemory, ...]:
    by_number = {one.id: one for one in memories}
    pairs = ((one, by_number.get(one.superseded_by or 0)) for one in memories)
    return tuple(ReplacedMemory(old, new) for old, new in pairs if new is not None)


def _kept(tx: Transaction) -> frozenset[str]:
    """The items whose retirement the owner has decided about: what is still there was not to go, or came back."""
    settled = (*tx.proposals.all("rejected"), *tx.proposals.all("accepted"))
    subjects = (proposal_subject(one.change, {}) for one in settled)
    return frozenset(name for one in subjects if one is not None and one.act == DROP for name in one.targets)


def _uses(tx: Transaction, memories: Sequence[Memory]) -> dict[int, SessionUses]:
    """The sessions that were given each memory, and what became of it there."""
    wanted = {one.id for one in memories}
    given: dict[int, dict[str, set[str]]] = {}

    def note(number: int, kind: str, value: str) -> None:
        given.setdefault(number, {}).setdefault(kind, set()).add(value)

    for one in tx.given.all():
        if one.memory in wanted:
            note(one.memory, "given", one.session)
            if one.reinforced:
                note(one.memory, "reinforced", one.session)
                note(one.memory, "days", one.at[:10])
    recalled = {item for item, words in tx.sessions.feedback() if words and item.startswith(MEMORY)}
    for item in recalled:
        number = int(item.removeprefix(MEMORY)) if item.removeprefix(MEMORY).isdecimal() else 0
        for use in tx.sessions.uses(item) if number in wanted else ():
            note(number, "given", use.session)
            for word in use.feedback:
                note(number, word, use.session)
            if "reinforced" in use.feedback:
                note(number, "days", use.at[:10])
    return {
        number: SessionUses(**{kind: frozenset(values) for kind, values in kinds.items()})
        for number, kinds in given.items()
    }


class _VaultReading:
    """One reading of the vault's files."""

    def __init__(self, sources: CurationSources, vault: VaultFiles, notices: list[str]) -> None:
        self._sources = sources
        self._vault = vault
        self._notices = notices
        listing = vault.list(VAULT)
        self._stamps = listing.files
        self._is_complete = not listing.unlisted

    def add_to(self, state: CuratedState) -> CuratedState:
        loaded = {path: parsed for path in self._loaded_paths() if (parsed := self._parsed(path)) is not None}
        notes = self._agent_notes()
        linking = {path: "\n".join(parsed.lines) for path, parsed in loaded.items()}
        linking |= {one.path: one.text for one in notes}
        return state._replace(
            files=self._files(loaded),
            entries=self._entries(loaded),
            extracted=self._extracted(state.now),
            feedback=self._feedback(),
            notes=notes,
            broken_links=self._broken_links(linking),
        )

    def _loaded_paths(self) -> list[str]:
        return list(dict.fromkeys(one.path for one in loaded_entries(self._vault)))

    def _parsed(self, path: str) -> Parsed | None:
        text = self._text(path)
        return None if text is None else parse(text, path)

    def _text(self, path: str) -> str | None:
        try:
            return decode(self._vault.read(path).data)[0]
        except NoteNotFound:
            return None
        except (NoteUnreadable, VaultError) as error:
            self._notices.append(f"{path}: {error}")
            return None

    def _files(self, loaded: Mapping[str, Parsed]) -> tuple[LoadedFile, ...]:
        counts: dict[tuple[LoadedTier, str], int] = {}
        for one in loaded_entries(self._vault):
            counts[one.tier, one.path] = counts.get((one.tier, one.path), 0) + 1
        return tuple(
            LoadedFile(tier=tier, path=path, tokens=tokens("\n".join(loaded[path].lines)), entries=count)
            for (tier, path), count in counts.items()
            if path in loaded
        )

    def _entries(self, loaded: Mapping[str, Parsed]) -> tuple[CuratedEntry, ...]:
        private = {path: tagged_lines(parsed.lines, range(1, parsed.body)) for path, parsed in loaded.items()}
        return tuple(
            CuratedEntry(
                id=one.address,
                tier=one.tier,
                path=one.path,
                line=one.line,
                text=one.text,
                headings=_headings_above(loaded[one.path], one.line),
                is_private=one.line in private[one.path] or self._is_private(one.path, loaded[one.path].note),
                written_by=_day_of(self._stamps.get(one.path)),
            )
            for one in loaded_entries(self._vault)
            if one.path in loaded
        )

    def _is_private(self, path: str, note: Note) -> bool:
        return note.privacy == "private" or is_hidden(path, note.tags, self._sources.private)

    def _agent_notes(self) -> tuple[CuratedNote, ...]:
        found: list[CuratedNote] = []
        for path in self._stamps:
            if not path.startswith(AGENTS_FOLDER) or path.startswith(AGENTS_ARCHIVE):
                continue
            with suppress(NoteNotFound, NoteUnreadable):
                content = self._vault.read(path)
                text = decode(content.data)[0]
                if len(text) <= _LONGEST_NOTE:
                    digest = hashlib.sha256(content.data).hexdigest()
                    found.append(
                        CuratedNote(path=path, text=text, sha256=digest, written=_day_of(content.stamp) or "")
                    )
        return tuple(found)

    def _extracted(self, now: datetime) -> tuple[ExtractedFact, ...]:
        """The extracted lines of the last days."""
        if self._sources.daily_place is None:
            return ()
        place, today = self._sources.daily_place(), now.astimezone().date()
        found: list[ExtractedFact] = []
        for day in (today - timedelta(days=back) for back in range(EXTRACTED_DAYS, -1, -1)):
            for path in place.paths_to_read(day):
                text = self._text(path) if path in self._stamps else None
                found += _extracted_lines(text, path, day.isoformat()) if text and MARK in text else []
        owns = self._sources.owner.scope.owns
        return tuple(one for one in found if owns(None, one.project))

    def _feedback(self) -> tuple[FeedbackNote, ...]:
        """What the owner said about answers. What an agent says that they said is left out."""
        owns = self._sources.owner.scope.owns
        found: list[FeedbackNote] = []
        for path in FILES.values():
            for one in parse_feedback(self._text(path) or "", path):
                if one.by == PERSON and owns(None, one.project):
                    found.append(
                        FeedbackNote(
                            id=one.id,
                            is_good=one.kind == "good",
                            note=one.note,
                            day=one.at[:10],
                            project=one.project,
                            path=path,
                            line=one.line,
                        )
                    )
        return tuple(found)

    def _broken_links(self, texts: Mapping[str, str]) -> tuple[BrokenLink, ...]:
        """The links of these notes that lead nowhere; none where a folder of the vault could not be listed."""
        links = [(path, link) for path, text in texts.items() for link in links_in(text)]
        if not links or not self._is_complete:
            return ()
        targets = link_targets(self._stamps)
        left = [(path, link) for path, link in links if not leads_somewhere(link, targets, _folder(path))]
        if not left:
            return ()
        targets = targets._replace(names=self._names_like([link for _, link in left]))
        return tuple(
            broken_link(link, path, targets)
            for path, link in left
            if not leads_somewhere(link, targets, _folder(path))
        )

    def _names_like(self, links: Iterable[NoteLink]) -> frozenset[str]:
        """Titles and aliases of the notes that hold one of these names. No other note needs to be parsed."""
        wanted = {plain(link.target).encode() for link in links}
        found: set[str] = set()
        for path in self._stamps:
            with suppress(MemoroError):
                data = self._vault.read(path).data
                held = (
                    plain(decode(data)[0][:20_000]).encode()
                    if b"alias" in data or b"title" in data or b"# " in data
                    else b""
                )
                if any(name in held for name in wanted):
                    note = parse(decode(data)[0], path).note
                    found.update(map(plain, (note.title, *note.aliases)))
        return frozenset(found)


def _extracted_lines(text: str, path: str, day: str) -> list[ExtractedFact]:
    lines = ((number, line, parse_line(line)) for number, line in enumerate(split_lines(text), 1))
    return [
        ExtractedFact(
            text=said.text,
            day=day,
            path=path,
            line=number,
            speaker="User",
            project=said.project,
            is_private=line_is_private(line),
            whole_line=line.strip(),
        )
        for number, line, said in lines
        if said is not None
    ]


def _headings_above(parsed: Parsed, line: int) -> tuple[str, ...]:
    """The headings over a line, the highest first; the title of the note is none."""
    above: list[tuple[int, str]] = []
    for heading in parsed.outline.headings:
        if heading.line > line:
            break
        above = [one for one in above if one[0] < heading.level]
        above.append((heading.level, heading.title))
    return tuple(title for level, title in above if level > 1)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _day_of(stamp: Stamp | None) -> str | None:
    if stamp is None:
        return None
    return datetime.fromtimestamp(stamp.mtime_ns / 1e9, UTC).astimezone().date().isoformat()
