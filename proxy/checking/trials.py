"""What is tried through askwire, one thing per function; each says in a sentence what it found.

Owns: the statements it takes. Nothing that they do stays: what writes does so into a temporary table of a
transaction that is rolled back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from askwire.core.errors import ConfigurationError, DatabaseFailed
from askwire.proxy.connection.dsn import parse_dsn, read_parameters
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.own_connection import OwnConnection, Target, connected
from askwire.proxy.wire import messages

_CAPS: Final = Caps(timeout_ms=10_000, longest_ms=0, lock_timeout_ms=1000, max_rows=100, max_bytes=1 << 20)
_SLEEP_SECONDS: Final = 8
_MAX_CANCEL_SECONDS: Final = 4.0
_ROWS: Final = 1000
_READ_ONLY: Final = ("25006", "42501")


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of the report: it works, it does not, or there is something to know."""

    mark: str
    sentence: str


def works(sentence: str) -> ReportLine:
    """It does what it should."""
    return ReportLine("ok", sentence)


def fails(sentence: str) -> ReportLine:
    """It does not."""
    return ReportLine("no", sentence)


def note(sentence: str) -> ReportLine:
    """There is something to know."""
    return ReportLine("note", sentence)


async def version(connection: OwnConnection) -> ReportLine:
    """Which PostgreSQL this is."""
    async with connection.executor(_CAPS).batch() as batch:
        rows = (
            await batch.read(
                "SELECT pg_catalog.current_setting('server_version'), pg_catalog.pg_is_in_recovery()::text,"
                " current_user"
            )
        ).rows
    number, standby, user = rows[0]
    return works(f"logged in as {user} on PostgreSQL {number}{', a standby' if standby == 'true' else ''}")


async def prepared(connection: OwnConnection) -> ReportLine:
    """Prepared statements with parameters."""
    async with connection.executor(_CAPS).batch() as batch:
        rows = (await batch.read("SELECT $1::text", ("a value",))).rows
    if list(rows) != [("a value",)]:
        return fails("a prepared statement does not return the parameter it was given")
    return works("prepared statements with parameters")


async def read_only(connection: OwnConnection) -> ReportLine:
    """That a probe cannot write."""
    try:
        async with connection.executor(_CAPS).batch() as batch:
            await batch.read("CREATE TABLE askwire_check (a int)")
    except DatabaseFailed as error:
        if error.code in _READ_ONLY:
            return works("probes are read-only: a statement that writes is refused")
        raise
    return fails("a probe could create a table; askwire must not be used in front of this server")


async def cancel(connection: OwnConnection) -> ReportLine:
    """A cancel request reaches the statement it means."""
    executor = connection.executor(_CAPS)

    async def sleep() -> None:
        async with executor.batch() as batch:
            await batch.read(f"SELECT pg_catalog.pg_sleep({_SLEEP_SECONDS})")

    began = time.monotonic()
    task = asyncio.create_task(sleep())
    done, _ = await asyncio.wait((task,), timeout=0.3)
    task.cancel()
    await asyncio.wait((task,))
    took = time.monotonic() - began
    if done or took > _MAX_CANCEL_SECONDS:
        return fails(f"a cancel request did not reach the statement it meant ({took:.1f} s)")
    return works("cancel requests")


async def copy_out(connection: OwnConnection) -> ReportLine:
    """COPY TO STDOUT."""
    query = f"SELECT n FROM pg_catalog.generate_series(1, {_ROWS}) n"
    frames = await connection.simple(f"COPY ({query}) TO STDOUT")
    rows = sum(kind == ord("d") for kind, _ in frames)
    return works("COPY out") if rows == _ROWS else fails(f"COPY out gave {rows} rows instead of {_ROWS}")


async def copy_in(connection: OwnConnection) -> ReportLine:
    """COPY FROM STDIN into a temporary table; a server that does not let anybody make one is no failure."""
    await connection.simple("BEGIN")
    try:
        await connection.simple("CREATE TEMPORARY TABLE askwire_check (a int)")
        lines = b"".join(b"%d\n" % n for n in range(_ROWS))
        data = messages.frame(b"d", lines) + messages.frame(b"c", b"")
        frames = await connection.simple("COPY pg_temp.askwire_check FROM STDIN", data)
    except DatabaseFailed as error:
        return note(f"COPY in was not tried: {error.message}")
    finally:
        await connection.simple("ROLLBACK")
    tags = [payload.rstrip(b"\0").decode() for kind, payload in frames if kind == ord("C")]
    return works("COPY in") if tags == [f"COPY {_ROWS}"] else fails(f"COPY in ended with {tags}")


async def extensions(connection: OwnConnection) -> ReportLine:
    """What is installed that askwire can read."""
    async with connection.executor(_CAPS).batch() as batch:
        rows = (
            await batch.read(
                "SELECT extname FROM pg_catalog.pg_extension WHERE extname IN"
                " ('pg_stat_statements', 'pg_trgm', 'fuzzystrmatch', 'unaccent') ORDER BY extname"
            )
        ).rows
    names = [str(name) for (name,) in rows]
    there = f"extensions: {', '.join(names) or 'none that askwire knows'}"
    if "pg_stat_statements" in names:
        return works(there)
    return note(f"{there}; the setting workload would read pg_stat_statements, which is not installed")


async def standby(target: Target, dsn: str) -> ReportLine:
    """Whether the server of `probe_backend` is a standby of this one, and lets somebody in."""
    given = read_parameters(dsn)
    there = replace(target, address=parse_dsn(dsn))
    if user := given.get("user"):
        there = replace(there, user=user, password=given.get("password"), may_prompt=False)
    try:
        systems = []
        for place in (target, there):
            async with connected(place) as connection, connection.executor(_CAPS).batch() as batch:
                systems.append((await batch.read(_SYSTEM)).rows[0])
    except (ConfigurationError, DatabaseFailed) as error:
        return fails(f"probe_backend: {error.message}")
    (system, _, _), (copied, recovers, age) = systems
    if copied != system or recovers != "true":
        return fails(f"probe_backend: {there.address} is not a standby of {target.address}")
    last = (
        f"the last change it has replayed is {float(age):.0f} s old" if age else "it has replayed no change"
    )
    return works(f"probe_backend: {there.address} is a standby, and lets {there.user} in; {last}")


_SYSTEM: Final = (
    "SELECT system_identifier, pg_catalog.pg_is_in_recovery()::text,"
    " pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()"
    " - pg_catalog.pg_last_xact_replay_timestamp())"
    " FROM pg_catalog.pg_control_system()"
)

TRIALS: Final[tuple[Callable[[OwnConnection], Awaitable[ReportLine]], ...]] = (
    version,
    prepared,
    read_only,
    cancel,
    copy_out,
    copy_in,
    extensions,
)
"""In the order of the report."""
