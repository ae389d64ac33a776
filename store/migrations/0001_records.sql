-- One table per kind of record; columns are the fields of core/records.py.

CREATE TABLE asked (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT NOT NULL,
    role TEXT NOT NULL,
    acting_as TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    question TEXT NOT NULL,
    options TEXT NOT NULL,
    outcome TEXT NOT NULL,
    message TEXT NOT NULL,
    sql TEXT NOT NULL,
    reading TEXT NOT NULL,
    reason TEXT NOT NULL,
    confidence REAL,
    pinned INTEGER NOT NULL,
    private INTEGER NOT NULL,
    elapsed_ms REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX asked_at ON asked (at);
CREATE INDEX asked_of ON asked (server, database, role, at);

CREATE TABLE trace (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    document TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX trace_at ON trace (at);

CREATE TABLE pin (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    used_at REAL NOT NULL,
    session TEXT NOT NULL,
    role TEXT NOT NULL,
    acting_as TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    question TEXT NOT NULL,
    sql TEXT NOT NULL,
    reading TEXT NOT NULL,
    reason TEXT NOT NULL,
    confidence REAL,
    origin TEXT NOT NULL,
    day TEXT NOT NULL,
    why TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX pin_used_at ON pin (used_at);
CREATE INDEX pin_of ON pin (server, database, role, at);

CREATE TABLE feedback (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    session TEXT NOT NULL,
    role TEXT NOT NULL,
    acting_as TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    asked TEXT NOT NULL,
    question TEXT NOT NULL,
    said TEXT NOT NULL,
    sql TEXT NOT NULL,
    right_sql TEXT NOT NULL,
    experts TEXT NOT NULL,
    confidence REAL,
    approved_by TEXT NOT NULL,
    undone INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX feedback_of ON feedback (server, database, role, at);

CREATE TABLE weight (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    expert TEXT NOT NULL,
    weight REAL NOT NULL,
    right INTEGER NOT NULL,
    wrong INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE term (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    term TEXT NOT NULL,
    meaning TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX term_of ON term (server, database, role, at);

CREATE TABLE demonstration (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    question TEXT NOT NULL,
    sql TEXT NOT NULL,
    approved_by TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE outcome (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    confidence REAL NOT NULL,
    right INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX outcome_of ON outcome (server, database, at);
