"""`python -m askwire.bench.train_embedded.disguise --dsn TRAIN_DSN --to DSN`: schemas under shorter names.

Owns: copies of training schemas whose names are cut short as open data's are, some in capitals, most without
a key. Gold SQL keeps its answer on the schema as it was; proposals are made and run on the copy, so that
links are as weak there as in the wild. Deterministic: what is cut, and how, comes from a hash of the schema's
and the word's name.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from typing import Final

import psycopg
from psycopg import sql

from askwire.bench.progress import Progress
from askwire.bench.splits import part_of

MAX_SCHEMA_ROWS: Final = 20_000
"""Schemas with more rows are left out: copies should take seconds."""
COPIED_ONE_IN: Final = 3
"""One schema in so many is copied, or asked about in other words."""
_VOWELS: Final = frozenset("aeiou")


def chosen(schema: str) -> bool:
    """Whether a training schema is one of those that are copied."""
    return part_of(schema) == "tuning" and _hash("copy", schema) % COPIED_ONE_IN == 0


def cut(schema: str, word: str) -> str:
    """A word as a schema's names have it: whole, without its vowels, or its first letters.

    The same word is cut the same way all over a schema: `department` → `dprtmnt`, `dept`, `dep`.
    """
    way = _hash(schema, word) % 10
    if len(word) < 4 or way < 3:
        return word
    if way < 7:
        bare = word[0] + "".join(c for c in word[1:] if c not in _VOWELS)
        return bare if 2 < len(bare) < len(word) else word[:4]
    return word[: 3 + _hash(word, schema) % 2]


def disguised(schema: str, name: str) -> str:
    """A table's or column's name cut short, in capitals in one schema of three."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name) or [name]
    found = "_".join(cut(schema, word.lower()) for word in words)
    return found.upper() if _hash("case", schema) % 3 == 0 else found


def _hash(*parts: str) -> int:
    return int(hashlib.sha1(" ".join(parts).encode(), usedforsecurity=False).hexdigest()[:12], 16)


_COLUMNS: Final = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum
"""
_KEYS: Final = """
SELECT c.relname, array_agg(a.attname ORDER BY u.n)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
CROSS JOIN unnest(k.conkey) WITH ORDINALITY u(attnum, n)
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.attnum
WHERE k.connamespace = %s::regnamespace AND k.contype = 'p' GROUP BY k.oid, c.relname ORDER BY c.relname
"""


def _unique(names: list[str]) -> list[str]:
    """The names with a number behind what stood before: two words may be cut to one."""
    found: list[str] = []
    for name in names:
        known = sum(name == n or (n.startswith(f"{name}_") and n[len(name) + 1 :].isdigit()) for n in found)
        found.append(f"{name}_{known + 1}" if name in found else name)
    return found


def copy(source: psycopg.Connection, target: psycopg.Connection, schema: str) -> bool:
    """Copy one schema under shorter names; False for one that is too large."""
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in source.execute(_COLUMNS, [schema]):
        tables.setdefault(table, []).append((column, kind))
    place = {table: sql.Identifier(schema, table) for table in tables}
    rows = 0
    for table in tables:
        counted = source.execute(sql.SQL("SELECT count(*) FROM {}").format(place[table])).fetchone()
        rows += counted[0] if counted else 0
    if not tables or rows > MAX_SCHEMA_ROWS:
        return False
    keys: dict[str, list[str]] = (
        dict(source.execute(_KEYS, [schema]).fetchall()) if _hash("keys", schema) % 3 == 0 else {}
    )
    target.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))
    target.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    for table, name in zip(tables, _unique([disguised(schema, t) for t in tables]), strict=True):
        columns = tables[table]
        shorter = _unique([disguised(schema, c) for c, _ in columns])
        cells = [
            sql.SQL("{} {}").format(sql.Identifier(n), sql.SQL(kind))
            for n, (_, kind) in zip(shorter, columns, strict=True)
        ]
        if table in keys:
            renamed = dict(zip((c for c, _ in columns), shorter, strict=True))
            kept = sql.SQL(", ").join([sql.Identifier(renamed[c]) for c in keys[table]])
            cells.append(sql.SQL("PRIMARY KEY ({})").format(kept))
        there = sql.Identifier(schema, name)
        target.execute(sql.SQL("CREATE TABLE {} ({})").format(there, sql.SQL(", ").join(cells)))
        with (
            source.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(place[table])) as out,
            target.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(there)) as into,
        ):
            for block in out:
                into.write(block)
        target.execute(sql.SQL("ANALYZE {}").format(there))
    return True


def copied(dsn: str) -> frozenset[str]:
    """The schemas that are copied at a database."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return frozenset(schema for schema in _schemas(connection) if chosen(schema))


def _schemas(connection: psycopg.Connection) -> list[str]:
    told = connection.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)' ORDER BY nspname"
    )
    return [name for (name,) in told]


def main() -> int:
    """Copy the chosen schemas; those of the same names at the target are replaced."""
    parser = argparse.ArgumentParser(prog="disguise", description="Copy schemas under shorter names.")
    parser.add_argument("--dsn", required=True, help="the PostgreSQL database with the training schemas")
    parser.add_argument("--to", required=True, help="an existing database for the copies")
    options = parser.parse_args()
    with (
        psycopg.connect(options.dsn, autocommit=True) as source,
        psycopg.connect(options.to, autocommit=True) as target,
    ):
        schemas = [name for name in _schemas(source) if chosen(name)]
        with Progress("copying", len(schemas)) as bar:
            for schema in schemas:
                copy(source, target, schema)
                bar.step()
    return 0


if __name__ == "__main__":
    sys.exit(main())
