"""Where an error of a rewritten statement points to: always into the text the client wrote."""

from __future__ import annotations

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import Answer, WireClient, bind

from askwire.core.errors import BeyondEngine
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import SYNC

LONG = "SELECT 42 AS answer, 'a long answer that moves all that follows' AS text"


@pytest.fixture
def proxy(proxy: Proxy) -> Proxy:
    """A proxy whose SQL is longer than the ASKs it stands for."""

    async def wrong(_inquiry: AskRequest) -> str:
        return "SELECT wrong FROM pg_catalog.pg_class"

    proxy.resolver.answer = LONG
    proxy.resolver.on("wrong", wrong)
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    return proxy


async def group(client: WireClient, *parts: bytes) -> Answer:
    client.send(*parts, SYNC)
    return await client.answer()


def place(answer: Answer) -> int:
    """The only error's position."""
    (fields,) = answer.errors
    return int(fields.get("P", "0"))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("SELECT * FROM (ASK 'x') q WHERE nothing", "nothing"),
        ("SELECT nothing FROM (ASK 'x') q, (ASK 'y') r", "nothing"),
        ("SELECT * FROM (ASK 'x') q, (ASK 'größer') r, nowhere", "nowhere"),
        ("SELECT 'äöü', answer FROM (ASK 'x') q WHERE nothing", "nothing"),
        ("ASK 'x' LIMIT nothing", "nothing"),
        ("SELECT * FROM (ASK 'wrong') q", "ASK"),
        ("EXPLAIN ASK 'wrong'", "ASK"),
        ("WITH q AS (ASK 'x') SELECT nothing FROM q", "nothing"),
    ],
)
async def test_of_a_query(proxy: Proxy, text: str, at: str) -> None:
    async with proxy.client() as client:
        for answer in (
            await client.query(text),
            await client.extended(text),
            await client.query(f"ASK 'x'; {text}"),
        ):
            offset = 9 if answer.tags else 0
            assert place(answer) == text.index(at) + 1 + offset
        # what is not rewritten is left alone
        assert place(await client.query("SELECT nothing")) == 8
        assert place(await client.extended("SELECT nothing")) == 8


async def test_in_another_encoding(proxy: Proxy) -> None:
    text = "SELECT 'ä', nothing FROM (ASK 'größer') q"
    async with proxy.client(parameters={"client_encoding": "LATIN1"}) as client:
        assert place(await client.query(text, "iso8859-1")) == text.index("nothing") + 1
    assert proxy.resolver.asked == ["größer"]


async def test_of_statements_behind_an_ask(proxy: Proxy) -> None:
    text = "ASK 'x'; SELECT nothing"
    async with proxy.client() as client:
        answer = await client.query(text)
        assert (place(answer), answer.rows[0][0]) == (text.index("nothing") + 1, "42")


async def test_of_a_named_statement_whose_table_changes(proxy: Proxy) -> None:
    text = "SELECT answer, a FROM (ASK 'x') q, t WHERE t.a > 0"
    async with proxy.client() as client:
        await client.query("CREATE TABLE t (a int)")
        assert (await group(client, messages.parse(b"s", text.encode()))).kinds == "1Z"
        run = bind(statement=b"s") + messages.execute(b"")
        assert (await group(client, run)).kinds == "2CZ"
        await client.query("ALTER TABLE t RENAME a TO b")
        for _ in range(2):
            # sent ahead with others, so that answers must find their messages
            other = messages.parse(b"", b"SELECT 1") + bind() + messages.execute(b"")
            answer = await group(client, other, messages.describe_statement(b"s"))
            assert (answer.kinds, place(answer)) == ("12DCtEZ", text.index("a FROM") + 1)
            assert place(await group(client, other, run)) == text.index("a FROM") + 1
            assert place(await group(client, other, messages.parse(b"", b"SELECT nothing"))) == 8
        await group(client, messages.close_statement(b"s"))
        assert place(await group(client, messages.parse(b"s", b"SELECT a FROM t"))) == 8
        (session,) = proxy.server._sessions
        assert session.relay is not None
        assert not session.relay.rewrites.active


async def test_of_a_command_that_parses_when_it_runs(proxy: Proxy) -> None:
    text = "PREPARE p AS SELECT nothing FROM (ASK 'x') q"
    async with proxy.client() as client:
        for answer in (await client.query(text), await client.extended(text)):
            assert place(answer) == text.index("nothing") + 1


async def test_syntax_errors_are_found_before_anyone_is_asked(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for text, at in (("SELECT FROM WHERE (ASK 'x')", "WHERE"), ("ASK 'x'; SELCT 1", "SELCT")):
            for answer in (await client.query(text), await client.extended(text)):
                assert (answer.codes, place(answer)) == (["42601"], text.index(at) + 1)
    assert proxy.resolver.asked == []


async def test_an_ask_that_fails_among_others_is_pointed_at(proxy: Proxy) -> None:
    text = "SELECT * FROM (ASK 'x') q, (ASK 'bad') r"
    async with proxy.client() as client:
        answer = await client.query(text)
        assert (answer.codes, place(answer)) == (["NL003"], text.index("ASK 'bad'") + 1)
        assert place(await client.query("ASK 'bad'")) == 0


async def test_a_copy_in_while_a_rewritten_statement_lives(proxy: Proxy) -> None:
    """Syncs that the backend ignores must not move the answers that follow to other messages."""
    text = b"SELECT nothing FROM (ASK 'x') q"
    copy = messages.parse(b"", b"COPY t FROM STDIN") + bind() + messages.execute(b"")
    data = messages.frame(b"d", b"1\n") + messages.frame(b"c", b"")
    async with proxy.client() as client:
        await client.query("CREATE TABLE t (a int)")
        await group(client, messages.parse(b"s", b"SELECT * FROM (ASK 'x') q"))
        for early in (b"", SYNC):
            client.send(copy, early, data, SYNC)
            assert (await client.answer()).tags == ["COPY 1"]
            assert place(await group(client, messages.parse(b"", text))) == 8
            assert place(await group(client, messages.parse(b"", b"SELECT 1, nothing"))) == 11
