"""The measurements of relaying, on a small scale: that they measure, not what."""

from __future__ import annotations

import os
import sys

import pytest
from databases import Database

from askwire.bench.failure import BenchFailure
from askwire.bench.performance import bulk, memory, processes, run
from askwire.proxy.wire import timing

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells what is measured")


def test_what_a_process_has_used_is_known() -> None:
    before = processes.cpu_seconds(os.getpid())
    sum(range(3_000_000))
    assert 0 < processes.cpu_seconds(os.getpid()) - before < 30
    assert processes.private_bytes(os.getpid()) > 5_000_000


def test_the_scanner_is_measured() -> None:
    figures = timing.measure()
    assert figures["walker_python_ns"] > figures.get("walker_compiled_ns", 0) >= 0


def test_bulk_counts_what_came(database: Database) -> None:
    rows = bulk.read_out(database.dsn(), "SELECT repeat('x', 1000) FROM generate_series(1, 1000)")
    assert 1_000_000 < rows < 1_100_000


def test_a_stub_backend_lets_in() -> None:
    with memory.stub_backend() as backend, bulk.connected(backend), bulk.connected(backend):
        pass


def test_an_unknown_part_is_said() -> None:
    with pytest.raises(BenchFailure, match="no part 'speed'"):
        run.measure("", ["speed"], 1, 1, compiled=False, tell=print)
