-- Long documents are kept compressed, and in tables whose rows stay together on their page: what stands beside
-- the key in a table WITHOUT ROWID goes to a page of its own from 1 kB on.

CREATE TABLE packed_trace (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    document TEXT NOT NULL,
    report TEXT NOT NULL DEFAULT '{}'
);

INSERT INTO packed_trace SELECT key, at, packed(document), packed(report) FROM trace ORDER BY at;
DROP TABLE trace;
ALTER TABLE packed_trace RENAME TO trace;
CREATE INDEX trace_at ON trace (at);

CREATE TABLE packed_pin (
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
);

INSERT INTO packed_pin SELECT key, at, used_at, session, role, acting_as, server, database, question, sql, reading,
    reason, confidence, origin, day, packed(why) FROM pin ORDER BY at;
DROP TABLE pin;
ALTER TABLE packed_pin RENAME TO pin;
CREATE INDEX pin_used_at ON pin (used_at);
CREATE INDEX pin_of ON pin (server, database, role, at);
