-- How experts' answers fare beside all other evidence, role by role.

CREATE TABLE standing (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    acting_as TEXT NOT NULL,
    expert TEXT NOT NULL,
    rate REAL NOT NULL,
    answered INTEGER NOT NULL,
    failed INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX standing_of ON standing (server, database, role);
