"""From the first byte to the first query: start-up packets, authentication passed through, doors, limits."""

from __future__ import annotations

import asyncio
import socket
import stat
import tempfile
from pathlib import Path

import psycopg
import pytest
from doubles.time_bounds import Stopwatch
from servers.listening import listening_at, relay_to
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import PATIENCE, PROTOCOL_3_2, ConnectionEnded, ServerRefused, WireClient, startup

from askwire.core.errors import ConfigurationError
from askwire.proxy.server import Server
from askwire.proxy.session.logins import Logins, shared_address
from askwire.proxy.session.phase import Phase
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import UINT32

GSSENC_REQUEST = UINT32.pack(8) + UINT32.pack(messages.GSSENC_REQUEST_CODE)


async def refused(proxy: Proxy, *, user: str = "postgres", database: str = "", secret: str = "") -> str:
    """The SQLSTATE with which a log-in is refused."""
    with pytest.raises(ServerRefused) as error:
        await WireClient.login(proxy.address, database or proxy.database.name, user, secret=secret)
    return error.value.code


# -- start-up packets ------------------------------------------------------------------------------------


async def test_a_handshake_nobody_here_can_answer_is_closed(proxy: Proxy) -> None:
    """As PostgreSQL does: anyone who begins with TLS could not read an error without encryption."""
    client = await WireClient.connect(*proxy.address)
    client.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    assert await client.ended() == []
    client.writer.close()


async def test_a_start_up_packet_may_come_in_pieces(proxy: Proxy) -> None:
    client = await WireClient.connect(*proxy.address)
    client.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    packet = startup({"user": "postgres", "database": proxy.database.name, "options": "-c work_mem=7MB"})
    for byte in packet:
        client.send(bytes((byte,)))
        await client.drain()
        await asyncio.sleep(0)
    await client.authenticate("postgres", "")
    assert (await client.query("SHOW work_mem")).rows == [("7MB",)]
    await client.close()


async def test_encryption_that_is_not_configured_is_declined_and_the_client_may_go_on(proxy: Proxy) -> None:
    client = await WireClient.connect(*proxy.address)
    for request in (GSSENC_REQUEST, messages.SSL_REQUEST):
        client.send(request)
        assert await client.receive_exactly(1) == b"N"
    client.send(startup({"user": "postgres", "database": proxy.database.name}))
    await client.authenticate("postgres", "")
    assert (await client.query("ASK 'x'")).rows == [("42",)]
    await client.close()


async def test_protocol_3_2_and_its_negotiation_pass(proxy: Proxy) -> None:
    async with proxy.client(protocol=PROTOCOL_3_2) as client:
        assert (await client.query("ASK 'x'")).rows == [("42",)]
    client = await WireClient.connect(*proxy.address)
    packet = {"user": "postgres", "database": proxy.database.name, "_pq_.unknown": "1"}
    client.send(startup(packet, (3 << 16) + 2))
    kind, payload = await client.receive()
    assert kind == "v"
    assert payload.endswith(b"_pq_.unknown\0")
    await client.authenticate("postgres", "")
    await client.close()


async def test_everything_sent_at_once_is_answered_in_order(proxy: Proxy) -> None:
    """A client that need not authenticate may send its queries right behind the start-up packet."""
    client = await WireClient.connect(*proxy.address)
    client.send(
        startup({"user": "postgres", "database": proxy.database.name}),
        messages.query(b"SELECT 1"),
        messages.query(b"ASK 'x'"),
        messages.query(b"SELECT 2"),
    )
    await client.authenticate("postgres", "")
    assert [(await client.answer()).rows for _ in range(3)] == [[("1",)], [("42",)], [("2",)]]
    await client.close()


async def test_what_is_sent_ahead_of_the_log_in_is_bounded(proxy: Proxy) -> None:
    client = await WireClient.connect(*proxy.address)
    client.send(startup({"user": "postgres", "database": proxy.database.name}))
    count = 100
    for n in range(count):
        client.send(messages.query(b"SELECT %d --" % n + b"x" * 20_000))
    await client.authenticate("postgres", "")
    assert [(await client.answer()).rows for _ in range(count)] == [[(str(n),)] for n in range(count)]
    await client.close()


# -- authentication --------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["by_password", "by_md5", "by_scram"])
async def test_every_method_passes_through(proxy: Proxy, role: str) -> None:
    def ask(password: str) -> list[tuple[str, int]]:
        dsn = f"{proxy.dsn(role)} password='{password}'"
        with psycopg.connect(dsn, autocommit=True) as connection:
            rows = connection.execute("SELECT current_user").fetchall()
            return [(rows[0][0], connection.execute("ASK 'x'").fetchall()[0][0])]

    assert await asyncio.to_thread(ask, f"secret of {role}") == [(role, 42)]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        await asyncio.to_thread(ask, "wrong")


async def test_a_refusal_is_the_backends_own(proxy: Proxy) -> None:
    assert await refused(proxy, database="no such database") == "3D000"
    assert await refused(proxy, user="nobody at all") == "28000"
    assert await refused(proxy, user="by_md5", secret="wrong") == "28P01"
    assert await refused(proxy, user="by_password", secret="wrong") == "28P01"


async def test_a_backend_that_is_down_is_told(start_proxy: StartProxy) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        async with start_proxy(backend=f"host=127.0.0.1 port={port}") as proxy:
            with pytest.raises(ServerRefused) as error:
                await WireClient.login(proxy.address, "any")
    assert error.value.code == "08001"
    assert f"127.0.0.1:{port}" in str(error.value)
    assert "Connection refused" in str(error.value) or "Connect call failed" in str(error.value)


async def test_a_backend_whose_name_is_unknown_is_told(start_proxy: StartProxy) -> None:
    async with start_proxy(backend="host=no-such-host.invalid") as proxy:
        assert await refused(proxy) == "08001"


async def test_a_backend_behind_a_unix_socket(start_proxy: StartProxy, open_folder: Path) -> None:
    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await relay_to(proxy.database.port, reader, writer)

    async with (
        listening_at(pass_on, path=open_folder / ".s.PGSQL.5433"),
        start_proxy(backend=f"host='{open_folder}' port=5433 sslmode=require") as proxy,
        proxy.client() as client,
    ):
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_a_backend_that_does_not_answer_times_out(start_proxy: StartProxy) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        # the answer to SSLRequest never comes
        async with start_proxy(
            backend=f"host=127.0.0.1 port={port} sslmode=require", connect_timeout="100ms"
        ) as proxy:
            assert await refused(proxy) == "08001"


async def test_a_backend_that_closes_at_once_closes_the_client(start_proxy: StartProxy) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with (
        listening_at(hang_up) as port,
        start_proxy(backend=f"host=127.0.0.1 port={port} sslmode=disable") as proxy,
    ):
        with pytest.raises((ConnectionEnded, ServerRefused)):
            await WireClient.login(proxy.address, "any")


# -- doors -----------------------------------------------------------------------------------------------


async def test_trust_is_not_handed_on_to_the_network(start_proxy: StartProxy) -> None:
    async with start_proxy(listen="0.0.0.0:0") as proxy:
        proxy.address = ("127.0.0.1", proxy.address[1])
        assert await refused(proxy) == "28000"
        client = await WireClient.login(
            proxy.address, proxy.database.name, "by_md5", secret="secret of by_md5"
        )
        assert (await client.query("ASK 'x'")).rows == [("42",)]
        await client.close()


async def test_trust_is_handed_on_when_the_operator_says_so(start_proxy: StartProxy) -> None:
    async with start_proxy(listen="0.0.0.0:0", allow_trust="on") as proxy:
        proxy.address = ("127.0.0.1", proxy.address[1])
        async with proxy.client() as client:
            assert (await client.query("ASK 'x'")).rows == [("42",)]


# -- limits ----------------------------------------------------------------------------------------------


async def test_more_clients_than_allowed_are_refused(start_proxy: StartProxy) -> None:
    async with start_proxy(max_clients="2") as proxy:
        async with proxy.client(), proxy.client():
            assert await refused(proxy) == "53300"
        await proxy.until(lambda: not proxy.server.served)
        async with proxy.client() as client:
            assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_a_full_server_takes_a_cancel_request(start_proxy: StartProxy) -> None:
    async with start_proxy(max_clients="1") as proxy, proxy.client() as client:
        client.send(messages.query(b"SELECT pg_sleep(60)"))
        await proxy.running("pg_sleep")
        other = await WireClient.connect(*proxy.address)
        other.send(messages.cancel_request(messages.UINT32.pack(client.process_id) + client.secret))
        assert await other.ended() == []
        assert (await client.answer()).codes == ["57014"]
        other.writer.close()


@pytest.mark.parametrize(
    ("given", "stay"), [({"max_clients": "3"}, 3), ({"max_logins": "2", "max_clients": "50"}, 2)]
)
async def test_the_oldest_connections_before_their_log_in_make_room(
    start_proxy: StartProxy, given: dict[str, str], stay: int
) -> None:
    async with start_proxy(**given) as proxy:
        crowd = [await WireClient.connect(*proxy.address) for _ in range(8)]
        for client in crowd[:-stay]:
            assert await client.ended_with() == "53300"
        await proxy.until(lambda: len(proxy.server._logins) == stay)
        for client in crowd:
            client.writer.close()


async def mute(proxy: Proxy, number: int) -> WireClient:
    """A client that stops in one of the phases of a log-in."""
    client = await WireClient.connect(*proxy.address)
    packet = startup({"user": "by_md5", "database": proxy.database.name})
    client.send((b"", packet[:7], messages.SSL_REQUEST, packet)[number % 4])
    return client


async def test_mute_connections_keep_no_client_out(start_proxy: StartProxy) -> None:
    """Ten times `max_clients` of them, in every phase; clients that are logged in stay."""
    async with start_proxy(max_clients="20") as proxy, proxy.client() as before:
        crowd = [await mute(proxy, number) for number in range(200)]
        taken = Stopwatch()
        async with asyncio.timeout(PATIENCE), proxy.client() as client:
            assert (await client.query("SELECT 1")).rows == [("1",)]
        assert taken.within(2)
        assert (await before.query("SELECT 1")).rows == [("1",)]
        assert len(proxy.server._logins) <= 20
        for client in crowd:
            client.writer.close()


async def test_a_log_in_that_ends_when_the_server_is_full_is_refused(start_proxy: StartProxy) -> None:
    async with start_proxy(max_clients="1") as proxy:
        waiting = await mute(proxy, 3)
        await proxy.until(lambda: any(s.phase is Phase.LOGIN for s in proxy.server.sessions))
        async with proxy.client():
            with pytest.raises(ServerRefused) as refusal:
                await waiting.authenticate("by_md5", "secret of by_md5")
            assert refusal.value.code == "53300"
        waiting.writer.close()


def test_connections_are_counted_by_address_or_network() -> None:
    hosts = (
        "10.1.2.3",
        "::ffff:10.1.2.3",
        "2001:db8::1",
        "2001:db8::ffff:2",
        "2001:db8:0:1::1",
        "fe80::1%eth0",
        "",
    )
    assert [shared_address(host) for host in hosts] == [
        *("10.1.2.3", "10.1.2.3", "2001:db8::/64", "2001:db8::/64", "2001:db8:0:1::/64", "fe80::/64", "")
    ]


class Connection:
    """A connection before its log-in, of which only the end counts."""

    def __init__(self, logins: Logins) -> None:
        self.logins = logins
        self.ended = False

    def refuse(self, sqlstate: str, message: str) -> None:
        assert sqlstate == "53300"
        self.ended = True
        self.logins.end(self)  # type: ignore[arg-type]


async def test_the_address_with_most_connections_makes_room() -> None:
    logins = Logins()
    hosts = ["10.0.0.1", *["10.0.0.2"] * 3]
    crowd = [Connection(logins) for _ in hosts]
    for connection, host in zip(crowd, hosts, strict=True):
        logins.begin(connection, host, 0)  # type: ignore[arg-type]
    assert logins.make_room()
    assert [connection.ended for connection in crowd] == [False, True, False, False]
    assert len(logins) == 3
    assert not Logins().make_room()


async def test_a_connection_that_is_still_ending_makes_no_room_again() -> None:
    class Slow(Connection):
        def refuse(self, sqlstate: str, message: str) -> None:
            self.ended = True

    logins = Logins()
    crowd = [Slow(logins) for _ in range(3)]
    for connection in crowd:
        logins.begin(connection, "10.0.0.1", 0)  # type: ignore[arg-type]
    assert logins.make_room()
    assert logins.make_room()
    assert [connection.ended for connection in crowd] == [True, True, False]
    assert (len(logins), logins.waiting) == (3, 1)
    for connection in crowd:
        logins.end(connection)  # type: ignore[arg-type]
    assert (len(logins), logins.waiting) == (0, 0)
    assert not logins.make_room()


@pytest.mark.parametrize("sent", ["nothing", "half a packet", "no password"])
async def test_a_log_in_that_takes_too_long_is_ended(start_proxy: StartProxy, sent: str) -> None:
    async with start_proxy(login_timeout="200ms") as proxy:
        client = await WireClient.connect(*proxy.address)
        packet = startup({"user": "by_md5", "database": proxy.database.name})
        if sent == "half a packet":
            client.send(packet[:11])
        elif sent == "no password":
            client.send(packet)
        assert await client.ended_with() == "57014"
        client.writer.close()
        await proxy.settles_at(0)


async def test_a_session_that_logged_in_in_time_stays(start_proxy: StartProxy) -> None:
    async with start_proxy(login_timeout="300ms") as proxy, proxy.client() as client:
        assert not proxy.server._logins
        assert not (await client.query("SELECT pg_sleep(0.4)")).codes


async def test_a_client_that_leaves_during_its_log_in_leaves_nothing(proxy: Proxy) -> None:
    for sent in (b"", b"\0", startup({"user": "by_md5", "database": proxy.database.name})):
        client = await WireClient.connect(*proxy.address)
        client.send(sent)
        await client.drain()
        client.abort()
    await proxy.until(lambda: not proxy.server._sessions)
    await proxy.settles_at(0)
    assert not proxy.server._logins


async def test_a_client_over_a_unix_socket(start_proxy: StartProxy, open_folder: Path) -> None:
    """Several places at once; what a process that was killed left behind is no obstacle."""
    folder = Path(tempfile.mkdtemp(dir=open_folder))
    path = folder / ".s.PGSQL.6432"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    async with start_proxy(listen=f"{path}, 127.0.0.1:0") as proxy:
        dsn = f"host={folder} port=6432 dbname={proxy.database.name} user=postgres"
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            assert await (await connection.execute("ASK 'x'")).fetchall() == [(42,)]
        with pytest.raises(ConfigurationError, match="Address already in use"):
            await Server(proxy.server.settings, proxy.resolver).start()
    assert not path.exists()
    for given, expected in (({}, 0o777), ({"unix_socket_permissions": "0700"}, 0o700)):
        async with start_proxy(listen=str(path), **given):
            assert stat.S_IMODE(path.stat().st_mode) == expected
    path.write_text("mine")
    with pytest.raises(ConfigurationError, match="a file is there that is not a socket"):
        async with start_proxy(listen=str(path)):
            pass
    assert path.read_text() == "mine"
