"""Every case of cases/pairs.jsonl: what two queries over cases/schema.sql turn out to be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from doubles.tracing_session import Session, session
from servers.databases import Database

from askwire.core.errors import RefusedByGate
from askwire.core.trace import Trace
from askwire.core.types import ResultColumn, ResultSet
from askwire.selector.instances import Budget, Identity, Outcome, Separation, separate, separate_all
from askwire.sql.canonical.normal_form import SEPARATING

HERE = Path(__file__).parent / "cases"
CASES = [
    pytest.param(case, id=f"{case['first']} | {case['second']}"[:90])
    for case in map(json.loads, (HERE / "pairs.jsonl").read_text("utf-8").splitlines())
]


@pytest.fixture(scope="module")
def filled(make_database: Callable[[], Database]) -> Database:
    database = make_database()
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute("CREATE SCHEMA sep; SET search_path TO sep")
        conn.execute((HERE / "schema.sql").read_bytes())
    return database


def sep(database: Database, *settings: str) -> Any:
    return session(database.dsn(), "SET search_path TO sep", *settings)


async def found(asker: Session, first: str, second: str, **options: Any) -> Separation:
    return await separate(first, second, asker.catalog, asker.executor, **options)


@pytest.mark.parametrize("case", CASES)
async def test_case(filled: Database, case: dict[str, Any]) -> None:
    async with sep(filled) as asker:
        told = await found(asker, case["first"], case["second"])
    assert told.outcome == case["outcome"]
    assert told.candidates == (case["first"], case["second"])
    assert (told.instance.size if told.instance else None) == case.get("rows")
    assert (told.witness.size if told.witness else None) == case.get("witness")
    assert told.ordered == case.get("ordered", False)
    assert told.reason == case.get("reason", "")
    assert list(told.by_value) == case.get("by_value", [])
    if told.instance:
        assert not told.instance.synthetic
        assert told.instance.minimal
        assert told.statistics.statements <= 9
    if told.witness:
        assert told.witness.synthetic
        assert any(row.changed for _, row in told.witness)


async def test_the_instance_says_what_it_is(filled: Database) -> None:
    async with sep(filled) as asker:
        told = await found(asker, "SELECT id FROM t WHERE x > 3", "SELECT id FROM t WHERE x >= 3")
    instance = told.instance
    assert instance is not None
    (table,) = instance.tables
    assert (table.schema, table.name, table.identity) == ("sep", "t", Identity.PRIMARY_KEY)
    assert table.used == {"id", "x"}
    (row,) = table.rows
    assert row.key == ("3",)
    assert row.cells == ("3", "b", "3")
    assert row.counted_by == (1,)
    assert instance.answers == (
        ResultSet((ResultColumn("id", 23),), ()),
        ResultSet((ResultColumn("id", 23),), (("3",),)),
    )


async def test_identities(filled: Database) -> None:
    async with sep(filled) as asker:
        for query, identity in [
            ("SELECT x FROM nokey", Identity.PLACE),
            ("SELECT n FROM part", Identity.PLACE),
            ("SELECT k FROM mv", Identity.PLACE),
            ("SELECT id FROM v_barrier", Identity.VALUE),
        ]:
            told = await found(asker, query, "SELECT 1 WHERE false")
            assert told.instance is not None, query
            assert [t.identity for t in told.instance.tables] == [identity]


async def test_rows_keep_types_and_odd_values(filled: Database) -> None:
    async with sep(filled) as asker:
        told = await found(
            asker, "SELECT j, arr FROM docs WHERE id = 2", "SELECT j, arr FROM docs WHERE id = 1"
        )
    assert told.instance is not None
    rows = {row.cells for _, row in told.instance}
    assert rows <= {("1", '{"a":1, "a":1}', "{1,2}"), ("2", '{"a":2}', "[0:1]={2,3}")}


async def test_a_role_with_column_privileges(filled: Database) -> None:
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("DROP ROLE IF EXISTS some_columns")
        conn.execute("CREATE ROLE some_columns; GRANT USAGE ON SCHEMA sep TO some_columns")
        conn.execute("GRANT SELECT (id, x) ON sep.t TO some_columns")
        conn.execute("GRANT SELECT (y) ON sep.nokey TO some_columns")
    async with sep(filled, "SET ROLE some_columns") as asker:
        told = await found(asker, "SELECT id FROM t WHERE x > 3", "SELECT id FROM t WHERE x >= 3")
        assert told.instance is not None
        assert [(c.name for c in t.columns) for t in told.instance.tables]
        assert [row.cells for _, row in told.instance] == [("3", "3")]
        told = await found(asker, "SELECT y FROM nokey WHERE y > 'a'", "SELECT y FROM nokey")
        assert told.instance is not None
        assert told.instance.tables[0].identity is Identity.VALUE
        told = await found(asker, "SELECT k FROM t", "SELECT id FROM t")
        assert told.outcome is Outcome.NOT_SEPARATED
        assert told.reason == "permission denied for table t"
        shared = await separate_all(["SELECT id FROM t", "SELECT x FROM t"], asker.catalog, asker.executor)
        assert shared.groups == ((0,), (1,))
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("DROP OWNED BY some_columns; DROP ROLE some_columns")


async def test_rows_that_nothing_points_to_are_found_among_all_rows(filled: Database) -> None:
    """A recursive query joins rows far apart: 38 is reached through 12 and 4 only."""
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE sep.big_tree (id int PRIMARY KEY, parent int)")
        conn.execute("INSERT INTO sep.big_tree SELECT n, nullif(n / 3, 0) FROM generate_series(1, 40) n")
        conn.execute("ANALYZE sep.big_tree")
    reached = (
        "WITH RECURSIVE r AS (SELECT id FROM big_tree WHERE id = 1 UNION ALL"
        " SELECT c.id FROM big_tree c JOIN r ON c.parent = r.id{}) SELECT count(*) FROM r"
    )
    async with sep(filled) as asker:
        told = await found(asker, reached.format(""), reached.format(" WHERE c.id < 38"))
    assert (told.outcome, told.step) == (Outcome.SEPARATED, "all rows")
    assert told.instance is not None
    assert told.instance.minimal
    keys = {row.cells[0] for _, row in told.instance}
    assert {"1", "4"} < keys
    assert len(keys) == 4


async def test_shared_rows_grow_until_all_are_told_apart(filled: Database) -> None:
    """Rows that tell two of the answers apart leave two alike; so do all of those rows together."""
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE sep.sold (id int PRIMARY KEY, buyer int, shipped date)")
        conn.execute("INSERT INTO sep.sold VALUES (1, 7, NULL), (2, 8, '2024-01-01'), (3, 8, '2024-01-02')")
        conn.execute(
            "INSERT INTO sep.sold SELECT n, 20 + n, NULL FROM generate_series(4, 9) n; ANALYZE sep.sold"
        )
    counts = ("count(*)", "count(shipped)", "count(DISTINCT buyer)")
    async with sep(filled) as asker:
        told = await separate_all(
            [f"SELECT {count} FROM sold" for count in counts], asker.catalog, asker.executor
        )
    assert told.groups == ((0,), (1,), (2,))
    assert told.instance is not None
    assert len({answer.rows for answer in told.instance.answers}) == 3
    assert told.instance.size <= 5


async def test_every_pair_that_shared_rows_leave_alike_is_told(filled: Database) -> None:
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE sep.two (id int PRIMARY KEY, a int, b int)")
        conn.execute("INSERT INTO sep.two VALUES (1, 1, 0), (2, 0, 1)")
    queries = ["SELECT sum(a) FROM two", "SELECT sum(b) FROM two", "SELECT sum(a * b) FROM two"]
    async with sep(filled) as asker:
        told = await separate_all(queries, asker.catalog, asker.executor)
    left = {(i, j) for group in told.groups for i in group for j in group if i < j}
    assert left == {(i, j) for i, j, pair in told.pairs}
    assert left
    assert all(pair.outcome is Outcome.SEPARATED for _, _, pair in told.pairs)


async def test_two_answers_without_tables_are_compared(filled: Database) -> None:
    async with sep(filled) as asker:
        assert (await found(asker, "SELECT 1", "SELECT 2")).equal_on_data is False
        assert (await found(asker, "SELECT 2", "SELECT 1 + 1")).equal_on_data is True


async def test_row_level_security_holds(filled: Database) -> None:
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("CREATE TABLE sep.mine (id int PRIMARY KEY, owner text, v int)")
        conn.execute("INSERT INTO sep.mine VALUES (1, 'one_owner', 1), (2, 'other', 2)")
        conn.execute("ALTER TABLE sep.mine ENABLE ROW LEVEL SECURITY")
        conn.execute("CREATE POLICY p ON sep.mine USING (owner = current_user)")
        conn.execute("DROP ROLE IF EXISTS one_owner")
        conn.execute("CREATE ROLE one_owner; GRANT USAGE ON SCHEMA sep TO one_owner")
        conn.execute("GRANT SELECT ON sep.mine TO one_owner")
    async with sep(filled, "SET ROLE one_owner") as asker:
        told = await found(asker, "SELECT id FROM mine", "SELECT v + 10 FROM mine")
        assert told.instance is not None
        assert [row.key for _, row in told.instance] == [("1",)]
        assert told.instance.tables[0].row_security
        told = await found(asker, "SELECT id FROM mine WHERE v > 1", "SELECT id FROM mine WHERE false")
        assert told.outcome is Outcome.EQUAL
    with psycopg.connect(filled.dsn(), autocommit=True) as conn:
        conn.execute("DROP TABLE sep.mine; DROP OWNED BY one_owner; DROP ROLE one_owner")


@pytest.mark.parametrize(("statements", "milliseconds"), [(1, 5000), (3, 5000), (24, 0)])
async def test_a_budget_is_kept(filled: Database, statements: int, milliseconds: int) -> None:
    async with sep(filled) as asker:
        before = asker.executor.statements
        told = await found(
            asker,
            "SELECT count(*) FROM t",
            "SELECT count(*) + 1 FROM t",
            budget=Budget(statements=statements, milliseconds=milliseconds),
        )
        assert told.outcome is Outcome.NOT_SEPARATED
        assert told.reason.startswith("the budget of ")
        assert asker.executor.statements - before <= statements
        assert told.statistics.statements <= statements


async def test_known_answers_are_not_asked_for(filled: Database) -> None:
    async with sep(filled) as asker:
        query = "SELECT id FROM t WHERE x > 100"
        async with asker.executor.batch() as batch:
            answer = await batch.run(query)
        asked = await found(asker, query, "SELECT id FROM t WHERE x >= 100")
        told = await found(asker, query, "SELECT id FROM t WHERE x >= 100", answers=(answer, answer))
        assert told.outcome is asked.outcome is Outcome.EQUAL
        assert told.statistics.statements == asked.statistics.statements - 2


async def test_the_comparison_decides_what_is_a_difference(filled: Database) -> None:
    async with sep(filled) as asker:
        pair = "SELECT x FROM nokey", "SELECT DISTINCT x FROM nokey"
        assert (await found(asker, *pair)).outcome is Outcome.SEPARATED
        assert (await found(asker, *pair, comparison=SEPARATING)).outcome is Outcome.EQUAL


async def test_the_gate_has_the_last_word(filled: Database) -> None:
    def refuse(sql: str) -> str:
        raise RefusedByGate("not this one")

    async with sep(filled) as asker:
        asker.executor._gate = refuse
        told = await found(asker, "SELECT x FROM t WHERE x > 100", "SELECT x FROM t WHERE x > 101")
    assert (told.outcome, told.reason) == (Outcome.NOT_SEPARATED, "not this one")


async def test_the_trace_tells_of_it(filled: Database) -> None:
    class Clock:
        def monotonic(self) -> float:
            return 0.0

    trace = Trace(Clock())
    async with sep(filled) as asker:
        await found(asker, "SELECT id FROM t", "SELECT x FROM t", trace=trace)
    (event,) = trace
    assert (event.stage, event.name, event.data["outcome"]) == ("selector", "separate", "separated")
    assert event.data["rows"] == 1


async def test_one_instance_for_all(filled: Database) -> None:
    candidates = [
        "SELECT id FROM t WHERE x > 3",
        "SELECT id FROM t WHERE x > 4",
        "SELECT count(*) FROM t",
        "SELECT id FROM t WHERE x > 3 AND true",
        "SELECT id FROM t WHERE k = 'a'",
        "SELECT nonsense(",
    ]
    async with sep(filled) as asker:
        told = await separate_all(candidates, asker.catalog, asker.executor)
    assert told.groups == ((0, 3), (1,), (2,), (4,))
    assert told.instance is not None
    assert len(told.instance.answers) == 5
    answers = [frozenset(a.rows) for a in told.instance.answers]
    assert answers[0] == answers[3]
    assert len(set(answers)) == 4
    known = {(i, j): s.outcome for i, j, s in told.pairs}
    assert known.pop((0, 3)) is Outcome.EQUAL
    assert set(known) == {(i, 5) for i in range(5)}
    assert set(known.values()) == {Outcome.NOT_SEPARATED}


async def test_all_equal_candidates_share_no_instance(filled: Database) -> None:
    candidates = ["SELECT id FROM t", "SELECT id FROM t WHERE true"]
    async with sep(filled) as asker:
        told = await separate_all(candidates, asker.catalog, asker.executor)
    assert told.instance is None
    assert told.groups == ((0, 1),)
    assert [(i, j, s.outcome) for i, j, s in told.pairs] == [(0, 1, Outcome.EQUAL)]


async def test_nothing_is_left_behind(filled: Database) -> None:
    async with sep(filled) as asker:
        await asker.conn.execute("BEGIN")
        await found(asker, "SELECT id FROM t", "SELECT x FROM t")
        read_only = await (await asker.conn.execute("SHOW transaction_read_only")).fetchone()
        assert read_only == ("off",)
        await asker.conn.execute("ROLLBACK")


async def test_an_answer_without_rows_shows_other_columns_only_where_no_row_does(filled: Database) -> None:
    """Without any row, an answer of two columns already differs from one of one."""
    queries = "SELECT id, x FROM t WHERE x > 3", "SELECT id FROM t WHERE x > 3"
    async with sep(filled) as asker:
        told = await found(asker, *queries)
        grouped = await found(
            asker,
            "SELECT t.id, count(*) FROM t JOIN t AS u ON u.id <> t.id GROUP BY t.id",
            "SELECT count(*) FROM t JOIN t AS u ON u.id <> t.id GROUP BY t.id",
        )
        never = await found(asker, *(f"{query} AND x < 2" for query in queries))
    for one, size in ((told, 1), (grouped, 2)):
        assert one.instance is not None
        assert one.instance.size == size
        assert all(answer.rows for answer in one.instance.answers)
    assert never.instance is None or not any(answer.rows for answer in never.instance.answers)
