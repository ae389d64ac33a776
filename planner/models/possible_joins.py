"""Joins that no key declares: those that names and comments tell, and those that only values can confirm.

`supp_id` may refer to `suppliers`, and `OrderNo` to the numbers of sales orders or of purchase orders: what
such a column is called is not enough for a join, and is reason enough to look. Owns: which joins these are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from askwire.language.closeness import abbreviates
from askwire.planner.embedded.entry import ColumnEntry, JoinGraph, SchemaIndex, TableEntry, remarked
from askwire.sql.catalog import Relation
from askwire.sql.remarks import named_column

_KEY_WORDS: Final = frozenset({"id", "number", "code", "key"})
_FIGURE_WORDS: Final = frozenset(
    ("count", "total", "sum", "average", "max", "min", "maximum", "minimum", "quantity", "amount", "rate")
)
"""Words of a column that holds a figure: `max_student` refers to no student."""
_MIN_DISTINCT_SHARE: Final = 0.5
"""Of the rows of a table, that so many are referred to by a column that is not called a key."""
_MAX_KEYS_PER_COLUMN: Final = 4


@dataclass(frozen=True, slots=True)
class Join:
    """Two columns that join two relations by their names and types, though no foreign key says so.

    `supported` when values of the one were found in the other; None where nothing looked, or no look tells. A
    join that is only `possible` is none unless its values meet.
    """

    relation: Relation
    column: str
    other: Relation
    other_column: str
    supported: bool | None = None
    possible: bool = False


def undeclared_joins(index: SchemaIndex) -> tuple[Join, ...]:
    """The joins that names, types and comments suggest where no key is declared, then those possible."""
    graph = JoinGraph(index, references=remarked(t.relation for t in index.tables if t.role is None))
    found: dict[Join, None] = {}
    joined: set[int] = set()
    for table in index.tables:
        for edge in graph.neighbours(table.index):
            if edge.guessed and edge.left == table.index and len(edge.on) == 1:
                ((mine, theirs),) = edge.on
                joined.add(mine)
                found[_join(index, index.columns[mine], index.columns[theirs])] = None
    return (*found, *_possible(index, joined))


def confirmed(joins: Sequence[Join]) -> list[Join]:
    """Those that values do not speak against; of joins that are only possible, the one that they confirm."""
    kept = [j for j in joins if j.supported is not False and (j.supported or not j.possible)]
    ways: dict[tuple[int, str], int] = defaultdict(int)
    for join in kept:
        ways[join.relation.oid, join.column] += 1
    return [j for j in kept if not j.possible or ways[j.relation.oid, j.column] == 1]


def _join(index: SchemaIndex, one: ColumnEntry, other: ColumnEntry, *, possible: bool = False) -> Join:
    ends = index.tables[one.table].relation, index.tables[other.table].relation
    return Join(ends[0], one.column.name, ends[1], other.column.name, possible=possible)


def _possible(index: SchemaIndex, joined: set[int]) -> Iterator[Join]:
    """Of columns that refer to nothing yet, the joins to keys of tables that names or comments may mean."""
    keys = _KeyNames(index)
    for column in index.columns:
        table = index.tables[column.table]
        declared = {name for key in table.relation.foreign_keys for name in key.columns}
        alone = table.relation.primary_key == (column.column.name,)
        if table.role or column.index in joined or alone or column.column.name in declared:
            continue
        told = named_column(column.column.comment)
        meant = keys.called(table.relation.schema, *told) if told else keys.meant(column)
        meant = [k for k in meant if k.table != table.index and k.column.category == column.column.category]
        if len(meant) <= _MAX_KEYS_PER_COLUMN:
            yield from (_join(index, column, key, possible=True) for key in meant)


class _KeyNames:
    """The keys of a catalog by what columns that refer to them may be called."""

    def __init__(self, index: SchemaIndex) -> None:
        self._named: dict[tuple[str, str, str], ColumnEntry] = {}
        self._by_end: dict[tuple[str, ...], list[tuple[TableEntry, ColumnEntry]]] = defaultdict(list)
        self._by_word: dict[str, list[tuple[TableEntry, ColumnEntry]]] = defaultdict(list)
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        self._short_for: dict[str, list[str]] = {}
        for table, key in _keys(index):
            self._named[table.relation.schema, table.relation.name, key.column.name] = key
            for length in range(2, len(key.full)):
                self._by_end[key.full[-length:]].append((table, key))
            if table.words:
                self._by_word[table.words[-1]].append((table, key))
        for word in self._by_word:
            self._by_letter[word[:1]].append(word)

    def called(self, schema: str, table: str, column: str) -> list[ColumnEntry]:
        """The key of that name."""
        key = self._named.get((schema, table, column))
        return [] if key is None else [key]

    def meant(self, column: ColumnEntry) -> list[ColumnEntry]:
        """The keys that a column's name may mean; a few more than it may have are many."""
        found: dict[int, ColumnEntry] = {}
        for table, key in self._near(column):
            if table.index != column.table and _may_mean(column, table, key):
                found[key.index] = key
                if len(found) > _MAX_KEYS_PER_COLUMN:
                    break
        return [*found.values()]

    def _near(self, column: ColumnEntry) -> Iterator[tuple[TableEntry, ColumnEntry]]:
        words = column.full
        if words[-1] in _KEY_WORDS:
            yield from self._by_end.get(words, ())
        said = next((word for word in reversed(words) if word not in _KEY_WORDS), "")
        if said and said not in self._short_for:
            near = self._by_letter.get(said[:1], ())
            self._short_for[said] = [word for word in near if word == said or abbreviates(said, word)]
        for word in self._short_for.get(said, ()):
            yield from self._by_word[word]


def _keys(index: SchemaIndex) -> Iterable[tuple[TableEntry, ColumnEntry]]:
    for table in index.tables:
        primary = [index.columns[c] for c in table.columns if index.columns[c].primary]
        if table.role is None and len(primary) == 1:
            yield table, primary[0]


def _may_mean(column: ColumnEntry, table: TableEntry, key: ColumnEntry) -> bool:
    """Whether a column's name ends as the key's does, or is, at its end, short for what the table is."""
    if column.column.category != key.column.category or column.column.category not in "NS":
        return False
    words = column.full
    called_key = words[-1] in _KEY_WORDS
    if called_key and 1 < len(words) < len(key.full) and key.full[-len(words) :] == words:
        return True
    said = [word for word in words if word not in _KEY_WORDS]
    if not said or not table.words or _FIGURE_WORDS & {*words} or words[0] == "number":
        return False
    if column.column.name.lower().endswith(f"{said[-1]}s") or column.column.name == key.column.name:
        return False  # how many there are; a join that the names tell, and something else denies
    if said[-1] != table.words[-1] and not abbreviates(said[-1], table.words[-1]):
        return False
    return called_key or (
        column.column.type_oid == key.column.type_oid
        and _different(column, table) >= _MIN_DISTINCT_SHARE * table.relation.estimated_rows > 0
    )


def _different(column: ColumnEntry, table: TableEntry) -> float:
    distinct = column.column.distinct
    return distinct if distinct >= 0 else table.relation.estimated_rows
