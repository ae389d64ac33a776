"""How long history is kept is a setting: a server that starts deletes what is older."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from data.store_records import asked, every_kind
from servers.running_proxy import OwnDatabase

from askwire.core.records import AskedTrace, Pin
from askwire.core.settings.table import load
from askwire.proxy import server
from askwire.store.retention import DAY_SECONDS
from askwire.store.sqlite_file import SqliteFile


@pytest.mark.parametrize(
    ("days", "left"), [("30", {"new"}), ("0", {"new", "month", "year"}), ("90", {"new", "month"})]
)
async def test_history_older_than_the_setting_goes(
    empty_database: OwnDatabase, tmp_path: Path, days: str, left: set[str]
) -> None:
    now, path = time.time(), tmp_path / "store.sqlite"
    ages = {"new": 1, "month": 40, "year": 370}
    pin = next(r for r in every_kind() if isinstance(r, Pin))
    file = SqliteFile(path)
    file.write([asked(key, at=now - age * DAY_SECONDS) for key, age in ages.items()])
    file.write([AskedTrace(key, now - age * DAY_SECONDS, "[]") for key, age in ages.items()])
    file.write([replace(pin, key=key, used_at=now - age * DAY_SECONDS) for key, age in ages.items()])
    file.close()
    settings = load(
        {
            "backend": f"host=127.0.0.1 port={empty_database.port}",
            "listen": "127.0.0.1:0",
            "store": str(path),
            "history_days": days,
            "pin_days": "100",
            "operators": "postgres",
        }
    )
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(server.run(settings, ready=lambda host, port: ready.set_result(port)))
    try:
        where = f"host=127.0.0.1 port={await ready} dbname={empty_database.name} user=postgres"
        async with await psycopg.AsyncConnection.connect(where, autocommit=True) as connection:
            found = await (await connection.execute("SELECT key FROM ask.history")).fetchall()
            assert {key for (key,) in found} == left
            found = await (await connection.execute("SELECT count(*) FROM ask.pins")).fetchall()
            assert found == [(2,)]
    finally:
        running.cancel()
        await asyncio.wait((running,))
    file = SqliteFile(path)
    assert {r.key for r in file.read(AskedTrace, {}, 10)} == left
    file.close()
