"""askwire in front of a database, with scripted models behind the real client of models.

Owns: starting and stopping them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from doubles.model_doubles import KEY, config
from servers.running_proxy import OwnDatabase

from askwire.core.clock import MonotonicClock
from askwire.core.settings.table import load
from askwire.llm.providers.mock_server import MockServer
from askwire.llm.sources import open_sources
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.store import MemoryStore

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

FLEET = """
CREATE TABLE carriers (id int PRIMARY KEY, name text);
CREATE TABLE voyages (id int PRIMARY KEY, carrier_id int REFERENCES carriers, status text);
INSERT INTO carriers VALUES (1, 'North'), (2, 'South');
INSERT INTO voyages VALUES (1, 1, 'L'), (2, 2, 'C');
"""
LATE = "SELECT c.name FROM carriers c JOIN voyages v ON v.carrier_id = c.id WHERE v.status = 'L'"


@dataclass(frozen=True)
class ServedSession:
    """A client that is connected, and what askwire remembers."""

    connection: Connection
    store: MemoryStore


@asynccontextmanager
async def served_models(
    database: OwnDatabase, schema: str, *models: MockServer, **given: str
) -> AsyncIterator[ServedSession]:
    """A client of a server whose experts are these models, `model0` the first, and no other one.

    `schema` are the statements that make the database; `given` are settings.
    """
    with database.owner() as connection:
        connection.execute(schema.encode())
    urls = [await model.start() for model in models]
    names = [f"model{number}" for number in range(len(models))]
    settings = load(
        {
            "backend": f"host=127.0.0.1 port={database.port}",
            "listen": "127.0.0.1:0",
            "pins": "off",
            "egress": "rows",
            "experts": ", ".join(names),
            **given,
        }
    )
    configs = [config(url, name=name, key_env="KEY") for url, name in zip(urls, names, strict=True)]
    store = MemoryStore()
    sources = open_sources(configs, {"KEY": KEY}, MonotonicClock())
    resolver = AskResolver(settings, sources=sources, store=store)
    await resolver.prepare()
    server = Server(settings, resolver)
    _, port = await server.start()
    try:
        async with await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={port} dbname={database.name} user=postgres", autocommit=True
        ) as connection:
            yield ServedSession(connection, store)
    finally:
        await server.stop()
        await resolver.close()
        for model in models:
            await model.stop()
