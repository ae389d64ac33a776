"""Catalogs on a real PostgreSQL: what an asker may see is there, nothing else, and it is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from data.catalog_askers import SCHEMA, Asker, Ticks, role
from psycopg.sql import SQL, Identifier
from servers.databases import Database

from askwire.core.ahead import ReadStatement
from askwire.core.errors import DatabaseFailed
from askwire.core.protocols import Batch
from askwire.core.types import ResultSet, SessionState
from askwire.planner import catalogs
from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import ForeignKey
from askwire.sql.introspection.queries import FINGERPRINT


async def test_an_owner_sees_relations_keys_comments_types_and_values(owner: Asker) -> None:
    made = await owner.load(Catalogs(Ticks()))
    customers = made.find("customers")
    orders = made.find("orders")
    assert customers is not None
    assert orders is not None
    assert (customers.kind, customers.comment, customers.estimated_rows) == ("r", "Who buys", 100)
    assert customers.primary_key == ("id",)
    assert customers.unique_keys == (("name",),)  # neither the partial nor the expression index
    assert customers.indexed == ("name",)
    assert orders.foreign_keys == (ForeignKey(("customer_id",), customers.oid, ("id",)),)
    assert customers.by_name["name"].comment == "As on the invoice"
    assert customers.by_name["name"].not_null
    assert customers.by_name["name"].distinct == -1
    assert (customers.by_name["mail"].type_name, customers.by_name["mail"].type_oid) == ("email", 25)
    assert customers.by_name["mood"].enum_labels == ("sad", "happy")
    assert set(customers.by_name["mood"].common_values) == {"sad", "happy"}
    assert made.objects.functions >= {"lower"}
    assert made.objects.domains["email"] == "text"
    assert {r.name for r in made} == {"customers", "orders", "events", "events_2025", "happy"}


async def test_partitions_are_marked_with_their_root(owner: Asker) -> None:
    made = await owner.load(Catalogs(Ticks()))
    events, child = made.find("events"), made.find("events_2025")
    assert events is not None
    assert child is not None
    assert (events.kind, events.partition_of, child.partition_of) == ("p", 0, events.oid)


async def test_own_temporary_tables_are_seen_and_those_of_others_are_not(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    other = await connect()
    await other.run("CREATE TEMP TABLE theirs (a int)")
    await owner.run("CREATE TEMP TABLE mine (a int)")
    made = await owner.load(Catalogs(Ticks()))
    assert made.find("mine") is not None
    assert made.find("theirs") is None


async def test_a_role_sees_only_what_it_was_granted(owner: Asker, connect: Callable[..., Any]) -> None:
    async with role(owner, "clerk"):
        await owner.run(
            "GRANT SELECT (id, name) ON customers TO clerk",
            "GRANT SELECT ON orders TO clerk",
            "CREATE SCHEMA hidden CREATE TABLE t (a int)",
            "GRANT SELECT ON hidden.t TO clerk",
        )
        clerk = await connect("clerk")
        made = await clerk.load(Catalogs(Ticks()))
        assert {r.name for r in made} == {"customers", "orders"}
        customers = made.find("customers")
        assert customers is not None
        assert list(customers.by_name) == ["id", "name"]
        await clerk.run("RESET ROLE")


async def test_values_and_flags_under_row_level_security(owner: Asker, connect: Callable[..., Any]) -> None:
    async with role(owner, "tenant"):
        await owner.run(
            "GRANT SELECT ON customers, happy TO tenant", "ALTER TABLE customers ENABLE ROW LEVEL SECURITY"
        )
        tenant = await connect("tenant")
        made = await tenant.load(Catalogs(Ticks()))
        customers, happy = made.find("customers"), made.find("happy")
        assert customers is not None
        assert happy is not None
        assert customers.row_security
        assert not any(c.common_values for c in customers.columns)
        assert happy.row_security  # it reads a table that has it
        mine = (await owner.load(Catalogs(Ticks()))).find("customers")
        assert mine is not None
        assert not mine.row_security
        assert mine.by_name["mood"].common_values
        await tenant.run("RESET ROLE")


USER_CODE = """
CREATE FUNCTION noted(text) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION checked(text) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION same_mood(mood, mood) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION cheer(mood) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION cheer(mood[], mood DEFAULT 'sad') RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION either(mood DEFAULT 'sad') RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION halved(mood, text) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION mixed(mood) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION mixed(int) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$;
CREATE FUNCTION as_mood(int) RETURNS mood LANGUAGE sql AS $$SELECT 'sad'::mood$$;
CREATE OPERATOR === (FUNCTION = same_mood, LEFTARG = mood, RIGHTARG = mood);
CREATE OPERATOR !!! (FUNCTION = noted, RIGHTARG = text);
CREATE CAST (int AS mood) WITH FUNCTION as_mood(int);
CREATE TYPE tone AS ENUM ('high');
CREATE CAST (text AS tone) WITH INOUT AS IMPLICIT;
CREATE FUNCTION pitch(tone) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE DOMAIN odd AS text CHECK (checked(VALUE));
CREATE TABLE odds (a odd);
CREATE VIEW by_operator AS SELECT id FROM customers WHERE mood === mood;
CREATE VIEW by_domain AS SELECT name::odd AS a FROM customers;
CREATE VIEW above AS SELECT * FROM by_operator WHERE noted('x');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON orders FOR SELECT USING (noted('x') AND id IN (SELECT id FROM customers));
CREATE POLICY q ON orders FOR UPDATE USING (checked('x'));
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE distant (a int) SERVER far;
CREATE VIEW over_there AS SELECT a FROM distant;
"""


async def test_the_gate_is_told_what_user_code_can_be_reached(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    await owner.run(USER_CODE)
    cache = Catalogs(Ticks())
    made = await owner.load(cache)
    by_name = {r.name: r for r in made}
    # what the view shows of a type with casts could be converted within it
    assert by_name["by_operator"].runs == ("public.as_mood", "public.same_mood")
    assert by_name["by_domain"].runs == ("public.checked",)
    assert by_name["above"].runs == ("public.as_mood", "public.noted", "public.same_mood")
    assert by_name["orders"].runs == ()  # its owner is not subject to the policy
    assert {r.name for r in made if r.reaches_foreign} == {"distant", "over_there"}
    objects = made.objects
    mood = by_name["customers"].by_name["mood"].type_oid
    assert set(objects.typed_functions) >= {"same_mood", "cheer"}
    assert not {"either", "mixed", "halved", "noted", "pitch", "as_mood", "lower"} & set(
        objects.typed_functions
    )
    assert objects.typed_functions["same_mood"] == objects.typed_functions["cheer"]
    assert mood in objects.typed_functions["cheer"]
    assert len(objects.typed_functions["cheer"]) == 2  # and the array of it
    assert set(objects.typed_operators) == {"==="}
    assert objects.operators == {"===", "!!!"}
    assert mood in objects.type_runs
    assert len(objects.open_types) == 1
    async with role(owner, "tenant"):
        await owner.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO tenant")
        tenant = await connect("tenant")
        orders = (await tenant.load(cache)).find("orders")
        assert orders is not None
        assert orders.runs == ("public.noted",)
        await tenant.run("RESET ROLE")


async def test_views_over_a_sessions_settings_are_as_secured_as_row_level_security(owner: Asker) -> None:
    await owner.run(
        "CREATE VIEW mine AS SELECT * FROM customers WHERE name = current_setting('app.tenant')",
        "CREATE VIEW mine_too AS SELECT current_setting('app.tenant', true) AS tenant",
        "CREATE VIEW above AS SELECT count(*) FROM mine",
    )
    made = await owner.load(Catalogs(Ticks()))
    assert {r.name for r in made if r.row_security} == {"mine", "mine_too", "above"}


CHANGES = [
    "CREATE TABLE fresh (a int)",
    "DROP TABLE orders",
    "ALTER TABLE orders ADD COLUMN note text",
    "ALTER TABLE orders DROP COLUMN placed",
    "ALTER TABLE orders RENAME COLUMN placed TO ordered",
    "ALTER TABLE orders ALTER COLUMN placed SET NOT NULL",
    "ALTER TABLE orders RENAME TO purchases",
    "ALTER TABLE orders ADD UNIQUE (customer_id)",
    "ALTER TABLE orders DROP CONSTRAINT orders_customer_id_fkey",
    "ALTER TABLE orders ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY p ON orders USING (true)",
    "CREATE SCHEMA extra",
    "GRANT USAGE ON SCHEMA public TO pg_read_all_stats",
    "COMMENT ON TABLE orders IS 'Bought'",
    "COMMENT ON TABLE customers IS NULL",
    "COMMENT ON COLUMN orders.placed IS 'Day'",
    "GRANT SELECT ON orders TO pg_read_all_stats",
    "GRANT SELECT (placed) ON orders TO pg_read_all_stats",
    "GRANT pg_read_all_stats TO by_md5",
    "ALTER TYPE mood ADD VALUE 'calm'",
    "ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
    "CREATE TYPE level AS ENUM ('low')",
    "CREATE DOMAIN short AS varchar(3)",
    "CREATE FUNCTION upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT ''x'''",
    "DROP FUNCTION lower(varchar)",
    "CREATE OPERATOR === (FUNCTION = int4eq, LEFTARG = int4, RIGHTARG = int4)",
    "CREATE OR REPLACE VIEW happy AS SELECT name FROM customers",
    "ALTER TABLE events DETACH PARTITION events_2025",
    "REFRESH MATERIALIZED VIEW empty",
    "CREATE TEMP TABLE scratch (a int)",
    "CREATE CAST (text AS mood) WITH INOUT",
    "ALTER DOMAIN email ADD CHECK (VALUE <> 'a')",
    "ALTER FUNCTION lower(varchar) RENAME TO lowered",
    "ALTER ROLE CURRENT_USER NOINHERIT",
]


@pytest.fixture(scope="module")
def writer(make_database: Callable[[], Database]) -> Iterator[psycopg.Connection[Any]]:
    """A connection whose transactions are rolled back, so that one database serves every change."""
    with psycopg.connect(make_database().dsn()) as conn:
        conn.execute(SCHEMA)
        conn.commit()
        yield conn
        conn.rollback()


@pytest.mark.parametrize("change", CHANGES)
def test_the_fingerprint_changes_with(change: str, writer: psycopg.Connection[Any]) -> None:
    with writer.transaction(force_rollback=True):
        writer.execute("INSERT INTO orders VALUES (1)")
        before = writer.execute(FINGERPRINT.encode()).fetchone()
        writer.execute("DELETE FROM orders")
        assert writer.execute(FINGERPRINT.encode()).fetchone() == before
        writer.execute(change.encode())
        assert writer.execute(FINGERPRINT.encode()).fetchone() != before


async def test_the_fingerprint_changes_with_another_sessions_change(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    before = await owner.fingerprint()
    other = await connect()
    await other.run("ALTER TABLE orders RENAME COLUMN placed TO ordered")
    assert await owner.fingerprint() != before


async def test_the_fingerprint_stays_the_same_over_what_changes_no_name(
    owner: Asker, connect: Callable[..., Any]
) -> None:
    before = await owner.fingerprint()
    other = await connect()
    await other.run("CREATE TEMP TABLE theirs (a int)", "COMMENT ON COLUMN theirs.a IS NULL")
    await owner.run(
        "INSERT INTO customers VALUES (101, 'new')",
        "ANALYZE",
        "VACUUM (FREEZE)",
        "VACUUM (FREEZE) pg_attribute",
        "VACUUM (FREEZE) pg_class",
    )
    assert await owner.fingerprint() == before


async def test_a_second_change_in_ones_own_transaction_is_seen(owner: Asker) -> None:
    seen = set()
    async with owner.conn.transaction():
        for change in ("CREATE TABLE a (x int)", "ALTER TABLE a RENAME TO b", "ALTER TABLE b RENAME x TO y"):
            await owner.run(change)
            seen.add(await owner.fingerprint())
    assert len(seen) == 3


async def test_over_the_cap_partitions_and_relations_off_the_path_are_left_out(
    owner: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.run("CREATE SCHEMA off CREATE TABLE distant (a int)")
    monkeypatch.setattr(catalogs, "MAX_COLUMNS", 11)
    made = await owner.load(Catalogs(Ticks()))
    assert {r.name for r in made} == {"customers", "orders", "events", "happy"}
    assert made.left_out == 2


SHADOWS = """
CREATE FUNCTION boom(oid, oid) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE FUNCTION boom(name, name) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE FUNCTION boom("char", "char") RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE FUNCTION boom(text, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE OPERATOR = (FUNCTION = boom, LEFTARG = oid, RIGHTARG = oid);
CREATE OPERATOR = (FUNCTION = boom, LEFTARG = name, RIGHTARG = name);
CREATE OPERATOR = (FUNCTION = boom, LEFTARG = "char", RIGHTARG = "char");
CREATE OPERATOR = (FUNCTION = boom, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR <> (FUNCTION = boom, LEFTARG = oid, RIGHTARG = oid);
CREATE OPERATOR >= (FUNCTION = boom, LEFTARG = oid, RIGHTARG = oid);
CREATE FUNCTION has_table_privilege(oid, text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE FUNCTION row_security_active(oid) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RAISE ''ran''; END';
CREATE TABLE pg_class (oid oid);
CREATE DOMAIN text AS pg_catalog.text CHECK (false);
CREATE DOMAIN int8 AS pg_catalog.int8 CHECK (false);
"""


async def test_objects_that_shadow_pg_catalog_never_run(owner: Asker) -> None:
    await owner.run(SHADOWS, "SET search_path = public, pg_catalog")
    session = SessionState("d", "postgres", "postgres", ("public", "pg_catalog"), 0, "")
    async with owner.executor.batch() as batch:
        made = await Catalogs(Ticks()).load(batch, session, "here")
    assert made.find("customers") is not None
    assert made.objects.operators >= {"=", "<>", ">="}


ODD_NAMES = (
    ("a", "b.c"),
    ("a.b", "c"),
    ("a", "c"),
    ('Ä "x"', "it's"),
    ("{", "\\,NULL"),
    ("a", "NULL"),
    ("a", "x" * 63),
)


async def test_statistics_are_those_of_the_schema_and_table_whatever_their_names(owner: Asker) -> None:
    for number, (schema, table) in enumerate(ODD_NAMES):
        name = Identifier(schema, table).as_string()
        await owner.run(
            SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(schema)).as_string(),
            f"CREATE TABLE {name} (v text)",
            f"INSERT INTO {name} SELECT 'v{number}' FROM generate_series(1, 3)",
            f"ANALYZE {name}",
        )
    made = await owner.load(Catalogs(Ticks()))
    values = {(r.schema, r.name): r.by_name["v"].common_values for r in made if r.schema != "public"}
    assert values == {names: (f"v{number}",) for number, names in enumerate(ODD_NAMES)}


async def test_texts_of_numbers_are_known_from_all_that_statistics_hold(owner: Asker) -> None:
    """A column whose values are all different has no common ones; the bounds between them tell it."""
    await owner.run(
        "CREATE TABLE measured (apart text, again text, code text, word text, blank text)",
        "INSERT INTO measured SELECT g, g % 4, '0' || g, 'w' || g,"
        " CASE WHEN g % 2 = 0 THEN '' ELSE g::text END"
        " FROM generate_series(1, 60) g",
        "ANALYZE measured",
    )
    measured = (await owner.load(Catalogs(Ticks()))).find("measured")
    assert measured is not None
    assert {c.name for c in measured.columns if c.numeric} == {"apart", "again", "blank"}


@pytest.mark.parametrize("style", ["ISO", "German"])
async def test_the_first_and_the_last_day_are_known_where_they_are_written_as_iso_has_it(
    owner: Asker, style: str
) -> None:
    await owner.run(
        f"SET DateStyle = {style}",
        "CREATE TABLE visits AS SELECT date '2022-01-03' + g AS day, date '2022-01-03' + g % 2 AS often,"
        " timestamptz '2022-01-03 10:00' + g * interval '1 hour' AS moment, time '10:00' AS hour,"
        " (date '2022-01-03' + g)::text AS written FROM generate_series(1, 500) g",
        "ANALYZE visits",
        "CREATE TABLE fresh AS SELECT day FROM visits WHERE day < '2022-02-01'",
    )
    made = await owner.load(Catalogs(Ticks()))
    visits, fresh = made.find("visits"), made.find("fresh")
    assert visits is not None
    assert fresh is not None
    periods = {c.name: c.period for c in (*visits.columns, *fresh.columns) if c.period}
    if style == "ISO":
        assert visits.by_name["day"].period == ("2022-01-04", "2023-05-18")
        assert fresh.by_name["day"].period == ("2022-01-04", "2022-01-31")
        assert periods.keys() == {"day", "often", "moment"}
    else:
        assert periods == {}


async def test_a_table_that_was_never_analyzed_is_known_by_its_first_rows(owner: Asker) -> None:
    await owner.run(
        "CREATE TABLE staff (id int PRIMARY KEY, active char(1), boss int, secret text)",
        "COMMENT ON COLUMN staff.secret IS 'askwire: no values'",
        "INSERT INTO staff SELECT g, CASE WHEN g % 3 = 0 THEN 'N' ELSE 'Y' END,"
        " NULLIF(g, 1), 'pin' || g % 2 FROM generate_series(1, 30) g",
        "CREATE TABLE large AS SELECT g % 5 AS n FROM generate_series(1, 5000) g",
    )
    made = await owner.load(Catalogs(Ticks()))
    staff, large = made.find("staff"), made.find("large")
    assert staff is not None
    assert large is not None
    assert staff.estimated_rows == 30
    assert (staff.by_name["id"].distinct, staff.by_name["id"].common_values) == (-1, ())
    assert (staff.by_name["active"].distinct, staff.by_name["active"].common_values) == (2, ("Y", "N"))
    assert staff.by_name["boss"].null_share == pytest.approx(1 / 30)
    assert staff.by_name["secret"].common_values == ()
    assert large.estimated_rows == -1
    assert sorted(large.by_name["n"].common_values) == ["0", "1", "2", "3", "4"]


async def test_what_was_read_of_a_table_stays_when_another_changes(owner: Asker) -> None:
    await owner.run(
        "CREATE TABLE flags (f char(1))", "INSERT INTO flags SELECT 'Y' FROM generate_series(1, 9)"
    )
    cache = Catalogs(Ticks())
    first = (await owner.load(cache)).find("flags")
    await owner.run("CREATE TABLE another (a int)")
    assert (await owner.load(cache)).find("flags") is first
    assert first is not None
    assert (first.estimated_rows, first.by_name["f"].common_values) == (9, ("Y",))


async def test_a_table_that_is_locked_holds_up_no_catalog(owner: Asker, connect: Callable[..., Any]) -> None:
    await owner.run("CREATE TABLE shut (f char(1))", "INSERT INTO shut VALUES ('Y'), ('Y')")
    other = await connect()
    await other.run("BEGIN", "LOCK TABLE shut IN ACCESS EXCLUSIVE MODE")
    made = (await owner.load(Catalogs(Ticks()))).find("shut")
    assert made is not None
    assert (made.estimated_rows, made.by_name["f"].common_values) == (-1, ())


async def test_what_others_inherit_from_is_not_read(owner: Asker) -> None:
    await owner.run(
        "CREATE TABLE mother (n int)",
        "CREATE TABLE child () INHERITS (mother)",
        "INSERT INTO mother SELECT generate_series(1, 10)",
        "INSERT INTO child SELECT generate_series(1, 30)",
    )
    made = await owner.load(Catalogs(Ticks()))
    mother, child = made.find("mother"), made.find("child")
    assert mother is not None
    assert child is not None
    assert (mother.estimated_rows, child.estimated_rows) == (30, 30)


async def test_no_row_is_read_in_a_serializable_transaction(owner: Asker) -> None:
    await owner.run(
        "CREATE TABLE apart (f char(1))",
        "INSERT INTO apart VALUES ('Y'), ('Y')",
        "BEGIN ISOLATION LEVEL SERIALIZABLE",
    )
    made = (await owner.load(Catalogs(Ticks()))).find("apart")
    assert made is not None
    assert (made.estimated_rows, made.by_name["f"].common_values) == (-1, ())


async def test_tables_behind_a_locked_one_are_read(owner: Asker, connect: Callable[..., Any]) -> None:
    await owner.run(
        "CREATE TABLE first_one (f char(1))",
        "INSERT INTO first_one VALUES ('Y'), ('Y')",
        "CREATE TABLE later (f char(1))",
        "INSERT INTO later VALUES ('N'), ('N')",
    )
    other = await connect()
    await other.run("BEGIN", "LOCK TABLE first_one IN ACCESS EXCLUSIVE MODE")
    made = (await owner.load(Catalogs(Ticks()))).find("later")
    assert made is not None
    assert (made.estimated_rows, made.by_name["f"].common_values) == (2, ("N",))


async def test_a_connection_that_is_gone_is_no_table_that_cannot_be_read(
    owner: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.run("CREATE TABLE lonely (f char(1))", "INSERT INTO lonely VALUES ('Y'), ('Y')")
    tried = []

    async def gone(statement: ReadStatement, batch: Batch) -> ResultSet:
        if "lonely LIMIT" not in statement.sql:
            return await batch.read(statement.sql, statement.parameters, timeout_ms=statement.timeout_ms)
        tried.append(statement.sql)
        raise DatabaseFailed("the connection is gone", code="08006")

    monkeypatch.setattr(ReadStatement, "made", gone)
    with pytest.raises(DatabaseFailed, match="gone"):
        await owner.load(Catalogs(Ticks()))
    assert len(tried) == 1


async def test_reading_rows_ends_when_it_has_taken_long(
    owner: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"small_{n:02}" for n in range(12)]
    for name in names:
        await owner.run(f"CREATE TABLE {name} (f char(1))", f"INSERT INTO {name} VALUES ('Y'), ('Y')")
    clock = Ticks()

    async def slow(batch: Batch, reads: Sequence[ReadStatement]) -> None:
        clock.now += 10

    monkeypatch.setattr("askwire.planner.catalogs.read_ahead", slow)
    made = await owner.load(Catalogs(clock))
    rows = [relation.estimated_rows for relation in map(made.find, names) if relation is not None]
    assert sorted(rows) == [-1] * 4 + [2] * 8
