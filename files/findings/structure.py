"""From the tables of a schema to what is found in them.

Owns: the order of the looks, and what they may cost.
"""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Final

from askwire.files.findings.columns import column_findings
from askwire.files.findings.keys import primary_key, unique_columns
from askwire.files.findings.model import Evidence, Finding, Findings, Grade, Kind
from askwire.files.findings.references import references
from askwire.files.findings.statistics import Budget, Connection, Reader, Table, read_tables

SECONDS_PER_TABLE: Final = 20.0
MAX_TABLE_PAIRS: Final = 5_000


def find_structure(
    connection: Connection,
    schema: str,
    *,
    seconds_per_table: float = SECONDS_PER_TABLE,
    most_pairs: int = MAX_TABLE_PAIRS,
) -> Findings:
    """Keys, references, enumerations, units, and columns without information, in the tables of a schema.

    ANALYZE runs on each table first, so its owner has to look. Nothing else is changed. At most
    `seconds_per_table` are spent on each table and `most_pairs` pairs of columns are compared;
    `Findings.limits` says which limit was reached. Constraints that are there are findings, too.

    Raises psycopg.Error when the connection is lost or the catalog cannot be read.
    """
    began = time.monotonic()
    budget = Budget(seconds_per_table, most_pairs)
    reader = Reader(connection, budget)
    tables = read_tables(connection, schema, reader)
    unique = {table.name: unique_columns(table, reader) for table in tables}
    referring = references(tables, unique, reader)
    refers: dict[str, dict[str, float]] = defaultdict(dict)
    referred: dict[str, set[str]] = defaultdict(set)
    for one in referring:
        if one.target is not None:
            for column in one.columns:
                refers[one.table][column] = 1.0 if one.declared else one.evidence.name
            if len(one.target.columns) == 1 and one.grade is Grade.CERTAIN:
                referred[one.target.table].add(one.target.columns[0])
    found: list[Finding] = []
    for table in tables:
        key = primary_key(table, unique[table.name], refers[table.name], referred[table.name], reader)
        keys = {key} if key else set()
        found += keys
        found += _unique_keys(table, key, referred[table.name])
        involved = {c for k in keys for c in k.columns} | refers[table.name].keys() | referred[table.name]
        found += column_findings(table, involved)
    found += referring
    return Findings(schema, tuple(found), tuple(budget.limits), time.monotonic() - began)


def _unique_keys(table: Table, key: Finding | None, referred: set[str]) -> list[Finding]:
    """Keys beside the primary one that a certain foreign key refers to, and those that are declared."""
    certain = key is not None and key.grade is Grade.CERTAIN
    primary = key.columns if key is not None and certain else ()
    given = set(table.unique_keys)
    wanted = given | {(name,) for name in referred if (name,) != primary}
    evidence = Evidence(table.rows, distinct=table.rows)
    return [
        Finding(Kind.UNIQUE_KEY, Grade.CERTAIN, table.name, columns, evidence, declared=columns in given)
        for columns in sorted(wanted)
    ]
