"""Bulk through the proxy beside the same directly: rows out, COPY out, and COPY in, in megabytes per second.

Wall time is what counts here, because a relay that waits is slow without working. Both are measured in turn,
and the median of the rounds' ratios is reported. The client is bare (a socket): it is not what is measured.
"""

from __future__ import annotations

import socket
import ssl
import statistics
import struct
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict

from askwire.bench.failure import BenchFailure
from askwire.bench.performance.processes import cpu_seconds

_MB: Final = 1 << 20
_ROW: Final = "repeat('x', 100)"
_ROWS: Final = 400_000
_CHUNK_BYTES: Final = 64 * 1024
_SSL_REQUEST: Final = struct.pack(">II", 8, 80877103)
_COPY_IN_MB: Final = 40

OUTPUT_QUERIES: Final = {
    "rows_out": f"SELECT n, {_ROW} FROM generate_series(1, {_ROWS}) n",
    "copy_out": f"COPY (SELECT n, {_ROW} FROM generate_series(1, {_ROWS}) n) TO STDOUT",
}


def measure(
    ours: str, pid: int, direct: str, rounds: int, tell: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    """MB/s of both, their ratio, and the proxy's processor time per MB."""
    kinds: dict[str, Callable[[str], int]] = {
        **{name: partial(read_out, sql=sql) for name, sql in OUTPUT_QUERIES.items()},
        "copy_in": copy_in,
    }
    figures = {}
    for name, run in kinds.items():
        pairs, cpu = [], []
        for number in range(rounds):
            speeds = {}
            for where in (ours, direct) if number % 2 else (direct, ours):
                before = cpu_seconds(pid)
                speed, megabytes = _timed(run, where)
                speeds[where] = speed
                if where == ours:
                    cpu.append((cpu_seconds(pid) - before) * 1000 / megabytes)
            pairs.append((speeds[ours], speeds[direct]))
            tell(f"{name}: askwire {speeds[ours]:.0f} MB/s, direct {speeds[direct]:.0f} MB/s")
        figures[name] = {
            "askwire_mb_s": round(statistics.median(a for a, _ in pairs)),
            "direct_mb_s": round(statistics.median(b for _, b in pairs)),
            "ratio": round(statistics.median(a / b for a, b in pairs), 3),
            "cpu_ms_per_mb": round(statistics.median(cpu), 3),
        }
    return figures


def _timed(run: Callable[[str], int], where: str) -> tuple[float, float]:
    began = time.perf_counter()
    size = run(where)
    return size / _MB / (time.perf_counter() - began), size / _MB


def read_out(conninfo: str, sql: str) -> int:
    """Run one simple query and read all of its answer; how many bytes that was."""
    with connected(conninfo) as sock:
        sock.sendall(_message(b"Q", sql.encode() + b"\0"))
        return until_ready(sock)


def copy_in(conninfo: str) -> int:
    """Copy into a temporary table; how many bytes were sent."""
    with connected(conninfo) as sock:
        sock.sendall(_message(b"Q", b"CREATE TEMP TABLE bulk (n int, text text)\0"))
        until_ready(sock)
        line = b"12345\t" + b"x" * 100 + b"\n"
        lines = line * (_CHUNK_BYTES // len(line))
        data = _message(b"d", lines)
        sock.sendall(_message(b"Q", b"COPY bulk FROM STDIN\0"))
        sent = 0
        while sent < _COPY_IN_MB * _MB:
            sock.sendall(data)
            sent += len(data)
        sock.sendall(_message(b"c", b""))
        until_ready(sock)
        return sent


def bind(conninfo: str, size: int) -> int:
    """Run a prepared statement with one large parameter; how many bytes were sent."""
    with connected(conninfo) as sock:
        sock.sendall(_message(b"P", b"\0SELECT length($1::bytea)\0\0\0"))
        head = b"\0\0" + struct.pack(">HHHI", 1, 1, 1, size)
        sock.sendall(b"B" + struct.pack(">I", 4 + len(head) + size + 2) + head)
        piece = b"y" * (1 << 20)
        for at in range(0, size, len(piece)):
            sock.sendall(piece[: size - at])
        sock.sendall(b"\0\0" + _message(b"E", b"\0\0\0\0\0") + _message(b"S", b""))
        until_ready(sock)
        return size


def connected(conninfo: str) -> socket.socket:
    """A session that needs no password; raises BenchFailure where one is asked for.

    With `sslmode=require` it is one over TLS.
    """
    given: dict[str, Any] = dict(conninfo_to_dict(conninfo))
    host, port = (
        str(given.get("hostaddr") or given.get("host") or "127.0.0.1"),
        int(given.get("port") or 5432),
    )
    if host.startswith("/"):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(f"{host}/.s.PGSQL.{port}")
    else:
        sock = socket.create_connection((host, port))
    if given.get("sslmode") == "require":
        sock.sendall(_SSL_REQUEST)
        if sock.recv(1) != b"S":
            raise BenchFailure("the server does not support TLS")
        sock = _any_server().wrap_socket(sock)
    user = str(given.get("user") or "postgres")
    database = str(given.get("dbname") or user)
    pairs = b"".join(f"{k}\0{v}\0".encode() for k, v in (("user", user), ("database", database))) + b"\0"
    sock.sendall(struct.pack(">II", len(pairs) + 8, 3 << 16) + pairs)
    until_ready(sock)
    return sock


@cache
def _any_server() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _message(kind: bytes, payload: bytes) -> bytes:
    return kind + struct.pack(">I", len(payload) + 4) + payload


def until_ready(sock: socket.socket) -> int:
    """Read up to a ReadyForQuery at the end of what was sent; how many bytes that was."""
    size = 0
    tail = b""
    while True:
        data = sock.recv(1 << 18)
        if not data:
            raise BenchFailure("the connection was closed; the measurements need a log-in without a password")
        size += len(data)
        tail = (tail + data)[-6:]
        if tail[:5] == b"Z\0\0\0\5":
            return size
