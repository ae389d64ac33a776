"""An ASK leaves the asker's session as it found it, in and outside a transaction block."""

from __future__ import annotations

import pytest
from doubles.scripted_resolver import probe
from servers.running_proxy import Proxy
from servers.wire_client import WireClient, bind

from askwire.core.errors import BeyondEngine, DatabaseFailed
from askwire.proxy.asking.requests import AskRequest, Notice
from askwire.proxy.wire import messages

ANSWERED = [("42",)]


async def ok(client: WireClient, *statements: str) -> None:
    """Run statements that must succeed."""
    for sql in statements:
        answer = await client.query(sql)
        assert not answer.codes, (sql, answer.errors)


async def test_an_ask_outside_a_block_is_answered(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await client.query("ASK 'anything'")
        assert (answer.rows, answer.tags, answer.status) == (ANSWERED, ["SELECT 1"], "I")
        assert answer.kinds == "TDCZ"
    assert proxy.resolver.asked == ["anything"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ask 'a'", "a"),
        ("ASK 'it''s';", "it's"),
        ("/* c */ -- d\n  AsK E'tab\\t' ;", "tab\t"),
        ("ASK $$dollars$$", "dollars"),
        ("ASK $q$it's$q$;;", "it's"),
        ("ASK U&'\\00e4'", "ä"),
        ("ASK 'größer als €'", "größer als €"),
    ],
)
async def test_every_form_of_literal_is_a_question(proxy: Proxy, text: str, question: str) -> None:
    async with proxy.client() as client:
        assert (await client.query(text)).rows == ANSWERED
        assert (await client.extended(text)).rows == ANSWERED
    assert proxy.resolver.asked == [question] * 2


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN READ ONLY", "BEGIN ISOLATION LEVEL SERIALIZABLE"])
async def test_an_ask_in_a_block_stays_in_it(proxy: Proxy, begin: str) -> None:
    async with proxy.client() as client:
        await ok(client, begin)
        for answer in (await client.query("ASK 'x'"), await client.extended("ASK 'x'")):
            assert (answer.rows, answer.status) == (ANSWERED, "T")
        assert (await client.query("COMMIT")).status == "I"


async def test_the_unnamed_statement_and_a_suspended_unnamed_portal_survive(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await ok(client, "BEGIN")
        client.send(
            messages.parse(b"", b"SELECT n FROM generate_series(1, 4) n"),
            bind(),
            messages.execute(b"", 2),
            messages.SYNC,
        )
        assert (await client.answer()).kinds == "12DDsZ"
        # a named statement, so that the client itself does not replace the unnamed one
        client.send(messages.parse(b"asking", b"ASK 'x'"), messages.SYNC)
        assert (await client.answer()).kinds == "1Z"
        client.send(messages.execute(b"", 2), messages.SYNC)
        assert (await client.answer()).rows == [("3",), ("4",)]
        client.send(bind(), messages.execute(b"", 1), messages.SYNC)
        assert (await client.answer()).rows == [("1",)]


async def test_an_error_of_an_ask_spares_the_unnamed_statement_outside_a_block(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", BeyondEngine("cannot"))
    async with proxy.client() as client:
        client.send(messages.parse(b"", b"SELECT 1"), messages.SYNC)
        await client.answer()
        client.send(messages.parse(b"asking", b"ASK 'bad'"), messages.SYNC)
        assert (await client.answer()).codes == ["NL003"]
        client.send(bind(), messages.execute(b""), messages.SYNC)
        assert (await client.answer()).rows == [("1",)]


async def test_open_cursors_survive(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await ok(client, "BEGIN", "DECLARE c CURSOR FOR SELECT generate_series(1, 3)", "FETCH c", "ASK 'x'")
        assert (await client.query("FETCH c")).rows == [("2",)]
        await ok(client, "DECLARE h CURSOR WITH HOLD FOR SELECT 7", "COMMIT", "ASK 'x'")
        assert (await client.query("FETCH h")).rows == [("7",)]


async def test_read_write_mode_comes_back(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)", "BEGIN", "ASK 'x'", "INSERT INTO t VALUES (1)", "ASK 'x'")
        assert (await client.query("SHOW transaction_read_only")).rows == [("off",)]
        await ok(client, "COMMIT")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("1",)]


async def test_a_probe_sees_the_askers_uncommitted_rows_role_and_temporary_tables(proxy: Proxy) -> None:
    seen: list[tuple[str | None, ...]] = []

    async def look(request: AskRequest) -> None:
        seen.extend(await probe(request, "SELECT count(*), current_user FROM mine"))

    proxy.resolver.on("look", look)
    async with proxy.client() as client:
        await ok(client, "CREATE TEMP TABLE mine (a int)", "GRANT SELECT ON mine TO by_md5")
        await ok(client, "SET ROLE by_md5", "ASK 'look'", "RESET ROLE")
        await ok(client, "BEGIN", "INSERT INTO mine VALUES (1)", "ASK 'look'", "ROLLBACK")
    assert seen == [("0", "by_md5"), ("1", "postgres")]


@pytest.mark.parametrize("block", [False, True])
async def test_a_probe_cannot_write(proxy: Proxy, block: bool) -> None:
    async def write(request: AskRequest) -> None:
        await probe(request, "INSERT INTO t VALUES (1)")

    proxy.resolver.on("write", write)
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)", *(["BEGIN"] if block else []))
        assert (await client.query("ASK 'write'")).codes == ["25006"]
        await client.query("ROLLBACK")
        assert (await client.query("SELECT count(*) FROM t")).rows == [("0",)]


NAMES = "(SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE name <> '')"
LOCKS = (
    "SELECT (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'"
    f" AND relation = 't'::regclass), {NAMES}, pg_current_xact_id_if_assigned()"
)
SETTINGS = "SELECT name, setting FROM pg_settings WHERE name !~ 'transaction_timestamp' ORDER BY name"


@pytest.mark.parametrize("block", [False, True])
async def test_nothing_of_an_ask_remains(proxy: Proxy, block: bool) -> None:
    async def look(request: AskRequest) -> None:
        await probe(request, "SELECT * FROM t")

    proxy.resolver.on("look", look)
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)")
        if block:
            await ok(client, "BEGIN")
        settings = (await client.query(SETTINGS)).rows
        before = (await client.query(LOCKS)).rows
        assert (await client.query("ASK 'look'")).rows == ANSWERED
        assert (await client.query(LOCKS)).rows == before
        assert (await client.query(SETTINGS)).rows == settings
        assert before[0][3] is None


async def test_write_skew_is_still_detected_after_an_ask(proxy: Proxy) -> None:
    """A probe that took the first snapshot read-only would make the whole transaction count as read-only."""
    async with proxy.client() as one, proxy.client() as two:
        await ok(one, "CREATE TABLE doctors (name text, on_call bool)")
        await ok(one, "INSERT INTO doctors VALUES ('a', true), ('b', true)")
        for client in (one, two):
            await ok(client, "BEGIN ISOLATION LEVEL SERIALIZABLE", "ASK 'x'")
            await ok(client, "SELECT count(*) FROM doctors WHERE on_call")
        await ok(one, "UPDATE doctors SET on_call = false WHERE name = 'a'")
        await ok(two, "UPDATE doctors SET on_call = false WHERE name = 'b'")
        await ok(one, "COMMIT")
        assert (await two.query("COMMIT")).codes == ["40001"]


async def test_a_doomed_serializable_transaction_hears_so_from_its_ask(proxy: Proxy) -> None:
    async def look(request: AskRequest) -> None:
        await probe(request, "SELECT * FROM d")

    proxy.resolver.on("look", look)
    async with proxy.client() as one, proxy.client() as two:
        await ok(
            one, "CREATE TABLE d (name text, on_call bool)", "INSERT INTO d VALUES ('a', true), ('b', true)"
        )
        for client in (one, two):
            await ok(client, "BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT count(*) FROM d WHERE on_call")
        await ok(one, "UPDATE d SET on_call = false WHERE name = 'a'")
        await ok(two, "UPDATE d SET on_call = false WHERE name = 'b'")
        await ok(one, "COMMIT")
        answer = await two.query("ASK 'look'")
        assert (answer.codes, answer.status) == (["40001"], "E")
        await ok(two, "ROLLBACK", "SELECT 1")


async def test_an_ask_whose_very_first_statement_fails_fails_like_a_query(proxy: Proxy) -> None:
    """There is no savepoint to go back to then; the session must go on all the same."""
    async with proxy.client() as client:
        await ok(client, "REVOKE EXECUTE ON FUNCTION pg_catalog.current_setting(text) FROM PUBLIC")
        await ok(client, "SET ROLE by_md5")
        answer = await client.query("ASK 'x'")
        assert (answer.codes, answer.status) == (["42501"], "I")
        await ok(client, "BEGIN")
        answer = await client.query("ASK 'x'")
        assert (answer.codes, answer.status) == (["42501"], "E")
        await ok(client, "ROLLBACK", "SELECT 1", "RESET ROLE")
        await ok(client, "GRANT EXECUTE ON FUNCTION pg_catalog.current_setting(text) TO PUBLIC")


@pytest.mark.parametrize("block", [False, True])
async def test_notices_of_probes_are_dropped(proxy: Proxy, block: bool) -> None:
    async def noisy(request: AskRequest) -> None:
        await probe(request, "DO $$ BEGIN RAISE NOTICE 'of the probe'; END $$")

    proxy.resolver.on("noisy", noisy)
    async with proxy.client() as client:
        await ok(client, *(["BEGIN"] if block else []))
        answer = await client.query("ASK 'noisy'")
        assert (answer.notices, answer.rows) == ([], ANSWERED)
        assert (await client.query("DO $$ BEGIN RAISE NOTICE 'mine'; END $$")).notices == ["mine"]


async def test_an_ask_tells_what_it_understood_before_its_rows(proxy: Proxy) -> None:
    proxy.resolver.notices = (Notice("it reads größer", "SELECT 42", "a hint"),)
    async with proxy.client(parameters={"client_encoding": "LATIN1"}) as client:
        answer = await client.query("ASK 'x'")
        assert answer.kinds == "NTDCZ"
        fields = messages.read_fields(answer.of("N")[0], "iso8859-1")
        assert fields == {
            "S": "NOTICE", "V": "NOTICE", "C": "00000",
            "M": "askwire: it reads größer", "D": "SELECT 42", "H": "a hint",
        }  # fmt: skip


async def test_notifications_and_parameter_changes_arrive_during_an_ask(proxy: Proxy) -> None:
    gate = proxy.resolver.waits("wait")
    async with proxy.client() as client, proxy.direct() as other:
        await ok(client, "LISTEN news")
        client.send(messages.query(b"ASK 'wait'"))
        await gate.reached()
        await ok(other, "NOTIFY news, 'for you'")
        kind, payload = await client.receive()
        assert (kind, payload[4:]) == ("A", b"news\0for you\0")
        gate.open()
        assert (await client.answer()).rows == ANSWERED


async def test_a_notification_in_the_middle_of_probes_arrives(proxy: Proxy) -> None:
    async def slow(request: AskRequest) -> None:
        for _ in range(3):
            await other.query("NOTIFY news")
            await probe(request)

    proxy.resolver.on("slow", slow)
    async with proxy.client() as client, proxy.direct() as other:
        await ok(client, "LISTEN news")
        answer = await client.query("ASK 'slow'")
        assert (answer.kinds.count("A"), answer.rows) == (3, ANSWERED)


async def test_a_reported_parameter_that_a_probe_changes_is_reported_back(proxy: Proxy) -> None:
    async def change(request: AskRequest) -> None:
        await probe(request, "SET LOCAL application_name = 'probe'")

    proxy.resolver.on("change", change)
    async with proxy.client(parameters={"application_name": "mine"}) as client:
        answer = await client.query("ASK 'change'")
        told = [messages.read_parameter_status(p) for p in answer.of("S")]
        assert not told or told[-1] == ("application_name", "mine")


@pytest.mark.parametrize("text", ["ASK 'x'", "ASK 'a'; ASK 'b'", "ask $q$ x $q$;"])
async def test_a_failed_block_gives_postgresqls_own_error(proxy: Proxy, text: str) -> None:
    async with proxy.client() as client:
        await client.query("BEGIN; SELECT 1/0")
        answer = await client.query(text)
        assert (answer.codes, answer.status) == (["25P02"], "E")
        answer = await client.extended("ASK 'x'")
        assert (answer.codes, answer.status) == (["25P02"], "E")
        assert (await client.query("ROLLBACK")).status == "I"
    assert proxy.resolver.asked == []


async def test_a_failed_block_can_still_be_left_in_front_of_an_ask(proxy: Proxy) -> None:
    async with proxy.client() as client:
        await client.query("BEGIN; SELECT 1/0")
        assert (await client.query("ROLLBACK; ASK 'x'")).codes == ["NL007"]
        large = "ROLLBACK /* the word ask in " + "x" * 70_000 + " */"
        assert (await client.query(large)).status == "I"


ERROR = BeyondEngine("I could not place größer", detail="a detail", hint="a hint", position=5)


async def test_an_error_outside_a_block_leaves_none(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", ERROR)
    async with proxy.client() as client:
        for answer in (await client.query("ASK 'bad'"), await client.extended("ASK 'bad'")):
            assert (answer.kinds, answer.status) == ("EZ", "I")
            assert answer.errors == [
                {
                    "S": "ERROR", "V": "ERROR", "C": "NL003", "M": "askwire: I could not place größer",
                    "D": "a detail", "H": "a hint", "P": "5",
                }
            ]  # fmt: skip
        assert (await client.query("SELECT 1")).rows == [("1",)]


async def test_an_error_in_a_block_fails_it_as_a_failing_query_does(proxy: Proxy) -> None:
    proxy.resolver.fails("bad", ERROR)
    async with proxy.client() as client:
        await ok(client, "CREATE TABLE t (a int)", "BEGIN", "INSERT INTO t VALUES (1)", "SAVEPOINT s")
        answer = await client.query("ASK 'bad'")
        assert (answer.codes, answer.status) == (["NL003"], "E")
        assert (await client.query("SELECT 1")).codes == ["25P02"]
        await ok(client, "ROLLBACK TO s")
        answer = await client.extended("ASK 'bad'")
        assert (answer.codes, answer.status) == (["NL003"], "E")
        assert (await client.query("COMMIT")).tags == ["ROLLBACK"]
        assert (await client.query("SELECT count(*) FROM t")).rows == [("0",)]


async def test_an_error_of_the_chosen_sql_is_postgresqls_own(proxy: Proxy) -> None:
    proxy.resolver.answer = "SELECT 1/0"
    async with proxy.client() as client:
        answer = await client.query("ASK 'x'")
        assert (answer.codes, answer.status) == (["22012"], "I")


async def test_an_error_of_a_probe_that_nobody_handles_keeps_its_sqlstate(proxy: Proxy) -> None:
    async def fail(request: AskRequest) -> None:
        await probe(request, "SELECT 1/0")

    proxy.resolver.on("fail", fail)
    async with proxy.client() as client:
        await ok(client, "BEGIN")
        answer = await client.query("ASK 'fail'")
        assert (answer.codes, answer.status) == (["22012"], "E")


async def test_a_failed_statement_leaves_the_batch_usable(proxy: Proxy) -> None:
    async def recover(request: AskRequest) -> None:
        async with request.executor.batch() as batch:
            with pytest.raises(DatabaseFailed) as failed:
                await batch.read("SELECT 1/0")
            assert failed.value.code == "22012"
            capped = await batch.read("SELECT generate_series(1, 500)", max_rows=10)
            assert (len(capped.rows), capped.truncated) == (10, True)
            whole = await batch.read("SELECT generate_series(1, 10)", max_rows=10)
            assert (len(whole.rows), whole.truncated) == (10, False)
            assert (await batch.read("SELECT $1::int + 1, $2", ["1", None])).rows == (("2", None),)

    proxy.resolver.on("recover", recover)
    async with proxy.client() as client:
        assert (await client.query("ASK 'recover'")).rows == ANSWERED
        await ok(client, "BEGIN")
        assert (await client.query("ASK 'recover'")).rows == ANSWERED


async def test_an_internal_error_is_an_error_with_a_number(
    proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.resolver.fails("crash", RuntimeError("secret detail"))
    async with proxy.client() as client:
        answer = await client.query("ASK 'crash'")
        assert (answer.codes, answer.status) == (["XX000"], "I")
        number = answer.errors[0]["D"].split()[-1].rstrip(".")
        assert "secret detail" not in str(answer.errors)
        assert (await client.query("ASK 'x'")).rows == ANSWERED
    assert f"internal error {number}" in caplog.text


async def test_statements_behind_the_ask_of_a_message_run(proxy: Proxy) -> None:
    async with proxy.client() as client:
        answer = await client.query("ASK 'a'; SELECT 1; -- the end")
        assert answer.rows == [("42",), ("1",)]
        assert (await client.query("ASK 'a'; ASK 'b';")).rows == [("42",), ("42",)]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE made (); ASK 'x'",
        "COMMIT; ASK 'x'",
        "SELECT 1; BEGIN; ASK 'x'",
        "ROLLBACK TO s; ASK 'x'",
        "SET client_encoding TO 'LATIN1'; ASK 'x'",
        "RESET ALL; ASK 'x'",
        "BEGIN; CREATE TABLE made (); ASK 'x'; COMMIT",
        "CREATE TABLE made AS ASK 'x'; ASK 'y'",
    ],
)
async def test_an_ask_behind_other_statements_of_its_message_is_refused_as_a_whole(
    proxy: Proxy, text: str
) -> None:
    async with proxy.client() as client:
        answer = await client.query(text)
        assert (answer.codes, answer.rows, answer.status) == (["NL007"], [], "I")
        assert (await client.query("SELECT to_regclass('made')")).rows == [(None,)]


async def test_a_malformed_ask_is_a_syntax_error_at_its_place(proxy: Proxy) -> None:
    async with proxy.client() as client:
        for text, position in (("ASK how many", "5"), ("ASK ''", "5"), ("ASK 'a' 'b'", "9"), ("ASK 'a", "5")):
            for answer in (await client.query(text), await client.extended(text)):
                assert answer.errors[0]["C"] == "42601"
                assert answer.errors[0]["P"] == position
        assert (await client.query("ASK 'x'")).rows == ANSWERED
