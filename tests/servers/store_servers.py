"""What stands between a store and its PostgreSQL in tests: relays and servers that fail on purpose."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from servers.listening import listening_at, relay_to

from askwire.core.protocols import Change
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.store.postgres.store import PostgresStore


async def until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for what another thread does."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - another thread's doing
            await asyncio.sleep(0.005)


class StoreWatcher:
    """The changes that a store tells of."""

    def __init__(self, store: PostgresStore) -> None:
        self.seen: list[Change] = []
        store.watch(self._take)

    def _take(self, changes: Sequence[Change]) -> None:
        self.seen += changes

    def has(self, key: str) -> bool:
        """Whether a change of a key was seen."""
        return any(change.key == key for change in self.seen)


async def listening(store: PostgresStore) -> None:
    """Wait until a store sees what others change."""
    await until(lambda: bool(store.status.news))


class Relay:
    """Hands on to `target`, `delay` seconds later; nothing gets through while it is `down`."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.delay = 0.0
        self.down = False
        self.port = 0
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection."""
        if self.down:
            return
        self._writers.add(writer)
        try:
            await relay_to(self.target, reader, writer, one_way=self._hand_on)
        finally:
            self._writers.discard(writer)

    async def _hand_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if self.delay:
                    await asyncio.sleep(self.delay)
                target.write(data)
        target.close()

    def cut(self) -> None:
        """End all connections."""
        for writer in self._writers:
            writer.transport.abort()


@asynccontextmanager
async def relay(target: int) -> AsyncIterator[Relay]:
    """A relay to a port of this machine."""
    one = Relay(target)
    async with listening_at(one.serve) as one.port:
        yield one


@contextmanager
def own_server(folder: Path, **parameters: str) -> Iterator[EmbeddedPostgres]:
    """A server of a test's own, with a superuser `postgres` that comes in without a password."""
    server = EmbeddedPostgres(
        folder,
        hba=["host all postgres 127.0.0.1/32 trust"],
        parameters={"fsync": "off", "autovacuum": "off", **parameters},
    )
    with server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(b"CREATE ROLE postgres SUPERUSER LOGIN")
        yield server


def kill(server: EmbeddedPostgres) -> None:
    """End a server as a crash does: what it had not written to its log is gone."""
    pid = int((server.data / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])
    os.kill(pid, signal.SIGQUIT)
    server.stop()


@contextmanager
def pooler(folder: Path, port: int, database: str) -> Iterator[int]:
    """The port of a PgBouncer in transaction mode; skips the test where there is none."""
    binary = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if binary is None:
        pytest.skip("there is no pgbouncer")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        own: int = probe.getsockname()[1]
    folder.mkdir()
    file = folder / "pgbouncer.ini"
    file.write_text(
        f"[databases]\n{database} = host=127.0.0.1 port={port} dbname={database} user=postgres\n"
        "[pgbouncer]\nlisten_addr = 127.0.0.1\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n"
        f"listen_port = {own}\nmax_client_conn = 100\ndefault_pool_size = 5\n"
    )
    user: list[str] = []
    if os.geteuid() == 0:  # it does not run as root
        user = ["-u", "nobody"]
        nobody = pwd.getpwnam("nobody")
        for path in (folder, file):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    process = subprocess.Popen([binary, "-q", *user, str(file)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(500):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", own)).close()
                break
            time.sleep(0.02)
        yield own
    finally:
        process.kill()  # from 1.23 on SIGTERM waits for its clients
        process.wait()
