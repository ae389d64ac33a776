"""An ASK whose PostgreSQL is far away: its round trips, its time, and what it costs both sides.

Owns: what is asked, and what is counted meanwhile. Every question is asked once as one that no one has asked
before, and then again, as one that is pinned.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from askwire.bench.performance.far_link import FarLink
from askwire.bench.performance.processes import cpu_seconds
from askwire.bench.proxy_process import ProxyProcess
from askwire.bench.question_files import BenchQuestion

_WARMUP_QUESTION: Final = "how many are there?"
_Figures = dict[str, float]


def measure(
    dsn: str,
    settings: Mapping[str, str],
    questions: Sequence[BenchQuestion],
    delay_ms: int,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Medians over the questions; the server's processor time is None where it runs elsewhere.

    `delay_ms` is how long a round trip between askwire and PostgreSQL takes.
    """
    given = conninfo_to_dict(dsn)
    host, port = (
        str(given.get("hostaddr") or given.get("host") or "127.0.0.1"),
        int(given.get("port") or 5432),
    )
    with FarLink(host, port, delay_ms / 1000) as link:
        far = make_conninfo(dsn, host="127.0.0.1", port=link.port, sslmode="disable")
        with (
            ProxyProcess(far, settings) as proxy,
            psycopg.connect(proxy.conninfo, autocommit=True, prepare_threshold=None) as client,
        ):
            first, again = [], []
            schema = ""
            for asked in questions:
                if asked.db_id != schema:
                    schema = asked.db_id
                    client.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
                    _ask(client, _WARMUP_QUESTION)
                first.append(_counted(client, asked, link, proxy.pid))
                again.append(_counted(client, asked, link, proxy.pid))
                tell(f"{asked.id}: {_told(first[-1])}; again {_told(again[-1])}")
    return {
        "delay_ms": delay_ms,
        "questions": len(first),
        "first": _medians(first),
        "again": _medians(again),
    }


def _counted(client: psycopg.Connection[Any], asked: BenchQuestion, link: FarLink, proxy: int) -> _Figures:
    backend = client.info.backend_pid
    trips, proxy_cpu, server_cpu = link.trips, cpu_seconds(proxy), _cpu_of(backend)
    began = time.perf_counter()
    _ask(client, asked.question)
    counted = {
        "round_trips": link.trips - trips,
        "ms": (time.perf_counter() - began) * 1000,
        "proxy_cpu_ms": (cpu_seconds(proxy) - proxy_cpu) * 1000,
    }
    if server_cpu is not None:
        counted["server_cpu_ms"] = ((_cpu_of(backend) or server_cpu) - server_cpu) * 1000
    return counted


def _ask(client: psycopg.Connection[Any], question: str) -> None:
    # what has no answer has made its round trips too
    with suppress(psycopg.DatabaseError):
        client.execute(sql.SQL("ASK {}").format(sql.Literal(question)))


def _cpu_of(backend: int) -> float | None:
    return cpu_seconds(backend) if Path(f"/proc/{backend}/task").is_dir() else None


def _told(figures: _Figures) -> str:
    return ", ".join(f"{figures[name]:.0f} {name.replace('_', ' ')}" for name in ("round_trips", "ms"))


def _medians(runs: Sequence[_Figures]) -> dict[str, float]:
    """The median of each figure, and the most round trips that one took."""
    if not runs:
        return {}
    medians = {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}
    return {**medians, "most_round_trips": max(run["round_trips"] for run in runs)}
