"""`./ask bench hosts`: two hosts with one store, of which something is killed again and again.

Each host is `askwire serve` with workers of its own; both share a PostgreSQL store, stand in front of one
PostgreSQL, and are each other's peers. Everything is made for the run. Clients log in to either host, as
behind a balancer, and go on to the other where one is gone. In turns a worker, a host, the store and the
backend get SIGKILL, and come back.

What is looked at: whether any answer is wrong, whether anything stays that was acknowledged (rows committed,
words learned), and whether any client waits in vain. Errors are counted by what clients saw, those apart that
came when everything had been up for a while.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from askwire.bench.failure import BenchFailure
from askwire.bench.faults import soak
from askwire.bench.faults.client import Client, Saw
from askwire.bench.foreign.spare_server import installed, ordinary_account, spare_server
from askwire.bench.performance.processes import free_port

_STUCK_SECONDS: Final = 60.0
_SETTLED_SECONDS: Final = 10.0
"""After a kill and what it takes to come back: what fails later has another cause."""
_GONE_SECONDS: Final = 4.0
"""How long a host, the store or the backend is away."""
_WORKERS: Final = 2
_UP_SECONDS: Final = 60.0
_USER: Final = "postgres"
_NUMBERS: Final = count(1)
_PATIENCE_SECONDS: Final = (1.0, 4.0)
"""Between two things that a client does."""
_LEARNED_SHARE: Final = 0.004
"""Of all that is done; every ASK looks through the words."""


class Mortal:
    """A process on a port of its own that is killed and started again; its group dies with it."""

    def __init__(self, name: str, port: int, command: list[str], log: Path, **options: Any) -> None:
        self.name = name
        self.port = port
        self._command = command
        self._log = log
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and do not wait."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, start_new_session=True, cwd="/", **self._options
            )

    @property
    def pid(self) -> int:
        """Its number."""
        if self._process is None:
            raise BenchFailure(f"{self.name} does not run")
        return self._process.pid

    def kill(self) -> None:
        """End it and all that it has started, at once."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    async def up(self) -> None:
        """Wait until somebody is let in."""
        end = time.monotonic() + _UP_SECONDS
        while True:
            try:
                client = await Client.login(self.port, "postgres", _USER)
            except (Saw, OSError):
                if time.monotonic() > end:
                    raise BenchFailure(f"{self.name} does not come up; see {self._log}") from None
                await asyncio.sleep(0.1)
            else:
                client.close()
                return


@contextmanager
def _server(name: str, folder: Path, parameters: Sequence[str]) -> Iterator[Mortal]:
    """A PostgreSQL server that lets its superuser in without a password, and survives being killed."""
    programs = installed()
    folder.parent.chmod(0o755)
    with spare_server(programs, folder, trusted=(_USER,)) as dsn:
        port = int(conninfo_to_dict(dsn)["port"] or 0)
        given = ("listen_addresses=127.0.0.1", f"port={port}", "unix_socket_directories=", *parameters)
        command = [programs.path("postgres"), "-D", str(folder / "data")]
        command += [word for one in given for word in ("-c", one)]
        server = Mortal(name, port, command, folder / "log", **ordinary_account())
        made = int((folder / "data" / "postmaster.pid").read_text().split("\n", 1)[0])
        os.kill(made, signal.SIGINT)
        while (folder / "data" / "postmaster.pid").exists():
            time.sleep(0.05)
        server.start()
        try:
            yield server
        finally:
            server.kill()
            (folder / "data" / "postmaster.pid").unlink(missing_ok=True)


def _host(name: str, folder: Path, port: int, peer: int, backend: Mortal, store: Mortal) -> Mortal:
    settings = {
        "listen": f"127.0.0.1:{port}",
        "workers": str(_WORKERS),
        "peers": f"127.0.0.1:{peer}",
        "server_name": "hosts",
        "store": f"postgresql://{_USER}@127.0.0.1:{store.port}/postgres",
        "max_clients": "0",
    }
    serve = [sys.executable, "-P", "-m", "askwire.proxy.cli", "serve"]
    serve += ["--dsn", f"host=127.0.0.1 port={backend.port}"]
    given = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return Mortal(name, port, [*serve, *given], folder / f"{name}.log", env=environment)


@dataclass
class Visit(soak.Run):
    """What one client does at one host; `rows` and `words` are what was acknowledged to all of them."""

    rows: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


@dataclass
class Run:
    """What happens, and what is counted."""

    hosts: tuple[Mortal, Mortal]
    until: float
    database: str = "postgres"
    user: str = _USER
    restless: float = 0.0
    """Until when errors come from the last kill."""
    done: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    late_errors: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    rows: set[int] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    stuck: int = 0

    def met(self, what: str, saw: str) -> None:
        """Count what a client saw in place of what it waited for."""
        kinds = self.late_errors if time.monotonic() > self.restless else self.errors
        kinds[f"{what}: {saw}"] += 1


async def _writes(client: Client, run: Visit) -> str:
    """A transaction with a row of its own."""
    number = next(_NUMBERS)
    for sql in ("BEGIN", f"INSERT INTO kept VALUES (1, {number})"):
        saw = await client.ask(sql)
        if saw != "0 rows":
            return saw
    saw = await client.ask("COMMIT")
    if saw == "0 rows":
        run.rows.add(number)
    return "" if saw == "0 rows" else saw


async def _learns(client: Client, run: Visit) -> str:
    """A word of its own."""
    word = f"parcelette {next(_NUMBERS)}"
    saw = await client.ask(f"ASK LEARN '{word}' AS 'parcels'")
    if saw == "1 rows":
        run.words.add(word)
    return "" if saw == "1 rows" else saw


_WORKS: Final[tuple[Callable[[Client, Visit], Awaitable[str]], ...]] = (
    *(soak.rows, soak.rows, soak.prepared, soak.prepared, soak.prepared, soak.copy_out),
    *(_writes, _writes, soak.asks, soak.cancels, soak.fails),
)


async def _lives(run: Run) -> None:
    """One client after another in the same place, until the time is up."""
    chance = random.Random()  # noqa: S311 - nothing is kept secret with it
    while time.monotonic() < run.until:
        host = chance.choice(run.hosts)
        try:
            async with asyncio.timeout(_STUCK_SECONDS):
                client = await Client.login(host.port, run.database, run.user)
        except TimeoutError:
            run.stuck += 1
            continue
        except (Saw, OSError) as error:
            run.met("log-in", _named(error))
            await asyncio.sleep(0.5)
            continue
        here = Visit(host.port, run.database, run.user, run.until, 0, rows=run.rows, words=run.words)
        for _ in range(chance.randrange(10, 60)):
            if time.monotonic() >= run.until:
                break
            work = _learns if chance.random() < _LEARNED_SHARE else chance.choice(_WORKS)
            try:
                async with asyncio.timeout(_STUCK_SECONDS):
                    saw = await work(client, here)
            except (Saw, OSError) as error:
                saw = _named(error)
            except TimeoutError:
                run.stuck += 1
                break
            run.done[work.__name__.strip("_")] += 1
            if saw:
                if saw.endswith("rows") and "ERROR" not in saw and "FATAL" not in saw:
                    run.wrong[f"{work.__name__}: {saw}"] += 1
                run.met(work.__name__.strip("_"), saw)
                break
            await asyncio.sleep(chance.uniform(*_PATIENCE_SECONDS))
        client.close()


def _named(error: Exception) -> str:
    return str(error) if isinstance(error, Saw) else type(error).__name__


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


async def _kills(run: Run, store: Mortal, backend: Mortal, every: float, tell: Callable[[str], None]) -> int:
    """Kill something in turns; how many were killed."""
    chance = random.Random()  # noqa: S311 - nothing is kept secret with it
    killed = 0
    while True:
        await asyncio.sleep(every)
        if time.monotonic() + every > run.until:
            return killed
        host = chance.choice(run.hosts)
        kind = ("worker", "host", "store", "backend")[killed % 4]
        killed += 1
        run.restless = float("inf")
        if kind == "worker":
            worker = chance.choice(_children(host.pid) or [0])
            if worker:
                os.kill(worker, signal.SIGKILL)
        else:
            mortal = {"host": host, "store": store, "backend": backend}[kind]
            await asyncio.to_thread(mortal.kill)
            await asyncio.sleep(_GONE_SECONDS)
            mortal.start()
            await mortal.up()
        run.restless = time.monotonic() + _SETTLED_SECONDS
        done = sum(run.done.values())
        tell(f"killed a {kind}: {done} done, {run.stuck} stuck, {sum(run.wrong.values())} wrong")


def measure(clients: int, seconds: int, every: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """What was done, what clients saw, and what is missing of what was acknowledged."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="askwire-hosts-")))
        parameters = (f"max_connections={clients + 50}", "shared_buffers=256MB")
        backend = opened.enter_context(_server("backend", folder / "backend", parameters))
        store = opened.enter_context(_server("store", folder / "store", ("max_connections=100",)))
        ports = free_port(), free_port()
        hosts = (
            _host("left", folder, ports[0], ports[1], backend, store),
            _host("right", folder, ports[1], ports[0], backend, store),
        )
        for host in hosts:
            opened.callback(host.kill)
        return asyncio.run(_measured(hosts, store, backend, (clients, seconds, every), tell))


async def _measured(
    hosts: tuple[Mortal, Mortal],
    store: Mortal,
    backend: Mortal,
    numbers: tuple[int, int, int],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    clients, seconds, every = numbers
    for server in (backend, store):
        await server.up()
    with psycopg.connect(_dsn(backend), autocommit=True) as connection:
        for statement in soak.SCHEMA:
            connection.execute(statement)
    for host in hosts:
        host.start()
    for host in hosts:
        await host.up()
    run = Run(hosts, time.monotonic() + seconds)
    lives = [asyncio.create_task(_lives(run)) for _ in range(clients)]
    killed = await _kills(run, store, backend, every, tell)
    await asyncio.wait(lives, timeout=seconds + _STUCK_SECONDS)
    stuck = run.stuck + sum(not life.done() for life in lives)
    for host in hosts:
        await host.up()
    with psycopg.connect(_dsn(backend), autocommit=True) as connection:
        kept = {number for (number,) in connection.execute("SELECT number FROM kept").fetchall()}
        left = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'askwire_faults'"
        ).fetchone()
    with psycopg.connect(_dsn(hosts[0]), autocommit=True) as connection:
        known = {word for (word,) in connection.execute("SELECT term FROM ask.glossary").fetchall()}
    return {
        "clients": clients,
        "seconds": seconds,
        "killed": killed,
        "done": dict(run.done),
        "wrong": dict(run.wrong),
        "stuck": stuck,
        "committed": len(run.rows),
        "lost_rows": len(run.rows - kept),
        "learned": len(run.words),
        "lost_words": len(run.words - known),
        "left_behind": left[0] if left else 0,
        "errors_around_kills": dict(run.errors.most_common()),
        "errors_later": dict(run.late_errors.most_common()),
    }


def _dsn(server: Mortal) -> str:
    return f"host=127.0.0.1 port={server.port} user={_USER} dbname=postgres"
