"""Large answers are told apart by all of their rows, whatever was read of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import Database

from askwire.core.errors import DatabaseFailed
from askwire.core.trace import Trace
from askwire.core.types import Candidate, Cell, Plan, ResultColumn, ResultSet, Verdict
from askwire.selector.clusters import cluster
from askwire.selector.whole import digest_of, with_digests

ALL = "SELECT n, t FROM many"
LOCALES = """SELECT t COLLATE "C", t COLLATE "POSIX\""""


class Clock:
    def monotonic(self) -> float:
        return 0.0


class FailingBatch:
    """An executor that is its own batch, in which every statement fails."""

    def __init__(self, code: str) -> None:
        self._code = code
        self.runs = 0

    @asynccontextmanager
    async def batch(self) -> AsyncIterator[FailingBatch]:
        yield self

    async def run(
        self, sql: str, *, max_rows: int = 0, timeout_ms: int = 0, template: bool = False
    ) -> ResultSet:
        self.runs += 1
        raise DatabaseFailed("failed", code=self._code)

    async def read(
        self, sql: str, parameters: Sequence[Cell] = (), *, max_rows: int = 0, timeout_ms: int = 0
    ) -> ResultSet:
        raise AssertionError("nothing is read")

    async def explain(self, sql: str) -> Plan:
        raise AssertionError("nothing is planned")


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(
            "CREATE SCHEMA large; SET search_path TO large;"
            "CREATE TABLE many AS SELECT n, CASE WHEN n % 3 = 0 THEN NULL ELSE 'x' || n END AS t"
            " FROM generate_series(1, 3000) n"
        )
    return database


async def clusters(database: Database, *statements: str) -> list[list[int]]:
    """Which of the statements stand together, with ten rows of each read."""
    async with session(database.dsn(), "SET search_path TO large") as asker:
        verdicts = []
        async with asker.executor.batch() as batch:
            for n, sql in enumerate(statements):
                result = await batch.run(sql, max_rows=10)
                verdicts.append(Verdict(Candidate(sql, str(n)), sql, result=result))
        found = cluster(await with_digests(verdicts, asker.executor, Trace(Clock())))
    return sorted(sorted(int(v.candidate.expert) for v in one.verdicts) for one in found)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (f"{ALL} ORDER BY n", f"{ALL} WHERE n <> 2999 ORDER BY n", False),
        (f"{ALL} ORDER BY n", f"{ALL} ORDER BY n DESC", True),
        (f"{ALL} ORDER BY n", f"{ALL} WHERE n > 0 ORDER BY n;", True),
        (f"{ALL} ORDER BY n", f"{ALL} UNION ALL {ALL} WHERE n = 3000 ORDER BY 1", False),
        (f"{ALL} ORDER BY n", "SELECT n, coalesce(t, '') FROM many ORDER BY n", False),
        ("SELECT t, 'a' FROM many", "SELECT 'a', t FROM many", False),
        ("SELECT n FROM many -- all", "SELECT many.n FROM many", True),
        ("SELECT n FROM many", "SELECT n FROM many LIMIT 5", False),
        (f"{LOCALES} FROM many", f"{LOCALES} FROM many WHERE n > 0", True),
    ],
)
async def test_answers_beyond_what_was_read(filled: Database, first: str, second: str, same: bool) -> None:
    assert (await clusters(filled, first, second)) == ([[0, 1]] if same else [[0], [1]])


async def test_where_no_digest_can_be_had_only_the_statement_itself_is_equal(filled: Database) -> None:
    columns = (ResultColumn("n", 23),)
    cut = ResultSet(columns, (("1",),), truncated=True)
    verdicts = [Verdict(Candidate(s, "e"), s, result=cut) for s in ("SELECT 1", "SELECT 1", "SELECT 2")]
    assert [len(one.verdicts) for one in cluster(verdicts)] == [2, 1]


async def test_after_one_that_takes_too_long_no_other_is_looked_at() -> None:
    """Several candidates that read the whole of a large table would each wait for the timeout."""
    columns = (ResultColumn("n", 23),)
    cut = ResultSet(columns, (("1",),), truncated=True)
    verdicts = [Verdict(Candidate(s, "e"), s, result=cut) for s in ("SELECT 1", "SELECT 2", "SELECT 3")]
    batch = FailingBatch("57014")
    assert await with_digests(verdicts, batch, Trace(Clock())) == verdicts
    assert batch.runs == 1
    other = FailingBatch("42883")
    assert await with_digests(verdicts, other, Trace(Clock())) == verdicts
    assert other.runs == 3


async def test_nothing_is_asked_where_one_statement_alone_was_cut_off(filled: Database) -> None:
    trace = Trace(Clock())
    cut = Verdict(Candidate("SELECT 1", "e"), "SELECT 1", result=ResultSet((), (), truncated=True))
    async with session(filled.dsn()) as asker:
        assert await with_digests([cut, cut], asker.executor, trace) == [cut, cut]
    assert not trace.to_json()


def test_the_statement_names_every_column() -> None:
    assert "AS q(c1, c2)" in digest_of(ALL, 2)
    assert "q.c2::text" in digest_of(ALL, 2)
