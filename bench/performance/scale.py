"""`./ask bench scale`: what a session and a query cost among more and more sessions.

Sessions come in front of a stub that answers every query with nothing, so that no backend is measured, and
one of them sends queries. Owns: these figures.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from askwire.bench.performance.bulk import connected, until_ready
from askwire.bench.performance.memory import settled, stub_backend
from askwire.bench.performance.processes import cpu_seconds
from askwire.bench.proxy_process import ProxyProcess

_QUERY: Final = b"Q\x00\x00\x00\x0dSELECT 1\x00"
_WARMUP_QUERIES: Final = 10
_TIMED_QUERIES: Final = 2_000
_ROUNDS: Final = 5


def measure(sessions: Sequence[int], tell: Callable[[dict[str, Any]], None]) -> list[dict[str, Any]]:
    """For each number of sessions: their log-in, their memory, and a query among them."""
    found = []
    with stub_backend() as backend:
        for number in sessions:
            settings = {"max_clients": "0", "max_logins": "0", "store": "memory", "history": "off"}
            with ProxyProcess(backend, settings) as proxy, ExitStack() as held:
                for _ in range(_WARMUP_QUERIES):
                    held.enter_context(connected(proxy.conninfo))
                before, spent = settled(proxy.pid), cpu_seconds(proxy.pid)
                for _ in range(number):
                    held.enter_context(connected(proxy.conninfo))
                logged_in = cpu_seconds(proxy.pid) - spent
                memory = settled(proxy.pid) - before
                one = held.enter_context(connected(proxy.conninfo))
                queries = median(_queries(one, proxy.pid) for _ in range(_ROUNDS))
                found.append(
                    {
                        "sessions": number,
                        "log_in_us": round(logged_in / number * 1e6),
                        "bytes_each": round(memory / number),
                        "query_us": round(queries * 1e6, 1),
                        "idle_cpu_percent": round(_idle(proxy.pid) * 100, 2),
                    }
                )
                tell(found[-1])
    return found


def _queries(client: socket.socket, pid: int) -> float:
    """Processor seconds of a query."""
    before = cpu_seconds(pid)
    for _ in range(_TIMED_QUERIES):
        client.sendall(_QUERY)
        until_ready(client)
    return (cpu_seconds(pid) - before) / _TIMED_QUERIES


def _idle(pid: int) -> float:
    """The share of a processor that is used while no one does anything."""
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(5)
    return (cpu_seconds(pid) - before) / (time.monotonic() - began)
