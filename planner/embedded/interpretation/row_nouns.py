"""Rows that no table's name calls: 'records', 'readings' are rows of any table, 'balloons' what a code says.

Owns: words for rows as such, counts of a code's rows instead of the code, and elements of lists instead
of lists.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from askwire.language.text import Token, listed
from askwire.planner.embedded.linking.linker import Linker, Mention, Option
from askwire.planner.embedded.logical_form.ir import Query, Term, condition_columns
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex, TableEntry

_ROWS: Final = frozenset(
    listed("record row entry reading observation measurement sample register registry instance")
)
_PEOPLE: Final = frozenset({"person", "people"})
_MIN_KNOWN_QUALITY: Final = 0.7
_LARGEST_TABLE_SCORE: Final = 0.6
_OTHER_TABLE_SCORE: Final = 0.5
"""Worth of the table that holds the most rows, and of the others: what else is said decides among them."""
_MAX_CODE_TABLE_COLUMNS: Final = 3
_MAX_TABLES: Final = 12


def rows_said(tokens: Sequence[Token], linker: Linker, closed: Set[int]) -> list[Mention]:
    """Mentions of rows as such: of tables that do more than explain codes, where nothing is called so.

    'people' are the rows of tables of people.
    """
    found = []
    for at, token in enumerate(tokens):
        if at in closed or token.kind != "word" or token.lemma not in _ROWS | _PEOPLE:
            continue
        if any(quality >= _MIN_KNOWN_QUALITY for quality in linker.related(token.lemma).values()):
            continue
        tables = [
            t for t in linker.index.tables if t.role is None and len(t.columns) > _MAX_CODE_TABLE_COLUMNS
        ]
        if token.lemma in _PEOPLE:
            tables = [t for t in tables if t.person and not t.bridge]
        tables.sort(key=lambda t: (-t.relation.estimated_rows, t.index))
        options = tuple(
            Option(True, t.index, _OTHER_TABLE_SCORE if place else _LARGEST_TABLE_SCORE)
            for place, t in enumerate(tables[:_MAX_TABLES])
        )
        if options:
            found.append(Mention(at, at + 1, options, (token.lemma,)))
    return found


def rows_of_codes(index: SchemaIndex, graph: JoinGraph, query: Query, named: Set[int]) -> Query:
    """A count of the rows that a code classifies, instead of the one row that explains it.

    `named` are the tables that the question names: 'how many kinds of aircraft' counts kinds.
    """
    counted = len(query.select) == 1 and query.select[0].aggregate == "count"
    if not counted or query.select[0].column is not None or query.group or query.having or query.combine:
        return query
    tables = {index.columns[c].table for condition in query.where for c in condition_columns(condition)}
    if len(tables) != 1 or query.tables - tables or tables & named:
        return query
    table = index.tables[next(iter(tables))]
    if len(table.columns) > _MAX_CODE_TABLE_COLUMNS or not _told_apart(index, table):
        return query
    referring = [
        index.tables[e.left] for e in graph.neighbours(table.index) if e.right == table.index != e.left
    ]
    if not referring:
        return query
    most = max(referring, key=lambda t: (t.relation.estimated_rows, -t.index))
    return query.with_(tables=query.tables | {most.index})


def elements_shown(index: SchemaIndex, query: Query) -> Query:
    """'which countries are films from', where a text lists several: each once, and no list twice."""
    only = query.select[0] if len(query.select) == 1 else Term()
    alone = only == Term(only.column) and only.column is not None and bool(index.columns[only.column].between)
    rest = query.group or query.having or query.order or query.combine or query.limit is not None
    return query.with_(distinct=True) if alone and not rest else query


def _told_apart(index: SchemaIndex, table: TableEntry) -> bool:
    """Whether each row of a table has a code of its own."""
    first = index.columns[table.columns[0]]
    return first.primary or first.column.distinct == -1.0
