"""Pairs of queries to tell apart: predictions of one question, a query and its mutants, the large schema's.

Owns: which pairs there are, in a fixed order, and what is known of each before the search: whether the
answers on the database differ, and how long both queries run.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

from askwire.bench.execution import Rows, Runner, StatementFailed, comparable
from askwire.bench.failure import BenchFailure
from askwire.bench.separation.audit import says_order
from askwire.bench.separation.mutants import Mutant, mutants
from askwire.bench.separation.mutations import CLASSES
from askwire.bench.separation.ties import may_coincide
from askwire.sql.catalog import Catalog

POOL: Final = "pool"
MUTANTS: Final = "mutants"
BIG: Final = "big"

PLANS: Final = ("", "enable_hashagg", "enable_hashjoin", "enable_sort")
"""What the planner must do without: which of several tied rows come first can hang on each."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two queries over one schema.

    `origin` is POOL, MUTANTS or BIG, `kind` the class of the difference ('' where no one knows it). `differ`:
    their answers on the database differ; None where that was not looked at. `own_ms` is how long both took.
    """

    origin: str
    kind: str
    schema: str
    first: str
    second: str
    differ: bool | None = None
    tied: bool = False
    own_ms: float | None = None

    @property
    def key(self) -> str:
        """The same for the same pair in every run."""
        told = "\0".join((self.origin, self.schema, self.first, self.second))
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a query answered on the whole database by each plan tried, and how long the first took."""

    rows: tuple[Rows, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two answers on the whole database; see `Pair`."""

    differ: bool
    tied: bool
    own_ms: float


class Answers:
    """Runs each query of one schema once by each plan; `plans` are settings of the planner to do without."""

    def __init__(self, dsn: str, schema: str, *, timeout: float = 10.0, plans: Sequence[str] = PLANS) -> None:
        self._runners = [Runner(dsn, schema, timeout=timeout, without=plan) for plan in plans]
        self._ran: dict[str, Ran | None] = {}

    def close(self) -> None:
        """Close the connections."""
        for runner in self._runners:
            runner.__exit__(None, None, None)

    def of(self, query: str) -> Ran | None:
        """The answers; None where the query fails or takes too long."""
        if query not in self._ran:
            self._ran[query] = self._run(query)
        return self._ran[query]

    def _first_rows(self, query: str) -> Rows | None:
        ran = self.of(query)
        return ran.rows[0] if ran else None

    def _run(self, query: str) -> Ran | None:
        answers: list[Rows] = []
        took = 0.0
        for runner in self._runners:
            began = time.perf_counter()
            try:
                answers.append(runner.run(query))
            except StatementFailed:
                return None
            took = took or (time.perf_counter() - began) * 1000
        return Ran(tuple(answers), took)

    def compared(self, first: str, second: str) -> PairComparison | None:
        """Whether the answers differ, and both times in milliseconds; None where one of them fails."""
        one, other = self.of(first), self.of(second)
        if one is None or other is None:
            return None
        ordered = says_order(first) and says_order(second)
        ours, theirs = ([_form(rows, ordered) for rows in ran.rows] for ran in (one, other))
        differ = ours[0] != theirs[0]
        tied = differ and (
            not set(ours).isdisjoint(theirs)
            or may_coincide(first, second, (one.rows[0], other.rows[0]), self._first_rows)
        )
        return PairComparison(differ, tied, one.milliseconds + other.milliseconds)


class OwnTimes:
    """How long queries take in the server by themselves, without sending what they find."""

    def __init__(self, dsn: str, schema: str, *, timeout: float) -> None:
        options = f"-c statement_timeout={round(timeout * 1000)} -c default_transaction_read_only=on"
        self._connection = psycopg.connect(dsn, autocommit=True, prepare_threshold=None, options=options)
        self._connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def of(self, query: str) -> float | None:
        """Milliseconds of planning and running one query; None where it fails or takes too long."""
        explained = f"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON, FORMAT JSON) {query}"
        try:
            told = self._connection.execute(explained.encode()).fetchone()
        except psycopg.Error:
            return None
        plan = told[0][0] if told else {}
        return float(plan["Planning Time"]) + float(plan["Execution Time"])

    def both(self, pair: Pair) -> float | None:
        """The milliseconds of both queries of a pair together."""
        times = [self.of(pair.first), self.of(pair.second)]
        known = [time for time in times if time is not None]
        return sum(known) if len(known) == len(times) else None


def _form(rows: Rows, ordered: bool) -> Hashable:
    return len(rows[0]) if rows else 0, comparable(rows, ordered=ordered)


@dataclass(frozen=True, slots=True)
class Question:
    """The distinct queries proposed for one question that run, gold first where it was given."""

    id: str
    schema: str
    queries: tuple[str, ...]


def _pair(origin: str, kind: str, schema: str, first: str, second: str, known: PairComparison) -> Pair:
    return Pair(origin, kind, schema, first, second, known.differ, known.tied, known.own_ms)


def read_pool(pool: Path, questions: Path | None) -> list[Question]:
    """The experts' distinct predictions by question; with a file of questions, its gold SQL as one more.

    Raises BenchFailure for a file that cannot be read.
    """
    golds: dict[str, str] = {}
    if questions is not None:
        golds = {line["id"]: line["gold_sql"] for line in pool_lines(questions)}
    found = []
    for line in pool_lines(pool):
        proposed = [e["pg"] for e in line["experts"].values() if e.get("ok") and e.get("pg")]
        gold = [golds[line["id"]]] if line["id"] in golds else []
        found.append(Question(line["id"], line["db_id"], tuple(dict.fromkeys([*gold, *proposed]))))
    return found


def pool_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSON Lines file, gzipped or not; raises BenchFailure for one that cannot be read."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        yield from (json.loads(line) for line in data.splitlines() if line.strip())
    except (OSError, ValueError, EOFError) as error:
        raise BenchFailure(f"cannot read {path}: {error}") from None


def pool_pairs(questions: Sequence[Question], answers: Answers, schema: str) -> list[Pair]:
    """Every two predictions of one question of this schema whose answers differ, each pair once."""
    found: dict[tuple[str, str], Pair] = {}
    for question in questions:
        if question.schema != schema:
            continue
        for first, second in combinations(question.queries, 2):
            compared = answers.compared(first, second)
            if compared and compared.differ and (second, first) not in found:
                found.setdefault((first, second), _pair(POOL, "", schema, first, second, compared))
    return list(found.values())


def mutant_pairs(
    questions: Sequence[Question], answers: Answers, catalog: Catalog, schema: str, count: int
) -> list[Pair]:
    """About `count` pairs of a query and a mutant that runs, every class as often as it can be had.

    The queries are the first of each question. Which mutants are taken depends on their text alone.
    """
    by_kind: dict[str, list[tuple[str, Mutant]]] = {kind: [] for kind in CLASSES}
    for query in dict.fromkeys(q.queries[0] for q in questions if q.schema == schema and q.queries):
        for mutant in mutants(query, catalog):
            by_kind[mutant.kind].append((query, mutant))
    for made in by_kind.values():
        made.sort(key=lambda pair: hashlib.sha256("\0".join((pair[0], pair[1].sql)).encode()).digest())
    found: list[Pair] = []
    while len(found) < count and any(by_kind.values()):
        for kind, made in by_kind.items():
            pair = _first_that_runs(kind, made, answers, schema)
            if pair and len(found) < count:
                found.append(pair)
    return found


def _first_that_runs(kind: str, made: list[tuple[str, Mutant]], answers: Answers, schema: str) -> Pair | None:
    while made:
        query, mutant = made.pop(0)
        compared = answers.compared(query, mutant.sql)
        if compared:
            return _pair(MUTANTS, kind, schema, query, mutant.sql, compared)
    return None
