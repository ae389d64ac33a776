"""Every case of cases/passes.jsonl: what the passes make of a query, and that PostgreSQL takes it.

The cases leave out `pg_catalog.`; that every call of ours has it is a test of its own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest
from data.tracing_catalog import CATALOG, SCHEMA
from doubles.postgres_executor import PostgresExecutor
from doubles.tracing_session import Session, session
from pglast import ast
from servers.databases import Database

from askwire.sql.tracing.evaluation import Pool, answers, evaluation
from askwire.sql.tracing.identity import MEMBER, RECORD, UNIT, reading
from askwire.sql.tracing.traced import TracedQuery, trace_query
from askwire.sql.tracing.tree import parse_query, strings, walk

FILE = Path(__file__).parent / "cases" / "passes.jsonl"
CASES = [
    pytest.param(case, id=case["name"]) for case in map(json.loads, FILE.read_text("utf-8").splitlines())
]


def plain(text: str) -> str:
    return text.replace("pg_catalog.", "")


def lineages(traced: TracedQuery) -> list[str]:
    """The queries whose one column is a lineage."""
    groups = [traced.groups, traced.mixed_groups] if traced.groups else []
    return [*traced.rows, *traced.kept_out, *traced.absent, *groups]


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    trace_query.__globals__["_trace"].cache_clear()  # names are counted from the first text on
    traced = trace_query(case["query"], CATALOG)
    assert [plain(t) for t in traced.rows] == case["rows"]
    assert plain(traced.answers) == case["answers"]
    assert plain(traced.shadow) == case["shadow"]
    assert [plain(t) for t in traced.kept_out] == case.get("kept_out", [])
    assert traced.takes_some == ("tie_broken" in case)
    if traced.takes_some:
        assert [plain(t) for t in traced.tie_broken_shadows] == case["tie_broken"]
    assert plain(traced.groups) == case.get("groups", "")
    if traced.tree.groupClause:
        assert plain(traced.mixed_groups) == case["mixed_groups"]
    assert [plain(t) for t in traced.absent] == case.get("absent", [])
    assert list(traced.by_value) == case.get("by_value", [])


@pytest.mark.parametrize("case", CASES)
def test_calls_of_ours_are_qualified(case: dict[str, Any]) -> None:
    traced = trace_query(case["query"], CATALOG)

    def unqualified(sql: str) -> Counter[str]:
        tree = parse_query(re.sub("_aw_", "aw_", sql))
        calls = (strings(n.funcname) for n in walk(tree) if isinstance(n, ast.FuncCall))
        return Counter(names[-1] for names in calls if len(names) == 1)

    own = unqualified(traced.sql)
    for text in (traced.answers, *lineages(traced)):
        assert not set(unqualified(text)) - set(own)


@pytest.fixture(scope="module")
def singers(make_database: Any) -> Database:
    database: Database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute(SCHEMA.encode())
    return database


@pytest.mark.parametrize("case", CASES)
async def test_postgres_takes_it(singers: Database, case: dict[str, Any]) -> None:
    async with session(singers.dsn()) as asker:
        traced = trace_query(case["query"], asker.catalog)
        width = len((await run(asker, traced.sql)).columns)
        for text in lineages(traced):
            assert len((await run(asker, text)).columns) == 1
        assert len((await run(asker, traced.answers)).columns) == width + 1
        for text in traced.tie_broken if traced.takes_some else ():
            assert len((await run(asker, text)).columns) == width


@pytest.mark.parametrize("case", CASES)
async def test_shadows_of_all_rows_answer_as_the_tables_do(singers: Database, case: dict[str, Any]) -> None:
    async with session(singers.dsn()) as asker:
        traced = trace_query(case["query"], asker.catalog)
        pool = await everything(asker, traced)
        whole = {n: range(1, len(rows) + 1) for n, rows in pool.rows.items()}
        queries = traced.tie_broken_shadows if traced.takes_some else (traced.shadow,)
        originals = traced.tie_broken if traced.takes_some else (traced.sql,)
        statement, parameters = evaluation(queries, pool, [whole])
        async with asker.executor.batch() as batch:
            (found,) = answers(await batch.read(statement, parameters))
        for original, rows in zip(originals, found, strict=True):
            assert rows is not None
            assert Counter(rows) == Counter((await run(asker, original)).rows)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, age FROM singer WHERE age > 20",
        "SELECT s.name, g.title FROM singer s JOIN song g ON g.singer_id = s.id",
        "SELECT s.name, n.body FROM singer s LEFT JOIN note n ON n.singer_id = s.id",
        "SELECT q.name FROM (SELECT DISTINCT name, country FROM singer) q",
        "WITH old AS (SELECT * FROM singer WHERE age > 30) SELECT a.name FROM old a, old b WHERE a.id < b.id",
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM song WHERE sales > 4)",
        "SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM note n WHERE n.singer_id = s.id)",
        "SELECT id FROM singer INTERSECT SELECT singer_id FROM note",
        "SELECT id FROM singer UNION SELECT singer_id FROM note",
        "SELECT s.name, q.sales FROM singer s,"
        " LATERAL (SELECT max(sales) AS sales FROM song g WHERE g.singer_id = s.id) q",
        "SELECT country, count(*) FROM singer GROUP BY country HAVING count(*) > 1",
        "SELECT name, age FROM singer ORDER BY age DESC NULLS LAST, id LIMIT 1",
        "SELECT j.name FROM (SELECT s.name, g.title FROM singer s JOIN song g ON g.singer_id = s.id) AS j",
    ],
)
async def test_the_rows_of_a_lineage_alone_give_the_answer(singers: Database, query: str) -> None:
    async with session(singers.dsn()) as asker:
        traced = trace_query(query, asker.catalog)
        told = await run(asker, traced.answers)
        assert told.rows
        for *cells, lineage in told.rows:
            keys: dict[int, list[str]] = {}
            for token in re.split(f"[{RECORD}{MEMBER}]", lineage or ""):
                number, _, key = token.partition(UNIT)
                keys.setdefault(int(number), []).append(key)
            pool = await everything(asker, traced, keys)
            whole = {n: range(1, len(rows) + 1) for n, rows in pool.rows.items()}
            statement, parameters = evaluation([traced.shadow], pool, [whole])
            async with asker.executor.batch() as batch:
                ((rows,),) = answers(await batch.read(statement, parameters))
            assert tuple(cells) in (rows or ())


async def everything(asker: Session, traced: TracedQuery, keys: dict[int, list[str]] | None = None) -> Pool:
    """All rows of the relations of a query, or those with some keys, read through `reading`."""
    rows: dict[int, list[str]] = {}
    for of in traced.sources.values():
        if keys is None:
            found = await run(asker, f"SELECT (r.*)::text FROM {of.qualified} AS r")
            rows[of.number] = [row or "" for (row,) in found.rows]
        elif of.number in keys:
            statement, parameters = reading(of, sorted(set(keys[of.number])), 1)
            async with asker.executor.batch() as batch:
                read = await batch.read(statement, parameters)
            rows[of.number] = [row or "" for _, _, row in read.rows]
            assert len(rows[of.number]) == len(set(keys[of.number]))
    return Pool(tuple(traced.sources.values()), rows)


async def run(asker: Session, sql: str) -> Any:
    executor: PostgresExecutor = asker.executor
    async with executor.batch() as batch:
        return await batch.read(sql)
