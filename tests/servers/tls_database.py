"""A PostgreSQL server that speaks TLS, and the proxy in front of it.

The programs are the system's: those of the wheel were built without TLS.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from doubles.scripted_resolver import ScriptedResolver
from servers.openssl_files import Certificates
from servers.running_proxy import Proxy
from servers.tls_clients import sockets_are_closed, sockets_to

from askwire.core.settings.table import load
from askwire.proxy.demo.embedded_postgres import EmbeddedPostgres
from askwire.proxy.demo.postgres_binaries import Binaries, _account, _system_folders
from askwire.proxy.server import Server


@dataclass(frozen=True)
class TlsDatabase:
    """The database of a PostgreSQL server with TLS, and a connection to look at it with."""

    port: int
    observer: psycopg.Connection[Any]
    name: str = "postgres"


def tls_binaries() -> Binaries | None:
    """Programs of the system that were built with TLS."""
    found = shutil.which("pg_config", path=os.pathsep.join(map(str, _system_folders())))
    if found is None:
        return None
    said = subprocess.run(
        [found, "--configure", "--version"], capture_output=True, text=True, check=True
    ).stdout
    version = re.search(r"PostgreSQL (\d+)", said)
    if version is None or "openssl" not in said:
        return None
    return Binaries(Path(found).parent, int(version[1]), _account())


@contextmanager
def with_tls(folder: Path, certificates: Certificates) -> Iterator[TlsDatabase]:
    """A PostgreSQL server with the certificate, in a folder; `by_scram` must prove its password."""
    binaries = tls_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL that was built with TLS is installed")
    key = folder / "server.key"
    key.write_bytes(certificates.key.read_bytes())
    key.chmod(0o600)
    if os.geteuid() == 0:
        account = pwd.getpwnam("nobody")
        os.chown(key, account.pw_uid, account.pw_gid)
    server = EmbeddedPostgres(
        folder / "with tls",
        hba=[
            "host all by_scram 127.0.0.1/32 scram-sha-256",
            "hostssl all over_tls 127.0.0.1/32 trust",
            "hostnossl all in_the_clear 127.0.0.1/32 trust",
            "host all over_tls,in_the_clear,nowhere 127.0.0.1/32 reject",
            "host all all 127.0.0.1/32 trust",
        ],
        parameters={
            "fsync": "off",
            "autovacuum": "off",
            "ssl": "on",
            "ssl_cert_file": str(certificates.certificate),
            "ssl_key_file": str(key),
        },
        binaries=binaries,
    )
    with server, psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE postgres SUPERUSER LOGIN")
        connection.execute("CREATE ROLE by_scram LOGIN PASSWORD 'secret'")
        for role in ("over_tls", "in_the_clear", "nowhere"):
            connection.execute(f"CREATE ROLE {role} LOGIN".encode())
        yield TlsDatabase(server.port, connection)


@asynccontextmanager
async def in_front_of(database: TlsDatabase, backend: str, **given: str) -> AsyncIterator[Proxy]:
    settings = load({"backend": f"port={database.port} {backend}", "listen": "127.0.0.1:0", **given})
    resolver = ScriptedResolver(settings)
    server = Server(settings, resolver)
    before = sockets_to(database.port)
    proxy = Proxy(server, resolver, await server.start(), database, database.observer)
    try:
        yield proxy
    finally:
        await server.stop()
    await proxy.settles_at(0)
    await sockets_are_closed(database.port, before)
