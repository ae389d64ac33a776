"""Remembering stays off the critical path of an ASK."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from doubles.time_bounds import slower
from measuring.remembering import measure


@pytest.mark.slow
def test_keeping_everything_takes_little_of_an_ask_and_loses_nothing(tmp_path: Path) -> None:
    figures = asyncio.run(measure(tmp_path / "store.sqlite", asks=300, every=0.002))
    assert (figures["written"], figures["lost"]) == (900, 0)
    # history, steps, report and pin: uncompressed they are 40 kB
    assert figures["bytes_per_ask"] < 8000
    # processor time, several times what it takes: a disk or a lock in the asker's way costs more than that
    assert figures["cpu_p50_ms"] < 3 * slower()
