"""Any schema, data and two queries: an instance separates, is part of the data, and 1-minimal if it says so.

The queries are judged again, on fresh tables that hold the instance's rows and nothing else.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import psycopg
import pytest
from doubles.tracing_session import session
from servers.databases import ANALYZED, Database

from askwire.core.types import Row
from askwire.selector.instances import Instance, Outcome, separate

PAIRS_PER_SCHEMA = 12
COLUMNS = ("k", "x", "y", "s")


def make_schema(dice: random.Random) -> str:
    """Two or three tables of a few rows, some without a key, with NULLs and duplicates."""
    parts = []
    for t in range(dice.randint(2, 3)):
        keyed = dice.random() < 0.7
        key = " PRIMARY KEY" if keyed else ""
        parts.append(f"CREATE TABLE t{t} (k int{key}, x int, y numeric, s text)")
        for i in range(dice.randint(0, 9)):
            values = [
                str(i + 1) if keyed else str(dice.randint(1, 4)),
                "NULL" if dice.random() < 0.15 else str(dice.randint(1, 5)),
                "NULL" if dice.random() < 0.15 else str(dice.randint(1, 4) / 2),
                "NULL" if dice.random() < 0.15 else f"'{dice.choice('abc')}'",
            ]
            parts.append(f"INSERT INTO t{t} VALUES ({', '.join(values)})")
    return "; ".join([*parts, ANALYZED])


def make_declared_schema(dice: random.Random) -> str:
    """Two or three tables with keys, foreign keys from each to the first, and a CHECK."""
    count = dice.randint(2, 6)
    null = [" NOT NULL" if dice.random() < 0.5 else "" for _ in range(3)]
    parts = ["CREATE TABLE t0 (k int PRIMARY KEY, x int, y numeric CHECK (y < 2.5), s text)"]
    parts += [f"INSERT INTO t0 VALUES ({k}, {dice.randint(1, 5)}, {k / 4}, 'a')" for k in range(1, count + 1)]
    for t in range(1, dice.randint(2, 3)):
        parts.append(
            f"CREATE TABLE t{t} (k int PRIMARY KEY, x int{null[t]} REFERENCES t0, y numeric CHECK (y < 2.5),"
            " s text CHECK (s <> 'b'))"
        )
        for k in range(1, dice.randint(1, 9)):
            x = "NULL" if not null[t] and dice.random() < 0.3 else dice.randint(1, count)
            parts.append(
                f"INSERT INTO t{t} VALUES ({k}, {x}, {dice.randint(1, 4) / 2}, '{dice.choice('ac')}')"
            )
    return "; ".join([*parts, ANALYZED])


def refers(instance: Instance, row: tuple[int, Row], other: tuple[int, Row]) -> bool:
    """Whether a row's `x` is the key of another by the foreign keys of `make_declared_schema`."""
    names = instance.tables[row[0]].name, instance.tables[other[0]].name
    return names[0] != "t0" and names[1] == "t0" and row[1][1] == other[1][0]


def make_query(dice: random.Random, tables: int, width: int) -> str:
    """A query over one or two tables: joins, sublinks, grouping, set operations, windows, LIMIT, WITH."""
    if dice.random() < 0.12:
        kind = dice.choice(["UNION", "INTERSECT", "EXCEPT"]) + dice.choice(["", " ALL"])
        arms = [
            f"SELECT {', '.join(f'a.{c}' for c in dice.sample('kx', width))}"
            f" FROM t{dice.randrange(tables)} AS a"
            f" WHERE a.x {dice.choice('<>')} {dice.randint(1, 5)}"
            for _ in range(2)
        ]
        return f"{arms[0]} {kind} {arms[1]}"
    a = f"t{dice.randrange(tables)}"
    b = f"t{dice.randrange(tables)}"
    joined = dice.random() < 0.4
    source = f"{a} AS a"
    lead = ""
    if dice.random() < 0.15:
        source = f"(SELECT * FROM {a} WHERE x > {dice.randint(1, 3)}) AS a"
    elif dice.random() < 0.1:
        lead = f"WITH q AS (SELECT k, max(x) AS x, min(y) AS y, s FROM {a} GROUP BY k, s) "
        source = "q AS a"
    if joined:
        join = dice.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        source += f" {join} {b} AS b ON a.{dice.choice('kx')} = b.{dice.choice('kx')}"
    conditions = []
    for _ in range(dice.randint(0, 2)):
        column = dice.choice(["a.x", "a.k", "b.x" if joined else "a.y"])
        conditions.append(
            dice.choice(
                [
                    f"{column} {dice.choice(['<', '<=', '=', '<>', '>=', '>'])} {dice.randint(1, 4)}",
                    f"a.s {dice.choice(['=', '<>'])} '{dice.choice('abc')}'",
                    f"{column} IS {dice.choice(['', 'NOT '])}NULL",
                    f"a.x {dice.choice(['', 'NOT '])}IN (SELECT c.x FROM {b} AS c WHERE c.s = 'a')",
                    f"{dice.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {b} AS c WHERE c.k = a.k)",
                    f"a.x {dice.choice('>=')} (SELECT {dice.choice(['max', 'avg'])}(c.x) FROM {b} AS c)",
                    f"a.y {dice.choice(['<', '>='])} (SELECT min(c.y) FROM {b} AS c WHERE c.k = a.k)",
                    f"coalesce({column}, {dice.randint(0, 2)}) > {dice.randint(0, 2)}",
                    f"a.x >= ALL (SELECT c.x FROM {b} AS c WHERE c.s = a.s)",
                ]
            )
        )
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    if dice.random() < 0.3:
        group = dice.choice(["a.s", "a.x"])
        call = dice.choice(["count(*)", "sum(a.x)", "max(a.k)", "count(DISTINCT a.x)", "avg(a.y)"])
        having = f" HAVING count(*) > {dice.randint(1, 2)}" if dice.random() < 0.3 else ""
        targets = [group, call][:width] if width < 3 else [group, call, "count(a.k)"]
        if dice.random() < 0.15:
            group, having = f"ROLLUP ({group})", ""
        query = f"{lead}SELECT {', '.join(targets)} FROM {source}{where} GROUP BY {group}{having}"
        return query + (f" ORDER BY {call} DESC, 1 LIMIT 1" if dice.random() < 0.3 else "")
    if dice.random() < 0.15:
        calls = dice.sample(
            ["count(*)", "sum(a.x)", "max(a.s)", "count(a.y)", "count(*) FILTER (WHERE a.x > 2)"], width
        )
        return f"{lead}SELECT {', '.join(calls)} FROM {source}{where}"
    columns = [f"a.{c}" for c in dice.sample(COLUMNS, width)]
    if dice.random() < 0.12:
        columns[0] = dice.choice(
            [
                "rank() OVER (PARTITION BY a.s ORDER BY a.x)",
                "dense_rank() OVER (ORDER BY a.y NULLS FIRST)",
                "sum(a.x) OVER (PARTITION BY a.s)",
                "count(*) OVER ()",
            ]
        )
    distinct = "DISTINCT " if dice.random() < 0.25 else ""
    query = f"{lead}SELECT {distinct}{', '.join(columns)} FROM {source}{where}"
    if dice.random() < 0.25:
        nulls = dice.choice(["", " NULLS FIRST", " NULLS LAST"])
        query += f" ORDER BY {dice.randint(1, width)}{dice.choice(['', ' DESC'])}{nulls}"
        query += f" LIMIT {dice.randint(1, 3)}" if dice.random() < 0.6 else ""
    return query


Answer = list[tuple[object, ...]] | None


class Bench:
    """Fresh tables in front of the real ones, filled with chosen rows."""

    def __init__(self, dsn: str) -> None:
        self.conn = psycopg.connect(dsn, autocommit=True)
        self.conn.execute("CREATE SCHEMA bench")

    def answers(
        self, instance: Instance, rows: Sequence[tuple[int, Row]], queries: Sequence[str]
    ) -> list[Answer]:
        """What each query answers when the tables hold these rows, in this order."""
        self.conn.execute("SET search_path TO bench")
        for number, table in enumerate(instance.tables):
            self.conn.execute(f"DROP TABLE IF EXISTS {table.name}".encode())
            kept = "INCLUDING INDEXES INCLUDING CONSTRAINTS"
            like = f"CREATE TABLE {table.name} (LIKE {table.schema}.{table.name} {kept})"
            self.conn.execute(like.encode())
            marks = ", ".join(["%s"] * len(table.columns))
            for at, cells in rows:
                if at == number:
                    self.conn.execute(f"INSERT INTO {table.name} VALUES ({marks})".encode(), cells)
        found: list[Answer] = []
        for query in queries:
            try:
                found.append(
                    [tuple(map(normal, row)) for row in self.conn.execute(query.encode()).fetchall()]
                )
            except psycopg.errors.CardinalityViolation:
                found.append(None)
        return found


def normal(value: object) -> object:
    return value if value is None or isinstance(value, str) else round(float(str(value)), 4)


def comparable(answer: Answer, *, ordered: bool) -> object:
    if answer is None:
        return None
    return tuple(answer) if ordered else frozenset(Counter(answer).items())


def separates(bench: Bench, instance: Instance, rows: list[tuple[int, Row]], queries: Sequence[str]) -> bool:
    """Whether the answers differ in any row order: in content, or in order where both ask for one."""
    orders = list(permutations(rows)) if len(rows) <= 4 else [rows, rows[::-1]]
    seen = [bench.answers(instance, order, queries) for order in orders]
    ordered = all(" ORDER BY " in q.rpartition(" FROM ")[2] for q in queries)
    for by_order in (False, True) if ordered else (False,):
        first, second = ({comparable(s[i], ordered=by_order) for s in seen} for i in (0, 1))
        if None not in first | second and first.isdisjoint(second):
            return True
    return False


@pytest.mark.parametrize(("seed", "declared"), [(n, False) for n in range(8)] + [(n, True) for n in range(6)])
async def test_instances_hold(database: Database, seed: int, declared: bool) -> None:
    dice = random.Random(seed)
    with psycopg.connect(database.dsn(), autocommit=True) as conn:
        conn.execute((make_declared_schema(dice) if declared else make_schema(dice)).encode())
        data = {
            f"t{t}": Counter(
                tuple(None if v is None else str(v) for v in row)
                for row in conn.execute(f"SELECT * FROM t{t}".encode())
            )
            for t in range(3)
            if conn.execute("SELECT to_regclass(%s)", [f"t{t}"]).fetchone() != (None,)
        }
    bench = Bench(database.dsn())
    outcomes: Counter[Outcome] = Counter()
    claims: Counter[bool] = Counter()
    async with session(database.dsn()) as asker:
        for _ in range(PAIRS_PER_SCHEMA):
            width = dice.randint(1, 2)
            first, second = (make_query(dice, len(data), width) for _ in range(2))
            queries = [first, second]
            found = await separate(first, second, asker.catalog, asker.executor)
            outcomes[found.outcome] += 1
            assert "rewritten form" not in found.reason, (queries, found.reason)
            instance = found.instance or found.witness
            if instance is None:
                continue
            rows = [(i, row.cells) for i, t in enumerate(instance.tables) for row in t.rows]
            if found.instance:
                for table in instance.tables:
                    part = Counter(row.cells for row in table.rows)
                    assert part <= data[table.name], queries
            assert separates(bench, instance, rows, queries), (seed, queries, rows)
            if declared and any(t.name == "t0" for t in instance.tables):
                # what a row refers to and does not stand beside it changes no answer
                at = [t.name for t in instance.tables].index("t0")
                named = {
                    (at, cells) for cells in data["t0"] if any(refers(instance, r, (at, cells)) for r in rows)
                }
                if found.witness:
                    left = [r for r in rows if instance.tables[r[0]].name != "t0" and r[1][1] is not None]
                    assert all(any(refers(instance, r, other) for other in rows) for r in left), (seed, rows)
                elif not named <= set(rows):
                    beside = [*rows, *sorted(named - set(rows))]
                    told = [bench.answers(instance, given, queries) for given in (rows, beside)]
                    for alone, with_more in zip(*told, strict=True):
                        assert comparable(alone, ordered=False) == comparable(with_more, ordered=False), (
                            queries
                        )
            claims[instance.minimal] += 1
            if len(rows) > 1 and instance.minimal:
                for i, gone in enumerate(rows):
                    fewer = [
                        row
                        for n, row in enumerate(rows)
                        if n != i and not (declared and refers(instance, row, gone))
                    ]
                    assert not fewer or not separates(bench, instance, fewer, queries), (seed, queries, rows)
    bench.conn.close()
    assert outcomes[Outcome.SEPARATED]
    assert claims[True] >= (2 if declared else 9) * claims[False]
