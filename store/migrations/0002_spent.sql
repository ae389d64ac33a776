-- What was spent on models, per role and day.

CREATE TABLE spent (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    day TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX spent_of ON spent (server, role, day);
