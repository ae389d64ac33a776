"""Findings → constraints, comments, and a table that says why.

Owns: the statements that change a schema.

All of it happens in one transaction. A constraint that PostgreSQL refuses costs nothing but itself: its
finding says so, as a comment does of a likely one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import psycopg
from psycopg.rows import tuple_row

from askwire.files.findings.model import DECLARED, Finding, Findings, Grade, Kind
from askwire.files.findings.statistics import Connection
from askwire.sql.literals import quote_identifier, quote_literal
from askwire.sql.remarks import refers_to, remark, with_remarks, without_remarks

SCHEMA: Final = "askwire_files"
TABLE: Final = "findings"
"""Where the findings of all loaded schemas can be read: `askwire_files.findings`."""

_ORDER: Final = (Kind.PRIMARY_KEY, Kind.UNIQUE_KEY, Kind.FOREIGN_KEY)
_CREATE_TABLE: Final = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE IF NOT EXISTS {SCHEMA}.{TABLE} (
  schema_name text NOT NULL, table_name text NOT NULL, column_names text[] NOT NULL,
  kind text NOT NULL, grade text NOT NULL, declared boolean NOT NULL,
  target_table text, target_columns text[], what text, why text NOT NULL,
  rows_checked bigint NOT NULL, share double precision NOT NULL, name_fit double precision NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now());
COMMENT ON TABLE {SCHEMA}.{TABLE} IS 'What was found in the data of loaded tables, and why';
"""
_INSERT: Final = f"""
INSERT INTO {SCHEMA}.{TABLE} (schema_name, table_name, column_names, kind, grade, declared, target_table,
  target_columns, what, why, rows_checked, share, name_fit)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_COMMENTS: Final = """
SELECT c.relname, '', pg_catalog.obj_description(c.oid, 'pg_class')
FROM pg_catalog.pg_class c
WHERE c.relnamespace = %(schema)s::pg_catalog.text::pg_catalog.regnamespace AND c.relkind IN ('r', 'p')
UNION ALL
SELECT c.relname, a.attname, pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = %(schema)s::pg_catalog.text::pg_catalog.regnamespace AND c.relkind IN ('r', 'p')
  AND a.attnum > 0 AND NOT a.attisdropped
"""


def declare(connection: Connection, findings: Findings) -> Findings:
    """Write findings into the schema they are about; returns them with what became of each.

    Certain keys and references become constraints, validated at once; the rest becomes remarks behind the
    comments of tables and columns. `askwire_files.findings` then holds all of them, and ANALYZE has run.
    Called again with the same findings, it changes nothing. A constraint that fails becomes a likely finding
    whose `trouble` says why.

    Raises psycopg.Error when the tables are no longer there, or are somebody else's.
    """
    with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        found = _constrained(connection, cursor, findings)
        _comment(cursor, findings.schema, found)
        _record(cursor, findings.schema, found)
        for table in sorted({f.table for f in found}):
            cursor.execute(f"ANALYZE {_table(findings.schema, table)}".encode())
    return replace(findings, found=tuple(found))


def _table(schema: str, table: str) -> str:
    return f"{quote_identifier(schema)}.{quote_identifier(table)}"


Cursor = psycopg.Cursor[tuple[Any, ...]]


def _constrained(connection: Connection, cursor: Cursor, findings: Findings) -> list[Finding]:
    """The findings, each certain key and reference declared or with its trouble."""
    done: dict[int, Finding] = {}
    ordered = sorted(
        (f for f in findings.found if f.kind in DECLARED and f.grade is Grade.CERTAIN and not f.declared),
        key=lambda f: _ORDER.index(f.kind),
    )
    for one in ordered:
        try:
            with connection.transaction():
                if not _is_there(cursor, findings.schema, one):
                    cursor.execute(_constraint(findings.schema, one).encode())
        except psycopg.Error as error:
            if connection.closed:
                raise
            said = error.diag.message_primary or str(error)
            done[id(one)] = replace(one, grade=Grade.LIKELY, trouble=said)
        else:
            done[id(one)] = replace(one, declared=True)
    return [done.get(id(f), f) for f in findings.found]


def _constraint(schema: str, one: Finding) -> str:
    columns = ", ".join(map(quote_identifier, one.columns))
    begin = f"ALTER TABLE {_table(schema, one.table)} ADD"
    if one.kind is Kind.FOREIGN_KEY and one.target is not None:
        theirs = ", ".join(map(quote_identifier, one.target.columns))
        return f"{begin} FOREIGN KEY ({columns}) REFERENCES {_table(schema, one.target.table)} ({theirs})"
    return f"{begin} {'PRIMARY KEY' if one.kind is Kind.PRIMARY_KEY else 'UNIQUE'} ({columns})"


_FIND_CONSTRAINT: Final = """
SELECT 1 FROM pg_catalog.pg_constraint k
WHERE k.conrelid = %s::pg_catalog.text::pg_catalog.regclass AND k.contype = %s
  AND ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY u (n, at)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.at) = %s
  AND (%s::pg_catalog.text IS NULL OR k.confrelid = %s::pg_catalog.text::pg_catalog.regclass)
"""
_CONTYPES: Final = {Kind.PRIMARY_KEY: "p", Kind.UNIQUE_KEY: "u", Kind.FOREIGN_KEY: "f"}


def _is_there(cursor: Cursor, schema: str, one: Finding) -> bool:
    target = _table(schema, one.target.table) if one.target else None
    cursor.execute(
        _FIND_CONSTRAINT, (_table(schema, one.table), _CONTYPES[one.kind], list(one.columns), target, target)
    )
    return cursor.fetchone() is not None


def _comment(cursor: Cursor, schema: str, found: Sequence[Finding]) -> None:
    """Write the remarks behind the comments, and take out those that no longer hold."""
    remarks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in found:
        place, text = _remark(one)
        if text and text not in remarks[place]:
            remarks[place].append(text)
    tables = {f.table for f in found}
    cursor.execute(_COMMENTS, {"schema": quote_identifier(schema)})
    for table, column, comment in cursor.fetchall():
        wanted = with_remarks(comment or "", remarks.get((table, column), ()))
        if table not in tables or wanted == (comment or ""):
            continue
        if not remarks.get((table, column)) and comment == without_remarks(comment):
            continue
        what = f"COLUMN {_table(schema, table)}.{quote_identifier(column)}" if column else ""
        what = what or f"TABLE {_table(schema, table)}"
        written = quote_literal(wanted) if wanted else "NULL"
        cursor.execute(f"COMMENT ON {what} IS {written}".encode())


def _remark(one: Finding) -> tuple[tuple[str, str], str]:
    """Where a finding is written down, and how; '' for what the catalog says already."""
    column = one.columns[0] if len(one.columns) == 1 else ""
    place = (one.table, column)
    if one.declared:
        return place, ""
    if one.kind is Kind.FOREIGN_KEY and one.target is not None and column:
        return place, refers_to(one.target.table, one.target.columns[0])
    if one.kind in {Kind.PRIMARY_KEY, Kind.UNIQUE_KEY}:
        columns = ", ".join(map(quote_identifier, one.columns))
        return (one.table, ""), f"rows told apart by {remark(columns)}"
    told = {
        Kind.VALUES: f"values {one.text}",
        Kind.UNIT: f"in {one.text}",
        Kind.EMPTY: "no values",
        Kind.CONSTANT: f"always {one.text}",
    }
    return place, remark(told.get(one.kind, ""))


def _record(cursor: Cursor, schema: str, found: Iterable[Finding]) -> None:
    """Let `askwire_files.findings` hold these findings of the schema, and no older ones."""
    cursor.execute("SELECT pg_catalog.to_regclass(%s)", (f"{SCHEMA}.{TABLE}",))
    if cursor.fetchone() == (None,):
        cursor.execute(_CREATE_TABLE)
    cursor.execute(f"DELETE FROM {SCHEMA}.{TABLE} WHERE schema_name = %s".encode(), (schema,))
    cursor.executemany(
        _INSERT,
        [
            (
                *(schema, f.table, list(f.columns), f.kind.value, f.grade.value, f.declared),
                *((f.target.table, list(f.target.columns)) if f.target else (None, None)),
                *(f.text or None, f.why, f.evidence.rows, f.evidence.share, f.evidence.name),
            )
            for f in found
        ],
    )
