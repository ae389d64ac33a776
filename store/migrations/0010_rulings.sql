-- What judges have ruled, role by role: a judge that guesses is not heard again after a restart.

CREATE TABLE ruling (
    key TEXT PRIMARY KEY,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    server TEXT NOT NULL,
    database TEXT NOT NULL,
    acting_as TEXT NOT NULL,
    judge TEXT NOT NULL,
    prior REAL NOT NULL,
    upheld INTEGER NOT NULL,
    counts REAL NOT NULL,
    favourite TEXT NOT NULL,
    rival TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX ruling_of ON ruling (server, database, role, acting_as, judge, at);
