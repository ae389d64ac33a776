-- Queries that sessions sent, as patterns, for what they say of a schema.

CREATE TABLE statement (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    path TEXT NOT NULL,
    sql TEXT NOT NULL,
    literals INTEGER NOT NULL,
    times INTEGER NOT NULL
);

CREATE INDEX statement_of ON statement (server, database, role, at);
CREATE INDEX statement_at ON statement (at);
