"""`./ask bench performance`: what relaying costs beside PgBouncer and no proxy, and an ASK on a slow network.

Owns: which measurements there are, and their order. Linux only: processor time and memory come from /proc.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from psycopg.conninfo import make_conninfo

from askwire.bench.failure import BenchFailure
from askwire.bench.performance import asks, bulk, memory, queries
from askwire.bench.performance.processes import make_certificate, module, pgbouncer
from askwire.bench.proxy_process import ProxyProcess
from askwire.bench.question_files import BenchQuestion

WITHOUT_QUESTIONS: Final = ("queries", "tls", "bulk", "memory", "large", "scanner")
OVER_TLS: Final = {
    "queries": (False, False),
    "tls": (True, False),
    "backend_tls": (False, True),
    "both_tls": (True, True),
}
"""Parts that run pgbench, and whether its connections to the proxy, and those behind it, use TLS."""

PARTS: Final = (*WITHOUT_QUESTIONS, "backend_tls", "both_tls", "asks")
_IN_MEMORY: Final = {"store": "memory"}


def measure(
    dsn: str,
    parts: Sequence[str],
    rounds: int,
    seconds: int,
    *,
    asked: Sequence[BenchQuestion] = (),
    delay_ms: int = 0,
    compiled: bool,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """The figures of the named parts; raises BenchFailure where something needed is missing.

    `asked` and `delay_ms` are for ASKs whose PostgreSQL is far away.
    """
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise BenchFailure(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    if "asks" in parts and not asked:
        raise BenchFailure("the part asks needs --questions")
    scanner = json.loads(subprocess.run(**module("askwire.proxy.wire.timing"), check=True).stdout)
    if compiled and not scanner["compiled"]:
        raise BenchFailure("the compiled part of the relay is not built; --python measures without it")
    settings = {**_IN_MEMORY, "compiled_relay": "on" if compiled else "off"}
    figures: dict[str, Any] = {"compiled": compiled}
    if "scanner" in parts:
        figures["scanner"] = scanner
    if "memory" in parts:
        figures["memory"] = {
            "idle_bytes": memory.idle(settings, beside_pgbouncer=True),
            "stalled_bytes": memory.stalled(dsn, settings),
        }
    if "large" in parts:
        figures["large"] = memory.large(dsn, settings)
    if "asks" in parts:
        figures["asks"] = asks.measure(dsn, settings, asked, delay_ms, tell)
    if "bulk" in parts:
        with ProxyProcess(dsn, settings) as proxy:
            figures["bulk"] = bulk.measure(proxy.conninfo, proxy.pid, dsn, rounds, tell)
    for part, ends in OVER_TLS.items():
        if part in parts:
            queries.prepare(dsn)
            figures[part] = _per_query(dsn, settings, ends, rounds, seconds, tell)
    return figures


def _per_query(
    dsn: str,
    settings: Mapping[str, str],
    over_tls: tuple[bool, bool],
    rounds: int,
    seconds: int,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """What a query costs; `over_tls` as in OVER_TLS."""
    in_front, behind = over_tls
    dsn = make_conninfo(dsn, sslmode="require" if behind else "disable")
    with tempfile.TemporaryDirectory() as folder:
        certificate = make_certificate(folder) if in_front else None
        with (
            ProxyProcess(dsn, {**settings, **(certificate.settings if certificate else {})}) as proxy,
            pgbouncer(dsn, certificate, encrypts_to_backend=behind) as other,
        ):
            ours, theirs = (
                (make_conninfo(conninfo, sslmode="require" if in_front else "disable"), pid)
                for conninfo, pid in ((proxy.conninfo, proxy.pid), (other.conninfo, other.pid))
            )
            return queries.measure(ours, theirs, rounds, seconds, tell)
