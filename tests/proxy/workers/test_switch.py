"""What passes between the processes of one server, without the processes."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from askwire.core.errors import ConfigurationError
from askwire.proxy.workers.channel import Channel, Handler
from askwire.proxy.workers.counts import SLOTS, Counts
from askwire.proxy.workers.frames import LENGTH, MAX_MESSAGE_BYTES, BrokenChannel, FrameDecoder, packed
from askwire.proxy.workers.switch import FORMER, SUCCESSOR, Line, Switch


class Exchange:
    """A switch on the test's event loop; `heard` is what was said to the supervisor."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, str]] = []
        self.now = 0.0
        self.switch = Switch(self._wants, self._hear, lambda: self.now)

    def _hear(self, line: Line, message: Mapping[str, Any]) -> bool:
        kind = str(message["kind"])
        if kind == "ready":
            self.heard.append((line.name, kind))
        return kind == "ready"

    def _wants(self, line: Line, wants: bool) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_writer(line.socket)
        if wants:
            loop.add_writer(line.socket, self.switch.send, line)

    async def join(self, name: int, **handlers: Handler) -> Channel:
        """Connect a process of this name."""
        ours, theirs = socket.socketpair()
        line = self.switch.add(name, ours)
        asyncio.get_running_loop().add_reader(ours, self._read, line)
        return await Channel.over(theirs, handlers)

    def _read(self, line: Line) -> None:
        if not self.switch.take(line):
            self.leave(line)

    def leave(self, line: Line) -> None:
        """A process is gone."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(line.socket)
        loop.remove_writer(line.socket)
        self.switch.remove(line)


@asynccontextmanager
async def exchange() -> AsyncIterator[Exchange]:
    """A switch whose processes leave at the end."""
    made = Exchange()
    try:
        yield made
    finally:
        for line in list(made.switch.lines.values()):
            made.leave(line)
        await asyncio.sleep(0)


async def test_a_question_goes_to_all_others_and_comes_back_answered() -> None:
    async with exchange() as between:
        asking = await between.join(0, who=lambda _: "the asker")
        await between.join(1, who=lambda said: f"1 {said}")

        async def later(said: object) -> str:
            await asyncio.sleep(0.01)
            return f"2 {said}"

        await between.join(2, who=later)
        assert sorted(await asking.ask("who", "x")) == ["1 x", "2 x"]
        assert await asking.ask("who", "y", to=2) == ["2 y"]
        assert await asking.ask("who", "y", to=7) == [], "nobody is there"


async def test_a_process_that_fails_or_leaves_keeps_no_one_waiting() -> None:
    async with exchange() as between:
        asking = await between.join(0)
        began = asyncio.Event()

        async def never(_: object) -> None:
            began.set()
            await asyncio.Event().wait()

        def broken(_: object) -> None:
            raise ValueError("a fault of this process alone")

        await between.join(1, who=never)
        await between.join(2, who=broken)
        question = asyncio.create_task(asking.ask("who"))
        await began.wait()
        between.leave(between.switch.lines[1])
        assert await question == [None], "the one that failed has answered"
        await between.join(3, who=never)
        question = asyncio.create_task(asking.ask("who", to=3))
        await asyncio.sleep(0.02)
        between.now = 2.0
        between.switch.tick()
        assert await question == [], "the others' patience ends"


async def test_a_former_process_is_asked_for_what_concerns_its_sessions_only() -> None:
    async with exchange() as between:
        asked: list[str] = []

        def note(name: str) -> Handler:
            return lambda _: asked.append(name)

        worker = await between.join(0, cancel=note("worker"), reload=note("worker"))
        former = await between.join(FORMER, cancel=note("former"), reload=note("former"))
        successor = await between.join(SUCCESSOR, cancel=note("successor"))
        await worker.ask("cancel")
        await worker.ask("reload")
        assert asked == ["former"]
        await successor.ask("cancel")
        assert sorted(asked[1:]) == ["former", "worker"]
        assert former is not None


async def test_what_is_said_to_the_supervisor_goes_no_further() -> None:
    async with exchange() as between:
        other: list[object] = []
        await between.join(1, ready=other.append)
        worker = await between.join(0)
        worker.tell("ready")
        await worker.ask("anything")
        assert between.heard == [(0, "ready")]
        assert other == []


async def test_a_channel_without_another_side_answers_nothing() -> None:
    ours, theirs = socket.socketpair()
    channel = await Channel.over(ours, {})
    question = asyncio.create_task(channel.ask("anything"))
    await asyncio.sleep(0)
    theirs.close()
    assert await question == ()
    await channel.closed.wait()
    assert await channel.ask("anything") == ()
    channel.tell("anything")


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_messages_come_whole_however_they_are_split(size: int) -> None:
    messages: list[dict[str, Any]] = [{"id": 1, "data": "é" * 50}, {"replies": []}, {"kind": "x"}]
    sent = b"".join(map(packed, messages))
    unpacking, got = FrameDecoder(), []
    for start in range(0, len(sent), size):
        got += list(unpacking.feed(sent[start : start + size]))
    assert got == messages


@pytest.mark.parametrize(
    "sent", [LENGTH.pack(MAX_MESSAGE_BYTES + 1), LENGTH.pack(2) + b"{{", LENGTH.pack(1) + b"1"]
)
def test_what_is_no_message_ends_a_channel(sent: bytes) -> None:
    with pytest.raises(BrokenChannel):
        list(FrameDecoder().feed(sent))


def test_a_bound_over_all_workers_is_never_passed() -> None:
    counts = Counts(3)
    counts.count(0, 2)
    counts.count(1, 1)
    assert counts.fits(2, 1, limit=4)
    assert counts.served() == 4
    assert not counts.fits(0, 3, limit=4)
    assert counts.served() == 4, "who is refused does not count"
    counts.clear(1)
    assert counts.fits(0, 3, limit=4)
    assert counts.silent(0) == 0.0, "a worker that has not begun is not silent"
    counts.turned(0)
    assert 0.0 <= counts.silent(0) < 60


def test_a_bound_holds_for_the_process_that_takes_over_and_the_former_one_together() -> None:
    former = Counts(2)
    former.count(0, 2)
    former.count(1, 1)
    assert [former.next_number(1) for _ in range(2)] == [3, 5]
    holding, also = (_holds(former.inherited()[0], slot) for slot in (0, 2))
    try:
        taking_over = Counts(3, former.inherited()[0])
        assert taking_over.served() == 3
        assert not taking_over.fits(0, 4, limit=4), "and one session ends whose process has not"
        assert taking_over.served() == 2, "a worker that ended without a word counts no more"
        assert taking_over.fits(0, 2, limit=4)
        assert not former.fits(0, 3, limit=4), "the former process counts the other one's sessions, too"
        assert taking_over.next_number(1) == 1_000_004, "no number is given twice"
    finally:
        for process in (holding, also):
            process.kill()
            process.communicate()
    assert taking_over.fits(1, 2, limit=4)
    assert taking_over.generation == 1
    assert Counts(2, former.inherited()[0]).generation == 2


def test_the_worker_with_most_connections_before_their_log_in_makes_room() -> None:
    counts = Counts(3)
    assert [counts.crowded(*new, 4) for new in ((0, 1), (1, 1), (1, 2), (2, 1))] == [None] * 4
    assert counts.crowded(0, 2, limit=4) == 1, "two of another worker, beside the new one only one here"
    counts.enter(1, 1)
    assert counts.entering() == 4
    # fewer allowed than there are workers: what is new comes in, and makes no room itself
    assert counts.crowded(2, 1, limit=1) == 0
    # whose connections have ended before it was asked asks another one
    assert (counts.fullest(but=0), counts.fullest(but=1)) == (1, 0)
    for worker in (0, 1):
        counts.clear(worker)
    assert (counts.fullest(but=0), counts.fullest(but=2)) == (2, None)
    assert counts.crowded(2, 1, limit=1) is None


def test_two_workers_asked_at_the_same_moment_end_one_connection() -> None:
    counts = Counts(2)
    assert counts.crowded(0, 1, limit=1) is None
    assert counts.crowded(1, 1, limit=1) == 0
    assert counts.must_end_one(0, limit=1)
    assert not counts.must_end_one(1, limit=1), "one place was asked for, and there is one now"
    assert counts.entering() == 1
    counts.enter(1, 2)
    assert not counts.must_end_one(0, limit=1), "it has none"
    assert counts.must_end_one(1, limit=1)


def test_connections_of_a_former_worker_count_until_it_ends() -> None:
    former = Counts(2)
    former.enter(0, 2)
    holding = _holds(former.inherited()[0], 0)
    try:
        taking_over = Counts(2, former.inherited()[0])
        assert taking_over.crowded(1, 1, limit=2) is None, "no worker that could be asked has any"
        assert taking_over.crowded(1, 2, limit=2) == 1
        assert taking_over.entering() == 3, "the one that has to go does not count any more"
    finally:
        holding.kill()
        holding.communicate()
    assert taking_over.crowded(1, 2, limit=2) is None
    assert taking_over.entering() == 2


def test_memory_of_a_version_that_did_not_count_log_ins_is_taken_over() -> None:
    former = Counts(2)
    former.count(1, 5)
    os.ftruncate(former.descriptor, os.fstat(former.descriptor).st_size - SLOTS * 8)
    taking_over = Counts(2, former.descriptor)
    assert taking_over.served() == 5
    assert taking_over.crowded(0, 1, limit=1) is None


def test_numbers_of_a_predecessor_without_such_memory_are_not_given_again() -> None:
    assert Counts(2, follows=True).next_number(1) == 1_000_003


def _holds(descriptor: int, slot: int) -> subprocess.Popen[bytes]:
    """Start a process that holds a slot of the first generation as its worker would."""
    script = f"import fcntl; fcntl.lockf({descriptor}, fcntl.LOCK_EX, 1, {slot}); print(flush=True); input()"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        pass_fds=(descriptor,),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_descriptor_that_is_no_memory_is_refused() -> None:
    with open(os.devnull) as nothing, pytest.raises(ConfigurationError, match="ASKWIRE_SHARED"):
        Counts(1, nothing.fileno())
