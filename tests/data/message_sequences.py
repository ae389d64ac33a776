"""Sequences of frontend messages: what a client sees through askwire, and what stays when it vanishes.

    PYTHONPATH=.typing:tests python -m message_sequences --dsn DSN [--sequences N] [--seed S]

Two sentences are checked. An ASK aside, a sequence of messages gets the same types of messages and the same
SQLSTATEs through askwire, with either relay, as from PostgreSQL; an ASK counts as the SQL it stands for. And
two seconds after a client has vanished, at any byte of a sequence, no session, socket or task of it is left
in askwire and no connection on the server.

Owns: the alphabet, playing a sequence, the comparison, and the run over many seeds. A sequence that fails is
printed with its seed, and shrunk.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import ssl
import stat
import struct
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg
from doubles.scripted_resolver import ScriptedResolver
from doubles.time_bounds import Stopwatch
from psycopg.conninfo import conninfo_to_dict
from servers import openssl_files
from servers.openssl_files import Certificates

from askwire.bench.faults.client import NAME, Client, Saw, message, query
from askwire.core.errors import BeyondEngine
from askwire.core.settings.table import load
from askwire.proxy.server import Server

Step = tuple[str, str]
"""A message or a few: its kind, and the name of a text or another detail."""

GONE_SECONDS: Final = 2.0
_PATIENCE: Final = 20.0
_SILENCE: Final = 0.1
"""Seconds without a message, after which it is asked whether one will come."""
_ANSWER: Final = "SELECT 42 AS answer"
_NO_COLUMN: Final = "SELECT no_such_column"
_OTHERS: Final = (
    f"SELECT 1 FROM pg_stat_activity WHERE application_name = '{NAME}' AND datname = current_database()"
    " AND pid <> pg_backend_pid()"
)
_END: Final = "the end"
IN_FRONT: Final = ", TLS with clients"
BEHIND: Final = ", TLS with PostgreSQL"

TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    name: (text, text)
    for name, text in (
        ("row", "SELECT 1"),
        ("rows", "SELECT generate_series(1, 3)"),
        ("fails", "SELECT 1/0"),
        ("no sql", "selec 1"),
        ("empty", ""),
        ("insert", "INSERT INTO sequences VALUES (1)"),
        ("begin", "BEGIN"),
        ("commit", "COMMIT"),
        ("rollback", "ROLLBACK"),
        ("savepoint", "SAVEPOINT s"),
        ("copy in", "COPY sequences FROM STDIN"),
        ("copy out", "COPY (SELECT 1) TO STDOUT"),
        ("several", "SELECT 1; SELECT 2"),
        ("several fail", "SELECT 1; SELECT 1/0; SELECT 3"),
        ("several copy", "COPY sequences FROM STDIN; SELECT 1; COPY sequences FROM STDIN"),
        # of its own, or sessions side by side wait for each other
        ("deferred", "INSERT INTO sequences_unique VALUES (pg_backend_pid()), (pg_backend_pid())"),
        ("prepare", "PREPARE p AS SELECT 5"),
        ("execute", "EXECUTE p"),
        ("discard", "DISCARD ALL"),
    )
} | {
    "ask": ("ASK 'answer'", _ANSWER),
    "ask function": ("SELECT * FROM ask('answer')", f"SELECT * FROM ({_ANSWER}) q"),
    "ask part": ("SELECT 1, (ASK 'answer')", f"SELECT 1, ({_ANSWER})"),
    "ask fails": ("ASK 'unknown'", _NO_COLUMN),
    "ask several": ("SELECT 1; ASK 'answer'; SELECT 2", f"SELECT 1; {_ANSWER}; SELECT 2"),
    "ask begins": ("BEGIN; ASK 'answer'", f"BEGIN; {_ANSWER}"),
    "ask copies": ("COPY (ASK 'answer') TO STDOUT", f"COPY ({_ANSWER}) TO STDOUT"),
    "ask cursor": ("DECLARE c CURSOR FOR ASK 'answer'", f"DECLARE c CURSOR FOR {_ANSWER}"),
}
"""By name: what a client sends to askwire, and to PostgreSQL."""

NAMES: Final = ("", "s")
STEPS: Final[tuple[Step, ...]] = (
    *(("query", name) for name in TEXTS),
    *(("parse", name) for name in TEXTS),
    *(("run", name) for name in TEXTS),
    *((kind, name) for kind in ("bind", "describe", "portal", "execute", "fetch", "close") for name in NAMES),
    *(("parse bound", name) for name in NAMES),
    *(("bind question", name) for name in NAMES),
    *(("call", detail) for detail in ("pi", "nothing")),
    *(("data", detail) for detail in ("good", "bad")),
    ("done", ""),
    ("fail", ""),
    ("copy", "good"),
    ("copy", "bad"),
    *(("flush", ""), ("sync", "")) * 4,
    ("terminate", ""),
)
"""What sequences are made of; what ends or flushes groups stands there more often."""

_PI_OID: Final = 1610


def _parse(name: str, text: str, types: Sequence[int] = ()) -> bytes:
    oids = struct.pack(f">H{len(types)}I", len(types), *types)
    return message(b"P", f"{name}\0{text}\0".encode() + oids)


def _bind(name: str, *values: bytes) -> bytes:
    given = b"".join(struct.pack(">I", len(value)) + value for value in values)
    return message(b"B", f"{name}\0{name}\0\0\0".encode() + struct.pack(">H", len(values)) + given + b"\0\0")


def _execute(name: str, rows: int = 0) -> bytes:
    return message(b"E", f"{name}\0".encode() + struct.pack(">I", rows))


_SYNC: Final = message(b"S", b"")
_COPIED: Final = {"good": message(b"d", b"7\n"), "bad": message(b"d", b"seven\n")}


def data_of(step: Step, *, asked: bool) -> bytes:
    """The bytes of a step, as askwire gets it (`asked`) or PostgreSQL."""
    kind, detail = step
    text = TEXTS[detail][0 if asked else 1] if detail in TEXTS else ""
    makes: Mapping[str, Callable[[], bytes]] = {
        "query": lambda: query(text),
        "parse": lambda: _parse("", text),
        "run": lambda: _parse("", text) + _bind("") + message(b"D", b"P\0") + _execute(""),
        "bind": lambda: _bind(detail),
        "describe": lambda: message(b"D", f"S{detail}\0".encode()),
        "portal": lambda: message(b"D", f"P{detail}\0".encode()),
        "execute": lambda: _execute(detail),
        "fetch": lambda: _execute(detail, 1),
        "close": lambda: message(b"C", f"S{detail}\0".encode()),
        "parse bound": lambda: _parse(detail, "ASK $1" if asked else _ANSWER, (25,)),
        "bind question": lambda: _bind(detail, b"answer"),
        "call": lambda: message(b"F", struct.pack(">IHHH", _PI_OID if detail == "pi" else 1, 0, 0, 0)),
        "data": lambda: _COPIED[detail],
        "done": lambda: message(b"c", b""),
        "fail": lambda: message(b"f", b"enough\0"),
        "copy": lambda: (
            _parse("", "COPY sequences FROM STDIN")
            + _bind("")
            + _execute("")
            + _COPIED[detail]
            + message(b"c", b"")
        ),
        "flush": lambda: message(b"H", b""),
        "sync": lambda: _SYNC,
        "terminate": lambda: message(b"X", b""),
    }
    return makes[kind]()


_LAST: Final = message(b"f", b"enough\0") + _SYNC + query(f"SELECT '{_END}'")
"""Behind it each sequence has its answers: whatever it left open is ended."""


def resolver() -> ScriptedResolver:
    """Answers all but `unknown`, which is NL003, and `endless`, which is thought about without an end."""
    scripted = ScriptedResolver()
    scripted.answer = _ANSWER
    scripted.fails("unknown", BeyondEngine("there is no answer"))
    scripted.waits("endless")
    return scripted


@dataclass(frozen=True)
class Database:
    """Where PostgreSQL is; roles come in without a password. `speaks_tls`: it has a certificate."""

    port: int
    name: str
    user: str
    speaks_tls: bool = False


@dataclass(frozen=True)
class Place:
    """PostgreSQL, and askwire in front of it with each relay."""

    database: Database
    servers: Mapping[str, tuple[Server, int]]
    tasks: frozenset[asyncio.Task[object]]
    """Those that belong to no session."""

    sockets: int
    """How many are open while there is no session."""

    encrypted: Mapping[int, ssl.SSLContext]
    """By port, how to reach servers whose clients use TLS."""

    @property
    def ports(self) -> Mapping[str, int]:
        """Where to connect, by who listens."""
        return {"PostgreSQL": self.database.port, **{name: port for name, (_, port) in self.servers.items()}}

    async def login(self, port: int) -> Client:
        """A client, logged in."""
        return await Client.login(port, self.database.name, self.database.user, self.encrypted.get(port))


@asynccontextmanager
async def place_in_front_of(
    database: Database, certificates: Certificates | None = None
) -> AsyncIterator[Place]:
    """A server with each relay, and two for each use of TLS that is possible; the tables are made."""
    servers = {}
    encrypted = {}
    relays = {"io_uring": ("on", "on"), "compiled relay": ("on", "off"), "Python relay": ("off", "off")}
    ways = [(name, "") for name in relays]
    if certificates:
        ways += [("io_uring", IN_FRONT), ("Python relay", IN_FRONT)]
    if database.speaks_tls:
        ways += [("io_uring", BEHIND), ("Python relay", BEHIND)]
    if certificates and database.speaks_tls:
        ways += [("io_uring", IN_FRONT + BEHIND)]
    try:
        for relay, over_tls in ways:
            name, (compiled, ring) = relay + over_tls, relays[relay]
            shows = certificates if IN_FRONT in over_tls else None
            sslmode = "require" if BEHIND in over_tls else "disable"
            settings = load(
                {
                    "backend": f"host=127.0.0.1 port={database.port} sslmode={sslmode}",
                    "listen": "127.0.0.1:0",
                    "compiled_relay": compiled,
                    "io_uring": ring,
                    **(_shown_by(shows) if shows else {}),
                }
            )
            server = Server(settings, resolver())
            servers[name] = server, (await server.start())[1]
            if shows:
                encrypted[servers[name][1]] = _trusting(shows)
            if server.lender:
                server.lender.rest = 0
        place = Place(database, servers, frozenset(asyncio.all_tasks()), sockets(), encrypted)
        client = await place.login(database.port)
        for sql in (
            "DROP TABLE IF EXISTS sequences, sequences_unique",
            "CREATE TABLE sequences (a int)",
            "CREATE TABLE sequences_unique (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        ):
            await client.ask(sql)
        client.close()
        yield place
    finally:
        for server, _ in servers.values():
            await server.stop()


def _shown_by(certificates: Certificates) -> Mapping[str, str]:
    return {"ssl_cert_file": str(certificates.certificate), "ssl_key_file": str(certificates.key)}


def _trusting(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(certificates.authority))
    context.check_hostname = False
    context.set_alpn_protocols(["postgresql"])
    return context


def pieces(data: Sequence[bytes], apart: bool) -> Sequence[bytes]:
    """What is written at a time: each step `apart`, or all at once."""
    return [*data, _LAST] if apart else [b"".join(data) + _LAST]


async def seen(
    place: Place, port: int, steps: Sequence[Step], *, apart: bool, enough: int | None = None
) -> list[str]:
    """The types of messages that answer the steps, errors with their SQLSTATE, and how it ended.

    Notices and ParameterStatus are left out. Where nothing ends the sequence, as in a failed transaction,
    PostgreSQL has said all once it waits for its client, and others once they have said what is `enough`.
    """
    client = await place.login(port)
    asked = port != place.database.port
    found: list[str] = []
    try:
        async with asyncio.timeout(_PATIENCE):
            for piece in pieces([data_of(step, asked=asked) for step in steps], apart):
                client.send(piece)
                # lets the proxy meet them one by one; nothing depends on it
                await asyncio.sleep(0.001 if apart else 0)
            row = b""
            while True:
                receiving = asyncio.ensure_future(client.receive())
                try:
                    while not (await asyncio.wait((receiving,), timeout=_SILENCE))[0]:
                        waits = enough == len(found) if asked else await _waits(place, client)
                        if waits and not receiving.done():
                            return [*found, "nothing more"]
                    kind, payload = await receiving
                finally:
                    receiving.cancel()
                if kind == b"D":
                    row = payload
                if kind not in b"NS":
                    found.append(_shown(kind, payload))
                if kind == b"Z" and row.endswith(_END.encode()):
                    return found
    except (Saw, OSError) as ended:
        return [*found, "nothing more" if str(ended) == "nothing" else "closed"]
    except TimeoutError:
        return [*found, "nothing more"]
    finally:
        client.writer.close()


async def _waits(place: Place, client: Client) -> bool:
    """Whether the PostgreSQL behind a client waits for it, now and a moment later."""
    backend = struct.unpack(">I", client.key[:4])[0]
    looking = await place.login(place.database.port)
    try:
        for _ in range(2):
            waiting = f"SELECT 1 FROM pg_stat_activity WHERE pid = {backend} AND wait_event = 'ClientRead'"
            if await looking.ask(waiting) != "1 rows":
                return False
            await asyncio.sleep(0.02)
        return True
    finally:
        looking.close()


def _shown(kind: bytes, payload: bytes) -> str:
    if kind == b"Z":
        return f"Z{payload.decode()}"
    if kind != b"E":
        return kind.decode()
    code = next(part[1:].decode() for part in payload.split(b"\0") if part[:1] == b"C")
    return f"E {code}"


def differs(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """Where askwire's answers are not PostgreSQL's; '' when they agree up to the first NL007."""
    if ours[-1] == "nothing more" != theirs[-1]:
        return f"nothing more after {' '.join(ours[:-1])}; PostgreSQL: {' '.join(theirs)}"
    shown, upto = ["E 42703" if code == "E NL003" else code for code in ours], None
    if "E NL007" in shown:
        upto = shown.index("E NL007")
    elif theirs[-1] == shown[-1] == "closed":
        upto = len(shown) - 1
    if upto is not None and theirs[-1] == "closed":
        # a reset, for what was sent and never read, may overtake the last messages; and askwire may have had
        # PostgreSQL send what that keeps until a Sync
        upto = min(upto, len(theirs) - 1)
    if list(theirs[:upto]) == shown[:upto]:
        return ""
    return f"{' '.join(ours)}; PostgreSQL: {' '.join(theirs)}"


async def compared(place: Place, steps: Sequence[Step], *, apart: bool) -> str:
    """Play a sequence against all; what is otherwise than it should be, '' for nothing."""
    theirs = await seen(place, place.database.port, steps, apart=apart)
    enough = len(theirs) - 1 if theirs[-1] == "nothing more" else None
    ports = [port for _, port in place.servers.values()]
    others = await asyncio.gather(*(seen(place, port, steps, apart=apart, enough=enough) for port in ports))
    for name, ours in zip(place.servers, others, strict=True):
        if wrong := differs(theirs, ours):
            return f"{name}: {wrong}"
    return await left_behind(place)


@dataclass(frozen=True)
class Departure:
    """How a client vanishes: after so much of the sequence (0 to 1), by a reset or by closing."""

    at: float
    reset: bool
    answers: int
    """Messages that the client reads before."""

    endless: bool
    """Whether the sequence ends with an ASK that is thought about without an end."""


async def vanished(place: Place, steps: Sequence[Step], leaving: Departure) -> str:
    """Vanish in the middle of a sequence, from each server; what stays, '' for nothing."""
    data = b"".join(data_of(step, asked=True) for step in steps)
    data += query("ASK 'endless'") if leaving.endless else b""
    data = data[: round(len(data) * leaving.at)]

    async def leave(port: int) -> None:
        client = await place.login(port)
        try:
            client.send(data)
            async with asyncio.timeout(0.05):
                for _ in range(leaving.answers):
                    await client.receive()
        except (Saw, OSError, TimeoutError):
            pass  # it has been closed already, or there is nothing to read
        if leaving.reset:
            client.reset()
        else:
            client.writer.close()

    await asyncio.gather(*(leave(port) for _, port in place.servers.values()))
    return await left_behind(place)


async def left_behind(place: Place) -> str:
    """What is still there of clients that have gone, `GONE_SECONDS` later; '' for nothing."""
    taken = Stopwatch()
    client = await place.login(place.database.port)
    try:
        while True:
            left = [f"sessions, {name}" for name, (server, _) in place.servers.items() if server.sessions]
            tasks = asyncio.all_tasks() - place.tasks - {asyncio.current_task()}
            left += [f"a task, {task.get_coro()}" for task in tasks]
            if (more := sockets() - place.sockets - 1) > 0:
                left.append(f"{more} sockets")
            rows = await client.ask(_OTHERS)
            if not left and rows == "0 rows":
                return ""
            if not taken.within(GONE_SECONDS):
                for server, _ in place.servers.values():
                    server.hurry()  # what comes next starts without them
                return f"left behind: {', '.join([*left, rows])} of pg_stat_activity"
            await asyncio.sleep(0.005)
    finally:
        client.close()


def sockets() -> int:
    """How many sockets this process has open."""
    return sum(1 for fd in Path("/proc/self/fd").iterdir() if _is_socket(fd))


def _is_socket(fd: Path) -> bool:
    try:
        return stat.S_ISSOCK(fd.stat().st_mode)
    except OSError:  # closed meanwhile
        return False


def sequence(random_: random.Random) -> list[Step]:
    """A sequence of 1 to 10 steps."""
    return [random_.choice(STEPS) for _ in range(random_.randint(1, 10))]


async def _checked(place: Place, seed: int, steps: Sequence[Step]) -> str:
    """Compare a sequence and vanish in it, as the seed says."""
    random_ = random.Random(seed)
    if wrong := await compared(place, steps, apart=random_.random() < 0.5):
        return wrong
    endless = random_.random() < 0.2
    at = 1.0 if random_.random() < 0.3 else random_.random()
    leaving = Departure(at, random_.random() < 0.5, random_.randint(0, 3), endless)
    return await vanished(place, steps, leaving)


async def _shrunk(place: Place, seed: int, steps: list[Step], why: str) -> tuple[list[Step], str]:
    """Fewer steps that fail as well, and how."""
    at = 0
    while at < len(steps):
        fewer = steps[:at] + steps[at + 1 :]
        if fewer and (still := await _checked(place, seed, fewer)):
            steps, why = fewer, still
        else:
            at += 1
    return steps, why


async def run(
    database: Database, count: int, first: int, certificates: Certificates | None = None
) -> dict[str, int]:
    """Check so many sequences; how many went wrong, which are printed."""
    wrong = 0
    async with place_in_front_of(database, certificates) as place:
        for seed in range(first, first + count):
            steps = sequence(random.Random(seed))
            if why := await _checked(place, seed, steps):
                wrong += 1
                shrunk, why = await _shrunk(place, seed, steps, why)
                sys.stdout.write(f"seed {seed}: {why}\n  {json.dumps(shrunk)}\n")
                sys.stdout.flush()
    return {"sequences": count, "first_seed": first, "wrong": wrong}


def main() -> None:
    """Run from a command line."""
    parser = argparse.ArgumentParser(prog="message_sequences", description=__doc__)
    parser.add_argument("--dsn", required=True, help="a server on 127.0.0.1 and a role without a password")
    parser.add_argument("--sequences", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    given = parser.parse_args()
    with psycopg.connect(given.dsn) as connection:
        where = conninfo_to_dict(connection.info.dsn)
        shown = connection.execute("SHOW ssl").fetchone()
        database = Database(
            connection.info.port,
            connection.info.dbname,
            str(where.get("user", "postgres")),
            speaks_tls=shown == ("on",),
        )
    with tempfile.TemporaryDirectory() as folder:
        made = openssl_files.make(Path(folder), "localhost") if openssl_files.OPENSSL else None
        told = asyncio.run(run(database, given.sequences, given.seed, made))
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
