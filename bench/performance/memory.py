"""Memory that a connection costs: one that is idle, and one whose client does not read.

Owns: the connections and the arithmetic. What the kernel keeps for sockets is not counted, for no proxy.
"""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from psycopg.conninfo import make_conninfo

from askwire.bench.performance import bulk
from askwire.bench.performance.bulk import connected
from askwire.bench.performance.processes import (
    make_certificate,
    module,
    peak_bytes,
    pgbouncer,
    private_bytes,
)
from askwire.bench.proxy_process import ProxyProcess

_WARMUP_SESSIONS: Final = 50
_IDLE_SESSIONS: Final = 1000
_STALLED_SESSIONS: Final = 20
_SETTLED_SECONDS: Final = 1.0
_ROW_BYTES: Final = 1_000_000_000
_BIND_BYTES: Final = 500_000_000


@contextmanager
def stub_backend() -> Iterator[str]:
    """A stub backend in a process of its own; how to reach it."""
    process = subprocess.Popen(**module("askwire.bench.performance.stub_backend"), stdin=subprocess.PIPE)
    with process:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"host=127.0.0.1 port={port} user=me dbname=me sslmode=disable"
        if process.stdin:
            process.stdin.close()


def idle(settings: Mapping[str, str], *, beside_pgbouncer: bool) -> dict[str, int]:
    """Bytes per idle connection among a thousand, without TLS and with it."""
    figures: dict[str, int] = {}
    with stub_backend() as backend, tempfile.TemporaryDirectory() as folder:
        with ProxyProcess(backend, {**settings, "max_clients": "0"}) as proxy:
            figures["askwire"] = round(_each(proxy.conninfo, proxy.pid))
        with ProxyProcess(
            backend, {**settings, "max_clients": "0", **make_certificate(folder).settings}
        ) as proxy:
            conninfo = make_conninfo(proxy.conninfo, sslmode="require")
            figures["askwire_tls"] = round(_each(conninfo, proxy.pid))
        if beside_pgbouncer:
            with pgbouncer(backend) as other:
                figures["pgbouncer_without_backends"] = round(_each(other.conninfo, other.pid))
    return figures


def _each(conninfo: str, pid: int) -> float:
    """The median of three times as many more connections."""
    with ExitStack() as connections:
        for _ in range(_WARMUP_SESSIONS):
            connections.enter_context(connected(conninfo))
        before = settled(pid)
        for _ in range(_IDLE_SESSIONS):
            connections.enter_context(connected(conninfo))
        return (settled(pid) - before) / _IDLE_SESSIONS


def stalled(dsn: str, settings: Mapping[str, str]) -> dict[str, int]:
    """Bytes per connection whose client has asked for 100 MB and reads none of it."""
    with ProxyProcess(dsn, settings) as proxy, ExitStack() as stack:
        sessions = [stack.enter_context(connected(proxy.conninfo)) for _ in range(_STALLED_SESSIONS)]
        before = settled(proxy.pid)
        query = b"SELECT repeat('x', 10000) FROM generate_series(1, 10000)\0"
        for session in sessions:
            session.sendall(b"Q" + (len(query) + 4).to_bytes(4, "big") + query)
        grown = (settled(proxy.pid) - before) / _STALLED_SESSIONS
        for session in sessions:
            session.shutdown(socket.SHUT_RDWR)
        return {"askwire": round(grown)}


def large(dsn: str, settings: Mapping[str, str]) -> dict[str, int]:
    """How much the process grew at most while a row of a gigabyte and a Bind of half of one passed."""
    with ProxyProcess(dsn, settings) as proxy:
        bulk.read_out(proxy.conninfo, "SELECT 1")
        before = peak_bytes(proxy.pid)
        row = bulk.read_out(proxy.conninfo, f"SELECT repeat('x', {_ROW_BYTES})")
        sent = bulk.bind(proxy.conninfo, _BIND_BYTES)
        return {"row": row, "bind": sent, "grew_by": peak_bytes(proxy.pid) - before}


def settled(pid: int, look: Callable[[int], int] = private_bytes) -> int:
    """What is used once it does not change any more."""
    used = -1
    while (now := look(pid)) != used:
        used = now
        time.sleep(_SETTLED_SECONDS)
    return used
