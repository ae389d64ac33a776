"""What is remembered of an ASK is compared beside the event loop, like all text that a machine wrote."""

from __future__ import annotations

import threading

import psycopg
import pytest
from doubles.asked import asked_server
from servers.running_proxy import OwnDatabase

from askwire.sql.canonical import query_form as compared


async def test_statements_are_compared_beside_the_loop(
    database: OwnDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, threads = threading.get_ident(), set()

    def noting(sql: str) -> str:
        threads.add(threading.get_ident())
        return compared.query_form(sql)

    monkeypatch.setattr("askwire.proxy.memory.rejections.query_form", noting)
    async with asked_server(database) as server, server.connection() as connection:
        server.expert.answers("one", "SELECT 1 AS one")

        async def said(*statements: str) -> None:
            for statement in statements:
                threads.clear()
                try:
                    await connection.execute(statement.encode())
                except psycopg.Error:
                    assert statement.endswith("'one'"), statement
                assert loop not in threads, statement

        await said("ASK 'one'", "ASK WRONG", "ASK 'one'")
        await said("ASK WRONG 'SELECT 2 AS one'")
        assert threads, "it compares"
        await said("ASK 'one'", "ASK RIGHT", "PREPARE p AS ASK 'one'", "EXECUTE p", "ASK (FRESH) 'one'")
        for _ in range(6):
            # a driver prepares what comes again, and each Bind is judged
            await connection.execute(b"ASK 'one'", prepare=True)
            assert loop not in threads
        await said("ASK FORGET 'one'", "ASK 'one'")
