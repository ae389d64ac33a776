"""Comparisons with the row of a name: `gnp > (SELECT gnp FROM country WHERE name = 'Italy')`.

Owns: which column is compared, and that the name is one of a row of what is asked for.

Where several rows go by the name, PostgreSQL refuses the subquery: none of them is taken for the others.
"""

from __future__ import annotations

from typing import Final

from askwire.planner.embedded.grammar.atoms import Beyond, Comparison, IsValue
from askwire.planner.embedded.grammar.encode import EncodedQuestion
from askwire.planner.embedded.interpretation.operands import TURNED, Operands, Unusable
from askwire.planner.embedded.interpretation.resolve import Assignment
from askwire.planner.embedded.linking.options import Option
from askwire.planner.embedded.linking.value_reads import Hit
from askwire.planner.embedded.logical_form.ir import Compare, Condition, Query, Term
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.schema_index import SchemaIndex

_MIN_NAME_QUALITY: Final = 0.85
_MIN_DISTINCT_SHARE: Final = 0.9
"""The share of different values from which on a column that is no label tells rows apart."""
_OTHERS: Final = frozenset({"other", "else", "another"})


class NamedRows:
    """The conditions of one encoded question under one assignment."""

    def __init__(
        self, index: SchemaIndex, graph: JoinGraph, encoded: EncodedQuestion, chosen: Assignment
    ) -> None:
        self._index = index
        self._graph = graph
        self._encoded = encoded
        self._chosen = chosen

    def compared(self, atom: Beyond, entity: int | None) -> list[Condition]:
        """A column against that of the row which `atom.inner` names; raises Unusable."""
        option = self._option(atom)
        named = self._name(atom, entity)
        if entity is None:
            raise Unusable
        column = self._key_to(entity, option.index) if option.table else option.index
        table = self._index.columns[column].table
        own = table == entity or self._graph.to_one(entity, table)
        if not own or column in self._index.measured or {column} == set(named):
            raise Unusable
        if atom.adjective and table != entity:
            raise Unusable  # the age of a ship is not the age of its captain
        ordered = atom.operator != "="
        if ordered and not self._has_order(option, column):
            raise Unusable
        operator = TURNED.get(atom.operator, atom.operator) if option.flip else atom.operator
        name = tuple(condition for conditions in named.values() for condition in conditions)
        found: list[Condition] = [Compare(Term(column), operator, self._of_one(column, name))]
        if not ordered and _OTHERS & {t.lemma for t in self._encoded.tokens}:
            found.append(self._another(entity, name))
        return found

    def together(self, atom: Beyond, entity: int | None, tables: set[int]) -> Condition:
        """How many, or how much in sum, against what the row has which `atom.inner` names; raises Unusable.

        `tables` gets those of which the rows are taken together.
        """
        option = self._option(atom)
        named = self._name(atom, entity)
        name = tuple(condition for conditions in named.values() for condition in conditions)
        table = option.index if option.table else self._index.columns[option.index].table
        if entity is None or table == entity or not self._graph.to_one(table, entity):
            raise Unusable
        if (atom.aggregate == "count") != option.table or option.factor is not None:
            raise Unusable
        term = Term(aggregate="count", of=table) if option.table else Term(option.index, atom.aggregate)
        tables.add(table)
        theirs = Query(select=(term,), where=name, tables=frozenset({table}))
        return Compare(term, atom.operator, theirs)

    def _option(self, atom: Beyond) -> Option:
        option = None if atom.mention is None else self._chosen.mentions.get(atom.mention)
        if option is None:
            raise Unusable
        return option

    def _name(self, atom: Beyond, entity: int | None) -> dict[int, list[Condition]]:
        """The columns that name the row, by a value or its key; raises Unusable where they name none."""
        operands = Operands(self._index, self._encoded, self._chosen)
        named: dict[int, list[Condition]] = {}
        for part in atom.inner:
            hit = self._chosen.values.get(part.value) if isinstance(part, IsValue) else None
            if hit is not None and entity is not None and self._names(hit, entity):
                named.setdefault(hit.column, []).extend(operands.equal(hit))
                continue
            if not isinstance(part, Comparison) or part.mention is None:
                raise Unusable
            option = self._chosen.mentions.get(part.mention)
            keys = (
                (c for c in self._index.tables[entity].columns if self._index.columns[c].primary)
                if entity is not None
                else ()
            )
            if option is None or option.table or [option.index] != [*keys]:
                raise Unusable
            named[option.index] = operands.comparison(part)
        return named

    def _of_one(self, column: int, name: tuple[Condition, ...]) -> Query:
        return Query(select=(Term(column),), where=name)

    def _another(self, entity: int, name: tuple[Condition, ...]) -> Condition:
        """That a row is not the one that is named: 'other customers from the same city'."""
        primary = [c for c in self._index.tables[entity].columns if self._index.columns[c].primary]
        if len(primary) != 1:
            raise Unusable
        return Compare(Term(primary[0]), "<>", self._of_one(primary[0], name))

    def _names(self, hit: Hit, entity: int) -> bool:
        """Whether a value names one row of what is asked for: in a label, or a column of different values."""
        column = self._index.columns[hit.column]
        if hit.quality < _MIN_NAME_QUALITY or hit.others:
            return False
        rows = self._index.tables[entity].relation.estimated_rows
        apart = column.table == entity and different(column, rows) >= _MIN_DISTINCT_SHARE * rows > 0
        return apart or hit.column in self._index.labels[entity]

    def _has_order(self, option: Option, column: int) -> bool:
        """Whether more and less mean something of a column: no key, no code, no yes or no."""
        entry = self._index.columns[column]
        return not option.table and entry.kind in {"number", "time"} and not entry.key and not entry.codes

    def _key_to(self, entity: int, table: int) -> int:
        """The key by which the rows of `entity` have one of another table; raises Unusable."""
        role = self._index.tables[table].role
        if role is not None and role.source == entity:
            own = self._index.tables[entity].columns
            return next(c for c in own if self._index.columns[c].column.name == role.columns[0])
        if table == entity or not self._graph.to_one(entity, table) or role is not None:
            raise Unusable
        way = self._graph.way(entity, table)
        last = way[-1] if way else None
        if last is None or last.right != table or len(last.on) != 1:
            raise Unusable
        return last.on[0][0]
