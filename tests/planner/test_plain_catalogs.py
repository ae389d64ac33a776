"""A database without user functions is read by a short statement that returns the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from data.catalog_askers import SCHEMA, Asker, Ticks
from doubles.postgres_executor import session_state

from askwire.core.protocols import Batch
from askwire.core.types import ResultSet
from askwire.planner.catalogs import Catalogs
from askwire.sql.catalog import Catalog
from askwire.sql.introspection.attachments import ATTACHMENTS
from askwire.sql.introspection.plain import PLAIN_ATTACHMENTS, is_plain, may_be_plain
from askwire.sql.introspection.queries import FINGERPRINT

FUNCTION = "CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql AS 'SELECT ''mine''';"
OPERATOR = "CREATE OPERATOR === (FUNCTION = int4eq, LEFTARG = int4, RIGHTARG = int4)"
PLAIN_SCHEMA = SCHEMA.replace(FUNCTION, "")

ATTACHED = """
CREATE TYPE pair AS (a int, mail email, moods mood[]);
CREATE DOMAIN day AS date CHECK (VALUE > current_date);
CREATE DOMAIN set_day AS day CHECK (VALUE::text <> current_setting('app.day'));
CREATE TABLE within (p pair, d set_day, ds set_day[], doubled int GENERATED ALWAYS AS (1) STORED,
    a int CHECK (a > 0), b int);
CREATE STATISTICS ON a, b FROM within;
CREATE TABLE parts (a int) PARTITION BY LIST ((a % 2));
CREATE INDEX ON within ((a + b)) WHERE a > 0;
CREATE VIEW mine AS SELECT * FROM customers WHERE name = current_setting('app.tenant');
CREATE VIEW all_settings AS SELECT name FROM pg_settings;
CREATE VIEW found AS SELECT to_tsvector('english', name) FROM customers WHERE mail::email LIKE '%a%';
CREATE VIEW above AS SELECT count(*) FILTER (WHERE random() > 0.5) OVER () FROM found;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM above;
CREATE PUBLICATION p FOR TABLE customers;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON orders FOR SELECT USING (
    id::text = current_setting('app.id', true) AND customer_id IN (SELECT id FROM customers));
CREATE TYPE tone AS ENUM ('high');
CREATE CAST (text AS tone) WITH INOUT AS IMPLICIT;
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE distant (a int) SERVER far;
INSERT INTO pg_depend SELECT 'pg_rewrite'::regclass, w.oid, 0, 'pg_foreign_server'::regclass, s.oid, 0, 'n'
    FROM pg_rewrite w, pg_foreign_server s WHERE w.ev_class = 'mine'::regclass AND s.srvname = 'far';
CREATE TABLE old (a int);
CREATE TABLE child () INHERITS (old);
"""
"""Something of every kind, but no function. (A range type brings its own.)"""


@pytest.fixture
async def plain_owner(connect: Callable[..., Any]) -> Asker:
    asker: Asker = await connect()
    await asker.run(PLAIN_SCHEMA, ATTACHED)
    return asker


async def both(asker: Asker) -> tuple[ResultSet, ResultSet]:
    async with asker.executor.batch() as batch:
        return await batch.read(ATTACHMENTS), await batch.read(PLAIN_ATTACHMENTS)


async def test_the_short_statement_returns_the_same_rows(plain_owner: Asker) -> None:
    full, plain = await both(plain_owner)
    assert is_plain(plain)
    assert Counter(full.rows) == Counter(row for row in plain.rows if row[0] != "plain")
    told = {kind for kind, _, data in full.rows if data is not None}
    assert told >= {"unique", "foreign", "enum", "domain", "types", "functions", "open_types", "settings"}
    assert told >= {"view reads", "stored reads", "policy reads", "view calls", "check calls", "view types"}
    assert told >= {"view runs", "checked", "children", "foreign tables", "secured tables"}


@pytest.mark.parametrize("made", [FUNCTION, OPERATOR], ids=["function", "operator"])
async def test_what_a_user_made_is_seen_by_the_fingerprint_and_by_the_statement(
    made: str, plain_owner: Asker
) -> None:
    assert may_be_plain(str(await plain_owner.fingerprint()))
    await plain_owner.run(made)
    assert not may_be_plain(str(await plain_owner.fingerprint()))
    assert not is_plain((await both(plain_owner))[1])


@pytest.mark.parametrize("fingerprint", ["", "1", "f", ":".join("0" * 5), "::::::::::::::::::::::::"])
def test_what_is_no_fingerprint_is_never_plain(fingerprint: str) -> None:
    assert not may_be_plain(fingerprint)


class RecordingBatch:
    """A batch that says what is read, and waits for `between` when the fingerprint was."""

    def __init__(self, batch: Any, between: Callable[[], Awaitable[None]] | None = None) -> None:
        self._batch = batch
        self._between = between
        self.seen: list[str] = []

    async def read(self, sql: str, *more: Any, **named: Any) -> ResultSet:
        found: ResultSet = await self._batch.read(sql, *more, **named)
        self.seen.append({ATTACHMENTS: "full", PLAIN_ATTACHMENTS: "plain"}.get(sql, ""))
        if sql == FINGERPRINT and self._between is not None:
            await self._between()
        return found


async def asked(
    asker: Asker, between: Callable[[], Awaitable[None]] | None = None
) -> tuple[Catalog, list[str]]:
    """The catalog, and which statements were asked about what hangs on relations."""
    session = await session_state(asker.conn)
    async with asker.executor.batch() as batch:
        noting = RecordingBatch(batch, between)
        found = await Catalogs(Ticks()).load(cast(Batch, noting), session, "here")
    return found, [statement for statement in noting.seen if statement]


async def test_the_short_statement_is_run_where_it_may_be(plain_owner: Asker) -> None:
    assert (await asked(plain_owner))[1] == ["plain"]


async def test_the_full_statement_is_run_where_user_functions_exist(owner: Asker) -> None:
    found, statements = await asked(owner)
    assert statements == ["full"]
    assert "lower" in found.objects.functions


async def test_a_function_made_after_the_fingerprint_is_seen(
    plain_owner: Asker, connect: Callable[..., Any]
) -> None:
    """In the client's own block, each statement has a snapshot of its own."""
    other = await connect()
    async with plain_owner.conn.transaction():
        found, asked_for = await asked(plain_owner, lambda: other.run(FUNCTION))
    assert asked_for == ["plain", "full"]
    assert "lower" in found.objects.functions
