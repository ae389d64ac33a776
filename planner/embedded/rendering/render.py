"""Intermediate form → PostgreSQL's SQL.

Owns: aliases, quoting, the FROM clause.

    Query(select=(customers.name, count(*)), group=(customers.id, customers.name)) →
    SELECT c.name, count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id, c.name
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, islice
from typing import Final

from askwire.planner.embedded.logical_form.expressions import (
    ELEMENTS,
    SINCE,
    adds_up,
    aggregated,
    ago,
    days_since,
    difference,
    of_day,
    of_unit,
    ratio,
    share,
    span,
    windowed,
)
from askwire.planner.embedded.logical_form.ir import (
    EXISTS,
    Compare,
    Condition,
    Literal,
    Member,
    NullTest,
    Query,
    StatedCondition,
    Term,
    columns_of,
    condition_columns,
    is_of_keys,
)
from askwire.planner.embedded.rendering.fan_out import CountedTwice, astray, once
from askwire.planner.embedded.rendering.rounding import rounded, to_places
from askwire.planner.embedded.schema import json_parts
from askwire.planner.embedded.schema.elements import FRACTIONS
from askwire.planner.embedded.schema.identifiers import pieces
from askwire.planner.embedded.schema.joins import Beside, Edge, JoinGraph, Tree
from askwire.planner.embedded.schema.listed import as_array
from askwire.planner.embedded.schema.measured import MeasureColumn
from askwire.planner.embedded.schema.roles import Role
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, is_list
from askwire.planner.embedded.schema.text_times import ISO
from askwire.sql.literals import quote_identifier, quote_literal

_FRACTIONS: Final = (*FRACTIONS, "interval")
"""Types whose sums have fractions when they are divided."""
HASHED_ROWS: Final = 50_000
"""Rows of a table whose keys surely fit into PostgreSQL's `work_mem` of 4 MB when they are hashed."""
_MAX_MENDS: Final = 6
"""Rounds in which a query is set right again over the joins that the last one read."""


class CannotJoin(Exception):
    """The tables of a query have no path between them, or what is asked of them makes no sense together."""


def tables_read(index: SchemaIndex, query: Query) -> set[int]:
    """The tables of which a query shows, counts or compares something."""
    read = {index.columns[c].table for c in columns_of(query)}
    read.update(t.of for t in query.select if t.of is not None)
    return read if query.star is None else read | {query.star}


def taken_apart(index: SchemaIndex, query: Query) -> tuple[int, ...]:
    """The columns of lists whose elements a query counts, groups by or lists, each once.

    Raises CannotJoin where something else would be counted as often as a row has elements.
    """
    ordering = [t for t, _ in query.order]
    having = [c.term for c in query.having if isinstance(c, Compare)]
    whole = [*query.select, *ordering, *having]
    listed = query.select if query.distinct and not _of_one(index, query) else ()
    terms = [*query.group, *listed, *(t for t in whole if _of_values(t))]
    plain = [t for t in terms if t in {Term(t.column), Term(t.column, "count", distinct=True)}]
    named = dict.fromkeys(t.column for t in plain if t.column is not None)
    columns = [c for c in named if is_list(index.columns[c])]
    if query.combine and any(t.column is not None and index.columns[t.column].between for t in query.select):
        raise CannotJoin  # what lists have in common is no list
    if not columns:
        return ()
    often = [t for t in whole if t.aggregate and not _of_values(t) and t.aggregate not in {"max", "min"}]
    if len(columns) > 1 or (often and not any(t.column in columns for t in query.group)):
        raise CannotJoin
    return tuple(columns)


def _of_one(index: SchemaIndex, query: Query) -> bool:
    """Whether a row that is named is asked for: the cast of one film is shown as it is written."""
    named = {c for label in index.labels for c in label}
    equal = (c.term.column for c in query.where if isinstance(c, Compare) and c.operator == "=")
    return any(column in named for column in equal)


def _free(alias: str, taken: Collection[str]) -> str:
    """The alias, with a number where it is taken."""
    numbered = (f"{alias}_{number}" for number in count(2))
    return next(name for name in (alias, *islice(numbered, len(taken))) if name not in taken)


def _rooted(tree: Tree, start: int) -> Tree:
    """The same tree, begun with another of its tables."""
    seen, found, left = {start}, [], list(tree.edges)
    while left:
        edge = next(e for e in left if seen & {e.left, e.right})
        left.remove(edge)
        found.append(edge)
        seen |= {edge.left, edge.right}
    return replace(tree, start=start, edges=tuple(found))


def _of_values(term: Term) -> bool:
    return term.aggregate == "count" and term.distinct


class Renderer:
    """Renders queries over one schema index; `variant` picks the n-th alternative join of the outer query.

    Queries inside it are joined over the keys that the `spoken` words of the question fit best; `beside` are
    tables that the question says of which others they are.
    """

    def __init__(
        self,
        index: SchemaIndex,
        graph: JoinGraph,
        variant: int = 0,
        spoken: frozenset[str] = frozenset(),
        beside: Beside = (),
    ) -> None:
        self._index = index
        self._beside = beside
        self._graph = graph
        self._variant = variant
        self._spoken = spoken
        self.path: tuple[str, ...] = ()
        self.cost = 0.0
        self.tables: tuple[int, ...] = ()
        self.guessed: tuple[bool, ...] = ()
        self.tree: Tree | None = None
        self._elements: dict[int, str] = {}
        """The columns whose elements a query takes one by one, and the alias under which they stand."""

    def sql(self, query: Query) -> str:
        """The SQL text; raises CannotJoin. Afterwards `path`, `cost`, `tables` describe the outer joins."""
        whole = self._tree(query)
        ways = (self._each_once(query, way) for way in (whole, *self._graph.variants(whole)))
        tree = next(islice((way for way in ways if way is not None), self._variant, None), None)
        if tree is None:
            raise CannotJoin
        text = self._one(query, tree)
        self.cost, self.tables = tree.cost, tree.tables
        self.guessed = tuple(e.guessed for e in tree.edges)
        self.tree = tree
        self.path = tuple(self._on(e, None) for e in tree.edges)
        return text

    def _tree(self, query: Query) -> Tree:
        read = list(columns_of(query))
        if any(is_of_keys(t) for t in query.select):
            read = [c for t in query.group for c in t.columns()] + read
        # what is reckoned of two tables is of rows that belong together, and not of all that have one parent
        spanned = [c for t in query.select if self._spans(t) for c in t.columns()]
        read = spanned + read
        tables = [self._index.columns[c].table for c in read]
        for number in read:
            if number in self._index.measured:
                tables += [self._index.columns[c].table for c in self._index.measured[number].columns()]
        if query.star is not None:
            tables.insert(0, query.star)
        tables += [t.of for t in query.select if t.of is not None and t.column is None]
        tables += sorted(query.tables)
        for table in list(tables):
            role = self._index.tables[table].role
            if role is not None and not any(self._plays(c, role) for c in query.where):
                tables.append(role.source)
        tree = self._graph.tree(tables, paired=bool(spanned), beside=self._beside)
        if tree is None:
            raise CannotJoin
        return tree

    def _plays(self, condition: Condition, role: Role) -> bool:
        """Whether a condition asks already for a row that gives a role: no join has to ask for it again."""
        if not isinstance(condition, Member) or condition.negated or condition.query.combine:
            return False
        key = condition.query.select[0].column
        column = None if key is None else self._index.columns[key]
        return column is not None and (column.table, column.column.name) == (role.source, role.columns[0])

    def _spans(self, term: Term) -> bool:
        """Whether a term is reckoned of columns of two tables: from when it was due until it began."""
        return len({self._table(c) for c in term.columns()}) > 1 and term.operator == "-"

    def _inner_tree(self, query: Query) -> Tree:
        """The tree of a query inside another: 'who won both A and B' is the winner of each."""
        tree = self._tree(query)
        others = (self._each_once(query, way) for way in self._graph.variants(tree))
        trees = (tree, *(way for way in others if way is not None))
        return max(trees, key=lambda way: self._graph.cue(way, self._spoken, ())[0])

    def _each_once(self, query: Query, tree: Tree) -> Tree | None:
        """The tree without roles that only tell by which key a table is joined; None where both are read.

        'airports with the most departures': the source of a route is the airport that is counted for, and
        no second one.
        """
        read = tables_read(self._index, query)
        ends = Counter(t for edge in tree.edges for t in (edge.left, edge.right))
        keys: dict[int, list[Edge]] = defaultdict(list)
        for edge in tree.edges:
            keys[edge.on[0][0]].append(edge)
        for same in keys.values():
            roles = [e for e in same if self._index.tables[e.right].role is not None]
            if len(same) == 1 or not roles:
                continue
            plain = next((e for e in same if e.right != roles[0].right), roles[0])
            if plain is roles[0] or {plain.right, roles[0].right} <= read:
                return None
            idle = plain if roles[0].right in read else roles[0]
            if ends[idle.right] == 1 and idle.right != tree.start:
                tree = replace(tree, edges=tuple(e for e in tree.edges if e is not idle))
        return tree

    def _one(self, query: Query, tree: Tree | None = None, *, measured: bool = False) -> str:
        """The text of one SELECT; `measured` where what it shows is compared as a number or a time."""
        outside, self._elements = self._elements, {}
        try:
            return self._select(query, tree or self._inner_tree(query), measured=measured)
        finally:
            self._elements = outside

    def _select(self, query: Query, tree: Tree, *, measured: bool) -> str:
        if query.over == EXISTS:
            aliases = self._aliases(tree) if tree.edges else None
            return f"SELECT EXISTS (SELECT 1 {self._rows(query, tree, aliases)}) AS answer"
        if not query.over:
            query, tree = self._once(query, tree)
        if query.over:
            where = (*query.where, *self._filled_groups(query))
            select = (*query.each, query.select[-1]) if query.each else query.select
            inner = self._one(query.with_(over="", each=(), select=select, where=where, places=None), tree)
            if query.over == "count":
                return f"SELECT count(*) FROM ({inner}) AS x"
            of_all = aggregated("n", query.over, distinct=False)
            of_all = of_all if query.places is None else to_places(of_all, query.places)
            if query.each:
                return self._over_each(query, of_all, inner)
            return f"SELECT {of_all} FROM ({inner}) AS x (n)"
        value = query.distinct and query.select == tuple(t for t, _ in query.order)
        if query.partition or (query.offset and not (value or query.combine or query.star is not None)):
            return self._best_of_each(query, tree)
        apart = taken_apart(self._index, query)
        if apart and query.combine:
            raise CannotJoin
        aliases = self._aliases(tree) if tree.edges or apart else None
        self._elements = self._aliases_apart(apart, aliases or {})
        shown = ("DISTINCT " if query.distinct else "") + self._outputs(query, aliases, measured=measured)
        parts = [f"SELECT {shown} {self._rows(query, tree, aliases)}"]
        if query.combine:
            operator, other = query.combine
            parts.append(f"{operator} {self._one(other)}")
        if query.order:
            once = dict.fromkeys(self._order(t, d, query, aliases) for t, d in query.order)
            parts.append("ORDER BY " + ", ".join(once))
        if query.limit is not None:
            parts.append(f"LIMIT {query.limit}")
        if query.offset:
            parts.append(f"OFFSET {query.offset}")
        return " ".join(parts)

    def _of_alike(self, query: Query, outside: Mapping[int, str] | None) -> str:
        """A query with one value over the rows that are alike with the row outside."""
        tree = self._tree(query)
        aliases = self._aliases(tree, set((outside or {}).values()))
        where = [self._condition(c, aliases) for c in query.where]
        where += [f"{self.column(c, aliases)} = {self.column(c, outside)}" for c in query.alike]
        shown = self._term(query.select[0], aliases)
        return f"SELECT {shown} FROM {self._from(tree, aliases)} WHERE {' AND '.join(where)}"

    def _rows(self, query: Query, tree: Tree, aliases: Mapping[int, str] | None) -> str:
        """What is read and how it is put into groups: FROM to HAVING."""
        # of what is set against each other a group may have none
        whole = any(is_of_keys(t) for t in query.select)
        if (rooted := self._of_all_rows(query, tree)) is not None:
            tree, whole = rooted, True
        if query.outer is not None:
            tree, whole = _rooted(tree, query.outer), True
        parts = ["FROM " + self._from(tree, aliases, "LEFT JOIN" if whole else "JOIN")]
        elements, self._elements = self._elements, {}
        for number, alias in elements.items():
            named = quote_identifier(self._index.columns[number].column.name)
            parts.append(f"CROSS JOIN LATERAL unnest({self._array(number, aliases)}) AS {alias}({named})")
        where = (*query.where, *self._filled_groups(query))
        where = tuple(c for c in where if c not in [NullTest(n, negated=True) for n in elements])
        if where:
            # 'female (sex is F)' says the same twice
            parts.append("WHERE " + " AND ".join(dict.fromkeys(self._condition(c, aliases) for c in where)))
        self._elements = elements
        if query.group:
            parts.append("GROUP BY " + ", ".join(dict.fromkeys(self._term(t, aliases) for t in query.group)))
        if query.having:
            parts.append("HAVING " + " AND ".join(self._condition(c, aliases) for c in query.having))
        return " ".join(parts)

    def _of_all_rows(self, query: Query, tree: Tree) -> Tree | None:
        """The tree from the table of which a share is, where a join would leave rows of it out.

        Sales to unknown customers are part of the revenue of which a share comes from members.
        """
        shares = [t for t in query.select if t.aggregate == "share"]
        if not shares or len(shares) != len(query.select) or query.group or query.having or not tree.edges:
            return None
        measured = self._index.measured.get(shares[0].column or -1)
        own = shares[0].of if shares[0].column is None else self._table(shares[0].column)
        read = {self._table(c) for k in query.where for c in condition_columns(k)}
        if read - {own}:
            return None
        if own is None or (measured is not None and {self._table(c) for c in measured.columns()} - {own}):
            return None
        found: list[Edge] = []
        seen = {own}
        while left := [e for e in tree.edges if e not in found]:
            edge = next((e for e in left if e.left in seen and e.right not in seen), None)
            if edge is None:
                return None
            found.append(edge)
            seen.add(edge.right)
        optional = any(not self._index.columns[e.on[0][0]].column.not_null for e in found)
        return replace(tree, start=own, edges=tuple(found)) if optional else None

    def _once(self, query: Query, tree: Tree) -> tuple[Query, Tree]:
        """The query that takes each row once, and its tree."""
        for _ in range(_MAX_MENDS):
            counted = astray(self._index, self._graph, query, tree)
            if counted is not None:
                tree = self._graph.tree((counted, *tree.tables), beside=self._beside) or tree
            try:
                mended = once(self._index, query, tree)
            except CountedTwice as error:
                raise CannotJoin from error
            parts = all(m.part == t.part for m, t in zip(mended.select, query.select, strict=True))
            if mended.tables == query.tables and mended.where == query.where and parts:
                return mended, tree
            query, tree = mended, self._tree(mended)
        raise CannotJoin

    def _filled_groups(self, query: Query) -> Iterator[Condition]:
        """What groups that are set against each other have: no country is not the one with most exports.

        Rows without a time are in no month; a plain list by month shows how many they are.
        """
        first = query.limit is not None and any(t.aggregate for t, _ in query.order)
        along = [t.along for t in query.select if t.along is not None]
        for term in query.group if first or query.over or query.partition else along:
            entry = None if term.column is None else self._index.columns[term.column]
            if entry is None or term.column is None:
                continue
            timed = bool(term.unit) or entry.kind == "time"
            if (first and entry.column.blank) or (timed and not self._has_value(term.column, query)):
                yield NullTest(term.column, negated=True)

    def _has_value(self, column: int, query: Query) -> bool:
        """Whether no row of a query can be without a value of a column."""
        return self._index.columns[column].column.not_null or any(
            (isinstance(c, Compare) and c.term.column == column and not c.term.aggregate)
            or c == NullTest(column, negated=True)
            for c in query.where
        )

    def _best_of_each(self, query: Query, tree: Tree) -> str:
        """The first rows of each partition, or the n-th of all, ties included, by a rank over the rows.

        The second is what comes next to the first, however many are the first together.
        """
        if query.combine or taken_apart(self._index, query):
            raise CannotJoin
        query = self._ranked_once(query, tree)
        query = query.with_(where=(*query.where, *self._filled_groups(query)))
        aliases = self._aliases(tree) if tree.edges else None
        names = self._names(query.select, "place")
        shown = [
            f"{rounded(self._index, t, self._term(t, aliases), query)} AS {quote_identifier(n)}"
            for t, n in zip(query.select, names, strict=True)
        ]
        by = ", ".join(self._term(t, aliases) for t in query.partition)
        order = ", ".join(self._order(t, d, query, aliases) for t, d in query.order)
        over = f"PARTITION BY {by} ORDER BY {order}" if by else f"ORDER BY {order}"
        shown.append(f"{'dense_rank' if query.offset else 'rank'}() OVER ({over}) AS place")
        ranked = f"SELECT {', '.join(shown)} {self._rows(query.with_(order=(), limit=None), tree, aliases)}"
        columns = ", ".join(quote_identifier(n) for n in names)
        place = f"= {query.offset + 1}" if query.offset else f"<= {query.limit or 1}"
        several = f" ORDER BY {quote_identifier(names[0])}" if query.limit != 1 else ""
        several += ", place" if several and not query.distinct else ""
        distinct = "DISTINCT " if query.distinct else ""
        return f"SELECT {distinct}{columns} FROM ({ranked}) AS x WHERE place {place}{several}"

    def _names(self, terms: Sequence[Term], taken: str) -> list[str]:
        """A name for each of some terms, none of them the one that is taken."""
        names: list[str] = []
        for term in terms:
            name = term.aggregate or (term.unit.split()[0] if term.unit else "value")
            if term.column is not None and not (term.aggregate or term.unit):
                name = self._index.columns[term.column].column.name
            if name in names and term.column is not None:
                table = self._index.tables[self._index.columns[term.column].table]
                name = f"{table.relation.name}_{name}"
            while name in names or name == taken:
                name += "_"
            names.append(name)
        return names

    def _over_each(self, query: Query, of_all: str, inner: str) -> str:
        """The aggregate of the groups `inner` for each of what they share, the greatest first."""
        names = [quote_identifier(n) for n in self._names(query.each, "n")]
        named = dict(zip(query.each, names, strict=True))
        if any(t not in named for t in query.select[:-1]):
            raise CannotJoin
        shown = ", ".join(named[t] for t in query.select[:-1])
        by = ", ".join(names)
        return f"SELECT {shown}, {of_all} FROM ({inner}) AS x ({by}, n) GROUP BY {by} ORDER BY {of_all} DESC"

    def _ranked_once(self, query: Query, tree: Tree) -> Query:
        """The query over rows that have what they are ranked by, and of which a join shows none twice."""
        read = dict.fromkeys(c for t, _ in query.order if not t.aggregate for c in t.columns())
        lacking = tuple(NullTest(c, negated=True) for c in read if not self._has_value(c, query))
        query = query.with_(where=(*query.where, *lacking))
        if query.group or any(t.aggregate for t in (*query.select, *(t for t, _ in query.order))):
            return query
        shown = dict.fromkeys(
            self._table(t.column) for t in query.select if not (t.unit or t in query.partition)
        )
        if any(all(self._graph.to_one(table, other) for other in tree.tables) for table in shown):
            return query
        keys = (Term(c) for table in shown for c in self._index.tables[table].columns)
        own = (t for t in keys if self._index.columns[t.column or 0].primary)
        return query.with_(
            group=tuple(dict.fromkeys((*query.partition, *own, *query.select, *(t for t, _ in query.order))))
        )

    def _outputs(self, query: Query, aliases: Mapping[int, str] | None, *, measured: bool) -> str:
        if query.star is not None:
            return f"{aliases[query.star]}.*" if aliases else "*"
        if measured and not any(t.aggregate for t in query.select):
            return ", ".join(self._term(t, aliases, measured=True) for t in query.select)
        return ", ".join(self._output(t, query, aliases) for t in query.select)

    def _output(self, term: Term, query: Query, aliases: Mapping[int, str] | None) -> str:
        """A term of the select list; a measure has the name that people give it, not what is made of it."""
        measured = (
            None if term.column is None or term.window or term.part else self._index.measured.get(term.column)
        )
        coded = term.column if term == Term(term.column) else None
        if query.spelled and coded is not None and coded in self._index.code_lists:
            return self._spelled_out(coded, aliases)
        text = rounded(self._index, term, self._term(term, aliases), query)
        if term.per is not None and not self._graph.to_one(self._table(term.column), self._table(term.per)):
            # so often does each row stand there: the number is their sum all the same
            return f"{text} AS {quote_identifier(f'sum_{self._index.columns[term.column or 0].column.name}')}"
        if measured is None or term.aggregate != measured.aggregate or term.per is not None:
            return text
        return f"{text} AS {quote_identifier(measured.name)}"

    def _spelled_out(self, number: int, aliases: Mapping[int, str] | None) -> str:
        """What the code in a column means, by the table that explains it; the code where that has none."""
        entry, explained = self._index.columns[number], self._index.code_lists[number]
        table = next(t for t in self._index.tables if t.relation.oid == explained.table and t.role is None)
        code = table.relation.by_name[explained.code]
        alias = _free("meaning", {*(aliases or {}).values(), *(t.relation.name for t in self._index.tables)})
        group, key, text = (
            f"{alias}.{quote_identifier(name)}" for name in (explained.group, explained.code, explained.text)
        )
        mine = stored = self.column(number, aliases)
        if code.category != entry.column.category:
            key, mine = f"{key}::text", f"{mine}::text"
        # without a key a second row may come, and no more than one is shown
        shown = text if explained.keyed else f"min({text})"
        found = f"SELECT {shown} FROM {self._name(table.index)} AS {alias}"
        listed = f"{group} = {quote_literal(explained.name)}"
        name = quote_identifier(entry.column.name)
        return f"coalesce(({found} WHERE {listed} AND {key} = {mine}), {stored}::text) AS {name}"

    def _table(self, column: int | None) -> int:
        return self._index.columns[column or 0].table

    def _order(self, term: Term, descending: bool, query: Query, aliases: Mapping[int, str] | None) -> str:
        # behind DISTINCT and set operations only what is shown can be sorted by, as it is shown
        text = self._term(term, aliases, measured=not (query.distinct or query.combine))
        entry = self._index.columns[term.column] if term.column is not None and not term.aggregate else None
        blank = entry is not None and entry.column.blank and not (query.distinct or query.combine)
        if blank and entry is not None and not (entry.cast or entry.dated or term.factor or term.unit):
            text = self._filled(entry, text)
        if not descending:
            return text
        nullable = (
            query.limit is not None
            and term.column is not None
            and term.aggregate != "count"
            and (blank or term.operator == "/" or not self._index.columns[term.column].column.not_null)
        )
        return f"{text} DESC" + (" NULLS LAST" if nullable else "")

    def _aliases_apart(self, columns: Sequence[int], aliases: Mapping[int, str]) -> dict[int, str]:
        names = ("e", *(f"e{number}" for number in range(2, len(aliases) + len(columns) + 2)))
        free = [name for name in names if name not in aliases.values()]
        return dict(zip(columns, free, strict=False))

    def _array(self, number: int, aliases: Mapping[int, str] | None) -> str:
        """The elements of a column as an array: its own, or those of the list in its text."""
        between = self._index.columns[number].between
        text = self.column(number, aliases, qualify=aliases is not None)
        return as_array(text, between) if between else text

    def _aliases(self, tree: Tree, others: Collection[str] = ()) -> dict[int, str]:
        """An alias for each table, none of them among the `others`."""
        taken: dict[int, str] = {}
        for table in tree.tables:
            entry = self._index.tables[table]
            initials = "".join(p[0] for p in pieces(entry.relation.name))[:4]
            if entry.role is not None:
                initials = entry.words[0]
            if not (initials.isascii() and initials.isidentifier()):
                initials = "t"
            alias, number = initials, 1
            while alias in taken.values() or alias in others or quote_identifier(alias) != alias:
                number += 1
                alias = f"{initials}{number}"
            taken[table] = alias
        return taken

    def _name(self, table: int) -> str:
        relation = self._index.tables[table].relation
        name = quote_identifier(relation.name)
        found = self._index.catalog.find(relation.name) if relation.on_path else None
        if found is not None and found.oid == relation.oid:
            return name
        return f"{quote_identifier(relation.schema)}.{name}"

    def _from(self, tree: Tree, aliases: Mapping[int, str] | None, join: str = "JOIN") -> str:
        if aliases is None:
            return self._name(tree.start)
        text = f"{self._name(tree.start)} AS {aliases[tree.start]}"
        seen = {tree.start}
        for edge in tree.edges:
            table = edge.right if edge.left in seen else edge.left
            seen.add(table)
            text += f" {join} {self._name(table)} AS {aliases[table]} ON {self._on(edge, aliases)}"
        return text

    def _on(self, edge: object, aliases: Mapping[int, str] | None) -> str:
        pairs: tuple[tuple[int, int], ...] = edge.on  # type: ignore[attr-defined]
        return " AND ".join(
            f"{self.column(left, aliases)} = {self.column(right, aliases)}" for left, right in pairs
        )

    def column(self, number: int, aliases: Mapping[int, str] | None = None, *, qualify: bool = True) -> str:
        """The column's name, qualified by its alias, or by its table's name outside a query."""
        entry = self._index.columns[number]
        part = entry.column.within
        name = quote_identifier(part[0] if part else entry.column.name)
        if number in self._elements:
            return f"{self._elements[number]}.{name}"
        if qualify and aliases is None:
            name = f"{quote_identifier(self._index.tables[entry.table].relation.name)}.{name}"
        elif qualify and aliases is not None:
            name = f"{aliases[entry.table]}.{name}"
        return json_parts.expression(entry.column, name) if part else name

    def _term(self, term: Term, aliases: Mapping[int, str] | None, *, measured: bool = False) -> str:
        if term.window:
            along = self._term(term.along, aliases) if term.along else ""
            bare = replace(term, window="", along=None, beside=())
            beside = [self._term(t, aliases) for t in term.beside]
            text = self._term(bare, aliases)
            if term.window in {"whole", "part", "running"} and not adds_up(text):
                raise CannotJoin
            return windowed(text, term.window, along, beside)
        if term.rows_of is not None:
            rows = f"(SELECT count(*) FROM {self._name(term.rows_of)})"
            if not term.aggregate:
                return rows
            return f"{self._term(replace(term, rows_of=None), aliases)}::numeric / nullif({rows}, 0)"
        if is_of_keys(term):
            of, each = (self.column(c, aliases, qualify=aliases is not None) for c in term.columns())
            return f"count(DISTINCT {of})::numeric / nullif(count(DISTINCT {each}), 0)"
        if term.aggregate in {"share", "ratio", "difference"}:
            part, against = (
                " AND ".join(self._condition(c, aliases) for c in conditions)
                for conditions in (term.part, term.against)
            )
            if term.aggregate == "ratio":
                return ratio(part, against, self._summed(term, aliases))
            if term.aggregate == "difference":
                summed = self._summed(term, aliases)
                of = "" if not term.percent else part if term.falling else against
                return difference(part, against, summed, term.each, of=of)
            return share(part, self._summed(term, aliases), percent=term.percent)
        such = " AND ".join(self._condition(c, aliases) for c in term.part)
        only = f" FILTER (WHERE {such})" if such else ""
        if term.column is None:
            return f"count(*){only}"
        if term.column in self._index.measured:
            measure = self._index.measured[term.column]
            if only and (not measure.inner or term.per is not None):
                raise CannotJoin  # what is worked out of several aggregates has no rows of its own
            return f"{self._measured(measure, term, aliases)}{only}"
        text = self.column(term.column, aliases, qualify=aliases is not None)
        entry = self._index.columns[term.column]
        if entry.cast and (measured or term.aggregate in {"sum", "avg", "max", "min", "median"}):
            text = f"{self._filled(entry, text)}::numeric"
        reckoned = bool(term.unit) or term.factor is not None
        unsorted = entry.dated != ISO and (measured or term.aggregate in {"max", "min"})
        if entry.dated and (reckoned or unsorted):
            text = self._date(text, entry.dated)
        if term.unit == SINCE:
            return days_since(f"{term.aggregate}({text})" if term.aggregate else text)
        if term.unit and term.factor is None:
            text = as_array(text, entry.between) if term.unit == ELEMENTS and entry.between else text
            text = of_unit(text, term.unit)
        if term.factor is not None:
            other = self.column(term.factor, aliases, qualify=aliases is not None)
            far = self._index.columns[term.factor]
            other = self._date(other, far.dated) if far.dated else other
            if term.unit or (term.operator == "-" and of_day(far.column.type_name)):
                kinds = ("date" if c.dated else c.column.type_name for c in (entry, far))
                exact = measured or term.aggregate in {"avg", "sum"}
                ends = (text, next(kinds)), (other, next(kinds))
                text = span(*ends, term.unit or "hour", exact=exact)
                return f"{aggregated(text, term.aggregate, distinct=False)}{only}" if term.aggregate else text
            if term.operator == "/" and term.aggregate == "sum":
                part, whole = f"sum({text}){only}", f"nullif(sum({other}){only}, 0)"
                return f"{part}::numeric / {whole}"
            text = (
                f"{text}::numeric / nullif({other}, 0)"
                if term.operator == "/"
                else f"{text} {term.operator} {other}"
            )
        if term.per is not None:
            each = self.column(term.per, aliases, qualify=aliases is not None)
            whole = f"{term.aggregate}({text}){only}{'::numeric' if self._truncated(term) else ''}"
            return f"{whole} / count(DISTINCT {each}){only}"
        if not term.aggregate:
            return text
        return f"{aggregated(text, term.aggregate, distinct=term.distinct)}{only}"

    def _truncated(self, term: Term) -> bool:
        """Whether a sum divided by a count loses its fraction; one of rows joined so often has none."""
        read = [self._index.columns[c] for c in (term.column, term.factor) if c is not None]
        each = self._index.columns[term.per or 0].table
        exact = any(c.cast or c.column.type_name.startswith(_FRACTIONS) for c in read)
        return not exact and self._graph.to_one(read[0].table, each)

    def _filled(self, entry: ColumnEntry, text: str) -> str:
        """Text in whose place an empty one is none."""
        blank = entry.column.category == "S" and not entry.column.within
        return f"nullif({text}, '')" if blank and (entry.column.blank or entry.dated) else text

    def _date(self, text: str, way: str) -> str:
        """Text as the date it writes; '' is no date."""
        return f"to_date(nullif({text}, ''), '{way}')"

    def _stated(self, parts: tuple[str | int, ...], aliases: Mapping[int, str] | None) -> str:
        """SQL as people write it, over this query's columns."""
        return "".join(
            self.column(part, aliases, qualify=aliases is not None) if isinstance(part, int) else part
            for part in parts
        )

    def _summed(self, term: Term, aliases: Mapping[int, str] | None) -> str:
        """What a ratio or a share adds up of each row; nothing where rows are counted."""
        if term.column is None:
            return ""
        known = self._index.measured.get(term.column)
        if known is not None and not known.inner:
            raise CannotJoin  # it is of many rows already
        return self._term(replace(term, aggregate="", part=(), against=()), aliases, measured=True)

    def _measured(self, measured: MeasureColumn, term: Term, aliases: Mapping[int, str] | None) -> str:
        """A measure as people write it, or another aggregate of what it adds up."""
        if term.per is not None and measured.inner and term.aggregate == measured.aggregate:
            each = self.column(term.per, aliases, qualify=aliases is not None)
            return f"{self._stated(measured.whole, aliases)} / count(DISTINCT {each})"
        if term.aggregate == measured.aggregate or not (term.aggregate or measured.inner):
            return self._stated(measured.whole, aliases)
        if not measured.inner or term.per is not None or term.factor is not None:
            raise CannotJoin
        inner = self._stated(measured.inner, aliases)
        return f"{term.aggregate}({inner})" if term.aggregate else inner

    def _is_cast(self, term: Term) -> bool:
        """Whether a term is a plain column of numbers kept as text."""
        return term.column is not None and not term.aggregate and self._index.columns[term.column].cast

    def _is_json(self, term: Term) -> bool:
        """Whether a term is an array within JSON."""
        return term.column is not None and bool(self._index.columns[term.column].column.within)

    def _is_dated(self, condition: Compare) -> bool:
        """Whether a date kept as text is compared with a time, not with the text of a value."""
        term, right = condition.term, condition.right
        dated = term.column is not None and bool(self._index.columns[term.column].dated)
        return dated and isinstance(right, Literal) and right.kind in {"time", "ago"}

    def _large(self, query: Query) -> bool:
        """Whether NOT IN may read a query again for each row: it is hashed only where it fits into memory."""
        rows = (self._index.tables[t].relation.estimated_rows for t in tables_read(self._index, query))
        return max(rows, default=0) > HASHED_ROWS

    def _literal(self, literal: Literal) -> str:
        if literal.kind == "ago":
            return ago(*literal.value.split())
        return literal.value if literal.kind in {"number", "reckoned"} else quote_literal(literal.value)

    def _condition(self, condition: Condition, aliases: Mapping[int, str] | None) -> str:
        if isinstance(condition, Compare):
            same = condition.operator in {"=", "<>"} and not self._is_dated(condition)
            left = self._term(condition.term, aliases, measured=not same and not condition.term.aggregate)
            if isinstance(condition.right, Literal):
                if condition.operator in {"HAS", "HAS NOT"}:
                    if self._is_json(condition.term):
                        held = f"{left} ? {self._literal(condition.right)}"
                        return held if condition.operator == "HAS" else f"NOT {held}"
                    left = self._array(condition.term.column or 0, aliases)
                    word = "= ANY" if condition.operator == "HAS" else "<> ALL"
                    return f"{self._literal(condition.right)} {word} ({left})"
                if same and self._is_cast(condition.term):
                    return f"{left} {condition.operator} {quote_literal(condition.right.value)}"
                return f"{left} {condition.operator} {self._literal(condition.right)}"
            if isinstance(condition.right, Term):
                return f"{left} {condition.operator} {self._term(condition.right, aliases)}"
            dated = condition.term.column is not None and self._index.columns[condition.term.column].dated
            if same and (dated or self._is_cast(condition.term)):
                left = self._term(condition.term, aliases, measured=True)
            if condition.right.alike:
                return f"{left} {condition.operator} ({self._of_alike(condition.right, aliases)})"
            return f"{left} {condition.operator} ({self._one(condition.right, measured=not same)})"
        if isinstance(condition, Member):
            left = self.column(condition.column, aliases, qualify=aliases is not None)
            inner = self._one(condition.query)
            if condition.negated and self._large(condition.query):
                entry = self._index.columns[condition.column]
                x = _free("x", (aliases or {}).values())
                key = _free("key", self._index.tables[entry.table].relation.by_name)
                absent = f"NOT EXISTS (SELECT 1 FROM ({inner}) AS {x}({key}) WHERE {x}.{key} = {left})"
                return f"({left} IS NOT NULL AND {absent})" if entry.column.may_be_empty else absent
            return f"{left} {'NOT IN' if condition.negated else 'IN'} ({inner})"
        if isinstance(condition, NullTest):
            left = self.column(condition.column, aliases, qualify=aliases is not None)
            left = self._filled(self._index.columns[condition.column], left)
            return f"{left} IS {'NOT ' if condition.negated else ''}NULL"
        if isinstance(condition, StatedCondition):
            return self._stated(condition.parts, aliases)
        options = [" AND ".join(self._condition(c, aliases) for c in part) for part in condition.parts]
        return "(" + " OR ".join(options) + ")"
