"""The tables of the ledger and of the archive. docs/formats.md explains them to someone without this program."""

from __future__ import annotations

from memoro.model.vocabulary import PROPOSAL_ORIGINS, TRUSTS
from memoro.store.terms import TOKENIZER

# Raised whenever the tables change; MIGRATIONS then says how to come from the format before. A ledger of a
# newer format is left alone.
FORMAT = 8
ARCHIVE_FORMAT = 2  # of archive.db, which has tables of its own

_tokenize = " ".join("'" + part.replace("'", "''") + "'" if " " in part else part for part in TOKENIZER)
_trust = ", ".join(f"'{level}'" for level in TRUSTS)
_origins = ", ".join(f"'{origin}'" for origin in PROPOSAL_ORIGINS)


# What is small stands first and the text last: ranking reads the one and not the other.
_MEMORIES = f"""
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    feedback INTEGER NOT NULL,
    trust TEXT NOT NULL CHECK (trust IN ({_trust})),
    created_at TEXT NOT NULL,
    hit_at TEXT,
    superseded_by INTEGER,
    superseded_at TEXT,
    valid_from TEXT,
    valid_to TEXT,
    digest BLOB NOT NULL,
    source TEXT NOT NULL CHECK (source <> ''),
    agent TEXT,
    project TEXT,
    session TEXT,
    task TEXT,
    narrative INTEGER,
    parents TEXT NOT NULL,
    origin TEXT,
    tags TEXT NOT NULL,
    content TEXT NOT NULL CHECK (content <> '')
);
CREATE INDEX memories_by_digest ON memories (digest);
CREATE INDEX memories_by_feedback ON memories (feedback);
CREATE INDEX memories_by_beginning ON memories (valid_from) WHERE valid_from IS NOT NULL;
CREATE INDEX memories_by_end ON memories (valid_to) WHERE valid_to IS NOT NULL;
"""

# An experience that faded is marked, and stays here: it is small, and comes back when it is used again.
_EXPERIENCES = f"""
CREATE TABLE experiences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL CHECK (type IN ('tool_chain', 'task_solution', 'error_recovery', 'user_preference')),
    success REAL NOT NULL CHECK (success BETWEEN 0 AND 1),
    uses INTEGER NOT NULL,
    outcomes INTEGER NOT NULL,
    trust TEXT NOT NULL CHECK (trust IN ({_trust})),
    created_at TEXT NOT NULL,
    used_at TEXT,
    archived_at TEXT,
    digest BLOB NOT NULL,
    source TEXT NOT NULL CHECK (source <> ''),
    agent TEXT,
    project TEXT,
    session TEXT,
    tags TEXT NOT NULL,
    intent TEXT NOT NULL CHECK (intent <> ''),
    solution_json TEXT NOT NULL CHECK (solution_json <> '')
);
CREATE INDEX experiences_by_digest ON experiences (digest);
"""

# What was put before an agent: each recall with its items, as they were. The texts stand in `contents`.
_SESSIONS = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    archived_at TEXT,
    agent TEXT,
    project TEXT,
    title TEXT,
    bound TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE recalls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES sessions,
    key BLOB UNIQUE,
    at TEXT NOT NULL,
    form TEXT NOT NULL,
    message TEXT NOT NULL,
    boundary TEXT NOT NULL,
    detail BLOB NOT NULL
);
CREATE INDEX recalls_by_session ON recalls (session);
CREATE TABLE recalled (
    recall INTEGER NOT NULL REFERENCES recalls,
    position INTEGER NOT NULL,
    item TEXT NOT NULL,
    content INTEGER REFERENCES contents ON DELETE SET NULL,
    feedback TEXT,
    PRIMARY KEY (recall, position)
) WITHOUT ROWID;
CREATE INDEX recalled_by_item ON recalled (item);
CREATE INDEX recalled_by_content ON recalled (content);
"""

# What frameworks keep by namespace (a JSON array) and key. The numbers are those of memories: where an item says
# something, it is found as the memory of its number.
_ITEMS = """
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    store TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    version INTEGER NOT NULL,
    ttl REAL,
    expires_at TEXT,
    session TEXT,
    value TEXT NOT NULL,
    UNIQUE (store, namespace, key)
);
CREATE INDEX items_by_end ON items (expires_at) WHERE expires_at IS NOT NULL;
"""

# Format 3 added these. No state says that an open proposal has expired: the time does.
_PROPOSALS_WITH_EVIDENCE = f"""
ALTER TABLE proposals ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';
ALTER TABLE proposals ADD COLUMN origin TEXT NOT NULL DEFAULT 'agent' CHECK (origin IN ({_origins}));
ALTER TABLE proposals ADD COLUMN score REAL;
ALTER TABLE proposals ADD COLUMN expires_at TEXT;
"""

# Format 5 added this: the project of the session that made a proposal.
_PROPOSALS_WITH_PROJECT = "ALTER TABLE proposals ADD COLUMN project TEXT;\n"

# Format 6 added these: why a change is proposed, the proposal that a change carried out, and a way to facts that have
# ended, by where they were said.
_CURATION = """
ALTER TABLE proposals ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE journal ADD COLUMN proposal INTEGER;
CREATE INDEX journal_by_proposal ON journal (proposal) WHERE proposal IS NOT NULL;
CREATE INDEX memories_by_source_that_ended ON memories (origin) WHERE source = 'extraction' AND valid_to IS NOT NULL;
"""

# Format 7 added these: ways to the changes and recalls of a day, and to the proposals that wait or were decided last.
_DAYS = """
CREATE INDEX journal_by_time ON journal (at);
CREATE INDEX recalls_by_time ON recalls (at);
CREATE INDEX proposals_that_wait ON proposals (id) WHERE state = 'open';
CREATE INDEX proposals_by_decision ON proposals (settled_at) WHERE settled_at IS NOT NULL;
"""

# Format 8 added this: the person who made a change, where people share the ledger.
_PERSON = "ALTER TABLE journal ADD COLUMN person TEXT;\n"

LEDGER = f"""
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
{_MEMORIES}
CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor <> ''),
    agent TEXT,
    kind TEXT NOT NULL,
    item NOT NULL,
    before TEXT,
    after TEXT,
    undoes INTEGER REFERENCES journal,
    undone_by INTEGER REFERENCES journal
);
CREATE INDEX journal_by_item ON journal (kind, item);

CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    data BLOB NOT NULL
);
CREATE TABLE pending (
    entry INTEGER PRIMARY KEY REFERENCES journal
);
CREATE TABLE lines (
    entry INTEGER PRIMARY KEY REFERENCES journal,
    path TEXT NOT NULL,
    line TEXT NOT NULL,
    seen BLOB NOT NULL,
    returned INTEGER NOT NULL DEFAULT 0 CHECK (returned IN (0, 1))
);
CREATE TABLE proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor <> ''),
    agent TEXT,
    operation TEXT NOT NULL,
    detail TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'rejected')),
    settled_at TEXT
);
{_PROPOSALS_WITH_EVIDENCE}{_PROPOSALS_WITH_PROJECT}{_CURATION}{_PERSON}
CREATE TABLE keys (
    key BLOB PRIMARY KEY,
    request BLOB NOT NULL,
    result TEXT NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE given (
    session TEXT NOT NULL,
    answer INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    at TEXT NOT NULL,
    reinforced INTEGER NOT NULL DEFAULT 0 CHECK (reinforced IN (0, 1)),
    PRIMARY KEY (session, answer, memory)
) WITHOUT ROWID;
CREATE INDEX given_by_memory ON given (memory, at);

CREATE TABLE links (
    low INTEGER NOT NULL,
    high INTEGER NOT NULL CHECK (high > low),
    strength REAL NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (low, high)
) WITHOUT ROWID;
CREATE INDEX links_by_high ON links (high);

CREATE TABLE narratives (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at TEXT NOT NULL,
    previous INTEGER,
    source TEXT NOT NULL CHECK (source <> ''),
    session TEXT,
    agent TEXT,
    project TEXT,
    summary TEXT NOT NULL CHECK (summary <> '')
);
CREATE INDEX narratives_by_previous ON narratives (previous);
CREATE TABLE rests_on (
    narrative INTEGER NOT NULL,
    position INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (narrative, position)
) WITHOUT ROWID;
CREATE INDEX rests_on_by_memory ON rests_on (memory);

CREATE TABLE forgotten (
    digest BLOB PRIMARY KEY,
    at TEXT NOT NULL
) WITHOUT ROWID;
{_EXPERIENCES}
{_SESSIONS}
{_ITEMS}{_DAYS}
INSERT INTO meta VALUES
    ('identity', lower(hex(randomblob(16)))), -- tells one state of the ledger from a restored one
    ('salt', lower(hex(randomblob(16)))); -- digests of contents are keyed with it
"""

# The index has the words of memories, narratives and experiences.
_NO_WORD_INDEXES = """
DROP TABLE words_vocabulary;
DROP TABLE words;
DROP TABLE narrative_words_vocabulary;
DROP TABLE narrative_words;
DROP TABLE IF EXISTS experience_words_vocabulary;
DROP TABLE IF EXISTS experience_words;
"""

# Format to come from -> statements, run in one transaction that also writes the new number.
MIGRATIONS = {
    1: _EXPERIENCES + _SESSIONS + _ITEMS,
    2: _PROPOSALS_WITH_EVIDENCE,
    3: _NO_WORD_INDEXES,
    4: _PROPOSALS_WITH_PROJECT,
    5: _CURATION,
    6: _DAYS,
    7: _PERSON,
}

# Identity and position, by which a home recognises the file. `seq` never falls, though entries may be deleted.
LEDGER_MARK = """SELECT (SELECT value FROM meta WHERE key = 'identity'),
                        (SELECT seq FROM sqlite_sequence WHERE name = 'journal')"""
ARCHIVE_MARK = """SELECT (SELECT value FROM meta WHERE key = 'identity'),
                         (SELECT value FROM meta WHERE key = 'position')"""
ADVANCE_ARCHIVE = "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'position'"

# Format 2 added these.
_ARCHIVE_IDENTITY = """
INSERT INTO meta VALUES
    ('identity', lower(hex(randomblob(16)))),
    ('position', '0');
"""
ARCHIVE_MIGRATIONS = {1: _ARCHIVE_IDENTITY}

ARCHIVE = f"""
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
{_MEMORIES}
CREATE VIRTUAL TABLE words USING fts5(
    content, tags, content='', contentless_delete=1, tokenize="{_tokenize}"
);
CREATE VIRTUAL TABLE words_vocabulary USING fts5vocab(words, 'row');
{_ARCHIVE_IDENTITY}"""
