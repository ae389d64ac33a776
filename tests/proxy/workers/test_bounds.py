"""Bounds of calls that several processes keep together."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
from typing import Any, cast

import pytest

from askwire.core.clock import MonotonicClock
from askwire.llm.expert_table import ExpertConfig
from askwire.llm.pace import Pace
from askwire.llm.sources import open_sources
from askwire.proxy.workers.bounds import Bounds
from askwire.proxy.workers.counts import Counts

CALLS = """
import asyncio, json, sys, time
from askwire.core.clock import MonotonicClock
from askwire.llm.pace import Pace
from askwire.proxy.workers.bounds import Bounds
from askwire.proxy.workers.counts import Counts

async def main():
    pace = Pace(1, 0, MonotonicClock(), Bounds(Counts(1, int(sys.argv[1])), 0), "x")
    calls = []
    async def call():
        async with pace.turn():
            began = time.monotonic()
            await asyncio.sleep(0.05)
            calls.append([began, time.monotonic()])
    print(flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(call() for _ in range(10)))
    print(json.dumps(calls), flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


def started(counts: Counts, script: str) -> subprocess.Popen[str]:
    """Start another process of the server, which has said that it is there."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(counts.descriptor)],
        pass_fds=(counts.descriptor,),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_two_workers_call_an_expert_of_one_call_in_turn() -> None:
    counts = Counts(2)
    processes = [started(counts, CALLS) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("begin\n")
        process.stdin.flush()
    calls = [json.loads(process.communicate("end\n")[0]) for process in processes]
    in_order = sorted(calls[0] + calls[1])
    assert len(in_order) == 20
    assert all(ended <= begun for (_, ended), (begun, _) in itertools.pairwise(in_order))
    first, second = ([one[0] for one in of_one] for of_one in calls)
    assert min(second) < max(first), "none waits until the other one is done"
    assert min(first) < max(second)


HOLDS = """
import sys
from askwire.proxy.workers.bounds import Bounds
from askwire.proxy.workers.counts import Counts

bounds = Bounds(Counts(1, int(sys.argv[1])), 0)
assert bounds.take("x", 0)
bounds.wait("x", 60.0)
print(flush=True)
sys.stdin.readline()
"""


async def test_a_token_ends_with_its_process() -> None:
    counts = Counts(1)
    bounds = Bounds(counts, 0)
    process = started(counts, HOLDS)
    try:
        assert not bounds.take("x", 0)
        assert bounds.take("x", 1), "another token of the expert"
        assert bounds.take("y", 0), "another expert"
        assert bounds.others_wait("x")
        assert not bounds.others_wait("y")
    finally:
        process.kill()
        process.communicate()
    async with Pace(1, 0, MonotonicClock(), bounds, "x").turn():
        pass


async def test_experts_of_a_worker_share_their_bounds() -> None:
    config = ExpertConfig("x", "http://127.0.0.1:9/v1", "model", concurrency=1)
    counts = Counts(1)
    (source,) = open_sources(
        [config], {}, MonotonicClock(), lambda *_: cast("Any", None), shared=Bounds(counts, 0)
    )
    process = started(counts, HOLDS)
    call = asyncio.create_task(_call(source.pace))
    try:
        assert not (await asyncio.wait([call], timeout=0.2))[0], "the other worker makes the one call"
    finally:
        process.kill()
        process.communicate()
    await call


async def _call(pace: Pace) -> None:
    async with pace.turn():
        pass


def test_a_rate_holds_for_all_workers() -> None:
    counts = Counts(2)
    first, second = Bounds(counts, 0), Bounds(counts, 1)
    waits = [bounds.begin("x", 10.0, 20.0) for bounds in (first, second, first, second)]
    assert waits == pytest.approx([-20.0, -10.0, 0.0, 10.0], abs=5.0)
    assert second.begin("y", 10.0, 20.0) == pytest.approx(-20.0, abs=5.0)


@pytest.mark.parametrize("shared", [False, True])
async def test_who_gives_up_waiting_takes_no_call_from_others(shared: bool) -> None:
    bounds = Bounds(Counts(1), 0) if shared else None
    pace = Pace(100, 60, MonotonicClock(), bounds, "x")

    async def turn() -> None:
        async with pace.turn():
            pass

    for _ in range(16):  # the first burst
        await turn()
    for _ in range(50):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await turn()
    assert await pace._next_slot() < 2
