"""`ASK $1`: the question comes with Bind. Every message of the client has exactly its own answer."""

from __future__ import annotations

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import Answer, WireClient, bind

from askwire.core.errors import BeyondEngine
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import FLUSH, SYNC

NUMBER, WORDS = "SELECT 42 AS answer", "SELECT 'a'::text AS word, 1.5 AS half"


@pytest.fixture
def proxy(proxy: Proxy) -> Proxy:
    """A proxy that knows two questions with different columns."""

    async def number(_inquiry: AskRequest) -> str:
        return NUMBER

    async def words(_inquiry: AskRequest) -> str:
        return WORDS

    proxy.resolver.on("number", number)
    proxy.resolver.on("words", words)
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    return proxy


async def group(client: WireClient, *parts: bytes) -> Answer:
    client.send(*parts, SYNC)
    return await client.answer()


def asked(*values: bytes | None, name: bytes = b"", describe: bool = True) -> bytes:
    """Bind, Describe and Execute."""
    described = messages.describe_portal(b"") if describe else b""
    return bind(values, statement=name) + described + messages.execute(b"")


@pytest.mark.parametrize("oids", [(), (0,), (25,), (1043,), (705,), (1042,)])
@pytest.mark.parametrize("name", [b"", b"s"])
async def test_a_question_may_be_a_parameter(proxy: Proxy, oids: tuple[int, ...], name: bytes) -> None:
    async with proxy.client() as client:
        answer = await group(client, messages.parse(name, b"ASK $1", oids), asked(b"number", name=name))
        assert (answer.kinds, answer.rows, answer.columns) == ("12TDCZ", [("42",)], [("answer", 23)])
    assert proxy.resolver.asked == ["number"]


async def test_values_in_binary_format_are_the_same_text(proxy: Proxy) -> None:
    async with proxy.client() as client:
        payload = b"\0\0" + b"\0\1\0\1" + b"\0\1\0\0\0\6number" + b"\0\1\0\1"
        parts = messages.parse(b"", b"ASK $1", (25,)), messages.frame(b"B", payload), messages.execute(b"")
        answer = await group(client, *parts)
        assert (answer.kinds, answer.of("D")) == ("12DCZ", [b"\0\1\0\0\0\4\0\0\0*"])


async def test_a_statement_may_be_prepared_long_before(proxy: Proxy) -> None:
    """As libpq's PQprepare does it: Parse and Sync alone."""
    async with proxy.client() as client:
        assert (await group(client, messages.parse(b"s", b"ASK $1"))).kinds == "1Z"
        assert proxy.resolver.asked == []
        await client.query("BEGIN")
        for _ in range(3):
            answer = await group(client, asked(b"number", name=b"s"))
            assert (answer.kinds, answer.rows, answer.status) == ("2TDCZ", [("42",)], "T")
        answer = await group(client, asked(b"words", name=b"s"))
        assert (answer.kinds, answer.rows) == ("2TDCZ", [("a", "1.5")])
        assert (await client.query("SELECT 1")).rows == [("1",)]
        assert (await group(client, asked(b"words", name=b"s"))).rows == [("a", "1.5")]
    assert proxy.resolver.asked == ["number", "words"]


async def test_other_parameters_keep_their_places(proxy: Proxy) -> None:
    text = b"SELECT answer + $2, $3::text FROM (ASK $1) q WHERE answer > $4"
    async with proxy.client() as client:
        values = b"number", b"1", b"x", b"41"
        answer = await group(client, messages.parse(b"", text), asked(*values))
        assert (answer.kinds, answer.rows) == ("12TDCZ", [("43", "x")])
        text = b"SELECT * FROM (ASK $2) q, (ASK 'number') r WHERE $1 = 'x' AND length($2) = 5"
        answer = await group(client, messages.parse(b"", text), asked(b"x", b"words"))
        assert (answer.kinds, answer.rows) == ("12TDCZ", [("a", "1.5", "42")])
    assert proxy.resolver.asked == ["number", "words", "number"]


async def test_the_columns_cannot_be_described_before_there_is_a_question(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.parse(b"s", b"ASK $1"), messages.describe_statement(b"s"), FLUSH)
        assert [kind for kind, _ in await client.until("E")] == ["1", "E"]
        answer = await group(client)
        assert answer.kinds == "Z"
        answer = await group(client, messages.describe_statement(b"s"))
        assert (answer.kinds, answer.codes) == ("EZ", ["NL007"])
        assert "literal" in answer.errors[0]["H"]
        assert (await group(client, asked(b"number", name=b"s"))).rows == [("42",)]
        answer = await group(client, messages.describe_statement(b"s"))
        assert (answer.kinds, answer.columns, answer.of("t")) == (
            "tTZ",
            [("answer", 23)],
            [b"\0\1\0\0\0\x19"],
        )


async def test_a_statement_keeps_the_columns_its_client_was_told(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"ASK $1"), asked(b"number", name=b"s"))
        # a portal that is described tells its own columns
        assert (await group(client, asked(b"words", name=b"s"))).kinds == "2TDCZ"
        answer = await group(client, asked(b"number", name=b"s", describe=False))
        assert (answer.kinds, answer.codes) == ("2EZ", ["0A000"])
        assert answer.errors[0]["M"] == "cached plan must not change result type"
        assert answer.errors[0]["R"] == "RevalidateCachedQuery"
        assert (await group(client, asked(b"words", name=b"s", describe=False))).kinds == "2DCZ"
        await group(client, messages.close_statement(b"s"), messages.parse(b"s", b"ASK $1"))
        assert (await group(client, asked(b"number", name=b"s", describe=False))).kinds == "2DCZ"


@pytest.mark.parametrize(
    ("value", "code"),
    [(None, "42601"), (b"", "42601"), (b"  ", "42601"), (b"\xff", "22021"), (b"bad", "NL003")],
)
@pytest.mark.parametrize("block", [False, True])
async def test_a_question_that_is_none_is_an_error_of_its_bind(
    proxy: Proxy, value: bytes | None, code: str, block: bool
) -> None:
    async with proxy.client() as client:
        if block:
            await client.query("BEGIN")
        answer = await group(client, messages.parse(b"s", b"ASK $1"), asked(value, name=b"s"))
        assert (answer.kinds, answer.codes, answer.status) == ("1EZ", [code], "E" if block else "I")
        await client.query("ROLLBACK")
        assert (await group(client, asked(b"number", name=b"s"))).rows == [("42",)]


async def test_a_bind_without_the_value_is_postgresql_s_to_refuse(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, messages.parse(b"s", b"ASK $1"), asked(name=b"s"))
        assert (answer.kinds, answer.codes) == ("1EZ", ["08P01"])


async def test_a_question_is_text(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, messages.parse(b"s", b"ASK $1", (23,)))
        assert (answer.kinds, answer.codes, answer.errors[0]["P"]) == ("EZ", ["42601"], "1")


async def test_in_a_failed_block_it_is_what_any_statement_is(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"ASK $1"))
        await client.query("BEGIN; SELECT 1/0")
        for parts in (messages.parse(b"", b"ASK $1"), asked(b"number", name=b"s")):
            answer = await group(client, parts)
            assert (answer.codes, answer.status) == (["25P02"], "E")
    assert proxy.resolver.asked == []


async def test_begin_and_a_bound_question_under_one_sync(proxy: Proxy) -> None:
    async with proxy.client() as client:
        begin = messages.parse(b"", b"BEGIN") + bind() + messages.execute(b"")
        answer = await group(client, begin, messages.parse(b"", b"ASK $1"), asked(b"number"))
        assert (answer.kinds, answer.status) == ("12C12TDCZ", "T")
        answer = await group(client, messages.parse(b"", b"ASK $1"), asked(b"bad"))
        assert (answer.kinds, answer.status) == ("1EZ", "E")


async def test_behind_a_change_in_an_implicit_transaction_it_is_refused_and_the_change_undone(
    proxy: Proxy,
) -> None:
    async with proxy.client() as client:
        await client.query("CREATE TABLE t (a int)")
        change = messages.parse(b"", b"INSERT INTO t VALUES (1)") + bind() + messages.execute(b"")
        answer = await group(client, change, messages.parse(b"", b"ASK $1"), asked(b"number"))
        assert (answer.kinds, answer.codes) == ("12C1EZ", ["NL007"])
        assert (await client.query("SELECT count(*) FROM t")).rows == [("0",)]


async def test_statements_that_are_gone_are_not_asked(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for gone in ("DEALLOCATE s", "DEALLOCATE ALL", "DISCARD ALL"):
            await group(client, messages.close_statement(b"s"), messages.parse(b"s", b"ASK $1"))
            await client.query(gone)
            answer = await group(client, asked(b"number", name=b"s"))
            assert (answer.kinds, answer.codes) == ("EZ", ["26000"])
        await group(client, messages.parse(b"s", b"ASK $1"))
        assert (await group(client, messages.close_statement(b"s"), asked(b"x", name=b"s"))).kinds == "3EZ"
        await group(client, messages.parse(b"", b"ASK $1"))
        await client.query("SELECT 1")
        assert (await group(client, asked(b"number"))).codes == ["26000"]
    assert proxy.resolver.asked == []


async def test_a_name_that_is_taken_stays_what_it_was(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"SELECT $1::text AS theirs"))
        assert (await group(client, messages.parse(b"s", b"ASK $1"))).codes == ["42P05"]
        assert (await group(client, asked(b"number", name=b"s"))).rows == [("number",)]
        # and a statement in the waiting one's place is that statement
        await group(client, messages.parse(b"", b"ASK $1"))
        await group(client, messages.parse(b"", b"SELECT $1::text AS theirs"))
        assert (await group(client, asked(b"number"))).rows == [("number",)]
    assert proxy.resolver.asked == []


async def test_sql_that_does_not_compile_leaves_the_statement_waiting(proxy: Proxy) -> None:
    text = b"SELECT nothing FROM (ASK $1) q"
    async with proxy.client() as client:
        answer = await group(client, messages.parse(b"s", text), asked(b"number", name=b"s"))
        assert (answer.kinds, answer.codes, answer.errors[0]["P"]) == ("1EZ", ["42703"], "8")
        answer = await group(client, asked(b"words", name=b"s"))
        assert (answer.kinds, answer.codes) == ("EZ", ["42703"])
    assert proxy.resolver.asked == ["number", "words"]


async def test_executed_before_it_has_its_question_it_fails(proxy: Proxy) -> None:
    """EXECUTE in SQL reaches statements of the protocol; what waits must not pass for an answer."""
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", b"ASK $1"))
        answer = await client.query("EXECUTE s('number')")
        assert answer.codes == ["22P02"]
        assert "has not been given its question" in answer.errors[0]["M"]


async def test_a_portal_with_a_fetch_size(proxy: Proxy) -> None:
    async def many(_inquiry: AskRequest) -> str:
        return "SELECT n FROM generate_series(1, 5) n"

    proxy.resolver.on("many", many)
    async with proxy.client() as client:
        await client.query("BEGIN")
        parts = messages.parse(b"", b"ASK $1", (1043,)), bind([b"many"], portal=b"C_1")
        answer = await group(client, *parts, messages.describe_portal(b"C_1"), messages.execute(b"C_1", 2))
        assert (answer.kinds, len(answer.rows)) == ("12TDDsZ", 2)
        assert (await group(client, messages.parse(b"", b"ASK $1"), asked(b"number"))).rows == [("42",)]
        assert (await group(client, messages.execute(b"C_1", 0))).kinds == "DDDCZ"


async def test_canceled_while_it_thinks(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("think")
    async with proxy.client() as client:
        client.send(messages.parse(b"s", b"ASK $1"), asked(b"think", name=b"s"), SYNC)
        await gate.reached()
        (session,) = proxy.server._sessions
        assert session.cancel()
        answer = await client.answer()
        assert (answer.kinds, answer.codes, answer.status) == ("1EZ", ["57014"], "I")
        assert (await group(client, asked(b"number", name=b"s"))).rows == [("42",)]


async def test_what_an_error_left_behind_is_not_asked(proxy: Proxy) -> None:
    """pg8000 sends Bind ahead of the answer to Describe, and its next statement behind it."""
    async with proxy.client() as client:
        await group(client, messages.parse(b"", b"ASK $1"))
        assert (await group(client, messages.describe_statement(b""))).codes == ["NL007"]
        answer = await group(client, bind([b"words"]), messages.parse(b"", b"ASK 'number'"))
        assert answer.kinds == "21Z"
        assert (await group(client, asked())).rows == [("42",)]
    assert proxy.resolver.asked == ["number"]


async def test_a_question_is_read_in_the_client_s_encoding(proxy: Proxy) -> None:
    async with proxy.client(parameters={"client_encoding": "LATIN1"}) as client:
        answer = await group(client, messages.parse(b"", b"ASK $1"), asked("größer".encode("iso8859-1")))
        assert answer.rows == [("42",)]
    assert proxy.resolver.asked == ["größer"]


async def test_as_pgjdbc_prepares_a_statement_again_after_its_columns_changed(proxy: Proxy) -> None:
    """It describes a named statement's portal once, and trusts 0A000 from then on."""
    async with proxy.client() as client:
        first = messages.parse(b"S_1", b"ASK $1", (1043,)), asked(b"number", name=b"S_1")
        assert (await group(client, *first)).kinds == "12TDCZ"
        assert (await group(client, asked(b"number", name=b"S_1", describe=False))).kinds == "2DCZ"
        assert (await group(client, asked(b"words", name=b"S_1", describe=False))).codes == ["0A000"]
        again = messages.close_statement(b"S_1"), messages.parse(b"S_2", b"ASK $1", (1043,))
        answer = await group(client, *again, asked(b"words", name=b"S_2"))
        assert (answer.kinds, answer.rows) == ("312TDCZ", [("a", "1.5")])


async def test_many_binds_of_one_question_in_a_pipeline(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("BEGIN")
        parts = [asked(b"number", name=b"s") for _ in range(50)]
        answer = await group(client, messages.parse(b"s", b"ASK $1"), *parts)
        assert answer.kinds == "1" + "2TDC" * 50 + "Z"
        parts = [asked(q, name=b"s") for q in (b"number", b"words") * 5]
        assert (await group(client, *parts)).kinds == "2TDC" * 10 + "Z"
