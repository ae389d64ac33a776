"""A connection of askwire's own to a PostgreSQL server, for commands that ask a database directly.

Owns: who connects where (the DSN, then libpq's environment variables and password file), the log-in, and an
`Executor` over the connection.
"""

from __future__ import annotations

import asyncio
import errno
import getpass
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from askwire.core.errors import ConfigurationError, DatabaseFailed
from askwire.proxy.connection.canceling import send_cancel
from askwire.proxy.connection.dsn import BackendAddress, parse_dsn, read_parameters
from askwire.proxy.connection.scram import MECHANISM, AuthenticationFailed, Scram, md5
from askwire.proxy.connection.streams import Listener, Side, connect
from askwire.proxy.connection.tls import backend_tls
from askwire.proxy.session.statements.conversation import BackendGone, Conversation, database_error
from askwire.proxy.session.statements.executor import SessionExecutor
from askwire.proxy.session.statements.limits import Caps
from askwire.proxy.session.statements.prelude import NOTHING, Prelude
from askwire.proxy.wire import messages
from askwire.proxy.wire.pipeline import Pipeline
from askwire.proxy.wire.rewrites import Rewrites
from askwire.proxy.wire.walker import (
    AUTHENTICATION,
    BACKEND_KEY_DATA,
    COPY_IN_RESPONSE,
    ERROR_RESPONSE,
    READY_FOR_QUERY,
    Frame,
)

_PROTOCOL = 3 << 16
_PASSWORD = b"p"
_CONNECT_SECONDS = 10.0
_GOODBYE_SECONDS = 1.0
_INVALID_PASSWORD = "28P01"  # noqa: S105 - a SQLSTATE
_ENVIRONMENT = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "options": "PGOPTIONS",
}
_SERVER_NAMES = ("PGHOST", "PGHOSTADDR", "PGSERVICE")
_OK, _CLEARTEXT, _MD5, _SASL, _SASL_CONTINUE, _SASL_FINAL = 0, 3, 5, 10, 11, 12


def hint_where_unnamed(dsn: str, environment: Mapping[str, str]) -> str:
    """How to name a server, for a DSN and an environment that name none; '' for others."""
    if dsn.strip() or any(environment.get(name) for name in _SERVER_NAMES):
        return ""
    return (
        "No server was named: give --dsn postgresql://user@host/database, or `backend` in askwire.toml, or "
        "PGHOST, PGUSER and PGDATABASE."
    )


@dataclass(frozen=True)
class Target:
    """Where to connect, and as whom; `password` is None where none was given.

    `options` is a command line for the backend, as `-c search_path=sales`. `may_prompt`: a password that is
    missing may be asked for at the terminal.
    """

    address: BackendAddress
    user: str
    database: str
    password: str | None = field(default=None, repr=False)
    options: str = ""
    may_prompt: bool = True


def read_target(dsn: str, environment: Mapping[str, str]) -> Target:
    """Who connects where, as libpq would read it: the DSN, then PG* variables, then its password file.

    Raises ConfigurationError for a DSN that cannot be read. Services and several hosts are not supported.
    """
    given = read_parameters(dsn) if dsn.strip() else {}
    if given.get("service") or (not dsn.strip() and environment.get("PGSERVICE")):
        raise ConfigurationError("services of libpq are not supported", hint="Name host and database.")
    for name, variable in _ENVIRONMENT.items():
        if environment.get(variable):
            given.setdefault(name, environment[variable])
    pairs = [f"{k}={_quoted(v)}" for k, v in given.items() if k in _ENVIRONMENT]
    address = parse_dsn(" ".join(pairs) or "host=localhost")
    user = given.get("user") or getpass.getuser()
    database = given.get("dbname") or user
    password = given.get("password") or _from_file(address, database, user, environment)
    return Target(address, user, database, password, given.get("options", ""))


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _from_file(
    address: BackendAddress, database: str, user: str, environment: Mapping[str, str]
) -> str | None:
    """The password in ~/.pgpass, which no one but its owner may read (libpq, "The Password File")."""
    path = Path(environment.get("PGPASSFILE") or Path.home() / ".pgpass")
    try:
        if path.stat().st_mode & 0o077:
            return None
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    host = "localhost" if address.unix_socket else address.host
    wanted = (host, str(address.port), database, user)
    for line in lines:
        fields = _fields(line)
        if len(fields) == 5 and all(f in ("*", w) for f, w in zip(fields, wanted, strict=False)):
            return fields[4]
    return None


def _fields(line: str) -> list[str]:
    """Parts between colons; a backslash takes the next character as it is. '#' starts a comment line."""
    if line.startswith("#"):
        return []
    fields, characters = [""], iter(line)
    for character in characters:
        if character == ":" and len(fields) < 5:
            fields.append("")
        else:
            fields[-1] += next(characters, "") if character == "\\" else character
    return fields


class Way(Protocol):
    """How a server is reached, where that is not its address."""

    async def dial(self, listener: Listener) -> Side:
        """Open a connection; raises OSError."""

    async def cancel(self, key: bytes) -> None:
        """Carry out a CancelRequest; return once it has been taken."""


class OwnConnection:
    """A logged-in session; made by `connected`. `way` reaches the server, in place of its address.

    `patience` are the seconds that the server gets to end what was canceled, 0 for any number.
    """

    def __init__(
        self, target: Target, settings: Mapping[str, str], way: Way | None = None, *, patience: float = 0
    ) -> None:
        self._target = target
        self._settings = settings
        self._way = way
        self._side: Side | None = None
        self._cancel_key = b""
        self._last_words: Mapping[str, str] = {}
        self._asked = False
        self._over = asyncio.Event()
        self._conversation = Conversation(
            Pipeline(), Rewrites(), self._heard, self._write, lambda payload: None, {}, "utf-8", patience
        )

    # -- streams.Listener

    def side_received(self, side: Side, data: bytes) -> None:
        """Bytes from the server."""
        self._conversation.feed(data)

    def side_eof(self, side: Side) -> None:
        """The server will send no more; the connection ends from here too."""
        self._conversation.lost()
        side.close()

    def side_lost(self, side: Side) -> None:
        """The connection is gone."""
        self._over.set()
        self._conversation.lost()

    def side_writable(self, side: Side, writable: bool) -> None:
        """Nothing is written in bulk."""

    # -- what commands use

    def executor(self, caps: Caps, prelude: Prelude = NOTHING) -> SessionExecutor:
        """The pipeline's view of this connection; `prelude` is replayed in each batch."""
        return SessionExecutor(self._conversation, caps, self._cancel, prelude)

    async def simple(self, sql: str, copied: bytes = b"") -> list[Frame]:
        """The messages that answer a simple query; `copied` is sent when the server asks for COPY data.

        Raises DatabaseFailed for an error, once the server is ready again.
        """
        self._conversation.send(messages.query(sql.encode()))
        frames: list[Frame] = []
        while not frames or frames[-1][0] != READY_FOR_QUERY:
            frames.append(await self._conversation.receive())
            if frames[-1][0] == COPY_IN_RESPONSE:
                self._conversation.send(copied)
        for kind, payload in frames:
            if kind == ERROR_RESPONSE:
                raise database_error(messages.read_fields(payload))
        return frames

    def send(self, sent: bytes) -> None:
        """Send messages whose answers `receive` reads."""
        self._conversation.send(sent)

    async def receive(self, notice: Callable[[bytes], None] | None = None) -> Frame:
        """The next message that answers what was sent; `notice` is given the payload of each NoticeResponse.

        Raises BackendGone.
        """
        return await self._conversation.receive(notice)

    def cap_rows(self, longest: int) -> None:
        """Have rows longer than so many bytes come out with an empty payload."""
        self._conversation.cap_rows(longest)

    async def cancel(self) -> None:
        """Ask the server to cancel what runs, and wait until it has taken the request."""
        await self._cancel()

    async def open(self) -> None:
        """Connect and log in; see `connected` for what it raises."""
        address = self._target.address
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                self._side = await (
                    self._way.dial(self) if self._way else connect(address, backend_tls(address), self)
                )
        except TimeoutError:
            raise DatabaseFailed(f"cannot reach {address}: timeout expired", code="08001") from None
        except OSError as error:
            known = error.errno is not None and error.errno in errno.errorcode
            reason = os.strerror(error.errno or 0) if known else error.strerror or str(error)
            raise DatabaseFailed(f"cannot reach {address}: {reason}", code="08001") from None
        try:
            await self._log_in()
        except BackendGone:
            said = self._last_words
            raise (
                database_error(said)
                if said
                else DatabaseFailed(f"{address} closed the connection", code="08006")
            ) from None
        # it has served: a session may live for hours
        self._target = replace(self._target, password=None)

    @property
    def is_open(self) -> bool:
        """Whether the server still listens."""
        return self._side is not None and self._side.is_open and not self._conversation.gone

    @property
    def last_words(self) -> Mapping[str, str]:
        """The fields of the error with which the server ended the session; none where it was silent."""
        return self._last_words

    @property
    def other_way(self) -> BackendAddress | None:
        """Where to ask again after a refusal, as `sslmode` says; None once it has asked for a proof."""
        if self._asked or self._side is None:
            return None
        return self._target.address.other_way(encrypted=self._side.encrypted)

    def leave(self) -> None:
        """End the session, and do not wait for it."""
        if self._side and self._conversation.stalled:
            self._side.abort()
            return
        self._write(messages.TERMINATE)
        if self._side:
            self._side.close()

    def abandon(self) -> None:
        """Give up a server that does not answer: nothing more is said to it."""
        if self._side:
            self._side.abort()

    async def close(self) -> None:
        """End the session; over TLS a goodbye takes its time, which is bounded."""
        self.leave()
        if self._side:
            try:
                async with asyncio.timeout(_GOODBYE_SECONDS):
                    await self._over.wait()
            except TimeoutError:
                self._side.abort()

    # -- log-in

    async def _log_in(self) -> None:
        settings = {
            "user": self._target.user,
            "database": self._target.database,
            "client_encoding": "UTF8",
            "application_name": "askwire",
            **({"options": self._target.options} if self._target.options else {}),
            **self._settings,
        }
        told = b"".join(part.encode() + b"\x00" for pair in settings.items() for part in pair) + b"\x00"
        self._write(messages.UINT32.pack(len(told) + 8) + messages.UINT32.pack(_PROTOCOL) + told)
        scram: Scram | None = None
        while True:
            kind, payload = await self._conversation.receive()
            if kind == READY_FOR_QUERY:
                return
            if kind == ERROR_RESPONSE:
                raise database_error(messages.read_fields(payload))
            if kind == BACKEND_KEY_DATA:
                self._cancel_key = payload
            elif kind == AUTHENTICATION:
                self._asked = True
                scram = await self._authenticate(payload, scram)

    async def _authenticate(self, payload: bytes, scram: Scram | None) -> Scram | None:
        (code,), rest = messages.UINT32.unpack_from(payload), payload[4:]
        try:
            if code == _OK:
                if scram and not scram.verified:
                    raise AuthenticationFailed("the server did not prove that it knows the password")
                return scram
            if code == _CLEARTEXT:
                self._answer((await self._password()).encode() + b"\x00")
            elif code == _MD5:
                password = await self._password()
                self._answer(md5(self._target.user, password, rest).encode() + b"\x00")
            elif code == _SASL and MECHANISM.encode() in rest.split(b"\x00"):
                scram = Scram(await self._password())
                first = scram.first().encode()
                self._answer(MECHANISM.encode() + b"\x00" + messages.UINT32.pack(len(first)) + first)
            elif code == _SASL_CONTINUE and scram:
                # thousands of hashes: some milliseconds
                final = await asyncio.to_thread(scram.final, rest.decode("utf-8", "replace"))
                self._answer(final.encode())
            elif code == _SASL_FINAL and scram:
                scram.verify(rest.decode("utf-8", "replace"))
            else:
                raise ConfigurationError(
                    "the server asks for an authentication method that this command does not support",
                    hint="It supports trust, password, md5 and scram-sha-256.",
                )
        except AuthenticationFailed as failure:
            raise DatabaseFailed(str(failure), code=_INVALID_PASSWORD) from None
        return scram

    async def _password(self) -> str:
        """The password that was given, or that someone at the terminal types."""
        if self._target.password is not None:
            return self._target.password
        if not (self._target.may_prompt and sys.stdin.isatty() and sys.stderr.isatty()):
            raise ConfigurationError(
                f"a password is needed for user {self._target.user!r}",
                hint="Give it in the DSN, in PGPASSWORD or in ~/.pgpass.",
            )
        prompt = f"Password for user {self._target.user}: "
        return await asyncio.to_thread(getpass.getpass, prompt, sys.stderr)

    def _answer(self, payload: bytes) -> None:
        self._write(messages.frame(_PASSWORD, payload))

    # -- the conversation's two ends

    def _write(self, data: bytes) -> None:
        if self._side:
            self._side.write(data)

    def _heard(self, data: bytes) -> None:
        """What a client would be shown: kept when it is why the server ends the session."""
        if data[0] == ERROR_RESPONSE:
            self._last_words = messages.read_fields(data[5:])

    async def _cancel(self) -> None:
        """Ask the server to cancel what runs, and wait until it has taken the request (its end of file)."""
        if self._way:
            await self._way.cancel(self._cancel_key)
            return
        address = self._target.address
        await send_cancel(address, backend_tls(address), self._cancel_key, _CONNECT_SECONDS)


async def opened(
    target: Target, settings: Mapping[str, str] = MappingProxyType({}), *, patience: float = 0
) -> OwnConnection:
    """A session that has logged in, without TLS where `sslmode` allows that; it starts with `settings`.

    Raises DatabaseFailed when the server cannot be reached or refuses, ConfigurationError when a password is
    missing.
    """
    connection = OwnConnection(target, settings, patience=patience)
    try:
        try:
            await connection.open()
        except DatabaseFailed:
            if (other := connection.other_way) is None:
                raise
            await connection.close()
            connection = OwnConnection(replace(target, address=other), settings, patience=patience)
            await connection.open()
    except BaseException:
        with suppress(OSError):
            await connection.close()
        raise
    return connection


@asynccontextmanager
async def connected(
    target: Target, settings: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[OwnConnection]:
    """A session that ends when the context is left; it starts with `settings`, written as SET reads them.

    Raises what `opened` raises; what the server says as it ends the session becomes DatabaseFailed as well.
    """
    connection = await opened(target, settings)
    try:
        yield connection
    except BackendGone as gone:
        raise DatabaseFailed(str(gone), code="08006") from None
    finally:
        with suppress(OSError):
            await connection.close()
