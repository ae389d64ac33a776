"""What comes first: sorting, superlatives, the best of each group.

Owns: ORDER BY and LIMIT of a query, with the ways a superlative can be meant, marked by flags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from askwire.language.lexicon import HELD, NOT_ADDED
from askwire.language.text import listed
from askwire.planner.embedded.grammar.atoms import (
    FIGURE,
    OVER_GROUPS,
    WITHIN_YEAR,
    Frame,
    SortKey,
    Superlative,
)
from askwire.planner.embedded.interpretation.namesakes import unique
from askwire.planner.embedded.interpretation.outputs import Outputs
from askwire.planner.embedded.interpretation.resolve import Assignment, measure
from askwire.planner.embedded.linking.linker import Option
from askwire.planner.embedded.logical_form.ir import Compare, Member, NullTest, Query, Term
from askwire.planner.embedded.schema.elements import different
from askwire.planner.embedded.schema.joins import JoinGraph
from askwire.planner.embedded.schema.line_amounts import is_stock
from askwire.planner.embedded.schema.schema_index import ColumnEntry, SchemaIndex, tells_apart

_MIN_ROWS_PER_VALUE: Final = 10
"""Rows per value from which on a value is of many rows, not of one."""
_MIN_REPEATED_ROWS: Final = 3
_MIN_SUMMED_ROWS: Final = 1.5
"""Rows that belong to one, from which on amounts of them are added up."""
"""Rows per value from which on several values are not told by one row each."""
_COUNTED: Final = frozenset({"total", "number", "count"})
_OF_ONE: Final = frozenset({"amount", "price", "cost", "value"})
"""What a total may be that a single row has: the total amount of a bill."""
_SHARES: Final = frozenset(
    listed(
        "percentage percent rate ratio average rank score rating age year level expectancy satisfaction nps"
    )
)
"""Measures that do not add up."""
_AVERAGED: Final = frozenset(listed("rate ratio percentage percent rating expectancy satisfaction nps"))
_GRADES: Final = frozenset({"good", "bad", "high", "low"})
"""Adjectives of any measure: 'the best satisfaction' is no measure of its own."""
_ADDED_UP: Final = frozenset(
    listed(
        """
    population inhabitant people gnp gdp area revenue sale sales turnover income profit amount total quantity
    budget spending vote goal point medal death case attendance visitor passenger enrollment production output
    """
    )
)
"""Measures of rows that come to one of their group."""


def _in_week(term: Term) -> Term:
    """Weekdays in their order: by the least number of those that share a name."""
    return replace(term, unit="weekday number", aggregate="min") if term.unit == "weekday" else term


def _is_number(column: ColumnEntry) -> bool:
    """Whether a column holds a figure, and no number by which rows are told apart."""
    return column.kind == "number" and not tells_apart(column)


def _in_place(query: Query, nth: int) -> Query | None:
    """The row in the n-th place instead of the first; a value alone has its place among different ones."""
    if query.limit != 1 or not query.order:
        return None
    (term, _), *_ = query.order
    value = query.select == (term,) and not query.group
    return query.with_(offset=nth - 1, distinct=query.distinct or value)


class Orders:
    """The orders of one frame under one assignment; `keys_for` tells the keys of what is shown."""

    def __init__(
        self,
        index: SchemaIndex,
        graph: JoinGraph,
        frame: Frame,
        chosen: Assignment,
        outputs: Outputs,
        groups: list[Term],
        keys_for: Callable[[list[Term]], list[Term]],
    ) -> None:
        self._index = index
        self._graph = graph
        self._frame = frame
        self._chosen = chosen
        self._outputs = outputs
        self._groups = groups
        self._keys_for = keys_for

    def all(self, query: Query) -> Iterator[tuple[Query, frozenset[str]]]:
        """The query with each order and limit it may have, and the flags of the choices."""
        item = self._frame.superlative
        order: list[tuple[Term, bool]] = []
        for sort in self._frame.sorts:
            option = self._outputs.option(sort.mention)
            if sort.counted:
                order.append((Term(aggregate="count", of=self._outputs.table(sort.mention)), sort.descending))
                if option is not None and option.table:
                    query = query.with_(tables=query.tables | {option.index})
            elif option is None:
                term = self._sort_default(query, sort)
                if term is not None:
                    order.append((term, sort.descending))
            elif option.table:
                order += [(Term(c), sort.descending) for c in self._outputs.label(option.index)[:1]]
            elif cut := self._series(query, option, sort):
                order.append((cut, sort.descending != option.flip))
            else:
                term = Term(option.index, sort.aggregate)
                if query.group and not sort.aggregate and term not in query.group:
                    owners = {
                        self._index.columns[g.column].table
                        for g in query.group
                        if g.column is not None and self._index.columns[g.column].primary
                    }
                    if self._index.columns[option.index].table not in owners:
                        continue
                order.append((term, sort.descending != option.flip))
        if item is None:
            limit = self._frame.limit
            if len(order) == 1 and limit is None and (together := self._adds_up(query, order[0][0])):
                # 'continents ordered by area', of rows of countries
                order = [(replace(order[0][0], aggregate=together), order[0][1])]
                query = query.with_(group=query.select)
            if not order and limit is None:
                query = self._of_a_group(query)
                order = self._reading_order(query)
            yield query.with_(order=tuple(order), limit=limit), frozenset()
            return
        for found, flags in self._superlative(query, item, order):
            placed = found if item.nth < 2 else _in_place(found, item.nth)
            if placed is not None:
                yield placed, flags

    def _series(self, query: Query, option: Option, sort: SortKey) -> Term | None:
        """The months of which the newest come first, where a time sorts what is grouped by them."""
        timed = self._index.columns[option.index].kind == "time" and not sort.aggregate
        cut = [t for t in query.group if t.unit and self._is_time(t)]
        return _in_week(cut[0]) if timed and len(cut) == 1 else None

    def _reading_order(self, query: Query) -> list[tuple[Term, bool]]:
        """Groups that no order is asked for: a series in the order of time, others by their one measure."""
        measured = [t for t in query.select if t.aggregate]
        if not query.group or not measured or query.combine or self._frame.flags & OVER_GROUPS.keys():
            return []
        series = [t for t in query.group if t in query.select and self._is_time(t)]
        if series:
            return [(_in_week(t), False) for t in series]
        return [(measured[0], True)] if len(measured) == 1 and measured[0].aggregate != "share" else []

    def _is_time(self, term: Term) -> bool:
        column = None if term.column is None or term.aggregate else self._index.columns[term.column]
        return bool(term.unit) or (column is not None and (column.kind == "time" or "year" in column.full))

    def _sort_default(self, query: Query, sort: SortKey) -> Term | None:
        measured = [t for t in query.select if t.aggregate]
        sized = sort.adjective == FIGURE
        if (sort.descending or sized) and query.group and (len(measured) == 1 or (sized and measured)):
            return measured[0]  # 'deaths per county, highest first'
        if (sort.descending or sized) and not measured:
            reckoned = [t for t in query.select if t.factor is not None]
            if sized and not reckoned:
                columns = self._index.columns
                reckoned = [t for t in query.select if t.column is not None and _is_number(columns[t.column])]
            if len(reckoned) == 1:
                return reckoned[0]  # 'output per capita by country, highest first'
        for term in query.select:
            if (
                term.column is not None
                and not term.aggregate
                and self._index.columns[term.column].kind == "text"
            ):
                return term
        return query.select[0] if query.select else None

    def _superlative(
        self, query: Query, item: Superlative, order: list[tuple[Term, bool]]
    ) -> Iterator[tuple[Query, frozenset[str]]]:
        option = self._ranking(item)
        if item.holder is not None and self._held_in(item.holder) is None:
            return  # what is the first is no table here
        best = self._in_the_best(query, item, option)
        if best is not None:
            yield best, frozenset({"sup_order"})
            return
        if item.holder is not None and item.counted and self._are_shown(query, option):
            return  # 'the films in the category with the most films' is about no single film
        if item.counted:
            query = self._without_moments(query)
        of_each = list(self._best_of_each(query, item))
        yield from of_each
        if of_each:
            return  # 'the 3 best of each category' are not three in all, nor is the best of each one
        if item.counted and not item.itself:
            if any(t.aggregate for t in query.select) and not query.group:
                return  # of one number there is no first
            for table, flag in self._counted_tables(option):
                tables = query.tables | ({table} if table is not None else frozenset())
                yield (
                    query.with_(
                        order=((Term(aggregate="count", of=table), item.descending), *order),
                        limit=item.limit,
                        tables=tables,
                    ),
                    frozenset({"sup_count", flag} - {""}),
                )
            return
        if item.itself:
            if option is None:
                return
            if self._of_rows(query, option):
                most = Query(
                    select=(Term(option.index),),
                    where=(NullTest(option.index, negated=True),),
                    group=(Term(option.index),),
                    order=((Term(aggregate="count"), item.descending),),
                    limit=item.limit,
                )
                yield (
                    query.with_(group=(), where=(*query.where, Member(option.index, most, negated=False))),
                    frozenset({"sup_rows"}),
                )
                return
            by = (
                [
                    *(Term(c) for c in self._outputs.primary(option.index)),
                    *(Term(c) for c in self._outputs.label(option.index)),
                ]
                if option.table
                else [Term(option.index)]
            )
            query, alone = self._with_rows_of(query, option)
            if alone:
                return  # every one of them is there once
            group = tuple(dict.fromkeys([*query.group, *by]))
            if any(t.aggregate for t in query.select) and not query.group:
                return
            yield (
                query.with_(
                    order=((Term(aggregate="count"), item.descending),), limit=item.limit, group=group
                ),
                frozenset({"sup_itself"}),
            )
            return
        if option is None or option.table or self._index.columns[option.index].codes:
            return  # codes have no first and no last
        total = item.aggregate or self._outputs.total(item.mention)
        if item.limit == 1 and not item.aggregate and self._is_of_a_row(query, option):
            total = ""
        term = Term(option.index, total, factor=option.factor, operator=option.operator)
        descending = item.descending != option.flip
        aggregates = [t for t in query.select if t.aggregate]
        if aggregates and not query.group:
            # 'how many … the largest …': the rows that reach the extreme
            extreme = Query(select=(Term(option.index, "max" if descending else "min"),))
            yield (
                query.with_(where=(*query.where, Compare(Term(option.index), "=", extreme))),
                frozenset({"sup_rows"}),
            )
            return
        if total and not item.aggregate and not query.group:
            plain = [t for t in query.select if not t.aggregate]
            query = query.with_(group=(*self._own_key(plain), *self._keys_for(plain), *plain))
        if query.group and not total and term not in query.group:
            owned = {
                self._index.columns[g.column].table
                for g in query.group
                if g.column is not None and self._index.columns[g.column].primary
            }
            if self._index.columns[option.index].table not in owned:
                number = self._index.columns[option.index].kind == "number"
                key = Term(option.index, "sum" if number else "max")
                yield query.with_(order=((key, descending),), limit=item.limit), frozenset({"sup_sum"})
                return
        several = self._several_rows(query, item, term)
        if several is not None:
            yield several, frozenset({"sup_sum"})
            return
        if item.limit > 1 and self._one_of_many(query, item, term):
            yield self._summed_per_value(query, item, term), frozenset({"sup_sum"})
            return
        together = self._of_all_its_rows(query, item, term)
        if together is not None:
            measured = Term(option.index, together)
            grouped = query.with_(group=query.select, order=((measured, descending),), limit=item.limit)
            yield grouped, frozenset({"sup_sum"})
            return
        if not self._one_of_many(query, item, term):
            yield query.with_(order=((term, descending), *order), limit=item.limit), frozenset({"sup_order"})
        if total:
            shown = query.with_(select=(*query.select, term), order=((term, descending),), limit=item.limit)
            if term not in query.select:
                yield shown, frozenset({"sup_shown"})
            return
        if {"rank", "ranking", "position", "place"} & set(self._index.columns[option.index].full):
            # the highest rank is the first
            yield (
                query.with_(order=((term, not descending), *order), limit=item.limit),
                frozenset({"sup_rank"}),
            )
        plain = [t for t in query.select if t.column is not None and not t.aggregate]
        summable = self._index.columns[option.index].kind == "number" and term not in plain
        summable = summable and not self._is_a_row(plain, option)
        if len(plain) == 1 and summable and not (query.group or item.aggregate or item.adjective):
            key = Term(option.index, "sum")
            grouped = query.with_(group=tuple(plain), order=((key, descending),), limit=item.limit)
            yield grouped, frozenset({"sup_group_sum"})
        if item.limit == 1 and not item.aggregate and not query.group:
            extreme = Query(select=(Term(option.index, "max" if descending else "min"),))
            yield (
                query.with_(
                    where=(*query.where, Compare(Term(option.index), "=", extreme)), order=tuple(order)
                ),
                frozenset({"sup_ties"}),
            )

    def _in_the_best(self, query: Query, item: Superlative, option: Option | None) -> Query | None:
        """'the cities in the county with the most police officers': all rows that belong to the one best."""
        holder = None if item.holder is None else self._held_in(item.holder)
        if holder is None or option is None or item.limit != 1 or item.nth > 1:
            return None
        if self._groups or query.having or query.combine:
            return None
        query = query.with_(group=())  # of what is shown, for its count
        shown = {
            term.of if term.column is None else self._index.columns[term.column].table
            for term in query.select
        }
        tables = [t for t in shown if t is not None]
        if item.itself:
            tables = [t for t in tables if len(self._graph.way(t, holder)) == 1]
        if len(tables) != 1 or holder in shown or (len(shown) != 1 and not item.itself):
            return None
        way = self._graph.way(tables[0], holder)
        if not way or way[-1].right != holder or len(way[-1].on) != 1:
            return None
        if self._graph.to_one(holder, tables[0]):
            return None
        key = way[-1].on[0][1]
        counted = item.counted
        by = option.index if option.table else self._index.columns[option.index].table
        if item.itself:  # 'the dogs of the rarest breed'
            if by != holder:
                return None
            by = tables[0]
        if (option.table and not counted) or (by in shown and not counted):
            return None
        term = Term(aggregate="count", of=by) if counted else Term(option.index)
        if not counted and by != holder:
            term = replace(term, aggregate="sum" if item.summed or item.aggregate == "sum" else "max")
        own = [
            c
            for c in query.where
            if isinstance(c, Compare)
            and c.term.column is not None
            and self._index.columns[c.term.column].table == holder
        ]
        first = Query(
            select=(Term(key),),
            where=tuple(own),
            group=(Term(key),) if term.aggregate else (),
            order=((term, item.descending != option.flip),),
            limit=1,
            tables=frozenset({holder, by}),
        )
        rest = [c for c in query.where if c not in own]
        return query.with_(where=(*rest, Member(key, first, negated=False)), tables=query.tables | {holder})

    def _are_shown(self, query: Query, option: Option | None) -> bool:
        """Whether what is counted are the rows that are shown."""
        counted = option.index if option is not None and option.table else None
        columns = (t.column for t in query.select if t.column is not None)
        return counted is not None and {self._index.columns[c].table for c in columns} == {counted}

    def _held_in(self, mention: int) -> int | None:
        """The table that a mention became, or to which the key leads that it became."""
        option = self._outputs.option(mention)
        if option is None or option.table:
            return None if option is None else option.index
        column = self._index.columns[option.index]
        keyed = (e for e in self._graph.neighbours(column.table) if e.left == column.table)
        return next((e.right for e in keyed if [left for left, _ in e.on] == [option.index]), None)

    def _is_named(self, table: int) -> bool:
        return any(o.table and o.index == table for o in self._chosen.mentions.values())

    def _calls(self, column: ColumnEntry) -> bool:
        """Whether a column says which row is meant, by name or by key."""
        return column.primary or column.index in self._index.labels[column.table]

    def _is_a_row(self, plain: Sequence[Term], option: Option) -> bool:
        """'the 3 largest flats': each row that is called so, by a column of its own."""
        shown = [self._index.columns[t.column] for t in plain if t.column is not None]
        own = {self._index.columns[option.index].table}
        return {c.table for c in shown} == own and self._is_named(*own) and all(map(self._calls, shown))

    def _is_of_a_row(self, query: Query, option: Option) -> bool:
        """'the city of the company with the largest sales': what is shown and ranked are one company's."""
        table = self._index.columns[option.index].table
        shown = [self._index.columns[t.column].table for t in query.select if t.column is not None]
        return bool(shown) and {*shown} == {table} and self._is_named(table) and option.factor is None

    def _ranking(self, item: Superlative) -> Option | None:
        """What is ranked by; 'total payments' is by what the rows of payments measure."""
        option = self._outputs.option(item.mention)
        if option is None or not option.table or not item.aggregate or option.label:
            return option
        column = measure(self._index, option.index)
        return option if column is None else Option(False, column, option.score)

    def _with_rows_of(self, query: Query, option: Option) -> tuple[Query, bool]:
        """The query with a table whose rows are counted per `option`; whether there is none but its own."""
        table = option.index if option.table else self._index.columns[option.index].table
        single = option.table or unique(self._index, option.index)
        if not single or query.tables - {table} or any(t != table for t in self._chosen.tables):
            return query, False
        edges = [e for e in self._graph.neighbours(table) if e.right == table]
        if not edges:
            return query, True
        return query.with_(tables=query.tables | {edges[0].left}), False

    def _several_rows(self, query: Query, item: Superlative, term: Term) -> Query | None:
        """'top 3 countries by output' where a row holds a key to its country: rows of one belong together."""
        plain = [t for t in query.select if t.column is not None and not t.aggregate]
        if len(plain) != 1 or len(query.select) != 1 or item.limit < 2 or item.adjective or item.aggregate:
            return None
        shown = self._index.columns[plain[0].column or 0]
        measured = self._index.columns[term.column or 0]
        if not shown.key or shown.primary or query.group or measured.kind != "number":
            return None
        key = Term(term.column, "sum")
        return query.with_(group=tuple(plain), order=((key, item.descending),), limit=item.limit)

    def _one_of_many(self, query: Query, item: Superlative, term: Term) -> bool:
        """'the city with the most injured' over rows of events: a city is on many, whose counts add up.

        Where several are wanted, rows of one value would be no list of the best: 'top 3 cities by total'.
        """
        several = item.limit > 1
        others = [t for t in query.select if t != term or not several]
        if query.group or item.adjective or item.aggregate or any(t.aggregate for t in others):
            return False
        ranked = self._of_what_is_ranked(item, others) if several else others
        if not self._of_one_table(ranked) or (len(ranked) > 1 and not several):
            return False
        shown = self._index.columns[ranked[0].column or 0]
        measured = self._index.columns[term.column or 0]
        if measured.kind != "number" or measured.key or term in others or _SHARES & set(measured.full):
            return False
        counted = _COUNTED & set(measured.full) and not _OF_ONE & set(measured.full)
        stocked = is_stock(measured.column) and shown.table != measured.table
        if not (several or item.summed or counted or stocked):
            return False  # 'the category with the lowest stock' is no category of one product
        if shown.table != measured.table:
            # rows that each belong to one of what is shown
            many, one = measured.table, shown.table
            if not self._graph.to_one(many, one) or self._graph.to_one(one, many):
                return False
            of_one = self._rows(measured.table) / max(1.0, self._rows(shown.table))
            adds_up = not (NOT_ADDED | HELD) & set(measured.full)
            return item.summed or of_one >= (_MIN_SUMMED_ROWS if adds_up else _MIN_REPEATED_ROWS)
        rows = self._rows(shown.table)
        if (not several or self._calls(shown)) and self._is_named(shown.table):
            return False  # 'the city of the company with the largest sales', 'the 3 largest flats'
        if item.things is not None and self._outputs.table(item.things) == shown.table:
            return False  # 'top 5 orders by freight, ship city and freight'
        few = 0 < different(shown, rows) * (_MIN_REPEATED_ROWS if several else _MIN_ROWS_PER_VALUE) <= rows
        return few and not shown.key and len(others) == 1

    def _of_what_is_ranked(self, item: Superlative, terms: list[Term]) -> list[Term]:
        """What is shown of products themselves in 'top 3 products by quantity with supplier and category'."""
        own = self._outputs.entity if item.things is None else self._outputs.table(item.things)
        tables = {self._index.columns[t.column].table for t in terms if t.column is not None}
        if own not in tables or not all(t == own or self._graph.to_one(own, t) for t in tables):
            return terms
        return [t for t in terms if t.column is not None and self._index.columns[t.column].table == own]

    def _of_all_its_rows(self, query: Query, item: Superlative, term: Term) -> str | None:
        """'the continent with the largest population' over rows of countries: 'sum', or 'avg' of rates.

        None where rows themselves are spoken of: 'the continent of the country with the largest population'.
        """
        if item.aggregate or item.nth > 1:
            return None
        return self._adds_up(query, term, adjective=item.adjective)

    def _own_key(self, plain: Sequence[Term]) -> list[Term]:
        """The key of the products of 'the top products by revenue', of which only others are shown."""
        own = self._outputs.entity
        shown = {self._index.columns[t.column].table for t in plain if t.column is not None}
        if own is None or own in shown or not all(self._graph.to_one(own, table) for table in shown):
            return []
        return [Term(c) for c in self._outputs.primary(own)]

    def _of_a_group(self, query: Query) -> Query:
        """'the population of Europe' over rows of countries is that of all of them together."""
        shown = query.select[0] if len(query.select) == 1 else Term()
        plain = shown.column is not None and shown == Term(shown.column)
        if (
            not plain
            or query.group
            or query.combine
            or query.distinct
            or not self._outputs.is_one(shown.column)
        ):
            return query
        entry = self._index.columns[shown.column or 0]
        named = {c.term.column for c in query.where if isinstance(c, Compare) and c.operator == "="}
        rows = self._rows(entry.table)
        of_many = [c for c in named if c is not None and self._is_category(c, entry.table, rows)]
        if len(of_many) != 1 or len(query.where) != 1 or self._is_named(entry.table):
            return query
        adds_up = entry.kind == "number" and not entry.key and _ADDED_UP & set(entry.full)
        if not adds_up or _SHARES & set(entry.full):
            return query
        return query.with_(select=(Term(entry.index, "sum"),))

    def _is_category(self, column: int, table: int, rows: float) -> bool:
        """Whether a column puts the rows of a table into a few groups."""
        entry = self._index.columns[column]
        few = 0 < different(entry, rows) * _MIN_REPEATED_ROWS <= rows
        return entry.table == table and few and not entry.key and column not in self._index.labels[table]

    def _adds_up(self, query: Query, term: Term, *, adjective: str = "") -> str | None:
        """How a measure of rows comes to one of what is shown of them; None where rows are spoken of."""
        if len(query.select) != 1 or query.group or term.factor is not None or term.aggregate:
            return None
        if term.column is None or term.unit:
            return None
        shown = self._index.columns[query.select[0].column or 0]
        measured = self._index.columns[term.column or 0]
        if (
            query.select[0].column is None
            or query.select[0].aggregate
            or self._is_named(shown.table)
            or shown.table != measured.table
        ):
            return None
        if shown.key or shown.kind not in {"text", "enum"} or measured.kind != "number" or measured.key:
            return None
        labels = self._index.labels[shown.table]
        rows = self._rows(shown.table)
        if shown.index in labels or not labels or not 0 < different(shown, rows) * _MIN_REPEATED_ROWS <= rows:
            return None
        words = set(measured.full)
        if _SHARES & words:
            return "avg" if _AVERAGED & words and (not adjective or adjective in _GRADES) else None
        return "sum" if _ADDED_UP & words else None

    def _summed_per_value(self, query: Query, item: Superlative, term: Term) -> Query:
        """The best of what is shown by the sum of its rows, instead of one row each."""
        key = replace(term, aggregate="sum")
        labels = [t for t in query.select if t != term]
        tables = {self._index.columns[t.column].table for t in (*labels, term) if t.column is not None}
        keys = self._keys_for(labels) if len(tables) > 1 else []
        select = tuple(key if t == term else t for t in query.select)
        order = ((key, item.descending),)
        return query.with_(
            select=select, group=tuple(dict.fromkeys((*keys, *labels))), order=order, limit=item.limit
        )

    def _of_one_table(self, terms: Sequence[Term]) -> bool:
        """Whether the terms are columns of one table."""
        columns = [t.column for t in terms]
        return (
            None not in columns and len({self._index.columns[c].table for c in columns if c is not None}) == 1
        )

    def _rows(self, table: int) -> float:
        return self._index.tables[table].relation.estimated_rows

    def _of_rows(self, query: Query, option: Option) -> bool:
        """'customers who use the most common payment method': whether rows that have it are asked for."""
        if (
            option.table
            or self._groups
            or query.having
            or any(t.aggregate or t.column is None for t in query.select)
        ):
            return False
        shown = {self._index.columns[t.column].table for t in query.select if t.column is not None}
        told = any(t.column == option.index for t in query.select)
        return not told and shown == {self._index.columns[option.index].table}

    def _without_moments(self, query: Query) -> Query:
        """'the month with the most tickets sold': counted in each month, not at each moment of one."""
        cut = {t.column for t in self._groups if t.unit}
        kept = tuple(t for t in query.select if t.column not in cut or t.unit or t.aggregate)
        gone = set(query.select) - set(kept)
        return (
            query.with_(select=kept, group=tuple(t for t in query.group if t not in gone)) if gone else query
        )

    def _best_of_each(self, query: Query, item: Superlative) -> Iterator[tuple[Query, frozenset[str]]]:
        """'the best product in each category': the order holds within each group.

        What they are ranked by may be shown; of 'the best month of each year' both are.
        """
        groups = self._groups
        option = self._ranking(item)
        measured = [t for t in query.select if t.aggregate]
        plain = [t for t in query.select if not t.aggregate and t not in groups]
        if item.itself and groups and option is not None and not measured:
            yield from self._most_common_of_each(query, item, option)
            return
        within = WITHIN_YEAR in self._frame.flags
        years = [replace(t, unit="year") for t in groups if t.unit and within]
        if not groups or not (plain or years) or item.itself:
            return
        if item.counted:
            table = None if option is None else self._outputs.table(item.mention)
            key = Term(aggregate="count", of=table)
            query = query.with_(tables=query.tables | ({table} if table is not None else frozenset()))
        elif option is None or option.table:
            return
        else:
            total = item.aggregate or self._outputs.total(item.mention)
            key = Term(option.index, total, factor=option.factor, operator=option.operator)
        if any(not self._is_same_measure(t, key) for t in measured):
            return
        bare = [key.column] if key.aggregate and key.column is not None else []
        if key.of is not None:
            bare += [*self._outputs.primary(key.of), *self._outputs.label(key.of)]
        if said := [t for t in plain if t.column in bare]:
            plain, measured = [t for t in plain if t not in said], [key]
        keys = [] if years else self._keys_for(groups)
        group = (*keys, *years, *groups, *self._keys_for(plain), *plain) if key.aggregate else ()
        flip = option is not None and option.flip
        yield (
            query.with_(
                select=tuple(dict.fromkeys((*years, *groups, *plain, *([key] if measured else ())))),
                group=tuple(dict.fromkeys(group)),
                order=((key, item.descending != flip),),
                limit=item.limit,
                partition=tuple(years or self._apart(keys, groups)),
            ),
            frozenset({"sup_of_each"}),
        )

    def _apart(self, keys: Sequence[Term], groups: Sequence[Term]) -> list[Term]:
        """What tells groups apart: the keys of things, and all else that is no name of theirs."""
        keyed = {self._index.columns[t.column].table for t in keys if t.column is not None}
        keyed |= {named for table in keyed if (named := self._index.naming.get(table)) is not None}
        names = {c for table in keyed for c in self._outputs.label(table)}
        return list(dict.fromkeys((*keys, *(t for t in groups if t.unit or t.column not in names))))

    def _is_same_measure(self, term: Term, key: Term) -> bool:
        """Whether a figure that is shown is what rows are ranked by, of which a count says what it counts."""
        if term.aggregate != "count" or key.aggregate != "count":
            return term == key
        of = term.of if term.column is None else self._index.columns[term.column].table
        return of in {None, key.of, self._outputs.entity}

    def _most_common_of_each(
        self, query: Query, item: Superlative, option: Option
    ) -> Iterator[tuple[Query, frozenset[str]]]:
        """'the most common payment method per channel': values counted within each group."""
        label = [Term(c) for c in self._outputs.label(option.index)] if option.table else [Term(option.index)]
        keys = self._keys_for(self._groups)
        yield (
            query.with_(
                select=tuple(dict.fromkeys((*self._groups, *label))),
                group=tuple(dict.fromkeys((*keys, *self._groups, *self._keys_for(label), *label))),
                order=((Term(aggregate="count"), item.descending),),
                limit=item.limit,
                partition=tuple(self._apart(keys, self._groups)),
            ),
            frozenset({"sup_of_each"}),
        )

    def _counted_tables(self, option: Option | None) -> Iterator[tuple[int | None, str]]:
        if option is not None:
            yield (option.index if option.table else self._index.columns[option.index].table), ""
            return
        entity = self._outputs.entity
        if entity is None:
            return
        if self._shows_category(entity):
            yield None, ""
            return
        others = [t for t in self._chosen.tables if t != entity]
        if others:
            # 'the breed most often seen among pets of owners in Bath' is that of most pets
            theirs = [t for t in others if self._graph.to_one(t, entity)]
            yield min(theirs, key=lambda t: self._graph.distance(t, entity), default=others[0]), ""
            return
        below = [e for e in self._graph.neighbours(entity) if e.right == entity]
        children = [e.left for e in below if not e.guessed] or [e.left for e in below]
        for child in list(dict.fromkeys(children))[:2]:
            yield child, "sup_child"
        if not (children and self._one_row_each()):
            yield None, "sup_self"

    def _shows_category(self, entity: int) -> bool:
        """Whether a column of rows that are named is shown that tells none apart.

        'the currency that comes up most often among invoices of accounts in France' is that of most invoices.
        """
        named = any(o.table and o.index == entity for o in self._chosen.mentions.values())
        apart = {*self._outputs.label(entity), *self._outputs.primary(entity)}
        shown = [o for out in self._frame.outputs if (o := self._outputs.option(out.mention)) is not None]
        own = self._index.tables[entity].columns
        return (
            named
            and bool(shown)
            and all(not o.table and o.index in own and o.index not in apart for o in shown)
        )

    def _one_row_each(self) -> bool:
        """Whether the rows of what is asked for are told apart by what names them: each is there once."""
        entity = self._outputs.entity
        shown = () if entity is None else (*self._outputs.label(entity), *self._outputs.primary(entity))
        return any(
            self._index.columns[c].primary or self._index.columns[c].column.distinct == -1.0 for c in shown
        )
