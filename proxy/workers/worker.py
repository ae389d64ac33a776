"""What one worker is given by its supervisor, and what it knows of its colleagues."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from askwire.proxy.workers.channel import Channel, Handler
from askwire.proxy.workers.counts import Counts
from askwire.proxy.workers.sockets import ListeningSockets

log = logging.getLogger("askwire.workers")

_TURN_SECONDS: Final = 1.0
"""Seconds between two signs of life of an event loop."""
_TURNS_PER_REPORT: Final = 5
"""Of these pass until the supervisor learns again what the process has done."""

CONSOLE_WORKER: Final = 0
"""The worker that serves the console, and shows there what all of them do."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one process among `count` workers.

    `held` are the listening sockets of all workers, `console` those of the console in the worker that serves
    it. `supervisor` is a socket whose other end the supervisor has, `token` the console's secret.
    `reread`: the settings were read again since the start.
    """

    number: int
    count: int
    held: Sequence[ListeningSockets]
    console: ListeningSockets | None
    counts: Counts
    supervisor: socket.socket
    token: str
    reread: bool = False


class Colleagues:
    """The other workers of this server, as one of them sees them; `start` before use."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._handlers: dict[str, Handler] = {}
        self._channel: Channel | None = None
        self._turning: asyncio.Task[None] | None = None
        self._pictures: Sequence[Mapping[str, Any]] = ()
        self._accounts: Sequence[Mapping[str, Any]] = ()
        self._account: Callable[[], Mapping[str, Any]] | None = None
        self._last = asyncio.Event()
        self.on("last", lambda _: self._last.set())

    async def until_last(self) -> None:
        """Return once the others have ended, as a server that ends tells the console's worker."""
        await self._last.wait()

    @property
    def number(self) -> int:
        """Which of the workers this process is."""
        return self._place.number

    @property
    def count(self) -> int:
        """How many workers there are."""
        return self._place.count

    @property
    def key(self) -> Sequence[int]:
        """Which process this is: its generation, which an online restart ends, its number and its pid."""
        return self._place.counts.generation, self.number, os.getpid()

    def next_number(self) -> int:
        """Return the number of a new session; that of another process is never the same."""
        return self._place.counts.next_number(self.number)

    def keep(self, account: Callable[[], Mapping[str, Any]]) -> None:
        """Let the supervisor know now and then what this process has done: it survives the process."""
        self._account = account

    def on(self, kind: str, handler: Handler) -> None:
        """Answer questions of a kind."""
        self._handlers[kind] = handler

    async def start(self, lost: Callable[[], None]) -> None:
        """Join the others; `lost` is called when the supervisor is gone."""
        self._channel = await Channel.over(self._place.supervisor, self._handlers)
        self._place.counts.hold(self.number)
        loop = asyncio.get_running_loop()
        self._turning = loop.create_task(self._turn(self._channel, lost))

    async def stop(self) -> None:
        """Leave."""
        if self._turning is not None:
            self._turning.cancel()
            await asyncio.gather(self._turning, return_exceptions=True)
        if self._channel is not None:
            self._tell_account()
            self._channel.close()
        self._place.counts.clear(self.number)

    async def _turn(self, channel: Channel, lost: Callable[[], None]) -> None:
        for turn in itertools.count(1):
            if channel.closed.is_set():
                break
            self._place.counts.turned(self.number)
            if not turn % _TURNS_PER_REPORT:
                self._tell_account()
            try:
                async with asyncio.timeout(_TURN_SECONDS):
                    await channel.closed.wait()
            except TimeoutError:
                continue
        log.error("the supervisor is gone; this worker ends")
        lost()

    def _tell_account(self) -> None:
        if self._account is not None:
            self.tell("account", self._account())

    # -- bounds over all workers

    def fits(self, served: int, limit: int) -> bool:
        """Whether this worker may serve so many sessions, when all may serve `limit`; counts them then."""
        return self._place.counts.fits(self.number, served, limit)

    def serves(self, served: int) -> None:
        """Note how many sessions this worker serves."""
        self._place.counts.count(self.number, served)

    def enters(self, waiting: int) -> None:
        """Note how many connections of this worker have not logged in yet."""
        self._place.counts.enter(self.number, waiting)

    def must_make_room(self, waiting: int, limit: int) -> bool:
        """Whether this worker has to end a connection before its log-in, as `waiting` with a new one.

        It has where all workers have more than `limit` and none has more; else the one that does is asked to.
        One that has to go does not count any more.
        """
        fullest = self._place.counts.crowded(self.number, waiting, limit)
        if fullest not in (None, self.number):
            self.tell("crowded", limit, to=fullest)
        return fullest == self.number

    def ask_for_room(self, limit: int) -> None:
        """Ask the worker with most connections before their log-in but this one to end one."""
        fullest = self._place.counts.fullest(but=self.number)
        if fullest is not None:
            self.tell("crowded", limit, to=fullest)

    def must_end_one(self, limit: int) -> bool:
        """Whether this worker, asked to end a connection before its log-in, has one and still has to."""
        return self._place.counts.must_end_one(self.number, limit)

    def are_crowded(self, limit: int) -> bool:
        """Whether all workers have more than `limit` connections that have not logged in yet."""
        return self._place.counts.entering() > limit

    # -- what others know

    async def cancel(self, key: bytes) -> bool:
        """Whether another worker, or the process before this server, has stopped the ASK of a cancel key."""
        return any(await self._ask("cancel", key.hex()))

    async def refresh(self, account: Mapping[str, Any]) -> None:
        """Look at what the others serve and have done; they learn what this process has done."""
        told = [seen for seen in await self._ask("picture", account) if isinstance(seen, dict)]
        if not told:
            # not even the supervisor has answered: what was done before is done
            self._accounts = [*self._accounts, *(picture["account"] for picture in self._pictures)]
            self._pictures = ()
            return
        # a process of an older version tells other things
        self._pictures = [seen for seen in told if "account" in seen]
        self._accounts = [account for seen in told for account in seen.get("accounts", ())]

    @property
    def pictures(self) -> Sequence[Mapping[str, Any]]:
        """What the others said last."""
        return self._pictures

    @property
    def accounts(self) -> Sequence[Mapping[str, Any]]:
        """What all processes have done, as supervisors know it: also those that have ended, or are late."""
        return self._accounts

    def tell(self, kind: str, data: Any = None, *, to: int | None = None) -> None:
        """Say something to all others, or to one."""
        if self._channel is not None:
            self._channel.tell(kind, data, to=to)

    async def first(self, kind: str) -> Any:
        """Return what one of the others answers; None where no one does."""
        return next((said for said in await self._ask(kind) if said is not None), None)

    async def _ask(self, kind: str, data: Any = None) -> Sequence[Any]:
        return await self._channel.ask(kind, data) if self._channel is not None else ()
