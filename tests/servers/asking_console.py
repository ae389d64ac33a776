"""A console in front of a whole askwire: people sign in to PostgreSQL there, and ask."""

from __future__ import annotations

import asyncio
import html
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

from aiohttp import ClientResponse, ClientSession, CookieJar
from doubles.asked import AskedServer, asked_server
from servers.running_console import HTML, Patience, StillServer
from servers.running_proxy import OwnDatabase

from askwire.core.settings.table import load
from askwire.proxy.console.console import Console, Door
from askwire.proxy.console.desk import Sources
from askwire.proxy.console.questions.sign_ins import SignIns
from askwire.proxy.operations.changes import Changes
from askwire.proxy.session.inner_door import Entrance

SECRET = "secret of by_scram"


@dataclass
class Person:
    """Somebody with a browser of their own, without scripts."""

    door: Door
    client: ClientSession

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Status and text of a page; redirects are not followed."""
        async with self.client.get(
            self.door.url + path, headers=HTML | headers, allow_redirects=False
        ) as got:
            return got.status, await got.text()

    async def post(self, path: str, form: dict[str, str], **headers: str) -> ClientResponse:
        """Send a form."""
        got = await self.client.post(
            self.door.url + path, data=form, headers=HTML | headers, allow_redirects=False
        )
        await got.read()
        return got

    async def log_in(self) -> None:
        """Be let into the console, with its token."""
        assert (await self.post("login", {"token": self.door.token})).status == 303

    async def sign_in(self, database: OwnDatabase, user: str = "postgres", password: str = "") -> int:
        """Sign in to PostgreSQL; the status."""
        form = {"user": user, "database": database.name, "password": password}
        return (await self.post("ask/sign-in", form)).status

    async def form_key(self) -> str:
        """What the forms of the session hold."""
        _, text = await self.get("ask")
        return text.partition('action="/ask/sign-out"')[2].partition('value="')[2].partition('"')[0]

    async def send(self, path: str, **form: str) -> ClientResponse:
        """Send a form of the session's."""
        return await self.post(path, {"form_key": await self.form_key(), **form})

    async def ask(self, question: str) -> str:
        """Ask, and wait for the answer: what it says."""
        got = await self.send("ask/questions", question=question, part="1")
        assert got.status == 200, await got.text()
        number = (await got.text()).partition('data-number="')[2].partition('"')[0]
        return await self.settled(number)

    async def settled(self, number: str = "1") -> str:
        """The HTML of an answer, once nothing is to come."""
        seen = "0"
        async with asyncio.timeout(30):
            while True:
                status, text = await self.get(f"ask/answers/{number}?seen={seen}")
                assert status == 200, text
                if "data-busy" not in text:
                    return text
                seen = text.partition('data-revision="')[2].partition('"')[0]

    async def say(self, of: str, **form: str) -> str:
        """Judge an answer, and wait for what comes of it."""
        got = await self.send(f"ask/answers/{of}/say", part="1", **form)
        assert got.status == 200, await got.text()
        return await self.settled(of)


@dataclass
class AskingConsole:
    """A running console; `asked` is the askwire behind it."""

    door: Door
    asked: AskedServer
    console: Console
    changes: Changes
    patience: Patience

    @property
    def sign_ins(self) -> SignIns:
        """Who is signed in."""
        assert self.console._sign_ins is not None
        return self.console._sign_ins

    @asynccontextmanager
    async def person(self, *, let_in: bool = True) -> AsyncIterator[Person]:
        """Somebody who looks at it; `let_in`: into the console, with its token."""
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as client:
            person = Person(self.door, client)
            if let_in:
                await person.log_in()
            yield person


@asynccontextmanager
async def asking_console(
    database: OwnDatabase, also: Mapping[str, str] = MappingProxyType({}), **given: str
) -> AsyncIterator[AskingConsole]:
    """Start both, and stop them afterwards; no session may be left.

    `also` are settings that the console alone reads.
    """
    given = {"console_listen": "127.0.0.1:0", **given}
    async with asked_server(database, None, None, **given) as asked:
        resolver = asked.resolver
        changes = Changes(
            StillServer(load(given, also, called=("the test", "the test"))), lambda: load(given)
        )
        patience = Patience(now=time.monotonic())
        sources = Sources(
            changes,
            resolver.memories.store,
            resolver.memories.history.live,
            resolver.memories.reviewing,
            asked.wall,
            lambda loopback: Entrance(asked.server, loopback=loopback),
            resolver.memories.own_asks,
        )
        console = Console(sources, _reachable, wrong=patience.wrong, clock=patience, pause=patience.pause)
        door = await console.start()
        try:
            # a cookie is of the name that was gone to
            door = replace(door, url=door.url.replace("0.0.0.0", "127.0.0.1"))
            yield AskingConsole(door, asked, console, changes, patience)
        finally:
            await console.stop()
            assert console._sign_ins is None or not console._sign_ins.number


@asynccontextmanager
async def pets_console(database: OwnDatabase) -> AsyncIterator[AskingConsole]:
    """One whose expert knows dogs and cats."""
    async with asking_console(database) as running:
        running.asked.expert.answers("dogs", "SELECT name FROM pets WHERE kind = 'dog' ORDER BY name")
        running.asked.expert.answers("cats", "SELECT name FROM pets WHERE kind = 'cat'")
        yield running


async def _reachable() -> str:
    return ""


def seen(text: str) -> str:
    """What a reader sees of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
