-- What judges have ruled, role by role. Each process adds rulings of its own, and hears of those of others.

CREATE TABLE {schema}.ruling (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "acting_as" text NOT NULL,
    "judge" text NOT NULL,
    "prior" float8 NOT NULL,
    "upheld" bool NOT NULL,
    "counts" float8 NOT NULL,
    "favourite" text NOT NULL,
    "rival" text NOT NULL
);

CREATE INDEX ruling_of ON {schema}.ruling ("server", "database", "role", "acting_as", "judge", "at", "key");

CREATE TRIGGER ruling_changed AFTER INSERT OR DELETE ON {schema}.ruling
    FOR EACH ROW EXECUTE FUNCTION {schema}.changed('{channel}');

DO $do$
DECLARE
    -- as for the other kinds
    served text := $q$ARRAY(
        SELECT l.server FROM {schema}.login AS l JOIN pg_catalog.pg_roles AS r ON r.rolname = l.role
        WHERE pg_has_role(session_user, r.oid, 'MEMBER')
    )$q$;
    mine text := format($q$('' = ANY (%1$s) OR server = ANY (%1$s))$q$, served);
BEGIN
    EXECUTE format('CREATE POLICY served ON {schema}.ruling USING (%s) WITH CHECK (%s)', mine, mine);
END $do$;

ALTER TABLE {schema}.ruling ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON {schema}.ruling FROM PUBLIC;
