"""The measurements of relaying, on a small scale: that they measure, not what."""

from __future__ import annotations

import os
import sys

import psycopg
import pytest
from servers.databases import Database

from askwire.bench.failure import BenchFailure
from askwire.bench.performance import asks, bulk, memory, processes, run
from askwire.bench.question_files import BenchQuestion
from askwire.proxy.wire import timing

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells what is measured"),
    pytest.mark.usefixtures("loaded_starts"),
]


def test_what_a_process_has_used_is_known() -> None:
    before = processes.cpu_seconds(os.getpid())
    sum(range(3_000_000))
    assert 0 < processes.cpu_seconds(os.getpid()) - before < 30
    assert processes.private_bytes(os.getpid()) > 5_000_000


@pytest.mark.slow
def test_the_scanner_is_measured() -> None:
    figures = timing.measure()
    assert figures["walker_python_ns"] > figures.get("walker_compiled_ns", 0) >= 0


def test_bulk_counts_what_came(database: Database) -> None:
    rows = bulk.read_out(database.dsn(), "SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
    assert 1_000_000 < rows < 1_100_000


def test_a_stub_backend_lets_in() -> None:
    with memory.stub_backend() as backend, bulk.connected(backend), bulk.connected(backend):
        pass


MOST_TRIPS, MOST_AGAIN = 10, 4
TRIES = 4


def test_an_ask_on_a_slow_network_counts_its_round_trips(database: Database) -> None:
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE public.singers (id int PRIMARY KEY, name text)")
        connection.execute("INSERT INTO public.singers VALUES (1, 'Ada')")
    asked = [BenchQuestion("1", "public", "how many singers are there?", "")]
    # on a busy machine an answer may come in pieces, and what is sent between them counts as a trip more
    for _ in range(TRIES):
        told: list[str] = []
        figures = asks.measure(database.dsn(), {"store": "memory"}, asked, 10, told.append)
        assert figures["questions"] == len(told) == 1
        if figures["first"]["round_trips"] <= MOST_TRIPS and figures["again"]["round_trips"] <= MOST_AGAIN:
            break
    # a look, plans, answers, what undoes them, and the chosen SQL; the second time it is pinned
    assert 4 <= figures["first"]["round_trips"] <= MOST_TRIPS
    assert 2 <= figures["again"]["round_trips"] <= MOST_AGAIN
    assert figures["first"]["ms"] > 10 * (figures["first"]["round_trips"] - 1)


def test_asks_need_questions() -> None:
    with pytest.raises(BenchFailure, match="needs --questions"):
        run.measure("", ["asks"], 1, 1, compiled=False, tell=print)


def test_an_unknown_part_is_said() -> None:
    with pytest.raises(BenchFailure, match="no part 'speed'"):
        run.measure("", ["speed"], 1, 1, compiled=False, tell=print)
