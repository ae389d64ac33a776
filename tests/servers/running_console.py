"""A running console over a store that tests fill, as a browser sees it."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Protocol, cast

from aiohttp import ClientResponse, ClientSession, CookieJar

from askwire.core.protocols import Store
from askwire.core.settings.table import Settings, load
from askwire.core.trace import Trace
from askwire.proxy.asking.context import AskContext
from askwire.proxy.console.console import Console, Door
from askwire.proxy.console.desk import Sources
from askwire.proxy.console.operations import ServerState
from askwire.proxy.memory.expert_weights import ExpertWeights
from askwire.proxy.memory.live import Live
from askwire.proxy.memory.pins import Pins
from askwire.proxy.memory.reviewing import Reviews
from askwire.proxy.operations.changes import Changes
from askwire.store import MemoryStore

HTML = {"Accept": "text/html"}


@dataclass
class Patience:
    """The time that the console goes by: it passes when `now` is set, and while an answer waits.

    An answer waits until the test opens `gate`, which is open at first.
    """

    now: float = 1000.0
    waited: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.gate.set()

    def monotonic(self) -> float:
        return self.now

    async def pause(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.came.set()
        await self.gate.wait()
        self.now += seconds

    async def until_waiting(self, number: int) -> None:
        """Return once that many answers have begun to wait."""
        while len(self.waited) < number:
            self.came.clear()
            await self.came.wait()


@dataclass
class ConsoleServer:
    """A console that runs; `trouble` is what keeps PostgreSQL from being reached."""

    door: Door
    store: Store
    live: Live
    console: Console
    client: ClientSession
    changes: Changes
    patience: Patience
    trouble: list[str] = field(default_factory=lambda: [""])

    async def get(self, path: str, **more: Any) -> tuple[int, str]:
        """Status and text of a page, as a browser asks for it; redirects are not followed."""
        headers = HTML | more.pop("headers", {})
        async with self.client.get(
            self.door.url + path[1:], headers=headers, allow_redirects=False, **more
        ) as got:
            return got.status, await got.text()

    async def post(self, path: str, form: dict[str, str], **more: Any) -> ClientResponse:
        """Send a form."""
        headers = HTML | more.pop("headers", {})
        got = await self.client.post(
            self.door.url + path[1:], data=form, headers=headers, allow_redirects=False, **more
        )
        await got.read()
        return got

    async def form_key(self) -> str:
        """What forms of the visitor hold."""
        _, text = await self.get("/settings")
        return text.partition('name="form_key" value="')[2].partition('"')[0]

    async def log_in(self) -> None:
        """With the token."""
        assert (await self.post("/login", {"token": self.door.token})).status == 303


class StartConsole(Protocol):
    """Starts one with settings of the test's choice."""

    def __call__(
        self,
        store: Store | None = None,
        *,
        reread: Mapping[str, str] | None = None,
        server: ServerState | None = None,
        **given: str,
    ) -> AbstractAsyncContextManager[ConsoleServer]: ...


class StillServer:
    """Anyone who takes settings and does nothing else with them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def take(self, found: Settings) -> Sequence[str]:
        self.settings = found
        return ()


def wall() -> float:
    return 1_700_000_000.0


@asynccontextmanager
async def running_console(
    store: Store | None = None,
    *,
    reread: Mapping[str, str] | None = None,
    server: ServerState | None = None,
    **given: str,
) -> AsyncIterator[ConsoleServer]:
    """Start one, and stop it afterwards; `reread` is what the configuration holds when it is read again.

    `server` tells how all processes fare of a server that has several.
    """
    given = {"console_listen": "127.0.0.1:0", **given}
    settings = load(given, called=("the test",))
    store = store or MemoryStore()
    pins = Pins(store, wall)
    reviewing = Reviews(store, pins, ExpertWeights(store, wall), wall)
    live = Live(wall)
    trouble = [""]

    async def backend() -> str:
        return trouble[0]

    changes = Changes(StillServer(settings), lambda: load(reread if reread is not None else given))
    patience = Patience()
    console = Console(
        *(Sources(changes, store, live, reviewing, wall), backend),
        wrong=patience.wrong,
        clock=patience,
        pause=patience.pause,
        server=server,
    )
    door = await console.start()
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
        try:
            yield ConsoleServer(door, store, live, console, client, changes, patience, trouble)
        finally:
            await console.stop()


class Still:
    """A clock that stands still."""

    def monotonic(self) -> float:
        return 5.0


def context(question: str = "how many?", **given: str) -> AskContext:
    session = SimpleNamespace(session_user="ada", database="shop")
    asker = SimpleNamespace(session=session, settings=load(given))
    return cast("AskContext", SimpleNamespace(asker=asker, question=question))


def begun(live: Live, question: str = "how many?", **given: str) -> Trace:
    """An ASK that has begun, with its session read."""
    trace = Trace(Still())
    trace.record("session", "read")
    live.began(context(question, **given), trace)
    return trace


def plain(text: str) -> str:
    """What a reader sees of a page."""
    body = re.sub(r"<[^>]*>", " ", text.partition("<main")[2])
    return " ".join(body.replace("&#39;", "'").replace("&#34;", '"').split())
