"""Queries of an index as SQL, and its rows as values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import apsw

from memoro.model.answers import Held, Match, Passage, Term, Where
from memoro.model.notes import FileEntry, Note, Stamp
from memoro.model.projects import ascii_lower, name_patterns
from memoro.store.ports import COLUMNS, ChunkText, NoteEntry, shown_column
from memoro.store.terms import match_any

if TYPE_CHECKING:
    from memoro.model.figures import IndexedCount

_WEIGHTS = ", ".join(map(str, COLUMNS.values()))
_BEST = f"SELECT rowid, bm25(words, {_WEIGHTS}) AS rank FROM words WHERE words MATCH ? {{}} ORDER BY rank LIMIT ?"
_COLUMN_WEIGHTS = tuple(enumerate(COLUMNS.values()))
_SHOWN = tuple(map(shown_column, COLUMNS))
_HELD = "(f.valid_from <= ? AND coalesce(f.valid_to, '~') >= ?)"  # by the last and the first of some days
_TAGGED = "EXISTS (SELECT 1 FROM tags t WHERE t.file = f.id AND (t.tag = ? OR (t.tag >= ? AND t.tag < ?)))"
PASSAGE = """
    SELECT c.id, f.path, f.tier, f.title, coalesce(c.date, f.date), c.speaker,
           c.start_line, c.end_line, c.headings, c.text, c.digest, c.number, coalesce(c.project, f.project),
           f.valid_from, f.valid_to, f.superseded_by, f.day,
           CASE WHEN c.private THEN 'private' ELSE f.privacy END
      FROM chunks c JOIN files f ON f.id = c.file"""

NOTE = """
    SELECT path, tier, digest, title, date, agent, project,
           CASE WHEN valid_from IS NULL THEN superseded_by END, privacy, session, aliases, links,
           (SELECT group_concat(tag, char(10) ORDER BY position) FROM tags WHERE file = files.id)
      FROM files"""
_DATED = "kind IN ('note', 'transcript')"  # exactly as the indexes by day and by write say it
_OF_DAY = f"""
      FROM files WHERE gone_at IS NULL AND tier NOT IN ('container', 'unknown')
       AND id IN (SELECT id FROM files WHERE {_DATED} AND day = ?
                  UNION SELECT id FROM files WHERE {_DATED} AND mtime_ns >= ? AND mtime_ns < ?)"""
OF_DAY = f"""
    SELECT path, tier, title, day, agent, project, session, privacy = 'private' {_OF_DAY}
     ORDER BY tier <> 'daily', path LIMIT ?"""
COUNT_OF_DAY = f"SELECT count(*) {_OF_DAY}"
LAST_DAY_BEFORE = f"""
    SELECT day FROM files WHERE {_DATED} AND day < ? AND gone_at IS NULL AND tier NOT IN ('container', 'unknown')
     ORDER BY day DESC LIMIT 1"""
TEXTS = """
    SELECT c.id, c.digest, c.text, f.path, c.private OR f.privacy = 'private',
           (SELECT group_concat(tag, char(10) ORDER BY position) FROM tags WHERE file = f.id)
      FROM chunks c JOIN files f ON f.id = c.file WHERE c.id > ? ORDER BY c.id LIMIT ?"""
INVENTORY = """
    SELECT kind, tier, project, day, count(*) FROM files
     WHERE id > ? AND id <= ? AND gone_at IS NULL AND tier NOT IN ('container', 'unknown') GROUP BY 1, 2, 3, 4"""
PROJECTS = """
    SELECT project FROM files WHERE project IS NOT NULL AND (kind <> 'note' OR tier = 'episodic')
     UNION SELECT project FROM chunks WHERE project IS NOT NULL ORDER BY 1"""

WITHOUT_PROJECT = """
    SELECT path, session FROM files WHERE project IS NULL AND session IS NOT NULL AND gone_at IS NULL
       AND (tier = 'episodic' OR kind IN ('memory', 'experience', 'narrative'))"""
PROJECTS_OF_LOGS = "SELECT path, project FROM files WHERE tier = 'transcript' AND project IS NOT NULL"


def inventory(db: apsw.Connection, after: int, last: int) -> list[tuple[Any, ...]]:
    """Count the files with these numbers by kind, tier, project and day."""
    return cast("list[tuple[Any, ...]]", db.execute(INVENTORY, (after, last)).fetchall())


def to_inventory(counts: Mapping[tuple[Any, ...], int]) -> list[IndexedCount]:
    from memoro.model.figures import IndexedCount  # only where somebody asks for figures

    ordered = sorted(counts, key=lambda key: tuple(part or "" for part in key))
    return [IndexedCount._make((*key, counts[key])) for key in ordered]


def best_rows(
    db: apsw.Connection, terms: Sequence[Term], leading: Collection[Term] | None, where: Where, limit: int
) -> list[tuple[int, float]]:
    condition, values = _condition(where)
    promising = _promising(terms, leading) if leading is not None else None
    if promising:
        narrower = f"AND +rowid IN (SELECT rowid FROM words WHERE words MATCH ?) {condition}"
        rows = _first(db, narrower, [match_any(terms), promising, *values], limit)
        if len(rows) >= limit:
            return rows
    return _first(db, condition, [match_any(terms), *values], limit)


def _first(db: apsw.Connection, condition: str, values: list[str], limit: int) -> list[tuple[int, float]]:
    """Return the best rows with their BM25, and all that tie with the last: row numbers must not decide the cut."""
    query = _BEST.format(condition)
    asked = 4 * limit  # mostly with all that tie, so that the walk is not repeated for them
    rows = cast("list[tuple[int, float]]", db.execute(query, (*values, asked)).fetchall())
    if len(rows) > limit:
        last = rows[limit - 1][1]
        if len(rows) == asked and rows[-1][1] == last:
            rows = cast("list[tuple[int, float]]", db.execute(query, (*values, -1)).fetchall())
        rows = [(row, score) for row, score in rows if score <= last]
    return [(row, -score) for row, score in rows]


def _condition(where: Where) -> tuple[str, list[str]]:
    """Return the filters as a condition on the word index, applied before the ranking."""
    query, values = admitted_query(where)
    if not query and not where.unlisted:
        hidden, values = unlisted_query(where.held)
        return f"AND +rowid NOT IN ({hidden})", values
    if query and not where.paths and not where.tags:
        # Most passages pass: to look at each match costs less than to list all that pass.
        return f"AND EXISTS ({query} AND c.id = words.rowid)", values
    # The plus keeps the planner from running the word query again for every admitted row.
    return (f"AND +rowid IN ({query})" if query else "", values)


def admitted_query(where: Where) -> tuple[str, list[str]]:
    """Return the filters as a query for the chunks that pass them; empty if all do, or all listed ones."""
    clauses: list[str] = []
    values: list[str] = []

    def any_of(options: list[tuple[str, tuple[str, ...]]]) -> None:
        if options:
            clauses.append("(" + " OR ".join(clause for clause, _ in options) + ")")
            values.extend(value for _, bound in options for value in bound)

    any_of([("c.rules = 1", ())] if where.rules else [])
    any_of([("f.kind = ?", (kind,)) for kind in where.kinds])
    any_of([("f.tier = ?", (tier,)) for tier in where.tiers])
    any_of([_path_clause(path) for path in where.paths])
    any_of([(_TAGGED, _below(tag)) for tag in where.tags])
    any_of(_named("f.agent", where.agents, where.shared))
    wanted = [one for name in where.projects for one in name_patterns(name)]
    any_of(_of_projects("coalesce(c.project, f.project)", wanted, shared=where.shared))
    any_of(_named("f.agent", where.bound_agents, shared=True))
    any_of(_of_projects("f.project", where.bound_projects, shared=True))
    any_of(_no_foreign_lines(where.bound_projects))
    for alternatives in _without_private(where):
        any_of(alternatives)
    any_of([("coalesce(c.date, f.day) >= ?", (where.since,))] if where.since else [])
    any_of([("coalesce(c.date, f.day) <= ?", (where.until,))] if where.until else [])
    held = where.held
    any_of([("coalesce(c.date, f.date, '') <= ?", (held.last,))] if held and held.only else [])
    any_of([("f.valid_from IS NULL", ()), (_HELD, (held.last, held.first))] if held and held.only else [])
    if not clauses:
        return "", []
    if not where.unlisted:
        any_of([("f.listed = 1", ()), *([(_HELD, (held.last, held.first))] if held else [])])
    return f"SELECT c.id FROM files f JOIN chunks c ON c.file = f.id WHERE {' AND '.join(clauses)}", values


def sessions_query(where: Where, limit: int) -> tuple[str, list[str | int]]:
    """Return the query of `Index.sessions`. Messages stand in order, so that the last one has the last day."""
    clauses, values = ["f.tier IN ('episodic', 'transcript')", "f.gone_at IS NULL"], list[str | int]()
    own = _of_projects("f.project", where.bound_projects, shared=False) or [("f.project IS NULL", ())]
    for options in (own, _named("f.agent", where.bound_agents, shared=True)):
        if options:
            clauses.append("(" + " OR ".join(clause for clause, _ in options) + ")")
            values.extend(value for _, bound in options for value in bound)
    of_turns = "SELECT c.date FROM chunks c WHERE c.file = f.id AND c.speaker IS NOT NULL"
    last = f"coalesce(({of_turns} ORDER BY c.position DESC LIMIT 1), f.day)"
    each = (
        f"SELECT f.path, f.tier, f.agent, f.day AS first, {last} AS last FROM files f WHERE {' AND '.join(clauses)}"
    )
    query = f"""
        SELECT path, tier, agent, first, last FROM ({each})
         WHERE last >= ? AND first <= ? ORDER BY last DESC, first DESC, path DESC LIMIT ?"""
    return query, [*values, where.since or "", where.until or "~", limit]


def unlisted_query(held: Held | None) -> tuple[str, list[str]]:
    """Return the query for the chunks that the view leaves out."""
    query = "SELECT c.id FROM files f JOIN chunks c ON c.file = f.id WHERE f.listed = 0"
    return (f"{query} AND {_HELD} IS NOT 1", [held.last, held.first]) if held else (query, [])


def _of_projects(column: str, patterns: Sequence[str], *, shared: bool) -> list[tuple[str, tuple[str, ...]]]:
    """Return the clauses of `model.projects.means`."""
    if not patterns:
        return []
    names = tuple(one for one in patterns if not one.startswith("*"))
    endings = [one[1:] for one in patterns if one.startswith("*")]
    unowned: list[tuple[str, tuple[str, ...]]] = [(f"{column} IS NULL", ())] if shared else []
    return [
        *unowned,
        (f"{column} COLLATE NOCASE IN ({', '.join('?' * len(names))})", names),
        *((f"substr({column}, -{len(one)}) = ? COLLATE NOCASE", (one,)) for one in endings),
    ]


def _no_foreign_lines(patterns: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the clause that leaves out lines of daily notes that belong to other projects.

    Such lines are few and have an index of their own: to look at the project of every chunk would read them all.
    """
    if not patterns:
        return []
    own = _of_projects("d.project", patterns, shared=False)
    mine = " OR ".join(clause for clause, _ in own)
    foreign = f"SELECT d.id FROM chunks d WHERE d.project IS NOT NULL AND NOT ({mine})"
    return [(f"c.id NOT IN ({foreign})", tuple(value for _, bound in own for value in bound))]


def _without_private(where: Where) -> list[list[tuple[str, tuple[str, ...]]]]:
    """Return the clauses that leave out what is private. Private passages have an index of their own."""
    own: list[tuple[str, tuple[str, ...]]] = [("f.privacy <> 'private'", ())]
    lines: list[tuple[str, tuple[str, ...]]] = [("c.id NOT IN (SELECT d.id FROM chunks d WHERE d.private = 1)", ())]
    hidden = [
        (_TAGGED, _below(one.strip("#/").casefold()))
        if one.startswith("#")
        else _path_clause(ascii_lower(one.rstrip("/")), "lower(f.path)")
        for one in where.hidden
    ]
    named = [[(f"NOT ({clause})", values)] for clause, values in hidden]
    return [*([] if where.private else [own, lines]), *named]


def _named(column: str, names: Sequence[str], shared: bool) -> list[tuple[str, tuple[str, ...]]]:
    unowned: list[tuple[str, tuple[str, ...]]] = [(f"{column} IS NULL", ())] if names and shared else []
    return [*((f"{column} = ?", (name,)) for name in names), *unowned]


def _path_clause(path: str, column: str = "f.path") -> tuple[str, tuple[str, ...]]:
    if any(character in path for character in "*?["):
        return f"{column} GLOB ?", (path.replace("[!", "[^"),)
    return f"{column} = ? OR ({column} >= ? AND {column} < ?)", _below(path.rstrip("/"))


def _below(name: str) -> tuple[str, str, str]:
    """Return the name itself and the bounds of everything nested below it: "0" is the character after "/"."""
    return name, f"{name}/", f"{name}0"


def prefix_range(prefix: str) -> tuple[str, str]:
    return prefix, prefix + "\U0010ffff"


def _promising(terms: Sequence[Term], leading: Collection[Term]) -> str | None:
    """Return an expression for rows with one of the leading terms or two others; None if that excludes nothing."""
    others = [term for term in terms if term not in leading]
    if not others:
        return None
    pairs = (f"({match_any([one])} AND ({match_any(others[i:])}))" for i, one in enumerate(others[:-1], 1))
    return " OR ".join(filter(None, (match_any([term for term in terms if term in leading]), *pairs)))


def evidence(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    """Return the weighted length of the row, then term, column and count for each column that holds a term."""
    found = [repr(sum([weight * api.column_size(column) for column, weight in _COLUMN_WEIGHTS]))]
    for term in range(api.phrase_count):
        for column in api.phrase_columns(term):
            found.append(f"{term} {column} {len(api.phrase_column_offsets(term, column))}")
    return " ".join(found)


def totals(api: apsw.FTS5ExtensionApi, *_: object) -> str:
    words = sum(weight * api.column_total_size(column) for column, weight in enumerate(COLUMNS.values()))
    return f"{api.row_count} {words!r}"


def to_note(row: tuple[Any, ...]) -> NoteEntry:
    path, tier, digest, title, date, agent, project, superseded, privacy, session, aliases, links, tags = row
    note = Note(
        title=title,
        aliases=split_lines(aliases),
        tags=split_lines(tags),
        links=split_lines(links),
        date=date,
        agent=agent,
        project=project,
        superseded=superseded,
        privacy=privacy,
        session=session,
    )
    return NoteEntry(FileEntry(path=path, tier=tier, digest=digest, stamp=None), note)


def to_chunk_text(row: tuple[Any, ...]) -> ChunkText:
    chunk, digest, text, path, is_private, tags = row
    return ChunkText(
        chunk=chunk,
        digest=digest,
        text=text,
        path=path,
        tags=tuple(tags.split("\n")) if tags else (),
        is_private=bool(is_private),
    )


def to_passage(row: tuple[Any, ...]) -> Passage:
    _, path, tier, title, date, speaker, first, last, headings, text, digest, number, project, *validity = row
    return Passage(
        path=path,
        tier=tier,
        title=title,
        date=date,
        start_line=first,
        end_line=last,
        headings=split_lines(headings),
        text=text,
        digest=digest,
        number=number,
        speaker=speaker,
        project=project,
        valid_from=validity[0],
        valid_to=validity[1],
        superseded_by=validity[2],
        written=validity[3],
        privacy=validity[4],
    )


def to_match(chunk: int, passage: Passage, evidence: str | None, terms: Sequence[Term]) -> Match:
    if evidence is None:
        return Match(passage=passage, counts=(), length=0.0, chunk=chunk)
    length, *counts = evidence.split()
    numbers = map(int, counts)
    found = tuple([(terms[t].stem, _SHOWN[c], n) for t, c, n in zip(numbers, numbers, numbers, strict=True)])
    return Match(passage=passage, counts=found, length=float(length), chunk=chunk)


def to_entry(row: tuple[Any, ...]) -> FileEntry:
    path, tier, digest, size, mtime, ctime, inode, gone, emptied, cursor = row
    # By position: a search makes one for every file of the vault, and keywords take nearly twice as long.
    stamp = None if mtime is None else Stamp(size, mtime, ctime, inode)
    return FileEntry(path, tier, digest, stamp, gone, emptied == 1, cursor)


def joined_lines(items: Sequence[str]) -> str:
    """Join items by line ends, which no item contains."""
    return "\n".join(items)


def split_lines(listed: str | None) -> tuple[str, ...]:
    return tuple(listed.split("\n")) if listed else ()
