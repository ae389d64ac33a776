"""`./ask bench faults`: each fault against askwire, what the client saw, and whether anything stayed behind.

The server is killed on the way (kill -9 of one of its processes): give one that may be.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from askwire.bench.faults.cases import FAULTS, LOGIN_SECONDS, MOST_CLIENTS, Place
from askwire.bench.faults.client import NAME, Saw
from askwire.bench.faults.link import Plan, link
from askwire.bench.faults.wall_clock import WallClock
from askwire.bench.proxy_process import ProxyProcess

_SCHEMA = (
    "DROP TABLE IF EXISTS parcels",
    "CREATE TABLE parcels (id int, name text)",
    "INSERT INTO parcels SELECT n, 'parcel ' || n FROM generate_series(1, 6) n",
)
_GONE_SECONDS = 15.0


def measure(dsn: str, tell: Callable[[str], None]) -> dict[str, Any]:
    """How many faults there were, and which of them went otherwise than they should."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in _SCHEMA:
            connection.execute(statement)
    return asyncio.run(_measure(dsn, tell))


async def _measure(dsn: str, tell: Callable[[str], None]) -> dict[str, Any]:
    given = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value is not None}
    host, port = given.get("host", "127.0.0.1"), int(given.get("port", "5432"))
    otherwise = []
    with tempfile.TemporaryDirectory() as folder:
        async with link(host, port) as between:
            clock = WallClock(Path(folder))
            settings = {
                "store": str(Path(folder, "store.sqlite")),
                "login_timeout": f"{LOGIN_SECONDS}s",
                "max_clients": str(MOST_CLIENTS),
            }
            through = f"host=127.0.0.1 port={between.port} sslmode=disable dbname=x"
            process = ProxyProcess(through, settings, environment=clock.environment)
            with clock, ExitStack() as running:
                proxy = await asyncio.to_thread(running.enter_context, process)
                where = conninfo_to_dict(proxy.conninfo)
                database, user = given.get("dbname", "postgres"), given.get("user", "postgres")
                place = Place(int(str(where["port"])), proxy.pid, between, clock, database, user, port)
                for fault in FAULTS:
                    between.plan = Plan()
                    saw = await _injected(fault.inject(place))
                    between.plan = Plan()
                    behind = await _left_behind(place)
                    well = re.fullmatch(fault.expected, saw) is not None and not behind and proxy.alive
                    tell(f"| {fault.what} | {saw}{behind} | {'' if well else f'expected {fault.expected}'} |")
                    if not well:
                        otherwise.append(fault.what)
    return {"faults": len(FAULTS), "as_expected": len(FAULTS) - len(otherwise), "otherwise": otherwise}


async def _injected(injecting: Any) -> str:
    try:
        async with asyncio.timeout(60):
            return str(await injecting)
    except Saw as saw:
        return str(saw)
    except (OSError, TimeoutError) as error:
        return type(error).__name__


async def _left_behind(place: Place) -> str:
    """Wait until no session of a client is left on the backend; what is still there otherwise."""
    sql = f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{NAME}' AND pid <> pg_backend_pid()"
    deadline = asyncio.get_running_loop().time() + _GONE_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        try:
            left = await place.direct(sql)
        except (OSError, Saw):  # it recovers from a killed process
            left = "a server that recovers"
        if left == "0 rows":
            return ""
        await asyncio.sleep(0.1)
    return f"; {left} stay behind"
