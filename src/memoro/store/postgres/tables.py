"""The tables of a shared ledger: which columns each has, what names a row, and who may see it.

A row in Postgres is the row of the local copy (store/sqlite/ledger/schema.py) with three columns before it: its
tenant, its owner, and the revision that wrote it last.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Part = Literal["ledger", "archive"]
# by visibility: a private row belongs to the person who wrote it, and a shared one to nobody. A row of a person
# follows them to every machine; one of a node tells of a write to the notes of one machine.
Seen = Literal["by everybody", "by visibility", "by its person", "by its node"]
ColumnType = Literal[
    "bigint", "double precision", "text", "bytea", "json"
]  # json: as text, so that it may hold anything

SHARED = ""  # the owner of rows that all people of a tenant see


class Column(NamedTuple):
    name: str
    type: ColumnType
    required: bool

    @property
    def on_server(self) -> str:
        return f'"{self.name}" {"text" if self.type == "json" else self.type}{" NOT NULL" if self.required else ""}'


class Table(NamedTuple):
    name: str  # in the local copy
    part: Part
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    seen: Seen

    @property
    def on_server(self) -> str:
        return self.name if self.part == "ledger" else f"archive_{self.name}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def is_personal(self) -> bool:
        """Each person, or each node, numbers these rows for itself."""
        return self.seen in ("by its person", "by its node")

    @property
    def server_key(self) -> tuple[str, ...]:
        """The columns that name a row among those of all tenants."""
        return ("tenant", "owner", *self.key) if self.is_personal or self.name == "links" else ("tenant", *self.key)


def _columns(text: str) -> tuple[Column, ...]:
    """Parse `name type` lines; an exclamation mark after the type forbids NULL."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, type = line.partition(" ")
        found.append(Column(name, type.rstrip("!"), type.endswith("!")))  # type: ignore[arg-type]
    return tuple(found)


_MEMORY_COLUMNS = _columns("""
    id bigint!
    feedback bigint!
    trust text!
    created_at text!
    hit_at text
    superseded_by bigint
    superseded_at text
    valid_from text
    valid_to text
    digest bytea!
    source text!
    agent text
    project text
    session text
    task text
    narrative bigint
    parents text!
    origin text
    tags text!
    content text!
""")
_META_COLUMNS = _columns("""
    key text!
    value text!
""")

LEDGER_TABLES = (
    Table("meta", "ledger", _META_COLUMNS, ("key",), "by everybody"),
    Table("memories", "ledger", _MEMORY_COLUMNS, ("id",), "by visibility"),
    Table(
        "journal",
        "ledger",
        # An item is a number or the path of a note; JSON tells them apart.
        _columns("""
            id bigint!
            at text!
            operation text!
            actor text!
            agent text
            kind text!
            item json!
            before text
            after text
            undoes bigint
            undone_by bigint
            proposal bigint
            person text
        """),
        ("id",),
        "by visibility",
    ),
    Table(
        "contents",
        "ledger",
        _columns("""
            id bigint!
            digest bytea!
            data bytea!
        """),
        ("id",),
        "by its person",
    ),
    Table("pending", "ledger", _columns("entry bigint!"), ("entry",), "by its node"),
    Table(
        "lines",
        "ledger",
        _columns("""
            entry bigint!
            path text!
            line text!
            seen bytea!
            returned bigint!
        """),
        ("entry",),
        "by its node",
    ),
    Table(
        "proposals",
        "ledger",
        _columns("""
            id bigint!
            at text!
            actor text!
            agent text
            operation text!
            detail text!
            state text!
            settled_at text
            evidence text!
            origin text!
            score double precision
            expires_at text
            project text
            reason text!
        """),
        ("id",),
        "by visibility",
    ),
    Table(
        "keys",
        "ledger",
        _columns("""
            key bytea!
            request bytea!
            result text!
            at text!
        """),
        ("key",),
        "by its person",
    ),
    Table(
        "given",
        "ledger",
        _columns("""
            session text!
            answer bigint!
            memory bigint!
            at text!
            reinforced bigint!
        """),
        ("session", "answer", "memory"),
        "by its person",
    ),
    Table(
        "links",
        "ledger",
        _columns("""
            low bigint!
            high bigint!
            strength double precision!
            at text!
        """),
        ("low", "high"),
        "by visibility",
    ),
    Table(
        "narratives",
        "ledger",
        _columns("""
            id bigint!
            created_at text!
            previous bigint
            source text!
            session text
            agent text
            project text
            summary text!
        """),
        ("id",),
        "by visibility",
    ),
    Table(
        "rests_on",
        "ledger",
        _columns("""
            narrative bigint!
            position bigint!
            memory bigint!
        """),
        ("narrative", "position"),
        "by visibility",
    ),
    Table(
        "forgotten",
        "ledger",
        _columns("""
            digest bytea!
            at text!
        """),
        ("digest",),
        "by everybody",
    ),
    Table(
        "experiences",
        "ledger",
        _columns("""
            id bigint!
            type text!
            success double precision!
            uses bigint!
            outcomes bigint!
            trust text!
            created_at text!
            used_at text
            archived_at text
            digest bytea!
            source text!
            agent text
            project text
            session text
            tags text!
            intent text!
            solution_json text!
        """),
        ("id",),
        "by visibility",
    ),
    Table(
        "sessions",
        "ledger",
        _columns("""
            id text!
            started_at text!
            archived_at text
            agent text
            project text
            title text
            bound text!
        """),
        ("id",),
        "by its person",
    ),
    Table(
        "recalls",
        "ledger",
        _columns("""
            id bigint!
            session text!
            key bytea
            at text!
            form text!
            message text!
            boundary text!
            detail bytea!
        """),
        ("id",),
        "by its person",
    ),
    Table(
        "recalled",
        "ledger",
        _columns("""
            recall bigint!
            position bigint!
            item text!
            content bigint
            feedback text
        """),
        ("recall", "position"),
        "by its person",
    ),
    Table(
        "items",
        "ledger",
        _columns("""
            id bigint!
            store text!
            namespace text!
            key text!
            created_at text!
            updated_at text!
            version bigint!
            ttl double precision
            expires_at text
            session text
            value text!
        """),
        ("id",),
        "by everybody",
    ),
)
ARCHIVE_TABLES = (
    Table("meta", "archive", _META_COLUMNS, ("key",), "by everybody"),
    Table("memories", "archive", _MEMORY_COLUMNS, ("id",), "by visibility"),
)
TABLES = LEDGER_TABLES + ARCHIVE_TABLES

# Tables whose rows are numbered; a number is never given twice. Recalls are numbered for each person.
NUMBERED = ("memories", "journal", "experiences", "narratives", "proposals", "recalls")
NUMBERED_BY_PERSON = ("recalls",)


def tables_of(part: Part) -> tuple[Table, ...]:
    return LEDGER_TABLES if part == "ledger" else ARCHIVE_TABLES
