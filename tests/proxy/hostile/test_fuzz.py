"""An ASK behaves as the SQL it stands for: random sessions through the proxy and directly must agree.

Run it longer with FUZZ_EXAMPLES=5000 in the environment.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

import psycopg
import pytest
from doubles.scripted_resolver import ScriptedResolver, probe
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from servers.running_proxy import OwnDatabase
from servers.wire_client import Answer, WireClient, bind, copy_data

from askwire.core.settings.table import load
from askwire.proxy.asking.requests import AskRequest
from askwire.proxy.server import Server
from askwire.proxy.wire import messages

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
STATEMENTS = (
    "",
    "SELECT 1",
    "SELECT 1/0",
    "nonsense",
    "SELECT count(*) FROM t",
    "INSERT INTO t VALUES (1)",
    "BEGIN",
    "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "ROLLBACK TO s",
    "RELEASE s",
    "DECLARE c CURSOR FOR SELECT generate_series(1, 5)",
    "FETCH 2 FROM c",
    "SET LOCAL work_mem = '1MB'",
    "SHOW work_mem",
    "SHOW transaction_read_only",
    "SHOW transaction_isolation",
    "SELECT 'ask', 1 AS task",
    "PREPARE q AS SELECT 5",
    "EXECUTE q",
    "DEALLOCATE ALL",
    "CREATE TEMP TABLE IF NOT EXISTS tt (a int)",
    "SELECT count(*) FROM tt",
    "SELECT pg_current_xact_id_if_assigned() IS NULL",
)
"""What else a session does."""

ANSWERS = {"count": "SELECT count(*) FROM t", "one": "SELECT 1 AS one", "fails": "SELECT 1/0 AS oops"}
"""What each question stands for."""


MESSAGES = {
    "BEGIN; {one}": ("one",),
    "{count}; INSERT INTO t VALUES (2)": ("count",),
    "SET LOCAL work_mem = '2MB'; {one}; SHOW work_mem": ("one",),
    "SELECT 1; {fails}; COMMIT": ("fails",),
    "EXPLAIN (COSTS OFF) {one}": ("one",),
    "SELECT * FROM {one} q, {count} r WHERE q.one = 1": ("one", "count"),
    "DECLARE d CURSOR FOR {count}; FETCH d": ("count",),
    "COPY {one} TO STDOUT": ("one",),
    "WITH q AS {one} INSERT INTO t SELECT one FROM q": ("one",),
}
"""Messages with ASKs in other places than a statement's own, and the questions in them."""


def replaced(text: str) -> str:
    """The same statement as PostgreSQL gets it without a proxy."""
    if text in MESSAGES:
        return text.format(**{question: f"({ANSWERS[question]})" for question in MESSAGES[text]})
    return f"({ANSWERS[text]})" if text in ANSWERS else text


def asked(text: str) -> str:
    if text in MESSAGES:
        whole = text.startswith(("EXPLAIN", "DECLARE", "BEGIN", "SET", "{", "SELECT 1"))
        return text.format(
            **{
                question: f"ASK '{question}'" if whole else f"(ASK '{question}')"
                for question in MESSAGES[text]
            }
        )
    return f"ASK '{text}'" if text in ANSWERS else text


TEXT = st.sampled_from(STATEMENTS) | st.sampled_from(sorted(ANSWERS))
SIMPLE = st.tuples(st.just("simple"), TEXT)
ALONE = st.tuples(st.just("alone"), TEXT)
NAMED = st.tuples(st.just("named"), TEXT)
FETCHED = st.tuples(st.just("fetched"), TEXT)
COPIED = st.tuples(st.sampled_from(["copy", "copy fails"]), st.just(""))
BOUND = st.tuples(st.just("bound"), st.sampled_from(sorted(ANSWERS)))
SEVERAL = st.tuples(st.just("simple"), st.sampled_from(sorted(MESSAGES)))
STEPS = st.lists(SIMPLE | ALONE | NAMED | FETCHED | COPIED | BOUND | SEVERAL, min_size=1, max_size=8)


def step(kind: str, sql: bytes) -> tuple[bytes, int]:
    """The bytes of a step, and how many ReadyForQuery answer it."""
    if kind == "simple":
        return messages.query(sql), 1
    if kind == "named":
        # the statement of the step before runs again, if there is one
        close = messages.close_statement(b"s")
        made = close + messages.parse(b"s", sql) + messages.describe_statement(b"s") + messages.SYNC
        return made + (bind(statement=b"s") + messages.execute(b"") + messages.SYNC) * 2, 3
    if kind == "fetched":
        begun = messages.parse(b"", sql) + bind(portal=b"") + messages.execute(b"", 1)
        return begun + messages.SYNC + messages.execute(b"", 1) + messages.SYNC, 2
    if kind == "bound":
        # prepared as libpq does it, then bound twice; directly the statement ignores what is bound
        question = next(
            (q for q, answer in ANSWERS.items() if sql.decode() in (f"({answer})", f"ASK '{q}'")), ""
        )
        text = b"ASK $1" if sql.startswith(b"ASK") else sql
        made = messages.close_statement(b"b") + messages.parse(b"b", text, (25,)) + messages.SYNC
        run = (
            bind([question.encode()], statement=b"b") + messages.describe_portal(b"") + messages.execute(b"")
        )
        return made + (run + messages.SYNC) * 2, 3
    if kind.startswith("copy"):
        copy = messages.parse(b"", b"COPY t FROM STDIN") + bind() + messages.execute(b"")
        data = copy_data(b"x\n" if kind == "copy fails" else b"7\n") + messages.frame(b"c", b"")
        return copy + data + messages.SYNC, 1
    described = messages.parse(b"", sql) + bind(binary=True) + messages.describe_portal(b"")
    return described + messages.execute(b"") + messages.SYNC, 1


CODES = 4
"""Where the SQLSTATEs stand in what is `seen`."""


def seen(answer: Answer) -> tuple[object, ...]:
    """What must agree: everything but the places and texts of errors."""
    kinds = "".join(kind for kind, _ in answer.frames if kind not in "NS")
    return kinds, answer.of("D"), answer.columns, answer.tags, answer.codes, answer.status


async def play(
    client: WireClient, steps: list[tuple[str, bytes]], *, ahead: bool
) -> list[tuple[object, ...]]:
    """Send all steps ahead of the answers, or one by one."""
    answers = []
    if ahead:
        played = [step(*one) for one in steps]
        client.send(*(data for data, _ in played))
        return [seen(await client.answer()) for _ in range(sum(count for _, count in played))]
    for one in steps:
        data, count = step(*one)
        client.send(data)
        answers += [seen(await client.answer()) for _ in range(count)]
    return answers


UNITS = st.tuples(
    st.sampled_from(["parse", "run", "bind", "execute", "describe", "close", "bound", "flush", "rebind"]),
    st.sampled_from([b"", b"u", b"v"]),
    st.sampled_from([*STATEMENTS, *ANSWERS, *ANSWERS, "SELECT nothing", "BEGIN", "BEGIN"]),
)
GROUPS = st.lists(st.lists(UNITS, min_size=1, max_size=7), min_size=1, max_size=5)
"""Extended-query messages under one Sync each, in any order a client might send them or should not."""


def unit(kind: str, name: bytes, text: str, write: Callable[[str], str]) -> bytes:
    """The bytes of one unit; `write` puts an ASK as the proxy or as the database gets it."""
    sql = write(text).encode()
    again = messages.close_statement(name) + messages.parse(name, sql)
    if kind == "parse":
        return messages.parse(name, sql)
    if kind == "run":
        return again + bind(statement=name) + messages.describe_portal(b"") + messages.execute(b"")
    if kind == "bind":
        return bind(portal=name, statement=name)
    if kind == "execute":
        return messages.execute(name, 1)
    if kind == "describe":
        return messages.describe_statement(name)
    if kind == "close":
        return messages.close_statement(name) + messages.close_portal(name)
    if kind == "flush":
        return messages.FLUSH
    question = text if text in ANSWERS else "one"
    asks = b"ASK $1" if write is asked else replaced(question).encode()
    waiting = question.encode()
    made = (
        messages.close_statement(waiting) + messages.parse(waiting, asks, (25,)) if kind == "bound" else b""
    )
    run = bind([question.encode()], statement=waiting) + messages.describe_portal(b"")
    return made + run + messages.execute(b"")


Playing = Callable[[WireClient, Callable[[str], str]], Awaitable[list[tuple[object, ...]]]]


async def both_ways(database: OwnDatabase, playing: Playing) -> list[list[tuple[object, ...]]]:
    """What a session saw through the proxy, and directly."""
    given = load({"backend": f"host=127.0.0.1 port={database.port}", "listen": "127.0.0.1:0"})
    resolver = ScriptedResolver(given)
    for question, sql in ANSWERS.items():

        async def look(request: AskRequest, sql: str = sql) -> str:
            if request.site.question != "fails":
                await probe(request, sql)
            return sql

        resolver.on(question, look)
    server = Server(given, resolver)
    address = await server.start()
    results = []
    try:
        for where, text in ((address, asked), (("127.0.0.1", database.port), replaced)):
            client = await WireClient.login(where, database.name)
            await client.query("TRUNCATE t")
            results.append(await playing(client, text))
            await client.close()
    finally:
        await server.stop()
    return results


@pytest.fixture(scope="module")
def fuzzed(make_database: Callable[[], OwnDatabase]) -> OwnDatabase:
    """A database with a table, for all sessions."""
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute("CREATE TABLE t (a int)")
    return database


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS, ahead=st.booleans())
def test_an_ask_behaves_as_the_sql_it_stands_for(
    fuzzed: OwnDatabase, steps: list[tuple[str, str]], ahead: bool
) -> None:
    async def playing(client: WireClient, write: Callable[[str], str]) -> list[tuple[object, ...]]:
        return await play(client, [(k, write(t).encode()) for k, t in steps], ahead=ahead)

    proxied, direct = asyncio.run(both_ways(fuzzed, playing))
    assert proxied == direct


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(groups=GROUPS, ahead=st.booleans())
def test_a_group_is_answered_as_postgresql_would_or_refused_as_a_whole(
    fuzzed: OwnDatabase, groups: list[list[tuple[str, bytes, str]]], ahead: bool
) -> None:
    """No group hangs, and up to the first ASK that is not possible every answer is PostgreSQL's."""

    async def playing(client: WireClient, write: Callable[[str], str]) -> list[tuple[object, ...]]:
        sent = [b"".join(unit(*one, write) for one in units) + messages.SYNC for units in groups]
        if ahead:
            client.send(*sent)
            return [seen(await client.answer()) for _ in sent]
        answers = []
        for data in sent:
            client.send(data)
            answers.append(seen(await client.answer()))
        return answers

    proxied, direct = asyncio.run(both_ways(fuzzed, playing))
    assert len(proxied) == len(direct) == len(groups)
    for ours, theirs in zip(proxied, direct, strict=True):
        if "NL007" in ours[CODES]:  # type: ignore[operator]
            break
        assert ours == theirs
