"""An index in plain dictionaries: for homes in memory, and the oracle of the contract suite."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import apsw

from memoro.model.answers import Held, Match, Passage, Statistics, Term, Where, is_below
from memoro.model.figures import IndexedCount
from memoro.model.notes import (
    CONTAINER,
    UNKNOWN,
    Chunk,
    FileEntry,
    Indexed,
    Problem,
    indexed_kind,
    kind_of,
    number_of,
)
from memoro.model.privacy import is_hidden
from memoro.model.projects import ascii_lower, belongs, means, name_patterns
from memoro.model.vocabulary import MIRRORED_KINDS, MirroredKind
from memoro.store.changes import Assign, Change, Drop, Emptied, Extend, Hide, Move, Purge, Touch, Write
from memoro.store.columns import columns
from memoro.store.plain import index_items as items
from memoro.store.ports import (
    COLUMNS,
    ChunkText,
    Counts,
    DatedFile,
    FilesOfDay,
    IndexedConversation,
    IndexedSession,
    ItemMatch,
    MessageLocation,
    Neighbour,
    NoteEntry,
    WrittenBetween,
    shown_column,
)
from memoro.store.terms import terms, tokenizer


class _Row(NamedTuple):
    """A chunk with its words counted."""

    file: Indexed
    chunk: Chunk
    number: int
    words: tuple[Counter[str], ...]  # one counter per column
    length: float
    size: int  # words in all columns, as FTS5 counts them
    id: int


class PlainIndex:
    """An index that scans everything instead of looking it up."""

    file = "the index in memory"

    def __init__(self) -> None:
        self._files: dict[str, Indexed] = {}
        self._rows: dict[str, list[_Row]] = {}
        self._meta: dict[str, str] = {}
        self._problems: tuple[Problem, ...] = ()
        self._tokenize = tokenizer(apsw.Connection(":memory:"))
        self._last = 0

    def check(self) -> list[str]:
        return []

    def probe(self) -> None:
        pass

    def journal_mode(self) -> str:
        return "none"

    def apply(self, changes: Sequence[Change]) -> list[int]:
        before = dict(self._files), dict(self._rows)
        there = {row.id for row in self._all()}
        try:
            for change in changes:
                self._apply(change)
        except BaseException:
            self._files, self._rows = before
            raise
        gone = sorted(there - {row.id for row in self._all()})
        if gone:
            self._meta["gone"] = str(int(self._meta.get("gone", 0)) + len(gone))
        return gone

    def _apply(self, change: Change) -> None:
        match change:
            case Write(file):
                self._put(file)
            case Extend(file, after):
                self._extend(file, after)
            case Move(old, file):
                self._files.pop(old, None)
                self._rows.pop(old, None)
                self._put(file)
            case Touch(path, stamp, day):
                known = self._files[path]
                entry = known.entry._replace(stamp=stamp, emptied=False)
                self._files[path] = file = known._replace(entry=entry, day=known.note.date or day)
                self._rows[path] = [row._replace(file=file) for row in self._rows.get(path, ())]
            case Hide(path, at):
                known = self._files[path]
                self._files[path] = known._replace(entry=known.entry._replace(gone_at=at), messages=())
                self._rows.pop(path, None)
            case Drop(path):
                self._files.pop(path, None)
                self._rows.pop(path, None)
            case Emptied(path):
                known = self._files[path]
                self._files[path] = known._replace(entry=known.entry._replace(stamp=None, emptied=True))
            case Assign(path, project):
                if path in self._files:
                    known = self._files[path]
                    self._files[path] = file = known._replace(note=known.note._replace(project=project))
                    self._rows[path] = [row._replace(file=file) for row in self._rows.get(path, ())]
            case Purge(before):
                for path, file in list(self._files.items()):
                    if file.entry.gone_at and file.entry.gone_at < before:
                        del self._files[path]

    def _extend(self, file: Indexed, after: int) -> None:
        path = file.entry.path
        known, kept = self._files[path], [row for row in self._rows[path] if row.chunk.start_line <= after]
        messages = {one.id: one for one in (*reversed(file.messages), *reversed(known.messages))}
        whole = file._replace(chunks=(*(row.chunk for row in kept), *file.chunks), messages=tuple(messages.values()))
        self._put(file, Counter({row.chunk.digest: row.number for row in kept}))
        self._files[path] = whole
        self._rows[path] = [row._replace(file=whole) for row in (*kept, *self._rows[path])]

    def _put(self, file: Indexed, before: Counter[str] | None = None) -> None:
        seen: Counter[str] = Counter(before)
        rows = []
        for chunk in file.chunks:
            seen[chunk.digest] += 1
            words = tuple(Counter(term.stem for term in terms(c, self._tokenize)) for c in columns(file, chunk))
            sizes = [counted.total() for counted in words]
            length = sum(weight * size for weight, size in zip(COLUMNS.values(), sizes, strict=True))
            rows.append(
                _Row(
                    file=file,
                    chunk=chunk,
                    number=seen[chunk.digest],
                    words=words,
                    length=length,
                    size=sum(sizes),
                    id=self._next(),
                )
            )
        self._files[file.entry.path] = file
        self._rows[file.entry.path] = rows

    def _next(self) -> int:
        self._last += 1
        return self._last

    def files(self) -> dict[str, FileEntry]:
        return {path: file.entry for path, file in self._files.items() if indexed_kind(path) not in MIRRORED_KINDS}

    def ledger_paths(self) -> list[str]:
        return sorted(path for path in self._files if indexed_kind(path) in MIRRORED_KINDS)

    def unlisted(self, held: Held | None = None) -> list[int]:
        return [row.id for row in self._all() if not (row.file.listed or _held(row.file, held))]

    def digests(self, path: str) -> list[str]:
        return [row.chunk.digest for row in self._rows.get(path, ())]

    def chunks_of(self, paths: Sequence[str]) -> list[int]:
        return sorted(row.id for path in paths for row in self._rows.get(path, ()))

    def messages(self, ids: Sequence[int]) -> list[MessageLocation]:
        wanted = set(ids)
        found = {
            (message.id, path): message.line
            for path, file in self._files.items()
            for message in reversed(file.messages)
            if message.id in wanted
        }
        return [MessageLocation(number, path, line) for (number, path), line in sorted(found.items())]

    def message_ids(self, path: str) -> list[int]:
        return sorted({message.id for message in self._files[path].messages}) if path in self._files else []

    def conversations(self, prefix: str) -> list[IndexedConversation]:
        return [
            IndexedConversation(
                path, file.note._replace(aliases=(), tags=(), links=()), *_counted(self._rows.get(path, ()))
            )
            for path, file in sorted(self._files.items())
            if indexed_kind(path) == "transcript"
            and file.entry.tier == "transcript"
            and not file.entry.gone_at
            and path.startswith(prefix)
        ]

    def sessions(self, where: Where, limit: int) -> list[IndexedSession]:
        found = [
            IndexedSession(path=path, tier=file.entry.tier, agent=file.note.agent, first=file.day, last=last)
            for path, file in self._files.items()
            if file.entry.tier in ("episodic", "transcript") and not file.entry.gone_at
            if _belongs_to(file.note.project, where.bound_projects or None)
            and file.note.agent in (None, *(where.bound_agents or (file.note.agent,)))
            and (last := _last_day(self._rows.get(path, ())) or file.day) >= (where.since or "")
            and file.day <= (where.until or "~")
        ]
        return sorted(found, key=lambda one: (one.last, one.first, one.path), reverse=True)[:limit]

    def files_of_day(self, day: str, written: WrittenBetween, limit: int) -> FilesOfDay:
        chosen = [
            file
            for file in self._dated()
            if file.day == day
            or (file.entry.stamp is not None and written.first <= file.entry.stamp.mtime_ns < written.end)
        ]
        ordered = sorted(chosen, key=lambda one: (one.entry.tier != "daily", one.entry.path))
        return FilesOfDay(tuple(_to_dated(one) for one in ordered[:limit]), len(ordered))

    def last_day_before(self, day: str) -> str | None:
        return max((file.day for file in self._dated() if file.day < day), default=None)

    def _dated(self) -> list[Indexed]:
        return [
            file
            for path, file in self._files.items()
            if indexed_kind(path) in ("note", "transcript")
            and file.entry.tier not in (CONTAINER, UNKNOWN)
            and not file.entry.gone_at
        ]

    def scrub(self) -> None:
        """Text dropped from a dictionary leaves no trace."""

    def erase_deleted_words(self, now: float, *, if_quick: bool) -> None:
        """Words dropped from a dictionary leave no trace."""

    def notes(self, paths: Sequence[str]) -> dict[str, NoteEntry]:
        known = {path: self._files[path] for path in paths if path in self._files}
        return {path: NoteEntry(file.entry, file.note) for path, file in known.items() if not file.entry.gone_at}

    def titled(self, titles: Sequence[str]) -> dict[str, NoteEntry]:
        wanted = [ascii_lower(title) for title in titles]
        found = [path for path, file in self._files.items() if ascii_lower(file.note.title) in wanted]
        return self.notes([path for path in found if indexed_kind(path) == "note"])

    def projects(self) -> list[str]:
        of_files = {
            file.note.project
            for path, file in self._files.items()
            if indexed_kind(path) != "note" or file.entry.tier == "episodic"
        }
        of_lines = {row.chunk.project for row in self._all()}
        return sorted(name for name in of_files | of_lines if name is not None)

    def without_project(self) -> dict[str, str]:
        return {
            path: file.note.session
            for path, file in self._files.items()
            if file.note.project is None and file.note.session is not None and not file.entry.gone_at
            if file.entry.tier == "episodic" or indexed_kind(path) in MIRRORED_KINDS
        }

    def projects_of_logs(self) -> dict[str, str]:
        return {
            path: file.note.project
            for path, file in self._files.items()
            if file.entry.tier == "transcript" and file.note.project is not None
        }

    def counts(self) -> Counts:
        files = [entry for entry in self.files().values() if entry.tier not in (CONTAINER, UNKNOWN)]
        hidden = sum(1 for entry in files if entry.gone_at)
        logs = [entry for entry in files if kind_of(entry.path) == "transcript" and not entry.gone_at]
        return Counts(
            files=len(files) - hidden, chunks=sum(map(len, self._rows.values())), hidden=hidden, transcripts=len(logs)
        )

    def inventory(self) -> list[IndexedCount]:
        visible = [
            file
            for file in self._files.values()
            if not file.entry.gone_at and file.entry.tier not in (CONTAINER, UNKNOWN)
        ]
        counted = Counter(
            (indexed_kind(file.entry.path), file.entry.tier, file.note.project or "", file.day) for file in visible
        )
        return [
            IndexedCount(kind=kind, tier=tier, project=project or None, day=day, total=count)
            for (kind, tier, project, day), count in sorted(counted.items())
        ]

    def terms(self, text: str) -> list[Term]:
        return terms(text, self._tokenize)

    def stems(self, text: str) -> set[str]:
        return {term.stem for term in self.terms(text)}

    def statistics(self, terms: Sequence[Term]) -> Statistics:
        rows = list(self._all())
        average = sum(row.length for row in rows) / len(rows) if rows else 0.0
        return Statistics(len(rows), average, {term.stem: self._frequency(term, rows) for term in terms})

    def count_beginning(self, stem: str, most: int) -> int:  # noqa: ARG002
        return self._frequency(Term(stem, stem, prefix=True), list(self._all()))

    def _frequency(self, term: Term, rows: Sequence[_Row]) -> int:
        """Return the number of chunks with the word; of a prefix, the number of (chunk, word) pairs."""
        return sum(len({w for words in row.words for w in words if items.is_word(w, term)}) for row in rows)

    def item_statistics(self, kind: MirroredKind, terms: Sequence[Term]) -> Statistics:
        return items.statistics([words for _, words in self._items(kind)], terms)

    @contextmanager
    def item_matches(
        self,
        kind: MirroredKind,
        terms: Sequence[Term],
        shares: Mapping[str, float],  # noqa: ARG002
    ) -> Iterator[Iterator[ItemMatch]]:
        yield items.matches(self._items(kind), terms)

    def _items(self, kind: MirroredKind) -> list[tuple[int, Counter[str]]]:
        rows = [row for row in self._all() if indexed_kind(row.file.entry.path) == kind]
        column = list(COLUMNS).index(kind)
        return [(number_of(row.file.entry.path), row.words[column]) for row in rows]

    def match(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[Match]:
        rows = {row.id: row for row in self._all()}
        found = [_match(rows[chunk], terms) for chunk, _ in self.best(terms, where, limit, leading=leading)]
        return [match for match in found if match]

    def best(
        self, terms: Sequence[Term], where: Where, limit: int, *, leading: Collection[Term] | None = None
    ) -> list[tuple[int, float]]:
        statistics = self.statistics(terms)
        rows = list(self._all())
        usual = sum(row.size for row in rows) / len(rows) if rows else 1.0
        matches = [(row, m) for row in rows if _admits(where, row) and (m := _match(row, terms))]
        if leading is not None:
            promising = [(row, m) for row, m in matches if _leads(m, leading)]
            matches = promising if len(promising) >= limit else matches
        found = [(row.id, _bm25(m, row.size / usual, statistics)) for row, m in matches]
        found.sort(key=lambda pair: -pair[1])
        last = found[limit - 1][1] if len(found) >= limit else -math.inf
        return [(chunk, score) for chunk, score in found if score >= last]

    def look_up(self, chunks: Sequence[int], terms: Sequence[Term]) -> list[Match]:
        rows = {row.id: row for row in self._all()}
        found = [rows[chunk] for chunk in chunks if chunk in rows]
        return [
            _match(row, terms) or Match(passage=_passage(row), counts=(), length=0.0, chunk=row.id) for row in found
        ]

    def neighbours(self, chunks: Sequence[int]) -> dict[int, tuple[Neighbour | None, Neighbour | None]]:
        found: dict[int, tuple[Neighbour | None, Neighbour | None]] = dict.fromkeys(chunks, (None, None))
        for rows in self._rows.values():
            near = [Neighbour(row.id, row.chunk.speaker, "?" in row.chunk.text) for row in rows]
            for row, before, after in zip(rows, [None, *near], [*near[1:], None], strict=False):
                if row.id in found:
                    found[row.id] = (before, after)
        return found

    def admitted(self, where: Where) -> list[int] | None:
        is_only = where.held is not None and where.held.only
        if where._replace(shared=False, unlisted=False, held=None) == Where() and not is_only:
            return None
        return sorted(row.id for row in self._all() if _admits(where, row))

    def texts_after(self, chunk: int, limit: int) -> list[ChunkText]:
        rows = sorted((row for row in self._all() if row.id > chunk), key=lambda row: row.id)
        return [_chunk_text(row) for row in rows[:limit]]

    def count_after(self, chunk: int) -> int:
        return sum(1 for row in self._all() if row.id > chunk)

    def passage(self, path: str, digest: str, number: int) -> Passage | None:
        for row in self._rows.get(path, ()):
            if row.chunk.digest.startswith(digest) and row.number == number:
                return _passage(row)
        return None

    def get_meta(self, key: str) -> str | None:
        return self._meta.get(key)

    def put_meta(self, values: Mapping[str, str | None]) -> None:
        for key, value in values.items():
            self._meta.pop(key, None)
            if value is not None:
                self._meta[key] = value

    def problems(self) -> tuple[Problem, ...]:
        return self._problems

    def put_problems(self, problems: Sequence[Problem]) -> None:
        self._problems = tuple(sorted(problems))

    def close(self) -> None:
        pass

    def _all(self) -> Iterator[_Row]:
        for rows in self._rows.values():
            yield from rows


def _to_dated(file: Indexed) -> DatedFile:
    note = file.note
    return DatedFile(
        path=file.entry.path,
        tier=file.entry.tier,
        title=note.title,
        day=file.day,
        agent=note.agent,
        project=note.project,
        session=note.session,
        is_private=note.privacy == "private",
    )


def _counted(rows: Sequence[_Row]) -> tuple[int, str | None]:
    days = [row.chunk.date for row in rows if row.chunk.date]
    return len({row.chunk.start_line for row in rows}), max(days, default=None)


def _last_day(rows: Sequence[_Row]) -> str | None:
    """Return the day of the last turn. Dates of headings in a session note are not when it ended."""
    return rows[-1].chunk.date if rows and rows[-1].chunk.speaker is not None else None


def _belongs_to(project: str | None, patterns: tuple[str, ...] | None) -> bool:
    """Return whether it is a project that the patterns mean; without patterns, whether there is none."""
    if patterns is None or project is None:
        return patterns is None and project is None
    return any(means(one, project) for one in patterns)


def _match(row: _Row, terms: Sequence[Term]) -> Match | None:
    counts = tuple(
        (term.stem, shown_column(column), count)
        for term in terms
        for column, words in zip(COLUMNS, row.words, strict=True)
        if (count := sum(n for word, n in words.items() if items.is_word(word, term)))
    )
    return Match(passage=_passage(row), counts=counts, length=row.length, chunk=row.id) if counts else None


def _bm25(match: Match, length: float, statistics: Statistics) -> float:
    """Compute BM25 as FTS5 does, so that both agree on the best. The usual length is 1."""
    weighted: Counter[str] = Counter()
    for stem, column, count in match.counts:
        weighted[stem] += count * COLUMNS[column]  # type: ignore[assignment]
    norm = 0.25 + 0.75 * length
    total = 0.0
    for stem, count in weighted.items():
        n = statistics.frequencies[stem]
        idf = math.log((statistics.chunks - n + 0.5) / (n + 0.5)) if 2 * n < statistics.chunks else 0.0
        total += max(idf, 1e-6) * count * 2.2 / (count + 1.2 * norm)
    return total


def _leads(match: Match, leading: Collection[Term]) -> bool:
    held = {stem for stem, _, _ in match.counts}
    return len(held) > 1 or any(term.stem in held for term in leading)


def _passage(row: _Row) -> Passage:
    file, chunk = row.file, row.chunk
    return Passage(
        path=file.entry.path,
        tier=file.entry.tier,
        title=file.note.title,
        date=chunk.date or file.note.date,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        headings=chunk.headings,
        text=chunk.text,
        digest=chunk.digest,
        number=row.number,
        speaker=chunk.speaker,
        project=chunk.project or file.note.project,
        valid_from=file.validity.first if file.validity else None,
        valid_to=file.validity.last if file.validity else None,
        superseded_by=file.validity.superseded_by if file.validity else file.note.superseded,
        written=file.day,
        privacy="private" if chunk.private else file.note.privacy,
    )


def _chunk_text(row: _Row) -> ChunkText:
    file, chunk = row.file, row.chunk
    return ChunkText(
        chunk=row.id,
        digest=chunk.digest,
        text=chunk.text,
        path=file.entry.path,
        tags=file.note.tags,
        is_private=chunk.private or file.note.privacy == "private",
    )


def _admits(where: Where, row: _Row) -> bool:
    file, note = row.file, row.file.note
    return (
        (file.listed or where.unlisted or _held(file, where.held))
        and _was_known(row, where.held)
        and (row.chunk.rules or not where.rules)
        and (not where.kinds or indexed_kind(file.entry.path) in where.kinds)
        and (not where.tiers or file.entry.tier in where.tiers)
        and (not where.paths or any(is_below(file.entry.path, path) for path in where.paths))
        and (not where.tags or any(_tagged(note.tags, tag) for tag in where.tags))
        and (not where.agents or note.agent in where.agents or (where.shared and note.agent is None))
        and _is_of(row, [one for name in where.projects for one in name_patterns(name)], shared=where.shared)
        and (not where.bound_agents or note.agent in (None, *where.bound_agents))
        and belongs(note.project, where.bound_projects)
        and belongs(row.chunk.project, where.bound_projects)
        and (where.private or not (row.chunk.private or note.privacy == "private"))
        and not is_hidden(file.entry.path, note.tags, where.hidden)
        and (where.since is None or (row.chunk.date or file.day) >= where.since)
        and (where.until is None or (row.chunk.date or file.day) <= where.until)
    )


def _held(file: Indexed, held: Held | None) -> bool:
    """Return whether it is a memory that held on one of these days."""
    return held is not None and file.validity is not None and file.validity.overlaps(held.first, held.last)


def _was_known(row: _Row, held: Held | None) -> bool:
    if held is None or not held.only:
        return True
    is_said = (row.chunk.date or row.file.note.date or "") <= held.last
    return is_said and (row.file.validity is None or _held(row.file, held))


def _is_of(row: _Row, patterns: Sequence[str], *, shared: bool) -> bool:
    project = row.chunk.project or row.file.note.project
    return not patterns or (shared if project is None else any(means(one, project) for one in patterns))


def _tagged(tags: Sequence[str], wanted: str) -> bool:
    return any(tag == wanted or tag.startswith(f"{wanted}/") for tag in tags)
