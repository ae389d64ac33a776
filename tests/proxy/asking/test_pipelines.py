"""ASK in the extended protocol: groups under one Sync, Flush, portals, and statements that stay."""

from __future__ import annotations

import pytest
from servers.running_proxy import Proxy
from servers.wire_client import Answer, WireClient, bind, copy_data

from askwire.core.errors import BeyondEngine
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.wire import messages
from askwire.proxy.wire.messages import SYNC

ASK = b"ASK 'x'"


def run(sql: bytes, name: bytes = b"") -> bytes:
    """Parse, Bind, Describe and Execute, as drivers send them."""
    return (
        messages.parse(name, sql)
        + bind(statement=name)
        + messages.describe_portal(b"")
        + messages.execute(b"")
    )


async def group(client: WireClient, *parts: bytes) -> Answer:
    client.send(*parts, SYNC)
    return await client.answer()


async def table(client: WireClient) -> None:
    assert not (await client.query("CREATE TABLE t (a int)")).codes


async def count(client: WireClient) -> str | None:
    return (await client.query("SELECT count(*) FROM t")).rows[0][0]


async def test_begin_and_an_ask_under_one_sync(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, run(b"BEGIN"), run(ASK))
        assert (answer.kinds, answer.status) == ("12nC12TDCZ", "T")
        assert answer.rows == [("42",)]


async def test_begin_a_change_and_an_ask_under_one_sync(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await table(client)
        answer = await group(client, run(b"BEGIN"), run(b"INSERT INTO t VALUES (1)"), run(ASK))
        assert (answer.tags, answer.status) == (["BEGIN", "INSERT 0 1", "SELECT 1"], "T")
        assert (await client.query("COMMIT")).status == "I"
        assert await count(client) == "1"


async def test_an_ask_behind_a_change_outside_a_block_is_refused_and_the_change_undone(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await table(client)
        answer = await group(client, run(b"INSERT INTO t VALUES (1)"), run(ASK), run(b"SELECT 1"))
        assert (answer.kinds, answer.codes, answer.status) == ("12nCEZ", ["NL007"], "I")
        assert await count(client) == "0"
        assert proxy.resolver.asked == []


async def test_a_setting_in_front_of_an_ask_as_jdbc_sends_it(proxy: Proxy) -> None:
    """`SET x; ASK 'q'` is two Parses under one Sync; with autocommit off a BEGIN stands in front."""
    async with proxy.client() as client:
        set_ask = run(b"SET work_mem = '5MB'") + run(b" ASK 'x'")
        answer = await group(client, set_ask)
        assert (answer.codes, answer.status) == (["NL007"], "I")
        answer = await group(client, run(b"BEGIN"), set_ask)
        assert (answer.rows, answer.status) == ([("42",)], "T")
        assert (await client.query("SHOW work_mem")).rows == [("5MB",)]


async def test_an_error_earlier_in_the_group_skips_the_ask(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, run(b"SELECT 1/0"), run(ASK), run(b"SELECT 1"))
        assert (answer.kinds, answer.codes) == ("1EZ", ["22012"])
        answer = await group(client, run(b"BEGIN"), run(b"SELECT nothing"), run(ASK))
        assert (answer.codes, answer.status) == (["42703"], "E")
        assert proxy.resolver.asked == []


async def test_a_group_that_only_prepared_something(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(
            client,
            messages.parse(b"other", b"SELECT 7") + messages.describe_statement(b"other"),
            run(ASK, b"mine"),
            bind(statement=b"other") + messages.execute(b""),
        )
        assert answer.kinds == "1tT12TDC2DCZ"
        assert answer.rows == [("42",), ("7",)]


async def test_a_bound_portal_outside_a_block_would_be_lost_by_our_sync(proxy: Proxy) -> None:
    async with proxy.client() as client:
        parts = messages.parse(b"s", b"SELECT 1") + bind(portal=b"p", statement=b"s")
        answer = await group(client, parts, run(ASK), messages.execute(b"p"))
        assert answer.codes == ["NL007"]


async def test_an_unnamed_portal_bound_in_front_of_an_ask_is_still_there_behind_it(proxy: Proxy) -> None:
    async with proxy.client() as client:
        prepared = messages.parse(b"s", b"SELECT $1::int + 1") + bind([b"6"], statement=b"s")
        answer = await group(client, prepared, messages.parse(b"a", ASK), messages.execute(b""))
        assert (answer.kinds, answer.rows) == ("121DCZ", [("7",)])
        # also behind an ASK whose question is bound
        asked = messages.parse(b"q", b"ASK $1", (25,)) + bind([b"x"], portal=b"p", statement=b"q")
        answer = await group(client, prepared.replace(b"s\0", b"r\0"), asked, messages.execute(b""))
        assert (answer.kinds, answer.rows) == ("1212DCZ", [("7",)])
        # and where it was bound to the answer of an ASK
        asked = messages.parse(b"", b"ASK $1", (25,)) + bind([b"x"])
        answer = await group(client, asked, messages.FLUSH, messages.parse(b"b", ASK), messages.execute(b""))
        assert (answer.kinds, answer.rows) == ("121DCZ", [("42",)])


async def test_a_portal_that_fails_to_be_bound_again_is_an_error_of_the_client_s(proxy: Proxy) -> None:
    """The statement behind it reads a table that another session drops while the question is asked."""

    async def drop(_inquiry: AskRequest) -> None:
        proxy.observer.execute("DROP TABLE t")

    proxy.resolver.on("drop", drop)
    async with proxy.client() as client:
        await table(client)
        await group(client, messages.parse(b"s", b"SELECT * FROM t"))
        answer = await group(
            client, bind(statement=b"s"), messages.parse(b"a", b"ASK 'drop'"), messages.execute(b"")
        )
        assert (answer.codes, answer.status) == (["42P01"], "I")
        assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_an_empty_statement_in_front_of_an_ask(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, run(b""), run(b" -- nothing"), run(ASK), run(b""))
        assert (answer.codes, answer.rows, answer.status) == ([], [("42",)], "I")
        await table(client)
        answer = await group(client, run(b""), run(b"INSERT INTO t VALUES (1)"), run(ASK))
        assert (answer.codes, await count(client)) == (["NL007"], "0")


async def test_two_asks_in_one_group(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, run(b"BEGIN"), run(ASK), run(b"ASK 'y'"))
        assert (answer.rows, answer.status) == ([("42",), ("42",)], "T")
        assert (await group(client, run(b"COMMIT"))).status == "I"
        answer = await group(client, messages.parse(b"a", ASK), messages.parse(b"b", b"ASK 'y'"))
        assert answer.kinds == "11Z"


async def test_an_ask_that_fails_in_a_group_skips_the_rest_of_it(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        await table(client)
        bad = run(b"ASK 'bad'")
        answer = await group(client, run(b"BEGIN"), bad, run(b"INSERT INTO t VALUES (1)"))
        assert (answer.kinds, answer.codes, answer.status) == ("12nCEZ", ["NL003"], "E")
        assert (await client.query("ROLLBACK")).status == "I"
        answer = await group(client, bad, run(b"INSERT INTO t VALUES (1)"))
        assert (answer.kinds, answer.status) == ("EZ", "I")
        assert await count(client) == "0"


async def test_many_groups_sent_at_once_are_answered_in_order(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(*(run(b"SELECT %d" % n) + SYNC + run(b"ASK '%d'" % n) + SYNC for n in range(10)))
        rows = [(await client.answer()).rows[0][0] for _ in range(20)]
        assert rows == [value for n in range(10) for value in (str(n), "42")]
    assert proxy.resolver.asked == [str(n) for n in range(10)]


async def test_simple_queries_sent_at_once_are_answered_in_order(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(
            *(messages.query(sql) for sql in (b"SELECT 1", ASK, b"SELECT 2", b"", ASK, b"BEGIN", ASK))
        )
        answers = [await client.answer() for _ in range(7)]
        assert [a.rows for a in answers] == [[("1",)], [("42",)], [("2",)], [], [("42",)], [], [("42",)]]
        assert answers[3].kinds == "IZ"
        assert answers[6].status == "T"


async def test_a_client_that_flushes_is_answered_without_a_sync(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.parse(b"s", ASK), messages.describe_statement(b"s"), messages.FLUSH)
        assert [kind for kind, _ in await client.until("T")] == ["1", "t", "T"]
        client.send(bind(statement=b"s", binary=True), messages.execute(b""), SYNC)
        answer = await client.answer()
        assert answer.kinds == "2DCZ"
        assert answer.of("D") == [b"\0\1\0\0\0\4\0\0\0*"]


async def test_an_error_reaches_a_client_that_flushes(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        client.send(messages.parse(b"s", b"ASK 'bad'"), messages.describe_statement(b"s"), messages.FLUSH)
        kind, payload = await client.receive()
        assert (kind, messages.read_fields(payload)["C"]) == ("E", "NL003")
        client.send(SYNC)
        assert (await client.answer()).kinds == "Z"


async def test_a_row_in_front_of_an_ask_may_be_larger_than_a_probe_may_read(proxy: Proxy) -> None:
    """Large rows of a group that is still open pass while askwire reads the connection itself."""
    proxy.resolver.settings = proxy.server.settings
    async with proxy.client() as client:
        size = 6_000_000
        client.send(run(b"BEGIN"), run(b"SELECT repeat('x', %d)" % size), run(ASK), SYNC)
        answer = await client.answer()
        assert [len(row[0] or "") for row in answer.rows] == [size, 2]


async def test_describing_without_executing(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, messages.parse(b"s", ASK), messages.describe_statement(b"s"))
        assert (answer.kinds, answer.columns) == ("1tTZ", [("answer", 23)])


async def test_a_named_statement_runs_again_without_being_asked_again(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"s", ASK))
        for _ in range(3):
            assert (await group(client, bind(statement=b"s"), messages.execute(b""))).rows == [("42",)]
        await client.query("BEGIN")
        assert (await group(client, bind(statement=b"s"), messages.execute(b""))).rows == [("42",)]
    assert proxy.resolver.asked == ["x"]


async def test_a_portal_with_a_fetch_size(proxy: Proxy) -> None:
    proxy.resolver.answer = "SELECT n FROM generate_series(1, 5) n"
    async with proxy.client() as client:
        await client.query("BEGIN")
        parts = messages.parse(b"", ASK), bind(portal=b"C_1"), messages.execute(b"C_1", 2)
        answer = await group(client, *parts)
        assert (answer.kinds, len(answer.rows)) == ("12DDsZ", 2)
        assert (await client.query("ASK 'in between'")).tags == ["SELECT 5"]
        assert (await group(client, messages.execute(b"C_1", 2))).rows == [("3",), ("4",)]
        assert (await group(client, messages.execute(b"C_1", 2))).kinds == "DCZ"


async def test_declared_parameter_types_pass(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await group(client, messages.parse(b"s", ASK, (25,)), messages.describe_statement(b"s"))
        assert answer.of("t") == [b"\0\1\0\0\0\x19"]


async def test_a_simple_ask_behind_an_open_group(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(run(b"BEGIN"), messages.query(ASK))
        answer = await client.answer()
        assert (answer.tags, answer.status) == (["BEGIN", "SELECT 1"], "T")


@pytest.mark.parametrize(
    "statements",
    [
        ("ROLLBACK TO s",),
        ("INSERT INTO t VALUES (2)", "ROLLBACK TO s"),
        ("ROLLBACK TO s", "RELEASE s", "INSERT INTO t VALUES (2)"),
        ("PREPARE q AS SELECT 1",),
        ("COMMIT",),
        ("ROLLBACK",),
        ("COMMIT", "BEGIN", "INSERT INTO t VALUES (2)"),
    ],
)
async def test_what_leaves_nothing_half_done_may_stand_in_front(
    proxy: Proxy, statements: tuple[str, ...]
) -> None:
    async with proxy.client() as client:
        await table(client)
        await client.query("BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s")
        answer = await group(client, *(run(sql.encode()) for sql in statements), run(ASK))
        assert (answer.codes, answer.rows) == ([], [("42",)])
        assert answer.status == ("I" if statements[-1] in ("COMMIT", "ROLLBACK") else "T")


@pytest.mark.parametrize(
    "statements",
    [("COMMIT", "INSERT INTO t VALUES (2)"), ("ROLLBACK", "INSERT INTO t VALUES (2)")],
)
async def test_a_change_behind_the_end_of_a_block_is_refused_and_undone(
    proxy: Proxy, statements: tuple[str, ...]
) -> None:
    async with proxy.client() as client:
        await table(client)
        await client.query("BEGIN")
        answer = await group(client, *(run(sql.encode()) for sql in statements), run(ASK))
        assert (answer.codes, answer.status) == (["NL007"], "I")
        assert await count(client) == "0"


async def test_a_portal_bound_behind_the_end_of_a_block_would_be_lost(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await group(client, messages.parse(b"one", b"SELECT 1"))
        await client.query("BEGIN")
        bound = bind(portal=b"p", statement=b"one")
        answer = await group(client, run(b"COMMIT"), bound, run(ASK), messages.execute(b"p"))
        assert answer.codes == ["NL007"]


async def test_the_function_form_in_a_group(proxy: Proxy) -> None:
    """Looking whether the function is the database's own counts as nothing the client has run."""
    form = run(b"SELECT * FROM ask('x')")
    async with proxy.client() as client:
        await table(client)
        answer = await group(client, messages.parse(b"s", b"SELECT 1"), form)
        assert (answer.kinds, answer.rows) == ("112TDCZ", [("42",)])
        answer = await group(client, run(b"INSERT INTO t VALUES (1)"), form)
        assert (answer.codes, await count(client)) == (["NL007"], "0")
        answer = await group(client, run(b"BEGIN"), form, form)
        assert (answer.codes, answer.rows) == ([], [("42",), ("42",)])


async def test_a_large_statement_with_the_word_in_a_group_passes(proxy: Proxy) -> None:
    """Too large to be looked at on the spot, and no ASK: the rules for ASK must not meet it."""
    async with proxy.client() as client:
        await table(client)
        large = b"INSERT INTO t VALUES (2) /* ask 'x' " + b"x" * 70_000 + b"*/"
        answer = await group(client, run(b"INSERT INTO t VALUES (1)"), run(large))
        assert (answer.codes, answer.tags) == ([], ["INSERT 0 1", "INSERT 0 1"])
        assert await count(client) == "2"


# -- COPY ------------------------------------------------------------------------------------------------


async def test_an_ask_behind_every_way_to_copy_in(proxy: Proxy) -> None:
    data, done = copy_data(b"1\n2\n"), messages.frame(b"c", b"")
    fail = messages.frame(b"f", b"enough\0")
    copy = b"COPY t FROM STDIN"
    extended = messages.parse(b"", copy) + bind() + messages.execute(b"")
    ways = {
        "simple": (messages.query(copy) + data + done, 1, "COPY 2"),
        "simple, failing": (messages.query(copy) + data + fail, 1, "57014"),
        "simple, no such table": (messages.query(b"COPY no FROM STDIN") + data + done, 1, "42P01"),
        "simple, bad data": (messages.query(copy) + copy_data(b"x\n") + data + done, 1, "22P02"),
        "sync last": (extended + data + done + SYNC, 1, "COPY 2"),
        "sync early and last": (extended + SYNC + data + done + SYNC, 1, "COPY 2"),
        "sync early, failing": (extended + SYNC + data + fail + SYNC, 1, "57014"),
        "sync last, bad data": (extended + copy_data(b"x\n") + data + done + SYNC, 1, "22P02"),
    }
    async with proxy.client() as client:
        await table(client)
        for way, (sent, answers, outcome) in ways.items():
            client.send(sent, messages.query(ASK))
            for _ in range(answers):
                answer = await client.answer()
                assert outcome in (*answer.tags, *answer.codes), way
            assert (await client.answer()).rows == [("42",)], way


async def test_an_ask_behind_a_copy_in_that_waited_for_its_answers(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await table(client)
        for sync_early in (b"", SYNC):
            client.send(messages.parse(b"", b"COPY t FROM STDIN"), bind(), messages.execute(b""))
            client.send(sync_early or messages.FLUSH)
            await client.until("G")
            client.send(copy_data(b"1\n"), messages.frame(b"c", b""), SYNC)
            assert (await client.answer()).tags == ["COPY 1"]
            assert (await client.query("ASK 'x'")).rows == [("42",)]


async def test_copied_rows_that_look_like_messages_pass(proxy: Proxy) -> None:
    async with proxy.client() as client:
        assert not (await client.query("CREATE TABLE words (w text)")).codes
        client.send(messages.query(b"COPY words FROM STDIN"))
        await client.until("G")
        row = b"Q...." + ASK + b".\n"
        client.send(copy_data(row), messages.frame(b"c", b""))
        assert (await client.answer()).tags == ["COPY 1"]
        out = await client.query("COPY words TO STDOUT")
        assert out.of("d") == [row]
    assert proxy.resolver.asked == []


async def test_an_ask_behind_a_copy_out(proxy: Proxy) -> None:
    async with proxy.client() as client:
        client.send(messages.query(b"COPY (SELECT generate_series(1, 1000)) TO STDOUT"), messages.query(ASK))
        assert len((await client.answer()).of("d")) == 1000
        assert (await client.answer()).rows == [("42",)]


@pytest.mark.parametrize("early", [b"", SYNC])
async def test_an_ask_behind_a_copy_in_that_never_began(proxy: Proxy, early: bytes) -> None:
    """The end of the data was sent ahead of the error; it must not stay owed."""
    async with proxy.client() as client:
        client.send(messages.parse(b"", b"COPY no FROM STDIN"), bind(), messages.execute(b""), early)
        client.send(copy_data(b"1\n"), messages.frame(b"c", b""), SYNC, messages.query(ASK))
        assert (await client.answer()).codes == ["42P01"]
        if early:
            assert (await client.answer()).kinds == "Z"
        assert (await client.answer()).rows == [("42",)]


async def test_an_ask_behind_a_copy_in_that_fails_before_it_reads(proxy: Proxy) -> None:
    """The Sync sent ahead of the data is answered then; one that fails while it reads has ignored it."""
    copy = messages.parse(b"", b"COPY t FROM STDIN") + bind() + messages.execute(b"") + SYNC
    data, done = copy_data(b"1\n"), messages.frame(b"c", b"")
    async with proxy.client() as client:
        await table(client)
        await client.query(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'P0004'; END $$"
        )
        await client.query(
            "CREATE TRIGGER refuses BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION refuse()"
        )
        for _ in range(3):
            client.send(copy)
            assert [kind for kind, _ in await client.until("E")][-1] == "E"
            client.send(data, done, SYNC, messages.query(ASK))
            assert (await client.answer()).kinds == "Z"
            assert (await client.answer()).kinds == "Z"
            assert (await client.answer()).rows == [("42",)]
            # the second time round a statement that askwire has rewritten is alive
            parts = messages.close_statement(b"s"), messages.parse(b"s", b"ASK $1")
            answer = await group(client, *parts, bind([b"x"], statement=b"s"), messages.execute(b""))
            assert (answer.kinds, answer.rows) == ("312DCZ", [("42",)])
        await client.query("DROP TRIGGER refuses ON t")
        for _ in range(3):
            client.send(copy, copy_data(b"x\n"))
            assert [kind for kind, _ in await client.until("E")][-1] == "E"
            client.send(data, done, SYNC, messages.query(ASK))
            assert (await client.answer()).kinds == "Z"
            assert (await client.answer()).rows == [("42",)]
