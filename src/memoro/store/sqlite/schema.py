"""The tables of an index file. docs/formats.md explains them to someone without this program."""

from __future__ import annotations

from memoro.store.ports import COLUMNS
from memoro.store.terms import TOKENIZER

# Raise this whenever the tables change, or the rows written for the same note. An index of an older format is
# rebuilt; one of a newer format stays untouched.
FORMAT = 10

_tokenize = " ".join("'" + part.replace("'", "''") + "'" if " " in part else part for part in TOKENIZER)
_columns = ", ".join(COLUMNS)

SCHEMA = f"""
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    tier TEXT NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
    gone_at TEXT,
    emptied INTEGER NOT NULL DEFAULT 0 CHECK (emptied IN (0, 1)),
    cursor TEXT,
    day TEXT NOT NULL,
    title TEXT NOT NULL,
    date TEXT,
    agent TEXT,
    project TEXT,
    aliases TEXT NOT NULL DEFAULT '',
    links TEXT NOT NULL DEFAULT '',
    listed INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0, 1)),
    valid_from TEXT,
    valid_to TEXT,
    superseded_by TEXT,
    session TEXT,
    privacy TEXT NOT NULL DEFAULT 'open' CHECK (privacy IN ('open', 'personal', 'private'))
);
CREATE INDEX files_mirrored ON files (kind) WHERE kind IN ('memory', 'experience', 'narrative');
CREATE INDEX files_unlisted ON files (id) WHERE listed = 0;
CREATE INDEX files_of_projects ON files (project, kind, tier) WHERE project IS NOT NULL;
CREATE INDEX files_without_project ON files (session) WHERE project IS NULL AND session IS NOT NULL;
CREATE INDEX files_by_day ON files (day) WHERE kind IN ('note', 'transcript');
CREATE INDEX files_by_write ON files (mtime_ns) WHERE kind IN ('note', 'transcript');
CREATE INDEX files_by_title ON files (title COLLATE NOCASE) WHERE kind = 'note';

CREATE TABLE tags (
    file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    tag TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (file, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_name ON tags (tag);

CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 1),
    start_line INTEGER NOT NULL CHECK (start_line >= 1),
    end_line INTEGER NOT NULL CHECK (end_line >= start_line),
    headings TEXT NOT NULL,
    partial INTEGER NOT NULL CHECK (partial IN (0, 1)),
    speaker TEXT,
    date TEXT,
    project TEXT,
    private INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1)),
    text TEXT NOT NULL,
    rules INTEGER NOT NULL CHECK (rules IN (0, 1)),
    UNIQUE (file, position)
);
-- Every search by meaning asks what stands beside its candidates. These two answer without the pages of the texts.
CREATE INDEX chunks_by_number ON chunks (id, file, position);
CREATE INDEX chunks_by_place ON chunks (file, position, speaker, instr(text, '?') > 0);
CREATE INDEX chunks_of_projects ON chunks (project) WHERE project IS NOT NULL;
CREATE INDEX chunks_private ON chunks (id) WHERE private = 1;
CREATE INDEX chunks_of_rules ON chunks (id) WHERE rules = 1;

CREATE TABLE messages (
    id INTEGER NOT NULL,
    file INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
    line INTEGER NOT NULL,
    PRIMARY KEY (id, file)
) WITHOUT ROWID;
CREATE INDEX messages_by_file ON messages (file);

CREATE TABLE problems (
    path TEXT NOT NULL,
    severity TEXT NOT NULL,
    sentence TEXT NOT NULL
);

CREATE VIRTUAL TABLE words USING fts5(
    {_columns}, content='', contentless_delete=1, tokenize="{_tokenize}"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
CREATE VIRTUAL TABLE column_vocabulary USING fts5vocab(words, 'col');
"""
