"""What models are told besides the schema, through the whole server: feedback and documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
from model_doubles import KEY, config
from model_stages import said, to, wrote
from running_proxy import OwnDatabase

from askwire.core.clock import MonotonicClock
from askwire.core.records import Demonstration
from askwire.core.settings import load
from askwire.llm.providers.mock_server import MockServer
from askwire.llm.sources import open_sources
from askwire.proxy.ask import AskResolver
from askwire.proxy.server import Server
from askwire.store import MemoryStore

FLEET = """
CREATE TABLE carriers (id int PRIMARY KEY, name text);
CREATE TABLE voyages (id int PRIMARY KEY, carrier_id int REFERENCES carriers, status text);
CREATE TABLE secrets (id int PRIMARY KEY, wage int);
INSERT INTO carriers VALUES (1, 'North'), (2, 'South');
INSERT INTO voyages VALUES (1, 1, 'L'), (2, 2, 'C');
"""
SQL = "SELECT c.name FROM carriers c JOIN voyages v ON v.carrier_id = c.id WHERE v.status = 'L'"
FIRST = "which hauliers of 'L' ran behind schedule?"
SECOND = "which hauliers of 'C' ran behind schedule?"
SCRIPT = (
    to("probe", said(action="done", sql="", columns=[], values=[])),
    to("generate", wrote(SQL)),
)


@asynccontextmanager
async def served(
    database: OwnDatabase, **given: str
) -> AsyncIterator[tuple[psycopg.AsyncConnection[tuple[Any, ...]], MockServer, MemoryStore, str]]:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(FLEET)
    model, store = MockServer(SCRIPT), MemoryStore()
    settings = load(
        {
            "backend": f"host=127.0.0.1 port={database.port}",
            "listen": "127.0.0.1:0",
            "pins": "off",
            "egress": "rows",
            "experts": "model",
            **given,
        }
    )
    configs = [config(await model.start(), name="model", key_env="KEY")]
    resolver = AskResolver(
        settings, sources=open_sources(configs, {"KEY": KEY}, MonotonicClock()), store=store
    )
    await resolver.prepare()
    server = Server(settings, resolver)
    _, port = await server.start()
    try:
        async with await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={port} dbname={database.name} user=postgres", autocommit=True
        ) as connection:
            yield connection, model, store, f"127.0.0.1:{database.port}"
    finally:
        await server.stop()
        await resolver.close()
        await model.stop()


async def ask(connection: psycopg.AsyncConnection[tuple[Any, ...]], question: str) -> None:
    quoted = question.replace("'", "''")
    await connection.execute(f"ASK '{quoted}'".encode())


async def test_what_the_role_called_right_is_an_example_for_its_next_question(database: OwnDatabase) -> None:
    async with served(database) as (connection, model, _, _):
        await ask(connection, FIRST)
        assert not any("example" in asked.prompt for asked in model.asked)
        await connection.execute(b"ASK RIGHT")
        await ask(connection, SECOND)
        assert f'example with values "{FIRST} → {SQL}"' in model.asked[-1].prompt


async def test_of_another_role_the_ways_are_told_and_neither_values_nor_names(database: OwnDatabase) -> None:
    async with served(database, operators="root") as (connection, model, store, _):
        await ask(connection, FIRST)
        await connection.execute(b"ASK RIGHT")
        (mine,) = await store.find(Demonstration)
        store.remove(Demonstration, mine.key)
        place = {"server": mine.server, "database": mine.database, "role": "bob"}
        store.put(
            Demonstration("1", 1.0, question=FIRST, sql=SQL, approved_by="root", **place),
            Demonstration("2", 1.0, question="hauliers of Bob", sql=SQL, **place),
            Demonstration(
                "3",
                1.0,
                question="hauliers by wage",
                sql="SELECT wage FROM gone",
                approved_by="root",
                **place,
            ),
        )
        await ask(connection, SECOND)
        (line,) = [line for line in model.asked[-1].prompt.splitlines() if line.startswith("example ")]
        assert line == (
            "example \"which … of ' … ' ran … … ? → SELECT n1.name FROM carriers n1 JOIN voyages n2 "
            "ON n2.carrier_id = n1.id WHERE n2.status = '…'\""
        )


async def test_documents_of_the_folder_are_told(database: OwnDatabase, tmp_path: Path) -> None:
    (tmp_path / "late.md").write_text("# Schedules\nHauliers run behind schedule when voyages.status is L.")
    async with served(database, knowledge=str(tmp_path), egress="schema") as (connection, model, _, _):
        await ask(connection, SECOND)
        prompt = model.asked[-1].prompt
        assert (
            'document "late.md, Schedules: Hauliers run behind schedule when voyages.status is L."' in prompt
        )
        assert 'name "voyages.status"' in prompt
