"""A primary and a hot standby that follows it by streaming replication."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from servers.databases import PASSWORD_ROLES

from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.demo.postgres_binaries import run_as

_HBA = (
    *(f"host all {role} 127.0.0.1/32 {method}" for role, method in PASSWORD_ROLES.items()),
    "host all all 127.0.0.1/32 trust",
    "host replication all 127.0.0.1/32 trust",
)
_QUICK = {"fsync": "off", "max_connections": "50", "autovacuum": "off"}


@dataclass(frozen=True)
class Pair:
    """Two servers; `postgres` is a superuser of both and comes in without a password."""

    primary: EmbeddedPostgres
    standby: EmbeddedPostgres

    def on_primary(self, statement: str) -> None:
        """Carry something out."""
        with _connect(self.primary) as connection:
            connection.execute(statement.encode())

    def on_standby(self, query: str) -> list[Any]:
        """Return the rows of a query."""
        with _connect(self.standby) as connection:
            return connection.execute(query.encode()).fetchall()

    def caught_up(self) -> None:
        """Wait until the standby shows what was written before."""
        with _connect(self.primary) as connection:
            written = connection.execute("SELECT pg_current_wal_flush_lsn()").fetchall()[0][0]
        end = time.monotonic() + 60
        behind = f"SELECT pg_last_wal_replay_lsn() < '{written}'"
        while self.on_standby(behind)[0][0]:
            assert time.monotonic() < end, "the standby does not follow"
            time.sleep(0.01)

    @contextmanager
    def falling_behind(self) -> Iterator[None]:
        """Have the standby replay nothing for a while."""
        self.caught_up()
        self.on_standby("SELECT pg_wal_replay_pause()")
        end = time.monotonic() + 60
        while self.on_standby("SELECT pg_get_wal_replay_pause_state()")[0][0] != "paused":
            assert time.monotonic() < end, "the standby does not pause"
            time.sleep(0.01)
        try:
            yield
        finally:
            self.on_standby("SELECT pg_wal_replay_resume()")
            self.caught_up()


def _connect(server: EmbeddedPostgres) -> psycopg.Connection[Any]:
    return psycopg.connect(
        host="127.0.0.1", port=server.port, user="postgres", dbname="postgres", autocommit=True
    )


@contextmanager
def replicated(folder: Path) -> Iterator[Pair]:
    """Make both in a folder, and end them."""
    with EmbeddedPostgres(folder / "primary", hba=_HBA, parameters=_QUICK) as primary:
        with psycopg.connect(primary.dsn, autocommit=True) as connection:
            # where no system user is called so, the first superuser is
            if connection.execute("SELECT FROM pg_roles WHERE rolname = 'postgres'").fetchone() is None:
                connection.execute("CREATE ROLE postgres SUPERUSER REPLICATION LOGIN")
        with _copied(primary, folder / "standby") as standby:
            pair = Pair(primary, standby)
            pair.caught_up()
            yield pair


@contextmanager
def _copied(primary: EmbeddedPostgres, folder: Path) -> Iterator[EmbeddedPostgres]:
    account = primary.binaries.account
    folder.mkdir(mode=0o755)
    if account:
        os.chown(folder, account.uid, account.gid)
    source = f"host=127.0.0.1 port={primary.port} user=postgres"
    subprocess.run(
        [
            *(primary.binaries.program("pg_basebackup"), "-D", str(folder / "cluster"), "-d", source),
            *("-R", "--checkpoint=fast", "--no-sync", "--wal-method=stream"),
        ],
        check=True,
        cwd="/",
        **run_as(account),
    )
    for name in ("lock", "admin.password"):
        shutil.copy(primary.data / name, folder / name)
    # what stands in the way of replay goes at once
    parameters = {**_QUICK, "max_standby_streaming_delay": "0", "wal_receiver_status_interval": "1"}
    with EmbeddedPostgres(folder, hba=_HBA, parameters=parameters) as standby:
        yield standby
