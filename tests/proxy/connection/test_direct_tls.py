"""TLS without a request in front, certificates of clients, and what follows a handshake that fails."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from doubles.scripted_resolver import ScriptedResolver
from servers import openssl_files
from servers.listening import listening_at, relay_to
from servers.openssl_files import Certificates
from servers.running_proxy import Proxy, StartProxy
from servers.tls_clients import NEEDS_OPENSSL, ROWS, ask, client_context
from servers.wire_client import ServerRefused, WireClient, startup

from askwire.core.errors import ConfigurationError
from askwire.core.settings.table import load
from askwire.proxy.server import Server
from askwire.proxy.wire.messages import SSL_REQUEST

pytestmark = NEEDS_OPENSSL


@pytest.fixture(params=["on", "off"], ids=["compiled", "python"])
def shown(shown: dict[str, str], request: pytest.FixtureRequest) -> dict[str, str]:
    """Settings with which TLS is done by either part."""
    return {**shown, "compiled_relay": request.param}


# -- direct TLS, and certificates of clients -------------------------------------------------------------


def direct_context(certificates: Certificates, *protocols: str) -> ssl.SSLContext:
    context = client_context(certificates)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


async def directly(proxy: Proxy, context: ssl.SSLContext) -> WireClient:
    """A client that begins with the handshake, as sslnegotiation=direct does."""
    reader, writer = await asyncio.open_connection(*proxy.address, ssl=context, server_hostname="localhost")
    client = WireClient(reader, writer)
    client.send(startup({"user": "postgres", "database": proxy.database.name}))
    return client


async def test_tls_without_a_request_in_front(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates
) -> None:
    async with start_proxy(**shown) as proxy:
        client = await directly(proxy, direct_context(certificates, "postgresql"))
        await client.authenticate("postgres", "")
        assert (await client.query("ASK 'x'")).rows == [("42",)]
        big = "x" * 300_000
        assert (await client.query(f"SELECT length('{big}')")).rows == [("300000",)]
        await client.close()


@pytest.mark.parametrize("protocols", [(), ("http/1.1",)])
async def test_a_direct_handshake_has_to_name_the_protocol(
    start_proxy: StartProxy, shown: dict[str, str], certificates: Certificates, protocols: tuple[str, ...]
) -> None:
    async with start_proxy(**shown) as proxy:
        with suppress(ssl.SSLError, ConnectionError):
            client = await directly(proxy, direct_context(certificates, *protocols))
            assert await client.ended() == []
            client.writer.close()
        await proxy.until(lambda: not proxy.server._sessions)


async def test_a_direct_handshake_without_a_certificate_here_is_closed(
    proxy: Proxy, certificates: Certificates
) -> None:
    with pytest.raises((ssl.SSLError, ConnectionError)):
        await directly(proxy, direct_context(certificates, "postgresql"))
    await proxy.until(lambda: not proxy.server._sessions)


@pytest.mark.parametrize(
    ("asked", "given", "answer"),
    [
        ("allow", "none", "rows"),
        ("allow", "known", "rows"),
        ("allow", "unknown", "refused"),
        ("require", "none", "refused"),
        ("require", "known", "rows"),
        ("require", "unencrypted", "refused"),
    ],
)
async def test_a_client_shows_a_certificate(
    start_proxy: StartProxy,
    shown: dict[str, str],
    certificates: Certificates,
    other_certificates: Certificates,
    *,
    asked: str,
    given: str,
    answer: str,
) -> None:
    settings = {**shown, "ssl_client_cert": asked, "ssl_ca_file": str(certificates.authority)}
    own = {"known": certificates, "unknown": other_certificates}.get(given)
    async with start_proxy(**settings) as proxy:
        dsn = proxy.dsn() + (" sslmode=disable" if given == "unencrypted" else " sslmode=require")
        if own:
            own.key.chmod(0o600)
            dsn += f" sslcert={own.certificate} sslkey={own.key}"
        if answer == "rows":
            assert await asyncio.to_thread(ask, dsn) == (True, ROWS)
        else:
            with pytest.raises(psycopg.OperationalError):
                await asyncio.to_thread(ask, dsn)
        await proxy.until(lambda: not proxy.server._sessions)


@pytest.fixture(scope="module")
def other_certificates(module_folder: Path) -> Certificates:
    """A certificate of an authority that no one here knows."""
    return openssl_files.make(module_folder / "other-certificates", "localhost")


def test_certificates_of_clients_need_an_authority(shown: dict[str, str]) -> None:
    settings = load({"backend": "host=localhost", "ssl_client_cert": "allow", **shown})
    with pytest.raises(ConfigurationError, match="no authority is configured"):
        Server(settings, ScriptedResolver(settings))


async def test_a_preferred_handshake_that_fails_is_followed_by_none(
    start_proxy: StartProxy, proxy: Proxy
) -> None:
    """As libpq does; a backend that says S and then nothing that is TLS."""
    handshakes = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal handshakes
        first = await reader.readexactly(8)
        if first == SSL_REQUEST:
            handshakes += 1
            writer.write(b"S")
            await reader.read(100)
            writer.write(b"no TLS at all, sorry")
            return
        await relay_to(proxy.database.port, reader, writer, first=first)

    async with listening_at(serve) as port:
        async with start_proxy(backend=f"host=127.0.0.1 port={port} sslmode=prefer") as hopeful:
            client = await WireClient.login(hopeful.address, proxy.database.name)
            assert (await client.query("SELECT 1")).rows == [("1",)]
            await client.close()
        async with start_proxy(backend=f"host=127.0.0.1 port={port} sslmode=require") as strict:
            with pytest.raises(ServerRefused) as refused:
                await WireClient.login(strict.address, proxy.database.name)
            assert refused.value.code == "08001"
    assert handshakes == 2
