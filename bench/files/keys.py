"""Keys found in data, held against the keys that the makers of the schemas declared.

Owns: precision and recall of primary and foreign keys by grade, over the schemas of a database whose
constraints were left out of a copy. The copy is made and measured with

    createdb COPY && pg_dump --section=pre-data --section=data DB | psql COPY
    python -m askwire.bench.files.keys --dsn DSN_OF_DB --copy DSN_OF_COPY [--misses read|unread]

What a schema declares is read from the first database only after the copy was looked through. Schemas fall
into two halves by a hash of their names; the misses of one half may be read, the other half is only counted.

Makers leave out many keys. So of a key that is found and not declared it is shown whether the declared ones
imply it (a chain of foreign keys leads to the same column), contradict it (they say something else of
the same columns, or of the same table's primary key), or are silent.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import psycopg
from psycopg import sql

from askwire.bench.progress import Progress
from askwire.files.findings import Finding, Findings, Grade, Kind, find_structure

_DECLARED: Final = """
SELECT c.relname, f.relname,
       ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY u (n, at)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.at),
       ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY u (n, at)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.at)
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
WHERE n.nspname = %s AND k.contype IN ('p', 'f')
"""
SCHEMAS: Final = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY nspname
"""
_FILLED: Final = """
SELECT relname FROM pg_catalog.pg_class
WHERE relnamespace = %s::pg_catalog.text::pg_catalog.regnamespace AND relkind = 'r' AND reltuples > 0
"""
KINDS: Final = (Kind.PRIMARY_KEY, Kind.FOREIGN_KEY)
READ: Final = "read"
UNREAD: Final = "unread"

Place = tuple[str, str]


class KeyVerdict(StrEnum):
    """What the declared keys say of one that was found."""

    DECLARED = "declared"
    IMPLIED = "implied"
    SILENT = "not declared"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Key:
    """A key: the places of its columns, and for a foreign key the places that they refer to."""

    table: str
    pairs: frozenset[tuple[Place, Place | None]]

    @classmethod
    def of(cls, table: str, columns: Sequence[str], target: str | None, theirs: Sequence[str]) -> Key:
        """A primary key, or with a `target` a foreign key."""
        mine = [(table, c) for c in columns]
        if target is None:
            return cls(table, frozenset((place, None) for place in mine))
        return cls(table, frozenset(zip(mine, ((target, c) for c in theirs), strict=True)))

    @property
    def columns(self) -> frozenset[Place]:
        """The places of its columns."""
        return frozenset(mine for mine, _ in self.pairs)

    def __str__(self) -> str:
        shown = [m[1] if t is None else f"{m[1]} -> {'.'.join(t)}" for m, t in sorted(self.pairs, key=str)]
        return f"{self.table} ({', '.join(shown)})"


@dataclass(frozen=True)
class KeyComparison:
    """One schema: the keys that were declared, and those that were found with what is said of them."""

    schema: str
    declared: Mapping[Kind, frozenset[Key]]
    found: Mapping[Kind, Mapping[Key, tuple[Grade, KeyVerdict]]]
    tables: int
    seconds: float


def half(schema: str) -> str:
    """Which half a schema belongs to."""
    return READ if hashlib.sha256(schema.encode()).digest()[0] % 2 else UNREAD


def compare(of: psycopg.Connection[Any], copy: psycopg.Connection[Any], schema: str) -> KeyComparison:
    """Look through a schema of the copy, and hold what is found against what the original declares.

    Tables without rows are left out: nothing can be found there.
    """
    findings = find_structure(copy, schema)
    path = sql.Identifier(schema).as_string(copy)
    filled = frozenset(name for (name,) in copy.execute(_FILLED, (path,)).fetchall())
    declared: dict[Kind, set[Key]] = {kind: set() for kind in KINDS}
    for table, target, columns, theirs in of.execute(_DECLARED, (schema,)).fetchall():
        if {table, target or table} <= filled:
            kind = Kind.FOREIGN_KEY if target else Kind.PRIMARY_KEY
            declared[kind].add(Key.of(table, columns, target, theirs))
    kept = {kind: frozenset(keys) for kind, keys in declared.items()}
    return KeyComparison(
        schema,
        kept,
        {kind: _judged(findings, kind, filled, kept[kind]) for kind in KINDS},
        len(filled),
        findings.seconds,
    )


def _judged(
    findings: Findings, kind: Kind, filled: frozenset[str], declared: frozenset[Key]
) -> dict[Key, tuple[Grade, KeyVerdict]]:
    leads: dict[Place, set[Place]] = {}
    for key in declared:
        for mine, theirs in key.pairs:
            if theirs is not None:
                leads.setdefault(mine, set()).add(theirs)
    found = {}
    for one in findings.of(kind):
        if {one.table, one.target.table if one.target else one.table} <= filled:
            key = _key(one)
            found[key] = (one.grade, _judge(key, declared, leads))
    return found


def _key(one: Finding) -> Key:
    if one.target is None:
        return Key.of(one.table, one.columns, None, ())
    return Key.of(one.table, one.columns, one.target.table, one.target.columns)


def _judge(key: Key, declared: frozenset[Key], leads: Mapping[Place, set[Place]]) -> KeyVerdict:
    if key in declared:
        return KeyVerdict.DECLARED
    if any(theirs is None for _, theirs in key.pairs):
        others = any(other.table == key.table for other in declared)
        return KeyVerdict.CONTRADICTED if others else KeyVerdict.SILENT
    if all(theirs in _reached(mine, leads) for mine, theirs in key.pairs):
        return KeyVerdict.IMPLIED
    return KeyVerdict.CONTRADICTED if any(mine in leads for mine in key.columns) else KeyVerdict.SILENT


def _reached(start: Place, leads: Mapping[Place, set[Place]]) -> set[Place]:
    """The places that declared foreign keys lead to from a column, over any number of tables."""
    reached: set[Place] = set()
    ahead = [start]
    while ahead:
        further = leads.get(ahead.pop(), set()) - reached
        reached |= further
        ahead += further
    return reached


def figures(compared: Sequence[KeyComparison]) -> dict[str, Any]:
    """Precision and recall in percent, by kind and grade.

    `precision` counts only declared keys as right, `uncontradicted` all that no declared key contradicts.
    """
    result: dict[str, Any] = {"schemas": len(compared), "tables": sum(c.tables for c in compared)}
    for kind in KINDS:
        declared = sum(len(c.declared[kind]) for c in compared)
        told: dict[str, Any] = {"declared": declared}
        for name, grades in (("certain", {Grade.CERTAIN}), ("likely", {Grade.LIKELY}), ("both", set(Grade))):
            said = Counter(
                judged for c in compared for grade, judged in c.found[kind].values() if grade in grades
            )
            made, right = said.total(), said[KeyVerdict.DECLARED]
            told[name] = {
                "found": made,
                **{judged.value: said[judged] for judged in KeyVerdict},
                "precision": _percent(right, made),
                "uncontradicted": _percent(made - said[KeyVerdict.CONTRADICTED], made),
                "recall": _percent(right, declared),
            }
        result[kind.value] = told
    result["seconds"] = round(sum(c.seconds for c in compared), 1)
    return result


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def misses(compared: Sequence[KeyComparison]) -> Iterator[str]:
    """One line for each key that was declared and not found as certain, or found and not declared."""
    for one in compared:
        for kind in KINDS:
            found = one.found[kind]
            for key in sorted(found.keys() | one.declared[kind], key=str):
                grade, judged = found.get(key, (None, KeyVerdict.DECLARED))
                if grade is not Grade.CERTAIN or judged is not KeyVerdict.DECLARED:
                    said = grade.value if grade else "missed"
                    yield f"{one.schema:28} {kind.value:12} {judged.value:13} {said:8} {key}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of both halves as one JSON object, after the misses that were asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m askwire.bench.files.keys", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--dsn", required=True, help="the database that declares its keys")
    parser.add_argument("--copy", required=True, help="its copy without constraints")
    parser.add_argument("--misses", choices=(READ, UNREAD), help="list what differs in one half")
    options = parser.parse_args(arguments)
    compared = []
    with psycopg.connect(options.dsn) as of, psycopg.connect(options.copy, autocommit=True) as copy:
        schemas = [name for (name,) in copy.execute(SCHEMAS).fetchall()]
        with Progress("keys", len(schemas)) as bar:
            for schema in schemas:
                compared.append(compare(of, copy, schema))
                bar.step()
    halves = {name: [c for c in compared if half(c.schema) == name] for name in (READ, UNREAD)}
    for line in misses(halves[options.misses]) if options.misses else ():
        print(line)  # noqa: T201 - a command line speaks
    told = {name: figures(part) for name, part in halves.items()} | {"all": figures(compared)}
    print(json.dumps(told))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
