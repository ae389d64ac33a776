"""The command `check`: connects to a backend through askwire, and says in plain words what works.

Owns: the order of things, what is printed, the exit status.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from askwire.core.errors import AskwireError, ConfigurationError, DatabaseFailed
from askwire.core.failures import reason
from askwire.core.settings.relay import COMPILED_RELAY, IO_URING, SSL_CERT_FILE
from askwire.core.settings.table import BACKEND, PROBE_BACKEND, Settings
from askwire.proxy.checking.greeting import Greeting, greet
from askwire.proxy.checking.trials import TRIALS, ReportLine, fails, note, standby, works
from askwire.proxy.connection.dsn import BackendAddress
from askwire.proxy.connection.tls import backend_tls, client_tls
from askwire.proxy.memory.place import store_of
from askwire.proxy.resolver.resolver import AskResolver
from askwire.proxy.server import Server
from askwire.proxy.session.statements.own_connection import Target, connected, hint_where_unnamed
from askwire.proxy.wire import passage
from askwire.selector.sandbox.running import available

ALL_WORKS: Final = 0
SOMETHING_FAILS: Final = 1
UNREACHABLE: Final = 2

_LISTEN_HOST: Final = "127.0.0.1"


def run(target: Target, settings: Settings) -> tuple[str, int]:
    """What to print, and the exit status: ALL_WORKS, or SOMETHING_FAILS, or UNREACHABLE.

    Raises ConfigurationError for settings that cannot be used, or where a password is missing.
    """
    return asyncio.run(_run(target, settings))


async def _run(target: Target, settings: Settings) -> tuple[str, int]:
    try:
        greeting = await greet(target)
    except OSError as error:
        said = "timeout expired" if isinstance(error, TimeoutError) else reason(error)
        found = [fails(f"PostgreSQL at {target.address} cannot be reached: {said}")]
        if unreached := hint_where_unnamed(settings[BACKEND], os.environ):
            found.append(note(unreached))
        return _report(found), UNREACHABLE
    found = [works(f"PostgreSQL at {target.address} is reached"), *_first_words(greeting, settings)]
    if greeting.refusal:
        return _report([*found, fails(f"it refuses {target.user}: {greeting.refusal}")]), UNREACHABLE
    try:
        found += await _through(target, settings)
    except DatabaseFailed as error:
        return _report([*found, fails(f"log-in through askwire failed: {error.message}")]), UNREACHABLE
    if settings[PROBE_BACKEND]:
        found.append(await standby(target, settings[PROBE_BACKEND]))
    found += _machine(settings, backend_encrypts=greeting.encrypted)
    return _report(found), SOMETHING_FAILS if any(f.mark == "no" for f in found) else ALL_WORKS


def _first_words(greeting: Greeting, settings: Settings) -> list[ReportLine]:
    negation = "" if greeting.encrypted else "not "
    nothing = "no password asked (trust, peer or a certificate)"
    method = ", ".join(greeting.mechanisms) or (nothing if greeting.method == "none" else greeting.method)
    found = [works(f"the connection to it is {negation}encrypted")]
    if not greeting.refusal:
        found.append(note(f"log-in: {method}"))
    if greeting.method in ("GSSAPI", "SSPI", "Kerberos"):
        found.append(fails(f"{greeting.method} cannot pass through; use scram-sha-256 in pg_hba.conf"))
    if greeting.method == "none":
        found.append(note("without a password, only this machine is served unless allow_trust is on"))
    if greeting.binds_channels:
        found.append(_channel_binding(greeting, settings))
    return found


def _channel_binding(greeting: Greeting, settings: Settings) -> ReportLine:
    """Whether a client can bind its log-in to its TLS connection (RFC 5929, tls-server-end-point)."""
    shown = settings[SSL_CERT_FILE]
    if not shown:
        return works("channel binding: clients come without TLS and are not offered it; SCRAM passes through")
    if _der(shown) == greeting.certificate:
        return works("channel binding: askwire shows the backend's own certificate, so that it holds")
    return fails(
        "channel binding: TLS ends here on both sides, and clients of libpq bind their log-in to it; they "
        "need channel_binding=disable, or askwire sslmode=disable towards the backend, or its certificate "
        "and key"
    )


def _der(path: str) -> bytes:
    try:
        text = Path(path).read_text(encoding="ascii", errors="replace")
        begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
        first = text[text.index(begin) : text.index(end) + len(end)]
        return ssl.PEM_cert_to_DER_cert(first)
    except OSError as error:
        raise ConfigurationError(f"cannot read the TLS certificate {path!r}: {reason(error)}") from None
    except ValueError:
        raise ConfigurationError(f"{path!r} holds no TLS certificate") from None


async def _through(target: Target, settings: Settings) -> list[ReportLine]:
    """Try everything on a session through a server of our own, on a port that no one else knows."""
    store = store_of(settings)
    resolver = AskResolver(settings, store=store)
    server = Server(settings, resolver)
    found = []
    try:
        _, port = await server.start()
        ours = BackendAddress(_LISTEN_HOST, port, sslmode="disable")
        async with connected(replace(target, address=ours)) as connection:
            for trial in TRIALS:
                try:
                    found.append(await trial(connection))
                except AskwireError as error:
                    subject = trial.__name__.replace("_", " ")
                    found.append(fails(f"{subject}: {error.message}"))
    finally:
        await server.stop()
        await resolver.close()
        await store.close()
    return found


def _machine(settings: Settings, *, backend_encrypts: bool) -> list[ReportLine]:
    """What this machine has."""
    compiled = passage.IS_COMPILED and settings[COMPILED_RELAY]
    reason = available()
    sandbox = (
        note(f"no sandbox for machine-written programs: {reason}") if reason else works("the sandbox holds")
    )
    if not compiled:
        return [note("the relay is not compiled; Python does the same"), sandbox]
    tls = [*_client_tls(settings), *_backend_tls(encrypts=backend_encrypts)]
    return [works("the relay is compiled"), _io_uring(settings), *tls, sandbox]


def _io_uring(settings: Settings) -> ReportLine:
    """Whether sessions can be relayed through io_uring."""
    if not settings[IO_URING]:
        return note("sessions are relayed without io_uring: the setting io_uring is off")
    try:
        passage.open_ring().close()
    except OSError as error:
        return note(f"sessions are relayed without io_uring: {error.strerror}")
    return works("sessions are relayed through io_uring")


def _client_tls(settings: Settings) -> list[ReportLine]:
    """Whether that is so of clients that use TLS."""
    try:
        shared = client_tls(settings)
    except ConfigurationError:  # which stops the start
        return []
    return [] if shared is None or shared.is_compiled else [_costs_more("clients")]


def _backend_tls(*, encrypts: bool) -> list[ReportLine]:
    """Whether that is so of the backend, where it `encrypts`."""
    shared = backend_tls(BackendAddress("localhost", sslmode="require"), compiled=True)
    return [] if not encrypts or shared is None or shared.is_compiled else [_costs_more("the backend")]


def _costs_more(peers: str) -> ReportLine:
    return note(
        f"TLS with {peers} takes more processor time: this Python does not use the system's OpenSSL 3"
    )


def _report(found: Sequence[ReportLine]) -> str:
    return "".join(f"{f.mark:5} {f.sentence}\n" for f in found)
