"""What the gate refuses, what it lets pass, and what that leaves behind.

Three questions to one policy, the default one. Of a corpus of hostile statements: does any pass, as it is or
disguised? Of gold queries: is any refused, as it is or disguised? Of all that passes: does the database stay
as it was, although it runs in read-write transactions that are committed, where the gate alone protects?
Owns: asking and counting.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
from psycopg import sql

from askwire.bench.connection import DirectExecutor, connected, read_catalog
from askwire.bench.progress import Progress
from askwire.bench.question_files import Gold
from askwire.bench.security.disguises import disguised
from askwire.core.errors import RefusedByGate
from askwire.sql.catalog import Catalog
from askwire.sql.safety import Policy, check

TIMEOUT_MS: Final = 2000
ROWS: Final = 1000
SCRATCH: Final = "askwire_security"


@dataclass
class Tally:
    """What was seen; `passed`, `refused`, `changed` and `wrote` list what should not have been."""

    hostile: Counter[str] = field(default_factory=Counter)
    hostile_disguised: Counter[str] = field(default_factory=Counter)
    benign: int = 0
    benign_disguised: Counter[str] = field(default_factory=Counter)
    passed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    executed: int = 0
    failed: int = 0
    databases: int = 0
    changed: list[str] = field(default_factory=list)
    wrote: list[str] = field(default_factory=list)
    gate_ms: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "hostile": sum(self.hostile.values()),
            "hostile_by_class": dict(sorted(self.hostile.items())),
            "hostile_disguised": sum(self.hostile_disguised.values()),
            "hostile_passed": len(self.passed),
            "benign": self.benign,
            "benign_disguised": sum(self.benign_disguised.values()),
            "disguises": dict(sorted((self.hostile_disguised + self.benign_disguised).items())),
            "benign_refused": len(self.refused),
            "executed_read_write": self.executed,
            "of_them_failed": self.failed,
            "that_wrote": len(self.wrote),
            "databases": self.databases,
            "databases_changed": self.changed,
            "gate_ms_p50": round(statistics.median(self.gate_ms), 3) if self.gate_ms else None,
            "gate_ms_p99": round(statistics.quantiles(self.gate_ms, n=100)[98], 3)
            if len(self.gate_ms) > 100
            else None,
            "wrong": [*self.passed, *self.refused, *self.wrote][:20],
        }


def read_corpus(folder: Path) -> list[tuple[str, str]]:
    """(class, statement) of every .sql file: one per line below the heading, continued on indented lines."""
    found: list[tuple[str, str]] = []
    for path in sorted(folder.glob("*.sql")):
        for line in path.read_text("utf-8").splitlines()[1:]:
            if line.startswith("  ") and found:
                found[-1] = (path.stem, f"{found[-1][1]}\n{line}")
            elif line:
                found.append((path.stem, line))
    return found


def run(
    dsn: str, golds: Sequence[Gold], corpus: Path | None, *, disguises: int, seed: int = 1
) -> dict[str, Any]:
    """Ask all of it; figures. The corpus meets the tables of the shop.sql beside it in a scratch database."""
    tally, random = Tally(), Random(seed)  # noqa: S311 - the same disguises every time
    if corpus is not None:
        with _scratch(dsn, (corpus.parent / "shop.sql").read_text("utf-8")) as scratch:
            _hostile(scratch, read_corpus(corpus), tally, random, disguises)
    by_schema: dict[str, list[str]] = {}
    for gold in golds:
        by_schema.setdefault(gold.db_id, []).extend(gold.golds)
    with Progress("security", len(by_schema)) as progress:
        for schema, statements in by_schema.items():
            _benign(dsn, schema, statements, tally, random, disguises)
            progress.step()
    return tally.figures()


class _scratch:  # noqa: N801 - reads as the function it is
    """A database of its own, gone afterwards."""

    def __init__(self, dsn: str, script: str) -> None:
        self._dsn, self._script = dsn, script

    def __enter__(self) -> str:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(SCRATCH)))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(SCRATCH)))
        dsn = psycopg.conninfo.make_conninfo(self._dsn, dbname=SCRATCH)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(self._script.encode())
        return dsn

    def __exit__(self, *_: object) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(SCRATCH)))


def _hostile(
    dsn: str, corpus: Sequence[tuple[str, str]], tally: Tally, random: Random, disguises: int
) -> None:
    catalog = asyncio.run(_catalog(dsn, "public"))
    passing: list[str] = []
    before = state(dsn, "public")
    for kind, text in corpus:
        tally.hostile[kind] += 1
        passing += _passing(text, catalog, tally)
        for _ in range(disguises):
            name, other = disguised(text, random, hostile=True)
            tally.hostile_disguised[name] += 1
            passing += _passing(other, catalog, tally)
    tally.passed += passing
    execute(dsn, "public", passing, tally)
    tally.databases += 1
    if state(dsn, "public") != before:
        tally.changed.append(SCRATCH)


def _benign(
    dsn: str, schema: str, statements: Sequence[str], tally: Tally, random: Random, disguises: int
) -> None:
    catalog = asyncio.run(_catalog(dsn, schema))
    before = state(dsn, schema)
    passing: list[str] = []
    for text in statements:
        tally.benign += 1
        for name, written in _variants(text, random, disguises):
            if name:
                tally.benign_disguised[name] += 1
            found = _passing(written, catalog, tally)
            passing += found
            if not found:
                tally.refused.append(written)
    execute(dsn, schema, passing, tally)
    tally.databases += 1
    if state(dsn, schema) != before:
        tally.changed.append(schema)


def _variants(text: str, random: Random, disguises: int) -> Iterator[tuple[str, str]]:
    yield "", text
    for _ in range(disguises):
        yield disguised(text, random, hostile=False)


def _passing(text: str, catalog: Catalog, tally: Tally) -> list[str]:
    """What may run of a statement: nothing where it is refused."""
    began = time.process_time()
    try:
        return [check(text, catalog, Policy()).sql]
    except RefusedByGate:
        return []
    finally:
        tally.gate_ms.append((time.process_time() - began) * 1000)


async def _catalog(dsn: str, schema: str) -> Catalog:
    async with connected(dsn, schema) as connection:
        return await read_catalog(DirectExecutor(connection))


def execute(dsn: str, schema: str, statements: Sequence[str], tally: Tally) -> None:
    """Run statements read-write, each in a transaction of its own that is committed.

    A transaction that was given an identifier of its own has written something, be it in what belongs to the
    whole server: roles, other databases' settings. What somebody else does meanwhile does not count.
    """
    options = f"-c statement_timeout={TIMEOUT_MS} -c client_min_messages=error"
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=None, options=options) as connection:
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
        for text in statements:
            tally.executed += 1
            try:
                with connection.transaction():
                    with connection.cursor(name="passed") as cursor:
                        cursor.execute(text.encode())
                        cursor.fetchmany(ROWS)
                    written = connection.execute(_WRITTEN).fetchone()
            except psycopg.Error:
                tally.failed += 1
                continue
            if written != (None,):
                tally.wrote.append(text)


_WRITTEN: Final = "SELECT pg_catalog.pg_current_xact_id_if_assigned()"
_TABLES: Final = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'm') ORDER BY 1
"""
_WRITES: Final = """
SELECT coalesce(sum(n_tup_ins), 0), coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_del), 0)
FROM pg_stat_all_tables WHERE schemaname = %s
"""
_STATE_BESIDE_ROWS: Final = """
SELECT (SELECT md5(coalesce(string_agg(concat_ws(':', sequencename, last_value), ',' ORDER BY 1), ''))
        FROM pg_sequences WHERE schemaname = %(schema)s),
    (SELECT concat_ws(':', count(*), max(oid)) FROM pg_largeobject_metadata),
    (SELECT concat_ws(':', count(*), md5(string_agg(relname || relkind::text, ',' ORDER BY oid)))
        FROM pg_class WHERE relnamespace = %(schema)s::regnamespace),
    (SELECT concat_ws(':', count(*), max(oid)) FROM pg_proc),
    (SELECT concat_ws(':', count(*), max(oid)) FROM pg_type),
    (SELECT concat_ws(':', count(*), max(setting)) FROM pg_db_role_setting s, unnest(s.setconfig) setting
        WHERE s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())),
    (SELECT count(*) FROM pg_replication_slots WHERE database = current_database()),
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
    (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database())
"""


def state(dsn: str, schema: str) -> str:
    """What must not change of a database: rows, sequences, objects, settings, counters of writes."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        tables = [row[0] for row in connection.execute(_TABLES, (sql.Identifier(schema).as_string(),))]
        sums = []
        for table in tables:
            query = sql.SQL("SELECT count(*), sum(hashtextextended(t::text, 0)) FROM {} t").format(
                sql.Identifier(schema, table)
            )
            sums.append([str(cell) for cell in connection.execute(query).fetchone() or ()])
        writes = connection.execute(_WRITES, (schema,)).fetchone()
        rest = connection.execute(_STATE_BESIDE_ROWS, {"schema": schema}).fetchone()
    return json.dumps([tables, sums, [str(n) for n in writes or ()], [str(cell) for cell in rest or ()]])
