-- Servers share the partitions of history, and row-level security does not hold for DROP TABLE. A login of one
-- server therefore drops only what its owner says is too old, by the clock of PostgreSQL.

CREATE TABLE {schema}.retention (
    one bool PRIMARY KEY DEFAULT true CHECK (one),
    history_days int4 NOT NULL CHECK (history_days >= 0)
);

REVOKE ALL ON {schema}.retention FROM PUBLIC;

CREATE OR REPLACE FUNCTION {schema}.drop_history(before float8) RETURNS int4
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    part record;
    days int4;
    dropped int4 := 0;
BEGIN
    IF NOT pg_has_role(session_user, current_user, 'MEMBER') AND NOT EXISTS (
        SELECT FROM {schema}.login AS l JOIN pg_roles AS r ON r.rolname = l.role
        WHERE l.server = '' AND pg_has_role(session_user, r.oid, 'MEMBER')
    ) THEN
        SELECT r.history_days INTO days FROM {schema}.retention AS r;
        IF days IS NULL THEN
            RAISE EXCEPTION 'a login of one server cannot drop history of all: its owner has stored no history_days'
                USING ERRCODE = '42501', HINT = 'Run askwire store migrate as the schema''s owner.';
        END IF;
        before := least(before, CASE
            WHEN days > 0 THEN extract(epoch FROM clock_timestamp()) - 86400.0 * days ELSE '-infinity'
        END::float8);
    END IF;
    FOR part IN DELETE FROM {schema}.history_part AS p WHERE p.until <= before RETURNING p.since LOOP
        EXECUTE format(
            'DROP TABLE {schema}.%I, {schema}.%I',
            to_char(to_timestamp(part.since) AT TIME ZONE 'UTC', '"asked_"YYYYMMDD'),
            to_char(to_timestamp(part.since) AT TIME ZONE 'UTC', '"trace_"YYYYMMDD')
        );
        dropped := dropped + 1;
    END LOOP;
    DELETE FROM {schema}.asked_other WHERE "at" < before;
    DELETE FROM {schema}.trace_other WHERE "at" < before;
    RETURN dropped;
END $$;
