"""What tells the rows of a relation apart, as SQL: by primary key, unique key, place or value.

Owns: the choice, the expression that names a row (a token), and the query that reads rows by their tokens. A
token is the relation's number, a unit separator and the key's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from askwire.core.types import Cell, Row
from askwire.sql.catalog import Relation
from askwire.sql.literals import array_text, quote_identifier
from askwire.sql.qualified import EQ, FIRST_USER_OID
from askwire.sql.tracing.composite import read_row

UNIT: Final = "\x1f"
"""Between a relation's number and the key."""
RECORD: Final = "\x1e"
"""Between the tokens of one term."""
RECORD_SQL: Final = r"E'\x1e'"
MEMBER: Final = "\x1d"
"""Between the terms of one group's members."""
MEMBER_SQL: Final = r"E'\x1d'"


@dataclass(frozen=True, slots=True)
class Source:
    """One relation as the search addresses it.

    `key` are the columns that identify a row; empty with `placed` for (tableoid, ctid), empty without for
    the row's value. `attributes` are all columns of a relation of which the asker may read some only; empty
    otherwise.
    """

    relation: Relation
    key: tuple[str, ...] = ()
    placed: bool = False
    attributes: tuple[str, ...] = ()

    @property
    def layout(self) -> tuple[str, ...]:
        """The columns of the relation's row type, in order."""
        return self.attributes or tuple(c.name for c in self.relation.columns)

    def row(self, alias: str) -> str:
        """The row of `alias` as SQL, as text; NULL for columns that the asker may not read."""
        if not self.attributes:
            # not the bare alias: a column of that name would be meant
            return f"({alias}.*)::pg_catalog.text"
        known = self.relation.by_name
        cells = (f"{alias}.{quote_identifier(a)}" if a in known else "NULL" for a in self.attributes)
        return f"ROW({', '.join(cells)})::pg_catalog.text"

    @property
    def number(self) -> int:
        """What tokens call the relation: its OID."""
        return self.relation.oid

    @property
    def shadow(self) -> str:
        """The name under which queries over chosen rows find this relation."""
        return f"_aw_{self.number}"

    @property
    def qualified(self) -> str:
        """The relation's full name as SQL."""
        return f"{quote_identifier(self.relation.schema)}.{quote_identifier(self.relation.name)}"


LIVE_COLUMNS: Final = f"""
SELECT a.attrelid, a.attname, a.atttypid OPERATOR(pg_catalog.>=) {FIRST_USER_OID}
FROM pg_catalog.pg_attribute a
WHERE a.attrelid OPERATOR(pg_catalog.=) ANY($1::pg_catalog.oid[])
    AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
    AND NOT pg_catalog.has_table_privilege(a.attrelid, 'SELECT')
ORDER BY a.attrelid, a.attnum
"""
"""All columns of those relations among `$1` of which the asker may read some columns only.

The last column says whether the type is none of PostgreSQL's own."""


def source(relation: Relation, attributes: tuple[str, ...] = ()) -> Source:
    """How to tell the rows of a relation apart.

    A unique key serves only when none of its columns can be NULL, and no key where other tables inherit. With
    `attributes` the asker may read some columns only, so neither ctid nor the whole row can be read.
    """
    if relation.inherited:
        return Source(relation, placed=not attributes, attributes=attributes)
    if relation.primary_key and all(c in relation.by_name for c in relation.primary_key):
        return Source(relation, relation.primary_key, attributes=attributes)
    for key in sorted(relation.unique_keys, key=len):
        if all(c in relation.by_name and relation.by_name[c].not_null for c in key):
            return Source(relation, key, attributes=attributes)
    return Source(relation, placed=not attributes and relation.kind in "rpm", attributes=attributes)


def token(of: Source, alias: str) -> str:
    """The SQL expression for the token of a row of `alias`; NULL where an outer join found no row."""
    key = _key(of, alias)
    text = f"pg_catalog.textcat(E'{of.number}\\x1f', {key})"
    if len(of.key) > 1:
        first = f"{quote_identifier(alias)}.{quote_identifier(of.key[0])}"
        return f"CASE WHEN {first} IS NOT NULL THEN {text} END"
    return text


def _key(of: Source, alias: str) -> str:
    """The SQL expression for the text of a row's key."""
    name = quote_identifier(alias)
    if len(of.key) == 1:
        return f"{name}.{quote_identifier(of.key[0])}::pg_catalog.text"
    if of.key:
        return f"ROW({', '.join(f'{name}.{quote_identifier(c)}' for c in of.key)})::pg_catalog.text"
    if of.placed:
        place = f"{name}.tableoid::pg_catalog.int8::pg_catalog.text"
        return f"pg_catalog.textcat({place}, pg_catalog.textcat(',', {name}.ctid::pg_catalog.text))"
    return of.row(name)


def equals(of: Source, column: str) -> str:
    """The equality of a column's type: of PostgreSQL's own types, whatever else is on search_path."""
    return EQ if of.relation.by_name[column].type_oid < FIRST_USER_OID else "="


def reading(of: Source, keys: Sequence[str], first: int) -> tuple[str, list[Cell]]:
    """A query for the rows with these keys, and its parameters, numbered from `first`.

    It gives (relation number, key, row), all text. Rows identified by value are their own keys.
    """
    if len(of.key) == 1:
        column = quote_identifier(of.key[0])
        return f"{_select(of)} WHERE r.{column} {equals(of, of.key[0])} ANY(${first})", [array_text(keys)]
    if of.key:
        joined, parameters = _joined(of, of.key, list(map(read_row, keys)), first)
        return f"{_select(of)} {joined}", parameters
    if of.placed:
        key = _key(of, "r")
        places = array_text(k.partition(",")[2] for k in keys)
        return (
            f"{_select(of)} WHERE r.ctid {EQ} ANY(${first}::pg_catalog.tid[])"
            f" AND {key} {EQ} ANY(${first + 1}::pg_catalog.text[])",
            [places, array_text(keys)],
        )
    return (
        f"SELECT {of.number}, k, k FROM pg_catalog.unnest(${first}::pg_catalog.text[]) AS k",
        [array_text(keys)],
    )


def referred(of: Source, columns: Sequence[str], rows: Sequence[Row], first: int) -> tuple[str, list[Cell]]:
    """A query for the rows whose `columns` equal one of `rows`, as their types say, and its parameters.

    It gives (relation number, key, row, which of `rows`, from 1), all but the last text. No value is NULL.
    """
    joined, parameters = _joined(of, columns, rows, first)
    return f"{_select(of, ', k._aw_n')} {joined}", parameters


def _joined(of: Source, columns: Sequence[str], rows: Sequence[Row], first: int) -> tuple[str, list[Cell]]:
    types = [of.relation.by_name[c].type_name for c in columns]
    arrays = ",".join(f"pg_catalog.unnest(${first + i}::{t}[])" for i, t in enumerate(types))
    names = [f"k{i}" for i in range(len(types))]
    equal = " AND ".join(
        f"r.{quote_identifier(c)} {equals(of, c)} k.{n}" for c, n in zip(columns, names, strict=True)
    )
    return (
        f"JOIN ROWS FROM ({arrays}) WITH ORDINALITY AS k({','.join(names)}, _aw_n) ON {equal}",
        [array_text(values) for values in zip(*rows, strict=True)],
    )


def _select(of: Source, more: str = "") -> str:
    return f"SELECT {of.number}, {_key(of, 'r')} AS k, {of.row('r')} AS r{more} FROM {of.qualified} AS r"
