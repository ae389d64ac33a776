"""Messages of several statements: what may stand around an ASK, and what of it a probe sees."""

from __future__ import annotations

import pytest
from doubles.scripted_resolver import probe
from servers.running_proxy import Proxy, StartProxy
from servers.wire_client import WireClient, bind

from askwire.core.errors import BeyondEngine
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.wire import messages


@pytest.fixture
def seen(proxy: Proxy) -> list[tuple[str | None, ...]]:
    """What a probe of the question 'look' saw of the session."""
    found: list[tuple[str | None, ...]] = []

    async def look(request: AskRequest) -> None:
        sql = "SELECT current_user, current_setting('work_mem'), current_setting('search_path')"
        found.extend(await probe(request, sql))

    proxy.resolver.on("look", look)
    return found


async def ok(client: WireClient, *statements: str) -> None:
    for sql in statements:
        answer = await client.query(sql)
        assert not answer.codes, (sql, answer.errors)


@pytest.mark.parametrize(
    "begin", ["BEGIN", "start transaction read only", "BEGIN ISOLATION LEVEL SERIALIZABLE"]
)
async def test_a_leading_begin(proxy: Proxy, begin: str) -> None:
    async with proxy.client() as client:
        answer = await client.query(f"{begin}; ASK 'x'")
        assert (answer.rows, answer.status) == ([("42",)], "T")
        answer = await client.query("ROLLBACK")
        assert answer.status == "I"
        answer = await client.query(f"{begin}; ASK 'x'; COMMIT; SELECT 1")
        assert (answer.tags[1:], answer.status) == (["SELECT 1", "COMMIT", "SELECT 1"], "I")


@pytest.mark.parametrize("block", [False, True])
async def test_settings_in_front_hold_for_the_probes(
    proxy: Proxy, seen: list[tuple[str | None, ...]], block: bool
) -> None:
    async with proxy.client() as client:
        await ok(client, "GRANT by_md5 TO CURRENT_USER", *(["BEGIN"] if block else []))
        text = "SET ROLE by_md5; SET LOCAL work_mem = '7MB'; SET search_path TO here; ASK 'look'"
        answer = await client.query(text)
        assert (answer.codes, answer.rows) == ([], [("42",)])
        assert seen == [("by_md5", "7MB", "here")]
        assert (await client.query("SELECT current_user")).rows == [("by_md5",)]
        # the client hears of each change once, though the probe made it and took it back
        assert [p for p in answer.of("S") if p.startswith(b"search_path\0")] in ([], [b"search_path\0here\0"])
        await ok(client, *(["ROLLBACK"] if block else []))


async def test_each_ask_sees_what_stands_in_front_of_it(
    proxy: Proxy, seen: list[tuple[str | None, ...]]
) -> None:
    async with proxy.client() as client:
        await ok(client, "SET work_mem = '3MB'; ASK 'look'; SET work_mem = '4MB'; RESET ROLE; ASK 'look'")
    assert [row[1] for row in seen] == ["3MB", "4MB"]


async def test_reported_parameters_change_in_silence(proxy: Proxy) -> None:
    """The probe's own change of a reported parameter, and its way back, are not the client's to hear."""
    async with proxy.client() as client:
        zone = client.parameters["TimeZone"]
        answer = await client.query("SET TIME ZONE 'Asia/Tokyo'; SET LOCAL datestyle = 'German'; ASK 'x'")
        assert (answer.codes, answer.rows) == ([], [("42",)])
        heard = [p.split(b"\0")[:2] for p in answer.of("S")]
        assert heard.count([b"TimeZone", b"Asia/Tokyo"]) == 1
        assert [b"TimeZone", zone.encode()] not in heard
        assert (await client.query("SHOW TimeZone")).rows == [("Asia/Tokyo",)]
        # what is rolled back is not heard of
        proxy.resolver.fails("bad", BeyondEngine("cannot"))
        answer = await client.query("SET TIME ZONE 'UTC'; ASK 'bad'")
        assert (answer.kinds, answer.codes) == ("CEZ", ["NL003"])
        assert (await client.query("SHOW TimeZone")).rows == [("Asia/Tokyo",)]


@pytest.mark.parametrize("block", [False, True])
async def test_no_setting_lets_a_probe_write(proxy: Proxy, block: bool) -> None:
    async def write(request: AskRequest) -> None:
        await probe(request, "INSERT INTO t VALUES (1)")

    proxy.resolver.on("write", write)
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)")
        for setting in (
            "SET transaction_read_only = off",
            "SET TRANSACTION READ WRITE",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
            "SET default_transaction_read_only = off",
        ):
            await ok(client, *(["BEGIN"] if block else []))
            assert (await client.query(f"{setting}; ASK 'write'")).codes == ["25006"]
            await client.query("ROLLBACK")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("0",)]


async def test_a_setting_that_fails_is_the_error_to_see(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await client.query("SET ROLE nobody_at_all; ASK 'x'")
        assert (answer.codes, answer.status) == (["22023"], "I")
        assert "nobody_at_all" in answer.errors[0]["M"]
        assert not answer.errors[0]["M"].startswith("askwire")
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_time_outs_set_in_front_do_not_lift_those_of_probes(proxy: Proxy) -> None:
    entries = []

    async def look(request: AskRequest) -> None:
        rows = await probe(request, "SELECT current_setting('statement_timeout')")
        entries.append((rows[0][0], request.executor.entry.statement_timeout))

    proxy.resolver.on("timers", look)
    async with proxy.client() as client:
        await ok(client, "SET statement_timeout = '2h'; ASK 'timers'")
    assert entries == [("30s", "2h")]


@pytest.mark.parametrize(
    "reading", ["SELECT count(*) FROM pg_class", "SHOW work_mem", "ASK 'first'", "(ASK 'first')"]
)
async def test_what_only_reads_may_stand_in_front(proxy: Proxy, reading: str) -> None:
    async with proxy.client() as client:
        answer = await client.query(f"{reading}; ASK 'x'")
        assert (answer.codes, answer.rows[-1]) == ([], ("42",))


async def test_a_savepoint_in_front_is_there_to_go_back_to(proxy: Proxy) -> None:
    """As drivers send it that make a savepoint of their own for each statement."""
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)", "BEGIN", "INSERT INTO t VALUES (1)")
        answer = await client.query("SAVEPOINT s; ASK 'x'; RELEASE s")
        assert (answer.codes, answer.tags[1:]) == ([], ["SELECT 1", "RELEASE"])
        await ok(client, "SAVEPOINT s")
        assert (await client.query("ASK 'bad'")).status == "E"
        await ok(client, "ROLLBACK TO s; ", "COMMIT")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("1",)]


async def test_an_ask_that_fails_behind_a_begin_leaves_a_failed_block(proxy: Proxy) -> None:
    """As any query does that fails when its turn comes; nothing behind it runs."""
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)")
        text = "BEGIN; ASK 'bad'; INSERT INTO t VALUES (1); COMMIT"
        answer = await client.query(text)
        assert (answer.kinds, answer.codes, answer.status) == ("CEZ", ["NL003"], "E")
        assert answer.errors[0]["M"] == "askwire: cannot"
        await ok(client, "ROLLBACK")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("0",)]


async def test_what_stands_in_front_of_an_ask_that_fails_has_run(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)", "BEGIN", "INSERT INTO t VALUES (1)")
        answer = await client.query(
            "SAVEPOINT s; SELECT 7; ASK 'x'; SELECT * FROM (ASK 'bad') q, (ASK 'y') r"
        )
        assert (answer.tags, answer.codes) == (["SAVEPOINT", "SELECT 1", "SELECT 1"], ["NL003"])
        assert (answer.rows, answer.status) == ([("7",), ("42",)], "E")
        assert int(answer.errors[0]["P"]) == 48
        await ok(client, "ROLLBACK TO s", "COMMIT")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("1",)]
        # in an implicit transaction a setting goes with it, as it does with any error
        answer = await client.query("SET work_mem = '7MB'; ASK 'bad'")
        assert (answer.tags, answer.codes, answer.status) == (["SET"], ["NL003"], "I")
        assert (await client.query("SHOW work_mem")).rows != [("7MB",)]


async def test_an_error_in_front_of_an_ask_that_fails_comes_first(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    text = "BEGIN; SELECT 1/0; SELECT (ASK 'bad')"
    async with proxy.client() as client:
        answer = await client.query(text)
        assert (answer.tags, answer.codes, answer.status) == (["BEGIN"], ["22012"], "E")
        await ok(client, "ROLLBACK")
        answer = await client.query("BEGIN; SELECT (ASK 'x'), nothing; ASK 'bad'")
        assert (answer.codes, answer.errors[0]["P"]) == (["42703"], "26")


async def test_an_ask_canceled_behind_a_begin_leaves_a_failed_block(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("think")
    async with proxy.client() as client:
        client.send(messages.query(b"BEGIN; ASK 'think'"))
        await gate.reached()
        (session,) = proxy.server._sessions
        assert session.cancel()
        answer = await client.answer()
        assert (answer.kinds, answer.codes, answer.status) == ("CEZ", ["57014"], "E")


async def test_what_is_wrong_with_the_text_of_a_message_comes_before_all_of_it(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for text, code in (
            ("BEGIN; ASK 'x' nonsense", "42601"),
            ("BEGIN; CREATE TABLE t (); ASK 'x'", "NL007"),
            ("BEGIN; DO $$ BEGIN PERFORM (ASK 'x'); END $$", "42601"),
        ):
            answer = await client.query(text)
            assert (answer.kinds, answer.codes, answer.status) == ("EZ", [code], "I")


async def test_a_block_the_message_begins_counts_as_one(proxy: Proxy) -> None:
    seen = []

    async def look(request: AskRequest) -> None:
        await probe(request)
        seen.append((request.in_block, request.executor.entry.read_only))

    proxy.resolver.on("block", look)
    async with proxy.client() as client:
        for text in (
            "ASK 'block'",
            "BEGIN; ASK 'block'",
            "BEGIN READ ONLY; ASK 'block'",
            "BEGIN; ASK 'block'",
        ):
            await client.query("ROLLBACK")
            await ok(client, text)
    assert seen == [(False, True), (True, False), (True, True), (True, False)]


# -- a database with an `ask` of its own -----------------------------------------------------------------

THEIRS = "CREATE FUNCTION ask(q text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine: ' || q $$"


async def test_a_function_of_that_name_stays_what_it_is(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for form in ("SELECT * FROM ask('x')", 'select * from ASK($$x$$) as "t"(answer)'):
            assert (await client.query(form)).rows == [("42",)]
        await ok(
            client, "CREATE FUNCTION ask(q text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine: ' || q $$"
        )
        for answer in (
            await client.query("SELECT * FROM ask('x')"),
            await client.extended("SELECT * FROM ask('x')"),
        ):
            assert answer.rows == [("mine: x",)]
        assert (await client.query("ASK 'x'")).rows == [("42",)]
        assert (await client.query("SELECT * FROM ask('x') f, (ASK 'y') q")).rows == [("mine: x", "42")]
        await ok(client, "CREATE SCHEMA elsewhere", "SET search_path TO elsewhere")
        assert (await client.query("SELECT * FROM ask('x')")).rows == [("42",)]
        assert (await client.query("SELECT * FROM public.ask('x')")).rows == [("mine: x",)]


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        ("SELECT * FROM ask('x', 3)", [("x3",)]),
        ("SELECT * FROM ask('x' || 'y', 3)", [("xy3",)]),
        ("SELECT * FROM ask('', 3)", [("3",)]),
        ("SELECT * FROM ask('x', 3) WITH ORDINALITY", [("x3", "1")]),
        ("SELECT ask('x', 3)", [("x3",)]),
        ("SELECT * FROM ask('x', 3) f, (ASK 'y') q", [("x3", "42")]),
    ],
)
async def test_calls_of_their_function_need_not_look_like_an_ask(
    proxy: Proxy, call: str, rows: list[tuple[str, ...]]
) -> None:
    async with proxy.client() as client:
        if "ask('x', 3)" not in call or " FROM " in call:
            assert (await client.query(call)).codes == ["42601"]
        await ok(
            client,
            "CREATE FUNCTION ask(q text, n int) RETURNS text LANGUAGE sql AS $$ SELECT q || n::text $$",
        )
        for answer in (await client.query(call), await client.extended(call)):
            assert answer.rows == rows
        await client.query("BEGIN; SELECT 1/0")
        assert (await client.query(call)).codes == ["25P02"]


async def test_a_type_of_that_name_stays_what_it_is(proxy: Proxy) -> None:
    async with proxy.client() as client:
        assert (await client.query("SELECT (ask 'x')")).rows == [("42",)]
        await ok(client, "CREATE DOMAIN ask AS text")
        assert (await client.query("SELECT (ask 'x')")).rows == [("x",)]
        assert (await client.query("SELECT 1 WHERE 'x' IN (ask 'x')")).rows == [("1",)]
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_in_a_pipeline_their_own_function_is_no_ask(proxy: Proxy) -> None:
    def run(sql: bytes) -> bytes:
        return messages.parse(b"", sql) + bind() + messages.execute(b"")

    async with proxy.client() as client:
        await ok(
            client, "CREATE FUNCTION ask(q text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine: ' || q $$"
        )
        await ok(client, "CREATE TABLE t (a int)")
        client.send(run(b"INSERT INTO t VALUES (1)"), run(b"SELECT * FROM ask('x')"), messages.SYNC)
        answer = await client.answer()
        assert (answer.codes, answer.rows) == ([], [("mine: x",)])


async def test_a_quoted_name_is_the_function_s_only_as_it_is_written(proxy: Proxy) -> None:
    """Tools write names in capitals and quotes, which no longer mean a function called ask."""
    async with proxy.client() as client:
        await ok(client, "CREATE FUNCTION ask(q text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$")
        assert (await client.query("SELECT * FROM \"ASK\"('x')")).rows == [("42",)]
        assert (await client.query("SELECT * FROM \"ASK\"('x'), ask('y') a, \"ask\"('z') b")).rows == [
            ("42", "mine", "mine")
        ]
        await ok(client, 'CREATE FUNCTION "ASK"(q text) RETURNS text LANGUAGE sql AS $$ SELECT q $$')
        assert (await client.query("SELECT * FROM \"ASK\"('x')")).rows == [("x",)]


async def test_the_function_s_name_is_a_setting(start_proxy: StartProxy) -> None:
    async with start_proxy(ask_function="Question") as proxy, proxy.client() as client:
        assert (await client.query("SELECT * FROM question('x')")).rows == [("42",)]
        assert (await client.query("SELECT * FROM ask('x')")).codes == ["42883"]
        assert (await client.query("ASK 'x'")).rows == [("42",)]
    async with start_proxy(ask_function="") as proxy, proxy.client() as client:
        assert (await client.query("SELECT * FROM ask('x')")).codes == ["42883"]
        assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_a_with_query_that_hides_a_table_of_the_answer_is_refused(proxy: Proxy) -> None:
    async def answer(_inquiry: AskRequest) -> str:
        return "SELECT count(*) FROM t"

    proxy.resolver.on("how many", answer)
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)")
        assert (await client.query("WITH t AS (SELECT 1) SELECT * FROM (ASK 'how many') q")).codes == [
            "42601"
        ]
        assert (await client.query("WITH u AS (SELECT 1) SELECT * FROM (ASK 'how many') q")).rows == [("0",)]
