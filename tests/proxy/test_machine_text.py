"""Texts of a model that cost much to read keep no other session waiting, and end with their ASK.

Measured in processor time of this process, which other processes of the machine do not change: how much of it
passes between two turns of the loop, and how much of that the loop's own thread takes.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from doubles.served_models import FLEET, served_models
from doubles.time_bounds import Stopwatch, slower
from servers.databases import Database

from askwire.bench.security.pathological import answers
from askwire.core.beside import SWITCH_SECONDS
from askwire.llm.providers.mock_server import Answer, MockServer

ANSWERS = answers()
COSTLY = tuple({name.partition(", ")[0]: name for name in reversed(ANSWERS)}.values())
"""Of each kind of text the smallest, which the gate admits, and of answers each."""
ENOUGH = 60
LONGEST = 0.1
"""Seconds of processor time between two turns."""
LONGEST_OWN = 0.03
"""Of these the loop's own."""


class Turns:
    """The longest times between two turns of the loop."""

    def __init__(self) -> None:
        self.longest = self.own = 0.0
        self._process, self._thread = time.process_time(), time.thread_time()

    async def count(self) -> None:
        while True:
            await asyncio.sleep(0.001)
            process, thread = time.process_time(), time.thread_time()
            self.longest = max(self.longest, process - self._process)
            self.own = max(self.own, thread - self._thread)
            self._process, self._thread = process, thread


@asynccontextmanager
async def turns() -> AsyncIterator[Turns]:
    counted, before = Turns(), sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # as a server does: what tests before have left is nothing that it holds
    counting = asyncio.ensure_future(counted.count())
    try:
        yield counted
    finally:
        counting.cancel()
        sys.setswitchinterval(before)


def test_there_are_many_of_them() -> None:
    assert len(ANSWERS) >= ENOUGH
    assert len(COSTLY) >= 50


@pytest.mark.long
async def test_the_loop_keeps_its_turns_and_the_ask_ends(database: Database) -> None:
    schema = FLEET.replace("carriers", "orders").replace("order_id", "orders_id")
    schema += "ALTER TABLE orders ADD status text;"
    model = MockServer((Answer(text="SELECT 1"),))
    async with served_models(database, schema, model, timeout="5s", repairs="0") as served:
        await served.connection.execute("SET statement_timeout = '5s'")
        await _asked(served.connection, "how many orders")  # loads what the first one needs
        waits = {}
        for name in COSTLY:
            model.answers = (Answer(text=ANSWERS[name]),)
            async with turns() as counted:
                taken = Stopwatch()
                await _asked(served.connection, f"which orders are {name}")
                assert taken.within(30)
            waits[name] = (round(counted.own, 3), round(counted.longest, 3))
    if long := {n: w for n, w in waits.items() if w[0] > LONGEST_OWN or w[1] > LONGEST}:
        times = slower()
        assert not {n: w for n, w in long.items() if w[0] > LONGEST_OWN * times or w[1] > LONGEST * times}


async def _asked(connection: psycopg.AsyncConnection[tuple[object, ...]], question: str) -> None:
    try:
        await (await connection.execute(f"ASK '{question}'".encode())).fetchall()
    except psycopg.Error as error:
        if not (error.sqlstate or "").startswith(("NL", "57014", "54")):
            raise
