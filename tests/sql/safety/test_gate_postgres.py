"""The gate against a real PostgreSQL: traps a user can lay, the reviewed functions, the benign cases."""

import re
from time import monotonic

import psycopg
import pytest
from data.gate_cases import CASES, NEWEST_REVIEWED, read_cases
from doubles.postgres_executor import PostgresExecutor, session_state

from askwire.core.errors import RefusedByGate
from askwire.planner.catalogs import Catalogs
from askwire.sql.safety import Policy, check
from askwire.sql.safety.functions import review

FUNCTIONS = """
SELECT p.proname, bool_or(p.provolatile = 'v'), bool_or(p.prosecdef), bool_and(
    p.prorettype = 'internal'::regtype OR 'internal'::regtype = ANY (p.proargtypes::oid[])
    OR p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype)
    OR EXISTS (SELECT FROM pg_operator o WHERE p.oid IN (o.oprcode, o.oprrest, o.oprjoin))
    OR EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typsend, t.typreceive,
        t.typmodin, t.typmodout, t.typanalyze, t.typsubscript))
    OR EXISTS (SELECT FROM pg_amproc a WHERE a.amproc = p.oid)
    OR EXISTS (SELECT FROM pg_conversion c WHERE c.conproc = p.oid)
    OR EXISTS (SELECT FROM pg_proc s WHERE s.prosupport = p.oid)
    OR EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn,
        a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn)))
FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace GROUP BY 1
"""


class Wall:
    def monotonic(self):
        return monotonic()


def run_script(connection, name):
    connection.execute((CASES / name).read_text("utf-8"))


async def load_catalog(dsn, search_path=""):
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        if search_path:
            await connection.execute(f"SET search_path = {search_path}")
        executor = PostgresExecutor(connection, gate=lambda sql: sql)
        session = await session_state(connection)
        async with executor.batch() as batch:
            return await Catalogs(Wall()).load(batch, session, "test")


def test_the_reviewed_functions_are_what_the_server_has(database):
    with psycopg.connect(database.dsn()) as connection:
        rows = connection.execute(FUNCTIONS).fetchall()
        newest = connection.info.server_version >= NEWEST_REVIEWED
    volatile = {name for name, is_volatile, _definer, _internal in rows if is_volatile}
    definer = {name for name, _volatile, is_definer, _internal in rows if is_definer}
    names = {row[0] for row in rows}
    assert not newest or review().allowed <= names
    assert not review().allowed & volatile
    assert not review().allowed & definer
    patterns = [pattern for family in review().left_out for pattern in family.members]
    unreviewed = {
        name
        for name, _volatile, _definer, is_internal in rows
        if name not in review().allowed
        and not is_internal
        and not any(re.fullmatch(pattern, name) for pattern in patterns)
    }
    assert not unreviewed
    assert not newest or not [p for p in patterns if not any(re.fullmatch(p, name) for name in names)]


@pytest.mark.parametrize("search_path", ['"$user", public', "public, pg_catalog"])
async def test_no_trap_is_sprung(database, search_path):
    """Each statement springs its trap when it runs as it is; what the gate lets pass does not."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        run_script(connection, "traps.sql")
        connection.execute(f"SET search_path = {search_path}")
        catalog = await load_catalog(database.dsn(), search_path)

        def springs(sql):
            connection.execute("SELECT pg_catalog.setval('public.sprung', 1, false)")
            connection.execute(sql)
            row = connection.execute("SELECT is_called FROM public.sprung").fetchone()
            return row[0]

        passed = []
        for sql in read_cases(CASES / "sprung.sql"):
            assert springs(sql), f"not a trap: {sql}"
            try:
                safe = check(sql, catalog, Policy()).sql
            except RefusedByGate:
                continue
            try:
                assert not springs(safe), f"sprung: {safe}"
            except psycopg.errors.UndefinedFunction:
                continue  # only the trap takes such arguments
            passed.append(safe)
    assert len(passed) > 10


async def test_benign_cases_pass_and_run(database):
    """They pass with a catalog that was read from the database, and PostgreSQL runs them."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        run_script(connection, "shop.sql")
        catalog = await load_catalog(database.dsn())
        for sql in read_cases(CASES / "benign" / "queries.sql"):
            assert check(sql, catalog, Policy()).sql == sql
            connection.execute("BEGIN READ ONLY")
            connection.execute(sql)
            connection.execute("ROLLBACK")


async def test_what_passes_with_every_name_written_out_means_the_same(database):
    """Traps beside the shop make the gate rewrite; the rows stay the same."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        run_script(connection, "shop.sql")
        plain = await load_catalog(database.dsn())
        run_script(connection, "traps.sql")
        catalog = await load_catalog(database.dsn())
        rewritten = 0
        for sql in read_cases(CASES / "benign" / "queries.sql"):
            original = check(sql, plain, Policy()).sql
            try:
                safe = check(sql, catalog, Policy()).sql
            except RefusedByGate:
                continue
            if safe == original or "tablesample" in sql.lower() or "now()" in sql:
                continue
            rewritten += 1
            connection.execute("SET search_path = pg_catalog, public")
            with connection.transaction():
                wanted = connection.execute(original).fetchall()
                assert connection.execute(safe).fetchall() == wanted, safe
        assert rewritten > 20
