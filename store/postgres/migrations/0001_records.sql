-- One table per kind of record; columns are the fields of core/records.py. History is partitioned by time.

CREATE TABLE {schema}.asked (
    "key" text COLLATE "C" NOT NULL,
    "at" float8 NOT NULL,
    "session" text NOT NULL,
    "role" text NOT NULL,
    "acting_as" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "question" text NOT NULL,
    "options" text NOT NULL,
    "outcome" text NOT NULL,
    "message" text NOT NULL,
    "sql" text NOT NULL,
    "reading" text NOT NULL,
    "reason" text NOT NULL,
    "confidence" float8,
    "pinned" bool NOT NULL,
    "private" bool NOT NULL,
    "elapsed_ms" float8 NOT NULL,
    "left_the_house" text NOT NULL,
    PRIMARY KEY ("key", "at")
) PARTITION BY RANGE ("at");

CREATE INDEX asked_at ON {schema}.asked ("at", "key");
CREATE INDEX asked_of ON {schema}.asked ("server", "database", "role", "at", "key");
CREATE TABLE {schema}.asked_other PARTITION OF {schema}.asked DEFAULT;

CREATE TABLE {schema}.trace (
    "key" text COLLATE "C" NOT NULL,
    "at" float8 NOT NULL,
    "document" text NOT NULL,
    "report" text NOT NULL,
    PRIMARY KEY ("key", "at")
) PARTITION BY RANGE ("at");

CREATE TABLE {schema}.trace_other PARTITION OF {schema}.trace DEFAULT;

CREATE TABLE {schema}.pin (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "used_at" float8 NOT NULL,
    "session" text NOT NULL,
    "role" text NOT NULL,
    "acting_as" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "question" text NOT NULL,
    "sql" text NOT NULL,
    "reading" text NOT NULL,
    "reason" text NOT NULL,
    "confidence" float8,
    "origin" text NOT NULL,
    "day" text NOT NULL,
    "why" text NOT NULL
);

CREATE INDEX pin_used_at ON {schema}.pin ("used_at");
CREATE INDEX pin_of ON {schema}.pin ("server", "database", "role", "at");

CREATE TABLE {schema}.feedback (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "session" text NOT NULL,
    "role" text NOT NULL,
    "acting_as" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "asked" text NOT NULL,
    "question" text NOT NULL,
    "said" text NOT NULL,
    "sql" text NOT NULL,
    "right_sql" text NOT NULL,
    "experts" text NOT NULL,
    "confidence" float8,
    "approved_by" text NOT NULL,
    "undone" bool NOT NULL
);

CREATE INDEX feedback_of ON {schema}.feedback ("server", "database", "role", "at");
CREATE INDEX feedback_at ON {schema}.feedback ("at");

CREATE TABLE {schema}.weight (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "expert" text NOT NULL,
    "weight" float8 NOT NULL,
    "right" int8 NOT NULL,
    "wrong" int8 NOT NULL,
    "role" text NOT NULL,
    "acting_as" text NOT NULL
);

CREATE INDEX weight_of ON {schema}.weight ("server", "database", "role");

CREATE TABLE {schema}.term (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "term" text NOT NULL,
    "meaning" text NOT NULL
);

CREATE INDEX term_of ON {schema}.term ("server", "database", "role", "at");

CREATE TABLE {schema}.demonstration (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "question" text NOT NULL,
    "sql" text NOT NULL,
    "approved_by" text NOT NULL
);

CREATE INDEX demonstration_of ON {schema}.demonstration ("server", "database", "role", "at");

CREATE TABLE {schema}.outcome (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "confidence" float8 NOT NULL,
    "right" bool NOT NULL,
    "acting_as" text NOT NULL,
    "confident" bool NOT NULL
);

CREATE INDEX outcome_of ON {schema}.outcome ("server", "database", "role", "at");

CREATE TABLE {schema}.standing (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "acting_as" text NOT NULL,
    "expert" text NOT NULL,
    "rate" float8 NOT NULL,
    "answered" int8 NOT NULL,
    "failed" int8 NOT NULL
);

CREATE INDEX standing_of ON {schema}.standing ("server", "database", "role");

CREATE TABLE {schema}.spent (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "day" text NOT NULL,
    "calls" int8 NOT NULL,
    "tokens" int8 NOT NULL,
    "cost" float8 NOT NULL
);

CREATE INDEX spent_of ON {schema}.spent ("server", "role", "day");

CREATE TABLE {schema}.statement (
    "key" text COLLATE "C" PRIMARY KEY,
    "at" float8 NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL,
    "path" text NOT NULL,
    "sql" text NOT NULL,
    "literals" bool NOT NULL,
    "times" int8 NOT NULL
);

CREATE INDEX statement_of ON {schema}.statement ("server", "database", "role", "at");

-- The partitions of history: asked and trace have the same ones. Their owner alone can make and drop tables, so
-- the role that askwire logs in as calls functions of the owner's.

CREATE TABLE {schema}.history_part (
    since float8 PRIMARY KEY,
    until float8 NOT NULL CHECK (until > since)
);

CREATE FUNCTION {schema}.add_history(since float8, until float8) RETURNS bool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    part text;
    kind text;
BEGIN
    IF NOT (since < until AND until - since <= 86400.0 * 400) THEN
        RAISE EXCEPTION 'a partition of history cannot hold % to %', since, until USING ERRCODE = '22023';
    END IF;
    LOCK TABLE {schema}.history_part IN SHARE ROW EXCLUSIVE MODE;
    IF EXISTS (
        SELECT FROM {schema}.history_part AS p WHERE p.since < add_history.until AND p.until > add_history.since
    ) THEN
        RETURN false;
    END IF;
    -- in the order in which ASKs are written; the whole tables too, since who reads knows their partitions before
    -- it waits for one of them, and would not see what is moved into a new one
    LOCK TABLE ONLY {schema}.asked, ONLY {schema}.trace IN ACCESS EXCLUSIVE MODE;
    LOCK TABLE {schema}.asked_other, {schema}.trace_other IN ACCESS EXCLUSIVE MODE;
    FOREACH kind IN ARRAY ARRAY['asked', 'trace'] LOOP
        part := kind || to_char(to_timestamp(since) AT TIME ZONE 'UTC', '"_"YYYYMMDD');
        EXECUTE format('CREATE TABLE {schema}.%I (LIKE {schema}.%I INCLUDING DEFAULTS INCLUDING STORAGE)', part, kind);
        -- what came before its partition was there
        EXECUTE format(
            'WITH moved AS (DELETE FROM {schema}.%I WHERE "at" >= $1 AND "at" < $2 RETURNING *) '
            'INSERT INTO {schema}.%I SELECT * FROM moved', kind || '_other', part
        ) USING since, until;
        EXECUTE format(
            'ALTER TABLE {schema}.%I ATTACH PARTITION {schema}.%I FOR VALUES FROM (%L) TO (%L)', kind, part, since, until
        );
    END LOOP;
    INSERT INTO {schema}.history_part VALUES (since, until);
    RETURN true;
END $$;

CREATE FUNCTION {schema}.drop_history(before float8) RETURNS int4
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
    part record;
    dropped int4 := 0;
BEGIN
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

-- What other processes have to know: a row for each change, read after a NOTIFY or now and then. The NOTIFY holds
-- nothing, because every role of the database can listen. Rows of the last minutes are enough, and none of them has
-- to survive a crash.

CREATE UNLOGGED TABLE {schema}.change (
    "number" int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "at" timestamptz NOT NULL DEFAULT clock_timestamp(),
    "origin" text NOT NULL,
    "kind" text NOT NULL,
    "key" text NOT NULL,
    "gone" bool NOT NULL,
    "role" text NOT NULL,
    "server" text NOT NULL,
    "database" text NOT NULL
);

CREATE INDEX change_xid ON {schema}.change ("xid");
CREATE INDEX change_at ON {schema}.change ("at");

CREATE FUNCTION {schema}.changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seen record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        seen := OLD;
    ELSE
        seen := NEW;
    END IF;
    INSERT INTO {schema}.change ("origin", "kind", "key", "gone", "role", "server", "database") VALUES (
        coalesce(current_setting('askwire.origin', true), ''), TG_TABLE_NAME, seen.key, TG_OP = 'DELETE', seen.role,
        seen.server, seen.database
    );
    PERFORM pg_notify(TG_ARGV[0], '');
    RETURN NULL;
END $$;

CREATE TRIGGER pin_changed AFTER INSERT OR DELETE ON {schema}.pin
    FOR EACH ROW EXECUTE FUNCTION {schema}.changed('{channel}');
CREATE TRIGGER pin_replaced AFTER UPDATE ON {schema}.pin
    FOR EACH ROW WHEN (OLD."at" <> NEW."at" OR OLD."sql" <> NEW."sql")
    EXECUTE FUNCTION {schema}.changed('{channel}');
CREATE TRIGGER feedback_changed AFTER INSERT OR UPDATE OR DELETE ON {schema}.feedback
    FOR EACH ROW EXECUTE FUNCTION {schema}.changed('{channel}');
CREATE TRIGGER term_changed AFTER INSERT OR UPDATE OR DELETE ON {schema}.term
    FOR EACH ROW EXECUTE FUNCTION {schema}.changed('{channel}');
CREATE TRIGGER statement_changed AFTER DELETE ON {schema}.statement
    FOR EACH ROW EXECUTE FUNCTION {schema}.changed('{channel}');
