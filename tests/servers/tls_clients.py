"""Clients over TLS, as tests need them: a context that trusts a certificate, and a driver that asks."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import stat

import psycopg
import pytest
from servers import openssl_files
from servers.openssl_files import Certificates

NEEDS_OPENSSL = pytest.mark.skipif(
    openssl_files.OPENSSL is None, reason="the openssl program makes certificates"
)
ROWS = [(42,)]
"""What `ask` is answered by a scripted resolver."""


def client_context(certificates: Certificates) -> ssl.SSLContext:
    """A client's context that trusts the authority."""
    return ssl.create_default_context(cafile=str(certificates.authority))


def ask(dsn: str) -> tuple[bool, list[tuple[int]]]:
    """Ask through a driver; whether its connection is encrypted, and the rows."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.pgconn.ssl_in_use, connection.execute("ASK 'x'").fetchall()


async def sockets_are_closed(port: int, at_most: int = 0) -> None:
    """Wait until this process has no more sockets to a port than that: a goodbye over TLS takes its turns."""
    async with asyncio.timeout(10):
        while sockets_to(port) > at_most:  # noqa: ASYNC110 - a closed socket tells no one
            await asyncio.sleep(0.001)


def sockets_to(port: int) -> int:
    """How many sockets of this process are connected to a port."""
    found = 0
    for descriptor in map(int, os.listdir("/dev/fd")):
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            with socket.socket(fileno=os.dup(descriptor)) as copied:
                found += copied.family == socket.AF_INET and copied.getpeername()[1] == port
        except OSError:  # closed meanwhile, or connected to no one
            continue
    return found
