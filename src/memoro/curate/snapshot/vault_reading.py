"""Reading what is curated in the vault: entries, extracted lines, feedback, agents' notes, and links."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from memoro.curate.snapshot.broken_links import NoteLink, broken_link, leads_somewhere, link_targets, links_in
from memoro.curate.snapshot.sources import CurationSources
from memoro.curate.snapshot.state import (
    BrokenLink,
    CuratedEntry,
    CuratedNote,
    CuratedState,
    ExtractedFact,
    FeedbackNote,
    LoadedFile,
)
from memoro.errors import MemoroError, NoteNotFound, NoteUnreadable, VaultError
from memoro.model.extracted_lines import MARK, parse_line
from memoro.model.feedback import parse as parse_feedback
from memoro.model.feedback_places import FILES
from memoro.model.personal_names import plain
from memoro.model.privacy import is_hidden, line_is_private, tagged_lines
from memoro.model.tokens import tokens
from memoro.model.vocabulary import PERSON, VAULT, LoadedTier
from memoro.notes.loaded_entries import loaded_entries
from memoro.vault.encoding import decode
from memoro.vault.layout import AGENTS_ARCHIVE, AGENTS_FOLDER
from memoro.vault.markdown import Parsed, parse, split_lines

if TYPE_CHECKING:
    from memoro.model.notes import Note, Stamp
    from memoro.vault.files import VaultFiles

EXTRACTED_DAYS = 90  # how far back extracted lines count: what came up once a year ago is no habit
_LONGEST_NOTE = 64 * 1024  # characters of an agent's note; a longer one is no note that a person would tidy


class VaultReading:
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
                            question=one.question,
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
