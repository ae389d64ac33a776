-- Who sees what. A role that an askwire logs in as sees the servers that are its own ('': all). People see their
-- own history in a view; operators everybody's, in another one. Nothing of the schema is PUBLIC's.

CREATE TABLE {schema}.login (
    role name NOT NULL,
    server text NOT NULL DEFAULT '',
    PRIMARY KEY (role, server)
);

DO $do$
DECLARE
    kind text;
    -- no function of its own: those of policies decide what askwire may remember of a database that it stands
    -- in front of, and this may be the same one
    served text := $q$ARRAY(
        SELECT l.server FROM {schema}.login AS l JOIN pg_catalog.pg_roles AS r ON r.rolname = l.role
        WHERE pg_has_role(session_user, r.oid, 'MEMBER')
    )$q$;
    mine text := format($q$('' = ANY (%1$s) OR server = ANY (%1$s))$q$, served);
BEGIN
    FOREACH kind IN ARRAY ARRAY[
        'asked', 'pin', 'feedback', 'weight', 'term', 'demonstration', 'outcome', 'standing', 'spent', 'statement',
        'change'
    ] LOOP
        EXECUTE format('ALTER TABLE {schema}.%I ENABLE ROW LEVEL SECURITY', kind);
        EXECUTE format('CREATE POLICY served ON {schema}.%I USING (%s) WITH CHECK (%s)', kind, mine, mine);
    END LOOP;
    ALTER TABLE {schema}.trace ENABLE ROW LEVEL SECURITY;
    EXECUTE format(
        $q$CREATE POLICY served ON {schema}.trace USING ('' = ANY (%s) OR EXISTS (
            SELECT FROM {schema}.asked AS a WHERE a."key" = trace."key" AND a."at" = trace."at"
        ))$q$, served
    );
END $do$;

CREATE VIEW {schema}.own_history WITH (security_barrier) AS
    SELECT to_timestamp("at") AS "at", "server", "database", "acting_as", "question", "outcome", "message", "sql",
        "reading", "reason", "confidence", "pinned", "elapsed_ms", "left_the_house"
    FROM {schema}.asked
    WHERE "role" = session_user AND NOT "private";

CREATE VIEW {schema}.operator_history WITH (security_barrier) AS
    SELECT to_timestamp("at") AS "at", "server", "database", "role", "acting_as", "question", "outcome", "message",
        "sql", "reading", "reason", "confidence", "pinned", "private", "elapsed_ms", "left_the_house"
    FROM {schema}.asked;

REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {schema} FROM PUBLIC;
