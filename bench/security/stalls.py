"""How long other sessions wait while one ASK is given texts that cost much to read.

    python -m askwire.bench.security.stalls DSN [NAME …]

A model behind a local endpoint answers with each text of `pathological` in turn, whose names begin with one
of NAME. Meanwhile a session of its own sends `SELECT 1` through the proxy, and a client asks the console's
`/healthz`, one after the other without a pause. Printed per text: the longest wait of each, what the ASK came
to and how long it took, in milliseconds; last, the worst of all, beside the worst while nothing is asked. The
waits hold those of this process and machine. Owns: measuring.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import psycopg

from askwire.bench.proxy_process import ProxyProcess
from askwire.bench.security.pathological import answers
from askwire.llm.providers.mock_server import Answer, MockServer

ASK_TIMEOUT_SECONDS: Final = 5.0
_PLAIN_ANSWER: Final = json.dumps({"reading": "one", "sql": "SELECT 1"})
_SETTLE_SECONDS: Final = 2.0
_SAMPLE_INTERVAL_SECONDS: Final = 0.001
_TABLE: Final = (
    "DROP TABLE IF EXISTS orders; CREATE TABLE orders (id int PRIMARY KEY, status text, placed date);"
    "INSERT INTO orders SELECT i, 'v' || i, '2025-01-01'::date + i FROM generate_series(1, 200) i"
)


@dataclass
class _Probe:
    """One thread that does the same thing over and over; `longest` is the longest that it took, in ms."""

    once: Callable[[], object]
    longest: float = 0.0
    rounds: int = 0
    _ends: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Until `end`."""
        while not self._ends.wait(_SAMPLE_INTERVAL_SECONDS):
            began = time.perf_counter()
            self.once()
            self.longest = max(self.longest, (time.perf_counter() - began) * 1000)
            self.rounds += 1

    def taken(self) -> float:
        """The longest since it was asked for last."""
        longest, self.longest = self.longest, 0.0
        return round(longest, 1)

    def end(self) -> None:
        """The round under way is the last."""
        self._ends.set()


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


def _health(port: int) -> Callable[[], object]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def once() -> object:
        connection.request("GET", "/healthz")
        return connection.getresponse().read()

    return once


async def measure(dsn: str, names: Sequence[str]) -> dict[str, object]:
    """Measure all texts, print each, and return the figures of the whole run."""
    chosen = {n: a for n, a in answers().items() if not names or n.startswith(tuple(names))}
    model = MockServer((Answer(text=_PLAIN_ANSWER),))
    url = await model.start()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(_TABLE)
    port = _free_port()
    settings = {
        "store": "memory",
        "pins": "off",
        "experts": "mock",
        "timeout": f"{ASK_TIMEOUT_SECONDS:g}s",
        "console_listen": f"127.0.0.1:{port}",
        "repairs": "0",
    }
    environment = {
        "ASKWIRE_EXPERT_MOCK_URL": url,
        "ASKWIRE_EXPERT_MOCK_MODEL": "mock",
    }
    with ProxyProcess(dsn, settings, environment=environment) as proxy:
        other = psycopg.connect(proxy.conninfo, autocommit=True)
        probes = {
            "select": _Probe(lambda: other.execute("SELECT 1").fetchall()),
            "healthz": _Probe(_health(port)),
        }
        threads = [threading.Thread(target=probe.run) for probe in probes.values()]
        try:
            async with await psycopg.AsyncConnection.connect(proxy.conninfo, autocommit=True) as asker:
                await asker.execute(f"SET statement_timeout = {ASK_TIMEOUT_SECONDS * 1000:.0f}".encode())
                await _asked(asker, "how many orders")  # loads what the first ASK needs
                for thread in threads:
                    thread.start()
                return await _measured(asker, model, chosen, probes)
        finally:
            for probe in probes.values():
                probe.end()
            for thread in threads:
                thread.join()
            other.close()
            await model.stop()


async def _measured(
    asker: psycopg.AsyncConnection[tuple[object, ...]],
    model: MockServer,
    chosen: dict[str, str],
    probes: dict[str, _Probe],
) -> dict[str, object]:
    await asyncio.sleep(_SETTLE_SECONDS)
    quiet = {name: probe.taken() for name, probe in probes.items()}
    worst = dict.fromkeys(probes, 0.0)
    slowest = 0.0
    for number, (name, text) in enumerate(chosen.items()):
        model.answers = (Answer(text=text),)
        began = time.perf_counter()
        came_to = await _asked(asker, f"which orders are these {number}")
        took = round((time.perf_counter() - began) * 1000)
        slowest = max(slowest, took)
        waits = {of: probe.taken() for of, probe in probes.items()}
        worst = {of: max(worst[of], wait) for of, wait in waits.items()}
        sys.stdout.write(json.dumps({"text": name, **waits, "ask": came_to, "took": took}) + "\n")
        sys.stdout.flush()
    rounds = {of: probe.rounds for of, probe in probes.items()}
    return {"texts": len(chosen), "quiet": quiet, "worst": worst, "slowest_ask": slowest, "rounds": rounds}


async def _asked(asker: psycopg.AsyncConnection[tuple[object, ...]], question: str) -> str:
    """'rows', or the SQLSTATE."""
    try:
        await (await asker.execute(f"ASK '{question}'".encode())).fetchall()
    except psycopg.Error as error:
        return error.sqlstate or type(error).__name__
    return "rows"


def main(arguments: Sequence[str]) -> int:
    """The command."""
    if not arguments:
        sys.stderr.write(__doc__ or "")
        return 2
    figures = asyncio.run(measure(arguments[0], arguments[1:]))
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
