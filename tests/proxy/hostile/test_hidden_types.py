"""Columns that an asker may not read, of types that carry code: a row made of text holds them as well."""

from __future__ import annotations

import psycopg
from doubles.asked import asked_server
from doubles.scripted_expert import Says
from servers.running_proxy import OwnDatabase


async def test_a_domain_that_the_asker_may_not_read_runs_no_check(empty_database: OwnDatabase) -> None:
    """The row type holds it all the same, and NULL runs its check."""
    with empty_database.owner() as owner:
        owner.execute(
            "CREATE FUNCTION hidden_check(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$"
            " BEGIN PERFORM pg_catalog.pg_advisory_lock_shared(4713, 1); RETURN true; END $$;"
            "CREATE DOMAIN hidden AS text CHECK (hidden_check(VALUE));"
            "CREATE TABLE partly (id int PRIMARY KEY, size int, x hidden);"
            "INSERT INTO partly VALUES (1, 5, 'a'), (2, 6, 'b');"
            "GRANT SELECT (id, size) ON partly TO by_scram"
        )
        taken = "SELECT count(*) FROM pg_catalog.pg_locks WHERE classid = 4713"
        try:
            owner.execute("SELECT pg_catalog.pg_advisory_unlock_all()")
            async with asked_server(empty_database) as server:
                dsn = (
                    f"host=127.0.0.1 port={server.port} dbname={empty_database.name}"
                    " user=by_scram password='secret of by_scram'"
                )
                async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as asker:
                    rivals = ("SELECT id FROM partly", "SELECT id FROM partly WHERE size > 5")
                    server.experts = tuple(Says(f"expert {n}", sql) for n, sql in enumerate(rivals))
                    rows = await (await asker.execute(b"ASK (CHOICES) 'rivals'")).fetchall()
                    assert len(rows) == 2
                    assert owner.execute(taken).fetchone() == (0,)
        finally:
            owner.execute("DROP OWNED BY by_scram")
