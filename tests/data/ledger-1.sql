
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    feedback INTEGER NOT NULL,
    trust TEXT NOT NULL CHECK (trust IN ('quarantined', 'tool_or_web', 'agent_inferred', 'user_said', 'user_confirmed')),
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

CREATE VIRTUAL TABLE words USING fts5(
    content, tags, content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE VIRTUAL TABLE words_vocabulary USING fts5vocab(words, 'row');


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

CREATE VIRTUAL TABLE narrative_words USING fts5(
    summary, content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE VIRTUAL TABLE narrative_words_vocabulary USING fts5vocab(narrative_words, 'row');


CREATE TABLE forgotten (
    digest BLOB PRIMARY KEY,
    at TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO meta VALUES
    ('identity', lower(hex(randomblob(16)))), -- tells one state of the ledger from a restored one
    ('salt', lower(hex(randomblob(16)))); -- digests of contents are keyed with it
