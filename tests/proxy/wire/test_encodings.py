"""Client encodings: questions and notices in the client's own bytes, and honesty where that cannot be."""

from __future__ import annotations

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import WireClient

from askwire.core.errors import BeyondEngine
from askwire.proxy.wire import encodings, messages
from askwire.proxy.wire.encodings import codec_for

# two bytes each in Shift JIS; the second of 表 is a backslash in ASCII
SJIS_HYO = b"\x95\x5c"


@pytest.mark.parametrize("codec", sorted(set(encodings._CODECS.values())))
@pytest.mark.slow
def test_ascii_bytes_mean_ascii_in_every_encoding_that_is_scanned(codec: str) -> None:
    ascii_bytes = bytes(range(128))
    assert ascii_bytes.decode(codec) == ascii_bytes.decode("ascii")
    for char in map(chr, range(128, 0x10000)):
        try:
            encoded = encodings.encode(char, codec)
        except UnicodeEncodeError:
            continue
        assert min(encoded) >= 128, (codec, char)


@pytest.mark.parametrize("name", ["SJIS", "BIG5", "GBK", "UHC", "GB18030", "JOHAB", "", "x"])
def test_other_encodings_are_not_scanned(name: str) -> None:
    assert codec_for(name) is None


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [("LATIN1", "iso8859-1"), ("WIN1252", "cp1252"), ("EUC_JP", "euc_jp"), ("UTF8", "utf-8")],
)
async def test_a_question_arrives_and_comes_back_in_the_clients_encoding(
    proxy: Proxy, encoding: str, codec: str
) -> None:
    word = "売上" if encoding == "EUC_JP" else "Umsätze"
    proxy.resolver.answer = f"SELECT '{word}' AS \"{word}\""
    proxy.resolver.fails("bad", BeyondEngine(f"cannot place {word}"))
    async with proxy.client(parameters={"client_encoding": encoding}) as client:
        client.send(messages.query(f"ASK 'wie viele {word}?'".encode(codec)))
        answer = await client.answer()
        assert answer.of("D") == [b"\0\1" + messages.INT32.pack(len(word.encode(codec))) + word.encode(codec)]
        client.send(messages.query(b"ASK 'bad'"))
        fields = messages.read_fields((await client.answer()).of("E")[0], codec)
        assert fields["M"] == f"askwire: cannot place {word}"
    assert proxy.resolver.asked[0] == f"wie viele {word}?"


async def test_the_encoding_may_change_within_a_session(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("SET client_encoding TO LATIN1")
        assert (await client.query("ASK 'größer'", "latin-1")).rows == [("42",)]
        await client.query("BEGIN; SET LOCAL client_encoding TO UTF8")
        assert (await client.query("ASK 'größer'")).rows == [("42",)]
        await client.query("ROLLBACK")
        assert (await client.query("ASK 'größer'", "latin-1")).rows == [("42",)]
    assert proxy.resolver.asked == ["größer"] * 3


@pytest.mark.parametrize("simple", [True, False])
async def test_bytes_that_are_invalid_get_postgresqls_own_error(proxy: Proxy, simple: bool) -> None:
    text = b"ASK 'how \xff many'"
    async with proxy.client() as client:
        client.send(messages.query(text) if simple else messages.parse(b"", text) + messages.SYNC)
        answer = await client.answer()
        assert (answer.codes, answer.status) == (["22021"], "I")
        await client.query("BEGIN")
        client.send(messages.query(text))
        answer = await client.answer()
        assert (answer.codes, answer.status) == (["22021"], "E")
    assert proxy.resolver.asked == []


async def test_a_character_that_the_client_encoding_lacks_is_said_so(proxy: Proxy) -> None:
    proxy.resolver.answer = "SELECT '売上'"
    async with proxy.client(parameters={"client_encoding": "LATIN1"}) as client:
        answer = await client.query("ASK 'x'")
        assert (answer.codes, answer.status) == (["NL007"], "I")
        assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_a_character_that_would_become_another_one_is_said_so(proxy: Proxy) -> None:
    """EUC_JP has no yen sign; Python's codec writes a backslash for it."""
    proxy.resolver.answer = "SELECT '¥'"
    async with proxy.client(parameters={"client_encoding": "EUC_JP"}) as client:
        assert (await client.query("ASK 'x'")).codes == ["NL007"]


async def sjis(proxy: Proxy) -> WireClient:
    return await WireClient.login(proxy.address, proxy.database.name, parameters={"client_encoding": "SJIS"})


async def test_an_encoding_that_hides_quotes_is_refused(proxy: Proxy) -> None:
    client = await sjis(proxy)
    answer = await client.query(" ask 'x'")
    assert (answer.codes, answer.status) == (["NL007"], "I")
    assert "UTF8" in answer.errors[0]["H"]
    # the word inside a text that cannot be scanned is left alone
    client.send(messages.query(b"SELECT '" + SJIS_HYO + b" ask ''x''' AS t"))
    assert (await client.answer()).of("D") == [b"\0\1\0\0\0\x0a" + SJIS_HYO + b" ask 'x'"]
    await client.query("SET client_encoding TO UTF8")
    assert (await client.query("ASK 'x'")).rows == [("42",)]
    await client.close()


async def test_backslashes_that_escape_are_refused(proxy: Proxy) -> None:
    async with proxy.client() as client:
        if (await client.query("SET standard_conforming_strings TO off")).codes:
            pytest.skip("this PostgreSQL always conforms")
        for answer in (await client.query("ASK 'x'"), await client.extended("ASK 'x'")):
            assert (answer.codes, answer.status) == (["NL007"], "I")
            assert "standard_conforming_strings" in answer.errors[0]["H"]
        # what looks like an ASK behind a quote that the backslash escapes is part of a string
        answer = await client.query("SELECT 'a\\'; ASK ''x''' AS t")
        assert answer.rows == [("a'; ASK 'x'",)]
        await client.query("RESET standard_conforming_strings")
        assert (await client.query("ASK 'x'")).rows == [("42",)]
