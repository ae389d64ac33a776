"""An independent judgement of a separating instance: that it holds, in whatever order its rows stand.

Owns: temporary tables that hold an instance's rows and nothing else, both queries run on them as they are
written, and the comparison of what they answer. Shares nothing with the search: no shadow tables, no
rewriting (but for schema names in front of the instance's own tables), no result of its statements.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, permutations
from math import factorial
from typing import Any, Final

import psycopg
from pglast import ast, parse_sql
from pglast.stream import RawStream
from psycopg import sql

from askwire.bench.execution import comparable, normal
from askwire.bench.separation.foreign_keys import ForeignKeys, Place
from askwire.bench.separation.places import places
from askwire.core.types import ResultSet
from askwire.selector.instances import Instance, InstanceTable, Separation

RUNS_PER_INSTANCE: Final = 10
"""How often both queries are run on an instance: in as many orders of its rows as it has, at most."""

MAX_ROWS_FOR_ALL_RUNS: Final = 30
RUNS_OF_LARGE_INSTANCE: Final = 2
"""Runs without each row of an instance of more than `MAX_ROWS_FOR_ALL_RUNS` rows."""

_MAX_FOREIGN_KEY_STEPS: Final = 8
"""How far foreign keys are followed from row to row."""
_PLANS: Final = ("", "enable_hashagg", "enable_hashjoin", "enable_sort", "enable_nestloop")
"""What the planner must do without, one after the other: which of tied rows come first can hang on it."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found of one instance.

    `separates`: in no run did one query answer what the other did in any run. `real`: each row is in the
    database as reported (None for made-up rows). `reported`: the answers that are said to be the only ones
    were all that was seen in any run. `minimal`: with any one row taken away, and those that refer to it, the
    rest does not separate, or by columns of no rows alone where the instance shows rows (None when that
    cannot be: one row). `kept`: each row stands beside those that it
    refers to by a foreign key, if the database has any, or the answers are the same with them. `error` is
    what the server said where the queries do not run on the instance, or its rows break a CHECK constraint.
    """

    separates: bool
    real: bool | None = None
    reported: bool = True
    minimal: bool | None = None
    kept: bool = True
    error: str = ""

    @property
    def holds(self) -> bool:
        """Whether the instance is what it claims to be."""
        return self.separates and self.real is not False and self.kept


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a query answered: `form` as it is compared, `texts` as the server wrote it, rows in no order."""

    form: Hashable
    texts: Hashable


class Auditor:
    """Audits instances over one schema of one database; owns a connection."""

    def __init__(self, dsn: str, schema: str, *, timeout: float = 5.0) -> None:
        options = f"-c statement_timeout={round(timeout * 1000)} -c client_min_messages=error"
        self._connection = psycopg.connect(dsn, prepare_threshold=None, options=options)
        self._schema = schema
        self._keys = ForeignKeys(self._connection)
        self._written: dict[tuple[str | None, ...], str] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def audit(self, separation: Separation) -> Audit:
        """Judge the instance of a separation, or its witness. Raises ValueError when there is neither."""
        instance = separation.instance or separation.witness
        if instance is None:
            raise ValueError("there is no instance to judge")
        self._written.clear()
        queries = [_unqualified(q, instance) for q in separation.candidates]
        ordered = all(map(says_order, separation.candidates))
        try:
            real = None if instance.synthetic else self._is_real(instance)
            rows = _all_rows(instance)
            kept = self._keys.kept(instance, rows)
            self._make_tables(instance)
            seen = self._runs(instance, rows, queries, ordered)
            if not kept and not instance.synthetic:
                kept = self._same_beside(instance, rows, queries, ordered, seen)
            return Audit(
                separates=_apart(seen),
                real=real,
                reported=all(
                    _is_the_only(told, answers)
                    for number, (told, answers) in enumerate(zip(instance.answers, seen, strict=True))
                    if number not in instance.open_answers
                ),
                minimal=self._is_minimal(instance, queries, ordered) if len(rows) > 1 else None,
                kept=kept,
            )
        except psycopg.Error as error:
            return Audit(separates=False, error=str(error).strip().partition("\n")[0])
        finally:
            self._connection.rollback()

    def _is_real(self, instance: Instance) -> bool:
        return all(self._is_there(table, row.cells) for table, row in instance)

    def _is_there(self, table: InstanceTable, cells: Sequence[str | None]) -> bool:
        """Whether the table holds this row; the key is compared by its type, so that an index can serve."""
        conditions: list[sql.Composable] = []
        for column, cell in zip(table.columns, cells, strict=True):
            name, value = sql.Identifier(column.name), sql.Literal(cell)
            if cell is None:
                conditions.append(sql.SQL("{} IS NULL").format(name))
                continue
            if column.name in table.key_columns:
                conditions.append(sql.SQL("{} = {}").format(name, value))
            # format() writes a value as the protocol does; a cast to text writes booleans otherwise
            conditions.append(sql.SQL("format('%s', {}) = {}").format(name, value))
        found = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {})").format(
            sql.Identifier(table.schema, table.name), sql.SQL(" AND ").join(conditions)
        )
        return self._connection.execute(found).fetchone() == (True,)

    def _make_tables(self, instance: Instance) -> None:
        """Empty temporary tables in front of the real ones, with their keys: GROUP BY may rely on one."""
        make = sql.SQL("CREATE TEMPORARY TABLE {} (LIKE {} INCLUDING INDEXES INCLUDING CONSTRAINTS)")
        for table in instance.tables:
            real = sql.Identifier(table.schema, table.name)
            self._connection.execute(make.format(sql.Identifier("pg_temp", table.name), real))
        path = sql.SQL("SET LOCAL search_path TO pg_temp, {}").format(sql.Identifier(self._schema))
        self._connection.execute(path)

    def _runs(
        self,
        instance: Instance,
        rows: Sequence[Place],
        queries: Sequence[str],
        ordered: bool,
        runs: int = RUNS_PER_INSTANCE,
    ) -> list[list[_Answer]]:
        """Each query's answers on these rows, in several orders and by several plans."""
        seen: list[list[_Answer]] = [[] for _ in queries]
        done = set()
        for number, order in enumerate(islice(_orders(rows), runs)):
            without = _PLANS[number % len(_PLANS)]
            if (tuple(order), without) in done:
                continue  # the same rows in the same order by the same plan
            done.add((tuple(order), without))
            before = [f"SET LOCAL {name} TO {'off' if name == without else 'on'};" for name in _PLANS[1:]]
            self._connection.execute("".join([*before, *self._fill(instance, order)]).encode())
            for query, answers in zip(queries, seen, strict=True):
                answers.append(self._answer(query, ordered))
        return seen

    def _same_beside(
        self,
        instance: Instance,
        rows: Sequence[Place],
        queries: Sequence[str],
        ordered: bool,
        seen: Sequence[Sequence[_Answer]],
    ) -> bool:
        """Whether the answers stay what they are with all that the rows refer to beside them."""
        self._connection.execute("".join(self._fill(instance, rows)).encode())
        for _ in range(_MAX_FOREIGN_KEY_STEPS):
            self._connection.execute("".join(self._keys.added(instance)).encode())
        return all(
            self._answer(query, ordered).form in {a.form for a in answers}
            for query, answers in zip(queries, seen, strict=True)
        )

    def _fill(self, instance: Instance, rows: Sequence[Place]) -> Iterator[str]:
        """Statements that leave only these rows, in this order."""
        for number, table in enumerate(instance.tables):
            name = sql.Identifier("pg_temp", table.name).as_string(self._connection)
            yield f"DELETE FROM {name};"
            chosen = [self._literals(table.rows[row].cells) for at, row in rows if at == number]
            if chosen:
                columns = sql.SQL(", ").join(sql.Identifier(c.name) for c in table.columns)
                listed = columns.as_string(self._connection)
                yield f"INSERT INTO {name} ({listed}) VALUES {', '.join(chosen)};"

    def _literals(self, cells: Sequence[str | None]) -> str:
        """A row as it stands in VALUES; the same few rows are inserted again and again."""
        known = self._written.get(tuple(cells))
        if known is None:
            known = f"({', '.join(sql.Literal(c).as_string(self._connection) for c in cells)})"
            self._written[tuple(cells)] = known
        return known

    def _answer(self, query: str, ordered: bool) -> _Answer:
        cursor = self._connection.execute(query.encode())
        rows = [tuple(map(normal, row)) for row in cursor.fetchall()]
        width = len(cursor.description or ())
        result = cursor.pgresult
        raw = (
            tuple(result.get_value(r, c) for c in range(width)) if result else () for r in range(len(rows))
        )
        texts = Counter(tuple(None if cell is None else cell.decode() for cell in row) for row in raw)
        return _Answer((width, comparable(rows, ordered=ordered)), frozenset(texts.items()))

    def _is_minimal(self, instance: Instance, queries: Sequence[str], ordered: bool) -> bool:
        rows = _all_rows(instance)
        runs = RUNS_PER_INSTANCE if len(rows) <= MAX_ROWS_FOR_ALL_RUNS else RUNS_OF_LARGE_INSTANCE
        shows = any(answer.rows for answer in instance.answers)
        for rest in (self._keys.without(instance, rows, left_out) for left_out in rows):
            if not rest:
                continue
            seen = self._runs(instance, rest, queries, ordered, runs)
            # two answers without a row differ by their columns at most, which these rows do not show
            if _apart(seen) and not (shows and not any(answer.texts for side in seen for answer in side)):
                return False
        return True


def says_order(query: str) -> bool:
    """Whether a query says ORDER BY for its result as a whole."""
    statement: Any = parse_sql(query)[0].stmt
    return bool(statement.sortClause)


def _is_the_only(reported: ResultSet, answers: Sequence[_Answer]) -> bool:
    """Whether an answer was seen as reported, and nothing else was (but for the last digits of a sum)."""
    told = frozenset(Counter(reported.rows).items())
    return any(told == answer.texts for answer in answers) and len({a.form for a in answers}) == 1


def _apart(seen: Sequence[Sequence[_Answer]]) -> bool:
    first, second = ({answer.form for answer in answers} for answers in seen)
    return first.isdisjoint(second)


def _all_rows(instance: Instance) -> list[Place]:
    return [(t, r) for t, table in enumerate(instance.tables) for r in range(len(table.rows))]


def _orders(rows: Sequence[Place]) -> Iterator[Sequence[Place]]:
    """`RUNS_PER_INSTANCE` orders of the rows, the given and its reverse first; if fewer, all repeatedly."""
    if factorial(len(rows)) <= RUNS_PER_INSTANCE:
        yield from islice(cycle(permutations(rows)), RUNS_PER_INSTANCE)
        return
    yield rows
    yield rows[::-1]
    drawn = random.Random(len(rows))  # noqa: S311 - repeatable on purpose
    for _ in range(RUNS_PER_INSTANCE - 2):
        yield drawn.sample(rows, len(rows))


def _unqualified(query: str, instance: Instance) -> str:
    """The query without schema names in front of the instance's tables: temporary tables have none."""
    statement = parse_sql(query)[0]
    known = {(table.schema, table.name) for table in instance.tables}
    changed = False
    for place in places(statement):
        node = place.node
        if isinstance(node, ast.RangeVar) and (node.schemaname, node.relname) in known:
            node.schemaname = None
            changed = True
    return str(RawStream()(statement)) if changed else query
